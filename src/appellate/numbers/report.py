"""What a report contains, as one value: a pure function of the audit, whose numbers are those of
`metrics`. Its texts are as the audit has them: each form makes them inert.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from statistics import fmean
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.breakdown import Breakdown, BreakdownSums, Reducer
from appellate.core.cell import STATES as IN_ORDER
from appellate.core.cell import Cell, reason_for, reason_of
from appellate.core.closing import Closing
from appellate.core.describe import NO_PLACE, describe, judge_name, members, undone_by
from appellate.core.design_facts import DesignFact, SecondPass, reasons_of, sample_of, to_body
from appellate.core.facts import (
    Adopted,
    Commented,
    Corrected,
    Drawn,
    Fact,
    Failed,
    Flagged,
    Planted,
    Proposed,
    Revised,
    Ruled,
    Shown,
    SignedOff,
    Undrawn,
    What,
    Withheld,
)
from appellate.core.kind import Figures, Measure
from appellate.core.pace import PaceTally, tally
from appellate.core.scale import part_of, parts
from appellate.core.totals import AS_THEY_STAND, SIDES, SIGNED_OFF, by_side, standing_and_judge
from appellate.core.trace import name_of
from appellate.numbers.judge_page import Change, Sides, TraitNumbers, less
from appellate.numbers.samples import SampleNumbers, drawable_units, hand_edits_in, sampled_in
from appellate.numbers.suspicions import Suspicions, suspicions
from appellate.store.audits.audit import Audit, AuditedCell
from appellate.store.breakdowns import words_of

FORMAT = "appellate-report/2"
USUAL_REDUCERS: tuple[Reducer, ...] = ("mean",)
BINS = 10
STATES = IN_ORDER[::-1]  # the furthest first


# -- what the numbers rest on ---------------------------------------------------------------------

_USED_FOR = {
    "sarndal1992": "the difference estimate: the judge on all, corrected by people on the sample",
    "angelopoulos2023ppi": "the same with what a model says",
    "angelopoulos2023ppiplus": "the weight of the judge",
    "johnson1978": "intervals moved by the skewness of the residuals",
    "agresti1998": "pseudo-observations, so that agreement throughout has an interval",
    "neyman1934": "how many are drawn of each stratum",
    "zrnic2024": "chances of being drawn that go by the judges' disagreement",
    "dunn1961": "the level divided among the looks",
    "cohen1960": "kappa",
    "gwet2008": "AC1",
}
_ESTIMATES = tuple(_USED_FOR)[:5]
_KEY = re.compile(r"@\w+\{(\w+),")


class Reference(Struct, frozen=True):
    """One work: its key in BibTeX, what of it is used here, and the entry."""

    key: str
    used_for: str
    entry: str


def references(wanted: Iterable[str]) -> list[Reference]:
    """The works of these keys, in an order of ours."""
    text = files("appellate.numbers").joinpath("references.bib").read_text("utf-8")
    entries: dict[str, str] = {}
    for entry in text.strip().split("\n\n"):
        key = _KEY.match(entry)
        if key:
            entries[key[1]] = entry
    known = set(wanted)
    return [
        Reference(key, used_for, entries[key])
        for key, used_for in _USED_FOR.items()
        if key in known
    ]


ENOUGH_AUDITS = 60
"""Audits from which 95 % intervals hold the truth in 93 to 97 of 100 (simulated)."""


class JudgeUsed(Struct):
    """A judge with one prompt over `cells`; `prompts` are fingerprints of what was sent first."""

    name: str
    template_sha256: str
    parameters: Mapping[str, Any]
    members: Sequence[str]
    cells: int = 0
    prompts: dict[str, None] = field(default_factory=dict)
    shown: int = 0
    traits: dict[str, None] = field(default_factory=dict)


def _judges(audit: Audit) -> list[JudgeUsed]:
    """Who judged, in the order of the cells, by everything that makes judges different."""
    found: dict[str, JudgeUsed] = {}
    for audited in audit.cells:
        if audited.cell.judge is None:
            continue
        record = audited.cell.judge.judge
        voices = [voice.name for voice in members(record)]
        name = judge_name(record)
        if voices:
            name = str(record.get("name") or "panel")
        parameters = dict(sorted(record.get("parameters", {}).items()))
        used = JudgeUsed(name, str(record.get("template_sha256") or ""), parameters, voices)
        key = json.dumps([used.name, used.template_sha256, used.parameters, used.members])
        used = found.setdefault(key, used)
        used.cells += 1
        used.traits[audited.cell.subject.trait.name] = None
        used.shown = max(used.shown, len(record.get("examples", ())))
        prompt = record.get("prompt_sha256")
        if prompt:
            used.prompts[str(prompt)] = None
    return list(found.values())


def design_table(fact: DesignFact) -> dict[str, Any]:
    """What happened to the audit, for programs."""
    act, body = to_body(fact.what)
    return {"n": fact.n, "at": fact.at, "by": fact.by, "act": act, **body}


# -- the report -----------------------------------------------------------------------------------


class CellPlace(NamedTuple):
    """Which cell is meant."""

    trace: str
    epoch: int
    trait: str

    @property
    def at(self) -> str:
        """The trace, with its epoch where it is not the first."""
        return name_of(self.trace, self.epoch)


class TraitReport(TraitNumbers, frozen=True, kw_only=True):
    """One trait name over every question that has it, and by measure and side (`totals.SIDES`) how
    many cells are in which part of the scale. `hidden` cells are still to be ruled on blind, and in
    none of the `states`.
    """

    hidden: int
    states: Mapping[str, int]
    spread: Mapping[str, Mapping[str, Sequence[int]]]

    @property
    def signed(self) -> int:
        """How many cells are signed off."""
        return self.states["reviewed"]

    @property
    def unsigned(self) -> int:
        """How many cells have labels that nobody signed off."""
        return self.states["proposed"] + self.states["corrected"]


class ActReport(Struct, frozen=True):
    """One act on one cell: who did what, when and why, who took it back, and whether it is in the
    labels for all that.

    `left` where a later proposal had no place for it, `replaced` where other labels came in whole.
    """

    n: int
    at: str
    by: str
    place: CellPlace
    did: str
    reason: str = ""
    undone_by: str = ""
    left: bool = False
    replaced: bool = False

    @property
    def fate(self) -> str:
        """What became of an act that does not stand, but for who took it back."""
        if self.undone_by:
            return "undone by "
        if self.left:
            return NO_PLACE
        if self.replaced:
            return "superseded by later labels"
        return ""


class FailedCell(Struct, frozen=True):
    """A cell where the judge failed last, and how the cell stands now."""

    place: CellPlace
    state: str
    at: str
    error: str


class UntoldVerdict(Struct, frozen=True):
    """A verdict that it cannot be told: of which cell, who says so, and why."""

    place: CellPlace
    by: str
    why: str


class Amiss(Struct, frozen=True):
    """What is wrong in a cell's labels: excerpts that are not there, and inconsistencies."""

    place: CellPlace
    unverified: int
    breaches: tuple[str, ...]


