"""Numbers, reports and the log of an audit with traits of every kind: nobody outside of a kind
knows what it is.
"""

import csv
import io
import json
import re

import pytest
from markdown_it import MarkdownIt
from report_stage import Read

from all_kinds import CLASSES, EDITS, NAMES, RUBRIC, bench_of_all_kinds
from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.numbers.data import csv_parts, json_parts, trait_table
from appellate.numbers.html import html
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from appellate.store.audits.audit import load_audit
from appellate.traits.metric.edits import Edit
from cells import (
    EXPECTED,
    GENE,
    PLACE,
    bench,
    breakdowns_of,
    checklist,
    matrix,
    place,
    proposal,
    rubric,
    select,
)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    with bench_of_all_kinds(folder) as at:
        at.save()
    return place(folder).audit


@pytest.fixture(scope="module")
def told(file):
    return report(load_audit(file))


def test_every_measure_has_four_sides_and_means_where_nothing_is_pooled(file):
    traits = {
        trait.trait: trait_table(trait) for trait in breakdowns_of(load_audit(file))
    }
    assert list(traits) == NAMES
    (clarity,) = traits["Clarity"]["metrics"].values()
    none = {"undefined": 0, "unscored": 0, "cannot_tell": 0}
    alone = {"std": 0.0, "stderr": 0.0, "clusters": 1}
    assert clarity["signed"] == {"micro": 5.0, "macro": 5.0, "n": 1, **none, **alone}
    assert clarity["judge"]["macro"] == 2.0
    both = {"std": pytest.approx(2**0.5), "stderr": pytest.approx(1), "clusters": 2}
    assert clarity["judge_all"] == {"micro": 3.0, "macro": 3.0, "n": 2, **none, **both}
    assert clarity["standing"]["macro"] == 4.5
    assert {trait["kind"] for trait in traits.values()} == {
        known.kind.name for known in RUBRIC.every_trait()
    }


def test_a_prompt_of_each_trait_mixes_no_numbers(tmp_path):
    traits = matrix(), checklist()
    with bench(tmp_path, of=rubric(*traits)) as at:
        for number, trait in enumerate(traits, 1):
            at.receive(number, proposal(trait, template_sha256=trait.name))
        at.save()
    found = report(load_audit(place(tmp_path).audit))
    assert len(found.judges_used) == 2
    assert not any(
        "judges or prompts" in text
        for text in json.loads("".join(json_parts(found)))["limits"]
    )


def test_metrics_tell_the_bounds_and_the_direction_where_they_are_not_the_usual(
    file,
    capsys,
):
    assert main(["metrics", str(file), "--all"]) == 0
    text = capsys.readouterr().out
    assert re.search(r"score \(1–5\) +1 +0 +5\.000 +2\.000 +\+3\.000 +5\.000", text)
    assert "score (1–10, lower is better)" in text
    assert re.search(r"^    f1 {10}", text, re.MULTILINE)


def test_the_log_tells_every_edit_in_the_words_of_its_kind(file, capsys):
    assert main(["log", str(file)]) == 0
    lines = capsys.readouterr().out
    for name in NAMES:
        assert f"· {name}  " in lines
    assert "moved TP → FN" in lines
    assert "changed the verdict" in lines
    assert lines.count("because: as it says") == len(EDITS)


def test_the_spread_has_a_part_for_each_step_of_a_short_scale(told):
    clarity = next(trait for trait in told.traits if trait.name == "Clarity")
    spread = clarity.spread[clarity.headline.name]
    assert spread["judge_all"] == [0, 1, 0, 1, 0]
    assert spread["standing"] == [0, 0, 0, 1, 1]


def test_answers_are_told_in_the_words_of_the_kind_with_how_often_they_were_overruled(
    told,
):
    answers = {trait.name: trait.numbers.instructions[0].stats for trait in told.traits}
    assert answers["Safe"].answers == {"no": 2}
    assert answers["Coverage"].answers == {"full": 2}
    assert answers["Cites"].answers == {"no match": 2}
    assert [
        answers[name].overruled for name in ("Safe", "Coverage", "Cites", "Hedging")
    ] == [
        1,
        1,
        1,
        0,
    ]


def test_markdown_and_html_tell_of_each_trait_and_escape_the_names_of_classes(told):
    text, page = markdown(told), html(told)
    shown = Read(page)
    words = " ".join(shown.words)
    for name in NAMES:
        assert f"## {name}" in text
        assert name in words
    assert "score (1–10, lower is better)" in words
    assert "<b>" not in page
    assert not [
        token
        for token in MarkdownIt("gfm-like").parse(text)
        if token.type == "html_inline"
    ]
    picture = [style for tag, style in shown.elements if tag == "rect"]
    assert picture
    assert all(float(dict(one)["width"] or 0) <= 480 for one in picture)


def test_json_and_csv_have_what_is_counted_and_said_of_any_kind(told):
    document = json.loads("".join(json_parts(told)))
    coverage = next(
        trait for trait in document["traits"] if trait["name"] == "Coverage"
    )
    assert list(coverage["metrics"]) == [f"share of {name}" for name in CLASSES]
    assert all(measure["bounds"] == [0, 1] for measure in coverage["metrics"].values())
    rows = list(csv.DictReader(io.StringIO("".join(csv_parts(told)), newline="")))
    by_trait = {row["trait"]: row for row in rows if row["trace"] == "t1"}
    assert by_trait["Cites"]["standing_hits"] == by_trait["Cites"]["judge_hits"] == "2"
    assert by_trait["Accuracy"]["standing_tp"] == "2"
    assert (
        by_trait["Accuracy"]["standing_hits"] == by_trait["Cites"]["standing_tp"] == ""
    )
    assert (
        by_trait["Coverage"]["judge_class"],
        by_trait["Coverage"]["standing_class"],
    ) == (
        "partial",
        "full",
    )


def test_denials_and_wrong_evidence_are_counted_by_trait_side_and_instruction(
    tmp_path,
    capsys,
):
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        at.do(1, Correct(Edit("deny", "fn", **select(PLACE))))
        wrong = Edit("reword", "tp", 2, wrong_evidence=True, **select(GENE))
        at.do(1, Correct(wrong))
        at.sign_off(1)
        at.save()
        audit = load_audit(place(tmp_path).audit)
    (trait,) = map(trait_table, breakdowns_of(audit))
    sides = {"signed": 1, "judge": 0, "judge_all": 0, "standing": 1}
    assert trait["asides"] == {
        "denied": sides,
        "wrong_evidence": sides,
        "omission": dict.fromkeys(sides, 0),
    }
    asides = {one["instruction"]: one["asides"] for one in trait["instructions"]}
    assert asides[EXPECTED[3]] == {"denied": 1}
    assert asides[EXPECTED[2]] == {"wrong_evidence": 1}
    assert asides[EXPECTED[0]] == {}
    told = markdown(report(audit))
    assert "| denied | 1 | 0 | 1 | 0 |" in told
    assert "| overruled | asked | denied | wrong evidence | answers |" in told
    assert "| found | missing | unclear | the response |" in told
    assert "denied FN" in told
    assert "right verdict, wrong evidence: replaced TP" in told
    main(["metrics", str(place(tmp_path).audit), "--all"])
    assert re.search(r"denied +1 +0 +1 +0\n", capsys.readouterr().out)
