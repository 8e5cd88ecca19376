"""Reading what a server sent: a completion, or trouble, whatever its shape.

Servers answer 200 with HTML, with an error inside, with no choices, with content in parts or with
counts as strings, and think aloud where the answer belongs.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from appellate.judges.coerce import amount, count, decoded, mapping, mappings, parsed, short, text

TOO_LATE = "too late"
REDIRECTS = (301, 302, 303, 307, 308)
"""Statuses that point to another address."""
LONGEST_RAW = 20_000
"""Characters of what was sent that are kept with a failure."""
_COST = "x-litellm-response-cost"
_NO_HEADERS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Completion:
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
    r"failed to parse input at pos|model produced output that does not match|json\.exception\.parse_error"  # llama.cpp
    r"|(?:failed to parse|error parsing) (?:the )?tool.?call|tool.?call parsing failed"  # Ollama, LM Studio, SGLang
    r"|tokens remaining in message header|could not decode header|harmony.{0,3}error"  # vLLM and others, gpt-oss
    r"|JSONSchemaValidationError|returned an invalid response=|JSONDecodeError"  # LiteLLM
    r"|Expecting (?:value|property name|'.' delimiter)|Unterminated string|Extra data: line"  # Python's parser
    r"|json_validate_failed|output_parse_failed|tool_use_failed|failed to generate json",  # Groq
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Anything else: `status` is 0 where nobody answered, `wait` the seconds to wait."""

    status: int
    said: str
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
        return self.status in _GARBLED_STATUS and bool(_GARBLED.search(f"{self.code} {self.said}"))


def read(body: bytes, headers: Mapping[str, str] = _NO_HEADERS) -> Completion | Trouble:
    """The chat completion in the body of a 200, or what is wrong with it."""
    value = parsed(body)
    if isinstance(value, dict) and value.get("error"):
        return read_error(200, body, {})
    choice = next(iter(mappings(value.get("choices"))), None) if isinstance(value, dict) else None
    if not choice:
        return Trouble(200, f"no chat completion: {short(decoded(body))}", decoded(body))
    if choice.get("error") or choice.get("finish_reason") == "error":
        return Trouble(200, f"an error within the completion: {_said(choice)}", decoded(body))
    return _completion(value, choice, charged(value, headers))


def _completion(
    value: Mapping[str, Any], choice: Mapping[str, Any], cost: float | None
) -> Completion:
    message, usage, finish = (
        mapping(choice.get("message")),
        mapping(value.get("usage")),
        choice.get("finish_reason"),
    )
    thought = text(message.get("reasoning_content")) or text(message.get("reasoning"))
    details = mapping(usage.get("completion_tokens_details"))
    said, unfinished = spoken(
        _content(message.get("content")), thought, count(details.get("reasoning_tokens"))
    )
    refusal = _refusal(message)
    return Completion(
        text=said,
        cut=finish in ("length", "max_tokens")
        or (unfinished and not refusal and finish != "content_filter"),
        refusal=refusal or (said or "no reason given" if finish == "refusal" else ""),
        filtered=finish == "content_filter",
        model=text(value.get("model")) or None,
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=count(usage.get("completion_tokens")),
        cached=count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        cost=cost,
    )


def charged(value: Mapping[str, Any], headers: Mapping[str, str]) -> float | None:
    """What a server says the request cost: in the usage, else a proxy in a header."""
    cost = amount(mapping(value.get("usage")).get("cost"))
    return amount(headers.get(_COST)) if cost is None else cost


def spoken(said: str, thought: str, thinking: int | None) -> tuple[str, bool]:
    """The answer, and whether thinking left no room for it.

    Some servers file the answer under thoughts.
    """
    if said.strip():
        return said, said.lstrip().startswith("<think>") and "</think>" not in said
    return (thought, False) if "{" in thought else ("", bool(thought.strip() or thinking))


def _refusal(message: Mapping[str, Any]) -> str:
    """The words of a refusal: a field of the message, a proxy's, or a part of the content."""
    proxied = mapping(message.get("provider_specific_fields")).get("refusal")
    parts = [text(part.get("refusal")) for part in mappings(message.get("content"))]
    return text(message.get("refusal")) or text(proxied) or "".join(parts)


def _content(content: Any) -> str:
    """The text of a message; servers may send it in parts."""
    if isinstance(content, list):
        return "".join(
            part if isinstance(part, str) else text(mapping(part).get("text")) for part in content
        )
    return text(content)


def read_error(status: int, body: bytes, headers: Mapping[str, str]) -> Trouble:
    """The trouble in an error's body; a numeric `code` in a 200 is the status that was meant."""
    value = parsed(body)
    value = mapping(next(iter(value), None) if isinstance(value, list) else value)
    error = mapping(value.get("error")) or value
    code = error.get("code") or error.get("type")
    meant = count(error.get("code")) if status == 200 else None  # noqa: PLR2004 - HTTP's number
    raw = decoded(body)
    return Trouble(
        status=meant if meant and 400 <= meant < 600 else status,  # noqa: PLR2004 - HTTP's numbers
        said=_said(value) or short(raw),
        raw=raw,
        code=code if isinstance(code, str) else "",
        param=text(error.get("param")) or _located(raw),
        wait=_asked_within(raw) if (wait := asked_to_wait(headers)) is None else wait,
    )


_PLACE = re.compile(r"""["']loc["']\s*:\s*[\[(]([^\])]{1,200})""")
_STEP = re.compile(r"[A-Za-z_]\w*")


def _located(raw: str) -> str:
    """The parameter that a validation error is about, from its place in the body ("loc")."""
    place = _PLACE.search(raw)
    steps = [step for step in _STEP.findall(place.group(1)) if step != "body"] if place else []
    return ".".join(steps)


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks for: `Retry-After` as seconds or a date, and its two relatives."""
    milliseconds = amount(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after") or headers.get("llm_provider-retry-after")
    if not value:
        return None
    seconds = amount(value)
    return _until(value) if seconds is None else seconds


_DELAY = re.compile(r'"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"', re.ASCII)


def _asked_within(raw: str) -> float | None:
    """The seconds that Google's servers ask for, who have no header for it."""
    delay = _DELAY.search(raw)
    return float(delay.group(1)) if delay else None


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _said(value: Mapping[str, Any]) -> str:
    """The words of an error, wherever a server puts them."""
    error = value.get("error")
    inside = mapping(error) or value
    for said in (error, inside.get("message"), inside.get("detail"), inside.get("error")):
        if isinstance(said, str) and said.strip():
            return short(said)
    return short(json.dumps(error)) if error else ""
