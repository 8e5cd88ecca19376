"""What the judges of two audits say otherwise, and how much of a moved number is the judge's."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.deciding import Draw
from appellate.numbers.judge_shifts import (
    ShiftCount,
    TraitDrift,
    drift_texts,
    judge_shifts,
    shift_lines,
    shifts_table,
    shifts_texts,
)
from appellate.stats.estimates import Interval
from appellate.store.audits.any_audit import WorkspaceAudit
from cells import bench, other_proposal, proposal, trace


def judged(folder, *what, **more):
    """An audit of as many traces, judged so; None leaves a cell unjudged."""
    folder.mkdir()
    with bench(folder, *(trace(f"t{n}", **more) for n in range(len(what)))) as at:
        for number, one in enumerate(what, 1):
            if one is not None:
                at.receive(number, one)
        yield at


@pytest.fixture
def two(tmp_path):
    """Two audits of ten traces: the second judge says something else of the first two."""
    first = judged(tmp_path / "a", *[proposal()] * 10)
    second = judged(tmp_path / "b", *[other_proposal()] * 2, *[proposal()] * 7, None)
    one, other = next(first), next(second)
    yield one, other
    for audit in (first, second):
        next(audit, None)


def shifts_of(one, other):
    return judge_shifts(
        WorkspaceAudit(one.workspace.db),
        WorkspaceAudit(other.workspace.db),
    )


def test_each_answer_that_differs_is_a_shift_on_the_same_text(two):
    found = shifts_of(*two)
    assert (found.same.cells, found.other.cells, found.unpaired) == (9, 0, 1)
    assert {shift.trace[0] for shift in found.shifts} == {"t0", "t1"}
    assert all(
        shift.before != shift.after and shift.same_text for shift in found.shifts
    )
    assert found.same.turned == len(found.shifts)
    assert found.names == (["gpt"], ["other", "gpt"])
    head, turned, left = shifts_texts(found)
    assert head == "other, gpt beside gpt, on the same cells:"
    assert turned.startswith(f"On the same texts {found.same.turned} of ")
    assert left == "1 cell judged in one of the audits only."


def test_the_lines_name_cell_instruction_and_both_answers(two):
    found = shifts_of(*two)
    first = next(shift_lines(found.shifts))
    shift = found.shifts[0]
    assert (
        first == f"t0 · Accuracy: {shift.before} → {shift.after}: {shift.instruction}"
    )
    assert list(shift_lines(found.shifts * 30))[-1].endswith(
        "more (--json has them all)",
    )


def test_programs_get_every_shift_and_the_drift(two):
    found = shifts_of(*two)
    table = json.loads(json.dumps(shifts_table(found)))
    assert table["format"] == "appellate-judge-shifts/1"
    assert len(table["shifts"]) == len(found.shifts)
    assert (
        table["same_texts"]["share"]["value"] == found.same.turned / found.same.answers
    )
    (drift,) = table["drift"]
    assert drift["n"] == 9
    assert drift["moved"] == drift["by_judge"]
    assert drift["by_other_texts"]["value"] == 0


def test_a_hidden_judge_and_another_trait_are_not_compared(two):
    one, other = two
    one.do(1, Draw(True))
    found = shifts_of(one, other)
    assert found.hidden == 1
    assert "t0" not in {shift.trace[0] for shift in found.shifts}
    assert any("the judge is hidden there" in text for text in shifts_texts(found))


def test_a_cell_that_is_hidden_in_both_audits_is_left_out_once(two):
    for audit in two:
        audit.do(1, Draw(True))
    assert shifts_of(*two).hidden == 1


def test_a_cell_that_is_hidden_in_one_audit_is_not_called_judged_in_one_only(two):
    one, other = two
    one.do(1, Draw(True))
    assert (
        shifts_of(one, other).unpaired == 1
    )  # the last, which the second did not judge


def test_a_cell_that_neither_judged_is_not_called_judged_in_one_only(tmp_path):
    one = judged(tmp_path / "a", proposal(), None)
    other = judged(tmp_path / "b", proposal(), None)
    found = shifts_of(next(one), next(other))
    assert (found.same.cells, found.unpaired) == (1, 0)
    assert "only" not in " ".join(shifts_texts(found))


def test_a_cell_that_one_audit_lacks_counts_only_if_it_was_judged(tmp_path):
    one = judged(tmp_path / "a", proposal(), proposal(), None)
    other = judged(tmp_path / "b", proposal())
    assert shifts_of(next(one), next(other)).unpaired == 1


def test_drift_on_the_same_texts_is_the_judges(two):
    moved, same = drift_texts(shifts_of(*two))
    assert moved.startswith("Accuracy: the judge's mean f1 went from ")
    assert same.startswith("On the same texts, so by the judge alone: ")


@pytest.mark.parametrize(
    ("second", "told"),
    [(proposal, "the same in every cell"), (other_proposal, "+0.11 in every cell")],
)
def test_a_number_that_moved_alike_in_every_cell_is_not_called_the_same(
    tmp_path,
    second,
    told,
):
    one = judged(tmp_path / "a", *[proposal()] * 9)
    other = judged(tmp_path / "b", *[second()] * 9)
    moved, same = drift_texts(shifts_of(next(one), next(other)))
    assert moved.endswith(f" ({told}), on 9 cells.")
    assert same == f"On the same texts, so by the judge alone: {told}."


def test_where_no_text_is_the_same_the_judges_drift_is_not_told(tmp_path):
    first = judged(tmp_path / "a", *[proposal()] * 9)
    second = judged(
        tmp_path / "b",
        *[proposal()] * 9,
        response="Another answer altogether.",
    )
    found = shifts_of(next(first), next(second))
    assert (found.same.cells, found.other.cells) == (0, 9)
    assert list(drift_texts(found))[-1].startswith("No text is the same in both")


def test_where_no_cell_was_judged_in_both_nothing_is_said_of_their_texts(tmp_path):
    first = judged(tmp_path / "a", *[proposal()] * 9)
    second = judged(tmp_path / "b", *[None] * 9)
    assert list(drift_texts(shifts_of(next(first), next(second)))) == []


values = st.floats(0, 1)


@given(
    st.lists(st.tuples(values, values, st.booleans(), st.integers(0, 20)), min_size=1),
)
def test_the_parts_of_a_drift_add_up(cells):
    drift = TraitDrift("X", "f1")
    for before, after, is_same, cluster in cells:
        drift.before.append(before)
        drift.after.append(after)
        drift.same_text.append(is_same)
        drift.clusters.append(cluster)
    whole = drift.moved()
    if len({cluster for *_, cluster in cells}) < 8:
        assert whole is None
        return
    parts = [drift.moved(same_text=is_same) for is_same in (True, False)]
    assert whole.value == pytest.approx(sum(part.value for part in parts))
    assert whole.low <= whole.value <= whole.high


def test_a_share_has_an_interval_from_eight_traces_on():
    count = ShiftCount()
    for cluster in range(7):
        count.add(cluster, 1, 4)
    assert count.share is None
    count.add(7, 0, 0)
    assert (count.share, count.cells) == (None, 8)
    count.add(7, 0, 4)
    assert isinstance(count.share, Interval)
    assert count.share.low < 7 / 32 < count.share.high


@pytest.mark.parametrize("other", [{"reference": "Another."}, {"question": "Another?"}])
def test_the_same_response_read_with_something_else_is_not_the_judge_alone(
    tmp_path,
    other,
):
    first = judged(tmp_path / "a", *[proposal()] * 9)
    second = judged(tmp_path / "b", *[proposal()] * 9, **other)
    found = shifts_of(next(first), next(second))
    assert (found.same.cells, found.other.cells) == (0, 9)
