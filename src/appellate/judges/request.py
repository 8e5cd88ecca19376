"""What is sent for a prompt, as a server takes it, and what the requests of a cell took."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct, field

from appellate.judges.capabilities import LIMITS, Capabilities
from appellate.judges.completion import Completion, short
from appellate.judges.endpoint import Api, Endpoint
from appellate.judges.proposal import JudgeRecord
from appellate.talk.dialogue import Form, Prompt, without_bounds

PATHS: Mapping[Api, str] = {"chat": "/chat/completions", "responses": "/responses"}
"""Below the base URL."""


class Request(Struct):
    """One request, by one API; `key` is what its reply is kept under, once somebody looked."""

    api: Api
    body: dict[str, Any]
    key: str = ""


def request(endpoint: Endpoint, able: Capabilities, prompt: Prompt) -> Request:
    """The request for a prompt to a server that is able to do so much."""
    form = prompt.form(listed=not able.holds(prompt))
    if not able.bounds:
        form = form._replace(schema=without_bounds(form.schema))
    write = _responses if able.api == "responses" else _chat
    body = write(prompt, form, able) | _params(endpoint, able, prompt)
    return Request(able.api, {"model": endpoint.model} | body)


def describe(endpoint: Endpoint, able: Capabilities, prompt: Prompt) -> dict[str, Any]:
    """The parameters as they are recorded, without the schema and those that the server refuses."""
    parameters = _params(endpoint, able, prompt) | {"response_format": able.reply_format}
    left_out = sorted(_wanted(endpoint, able).keys() & able.refused)
    if left_out:
        parameters["left_out"] = left_out
    if able.api == "responses":
        parameters["api"] = "responses"
    if not able.system:
        parameters["system_message"] = False
    if able.reply_format == "json_schema" and not able.bounds:
        parameters["bounds"] = False
    if able.reply_format == "json_schema" and prompt.listed and not able.holds(prompt):
        parameters["answers"] = "listed"
    return parameters


def sent(endpoint: Endpoint, able: Capabilities) -> dict[str, Any]:
    """The parameters that the user wishes and the server takes."""
    wanted = _wanted(endpoint, able)
    return {name: value for name, value in wanted.items() if name not in able.refused}


def _wanted(endpoint: Endpoint, able: Capabilities) -> dict[str, Any]:
    """The parameters that the user wishes, over what a judge should be asked with."""
    wanted: dict[str, Any] = {"temperature": 0}
    if able.api == "responses":
        wanted["store"] = False
    wanted |= endpoint.params
    return {name: value for name, value in wanted.items() if value is not None}


def limited_by(endpoint: Endpoint, able: Capabilities) -> str | None:
    """The user's own token limit, if there is one: then replies get no more room than that."""
    return next((name for name in LIMITS if name in sent(endpoint, able)), None)


def _params(endpoint: Endpoint, able: Capabilities, prompt: Prompt) -> dict[str, Any]:
    parameters = sent(endpoint, able)
    if able.limit and not limited_by(endpoint, able):
        return {able.limit: prompt.room} | parameters
    return parameters


def _chat(prompt: Prompt, form: Form, able: Capabilities) -> dict[str, Any]:
    messages = [{"role": "user", "content": f"{prompt.system}\n\n{form.user}"}]
    if able.system:
        system = {"role": "system", "content": prompt.system}
        messages = [system, {"role": "user", "content": form.user}]
    body: dict[str, Any] = {"messages": messages}
    if able.reply_format == "json_schema":
        named = {"name": "answer", "strict": True, "schema": form.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif able.reply_format == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def _responses(prompt: Prompt, form: Form, able: Capabilities) -> dict[str, Any]:
    body: dict[str, Any] = {"input": f"{prompt.system}\n\n{form.user}"}
    if able.system:
        body = {"instructions": prompt.system, "input": form.user}
    if able.reply_format == "json_schema":
        named = {"type": "json_schema", "name": "answer", "strict": True, "schema": form.schema}
        body["text"] = {"format": named}
    elif able.reply_format == "json_object":
        body["text"] = {"format": {"type": "json_object"}}
    return body


Amount = TypeVar("Amount", int, float)


def total(so_far: Amount | None, more: Amount | None) -> Amount | None:
    """The sum of what is known; None where nothing is."""
    if so_far is None:
        return more
    if more is None:
        return so_far
    return so_far + more


class UsageSoFar(Struct):
    """What the requests about one cell took so far.

    `requests` counts those sent, `known` the replies in the cache; `new` may go there.
    """

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
    requests: int = 0
    known: int = 0
    new: dict[str, bytes] = field(default_factory=dict)
    recalling: bool = True

    def asking(self, prompt: Prompt, able: Capabilities) -> None:
        """Notes the parameters of this time, and the prompt of the first."""
        self.prompt_sha256 = self.prompt_sha256 or prompt.sha256(listed=not able.holds(prompt))
        self.template_sha256 = prompt.template
        self.parameters = describe(self.endpoint, able, prompt)

    def pay(self, completion: Completion) -> None:
        self.tokens_in = total(self.tokens_in, completion.tokens_in)
        self.tokens_out = total(self.tokens_out, completion.tokens_out)
        self.cost = total(self.cost, _cost(completion, self.endpoint))
        self.hear(completion)

    def hear(self, completion: Completion) -> None:
        """Notes which model was served, where that is another than was asked for."""
        if completion.model and completion.model != self.endpoint.model:
            self.served = short(completion.model)

    def forget(self) -> None:
        """Begins anew; where known replies led nowhere, without them."""
        self.recalling = not self.known
        self.known = 0
        self.new = {}

    def record(self, url: str) -> JudgeRecord:
        """The parameters are those of the last request, with the model that was served."""
        cost = self.cost
        latency = self.latency
        cached = self.known > 0 and latency is None
        if cached:
            cost = 0.0
        if latency is not None:
            latency = round(latency, 3)
        parameters = self.parameters | {"base_url": url}
        if self.served:
            parameters["served_model"] = self.served
        return JudgeRecord(
            name=self.endpoint.model,
            model=self.endpoint.model,
            parameters=dict(sorted(parameters.items())),
            prompt_sha256=self.prompt_sha256,
            template_sha256=self.template_sha256,
            examples=tuple(self.examples),
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost=cost,
            latency=latency,
            cached=cached,
        )


def _cost(completion: Completion, endpoint: Endpoint) -> float | None:
    """What the server says, else by the user's prices."""
    tokens_in = completion.tokens_in
    tokens_out = completion.tokens_out
    if completion.cost is not None or endpoint.prices is None:
        return completion.cost
    if tokens_in is None or tokens_out is None:
        return None
    return endpoint.prices.cost(tokens_in, tokens_out, completion.cached or 0)
