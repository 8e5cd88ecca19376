"""Keys as a person writes them, as Textual has them, as the screen shows them."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from appellate.app.keys.bindings import KeyUnknown, friendly, named, shown


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ctrl+s", "ctrl+s"),
        ("Ctrl + S", "ctrl+s"),
        ("é", "é"),
        ("É", "É"),
        ("/", "slash"),
        ("?", "question_mark"),
        ("question_mark", "question_mark"),
        (",", "comma"),
        ("+", "plus"),
        (" ", "space"),
        ("PgUp", "pageup"),
        ("page down", "pagedown"),
        ("Esc", "escape"),
        ("←", "left"),
        ("shift+a", "A"),
        ("A", "A"),
        ("Shift+Tab", "shift+tab"),
        ("F5", "f5"),
        ("ctrl+shift+up", "ctrl+shift+up"),
        ("ctrl+\\", "ctrl+backslash"),
        ("alt+x", "alt+x"),
        ("测", "测"),
    ],
)
def test_a_key_is_written_as_a_person_would(text, key):
    assert named(text) == key


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ctrl+i", "as Tab"),
        ("ctrl+m", "as Enter"),
        ("Ctrl+J", "as Enter"),
        ("ctrl+h", "as Backspace"),
        ("ctrl+[", "as Esc"),
        ("shift+enter", "as Enter"),
        ("ctrl+space", "as Space"),
        ("ctrl+shift+a", "cannot send"),
        ("ctrl+1", "cannot send"),
        ("ctrl+,", "cannot send"),
        ("ctrl++", "cannot send"),
        ("alt+é", "cannot send"),
        ("shift+1", "depends on the keyboard"),
        ("super+a", "no key"),
        ("pgdwn", 'did you mean "pgdown"'),
        ("f99", "no key"),
        ("ctrl+", "no key"),
        ("", "no key"),
        ("\x1b[31m", "no key"),
        (7, "must be text"),
    ],
)
def test_what_is_no_key_or_cannot_be_sent_is_refused_with_the_reason(text, why):
    with pytest.raises(KeyUnknown, match=re.escape(why)) as refusal:
        named(text)
    assert "\x1b" not in str(refusal.value)


NAMED = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "ctrl+", "Alt + ", "shift+"]),
        st.text(min_size=1, max_size=1),
    ),
)


@settings(max_examples=30)
@example("shift+ß")
@given(NAMED | st.text(max_size=12))
def test_any_name_is_a_key_that_can_be_written_again_or_is_refused(text):
    try:
        key = named(text)
    except KeyUnknown:
        return
    assert named(friendly(key)) == key
    assert shown(key)


def test_keys_are_shown_as_the_screen_names_them():
    assert [
        shown(key)
        for key in (
            "ctrl+s",
            "left",
            "question_mark",
            "a",
            "A",
            "f5",
            "pagedown",
            "enter",
        )
    ] == [*("Ctrl+S", "←", "?", "a", "A", "F5", "PgDn", "Enter")]


@pytest.mark.parametrize("text", ["pgdwn", "ctrl+shift+f1", "alt+left"])
def test_a_key_that_is_suggested_can_be_bound(text):
    with pytest.raises(KeyUnknown) as refusal:
        named(text)
    (suggested,) = re.findall('did you mean "(.+)"', str(refusal.value))
    assert named(suggested)
