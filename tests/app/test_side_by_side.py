"""Two answers to one question beside each other: found, compared, answered on either side, there and back."""

import pytest
from comparisons import cell, paired, stands, words
from review_stage import LEAST, NARROW, WIDE, sitting

from appellate.app.compare.side_by_side import HERE, THERE, SidesScreen
from appellate.core.facts import Proposed
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.asking import TEMPLATE
from appellate.traits.rubric import Rubric
from appellate.ui.row_layout import Cursor
from cells import EXPECTED, checklist, rubric, table, trace
from partly import partly_quick_sizes

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
    return (
        rubric(checklist()),
        traces,
        [[proposed(found)] for found in (True, False, False)],
    )


FOUND, MISSING = "tp", "fn"


def beside_the_epoch(of):
    """Beside the other epoch, on the fourth instruction."""
    of.next_partner()
    of.cursor = Cursor(0, 3)
    words(of)
    return of


async def opened(at) -> SidesScreen:
    at.screen.pane.go("tp", 0)
    await at.press("s", "s")
    await at.pilot.pause()
    assert isinstance(at.app.screen, SidesScreen)
    return at.app.screen


async def test_a_question_that_the_judge_did_not_get_is_marked(tmp_path):
    of, traces, happened = three()
    parts = {"question": ""}
    of = of.model_copy(update={"prompts": {"metric": parts}})
    record = {"name": "gpt", "template_sha256": TEMPLATE.wording(parts).sha256}
    judged = [[Proposed(one.table, record)] for (one,) in happened]
    async with sitting(tmp_path, (of, traces, judged)) as at:
        await opened(at)
        assert "not shown to the judge: Where is BCL2?" in at.text


@pytest.mark.parametrize("size", partly_quick_sizes([BETWEEN, WIDE, NARROW, LEAST], 2))
async def test_both_answers_stand_beside_each_other_and_a_click_makes_one_the_active_side(
    tmp_path,
    size,
):
    async with sitting(tmp_path, three(), size=size) as at:
        screen = await opened(at)
        assert "answer 2 of 2" in at.text
        assert "answered differently" in at.text
        told = at.words("#rows")
        assert EXPECTED[3] in told
        assert "epoch 1: + found epoch 2: − missing" in told
        assert "epoch 1: It lies on chromosome 18" in told
        texts = [text for text in screen.texts if text.display]
        assert len(texts) == (1 if size == LEAST else 2)
        assert all("anti-apoptotic" in text.text for text in texts)
        assert "epoch 1" in at.text.split("\n")[2], "in the frame of its response"
        if len(texts) == 2:
            await at.pilot.click("#other")
            assert screen.comparison.active == THERE
            await at.pilot.click("#one")
            assert screen.comparison.active == HERE


def test_another_models_answer_comes_first_then_the_next_epoch_and_round(tmp_path):
    with paired(tmp_path, three()) as of:
        assert of.numbers == (1, 3)
        of.next_partner()
        assert of.numbers == (1, 2)
        of.next_partner()
        assert of.numbers == (1, 3)


def test_words_that_the_other_has_not_are_marked_until_d_and_not_where_little_is_in_common(
    tmp_path,
):
    def marked(of):
        return [
            [
                shown.text[s.start : s.end]
                for s in shown.spans
                if s.style_key == "differs"
            ]
            for shown in of.beside().texts
        ]

    with paired(tmp_path, three()) as of:
        beside_the_epoch(of)
        assert marked(of) == [["18 of the genome"], ["1"]]
        of.words()
        assert marked(of) == [[], []]
        of.words()
        of.next_partner()
        assert marked(of) == [[], []]
        assert of.rows().right[0].text == "texts too different to mark"
        assert of.words().startswith("Too little is in common")


def test_the_row_under_the_cursor_has_its_evidence_selected_on_both_sides(tmp_path):
    with paired(tmp_path, three()) as of:
        beside_the_epoch(of)
        one, other = of.beside().texts
        assert [one.text[s.start : s.end] for s in one.spans if s.selected] == [
            "It lies on chromosome 18",
        ]
        assert not [span for span in other.spans if span.selected]
        assert other.text[other.revealed[0] :].startswith("It lies"), (
            "the same place is in sight"
        )
        of.make_active()
        other = of.beside().texts[THERE]
        assert [other.text[s.start : s.end] for s in other.spans if s.selected]


