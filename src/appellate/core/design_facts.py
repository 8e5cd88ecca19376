"""What happens to an audit as a whole, in the past tense.

These facts are about its sample, planned looks, tests of its judge, and changes of its rubric. The
names are a file format, and these facts are numbered together with those of cells.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import fields, replace

from appellate.core.facts import fits, names_of, without_nulls
from appellate.core.only_counts import SHOWN, UNEQUAL, Reasons
from appellate.core.problem import many
from appellate.core.trace import TraceKey


class Sampled(Struct, frozen=True):
    """Units were drawn into the sample, for the first time or in addition."""

    design: str
    """"simple", "stratified" or "giants".

    Of "giants" the first stratum is drawn whole, and the others of the frame are drawn simply. It
    is "active" if an earlier version drew each unit by its own chance.
    """
    strata_by: Sequence[str]
    """The fields by which strata are made."""
    seed: int
    """The number from which all chance comes."""
    blind: bool
    """Whether verdicts are given before the judge is seen."""
    frame: int
    """How many units could be drawn."""
    frame_sha256: str
    """The fingerprint of their names."""
    frame_strata: str
    """The stratum of every trace at the time (`stats.designs.written`)."""
    strata: Sequence[Mapping[str, Any]]
    """Tables {name, units, drawn} with all that is drawn so far.

    Each also has `chance`, if that is not drawn / units.
    """
    drawn: Sequence[Mapping[str, Any]]
    """The new units, in the order in which they are worked through, after earlier ones.

    Each is a table {traces, stratum} with the id and epoch of each trace.
    """
    rubric_sha256: str | None = None
    """The hash of the rubric at the time; None in draws of earlier versions, and of joined audits.

    So are the two below.
    """
    texts_sha256: str | None = None
    """The fingerprint of the traces at the time (`store.samples.drawn_over`)."""
    judged_sha256: str | None = None
    """The fingerprint of what judges had said by then."""


class WaveSampled(Sampled, frozen=True):
    """Units were drawn, for the first time or in addition, from the traces that were new: a wave.

    Its frame, strata, seed and order are its own. It has no trace that there was at the first draw
    of an earlier wave. Draws of one wave come one after the other and have its name.
    """

    wave: str = ""
    """The name of the wave, as people gave it: "week 48"."""


class Withdrawn(Struct, frozen=True):
    """The sample was withdrawn before any verdict, together with the looks planned for it.

    Of a sample in waves it is the last wave alone.
    """

    units: int
    """How many units the sample had, or the wave."""
    begun: int
    """In how many cells labels that had been begun blind were set aside."""


class LooksPlanned(Struct, frozen=True):
    """It was planned at which numbers of audited units a bar is decided, and by which intervals."""

    trait: str
    """The name of the trait; "" for all."""
    bar: str
    """The measure and how good it must be: "f1>=.8"."""
    looks: Sequence[int]
    """The numbers of audited units; none where the bar may be decided at any of them."""
    level: float
    """The chance of a wrong decision, over all looks together."""
    rule: str | None = None
    """"any": by betting, at any look. "looks": at the looks, by betting where residuals are few.

    None in plans of earlier versions, which knew intervals by residuals only.
    """
    horizon: int | None = None
    """How many audits the bets of the rule "any" are planned for."""


class Looked(Struct, frozen=True):
    """A planned look was taken."""

    of: int
    """The fact number of the plan."""
    look: int
    """Which look of the plan it was, from 1."""
    units: int
    """How many units were audited."""
    value: float | None
    low: float | None
    high: float | None
    decision: str


class LookedUnplanned(Struct, frozen=True):
    """A bar that was not planned was decided."""

    trait: str
    """The name of the trait; "" for all."""
    bar: str
    units: int
    """How many units were audited."""
    value: float
    low: float
    high: float
    decision: str
    rule: str | None = None
    """"any" if it was decided by betting; None if by residuals at the end of the sample."""


class Probed(Struct, frozen=True):
    """A judge was probed: how, which one (its record), on how many cells, and with what result."""

    probe: str
    judge: Mapping[str, Any]
    cells: int
    outcome: Mapping[str, Any]


class SecondPass(Struct, frozen=True):
    """A reviewer went through cells a second time, blind; `outcome` is how far both passes
    agree.
    """

    reviewer: str
    cells: int
    outcome: Mapping[str, Any]


class Joined(Struct, frozen=True):
    """The audits of two reviewers were joined, for somebody to rule on their differences."""

    sides: Sequence[Mapping[str, Any]]
    """Tables {name, file, reviewers, sha256} of the two."""
    seed: int
    """Decides cell by cell whose labels are shown first."""
    settled: int
    """The number of cells in which both agree."""
    contested: int
    """The number of the other cells."""

    def __str__(self) -> str:
        """Return whose audits were joined, and on how many cells they agree, as one clause.

        It begins with a small letter and has no full stop, as in "made of the audits of Ada
        (a.toml) and Ben (b.toml): 5 cells agreed on, and so settled; 2 cells to rule on".
        """
        sides: list[str] = []
        for side in self.sides:
            name = side.get("name")
            file_name = side.get("file")
            sides.append(f"{name} ({file_name})")
        names = " and ".join(sides)
        settled = many(self.settled, "cell")
        contested = many(self.contested, "cell")
        return (
            f"made of the audits of {names}: {settled} agreed on, and so settled;"
            f" {contested} to rule on"
        )


class RubricTaken(Struct, frozen=True):
    """A changed rubric was taken: an act, which its reviewer can undo."""

    before: Mapping[str, Any]
    """With `without` and `order`, how the rubric was before (`store.audits.rubric_difference`)."""
    without: Sequence[str]
    order: Sequence[str]
    changed: Sequence[str]
    """The names of traits about which a judge is asked differently."""
    remeasured: Sequence[str]
    """The names of traits that are only measured differently."""
    added: Sequence[str]
    """The names of new traits."""
    cells: int
    """How many cells had to be judged again."""
    fresh: int
    """How many cells were new."""
    lost: int
    """How many corrections have no place any more."""
    signed: int
    """How many sign-offs went."""
    unsettled: int | None = None
    """How many sign-offs and rulings have to be given again, for reworded questions or references.

    None means 0.
    """


class RubricTakenBack(Struct, frozen=True):
    """The rubric taken by act number `of` was taken back: the one before it is in force."""

    of: int
    before: Mapping[str, Any]
    """With `without` and `order`, how the rubric that went was."""
    without: Sequence[str]
    order: Sequence[str]
    signed: int
    """How many sign-offs are in force again."""
    corrections: int
    """How many corrections are in force again."""
    answers: int
    """How many answers of judges about the rubric that went are set aside."""


class RubricTakenAgain(Struct, frozen=True):
    """The rubric of act number `of`, which had been taken back, is in force again.

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
    | WaveSampled
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
_TYPES: dict[str, type[DesignEvent]] = {
    name: kind for kind, name in DESIGN_NAMES.items()
}


