"""Whole numbers that a person or a file writes as text."""

LONGEST = 18
"""Digits. SQLite holds every number of so many, and Python reads none of thousands of digits."""


def whole_number(text: str) -> int | None:
    """Return the number that a text of digits alone is, in any script; None for any other text.

    None is for "", for a text with a sign or a blank, and for one of more than `LONGEST` digits,
    which is no count, place or seed of anything. Zeros at the front do not matter.
    """
    if not text.isdecimal() or len(text) > LONGEST:
        return None
    return int(text)
