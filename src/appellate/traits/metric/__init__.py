"""Defines the metric kind: checklists of instructions, sorted into TP, FN, FP and TN."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import (
    Answering,
    Called,
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
    read_name,
    with_headline,
)
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.metric import edits, ledger, majority, rows
from appellate.traits.metric.edits import Edit, shows_omission
from appellate.traits.metric.labels import (
    BUCKETS,
    LABEL_SCHEMA,
    Bucket,
    Labels,
    List,
    faults,
    from_table,
    links_in,
    links_of,
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
    asked,
    buckets_of,
    link_mark,
    lists,
    standings,
)
from appellate.traits.metric.rows import ChecklistEntry
from appellate.traits.metric.spec import (
    METRICS,
    RATIOS,
    TELLING_KEYS,
    WEIGHTED,
    Counts,
    Links,
    MetricRubricTrait,
    renew,
    value,
)
from appellate.traits.metric.wanted_edits import lacks_evidence, turned, with_evidence

_ASKED = tuple(
    MetricRubricTrait.model_fields.keys()
    - {"metrics", "headline", "repeated_extraction"},
)
"""The fields of a trait that a judge's request depends on; the others are arithmetic."""
_SHORT = {
    "precision": "P",
    "recall": "R",
    "specificity": "Sp",
    "accuracy": "Acc",
    "f1": "F1",
}


def _lexical(
    trait: MetricRubricTrait,
    trace: Trace,
    share: float | None = None,
) -> dict[str, Any]:
    """Return the judge's table that word overlap proposes for a trace, without a model or offsets.

    In a conversation it looks at the assistant's own words only. `share`, from 0 to 1, is that of
    an instruction's words that one sentence must have; None is from 0.6 for one word down to 0.34
    for seven or more. A number weighs more than a word, and a sentence must have each of the
    instruction's numbers.
    """
    from appellate.traits.metric.lexical import propose

    return propose(trait, trace.own_words.text, share)


def _asks_the_same(trait: MetricRubricTrait, other: MetricRubricTrait) -> bool:
    """Return whether two traits ask a judge the same, so that labels of one hold for the other.

    All fields must be equal except `metrics`, `headline` and `repeated_extraction`, which no
    request contains.
    """
    return all(getattr(trait, name) == getattr(other, name) for name in _ASKED)


def _pool(metric: str, counts: Mapping[str, int]) -> float | None:
    """Return a metric computed from summed counts, or None if it is 0/0.

    `counts` has the sums by bucket ("tp", "fn", "fp", "tn"); a missing bucket counts as 0. F1 is
    None only without any expected or claimed item, else 0 or more. Raises KeyError for a metric
    that is no ratio of counts, as `weighted`.
    """
    return value(metric, Counts(*(counts.get(bucket, 0) for bucket in BUCKETS)))


_MEASURES = {
    name: Measure(name, _SHORT[name], pool=partial(_pool, name), ratio=RATIOS[name])
    for name in METRICS
} | {WEIGHTED: Measure(WEIGHTED, "W")}


@lru_cache(256)
def _measures_of(metrics: tuple[str, ...], headline: str | None) -> Sequence[Measure]:
    """Return the measures of these metrics, in order; without a headline F1 is it, if it is there.

    Without F1, too, none is marked. They are cached because all cells of a trait share them. Raises
    KeyError for an unknown metric.
    """
    if headline is None and _F1 in metrics:
        headline = _F1
    return with_headline([_MEASURES[name] for name in metrics], headline)


_F1 = "f1"
_READING = (
    "An instruction is found where the labels hold an excerpt for it (TP, FP), "
    "missing where they hold none (FN, TN), unclear where it is on both sides or on neither. "
    "A missing one is denied where the response says that it is not so, else it is left out. Wrong "
    "evidence is an excerpt of the judge's in whose place a person put words that stand elsewhere, "
    "the verdict being right. By omission are those found without an excerpt, as they ask for what "
    "the response leaves out. None of the three changes a metric."
)
_COUNTED: dict[str, str] = {
    **{name: f"how many items of {MARKS[name]} count" for name in BUCKETS},
    "denied": "how many instructions the response denies",
    "wrong_evidence": "how many right verdicts of the judge had wrong evidence",
    "omission": "how many instructions are found or present by what the response leaves out",
}
"""What queries can ask for besides measures, with what each counts."""


