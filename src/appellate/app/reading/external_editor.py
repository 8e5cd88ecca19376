"""The person's own editor: its command line, and the terminal given to it until it ends."""

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
GO_TO_LINE = {"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe"}
"""Editors that begin at a line where `+7` is before the file."""


class NotEdited(Exception):
    """The editor did not do its work; the message says why."""


def editor(environ: Mapping[str, str]) -> list[str]:
    """The words of the person's editor; raises NotEdited where none is named."""
    named = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        words = shlex.split(named)
    except ValueError:
        raise NotEdited(f"$VISUAL or $EDITOR cannot be read as a command: {named}") from None
    if not words:
        raise NotEdited(
            "No editor is set. Set $VISUAL or $EDITOR (export EDITOR=nano), and start again."
        )
    return words


def command(words: Sequence[str], path: Path, problems: Sequence[Problem] = ()) -> list[str]:
    """The editor's command line, at the line of the first problem where both know lines."""
    place = problems[0].place.split() if problems else []
    if place[:1] == ["line"] and Path(words[0]).name in GO_TO_LINE:
        line = place[1].strip(",:")
        if line.isdigit():
            return [*words, f"+{line}", str(path)]
    return [*words, str(path)]


def unchanged(words: Sequence[str]) -> str:
    """What to say where an editor left everything as it was, or has not even begun."""
    if Path(words[0]).name in GO_TO_LINE:
        return "Nothing was changed."
    return "Nothing was changed. (An editor with its own window must wait: code --wait.)"


def edited(app: App[Any], text: str) -> Edited:
    """A text as the person's editor leaves it, or why it could not be edited."""
    try:
        words = editor(os.environ)
        with TemporaryDirectory(prefix="appellate-") as folder:
            path = Path(folder) / "words.md"
            path.write_text(text, encoding="utf-8", errors="replace")
            run(app, command(words, path), "Type it here.")
            return Edited(path.read_text(encoding="utf-8", errors="replace").strip("\n"))
    except (NotEdited, OSError) as why:
        return Edited(text, str(why))


_ELSEWHERE = "Edit the rubric elsewhere, and take it with: appellate judge AUDIT --revise RUBRIC"


def run(app: App[Any], words: Sequence[str], instead: str = _ELSEWHERE) -> None:
    """Gives the terminal to a program until it ends; raises NotEdited where it cannot, which says
    what to do `instead`, or where the program says that it failed.
    """
    try:
        with app.suspend():  # raising in here leaves the terminal to nobody
            if sys.platform != "win32":
                before = termios.tcgetattr(STDIN)
            ended = _run_program(words)
            if not os.isatty(STDIN):
                # where it hung up nobody must take it back: that would wait for ever
                raise NotEdited("The terminal is gone.")
            if sys.platform != "win32":
                # Textual would take what a killed editor left of it for the shell's way
                termios.tcsetattr(STDIN, termios.TCSADRAIN, before)
    except SuspendNotSupported:
        raise NotEdited(
            f"An editor needs a terminal of its own, which a browser's tab is not. {instead}"
        ) from None
    if ended:
        raise NotEdited(ended)


def _run_program(words: Sequence[str]) -> str:
    """Runs it to its end; says how it failed, or "" where it did not.

    Ctrl+C is the program's alone. What asks this process to leave is handed to the program first;
    the app gets it all the same, by asyncio's own pipe, once the program has ended.
    """
    program: subprocess.Popen[bytes] | None = None
    came: list[int] = []

    def hand_on(number: int, _: object) -> None:
        came.append(number)
        if program is not None:
            program.send_signal(number)

    def ignore(_: int, __: object) -> None:
        """The terminal sends it to the program, too."""

    before = {}
    for name, heed in (("SIGTERM", hand_on), ("SIGHUP", hand_on), ("SIGINT", ignore)):
        signal_number = getattr(signal, name, None)
        if signal_number is not None:
            before[signal_number] = signal.signal(signal_number, heed)
    try:
        try:
            program = subprocess.Popen(words)  # noqa: S603 - the person's own command
        except OSError as error:
            return f"The editor {words[0]} cannot be started: {error.strerror}."
        for number in came:  # while it began
            program.send_signal(number)
        status = program.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if status:
        return f"The editor ended with status {status}, so nothing is taken."
    return ""
