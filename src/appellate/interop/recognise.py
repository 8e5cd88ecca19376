"""Which tool wrote a file, by what it holds; and reading it as what that is."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import partial
from itertools import chain, islice, permutations
from pathlib import Path
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from appellate.core.problem import Problem, Unusable, many, shape_error_text
from appellate.core.trace import OTHER_RESPONSE
from appellate.installed import plugins
from appellate.interop import (
    FORMATS,
    OLE,
    PARQUET,
    ZIP,
    autorubric,
    claim_rows,
    claims,
    healthbench,
    inspect_log,
    is_foreign,
    is_table,
    karenina,
    knows,
    own_export,
    pairs,
    pandas_json,
    promptfoo,
    reward_details,
    runs,
    scores,
    tables,
)
from appellate.interop.columns_of_rows import CsvTable
from appellate.interop.file_text import (
    decoded_beginning,
    encoding_note,
    encoding_of,
    opened,
)
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    NothingSaid,
    PersonVerdict,
    Row,
    as_class,
    empty,
    first_names,
    is_one_of,
    trait_name,
)
from appellate.interop.joining import EACH, JoinedTables, Source
from appellate.interop.sheets import SheetTable, is_spreadsheet
from appellate.interop.table_map import NOTHING_MAPPED, TableMap, TraitMap
from appellate.interop.together import together
from appellate.store.database import from_json
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_source import Record

_NAMES_OF_COLUMNS = frozenset((*tables.NAMES["response"], "messages"))
"""Names by which a data frame's columns are told from the labels of its rows."""
LARGEST = 1 << 30
"""Bytes of a JSON document, which is read whole."""
_PEEK = 4096


_MALFORMED = (
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    OverflowError,
    RecursionError,
    csv.Error,
)
"""What a reader meets where a table, a list or a text is something else than its tool writes."""


def read(paths: Sequence[Path], table_map: TableMap = NOTHING_MAPPED) -> ForeignFile:
    """Return what files of other tools hold together, recognised by what is in them.

    `paths` must not be empty. They are one file of answers, several, or answers with files that say
    something of these: scores, rubrics of HealthBench, a checkpoint of Karenina, verdicts for
    PandaLM, or, with a key in the map, any tables. `table_map` is what `--map` says. Traces are
    read from the files at each pass; a row that is not as its tool writes it raises Unusable then.
    Raises Unusable here for files that nothing is known of, and for a map of columns if they are no
    table. Raises OSError.
    """
    name = str(paths[-1])
    try:
        file = _read_all(paths, table_map)
    except _MALFORMED as error:
        raise _malformed(name, "it", error) from error
    _check_mapped(file, name, table_map)
    if not file.table_map:
        file.table_map = table_map
    file.meanings = {
        trait_name(trait): trait_map.meaning
        for trait, trait_map in file.table_map.traits.items()
    }
    file.traces = partial(_with_row_errors, file.traces, name)
    if any(meaning.none for meaning in file.meanings.values()):
        file.traces = partial(_without_none, file.traces, file.meanings)
    encodings = list(filter(None, map(encoding_note, paths)))
    of_reader = file.notes
    file.notes = lambda: [*encodings, *of_reader()]
    return file


def _check_mapped(file: ForeignFile, name: str, table_map: TableMap) -> None:
    """Raise Unusable if `--map` names columns of a file that is no table, and so is not heeded.

    `name` is the file's in the message. A column of each file that is joined is not looked for.
    """
    columns = {
        key: column
        for key, column in table_map.columns.items()
        if not key.endswith(f".{EACH}")
    }
    if not columns.items() <= file.mapping.items():
        right = "leave it out: the fields of this tool are known"
        raise unusable("--map", f"goes with a table, and {name} is {file.form}", right)


