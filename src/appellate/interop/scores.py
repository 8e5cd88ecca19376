"""Rows of scores without the answers, of Langfuse, Phoenix or OpenTelemetry: each joins the answer
in another file that has its id.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from appellate.core.problem import many
from appellate.interop.cell_values import (
    CellValue,
    as_written,
    cell_value,
    known_value,
    read_cell,
    text_value,
)
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
    of_no_answer,
    table_at,
    trait_name,
)
from appellate.interop.rows import LOST_IN_EXPORTS
from appellate.interop.said_times import said_time
from appellate.store.database import from_json

Verdict = JudgeVerdict | PersonVerdict
IDS = (
    "trace_id",
    "traceId",
    "span_id",
    "context.span_id",
    "response_id",
    "gen_ai.response.id",
)
"""Further keys of an answer's metadata that a score may name it by."""


class Scores(NamedTuple):
    """Whose rows these are, the keys they name an answer by, and a row's verdict; None for none."""

    name: str
    knows: Callable[[Row], bool]
    ids: tuple[str, ...]
    verdict: Callable[[Row], Verdict | None]
    judge: Callable[[Row], JudgeVerdict | None] = lambda _row: None
    """The judge's verdict in a row whose own is a person's; None for none."""


def langfuse(score: Row) -> Verdict | None:
    """Return a score of Langfuse, from its API or an export, as a verdict.

    It is a person's if its source is ANNOTATION, by the author's id with the time, else that of the
    judge "langfuse", as is a person's without an id. A BOOLEAN score is a bool, a CATEGORICAL one
    its word, and a NUMERIC one a number. The comment is the reason; a score without a name is
    "verdict". None for a score of type TEXT or without a value.
    """
    kind = str(score.get("dataType") or score.get("data_type") or "NUMERIC")
    if kind == "TEXT":
        return None
    text = known_value(score.get("stringValue") or score.get("string_value"))
    cell = read_cell(score.get("value"))
    if kind == "BOOLEAN":
        cell = _boolean_score(cell, text)
    elif kind == "CATEGORICAL":
        cell = CellValue(text)
    if cell.value is None:
        return None
    value = cell.value
    name = trait_name(as_written(score.get("name")))
    reason = text_value(score.get("comment"))
    if score.get("source") == "ANNOTATION":
        annotator = text_value(score.get("authorUserId"))
        annotator = annotator or text_value(score.get("author_user_id")) or "langfuse"
        timestamp = said_time(*(score.get(key) for key in _LANGFUSE_TIMES))
        return PersonVerdict(
            name,
            value,
            annotator,
            reason,
            most=cell.most,
            at=timestamp,
        )
    return JudgeVerdict(name, value, reason, "langfuse", most=cell.most)


_LANGFUSE_TIMES = ("timestamp", "updatedAt", "updated_at", "createdAt", "created_at")


def _boolean_score(cell: CellValue, text: object) -> CellValue:
    """Return the bool of a BOOLEAN score of Langfuse: from its value 1 or 0, else from its text.

    The text is "True", "False", "1" or "0". `CellValue(None)` if neither is a yes or no.
    """
    for value in (cell.value, cell_value(text)):
        if value in (True, False):
            return CellValue(bool(value))
    return CellValue(None)


def phoenix(row: Row) -> Verdict | None:
    """Return an annotation of a span of Phoenix as a verdict: its score, or without one its label.

    These are in a table `result`, in columns as `result.score`, or in columns of their own. If
    `annotator_kind` is "HUMAN" it is a person's, with the time, for any other a judge's. Who it is
    by is the `identifier`, of a person also the user's id, else "phoenix". The explanation is the
    reason. None without score and label. Else raises KeyError without `name` or `annotator_kind`.
    """
    result = _result(row)
    value = cell_value(result.get("score"))
    if value is None:
        value = known_value(result.get("label"))
    if value is None:
        return None
    name = trait_name(as_written(row["name"]))
    reason = text_value(result.get("explanation"))
    identifier = text_value(row.get("identifier"))
    if row["annotator_kind"] == "HUMAN":
        annotator = identifier or text_value(row.get("user_id")) or "phoenix"
        timestamp = said_time(row.get("updated_at"), row.get("created_at"))
        return PersonVerdict(name, value, annotator, reason, at=timestamp)
    return JudgeVerdict(name, value, reason, identifier or "phoenix")


