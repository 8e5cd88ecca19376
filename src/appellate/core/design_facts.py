"""What happens to an audit as a whole, in the past tense: its sample, planned looks, what was tried
on its judge, and changes of its rubric. The names are a file format, and these facts are numbered
with those of cells.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import fields

from appellate.core.agreement import SHOWN, UNEQUAL, Reasons
from appellate.core.facts import fits, names_of
from appellate.core.problem import many
from appellate.core.trace import TraceKey


class Sampled(Struct, frozen=True):
    """Units were drawn into the sample, for the first time or in addition.

    `design` is "simple" or "stratified", or "active" where an earlier version drew units by chances
    of their own. `strata_by` is what the strata go by, `seed` the number that all chance comes
    from, `blind` whether verdicts come before the judge is seen,
    `frame` how many units could be drawn and `frame_sha256` the fingerprint of their names.
    `frame_strata` has the stratum of every trace that there was (`stats.designs.written`).
    `strata` are tables {name, units, drawn} with all that is drawn by now, and with `chance` where
    that is not drawn / units. `drawn` are the new units, in the order that they are to be worked
    through in, after those of before: tables {traces, stratum} with the id and epoch of each trace.
    """

    design: str
    strata_by: Sequence[str]
    seed: int
    blind: bool
    frame: int
    frame_sha256: str
    frame_strata: str
    strata: Sequence[Mapping[str, Any]]
    drawn: Sequence[Mapping[str, Any]]


class Withdrawn(Struct, frozen=True):
    """The sample was withdrawn before any verdict, with the looks that were planned for it: so many
    `units`. Labels that had been begun blind were set aside in so many cells (`begun`).
    """

    units: int
    begun: int


class LooksPlanned(Struct, frozen=True):
    """At which numbers of audited units a `bar` ("f1>=.8") is decided, for a trait or all ("").

    `level` is the chance of a wrong decision, over all looks together.
    """

    trait: str
    bar: str
    looks: Sequence[int]
    level: float


class Looked(Struct, frozen=True):
    """The look-th look (1-based) of the plan `of` was taken, with so many `units` audited."""

    of: int
    look: int
    units: int
    value: float | None
    low: float | None
    high: float | None
    decision: str


class LookedUnplanned(Struct, frozen=True):
    """A `bar` that nobody planned was held against the number of a trait or all (""), at the one
    look that it has: the end of the sample, after so many `units`.
    """

    trait: str
    bar: str
    units: int
    value: float
    low: float
    high: float
    decision: str


class Probed(Struct, frozen=True):
    """A judge was probed: how, who (its record), on how many cells, and what came out."""

    probe: str
    judge: Mapping[str, Any]
    cells: int
    outcome: Mapping[str, Any]


class SecondPass(Struct, frozen=True):
    """A reviewer went through cells a second time, blind: how far they agree with themselves."""

    reviewer: str
    cells: int
    outcome: Mapping[str, Any]


class Joined(Struct, frozen=True):
    """Two reviewers' audits were joined, for somebody to rule on what they differ in.

    `sides` are tables {name, file, reviewers, sha256} of the two, `seed` shuffles cell by cell
    whose labels are shown first, `settled` are the cells in which both agree, `contested` the
    others.
    """

    sides: Sequence[Mapping[str, Any]]
    seed: int
    settled: int
    contested: int

    def __str__(self) -> str:
        sides = [f"{side.get('name')} ({side.get('file')})" for side in self.sides]
        settled = f"{many(self.settled, 'cell')} agreed on, and so settled"
        contest = f"{many(self.contested, 'cell')} to rule on"
        return f"made of the audits of {' and '.join(sides)}: {settled}; {contest}"


class RubricTaken(Struct, frozen=True):
    """A changed rubric was taken: an act, which its reviewer can take back.

    `before`, `without` and `order` are what the rubric had otherwise before
    (`store.audits.rubric_difference`). `changed` are the names of traits that a judge is asked
    otherwise, `remeasured` of those that are only measured otherwise, `added` of new ones. `cells`
    had to be judged again, `fresh` cells were new, `lost` corrections found no place any more, and
    `signed` sign-offs went. `unsettled` sign-offs and rulings are to be given again, as their
    question or reference has other words; None for none.
    """

    before: Mapping[str, Any]
    without: Sequence[str]
    order: Sequence[str]
    changed: Sequence[str]
    remeasured: Sequence[str]
    added: Sequence[str]
    cells: int
    fresh: int
    lost: int
    signed: int
    unsettled: int | None = None


class RubricTakenBack(Struct, frozen=True):
    """The rubric that was taken as the act `of` was taken back: the one before it is in force.

    `before`, `without` and `order` are what the rubric that went had otherwise. So many sign-offs
    (`signed`) and `corrections` are in force again, and so many `answers` of judges about the
    rubric that went are set aside.
    """

    of: int
    before: Mapping[str, Any]
    without: Sequence[str]
    order: Sequence[str]
    signed: int
    corrections: int
    answers: int


class RubricTakenAgain(Struct, frozen=True):
    """The rubric of the act `of`, which had been taken back, is in force again.

    The other fields are as in `RubricTakenBack`.
    """

    of: int
    before: Mapping[str, Any]
    without: Sequence[str]
    order: Sequence[str]
    signed: int
    corrections: int
    answers: int


RubricEvent = RubricTaken | RubricTakenBack | RubricTakenAgain
DesignEvent = (
    Sampled
    | Withdrawn
    | LooksPlanned
    | Looked
    | LookedUnplanned
    | Probed
    | SecondPass
    | Joined
    | RubricEvent
)
DESIGN_NAMES = names_of(get_args(DesignEvent))
_TYPES: dict[str, type[DesignEvent]] = {name: kind for kind, name in DESIGN_NAMES.items()}


class DesignFact(Struct, frozen=True):
    """What happened to an audit: `n` counts with the facts of cells, `at` is UTC, ISO 8601."""

    n: int
    at: str
    by: str
    what: DesignEvent


def withdrawals(facts: Iterable[DesignFact]) -> list[DesignFact]:
    """The samples that were withdrawn."""
    return [fact for fact in facts if isinstance(fact.what, Withdrawn)]


def of_this_sample(facts: Sequence[DesignFact]) -> Sequence[DesignFact]:
    """What happened since the last sample was withdrawn."""
    gone = withdrawals(facts)
    if not gone:
        return facts
    return [fact for fact in facts if fact.n > gone[-1].n]


def to_body(what: DesignEvent) -> tuple[str, dict[str, Any]]:
    """The name and the JSON-ready body of what happened; what is None is left out."""
    table = {one.name: getattr(what, one.name) for one in fields(what)}
    body: dict[str, Any] = without_nulls(table)
    return DESIGN_NAMES[type(what)], body


def from_body(name: str, body: Mapping[str, Any]) -> DesignEvent:
    """The inverse of `to_body`; raises KeyError or TypeError, with a reason, for what is none."""
    kind = _TYPES[name]
    given: dict[str, Any] = {}
    for one in fields(kind):
        value = given[one.name] = body.get(one.name)
        if not fits(value, one.type):
            raise TypeError(f"{one.name} = {value!r} is nothing that {name} tells")
    return kind(**given)


def without_nulls(value: Any) -> Any:
    """A value as TOML can have it: lists, tables, and no nulls."""
    if isinstance(value, Mapping):
        fields = {key: without_nulls(inner) for key, inner in value.items()}
        return {key: inner for key, inner in fields.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [without_nulls(inner) for inner in value if inner is not None]
    return value


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
        strata: list[SampleStratum] = []
        for table in last.strata:
            units, drawn = int(table["units"]), int(table["drawn"])
            chance = table.get("chance")
            if chance is None:
                chance = drawn / units
            strata.append(SampleStratum(str(table["name"]), units, drawn, float(chance)))
        places = {stratum.name: place for place, stratum in enumerate(strata)}
        found: list[DrawnUnit] = []
        for one in draws:
            for unit in one.drawn:
                place = places[unit["stratum"]]
                keys = [(str(trace_id), int(epoch)) for trace_id, epoch in unit["traces"]]
                found.append(DrawnUnit(keys, place, strata[place].chance))
        return cls(last, strata, found)

    def __len__(self) -> int:
        return len(self.units)

    @property
    def has_own_chances(self) -> bool:
        """Whether units were drawn one by one, by chances that go by disagreement ("active").

        Earlier versions could draw so. The units are weighed by the chances that the audit has, and
        nothing is added to them.
        """
        return self.last.design == "active"

    @property
    def is_unequal(self) -> bool:
        """Whether some units had a better chance than others, by more than counts are rounded.

        Rounding leaves half a unit more or fewer in each stratum, which moves a share of n units by
        a quarter of the strata / n at most; small strata, of which two are drawn, often weigh more.
        """
        if self.has_own_chances:
            return True
        share = sum(one.drawn for one in self.strata) / sum(one.units for one in self.strata)
        off = sum(abs(one.drawn - share * one.units) for one in self.strata)
        return off > max(2, len(self.strata) / 2)

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
