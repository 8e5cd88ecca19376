"""The Markdown report: any viewer shows our headings, tables and lists, and of a trace nothing but
its words.
"""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_stage import EVIL, TAME, lived, shape

from appellate.core.inert import spelled_out
from appellate.numbers.markdown import markdown, safe
from appellate.numbers.report import Report, report

marked = st.text(
    st.sampled_from("\\`*_{}[]()<>#+-.!|~&;:/@$=^1a \n\twWhtp")
    | st.characters(codec="utf-8"),
)


@pytest.fixture(scope="module")
def evil(tmp_path_factory) -> Report:
    return report(lived(tmp_path_factory.mktemp("evil"), EVIL))


def test_hostile_texts_make_no_heading_link_image_table_or_list(evil, tmp_path):
    tame = report(lived(tmp_path, TAME))
    assert list(shape(markdown(evil))) == list(shape(markdown(tame)))


def test_no_raw_html_stands_in_it_but_the_mark_of_the_format_and_folds(evil):
    first, rest = markdown(evil).split("\n", 1)
    assert first == "<!-- appellate-report/2 -->"
    assert "<" not in re.sub(
        r"^</?(details|summary)>(\n<summary>)?$",
        "",
        rest,
        flags=re.MULTILINE,
    )


def test_nothing_is_left_that_a_viewer_would_link_by_itself(evil):
    text = markdown(evil)
    assert not re.search(r"://|www\.|[\w]@[\w]", text)


def test_nothing_that_a_terminal_obeys_is_left(evil):
    assert all(char.isprintable() or char == "\n" for char in markdown(evil))


@pytest.mark.parametrize(
    "said",
    [
        "- Clear",
        "+ Clear",
        "1) Clear",
        "12. Clear",
        "---",
        "- - -",
        "-5 to 3",
        "=",
        "3",
        "1.5",
    ],
)
def test_a_text_that_begins_a_line_is_no_list_and_no_rule(said):
    opening, inline, closing = MarkdownIt("gfm-like").parse(f"Before.\n\n{safe(said)}")[
        3:
    ]
    assert (opening.type, closing.type) == ("paragraph_open", "paragraph_close")
    assert [inner.content for inner in inline.children] == [said]


@pytest.mark.slow
@given(said=marked)
@example(said="0.AL")
@example(said="see example.com, or müller.de")
def test_any_text_is_read_back_as_its_words(said):
    (paragraph,) = [
        token
        for token in MarkdownIt("gfm-like").parse(f"did: {safe(spelled_out(said))}.")
        if token.children
    ]
    assert {inner.type for inner in paragraph.children} <= {"text"}
    read = "".join(inner.content for inner in paragraph.children)
    wanted = re.sub(r"[ \t]*\n\s*", " ↵ ", spelled_out(said).strip()).replace("\t", " ")
    assert read == f"did: {wanted}."


@given(said=marked)
def test_any_text_stays_in_its_cell_of_a_table(said):
    table = f"| a | b |\n| --- | --- |\n| {safe(spelled_out(said))} | end |"
    cells = [
        token.children
        for token in MarkdownIt("gfm-like").parse(table)
        if token.type == "inline"
    ]
    assert len(cells) == 4
    assert {inner.type for cell in cells for inner in cell} <= {"text"}
