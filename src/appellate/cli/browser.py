"""Serves the review in a browser: one page, a check of who is let in, a process for each tab.

Audits are private, but a port is open to every user of the machine and to every page that a browser
shows. So nobody gets in without the token of the printed address, under a path nobody can guess
(cookies are shared by all ports of a host), from another site, or by a name that is not this
machine's. Nothing is fetched from elsewhere: the page may not.

Private parts of textual-serve that are used here: `AppService._build_environment`,
`_open_app_process`, `_process` and `_stdin`, `Server._make_app` and `_process_messages`; a test
says when one is gone.
"""

import asyncio
import html
import secrets
import shlex
import signal
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from string import Template
from typing import Literal, cast
from urllib.parse import urlsplit

from aiohttp import WSCloseCode, web
from textual_serve.app_service import AppService
from textual_serve.server import Server, to_int

PAGE = Path(__file__).parent / "page"
COOKIE = "appellate"
BEGUN = b"__GANGLION__\n"
"""What Textual prints first."""
PATIENCE = 20
"""Seconds that a tab gets to write its audit and end."""
LARGEST = 1000
"""Columns or rows of a tab at most."""
ENTERING = '<!DOCTYPE html><title>Appellate</title><meta http-equiv="refresh" content="0; url=./">'
NOT_LET_IN = (
    "Not let in. Open the address that appellate printed where it was started.\n"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# xterm.js makes style elements; the sandbox opens no link of a response
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self' ws://{host} wss://{host}; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts allow-same-origin"
)
MALFORMED = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    AssertionError,
    RecursionError,
)
"""What textual-serve raises for a message that its own page would not send."""
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class BrowserTab(AppService):
    """One browser tab and its `review` process, which shares the server's standard error."""

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        """Return the environment variables for the tab's process, as a new table.

        They are those of this process, with what textual-serve adds. Over these come the driver of
        the tab, and what a terminal in a browser can show. `width` and `height`, in columns and
        rows, are among them.
        """
        return super()._build_environment(width, height) | {
            "TEXTUAL_DRIVER": "appellate.app.browser_driver:BrowserDriver",
            "TERM": "xterm-256color",  # the page's own, whatever the shell's can show
            "COLORTERM": "truecolor",
        }

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        """Start the process of the tab without a shell and return it; raises OSError.

        The Ctrl+C that stops the server does not reach it. `width` and `height` are columns and
        rows.
        """
        process = await asyncio.create_subprocess_exec(
            *shlex.split(self.command),
            stdin=PIPE,
            stdout=PIPE,
            env=self._build_environment(width, height),
            start_new_session=True,
        )
        self._process = process
        self._stdin = process.stdin
        return process

    async def set_terminal_size(self, width: int, height: int) -> None:
        """Tell the process the tab's size, in `width` columns and `height` rows.

        Each is brought within 1 to `LARGEST`. Raises TypeError for sizes that are no numbers.
        """
        await super().set_terminal_size(_bounded(width), _bounded(height))

    async def run(self) -> None:
        """Send what the process paints to the tab until the process ends, then close the tab.

        The process was started before. Its output is a first line, and then packets of a type, a
        length and a payload; those of other types than D (data) and M (meta) are dropped. If the
        tab is closed earlier, the output is read anyway and dropped, so that the process can end.
        """
        process = cast("Process", self._process)
        painted = cast("asyncio.StreamReader", process.stdout)
        with suppress(asyncio.IncompleteReadError):
            await painted.readuntil(BEGUN)
            while True:
                header = await painted.readexactly(5)
                payload = await painted.readexactly(int.from_bytes(header[1:], "big"))
                with suppress(ConnectionError):  # the tab is closed
                    if header[:1] == b"D":
                        await self.on_data(payload)
                    elif header[:1] == b"M":
                        await self.on_meta(payload)
        await process.wait()
        await self.remote_close()

    async def stop(self) -> None:
        """End the process as a hang-up does, or kill it if it is not over after `PATIENCE` seconds.

        Nothing happens if it was not started. Corrections are saved even if it is killed.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                await super().stop()
        except TimeoutError:
            cast("Process", self._process).kill()


class BrowserServer(Server):
    """The server of one page, which only browsers with the token of `address` may open."""

    def __init__(
        self,
        command: Sequence[str],
        title: str,
        host: str,
        port: int,
    ) -> None:
        """Make a server whose tabs run `command`, with a new secret path and token for its page.

        `title` is the page's. Nothing listens yet at `host` and `port`.
        """
        super().__init__(shlex.join(command), host, port, title)
        self._path = f"/{secrets.token_urlsafe(9)}"
        self._token = secrets.token_urlsafe(24)
        self._open: set[web.WebSocketResponse] = set()
        self._changing = asyncio.Lock()
        """Held while a tab starts or ends: a reloaded page waits until the old one has ended."""

    @property
    def address(self) -> str:
        """The address of the page with its token, for the person to open.

        A server that listens at every address is named by this machine's host name. An IPv6 address
        stands in brackets.
        """
        host = self.host
        if host in ("0.0.0.0", "::"):  # noqa: S104
            host = socket.gethostname()
        if ":" in host:
            host = f"[{host}]"
        return f"http://{host}:{self.port}{self._path}/?token={self._token}"

    async def _make_app(self) -> web.Application:
        """Return a new web application with its routes; every request passes `_let_in` first.

        The routes are the page, its files and the socket of a tab, all below the secret path. Every
        response gets our headers, and tabs are closed when it shuts down.
        """
        app = web.Application(middlewares=[self._let_in])
        app.add_routes(
            [
                web.get(f"{self._path}/", self.handle_page),
                web.get(f"{self._path}/ws", self.handle_websocket),
                web.static(f"{self._path}/page", PAGE),
                web.static(f"{self._path}/static", self.statics_path),
            ],
        )
        app.on_response_prepare.append(_add_headers)
        app.on_shutdown.append(self.on_shutdown)
        return app

    # -- who is let in ----------------------------------------------------------------------------

    @web.middleware
    async def _let_in(
        self,
        request: web.Request,
        handler: Handler,
    ) -> web.StreamResponse:
        """Answer a request and return the response; raises HTTPForbidden if it is not let in.

        Its host must be a name of this machine or any IP address. Its origin, if it names one, must
        be that host. It needs the token in its cookie, or without a cookie in the address of the
        page.
        """
        # without this check a WebSocket is open to the pages of all sites
        origin = request.headers.get("Origin")
        is_ours = origin is None
        if origin is not None:
            with suppress(ValueError):  # no address at all
                is_ours = urlsplit(origin).netloc == request.host

        may_enter = self._has_own_host(request) and is_ours and self._has_token(request)
        if not may_enter:
            raise web.HTTPForbidden(text=NOT_LET_IN)
        return await handler(request)

    def _has_own_host(self, request: web.Request) -> bool:
        """Return whether a request names this machine, or any IP address, as its host.

        The name of another site may be made to lead here (DNS rebinding); an address cannot. This
        machine's names are localhost, its host name, and the name it listens at. Case and the port
        do not count.
        """
        name = ""
        with suppress(ValueError):
            name = urlsplit(f"//{request.host}").hostname or ""
        own_names = ("localhost", self.host.lower(), socket.gethostname().lower())
        if name in own_names:
            return True
        with suppress(ValueError):
            return bool(ip_address(name))
        return False

    def _has_token(self, request: web.Request) -> bool:
        """Return whether a request has the token, in its cookie or in the address of the page.

        The address counts only for the page itself and without a cookie, so a wrong cookie is
        refused.
        """
        token = request.cookies.get(COOKIE, "")
        if not token and request.path == f"{self._path}/":
            token = request.query.get("token", "")
        token_bytes = token.encode(errors="replace")
        return secrets.compare_digest(token_bytes, self._token.encode())

    # -- what is served ---------------------------------------------------------------------------

    async def handle_page(self, request: web.Request) -> web.Response:
        """Return the page, or for an address with a token a short page that sets the cookie.

        The short page then loads the page itself, since a redirect might lose a strict
        cookie. The token was checked by `_let_in`.
        """
        if "token" in request.query:
            entered = web.Response(text=ENTERING, content_type="text/html")
            entered.set_cookie(
                COOKIE,
                self._token,
                path=f"{self._path}/",
                httponly=True,
                samesite="Strict",
            )
            return entered
        page = Template((PAGE / "page.html").read_text("utf-8"))
        socket_address = f"ws://{request.host}{self._path}/ws"
        text = page.substitute(
            title=html.escape(self.title),
            socket=html.escape(socket_address),
        )
        return web.Response(text=text, content_type="text/html")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Start the process of a tab, connect both until one ends, and return the closed socket.

        The tab has the size that the address asks for, else 80 columns and 24 rows. It waits to
        start until one that ends has ended. The process is ended when the socket closes, and a
        message that the page would not send closes it. Raises OSError if the process cannot be
        started.
        """
        websocket = web.WebSocketResponse(heartbeat=15)
        await websocket.prepare(request)
        self._open.add(websocket)

        async def close() -> None:
            await websocket.close()

        tab = BrowserTab(
            self.command,
            write_bytes=websocket.send_bytes,
            write_str=websocket.send_str,
            close=close,
            download_manager=self.download_manager,
        )
        async with self._changing:
            await tab.start(
                _requested_size(request, "width", 80),
                _requested_size(request, "height", 24),
            )
        try:
            await self._process_messages(websocket, tab)
        except MALFORMED:
            await websocket.close(code=WSCloseCode.UNSUPPORTED_DATA)
        finally:
            async with self._changing:
                await tab.stop()
            self._open.discard(websocket)
        return websocket

    async def on_shutdown(self, _: web.Application) -> None:
        """Close the sockets of all tabs; the process of each then ends."""
        await asyncio.gather(*(websocket.close() for websocket in tuple(self._open)))

    # -- until it is stopped ----------------------------------------------------------------------

    async def open_until_stopped(self, listening: socket.socket) -> int:
        """Serve on a socket until a signal comes; return its number after every tab has ended.

        The signals are SIGINT (Ctrl+C), SIGTERM and SIGHUP (a hang-up). A tab that does not end
        within `PATIENCE` seconds is killed.
        """
        runner = web.AppRunner(
            await self._make_app(),
            access_log=None,
            shutdown_timeout=2 * PATIENCE,
        )
        await runner.setup()
        stopped: asyncio.Queue[int] = asyncio.Queue()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(
                number,
                stopped.put_nowait,
                number,
            )
        try:
            await web.SockSite(runner, listening).start()
            return await stopped.get()
        finally:
            await runner.cleanup()


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add to a response the headers that keep other sites out of the page, and it off other sites.

    The content policy names the host that `request` names. Called before each response is sent.
    """
    response.headers.update(HEADERS)
    response.headers["Content-Security-Policy"] = POLICY.format(host=request.host)


def _requested_size(
    request: web.Request,
    side: Literal["width", "height"],
    default: int,
) -> int:
    """Return the width or height that the address of a request asks for, in columns or rows.

    It is brought within 1 to `LARGEST`, also if it is below 0. Without a whole number in the
    address it is `default`.
    """
    return _bounded(to_int(request.query.get(side, ""), default))


def _bounded(size: int) -> int:
    """Return a size within 1 to `LARGEST`."""
    return min(max(size, 1), LARGEST)
