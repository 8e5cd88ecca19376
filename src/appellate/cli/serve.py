"""`appellate serve`: the bench in a browser, by the printed address."""

import argparse
import asyncio
import socket
import sys
import tempfile
from ipaddress import ip_address
from pathlib import Path
from shlex import quote

from appellate.cli.arguments import parser
from appellate.cli.demo import begun
from appellate.cli.judge_options import chosen
from appellate.cli.opening import open_audit
from appellate.cli.outcome import Ended, called, notes, say
from appellate.cli.review import keys_of
from appellate.session import settings
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.files.text_file import unusable

# -P: no module is loaded from the current folder
PYTHON = (sys.executable, "-P")
OWN = {"command", "demo", "host", "port", "paths", "audit", "workspace", "take", "skip_bad"}
INSTALL = ".venv/bin/pip install -e '.[web]'"
OPEN_TO_OTHERS = (
    "warning: whoever reaches this host and sees the address can read the audit and change it, and"
    " nothing is encrypted on the way; a tunnel to the loopback (ssh -L) is safer."
)


def serve(arguments: argparse.Namespace) -> None:
    """Reads settings and audit once, so that their problems show here, not in the tabs."""
    if bool(arguments.paths) == arguments.demo:
        raise unusable("serve", "needs an audit", "AUDIT, RUBRIC TRACES…, or --demo")
    try:
        import textual_serve.app_service  # noqa: F401
    except ImportError as missing:
        right = f"where Appellate was cloned to: {INSTALL}"
        raise unusable("serve", f"needs {missing.name or 'textual-serve'}", right) from missing
    keys_of(settings.load(vars(arguments)))
    host = arguments.host
    port = arguments.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        wrong = f"cannot be listened at: {getattr(error, 'strerror', '') or error}"
        raise unusable(f"{host}:{port}", wrong, "--port 0 takes a free one") from error
    with listening:
        if arguments.demo:
            folder = Path(tempfile.mkdtemp(prefix="appellate-demo-"))
            place = AuditFiles.of(folder / "demo.audit.toml")
            begun(place).workspace.close()
        else:
            place = _opened(arguments)
        number = asyncio.run(_until_stopped(arguments, place, listening))
    say("Stopped.")
    if arguments.demo:
        say(f"Go on with it: {called()} serve {quote(str(place.audit))}")
    raise Ended(128 + number)


async def _until_stopped(
    arguments: argparse.Namespace, place: AuditFiles, listening: socket.socket
) -> int:
    from appellate.cli.browser import BrowserServer  # aiohttp and rich, only where a page is served

    server = BrowserServer(
        command(arguments, place), place.audit.name, arguments.host, listening.getsockname()[1]
    )
    say(f"{place.audit} is open at", f"  {server.address}")
    if not is_loopback(server.host):
        say(OPEN_TO_OTHERS)
    say("The first tab reviews, further ones read along. Ctrl+C stops.")
    return await server.open_until_stopped(listening)


def command(arguments: argparse.Namespace, place: AuditFiles) -> list[str]:
    """What runs behind each tab: `review` with the options that were given here."""
    usual = vars(parser().parse_args(["serve"]))
    options = []
    for key, value in vars(arguments).items():
        name = key.replace("_", "-")
        if key in OWN or value == usual[key]:
            continue
        if isinstance(value, bool):
            options.append(f"--{name}" if value else f"--no-{name}")
        elif isinstance(value, list):
            options += [f"--{name}={one}" for one in value]
        else:
            options.append(f"--{name}={value}")
    places = [str(place.audit.resolve()), f"--workspace={place.workspace.resolve()}"]
    return [*PYTHON, "-m", "appellate", "review", *places, *options]


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _opened(arguments: argparse.Namespace) -> AuditFiles:
    with open_audit(arguments, may_read=True) as opened:
        notes(opened.notes)
        if opened.held:
            notes([opened.held])
        chosen(arguments, opened.workspace)  # else no tab could ask it
        if not opened.workspace.cells.count():
            raise unusable(str(opened.place.audit), "there is no cell to review")
    return opened.place
