"""Where requests go and with which key, decided before anything is sent."""

import json
import os
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct, field
from pydantic import SecretStr

from appellate.core.problem import Refused

OPENAI = "https://api.openai.com/v1"
_OPENAI_HOST = "api.openai.com"
OPENAI_KEY = "OPENAI_API_KEY"
_KEY_LIKE = re.compile(r"\bsk-[\w*.\-]{4,}")
KEY = "[key]"
"""What is in the place of a key."""
_PIECE = 12
"""Letters of a piece of a key that tell of it."""
_SECRET = 8
"""Letters of a key that may be a secret."""
_ESCAPED = re.compile(r"(?<!\\)\\++(?:u00(00|[2-7][0-9a-fA-F])|/)|\x00+")
"""A letter as JSON may write it, in a string within strings, too; from its first backslash on.

NUL is between the letters of a key in UTF-16 that was taken for another encoding.
"""
_TOO_SHORT = 3
"""Letters of a key that tell nothing yet."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - compared with, not bound to
_OURS = (
    *("model", "messages", "input", "instructions", "response_format", "text"),
    *("stream", "stream_options", "n"),
)
"""What a request says by itself: no parameters of a user."""
_CUTTING: Mapping[str, Any] = {
    "truncation": "disabled",
    "truncate_prompt_tokens": None,
    "transforms": [],
}
"""Parameters by which a server cuts a request without a word, and the values that forbid it.

They are of OpenAI's Responses, vLLM and OpenRouter.
"""

Api = Literal["chat", "responses"]
"""Chat Completions, or Responses where the server knows it."""


class Prices(Struct, frozen=True):
    """What a million tokens cost in the user's currency; `cached_input` of those read before."""

    input: float
    output: float
    cached_input: float | None = None

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        """What a request cost; `cached` of its tokens_in came from the server's own cache."""
        cached = min(cached, tokens_in)
        again = self.cached_input
        if again is None:
            again = self.input
        costs = (tokens_in - cached) * self.input + cached * again + tokens_out * self.output
        return costs / 1_000_000


class Endpoint(Struct, frozen=True):
    """A model at an OpenAI-compatible server; `api_key_env` names a variable.

    `params` go into each request; one that is None takes away what is sent by default. `context` is
    how many tokens the model takes, request and reply together, if known.
    """

    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    timeout: float = 180.0
    api: Api = "chat"
    params: Mapping[str, Any] = field(default_factory=dict)
    prices: Prices | None = None
    context: int | None = None


class Access(Struct, frozen=True):
    """An endpoint as it will be used; `trusted` where the user's OpenAI settings are for it."""

    url: str
    host: str
    key: SecretStr | None
    trusted: bool

    @property
    def local(self) -> bool:
        """Whether the server is on this machine, where no proxy belongs in between."""
        return urlsplit(self.url).hostname in _LOOPBACK


def access(
    endpoint: Endpoint, environ: Mapping[str, str] = os.environ, *, keyless: bool = False
) -> Access:
    """The way to an endpoint; raises Refused with what to set.

    OPENAI_API_KEY goes to api.openai.com and to OPENAI_BASE_URL, which the user set beside it;
    another server gets the variable that `api_key_env` names, or no key. `keyless`: none is
    needed, since nothing will be sent.
    """
    _check(endpoint.params)
    ambient = environ.get("OPENAI_BASE_URL")
    url = _address(endpoint.base_url or ambient or OPENAI)
    host = urlsplit(url).hostname or ""
    trusted = host == _OPENAI_HOST or (not endpoint.base_url and bool(ambient))
    name = endpoint.api_key_env
    required = bool(name) or host == _OPENAI_HOST
    if trusted and not name:
        name = OPENAI_KEY
    key = None
    try:
        key = _key(name, environ, required=required)
    except Refused:
        if not keyless:
            raise
    return Access(url, urlsplit(url).netloc, key, trusted)


def _check(params: Mapping[str, Any]) -> None:
    for name in _OURS:
        if name in params:
            text = f"The parameter {name} is set by the request itself"
            raise Refused(f"{text}: leave it out of the judge's params.")
    for name, harmless in _CUTTING.items():
        if params.get(name) not in (None, harmless):
            text = f"With {name} the server may cut what the judge reads, and nobody is told"
            raise Refused(f"{text}: leave it out of the judge's params.")
    for name, value in params.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise Refused(
                f"The parameter {name} holds a value that cannot be sent: {value!r}."
            ) from None


