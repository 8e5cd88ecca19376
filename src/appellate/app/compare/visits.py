"""Going to the screens that compare, into a cell from there and back."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.message import Message

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.queue.navigation import Navigation
from appellate.core.deciding import BLIND, difference_text
from appellate.core.kind import Instruction
from appellate.ui.contract import Choice
from appellate.ui.conversation import begin
from appellate.ui.key import Key, first_names
from appellate.ui.text import clip

if TYPE_CHECKING:
    from appellate.app.compare.listing import InstructionList
    from appellate.app.compare.screen import Surroundings
    from appellate.app.compare.sides import Sides
    from appellate.store.files.wordings import AskedCell, Wordings


class Visit:
    """Opens a screen that compares, from the cell in sight, and remembers it as it was left."""

    def __init__(
        self,
        view: CellView,
        navigation: Navigation,
        dialogs: Dialogs,
        actions: CellActions,
        keys: Sequence[Key],
    ) -> None:
        self._view = view
        self._bench = view.bench
        self._navigation = navigation
        self._dialogs = dialogs
        self._actions = actions
        self._keys = keys

    @property
    def _around(self) -> "Surroundings":
        from appellate.app.compare.screen import Surroundings

        return Surroundings(
            self._bench,
            self._actions.acts,
            self._keys,
            self._actions.reasons,
            self._view.marks,
            self._view.parts.response.reads_as_markdown,
        )

    def _under_cursor(self, asked: Sequence[Instruction]) -> int | None:
        """The place, among these, of the one that the item under the cursor is about."""
        cursor = self._view.pane.instructions
        if cursor is not None:
            for place, one in enumerate(asked):
                if (one.of, one.number) == cursor.link:
                    return place
        return None


TITLE = 60  # cells of a trait's name


class ByInstruction(Visit):
    """Opens the list, and remembers the last one as it was left."""

    _wordings: "Wordings | None" = None
    _list: "InstructionList | None" = None
    _opened: "AskedCell | None" = None  # the cell that was opened from the list

    async def here(self) -> None:
        """The instruction under the cursor; where there is none, one is picked."""
        cell = self._view.cell
        kind, trait = cell.subject.kind, cell.subject.trait
        if kind.answering is None:
            self._dialogs.say("Cells of this trait have no instruction in common to go by.")
            return
        asked = list(kind.standings(trait, kind.blank))
        found = self._under_cursor(asked)
        if found is None and self._view.pane.instructions is None and len(asked) == 1:
            found = 0
        if found is None:
            found = await self._pick(trait.name, asked)
        await self.open(trait.name, asked[found])

    async def _pick(self, trait: str, asked: Sequence[Instruction]) -> int:
        spelled = self._view.cell.subject.kind.spelled
        choices = [
            Choice(str(place), f"{spelled.get(one.of, '')} {one.number}".strip(), one.text)
            for place, one in enumerate(asked)
        ]
        title = clip(f"By which instruction of {trait}", TITLE, self._view.marks)
        return int(await self._dialogs.pick(title, choices))

    async def open(self, trait: str, instruction: Instruction) -> bool:
        """The list of an instruction of the traits of a name, with the cursor on the cell shown;
        whether a cell was opened from it.
        """
        from appellate.app.compare.listing import InstructionList
        from appellate.store.files.wordings import AskedCell

        wording = self._known_wordings().of(trait, instruction)
        if wording is None:
            self._dialogs.say("The rubric has this instruction no more.")
            return True
        shown = self._list
        if shown is None or shown.wordings is not self._wordings or shown.wording is not wording:
            shown = InstructionList(self._bench, self._known_wordings(), wording)
        else:
            shown.forget()
        await self._show(shown, AskedCell(self._view.no, instruction))
        return self._opened is not None

    def _known_wordings(self) -> "Wordings":
        from appellate.store.files.wordings import Wordings

        rubric = self._bench.workspace.rubric
        if self._wordings is None or self._wordings.rubric is not rubric:
            self._wordings = Wordings(rubric)
        return self._wordings

    async def back(self) -> bool:
        """Back into the list that the cell in sight was opened from; false where it was not."""
        if self._list is None or self._opened is None or self._opened.cell != self._view.no:
            return False
        self._list.forget()
        await self._show(self._list, self._opened)
        return True

    async def _show(self, shown: "InstructionList", here: "AskedCell") -> None:
        from appellate.app.compare.instruction_screen import InstructionScreen
        from appellate.app.keys.commands import pane_of

        wording = shown.wording
        pane = pane_of(wording.kind.name)
        screen = InstructionScreen(
            self._around, shown, here, pane.ANSWER_KEYS(wording.asked[0].trait)
        )
        opened = await self._dialogs.show(screen)
        self._list, self._opened = shown, opened
        if opened is not None:
            self._navigation.go_to_asked(opened)


ALONE = "No other answer to this question is in this audit."


class SideBySide(Visit):
    """Opens the two answers, and remembers the last pair as it was left."""

    _sides: "Sides | None" = None
    _index = 0
    _opened: int | None = None  # the cell that was opened from the pair

    async def here(self) -> None:
        """The cell in sight and the best other answer; the pair that it was opened from, if any."""
        if await self.back():
            return
        number = self._view.no
        trace_no = self._bench.workspace.cells.trace_of(number)
        others = self._bench.workspace.traces.other_answers(number, trace_no, self._view.trace)
        if not others:
            self._dialogs.say(ALONE)
            return
        from appellate.app.compare.sides import Sides

        self._sides = Sides(self._bench, number, others)
        await self._show(self._sides, self._row(self._sides))

    def _row(self, sides: "Sides") -> int:
        """The instruction under the cursor, else the first that is answered otherwise."""
        found = self._under_cursor(sides.asked)
        if found is None:
            return next(iter(sides.differing()), 0)
        return found

    async def back(self) -> bool:
        """Back to the pair that the cell in sight was opened from; false where it was not."""
        if self._sides is None or self._opened != self._view.no:
            return False
        self._sides.forget()
        await self._show(self._sides, self._index)
        return True

    async def _show(self, sides: "Sides", index: int) -> None:
        from appellate.app.compare.sides import HERE
        from appellate.app.compare.sides_screen import SidesScreen
        from appellate.app.keys.commands import pane_of
        from appellate.store.files.wordings import AskedCell

        self._opened = None
        subject = sides.cell(HERE).subject
        answers = pane_of(subject.kind.name).ANSWER_KEYS(subject.trait)
        screen = SidesScreen(self._around, sides, index, answers)
        opened = await self._dialogs.show(screen)
        self._index = screen.index
        if isinstance(opened, AskedCell):
            self._opened = opened.cell
            self._navigation.go_to_asked(opened)
        elif opened is not None:
            self._opened = opened
            self._navigation.go(opened)


class Reveal(Visit):
    """After a blind verdict was locked: the judge is shown beside it, and one goes on from there.

    `arrived` tells when a key was pressed.
    """

    def __init__(
        self,
        arrived: Callable[[Message], float],
        view: CellView,
        navigation: Navigation,
        dialogs: Dialogs,
        actions: CellActions,
        keys: Sequence[Key],
    ) -> None:
        super().__init__(view, navigation, dialogs, actions, keys)
        self._arrived = arrived
        self.signs = first_names(keys)["cell.sign"]

    def judges(self) -> None:
        """What judges proposed; beside a blind verdict, once there is one."""
        cell = self._view.cell
        if cell.hidden:
            self._dialogs.say(BLIND)
        elif cell.ruled and cell.judge:
            begin(self.show())
        else:
            begin(self._actions.proposals())

    def locked(self, text: str, pressed: tuple[str, float]) -> None:
        """Shows the judge of a verdict that was just locked by a key `pressed` then; `text` is what
        there is to say of that.
        """
        begin(self.show(f"{', '.join(filter(None, ('Locked', text)))}.", pressed))

    async def show(self, text: str = "", pressed: tuple[str, float] = ("", 0.0)) -> None:
        """Shows the verdict of the cell in sight beside the judge's answers, or says why there are
        none; `text` goes before it.
        """
        cell = self._view.cell
        difference = difference_text(cell)
        if cell.judge is None:
            self._dialogs.say(f"{text} {difference} {self.signs} goes on.".strip())
            return
        from appellate.app.compare.reveal_screen import RevealRows, RevealScreen

        rows = RevealRows(cell, self._view.marks)
        left = await self._dialogs.show(RevealScreen(self._around, rows, self._arrived, pressed))
        if left is None or left.to == "cell":
            self._dialogs.say(f"{text} {difference}".strip())
        elif left.to == "next":
            self._navigation.unreviewed(1, after=True)
        elif left.to == "previous":
            self._navigation.unreviewed(-1, after=True)
        elif left.to == "proposals":
            await self._actions.proposals()
        elif left.name in self._view.pane.names.all:
            self._view.pane.names.go(left.name)
            self._view.looked()
