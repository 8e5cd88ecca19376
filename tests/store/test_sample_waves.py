"""A sample in waves: which facts are of which, what a wave draws from, and a kill while it is drawn."""

import json

import pytest

from appellate.core.design_facts import (
    DesignFact,
    LooksPlanned,
    Sample,
    Sampled,
    WaveSampled,
    Withdrawn,
    from_body,
    of_this_sample,
    to_body,
    waves_of,
)
from appellate.core.problem import Refused
from appellate.numbers.samples import sample_in
from appellate.query.language import completions, parse
from appellate.session.workbench import Workbench
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.open_audit import resume
from appellate.store.database import reading
from appellate.store.queue import look_up, vocabulary
from appellate.store.samples.sample_plans import SampleWish, plan
from cells import bench, from_file_alone, place, proposal, rules, trace
from killing import Deed, stands

PLAN = LooksPlanned("", "f1>=.8", [20], 0.05)


def draw_of(name: str, seed: int = 1, units: int = 1) -> Sampled:
    strata = [{"name": "all", "units": units, "drawn": units}]
    drawn = [{"traces": [[f"{name}{no}", 1]], "stratum": "all"} for no in range(units)]
    fields = ("simple", [], seed, True, units, "", f"{units}a", strata, drawn)
    return WaveSampled(*fields, wave=name) if name else Sampled(*fields)


def facts(*events) -> list[DesignFact]:
    return [
        DesignFact(n, "2026-11-27T12:00:00Z", "ada", event)
        for n, event in enumerate(events, 1)
    ]


def numbers(*events) -> list[tuple[str, list[int]]]:
    return [
        (wave.name, [fact.n for fact in wave.facts])
        for wave in waves_of(facts(*events))
    ]


def test_what_happened_is_of_the_wave_that_was_drawn_last():
    first, second = draw_of(""), draw_of("b", 2)
    assert numbers(PLAN) == []
    assert numbers(PLAN, first, PLAN) == [("", [1, 2, 3])]
    assert numbers(first, PLAN, second, PLAN, second) == [
        ("", [1, 2]),
        ("b", [3, 4, 5]),
    ]


def test_only_the_last_wave_goes_and_what_was_planned_for_it():
    first, second, third = draw_of("a"), draw_of("b", 2), draw_of("c", 3)
    gone = Withdrawn(1, 0)
    assert numbers(first, PLAN, second, PLAN, gone, PLAN, third) == [
        ("a", [1, 2, 6]),
        ("c", [7]),
    ]
    assert numbers(first, PLAN, gone, PLAN, second) == [("b", [4, 5])]
    events = facts(first, second, gone)
    assert [fact.n for fact in of_this_sample(events)] == [1]
    assert [fact.n for fact in of_this_sample(facts(first, gone, PLAN))] == [3]


def test_a_wave_is_a_fact_of_its_own_name_that_comes_back_from_a_file_as_it_was():
    drawn = draw_of("week 48")
    name, body = to_body(drawn)
    assert (name, body["wave"]) == ("wave_sampled", "week 48")
    assert from_body(name, body) == drawn
    del body["wave"]
    with pytest.raises(TypeError, match="wave = None"):
        from_body(name, body)
    with pytest.raises(KeyError):  # as an earlier version does, which names the fact
        from_body("wave_of_a_later_version", body)


def test_strata_and_units_of_several_waves_stand_one_behind_the_other():
    sample = Sample.of([draw_of("", 1, 2), draw_of("b", 2, 3)])
    assert sample is not None
    assert [(stratum.name, stratum.units) for stratum in sample.strata] == [
        ("first draw", 2),
        ("b", 3),
    ]
    assert [unit.stratum for unit in sample.units] == [0, 0, 1, 1, 1]
    assert (sample.frame, [len(wave) for wave in sample.waves]) == (5, [2, 3])
    assert sample.describe == "random samples of 2 waves (first draw, b): 5 of 5, blind"
    weeks = Sample.of([draw_of(f"week {week}", week) for week in range(1, 6)])
    assert weeks is not None
    assert (
        weeks.describe == "random samples of 5 waves (week 1 to week 5): 5 of 5, blind"
    )


def wave(at: Workbench, name: str, n: int, **more) -> None:
    sample = at.workspace.design.sample()
    wish = SampleWish(n, 1 if sample is None else 2, wave=name, **more)
    at.draw(plan(at.workspace.path, wish, sample).what)


