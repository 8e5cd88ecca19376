"""A model that knows nothing but the schema it is held to: random JSON that conforms, as under a grammar."""

import json
import random
from collections.abc import Mapping
from typing import Any

_WORDS = ("BCL2", "is", "a", "gene", "on", "chromosome", "{", "}", '"', "no")


def conforming(schema: Mapping[str, Any], chance: random.Random) -> Any:
    """A value of the schema; lists hold one to three items."""
    return _value(schema, schema.get("$defs", {}), chance)


def _value(
    schema: Mapping[str, Any],
    defined: Mapping[str, Any],
    chance: random.Random,
) -> Any:
    if "$ref" in schema:
        return _value(defined[schema["$ref"].removeprefix("#/$defs/")], defined, chance)
    if "anyOf" in schema:
        return _value(chance.choice(schema["anyOf"]), defined, chance)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    match schema["type"]:
        case "object":
            return {
                name: _value(field, defined, chance)
                for name, field in schema["properties"].items()
            }
        case "array":
            return [
                _value(schema["items"], defined, chance)
                for _ in range(chance.randint(1, 3))
            ]
        case "string":
            return " ".join(chance.choices(_WORDS, k=chance.randint(1, 5)))
        case "boolean":
            return chance.random() < 0.5
        case "integer":
            return chance.randint(1, 3)
        case _:
            return None


def reply_in(body: Mapping[str, Any], chance: random.Random) -> str:
    """A reply to a request that asks for a strict schema."""
    return json.dumps(
        conforming(body["response_format"]["json_schema"]["schema"], chance),
    )
