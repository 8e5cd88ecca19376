"""The words that an answer to one instruction would take in each cell: what is proposed, what a
person chose, and what was in sight.
"""

from collections.abc import Callable

from appellate.app.instruction_rows import AskedRow
from appellate.store.wordings import AskedCell
from appellate.ui.selecting import Stretch

NO_WORDS = -1  # the place among the candidates of no words at all


class EvidenceOffers:
    """Which candidate an answer would take, by the cell; `row` gives what is known of one."""

    def __init__(self, row: Callable[[AskedCell], AskedRow]) -> None:
        self._row = row
        self._chosen: dict[AskedCell, int] = {}
        self._seen: set[AskedCell] = set()

    def show(self, asked: AskedCell) -> Stretch | None:
        """The stretch that is proposed for a row; it counts as seen from now on."""
        self._seen.add(asked)
        return self.of(asked)

    def was_seen(self, asked: AskedCell) -> bool:
        """Whether what would be taken for a row has been in sight."""
        return asked in self._seen

    def of(self, asked: AskedCell) -> Stretch | None:
        """The stretch that an answer would take; None for none, or where there is none to take."""
        offers, place = self._row(asked).offers, self._chosen.get(asked, 0)
        if not offers or place == NO_WORDS:
            return None
        return offers[place % len(offers)]

    def takes_none(self, asked: AskedCell) -> bool:
        """Whether a person said that an answer takes no words of the response."""
        return self._chosen.get(asked) == NO_WORDS

    def take_none(self, asked: AskedCell) -> str:
        """Has an answer take no words; says why that means nothing."""
        if self._row(asked).offers is None:
            return "An answer takes no words here."
        self._chosen[asked] = NO_WORDS
        return ""

    def next(self, asked: AskedCell, by: int) -> str:
        """Goes to the next candidate or the one before, round the corner, and tells which it is."""
        offers = self._row(asked).offers or ()
        if not offers:
            return "There is no sentence to choose here."
        place = self._chosen.get(asked, 0)
        if place == NO_WORDS:
            self._chosen[asked] = 0
        else:
            self._chosen[asked] = (place + by) % len(offers)
        place = self._chosen[asked] + 1
        return f"Sentence {place} of {len(offers)} that may bear the instruction out."
