"""Editing the rubric without leaving the bench: in the person's own editor, then held against what the audit has.

Nothing is taken before the person has seen what it changes. What is wrong is shown where they are,
and whatever they wrote stays in the file.
"""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal

from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from appellate.app.review_screen import ReviewScreen
from appellate.core.problem import Problem, Unusable
from appellate.core.refused import Refused
from appellate.core.wordforms import many
from appellate.store import draft as drafts
from appellate.store import revision
from appellate.store.database import NotKept
from appellate.store.draft import Draft
from appellate.store.revision import Revision
from appellate.traits.rubric import Rubric
from appellate.ui.lines import Lines, Listed, Row, Section
from appellate.ui.marks import Marks, spelt
from appellate.ui.styled_text import Piece
from appellate.ui.text import plain

if sys.platform != "win32":
    import termios

Answer = Literal["take", "edit"]
STDIN = 0
GO_TO_LINE = {"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe"}
"""Editors that begin at a line where `+7` stands before the file."""


class NotEdited(Exception):
    """The editor did not do its work; the message says why."""


# -- the editor ---------------------------------------------------------------------------------------


def editor(environ: Mapping[str, str]) -> list[str]:
    """The words of the person's editor; raises NotEdited where none is named."""
    named = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        words = shlex.split(named)
    except ValueError:
        raise NotEdited(f"$VISUAL or $EDITOR cannot be read as a command: {named}") from None
    if not words:
        raise NotEdited("No editor is set. Set $VISUAL or $EDITOR (export EDITOR=nano), and start again.")
    return words


def command(words: Sequence[str], path: Path, problems: Sequence[Problem] = ()) -> list[str]:
    """The editor's command line, at the line of the first problem where both know lines."""
    place = problems[0].place.split() if problems else []
    line = place[1].strip(",:") if place[:1] == ["line"] else ""
    at = [f"+{line}"] if line.isdigit() and Path(words[0]).name in GO_TO_LINE else []
    return [*words, *at, str(path)]


def unchanged(words: Sequence[str]) -> str:
    """What to say where an editor left everything as it was, or has not even begun."""
    waits = "" if Path(words[0]).name in GO_TO_LINE else " (An editor with its own window must wait: code --wait.)"
    return f"Nothing was changed.{waits}"


def run(app: App[None], words: Sequence[str]) -> None:
    """Gives the terminal to a program until it ends; raises NotEdited where it cannot, or says it failed."""
    try:
        with app.suspend():  # raising in here leaves the terminal to nobody
            before = _line_discipline()
            ended = _ended(words)
            if not os.isatty(STDIN):  # where it hung up nobody must take it back: that would wait for ever
                raise NotEdited("The terminal is gone.")
            _restore(before)
    except SuspendNotSupported:
        raise NotEdited(
            "An editor needs a terminal of its own, which a browser's tab is not. Edit the rubric elsewhere, "
            "and take it with: appellate judge AUDIT --revise RUBRIC"
        ) from None
    if ended:
        raise NotEdited(ended)


def _line_discipline() -> list[Any] | None:
    if sys.platform == "win32":
        return None
    return termios.tcgetattr(STDIN)


def _restore(before: list[Any] | None) -> None:
    """An editor that was killed leaves the terminal as it had it, and Textual would take that for the shell's way."""
    if sys.platform != "win32" and before is not None:
        termios.tcsetattr(STDIN, termios.TCSADRAIN, before)


def _ended(words: Sequence[str]) -> str:
    """How the program failed, or "" where it did not."""
    try:
        program = subprocess.Popen(words)  # noqa: S603 - the person's own command
    except OSError as error:
        return f"The editor {words[0]} cannot be started: {error.strerror}."
    with _heeded_by(program):
        status = program.wait()
    return f"The editor ended with status {status}, so nothing is taken." if status else ""


