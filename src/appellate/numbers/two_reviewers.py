"""How far two reviewers of the same cells agree, and whether the judge may replace one of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct, field

from appellate.core.agreement import (
    Agreement,
    Answers,
    Known,
    PairCounts,
    cluster_of,
    number_of,
)
from appellate.core.kind import CANNOT_TELL_COUNT, AnyKind, Instruction, TraitKey
from appellate.core.problem import many
from appellate.core.trace import name_of
from appellate.numbers.formatting import figure
from appellate.stats.alt_test import EPSILON, LEAST, AltTest, JudgedItem, alt_test
from appellate.store.audits.audit import CellKey
from appellate.store.audits.two_audits import AuditSide, CellPair, TwoAudits

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


class ReviewersAgreement(Struct, dict=True):
    """How two agree under one trait, over cells that both labelled blind, or over the others.
    `reason` is why only counts are shown. In `untold` cells one of the two could not tell an answer
    or more; these are in no agreement, but other answers of such a cell are.
    """

    trait: str
    kind: AnyKind
    is_blind: bool
    reason: str
    cells: int = 0
    untold: int = 0
    _vocabulary: dict[str, None] = field(default_factory=dict)
    _pairs: PairCounts = field(default_factory=PairCounts)
    _by_question: dict[Instruction, PairCounts] = field(default_factory=dict)
    _differing: dict[Instruction, list[ItemDifference]] = field(default_factory=dict)

    def add(self, pair: CellPair) -> None:
        """Count a cell that both labelled, with each question that both answered.

        Only questions of lists that the kind compares count for `agreement`, or all if it compares
        none. A cell in which one of the two could not tell something counts in `untold`, too.
        """
        subject = pair.first.subject
        trace = subject.trace
        self.cells += 1
        self.untold += pair.untold
        self._vocabulary |= dict.fromkeys(self.kind.vocabulary(subject.trait))
        trace_name = name_of(*trace.key)
        cluster = cluster_of(trace.cluster, trace.id)
        for question, answers in pair.answers():
            if not self.kind.compared or question.of in self.kind.compared:
                self._pairs.add(cluster, answers)
            pairs_of_question = self._by_question.setdefault(question, PairCounts())
            pairs_of_question.add(cluster, answers)
            differing = self._differing.setdefault(question, [])
            first_answer, second_answer = answers
            if first_answer != second_answer:
                differing.append(ItemDifference(trace_name, answers))

    @cached_property
    def agreement(self) -> Agreement:
        """How the two agree on all questions of lists that the kind compares, or on all if none.

        Answers that one of the two could not tell are in no pair. It is computed once: no cell must
        be added after that.
        """
        return self._agreement_of(self._pairs)

    @cached_property
    def questions(self) -> Sequence[QuestionAgreement]:
        """How the two agree on each question, in the order of the cells; computed once.

        Questions of all lists are in it. Each has the traces on which the two differ.
        """
        return [
            QuestionAgreement(
                question,
                self._agreement_of(pairs),
                self._differing[question],
            )
            for question, pairs in self._by_question.items()
        ]

    def _agreement_of(self, pairs: PairCounts) -> Agreement:
        """Return how the two agree on some pairs of answers, with the answers that the trait lists.

        If there is a reason to show counts only, it has that.
        """
        return pairs.agreement(self.kind.positives, self._vocabulary, self.reason)


def by_trait(pairs: Iterable[CellPair], reason: str = "") -> list[ReviewersAgreement]:
    """Return how two reviewers agree on each trait, in the order of the cells.

    Traits of one name and of two kinds are entries apart. Cells that both labelled blind are one,
    too. `reason` is why only counts are shown, "" if more may be. Empty without cells.
    """
    by_trait_and_sight: dict[tuple[TraitKey, bool], ReviewersAgreement] = {}
    for pair in pairs:
        subject = pair.first.subject
        key = subject.trait_key, pair.is_blind
        empty_agreement = ReviewersAgreement(
            subject.trait.name,
            subject.kind,
            pair.is_blind,
            reason,
        )
        by_trait_and_sight.setdefault(key, empty_agreement).add(pair)
    return list(by_trait_and_sight.values())


# -- as JSON --------------------------------------------------------------------------------------


def comparison_document(
    two: TwoAudits,
    traits: Iterable[ReviewersAgreement],
) -> dict[str, Any]:
    """Return the comparison of two audits as `compare --json` prints it.

    The keys are format, audits, differences, cells, compared and traits. Each of the two "audits"
    has file, name, reviewers and signed. "differences" are sentences on how the audits differ,
    "cells" is how many both have, and "compared" how many are compared. "traits" has the agreement
    of both on each trait.
    """
    return {
        "format": FORMAT,
        "audits": [_side(two.first, two.signed[0]), _side(two.second, two.signed[1])],
        "differences": list(two.notes),
        "cells": two.cells,
        "compared": len(two.pairs),
        "traits": list(map(_trait, traits)),
    }


def _side(side: AuditSide, signed: int) -> dict[str, Any]:
    """Return one of the two audits as plain data: file, name, reviewers and signed.

    `signed` counts its cells signed off.
    """
    return {
        "file": str(side.path),
        "name": side.name,
        "reviewers": list(side.audit.reviewers),
        "signed": signed,
    }


def _trait(trait: ReviewersAgreement) -> dict[str, Any]:
    """Return how two reviewers agree on a trait, as plain data.

    The keys are name, kind, blind, cells, cannot_tell, answers, alike, traces, coefficients, pairs
    and questions. `reason` is there, too, where counts alone may be shown. "cannot_tell" counts
    cells in which one of the two could not tell, "answers" what both answered, and "alike" where
    they agree. "questions" has a table for each.
    """
    return {
        "name": trait.trait,
        "kind": trait.kind.name,
        "blind": trait.is_blind,
        "cells": trait.cells,
        CANNOT_TELL_COUNT: trait.untold,
        **_figures(trait.agreement),
        "questions": list(map(_question, trait.questions)),
    }


def _question(question_agreement: QuestionAgreement) -> dict[str, Any]:
    """Return how two reviewers agree on a question, as plain data, with all that they differ on.

    The keys are of, number, text, answers, alike, traces, coefficients, pairs and differing.
    `reason` is there, too, where counts alone may be shown. Each of "differing" has the trace and
    both answers, `one` and `other`.
    """
    question = question_agreement.question
    differing: list[dict[str, str]] = []
    for item in question_agreement.differing:
        first_answer, second_answer = item.answers
        differing.append(
            {"trace": item.trace, "one": first_answer, "other": second_answer},
        )
    return {
        "of": question.of,
        "number": question.number,
        "text": question.text,
        **_figures(question_agreement.agreement),
        "differing": differing,
    }


def _figures(agreement: Agreement) -> dict[str, Any]:
    """Return an agreement of two reviewers as plain data: coefficients, and counts of pairs.

    The keys are answers, alike, traces, coefficients and pairs. "coefficients" has a table for each
    by its name, with value, low, high and clusters, at 95 %; they are None where nothing is known,
    as of too few answers. "pairs" are sorted by the answers, each with one, other and n, how often
    it occurs. Where counts alone may be shown, `reason` says why, and all coefficients are None.
    Else there is no such key.
    """
    coefficients: dict[str, Any] = {}
    for name in agreement.coefficients:
        coefficients[name] = _coefficient_table(agreement.known(name))
    pairs: list[dict[str, Any]] = []
    for (first_answer, second_answer), count in sorted(agreement.counts.items()):
        pairs.append({"one": first_answer, "other": second_answer, "n": count})
    reason = {"reason": agreement.reason} if agreement.reason else {}
    return {
        **reason,
        "answers": agreement.n,
        "alike": agreement.agreed,
        "traces": agreement.traces,
        "coefficients": coefficients,
        "pairs": pairs,
    }


def _coefficient_table(coefficient: Known) -> dict[str, float | int | None]:
    """Return a coefficient as plain data: value, low, high, and clusters, which is a count.

    low, high and clusters are None without an interval, and value if it is not known.
    """
    table: dict[str, float | int | None] = {
        "value": coefficient.value,
        "low": None,
        "high": None,
        "clusters": None,
    }
    bounds = coefficient.bounds
    if bounds is not None:
        table["low"] = bounds.low
        table["high"] = bounds.high
        table["clusters"] = bounds.clusters
    return table


# -- whether the judge may stand in for one of them ------------------------------------------------


BIASED = (
    "They had the judge in sight, which draws people to what it says: the test is a fair one only"
    " of verdicts ruled blind."
)


class StandIn(Struct, frozen=True):
    """The test under one trait, of cells that all ruled blind, or not; `test` is None where no
    person has enough answers, or for a `reason`. `items` are the answers that the judge and two
    people gave.
    """

    trait: str
    is_blind: bool
    people: tuple[str, ...]
    items: int
    test: AltTest | None
    epsilon: float
    reason: str = ""


class _ThirdRuling(NamedTuple):
    """What is needed of a third person's cell, beside that of the first."""

    is_blind: bool
    is_judged_alike: bool
    answers: Mapping[Instruction, str]
    """The third person's answers to questions that the first answered, too."""

    @classmethod
    def of(cls, pair: CellPair) -> "_ThirdRuling":
        """Return what a third person ruled on a cell, by the pair of the first person's and theirs.

        It has the third person's answers, whether both labelled blind, and whether both were shown
        the same labels of a judge. Questions that either did not answer are left out.
        """
        answers: dict[Instruction, str] = {}
        for question, (_, third_answer) in pair.answers():
            answers[question] = third_answer
        return cls(pair.is_blind, pair.is_judged_alike, answers)


