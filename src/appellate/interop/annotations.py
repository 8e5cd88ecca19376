"""Records of annotation tools, Label Studio and Argilla: several people on one answer.

Both have what is annotated in a table (`data`, `fields`), what people said, and what a model
suggested, which is the judge's here. `tables.PRESETS` names the functions of this module.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appellate.interop.cell_values import cell_value, text_value
from appellate.interop.foreign import (
    JudgeVerdict,
    PersonVerdict,
    Row,
    table_at,
    trait_name,
    with_response,
    without_empty,
)
from appellate.interop.said_times import said_time

Verdicts = Iterator[JudgeVerdict | PersonVerdict]
_ANNOTATED = "text"
"""The name of what is annotated where a project has but one text."""
_REMARK = re.compile(
    r"(^|[_\W])(reason|why|comment|explanation|note|rationale|remark)s?($|[_\W])",
    re.IGNORECASE,
)
"""The name of a question whose answer is the reason of others."""


def record(row: Row, head: str, names: Mapping[str, Sequence[str]]) -> Row:
    """Return the fields of an annotated answer, of what is under the key `head`.

    `names` are the names by which each field of a trace is known; the rest is metadata. If no text
    is known as response, it is the one that annotations of Label Studio are about, else the one
    called `text`, else the only text. Without such a text there is no response. The address of an
    image or a sound is no text.
    """
    fields = table_at(row, head)
    columns: dict[str, str] = {}
    for key in ("response", "question", "reference", "model"):
        for name in names[key]:
            if name in fields and name not in columns.values():
                columns[key] = name
                break
    texts = [name for name, value in fields.items() if _is_text(value)]
    if "response" not in columns:
        likely_names = [*_annotated_fields(row), _ANNOTATED]
        if len(texts) == 1:
            likely_names.append(texts[0])
        annotated = next((name for name in likely_names if name in texts), "")
        if annotated:
            columns = {key: name for key, name in columns.items() if name != annotated}
            columns["response"] = annotated
    rest = {
        name: value for name, value in fields.items() if name not in columns.values()
    }
    traced: Row = {
        key: str(fields[name]) for key, name in columns.items() if key != "response"
    }
    metadata: Row = without_empty(
        {**table_at(row, "meta"), **table_at(row, "metadata"), **rest}
    )
    traced |= {"id": str(row.get("id", "")), "metadata": metadata}
    response = fields.get(columns["response"]) if "response" in columns else None
    return with_response(
        without_empty(traced), None if response is None else str(response)
    )


_ADDRESS = re.compile(r"(?:https?|s3|gs|azure-blob)://\S+|/data/\S+|data:\w+/\S+")
"""Where an image, a sound or a video lies that Label Studio shows."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not _ADDRESS.fullmatch(value.strip())


def _annotated_fields(row: Row) -> list[str]:
    """Return what the results of a task's annotations are about, as `to_name` has it, each once.

    That is the name of a tag, which is often that of the field that it shows, with `$` before it or
    not. Empty for a record of another tool.
    """
    names: dict[str, None] = {}
    for annotation in row.get("annotations") or []:
        for result in annotation.get("result") or []:
            names[str(result.get("to_name", "")).removeprefix("$")] = None
    return list(names)


# -- Label Studio ---------------------------------------------------------------------------------


def is_label_studio(row: Row) -> bool:
    """Return whether a row is a task of Label Studio with annotations."""
    return isinstance(row.get("data"), dict) and isinstance(
        row.get("annotations"), list
    )


def label_studio(row: Row) -> Verdicts:
    """Yield a model's predictions and then people's annotations of a task, as verdicts.

    Each has a verdict for every tag with a value. Annotations that were cancelled are left out, as
    are predictions named by number only.
    """
    for prediction in row.get("predictions") or []:
        if not isinstance(prediction, dict):
            continue  # exports may name predictions by number alone
        values, reasons = _results(prediction.get("result") or [])
        judge = str(prediction.get("model_version") or "label-studio")
        for name, value in values.items():
            yield JudgeVerdict(
                trait_name(name), value, _reason(name, values, reasons), judge
            )
    for annotation in row["annotations"]:
        if annotation.get("was_cancelled"):
            continue
        values, reasons = _results(annotation.get("result") or [])
        annotator = _annotator(annotation.get("completed_by"))
        timestamp = said_time(
            annotation.get("updated_at"), annotation.get("created_at")
        )
        for name, value in values.items():
            reason = _reason(name, values, reasons)
            yield PersonVerdict(
                trait_name(name), value, annotator, reason, at=timestamp
            )


