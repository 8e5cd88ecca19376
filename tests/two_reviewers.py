"""Two people who audited the same cells, each in a folder of their own."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from appellate.core.deciding import Correct
from appellate.core.design_facts import Sampled
from appellate.session.workbench import Workbench
from appellate.store.audits.adjudication import begin
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, Opened
from appellate.store.audits.two_audits import TwoAudits, beside
from appellate.store.samples.sampling import draw
from appellate.traits.metric.edits import Edit
from appellate.traits.rubric import Rubric
from cells import RESPONSE, bench, place, proposal, seat, ticking, trace

MISSED = [{"action": "move", "bucket": "tp", "index": 0, "to": "fn"}]
"""The first instruction is missing."""
BOTH_MISSED = [*MISSED, {"action": "move", "bucket": "tp", "index": 0, "to": "fn"}]
SEED = 7
AT = "2026-11-22T12:00:00Z"

Edits = Mapping[int, list[dict[str, Any]]]


def audited(
    folder: Path,
    reviewer: str,
    edits: Edits | None = None,
    *,
    cells: int = 3,
    signed: int = 3,
    of: Rubric | None = None,
    sampled: Sampled | None = None,
    response: str = RESPONSE,
) -> Path:
    """An audit of the worked example, so often, with edits by cell; the first are signed off."""
    own = folder / reviewer
    own.mkdir()
    traces = [trace(f"t{number}", response) for number in range(1, cells + 1)]
    with bench(own, *traces, of=of, reviewer=reviewer) as at:
        at.receive_many(
            (number, proposal()) for number in range(1, at.workspace.cells.count() + 1)
        )
        desk = at
        if sampled:
            draw(at.workspace, sampled, AT, "lead")
            desk = seat(Opened(at.workspace, place(own)), own, reviewer)
        for number in range(1, at.workspace.cells.count() + 1):
            for edit in (edits or {}).get(number, ()):
                desk.do(number, Correct(Edit.from_row(edit)))
            if number <= signed:
                desk.sign_off(number, 9.0)
        desk.save()
    named = own / f"{reviewer}.audit.toml"
    place(own).audit.rename(named)
    return named


def two(folder: Path, one: Edits, other: Edits, **more: Any) -> TwoAudits:
    """What ada and bo have in common."""
    paths = audited(folder, "ada", one, **more), audited(folder, "bo", other, **more)
    return beside(*[(path, load_audit(path)) for path in paths])


@contextmanager
def adjudicator(
    folder: Path,
    one: Edits,
    other: Edits,
    *,
    seed: int = SEED,
    **more: Any,
) -> Iterator[Workbench]:
    """The bench of cy, who rules on what ada and bo differ in."""
    where = AuditFiles.of(folder / "c.audit.toml")
    opened = begin(where, two(folder, one, other, **more), seed, AT, "cy")
    try:
        yield Workbench(opened.workspace, where.audit, "cy", ticking())
    finally:
        opened.workspace.close()
