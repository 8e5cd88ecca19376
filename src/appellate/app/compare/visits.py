"""Opens the screens that compare answers, goes to a cell from there, and back again.

The commands of the review screen call `Comparing`.
"""

from collections.abc import Callable, Sequence

from textual.message import Message

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.compare.asked import AskedCells
from appellate.app.compare.by_instruction import InstructionList, InstructionScreen
from appellate.app.compare.judged import (
    Proposals,
    ProposalsScreen,
    Reveal,
    RevealScreen,
)
from appellate.app.compare.ruling import AdjudicationScreen, Ruling
from appellate.app.compare.screen import CompareContext
from appellate.app.compare.side_by_side import Sides, SidesScreen
from appellate.app.dialogs import Dialogs
from appellate.app.queue.navigation import Navigation
from appellate.core.cell import proposals
from appellate.core.deciding import BLIND, difference_text
from appellate.core.kind import Instruction
from appellate.session.workbench import Workbench
from appellate.store.files.wordings import AskedCell, Wordings
from appellate.ui.contract import Choice
from appellate.ui.conversation import begin
from appellate.ui.key import Key, first_names
from appellate.ui.own_keys import in_own_keys
from appellate.ui.row_layout import Cursor
from appellate.ui.text import clip

TITLE = 60
"""Columns that the title of a list of choices may take."""


