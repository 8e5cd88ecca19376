"""Assessments for other tools: a JSON line for each verdict of a person, and tables in CSV."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from math import isnan
from pathlib import Path

from appellate.core.inert import inert_json
from appellate.core.kind import CONVERSATION
from appellate.interop.foreign import Row
from appellate.interop.ruled import Excerpt, RuledCell, ruled_cells
from appellate.interop.typed_lines import TypedLines, is_telling_number
from appellate.numbers.data import csv_text
from appellate.store.audits.any_audit import AnyAudit
from appellate.store.audits.long_table import (
    LONG_COLUMNS,
    NUMBERS,
    judge_version,
    rows_of_cell,
)
from appellate.store.files import atomic
from appellate.store.files.temporary_disk import on_temporary_disk
from appellate.store.files.toml import emit, stamp


def as_rows(audit: AnyAudit, form: str = "") -> Iterator[str]:
    """Yield a JSON line, with its line end, for each cell that a person signed off.

    `form` is the tool whose keys the lines have, one of `FORMS`, or "" for OpenTelemetry's.
    In OpenTelemetry's lines a key keeps one type, and "" stands for no text. For programs
    that tell a key's type by the first lines, the first line with a number under a key may
    be moved to the beginning. Raises KeyError for an unknown form, and Unusable if the disk
    for temporary files is full.
    """
    row_of = _FORMS[form]
    numbers = _OTEL_NUMBERS if not form else ()
    with (
        on_temporary_disk("rows"),
        TypedLines(
            numbers,
            lambda row: inert_json(row) + "\n",
            is_telling_number,
        ) as lines,
    ):
        for cell in ruled_cells(audit):
            lines.add(row_of(cell))
        for line in lines.lines():
            yield line.decode()


_OTEL_NUMBERS = ("gen_ai.evaluation.score.value", "appellate.judge_score")


def _otel_row(cell: RuledCell) -> Row:
    """Return a signed-off cell as a row in OpenTelemetry's names, the rest as `appellate.KEY`.

    The score is a number, None for a word and a table. The label is a word: "yes" or "no" for a
    bool, JSON for a table, "" for a number. Other missing values are "".
    """
    row: Row = {
        "gen_ai.response.id": cell.trace.id,
        "gen_ai.evaluation.name": cell.trait,
        "gen_ai.evaluation.score.value": cell.score,
        "gen_ai.evaluation.score.label": cell.label,
        "gen_ai.evaluation.explanation": cell.why,
    }
    return row | {
        f"appellate.{key}": value for key, value in _further_values(cell).items()
    }


def _further_values(cell: RuledCell) -> Row:
    """Return the values of a signed-off cell that other tools have no names for, by our own names.

    They are the epoch, who ruled (`by`) and when (`at`, `said_at`), the kind of trait, both
    sides' labels as JSON, hashes of prompt and trait, what was read (`reads`) and the
    evidence as JSON. There are also the judge's name, verdict, score, reason and version.
    All are texts, "" for none, except for the epoch and the judge's score, which may be
    None.
    """
    return {
        "epoch": cell.trace.epoch,
        "by": cell.by,
        "at": cell.at,
        "said_at": cell.said_at,
        "kind": cell.subject.kind.name,
        "judge": str(cell.judged.get("name") or ""),
        "judge_value": value_text(cell.judge_value),
        "judge_score": cell.judge_score,
        "judge_explanation": cell.judge_reason,
        "judge_version": judge_version(cell.judged),
        "prompt_sha256": str(cell.judged.get("prompt_sha256") or ""),
        "trait_sha256": cell.subject.trait.sha256(),
        "labels": _labels_json(cell, cell.labels, cell.table.get("items", ())),
        "judge_labels": _labels_json(cell, cell.judged, cell.judged.get("items", ())),
        "reads": _what_judge_read(cell),
        "evidence": _evidence_json(cell),
    }


def _evidence_json(cell: RuledCell) -> str:
    """Return what a person's verdict is based on as a JSON list; "" for nothing.

    It has a table for each place, with its `text` and where it is.
    """
    if not cell.evidence:
        return ""
    return json.dumps(cell.evidence, ensure_ascii=False)


def _what_judge_read(cell: RuledCell) -> str:
    """Return what a cell's trait is judged by: "" for the response alone.

    `CONVERSATION` if it is the whole conversation.
    """
    if cell.subject.transcript is None:
        return ""
    return CONVERSATION


def value_text(value: object) -> str:
    """Return a verdict as a text that can be read as a verdict again; "" for None.

    A word is itself; a bool, a number and a table are written as JSON: "true", "3".
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _langfuse_row(cell: RuledCell) -> Row:
    """Return a signed-off cell as Langfuse takes a score: one row.

    The `value` of a bool is 0 or 1 (its `dataType` is BOOLEAN), of a word the word and of a table
    JSON (CATEGORICAL), and of anything else the number, perhaps None (NUMERIC). The `name` is the
    trait's, and the `comment` is why the person ruled so. Our other values are in the `metadata`.
    The `traceId` is the trace's id. But if the trace's metadata names a trace, the answer was an
    observation in that: that one is the `traceId`, and the trace's id is the `observationId`.
    """
    value = cell.value
    kind = "NUMERIC"
    if isinstance(value, bool):
        value = int(value)
        kind = "BOOLEAN"
    elif cell.label:
        value = cell.label
        kind = "CATEGORICAL"
    metadata = cell.trace.metadata or {}
    outer_trace_id = metadata.get("trace_id") or metadata.get("traceId")
    ids = {"traceId": cell.trace.id}
    if outer_trace_id:  # the answer was one observation of a trace
        ids = {"traceId": str(outer_trace_id), "observationId": cell.trace.id}
    return {
        **ids,
        "name": cell.trait,
        "value": value,
        "dataType": kind,
        "comment": cell.why,
        "metadata": _further_values(cell),
    }


