from contextlib import asynccontextmanager
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Size
from textual.widgets import Button, Static
from ui_stage import HOSTILE, Stage, lines_of

from appellate.ui.conversation import Left, begin
from appellate.ui.marks import UNICODE
from appellate.ui.prompt import (
    MOST,
    History,
    Line,
    LinePrompt,
    candidates_at,
    with_candidate,
)


class Word(NamedTuple):
    start: int
    end: int
    text: str
    meaning: str = ""


WORDS = ["state:", "sta", "text:", "trait:", "id:", "is:", "by:", "judge:", HOSTILE]


def words(text: str, cursor: int) -> list[Word]:
    """The words that begin like the one at the cursor."""
    start = text.rfind(" ", 0, cursor) + 1
    return [
        Word(start, cursor, one, f"told of {one}")
        for one in WORDS
        if one.startswith(text[start:cursor])
    ]


def fault(text: str) -> str:
    return "there is no field x: did you mean text?" if "x:" in text.split() else ""


@given(st.text(max_size=8), st.text(max_size=4), st.data())
def test_what_is_taken_stands_in_the_line_with_the_cursor_behind_it(line, text, data):
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    after, cursor = with_candidate(line, Word(start, end, text))
    assert after[:cursor] == line[:start] + text
    assert after[cursor:] == line[end:]


def test_what_stands_in_the_line_already_is_not_offered():
    assert [one.text for one in candidates_at(Line("sta", 3), words)] == ["state:"]
    assert candidates_at(Line("sta", 3), None) == []


def test_answers_are_kept_by_purpose_the_latest_first_and_once():
    history = History()
    for purpose, answer in [
        ("filter", "a"),
        ("filter", "b"),
        ("comment", "c"),
        ("filter", "a"),
        ("", "d"),
        ("x", " "),
    ]:
        history.begin(purpose)
        history.keep(answer)
    history.begin("filter")
    assert [history.step(1), history.step(1), history.step(1)] == ["a", "b", None]
    assert [history.step(-1), history.step(-1), history.step(-1)] == ["a", "", None]
    for purpose in ("", "x", "other"):
        history.begin(purpose)
        assert history.step(1) is None


def told(prompt: LinePrompt) -> str:
    """What is said to be wrong with the line."""
    return str(prompt.candidates.query_one(".candidates--fault", Static).visual)


def asked(stage: Stage, **more: object) -> LinePrompt:
    prompt = stage.query_one(LinePrompt)
    stage.answers = []

    async def ask():
        try:
            stage.answers.append(
                await prompt.ask(
                    "filter",
                    "Filter",
                    completing=words,
                    checking=fault,
                    **more,
                ),
            )
        except Left:
            stage.answers.append("left")

    begin(ask())
    return prompt


@asynccontextmanager
async def asking(size=(60, 16), **more):
    """A body, and at the bottom of it a line that is asked for."""
    body = Static("body\n" * 30, id="body")
    body.styles.height = "1fr"
    app = Stage(lambda: [body, LinePrompt()])
    async with app.run_test(size=size) as pilot:
        prompt = asked(app, **more)
        await pilot.pause()
        yield app, pilot, prompt


async def test_candidates_lie_above_the_line_and_move_nothing():
    async with asking() as (app, pilot, prompt):
        regions = [
            widget.region for widget in (app.query_one("#body"), prompt, prompt.line)
        ]
        await pilot.press("s")
        listed = prompt.candidates
        assert listed.region.bottom == prompt.region.y
        assert [line.split() for line in lines_of(listed.lines)] == [
            ["state:", "told", "of", "state:"],
            ["sta", "told", "of", "sta"],
        ]
        assert [
            widget.region for widget in (app.query_one("#body"), prompt, prompt.line)
        ] == regions
        assert app.focused is prompt.line
        await pilot.press("q")
        assert not listed.display


async def test_tab_and_right_at_the_end_take_a_candidate_and_enter_one_that_was_chosen():
    async with asking() as (app, pilot, prompt):
        await pilot.press("t", "tab")
        assert prompt.line.value == "text:"
        await pilot.press("space", "i", "d", "left", "right", "right")
        assert prompt.line.value == "text: id:"
        await pilot.press("space", "down", "down", "up", "down", "enter")
        assert prompt.line.value == "text: id: sta"
        assert prompt.asking
        await pilot.press("tab", "enter")
        assert app.answers == ["text: id: state:"]


async def test_up_goes_back_through_the_candidates_of_an_empty_line():
    async with asking() as (_, pilot, prompt):
        await pilot.press("down", "down")
        chosen = prompt.candidates.first
        await pilot.press("down", "up")
        assert prompt.candidates.first is chosen
        assert prompt.line.value == ""