def stand_ins(
    two: TwoAudits,
    third: TwoAudits | None = None,
    epsilon: float = EPSILON,
) -> list[StandIn]:
    """Return for each trait whether the judge could stand in for one of the reviewers.

    Only cells for which all were shown the same labels of a judge count. Those that all labelled
    blind are an entry apart from the others. `third` has the first audit beside one of a third
    person, whose answers may be missing. `epsilon` is how much closer to the others than the judge
    a person may be, as a share of the questions. The test is None if only counts may be shown, and
    if no person has `LEAST` answers. Empty without such cells.
    """
    gathered: dict[tuple[TraitKey, bool], list[JudgedItem]] = {}
    third_rulings: dict[CellKey, _ThirdRuling] = {}
    people = [two.first.name, two.second.name]
    reason = two.reason
    if third:
        for pair in third.pairs:
            third_rulings[pair.key] = _ThirdRuling.of(pair)
        people.append(third.second.name)
        reason = max(reason, third.reason)
    for pair in two.pairs:
        ruling = third_rulings.get(pair.key)
        if not pair.is_judged_alike or (ruling and not ruling.is_judged_alike):
            continue
        is_blind = pair.is_blind and (ruling is None or ruling.is_blind)
        subject = pair.first.subject
        key = subject.trait_key, is_blind
        gathered.setdefault(key, []).extend(_items(pair, ruling, len(people)))
    tests: list[StandIn] = []
    for ((_, trait), is_blind), items in gathered.items():
        test = None
        if not reason:
            test = alt_test(items, epsilon, positions=_scores(items))
        tests.append(
            StandIn(trait, is_blind, tuple(people), len(items), test, epsilon, reason),
        )
    return tests


