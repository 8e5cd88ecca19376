"""Edits the rubric in the reviewer's own editor.

`RubricEdit` runs the editor, shows on a `DraftScreen` what is wrong or what would change, and takes
the rubric for the audit if the reviewer says so. A draft that is not taken stays in its file.
"""

import os
import sqlite3
from collections.abc import (
    Callable,
    Coroutine,
    Generator,
    Hashable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.judge_run import JudgeRun
from appellate.app.reading.external_editor import (
    NotEdited,
    command,
    editor,
    run,
    unchanged,
)
from appellate.core.problem import Problem, Refused, Unusable, many, wording
from appellate.session.workbench import Workbench
from appellate.store.audits import revision
from appellate.store.audits.revision import Revision
from appellate.store.database import NotKept, WorkspaceLocked
from appellate.store.files import draft as drafts
from appellate.store.files.draft import Added, Draft, Rewritten
from appellate.store.tables import WorkspaceUnknown
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Rubric
from appellate.ui.contract import Choice
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import Marks
from appellate.ui.overlay import FramedBox
from appellate.ui.page import StyledSpan
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.text import plain
from appellate.ui.text_view import TextView
from appellate.ui.textual_compat import beside

Answer = Literal["take", "edit"]
Preview = Generator[tuple[str, str]]
"""Yields the name of a changed trait and a sentence on what the change results in."""
_NOT_READ = (WorkspaceUnknown, WorkspaceLocked, NotKept, sqlite3.Error)
"""What is raised if a workspace was deleted, is busy or cannot be read."""


def preview(path: Path, rubric: Rubric) -> Preview:
    """Yield what taking a rubric would result in: a changed trait's name, and a sentence on it.

    A trait may come several times, and its latest sentence replaces the one before. Nothing is
    opened before the first is asked for. Then the workspace at `path` is read in a connection of
    its own that only reads, until the iterator ends or is closed. Raises WorkspaceUnknown,
    WorkspaceLocked, NotKept or sqlite3.Error if it was deleted, is busy or cannot be read.
    """
    with Workspace(path, readonly=True) as workspace:
        yield from revision.preview(workspace, rubric)


class ColouredText:
    """A text of paragraphs, each in a style of the response."""

    def __init__(self) -> None:
        self.text = ""
        self.spans: list[StyledSpan] = []

    def add(self, paragraph: str, style: str = "") -> None:
        """Append a paragraph and a line break to the text, and colour the paragraph in `style`.

        With `style` "" it has no colour of its own.
        """
        start = len(self.text)
        self.text += f"{paragraph}\n"
        if style:
            self.spans.append(
                StyledSpan(start, start + len(paragraph), style, aside=True),
            )


class DraftScreen(FramedBox[Answer | None]):
    """Shows what is wrong with a draft, or what it would change; closes with the answer.

    The answer is "take", "edit" to edit again, or None to give up.
    """

    DEFAULT_CSS = """
    DraftScreen > Vertical { height: 94%; }
    DraftScreen .box--title { height: auto; max-height: 3; }
    DraftScreen .draft--lost { height: auto; max-height: 4; color: $state-failed; }
    DraftScreen Lines, DraftScreen TextView { height: 1fr; margin: 1 0; }
    DraftScreen .draft--detail { height: auto; max-height: 6; }
    DraftScreen .draft--preview { height: auto; max-height: 6; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "take", "take it", id="draft.take"),
        Binding("e", "dismiss('edit')", "edit again", id="draft.edit"),
        Binding("escape,n,q", "dismiss(None)", "give up", id="draft.leave"),
    ]

    def __init__(
        self,
        heading: str,
        content: Sequence[ListSection] | ColouredText,
        *,
        may_take: bool,
        marks: Marks,
        lost: str = "",
        preview: Preview | None = None,
    ) -> None:
        """Show a list of problems, or the text of the changes, below a heading.

        `may_take` says whether the draft can be taken. `lost` warns of what would be lost; "" for
        nothing. `preview` is worked out in the background once the screen is open, and shown below;
        None shows none.
        """
        super().__init__(heading, marks=marks)
        self._lost = lost
        self._content = content
        self._may_take = may_take
        self._preview = preview
        self._preview_lines: dict[str, str] = {}
        """The lines of the preview so far, by trait."""

    def inside(self) -> Iterator[Widget]:
        """Yield the widgets in the frame: what would be lost, the list or text, and the preview."""
        if self._lost:
            yield Static(plain(self._lost), classes="draft--lost")
        if isinstance(self._content, ColouredText):
            yield TextView(id="changes", marks=self.marks)
        else:
            yield Lines(marks=self.marks)
            yield Static(classes="draft--detail", markup=False)
        yield Static(classes="draft--preview", markup=False)

    def on_mount(self) -> None:
        """Show the keys and the problems or changes, which get the focus; begin the preview.

        The preview is worked out in a thread.
        """
        keys = "{draft.edit:e} edits again · {draft.leave:Esc} gives up, and keeps what you wrote"
        if self._may_take:
            keys = "{draft.take:y} takes it · " + keys
        self.say_keys(keys)
        if isinstance(self._content, ColouredText):
            text = self.query_one(TextView)
            text.show(self._content.text, self._content.spans)
            text.focus()
        else:
            lines = self.query_one(Lines)
            lines.show(*self._content)
            lines.focus()
            self._detail()
        if self._preview is not None:
            self.run_worker(partial(self._work_out_preview, self._preview), thread=True)

    def _work_out_preview(self, preview: Preview) -> None:
        """Work out the preview in a thread and show it line by line, until the screen closes.

        The preview, and with it the connection that it reads from, is closed in any case. If the
        workspace cannot be read, what was shown by then stays.
        """
        worker = get_current_worker()
        with suppress(*_NOT_READ), closing(preview) as foreseen:
            for name, sentence in foreseen:
                if worker.is_cancelled:
                    return
                self.app.call_from_thread(self._show_in_preview, name, sentence)

    def _show_in_preview(self, name: str, sentence: str) -> None:
        """Show in the preview what the draft would do to the trait `name`, below the other traits.

        A new sentence for the same trait replaces its line.
        """
        self._preview_lines[name] = f"{name}: {sentence}"
        self.query_one(".draft--preview", Static).update(
            plain("\n".join(self._preview_lines.values())),
        )

    def _detail(self) -> None:
        """Show the whole problem under the cursor below the list; nothing if the list is empty."""
        row = self.query_one(Lines).row
        self.query_one(".draft--detail", Static).update(plain(row.key if row else ""))

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._detail()

    def action_take(self) -> None:
        if self._may_take:
            self.dismiss("take")


def problems_screen(
    draft: Draft,
    problems: Sequence[Problem],
    marks: Marks,
) -> DraftScreen:
    """Return a screen with the problems of a draft of the rubric, a row each.

    The row's `key` has the full problem, with its place and what would be right. The draft cannot
    be taken there.
    """
    rows: list[ListRow] = []
    for problem in problems:
        left: tuple[StyledText, ...] = ()
        full_text = problem.wrong
        if problem.place:
            # the key is part of the full text
            line, _, _ = problem.place.partition(": ")
            left = (StyledText(f"{line}  ", "key"),)
            full_text = f"{problem.place}: {full_text}"
        if problem.right:
            full_text += f"; {problem.right}"
        rows.append(ListRow(problem.wrong, left, key=full_text))
    count = many(len(rows), "problem")
    heading = f"{draft.path.name}: {count}. Nothing was taken; the audit has the rubric it had."
    return DraftScreen(heading, [ListSection(rows)], may_take=False, marks=marks)


def changes_screen(
    draft: Draft,
    old: Rubric,
    new: Rubric,
    changes: Revision,
    marks: Marks,
    preview: Preview,
) -> DraftScreen:
    """Return a screen with what a draft of the rubric changes, on which it can be taken.

    It names traits to judge again, those that are only measured differently, new ones, other
    changes, and traits that stay. Below each changed trait are its old and new words. At the top it
    warns of what would be lost. `preview` is worked out and shown once the screen is open.
    """
    all_changed = {*changes.changed, *changes.remeasured, *changes.added}
    unchanged_names = [name for name in new.trait_names() if name not in all_changed]
    sections = (
        (f"Changed: {many(changes.cells, 'cell')} to judge again", changes.changed),
        ("Only measured differently: every label stays", changes.remeasured),
        (f"New: {many(changes.fresh, 'cell')} to judge", changes.added),
    )
    text = ColouredText()
    rewritten = drafts.rewritten(old, new)
    for header, names in sections:
        if names:
            text.add(header, "heading")
        for name in names:
            text.add(name, "strong")
            for change in rewritten.get(name, ()):
                _add(text, change, marks)
            text.add("")
    beside_traits = drafts.differences_beside_traits(old, new)
    if beside_traits:
        text.add(f"Changed beside the traits: {', '.join(beside_traits)}")
    if unchanged_names:
        text.add(f"As they were: {', '.join(unchanged_names)}")

    heading = f"{draft.path.name}: take this rubric for the audit?"
    lost = drafts.lost(changes)
    if lost:
        lost = f"{lost}."
    return DraftScreen(
        heading,
        text,
        may_take=True,
        marks=marks,
        lost=lost,
        preview=preview,
    )


def _add(text: ColouredText, change: Rewritten, marks: Marks) -> None:
    """Append a change of a trait to a text: where it is, the old words, and below them the new.

    Words that do not exist, before or now, are left out.
    """
    text.add(f"{change.path}:")
    if change.was:
        text.add(f"{marks.minus} {change.was}", "fn")
    if change.now:
        text.add(f"{marks.added} {change.now}", "tp")


class RubricEdit:
    """Edits one draft of the rubric, from the key until it is taken or given up."""

    def __init__(
        self,
        screen: Screen[None],
        bench: Workbench,
        view: CellView,
        dialogs: Dialogs,
        judge_run: JudgeRun,
        *,
        show_taken: Callable[[str], Coroutine[Any, Any, None]],
        environ: Mapping[str, str] = os.environ,
        run: Callable[[App[None], list[str]], None] = run,
    ) -> None:
        """Edit with the editor named in `environ`, which `run` runs.

        `show_taken` is called with a sentence when a rubric was taken: it shows everything under
        it.
        """
        self._screen = screen
        self._bench = bench
        self._view = view
        self._dialogs = dialogs
        self._judge_run = judge_run
        self._show_taken = show_taken
        self._environ = environ
        self._run = run
        self._say = dialogs.say
        self._words: list[str] = []
        """The command of the editor, once it was run."""
        self._added: Added | None = None
        """The instruction that was added without an editor; None if there is none."""
        self._subject: Hashable = None
        """What the words of a new instruction were asked about, to forget them once taken."""

    async def edit(self) -> None:
        """Let the reviewer edit the rubric until it is taken or given up, or say why not."""
        if self._may_edit():
            await self._edit()

    async def add(self) -> None:
        """Ask for a new instruction of the open cell's trait, and offer the rubric with it.

        If the trait has several lists, ask for one first. Blanks around the text are dropped, and
        an empty text does nothing. It is said if the kind of trait has no such lists, if no rubric
        can be taken now, and if the instruction is refused or cannot be saved. Raises Left if the
        reviewer leaves a question.
        """
        cell = self._view.cell
        trait = cell.subject.trait
        workspace = self._bench.workspace
        lists = drafts.growing(trait)
        if not lists:
            self._say(
                "A new instruction goes into a metric trait; {rubric.edit:I} edits any.",
            )
            return
        if not self._may_edit():
            return

        list_name = next(iter(lists))
        if len(lists) > 1:
            choices = [Choice(name, "", asks) for name, asks in lists.items()]
            list_name = await self._dialogs.pick(
                f"A new instruction of {trait.name}",
                choices,
            )
        self._subject = ("instruction", trait.name, list_name)
        label = f"New instruction of {trait.name}"
        text = (await self._dialogs.line(label, about=self._subject)).strip()
        if not text:
            return
        try:
            self._added = drafts.add_instruction(
                workspace,
                cell.subject,
                list_name,
                text,
            )
        except (Refused, Unusable, NotKept) as refusal:
            self._say(wording(refusal))
            return
        await self._edit()

    def _may_edit(self) -> bool:
        """Return whether a rubric can be taken now; say why not if it cannot.

        It cannot in a session that only reads, by an agent, and while a judge is at work.
        """
        if self._bench.readonly:
            self._say(
                "This session only reads: "
                "the rubric can be edited where the audit is being reviewed.",
            )
            return False
        if self._judge_run.is_on:
            self._say(
                "A judge is at work by this rubric: {run.stop:X} stops it, then edit the rubric.",
            )
            return False
        try:
            self._bench.refuse_rubric_to_agent()
        except Refused as refusal:
            self._say(str(refusal))
            return False
        return True

    async def _edit(self) -> None:
        """Edit the draft until it is taken or given up; say what makes that impossible.

        That is an editor that fails, and a draft or rubric that cannot be read or saved.
        """
        try:
            await self._edit_draft()
        except (NotEdited, Unusable, NotKept) as refusal:
            self._say(wording(refusal))

    async def _edit_draft(self) -> None:
        """Edit and offer the draft again and again, until it is taken, given up or unchanged.

        An added instruction is offered first without the editor; if it is to be edited and no
        editor is set, it is taken back first. A draft that is given up stays in its file, and the
        words of an added instruction are offered again. Both are said. Raises NotEdited, Unusable
        or NotKept.
        """
        problems: Sequence[Problem] = ()
        added = self._added
        workspace = self._bench.workspace
        while True:
            draft = added.draft if added else self._run_editor(problems)
            rubric, problems = self._read(draft)
            answer: Answer | None = None
            if rubric is not None:
                answer, problems = await self._offer(draft, rubric)
                if answer == "take":
                    return
            elif not problems:
                self._say(unchanged(self._words))
                return
            if problems:
                answer = await self._dialogs.show(
                    problems_screen(draft, problems, self._view.marks),
                )
            if answer != "edit":
                what_stays = f"what you wrote stays in {draft.path}"
                if added:
                    drafts.take_back(workspace, added)
                    what_stays = "your words are offered again."
                self._say(f"The rubric is unchanged; {what_stays}")
                return
            if added:
                try:
                    editor(self._environ)
                except NotEdited:
                    drafts.take_back(workspace, added)
                    raise
            added = None

    def _run_editor(self, problems: Sequence[Problem]) -> Draft:
        """Let the reviewer edit the draft's file in their editor; return the draft after it.

        The editor opens at the line of the first problem. The draft is not read. It is noted as
        edited, also if the editor fails. Raises NotEdited if there is no editor or it fails, and
        Unusable or NotKept if the draft cannot be written.
        """
        self._words = editor(self._environ)
        draft = drafts.file_to_edit(self._bench.workspace)
        try:
            self._run(self._screen.app, command(self._words, draft.path, problems))
        finally:
            drafts.note_edited(self._bench.workspace, draft)
        return draft

    def _read(self, draft: Draft) -> tuple[Rubric | None, Sequence[Problem]]:
        """Return the rubric of a draft, or None and its problems.

        A file that cannot be read is a problem. A private copy that was never written gives None
        without problems. So does a draft that says the same as the rubric in force: it is noted as
        taken, which deletes a private copy.
        """
        if draft.is_copy and not draft.path.exists():
            return None, ()
        read = draft.read()
        if read.problems or read.value is None:
            return None, read.problems
        if drafts.is_same(self._bench.workspace.rubric, read.value):
            drafts.note_as_taken(self._bench.workspace, draft)
            return None, ()
        return read.value, ()

    async def _offer(
        self,
        draft: Draft,
        rubric: Rubric,
    ) -> tuple[Answer | None, Sequence[Problem]]:
        """Show what a rubric changes, and make it the audit's rubric if the answer is "take".

        Then the draft is noted as taken, typed words of an added instruction are forgotten, and
        everything is shown under the rubric in the background, with a sentence on what changed.
        Returns the answer, or None if the reviewer left the screen, and no problems. If the rubric
        is refused or cannot be saved, returns None and that problem.
        """
        workspace = self._bench.workspace
        marks = self._view.marks
        try:
            changes = revision.look(workspace, rubric)
            foreseen = preview(workspace.path, rubric)
            screen = changes_screen(
                draft,
                workspace.rubric,
                rubric,
                changes,
                marks,
                foreseen,
            )
            answer = await self._dialogs.show(screen)
            if answer != "take":
                return answer, ()
            taken_changes = self._bench.revise(rubric)
        except (Refused, NotKept) as refusal:
            return None, [Problem(str(draft.path), "", str(refusal))]

        drafts.note_as_taken(workspace, draft)
        self._dialogs.done_with(self._subject)
        text = f"{drafts.describe(taken_changes)} {{cell.undo:u}} undoes it."
        beside(self._screen, partial(self._show_taken, text), "rubric")
        return answer, ()
