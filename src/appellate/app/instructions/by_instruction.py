"""Going by instruction: from an item, or by name, to the list of all cells that are asked the same,
into one of them and back.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from appellate.app.cell_actions import CellActions
from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.queue.navigation import Navigation
from appellate.core.kind import Instruction
from appellate.ui.contract import Choice
from appellate.ui.key import Key
from appellate.ui.text import clip

if TYPE_CHECKING:
    from appellate.app.instructions.listing import InstructionList
    from appellate.store.files.wordings import AskedCell, Wordings

TITLE = 60  # cells of a trait's name


class InstructionLine(NamedTuple):
    """A line of an instruction: the name of its traits, its list and its words."""

    trait: str
    of: str
    text: str


class ByInstruction:
    """Opens the list, and remembers the last one as it was left."""

    def __init__(
        self,
        view: CellView,
        navigation: Navigation,
        dialogs: Dialogs,
        actions: CellActions,
        keys: Sequence[Key],
        reasons: Sequence[str],
    ) -> None:
        self._view = view
        self._bench = view.bench
        self._navigation = navigation
        self._dialogs = dialogs
        self._actions = actions
        self._keys = keys
        self._reasons = reasons
        self._wordings: Wordings | None = None
        self._list: InstructionList | None = None
        self._opened: AskedCell | None = None  # the cell that was opened from the list

    async def here(self) -> None:
        """The instruction under the cursor; where there is none, one is picked."""
        cell = self._view.cell
        kind, trait = cell.subject.kind, cell.subject.trait
        if kind.answering is None:
            self._dialogs.say("Cells of this trait have no instruction in common to go by.")
            return
        asked = list(kind.standings(trait, kind.blank))
        found = self._under_cursor(asked)
        if found is None:
            found = await self._pick(trait.name, asked)
        await self.open(trait.name, found)

    def _under_cursor(self, asked: Sequence[Instruction]) -> Instruction | None:
        """The one that the item under the cursor is about; the only one there is."""
        cursor = self._view.pane.instructions
        if cursor is None:
            return asked[0] if len(asked) == 1 else None
        return next((one for one in asked if (one.of, one.number) == cursor.link), None)

    async def _pick(self, trait: str, asked: Sequence[Instruction]) -> Instruction:
        spelled = self._view.cell.subject.kind.spelled
        choices = [
            Choice(str(place), f"{spelled.get(one.of, '')} {one.number}".strip(), one.text)
            for place, one in enumerate(asked)
        ]
        title = clip(f"By which instruction of {trait}", TITLE, self._view.marks)
        return asked[int(await self._dialogs.pick(title, choices))]

    async def open(self, trait: str, instruction: Instruction) -> bool:
        """The list of an instruction of the traits of a name, with the cursor on the cell shown;
        whether a cell was opened from it.
        """
        from appellate.app.instructions.listing import InstructionList
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
        from appellate.app.instructions.screen import InstructionScreen
        from appellate.app.keys.commands import pane_of

        wording = shown.wording
        pane = pane_of(wording.kind.name)
        screen = InstructionScreen(
            self._bench,
            shown,
            here,
            self._keys,
            pane.ANSWER_KEYS(wording.asked[0].trait),
            self._reasons,
            self._actions.turned,
            self._view.marks,
            rendered=self._view.parts.response.reads_as_markdown,
        )
        opened = await self._dialogs.show(screen)
        self._list, self._opened = shown, opened
        if opened is not None:
            self._navigation.go_to_asked(opened)
