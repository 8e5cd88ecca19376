"""`appellate compare`: two reviewers' agreement for people and as JSON, and a third audit."""

import json

import pytest

from appellate.core.problem import Refused
from appellate.store.audits.audit import load_audit
from two_reviewers import BOTH_MISSED, MISSED, audited


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """ada and bo, who differ in the first cell of four."""
    audited(tmp_path, "ada", {1: BOTH_MISSED}, cells=5, signed=4).rename(
        tmp_path / "a.audit.toml",
    )
    audited(tmp_path, "bo", {2: MISSED}, cells=5, signed=5).rename(
        tmp_path / "b.audit.toml",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "no-settings"))
    monkeypatch.setenv("APPELLATE_REVIEWER", "cy")
    return tmp_path


def test_agreement_is_told_with_every_item_that_differs(folder, cli):
    told = cli("compare a.audit.toml b.audit.toml").out
    assert "4 cells signed off by both, of 5 in" in told
    assert "24 answers, 21 alike (0.875), on 4 traces" in told
    (kappa,) = [
        line.split() for line in told.splitlines() if "   Cohen's kappa " in line
    ]
    low, value, high = (float(kappa[place].replace("−", "-")) for place in (3, 2, 4))
    assert low < value < high
    assert "Krippendorff's alpha" in told
    assert "take what bo says as right." in told.replace("\n  ", " ")
    assert "2 of 4: TP 1 Mentions BCL2 gene" in told
    assert "t1: missing, found" in told
    assert all(len(line) <= 80 for line in told.splitlines())
    document = json.loads(cli("compare a.audit.toml b.audit.toml --json").out)
    assert document["format"] == "appellate-compare/1"
    found = document["traits"][0]["coefficients"]
    assert {"observed", "kappa", "ac1", "alpha"} <= found.keys()
    assert found["observed"]["value"] == pytest.approx(21 / 24)
    assert found["kappa"]["low"] < found["kappa"]["value"] < found["kappa"]["high"]
    assert (document["compared"], [one["name"] for one in document["audits"]]) == (
        4,
        ["ada", "bo"],
    )


def test_what_cannot_be_compared_is_a_sentence_and_exit_code_2(folder, cli):
    assert (
        "the first audit again" in cli("compare a.audit.toml a.audit.toml", code=2).err
    )
    assert (
        "there is no such file"
        in cli("compare a.audit.toml none.audit.toml", code=2).err
    )
    assert (
        "add --adjudicate"
        in cli("compare a.audit.toml b.audit.toml -o c.audit.toml", code=2).err
    )
    assert (
        "name it with -o"
        in cli("compare a.audit.toml b.audit.toml --adjudicate", code=2).err
    )
    three = "compare a.audit.toml b.audit.toml --adjudicate -o d.audit.toml --third c.audit.toml"
    assert "leave one of them out" in cli(three, code=2).err
    assert not (folder / "d.audit.toml").exists()


def test_a_third_audit_is_made_without_a_terminal_and_gone_on_with(folder, cli):
    asked = [
        "compare",
        "a.audit.toml",
        "b.audit.toml",
        "--adjudicate",
        "-o",
        "c.audit.toml",
    ]
    told = cli(*asked).err
    assert "2 cells agreed on, and so settled; 2 cells to rule on." in told
    made = load_audit(folder / "c.audit.toml")
    assert sum(one.cell.contest is not None for one in made.cells) == 2
    cli(*asked)
    assert load_audit(folder / "c.audit.toml").text() == made.text()
    assert (
        "name another"
        in cli("compare b.audit.toml c.audit.toml", *asked[3:], code=2).err
    )
    assert "one of the two audits" in cli(*asked[:-1], "a.audit.toml", code=2).err
    cli("compare a.audit.toml c.audit.toml")  # it is an audit as any other


def test_labels_that_cannot_be_put_beside_others_are_a_sentence(
    folder,
    monkeypatch,
    cli,
):
    def refuse(*_: object) -> None:
        raise Refused("The labels of coverage cannot be put beside others.")

    monkeypatch.setattr("appellate.store.audits.adjudication.side_of", refuse)
    third = "compare a.audit.toml b.audit.toml --adjudicate -o c.audit.toml"
    told = cli(third, code=2).err
    assert told == "c.audit.toml: The labels of coverage cannot be put beside others\n"
    assert not (folder / "c.audit.db").exists()
