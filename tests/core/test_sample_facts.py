"""The sample of an audit, as the facts of its draws tell it."""

from appellate.core.design_facts import DrawnUnit, Sample, Sampled, SampleStratum


def drew(
    strata: list[dict[str, object]],
    *drawn: tuple[str, str],
    design: str = "stratified",
) -> Sampled:
    units = [{"traces": [[trace, 1]], "stratum": stratum} for trace, stratum in drawn]
    return Sampled(design, ["model"], 7, True, 10, "ab" * 32, "6a4b", strata, units)


FIRST = drew(
    [{"name": "a", "units": 6, "drawn": 1}, {"name": "b", "units": 4, "drawn": 1}],
    ("t4", "b"),
    ("t1", "a"),
)
LATER = drew(
    [{"name": "a", "units": 6, "drawn": 3}, {"name": "b", "units": 4, "drawn": 1}],
    ("t9", "a"),
    ("t2", "a"),
)


def test_an_audit_without_a_draw_has_no_sample() -> None:
    assert Sample.of([]) is None


def test_later_draws_go_behind_the_first_and_their_strata_hold_for_all() -> None:
    sample = Sample.of([FIRST, LATER])
    assert sample is not None
    assert [unit.traces for unit in sample.units] == [
        [("t4", 1)],
        [("t1", 1)],
        [("t9", 1)],
        [("t2", 1)],
    ]
    assert sample.strata == [
        SampleStratum("a", 6, 3, 0.5),
        SampleStratum("b", 4, 1, 0.25),
    ]
    assert sample.units[1] == DrawnUnit([("t1", 1)], 0, 0.5)
    assert (
        sample.describe == "stratified random sample by model: 4 of 10, seed 7, blind"
    )
    assert sample.done_word == "ruled on"


def test_where_chances_are_unequal_the_strata_tell_them() -> None:
    strata = [{"name": "disagreement 3/10", "units": 10, "drawn": 1, "chance": 0.3}]
    sample = Sample.of([drew(strata, ("t1", "disagreement 3/10"), design="active")])
    assert sample is not None
    assert sample.units == [DrawnUnit([("t1", 1)], 0, 0.3)]
