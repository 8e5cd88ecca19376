"""Traits of which some labels are about the response and some about the whole conversation.

Traits of several questions may share a name, and their numbers are pooled by it; labels that came
with the traces do not say what their judge read. `metrics` and the report say so.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

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
        """What is pooled, in a sentence."""
        parts = [f"{read} ({many(count, 'cell')})" for read, count in self.cells.items()]
        return f"In the numbers of {quoted(self.trait)} are labels {' and '.join(parts)} together."


def mixed_readings(cells: Iterable[AuditedCell]) -> list[MixedReading]:
    """Return the traits whose numbers pool labels about several texts of a trace, by name.

    Cells without labels, and those whose judge is hidden, are in no numbers.
    """
    found: dict[str, Counter[str]] = {}
    for audited in cells:
        cell = audited.cell
        if cell.labels is not None and not cell.hidden:
            found.setdefault(cell.subject.trait.name, Counter())[_read(cell)] += 1
    return [MixedReading(trait, dict(read)) for trait, read in found.items() if len(read) > 1]


def _read(cell: Cell) -> str:
    """What the labels of a cell are about, in words."""
    if cell.subject.transcript is None:
        return _RESPONSE
    judge = cell.judge.judge if cell.judge else {}
    if judge.get("name") == RECORDED and not cell.signed:
        return _UNKNOWN
    version = judge.get("transcript")
    if version is None or version == VERSION:
        return _CONVERSATION
    return f"{_CONVERSATION} by the rules of transcript {version}"
