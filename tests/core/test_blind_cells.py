"""A blind cell: the judge is hidden until the person's verdict is locked, and both are kept; a
sample that is withdrawn leaves its cells as they would be without the draw.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.cell import Cell, fold
from appellate.core.deciding import (
    Adopt,
    Comment,
    Draw,
    Flag,
    Receive,
    Redo,
    Rule,
    SignOff,
    Undo,
    Undraw,
)
from appellate.core.describe import describe, describe_loss, undone_by
from appellate.core.facts import (
    Adopted,
    Commented,
    Corrected,
    Drawn,
    Failed,
    Flagged,
    Proposed,
    Redone,
    Revised,
    SignedOff,
    Undone,
    Undrawn,
    Withheld,
)
from appellate.core.problem import Refused
from cells import (
    GENE,
    MOVED,
    RULE,
    SIGN,
    Story,
    commands,
    judged,
    link,
    lived,
    marks,
    matrix,
    other_proposal,
    proposal,
    select,
    story_of,
)

ADDED = {"action": "add", "bucket": "tp", **link(1), **select(GENE)}


def drawn(*before) -> Story:
    return story_of(*before, Draw(True))


def ruled() -> Story:
    story = drawn(Receive(proposal()))
    story.corrects(**ADDED)
    story.rules()
    return story


def test_a_cell_that_is_drawn_blind_begins_anew_without_labels():
    story = drawn(Receive(proposal()), SIGN)
    assert story.cell.hidden
    assert (story.cell.labels, story.cell.signed, story.cell.state) == (
        None,
        None,
        "proposed",
    )


def test_what_people_see_of_a_blind_cell_has_nothing_of_the_judge():
    story = drawn(Receive(proposal()), Receive(other_proposal(round=2)))
    seen = story.cell.shown
    assert (seen.judged, seen.rounds, seen.labels) == (None, (), None)
    assert not [fact for fact in seen.facts if isinstance(fact.what, Proposed)]
    assert seen.judge_figures is None
    failed = drawn(Receive(Failed("no answer"))).cell.shown
    assert (failed.failure, failed.state) == (None, "pending")


def test_of_what_was_done_in_sight_of_the_judge_it_is_told_only_that_something_was():
    story = drawn(
        Receive(proposal()),
        Flag(True),
        Flag(False),
        Undo(3),
        Comment("hm"),
        MOVED,
    )
    assert [type(fact.what) for fact in story.cell.shown.facts] == [
        *(Flagged, Flagged, Undone, Withheld, Drawn),
    ]
    told = [describe(story.cell.shown, fact) for fact in story.cell.shown.facts]
    assert told[3].startswith("worked on before the judge was hidden")
    assert [describe_loss(story.cell.shown, fact) for fact in story.cell.shown.facts][1]
    for act in (5, 6):
        with pytest.raises(Refused, match="before the judge was hidden"):
            story.does(Undo(act))
    story.does(Comment("mine"))
    assert isinstance(story.cell.shown.facts[-1].what, Commented)
    story.corrects(**ADDED)
    story.rules()
    assert story.cell.shown.facts == story.cell.facts


def test_a_cell_drawn_in_sight_is_as_it_was():
    story = judged()
    before = story.cell
    story.does(Draw(False))
    assert story.cell.drawn is not None
    assert not story.cell.hidden
    assert story.cell.shown is story.cell
    assert story.cell.labels is before.labels


def test_a_proposal_that_arrives_leaves_the_blind_labels_alone():
    story = drawn()
    story.does(Receive(proposal()))
    assert story.cell.labels is None
    story.corrects(**ADDED)
    story.does(Receive(other_proposal(round=2)))
    assert marks(story.cell.labels) == {"tp": [1]}
    assert story.cell.judge.judge["name"] == "other"


def test_a_verdict_is_locked_with_the_labels_as_they_are_and_reveals_the_judge():
    cell = ruled().cell
    assert cell.state == "reviewed"
    assert cell.shown is cell
    assert marks(cell.verdict) == {"tp": [1], "fn": [2, 3, 4], "tn": [-1, -2]}
    assert cell.verdict_figures == cell.figures
    assert cell.verdict_answers == cell.answers


def test_a_change_of_mind_is_kept_apart_from_the_verdict():
    story = ruled()
    verdict = story.cell.verdict
    answers = story.cell.verdict_answers
    story.corrects(action="drop", bucket="tp", index=0)
    assert story.cell.state == "corrected"
    assert story.cell.verdict is verdict
    assert story.cell.verdict_answers == answers != story.cell.answers
    assert story.cell.verdict_figures != story.cell.figures
    story.does(SIGN)
    assert (story.cell.state, story.cell.signed.what) == ("reviewed", SignedOff("abc"))


def test_undo_goes_back_to_the_verdict_and_no_further():
    story = ruled()
    change = story.corrects(action="drop", bucket="tp", index=0)
    story.does(Undo(change.n))
    assert story.cell.state == "reviewed"
    for n in (story.cell.ruled.n, story.cell.ruled.n - 1):
        with pytest.raises(Refused, match="The verdict is locked"):
            story.does(Undo(n))


def test_before_it_is_ruled_a_blind_cell_is_neither_signed_off_nor_given_a_judges_labels():
    story = drawn(Receive(proposal()))
    for command, why in (
        (SIGN, "rule on it"),
        (RULE, "None of the 6 instructions is ruled on yet"),
        (Adopt(1), "hidden until you have ruled"),
        (Draw(True), "in the sample already"),
    ):
        with pytest.raises(Refused, match=why):
            story.does(command)


def test_a_verdict_is_locked_once_every_instruction_is_ruled():
    story = drawn(Receive(proposal()))
    story.corrects(**ADDED)
    with pytest.raises(Refused, match="Not ruled on yet: 2, 3, 4, −1, −2"):
        story.does(RULE)
    assert story.cell.hidden


def test_only_a_blind_cell_is_ruled():
    with pytest.raises(Refused, match="sign this one off"):
        story_of(Receive(proposal()), RULE)


def test_under_a_changed_trait_it_is_blind_again():
    story = ruled()
    after = story.revised(matrix(tp_instructions=["Another one"])).cell
    assert after.hidden
    assert (after.verdict, after.labels) == (None, None)
    assert after.outdated
    assert [type(fact.what) for fact in after.shown.facts] == [Drawn, Withheld, Revised]
    assert (after.orphaned, after.steps) == ((), ())


def test_the_log_tells_of_the_draw_and_of_the_verdict():
    story = drawn()
    story.corrects(**ADDED)
    story.rules(Rule("abc", 0.4))
    told = [describe(story.cell, fact) for fact in story.cell.facts]
    assert told[0] == "drawn into the sample"
    assert told[-1] == "locked the verdict in haste, after 0.4 s"
    assert story.cell.hasty


@given(st.lists(commands, max_size=14))
def test_whatever_happens_afterwards_a_verdict_stays_what_it_was(life):
    story = ruled()
    verdict = story.cell.verdict
    lived(story, life)
    assert story.cell.verdict == verdict


@given(st.lists(commands, max_size=14))
def test_nothing_of_a_judge_is_in_what_is_shown_while_it_is_hidden(life):
    cell = lived(Story(), life).cell
    if cell.hidden:
        assert cell.shown.judge is None
        assert cell.shown.base is None


# -- withdrawn -----------------------------------------------------------------------------------


def begun(*before) -> Story:
    """A cell that was drawn blind, and of which one question is answered."""
    story = drawn(*before)
    story.corrects(**ADDED)
    return story


def test_labels_that_a_blind_draw_hid_come_back_as_they_were_signed_off():
    story = story_of(Receive(proposal()), MOVED, SIGN)
    before = story.cell
    story.does(Draw(True))
    story.corrects(**ADDED)
    story.does(Undraw())
    assert (story.cell.drawn, story.cell.hidden, story.cell.state) == (
        None,
        False,
        "reviewed",
    )
    assert (story.cell.labels, story.cell.signed) == (before.labels, before.signed)
    assert story.cell.figures == before.figures
    assert story.cell.shown.judge is not None


def test_a_judges_reply_that_came_while_it_was_blind_comes_in_and_remarks_stay():
    story = begun()
    for command in (Receive(proposal()), Flag(True), Comment("hm"), Undraw()):
        story.does(command)
    assert story.cell.labels == story.cell.subject.labels(proposal().table)
    assert (story.cell.state, story.cell.flag, len(story.cell.comments)) == (
        "proposed",
        True,
        1,
    )


def test_what_was_begun_blind_is_told_and_is_neither_undone_nor_done_again():
    story = begun(Receive(proposal()))
    story.does(Undo(3))
    story.does(Redo(3))
    story.does(Undraw(), by="bob")
    told = [describe(story.cell, fact) for fact in story.cell.facts]
    assert told[1] == "drawn into the sample"
    assert told[-1] == "removed from the sample, which was withdrawn"
    assert undone_by(story.cell, story.cell.facts[2]) == "bob"
    for command in (Undo(3), Redo(3)):
        with pytest.raises(Refused, match="in a sample that has been withdrawn"):
            story.does(command)
    once = begun()
    once.does(Undraw(), by="bob")
    assert describe_loss(once.cell, once.cell.facts[1]) == "undone by bob"


@pytest.mark.parametrize("who", ["bob", "carol"])
def test_what_went_with_a_trait_and_with_a_sample_was_taken_back_by_the_first(who):
    story = Story()
    story.does(Draw(blind=True))
    story = story.revised(matrix(tp_instructions=["Another one"]))
    added = story.corrects(action="add", bucket="fn", of="tp", instruction=1)
    taken_back = {"bob": Undone(2), "carol": Undrawn(1)}
    story.happens(taken_back.pop(who), by=who)
    for other, event in taken_back.items():
        story.happens(event, by=other)
    assert undone_by(story.cell, added) == who


def test_a_sign_off_counts_after_what_was_begun_blind_was_set_aside():
    story = begun(Receive(proposal()))
    story.does(Undraw())
    story.does(SIGN)
    assert story.cell.state == "reviewed"
    assert fold(story.cell.subject, story.cell.facts).signed == story.cell.signed


def test_in_sight_of_the_judge_corrections_stay():
    story = story_of(Receive(proposal()), Draw(False), MOVED)
    labels = story.cell.labels
    story.does(Undraw())
    assert (story.cell.drawn, story.cell.labels, story.cell.state) == (
        None,
        labels,
        "corrected",
    )


@pytest.mark.parametrize("blind", [True, False])
def test_after_a_verdict_the_sample_stays_be_it_undone_or_not(blind):
    story = story_of(Receive(proposal()), Draw(blind))
    story.corrects(**ADDED)
    if blind:
        story.rules()
    else:
        story.does(Undo(story.does(SIGN).n))
    with pytest.raises(Refused, match="already ruled on or signed off"):
        story.does(Undraw())


def test_it_is_drawn_anew_and_ruled_as_if_for_the_first_time():
    story = begun(Receive(proposal()))
    story.does(Undraw())
    with pytest.raises(Refused, match="not in the sample"):
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
    with pytest.raises(Refused, match="no draw"):
        story_of(Flag(True)).happens(what)


def test_a_record_that_withdraws_after_a_verdict_is_refused():
    story = begun()
    story.rules()
    with pytest.raises(Refused, match="The sample cannot be withdrawn"):
        story.happens(Undrawn(1))


def bare(cell: Cell) -> Cell:
    """A cell without its record."""
    return replace(cell, facts=(), undone=frozenset())


@given(st.lists(commands, max_size=8), st.booleans(), st.lists(commands, max_size=8))
def test_whatever_happened_a_cell_that_is_returned_is_as_it_would_be_without_the_draw(
    life,
    blind,
    later,
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
