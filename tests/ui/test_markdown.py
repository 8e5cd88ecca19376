import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ui_stage import HOSTILE

from appellate.ui.marks import ASCII
from appellate.ui.page import Spans, TextPage
from appellate.ui.rendered_markdown import render_markdown, unwrapped

MARKS = (
    *["*", "**", "_", "`", "``", "```", "~~", "[", "](", ")", "<b>", "![", "\\", "\\|"],
    *(
        '](x "t")',
        "| ",
        "|a|b|\n",
        "> ",
        "- ",
        "1. ",
        "  ",
        "    ",
        "\t",
        "# ",
        "## ",
        "===\n",
    ),
    *("---\n", "|--|:-:|\n", "```py\n", "\n", "\n\n"),
    *("\r\n", "\r", "\0", "\u2028", "\x0b", "測", "é", "a", "b c", "word", "\ud800"),
)
markdown = st.lists(st.sampled_from(MARKS), max_size=30).map("".join)
rooms = st.integers(1, 60)


def letters(text):
    return [char for char in text if char.isalnum()]


def letters_shown(rendered):
    """All but what is no part of the source, such as the heads of columns on a card."""
    added = False
    worn = dict(rendered.worn(0, len(rendered.text)))
    found = []
    for place, char in enumerate(rendered.text):
        added = "added" in worn[place] if place in worn else added
        if char.isalnum() and not added:
            found.append(char)
    return found


def rows(text, room=60, marks=None):
    page = TextPage(
        render_markdown(text, room, marks) if marks else render_markdown(text, room),
        room,
        Spans(),
    )
    page.rows.extend(lambda: False)
    return [
        "".join(run.shown for run in page.runs(row))
        for row in range(len(page.rows.starts))
    ]


def slice_of(text, shown):
    rendered = render_markdown(text, 60)
    start = rendered.text.index(shown)
    low, high = rendered.source_of(start, start + len(shown))
    return text[low:high]


@given(markdown, rooms)
@example(text="```+ - - *javascript:\n\n", room=3)
@example(text="`" * 9, room=3)
def test_no_letter_of_the_source_is_ever_out_of_sight(text, room):
    assert letters_shown(render_markdown(text, room)) == letters(text)


@given(markdown, rooms)
def test_every_letter_is_shown_where_the_face_says(text, room):
    rendered = render_markdown(text, room)
    for offset, char in enumerate(text):
        if char.isalnum():
            place = rendered.shown_at(offset)
            assert rendered.text[place] == char
            assert rendered.source_of(place, place + 1) == (offset, offset + 1)


@given(markdown, rooms)
def test_what_comes_later_in_the_source_comes_later_in_the_face_and_back(text, room):
    rendered = render_markdown(text, room)
    shown = [rendered.shown_at(offset) for offset in range(len(text) + 1)]
    source = [rendered.source_at(offset) for offset in range(len(rendered.text) + 1)]
    assert shown == sorted(shown)
    assert source == sorted(source)
    assert 0 <= shown[0] <= shown[-1] <= len(rendered.text)
    assert 0 <= source[0] <= source[-1] <= len(text)


@given(markdown, st.integers(-3, 90), st.integers(-3, 90))
def test_a_stretch_of_the_source_is_always_in_sight(text, start, end):
    rendered = render_markdown(text, 40)
    low, high = rendered.shown_span(start, end)
    assert 0 <= low <= high <= len(rendered.text)
    assert low < high or not rendered.text


@given(markdown, rooms)
def test_all_rows_can_be_drawn_in_any_room(text, room):
    rows(text, room)


def test_hostile_text_is_read_as_text():
    assert "[red]hi[/]" in render_markdown(HOSTILE, 80).text
    assert (
        render_markdown("<script>x</script> [a](javascript:x)", 80).text
        == "<script>x</script> [a](javascript:x)"
    )
    for mark in ("> ", "- ", "[", "*a ", "`", "**a_b", "# a\n", "|a|b|\n|-|-|\n"):
        assert letters(render_markdown(mark * 2_000, 80).text) == letters(mark * 2_000)


def test_emphasis_code_and_links_lose_their_marks_and_the_target_stays():
    assert rows("**Bold**, *it*, `a*b`, ~~no~~ and [text](http://x.y).") == [
        "Bold, it, a*b, no and text (http://x.y).",
    ]
    rendered = render_markdown("**Bold** *it* `c` [t](u)", 60)
    styles = {
        rendered.text[place]: worn
        for place, worn in rendered.worn(0, len(rendered.text))
    }
    assert [styles[char] for char in "Bict"] == [
        ("strong",),
        ("em",),
        ("code",),
        ("link",),
    ]
    assert styles["u"] == ("target",)
    assert rows(r"\*as it is\* &amp; &lt;b&gt;") == ["*as it is* & <b>"]


def test_a_slice_is_verbatim_whatever_is_hidden_inside():
    assert slice_of("take **400 mg** daily", "400 mg daily") == "400 mg** daily"
    assert slice_of("- one\n- **two** three", "two three") == "two** three"
    assert slice_of("a &amp; b", "a & b") == "a &amp; b"


