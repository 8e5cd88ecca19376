"""The one form of a cell's numbers: value, difference, whose it is and since what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.cell import evolve, fold
from appellate.core.deciding import Comment, Correct, Receive, Undo, decide
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Subject
from appellate.traits.kinds import kinds
from appellate.traits.llm import edits as llm
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.ui.marks import ASCII
from appellate.ui.measures import (
    MeasureLine,
    MeasureValue,
    difference,
    differs,
    in_print,
    measure_line,
    number,
    value,
)
from appellate.ui.measures_bar import line, sentences
from cells import MOVED, SIGN, judged, other_proposal, story_of, trace


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.75, ".75"), (1.0, "1.00"), (0.0, ".00"), (-0.11, "−.11"), (-0.001, ".00")],
)
def test_a_number_has_two_decimals_and_no_leading_zero(value, shown):
    assert number(value) == shown


@given(st.floats(0, 9), st.floats(0, 9))
def test_what_is_shown_adds_up(now, base):
    one = MeasureValue("f1", "F1", now, base=MeasureValue("f1", "F1", base))
    by = difference(one, ASCII)
    assert bool(by) == differs(one)
    assert round(float(value(one.base)) + float(by or 0), 2) == float(value(one))


def test_a_rounded_away_difference_is_none():
    one = MeasureValue("f1", "F1", 0.701, base=MeasureValue("f1", "F1", 0.699))
    assert difference(one) == ""


def test_a_terminal_without_unicode_gets_bounds_in_ascii():
    one = MeasureValue("rating", "r", 2.0, scale="1–5")
    text = "".join(piece.text for piece in line(MeasureLine([one]), 80, ASCII))
    assert "of 1-5" in text
    assert text.isascii()


def told(before, cell):
    return in_print(measure_line(before, cell, ""))


def test_an_untouched_cell_shows_the_judges_numbers_and_no_difference():
    story = judged()
    assert told(None, story.cell).endswith("; the judge's numbers")
    assert not any(one.base for one in measure_line(None, story.cell, "").now)
    story.does(SIGN)
    assert told(None, story.cell).endswith("; the judge's numbers")


def test_after_a_key_the_differences_are_to_what_was_before_it_and_then_to_the_judge():
    story = judged()
    before = story.cell
    story.does(MOVED)
    assert told(before, story.cell).endswith(
        "f1 .57 −.18; corrected, ± since the last key",
    )
    assert told(None, story.cell).endswith("f1 .57 −.18; corrected, ± since the judge")


def test_an_undo_shows_whose_numbers_stand_again_and_since_what():
    story = judged()
    moved = story.does(MOVED)
    before = story.cell
    story.does(Undo(moved.n))
    assert told(before, story.cell).endswith(
        "f1 .75 +.18; the judge's numbers, ± since the last key",
    )
    assert told(None, story.cell).endswith("f1 .75; the judge's numbers")


def test_a_key_that_moves_no_number_leaves_the_line_as_it_was():
    story = judged()
    story.does(MOVED)
    before = story.cell
    story.does(Comment("x"))
    assert told(before, story.cell) == told(None, before)


def test_corrections_that_come_to_the_judges_numbers_say_so():
    story = judged()
    story.does(MOVED)
    judge = story.cell.judge_figures
    same = replace(story.cell, labels=story.cell.judge_labels)
    assert same.figures == judge
    assert told(None, same).endswith("; corrected, same numbers as the judge")


def test_labels_of_an_earlier_round_that_were_signed_off_differ_from_the_later_one():
    story = judged()
    story.does(SIGN)
    story.does(Receive(other_proposal(round=2)))
    assert "; signed off, " in told(None, story.cell)


def of_llm(trait, value):
    subject = Subject(kinds()["llm"], trait, trace())
    located = subject.kind.locate(trait, subject.trace, {"value": value})
    return fold(
        subject,
        [Fact(1, "2026-11-21T12:00:00Z", "gpt", Proposed(located, {"name": "gpt"}))],
    )


def test_words_in_place_of_numbers_say_what_they_were():
    trait = LLMRubricTrait(name="Warns", kind="boolean", description="Does it warn?")
    before = of_llm(trait, True)
    after = evolve(
        before,
        Fact(2, "", "ada", decide(before, Correct(llm.Edit("set", value=False)))),
    )
    assert told(None, before) == "verdict yes; the judge's numbers"
    assert told(None, after) == "verdict no (was yes); corrected, was: the judge's"


def test_a_cell_filled_by_hand_has_no_judge_to_differ_from():
    story = story_of()
    story.corrects(action="add", bucket="fn", of="tp", instruction=4)
    assert all(one.base is None for one in measure_line(None, story.cell, "").now)
    assert told(None, story.cell).endswith("; by hand")


def test_a_cell_without_labels_has_no_numbers():
    assert told(None, story_of().cell) == "no numbers yet"


def test_a_score_is_told_with_its_bounds_and_a_class_by_its_name():
    score = LLMRubricTrait(name="Clarity", kind="score", higher_is_better=False)
    shown = measure_line(None, of_llm(score, 3), "")
    assert drawn(shown) == " score 3.00 of 1–5   the judge's numbers"
    assert (
        sentences(shown) == "score 3.00 of 1–5 (lower is better), the judge's numbers"
    )
    classes = LLMRubricTrait(
        name="Covers",
        kind="literal",
        classes={"all": "a", "some": "b"},
    )
    assert (
        drawn(measure_line(None, of_llm(classes, 1), ""))
        == " class some   the judge's numbers"
    )


def drawn(shown):
    return "".join(piece.text for piece in line(shown, 60)).rstrip()


def test_a_verdict_that_the_last_key_changed_says_what_it_was_before_it():
    trait = LLMRubricTrait(name="Warns", kind="boolean", description="Does it warn?")
    before = of_llm(trait, True)
    change = Fact(2, "", "ada", decide(before, Correct(llm.Edit("set", value=False))))
    after = evolve(before, change)
    line = measure_line(before, after, "")
    assert in_print(line) == "verdict no (was yes); corrected, was: before the last key"
    assert line.is_since_last_key
    assert not any("±" in legend for legend in line.legends)
