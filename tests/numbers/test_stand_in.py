"""The alternative annotator test over audits of the same cells."""

import json
from pathlib import Path

import pytest

from appellate.cli import main
from appellate.core.cell import fold
from appellate.core.deciding import Correct, Draw, Rule, SignOff
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.numbers.two_reviewers import (
    BIASED,
    stand_in_table,
    stand_in_text,
    stand_ins,
)
from appellate.store.audits.audit import load_audit
from appellate.store.audits.two_audits import AuditSide, CellPair, TwoAudits, beside
from appellate.traits.grounding import KIND as GROUNDING
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from panels import AT, does
from traits.grounding.grounding_traits import TRACE, TRAIT, table
from two_reviewers import BOTH_MISSED, audited


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three who audited eight cells of six answers; bo alone finds a thing missing in all of them."""
    for name, corrected in (
        ("ada", {}),
        ("bo", dict.fromkeys(range(1, 9), BOTH_MISSED)),
        ("cy", {}),
    ):
        audit = audited(tmp_path, name, corrected, cells=8, signed=8)
        audit.rename(tmp_path / f"{name}.audit.toml")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "no-settings"))
    return tmp_path


def two(folder, one, other):
    paths = [folder / f"{name}.audit.toml" for name in (one, other)]
    return beside(*((path, load_audit(path)) for path in paths))


def test_a_judge_that_is_nearer_to_the_others_than_one_of_them_wins_against_that_one(
    folder,
):
    (found,) = stand_ins(two(folder, "ada", "bo"), two(folder, "ada", "cy"))
    assert (found.people, found.items, found.is_blind) == (
        ("ada", "bo", "cy"),
        48,
        False,
    )
    ada, bo, cy = found.test.against
    assert bo.advantage == 1
    assert bo.wins
    assert (ada.n, bo.n, cy.n) == (48, 48, 48)
    told = list(stand_in_text(found))
    assert "passes the alternative annotator test" in told[0]
    assert told[-1] == BIASED


def test_too_few_answers_are_no_test(folder):
    pair = two(folder, "ada", "bo")
    few = type(pair)(
        pair.first,
        pair.second,
        list(pair.pairs)[:4],
        pair.rest,
        pair.notes,
        pair.signed,
    )
    (found,) = stand_ins(few)
    assert found.test is None
    assert next(stand_in_text(found)).endswith("there are 24.")


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
    assert "2 is not a share" in capsys.readouterr().err


# -- without files ---------------------------------------------------------------------------------

CLEAR = LLMRubricTrait(name="Clear", kind="score", description="Is it clear?")


def scored(place, judge, person, blind=True):
    """A trace that the judge scores so, and a person so, blind or not."""
    trace = Trace(id=f"t{place}", response="Take it.")
    subject = Subject(KIND, CLEAR, trace)
    table = KIND.locate(CLEAR, trace, {"value": judge})
    cell = fold(subject, [Fact(1, AT, "gpt", Proposed(table, {"name": "gpt"}))])
    if blind:
        return does(
            cell,
            Draw(True),
            Correct(Edit("set", value=person)),
            Rule("abc", 9.0),
        )
    if judge != person:
        cell = does(cell, Correct(Edit("set", value=person)))
    return does(cell, SignOff("abc"))


def audits(pairs, names=("ada", "bo")) -> TwoAudits:
    one, other = (AuditSide(Path(f"{name}.audit.toml"), None, name) for name in names)
    return TwoAudits(one, other, [CellPair(*pair) for pair in pairs], [], [], (0, 0))


def test_scores_count_by_how_near_they_are_and_blind_ones_apart():
    near = [(scored(no, 3, 3), scored(no, 3, 4)) for no in range(40)]
    seen = [
        (scored(no, 3, 1, blind=False), scored(no, 3, 2, blind=False))
        for no in range(40, 45)
    ]
    blind, sighted = stand_ins(audits([*near, *seen]))
    assert (blind.is_blind, blind.items, sighted.is_blind, sighted.items) == (
        True,
        40,
        False,
        5,
    )
    ada, bo = blind.test.against
    assert (ada.n, ada.advantage, bo.advantage) == (40, 1, 1)
    assert BIASED not in list(stand_in_text(blind))
    assert sighted.test is None
    assert stand_in_table(sighted) == {
        "trait": "Clear",
        "items": 5,
        "epsilon": 0.2,
        "people": [],
        "blind": False,
        "winning_rate": None,
        "advantage": None,
        "passes": None,
    }


def test_cells_that_were_judged_otherwise_for_one_of_them_say_nothing():
    alike = [(scored(no, 3, 3), scored(no, 3, 3)) for no in range(30)]
    apart = [(scored(no, 3, 3), scored(no, 4, 3)) for no in range(30, 40)]
    (found,) = stand_ins(audits([*alike, *apart]))
    assert found.items == 30
    third = [(scored(no, 3, 3), scored(no, 3 if no < 10 else 2, 3)) for no in range(30)]
    (found,) = stand_ins(audits(alike), audits(third, ("ada", "cy")))
    assert (found.people, found.items) == (("ada", "bo", "cy"), 10)


def test_who_answered_too_little_is_told_beside_those_who_answered_enough():
    pairs = [(scored(no, 3, 3), scored(no, 3, 3)) for no in range(40)]
    third = [(one, scored(no, 3, 4)) for no, (one, _) in enumerate(pairs[:9])]
    (found,) = stand_ins(audits(pairs), audits(third, ("ada", "cy")))
    told = list(stand_in_text(found))
    assert told[-1] == "cy: fewer than 30 answers with another's beside them."
    assert "wins against 2 of 2 people" in told[0]
    assert stand_in_table(found)["people"][2] == {"name": "cy"}


def test_of_a_grounding_trait_the_response_counts_alone():
    located = GROUNDING.locate(TRAIT, TRACE, table())
    cell = fold(
        Subject(GROUNDING, TRAIT, TRACE),
        [Fact(1, AT, "gpt", Proposed(located, {}))],
    )
    signed = does(cell, SignOff("abc"))
    (found,) = stand_ins(audits([(signed, signed)]))
    assert len(signed.answers) > found.items == 3
