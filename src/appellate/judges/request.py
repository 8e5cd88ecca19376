"""What is sent for a prompt: the body of a chat completion or of a response, as a server takes it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from appellate.judges import responses
from appellate.judges.abilities import LIMITS, Abilities
from appellate.judges.completion import Completion, Trouble, read
from appellate.judges.endpoint import Api, Endpoint
from appellate.judges.loose import parsed
from appellate.talk.dialogue import Form, Prompt

PATHS: Mapping[Api, str] = {"chat": "/chat/completions", "responses": "/responses"}
"""Below the base URL."""


class Request(NamedTuple):
    """One request, by one API."""

    api: Api
    body: dict[str, Any]


def request(endpoint: Endpoint, able: Abilities, prompt: Prompt) -> Request:
    """The request for a prompt to a server that is able to do so much."""
    written = responses.written(prompt, able) if able.api == "responses" else _chat(prompt, able)
    return Request(able.api, {"model": endpoint.model} | written | _params(endpoint, able, prompt))


def told(endpoint: Endpoint, able: Abilities, prompt: Prompt) -> dict[str, Any]:
    """The parameters as they are recorded: all but the format's schema, and those that the server refuses."""
    left_out = sorted(_wanted(endpoint, able).keys() & able.refused)
    extra: dict[str, Any] = {"left_out": left_out} if left_out else {}
    extra |= {"api": "responses"} if able.api == "responses" else {}
    extra |= {} if able.system else {"system_message": False}
    extra |= {"answers": "listed"} if able.rung == "json_schema" and not able.fields else {}
    return _params(endpoint, able, prompt) | {"response_format": able.rung} | extra


def sent(endpoint: Endpoint, able: Abilities) -> dict[str, Any]:
    """The parameters that the user wishes and the server takes."""
    return {name: value for name, value in _wanted(endpoint, able).items() if name not in able.refused}


def _wanted(endpoint: Endpoint, able: Abilities) -> dict[str, Any]:
    """The parameters that the user wishes, over what a judge should be asked with."""
    ours = {"temperature": 0} | ({"store": False} if able.api == "responses" else {})
    return {name: value for name, value in (ours | dict(endpoint.params)).items() if value is not None}


def limited_by(endpoint: Endpoint, able: Abilities) -> str | None:
    """The user's own token limit, if there is one: then replies get no more room than that."""
    return next((name for name in LIMITS if name in sent(endpoint, able)), None)


def read_reply(body: bytes, headers: Mapping[str, str], api: Api) -> Completion | Trouble:
    """The completion in the body of a 200, or what is wrong with it."""
    return responses.read(body, headers) if api == "responses" else read(body, headers)


def api_of(body: bytes) -> Api:
    """The API that a recorded answer came by, told from its shape."""
    return "responses" if responses.is_one(parsed(body)) else "chat"


def _params(endpoint: Endpoint, able: Abilities, prompt: Prompt) -> dict[str, Any]:
    ours = able.limit and not limited_by(endpoint, able)
    return ({able.limit: prompt.room} if able.limit and ours else {}) | sent(endpoint, able)


def _chat(prompt: Prompt, able: Abilities) -> dict[str, Any]:
    form = prompt.form(listed=not able.held)
    system = {"role": "system", "content": prompt.system}
    if able.system:
        messages = [system, {"role": "user", "content": form.user}]
    else:
        messages = [{"role": "user", "content": f"{prompt.system}\n\n{form.user}"}]
    return {"messages": messages} | _chat_format(form, able)


def _chat_format(form: Form, able: Abilities) -> dict[str, Any]:
    match able.rung:
        case "json_schema":
            named = {"name": "answer", "strict": True, "schema": form.schema}
            return {"response_format": {"type": "json_schema", "json_schema": named}}
        case "json_object":
            return {"response_format": {"type": "json_object"}}
        case "text":
            return {}