def _phoenix_row(cell: RuledCell) -> Row:
    """Return a signed-off cell as Phoenix takes an annotation of a span, by a human.

    The keys are `span_id`, which is the trace's id, `name`, `annotator_kind`, `result`, `metadata`
    and `identifier`, which is who ruled. `result` has the verdict: its `label` is a word ("yes" or
    "no" for a bool, JSON for a table), None for a number; its `score` is a number (1.0 or 0.0 for a
    bool), None for a word; its `explanation` is why the person ruled so. Our other values are in
    the metadata.
    """
    return {
        "span_id": cell.trace.id,
        "name": cell.trait,
        "annotator_kind": "HUMAN",
        "result": {
            "label": cell.label or None,
            "score": cell.score,
            "explanation": cell.why,
        },
        "metadata": _further_values(cell),
        "identifier": cell.by,
    }


def _mlflow_row(cell: RuledCell) -> Row:
    """Return a signed-off cell as MLflow takes an assessment of a trace, by a human.

    The keys are `trace_id`, `name` for the trait, `value`, `rationale`, `source` with who ruled,
    and `metadata`. The value is the person's verdict as it is, also as a bool or None. The metadata
    has our other values, as texts; those that are None are left out.
    """
    return {
        "trace_id": cell.trace.id,
        "name": cell.trait,
        "value": cell.value,
        "rationale": cell.why,
        "source": {"source_type": "HUMAN", "source_id": cell.by},
        "metadata": {
            key: str(value)
            for key, value in _further_values(cell).items()
            if value is not None
        },
    }


def _langsmith_row(cell: RuledCell) -> Row:
    """Return a signed-off cell as LangSmith takes feedback on a run.

    The `run_id` is the trace's id, and the `key` is the trait. The `score` is a number (1.0 or 0.0
    for a bool), None for a word. The `value` is a word ("yes" or "no" for a bool, JSON for a
    table), None for a number. The `comment` is why the person ruled so. Our other values are in
    `source_info`.
    """
    return {
        "run_id": cell.trace.id,
        "key": cell.trait,
        "score": cell.score,
        "value": cell.label or None,
        "comment": cell.why,
        "source_info": _further_values(cell),
    }


_FORMS: dict[str, Callable[[RuledCell], Row]] = {
    "": _otel_row,
    "langfuse": _langfuse_row,
    "phoenix": _phoenix_row,
    "mlflow": _mlflow_row,
    "langsmith": _langsmith_row,
}
FORMS = tuple(name for name in _FORMS if name)


# -- CSV ------------------------------------------------------------------------------------------

