"""Tables of answers: CSV, TSV, JSON Lines, JSON arrays and Parquet, flat or nested.

Columns are found by their names, those of a known tool by its preset; where they cannot be,
`--map response=outputs.answer` says which is which.
"""

import ast
import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from msgspec import Struct

from appellate.core.problem import closest, quoted
from appellate.interop import scores
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
    cell_value,
    known,
    number_in,
    table_at,
    trait_name,
)
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_record import columns

Rows = Callable[[], Iterable[Row]]

NAMES: dict[str, tuple[str, ...]] = {
    "response": (
        "response",
        "output",
        "completion",
        "answer",
        "actual_output",
        "actualOutput",
        "model_response",
        "outputs.answer",
        "outputs.output",
        "output.text",
        "metric_input.response",
        "prediction",
        "attributes.output.value",
    ),
    "id": (
        *("id", "trace_id", "run_id", "sample_id", "prompt_id", "question_id", "doc_id", "_id"),
        *("context.span_id", "span_id"),
    ),
    "question": (
        "question",
        "input",
        "prompt",
        "query",
        "user_input",
        "metric_input.user_input",
        "inputs.question",
        "inputs.input",
        "input.question",
        "doc.question",
        "instruction",
        "attributes.input.value",
    ),
    "reference": (
        "reference",
        "expected",
        "expected_output",
        "expectedOutput",
        "target",
        "ideal",
        "ground_truth",
        "reference_outputs.answer",
        "reference_answer",
    ),
    "model": (
        *("model", "model_id", "model_name", "provided_model_name", "metadata.model"),
        "attributes.llm.model_name",
    ),
    "documents": ("documents", "contexts", "retrieved_contexts", "retrieval_context", "context"),
    "messages": ("messages",),
    "epoch": ("epoch",),
    "cluster": ("cluster",),
    "metadata": ("metadata",),
}
"""The names by which columns are known, the likeliest first."""
_LOOKED_AT = 200
"""So many rows are looked at to know the columns."""


class Preset(Struct, frozen=True):
    """How one tool's rows are known, the verdicts in them, and the fields of their traces where
    these are in no columns.
    """

    name: str
    knows: Callable[[Row], bool]
    verdicts: Callable[[Row], Iterable[JudgeVerdict | PersonVerdict]]
    record: Callable[[Row], Row] | None = None


# -- the presets ----------------------------------------------------------------------------------


