"""`appellate plant`: plants known errors, and tells what came of them."""

import json

import pytest

from appellate.cli import main
from appellate.cli.plant import choose, outcomes
from appellate.core.deciding import Draw, Flag, Plant, Show
from appellate.core.problem import Refused
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import resume
from cells import bench, place, proposal, trace

AUDIT = "x.audit.toml"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Six judged cells: one signed off, one in the sample."""
    with bench(tmp_path, *[trace(name) for name in "abcdef"]) as at:
        for number in range(1, 7):
            at.receive(number, proposal())
        at.sign_off(1)
        at.do(2, Draw(True))
        at.save()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def planted(folder):
    return [one.trace.id for one in load_audit(folder / AUDIT).cells if one.cell.planted]


def test_errors_are_planted_outside_of_the_sample_the_same_by_the_same_seed(folder, cli):
    before = (folder / AUDIT).read_text()
    told = cli("plant", AUDIT, "-n", "2", "--seed", "2")
    assert "Planted 2 known errors where nobody has been yet; where is hidden." in told.err
    where = planted(folder)
    assert len(where) == 2
    assert not {*"ab"} & {*where}
    other = folder / "other"
    other.mkdir()
    (other / AUDIT).write_text(before)
    cli("plant", other / AUDIT, "-n", "2", "--seed", "2")
    assert planted(other) == where


def test_no_number_and_no_report_knows_of_what_is_planted(folder, capsys, cli):
    def told(*command):
        return cli(*command, AUDIT).out

    commands = [("metrics",), ("log",), ("report", "--format", "csv")]
    before = [told(*command) for command in commands]
    assert main(["plant", AUDIT, "-n", "4"]) == 0
    assert len(planted(folder)) == 4
    capsys.readouterr()
    assert [told(*command) for command in commands] == before


def test_what_came_of_them_is_told_and_stands_in_the_report(folder, cli):
    assert cli("plant", AUDIT).out == "No known errors were planted.\n"
    assert "There are no more cells that could take one." in cli("plant", AUDIT, "-n", "9").err
    with resume(place(folder)).workspace as workspace:
        at = Workbench(workspace, place(folder).audit, "ada")
        for number in (3, 4):
            at.sign_off(number)
        at.save()
    assert cli("plant", AUDIT).out == (
        "0 of 2 planted errors caught, 2 let pass.\n2 planted errors nobody has come to yet.\n"
    )
    (ada,) = json.loads(cli("report", AUDIT, "--format", "json").out)["reviewers"]
    assert ada["sentinels"] == {"missed": 2}
    assert "ada: 0 of 2 planted errors caught, 2 let pass." in cli("report", AUDIT).out


def test_where_nothing_is_judged_nothing_is_planted(tmp_path, monkeypatch, cli):
    with bench(tmp_path, trace("a")) as at:
        at.save()
    monkeypatch.chdir(tmp_path)
    assert "there is no cell to plant an error in" in cli("plant", AUDIT, "-n", "1", code=2).err


# -- where they are planted --------------------------------------------------------------------------


@pytest.fixture
def desk(tmp_path):
    """Eight judged cells: one signed off, one in the sample, one flagged, one shown to a judge."""
    with bench(tmp_path, *[trace(name) for name in "abcdefgh"]) as at:
        for number in range(1, 9):
            at.receive(number, proposal())
        for number in (1, 4):
            at.sign_off(number)
        at.do(2, Draw(False))
        at.do(3, Flag(True))
        at.do(4, Show("gpt"))
        yield at


def test_errors_are_chosen_by_chance_among_what_nobody_has_touched(desk):
    chosen = choose(desk.workspace, 3, seed=1)
    assert len({cell for cell, _ in chosen}) == 3
    assert {cell for cell, _ in chosen} <= {5, 6, 7, 8}
    assert choose(desk.workspace, 3, seed=1) == chosen
    assert choose(desk.workspace, 2, seed=1) == chosen[:2]
    assert any(choose(desk.workspace, 3, seed) != chosen for seed in range(2, 6))


def test_where_there_are_not_so_many_there_are_fewer(desk):
    chosen = choose(desk.workspace, 99, seed=1)
    assert {cell for cell, _ in chosen} == {5, 6, 7, 8}
    for cell, error in chosen:
        desk.do(cell, Plant(error))
    assert choose(desk.workspace, 99, seed=1) == []


def test_what_came_of_them_is_told_of_every_one_that_was_planted(desk):
    assert list(outcomes(desk.workspace)) == []
    first, second, third = choose(desk.workspace, 3, seed=1)
    for cell, error in (first, second, third):
        desk.do(cell, Plant(error))
    desk.sign_off(first[0], 3.0)
    desk.do(third[0], Draw(False))  # withdrawn: none of these is in the sample
    assert sorted(outcomes(desk.workspace)) == ["missed", "waiting"]
    with pytest.raises(Refused):
        desk.do(third[0], Plant(third[1]))
