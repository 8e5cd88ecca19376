"""Spans of OpenTelemetry in a file, whatever wraps them: an array, a line each, OTLP's
`resourceSpans`, Tempo's `batches`, Jaeger's `data`, what the console exporter prints.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from appellate.interop.foreign import Row, first_of
from appellate.interop.said_times import NANOSECONDS, moment_of, number_of

_WRAPPERS = (
    "resourceSpans",
    "resource_spans",
    "batches",
    "data",
    "trace",
    "traces",
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "spans",
)
"""Keys under which spans lie, from the outermost to the innermost."""
_SPAN_IDS = ("span_id", "spanId", "spanID")
_TRACE_IDS = ("trace_id", "traceId", "traceID")
_PARENT_IDS = ("parent_span_id", "parentSpanId", "parent_id", "parentId")
_STARTS = ("start_time", "startTimeUnixNano", "start_time_unix_nano", "startTime")
_ATTRIBUTES = ("attributes", "tags")
_EVENTS = ("span_events", "events", "logs")
_NO_PARENT = ("", "0", "0x0", "0000000000000000")
_MOST_SECONDS = 10**30
"""A larger number is no time of any clock, and may be too large to reckon with."""


class SpanEvent(Struct, frozen=True):
    """What a span notes at one moment."""

    name: str
    attributes: Mapping[str, Any]


class Span(Struct, frozen=True):
    """One span; `attributes` is a table of tables, by the dots of their names."""

    trace_id: str
    span_id: str
    parent_id: str
    """"" for the root of a trace."""
    name: str
    start: int | None
    """In nanoseconds since 1970, or since whatever its file counts from; None if not known."""
    has_unread_start: bool
    """Whether the file says when it began in a form that cannot be read."""
    attributes: Mapping[str, Any]
    events: Sequence[SpanEvent]
    error: str
    """Why it failed, or "ERROR" if the file does not say; "" if it did not."""


def spans_in(value: object) -> Iterator[Span]:
    """Yield the spans in a JSON document or row in order, whatever wraps them; none if it has none.

    Raises ValueError for an OTLP integer that is no number, and TypeError for one that is null.
    """
    for table in _tables_of_spans(value):
        yield _span(table)


def has_spans(value: object) -> bool:
    """Return whether a JSON document or row holds at least one span."""
    return next(_tables_of_spans(value), None) is not None


def value_at(table: object, path: str) -> Any:
    """Return the value under a dotted path in nested tables: "a.b" is `table["a"]["b"]`.

    A span's attributes are such tables. A key that itself has a dot is not found. None if there is
    nothing, or if something on the way is no table.
    """
    value = table
    for key in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def first_at(table: object, paths: Iterable[str]) -> Any:
    """Return the first value that is not None under some dotted paths in nested tables, or None."""
    for path in paths:
        value = value_at(table, path)
        if value is not None:
            return value
    return None


def text_at(table: object, *paths: str) -> str:
    """Return the first text that is not empty under some dotted paths in nested tables, or "".

    Values that are no text are passed over.
    """
    for path in paths:
        value = value_at(table, path)
        if isinstance(value, str) and value:
            return value
    return ""


def listed(value: object) -> list[Any]:
    """Return an attribute of a span as a list; [] if it is none.

    It may also be a table with numbers as keys (`{"0": …, "1": …}`), whose values are put in the
    order of the numbers. Either may be JSON text; a list itself is not copied.
    """
    value = parsed(value)
    if isinstance(value, list):
        return value
    if (
        isinstance(value, Mapping)
        and value
        and all(str(key).isdecimal() for key in value)
    ):
        return [value[key] for key in sorted(value, key=int)]
    return []


def parsed(value: object) -> Any:
    """Return what JSON text of a table or list holds; any other value and broken JSON unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


# -- finding --------------------------------------------------------------------------------------


def _tables_of_spans(value: object) -> Iterator[Row]:
    """Yield the tables in a value that are spans, through lists and known wrappers at any depth.

    A span is not searched for further ones, and nor is a trace of MLflow (with `info`),
    which has its own reader.
    """
    if isinstance(value, list):
        for below in value:
            yield from _tables_of_spans(below)
    elif isinstance(value, dict):
        if _is_span(value):
            yield value
            return
        if "info" in value:  # a trace of MLflow has a reader of its own
            return
        for key in _WRAPPERS:
            if isinstance(value.get(key), list | dict):
                yield from _tables_of_spans(value[key])


def _is_span(table: Row) -> bool:
    """Return whether a table is a span of any exporter, by its keys.

    It has the ids of a span and a trace, perhaps in its `context`, and attributes. A table without
    a span's id is one if it is only the attributes of a span, with OpenInference's kind or the
    operation of OpenTelemetry's GenAI. A table with `annotations` is a row of Phoenix instead.
    """
    if "annotations" in table:
        return False
    ids = _table_of_ids(table) or table
    if any(key in ids for key in _SPAN_IDS):
        return any(key in ids for key in _TRACE_IDS) and any(
            key in table for key in _ATTRIBUTES
        )
    return "openinference.span.kind" in table or "gen_ai.operation.name" in table


def _table_of_ids(table: Row) -> Row:
    """Return the span's table `context`, in which the console exporter puts its ids; {} if it has
    none.
    """
    context = table.get("context")
    if isinstance(context, dict):
        return context
    return {}


