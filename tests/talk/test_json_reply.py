"""Objects are read as models write them, and never made up where their end is missing."""

import json
import re
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from appellate.talk.dialogue import NoAnswer
from appellate.talk.json_reply import (
    MOST_REPAIRED,
    object_in,
    quote,
    rows,
    text_of,
    whole_number,
)

WHOLE = {"said": "it\u2019s {so}", "rows": [{"n": 1}, {"n": 2}]}
TEXT = json.dumps(WHOLE)
ODD = {
    "plain": TEXT,
    "fenced": f"```json\n{TEXT}\n```",
    "with talk": f"Here you are:\n{TEXT}\nAnything else?",
    "after thinking": f"<think>Is it {{found}}? Yes.</think>{TEXT}",
    "after thinking that began elsewhere": f"Hm {{}}.</think>\n{TEXT}",
    "thinking at the end": f"{TEXT}</think>",
    "trailing commas": TEXT.replace("}]", "},]"),
    "single quotes": TEXT.replace('"', "'"),
    "said twice": TEXT + TEXT,
    "said twice, fenced": f"```json\n{TEXT}\n```\nOnce more:\n```json\n{TEXT}\n```",
    "listed twice": f"[{TEXT}, {TEXT}]",
}
NOT_WHOLE = "it is not one whole JSON object."
KEY_TWICE = "a key is there more than once in one object."
NONE = {
    "empty": ("", "unreadable", "it was empty."),
    "blank": (" \n", "unreadable", "it was empty."),
    "prose": ("Very good answer.", "unreadable", NOT_WHOLE),
    "a list": ("[1, 2]", "unreadable", NOT_WHOLE),
    "half": (TEXT[: len(TEXT) // 2], "unreadable", NOT_WHOLE),
    "nothing in it": ("{}", "incomplete", "the object was empty."),
    "two that differ": ('{"a": 1}{"a": 2}', "incomplete", KEY_TWICE),
    "a key twice": (
        '{"a": {"1": [], "2": [], "1": []}}',
        "incomplete",
        'the key "1" is there more than once in one object.',
    ),
    "a key twice, with talk": (
        'Here: {"a": [], "a": [1]}',
        "incomplete",
        'the key "a" is there more than once in one object.',
    ),
    "a key twice, damaged": (
        '{"a": {"1": ["x"], "1": ["y"],}, "b": [],}',
        "incomplete",
        "a key is there more than once in one object.",
    ),
    "a key twice in a row, damaged": (
        "{'rows': [{'n': 1, 'n': 2}]}",
        "incomplete",
        "a key is there more than once in one object.",
    ),
    "a key of two words twice, damaged": (
        '{"a b": "x", "a b": "y",}',
        "incomplete",
        "a key is there more than once in one object.",
    ),
    "very deep": ('{"a":' * 10_000 + "[]}", "unreadable", NOT_WHOLE),
    "damaged, and of thousands of objects": (
        "{a.b:c} · " * 4_000 + "{}",
        "unreadable",
        "it is not one whole JSON object.",
    ),
    "damaged and very long": (
        "{'a': ['" + "x" * MOST_REPAIRED + "']}",
        "unreadable",
        "it is not one whole JSON object.",
    ),
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_an_object_is_found_as_models_write_it(text):
    assert object_in(text) == WHOLE


@pytest.mark.parametrize(("text", "why", "fault"), NONE.values(), ids=NONE)
def test_where_there_is_none_the_model_can_be_told(text, why, fault):
    with pytest.raises(NoAnswer) as none:
        object_in(text)
    assert (none.value.why, none.value.fault) == (why, fault)


LATEX = r"Here \theta = \nabla f, \frac{1}{2} of \beta and \rho; \alpha too."


def test_backslashes_that_the_model_did_not_double_are_put_back_where_the_response_has_them():
    assert object_in(f'{{"a": "{LATEX}"}}', LATEX) == {"a": LATEX}
    assert object_in(json.dumps({"a": LATEX}), LATEX) == {"a": LATEX}
    assert object_in(r'{"a": "x\nabla\theta\tabs"}', LATEX) == {
        "a": "x\\nabla\\theta\tabs",
    }
    assert object_in(r'{"a": "so\nabla"}') == {"a": "so\nabla"}


def test_what_the_response_has_with_a_backslash_and_after_a_line_break_stays_as_it_is_read():
    assert object_in(r'{"a": "x\nabla"}', "\\nabla\nabla f") == {"a": "x\nabla"}
    assert object_in(r'{"a": "x\nabla"}', "\\nabla\nablation") == {"a": "x\\nabla"}


@given(
    st.text(st.sampled_from('\\ntheabl {}"\n\t')),
    st.text(st.sampled_from("\\ntheabl \n\t")),
)
def test_json_that_escapes_as_it_should_is_read_as_it_is(said, quoted):
    reply = json.dumps({"a": said})
    commands = re.findall(r"[\n\t][a-z]", said)
    if not commands:
        assert object_in(reply, quoted) == {"a": said}


def test_control_characters_within_texts_are_read():
    assert object_in('{"a": "b\nc"}') == {"a": "b\nc"}


@pytest.mark.parametrize("end", ["", "}", "]"])
def test_what_stops_in_the_middle_of_a_row_is_never_completed(end):
    cut = TEXT[: TEXT.index('"n": 2') + 3] + end
    with pytest.raises(NoAnswer):
        object_in(cut)


NUMBERED = {"a": {"1": {"said": ["x"], "so": "yes"}, "2": {"said": [], "so": "no"}}}


@pytest.mark.parametrize(
    "change",
    [str, lambda text: text.replace("}", ",}"), lambda text: text.replace('"', "'")],
)
def test_an_object_that_ends_with_objects_is_read_where_it_is_damaged(change):
    assert object_in(change(json.dumps(NUMBERED))) == NUMBERED


@pytest.mark.parametrize("lost", range(1, 20))
def test_what_stops_in_the_middle_of_an_object_is_never_completed(lost):
    damaged = json.dumps(NUMBERED).replace('"', "'")
    with pytest.raises(NoAnswer):
        object_in(damaged[:-lost])


SCORED = {"why": "It says so {twice}.", "seen": {"quoted": ["a"]}, "score": 3}


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace("3}", "3,}"),
        lambda text: text.replace('"score"', "score"),
    ],
)
def test_an_object_may_end_with_anything(damage):
    assert object_in(damage(json.dumps(SCORED))) == SCORED


@pytest.mark.parametrize("lost", range(1, 30))
def test_what_stops_before_the_end_of_such_an_object_is_never_completed(lost):
    damaged = json.dumps(SCORED).replace('"why"', "why")
    with pytest.raises(NoAnswer):
        object_in(damaged[:-lost])


def test_quotes_that_never_end_are_looked_at_in_time():
    with suppress(NoAnswer):
        object_in("{" + '\\"' * 90_000 + "}")


def test_very_many_keys_are_read_in_time():
    keys = [f'"k{n}": 1' for n in range(50_000)]
    assert len(object_in("{" + ", ".join(keys) + "}")) == 50_000
    with pytest.raises(NoAnswer, match="more than once"):
        object_in("{" + ", ".join([*keys, keys[-1]]) + "}")


def test_a_key_may_stand_in_two_objects_or_within_a_text():
    text = """{"a": {"1": "x"}, "b": {"1": "y"}, "c": ["{\\"1\\": 2, \\"1\\": 3}"],}"""
    assert object_in(text) == {
        "a": {"1": "x"},
        "b": {"1": "y"},
        "c": ['{"1": 2, "1": 3}'],
    }


@pytest.mark.parametrize("excerpt", ["{'a': 1, 'a': 2}", "x, 'y': z", "{'a b': 1}"])
def test_what_looks_like_a_key_within_a_text_of_damaged_json_is_none(excerpt):
    text = json.dumps({"why": f"It says {excerpt} twice.", "pass": True})
    damaged = f"{text[:-1]},}}"
    assert object_in(damaged) == json.loads(text)


@given(
    st.text()
    | st.text(alphabet='{}[]",:\\ tn01')
    | st.text(alphabet='{}[]",:a1').map(lambda text: f"{{{text}]}}"),
)
@example('{"n": ' + "9" * 5000 + ", 'a': []}")
def test_any_text_is_an_object_or_no_answer(text):
    with suppress(NoAnswer):
        assert isinstance(object_in(text), dict)


def test_rows_that_are_no_objects_lack_everything():
    assert rows([{"a": 1}, 3, None]) == [{"a": 1}, {}, {}]
    assert rows({"a": 1}) == rows("x") == rows(None) == []


def test_texts_can_be_encoded_and_nothing_else_is_a_text():
    assert [text_of(value) for value in ("a\ud800", 3, None, ["a"])] == [
        "a\ufffd",
        "",
        "",
        "",
    ]


MEANT = [(3, 3), (3.0, 3), ("3", 3), (" 03 ", 3), (0, 0), (-1, -1), (10**30, 10**30)]
MEANINGLESS = [
    True,
    3.5,
    float("inf"),
    float("nan"),
    "three",
    "3.0",
    "-1",
    "²",
    "9" * 10,
    None,
    [3],
]


@pytest.mark.parametrize(("value", "number"), MEANT)
def test_the_whole_number_that_was_meant(value, number):
    assert whole_number(value) == number


@pytest.mark.parametrize("value", MEANINGLESS)
def test_what_is_no_whole_number_is_none(value):
    assert whole_number(value) is None


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("partly", "partly"),
        (3, "3"),
        (1.5, "1.5"),
        (None, "null"),
        (True, "true"),
        ([1], "a list"),
        ({}, "an object"),
        ("x" * 50, "x" * 40 + "…"),
        (10**50, "1" + "0" * 39 + "…"),
        ("a\ud800", "a\ufffd"),
    ],
)
def test_a_piece_of_a_reply_is_told_in_short(value, told):
    assert quote(value) == told