def _items(
    pair: CellPair,
    ruling: _ThirdRuling | None,
    people: int,
) -> Iterator[JudgedItem]:
    """Yield the questions of a cell that the judge and the first two people answered.

    `ruling` has the third person's answers; None is one that is missing. `people` is how many
    people there are, 2 or 3. Questions of lists that the kind does not compare, and those that the
    judge could not tell, are left out.
    """
    subject = pair.first.subject
    judge = pair.first.judge_answers
    untold = subject.kind.untold(subject.trait)
    third = ruling.answers if ruling else {}
    cluster = cluster_of(subject.trace.cluster, subject.trace.id)
    for question, answers in pair.answers():
        if subject.kind.compared and question.of not in subject.kind.compared:
            continue
        if question in judge and judge[question] not in untold:
            people_answers = (*answers, third.get(question))
            yield JudgedItem(judge[question], people_answers[:people], cluster)


def _scores(items: Iterable[JudgedItem]) -> Mapping[str, float] | None:
    """Return the number that each answer is; None if any answer is no number.

    With them the test counts how near answers are. A missing answer does not matter.
    """
    scores: dict[str, float] = {}
    for item in items:
        for answer in (item.judge, *item.people):
            if answer is None:
                continue
            number = number_of(answer)
            if number is None:
                return None
            scores[answer] = number
    return scores


