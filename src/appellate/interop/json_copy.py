"""A changed JSON document in the text it was read from: what did not change keeps its bytes."""

import json
import re
from typing import Any

from appellate.core.inert import inert_json, inert_json_text

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def changed_text(text: str, changed: Any) -> str:
    """Return the JSON `text` rewritten to hold the document `changed`, otherwise byte for byte.

    Blanks, escapes, numbers and the order of keys stay wherever nothing differs. New keys come at
    the end of their object, and new elements at the end of their list. An object that lost a key,
    and a list that got shorter or was empty, is written anew. Control characters are escaped
    everywhere. Raises ValueError if `text` is no JSON.
    """
    copy = _Copy(text)
    begin = _after_blank(text, 0)
    copy.take(begin)
    copy.value(changed)
    copy.take(len(text))
    return inert_json_text("".join(copy.parts))


class _Copy:
    """A copy in the making: `parts` are its texts up to the place `at` of the source."""

    def __init__(self, text: str) -> None:
        """Begin a copy of the JSON `text` at its first character, with nothing copied yet.

        It is not read here, so that it may be broken.
        """
        self.text = text
        self.at = 0
        self.parts: list[str] = []

    def take(self, end: int) -> None:
        """Copy the JSON source from the present place up to the index `end`, and move there."""
        self.parts.append(self.text[self.at : end])
        self.at = end

    def value(self, new: Any) -> None:
        """Copy the JSON value at the present place of the source, changed to what `new` is.

        Equal values are copied as they are written. An object with all its keys, and a list that is
        not shorter, is changed member by member; anything else is written anew. Moves the place
        behind the value. Raises ValueError if there is no JSON.
        """
        old, end = _DECODER.raw_decode(self.text, self.at)
        if _written(old) == _written(new):
            self.take(end)
        elif (
            isinstance(old, dict) and isinstance(new, dict) and old.keys() <= new.keys()
        ):
            self._object(old, new)
        elif (
            isinstance(old, list) and isinstance(new, list) and 0 < len(old) <= len(new)
        ):
            self._array(old, new)
        else:
            self.parts.append(inert_json(new))
            self.at = end

    def _object(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        """Copy the JSON object at the present place with `new`'s values; new keys come last.

        `old` is what it holds, and all its keys must be in `new`. Keys keep their order and their
        writing, and values that did not change theirs. A key that the text has several times gets
        its value each time. Moves the place behind the object.
        """
        gap = self._enter()
        is_first = True
        while self.text[_after_blank(self.text, self.at)] != "}":
            if not is_first:
                self._pass_comma()
            is_first = False
            key, end = _DECODER.raw_decode(self.text, self.at)
            colon = _after_blank(self.text, end)
            self.take(_after_blank(self.text, colon + 1))
            self.value(new[key])
        members = [
            f"{inert_json(key)}: {inert_json(new[key])}"
            for key in new
            if key not in old
        ]
        self._add(members, gap, is_empty=not old)
        self._leave()

    def _array(self, old: list[Any], new: list[Any]) -> None:
        """Copy the JSON array at the present place with `new`'s values; further ones come last.

        `old` is what it holds and must not be empty; `new` must not be shorter. Values that do not
        differ keep their writing. Moves the place behind the array.
        """
        gap = self._enter()
        for place in range(len(old)):
            if place:
                self._pass_comma()
            self.value(new[place])
        self._add(
            [inert_json(element) for element in new[len(old) :]],
            gap,
            is_empty=False,
        )
        self._leave()

    def _enter(self) -> str:
        """Copy an opening bracket of the JSON source and the blanks behind it; return these blanks.

        New members are written with the same blanks before them.
        """
        begin = self.at + 1
        self.take(_after_blank(self.text, begin))
        return self.text[begin : self.at]

    def _pass_comma(self) -> None:
        comma = _after_blank(self.text, self.at)
        self.take(_after_blank(self.text, comma + 1))

    def _add(self, members: list[str], gap: str, *, is_empty: bool) -> None:
        """Write members, which are JSON texts, at the present place, each after a comma and `gap`.

        If the object or list `is_empty` the first has neither. For "" as `gap` one blank is
        written.
        """
        for member in members:
            self.parts.append(member if is_empty else f",{gap or ' '}{member}")
            is_empty = False

    def _leave(self) -> None:
        self.take(_after_blank(self.text, self.at) + 1)


def _after_blank(text: str, offset: int) -> int:
    """Return the index in a JSON text behind the blanks that are at `offset`; `offset` for none."""
    blank = _BLANK.match(text, offset)
    if blank:
        return blank.end()
    return offset


def _written(value: Any) -> str:
    """Return a value as JSON text, by which two are compared: 1 is not True, and NaN is NaN."""
    return json.dumps(value)