def _address(url: str) -> str:
    """The base URL in its plain form."""
    try:
        parts = urlsplit(url.strip())
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        sound = False
    if not sound:
        raise Refused(
            "The base URL should look like http://localhost:11434/v1 or https://example.org/v1."
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Refused(
            "The base URL may hold no user, key or query: name the key's variable by --api-key-env."
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/responses")
    return f"{parts.scheme}://{parts.netloc}{path}"


def secretless(text: str, key: SecretStr | None = None) -> str:
    """The text without the key, the beginning of one, or what else looks like one."""
    if key:
        secret = key.get_secret_value()
        text = without_key(text.replace(secret, KEY), key)
        whole = text.removesuffix("…")
        for begun in range(len(secret) - 1, _TOO_SHORT, -1):
            if whole.endswith(secret[:begun]):
                text = f"{whole[:-begun]}{KEY}{text[len(whole) :]}"
                break
    return _KEY_LIKE.sub(KEY, text)


def without_key(text: str, key: SecretStr | None) -> str:
    """The text without pieces of the key, also escaped ones; short keys are placeholders."""
    secret = ""
    if key:
        secret = key.get_secret_value()
    if len(secret) < _SECRET:
        return text
    unescaped = _Unescaped(text)
    parts = []
    kept = 0
    for start, end in _pieces(unescaped.plain, secret):
        parts += [text[kept : unescaped.place(start)], KEY]
        kept = unescaped.place(end)
    return "".join([*parts, text[kept:]])


def body_without_key(body: bytes, key: SecretStr | None) -> bytes:
    """Return an answer as it came, but for the key; in UTF-8, whichever UTF it came in.

    In UTF-16 or UTF-32, which JSON may be in, the letters of a key are apart. Keys are of ASCII.
    """
    encoding = json.detect_encoding(body)
    if not encoding.startswith("utf-8"):
        body = body.decode(encoding, "replace").encode()
    return without_key(body.decode("latin-1"), key).encode("latin-1")


def _pieces(text: str, secret: str) -> Iterator[tuple[int, int]]:
    """Where pieces of a key are, found by their grams, a few letters apart."""
    least = min(len(secret), _PIECE)
    size = least // 2
    grams: dict[str, list[int]] = {}
    for place in range(len(secret) - size + 1):
        grams.setdefault(secret[place : place + size], []).append(place)
    past = 0
    for at in range(0, len(text) - size + 1, least - size + 1):
        for place in grams.get(text[at : at + size], ()):
            start, end = _stretched(text, at, secret, place)
            if end - start >= least and end > past:
                yield max(start, past), end
                past = end


def _stretched(text: str, at: int, secret: str, place: int) -> tuple[int, int]:
    """How far a text is like the key around a place that both have."""
    start = at
    end = at
    shift = place - at
    while start > 0 and start + shift > 0 and text[start - 1] == secret[start + shift - 1]:
        start -= 1
    while end < len(text) and end + shift < len(secret) and text[end] == secret[end + shift]:
        end += 1
    return start, end


class _Unescaped:
    """A text without JSON's escapes of letters, and without NULs."""

    def __init__(self, text: str) -> None:
        parts = list[str]()
        end = 0
        length = 0
        self._lengths = array("q", [0])  # of what is plain up to the end of each escape
        self._ends = array("q", [0])
        for escape in _ESCAPED.finditer(text):
            part = text[end : escape.start()] + _letter(escape)
            end = escape.end()
            length += len(part)
            parts.append(part)
            self._lengths.append(length)
            self._ends.append(end)
        self.plain = "".join([*parts, text[end:]])

    def place(self, offset: int) -> int:
        """Return where in the text the letter at an offset of the plain one begins."""
        escape = bisect_right(self._lengths, offset) - 1
        return self._ends[escape] + offset - self._lengths[escape]


def _letter(escape: re.Match[str]) -> str:
    """Return the letter that an escape stands for, or "" for NUL."""
    if escape[0].endswith("/"):
        return "/"
    return chr(int(escape[1] or "0", 16)).strip("\0")


def _key(name: str | None, environ: Mapping[str, str], *, required: bool) -> SecretStr | None:
    key = environ.get(name or "", "").strip()
    if required and not key:
        text = f"The environment variable {name} is not set"
        raise Refused(f"{text}: it should hold the key of the model's server.")
    if not (key.isascii() and key.isprintable()):
        raise Refused(f"The environment variable {name} holds characters that no key has.")
    if not key:
        return None
    return SecretStr(key)
