"""`appellate review`: the bench on the screen, or line by line."""

import argparse
import gc
import os
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from textwrap import wrap
from typing import TYPE_CHECKING

from appellate.cli.judge_options import chosen
from appellate.cli.opening import open_audit, revised
from appellate.cli.outcome import Ended, Exit, ProgressLine, notes, say
from appellate.core.problem import Refused
from appellate.judging.choice import JudgeChoice
from appellate.session import settings
from appellate.session.review_session import ReviewSession
from appellate.session.settings import LoadedSettings, Settings
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.audits.audit_sync import NotWritten
from appellate.store.audits.open_audit import Opened
from appellate.store.cell_names import cell_called, instead_of
from appellate.store.database import NotKept
from appellate.store.files.text_file import unusable
from appellate.store.samples.sampling import next_cell
from appellate.store.workspace import Workspace

if TYPE_CHECKING:
    from appellate.app.application import AppellateApp
    from appellate.app.keys.keymap import Keymap

_OWN = ("theme", "keymap")
"""Settings that may name a file: one that is not there is refused with --lines, too."""


def review(arguments: argparse.Namespace) -> None:
    ProgressLine.in_lines = arguments.lines
    gc.disable()  # starting makes no garbage to speak of; on again once the screen is painted
    try:
        preferred = settings.load(vars(arguments))
        with open_audit(arguments, may_read=True) as opened:
            raise Ended(sit(opened, arguments, preferred))
    finally:
        gc.enable()


def sit(opened: Opened, arguments: argparse.Namespace, preferred: LoadedSettings) -> int:
    """Runs the screen on an open audit until the person leaves."""
    if not opened.workspace.cells.count():
        raise unusable(str(opened.place.audit), "there is no cell to review")
    there = _begins(arguments, opened.workspace)
    _check_place(arguments)
    keys = None
    asked = any(preferred.sourced(key).source == settings.flag(key) for key in _OWN)
    if asked or not arguments.lines:
        keys = keys_of(preferred)
    choice = JudgeChoice("", None)
    if not opened.workspace.readonly:
        choice = chosen(arguments, opened.workspace)
    texts = revised(arguments, opened)
    bench = Workbench(opened.workspace, opened.place.audit, preferred.settings.reviewer)
    if there:
        bench.begin_at(there)
    if choice.judge:
        bench.workspace.set_meta(meta.JUDGE, choice.name)
    notes = opened.notes + texts
    if opened.held:
        notes.append(opened.held)
    if choice.sends:
        from appellate.judging.batches import warning

        notes += warning(bench.workspace)
    if arguments.lines:
        return _sit_at_lines(bench, choice, preferred.settings, notes, keys)
    # Textual, only when there is a screen to paint
    from appellate.app.application import AppellateApp
    from appellate.app.tour import Welcome

    welcome = Welcome(
        tour=getattr(arguments, "tour", False),
        card=settings.is_first_session() or getattr(arguments, "card", False),
    )
    app = AppellateApp(
        bench, choice, settings=preferred.settings, notes=notes, keys=keys, welcome=welcome
    )
    return _sit_at_screen(bench, app, mouse=preferred.settings.mouse)


def _check_place(arguments: argparse.Namespace) -> None:
    """Raises Unusable without a terminal, and for what does not go with --lines."""
    if not arguments.lines and not has_screen():
        right = "without one there are --lines, judge, metrics and log"
        raise unusable("review", "needs a terminal", right)
    if not arguments.lines:
        return
    if "-" in getattr(arguments, "paths", ()):
        wrong = "with --lines the keys come from standard input"
        raise unusable("-", wrong, "name a file of traces")
    if getattr(arguments, "tour", False):
        raise unusable("--tour", "goes through the screen", "leave --lines out")


def _sit_at_screen(bench: Workbench, app: "AppellateApp", *, mouse: bool) -> int:
    from appellate.app.application import CRASHED

    app.run(mouse=mouse)
    with suppress(NotWritten, NotKept, Refused):  # `_left` says what is saved
        if (why := bench.lost) and (CRASHED in app.parting or app.code > Exit.UNUSABLE):
            bench.move(bench.free_audit_path)  # nobody was there to be asked where
            app.parting.append(f"{why}: everything was saved elsewhere.")
        if bench.unexported_count:
            bench.save()  # with what a judge answered until its run had ended
    return _left(app.code, bench, app.session, app.parting)


def _sit_at_lines(
    bench: Workbench,
    choice: JudgeChoice,
    preferred: Settings,
    notes: list[str],
    keys: "Keymap | None",
) -> int:
    from appellate.linear.console import Console
    from appellate.linear.linear_session import LinearSession
    from appellate.ui.marks import marks_for

    marks = marks_for(plain=preferred.plain, ascii_only=preferred.ascii)
    dull = preferred.plain or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    session = ReviewSession(bench)
    console = Console(marks, colours=not dull)
    if keys is None and (preferred.keymap or (settings.folder() / "keymap.toml").is_file()):
        from appellate.app.keys import keymap  # and every screen, whose keys it is held against

        keys = keymap.usable(preferred.keymap, settings.folder(), notes)
    own = keys.keys if keys else {}
    code = LinearSession(bench, session, preferred, console, choice, own).run(notes)
    parting = []
    try:
        if not bench.readonly and (bench.unexported_count or not bench.is_written):
            bench.save()
    except (NotWritten, NotKept) as refusal:
        parting.append(str(refusal))
        code = code or Exit.FAILED
    return _left(code, bench, session, parting)


def _begins(arguments: argparse.Namespace, workspace: Workspace) -> int | None:
    """The cell that --at names, else the first of the sample that is open; raises Unusable."""
    name = getattr(arguments, "at", None)
    if name is None and arguments.order == "sample":
        return next_cell(workspace.path)
    if name is None:
        return None
    found = cell_called(workspace, name)
    if found is None:
        raise unusable("--at", *instead_of(workspace, name))
    return found


def has_screen() -> bool:
    """Whether there is a terminal, or a tab of `serve`, by a variable of Textual's."""
    streams = sys.stdout, sys.stdin
    return "TEXTUAL_DRIVER" in os.environ or all(one and one.isatty() for one in streams)


def keys_of(preferred: LoadedSettings) -> "Keymap | None":
    """The keys of the command line; raises Unusable where they, or its theme, do not exist."""
    theme = preferred.sourced("theme")
    keys = preferred.sourced("keymap")
    if theme.source == settings.flag("theme"):
        from appellate.app.appearance import theme_files

        theme_files.check(theme.value, settings.folder() / "themes")
    if keys.source != settings.flag("keymap"):
        return None
    from appellate.app.keys import keymap

    return keymap.load(keys.value, settings.folder())


def _left(code: int, bench: Workbench, session: ReviewSession, parting: Iterable[str]) -> int:
    """Says on the terminal what was done and saved, once the screen is gone."""
    with suppress(OSError):  # the terminal is gone, too
        if not bench.readonly:
            room = shutil.get_terminal_size().columns
            say(*(line for text in session.summary() for line in wrap(text, room)))
        notes(parting)
        if not bench.readonly:
            totals = bench.workspace.totals()
            reviewed = totals.get("state:reviewed", 0)
            cells = totals.get("cells", 0)
            state = "exported" if bench.is_written else "not exported"
            say(f"{bench.audit}: {state}; {reviewed} of {cells} cells signed off.")
            if not bench.is_written:
                say(bench.where_saved)
    return code if code in list(Exit) else Exit.FAILED