@contextmanager
def _heeded_by(program: subprocess.Popen[bytes]) -> Iterator[None]:
    """Ctrl+C is the program's alone; what tells this process to leave tells the program first.

    The app hears of the latter all the same, by asyncio's own pipe, as soon as the program has ended.
    """

    def pass_on(number: int, _: object) -> None:
        program.send_signal(number)

    heard = dict.fromkeys(("SIGTERM", "SIGHUP"), pass_on) | {"SIGINT": lambda *_: None}
    numbers = {getattr(signal, name): do for name, do in heard.items() if hasattr(signal, name)}
    before = {number: signal.signal(number, do) for number, do in numbers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# -- what is shown afterwards -------------------------------------------------------------------------


class DraftScreen(ModalScreen[Answer | None]):
    """What is wrong with a draft, or what it would change; gives what to do about it."""

    DEFAULT_CSS = """
    DraftScreen { align: center middle; }
    DraftScreen > Vertical {
        width: 94%; max-width: 110; height: 94%; border: round $primary; background: $surface; padding: 0 1;
    }
    DraftScreen .draft--title { height: auto; max-height: 3; text-style: bold; }
    DraftScreen Lines { height: 1fr; }
    DraftScreen .draft--detail { height: auto; max-height: 6; }
    DraftScreen .draft--keys { height: auto; max-height: 2; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "take", "take it", show=False, id="draft.take"),
        Binding("e", "dismiss('edit')", "edit again", show=False, id="draft.edit"),
        Binding("escape,n,q", "dismiss(None)", "give up", show=False, id="draft.leave"),
    ]

    def __init__(self, heading: str, sections: Sequence[Section], *, may_take: bool, marks: Marks) -> None:
        super().__init__()
        self.heading, self._sections, self._may_take, self._marks = heading, sections, may_take, marks

    def compose(self) -> ComposeResult:
        take = "y takes it · " if self._may_take else ""
        keys = f"{take}e edits again · Esc gives up, and keeps what you wrote"
        with Vertical():
            yield Static(plain(self.heading), classes="draft--title")
            yield Lines(marks=self._marks)
            yield Static(classes="draft--detail", markup=False)
            yield Static(plain(spelt(keys, self._marks)), classes="draft--keys")

    def on_mount(self) -> None:
        self.query_one(Lines).show(*self._sections)
        self.query_one(Lines).focus()
        self._detail()

    def _detail(self) -> None:
        row = self.query_one(Lines).row
        self.query_one(".draft--detail", Static).update(plain(row.key or row.text if row else ""))

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._detail()

    def action_take(self) -> None:
        if self._may_take:
            self.dismiss("take")


def wrong(draft: Draft, problems: Sequence[Problem], marks: Marks) -> DraftScreen:
    """The faults of a draft, each with its place, and whole below where it is chosen."""
    rows = [Row(one.wrong, _placed(one.place), key=_whole(one)) for one in problems]
    count = "1 problem" if len(rows) == 1 else f"{len(rows)} problems"
    heading = f"{draft.path.name}: {count}. Nothing was taken; the audit has the rubric it had."
    return DraftScreen(heading, [Section(Listed(rows))], may_take=False, marks=marks)


def _placed(place: str) -> tuple[Piece, ...]:
    return (Piece(f"{place}  ", "key"),) if place else ()


def _whole(problem: Problem) -> str:
    where = f"{problem.place}: " if problem.place else ""
    return f"{where}{problem.wrong}" + (f"; {problem.right}" if problem.right else "")


def differing(draft: Draft, old: Rubric, new: Rubric, found: Revision, marks: Marks) -> DraftScreen:
    """What a draft would change, a section for each way."""
    moved = {*found.changed, *found.remeasured, *found.added}
    same = [name for name in new.trait_names() if name not in moved]
    again = f"Changed: {many(found.cells, 'cell')} to judge again; what people did there is kept"
    told = (
        (again, found.changed),
        ("Only measured otherwise: every label stays", found.remeasured),
        (f"New: {many(found.fresh, 'cell')} to judge", found.added),
        ("Changed beside the traits", drafts.beside(old, new)),
        ("As they were", same),
    )
    paths = drafts.within(old, new)
    sections = [Section(_listed(names, paths), Row(header, style="header")) for header, names in told if names]
    return DraftScreen(f"{draft.path.name}: take this rubric for the audit?", sections, may_take=True, marks=marks)


def _listed(names: Sequence[str], paths: Mapping[str, Sequence[str]]) -> Listed:
    return Listed([Row(name, key=_with(name, ", ".join(paths.get(name, ())))) for name in names])


def _with(name: str, paths: str) -> str:
    return f"{name}: {paths}" if paths else name


# -- from one to the other ----------------------------------------------------------------------------


class Editing:
    """One draft, from the key to the revised rubric."""

    def __init__(self, screen: ReviewScreen) -> None:
        self._screen = screen
        self._bench = screen.bench
        self._draft: Draft
        self._words: list[str] = []

    def begin(self) -> None:
        """Opens the rubric in the person's editor, or says why not."""
        if self._bench.readonly:
            self._screen.say("This session only reads: the rubric can be edited where the audit is being reviewed.")
        elif self._screen.running.tally is not None:
            self._screen.say("A judge is at work by the rubric as it is: X stops it, then edit the rubric.")
        else:
            self._edit(())

    def _edit(self, problems: Sequence[Problem]) -> None:
        try:
            self._words = editor(os.environ)
            self._draft = drafts.begin(self._bench.workspace)
            try:
                run(self._screen.app, command(self._words, self._draft.path, problems))
            finally:
                drafts.leave(self._bench.workspace, self._draft)
            self._look()
        except (NotEdited, Unusable, NotKept) as refusal:
            self._screen.say(str(refusal))

    def _look(self) -> None:
        """Reads what the editor left, and shows what is wrong with it or what it changes."""
        if self._draft.is_copy and not self._draft.path.exists():
            self._screen.say(unchanged(self._words))
            return
        read = self._draft.read()
        if read.problems or read.value is None:
            self._show_wrong(read.problems)
        elif drafts.is_same(self._bench.workspace.rubric, read.value):
            drafts.settle(self._bench.workspace, self._draft)
            self._screen.say(unchanged(self._words))
        else:
            self._ask(read.value)

    def _ask(self, rubric: Rubric) -> None:
        try:
            found = revision.look(self._bench.workspace, rubric)
        except Refused as refusal:
            self._show_wrong([Problem(str(self._draft.path), "", str(refusal))])
            return
        old = self._bench.workspace.rubric
        self._show(differing(self._draft, old, rubric, found, self._screen.marks), (), rubric)

    def _show_wrong(self, problems: Sequence[Problem]) -> None:
        self._show(wrong(self._draft, problems, self._screen.marks), problems, None)

    def _show(self, shown: DraftScreen, problems: Sequence[Problem], rubric: Rubric | None) -> None:
        def answered(answer: Answer | None) -> None:
            self._screen.rest()
            if answer == "edit":
                self._edit(problems)
            elif answer == "take" and rubric is not None:
                self._take(rubric)
            else:
                self._screen.say(f"The rubric is as it was; what you wrote stays in {self._draft.path}")

        self._screen.app.push_screen(shown, answered)

    def _take(self, rubric: Rubric) -> None:
        try:
            found = self._bench.revise(rubric)
            drafts.settle(self._bench.workspace, self._draft)
        except (Refused, NotKept) as refusal:
            self._show_wrong([Problem(str(self._draft.path), "", str(refusal))])
            return
        self._screen.open(self._screen.no)
        self._screen.rows_changed()
        self._screen.line_up(self._screen.lineup, quietly=True)
        self._screen.running.begin()
        self._screen.say(drafts.told(found))
