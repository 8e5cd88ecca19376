"""`appellate demo`: the samples in a copy to scribble in, with recorded labels; no key, no
network.
"""

import argparse
import tempfile
from pathlib import Path

from msgspec.structs import replace

from appellate.cli.opening import OpenAudit, openable, resumed
from appellate.cli.outcome import Exit, ProgressLine, called, say
from appellate.cli.review import sit
from appellate.core.trace import Trace
from appellate.installed import running
from appellate.resources import sample_rubrics
from appellate.session import settings
from appellate.store import meta
from appellate.store.audits.open_audit import AuditFiles, Opened, create
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_file import read_traces
from appellate.traits.rubric import Rubric

FIRST = "BCL2 Accuracy"
WELCOME = "A demo to scribble in: its judge errs. ? lists the keys and marks, q quits."
_OPTIONS = {"judge": "recorded", "model": None, "card": True}


def demo(arguments: argparse.Namespace) -> Exit:
    ProgressLine.in_lines = arguments.lines
    preferred = settings.load(vars(arguments))
    folder = Path(arguments.folder or tempfile.mkdtemp(prefix="appellate-demo-"))
    opened = _opened(AuditFiles.of(folder / "demo.audit.toml"))
    if arguments.tour:
        opened = _toured(opened, preferred.settings.reviewer)
    with opened.workspace:
        ended = sit(opened, argparse.Namespace(**vars(arguments), **_OPTIONS), preferred)
    if opened.workspace.path == opened.place.workspace:  # else it was saved elsewhere
        say(f"Go on with it: {called()} review {opened.place.audit}")
    return ended


def _opened(place: AuditFiles) -> OpenAudit:
    try:
        place.audit.parent.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise unusable(str(place.audit.parent), "this is a file", "name a folder") from None
    except OSError as error:
        raise unusable(str(place.audit.parent), f"cannot be used: {error.strerror}") from error
    opened = begun(place)
    return OpenAudit(opened.workspace, place, [*opened.notes, WELCOME])


def begun(place: AuditFiles) -> Opened:
    """The demo at a place, where it was left or new, which opens on the cell that the manual walks
    through.
    """
    with openable(place):
        opened = resumed(place) if place.exists else create(place, *samples(), running())
        workspace = opened.workspace
        rows = workspace.cells.rows(0, workspace.cells.count())
        first = next((row.no for row in rows if row.trait == FIRST), 1)
        workspace.set_meta(meta.START, str(first))
    return opened


def _toured(opened: OpenAudit, reviewer: str) -> OpenAudit:
    """A tour begins where the demo does, wherever the reviewer was last, and says itself what
    there is to say.
    """
    opened.workspace.set_meta(meta.position(reviewer), "")
    return replace(opened, notes=[note for note in opened.notes if note != WELCOME])


def samples() -> tuple[Rubric, list[Trace]]:
    """All samples as one rubric and its traces, BCL2 first."""
    folder = sample_rubrics()
    files = sorted(folder.glob("*.rubric.toml"), key=lambda path: path.name)
    files.sort(key=lambda path: not path.name.startswith("bcl2"))
    questions, traces = [], []
    for file in files:
        questions += load_rubric(file).questions
        stem = file.name.removesuffix(".rubric.toml")
        traces.append(min(folder.glob(f"{stem}.traces.*")))
    rubric = Rubric(name="Appellate samples", questions=questions)
    return rubric, read_traces(traces, rubric).usable()
