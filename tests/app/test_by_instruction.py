"""One instruction down all cells that are asked it: rows, answers to one and to many, undo, there and back."""

import pytest
from review_stage import LEAST, NARROW, WIDE, sitting

from appellate.app.compare.by_instruction import InstructionScreen
from appellate.core.deciding import Flag
from appellate.core.facts import Corrected, Proposed
from appellate.core.kind import Instruction
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Question, Rubric
from appellate.ui.conversation import begin
from appellate.ui.row_layout import Cursor
from cells import EXPECTED, checklist, matrix, panel, proposal, rubric, table, trace

SAID = "It lies on chromosome 18 of the genome. Nothing else is known of the BCL2 gene."
SILENT = "Nobody knows."
ASKED = EXPECTED[3]


def found_nowhere() -> Proposed:
    """A judge that found no instruction."""
    return Proposed(table(fn=EXPECTED), {"name": "gpt", "rationale": ""})


def three(**more):
    """Instruction 4 is missing in all traces: two have a sentence that shares its words."""
    traces = [trace("a", SAID, model="gpt-4o"), trace("b", SAID), trace("c", SILENT)]
    return rubric(checklist()), traces, [[found_nowhere()] for _ in traces]


def listed(at) -> InstructionScreen:
    screen = at.app.screen
    assert isinstance(screen, InstructionScreen)
    return screen


def counts(at) -> str:
    return at.words("#counts")


def stands(at, number: int) -> str:
    """How a cell answers instruction 4."""
    cell = at.bench.open(number)[1]
    return next(word for one, word in cell.standings.items() if one.number == 4)


async def opened(at):
    """Goes by the fourth instruction."""
    at.screen.pane.go("fn", 3)
    await at.press("b")
    await at.pilot.pause()
    return listed(at)


@pytest.mark.parametrize("size", [WIDE, NARROW, LEAST])
async def test_a_line_for_each_cell_has_the_answer_and_the_sentence_that_would_bear_it_out(
    tmp_path, size
):
    async with sitting(tmp_path, three(), size=size) as at:
        await opened(at)
        assert ASKED in " ".join(at.text.split())
        assert counts(at).endswith("found 0 · missing 3")
        assert at.text.count("likely: ") >= 1
        assert "missing" in at.text


async def test_an_answer_takes_the_sentence_in_sight_and_goes_on_to_the_next_row(tmp_path):
    async with sitting(tmp_path, three()) as at:
        await opened(at)
        await at.press("1", "1")
        assert at.text.count("was missing") == 2
        assert [stands(at, number) for number in (1, 2, 3)] == ["found", "found", "missing"]
        item = at.bench.open(1)[1].labels.tp[0]
        assert item.text == "It lies on chromosome 18 of the genome."
        assert counts(at).endswith("found 2 · missing 1")
        assert listed(at).of.here.cell == 3


async def test_a_row_without_a_sentence_is_not_changed_until_no_words_are_asked_for(tmp_path):
    async with sitting(tmp_path, three()) as at:
        await opened(at)
        await at.press("end", "1")
        assert stands(at, 3) == "missing"
        assert at.answered.startswith("No sentence shares words with it: Enter opens the cell")
        await at.press("0", "1")
        assert stands(at, 3) == "found"
        assert at.bench.open(3)[1].labels.tp[0].text == ASKED