def _annotator(completed_by: Any) -> str:
    """Return the name of an annotator, whom exports have as a number or as a table.

    Of a table it is the email, else the user's name, the first name or the id. A number is
    "annotator 7". If nobody is named it is "label-studio".
    """
    if isinstance(completed_by, dict):
        for key in ("email", "username", "first_name", "id"):
            if completed_by.get(key):
                return str(completed_by[key])
    if completed_by in (None, "", {}):
        return "label-studio"
    return (
        f"annotator {completed_by}"
        if isinstance(completed_by, int)
        else str(completed_by)
    )


def _results(results: Sequence[Row]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values that an annotation gives, and its texts, both by the name of the tag.

    Values are single choices, ratings and numbers. Regions and several choices at once are no
    value.
    """
    values: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for result in results:
        name = str(result.get("from_name", ""))
        value = table_at(result, "value")
        match result.get("type"):
            case "choices":
                choices = value.get("choices") or []
                if len(choices) == 1:
                    values[name] = cell_value(choices[0])
            case "rating" | "number":
                values[name] = cell_value(value.get(str(result["type"])))
            case "textarea":
                text = value.get("text") or []
                texts[name] = (
                    text if isinstance(text, str) else "\n".join(map(str, text))
                )
            case _:
                pass
    return {name: value for name, value in values.items() if value is not None}, texts


# -- Argilla --------------------------------------------------------------------------------------


def is_argilla(row: Row) -> bool:
    """Return whether a row is a record of Argilla."""
    return (
        isinstance(row.get("fields"), dict)
        and {"responses", "suggestions"} <= row.keys()
    )


def argilla(row: Row) -> Verdicts:
    """Yield the suggestions, then the responses of a record, of Argilla 1 and 2, as verdicts.

    Only submitted responses count. A suggestion is the judge's, named after its agent.
    """
    suggestions: dict[str, Any] = {}
    agents: dict[str, str] = {}
    for name, suggestion in _suggested(row["suggestions"]):
        suggestions[name] = suggestion.get("value")
        agents[name] = str(suggestion.get("agent") or "argilla")
    values, reasons = _apart(suggestions)
    for name, value in values.items():
        reason = _reason(name, values, reasons)
        yield JudgeVerdict(trait_name(name), value, reason, agents[name])
    for annotator, answers, timestamp in _responses(row["responses"]):
        values, reasons = _apart(answers)
        for name, value in values.items():
            reason = _reason(name, values, reasons)
            yield PersonVerdict(
                trait_name(name), value, annotator, reason, at=timestamp
            )


def _suggested(suggestions: Any) -> Iterator[tuple[str, Row]]:
    """Yield the name of each suggestion's question, and the suggestion, of Argilla 1 or 2."""
    if isinstance(suggestions, dict):
        yield from suggestions.items()
        return
    for suggestion in suggestions or []:
        yield (
            str(suggestion.get("question_name") or suggestion.get("question")),
            suggestion,
        )


def _responses(responses: Any) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield for each person who they are, their answers by the name of the question, and when.

    A response that was discarded, or is a draft, is left out. The time is "" if it is not known,
    and that of the last answer if each has one.
    """
    if isinstance(responses, list):  # Argilla 1: one response a person
        for response in responses:
            if response.get("status", "submitted") == "submitted":
                answers = {
                    name: answer.get("value")
                    for name, answer in response["values"].items()
                }
                timestamp = said_time(
                    response.get("updated_at"), response.get("inserted_at")
                )
                yield str(response.get("user_id") or "argilla"), answers, timestamp
        return
    by_person: dict[str, dict[str, Any]] = {}
    times: dict[str, str] = {}
    for name, answers_to_question in (responses or {}).items():
        for response in answers_to_question:
            if (response.get("status") or "submitted") != "submitted":
                continue
            annotator = str(response.get("user_id") or "argilla")
            by_person.setdefault(annotator, {})[name] = response.get("value")
            times[annotator] = said_time(
                response.get("updated_at"), response.get("inserted_at")
            )
    for annotator, answers in by_person.items():
        yield annotator, answers, times[annotator]


def _apart(answers: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values among answers, and the texts of reasons, both by the question's name.

    A name such as `comment` makes an answer a reason. Rankings, spans and several labels at once
    are no value.
    """
    values: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for name, answer in answers.items():
        if _REMARK.search(name):
            reasons[name] = text_value(answer)
        elif (
            isinstance(answer, str | bool | int | float)
            and cell_value(answer) is not None
        ):
            values[name] = cell_value(answer)
    return values, reasons


def _reason(name: str, values: Mapping[str, Any], reasons: Mapping[str, str]) -> str:
    """Return the reasons for the value `name`: those called after it, and those of all values.

    A reason that is called after another value is that value's.
    """
    texts: list[str] = []
    for called, text in reasons.items():
        owners = [
            value for value in values if value and value.casefold() in called.casefold()
        ]
        if name in owners or not owners:
            texts.append(text)
    return "\n".join(filter(None, texts))
