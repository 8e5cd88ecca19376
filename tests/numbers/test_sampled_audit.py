"""A sample as a workspace and as its file tell it: the same numbers, of verdicts as they were locked."""

import pytest
import sampled_stage
from msgspec.structs import replace

from appellate.core.deciding import Correct, Receive, Show
from appellate.core.design_facts import LookedUnplanned, sample_of
from appellate.core.problem import Refused
from appellate.numbers.bars import gate, keep_looks
from appellate.numbers.bars import number_of as number_meant
from appellate.numbers.data import numbers_table
from appellate.numbers.planning import planned
from appellate.numbers.report import report
from appellate.numbers.samples import (
    sample_at,
    sample_in,
    sample_numbers,
)
from appellate.numbers.sentences import differing_looks, passed_over
from appellate.session.workbench import Workbench
from appellate.stats.look_plans import LookPlan
from appellate.stats.looks import TrustBar, read_bar
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.samples.sample_plans import read_frame
from appellate.traits.llm.edits import Edit as Verdict
from cells import bench, trace
from sampled import (
    RUBRIC,
    draw,
    is_judged_there,
    is_there,
    judged,
    number_of,
    order_of,
    rule,
    rule_on,
    sampled,
    sampled_in,
    traces,
)


def numbers(at):
    found = sample_at(at.workspace.path)
    assert found is not None
    return sample_numbers(found)


def one(found, trait, measure):
    return next(
        each
        for each in found.worths
        if (each.trait.name, each.measure.name) == (trait, measure)
    )


def test_a_sample_is_grouped_by_whatever_traces_say(tmp_path):
    groups = {"model": ["gpt", "llama"], "epoch": ["1"]}
    with sampled(tmp_path, ruled=25) as at:
        at.save()
        audit = load_audit(tmp_path / "x.audit.toml")
        for by in ("", "model", "question", "cluster", "epoch", "meta.site"):
            found = sample_in(WorkspaceAudit(at.workspace.db), by)
            assert found.groups == groups.get(by, [""])
            assert sample_in(audit, by).groups == found.groups
        by_site = numbers_table(
            sampled_in(WorkspaceAudit(at.workspace.db), "meta.site"),
        )
        assert by_site == numbers_table(sampled_in(audit, "meta.site"))


def test_the_three_numbers_are_the_judges_on_all_peoples_on_the_audited_and_the_corrected(
    tmp_path,
):
    with sampled(tmp_path, ruled=30) as at:
        found, drawn = one(numbers(at), "Polite", "yes"), order_of(at)[:30]
    estimate = found.estimate
    assert estimate.judge_only == pytest.approx(
        sum(map(is_judged_there, range(60))) / 60,
    )
    assert estimate.people_only.value == pytest.approx(sum(map(is_there, drawn)) / 30)
    assert estimate.low < estimate.value < estimate.high
    assert (estimate.n, estimate.frame, found.part.drawn) == (30, 60, 40)
    assert abs(estimate.value - sum(map(is_there, range(60))) / 60) < 0.1


def test_a_change_of_mind_after_the_reveal_changes_no_estimate(tmp_path):
    with sampled(tmp_path, ruled=22) as at:
        before = numbers_table(numbers(at))
        for place in order_of(at)[:5]:
            number = number_of(at.workspace, place, "Polite")
            at.do(number, Correct(Verdict("set", not is_there(place))))
            at.sign_off(number)
        assert numbers_table(numbers(at)) == before


def test_before_twenty_the_judge_s_help_is_not_known_and_what_was_passed_over_ends_what_counts(
    tmp_path,
):
    with sampled(tmp_path, ruled=19) as at:
        found = one(numbers(at), "Polite", "yes")
        assert (found.is_by_betting, found.estimate.knows_help) == (True, False)
        for place in order_of(at)[20:24]:
            rule_on(at, place)
        found = numbers(at)
        assert one(found, "Polite", "yes").part.n == 19
        (told,) = passed_over(found.worths, "trace")
        assert told.startswith(
            "Number 20 of the draw was passed over: 4 traces after it do not",
        )
        rule_on(at, order_of(at)[19])
        found = numbers(at)
        assert one(found, "Polite", "yes").estimate.n == 24
        assert passed_over(found.worths, "trace") == []


