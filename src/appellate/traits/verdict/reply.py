"""The verdict in a model's reply, whatever kind asks for it: its schema, and how it is read."""

import json

from appellate.core.kind import Table
from appellate.talk.dialogue import NUMBER, Schema, either
from appellate.talk.json_reply import quote, text_of, whole_number
from appellate.traits.verdict.scale import Scale, Value

MOST_LISTED = 50
"""Scores that a schema names one by one; of a longer scale it says that it takes whole numbers."""
_WORDS = {"yes": True, "true": True, "no": False, "false": False}


def verdict_schema(trait: Scale) -> Schema:
    """Return the JSON Schema of a verdict alone: yes or no, a class by its name, or a score."""
    if trait.kind == "boolean":
        return either("yes", "no")
    if trait.kind == "literal":
        return either(*trait.class_names)
    if len(trait.values) > MOST_LISTED:
        return NUMBER
    return {**NUMBER, "enum": list(trait.values)}


def verdict_meant(trait: Scale, given: object) -> Value | None:
    """Return the verdict that a model's value stands for, or None if the trait has no such verdict.

    Numbers may be text, and classes in any case and with any blanks.
    """
    if trait.kind == "boolean":
        if isinstance(given, bool):
            return given
        return _WORDS.get(text_of(given).strip().casefold())
    value = whole_number(given)
    if trait.kind == "literal":  # named in whatever case and with whatever blanks
        value, named = trait.get_class_index(text_of(given)), text_of(given).casefold().split()
        names = [name.casefold().split() for name in trait.class_names]
        if value < 0 and named in names:
            value = names.index(named)
    if trait.is_value(value):
        return value
    return None


def not_a_verdict(trait: Scale, answer: Table) -> str:
    """What is wrong with the verdict of a reply, in words."""
    if "verdict" not in answer:
        return '"verdict" is not there'
    text = quote(answer["verdict"])
    if trait.kind == "boolean":
        return f'the verdict is {text}, not "yes" or "no"'
    if trait.kind == "score":
        return f"the verdict is {text}, not a whole number from {trait.low} to {trait.high}"
    known = ", ".join(json.dumps(name) for name in trait.class_names)
    return f"the verdict is {text}, not one of {known}"