class Comparing:
    """Opens the comparing screens of one review screen; keeps the last list and pair of answers."""

    _wordings: Wordings | None = None
    """All instructions of the rubric by their wording; None until a list is opened."""
    _list: InstructionList | None = None
    """The list that was opened last."""
    _sides: Sides | None = None
    """The pair of answers that was opened last."""

    def __init__(
        self,
        bench: Workbench,
        view: CellView,
        dialogs: Dialogs,
        navigation: Navigation,
        cell_actions: CellActions,
        keys: Sequence[Key],
        *,
        arrived: Callable[[Message], float],
    ) -> None:
        """Keep the objects of the review screen, with no pair and no list opened yet.

        `arrived` returns when a message arrived, in seconds.
        """
        self._bench = bench
        self._view = view
        self._dialogs = dialogs
        self._navigation = navigation
        self._cell_actions = cell_actions
        self._keys = keys
        self._arrived = arrived

    def _context(self) -> CompareContext:
        """Return what a screen that is opened now needs of the review screen."""
        return CompareContext(
            self._bench,
            self._cell_actions.acts,
            self._view.marks,
            self._keys,
            self._cell_actions.reasons,
            self._view.no,
            said=self._dialogs.said,
            renders_markdown=self._view.parts.response.reads_as_markdown,
            pressed=self._cell_actions.pressed,
            arrived=self._arrived,
            with_own_keys=self._with_own_keys,
        )

    def _with_own_keys(self, text: str) -> str:
        return in_own_keys(text, self._view.parts.response.app)

    async def back(self) -> bool:
        """Open the pair of answers again from which the open cell was opened, or else the list.

        Returns whether there was one, after its screen is closed. Otherwise nothing is opened.
        """
        for comparison in (self._sides, self._list):
            if comparison is not None and comparison.opened == self._view.no:
                comparison.come_back()
                await self._show(comparison)
                return True
        return False

    async def _show(self, comparison: AskedCells) -> None:
        """Show a pair or list until it is closed, and go to the cell that is chosen there, if any.

        The cell's number is kept in `comparison.opened`, by which `back` finds the pair or list;
        None if none was chosen.
        """
        screen = SidesScreen if isinstance(comparison, Sides) else InstructionScreen
        comparison.opened = None
        chosen = await self._dialogs.show(screen(self._context(), comparison))
        if isinstance(chosen, AskedCell):
            comparison.opened = chosen.cell
            self._navigation.go_to_asked(chosen)
        elif chosen is not None:
            comparison.opened = chosen
            self._navigation.go(chosen)

    def _under_cursor(self, instructions: Sequence[Instruction]) -> int | None:
        """Return the index of the instruction that the item under the cursor answers.

        It is an index in `instructions`, from 0; None if the item answers none of them.
        """
        cursor = self._view.pane.instructions
        if cursor is None:
            return None
        for index, instruction in enumerate(instructions):
            if (instruction.of, instruction.number) == cursor.link:
                return index
        return None

    # -- by instruction ---------------------------------------------------------------------------

    async def by_instruction(self) -> None:
        """Open the list of the instruction under the cursor; if there is none, ask for one.

        The only instruction of a trait is not asked for if the pane has no rows of its own that
        answer instructions. If the cells of the trait have no instruction in common, say so. Raises
        Left if the reviewer leaves the question.
        """
        cell = self._view.cell
        kind = cell.subject.kind
        trait = cell.subject.trait
        if kind.answering is None or not kind.goes_by_instruction:
            self._dialogs.say(
                "Cells of this trait have no instruction in common to go by.",
            )
            return
        instructions = list(kind.standings(trait, kind.blank))
        index = self._under_cursor(instructions)
        if (
            index is None
            and self._view.pane.instructions is None
            and len(instructions) == 1
        ):
            index = 0
        if index is None:
            index = await self._pick(trait.name, instructions)
        await self.open_list(trait.name, instructions[index])

    async def _pick(self, trait: str, instructions: Sequence[Instruction]) -> int:
        """Ask for one of the instructions of a trait, and return its index, from 0.

        Raises Left if the reviewer leaves the question.
        """
        list_names = self._view.cell.subject.kind.spelled
        choices: list[Choice] = []
        for index, instruction in enumerate(instructions):
            list_name = list_names.get(instruction.of, "")
            place = f"{list_name} {instruction.number}"
            choices.append(Choice(str(index), place.strip(), instruction.text))
        title = clip(f"By which instruction of {trait}", TITLE, self._view.marks)
        picked = await self._dialogs.pick(title, choices)
        return int(picked)

    async def open_list(self, trait: str, instruction: Instruction) -> bool:
        """Open the list of an instruction of a trait, with the cursor on the open cell.

        It waits until the list is closed, and returns whether a cell was opened from it. The list
        of last time is shown again if it was about the same instruction of the same rubric. If the
        rubric no longer has the instruction, that is said, no list opens, and True is returned.
        """
        rubric = self._bench.workspace.rubric
        if self._wordings is None or self._wordings.rubric is not rubric:
            self._wordings = Wordings(rubric)
            self._list = None
        wording = self._wordings.of(trait, instruction)
        if wording is None:
            self._dialogs.say("The rubric no longer has this instruction.")
            return True
        if self._list is None or self._list.wording is not wording:
            self._list = InstructionList(self._context(), self._wordings, wording)
        else:
            self._list.come_back()
        self._list.go(AskedCell(self._view.no, instruction))
        await self._show(self._list)
        return self._list.opened is not None

    # -- side by side -----------------------------------------------------------------------------

    async def side_by_side(self) -> None:
        """Show the open cell next to the best other answer to its question.

        The cursor is on the instruction under the cursor, or on the first that the two answer
        differently. If the cell was opened from a pair of answers, that pair is shown again. If
        there is no other answer, say so.
        """
        number = self._view.no
        if self._sides is not None and self._sides.opened == number:
            await self.back()
            return
        trace_no = self._bench.workspace.cells.trace_of(number)
        other_answers = self._bench.workspace.traces.other_answers(
            number,
            trace_no,
            self._view.trace,
        )
        if not other_answers:
            self._dialogs.say("No other answer to this question is in this audit.")
            return
        sides = Sides(self._context(), number, other_answers)
        self._sides = sides
        index = self._under_cursor(sides.instructions)
        if index is None:
            index = next(iter(sides.differing()), 0)
        sides.cursor = Cursor(0, index)
        await self._show(sides)

    # -- ruling -----------------------------------------------------------------------------------

    async def rule(self) -> None:
        """Open the screen for rulings at the open cell, which must be contested, until it closes.

        Then the cell shown there last is open. If the reviewer just left the screen, that ruling
        goes on with the same key is said; if they opened a cell that awaits its ruling, which key
        rules on it.
        """
        context = self._context()
        ruling = Ruling(context)
        opened = await self._dialogs.show(AdjudicationScreen(context, ruling))
        self._navigation.go(ruling.contested.no)
        if opened is None:
            self._dialogs.say(
                "On the bench: {cell.proposals:V} continues ruling where you are.",
            )
        elif ruling.contested.cell.hidden:
            self._dialogs.say(
                "Make it right, then {cell.sign:a} rules on it; "
                "{cell.proposals:V} shows both again.",
            )

    # -- the judge --------------------------------------------------------------------------------

    def judges(self) -> None:
        """Show what judges proposed for the open cell; return before that is closed.

        After a ruling on a blind or contested cell that is the verdict next to the judge's answers;
        before it, nothing is shown, and that is said. A proposal that the reviewer chooses there is
        adopted.
        """
        cell = self._view.cell
        if cell.hidden:
            self._dialogs.say(BLIND)
        elif cell.ruled and cell.judge:
            begin(self._reveal())
        else:
            begin(self._proposals())

    def locked(self, text: str, pressed: tuple[str, float]) -> None:
        """Show the judge's answers after a verdict on a blind or contested cell was locked.

        `text` says what was unusual about the verdict. It follows the word "Locked" directly, and a
        full stop follows it. `pressed` is the key that locked the verdict, with its time in
        seconds. Returns before the answers are closed. If the judge gave no answers, that is only
        said.
        """
        begin(self._reveal(f"Locked{text}.", pressed))

    async def _reveal(
        self,
        text: str = "",
        pressed: tuple[str, float] = ("", 0.0),
    ) -> None:
        """Show the locked verdict next to the judge's answers, then go where the reviewer chose.

        That is back to the open cell, to the next or previous cell that is not signed off, to the
        judge's proposals, or to an item. Back in the cell, how verdict and judge differ is said,
        after the sentence `text`. If the judge gave no answers, both are said without the screen.
        `pressed` is the key that may still be held down, with its time in seconds.
        """
        cell = self._view.cell
        difference = difference_text(cell)
        if cell.judge is None:
            signs = first_names(self._keys)["cell.sign"]
            self._dialogs.say(f"{text} {difference} {signs} goes on.".strip())
            return
        context = self._context()
        screen = RevealScreen(context, Reveal(context), pressed)
        target, item_name = await self._dialogs.show(screen) or ("cell", "")
        match target:
            case "cell":
                self._dialogs.say(f"{text} {difference}".strip())
            case "next":
                self._navigation.unreviewed(1, was_just_signed=True)
            case "previous":
                self._navigation.unreviewed(-1, was_just_signed=True)
            case "proposals":
                await self._proposals()
            case _:
                self._go_to_item(item_name)

    def _go_to_item(self, name: str) -> None:
        """Put the cursor on the item with this name, and show its evidence.

        Does nothing if the cell has no such item.
        """
        place = self._view.pane.named_items.named().get(name)
        if place:
            self._view.pane.go(*place)
            self._view.looked()

    async def _proposals(self) -> None:
        """Show all that judges proposed for the open cell, and adopt what is chosen, if anything
        is.

        If no judge has proposed anything, no screen opens, and that is said.
        """
        cell_no = self._view.no
        cell = self._view.cell
        if not proposals(cell):
            self._dialogs.say(
                "No judge has proposed anything here yet: {cell.judge:J} asks one.",
            )
            return
        context = self._context()
        offer = await self._dialogs.show(ProposalsScreen(context, Proposals(context)))
        if offer:
            source = f"{offer.name}, round {offer.round}"
            self._cell_actions.adopt(cell_no, offer.n, offer.member, source)