async def test_one_escape_leaves_with_a_candidate_chosen():
    async with asking() as (app, pilot, prompt):
        await pilot.press("t", "down", "escape")
        assert not prompt.asking
        assert app.answers == ["left"]


async def test_no_key_of_the_line_takes_the_focus_from_it():
    app = Stage(lambda: [Button("other"), LinePrompt()])
    async with app.run_test(size=(60, 16)) as pilot:
        prompt = app.query_one(LinePrompt)
        prompt.ask("comment", "Comment")
        await pilot.press("tab", "shift+tab", "up", "down", "right", "tab")
        assert app.focused is prompt.line


async def test_a_click_chooses_a_candidate_two_take_it_and_the_line_keeps_the_focus():
    async with asking() as (app, pilot, prompt):
        await pilot.press("i")
        await pilot.click(prompt.candidates, offset=(3, 0))
        assert prompt.candidates.chosen == 0
        await pilot.click(prompt.candidates, offset=(3, 1))
        assert (prompt.line.value, app.focused) == ("i", prompt.line)
        await pilot.press("enter")
        assert prompt.line.value == "is:"
        await pilot.press("ctrl+u", "i")
        await pilot.double_click(prompt.candidates, offset=(3, 1))
        assert (prompt.line.value, app.focused) == ("is:", prompt.line)


async def test_going_through_the_candidates_passes_by_none():
    async with asking() as (_, _, prompt):
        listed, chosen = prompt.candidates, []
        assert listed.first == listed.offered[0]
        for by in (-1, 1, 1, -1):
            listed.step(by)
            chosen.append(listed.chosen)
        assert chosen == [len(WORDS) - 1, None, 0, None]
        listed.show(())
        listed.step(1)
        assert (listed.chosen, listed.first) == (None, None)


async def test_the_chosen_one_is_in_sight_and_marked_and_a_page_is_a_page():
    async with asking() as (_, pilot, prompt):
        assert not any(
            UNICODE.cursor in line for line in lines_of(prompt.candidates.lines)
        )
        await pilot.press("down")
        assert UNICODE.cursor in lines_of(prompt.candidates.lines)[0]
        await pilot.press("pagedown", "pagedown")
        assert prompt.candidates.chosen == len(WORDS) - 1
        assert UNICODE.cursor in lines_of(prompt.candidates.lines)[-1]
        await pilot.press("pageup")
        assert prompt.candidates.chosen == len(WORDS) - MOST


async def test_a_faulty_line_says_so_and_is_not_answered():
    async with asking(value="x:") as (app, pilot, prompt):
        assert "did you mean text?" in told(prompt)
        assert not prompt.candidates.refused
        await pilot.press("enter")
        assert prompt.asking
        assert prompt.candidates.refused
        assert not app.answers
        await pilot.press("backspace")
        assert not prompt.candidates.fault
        await pilot.press("escape")
        assert app.answers == ["left"]
        assert not prompt.candidates.display


async def test_up_on_an_empty_line_brings_back_what_was_answered_before():
    async with asking() as (app, pilot, prompt):
        for answer in ("one", "two"):
            await pilot.press(*answer, "enter")
            asked(app)
        await pilot.press("up", "up")
        assert prompt.line.value == "one"
        await pilot.press("down", "down")
        assert prompt.line.value == ""
        await pilot.press("up", "backspace")
        assert prompt.line.value == "tw"
        await pilot.press("up")
        assert prompt.line.value == "tw"
        await pilot.press("backspace", "backspace", "up")
        assert prompt.line.value == "two"
        prompt.ask("comment", "Comment")
        await pilot.press("up")
        assert prompt.line.value == ""


async def test_the_list_fits_a_narrow_screen_and_draws_hostile_candidates_inert():
    async with asking(size=(30, 16)) as (_, pilot, prompt):
        await pilot.press("up", "up")
        listed = prompt.candidates
        await pilot.pause()
        assert listed.size == Size(30, MOST + 1)
        assert "\x1b" not in "".join(lines_of(listed.lines))
        await pilot.resize_terminal(20, 16)
        await pilot.pause()
        assert listed.size.width == 20


async def test_a_long_fault_is_told_in_as_many_lines_as_it_needs():
    async with asking(size=(40, 16)) as (_, pilot, prompt):
        prompt.ask(
            "filter",
            "Filter",
            checking=lambda _: (
                "there is no such field: " + "there are these {braces} " * 3
            ),
        )
        await pilot.pause()
        assert prompt.candidates.size.height == 3
        assert " ".join(told(prompt).split()).endswith("these {braces}")
        assert prompt.candidates.region.bottom == prompt.region.y