CELLS = (
    "trace",
    "epoch",
    "model",
    "trait",
    "kind",
    "value",
    "score",
    "judge",
    "judge_value",
    "judge_score",
    "judge_reason",
    "judge_version",
    "by",
    "at",
    "said_at",
    "reasons",
    "prompt_sha256",
    "trait_sha256",
    "labels",
    "judge_labels",
)
_PLACE = (
    "start",
    "end",
    "step",
    "message",
    "step_start",
    "step_end",
    "answer_start",
    "answer_end",
)
ITEMS = (
    "trace",
    "epoch",
    "trait",
    "side",
    "bucket",
    "index",
    "of",
    "instruction",
    "words",
    "text",
    *_PLACE,
    "answer",
)
CORRECTIONS = (
    "trace",
    "epoch",
    "trait",
    "n",
    "at",
    "by",
    "action",
    "before",
    "after",
    "reason",
)
_WHOLE = frozenset(("epoch", "index", "instruction", "n", *_PLACE))
_NUMBERS = frozenset(("score", *NUMBERS))
TABLES = {
    "cells": CELLS,
    "items": ITEMS,
    "corrections": CORRECTIONS,
    "verdicts": LONG_COLUMNS,
}
"""The columns of the CSV files by the files' names."""
LOST_IN_EXPORTS = (
    "cells that nobody ruled on",
    "the sample, and which verdicts were ruled blind",
)
"""What rows and tables have not of an audit, so that no number of them is of a sample or blind."""
RUBRIC_FILE = "rubric.toml"
TRACES_FILE = "traces.jsonl"


def write_csv(audit: AnyAudit, folder: Path) -> tuple[list[Path], int]:
    """Write what people ruled as CSV tables; return the files' paths and how many cells there are.

    The tables are `cells.csv`, `items.csv`, `corrections.csv` and `verdicts.csv`; beside them are
    the rubric and the judged traces, so that the folder can be imported again. `folder` must exist.
    Files of these names are replaced, each in one step, and kept as `.bak`. A text that a
    spreadsheet would read as a formula gets a mark. Memory does not grow with the audit. Raises
    OSError, and Unusable if the disk for temporary files is full; files written before that stay.
    """
    with on_temporary_disk(str(folder)), ExitStack() as stack:
        tables: dict[str, TypedLines] = {}
        for name, columns in TABLES.items():
            line = partial(_csv_line, columns)
            tables[name] = stack.enter_context(TypedLines(columns, line, _is_telling))
        traces = stack.enter_context(TypedLines((), _trace_line, _is_telling))
        count = _add_ruled_cells(audit, tables, traces)

        paths: list[Path] = []
        for name, columns in TABLES.items():
            path = folder / f"{name}.csv"
            atomic.write(
                path,
                chain([csv_text(columns, ()).encode()], tables[name].lines()),
            )
            paths.append(path)
        rubric = "".join(emit(audit.rubric.to_file()))
        atomic.write(folder / RUBRIC_FILE, [rubric.encode()])
        atomic.write(folder / TRACES_FILE, traces.lines())
    return [*paths, folder / RUBRIC_FILE, folder / TRACES_FILE], count


def _add_ruled_cells(
    audit: AnyAudit,
    tables: Mapping[str, TypedLines],
    traces: TypedLines,
) -> int:
    """Add the rows of all cells that people signed off to the tables; return the number of cells.

    `tables` has "cells", "items", "corrections" and "verdicts", each with the rows of every cell.
    Each trace with such a cell is added to `traces` once, without judgments, since the audit's
    cells come trace by trace. Raises OSError if the disk is full.
    """
    count = 0
    last_key = None
    for cell in ruled_cells(audit):
        count += 1
        if cell.trace.key != last_key:
            last_key = cell.trace.key
            traces.add(cell.trace.model_dump(exclude_none=True, exclude={"judgments"}))
        tables["cells"].add(_cells_row(cell))
        for item in _items_rows(cell):
            tables["items"].add(item)
        for correction in _corrections_rows(cell):
            tables["corrections"].add(correction)
        if cell.cell is not None:
            for row in rows_of_cell(cell.trace, cell.cell):
                tables["verdicts"].add(row)
    return count


def _trace_line(trace: Row) -> str:
    return inert_json(trace) + "\n"


def _csv_line(columns: Sequence[str], row: Row) -> str:
    """Return a row as a line of CSV, with its line end, one cell for each of `columns`.

    A column is of whole numbers, numbers or texts by its name. A value that is missing, None or NaN
    is an empty cell. Keys of the row that are no column are left out.
    """
    cells: Row = {}
    for column in columns:
        value = row.get(column)
        if column in _WHOLE:
            cells[column] = value
        elif column in _NUMBERS:
            cells[column] = None
            if value is not None and not isnan(value):
                cells[column] = float(value)
        else:
            cells[column] = "" if value is None else str(value)
    return csv_text(columns, [cells]).partition("\n")[2]


