"""Estimates of what judging will take, before anything is sent: requests, tokens, cost, lengths.

Tokens are estimated from the bytes of prompts, by what this audit's judgments with the same model
and template took. No tokenizer is used: those that need no network know few models. Where nothing
is learnt yet, 4.5 bytes a token are as accurate.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Example
from appellate.core.trace import TraceKey, name_of
from appellate.judges.proposal import Question
from appellate.judging.choice import JudgeChoice
from appellate.judging.questions import PendingCells, is_computed
from appellate.store.fact_rows import usage
from appellate.store.workspace import Workspace
from appellate.talk.dialogue import OCTETS_PER_TOKEN, Prompt, Unreadable

if TYPE_CHECKING:
    from appellate.judges.openai import OpenAIJudge

BLOCK = 72
"""Bytes of a block of a prefix cache: the 16 tokens of vLLM."""
MEASURED = 20_000
"""Requests whose length is measured: about 5,000 a second."""
LONGEST = 3
"""How many of the longest requests are named."""
_LOOKED_AT = 100
"""Cells that wait for the judge of which one should get an example."""


class ModelEstimate(Struct, frozen=True):
    """What the requests to one model will take."""

    model: str
    host: str
    tokens_in: int
    tokens_out: int
    cost: float | None
    """None if the prices are not known."""
    learnt: int
    """Judgments that the estimate is based on; 0 if tokens are only assumed."""
    octets_per_token: float = OCTETS_PER_TOKEN
    context: int | None = None
    """Tokens that the model takes, by its profile; None if that does not say."""

    def tokens(self, octets: int) -> int:
        """Return about how many tokens a request of `octets` bytes has, at this model's rate."""
        return round(octets / self.octets_per_token)


class SharedPrefixes(Struct, frozen=True):
    """The shares of all bytes that are in common beginnings of requests: servers may cache them."""

    rules: float = 0.0
    """Share in common to several traits and several traces: the rules of a kind."""
    traits: float = 0.0
    """Share in common to several traces of one trait: its instructions and examples."""
    traces: float = 0.0
    """Share in common to several traits of one trace: the text to judge."""

    @property
    def total(self) -> float:
        """The share that is in common to any requests."""
        return self.rules + self.traits + self.traces


class ExampleShare(Struct, frozen=True):
    """What the examples in prompts take."""

    share: float = 0.0
    """Their share of all bytes that are sent."""
    longest: str = ""
    """The id of the longest example's trace; "" if there are no examples."""
    octets: int = 0
    """Bytes of the longest example."""
    has_conversations: bool = False
    """Whether some are conversations, of which examples show a part."""


class Forecast(Struct, frozen=True):
    """What judging some cells will take."""

    cells: int
    requests_to_each: int
    """Requests to each model, if every first reply can be used."""
    sampled: int
    """Cells whose prompts were built for the estimate."""
    examples: tuple[int, int]
    """The fewest and the most examples in a prompt."""
    asked: tuple[ModelEstimate, ...]
    """What each model will take."""
    shared: SharedPrefixes = SharedPrefixes()
    shown: ExampleShare = ExampleShare()

    @property
    def requests(self) -> int:
        """Requests to all models, if every first reply can be used."""
        return self.requests_to_each * len(self.asked)

    @property
    def tokens_in(self) -> int:
        """Tokens that all models read."""
        return sum(model.tokens_in for model in self.asked)

    @property
    def tokens_out(self) -> int:
        """Tokens that all models write."""
        return sum(model.tokens_out for model in self.asked)

    @property
    def cost(self) -> float | None:
        """The cost of all models; None if the price of one is not known, or no model is asked."""
        return cost_of(self.asked)


def cost_of(models: Sequence[ModelEstimate]) -> float | None:
    """Return the cost of all models; None if the price of one is not known or there are none."""
    costs: list[float] = []
    for model in models:
        if model.cost is None:
            return None
        costs.append(model.cost)
    return sum(costs) if costs else None


