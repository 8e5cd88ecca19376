"""Probing a judge: the same cells asked about otherwise, and what became of the answers.

No cell is changed. The same seed draws the same traces, so that nothing is asked twice.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.design_facts import Probed
from appellate.core.kind import Instruction, Reworded, Rewording, Subject
from appellate.core.step_progress import OnProgress
from appellate.core.trace import Trace, name_of
from appellate.core.transcript import retold
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import (
    Answered,
    JudgeRecord,
    JudgmentFailed,
    Outcome,
    Proposal,
    Question,
    answer_all,
    check_labels,
)
from appellate.judging import progress
from appellate.judging.choice import JudgeChoice
from appellate.judging.estimate import ModelEstimate, cost_of, first_prompt, model_estimate
from appellate.judging.planning import anew
from appellate.judging.progress import Progress
from appellate.judging.questions import PendingCells, is_judged
from appellate.stats.clustered import pooled_share
from appellate.store.workspace import Workspace
from appellate.talk.dialogue import Prompt

PADDING = (
    "Thank you for reading as far as this. If anything above is unclear, or if it would be of more "
    "use in another form, longer, shorter or in other words, please say so at any time. It is a "
    "pleasure to be of help, and every further question is welcome. Take all the time that is "
    "needed, and have a good day."
)
"""Words below a response that answer nothing."""


class ProbeTerms(Struct, frozen=True):
    """What a person may set: the seed, and words for `padding` and `contrary` ("": ours)."""

    seed: int = 0
    padding: str = ""
    contrary: str = ""

    def words(self, probe: str) -> str:
        """The words of a probe where they are a person's own, else ""."""
        return {"padding": self.padding, "negated": self.contrary}.get(probe, "")


class PlainAnswers(Struct, frozen=True):
    """A cell asked about plainly: its labels, and answers of the judge and of the `person`.

    Before it was asked about there are none.
    """

    asked: Question
    labels: Any = None
    answers: Mapping[Instruction, str] = field(default_factory=dict)
    person: Mapping[Instruction, str] = field(default_factory=dict)

    @property
    def found(self) -> list[Instruction]:
        """The instructions that are answered by saying that it is there."""
        positives = self.asked.subject.kind.positives
        return [one for one, answer in self.answers.items() if answer in positives]


class ProbeQuestion(NamedTuple):
    """What is asked about a cell in a probe.

    `meant` are the instructions that reworded ones stand for, None for the same; `about` are
    those whose answers are compared. `anew`: no kept answer will do.
    """

    asked: Question
    meant: Mapping[tuple[str, int], Instruction] | None
    about: Sequence[Instruction]
    anew: bool = False


class NotProbed(Exception):
    """A cell is left out of a probe; the message says why."""


class Probe(Struct, frozen=True):
    """One probe: what is done, in words, and whether found answers should `turn` or all stay.

    `questions` raises NotProbed where the cell cannot be asked so. Before there are answers it
    makes what they would be at most.
    """

    name: str
    description: str
    turn: bool
    questions: Callable[[PlainAnswers, ProbeTerms], Sequence[ProbeQuestion]]

    @property
    def expected(self) -> str:
        if self.turn:
            return "found answers should turn"
        return "answers should stay"


# -- what each asks -------------------------------------------------------------------------------