# -- in sentences ---------------------------------------------------------------------------------


def stand_in_text(stand_in: StandIn) -> Iterator[str]:
    """Yield in sentences whether the judge could stand in for one of the reviewers.

    The result of the test comes first, then one for each person. A last one says if the verdicts
    were not blind. Without a test it is one sentence, which says why.
    """
    if stand_in.reason:
        yield f"Whether the judge may stand in for one of them is left out. {stand_in.reason}"
        return
    if stand_in.test is None:
        yield (
            f"Whether the judge may stand in for one of them is shown from {LEAST} answers on that"
            f" the judge and both gave: there are {stand_in.items}."
        )
        return
    verdict = "passes" if stand_in.test.passes else "does not pass"
    tested = [against for against in stand_in.test.against if against is not None]
    win_count = sum(against.wins for against in tested)
    won = f"{win_count} of {many(len(tested), 'person', 'people')}"
    yield (
        f"The judge {verdict} the alternative annotator test (arXiv 2501.10970) at ε"
        f" {stand_in.epsilon:g}: it wins against {won}. On the mean it is as close to"
        f" the others as the person left out, or closer, {figure(stand_in.test.advantage)} of"
        " the time."
    )
    for name, against in zip(stand_in.people, stand_in.test.against, strict=True):
        if against is None:
            yield f"{name}: fewer than {LEAST} answers with another's beside them."
            continue
        yield (
            f"{name}: {many(against.n, 'answer')}, {figure(against.advantage)},"
            f" p {figure(against.p)}."
        )
    if not stand_in.is_blind:
        yield BIASED


def stand_in_table(stand_in: StandIn) -> dict[str, Any]:
    """Return the test of the judge as a stand-in as `compare --json` has it.

    The keys are trait, items, epsilon, people, blind, winning_rate, advantage and passes. "people"
    has a table of each person with name, n, advantage, p and wins; of one with too few answers it
    has the name only. Without a test, as with too few answers, the last three keys are None, and no
    people are listed. Where counts alone may be shown there is no test, and `reason` says why. Else
    there is no such key.
    """
    table: dict[str, Any] = {
        "trait": stand_in.trait,
        "items": stand_in.items,
        "epsilon": stand_in.epsilon,
        "people": [],
        "blind": stand_in.is_blind,
        "winning_rate": None,
        "advantage": None,
        "passes": None,
    }
    if stand_in.reason:
        table["reason"] = stand_in.reason
    test = stand_in.test
    if test is None:
        return table
    for name, against in zip(stand_in.people, test.against, strict=True):
        person: dict[str, Any] = {"name": name}
        if against is not None:
            person.update(against._asdict())
        table["people"].append(person)
    table["winning_rate"] = test.winning_rate
    table["advantage"] = test.advantage
    table["passes"] = test.passes
    return table