def test_the_judge_goes_wrong_on_a_side_and_each_model_has_its_own_number(tmp_path):
    with sampled(tmp_path, ruled=40) as at:
        found, drawn = numbers(at), order_of(at)
    errors = {each.trait.name: each for each in found.errors}
    too_many = sum(is_judged_there(place) and not is_there(place) for place in drawn)
    table = {row["trait"]: row for row in numbers_table(found)["judge"]}
    assert (table["Polite"]["too_often"], table["Polite"]["too_seldom"]) == (
        too_many,
        0,
    )
    assert errors["Polite"].higher == too_many
    of_models = [each for each in found.by_group if each.trait.name == "Polite"]
    assert [each.group for each in of_models] == ["gpt", "llama"]
    assert sum(each.part.n for each in of_models) == 40
    assert [each.estimate.knows_help for each in of_models] == [
        each.part.n >= 20 for each in of_models
    ]
    assert found.differences == []


def test_a_look_sees_the_first_of_the_draw_and_is_kept_as_it_was(tmp_path):
    with sampled(tmp_path, ruled=20, bars=[("yes>=.5", [20, 40])]) as at:
        bar = read_bar("yes>=.5")
        first = gate(sample_at(at.workspace.path), bar)
        (look,) = first.standing.taken
        rule(at, 39, since=20)
        later = gate(sample_at(at.workspace.path), bar)
        assert later.standing.taken[0] == look
        assert later.worth.part.n == 39
        assert first.planned
        assert look.n == 20


def test_a_bar_that_nobody_planned_is_decided_at_any_look_and_stays_so(tmp_path):
    with sampled(tmp_path, count=90, drawn=30, ruled=3) as at:
        bar = read_bar("Polite:yes>=.2")
        assert gate(sample_at(at.workspace.path), bar).standing.decision == "undecided"
        rule(at, 29, since=3)
        first = gate(sample_at(at.workspace.path), bar)
        draw(at, 90, 45, before=30)
        rule(at, 45, since=29)
        found = gate(sample_at(at.workspace.path), bar)
    assert 3 < first.standing.taken[0].n < 29
    assert found.standing.taken == first.standing.taken
    assert (found.standing.decision, found.planned) == ("reached", False)


def test_the_interval_that_decides_is_the_one_that_is_shown(tmp_path):
    for bars in ([], [("yes>=.5", [20, 40])]):
        with sampled(
            tmp_path / str(len(bars)),
            count=120,
            drawn=40,
            ruled=40,
            bars=bars,
        ) as at:
            sample = sample_at(at.workspace.path)
        shown = one(sample_numbers(sample), "Polite", "yes")
        now = gate(sample, read_bar("yes>=.5")).worth
        assert now.interval == shown.interval == shown.estimate.interval == now.deciding


def test_looks_are_planned_before_the_first_verdict_or_not_at_all(tmp_path):
    bar = TrustBar("yes", 0.8)
    with sampled(tmp_path) as at:
        assert planned(at.workspace, bar, LookPlan((20, 30))).what.horizon == 30
        rule(at, 1)
        with pytest.raises(Refused, match="too late to plan"):
            planned(at.workspace, bar, LookPlan((20, 30)))


def test_all_bars_that_nobody_planned_rest_on_one_look_and_a_forged_one_is_named(
    tmp_path,
):
    with sampled(tmp_path, count=90, drawn=30, ruled=30) as at:
        forged = LookedUnplanned(
            "Polite",
            "yes>=0.99",
            30,
            0.995,
            0.991,
            0.999,
            "reached",
        )
        at.record(forged)
        same = gate(sample_at(at.workspace.path), read_bar("yes>=.99"))
        assert (same.standing.decision, same.standing.unsaved_looks) == (
            "not reached",
            [],
        )
        assert same.standing.taken[0].differs
        other = gate(sample_at(at.workspace.path), read_bar("yes<=.99"))
        assert [one.decision for one in other.standing.unsaved_looks] == ["reached"]
        assert keep_looks(at, [same, other, other]) == 1
        at.save()
        shown = sample_numbers(sample_at(at.workspace.path)).gates
    assert [str(one.bar) for one in shown] == ["Polite:yes>=0.99", "yes<=0.99"]
    audit = load_audit(tmp_path / "x.audit.toml")
    assert sampled_in(audit).gates[1].standing.taken[0].saved is not None
    (text,) = differing_looks(sample_in(audit))
    assert text.startswith(
        "Polite:yes>=0.99, look 1: The file has this look as reached",
    )
    assert text.endswith("What the verdicts give counts: not reached.")


