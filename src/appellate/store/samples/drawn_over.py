"""What a sample was drawn over: the texts of its traces, and what the judge had said of them.

A draw keeps a fingerprint of each (`drawn_over_in`), so that a file in which they are others says
so (`store.audits.hand_edits`). The digest of a sample covers both, too (`drawn_as`).

Both are made of what the audit file and the workspace tell alike, and do not go by the order of
traces. Traces that were added after the draw are in neither.
"""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from appellate.core.design_facts import DesignFact, Sampled
from appellate.core.facts import Fact, Proposed, to_row, without_nulls
from appellate.core.trace import Trace, TraceKey
from appellate.stats import designs
from appellate.store.database import to_json

_ENCODER = msgspec.json.Encoder(order="sorted")


class DrawnOver(Struct, frozen=True):
    """Fingerprints of what there was when a sample was drawn."""

    texts_sha256: str
    """Of the traces: response, question, reference, model and all else that was given."""
    judged_sha256: str
    """Of all that judges had said: labels, reasons, names, models and prompts."""
    later: int = 0
    """How many judgments of these traces came after the draw; they are in no fingerprint."""


class _Traces:
    """Gathers the fingerprints of traces and of what was said of them, in any order."""

    def __init__(self) -> None:
        self._texts: list[tuple[TraceKey, bytes]] = []
        self._judged: list[tuple[TraceKey, str, int, bytes]] = []
        self.later = 0

    def add_trace(self, key: TraceKey, body: str) -> None:
        """Note the fingerprint of a trace, whose fields are JSON; the trace itself is not kept.

        Labels that came with the trace are no part of the fingerprint.
        """
        value = _decoded(body)
        value.pop("judgments", None)
        self._texts.append((key, _sha256(value)))

    def add_proposal(self, key: TraceKey, trait: str, fact_no: int, body: str) -> None:
        """Note the fingerprint of a judge's labels of a trace, as JSON with the judge's record."""
        self._judged.append((key, trait, fact_no, _sha256(_decoded(body))))

    def fingerprints(self) -> DrawnOver:
        """Return the fingerprints of all that was gathered, whatever the order in which it came."""
        texts = hashlib.sha256()
        for (trace_id, epoch), sha256 in sorted(self._texts):
            texts.update(encoded([trace_id, epoch, sha256.hex()]))
        judged = hashlib.sha256()
        for (trace_id, epoch), trait, _, sha256 in sorted(self._judged):
            judged.update(encoded([trace_id, epoch, trait, sha256.hex()]))
        return DrawnOver(texts.hexdigest(), judged.hexdigest(), self.later)


def _decoded(text: str) -> Any:
    """Return what JSON says, without nulls, which an audit file cannot have."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:  # NaN, which a score may be
        value = json.loads(text)
    if "null" in text:
        return without_nulls(value)
    return value


def _sha256(value: Any) -> bytes:
    return hashlib.sha256(encoded(value)).digest()


def encoded(value: Any) -> bytes:
    """Return canonical JSON: sorted keys, no spaces, UTF-8."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:  # half of a character, which no UTF-8 has
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")


_TRACES = "SELECT id, epoch, body FROM traces WHERE no <= ?"
_PROPOSALS = (
    "SELECT t.id, t.epoch, c.trait, f.n, f.body FROM traces t JOIN cells c ON c.trace = t.no"
    " JOIN facts f ON f.cell = c.no WHERE t.no <= ? AND f.name = 'proposed' AND f.n < ?"
)
_LATER = (
    "SELECT count(*) FROM cells c JOIN facts f ON f.cell = c.no"
    " WHERE c.trace <= ? AND f.name = 'proposed' AND f.n >= ?"
)


def drawn_over_by_draw(
    design: Iterable[DesignFact], drawn_over: Callable[[Sampled, int], DrawnOver]
) -> dict[int, DrawnOver]:
    """Return the fingerprints for each draw of some facts, by its fact number.

    `drawn_over` makes them for a draw and its number.
    """
    by_draw: dict[int, DrawnOver] = {}
    for fact in design:
        if isinstance(fact.what, Sampled):
            by_draw[fact.n] = drawn_over(fact.what, fact.n)
    return by_draw


def drawn_over_in(db: sqlite3.Connection, sampled: Sampled, fact_no: int) -> DrawnOver:
    """Return the fingerprints for a draw that is fact `fact_no` of a workspace, or will be."""
    size = _frame_size(sampled)
    gathered = _Traces()
    for trace_id, epoch, body in db.execute(_TRACES, (size,)):
        gathered.add_trace((trace_id, epoch), body)
    for trace_id, epoch, trait, n, body in db.execute(_PROPOSALS, (size, fact_no)):
        gathered.add_proposal((trace_id, epoch), trait, n, body)
    (gathered.later,) = db.execute(_LATER, (size, fact_no)).fetchone()
    return gathered.fingerprints()


def drawn_over_of(
    traces: Sequence[Trace],
    histories: Iterable[tuple[TraceKey, str, Sequence[Fact]]],
    sampled: Sampled,
    fact_no: int,
) -> DrawnOver:
    """Return the fingerprints for a draw of an audit file that is fact `fact_no`.

    `histories` has the trace, the trait and the facts of each cell.
    """
    size = _frame_size(sampled)
    gathered = _Traces()
    framed: set[TraceKey] = set()
    for trace in traces[:size]:
        framed.add(trace.key)
        gathered.add_trace(trace.key, to_json(trace.model_dump(exclude_none=True)))
    for key, trait, facts in histories:
        if key not in framed:
            continue
        for said in facts:
            if not isinstance(said.what, Proposed):
                continue
            if said.n >= fact_no:
                gathered.later += 1
            else:
                gathered.add_proposal(key, trait, said.n, to_json(to_row(said.what)[1]))
    return gathered.fingerprints()


def _frame_size(sampled: Sampled) -> int:
    """Return how many traces there were when a sample was drawn."""
    return len(designs.read(sampled.frame_strata))
