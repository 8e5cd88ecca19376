"""A check as workflow commands of GitHub Actions, which show it beside a pull request.

What a command says is one line: line breaks and percent signs are escaped, so that no text of a
trace can begin another command.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal

from appellate.core.inert import visible
from appellate.gold.checking import LOST, JudgeCheck
from appellate.gold.telling import agreement_text, flip_line
from appellate.numbers.such_traces import bar_text
from appellate.numbers.which_judge import Verdict

_MOST = 8
"""Annotations of one judge; GitHub shows ten of a step."""
Level = Literal["notice", "warning", "error"]
_LEVELS: dict[Verdict, Level] = {
    "passed": "notice",
    "undecided": "warning",
    "not passed": "error",
}
"""The level of the command for each verdict."""


def annotations(checks: Sequence[JudgeCheck], file: str) -> Iterator[str]:
    """Yield the commands of GitHub Actions for a check of the gold set in `file`, a line each.

    For each judge come its verdict, the reasons for it, its bars that are not reached or undecided,
    and the answers that it lost against the gold's own judge. Of one judge only the first 8
    (`_MOST`) are yielded, since GitHub shows ten. Lines have no line end.
    """
    for check in checks:
        yield from islice(_of_judge(check, file), _MOST)


def _of_judge(check: JudgeCheck, file: str) -> Iterator[str]:
    """Yield the commands for one judge: its verdict, the reasons, its bars, then what it lost.

    The verdict is a notice if the judge passed, an error if it did not pass and a warning if it is
    undecided, and so are its reasons. A bar that is not reached is an error, an undecided one a
    warning, and a reached one has no command. Each answer that the gold's own judge had right and
    this one has wrong is a warning. How many commands there are is not limited here. `file` is the
    gold set's path, at which GitHub shows them.
    """
    level = _LEVELS[check.verdict]
    title = f"{check.name}: {check.verdict}"
    yield _command(level, file, title, agreement_text(check))

    for reason in check.reasons:
        yield _command(level, file, check.name, reason)

    for result in check.bars:
        title = f"{check.name}: {result.bar}"
        if result.decision == "not reached":
            yield _command("error", file, title, bar_text(result))
        elif result.decision == "undecided":
            yield _command("warning", file, title, bar_text(result))

    title = f"{check.name}: lost"
    for flip in check.flips.flips:
        if flip.sort == LOST:
            yield _command("warning", file, title, flip_line(flip))


def _command(level: Level, file: str, title: str, message: str) -> str:
    """Return a workflow command of GitHub Actions: "::error file=…,title=…::message".

    `file` is the path that it is shown at. File, title and message are escaped here, so that it is
    one line, whatever is in them. There is no line end.
    """
    safe_file = _escaped_property(file)
    safe_title = _escaped_property(title)
    safe_message = _escaped_message(message)
    return f"::{level} file={safe_file},title={safe_title}::{safe_message}"


def _escaped_message(text: str) -> str:
    """Return a text as the message of a workflow command, on one line.

    "%" and newlines become %25 and %0A. Other control characters except tabs are made visible.
    """
    return visible(text).replace("%", "%25").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    """Return a text as the value of a property in a workflow command.

    It is escaped as a message is, and ":" and "," become %3A and %2C.
    """
    return _escaped_message(text).replace(":", "%3A").replace(",", "%2C")


def no_commands(lines: Iterable[str]) -> Iterator[str]:
    """Yield each line so that GitHub Actions takes none for a command, whatever a trace says.

    GitHub obeys a line that begins with two colons, also after spaces, and one with "##[" anywhere.
    A space is put into these: ": :" at the line's beginning, and each "# #[". Other lines stay as
    they are. Each of `lines` must be one line: colons after a line end in it are not looked for.
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