def test_above_two_fifths_of_the_frame_a_look_of_an_old_plan_decides_only_once_all_are_ruled_on(
    tmp_path,
):
    for ruled, decision in ((40, "undecided"), (57, "reached")):
        folder = tmp_path / str(ruled)
        bars = [("yes>=.2", [ruled])]
        with sampled(folder, count=57, drawn=ruled, ruled=ruled, bars=bars) as at:
            found = gate(sample_at(at.workspace.path), read_bar("yes>=.2"))
        assert found.standing.decision == decision
        (look,) = found.standing.taken
        assert ("Above 40 %" in look.undecided) == (ruled == 40)
        assert found.worth.is_by_betting == (ruled == 40)


def test_a_drawn_trace_whose_cell_is_gone_from_the_file_is_named(tmp_path):
    with sampled(tmp_path, count=90, drawn=30, ruled=30) as at:
        at.save()
        gone = f"t{order_of(at)[0]}"
    audit = load_audit(tmp_path / "x.audit.toml")
    assert sample_in(audit).faults == []
    audit.cells[:] = [
        one
        for one in audit.cells
        if (one.trace.id, one.cell.subject.trait.name) != (gone, "Polite")
    ]
    told = f"{gone} is in the draw, and the history of its cells tells otherwise"
    assert sample_in(audit).faults[0] == told


def test_a_trace_without_cells_keeps_its_place_among_those_that_were_drawn():
    whole = sampled_stage.sampled()
    drawn = {key for unit in sample_of(whole.design).units for key in unit.traces}
    bare = next(trace.key for trace in whole.traces if trace.key not in drawn)
    cells = [cell for cell in whole.cells if cell.trace.key != bare]
    sample = sample_in(replace(whole, cells=cells))
    all_units = sample_in(whole).units
    assert len(sample.units) == len(all_units) - 1
    assert [unit.name for unit in sample.units if unit.place is not None] == [
        unit.name for unit in all_units if unit.place is not None
    ]
    assert sample.faults == sample_in(whole).faults


def test_what_no_number_is_meant_by_is_refused_with_what_there_is(tmp_path):
    with sampled(tmp_path) as at:
        traits = sample_at(at.workspace.path).traits
    for text, told in (
        ("Fact:f1>=.8", 'did you mean "Facts"'),
        ("kappa>=.8", "it has"),
        ("Polite:f1>=.8", 'Trait "Polite" has no measure "f1"'),
    ):
        with pytest.raises(Refused, match=told):
            number_meant(traits, read_bar(text))
    assert number_meant(traits, read_bar("f1>=.8"))[0].name == "Facts"


def test_an_audit_without_a_sample_has_none(tmp_path):
    with sampled(tmp_path) as at:
        at.save()
        audit = load_audit(at.audit)
    assert sample_in(audit).verdict is None


def test_as_many_can_be_drawn_by_the_file_as_by_the_workspace(tmp_path):
    alone = [trace("alone"), trace("again", epoch=2)]
    clustered = [trace(name, cluster="c") for name in ("one", "other")]
    with bench(tmp_path, *alone, *clustered, of=RUBRIC) as at:
        at.do(2, Receive(list(judged(0))[1]))
        at.do(2, Show("gpt"))
        at.save()
        assert report(load_audit(at.audit)).drawable == 2
        assert len(read_frame(at.workspace.path).units) == 2


def test_no_look_is_planned_without_a_sample_or_beyond_all_that_could_be_drawn(
    tmp_path,
):
    with bench(tmp_path, *traces(20), of=RUBRIC) as at:
        with pytest.raises(Refused, match=r"There is no random sample.*AUDIT -n 20"):
            planned(at.workspace, TrustBar("yes", 0.8), LookPlan((20,)))
        assert sample_at(at.workspace.path) is None
        draw(at, 20, 12)
        with pytest.raises(
            Refused,
            match="No look can be at 30: 20 could be drawn in all",
        ):
            planned(at.workspace, TrustBar("yes", 0.8), LookPlan((20, 30)))
        assert planned(at.workspace, TrustBar("yes", 0.8), LookPlan((20,))).wanting == 8


def test_a_look_that_was_taken_is_kept_once_and_not_by_who_only_reads(tmp_path):
    with sampled(
        tmp_path,
        count=30,
        drawn=24,
        ruled=22,
        bars=[("yes>=.5", [20])],
    ) as at:
        found = gate(sample_at(at.workspace.path), read_bar("yes>=.5"))
        with resume(AuditFiles.of(at.audit), readonly=True).workspace as workspace:
            assert keep_looks(Workbench(workspace, at.audit, "bo"), [found]) == 0
        assert [keep_looks(at, [found, found]), keep_looks(at, [found])] == [1, 0]
        assert (
            gate(
                sample_at(at.workspace.path),
                read_bar("yes>=.5"),
            ).standing.unsaved_looks
            == []
        )