class ClosingWords(Struct, frozen=True):
    """What the labels of a cell come to in words, and whose labels these are."""

    place: CellPlace
    labels: str
    closing: Closing


class CellMeasure(Struct, frozen=True):
    """One metric of one cell, None for 0/0 or without labels; `verdict` was ruled blind."""

    metric: str
    standing: float | None
    judge: float | None
    verdict: float | None = None


class CellReport(Struct, frozen=True):
    """One cell in numbers; `groups` are those of its trace, where numbers are by groups.

    `sampled` is "" outside the sample; in it "sighted", or in a blind one "hidden" and then
    "ruled", or "unsettled" where what was read was changed since. `differs` is in words the first
    instruction that people answered otherwise than the judge.
    """

    place: CellPlace
    question_id: str
    model: str
    cluster: str
    groups: tuple[str, ...]
    judged_by: str
    round: int | None
    state: str
    flagged: bool
    signed_by: str
    signed_at: str
    sampled: str
    corrections: int
    counts: Mapping[str, Mapping[str, int]]
    words: Mapping[str, Mapping[str, str]]
    figures: tuple[CellMeasure, ...]
    differs: str = ""


class Reviewer(Struct, frozen=True):
    """What one person did that is in force, and what was undone; `ruled` are the sign-offs that
    were blind verdicts.
    """

    name: str
    corrections: int
    signed_off: int
    ruled: int
    comments: int
    undone: int
    first: str
    last: str
    pace: PaceTally
    again: Mapping[str, Any]


