"""A report holds the judge against the person, epochs reduced, and groups of traces, each with what it rests on."""

import pytest
from report_stage import MOVE

from appellate.core.deciding import Correct, Receive
from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from appellate.store.audits.audit import load_audit
from appellate.traits.metric.edits import Edit
from cells import bench, place, proposal, trace
from sampled import is_judged_there, is_there, order_of, sampled

IDS, EPOCHS = 5, (1, 2)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Ten cells of two models, all signed off, every third of them corrected; by model."""
    folder = tmp_path_factory.mktemp("compared")
    traces = [
        trace(f"t{number}", epoch=epoch, model="ab"[number % 2])
        for number in range(IDS)
        for epoch in EPOCHS
    ]
    with bench(folder, *traces) as desk:
        for number in range(1, len(traces) + 1):
            desk.do(number, Receive(proposal()))
            if number % 3 == 0:
                desk.do(number, Correct(Edit.from_row(MOVE)))
            desk.sign_off(number)
        desk.save()
    return report(load_audit(place(folder).audit), "model", ("mean", "at_least_1>=0.7"))


def test_the_judge_stands_beside_the_person_pair_by_pair(told):
    text = markdown(told)
    assert "the judge against the person who signed off" in text
    assert "60 answers, 57 alike" in text
    assert "Cohen's kappa 0." in text
    assert "Gwet's AC1 0." in text
    assert "sensitivity" in text


def test_epochs_are_reduced_before_they_are_measured(told):
    (trait,) = told.traits
    reduced = trait.numbers.epochs
    assert [one.reducer for one in reduced] == ["mean", "at_least_1>=0.7"]
    assert [one.sides["f1"]["signed"].n for one in reduced] == [IDS, IDS]
    assert "least" in markdown(told)


def test_groups_stand_side_by_side_with_their_cells(told):
    rows = [line for line in markdown(told).splitlines() if line.startswith(("| a |", "| b |"))]
    assert {line.split("|")[1].strip() for line in rows} == {"a", "b"}
    (trait,) = told.traits
    assert {group.name: group.cells for group in trait.numbers.groups} == {"a": 6, "b": 4}


def test_the_page_draws_the_pairs_and_the_means_of_groups(told):
    page = html(told)
    assert page.count("<svg") >= 4
    assert "judge" in page
    for name in ("found", "missing", ">a<", ">b<"):
        assert name in page


def rows_after(text, sentence):
    """The cells of the first table below a sentence."""
    lines = text.split(sentence, 1)[1].strip().splitlines()
    table = lines[: lines.index("")] if "" in lines else lines
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_blind_verdicts_stand_instruction_by_instruction_the_most_differing_first(tmp_path):
    with sampled(tmp_path, ruled=25) as desk:
        drawn = order_of(desk)[:25]
        desk.save()
    text = markdown(report(load_audit(place(tmp_path).audit)))
    sentence = "**Instructions ruled blind**"
    heads, _, *rows = rows_after(text.split("## Facts")[1], sentence)
    assert (heads[1], heads[2], heads[-1]) == ("answers", "differ", "alike")
    wrong = sum(is_judged_there(one) != is_there(one) for one in drawn)
    assert wrong > 0
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("Doses it", "25", str(wrong)),
        ("Names it", "25", "0"),
    ]
    assert rows[0][-1] == f"{1 - wrong / 25:.3f}"
