"""What is said of estimates, of the sides on which a judge goes wrong, and of bars."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from appellate.core.agreement import agreement
from appellate.core.design_facts import (
    DesignFact,
    Looked,
    LooksPlanned,
    Sample,
    Sampled,
    SecondPass,
)
from appellate.core.kind import Figures, KnownTrait, Measure
from appellate.core.problem import Refused
from appellate.core.scale import NO_BOUND
from appellate.numbers.bars import (
    BarPlan,
    gate,
    hold_in_range,
    number_of,
    of_same_number,
)
from appellate.numbers.estimates import (
    AuditedSample,
    AuditUnit,
    EstimatedTrait,
    GroupDifference,
    JudgeErrors,
    PlacedTrace,
    UnitCell,
    differences_by_residuals,
    estimated_traits,
    frame_units,
    judge_errors,
    too_few,
    worth,
)
from appellate.numbers.formatting import between, figure
from appellate.numbers.planning import LookPlanning
from appellate.numbers.samples import SampleNumbers, gates
from appellate.numbers.sentences import (
    carried_by_few,
    difference_text,
    estimate_page,
    few_text,
    further_text,
    gate_text,
    help_text,
    panel_judge_text,
    passed_over,
    people_error_text,
    plan_text,
    side_text,
    too_small,
    worth_text,
)
from appellate.stats.designs import written
from appellate.stats.estimates import Audited, Interval, Pair, Stratum, estimate_ratio
from appellate.stats.looks import TrustBar, read_bar
from appellate.traits.callable import KIND as CALLABLE
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.spec import LLMRubricTrait
from golden import golden

__all__ = ["golden"]

SAFE, KIND_ = (
    LLMRubricTrait(name=name, kind="boolean", description="?")
    for name in ("Safe", "Kind")
)
CLEAR = LLMRubricTrait(name="Clear", kind="score", description="?")
SECONDS = CallableRubricTrait(name="Seconds", kind="score", callable="c:seconds")
(POLITE,) = estimated_traits([KnownTrait(LLM, SAFE)])
YES = POLITE.measures[-1]


def says(value, name="yes") -> Figures:
    if value is None:
        return Figures({name: 0.0}, frozenset({name}), {})
    return Figures({name: float(value)}, frozenset(), {})


def cell(judge, person=None, trait="Safe", group="", name="yes") -> UnitCell:
    return UnitCell(
        trait,
        group,
        [says(judge, name)],
        None if person is None else says(person, name),
    )


def units(count=60, audited=40, helps=True, **more) -> list[AuditUnit]:
    """Of so many traces three of four are safe; the judge says so of one in ten more, or always the contrary."""
    found = []
    for place in range(count):
        person = place % 4 != 0
        judge = person or place % 10 == 0 if helps else not person
        ruled = person if place < audited else None
        one = AuditUnit(0, place)
        one.cells["Safe"] = [cell(judge, ruled, **more)]
        found.append(one)
    return found


def sample_of(frame=60, drawn=60) -> Sample:
    strata = [{"name": "all", "units": frame, "drawn": drawn}]
    rows = [{"traces": [[f"t{place}", 1]], "stratum": "all"} for place in range(drawn)]
    what = Sampled("simple", [], 1, True, frame, "", written([0] * frame), strata, rows)
    return Sample.of([what])


def at(found=None, *plans, traits=(POLITE,), drawn=60, verdict=None) -> AuditedSample:
    sample = sample_of(drawn=drawn)
    first = Sampled("simple", [], 1, True, 60, "", "60a", [], [{}] * drawn)
    facts = [
        DesignFact(n, "", "ada", what) for n, what in enumerate([first, *plans], 1)
    ]
    return AuditedSample(sample, facts, list(traits), found or units(), verdict)


# -- numbers ---------------------------------------------------------------------------------------


def test_numbers_and_intervals_have_three_decimals_and_a_minus_that_is_one():
    assert [figure(None), figure(-0.5), figure(0.8125)] == ["–", "−0.500", "0.812"]
    assert between(0.5, 0.75) == "0.500–0.750"
    assert between(-0.1, 0.2) == "−0.100 to 0.200"


NUMBERS = {
    "some are audited": units(),
    "few are audited": units(audited=12),
    "all are audited": units(60, 60),
    "the judge does not help": units(helps=False),
}
SHOWN = GroupDifference(POLITE, YES, "b", "", Interval(0.12, 0.02, 0.2))
DIFFERENCES = {
    "a difference": SHOWN,
    "one of many": replace(SHOWN, among=6, is_shown=False),
    "no difference": replace(SHOWN, other="a", by=Interval(-0.12, -0.3, 0.05)),
}


def errors(counts, higher=6, lower=1) -> JudgeErrors:
    positives = frozenset({"yes"})
    return JudgeErrors(
        POLITE,
        YES,
        27,
        0.1,
        agreement(counts, positives, ()),
        higher,
        lower,
        27,
    )


ERRORS = {
    "too often": errors({("yes", "no"): 6, ("no", "yes"): 1, ("yes", "yes"): 20}),
    "too seldom": errors({("no", "yes"): 6, ("yes", "no"): 1, ("yes", "yes"): 20}),
    "on no side": errors({("yes", "no"): 2, ("no", "no"): 9}),
    "too low": errors({("1", "2"): 9}, higher=1, lower=9),
}


def test_numbers_differences_and_errors_are_told_word_for_word(golden):
    texts: list[str] = []
    for name, found in NUMBERS.items():
        one = worth(found, POLITE, YES)
        told = (
            worth_text(one, "trace"),
            help_text(one),
            further_text(one),
            few_text(one),
        )
        texts += [f"-- {name}", *filter(None, told)]
    for name, difference in DIFFERENCES.items():
        texts += [f"-- {name}", difference_text(difference)]
    for name, one in ERRORS.items():
        texts += [f"-- {name}", side_text(one)]
    golden("sentences", "\n".join(texts))


def test_a_group_without_a_name_has_a_dash_in_the_table_of_differences():
    found = at(units())
    numbers = SampleNumbers(found, [], [], [SHOWN], [], [])
    *_, differences = estimate_page(numbers)
    assert differences.rows[0].name.startswith("b less – · ")


def test_why_there_is_no_number_is_told():
    undefined = units()
    for one in undefined:
        one.cells["Safe"] = [
            cell(None, None if one.place >= 40 else 0)._replace(person=says(None)),
        ]
    assert (
        worth(undefined, POLITE, YES).wanting
        == "share answered yes is 0/0 in what was audited"
    )
    strata = units()
    strata.append(AuditUnit(1, None, None, {"Safe": [cell(1)]}))
    assert worth(strata, POLITE, YES).wanting == "a stratum has no audit yet"
    few = [one for one in units(60, 5) if one.place < 5]
    undrawn = [AuditUnit(0, None, None, {"Safe": [cell(1)]}) for _ in range(20)]
    assert worth(few + undrawn[:1], POLITE, YES).wanting.endswith(
        "and there are only 6",
    )
    few += undrawn
    assert worth(few, POLITE, YES).wanting.endswith("and 5 were drawn: draw more")
    assert worth(few[4:], POLITE, YES).wanting.endswith("and 1 was drawn: draw more")


def test_traits_of_a_kind_have_a_number_together_where_their_scales_are_one():
    known = [KnownTrait(LLM, trait) for trait in (SAFE, KIND_, CLEAR)]
    together, *each = estimated_traits(known)
    assert (together.name, together.describe) == ("", "all llm traits")
    assert (list(together.names), [one.name for one in together.measures]) == (
        ["Safe", "Kind"],
        ["yes"],
    )
    assert [one.name for one in each] == ["Safe", "Kind", "Clear"]


def test_of_many_groups_the_highest_is_held_against_each_other_one():
    groups = []
    for share in range(5):
        found = units(group="g")
        for one in found:
            value = one.place % 5 <= share
            one.cells["Safe"] = [
                cell(value, value if one.place < 40 else None, group=f"g{share}"),
            ]
        groups.append(worth(found, POLITE, YES, f"g{share}"))
    assert [(one.one, one.other) for one in differences_by_residuals(groups)] == [
        ("g4", other) for other in ("g3", "g2", "g1", "g0")
    ]
    assert len(list(differences_by_residuals(groups[:4]))) == 6


def test_a_measure_without_bounds_has_an_interval_beyond_any():
    trait = EstimatedTrait(
        "Seconds",
        CALLABLE,
        CALLABLE.measures(SECONDS),
        ("Seconds",),
    )
    measure = trait.measures[-1]
    found = []
    for place in range(60):
        person = place * 1.5 if place < 40 else None
        found.append(
            AuditUnit(
                0,
                place,
                None,
                {"Seconds": [cell(place, person, "Seconds", name=measure.name)]},
            ),
        )
    assert measure.high == NO_BOUND == -measure.low
    one = worth(found, trait, measure).estimate
    assert one.low < one.value < one.high


# -- where the judge goes wrong ------------------------------------------------------------------------


def test_cells_that_one_of_the_two_left_open_are_on_no_side():
    found = units(40, 40)
    found[1].cells["Safe"] = [cell(None, 1)]
    found[2].cells["Safe"] = [UnitCell("Safe", "", [], says(1))]
    errors = judge_errors(worth(found, POLITE, YES))
    assert (errors.cells, errors.higher, errors.lower) == (38, 2, 0)
    assert errors.by > 0


# -- bars ------------------------------------------------------------------------------------------


def told(found) -> str:
    return " ".join(gate_text(found, "trace"))


def undefined() -> list[AuditUnit]:
    """Units in which nobody's number is any."""
    found = units(60, 60)
    for one in found:
        one.cells["Safe"] = [UnitCell("Safe", "", [says(None)], says(None))]
    return found


