"""How wide intervals will be, before anybody audited: by what the judge says of all that can be drawn."""

from math import sqrt

import pytest

from appellate.core.deciding import Show
from appellate.core.facts import Proposed
from appellate.store.samples.sample_plans import (
    ExpectedWidth,
    expected_of,
    expected_widths,
    read_frame,
    unit_sizes,
)
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.llm import KIND
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Question, Rubric
from cells import EXPECTED, bench, checklist, trace
from sampled import is_judged_there, sampled
from two_kinds import signed_off

SAFE = LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?")
CLEAR = LLMRubricTrait(
    name="Clear",
    kind="score",
    description="Is it clear?",
    max_score=10,
)
SECONDS = CallableRubricTrait(name="Seconds", kind="score", callable="c:seconds")
BELOW_ZERO = CallableRubricTrait(
    name="Below zero",
    kind="score",
    callable="c:below_zero",
    max_score=-5,
)


def said(trait, *values):
    """What a judge says of a cell, or a panel of several."""
    tables = [KIND.locate(trait, trace(), {"value": value}) for value in values]
    record = {"name": "gpt"}
    if len(tables) > 1:
        record["members"] = [
            {"name": f"gpt-{no}", **one} for no, one in enumerate(tables)
        ]
    return Proposed(tables[0], record)


def widths_of(folder, trait, *judged, **more):
    """What is expected under one trait, of as many traces as there are judgments; None for a trace
    that nobody judged.
    """
    rubric = Rubric(name="Safety", llm_traits=[trait])
    traces = [trace(f"t{no}", **more) for no in range(len(judged))]
    with bench(folder, *traces, of=rubric) as at:
        for number, values in enumerate(judged, 1):
            if values is not None:
                at.receive(number, said(trait, *values))
        return expected_widths(at.workspace.path, read_frame(at.workspace.path).units)


def test_a_share_has_the_deviation_of_its_judge_on_all_traces(tmp_path):
    (found,) = widths_of(tmp_path, SAFE, *[[place < 3] for place in range(12)])
    assert (found.trait, found.measure, found.frame) == ("Safe", "yes", 12)
    assert found.deviation == pytest.approx(sqrt(0.25 * 0.75))
    assert found.guard == pytest.approx(1)


def test_a_score_is_guarded_by_how_far_its_scale_goes(tmp_path):
    (found,) = widths_of(tmp_path, CLEAR, [2], [4], [9])
    assert found.deviation == pytest.approx(sqrt(26 / 3))
    assert found.guard == CLEAR.max_score - CLEAR.min_score


def test_a_panel_counts_as_the_mean_of_its_members(tmp_path):
    (found,) = widths_of(tmp_path, CLEAR, [2, 4, 9], [5])
    assert found.deviation == 0
    (tmp_path / "apart").mkdir()
    (found,) = widths_of(tmp_path / "apart", CLEAR, [2, 4], [7])
    assert found.deviation == pytest.approx(2)


def test_the_traces_of_a_cluster_are_one_unit(tmp_path):
    (alone,) = widths_of(tmp_path, SAFE, [True], [False], [True], [False])
    (tmp_path / "two").mkdir()
    rubric = Rubric(name="Safety", llm_traits=[SAFE])
    traces = [trace(f"t{no}", cluster=f"c{no // 2}") for no in range(4)]
    with bench(tmp_path / "two", *traces, of=rubric) as at:
        for number in range(1, 5):
            at.receive(number, said(SAFE, number % 2 == 0))
        frame, (together,) = expected_of(at.workspace.path, None)
    assert (len(frame.units), together.frame) == (2, 2)
    assert (alone.deviation, together.deviation) == (pytest.approx(0.5), 0)
    assert together.guard == pytest.approx(alone.guard / 2)


