"""`appellate review --lines`: the bench line by line, until the person leaves."""

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from appellate.cli.outcome import Exit
from appellate.judging.choice import JudgeChoice
from appellate.session.settings import Settings, folder
from appellate.session.workbench import Workbench
from appellate.store.audits.audit_sync import NotWritten
from appellate.store.database import NotKept
from appellate.store.files.text_file import unusable

if TYPE_CHECKING:
    from appellate.app.keys.keymap import Keymap


class Ended(NamedTuple):
    """How a session ended, and what there is to say of it."""

    code: int
    summary: Sequence[str] = ()
    parting: Sequence[str] = ()


def check_lines(arguments: argparse.Namespace) -> None:
    """Raises Unusable for what does not go with --lines."""
    if "-" in getattr(arguments, "paths", ()):
        wrong = "with --lines the keys come from standard input"
        raise unusable("-", wrong, "name a file of traces")
    if getattr(arguments, "tour", False):
        raise unusable("--tour", "goes through the screen", "leave --lines out")


def sit_at_lines(
    bench: Workbench,
    choice: JudgeChoice,
    settings: Settings,
    notes: list[str],
    keys: "Keymap | None",
) -> Ended:
    """Runs the session, then writes the audit."""
    from appellate.linear.console import Console
    from appellate.linear.judging_now import JudgingNow
    from appellate.linear.linear_session import LinearSession
    from appellate.session.review_session import ReviewSession
    from appellate.ui.marks import marks_for

    marks = marks_for(plain=settings.plain, ascii_only=settings.ascii)
    dull = settings.plain or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    session = ReviewSession(bench)
    console = Console(marks, colours=not dull)
    judging = JudgingNow(bench, choice, console)
    if keys is None and (settings.keymap or (folder() / "keymap.toml").is_file()):
        from appellate.app.keys import keymap  # and every screen, whose keys it is held against

        keys = keymap.usable(settings.keymap, folder(), notes)
    own = keys.keys if keys else {}
    code = LinearSession(bench, session, settings, console, judging, own).run(notes)
    if bench.readonly:
        return Ended(code)
    parting = []
    try:
        if bench.behind or not bench.is_written:
            bench.save()
    except (NotWritten, NotKept) as refusal:
        parting.append(str(refusal))
        code = code or Exit.FAILED
    return Ended(code, session.summary(), parting)
