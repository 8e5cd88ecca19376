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

from appellate.core.breakdown import Breakdown, Reducer
from appellate.core.cell import STATES as IN_ORDER
from appellate.core.cell import Cell, reason_for, reason_of
from appellate.core.closing import Closing
from appellate.core.describe import NO_PLACE, describe, judge_name, members, undone_by
from appellate.core.design_facts import DesignFact, SecondPass, to_body
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
    written_as,
)
from appellate.core.kind import Figures, Measure, TraitKey
from appellate.core.pace import PaceAct, PaceTally, pace_act, tally
from appellate.core.totals import (
    AS_THEY_STAND,
    SIGNED_OFF,
    Side,
    by_side,
    standing_and_judge,
)
from appellate.core.trace import TraceKey, name_of
from appellate.core.transcript import question_of
from appellate.numbers.digests import DigestCheck, check_digest
from appellate.numbers.first_sentence import first_sentences
from appellate.numbers.gold_verdict import GoldVerdict
from appellate.numbers.judge_page import Change, Sides, TraitNumbers, less
from appellate.numbers.readings import MixedReading, ReadingCounts
from appellate.numbers.samples import (
    SampleCount,
    SampleNumbers,
    hand_edits_in,
    sample_numbers,
)
from appellate.numbers.sharing import SharedValues
from appellate.numbers.suspicions import Suspicions, SuspicionSearch
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.audit import AuditedCell
from appellate.store.breakdowns import BreakdownCount, words_of
from appellate.store.samples.drawn_as import SampleDigest

FORMAT = "appellate-report/2"
USUAL_REDUCERS: tuple[Reducer, ...] = ("mean",)
STATES = IN_ORDER[::-1]  # the furthest first
READ_TEXT = 160
"""Characters that are kept of a question and of a response, for the table of examples."""


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


