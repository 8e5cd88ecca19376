"""The LLM kind: one question that a model answers by judgment: yes or no, a score, a class."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from appellate.core.kind import (
    Check,
    Fault,
    Grounds,
    Instruction,
    QueryField,
    Rewording,
    Span,
    Table,
    Weakness,
    asked_by,
)
from appellate.core.trace import Trace
from appellate.traits.llm import edits, labels, rewording
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.spec import OLD_KEYS, LLMRubricTrait, renew
from appellate.traits.verdict.kind import CLASS, VERDICT, VerdictKind
from appellate.traits.verdict.scale import Value


def _asks_the_same(trait: LLMRubricTrait, other: LLMRubricTrait) -> bool:
    return trait.asked() == other.asked()


class LLMKind(VerdictKind[LLMRubricTrait, Labels, Edit]):
    """A verdict that a model gives, and the excerpts that it rests on."""

    name = "llm"
    rubric_key = "llm_traits"
    spec = LLMRubricTrait
    old_keys = OLD_KEYS
    renew = staticmethod(renew)
    label_schema = labels.LABEL_SCHEMA
    types = (bool, int)
    untyped = "true, false or a whole number"
    missing = ((), "has no value")
    blank = Labels()
    reasons = ("rationale",)
    asked = asked_by("appellate.traits.llm.asking", _asks_the_same)
    rewording = Rewording(rewording.reordered, rewording.negated, rewording.alone)
    fields = (
        VERDICT,
        CLASS,
        QueryField(
            "evidence", "counts.evidence", "count", "how many excerpts the verdict rests on"
        ),
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
    carried = staticmethod(edits.carried)
    describe = staticmethod(edits.describe)

    def notes(self, trait: LLMRubricTrait) -> Iterable[str]:
        return trait.notes()

    def weaknesses(self, trait: LLMRubricTrait) -> Iterable[Weakness]:
        from appellate.traits.llm.weaknesses import weaknesses  # for `check --lint` alone

        return weaknesses(trait)

    # -- tables -----------------------------------------------------------------------------------

    def faults(self, trait: LLMRubricTrait | None, trace: Trace, table: Table) -> Iterator[Fault]:
        yield from super().faults(trait, trace, table)
        yield from labels.excerpt_faults(trace, table)

    def locate(self, trait: LLMRubricTrait, trace: Trace, table: Table) -> dict[str, Any]:
        """A judge's table with its value and class, and the offsets of its excerpts; its words
        stay.
        """
        value = self.value(trait, table)
        found = {} if value is None else self.table(trait, value)
        found["evidence"] = list(table.get("evidence", ()))
        if table.get("rationale"):
            found["rationale"] = table["rationale"]
        return {**found, "items": list(labels.placed(trace, table))}

    def labels(self, trait: LLMRubricTrait, trace: Trace, table: Table) -> Labels:
        value = self.value(trait, table)
        name = trait.describe(value) if trait.kind == "literal" else ""
        evidence = labels.excerpts(trace, table)
        return Labels(value, name, evidence, table.get("rationale", ""))

    # -- corrections ------------------------------------------------------------------------------

    def giving(self, value: Value) -> Edit:
        return Edit("set", cast("int", value))

    def brief(self, edit: Edit) -> str:
        """The sort of an edit: `verdict`, `add evidence`."""
        return "verdict" if edit.action == "set" else f"{edit.action} evidence"

    # -- numbers and answers ----------------------------------------------------------------------

    def counts(self, labels: Labels) -> Mapping[str, int]:
        return {"evidence": len(labels.evidence)}

    def checks(self, trait: LLMRubricTrait, labels: Labels) -> Sequence[Check]:
        """A sentence for each excerpt that is not in the response."""
        found = []
        for excerpt in labels.evidence:
            if not excerpt.span:
                sentence = f"“{excerpt.text[:60]}” is not in the response."
                found.append(Check("unverified", sentence))
        return found

    def evidence(self, trait: LLMRubricTrait, labels: Labels) -> Sequence[Span]:
        return [Span(*excerpt.span) for excerpt in labels.evidence if excerpt.span]

    def grounds(self, trait: LLMRubricTrait, labels: Labels, asked: Instruction) -> Grounds:
        loose = tuple(excerpt.text for excerpt in labels.evidence if not excerpt.span)
        grounds = super().grounds(trait, labels, asked)
        return grounds._replace(loose=loose, reason=labels.rationale)

    def remarks(self, trait: LLMRubricTrait, before: Labels, after: Labels) -> Sequence[str]:
        """That excerpts are still those of another verdict."""
        is_new = before.value not in (None, after.value)
        if is_new and before.evidence == after.evidence and after.evidence:
            return ["The evidence stayed: {llm.drop:d} drops what does not speak for it."]
        return []


KIND = LLMKind()
