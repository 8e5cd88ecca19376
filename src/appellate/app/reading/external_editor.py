"""Runs the reviewer's own editor in the terminal, for a rubric (`run`) or a note (`edited`)."""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textual.app import App, SuspendNotSupported

from appellate.core.problem import Problem
from appellate.ui.note import Edited

if sys.platform != "win32":
    import termios

STDIN = 0
GO_TO_LINE = {
    "vi",
    "vim",
    "nvim",
    "nano",
    "emacs",
    "emacsclient",
    "micro",
    "kak",
    "joe",
}
"""Editors that begin at line 7 when `+7` stands before the file."""


class NotEdited(Exception):
    """The editor could not be run, or failed; the message says why."""


def editor(environ: Mapping[str, str]) -> list[str]:
    """Return the command of the editor in $VISUAL or else $EDITOR, split into words as by a shell.

    A variable of blanks is not set. Raises NotEdited if none is set, or the command cannot be
    split.
    """
    command_text = environ.get("VISUAL", "").strip() or environ.get("EDITOR", "")
    try:
        words = shlex.split(command_text)
    except ValueError:
        raise NotEdited(
            f"$VISUAL or $EDITOR cannot be read as a command: {command_text}",
        ) from None
    if not words:
        raise NotEdited(
            "No editor is set. Set $VISUAL or $EDITOR (export EDITOR=nano), and start again.",
        )
    return words


def command(
    words: Sequence[str],
    path: Path,
    problems: Sequence[Problem] = (),
) -> list[str]:
    """Return the command line that opens a file in an editor, as `vim +12 rubric.toml`, in a list.

    `words` is the editor's command. A line number is added only for an editor of `GO_TO_LINE`, if
    the first problem names a line.
    """
    place_words = problems[0].place.split() if problems else []
    if place_words[:1] == ["line"] and Path(words[0]).name in GO_TO_LINE:
        line_no = place_words[1].strip(",:")
        if line_no.isdigit():
            return [*words, f"+{line_no}", str(path)]
    return [*words, str(path)]


def unchanged(words: Sequence[str]) -> str:
    """Return what to say if the file is unchanged after the editor, whose command is `words`.

    An editor that is not in `GO_TO_LINE` may have a window of its own, and return before anything
    was typed; the sentence says what to do.
    """
    if Path(words[0]).name in GO_TO_LINE:
        return "Nothing was changed."
    return (
        "Nothing was changed. (An editor with its own window must wait: code --wait.)"
    )


def edited(app: App[Any], text: str) -> Edited:
    """Let the reviewer edit a text in their own editor; return it, or the old text and why not.

    The editor has the terminal until it ends. A text that was edited has no line breaks at its
    ends. If the editor is missing or fails, or a file cannot be written, nothing is raised.
    """
    try:
        words = editor(os.environ)
        with TemporaryDirectory(prefix="appellate-") as folder:
            path = Path(folder) / "words.md"
            path.write_text(text, encoding="utf-8", errors="replace")
            run(app, command(words, path), "Type it here.")
            return Edited(
                path.read_text(encoding="utf-8", errors="replace").strip("\n"),
            )
    except (NotEdited, OSError) as why:
        return Edited(text, str(why))


_ELSEWHERE = (
    "Edit the rubric elsewhere, and take it with: appellate judge AUDIT --revise RUBRIC"
)


def run(app: App[Any], words: Sequence[str], instead: str = _ELSEWHERE) -> None:
    """Give the terminal to an editor's command until it ends, and take the terminal back.

    Raises NotEdited if the terminal cannot be given away, with `instead` as the advice. Raises it
    also if the terminal is gone afterwards, and if the editor cannot be started or ends with
    another status than 0.
    """
    try:
        with app.suspend():  # an exception in here would leave the terminal to nobody
            if sys.platform != "win32":
                previous_settings = termios.tcgetattr(STDIN)
            failure = _run_editor(words)
            if not os.isatty(STDIN):
                # to take back a terminal that hung up would wait for ever
                raise NotEdited("The terminal is gone.")
            if sys.platform != "win32":
                # Textual would take the settings that a killed editor left for those of the shell
                termios.tcsetattr(STDIN, termios.TCSADRAIN, previous_settings)
    except SuspendNotSupported:
        raise NotEdited(
            f"An editor needs a terminal of its own, which a browser's tab is not. {instead}",
        ) from None
    if failure:
        raise NotEdited(failure)


def _run_editor(words: Sequence[str]) -> str:
    """Run the editor's command to its end, and return "" or a sentence why its text is not taken.

    The text is not taken if the editor could not be started, or ended with another status than 0.
    Ctrl+C only reaches the editor. Signals that ask this process to end (SIGTERM, SIGHUP) are
    passed to the editor first. The app gets them too, through asyncio's pipe, when the editor has
    ended.
    """
    program: subprocess.Popen[bytes] | None = None
    received: list[int] = []

    def pass_on(number: int, _: object) -> None:
        """Note a signal, and send it to the program if that has started."""
        received.append(number)
        if program is not None:
            program.send_signal(number)

    def ignore(_: int, __: object) -> None:
        """Do nothing: the terminal sends Ctrl+C to the program too."""

    previous_handlers = {}
    for name, handler in (
        ("SIGTERM", pass_on),
        ("SIGHUP", pass_on),
        ("SIGINT", ignore),
    ):
        signal_number = getattr(signal, name, None)
        if signal_number is not None:
            previous_handlers[signal_number] = signal.signal(signal_number, handler)
    try:
        try:
            program = subprocess.Popen(words)  # noqa: S603 - the person's own command
        except OSError as error:
            return f"The editor {words[0]} cannot be started: {error.strerror}."
        for number in received:  # before the program had started
            program.send_signal(number)
        status = program.wait()
    finally:
        for number, previous_handler in previous_handlers.items():
            signal.signal(number, previous_handler)
    if status:
        return f"The editor ended with status {status}, so nothing is taken."
    return ""