def forecast(
    workspace: Workspace,
    pending: PendingCells,
    choice: JudgeChoice,
    most: int = 400,
) -> Forecast:
    """Return what asking about the pending cells will take, by a sample of them; nothing is sent.

    The prompts of at most `most` cells are built, in evenly spaced groups, and stand for all. A
    cell whose trace lacks what the trait needs takes no request. Tokens are learnt from earlier
    judgments of the same model. Replies that are saved are counted as if they were asked for, and
    requests that are sent again are not counted. If the choice asks no model, only the number of
    cells is given, which is also that of requests to each, and `asked` is empty.
    """
    numbers = list(pending.numbers())
    if not choice.members:
        return Forecast(len(numbers), len(numbers), 0, (0, 0), ())

    cells_of_a_trace = math.ceil(
        workspace.cells.count() / max(workspace.traces.count(), 1),
    )
    questions = []
    for number in sampled(numbers, most, cells_of_a_trace):
        questions.append(pending.question(number))

    prompts: list[Prompt] = []
    placed: list[PlacedPrompt] = []
    example_counts: list[int] = []
    for question in questions:
        example_counts.append(len(question.briefing.examples))
        prompt = first_prompt(question)
        if prompt is None:
            continue
        prompts += [prompt] * question.requests
        placed.append(
            PlacedPrompt(prompt, question.subject.trait.name, question.trace.key),
        )

    requests = round(len(numbers) * len(prompts) / max(len(questions), 1))
    estimates = [
        model_estimate(workspace, pending.question, member, prompts, requests)
        for member in choice.members
    ]
    return Forecast(
        len(numbers),
        requests,
        len(questions),
        (min(example_counts, default=0), max(example_counts, default=0)),
        tuple(estimates),
        shared_prefixes(placed),
        example_share(questions),
    )


def sampled(numbers: Sequence[int], most: int, group_size: int) -> Iterator[int]:
    """Yield at most `most` of these numbers of cells, in their order, none twice.

    All are yielded if there are not more. Otherwise they come in evenly spaced groups of
    `group_size` neighbours, from the first to the last cell, or only in the first group if `most`
    has room for no second one. Of 100 numbers, with 10 and 5, they are the first 5 and the last 5.
    A `group_size` below 1 counts as 1, and one above `most` as `most`. The cells of a trace are
    neighbours, so that groups show what their requests have in common.
    """
    if most >= len(numbers):
        yield from numbers
        return
    group_size = max(1, min(group_size, most))
    group_count = most // group_size
    last_start = len(numbers) - group_size
    steps = max(group_count - 1, 1)
    for group in range(group_count):
        start = group * last_start // steps
        yield from numbers[start : start + group_size]


class PlacedPrompt(NamedTuple):
    """A prompt, with the trait and the trace that it is about."""

    prompt: Prompt
    trait: str
    trace: TraceKey


class _Beginning(Struct):
    """A beginning that prompts have in common."""

    trait: str
    """The trait of the first prompt that begins so."""
    trace: TraceKey
    """The trace of the first prompt that begins so."""
    octets: int = 0
    """Bytes of the last block of the beginning, summed over all prompts except the first."""
    other_traits: bool = False
    """Whether prompts of other traits begin so."""
    other_traces: bool = False
    """Whether prompts about other traces begin so."""


def shared_prefixes(prompts: Iterable[PlacedPrompt]) -> SharedPrefixes:
    """Return the shares of prompts that a prefix cache would have from earlier prompts.

    A share is that of all bytes of the prompts, 0 to 1. `rules` is what prompts of several traits
    about several traces have in common, `traces` what those of several traits about one trace have,
    and `traits` what those of one trait have. What is in common does not count where it first
    comes: two prompts of one length with the same first half share a quarter. The cache is assumed
    to forget nothing, and to hold whole blocks of BLOCK bytes from the beginning of a prompt. All
    shares are 0 without prompts.
    """
    beginnings: dict[bytes, _Beginning] = {}
    total = 0
    for prompt, trait, trace in prompts:
        text = f"{prompt.system}\0{prompt.user}".encode()
        total += len(text)
        hash_so_far = hashlib.sha256()
        for start in range(0, len(text) - BLOCK + 1, BLOCK):
            hash_so_far.update(text[start : start + BLOCK])
            digest = hash_so_far.digest()
            earlier = beginnings.get(digest)
            if earlier is None:
                beginnings[digest] = _Beginning(trait, trace)
                continue
            earlier.octets += BLOCK
            earlier.other_traits = earlier.other_traits or earlier.trait != trait
            earlier.other_traces = earlier.other_traces or earlier.trace != trace

    rules = traits = traces = 0
    for beginning in beginnings.values():
        if beginning.other_traits and beginning.other_traces:
            rules += beginning.octets
        elif beginning.other_traits:
            traces += beginning.octets
        else:
            traits += beginning.octets
    total = max(total, 1)
    return SharedPrefixes(rules / total, traits / total, traces / total)


