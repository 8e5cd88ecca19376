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
from appellate.interop.temporary_disk import on_temporary_disk
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
from appellate.store.files.toml import emit, stamp


def as_rows(audit: AnyAudit, form: str = "") -> Iterator[str]:
    """Yield a JSON line for each ruled cell, with its line end, in the names of a tool.

    `form` is one of `FORMS`, or "" for OpenTelemetry's `gen_ai.evaluation.result`. In that every
    column has one type, "" for a text that is not there. If no early row has a number in some
    column, the first row that has one comes first of all: programs tell the type of a column by the
    first rows. Raises KeyError for another form, and Unusable if the disk for temporary files is
    full.
    """
    row_of = _FORMS[form]
    numbers = _OTEL_NUMBERS if not form else ()
    with (
        on_temporary_disk("rows"),
        TypedLines(
            numbers, lambda row: inert_json(row) + "\n", is_telling_number
        ) as lines,
    ):
        for cell in ruled_cells(audit):
            lines.add(row_of(cell))
        for line in lines.lines():
            yield line.decode()


_OTEL_NUMBERS = ("gen_ai.evaluation.score.value", "appellate.judge_score")


def _otel(cell: RuledCell) -> Row:
    """Return a ruled cell as a row in OpenTelemetry's names, with our own behind "appellate."."""
    row: Row = {
        "gen_ai.response.id": cell.trace.id,
        "gen_ai.evaluation.name": cell.trait,
        "gen_ai.evaluation.score.value": cell.score,
        "gen_ai.evaluation.score.label": cell.label,
        "gen_ai.evaluation.explanation": cell.why,
    }
    return row | {f"appellate.{key}": value for key, value in _more(cell).items()}


def _more(cell: RuledCell) -> Row:
    """Return what other tools have no names for, as values of metadata.

    Values are texts, "" for none, but for the epoch and the judge's score.
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
        "labels": _labels(cell, cell.labels, cell.table.get("items", ())),
        "judge_labels": _labels(cell, cell.judged, cell.judged.get("items", ())),
        "reads": _reads(cell),
        "evidence": _evidence(cell),
    }


def _evidence(cell: RuledCell) -> str:
    """Return the words that a verdict rests on, and their places, as JSON; "" for none."""
    if not cell.evidence:
        return ""
    return json.dumps(cell.evidence, ensure_ascii=False)


def _reads(cell: RuledCell) -> str:
    """Return what was judged: "" for the response, `CONVERSATION` for the whole conversation."""
    if cell.subject.transcript is None:
        return ""
    return CONVERSATION


def value_text(value: object) -> str:
    """Return a verdict as a text that can be a verdict again; "" for None.

    It is true or false, a number, a word, or a table as JSON.
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _langfuse(cell: RuledCell) -> Row:
    """Return a ruled cell as a score of Langfuse: a bool as 0 or 1, a word, or a number.

    If the trace's metadata names a trace, the cell's own id is that of an observation in it.
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
        "metadata": _more(cell),
    }


def _phoenix(cell: RuledCell) -> Row:
    """Return a ruled cell as Phoenix takes an evaluation."""
    return {
        "span_id": cell.trace.id,
        "name": cell.trait,
        "annotator_kind": "HUMAN",
        "result": {
            "label": cell.label or None,
            "score": cell.score,
            "explanation": cell.why,
        },
        "metadata": _more(cell),
        "identifier": cell.by,
    }


def _mlflow(cell: RuledCell) -> Row:
    """Return a ruled cell as MLflow takes an evaluation.

    Metadata without a value is left out, and all other is text.
    """
    return {
        "trace_id": cell.trace.id,
        "name": cell.trait,
        "value": cell.value,
        "rationale": cell.why,
        "source": {"source_type": "HUMAN", "source_id": cell.by},
        "metadata": {
            key: str(value) for key, value in _more(cell).items() if value is not None
        },
    }


def _langsmith(cell: RuledCell) -> Row:
    """Return a ruled cell as LangSmith takes an evaluation."""
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
    *("trace", "epoch", "model", "trait", "kind", "value", "score"),
    *("judge", "judge_value", "judge_score", "judge_reason", "judge_version"),
    *(
        "by",
        "at",
        "said_at",
        "reasons",
        "prompt_sha256",
        "trait_sha256",
        "labels",
        "judge_labels",
    ),
)
_PLACE = (
    *(
        "start",
        "end",
        "step",
        "message",
        "step_start",
        "step_end",
        "answer_start",
        "answer_end",
    ),
)
ITEMS = (
    *(
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
    ),
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
RUBRIC_FILE = "rubric.toml"
TRACES_FILE = "traces.jsonl"


def write_csv(audit: AnyAudit, folder: Path) -> tuple[list[Path], int]:
    """Write what people ruled as tables; return the files' paths, and how many cells are in them.

    They are `cells.csv`, `items.csv`, `corrections.csv` and `verdicts.csv`, a long table with a row
    for each instruction. Beside them are the rubric and the traces that they are about: the folder
    can be imported again. Older files of these names are replaced, each in one step. No text in the
    tables is a formula. Memory does not grow with the audit. Raises OSError, and
    Unusable if the disk for temporary files is full; files that were written before stay.
    """
    with on_temporary_disk(str(folder)), ExitStack() as stack:
        tables: dict[str, TypedLines] = {}
        for name, columns in TABLES.items():
            line = partial(_csv_line, columns)
            tables[name] = stack.enter_context(TypedLines(columns, line, _is_telling))
        traces = stack.enter_context(TypedLines((), _trace_line, _is_telling))
        count = _fill(audit, tables, traces)

        paths: list[Path] = []
        for name, columns in TABLES.items():
            path = folder / f"{name}.csv"
            atomic.write(
                path, chain([csv_text(columns, ()).encode()], tables[name].lines())
            )
            paths.append(path)
        rubric = "".join(emit(audit.rubric.to_file()))
        atomic.write(folder / RUBRIC_FILE, [rubric.encode()])
        atomic.write(folder / TRACES_FILE, traces.lines())
    return [*paths, folder / RUBRIC_FILE, folder / TRACES_FILE], count


def _fill(audit: AnyAudit, tables: Mapping[str, TypedLines], traces: TypedLines) -> int:
    """Add the rows of all ruled cells to the tables, and their traces; return how many cells.

    `tables` has "cells", "items", "corrections" and "verdicts". Cells of one trace must follow one
    another: its trace is added once, without its judgments.
    """
    count = 0
    last_key = None
    for cell in ruled_cells(audit):
        count += 1
        if cell.trace.key != last_key:
            last_key = cell.trace.key
            traces.add(cell.trace.model_dump(exclude_none=True, exclude={"judgments"}))
        tables["cells"].add(_cell(cell))
        for item in _items(cell):
            tables["items"].add(item)
        for correction in _corrections(cell):
            tables["corrections"].add(correction)
        if cell.cell is not None:
            for row in rows_of_cell(cell.trace, cell.cell):
                tables["verdicts"].add(row)
    return count


def _trace_line(trace: Row) -> str:
    return inert_json(trace) + "\n"


def _csv_line(columns: Sequence[str], row: Row) -> str:
    """Return a row as a line of CSV with its line end, one cell for each of `columns`.

    Whole numbers, numbers and texts are told by their columns. A cell without a value, and NaN, is
    empty.
    """
    cells: Row = {}
    for column in columns:
        value = row.get(column)
        if column in _WHOLE:
            cells[column] = value
        elif column in _NUMBERS:
            cells[column] = None if value is None or isnan(value) else float(value)
        else:
            cells[column] = "" if value is None else str(value)
    return csv_text(columns, [cells]).partition("\n")[2]


def _is_telling(column: str, value: object) -> bool:
    """Return whether a value tells a program that reads CSV which type its column has.

    A text that looks like a number or like true and false does not; nor does an empty cell.
    """
    if column in _WHOLE:
        return value is not None
    if column in _NUMBERS:
        return isinstance(value, float) and not isnan(value)
    return bool(value) and not _LIKE_A_NUMBER.fullmatch(str(value))


_LIKE_A_NUMBER = re.compile(
    r"\s*([+-]?[\d.,]+(e[+-]?\d+)?|[+-]?inf|nan|true|false)?\s*", re.IGNORECASE
)


def _cell(cell: RuledCell) -> Row:
    """Return a ruled cell as a row of our own table: the person's labels beside the judge's.

    What the judge is not known to have said is None or "".
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
        "labels": _labels(cell, cell.labels, cell.table.get("items", ())),
        "judge_labels": _labels(cell, cell.judged, cell.judged.get("items", ())),
    }


