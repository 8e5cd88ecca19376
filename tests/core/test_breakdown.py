"""A trait over its cells and by groups, cell by cell; what it comes to from a file is in `store` and `report`."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate import aggregate, reduce_epochs
from appellate.core.breakdown import BreakdownSums
from appellate.core.cell import fold
from appellate.core.facts import Corrected, Fact, Proposed, SignedOff
from appellate.core.kind import Subject
from appellate.core.totals import SIDES, answer_counts, answer_stats, pooled, summary
from appellate.stats.aggregates import is_scored
from appellate.traits.llm import KIND
from appellate.traits.llm.spec import LLMRubricTrait
from cells import trace

SCORE = LLMRubricTrait(
    name="Score",
    kind="score",
    min_score=0,
    max_score=9,
    description="How good?",
)
SAFE = LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?")
ROWS = st.lists(
    st.tuples(
        st.sampled_from("abc"),  # id
        st.sampled_from(["", "x", "y"]),  # cluster
        st.integers(0, 9),  # the judge's value
        st.none() | st.integers(0, 9),  # the person's
        st.booleans(),  # signed off
    ),
    min_size=1,
    max_size=12,
)


def cell(of, trait, judge=None, person=None, signed=False):
    """A cell judged, perhaps corrected, perhaps signed off."""
    facts = []
    if judge is not None:
        facts.append(Fact(1, "", "gpt", Proposed({"value": judge}, {"name": "gpt"})))
    if person is not None and person != judge:
        before = "" if judge is None else trait.describe(judge)
        row = {"action": "set", "value": person}
        facts.append(Fact(2, "", "ada", Corrected(row, before, trait.describe(person))))
    if signed and facts:
        facts.append(Fact(3, "", "ada", SignedOff(trait.sha256())))
    return fold(Subject(KIND, trait, of), facts)


def lived(rows):
    """A trace and its cell for each row; the epochs of an id count up."""
    found, seen = [], {}
    for name, cluster, judge, person, signed in rows:
        seen[name] = seen.get(name, 0) + 1
        one = trace(name, epoch=seen[name], cluster=cluster or None)
        found.append((one, cell(one, SCORE, judge, person, signed)))
    return found


def of(cells, by="", reducers=("mean",), words=lambda one: ()):
    sums = BreakdownSums(KIND, by, reducers)
    for one, its in cells:
        sums.add(its, words(one))
    return sums.breakdown()


@given(ROWS)
def test_every_figure_is_what_a_recount_and_the_formulas_give(rows):
    cells = lived(rows)
    found = of(cells)
    totals = pooled(its for _, its in cells)
    (measure,) = found.measures
    for side in SIDES:
        figures = found.whole.sides["score"][side]
        told = summary(totals, side, measure)
        assert [told[key] for key in told] == [getattr(figures, key) for key in told]
        values = [value for value, _ in values_of(cells, side)]
        clusters = [by for _, by in values_of(cells, side)]
        assert figures.clusters == len(set(clusters))
        assert (figures.std is None) == (not values)
        assert figures.std is None or figures.std == pytest.approx(
            aggregate("std", values),
        )
        if len(set(clusters)) > 1 or len(values) == 1:
            assert figures.stderr == pytest.approx(
                aggregate("stderr", values, clusters),
            )
        else:
            assert figures.stderr is None
    counted = sum(
        (answer_counts(its) for _, its in cells),
        start=answer_counts(cells[0][1]) - answer_counts(cells[0][1]),
    )
    assert sorted(one.stats for one in found.instructions) == sorted(
        answer_stats(counted),
    )


def values_of(cells, side):
    """The values of a side, each with what it belongs to."""
    found = []
    for one, its in cells:
        signed = its.signed is not None
        figures = its.figures if side in ("signed", "standing") else its.judge_figures
        if figures and (signed or side in ("standing", "judge_all")):
            found.append((figures.values["score"], one.cluster or f"trace {one.id}"))
    return found


@given(ROWS)
def test_groups_share_the_cells_out_among_them(rows):
    cells = lived(rows)
    found = of(cells, "cluster", words=lambda one: filter(None, [one.cluster]))
    assert [group.name for group in found.groups] == sorted(
        {one.cluster or "" for one, _ in cells},
        key=lambda name: (not name, name),
    )
    for count in ("cells", "signed", "traces", "overruled"):
        assert sum(getattr(group, count) for group in found.groups) == getattr(
            found.whole,
            count,
        )
    assert sum(group.agreement.n for group in found.groups) == found.whole.agreement.n
    for group in found.groups:
        alone = of([one for one in cells if (one[0].cluster or "") == group.name])
        assert alone.whole.sides == group.sides


@pytest.mark.parametrize(
    "reducer",
    ["mean", "median", "mode", "max", "majority", "at_least_2", "pass_at_2"],
)
def test_epochs_are_reduced_and_then_measured(reducer):
    values = {"a": [1, 0, 1], "b": [0, 0, 1], "c": [1, 1, 1], "d": [0]}
    clusters = {"a": "x", "b": "x", "c": "y", "d": None}
    cells = []
    for name, own in values.items():
        for epoch, value in enumerate(own, 1):
            one = trace(name, epoch=epoch, cluster=clusters[name])
            cells.append((one, cell(one, SAFE, bool(value))))
    (reduced,) = of(cells, reducers=[reducer]).epochs
    figures = reduced.sides["yes"]["standing"]
    expected = {name: reduce_epochs(reducer, own) for name, own in values.items()}
    scored = {name: value for name, value in expected.items() if is_scored(value)}
    assert (figures.n, figures.unscored, figures.micro) == (
        len(scored),
        4 - len(scored),
        None,
    )
    assert figures.macro == pytest.approx(aggregate("mean", list(scored.values())))
    by = [clusters[name] or name for name in scored]
    assert figures.stderr == pytest.approx(
        aggregate("stderr", list(scored.values()), by),
    )


def test_without_a_second_epoch_nothing_is_reduced():
    one, other = trace("a"), trace("b")
    assert (
        of([(one, cell(one, SAFE, True)), (other, cell(other, SAFE, True))]).epochs
        == ()
    )


def test_the_same_id_of_two_models_is_no_second_epoch():
    one, other = trace("a", model="m"), trace("a", epoch=2, model="n")
    found = of([(one, cell(one, SAFE, True)), (other, cell(other, SAFE, False))])
    assert found.epochs == ()
    assert found.whole.sides["yes"]["standing"].clusters == 1


def test_the_judge_stands_beside_the_person_on_the_cells_signed_off_alone():
    cells = []
    for number in range(30):
        one = trace(str(number))
        person = number % 3 != 0
        cells.append((one, cell(one, SAFE, True, person, signed=number < 24)))
    found = of(cells)
    agreement = found.whole.agreement
    assert dict(agreement.counts) == {("yes", "yes"): 16, ("yes", "no"): 8}
    assert agreement.words == ("yes", "no")
    assert (agreement.rates.sensitivity, agreement.rates.precision) == (1, 16 / 24)
    (only,) = found.instructions
    assert only.agreement == agreement
    assert (only.stats.instruction, only.stats.overruled, only.stats.cells) == (
        "Is it safe?",
        10,
        30,
    )
    signed = found.whole.sides["yes"]["signed"]
    assert signed.stderr == pytest.approx(sqrt(16 / 24 * 8 / 23 / 24))


def test_groups_stand_by_number_then_by_name_and_what_says_nothing_last():
    cells = [
        (one := trace(name), cell(one, SAFE, True))
        for name in ("10", "b", "9", "nan", "A", "")[:5]
    ]
    cells.append((one := trace("none"), cell(one, SAFE, True)))
    found = of(cells, "name", words=lambda one: [one.id] if one.id != "none" else [])
    assert [group.name for group in found.groups] == ["9", "10", "A", "b", "nan", ""]


def test_a_reducer_that_counts_may_say_from_which_value_on():
    cells = lived(
        [
            ("a", "", 3, None, False),
            ("a", "", 5, None, False),
            ("b", "", 4, None, False),
        ],
    )
    found = of(
        cells,
        reducers=["at_least_1>=4", "pass_at_1>=4", "at_least_1>=4.5", "pass_at_2>=.5"],
    )
    means = [one.sides["score"]["standing"].macro for one in found.epochs]
    assert means == [1, 0.75, 0.5, 1]


def test_what_is_no_reducer_is_refused_before_any_cell():
    for wrong in ("best", "mean>=2", "pass_at_2>=x"):
        with pytest.raises(ValueError, match="not a reducer"):
            BreakdownSums(KIND, reducers=[wrong])