def example_share(questions: Iterable[Question]) -> ExampleShare:
    """Return what share of the bytes of these questions' prompts their examples take.

    The share is a fraction of all prompts, such as 0.25, measured by building each prompt with and
    without its examples. The result also has the id of the trace of the example that takes most
    bytes, and these bytes, and says whether any example is a conversation. Questions without a
    prompt are left out. Without any example the share and the bytes are 0 and the id is "".
    """
    octets = total = longest = 0
    longest_id = ""
    has_conversations = False
    sizes: dict[tuple[str, str], int] = {}
    for question in questions:
        prompt = first_prompt(question)
        if prompt is None:
            continue
        total += prompt.octets
        if not question.briefing.examples:
            continue
        octets_without = _octets_with(question, ())
        octets += prompt.octets - octets_without
        for example in question.briefing.examples:
            has_conversations = (
                has_conversations or example.trace.transcript is not None
            )
            key = (question.subject.trait.name, example.trace.id)
            if key not in sizes:
                sizes[key] = _octets_with(question, (example,)) - octets_without
            if sizes[key] > longest:
                longest = sizes[key]
                longest_id = example.trace.id
    return ExampleShare(octets / max(total, 1), longest_id, longest, has_conversations)


def _octets_with(question: Question, examples: tuple[Example, ...]) -> int:
    """Return the bytes of a question's first prompt if it shows just these examples.

    0 if there is no prompt, because no model is asked or the trace lacks what the trait needs.
    """
    briefing = replace(question.briefing, examples=examples)
    prompt = first_prompt(replace(question, briefing=briefing))
    if prompt is None:
        return 0
    return prompt.octets


def missing_examples_warning(pending: PendingCells, choice: JudgeChoice) -> list[str]:
    """Return a warning if examples were asked for, but the first cells that wait get none.

    The list has one sentence. It is empty if one of the first `_LOOKED_AT` cells gets an example,
    if no cell waits, if no model is asked, or if no examples were asked for.
    """
    if not choice.few_shot or not choice.members:
        return []
    has_question = False
    for number in islice(pending.numbers(), _LOOKED_AT):
        has_question = True
        question = pending.question(number)
        if question.briefing.examples:
            return []
    if not has_question:
        return []
    condition = "examples are signed-off cells of the same trait and of other traces"
    return [f"--few-shot found no example to show: {condition}."]


def first_prompt(question: Question) -> Prompt | None:
    """Return the first prompt to a model about a cell, or None if there is none.

    There is none if a rule or code computes the cell, if its scores are recorded ones, or if its
    trace lacks what the trait needs.
    """
    if is_computed(question.subject):
        return None
    try:
        return next(question.dialogue())
    except Unreadable:
        return None


def model_estimate(
    workspace: Workspace,
    question_of: Callable[[int], Question],
    judge: "OpenAIJudge",
    prompts: Sequence[Prompt],
    requests: int,
) -> ModelEstimate:
    """Return what `requests` requests to a model will take, by the prompts of a sample.

    `prompts` has one prompt for each request of the sample. `question_of` gives the question that
    would be asked about a cell now; `_rates` learns from it how many tokens bytes make. The cost is
    None if the model has no prices. Without prompts tokens are 0.
    """
    rates = _rates(workspace, question_of, judge.name)
    octets = usual = 0
    for prompt in prompts:
        octets += prompt.octets
        usual += prompt.usual_tokens
    count = max(len(prompts), 1)
    tokens_in = round(requests * rates.tokens_per_octet * (octets / count))
    tokens_out = round(requests * rates.tokens_per_usual * (usual / count))
    prices = judge.endpoint.prices
    cost = None
    if prices:
        cost = prices.cost(tokens_in, tokens_out)
    return ModelEstimate(
        judge.name,
        judge.host,
        tokens_in,
        tokens_out,
        cost,
        rates.learnt_from,
        1 / rates.tokens_per_octet,
        judge.endpoint.context,
    )


class _Rates(NamedTuple):
    """How many tokens a model takes for prompts and replies."""

    learnt_from: int
    """Judgments that the rates are learnt from; 0 if they are only assumed."""
    tokens_per_octet: float
    """Tokens read for a byte of a prompt."""
    tokens_per_usual: float
    """Tokens written for one of the tokens that a reply usually takes."""


