"""Ruling on contested cells: all of one side, row by row, or labels of one's own; locked once names are told."""

import pytest

from appellate.core.cell import reason_of
from appellate.core.deciding import Correct, Rule
from appellate.core.facts import Adopted, Corrected, SignedOff
from appellate.core.problem import Refused
from appellate.session.adjudicating import Adjudicating
from appellate.store.audits.adjudication import is_turned
from appellate.traits.metric.edits import Edit
from cells import EXPECTED, check_totals
from two_reviewers import BOTH_MISSED, MISSED, adjudicator

DROP = Correct(
    Edit.from_row({"action": "move", "bucket": "fp", "index": 0, "to": "tn"}),
)


def side_that_says(here, word, at=0):
    return next(
        side for side in (0, 1) if here.sides[side].word(here.questions[at]) == word
    )


def test_all_of_one_side_is_taken_with_a_reason_and_locked_as_one_act(tmp_path):
    with adjudicator(tmp_path, {1: BOTH_MISSED}, {}) as at:
        adjudicating = Adjudicating(at)
        here = adjudicating.cell(1)
        assert [one.text for one in here.questions] == EXPECTED[:2]
        assert here.question_count == 6
        with pytest.raises(Refused, match="Pick first"):
            adjudicating.rule(here, "")
        here.pick(side_that_says(here, "missing"))
        change = adjudicating.rule(here, "the words are not there", 4.0)
        assert change.after.answers[here.questions[0]] == "missing"
        adopted = [
            fact for fact in change.after.facts if isinstance(fact.what, Adopted)
        ]
        assert reason_of(change.after, adopted[0]) == "the words are not there"
        assert (
            adjudicating.describe_sided(change.after) == "You sided with ada on all 2."
        )
        assert adjudicating.names(change.after)[is_turned(7, change.after)] == "ada"
        assert adjudicating.unruled_nos == []
        assert not change.after.ruled_blind  # both had the judge in sight
        with pytest.raises(Refused, match="locked"):
            at.undo()


def test_one_row_may_hold_of_one_and_the_next_of_the_other_with_the_words_it_takes(
    tmp_path,
):
    with adjudicator(tmp_path, {1: BOTH_MISSED}, {}) as at:
        adjudicating = Adjudicating(at)
        here = adjudicating.cell(1)
        one, two = here.questions
        found = side_that_says(here, "found")
        here.pick(found, one)
        with pytest.raises(Refused, match="Some rows have no pick"):
            adjudicating.rule(here, "")
        here.pick(1 - found, two)
        after = adjudicating.rule(here, "one each").after
        assert (after.answers[one], after.answers[two]) == ("found", "missing")
        assert adjudicating.describe_sided(after) in (
            "You sided with ada on 1, with bo on 1.",
            "You sided with bo on 1, with ada on 1.",
        )
        assert adjudicating.tally() in (
            "You sided with ada on 1, with bo on 1.",
            "You sided with bo on 1, with ada on 1.",
        )
        (corrected,) = [
            fact for fact in after.facts if isinstance(fact.what, Corrected)
        ]
        assert reason_of(after, corrected) == "one each"


def test_labels_of_ones_own_are_made_in_the_cell_and_ruled_there_or_here(tmp_path):
    with adjudicator(tmp_path, {1: MISSED, 2: MISSED}, {}) as at:
        adjudicating = Adjudicating(at)
        here = adjudicating.cell(1)
        adjudicating.fill_in_picks(here)
        assert at.open(1)[1].labels is None
        here.pick(0)
        adjudicating.fill_in_picks(here)
        at.do(1, DROP)
        after = adjudicating.rule(adjudicating.cell(1), "").after
        assert "present" not in after.answers.values()
        assert adjudicating.next(1) == 2
        other = adjudicating.cell(2)
        other.pick(1)
        adjudicating.fill_in_picks(other)
        assert at.sign_off(2).after.ruled
        judged = at.workspace.column(
            "SELECT judged_by FROM cells WHERE trait = 'Accuracy'",
        )
        assert judged == ['["gpt"]'] * 3  # no longer hidden
        check_totals(at.workspace)
        assert Adjudicating(at).next(2) is None


def test_what_was_begun_in_the_cell_gives_way_to_a_pick(tmp_path):
    with adjudicator(tmp_path, {1: MISSED}, {}) as at:
        adjudicating = Adjudicating(at)
        here = adjudicating.cell(1)
        here.pick(0)
        adjudicating.fill_in_picks(here)
        at.undo()
        here = adjudicating.cell(1)
        assert here.cell.labels is None
        here.pick(1)
        adjudicating.fill_in_picks(here)
        after = adjudicating.rule(here, "not").after
        assert after.labels == here.sides[1].labels


def test_a_ruling_over_what_was_changed_since_is_signed_off_again(tmp_path):
    with adjudicator(tmp_path, {1: MISSED}, {}) as at:
        here = Adjudicating(at).cell(1)
        here.pick(0)

        def ruled(act):
            here.apply_picks(act, "")
            act.do(1, [Rule("abc", None, "0" * 64)])

        at.do_together(ruled)
        adjudicating = Adjudicating(at)
        here = adjudicating.cell(1)
        assert (adjudicating.unruled_nos, here.cell.hidden, here.cell.state) == (
            [1],
            False,
            "corrected",
        )
        assert here.verdict(here.questions[0]).startswith("now ")
        assert adjudicating.tally() == ""
        after = adjudicating.rule(here, "").after
        assert isinstance(after.signed.what, SignedOff)
        assert adjudicating.describe_sided(after).startswith("You sided with ")
        assert adjudicating.unruled_nos == []
        check_totals(at.workspace)
