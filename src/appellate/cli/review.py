"""`appellate review`: opens an audit on the screen, or with --lines in line mode."""

import argparse
import gc
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from textwrap import wrap
from typing import TYPE_CHECKING

from appellate.cli.acting import acting, check_is_person
from appellate.cli.judge_options import chosen_judge
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
from appellate.store.database import NotKept
from appellate.store.files.text_file import unusable
from appellate.store.workspace import Workspace

if TYPE_CHECKING:
    from appellate.app.application import AppellateApp
    from appellate.app.keys.keymap import Keymap

_FILE_SETTINGS = ("theme", "keymap")
"""Settings that may name a file, which is checked with --lines, too."""


def review(arguments: argparse.Namespace) -> None:
    """Review an audit until the person leaves; then raise Ended with the exit code, also for DONE.

    It is on the screen, or with --lines in line mode. An audit that does not exist is made of the
    files that are named. One that another process writes is only read, but with --revise that is
    refused. The person may be asked at a terminal first: which counts, if file and workspace
    disagree without --take, and if a reviewer with the name of a model is a person.

    Raises NotKept if the workspace cannot be saved. Raises Unusable for whatever else keeps the
    review from beginning, before anything is shown.
    """
    ProgressLine.in_lines = arguments.lines
    with uncollected():
        preferred = settings.load(vars(arguments))
        with open_audit(arguments, may_read=True) as opened:
            raise Ended(sit(opened, arguments, preferred))


