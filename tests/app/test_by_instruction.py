"""One instruction down all cells that are asked it: rows, answers to one and to many, undo, there and back."""

import asyncio
from functools import partial

import pytest
from comparisons import cell, chosen, counts, listed, stands, words
from msgspec.structs import replace
from review_stage import LEAST, NARROW, WIDE, sitting

from appellate.app.compare import screen as screens
from appellate.app.compare.by_instruction import InstructionScreen
from appellate.app.compare.screen import Leave
from appellate.core.facts import Corrected, Proposed
from appellate.core.problem import Refused, with_keys
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Question, Rubric
from appellate.ui.row_layout import Cursor
from cells import (
    EXPECTED,
    KIND,
    checklist,
    matrix,
    panel,
    proposal,
    rubric,
    table,
    trace,
)

SAID = "It lies on chromosome 18 of the genome. Nothing else is known of the BCL2 gene."
SILENT = "Nobody knows."
ASKED = EXPECTED[3]
FOUND, MISSING = "tp", "fn"


def found_nowhere() -> Proposed:
    """A judge that found no instruction."""
    return Proposed(table(fn=EXPECTED), {"name": "gpt", "rationale": ""})


def three(**more):
    """Instruction 4 is missing in all traces: two have a sentence that shares its words."""
    traces = [trace("a", SAID, model="gpt-4o"), trace("b", SAID), trace("c", SILENT)]
    return rubric(checklist()), traces, [[found_nowhere()] for _ in traces]


async def opened(at) -> InstructionScreen:
    """Goes by the fourth instruction."""
    at.screen.pane.go("fn", 3)
    await at.press("b")
    await at.pilot.pause()
    assert isinstance(at.app.screen, InstructionScreen)
    return at.app.screen


@pytest.mark.parametrize("size", [WIDE, NARROW, LEAST])
async def test_a_line_for_each_cell_has_the_answer_and_the_sentence_that_would_bear_it_out(
    tmp_path,
    size,
):
    async with sitting(tmp_path, three(), size=size) as at:
        await opened(at)
        assert ASKED in " ".join(at.text.split())
        assert at.words("#counts").endswith("found 0 · missing 3")
        assert at.text.count("likely: ") >= 1
        assert "missing" in at.text


def test_an_answer_takes_the_sentence_in_sight_and_goes_on_to_the_next_row(tmp_path):
    with listed(tmp_path, three()) as of:
        of.answer(FOUND)
        of.answer(FOUND)
        assert words(of).count("was missing") == 2
        assert [stands(of, number) for number in (1, 2, 3)] == [
            "found",
            "found",
            "missing",
        ]
        assert (
            cell(of, 1).labels.tp[0].text == "It lies on chromosome 18 of the genome."
        )
        assert counts(of).endswith("found 2 · missing 1")
        assert of.current_row.cell == 3


def test_a_row_without_a_sentence_is_not_changed_until_no_words_are_asked_for(tmp_path):
    with listed(tmp_path, three()) as of:
        of.cursor = Cursor(0, 2)
        told = of.answer(FOUND)
        assert told.startswith("No sentence shares words with it: Enter opens the cell")
        assert told.endswith(", 0 takes none.")
        assert stands(of, 3) == "missing"
        of.take_none()
        of.answer(FOUND)
        assert stands(of, 3) == "found"
        assert cell(of, 3).labels.tp[0].text == ASKED


@pytest.mark.parametrize(
    ("key", "told"),
    [("ö", "to select some, ö takes none."), ("", "to select some.")],
)
def test_that_no_words_are_taken_is_told_with_the_reviewers_own_key(
    tmp_path,
    key,
    told,
):
    with listed(tmp_path, three()) as of:
        own = partial(with_keys, names={"text.none": key})
        of.context = replace(of.context, with_own_keys=own)
        of.cursor = Cursor(0, 2)
        assert of.answer(FOUND).endswith(told)


def test_of_several_excerpts_the_first_is_in_the_row_and_in_the_response(tmp_path):
    first, second = SAID.split(". ")
    one = trace("a", SAID)
    rows = [{"bucket": "tp", "index": place, "instruction": 4} for place in (0, 1)]
    lists = table(tp=[first, second], fn=EXPECTED[:3]) | {"items": rows}
    judged = Proposed(KIND.locate(checklist(), one, lists), {"name": "gpt"})
    with listed(tmp_path, (rubric(checklist()), [one], [[judged]])) as of:
        assert first in words(of)
        assert "(+1)" in words(of)
        (response,) = of.beside().texts
        assert SAID[slice(*response.revealed)] == first


def test_a_reason_is_asked_for_only_once_an_answer_was_given(tmp_path):
    questions = []

    async def pick(*_, **__):
        questions.append(None)
        return "it says so"

    with listed(tmp_path, three()) as of:
        of.pick = pick
        for _ in range(2):
            with pytest.raises(Refused, match="belongs to an answer given here"):
                asyncio.run(of.reason())
            of.answer(FOUND)
            assert "for 1 answer: it says so" in asyncio.run(of.reason())
            of.turn_back("undo")
        assert len(questions) == 2


