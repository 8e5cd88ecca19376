"""Reading what a server sent: a completion, or trouble, whatever its shape.

Servers answer 200 with HTML, with an error inside, with no choices, with content in parts or with
counts as strings. Nothing here trusts a type.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from appellate.core.dialogue import readable

TOO_LATE = "too late"
_LONGEST_SAID = 400


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat completion: its text, or why there is none; `cut` where the token limit ended it."""

    text: str
    cut: bool
    refusal: str
    filtered: bool
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class Trouble:
    """Anything else: `status` is 0 where nothing answered, `wait` the seconds the server asks for."""

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


def read(body: bytes) -> Completion | Trouble:
    """The completion in the body of a 200, or what is wrong with it."""
    value = _json(body)
    if isinstance(value, dict) and value.get("error"):
        return read_error(200, body, {})
    choice = _first(value.get("choices")) if isinstance(value, dict) else {}
    if not choice:
        return Trouble(200, f"no chat completion: {_short(_text(body))}", _text(body))
    if choice.get("error") or choice.get("finish_reason") == "error":
        return Trouble(200, f"an error within the completion: {_said(choice)}", _text(body))
    return _completion(value, choice)


def _completion(value: Mapping[str, Any], choice: Mapping[str, Any]) -> Completion:
    message, usage = _dict(choice.get("message")), _dict(value.get("usage"))
    refusal = message.get("refusal") or _dict(message.get("provider_specific_fields")).get("refusal")
    model = value.get("model")
    return Completion(
        text=_content(message.get("content")),
        cut=choice.get("finish_reason") in ("length", "max_tokens"),
        refusal=refusal if isinstance(refusal, str) else "",
        filtered=choice.get("finish_reason") == "content_filter",
        model=model if isinstance(model, str) else None,
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        cost=_amount(usage.get("cost")),
    )


def read_error(status: int, body: bytes, headers: Mapping[str, str]) -> Trouble:
    """The trouble in an error's body; a numeric `code` inside a 200 is the status that was meant."""
    value = _dict(_json(body))
    error = _dict(value.get("error")) or value
    code = error.get("code") or error.get("type")
    meant = _count(error.get("code")) if status == 200 else None  # noqa: PLR2004 - HTTP's number
    param = error.get("param")
    return Trouble(
        status=meant if meant and 400 <= meant < 600 else status,  # noqa: PLR2004 - HTTP's numbers
        said=_said(value) or _short(_text(body)),
        raw=_text(body),
        code=code if isinstance(code, str) else "",
        param=param if isinstance(param, str) else "",
        wait=asked_to_wait(headers),
    )


def asked_to_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks for: `Retry-After` as seconds or a date, and its two relatives."""
    milliseconds = _amount(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after") or headers.get("llm_provider-retry-after")
    if not value:
        return None
    seconds = _amount(value)
    return _until(value) if seconds is None else seconds


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def _short(text: str) -> str:
    words = " ".join(readable(text).split())
    return words if len(words) <= _LONGEST_SAID else words[:_LONGEST_SAID] + "…"


def _said(value: Mapping[str, Any]) -> str:
    """The words of an error, wherever a server puts them."""
    error = value.get("error")
    inside = _dict(error) or value
    for said in (error, inside.get("message"), inside.get("detail"), inside.get("error")):
        if isinstance(said, str) and said.strip():
            return _short(said)
    return _short(json.dumps(error)) if error else ""


def _first(choices: Any) -> dict[str, Any]:
    return _dict(choices[0]) if isinstance(choices, list) and choices else {}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _content(content: Any) -> str:
    """The text of a message; servers may send it in parts."""
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else _dict(part).get("text") for part in content]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _count(value: Any) -> int | None:
    amount = _amount(value)
    return None if amount is None else int(amount)


_NUMBER = re.compile(r"\s*\d{1,15}(?:\.\d{1,9})?\s*", re.ASCII)


def _amount(value: Any) -> float | None:
    """A number that is none below zero, also where it comes as a string."""
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 <= value < 1e15 else None  # noqa: PLR2004 - sane counts