class Report(Struct, frozen=True):
    """The whole of an audit. Of cells whose judge is hidden it has what may show; `withheld` are
    those with more, done in sight of the judge. These `hidden` cells are in none of the `states`;
    in `blind` ones people ruled before they saw the judge. `sample` is None where nothing was drawn
    at random of the `drawable`.
    """

    audit: Audit
    rubric: str
    by: str
    hidden: int
    blind: int
    states: Mapping[str, int]
    judges: tuple[tuple[str, int], ...]
    reviewers: tuple[Reviewer, ...]
    traits: tuple[TraitReport, ...]
    cells: tuple[CellReport, ...]
    corrections: tuple[ActReport, ...]
    comments: tuple[ActReport, ...]
    flags: tuple[ActReport, ...]
    failures: tuple[FailedCell, ...]
    amiss: tuple[Amiss, ...]
    closings: tuple[ClosingWords, ...]
    withheld: int
    examples: int
    revised: int
    sample: SampleNumbers | None
    drawable: int
    judges_used: Sequence[JudgeUsed]
    suspicions: Suspicions
    untold: tuple[UntoldVerdict, ...] = ()

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """Those of the corrections in force, with how often each is given, the commonest first."""
        return Counter(act.reason for act in self.corrections if not act.fate).most_common()

    @property
    def sound_sample(self) -> SampleNumbers | None:
        """The numbers of the sample, unless it does not agree with itself."""
        if self.sample is None or self.sample.at.wanting:
            return None
        return self.sample

    @property
    def references(self) -> list[Reference]:
        """The works that the methods in use are from."""
        used = ["cohen1960", "gwet2008"]
        if self.sample is not None:
            sample = self.sample.at.sample
            used += _ESTIMATES
            if sample.last.strata_by:
                used.append("neyman1934")
            if sample.has_own_chances:
                used.append("zrnic2024")
            if self.sample.gates:
                used.append("dunn1961")
        return references(used)

    @property
    def signed(self) -> list[CellReport]:
        """The cells that are signed off, in the order of signing."""
        signed = [cell for cell in self.cells if cell.signed_by]
        return sorted(signed, key=lambda cell: cell.signed_at)

    @property
    def signers(self) -> list[str]:
        """Who signed cells off, in their order."""
        return list(dict.fromkeys(cell.signed_by for cell in self.cells if cell.signed_by))

    @property
    def undone(self) -> int:
        return sum(bool(act.undone_by) for act in self.corrections)

    @property
    def gone(self) -> int:
        """How many corrections are not in the labels, though nobody undid them."""
        return sum(act.left or act.replaced for act in self.corrections)


def report(audit: Audit, by: str = "", reducers: Sequence[Reducer] = USUAL_REDUCERS) -> Report:
    """Everything there is to say about an audit; numbers also by groups of traces."""
    audited_cells = [replace(audited, cell=audited.cell.shown) for audited in audit.cells]
    acts = _acts(audited_cells)
    seeing = [(fact, one) for fact, one in acts if not one.cell.is_unseeing(fact)]
    states = _states(audited.cell for audited in audit.cells)
    judges: Counter[str] = Counter()
    examples = revised = 0
    for audited in audit.cells:
        cell = audited.cell
        examples += cell.example
        revised += bool(cell.revised)
        if cell.judge:
            name = _judge(cell)
            if cell.round > 1:
                name += f" · round {cell.round}"
            judges[name] += 1
    sample = sampled_in(audit, by)
    edits: Sequence[str] = ()
    if sample is None:
        edits = hand_edits_in(audit).faults
    return Report(
        audit=audit,
        rubric=audit.rubric.name or "",
        by=by,
        hidden=len(audited_cells) - sum(states.values()),
        blind=sum(audited.cell.ruled_blind for audited in audited_cells),
        states=states,
        judges=tuple(sorted(judges.items())),
        reviewers=tuple(reviewers(_acts(audit.cells), audit.design)),
        traits=tuple(map(_trait, by_trait(audit), broken_down(audit, by, reducers))),
        cells=tuple(_cell(audited, by) for audited in audited_cells),
        corrections=_describe(seeing, Corrected, Adopted),  # a ruling corrects nobody
        comments=_describe(acts, Commented),
        flags=tuple(_flags(audited_cells)),
        failures=tuple(_failures(audited_cells)),
        untold=tuple(_untold(audited_cells)),
        amiss=tuple(_amiss(audited_cells)),
        closings=tuple(_closings(audit.cells)),
        withheld=len({act.place for act in _describe(acts, Withheld)}),
        examples=examples,
        revised=revised,
        sample=sample,
        drawable=drawable_units(audit),
        judges_used=_judges(audit),
        suspicions=suspicions(audit.cells, edits),
    )


