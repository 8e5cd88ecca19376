"""Editing the rubric without leaving the bench: in the person's own editor, then held against what the audit has.

Nothing is taken before the person has seen what it changes. What is wrong is shown where they are,
and whatever they wrote stays in the file.
"""

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal

from textual.app import App, ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import get_current_worker

from appellate.app.keys import kinds_of
from appellate.app.workplace import Workplace
from appellate.core.problem import Problem, Refused, Unusable
from appellate.core.wordforms import many
from appellate.store import draft as drafts
from appellate.store import revision
from appellate.store.database import NotKept
from appellate.store.draft import Draft
from appellate.store.revision import Revision
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric
from appellate.ui.lines import Lines, Listed, ListRow, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.rendered_text import StyledText
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
        raise NotEdited(
            "No editor is set. Set $VISUAL or $EDITOR (export EDITOR=nano), and start again."
        )
    return words


def command(words: Sequence[str], path: Path, problems: Sequence[Problem] = ()) -> list[str]:
    """The editor's command line, at the line of the first problem where both know lines."""
    place = problems[0].place.split() if problems else []
    line = place[1].strip(",:") if place[:1] == ["line"] else ""
    at = [f"+{line}"] if line.isdigit() and Path(words[0]).name in GO_TO_LINE else []
    return [*words, *at, str(path)]


def unchanged(words: Sequence[str]) -> str:
    """What to say where an editor left everything as it was, or has not even begun."""
    waits = (
        ""
        if Path(words[0]).name in GO_TO_LINE
        else " (An editor with its own window must wait: code --wait.)"
    )
    return f"Nothing was changed.{waits}"


def run(app: App[None], words: Sequence[str]) -> None:
    """Gives the terminal to a program until it ends; raises NotEdited where it cannot, or says it failed."""
    try:
        with app.suspend():  # raising in here leaves the terminal to nobody
            before = _line_discipline()
            ended = _ended(words)
            if not os.isatty(
                STDIN
            ):  # where it hung up nobody must take it back: that would wait for ever
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


Preview = Generator[tuple[str, str]]
"""Names of changed traits, and a sentence about what each comes to, as far as that is known."""


def preview(path: Path, rubric: Rubric) -> Preview:
    """What taking a rubric would come to, by a workspace opened once more to read."""
    with Workspace(path, readonly=True) as workspace:
        yield from revision.preview(workspace, rubric)


