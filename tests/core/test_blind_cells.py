"""A blind cell: the judge is hidden until the person's verdict is locked, and both are kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.cell import fold
from appellate.core.commands import Adopt, Comment, Correct, Draw, Flag, Receive, Rule, Undo
from appellate.core.describe import describe, describe_loss
from appellate.core.facts import (
    Commented,
    Drawn,
    Fact,
    Failed,
    Flagged,
    Proposed,
    Revised,
    SignedOff,
    Undone,
    Withheld,
)
from appellate.core.kind import KnownTrait, Subject
from appellate.core.problem import Refused
from appellate.traits.metric import KIND
from appellate.traits.metric.edits import Edit
from cells import (
    GENE,
    RULE,
    SIGN,
    Story,
    commands,
    link,
    lived,
    marks,
    matrix,
    other_proposal,
    proposal,
    select,
)

ADDED = {"action": "add", "bucket": "tp", **link(1), **select(GENE)}


MOVE = Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"})


def drawn(*before) -> Story:
    story = Story()
    for command in (*before, Draw(True)):
        story.does(command)
    return story


def ruled() -> Story:
    story = drawn(Receive(proposal()))
    story.corrects(**ADDED)
    story.rules()
    return story


def test_a_cell_that_is_drawn_blind_begins_anew_without_labels():
    story = drawn(Receive(proposal()), SIGN)
    assert story.cell.hidden
    assert (story.cell.labels, story.cell.signed, story.cell.state) == (None, None, "proposed")


def test_what_people_see_of_a_blind_cell_has_nothing_of_the_judge():
    story = drawn(Receive(proposal()), Receive(other_proposal(round=2)))
    seen = story.cell.shown
    assert (seen.judged, seen.rounds, seen.labels) == (None, (), None)
    assert not [fact for fact in seen.facts if isinstance(fact.what, Proposed)]
    assert seen.measure_judge() is None
    failed = drawn(Receive(Failed("no answer"))).cell.shown
    assert (failed.failure, failed.state) == (None, "pending")


def test_of_what_was_done_in_sight_of_the_judge_it_is_told_only_that_something_was():
    story = drawn(
        Receive(proposal()), Flag(True), Flag(False), Undo(3), Comment("hm"), Correct(MOVE)
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
    story = Story()
    story.does(Receive(proposal()))
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
    assert cell.measure_verdict() == cell.measure()
    assert cell.verdict_answers == cell.answers


def test_a_change_of_mind_is_kept_apart_from_the_verdict():
    story = ruled()
    verdict = story.cell.verdict
    answers = story.cell.verdict_answers
    story.corrects(action="drop", bucket="tp", index=0)
    assert story.cell.state == "corrected"
    assert story.cell.verdict is verdict
    assert story.cell.verdict_answers == answers != story.cell.answers
    assert story.cell.measure_verdict() != story.cell.measure()
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
        (RULE, "None of the 6 instructions is ruled yet"),
        (Adopt(1), "hidden until you have ruled"),
        (Draw(True), "in the sample already"),
    ):
        with pytest.raises(Refused, match=why):
            story.does(command)


def test_a_verdict_is_locked_once_every_instruction_is_ruled():
    story = drawn(Receive(proposal()))
    story.corrects(**ADDED)
    with pytest.raises(Refused, match="Not ruled yet: 2, 3, 4, −1, −2"):
        story.does(RULE)
    assert story.cell.hidden


def test_only_a_blind_cell_is_ruled():
    story = Story()
    story.does(Receive(proposal()))
    with pytest.raises(Refused, match="sign this one off"):
        story.does(RULE)


def test_under_a_changed_trait_it_is_blind_again():
    story = ruled()
    old, cell = story.cell.subject.trait, story.cell
    trait = matrix(tp_instructions=["Another one"])
    earlier = {old.sha256(): KnownTrait(KIND, old)}
    fact = Fact(cell.facts[-1].n + 1, "2026-11-21T13:00:00.000000Z", "ada", Revised(old.sha256()))
    after = fold(Subject(KIND, trait, cell.subject.trace, earlier), (*cell.facts, fact))
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
