"""The sample of an audit: all that was drawn, as the facts tell it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.core.agreement import SHOWN, UNEQUAL, Reasons
from appellate.core.design_facts import DesignFact, Sampled, Withdrawn, of_this_sample
from appellate.core.trace import TraceKey
from appellate.core.wordforms import many

DESIGNS = {
    "simple": "simple",
    "stratified": "stratified",
    "active": "active (chances by disagreement, half of each uniform)",
}
ALL = "all"
"""The one stratum of a sample that has none."""


class SampleStratum(Struct, frozen=True):
    """One stratum: how many units it has, how many of them are drawn, and the chance each had."""

    name: str
    units: int
    drawn: int
    chance: float


class DrawnUnit(Struct, frozen=True):
    """A unit of the sample: the keys of its traces, the number of its stratum, its chance."""

    traces: Sequence[TraceKey]
    stratum: int
    chance: float


class Sample(Struct, frozen=True):
    """What was drawn: `units` in draw order, `strata` with all that is drawn by now. The `last`
    draw has the design and the frame, which later draws go by.
    """

    last: Sampled
    strata: Sequence[SampleStratum]
    units: Sequence[DrawnUnit]

    @classmethod
    def of(cls, facts: Iterable[Sampled]) -> "Sample | None":
        """The sample that some draws make, None for no draw."""
        draws = list(facts)
        if not draws:
            return None
        last = draws[-1]
        strata = list(map(_stratum, last.strata))
        places = {stratum.name: place for place, stratum in enumerate(strata)}
        drawn: list[DrawnUnit] = []
        for one in draws:
            for fields in one.drawn:
                place = places[fields["stratum"]]
                keys = [(str(trace_id), int(epoch)) for trace_id, epoch in fields["traces"]]
                drawn.append(DrawnUnit(keys, place, strata[place].chance))
        return cls(last, strata, drawn)

    def __len__(self) -> int:
        return len(self.units)

    @property
    def is_unequal(self) -> bool:
        """Whether some units had a better chance than others, by more than counts are rounded."""
        if self.last.design == "active":
            return True
        share = sum(one.drawn for one in self.strata) / sum(one.units for one in self.strata)
        return any(abs(one.drawn - share * one.units) > 1 for one in self.strata)

    @property
    def done_word(self) -> str:
        """What a unit is once it counts."""
        return "ruled on" if self.last.blind else "signed off"

    @property
    def describe(self) -> str:
        """Its design, size, frame and seed in one line."""
        how = f"{DESIGNS[self.last.design]} random sample"
        if self.last.strata_by:
            how = f"{how} by {' and '.join(self.last.strata_by)}"
        sight = "blind" if self.last.blind else "sighted"
        return f"{how}: {len(self):,} of {self.last.frame:,}, seed {self.last.seed}, {sight}"


def sample_of(facts: Sequence[DesignFact]) -> Sample | None:
    """All that was drawn and not withdrawn, None where nothing was."""
    draws = [fact.what for fact in of_this_sample(facts) if isinstance(fact.what, Sampled)]
    return Sample.of(draws)


def reasons_of(sample: Sample | None) -> Reasons:
    """Why nothing but counts is shown of answers to the cells of a sample, if so."""
    if sample is None or not sample.is_unequal:
        return SHOWN
    blind = f"{UNEQUAL}: bars on the judge (judge.kappa, judge.agreement, …) weigh them."
    if sample.last.blind:
        return Reasons(blind=blind)
    return Reasons(f"{UNEQUAL}: only answers given blind can be weighed.", blind)


def withdrawn_text(facts: Sequence[DesignFact]) -> Iterator[str]:
    """A sentence for each sample that was withdrawn: who chooses among samples is to be seen."""
    for place, fact in enumerate(facts):
        if not isinstance(fact.what, Withdrawn):
            continue
        sample = sample_of(facts[:place])
        if sample is not None:
            begun = ""
            if fact.what.begun:
                begun = f" {many(fact.what.begun, 'cell')} had been begun."
            who = " ".join(filter(None, [fact.by, fact.at[:10]]))
            yield f"A sample was withdrawn before any verdict ({who}; {sample.describe}).{begun}"


def _stratum(fields: Mapping[str, Any]) -> SampleStratum:
    units, drawn = int(fields["units"]), int(fields["drawn"])
    chance = fields.get("chance")
    if chance is None:
        chance = drawn / units
    return SampleStratum(str(fields["name"]), units, drawn, float(chance))
