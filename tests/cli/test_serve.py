"""`appellate serve`: who is let in, how a sitting ends, and the screen in a real browser."""

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import psutil
import pytest
from aiohttp import web
from PIL import Image

import appellate
from appellate import load_audit
from appellate.cli.arguments import parser
from appellate.cli.browser import COOKIE, BrowserServer, BrowserTab
from appellate.cli.serve import INSTALL, command, is_loopback
from appellate.store.audits.open_audit import AuditFiles
from chromium import NAMES, browsing, chromium

# Speaks as a Textual application does to textual-serve, and writes a file when it is told to leave.
STAND_IN = """
import pathlib, sys
def say(kind, text): sys.stdout.buffer.write(kind + len(text).to_bytes(4, "big") + text); sys.stdout.flush()
sys.stdout.buffer.write(b"__GANGLION__\\n")
say(b"D", " ".join(sys.argv[1:]).encode())
heard = b""
while b"quit" not in heard and (more := sys.stdin.buffer.raw.read(99)): heard += more
for _ in range(99): say(b"D", b"x" * 9999)
pathlib.Path(sys.argv[1]).write_text("left")
"""
NASTY = 'a b\'; echo $HOME "`id`" é & <b>'
SOURCES = str(Path(appellate.__file__).parents[1])
ANYWHERE = "0.0.0.0"  # noqa: S104
PATIENCE = 30


class Door:
    """A server on a free port, and what its address says."""

    def __init__(
        self,
        address: str,
        runner: web.AppRunner,
        client: aiohttp.ClientSession,
    ) -> None:
        told = urlsplit(address)
        self.runner, self.client = runner, client
        self.path, self.token = told.path, told.query.removeprefix("token=")
        self.netloc, self.root = told.netloc, f"http://{told.netloc}"
        self.cookie = {"Cookie": f"{COOKIE}={self.token}"}

    async def status(self, path: str = "", query: str = "", **headers: str) -> int:
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.client.get(
            f"{self.root}{self.path}{path}{query}",
            headers=told,
        ) as answer:
            return answer.status

    def tab(self, **headers: str):
        return self.client.ws_connect(
            f"{self.root}{self.path}ws",
            headers=self.cookie | headers,
        )


@pytest.fixture
def left(tmp_path) -> Path:
    return tmp_path / NASTY.replace("/", "")


@pytest.fixture
async def door(left) -> AsyncIterator[Door]:
    listening = socket.create_server(("127.0.0.1", 0))
    command = [sys.executable, "-c", STAND_IN, str(left), NASTY]
    server = BrowserServer(
        command,
        "<x>.audit.toml",
        "127.0.0.1",
        listening.getsockname()[1],
    )
    runner = web.AppRunner(await server._make_app(), access_log=None)
    await runner.setup()
    await web.SockSite(runner, listening).start()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as client:
        yield Door(server.address, runner, client)
    await runner.cleanup()


# -- who is let in --------------------------------------------------------------------------------


async def test_the_printed_address_gives_the_cookie_that_opens_the_page(door):
    async with door.client.get(f"{door.root}{door.path}?token={door.token}") as entered:
        cookie = entered.cookies[COOKIE]
        assert (cookie.value, cookie["path"]) == (door.token, door.path)
        assert cookie["samesite"] == "Strict"
        assert cookie["httponly"]
        assert door.token not in await entered.text()
    async with door.client.get(door.root + door.path, headers=door.cookie) as page:
        text = await page.text()
        assert page.status == 200
        assert "&lt;x&gt;.audit.toml" in text
        assert "<x>" not in text


@pytest.mark.parametrize("path", ["", "ws", "page/page.js", "static/js/textual.js"])
async def test_nothing_is_served_without_the_token(door, path):
    assert await door.status(path) == 403
    assert await door.status(path, Cookie=f"{COOKIE}=guessed") == 403
    assert await door.status(path, query="?token=guessed") == 403


async def test_the_token_in_the_address_opens_the_page_alone(door):
    assert (
        await door.status("static/js/textual.js", query=f"?token={door.token}") == 403
    )


