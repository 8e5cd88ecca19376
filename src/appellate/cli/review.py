"""`appellate review`: the bench on the screen."""

import argparse
import sys

from appellate import settings
from appellate.cli.opening import OpenAudit, open_audit
from appellate.cli.outcome import Exit, notes, say
from appellate.core.problem import Problem, Unusable
from appellate.core.refused import Refused
from appellate.judging import Choice, choose
from appellate.workbench import Workbench


def review(arguments: argparse.Namespace) -> Exit:
    preferred = settings.config()
    opened = open_audit(arguments, may_read=True)
    with opened.workspace:
        return sit(opened, arguments, preferred)


def sit(opened: OpenAudit, arguments: argparse.Namespace, preferred: dict[str, str]) -> Exit:
    """Runs the screen on an open audit until the person leaves."""
    if not opened.workspace.count():
        raise Unusable([Problem(str(opened.place.audit), "", "there is no cell to review")])
    if not (sys.stdout.isatty() and sys.stdin.isatty()):
        raise Unusable([Problem("review", "", "needs a terminal", "without one there are judge, metrics and log")])
    bench = Workbench(opened.workspace, opened.place.audit, settings.reviewer(arguments.reviewer, preferred))
    choice = _choice(arguments, bench)
    from appellate.app.application import AppellateApp  # Textual, only when there is a screen to paint

    app = AppellateApp(
        bench,
        choice,
        notes=[*opened.notes, *([opened.held] if opened.held else [])],
        theme=arguments.theme or preferred.get("theme"),
        ascii_marks=arguments.ascii,
    )
    app.run()
    return _left(app.return_code or 0, bench, app.parting)


def _choice(arguments: argparse.Namespace, bench: Workbench) -> Choice:
    if bench.readonly:
        return Choice("", None)
    try:
        choice = choose(vars(arguments), bench.workspace.meta)
    except Refused as refusal:
        raise Unusable([Problem("judge", "", str(refusal))]) from refusal
    if choice.judge:
        bench.workspace.set_meta("judge", choice.name)
    return choice


def _left(code: int, bench: Workbench, parting: list[str]) -> Exit:
    """Says on the terminal how things stand, once the screen is gone."""
    totals = bench.workspace.totals()
    reviewed, cells = totals.get("state:reviewed", 0), totals.get("cells", 0)
    notes(parting)
    if not bench.readonly:
        state = "written" if bench.is_written else f"not written, everything is kept in {bench.workspace.path}"
        say(f"{bench.audit}: {state}; {reviewed} of {cells} cells signed off.")
    return Exit(code) if code in list(Exit) else Exit.FAILED
