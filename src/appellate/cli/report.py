"""`appellate report`: writes the numbers of an audit as Markdown, HTML, JSON or CSV."""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from appellate.cli import narrow_output
from appellate.cli.drawn_as import drawn_as, gold_verdict
from appellate.cli.metrics import grouping, reducers
from appellate.cli.opening import check_name, reading_audit
from appellate.cli.outcome import Ended, Exit, deliver, notes, say
from appellate.core.problem import quoted
from appellate.numbers import data, html, markdown
from appellate.numbers.report import Report
from appellate.numbers.report import report as reported
from appellate.store.audits.audit import is_audit
from appellate.store.audits.audit_sync import is_one_of
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable

_Form = Literal["md", "html", "json", "csv"]
"""What a report is written as."""
_FORM_NAMES: dict[_Form, str] = {
    "md": "Markdown",
    "html": "HTML",
    "json": "JSON",
    "csv": "CSV",
}
_ENDINGS: dict[str, _Form] = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".csv": "csv",
}
"""The form that a file has by the ending of its name."""
_BEGINNINGS = (markdown.BEGINS, html.BEGINS, data.BEGINS, data.CSV_BEGINS)
"""How our reports begin, by which a file of ours is known."""


def report(arguments: argparse.Namespace) -> None:
    """Write the report of an audit into the file of -o, or print it on standard output.

    It is printed without -o and for `-`. Its form is that of --format, else of the file's ending,
    else Markdown. --by and --reducer add groups and epochs, --gold the check of a gold set, and
    --drawn-as whether the sample has that digest. That a file was written is said on standard
    error. An older file is kept beside it with `.bak` at its name's end.

    Raises Unusable if an option cannot be used or the audit cannot be read. It is raised as well
    for an audit at the path of -o, also with --force, and for another file that is no report
    without --force. Raises Ended with FAILED if the disk refuses it, and with DONE if the reader of
    the output has gone.
    """
    audit = Path(arguments.audit)
    by = grouping(arguments.by)
    epoch_reducers = reducers(arguments.reducer)
    path = None
    if arguments.output and arguments.output != "-":
        path = Path(arguments.output)
        _check_replaceable(path, audit, force=arguments.force)
    form = _chosen_form(path, arguments.format)
    letters = drawn_as(arguments)
    gold = gold_verdict(arguments)
    with reading_audit(audit) as read:
        audit_report = reported(read, by, epoch_reducers, letters)
    if gold is not None:
        audit_report = replace(audit_report, gold=gold)
    if path is None:
        for part in _report_parts(audit_report, form):
            _show_part(part, form)
        return
    try:
        atomic.write(
            path,
            (part.encode() for part in _report_parts(audit_report, form)),
        )
    except OSError as error:
        say(f"{path} could not be written: {error.strerror or error}")
        raise Ended(Exit.FAILED) from error
    say(f"Wrote {path}: the report of {audit} as {_FORM_NAMES[form]}.")


def _report_parts(audit_report: Report, form: _Form) -> Iterable[str]:
    """Return a report in a form, in parts that are its whole text if they are joined.

    The parts are made as they are asked for, so that the text of a large audit is never whole in
    memory. They can be asked for once.
    """
    match form:
        case "json":
            return data.json_parts(audit_report)
        case "csv":
            return data.csv_parts(audit_report)
        case "html":
            return html.html_parts(audit_report)
        case "md":
            return markdown.markdown_parts(audit_report)


def _show_part(part: str, form: _Form) -> None:
    """Write a part of a report on standard output, as it is and with no line break added.

    JSON and HTML have escapes for all but ASCII if the output is in no Unicode encoding; Markdown
    and CSV go as they are. Raises Ended if that fails: with DONE if the reader has gone, else with
    FAILED.
    """
    match form:
        case "json":
            part = narrow_output.json_to_write(part)
        case "html":
            part = narrow_output.html_to_write(part)
        case _:
            pass
    deliver(part)


def _chosen_form(path: Path | None, chosen: _Form | None) -> _Form:
    """Return the form of the report: the chosen one, if any.

    Else it is that of the file's ending in any case, as .md or .HTML, and without a file or an
    ending "md". If `chosen` is another than that of a known ending, a note is written on standard
    error. Raises Unusable for an unknown ending without a choice.
    """
    if path is None or not path.suffix:
        return chosen or "md"
    by_ending = _ENDINGS.get(path.suffix.lower())
    if chosen and by_ending not in (None, chosen):
        text = (
            f"{path}: this is {chosen}, as --format says, whatever the ending"
            f" {path.suffix} tells."
        )
        notes([text])
    if not chosen and not by_ending:
        right = f"name it {', '.join(f'.{form}' for form in _FORM_NAMES)}, or choose with --format"
        raise unusable(
            str(path),
            f"a report cannot be written as {quoted(path.suffix)}",
            right,
        )
    return chosen or by_ending or "md"


def _check_replaceable(path: Path, audit: Path, *, force: bool) -> None:
    """Raise Unusable if a report must not replace what is at a path, or no file can be there.

    Its folder must exist, and the system must accept its name. An audit, the workspace of `audit`,
    a device and a folder are never replaced, also with `force`. Any other file is replaced only
    with `force`, unless it is a report or empty. The right to write is not checked.
    """
    if not path.parent.is_dir():
        raise unusable(str(path), f"there is no folder {path.parent}", "make it first")
    check_name(path)
    if path.is_dir():
        raise unusable(str(path), "this is a folder", "name a file in it")
    if not path.exists():
        return
    if not path.is_file():
        raise unusable(
            str(path),
            "this is not a file",
            "leave -o out to print the report",
        )
    if is_one_of(path, audit):
        raise unusable(
            str(path),
            "this is the audit that the report is about",
            "name another file",
        )
    if is_audit(path):
        raise unusable(str(path), "this is an audit", "name another file")
    if not force and not _begins_like_report(path):
        wrong = "there is a file of this name, and it is not a report"
        raise unusable(str(path), wrong, "--force replaces it")


def _begins_like_report(path: Path) -> bool:
    """Return whether a file begins as our reports do in any of their forms, or is empty.

    False if it cannot be read, also if it does not exist.
    """
    try:
        with path.open("rb") as file:
            start = file.read(max(map(len, _BEGINNINGS)))
    except OSError:
        return False
    return not start or any(
        start.startswith(beginning.encode()) for beginning in _BEGINNINGS
    )
