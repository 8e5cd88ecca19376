"""Going to the screens that compare, into a cell from there and back."""

from collections.abc import Callable, Sequence

from textual.message import Message

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.compare.asked import AskedCells
from appellate.app.compare.by_instruction import InstructionList, InstructionScreen
from appellate.app.compare.judged import Proposals, ProposalsScreen, Reveal, RevealScreen
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

TITLE = 60  # cells of a trait's name


class Comparing:
    """Opens the screens that compare; keeps the last list and the last pair as they were left."""

    _wordings: Wordings | None = None
    _list: InstructionList | None = None
    _sides: Sides | None = None

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
        self._bench = bench
        self._view = view
        self._dialogs = dialogs
        self._navigation = navigation
        self._cell_actions = cell_actions
        self._keys = keys
        self._arrived = arrived

    def _context(self) -> CompareContext:
        """Return what a screen that is opened now takes from the review screen."""
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
        """Back to the pair or list that the cell was opened from; false where it was not."""
        for of in (self._sides, self._list):
            if of is not None and of.opened == self._view.no:
                of.come_back()
                await self._show(of)
                return True
        return False

    async def _show(self, of: AskedCells) -> None:
        """Shows cells to be answered, and opens the one chosen there."""
        screen = SidesScreen if isinstance(of, Sides) else InstructionScreen
        of.opened = None
        opened = await self._dialogs.show(screen(self._context(), of))
        if isinstance(opened, AskedCell):
            of.opened = opened.cell
            self._navigation.go_to_asked(opened)
        elif opened is not None:
            of.opened = opened
            self._navigation.go(opened)

    def _under_cursor(self, asked: Sequence[Instruction]) -> int | None:
        """The place of the instruction that the item under the cursor is about."""
        cursor = self._view.pane.instructions
        if cursor is not None:
            for place, one in enumerate(asked):
                if (one.of, one.number) == cursor.link:
                    return place
        return None

    # -- by instruction ---------------------------------------------------------------------------

    async def by_instruction(self) -> None:
        """The instruction under the cursor; where there is none, one is picked."""
        cell = self._view.cell
        kind = cell.subject.kind
        trait = cell.subject.trait
        if kind.answering is None:
            self._dialogs.say("Cells of this trait have no instruction in common to go by.")
            return
        asked = list(kind.standings(trait, kind.blank))
        found = self._under_cursor(asked)
        if found is None and self._view.pane.instructions is None and len(asked) == 1:
            found = 0
        if found is None:
            found = await self._pick(trait.name, asked)
        await self.open_list(trait.name, asked[found])

    async def _pick(self, trait: str, asked: Sequence[Instruction]) -> int:
        spelled = self._view.cell.subject.kind.spelled
        choices = [
            Choice(str(place), f"{spelled.get(one.of, '')} {one.number}".strip(), one.text)
            for place, one in enumerate(asked)
        ]
        title = clip(f"By which instruction of {trait}", TITLE, self._view.marks)
        return int(await self._dialogs.pick(title, choices))

    async def open_list(self, trait: str, instruction: Instruction) -> bool:
        """The list of an instruction of a trait, with the cursor on the cell shown; whether a cell
        was opened from it.
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
        """The cell in sight and the best other answer; the pair that it was opened from, if any."""
        number = self._view.no
        if self._sides is not None and self._sides.opened == number:
            await self.back()
            return
        trace_no = self._bench.workspace.cells.trace_of(number)
        others = self._bench.workspace.traces.other_answers(number, trace_no, self._view.trace)
        if not others:
            self._dialogs.say("No other answer to this question is in this audit.")
            return
        self._sides = sides = Sides(self._context(), number, others)
        index = self._under_cursor(sides.asked)
        if index is None:
            index = next(iter(sides.differing()), 0)
        sides.cursor = Cursor(0, index)
        await self._show(sides)

    # -- ruling -----------------------------------------------------------------------------------

    async def rule(self) -> None:
        """Rules from the cell in sight on; comes back to the cell that was looked at last."""
        context = self._context()
        ruling = Ruling(context)
        opened = await self._dialogs.show(AdjudicationScreen(context, ruling))
        self._navigation.go(ruling.here.no)
        if opened is None:
            self._dialogs.say("On the bench: {cell.proposals:V} goes on ruling where you are.")
        elif ruling.here.cell.hidden:
            self._dialogs.say(
                "Make it right, then {cell.sign:a} rules on it; "
                "{cell.proposals:V} shows both again."
            )

    # -- the judge --------------------------------------------------------------------------------

    def judges(self) -> None:
        """What judges proposed; beside a blind verdict, once there is one."""
        cell = self._view.cell
        if cell.hidden:
            self._dialogs.say(BLIND)
        elif cell.ruled and cell.judge:
            begin(self._reveal())
        else:
            begin(self._proposals())

    def locked(self, text: str, pressed: tuple[str, float]) -> None:
        """Shows the judge of a verdict that the key `pressed` locked; `text` says how, behind."""
        begin(self._reveal(f"Locked{text}.", pressed))

    async def _reveal(self, text: str = "", pressed: tuple[str, float] = ("", 0.0)) -> None:
        """Shows the blind verdict beside the judge's answers, or says why there are none; `text`
        goes before it.
        """
        cell = self._view.cell
        difference = difference_text(cell)
        if cell.judge is None:
            signs = first_names(self._keys)["cell.sign"]
            self._dialogs.say(f"{text} {difference} {signs} goes on.".strip())
            return
        context = self._context()
        screen = RevealScreen(context, Reveal(context), pressed)
        to, name = await self._dialogs.show(screen) or ("cell", "")
        if to == "cell":
            self._dialogs.say(f"{text} {difference}".strip())
        elif to == "next":
            self._navigation.unreviewed(1, after=True)
        elif to == "previous":
            self._navigation.unreviewed(-1, after=True)
        elif to == "proposals":
            await self._proposals()
        elif place := self._view.pane.named_items.named().get(name):
            self._view.pane.go(*place)
            self._view.looked()

    async def _proposals(self) -> None:
        """What each judge proposed here: to look at, and to adopt one."""
        no = self._view.no
        cell = self._view.cell
        if not proposals(cell):
            self._dialogs.say("No judge has proposed anything here yet: {cell.judge:J} asks one.")
            return
        context = self._context()
        offer = await self._dialogs.show(ProposalsScreen(context, Proposals(context)))
        if offer:
            source = f"{offer.name}, round {offer.round}"
            self._cell_actions.adopt(no, offer.n, offer.member, source)