class DesignFact(Struct, frozen=True):
    """One thing that happened to an audit as a whole."""

    n: int
    """Its number, which is counted together with the facts of cells."""
    at: str
    """When, in UTC and ISO 8601."""
    by: str
    what: DesignEvent
    as_agent: bool = False
    """Whether who acted is an agent, and no person."""


def withdrawals(facts: Iterable[DesignFact]) -> list[DesignFact]:
    """Return the facts by which samples were withdrawn."""
    return [fact for fact in facts if isinstance(fact.what, Withdrawn)]


class SampleWave(Struct, frozen=True):
    """One wave of a sample; a sample that was not drawn in waves is one."""

    name: str
    """As people gave it; "" for a first draw that nobody called a wave."""
    facts: list["DesignFact"]
    """What happened from its first draw until that of the next wave.

    Those of the first wave begin with what happened before it.
    """

    @property
    def draws(self) -> list[Sampled]:
        """What was drawn, in order."""
        return [fact.what for fact in self.facts if isinstance(fact.what, Sampled)]


def waves_of(facts: Iterable[DesignFact]) -> list[SampleWave]:
    """Return the waves that were drawn and not withdrawn, in order; empty without a draw.

    A wave has the facts from its first draw until the next wave's, and the first wave also those
    before it. A withdrawal takes out the last wave with all of its facts, and is in none itself.
    `facts` must be in order.
    """
    waves: list[SampleWave] = []
    before: list[DesignFact] = []
    for fact in facts:
        if isinstance(fact.what, Withdrawn):
            waves = waves[:-1]
            before = []
        elif isinstance(fact.what, Sampled):
            name = wave_name(fact.what)
            if not waves or name != waves[-1].name:
                waves.append(SampleWave(name, before))
                before = []
            waves[-1].facts.append(fact)
        elif waves:
            waves[-1].facts.append(fact)
        else:
            before.append(fact)
    return waves


