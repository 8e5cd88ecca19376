"""A Trace from one record of a file, and whether the labels in it can be used (SPEC 5)."""

from collections.abc import Iterator, Mapping
from sys import float_info
from typing import Any

from pydantic import ValidationError

from appellate.core.kind import AnyKind, Fault, KnownTrait, Table
from appellate.core.problem import (
    Problem,
    describe_value,
    first_texts,
    quoted,
    unknown_key,
)
from appellate.core.trace import OtherResponse, Trace
from appellate.store.files.trace_source import Record, surrogates
from appellate.store.files.wording import faults
from appellate.traits.kinds import kinds
from appellate.traits.rubric import id_text

_TEXT = (str, "text")
_WHOLE = (int, "a whole number")
_AMOUNT = ((int, float), "a number")
_READING_TEXTS = ("read", "text_sha256")
RECORD: Mapping[str, tuple[Any, str]] = {
    **dict.fromkeys(
        ("name", "model", "prompt_sha256", "template_sha256", "error", *_READING_TEXTS),
        _TEXT,
    ),
    **dict.fromkeys(("tokens", "tokens_in", "tokens_out", "transcript"), _WHOLE),
    **dict.fromkeys(("cost", "full_cost", "latency"), _AMOUNT),
    "parameters": (Mapping, "a table"),
    "cached": (bool, "true or false"),
}
"""What a judge's table says of the judge beside the labels: the type of each key, and its name."""
_NOT_RECORDED = (
    "template_sha256",
    "error",
    "cached",
    "full_cost",
    "read",
    "text_sha256",
    "transcript",
)
_RECORDED = (
    *(key for key in RECORD if key not in _NOT_RECORDED),
    *("n", "at"),  # an audit's judge table has these two
)


def record_faults(table: Table) -> Iterator[Fault]:
    """Yield a fault for each key about the judge whose value in a table of labels has a wrong type.

    The keys, as "tokens_in", stand in the table beside the labels. A number that no float can hold
    is a fault; a key that is missing or None is none.
    """
    for key, (kind, name) in RECORD.items():
        value = table.get(key)
        if value is None:
            continue
        is_of_kind = isinstance(value, kind)
        if isinstance(value, bool):  # which Python counts among whole numbers
            is_of_kind = kind is bool
        if isinstance(value, int) and abs(value) > float_info.max:
            is_of_kind = False
        if not is_of_kind:
            shown_value = describe_value(value)
            yield Fault((key,), f"must be {name}, not {shown_value}")


def label_faults(
    table: Table,
    trace: Trace,
    trait: KnownTrait | None,
) -> Iterator[Fault]:
    """Yield everything that is wrong with one recorded table of labels of a trace.

    `trait` is the trait they are for. If it is None, they are checked as labels of the kind that
    has most of the table's keys; a table with no key of any kind has that one fault.
    """
    kind = trait.kind if trait else _likeliest_kind(table)
    if kind is None:
        keys_of_kinds = [", ".join(each.label_keys) for each in kinds().values()]
        known_keys = " or ".join(keys_of_kinds)
        yield Fault((), f"has none of the keys of any labels: {known_keys}")
        return
    keys = (*kind.label_keys, "items", *_RECORDED)
    for key in table:
        if key not in keys:
            yield Fault((key,), *unknown_key(key, keys))
    yield from record_faults(table)
    yield from kind.faults(trait.trait if trait else None, trace, table)


def _likeliest_kind(table: Table) -> AnyKind | None:
    """Return the kind whose labels have the most of a table's keys; None if none has any.

    Of kinds with as many, it is the first in the order of kinds.
    """
    shared = {
        name: len(table.keys() & set(kind.label_keys)) for name, kind in kinds().items()
    }
    most = max(shared, key=lambda name: shared[name])
    if not shared[most]:
        return None
    return kinds()[most]


def without_nulls(table: object) -> object:
    """Return a copy of a recorded table of labels without JSON's nulls, as TOML has it.

    Keys whose value is null are left out at all depths. A null in a list is left out of `items`, of
    what is kept of the judge, and of any list in a table below. It stays in the table's other
    lists, where it stands for a label, so that it is found as a fault. A value that is not a table
    is returned unchanged.
    """
    if not isinstance(table, dict):
        return table
    result: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, list) and key not in (*_RECORDED, "items"):
            result[key] = [
                _deeply_without_nulls(element) if isinstance(element, dict) else element
                for element in value
            ]
        elif value is not None:
            result[key] = _deeply_without_nulls(value)
    return result


def _deeply_without_nulls(value: object) -> object:
    """Return a value without the nulls in it, at all depths of its tables and lists.

    A null given itself is returned, and so is any other value that is no table or list.
    """
    if isinstance(value, dict):
        below = value.values()
        if None in below or not _NESTED.isdisjoint(map(type, below)):
            return {
                key: _deeply_without_nulls(element)
                for key, element in value.items()
                if element is not None
            }
    elif isinstance(value, list):
        return [
            _deeply_without_nulls(element) for element in value if element is not None
        ]
    return value


_NESTED = {dict, list}