async def test_nothing_stands_at_a_guessed_path_even_with_the_token(door):
    async with door.client.get(f"{door.root}/", headers=door.cookie) as answer:
        assert answer.status == 404


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8420",
        "127.0.0.1.evil.example",
        "[",
        "localhost.",
        "",
    ],
)
async def test_a_name_that_was_made_to_lead_here_is_refused(door, host):
    assert await door.status(Host=host, **door.cookie) == 403


@pytest.mark.parametrize("host", ["localhost:9000", "127.0.0.1", "[::1]:8420"])
async def test_this_machine_may_be_called_by_name_or_address_through_a_tunnel_too(
    door,
    host,
):
    assert await door.status(Host=host, **door.cookie) == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "http://127.0.0.1:1", "null", "file://"],
)
async def test_a_socket_from_another_page_is_refused(door, origin):
    with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
        await door.tab(Origin=origin)
    assert await door.status(Origin=origin, **door.cookie) == 403


@pytest.mark.parametrize(
    "header",
    [
        b"Origin: http://[x",
        b"Origin: http://\xff",
        f"Cookie: {COOKIE}=".encode() + b"\xff",
    ],
)
async def test_a_request_that_no_browser_sends_is_refused_without_an_error(
    door,
    header,
    caplog,
):
    address = urlsplit(door.root)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    token = door.cookie["Cookie"].encode()
    head = b"GET %b HTTP/1.1\r\nHost: %b\r\n%b\r\n" % (
        door.path.encode(),
        address.netloc.encode(),
        header,
    )
    if not header.startswith(b"Cookie"):
        head += b"Cookie: %b\r\n" % token
    writer.write(head + b"Connection: close\r\n\r\n")
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert not caplog.records


async def test_the_page_may_fetch_from_nowhere_else_nor_be_framed_nor_open_links(door):
    for headers in ({}, door.cookie):
        async with door.client.get(door.root + door.path, headers=headers) as answer:
            policy = dict(
                rule.split(" ", 1)
                for rule in answer.headers["Content-Security-Policy"].split("; ")
            )
            assert policy["default-src"] == policy["frame-ancestors"] == "'none'"
            assert policy["script-src"] == policy["font-src"] == "'self'"
            assert policy["connect-src"].split()[1:] == [
                f"{way}://{door.netloc}" for way in ("ws", "wss")
            ]
            assert "popups" not in policy["sandbox"]
            assert answer.headers["Referrer-Policy"] == "no-referrer"


# -- a sitting ------------------------------------------------------------------------------------


async def test_the_command_reaches_its_process_word_for_word(door, left):
    async with door.tab(Origin=door.root) as tab:
        assert (await tab.receive(PATIENCE)).data.decode() == f"{left} {NASTY}"


async def test_a_closed_tab_ends_its_process_even_while_that_paints(door, left):
    async with last_words(left) as said:
        async with door.tab() as tab:
            await tab.receive(PATIENCE)
        async with asyncio.timeout(PATIENCE):
            assert await said.readexactly(4) == b"left"


async def test_a_reloaded_page_waits_for_the_sitting_before_it(door, left):
    async with door.tab() as tab:
        await tab.receive(PATIENCE)
    async with door.tab() as tab:
        await tab.receive(PATIENCE)
        assert left.read_text() == "left"


async def test_stopping_the_server_ends_its_sittings(door, left):
    tab = await door.tab()
    await tab.receive(PATIENCE)
    await door.runner.cleanup()
    assert left.read_text() == "left"


@pytest.mark.parametrize(
    "message",
    [
        *("", "5", "no JSON", "{}", "[]", "[" * 5000, '["stdin"]', '["stdin", 5]'),
        *(
            '["stdin", "\\ud800"]',
            '["resize", {}]',
            '["resize", {"width": "x", "height": []}]',
        ),
    ],
)
async def test_a_message_that_the_page_would_not_send_ends_the_tab_without_a_traceback(
    door,
    left,
    caplog,
    message,
):
    async with door.tab() as tab:
        await tab.receive(PATIENCE)
        await tab.send_str(message)
        while (last := await tab.receive(PATIENCE)).type == aiohttp.WSMsgType.BINARY:
            pass
        assert last.type == aiohttp.WSMsgType.CLOSE
    await door.runner.cleanup()
    assert left.read_text() == "left"
    assert not caplog.records


