"""What comes from a terminal in parts is one thing, and what hands type stays what they typed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.ui.input_gate import (
    Alt,
    Escape,
    InputGate,
    Pasted,
    Piece,
    Sequence,
    Typed,
)
from terminal_sequences import NEEDS_ONE_READ, SEQUENCES, Read, cuts

ESC = b"\x1b"


def through(*reads: Read) -> list[Piece]:
    """What reads turn out to be, each so many seconds after the one before, and a minute later."""
    gate, now, pieces = InputGate(), 100.0, []
    for gap, data in (*reads, (60.0, b"")):
        now += gap
        while gate.deadline is not None and gate.deadline <= now:
            pieces += gate.tick(gate.deadline)
        pieces += gate.feed(data, now)
    return pieces


def typed(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Typed))


def pasted(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces if isinstance(piece, Pasted)]


# -- sequences ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEQUENCES)
def test_no_part_of_a_sequence_is_a_letter_however_it_is_cut(name):
    for reads in cuts(name):
        pieces = through(*reads, (2.0, b"j"))
        assert pieces[-1] == Typed("j"), reads
        assert not typed(pieces[:-1]).strip("\ufffd"), reads
        assert not any(isinstance(piece, Alt) for piece in pieces), reads


@pytest.mark.parametrize("name", sorted({*SEQUENCES} - {*NEEDS_ONE_READ}))
def test_a_sequence_that_comes_byte_by_byte_as_over_a_serial_line_is_the_sequence(name):
    sequence = SEQUENCES[name]
    apart = through(*((0.001, bytes((byte,))) for byte in sequence))
    assert apart == through((0, sequence))


def test_a_mouse_report_of_which_the_rest_comes_late_is_one_report():
    assert through((0, b"\x1b[<35;2"), (0.9, b"1;13M")) == [Sequence("\x1b[<35;21;13M")]


def test_behind_an_esc_that_was_pressed_by_itself_the_rest_of_a_report_means_nothing():
    assert through((0, ESC), (0.3, b"[<35;21;13M"), (0.1, b"j")) == [
        Escape(),
        Typed("j"),
    ]


def test_of_what_never_ends_nothing_is_typed_and_a_second_later_keys_are_keys():
    assert through((0, b"\x1b[<35;2"), (1.1, b"1")) == [Typed("1")]
    assert through((0, b"\x1bP1+r54"), (1.1, b"1")) == [Typed("1")]


def test_keys_that_are_pressed_one_by_one_do_not_keep_a_sequence_waiting():
    keys = [(0.3, b"j")] * 6
    assert len(typed(through((0, b"\x1b]52;c;"), *keys))) == 3


def test_the_first_byte_that_cannot_continue_a_sequence_ends_it():
    assert through((0, b"\x1b[12"), (0.3, b"\rj")) == [Typed("\rj")]
    assert through((0, b"\x1b]52;c;MT"), (0.3, b"\r")) == [Typed("\r")]
    assert through((0, b"\x1b[12\x1b[A")) == [Sequence("\x1b[A")]


@pytest.mark.parametrize("start", [b"[", b"O", b"P", b"]", b"_", b"^", b"X"])
@pytest.mark.parametrize("gap", [0.05, 0.3])
def test_a_letter_that_begins_sequences_is_a_key_where_it_comes_by_itself(start, gap):
    pieces = through((0, ESC), (gap, start), (0.3, b"j"))
    assert pieces[0] == Escape()
    assert typed(pieces) == start.decode() + "j"


def test_a_report_whose_head_came_in_two_parts_is_not_typed():
    assert typed(through((0, ESC), (0.3, b"["), (0.3, b"<35;21;13M"))) == "["
    assert typed(through((0, ESC), (0.3, b"["), (0.3, b"8;24;80t"))) == "["


def test_a_report_whose_esc_was_lost_is_not_typed():
    assert through((0, b"[<35;21;13M<35;22;13M[?1;2c")) == []


# -- Esc and Alt ----------------------------------------------------------------------------------------


def test_esc_acts_after_a_tenth_of_a_second():
    gate = InputGate()
    assert gate.feed(ESC, 5.0) == []
    assert gate.deadline == pytest.approx(5.1)
    assert gate.tick(5.05) == []
    assert gate.tick(5.11) == [Escape()]
    assert gate.deadline is None


def test_esc_and_a_letter_of_one_read_are_alt_and_the_letter():
    assert through((0, b"\x1bj")) == [Alt("j")]
    assert through((0, ESC), (0.05, b"j")) == [Alt("j")]
    assert through((0, ESC), (0.2, b"j")) == [Escape(), Typed("j")]


def test_esc_pressed_twice_is_esc_twice():
    assert through((0, b"\x1b\x1b")) == [Escape(), Escape()]
    assert through((0, b"\x1b\x1b[A")) == [Escape(), Sequence("\x1b[A")]


# -- letters --------------------------------------------------------------------------------------------


def test_type_ahead_is_typed():
    assert through((0, b"1\r")) == [Typed("1\r")]
    assert through(
        (0, b"c"),
        (0, "Grüße an alle, die da sind\r".encode()),
        (0, b"n1\r"),
    )[1:] == [
        Typed("Grüße an alle, die da sind\r"),
        Typed("n1\r"),
    ]


def test_what_is_no_utf_8_is_typed_as_the_character_for_that():
    assert typed(through((0, b"\xfc"), (1, b"j"))) == "\ufffdj"
    assert typed(through((0, b"\xc3j"))) == "\ufffdj"
    assert typed(through((0, b"\xe2\x82"), (5, b"j"))) == "\ufffdj"


def test_a_character_that_comes_in_two_parts_is_one():
    assert typed(through((0, b"\xc3"), (0.3, b"\xbc"))) == "ü"
    assert typed(through((0, b"\xf0\x9f"), (0.3, b"\x99\x82"))) == "🙂"


def test_a_letter_of_windows_1252_that_begins_sequences_elsewhere_is_no_end_of_typing():
    assert typed(through((0, b"\x9e"), (0.3, b"j"))) == "\ufffdj"


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.01, 0.3, 2.0]), st.binary(max_size=9)),
        max_size=9,
    ),
)
def test_no_bytes_at_all_raise_or_keep_a_later_key_from_acting(reads):
    pieces = through(*reads, (20.0, b"j"))
    assert pieces[-1] in (Typed("j"), Typed("\ufffdj"))


# -- pastes ---------------------------------------------------------------------------------------------


def test_a_paste_is_one_text_without_colours_and_with_its_lines():
    assert through((0, b"\x1b[200~one \x1b[31mtwo\x1b[0m\rthree\x1b\x1b[201~j")) == [
        Pasted("one two\nthree"),
        Typed("j"),
    ]


@pytest.mark.parametrize("gap", [0.0, 0.3, 3.0])
def test_a_long_paste_that_comes_in_parts_types_nothing(gap):
    text = b"1 2 3 a\r" * 40
    whole = b"\x1b[200~" + text + b"\x1b[201~"
    parts = [whole[start:end] for start, end in pairwise([0, 40, 200, 323, len(whole)])]
    pieces = through(*((gap, part) for part in parts))
    assert not typed(pieces)
    assert "".join(pasted(pieces)) == text.decode().replace("\r", "\n")


def test_a_paste_that_never_ends_is_there_after_a_second_and_the_next_key_acts():
    pieces = through((0, b"\x1b[200~one two"), (1.5, b"j"), (0.2, b"k"))
    assert pieces == [Pasted("one two"), Typed("j"), Typed("k")]
    assert through((0, b"\x1b[200~one two"), (1.5, b"\x1b[A"))[-1] == Sequence("\x1b[A")


def test_the_end_of_a_paste_that_comes_late_and_in_parts_is_its_end():
    reads = [(0, b"\x1b[200~one\x1b[20"), (1.5, b"1"), (0.2, b"~"), (0.2, b"j1")]
    assert through(*reads) == [Pasted("one"), Typed("j1")]


def test_two_lines_in_one_read_are_a_paste_of_one_line():
    assert through((0, b"the first line\r1 2 3 and so on\r")) == [
        Pasted("the first line 1 2 3 and so on "),
    ]


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n", b"\r\r", b"\r\n  \r\n\t"])
def test_whatever_ends_the_lines_of_a_paste_is_no_enter(end):
    pieces = through((0, b"the first line" + end + b"the second line"))
    assert not typed(pieces)
    assert "\r" not in pasted(pieces)[0]
    assert "\n" not in pasted(pieces)[0]


def test_what_follows_two_pasted_lines_at_once_is_pasted_and_later_typed():
    lines = b"the first line\rthe second line"
    assert pasted(through((0, lines), (0.01, b"\r1 2 3\r"), (0.3, b"1"))) == [
        "the first line the second line",
        " 1 2 3 ",
    ]
    assert typed(through((0, lines), (0.3, b"1\r"))) == "1\r"


def test_a_paste_that_never_ends_is_over_where_nobody_looked_for_long():
    gate = InputGate()
    gate.feed(b"\x1b[200~one", 5.0)
    assert gate.feed(b"1\r", 30.0) == [Pasted("one"), Typed("1\r")]


def test_shorter_lines_stay_keys():
    assert through((0, b"shorter\rthan eight")) == [Typed("shorter\rthan eight")]
    assert through((0, b"a long line of words and Enter\r1")) == [
        Typed("a long line of words and Enter\r1"),
    ]


@pytest.mark.parametrize(
    ("text", "cut", "told"),
    [
        ("ab本cd", 3, "ab本cd"),
        ("ab本cd", 4, "ab本cd"),
        ("ab😀cd", 5, "ab😀cd"),
        ("ab\r\ncd", 3, "ab\ncd"),
        ("ab\r\n\ncd", 3, "ab\n\ncd"),
        ("ab\x1b[31mred", 5, "abred"),
        ("ab\x1b[31mred", 3, "abred"),
    ],
)
def test_a_paste_that_stalls_within_a_character_or_line_end_loses_nothing(
    text,
    cut,
    told,
):
    """A slow line may stop anywhere, for longer than a program waits."""
    begin, end = text.encode()[:cut], text.encode()[cut:]
    pieces = through((0, b"\x1b[200~" + begin), (1.5, end + b"\x1b[201~"))
    assert "".join(pasted(pieces)) == told


def test_a_line_feed_of_a_later_paste_is_a_line_end_of_its_own():
    pieces = through(
        *((0, b"\x1b[200~ab\r"), (30, b"\x1b[200~\ncd\x1b[201~")),
    )
    assert pasted(pieces) == ["ab\n", "\ncd"]