def test_the_answer_takes_the_next_sentence_where_that_was_asked_for(tmp_path):
    with listed(tmp_path, three()) as of:
        offers = of.offers(of.current_row)
        assert len(offers) > 1
        of.offer(1)
        of.answer(FOUND)
        assert cell(of, 1).labels.tp[0].span == tuple(offers[1])


def test_marked_rows_are_one_act_what_is_refused_stays_marked_and_undo_takes_all_back(
    tmp_path,
):
    with listed(tmp_path, three()) as of:
        before = of.bench.workspace.facts.last_n()
        for _ in range(3):
            of.mark()
        told = of.answer(FOUND)
        assert [stands(of, number) for number in (1, 2, 3)] == [
            "found",
            "found",
            "missing",
        ]
        assert told.startswith(
            "2 changed: {cell.undo:u} undoes them together. 1 not, and",
        )
        assert [asked.cell for asked in of.marked] == [3]
        facts = [fact for no in (1, 2) for fact in cell(of, no).facts[1:]]
        assert [fact.part_of for fact in facts] == [None, before + 1]
        assert of.leave() == ""
        assert of.turn_back("undo").startswith("Undone: ")
        assert [stands(of, number) for number in (1, 2, 3)] == ["missing"] * 3
        of.turn_back("redo")
        assert [stands(of, number) for number in (1, 2, 3)] == [
            "found",
            "found",
            "missing",
        ]
        assert of.leave() == Leave()


def test_a_row_is_marked_going_on_to_the_next_and_unmarked_again(tmp_path):
    with listed(tmp_path, three()) as of:
        of.mark()
        of.mark()
        assert {asked.cell for asked in of.marked} == {1, 2}
        assert of.current_row.cell == 3
        of.cursor = Cursor(0, 0)
        of.mark()
        assert {asked.cell for asked in of.marked} == {2}


@pytest.mark.slow
async def test_enter_opens_the_cell_on_the_item_and_three_keys_go_back_to_the_row(
    tmp_path,
):
    async with sitting(tmp_path, three()) as at:
        for back in ("b", "left_parenthesis", "escape"):
            if not isinstance(at.app.screen, InstructionScreen):
                await opened(at)
            await at.press("home", "down", "enter")
            await at.pilot.pause()
            assert (at.no, at.place) == (2, ("fn", 3))
            await at.press(back)
            await at.pilot.pause()
            assert at.app.screen.comparison.current_row.cell == 2


def test_only_some_rows_are_shown_and_in_another_order(tmp_path):
    with listed(tmp_path, three()) as of:
        of.answer(FOUND)
        assert chosen(of, "overruled") == [1]
        assert "was missing" in words(of)
        assert chosen(of, "all") == [1, 2, 3]
        of.cursor = Cursor(0, 1)
        of.answer(FOUND)
        of.turn_back("undo")
        assert chosen(of, "missing") == [2, 3]
        assert chosen(of, "all") == [1, 2, 3]
        assert chosen(of, "answer", "order") == [1, 2, 3]
        assert chosen(of, "split") == []
        assert "No cell matches" in of.rows().sections[0].empty


def test_a_split_panel_is_told_at_the_row_and_can_be_had_first(tmp_path):
    scene = rubric(matrix()), [trace("a"), trace("b")], [[proposal()], [panel()]]
    with listed(tmp_path, scene, 3) as of:
        assert "≠" in words(of)
        assert chosen(of, "split", "order") == [2, 1]


def test_like_instructions_of_other_questions_stand_below_and_can_be_put_away(tmp_path):
    told = (
        "Says that BCL2 is on chromosome 18",
        "Says that BCL2 lies on chromosome 18",
    )
    asked = [
        Question(
            id=f"q{place}",
            metric_traits=[
                checklist(tp_instructions=["Something else entirely", said]),
            ],
        )
        for place, said in enumerate((*told, f" {told[0].upper()}. "))
    ]
    traces = [trace(f"t{place}", SAID, question_id=f"q{place}") for place in range(3)]
    scene = Rubric(name="BCL2", questions=asked), traces, [[] for _ in traces]
    with listed(tmp_path, scene, 2) as of:
        assert [[one.cell for one in group.cells] for group in of.groups] == [
            [1, 3],
            [2],
        ]
        assert not list(of.turn_like())
        assert [[one.cell for one in group.cells] for group in of.groups] == [[1, 3]]
        assert "1 like instruction: t" in of.rows().title
        own = partial(with_keys, names={"instruction.like": "ö"})
        of.context = replace(of.context, with_own_keys=own)
        assert "1 like instruction: ö" in of.rows().title


