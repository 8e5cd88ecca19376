"""`appellate export`: what people ruled, in the shape of another tool."""

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from appellate.cli.outcome import Exit, say, show
from appellate.core.problem import many
from appellate.installed import plugins
from appellate.interop import FORMATS, inspect_log, karenina, promptfoo, rows
from appellate.interop.ruled import RuledCell, ruled_cells, source_document
from appellate.store.audits.audit import load_audit
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable

Merge = Callable[[Any, Iterable[RuledCell]], tuple[Any, int]]
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
    elif arguments.to in _MERGED:
        lost = _merged(arguments, cells)
    else:
        lost = _by_plugin(arguments, cells)
    say(f"{many(len(cells), 'ruled cell')}. Not in it: {lost}.")
    return Exit.DONE


def _inspect(arguments: argparse.Namespace, cells: list[RuledCell]) -> str:
    if not arguments.source:
        files, lost = inspect_log.by_scorer(cells, arguments.output)
        for path, parts in files.items():
            _write(path or None, parts)
        return lost
    source = Path(arguments.source)
    target = Path(_needed(arguments.output, "-o", "names the new log"))
    if target.exists() and target.samefile(source):
        raise unusable(str(target), "this is the log itself", "name another file")
    count = inspect_log.edited(source, cells, target)
    say(f"wrote {target}: {many(count, 'edited score')}")
    lost = "metrics, which are not computed anew: `inspect score` does that"
    if count < len(cells):
        lost += f"; {many(len(cells) - count, 'verdict')} that the log has already, or no score for"
    return lost


def _by_plugin(arguments: argparse.Namespace, cells: list[RuledCell]) -> str:
    """Writes what another package makes of the cells."""

    def use(writer: Any) -> tuple[list[str], str]:
        return list(writer.write(cells)), str(
            getattr(writer, "lost", "what its package leaves out")
        )

    parts, lost = next(plugins(FORMATS, use, arguments.to))
    _write(arguments.output, parts)
    return lost


def _merged(arguments: argparse.Namespace, cells: list[RuledCell]) -> str:
    """Writes a copy of the source with what people ruled in it."""
    merge, lost = _MERGED[arguments.to]
    source = Path(_needed(arguments.source, "--source", "names the file that was imported"))
    document, is_lines = source_document(source)
    found, count = merge(document, cells)
    if not count:
        wrong = f"no trace of the audit is in it, as {arguments.to} knows them"
        raise unusable(str(source), wrong, "name the file that the audit was made of")
    if is_lines:
        _write(arguments.output, (json.dumps(row, ensure_ascii=False) + "\n" for row in found))
    else:
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
