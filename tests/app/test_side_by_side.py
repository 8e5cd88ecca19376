"""Two answers to one question beside each other: found, compared, answered on either side, there and back."""

import pytest
from review_stage import LEAST, NARROW, WIDE, sitting
from test_by_instruction import stands

from appellate.app.compare.side_by_side import HERE, THERE, SidesScreen
from appellate.core.deciding import Flag
from appellate.core.facts import Proposed
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import EXPECTED, checklist, rubric, table, trace

SAID = (
    "BCL2 is an anti-apoptotic gene that helps cells survive. "
    "It lies on chromosome 18 of the genome, and is important in cancer."
)
SAYS_ELSE = SAID.replace("chromosome 18 of the genome", "chromosome 1")
OTHER = "Nobody has ever looked into any of this, so better ask a librarian next week."
BETWEEN = (170, 50)


def proposed(found):
    """A judge that found the fourth instruction, or none."""
    if found:
        return Proposed(table(tp=[LIES], fn=EXPECTED[:3]) | FOURTH, {"name": "gpt"})
    return Proposed(table(fn=EXPECTED), {"name": "gpt"})


LIES = "It lies on chromosome 18"
FOURTH = {"items": [{"bucket": "tp", "index": 0, "of": "tp", "instruction": 4}]}


def three():
    """Instruction 4 is found in the first answer, and missing in another model's and epoch's."""
    traces = [
        trace("a", SAID, model="gpt-4o", question_id="q", question="Where is BCL2?"),
        trace("a", SAYS_ELSE, model="gpt-4o", epoch=2, question_id="q"),
        trace("b", OTHER, model="qwen", question_id="q"),
    ]
    return rubric(checklist()), traces, [[proposed(found)] for found in (True, False, False)]


def sides_of(at) -> SidesScreen:
    screen = at.app.screen
    assert isinstance(screen, SidesScreen)
    return screen


async def opened(at) -> SidesScreen:
    """Beside the other epoch, on the fourth instruction."""
    at.screen.pane.go("tp", 0)
    await at.press("s", "s")
    await at.pilot.pause()
    return sides_of(at)


@pytest.mark.parametrize("size", [BETWEEN, WIDE, NARROW, LEAST])
async def test_both_answers_stand_beside_each_other_with_every_instruction_below(tmp_path, size):
    async with sitting(tmp_path, three(), size=size) as at:
        screen = await opened(at)
        assert "answer 2 of 2" in at.text
        assert "answered otherwise" in at.text
        words = at.words("#rows")
        assert EXPECTED[3] in words
        assert "epoch 1: + found epoch 2: − missing" in words
        assert "epoch 1: It lies on chromosome 18" in words
        texts = [text for text in screen.texts if text.display]
        assert len(texts) == (1 if size == LEAST else 2)
        assert all("anti-apoptotic" in text.text for text in texts)


async def test_another_models_answer_comes_first_then_the_next_epoch_and_round(tmp_path):
    async with sitting(tmp_path, three()) as at:
        await at.press("s")
        assert sides_of(at).of.numbers == (1, 3)
        await at.press("s")
        assert sides_of(at).of.numbers == (1, 2)
        await at.press("s")
        assert sides_of(at).of.numbers == (1, 3)


async def test_words_that_the_other_has_not_are_marked_until_d_and_not_where_little_is_in_common(
    tmp_path,
):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)

        def marked():
            return [
                [text.text[s.start : s.end] for s in text._spans.given if s.style_key == "differs"]
                for text in screen.texts
            ]

        assert marked() == [["18 of the genome"], ["1"]]
        await at.press("d")
        assert marked() == [[], []]
        await at.press("d", "s")
        assert marked() == [[], []]
        assert "texts too different to mark" in at.text
        await at.press("d")
        assert at.answered.startswith("Too little is in common")


