"""What counts of a sample: the units audited one after the other in draw order, and no others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.kind import CANNOT_TELL_COUNT, Figures, Measure, Ratio
from appellate.numbers.estimates import (
    AuditUnit,
    EstimatedTrait,
    UnitCell,
    audited_part,
    judge_pair,
    worth,
)
from appellate.stats.estimates import Pair
from appellate.traits.metric import KIND
from appellate.traits.metric.spec import BUCKETS, METRICS, Counts, value
from cells import matrix

OF_COUNTS = KIND.measures(matrix(metrics=list(METRICS)))
F1 = next(one for one in OF_COUNTS if one.name == "f1")
SCORE = Measure("score", "Score", 1, 5)


def counted(tp, fp=0, fn=0, tn=0):
    counts = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    return Figures({}, frozenset(), counts)


def scored(number):
    known = frozenset() if number is not None else frozenset({"score"})
    return Figures({"score": number or 0.0}, known, {})


def cell(judge, person=None, trait="facts", group=""):
    judges = judge if isinstance(judge, list) else [judge]
    return UnitCell(trait, group, judges, person)


def unit(*cells, place=None, stratum=0):
    found = AuditUnit(stratum, place)
    for one in cells:
        found.cells.setdefault(one.trait, []).append(one)
    return found


def audited(place, **more):
    return unit(cell(counted(1), counted(1)), place=place, **more)


def drawn(place, **more):
    return unit(cell(counted(1)), place=place, **more)


@pytest.mark.parametrize("measure", OF_COUNTS, ids=lambda one: one.name)
@given(numbers=st.tuples(*[st.integers(0, 20)] * 4))
def test_the_two_parts_of_a_number_of_counts_are_the_number(measure, numbers):
    figures = Figures({}, frozenset(), dict(zip(BUCKETS, numbers, strict=True)))
    above, below = measure.parts(figures)
    assert (below > 0) == (value(measure.name, Counts(*numbers)) is not None)
    if below:
        assert above / below == pytest.approx(value(measure.name, Counts(*numbers)))


def test_an_item_in_both_parts_adds_1_to_both_so_that_the_guard_of_estimates_fits():
    for measure in OF_COUNTS:
        assert isinstance(measure.ratio, Ratio)
        assert set(measure.ratio.above.values()) == {1}
        assert all(measure.ratio.below[name] == 1 for name in measure.ratio.above)


def test_a_value_counts_once_and_what_is_0_by_0_not_at_all():
    assert SCORE.parts(scored(4)) == (4, 1)
    assert SCORE.parts(scored(None)) == (0, 0)
    assert SCORE.parts(counted(3)) == (0, 0)


def test_a_panel_says_the_mean_of_its_members_and_nobody_nothing():
    panel = cell([counted(3, 1), counted(1, 1), counted(2)])
    assert judge_pair(F1, [panel]) == Pair(2, pytest.approx((3.5 + 1.5 + 2) / 3))
    assert judge_pair(SCORE, [cell([scored(4), scored(None)])]) == Pair(2, 0.5)
    assert judge_pair(F1, [cell([])]) == Pair(0, 0)


def test_the_cells_of_a_unit_add_up():
    cells = [cell(counted(1)), cell(counted(2, 2))]
    assert judge_pair(F1, cells) == Pair(3, 4)


CHOSEN = (EstimatedTrait("facts", KIND, OF_COUNTS, ["facts"]), F1)
BOTH = EstimatedTrait("", KIND, OF_COUNTS, ["facts", "style"])


def test_units_count_up_to_the_first_that_was_passed_over():
    units = [drawn(2), audited(0), audited(3), audited(1), drawn(4), drawn(None)]
    part = audited_part(units, *CHOSEN)
    assert (part.n, part.drawn, part.frame) == (2, 5, 6)
    assert (part.passed, part.later) == (3, 1)
    assert [one.unit for one in part.strata[0].audited] == [0, 1]


def test_nothing_was_passed_over_where_the_rest_is_still_to_be_done():
    part = audited_part([audited(0), drawn(1), drawn(2)], *CHOSEN)
    assert (part.n, part.passed, part.later) == (1, None, 0)
    part = audited_part([audited(0), audited(1)], *CHOSEN)
    assert (part.n, part.passed, part.later) == (2, None, 0)


def test_a_look_sees_exactly_the_first_units_of_the_draw():
    units = [audited(place) for place in (3, 1, 0, 2)]
    part = audited_part(units, *CHOSEN, first=2)
    assert [one.unit for one in part.strata[0].audited] == [0, 1]
    assert part.n == 2


def test_a_unit_is_audited_once_all_its_cells_of_the_number_are():
    both = unit(cell(counted(1), counted(1)), cell(counted(1), trait="style"), place=0)
    assert audited_part([both], *CHOSEN).n == 1
    assert audited_part([both], BOTH, F1).n == 0


def test_units_without_such_a_cell_belong_to_another_frame():
    other = unit(cell(counted(1), counted(1), trait="style"), place=0)
    part = audited_part([other, audited(1), drawn(None)], *CHOSEN)
    assert (part.n, part.drawn, part.frame) == (1, 1, 2)


def test_a_group_has_its_own_units_and_what_was_passed_over_in_another_does_not_matter():
    of_gpt = unit(cell(counted(1), counted(1), group="gpt"), place=1)
    part = audited_part([drawn(0), of_gpt], *CHOSEN, "gpt")
    assert (part.n, part.frame) == (1, 1)


def test_strata_have_their_own_units_and_those_without_an_audit_are_there():
    units = [audited(0, stratum=1), drawn(None, stratum=0), drawn(None, stratum=1)]
    part = audited_part(units, *CHOSEN)
    assert [(len(one.judge), len(one.audited)) for one in part.strata] == [
        (1, 0),
        (2, 1),
    ]


def test_cells_that_nobody_judged_are_counted():
    assert audited_part([unit(cell([])), drawn(0)], *CHOSEN).unjudged == 1


FIRST_WRONG = Measure("first_wrong", "First wrong", 1, 9)


def without_wrong_step(cannot_tell):
    return Figures(
        {"first_wrong": 0.0},
        frozenset({"first_wrong"}),
        {CANNOT_TELL_COUNT: 1},
        cannot_tell=cannot_tell,
    )


@pytest.mark.parametrize(
    ("cannot_tell", "wanting"),
    [
        ({"first_wrong"}, "people could not tell in any of what was audited"),
        (set(), "first_wrong is 0/0 in what was audited"),
    ],
)
def test_nobody_could_tell_only_where_that_is_why_there_is_no_number(
    cannot_tell,
    wanting,
):
    ruled = without_wrong_step(frozenset(cannot_tell))
    units = [unit(cell(ruled, ruled), place=place) for place in range(30)]
    trait = EstimatedTrait("facts", KIND, (FIRST_WRONG,), ("facts",))
    assert worth(units, trait, FIRST_WRONG).wanting == wanting
