"""`appellate second-pass`: a second pass, blind, and how far a reviewer agrees with themselves."""

import pytest

from appellate.cli import main
from appellate.core.deciding import Correct
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.traits.metric.edits import Edit
from cells import bench, proposal, trace

AUDIT, AGAIN = "x.audit.toml", "x.again.audit.toml"
AS = ("--reviewer", "ada")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Six cells, five of them signed off as the judge proposed."""
    with bench(tmp_path, *[trace(name) for name in "abcdef"]) as at:
        for number in range(1, 7):
            at.receive(number, proposal())
        for number in range(1, 6):
            at.sign_off(number)
        at.save()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(at, number, **otherwise):
    """Rules on every instruction as the worked example does, but for what is said otherwise."""
    said = {("tp", 1): "tp", ("tp", 2): "tp", ("tp", 3): "tp", ("tp", 4): "fn"}
    said |= {("tn", 1): "fp", ("tn", 2): "tn"} | otherwise.get("but", {})
    for (of, instruction), bucket in said.items():
        where = {"start": 0, "end": 4} if bucket in ("tp", "fp") else {}
        row = {"action": "add", "bucket": bucket, "of": of, "instruction": instruction}
        at.do(number, Correct(Edit.from_row(row | where)))
    at.sign_off(number, 9.0)


def test_a_second_pass_has_no_judge_and_nothing_of_what_was_said(folder, cli):
    assert "Drew 2 traces of the 5 that ada signed off, to be ruled on blind." in (
        cli("second-pass", AUDIT, "--share", "40", *AS).err
    )
    audit = load_audit(folder / AGAIN)
    assert len(audit.cells) == 2
    assert {one.trace.id for one in audit.cells} <= {*"abcde"}
    for one in audit.cells:
        assert one.cell.hidden
        assert (one.cell.judged, one.cell.labels, one.trace.judgments) == (
            None,
            None,
            {},
        )
    cli("judge", AGAIN)  # as `review` has missing labels made at once
    assert not any(one.cell.judged for one in load_audit(folder / AGAIN).cells)
    AuditFiles.of(folder / AGAIN).workspace.unlink()
    cli("judge", AGAIN)  # on another machine, too
    assert not any(one.cell.judged for one in load_audit(folder / AGAIN).cells)
    assert "0 of 2 cells ruled on a second time." in cli("second-pass", AUDIT, *AS).err


def test_a_share_is_at_most_the_whole(folder, cli, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli("second-pass", AUDIT, "--share", "101", *AS)
    told = capsys.readouterr().err
    assert 'argument --share: "101" is not a whole number from 1 to 100' in told
    assert "Drew 5 traces" in cli("second-pass", AUDIT, "--share", "100", *AS).err


def test_how_far_one_agrees_with_oneself_is_told_and_kept_once_all_is_ruled_on(
    folder,
    capsys,
    cli,
):
    assert main(["second-pass", AUDIT, "--share", "100", *AS]) == 0
    place = AuditFiles.of(folder / AGAIN)
    with resume(place).workspace as workspace:
        at = Workbench(workspace, place.audit, "ada")
        assert at.position().cell == workspace.design.drawn()[0]
        for number in range(1, 5):
            answer(at, number)
        answer(at, 5, but={("tp", 3): "fn"})
        at.save()
    capsys.readouterr()
    for _ in range(2):
        assert main(["second-pass", AUDIT, *AS]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "Accuracy, with the judge visible the first time: 5 cells 30 answers, 29 alike"
        in told
    )
    assert "Cohen's kappa 0.9" in told
    assert (
        "Of 1 changed answer, 1 had been the judge's the first time, and 0 are now."
        in told
    )
    assert "found, now missing" in told
    (kept,) = load_audit(folder / AUDIT).design
    assert (kept.what.reviewer, kept.what.cells) == ("ada", 5)
    (trait,) = kept.what.outcome["traits"]
    assert (trait["trait"], trait["alike"], trait["blind_before"]) == (
        "Accuracy",
        29,
        False,
    )
    assert (trait["changed_from_judge"], trait["changed_to_judge"]) == (1, 0)
    assert (
        "ada, a second time, on Accuracy, with the judge in sight at first: 29 of 30 answers alike,"
        " kappa 0.9" in cli("report", AUDIT).out
    )


def test_who_signed_nothing_off_has_nothing_to_go_through_again(folder, cli):
    assert (
        'x.audit.toml: "bob" has signed nothing off in it; name who has with --reviewer (ada)'
        in (cli("second-pass", AUDIT, "--reviewer", "bob", code=2).err)
    )
    assert not (folder / AGAIN).exists()


def test_another_file_is_no_second_pass(folder, cli):
    (folder / "other").mkdir()
    with bench(folder / "other", trace("z")) as at:
        at.save()
        other = at.audit
    assert (
        "it has no cell that" in cli("second-pass", AUDIT, "-o", other, *AS, code=2).err
    )
    assert (
        "this is the audit itself"
        in cli("second-pass", AUDIT, "-o", AUDIT, *AS, code=2).err
    )
