"""`appellate metrics` and `report` by groups of traces, with epochs reduced and the judge beside the person."""

import csv
import io
import json

import pytest

from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.database import reading
from appellate.traits.metric.edits import Edit
from cells import bench, breakdowns_of, place, proposal, trace
from sampled import sampled

DROP = Correct(
    Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}),
)
AUDIT = "x.audit.toml"
SIDES = ("signed", "judge", "judge_all", "standing")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two epochs of two questions answered by two models, and one by nobody named; all but the last signed off."""
    folder = tmp_path_factory.mktemp("metrics")
    traces = [
        trace(
            f"{model}-{name}",
            epoch=epoch,
            model=model,
            cluster=name,
            metadata={"site": [name, "x"]},
        )
        for model in ("gpt", "<b>")
        for name in ("a", "b")
        for epoch in (1, 2)
    ]
    with bench(folder, *traces, trace("alone")) as at:
        for number in range(1, 10):
            at.receive(number, proposal())
        for number in (1, 2, 5):
            at.do(number, DROP)
        for number in range(1, 9):
            at.sign_off(number)
        at.save()
    assert place(folder).audit.name == AUDIT
    return folder


@pytest.fixture
def told(folder, monkeypatch, cli):
    monkeypatch.chdir(folder)

    def tell(*arguments):
        return cli(*arguments[:1], AUDIT, *arguments[1:]).out

    return tell


def in_line(text):
    return " ".join(text.split())


def test_the_judge_stands_beside_the_person_with_what_was_overruled_most(told):
    text = told("metrics", "--all")
    told_in_line = (
        "48 answers, 45 alike (0.938), on 2 traces or clusters of traces; Cohen's kappa 0.866,"
        " Gwet's AC1 0.884."
    )
    assert told_in_line in in_line(text)
    assert "    found              29        3      32\n" in text
    for name, value in (
        ("sensitivity", "1.000"),
        ("precision", "0.906"),
        ("specificity", "0.842"),
        ("prevalence", "0.604"),
    ):
        assert f"{name} {value} " in in_line(text)
    assert "    Mentions BCL2 gene\n             3     9 8" in text
    assert "recall · mean of epochs" in text
    assert max(map(len, text.splitlines())) == 80
    assert "<b>" not in text


def test_groups_have_each_metric_and_the_agreement(told):
    lines = told("metrics", "--by", "model").splitlines()
    at = lines.index("  Accuracy by model: signed off:")
    rows = [line.split()[2:] for line in lines[at:] if line.startswith("    recall · ")]
    assert [(row[0], *row[1:4], row[9]) for row in rows[:3]] == [
        ("<b>", "4", "0", "0.688", "0.062"),
        ("gpt", "4", "0", "0.625", "0.125"),
        ("–", "0", "0", "–", "–"),
    ]
    at = lines.index("  Accuracy by model: the judge beside people:")
    assert lines[at + 2].split()[:6] == ["<b>", "4", "4", "4", "24", "1"]
    assert lines[at + 2].split()[-2:] == ["0.909", "0.923"]


def test_json_has_all_of_it_under_further_keys(told):
    document = json.loads(
        told("metrics", "--json", "--by", "meta.site", "--reducer", "at_least_2>=.7"),
    )
    assert document["by"] == "meta.site"
    (trait,) = document["traits"]
    assert [(group["name"], group["cells"]) for group in trait["groups"]] == [
        ("a", 4),
        ("b", 4),
        ("x", 8),
        (None, 1),
    ]
    assert sorted(trait["metrics"]["f1"]) == sorted(SIDES)
    f1 = trait["groups"][0]["metrics"]["f1"]["signed"]
    assert (f1["n"], f1["clusters"], f1["stderr"]) == (4, 1, None)
    (reduced,) = trait["epochs"].items()
    assert reduced[0] == "at_least_2>=.7"
    assert reduced[1]["recall"]["signed"]["macro"] == 0.5
    assert (
        reduced[1]["recall"]["standing"]["n"],
        reduced[1]["recall"]["standing"]["unscored"],
    ) == (5, 0)
    agreement = trait["agreement"]
    assert (agreement["compared"], agreement["agreed"]) == (48, 45)
    assert agreement["positive"] == ["found"]
    assert {"judge": "found", "person": "missing", "answers": 3} in agreement["pairs"]
    assert (
        agreement["by_answer"]["found"]["sensitivity"] == agreement["sensitivity"] == 1
    )
    assert trait["groups"][0]["agreement"]["kappa"] is not None
    assert trait["groups"][-1]["agreement"]["kappa"] is None
    worst = trait["instructions"][0]
    assert (worst["overruled"], worst["agreement"]["compared"]) == (3, 8)
    assert worst["agreement"]["kappa"] is None


def test_csv_has_a_row_for_each_metric_and_side_of_each_group(told):
    rows = list(
        csv.DictReader(
            io.StringIO(told("metrics", "--csv", "--by", "model", "--reducer", "max")),
        ),
    )
    # whole, two models: their epochs too; one says nothing
    assert len(rows) == 5 * 4 * (2 + 2 + 2 + 1)
    found = [
        row
        for row in rows
        if (row["group"], row["metric"], row["side"]) == ("gpt", "recall", "signed")
    ]
    assert [(row["epochs_by"], row["by"], row["macro"], row["n"]) for row in found] == [
        ("", "model", "0.625", "4"),
        ("max", "model", "0.625", "2"),
    ]
    assert (found[0]["compared"], found[0]["agreed"]) == ("24", "22")
    assert found[0]["sensitivity"] == "1.0"


def test_a_report_tells_groups_in_every_form(told):
    markdown = told("report", "--by", "model")
    assert "– are the traces that say nothing of it." in markdown
    assert "| recall · &lt;b&gt; | 4 | 0 | 0.688 |" in markdown
    assert (
        "| &lt;b&gt; | 4 | 4 | 4 | 24 | 1 | 0 | 1 | 1.000 | 0.938 | 0.909 | 0.923 |"
        in markdown
    )
    page = told("report", "--by", "model", "--format", "html")
    assert "&lt;b&gt;: signed " in page
    assert "judge found, person missing: 3" in page
    document = json.loads(told("report", "--by", "cluster", "--format", "json"))
    assert document["by"] == "cluster"
    assert [group["name"] for group in document["traits"][0]["groups"]] == [
        "a",
        "b",
        None,
    ]
    rows = list(
        csv.DictReader(
            io.StringIO(told("report", "--by", "meta.site", "--format", "csv")),
        ),
    )
    assert {(row["cluster"], row["group"]) for row in rows} == {
        ("a", "a; x"),
        ("b", "b; x"),
        ("", ""),
    }


@pytest.mark.parametrize("command", ["metrics", "report"])
@pytest.mark.parametrize(
    ("option", "value", "right"),
    [
        (
            "--by",
            "colour",
            'cannot be grouped by "colour"; it would be model, question, cluster, epoch',
        ),
        (
            "--reducer",
            "best",
            '"best" is not a way to reduce epochs; it would be one of mean, median, mode',
        ),
    ],
)
def test_what_is_no_group_and_no_reducer_is_refused_with_those_there_are(
    folder,
    monkeypatch,
    cli,
    command,
    option,
    value,
    right,
):
    monkeypatch.chdir(folder)
    assert right in cli(command, AUDIT, option, value, code=2).err


def test_a_key_that_no_trace_has_is_said_to_make_no_groups(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["metrics", AUDIT, "--by", "meta.sight"]) == 0
    told = "Accuracy: no trace has a value for meta.sight, so there are no groups.\n"
    assert capsys.readouterr().err == told


LETTERS = """
[[scorer_traits]]
name = "Right"
scorer = "match"
"""


@pytest.mark.parametrize(
    ("reducer", "mean"),
    [("mode", 1.0), ("majority", None), ("mean", 1 / 3)],
)
def test_letters_of_epochs_are_reduced_as_letters(
    tmp_path,
    monkeypatch,
    cli,
    reducer,
    mean,
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.toml").write_text(LETTERS)
    rows = [
        {
            "id": "a",
            "epoch": epoch,
            "response": "x",
            "judgments": {"Right": {"value": letter}},
        }
        for epoch, letter in enumerate("CNI", 1)
    ]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    cli("judge r.toml t.jsonl -o", AUDIT)
    (trait,) = json.loads(cli("metrics", AUDIT, "--json", "--reducer", reducer).out)[
        "traits"
    ]
    assert trait["epochs"][reducer]["score"]["standing"]["macro"] == pytest.approx(mean)
    with reading(place(tmp_path).workspace) as db:
        (kept,) = breakdowns_of(WorkspaceAudit(db), reducers=[reducer])
    assert kept.epochs[0].sides["score"]["standing"].macro == pytest.approx(mean)


def test_a_reducer_without_epochs_is_said_to_have_reduced_nothing(
    tmp_path,
    monkeypatch,
    cli,
):
    with bench(tmp_path) as at:
        at.save()
    monkeypatch.chdir(tmp_path)
    assert (
        "--reducer: no trace was answered more than once"
        in cli("metrics", AUDIT, "--reducer", "mode").err
    )


def test_below_twenty_answers_only_counts_are_told(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        at.sign_off(1)
        at.save()
    text = cli("metrics", AUDIT, "--all").out
    assert (
        "6 answers, 6 alike. What they come to is shown from 20 answers on."
        in in_line(text)
    )
    assert "kappa" not in text
    assert "sensitivity" not in text


def test_cells_to_be_ruled_on_blind_are_told_apart_from_those_without_labels(
    tmp_path,
    monkeypatch,
    cli,
):
    monkeypatch.chdir(tmp_path)
    with sampled(tmp_path, count=10, drawn=4, ruled=1) as at:
        at.save()
    said = cli("metrics x.audit.toml").err
    assert "6 cells are still to be ruled on blind" in said
    assert "no labels yet" not in said
