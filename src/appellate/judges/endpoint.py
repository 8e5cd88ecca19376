"""Where requests go and with which key, decided before anything is sent.

`access()` turns an `Endpoint` into an `Access`. `secretless()` and `without_key()` remove the key
from texts that are shown or saved.
"""

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
"""Replaces a key in texts."""
_SHORTEST_PIECE = 12
"""Characters of a key in a row that are removed: fewer reveal nothing."""
_SHORTEST_SECRET = 8
"""Characters of the shortest key that may be a secret."""
_ESCAPED = re.compile(r"(?<!\\)\\++(?:u00(00|[2-7][0-9a-fA-F])|/)|\x00+")
"""An escape of JSON with all its backslashes: a string within strings has several.

NUL characters are included. They part the characters of a key in UTF-16 that was decoded wrongly.
"""
_TOO_SHORT = 3
"""Characters at the beginning of a key that reveal nothing."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - compared with, not bound to
_RESERVED = (
    *("model", "messages", "input", "instructions", "response_format", "text"),
    *("stream", "stream_options", "n"),
)
"""Fields that each request sets itself, so that a user may not set them."""
_CUTTING: Mapping[str, Any] = {
    "truncation": "disabled",
    "truncate_prompt_tokens": None,
    "transforms": [],
}
"""Parameters that let a server cut a request silently, each with the value that forbids it.

They belong to OpenAI's Responses, vLLM and OpenRouter.
"""

Api = Literal["chat", "responses"]
"""The API of requests: Chat Completions, or Responses."""


class Prices(Struct, frozen=True):
    """Prices of a million tokens, in the user's currency."""

    input: float
    output: float
    cached_input: float | None = None
    """Price of input that the server had cached; None if it costs the same as other input."""

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> float:
        """Return the cost of one request at these prices, which are for a million tokens.

        `cached` of the `tokens_in` came from the server's own cache, and cost `cached_input` if
        there is such a price, or else as much as the others. If `cached` is more than `tokens_in`,
        all of them are. The tokens of the reply are `tokens_out`.
        """
        cached = min(cached, tokens_in)
        cached_price = self.cached_input
        if cached_price is None:
            cached_price = self.input

        new_input_cost = (tokens_in - cached) * self.input
        cached_input_cost = cached * cached_price
        output_cost = tokens_out * self.output
        return (new_input_cost + cached_input_cost + output_cost) / 1_000_000


class Endpoint(Struct, frozen=True):
    """A model at an OpenAI-compatible server, and how to ask it."""

    model: str
    base_url: str | None = None
    """None stands for the variable OPENAI_BASE_URL, or else for OpenAI's own server."""
    api_key_env: str | None = None
    """Name of the environment variable with the key; None if the user names none."""
    timeout: float = 180.0
    """Seconds for one request."""
    api: Api = "chat"
    params: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of each request. One that is None removes a parameter that is sent by default."""
    prices: Prices | None = None
    context: int | None = None
    """Tokens that the model takes, request and reply together; None if not known."""


class Access(Struct, frozen=True):
    """The address and the key that an endpoint's requests use."""

    url: str
    """The base URL, without a slash at its end."""
    host: str
    """Host and port, for messages."""
    key: SecretStr | None
    trusted: bool
    """Whether the server may get the user's OpenAI settings, such as headers and organization."""

    @property
    def local(self) -> bool:
        """Whether the server is on this machine, so that no proxy is used."""
        return urlsplit(self.url).hostname in _LOOPBACK


def access(
    endpoint: Endpoint,
    environ: Mapping[str, str] = os.environ,
    *,
    keyless: bool = False,
) -> Access:
    """Return the address and the key for an endpoint; nothing is sent.

    The address is the endpoint's, or else OPENAI_BASE_URL, or else OpenAI's own. The key is that in
    the variable which `api_key_env` names. Without such a name OPENAI_API_KEY is used for
    api.openai.com, and for OPENAI_BASE_URL, which the user set together with it. Any other server
    gets no key.

    Raises Refused, which says what to set, for an address, a parameter or a key that cannot be
    used. It does so, too, if the named key or that of api.openai.com is missing. With `keyless` any
    trouble with the key gives an access without a key, since nothing will be sent.
    """
    _check_params(endpoint.params)
    url = _url(endpoint, environ)
    variable = key_variable(endpoint, environ)
    is_openai = urlsplit(url).hostname == _OPENAI_HOST
    is_required = bool(endpoint.api_key_env) or is_openai
    key = None
    try:
        key = _key_in(variable, environ, required=is_required)
    except Refused:
        if not keyless:
            raise
    trusted = is_openai or _is_of_user(endpoint, environ)
    return Access(url, urlsplit(url).netloc, key, trusted)


