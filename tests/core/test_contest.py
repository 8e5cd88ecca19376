"""A cell in which two reviewers differ: shown without their names, and ruled on."""

import pytest

from appellate.core.cell import evolve, fold, labels_of, labels_of_side
from appellate.core.deciding import (
    Adopt,
    Receive,
    Undo,
    compared,
    decide,
    standing_verdict,
)
from appellate.core.describe import describe
from appellate.core.facts import Contested, Fact
from appellate.core.problem import Refused
from cells import EXPECTED, RULE, Story, corrects, link, marks, proposal

MISSED = {"action": "move", "bucket": "tp", "index": 0, "to": "fn"}
BY_HAND = [{"action": "add", "bucket": "fn", **link(number)} for number in (1, 2)]
SIDES = [{"table": proposal().table, "edits": [MISSED]}, {"edits": BY_HAND}]


def contested(*before) -> Story:
    story = Story()
    for command in before:
        story.does(command)
    number = len(story.cell.facts) + 1
    story.cell = evolve(story.cell, Fact(number, "", "cy", Contested(SIDES)))
    return story


def test_a_side_is_a_proposal_and_the_edits_of_it_or_edits_of_nothing():
    subject = Story().cell.subject
    assert marks(labels_of_side(subject, SIDES[0])) == {
        "tp": [2, 3],
        "fn": [1, 4],
        "fp": [-1],
        "tn": [-2],
    }
    assert marks(labels_of_side(subject, SIDES[1])) == {"fn": [1, 2]}


def test_neither_side_stands_until_somebody_takes_one_and_rules():
    story = contested(Receive(proposal()))
    cell = story.cell
    assert (cell.labels, cell.hidden, cell.is_blind, cell.shown.judge) == (None, True, False, None)
    with pytest.raises(Refused, match="hidden until you have ruled"):
        decide(cell, Adopt(1))
    with pytest.raises(Refused, match="no such proposal"):
        labels_of(cell, 2, 2)
    took = story.does(Adopt(2, 1))
    assert describe(story.cell, took) == "took the labels that are shown as 2"
    assert marks(story.cell.labels) == {"fn": [1, 2]}
    story.does(RULE)
    assert (story.cell.state, story.cell.ruled_blind) == ("reviewed", False)
    with pytest.raises(Refused, match="since you know whose labels they are"):
        story.does(Undo(took.n))


def test_a_ruling_on_a_contested_cell_stands_beside_the_judge():
    story = contested(Receive(proposal()))
    story.does(Adopt(2, 0))
    story.does(RULE)
    assert [row.text for row in compared(story.cell) if row.differs] == [EXPECTED[0]]
    assert standing_verdict(story.cell) == "1 of 6 not as the judge"


def test_a_correction_of_neither_side_is_a_ruling_too():
    story = contested()
    for row in BY_HAND:
        story.does(corrects(row))
    with pytest.raises(Refused, match="Not ruled yet: 3, 4"):
        story.does(RULE)
    story.rules()
    assert marks(story.cell.verdict) == {"fn": [1, 2, 3, 4], "tn": [-1, -2]}
    assert standing_verdict(story.cell) == "your blind verdict"


def test_a_side_that_says_nothing_is_found_while_the_cell_is_read():
    subject = Story().cell.subject
    with pytest.raises(Refused, match="no item 10 in TP"):
        fold(subject, [Fact(1, "", "cy", Contested([{"edits": [MISSED | {"index": 9}]}, {}]))])
