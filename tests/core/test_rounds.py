"""Judging again: signed-off labels stay, elsewhere the new proposal comes in with the corrections that still fit."""

import pytest

from appellate.core.cell import proposals, proposed_labels
from appellate.core.deciding import Adopt, Draw, Receive, Redo, Undo, decide
from appellate.core.describe import describe, describe_loss
from appellate.core.facts import (
    Adopted,
    Fact,
    Failed,
    Redone,
    Undone,
    Undrawn,
    from_row,
    to_row,
)
from appellate.core.problem import Refused
from appellate.traits.metric import KIND
from cells import (
    CANCER,
    EXPECTED,
    GENE,
    PLACE,
    SIGN,
    SURVIVE,
    TRACE,
    Story,
    judged,
    link,
    marks,
    matrix,
    other_proposal,
    panel,
    proposal,
    select,
    story_of,
)


def again(story: Story, number: int = 2) -> Fact:
    return story.does(Receive(other_proposal(round=number)))


# -- another round --------------------------------------------------------------------------------


def test_an_uncorrected_cell_takes_the_new_proposal_and_keeps_the_old_one_beside_it():
    story = judged()
    again(story)
    assert story.cell.state == "proposed"
    assert marks(story.cell.labels) == {"tp": [1, 2, 4], "fn": [3], "tn": [-1, -2]}
    assert [fact.what.judge["name"] for fact in proposals(story.cell)] == [
        "gpt",
        "other",
    ]
    assert (story.cell.round, story.cell.judge.judge["name"]) == (2, "other")


def test_who_took_back_a_changed_trait_took_back_what_was_said_under_it():
    story = judged()
    story.does(Draw(blind=False))
    story = story.revised(matrix(tp_instructions=EXPECTED[:2]))
    said = again(story)
    story.happens(Undrawn(2), by="carol")
    story.happens(Undone(3), by="bob")
    assert describe_loss(story.cell, said) == "undone by bob"
    story.happens(Redone(3), by="bob")
    assert describe_loss(story.cell, said) == ""


def test_a_judgment_of_a_round_that_is_over_never_replaces_a_later_one():
    story = judged()
    again(story)
    for late in (proposal(), other_proposal(round=2), Failed("late", "", {"round": 2})):
        with pytest.raises(Refused, match="never replaces"):
            decide(story.cell, Receive(late))


def test_corrections_carry_over_where_instruction_and_excerpt_are_the_same():
    story = judged()
    # GENE, instruction 1
    dropped = story.corrects(action="move", bucket="tp", index=0, to="fn")
    again(story)
    assert marks(story.cell.labels) == {"tp": [2, 4], "fn": [1, 3], "tn": [-1, -2]}
    assert story.cell.edits == {dropped.n}
    assert (story.cell.state, story.cell.orphaned) == ("corrected", ())


def test_a_correction_whose_item_is_gone_is_listed_and_comes_back_with_it():
    story = judged()
    lost = story.corrects(
        action="reword",
        bucket="tp",
        index=2,
        text="important in cancer",
    )
    again(story)
    assert (story.cell.edits, story.cell.orphaned) == (frozenset(), (lost.n,))
    assert story.cell.state == "proposed"
    story.does(Receive(proposal(round=3)))
    assert (story.cell.edits, story.cell.orphaned) == ({lost.n}, ())
    assert "important in cancer" in [item.text for item in story.cell.labels.tp]


def test_a_correction_that_the_new_judge_agrees_with_has_nothing_left_to_do():
    story = judged()
    # CANCER, instruction 3
    story.corrects(action="move", bucket="tp", index=2, to="fn")
    again(story)
    assert (story.cell.edits, story.cell.orphaned, story.cell.state) == (
        frozenset(),
        (),
        "proposed",
    )
    story.does(Receive(proposal(round=3)))
    assert story.cell.state == "corrected"
    assert 3 in marks(story.cell.labels)["fn"]


