"""A sample that rules on the largest clusters whole and leaves the others to chance."""

import json
from collections import Counter
from contextlib import contextmanager
from random import Random

import pytest
from msgspec.structs import replace

from appellate.cli import main
from appellate.core.design_facts import sample_of
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.numbers.bars import gate
from appellate.numbers.exact import (
    ANY_LOOK,
    IntervalRule,
    NotExact,
    OpenUnit,
    betting_audit,
)
from appellate.numbers.planning import planned
from appellate.numbers.samples import sample_at, sample_in, sample_numbers
from appellate.stats.betting import Audit, RuledUnit, UnitPrior
from appellate.stats.estimates import Pair
from appellate.stats.look_plans import LookPlan
from appellate.stats.looks import read_bar
from appellate.store.audits.audit import load_audit
from appellate.store.samples.design_faults import design_faults
from appellate.store.samples.sample_plans import (
    STANDING_OUT,
    SampleWish,
    expected_of,
    plan,
    read_frame,
    setting,
    unit_sizes,
)
from cells import bench, place
from sampled import RESPONSE, RUBRIC, judged, number_of, rule_on

GIANTS, TRACES_OF_GIANT, SMALL = 3, 12, 57
"""How many clusters of many traces there are, of how many, and how many traces alone."""
TRACES = GIANTS * TRACES_OF_GIANT + SMALL
FRAME = GIANTS + SMALL


@contextmanager
def heavy(folder):
    """An audit in which three clusters have many traces each, and 57 traces are alone."""
    traces = []
    for number in range(TRACES):
        cluster = None
        if number < GIANTS * TRACES_OF_GIANT:
            cluster = f"book {number // TRACES_OF_GIANT}"
        traces.append(Trace(id=f"t{number}", response=RESPONSE, cluster=cluster))
    with bench(folder, *traces, of=RUBRIC) as at:
        at.receive_many(
            (number_of(at.workspace, number, name), said)
            for number in range(TRACES)
            for name, said in zip(("Facts", "Polite"), judged(number), strict=True)
        )
        yield at


def draw(at, n=24, giants=STANDING_OUT, **more):
    planned = plan(at.workspace.path, SampleWish(n, giants=giants, **more))
    at.draw(planned.what)
    return planned


def add(at, n):
    at.draw(plan(at.workspace.path, SampleWish(n), at.workspace.design.sample()).what)


def rule_units(at, until, since=0):
    """Rule on every trace of some units of the draw."""
    sample = at.workspace.design.sample()
    for unit in sample.units[since:until]:
        for trace_id, _ in unit.traces:
            rule_on(at, int(trace_id.removeprefix("t")))


def polite(numbers):
    return next(worth for worth in numbers.worths if worth.trait.name == "Polite")


# -- the draw --------------------------------------------------------------------------------------


def test_the_largest_come_first_and_whole_and_the_others_are_left_to_chance(tmp_path):
    with heavy(tmp_path) as at:
        assert setting(at.workspace.path).standing_out == GIANTS
        sizes = unit_sizes(at.workspace.path, read_frame(at.workspace.path).units)
        assert sizes[:GIANTS] == pytest.approx([12 * 60 / 93] * GIANTS)
        draw(at)
        sample = at.workspace.design.sample()
    assert [(one.name, one.units, one.drawn) for one in sample.strata] == [
        ("largest", 3, 3),
        ("others", 57, 21),
    ]
    assert [unit.stratum for unit in sample.units] == [0] * 3 + [1] * 21
    assert sample.describe == (
        "the largest whole, and of the others a simple random sample: 24 of 60, seed 1, blind"
    )
    assert sample.is_unequal


def test_what_is_added_comes_from_the_others_as_if_drawn_at_once(tmp_path):
    with heavy(tmp_path) as at:
        at_once = plan(at.workspace.path, SampleWish(34, giants=3)).what.drawn
        draw(at)
        add(at, 10)
        sample = at.workspace.design.sample()
        assert [stratum.drawn for stratum in sample.strata] == [3, 31]
        names = sorted(str(unit["traces"]) for unit in at_once)
        facts = at.workspace.design.facts()
        assert (
            sorted(str(row["traces"]) for fact in facts for row in fact.what.drawn)
            == names
        )
        assert sample_at(at.workspace.path).faults == []
        at.save()
    assert sample_in(load_audit(tmp_path / "x.audit.toml")).faults == []


