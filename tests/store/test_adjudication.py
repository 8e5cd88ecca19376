"""A third audit out of two: what is settled, what is contested, and that nobody is told whose labels are whose."""

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.cell import evolve, fold, labels_of_side
from appellate.core.deciding import Adopt, Correct, Receive, decide
from appellate.core.facts import Adopted, Contested, Fact, Proposed, SignedOff
from appellate.core.kind import Subject
from appellate.core.problem import Refused, Unusable
from appellate.session.adjudicating import Adjudicating
from appellate.session.workbench import Workbench
from appellate.store.audits.adjudication import (
    begin,
    contested,
    is_joined_of,
    is_turned,
    joined_of,
    not_ruled,
    shared_design,
    side_of,
    whose,
)
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles
from appellate.store.audits.two_audits import beside
from appellate.traits.tally import KIND, Tally, TallyTrait
from cells import (
    Story,
    bench,
    check_totals,
    from_file_alone,
    link,
    marks,
    other_proposal,
    panel,
    proposal,
    sample_of,
)
from traits.test_kinds import EXAMPLES, every_kind, located, subjects
from two_reviewers import AT, BOTH_MISSED, MISSED, SEED, adjudicator, audited, two


def test_what_both_agree_on_comes_in_settled_and_signed_by_both(tmp_path):
    with adjudicator(
        tmp_path,
        {2: MISSED, 3: MISSED},
        {2: BOTH_MISSED, 3: MISSED},
    ) as at:
        rows = at.workspace.cells.rows(0, 3)
        assert [row.state for row in rows][::2] == ["reviewed", "reviewed"]
        _, settled = at.open(3)
        assert [f.by for f in settled.facts if isinstance(f.what, SignedOff)] == [
            "ada",
            "bo",
        ]
        assert [f.what.edit for f in settled.corrections] == MISSED
        assert contested(at.workspace) == [2]
        joined = joined_of(at.workspace)
        assert (joined.settled, joined.contested) == (2, 1)
        assert [(side["name"], side["file"]) for side in joined.sides] == [
            ("ada", "ada.audit.toml"),
            ("bo", "bo.audit.toml"),
        ]


def test_a_contested_cell_has_both_label_sets_the_hidden_judge_and_nobodys_name(
    tmp_path,
):
    with adjudicator(tmp_path, {1: MISSED}, {}) as at:
        _, cell = at.open(1)
        assert (cell.state, cell.labels, cell.judge) == ("pending", None, None)
        here = Adjudicating(at).cell(1)
        assert {side.word(here.questions[0]) for side in here.sides} == {
            "found",
            "missing",
        }
        assert "'ada'" not in repr(cell)
        assert "'bo'" not in repr(cell)
        assert whose(joined_of(at.workspace), cell) == ("", "")
        at.save()
        text = at.audit.read_text()
        about = text[text.index('id = "t1"') : text.index('id = "t2"')]
        assert '"ada"' not in about
        assert '"bo"' not in about
        _, real = at.open_unhidden(1)
        # the same for both, so it is the judge here, too
        assert isinstance(real.judge, Proposed)


def test_the_order_of_the_two_is_shuffled_by_the_seed_and_the_same_for_ever(tmp_path):
    with adjudicator(
        tmp_path,
        dict.fromkeys(range(1, 13), MISSED),
        {},
        cells=12,
        signed=12,
    ) as at:
        turned = [is_turned(7, at.open(n)[1]) for n in range(1, 13)]
        assert {True, False} == set(turned)
        assert turned == [is_turned(7, at.open(n)[1]) for n in range(1, 13)]
        assert turned != [is_turned(8, at.open(n)[1]) for n in range(1, 13)]


def test_the_third_audit_is_an_audit_that_goes_on_from_its_file_alone(tmp_path):
    with adjudicator(tmp_path, {1: MISSED, 2: MISSED}, {}) as at:
        adjudicating = Adjudicating(at)
        here = adjudicating.cell(1)
        here.pick(0)
        adjudicating.rule(here, "it is there", 3.0)
        with from_file_alone(at) as again:
            assert load_audit(at.audit).reviewers == ["ada", "bo", "cy"]
            assert [again.cells.row(n).state for n in (1, 3)] == [
                "reviewed",
                "reviewed",
            ]
            assert again.cells.row(2).state != "reviewed"
            assert joined_of(again).contested == 2


def test_sides_that_say_nothing_are_found_as_the_file_is_read(tmp_path):
    with adjudicator(tmp_path, {1: MISSED}, {}) as at:
        at.save()
        audit = at.audit
    text = audit.read_text()
    audit.write_text(text.replace("[traces.judgments.history.sides.table]", "[x]", 1))
    with pytest.raises(Unusable):
        load_audit(audit)


def test_the_judges_own_labels_cannot_be_adopted_before_the_ruling(tmp_path):
    with adjudicator(tmp_path, {1: MISSED}, {}) as at:
        _, cell = at.open_unhidden(1)
        with pytest.raises(Refused, match="hidden until you have ruled"):
            decide(cell, Adopt(cell.judged.n))
        assert decide(cell, Adopt(cell.contest.n, 1)) == Adopted(cell.contest.n, 1)
        with pytest.raises(Refused):
            decide(cell, Adopt(cell.contest.n, 2))


