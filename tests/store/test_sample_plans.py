"""What a draw takes from an audit, and how far it is worked through."""

from collections import Counter

import pytest

from appellate.core.deciding import Show
from appellate.core.problem import Refused
from appellate.session.workbench import Workbench
from appellate.store.samples.sample_plans import (
    PlannedDraw,
    SampleWish,
    plan,
    read_frame,
    setting,
)
from appellate.store.samples.sampling import next_cell, progress
from cells import bench, from_file_alone, panel, proposal, trace

MODELS = ("gpt-4o", "llama", "gpt-4o", "gpt-4o")


def traces(count: int = 20, **more):
    """Traces of two models, three to one."""
    return [trace(f"t{no}", model=MODELS[no % 4], **more) for no in range(count)]


@pytest.fixture
def review(tmp_path):
    with bench(tmp_path, *traces()) as review:
        yield review


def planned(review: Workbench, n: int, **more) -> PlannedDraw:
    sample = review.workspace.design.sample()
    return plan(review.workspace.path, SampleWish(n, **more), sample)


def drawn(review: Workbench) -> list[int]:
    return review.workspace.design.drawn()


def test_sixty_and_forty_more_are_the_same_as_a_hundred(review, tmp_path):
    at_once = planned(review, 10).traces
    review.draw(planned(review, 6).what)
    more = planned(review, 4)
    review.draw(more.what)
    assert drawn(review) == list(at_once)
    assert more.after == 10
    sample = review.workspace.design.sample()
    assert (sample.last.frame, len(sample), sample.last.frame_strata) == (20, 10, "20a")


def test_strata_by_model_have_each_its_share_and_keep_it_when_more_is_drawn(review):
    review.draw(planned(review, 8, by=("model",), seed=3).what)
    review.draw(planned(review, 8).what)
    sample = review.workspace.design.sample()
    assert [(one.name, one.units, one.drawn) for one in sample.strata] == [
        ("gpt-4o", 15, 12),
        ("llama", 5, 4),
    ]
    assert sample.last.seed == 3
    assert Counter(unit.stratum for unit in sample.units[:4]) == {0: 3, 1: 1}


def test_traces_that_a_judge_was_shown_stay_out(review):
    review.receive(1, proposal())
    review.sign_off(1)
    review.do(1, Show("gpt"))
    found = planned(review, 19)
    assert 1 not in found.traces
    assert found.what.frame_strata == "-19a"
    assert (
        found.describe()[0] == "1 trace stays out: a judge was shown them as examples."
    )
    with pytest.raises(Refused, match="20 are more than the 19"):
        planned(review, 20)


def test_traces_that_come_later_stay_out_of_what_is_added(review):
    review.draw(planned(review, 6).what)
    review.workspace.add_all(traces(25)[20:])
    assert len(read_frame(review.workspace.path).units) == 25
    assert planned(review, 14).what.frame == 20
    with pytest.raises(Refused, match="21 are more than the 20"):
        planned(review, 15)


def test_the_traces_of_a_cluster_come_in_together(tmp_path):
    with bench(
        tmp_path,
        *(trace(f"t{no}", cluster=f"c{no // 2}") for no in range(8)),
    ) as review:
        found = planned(review, 2)
        assert found.what.frame == 4
        assert len(found.traces) == 4
        assert {(no - 1) // 2 for no in found.traces[:2]} == {
            (found.traces[0] - 1) // 2,
        }
        review.draw(found.what)
        assert review.workspace.design.place(found.traces[3]) == (2, 2)


def test_what_was_signed_off_before_is_told_to_be_ruled_on_anew(review):
    for number in range(1, 21):
        review.receive(number, proposal())
    review.sign_off(1)
    found = planned(review, 20)
    assert found.signed == 1
    assert (
        "1 trace was signed off before: to be ruled on anew, blind."
        in found.describe()[0]
    )
    assert planned(review, 20, blind=False).describe() == []


def test_a_panel_is_needed_to_go_by_disagreement(review):
    with pytest.raises(Refused, match="No panel judged these traces"):
        planned(review, 10, by=("disagreement",))
    assert setting(review.workspace.path) == (20, ["model"], 0)


def test_most_is_drawn_where_the_panel_disagrees(tmp_path):
    with bench(tmp_path, *traces(60)) as review:
        for number in range(1, 61):
            alike = proposal(members=panel().judge["members"][:1] * 2)
            review.receive(number, panel() if number <= 12 else alike)
        assert "disagreement" in setting(review.workspace.path).groupings
        by_thirds = planned(review, 20, by=("disagreement",)).what
        assert [
            (one["name"], one["units"], one["drawn"]) for one in by_thirds.strata
        ] == [
            ("little disagreement", 48, 8),
            ("most disagreement", 12, 12),
        ]


def test_how_far_a_sample_is(review):
    for number in range(1, 21):
        review.receive(number, proposal())
    review.draw(planned(review, 3, blind=False).what)
    first, second, third = drawn(review)
    assert progress(review.workspace.path, 1) == ([0], f"t{first - 1}", 0, True)
    assert next_cell(review.workspace.path) == first
    review.sign_off(first)
    review.sign_off(third)
    assert progress(review.workspace.path, 1) == ([2], f"t{second - 1}", 0, False)
    review.sign_off(second)
    assert progress(review.workspace.path, 1) == ([3], "", 0, False)
    assert next_cell(review.workspace.path) is None


def test_an_audit_file_alone_is_added_to_as_if_nothing_had_happened(review):
    review.draw(planned(review, 8, by=("model",)).what)
    more = planned(review, 6).what
    with from_file_alone(review) as again:
        assert plan(again.path, SampleWish(6), again.design.sample()).what == more


def test_the_cell_to_go_to_is_the_first_of_the_draw_that_does_not_count_yet(review):
    assert next_cell(review.workspace.path) is None
    review.draw(planned(review, 2).what)
    assert (
        review.workspace.cells.trace_of(next_cell(review.workspace.path))
        == drawn(review)[0]
    )
