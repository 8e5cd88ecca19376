"""The HTTP client of one server. It keeps the user's OpenAI settings from other servers.

`Connection` is used by `OpenAIJudge`, and `client()` by `BatchServer`. The package `openai` takes
half a second and 40 MB to import, so a thread imports it at the first request. Its retries are off
and its logs are not written. Answers are taken as bytes, because it does not check their types.
"""

import asyncio
import errno
import gc
import importlib
import logging
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from appellate.judges.closing import to_the_end
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
"""Sent as the key to servers that need none, because the client requires one."""
_SENT_SETTINGS = ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
"""Environment variables that the client sends to a trusted server in headers."""
_CONNECT = 15.0
"""Seconds in which a connection must open. A running server accepts it at once."""
_REQUESTS_PER_CLIENT = 8
"""Concurrent requests of one client: for each request it searches all its connections."""


class Answer(NamedTuple):
    """The body and the headers of an answer with status 200."""

    body: bytes
    headers: Mapping[str, str]


class Connection:
    """Clients of one server, opened by the first request. They live in one event loop at a time."""

    def __init__(
        self,
        access: Access,
        timeout: float,
        at_once: int = 1,
        reached: Callable[[], object] = lambda: None,
    ) -> None:
        """Prepare the connection, and open nothing.

        `timeout` is the seconds for one request. `at_once` is how many requests are sent
        concurrently: a client is made for each `_REQUESTS_PER_CLIENT` of them. `reached` is called
        once, when a connection has opened for the first time.
        """
        self._access = access
        self._reached = reached
        self._was_reached = False
        self._timeout = timeout
        self._count = -(-at_once // _REQUESTS_PER_CLIENT)
        self._opening = asyncio.Lock()
        self._clients: list[AsyncOpenAI] = []
        self._turn = 0

    async def post(
        self,
        client: "AsyncOpenAI",
        path: str,
        body: Mapping[str, Any],
    ) -> Answer | Trouble:
        """Send one request, and return its answer or what went wrong, within the timeout.

        `client` is one that `opened` returned, and `path` is below the base URL. Every failure is
        returned as trouble, and none is raised. Trouble has the status of the error, 200 for an
        answer that is too large, and 0 where no answer came, with the code NO_CONNECTION or
        TOO_LATE if that is the reason. Where the server repeats the key, it is replaced by `[key]`
        in the body.
        """
        import httpx2
        from openai import APIConnectionError, APIStatusError, OpenAIError

        from appellate.judges.size_limit import TooLarge

        try:
            async with asyncio.timeout(self._timeout):
                answer = await client.post(path, cast_to=httpx2.Response, body=body)
        except APIStatusError as error:
            raw = body_without_key(error.response.content, self._access.key)
            return self._trouble_of_status(
                error.status_code,
                raw,
                error.response.headers,
            )
        except TooLarge as error:  # below an answer with a bad status
            return Trouble(200, str(error))
        except APIConnectionError as error:
            if isinstance(error.__cause__, TooLarge):
                return Trouble(200, str(error.__cause__))
            if isinstance(error.__cause__, httpx2.ReadTimeout | httpx2.WriteTimeout):
                return self._too_late()
            reason = why_unreached(error)
            if reason:
                return Trouble(0, reason, code=NO_CONNECTION)
            return Trouble(0, _describe_cause(error))
        except TimeoutError:
            if not self._was_reached:
                return Trouble(0, _NOBODY_ANSWERS, code=NO_CONNECTION)
            return self._too_late()
        except OpenAIError as error:
            return Trouble(0, short(f"{type(error).__name__}: {error}"))
        return Answer(
            body_without_key(answer.content, self._access.key),
            answer.headers,
        )

    async def opened(self) -> "AsyncOpenAI":
        """Return one of the clients, each in turn; the first call makes all of them in a thread.

        Raises ValueError, ImportError or OSError if the environment allows no client.
        """
        async with self._opening:
            if not self._clients:
                self._clients = await asyncio.to_thread(self._new_clients)
        self._turn = (self._turn + 1) % self._count
        return self._clients[self._turn]

    def _new_clients(self) -> "list[AsyncOpenAI]":
        """Return as many new clients as the requests at once need, none of which is connected yet.

        That is one for each `_REQUESTS_PER_CLIENT` requests. Raises ValueError, ImportError or
        OSError if the environment allows no client.
        """
        return [
            client(self._access, self._timeout, self._watch) for _ in range(self._count)
        ]

    async def _watch(self, request: "Request") -> None:
        """Have the transport report by `_note_event` on the connection of a request."""
        request.extensions["trace"] = partial(self._note_event, [])

    async def _note_event(
        self,
        streams: list[Any],
        event: str,
        details: Mapping[str, Any],
    ) -> None:
        """Note what the transport tells of the connection that one request opened.

        `event` is the transport's name for what happened, and `streams` has the connections that
        the request opened: a new one is appended. One whose TLS handshake failed is removed and
        closed, since the transport does not close it after a cancellation. When the headers of a
        POST are first sent, a connection to the server is open, and `reached` is called, once for
        this object. Other methods do not count: a request for a tunnel has reached only a proxy.
        """
        if event.endswith("connect_tcp.complete"):
            streams.append(details["return_value"])
            return
        if event.endswith("start_tls.failed") and streams:
            await streams.pop().aclose()
            return
        is_sending_headers = event.endswith("send_request_headers.started")
        if (
            is_sending_headers
            and not self._was_reached
            and details["request"].method == b"POST"
        ):
            self._was_reached = True
            self._reached()

    async def close(self) -> None:
        """Close all clients; a later request may make new ones, also in another event loop.

        If the call is cancelled, CancelledError is raised only after all are closed. An error while
        closing a client is raised.
        """
        open_clients = self._clients
        self._clients = []
        self._opening = asyncio.Lock()
        await to_the_end(_close_all(open_clients))

    def _trouble_of_status(
        self,
        status: int,
        body: bytes,
        headers: Mapping[str, str],
    ) -> Trouble:
        """Return the trouble that an answer with an error status tells of.

        The body has no key in it any more. For a redirection the message names the address that it
        points to, without the key, and the option --base-url. Without such an address it is read
        like any error.
        """
        if status not in REDIRECTS:
            return read_error(status, body, headers)
        location = without_key(headers.get("location") or "", self._access.key)
        if not location:
            return read_error(status, body, headers)
        address = short(location)
        text = f"it points to {address}: if that is right, use it as --base-url"
        return Trouble(status, text)

    def _too_late(self) -> Trouble:
        """Return the trouble that no answer came within the timeout."""
        return Trouble(0, f"no answer within {self._timeout:g} s", code=TOO_LATE)


async def _close_all(clients: "Sequence[AsyncOpenAI]") -> None:
    """Close clients concurrently; the error of the first that failed is raised."""
    await asyncio.gather(*(client.close() for client in clients))


async def _no_hook(_: "Request") -> None:
    """Do nothing before a request."""


def client(
    access: Access,
    timeout: float,
    before: Callable[["Request"], Awaitable[None]] = _no_hook,
) -> "AsyncOpenAI":
    """Return a new client of a server; the first call imports `openai`, which takes half a second.

    `timeout` is the seconds for one request, and `before` is awaited with each. The client neither
    retries nor follows redirections, and refuses answers that are too large. It uses proxies unless
    the server is on this machine. Only a trusted server gets the user's OpenAI settings: custom
    headers, organization and project. The logs of the package and of its HTTP libraries are
    silenced for the whole process.

    Raises ValueError, ImportError or OSError if no client can be made, because of the address, a
    proxy, a setting or the certificates. The message has no password.
    """
    openai = load()
    import httpx2

    from appellate.judges.size_limit import limit_size

    # OPENAI_LOG would have them write over the screen, and into logs what belongs in none
    for name in ("openai", "httpx2", "httpcore2"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False

    key = _NO_KEY
    if access.key:
        key = access.key.get_secret_value()
    try:
        http_client = openai.DefaultAsyncHttpxClient(
            verify=_certificates(),
            trust_env=not access.local,
            follow_redirects=False,
            event_hooks={"request": [before], "response": [limit_size]},
            timeout=openai.Timeout(timeout, connect=min(timeout, _CONNECT)),
        )
    except httpx2.InvalidURL:  # whose message may quote a password
        raise ValueError("the URL of a proxy is not valid") from None
    try:
        new_client: AsyncOpenAI = openai.AsyncOpenAI(
            base_url=access.url,
            api_key=key,
            admin_api_key="",
            **_header_arguments(access, key),
            webhook_secret="",
            max_retries=0,
            http_client=http_client,
        )
    except httpx2.InvalidURL as error:
        raise ValueError(str(error)) from None
    return new_client


def _header_arguments(access: Access, key: str) -> dict[str, Any]:
    """Return the arguments of a client of this server that keep the user's settings from it.

    These settings for OpenAI are in the environment: organization, project and custom headers. A
    server that is not trusted gets none of them, and `key` in its Authorization header. For a
    trusted server the result is empty, so that the client takes them from there. Raises ValueError
    if one of them has characters that no header can have.
    """
    if access.trusted:
        for variable in _SENT_SETTINGS:
            if not os.environ.get(variable, "").isascii():
                problem = f"{variable} has characters that no header can have"
                raise ValueError(problem)
        return {}

    openai = load()
    headers: dict[str, Any] = {}
    for line in os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines():
        name, colon, _ = line.partition(":")
        if colon:
            headers[name.strip()] = openai.Omit()
    headers["Authorization"] = f"Bearer {key}"
    return {"organization": "", "project": "", "default_headers": headers}


def load() -> Any:
    """Import the package `openai` and return it; raises ImportError if it cannot be imported.

    The garbage collector is off during the import, which would run it a dozen times for nothing.
    Then it is on or off as before.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return importlib.import_module("openai")
    finally:
        if was_enabled:
            gc.enable()


def describe_no_client(host: str, error: Exception) -> str:
    """Return the sentence for people that no client of `host` can be made here.

    It is `HOST cannot be reached (ERROR): check …`, with what to check in the environment. `error`
    is what making a client raised.
    """
    advice = "check the proxies and SSL_CERT_FILE in the environment"
    return f"{host} cannot be reached ({error}): {advice}."


@cache
def _certificates() -> "SSLContext":
    """Return the trusted certificates; reading them takes 50 ms, so all clients share them."""
    return importlib.import_module("httpx2").create_ssl_context()  # type: ignore[no-any-return]


_NOBODY_ANSWERS = "this address does not answer"


def why_unreached(error: BaseException) -> str:
    """Return why no connection opened, or "" if one did open or that is not known.

    `error` is what a request raised; its cause decides. The words continue a sentence and have no
    full stop, such as `nothing listens on this port (is the server running?)`. An error in
    connecting that is not known is given in its own words.
    """
    import socket
    import ssl

    import httpx2

    connect_error = error.__cause__ or error
    if isinstance(connect_error, httpx2.ConnectTimeout):
        return _NOBODY_ANSWERS
    if isinstance(connect_error, httpx2.ProxyError):
        return short(f"the proxy does not let the request through: {connect_error}")
    if not isinstance(connect_error, httpx2.ConnectError):
        return ""
    for cause in _causes(connect_error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return (
                f"its certificate is not trusted ({cause.verify_message}); SSL_CERT_FILE may name"
                " a file of certificates to trust"
            )
        if isinstance(cause, ssl.SSLError):
            return "it does not answer in TLS (does its address begin with http://?)"
        if isinstance(cause, socket.gaierror):
            return f"there is no host of this name ({cause.strerror})"
        if isinstance(cause, ConnectionRefusedError):
            return "nothing listens on this port (is the server running?)"
        if isinstance(cause, OSError) and cause.errno in (
            errno.ENETUNREACH,
            errno.EHOSTUNREACH,
        ):
            return "this network has no route to it"
    return _describe_cause(error)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, then its cause, the cause of that and so on; nothing for None.

    An error without a cause is followed by the one during whose handling it was raised. After a
    group of errors each of them and their causes come.
    """
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for grouped in error.exceptions:
                yield from _causes(grouped)
        error = error.__cause__ or error.__context__


def _describe_cause(error: BaseException) -> str:
    """Return the message of an error and of its direct cause, parted by a blank, as one short line.

    A cause without a message is named by its type. Without a cause it is the error's message alone.
    """
    cause = error.__cause__
    if cause is None:
        return short(str(error))
    words = str(cause).strip()
    if not words:
        words = type(cause).__name__
    return short(f"{error} {words}")
