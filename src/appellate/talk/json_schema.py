"""The shape of a reply, in the part of JSON Schema that every strict server knows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

Schema = dict[str, Any]
"""A JSON Schema."""

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
_EXAMPLES = {"string": '"..."', "integer": "1", "boolean": "true or false", "null": "null"}


def either(*words: str) -> Schema:
    return {"type": "string", "enum": list(words)}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, NULL]}


def listed(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def table(fields: Mapping[str, Schema]) -> Schema:
    """An object with exactly these fields, all of them given: strict servers take no other."""
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def numbered(names: Sequence[str]) -> Schema:
    """An object with a field for each number from 1 on; `names` are those of their schemas in
    `$defs`.
    """
    refs = [{"$ref": f"#/$defs/{name}"} for name in names]
    return table({str(number): ref for number, ref in enumerate(refs, 1)})


def shape(schema: Schema, defined: Mapping[str, Schema] = MappingProxyType({})) -> str:
    """The schema as an example, for models whose server does not show it to them."""
    defined = schema.get("$defs", defined)
    if "$ref" in schema:
        return shape(defined[schema["$ref"].rpartition("/")[2]], defined)
    if "anyOf" in schema:
        return " or ".join(shape(each, defined) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(map(json.dumps, schema["enum"]))
    if schema["type"] == "array":
        return f"[{shape(schema['items'], defined)}]"
    if schema["type"] == "object":
        return "{" + ", ".join(_fields(schema["properties"], defined)) + "}"
    return _EXAMPLES[schema["type"]]


def _fields(fields: Mapping[str, Schema], defined: Mapping[str, Schema]) -> Iterator[str]:
    """Each field.

    Of numbered ones the first of each shape, and words that nobody takes for a reply; of those that
    sentences' keys name without how many there are, so that prompts about many texts begin alike.
    """
    *_, last = fields
    if "$ref" in fields.get("a", {}):
        yield f'"a": {shape(fields["a"], defined)}'
        yield "and so on"
        return
    many, shown = "1" in fields and last != "1", []
    for name, field in fields.items():
        if not many or field not in shown:
            shown.append(field)
            yield f'"{name}": {shape(field, defined)}'
    if many:
        yield f'and so on to "{last}"'