def wave_name(sampled: Sampled) -> str:
    """Return the name of the wave that a draw belongs to; "" if nobody called the draw a wave."""
    if isinstance(sampled, WaveSampled):
        return sampled.wave
    return ""


def of_this_sample(facts: Sequence[DesignFact]) -> Sequence[DesignFact]:
    """Return the facts of an audit without those of samples and waves that were withdrawn.

    If the whole sample was withdrawn, only the facts after that are left, also if nothing was drawn
    since. If a wave was withdrawn and earlier waves stay, only its facts are left out. The
    withdrawals themselves are left out. All facts are returned if nothing was withdrawn.
    """
    waves = waves_of(facts)
    if waves:
        facts_of_waves: list[DesignFact] = []
        for wave in waves:
            facts_of_waves += wave.facts
        return facts_of_waves
    withdrawn = withdrawals(facts)
    if not withdrawn:
        return facts
    last_withdrawal = withdrawn[-1]
    return [fact for fact in facts if fact.n > last_withdrawal.n]


def to_body(what: DesignEvent) -> tuple[str, dict[str, Any]]:
    """Return the name of an event in files, and its body for JSON and TOML.

    The name is as "looks_planned", and the body has the event's fields. Those that are None are
    left out, also in tables and lists in it.
    """
    table: dict[str, Any] = {}
    for field in fields(what):
        table[field.name] = getattr(what, field.name)
    body: dict[str, Any] = without_nulls(table)
    name = DESIGN_NAMES[type(what)]
    return name, body


def from_body(name: str, body: Mapping[str, Any]) -> DesignEvent:
    """Return the event with this name and body, as `to_body` makes them.

    A field that the body lacks is None, and keys that are no fields of the event are passed over.
    Raises KeyError for an unknown name. Raises TypeError, with a reason, for a value of another
    type, and for None where the event needs a value.
    """
    kind = _TYPES[name]
    values: dict[str, Any] = {}
    for field in fields(kind):
        value = body.get(field.name)
        if not fits(value, field.type):
            raise TypeError(f"{field.name} = {value!r} is nothing that {name} tells")
        values[field.name] = value
    return kind(**values)


GIANTS = "giants"
"""The design in which the largest units are all ruled on, and the others are drawn at random."""
DESIGNS = {
    "simple": "simple",
    "stratified": "stratified",
    GIANTS: "the largest whole, and of the others a simple",
    "active": "active (chances by disagreement, half of each uniform)",
}
ALL = "all"
"""The only stratum of a sample that has no strata."""
LARGEST = "largest"
"""The stratum of the design "giants" that is drawn whole, and ruled on first."""
REST = "others"
"""The stratum of the design "giants" from which units are drawn at random."""


class SampleStratum(Struct, frozen=True):
    """One stratum of a sample."""

    name: str
    units: int
    """How many units it has."""
    drawn: int
    """How many of them are drawn."""
    chance: float
    """The chance that each unit had."""


class DrawnUnit(Struct, frozen=True):
    """A unit of the sample."""

    traces: Sequence[TraceKey]
    """The keys of its traces."""
    stratum: int
    """The index of its stratum."""
    chance: float
    draw: int = 0
    """By which draw it came in: 0 for the first, 1 for the first that added some."""


MOST_WAVES_NAMED = 4
"""Waves that the line about a sample names one by one; of more the first and the last."""
FIRST_WAVE = "first draw"
"""What a first draw is called beside waves if nobody gave it a name."""