def test_the_colours_of_a_tab_are_the_pages_own(monkeypatch):
    monkeypatch.setenv("TERM", "linux")
    monkeypatch.delenv("COLORTERM", raising=False)
    given = BrowserTab(
        "",
        write_bytes=None,
        write_str=None,
        close=None,
        download_manager=None,
    )
    environment = given._build_environment()
    assert (environment["TERM"], environment["COLORTERM"]) == (
        "xterm-256color",
        "truecolor",
    )


@asynccontextmanager
async def last_words(of: Path) -> AsyncIterator[asyncio.StreamReader]:
    """What a process writes as it leaves, in the place of a file."""
    os.mkfifo(of)
    # both: it never ends
    pipe = os.fdopen(os.open(of, os.O_RDWR | os.O_NONBLOCK), "rb", 0)
    said = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(said)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: protocol,
        pipe,
    )
    try:
        yield said
    finally:
        transport.close()


# -- the command ----------------------------------------------------------------------------------


@asynccontextmanager
async def serving(
    folder: Path,
    *arguments: str,
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """`appellate serve …` in a process of its own, and the address it printed."""
    told = os.environ | {
        "PYTHONPATH": SOURCES,
        "TMPDIR": str(folder),
        "APPELLATE_CONFIG": str(folder),
    }
    program = [sys.executable, "-P", "-m", "appellate"]
    process = await asyncio.create_subprocess_exec(
        *(*program, "serve", "--port", "0", "--reviewer", "ada", *arguments),
        cwd=folder,
        env=told,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            told = (
                await process.stderr.readuntil(b"token=")
                + await process.stderr.readline()
            ).decode()
        yield process, re.search(r"http://\S+", told).group()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ended(process: asyncio.subprocess.Process, number: int) -> int:
    process.send_signal(number)
    async with asyncio.timeout(PATIENCE):
        return await process.wait()


def corrected(folder: Path) -> list[str]:
    """The traits of the cells that the demo's audit file, if it is written, has corrections of."""
    audits = map(load_audit, folder.glob("appellate-demo-*/demo.audit.toml"))
    cells = [audited.cell for audit in audits for audited in audit.cells]
    return [cell.subject.trait.name for cell in cells if cell.state == "corrected"]


@pytest.mark.slow
async def test_even_a_killed_server_leaves_the_audit_written_and_nothing_of_its_folder_is_run(
    tmp_path,
):
    (tmp_path / "textual.py").write_text("raise SystemExit('run')")
    async with (
        serving(tmp_path, "--demo") as (process, address),
        aiohttp.ClientSession() as client,
    ):
        await correct_by_hand(client, address)
        assert await ended(process, signal.SIGKILL) == -signal.SIGKILL
        async with asyncio.timeout(PATIENCE):
            # which its sitting has, too, until that has left
            await process.stderr.read()
    assert corrected(tmp_path)


async def correct_by_hand(client: aiohttp.ClientSession, address: str) -> None:
    """What the page does, without one: the cookie, the socket, and the keys."""
    place = urlsplit(address)
    headers = {"Cookie": f"{COOKIE}={place.query.removeprefix('token=')}"}
    tab = await client.ws_connect(
        f"http://{place.netloc}{place.path}ws?width=100&height=40",
        headers=headers,
    )
    for keys, shown in ((" ", b"reviewed"), ("2", b"1 correction")):
        await tab.send_json(["stdin", keys])
        async with asyncio.timeout(PATIENCE):
            while shown not in await tab.receive_bytes():
                pass


@pytest.mark.slow
@pytest.mark.skipif(
    not chromium(),
    reason=f"no Chromium here: none of {', '.join(NAMES)}, nor APPELLATE_CHROMIUM",
)
async def test_the_bench_in_a_browser(tmp_path):
    async with (
        serving(tmp_path, "--demo") as (process, address),
        browsing(tmp_path / "profile") as browser,
    ):
        first = await browser.page(address)
        assert "recall .75 " in await first.shows("recall")
        (sitting,) = psutil.Process(process.pid).children()
        await first.press("2")
        await first.shows("1 correction")
        await first.shows(r"recall .50 −.25")
        assert (
            len(
                Image.open(BytesIO(await first.picture()))
                .convert("RGB")
                .getcolors(2**20),
            )
            > 50
        )

        second = await browser.page(address, width=390, height=844)
        assert "1 correction" in await second.shows("read only")

        await first.close()
        await asyncio.to_thread(sitting.wait, PATIENCE)
        assert corrected(tmp_path)
        await second.reload()
        assert "read only" not in await second.shows("1 correction")
        for page in (first, second):
            assert {urlsplit(asked).netloc for asked in page.requested} == {
                urlsplit(address).netloc,
            }
            assert "token" not in await second.value("location.href")
        assert await ended(process, signal.SIGTERM) == 143
        await second.until(lambda: second.is_closed)


def test_a_tab_goes_on_with_the_audit_under_the_options_that_were_given(tmp_path):
    place = AuditFiles.of(tmp_path / "-x y.audit.toml")
    handed_on = ["--model=-m 'x'", "--no-ascii", "--plain"]
    given = ["serve", "r.toml", "t.jsonl", "--skip-bad", "--port", "0", *handed_on]
    told = command(parser().parse_args(given), place)[5:]
    assert told == [str(place.audit), f"--workspace={place.workspace}", *handed_on]
    assert vars(parser().parse_args(["review", *told]))["model"] == ["-m 'x'"]


def test_a_tab_asks_the_whole_panel_under_the_limits_that_were_given(tmp_path):
    place = AuditFiles.of(tmp_path / "x.audit.toml")
    judges = ["--judge=fast", "--judge=slow", "--model=a b", "--model=c", "--times=3"]
    options = [*judges, "--rpm=60", "--no-cache"]
    told = command(parser().parse_args(["serve", str(place.audit), *options]), place)[
        5:
    ]
    before, after = (
        vars(parser().parse_args([name, *given]))
        for name, given in (("serve", ["x", *options]), ("review", told))
    )
    assert {
        key: after[key] for key in ("judge", "model", "times", "rpm", "no_cache")
    } == {key: before[key] for key in ("judge", "model", "times", "rpm", "no_cache")}


def test_loopback_is_told_from_the_rest():
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "localhost")))
    assert not any(map(is_loopback, (ANYWHERE, "::", "192.168.1.2", "box.example", "")))