def test_a_cluster_that_goes_on_in_a_later_week_is_a_unit_of_each_wave(tmp_path):
    with bench(
        tmp_path,
        *(trace(f"a{no}", cluster="ann") for no in range(3)),
        trace("b"),
    ) as at:
        wave(at, "one", 2)
        at.workspace.add_all([trace("a9", cluster="ann"), trace("c")])
        wave(at, "two", 2)
        with reading(at.workspace.path) as db:
            audited = sample_in(WorkspaceAudit(db))
        assert audited is not None
        assert audited.faults == []
        assert [(unit.name, unit.wave) for unit in audited.units] == [
            ("cluster ann", 0),
            ("b", 0),
            ("cluster ann", 1),
            ("c", 1),
        ]
        assert [len(one.units) for one in audited.waves] == [2, 2]


def test_strata_of_a_wave_carry_its_name_and_come_back_from_the_file(tmp_path):
    with bench(tmp_path, *(trace(f"a{no}") for no in range(6))) as at:
        wave(at, "one", 4)
        models = ("gpt", "llama")
        at.workspace.add_all([trace(f"b{no}", model=models[no % 2]) for no in range(8)])
        wave(at, "two", 4, by=("model",))
        sample = at.workspace.design.sample()
        assert [stratum.name for stratum in sample.strata] == [
            "one",
            "two · gpt",
            "two · llama",
        ]
        rows = at.workspace.db.execute(
            "SELECT DISTINCT stratum FROM drawn ORDER BY 1",
        ).fetchall()
        assert rows == [(0,), (1,), (2,)]
        with from_file_alone(at) as workspace:
            assert workspace.design.sample() == sample


def test_no_wave_follows_without_new_traces(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        wave(at, "one", 2)
        with pytest.raises(Refused, match="No trace is new since the last draw"):
            wave(at, "two", 1)


def found_by(at, line):
    """The ids of the traces whose cells a query finds."""
    known = vocabulary(at.workspace.path)
    numbers = look_up(at.workspace.path, parse(line, known)).numbers
    return [at.workspace.cell(number)[0].id for number in numbers]


def test_a_query_finds_the_cells_of_a_wave_by_its_name(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        assert found_by(at, "wave:*") == []
        at.draw(plan(at.workspace.path, SampleWish(1, 1)).what)
        assert found_by(at, "wave:*") == []
        first = found_by(at, "is:sampled")
        at.workspace.add_all([trace("c"), trace("d"), trace("e")])
        wave(at, "week 48", 2)
        of_week = found_by(at, 'wave:"week 48"')
        assert len(of_week) == 2
        assert set(of_week) <= {"c", "d", "e"}
        assert found_by(at, "wave:week*") == of_week
        assert found_by(at, 'wave:"first draw"') == first
        assert found_by(at, 'is:sampled -wave:"week 48"') == first
        assert found_by(at, "wave:47") == []
        known = vocabulary(at.workspace.path)
        texts = [one.text for one in completions("wave:we", len("wave:we"), known)]
        assert texts == ['"week 48"']


# -- killed in the middle -------------------------------------------------------------------------


def added_in(folder):
    with bench(folder, trace("a"), trace("b")) as at:
        at.receive(1, proposal())
        at.receive(2, proposal())
        wave(at, "one", 1)
        rules(
            at,
            at.workspace.cells.of_trace(at.workspace.design.drawn()[0]).popitem()[1],
        )
        at.workspace.add_all([trace("c"), trace("d")])


def draw_in(folder):
    with resume(place(folder)).workspace as workspace:
        wave(Workbench(workspace, place(folder).audit, "ada"), "two", 2)


def found_in(folder):
    with resume(place(folder)).workspace as workspace:
        names = [wave.name for wave in waves_of(workspace.design.facts())]
        ruled = [workspace.cell(no)[1].ruled is not None for no in range(1, 5)]
        hidden = [workspace.cell(no)[1].hidden for no in (3, 4)]
        return [names, sum(ruled), hidden, len(workspace.design.drawn())]


DEEDS = {"wave": Deed(added_in, draw_in, found_in)}


@pytest.mark.slow
def test_killed_while_a_wave_is_drawn_nothing_is_lost_and_the_wave_is_whole_or_not_there(
    tmp_path,
):
    told = {json.dumps(one) for one in stands(__file__, "wave", tmp_path)}
    assert told == {
        json.dumps([["one"], 1, [False, False], 1]),
        json.dumps([["one", "two"], 1, [True, True], 3]),
    }