# -- the same checklist asked otherwise ------------------------------------------------------------

_BARE: Mapping[str, Any] = {"fp_instructions": [], "fn_instructions": []}
"""The changes that leave out hints, which are about the instructions in their original words."""
_ONE: Mapping[str, Any] = {
    **_BARE,
    "evaluation_mode": "tp_only",
    "metrics": ["recall"],
    "tn_instructions": [],
}
"""The changes that make a trait of a single TP instruction."""


def _reworded(
    trait: MetricRubricTrait,
    new_lists: Mapping[List, Sequence[tuple[str, Instruction]]],
    update: Mapping[str, Any],
) -> Reworded[MetricRubricTrait]:
    """Return a copy of the trait with other instructions, and the original of each.

    `new_lists` is such as {"tp": [(new words, original instruction)]}; a list that it does not name
    stays. `update` has further fields to set. The copy, which is not validated, knows the aliases
    of an original by the new words too. The originals are by list and new number, as ("tp", 1).
    """
    changes = dict(update)
    originals: dict[tuple[str, int], Instruction] = {}
    aliases = dict(trait.aliases)
    for list_name, pairs in new_lists.items():
        changes[f"{list_name}_instructions"] = [text for text, _ in pairs]
        for number, (text, original) in enumerate(pairs, 1):
            originals[list_name, number] = original
            if original.text in trait.aliases:
                aliases[text] = trait.aliases[original.text]
    changes["aliases"] = aliases
    return Reworded(trait.model_copy(update=changes), originals)


def reordered(
    trait: MetricRubricTrait,
    reorder: OtherOrder,
) -> Sequence[Reworded[MetricRubricTrait]]:
    """Return a copy of the trait in which each list of instructions is in another order.

    It is the only element of the sequence, which is empty if no list has two instructions.
    `reorder` takes the length of a list, and gives its indexes (from 0) in their new order. Hints
    stay.
    """
    new_lists = {}
    for list_name in lists(trait):
        instructions = asked(trait, list_name)
        new_lists[list_name] = [
            (instructions[index].text, instructions[index])
            for index in reorder(len(instructions))
        ]
    longest = max(map(len, new_lists.values()))
    if longest < 2:  # noqa: PLR2004 - one instruction has no other order
        return ()
    return (_reworded(trait, new_lists, {}),)


def negated(
    trait: MetricRubricTrait,
    contrary: str = "",
) -> Sequence[Reworded[MetricRubricTrait]]:
    """Return a copy of the trait with the contrary of each instruction in its place.

    It is the only element of the sequence. Each instruction gets the words `contrary` before it, or
    "Says that this is not so:" if they are "". The copy has no hints.
    """
    words = contrary or "Says that this is not so:"
    new_lists = {}
    for list_name in lists(trait):
        new_lists[list_name] = [
            (f"{words} {instruction.text}", instruction)
            for instruction in asked(trait, list_name)
        ]
    return (_reworded(trait, new_lists, _BARE),)


def alone(trait: MetricRubricTrait) -> Sequence[Reworded[MetricRubricTrait]]:
    """Return a trait for each instruction, as its only TP instruction.

    TN instructions become TP instructions too. Each trait is `tp_only`, measures recall and has no
    hints. Returns an empty sequence if there is only one instruction.
    """
    traits: list[Reworded[MetricRubricTrait]] = []
    for list_name in lists(trait):
        traits += [
            _reworded(trait, {"tp": [(instruction.text, instruction)]}, _ONE)
            for instruction in asked(trait, list_name)
        ]
    if len(traits) < 2:  # noqa: PLR2004 - one is asked by itself already
        return ()
    return traits


