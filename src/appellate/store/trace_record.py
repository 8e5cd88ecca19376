"""From one record of a trace file to a Trace: other names, integers as ids, the last message as
response.
"""

from typing import Any

from pydantic import ValidationError

from appellate.core.problem import Problem, describe_value
from appellate.core.trace import Trace
from appellate.store.recorded_labels import without_nulls
from appellate.store.trace_source import Record, surrogates
from appellate.store.wording import faults
from appellate.traits.rubric import id_text

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
KNOWN = {"": tuple(FIELDS)}


def trace_of(record: Record, file: str) -> tuple[Trace, list[str]] | list[Problem]:
    """The trace and the keys that went to its metadata, or what is wrong with the record."""
    if not isinstance(record.value, dict):
        wrong = f"a trace must be a table (a JSON object), not {describe_value(record.value)}"
        return [Problem(file, record.place(), wrong)]
    lone = list(surrogates(record.value)) if record.suspect else []
    if lone:
        return [Problem(file, record.place(path), wrong) for path, wrong in lone]
    fields, strays = _fields(record.value)
    try:
        return Trace.model_validate(fields), strays
    except ValidationError as error:
        return [
            Problem(file, record.place(path), *told) for path, *told in faults(error, fields, KNOWN)
        ]


def spoken(messages: Any) -> str | None:
    """The text of the last assistant message; None where there is no such message."""
    if not isinstance(messages, list):
        return None
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("role") == "assistant":
            return _content(message.get("content"))
    return None


def _fields(given: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The trace's fields under their own names, and the names of the keys that went to metadata."""
    fields = {key: value for key, value in given.items() if key in FIELDS and value is not None}
    strays: dict[str, Any] = {}
    if len(given) != len(fields):
        strays = _rename(given, fields)
    for key in IDS:
        if key in fields:
            fields[key] = id_text(fields[key])
    if "documents" in fields:
        fields["documents"] = _documents(fields["documents"])
    if isinstance(fields.get("judgments"), dict):
        fields["judgments"] = {
            name: without_nulls(table) for name, table in fields["judgments"].items()
        }
    if "response" not in fields and (text := spoken(fields.get("messages"))) is not None:
        fields["response"] = text
    if strays and isinstance(fields.setdefault("metadata", {}), dict):
        fields["metadata"] = _with_strays(fields["metadata"], strays)
    return fields, list(strays)


def _rename(given: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """Puts other names' values where they belong; what belongs nowhere comes back."""
    strays = {}
    for key, value in given.items():
        if key in FIELDS:
            continue
        field = ALIASES.get(key)
        if field is None or field in fields or value is None:
            strays[key] = value
        else:
            fields[field] = value
    return strays


def _with_strays(metadata: dict[str, Any], strays: dict[str, Any]) -> dict[str, Any]:
    merged = dict(metadata)
    for key, value in strays.items():
        name = key
        while name in merged:
            name += "_"
        merged[name] = value
    return merged


def _documents(documents: Any) -> Any:
    if not isinstance(documents, list):
        return documents
    return [_with_id_text(item) if isinstance(item, dict) else item for item in documents]


def _with_id_text(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "id": id_text(document["id"])} if "id" in document else document


def _content(content: Any) -> str:
    """A message's text: content as it is, or the texts of its parts, one a line."""
    if isinstance(content, list):
        texts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
