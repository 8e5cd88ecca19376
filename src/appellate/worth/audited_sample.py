"""A sample as far as it is audited, and all that is counted in the frame it was drawn from."""

from collections.abc import Sequence

from msgspec import Struct

from appellate.core.design_facts import DesignFact
from appellate.core.samples import Sample
from appellate.core.trace import TraceKey
from appellate.stats import designs
from appellate.worth.audit_units import AuditUnit, UnitCell
from appellate.worth.worths import EstimatedTrait

DISAGREES = "the sample does not agree with itself, so it says and decides nothing"


class AuditedSample(Struct, frozen=True):
    """A sample, all units of its frame, and the traits that are measured.

    `facts` are those of the audit as a whole, `verdict` is the number of the fact that was the
    first verdict on the sample, None before there is one. `by` is what the cells are grouped by.
    `faults` are why it does not agree with itself: then it says nothing.
    """

    sample: Sample
    facts: Sequence[DesignFact]
    traits: Sequence[EstimatedTrait]
    units: Sequence[AuditUnit]
    verdict: int | None
    by: str = ""
    faults: Sequence[str] = ()

    @property
    def unit(self) -> str:
        """What one unit is."""
        if any(len(unit.traces) > 1 for unit in self.sample.units):
            return "cluster"
        return "trace"

    @property
    def wanting(self) -> str:
        """Why it says nothing, "" where it does not disagree with itself."""
        if not self.faults:
            return ""
        return f"{DISAGREES}: {'; '.join(self.faults)}"

    @property
    def groups(self) -> list[str]:
        """What the traces say of what they are grouped by, sorted; "" is nothing."""
        found: set[str] = set()
        for unit in self.units:
            for cells in unit.cells.values():
                found.update(cell.group for cell in cells)
        return sorted(found)


class FrameUnits:
    """Puts the cells of traces into the units of a sample's frame."""

    def __init__(self, sample: Sample) -> None:
        self._strata = designs.read(sample.last.frame_strata)
        # chances weigh the units of one stratum, else each stratum is weighed as a whole
        self._by_chance = sample.last.design == "active"
        if self._by_chance:
            self._strata = [None if one is None else 0 for one in self._strata]
        self._drawn: dict[TraceKey, tuple[int, float | None]] = {}
        for place, unit in enumerate(sample.units):
            for key in unit.traces:
                self._drawn[key] = (place, unit.chance if self._by_chance else None)
        self._units: dict[str | TraceKey, AuditUnit] = {}

    def add(self, trace: int, key: TraceKey, cluster: str, cell: UnitCell) -> None:
        """Adds a cell of the trace-th trace (1-based), unless that could not be drawn."""
        stratum = None
        if trace <= len(self._strata):
            stratum = self._strata[trace - 1]
        if stratum is None:
            return
        name = cluster or key
        if name not in self._units:
            self._units[name] = AuditUnit(stratum)
        unit = self._units[name]
        if key in self._drawn:
            unit.place, unit.chance = self._drawn[key]
        unit.cells.setdefault(cell.trait, []).append(cell)

    @property
    def units(self) -> list[AuditUnit]:
        """All that have a cell."""
        return list(self._units.values())
