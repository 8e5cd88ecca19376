"""A changed document in its own text: it says what is new, and the rest keeps its bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.interop.json_copy import changed_text

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.text(max_size=4)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)
    ),
    max_leaves=12,
)
INDENTS = st.sampled_from([None, 0, 2, "\t"])


@given(VALUES, VALUES, INDENTS)
def test_the_text_says_what_the_changed_document_says(before, after, indent):
    text = changed_text(json.dumps(before, indent=indent), after)
    assert json.dumps(json.loads(text), sort_keys=True) == json.dumps(
        after,
        sort_keys=True,
    )


@given(VALUES, INDENTS)
def test_what_did_not_change_is_the_same_text(value, indent):
    text = json.dumps(value, indent=indent)
    assert changed_text(text, json.loads(text)) == text


@pytest.mark.parametrize(
    ("text", "changed", "copy"),
    [
        ('{"a": 1.50,\n "b" : true}', {"a": 1.5, "b": 1}, '{"a": 1.50,\n "b" : 1}'),
        ('[ 1e2,  "\\u00ef"]', [100.0, "ï", 3], '[ 1e2,  "\\u00ef", 3]'),
        (
            '{"x": {\n  "a": 1\n}}',
            {"x": {"a": 1, "b": 2}},
            '{"x": {\n  "a": 1,\n  "b": 2\n}}',
        ),
        ("{}", {"a": [1]}, '{"a": [1]}'),
        (
            '{"a": 1, "a": 2, "b": 3}',
            {"a": 2, "b": 4, "c": 5},
            '{"a": 2, "a": 2, "b": 4, "c": 5}',
        ),
    ],
)
def test_only_what_changed_is_written_again(text, changed, copy):
    assert changed_text(text, changed) == copy