def test_headings_and_rules_are_drawn():
    assert rows("# One #\n\nTwo\n===\n\n***") == ["One", "", "Two", "───", "", "─" * 24]
    assert rows("# One\n\n***\n\n- a\n> b", marks=ASCII)[2:] == [
        "-" * 24,
        "",
        "- a",
        "> b",
    ]


def test_further_rows_of_an_item_or_quote_begin_under_its_text():
    assert rows("- one two three", 12) == ["• one two", "  three"]
    assert rows("10. one two three", 14) == ["10. one two", "    three"]
    assert rows("- a\n  - one two three", 14) == ["• a", "  • one two", "    three"]
    assert rows("> one two three", 10) == ["┃ one two", "┃ three"]


def test_fences_go_and_their_code_is_set_in():
    assert rows("```python\ndef f():\n    return a*b*c\n```\nend") == [
        "python",
        "  def f():",
        "      return a*b*c",
        "end",
    ]
    assert rows("- a\n  ```\n  x\n  ```\n") == ["• a", "    x"]
    assert rows("~~~\nnever ended") == ["  never ended"]


TABLE = "| Drug | Dose |\n|:--|--:|\n| **A** | 400 mg |\n| 測 | `5` |\n| p\\|q |\n"


def test_a_table_has_its_columns_under_each_other_where_they_fit():
    assert [row.rstrip() for row in rows(TABLE)] == [
        "Drug │   Dose",
        "─────┼───────",
        "A    │ 400 mg",
        "測   │      5",
        r"p\|q",
    ]


def test_a_table_that_does_not_fit_has_a_card_for_each_row():
    table = (
        "|Drug|**Usual dose**|Watch for|\n|:--|--:|-|\n"
        "|**A**|400 mg every 6 to 8 hours|kidneys|\n|B||`heart`|\n"
    )
    assert [row.rstrip() for row in rows(table, 26)] == [
        "Drug │ Usual dose │ Watch",
        "for",
        "─" * 24,
        "",
        "A",
        "  Usual dose: 400 mg every",
        "    6 to 8 hours",
        "  Watch for: kidneys",
        "",
        "B",
        "  Watch for: heart",
    ]
    assert rows(table, 80)[0].startswith("Drug │")


def test_a_last_column_that_is_too_wide_is_wrapped_under_its_head():
    table = (
        "| key | what it does |\n|-|-|\n"
        "| `d` | drop the item; its instruction goes back |\n| e | reword |\n"
    )
    assert [row.rstrip() for row in rows(table, 30)] == [
        "key │ what it does",
        "────┼─" + "─" * 24,
        "d   │ drop the item; its",
        "    │ instruction goes back",
        "e   │ reword",
    ]
    wide_first = "| what it does | key |\n|-|-|\n| drop the item; its instruction goes back | d |\n"
    assert "key: d" in "".join(rows(wide_first, 30))


def test_lines_that_were_broken_for_a_file_are_joined_and_code_tables_and_hard_breaks_stay():
    assert (
        unwrapped("One\n  paragraph.\n\n- an\n  item\n- b")
        == "One paragraph.\n\n- an item\n- b"
    )
    for text in (
        "```\na\nb\n```",
        "|a|\n|-|\n|b|",
        "a  \nb",
        "a\\\nb",
        "> a\n> b",
        "# a\nb",
    ):
        assert unwrapped(text) == text


@given(markdown)
def test_joining_lines_loses_no_letter(text):
    assert letters(unwrapped(text)) == letters(text)


def test_what_is_selected_on_a_card_is_a_slice_of_the_response():
    table = (
        "|Drug|Usual dose|\n|-|-|\n|Ibuprofen|400 mg every 6 to 8 hours, with food|\n"
    )
    rendered = render_markdown(table, 20)
    at = rendered.text.index("400 mg")
    low, high = rendered.source_of(at, at + len("400 mg every"))
    assert table[low:high] == "400 mg every"


def test_code_stands_on_a_ground_of_its_own_with_its_language():
    page = TextPage(
        render_markdown("a\n\n```sql\nselect 1\n\nfrom t\n```\nb", 30),
        30,
        Spans(),
    )
    page.rows.extend(lambda: False)
    grounds = [
        "block" in page.worn_at_start(row) for row in range(len(page.rows.starts))
    ]
    assert grounds == [False, False, True, True, True, True, False]


def test_windows_line_ends_and_stray_ones_move_nothing():
    text = "# A\r\n\r\n- **b**\r\nc\rd"
    rendered = render_markdown(text, 60)
    assert letters(rendered.text) == letters(text)
    assert text[rendered.source_at(rendered.text.index("b"))] == "b"


def test_real_responses_keep_every_letter(shared):
    lines = (shared / "data/healthbench/traces.jsonl").read_text("utf-8").splitlines()
    for response in (json.loads(line)["response"] for line in lines):
        if "&" not in response:
            assert letters_shown(render_markdown(response, 78)) == letters(response)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "```", "`" * 50, "***"])
def test_where_only_syntax_would_be_left_the_source_shows(text):
    assert render_markdown(text, 40).text.strip() or not text.strip()
