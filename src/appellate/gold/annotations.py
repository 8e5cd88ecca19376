"""A check as workflow commands of GitHub Actions, which show it beside a pull request.

What a command says is one line: line breaks and percent signs are escaped, so that no text of a
trace can begin another command.
"""

from collections.abc import Iterable, Iterator, Sequence

from appellate.core.inert import visible
from appellate.gold.checking import LOST, JudgeCheck
from appellate.gold.telling import agreement_text, flip_line
from appellate.numbers.such_traces import bar_text

_MOST = 8
"""Annotations of one judge; GitHub shows ten of a step."""


def annotations(checks: Sequence[JudgeCheck], file: str) -> Iterator[str]:
    """Yield the commands of GitHub Actions for a check of the gold set in `file`.

    Each judge has `_MOST` commands at most: its verdict, why, its bars, then what it lost.
    """
    for check in checks:
        yield from list(_of_judge(check, file))[:_MOST]


def _of_judge(check: JudgeCheck, file: str) -> Iterator[str]:
    """Yield the commands for one judge: its verdict, the reasons, its bars, then what it lost.

    A bar that is reached has none. The verdict and its reasons are a notice if the judge passed, an
    error if it did not, else a warning. How many there are is not limited here. `file` is the gold
    set's, which they are shown at.
    """
    level = {"passed": "notice", "undecided": "warning", "not passed": "error"}[
        check.verdict
    ]
    yield _command(level, file, f"{check.name}: {check.verdict}", agreement_text(check))
    for reason in check.reasons:
        yield _command(level, file, check.name, reason)
    for result in check.bars:
        if result.decision == "not reached":
            yield _command(
                "error", file, f"{check.name}: {result.bar}", bar_text(result)
            )
        elif result.decision == "undecided":
            yield _command(
                "warning", file, f"{check.name}: {result.bar}", bar_text(result)
            )
    for flip in check.flips.flips:
        if flip.sort == LOST:
            yield _command("warning", file, f"{check.name}: lost", flip_line(flip))


def _command(level: str, file: str, title: str, message: str) -> str:
    """Return a workflow command on one line.

    `level` is "notice", "warning" or "error", and `file` what it is shown at. Title and message are
    escaped.
    """
    properties = f"file={_property(file)},title={_property(title)}"
    return f"::{level} {properties}::{_data(message)}"


def _data(text: str) -> str:
    """Return a message as a command has it.

    Control characters are made visible, and "%" and line ends are escaped.
    """
    escaped = visible(text).replace("%", "%25")
    return escaped.replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return the value of a property as a command has it."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def no_commands(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines so that GitHub Actions takes none for a command, whatever a trace says.

    It takes those that begin with two colons, and those that hold "##[". A space is put into these;
    other lines stay as they are.
    """
    for line in lines:
        harmless = line.replace("##[", "# #[")
        if harmless.lstrip().startswith("::"):
            harmless = harmless.replace("::", ": :", 1)
        yield harmless


def json_without_commands(text: str) -> str:
    """Return JSON that means the same and in which GitHub Actions finds no command.

    No line of JSON begins with two colons, so only "##[" within a text is written otherwise.
    """
    return text.replace("##[", "#\\u0023[")
