"""`appellate report`: one audit in Markdown, HTML, JSON or CSV."""

import argparse
from collections.abc import Callable
from pathlib import Path

from appellate.cli.metrics import grouping, reducers
from appellate.cli.opening import check_name, read_audit
from appellate.cli.outcome import Ended, Exit, notes, say, show, show_html, show_json_text
from appellate.core.problem import quoted
from appellate.numbers import data, html, markdown
from appellate.numbers.report import Report
from appellate.numbers.report import report as reported
from appellate.store.audits.audit_sync import is_one_of
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable

_FORMS: dict[str, Callable[[Report], str]] = {
    "md": markdown.markdown,
    "html": html.html,
    "json": data.as_json,
    "csv": data.as_csv,
}
_SHOWN: dict[str, Callable[[str], None]] = {"html": show_html, "json": show_json_text}
"""How a form is written on standard output, where it has a way of its own."""
_ENDINGS = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".csv": "csv",
}
_OURS = (markdown.BEGINS, html.BEGINS, data.BEGINS, data.CSV_BEGINS)


def report(arguments: argparse.Namespace) -> None:
    audit = Path(arguments.audit)
    by = grouping(arguments.by)
    wanted = reducers(arguments.reducer)
    path = None
    if arguments.output and arguments.output != "-":
        path = Path(arguments.output)
        _may_write(path, audit, force=arguments.force)
    form = _form(path, arguments.format)
    text = _FORMS[form](reported(read_audit(audit), by, wanted))
    if path is None:
        _SHOWN.get(form, show)(text)
        return
    try:
        atomic.write(path, [text.encode()])
    except OSError as error:
        say(f"{path} could not be written: {error.strerror or error}")
        raise Ended(Exit.FAILED) from error


def _form(path: Path | None, asked: str | None) -> str:
    """The form that is asked for, else its file's ending's, else Markdown; raises Unusable."""
    if path is None or not path.suffix:
        return asked or "md"
    text = _ENDINGS.get(path.suffix.lower())
    if asked and text not in (None, asked):
        notes(
            [f"{path}: this is {asked}, as --format says, whatever the ending {path.suffix} tells."]
        )
    if not asked and not text:
        right = f"name it {', '.join(f'.{form}' for form in _FORMS)}, or choose with --format"
        raise unusable(str(path), f"no report is written as {quoted(path.suffix)}", right)
    return asked or text or "md"


def _may_write(path: Path, audit: Path, *, force: bool) -> None:
    """Raises Unusable where no report may be: over an audit, a device, a file that is none."""
    if not path.parent.is_dir():
        raise unusable(str(path), f"there is no folder {path.parent}", "make it first")
    check_name(path)
    if path.is_dir():
        raise unusable(str(path), "this is a folder", "name a file in it")
    if not path.exists():
        return
    if not path.is_file():
        raise unusable(str(path), "this is not a file", "leave -o out to print the report")
    if is_one_of(path, audit):
        raise unusable(str(path), "this is the audit that the report is about", "name another file")
    if not force and not _is_report(path):
        wrong = "there is a file of this name, and it is no report"
        raise unusable(str(path), wrong, "--force writes over it")


def _is_report(path: Path) -> bool:
    """Whether a file begins as our reports do; an empty one may be written over too."""
    try:
        with path.open("rb") as file:
            begins = file.read(max(map(len, _OURS)))
    except OSError:
        return False
    return not begins or any(begins.startswith(own.encode()) for own in _OURS)
