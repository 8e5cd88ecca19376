import json
from collections import Counter
from csv import DictReader
from dataclasses import replace
from io import StringIO

import pytest
from report_stage import lived
from sampled_stage import sampled

from appellate.core.design_facts import DesignFact, Sampled, Withdrawn
from appellate.report.contents import report
from appellate.report.data import as_csv, as_json
from appellate.report.html import html
from appellate.report.markdown import markdown


@pytest.fixture(scope="module")
def told():
    return report(sampled())


def section(text, title):
    """What stands under a heading of a report in Markdown."""
    return text.split(f"## {title}\n")[1].split("\n## ")[0]


def test_every_estimate_stands_with_its_interval_its_design_and_its_audits(told):
    worth = section(markdown(told), "What the judge is worth")
    assert "Simple random sample: 40 of 80, seed 7, blind" in worth
    row = next(line for line in worth.splitlines() if line.startswith("| Warns"))
    assert "0.781 (0.712–0.856) | 0.781 (0.653–0.898) | 0.750 | 32 of 80 |" in row


def test_the_picture_says_in_words_what_it_shows(told):
    page = html(told)
    assert "yes of Warns, 0–1: corrected 0.781, 0.712–0.856, people only 0.781" in page
    assert 'class="error signed"' in page


def test_groups_have_estimates_of_their_own_and_their_difference():
    by_model = section(markdown(report(sampled(160, 80, 80), "model")), "What the judge is worth")
    assert "each corrected by its own audits" in by_model
    assert "| Warns | a | yes |" in by_model
    assert "yes of Warns: b less a is" in by_model or "yes of Warns: a less b is" in by_model


def test_what_cannot_be_told_says_why():
    worth = section(markdown(report(sampled(audited=10))), "What the judge is worth")
    assert "Not told: yes of Warns, score of Clear. Told from 20 audited units on" in worth
    assert "Where the judge goes wrong" not in worth


def test_a_judge_that_does_not_help_is_called_one():
    worth = section(markdown(report(sampled(right=0.0))), "What the judge is worth")
    assert "The judge does not help here (its weight is 0): yes of Warns" in worth


def test_looks_that_were_planned_are_told_with_what_they_decided(told):
    text = section(markdown(told), "Sample and looks")
    assert "planned looks at 20, 30, 40" in text
    assert "Look 1 of 3, at 20" in text
    unplanned = section(markdown(report(sampled(looks=False))), "Sample and looks")
    assert "No look was planned, so nothing is decided against a bar here" in unplanned


def test_the_judge_is_told_by_the_fingerprint_of_its_prompt(told):
    row = section(markdown(told), "The judge").splitlines()[-1]
    assert "| gpt-9 | – | " + "7e3a" * 16 in row
    assert "a1b2" * 16 in row
    assert "temperature 0&#46;0" in row or "temperature 0.0" in row


def test_probes_stand_with_what_a_sound_judge_does(told):
    assert "| order | gpt-9 | stay | 24 | 24 | 3 | 0.125 | 0.040–0.300 |" in markdown(told)
    assert "was not probed" in section(markdown(report(lived_twice())), "Probes of the judge")


def lived_twice():
    audit = sampled(looks=False)
    audit.design.pop()
    return audit


def test_reasons_of_corrections_are_counted():
    text = section(markdown(report(sampled(blind=False))), "Corrections")
    assert "Corrections that stand, by reason" in text
    assert "| It says so | 2 |" in text


def test_limits_say_what_was_seen_and_by_whom(told):
    title = "What the numbers do not say"
    blind = section(markdown(told), title)
    sighted = section(markdown(report(sampled(blind=False))), title)
    assert "One person (ada) ruled" in blind
    assert "had the judge's labels before them" in sighted
    assert "had the judge's labels before them" not in blind
    assert "Some rest on 32 audits. Below 60 the intervals hold the truth" in blind
    assert "Some rest on" not in section(markdown(report(sampled(audited=10))), title)


def test_methods_are_cited_as_far_as_they_are_used(told):
    text = section(markdown(told), "Where the methods are from")
    assert "@book{sarndal1992," in text
    assert "@article{dunn1961," in text
    assert "neyman1934" not in text
    assert "dunn1961" not in markdown(report(sampled(looks=False)))


def test_without_a_sample_nothing_is_estimated(tmp_path):
    text = markdown(report(lived(tmp_path)))
    assert "There is no random sample" in section(text, "What the judge is worth")
    assert "cells that they chose to open" in section(text, "What the numbers do not say")
    assert "sarndal1992" not in text


def test_programs_have_all_of_it(told):
    document = json.loads(as_json(told))
    first = document["worth"]["estimates"][0]
    assert (first["trait"], first["metric"], first["n"], first["frame"]) == ("Warns", "yes", 32, 80)
    assert [one["act"] for one in document["design"]] == ["sampled", "looks_planned", "probed"]
    assert document["judge"][0]["template_sha256"] == "7e3a" * 16
    assert document["limits"][0].startswith("The estimates are of the 80 traces")
    assert document["bibtex"][0].startswith("@book{sarndal1992,")


def test_rows_say_what_was_drawn_and_what_was_ruled_before_the_judge_was_seen(told):
    rows = list(DictReader(StringIO(as_csv(told))))
    counted = Counter(row["sampled"] for row in rows if row["metric"] == "yes")
    assert counted == {"": 40, "hidden": 8, "ruled": 32}
    verdicts = [float(row["verdict"]) for row in rows if row["verdict"] and row["metric"] == "yes"]
    assert sum(verdicts) / len(verdicts) == pytest.approx(0.78125)
    assert all(not row["judge"] for row in rows if row["sampled"] == "hidden")


def test_a_sample_that_was_withdrawn_is_told_beside_the_one_that_stands():
    audit = sampled()
    first = next(fact for fact in audit.design if isinstance(fact.what, Sampled))
    gone = [
        replace(first, n=-2, what=replace(first.what, seed=99)),
        DesignFact(-1, first.at, "ada", Withdrawn(len(first.what.drawn), 2)),
    ]
    text = markdown(report(replace(audit, design=[*gone, *audit.design])))
    design = section(text, "Sample and looks")
    assert "A sample was withdrawn before any verdict (ada 2026-11-22; simple random" in design
    assert "seed 99, blind). 2 cells had been begun." in design
    assert "withdrew the sample of 40, before any verdict; 2 cells had been begun" in design
    assert "This is not the first sample" in section(text, "What the numbers do not say")
    assert section(text, "What the judge is worth") == section(
        markdown(report(audit)), "What the judge is worth"
    )
