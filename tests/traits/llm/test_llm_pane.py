"""The LLM cell on the screen: what it shows of a verdict, and what its keys ask for."""

from functools import partial

import pytest
from llm_traits import CLEAR, RESPONSE, TONE, TRACE, WARNS, excerpt

from appellate.core.cell import Cell
from appellate.core.deciding import SignOff
from appellate.core.kind import Subject
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Labels
from appellate.traits.llm.pane import KEYS, LLMPane
from appellate.traits.llm.spec import LLMRubricTrait
from traits.verdict import pane_stage
from traits.verdict.pane_stage import after

WIDE = LLMRubricTrait(
    name="Percent",
    kind="score",
    min_score=0,
    max_score=100,
    description="0: none\n100: all of it",
)
MANY = LLMRubricTrait(
    name="Many",
    kind="literal",
    classes={f"class {n}": f"meaning {n}" for n in range(12)},
)
FOOD, DOCTOR = excerpt("with food"), excerpt("Ask a doctor")


def judged(trait, value, *evidence, **more):
    """A cell of a trait with what a judge said of it."""
    table = {"value": value, "evidence": list(evidence), **more.pop("table", {})}
    return pane_stage.judged(KIND, trait, TRACE, table, **more)


Shown = partial(pane_stage.Shown, LLMPane)


# -- what is shown ----------------------------------------------------------------------------------


async def test_a_verdict_stands_large_with_all_that_it_could_be_and_what_it_rests_on():
    async with Shown(
        judged(CLEAR, 4, "with food", table={"rationale": "It is short."}),
    ) as shown:
        assert shown.told("criterion") == "From 1 (confusing) to 5 (crystal clear)"
        assert shown.told("verdict").split() == [
            "4",
            "of",
            "1–5",
            "as",
            "the",
            "judge",
            "says",
        ]
        assert shown.rows == [
            "Score 1–5 · higher is better",
            "1 confusing",
            "2",
            "3",
            "▸ 4 judge ● verdict",
            "5 crystal clear",
            "Evidence 1",
            "1 “with food”",
        ]
        assert shown.told("reason") == "judge: It is short."
        assert [tuple(one) for one in shown.pane.evidence()] == [
            (*FOOD.span, "evidence", "1", ("evidence", 0), True),
        ]
        assert shown.pane.place == ("verdict", 3)


async def test_a_class_stands_with_its_meaning_and_a_yes_with_which_is_better():
    async with Shown(judged(TONE, 1)) as shown:
        assert shown.rows[:4] == [
            "Classes · none is better",
            "1 formal: As in a letter",
            "▸ 2 plain: As one talks judge ● verdict",
            "3 rude: Insults",
        ]
        assert shown.rows[-1] == "(none: + takes words of the response)"
    async with Shown(
        judged(WARNS.model_copy(update={"higher_is_better": False}), True),
    ) as shown:
        assert shown.rows[0] == "Yes or no · no is better"


async def test_what_the_judge_said_stands_beside_what_a_person_says():
    async with Shown(judged(WARNS, True, "with food")) as shown:
        await shown.press("2")
        assert shown.told("verdict").split() == ["NO", "the", "judge", "says", "yes"]
        assert shown.rows[1:3] == ["1 yes judge", "▸↑ 2 no was yes ◐ verdict"]
        assert shown.review.said == [
            "The evidence stayed: {llm.drop:d} drops what does not speak for it.",
        ]


async def test_a_signed_verdict_bears_the_mark_of_its_state():
    async with Shown(after(judged(WARNS, True), SignOff(WARNS.sha256()))) as shown:
        assert "▸ 1 yes judge ✓ verdict" in shown.rows


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        (Cell(Subject(KIND, CLEAR, TRACE)), "J has it judged; 1-5 gives the verdict."),
        (Cell(Subject(KIND, MANY, TRACE)), "J has it judged; i gives the verdict."),
        (Cell(Subject(KIND, TONE, TRACE)), "J has it judged; 1-3 gives the verdict."),
    ],
)
async def test_a_cell_without_a_verdict_says_what_can_be_done(cell, told):
    async with Shown(cell) as shown:
        assert shown.told("reason") == told
        assert shown.told("verdict").split()[0] == "–"
        assert shown.pane.summary() == ""


async def test_an_excerpt_that_is_not_there_is_marked_and_doubted():
    async with Shown(judged(WARNS, True, "see a vet", "Take")) as shown:
        assert shown.rows[-2:] == ["? 1 “see a vet” unverified", "2 “Take”"]
        assert shown.pane.in_doubt() == 1
        assert shown.pane.doubts() == "1 excerpt not in the response."
        await shown.press("l")
        assert "not found in the response" in " ".join(shown.rows)


async def test_the_members_of_a_panel_are_counted_beside_what_they_say():
    members = [
        {"name": name, "value": value, "evidence": []}
        for name, value in (("a", 4), ("b", 2), ("c", 4))
    ]
    async with Shown(judged(CLEAR, 4, members=members)) as shown:
        assert shown.rows[2] == "2 ≠1/3"
        assert shown.rows[4] == "▸ 4 ≠2/3 judge ● verdict"


