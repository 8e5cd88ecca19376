"""The shape of a reply, in the part of JSON Schema that every strict server knows."""

import json
from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
NULL: Schema = {"type": "null"}
_EXAMPLES = {"string": '"..."', "integer": "1", "null": "null"}


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


def shape(schema: Schema) -> str:
    """The schema as an example, for models whose server does not show it to them."""
    if "anyOf" in schema:
        return " or ".join(map(shape, schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(map(json.dumps, schema["enum"]))
    if schema["type"] == "array":
        return f"[{shape(schema['items'])}]"
    if schema["type"] == "object":
        fields = (f'"{name}": {shape(field)}' for name, field in schema["properties"].items())
        return "{" + ", ".join(fields) + "}"
    return _EXAMPLES[schema["type"]]
