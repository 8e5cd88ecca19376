import dataclasses
import json
from collections import Counter
from csv import DictReader
from io import StringIO
from re import findall

import pytest
from msgspec.structs import replace
from sampled_stage import AT, WARNS, sampled

from appellate.core.cell import fold
from appellate.core.deciding import Correct, decide
from appellate.core.design_facts import (
    DesignFact,
    Joined,
    Looked,
    LookedUnplanned,
    Probed,
    SecondPass,
    Withdrawn,
)
from appellate.core.facts import Corrected, Fact, Proposed, Ruled
from appellate.core.scale import NO_BOUND
from appellate.numbers.data import csv_parts, json_parts
from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.pictures import estimate_rows
from appellate.numbers.report import report
from appellate.stats.designs import written
from appellate.traits.llm.edits import Edit
from golden import golden

__all__ = ["golden"]


@pytest.fixture(scope="module")
def told():
    return report(sampled())


def section(text, title):
    """What stands under a heading of a report in Markdown."""
    part = text.split(f"## {title}\n")[1].split("\n## ")[0]
    return part.removeprefix("\n</summary>\n").partition("\n</details>")[0].strip()


def test_the_picture_says_in_words_what_it_shows(told):
    page = html(told)
    assert (
        "answered yes · Warns, 0–1: corrected 0.750, 0.585–0.900, people only 0.750"
        in page
    )
    assert 'class="error signed"' in page


def test_intervals_that_are_right_at_any_look_are_not_said_to_be_so_from_sixty_audits_on():
    by_residuals = markdown(report(sampled()))
    assert "Some rest on 32 audits. Below 60 the intervals hold" in by_residuals
    by_betting = markdown(report(sampled(looks=False)))
    assert "Below 60 the intervals" not in by_betting
    assert "Do not stop when an interval" not in by_betting
    assert (
        "No bar was planned or decided. These intervals are right however often you look"
        in section(by_betting, "Sample and looks")
    )


def test_a_picture_of_intervals_says_their_levels(told):
    warns, clear = [worth for worth in told.sample.worths if worth.estimate]
    looked = estimate_rows([warns])
    assert looked.title == "Estimates with 98.3 % intervals"
    assert looked.words[0].endswith("judge only 0.750, intervals of 98.3 %")
    both = estimate_rows([warns, clear])
    assert both.caption.endswith("judge only, with 98.3 % and 95 % intervals")
    assert both.words[1].endswith("judge only 3.550")


def test_a_bias_without_a_width_has_no_empty_brackets():
    whole = section(markdown(report(sampled(2, 2, 2))), "In short")
    assert "by 1.50 too high on average." in whole
    assert "()" not in whole


def test_what_cannot_be_told_says_why():
    worth = section(markdown(report(sampled(audited=0))), "How good the judge is")
    assert (
        "Not shown: share answered yes in Warns, score in Clear. None of the 40 drawn is audited"
        in worth
    )


def test_a_judge_that_does_not_help_is_called_one():
    worth = section(markdown(report(sampled(right=0.0))), "How good the judge is")
    assert (
        "The judge does not help here (its weight is 0): share answered yes in Warns"
        in worth
    )


def test_programs_have_all_of_it(told):
    document = json.loads("".join(json_parts(told)))
    first = document["worth"]["estimates"][0]
    assert (first["trait"], first["metric"], first["n"], first["frame"]) == (
        "Warns",
        "yes",
        32,
        80,
    )
    assert [one["act"] for one in document["design"]] == [
        "sampled",
        "looks_planned",
        "probed",
    ]
    assert document["judge"][0]["template_sha256"] == "7e3a" * 16
    assert document["limits"][0].startswith("The estimates are of the 80 traces")
    assert document["bibtex"][0].startswith("@book{sarndal1992,")