def _scores(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """Braintrust: numbers by name; a null is no verdict."""
    for name, value in (row.get("scores") or {}).items():
        if isinstance(value, bool | int | float):
            yield JudgeVerdict(trait_name(name), value, judge="braintrust")


def _feedback(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """LangSmith: people's feedback comes from the app."""
    for one in row.get("feedback") or []:
        name, value = trait_name(str(one.get("key", ""))), one.get("score")
        if value is None:
            value = one.get("value")
        if value is None:
            continue
        reason = str(one.get("comment") or "")
        if (one.get("feedback_source") or {}).get("type") == "app":
            yield PersonVerdict(name, value, "langsmith", reason)
        else:
            yield JudgeVerdict(name, value, reason, "langsmith")


_RAGAS_FIELDS = ("user_input", "response", "retrieved_contexts", "reference", "rubrics")


def _ragas(row: Row) -> Iterator[JudgeVerdict]:
    for name, text in row.items():
        if name in _RAGAS_FIELDS or name.startswith("reference_"):
            continue
        value = number_in(text)
        if value is not None:
            yield JudgeVerdict(trait_name(name), value, judge="ragas")
        elif text in (None, ""):
            yield JudgeVerdict(trait_name(name), judge="ragas", failed="Ragas gave no score.")


def _ragas_annotation(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """`metric_output` is a person's where they edited it; the judge's is in the prompt's output."""
    name, judged = trait_name(row["metric"]), row.get("metric_output")
    prompts = [one for one in (row.get("prompts") or {}).values() if isinstance(one, dict)]
    output: Row = next((one["prompt_output"] for one in prompts if one.get("prompt_output")), {})
    verdict, reason = output.get("verdict", judged), str(output.get("reason") or "")
    yield JudgeVerdict(name, bool(verdict), reason, "ragas")
    edited = next((one["edited_output"] for one in prompts if one.get("edited_output")), None)
    if edited and "verdict" in edited:
        reason = str(edited.get("reason") or "")
        yield PersonVerdict(name, bool(edited["verdict"]), "ragas", reason)
    elif row.get("is_accepted"):
        yield PersonVerdict(name, bool(verdict), "ragas")


def _lm_eval(row: Row) -> Iterator[JudgeVerdict]:
    """lm-evaluation-harness: a number for each metric, by a rule."""
    for name in row.get("metrics") or []:
        value = row.get(name)
        if isinstance(value, int | float) and isfinite(value):
            yield JudgeVerdict(trait_name(name), float(value), judge="lm-eval")
        else:
            yield JudgeVerdict(trait_name(name), judge="lm-eval", failed=f"{name} is {value}.")


def _of_lm_eval(row: Row) -> Row:
    """A row a document and filter: the filter is part of the id."""
    answers = row.get("filtered_resps") or row.get("resps")
    while isinstance(answers, list) and answers:
        answers = answers[0]
    given = row.get("filter") or "none"
    document = table_at(row, "doc")
    asked = _at(row, "arguments.gen_args_0.arg_0")
    return known(
        {
            "id": str(row["doc_id"]) if given == "none" else f"{row['doc_id']} {given}",
            "question": document.get("question") or _spoken(_unpacked(asked)),
            "response": _spoken(answers),
            "metadata": known({"doc": document}),
            "reference": str(row.get("target", "")).strip(),
        }
    )


def _mlflow(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """An overridden verdict has `valid` false, and is the one under audit."""
    for one in row["info"].get("assessments") or []:
        source, feedback = table_at(one, "source"), table_at(one, "feedback")
        name = trait_name(str(one.get("assessment_name", one.get("name", ""))))
        by, reason = str(source.get("source_id") or "mlflow"), str(one.get("rationale") or "")
        if not feedback:
            continue
        if source.get("source_type") == "HUMAN":
            yield PersonVerdict(name, feedback.get("value"), by, reason)
        elif feedback.get("error"):
            why = table_at(feedback, "error").get("error_message") or feedback["error"]
            yield JudgeVerdict(name, judge=by, failed=str(why))
        else:
            yield JudgeVerdict(name, feedback.get("value"), reason, by)


def _of_mlflow(row: Row) -> Row:
    """The fields of a trace: whole texts are JSON in the root span's attributes."""
    spans = (row.get("data") or {}).get("spans") or []
    root: Row = next((span for span in spans if not span.get("parent_span_id")), {})
    attributes = root.get("attributes") or {}
    inputs = _unpacked(attributes.get("mlflow.spanInputs") or row["info"].get("request_preview"))
    outputs = _unpacked(attributes.get("mlflow.spanOutputs") or row["info"].get("response_preview"))
    record: Row = {
        "id": row["info"].get("trace_id"),
        "question": _only_text(inputs),
        "response": _only_text(outputs),
        "metadata": row["info"].get("tags") or {},
    }
    for one in row["info"].get("assessments") or []:
        expected = (one.get("expectation") or {}).get("value")
        if isinstance(expected, str):
            record["reference"] = expected
    return record


def _deepeval(row: Row) -> Iterator[JudgeVerdict]:
    for one in row.get("metricsData") or []:
        name, judge = trait_name(str(one.get("name", ""))), one.get("evaluationModel") or "deepeval"
        if one.get("error") or one.get("score") is None:
            why = str(one.get("error") or "DeepEval gave no score.")
            yield JudgeVerdict(name, judge=judge, failed=why)
        else:
            yield JudgeVerdict(name, float(one["score"]), str(one.get("reason") or ""), judge)


def _langfuse(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    return filter(None, map(scores.langfuse, row["trace"].get("scores") or []))


def _of_langfuse(row: Row) -> Row:
    """The fields of a trace download; what the trace lacks its root or its model calls have."""
    trace = row["trace"]
    observations = row.get("observations") or trace.get("observations") or []
    root = [one for one in observations if not one.get("parentObservationId")]
    calls = [one for one in observations if one.get("type") == "GENERATION"]
    places = [trace, *root, *calls]
    last = [trace, *root, *reversed(calls)]
    record: Row = {
        "id": trace.get("id"),
        "question": _first(places, "input"),
        "response": _first(last, "output"),
        "metadata": {"name": trace.get("name"), "tags": trace.get("tags") or []},
    }
    models = [one["model"] for one in calls if one.get("model")]
    if models:
        record["model"] = models[-1]
    return record


def _first(places: Iterable[Row], key: str) -> str:
    for place in places:
        text = _spoken(_unpacked(place.get(key)))
        if text:
            return text
    return ""


def _is_mlflow(row: Row) -> bool:
    return isinstance(row.get("info"), dict) and "trace_id" in row["info"]


def _is_langfuse(row: Row) -> bool:
    return isinstance(row.get("trace"), dict) and "projectId" in row["trace"]


def _is_annotation(row: Row) -> bool:
    return "metric" in row and isinstance(row.get("metric_input"), dict)


PRESETS = (
    Preset("ragas", _is_annotation, verdicts=_ragas_annotation),
    Preset("lm-eval", lambda row: {"doc_id", "resps"} <= row.keys(), _lm_eval, _of_lm_eval),
    Preset("mlflow", _is_mlflow, _mlflow, _of_mlflow),
    Preset("langfuse", _is_langfuse, _langfuse, _of_langfuse),
    Preset("langsmith", lambda row: {"inputs", "outputs", "feedback"} <= row.keys(), _feedback),
    Preset("braintrust", lambda row: {"scores", "experiment_id"} <= row.keys(), _scores),
    Preset("deepeval", lambda row: {"actualOutput", "metricsData"} <= row.keys(), _deepeval),
    Preset("ragas", lambda row: {"user_input", "response"} <= row.keys(), _ragas),
)


# -- reading --------------------------------------------------------------------------------------


def read(rows: Rows, name: str, kind: str, mapped: Mapping[str, str] | None = None) -> ForeignFile:
    """A table, by the preset of the tool that wrote it or by its columns' names.

    Raises Unusable where no column can be the response.
    """
    sample = list(islice(rows(), _LOOKED_AT))
    if not sample:
        raise unusable(name, "there is no row in it")
    form = None if mapped else scores.form_of(sample[0])
    if form:
        wrong = f"{form.name} scores without the answers that they are of"
        raise unusable(name, wrong, "give these as well: appellate review ANSWERS SCORES")
    preset = next((one for one in PRESETS if all(map(one.knows, sample))), None)
    given = dict(mapped or {})
    verdicts = {key: given.pop(key) for key in list(given) if key.partition(".")[0] in PARTS}
    if preset and preset.record and not given:
        record, mapping = preset.record, {"a trace": f"as {preset.name} has it"}
    else:
        mapping = _columns(sample, name, given)
        record = partial(_record, found=dict(mapping))
    _check_columns(sample, name, [*given.values(), *verdicts.values()])
    mapping |= verdicts
    if preset:
        mapping["verdicts"] = f"as {preset.name} has them"

    def traces() -> Iterator[ForeignTrace]:
        for number, row in enumerate(rows(), 1):
            fields = record(row)
            fields.setdefault("id", str(number))
            found = list(_of_columns(row, verdicts))
            if preset:
                found += preset.verdicts(row)
            judged = [one for one in found if isinstance(one, JudgeVerdict)]
            people = [one for one in found if isinstance(one, PersonVerdict)]
            yield ForeignTrace(fields, judged, people)

    called = f"{preset.name} rows" if preset else "a table"
    return ForeignFile(f"{called} ({kind})", traces, mapping, {}, [])


PARTS = ("verdict", "reason", "person")
"""`--map verdict.Safety=column`, with `reason.Safety` and `person.Safety` beside it."""


def _of_columns(row: Row, given: Mapping[str, str]) -> Iterator[JudgeVerdict | PersonVerdict]:
    """The verdicts of columns that were named."""
    for key, column in given.items():
        part, _, trait = key.partition(".")
        value = cell_value(_at(row, column))
        if part == "reason":
            continue
        if part == "person":
            if value is not None:
                yield PersonVerdict(trait_name(trait), value, column)
        elif value is None:
            yield JudgeVerdict(trait_name(trait), judge=column, failed="There is no verdict here.")
        else:
            reason = _at(row, given.get(f"reason.{trait}", ""))
            yield JudgeVerdict(trait_name(trait), value, str(reason or ""), column)


def _columns(sample: Sequence[Row], name: str, given: Mapping[str, str]) -> dict[str, str]:
    """The column of each field of a trace; raises Unusable without one for the response."""
    unknown = [key for key in given if key not in NAMES]
    if unknown:
        right = f"one of {', '.join(NAMES)}, or verdict.NAME, reason.NAME, person.NAME"
        raise unusable("--map", f"{quoted(unknown[0])} is no field of a trace", right)
    found = dict(given)
    for key, names in NAMES.items():
        if key in found:
            continue
        for column in names:
            is_filled = any(_at(row, column) not in (None, "") for row in sample)
            if is_filled and column not in found.values():
                found[key] = column
                break
    if "response" not in found and "messages" not in found:
        wrong = f"no column is the response; the columns are {columns(sample[0])}"
        nearest = closest("response", sample[0], 0.7) or "COLUMN"
        raise unusable(name, wrong, f"say which one is: --map response={nearest}")
    return found


def _check_columns(sample: Sequence[Row], name: str, wanted: Iterable[str]) -> None:
    for column in wanted:
        if all(_at(row, column) is None for row in sample):
            meant = closest(column, sample[0])
            right = f"did you mean {quoted(meant)}?" if meant else ""
            wrong = f"no row has {quoted(column)}; the columns are {columns(sample[0])}"
            raise unusable(name, wrong, right)


def _record(row: Row, found: Mapping[str, str]) -> Row:
    """The fields of a trace; what no field has goes to the metadata."""
    record: Row = {}
    for key, column in found.items():
        value = _at(row, column)
        if value not in (None, "", []):
            record[key] = _formed(key, value)
    used = {column.partition(".")[0] for column in found.values()}
    rest = {key: value for key, value in row.items() if key not in used and value is not None}
    if rest:
        record["metadata"] = {**(record.get("metadata") or {}), **rest}
    return record


def _documents(value: Any) -> list[Any]:
    found = _literal(value) if isinstance(value, str) else value
    return found if isinstance(found, list) else [str(found)]


def _table(value: Any) -> Row:
    found = _unpacked(value)
    return found if isinstance(found, dict) else {"metadata": value}


# -- values ---------------------------------------------------------------------------------------


def _at(row: Mapping[str, Any], path: str) -> Any:
    """What stands under a column, which may be a path of keys."""
    if path in row:
        return row[path]
    value: Any = row
    for key in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def _unpacked(value: Any) -> Any:
    """A value, of JSON text what it holds."""
    if isinstance(value, str) and value[:1] in ("{", "[", '"'):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _spoken(value: Any) -> str:
    """A text; of messages the last one's, of a table its only text."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and value and isinstance(value[-1], dict):
        return _spoken(value[-1].get("content"))
    if isinstance(value, list):
        return "\n".join(map(_spoken, value))
    if isinstance(value, dict):
        return _only_text(value)
    return str(value)


def _only_text(value: Any) -> str:
    """What a table says: its one text, its messages, else all of it."""
    if not isinstance(value, dict):
        return _spoken(value)
    for key in ("messages", "content", "text", "output"):
        if value.get(key):
            return _spoken(value[key])
    texts = [one for one in value.values() if isinstance(one, str) and one]
    if len(texts) == 1:
        return texts[0]
    return json.dumps(value, ensure_ascii=False)


def _literal(text: str) -> Any:
    """A list that was written as Python writes it."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _formed(key: str, value: Any) -> Any:
    """A value as a field of a trace has it."""
    match key:
        case "id" | "cluster":
            return str(value)
        case "epoch":
            return cell_value(value)
        case "documents":
            return _documents(value)
        case "messages":
            return _unpacked(value)
        case "metadata":
            return _table(value)
        case _:
            return _spoken(value)


# -- files ----------------------------------------------------------------------------------------


def csv_rows(path: Path, delimiter: str = ",") -> Rows:
    """The rows of a CSV or TSV file, read line by line."""

    def rows() -> Iterator[Row]:
        csv.field_size_limit(1 << 30)
        with path.open(encoding="utf-8-sig", newline="") as file:
            for number, row in enumerate(csv.DictReader(file, delimiter=delimiter), 2):
                if None in row:
                    wrong = f"line {number} has more cells than there are columns"
                    raise unusable(str(path), wrong)
                yield dict(row)

    return rows
