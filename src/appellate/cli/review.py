"""`appellate review`: the bench on the screen."""

import argparse
import gc
import os
import sys
from typing import TYPE_CHECKING

from appellate import settings
from appellate.cli.judge_options import chosen
from appellate.cli.opening import OpenAudit, open_audit, revised
from appellate.cli.outcome import Exit, notes, say
from appellate.judging.choice import JudgeChoice
from appellate.settings import LoadedSettings
from appellate.store import meta
from appellate.store.cell_names import cell_called, instead_of
from appellate.store.text_file import unusable
from appellate.store.workspace import Workspace
from appellate.workbench import Workbench

if TYPE_CHECKING:
    from appellate.app.keymap import Keymap


def review(arguments: argparse.Namespace) -> Exit:
    gc.disable()  # starting makes no garbage to speak of; on again once the screen is painted
    try:
        preferred = settings.load(vars(arguments))
        with open_audit(arguments, may_read=True) as opened:
            return sit(opened, arguments, preferred)
    finally:
        gc.enable()


def sit(opened: OpenAudit, arguments: argparse.Namespace, preferred: LoadedSettings) -> Exit:
    """Runs the screen on an open audit until the person leaves."""
    if not opened.workspace.cells.count():
        raise unusable(str(opened.place.audit), "there is no cell to review")
    there = cell_at(getattr(arguments, "at", None), opened.workspace)
    if not _has_screen():
        raise unusable("review", "needs a terminal", "without one there are judge, metrics and log")
    keys = keys_of(preferred)
    choice = JudgeChoice("", None)
    if not opened.workspace.readonly:
        choice = chosen(arguments, opened.workspace)
    told = revised(arguments, opened)
    bench = Workbench(opened.workspace, opened.place.audit, preferred.settings.reviewer)
    if there:
        bench.begin_at(there)
    if choice.judge:
        bench.workspace.set_meta(meta.JUDGE, choice.name)
    # Textual, only when there is a screen to paint
    from appellate.app.application import AppellateApp
    from appellate.app.tour import Welcome

    notes = opened.notes + told
    if opened.held:
        notes.append(opened.held)
    if choice.sends:
        from appellate.judging.submitted_batches import warning

        notes += warning(bench.workspace)
    welcome = Welcome(
        tour=getattr(arguments, "tour", False),
        card=settings.meet() or getattr(arguments, "card", False),
    )
    app = AppellateApp(
        bench, choice, settings=preferred.settings, notes=notes, keys=keys, welcome=welcome
    )
    app.run(mouse=preferred.settings.mouse)
    if not bench.readonly:
        say(*app.session.summary())
    return _left(app.return_code or 0, bench, app.parting)


def cell_at(name: str | None, workspace: Workspace) -> int | None:
    """The cell that --at names; raises Unusable where there is none."""
    if name is None:
        return None
    found = cell_called(workspace, name)
    if found is None:
        raise unusable("--at", *instead_of(workspace, name))
    return found


def _has_screen() -> bool:
    """A terminal, or the tab of `serve` in its place, which Textual is told of by its own
    variable.
    """
    return "TEXTUAL_DRIVER" in os.environ or (sys.stdout.isatty() and sys.stdin.isatty())


def keys_of(preferred: LoadedSettings) -> "Keymap | None":
    """The keys asked for on the command line; raises Unusable where they, or a theme asked for
    there, cannot be had.

    What the environment and config.toml ask for is the screen's to judge.
    """
    theme, keys = preferred.sourced("theme"), preferred.sourced("keymap")
    if theme.source == settings.flag("theme"):
        from appellate.app import themes

        themes.check(theme.value, settings.folder() / "themes")
    if keys.source != settings.flag("keymap"):
        return None
    from appellate.app import keymap

    return keymap.load(keys.value, settings.folder())


def _left(code: int, bench: Workbench, parting: list[str]) -> Exit:
    """Says on the terminal how things stand, once the screen is gone."""
    totals = bench.workspace.totals()
    reviewed, cells = totals.get("state:reviewed", 0), totals.get("cells", 0)
    notes(parting)
    if not bench.readonly:
        state = "written" if bench.is_written else "not written"
        say(f"{bench.audit}: {state}; {reviewed} of {cells} cells signed off.")
        if not bench.is_written:
            say(bench.standing)
    return Exit(code) if code in list(Exit) else Exit.FAILED
