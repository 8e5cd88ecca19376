"""How far two reviewers of the same cells agree: trait by trait, and question by question with the
traces where they differ.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from appellate.core.agreement import Agreement, Answers, Known, PairCounts, cluster_of
from appellate.core.kind import AnyKind, Instruction
from appellate.core.trace import name_of
from appellate.store.two_audits import AuditSide, CellPair, TwoAudits

FORMAT = "appellate-compare/1"


class ItemDifference(NamedTuple):
    """A question that the two answer otherwise, by the trace."""

    trace: str
    answers: Answers


class QuestionAgreement(Struct, frozen=True):
    """How the two answer one question over all cells that are asked it."""

    question: Instruction
    agreement: Agreement
    differing: Sequence[ItemDifference]


class ReviewersAgreement(Struct, frozen=True):
    """How the two agree under one trait, over cells that both labelled blind, or not both: these
    are never put together.
    """

    trait: str
    kind: AnyKind
    is_blind: bool
    cells: int
    agreement: Agreement
    questions: Sequence[QuestionAgreement]


class _TraitPairs(Struct):
    """The answers under one trait, as they are gathered."""

    kind: AnyKind
    reason: str
    vocabulary: dict[str, None] = field(default_factory=dict)
    cells: int = 0
    pairs: PairCounts = field(default_factory=PairCounts)
    by_question: dict[Instruction, PairCounts] = field(default_factory=dict)
    differing: dict[Instruction, list[ItemDifference]] = field(default_factory=dict)

    def add(self, pair: CellPair) -> None:
        subject, trace = pair.one.subject, pair.one.subject.trace
        self.cells += 1
        self.vocabulary |= dict.fromkeys(self.kind.vocabulary(subject.trait))
        name, cluster = name_of(*trace.key), cluster_of(trace.cluster, trace.id)
        for question, answers in pair.answers():
            if not self.kind.compared or question.of in self.kind.compared:
                self.pairs.add(cluster, answers)
            self.by_question.setdefault(question, PairCounts()).add(cluster, answers)
            differing = self.differing.setdefault(question, [])
            if answers[0] != answers[1]:
                differing.append(ItemDifference(name, answers))

    def agreement(self, pairs: PairCounts) -> Agreement:
        return pairs.agreement(self.kind.positives, self.vocabulary, self.reason)

    def questions(self) -> Iterator[QuestionAgreement]:
        for question, pairs in self.by_question.items():
            yield QuestionAgreement(question, self.agreement(pairs), self.differing[question])


def by_trait(pairs: Iterable[CellPair], reason: str = "") -> list[ReviewersAgreement]:
    """Every trait in the order of the cells; what both labelled blind stands apart. `reason` is
    why nothing but counts is shown.
    """
    gathered: dict[tuple[str, bool], _TraitPairs] = {}
    for pair in pairs:
        subject = pair.one.subject
        key = subject.trait.name, pair.is_blind
        gathered.setdefault(key, _TraitPairs(subject.kind, reason)).add(pair)
    return [
        ReviewersAgreement(
            name, of.kind, is_blind, of.cells, of.agreement(of.pairs), list(of.questions())
        )
        for (name, is_blind), of in gathered.items()
    ]


# -- as JSON --------------------------------------------------------------------------------------


def comparison_document(two: TwoAudits, traits: Iterable[ReviewersAgreement]) -> dict[str, Any]:
    """The comparison as `compare --json` prints it."""
    return {
        "format": FORMAT,
        "audits": [_side(two.one, two.signed[0]), _side(two.other, two.signed[1])],
        "differences": list(two.notes),
        "cells": two.cells,
        "compared": len(two.pairs),
        "traits": list(map(_trait, traits)),
    }


def _side(side: AuditSide, signed: int) -> dict[str, Any]:
    return {
        "file": str(side.path),
        "name": side.name,
        "reviewers": list(side.audit.reviewers),
        "signed": signed,
    }


def _trait(trait: ReviewersAgreement) -> dict[str, Any]:
    return {
        "name": trait.trait,
        "kind": trait.kind.name,
        "blind": trait.is_blind,
        "cells": trait.cells,
        **_figures(trait.agreement),
        "questions": list(map(_question, trait.questions)),
    }


def _question(one: QuestionAgreement) -> dict[str, Any]:
    return {
        "of": one.question.of,
        "number": one.question.number,
        "text": one.question.text,
        **_figures(one.agreement),
        "differing": [
            {"trace": item.trace, "one": item.answers[0], "other": item.answers[1]}
            for item in one.differing
        ],
    }


def _figures(found: Agreement) -> dict[str, Any]:
    """What the answers come to; null is of too few, or undefined."""
    pairs = [
        {"one": one, "other": other, "n": count}
        for (one, other), count in sorted(found.counts.items())
    ]
    reason = {"reason": found.reason} if found.reason else {}
    return {
        **reason,
        "answers": found.n,
        "alike": found.agreed,
        "traces": found.traces,
        "coefficients": {name: _known(found.known(name)) for name in found.coefficients},
        "pairs": pairs,
    }


def _known(known: Known) -> dict[str, float | int | None]:
    """A coefficient with its 95 % interval, null where there is none."""
    if known.bounds is None:
        return {"value": known.value, "low": None, "high": None, "clusters": None}
    low, high, _, clusters = known.bounds
    return {"value": known.value, "low": low, "high": high, "clusters": clusters}
