"""Which cells the queue holds and in which order, as a person asks for it."""

import re
from functools import partial
from typing import TYPE_CHECKING

from appellate.app.queue.lineup import Lineup
from appellate.core.problem import Refused, wording
from appellate.store.queue import first_open
from appellate.ui.contract import Choice
from appellate.ui.textual_compat import beside

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace


class QueueControl:
    """Asks for a filter and an order."""

    def __init__(self, at: "Workplace") -> None:
        self._screen = at.screen
        self._queue = at.parts.queue
        self._view = at.view
        self._navigation = at.navigation
        self._dialogs = at.dialogs

    async def filter(self) -> None:
        lineup = self._queue.lineup
        text = await self._dialogs.line(
            "Filter",
            lineup.filter,
            purpose="filter",
            completing=lineup.completions,
            checking=lineup.fault,
            hint="state:proposed f1<0.5 trait:… text:…   (empty: every cell)",
            typed="",
        )
        self.line_up(lineup.filtered(text))

    async def order(self) -> None:
        lineup = self._queue.lineup
        choices = []
        for one in lineup.orders():
            note = "now" if one.id == lineup.order else ""
            choices.append(Choice(one.id, "", one.name, note))
        order = await self._dialogs.pick("Order of the queue", choices)
        seed = None
        if order == "random":
            before = str(lineup.seed)
            asked = self._dialogs.line("Seed of the random order", before, checking=_no_seed)
            seed = int(await asked)
        self.line_up(lineup.ordered(order, seed), afresh=True)

    def turn_hiding(self) -> None:
        """Leaves what is signed off out of the queue, or takes it in again; all else stays."""
        lineup = self._queue.lineup
        self.line_up(lineup.hiding(not lineup.hides))

    def line_up(self, lineup: Lineup, *, quietly: bool = False, afresh: bool = False) -> None:
        """Finds the cells of a filter and an order, off the screen's own time, and shows them.

        Quietly: nothing is said, and the cell in sight stays even where it is not among them.
        Afresh: from the first that is not signed off, quietly or not.
        """
        work = partial(self._line_up, lineup, quietly, afresh)
        beside(self._screen, work, "line", exclusive=True)  # in the place of a search under way

    async def _line_up(self, lineup: Lineup, quietly: bool, afresh: bool) -> None:
        try:
            cells = await lineup.look_up(self._dialogs.say)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return
        if not self._view.parts.are_there:  # the screen is being taken down
            return
        if not len(cells) and not lineup.hides:
            self._dialogs.say(f"No cell fits {lineup.filter}: the queue stays as it was.")
            return
        self._queue.put_in_line(lineup, cells, self._view.no)
        self._view.show_titles()
        self._view.show_header()
        if quietly and not afresh:
            return
        lineup.remember()
        if not len(cells):
            self._dialogs.say(lineup.nothing)
            return
        if afresh or cells.position(self._view.no) is None:
            self._navigation.go(first_open(cells, 1) or cells.number(0))
        if not quietly:
            self._dialogs.say(
                f"{cells.description}. {{queue.filter:f}} filters, {{queue.order:O}} orders, "
                "{queue.hide:Z} hides what is signed off."
            )


def _no_seed(text: str) -> str:
    if re.fullmatch(r"\s*\d{1,10}\s*", text):
        return ""
    return "A seed is a whole number of at most ten digits."
