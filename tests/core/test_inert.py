"""Text that acts on nobody: the forms agree about what is harmless, and leave nothing else."""

import json

from hypothesis import given
from hypothesis import strategies as st

from appellate.core.inert import (
    escaped,
    in_whole_characters,
    inert_json,
    inert_json_parts,
    inert_json_text,
    spelled_out,
    stand_ins,
    visible,
)

FORMS = escaped, visible, spelled_out, stand_ins


@given(st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126)))
def test_plain_letters_stay_the_same_object(text):
    assert all(form(text) is text for form in FORMS)


@given(st.text())
def test_nothing_that_acts_is_left(text):
    assert escaped(text).isprintable()
    assert visible(text).replace("\n", "").replace("\t", "").isprintable()
    assert len(stand_ins(text)) == len(text)
    for form in (visible, spelled_out, stand_ins):
        assert not set(form(text)) & {
            "\x1b",
            "\x9b",
            "\u202e",
            "\u2066",
            "\u200b",
            "\ufeff",
        }


@given(
    st.recursive(
        st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    ),
)
def test_json_for_programs_keeps_every_text_and_acts_on_no_terminal(value):
    text = inert_json(value)
    assert json.loads(text) == value
    assert text.isprintable()


def test_each_reader_gets_the_form_it_can_use():
    text = "a\x1b\u202e\n"
    assert escaped(text) == "a\\x1b\\u202e\\n"
    assert visible(text) == "a\\x1b\\u202e\n"
    assert spelled_out(text) == "a⟨U+001B⟩⟨U+202E⟩\n"
    assert stand_ins(text) == "a␛⇄\n"


def test_joiners_stay_where_a_script_spells_with_them_and_are_shown_elsewhere():
    assert stand_ins("می\u200cخواهم") == "می\u200cخواهم"
    assert stand_ins("a\u200cb \u200c") == "a␢b ␢"
    assert stand_ins("\u200c") == "␢"
    assert stand_ins("می\u200dخ") == "می\u200cخ"


def test_white_space_of_other_kinds_is_a_blank():
    assert spelled_out("a\u2003b\x1b") == "a b⟨U+001B⟩"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON_VALUES, st.sampled_from([1, 2, 4]))
def test_json_on_lines_is_what_python_writes(value, indent):
    written_by_python = json.dumps(value, ensure_ascii=False, indent=indent)
    assert inert_json(value, indent) == inert_json_text(written_by_python)


@given(
    st.dictionaries(st.text(), JSON_VALUES, max_size=4),
    st.lists(JSON_VALUES, max_size=4),
)
def test_json_in_parts_is_what_it_is_as_a_whole(table, entries):
    whole = inert_json({**table, "entries": entries}, 2)
    assert "".join(inert_json_parts({**table, "entries": iter(entries)}, 2)) == whole


def test_entries_of_json_in_parts_are_taken_as_they_are_written():
    taken = []

    def entries():
        for number in range(1_000):
            taken.append(number)
            yield number

    parts = inert_json_parts({"first": 1, "entries": entries()}, 2)
    assert not taken
    next(parts)
    assert 0 < len(taken) < 1_000
    assert "".join(inert_json_parts({}, 2)) == "{}"


def test_halves_of_characters_are_replaced_where_they_are():
    assert in_whole_characters("a\ud83d b\udcff😀") == "a\ufffd b\ufffd😀"


@given(st.lists(st.lists(JSON_VALUES, max_size=3), max_size=3), JSON_VALUES)
def test_a_table_of_a_list_in_parts_may_have_a_list_in_parts_itself(lists, value):
    whole = inert_json({"tables": [{"of": value, "rows": rows} for rows in lists]}, 2)
    tables = ({"of": value, "rows": iter(rows)} for rows in lists)
    assert "".join(inert_json_parts({"tables": tables}, 2)) == whole
