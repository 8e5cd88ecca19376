"""A sample that is withdrawn leaves its cells as they would be without the draw."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.cell import Cell, fold
from appellate.core.commands import (
    Comment,
    Correct,
    Draw,
    Flag,
    Receive,
    Redo,
    Rule,
    SignOff,
    Undo,
    Undraw,
)
from appellate.core.describe import describe, describe_loss
from appellate.core.facts import (
    Adopted,
    Corrected,
    Fact,
    Redone,
    Undone,
    Undrawn,
)
from appellate.core.problem import Refused
from appellate.traits.metric.edits import Edit
from cells import (
    GENE,
    SIGN,
    Story,
    commands,
    link,
    lived,
    marks,
    other_proposal,
    proposal,
    select,
)

ADDED = {"action": "add", "bucket": "tp", **link(1), **select(GENE)}
MOVE = Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"})


def begun(*before) -> Story:
    """A cell that was drawn blind, and of which one question is answered."""
    story = Story()
    for command in (*before, Draw(True)):
        story.does(command)
    story.corrects(**ADDED)
    return story


def test_labels_that_a_blind_draw_hid_come_back_as_they_were_signed_off():
    story = Story()
    for command in (Receive(proposal()), Correct(MOVE), SIGN):
        story.does(command)
    before = story.cell
    story.does(Draw(True))
    story.corrects(**ADDED)
    story.does(Undraw())
    assert (story.cell.drawn, story.cell.hidden, story.cell.state) == (None, False, "reviewed")
    assert (story.cell.labels, story.cell.signed) == (before.labels, before.signed)
    assert story.cell.measure() == before.measure()
    assert story.cell.shown.judge is not None


def test_a_judges_reply_that_came_while_it_was_blind_comes_in_and_remarks_stay():
    story = begun()
    for command in (Receive(proposal()), Flag(True), Comment("hm"), Undraw()):
        story.does(command)
    assert story.cell.labels == story.cell.subject.labels(proposal().table)
    assert (story.cell.state, story.cell.flag, len(story.cell.comments)) == ("proposed", True, 1)


def test_what_was_begun_blind_is_told_and_is_neither_undone_nor_done_again():
    story = begun(Receive(proposal()))
    story.does(Undo(3))
    story.does(Redo(3))
    story.does(Undraw(), by="bob")
    told = [describe(story.cell, fact) for fact in story.cell.facts]
    assert told[1] == "drawn into the sample"
    assert told[-1] == "out of the sample again, which was withdrawn"
    for command in (Undo(3), Redo(3)):
        with pytest.raises(Refused, match="in a sample that was withdrawn"):
            story.does(command)
    once = begun()
    once.does(Undraw(), by="bob")
    assert describe_loss(once.cell, once.cell.facts[1]) == "undone by bob"


def test_a_sign_off_counts_after_what_was_begun_blind_was_set_aside():
    story = begun(Receive(proposal()))
    story.does(Undraw())
    story.does(SIGN)
    assert story.cell.state == "reviewed"
    assert fold(story.cell.subject, story.cell.facts).signed == story.cell.signed


def test_in_sight_of_the_judge_corrections_stay():
    story = Story()
    for command in (Receive(proposal()), Draw(False), Correct(MOVE)):
        story.does(command)
    labels = story.cell.labels
    story.does(Undraw())
    assert (story.cell.drawn, story.cell.labels, story.cell.state) == (None, labels, "corrected")


@pytest.mark.parametrize("blind", [True, False])
def test_after_a_verdict_the_sample_stays_be_it_undone_or_not(blind):
    story = Story()
    for command in (Receive(proposal()), Draw(blind)):
        story.does(command)
    story.corrects(**ADDED)
    if blind:
        story.rules()
    else:
        story.does(Undo(story.does(SIGN).n))
    with pytest.raises(Refused, match="ruled on or signed off already"):
        story.does(Undraw())


def test_it_is_drawn_anew_and_ruled_as_if_for_the_first_time():
    story = begun(Receive(proposal()))
    story.does(Undraw())
    with pytest.raises(Refused, match="in no sample"):
        story.does(Undraw())
    story.does(Draw(True))
    assert (story.cell.hidden, story.cell.labels) == (True, None)
    story.does(Receive(other_proposal(round=2)))
    story.corrects(**ADDED)
    story.rules()
    assert marks(story.cell.verdict) == {"tp": [1], "fn": [2, 3, 4], "tn": [-1, -2]}
    assert story.cell.judge.judge["name"] == "other"


@pytest.mark.parametrize("what", [Undrawn(9), Undrawn(1)])
def test_a_record_that_withdraws_what_was_not_drawn_is_refused(what):
    story = Story()
    story.does(Flag(True))
    with pytest.raises(Refused, match="no draw"):
        fold(story.cell.subject, (*story.cell.facts, Fact(2, "", "ada", what)))


def test_a_record_that_withdraws_after_a_verdict_is_refused():
    story = begun()
    story.rules()
    n = story.cell.facts[-1].n + 1
    with pytest.raises(Refused, match="The sample stays"):
        fold(story.cell.subject, (*story.cell.facts, Fact(n, "", "ada", Undrawn(1))))


def bare(cell: Cell) -> Cell:
    """A cell without its record."""
    return replace(cell, facts=(), undone=frozenset())


@given(st.lists(commands, max_size=8), st.booleans(), st.lists(commands, max_size=8))
def test_whatever_happened_a_cell_that_is_returned_is_as_it_would_be_without_the_draw(
    life, blind, later
):
    story = lived(Story(), [one for one in life if not isinstance(one, Draw | Undraw)])
    drawn = story.does(Draw(blind))
    lived(story, [one for one in later if not isinstance(one, Undraw | Rule | SignOff)])
    facts = story.cell.facts
    gone = {drawn.n}
    if blind:
        acts = [fact.n for fact in facts if isinstance(fact.what, Corrected | Adopted)]
        gone |= {n for n in acts if n > drawn.n}
    left = [
        fact
        for fact in facts
        if fact.n not in gone
        and not (isinstance(fact.what, Undone | Redone) and fact.what.of in gone)
    ]
    story.does(Undraw())
    assert bare(story.cell) == bare(fold(story.cell.subject, left))
