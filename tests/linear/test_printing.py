"""Paragraphs as lines: wrapped between words, coloured by SGR alone, inert."""

from hypothesis import given
from hypothesis import strategies as st

from appellate.linear.console import NARROWEST, Printing, cells
from appellate.ui.contract import Paragraph
from appellate.ui.marks import ASCII, UNICODE

PARAGRAPH = Paragraph("States that BCL2 is on chromosome 18", "−FN:", "fn", indent=2, hang=4)


def test_a_paragraph_is_wrapped_between_words_and_hangs():
    lines = list(Printing(UNICODE, 26).lines(PARAGRAPH))
    assert lines == ["  −FN: States that BCL2 is", "      on chromosome 18"]


def test_only_the_mark_is_coloured():
    (line,) = Printing(UNICODE, None, colours=True).lines(PARAGRAPH)
    assert line == "  \x1b[33m−FN:\x1b[0m States that BCL2 is on chromosome 18"


def test_sentences_of_ours_are_spelt_in_ascii_and_words_of_a_file_are_not():
    printing = Printing(ASCII)
    assert list(printing.lines(Paragraph("moved TP → FN: “é”"))) == ['moved TP -> FN: "é"']
    assert list(printing.lines(Paragraph("a → b", quoted=True))) == ["a → b"]
    assert list(printing.lines(Paragraph("a → b", in_quotes=True))) == ['"a → b"']


def test_a_letter_bears_eight_marks_and_no_more_of_ten_thousand():
    (line,) = Printing(UNICODE).lines(Paragraph("a" + "\u0301" * 10_000 + "b"))
    assert line == "a" + "\u0301" * 8 + "◌" * 9_992 + "b"


@given(st.text(max_size=200), st.integers(NARROWEST, 60))
def test_nothing_is_lost_nothing_is_too_wide_and_nothing_acts(text, width):
    lines = list(Printing(UNICODE, width).lines(Paragraph(text, quoted=True)))
    assert all(cells(line) <= width for line in lines)
    whole = "".join("".join(lines).split())
    bare = list(Printing(UNICODE).lines(Paragraph(text, quoted=True)))
    assert whole == "".join("".join(bare).split())
    assert not any(ord(char) < 32 or ord(char) == 127 for char in whole)