class Sample(Struct, frozen=True):
    """What was drawn."""

    last: Sampled
    """The last draw, whose design and frame later draws of its wave follow."""
    strata: Sequence[SampleStratum]
    """The strata, with all that is drawn so far; those of several waves one wave after another."""
    units: Sequence[DrawnUnit]
    """The units in the order in which they were drawn."""
    several: Sequence["Sample"] = ()
    """Each wave as a sample of its own, in order; empty for a sample of a single one."""

    @classmethod
    def of(cls, facts: Iterable[Sampled]) -> "Sample | None":
        """Return the sample that some draws make, in their order, or None if there are no draws.

        The draws must be free of `design_faults`, and those of one wave follow each other. A wave
        has the strata, the frame and the design of its last draw. A unit has the chance of its
        stratum, which is drawn / units if the draw does not say. With several waves, the sample has
        their strata and units one wave after another. A stratum then has its wave's name before its
        own, or in place of its own if it is the only one of its wave.
        """
        draws_of_waves = [list(draws) for _, draws in groupby(facts, wave_name)]
        if not draws_of_waves:
            return None
        waves = [cls._of_wave(draws) for draws in draws_of_waves]
        if len(waves) == 1:
            return waves[0]

        strata: list[SampleStratum] = []
        units: list[DrawnUnit] = []
        earlier_draws = 0
        for wave, draws in zip(waves, draws_of_waves, strict=True):
            earlier_strata = len(strata)
            for unit in wave.units:
                stratum_index = earlier_strata + unit.stratum
                draw_no = earlier_draws + unit.draw
                units.append(replace(unit, stratum=stratum_index, draw=draw_no))
            earlier_draws += len(draws)
            for stratum in wave.strata:
                name = wave.name
                if len(wave.strata) > 1:
                    name += f" · {stratum.name}"
                strata.append(replace(stratum, name=name))
        return cls(waves[-1].last, strata, units, waves)

    @classmethod
    def _of_wave(cls, draws: Sequence[Sampled]) -> "Sample":
        """Return the sample that the draws of one wave make, in their order.

        There must be at least one, and they must be free of `design_faults`. The strata are those
        of the last draw, and the units those of all draws, each with the index of its draw.
        """
        last = draws[-1]
        strata: list[SampleStratum] = []
        indexes: dict[str, int] = {}
        for table in last.strata:
            units: int = table["units"]
            drawn: int = table["drawn"]
            chance = table.get("chance")
            if chance is None:
                chance = drawn / units
            indexes[table["name"]] = len(strata)
            strata.append(SampleStratum(table["name"], units, drawn, float(chance)))

        drawn_units: list[DrawnUnit] = []
        for draw_no, draw in enumerate(draws):
            for unit in draw.drawn:
                keys = [(trace_id, epoch) for trace_id, epoch in unit["traces"]]
                index = indexes[unit["stratum"]]
                chance = strata[index].chance
                drawn_units.append(DrawnUnit(keys, index, chance, draw_no))
        return cls(last, strata, drawn_units)

    @property
    def waves(self) -> Sequence["Sample"]:
        """Each wave as a sample of its own, in order; the sample itself if it is a single one."""
        return self.several or (self,)

    @property
    def is_in_waves(self) -> bool:
        """Whether it has several waves, or one that was given a name."""
        return bool(self.several) or isinstance(self.last, WaveSampled)

    @property
    def name(self) -> str:
        """The name of the last wave; "first draw" if nobody gave it one."""
        return wave_name(self.last) or FIRST_WAVE

    @property
    def frame(self) -> int:
        """How many units could be drawn, in all waves together."""
        return sum(stratum.units for stratum in self.strata)

    def __len__(self) -> int:
        return len(self.units)

    @property
    def has_own_chances(self) -> bool:
        """Whether each unit was drawn by a chance of its own (the design "active").

        Chances depended on disagreement, and earlier versions drew so. Such units are weighted by
        the chances in the audit, and no units can be added to them.
        """
        return self.last.design == "active"

    @property
    def whole_stratum(self) -> int | None:
        """The index of the stratum that the design "giants" draws whole, 0; else None.

        It is None, too, for a sample of several waves, of which each has its own.
        """
        return 0 if self.last.design == GIANTS and not self.several else None

    @property
    def is_unequal(self) -> bool:
        """Whether some units had a better chance than others, by more than rounding explains.

        True if units were drawn by chances of their own. Otherwise the number drawn of each stratum
        is compared with what equal chances would give. It is true if these differences together are
        more than two units, and more than half a unit for each stratum. Small strata, of which at
        least two units are drawn, often lead to that.
        """
        if self.has_own_chances:
            return True
        drawn = sum(stratum.drawn for stratum in self.strata)
        share = drawn / self.frame
        total_deviation = sum(
            abs(stratum.drawn - share * stratum.units) for stratum in self.strata
        )
        left_by_rounding = max(2, len(self.strata) / 2)
        return total_deviation > left_by_rounding

    @property
    def done_word(self) -> str:
        """What is said of a unit that counts: "ruled on" in a blind sample, else "signed off"."""
        return "ruled on" if self.last.blind else "signed off"

    @property
    def describe(self) -> str:
        """The sample in one line, such as "simple random sample: 20 of 1,000, seed 7, blind".

        It has the design, the fields of the strata, the name of a named wave, the units and their
        frame, the seed, and "blind" or "sighted". For several waves it has their number and their
        names, units and frame of all together, and "blind" or "sighted". Of many waves only the
        first and the last are named.
        """
        mode = "blind" if self.last.blind else "sighted"
        units = f"{len(self):,}"
        if self.several:
            wave_count = len(self.several)
            frame = f"{self.frame:,}"
            names = [wave.name for wave in self.several]
            listed_names = ", ".join(names)
            if wave_count > MOST_WAVES_NAMED:
                listed_names = f"{names[0]} to {names[-1]}"
            return (
                f"random samples of {wave_count} waves ({listed_names}):"
                f" {units} of {frame}, {mode}"
            )

        design = DESIGNS[self.last.design]
        text = f"{design} random sample"
        if self.last.strata_by:
            text += " by " + " and ".join(self.last.strata_by)
        if self.is_in_waves:
            text += f", {self.name}"
        frame = f"{self.last.frame:,}"
        return f"{text}: {units} of {frame}, seed {self.last.seed}, {mode}"


