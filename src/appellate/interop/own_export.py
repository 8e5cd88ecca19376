"""What `export --to csv` wrote, as it comes in again: the judge's side and the person's.

The folder has the rubric and the traces beside the tables. Labels are read from `cells.csv`; the
other tables tell the same in other ways. What `export` says it leaves out is not there.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import tomli

from appellate.interop.columns_of_rows import CsvTable
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
)
from appellate.interop.rows import (
    CELLS,
    LOST_IN_EXPORTS,
    RUBRIC_FILE,
    TABLES,
    TRACES_FILE,
)
from appellate.interop.said_times import said_time
from appellate.numbers.data import as_entered
from appellate.store.files.temporary_disk import on_temporary_disk
from appellate.store.files.text_file import unusable

FORM = "tables of Appellate"
MAPPING = {
    "traits": RUBRIC_FILE,
    "id, response and all else of a trace": TRACES_FILE,
    "verdicts": "cells.csv: judge_labels, judge, judge_reason",
    "people": "cells.csv: labels, by, said_at or at, reasons",
}
_CELLS_FILE = "cells.csv"


def folder_of(paths: Sequence[Path]) -> Path | None:
    """Return the folder of an `export --to csv` if all given files are of one, else None.

    One of its files is enough if `cells.csv`, the rubric and the traces lie beside it, and
    `cells.csv` has our columns. None for the path of the folder itself, for files of several
    folders, and for the file of traces alone, which is read as traces. Raises OSError, csv.Error or
    UnicodeDecodeError if `cells.csv` cannot be read.
    """
    names = {f"{name}.csv" for name in TABLES} | {TRACES_FILE}
    folders = {path.parent for path in paths}
    if len(folders) != 1:
        return None
    if not all(path.name in names for path in paths):
        return None
    folder = folders.pop()
    needed = (_CELLS_FILE, RUBRIC_FILE, TRACES_FILE)
    if not all((folder / name).is_file() for name in needed):
        return None
    if paths[0].name == TRACES_FILE and len(paths) == 1:
        return None  # traces by themselves are a file of traces
    cells = CsvTable(folder / _CELLS_FILE)
    if set(CELLS) <= set(cells.heads()):
        return folder
    return None


def read(folder: Path) -> ForeignFile:
    """Return what a folder of `export --to csv` holds: traces, both sides' verdicts, the rubric.

    The rubric is read here, and the two other files at each pass over the traces. `lost` names what
    such an export does not have of its audit, as comments and samples. Raises Unusable for a rubric
    that is no TOML, and OSError if it cannot be read. A pass raises ValueError for a line that is
    no JSON, KeyError for a missing id or column, OSError, and Unusable if the temporary disk is
    full.
    """
    path = folder / RUBRIC_FILE
    try:
        rubric = tomli.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise unusable(str(path), f"this is no TOML: {error}") from error

    def traces() -> Iterator[ForeignTrace]:
        """Yield the traces of our own export in their file's order, with their cells' verdicts.

        A cell gives the judge's verdict if it has labels of a judge, and the person's if it has
        theirs. Reads both files anew. Empty lines are skipped. Raises ValueError for a line that is
        no JSON, KeyError for a trace without id, and Unusable if the temporary disk is full.
        """
        with (
            closing(_cells_by_trace(folder / _CELLS_FILE)) as cells,
            (folder / TRACES_FILE).open(encoding="utf-8") as file,
        ):
            for line in file:
                if not line.strip():
                    continue
                record = json.loads(line)
                key = str(record["id"]), str(record.get("epoch", 1))
                judged: list[JudgeVerdict] = []
                people: list[PersonVerdict] = []
                for (text,) in cells.execute(_CELLS_OF_TRACE, key):
                    cell = json.loads(text)
                    judged += _judge_verdicts(cell)
                    people += _person_verdicts(cell)
                yield ForeignTrace(record, judged, people)

    lost = [
        "comments, flags, earlier rounds",
        "the steps of a person's corrections",
        *LOST_IN_EXPORTS,
    ]
    return ForeignFile(FORM, traces, MAPPING, lost=lost, rubric=rubric)


_CELLS_OF_TRACE = "SELECT cell FROM cells WHERE trace = ? AND epoch = ? ORDER BY rowid"


def _cells_by_trace(path: Path) -> sqlite3.Connection:
    """Return a temporary database with the rows of `cells.csv`, to be searched by trace.

    The caller closes it, and it is gone then. It is on the disk, so that memory does not grow with
    the rows. Rows of one trace keep their order. Raises Unusable if the disk is full, KeyError for
    a missing column, and what reading a `CsvTable` raises.
    """
    table = CsvTable(path)
    with on_temporary_disk(str(path)), ExitStack() as undone:
        cells = sqlite3.connect("")  # a file without a name
        undone.callback(cells.close)
        cells.execute("CREATE TABLE cells (trace TEXT, epoch TEXT, cell TEXT)")
        cells.executemany(
            "INSERT INTO cells VALUES (?, ?, ?)",
            map(_row_for_database, table()),
        )
        cells.execute("CREATE INDEX cells_by_trace ON cells (trace, epoch)")
        undone.pop_all()
    return cells


def _row_for_database(row: Mapping[str, str | None]) -> tuple[str, str, str]:
    """Return a row of `cells.csv` as three texts: trace id, epoch, JSON of the columns in `_READ`.

    The mark that export puts before a text that could be a formula is taken off. A missing cell is
    "". Raises KeyError for a missing column.
    """
    cell: dict[str, str] = {}
    for column in _READ:
        text = row[column] or ""
        cell[column] = as_entered(text)
    trace_id = row["trace"] or ""
    epoch = row["epoch"] or ""
    return as_entered(trace_id), as_entered(epoch), json.dumps(cell)


_READ = (
    "trait",
    "judge",
    "judge_reason",
    "judge_labels",
    "labels",
    "by",
    "said_at",
    "at",
    "reasons",
)
"""The columns of `cells.csv` that verdicts are made of."""


def _judge_verdicts(cell: Mapping[str, str]) -> list[JudgeVerdict]:
    """Return the judge's verdict in a row of `cells.csv` in a list; [] if its `judge_labels` are
    "".

    The verdict has whole labels and None as value, with the judge's name and reason. Raises
    ValueError for labels that are no JSON, and KeyError for a row without one of the columns.
    """
    if not cell["judge_labels"]:
        return []
    labels = json.loads(cell["judge_labels"])
    reason = cell["judge_reason"]
    return [
        JudgeVerdict(cell["trait"], reason=reason, judge=cell["judge"], labels=labels),
    ]


def _person_verdicts(cell: Mapping[str, str]) -> list[PersonVerdict]:
    """Return the person's verdict in a row of `cells.csv` in a list; [] if its `labels` are "".

    Its value is the class, else the value, in the labels; of a metric trait all labels. Its
    `labels` are all of them. It is by `by`, with the `reasons` as one text. Its time is when they
    said it in another tool, else when they signed it off. Raises ValueError for labels that are no
    JSON, and KeyError for a row without one of the columns.
    """
    if not cell["labels"]:
        return []
    labels: dict[str, Any] = json.loads(cell["labels"])
    value = labels if "tp" in labels else labels.get("class", labels.get("value"))
    timestamp = said_time(cell["said_at"] or cell["at"])
    return [
        PersonVerdict(
            cell["trait"],
            value,
            cell["by"],
            cell["reasons"],
            at=timestamp,
            labels=labels,
        ),
    ]