def _result(row: Row) -> Row:
    """Return a table of the `score`, `label` and `explanation` of an annotation of Phoenix.

    Each is None if the annotation does not have it. They are those of its table `result`, also as
    JSON text, else in columns of a data frame, which are called `result.score` or `score`.
    """
    inner = table_at(row, "result") or _whole_labels(row.get("result")) or {}
    result: Row = {}
    for key in ("score", "label", "explanation"):
        result[key] = inner.get(key, row.get(f"result.{key}", row.get(key)))
    return result


def _telemetry_verdict(row: Row) -> Verdict | None:
    """Return an OpenTelemetry event `gen_ai.evaluation.result` as a verdict; None without a value.

    `row` is the event or its attributes. The value is the score, or a bool if the label beside it
    is "yes" or "no"; without a score the label, which may be a table as JSON. It is a person's if
    `appellate.by` names one, with all labels and the time, else that of the judge "evaluation".
    Raises KeyError for a value without a name, and ValueError if there is no score and a label that
    begins with "{" is no JSON.
    """
    event = _event(row)
    value = cell_value(event.get("gen_ai.evaluation.score.value"))
    label = known_value(event.get("gen_ai.evaluation.score.label"))
    if value is None:
        value = label
        # a table has a value for each of several
        if isinstance(label, str) and label.startswith("{"):
            value = from_json(label)
    elif label in ("yes", "no"):  # a verdict, and no point of a scale
        value = label == "yes"
    if value is None:
        return None
    name = trait_name(as_written(event["gen_ai.evaluation.name"]))
    reason = text_value(event.get("gen_ai.evaluation.explanation"))
    if event.get("appellate.by"):
        timestamp = said_time(event.get("appellate.said_at"), event.get("appellate.at"))
        timestamp = timestamp or said_time(row.get("timeUnixNano"))
        by = str(event["appellate.by"])
        labels = _whole_labels(event.get("appellate.labels"))
        return PersonVerdict(name, value, by, reason, at=timestamp, labels=labels)
    return JudgeVerdict(name, value, reason, "evaluation")


def _event(row: Row) -> Row:
    """Return the attributes of an event of OpenTelemetry; the row itself if it has no table."""
    return table_at(row, "attributes") or row


def _judge_verdict_in_telemetry(row: Row) -> JudgeVerdict | None:
    """Return the judge's verdict in a row of our own export for OpenTelemetry; None without one.

    Such rows have a person's verdict (`appellate.by`) and beside it the judge's labels or value.
    None without a person's, and without either. Raises KeyError without a name, and ValueError for
    a value that begins with "{" and is no JSON.
    """
    event = _event(row)
    labels = _whole_labels(event.get("appellate.judge_labels"))
    value = cell_value(event.get("appellate.judge_value"))
    if isinstance(value, str) and value.startswith("{"):  # a value for each of several
        value = from_json(value)
    if not event.get("appellate.by") or (labels is None and value is None):
        return None
    return JudgeVerdict(
        trait_name(as_written(event["gen_ai.evaluation.name"])),
        value,
        text_value(event.get("appellate.judge_explanation")),
        str(event.get("appellate.judge") or ""),
        labels=labels,
    )