def test_rows_say_what_was_drawn_and_what_was_ruled_before_the_judge_was_seen(told):
    rows = list(DictReader(StringIO("".join(csv_parts(told)))))
    counted = Counter(row["sampled"] for row in rows if row["metric"] == "yes")
    assert counted == {"": 40, "hidden": 8, "ruled": 32}
    verdicts = [
        float(row["verdict"])
        for row in rows
        if row["verdict"] and row["metric"] == "yes"
    ]
    assert sum(verdicts) / len(verdicts) == pytest.approx(0.75)
    assert all(not row["judge"] for row in rows if row["sampled"] == "hidden")


# -- other designs, other people ------------------------------------------------------------------


def drawn_otherwise(design, by, *strata):
    """The same sample, said to be drawn in two strata: the traces of one model and of the other."""
    audit = sampled(looks=False)
    first, *rest = audit.design
    names = [stratum["name"] for stratum in strata]
    of = {trace.id: place % 2 for place, trace in enumerate(audit.traces)}
    units = [
        unit | {"stratum": names[of[unit["traces"][0][0]]]} for unit in first.what.drawn
    ]
    counts = Counter(unit["stratum"] for unit in units)
    what = replace(
        first.what,
        design=design,
        strata_by=by,
        frame_strata=written([place % 2 for place in range(80)]),
        strata=[
            stratum | {"units": 40, "drawn": counts[stratum["name"]]}
            for stratum in strata
        ],
        drawn=units,
    )
    audit.design[:] = [replace(first, what=what), *rest]
    return audit


def drawn_anew():
    """A sample that is not the first."""
    audit = sampled()
    first = audit.design[0]
    gone = [
        replace(first, n=-1, what=replace(first.what, seed=99)),
        DesignFact(0, first.at, "ada", Withdrawn(len(first.what.drawn), 2)),
    ]
    return replace(audit, design=[*gone, *audit.design])


def eventful():
    """An audit to which everything happened that may."""
    audit = sampled()
    side = {"name": "ada", "file": "a.audit.toml"}
    passed = {"trait": "Warns", "answers": 6, "alike": 5}
    passes = [
        passed | {"blind_before": True, "kappa": 0.62},
        passed | {"blind_before": False},
    ]
    events = [
        Looked(2, 1, 20, 0.8, 0.7, 0.9, "trusted"),
        LookedUnplanned("Clear", "score>=3", 40, 3.5, 3.1, 3.9, "trusted"),
        SecondPass("ada", 6, {"traits": passes}),
        Joined([side, side], 1, 12, 3),
    ]
    audit.design.extend(
        DesignFact(n, AT, "bo", what) for n, what in enumerate(events, 4)
    )
    return audit


LEVELS = [
    {"name": "disagreement 1/10", "chance": 0.4},
    {"name": "disagreement 9/10", "chance": 0.6},
]
PARTS = ("What the numbers do not say", "Sample and looks", "Who reviewed")


def test_designs_are_told_word_for_word(golden):
    designs = {
        "strata": drawn_otherwise(
            "stratified",
            ["model"],
            {"name": "a"},
            {"name": "b"},
        ),
        "unequal chances": drawn_otherwise("active", ["disagreement"], *LEVELS),
        "not the first sample": drawn_anew(),
        "all that may happen": eventful(),
    }
    texts: list[str] = []
    for name, audit in designs.items():
        text = markdown(report(audit))
        cited, _ = section(text, "Where the methods are from").split("```bibtex")
        texts += [f"==== {name}", *(section(text, part) for part in PARTS), cited]
    golden("designs", "\n\n".join(texts))


def test_a_second_pass_or_probe_with_changed_numbers_is_told_as_far_as_it_can_be():
    audit = sampled()
    tables = [
        {"trait": "Warns"},
        "x",
        {"answers": 6, "alike": 5},
        {"trait": "Clear", "answers": 6, "alike": 5, "kappa": "high"},
        {"trait": "Warns", "answers": 6, "alike": 5, "kappa": 10**400},
    ]
    passes = [{"traits": tables}, {"traits": 7}, {"traits": []}]
    probes = [
        {"low": 0.1},
        {"low": "a", "high": "b", "share": "c", "answers": "d"},
        {"low": 0, "high": -(10**400), "share": 10**400},
    ]
    for outcome, probed in zip(passes, probes, strict=True):
        events = [
            SecondPass("ada", 6, outcome),
            Probed("order", {"name": "m"}, 5, probed),
        ]
        facts = [DesignFact(n, AT, "bo", what) for n, what in enumerate(events, 9)]
        text = markdown(report(replace(audit, design=[*audit.design, *facts])))
        told = "ada, a second time, on Clear, with the judge in sight at first: 5 of 6 answers"
        assert (told in text) == (outcome is passes[0])
        assert "| order | m |" in section(text, "Probes of the judge")


