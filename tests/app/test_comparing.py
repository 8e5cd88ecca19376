"""What every screen on which answers are compared and given does alike."""

import pytest
from review_stage import sitting
from test_side_by_side import opened, stands, three
from textual.widgets import Static

from appellate.app.compare.instruction_screen import InstructionScreen
from appellate.app.compare.screen import AnsweringScreen
from appellate.app.compare.sides_screen import SidesScreen
from appellate.core.deciding import SignOff
from appellate.core.facts import Reasoned

HELP = {
    InstructionScreen: "another sentence",
    SidesScreen: "open the cell of the active side",
}
screens = pytest.mark.parametrize("screen", HELP)


def heard(at) -> str:
    return str(at.app.screen.query_one("#said", Static).visual).strip()


async def at_screen(at, screen) -> AnsweringScreen:
    """On the fourth instruction of the first cell, which is found there."""
    if screen is SidesScreen:
        return await opened(at)
    at.screen.pane.go("tp", 0)
    await at.press("b")
    await at.until(lambda: isinstance(at.app.screen, screen))
    return at.app.screen


@pytest.mark.slow
@screens
async def test_an_answer_clicked_in_the_strip_opens_a_signed_cell_and_takes_a_reason_and_undo(
    tmp_path, screen
):
    async with sitting(tmp_path, three()) as at:
        at.bench.do(1, SignOff(at.cell.subject.trait.sha256()))
        await at_screen(at, screen)
        await at.click_key("missing")
        await at.until(lambda: stands(at, 1) == "missing")
        assert "no longer signed off" in heard(at)
        await at.press("r")
        await at.type("says so plainly")
        await at.press("enter")
        assert heard(at) == "Reason saved for 1 answer: says so plainly"
        last = at.bench.open(1)[1].facts[-1].what
        assert isinstance(last, Reasoned)
        assert last.reason == "says so plainly"
        await at.press("u", "u")
        assert heard(at).startswith("Undone: ")
        assert stands(at, 1) == "found"
        await at.press("home", *["down"] * 3 * (screen is SidesScreen), "space")
        assert stands(at, 1) == "missing"


@pytest.mark.slow
@screens
async def test_help_tells_the_keys_and_esc_closes_it_and_then_the_screen(tmp_path, screen):
    async with sitting(tmp_path, three()) as at:
        comparing = await at_screen(at, screen)
        await at.press("question_mark")
        assert HELP[screen] in at.text
        await at.press("escape")
        assert at.app.screen is comparing
        await at.press("escape")
        assert at.app.screen is at.screen


@screens
async def test_a_session_that_only_reads_says_so(tmp_path, screen):
    async with sitting(tmp_path, three()) as at:
        assert at.facts
    async with sitting(tmp_path, readonly=True) as at:
        await at_screen(at, screen)
        await at.press("2")
        assert heard(at) == "This session only reads: nothing can be corrected in it."
