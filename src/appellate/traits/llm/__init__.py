"""Defines the LLM kind: one question that a model answers with a verdict (yes or no, a score, a
class).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, cast

from appellate.core.kind import (
    CANNOT_TELL,
    CannotTell,
    Check,
    Fault,
    Grounds,
    Instruction,
    OtherOrder,
    QueryField,
    Reworded,
    Rewording,
    Span,
    Table,
    Weakness,
    asked_by,
    read_name,
)
from appellate.core.problem import quoted
from appellate.core.trace import Trace
from appellate.traits.llm import edits, labels
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.spec import LLMRubricTrait, renew
from appellate.traits.verdict.kind import (
    CLASS,
    COUNT_OF_CANNOT_TELL,
    VERDICT,
    VerdictKind,
)
from appellate.traits.verdict.scale import Value
from appellate.traits.weak_words import find_weaknesses

_FEW = 15  # words of a description that may explain its vague one


def _asks_the_same(trait: LLMRubricTrait, other: LLMRubricTrait) -> bool:
    """Return whether two traits ask a judge the same, so that labels of one hold for the other.

    What no request contains, such as which end of the scale is good, makes no difference.
    """
    return trait.asked() == other.asked()


# -- the one question asked otherwise -------------------------------------------------------------


def reordered(
    trait: LLMRubricTrait,
    reorder: OtherOrder,
) -> Sequence[Reworded[LLMRubricTrait]]:
    """Return a copy of the trait with its classes in another order, as the only element.

    `reorder` takes their number, and gives their indexes (from 0) in the new order. Returns an
    empty sequence if there are fewer than two classes.
    """
    names = trait.class_names
    if len(names) < 2 or trait.classes is None:  # noqa: PLR2004 - of one there is no other
        return ()
    classes = {
        names[index]: trait.classes[names[index]] for index in reorder(len(names))
    }
    return (_asking(trait, trait.model_copy(update={"classes": classes})),)


def negated(
    trait: LLMRubricTrait,
    contrary: str = "",
) -> Sequence[Reworded[LLMRubricTrait]]:
    """Return a copy of the trait with the contrary question, as the only element.

    Its name and question get the words `contrary` and a blank before them, or standard words if
    that is "": the name becomes "Not so: polite". The question is the description, or the name of a
    trait without one; the copy has it as its description. Its verdicts stay: true means that the
    contrary holds. Returns an empty sequence if the question is not answered by yes or no.
    """
    if trait.kind != "boolean":
        return ()
    words = contrary or "The following does not hold of the response:"
    changes = {
        "name": f"{contrary or 'Not so:'} {trait.name}",
        "description": f"{words} {trait.question}",
    }
    return (_asking(trait, trait.model_copy(update=changes)),)


def alone(trait: LLMRubricTrait) -> Sequence[Reworded[LLMRubricTrait]]:
    """Return an empty sequence: there is only one question."""
    return ()


def _asking(trait: LLMRubricTrait, variant: LLMRubricTrait) -> Reworded[LLMRubricTrait]:
    """Return a variant of a trait, noting that its question stands for the trait's own.

    What is found about the variant's question is thus told of the trait's.
    """
    return Reworded(
        variant,
        {("verdict", 1): Instruction("verdict", 1, trait.question)},
    )


class LLMKind(VerdictKind[LLMRubricTrait, Labels, Edit]):
    """The kind of traits that a model answers with a verdict and the excerpts that support it."""

    name = "llm"
    spec = LLMRubricTrait
    telling_keys = ("kind",)
    renew = staticmethod(renew)
    label_schema = labels.LABEL_SCHEMA
    types = (bool, int)
    untyped = "true, false or a whole number"
    missing = ((), "has no value")
    blank = Labels()
    asked = asked_by(
        "appellate.traits.llm.asking",
        _asks_the_same,
        attrgetter("material"),
    )
    rewording = Rewording(reordered, negated, alone)
    fields = (
        VERDICT,
        CLASS,
        QueryField(
            "evidence",
            "counts.evidence",
            "count",
            "how many excerpts support the verdict",
        ),
        COUNT_OF_CANNOT_TELL,
    )
    reading = (
        "A response answers the question of an LLM trait with one verdict: yes or no, a score, or a"
        " class. yes is the share of responses whose verdict is yes, be that good or bad; a class"
        " counts as its place in the trait's list, from 0, so that a mean of classes says something"
        " only where they are in order."
    )
    write = staticmethod(labels.write)
    apply = staticmethod(edits.apply)
    edit = staticmethod(Edit.from_row)
    anchor = staticmethod(edits.anchor)

    def toward(
        self,
        trait: LLMRubricTrait,
        trace: Trace,
        labels: Labels,
        table: Table,
    ) -> Sequence[Edit]:
        """Return edits that lead from labels to those of a table: the verdict, then the excerpts.

        An excerpt that no edit can make is left out, and so are all excerpts after it.
        """
        from appellate.traits.llm.toward import edits_toward  # for imports alone

        target = self.labels(trait, trace, self.locate(trait, trace, table))
        return edits_toward(labels, target)

    carried = staticmethod(edits.carried)
    describe = staticmethod(edits.describe)

    def notes(self, trait: LLMRubricTrait) -> Iterable[str]:
        """Return the trait's notes: predicates on keys that are legal but probably not meant."""
        return trait.notes()

    def weaknesses(self, trait: LLMRubricTrait) -> Iterator[Weakness]:
        """Yield weaknesses of the description, then of a score's scale.

        The description may be missing, or a yes-or-no question may ask for several things, a format
        or a mere keyword. A short one may be vague; one of a score may not say what its ends mean.
        """
        text = trait.description or ""
        path = ("description",)
        if not text.strip():
            reason = f"a judge is asked only with the name {quoted(trait.name)}"
            yield Weakness(
                "bare",
                path,
                reason,
                "describe what makes an answer one or the other",
            )
        if trait.kind == "boolean":
            yield from find_weaknesses(text, path, "compound")
            by_form = list(find_weaknesses(text, path, "format"))
            yield from by_form or find_weaknesses(trait.question, path, "keyword")
        if len(text.split()) <= _FEW:
            yield from find_weaknesses(text, path, "vague")
        ends = [
            re.search(rf"(?<!\d){end}(?!\d)", text) for end in (trait.low, trait.high)
        ]
        if trait.kind == "score" and text.strip() and not all(ends):
            reason = f"the description does not say what earns {trait.low} and what {trait.high}"
            fix = "describe both ends and the middle, so that a number means the same to everybody"
            yield Weakness("anchors", path, reason, fix)

    # -- tables -----------------------------------------------------------------------------------

    def faults(
        self,
        trait: LLMRubricTrait | None,
        trace: Trace,
        table: Table,
    ) -> Iterator[Fault]:
        """Yield what is wrong with a table: its "value" and "class", then its excerpts and reason.

        If the trait is None, any true, false or whole number is right, and any name of a class.
        Nothing is yielded if the table is right.
        """
        yield from super().faults(trait, trace, table)
        yield from labels.excerpt_faults(trace, table)

    def locate(
        self,
        trait: LLMRubricTrait,
        trace: Trace,
        table: Table,
    ) -> dict[str, Any]:
        """Return a judge's table with value, class and the offsets of its excerpts.

        For example {"value": True, "evidence": ["rain"], "items": [{"index": 0, "start": 3, "end":
        7}]}. The excerpts keep their words; the reason is kept as `rationale` if there is one.
        `table` is not changed.
        """
        located = trait.table(self.value(trait, table))
        located["evidence"] = list(table.get("evidence", ()))
        if table.get("rationale"):
            located["rationale"] = table["rationale"]
        return {**located, "items": list(labels.placed(trace, table))}

    def labels(self, trait: LLMRubricTrait, trace: Trace, table: Table) -> Labels:
        """Return the labels of a table that `locate` has made.

        Without a verdict in it, the value is None.
        """
        value = self.value(trait, table)
        name = ""
        if trait.kind == "literal" and value != CANNOT_TELL:
            name = trait.describe(value)
        evidence = labels.excerpts(trace, table)
        return Labels(value, name, evidence, table.get("rationale", ""))

    # -- corrections ------------------------------------------------------------------------------

    def giving(self, value: Value) -> Edit:
        """Return the edit that gives a verdict, without words for it."""
        return Edit("set", cast("int | CannotTell", value))

    def brief(self, edit: Edit) -> str:
        """Return an edit in a word or two: "verdict", or for example "drop evidence"."""
        return "verdict" if edit.action == "set" else f"{edit.action} evidence"

    # -- numbers and answers ----------------------------------------------------------------------

    def counts(self, labels: Labels) -> Mapping[str, int]:
        """Return the number of excerpts, also of those without offsets, by "evidence"."""
        return {"evidence": len(labels.evidence)}

    def likeness(self, labels: Labels) -> str | None:
        """Return what makes labels without excerpts alike, their verdict; None with excerpts."""
        return None if labels.evidence else repr(labels.value)

    def checks(self, trait: LLMRubricTrait, labels: Labels) -> Sequence[Check]:
        """Return a check "unverified" for each excerpt without offsets, as it is not in the text.

        It says, for example, “Paris” is not in the response; of longer words 60 letters are quoted.
        Empty if all excerpts have offsets.
        """
        faults = []
        for excerpt in labels.evidence:
            if not excerpt.span:
                sentence = f"“{excerpt.text[:60]}” is not in the {read_name(trait)}."
                faults.append(Check("unverified", sentence))
        return faults

    def evidence(self, trait: LLMRubricTrait, labels: Labels) -> Sequence[Span]:
        """Return the spans of the excerpts that are in the text, in order."""
        return [Span(*excerpt.span) for excerpt in labels.evidence if excerpt.span]

    def grounds(
        self,
        trait: LLMRubricTrait,
        labels: Labels,
        asked: Instruction,
    ) -> Grounds:
        """Return the verdict in words, the spans of its excerpts and the judge's reason.

        For example the word "yes" with the span (0, 4). Without a verdict the word is "unanswered".
        Excerpts that are not in the text are given by their words. All excerpts count, whatever is
        `asked`.
        """
        texts_not_found = tuple(
            excerpt.text for excerpt in labels.evidence if not excerpt.span
        )
        grounds = super().grounds(trait, labels, asked)
        return grounds._replace(loose=texts_not_found, reason=labels.rationale)

    def remarks(
        self,
        trait: LLMRubricTrait,
        before: Labels,
        after: Labels,
    ) -> Sequence[str]:
        """Return a sentence if a new verdict kept the excerpts of the verdict before.

        Empty for a first verdict, if excerpts changed too, and if there are none. Keys are written
        in it as `{id:usual key}`, for `with_keys`.
        """
        if not after.evidence or before.evidence != after.evidence:
            return []
        if before.value is None or before.value == after.value:
            return []
        return ["The evidence stayed: {llm.drop:d} drops what does not speak for it."]


KIND = LLMKind()
