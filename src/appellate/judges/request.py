"""The request that is sent for a prompt, and what the requests about a cell took.

`request()` writes a prompt as the server takes it, by its `Capabilities`. `UsageSoFar` adds up
tokens, cost and time, and gives the `JudgeRecord` of the cell.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct, field

from appellate.judges.capabilities import LIMITS, Capabilities
from appellate.judges.completion import Completion, short
from appellate.judges.endpoint import Api, Endpoint
from appellate.judges.proposal import JudgeRecord
from appellate.talk.dialogue import Form, Prompt, without_bounds

PATHS: Mapping[Api, str] = {"chat": "/chat/completions", "responses": "/responses"}
"""The path of each API below the base URL."""


class Request(Struct, frozen=True):
    """One request to an API."""

    api: Api
    body: dict[str, Any]


def request(endpoint: Endpoint, capabilities: Capabilities, prompt: Prompt) -> Request:
    """Return the request for a prompt to a server with these capabilities; nothing is sent.

    Its body is that of the API: model, messages, reply format, the parameters of `sent_params`, and
    a token limit if the server takes one. The schema has no bounds on lists if the server takes
    none, and asks for one list if the prompt's own is too large.
    """
    form = prompt.form(as_lists=not capabilities.asks_for_fields(prompt))
    if not capabilities.bounds:
        form = form._replace(schema=without_bounds(form.schema))
    if capabilities.api == "responses":
        body = _responses_body(prompt, form, capabilities)
    else:
        body = _chat_body(prompt, form, capabilities)
    body |= _request_params(endpoint, capabilities, prompt)
    return Request(capabilities.api, {"model": endpoint.model} | body)


def describe(
    endpoint: Endpoint,
    capabilities: Capabilities,
    prompt: Prompt,
) -> dict[str, Any]:
    """Return the parameters of a request as a judgment records them, with the reply format's name.

    Parameters that the server refused are listed in `left_out`. Only what is unusual is added:
    `api` for Responses, `system_message` and `bounds` as False if the server takes none, and
    `answers` if the prompt asks for one list in place of fields.
    """
    parameters = _request_params(endpoint, capabilities, prompt) | {
        "response_format": capabilities.reply_format,
    }
    left_out = sorted(
        _params_before_refusals(endpoint, capabilities).keys() & capabilities.refused,
    )
    if left_out:
        parameters["left_out"] = left_out
    if capabilities.api == "responses":
        parameters["api"] = "responses"
    if not capabilities.system:
        parameters["system_message"] = False
    if capabilities.reply_format == "json_schema" and not capabilities.bounds:
        parameters["bounds"] = False
    if (
        capabilities.reply_format == "json_schema"
        and prompt.list_form
        and not capabilities.asks_for_fields(prompt)
    ):
        parameters["answers"] = "listed"
    return parameters


def sent_params(endpoint: Endpoint, capabilities: Capabilities) -> dict[str, Any]:
    """Return the default and the user's parameters of a request that the server has not refused.

    A token limit is among them only if the user set one.
    """
    parameters = _params_before_refusals(endpoint, capabilities)
    return {
        name: value
        for name, value in parameters.items()
        if name not in capabilities.refused
    }


def _params_before_refusals(
    endpoint: Endpoint,
    capabilities: Capabilities,
) -> dict[str, Any]:
    """Return the default parameters of a judge with those of the user, which have precedence.

    Those that the server refused are still among them. The default is temperature 0, and for
    Responses also `store` False. A parameter that the user sets to None is left out.
    """
    parameters: dict[str, Any] = {"temperature": 0}
    if capabilities.api == "responses":
        parameters["store"] = False
    parameters |= endpoint.params
    return {name: value for name, value in parameters.items() if value is not None}


def user_limit(endpoint: Endpoint, capabilities: Capabilities) -> str | None:
    """Return the name of the token limit among the user's parameters, or None if they set none.

    It is the name as the user wrote it, such as `max_tokens`. One that is None or that the server
    refused does not count. Appellate never sends a larger limit than the user's, even after a reply
    was cut.
    """
    parameters = sent_params(endpoint, capabilities)
    for name in LIMITS:
        if name in parameters:
            return name
    return None


def _request_params(
    endpoint: Endpoint,
    capabilities: Capabilities,
    prompt: Prompt,
) -> dict[str, Any]:
    """Return the parameters of a request for a prompt: the sent ones and the prompt's token limit.

    That limit has the server's name for it. It is left out if the user set one of their own, or the
    server takes none.
    """
    parameters = sent_params(endpoint, capabilities)
    if capabilities.limit and not user_limit(endpoint, capabilities):
        return {capabilities.limit: prompt.max_tokens} | parameters
    return parameters


def _chat_body(
    prompt: Prompt,
    form: Form,
    capabilities: Capabilities,
) -> dict[str, Any]:
    """Return the body of a request to Chat Completions, without model and parameters.

    `form` has the user's message and the schema. If the server takes no system message, its text
    begins the user's. For a reply as text there is no `response_format`.
    """
    if capabilities.system:
        messages = [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": form.user},
        ]
    else:
        text = f"{prompt.system}\n\n{form.user}"
        messages = [{"role": "user", "content": text}]
    body: dict[str, Any] = {"messages": messages}
    if capabilities.reply_format == "json_schema":
        schema_format = {"name": "answer", "strict": True, "schema": form.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema_format}
    elif capabilities.reply_format == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body


def _responses_body(
    prompt: Prompt,
    form: Form,
    capabilities: Capabilities,
) -> dict[str, Any]:
    """Return the body of a request to Responses, without model and parameters.

    `form` has the input and the schema. If the server takes no system message, its text begins the
    input. For a reply as text there is no `text.format`.
    """
    body: dict[str, Any] = {"input": f"{prompt.system}\n\n{form.user}"}
    if capabilities.system:
        body = {"instructions": prompt.system, "input": form.user}
    if capabilities.reply_format == "json_schema":
        schema_format = {
            "type": "json_schema",
            "name": "answer",
            "strict": True,
            "schema": form.schema,
        }
        body["text"] = {"format": schema_format}
    elif capabilities.reply_format == "json_object":
        body["text"] = {"format": {"type": "json_object"}}
    return body


Amount = TypeVar("Amount", int, float)


def total(so_far: Amount | None, more: Amount | None) -> Amount | None:
    """Return the sum of two amounts of which either may be unknown; None if both are."""
    if so_far is None:
        return more
    if more is None:
        return so_far
    return so_far + more


class UsageSoFar(Struct):
    """The sum of what the requests about one cell took so far."""

    endpoint: Endpoint
    examples: Sequence[str] = ()
    """Ids of the traces that are shown as examples."""
    parameters: dict[str, Any] = field(default_factory=dict)
    """Those of the last request."""
    served: str | None = None
    """The model that answered, if it is not the one that was asked for."""
    prompt_sha256: str | None = None
    """The hash of the first prompt."""
    template_sha256: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    latency: float | None = None
    """Seconds; None as long as nothing was sent."""
    requests: int = 0
    """Requests that were sent."""
    recalled_costs: list[float | None] = field(default_factory=list)
    """What each reply that came from the cache cost when it was sent for; None if not known."""
    new: dict[str, bytes] = field(default_factory=dict)
    """Answers that were sent for, by the hash of their request; the cache may save them."""
    may_recall: bool = True
    """Whether replies may come from the cache."""

    def note_request(self, prompt: Prompt, capabilities: Capabilities) -> None:
        """Note the parameters of a request, the template, and the hash of the first prompt.

        `capabilities` are those that the request was made by. The hash of a later prompt is not
        noted. `requests` is not raised, because replies of the cache are noted, too.
        """
        self.prompt_sha256 = self.prompt_sha256 or prompt.sha256(
            as_lists=not capabilities.asks_for_fields(prompt),
        )
        self.template_sha256 = prompt.template
        self.parameters = describe(self.endpoint, capabilities, prompt)

    @property
    def recalled(self) -> int:
        """How many replies came from the cache."""
        return len(self.recalled_costs)

    def add_recalled(self, completion: Completion) -> None:
        """Add what a completion from the cache cost when it was sent for.

        Also note which model answered. Its tokens are not added, because nothing was sent now.
        """
        self.recalled_costs.append(_cost(completion, self.endpoint))
        self.note_model(completion)

    def add_sent(self, completion: Completion) -> None:
        """Add the tokens and the cost of a completion that was sent for, as far as they are known.

        Also note which model answered. `requests` and `latency` stay as they are.
        """
        self.tokens_in = total(self.tokens_in, completion.tokens_in)
        self.tokens_out = total(self.tokens_out, completion.tokens_out)
        self.cost = total(self.cost, _cost(completion, self.endpoint))
        self.note_model(completion)

    def note_model(self, completion: Completion) -> None:
        """Note in `served` which model answered, if it is not the one that was asked for.

        A later such model replaces it; an answer of the model that was asked for does not.
        """
        if completion.model and completion.model != self.endpoint.model:
            self.served = short(completion.model)

    def restart(self) -> None:
        """Prepare for another dialogue about the cell, and keep what the first one took.

        If the first one used replies of the cache, the next one does without them. Otherwise it may
        use them. The recalled costs and the new answers of the first one are forgotten.
        """
        self.may_recall = not self.recalled
        self.recalled_costs = []
        self.new = {}

    def record(self, url: str) -> JudgeRecord:
        """Return the record of the cell so far, with the base URL and the model that answered.

        Tokens, cost and latency are those of the requests that were sent, and None if they are not
        known. The cost is 0 if all replies came from the cache. The full cost adds what recalled
        replies cost then, and is None if there were none.
        """
        cost = self.cost
        latency = self.latency
        cached = self.recalled > 0 and latency is None
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
            full_cost=self._full_cost(),
            latency=latency,
            cached=cached,
        )

    def _full_cost(self) -> float | None:
        """Return the sum of what all replies cost, recalled ones and those that were sent for.

        None if none was recalled, or if the cost of one of them is not known.
        """
        if not self.recalled:
            return None
        costs = list(self.recalled_costs)
        if self.latency is not None:
            costs.append(self.cost)
        full_cost = 0.0
        for cost in costs:
            if cost is None:
                return None
            full_cost += cost
        return full_cost


def _cost(completion: Completion, endpoint: Endpoint) -> float | None:
    """Return the cost of a completion; None if it is not known.

    It is what the server says, or else what the user's prices give for its tokens.
    """
    if completion.cost is not None:
        return completion.cost
    if endpoint.prices is None:
        return None
    tokens_in = completion.tokens_in
    tokens_out = completion.tokens_out
    if tokens_in is None or tokens_out is None:
        return None
    cached = completion.cached or 0
    return endpoint.prices.cost(tokens_in, tokens_out, cached)
