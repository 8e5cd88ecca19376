"""Traits of which some labels are about the response and some about the whole conversation.

Traits of several questions may share a name, and their numbers are pooled by it; labels that came
with the traces do not say what their judge read. `metrics` and the report say so.
"""

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.core.kind import RECORDED
from appellate.core.problem import many, quoted
from appellate.core.transcript import VERSION
from appellate.store.audits.audit import AuditedCell

_RESPONSE = "about the response"
_CONVERSATION = "about the whole conversation"
_UNKNOWN = "from a judge of whom the traces do not say what it read"


class MixedReading(Struct, frozen=True):
    """A trait whose labels are about several texts of a trace: how many cells by what was read."""

    trait: str
    cells: Mapping[str, int]

    @property
    def describe(self) -> str:
        """In a sentence, how many labels of a trait are about each of several texts.

        The texts are the response, the whole conversation, that by an earlier version of the
        transcript's rules, and one that is not known. It begins "In the numbers of" and the trait's
        name in quotes.
        """
        parts: list[str] = []
        for read, count in self.cells.items():
            cells = many(count, "cell")
            parts.append(f"{read} ({cells})")
        labels = " and ".join(parts)
        return f"In the numbers of {quoted(self.trait)} are labels {labels} together."


class ReadingCounts:
    """Counts what the labels of cells are about, by trait, one cell after the other."""

    def __init__(self) -> None:
        self._by_trait: dict[str, Counter[str]] = {}

    def add(self, audited: AuditedCell) -> None:
        """Count a cell by what its labels are about: the response or the whole conversation.

        What is not known counts apart. A cell without labels, or whose judge is hidden, is not
        counted: it is in no numbers.
        """
        cell = audited.cell
        if cell.labels is None or cell.hidden:
            return
        counts = self._by_trait.setdefault(cell.subject.trait.name, Counter())
        counts[_read(cell)] += 1

    def mixed(self) -> list[MixedReading]:
        """Return the traits whose numbers pool labels about several texts of a trace.

        They are in the order in which their first cells were added. Empty if each trait has labels
        about one text.
        """
        readings: list[MixedReading] = []
        for trait, counts in self._by_trait.items():
            if len(counts) > 1:
                readings.append(MixedReading(trait, dict(counts)))
        return readings


def _read(cell: Cell) -> str:
    """Return in words what the labels of a cell are about: response, conversation, or unknown.

    It is the response for a trait that reads no conversation. It is unknown for recorded labels
    that nobody signed off. Of a conversation the version of the transcript's rules is told if it is
    an earlier one.
    """
    if cell.subject.transcript is None:
        return _RESPONSE
    judge = cell.judge.judge if cell.judge else {}
    if judge.get("name") == RECORDED and not cell.signed:
        return _UNKNOWN
    version = judge.get("transcript")
    if version is None or version == VERSION:
        return _CONVERSATION
    return f"{_CONVERSATION} by the rules of transcript {version}"
