"""TOML as the audit writes it reads back as it was."""

import tomllib
from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from appellate.store.files.toml import emit, moment, stamp


def text(table, path=()) -> str:
    return "".join(emit(table, path))


ACTING = "".join(
    chr(code)
    for first, last in (
        (0x7F, 0x9F),
        (0x61C, 0x61C),
        (0x200E, 0x200F),
        (0x202A, 0x202E),
        (0x2066, 0x2069),
    )
    for code in range(first, last + 1)
)
"""What a terminal or an editor obeys: C1 controls, and the directions of a line."""
ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in ACTING}
ODD = [
    "a\rb\nc",
    "a\r\nb",
    "\n",
    "\\\n",
    '"""\n"',
    "\x00\x7f\x1b\n",
    "\ufeff\u202e",
    "a\n\ud7ff\U0001f600",
    "\t\n ",
]


@pytest.mark.parametrize("odd", ODD)
def test_odd_strings_survive(odd):
    assert tomllib.loads(text({"k": odd, "l": [odd], "t": {odd: odd}})) == {
        "k": odd,
        "l": [odd],
        "t": {odd: odd},
    }


def test_a_text_of_several_lines_is_written_in_lines_and_one_with_a_carriage_return_escaped():
    assert text({"k": "a\nb"}) == 'k = """\na\nb"""\n'
    assert text({"k": "a\r\nb"}) == 'k = "a\\r\\nb"\n'


def test_rows_that_begin_with_a_text_stand_on_a_line_each():
    table = {
        "documents": [[["0a", 0, 9], ["0b", 'x\n"y"']], []],
        "response": [["a", 0, 3]],
    }
    assert text(table).splitlines() == [
        "documents = [",
        "    [",
        '        ["0a", 0, 9],',
        '        ["0b", "x\\n\\"y\\""],',
        "    ],",
        "    [],",
        "]",
        "response = [",
        '    ["a", 0, 3],',
        "]",
    ]
    assert tomllib.loads(text(table)) == table


def test_own_keys_come_before_tables_and_lists_of_tables_have_headers():
    assert (
        text({"a": {"b": 1}, "c": [{"d": 2}], "e": 3})
        == "e = 3\n\n[a]\nb = 1\n\n[[c]]\nd = 2\n"
    )


def test_a_sign_off_stands_on_one_line_and_nothing_else_of_that_name_does():
    signed = {"signed": {"by": 'a"\n', "at": datetime(2026, 11, 21, tzinfo=UTC)}}
    line = text(signed, ("traces", "judgments"))
    assert line.startswith("signed = {by = ")
    assert tomllib.loads(line) == signed
    deep = {"signed": {"a": {"b": [{"c": 1}]}}}
    assert tomllib.loads(text(deep)) == deep


def test_moments_are_written_in_utc_and_foreign_times_as_they_were():
    noon = datetime(2026, 11, 21, 12, 0, 0, 5, tzinfo=UTC)
    assert stamp(noon) == "2026-11-21T12:00:00.000005Z"
    assert moment(stamp(noon)) == noon
    assert stamp(noon.astimezone(timezone(timedelta(hours=2)))) == stamp(noon)
    with pytest.raises(ValueError, match="with a zone"):
        stamp(noon.replace(tzinfo=None))
    assert text({"at": noon}) == "at = 2026-11-21T12:00:00.000005Z\n"
    others = {
        "local": datetime(2026, 11, 21, 12),  # noqa: DTZ001 - TOML has local times
        "there": datetime(2026, 11, 21, 12, tzinfo=timezone(timedelta(hours=2))),
        "day": date(2026, 11, 21),
        "hour": time(12, 30),
    }
    assert tomllib.loads(text(others)) == others
    assert "local = 2026-11-21T12:00:00\n" in text(others).replace(" 12", "T12")


@given(
    st.text()
    | st.lists(st.text(), min_size=1)
    | st.floats()
    | st.integers()
    | st.booleans(),
)
def test_a_value_is_written_as_tomli_w_writes_it(value):
    several_lines = isinstance(value, str) and "\n" in value and "\r" not in value
    written = tomli_w.dumps({"k": value}, multiline_strings=several_lines)
    assert text({"k": value}) == written.translate(ESCAPED)


plain = (
    st.text()
    | st.integers(-(2**70), 2**70)
    | st.booleans()
    | st.floats(allow_nan=False)
)
values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), values, max_size=5))
def test_any_table_survives(table):
    assert tomllib.loads(text(table)) == table


@pytest.mark.parametrize("form", ["{}", "a\n{}", "{}\r"])
def test_what_acts_on_a_terminal_is_escaped_wherever_it_stands(form):
    odd = form.format(ACTING)
    table = {
        "text": odd,
        "texts": [odd],
        "rows": [[odd, 0, [odd]]],
        "mixed": [odd, 1, {odd: odd}],
        odd: {odd: [{odd: odd}]},
    }
    written = text(table)
    assert not set(written) & set(ACTING)
    assert tomllib.loads(written) == table