# -- cells ----------------------------------------------------------------------------------------


def _place(audited: AuditedCell) -> CellPlace:
    return CellPlace(*audited.trace.key, audited.cell.subject.trait.name)


def _cell(audited: AuditedCell, by: str) -> CellReport:
    cell, trace = audited.cell, audited.trace
    standing, judge = standing_and_judge(cell)
    counts, words = {}, {}
    for side, figures in (("standing", standing), ("judge", judge)):
        if figures:
            counts[side] = dict(figures.counts)
            words[side] = dict(figures.words)
    verdict = cell.verdict_figures
    signed_by = signed_at = ""
    if cell.signed:
        signed_by, signed_at = cell.signed.by, cell.signed.at
    measures = cell.subject.kind.measures(cell.subject.trait)
    names = dict.fromkeys(measure.name for measure in measures)
    return CellReport(
        place=_place(audited),
        question_id=trace.question_id or "",
        model=trace.model or "",
        cluster=trace.cluster or "",
        groups=tuple(words_of(trace, by)),
        judged_by=_judge(cell),
        round=cell.round or None,
        state=cell.state,
        flagged=cell.flag,
        signed_by=signed_by,
        signed_at=signed_at,
        sampled=_sampled(cell),
        corrections=_corrections(cell),
        counts=counts,
        words=words,
        figures=tuple(
            CellMeasure(name, *(_value(figures, name) for figures in (standing, judge, verdict)))
            for name in names
        ),
        differs=_differs(cell),
    )


def _differs(cell: Cell) -> str:
    """The first instruction that a person who ruled or signed answered otherwise, and how."""
    if cell.hidden or not cell.signed:
        return ""
    judged = cell.judge_answers
    for one, answer in (cell.verdict_answers or cell.answers).items():
        if judged.get(one, answer) != answer:
            return f"“{one.text}”: people say {answer}, the judge {judged[one]}"
    return ""


def _corrections(cell: Cell) -> int:
    return sum(fact.n in cell.edits and not cell.is_unseeing(fact) for fact in cell.facts)


def _sampled(cell: Cell) -> str:
    if cell.drawn is None:
        return ""
    if not cell.is_blind:
        return "sighted"
    if cell.lapsed:
        return "unsettled"
    return "hidden" if cell.hidden else "ruled"


def _value(figures: Figures | None, measure: str) -> float | None:
    if figures is None or measure in figures.undefined:
        return None
    return figures.values.get(measure)


def _judge(cell: Cell) -> str:
    if not cell.judge:
        return ""
    record = cell.judge.judge
    named = filter(None, (record.get("name"), record.get("model")))
    return " · ".join(dict.fromkeys(map(str, named)))


def _failures(cells: Iterable[AuditedCell]) -> Iterator[FailedCell]:
    for audited in cells:
        failure = audited.cell.failure
        if failure and isinstance(failure.what, Failed):
            yield FailedCell(_place(audited), audited.cell.state, failure.at, failure.what.error)


def _untold(cells: Iterable[AuditedCell]) -> Iterator[UntoldVerdict]:
    """What people could not tell, as it stands, then what the judge of the same cell could not;
    nothing of cells whose judge is hidden.
    """
    for audited in cells:
        cell = audited.cell
        kind, trait = cell.subject.kind, cell.subject.trait
        untold = kind.untold(trait)
        if not untold or cell.hidden or cell.labels is None:
            continue
        is_persons = cell.signed is not None or bool(cell.edits) or cell.base is None
        if is_persons and not untold.isdisjoint(cell.answers.values()):
            yield UntoldVerdict(_place(audited), *_said_by_a_person(cell))
        for asked, answer in cell.judge_answers.items():
            if answer in untold:
                why = ""
                if kind.answering:
                    why = kind.answering.grounds(trait, cell.judge_labels, asked).reason
                yield UntoldVerdict(_place(audited), _judge(cell), why)


