"""A sample is taken back as a whole: rows, sums, file and undo are as they would be without it."""

import json

import pytest

from appellate.core.deciding import Flag
from appellate.core.design_facts import LooksPlanned, Sampled, Withdrawn, withdrawn_text
from appellate.core.problem import Refused, Unusable
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import resume
from appellate.store.samples.sample_plans import SampleWish, plan
from appellate.store.samples.sampling import progress
from appellate.store.workspace import Workspace
from cells import (
    MOVED,
    SIGN,
    all_totals,
    bench,
    check_totals,
    corrects,
    everything,
    from_file_alone,
    link,
    panel,
    place,
    proposal,
    rules,
    trace,
)
from killing import Deed, stands

ADDED = corrects({"action": "add", "bucket": "fn", **link(1)})
COLUMNS = (
    "state, flag, breaches, unverified, figures, sampled, judge, judged_by,"
    " disagreement, overruled, standing, headline, goodness, round, hasty, outdated"
)


def drew(at: Workbench, n: int, *, seed: int = 1, blind: bool = True) -> list[int]:
    """The traces of a sample of so many, drawn."""
    there = at.workspace.design.sample()
    at.draw(plan(at.workspace.path, SampleWish(n, seed, blind=blind), there).what)
    return at.workspace.design.drawn()


def rows(at: Workbench) -> list:
    selection = f"SELECT {COLUMNS} FROM cells ORDER BY no"  # noqa: S608
    told = at.workspace.db.execute(selection).fetchall()
    given = at.workspace.db.execute(
        "SELECT * FROM given ORDER BY cell, question",
    ).fetchall()
    return [
        told,
        given,
        at.workspace.db.execute("SELECT * FROM measured ORDER BY cell").fetchall(),
    ]


def totals(at: Workbench) -> dict:
    return all_totals(at.workspace)


@pytest.fixture
def review(tmp_path):
    with bench(tmp_path, *map(trace, "abc")) as review:
        for number in (1, 2, 3):
            review.receive(number, panel())
        review.do(2, MOVED)
        review.do(1, MOVED)
        review.do(1, SIGN)
        yield review


@pytest.mark.parametrize("blind", [True, False])
def test_every_row_and_sum_is_as_before_the_draw_and_another_sample_can_be_drawn(
    review,
    blind,
):
    before, counted = rows(review), totals(review)
    drew(review, 2, blind=blind)
    drew(review, 1, blind=blind)
    review.record(LooksPlanned("", "f1>=.8", [2], 0.05))
    assert progress(review.workspace.path, 1).may_go
    review.withdraw()
    assert (rows(review), totals(review)) == (before, counted)
    check_totals(review.workspace)
    design = review.workspace.design
    assert (design.sample(), design.drawn(), design.place(1)) == (None, [], None)
    first, *_, gone = design.facts()
    assert isinstance(first.what, Sampled)
    assert (gone.n, gone.by) == (review.workspace.facts.last_n(), "ada")
    assert gone.what == Withdrawn(3, 0)
    with pytest.raises(Refused, match="no sample to withdraw"):
        review.withdraw()
    drawn = drew(review, 2, seed=7)
    assert design.sample().last.seed == 7
    assert [design.place(no).unit for no in drawn] == [1, 2]
    told = list(withdrawn_text(design.facts()))
    assert len(told) == 1
    assert "before any verdict (ada 2" in told[0]
    assert f"3 of 3, seed 1, {'blind' if blind else 'sighted'})." in told[0]


def test_what_was_begun_blind_is_counted_and_no_undo_brings_it_back(review):
    blind = next(seed for seed in range(9) if _first(review, seed) == 1)
    assert drew(review, 1, seed=blind) == [1]

    def both(act):
        act.do(1, [ADDED])
        act.do(3, [MOVED])

    review.do_together(both)
    review.do(1, Flag(True))
    assert progress(review.workspace.path, 1).begun == 1
    review.withdraw()
    assert review.workspace.design.facts()[-1].what == Withdrawn(1, 1)
    assert [change.no for change in review.undo()] == [1]  # the flag
    assert [change.no for change in review.undo()] == [3]
    assert [change.no for change in review.redo()] == [3]
    assert review.workspace.cell(1)[1].state == "reviewed"
    check_totals(review.workspace)


