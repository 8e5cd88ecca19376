"""Going to the numbers, from a figure to its cells, and back to the same place."""

from typing import TYPE_CHECKING

from appellate.core.kind import Instruction

if TYPE_CHECKING:
    from appellate.app.numbers.known import KnownNumbers, NumbersPlace
    from appellate.app.workplace import Workplace


class NumbersVisit:
    """Opens the numbers, and remembers them as they were left."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at
        self._place: NumbersPlace | None = None
        self._known: KnownNumbers | None = None
        self._chosen = ""

    async def open(self) -> None:
        """The numbers; the cells of a figure that is chosen go into the queue, an instruction is
        gone by, and from there one comes back.
        """
        from appellate.app.numbers.known import KnownNumbers, NumbersPlace
        from appellate.app.numbers.screen import DashboardScreen
        from appellate.numbers.judge_page import InstructionLine

        at = self._at
        self._place = self._place or NumbersPlace()
        self._known = self._known or KnownNumbers()
        self._chosen = ""
        while True:
            screen = DashboardScreen(at.bench, at.session, at.marks, self._place, self._known)
            chosen = await at.dialogs.show(screen)
            if not isinstance(chosen, InstructionLine):
                break
            asked = Instruction(chosen.of, 0, chosen.text)
            if await at.comparing.open_list(chosen.trait, asked):
                return
        if chosen is not None:
            self._chosen = chosen
            at.queue_control.line_up(at.parts.queue.lineup.but(filter=chosen), afresh=True)

    async def back(self) -> bool:
        """Back to the figure whose cells the queue holds; false where it holds others."""
        if not self._chosen or self._at.parts.queue.lineup.filter != self._chosen:
            return False
        await self.open()
        return True