def test_a_simple_draw_says_that_a_few_would_carry_it(tmp_path):
    with heavy(tmp_path) as at:
        (*_, said) = plan(at.workspace.path, SampleWish(24)).describe()
        assert said.startswith("3 clusters have many more items than most")
        assert "--giants" in said
        assert not any(
            "--giants" in text
            for text in plan(at.workspace.path, SampleWish(24, giants=0)).describe()
        )


def test_no_more_than_a_third_is_taken_whole_unless_somebody_says_so(tmp_path):
    with heavy(tmp_path) as at:
        assert (
            plan(at.workspace.path, SampleWish(6, giants=0)).what.strata[0]["drawn"]
            == 2
        )
        assert (
            plan(at.workspace.path, SampleWish(6, giants=5)).what.strata[0]["drawn"]
            == 5
        )
        with pytest.raises(Refused, match="leaves none of 6 to chance"):
            plan(at.workspace.path, SampleWish(6, giants=6))


def test_where_none_stands_out_none_is_taken_whole_without_a_number(tmp_path):
    traces = [Trace(id=f"t{number}", response=RESPONSE) for number in range(20)]
    with bench(tmp_path, *traces, of=RUBRIC) as at:
        assert setting(at.workspace.path).standing_out == 0
        with pytest.raises(Refused, match="should not be left to chance"):
            plan(at.workspace.path, SampleWish(9, giants=0))


def test_a_trait_that_only_a_few_traces_have_makes_none_of_them_large(tmp_path):
    traces = [Trace(id=f"t{number}", response=RESPONSE) for number in range(20)]
    with bench(tmp_path, *traces, of=RUBRIC) as at:
        at.workspace.db.execute(
            "DELETE FROM cells WHERE trait = 'Polite' AND trace > 2",
        )
        units = read_frame(at.workspace.path).units
        assert set(unit_sizes(at.workspace.path, units)) == {1.0}


# -- what a file may say ---------------------------------------------------------------------------


def faults(at, **changed):
    (fact,) = at.workspace.design.facts()
    altered = replace(fact, what=replace(fact.what, **changed))
    traces = [(f"t{number}", 1) for number in range(TRACES)]
    return [why for _, why in design_faults([altered], traces)]


def test_a_file_in_which_not_all_of_the_largest_are_drawn_is_refused(tmp_path):
    with heavy(tmp_path) as at:
        draw(at)
        strata = at.workspace.design.facts()[0].what.strata
        assert faults(at) == []
        assert faults(at, strata=[{**strata[0], "drawn": 2}, strata[1]]) == [
            "of the 3 largest it drew 2, where all are drawn",
        ]
        assert "has two strata" in faults(at, strata=strata[:1])[0]
        assert "has two strata" in faults(at, strata_by=["model"])[0]


def test_another_order_or_seed_is_not_what_was_drawn(tmp_path):
    with heavy(tmp_path) as at:
        draw(at)
        audit = sample_at(at.workspace.path)
        at.save()
    assert audit.faults == []
    file = tmp_path / "x.audit.toml"
    text = file.read_text("utf-8")
    assert "\nseed = 1\n" in text
    file.write_text(text.replace("\nseed = 1\n", "\nseed = 2\n"), "utf-8")
    assert "where seed 2 draws" in sample_in(load_audit(file)).faults[0]


# -- the numbers -----------------------------------------------------------------------------------


def test_there_is_no_number_until_the_largest_and_one_more_are_ruled_on(tmp_path):
    with heavy(tmp_path) as at:
        draw(at)
        rule_units(at, 2)
        worth = polite(sample_numbers(sample_at(at.workspace.path)))
        assert worth.interval is None
        assert (
            worth.wanting
            == "1 of the largest, which are ruled first, are not ruled yet"
        )
        rule_units(at, 3, 2)
        worth = polite(sample_numbers(sample_at(at.workspace.path)))
        assert worth.wanting == "none of those that chance chose has a ruling yet"
        rule_units(at, 4, 3)
        assert polite(sample_numbers(sample_at(at.workspace.path))).is_by_betting


