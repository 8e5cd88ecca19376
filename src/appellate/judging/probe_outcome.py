"""What came of a probe: whose answers turned, how often, and how sure that is.

Answers are counted by trait and instruction, never told by cell: what a judge said of one may be
hidden from whoever reads this.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any

from msgspec import Struct

from appellate.core.kind import Instruction, Subject
from appellate.judges.proposal import Proposal
from appellate.judging.jobs import Job
from appellate.judging.probes import PlainAnswers, Probe, ProbeQuestion, ProbeTerms
from appellate.stats.proportions import share

FLOOR = 8
"""Units, traces or clusters of them, below which no share is told, only how many of how many."""


class AnswerPair(Struct, frozen=True):
    """Two answers to one instruction in one cell: to the plain question (`was`), and in a probe.

    `person` is the answer that was signed off, "" where none was.
    """

    trait: str
    instruction: Instruction
    cluster: str
    was: str
    now: str
    person: str = ""


def plain_answers(job: Job, proposal: Proposal, person: Mapping[Instruction, str]) -> PlainAnswers:
    """What a judge said to the plain question, beside the answers that a person signed off."""
    labels = _labels(job.subject, proposal)
    answers = job.subject.kind.answers(job.subject.trait, labels)
    return PlainAnswers(job, labels, answers, person)


def _labels(subject: Subject, proposal: Proposal) -> Any:
    """The labels that a judge's table stands for."""
    return subject.labels(subject.kind.locate(subject.trait, subject.trace, proposal.labels))


def pairs(plain: PlainAnswers, question: ProbeQuestion, proposal: Proposal) -> list[AnswerPair]:
    """The answers to a probe's question, each beside the plain one."""
    subject, trace = question.job.subject, plain.job.trace
    fields = subject.kind.answers(subject.trait, _labels(subject, proposal))
    now: dict[Instruction, str] = {}
    for one, answer in fields.items():
        meant = one
        if question.meant is not None:
            meant = question.meant[one.of, one.number]
        now[meant] = answer
    answer_pairs = []
    for one in question.about:
        if one in now:
            name, person = plain.job.subject.trait.name, plain.person.get(one, "")
            cluster, was = trace.cluster or trace.id, plain.answers[one]
            answer_pairs.append(AnswerPair(name, one, cluster, was, now[one], person))
    return answer_pairs


def counted(pairs: Iterable[AnswerPair]) -> dict[str, Any]:
    """How many answers turned, of how many, from how many units; from enough of them the share."""
    answers: Counter[str] = Counter()
    turned: Counter[str] = Counter()
    for pair in pairs:
        answers[pair.cluster] += 1
        turned[pair.cluster] += pair.was != pair.now
    fields: dict[str, Any] = {
        "turned": turned.total(),
        "answers": answers.total(),
        "units": len(answers),
    }
    if len(answers) < FLOOR:
        return fields
    found = share([(turned[cluster], of) for cluster, of in answers.items()])
    return {**fields, "share": found.value, "low": found.low, "high": found.high}


def outcome(
    probe: Probe,
    answer_pairs: list[AnswerPair],
    left_out: Mapping[str, int],
    failed: int,
    terms: ProbeTerms,
) -> dict[str, Any]:
    """The outcome of a probe as facts keep it: all answers, then by trait and instruction."""
    traits = []
    for name, of_trait in _by(answer_pairs, lambda pair: pair.trait).items():
        instructions: list[dict[str, Any]] = []
        for of, in_list in _by(of_trait, lambda pair: pair.instruction.of).items():
            asked = []
            for text, answers in _by(in_list, lambda pair: pair.instruction.text).items():
                number = min(pair.instruction.number for pair in answers)
                asked.append({"of": of, "number": number, "text": text, **counted(answers)})
            instructions += sorted(asked, key=itemgetter("number"))
        traits.append({"trait": name, **counted(of_trait), "instructions": instructions})
    reasons = [{"why": why, "cells": cells} for why, cells in Counter(left_out).most_common()]
    return {
        "expected": "turn" if probe.turn else "stay",
        "seed": terms.seed,
        "words": terms.words(probe.name),
        "floor": FLOOR,
        **counted(answer_pairs),
        "signed": _signed(answer_pairs),
        "failed": failed,
        "left_out": reasons,
        "traits": traits,
    }


def _signed(answer_pairs: Iterable[AnswerPair]) -> dict[str, int]:
    """Of the answers that a person signed off, how many the judge gave alike, either time."""
    answers = plain = probe = 0
    for pair in answer_pairs:
        if pair.person:
            answers += 1
            plain += pair.was == pair.person
            probe += pair.now == pair.person
    return {"answers": answers, "plain": plain, "probe": probe}


def _by(
    pairs: Iterable[AnswerPair], key: Callable[[AnswerPair], Any]
) -> dict[Any, list[AnswerPair]]:
    groups: dict[Any, list[AnswerPair]] = {}
    for pair in pairs:
        groups.setdefault(key(pair), []).append(pair)
    return groups
