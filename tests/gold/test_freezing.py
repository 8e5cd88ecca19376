"""What is gold: blind verdicts as they were locked, sign-offs, rulings of a third; of agents nothing."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from appellate.core.cell import fold
from appellate.core.deciding import Adopt, Correct
from appellate.core.problem import Refused
from appellate.gold import gold_sets_of
from appellate.gold.asking import in_audit
from appellate.gold.checking import check
from appellate.gold.freezing import (
    AGENTS,
    NOT_ALIKE,
    OTHERWISE,
    UNRULED,
    agreed,
    freeze,
    ruling_of,
    rulings,
)
from appellate.gold.gold_file import ADJUDICATED, read_gold, write_gold
from appellate.gold.telling import gold_text
from appellate.session.workbench import Workbench
from appellate.stats.looks import read_bar
from appellate.store.audits.adjudication import begin
from appellate.store.audits.audit import Audit, AuditedCell, load_audit
from appellate.store.audits.open_audit import AuditFiles
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from cells import bench
from gold_sets import POLITE, RUBRIC, audited, is_polite, said, traces
from sampled import number_of, order_of, sampled
from two_reviewers import AT, MISSED, SEED, two


def test_a_blind_verdict_counts_as_it_was_locked_whatever_came_after(tmp_path):
    with sampled(tmp_path, count=40, drawn=30, ruled=30) as at:
        place = order_of(at)[0]
        number = number_of(at.workspace, place, "Polite")
        before = at.open(number)[1].verdict.value
        at.do(number, Correct(Edit("set", not before)))
        at.sign_off(number, 9.0)
        facts = number_of(at.workspace, place, "Facts")
        at.save()
    audit = load_audit(tmp_path / "x.audit.toml")
    selection = rulings(audit.cells)
    assert {cell.how for cell in selection.rulings} == {"blind"}
    assert len(selection.rulings) == 60
    (frozen,) = [c for c in selection.rulings if c.key == ((f"t{place}", 1), "Polite")]
    assert frozen.labels.value is before
    assert facts


def test_a_ruling_between_two_reviewers_is_adjudicated(tmp_path):
    files = AuditFiles.of(tmp_path / "c.audit.toml")
    opened = begin(files, two(tmp_path, {1: MISSED}, {}), SEED, AT, "eve")
    with opened.workspace as workspace:
        trace, cell = workspace.cell(1)
        assert cell.contest is not None
        assert ruling_of(AuditedCell(trace, cell)) is None
        at = Workbench(workspace, files.audit, "eve")
        at.do(1, Adopt(cell.contest.n, 0))
        at.sign_off(1, 9.0)
        ruled = ruling_of(AuditedCell(*workspace.cell(1)))
    assert (ruled.how, ruled.fact.by) == (ADJUDICATED, "eve")
    frozen = rulings([AuditedCell(trace, ruled.cell)]).rulings[0]
    assert frozen.how == "adjudicated"


def test_of_two_reviewers_joined_agreed_cells_are_by_both_and_open_ones_are_counted(
    tmp_path,
):
    opened = begin(
        AuditFiles.of(tmp_path / "c.audit.toml"),
        two(tmp_path, {1: MISSED}, {}),
        SEED,
        AT,
        "eve",
    )
    with opened.workspace as workspace:
        numbers = range(1, workspace.cells.count() + 1)
        selection = rulings(
            [AuditedCell(*workspace.cell(number)) for number in numbers],
        )
    assert selection.left_out == {UNRULED: 1}
    assert {(cell.how, cell.by) for cell in selection.rulings} == {
        ("agreed", ("ada", "bo")),
    }


def test_a_cell_that_was_corrected_between_two_sign_offs_is_by_the_second_alone(
    tmp_path,
):
    with audited(tmp_path, count=2) as at:
        at.reviewer = "bob"
        at.do(1, Correct(Edit("set", not is_polite(1))))
        at.sign_off(1, 9.0)
        cells = [AuditedCell(*at.workspace.cell(number)) for number in (1, 2)]
    frozen = rulings(cells).rulings
    assert [(cell.how, cell.by) for cell in frozen] == [
        ("signed", ("bob",)),
        ("signed", ("ada",)),
    ]


def by_agent(one: AuditedCell, name: str = "ada") -> AuditedCell:
    """The same cell, signed off by an agent."""
    facts = [replace(fact, as_agent=fact.by == name) for fact in one.cell.facts]
    return replace(one, cell=fold(one.cell.subject, facts))


def test_an_agent_that_answers_alike_makes_no_second_reviewer(tmp_path):
    audits = []
    for name in ("ada", "bob", "bot"):
        (tmp_path / name).mkdir()
        with audited(tmp_path / name, count=3, signed=0) as at:
            at.reviewer = name
            for number in range(1, 4 if name != "bob" else 2):
                at.sign_off(number, 9.0)
            at.save()
        audits.append(list(load_audit(tmp_path / name / "x.audit.toml").cells))
    audits[2] = [by_agent(one, "bot") for one in audits[2]]
    selection = agreed(RUBRIC, audits, 2)
    assert [cell.by for cell in selection.rulings] == [("ada", "bob")]
    assert selection.left_out == {NOT_ALIKE: 2}
    with_agents = agreed(RUBRIC, audits, 2, agents_too=True).rulings
    assert [(cell.by, cell.is_by_agent) for cell in with_agents] == [
        (("ada", "bob"), False),
        (("bot", "ada"), True),
        (("bot", "ada"), True),
    ]


def test_labels_by_agents_are_left_out_or_told_apart_and_no_bar_counts_them(tmp_path):
    with audited(tmp_path, count=30, own_errors=[4]) as at:
        at.save()
    audit = load_audit(tmp_path / "x.audit.toml")
    mixed = [
        by_agent(one) if place >= 22 else one for place, one in enumerate(audit.cells)
    ]
    assert len(rulings(mixed).rulings) == 22
    assert rulings(mixed).left_out == {AGENTS: 8}
    gold = freeze(
        audit.rubric,
        rulings(mixed, agents_too=True),
        [read_bar("judge.agreement>=.7")],
        [],
    )
    write_gold(tmp_path / "x.gold.toml", gold)
    gold = read_gold(tmp_path / "x.gold.toml")
    assert sum(cell.is_by_agent for cell in gold.cells) == 8
    assert "8 cells are by agents, which no bar counts" in gold_text(gold)
    found = check(gold, in_audit(audit, "x", gold), gold.bars)
    assert (found.agreement.agreed, found.agreement.n) == (21, 22)
    assert (found.of_agents.agreed, found.of_agents.n) == (8, 8)
    assert found.verdict == "passed"
    assert [result.worth.part.n for result in found.bars] == [22]
    assert is_polite(4)


def signed_under(folder: Path, reviewer: str, *traits: LLMRubricTrait) -> Audit:
    """An audit of three traces under these traits, of which all that is asked is true."""
    folder.mkdir()
    rubric = Rubric(name="Leaflets", llm_traits=list(traits))
    with bench(folder, *traces(3), of=rubric) as at:
        at.reviewer = reviewer
        for number in range(1, 3 * len(traits) + 1):
            at.receive_many([(number, said(1, ()))])
            at.sign_off(number, 9.0)
        at.save()
    return load_audit(folder / "x.audit.toml")


def test_agreement_on_a_trait_that_the_first_audit_has_not_so_is_no_gold(tmp_path):
    very = LLMRubricTrait(
        name="Polite",
        kind="boolean",
        description="Is it very polite?",
    )
    warm = LLMRubricTrait(name="Warm", kind="boolean", description="Is it warm?")
    audits = [
        signed_under(tmp_path / "ada", "ada", POLITE),
        signed_under(tmp_path / "bob", "bob", POLITE, warm),
        signed_under(tmp_path / "cyd", "cyd", very, warm),
        signed_under(tmp_path / "dan", "dan", very),
    ]
    rubric = audits[0].rubric
    selection = agreed(rubric, [audit.cells for audit in audits], 2)
    assert {cell.by for cell in selection.rulings} == {("ada", "bob")}
    assert len(selection.rulings) == 3
    assert selection.left_out == {OTHERWISE: 6}
    write_gold(tmp_path / "x.gold.toml", freeze(rubric, selection, [], []))
    assert len(read_gold(tmp_path / "x.gold.toml").cells) == 3


def test_a_bar_is_on_a_trait_that_the_gold_set_has_cells_of(tmp_path):
    warm = LLMRubricTrait(name="Warm", kind="boolean", description="Is it warm?")
    audit = signed_under(tmp_path / "ada", "ada", POLITE, warm)
    selection = rulings(cell for cell in audit.cells if cell.key[1] == "Polite")
    with pytest.raises(Refused, match='There is no trait "Warm"; there are Polite'):
        freeze(audit.rubric, selection, [read_bar("Warm:judge.agreement>=.6")], [])
    bar = read_bar("judge.agreement>=.6")
    gold = freeze(audit.rubric, selection, [bar], [])
    (told,) = check(gold, in_audit(audit, "x", gold), gold.bars).bars
    assert told.bar == bar


def test_an_audit_whose_name_is_no_utf_8_is_frozen_and_finds_its_gold_set(tmp_path):
    audit = signed_under(tmp_path / "ada", "ada", POLITE)
    path = tmp_path / os.fsdecode(b"a\xff.audit.toml")
    gold = freeze(audit.rubric, rulings(audit.cells), [], [path])
    write_gold(tmp_path / "x.gold.toml", gold)
    assert read_gold(tmp_path / "x.gold.toml").source == "a\ufffd.audit.toml"
    assert gold_sets_of(path) == [tmp_path / "x.gold.toml"]
