"""The metric kind: checklists of instructions, sorted into TP, FN, FP and TN, measured by
arithmetic.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import (
    Answering,
    Check,
    Figures,
    Grounds,
    Instruction,
    Measure,
    OtherOrder,
    QueryField,
    Reworded,
    Rewording,
    Span,
    Table,
    TraitKind,
    Weakness,
    asked_by,
)
from appellate.core.problem import USUAL, Refused, with_keys
from appellate.core.trace import Trace
from appellate.traits.metric import edits, ledger, majority, rows, wanted_edits
from appellate.traits.metric.edits import Edit, shows_omission
from appellate.traits.metric.labels import (
    BUCKETS,
    EXCERPTS,
    LABEL_SCHEMA,
    UNSAID,
    Bucket,
    Labels,
    List,
    faults,
    from_table,
    located,
    to_lists,
    written,
)
from appellate.traits.metric.ledger import (
    MARKS,
    SAID_AS,
    STANDINGS,
    STANDS,
    answers,
    buckets_of,
    lists,
    standings,
)
from appellate.traits.metric.rows import ChecklistEntry
from appellate.traits.metric.spec import (
    METRICS,
    RATIOS,
    WEIGHTED,
    Counts,
    MetricRubricTrait,
    tally,
    value,
)

_ASKED = tuple(MetricRubricTrait.model_fields.keys() - {"metrics", "repeated_extraction"})
"""What a judge is told of a trait; the rest is arithmetic."""
_SHORT = {"precision": "P", "recall": "R", "specificity": "Sp", "accuracy": "Acc", "f1": "F1"}


def _lexical(trait: MetricRubricTrait, trace: Trace) -> dict[str, Any]:
    from appellate.traits.metric.lexical import propose

    return propose(trait, trace.response)


def _asks_the_same(trait: MetricRubricTrait, other: MetricRubricTrait) -> bool:
    return all(getattr(trait, name) == getattr(other, name) for name in _ASKED)


def _notes(trait: MetricRubricTrait) -> Iterable[str]:
    if trait.tn_instructions and not trait.full:
        yield (
            "is tp_only, so its tn_instructions are ignored; "
            'evaluation_mode = "full_matrix" would use them'
        )


def _pool(metric: str, counts: Mapping[str, int]) -> float | None:
    return value(metric, Counts(*(counts.get(bucket, 0) for bucket in BUCKETS)))


_MEASURES = {
    name: Measure(name, _SHORT[name], pool=partial(_pool, name), ratio=RATIOS[name])
    for name in METRICS
} | {WEIGHTED: Measure(WEIGHTED, "W")}


def _entry(trait: MetricRubricTrait, labels: Labels, asked: Instruction) -> ChecklistEntry:
    of: List = asked.of  # type: ignore[assignment]
    held = {bucket: rows.rows(trait, labels, bucket) for bucket in buckets_of(asked.of)}
    return rows.entries(trait, held, of)[asked.number - 1]


def _checks(trait: MetricRubricTrait, labels: Labels) -> list[Check]:
    breaches = ledger.breaches(trait, labels)
    found = [Check("breach", with_keys(breach.sentence, USUAL)) for breach in breaches]
    for name in EXCERPTS:
        for item in labels.bucket(name):
            if ledger.evidence_of(trait, name, item) == "unverified":
                sentence = f"{ledger.MARKS[name]} “{item.text[:60]}” is not in the response."
                found.append(Check("unverified", sentence))
    for name in UNSAID:
        for item in labels.bucket(name):
            if item.denied and item.span is None:
                words = f"{ledger.MARKS[name]} denial “{item.denied[:60]}”"
                found.append(Check("unverified", f"{words} is not in the response."))
    return found


_READING = (
    "An instruction is found where the labels hold an excerpt for it (TP, FP), "
    "missing where they hold none (FN, TN), unclear where it is on both sides or on neither. "
    "A missing one is denied where the response says that it is not so, else it is left out. Wrong "
    "evidence is an excerpt of the judge's in whose place a person put words that stand elsewhere, "
    "the verdict being right. By omission are those found without an excerpt, as they ask for what "
    "the response leaves out. None of the three changes a metric."
)

_FIELDS = (
    *(
        QueryField(name, f"counts.{name}", "count", f"how many items of {ledger.MARKS[name]} count")
        for name in BUCKETS
    ),
    QueryField("denied", "counts.denied", "count", "how many instructions the response denies"),
    QueryField(
        "wrong_evidence",
        "counts.wrong_evidence",
        "count",
        "how many right verdicts of the judge had wrong evidence",
    ),
    QueryField(
        "omission",
        "counts.omission",
        "count",
        "how many instructions are found or present by what the response leaves out",
    ),
)


# -- the same checklist asked otherwise ------------------------------------------------------------

_BARE: Mapping[str, Any] = {"fp_instructions": [], "fn_instructions": []}
"""Hints are about the instructions as they are."""
_ONE: Mapping[str, Any] = {
    **_BARE,
    "evaluation_mode": "tp_only",
    "metrics": ["recall"],
    "tn_instructions": [],
}


def reordered(trait: MetricRubricTrait, other: OtherOrder) -> Sequence[Reworded[MetricRubricTrait]]:
    """Each list in another order; nothing where no list has two instructions."""
    fresh: dict[str, Any] = {}
    meant: dict[tuple[str, int], Instruction] = {}
    for of in lists(trait):
        texts = trait.instructions(of)
        order = other(len(texts))
        fresh[f"{of}_instructions"] = [texts[place] for place in order]
        for number, place in enumerate(order, 1):
            meant[of, number] = Instruction(of, place + 1, texts[place])
    if all(len(texts) < 2 for texts in fresh.values()):  # noqa: PLR2004 - of one there is no other
        return ()
    return (Reworded(trait.model_copy(update=fresh), meant),)


def negated(trait: MetricRubricTrait, contrary: str = "") -> Sequence[Reworded[MetricRubricTrait]]:
    """The checklist with the contrary of each instruction in its place."""
    words = contrary or "Says that this is not so:"
    fresh: dict[str, Any] = dict(_BARE)
    meant: dict[tuple[str, int], Instruction] = {}
    for of in lists(trait):
        texts = trait.instructions(of)
        fresh[f"{of}_instructions"] = [f"{words} {text}" for text in texts]
        for number, text in enumerate(texts, 1):
            meant[of, number] = Instruction(of, number, text)
    return (Reworded(trait.model_copy(update=fresh), meant),)


def alone(trait: MetricRubricTrait) -> Sequence[Reworded[MetricRubricTrait]]:
    """A checklist for each instruction: one of either list is asked for as what may be said.

    Nothing where there is but one.
    """
    each = []
    for of in lists(trait):
        for number, text in enumerate(trait.instructions(of), 1):
            one = trait.model_copy(update={**_ONE, "tp_instructions": [text]})
            each.append(Reworded(one, {("tp", 1): Instruction(of, number, text)}))
    if len(each) < 2:  # noqa: PLR2004 - one is asked by itself already
        return ()
    return each


class MetricKind(
    TraitKind[MetricRubricTrait, Labels, Edit], Answering[MetricRubricTrait, Labels, Edit]
):
    """Checklists of instructions."""

    name = "metric"
    rubric_key = "metric_traits"
    spec = MetricRubricTrait
    notes = staticmethod(_notes)
    implied = True
    label_schema = LABEL_SCHEMA
    faults = staticmethod(faults)
    locate = staticmethod(located)
    labels = staticmethod(from_table)
    blank = Labels()
    write = staticmethod(written)
    asked = asked_by("appellate.traits.metric.asking", _asks_the_same, _lexical)
    majority = staticmethod(majority.majority)
    edit = staticmethod(Edit.from_row)
    permit = staticmethod(edits.permit)
    apply = staticmethod(edits.apply)
    anchor = staticmethod(edits.anchor)
    carried = staticmethod(edits.carried)
    fits = staticmethod(edits.fits)
    describe = staticmethod(edits.describe)
    brief = staticmethod(edits.brief)
    answers = staticmethod(answers)
    positives = frozenset({"found"})
    unanswered = frozenset({"unclear"})
    standings = staticmethod(standings)
    called_as = SAID_AS
    checks = staticmethod(_checks)
    fields = _FIELDS
    called = staticmethod(ledger.called)
    asides = staticmethod(ledger.asides)
    aside_words = ledger.ASIDES
    rests_on_words = True
    remarks = staticmethod(rows.remarks)
    rewording = Rewording(reordered, negated, alone)
    spelled = {
        **{str(name): mark for name, mark in ledger.MARKS.items()},
        "wrong_evidence": "wrong evidence",
        "omission": "by omission",
    }
    lists = {"tp": "should say", "tn": "should not say", "fp": "hint"}
    reading = _READING

    @property
    def answering(self) -> "MetricKind":
        return self

    def evidence(self, trait: MetricRubricTrait, labels: Labels) -> list[Span]:
        """Excerpts, and denials."""
        items = chain.from_iterable(map(labels.bucket, BUCKETS))
        return [Span(*item.span) for item in items if item.span]

    # -- numbers ----------------------------------------------------------------------------------

    def measures(self, trait: MetricRubricTrait) -> Sequence[Measure]:
        return [_MEASURES[name] for name in trait.metrics]

    def measure(self, trait: MetricRubricTrait, labels: Labels) -> Figures:
        return self._figures(trait, to_lists(labels), labels)

    def measure_table(self, trait: MetricRubricTrait, table: Table, labels: Labels) -> Figures:
        lists = to_lists(labels) if WEIGHTED in trait.metrics else table
        return self._figures(trait, lists, labels)

    def _figures(
        self, trait: MetricRubricTrait, lists: Mapping[str, Any], labels: Labels
    ) -> Figures:
        """What buckets come to; of how many instructions each aside is said is counted beside."""
        counted = tally(lists, trait.repeated_extraction)
        if not trait.full:
            counted = counted._replace(tn=0)
        met = set()
        if WEIGHTED in trait.metrics:
            for one, answer in answers(trait, labels).items():
                if answer == "found":
                    met.add((one.of, one.text))
        numbers = trait.numbers(counted, met)
        counts = counted._asdict()
        texts = list(chain.from_iterable(ledger.asides(trait, labels).values()))
        for aside in ledger.ASIDES:
            counts[aside] = texts.count(aside)
        undefined = frozenset(name for name, number in numbers.items() if number is None)
        values = {name: number or 0.0 for name, number in numbers.items()}
        return Figures(values, undefined, counts)

    def form(self, trait: MetricRubricTrait) -> str:
        return trait.evaluation_mode.replace("_", " ")

    def vocabulary(self, trait: MetricRubricTrait) -> Sequence[str]:
        return ("found", "missing", "unclear")

    def words_of(self, trait: MetricRubricTrait) -> Sequence[str]:
        return STANDINGS

    # -- one instruction in any cell; the edits are those of its line on the checklist ------------

    def grounds(self, trait: MetricRubricTrait, labels: Labels, asked: Instruction) -> Grounds:
        """Found, missing, present, absent; both, or open where it is nowhere. What is missing or
        absent rests on the words that deny it, where there are any.
        """
        entry = _entry(trait, labels, asked)
        spans = tuple(row.item.span for row in entry.excerpts if row.item.span)
        shown = [row for row in entry.excerpts if not row.item.omission]
        loose = tuple(row.item.text for row in shown if not row.item.span)
        if loose == (entry.text,):  # taken on without words of the response
            loose = ()
        reasons = [row.item.rationale for row in entry.items if row.item.rationale]
        omission = len(shown) < len(entry.excerpts)
        style: str = "" if entry.standing in ("open", "both") else entry.items[0].bucket
        if entry.is_denied and not entry.excerpts:
            item, style = next(row.item for row in entry.held if row.item.denied), "denied"
            if item.span:
                spans = (item.span,)
            else:
                loose = (item.denied,)
        return Grounds(entry.standing, style, spans, loose, " ".join(reasons), omission)

    def sayable(self, trait: MetricRubricTrait, asked: Instruction) -> Mapping[str, str]:
        """The two buckets that answer an instruction of this list."""
        return {bucket: STANDS[bucket] for bucket in buckets_of(asked.of)}

    def edits(
        self, trait: MetricRubricTrait, labels: Labels, asked: Instruction, answer: str
    ) -> Sequence[Edit]:
        """Those of the checklist, by omission where they may be; raises Refused for a bucket that
        does not answer the instruction.
        """
        to: Bucket = answer  # type: ignore[assignment]
        yes, no = buckets_of(asked.of)
        if to not in (yes, no):
            either = f"{MARKS[yes]} or {MARKS[no]}"
            raise Refused(f"This is a {asked.of.upper()} instruction: it goes into {either}.")
        entry = _entry(trait, labels, asked)
        if entry.standing == STANDS[to]:
            return ()
        return [
            replace(edit, omission=True) if shows_omission(trait, labels, edit) else edit
            for edit in wanted_edits.turned(entry, to)
        ]

    def takes_words(self, wanted: Sequence[Edit]) -> bool:
        return wanted_edits.lacks_evidence(tuple(wanted))

    def bear_out(self, wanted: Sequence[Edit], span: tuple[int, int] | None) -> Sequence[Edit]:
        return wanted_edits.with_evidence(tuple(wanted), span)

    def likely(self, cell: Cell, asked: Instruction) -> Sequence[tuple[int, int]]:
        from appellate.traits.metric.likely_evidence import likely_evidence  # only here: 30 ms

        of: List = asked.of  # type: ignore[assignment]
        return likely_evidence(cell, (of, asked.number), asked.text)

    def weaknesses(self, trait: MetricRubricTrait) -> Iterable[Weakness]:
        from appellate.traits.metric.weaknesses import weaknesses  # for `check --lint` alone

        return weaknesses(trait)


KIND = MetricKind()