def test_a_drop_is_agreed_with_only_where_nothing_else_answers_the_instruction():
    story = judged()
    story.corrects(action="drop", bucket="tp", index=2)
    again(story)
    assert story.cell.orphaned == ()
    other = judged()
    gone = other.corrects(action="drop", bucket="fp", index=0)
    table = dict(proposal().table)
    table["fp"] = ["chromosome 1"]
    table["items"] = [row for row in table["items"] if row["bucket"] != "fp"]
    table["items"] += [
        {"bucket": "fp", "index": 0, **link(-1), **select("chromosome 1")},
    ]
    other.does(Receive(proposal(round=2).__class__(table, {"name": "x", "round": 2})))
    assert other.cell.orphaned == (gone.n,)


def test_additions_carry_over_unless_they_stand_there_already():
    story = judged()
    added = story.corrects(action="add", bucket="tp", **link(4), **select(PLACE))
    another = story.corrects(action="add", bucket="fp", **select("cancer"))
    again(story)
    assert story.cell.edits == {another.n}, (
        f"{added.n} stands in the new proposal already"
    )
    assert [item.text for item in story.cell.labels.fp] == ["cancer"]
    assert story.cell.orphaned == ()


def test_signed_off_labels_stay_and_the_new_proposal_waits_beside_them():
    story = judged()
    story.corrects(action="drop", bucket="tp", index=0)
    before = story.cell.labels
    signed = story.does(SIGN)
    new = again(story)
    assert (story.cell.state, story.cell.labels, story.cell.signed) == (
        "reviewed",
        before,
        signed,
    )
    assert story.cell.judge_figures != story.cell.figures
    story.does(Adopt(new.n))
    assert marks(story.cell.labels) == {"tp": [1, 2, 4], "fn": [3], "tn": [-1, -2]}
    assert story.cell.state == "corrected"
    story.does(Undo(story.cell.facts[-1].n))
    assert (story.cell.state, story.cell.labels) == ("reviewed", before)


def test_taking_a_sign_off_back_lets_the_new_proposal_in():
    story = judged()
    signed = story.does(SIGN)
    again(story)
    story.does(Undo(signed.n))
    assert story.cell.state == "proposed"
    assert marks(story.cell.labels)["tp"] == [1, 2, 4]


def test_a_sign_off_never_comes_to_stand_over_labels_that_another_act_brings_in():
    story = judged()
    first = story.does(SIGN, "ada")
    again(story)
    story.corrects("bob", action="move", bucket="tp", index=0, to="fn")
    story.does(SIGN, "bob")
    with pytest.raises(Refused, match="those that bob signed off"):
        decide(story.cell, Undo(first.n))
    other = judged()
    first = other.does(SIGN, "ada")
    other.does(Undo(first.n), "ada")
    again(other)
    second = other.does(SIGN, "bob")
    with pytest.raises(Refused, match="those that bob signed off"):
        decide(other.cell, Redo(first.n))
    other.does(Undo(second.n), "bob")
    other.does(Redo(first.n), "ada")
    assert marks(other.cell.labels)["tp"] == [1, 2, 3]


def test_labels_filled_in_by_hand_are_left_alone_by_every_round():
    story = Story()
    story.corrects(action="add", bucket="fn", **link(1))
    mine = story.cell.labels
    story.does(Receive(proposal()))
    again(story)
    assert story.cell.labels == mine
    assert [fact.what.judge["name"] for fact in proposals(story.cell)] == [
        "gpt",
        "other",
    ]


def test_a_failure_of_a_later_round_leaves_what_there_is():
    story = judged()
    before = story.cell.labels
    story.does(Receive(Failed("no answer", "", {"name": "other", "round": 2})))
    assert (story.cell.state, story.cell.labels) == ("proposed", before)
    assert story.cell.error == Failed("no answer", "", {"name": "other", "round": 2})
    again(story)
    assert story.cell.error is None


def test_undoing_a_carried_correction_takes_it_out_of_the_new_labels():
    story = judged()
    moved = story.corrects(action="move", bucket="tp", index=0, to="fn")
    again(story)
    story.does(Undo(moved.n))
    assert (story.cell.state, marks(story.cell.labels)["tp"]) == ("proposed", [1, 2, 4])


# -- panels ---------------------------------------------------------------------------------------