SAMPLED = sample_of("t2", "t1", blind=False)


def test_a_sample_that_both_audited_is_taken_over_with_all_that_it_was_drawn_from(
    tmp_path,
):
    paths = [
        audited(tmp_path, "ada", {1: MISSED}, signed=2, sampled=SAMPLED),
        audited(tmp_path, "bo", signed=2, sampled=SAMPLED),
    ]
    found = beside(*[(path, load_audit(path)) for path in paths])
    assert [fact.what for fact in shared_design(found)] == [SAMPLED]
    where = AuditFiles.of(tmp_path / "c.audit.toml")
    with begin(where, found, SEED, AT, "cy").workspace as workspace:
        assert workspace.design.drawn() == [2, 1]
        assert [workspace.cells.row(n).state for n in (2, 3)] == [
            "reviewed",
            "proposed",
        ]
        assert [bool(workspace.cell(n)[1].drawn) for n in (1, 2, 3)] == [
            True,
            True,
            False,
        ]
        at = Workbench(workspace, where.audit, "cy")
        adjudicating = Adjudicating(at)
        here = adjudicating.cell(1)
        here.pick(0)
        assert adjudicating.rule(here, "").after.drawn
        check_totals(workspace)
        at.save()
        text = where.audit.read_text()
    assert load_audit(where.audit).text() == text


def test_a_sample_of_one_alone_is_left_behind_with_what_was_not_compared(tmp_path):
    paths = [
        audited(tmp_path, "ada", {1: MISSED}, signed=2, sampled=SAMPLED),
        audited(tmp_path, "bo", signed=2),
    ]
    found = beside(*[(path, load_audit(path)) for path in paths])
    assert shared_design(found) == []
    with begin(
        AuditFiles.of(tmp_path / "c.audit.toml"),
        found,
        SEED,
        AT,
        "cy",
    ).workspace as made:
        assert made.traces.count() == 2
        assert made.design.sample() is None


@every_kind
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_the_labels_of_any_kind_can_be_put_beside_others(name, data):
    about = data.draw(subjects(name))
    table = data.draw(located(name, about.trait))
    cell = fold(about, [Fact(1, "", "gpt", Proposed(table, {"name": "gpt"}))])
    for n in range(2, data.draw(st.integers(2, 6))):
        edit = data.draw(EXAMPLES[name].edits(about.trait, cell.labels))
        with suppress(Refused):
            cell = fold(
                about,
                [*cell.facts, Fact(n, "", "ada", decide(cell, Correct(edit)))],
            )
    side = side_of(cell)
    assert labels_of_side(about, side) == cell.labels
    beside = fold(
        about,
        [Fact(1, "", "cy", Contested([side, side_of(fold(about, cell.facts[:1]))]))],
    )
    assert beside.hidden
    assert beside.labels is None


def test_whose_labels_stood_where_is_told_once_it_is_ruled(tmp_path):
    with adjudicator(
        tmp_path,
        dict.fromkeys(range(1, 7), MISSED),
        {},
        cells=6,
        signed=6,
    ) as at:
        joined = joined_of(at.workspace)
        assert str(joined) == (
            "made of the audits of ada (ada.audit.toml) and bo (bo.audit.toml): 0 cells agreed on,"
            " and so settled; 6 cells to rule on"
        )
        assert not_ruled(at.workspace) == [1, 2, 3, 4, 5, 6]
        adjudicating = Adjudicating(at)
        told = set()
        for number in range(1, 7):
            here = adjudicating.cell(number)
            here.pick(0)
            adjudicating.rule(here, "")
            _, cell = at.open_unhidden(number)
            told.add(whose(joined, cell))
            assert whose(joined, cell)[is_turned(SEED, cell)] == "ada"
        assert told == {("ada", "bo"), ("bo", "ada")}
        assert not_ruled(at.workspace) == []


def test_a_third_audit_is_known_by_the_two_it_was_made_of(tmp_path):
    made = two(tmp_path, {1: MISSED}, {})
    where = AuditFiles.of(tmp_path / "c.audit.toml")
    with begin(where, made, SEED, AT, "cy").workspace as workspace:
        joined = joined_of(workspace)
    assert is_joined_of(joined, made)
    turned = beside(*[(side.path, side.audit) for side in reversed(made.sides)])
    assert not is_joined_of(joined, turned)
    with bench(tmp_path) as plain:
        assert joined_of(plain.workspace) is None


# -- sides of cells --------------------------------------------------------------------------------


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
        story.cell.subject.trait,
        labels_of_side(story.cell.subject, side),
    )
    assert answers == story.cell.answers


def test_where_no_table_says_the_same_it_cannot_be_put_beside_others():
    subject = Subject(
        KIND,
        TallyTrait(name="Genes", word="gene"),
        Story().cell.subject.trace,
    )
    cell = fold(subject, [Fact(1, "", "gpt", Proposed({"times": 2}, {"name": "gpt"}))])
    with pytest.raises(Refused, match="labels of Genes cannot be put beside others"):
        side_of(replace(cell, labels=Tally(None)))