def planned(bar, *looks) -> LooksPlanned:
    return LooksPlanned("", bar, list(looks), 0.05)


GATES = {
    "nobody planned it, and the sample is not complete": ("yes>=.5", at()),
    "nobody planned it, and it is reached": ("Safe:yes>=.5", at(units(60, 60))),
    "too few were drawn": ("yes>=.5", at(units(60, 0)[:12], drawn=12)),
    "both planned looks are over": (
        "yes>=.72",
        at(units(120), planned("yes>=.72", 20, 40)),
    ),
    "the last look is above two fifths": (
        "yes>=.72",
        at(None, planned("yes>=.72", 20, 40)),
    ),
    "a look was saved otherwise": (
        "yes>=.72",
        at(
            units(120),
            planned("yes>=.72", 20, 40),
            Looked(2, 1, 20, 0.8, 0.73, 0.87, "reached"),
        ),
    ),
    "one look is planned": ("yes>=.9", at(None, planned("yes>=.9", 60))),
    "looks are planned at another bar": (
        "Safe:yes>=.5",
        at(units(120), planned("yes>=.9", 20, 40)),
    ),
    "the last look does not decide": ("yes>=.74", at(units(120, 40), drawn=45)),
    "there is no number": ("yes>=.5", at(undefined())),
    "the judge does not help": ("yes>=.6", at(units(helps=False))),
}