def _first(review, seed: int) -> int:
    """The trace that a sample of one would hold."""
    return plan(review.workspace.path, SampleWish(1, seed)).traces[0]


def test_a_verdict_anywhere_keeps_the_whole_sample(review):
    last = drew(review, 3)[-1]
    rules(review, last)
    before = everything(review.workspace)
    assert not progress(review.workspace.path, 1).may_go
    with pytest.raises(Refused, match="already ruled on or signed off"):
        review.withdraw()
    assert everything(review.workspace) == before
    assert len(review.workspace.design.drawn()) == 3


def test_an_earlier_sign_off_is_no_verdict_of_a_sample_in_sight(review):
    drew(review, 3, blind=False)
    assert review.workspace.cell(1)[1].state == "reviewed"
    review.withdraw()
    assert review.workspace.cell(1)[1].state == "reviewed"


def test_the_audit_file_alone_brings_back_that_it_was_withdrawn(review):
    drew(review, 3)
    review.do(2, ADDED)
    review.withdraw()
    drew(review, 1, seed=7)
    with from_file_alone(review) as again:
        assert len(again.design.drawn()) == 1
        assert len(list(withdrawn_text(again.design.facts()))) == 1
    text = review.audit.read_text()
    assert text.count('act = "undrawn"') == 3
    assert 'act = "withdrawn"' in text


@pytest.mark.parametrize(
    ("was", "becomes", "why"),
    [
        (
            "units = 3\nbegun",
            "units = 2\nbegun",
            "it withdrew 2 units, and 3 were drawn",
        ),
        ('act = "withdrawn"', 'act = "withdrawal"', "withdrawal"),
        ('act = "undrawn"\nof = ', 'act = "undrawn"\nof = 100', "no draw 100"),
    ],
)
def test_a_withdrawal_that_cannot_be_is_refused_with_its_place(
    review,
    was,
    becomes,
    why,
):
    drew(review, 3)
    review.withdraw()
    review.save()
    text = review.audit.read_text()
    assert was in text
    review.audit.write_text(text.replace(was, becomes, 1))
    with pytest.raises(Unusable) as unusable:
        load_audit(review.audit)
    assert why in str(unusable.value)


def test_who_only_reads_withdraws_nothing_and_sees_what_another_process_withdrew(
    review,
):
    drew(review, 2)
    with Workspace(review.workspace.path, readonly=True) as reader:
        reading = Workbench(reader, review.audit, "bob")
        with pytest.raises(Refused, match="only reads"):
            reading.withdraw()
        review.withdraw()
        assert (reader.design.sample(), reader.design.place(1)) == (None, None)
        assert reading.open(2)[1].hidden is False


# -- killed in the middle -------------------------------------------------------------------------


def drawn_in(folder):
    with bench(folder, trace("a"), trace("b")) as at:
        at.receive(1, proposal())
        drew(at, 2)
        at.do(1, ADDED)


def withdraw_in(folder):
    again = resume(place(folder))
    with again.workspace as workspace:
        Workbench(workspace, place(folder).audit, "ada").withdraw()


def found_in(folder):
    with resume(place(folder)).workspace as workspace:
        hidden = [workspace.cell(number)[1].hidden for number in (1, 2)]
        names = [type(fact.what).__name__ for fact in workspace.design.facts()]
        return [hidden, len(workspace.design.drawn()), names]


DEEDS = {"withdraw": Deed(drawn_in, withdraw_in, found_in)}


@pytest.mark.slow
def test_killed_at_any_step_the_sample_stands_whole_or_is_gone_whole(tmp_path):
    told = {json.dumps(one) for one in stands(__file__, "withdraw", tmp_path)}
    assert told == {
        json.dumps([[True, True], 2, ["Sampled"]]),
        json.dumps([[False, False], 0, ["Sampled", "Withdrawn"]]),
    }
