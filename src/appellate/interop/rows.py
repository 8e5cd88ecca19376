"""Assessments for other tools: a JSON line for each verdict of a person, and tables in CSV."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from appellate.core.inert import inert_json
from appellate.core.kind import CONVERSATION
from appellate.interop.foreign import Row
from appellate.interop.ruled import RuledCell, ruled_cells
from appellate.numbers.data import csv_text
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.files import atomic
from appellate.store.files.toml import stamp


def as_rows(audit: AnyAudit, form: str = "") -> Iterator[str]:
    """JSON lines in the names of OpenTelemetry's `gen_ai.evaluation.result`, or of a tool."""
    made = _FORMS[form]
    for cell in ruled_cells(audit):
        yield inert_json(made(cell)) + "\n"


def _otel(cell: RuledCell) -> Row:
    row: Row = {
        "gen_ai.response.id": cell.trace.id,
        "gen_ai.evaluation.name": cell.trait,
        "gen_ai.evaluation.score.value": cell.score,
        "gen_ai.evaluation.score.label": cell.label or None,
        "gen_ai.evaluation.explanation": cell.why or None,
    }
    return row | {f"appellate.{key}": value for key, value in _more(cell).items()}


def _more(cell: RuledCell) -> Row:
    """What other tools have no names for."""
    return {
        "epoch": cell.trace.epoch,
        "by": cell.by,
        "at": cell.at,
        "said_at": cell.said_at or None,
        "kind": cell.subject.kind.name,
        "judge": cell.judged.get("name"),
        "judge_value": cell.judge_value,
        "judge_explanation": cell.judge_reason or None,
        "labels": json.dumps(cell.labels, ensure_ascii=False, default=str),
        "reads": _reads(cell),
        "evidence": _evidence(cell),
    }


def _evidence(cell: RuledCell) -> str | None:
    """The words that a verdict rests on, and their places, as JSON; None where there are none."""
    if not cell.evidence:
        return None
    return json.dumps(cell.evidence, ensure_ascii=False)


def _reads(cell: RuledCell) -> str | None:
    """What was judged where it is not the response."""
    if cell.subject.transcript is None:
        return None
    return CONVERSATION


def _langfuse(cell: RuledCell) -> Row:
    value, kind = cell.value, "NUMERIC"
    if isinstance(value, bool):
        value, kind = int(value), "BOOLEAN"
    elif cell.label:
        value, kind = cell.label, "CATEGORICAL"
    metadata = cell.trace.metadata or {}
    named = metadata.get("trace_id") or metadata.get("traceId")
    ids = {"traceId": cell.trace.id}
    if named:  # the answer was one observation of a trace
        ids = {"traceId": str(named), "observationId": cell.trace.id}
    return {
        **ids,
        "name": cell.trait,
        "value": value,
        "dataType": kind,
        "comment": cell.why,
        "metadata": _more(cell),
    }


def _phoenix(cell: RuledCell) -> Row:
    return {
        "span_id": cell.trace.id,
        "name": cell.trait,
        "annotator_kind": "HUMAN",
        "result": {"label": cell.label or None, "score": cell.score, "explanation": cell.why},
        "metadata": _more(cell),
        "identifier": cell.by,
    }


def _mlflow(cell: RuledCell) -> Row:
    return {
        "trace_id": cell.trace.id,
        "name": cell.trait,
        "value": cell.value,
        "rationale": cell.why,
        "source": {"source_type": "HUMAN", "source_id": cell.by},
        "metadata": {key: str(value) for key, value in _more(cell).items() if value is not None},
    }


def _langsmith(cell: RuledCell) -> Row:
    return {
        "run_id": cell.trace.id,
        "key": cell.trait,
        "score": cell.score,
        "value": cell.label or None,
        "comment": cell.why,
        "source_info": _more(cell),
    }


_FORMS: dict[str, Callable[[RuledCell], Row]] = {
    "": _otel,
    "langfuse": _langfuse,
    "phoenix": _phoenix,
    "mlflow": _mlflow,
    "langsmith": _langsmith,
}
FORMS = tuple(name for name in _FORMS if name)


# -- CSV ------------------------------------------------------------------------------------------

CELLS = (
    *("trace", "epoch", "model", "trait", "kind", "value", "judge", "judge_value", "judge_reason"),
    *("by", "at", "said_at", "reasons"),
)
_PLACE = ("start", "end", "step", "message", "step_start", "step_end")
ITEMS = ("trace", "epoch", "trait", "side", "bucket", "index", "text", *_PLACE)
CORRECTIONS = ("trace", "epoch", "trait", "n", "at", "by", "action", "before", "after", "reason")


def write_csv(audit: AnyAudit, folder: Path) -> list[Path]:
    """Writes `cells.csv`, `items.csv` and `corrections.csv`; no text in them is a formula."""
    cells = list(ruled_cells(audit))
    tables: dict[str, tuple[tuple[str, ...], Iterable[Row]]] = {
        "cells": (CELLS, map(_cell, cells)),
        "items": (ITEMS, _items(cells)),
        "corrections": (CORRECTIONS, _corrections(cells)),
    }
    paths = []
    for name, (heads, rows) in tables.items():
        path = folder / f"{name}.csv"
        atomic.write(path, [csv_text(heads, rows).encode()])
        paths.append(path)
    return paths


def _cell(cell: RuledCell) -> Row:
    return {
        "trace": cell.trace.id,
        "epoch": cell.trace.epoch,
        "model": cell.trace.model,
        "trait": cell.trait,
        "kind": cell.subject.kind.name,
        "value": cell.value,
        "judge": cell.judged.get("name"),
        "judge_value": cell.judge_value,
        "judge_reason": cell.judge_reason,
        "by": cell.by,
        "at": cell.at,
        "said_at": cell.said_at,
        "reasons": cell.why,
    }


def _items(cells: Iterable[RuledCell]) -> Iterator[Row]:
    """The items of lists and the excerpts of verdicts, a person's and the judge's."""
    for cell in cells:
        named = {"trace": cell.trace.id, "epoch": cell.trace.epoch, "trait": cell.trait}
        for side, excerpts in (("person", cell.excerpts), ("judge", cell.judge_excerpts)):
            for excerpt in excerpts:
                item = {
                    "side": side,
                    "bucket": excerpt.key,
                    "index": excerpt.position,
                    "text": excerpt.text,
                }
                yield named | item | cell.place(excerpt.start, excerpt.end)


def _corrections(cells: Iterable[RuledCell]) -> Iterator[Row]:
    for cell in cells:
        named = {"trace": cell.trace.id, "epoch": cell.trace.epoch, "trait": cell.trait}
        for one in cell.table.get("corrections", ()):
            if not one.get("undone_by"):
                row = {key: one.get(key) for key in CORRECTIONS[3:]}
                yield named | row | {"at": stamp(one["at"])}
