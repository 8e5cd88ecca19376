"""Defines the pairwise kind: which of two responses to one question is better.

A judge is asked twice, with either response first. Where its two verdicts differ, its position
decided: the proposal is a tie that is marked as turned, or no proposal where there are no ties.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from appellate.core.kind import (
    CANNOT_TELL,
    CANNOT_TELL_COUNT,
    Check,
    Fault,
    Figures,
    Grounds,
    Instruction,
    Measure,
    Outcome,
    QueryField,
    Span,
    Table,
    Weakness,
    asked_by,
    with_headline,
)
from appellate.core.problem import describe_value, quoted
from appellate.core.trace import Trace
from appellate.traits.pairwise import edits
from appellate.traits.pairwise import labels as pair_labels
from appellate.traits.pairwise.edits import ExcerptEdit
from appellate.traits.pairwise.labels import Labels
from appellate.traits.pairwise.spec import (
    IS_OTHER,
    IS_RESPONSE,
    IS_TIE,
    WINNERS,
    PairwiseRubricTrait,
    SidedScale,
    as_pair,
    is_swapped,
    letter_of,
    scale_of,
)
from appellate.traits.verdict.excerpt_edits import described
from appellate.traits.verdict.kind import (
    CLASS,
    COUNT_OF_CANNOT_TELL,
    UNANSWERED,
    VERDICT,
    OverruledKind,
)
from appellate.traits.verdict.scale import same
from appellate.traits.weak_words import find_weaknesses

WIN_RATE = "win_rate"
TURNED = "turned"
_WINS = {IS_RESPONSE: 1.0, IS_OTHER: 0.0, IS_TIE: 0.5}
"""What a verdict counts in the win rate of the traces' own responses."""
TURNED_FAILURE = (
    "Turned: the judge gave another verdict when the two responses had changed places, and this"
    " trait allows no tie (tie = false)."
)
"""Why a cell has no proposal although the judge answered both times."""


def _asks_the_same(trait: PairwiseRubricTrait, other: PairwiseRubricTrait) -> bool:
    """Return whether two traits ask a judge the same, so that labels of one hold for the other."""
    return trait.asked() == other.asked()


_VERDICTS = [*WINNERS, CANNOT_TELL]


