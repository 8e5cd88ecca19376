"""Which sequences are read, and as what."""

import pytest
from textual.events import AppBlur, AppFocus, Key, MouseEvent, MouseMove

from appellate.ui.known_sequences import known_form
from appellate.ui.textual_compat import FUNCTION_KEYS, NAMED_SEQUENCES, EventParser
from terminal_sequences import SEQUENCES


def read(sequence: str):
    """What Textual makes of the form in which a sequence is known."""
    return EventParser().read(known_form(sequence) or "")


def keys(sequence: str) -> list[str]:
    return [event.key for event in read(sequence) if isinstance(event, Key)]


@pytest.mark.parametrize("sequence", [*NAMED_SEQUENCES])
def test_every_sequence_that_textual_has_a_key_for_leaves_nothing_behind(sequence):
    parser = EventParser()
    if sequence.startswith(("\x1b[", "\x1bO")):
        parser.read(known_form(sequence) or "")
        assert [event.key for event in parser.read("j")] == ["j"]


@pytest.mark.parametrize(("code", "name"), FUNCTION_KEYS.items())
def test_every_key_of_kitty_acts_unless_it_is_one_that_does_nothing(code, name):
    silent = name.startswith(("left_", "right_", "iso_", "media_")) or name.endswith(
        ("_lock", "_volume"),
    )
    is_position = code == "1R"  # of the cursor
    assert keys(f"\x1b[{code}") == ([] if silent or is_position else [name])


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[57358u",
        "\x1b[57358;65u",
        "\x1b[57360;129u",
        "\x1b[57441;2u",
        "\x1b[27;1;65509~",
        "\x1b[27;1;65407~",
    ],
)
def test_caps_lock_num_lock_and_shift_by_themselves_are_no_keys(sequence):
    assert read(sequence) == []


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[106;1:1u",
        "\x1b[106;1:3u",
        "\x1b[106:74;2u",
        "\x1b[1114112u",
        "\x1b[55296u",
        "\x1b[0;;1114112u",
        "\x1b[0;;106:55296u",
        f"\x1b[{'9' * 5000}u",
        f"\x1b[<35;{'9' * 5000};1M",
        f"\x1b[48;{'9' * 5000};80;480;800t",
        "\x1b[48;24;80;0;0t",
        "\x1b[2B",
        "\x1b[<128;1;1M",
    ],
)
def test_what_textual_would_raise_at_or_take_for_another_key_is_dropped(sequence):
    assert known_form(sequence) is None


@pytest.mark.parametrize(
    ("sequence", "key", "character"),
    [
        ("\x1b[106u", "j", "j"),
        ("\x1b[106;65;74u", "J", "J"),
        ("\x1b[0;;252u", "ü", "ü"),
        ("\x1b[0;;65345u", "ａ", "ａ"),
        ("\x1b[27;2;74~", "J", "J"),
        ("\x1b[27;65;106~", "j", "j"),
        ("\x1b[27;5;105~", "ctrl+i", None),
        ("\x1b[27;2;13~", "shift+enter", None),
        ("\x1b[27;5;8~", "ctrl+backspace", None),
        ("\x1b[105;5;9u", "ctrl+i", None),
        ("\x1b[1;65A", "up", None),
        ("\x1b[1;129B", "down", None),
        ("\x1b[3;129~", "delete", None),
        ("\x1b[7$", "shift+home", None),
        ("\x1b[[E", "f5", None),
    ],
)
def test_a_key_is_what_was_pressed_whatever_else_its_sequence_says(
    sequence,
    key,
    character,
):
    assert [(event.key, event.character) for event in read(sequence)] == [
        (key, character),
    ]


def test_the_mouse_and_the_focus_are_heard():
    assert [type(event) for event in read("\x1b[<35;21;13M")] == [MouseMove]
    assert [type(event) for event in read("\x1b[I")] == [AppFocus]
    assert [type(event) for event in read("\x1b[O")] == [AppBlur]


@pytest.mark.parametrize(
    "name",
    [name for name in SEQUENCES if name.startswith("reply")],
)
def test_no_reply_is_a_key_or_a_click(name):
    sequence = SEQUENCES[name].decode("latin-1")
    assert not [
        event for event in read(sequence) if isinstance(event, Key | MouseEvent)
    ]