def test_gates_are_told_word_for_word(golden):
    texts = [
        "\n".join([f"-- {name}", *gate_text(gate(found, read_bar(bar)), "trace")])
        for name, (bar, found) in GATES.items()
    ]
    golden("gates", "\n\n".join(texts))


PLANNED = BarPlan(read_bar("yes>=.8"), (20, 80))
LOOKS = planned("yes>=0.8", 20, 80)
PLANS = {
    "it replaces another and takes more": LookPlanning(LOOKS, [40], 20, PLANNED),
    "it is planned already": LookPlanning(LOOKS, [20, 80], 0, PLANNED, is_new=False),
    "it is the first": LookPlanning(LOOKS, [], 0, PLANNED),
    "it shares the level": LookPlanning(
        LOOKS,
        [],
        0,
        replace(PLANNED, others=(40, 60)),
    ),
}


def test_plans_of_looks_are_told_word_for_word(golden):
    golden(
        "plans",
        "\n\n".join(f"-- {name}\n{plan_text(plan)}" for name, plan in PLANS.items()),
    )


def test_how_many_more_audits_would_decide_is_told_where_any_would():
    found = gate(at(), read_bar("yes>=.7"))
    assert found.more_audits
    assert (
        f"About {found.more_audits} more audits ({40 + found.more_audits} in all) would decide"
        in told(found)
    )
    assert gate(at(), TrustBar("yes", found.worth.estimate.value)).more_audits is None


def test_too_few_drawn_decide_nothing_and_what_was_passed_over_is_told():
    small = at(units(60, 0)[:12], drawn=12)
    assert too_small(small) == (
        "12 traces were drawn: a decision takes 20; draw more before the first verdict."
    )
    assert too_small(at()) == ""
    passed = units(60, 40)
    passed[10].cells["Safe"] = [cell(1)]
    (sentence,) = passed_over([gate(at(passed), read_bar("yes>=.5")).worth], "trace")
    assert sentence in told(gate(at(passed), read_bar("yes>=.5")))


