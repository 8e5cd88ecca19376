"""Keeps equal values of many cells once, so that what is kept does not grow with the cells."""

from collections.abc import Hashable
from typing import Generic, TypeVar

_Value = TypeVar("_Value")

MOST = 10_000
"""Values that are kept to be shared. Where more differ, sharing saves little, and costs."""


class SharedValues(Generic[_Value]):
    """The first value of each content, for the first `MOST` contents."""

    def __init__(self) -> None:
        self._values: dict[Hashable, _Value] = {}

    def shared(self, content: Hashable, value: _Value) -> _Value:
        """Return the first value that came with this content, which is `value` itself if it is new.

        It is kept as long as this object is. Once `MOST` contents are kept, a new one is not, and
        `value` is returned. A value of None is not shared.
        """
        known_value = self._values.get(content)
        if known_value is not None:
            return known_value
        if len(self._values) < MOST:
            self._values[content] = value
        return value