def test_what_was_withdrawn_is_in_no_number():
    first, anew = (markdown(report(audit)) for audit in (sampled(), drawn_anew()))
    assert estimated(first) == estimated(anew)


def without(audit, place, *acts):
    """The audit, one cell of which lacks what happened by these."""
    cell = audit.cells[place].cell
    facts = [fact for fact in cell.facts if not isinstance(fact.what, acts)]
    audit.cells[place] = replace(audit.cells[place], cell=fold(cell.subject, facts))
    return audit


def estimated(text):
    return section(text, "How good the judge is").splitlines()


def test_cells_that_nobody_judged_and_units_that_were_passed_over_are_told():
    audit = sampled()
    drawn = audit.design[0].what.drawn
    names = [trace.id for trace in audit.traces]
    undrawn = next(
        place
        for place, name in enumerate(names)
        if all(unit["traces"][0][0] != name for unit in drawn)
    )
    without(audit, 2 * undrawn, Proposed)
    passed = names.index(drawn[25]["traces"][0][0])
    without(audit, 2 * passed, Ruled, Corrected)
    text = markdown(report(audit))
    assert "1 cell of the frame has no labels of the judge" in text
    assert (
        "Number 26 of the draw was passed over: 6 traces after it do not count" in text
    )
    row = next(line for line in estimated(text) if line.startswith("| Warns · yes |"))
    assert row.startswith("| Warns · yes | 25 |")
    assert row.endswith("| 80 |")


def test_prompts_that_differ_are_counted_and_a_probe_without_an_interval_has_a_dash():
    audit = sampled()
    place = next(
        place
        for place, audited in enumerate(audit.cells)
        if len(audited.cell.facts) == 1
    )
    cell = audit.cells[place].cell
    fact = cell.facts[0]
    other = replace(
        fact,
        what=Proposed(fact.what.table, fact.what.judge | {"prompt_sha256": "cc"}),
    )
    audit.cells[place] = replace(audit.cells[place], cell=fold(cell.subject, [other]))
    audit.design.append(
        DesignFact(9, AT, "ada", Probed("pad", {"name": "gpt"}, 1, {"answers": 1})),
    )
    text = markdown(report(audit))
    assert "(as sent: 2 that differ)" in text
    assert "| pad | gpt |  | 1 | 1 | – | – | – |" in text


@pytest.mark.slow
def test_beyond_five_hundred_numbers_the_rest_is_counted(told):
    many = replace(told.sample, worths=[*told.sample.worths] * 260)
    text = markdown(replace(told, sample=many))
    assert "20 further rows left out here; --format json has them all." in text


def test_a_number_without_bounds_is_drawn_from_the_least_to_the_most_of_what_is_shown(
    told,
):
    clear = told.sample.worths[1]
    plot = estimate_rows([clear]).svg("x")
    open_ended = replace(clear, measure=replace(clear.measure, high=NO_BOUND))
    alone = replace(
        open_ended,
        estimate=dataclasses.replace(clear.estimate, judge_only=None),
        group="",
    )
    shown = estimate_rows([alone, replace(clear, estimate=None)]).svg("x")
    ends = [float(end) for end in findall(r'x[12]="([\d.]+)"', shown)]
    # of the axis, and of what is shown on it
    assert ends.count(0) == ends.count(max(ends)) == 2
    assert (
        min(float(end) for end in findall(r'x1="([\d.]+)" x2="[\d.]+" y1="22', plot))
        > 0
    )
    assert 'class="judge"' in plot
    assert 'class="judge"' not in shown
    assert shown.count("<circle") == 2
    assert "–: score · Clear" in shown
    assert "judge only –" in shown


