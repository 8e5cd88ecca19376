"""Records of annotation tools, Label Studio and Argilla: several people on one answer.

Both have what is annotated in a table (`data`, `fields`), what people said, and what a model
suggested, which is the judge's here. `tables.PRESETS` names the functions of this module.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from appellate.core.messages import answer_in
from appellate.interop.annotated_chats import (
    annotations_of,
    answers_of_regions,
    chat_column,
    has_roles,
    messages_of,
    predictions_of,
    results_of,
    transcript,
)
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
    """Return the trace record of one annotated answer of Label Studio or Argilla.

    `row` is the tool's whole record and `head` the key of its table of columns: `data` in Label
    Studio, `fields` in Argilla. `names` has for our fields response, question, reference and model
    the column names that count as each (`_columns_of_fields`). A chat gives messages, and the
    assistant's last words as response. Without a chat, and without a column of the response that
    has a value, there is no "response". The record also has "id", and "metadata" with all other
    columns and the row's `meta` and `metadata`. Empty values are left out, except for an empty
    response. `row` is not changed.
    """
    fields = table_at(row, head)
    columns, chat = _columns_of_fields(row, fields, names)
    used_columns = {*columns.values(), chat}
    rest = {name: value for name, value in fields.items() if name not in used_columns}
    traced: Row = {}
    for key, name in columns.items():
        if key != "response" and fields[name] is not None:
            traced[key] = str(fields[name])
    metadata: Row = without_empty(
        {**table_at(row, "meta"), **table_at(row, "metadata"), **rest},
    )
    traced |= {"id": text_value(row.get("id")), "metadata": metadata}
    if chat:
        return _with_conversation(without_empty(traced), messages_of(fields[chat]))
    response = fields.get(columns["response"]) if "response" in columns else None
    return with_response(
        without_empty(traced),
        None if response is None else str(response),
    )


def _columns_of_fields(
    row: Row,
    fields: Row,
    names: Mapping[str, Sequence[str]],
) -> tuple[dict[str, str], str]:
    """Return the columns of an annotated record's fields by our names, and that of a chat or "".

    `fields` is the table of columns in `row`. A field has the first of its column names that the
    table has and no earlier field has. A chat is looked for only if the response has no column.
    Without a chat, the response is then the text that Label Studio's annotations are about, else
    the column `text`, else the only text, and no other field has that column. A text that is only
    the address of an image or a sound does not count.
    """
    columns: dict[str, str] = {}
    for key in ("response", "question", "reference", "model"):
        for name in names[key]:
            if name in fields and name not in columns.values():
                columns[key] = name
                break
    if "response" in columns:
        return columns, ""
    chat = chat_column(fields)
    if chat:
        return columns, chat

    texts = [name for name, value in fields.items() if _is_text(value)]
    likely_names = [*_annotated_fields(row), _ANNOTATED]
    if len(texts) == 1:
        likely_names.append(texts[0])
    for likely_name in likely_names:
        if likely_name in texts:
            columns = {
                key: name for key, name in columns.items() if name != likely_name
            }
            columns["response"] = likely_name
            break
    return columns, ""


def _with_conversation(traced: Row, messages: Sequence[Row]) -> Row:
    """Return a copy of a trace's record with a chat's messages, and the assistant's last words.

    The chat is of Label Studio. `messages` are a copy of the list, also if it is empty, and
    `response` is "" if the assistant says nothing. If a speaker has no role, as "Alice" in a
    dialogue of people, there are no messages: the response is the whole dialogue, a line for each
    message.
    """
    if not has_roles(messages):
        return with_response(traced, transcript(messages))
    traced = {**traced, "messages": list(messages)}
    return with_response(traced, answer_in(messages))


_ADDRESS = re.compile(r"(?:https?|s3|gs|azure-blob)://\S+|/data/\S+|data:\w+/\S+")
"""Where an image, a sound or a video lies that Label Studio shows."""


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not _ADDRESS.fullmatch(value.strip())


def _annotated_fields(row: Row) -> list[str]:
    """Return the columns that a Label Studio task's annotations are about, each once, in order.

    They are the `to_name` of each result, without a "$" before it. `to_name` names a tag, which
    often is called like the column that it shows; it may also be no column at all, or "". Empty for
    a row without annotations, as those of other tools.
    """
    names: dict[str, None] = {}
    for annotation in annotations_of(row):
        for result in results_of(annotation):
            tag = str(result.get("to_name", ""))
            names[tag.removeprefix("$")] = None
    return list(names)


# -- Label Studio ---------------------------------------------------------------------------------


def is_label_studio(row: Row) -> bool:
    """Return whether a row is a task of Label Studio: `data` is a table, with labels beside it.

    Labels are a list `annotations`, which may be empty. A task that is still to be imported
    into Label Studio may instead have a list `predictions` in which an entry has a
    `result`.
    """
    if not isinstance(row.get("data"), dict):
        return False
    predictions = row.get("predictions")
    is_predicted = isinstance(predictions, list) and any(
        isinstance(prediction, dict) and "result" in prediction
        for prediction in predictions
    )
    return is_predicted or isinstance(row.get("annotations"), list)


def label_studio(row: Row) -> Verdicts:
    """Yield the verdicts of a Label Studio task: a model's predictions, then people's annotations.

    A prediction yields JudgeVerdicts by its `model_version`, else by "label-studio". An
    annotation yields PersonVerdicts by who completed it, else by "label-studio", with its
    time. Each gives one verdict for each tag that has a single choice, a rating or a number
    on the whole task. The reason of a verdict is made of the texts beside it, without texts
    that are named after another tag. Several choices at once, labels of regions, cancelled
    annotations, and annotations and predictions that are no table are left out.
    """
    for prediction in predictions_of(row):
        values, reasons = _values_and_texts(results_of(prediction))
        judge = str(prediction.get("model_version") or "label-studio")
        for name, value in values.items():
            yield JudgeVerdict(
                trait_name(name),
                value,
                _reason_for(name, values, reasons),
                judge,
            )
    for annotation in annotations_of(row):
        if annotation.get("was_cancelled"):
            continue
        values, reasons = _values_and_texts(results_of(annotation))
        annotator = _annotator_name(annotation.get("completed_by"))
        timestamp = said_time(
            annotation.get("updated_at"),
            annotation.get("created_at"),
        )
        for name, value in values.items():
            reason = _reason_for(name, values, reasons)
            yield PersonVerdict(
                trait_name(name),
                value,
                annotator,
                reason,
                at=timestamp,
            )


def _annotator_name(completed_by: Any) -> str:
    """Return the name of the person of a Label Studio annotation, from its `completed_by`.

    Exports have a number or a table there. A table's email is the name, else its
    `username`, `first_name` or `id`; a table with none of these is written out as text. The
    number 7 becomes "annotator 7", and a text stays. For None, "" and {} it is
    "label-studio".
    """
    if isinstance(completed_by, dict):
        for key in ("email", "username", "first_name", "id"):
            if completed_by.get(key):
                return str(completed_by[key])
    if completed_by in (None, "", {}):
        return "label-studio"
    if isinstance(completed_by, int):
        return f"annotator {completed_by}"
    return str(completed_by)


def _values_and_texts(results: Sequence[Row]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the values and the free texts of one Label Studio annotation, both by its tags.

    `results` are its results, such as `{"from_name": "ok", "type": "choices", "value":
    {"choices": ["yes"]}}`; the tag is the `from_name`. The first dict has single choices,
    ratings and numbers, in which a text that is "true", "false" or a number becomes a bool
    or number. The second has the texts of `textarea`, with several lines joined. Results on
    a region or a single message, values that say nothing, several choices at once and all
    other types are left out. If a tag has several results the last one counts.
    """
    values: dict[str, Any] = {}
    texts: dict[str, str] = {}
    about_regions = answers_of_regions(results)
    for index, result in enumerate(results):
        if index in about_regions:
            continue
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
                if not isinstance(text, str):
                    text = "\n".join(map(str, text))
                texts[name] = text
            case _:
                pass
    filled_values = {name: value for name, value in values.items() if value is not None}
    return filled_values, texts