def _labels(cell: RuledCell, labels: Row, items: Sequence[Row]) -> str:
    """Return one side's labels of a cell as JSON; "" if there are none.

    `labels` are the person's or the judge's table. `items`, where these stand in the text, are
    added if there are any.
    """
    keys = cell.subject.kind.label_keys
    labels_by_key = {key: labels[key] for key in keys if key in labels}
    if not labels_by_key:
        return ""
    if items:
        labels_by_key["items"] = list(items)
    return inert_json(labels_by_key)


def _items(cell: RuledCell) -> Iterator[Row]:
    """Yield the items of lists and the excerpts of verdicts as rows, a person's before the judge's.

    An excerpt that was not found in the text has no offsets.
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
                "words": _words(cell, excerpt),
                "text": excerpt.text,
                "answer": excerpt.answer,
            }
            yield identifiers | item | cell.place(excerpt.start, excerpt.end)


def _words(cell: RuledCell, excerpt: Excerpt) -> str:
    """Return the words of the instruction that an item answers.

    "" if it answers none, and for kinds of traits other than metrics.
    """
    if (
        excerpt.instruction is None
        or not excerpt.of
        or cell.subject.kind.name != "metric"
    ):
        return ""
    return str(cell.subject.trait.words(excerpt.of, excerpt.instruction))


def _corrections(cell: RuledCell) -> Iterator[Row]:
    """Yield the corrections that people made with the judge's labels in sight."""
    identifiers = {
        "trace": cell.trace.id,
        "epoch": cell.trace.epoch,
        "trait": cell.trait,
    }
    for correction in cell.table.get("corrections", ()):
        row = {key: correction.get(key) for key in CORRECTIONS[3:]}
        yield identifiers | row | {"at": stamp(correction["at"])}