def test_what_people_ruled_blind_is_no_correction(told):
    assert [one.corrections for one in told.cells if one.sampled == "ruled"] == [0] * 64
    (ada,) = told.reviewers
    assert (ada.corrections, ada.signed_off, ada.ruled) == (0, 64, 64)
    sighted = report(sampled(blind=False))
    assert (
        len(sighted.corrections) == sum(one.corrections for one in sighted.cells) == 6
    )
    assert "58 of 64 cells signed off as the judge proposed." in markdown(sighted)


def test_a_correction_after_the_ruling_is_one(told):
    audit = sampled()
    place = next(place for place, one in enumerate(audit.cells) if one.cell.ruled)
    cell = audit.cells[place].cell
    turned = Edit("set", not cell.labels.value if cell.subject.trait is WARNS else 1)
    facts = [
        *cell.facts,
        Fact(9, AT, "ada", decide(cell, Correct(turned, "I saw more"))),
    ]
    audit.cells[place] = replace(audit.cells[place], cell=fold(cell.subject, facts))
    found = report(audit)
    assert [act.n for act in found.corrections] == [9]
    text = section(markdown(found), "Corrections")
    assert "64 cells were ruled blind: the verdicts there are no corrections" in text


def test_cells_that_are_still_to_be_ruled_on_are_apart_for_programs_too(told):
    document = json.loads("".join(json_parts(told)))
    assert (document["hidden"], document["states"]["pending"]) == (16, 0)
    assert (
        sum(document["traits"][0]["states"].values()) + document["traits"][0]["hidden"]
        == 80
    )


def test_how_narrow_more_audits_make_it_is_told_of_as_many_as_are_left():
    text = markdown(report(sampled(60, 50, 43)))
    assert any("17 more audits would give about ±" in line for line in estimated(text))
    assert "40 more" not in text


def test_a_first_trait_without_an_estimate_is_said_before_the_next_that_has_one(told):
    first, *others = told.sample.worths
    assert first.measure.name == told.traits[0].headline.name
    none = replace(first, estimate=None, interval=None, wanting="all is 0/0")
    sample = replace(told.sample, worths=[none, *others])
    opening = section(markdown(replace(told, sample=sample)), "In short")
    assert "Clear: the judge gives people's score to 27 of 32 responses" in opening
    assert "there is no number for all 80 responses yet (all is 0/0)." in opening
    assert "Over all 80 responses the mean score by people would be about " in opening


def test_a_narrow_page_has_each_figure_of_the_opening_beside_its_head(told):
    opening, _, folded = html(told).partition("<details>")
    assert 'data-head="estimate for all (95 %)"' in opening
    assert "data-head" not in folded


def test_the_opening_says_how_it_was_drawn_and_who_ruled(told):
    opening = section(markdown(told), "In short")
    assert "Simple random sample: 40 of 80, seed 7, blind; ruled by ada." in opening


def signed_outside(told, name):
    """The report with its cells outside of the sample signed off by someone."""
    cells = [
        cell if cell.sampled else replace(cell, signed_by=name) for cell in told.cells
    ]
    return replace(told, cells=tuple(cells))


def test_who_signed_off_only_cells_outside_of_the_sample_did_not_rule_on_it(told):
    opening = section(markdown(signed_outside(told, "bob")), "In short")
    assert "40 of 80, seed 7, blind; ruled by ada." in opening
    nobody_ruled = signed_outside(report(sampled(audited=0)), "bob")
    opening = section(markdown(nobody_ruled), "In short")
    assert "40 of 80, seed 7, blind; nothing of it is ruled on yet." in opening
    assert "ruled by" not in opening


def test_a_hash_of_the_frame_that_somebody_wrote_is_told_inert():
    audit = sampled()
    drawn = audit.design[0]
    forged = replace(drawn, what=replace(drawn.what, frame_sha256="ab\x1b[2J"))
    text = markdown(report(replace(audit, design=[forged, *audit.design[1:]])))
    assert "\x1b" not in text