def references(wanted_keys: Iterable[str]) -> list[Reference]:
    """Return the works with these keys, in the order of `_USED_FOR`; unknown keys are left out.

    They are read from the package's `references.bib`. Each work comes once.
    """
    text = files("appellate.numbers").joinpath("references.bib").read_text("utf-8")
    entries: dict[str, str] = {}
    for entry in text.strip().split("\n\n"):
        key = _KEY.match(entry)
        if key:
            entries[key[1]] = entry
    keys = set(wanted_keys)
    return [
        Reference(key, used_for, entries[key])
        for key, used_for in _USED_FOR.items()
        if key in keys
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


def _use_judge(judges: dict[str, JudgeUsed], cell: Cell) -> None:
    """Count a cell for its judge in `judges`; a cell without a judge changes nothing.

    Judges are told apart by name, template, parameters and members; a judge that is new gets an
    entry. A panel is one judge. Noted are also the cell's trait, the sha256 of the prompt that was
    sent, and the most examples that were shown with one cell.
    """
    if cell.judge is None:
        return
    record = cell.judge.judge
    name = judge_name(record)
    members_of_panel = [member.name for member in members(record)]
    if members_of_panel:
        name = str(record.get("name") or "panel")
    template = str(record.get("template_sha256") or "")
    parameters = dict(sorted(record.get("parameters", {}).items()))
    key = json.dumps([name, template, parameters, members_of_panel])
    used = judges.get(key)
    if used is None:
        used = JudgeUsed(name, template, parameters, members_of_panel)
        judges[key] = used
    used.cells += 1
    used.traits[cell.subject.trait.name] = None
    example_count = len(record.get("examples", ()))
    used.shown = max(used.shown, example_count)
    prompt = record.get("prompt_sha256")
    if prompt:
        used.prompts[str(prompt)] = None


def design_table(fact: DesignFact) -> dict[str, Any]:
    """Return what happened to the audit as a whole, as plain data: n, at, by, act and its details.

    "n" is the fact's number and "at" the time. The details are keys of their own. "as" is "agent"
    for what an agent did, and is not there for a person.
    """
    act, body = to_body(fact.what)
    envelope = {"n": fact.n, "at": fact.at, "by": fact.by}
    return {**envelope, **written_as(as_agent=fact.as_agent), "act": act, **body}


# -- the report -----------------------------------------------------------------------------------


class CellPlace(NamedTuple):
    """Which cell is meant."""

    trace: str
    epoch: int
    trait: str

    @property
    def at(self) -> str:
        """The trace, with its epoch if that is not the first."""
        return name_of(self.trace, self.epoch)


class ReadTexts(Struct, frozen=True):
    """The beginning of what people read in a cell, for an example; "" for what is not there."""

    question: str
    response: str
    trait: TraitKey


class TraitReport(TraitNumbers, frozen=True, kw_only=True):
    """One trait name over every question that has it.

    `hidden` cells are still to be ruled on blind, and in none of the `states`.
    """

    hidden: int
    states: Mapping[str, int]

    @property
    def spread(self) -> Mapping[str, Mapping[str, Sequence[int]]]:
        """How many cells are in each part of a measure's scale, by measure and side."""
        return self.numbers.spread

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
        """What became of a correction or another act that is not in force; "" for one that is.

        It is "undone by " with a space at its end, for the name of who undid it. Otherwise it says
        that later labels have no place for it, or that they superseded it.
        """
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

    @property
    def both(self) -> tuple[float, float] | None:
        """People's number and the judge's, in this order; None if one is missing.

        People's is that of a blind verdict, or else of the current labels, signed off or not.
        """
        people = self.standing if self.verdict is None else self.verdict
        if people is None or self.judge is None:
            return None
        return people, self.judge


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
    """What one person or agent did that is in force, and what was undone; `ruled` are all blind
    verdicts, also those that a later one replaced.
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
    as_agent: bool = False
    """Whether it is an agent, whose labels count only once a person signed them off."""


class Report(Struct, frozen=True):
    """The whole of an audit. Of cells whose judge is hidden it has what may show; `withheld` are
    those with more, done in sight of the judge. These `hidden` cells are in none of the `states`;
    in `blind` ones people ruled before they saw the judge. `sample` is None where nothing was drawn
    at random of the `drawable`.
    """

    rubric: str
    rubric_sha256: str
    saved: str | None
    """When the last thing happened, ISO 8601; None before anything did."""
    version: str
    """The version of the program that made the audit."""
    trace_count: int
    design: Sequence[DesignFact]
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
    mixed: Sequence[MixedReading]
    """Traits whose numbers pool labels about several texts of a trace."""
    untold: tuple[UntoldVerdict, ...] = ()
    digest: DigestCheck | None = None
    """Whether the digest that was given still holds; None if none was given."""
    gold: GoldVerdict | None = None
    """What the check of a gold set came to; None if none was given."""
    read_texts: Mapping[CellPlace, ReadTexts] = {}
    """The texts of the cells that people corrected, or where their numbers are not the judge's."""

    @property
    def is_census(self) -> bool:
        """Whether all cells are signed off and there is no sample; False without cells."""
        is_all_signed = self.states["reviewed"] == len(self.cells)
        return self.sample is None and bool(self.cells) and is_all_signed

    @property
    def reasons(self) -> list[tuple[str, int]]:
        """The reasons of corrections in force, each with how often it is given, commonest first.

        "" is for those without a reason. Equally common ones are in the order of the corrections.
        """
        return Counter(
            act.reason for act in self.corrections if not act.fate
        ).most_common()

    @property
    def sound_sample(self) -> SampleNumbers | None:
        """The numbers of the sample; None without one, and if it does not agree with itself."""
        if self.sample is None or self.sample.audit.wanting:
            return None
        return self.sample

    @property
    def first_sentences(self) -> list[str]:
        """What the audit comes to, in a few sentences; never empty.

        They are of the sample if it agrees with itself and something in it is ruled on, else of
        what is signed off.
        """
        traits = [trait.numbers for trait in self.traits]
        return first_sentences(traits, self.sound_sample)

    @property
    def references(self) -> list[Reference]:
        """The works that the methods in use are from, in the order of the list of works.

        Those of kappa and AC1 are always there; those of estimates, strata, chances and looks where
        the sample has such.
        """
        used = ["cohen1960", "gwet2008"]
        if self.sample is not None:
            sample = self.sample.audit.sample
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
        """The cells that are signed off, in the order in which they were signed off.

        Of a cell that was signed off several times the sign-off that counts now decides.
        """
        signed = [cell for cell in self.cells if cell.signed_by]
        return sorted(signed, key=lambda cell: cell.signed_at)

    @property
    def signers(self) -> list[str]:
        """The names of who signed cells off, each once, in the order of the cells."""
        return list(
            dict.fromkeys(cell.signed_by for cell in self.cells if cell.signed_by),
        )

    @property
    def undone(self) -> int:
        """How many corrections somebody undid."""
        return sum(bool(act.undone_by) for act in self.corrections)

    @property
    def gone(self) -> int:
        """How many corrections are not in the labels, though they were not undone.

        Later labels replaced them, or have no place for them.
        """
        return sum(act.left or act.replaced for act in self.corrections)


def report(
    audit: AnyAudit,
    by: str = "",
    reducers: Sequence[Reducer] = USUAL_REDUCERS,
    drawn_as: str = "",
) -> Report:
    """Return all that is to be said about an audit.

    Numbers are also by the groups of traces that `by` names; "" for no groups. Epochs are reduced
    by each of `reducers`. `drawn_as` is a digest that somebody kept, "" for none. What a hidden
    judge said is left out. The audit's cells are read once, and some of it again for its history;
    nothing is changed. Raises ValueError for a plan of looks whose bar cannot be read.
    """
    numbers = BreakdownCount(audit, by, reducers)
    sampled = SampleCount(audit, by)
    seen = _SeenCells(by)
    for audited in audit.cells:
        numbers.add(audited)
        sampled.add(audited)
        seen.add(audited)
    states: Counter[str] = Counter()
    for trait in seen.traits.values():
        states.update(trait.states)
    sample: SampleNumbers | None = None
    audited_sample = sampled.audited_sample()
    if audited_sample is not None:
        sample = sample_numbers(audited_sample)
    return Report(
        rubric=audit.rubric.name or "",
        rubric_sha256=audit.rubric.sha256(),
        saved=audit.saved,
        version=audit.version,
        trace_count=len(audit.traces),
        design=audit.design,
        by=by,
        hidden=len(seen.cells) - states.total(),
        blind=seen.blind,
        states={state: states[state] for state in STATES},
        judges=tuple(sorted(seen.judges.items())),
        reviewers=tuple(_reviewers(seen.acts, audit.design)),
        traits=tuple(seen.trait_reports(numbers.breakdowns())),
        cells=tuple(seen.cells),
        corrections=tuple(sorted(seen.corrections, key=_number)),
        comments=tuple(sorted(seen.comments, key=_number)),
        flags=tuple(seen.flags),
        failures=tuple(seen.failures),
        untold=tuple(seen.untold),
        amiss=tuple(seen.amiss),
        closings=tuple(sorted(seen.closings, key=_by_gaps)),
        withheld=len(seen.withheld),
        examples=seen.examples,
        revised=seen.revised,
        sample=sample,
        drawable=seen.drawable,
        judges_used=list(seen.judges_used.values()),
        suspicions=seen.suspicions.gathered(_edits(audit, sample)),
        mixed=seen.readings.mixed(),
        digest=_digest(sample, drawn_as),
        read_texts=seen.read_texts,
    )


def _edits(audit: AnyAudit, sample: SampleNumbers | None) -> Sequence[str]:
    """Return what the history of an audit tells of edits by hand, in clauses; empty if nothing.

    With a sample it is always empty, since the sample tells it with its numbers.
    """
    if sample is not None:
        return ()
    return hand_edits_in(audit).faults


def _digest(sample: SampleNumbers | None, drawn_as: str) -> DigestCheck | None:
    """Return whether the digest that was given is one of the sample; None if none was given.

    Without a sample it does not hold. The answer has a sentence that says why.
    """
    if not drawn_as:
        return None
    digests: Sequence[SampleDigest] = ()
    if sample is not None:
        digests = sample.audit.digests
    return check_digest(digests, drawn_as)


class _SeenCells:
    """What the cells of an audit have for its report, gathered one after the other."""

    def __init__(self, by: str) -> None:
        """Begin without cells.

        `by` names the groups of traces that each cell tells, "" for none.
        """
        self._group_by = by
        self.traits: dict[TraitKey, _SeenTrait] = {}
        self._has_example: dict[TraceKey | str, bool] = {}
        """Whether a judge was shown a trace of a unit, which is a cluster or else a trace."""
        self.acts: list[_PersonAct] = []
        self.corrections: list[ActReport] = []
        """Those that may be told, and no steps to a ruling, which corrects nobody."""
        self.comments: list[ActReport] = []
        self.withheld: set[CellPlace] = set()
        """The cells with acts that are not told while their judge is hidden."""
        self.cells: list[CellReport] = []
        self._figures = SharedValues[CellReport]()
        """Cells of which others share what they measure."""
        self._breaches = SharedValues[str]()
        self.read_texts: dict[CellPlace, ReadTexts] = {}
        """Those of cells that may be examples of where the judge errs."""
        self.flags: list[ActReport] = []
        self.failures: list[FailedCell] = []
        self.untold: list[UntoldVerdict] = []
        self.amiss: list[Amiss] = []
        self.closings: list[ClosingWords] = []
        self.judges: Counter[str] = Counter()
        self.judges_used: dict[str, JudgeUsed] = {}
        self.suspicions = SuspicionSearch()
        self.readings = ReadingCounts()
        self.blind = 0
        self.examples = 0
        self.revised = 0

    def add(self, audited: AuditedCell) -> None:
        """Gather what one cell has for the report, and nothing that a hidden judge said.

        That is its numbers, acts, corrections, comments, flag, failures, what is wrong in its
        labels, what is suspicious, and who judged it. Cells of one trace must come one after the
        other.
        """
        cell = audited.cell
        subject = cell.subject
        shown_cell = replace(audited, cell=cell.shown)
        self.traits.setdefault(subject.trait_key, _SeenTrait()).add(cell)
        unit = audited.trace.cluster or audited.trace.key
        self._has_example[unit] = self._has_example.get(unit, False) or cell.example
        self.acts += _acts(cell)
        for fact in shown_cell.cell.facts:
            match fact.what:
                case Corrected() | Adopted() if not shown_cell.cell.is_unseeing(fact):
                    self.corrections.append(_act(fact, shown_cell))
                case Commented():
                    self.comments.append(_act(fact, shown_cell))
                case Withheld():
                    self.withheld.add(_place(shown_cell))
                case _:
                    pass
        cell_report = _cell(shown_cell, self._group_by)
        self.cells.append(self._with_shared_figures(cell_report))
        if _may_be_example(cell_report):
            self.read_texts[cell_report.place] = _read_texts(shown_cell)
        self.flags += _flags(shown_cell)
        self.failures += _failures(shown_cell)
        self.untold += _untold(shown_cell)
        for amiss in _amiss(shown_cell):
            breaches = tuple(
                self._breaches.shared(text, text) for text in amiss.breaches
            )
            self.amiss.append(replace(amiss, breaches=breaches))
        self.closings += _closings(audited)
        self.suspicions.add(audited)
        self.readings.add(audited)
        self.blind += shown_cell.cell.ruled_blind
        self.examples += cell.example
        self.revised += bool(cell.revised)
        if cell.judge:
            name = _judge(cell)
            if cell.round > 1:
                name += f" · round {cell.round}"
            self.judges[name] += 1
            _use_judge(self.judges_used, cell)

    def _with_shared_figures(self, cell: CellReport) -> CellReport:
        """Return a copy of a cell that shares its figures with an earlier cell of equal ones.

        The copy says the same as the cell, and takes less memory.
        """
        content = repr(
            (cell.counts, cell.words, cell.figures, cell.judged_by, cell.groups),
        )
        alike = self._figures.shared(content, cell)
        return replace(
            cell,
            counts=alike.counts,
            words=alike.words,
            figures=alike.figures,
            judged_by=alike.judged_by,
            groups=alike.groups,
        )

    @property
    def drawable(self) -> int:
        """How many units could be drawn at random: clusters, and traces that are in none.

        A unit of which a cell was shown to a judge as an example does not count.
        """
        return sum(not has_example for has_example in self._has_example.values())

    def trait_reports(self, breakdowns: Iterable[Breakdown]) -> Iterator[TraitReport]:
        """Yield the reports of the traits with these numbers, in the order of the numbers.

        Raises KeyError for a trait of which no cell was gathered.
        """
        for numbers in breakdowns:
            yield self.traits[numbers.kind.name, numbers.trait].report(numbers)


# -- cells ----------------------------------------------------------------------------------------


def _place(audited: AuditedCell) -> CellPlace:
    """Return which cell it is: trace, epoch and trait."""
    return CellPlace(*audited.trace.key, audited.cell.subject.trait.name)


def _cell(audited: AuditedCell, group_by: str) -> CellReport:
    """Return a cell, as people may see it, in numbers, with the groups of its trace by `group_by`.

    It has its state, sign-off and counts of corrections, and for each measure the current value,
    the judge's and that of a blind verdict. While the names of models are hidden, the model is ""
    and the groups are those of a trace without model and metadata.
    """
    cell = audited.cell
    trace = audited.trace
    grouped_trace = trace
    if cell.hides_names:
        grouped_trace = trace.model_copy(update={"model": None, "metadata": None})
    current_figures, judge = standing_and_judge(cell)
    counts = {}
    words = {}
    for side, figures in (("standing", current_figures), ("judge", judge)):
        if figures:
            counts[side] = dict(figures.counts)
            words[side] = dict(figures.words)
    verdict = cell.verdict_figures
    signed_by = signed_at = ""
    if cell.signed:
        signed_by = cell.signed.by
        signed_at = cell.signed.at
    measures = cell.subject.kind.measures(cell.subject.trait)
    cell_measures: list[CellMeasure] = []
    for name in dict.fromkeys(measure.name for measure in measures):
        current_value = _measure_value(current_figures, name)
        judge_value = _measure_value(judge, name)
        verdict_value = _measure_value(verdict, name)
        cell_measures.append(
            CellMeasure(name, current_value, judge_value, verdict_value),
        )
    return CellReport(
        place=_place(audited),
        question_id=trace.question_id or "",
        model="" if cell.hides_names else trace.model or "",
        cluster=trace.cluster or "",
        groups=tuple(words_of(grouped_trace, group_by)),
        judged_by=_judge(cell),
        round=cell.round or None,
        state=cell.state,
        flagged=cell.flag,
        signed_by=signed_by,
        signed_at=signed_at,
        sampled=_sample_state(cell),
        corrections=_corrections(cell),
        counts=counts,
        words=words,
        figures=tuple(cell_measures),
        differs=_first_difference(cell),
    )


def _may_be_example(cell: CellReport) -> bool:
    """Return whether a cell shows how the judge errs: it was corrected, or its numbers differ.

    A number differs if people's and the judge's of one measure are both known and not equal.
    """
    if cell.corrections:
        return True
    for measure in cell.figures:
        if measure.both is None:
            continue
        people, judge = measure.both
        if people != judge:
            return True
    return False


def _read_texts(audited: AuditedCell) -> ReadTexts:
    """Return the first `READ_TEXT` characters of a cell's question and of the judged text.

    Either is "" if there is none. That a text is cut cannot be seen.
    """
    subject = audited.cell.subject
    question = question_of(subject.asked)
    return ReadTexts(
        question[:READ_TEXT],
        subject.text[:READ_TEXT],
        subject.trait_key,
    )


def _first_difference(cell: Cell) -> str:
    """Return the first instruction that a person answered otherwise than the judge, and how.

    It is a clause without a period. People's answers are those of the blind verdict, or else of the
    signed labels. "" before a sign-off or ruling, while the judge is hidden, and if all answers are
    alike. An instruction that the judge did not answer does not count.
    """
    if cell.hidden or not cell.signed:
        return ""
    judge_answers = cell.judge_answers
    people_answers = cell.verdict_answers or cell.answers
    for question, answer in people_answers.items():
        judge_answer = judge_answers.get(question, answer)
        if judge_answer != answer:
            return f"“{question.text}”: people say {answer}, the judge {judge_answer}"
    return ""


def _corrections(cell: Cell) -> int:
    """Return how many corrections are in a cell's labels now, without those made blind.

    Undone and replaced ones do not count.
    """
    return sum(
        fact.n in cell.edits and not cell.is_unseeing(fact) for fact in cell.facts
    )


def _sample_state(cell: Cell) -> str:
    """Return in a word how far a cell of the sample is; "" outside the sample.

    It is "sighted" if people see the judge's labels there. In a blind sample it is "hidden" before
    a ruling and then "ruled", or "unsettled" if what was read was changed since.
    """
    if cell.drawn is None:
        return ""
    if not cell.is_blind:
        return "sighted"
    if cell.lapsed:
        return "unsettled"
    return "hidden" if cell.hidden else "ruled"


def _measure_value(figures: Figures | None, measure: str) -> float | None:
    """Return the value of a measure by its name.

    None without figures, for 0/0, and for a measure that they do not have.
    """
    if figures is None or measure in figures.undefined:
        return None
    return figures.values.get(measure)


def _judge(cell: Cell) -> str:
    """Return the name and the model of a cell's judge with " · " between; "" without one.

    If both are one, it comes once.
    """
    if not cell.judge:
        return ""
    record = cell.judge.judge
    names = filter(None, (record.get("name"), record.get("model")))
    distinct_names = dict.fromkeys(map(str, names))
    return " · ".join(distinct_names)


def _failures(audited: AuditedCell) -> Iterator[FailedCell]:
    """Yield how the judge failed last at a cell: one entry, or none.

    Nothing if it never failed, or if it proposed labels since.
    """
    failure = audited.cell.failure
    if failure and isinstance(failure.what, Failed):
        yield FailedCell(
            _place(audited),
            audited.cell.state,
            failure.at,
            failure.what.error,
        )


def _untold(audited: AuditedCell) -> Iterator[UntoldVerdict]:
    """Yield what people could not tell of a cell, as it stands, then what its judge could not.

    For people it is one entry, however many questions it is about: by who made the last correction,
    with the reason for that, else by who signed off. The labels are people's if they are signed
    off, corrected, or not from a judge. For the judge it is one entry for each question, with the
    judge's reason or "". Nothing is told of a cell whose judge is hidden, or that has no labels.
    """
    cell = audited.cell
    kind = cell.subject.kind
    trait = cell.subject.trait
    untold = kind.untold(trait)
    if not untold or cell.hidden or cell.labels is None:
        return
    is_persons = cell.signed is not None or bool(cell.edits) or cell.base is None
    if is_persons and not untold.isdisjoint(cell.answers.values()):
        yield UntoldVerdict(_place(audited), *_said_by_a_person(cell))
    for question, answer in cell.judge_answers.items():
        if answer in untold:
            reason = ""
            if kind.answering:
                reason = kind.answering.grounds(
                    trait,
                    cell.judge_labels,
                    question,
                ).reason
            yield UntoldVerdict(_place(audited), _judge(cell), reason)


def _said_by_a_person(cell: Cell) -> tuple[str, str]:
    """Return who made the last correction in the labels, and the reason for it.

    Without corrections it is who signed off, or "", and no reason.
    """
    reason = ""
    person = cell.signed.by if cell.signed else ""
    for fact in cell.facts:
        if fact.n in cell.edits:
            person = fact.by
            reason = reason_for(cell, fact.n)
    return person, reason


def _amiss(audited: AuditedCell) -> Iterator[Amiss]:
    """Yield what is wrong in the labels of a cell, if anything is: one entry or none.

    That is how many excerpts are not found in the text, and in what the labels contradict
    themselves.
    """
    cell = audited.cell
    unverified = cell.unverified
    breaches = tuple(cell.breaches())
    if unverified or breaches:
        yield Amiss(_place(audited), unverified, breaches)


def _closings(audited: AuditedCell) -> Iterator[ClosingWords]:
    """Yield what the labels of a cell come to in words: one entry, or none.

    Nothing if its kind of trait has no such words, without labels, and while its judge is hidden.
    `labels` says whose they are: signed off, the judge's, or as they are now.
    """
    cell = audited.cell
    if cell.labels is None or cell.hidden:
        return
    closing = cell.subject.kind.closing(cell.subject.trait, cell.labels)
    if closing is None:
        return
    labels = "as they are now"
    if cell.signed:
        labels = "signed off"
    elif cell.state == "proposed":
        labels = "the judge's"
    yield ClosingWords(_place(audited), labels, closing)


def _by_gaps(closing: ClosingWords) -> int:
    """Return the sort key of a cell in words: that of which most falls short comes first."""
    return -len(closing.closing.gaps)


# -- people ---------------------------------------------------------------------------------------


class _PersonAct(NamedTuple):
    """What a person or an agent did to a cell, as far as their numbers go by it."""

    n: int
    at: str
    by: str
    what: type[What]
    is_shown: bool
    """Whether it is an act, and no step to a blind ruling."""
    is_standing: bool
    is_undone: bool
    pace: PaceAct
    as_agent: bool


def _acts(cell: Cell) -> Iterator[_PersonAct]:
    """Yield what people and agents did to a cell, in the order of its facts.

    What they have undone since is among them, and says so; so are steps to a blind ruling.
    Proposals and failures of judges are no acts, nor is what drew, planted, showed or revised the
    cell.
    """
    not_by_people = Proposed | Failed | Shown | Drawn | Undrawn | Revised | Planted
    for fact in cell.facts:
        if isinstance(fact.what, not_by_people):
            continue
        yield _PersonAct(
            fact.n,
            fact.at,
            fact.by,
            type(fact.what),
            _is_shown(fact, cell),
            stands(fact, cell),
            fact.n in cell.undone,
            pace_act(cell, fact),
            fact.as_agent,
        )


def _number(act: ActReport | _PersonAct) -> int:
    """Return the number of the fact that an act is, by which acts are in order."""
    return act.n


def _act(fact: Fact, audited: AuditedCell) -> ActReport:
    """Return an act as a report, with what became of it.

    An act that is not in force says one of these: who undid it, that later labels had no place for
    it, or that others replaced it. What was done is in words; of a comment it is the comment's
    text.
    """
    cell = audited.cell
    did = describe(cell, fact)
    if isinstance(fact.what, Commented):
        did = fact.what.text
    undone = undone_by(cell, fact)
    orphaned = fact.n in cell.orphaned
    gone = not undone and not stands(fact, cell)
    return ActReport(
        fact.n,
        fact.at,
        fact.by,
        _place(audited),
        did,
        reason=reason_of(cell, fact),
        undone_by=undone,
        left=gone and orphaned,
        replaced=gone and not orphaned,
    )


def _flags(audited: AuditedCell) -> Iterator[ActReport]:
    """Yield the act that flagged a cell last, if the flag is up; else nothing.

    A flag that was undone does not count.
    """
    cell = audited.cell
    if not cell.flag:
        return
    raised: list[Fact] = []
    for fact in cell.facts:
        if fact.what == Flagged(True) and fact.n not in cell.undone:
            raised.append(fact)
    yield _act(raised[-1], audited)


# -- traits ---------------------------------------------------------------------------------------


class _SeenTrait:
    """What the cells of one trait have beside its breakdown, gathered one after the other."""

    def __init__(self) -> None:
        self._cells = 0
        self.states: Counter[str] = Counter()
        """Of cells that are still to be ruled on blind none is counted."""
        self._differences = {sides: _Differences(sides) for sides in _CHANGED}

    def add(self, cell: Cell) -> None:
        """Gather what one cell of the trait has: its state, and how far people are above the judge.

        A cell whose judge is hidden counts in no state.
        """
        self._cells += 1
        if not cell.hidden:
            self.states[cell.state] += 1
        figures = by_side(cell)
        for differences in self._differences.values():
            differences.add(figures)

    def report(self, numbers: Breakdown) -> TraitReport:
        """Return the trait with its numbers and everything that was gathered.

        Cells that are in no state are counted as hidden. All of `STATES` are in it, also
        with 0 cells. For each measure it has two differences from the judge's number. One
        is of the labels that people signed off, the other of the current labels of all
        cells, signed off or not. In both only cells with the judge's labels count, and none
        whose judge is hidden.
        """
        changes: dict[str, dict[Sides, Change]] = {}
        for measure in numbers.measures:
            changes[measure.name] = {
                sides: differences.change(measure)
                for sides, differences in self._differences.items()
            }
        hidden = self._cells - self.states.total()
        states: dict[str, int] = {state: self.states[state] for state in STATES}
        return TraitReport(
            numbers=numbers,
            changes=changes,
            hidden=hidden,
            states=states,
        )


_CHANGED: tuple[Sides, ...] = (SIGNED_OFF, AS_THEY_STAND)
"""The pairs of sides between which a report tells the difference."""


class _Differences:
    """By how much people's side has more than the judge's, over the cells that are on both."""

    def __init__(self, sides: Sides) -> None:
        """Begin without cells, to compare two sides: people's and the judge's, by their names."""
        self._compared_sides = sides
        self._people: Counter[str] = Counter()
        self._judge: Counter[str] = Counter()
        self._by_measure: dict[str, list[float]] = {}

    def add(self, cell: Mapping[Side, Figures]) -> None:
        """Add a cell's counts and differences, if it is on both sides compared; else nothing.

        `cell` has its figures by side. The counts of both sides are summed. A difference is
        people's measure less the judge's. A measure that either side lacks, or that is 0/0, adds no
        difference.
        """
        people_side, judge_side = self._compared_sides
        people = cell.get(people_side)
        judge = cell.get(judge_side)
        if people is None or judge is None:
            return
        self._people.update(people.counts)
        self._judge.update(judge.counts)
        for name in people.values:
            people_value = _measure_value(people, name)
            judge_value = _measure_value(judge, name)
            difference = less(people_value, judge_value)
            if difference is not None:
                differences = self._by_measure.setdefault(name, [])
                differences.append(difference)

    def change(self, measure: Measure) -> Change:
        """Return by how much people's number of a measure is above the judge's.

        `micro` is the difference of both numbers of pooled counts, over the cells on both sides.
        `macro` is the mean difference over the `n` of these cells in which both are defined. Each
        is None where it is not defined. For a measure that is not made of counts both are the mean.
        """
        differences = self._by_measure.get(measure.name, [])
        n = len(differences)
        macro = fmean(differences) if differences else None
        if measure.pool is None:
            return Change(macro, macro, n)
        people = measure.pool(self._people)
        judge = measure.pool(self._judge)
        return Change(less(people, judge), macro, n)


# -- who reviewed ---------------------------------------------------------------------------------


def _reviewers(
    acts: Iterable[_PersonAct],
    design: Iterable[DesignFact],
) -> Iterator[Reviewer]:
    """Yield what each person did, persons by name, then each agent.

    Corrections, sign-offs and comments count if they are in force, and what was undone counts
    apart. Blind rulings count as sign-offs; `ruled` counts them all, also those that a later one
    replaced, and so does the pace. `design` has what their latest second pass came to; agents have
    none. Steps to a blind ruling are no corrections.
    """
    again: dict[str, Mapping[str, Any]] = {}
    for passed in design:
        if isinstance(passed.what, SecondPass):
            again[passed.what.reviewer] = passed.what.outcome
    acts_by_reviewer: dict[tuple[bool, str], list[_PersonAct]] = {}
    for act in sorted(acts, key=_number):
        acts_by_reviewer.setdefault((act.as_agent, act.by), []).append(act)
    for (as_agent, name), acts_of_reviewer in sorted(acts_by_reviewer.items()):
        counts: Counter[type] = Counter()
        undone = 0
        for act in acts_of_reviewer:
            if act.is_shown:
                counts[act.what] += act.is_standing
                undone += act.is_undone
        moments = [act.at for act in acts_of_reviewer]
        yield Reviewer(
            name,
            corrections=counts[Corrected] + counts[Adopted],
            signed_off=counts[SignedOff] + counts[Ruled],
            ruled=sum(act.what is Ruled for act in acts_of_reviewer),
            comments=counts[Commented],
            undone=undone,
            first=min(moments),
            last=max(moments),
            pace=tally(act.pace for act in acts_of_reviewer),
            again={} if as_agent else again.get(name, {}),
            as_agent=as_agent,
        )


def _is_shown(fact: Fact, cell: Cell) -> bool:
    """Return whether a fact is an act of a person or agent, and no step to a blind ruling."""
    if isinstance(fact.what, Corrected | Adopted):
        return not cell.is_unseeing(fact)
    return fact.is_act


def stands(fact: Fact, cell: Cell) -> bool:
    """Return whether an act is in force.

    A correction is in force if the labels have it, and a sign-off or a ruling if it is the one that
    counts now. Any other act is in force unless it was undone.
    """
    match fact.what:
        case Corrected() | Adopted():
            return fact.n in cell.edits
        case SignedOff():
            return cell.signed is not None and cell.signed.n == fact.n
        case Ruled():
            return cell.ruled is not None and cell.ruled.n == fact.n
        case _:
            return fact.n not in cell.undone