async def test_an_open_host_is_warned_of(tmp_path):
    async with serving(tmp_path, "--demo", "--host", ANYWHERE) as (process, _):
        assert b"warning: whoever reaches this host" in await process.stderr.readline()
        assert await ended(process, signal.SIGINT) == 130


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "needs an audit"),
        (["x.audit.toml", "--demo"], "needs an audit"),
        (["x.audit.toml"], "there is no such audit"),
        (["--demo", "--host", "no.such.host.invalid"], "cannot be used as the address"),
        (["--demo", "--host", "é" * 64], "cannot be used as the address"),
    ],
)
def test_what_cannot_be_served_is_told_before_a_page_is(
    arguments,
    told,
    tmp_path,
    monkeypatch,
    cli,
):
    monkeypatch.chdir(tmp_path)
    assert told in cli("serve --port 0", *arguments, code=2).err


def test_a_judge_that_no_tab_could_ask_is_told_before_a_page_is(
    tmp_path,
    monkeypatch,
    cli,
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    (tmp_path / "r.toml").write_text(
        '[[metric_traits]]\nname = "T"\nmetrics = ["recall"]\ntp_instructions = ["x"]\n',
    )
    (tmp_path / "t.jsonl").write_text('{"id": "1", "response": "yes"}\n')
    for judge, told in (
        ("nobody", 'there is no judge "nobody"'),
        ("openai", "Which model?"),
    ):
        assert told in cli("serve --port 0 r.toml t.jsonl --judge", judge, code=2).err


def test_without_the_extra_it_says_what_to_install(monkeypatch, cli):
    monkeypatch.setitem(sys.modules, "textual_serve.app_service", None)
    assert (
        f"needs textual_serve.app_service; where Appellate was cloned to: {INSTALL}"
        in cli("serve --demo", code=2).err
    )
