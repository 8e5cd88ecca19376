"""`appellate export`: writes what people ruled as a file of another tool."""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from appellate.cli.opening import reading_audit
from appellate.cli.outcome import say, show, show_json_text
from appellate.core.inert import inert_json
from appellate.core.problem import many
from appellate.installed import plugins
from appellate.interop import FORMATS, inspect_log, karenina, promptfoo, rows
from appellate.interop.ruled import (
    Merge,
    RuledCell,
    copied,
    ruled_cells,
    untold_notes,
    written,
)
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit_sync import is_one_of
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable

_LOST = dict.fromkeys(
    ("rows", "csv"),
    "comments, flags, earlier rounds, what was undone, the sample, what was ruled blind",
) | {
    "promptfoo": "verdicts other than yes or no (who ruled is noted in the comment of the row)",
    "karenina": "earlier rounds, comments and flags (who changed what is in metadata.warnings)",
}
"""What a format cannot hold, in words."""
_MERGED: dict[str, Merge] = {
    "promptfoo": promptfoo.rated,
    "karenina": karenina.corrected,
}
"""Formats that are a copy of the imported file, with what people ruled put into it."""


def export(arguments: argparse.Namespace) -> None:
    """Write the cells that people signed off as another tool has them, and say how many.

    They go into a file or folder, whose files are replaced, or on standard output. The count and
    what the format cannot hold are said on standard error. Without such a cell nothing is written,
    which is said. Raises Unusable for options or files that cannot be used, OSError for a file that
    cannot be written, and Ended if standard output fails.
    """
    with reading_audit(Path(arguments.audit)) as audit:
        _export(arguments, audit)


def _export(arguments: argparse.Namespace, audit: AnyAudit) -> None:
    """Write the cells of an audit that people signed off, and say how many and what is lost.

    --to names the format. The cells go into the file or folder of -o, or on standard output; the
    count is on standard error. Without a sign-off nothing is written, which is said. CSV needs -o,
    a folder, which is made. A format that is a copy of the imported file needs --source; karenina
    and Inspect have a form without it. Formats of other packages are written by these.

    Raises Unusable for --as without `rows`, for options that are missing, for files and packages
    that cannot be used, and for an output that is the audit or the source itself. Raises OSError
    for a file that cannot be written, and Ended if standard output fails.
    """
    output = arguments.output
    if arguments.form and arguments.to != "rows":
        raise unusable("--as", f"goes with --to rows, not with {arguments.to}")
    if output and is_one_of(Path(output), arguments.audit, arguments.source):
        raise unusable(output, "the export is made from this file", "name another file")
    if next(iter(ruled_cells(audit)), None) is None:
        say("Nobody has signed anything off: there is nothing to export.")
        return
    lost = _LOST.get(arguments.to, "")
    if arguments.to == "rows":
        counted = _Counted(rows.as_rows(audit, arguments.form or ""))
        _write(output, counted)
        _say_count(counted.count, lost)
        return
    if arguments.to == "csv":
        folder = Path(_required(output, "-o", "names the folder of the CSV files"))
        atomic.make_folder(folder)
        paths, count = rows.write_csv(audit, folder)
        say(*(f"wrote {path}" for path in paths))
        _say_count(count, lost)
        return
    cells = list(ruled_cells(audit))
    if arguments.to == "inspect":
        lost = _inspect(arguments, cells)
    elif arguments.to == "karenina" and not arguments.source:
        results = karenina.made(audit.rubric, cells)
        _write(output, [inert_json(results.document) + "\n"])
        say(*results.notes)
    elif arguments.to in _MERGED:
        source = _required(
            arguments.source,
            "--source",
            "names the file that was imported",
        )
        copy = copied(Path(source), cells, arguments.to, _MERGED[arguments.to])
        _write(output, [copy.text])
        say(*copy.notes)
    else:
        parts, lost = next(
            plugins(FORMATS, lambda writer: written(writer, cells), arguments.to),
        )
        _write(output, parts)
    _say_count(len(cells), lost)


def _say_count(count: int, lost: str) -> None:
    """Say on standard error how many ruled cells were written, and what the format loses.

    `lost` names that in words, "" for nothing.
    """
    text = f"{many(count, 'ruled cell')}."
    if lost:
        text += f" Not in it: {lost}."
    say(text)


class _Counted:
    """Parts of a text that count their lines as they are gone through."""

    def __init__(self, parts: Iterable[str]) -> None:
        self._parts = parts
        self.count = 0

    def __iter__(self) -> Iterator[str]:
        """Yield each part in turn, and add the number of its line ends to `count`."""
        for part in self._parts:
            self.count += part.count("\n")
            yield part


def _inspect(arguments: argparse.Namespace, cells: list[RuledCell]) -> str:
    """Write a copy of an Inspect log with edited scores, or without --source the scores alone.

    Without it there is a file for each scorer that was ruled on: JSON Lines, or CSV if -o ends in
    .csv. One goes to -o, or without it on standard output. Several go into files of that name with
    the scorer's added. Cells in which nobody can tell are noted on standard error. Returns what the
    format cannot hold, in words.

    Raises Unusable without -o for a copy and for any other number of scorers than one, and for a
    --source that Inspect cannot read. Raises OSError for a file that cannot be written, and Ended
    if standard output cannot be.
    """
    say(*untold_notes(cells))
    if not arguments.source:
        files, lost = inspect_log.by_scorer(cells, arguments.output)
        for path, parts in files.items():
            _write(path or None, parts)
        return lost
    target = Path(_required(arguments.output, "-o", "names the new log"))
    count, lost = inspect_log.edited(Path(arguments.source), cells, target)
    say(f"wrote {target}: {many(count, 'edited score')}")
    return lost


def _required(value: str | None, option: str, meaning: str) -> str:
    """Return an option's value; raises Unusable for None and "".

    The sentence says that `option` is missing, and then `meaning`: "names the new log".
    """
    if not value:
        raise unusable(option, f"is missing: it {meaning}")
    return value


def _write(output: str | None, parts: Iterable[str]) -> None:
    """Write texts one after the other into a file, or for None and `-` on standard output.

    A file that exists is replaced, in one step once all texts came, and kept beside it with `.bak`
    at its name's end. The name of the written file is said on standard error. Raises Unusable if
    there is no folder for it, OSError if it cannot be written, and Ended if standard output cannot
    be written.
    """
    if output in (None, "-"):
        _show_parts(parts)
        return
    path = Path(str(output))
    if not path.parent.is_dir():
        raise unusable(str(path), f"there is no folder {path.parent}", "make it first")
    atomic.write(path, (part.encode() for part in parts))
    say(f"wrote {path}")


def _show_parts(parts: Iterable[str]) -> None:
    """Write texts on standard output, one after the other; raises Ended if that fails.

    JSON, which begins with a brace or a square bracket, is written with escapes for letters that
    standard output cannot show, in pieces of whole lines of at least `_SHOWN_AT_ONCE` letters. Any
    other text is written as it is, once it is whole.
    """
    pending = ""
    is_json: bool | None = None
    for part in parts:
        pending += part
        if is_json is None:
            is_json = pending.lstrip("\ufeff \t\r\n").startswith(("{", "["))
        if is_json and pending.endswith("\n") and len(pending) >= _SHOWN_AT_ONCE:
            show_json_text(pending)
            pending = ""
    if is_json and pending:
        show_json_text(pending)
    elif not is_json:
        show(pending)


_SHOWN_AT_ONCE = 1 << 16
"""Letters that are written together at least: each writing is flushed."""
