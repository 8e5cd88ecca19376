"""The alternative annotator test over audits of the same cells."""

import json

import pytest

from appellate.cli import main
from appellate.report.stand_in import BIASED, stand_in_told, stand_ins
from appellate.store.audit import load_audit
from appellate.store.two_audits import beside
from two_reviewers import BOTH_MISSED, audited


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three who audited eight cells of six answers; bo alone finds a thing missing in all of them."""
    for name, corrected in ("ada", {}), ("bo", dict.fromkeys(range(1, 9), BOTH_MISSED)), ("cy", {}):
        audit = audited(tmp_path, name, corrected, cells=8, signed=8)
        audit.rename(tmp_path / f"{name}.audit.toml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "no-settings"))
    return tmp_path


def two(folder, one, other):
    paths = [folder / f"{name}.audit.toml" for name in (one, other)]
    return beside(*((path, load_audit(path)) for path in paths))


def test_a_judge_that_is_nearer_to_the_others_than_one_of_them_wins_against_that_one(folder):
    (found,) = stand_ins(two(folder, "ada", "bo"), two(folder, "ada", "cy"))
    assert (found.people, found.items, found.is_blind) == (("ada", "bo", "cy"), 48, False)
    ada, bo, cy = found.test.against
    assert bo.advantage == 1
    assert bo.wins
    assert (ada.n, bo.n, cy.n) == (48, 48, 48)
    told = list(stand_in_told(found))
    assert "passes the alternative annotator test" in told[0]
    assert told[-1] == BIASED


def test_too_few_answers_are_no_test(folder):
    pair = two(folder, "ada", "bo")
    few = type(pair)(pair.one, pair.other, pair.pairs[:4], pair.rest, pair.told, pair.signed)
    (found,) = stand_ins(few)
    assert found.test is None
    assert next(stand_in_told(found)).endswith("there are 24.")


def test_the_command_tells_it_of_two_and_of_three(folder, capsys):
    asked = ["compare", "ada.audit.toml", "bo.audit.toml"]
    assert main(asked) == 0
    assert "The judge in place of one of them:" in capsys.readouterr().out
    assert main([*asked, "--third", "cy.audit.toml", "--epsilon", "0.1", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["alternative_annotator"]
    assert (told["epsilon"], told["passes"], told["winning_rate"]) == (0.1, True, 1)
    assert [one["name"] for one in told["people"]] == ["ada", "bo", "cy"]
    assert main([*asked, "--third", "bo.audit.toml"]) == 2
    assert "the second audit again" in capsys.readouterr().err
    assert main([*asked, "--epsilon", "2"]) == 2
    assert "2 is no share" in capsys.readouterr().err
