"""What judging will take, before anything is sent: requests, tokens, cost and lengths, all about.

Tokens are counted from the size of prompts, by what this audit's judgments by the same model and
template took. No tokenizer is asked: those that need no network know few models, and where
nothing is learnt yet 4.5 bytes a token is as near.
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
"""Bytes of a block of a prefix cache: 16 tokens, as vLLM has them."""
MEASURED = 20_000
"""Requests whose length is told: some 5,000 of them are made in a second."""
LONGEST = 3
"""So many of the longest requests are named."""


class ModelEstimate(Struct, frozen=True):
    """What one model will be asked; `learnt` is from how many judgments, 0 where it is assumed."""

    model: str
    host: str
    tokens_in: int
    tokens_out: int
    cost: float | None
    learnt: int
    octets_per_token: float = OCTETS_PER_TOKEN
    context: int | None = None
    """How many tokens the model takes, by its profile."""

    def tokens(self, octets: int) -> int:
        """About how many tokens a request of this size is."""
        return round(octets / self.octets_per_token)


class Shared(Struct, frozen=True):
    """What share of all that is sent is in beginnings of requests, by who has them in common."""

    rules: float = 0.0
    """In requests of several traits about several traces: the rules of a kind."""
    traits: float = 0.0
    """In requests of one trait about several traces: what it asks, and its examples."""
    traces: float = 0.0
    """In requests of several traits about one trace: what is judged."""

    @property
    def total(self) -> float:
        return self.rules + self.traits + self.traces


class Shown(Struct, frozen=True):
    """The examples in prompts: the share of what is sent that they are, and the longest one."""

    share: float = 0.0
    longest: str = ""
    octets: int = 0
    has_conversations: bool = False
    """Whether some are conversations, of which they show a part."""


class Forecast(Struct, frozen=True):
    """What judging cells will take, by how many sampled prompts.

    `examples` is how few and how many a prompt shows.
    """

    cells: int
    sampled: int
    examples: tuple[int, int]
    asked: tuple[ModelEstimate, ...]
    shared: Shared = Shared()
    shown: Shown = Shown()

    @property
    def requests(self) -> int:
        return self.cells * len(self.asked)

    @property
    def tokens_in(self) -> int:
        return sum(one.tokens_in for one in self.asked)

    @property
    def tokens_out(self) -> int:
        return sum(one.tokens_out for one in self.asked)

    @property
    def cost(self) -> float | None:
        """None where some price is not known."""
        return cost_of(self.asked)


def cost_of(models: Sequence[ModelEstimate]) -> float | None:
    """What all of them cost; None where some price is not known."""
    costs = [one.cost for one in models if one.cost is not None]
    if not costs or len(costs) < len(models):
        return None
    return sum(costs)


def forecast(
    workspace: Workspace, pending: PendingCells, choice: JudgeChoice, most: int = 400
) -> Forecast:
    """What asking about these cells will take, from the prompts of at most so many of them."""
    numbers = list(pending.numbers())
    if not choice.members:
        return Forecast(len(numbers), 0, (0, 0), ())
    cells_of_a_trace = math.ceil(workspace.cells.count() / max(workspace.traces.count(), 1))
    questions = []
    for number in sampled(numbers, most, cells_of_a_trace):
        questions.append(pending.question(number))
    prompts: list[Prompt] = []
    placed: list[PlacedPrompt] = []
    shown: list[int] = []
    for question in questions:
        prompt = first_prompt(question)
        if prompt is not None:
            prompts.append(prompt)
            placed.append(PlacedPrompt(prompt, question.subject.trait.name, question.trace.key))
        shown.append(len(question.briefing.examples))
    asked = [
        model_estimate(workspace, pending.question, member, prompts, len(numbers))
        for member in choice.members
    ]
    return Forecast(
        len(numbers),
        len(questions),
        (min(shown, default=0), max(shown, default=0)),
        tuple(asked),
        shared_shares(placed),
        examples_in(questions),
    )


def sampled(numbers: Sequence[int], most: int, together: int) -> Iterator[int]:
    """Yield at most so many of these cells: evenly from all, some `together` that are neighbours.

    Cells of a trace are neighbours, and what their requests have in common counts.
    """
    if most >= len(numbers):
        yield from numbers
        return
    together = max(1, min(together, most))
    stretches = most // together
    for stretch in range(stretches):
        start = stretch * (len(numbers) - together) // max(stretches - 1, 1)
        yield from numbers[start : start + together]


class PlacedPrompt(NamedTuple):
    """A prompt, and what it is about."""

    prompt: Prompt
    trait: str
    trace: TraceKey


class _Beginning(Struct):
    """A beginning of prompts: the trait and the trace of the first, and whether others have it."""

    trait: str
    trace: TraceKey
    octets: int = 0
    """Those of its last block, in all prompts but the first."""
    other_traits: bool = False
    other_traces: bool = False


def shared_shares(prompts: Iterable[PlacedPrompt]) -> Shared:
    """Return the shares of prompts in blocks that an endless prefix cache has from earlier ones."""
    known: dict[bytes, _Beginning] = {}
    total = 0
    for prompt, trait, trace in prompts:
        text = f"{prompt.system}\0{prompt.user}".encode()
        total += len(text)
        beginning = hashlib.sha256()
        for start in range(0, len(text) - BLOCK + 1, BLOCK):
            beginning.update(text[start : start + BLOCK])
            digest = beginning.digest()
            found = known.get(digest)
            if found is None:
                known[digest] = _Beginning(trait, trace)
                continue
            found.octets += BLOCK
            found.other_traits = found.other_traits or found.trait != trait
            found.other_traces = found.other_traces or found.trace != trace
    rules = traits = traces = 0
    for found in known.values():
        if found.other_traits and found.other_traces:
            rules += found.octets
        elif found.other_traits:
            traces += found.octets
        else:
            traits += found.octets
    total = max(total, 1)
    return Shared(rules / total, traits / total, traces / total)


def examples_in(questions: Iterable[Question]) -> Shown:
    """Return what examples take of the prompts of these questions, and the longest of them."""
    octets = total = longest = 0
    name = ""
    has_conversations = False
    sizes: dict[tuple[str, str], int] = {}
    for question in questions:
        prompt = first_prompt(question)
        if prompt is None:
            continue
        total += prompt.octets
        if not question.briefing.examples:
            continue
        bare = _octets_with(question, ())
        octets += prompt.octets - bare
        for example in question.briefing.examples:
            has_conversations = has_conversations or example.trace.transcript is not None
            known = question.subject.trait.name, example.trace.id
            if known not in sizes:
                sizes[known] = _octets_with(question, (example,)) - bare
            if sizes[known] > longest:
                longest = sizes[known]
                name = example.trace.id
    return Shown(octets / max(total, 1), name, longest, has_conversations)


def _octets_with(question: Question, examples: tuple[Example, ...]) -> int:
    """Return the size of a prompt that shows just these examples."""
    briefing = replace(question.briefing, examples=examples)
    prompt = first_prompt(replace(question, briefing=briefing))
    return prompt.octets if prompt else 0


def unshown(pending: PendingCells, choice: JudgeChoice, most: int = 100) -> list[str]:
    """What to say where examples were asked for and none of the first cells would get one."""
    if not choice.few_shot or not choice.members:
        return []
    questions = [pending.question(number) for number in islice(pending.numbers(), most)]
    if not questions or any(question.briefing.examples for question in questions):
        return []
    takes = "that takes signed-off cells of the same trait and of other traces"
    return [f"--few-shot finds no example to show: {takes}."]


def first_prompt(question: Question) -> Prompt | None:
    """The first prompt about a cell; None where no model is asked, or it lacks what about."""
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
    """What requests to a model will take; `question_of` is what would be asked about a cell."""
    model = judge.name
    prices = judge.endpoint.prices
    known = tokens_in = tokens_out = octets = usual = 0
    for took in usage(workspace.path, model):
        question = question_of(took.cell)
        prompt = first_prompt(question)
        asked = took.template_sha256, took.examples
        if prompt is None or asked != (prompt.template, len(question.briefing.examples)):
            continue  # it would be asked for otherwise now
        known += 1
        tokens_in += took.tokens_in
        tokens_out += took.tokens_out
        octets += prompt.octets
        usual += prompt.usual_tokens
    each_in = 1 / OCTETS_PER_TOKEN
    each_out = 1.0
    if tokens_in and octets:
        each_in = tokens_in / octets
    if tokens_out and usual:
        each_out = tokens_out / usual
    octets = usual = 0
    for prompt in prompts:
        octets += prompt.octets
        usual += prompt.usual_tokens
    count = max(len(prompts), 1)
    tokens_in = round(requests * each_in * (octets / count))
    tokens_out = round(requests * each_out * (usual / count))
    cost = None
    if prices:
        cost = prices.cost(tokens_in, tokens_out)
    return ModelEstimate(
        model,
        judge.host,
        tokens_in,
        tokens_out,
        cost,
        known,
        1 / each_in,
        judge.endpoint.context,
    )


# -- lengths --------------------------------------------------------------------------------------


class RequestLength(Struct, frozen=True):
    """The first request about a cell: its size, and the tokens that its reply usually takes."""

    cell: int
    trace: str
    trait: str
    octets: int
    usual: int


class TooLong(Struct, frozen=True):
    """The requests that do not fit, with their replies, into the context of a model."""

    asked: ModelEstimate
    requests: tuple[RequestLength, ...]
    """The longest first."""


class Lengths(Struct, frozen=True):
    """How long requests are: of how many, the longest, and those that are too long for a model."""

    measured: int = 0
    longest: tuple[RequestLength, ...] = ()
    too_long: tuple[TooLong, ...] = ()
    """Of each model whose context is known."""

    @property
    def too_long_text(self) -> str:
        """How many requests are too long for a model, in words; "" if none is."""
        most = max((len(found.requests) for found in self.too_long), default=0)
        if not most:
            return ""
        if most == self.measured:
            return f"{most:,} or more"
        return f"{most:,}"


def lengths(
    workspace: Workspace,
    pending: PendingCells,
    asked: Iterable[ModelEstimate],
    most: int = MEASURED,
) -> Lengths:
    """Return how long the requests about these cells are; of many, those about long traces."""
    numbers = list(pending.numbers())
    if len(numbers) > most:
        numbers = workspace.cells.of_longest_traces(numbers, most)
    found: list[RequestLength] = []
    for number in numbers:
        question = pending.question(number)
        prompt = first_prompt(question)
        if prompt is None:
            continue
        trace = name_of(*question.trace.key)
        trait = question.subject.trait.name
        found.append(RequestLength(number, trace, trait, prompt.octets, prompt.usual_tokens))
    found.sort(key=lambda length: -length.octets)
    too_long = []
    for model in dict.fromkeys(asked):
        if model.context is None:
            continue
        beyond = [one for one in found if model.tokens(one.octets) + one.usual > model.context]
        too_long.append(TooLong(model, tuple(beyond)))
    return Lengths(len(found), tuple(found[:LONGEST]), tuple(too_long))