class PairwiseKind(OverruledKind[PairwiseRubricTrait, Labels]):
    """The kind of traits that say which of two responses is better."""

    name = "pairwise"
    spec = PairwiseRubricTrait
    types = (int,)
    untyped = "0 (response), 1 (other) or 2 (tie)"
    label_schema = {
        "value": {"anyOf": [{"type": "integer"}, {"const": CANNOT_TELL}]},
        "class": {"enum": [*WINNERS]},
        "orders": {
            "type": "array",
            "items": {"enum": _VERDICTS},
            "minItems": 2,
            "maxItems": 2,
        },
        "rationale": {"type": "string"},
        "evidence": {"type": "array", "items": {"type": "string"}},
        "items": {
            "type": "array",
            "items": {"type": "object", "properties": pair_labels.ITEM_SCHEMA},
        },
    }
    blank = Labels()
    asked = asked_by(
        "appellate.traits.pairwise.asking",
        _asks_the_same,
        attrgetter("material"),
        requests=2,
    )
    goes_by_instruction = False
    fields = (
        VERDICT,
        CLASS,
        QueryField(
            TURNED,
            f"counts.{TURNED}",
            "count",
            "1 where the judge's two orders differ",
        ),
        COUNT_OF_CANNOT_TELL,
    )
    reading = (
        "A pairwise trait says which of two responses is better. The win rate is that of the"
        " traces' own response over the other; a tie counts half. Turned is the share of cells in"
        " which the judge chose otherwise when the two had changed places: its position bias."
    )

    def weaknesses(self, trait: PairwiseRubricTrait) -> Iterator[Weakness]:
        """Yield a weakness of the description: it is missing, or asks for two things at once.

        A blank description counts as missing.
        """
        text = trait.description or ""
        path = ("description",)
        if not text.strip():
            reason = f"a judge is asked only with the name {quoted(trait.name)}"
            yield Weakness(
                "bare",
                path,
                reason,
                "describe what makes a response the better one",
            )
        yield from find_weaknesses(text, path, "compound")

    def form(self, trait: PairwiseRubricTrait) -> str:
        return "A, B or tie" if trait.tie else "A or B"

    def lacking(self, trait: PairwiseRubricTrait, trace: Trace) -> str:
        """Return the sentence that a trace has only one response to compare; else ""."""
        if trace.other is None:
            return "This trait compares two responses, and the trace has one: give it an other."
        return ""

    # -- tables -----------------------------------------------------------------------------------

    def faults(
        self,
        trait: PairwiseRubricTrait | None,
        trace: Trace,
        table: Table,
    ) -> Iterator[Fault]:
        """Yield what is wrong with a table: its verdict, `orders`, `rationale` or excerpts.

        `orders` must be the two verdicts of a judge that was asked in both orders, or empty. If the
        trait is None, any verdict that some trait could have is right; all else is checked as with
        one.
        """
        yield from super().faults(trait, trace, table)
        orders = table.get("orders", [])
        is_pair = isinstance(orders, list) and len(orders) in (0, 2)
        if not is_pair or not all(order in _VERDICTS for order in orders):
            verdicts = ", ".join(map(quoted, _VERDICTS))
            shown_value = describe_value(orders)
            wrong = f"must be two of {verdicts}, not {shown_value}"
            yield Fault(("orders",), wrong)
        rationale = table.get("rationale", "")
        if not isinstance(rationale, str):
            shown_value = describe_value(rationale)
            yield Fault(("rationale",), f"must be text, not {shown_value}")
        if "evidence" in table or "items" in table:
            pair = as_pair(trace, 0) if trait is None else trait.as_read(trace)
            yield from pair_labels.excerpt_faults(pair, table)

    def locate(
        self,
        trait: PairwiseRubricTrait,
        trace: Trace,
        table: Table,
    ) -> dict[str, Any]:
        """Return a judgment's table with verdict, `orders`, `rationale`, and excerpts looked up.

        The verdict is such as {"value": 1, "class": "other"}. `evidence` has the words of the
        excerpts, and `items` their answers and their offsets in the text of the pair. What is not
        given, and any other key, is left out. `table` must be free of faults and is not changed.
        """
        located = trait.table(self.value(trait, table))
        for key in ("orders", "rationale", "evidence"):
            if table.get(key):
                located[key] = table[key]
        if table.get("evidence"):
            located["items"] = list(pair_labels.placed(trait.as_read(trace), table))
        return located

    def labels(self, trait: PairwiseRubricTrait, trace: Trace, table: Table) -> Labels:
        """Return the labels of a table that `locate` has made.

        Its verdict is both current and the judge's own; without one both are None. Its excerpts are
        the judge's.
        """
        value = self.value(trait, table)
        orders = tuple(table.get("orders", ()))
        given: tuple[pair_labels.Excerpt, ...] = ()
        if table.get("evidence"):
            given = pair_labels.excerpts(trait.as_read(trace), table)
        return Labels(value, value, is_swapped(trace, trait.seed), orders, given)

    def unjudged(self, trait: PairwiseRubricTrait, trace: Trace, table: Table) -> str:
        """Return a sentence if the judge's verdicts differ and the trait allows no tie; else "".

        The two are its verdicts with either response first: such a judge "turned".
        """
        if not trait.tie and len(set(table.get("orders", ()))) > 1:
            return TURNED_FAILURE
        return ""

    # -- corrections ------------------------------------------------------------------------------

    def edit(self, row: Table) -> Any:
        """Return the edit in a row of a fact or file: of an excerpt, else of the verdict.

        A row is of an excerpt if its action is one of `edits.ACTIONS`. Raises ValueError, with what
        is wrong or would be right, for a row that is no edit.
        """
        if row.get("action") in edits.ACTIONS:
            return ExcerptEdit.from_row(row)
        return super().edit(row)

    def permit(
        self,
        trait: PairwiseRubricTrait,
        trace: Trace,
        labels: Labels,
        edit: Any,
    ) -> Any:
        """Return an edit as it is kept; selected words are kept with the answer they are from.

        An edit that gives a verdict gets the name of its class, and becomes a "restore" if it gives
        an overruled verdict the judge's own value again. Raises Refused for words that are not
        within one answer.
        """
        if isinstance(edit, ExcerptEdit):
            return edits.permitted(trait.as_read(trace), edit)
        return super().permit(trait, trace, labels, edit)

    def apply(
        self,
        trait: PairwiseRubricTrait,
        trace: Trace,
        labels: Labels,
        edit: Any,
    ) -> Outcome[Labels]:
        """Return the labels after an edit, with its effect as two texts: before and after.

        For an edit of the verdict these are A, B, tie or "cannot tell", as the sides are on the
        screen, and "" for no verdict. For an edit of an excerpt they are its text. A new verdict
        starts without a person's excerpts; if it is the judge's own verdict again, the judge's
        excerpts are current again. Raises Refused, with advice, for an edit that changes nothing or
        is not possible.
        """
        if isinstance(edit, ExcerptEdit):
            return edits.apply(trait, trait.as_read(trace), labels, edit)
        scale: Any = scale_of(trait, trace)
        outcome = super().apply(scale, trace, labels, edit)
        labelled = replace(
            outcome.labels,
            is_swapped=is_swapped(trace, trait.seed),
            own_evidence=(),
        )
        return outcome._replace(labels=labelled)

    def toward(
        self,
        trait: PairwiseRubricTrait,
        trace: Trace,
        labels: Labels,
        table: Table,
    ) -> Sequence[Any]:
        """Return the edits that lead from labels to a table's: its verdict, then its excerpts.

        Without a verdict in the table the current one stays, but without excerpts in it the current
        ones are dropped. Raises Refused for a verdict that the trait does not have.
        """
        target = self.labels(trait, trace, self.locate(trait, trace, table))
        steps: list[Any] = []
        current = labels
        if target.value is not None and not same(target.value, labels.value):
            giving = self.permit(trait, trace, labels, self.giving(target.value))
            steps.append(giving)
            current = self.apply(trait, trace, labels, giving).labels
        return [*steps, *edits.edits_toward(current, target)]

    def anchor(self, trait: PairwiseRubricTrait, labels: Labels, edit: Any) -> Any:
        """Return what an edit depends on, for `carried` to apply the edit to other labels.

        Raises IndexError for an edit of an excerpt that the labels do not have.
        """
        if isinstance(edit, ExcerptEdit):
            return edits.anchor(trait, labels, edit)
        return super().anchor(trait, labels, edit)

    def carried(
        self,
        trait: PairwiseRubricTrait,
        labels: Labels,
        edit: Any,
        anchor: Any,
    ) -> Any:
        """Return an edit for other labels, or None if they already say what it would do.

        `anchor` is what `anchor()` returned when the edit was made. Raises Refused if the question
        is another one, if what the edit is about is not there any more, or, for an edit of an
        excerpt, if the verdict is another one.
        """
        if isinstance(edit, ExcerptEdit):
            return edits.carried(trait, labels, edit, anchor)
        return super().carried(trait, labels, edit, anchor)

    def describe(self, edit: Any, before: str, after: str) -> str:
        """Return what an edit of the verdict or of an excerpt did, in the past tense.

        For example "changed the verdict: A → B", "gave the verdict: B" if `before` is "", "took the
        change back: B → A" for a "restore", and "added evidence: “it rains”". `before` and `after`
        are the verdict, or the excerpt's text, before and after the edit; "" for none.
        """
        if isinstance(edit, ExcerptEdit):
            return described(edit.action, before, after)
        return super().describe(edit, before, after)

    def brief(self, edit: Any) -> str:
        """Return the sort of an edit in a word or two: "verdict", "taken back" or "add evidence".

        For one of an excerpt it is what was done, also "drop", "replace" or "reword".
        """
        if isinstance(edit, ExcerptEdit):
            return f"{edit.action} evidence"
        return super().brief(edit)

    def remarks(
        self,
        trait: PairwiseRubricTrait,
        before: Labels,
        after: Labels,
    ) -> Sequence[str]:
        """Return one sentence if a new verdict left a person's excerpts behind; else an empty list.

        Keys are written in it as `{id:usual key}`, for `with_keys`.
        """
        if before.value == after.value or not before.own_evidence:
            return []
        sentence = (
            "The excerpts spoke for the verdict before and are not kept for this one:"
            " {cell.undo:u} brings both back."
        )
        return [sentence]

    # -- numbers ----------------------------------------------------------------------------------

    def measures(self, trait: PairwiseRubricTrait) -> Sequence[Measure]:
        """Return the win rate of the traces' own responses, and how often the judge turned.

        A judge turned if its verdict changed when the responses changed places. The trait's
        headline is marked, or the win rate if it names none.
        """
        measures = [
            Measure(WIN_RATE, "Win", higher_is_better=None, word="better"),
            Measure(TURNED, "Turned", higher_is_better=False),
        ]
        return with_headline(measures, trait.headline or WIN_RATE)

    def measure(self, trait: PairwiseRubricTrait, labels: Labels) -> Figures:
        """Return the win of one cell (1, ½ for a tie, 0), and whether its judge turned.

        The win is that of the trace's own response; it is undefined without a verdict and for
        "cannot tell". A judge turned if its verdict changed when the responses changed places; that
        is undefined unless both verdicts are known, and its count is 0 then. "Cannot tell" is
        counted only if the trait allows it. The words "verdict" and "better" are the side as a
        person sees it, and "class" is the name that files have; without a verdict there are none,
        and for "cannot tell" there is no "class".
        """
        turned = float(labels.is_turned) if labels.orders else None
        counts = {TURNED: int(labels.is_turned)}
        if trait.cannot_tell:
            counts[CANNOT_TELL_COUNT] = int(labels.value == CANNOT_TELL)
        if labels.value is None:
            return Figures.of({WIN_RATE: None, TURNED: turned}, counts)
        sided = self._screen_verdict(trait, labels)
        words = {"verdict": sided, "better": sided}
        if labels.value == CANNOT_TELL:
            return Figures.of(
                {WIN_RATE: None, TURNED: turned},
                counts,
                words=words,
                cannot_tell=frozenset({WIN_RATE}),
            )
        words["class"] = trait.describe(labels.value)
        return Figures.of(
            {WIN_RATE: _WINS[int(labels.value)], TURNED: turned},
            counts,
            words=words,
        )

    def _screen_verdict(self, trait: PairwiseRubricTrait, labels: Labels) -> str:
        """Return the verdict of labels as the screen says it: A, B, tie or "cannot tell".

        A is the response that stood first for these labels, which is the other one if they are
        swapped. "" without a verdict.
        """
        return SidedScale(trait, is_swapped=bool(labels.is_swapped)).describe(
            labels.value,
        )

    # -- evidence ---------------------------------------------------------------------------------

    def checks(self, trait: PairwiseRubricTrait, labels: Labels) -> Sequence[Check]:
        """Return a check "unverified" for each excerpt of the verdict that is not in its answer.

        It quotes at most 60 letters: "“it rains” is not in answer B.", with the letter that a
        person sees. The judge's excerpts for another verdict than the current one are not checked.
        Empty if all are there.
        """
        faults = []
        for excerpt in labels.supporting:
            if excerpt.span is None:
                letter = letter_of(excerpt.answer, is_swapped=bool(labels.is_swapped))
                sentence = f"“{excerpt.text[:60]}” is not in answer {letter}."
                faults.append(Check("unverified", sentence))
        return faults

    def evidence(self, trait: PairwiseRubricTrait, labels: Labels) -> Sequence[Span]:
        """Return the words of both answers that the current verdict is based on."""
        return [Span(*excerpt.span) for excerpt in labels.supporting if excerpt.span]

    # -- the one answer ---------------------------------------------------------------------------

    def grounds(
        self,
        trait: PairwiseRubricTrait,
        labels: Labels,
        asked: Instruction,
    ) -> Grounds:
        """Return the verdict in the words of the screen, and the spans of its excerpts.

        The word is "A", "B", "tie" or "cannot tell", and without a verdict "unanswered". Excerpts
        that are not in their answer are given by their words. All excerpts count, whatever is
        `asked`.
        """
        evidence = self.evidence(trait, labels)
        spans = tuple((span.start, span.end) for span in evidence)
        not_found: list[str] = []
        for excerpt in labels.supporting:
            if excerpt.span is None:
                not_found.append(excerpt.text)
        answer = self._screen_verdict(trait, labels) or UNANSWERED
        return Grounds(answer, "", spans, tuple(not_found))

    def write(self, labels: Labels) -> dict[str, Any]:
        """Return the labels as a judgment of an audit file has them, by key.

        "audited" has the verdict as a number, the name of the response that won as `class`, both
        orders, and the excerpts that speak for it; "items" has their answers and offsets. What is
        not known is left out; "cannot tell" has no class.
        """
        audited: dict[str, Any] = {}
        if labels.value is not None:
            audited["value"] = labels.value
        if labels.value in range(len(WINNERS)):
            audited["class"] = WINNERS[int(labels.value or 0)]
        if labels.orders:
            audited["orders"] = list(labels.orders)
        if not labels.supporting:
            return {"audited": audited}
        texts: list[str] = []
        items: list[dict[str, Any]] = []
        for index, excerpt in enumerate(labels.supporting):
            texts.append(excerpt.text)
            items.append(excerpt.row(index))
        audited["evidence"] = texts
        return {"audited": audited, "items": items}


KIND = PairwiseKind()
