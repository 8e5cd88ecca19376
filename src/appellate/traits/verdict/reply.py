"""The verdict in a model's reply, whatever kind asks for it: its schema, and how it is read."""

import json

from appellate.core.kind import CANNOT_TELL, Table
from appellate.talk.dialogue import NUMBER, Schema, either
from appellate.talk.json_reply import quote, text_of, whole_number
from appellate.traits.verdict.scale import Scale, Value

MOST_LISTED = 50
"""Scores that a schema names one by one; of a longer scale it says that it takes whole numbers."""
_WORDS = {"yes": True, "true": True, "no": False, "false": False}
_CANNOT_TELL = frozenset({"cannot tell", "can not tell", "can't tell", "can’t tell"})
"""How models write it, in small letters and with blanks between the words."""


def verdict_schema(trait: Scale) -> Schema:
    """Return the JSON Schema of a verdict alone: yes or no, a class by its name, or a score; or
    that it cannot be told, where the trait allows that.
    """
    untold: list[str] = []
    if trait.takes_cannot_tell:
        untold.append(CANNOT_TELL)
    if trait.kind == "boolean":
        return either("yes", "no", *untold)
    if trait.kind == "literal":
        return either(*trait.class_names, *untold)
    score = NUMBER
    if len(trait.values) <= MOST_LISTED:
        score = {**NUMBER, "enum": list(trait.values)}
    if untold:
        return {"anyOf": [score, either(*untold)]}
    return score


def verdict_meant(trait: Scale, given: object) -> Value | None:
    """Return the verdict that a model's value stands for, or None if the trait has no such verdict.

    Numbers may be text, and classes in any case and with any blanks.
    """
    if trait.takes_cannot_tell and _says_cannot_tell(given):
        return CANNOT_TELL
    if trait.kind == "boolean":
        if isinstance(given, bool):
            return given
        return _WORDS.get(text_of(given).strip().casefold())
    value = whole_number(given)
    if trait.kind == "literal":  # named in whatever case and with whatever blanks
        value = trait.get_class_index(text_of(given))
        named = text_of(given).casefold().split()
        names = [name.casefold().split() for name in trait.class_names]
        if value < 0 and named in names:
            value = names.index(named)
    if trait.is_value(value):
        return value
    return None


def _says_cannot_tell(given: object) -> bool:
    words = text_of(given).casefold().replace("_", " ").strip(" .").split()
    return " ".join(words) in _CANNOT_TELL


def not_a_verdict(trait: Scale, answer: Table) -> str:
    """What is wrong with the verdict of a reply, in words."""
    if "verdict" not in answer:
        return '"verdict" is not there'
    text = quote(answer["verdict"])
    if trait.kind == "boolean":
        wanted = '"yes" or "no"'
    elif trait.kind == "score":
        wanted = f"a whole number from {trait.low} to {trait.high}"
    else:
        wanted = f"one of {', '.join(json.dumps(name) for name in trait.class_names)}"
    return f"the verdict is {text}, not {trait.with_cannot_tell(wanted, json.dumps(CANNOT_TELL))}"