def test_what_is_known_of_the_largest_narrows_the_interval_of_all_and_it_holds(
    tmp_path,
):
    with heavy(tmp_path) as at:
        draw(at)
        rule_units(at, 24)
        audit = sample_at(at.workspace.path)
        numbers = sample_numbers(audit)
        worth = polite(numbers)
        judged_numbers = {rate.measure.name: rate for rate in numbers.rates}
    truth = sum(number % 5 != 0 for number in range(TRACES)) / TRACES
    assert worth.interval.low < truth < worth.interval.high
    assert (worth.estimate.n, worth.estimate.frame, worth.estimate.whole) == (24, 60, 3)
    # 36 of 93 are known, so no value can be further off than what the others could be
    assert worth.interval.high - worth.interval.low < SMALL / TRACES
    assert worth.estimate.further(10) < worth.interval.half
    assert worth.estimate.further(36) == 0
    agreement = judged_numbers["judge.agreement"]
    assert agreement.is_by_betting
    alike = sum(
        (number % 5 != 0) == (number % 5 != 0 or number % 3 == 0)
        for number in range(TRACES)
    )
    assert agreement.interval.low < alike / TRACES < agreement.interval.high
    tested = gate(audit, read_bar("Polite:yes>=0.1"))
    assert tested.evidence["reached"].is_enough