async def test_a_filter_that_still_reads_ends_when_the_rows_become_other_ones(
    tmp_path,
    monkeypatch,
):
    told = [f"Says that BCL2 {verb} on chromosome 18" for verb in ("is", "lies")]
    asked = [
        Question(id=said, metric_traits=[checklist(tp_instructions=[said])])
        for said in told
    ]
    traces = [trace(said, SAID, question_id=said) for said in told]
    judged = [[Proposed(table(fn=[said]), {"name": "gpt"})] for said in told]
    async with sitting(
        tmp_path,
        (Rubric(name="R", questions=asked), traces, judged),
    ) as at:
        at.screen.pane.go("fn", 0)
        await at.press("b", "1", "1")
        screen = at.app.screen
        of = screen.comparison
        monkeypatch.setattr(screens, "SLICE", -1)
        screen.finish(of.sort_out("overruled", "answer"))
        assert of.only == ""
        of.order = "answer"
        screen.do(of.turn_like)
        await at.until(lambda: not at.app.screen.message.display)
        await at.pilot.pause(0.1)
        assert [[one.cell for one in group.cells] for group in of.groups] == [[1]]
        assert of.only == ""


def test_verdicts_of_another_kind_have_their_own_answers(tmp_path):
    clear = LLMRubricTrait(name="Clear", description="Is it clear?", kind="boolean")
    scene = (
        Rubric(name="R", llm_traits=[clear]),
        [trace("a", SAID), trace("b", SILENT)],
        [[], []],
    )
    with listed(tmp_path, scene, 1) as of:
        for word in ("yes", "no"):
            of.answer(of.answers_by_word[word])
        assert counts(of).endswith("yes 1 · no 1")
        of.turn()
        of.turn()
        assert counts(of).endswith("yes 1 · no 1")
        assert of.take_none() == "An answer takes no words here."
        keys = [*InstructionScreen.KEYS, *InstructionScreen.OF_BENCH]
        about_words = {"instruction.offer", "text.none"}
        assert about_words <= {key.id for key in keys}
        assert about_words.isdisjoint(key.id for key in of.strip(keys))


def test_the_answer_of_a_wrong_bucket_says_what_is_right(tmp_path):
    with listed(tmp_path, three()) as of:
        assert of.answer("fp") == "This is a TP instruction: it goes into TP or FN."


def test_the_next_row_is_the_next_whose_cell_is_not_signed_off(tmp_path):
    with listed(tmp_path, three()) as of:
        of.bench.sign_off(2, 9.0)
        assert (of.walk(1), of.current_row.cell) == ("", 3)
        assert (of.walk(1), of.current_row.cell) == ("", 1)
        assert (of.walk(-1), of.current_row.cell) == ("", 3)
        of.bench.sign_off(1, 9.0)
        assert of.walk(1) == "This is the only cell of these that is not signed off."
        of.bench.sign_off(3, 9.0)
        assert of.walk(1) == "Every cell of these is signed off."


@pytest.mark.parametrize(("by", "reached"), [(1, 2), (-1, 3)])
def test_from_an_empty_group_the_walk_goes_to_the_first_row_or_back_to_the_last(
    tmp_path,
    by,
    reached,
):
    told = (
        "Says that BCL2 is on chromosome 18",
        *["Says that BCL2 lies on chromosome 18"] * 2,
    )
    asked = [
        Question(id=f"q{place}", metric_traits=[checklist(tp_instructions=[said])])
        for place, said in enumerate(told)
    ]
    traces = [trace(f"t{place}", SAID, question_id=f"q{place}") for place in range(3)]
    scene = Rubric(name="BCL2", questions=asked), traces, [[] for _ in traces]
    with listed(tmp_path, scene, 1) as of:
        for row, answer in zip(list(of.places), (FOUND, MISSING, MISSING), strict=True):
            of.go(row)
            of.answer(answer)
        assert chosen(of, "missing") == [2, 3]
        of.cursor = Cursor(0, 0)
        assert of.current_row is None
        assert (of.walk(by), of.current_row.cell) == ("", reached)


async def test_answers_by_instruction_are_the_facts_of_answers_cell_by_cell(tmp_path):
    """The checklist of each cell, asked for the same sentence, keeps the same corrections."""
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    with listed(tmp_path / "one", three()) as of:
        of.answer(FOUND)
        of.answer(FOUND)
        of.cursor = Cursor(0, 0)
        of.answer(MISSING)
        by_instruction = [corrections(cell(of, number)) for number in (1, 2)]
    async with sitting(tmp_path / "other", three()) as at:
        for number in (1, 2):
            at.screen.objects.navigation.go(number)
            at.screen.pane.go("fn", 3)
            await at.press("1", "enter")
        at.screen.objects.navigation.go(1)
        at.screen.pane.go("tp", 0)
        await at.press("2")
        assert [
            corrections(at.bench.open(number)[1]) for number in (1, 2)
        ] == by_instruction


def corrections(of) -> list[Corrected]:
    return [fact.what for fact in of.facts if isinstance(fact.what, Corrected)]