async def test_where_room_is_short_the_scale_is_told_beside_the_verdict():
    long = CLEAR.model_copy(
        update={
            "description": "How clear is it to somebody who never heard of it? " * 4,
        },
    )
    async with Shown(judged(long, 4), size=(60, 12)) as shown:
        shown.pane.one_at_a_time(one=True)
        await shown.pilot.pause()
        assert shown.pane.query_one("#criterion").size.height == 2
        assert shown.told("criterion").endswith("… press C")
        assert shown.told("verdict").split()[:6] == [
            "4",
            "of",
            "1–5",
            "higher",
            "is",
            "better",
        ]
        assert shown.rows[0] == "1"


# -- what keys ask for ------------------------------------------------------------------------------


async def test_space_gives_the_verdict_under_the_cursor_and_turns_yes_and_no():
    async with Shown(judged(CLEAR, 4)) as shown:
        await shown.press("j", "space")
        assert shown.labels.value == 5
    async with Shown(judged(WARNS, True)) as shown:
        await shown.press("space")
        assert shown.labels.value is False
        await shown.press("space")
        assert shown.labels.value is True
        await shown.press("l", "space")
        assert "This is no verdict" in shown.review.said[-1]


async def test_enter_on_a_verdict_tells_what_can_be_done_and_gives_none():
    async with Shown(judged(CLEAR, 4)) as shown:
        shown.review.answers = ["verdict.turn"]
        await shown.press("j", "enter")
        assert shown.labels.value == 4
        assert shown.review.ran == ["verdict.turn"]
    async with Shown(judged(WARNS, True, "with food")) as shown:
        shown.review.answers = ["llm.drop"]
        await shown.press("tab", "enter")
        assert [text for _, text, _ in shown.review.asked[-1]][-1] == "drop it"
        assert shown.review.ran == ["llm.drop"]


async def test_a_key_that_is_no_verdict_here_says_so_or_is_left_to_the_screen():
    async with Shown(judged(CLEAR, 4)) as shown:
        await shown.press("9", "y", "n")
        assert shown.review.said == [
            "The verdict of this trait is a whole number from 1 to 5.",
        ]
        assert shown.labels.value == 4
    async with Shown(judged(WARNS, True)) as shown:
        await shown.press("0", "3", "y", "n", "N")
        assert shown.review.said == ["The verdict here is yes (1) or no (2)."] * 2
        assert shown.labels.value is True


async def test_a_long_scale_and_many_classes_are_picked_from_a_list():
    async with Shown(judged(WIDE, 40)) as shown:
        shown.review.answers = ["87"]
        await shown.press("8")
        assert shown.labels.value == 87
        assert len(shown.review.asked[0]) == 101
        assert shown.review.asked[0][40] == ("40", "", "verdict, judge")
    async with Shown(judged(MANY, 3)) as shown:
        shown.review.answers = ["11"]
        await shown.press("i")
        assert shown.labels.name == "class 11"


async def test_words_that_are_selected_go_with_the_verdict():
    async with Shown(judged(WARNS, True, "with food")) as shown:
        shown.review.selecting, shown.review.words = True, DOCTOR.span
        await shown.press("2")
        assert shown.labels == Labels(False, "", (DOCTOR,))
        assert shown.review.said == []
        shown.review.selecting, shown.review.words = True, None
        await shown.press("1")
        assert shown.labels.value is False


async def test_the_cursor_goes_to_the_excerpt_that_an_undo_gives_back():
    async with Shown(judged(WARNS, True, "with food", "Take care")) as shown:
        pane = shown.pane
        before = pane.cell
        for edit in (
            Edit("drop", index=1),
            Edit("reword", index=1, text="with care"),
            Edit("replace", index=1, start=0, end=4),
        ):
            pane.go("verdict", 0)
            pane.follow(edit.to_row(), before, turned=True)
            assert pane.place == ("evidence", 1), edit.action


async def test_evidence_is_added_replaced_reworded_and_dropped_by_keys():
    async with Shown(judged(WARNS, True, "with food")) as shown:
        shown.review.answers = [DOCTOR.span]
        await shown.press("plus")
        assert [one.text for one in shown.labels.evidence] == [
            "with food",
            "Ask a doctor",
        ]
        assert shown.pane.place == ("evidence", 1)
        shown.review.answers = [excerpt("Take care").span]
        await shown.press("equals_sign")
        assert [one.text for one in shown.labels.evidence] == ["with food", "Take care"]
        shown.review.answers = ["it with warfarin"]
        await shown.press("e")
        assert shown.labels.evidence[1].text in RESPONSE
        assert shown.review.taken == [("Reword", "Take care")]
        await shown.press("d", "d")
        assert shown.labels.evidence == ()
        await shown.press("d")
        assert (
            shown.review.said[-1]
            == "No excerpt is under the cursor: l goes to the evidence."
        )


async def test_nothing_is_corrected_in_a_session_that_only_reads():
    async with Shown(judged(WARNS, True, "with food")) as shown:
        shown.review.readonly = True
        await shown.press("2", "l", "d")
        assert shown.labels.value is True
        assert (
            shown.review.said
            == ["This session only reads: nothing can be corrected in it."] * 2
        )


async def test_the_strip_names_the_keys_that_give_a_verdict_here():
    for trait, keys in ((WARNS, "1 2"), (CLEAR, "1-5"), (TONE, "1-3"), (WIDE, "i")):
        async with Shown(Cell(Subject(KIND, trait, TRACE))) as shown:
            assert shown.pane.hints(KEYS)[0].key == keys
            assert [hint.key for hint in shown.pane.taking_hints()] == [keys, "+"]