async def test_the_row_under_the_cursor_has_its_evidence_selected_on_both_sides(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        one, other = screen.texts
        assert [one.text[s.start : s.end] for s in one._spans.given if s.selected] == [
            "It lies on chromosome 18"
        ]
        assert not [span for span in other._spans.given if span.selected]
        await at.press("tab")
        assert [other.text[s.start : s.end] for s in other._spans.given if s.selected]


@pytest.mark.slow
async def test_n_goes_to_the_rows_that_are_answered_otherwise_alone(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        await at.press("home", "n")
        assert screen.of.index == 3
        await at.press("n")
        assert at.answered.startswith("This is the only one")
        await at.press("2", "n")
        assert at.answered == "No instruction is answered otherwise."
        await at.press("up", "up", "1", "down", "down", "u", "N")
        assert at.answered == "No instruction is answered otherwise."


@pytest.mark.slow
async def test_answers_go_to_the_active_side_and_undo_takes_them_back(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        await at.press("tab", "1")
        assert (stands(at, 1), stands(at, 2)) == ("found", "found")
        assert at.bench.open(2)[1].labels.tp[0].text in SAYS_ELSE
        assert screen.of.differing() == []
        await at.press("left", "2")
        assert (stands(at, 1), stands(at, 2)) == ("missing", "found")
        await at.press("u", "u")
        assert (stands(at, 1), stands(at, 2)) == ("found", "missing")
        await at.press("U")
        assert stands(at, 2) == "found"
        assert at.no == 1


@pytest.mark.slow
async def test_p_shows_the_next_sentence_and_0_takes_none(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        await at.press("right", "p")
        assert at.answered.startswith("Sentence 2 of")
        here = screen.of.here
        second = screen.of.offers(here)[1]
        await at.press("1")
        assert at.bench.open(2)[1].labels.tp[0].span == tuple(second)
        await at.press("u", "0", "1", "F")
        assert at.bench.open(2)[1].labels.tp[0].text == EXPECTED[3]
        assert at.bench.open(2)[1].flag


@pytest.mark.slow
async def test_enter_opens_the_active_sides_cell_on_the_item_and_three_keys_come_back(tmp_path):
    async with sitting(tmp_path, three()) as at:
        for back in ("s", "left_parenthesis", "escape"):
            if not isinstance(at.app.screen, SidesScreen):
                at.screen.at.navigation.go(1)
                await opened(at)
            sides_of(at).of.make_active(THERE)
            await at.press("enter")
            await at.pilot.pause()
            assert (at.no, at.place) == (2, ("fn", 3))
            await at.press(back)
            await at.pilot.pause()
            assert sides_of(at).of.numbers == (1, 2)
            assert sides_of(at).of.index == 3
            await at.press("escape")
            assert at.no == 2
            assert not isinstance(at.app.screen, SidesScreen)


async def test_a_click_on_a_response_makes_its_side_the_active_one(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        await at.pilot.click("#other")
        assert screen.of.active == THERE
        await at.pilot.click("#one")
        assert screen.of.active == HERE


@pytest.mark.slow
async def test_what_was_done_elsewhere_meanwhile_is_shown_and_the_cursor_stays(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        at.bench.receive(
            2, Proposed(table(tp=[EXPECTED[0]], fn=EXPECTED[1:]), {"name": "gpt", "round": 2})
        )
        at.bench.do(3, Flag(True))
        await at.pilot.pause()
        assert screen.of.differing() == [0, 3]
        assert screen.of.index == 3


async def test_a_cell_without_another_answer_says_so_and_one_not_judged_does_too(tmp_path):
    async with sitting(tmp_path, (rubric(checklist()), [trace("a")], [[]])) as at:
        await at.press("s")
        assert at.said == "No other answer to this question is in this audit."
    pending = [trace("a", SAID), trace("a", "", epoch=2)]
    (tmp_path / "two").mkdir()
    async with sitting(tmp_path / "two", (rubric(checklist()), pending, [[], []])) as at:
        await at.press("s")
        assert "not judged" in at.words("#rows")
        assert "The response is empty." in at.text
        await at.press("n", "s")
        assert at.answered == "There is no further answer to this question."


async def test_verdicts_of_another_kind_have_their_own_keys(tmp_path):
    clear = LLMRubricTrait(name="Clear", description="Is it clear?", kind="boolean")
    traces = [trace("a", SAID), trace("a", SAYS_ELSE, epoch=2)]
    async with sitting(tmp_path, (Rubric(name="R", llm_traits=[clear]), traces, [[], []])) as at:
        await at.press("s", "y", "tab", "n")
        words = at.words("#rows")
        assert "epoch 1: yes epoch 2: no" in words
        await at.press("space")
        assert sides_of(at).of.differing() == []
