"""What every screen on which answers are compared does alike."""

from contextlib import asynccontextmanager

import pytest
from comparisons import stands
from review_stage import LEAST, NARROW, WIDE, sitting
from test_adjudication_screen import ruling
from test_review_blind import ALL, blind, two
from test_review_panel import scene
from test_side_by_side import opened, three

from appellate.app.compare.by_instruction import InstructionScreen
from appellate.app.compare.judged import ProposalsScreen, RevealScreen
from appellate.app.compare.ruling import AdjudicationScreen
from appellate.app.compare.screen import ComparingScreen
from appellate.app.compare.side_by_side import SidesScreen
from appellate.core.deciding import Flag, SignOff
from appellate.core.facts import Proposed, Reasoned
from cells import EXPECTED, proposal, table
from two_reviewers import MISSED

HELP = {
    InstructionScreen: "another sentence",
    SidesScreen: "open the cell of the active side",
    AdjudicationScreen: "these labels hold",
    RevealScreen: "on the item under the cursor",
    ProposalsScreen: "adopt these labels",
}
screens = pytest.mark.parametrize(
    "screen",
    [
        pytest.param(each, marks=[pytest.mark.slow][: each is not SidesScreen])
        for each in HELP
    ],
)
answering = pytest.mark.parametrize("screen", [InstructionScreen, SidesScreen])
SCENES = {InstructionScreen: three, SidesScreen: three, ProposalsScreen: scene}
OPENED_BY = {
    InstructionScreen: ["b"],
    SidesScreen: ["s"],
    ProposalsScreen: ["V"],
    RevealScreen: [*ALL, "a"],
}
SHOWN = {
    InstructionScreen: ("found 2 · missing 1", "⚑"),
    SidesScreen: ("none answered differently",),
}
SIZES = [(200, 60), WIDE, NARROW, LEAST]


async def at_screen(at, screen) -> ComparingScreen:
    """On the fourth instruction of the first cell, which is found there."""
    if screen is SidesScreen:
        return await opened(at)
    at.screen.pane.go("tp", 0)
    await at.press("b")
    await at.until(lambda: isinstance(at.app.screen, screen))
    return at.app.screen


@asynccontextmanager
async def comparing(folder, screen, size=WIDE):
    """A person at one of the screens."""
    if screen is AdjudicationScreen:
        async with ruling(folder, {1: MISSED, 3: MISSED}, size) as at:
            yield at
        return
    if screen is RevealScreen:
        blind(folder, two(proposal()))
    async with sitting(folder, SCENES.get(screen, three)(), size=size) as at:
        await at.press(*OPENED_BY[screen])
        await at.until(lambda: isinstance(at.app.screen, screen))
        yield at


@screens
async def test_help_tells_every_key_of_the_strip_and_esc_closes_it_and_then_the_screen(
    tmp_path,
    screen,
):
    async with comparing(tmp_path, screen, (200, 90)) as at:
        top = at.app.screen
        assert all(top.key_of(hint.action) for hint in top.strip.hints)
        assert top.strip.mode == top.comparison.NAME
        keys = top.strip.names.split()
        await at.press("question_mark", "tab")
        assert HELP[screen] in at.text
        for name in set(keys) - {"?"}:
            assert any(name in row.split() for row in at.text.split("\n")), name
        await at.press("escape")
        assert at.app.screen is top
        await at.press("escape")
        await at.until(lambda: at.app.screen is at.screen)


@screens
async def test_the_rows_have_the_focus_and_stand_between_what_is_compared_and_the_keys(
    tmp_path,
    screen,
):
    async with comparing(tmp_path, screen, SIZES[0]) as at:
        for size in SIZES:
            await at.pilot.resize_terminal(*size)
            top = at.app.screen
            assert top.focused is top.lines
            assert top.counts.region.y == 0
            assert top.strip.region.bottom == size[1]
            assert 0 < top.lines.region.y < top.lines.region.bottom < size[1]
            assert "▸" in at.text, "the row under the cursor is in sight"


@screens
async def test_the_key_for_the_next_and_those_for_scrolling_write_nothing_and_end_what_was_said(
    tmp_path,
    screen,
):
    async with comparing(tmp_path, screen) as at:
        top, before = at.app.screen, at.facts
        top.say("Something")
        await at.pilot.pause()
        assert (at.answered, top.strip.display) == ("Something", False)
        await at.press("down")
        assert (at.answered, top.strip.display) == ("", True)
        await at.press("plus", "minus", "n", "N", "question_mark", "escape")
        assert at.facts == before


@answering
async def test_what_was_done_elsewhere_meanwhile_is_shown_and_the_cursor_stays(
    tmp_path,
    screen,
):
    async with sitting(tmp_path, three()) as at:
        top = await at_screen(at, screen)
        here = top.comparison.current_row
        found = Proposed(
            table(tp=[EXPECTED[3]], fn=EXPECTED[:3]),
            {"name": "gpt", "round": 2},
        )
        at.bench.receive(2, found)
        at.bench.receive(1, found)
        at.bench.do(3, Flag(True))
        await at.until(lambda: all(words in at.text for words in SHOWN[screen]))
        assert top.comparison.current_row == here


@pytest.mark.slow
@answering
async def test_an_answer_clicked_in_the_strip_opens_a_signed_cell_and_takes_a_reason_and_undo(
    tmp_path,
    screen,
):
    async with sitting(tmp_path, three()) as at:
        at.bench.do(1, SignOff(at.cell.subject.trait.sha256()))
        await at_screen(at, screen)
        await at.click_key("missing")
        await at.until(lambda: stands(at, 1) == "missing")
        assert "no longer signed off" in at.answered
        assert at.bench.open(1)[1].state == "corrected"
        await at.press("r")
        await at.type("says so plainly")
        await at.press("enter")
        assert at.answered == "Reason saved for 1 answer: says so plainly"
        last = at.bench.open(1)[1].facts[-1].what
        assert isinstance(last, Reasoned)
        assert last.reason == "says so plainly"
        await at.press("u", "u")
        assert at.answered.startswith("Undone: ")
        assert stands(at, 1) == "found"
        await at.press("home", *["down"] * 3 * (screen is SidesScreen), "space")
        assert stands(at, 1) == "missing"


@answering
async def test_a_session_that_only_reads_says_so(tmp_path, screen):
    async with sitting(tmp_path, three()) as at:
        assert at.facts
    async with sitting(tmp_path, readonly=True) as at:
        await at_screen(at, screen)
        await at.press("2")
        assert at.answered == "This session only reads: nothing can be corrected in it."
