"""A real headless Chromium, driven over its DevTools protocol with aiohttp, which `serve` needs anyway.

`async with browsing(folder) as browser: page = await browser.page(address)`; then `page.press("1")`,
`await page.shows("…")`, `page.requested`. `APPELLATE_CHROMIUM` names another browser than the one found.
"""

import asyncio
import base64
import json
import os
import re
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import pyte

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
    "about:blank",
)
PATIENCE = 30
BINARY = 2  # a WebSocket's opcode
NOT_PYTES = re.compile(
    rb"\x1b\[[<>=][0-?]*[ -/]*[@-~]|\x1b\[\?[\d;]*(\$p|[unm])|\x1b\]52;[^\x07]*\x07",
)


def chromium() -> str | None:
    """The Chromium of this machine, if it has one."""
    named = os.environ.get("APPELLATE_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A running Chromium and what it reported, page by page."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers: Iterator[int] = count(1)
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pages: dict[str, Page] = {}

    async def ask(
        self,
        method: str,
        session: str | None = None,
        **parameters: Any,
    ) -> dict[str, Any]:
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        about = {"sessionId": session} if session else {}
        await self._socket.send_json(
            {"id": number, "method": method, "params": parameters} | about,
        )
        async with asyncio.timeout(PATIENCE):
            return await answer

    async def listen(self) -> None:
        async for message in self._socket:
            told = json.loads(message.data)
            if "id" in told:
                self._answers.pop(told["id"]).set_result(told.get("result", told))
            elif told.get("sessionId") in self._pages:
                self._pages[told["sessionId"]].hear(told["method"], told["params"])

    async def page(self, address: str, width: int = 1360, height: int = 860) -> "Page":
        target = (await self.ask("Target.createTarget", url="about:blank"))["targetId"]
        session = (
            await self.ask("Target.attachToTarget", targetId=target, flatten=True)
        )["sessionId"]
        page = self._pages[session] = Page(self, target, session)
        await page.ask("Network.enable")
        await page.ask("Page.enable")
        await page.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        await page.resize(width, height)
        await page.ask("Page.navigate", url=address)
        return page


class Page:
    """A tab: what it asked the network for, what was painted into its terminal, and hands on its keyboard."""

    def __init__(self, browser: Browser, target: str, session: str) -> None:
        self._browser, self._target, self._session = browser, target, session
        self._heard = asyncio.Event()
        self.requested: list[str] = []
        self.screen: pyte.Screen | None = None
        self.is_closed = False

    async def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        return await self._browser.ask(method, self._session, **parameters)

    def hear(self, method: str, told: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requested.append(told["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requested.append(told["url"])
            self._draw_at(told["url"])
        elif (
            method == "Network.webSocketFrameReceived"
            and told["response"]["opcode"] == BINARY
        ):
            self._terminal.feed(
                NOT_PYTES.sub(b"", base64.b64decode(told["response"]["payloadData"])),
            )
        elif method == "Network.webSocketClosed":
            self.is_closed = True
        self._heard.set()

    def _draw_at(self, address: str) -> None:
        """The page asks for its screen at the size that the terminal on it has."""
        size = {side: int(cells) for side, cells in parse_qsl(urlsplit(address).query)}
        self.screen = pyte.Screen(size["width"], size["height"])
        self._terminal = pyte.ByteStream(self.screen)

    @property
    def text(self) -> str:
        """What stands on the terminal of the page, drawn from the bytes that it was sent."""
        return (
            "\n".join(line.rstrip() for line in self.screen.display)
            if self.screen
            else ""
        )

    async def shows(self, regex: str) -> str:
        """Waits until the terminal shows this; returns its text."""
        try:
            await self.until(lambda: re.search(regex, self.text, re.MULTILINE))
        except TimeoutError as late:
            raise AssertionError(f"{regex!r} was not shown\n{self.text}") from late
        return self.text

    async def until(self, holds: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                self._heard.clear()
                await self._heard.wait()

    async def press(self, keys: str) -> None:
        for key in keys:
            await self.ask(
                "Input.dispatchKeyEvent",
                type="keyDown",
                text=key,
                key=key,
                unmodifiedText=key,
            )
            await self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def resize(self, width: int, height: int) -> None:
        await self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    async def reload(self) -> None:
        """Forgets what stood there, so that only what comes after is seen."""
        self.screen = None
        await self.ask("Page.reload")

    async def value(self, expression: str) -> Any:
        told = await self.ask(
            "Runtime.evaluate",
            expression=expression,
            awaitPromise=True,
            returnByValue=True,
        )
        return told["result"].get("value")

    async def picture(self) -> bytes:
        """What a person sees, as PNG."""
        await self.ask("Page.bringToFront")
        return base64.b64decode((await self.ask("Page.captureScreenshot"))["data"])

    async def close(self) -> None:
        await self._browser.ask("Target.closeTarget", targetId=self._target)


@asynccontextmanager
async def browsing(folder: Path) -> AsyncIterator[Browser]:
    """A Chromium with a profile of its own in this folder."""
    process = await asyncio.create_subprocess_exec(
        str(chromium()),
        f"--user-data-dir={folder}",
        *FLAGS,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            told = (
                await process.stderr.readuntil(b"/devtools/browser/")
                + await process.stderr.readline()
            ).decode()
        async with (
            aiohttp.ClientSession() as client,
            client.ws_connect(told.split()[-1], max_msg_size=0) as socket,
        ):
            browser = Browser(socket)
            listening = asyncio.create_task(browser.listen())
            yield browser
            listening.cancel()
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.communicate()
