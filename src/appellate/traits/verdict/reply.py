"""Reads the verdict in a model's reply, for every kind that asks for one.

`verdict_schema` says what is asked for, `verdict_meant` reads it, `not_a_verdict` says what is
wrong with it.
"""

import json

from appellate.core.kind import CANNOT_TELL, Table
from appellate.talk.dialogue import NUMBER, Schema, either
from appellate.talk.json_reply import quote, text_of, whole_number
from appellate.traits.verdict.scale import Scale, Value

MOST_LISTED = 50
"""The largest number of scores that a schema lists. A longer scale takes whole numbers."""
_WORDS = {"yes": True, "true": True, "no": False, "false": False}
_CANNOT_TELL = frozenset({"cannot tell", "can not tell", "can't tell", "can’t tell"})
"""How models write that they cannot tell, in small letters and with blanks between words."""


def verdict_schema(trait: Scale) -> Schema:
    """Return the JSON Schema of a verdict: "yes" or "no", a class by its name, or a whole number.

    For yes or no it is {"type": "string", "enum": ["yes", "no"]}. The scores are listed, unless
    there are more than `MOST_LISTED`; then any whole number fits. "Cannot tell" is added if the
    trait allows it.
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


def verdict_meant(trait: Scale, reply_value: object) -> Value | None:
    """Return the verdict that a value of a reply stands for, or None if the trait lacks it.

    Yes and no become True and False; they may be in any case, and true and false. A score may be a
    text, as "4", unless it is negative. A class becomes its index; its name may be in any case and
    with any blanks between its words, but a number does not stand for it. Returns `CANNOT_TELL` for
    a text that says so, if the trait allows it.
    """
    if trait.takes_cannot_tell and _says_cannot_tell(reply_value):
        return CANNOT_TELL
    if trait.kind == "boolean":
        if isinstance(reply_value, bool):
            return reply_value
        return _WORDS.get(text_of(reply_value).strip().casefold())
    value = whole_number(reply_value)
    if trait.kind == "literal":  # named in whatever case and with whatever blanks
        value = trait.get_class_index(text_of(reply_value))
        class_words = text_of(reply_value).casefold().split()
        names = [name.casefold().split() for name in trait.class_names]
        if value < 0 and class_words in names:
            value = names.index(class_words)
    if trait.is_value(value):
        return value
    return None


def _says_cannot_tell(reply_value: object) -> bool:
    """Return whether a value of a reply says that it cannot be told.

    Examples are "Can't tell." and "cannot_tell". Case, blanks, underscores and a full stop make no
    difference. It is False for what is no text.
    """
    words = text_of(reply_value).casefold().replace("_", " ").strip(" .").split()
    return " ".join(words) in _CANNOT_TELL


def not_a_verdict(trait: Scale, answer: Table) -> str:
    """Return what is wrong with the verdict of a reply, for a sentence to the model.

    It is '"verdict" is not there', or what it is and what would be right: 'the verdict is "maybe",
    not "yes" or "no"'. `answer` is the reply, whose verdict is known to be wrong.
    """
    if "verdict" not in answer:
        return '"verdict" is not there'
    text = quote(answer["verdict"])
    if trait.kind == "boolean":
        right_verdict = '"yes" or "no"'
    elif trait.kind == "score":
        right_verdict = f"a whole number from {trait.low} to {trait.high}"
    else:
        class_names = ", ".join(json.dumps(name) for name in trait.class_names)
        right_verdict = f"one of {class_names}"
    right_verdict = trait.with_cannot_tell(right_verdict, json.dumps(CANNOT_TELL))
    return f"the verdict is {text}, not {right_verdict}"