def key_variable(
    endpoint: Endpoint,
    environ: Mapping[str, str] = os.environ,
) -> str | None:
    """Return the name of the variable whose key goes to an endpoint's server; None if none goes.

    It is `api_key_env` if the endpoint has one. Without one it is OPENAI_API_KEY for
    api.openai.com, and for the server in OPENAI_BASE_URL if the endpoint names no address. The
    variable need not be set. Raises Refused for an address that cannot be used.
    """
    if endpoint.api_key_env:
        return endpoint.api_key_env
    is_openai = urlsplit(_url(endpoint, environ)).hostname == _OPENAI_HOST
    if is_openai or _is_of_user(endpoint, environ):
        return OPENAI_KEY
    return None


def _url(endpoint: Endpoint, environ: Mapping[str, str]) -> str:
    """Return the base URL of an endpoint: its own, or else OPENAI_BASE_URL, or else OpenAI's.

    Raises Refused for an address that cannot be used.
    """
    return _address(endpoint.base_url or environ.get("OPENAI_BASE_URL") or OPENAI)


def _is_of_user(endpoint: Endpoint, environ: Mapping[str, str]) -> bool:
    """Return whether an endpoint's address is that of the variable OPENAI_BASE_URL."""
    return not endpoint.base_url and bool(environ.get("OPENAI_BASE_URL"))


def _check_params(params: Mapping[str, Any]) -> None:
    """Raise Refused for parameters of the user that no request may have; return nothing otherwise.

    These are fields that the request sets itself, such as `model`, `messages` or `stream`, whatever
    their value, and values that JSON cannot hold, NaN among them. Parameters that let the server
    cut a request silently, such as `truncation`, are refused unless their value is None or forbids
    it.
    """
    for name in _RESERVED:
        if name in params:
            problem = f"The parameter {name} is set by the request itself"
            raise Refused(f"{problem}: leave it out of the judge's params.")
    for name, harmless in _CUTTING.items():
        if params.get(name) not in (None, harmless):
            problem = (
                f"With {name} the server may cut what the judge reads without saying so"
            )
            raise Refused(f"{problem}: leave it out of the judge's params.")
    for name, value in params.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise Refused(
                f"The parameter {name} holds a value that cannot be sent: {value!r}.",
            ) from None


def _address(url: str) -> str:
    """Return a base URL without blanks around it, slashes at its end and the path of an API.

    `http://host/v1/chat/completions/` gives `http://host/v1`. Raises Refused for what is no address
    that begins with http:// or https://. Raises Refused also for an address with a user, a query or
    a fragment, which may hold a key.
    """
    try:
        parts = urlsplit(url.strip())
        is_valid = (
            parts.scheme in ("http", "https")
            and parts.hostname
            and (parts.port or True)
        )
    except ValueError:
        is_valid = False
    if not is_valid:
        raise Refused(
            "The base URL should look like http://localhost:11434/v1 or https://example.org/v1.",
        )
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise Refused(
            "The base URL may have no user, key or query:"
            " name the variable of the key with --api-key-env.",
        )
    path = (
        parts.path.rstrip("/")
        .removesuffix("/chat/completions")
        .removesuffix("/responses")
    )
    return f"{parts.scheme}://{parts.netloc}{path}"


def secretless(text: str, key: SecretStr | None = None) -> str:
    """Return a text with `[key]` in place of the key, its pieces and whatever looks like a key.

    `key` is the one that was used. Where the text ends, also before an ellipsis, a beginning of the
    key is replaced if it has more than `_TOO_SHORT` characters. A key shorter than
    `_SHORTEST_SECRET` is a placeholder and stays. Words that begin with `sk-`, as OpenAI's keys do,
    are replaced even without a `key`.
    """
    secret = ""
    if key:
        secret = key.get_secret_value()
    if len(secret) >= _SHORTEST_SECRET:
        text = without_key(text.replace(secret, KEY), key)
        shortened = text.removesuffix("…")
        ellipsis = text[len(shortened) :]
        for length in range(len(secret) - 1, _TOO_SHORT, -1):
            beginning_of_secret = secret[:length]
            if shortened.endswith(beginning_of_secret):
                before_secret = shortened[:-length]
                text = f"{before_secret}{KEY}{ellipsis}"
                break
    return _KEY_LIKE.sub(KEY, text)


def without_key(text: str, key: SecretStr | None) -> str:
    """Return a text with `[key]` in place of each piece of the key, escaped for JSON or not.

    A piece is `_SHORTEST_PIECE` characters or more of the key in a row, or all of a shorter key.
    The text is returned as it is if `key` is None or shorter than `_SHORTEST_SECRET`, since that is
    a placeholder and no secret.
    """
    secret = ""
    if key:
        secret = key.get_secret_value()
    if len(secret) < _SHORTEST_SECRET:
        return text
    unescaped = _Unescaped(text)
    parts: list[str] = []
    end_of_last = 0
    for start, end in _find_pieces(unescaped.plain, secret):
        parts.append(text[end_of_last : unescaped.original_offset(start)])
        parts.append(KEY)
        end_of_last = unescaped.original_offset(end)
    parts.append(text[end_of_last:])
    return "".join(parts)