# -- Argilla --------------------------------------------------------------------------------------


def is_argilla(row: Row) -> bool:
    """Return whether a row is a record of Argilla 1 or 2.

    It is if `fields` is a table and the keys `responses` and `suggestions` exist.
    """
    return (
        isinstance(row.get("fields"), dict)
        and {"responses", "suggestions"} <= row.keys()
    )


def argilla(row: Row) -> Verdicts:
    """Yield the verdicts of one record of Argilla 1 or 2: its suggestions, then people's responses.

    A suggestion yields a JudgeVerdict by its agent, else by "argilla". A submitted response yields
    a PersonVerdict for each of its answers; drafts and discarded ones are left out. An answer to a
    question named like `comment` or `reason` is not a verdict but a reason. One called
    `tone_reason` is that of the answer `tone`; one that names no answer is that of all answers of
    the person, or of all suggestions. Rankings, spans and lists of labels are left out, and so is
    what is no table where one should be. Raises KeyError without either key.
    """
    suggestions: dict[str, Any] = {}
    agents: dict[str, str] = {}
    for name, suggestion in _suggestions_by_question(row["suggestions"]):
        suggestions[name] = suggestion.get("value")
        agents[name] = str(suggestion.get("agent") or "argilla")
    values, reasons = _verdicts_and_reasons(suggestions)
    for name, value in values.items():
        reason = _reason_for(name, values, reasons)
        yield JudgeVerdict(trait_name(name), value, reason, agents[name])
    for response in _responses_of_people(row["responses"]):
        values, reasons = _verdicts_and_reasons(response.answers)
        for name, value in values.items():
            reason = _reason_for(name, values, reasons)
            yield PersonVerdict(
                trait_name(name),
                value,
                response.annotator,
                reason,
                at=response.timestamp,
            )


def unreadable_responses(row: Row) -> int:
    """Return how many responses in an Argilla record cannot be read, and so are left out.

    A response cannot be read if it is no table. In Argilla 1 a response is of one person;
    in Argilla 2 it is one person's answer to one question. Suggestions are not counted.
    """
    responses = row.get("responses")
    if isinstance(responses, Mapping):
        entries: list[Any] = []
        for answers_to_question in responses.values():
            entries += _listed(answers_to_question)
    else:
        entries = _listed(responses)
    return sum(not isinstance(entry, dict) for entry in entries)