async def test_tab_shows_the_next_sentence_and_the_answer_takes_that(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        offers = screen.of.offers(screen.of.here)
        assert len(offers) > 1
        await at.press("tab", "1")
        assert at.bench.open(1)[1].labels.tp[0].span == tuple(offers[1])


async def test_marked_rows_are_one_act_what_is_refused_stays_marked_and_undo_takes_all_back(
    tmp_path,
):
    async with sitting(tmp_path, three()) as at:
        await opened(at)
        before = at.facts
        await at.press("asterisk", "1")
        assert [stands(at, number) for number in (1, 2, 3)] == ["found", "found", "missing"]
        assert at.answered.startswith(
            "2 changed: u takes them back together. 1 not, and still marked"
        )
        assert [asked.cell for asked in listed(at).of.marked] == [3]
        facts = [fact for no in (1, 2) for fact in at.bench.open(no)[1].facts[1:]]
        assert [fact.part_of for fact in facts] == [None, before + 1]
        await at.press("escape", "u")
        assert [stands(at, number) for number in (1, 2, 3)] == ["missing"] * 3
        assert at.answered.startswith("Undone: ")
        await at.press("U")
        assert [stands(at, number) for number in (1, 2, 3)] == ["found", "found", "missing"]


async def test_w_marks_to_here_and_shift_with_an_arrow_marks_on_the_way(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        await at.press("w")
        assert at.answered.startswith("x marks a row first")
        await at.press("x", "down", "w")
        assert {asked.cell for asked in screen.of.marked} == {1, 2, 3}
        await at.press("escape", "shift+up")
        assert {asked.cell for asked in screen.of.marked} == {2, 3}


@pytest.mark.slow
async def test_enter_opens_the_cell_on_the_item_and_three_keys_go_back_to_the_row(tmp_path):
    async with sitting(tmp_path, three()) as at:
        for back in ("b", "left_parenthesis", "escape"):
            if not isinstance(at.app.screen, InstructionScreen):
                await opened(at)
            listed(at).of.cursor = Cursor(0, 1)
            await at.press("enter")
            await at.pilot.pause()
            assert (at.no, at.place) == (2, ("fn", 3))
            await at.press(back)
            await at.pilot.pause()
            assert listed(at).of.here.cell == 2


async def test_the_list_shows_what_was_done_elsewhere_meanwhile_and_the_cursor_stays(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        await at.press("down")
        at.bench.receive(
            3, Proposed(table(tp=[ASKED], fn=EXPECTED[:3]), {"name": "gpt", "round": 2})
        )
        at.bench.do(1, Flag(True))
        await at.until(lambda: counts(at).endswith("found 1 · missing 2"))
        assert screen.of.here.cell == 2
        assert "⚑" in at.text


@pytest.mark.slow
async def test_only_some_rows_are_shown_and_in_another_order(tmp_path):
    async with sitting(tmp_path, three()) as at:
        screen = await opened(at)
        await at.press("1", "f")
        await at.type("overruled")
        await at.press("enter")
        assert [asked.cell for asked in screen.of.places] == [1]
        assert "was missing" in at.text
        await at.press("f")
        await at.type("every")
        await at.press("enter", "O")
        await at.type("answer")
        await at.press("enter")
        assert [asked.cell for asked in screen.of.places] == [1, 2, 3]
        await at.press("f")
        await at.type("panel differs")
        await at.press("enter")
        assert "No cell is so" in at.text


@pytest.mark.slow
async def test_a_split_panel_is_told_at_the_row_and_can_be_had_first(tmp_path):
    scene = rubric(matrix()), [trace("a"), trace("b")], [[proposal()], [panel()]]
    async with sitting(tmp_path, scene) as at:
        for number in range(1, 5):
            at.screen.pane.instructions.go_to_instruction("tp", number)
            await at.press("b")
            if "≠" in at.text:
                break
            await at.press("escape")
        screen = listed(at)
        await at.press("O")
        await at.type("panel differs")
        await at.press("enter")
        assert [asked.cell for asked in screen.of.places] == [2, 1]


async def test_like_instructions_of_other_questions_stand_below_and_can_be_put_away(tmp_path):
    words = ("Says that BCL2 is on chromosome 18", "Says that BCL2 lies on chromosome 18")
    asked = [
        Question(
            id=f"q{place}",
            metric_traits=[checklist(tp_instructions=["Something else entirely", said])],
        )
        for place, said in enumerate((*words, f" {words[0].upper()}. "))
    ]
    traces = [trace(f"t{place}", SAID, question_id=f"q{place}") for place in range(3)]
    scene = Rubric(name="BCL2", questions=asked), traces, [[] for _ in traces]
    async with sitting(tmp_path, scene) as at:
        asked = Instruction("tp", 2, words[0])
        begin(at.screen.at.comparing.open_list("Coverage", asked))
        await at.pilot.pause()
        screen = listed(at)
        assert [[one.cell for one in group.cells] for group in screen.of.groups] == [
            [1, 3],
            [2],
        ]
        await at.press("t")
        assert [[one.cell for one in group.cells] for group in screen.of.groups] == [[1, 3]]
        assert "1 like instruction: t" in at.text


async def test_verdicts_of_another_kind_have_their_own_keys(tmp_path):
    clear = LLMRubricTrait(name="Clear", description="Is it clear?", kind="boolean")
    traces = [trace("a", SAID), trace("b", SILENT)]
    async with sitting(tmp_path, (rubric_of(clear), traces, [[], []])) as at:
        await at.press("b", "y", "2")
        assert counts(at).endswith("yes 1 · no 1")
        await at.press("space", "space")
        assert counts(at).endswith("yes 1 · no 1")
        await at.press("n", "n", "N")
        assert counts(at).endswith("yes 1 · no 1")
        await at.press("0")
        assert at.answered == "An answer takes no words here."


def rubric_of(trait: LLMRubricTrait) -> Rubric:
    return Rubric(name="R", llm_traits=[trait])


async def test_the_key_of_a_wrong_bucket_says_what_is_right(tmp_path):
    async with sitting(tmp_path, three()) as at:
        await opened(at)
        await at.press("3")
        assert at.answered == "This is a TP instruction: it goes into TP or FN."


async def test_answers_by_instruction_are_the_facts_of_answers_cell_by_cell(tmp_path):
    """The checklist of each cell, asked for the same sentence, keeps the same corrections."""
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    async with sitting(tmp_path / "one", three()) as at:
        await opened(at)
        await at.press("1", "1", "up", "up", "2")
        by_instruction = [corrections(at, number) for number in (1, 2)]
    async with sitting(tmp_path / "other", three()) as at:
        for number in (1, 2):
            at.screen.at.navigation.go(number)
            at.screen.pane.go("fn", 3)
            await at.press("1", "enter")
        at.screen.at.navigation.go(1)
        at.screen.pane.go("tp", 0)
        await at.press("2")
        assert [corrections(at, number) for number in (1, 2)] == by_instruction


def corrections(at, number: int) -> list[Corrected]:
    return [
        fact.what for fact in at.bench.open(number)[1].facts if isinstance(fact.what, Corrected)
    ]