class MetricKind(
    TraitKind[MetricRubricTrait, Labels, Edit],
    Answering[MetricRubricTrait, Labels, Edit],
):
    """The kind of traits that are checklists of instructions."""

    name = "metric"
    spec = MetricRubricTrait
    implied = True
    telling_keys = TELLING_KEYS
    renew = staticmethod(renew)
    label_schema = LABEL_SCHEMA
    faults = staticmethod(faults)
    locate = staticmethod(located)
    labels = staticmethod(from_table)
    blank = Labels()
    write = staticmethod(written)
    asked = asked_by(
        "appellate.traits.metric.asking",
        _asks_the_same,
        attrgetter("material"),
        _lexical,
    )
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
    fields = tuple(
        QueryField(name, f"counts.{name}", "count", what)
        for name, what in _COUNTED.items()
    )
    asides = staticmethod(ledger.asides)
    aside_words = ledger.ASIDES
    rests_on_words = True
    remarks = staticmethod(rows.remarks)
    rewording = Rewording(reordered, negated, alone)
    spelled = {
        **{str(name): mark for name, mark in MARKS.items()},
        "wrong_evidence": "wrong evidence",
        "omission": "by omission",
    }
    lists = {"tp": "should say", "tn": "should not say", "fp": "hint"}
    reading = _READING

    @property
    def answering(self) -> "MetricKind":
        return self

    def notes(self, trait: MetricRubricTrait) -> Iterable[str]:
        """Yield that the trait has TN instructions which its mode `tp_only` ignores, if it has any.

        The text is to follow the trait's name: "is tp_only, so …".
        """
        if trait.tn_instructions and not trait.full:
            yield (
                "is tp_only, so its tn_instructions are ignored; "
                'evaluation_mode = "full_matrix" would use them'
            )

    def checks(self, trait: MetricRubricTrait, labels: Labels) -> list[Check]:
        """Return a check for each breach of the ledger, then for each excerpt not in the text.

        They are named "breach" and "unverified". A denial is such an excerpt too. A breach is an
        instruction in both or neither of its buckets, or an item that lacks an instruction and
        needs one. Returns an empty list if nothing is wrong.
        """
        breaches = ledger.breaches(trait, labels, on_screen=False)
        faults = [Check("breach", sentence) for sentence in breaches]
        text_name = read_name(trait)
        for bucket, item in ledger.unverified(trait, labels):
            words = f"“{item.text[:60]}”"
            if item.denied:
                words = f"denial “{item.denied[:60]}”"
            mark = MARKS[bucket]
            sentence = f"{mark} {words} is not in the {text_name}."
            faults.append(Check("unverified", sentence))
        return faults

    def evidence(self, trait: MetricRubricTrait, labels: Labels) -> list[Span]:
        """Return the spans of excerpts and denials, bucket by bucket.

        Those that are not in the response are left out.
        """
        return [Span(*item.span) for _, item in labels.items() if item.span]

    # -- numbers ----------------------------------------------------------------------------------

    def measures(self, trait: MetricRubricTrait) -> Sequence[Measure]:
        return _measures_of(tuple(trait.metrics), trait.headline)

    def measure(self, trait: MetricRubricTrait, labels: Labels) -> Figures:
        return self._figures(trait, to_lists(labels), links_of(labels), labels)

    def measure_table(
        self,
        trait: MetricRubricTrait,
        table: Table,
        labels: Labels,
    ) -> Figures:
        """Return the metrics and counts of a judge's table as it is, in the judge's own words.

        `table` is one with links, as `locate` makes it. How many are denied, by omission or of
        wrong evidence is counted in `labels`. If the trait has the metric `weighted`, all figures
        are those of `labels` instead.
        """
        if WEIGHTED in trait.metrics:
            return self.measure(trait, labels)
        return self._figures(trait, table, links_in(table), labels)

    def measure_as_before(
        self,
        trait: MetricRubricTrait,
        labels: Labels,
        table: Table | None,
    ) -> Figures | None:
        """Return what the labels measured to when repeats were told by their words alone.

        A judge's `table`, if it is given, is measured in the judge's own words, unless the trait
        has the metric `weighted`. Returns None if the trait counts repeats, since nothing has
        changed then.
        """
        if not trait.repeated_extraction:
            return None
        lists: Mapping[str, Any] = to_lists(labels)
        if table is not None and WEIGHTED not in trait.metrics:
            lists = table
        return self._figures(trait, lists, None, labels)

    def corners(
        self,
        trait: MetricRubricTrait,
        measure: Measure,
        most_items: int,
    ) -> Sequence[tuple[float, float]] | None:
        """Return the extreme pairs that labels of one cell can add to a metric (`Measure.parts`).

        A pair is a numerator and a denominator. They are the pairs for all and for none of TP, with
        all and with none of FP, sorted and each once. The TP instructions bound TP and FN together,
        and the TN instructions of a full matrix bound FP and TN. Without these, FP are thought to
        be at most `most_items`, or as many as the TP instructions where those are more: precision
        with 2 TP instructions and at most 3 items has (0, 0), (0, 3), (2, 2) and (2, 5). None where
        repeats count, since nothing bounds TP then. For a metric that is no ratio of counts the
        pairs are those of any kind: nothing, the least and the greatest value.
        """
        if measure.ratio is None:
            return super().corners(trait, measure, most_items)
        if not trait.repeated_extraction:
            return None
        expected = len(trait.tp_instructions)
        unwanted = max(expected, most_items)
        if trait.full:
            unwanted = len(trait.tn_instructions)
        extremes: list[tuple[float, float]] = []
        for tp in {0, expected}:
            for fp in {0, unwanted}:
                counts = {"tp": tp, "fn": expected - tp, "fp": fp}
                if trait.full:
                    counts["tn"] = unwanted - fp
                extremes.append(measure.parts(Figures.of({}, counts)))
        return sorted(set(extremes))

    def is_verbatim(
        self,
        trait: MetricRubricTrait,
        table: Table,
        labels: Labels,
    ) -> bool:
        """Return whether each bucket of a table has exactly the texts of the labels, in order.

        A bucket that is not there counts as empty. Details of items are not compared.
        """
        return all(
            table.get(name, []) == texts for name, texts in to_lists(labels).items()
        )

    def _figures(
        self,
        trait: MetricRubricTrait,
        lists: Mapping[str, Any],
        links: Links | None,
        labels: Labels,
    ) -> Figures:
        """Return the trait's metrics and the counts that they are computed from.

        `lists` has the texts of each bucket, and `links` the instruction of each, by which repeats
        are told; for None they are told by their words alone. `labels` say which instructions are
        met, for `weighted`, and how many have each aside, such as a denial. The counts are of the
        buckets and of each aside; that of TN is 0 in `tp_only`.
        """
        counted = trait.tally(lists, links)
        if not trait.full:
            counted = counted._replace(tn=0)
        met = set()
        if WEIGHTED in trait.metrics:
            for instruction, answer in answers(trait, labels).items():
                if answer == "found":
                    met.add((instruction.of, instruction.text))
        numbers = trait.numbers(counted, met)
        counts = counted._asdict()
        texts = list(chain.from_iterable(ledger.asides(trait, labels).values()))
        for aside in ledger.ASIDES:
            counts[aside] = texts.count(aside)
        return Figures.of(numbers, counts)

    def called(
        self,
        trait: MetricRubricTrait,
        labels: Labels,
        asked: Instruction,
    ) -> Called:
        """Return how tables name an instruction: by the mark of its list and number, and its words.

        The mark is "4" for the fourth TP instruction, "−4" for one of TN and "~4" for a hint.
        """
        list_name: List = asked.of  # type: ignore[assignment]
        return Called(link_mark(list_name, asked.number), asked.text)

    def form(self, trait: MetricRubricTrait) -> str:
        return trait.evaluation_mode.replace("_", " ")

    def vocabulary(self, trait: MetricRubricTrait) -> Sequence[str]:
        return ("found", "missing", "unclear")

    def words_of(self, trait: MetricRubricTrait) -> Sequence[str]:
        return STANDINGS

    # -- one instruction in any cell; the edits are those of its line on the checklist ------------

    def grounds(
        self,
        trait: MetricRubricTrait,
        labels: Labels,
        asked: Instruction,
    ) -> Grounds:
        """Return what an instruction's answer is based on: spans, texts not found and reasons.

        The spans are those of its excerpts. An instruction that is missing or absent is based on
        the words that deny it, if any do. If the only text not found repeats the instruction, it is
        left out. The reasons of all its items are joined. It also says the standing, how to colour
        it, and whether an item is met by omission. Raises IndexError if the trait has no such
        instruction.
        """
        entry = self._entry(trait, labels, asked)
        spans = tuple(row.item.span for row in entry.excerpts if row.item.span)
        excerpt_rows = [row for row in entry.excerpts if not row.item.omission]
        not_found = [row.item.text for row in excerpt_rows if not row.item.span]
        if not_found == [entry.text]:  # taken on without words of the response
            not_found = []
        texts_not_found = tuple(not_found)
        reasons = [row.item.rationale for row in entry.items if row.item.rationale]
        omission = len(excerpt_rows) < len(entry.excerpts)
        style: str = "" if entry.standing in ("open", "both") else entry.items[0].bucket
        if entry.is_denied and not entry.excerpts:
            item = next(row.item for row in entry.held if row.item.denied)
            style = "denied"
            if item.span:
                spans = (item.span,)
            else:
                texts_not_found = (item.denied,)
        return Grounds(
            entry.standing,
            style,
            spans,
            texts_not_found,
            " ".join(reasons),
            omission,
        )

    def _entry(
        self,
        trait: MetricRubricTrait,
        labels: Labels,
        asked: Instruction,
    ) -> ChecklistEntry:
        """Return the checklist entry of an instruction: the rows of its items in its two buckets.

        Raises IndexError if the trait has no such instruction.
        """
        list_name: List = asked.of  # type: ignore[assignment]
        rows_by_bucket = {
            bucket: rows.rows(trait, labels, bucket) for bucket in buckets_of(asked.of)
        }
        return rows.entries(trait, rows_by_bucket, list_name)[asked.number - 1]

    def sayable(
        self,
        trait: MetricRubricTrait,
        asked: Instruction,
    ) -> Mapping[str, str]:
        """Return the answers to an instruction: its two buckets, with what each stands for.

        They are {"tp": "found", "fn": "missing"} for TP, and {"fp": "present", "tn": "absent"} for
        TN.
        """
        return {bucket: STANDS[bucket] for bucket in buckets_of(asked.of)}

    def edits(
        self,
        trait: MetricRubricTrait,
        labels: Labels,
        asked: Instruction,
        answer: str,
    ) -> Sequence[Edit]:
        """Return the edits that give an instruction an answer; empty if it has it already.

        `answer` is the bucket to put it into. Nothing is applied. An edit says that the instruction
        is met by omission, if that is possible. Raises Refused for a bucket of the other list, and
        IndexError if the trait has no such instruction.
        """
        target_bucket: Bucket = answer  # type: ignore[assignment]
        excerpt_bucket, negative_bucket = buckets_of(asked.of)
        if target_bucket not in (excerpt_bucket, negative_bucket):
            either = f"{MARKS[excerpt_bucket]} or {MARKS[negative_bucket]}"
            raise Refused(
                f"This is a {asked.of.upper()} instruction: it goes into {either}.",
            )
        entry = self._entry(trait, labels, asked)
        if entry.standing == STANDS[target_bucket]:
            return ()
        edits: list[Edit] = []
        for edit in turned(entry, target_bucket):
            if shows_omission(trait, labels, edit):
                edits.append(replace(edit, omission=True))
            else:
                edits.append(edit)
        return edits

    def takes_words(self, wanted: Sequence[Edit]) -> bool:
        return lacks_evidence(tuple(wanted))

    def bear_out(
        self,
        wanted: Sequence[Edit],
        span: tuple[int, int] | None,
    ) -> Sequence[Edit]:
        """Return the edits with the words at `span` as evidence, or for None without any evidence.

        Only edits that can have evidence are changed: denials, additions to TP or FP, and moves
        from FN to TP or from TN to FP. The others stay as they are.
        """
        return with_evidence(tuple(wanted), span)

    def likely(self, cell: Cell, asked: Instruction) -> Sequence[tuple[int, int]]:
        """Return the spans of the response that are most likely evidence, the likeliest first.

        They are evidence for one instruction of the cell. At most nine are returned.
        """
        # only here: 30 ms
        from appellate.traits.metric.likely_evidence import likely_evidence

        list_name: List = asked.of  # type: ignore[assignment]
        return likely_evidence(cell, (list_name, asked.number), asked.text)

    def weaknesses(self, trait: MetricRubricTrait) -> Iterable[Weakness]:
        """Return what makes the trait's instructions hard to judge or to count.

        They are found as they are iterated, without a model.
        """
        # for `check --lint` alone
        from appellate.traits.metric.weaknesses import weaknesses

        return weaknesses(trait)


KIND = MetricKind()