def _span(table: Row) -> Span:
    """Return a table as a span, whichever exporter wrote it; `table` may be only a span's
    attributes.

    If it has no key for attributes, the table itself is the attributes. Attributes and events may
    be JSON text. Ids and a name that are missing are "", and a start that is missing or cannot be
    read is None. Raises ValueError for an OTLP integer that is no number.
    """
    ids = {**table, **_table_of_ids(table)}
    attributes = first_of(table, *_ATTRIBUTES)
    if attributes is None:  # the attributes alone
        attributes = table
    tree = _nested(_attributes_by_name(attributes))
    started = first_of(table, *_STARTS)
    start = _start(started)
    return Span(
        trace_id=_id(first_of(ids, *_TRACE_IDS)),
        span_id=_id(first_of(ids, *_SPAN_IDS)),
        parent_id=_parent(table),
        name=str(first_of(table, "name", "operationName") or ""),
        start=start,
        has_unread_start=start is None and started not in (None, ""),
        attributes=tree,
        events=[
            _event(event)
            for event in listed(first_of(table, *_EVENTS))
            if isinstance(event, dict)
        ],
        error=_failure_of_span(table, tree),
    )


def _id(value: object) -> str:
    """Return an id of a span or trace as text; "" for None."""
    if value is None:
        return ""
    return str(value)


def _parent(table: Row) -> str:
    """Return the id of a span's parent, also from Jaeger's references; "" if it has none.

    The first reference with an id counts. An id of zeros ("0", "0x0" or 16 zeros) is none.
    """
    parent_id = _id(first_of(table, *_PARENT_IDS))
    for reference in table.get("references") or ():  # Jaeger's
        if not parent_id and isinstance(reference, dict):
            parent_id = _id(first_of(reference, *_SPAN_IDS))
    if parent_id in _NO_PARENT:
        return ""
    return parent_id


def _start(value: object) -> int | None:
    """Return when a span began, in nanoseconds, to order spans; None if it cannot be read.

    It may be a count since 1970, a date in ISO 8601, or a text of either. Any other number is taken
    as seconds since whatever its file counts from, unless it is beyond `_MOST_SECONDS` in either
    direction.
    """
    moment = moment_of(value)
    if moment is not None:
        return moment
    number = number_of(value)
    if number is None or not -_MOST_SECONDS <= number <= _MOST_SECONDS:
        return None
    return int(number * NANOSECONDS)


def _event(table: Row) -> SpanEvent:
    """Return a table as an event of a span, with its name and its attributes as nested tables.

    Keys may be OTLP's or Jaeger's (`fields`). The name is the event's own, else the value of its
    attribute `event` or `event.name`, else "". Without attributes they are {}.
    """
    attributes = _attributes_by_name(first_of(table, "attributes", "fields"))
    name = first_of(table, "event_name", "name")
    name = name or attributes.get("event") or attributes.get("event.name")
    nested = _nested(attributes)
    return SpanEvent(str(name or ""), nested)


def _failure_of_span(table: Row, attributes: Mapping[str, Any]) -> str:
    """Return why a span failed: its message, else the error's type, else "ERROR"; "" if it did not.

    It failed if the code of its status is 2 or a text that ends in "ERROR", if it has an attribute
    `error.type`, or if its attribute `error` is True. The message is that of the status. `table` is
    the span's, and `attributes` are its attributes as nested tables.
    """
    status = table.get("status")
    code = status
    message = ""
    if isinstance(status, dict):
        code = first_of(status, "code", "status_code")
        message = str(status.get("message") or status.get("description") or "")
    kind = text_at(attributes, "error.type")
    is_error_code = str(code).upper().endswith("ERROR") or code == _ERROR_CODE
    has_error = value_at(attributes, "error") is True
    if not (kind or is_error_code or has_error):
        return ""
    return message or kind or "ERROR"


_ERROR_CODE = 2
"""The number of the status `ERROR` in OTLP."""


# -- attributes -----------------------------------------------------------------------------------


def _attributes_by_name(attributes: object) -> Row:
    """Return a span's attributes by their dotted names, from a table, OTLP's list, or JSON of it.

    A table is copied as it is. OTLP's list is of `key` and typed `value`; the values lose their
    type, and entries without a key that is text are passed over. {} for anything else. Raises
    ValueError and TypeError for an OTLP integer that is none.
    """
    attributes = parsed(attributes)
    if isinstance(attributes, Mapping):
        return dict(attributes)
    table: Row = {}
    for pair in attributes if isinstance(attributes, list) else ():
        if isinstance(pair, Mapping) and isinstance(pair.get("key"), str):
            table[pair["key"]] = _without_type(pair.get("value"))
    return table


def _without_type(value: object) -> Any:
    """Return a value of OTLP without its type: `{"intValue": "5"}` is 5; lists and tables too.

    An integer becomes an int; a text, bool, double or bytes (base64) is returned as it is written.
    So is any value that is no table of one known type. Raises ValueError for an integer that is
    none, and TypeError for null as an integer.
    """
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    match str(kind).replace("_", "").lower():
        case "stringvalue" | "boolvalue" | "doublevalue" | "bytesvalue":
            return inner
        case "intvalue":
            return int(inner)
        case "arrayvalue":
            return [
                _without_type(element) for element in (inner or {}).get("values") or ()
            ]
        case "kvlistvalue":
            return _attributes_by_name((inner or {}).get("values") or [])
    return value


def _nested(flat: Mapping[str, Any]) -> Row:
    """Return dotted names as nested tables: `{"tool.name": "x"}` becomes `{"tool": {"name": "x"}}`.

    A name whose path leads through a value that is no table keeps its dots. Of two tables in one
    place the later one's entries are added to the first; of other values in one place the later one
    counts. A table among the values is taken itself, so that such entries are added to it as well.
    """
    tree: Row = {}
    for name, value in flat.items():
        *path, last = str(name).split(".")
        table = tree
        for key in path:
            below = table.setdefault(key, {})
            if not isinstance(below, dict):
                table = tree
                last = str(name)
                break
            table = below
        if isinstance(value, Mapping) and isinstance(table.get(last), dict):
            table[last].update(value)
        else:
            table[last] = value
    return tree