def test_what_nobody_judged_has_no_expectation_and_traces_that_are_examples_do_not_count(
    tmp_path,
):
    assert widths_of(tmp_path, SAFE, None, None) == []
    (tmp_path / "shown").mkdir()
    rubric = Rubric(name="Safety", llm_traits=[SAFE])
    with bench(tmp_path / "shown", trace("t0"), trace("t1"), of=rubric) as at:
        for number, is_safe in (1, True), (2, False):
            at.receive(number, said(SAFE, is_safe))
            at.sign_off(number)
        at.do(1, Show("gpt"))
        _, (found,) = expected_of(at.workspace.path, None)
        assert (found.frame, found.deviation) == (1, 0)
        at.do(2, Show("gpt"))
        assert expected_of(at.workspace.path, None)[1] == []


@pytest.mark.parametrize(
    ("trait", "values"),
    [(SECONDS, (1, 2)), (BELOW_ZERO, (-6, -7))],
)
def test_a_number_without_both_bounds_has_no_guard(tmp_path, trait, values):
    rubric = Rubric(name="Speed", callable_traits=[trait])
    with bench(tmp_path, trace("t0"), trace("t1"), of=rubric) as at:
        for number, value in enumerate(values, 1):
            _, cell = at.open_unhidden(number)
            kind, about = cell.subject.kind, (cell.subject.trait, cell.subject.trace)
            at.receive(
                number,
                Proposed(kind.locate(*about, {"value": value}), {"name": "c"}),
            )
        _, (found,) = expected_of(at.workspace.path, None)
    assert (found.deviation, found.guard) == (0.5, 0)


def test_what_is_expected_of_a_sample_is_of_the_traces_it_was_drawn_from(tmp_path):
    with sampled(tmp_path, count=20, drawn=10) as at:
        at.workspace.add_all([trace(f"later{no}") for no in range(30)])
        sample = at.workspace.design.sample()
        frame, widths = expected_of(at.workspace.path, sample)
        assert len(read_frame(at.workspace.path).units) == 50
    assert len(frame.units) == 20
    of = {one.trait: one for one in widths}
    assert {one.frame for one in widths} == {20}
    judged = [is_judged_there(place) for place in range(20)]
    value = sum(judged) / 20
    assert of["Polite"].deviation == pytest.approx(sqrt(value * (1 - value)))
    assert of["Facts"].measure == "f1"
    audits = of["Polite"].audits(0.15)
    assert of["Polite"].half(audits) <= 0.15
    assert (
        of["Polite"].half(12, deviation_share=0.5)
        < of["Polite"].half(12)
        < of["Polite"].half(6)
    )


def test_a_wanted_width_takes_as_many_audits_as_give_it():
    width = ExpectedWidth("Safe", "yes", 0.3, 0.5, 1000)
    n = width.audits(0.04)
    assert width.half(n) <= 0.04 < width.half(n - 1)
    assert (
        width.audits(0.0),
        width._replace(deviation=0.0, guard=0.0).audits(10.0),
    ) == (1000, 2)


def test_traits_of_one_name_and_of_two_kinds_have_widths_of_their_own(tmp_path):
    with signed_off(tmp_path) as at:
        frame, widths = expected_of(at.workspace.path, None)
        (of_yes,) = expected_of(at.workspace.path, None, "yes")[1]
        sizes = unit_sizes(at.workspace.path, frame.units)
    assert [(each.trait, each.measure) for each in widths] == [
        ("Safe", "yes"),
        ("Safe", "f1"),
    ]
    assert [each.bets.frame for each in (*widths, of_yes)] == [10, 10, 10]
    assert sizes == [1.0] * 20


def test_a_trace_with_a_question_is_as_large_as_its_own_checklist(tmp_path):
    questions = []
    for name, instructions in (("long", EXPECTED), ("short", EXPECTED[:1])):
        facts = checklist(
            name="Facts",
            tp_instructions=instructions,
            metrics=["recall"],
        )
        questions.append(
            Question(id=name, question=f"The {name} one?", metric_traits=[facts]),
        )
    traces = [
        trace("t1", question="The long one?"),
        trace("t2", question="The short one?", question_id="short"),
        trace("t3", question_id="long"),
    ]
    with bench(tmp_path, *traces, of=Rubric(questions=questions)) as at:
        frame = read_frame(at.workspace.path)
        long, short, again = unit_sizes(at.workspace.path, frame.units)
    assert (long, again) == (len(EXPECTED) * short, long)
