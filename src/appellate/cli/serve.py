"""`appellate serve`: shows the review of an audit in a browser, at an address that it prints.

`browser.py` has the server; here are the command, its checks and what runs behind each tab.
"""

import argparse
import asyncio
import socket
import sys
import tempfile
from ipaddress import ip_address
from pathlib import Path
from shlex import quote

from appellate.cli.arguments import parser
from appellate.cli.demo import open_demo
from appellate.cli.judge_options import chosen_judge
from appellate.cli.opening import open_audit
from appellate.cli.outcome import Ended, called, notes, say
from appellate.cli.review import keys_of
from appellate.session import settings
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.files.text_file import unusable

PYTHON = (sys.executable, "-P")
"""How Python is started; with -P it loads no module from the current folder."""
OWN = {
    "command",
    "demo",
    "host",
    "port",
    "paths",
    "audit",
    "workspace",
    "take",
    "skip_bad",
    "words",
}
"""Options of `serve` that are not handed to the `review` of each tab."""
INSTALL = ".venv/bin/pip install -e '.[web]'"
OPEN_TO_OTHERS = (
    "warning: whoever reaches this host and sees the address can read the audit and change it, and"
    " nothing is encrypted on the way; a tunnel to the loopback (ssh -L) is safer."
)


def serve(arguments: argparse.Namespace) -> None:
    """Serve an audit until a signal stops it, and then raise Ended with 128 plus its number.

    It listens at --host and --port. What is said goes to standard error: the address at
    first, and for a demo at last how to continue. With --demo a new demo is served, in a
    temporary folder that stays.

    Settings and audit are read once before, so that their problems are said here and not in
    the tabs. An audit that does not exist is made. If its file and workspace disagree, the
    person is asked at a terminal unless --take is given. Raises Unusable for these
    problems, with neither an audit nor --demo or with both, without the package
    textual-serve, and for an address that cannot be listened at.
    """
    if bool(arguments.paths) == arguments.demo:
        raise unusable("serve", "needs an audit", "AUDIT, RUBRIC TRACES…, or --demo")
    try:
        import textual_serve.app_service  # noqa: F401
    except ImportError as missing:
        right = f"where Appellate was cloned to: {INSTALL}"
        raise unusable(
            "serve",
            f"needs {missing.name or 'textual-serve'}",
            right,
        ) from missing
    keys_of(settings.load(vars(arguments)))
    host = arguments.host
    port = arguments.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        host.encode("idna")  # else a name that cannot be encoded leaves a socket open
        listening = socket.create_server((host, port), family=family)
    except (OSError, OverflowError, UnicodeError) as error:
        wrong = (
            f"cannot be used as the address: {getattr(error, 'strerror', '') or error}"
        )
        raise unusable(f"{host}:{port}", wrong, "--port 0 takes a free one") from error
    with listening:
        if arguments.demo:
            folder = Path(tempfile.mkdtemp(prefix="appellate-demo-"))
            audit_files = AuditFiles.of(folder / "demo.audit.toml")
            open_demo(audit_files).workspace.close()
        else:
            audit_files = _open_once(arguments)
        number = asyncio.run(_serve_until_stopped(arguments, audit_files, listening))
    say("Stopped.")
    if arguments.demo:
        say(f"Continue with it: {called()} serve {quote(str(audit_files.audit))}")
    raise Ended(128 + number)


async def _serve_until_stopped(
    arguments: argparse.Namespace,
    audit_files: AuditFiles,
    listening: socket.socket,
) -> int:
    """Serve the page on a listening socket until a signal stops it, and return the signal's number.

    The page's address is said on standard error at first, with a warning if it can be reached from
    other machines. Each tab runs the `command` for the audit.
    """
    # only here: aiohttp and rich are needed where a page is served
    from appellate.cli.browser import BrowserServer

    server = BrowserServer(
        command(arguments, audit_files),
        audit_files.audit.name,
        arguments.host,
        listening.getsockname()[1],
    )
    say(f"{audit_files.audit} is open at", f"  {server.address}")
    if not is_loopback(server.host):
        say(OPEN_TO_OTHERS)
    say("The first tab reviews, further ones only read. Ctrl+C stops.")
    return await server.open_until_stopped(listening)


def command(arguments: argparse.Namespace, audit_files: AuditFiles) -> list[str]:
    """Return the words of the command behind each tab: `review` with the options given to `serve`.

    Python comes first, then `review`, the audit file and the workspace by their full paths,
    whatever files `serve` was given. Options follow as `--name=value`, `--name` or `--no-name`, and
    lists as one option for each item; those that have their default and those of the server itself
    are left out.
    """
    defaults = vars(parser().parse_args(["serve"]))
    options = []
    for key, value in vars(arguments).items():
        name = key.replace("_", "-")
        if key in OWN or value == defaults[key]:
            continue
        if isinstance(value, bool):
            options.append(f"--{name}" if value else f"--no-{name}")
        elif isinstance(value, list):
            options += [f"--{name}={item}" for item in value]
        else:
            options.append(f"--{name}={value}")
    files = [
        str(audit_files.audit.resolve()),
        f"--workspace={audit_files.workspace.resolve()}",
    ]
    return [*PYTHON, "-m", "appellate", "review", *files, *options]


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only.

    `host` is a number as "127.0.0.1" or "::1", or a name. Of names only `localhost`, in lower case,
    can.
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _open_once(arguments: argparse.Namespace) -> AuditFiles:
    """Open the audit once, write its notes on standard error, close it again and return its files.

    The audit is made if it does not exist, and only read if another process writes it. If its file
    and workspace disagree, --take says which counts; without it the person is asked at a terminal.
    Raises Unusable for an audit that cannot be opened or has no cells, and for a judge that cannot
    be asked.
    """
    with open_audit(arguments, may_read=True) as opened:
        notes(opened.notes)
        if opened.held:
            notes([opened.held])
        # raises for a judge that no tab could ask
        chosen_judge(arguments, opened.workspace)
        if not opened.workspace.cells.count():
            raise unusable(str(opened.place.audit), "there is no cell to review")
    return opened.place
