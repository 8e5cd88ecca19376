"""Probes of a judge: it is asked about the same cells in another way, and the answers are compared.

`PROBES` has all of them, and a `ProbeRun` asks the questions for the command `probe`. No cell is
changed. The same seed draws the same traces, so that no question is asked twice.
"""

import hashlib
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AsyncExitStack, suppress
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.design_facts import Probed
from appellate.core.kind import Instruction, Reworded, Rewording, Subject
from appellate.core.step_progress import OnProgress
from appellate.core.trace import Trace, name_of
from appellate.core.transcript import retold
from appellate.judges.closing import to_the_end
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import (
    Answered,
    Judge,
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
from appellate.judging.estimate import (
    ModelEstimate,
    cost_of,
    first_prompt,
    model_estimate,
)
from appellate.judging.planning import choice_asked_again
from appellate.judging.progress import Progress
from appellate.judging.questions import PendingCells, is_asked_about
from appellate.stats.clustered import pooled_share
from appellate.store.workspace import Workspace
from appellate.talk.dialogue import Prompt

PADDING = (
    "Thank you for reading as far as this. If anything above is unclear, or if it would be of more "
    "use in another form, longer, shorter or in other words, please say so at any time. It is a "
    "pleasure to be of help, and every further question is welcome. Take all the time that is "
    "needed, and have a good day."
)
"""Words that are added to a response and answer nothing."""


class ProbeTerms(Struct, frozen=True):
    """What a person may set for probes."""

    seed: int = 0
    padding: str = ""
    """The words that the probe `padding` adds; "" stands for PADDING."""
    contrary: str = ""
    """The words in which the probe `negated` asks for the contrary; "" for those of the kind."""

    def words(self, probe_name: str) -> str:
        """Return the person's own words for the probe of this name, or "" for its usual words.

        Only `padding` and `negated` can have any of their own.
        """
        return {"padding": self.padding, "negated": self.contrary}.get(probe_name, "")


class PlainAnswers(Struct, frozen=True):
    """A cell that is asked about without a probe, and the answers."""

    question: Question
    labels: Any = None
    """The judge's labels; None before it was asked."""
    answers: Mapping[Instruction, str] = field(default_factory=dict)
    """The judge's answer to each instruction."""
    person: Mapping[Instruction, str] = field(default_factory=dict)
    """The answers that a person signed off."""

    @property
    def positive_instructions(self) -> list[Instruction]:
        """The instructions that the judge answers positively: what they ask for is there.

        They are in the order of the answers. Empty before the judge was asked, and for a kind
        without positive answers.
        """
        positives = self.question.subject.kind.positives
        return [
            instruction
            for instruction, answer in self.answers.items()
            if answer in positives
        ]


class ProbeQuestion(NamedTuple):
    """A question about a cell in a probe."""

    question: Question
    originals: Mapping[tuple[str, int], Instruction] | None
    """The instruction that each reworded one stands for, by its list and number.

    None if the instructions are not reworded.
    """
    compared: Sequence[Instruction]
    """The instructions whose answers are compared."""
    needs_new_answer: bool = False
    """Whether a saved reply to this question does not count."""


class NotProbed(Exception):
    """Raised for a cell that a probe leaves out; the message says why."""


class Probe(Struct, frozen=True):
    """One way to ask a judge in another way."""

    name: str
    description: str
    """What the probe does, in words."""
    turn: bool
    """Whether positive answers should change; otherwise all answers should stay."""
    questions: Callable[[PlainAnswers, ProbeTerms], Sequence[ProbeQuestion]]
    """Returns the questions about a cell; raises NotProbed where the probe does not apply.

    Before the cell was asked about, these are the most questions there can be.
    """

    @property
    def expected(self) -> str:
        """What a good judge does: "positive answers should change" or "answers should stay"."""
        if self.turn:
            return "positive answers should change"
        return "answers should stay"


# -- what each asks -------------------------------------------------------------------------------


def _in_another_order(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    """Return the question about a cell with its instructions, or its classes, in another order.

    The order is the same for the same trait, trace and seed, and never their own. All answers are
    compared. Raises NotProbed if there is nothing to put in another order, as in a trait with one
    instruction and no classes.
    """
    trait_name = plain.question.subject.trait.name
    trace_name = name_of(*plain.question.trace.key)
    hashed_text = f"{terms.seed}\0{trait_name}\0{trace_name}"
    random = Random(hashlib.sha256(hashed_text.encode()).digest())  # noqa: S311 - no secret

    def other_order(count: int) -> list[int]:
        """Return the indexes below `count` in a random order that is not their own.

        With fewer than two indexes it is their own. Each call draws anew.
        """
        order = list(range(count))
        random.shuffle(order)
        if order == sorted(order):
            order.reverse()
        return order

    reworded = _reworded_traits(
        plain,
        lambda rewording, trait_to_reword: rewording.reordered(
            trait_to_reword,
            other_order,
        ),
        "nothing to put in another order",
    )
    return [_reworded_question(plain, trait, list(plain.answers)) for trait in reworded]


def _asked_again(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:  # noqa: ARG001
    """Return the same question about a cell again, to which no saved reply counts.

    All answers are compared. `terms` are ignored.
    """
    return [
        ProbeQuestion(plain.question, None, list(plain.answers), needs_new_answer=True),
    ]


def _with_padding(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    """Return the question about a cell with words added to its response that answer nothing.

    They are those of `terms`, or else PADDING. All answers are compared. Raises NotProbed if a
    conversation has no response.
    """
    words = terms.padding or PADDING
    trace = padded(plain.question.trace, words)
    question = _about_trace(plain.question, trace)
    compared = list(plain.answers)
    return [ProbeQuestion(question, None, compared)]


def _without_evidence(
    plain: PlainAnswers,
    terms: ProbeTerms,  # noqa: ARG001
) -> list[ProbeQuestion]:
    """Return the question about a cell whose response lacks the evidence of positive answers.

    Only positive answers whose excerpts can all be taken out are compared; the excerpts of other
    answers stay. If `plain` has no labels yet, it is the question that `_longest_question` returns,
    and nothing is compared. `terms` are ignored. Raises NotProbed if the kind has no such excerpts,
    if no positive answer can be compared, or if nothing is left of the response.
    """
    subject = plain.question.subject
    answering = subject.kind.answering
    if answering is None or not subject.kind.positives:
        raise NotProbed(
            f"{_trait_in_words(subject)}: its answers have no excerpts of their own",
        )
    if plain.labels is None:
        return [ProbeQuestion(_longest_question(plain.question), None, ())]
    trace = plain.question.trace
    lacking = "no positive answer is based on words of the response"
    spans: list[tuple[int, int]] = []
    compared: list[Instruction] = []
    for instruction in plain.positive_instructions:
        evidence = answering.grounds(subject.trait, plain.labels, instruction)
        if not evidence.spans or evidence.loose:
            continue
        if not all(_is_removable(trace, span) for span in evidence.spans):
            lacking = "the evidence is the name of a call only, not words of a step"
            continue
        spans += evidence.spans
        compared.append(instruction)
    if not compared:
        raise NotProbed(lacking)
    question = _about_trace(plain.question, without_spans(trace, spans))
    return [ProbeQuestion(question, None, compared)]


def _longest_question(question: Question) -> Question:
    """Return a question that is a little longer than `question`, and has no saved reply.

    It stands for a question about less of the trace, before it is known what will be left, so that
    no estimate is too low. A full stop is added to the response of its trace as a last paragraph,
    or to the last step of a conversation without a response. Raises NotProbed if that has no step.
    """
    trace = question.trace
    transcript = trace.transcript
    if transcript is not None and transcript.response is None:
        if not transcript.steps:
            raise NotProbed("the conversation has no words")
        last = transcript.steps[-1]
        longest: Trace = retold(trace, {last.no: f"{last.turn.text}\n\n."})
    else:
        longest = padded(trace, ".")
    return _about_trace(question, longest)


def _asked_the_contrary(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:
    """Return the questions about a cell that ask for the contrary of each instruction.

    The words are those of `terms`, or else the kind's own. Only answers that were positive are
    compared. Raises NotProbed if the trait has no contrary, as a question that is not answered by
    yes or no, or if `plain` has answers of which none is positive.
    """
    reworded = _reworded_traits(
        plain,
        lambda rewording, trait_to_reword: rewording.negated(
            trait_to_reword,
            terms.contrary,
        ),
        "no contrary to ask for",
    )
    if plain.answers and not plain.positive_instructions:
        raise NotProbed("no positive answer whose contrary could be asked for")
    return [
        _reworded_question(plain, trait, plain.positive_instructions)
        for trait in reworded
    ]


def _one_by_one(plain: PlainAnswers, terms: ProbeTerms) -> list[ProbeQuestion]:  # noqa: ARG001
    """Return a question about a cell for each instruction, which asks only about that one.

    Its answer is the one that is compared. `terms` are ignored. Raises NotProbed if there is
    nothing to ask one by one, as for a trait with only one instruction.
    """
    reworded = _reworded_traits(
        plain,
        lambda rewording, trait_to_reword: rewording.alone(trait_to_reword),
        "nothing to ask one by one",
    )
    return [
        _reworded_question(plain, trait, list(trait.meant.values()))
        for trait in reworded
    ]


PROBES: Mapping[str, Probe] = {
    probe.name: probe
    for probe in (
        Probe("order", "the instructions in another order", False, _in_another_order),
        Probe("again", "asked again", False, _asked_again),
        Probe(
            "padding",
            "words added to the response that say nothing",
            False,
            _with_padding,
        ),
        Probe(
            "evidence",
            "the evidence cut out of the response",
            True,
            _without_evidence,
        ),
        Probe("negated", "the contrary of each instruction", True, _asked_the_contrary),
        Probe("single", "each instruction in a prompt of its own", False, _one_by_one),
    )
}


# -- how they are made ----------------------------------------------------------------------------


def _about_trace(question: Question, trace: Trace) -> Question:
    """Return the same question about another trace, which the judge sees in place of the cell's."""
    return replace(
        question,
        subject=replace(question.subject, asked=trace),
        trace=trace,
    )


def padded(trace: Trace, words: str) -> Trace:
    """Return a copy of a trace with words added as a last paragraph of its response.

    "Yes. " becomes "Yes.", an empty line and the words. In a conversation they are added to the
    step that is the response: `text` has them, while the field `response` stays, and no step of the
    copy counts as the response. Raises NotProbed if a conversation has no response.
    """
    transcript = trace.transcript
    if transcript is None:
        response = f"{trace.response.rstrip()}\n\n{words}"
        return trace.model_copy(update={"response": response})
    if transcript.response is None:
        raise NotProbed("the conversation has no answer to add words to")
    step = transcript.steps[transcript.response]
    step_text = f"{step.turn.text.rstrip()}\n\n{words}"
    return retold(trace, {step.no: step_text})


def _is_removable(trace: Trace, span: tuple[int, int]) -> bool:
    """Return whether a span of a trace's text can be taken out of it.

    In a conversation it must be within the words of one step, without the line above them.
    """
    if trace.transcript is None:
        return True
    step = trace.transcript.step_of(span)
    return step is not None and step.start <= span[0]


def without_spans(trace: Trace, spans: Sequence[tuple[int, int]]) -> Trace:
    """Return a copy of a trace without these spans of its text, which may overlap.

    A span is a start and an end. In a conversation only words of steps are removed, and never the
    line above them; a span that is not within the words of one step stays. Its field `response`
    stays, too. Raises NotProbed if only white space is left of a response that is no conversation.
    """
    transcript = trace.transcript
    if transcript is None:
        remaining = _text_without_spans(trace.response, spans)
        if not remaining.strip():
            raise NotProbed("nothing of the response is left without its evidence")
        return trace.model_copy(update={"response": remaining})
    text_by_step: dict[int, str] = {}
    for step in transcript.steps:
        spans_in_step = [
            (start - step.start, end - step.start)
            for start, end in spans
            if step.start <= start and end <= step.end
        ]
        if spans_in_step:
            step_text = trace.text[step.start : step.end]
            text_by_step[step.no] = _text_without_spans(step_text, spans_in_step)
    return retold(trace, text_by_step)


def _reworded_traits(
    plain: PlainAnswers,
    reword: Callable[[Rewording[Any], Any], Sequence[Reworded[Any]]],
    lacking: str,
) -> Sequence[Reworded[Any]]:
    """Return the traits that `reword` makes of the cell's trait; there is at least one.

    `reword` gets the rewording of the kind and the trait. Raises NotProbed if it makes none or if
    the kind has no rewording; its message is the trait in words, a colon, and `lacking`.
    """
    subject = plain.question.subject
    reworded: Sequence[Reworded[Any]] = ()
    if subject.kind.rewording:
        reworded = reword(subject.kind.rewording, subject.trait)
    if not reworded:
        raise NotProbed(f"{_trait_in_words(subject)}: {lacking}")
    return reworded


def _reworded_question(
    plain: PlainAnswers,
    reworded: Reworded[Any],
    compared: Sequence[Instruction],
) -> ProbeQuestion:
    """Return the question about a cell with a reworded trait in place of its own.

    `compared` are the instructions of the cell's own trait whose answers are compared.
    """
    subject = replace(plain.question.subject, trait=reworded.trait)
    return ProbeQuestion(
        replace(plain.question, subject=subject),
        reworded.meant,
        compared,
    )


def _text_without_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text without these spans, which may overlap and be in any order.

    A span is a start and an end, which is not removed.
    """
    parts: list[str] = []
    end_of_last = 0
    for start, end in sorted(spans):
        if start > end_of_last:
            parts.append(text[end_of_last:start])
        end_of_last = max(end_of_last, end)
    parts.append(text[end_of_last:])
    return "".join(parts)


def _trait_in_words(subject: Subject) -> str:
    """Return the kind of a cell's trait and its form, such as "regex trait (pattern)".

    A kind with only one form, as `steps`, has no name for it: "steps trait".
    """
    form = subject.kind.form(subject.trait)
    if form:
        return f"{subject.kind.name} trait ({form})"
    return f"{subject.kind.name} trait"


# -- probing ---------------------------------------------------------------------------------------


FLOOR = 8
"""The fewest units that a share is given for. A unit is a trace, or a cluster of traces.

For fewer only the numbers are given.
"""


class AnswerPair(Struct, frozen=True):
    """Answers to one instruction, without and with a probe."""

    trait: str
    """The name of the trait."""
    instruction: Instruction
    cluster: str
    """The cluster of the trace; its id if it belongs to none."""
    plain: str
    """The judge's answer without a probe."""
    probed: str
    """The judge's answer in the probe."""
    person: str = ""
    """The answer that a person signed off; "" if there is none."""


def _answers_of_person(cell: Cell) -> Mapping[Instruction, str]:
    """Return a person's answers about a cell as it is now; {} if no person decided on it.

    They are those of a locked verdict, or else of the current labels of a reviewed cell. An answer
    that the kind leaves open, as "cannot tell", is left out.
    """
    kind = cell.subject.kind
    trait = cell.subject.trait
    answers: Mapping[Instruction, str] = {}
    if cell.ruled:
        answers = cell.verdict_answers
    elif cell.state == "reviewed" and cell.labels is not None:
        answers = kind.answers(trait, cell.labels)
    open_answers = kind.untold(trait)
    return {
        instruction: answer
        for instruction, answer in answers.items()
        if answer not in open_answers
    }


def plain_answers(
    question: Question,
    proposal: Proposal,
    person: Mapping[Instruction, str],
) -> PlainAnswers:
    """Return a judge's answers to a question without a probe, from its proposal.

    The offsets of the judge's excerpts in the trace are looked up for this. `person` has the
    answers that a person signed off; they are kept next to the judge's, and replace none.
    """
    labels = _located_labels(question.subject, proposal)
    answers = question.subject.kind.answers(question.subject.trait, labels)
    return PlainAnswers(question, labels, answers, person)


def _located_labels(subject: Subject, proposal: Proposal) -> Any:
    """Return the labels of a proposal as the kind has them, with the offsets of its excerpts."""
    return subject.labels(
        subject.kind.locate(subject.trait, subject.trace, proposal.labels),
    )


def pair_answers(
    plain: PlainAnswers,
    question: ProbeQuestion,
    proposal: Proposal,
) -> list[AnswerPair]:
    """Return the answers in a probe's proposal, each together with the one in `plain`.

    They are those to the instructions that `question` compares, in that order; `plain` must have an
    answer to each. An answer to a reworded instruction counts for the one that it stands for.
    Instructions that the judge did not answer in the probe are left out.
    """
    subject = question.question.subject
    trace = plain.question.trace
    answers = subject.kind.answers(subject.trait, _located_labels(subject, proposal))
    probed_answers: dict[Instruction, str] = {}
    for instruction, answer in answers.items():
        original = instruction
        if question.originals is not None:
            original = question.originals[instruction.of, instruction.number]
        probed_answers[original] = answer

    answer_pairs: list[AnswerPair] = []
    for instruction in question.compared:
        if instruction not in probed_answers:
            continue
        pair = AnswerPair(
            trait=plain.question.subject.trait.name,
            instruction=instruction,
            cluster=trace.cluster or trace.id,
            plain=plain.answers[instruction],
            probed=probed_answers[instruction],
            person=plain.person.get(instruction, ""),
        )
        answer_pairs.append(pair)
    return answer_pairs


def turn_counts(pairs: Iterable[AnswerPair]) -> dict[str, Any]:
    """Return how many answers changed, of how many and from how many units, as facts save it.

    For example {"turned": 1, "answers": 6, "units": 3}; all are 0 without pairs. A unit is a trace,
    or a cluster of traces. From FLOOR units on there are `share`, `low` and `high`, too: the share
    that changed, from 0 to 1, and its interval.
    """
    answers: Counter[str] = Counter()
    turned: Counter[str] = Counter()
    for pair in pairs:
        answers[pair.cluster] += 1
        turned[pair.cluster] += pair.plain != pair.probed

    fields: dict[str, Any] = {
        "turned": turned.total(),
        "answers": answers.total(),
        "units": len(answers),
    }
    if len(answers) < FLOOR:
        return fields
    estimate = pooled_share(
        [(turned[cluster], count) for cluster, count in answers.items()],
    )
    return {
        **fields,
        "share": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
    }


def outcome_fields(
    probe: Probe,
    answer_pairs: list[AnswerPair],
    left_out: Mapping[str, int],
    failed: int,
    terms: ProbeTerms,
) -> dict[str, Any]:
    """Return the outcome of a probe as facts save it: all answers, then by trait and instruction.

    Besides the counts of all answers, as `turn_counts` gives them, it has `expected` ("turn" or
    "stay"), `seed`, `words` (the person's own, or ""), `floor` (FLOOR), `signed`, `failed`,
    `left_out` and `traits`. `signed` is the table of `_agreement_with_person`, and `traits` the
    list of `_counts_by_trait`. `failed` counts questions that the judge did not answer. `left_out`
    counts cells by the reason why the probe left them out; it becomes a list of tables with `why`
    and `cells`, the most frequent reason first.
    """
    reasons = [
        {"why": reason, "cells": cells}
        for reason, cells in Counter(left_out).most_common()
    ]
    return {
        "expected": "turn" if probe.turn else "stay",
        "seed": terms.seed,
        "words": terms.words(probe.name),
        "floor": FLOOR,
        **turn_counts(answer_pairs),
        "signed": _agreement_with_person(answer_pairs),
        "failed": failed,
        "left_out": reasons,
        "traits": _counts_by_trait(answer_pairs),
    }


def _counts_by_trait(answer_pairs: Iterable[AnswerPair]) -> list[dict[str, Any]]:
    """Return the counts of the answers under each trait, as facts save them.

    The traits are in the order in which they first come. Each is a table with its name as `trait`,
    the counts of `turn_counts`, and the list of `_counts_by_instruction` as `instructions`.
    """
    return [
        {
            "trait": name,
            **turn_counts(pairs),
            "instructions": _counts_by_instruction(pairs),
        }
        for name, pairs in _grouped(answer_pairs, lambda pair: pair.trait).items()
    ]


def _counts_by_instruction(pairs: Iterable[AnswerPair]) -> list[dict[str, Any]]:
    """Return the counts of the answers to each instruction of one trait, as facts save them.

    Each instruction is a table with its list as `of`, `number`, `text`, and the counts of
    `turn_counts`. Lists are in the order in which they first come, and instructions by number.
    Instructions of a list with the same text are one of them, with the lowest number.
    """
    instructions: list[dict[str, Any]] = []
    for list_name, list_pairs in _grouped(
        pairs,
        lambda pair: pair.instruction.of,
    ).items():
        rows = []
        for text, instruction_pairs in _grouped(
            list_pairs,
            lambda pair: pair.instruction.text,
        ).items():
            number = min(pair.instruction.number for pair in instruction_pairs)
            rows.append(
                {
                    "of": list_name,
                    "number": number,
                    "text": text,
                    **turn_counts(instruction_pairs),
                },
            )
        instructions += sorted(rows, key=itemgetter("number"))
    return instructions


def _agreement_with_person(answer_pairs: Iterable[AnswerPair]) -> dict[str, int]:
    """Return how many answers a person signed off, and how often the judge gave the same.

    The keys are `answers`, and of the latter `plain` without the probe and `probe` with it. Answers
    that no person signed off are left out; all numbers are 0 if there is none.
    """
    answers = plain = probe = 0
    for pair in answer_pairs:
        if pair.person:
            answers += 1
            plain += pair.plain == pair.person
            probe += pair.probed == pair.person
    return {"answers": answers, "plain": plain, "probe": probe}


def _grouped(
    pairs: Iterable[AnswerPair],
    key: Callable[[AnswerPair], Any],
) -> dict[Any, list[AnswerPair]]:
    """Return lists of the pairs by the key of each, in the order in which the keys first come."""
    groups: dict[Any, list[AnswerPair]] = {}
    for pair in pairs:
        groups.setdefault(key(pair), []).append(pair)
    return groups


MOST_PROMPTS = 400
"""Prompts that are measured for an estimate."""


class ProbeCost(Struct, frozen=True):
    """What probing takes at most."""

    asked: Mapping[str, int]
    """Questions by the name of the probe; those without a probe are under ""."""
    known: Mapping[str, int]
    """Those of the questions that saved replies answer, by the same names."""
    requests: int
    """The requests that must be paid for: one for a question, two where responses are compared."""
    models: Sequence[ModelEstimate]

    @property
    def cost(self) -> float | None:
        """The cost of all models; None if the price of one is not known, or no model is asked."""
        return cost_of(self.models)


def _questions_of(
    probe: Probe,
    plain: PlainAnswers,
    terms: ProbeTerms,
) -> Sequence[ProbeQuestion]:
    """Return the questions of a probe about the cell that `plain` is about.

    `plain` may have no answers yet. Raises NotProbed if the probe does not apply to the cell.
    Raises it too if a prompt has the same words as without the probe, unless the probe is for a new
    answer to the same question.
    """
    questions = probe.questions(plain, terms)
    prompt = first_prompt(plain.question)
    for question in questions:
        probe_prompt = first_prompt(question.question)
        if (
            prompt
            and probe_prompt
            and not question.needs_new_answer
            and probe_prompt.sha256() == prompt.sha256()
        ):
            kind = plain.question.subject.kind.name
            raise NotProbed(
                f"{kind} trait: the question would be the same, word for word",
            )
    return questions


class _Drawn(NamedTuple):
    """The cells of randomly drawn traces."""

    questions: list[Question]
    """Those about the cells that the judge is asked about."""
    traces: int
    """Traces with such a cell."""
    passed_over: Counter[str]
    """The other cells of these traces and of those that were skipped, by the name of the kind."""


def _draw(
    workspace: Workspace,
    pending: PendingCells,
    choice: JudgeChoice,
    traces: int,
    seed: int,
) -> _Drawn:
    """Draw traces at random, and return the questions about their cells that the judge is asked.

    Traces are drawn until `traces` of them have such a cell, or none is left. They come by a hash
    of the seed and their name, so that a larger number adds to the same ones. Cells are drawn also
    if they have labels: `pending` only makes the questions. The result also has the number of
    traces with a question, and how many cells of each kind, such as "regex", the judge of `choice`
    is not asked about. Nothing is asked.
    """
    ranked: list[tuple[bytes, int]] = []
    trace_keys = workspace.traces.keys()
    for trace_no, trace_id, epoch in trace_keys:
        hashed_text = f"{seed}\0{name_of(trace_id, epoch)}"
        ranked.append((hashlib.sha256(hashed_text.encode()).digest(), trace_no))

    drawn: list[Question] = []
    drawn_traces = 0
    passed_over: Counter[str] = Counter()
    for _, trace_no in sorted(ranked):
        if drawn_traces == traces:
            break
        questions = []
        for number in workspace.cells.of_trace(trace_no).values():
            question = pending.question(number)
            if is_asked_about(question.subject, choice):
                questions.append(question)
            else:
                passed_over[question.subject.kind.name] += 1
        drawn_traces += bool(questions)
        drawn += questions
    return _Drawn(drawn, drawn_traces, passed_over)


class ProbeRun:
    """The judge that is probed, and the cells of randomly drawn traces that it is asked about."""

    def __init__(
        self,
        workspace: Workspace,
        choice: JudgeChoice,
        *,
        traces: int,
        terms: ProbeTerms,
        repeat_no: int,
    ) -> None:
        """Draw the cells of `traces` traces, or of all if there are not so many; nothing is asked.

        The same seed in `terms` draws the same traces. `drawn` has the questions about their cells,
        without examples; `traces` and `passed_over` count as `_draw` says. `failed`, `failures` and
        `spent` stay empty until `results` asks. `repeat_no` counts from 1 how often the probe
        `again` is made, so that its question gets a new answer. Raises Refused if the judge cannot
        be asked again.
        """
        self._workspace = workspace
        self.choice = replace(choice, few_shot=0)
        self._choice_for_new_answers = self.choice
        self._choices = [self.choice]
        if choice.plan:
            self._choice_for_new_answers = choice_asked_again(choice.plan, repeat_no)
            self._choices.append(self._choice_for_new_answers)
        self._terms = terms
        self._cells = PendingCells(workspace, self.choice)
        drawn = _draw(workspace, self._cells, self.choice, traces, terms.seed)
        self.drawn = drawn.questions
        self.traces = drawn.traces
        self.passed_over = drawn.passed_over
        self.failed = 0
        self.failures: Counter[str] = Counter()
        self._counter = progress.Counter(None)

    @property
    def spent(self) -> Progress:
        """What the questions took that were asked so far, with and without a probe.

        It is empty before `results` asks, and what `cost` looks up is not in it. `done` counts
        questions with an outcome, and `cached` those of them that saved replies answered.
        """
        return self._counter.progress()

    # -- what it will take ------------------------------------------------------------------------

    def cost(self, probes: Sequence[Probe]) -> ProbeCost:
        """Return what these probes and the questions without one take at most; nothing is sent.

        `asked` and `known` count by the name of a probe, with "" for the questions without one:
        such as {"": 10, "again": 10}. `asked` counts each question once for each model of a panel,
        and `known` those of them that saved replies answer; these cost nothing. `requests` and
        `models` are about the rest. The questions are those of `_foreseen_questions` that need a
        model. Tokens are estimated from a sample of the prompts.
        """
        asked_counts = {"": 0}
        for probe in probes:
            asked_counts[probe.name] = 0
        known_counts = dict(asked_counts)
        request_count = 0
        prompts_by_member: list[list[Prompt]] = [[] for _ in self.choice.members]
        for name, probe_question in self._foreseen_questions(probes):
            question = probe_question.question
            prompt = first_prompt(question)
            if prompt is None:
                continue
            members = self._choice_for(probe_question).members
            for member, prompts in zip(members, prompts_by_member, strict=True):
                asked_counts[name] += 1
                if _is_known(member, question):
                    known_counts[name] += 1
                    continue
                request_count += question.requests
                prompts.extend([prompt] * question.requests)

        estimates: list[ModelEstimate] = []
        for member, prompts in zip(self.choice.members, prompts_by_member, strict=True):
            step = len(prompts) // MOST_PROMPTS + 1
            estimate = model_estimate(
                self._workspace,
                self._cells.question,
                member,
                prompts[::step],
                len(prompts),
            )
            estimates.append(estimate)
        return ProbeCost(asked_counts, known_counts, request_count, estimates)

    def _foreseen_questions(
        self,
        probes: Sequence[Probe],
    ) -> Iterator[tuple[str, ProbeQuestion]]:
        """Yield all questions that may be asked about the drawn cells, with the probe's name.

        The name is "" for the question without a probe, which comes first for each cell. If it
        depends on answers whether a probe applies to a cell, saved replies tell, or else its
        questions are among them. Nothing is asked.
        """
        for question in self.drawn:
            yield "", ProbeQuestion(question, None, ())
            plain = _saved_answers(self.choice.judge, question)
            for probe in probes:
                with suppress(NotProbed):
                    for probe_question in _questions_of(probe, plain, self._terms):
                        yield probe.name, probe_question

    def _choice_for(self, question: ProbeQuestion) -> JudgeChoice:
        """Return the choice to ask a question by, which decides what saved replies may answer it.

        It is the run's own, or for a question that needs a new answer one with other saved replies.
        """
        if question.needs_new_answer:
            return self._choice_for_new_answers
        return self.choice

    # -- asking -----------------------------------------------------------------------------------

    async def results(
        self,
        probes: Sequence[Probe],
        on_progress: OnProgress,
    ) -> AsyncIterator[Probed]:
        """Ask all questions, and yield each probe's result in their order, as soon as it is known.

        First every drawn cell is asked about without a probe. Those that get no labels then are in
        no probe, and `failed` is set to their number. All failed questions, of this part and of the
        probes, are added to `failures` by their reason, and all that are asked to `spent`, as they
        come. `on_progress` gets the number and the share of the answers of each part, which begins
        at 0 again. At the end the judges are closed, and replies are saved, also after an error or
        a cancellation; so this is called once.
        """
        try:
            plain: list[PlainAnswers] = []
            records: list[JudgeRecord] = []
            questions = [ProbeQuestion(question, None, ()) for question in self.drawn]
            outcomes = await self._ask_questions(questions, on_progress)
            for question, result in zip(self.drawn, outcomes, strict=True):
                if isinstance(result, Proposal):
                    _, cell = self._workspace.cell(question.cell)
                    person = _answers_of_person(cell)
                    plain.append(plain_answers(question, result, person))
                    records.append(result.record)
            self.failed = len(self.drawn) - len(plain)

            record = records[0] if records else JudgeRecord(self.choice.name)
            judge = JudgeRecord(record.name, record.model, record.parameters).to_file()
            for probe in probes:
                yield await self._result_of(probe, plain, judge, on_progress)
        finally:
            await to_the_end(_close_judges(self._choices))

    async def _result_of(
        self,
        probe: Probe,
        plain: Sequence[PlainAnswers],
        judge_record: Mapping[str, Any],
        on_progress: OnProgress,
    ) -> Probed:
        """Ask the questions of a probe about the cells in `plain`, and return its result.

        `judge_record` says who the judge is, as facts save it. The result counts the cells of
        `plain` that the probe leaves out, by reason, and its questions that fail. Its `cells` is
        the number of cells with a question that was answered. The run's `spent` and `failures` grow
        too.
        """
        left_out: Counter[str] = Counter()
        cell_of_question: list[PlainAnswers] = []
        questions: list[ProbeQuestion] = []
        for cell in plain:
            try:
                cell_questions = _questions_of(probe, cell, self._terms)
            except NotProbed as reason:
                left_out[str(reason)] += 1
                continue
            questions += cell_questions
            cell_of_question += [cell] * len(cell_questions)

        answer_pairs: list[AnswerPair] = []
        failed = 0
        compared_cells: set[int] = set()
        outcomes = await self._ask_questions(questions, on_progress)
        for cell, question, result in zip(
            cell_of_question,
            questions,
            outcomes,
            strict=True,
        ):
            if isinstance(result, Proposal):
                answer_pairs += pair_answers(cell, question, result)
                compared_cells.add(cell.question.cell)
            else:
                failed += 1
        probe_outcome = outcome_fields(
            probe,
            answer_pairs,
            left_out,
            failed,
            self._terms,
        )
        return Probed(probe.name, judge_record, len(compared_cells), probe_outcome)

    async def _ask_questions(
        self,
        questions: Sequence[ProbeQuestion],
        on_progress: OnProgress,
    ) -> list[Outcome]:
        """Ask these questions of the judges of `_choice_for`, and return their outcomes in order.

        An outcome is a proposal or a failure. Questions that need a new answer are asked after all
        others. After several failures in a row that every further question would have, too, no more
        of them are asked, and the rest of the same judge get that failure. What each took is added
        to `spent`, and each failure to `failures` by its reason, as it comes. `on_progress` gets
        the number and the share of outcomes that came. The run must have a judge.
        """
        outcomes: dict[int, Outcome] = {}

        async def take(result: Answered) -> None:
            """Note the outcome of the question whose index in `questions` is the result's `cell`.

            It is set in `outcomes`, and added to the run's `spent`, and to `failures` by its reason
            if it is no proposal. `on_progress` gets the number and the share of outcomes with it.
            """
            outcomes[result.cell] = result.outcome
            self._counter.count(result.outcome, result.seconds)
            if not isinstance(result.outcome, Proposal):
                self.failures[result.outcome.reason] += 1
            on_progress(len(outcomes), len(outcomes) / len(questions))

        for choice in self._choices:
            questions_of_choice = [
                replace(question.question, cell=index)
                for index, question in enumerate(questions)
                if self._choice_for(question) is choice
            ]
            if questions_of_choice and choice.judge:
                await answer_all(
                    choice.judge,
                    questions_of_choice,
                    choice.concurrency,
                    take,
                )
        return list(map(outcomes.__getitem__, range(len(questions))))


def _saved_answers(judge: Judge | None, question: Question) -> PlainAnswers:
    """Return a judge's answers to a question without a probe by saved replies; nothing is sent.

    They are empty, with labels None, if a reply is not saved, if the saved replies are no judgment
    or their labels break a rule, and if the trace lacks what its trait needs. They are so too for
    any judge that is not one model: a panel, word overlap, and None. The answers of a person are
    left out.
    """
    if isinstance(judge, OpenAIJudge):
        with suppress(JudgmentFailed):
            proposal = judge.from_kept(question)
            if isinstance(check_labels(question, proposal), Proposal):
                return plain_answers(question, proposal, {})
    return PlainAnswers(question)


def _is_known(judge: OpenAIJudge, question: Question) -> bool:
    """Return whether saved replies give this judge's labels for a question; nothing is sent.

    Only replies to the requests that would be sent now count. False also if they are no judgment,
    or the trace lacks what its trait needs. Labels that break a rule of the trait count as known.
    """
    try:
        judge.from_kept(question)
    except JudgmentFailed:
        return False
    return True


async def _close_judges(choices: Sequence[JudgeChoice]) -> None:
    """Close the judges of these choices, the first one first, each also if another fails to close.

    A choice without a judge is passed over. Raises the error of the one that failed.
    """
    async with AsyncExitStack() as closing:
        for choice in reversed(choices):
            if choice.judge:
                closing.push_async_callback(choice.judge.close)