def _said_by_a_person(cell: Cell) -> tuple[str, str]:
    """Who gave the labels that stand, and why."""
    why = ""
    by = cell.signed.by if cell.signed else ""
    for fact in cell.facts:
        if fact.n in cell.edits:
            by = fact.by
            why = reason_for(cell, fact.n)
    return by, why


def _amiss(cells: Iterable[AuditedCell]) -> Iterator[Amiss]:
    for audited in cells:
        cell = audited.cell
        unverified = cell.unverified
        breaches = tuple(cell.breaches())
        if unverified or breaches:
            yield Amiss(_place(audited), unverified, breaches)


def _closings(cells: Iterable[AuditedCell]) -> Iterator[ClosingWords]:
    """What cells come to in words, those of which most falls short first; nothing of those whose
    judge is hidden.
    """
    found: list[ClosingWords] = []
    for audited in cells:
        cell = audited.cell
        if cell.labels is None or cell.hidden:
            continue
        closing = cell.subject.kind.closing(cell.subject.trait, cell.labels)
        if closing is None:
            continue
        labels = "as they are now"
        if cell.signed:
            labels = "signed off"
        elif cell.state == "proposed":
            labels = "the judge's"
        found.append(ClosingWords(_place(audited), labels, closing))
    yield from sorted(found, key=lambda one: -len(one.closing.gaps))


# -- people ---------------------------------------------------------------------------------------


def _acts(cells: Iterable[AuditedCell]) -> list[tuple[Fact, AuditedCell]]:
    """What people did to single cells, in the order it happened."""
    others = Proposed | Failed | Shown | Drawn | Undrawn | Revised | Planted
    done = []
    for audited in cells:
        own = [fact for fact in audited.cell.facts if not isinstance(fact.what, others)]
        done += [(fact, audited) for fact in own]
    return sorted(done, key=lambda act: act[0].n)


def _describe(
    acts: Iterable[tuple[Fact, AuditedCell]], *whats: type[What]
) -> tuple[ActReport, ...]:
    """The acts of certain types."""
    return tuple(_act(fact, audited) for fact, audited in acts if isinstance(fact.what, whats))


def _act(fact: Fact, audited: AuditedCell) -> ActReport:
    cell = audited.cell
    did = describe(cell, fact)
    if isinstance(fact.what, Commented):
        did = fact.what.text
    undone, left = undone_by(cell, fact), fact.n in cell.orphaned
    gone = not undone and not stands(fact, cell)
    return ActReport(
        fact.n,
        fact.at,
        fact.by,
        _place(audited),
        did,
        reason=reason_of(cell, fact),
        undone_by=undone,
        left=gone and left,
        replaced=gone and not left,
    )


def _flags(cells: Iterable[AuditedCell]) -> Iterator[ActReport]:
    for one in cells:
        cell = one.cell
        up = [fact for fact in cell.facts if fact.what == Flagged(True)]
        if cell.flag:
            yield _act([fact for fact in up if fact.n not in cell.undone][-1], one)


# -- traits ---------------------------------------------------------------------------------------


def _trait(audited: Sequence[AuditedCell], numbers: Breakdown) -> TraitReport:
    cells = [one.cell for one in audited]
    states = _states(cells)
    measured = list(map(by_side, cells))
    spread: dict[str, dict[str, Sequence[int]]] = {}
    changes: dict[str, dict[Sides, Change]] = {}
    for measure in numbers.measures:
        name = measure.name
        spread[name] = {side: _spread(measure, measured, side) for side in SIDES}
        changes[name] = {of: _change(measure, measured, of) for of in (SIGNED_OFF, AS_THEY_STAND)}
    hidden = len(cells) - sum(states.values())
    return TraitReport(
        numbers=numbers, changes=changes, hidden=hidden, states=states, spread=spread
    )


