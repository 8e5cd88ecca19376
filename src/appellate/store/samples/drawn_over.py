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

from appellate.core.design_facts import DesignFact, Sampled, WaveSampled
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


class _Fingerprints:
    """Makes the fingerprints of traces and of what was said of them, each in the order of keys.

    Nothing of a trace is kept.
    """

    def __init__(self) -> None:
        self._texts = hashlib.sha256()
        self._judged = hashlib.sha256()

    def add_trace(self, key: TraceKey, body: str) -> None:
        """Add a trace, whose fields are JSON. Traces must come in the order of their keys.

        Labels that came with the trace are no part of the fingerprint.
        """
        value = _decoded(body)
        value.pop("judgments", None)
        self._texts.update(encoded([*key, _sha256(value)]))

    def add_proposal(self, key: TraceKey, trait: str, body: str) -> None:
        """Add a judge's labels of a trace, as JSON with the judge's record.

        They must come in the order of traces, traits and fact numbers.
        """
        self._judged.update(encoded([*key, trait, _sha256(_decoded(body))]))

    def drawn_over(self, later: int) -> DrawnOver:
        """Return the fingerprints of all that was added.

        `later` is how many judgments came after the draw; none of them may have been added.
        """
        return DrawnOver(self._texts.hexdigest(), self._judged.hexdigest(), later)


def _decoded(text: str) -> Any:
    """Return what JSON says, without nulls, which an audit file cannot have."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:  # NaN, which a score may be
        value = json.loads(text)
    if "null" in text:
        return without_nulls(value)
    return value


def _sha256(value: Any) -> str:
    return hashlib.sha256(encoded(value)).hexdigest()


def encoded(value: Any) -> bytes:
    """Return a value as canonical JSON: sorted keys, no spaces, UTF-8.

    Half of a character, which no UTF-8 has, is kept as its own three bytes.
    """
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:  # half of a character, which no UTF-8 has
        text = json.dumps(
            value,
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
        )
        return text.encode("utf-8", "surrogatepass")


# +no, so that traces are read in the order of their index: to sort their bodies takes twice as long
_TRACES = (
    "SELECT id, epoch, body FROM traces WHERE +no BETWEEN ? AND ? ORDER BY id, epoch"
)
_PROPOSALS = (
    # CROSS JOIN, so that they are read in the order of traces and not sorted
    "SELECT t.id, t.epoch, c.trait, f.body FROM traces t CROSS JOIN cells c ON c.trace = t.no"
    " CROSS JOIN facts f ON f.cell = c.no WHERE +t.no BETWEEN ? AND ? AND f.name = 'proposed'"
    " AND f.n < ?"
    " ORDER BY t.id, t.epoch, c.trait, f.n"
)
_LATER = (
    "SELECT count(*) FROM cells c JOIN facts f ON f.cell = c.no"
    " WHERE c.trace BETWEEN ? AND ? AND f.name = 'proposed' AND f.n >= ?"
)


def drawn_over_by_draw(
    design: Iterable[DesignFact],
    drawn_over: Callable[[Sampled, int], DrawnOver],
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
    """Return the fingerprints for a draw that is fact `fact_no` of a workspace, or will be.

    They are of the traces that it goes by, and of what judges said of them before that fact. Later
    judgments are only counted.
    """
    framed = _framed(sampled)
    fingerprints = _Fingerprints()
    for trace_id, epoch, body in db.execute(_TRACES, framed):
        fingerprints.add_trace((trace_id, epoch), body)
    for trace_id, epoch, trait, body in db.execute(_PROPOSALS, (*framed, fact_no)):
        fingerprints.add_proposal((trace_id, epoch), trait, body)
    (later,) = db.execute(_LATER, (*framed, fact_no)).fetchone()
    return fingerprints.drawn_over(later)


def drawn_over_of(
    traces: Sequence[Trace],
    histories: Iterable[tuple[TraceKey, str, Sequence[Fact]]],
    sampled: Sampled,
    fact_no: int,
) -> DrawnOver:
    """Return the fingerprints for a draw of an audit file that is fact `fact_no`.

    They are of the traces that it goes by, and of what judges said of them before that fact; later
    judgments are only counted. `histories` has the trace, the trait and the facts of each cell.
    """
    first, last = _framed(sampled)
    framed = {trace.key: trace for trace in traces[first - 1 : last]}
    proposals: list[tuple[TraceKey, str, int, str]] = []
    later = 0
    for key, trait, facts in histories:
        if key not in framed:
            continue
        for fact in facts:
            if not isinstance(fact.what, Proposed):
                continue
            if fact.n >= fact_no:
                later += 1
            else:
                _, row = to_row(fact.what)
                proposals.append((key, trait, fact.n, to_json(row)))

    fingerprints = _Fingerprints()
    for key, trace in sorted(framed.items()):
        fingerprints.add_trace(key, to_json(trace.model_dump(exclude_none=True)))
    for key, trait, _, body in sorted(proposals):
        fingerprints.add_proposal(key, trait, body)
    return fingerprints.drawn_over(later)


def _framed(sampled: Sampled) -> tuple[int, int]:
    """Return the numbers, from 1, of the first and the last trace that a draw goes by.

    They are all traces that there were. Those of a wave begin with the first that it could draw.
    """
    strata = designs.read(sampled.frame_strata)
    first = 1
    if isinstance(sampled, WaveSampled):
        first += next(
            (index for index, value in enumerate(strata) if value is not None),
            0,
        )
    return first, len(strata)
