"""The client of one server; it sends nobody the user's OpenAI settings, and logs nothing.

`openai` takes half a second and 40 MB to import: that is done in a thread when somebody first
asks. Its own retries are off, and answers are taken as bytes, since it checks nothing.
"""

import asyncio
import errno
import gc
import importlib
import logging
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from appellate.judges.completion import (
    NO_CONNECTION,
    REDIRECTS,
    TOO_LATE,
    Trouble,
    read_error,
    short,
)
from appellate.judges.endpoint import Access, body_without_key, without_key

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import Request
    from openai import AsyncOpenAI

_NO_KEY = "none"
"""What servers that need no key are sent: the client insists on one."""
_CONNECT = 15.0
"""Seconds for a connection to come about; a server that is there takes it at once."""
_EACH = 8
"""Requests at once for one client, which looks at all its connections for each of them."""


class Answer(NamedTuple):
    """The body of a 200, and its headers."""

    body: bytes
    headers: Mapping[str, str]


class Connection:
    """The way to one server, opened by the first request; lives in one event loop at a time."""

    def __init__(
        self,
        access: Access,
        timeout: float,
        at_once: int = 1,
        reached: Callable[[], object] = lambda: None,
    ) -> None:
        """`reached` is called once, when a connection has come about for the first time."""
        self._access = access
        self._reached = reached
        self._was_reached = False
        self._timeout = timeout
        self._count = -(-at_once // _EACH)
        self._opening = asyncio.Lock()
        self._clients: list[AsyncOpenAI] = []
        self._turn = 0

    async def post(
        self, client: "AsyncOpenAI", path: str, body: Mapping[str, Any]
    ) -> Answer | Trouble:
        """One request and its answer in its time, without the key where the server repeats that."""
        import httpx2
        from openai import APIConnectionError, APIStatusError, OpenAIError

        from appellate.judges.size_limit import TooLarge

        try:
            async with asyncio.timeout(self._timeout):
                answer = await client.post(path, cast_to=httpx2.Response, body=body)
        except APIStatusError as error:
            raw = body_without_key(error.response.content, self._access.key)
            return self._refused(error.status_code, raw, error.response.headers)
        except TooLarge as error:  # below an answer with a bad status
            return Trouble(200, str(error))
        except APIConnectionError as error:
            if isinstance(error.__cause__, TooLarge):
                return Trouble(200, str(error.__cause__))
            if isinstance(error.__cause__, httpx2.ReadTimeout | httpx2.WriteTimeout):
                return self._too_late()
            why = why_unreached(error)
            if why:
                return Trouble(0, why, code=NO_CONNECTION)
            return Trouble(0, _connection(error))
        except TimeoutError:
            if not self._was_reached:
                return Trouble(0, _NOBODY_ANSWERS, code=NO_CONNECTION)
            return self._too_late()
        except OpenAIError as error:
            return Trouble(0, short(f"{type(error).__name__}: {error}"))
        return Answer(body_without_key(answer.content, self._access.key), answer.headers)

    async def opened(self) -> "AsyncOpenAI":
        """The client whose turn it is."""
        async with self._opening:
            if not self._clients:
                self._clients = await asyncio.to_thread(
                    lambda: [
                        client(self._access, self._timeout, self._watch) for _ in range(self._count)
                    ]
                )
        self._turn = (self._turn + 1) % self._count
        return self._clients[self._turn]

    async def _watch(self, request: "Request") -> None:
        """Has the transport tell how it goes with a request, until one was on its way."""
        if not self._was_reached:
            request.extensions["trace"] = self._trace

    async def _trace(self, event: str, about: Mapping[str, Any]) -> None:
        """Takes note of a request that is on its way; one for a tunnel has reached a proxy only."""
        is_on_its_way = event.endswith("send_request_headers.started")
        if is_on_its_way and about["request"].method == b"POST" and not self._was_reached:
            self._was_reached = True
            self._reached()

    async def close(self) -> None:
        """Gives the connections back; another event loop may open it anew."""
        clients, self._clients, self._opening = self._clients, [], asyncio.Lock()
        for client in clients:
            await client.close()

    def _refused(self, status: int, body: bytes, headers: Mapping[str, str]) -> Trouble:
        """What a server says in place of an answer; where it points elsewhere nothing is sent."""
        elsewhere = without_key(headers.get("location") or "", self._access.key)
        if status in REDIRECTS and elsewhere:
            text = f"it points to {short(elsewhere)}: if that is right, name it by --base-url"
            return Trouble(status, text)
        return read_error(status, body, headers)

    def _too_late(self) -> Trouble:
        return Trouble(0, f"no answer within {self._timeout:g} s", code=TOO_LATE)


async def _no_hook(_: "Request") -> None:
    """Does nothing before a request."""


def client(
    access: Access,
    timeout: float,
    before: Callable[["Request"], Awaitable[None]] = _no_hook,
) -> "AsyncOpenAI":
    """Return the client, which awaits `before` with each request; importing it takes a while."""
    from appellate.judges.size_limit import bound

    openai = load()
    # OPENAI_LOG would write over the screen, and into logs what belongs in none
    for name in ("openai", "httpx2", "httpcore2"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    key = _NO_KEY
    if access.key:
        key = access.key.get_secret_value()
    ambient: dict[str, Any] = {}  # None stands for what the user's own settings say
    if not access.trusted:
        lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()  # they are for OpenAI
        headers = {line.partition(":")[0].strip(): openai.Omit() for line in lines if ":" in line}
        headers["Authorization"] = f"Bearer {key}"
        ambient = {"organization": "", "project": "", "default_headers": headers}
    made: AsyncOpenAI = openai.AsyncOpenAI(
        base_url=access.url,
        api_key=key,
        admin_api_key="",
        **ambient,
        webhook_secret="",
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(
            verify=_certificates(),
            trust_env=not access.local,
            follow_redirects=False,
            event_hooks={"request": [before], "response": [bound]},
            timeout=openai.Timeout(timeout, connect=min(timeout, _CONNECT)),
        ),
    )
    return made


def load() -> Any:
    """The package; importing makes no garbage, for which the collector would look a dozen times."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module("openai")
    finally:
        if collecting:
            gc.enable()


def no_way(host: str, error: Exception) -> str:
    """The sentence where the environment allows of no client."""
    look = "look at the proxies and SSL_CERT_FILE in the environment"
    return f"There is no way to {host} ({error}): {look}."


@cache
def _certificates() -> "SSLContext":
    """Whom to trust; reading that takes 50 ms, so a panel's clients share it."""
    return importlib.import_module("httpx2").create_ssl_context()  # type: ignore[no-any-return]


_NOBODY_ANSWERS = "no answer comes from this address"


def why_unreached(error: BaseException) -> str:
    """Return why no connection came about, in words, or "" if one did."""
    import socket
    import ssl

    import httpx2

    failed = error.__cause__ or error
    if isinstance(failed, httpx2.ConnectTimeout):
        return _NOBODY_ANSWERS
    if isinstance(failed, httpx2.ProxyError):
        return short(f"the proxy in between does not let us through: {failed}")
    if not isinstance(failed, httpx2.ConnectError):
        return ""
    for cause in _causes(failed):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return (
                f"its certificate is not trusted ({cause.verify_message}); SSL_CERT_FILE names"
                " a file of those that are"
            )
        if isinstance(cause, ssl.SSLError):
            return "it does not speak TLS as it should (does its address begin with http://?)"
        if isinstance(cause, socket.gaierror):
            return f"no host of this name is known ({cause.strerror})"
        if isinstance(cause, ConnectionRefusedError):
            return "nothing listens at this port (is the server running?)"
        if isinstance(cause, OSError) and cause.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
            return "no way leads to it from this network"
    return _connection(error)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """What lies beneath an error, from the top; of several causes, each."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for one in error.exceptions:
                yield from _causes(one)
        error = error.__cause__ or error.__context__


def _connection(error: BaseException) -> str:
    """What lies beneath the client's "Connection error."."""
    cause = error.__cause__
    if cause is None:
        return str(error).strip()
    words = str(cause).strip() or type(cause).__name__
    return short(f"{error} {words}")