def body_without_key(body: bytes, key: SecretStr | None) -> bytes:
    """Return the body of an answer with `[key]` in place of each piece of the key.

    A piece is `_SHORTEST_PIECE` characters or more of the key in a row, or all of a shorter key,
    escaped for JSON or not. Nothing is replaced if `key` is None or shorter than
    `_SHORTEST_SECRET`, which is a placeholder. A body in UTF-16 or UTF-32, which JSON may use, is
    returned in UTF-8 in any case. Any other body keeps its encoding, even if it is not valid.
    """
    encoding = json.detect_encoding(body)
    if not encoding.startswith("utf-8"):
        body = body.decode(encoding, "replace").encode()
    text = body.decode("latin-1")  # any byte is a character there
    return without_key(text, key).encode("latin-1")


def _find_pieces(text: str, secret: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each piece of the key in a text, in order and without overlap.

    A piece has at least `_SHORTEST_PIECE` characters of the key in a row, or is the whole of a
    shorter key. `text` has no escapes, and `secret` has two characters or more. Each piece is as
    long as possible.
    """
    shortest = min(len(secret), _SHORTEST_PIECE)
    size = shortest // 2
    offsets_in_secret: dict[str, list[int]] = {}
    for offset in range(len(secret) - size + 1):
        part = secret[offset : offset + size]
        offsets_in_secret.setdefault(part, []).append(offset)

    end_of_last = 0
    # at least one part of each piece begins at such an offset
    step = shortest - size + 1
    for offset in range(0, len(text) - size + 1, step):
        part = text[offset : offset + size]
        for secret_offset in offsets_in_secret.get(part, ()):
            start, end = _common_span(text, offset, secret, secret_offset)
            if end - start >= shortest and end > end_of_last:
                yield max(start, end_of_last), end
                end_of_last = end


def _common_span(
    text: str,
    offset: int,
    secret: str,
    secret_offset: int,
) -> tuple[int, int]:
    """Return start and end in `text` of the longest part around `offset` that is also in `secret`.

    It is the part of the secret in which `text[offset]` is the character `secret[secret_offset]`,
    as far to both sides as they agree. If already these characters differ, the part ends at
    `offset`.
    """
    start = offset
    end = offset
    shift = secret_offset - offset
    first = max(0, -shift)  # where the secret would begin in the text
    while start > first and text[start - 1] == secret[start - 1 + shift]:
        start -= 1
    last = min(len(text), len(secret) - shift)  # where the secret would end in the text
    while end < last and text[end] == secret[end + shift]:
        end += 1
    return start, end


class _Unescaped:
    """A text without JSON's escapes and NULs, and the offsets of its characters in the original."""

    def __init__(self, text: str) -> None:
        """Make the plain text, in which each escape is replaced by its character.

        Only escapes that can hide a key are replaced: the slash and printable ASCII characters as
        `u00xx`, after any number of backslashes. NULs, escaped or not, are left out. Any other
        escape stays as it is.
        """
        parts = list[str]()
        end = 0
        length = 0
        # of the plain text up to the end of each escape
        self._lengths = array("q", [0])
        self._ends = array("q", [0])  # of each escape in the original text
        for escape in _ESCAPED.finditer(text):
            character = "/"
            if not escape[0].endswith("/"):
                character = chr(int(escape[1] or "0", 16)).strip("\0")
            part = text[end : escape.start()] + character
            end = escape.end()
            length += len(part)
            parts.append(part)
            self._lengths.append(length)
            self._ends.append(end)
        self.plain = "".join([*parts, text[end:]])

    def original_offset(self, offset: int) -> int:
        """Return where the character at `offset` of the plain text begins in the original text.

        A character that replaced an escape begins with the escape's first backslash. For the length
        of the plain text it is the length of the original.
        """
        escape = bisect_right(self._lengths, offset) - 1
        return self._ends[escape] + offset - self._lengths[escape]


def _key_in(
    variable: str | None,
    environ: Mapping[str, str],
    *,
    required: bool,
) -> SecretStr | None:
    """Return the key in the environment variable `variable`, without blanks around it, or None.

    It is None if `variable` is None, not set or blank. Raises Refused instead if a key is
    `required`. Raises Refused also for a key that has other characters than printable ASCII.
    """
    key = environ.get(variable or "", "").strip()
    if required and not key:
        problem = f"The environment variable {variable} is not set"
        raise Refused(f"{problem}: it should hold the key of the model's server.")
    if not (key.isascii() and key.isprintable()):
        raise Refused(
            f"The environment variable {variable} has characters that a key cannot have.",
        )
    if not key:
        return None
    return SecretStr(key)