def part_of(found):
    return gate(at(found), read_bar("yes>=.5")).worth.part


def test_audits_that_wait_for_one_that_was_passed_over_are_not_to_be_made_again():
    passed = units(60, 15)
    passed[0].cells["Safe"] = [cell(True)]
    assert too_few(part_of(passed)) == (
        "shown from 20 audits on: 6 more audits to go, number 1 of the draw first"
    )
    assert too_few(part_of(units(60, 14))) == (
        "shown from 20 audits on: 6 more audits to go"
    )


# -- which number a bar is about -------------------------------------------------------------------


def test_a_name_that_several_numbers_have_is_told_with_what_to_write():
    several = estimated_traits([KnownTrait(LLM, CLEAR), KnownTrait(CALLABLE, SECONDS)])
    with pytest.raises(
        Refused,
        match="score means several numbers here, of Clear, Seconds: write TRAIT:score>=3",
    ):
        number_of(several, read_bar("score>=3"))
    together = estimated_traits([KnownTrait(LLM, SAFE), KnownTrait(LLM, KIND_)])
    trait, _ = number_of(together, read_bar("yes>=.8"))
    assert trait.describe == "all llm traits"


def test_of_many_names_a_dozen_are_listed():
    many = [
        KnownTrait(LLM, SAFE.model_copy(update={"name": f"T{no}"})) for no in range(15)
    ]
    with pytest.raises(Refused, match=r"there are T0, .*T11 and 3 more\.$"):
        number_of(estimated_traits(many), read_bar("Zebra crossing:yes>=.8"))


@pytest.mark.parametrize(
    ("trait", "text", "reach"),
    [
        (KnownTrait(LLM, SAFE), "yes>=1.2", "from 0 to 1"),
        (KnownTrait(LLM, CLEAR), "score<=.5", "from 1 to 5"),
        (
            KnownTrait(CALLABLE, SECONDS.model_copy(update={"min_score": 0.0})),
            "score>=-1",
            "from 0 upwards",
        ),
        (
            KnownTrait(CALLABLE, SECONDS.model_copy(update={"max_score": 9.0})),
            "score>=10",
            "to 9",
        ),
        (
            KnownTrait(CALLABLE, SECONDS.model_copy(update={"max_score": 1234567.0})),
            "score>=2000000",
            "to 1234567",
        ),
    ],
)
def test_a_bar_that_a_number_is_never_on_one_side_of_is_refused(trait, text, reach):
    traits = estimated_traits([trait])
    with pytest.raises(
        Refused,
        match=f"can decide nothing: .* goes {reach}; write a bar within",
    ):
        hold_in_range(traits, read_bar(text))
    with pytest.raises(Refused, match="can decide nothing"):
        gates(at(traits=traits), [read_bar(text)])


def test_plans_for_numbers_that_are_no_more_are_about_no_number():
    plans = [
        BarPlan(read_bar(text), (40,))
        for text in ("Gone:yes>=.8", "Safe:yes>=.5", "yes>=.9")
    ]
    assert of_same_number([POLITE], plans, read_bar("yes>=.8")) == plans[1:]


def test_without_a_bar_those_are_told_that_were_planned():
    plan = planned("yes>=.9", 60)
    assert [str(one.bar) for one in gates(at(None, plan))] == ["yes>=0.9"]
    assert gates(at()) == []
    gone = LooksPlanned("Gone", "yes>=.9", [60], 0.05)
    assert [str(one.bar) for one in gates(at(None, gone, plan))] == ["yes>=0.9"]
    assert [str(one.bar) for one in gates(at(), [read_bar("yes>=.2")])] == ["yes>=0.2"]


# -- the frame -------------------------------------------------------------------------------------


def test_traces_of_a_cluster_are_one_unit_and_what_could_not_be_drawn_is_in_none():
    strata = [{"name": "all", "units": 2, "drawn": 1}]
    rows = [{"traces": [["a", 1], ["b", 1]], "stratum": "all"}]
    what = Sampled("simple", [], 1, True, 2, "", written([0, 0, None, 0]), strata, rows)
    named = [("a", "c"), ("b", "c"), ("x", ""), ("d", ""), ("late", "")]
    placed = [
        PlacedTrace(no, (name, 1), cluster, [cell(1)])
        for no, (name, cluster) in enumerate(named, 1)
    ]
    units = frame_units(Sample.of([what]), placed)
    assert [(one.place, len(one.cells["Safe"])) for one in units] == [(0, 2), (None, 1)]
    found = AuditedSample(Sample.of([what]), [], [POLITE], units, None)
    assert found.unit == "cluster"
    assert at().unit == "trace"


