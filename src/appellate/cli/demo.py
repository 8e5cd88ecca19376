"""`appellate demo`: a copy of the samples, with recorded labels; no key, no network."""

import argparse
import tempfile
from pathlib import Path
from shlex import quote

from appellate.cli.opening import openable, resumed, unless_damaged
from appellate.cli.outcome import Ended, ProgressLine, called, say
from appellate.cli.review import sit
from appellate.installed import PACKAGE
from appellate.session import settings
from appellate.store import meta
from appellate.store.audits.open_audit import AuditFiles, Opened
from appellate.store.database import locked
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable

WELCOME = "This is a demo: its judge makes mistakes. ? shows the keys and marks, q quits."
_OPTIONS = {"judge": "recorded", "model": None, "card": True}


def demo(arguments: argparse.Namespace) -> None:
    ProgressLine.in_lines = arguments.lines
    preferred = settings.load(vars(arguments))
    folder = Path(arguments.folder or tempfile.mkdtemp(prefix="appellate-demo-"))
    tour_by = ""
    if arguments.tour:
        tour_by = preferred.settings.reviewer
    opened = _opened(AuditFiles.of(folder / "demo.audit.toml"), tour_by)
    with opened.workspace, unless_damaged(opened.place):
        ended = sit(opened, argparse.Namespace(**vars(arguments), **_OPTIONS), preferred)
    if opened.workspace.path == opened.place.workspace:  # else it was saved elsewhere
        say(f"Go on with it: {called()} review {quote(str(opened.place.audit))}")
    raise Ended(ended)


def _opened(place: AuditFiles, tour_by: str = "") -> Opened:
    """The demo; a tour begins where that does, and says itself what there is to say."""
    try:
        atomic.make_folder(place.audit.parent, parents=True)
    except FileExistsError:
        raise unusable(str(place.audit.parent), "this is a file", "name a folder") from None
    except OSError as error:
        raise unusable(str(place.audit.parent), f"cannot be used: {error.strerror}") from error
    opened = begun(place)
    if tour_by:
        opened.workspace.set_meta(meta.position(tour_by), "")
    else:
        opened.notes.append(WELCOME)
    return opened


def begun(place: AuditFiles) -> Opened:
    """The demo at a place, where it was left or new."""
    with openable(place), unless_damaged(place):
        if not place.exists:
            lock = locked(place.workspace)
            atomic.write(place.workspace, [(PACKAGE / "demo.db").read_bytes()])
            lock.release()
        return resumed(place)