def _whole_labels(text: object) -> Row | None:
    """Return the labels in a JSON text of a table, without blanks before it; None for anything
    else.

    None for a table that is no text, for {} and for broken JSON, too.
    """
    if not isinstance(text, str) or not text.startswith("{"):
        return None
    try:
        labels = from_json(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(labels, dict) and labels:
        return labels
    return None


FORMS = (
    Scores(
        "langfuse",
        lambda row: (
            {"trace_id", "name", "data_type", "source"} <= row.keys()
            or {"traceId", "name", "dataType", "source"} <= row.keys()
        ),
        (
            "observation_id",
            "trace_id",
            "execution_trace_id",
            "observationId",
            "traceId",
        ),
        langfuse,
    ),
    Scores(
        "phoenix",
        lambda row: {"span_id", "name", "annotator_kind"} <= row.keys(),
        ("span_id",),
        phoenix,
    ),
    Scores(
        "OpenTelemetry",
        lambda row: "gen_ai.evaluation.name" in _event(row),
        ("gen_ai.response.id", "traceId"),
        _telemetry_verdict,
        _judge_verdict_in_telemetry,
    ),
)


def form_of(row: Row) -> Scores | None:
    """Return the tool's form of scores that a row has by its keys, or None if it is no score."""
    return next((form for form in FORMS if form.knows(row)), None)


def _with_scores(
    trace: ForeignTrace,
    scores: Mapping[str, Sequence[tuple[object, Verdict]]],
) -> ForeignTrace:
    """Return a new trace with the scores on it added behind the verdicts that it has.

    `scores` has (epoch, verdict) by an answer's id; None as epoch fits any. They are looked up
    under the trace's own id and under the ids in its metadata. A verdict on another epoch is left
    out; a trace that names no epoch is of epoch 1. If the trace is unanswered and has no response,
    added verdicts of a judge become failed ones, and those of people stay as they are.
    """
    epoch = trace.record.get("epoch", 1)
    judged: list[JudgeVerdict] = []
    people: list[PersonVerdict] = []
    for name in _ids_of_answer(trace):
        for epoch_of_verdict, verdict in scores.get(name, ()):
            if epoch_of_verdict not in (None, epoch):
                continue
            if isinstance(verdict, JudgeVerdict):
                judged.append(verdict)
            else:
                people.append(verdict)
    if trace.unanswered and not trace.record.get("response"):
        judged = of_no_answer(judged, trace.unanswered)
    return ForeignTrace(
        trace.record,
        [*trace.judged, *judged],
        [*trace.people, *people],
        trace.unanswered,
    )


def _clauses_on_left_out(strangers: int, notes: int, own_count: int) -> Iterator[str]:
    """Yield clauses on what of a file of scores has no place here; nothing if all of it has.

    `strangers` counts scores of no answer, and `notes` counts rows without a verdict; each
    has a clause if it is not 0. `own_count` counts rows that Appellate exported. If there
    are any, clauses follow on what such an export does not have of its audit
    (`LOST_IN_EXPORTS`).
    """
    if strangers:
        yield f"{many(strangers, 'score')} of no answer in the other file"
    if notes:
        yield f"{many(notes, 'row')} without a verdict"
    if own_count:
        yield from LOST_IN_EXPORTS


def joined(answers: ForeignFile, rows: Iterable[Row], form: Scores) -> ForeignFile:
    """Return a copy of the answers' file with the scores of another file as further verdicts.

    `rows` are the scores, read once and held in memory, and `form` is their tool's. All answers are
    read once here as well. The first of a score's ids that is the id of an answer, or an id in its
    metadata, says which answer it is on. A score that names an epoch goes only to that epoch, and
    is dropped if the answer has no such epoch. `lost` counts scores of no answer and rows that are
    no verdict, and says what rows that Appellate exported do not hold. The notes are those of the
    answers. A rubric of the answers' file, and errors kept for a table without a column of ids or
    verdicts, are not in the copy. Raises what `form.verdict` and `form.judge` raise for a row,
    which are KeyError and ValueError, and what reading the answers raises.
    """
    answer_names: set[str] = set()
    for trace in answers.traces():
        answer_names.update(_ids_of_answer(trace))
    scores: dict[str, list[tuple[object, Verdict]]] = defaultdict(list)
    strangers = notes = own_count = 0
    for row in rows:
        verdict = form.verdict(row)
        event = table_at(row, "attributes") | row
        own_count += "appellate.by" in event
        ids = [as_written(event.get(key)) for key in form.ids]
        answer_name = next(filter(answer_names.__contains__, ids), None)
        if verdict is None:
            notes += 1
        elif answer_name is None:
            strangers += 1
        else:
            epoch = cell_value(event.get("appellate.epoch"))
            judged_verdict = form.judge(row)
            if judged_verdict is not None:
                scores[answer_name].append((epoch, judged_verdict))
            scores[answer_name].append((epoch, verdict))

    def traces() -> Iterator[ForeignTrace]:
        """Yield the answers in order with the scores on them added behind their verdicts.

        A score on another epoch is left out; one without an epoch fits any. If a trace is
        unanswered and has no response, the scores of a judge become failed verdicts, and those of
        people stay as they are. These are new traces.
        """
        for trace in answers.traces():
            yield _with_scores(trace, scores)

    lost = [*answers.lost, *_clauses_on_left_out(strangers, notes, own_count)]
    mapping = {
        **answers.mapping,
        "verdicts": f"{form.name} scores, by {', '.join(form.ids)}",
    }
    return replace(
        answers,
        form=f"{answers.form} with {form.name} scores",
        traces=traces,
        mapping=mapping,
        lost=lost,
        untold=None,
        unjudged=None,
        rubric=None,
    )


def _ids_of_answer(trace: ForeignTrace) -> list[str]:
    """Return the ids by which scores may name an answer: its own first, then those in its metadata.

    In the metadata these are the values under the keys `IDS`, and `span_id` in a table `context`.
    Each comes once, as text; what is empty, None or 0 is left out.
    """
    metadata = table_at(trace.record, "metadata")
    names = [
        trace.record.get("id"),
        *map(metadata.get, IDS),
        table_at(metadata, "context").get("span_id"),
    ]
    return list(dict.fromkeys(str(name) for name in names if name))
