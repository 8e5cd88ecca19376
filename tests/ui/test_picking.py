"""What a picker finds for what was typed, and how it is shown."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ui_stage import Stage, lines_of

from appellate.ui.contract import Choice
from appellate.ui.lines import Lines
from appellate.ui.picker import Picker, matching, searched, typed_spans

NAMES = [
    "States that BCL2 is anti-apoptotic",
    "Mentions apoptosis",
    "Anti-apoptotic effect of BCL2 in lymphoma",
    "Chromosome 18",
    "Names the chromosome",
]
MORE = Choice("more", "0", "in several lines")
CHOICES = [Choice(name, str(number), name) for number, name in enumerate(NAMES, 1)]


def keys(typed: str) -> list[str]:
    return [choice.number for choice in matching(searched(CHOICES), typed)]


def test_a_number_comes_before_a_beginning_before_words_begun_before_words_held():
    assert keys("1") == ["1", "4"]
    assert keys("anti") == ["3", "1"]
    assert keys("chromo") == ["4", "5"]
    assert keys("apoptotic bcl2") == ["1", "3"]
    assert keys("poptosis") == ["2"]


def test_letters_in_order_are_found_the_closest_together_first():
    assert keys("mapo")[0] == "2"
    assert keys("nmchr")[0] == "5"


def test_a_slip_of_the_fingers_is_forgiven():
    assert keys("chromosmoe 18")[0] == "4"
    assert keys("qqqq") == []
    assert keys("zx") == []


def test_the_work_of_a_search_grows_no_faster_than_the_choices():
    many = searched(
        [
            Choice(
                str(n),
                str(n),
                f"Instruction {n} names the {n % 97}th effect of gene {n % 13}",
            )
            for n in range(10_000)
        ],
    )
    for typed in ("e", "effect gene", "infct", "instrucitons"):
        few, all_of_them = (
            calls(matching, many[:1000], typed),
            calls(matching, many, typed),
        )
        assert all_of_them <= 11 * few + 100, typed


def calls(function, *given) -> int:
    """How many calls it takes, those of built-in functions included."""
    count = 0

    def counted(_frame, event, _arg):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        function(*given)
    finally:
        sys.setprofile(None)
    return count


@given(st.text(max_size=30), st.text(max_size=8))
def test_marked_places_stand_apart_and_in_order_within_the_text(text, typed):
    end = 0
    for place in typed_spans(text, typed):
        assert end <= place[0] < place[1] <= len(text)
        end = place[1]


def test_places_are_words_or_else_letters():
    assert typed_spans("Names the chromosome", "chro names") == [(0, 5), (10, 14)]
    assert typed_spans("aab", "a aa") == [(0, 1), (1, 2)]
    assert typed_spans("Mentions", "mts") == [(0, 1), (3, 4), (7, 8)]
    assert typed_spans("Mentions", "mz") == []
    assert typed_spans("x", " ") == []


async def test_whoever_asks_hears_of_every_row_that_is_looked_at():
    heard: list[str] = []
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Picker("Which?", CHOICES, highlighted=heard.append))
        await pilot.pause()
        await pilot.press("down", "up", "q", "z")
    assert heard[0] == NAMES[0]
    assert heard[1:3] == [NAMES[1], NAMES[0]]
    assert heard[-1] == ""


@pytest.mark.slow
async def test_what_is_typed_may_be_taken_as_it_is():
    app = Stage()
    answers: list[str | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Picker("Why?", CHOICES, free=True), answers.append)
        await pilot.press(*"the", "space", *"chrom")
        assert [line.split() for line in lines_of(app.screen.query_one(Lines))[:2]] == [
            ["▸", "the", "chrom", "as", "typed"],
            ["5", "Names", "the", "chromosome"],
        ]
        await pilot.press("enter")
        app.push_screen(Picker("Why?", CHOICES, free=True), answers.append)
        await pilot.press(*"the", "space", *"chrom", "down", "enter")
        app.push_screen(Picker("Why?", CHOICES, free=True), answers.append)
        await pilot.press("enter")
        app.push_screen(Picker("Why?", CHOICES, free=True, longer=MORE), answers.append)
        await pilot.press("x", "ctrl+o")
        app.push_screen(Picker("Which?", CHOICES, none=MORE), answers.append)
        await pilot.press("ctrl+o", "escape")
    assert answers == ["the chrom", NAMES[4], NAMES[0], "more", None]


async def test_the_beginning_of_a_choice_is_that_choice_before_it_is_words_of_ones_own():
    app = Stage()
    answers: list[str | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        for keys in ([*"names", "enter"], [*"names", "down", "enter"]):
            app.push_screen(Picker("Why?", CHOICES, free=True), answers.append)
            await pilot.press(*keys)
    assert answers == [NAMES[4], "names"]


async def test_a_double_click_takes_a_row_and_a_click_beside_the_list_leaves():
    app = Stage()
    answers: list[str | None] = []
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Picker("Which?", CHOICES), answers.append)
        await pilot.pause()
        await pilot.click(Lines, offset=(3, 2), times=2)
        app.push_screen(Picker("Which?", CHOICES), answers.append)
        await pilot.pause()
        await pilot.click(offset=(1, 1))
    assert answers == [NAMES[2], None]


async def test_the_cursor_may_begin_on_the_choice_that_means_none_of_the_groups():
    app = Stage()
    async with app.run_test(size=(60, 20)) as pilot:
        grouped = [
            Choice(name, "", name, group=group) for name, group in ("aA", "bA", "cB")
        ]
        seen = []
        picker = Picker(
            "Which?",
            grouped,
            none=Choice("", "0", "none of these"),
            on_none=True,
            highlighted=seen.append,
        )
        app.push_screen(picker)
        await pilot.pause()
        assert seen[-1] == ""
        await pilot.press("up")
        assert seen[-1] == "c"