def _listed(value: object) -> list[Any]:
    """Return a list itself, [] for None, and for any other value a list with only that value."""
    if value is None:
        return []
    if isinstance(value, list):
        return value
    return [value]


class _Response(NamedTuple):
    """What one person answered in one record of Argilla."""

    annotator: str
    """The person's id; "argilla" without one."""
    answers: dict[str, Any]
    """Their answers by the question's name."""
    timestamp: str
    """When they answered, as `said_time` has it; "" where the file does not say."""


def _suggestions_by_question(suggestions: Any) -> Iterator[tuple[str, Row]]:
    """Yield (name of the question, suggestion) for each suggestion of an Argilla record.

    `suggestions` is a dict by the question's name in Argilla 2, and a list of tables that name
    their question in Argilla 1. A suggestion that is no table is left out. Nothing for None or an
    empty one.
    """
    if isinstance(suggestions, dict):
        for name, suggestion in suggestions.items():
            if isinstance(suggestion, dict):
                yield name, suggestion
        return
    for suggestion in _listed(suggestions):
        if isinstance(suggestion, dict):
            name = suggestion.get("question_name") or suggestion.get("question")
            yield str(name), suggestion


def _responses_of_people(responses: Any) -> Iterator[_Response]:
    """Yield what each person answered in an Argilla record, all answers of a person together.

    `responses` is a list of whole responses in Argilla 1, which are yielded in its order.
    In Argilla 2 it is a dict of answers by question, which `_responses_by_question` gathers
    by person. Only tables whose status is "submitted" or missing count. Nothing is yielded
    for None.
    """
    if isinstance(responses, dict):
        yield from _responses_by_question(responses)
        return
    for response in _listed(responses):
        if not _is_submitted(response):
            continue
        answers: dict[str, Any] = {}
        for name, answer in table_at(response, "values").items():
            if isinstance(answer, dict):
                answers[name] = answer.get("value")
        yield _Response(_user_of(response), answers, _time_of_response(response))


def _responses_by_question(responses: Mapping[str, Any]) -> Iterator[_Response]:
    """Yield what each person answered, from Argilla 2's lists of answers by the question's name.

    People come in the order of their first answers. If a person answered a question several
    times, the last answer counts. A person's time is that of their answer that comes last
    in the file. Answers without a user are those of one person, "argilla". Only submitted
    answers count.
    """
    by_person: dict[str, dict[str, Any]] = {}
    times: dict[str, str] = {}
    for name, answers_to_question in responses.items():
        for answer in _listed(answers_to_question):
            if not _is_submitted(answer):
                continue
            annotator = _user_of(answer)
            answers = by_person.setdefault(annotator, {})
            answers[name] = answer.get("value")
            times[annotator] = _time_of_response(answer)
    for annotator, answers in by_person.items():
        yield _Response(annotator, answers, times[annotator])


def _is_submitted(response: object) -> bool:
    """Return whether a response of Argilla is a table whose status is "submitted" or missing."""
    if not isinstance(response, dict):
        return False
    return (response.get("status") or "submitted") == "submitted"


def _user_of(response: Row) -> str:
    return str(response.get("user_id") or "argilla")


def _time_of_response(response: Row) -> str:
    return said_time(response.get("updated_at"), response.get("inserted_at"))


def _verdicts_and_reasons(
    answers: Mapping[str, Any],
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the verdicts among one person's or model's answers in Argilla, and the reasons.

    Both are by question. An answer to a question with a name such as `comment`, `why` or
    `quality_reason` is a reason, as text. Any other single text, number or bool is a
    verdict; a text that is "true", "false" or a number becomes a bool or number. Answers
    that say nothing, lists, and tables such as rankings are left out.
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


def _reason_for(
    name: str,
    values: Mapping[str, Any],
    reasons: Mapping[str, str],
) -> str:
    """Return the reason for the verdict called `name` of one person or judge; "" if there is none.

    `values` are all their verdicts, and `reasons` their free texts, both by name. A reason belongs
    to the verdicts whose name is in its own name, in any case: `tone_reason` to `tone`, and
    `q10_reason` to `q10` but not to `q1`. A reason with no verdict's name in it belongs to every
    verdict. Several reasons are joined by line ends.
    """
    texts: list[str] = []
    for reason_name, text in reasons.items():
        owners = _names_within(reason_name, values)
        if text and (name in owners or not owners):
            texts.append(text)
    return "\n".join(texts)


def _names_within(text: str, names: Iterable[str]) -> list[str]:
    """Return the names that are in a text in any case, without those that are in another of them.

    "" is in no text.
    """
    within = [name for name in names if name and name.casefold() in text.casefold()]
    spellings = {name.casefold() for name in within}
    longest: list[str] = []
    for name in within:
        others = spellings - {name.casefold()}
        if not any(name.casefold() in other for other in others):
            longest.append(name)
    return longest