def sample_of(facts: Sequence[DesignFact]) -> Sample | None:
    """Return the sample of all draws that were not withdrawn; None if there are none.

    `facts` are all facts of an audit, in order, free of `design_faults`. If the sample is in waves,
    a withdrawal takes only the last wave out.
    """
    draws = [
        fact.what for fact in of_this_sample(facts) if isinstance(fact.what, Sampled)
    ]
    return Sample.of(draws)


def reasons_of(sample: Sample | None) -> Reasons:
    """Return why only counts are shown of answers to the cells of a sample, blind and sighted ones.

    It is `SHOWN`, which has no reasons, without a sample and for one with equal chances. Of any
    other sample, blind answers are weighed only by bars on the judge, which is their reason.
    Sighted answers cannot be weighed, which is theirs; a sample that is drawn blind has no reason
    for them.
    """
    if sample is None or not sample.is_unequal:
        return SHOWN
    blind = (
        f"{UNEQUAL}: bars on the judge (judge.kappa, judge.agreement, …) weigh them."
    )
    if sample.last.blind:
        return Reasons(blind=blind)
    return Reasons(f"{UNEQUAL}: only answers given blind can be weighed.", blind)


def withdrawn_text(facts: Sequence[DesignFact]) -> Iterator[str]:
    """Yield a text for each withdrawal of a sample, in order.

    It is as "A sample was withdrawn before any verdict (Ada 2026-01-31; simple random sample: 20 of
    80, seed 7, blind). 3 cells had been begun." The last sentence is missing if none had been. Of a
    sample in waves it is about the last wave. All can then see who chose among samples.
    """
    for index, fact in enumerate(facts):
        if not isinstance(fact.what, Withdrawn):
            continue
        sample = sample_of(facts[:index])
        if sample is None:
            continue

        wave = sample.waves[-1]
        date = fact.at[:10]
        who = f"{fact.by} {date}".strip()
        text = f"A sample was withdrawn before any verdict ({who}; {wave.describe})."
        if fact.what.begun:
            cells = many(fact.what.begun, "cell")
            text += f" {cells} had been begun."
        yield text