def _rates(
    workspace: Workspace,
    question_of: Callable[[int], Question],
    model: str,
) -> _Rates:
    """Return the rates at which a model took tokens for its latest judgments in a workspace.

    Only judgments count whose prompt had the template and as many examples as `question_of` now
    gives for their cell. Without such judgments the rates are assumed: 1 / OCTETS_PER_TOKEN and 1.
    """
    learnt_from = tokens_in = tokens_out = octets = usual = 0
    for judgment in usage(workspace.path, model):
        question = question_of(judgment.cell)
        prompt = first_prompt(question)
        if prompt is None:
            continue
        as_now = (prompt.template, len(question.briefing.examples))
        if (judgment.template_sha256, judgment.examples) != as_now:
            continue
        learnt_from += 1
        tokens_in += judgment.tokens_in
        tokens_out += judgment.tokens_out
        octets += prompt.octets * question.requests
        usual += prompt.usual_tokens * question.requests

    tokens_per_octet = 1 / OCTETS_PER_TOKEN
    tokens_per_usual = 1.0
    if tokens_in and octets:
        tokens_per_octet = tokens_in / octets
    if tokens_out and usual:
        tokens_per_usual = tokens_out / usual
    return _Rates(learnt_from, tokens_per_octet, tokens_per_usual)


# -- lengths --------------------------------------------------------------------------------------


class RequestLength(Struct, frozen=True):
    """The length of the first request about a cell."""

    cell: int
    trace: str
    """The trace's id, with its epoch if there are several."""
    trait: str
    octets: int
    """Bytes of the request."""
    usual: int
    """Tokens that the reply usually takes."""


class TooLong(Struct, frozen=True):
    """The requests that do not fit into the context of a model together with their replies."""

    asked: ModelEstimate
    """The model."""
    requests: tuple[RequestLength, ...]
    """The longest first."""


class Lengths(Struct, frozen=True):
    """The lengths of requests."""

    measured: int = 0
    """Requests that were measured."""
    longest: tuple[RequestLength, ...] = ()
    """The longest requests, the very longest first."""
    too_long: tuple[TooLong, ...] = ()
    """Requests that are too long, for each model whose context is known."""

    @property
    def too_long_text(self) -> str:
        """The number of requests that are too long for a model, as "1,200"; "" if none is.

        Of several models it is the largest number. If all that were measured are too long, it is
        "50 or more".
        """
        most = max((len(model.requests) for model in self.too_long), default=0)
        if not most:
            return ""
        if most == self.measured:
            return f"{most:,} or more"
        return f"{most:,}"


def lengths(
    workspace: Workspace,
    pending: PendingCells,
    models: Iterable[ModelEstimate],
    most: int = MEASURED,
) -> Lengths:
    """Return how long the requests about these cells are, and which are too long for a model.

    At most `most` cells are measured, those of the longest traces. Cells without a `first_prompt`
    are left out. `LONGEST` of the longest requests are named. `too_long` has each model of
    `models` once whose context is known, also one for which no request is too long. A request is
    too long if it and its usual reply have more tokens than that context.
    """
    numbers = list(pending.numbers())
    if len(numbers) > most:
        numbers = workspace.cells.of_longest_traces(numbers, most)
    measured = _measured(map(pending.question, numbers))

    too_long: list[TooLong] = []
    for model in dict.fromkeys(models):
        if model.context is None:
            continue
        too_long_requests: list[RequestLength] = []
        for request in measured:
            if model.tokens(request.octets) + request.usual > model.context:
                too_long_requests.append(request)
        too_long.append(TooLong(model, tuple(too_long_requests)))
    return Lengths(len(measured), tuple(measured[:LONGEST]), tuple(too_long))


def _measured(questions: Iterable[Question]) -> list[RequestLength]:
    """Return the length of the first request about each of these questions, the longest first.

    Questions without a `first_prompt` are left out.
    """
    measured: list[RequestLength] = []
    for question in questions:
        prompt = first_prompt(question)
        if prompt is None:
            continue
        measured.append(
            RequestLength(
                question.cell,
                name_of(*question.trace.key),
                question.subject.trait.name,
                prompt.octets,
                prompt.usual_tokens,
            ),
        )
    measured.sort(key=lambda length: -length.octets)
    return measured