@contextmanager
def uncollected() -> Iterator[None]:
    """Suspend the collection of garbage in the block, since to start makes none to speak of.

    After the block Python collects again whenever it sees fit, also if the block raised, and also
    if it did not before. The screen turns it on within the block, soon after it was painted, and
    line mode as it begins.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def sit(
    opened: Opened,
    arguments: argparse.Namespace,
    preferred: LoadedSettings,
) -> int:
    """Review an open audit, on the screen or in line mode, and return the exit code.

    The judge that is chosen is saved in the workspace as that of the audit, and --revise is carried
    out. A reviewer with the name of a model is asked once, at a terminal, if they are a person. A
    session that only reads has no judge and writes nothing. On the screen a first session is
    greeted with a card, which is noted in the config folder, and --tour shows the tour.

    At the end the audit file is written if it lacks something, and what was done is said on
    standard error. Raises Unusable before anything is shown if the audit has no cells, the judge,
    the keys, the reviewer, the options or the place to begin cannot be used, or if the screen has
    no terminal, and NotKept if the judge cannot be saved.
    """
    if not opened.workspace.cells.count():
        raise unusable(str(opened.place.audit), "there is no cell to review")
    first_cell = _first_cell(arguments, opened.workspace)
    _check_mode(arguments)
    keys = None
    are_files_named = any(
        preferred.sourced(key).source == settings.flag(key) for key in _FILE_SETTINGS
    )
    if are_files_named or not arguments.lines:
        keys = keys_of(preferred)
    choice = JudgeChoice("", None)
    if not opened.workspace.readonly:
        choice = chosen_judge(arguments, opened.workspace)
    actor = acting(arguments)
    check_is_person(actor, opened.workspace)
    texts = revised(arguments, opened)
    bench = Workbench(
        opened.workspace,
        opened.place.audit,
        actor.name,
        as_agent=actor.as_agent,
    )
    if first_cell:
        bench.begin_at(first_cell)
    if choice.judge and bench.workspace.meta(meta.JUDGE) != choice.name:
        bench.workspace.set_meta(meta.JUDGE, choice.name)
    notes = opened.notes + texts
    if opened.held:
        notes.append(opened.held)
    if choice.sends:
        from appellate.judging.batches import double_payment_warning

        notes += double_payment_warning(bench.workspace)
    if arguments.lines:
        gc.enable()
        return _sit_at_lines(bench, choice, preferred.settings, notes, keys)
    # Textual is imported only when there is a screen to paint
    from appellate.app.application import AppellateApp
    from appellate.app.tour import Welcome

    welcome = Welcome(
        tour=getattr(arguments, "tour", False),
        card=settings.is_first_session() or getattr(arguments, "card", False),
    )
    app = AppellateApp(
        bench,
        choice,
        settings=preferred.settings,
        notes=notes,
        keys=keys,
        welcome=welcome,
    )
    return _sit_at_screen(bench, app, mouse=preferred.settings.mouse)


def _check_mode(arguments: argparse.Namespace) -> None:
    """Raise Unusable for options that do not suit the mode, and for a screen without a terminal.

    With --lines no terminal is needed, but traces from standard input (`-`) and --tour are refused.
    Without it --agent is refused, and a terminal or a browser tab of `serve` is needed.
    """
    if not arguments.lines and getattr(arguments, "agent", None) is not None:
        raise unusable("--agent", "an agent has no screen", "add --lines")
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
    """Run the screen until the person leaves, save what is left to save, return the exit code.

    With `mouse` it hears the mouse. If nothing more can be saved in the workspace and the screen
    crashed or was ended by a signal, everything is saved as another audit. What was saved, and what
    could not be, is said on standard error. Nothing is raised for it, and the code stays the one
    that the screen ended with, or FAILED if that is not in `Exit`.
    """
    from appellate.app.application import CRASHED

    app.run(mouse=mouse)
    with suppress(NotWritten, NotKept, Refused):  # `_say_goodbye` says what is saved
        lost = bench.lost
        if lost and (CRASHED in app.parting or app.exit_code > Exit.UNUSABLE):
            bench.move(bench.free_audit_path)  # nobody was there to be asked where
            app.parting.append(f"{lost}: everything was saved elsewhere.")
        if bench.unexported_count:
            bench.save()  # also what a judge answered before its run ended
    return _say_goodbye(app.exit_code, bench, app.session, app.parting)


def _sit_at_lines(
    bench: Workbench,
    choice: JudgeChoice,
    preferred: Settings,
    notes: Sequence[str],
    keys: "Keymap | None",
) -> int:
    """Run line mode until the person leaves, write the audit file, and return the exit code.

    The file is written only if it lacks something, and never by a session that only reads. The code
    is FAILED instead of DONE if the file cannot be written, which is said. `notes` are printed at
    the beginning. Without `keys` the person's own key file is used if there is one; its problems
    are printed after the notes. There are no colours for plain output, with NO_COLOR, and on a dumb
    terminal.
    """
    from appellate.linear.console import Console
    from appellate.linear.linear_session import LinearSession
    from appellate.ui.marks import marks_for

    marks = marks_for(plain=preferred.plain, ascii_only=preferred.ascii)
    no_colours = (
        preferred.plain
        or os.environ.get("NO_COLOR")
        or os.environ.get("TERM") == "dumb"
    )
    session = ReviewSession(bench)
    console = Console(marks, colours=not no_colours)
    greeting = list(notes)
    has_own_keys = (
        bool(preferred.keymap) or (settings.folder() / "keymap.toml").is_file()
    )
    if keys is None and has_own_keys:
        # only here: it imports every screen, to check the keys against
        from appellate.app.keys import keymap

        keys = keymap.usable(preferred.keymap, settings.folder(), greeting)
    own_keys = keys.keys if keys else {}
    linear = LinearSession(bench, session, preferred, console, choice, own_keys)
    code = linear.run(greeting)
    parting = []
    try:
        if not bench.readonly and (bench.unexported_count or not bench.is_written):
            bench.save()
    except (NotWritten, NotKept) as refusal:
        parting.append(str(refusal))
        code = code or Exit.FAILED
    return _say_goodbye(code, bench, session, parting)


def _first_cell(arguments: argparse.Namespace, workspace: Workspace) -> int | None:
    """Return the number of the cell to begin at, or None for where the reviewer was last.

    It is the cell that --at names, by a trace for its first cell, or by trace and trait. Without
    --at, --order sample gives the next cell of the sample that awaits a ruling; None if there is
    none. Raises Unusable for a name that no cell has, with what was probably meant.
    """
    name = getattr(arguments, "at", None)
    if name is None and arguments.order == "sample":
        from appellate.store.samples.sampling import next_cell

        return next_cell(workspace.path)
    if name is None:
        return None
    from appellate.store.cell_names import cell_called, instead_of

    cell_no = cell_called(workspace, name)
    if cell_no is None:
        raise unusable("--at", *instead_of(workspace, name))
    return cell_no


def has_screen() -> bool:
    """Return whether there is a terminal for a screen, or a browser tab of `serve`.

    A terminal is needed for both standard input and standard output.
    """
    if "TEXTUAL_DRIVER" in os.environ:  # set by `serve`
        return True
    return all(stream and stream.isatty() for stream in (sys.stdout, sys.stdin))


def keys_of(preferred: LoadedSettings) -> "Keymap | None":
    """Return the keys that --keymap names, or None without that option.

    It is None also if the settings name some. A theme that --theme names is only checked. Raises
    Unusable for keys and for such a theme that do not exist or have errors.
    """
    theme = preferred.sourced("theme")
    keys = preferred.sourced("keymap")
    if theme.source == settings.flag("theme"):
        from appellate.app.appearance import theme_files

        theme_files.check_theme_name(theme.value, settings.folder() / "themes")
    if keys.source != settings.flag("keymap"):
        return None
    from appellate.app.keys import keymap

    return keymap.load(keys.value, settings.folder())


def _say_goodbye(
    code: int,
    bench: Workbench,
    session: ReviewSession,
    parting: Iterable[str],
) -> int:
    """Say on standard error how a session ended, and return the exit code for the program.

    That is what was done in it, `parting` as notes, whether the audit file is written, and how many
    cells are signed off; after a session that only read, nothing but `parting`. The code is `code`,
    or FAILED if that is not in `Exit`. Nothing is raised if the terminal is closed.
    """
    with suppress(OSError):  # the terminal was closed, too
        if not bench.readonly:
            width = shutil.get_terminal_size().columns
            for text in session.summary():
                say(*wrap(text, width))
        notes(parting)
        if not bench.readonly:
            totals = bench.workspace.totals()
            signed_off = totals.get("state:reviewed", 0)
            cells = totals.get("cells", 0)
            state = "exported" if bench.is_written else "not exported"
            say(f"{bench.audit}: {state}; {signed_off} of {cells} cells signed off.")
            if not bench.is_written:
                say(bench.where_saved)
    return code if code in list(Exit) else Exit.FAILED