FIELDS = frozenset(Trace.model_fields)
ALIASES = {
    "input": "question",
    "prompt": "question",
    "output": "response",
    "answer": "response",
    "completion": "response",
    "target": "reference",
    "ideal": "reference",
}
IDS = ("id", "question_id", "cluster")
KNOWN = {"": tuple(FIELDS), "other": tuple(OtherResponse.model_fields)}
_COLUMNS = 16
"""So many columns of a record without a response are named."""


def trace_of(record: Record, file: str) -> tuple[Trace, list[str]] | list[Problem]:
    """Return the trace of a record, and the keys that went to its metadata, in order.

    If anything is wrong with the record, all its problems are returned instead; it raises nothing.
    `file` is named in them.
    """
    if not isinstance(record.value, dict):
        wrong = f"a trace must be a table (a JSON object), not {describe_value(record.value)}"
        return [Problem(file, record.place(), wrong)]
    if record.suspect:
        lone = list(surrogates(record.value))
        if lone:
            return [Problem(file, record.place(path), wrong) for path, wrong in lone]
    fields, strays = _fields(record.value)
    try:
        return Trace.model_validate(fields), strays
    except ValidationError as error:
        field_faults = faults(error, fields, KNOWN)
        return [
            Problem(file, record.place(path), *texts) for path, *texts in field_faults
        ]


def columns(value: Table) -> str:
    """Return the keys of a record, in quotes, up to `_COLUMNS` of them and how many more there are.

    A table in it has its keys in place of its own, as "table.key", but not those further below; an
    empty table is named itself. An empty record gives "none", without quotes.
    """
    column_names: list[str] = []
    for key, below in value.items():
        if isinstance(below, dict) and below:
            for inner_key in below:
                column_names.append(f"{key}.{inner_key}")
        else:
            column_names.append(key)
    if not column_names:
        return "none"
    return first_texts(list(map(quoted, column_names)), _COLUMNS)


def spoken(messages: object) -> str | None:
    """Return the text of the last message of the assistant; its parts are joined by line breaks.

    "" if that message has no text, and None if there is no such message or `messages` is no list.
    """
    if not isinstance(messages, list):
        return None
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("role") == "assistant":
            return _text_of_content(message.get("content"))
    return None


def _text_of_content(content: object) -> str:
    """Return the text of a message's `content`: itself, or its parts line by line.

    A part is a text, or a table with one as "text"; any other is left out. Returns "" for what is
    neither a text nor a list.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts: list[str] = []
    for part in content:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)


def _by_field_name(record: Table) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a record's values by the names of the fields of `Trace`, and all other keys' values.

    Nulls of fields are left out. A key in `ALIASES` stands for its field, unless the field has a
    value already or the key's is null: then it is among the others.
    """
    with_value = {key: value for key, value in record.items() if value is not None}
    fields = {key: value for key, value in with_value.items() if key in FIELDS}
    strays: dict[str, Any] = {}
    if len(record) == len(fields):
        return fields, strays
    for key, value in record.items():
        if key in FIELDS:
            continue
        field = ALIASES.get(key)
        if field is None or field in fields or value is None:
            strays[key] = value
        else:
            fields[field] = value
    return fields, strays


def _fields(record: Table) -> tuple[dict[str, Any], list[str]]:
    """Return the fields from which `Trace` is made, and which keys of the record are no fields.

    Fields that are null are left out, ids become text, and a missing response is the text of the
    last assistant message. A value under another name of a field is that field's, unless that is
    there, too. All other keys are added to the metadata with their values, also null.
    """
    fields, strays = _by_field_name(record)
    for key in IDS:
        if key in fields:
            fields[key] = id_text(fields[key])
    if isinstance(fields.get("documents"), list):
        fields["documents"] = list(map(_with_id_text, fields["documents"]))
    if isinstance(fields.get("judgments"), dict):
        tables = fields["judgments"].items()
        fields["judgments"] = {name: without_nulls(table) for name, table in tables}
    if isinstance(fields.get("other"), dict):
        fields["other"] = _second_response(fields["other"])
    if "response" not in fields:
        text = spoken(fields.get("messages"))
        if text is not None:
            fields["response"] = text
    if strays:
        fields["metadata"] = _with_strays(fields.get("metadata", {}), strays)
    return fields, list(strays)


def _second_response(response_table: Table) -> dict[str, Any]:
    """Return a copy of the table `other` of a trace, with its id as text and without nulls.

    If it has no `response`, that is the text of the last assistant message in it, if there is one.
    """
    response = {
        key: value for key, value in response_table.items() if value is not None
    }
    if "id" in response:
        response["id"] = id_text(response["id"])
    if "response" not in response:
        text = spoken(response.get("messages"))
        if text is not None:
            response["response"] = text
    return response


def _with_strays(metadata: object, strays: Mapping[str, Any]) -> object:
    """Return metadata with the keys of a record that are no fields, and their values, added.

    A key that the metadata has already gets as many `_` after it as make it a new one, as "note_".
    Metadata that is not a table is returned unchanged, to be told as a fault later.
    """
    if not isinstance(metadata, dict):
        return metadata
    merged = dict(metadata)
    for key, value in strays.items():
        name = key
        while name in merged:
            name += "_"
        merged[name] = value
    return merged


def _with_id_text(document: object) -> object:
    """Return a document with its id as text; what has no "id" or is no table is unchanged."""
    if isinstance(document, dict) and "id" in document:
        return {**document, "id": id_text(document["id"])}
    return document
