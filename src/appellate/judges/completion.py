"""Reading what a server sent: a completion, or trouble, whatever its shape.

Servers answer 200 with HTML, with an error inside, with no choices, with content in parts or with
counts as strings, and think aloud where the answer belongs.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from msgspec import Struct

from appellate.judges.coerce import amount, count, decoded, mapping, mappings, parsed, short, text

TOO_LATE = "too late"
REDIRECTS = (301, 302, 303, 307, 308)
"""Statuses that point to another address."""
LONGEST_RAW = 20_000
"""Characters of what was sent that are kept with a failure."""
_COST = "x-litellm-response-cost"
_NO_HEADERS: Mapping[str, str] = {}


class Completion(Struct, frozen=True):
    """What a model answered: its text, or why there is none; `cut` where the token limit ended it.

    `unread` is what a server said that could not read its model's words: then the text is its whole
    answer. `cached` are those of tokens_in that the server had read before, `cost` what it says it
    charges.
    """

    text: str
    cut: bool = False
    refusal: str = ""
    filtered: bool = False
    model: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cached: int | None = None
    cost: float | None = None
    unread: str = ""


_GARBLED_STATUS = (200, 400, 422, 500, 502)
_GARBLED = re.compile(
    # llama.cpp
    r"failed to parse input at pos|model produced output that does not match"
    r"|json\.exception\.parse_error"
    # Ollama, LM Studio, SGLang
    r"|(?:failed to parse|error parsing) (?:the )?tool.?call|tool.?call parsing failed"
    # vLLM and others, gpt-oss
    r"|tokens remaining in message header|could not decode header|harmony.{0,3}error"
    # LiteLLM
    r"|JSONSchemaValidationError|returned an invalid response=|JSONDecodeError"
    # Python's parser
    r"|Expecting (?:value|property name|'.' delimiter)|Unterminated string|Extra data: line"
    # Groq
    r"|json_validate_failed|output_parse_failed|tool_use_failed|failed to generate json",
    re.IGNORECASE,
)


class Trouble(Struct, frozen=True):
    """Anything else: `status` is 0 where nobody answered, `wait` the seconds to wait."""

    status: int
    message: str
    raw: str = ""
    code: str = ""
    param: str = ""
    wait: float | None = None

    @property
    def unreachable(self) -> bool:
        """Whether there was no talking to the server; one that takes too long is there."""
        return self.status == 0 and self.code != TOO_LATE

    @property
    def garbled(self) -> bool:
        """Whether the server's own parser failed on what the model wrote.

        It is there, and no busier for it.
        """
        return self.status in _GARBLED_STATUS and bool(
            _GARBLED.search(f"{self.code} {self.message}")
        )


def read(body: bytes, headers: Mapping[str, str] = _NO_HEADERS) -> Completion | Trouble:
    """The chat completion in the body of a 200, or what is wrong with it."""
    value = mapping(parsed(body))
    if value.get("error"):
        return read_error(200, body, {})
    choices = mappings(value.get("choices"))
    if not choices or not choices[0]:
        return Trouble(200, f"no chat completion: {short(decoded(body))}", decoded(body))
    choice = choices[0]
    if choice.get("error") or choice.get("finish_reason") == "error":
        return Trouble(200, f"an error within the completion: {_wording(choice)}", decoded(body))
    return _completion(value, choice, charged(value, headers))


def _completion(
    value: Mapping[str, Any], choice: Mapping[str, Any], cost: float | None
) -> Completion:
    message = mapping(choice.get("message"))
    usage = mapping(value.get("usage"))
    finish = choice.get("finish_reason")
    filtered = finish == "content_filter"
    thought = text(message.get("reasoning_content")) or text(message.get("reasoning"))
    thinking = mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")
    wording, unfinished = spoken(_content(message.get("content")), thought, count(thinking))
    refusal = _refusal(message)
    cut = finish in ("length", "max_tokens")
    if unfinished and not refusal and not filtered:
        cut = True
    if finish == "refusal":
        refusal = refusal or wording or "no reason given"
    return Completion(
        text=wording,
        cut=cut,
        refusal=refusal,
        filtered=filtered,
        model=text(value.get("model")) or None,
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
        cached=count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        cost=cost,
    )


def charged(value: Mapping[str, Any], headers: Mapping[str, str]) -> float | None:
    """What a server says the request cost: in the usage, else a proxy in a header."""
    cost = amount(mapping(value.get("usage")).get("cost"))
    if cost is None:
        return amount(headers.get(_COST))
    return cost


def spoken(text: str, thought: str, thinking: int | None) -> tuple[str, bool]:
    """The answer, and whether thinking left no room for it.

    Some servers file the answer under thoughts.
    """
    if text.strip():
        return text, text.lstrip().startswith("<think>") and "</think>" not in text
    if "{" in thought:
        return thought, False
    return "", bool(thought.strip() or thinking)


def _refusal(message: Mapping[str, Any]) -> str:
    """The words of a refusal: a field of the message, a proxy's, or a part of the content."""
    proxied = mapping(message.get("provider_specific_fields")).get("refusal")
    parts = [text(part.get("refusal")) for part in mappings(message.get("content"))]
    return text(message.get("refusal")) or text(proxied) or "".join(parts)


def _content(content: object) -> str:
    """The text of a message; servers may send it in parts."""
    if not isinstance(content, list):
        return text(content)
    return "".join(text(part) or text(mapping(part).get("text")) for part in content)


def read_error(status: int, body: bytes, headers: Mapping[str, str]) -> Trouble:
    """The trouble in an error's body; a numeric `code` in a 200 is the status that was meant."""
    value = parsed(body)
    if isinstance(value, list):
        value = next(iter(value), None)
    value = mapping(value)
    error = mapping(value.get("error")) or value
    meant = count(error.get("code"))
    if status == _OK and meant and 400 <= meant < 600:  # noqa: PLR2004 - HTTP's numbers
        status = meant
    raw = decoded(body)
    wait = asked_to_wait(headers)
    delay = _DELAY.search(raw)
    if wait is None and delay:
        wait = float(delay.group(1))
    return Trouble(
        status=status,
        message=_wording(value) or short(raw),
        raw=raw,
        code=text(error.get("code") or error.get("type")),
        param=text(error.get("param")) or _located(raw),
        wait=wait,
    )


_OK = 200
_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"', re.ASCII)
"""The seconds that Google's servers ask for, who have no header for it."""


_PLACE = re.compile(r"""["']loc["']\s*:\s*[\[(]([^\])]{1,200})""")
_STEP = re.compile(r"[A-Za-z_]\w*")


def _located(raw: str) -> str:
    """The parameter that a validation error is about, from its place in the body ("loc")."""
    place = _PLACE.search(raw)
    if not place:
        return ""
    return ".".join(step for step in _STEP.findall(place.group(1)) if step != "body")


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks for: `Retry-After` as seconds or a date, and its two relatives."""
    milliseconds = amount(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after") or headers.get("llm_provider-retry-after")
    if not value:
        return None
    seconds = amount(value)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _wording(value: Mapping[str, Any]) -> str:
    """The words of an error, wherever a server puts them."""
    error = value.get("error")
    inside = mapping(error) or value
    for found in (error, inside.get("message"), inside.get("detail"), inside.get("error")):
        if isinstance(found, str) and found.strip():
            return short(found)
    if not error:
        return ""
    return short(json.dumps(error))