def test_a_members_labels_can_be_adopted_and_given_back():
    story = story_of(Receive(panel()))
    adopted = story.does(Adopt(1, 1))
    assert marks(story.cell.labels) == {"tp": [1, 2, 4], "fn": [3], "tn": [-1, -2]}
    assert (story.cell.state, adopted.is_act) == ("corrected", True)
    story.corrects(action="drop", bucket="tp", index=2)
    with pytest.raises(Refused, match="later correction depends"):
        story.does(Undo(adopted.n))
    assert from_row(*to_row(adopted.what)) == adopted.what == Adopted(1, 1)


@pytest.mark.parametrize(
    ("of", "member", "why"),
    [
        (1, 2, "gave no labels"),
        (1, 9, "gave no labels"),
        (7, None, "no such proposal"),
        (1, 0, "these labels already"),
    ],
)
def test_labels_that_nobody_gave_cannot_be_adopted(of, member, why):
    with pytest.raises(Refused, match=why):
        story_of(Receive(panel()), Adopt(of, member))


def test_an_adoption_that_a_later_round_replaces_is_listed():
    story = story_of(Receive(panel()))
    adopted = story.does(Adopt(1, 1))
    assert describe(story.cell, adopted) == "took the labels of other, round 1"
    story.does(Receive(proposal(round=2)))
    assert (story.cell.edits, story.cell.orphaned) == (frozenset(), (adopted.n,))
    assert describe_loss(story.cell, adopted) == "does not fit a later proposal"
    story.does(Receive(proposal(round=3)))
    assert story.cell.orphaned == (adopted.n,)
    story.does(Undo(adopted.n))
    assert story.cell.orphaned == ()


# -- a changed trait ------------------------------------------------------------------------------


def test_a_changed_trait_makes_the_cell_pending_and_keeps_all_that_was_done():
    story = judged()
    story.corrects(action="move", bucket="tp", index=0, to="fn")
    story.does(SIGN)
    cell = story.revised(matrix(tp_instructions=["Says more", *EXPECTED])).cell
    assert (cell.state, cell.labels, cell.judge, cell.signed) == (
        "pending",
        None,
        None,
        None,
    )
    assert len(cell.rounds) == 1
    assert len(cell.corrections) == 1
    assert cell.outdated


def test_corrections_find_their_instruction_by_its_words_in_the_changed_trait():
    story = judged()
    moved = story.corrects(action="move", bucket="tp", index=0, to="fn")
    gone = story.corrects(action="relink", bucket="tp", index=0, **link(3))
    new = matrix(tp_instructions=["Says more", EXPECTED[0], EXPECTED[1], EXPECTED[3]])
    after = story.revised(new)
    table = {
        "tp": [GENE, SURVIVE],
        "fn": ["Says more", EXPECTED[3]],
        "fp": [],
        "tn": [],
    }
    rows = [
        {"bucket": "tp", "index": 0, "instruction": 2},
        {"bucket": "tp", "index": 1, "instruction": 3},
    ]
    located = KIND.locate(new, TRACE, table | {"items": rows})
    after.does(Receive(proposal().__class__(located, {"name": "gpt"})))
    assert marks(after.cell.labels) == {"tp": [3], "fn": [1, 2, 4]}
    assert (after.cell.edits, after.cell.orphaned) == ({moved.n}, (gone.n,))


def test_a_proposal_about_an_earlier_trait_can_be_seen_and_not_adopted():
    after = judged().revised(matrix(tp_instructions=EXPECTED[:2]))
    after.does(Receive(Failed("no answer")))
    assert after.cell.state == "failed"
    with pytest.raises(Refused, match="earlier version"):
        proposed_labels(after.cell, 1)


def test_an_undone_correction_of_an_earlier_trait_does_not_carry_over():
    story = judged()
    moved = story.corrects(action="move", bucket="tp", index=0, to="fn")
    after = story.revised(matrix(tp_instructions=EXPECTED, description="Closer"))
    after.does(Undo(moved.n))
    after.does(Receive(proposal()))
    assert (after.cell.state, marks(after.cell.labels)["tp"]) == ("proposed", [1, 2, 3])
    assert CANCER in [item.text for item in after.cell.labels.tp]
