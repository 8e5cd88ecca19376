"""The labels that stand in a cell, as one side of a contested one."""

import pytest
from appellate.traits.tally import KIND, Tally, TallyTrait
from msgspec.structs import replace

from appellate.core.cell import evolve, fold, labels_of_side
from appellate.core.deciding import Adopt, Receive
from appellate.core.facts import Contested, Fact, Proposed
from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.store.audits.adjudication import side_of
from cells import Story, link, marks, other_proposal, panel, proposal

MOVE = {"action": "move", "bucket": "tp", "index": 0, "to": "fn"}


def put(story: Story):
    """The side that a cell is, which has the labels that stand in it."""
    side = side_of(story.cell)
    assert labels_of_side(story.cell.subject, side) == story.cell.labels
    return side


def test_corrections_stand_behind_the_proposal_that_they_are_of():
    story = Story()
    story.does(Receive(proposal()))
    story.corrects(**MOVE)
    side = put(story)
    assert side["table"] == proposal().table
    assert [edit["action"] for edit in side["edits"]] == ["move"]


def test_what_was_filled_in_by_hand_has_no_proposal():
    story = Story()
    story.corrects(action="add", bucket="fn", **link(1))
    assert set(put(story)) == {"edits"}


def test_a_members_labels_that_were_taken_are_the_ground():
    story = Story()
    story.does(Receive(panel()))
    story.does(Adopt(1, 1))
    story.corrects(**MOVE)
    side = put(story)
    assert side["table"]["tp"] == other_proposal().table["tp"]
    assert "error" not in side["table"]


def test_a_side_that_was_taken_stays_with_what_was_corrected_afterwards():
    sides = [{"table": proposal().table, "edits": [MOVE]}, {"edits": []}]
    story = Story()
    story.cell = evolve(story.cell, Fact(1, "", "cy", Contested(sides)))
    story.does(Adopt(1, 0))
    assert marks(story.cell.labels)["fn"] == [1, 4]
    story.corrects(**MOVE)
    side = put(story)
    assert (side["table"], len(side["edits"])) == (proposal().table, 2)


def test_labels_that_no_correction_leads_to_are_written_out():
    """A correction was carried over to a later round's labels, where it is of another item."""
    story = Story()
    story.does(Receive(proposal()))
    story.corrects(action="move", bucket="tp", index=1, to="fn")
    story.does(Receive(other_proposal(round=2)))
    story.corrects(action="move", bucket="tp", index=1, to="fn")
    side = side_of(story.cell)
    answers = story.cell.subject.kind.answers(
        story.cell.subject.trait, labels_of_side(story.cell.subject, side)
    )
    assert answers == story.cell.answers


def test_where_no_table_says_the_same_it_cannot_be_put_beside_others():
    subject = Subject(KIND, TallyTrait(name="Genes", word="gene"), Story().cell.subject.trace)
    cell = fold(subject, [Fact(1, "", "gpt", Proposed({"times": 2}, {"name": "gpt"}))])
    with pytest.raises(Refused, match="labels of Genes cannot be put beside others"):
        side_of(replace(cell, labels=Tally(None)))
