"""What judging will take, before anything is sent: requests, tokens and cost, all about.

Tokens are counted from the size of prompts, by what this audit's judgments by the same model and
template took. No tokenizer is asked: those that need no network know few models, and where
nothing is learnt yet 4.5 bytes a token is as near.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

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


class ModelEstimate(Struct, frozen=True):
    """What one model will be asked; `learnt` is from how many judgments, 0 where it is assumed."""

    model: str
    host: str
    tokens_in: int
    tokens_out: int
    cost: float | None
    learnt: int


class Forecast(Struct, frozen=True):
    """What judging cells will take, by how many sampled prompts.

    `examples` is how few and how many a prompt shows, `shared` what share of what is sent is in
    beginnings that prompts have in common.
    """

    cells: int
    sampled: int
    examples: tuple[int, int]
    asked: tuple[ModelEstimate, ...]
    shared: float = 0.0

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
    count = min(most, len(numbers))
    prompts, shown = [], []
    for place in range(count):  # evenly from all of them
        question = pending.question(numbers[place * len(numbers) // count])
        prompt = first_prompt(question)
        if prompt is not None:
            prompts.append(prompt)
        shown.append(len(question.briefing.examples))
    asked = [
        model_estimate(workspace, pending.question, member, prompts, len(numbers))
        for member in choice.members
    ]
    examples = (min(shown, default=0), max(shown, default=0))
    return Forecast(len(numbers), count, examples, tuple(asked), shared_share(prompts))


def shared_share(prompts: Iterable[Prompt]) -> float:
    """The share of prompts in blocks that an endless prefix cache has from earlier prompts."""
    seen: set[bytes] = set()
    shared = whole = 0
    for prompt in prompts:
        text = f"{prompt.system}\0{prompt.user}".encode()
        whole += len(text)
        beginning = hashlib.sha256()
        for start in range(0, len(text) - BLOCK + 1, BLOCK):
            beginning.update(text[start : start + BLOCK])
            known = beginning.digest()
            if known in seen:
                shared += BLOCK
            seen.add(known)
    return shared / max(whole, 1)


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
    model, prices = judge.name, judge.endpoint.prices
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
        usual += prompt.usual
    each_in, each_out = 1 / OCTETS_PER_TOKEN, 1.0
    if tokens_in and octets:
        each_in = tokens_in / octets
    if tokens_out and usual:
        each_out = tokens_out / usual
    octets = usual = 0
    for prompt in prompts:
        octets += prompt.octets
        usual += prompt.usual
    count = max(len(prompts), 1)
    tokens_in = round(requests * each_in * (octets / count))
    tokens_out = round(requests * each_out * (usual / count))
    cost = None
    if prices:
        cost = prices.cost(tokens_in, tokens_out)
    return ModelEstimate(model, judge.host, tokens_in, tokens_out, cost, known)
