"""The life of a cell: states, sign-off, undo and redo, and replies that come late."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.cell import (
    evolve,
    fold,
    is_over_what_stands,
    latest_reason,
    reason_for,
    reason_of,
    replayed,
    undone,
)
from appellate.core.deciding import (
    Act,
    Adopt,
    Command,
    Comment,
    Correct,
    Flag,
    Reason,
    Receive,
    Redo,
    Show,
    Undo,
    decide,
)
from appellate.core.describe import describe_loss
from appellate.core.facts import (
    Commented,
    Corrected,
    Fact,
    Failed,
    Flagged,
    Proposed,
    Redone,
    SignedOff,
    Undone,
    from_row,
    to_row,
)
from appellate.core.problem import Refused
from appellate.traits.metric import KIND
from cells import (
    GENE,
    SIGN,
    Story,
    commands,
    judged,
    link,
    lived,
    marks,
    other_proposal,
    panel,
    proposal,
    select,
    story_of,
    table,
)

DROP = {"action": "drop", "bucket": "tp"}
FILL = {"action": "add", "bucket": "fn", **link(1)}


def refusal(story: Story, command: Command) -> str:
    with pytest.raises(Refused) as refused:
        decide(story.cell, command)
    return str(refused.value)


# -- the four empty kinds -------------------------------------------------------------------------


def test_not_judged_failed_found_empty_and_emptied_never_look_alike():
    pending, failed, empty, emptied = Story(), Story(), Story(), Story()
    failed.does(Receive(Failed("no answer")))
    empty.does(Receive(Proposed(table(), {"name": "gpt"})))
    emptied.does(Receive(Proposed(table(tp=["x"]), {"name": "gpt"})))
    emptied.corrects(**DROP)
    assert [s.cell.state for s in (pending, failed, empty, emptied)] == [
        "pending",
        "failed",
        "proposed",
        "corrected",
    ]
    assert pending.cell.labels is None
    assert failed.cell.labels is None
    assert empty.cell.labels == emptied.cell.labels
    assert failed.cell.error == Failed("no answer")
    assert pending.cell.error is None


def test_a_cell_without_labels_has_no_figures_and_no_breaches():
    cell = Story().cell
    assert cell.figures is None
    assert cell.judge_figures is None
    assert cell.breaches() == []
    assert cell.judge is None


def test_a_failed_cell_that_is_judged_is_proposed_and_its_error_is_history():
    story = story_of(
        Receive(Failed("no answer", "raw", {"name": "gpt"})),
        Receive(proposal()),
    )
    assert story.cell.state == "proposed"
    assert story.cell.error is None
    assert isinstance(story.cell.facts[0].what, Failed)


def test_a_second_judgment_is_refused():
    assert "never replaces" in refusal(judged(), Receive(proposal()))
    assert "never replaces" in refusal(judged(), Receive(Failed("late")))


# -- signing off ----------------------------------------------------------------------------------


def test_sign_off_is_refused_on_pending_failed_and_signed_cells():
    story = Story()
    assert "not judged" in refusal(story, SIGN)
    story.does(Receive(Failed("no answer")))
    assert "failed here" in refusal(story, SIGN)
    story.corrects(**FILL)
    story.does(SIGN, "bob")
    assert "by bob" in refusal(story, SIGN)


def test_sign_off_is_allowed_with_breaches_which_stay():
    story = judged()
    story.corrects(action="add", bucket="tp", **select("cancer"))
    assert story.cell.breaches()
    story.does(SIGN)
    assert story.cell.state == "reviewed"
    assert story.cell.breaches()


def test_an_edit_after_a_sign_off_makes_the_cell_corrected_and_keeps_the_sign_off_in_its_history():
    story = judged()
    story.does(SIGN)
    story.corrects(**DROP)
    assert story.cell.state == "corrected"
    assert [type(fact.what).__name__ for fact in story.cell.facts] == [
        "Proposed",
        "SignedOff",
        "Corrected",
    ]


def test_undoing_to_a_sign_off_brings_that_back():
    story = judged()
    story.corrects(**DROP)
    sign = story.does(SIGN, "bob")
    edit = story.corrects(**DROP)
    story.does(Undo(edit.n))
    assert story.cell.state == "reviewed"
    assert story.cell.signed == sign
    story.does(Redo(edit.n))
    assert story.cell.state == "corrected"


def test_undoing_every_edit_brings_back_judged():
    story = judged()
    before = story.cell.labels
    first, second = story.corrects(**DROP), story.corrects(**DROP)
    for edit in (second, first):
        story.does(Undo(edit.n))
    assert story.cell.state == "proposed"
    assert story.cell.labels == before
    assert describe_loss(story.cell, first).startswith("undone by ")
    assert story.cell.judge_answers == story.cell.answers


def test_a_sign_off_taken_back_does_not_hold_and_the_one_before_it_only_over_the_same_labels():
    story = judged()
    first = story.does(SIGN)
    story.corrects(**DROP)
    second = story.does(SIGN)
    story.does(Undo(second.n))
    assert story.cell.state == "corrected"
    story.does(Undo(3))
    assert story.cell.signed == first
    story.does(Undo(first.n))
    assert story.cell.state == "proposed"
    story.does(Redo(first.n))
    assert story.cell.signed == first


def test_a_sign_off_over_a_correction_falls_with_it_and_returns_with_it():
    story = judged()
    edit = story.corrects(**DROP)
    story.does(SIGN, "bob")
    story.does(Undo(edit.n))
    assert story.cell.state == "proposed"
    story.does(Redo(edit.n))
    assert story.cell.state == "reviewed"


# -- filled by hand -------------------------------------------------------------------------------


@pytest.mark.parametrize("failed_before", [False, True])
def test_a_cell_filled_by_hand_is_corrected_and_a_later_reply_leaves_its_labels_alone(
    failed_before,
):
    story = story_of(*[Receive(Failed("no answer"))] * failed_before)
    fill = story.corrects(action="add", bucket="tp", **link(1), **select(GENE))
    assert story.cell.state == "corrected"
    assert story.cell.judge_figures is None
    story.does(Receive(proposal()))
    assert story.cell.state == "corrected"
    assert marks(story.cell.labels) == {"tp": [1]}
    assert story.cell.judge == proposal()
    story.does(Undo(fill.n))
    assert story.cell.state == "proposed"
    assert marks(story.cell.labels)["tp"] == [1, 2, 3]


def test_a_sign_off_over_hand_filled_labels_survives_a_late_reply_and_a_late_failure():
    story = Story()
    story.corrects(**FILL)
    story.does(SIGN)
    story.does(Receive(Failed("no answer")))
    story.does(Receive(proposal()))
    assert story.cell.state == "reviewed"


def test_a_hand_filled_cell_emptied_by_undo_is_pending_again():
    story = Story()
    fill = story.corrects(**FILL)
    story.does(Undo(fill.n))
    assert story.cell.state == "pending"
    assert story.cell.labels is None


# -- undo under later acts ------------------------------------------------------------------------


def test_an_undo_folds_once_and_reads_no_table_again():
    done = []

    class Counting(type(KIND)):
        def labels(self, *given):
            done.append("read")
            return super().labels(*given)

        def apply(self, *given):
            done.append("applied")
            return KIND.apply(*given)

    cell = fold(replace(judged().cell.subject, kind=Counting()), judged().cell.facts)
    for n in (2, 3):
        drop = decide(cell, Correct(cell.subject.kind.edit(DROP)))
        cell = evolve(cell, Fact(n, "", "ada", drop))
    assert done == ["read", "applied", "applied"]
    cell = evolve(cell, Fact(4, "", "ada", decide(cell, Undo(3))))
    assert done == ["read", "applied", "applied", "applied"]
    assert cell.edits == {2}


def test_undo_leaves_what_the_judge_sent_meanwhile():
    story = Story()
    note = story.does(Comment("hm"))
    story.does(Receive(proposal()))
    story.does(Undo(note.n))
    assert story.cell.state == "proposed"
    assert story.cell.comments == []


def test_one_reviewers_edit_can_be_undone_under_anothers_that_does_not_need_it():
    story = judged()
    mine = story.corrects("ada", action="drop", bucket="tp")
    story.corrects("bob", action="drop", bucket="fp")
    story.does(Undo(mine.n))
    assert marks(story.cell.labels) == {"tp": [1, 2, 3], "fn": [4], "tn": [-1, -2]}


def test_undo_is_refused_where_anothers_later_edit_would_miss_or_hit_another_item():
    story = judged()
    mine = story.corrects("ada", action="drop", bucket="tp", index=0)
    story.corrects("bob", action="drop", bucket="tp", index=0)
    assert marks(story.cell.labels)["tp"] == [3]
    assert "later correction depends" in refusal(story, Undo(mine.n))


def test_redo_is_refused_where_an_edit_made_since_would_hit_another_item():
    story = judged()
    mine = story.corrects("ada", action="drop", bucket="tp", index=0)
    story.does(Undo(mine.n))
    story.corrects("bob", action="move", bucket="tp", index=1, to="fn")
    assert "later correction depends" in refusal(story, Redo(mine.n))


def test_undo_is_refused_where_anothers_later_edit_is_about_the_item():
    story = Story()
    mine = story.corrects("ada", **FILL)
    story.corrects("bob", action="move", bucket="fn", to="tp", **select(GENE))
    assert "later correction depends" in refusal(story, Undo(mine.n))


def test_only_acts_that_stand_are_undone_and_only_undone_ones_redone():
    story = judged()
    assert "nothing to undo" in refusal(story, Undo(1))
    assert "nothing to undo" in refusal(story, Undo(99))
    flag = story.does(Flag(True))
    assert "nothing to redo" in refusal(story, Redo(flag.n))
    story.does(Undo(flag.n))
    assert "nothing to undo" in refusal(story, Undo(flag.n))
    assert "nothing to redo" in refusal(story, Redo(99))


# -- flag, comments, reasons ----------------------------------------------------------------------


def test_flag_and_comments_change_no_state():
    story = Story()
    story.does(Flag(True))
    comment = story.does(Comment("  odd "))
    assert story.cell.state == "pending"
    assert story.cell.flag
    assert story.cell.comments == [comment]
    assert comment.what == Commented("odd")
    off = story.does(Flag(False))
    assert not story.cell.flag
    story.does(Undo(off.n))
    assert story.cell.flag


def test_an_empty_comment_is_refused():
    assert "comment is empty" in refusal(Story(), Comment(" \n"))


def test_the_latest_reason_for_a_correction_stands():
    story = judged()
    edit = story.corrects(reason=" hasty ", **DROP)
    assert reason_of(story.cell, edit) == "hasty"
    story.does(Reason(edit.n, "repeated"))
    story.does(Reason(edit.n, "ambiguous "), "bob")
    assert reason_of(story.cell, edit) == "ambiguous"
    assert reason_of(story.cell, story.corrects(**DROP)) == ""
    assert "none with this number" in refusal(story, Reason(1, "x"))
    assert story.cell.corrections[0] == edit


def test_a_refused_correction_changes_nothing():
    story = judged()
    before = story.cell
    with pytest.raises(Refused):
        story.corrects(action="drop", bucket="tp", index=9)
    assert story.cell == before


# -- facts ----------------------------------------------------------------------------------------


def test_facts_survive_their_rows():
    story = judged()
    edit = story.corrects(reason="why", **DROP)
    story.does(Reason(edit.n, "x"))
    for command in (Flag(True), Comment("c"), SIGN, Undo(edit.n), Redo(edit.n)):
        story.does(command)
    for fact in story.cell.facts:
        assert from_row(*to_row(fact.what)) == fact.what
    assert from_row(*to_row(Failed("e", "raw", {"name": "gpt"}))) == Failed(
        "e",
        "raw",
        {"name": "gpt"},
    )
    assert not story.cell.facts[0].is_act
    assert edit.is_act
    assert from_row("flagged", {"on": True}) == Flagged(True)


# -- laws -----------------------------------------------------------------------------------------


@given(st.lists(commands, max_size=14))
def test_any_life_folds_to_what_it_evolved_to(life):
    cell = lived(Story(), life).cell
    assert fold(cell.subject, cell.facts) == cell
    assert cell.state in {"pending", "failed", "proposed", "corrected", "reviewed"}
    if not cell.hidden:
        assert (cell.labels is None) == (cell.state in {"pending", "failed"})


@given(st.lists(commands, max_size=10), commands)
def test_undo_takes_back_exactly_what_was_done_and_redo_does_it_again(life, command):
    story = lived(Story(), life)
    before = story.cell
    try:
        act = story.does(command)
    except Refused:
        return
    if not act.is_act:
        return
    done = story.cell
    story.does(Undo(act.n))
    assert seen(story) == (
        before.labels,
        before.state,
        before.flag,
        before.comments,
        before.signed,
    )
    story.does(Redo(act.n))
    assert seen(story) == (
        done.labels,
        done.state,
        done.flag,
        done.comments,
        done.signed,
    )


def seen(story: Story) -> tuple[object, ...]:
    cell = story.cell
    return (cell.labels, cell.state, cell.flag, cell.comments, cell.signed)


def test_the_worked_example_moved_on_by_a_person_measures_as_it_should():
    story = judged()
    story.corrects(action="move", bucket="fp", to="tn")
    figures = story.cell.figures
    assert figures.counts.items() >= {"tp": 3, "fn": 1, "fp": 0, "tn": 2}.items()
    figures = story.cell.judge_figures
    assert figures.counts.items() >= {"tp": 3, "fn": 1, "fp": 1, "tn": 1}.items()


EDIT, OTHER = Corrected({"times": 1}), Corrected({"times": 2})
SIGNED = SignedOff("x")


@pytest.mark.parametrize(
    ("before", "later", "counts"),
    [
        ([EDIT], [], True),
        ([EDIT, Undone(1)], [], True),
        ([EDIT], [Undone(1)], False),
        ([EDIT, Undone(1)], [Redone(1)], False),
        ([EDIT], [Undone(1), Redone(1)], True),
        ([EDIT], [OTHER], True),
        ([EDIT, OTHER], [Undone(2)], False),
        ([], [EDIT], True),
    ],
)
def test_a_sign_off_counts_only_over_exactly_the_edits_that_stood(
    before,
    later,
    counts,
):
    facts = [
        Fact(number, "", "ada", what)
        for number, what in enumerate([*before, SIGNED, *later], 1)
    ]
    gone = undone(tuple(facts))
    assert is_over_what_stands(tuple(facts[: len(before)]), gone) == counts


def test_an_example_for_a_judge_is_noted_and_stays_one():
    assert story_of(Receive(proposal()), Show("gpt")).cell.example


# -- replayed --------------------------------------------------------------------------------------


MOVE = {"action": "move", "bucket": "tp", "index": 0, "to": "fn"}


@given(st.lists(commands, max_size=14))
def test_the_steps_lead_from_what_was_proposed_to_what_stands(life):
    cell = lived(judged(), life).cell
    steps = replayed(cell)
    for one, other in pairwise(steps):
        assert one.after == other.before
    if cell.base is None:
        assert steps == []
        return
    assert [step.n for step in steps] == [
        step.n for step in cell.steps if step.n in cell.edits
    ]
    if steps:
        assert steps[-1].after == cell.labels


def test_what_was_filled_in_by_hand_led_from_nowhere():
    story = Story()
    story.corrects(action="add", bucket="fn", **link(1))
    assert replayed(story.cell) == []


def test_corrections_begin_at_the_labels_that_were_taken():
    story = story_of(Receive(panel()), Adopt(1, 1))
    story.corrects(**MOVE)
    (step,) = replayed(story.cell)
    assert marks(step.before) == {"tp": [1, 2, 4], "fn": [3], "tn": [-1, -2]}
    assert marks(step.after)["fn"] == [1, 3]


def test_a_correction_is_told_as_it_was_carried_over_and_not_where_it_was_not():
    story = judged()
    story.corrects(action="move", bucket="tp", index=1, to="fn")
    lost = story.corrects(action="move", bucket="fp", index=0, to="tn")
    story.does(Receive(other_proposal(round=2)))
    assert lost.n not in story.cell.edits  # the second judge says so itself
    (step,) = replayed(story.cell)
    assert marks(step.before)["tp"] == [1, 2, 4]
    assert marks(step.after)["tp"] == [1, 4]


def test_a_reason_is_that_of_the_correction_or_of_the_act_that_it_is_part_of():
    story = judged()
    first = story.corrects("ada", "only named", **MOVE)
    part = Fact(first.n + 1, "", "ada", Corrected({}, "", ""), part_of=first.n)
    cell = replace(story.cell, facts=(*story.cell.facts, part))
    assert reason_for(cell, first.n) == "only named"
    assert reason_for(cell, part.n) == "only named"
    assert reason_for(cell, 99) == ""


def test_the_latest_reason_is_that_of_a_correction_in_force_which_has_one():
    def is_of_tp(edit):
        return edit.bucket == "tp"

    story = judged()
    story.corrects("ada", "hasty", **DROP)
    story.corrects("ada", "", **DROP)
    story.corrects("ada", "of no such item", action="drop", bucket="fp", index=0)
    assert latest_reason(story.cell, is_of_tp) == "hasty"
    later = story.corrects("ada", "repeated", **DROP)
    assert latest_reason(story.cell, is_of_tp) == "repeated"
    story.does(Undo(later.n))
    assert latest_reason(story.cell, is_of_tp) == "hasty"
    assert latest_reason(judged().cell, is_of_tp) == ""


def test_an_act_that_breaks_off_has_changed_nothing():
    def requests():
        yield Flag(True)
        raise OSError("gone")

    cell = judged().cell
    act = Act(lambda _: (cell.subject.trace, cell), "ada", 1, "")
    with pytest.raises(OSError, match="gone"):
        act.do(1, requests())
    assert (act.cells, act.turned, act.last_n) == ({}, [], 1)