def test_n_goes_to_the_rows_that_are_answered_otherwise_alone(tmp_path):
    with paired(tmp_path, three()) as of:
        of.next_partner()
        assert (of.walk(1), of.cursor.row) == ("", 3)
        assert of.walk(1).startswith("This is the only one")
        of.answer(MISSING)
        assert of.walk(1) == "No instruction is answered differently."
        of.turn_back("undo")
        of.cursor = Cursor(0, 5)
        assert (of.walk(-1), of.cursor.row) == ("", 3)


def test_answers_go_to_the_active_side_and_undo_takes_them_back(tmp_path):
    with paired(tmp_path, three()) as of:
        beside_the_epoch(of)
        of.make_active(THERE)
        of.beside()
        of.answer(FOUND)
        assert (stands(of, 1), stands(of, 2)) == ("found", "found")
        assert cell(of, 2).labels.tp[0].text in SAYS_ELSE
        assert of.differing() == []
        of.make_active(HERE)
        of.answer(MISSING)
        assert (stands(of, 1), stands(of, 2)) == ("missing", "found")
        of.turn_back("undo")
        of.turn_back("undo")
        assert (stands(of, 1), stands(of, 2)) == ("found", "missing")
        of.turn_back("redo")
        assert stands(of, 2) == "found"


def test_another_sentence_is_taken_where_it_is_asked_for_and_no_words_too(tmp_path):
    with paired(tmp_path, three()) as of:
        beside_the_epoch(of)
        of.make_active(THERE)
        assert of.offer(1).startswith("Sentence 2 of")
        second = of.offers(of.current_row)[1]
        of.beside()
        of.answer(FOUND)
        assert cell(of, 2).labels.tp[0].span == tuple(second)
        of.turn_back("undo")
        of.take_none()
        of.answer(FOUND)
        of.flag()
        assert cell(of, 2).labels.tp[0].text == EXPECTED[3]
        assert cell(of, 2).flag


@pytest.mark.slow
async def test_enter_opens_the_active_sides_cell_on_the_item_and_three_keys_come_back(
    tmp_path,
):
    async with sitting(tmp_path, three()) as at:
        for back in ("s", "left_parenthesis", "escape"):
            if not isinstance(at.app.screen, SidesScreen):
                at.screen.objects.navigation.go(1)
                await opened(at)
            if at.app.screen.comparison.active == HERE:
                await at.press("right")
            await at.press("enter")
            await at.pilot.pause()
            assert (at.no, at.place) == (2, ("fn", 3))
            await at.press(back)
            await at.pilot.pause()
            of = at.app.screen.comparison
            assert (of.numbers, of.cursor.row) == ((1, 2), 3)
            await at.press("escape")
            assert at.no == 2
            assert not isinstance(at.app.screen, SidesScreen)


async def test_a_cell_without_another_answer_says_so_and_one_not_judged_does_too(
    tmp_path,
):
    async with sitting(tmp_path, (rubric(checklist()), [trace("a")], [[]])) as at:
        await at.press("s")
        assert at.said == "No other answer to this question is in this audit."
    pending = [trace("a", SAID), trace("a", "", epoch=2)]
    (tmp_path / "two").mkdir()
    async with sitting(
        tmp_path / "two",
        (rubric(checklist()), pending, [[], []]),
    ) as at:
        await at.press("s")
        assert "not judged" in at.words("#rows")
        assert "The response is empty." in at.text
        assert "pending ─" in at.text
        await at.press("n", "s")
        assert at.answered == "There is no further answer to this question."


def test_verdicts_of_another_kind_have_their_own_answers(tmp_path):
    clear = LLMRubricTrait(name="Clear", description="Is it clear?", kind="boolean")
    traces = [trace("a", SAID), trace("a", SAYS_ELSE, epoch=2)]
    with paired(
        tmp_path,
        (Rubric(name="R", llm_traits=[clear]), traces, [[], []]),
    ) as of:
        for side, word in enumerate(("yes", "no")):
            of.make_active(side)
            of.answer(of.answers_by_word[word])
        assert "epoch 1: yes epoch 2: no" in words(of)
        of.turn()
        assert of.differing() == []