def _change(measure: Measure, measured: Sequence[Mapping[str, Figures]], of: Sides) -> Change:
    """What people's side has more than the judge's, over the cells that are on both."""
    people: Counter[str] = Counter()
    judge: Counter[str] = Counter()
    apart: list[float] = []
    for cell in measured:
        if not cell.keys() >= {*of}:
            continue
        mine, its = cell[of[0]], cell[of[1]]
        people.update(mine.counts)
        judge.update(its.counts)
        by = less(_value(mine, measure.name), _value(its, measure.name))
        if by is not None:
            apart.append(by)
    macro = fmean(apart) if apart else None
    if measure.pool is None:
        return Change(macro, macro, len(apart))
    return Change(less(measure.pool(people), measure.pool(judge)), macro, len(apart))


def _states(cells: Iterable[Cell]) -> dict[str, int]:
    """How many cells are in which state, but for those that are still to be ruled on blind."""
    found = Counter(cell.state for cell in cells if not cell.hidden)
    return {state: found[state] for state in STATES}


def _spread(
    measure: Measure, measured: Sequence[Mapping[str, Figures]], side: str
) -> Sequence[int]:
    """How many cells are in each part of the measure's scale, where it is defined."""
    found = [0] * parts(measure, BINS)
    for cell in measured:
        value = _value(cell.get(side), measure.name)
        if value is not None:
            found[part_of(measure, value, len(found))] += 1
    return found


# -- who reviewed ---------------------------------------------------------------------------------


def reviewers(
    acts: Sequence[tuple[Fact, AuditedCell]], design: Iterable[DesignFact]
) -> Iterator[Reviewer]:
    """Who reviewed, by name; `again` is what their latest second pass came to."""
    again: dict[str, Mapping[str, Any]] = {}
    for passed in design:
        if isinstance(passed.what, SecondPass):
            again[passed.what.reviewer] = passed.what.outcome
    by: dict[str, list[tuple[Cell, Fact]]] = {}
    for fact, audited in acts:
        by.setdefault(fact.by, []).append((audited.cell, fact))
    for name, own in sorted(by.items()):
        stand: Counter[type] = Counter()
        undone = 0
        for cell, fact in filter(_is_shown, own):
            stand[type(fact.what)] += stands(fact, cell)
            undone += fact.n in cell.undone
        moments = [fact.at for _, fact in own]
        yield Reviewer(
            name,
            corrections=stand[Corrected] + stand[Adopted],
            signed_off=stand[SignedOff] + stand[Ruled],
            ruled=sum(isinstance(fact.what, Ruled) for _, fact in own),
            comments=stand[Commented],
            undone=undone,
            first=min(moments),
            last=max(moments),
            pace=tally(own),
            again=again.get(name, {}),
        )


def _is_shown(act: tuple[Cell, Fact]) -> bool:
    """Whether it is an act, but no step to a ruling."""
    cell, fact = act
    if isinstance(fact.what, Corrected | Adopted):
        return not cell.is_unseeing(fact)
    return fact.is_act


def stands(fact: Fact, cell: Cell) -> bool:
    """Whether an act holds: nobody undid it, nothing replaced it, no edit followed a sign-off."""
    match fact.what:
        case Corrected() | Adopted():
            return fact.n in cell.edits
        case SignedOff():
            return cell.signed is not None and cell.signed.n == fact.n
        case Ruled():
            return cell.ruled is not None and cell.ruled.n == fact.n
        case _:
            return fact.n not in cell.undone


# -- trait by trait -------------------------------------------------------------------------------


def by_trait(audit: Audit) -> list[list[AuditedCell]]:
    """The cells of each trait name, over every question that has a trait of this name and kind."""
    found: dict[tuple[str, str], list[AuditedCell]] = {}
    for audited in audit.cells:
        subject = audited.cell.subject
        found.setdefault((subject.trait.name, subject.kind.name), []).append(audited)
    return list(found.values())


def broken_down(
    audit: Audit, by: str = "", reducers: Sequence[Reducer] = USUAL_REDUCERS
) -> list[Breakdown]:
    """What the cells of each trait name come to."""
    found, reasons = [], reasons_of(sample_of(audit.design))
    for cells in by_trait(audit):
        sums = BreakdownSums(cells[0].cell.subject.kind, by, reducers, reasons)
        for audited in cells:
            sums.add(audited.cell, words_of(audited.trace, by))
        found.append(sums.breakdown())
    return found
