"""What the requests about one cell took, whether or not a judgment came of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from appellate.judges.abilities import Abilities
from appellate.judges.completion import Completion
from appellate.judges.endpoint import Endpoint
from appellate.judges.judge import JudgeRecord
from appellate.judges.request import told
from appellate.talk.dialogue import Prompt

Amount = TypeVar("Amount", int, float)


def total(so_far: Amount | None, more: Amount | None) -> Amount | None:
    """The sum of what is known; None where nothing is."""
    return so_far if more is None else more if so_far is None else so_far + more


@dataclass(slots=True)
class Spent:
    """So far; `known` counts the replies that were had from the cache, `new` are those that may go there."""

    endpoint: Endpoint
    examples: Sequence[str] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    served: str | None = None
    prompt_sha256: str | None = None
    template_sha256: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    latency: float | None = None
    known: int = 0
    new: dict[str, bytes] = field(default_factory=dict)
    recalling: bool = True

    def asking(self, prompt: Prompt, able: Abilities) -> None:
        """How is asked: the last time, and for the prompt the first."""
        self.prompt_sha256 = self.prompt_sha256 or prompt.sha256(listed=not able.held)
        self.template_sha256 = prompt.template
        self.parameters = told(self.endpoint, able, prompt)

    def pay(self, completion: Completion) -> None:
        self.tokens_in = total(self.tokens_in, completion.tokens_in)
        self.tokens_out = total(self.tokens_out, completion.tokens_out)
        self.cost = total(self.cost, _cost(completion, self.endpoint))
        self.hear(completion)

    def recall(self, completion: Completion) -> None:
        """Takes a reply that was paid for before."""
        self.known += 1
        self.hear(completion)

    def hear(self, completion: Completion) -> None:
        if completion.model and completion.model != self.endpoint.model:
            self.served = completion.model

    def forget(self) -> None:
        """Begins anew; where known replies led nowhere, without them."""
        self.recalling = not self.known
        self.known, self.new = 0, {}

    def record(self, url: str) -> JudgeRecord:
        """Parameters are those of the last request, with the model that the server says it served."""
        cached = self.known > 0 and self.latency is None
        served = {"served_model": self.served} if self.served else {}
        return JudgeRecord(
            name=self.endpoint.model,
            model=self.endpoint.model,
            parameters=dict(sorted((self.parameters | served | {"base_url": url}).items())),
            prompt_sha256=self.prompt_sha256,
            template_sha256=self.template_sha256,
            examples=tuple(self.examples),
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost=0.0 if cached else self.cost,
            latency=None if self.latency is None else round(self.latency, 3),
            cached=cached,
        )


def _cost(completion: Completion, endpoint: Endpoint) -> float | None:
    """What the server says, else by the user's prices."""
    tokens_in, tokens_out = completion.tokens_in, completion.tokens_out
    if completion.cost is not None or endpoint.prices is None or tokens_in is None or tokens_out is None:
        return completion.cost
    return endpoint.prices.cost(tokens_in, tokens_out, completion.cached or 0)