def test_the_commands_draw_tell_and_test_it(tmp_path, capsys):
    with heavy(tmp_path) as at:
        at.save()
    audit = str(place(tmp_path).audit)
    assert main(["sample", audit]) == 0
    assert "--giants" in capsys.readouterr().out
    assert main(["sample", audit, "--power", "0.1", "--giants"]) == 0
    assert "The largest are ruled whole" in capsys.readouterr().out
    assert main(["sample", audit, "-n", "24", "--giants", "--by", "model"]) == 2
    assert main(["sample", audit, "--giants"]) == 2
    assert main(["sample", audit, "-n", "24", "--giants", "30"]) == 2
    capsys.readouterr()
    assert main(["sample", audit, "-n", "24", "--giants"]) == 0
    first = capsys.readouterr().out
    assert main(["sample", audit, "-n", "24", "--giants", "3"]) == 0
    assert capsys.readouterr().out == first
    assert main(["sample", audit, "-n", "24", "--giants", "4"]) == 2
    assert main(["sample", audit, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sample"]["design"] == "giants"
    assert main(["check", audit]) == 0


def test_more_audits_are_expected_to_help_less_once_the_largest_are_known(tmp_path):
    with heavy(tmp_path) as at:
        _, plain = expected_of(at.workspace.path, None)
        _, whole = expected_of(at.workspace.path, None, wish=SampleWish(24, giants=0))
        draw(at)
        _, drawn = expected_of(
            at.workspace.path,
            sample_of(at.workspace.design.facts()),
        )
    by_name = {width.trait: width for width in plain}
    for width, of_sample in zip(whole, drawn, strict=True):
        assert width.half(24) < by_name[width.trait].half(24)
        assert width.half(24) == of_sample.half(24)
        assert width.half(3) == 0.5
        assert width.half(60) == 0


MANY, OTHERS = 105, 15
"""Clusters that are drawn whole, of which two fifths are many looks away, and all others."""


@contextmanager
def only_giants_are_polite(folder, largest):
    """An audit with a sample, in which only what is drawn whole has cells of one trait.

    `largest` is how many traces the largest cluster has; each other cluster has one.
    """
    traces = [Trace(id=f"more {part}", cluster="c0") for part in range(1, largest)]
    for number in range(MANY + OTHERS):
        traces.append(Trace(id=f"t{number}", cluster=f"c{number}"))
    last_giant = largest - 1 + MANY
    with bench(folder, *traces, of=RUBRIC) as at:
        at.workspace.db.execute(
            "DELETE FROM cells WHERE trait = 'Polite' AND trace > ?",
            (last_giant,),
        )
        draw(at, n=110, giants=MANY)
        yield at


def polite_looks(at, *looks):
    """What comes of such looks at the trait that only giants have, and why it is another plan."""
    found = planned(at.workspace, read_bar("Polite:yes>=.8"), LookPlan(looks))
    return found.what.looks, found.became_any


def test_looks_at_a_trait_that_only_giants_have_are_planned_as_of_units_like_any(
    tmp_path,
):
    with only_giants_are_polite(tmp_path, largest=1) as at:
        units = sample_at(at.workspace.path).units
        assert {unit.is_whole for unit in units} == {True, False}
        assert {unit.is_whole for unit in units if "Polite" in unit.cells} == {True}
        assert polite_looks(at, 20, 40) == ([20, 40], "")
        looks, why = polite_looks(at, 20, 43)
    assert looks == []
    assert why.startswith("the last look is at more than 40 % of the 105")


@pytest.mark.slow
def test_of_giants_that_are_as_any_units_a_few_may_still_be_large(tmp_path):
    with only_giants_are_polite(tmp_path, largest=8) as at:
        looks, why = polite_looks(at, 20, 40)
    assert looks == []
    assert why.startswith("a few units have many more items than most")


# -- the arithmetic --------------------------------------------------------------------------------

PART = (Pair(0.0, 1.0), Pair(1.0, 1.0))


def units_of(whole, others):
    """Giants of ten items, drawn and first, and units of one item."""
    big = (Pair(0.0, 10.0), Pair(10.0, 10.0))
    units = [
        OpenUnit(0, None, (), number, 0, f"g{number}", is_whole=True)
        for number in range(whole)
    ]
    units += [
        OpenUnit(1, None, (), whole + number if number < 5 else None, 0, f"t{number}")
        for number in range(others)
    ]
    return units, {id(unit): big if unit.is_whole else PART for unit in units}


def test_the_audit_is_of_the_others_with_what_is_certain():
    units, corners = units_of(2, 40)
    people = [Pair(7.0, 10.0), Pair(9.0, 10.0), *[Pair(1.0, 1.0)] * 5]
    found = betting_audit(
        units,
        corners,
        people,
        replace(ANY_LOOK, horizon=32),
        0.0,
        1.0,
    )
    prior = UnitPrior(PART)
    rounds = [[RuledUnit(prior, Pair(1.0, 1.0))] for _ in range(5)]
    same = Audit([Counter({prior: 40})], rounds, certain=Pair(16.0, 20.0), horizon=30)
    assert found.interval() == same.interval()
    assert found.frame == 40


def test_giants_without_any_others_are_units_like_any():
    units, corners = units_of(3, 0)
    found = betting_audit(units, corners, [Pair(5.0, 10.0)] * 3, ANY_LOOK, 0.0, 1.0)
    assert found.interval() == (0.5, 0.5)


def test_giants_that_are_not_all_ruled_on_give_no_interval():
    units, corners = units_of(2, 10)
    with pytest.raises(NotExact, match="1 of the largest"):
        betting_audit(units, corners, [Pair(5.0, 10.0)], ANY_LOOK, 0.0, 1.0)


@pytest.mark.slow
def test_intervals_beside_giants_hold_at_any_look():
    """Log-normal sizes of 300 units, the ten largest ruled whole, 500 audits of up to 40."""
    random = Random(3)
    wrong = 0
    for _ in range(500):
        sizes = sorted(
            (1 + int(random.lognormvariate(0, 1.3)) for _ in range(300)),
            reverse=True,
        )
        said = [
            Pair(float(sum(random.random() < 0.8 for _ in range(size))), float(size))
            for size in sizes
        ]
        truth = sum(pair.a for pair in said) / sum(pair.b for pair in said)
        order = list(range(10)) + random.sample(range(10, 300), 40)
        places = {number: index for index, number in enumerate(order)}
        units = []
        for number in range(300):
            stratum = int(number >= 10)
            units.append(
                OpenUnit(
                    stratum,
                    None,
                    (),
                    places.get(number),
                    0,
                    f"t{number}",
                    number < 10,
                ),
            )
        corners = {
            id(unit): (Pair(0.0, float(size)), Pair(float(size), float(size)))
            for unit, size in zip(units, sizes, strict=True)
        }
        for looked in (20, 30, 50):
            people = [said[number] for number in order[:looked]]
            bounds = betting_audit(
                units,
                corners,
                people,
                IntervalRule(horizon=50),
                0.0,
                1.0,
            ).interval(14)
            if bounds is None or not bounds.low <= truth <= bounds.high:
                wrong += 1
                break
    assert wrong <= 36  # 5 in 100, and what chance may add
