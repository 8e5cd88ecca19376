"""`appellate export`: what people ruled, in the shape of another tool."""

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path

from appellate.cli.outcome import Exit, say, show
from appellate.core.problem import many
from appellate.interop import inspect_log, karenina, promptfoo, rows
from appellate.interop.foreign import Row
from appellate.interop.ruled import RuledCell, ruled_cells
from appellate.store.audits.audit import load_audit
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable

Merge = Callable[[Row, Iterable[RuledCell]], tuple[Row, int]]
_MERGED: dict[str, tuple[Merge, str]] = {
    "promptfoo": (
        promptfoo.rated,
        "what is no yes or no (who ruled is noted in the comment of the row)",
    ),
    "karenina": (
        karenina.corrected,
        "earlier rounds, comments and flags (who changed what is noted in metadata.warnings)",
    ),
}


def export(arguments: argparse.Namespace) -> Exit:
    audit = load_audit(Path(arguments.audit))
    if arguments.form and arguments.to != "rows":
        raise unusable("--as", f"goes with --to rows, not with {arguments.to}")
    cells = list(ruled_cells(audit))
    if not cells:
        say("Nobody has signed anything off: there is nothing to export.")
        return Exit.DONE
    if arguments.to == "rows":
        _write(arguments.output, rows.as_rows(audit, arguments.form or ""))
        lost = "comments, flags, earlier rounds and what was undone"
    elif arguments.to == "csv":
        folder = Path(_needed(arguments.output, "-o", "names the folder of the CSV files"))
        folder.mkdir(exist_ok=True)
        say(*(f"wrote {path}" for path in rows.write_csv(audit, folder)))
        lost = "comments, flags, earlier rounds and what was undone"
    elif arguments.to == "inspect":
        lost = _inspect(arguments, cells)
    else:
        lost = _merged(arguments, cells)
    say(f"{many(len(cells), 'ruled cell')}. Not in it: {lost}.")
    return Exit.DONE


def _inspect(arguments: argparse.Namespace, cells: list[RuledCell]) -> str:
    if not arguments.source:
        _write(arguments.output, inspect_log.precomputed(cells))
        return "the history: with --source LOG and the extra inspect it is kept"
    source = Path(arguments.source)
    target = Path(_needed(arguments.output, "-o", "names the new log"))
    if target.exists() and target.samefile(source):
        raise unusable(str(target), "this is the log itself", "name another file")
    count = inspect_log.edited(source, cells, target)
    say(f"wrote {target}: {many(count, 'edited score')}")
    return "metrics are not computed anew: `inspect score` does that"


def _merged(arguments: argparse.Namespace, cells: list[RuledCell]) -> str:
    """Writes a copy of the source with what people ruled in it."""
    merge, lost = _MERGED[arguments.to]
    source = Path(_needed(arguments.source, "--source", "names the file that was imported"))
    try:
        document = json.loads(source.read_bytes().decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise unusable(str(source), f"this file cannot be read: {error}") from error
    found, count = merge(document, cells)
    if not count:
        wrong = f"no trace of the audit is in it, as {arguments.to} knows them"
        raise unusable(str(source), wrong, "name the file that the audit was made of")
    _write(arguments.output, [json.dumps(found, ensure_ascii=False, indent=2) + "\n"])
    return lost


def _needed(given: str | None, option: str, what: str) -> str:
    if not given:
        raise unusable(option, f"is missing: it {what}")
    return given


def _write(output: str | None, parts: Iterable[str]) -> None:
    if output in (None, "-"):
        show("".join(parts))
        return
    path = Path(str(output))
    if not path.parent.is_dir():
        raise unusable(str(path), f"there is no folder {path.parent}", "make it first")
    atomic.write(path, [part.encode() for part in parts])
    say(f"wrote {path}")
