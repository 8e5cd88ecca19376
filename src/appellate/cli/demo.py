"""`appellate demo`: reviews a copy of the sample audit, whose labels are recorded already.

It needs no key and no network.
"""

import argparse
import tempfile
from pathlib import Path
from shlex import quote

from appellate.cli.opening import openable, resumed, unless_damaged
from appellate.cli.outcome import Ended, ProgressLine, called, say
from appellate.cli.review import sit, uncollected
from appellate.installed import PACKAGE
from appellate.session import settings
from appellate.store import meta
from appellate.store.audits.open_audit import AuditFiles, Opened
from appellate.store.database import NotKept, locked
from appellate.store.files import atomic
from appellate.store.files.text_file import unusable

WELCOME = (
    "This is a demo: its judge makes mistakes. ? shows the keys and marks, q quits."
)
_OPTIONS = {"judge": "recorded", "model": None, "card": True}
"""The options of `review` that the demo does not have, with their values."""


def demo(arguments: argparse.Namespace) -> None:
    """Review the demo in the folder of --folder, and raise Ended with the review's exit code.

    A demo that is there already is continued, and a folder that is missing is made. Without
    --folder it is made in a new temporary one, which stays. With --tour the reviewer begins at the
    cell that a new reviewer sees first. The person may be asked at a terminal first: which counts,
    if file and workspace disagree, and if a reviewer with the name of a model is a person. At the
    end it is said on standard error how to continue, unless all was saved elsewhere.

    Raises Unusable for a folder, settings, keys or options that cannot be used, and without a
    terminal for the screen. Raises NotKept if the workspace cannot be saved, and OSError if the
    folder takes no lock file.
    """
    ProgressLine.in_lines = arguments.lines
    with uncollected():
        preferred = settings.load(vars(arguments))
        folder = Path(arguments.folder or tempfile.mkdtemp(prefix="appellate-demo-"))
        touring_reviewer = ""
        if arguments.tour:
            touring_reviewer = preferred.settings.reviewer
        opened = _open_for_review(
            AuditFiles.of(folder / "demo.audit.toml"),
            touring_reviewer,
        )
        with opened.workspace, unless_damaged(opened.place):
            options = argparse.Namespace(**vars(arguments), **_OPTIONS)
            code = sit(opened, options, preferred)
        # else it was saved elsewhere
        if opened.workspace.path == opened.place.workspace:
            say(f"Continue with it: {called()} review {quote(str(opened.place.audit))}")
        raise Ended(code)


def _open_for_review(files: AuditFiles, touring_reviewer: str = "") -> Opened:
    """Open the demo with these files and return it; make its folder and its workspace if missing.

    The caller closes the workspace. With a `touring_reviewer`, who takes the tour, the place where
    this person was last is forgotten in the workspace: they begin where a new reviewer does. With
    "" a welcome is added to the notes. The person is asked at a terminal if file and workspace
    disagree. Raises Unusable for a folder that cannot be used, and for a demo that cannot be made
    or opened. Raises NotKept if the tour cannot be saved, and OSError if the folder takes no lock
    file.
    """
    try:
        atomic.make_folder(files.audit.parent, parents=True)
    except FileExistsError:
        raise unusable(
            str(files.audit.parent),
            "this is a file",
            "name a folder",
        ) from None
    except OSError as error:
        raise unusable(
            str(files.audit.parent),
            f"cannot be used: {error.strerror}",
        ) from error
    opened = open_demo(files)
    if not touring_reviewer:
        opened.notes.append(WELCOME)
        return opened
    try:
        opened.workspace.set_meta(meta.position(touring_reviewer), "")
    except NotKept:
        opened.workspace.close()
        raise
    return opened


def open_demo(files: AuditFiles) -> Opened:
    """Open the demo as it was left, or write its workspace first if there are no files yet.

    Returns it open: the caller closes its workspace. The folder must exist; the audit file is not
    written. If file and workspace disagree, the person is asked at a terminal which counts.

    Raises Unusable without an answer, and if it is open elsewhere, damaged or cannot be written.
    Raises OSError if the folder takes no lock file.
    """
    with openable(files), unless_damaged(files):
        if not files.exists:
            lock = locked(files.workspace)
            try:
                atomic.write(files.workspace, [(PACKAGE / "demo.db").read_bytes()])
            except OSError as error:
                raise NotKept.by_disk(error) from error
            finally:
                lock.release()
        return resumed(files)
