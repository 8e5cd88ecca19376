"""Schemas that every strict server takes, and how they look to a model that is not shown them."""

import pytest

from appellate.talk.dialogue import (
    BOOLEAN,
    NUMBER,
    TEXT,
    either,
    list_of,
    numbered_fields,
    or_null,
    shape,
    table,
)


def test_an_object_has_exactly_its_fields():
    assert table({"a": TEXT}) == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "required": ["a"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (1, '{"1": {"a": "..."}}'),
        (2, '{"1": {"a": "..."}, and so on to "2"}'),
        (9, '{"1": {"a": "..."}, and so on to "9"}'),
    ],
)
def test_numbered_fields_are_all_needed_and_shown_once(count, shown):
    schema = numbered_fields(["answer"] * count) | {
        "$defs": {"answer": table({"a": TEXT})},
    }
    assert schema["required"] == [str(number) for number in range(1, count + 1)]
    assert shape(schema) == shown


def test_numbered_fields_of_two_shapes_show_the_first_of_each():
    answers = {"plain": table({"a": TEXT}), "other": table({"a": TEXT, "b": BOOLEAN})}
    schema = numbered_fields(["plain", "plain", "other", "other"]) | {"$defs": answers}
    shown = '"1": {"a": "..."}, "3": {"a": "...", "b": true or false}, and so on to "4"'
    assert shape(schema) == f"{{{shown}}}"


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        (TEXT, '"..."'),
        (NUMBER, "1"),
        (or_null(NUMBER), "1 or null"),
        (either("yes", "no"), '"yes" or "no"'),
        (list_of(TEXT), '["..."]'),
        (
            table({"a": TEXT, "b": list_of(table({"c": NUMBER}))}),
            '{"a": "...", "b": [{"c": 1}]}',
        ),
    ],
)
def test_a_schema_is_shown_as_an_example(schema, shown):
    assert shape(schema) == shown