class DraftScreen(ModalScreen[Answer | None]):
    """What is wrong with a draft, or what it would change; gives what to do about it.

    What there is to know beforehand is gathered in a thread, and shown as it comes.
    """

    DEFAULT_CSS = """
    DraftScreen { align: center middle; }
    DraftScreen > Vertical {
        width: 94%; max-width: 110; height: 94%; border: round $primary; background: $surface; padding: 0 1;
    }
    DraftScreen .draft--title { height: auto; max-height: 3; text-style: bold; }
    DraftScreen Lines { height: 1fr; }
    DraftScreen .draft--detail { height: auto; max-height: 6; }
    DraftScreen .draft--preview { height: auto; max-height: 6; }
    DraftScreen .draft--keys { height: auto; max-height: 2; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "take", "take it", show=False, id="draft.take"),
        Binding("e", "dismiss('edit')", "edit again", show=False, id="draft.edit"),
        Binding("escape,n,q", "dismiss(None)", "give up", show=False, id="draft.leave"),
    ]

    def __init__(
        self,
        heading: str,
        sections: Sequence[ListSection],
        *,
        may_take: bool,
        marks: Marks,
        preview: Preview | None = None,
    ) -> None:
        super().__init__()
        self.heading, self._sections, self._may_take, self._marks = (
            heading,
            sections,
            may_take,
            marks,
        )
        self._preview = preview
        self._foreseen: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        take = "y takes it · " if self._may_take else ""
        keys = f"{take}e edits again · Esc gives up, and keeps what you wrote"
        with Vertical():
            yield Static(plain(self.heading), classes="draft--title")
            yield Lines(marks=self._marks)
            yield Static(classes="draft--detail", markup=False)
            yield Static(classes="draft--preview", markup=False)
            yield Static(plain(spelt(keys, self._marks)), classes="draft--keys")

    def on_mount(self) -> None:
        self.query_one(Lines).show(*self._sections)
        self.query_one(Lines).focus()
        self._detail()
        if self._preview is not None:
            self.run_worker(self._foresee, thread=True)

    def _foresee(self) -> None:
        """In a thread: shows what is known beforehand, until the person has answered."""
        worker = get_current_worker()
        if self._preview is None:
            return
        with closing(self._preview) as foreseen:
            for name, sentence in foreseen:
                if worker.is_cancelled:
                    return
                self.app.call_from_thread(self._show_foreseen, name, sentence)

    def _show_foreseen(self, name: str, sentence: str) -> None:
        self._foreseen[name] = f"{name}: {sentence}"
        self.query_one(".draft--preview", Static).update(plain("\n".join(self._foreseen.values())))

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
    rows = [ListRow(one.wrong, _placed(one.place), key=_whole(one)) for one in problems]
    count = "1 problem" if len(rows) == 1 else f"{len(rows)} problems"
    heading = f"{draft.path.name}: {count}. Nothing was taken; the audit has the rubric it had."
    return DraftScreen(heading, [ListSection(Listed(rows))], may_take=False, marks=marks)


def _placed(place: str) -> tuple[StyledText, ...]:
    return (StyledText(f"{place}  ", "key"),) if place else ()


def _whole(problem: Problem) -> str:
    where = f"{problem.place}: " if problem.place else ""
    return f"{where}{problem.wrong}" + (f"; {problem.right}" if problem.right else "")


def differing(
    draft: Draft, old: Rubric, new: Rubric, found: Revision, marks: Marks, preview: Preview
) -> DraftScreen:
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
    sections = [
        ListSection(_listed(names, paths), ListRow(header, style="header"))
        for header, names in told
        if names
    ]
    heading = f"{draft.path.name}: take this rubric for the audit?"
    return DraftScreen(heading, sections, may_take=True, marks=marks, preview=preview)


def _listed(names: Sequence[str], paths: Mapping[str, Sequence[str]]) -> Listed:
    return Listed(
        [ListRow(name, key=_with(name, ", ".join(paths.get(name, ())))) for name in names]
    )


def _with(name: str, paths: str) -> str:
    return f"{name}: {paths}" if paths else name


# -- from one to the other ----------------------------------------------------------------------------


class RubricEdit:
    """One draft, from the key to the revised rubric; `run` gives the terminal to the editor that `environ` names."""

    def __init__(
        self,
        at: Workplace,
        environ: Mapping[str, str] = os.environ,
        run: Callable[[App[None], list[str]], None] = run,
    ) -> None:
        self._at = at
        self._environ, self._run = environ, run
        self._bench = at.bench
        self._say = at.dialogs.say
        self._words: list[str] = []

    async def edit(self) -> None:
        """Opens the rubric in the person's editor, as often as it takes, or says why not."""
        if self._bench.readonly:
            self._say(
                "This session only reads: the rubric can be edited where the audit is being reviewed."
            )
        elif self._at.judge_run.is_on:
            self._say(
                "A judge is at work by the rubric as it is: X stops it, then edit the rubric."
            )
        else:
            try:
                await self._edit()
            except (NotEdited, Unusable, NotKept) as refusal:
                self._say(str(refusal))

    async def _edit(self) -> None:
        problems: Sequence[Problem] = ()
        while True:
            draft = self._written(problems)
            rubric, problems = self._read(draft)
            if rubric is None and not problems:
                self._say(unchanged(self._words))
                return
            answer, rubric, problems = await self._asked(draft, rubric, problems)
            if answer == "take" and rubric is not None:
                problems = await self._take(draft, rubric)
                if not problems:
                    return
                answer = await self._at.dialogs.show(wrong(draft, problems, self._at.marks))
            if answer != "edit":
                self._say(f"The rubric is as it was; what you wrote stays in {draft.path}")
                return

    def _written(self, problems: Sequence[Problem]) -> Draft:
        """The draft that the editor leaves."""
        self._words = editor(self._environ)
        draft = drafts.begin(self._bench.workspace)
        try:
            self._run(self._at.screen.app, command(self._words, draft.path, problems))
        finally:
            drafts.leave(self._bench.workspace, draft)
        return draft

    def _read(self, draft: Draft) -> tuple[Rubric | None, Sequence[Problem]]:
        """The rubric that was written and what is wrong with it; neither where nothing was changed."""
        if draft.is_copy and not draft.path.exists():
            return None, ()
        read = draft.read()
        if read.problems or read.value is None:
            return None, read.problems
        if drafts.is_same(self._bench.workspace.rubric, read.value):
            drafts.settle(self._bench.workspace, draft)
            return None, ()
        return read.value, ()

    async def _asked(
        self, draft: Draft, rubric: Rubric | None, problems: Sequence[Problem]
    ) -> tuple[Answer | None, Rubric | None, Sequence[Problem]]:
        """Shows what is wrong with a draft or what it would change; what the person wants done."""
        marks, workspace = self._at.marks, self._bench.workspace
        if rubric is not None:
            try:
                found = revision.look(workspace, rubric)
            except Refused as refusal:
                rubric, problems = None, [Problem(str(draft.path), "", str(refusal))]
        if rubric is None:
            return await self._at.dialogs.show(wrong(draft, problems, marks)), None, problems
        foreseen = preview(workspace.path, rubric)
        shown = differing(draft, workspace.rubric, rubric, found, marks, foreseen)
        return await self._at.dialogs.show(shown), rubric, ()

    async def _take(self, draft: Draft, rubric: Rubric) -> Sequence[Problem]:
        """Takes a rubric for the audit; what is wrong where that is refused."""
        try:
            found = self._bench.revise(rubric)
            drafts.settle(self._bench.workspace, draft)
        except (Refused, NotKept) as refusal:
            return [Problem(str(draft.path), "", str(refusal))]
        self._at.screen.run_worker(self._shown_anew(drafts.told(found)), group="rubric")
        return ()

    async def _shown_anew(self, told: str) -> None:
        """Shows the cells under the new rubric, of whatever kinds they are."""
        for kind in kinds_of(self._bench.workspace.rubric):
            await self._at.parts.panes.add(kind, self._at.review)
        self._at.moved()
        self._at.ask()
        self._at.dialogs.say(told)