def test_where_chances_go_by_disagreement_units_are_weighed_by_them_in_one_stratum():
    strata = [
        {"name": "disagreement 1/10", "units": 2, "drawn": 1, "chance": 0.25},
        {"name": "disagreement 9/10", "units": 1, "drawn": 1, "chance": 0.75},
    ]
    rows = [
        {"traces": [["a", 1]], "stratum": "disagreement 1/10"},
        {"traces": [["c", 1]], "stratum": "disagreement 9/10"},
    ]
    what = Sampled(
        "active",
        ["disagreement"],
        1,
        True,
        3,
        "",
        written([0, 0, 1]),
        strata,
        rows,
    )
    placed = [
        PlacedTrace(number, (name, 1), "", [cell(1)])
        for number, name in enumerate("abc", 1)
    ]
    units = frame_units(Sample.of([what]), placed)
    assert [(one.stratum, one.chance) for one in units] == [
        (0, 0.25),
        (0, None),
        (0, 0.75),
    ]


def number(name, wrong):
    """A number of which the judge got so many of sixty audits wrong."""
    judge = [Pair(place >= wrong, 1) for place in range(60)]
    units = [Audited(Pair(place >= 20, 1), one) for place, one in enumerate(judge)]
    frame = [*judge, *[Pair(place % 3 > 0, 1) for place in range(440)]]
    return SimpleNamespace(
        estimate=estimate_ratio([Stratum(frame, units)]),
        measure=Measure(name, name),
        trait=SimpleNamespace(describe="Safe"),
        group=None,
    )


def test_that_few_errors_carry_a_correction_is_said_once_for_all_alike_numbers():
    one, like, other, enough = (
        number(name, wrong)
        for name, wrong in (("precision", 18), ("f1", 18), ("recall", 20), ("no", 0))
    )
    few = few_text(one)
    assert few.startswith("The correction rests on few errors of the judge, worth 2.")
    assert few.endswith("The interval may be too narrow, so looks go by people alone.")
    assert few_text(other).startswith("No error of the judge was seen")
    assert few_text(enough) == few_text(SimpleNamespace(estimate=None)) == ""
    assert carried_by_few([one, other, like, enough]) == [
        f"precision in Safe, f1 in Safe: {few}",
        f"recall in Safe: {few_text(other)}",
    ]


def test_what_errors_of_people_would_move_is_told_and_measured_by_a_second_pass():
    found = at(units())
    numbers = SampleNumbers(found, [worth(found.units, POLITE, YES)], [], [], [], [])
    assert people_error_text(numbers) == (
        "Rulings are taken as right. If a second reviewer ruled otherwise in 5 %, all to one side,"
        " a share would move by up to 0.050."
    )
    tables = [
        {"trait": "Safe", "answers": 40, "alike": 37},
        {"trait": "Kind", "answers": 9, "alike": 1},
        {"trait": "Safe", "answers": "many", "alike": 1},
    ]
    again = DesignFact(9, "", "ada", SecondPass("ada", 40, {"traits": tables}))
    numbers = replace(numbers, audit=replace(found, facts=[*found.facts, again]))
    assert "3 answers of 40 came out otherwise" in people_error_text(numbers)
    assert people_error_text(numbers).endswith("by up to 0.075.")
    numbers = replace(
        numbers,
        audit=replace(found, facts=[replace(again, what=SecondPass("a", 1, {}))]),
    )
    assert "ruled otherwise in 5 %" in people_error_text(numbers)
    assert people_error_text(replace(numbers, worths=[])) == ""


def test_the_judge_of_a_panel_and_raw_counts_are_called_so():
    found = at(units())
    assert panel_judge_text(found) == ""
    found.units[0].cells["Safe"] = [cell(1)._replace(judges=[says(1), says(0)])]
    assert "The judge is what most members of the panel say." in panel_judge_text(found)
    raw = judge_errors(worth(units(), POLITE, YES), is_raw=True)
    raw = replace(raw, agreement=ERRORS["too often"].agreement)
    assert side_text(raw).startswith(
        "Safe: judge and people agree in 20 of 27 verdicts (raw counts, as chances were unequal)",
    )