def _order(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    # the same for the same cell and seed, whatever else is asked
    trait = plain.asked.subject.trait.name
    trace = name_of(*plain.asked.trace.key)
    whole = f"{terms.seed}\0{trait}\0{trace}"
    chance = Random(hashlib.sha256(whole.encode()).digest())  # noqa: S311 - no secret

    def other(count: int) -> list[int]:
        places = list(range(count))
        chance.shuffle(places)
        if places == sorted(places):
            places.reverse()
        return places

    made = _reworded(
        plain, lambda of, it: of.reordered(it, other), "nothing to put in another order"
    )
    return [_asking(plain, one, list(plain.answers)) for one in made]


def _again(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:  # noqa: ARG001
    return [ProbeQuestion(plain.asked, None, list(plain.answers), anew=True)]


def _padding(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    words = terms.padding or PADDING
    asked = _about(plain.asked, padded(plain.asked.trace, words))
    return [ProbeQuestion(asked, None, list(plain.answers))]


def _evidence(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:  # noqa: ARG001
    subject = plain.asked.subject
    answering = subject.kind.answering
    if answering is None or not subject.kind.positives:
        raise NotProbed(f"{_form(plain)}: no excerpts that answers rest on one by one")
    if plain.labels is None:  # as long as it may be, and as nobody ever asked
        longest = padded(plain.asked.trace, ".")
        return [ProbeQuestion(_about(plain.asked, longest), None, ())]
    spans: list[tuple[int, int]] = []
    about: list[Instruction] = []
    for one in plain.found:
        grounds = answering.grounds(subject.trait, plain.labels, one)
        if grounds.spans and not grounds.loose:
            spans += grounds.spans
            about.append(one)
    if not about:
        raise NotProbed("nothing found that rests on words of the response")
    return [ProbeQuestion(_about(plain.asked, without(plain.asked.trace, spans)), None, about)]


def _negated(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    made = _reworded(plain, lambda of, it: of.negated(it, terms.contrary), "no contrary to ask for")
    if plain.answers and not plain.found:
        raise NotProbed("nothing found whose contrary could be asked for")
    return [_asking(plain, one, plain.found) for one in made]


def _single(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:  # noqa: ARG001
    made = _reworded(plain, lambda of, it: of.alone(it), "nothing to ask one by one")
    return [_asking(plain, one, list(one.meant.values())) for one in made]


PROBES: Mapping[str, Probe] = {
    probe.name: probe
    for probe in (
        Probe("order", "the instructions in another order", False, _order),
        Probe("again", "asked again", False, _again),
        Probe("padding", "words below the response that say nothing", False, _padding),
        Probe("evidence", "the evidence cut out of the response", True, _evidence),
        Probe("negated", "the contrary of each instruction", True, _negated),
        Probe("single", "each instruction in a prompt of its own", False, _single),
    )
}


# -- how they are made ----------------------------------------------------------------------------


def _about(asked: Question, trace: Trace) -> Question:
    """Return the same question about another trace."""
    return replace(asked, subject=replace(asked.subject, asked=trace), trace=trace)


def padded(trace: Trace, words: str) -> Trace:
    """Return a trace with words below its response; raises NotProbed for one without."""
    transcript = trace.transcript
    if transcript is None:
        return trace.model_copy(update={"response": f"{trace.response.rstrip()}\n\n{words}"})
    if transcript.response is None:
        raise NotProbed("a conversation without an answer, to which words could be added")
    step = transcript.steps[transcript.response]
    return retold(trace, {step.no: f"{step.turn.text.rstrip()}\n\n{words}"})


def without(trace: Trace, spans: Sequence[tuple[int, int]]) -> Trace:
    """Return a trace without these stretches of its text, which may overlap.

    Of a conversation the words of steps are cut, never the line above them. Raises NotProbed where
    nothing is left, or nothing is cut.
    """
    transcript = trace.transcript
    if transcript is None:
        left = _without(trace.response, spans)
        if not left.strip():
            raise NotProbed("nothing left of the response without its evidence")
        return trace.model_copy(update={"response": left})
    cut: dict[int, str] = {}
    for step in transcript.steps:
        within = [span for span in spans if step.start <= span[0] and span[1] <= step.end]
        if within:
            moved = [(start - step.start, end - step.start) for start, end in within]
            cut[step.no] = _without(trace.text[step.start : step.end], moved)
    if not cut:
        raise NotProbed("no evidence in the words of a step: only the name of a call")
    return retold(trace, cut)


def _reworded(
    plain: PlainAnswers,
    otherwise: Callable[[Rewording[Any], Any], Sequence[Reworded[Any]]],
    lacking: str,
) -> Sequence[Reworded[Any]]:
    """The traits that the cell's own becomes `otherwise`; raises NotProbed where there are none."""
    subject = plain.asked.subject
    made: Sequence[Reworded[Any]] = ()
    if subject.kind.rewording:
        made = otherwise(subject.kind.rewording, subject.trait)
    if not made:
        raise NotProbed(f"{_form(plain)}: {lacking}")
    return made


def _asking(
    plain: PlainAnswers, made: Reworded[Any], about: Sequence[Instruction]
) -> ProbeQuestion:
    subject = replace(plain.asked.subject, trait=made.trait)
    return ProbeQuestion(replace(plain.asked, subject=subject), made.meant, about)


def _without(response: str, spans: Sequence[tuple[int, int]]) -> str:
    """The response without these parts of it, which may overlap."""
    kept = []
    at = 0
    for start, end in sorted(spans):
        kept.append(response[at : max(at, start)])
        at = max(at, end)
    return "".join([*kept, response[at:]])


def _form(plain: PlainAnswers) -> str:
    """What sort of trait it is, in words: "llm trait (score)"."""
    subject = plain.asked.subject
    text = subject.kind.form(subject.trait)
    if text:
        return f"{subject.kind.name} trait ({text})"
    return f"{subject.kind.name} trait"


# -- probing ---------------------------------------------------------------------------------------


FLOOR = 8
"""Units, traces or clusters of them, below which no share is given, only how many of how many."""


class AnswerPair(Struct, frozen=True):
    """Answers to one instruction: plainly (`was`), in a probe, and the one signed off, or ""."""

    trait: str
    instruction: Instruction
    cluster: str
    was: str
    now: str
    person: str = ""


def plain_answers(
    asked: Question, proposal: Proposal, person: Mapping[Instruction, str]
) -> PlainAnswers:
    """What a judge answers to the plain question, beside the answers that a person signed off."""
    labels = _labels(asked.subject, proposal)
    answers = asked.subject.kind.answers(asked.subject.trait, labels)
    return PlainAnswers(asked, labels, answers, person)


def _labels(subject: Subject, proposal: Proposal) -> Any:
    return subject.labels(subject.kind.locate(subject.trait, subject.trace, proposal.labels))


def pairs(plain: PlainAnswers, question: ProbeQuestion, proposal: Proposal) -> list[AnswerPair]:
    """The answers to a probe's question, each beside the plain one."""
    subject = question.asked.subject
    trace = plain.asked.trace
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
            name = plain.asked.subject.trait.name
            person = plain.person.get(one, "")
            cluster = trace.cluster or trace.id
            was = plain.answers[one]
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
    found = pooled_share([(turned[cluster], of) for cluster, of in answers.items()])
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


MOST_PROMPTS = 400
"""Prompts that are measured for an estimate."""


class ProbeCost(Struct, frozen=True):
    """What probing takes at most: questions by probe ("": plain), and those `known` already."""

    asked: Mapping[str, int]
    known: Mapping[str, int]
    models: Sequence[ModelEstimate]

    @property
    def requests(self) -> int:
        """How many are to be paid for."""
        return sum(self.asked.values()) - sum(self.known.values())

    @property
    def cost(self) -> float | None:
        """None where some price is not known."""
        return cost_of(self.models)


class ForeseenRequest(NamedTuple):
    """A question of a probe ("": the plain one) to one model, the place-th of the judge's members.

    `is_known`: replies that are kept answer it.
    """

    probe: str
    question: ProbeQuestion
    place: int
    is_known: bool


class ProbeRun:
    """The cells of some traces, drawn by chance, and the judge that is probed on them."""

    def __init__(
        self,
        workspace: Workspace,
        choice: JudgeChoice,
        *,
        traces: int,
        terms: ProbeTerms,
        time: int,
    ) -> None:
        """`time` is how often it was asked again."""
        self._workspace = workspace
        self.choice = replace(choice, few_shot=0)
        self._again = self.choice
        self._judges = [self.choice]
        if choice.plan:
            self._again = anew(choice.plan, time)
            self._judges.append(self._again)
        self._terms = terms
        self._cells = PendingCells(workspace, self.choice)
        self.passed_over: Counter[str] = Counter()
        self.traces = self.failed = 0
        self.failures: Counter[str] = Counter()
        self._counter = progress.Counter(None)
        self._record: JudgeRecord | None = None
        self.drawn = list(self._draw(traces))

    def _draw(self, traces: int) -> Iterator[Question]:
        """The cells of so many traces that this judge is asked about, by a hash of their names."""

        def rank(key: tuple[int, str, int]) -> bytes:
            return hashlib.sha256(f"{self._terms.seed}\0{name_of(*key[1:])}".encode()).digest()

        for number, _, _ in sorted(self._workspace.traces.keys(), key=rank):
            if self.traces == traces:
                return
            drawn = []
            for cell in self._workspace.cells.of_trace(number).values():
                asked = self._cells.question(cell)
                if is_judged(asked.subject, self.choice):
                    drawn.append(asked)
                else:
                    self.passed_over[asked.subject.kind.name] += 1
            self.traces += bool(drawn)
            yield from drawn

    @property
    def spent(self) -> Progress:
        """What asking took so far; `cached` are the questions whose every reply was kept before."""
        return self._counter.progress()

    # -- what it will take ------------------------------------------------------------------------

    def cost(self, probes: Sequence[Probe]) -> ProbeCost:
        """What it costs at most: what rests on answers to come is counted for every cell."""
        asked = Counter(dict.fromkeys(["", *(probe.name for probe in probes)], 0))
        known: Counter[str] = Counter()
        prompts: list[list[Prompt]] = [[] for _ in self.choice.members]
        for one in self._foreseen(probes):
            asked[one.probe] += 1
            known[one.probe] += one.is_known
            prompt = first_prompt(one.question.asked)
            if prompt and not one.is_known:
                prompts[one.place].append(prompt)
        models = []
        for member, unknown in zip(self.choice.members, prompts, strict=True):
            some = unknown[:: len(unknown) // MOST_PROMPTS + 1]
            question_of = self._cells.question
            models.append(model_estimate(self._workspace, question_of, member, some, len(unknown)))
        return ProbeCost(asked, known, models)

    def _foreseen(self, probes: Sequence[Probe]) -> Iterator[ForeseenRequest]:
        """What models will be asked at most."""
        for asked in self.drawn:
            questions = [("", ProbeQuestion(asked, None, ()))]
            plain = self._kept_answers(asked)
            for probe in probes:
                with suppress(NotProbed):
                    questions += [(probe.name, one) for one in self._questions(probe, plain)]
            for name, question in questions:
                if first_prompt(question.asked) is None:
                    continue
                for place, judge in enumerate(self._judge(question).members):
                    is_known = _is_known(judge, question.asked)
                    yield ForeseenRequest(name, question, place, is_known)

    def _kept_answers(self, asked: Question) -> PlainAnswers:
        """The plain answers of one model, if its replies are kept."""
        if len(self.choice.members) == 1:
            with suppress(JudgmentFailed):
                found = self.choice.members[0].from_kept(asked)
                if isinstance(check_labels(asked, found), Proposal):
                    return plain_answers(asked, found, {})
        return PlainAnswers(asked)

    def _questions(self, probe: Probe, plain: PlainAnswers) -> Sequence[ProbeQuestion]:
        """What a probe asks about a cell; raises NotProbed, also where it would ask the same."""
        made = probe.questions(plain, self._terms)
        prompt = first_prompt(plain.asked)
        for question in made:
            other = first_prompt(question.asked)
            if prompt and other and not question.anew and other.sha256() == prompt.sha256():
                kind = plain.asked.subject.kind.name
                raise NotProbed(f"{kind} trait: the question would be the same, word for word")
        return made

    def _judge(self, question: ProbeQuestion) -> JudgeChoice:
        return self._again if question.anew else self.choice

    # -- asking -----------------------------------------------------------------------------------

    async def results(
        self, probes: Sequence[Probe], on_progress: OnProgress
    ) -> AsyncIterator[Probed]:
        """What came of each probe, as soon as it is known."""
        try:
            plain = await self._ask_plainly(on_progress)
            for probe in probes:
                yield await self._probed(probe, plain, on_progress)
        finally:
            for choice in self._judges:
                if choice.judge:
                    await choice.judge.close()

    async def _ask_plainly(self, on_progress: OnProgress) -> list[PlainAnswers]:
        """Asks about every cell as a judge is asked; what fails now is in no probe."""
        plain = []
        questions = [ProbeQuestion(asked, None, ()) for asked in self.drawn]
        for asked, came in zip(self.drawn, await self._asked(questions, on_progress), strict=True):
            if isinstance(came, Proposal):
                self._record = self._record or came.record
                plain.append(plain_answers(asked, came, self._person(asked.cell)))
        self.failed = len(self.drawn) - len(plain)
        return plain

    def _person(self, number: int) -> Mapping[Instruction, str]:
        """How a person answered in a cell, where they could tell: the verdict, where the judge was
        not seen before it.
        """
        _, cell = self._workspace.cell(number)
        kind = cell.subject.kind
        trait = cell.subject.trait
        given: Mapping[Instruction, str] = {}
        if cell.ruled:
            given = cell.verdict_answers
        elif cell.state == "reviewed" and cell.labels is not None:
            given = kind.answers(trait, cell.labels)
        untold = kind.untold(trait)
        return {one: answer for one, answer in given.items() if answer not in untold}

    async def _probed(
        self, probe: Probe, plain: Sequence[PlainAnswers], on_progress: OnProgress
    ) -> Probed:
        """Asks otherwise about the cells that were answered plainly."""
        left_out: Counter[str] = Counter()
        about: list[PlainAnswers] = []
        questions: list[ProbeQuestion] = []
        for one in plain:
            try:
                made = self._questions(probe, one)
            except NotProbed as why:
                left_out[str(why)] += 1
                continue
            questions += made
            about += [one] * len(made)
        answer_pairs: list[AnswerPair] = []
        failed = 0
        cells = set()
        asked = await self._asked(questions, on_progress)
        for one, question, came in zip(about, questions, asked, strict=True):
            if isinstance(came, Proposal):
                answer_pairs += pairs(one, question, came)
                cells.add(one.asked.cell)
            else:
                failed += 1
        came_of_it = outcome(probe, answer_pairs, left_out, failed, self._terms)
        record = self._record or JudgeRecord(self.choice.name)
        who = JudgeRecord(record.name, record.model, record.parameters).to_file()
        return Probed(probe.name, who, len(cells), came_of_it)

    async def _asked(
        self, questions: Sequence[ProbeQuestion], on_progress: OnProgress
    ) -> list[Outcome]:
        """What came of each question, in their order."""
        came: dict[int, Outcome] = {}

        async def take(result: Answered) -> None:
            came[result.cell] = result.outcome
            self._counter.count(result.outcome, result.seconds)
            if not isinstance(result.outcome, Proposal):
                self.failures[result.outcome.reason] += 1
            on_progress(len(came), len(came) / len(questions))

        for choice in self._judges:
            asked = [
                replace(question.asked, cell=place)
                for place, question in enumerate(questions)
                if self._judge(question) is choice
            ]
            if asked and choice.judge:
                await answer_all(choice.judge, asked, choice.concurrency, take)
        return list(map(came.__getitem__, range(len(questions))))


def _is_known(judge: OpenAIJudge, asked: Question) -> bool:
    """Return whether replies that are kept answer a question."""
    try:
        judge.from_kept(asked)
    except JudgmentFailed:
        return False
    return True