def _is_telling(column: str, value: object) -> bool:
    """Return whether a value shows a program that reads the CSV which type its column has.

    In a column of whole numbers any value other than None does. In one of numbers a float does,
    unless it is NaN. In a column of texts an empty one does not, and neither does one that looks
    like a number, "true" or "false".
    """
    if column in _WHOLE:
        return value is not None
    if column in _NUMBERS:
        return isinstance(value, float) and not isnan(value)
    return bool(value) and not _LIKE_A_NUMBER.fullmatch(str(value))


_LIKE_A_NUMBER = re.compile(
    r"\s*([+-]?[\d.,]+(e[+-]?\d+)?|[+-]?inf|nan|true|false)?\s*",
    re.IGNORECASE,
)


def _cells_row(cell: RuledCell) -> Row:
    """Return a signed-off cell as a row of `cells.csv`, by the columns in `CELLS`.

    It has the trace, the person's verdict, labels, reasons and times, and the judge's beside them.
    What the judge is not known to have said is None or "". Labels are JSON, with where they stand
    in the text.
    """
    return {
        "trace": cell.trace.id,
        "epoch": cell.trace.epoch,
        "model": cell.trace.model,
        "trait": cell.trait,
        "kind": cell.subject.kind.name,
        "value": value_text(cell.value),
        "score": cell.score,
        "judge": cell.judged.get("name"),
        "judge_value": value_text(cell.judge_value),
        "judge_score": cell.judge_score,
        "judge_reason": cell.judge_reason,
        "judge_version": judge_version(cell.judged),
        "by": cell.by,
        "at": cell.at,
        "said_at": cell.said_at,
        "reasons": cell.why,
        "prompt_sha256": cell.judged.get("prompt_sha256"),
        "trait_sha256": cell.subject.trait.sha256(),
        "labels": _labels_json(cell, cell.labels, cell.table.get("items", ())),
        "judge_labels": _labels_json(cell, cell.judged, cell.judged.get("items", ())),
    }


def _labels_json(cell: RuledCell, labels: Row, items: Sequence[Row]) -> str:
    """Return a person's or a judge's labels of a cell as a JSON text; "" if there are none.

    `labels` is that side's table, of which only the keys of labels are taken. `items` says where
    the labels stand in the text, and is added unless empty.
    """
    keys = cell.subject.kind.label_keys
    labels_by_key = {key: labels[key] for key in keys if key in labels}
    if not labels_by_key:
        return ""
    if items:
        labels_by_key["items"] = list(items)
    return inert_json(labels_by_key)


def _items_rows(cell: RuledCell) -> Iterator[Row]:
    """Yield the rows of `items.csv` for a cell: each item or excerpt, the person's ones first.

    One that is at several places in the text gives several rows; one that is nowhere has no
    offsets.
    """
    identifiers = {
        "trace": cell.trace.id,
        "epoch": cell.trace.epoch,
        "trait": cell.trait,
    }
    for side, excerpts in (("person", cell.excerpts), ("judge", cell.judge_excerpts)):
        for excerpt in excerpts:
            item = {
                "side": side,
                "bucket": excerpt.key,
                "index": excerpt.position,
                "of": excerpt.of,
                "instruction": excerpt.instruction,
                "words": _instruction_text(cell, excerpt),
                "text": excerpt.text,
                "answer": excerpt.answer,
            }
            yield identifiers | item | cell.place(excerpt.start, excerpt.end)


def _instruction_text(cell: RuledCell, excerpt: Excerpt) -> str:
    """Return the text of the instruction that an item of a metric trait answers.

    "" if it answers none, and for other kinds of traits.
    """
    if (
        excerpt.instruction is None
        or not excerpt.of
        or cell.subject.kind.name != "metric"
    ):
        return ""
    return str(cell.subject.trait.words(excerpt.of, excerpt.instruction))


def _corrections_rows(cell: RuledCell) -> Iterator[Row]:
    """Yield the rows of `corrections.csv` for a cell: a person's changes to the judge's labels.

    Only those in force that were made with the judge's labels visible, in their order.
    """
    identifiers = {
        "trace": cell.trace.id,
        "epoch": cell.trace.epoch,
        "trait": cell.trait,
    }
    for correction in cell.table.get("corrections", ()):
        row = {key: correction.get(key) for key in CORRECTIONS[3:]}
        yield identifiers | row | {"at": stamp(correction["at"])}
