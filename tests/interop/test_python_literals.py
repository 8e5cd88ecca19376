"""Values that other tools write as Python does: read without running anything, or left as text."""

import pytest

from appellate.interop.python_literals import literal_value

TOO_DEEP = "(" * 5_000 + ")" * 5_000


@pytest.mark.parametrize(
    ("text", "value"),
    [("['a', 'b']", ["a", "b"]), ("{'k': 1}", {"k": 1}), ("2", 2)],
)
def test_a_literal_is_read(text, value):
    assert literal_value(text) == value


@pytest.mark.parametrize(
    "text",
    ["{[]: 1}", "{{}}", "open('x')", "['a'", "plain words", "\0", "", TOO_DEEP],
)
def test_any_other_text_is_refused_by_one_error(text):
    with pytest.raises(ValueError, match="no Python literal"):
        literal_value(text)