def _without_none(
    traces: Callable[[], Iterator[ForeignTrace]],
    meanings: Mapping[str, TraitMap],
) -> Iterator[ForeignTrace]:
    """Yield the traces without verdicts whose value `--map` declares to be none, such as "N/A".

    A judge's verdict becomes a failed one, and a person's is removed; the traces are
    changed. `meanings` has what the map says of each trait.
    """
    for trace in traces():
        judged: list[JudgeVerdict] = []
        for verdict in trace.judged:
            if _is_none(verdict, meanings):
                failed = verdict.failed or tables.NO_VERDICT
                judged.append(replace(verdict, value=None, failed=failed))
            else:
                judged.append(verdict)
        trace.judged = judged
        trace.people = [
            person for person in trace.people if not _is_none(person, meanings)
        ]
        yield trace


def _is_none(
    verdict: JudgeVerdict | PersonVerdict,
    meanings: Mapping[str, TraitMap],
) -> bool:
    """Return whether a verdict's value is a word or number that `--map` declares to be none.

    Spelling does not matter. False for tables and lists, and for traits that the map is silent on.
    """
    meaning = meanings.get(verdict.trait)
    if meaning is None or isinstance(verdict.value, dict | list):
        return False
    return is_one_of(as_class(verdict.value), meaning.none)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Raise Unusable, with the path of the file, if the block finds that it is malformed."""
    try:
        yield
    except _MALFORMED as error:
        raise _malformed(str(path), "it", error) from error


def _with_row_errors(
    traces: Callable[[], Iterator[ForeignTrace]],
    name: str,
) -> Iterator[ForeignTrace]:
    """Yield the traces; raise Unusable if a row is not as its tool writes it.

    The message names the row, from 1, and its file: `name`, or the file that the trace
    before says it is from. Raises Unusable as well if the tool recorded no words
    (`NothingSaid`), in the words of that error.
    """
    number = 1
    try:
        for trace in traces():
            yield trace
            name = trace.file or name
            number = (trace.row or number) + 1
    except NothingSaid as error:
        raise unusable(name, *error.args) from error
    except _MALFORMED as error:
        raise _malformed(name, f"row {number}", error) from error


def _malformed(name: str, place: str, error: Exception) -> Unusable:
    """Return, without raising it, the error that part of a file is not as its tool writes it.

    `place` says which part, as "row 3", and `error` what happened.
    """
    wrong = f"{place} is not as its tool writes it: {shape_error_text(error)}"
    return unusable(name, wrong, "export it again, or use --map on a table")


def _read_all(paths: Sequence[Path], table_map: TableMap) -> ForeignFile:
    """Return what files hold together, in the first way that fits.

    These are: a folder of our own export (unless something is mapped), tables joined by a key, a
    single file, PandaLM's test set with a file of verdicts in either order, several files.
    """
    export_folder = own_export.folder_of(paths) if not table_map else None
    if export_folder is not None:
        return own_export.read(export_folder)
    if table_map.join and len(paths) > 1:
        return _read_joined(paths, table_map)
    if len(paths) == 1:
        return _read(paths[0], None, table_map)
    if len(paths) == _PAIR:
        for path, other_path in permutations(paths):
            rows = _plain_rows(path, table_map.sheet)
            if rows and pairs.is_judged_pandalm(next(iter(rows()), {})):
                test_set = _plain_rows(other_path, table_map.sheet)
                if test_set and pairs.form_of(next(iter(test_set()), {})):
                    return pairs.joined(test_set, rows)
    return _read_several(paths, table_map)


_PAIR = 2


class _Parts(Struct):
    """Several files, told apart by what they hold."""

    answers: list[Path] = field(default_factory=list)
    checkpoint: Row | None = None
    """The checkpoint of Karenina."""
    additions: list[tuple[tables.Rows, Row]] = field(default_factory=list)
    """Scores and rubrics of HealthBench: their rows, and the first of these."""
    details: list[reward_details.Details] = field(default_factory=list)
    """Results of Reward Kit."""


def _sorted_by_content(paths: Sequence[Path], table_map: TableMap) -> _Parts:
    """Return several files sorted by what they hold: answers, a checkpoint, additions or details.

    Additions are tables of scores and HealthBench's rubrics, and details are Reward Kit's
    results. Whatever is none of these counts as answers, in the order of `paths`. Reward
    Kit's summary is left out. Raises Unusable for a second checkpoint, if no file has answers, and
    for a malformed file.
    """
    parts = _Parts()
    for path in paths:
        document: Any = None
        with _naming(path):
            rows = _plain_rows(path, table_map.sheet)
            if rows is None:
                document = _json_document(path)
                rows = _scores_in(document)
            first = next(iter(rows()), {}) if rows else {}
        if rows and (healthbench.is_rubric(first) or scores.form_of(first)):
            parts.additions.append((rows, first))
        elif rows is None and karenina.is_checkpoint(document):
            if parts.checkpoint is not None:
                raise unusable(
                    str(path),
                    "this is a second checkpoint",
                    "give one alone",
                )
            parts.checkpoint = document
        elif rows is None and reward_details.is_details(document):
            parts.details.append(reward_details.Details(path, document))
        elif not reward_details.is_summary(first if rows else document, path):
            parts.answers.append(path)
    if not parts.answers:
        raise unusable(
            str(paths[-1]),
            "no file has answers",
            "give the file of these as well",
        )
    return parts


def _read_several(paths: Sequence[Path], table_map: TableMap) -> ForeignFile:
    """Return what several files hold: the answers, with what the other files say of them.

    Those are scores, rubrics of HealthBench, results of Reward Kit and a checkpoint of Karenina.
    Several files of answers become one file. Raises Unusable for a second checkpoint, if no file
    has answers, for results that may be of two runs, and for a malformed file, by its own name.
    """
    parts = _sorted_by_content(paths, table_map)
    details_of_runs: dict[Path, list[reward_details.Details]] = {}
    for details in parts.details:
        run_path = reward_details.nearest(details, parts.answers)
        details_of_runs.setdefault(run_path, []).append(details)

    files: list[ForeignFile] = []
    for path in parts.answers:
        with _naming(path):
            file = _read(path, parts.checkpoint, table_map)
        file.traces = partial(_with_row_errors, file.traces, str(path))
        if path in details_of_runs:
            file = reward_details.with_details(file, details_of_runs[path])
        files.append(file)
    file = files[0] if len(files) == 1 else together(files, parts.answers)
    for rows, first in parts.additions:
        form = scores.form_of(first)
        if form is None:
            file = healthbench.joined(rows(), file)
            continue
        file = scores.joined(file, rows(), form)
    return file


def _read_joined(paths: Sequence[Path], table_map: TableMap) -> ForeignFile:
    """Return what tables hold whose rows belong together by a key (`--join`), as one table.

    The first file whose first row is an answer gives the rows, and the others add columns
    to them. Notes say which rows of one file had none in another. Raises Unusable for a
    file that is no table, for one without the key, and if several rows have one key and
    nothing tells them apart.
    """
    sources: list[Source] = []
    for path in paths:
        rows = _plain_rows(path, table_map.sheet)
        if rows is None or rows is list:
            raise unusable(
                str(path),
                "--join goes with tables",
                "CSV, JSON Lines, a list of rows",
            )
        sources.append(Source(path, rows))
    table = JoinedTables(sources, table_map.join, table_map)
    file = _read_by_columns(table, str(table.path), "joined files", table.table_map)
    of_reader = file.notes
    file.notes = lambda: [*table.notes(), *of_reader()]
    return file


def _plain_rows(path: Path, sheet_name: str = "") -> tables.Rows | None:
    """Return a function that yields a table's rows anew at each call; None for any other file.

    A table is CSV, Parquet, JSON Lines, a spreadsheet, or JSON that is a list of rows or a
    data frame. `sheet_name` picks a spreadsheet's sheet, "" its only one. The function for
    a zip that is no spreadsheet yields nothing, and None is returned for any other JSON.
    Raises Unusable for JSON or a spreadsheet that cannot be read and for a sheet that is
    not there, and OSError.
    """
    if is_spreadsheet(path):
        return SheetTable(path, sheet_name)
    with path.open("rb") as file:
        begin = file.read(_PEEK)
    if begin.startswith(ZIP):
        return list
    if begin.startswith(PARQUET) or path.suffix.lower() == ".parquet":
        return _parquet_rows(path)
    if is_table(path) or decoded_beginning(begin).lstrip()[:1] not in ("{", "["):
        return CsvTable(path)
    lines = _rows_of_json_lines(path, NOTHING_MAPPED)
    if lines is not None:
        return lines
    document = _json_document(path)
    rows = pandas_json.rows_of(document, _NAMES_OF_COLUMNS)
    if rows is None and isinstance(document, list):
        rows = _rows_in_document(document, NOTHING_MAPPED)
    if rows is None:
        return None
    return lambda: rows


def is_of_tool(path: Path) -> bool:
    """Return whether a file was written by a known tool and is not just any table.

    False for a file that cannot be opened or read. Reads as much of it as recognising takes.
    """
    try:
        if not is_foreign(path):
            return False
        file = _read(path, None, NOTHING_MAPPED)
    except (Unusable, *_MALFORMED):
        return False
    return not file.form.startswith(tables.PLAIN)


def answers_of(path: Path, table_map: TableMap) -> Iterator[Record | Problem | str]:
    """Yield a file's answers as records, for a rubric that the person has, then notes on the file.

    A row without an answer is yielded as a Problem, in its place; notes are texts. Verdicts in the
    file are left out. Raises Unusable if the map says something of traits or names columns of what
    is no table, if no column is the id, and for a file that cannot be read or a row that is
    malformed.
    """
    if table_map.traits:
        right = "leave the RUBRIC out, or put labels under judgments"
        keys = [key for key in table_map.columns if key not in table_map.fields]
        key = keys[0] if keys else next(iter(table_map.traits))
        raise unusable("--map", f"{key} makes traits, and so does a RUBRIC", right)
    with _naming(path):
        file = _read(path, None, table_map)
    _check_mapped(file, str(path), table_map)
    if file.untold:
        raise file.untold
    for number, trace in enumerate(_with_row_errors(file.traces, str(path)), 1):
        if _has_answer(trace):
            yield Record(trace.record, number, suspect=True)
        else:
            yield empty(str(path), number)
    encoding = encoding_note(path)
    if encoding:
        yield encoding.removeprefix(f"{path.name} ")
    yield from file.notes()


def _has_answer(trace: ForeignTrace) -> bool:
    """Return whether a trace has an answer: a response, or else messages.

    An empty response counts unless the trace says why it is unanswered. Messages count only without
    any response.
    """
    if "response" not in trace.record:
        return bool(trace.record.get("messages"))
    return bool(trace.record["response"]) or not trace.unanswered


def _read(path: Path, checkpoint: Row | None, table_map: TableMap) -> ForeignFile:
    """Return what one file holds: as a plug-in that knows it reads it, else by its first bytes.

    These tell a spreadsheet, an Inspect log (any other zip), Parquet, JSON, and otherwise CSV.
    `checkpoint` is Karenina's, None without one, and `table_map` what `--map` says. Raises Unusable
    for a file that nothing is known of, and OSError.
    """

    def ask(reader: Any) -> ForeignFile | None:
        """Return what a plug-in's reader makes of the file; None if the reader does not know it.

        What the reader raises passes through.
        """
        if not knows(reader, path):
            return None
        plugin_file: ForeignFile = reader.read(path)
        return plugin_file

    for plugin_file in plugins(FORMATS, ask):
        if plugin_file is not None:
            return plugin_file
    with path.open("rb") as file:
        begin = file.read(_PEEK)
    if begin.startswith((ZIP, OLE)) and is_spreadsheet(path):
        return _read_sheet(path, table_map)
    if begin.startswith(ZIP):
        return inspect_log.read_eval(path)
    if begin.startswith(PARQUET):
        return _read_table(_parquet_rows(path), path, "Parquet", table_map)
    text = decoded_beginning(begin).lstrip()
    if text[:1] not in ("{", "["):
        return _read_csv(path, checkpoint, table_map)
    return _read_json(path, checkpoint, table_map)


def _read_json(path: Path, checkpoint: Row | None, table_map: TableMap) -> ForeignFile:
    """Return what a file of JSON Lines or of one JSON document holds.

    `checkpoint` is Karenina's, None without one; only results of Karenina use it. A file
    that is neither is still read if it is an agent's session with broken lines, unless the
    map names columns. Otherwise Unusable is raised.
    """
    lines = _rows_of_json_lines(path, table_map)
    if lines is not None:
        return _read_json_lines(lines, path, table_map)
    try:
        document = _json_document(path)
    except Unusable:
        # its first line may be broken
        session = _read_session(path) if not table_map.has_columns else None
        if session is None:
            raise
        return session
    return _read_document(document, path, checkpoint, table_map)


def _read_json_lines(
    lines: tables.Rows,
    path: Path,
    table_map: TableMap,
) -> ForeignFile:
    """Return what JSON Lines hold: an agent's session, promptfoo's rows, or else a table.

    There must be at least one row. If the map names columns they are a table. Raises Unusable for a
    table that cannot be read.
    """
    session = _read_session(path) if not table_map.has_columns else None
    if session is not None:
        return session
    first = next(iter(lines()))
    if promptfoo.is_row(first) and not table_map.has_columns:
        return promptfoo.read(lines)
    return _read_table(lines, path, "JSON Lines", table_map)


def _read_session(path: Path) -> ForeignFile | None:
    """Return what a file of lines holds if it is an agent's session, else None.

    Lines that are no JSON object are left out, and the notes count them.
    """
    lines = _SoundLines(path)
    session = runs.read_session(lines, path.stem)
    if session is not None:
        of_reader = session.notes
        session.notes = lambda: [*lines.notes(), *of_reader()]
    return session


def _read_table(
    rows: tables.Rows,
    path: Path,
    kind: str,
    table_map: TableMap,
) -> ForeignFile:
    """Return what rows hold: a known benchmark, by the first row, or else a table by its columns.

    If the map names columns only HealthBench's rubrics are recognised before that. `kind` is what
    the format is called, as "CSV". Raises Unusable for PandaLM's verdicts without the responses,
    and for a table without a row, a response or a mapped column.
    """
    first = next(iter(rows()), {})
    if healthbench.is_rubric(first):
        return healthbench.read_rubrics(rows, str(path))
    if healthbench.is_graded(first) and not table_map.has_columns:
        return healthbench.read_graded(rows)
    if pairs.form_of(first) and not table_map.has_columns:
        return pairs.read(rows)
    if pairs.is_judged_pandalm(first) and not table_map.has_columns:
        right = "give PandaLM's test set as well: appellate import testset-v1.json FILE"
        raise unusable(str(path), "these are verdicts without the responses", right)
    return _read_by_columns(rows, str(path), kind, table_map)


def _read_by_columns(
    rows: tables.Rows,
    name: str,
    kind: str,
    table_map: TableMap,
) -> ForeignFile:
    """Return what a table holds: answers, lists of claims, one claim a row, or pairs of responses.

    One claim a row is read only if the map has traits of claims. Otherwise rows of a known tool are
    read as it writes them. `rows` returns the rows from the first one at each call, and is called
    again when traces are read. `name` is the file's in messages, and `kind` what its format is
    called. Raises Unusable without a row, a response or a mapped column, for scores without
    answers, and if a mapped column differs within one answer.
    """
    if table_map.of_claims:
        return claim_rows.read(rows, name, kind, table_map)
    file = tables.read(rows, name, kind, table_map)
    if claims.are_in(rows):
        return claims.of_table(file, lambda: map(claims.lists_in, rows()))
    if OTHER_RESPONSE in file.mapping:
        return pairs.of_table(file)
    return file


def _read_known_results(document: Any) -> ForeignFile | None:
    """Return what a JSON document of promptfoo, HealthBench (simple-evals) or autorubric holds.

    None for any other document.
    """
    tests = promptfoo.rows_of(document)
    if tests is not None:
        return promptfoo.read(lambda: tests)
    examples = healthbench.examples_of(document)
    if examples is not None:
        return healthbench.read(examples)
    if autorubric.is_dataset(document):
        return autorubric.read(document)
    return None


def _read_document(
    document: Any,
    path: Path,
    checkpoint: Row | None,
    table_map: TableMap,
) -> ForeignFile:
    """Return what a JSON document holds: a tool's results, an agent's run, or else rows.

    If the map names columns it is no run. `checkpoint` is Karenina's, None without one. Raises
    Unusable for a checkpoint or Reward Kit's details alone, and for a document of which nothing is
    known, whose keys are in the message.
    """
    name = str(path)
    if inspect_log.is_log(document):
        return inspect_log.read_json(document, name)
    if karenina.is_checkpoint(document):
        right = "give its results as well: appellate review CHECKPOINT RESULTS"
        raise unusable(
            name,
            "a checkpoint of Karenina has questions but no answers",
            right,
        )
    if reward_details.is_details(document):
        wrong = f"{reward_details.FORM} without the run that they are of"
        raise unusable(
            name,
            wrong,
            "give it as well: appellate import trajectory.json FILE",
        )
    results = karenina.results_of(document)
    if results is not None:
        return karenina.read(results, document, checkpoint)
    of_tool = _read_known_results(document)
    if of_tool is not None:
        return of_tool
    run = runs.read(document, path.stem) if not table_map.has_columns else None
    if run is not None:
        return run
    rows = pandas_json.rows_of(document, _NAMES_OF_COLUMNS)
    if rows is None:
        rows = _rows_in_document(document, table_map)
    if rows is None:
        wrong = "nothing is known of this file"
        if document and isinstance(document, dict):
            wrong += f"; it has {', '.join(list(document)[:12])}"
        raise unusable(name, wrong, "a list of rows, or one row a line")
    return _read_table(lambda: rows, path, "JSON", table_map)


def _rows_in_document(document: object, table_map: TableMap) -> list[Row] | None:
    """Return the list of rows in a document, or None if it has none.

    A list is the rows itself, and a known wrapper holds them. Any other table is the only
    row if it is an answer itself. Otherwise the rows are its only list that is not empty.
    Returns None for an empty list, and if an entry of the list is no table.
    """
    rows = _rows_in_wrapper(document) if isinstance(document, dict) else document
    if rows is None and isinstance(document, dict):
        lists = [
            entry for entry in document.values() if isinstance(entry, list) and entry
        ]
        rows = lists[0] if len(lists) == 1 else None
        if tables.is_answer(document, table_map):
            rows = [document]
    if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
        return rows
    return None


def _scores_in(document: object) -> tables.Rows | None:
    """Return a function that yields the scores in a JSON document; None if it has none.

    It is one score, or has a list of them, as Langfuse's and Phoenix's APIs give them.
    """
    if not isinstance(document, dict):
        return None
    rows = _rows_in_document(document, NOTHING_MAPPED) or [document]
    if scores.form_of(rows[0]) is None:
        return None
    return lambda: rows


_CASES = ("testCases", "conversationalTestCases")
"""Where a run of DeepEval has its answers, and its conversations."""


def _rows_in_wrapper(document: Row) -> list[Any] | None:
    """Return the rows in a known wrapper of rows; None for any other table.

    Known are runs of DeepEval (their test cases), a trace of Langfuse (the document is the one
    row), Hugging Face's viewer (its `rows`), and annotations of Ragas, whose rows are copied with
    the `metric` that they are under. The rows may be [], as for {}.
    """
    inner = document.get("testRunData", document)
    if isinstance(inner, dict):
        cases = [inner[key] for key in _CASES if isinstance(inner.get(key), list)]
        if cases:
            return list(chain.from_iterable(cases))
    if isinstance(document.get("trace"), dict):
        return [document]
    viewed = document.get("rows")
    if isinstance(viewed, list) and all(map(_is_viewed, viewed)):
        return [entry["row"] for entry in viewed]
    if not all(isinstance(entries, list) for entries in document.values()):
        return None
    annotations: list[Row] = []
    for metric, rows in document.items():
        for row in rows:
            if not isinstance(row, dict) or "metric_input" not in row:
                return None
            annotations.append({"metric": metric, **row})
    return annotations


def _is_viewed(row: object) -> bool:
    """Return whether a value is a row as Hugging Face's viewer of data sets gives it.

    It wraps the real one: `{"row_idx": 0, "row": {…}}`.
    """
    return (
        isinstance(row, dict) and "row_idx" in row and isinstance(row.get("row"), dict)
    )


def _json_document(path: Path) -> Any:
    """Return the JSON document in a file, decoded in the file's own encoding.

    Raises Unusable for a file over 1 GiB and for what is no JSON, and OSError.
    """
    if path.stat().st_size > LARGEST:
        raise unusable(
            str(path),
            "this file has more than 1 GiB",
            "give it as JSON Lines",
        )
    try:
        return from_json(path.read_bytes().decode(encoding_of(path)))
    except (ValueError, RecursionError) as error:
        raise unusable(str(path), f"this is no JSON: {error}") from error


def _rows_of_json_lines(path: Path, table_map: TableMap) -> tables.Rows | None:
    """Return a function that yields the rows of JSON Lines anew at each call; None for other files.

    None if the first line is no JSON object, and if it is the file's only line and is recognised as
    a whole document. The function raises Unusable, with the line's number, for a later line that is
    no JSON object.
    """

    def rows() -> Iterator[Row]:
        """Yield the table on each line that is not blank; opens the file anew.

        Raises Unusable for a line that is no JSON object.
        """
        with opened(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _row(line, number)

    def _row(line: str, number: int) -> Row:
        """Return the table on one line; raise Unusable if the line is no JSON object.

        `number` is the line's, from 1, for the message.
        """
        try:
            value = from_json(line)
        except (ValueError, RecursionError) as error:
            raise unusable(str(path), f"line {number} is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise unusable(str(path), f"line {number} is no table (a JSON object)")
        return value

    with opened(path, errors="replace") as file:
        first = next((line for line in file if line.strip()), "")
        second = next((line for line in islice(file, 100) if line.strip()), "")
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    if not second and _is_document(value, table_map):
        return None
    return rows


class _SoundLines:
    """The rows of JSON Lines, without lines that are none: a session may have broken off."""

    def __init__(self, path: Path) -> None:
        """Take the path of a file of JSON Lines, which is opened only when the rows are read."""
        self._path = path
        self._broken: list[int] = []
        """Numbers of the lines that were left out as the file was last read."""

    def __call__(self) -> Iterator[Row]:
        """Yield the rows from the beginning of the file, without lines that are no JSON object."""
        self._broken.clear()
        with opened(self._path, errors="replace") as file:
            for number, line in enumerate(file, 1):
                value = None
                with suppress(ValueError, RecursionError):
                    value = from_json(line)
                if isinstance(value, dict):
                    yield value
                elif line.strip():
                    self._broken.append(number)

    def notes(self) -> list[str]:
        """Return a clause in a list on the lines left out at the last reading; [] if none was.

        It has their numbers, from 1. Blank lines are not among them but are numbered.
        """
        if not self._broken:
            return []
        count = many(len(self._broken), "line")
        return [
            f"skipped: {count} without a whole JSON object: {first_names(self._broken)}",
        ]


def _is_document(value: Row, table_map: TableMap) -> bool:
    """Return whether a table on the only line of a file is a whole document, and not one row.

    It is a document if it is known as a tool's, as a run, as a data frame or as a wrapper
    of rows. It is one, too, if it is no answer itself and its only list that is not empty
    has answers or scores.
    """
    recognisers: tuple[Callable[[object], object], ...] = (
        inspect_log.is_log,
        karenina.is_checkpoint,
        karenina.results_of,
        reward_details.is_details,
        promptfoo.rows_of,
        healthbench.examples_of,
        autorubric.is_dataset,
        runs.knows,
        partial(pandas_json.rows_of, known_names=_NAMES_OF_COLUMNS),
    )
    if (
        any(recognises(value) for recognises in recognisers)
        or _rows_in_wrapper(value) is not None
    ):
        return True
    rows = _rows_in_document(value, table_map)
    if not rows or rows[0] is value:
        return False
    return tables.is_answer(rows[0], table_map) or scores.form_of(rows[0]) is not None


def _read_csv(path: Path, checkpoint: Row | None, table_map: TableMap) -> ForeignFile:
    """Return what a CSV or TSV file holds: promptfoo's or Karenina's results, else a plain table.

    If the map names columns it is a plain table. Blank rows are left out and counted in a note.
    `checkpoint` is Karenina's, which defines traits, or None. Raises Unusable if its first row or a
    plain table cannot be read, OSError, and what the readers of the two raise.
    """
    table = CsvTable(path)
    try:
        heads = table.heads()
    except (UnicodeDecodeError, csv.Error) as error:
        raise unusable(str(path), f"this table cannot be read: {error}") from error
    if not table_map.has_columns and promptfoo.is_csv(heads):
        return _with_blank_rows(promptfoo.read_csv(table), table)
    if not table_map.has_columns and karenina.is_csv(heads):
        return _with_blank_rows(karenina.read_csv(table, checkpoint), table)
    kind = "TSV" if table.layout.delimiter == "\t" else "CSV"
    return _with_blank_rows(_read_table(table, path, kind, table_map), table)


def _read_sheet(path: Path, table_map: TableMap) -> ForeignFile:
    """Return what a sheet of a spreadsheet holds: the one in the map, else the only one with rows.

    Blank rows are left out and counted in a note. Raises Unusable if there is no sheet of
    that name, if none is named and not exactly one has rows, and if the file cannot be
    read.
    """
    sheet = SheetTable(path, table_map.sheet)
    return _with_blank_rows(
        _read_table(sheet, path, f"sheet {sheet.name}", table_map),
        sheet,
    )


def _with_blank_rows(file: ForeignFile, table: CsvTable | SheetTable) -> ForeignFile:
    """Add a note on how many blank rows of its table were left out to a file; return the file.

    `file` itself is changed. The count is of the table's last reading; there is no note for 0.
    """
    of_reader = file.notes

    def notes() -> list[str]:
        """Return the file's notes, behind a clause on how many blank rows were left out, if any.

        The count is that of the last reading of the table.
        """
        if not table.blank_rows:
            return list(of_reader())
        return [f"left out: {many(table.blank_rows, 'blank row')}", *of_reader()]

    file.notes = notes
    return file


def _parquet_rows(path: Path) -> tables.Rows:
    """Return a function that yields the rows of a Parquet file anew at each call.

    Values that JSON has not, as dates, become text, but bytes and Decimals stay as they are. Raises
    Unusable if pyarrow is not installed. The file is opened only by that function, so reading the
    rows raises pyarrow's ValueError for a file that is no Parquet, Unusable for a damaged one, and
    OSError.
    """
    try:
        from pyarrow import parquet
    except ImportError:
        right = "install appellate[parquet]"
        raise unusable(str(path), "Parquet takes the extra parquet", right) from None

    def rows() -> Iterator[Row]:
        """Yield the rows of the Parquet file as dicts, reading a thousand at a time.

        Opens the file anew. Values that JSON has not, as dates, become text, but bytes and Decimals
        stay. Raises pyarrow's ValueError for a file that is no Parquet, Unusable for a damaged one,
        and OSError.
        """
        try:
            for batch in parquet.ParquetFile(path).iter_batches(1000):
                for row in batch.to_pylist():
                    yield to_builtins(row, builtin_types=(bytes, Decimal), enc_hook=str)
        except OSError as error:
            if error.errno is not None:
                raise
            # pyarrow's own, as for compressed data that are damaged
            wrong = f"this Parquet file is damaged: {error}"
            raise unusable(str(path), wrong, "export it again") from error

    return rows
