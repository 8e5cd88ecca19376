"""Every judge of an audit beside the same people: rounds, members of panels, and which is named."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.deciding import Correct, Draw, Receive, Rule, SignOff
from appellate.core.design_facts import LookedUnplanned
from appellate.core.facts import NOT_ASKED, Fact, Failed, Proposed
from appellate.core.figures import FigureTable
from appellate.core.kind import KnownTrait, Subject
from appellate.core.only_counts import Reasons
from appellate.gold.asking import in_audit
from appellate.gold.checking import check
from appellate.numbers.judges import (
    ANOTHER,
    NOTHING,
    JudgesCount,
    judge_text,
    judges_at,
    judges_page,
    which_judge_texts,
)
from appellate.numbers.which_judge import patterns_of_two
from appellate.stats.looks import read_bar
from appellate.stats.paired import paired_difference
from appellate.store.audits.audit import AuditedCell, load_audit
from appellate.store.breakdowns import has_several_judges
from appellate.traits import llm
from appellate.traits.llm.edits import Edit
from cells import Story, bench
from gold_sets import POLITE, RUBRIC, audited, frozen, is_polite, traces
from sampled import sampled

TRACES = traces(60)


def says(number, *, right, **record):
    """What a judge says of a trace."""
    value = is_polite(number) == right
    return {"value": value, "evidence": [], "rationale": "", **record}


def by(name, *wrong, of=60, **record):
    """What a judge says of the first traces, with errors on some."""
    record = {"name": name, **record}
    return {
        number: Proposed(says(number, right=number not in wrong), record)
        for number in range(1, of + 1)
    }


def panel(*members, **record):
    """What a panel says, whose first member decides; a member is a name, a cost and its errors."""
    said = {}
    for number in range(1, 61):
        tables = []
        for name, cost, wrong in members:
            tables.append(says(number, right=number not in wrong, name=name, cost=cost))
        first = says(number, right=number not in members[0][2])
        said[number] = Proposed(first, {"name": "panel", "members": tables, **record})
    return said


def cells(*rounds, of=60, blind=False):
    """Cells of so many traces with what each judge said, signed off as people see them."""
    found = []
    for number in range(1, of + 1):
        story = Story(of=Subject(llm.KIND, POLITE, TRACES[number - 1]))
        for said in rounds:
            if number in said:
                story.does(Receive(said[number]))
        if blind:
            story.does(Draw(blind=True))
        if story.cell.labels is None or story.cell.labels.value != is_polite(number):
            story.does(Correct(Edit("set", is_polite(number))))
        story.does(Rule(POLITE.sha256()) if blind else SignOff(POLITE.sha256()))
        found.append(AuditedCell(TRACES[number - 1], story.cell))
    return found


def found_of(audited_cells, **how):
    count = JudgesCount(**how)
    for one in audited_cells:
        count.add(one)
    return count.compared_judges()


@cache
def two_rounds():
    """A judge with eight errors, then another with four of its own, which costs ten times more."""
    return found_of(
        cells(
            by("old", *range(1, 9), cost=0.001, latency=0.5),
            by("new", 10, 11, 12, 13, cost=0.01, latency=2.0, round=2),
        ),
    )


def by_name(found):
    return {judge.name: judge for judge in found.judges}


def table_of(found):
    (table,) = [block for block in judges_page(found) if isinstance(block, FigureTable)]
    return table


def texts(found):
    return " ".join(which_judge_texts(found))


# -- what is counted -------------------------------------------------------------------------------


def test_each_round_has_its_judge_beside_people_and_beside_the_current_judge():
    judges = by_name(two_rounds())
    assert list(judges) == ["new", "old"]
    old = judges["old"]
    assert (old.cells, old.agreement.agreed, old.agreement.n) == (60, 52, 60)
    assert (old.flips.gained, old.flips.lost) == (4, 8)
    assert (old.cost, old.seconds) == (pytest.approx(0.001), 0.5)
    assert judges["new"].is_current
    assert not old.is_current


def test_a_row_has_the_share_alike_its_interval_flips_cost_and_seconds():
    new, old = table_of(two_rounds()).rows
    shown = [one.text for one in old.figures]
    assert shown == [
        "60",
        "60",
        "0.867",
        "0.750",
        "0.942",
        "4",
        "8",
        "–",
        "0.001",
        "0.5",
    ]
    assert [one.text for one in new.figures][5:] == ["–", "–", "–", "0.01", "2.0"]
    assert "whose labels the cells have now" in new.detail


def test_each_member_of_a_panel_is_a_judge_of_its_own():
    found = found_of(cells(panel(("a", 3.0, {1}), ("b", 1.0, range(1, 11)), cost=4.0)))
    judges = by_name(found)
    assert set(judges) == {"panel", "a", "b"}
    assert judges["panel"].is_current
    assert judges["b"].is_member
    assert (judges["b"].flips.gained, judges["b"].flips.lost) == (0, 9)
    assert judges["b"].cost == 1


def test_a_name_that_judged_twice_is_told_apart_by_round_and_by_its_panel():
    first = by("a", 1, 2)
    assert {one.name for one in found_of(cells(first, by("a", 3, round=2))).judges} == {
        "a, round 1",
        "a, round 2",
    }
    again = panel(("a", 1.0, {1}), ("b", 1.0, {2}), round=2)
    assert "a, round 2, in a panel" in by_name(found_of(cells(first, again)))


def test_nothing_of_a_hidden_cell_is_looked_at():
    ruled = cells(by("old", 1), blind=True)
    hidden = []
    for number in range(1, 41):
        story = Story(of=Subject(llm.KIND, POLITE, TRACES[number - 1]))
        story.does(Receive(Proposed(says(number, right=False), {"name": "secret"})))
        story.does(SignOff(POLITE.sha256()))
        story.does(Draw(blind=True))
        assert story.cell.hidden
        hidden.append(AuditedCell(TRACES[number - 1], story.cell))
    assert [one.name for one in found_of([*ruled, *hidden]).judges] == ["old"]
    assert found_of(hidden).judges == []


def test_what_no_person_settled_and_what_an_agent_did_is_left_out():
    signed = cells(by("old"), of=2)
    by_agent = replace(
        signed[0].cell,
        signed=replace(signed[0].cell.signed, as_agent=True),
    )
    open_cell = replace(signed[1].cell, signed=None)
    of_example = replace(signed[1].cell, example=True)
    for cell in (by_agent, open_cell, of_example):
        assert found_of([replace(signed[0], cell=cell)]).judges == []
    assert texts(found_of([])) == NOTHING


def test_what_was_said_under_another_version_of_the_trait_is_left_out():
    (one,) = cells(by("old"), by("new", round=2), of=1)
    revised = replace(one.cell, revised=one.cell.rounds[0].n)
    assert [judge.name for judge in found_of([replace(one, cell=revised)]).judges] == [
        "new",
    ]


def test_blind_rulings_count_alone_where_there_are_enough_of_them():
    blind = cells(by("old", 1, 2, 3), of=30, blind=True)
    sighted = cells(by("old"), of=60)[30:]
    found = found_of([*blind, *sighted])
    assert found.is_blind
    assert (found.judges[0].cells, found.judges[0].agreement.agreed) == (30, 27)
    few = found_of([*blind[:5], *sighted])
    assert not few.is_blind
    assert few.judges[0].cells == 30
    assert "before they saw a judge" in table_of(found).notes[0]
    assert "with a judge in sight" in table_of(few).notes[0]


def test_replies_of_the_cache_cost_what_they_cost_when_they_were_sent_for():
    cached = by("old", cost=0.0, full_cost=0.25, cached=True, of=59)
    (judge,) = found_of(
        cells(cached | {60: by("old", cost=0.85, latency=2.0)[60]}),
    ).judges
    assert (judge.cost, judge.costed) == (pytest.approx(0.26), 60)
    assert (judge.seconds, judge.timed) == (2.0, 1)


def test_replies_of_the_cache_tell_no_cost_where_nobody_knows_it_and_no_seconds():
    cached = by("old", cost=0.0, cached=True, of=59)
    (judge,) = found_of(
        cells(cached | {60: by("old", cost=0.5, latency=2.0)[60]}),
    ).judges
    assert (judge.cost, judge.costed, judge.seconds, judge.timed) == (0.5, 1, 2.0, 1)
    (judge,) = found_of(cells(by("old", cost=True, of=2), of=2)).judges
    assert judge.cost is None


def failing(name, *failed, of=60):
    """What a panel of two says, of which one gives no labels to some traces."""
    said = by("panel", of=of)
    for number, proposed in said.items():
        member = says(number, right=True, name=name)
        if number in failed:
            member = {"name": name, "error": "The model refused."}
        members = [says(number, right=True, name="a"), member]
        said[number] = Proposed(proposed.table, {"name": "panel", "members": members})
    return said


def test_a_member_of_a_panel_that_gave_no_labels_is_counted_with_why():
    judges = by_name(found_of(cells(failing("b", 1, 2, 3)), **HELD))
    assert (judges["b"].cells, len(judges["b"].failures)) == (57, 3)
    assert judges["b"].agreement.n == 57
    assert not judges["panel"].failures
    table = table_of(found_of(cells(failing("b", 1, 2, 3)), **HELD))
    titles = [column.title for column in table.columns]
    row = next(row for row in table.rows if row.name == "b")
    failed = row.figures[titles.index("failed")]
    assert failed.text == "3"
    assert "The model refused." in failed.detail
    assert "3 cells without labels (The model refused.)" in judge_text(judges["b"])


def test_a_judge_that_failed_is_counted_unless_it_answered_later():
    (one, other) = cells(by("old", of=2), of=2)
    broken = Fact(90, "2026-01-01T00:00:00Z", "", Failed("No.", "", {"name": "new"}))
    answered = Fact(0, "2026-01-01T00:00:00Z", "", Failed("No.", "", {"name": "old"}))
    not_asked = Fact(
        91,
        "2026-01-01T00:00:00Z",
        "",
        Failed(f"{NOT_ASKED} no.", "", {"name": "x"}),
    )
    changed = replace(one.cell, facts=(*one.cell.facts, broken, not_asked), revised=-1)
    again = replace(other.cell, facts=(answered, *other.cell.facts), revised=-1)
    judges = by_name(found_of([replace(one, cell=changed), replace(other, cell=again)]))
    assert set(judges) == {"old", "new"}
    assert list(judges["new"].failures.values()) == ["No."]
    assert not judges["old"].failures


def test_a_record_of_a_failure_may_say_anything_of_its_members():
    (one,) = cells(by("old", of=1), of=1)
    for hostile in (7, "abc", [3, {"error": 4}], {}):
        fact = Fact(
            90,
            "2026-01-01T00:00:00Z",
            "",
            Failed("No.", "", {"members": hostile}),
        )
        cell = replace(one.cell, facts=(*one.cell.facts, fact))
        assert "old" in by_name(found_of([replace(one, cell=cell)]))


# -- bars ------------------------------------------------------------------------------------------

HELD = {
    "traits": [KnownTrait(llm.KIND, POLITE)],
    "bars": [
        read_bar("judge.agreement>=.8"),
        read_bar("yes>=.5"),
        read_bar("judge.nosuch>=.5"),
    ],
}


def test_each_judge_is_held_against_the_bars_on_judges():
    found = found_of(
        cells(
            by("bad", *range(1, 40), cost=0.1),
            by("near", *range(1, 10), cost=0.2, round=2),
            by("good", 1, cost=5.0, round=3),
        ),
        **HELD,
    )
    assert [str(bar) for bar in found.bars] == ["judge.agreement>=0.8"]
    verdicts = {judge.name: judge.verdict for judge in found.judges}
    assert verdicts == {"bad": "not passed", "near": "undecided", "good": "passed"}
    table = table_of(found)
    bars = [column.title for column in table.columns].index("bars")
    assert [row.figures[bars].text for row in table.rows] == ["1/1", "0/1", "0/1"]
    assert "judge.agreement>=0.8: not reached (" in table.rows[2].figures[bars].detail
    assert "Estimates decides them" in table.notes[1]
    assert "judge.agreement>=0.8: reached (" in judge_text(found.judges[0])


def test_of_judges_held_against_bars_the_cheapest_that_passes_is_named_with_how_sure_that_is():
    found = found_of(
        cells(
            by("bad", *range(1, 40), cost=0.1),
            by("good", 1, 2, cost=1.0, round=2),
            by("best", 3, cost=5.0, round=3),
        ),
        **HELD,
    )
    assert texts(found).startswith(
        "Use good: it is the cheapest that passes. best is right more often by +0.017 (",
    )
    assert "which chance alone can do." in texts(found)
    assert "None of them passes." in texts(
        found_of(
            cells(by("a", *range(1, 40)), by("b", *range(1, 30), round=2)),
            **HELD,
        ),
    )


def test_a_judge_that_gave_no_labels_to_some_cells_reaches_no_bar_for_sure():
    found = found_of(cells(failing("b", 1, 2, 3)), **HELD)
    judges = by_name(found)
    assert (judges["a"].verdict, judges["b"].verdict) == ("passed", "undecided")
    assert judges["b"].bars[0].why == "some of its cells got no answer"


def test_a_judge_reaches_a_bar_once_the_cells_that_it_failed_on_are_answered():
    (first, *others) = cells(by("old"))
    failed = Fact(0, "2026-01-01T00:00:00Z", "", Failed("No.", "", {"name": "old"}))
    again = replace(first.cell, facts=(failed, *first.cell.facts), revised=-1)
    (judge,) = found_of([replace(first, cell=again), *others], **HELD).judges
    assert (judge.verdict, judge.bars[0].why) == ("passed", "")


def test_a_bar_and_what_is_saved_are_those_of_a_check_on_a_gold_set(tmp_path):
    gold = frozen(tmp_path, "judge.agreement>=.8", count=40, own_errors=[4, 5, 6])
    audit = load_audit(tmp_path / "x.audit.toml")
    checked = check(gold, in_audit(audit, "old", gold), gold.bars)
    count = JudgesCount(traits=audit.rubric.every_trait(), bars=gold.bars)
    for one in audit.cells:
        count.add(one)
    (judge,) = count.compared_judges().judges
    (ours,) = judge.bars
    (theirs,) = checked.bars
    assert (ours.worth.interval, ours.decision) == (
        theirs.worth.interval,
        theirs.decision,
    )
    assert (judge.help.judge_share, judge.help.weight) == (
        checked.saves,
        checked.weight,
    )
    (row,) = table_of(count.compared_judges()).rows
    assert row.figures[8].text == f"{checked.saves:.0%}"
    assert f"λ {checked.weight:.2f}" in row.figures[8].detail


def test_where_only_counts_are_shown_there_is_no_bar_and_nothing_is_saved():
    found = found_of(
        cells(by("a"), by("b", round=2)),
        reasons=Reasons("Unequal.", "Unequal."),
        **HELD,
    )
    assert all(not judge.bars and judge.help is None for judge in found.judges)
    titles = [column.title for column in table_of(found).columns]
    assert table_of(found).rows[0].figures[titles.index("bars")].detail == "Unequal."


# -- which judge -----------------------------------------------------------------------------------


def test_the_cheapest_that_cannot_be_told_from_the_best_is_named_with_the_interval():
    found = two_rounds()
    choice = found.choice
    assert (choice.judge.name, choice.best.name) == ("old", "new")
    judges = by_name(found)
    expected = paired_difference(
        patterns_of_two(judges["old"].clusters, judges["new"].clusters),
    )
    assert choice.difference == expected
    assert expected.value == pytest.approx(4 / 60)
    assert "The cheapest that cannot be told from the best is old." in texts(found)
    assert "new is right more often by +0.067 (" in texts(found)


def test_of_judges_that_are_right_as_often_none_is_said_to_be_so_more_often():
    alike = cells(
        by("dear", 1, 2, cost=5.0),
        by("cheap", 3, 4, cost=1.0, round=2),
    )
    told = texts(found_of(alike))
    assert told.startswith(
        "The cheapest that cannot be told from the best is cheap. dear is not right more often on"
        " the answers that both gave: 0 (",
    )
    assert texts(found_of(alike, **HELD)) == (
        "Use cheap: it is the cheapest that passes, and none agrees more with people."
    )


def test_a_judge_that_is_better_only_where_another_gave_no_answer_is_not_right_more_often():
    found = found_of(
        cells(
            by("dear", 1, 2, cost=5.0),
            by("cheap", 3, 4, cost=1.0, of=50, round=2),
        ),
        **HELD,
    )
    assert texts(found).startswith(
        "Use cheap: it is the cheapest that passes. dear agrees more, but is not right more often on"
        " the answers that both gave: 0 (",
    )


def test_a_judge_that_is_worse_by_more_than_chance_is_not_named_however_cheap():
    found = found_of(
        cells(by("bad", *range(1, 30), cost=0.1), by("good", cost=9.0, round=2)),
    )
    assert texts(found) == (
        "good agrees more with people than the others do, by more than chance."
    )


def test_the_best_is_named_where_none_that_is_as_good_costs_less():
    found = found_of(
        cells(by("dear", 1, 2, cost=5.0), by("best", 3, cost=5.0, round=2)),
    )
    assert texts(found) == (
        "best agrees most with people, and costs no more than dear, which chance alone can"
        " set below it."
    )


def test_none_is_the_cheapest_where_not_all_costs_are_known():
    found = found_of(cells(by("a", 1, 2, cost=5.0), by("b", 3, round=2)))
    assert found.choice.judge is None
    assert "is not known: not all have costs." in texts(found)


def test_of_judges_of_too_few_common_traces_nothing_is_said():
    left = by("left", 1, of=30)
    right = {
        number: said
        for number, said in by("right", 40, 41, round=2).items()
        if number > 25
    }
    found = found_of(cells(left, right))
    assert [judge.name for judge in found.choice.apart] == ["right"]
    assert texts(found) == (
        "left agrees most with people, of those that can be compared. Whether right may do as well"
        " cannot be told: too few of the traces were judged by both."
    )


def test_with_fewer_than_twenty_traces_only_counts_are_shown():
    found = found_of(cells(by("old", 1), by("new", round=2), of=19))
    assert found.choice is None
    assert texts(found) == (
        "Which judge is better cannot be told yet. Shares are shown from 20 traces on, and 19 are compared."
    )
    row = table_of(found).rows[1]
    assert [one.text for one in row.figures[:7]] == ["19", "19", "", "", "", "0", "1"]
    assert "Shares are shown from 20 traces on" in row.figures[2].detail


def test_with_unequal_chances_only_counts_are_shown():
    found = found_of(
        cells(by("a"), by("b", round=2)),
        reasons=Reasons("Unequal.", "Unequal."),
    )
    assert texts(found) == "Which judge is better cannot be told yet. Unequal."


def test_a_single_judge_is_shown_with_how_another_is_asked():
    found = found_of(cells(by("old", 1), of=30))
    assert (
        texts(found)
        == f"old is the only judge of the cells that people settled. {ANOTHER}"
    )
    assert len(table_of(found).rows) == 1
    assert "J asks" in judges_page(found, "J asks")[0].texts[1].text


def test_a_hostile_name_is_inert():
    found = found_of(cells(by("\x1b[2J\u202eold", 1), by("new", 2, round=2)))
    written = texts(found) + "".join(
        row.name + row.detail for row in table_of(found).rows
    )
    assert "\x1b" not in written
    assert "\u202e" not in written


@given(st.sets(st.integers(1, 12)), st.sets(st.integers(1, 12)))
def test_two_judges_are_apart_by_what_one_gained_less_what_it_lost(first, second):
    def answers(wrong):
        return {n: {n: ("no" if n in wrong else "yes", "yes")} for n in range(1, 13)}

    difference = paired_difference(patterns_of_two(answers(first), answers(second)))
    assert difference.value == pytest.approx((len(first) - len(second)) / 12)
    assert difference.low <= difference.value <= difference.high


def test_a_sentence_has_all_figures_of_a_judge_that_are_known():
    _, old = two_rounds().judges
    assert judge_text(old) == (
        "old: 52 of 60 answers as people give them (0.867, 0.750–0.942); 4 gained, 8 lost beside the"
        " current judge; a cell costs 0.001; a cell takes 0.5 s."
    )
    (alone,) = found_of(cells(by("old"), of=2)).judges
    assert judge_text(alone) == (
        "old, whose labels the cells have now: 2 of 2 answers as people give them."
    )


# -- a workspace -----------------------------------------------------------------------------------


def test_a_workspace_is_counted_as_its_facts_tell_it(tmp_path):
    with audited(tmp_path, 4, own_errors=[2], signed=3) as at:
        seen = []
        found = judges_at(at.workspace.path, lambda done, _: seen.append(done))
    (judge,) = found.judges
    assert (judge.name, judge.cells, judge.agreement.agreed) == ("old", 3, 2)
    assert seen[:4] == [0, 1, 2, 3]


def test_several_judges_are_known_of_before_anything_is_counted(tmp_path):
    with audited(tmp_path, 3) as at:
        assert not has_several_judges(at.workspace)
        at.receive(2, by("new", round=2)[2])
        assert has_several_judges(at.workspace)
    (tmp_path / "each").mkdir()
    with bench(tmp_path / "each", *TRACES[:2], of=RUBRIC) as at:
        at.receive(1, by("old")[1])
        assert not has_several_judges(at.workspace)
        at.receive(2, by("new")[2])
        assert has_several_judges(at.workspace)
    (tmp_path / "panel").mkdir()
    with bench(tmp_path / "panel", *TRACES[:1], of=RUBRIC) as at:
        at.receive(1, panel(("a", 1.0, {1}), ("b", 1.0, {2}))[1])
        assert has_several_judges(at.workspace)


def test_a_judge_that_is_hidden_in_some_cells_is_not_one_more(tmp_path):
    with sampled(tmp_path, count=40, drawn=30, ruled=5) as at:
        assert not has_several_judges(at.workspace)


def test_the_bars_of_an_audits_sample_are_what_its_judges_are_held_against(tmp_path):
    with sampled(tmp_path, count=40, drawn=30, ruled=30) as at:
        assert judges_at(at.workspace.path).bars == []
        seen = LookedUnplanned(
            "Polite",
            "judge.agreement>=0.1",
            30,
            0.9,
            0.8,
            0.95,
            "reached",
        )
        at.record(seen)
        at.record(replace(seen, bar="yes>=0.1"))
        found = judges_at(at.workspace.path)
    assert [str(bar) for bar in found.bars] == ["Polite:judge.agreement>=0.1"]
    assert [judge.verdict for judge in found.judges] == ["passed"]
