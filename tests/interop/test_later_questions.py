"""Answers that come to an audit later bring the questions of their claims with them."""

import csv
import json
import shlex
from pathlib import Path

import pytest

from appellate.cli import main
from appellate.core.describe import describe_design
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.open_audit import AuditFiles, resume

RESPONSE = "BCL2 is a gene. It lies on chromosome 18."
MAP = "claim.Facts=claim,verdict.Facts=judge,person.Facts=human"


def row(answer, claim, judge="supported", human="unsupported"):
    response = f"{answer}: {RESPONSE}"
    return {
        "id": answer,
        "response": response,
        "claim": claim,
        "judge": judge,
        "human": human,
    }


FIRST = [row("a", "It is a gene"), row("a", "It is on 18"), row("b", "It is a gene")]
LATER = [row("c", "It is on 18"), row("d", "It is a gene"), row("d", "It is short")]


def flat(folder, rows, name="claims.csv"):
    """A file of these rows, and what maps its columns."""
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)
    return [str(path), "--map", MAP]


def lists(folder, rows, name="claims.jsonl"):
    """A file of the answers of these rows with lists of their claims."""
    answers = {}
    for claim in rows:
        answer = answers.setdefault(
            claim["id"],
            {"id": claim["id"], "response": claim["response"], "claims": []},
        )
        answer["claims"].append(
            {key: claim[key] for key in ("claim", "judge", "human")},
        )
    path = folder / name
    path.write_text(
        "".join(json.dumps(answer) + "\n" for answer in answers.values()),
        "utf-8",
    )
    return [str(path)]


def graded(folder, rows, name="x_allresults.json"):
    """A file of HealthBench in which the answers of these rows were graded by their claims."""
    examples = {}
    for claim in rows:
        example = {
            "prompt_id": claim["id"],
            "completion_id": claim["id"],
            "prompt": [{"role": "user", "content": f"{claim['id']}?"}],
            "completion": [{"role": "assistant", "content": claim["response"]}],
            "rubric_items": [],
        }
        item = {
            "criterion": claim["claim"],
            "points": 3,
            "tags": [],
            "criteria_met": True,
        }
        examples.setdefault(claim["id"], example)["rubric_items"].append(item)
    path = folder / name
    level = {"example_level_metadata": list(examples.values())}
    path.write_text(json.dumps({"metadata": level}), "utf-8")
    return [str(path)]


def cells(audit):
    """The traces of an audit, and the words in each list of their cells."""
    with resume(AuditFiles.of(audit)).workspace as workspace:
        return [
            (
                audited.trace.id,
                audited.cell.figures.values,
                audited.cell.signed is not None,
            )
            for audited in WorkspaceAudit(workspace.db).cells
        ]


@pytest.mark.parametrize("written", [flat, lists, graded])
def test_new_answers_of_a_later_file_come_in_with_their_questions(
    tmp_path,
    written,
    capsys,
):
    audit = tmp_path / "x.audit.toml"
    together = tmp_path / "together.audit.toml"
    assert main(["import", *written(tmp_path, FIRST), "-o", str(audit)]) == 0
    assert main(["import", *written(tmp_path, LATER), "-o", str(audit)]) == 0
    assert "2 new questions added to the rubric." in capsys.readouterr().err
    assert (
        main(["import", *written(tmp_path, [*FIRST, *LATER]), "-o", str(together)]) == 0
    )
    assert len(cells(audit)) == 4
    assert cells(audit) == cells(together)


def test_a_file_that_has_grown_adds_what_is_new_alone(tmp_path):
    audit = tmp_path / "x.audit.toml"
    assert main(["import", *flat(tmp_path, FIRST), "-o", str(audit)]) == 0
    before = cells(audit)
    for _ in range(2):
        assert (
            main(["import", *flat(tmp_path, [*FIRST, *LATER]), "-o", str(audit)]) == 0
        )
        after = cells(audit)
        assert after[:2] == before
        assert len(after) == 4


def test_new_questions_are_in_the_history_and_in_the_audit_file(tmp_path):
    audit = tmp_path / "x.audit.toml"
    assert main(["import", *flat(tmp_path, FIRST), "-o", str(audit)]) == 0
    assert main(["import", *flat(tmp_path, LATER), "-o", str(audit)]) == 0
    before = cells(audit)
    AuditFiles.of(audit).workspace.unlink()
    assert cells(audit) == before
    with resume(AuditFiles.of(audit)).workspace as workspace:
        (fact,) = workspace.design.facts()
        assert fact.by == "import"
        assert (fact.what.cells, fact.what.signed, fact.what.lost) == (0, 0, 0)
        assert "questions added" in describe_design(fact.what)


@pytest.mark.parametrize(
    "rows",
    [
        [row("a", "It is a gene"), *LATER],
        [row("a", "It is a gene"), row("a", "It is on 17"), *LATER],
    ],
)
def test_a_question_that_a_later_file_changes_is_refused_and_nothing_is_added(
    tmp_path,
    rows,
    capsys,
):
    audit = tmp_path / "x.audit.toml"
    assert main(["import", *flat(tmp_path, FIRST), "-o", str(audit)]) == 0
    before = audit.read_text()
    assert main(["import", *flat(tmp_path, rows), "-o", str(audit)]) == 2
    assert "tp_instructions" in capsys.readouterr().err
    assert audit.read_text() == before
    assert len(cells(audit)) == 2


def advised(refusal):
    """The words of the command that a refusal advises."""
    line = next(line for line in refusal.splitlines() if "appellate" in line)
    return shlex.split(line.partition(": appellate ")[2].partition(", or ")[0])


def test_another_question_of_a_known_answer_is_refused_with_a_command_that_works(
    tmp_path,
    capsys,
    monkeypatch,
):
    monkeypatch.chdir(tmp_path)
    audit = ["-o", "x.audit.toml"]
    assert main(["import", *flat(tmp_path, FIRST), *audit]) == 0
    changed = [{**FIRST[0], "claim": "It is a virus"}, *FIRST[1:]]
    capsys.readouterr()
    later = flat(tmp_path, changed, "later.csv")
    assert main(["import", *later, *audit]) == 2
    refusal = capsys.readouterr().err
    assert "--revise" not in refusal
    words = advised(refusal)
    assert words[-2:] == ["-o", "x-2.audit.toml"]
    assert main(words) == 0
    assert len(cells(tmp_path / "x-2.audit.toml")) == 2
    capsys.readouterr()
    assert main(["import", *later, "--audit=x.audit.toml"]) == 2
    assert advised(capsys.readouterr().err)[-1] == "x-3.audit.toml"


def test_another_rubric_of_ones_own_is_refused_with_the_command_that_takes_it(
    tmp_path,
    capsys,
    monkeypatch,
):
    monkeypatch.chdir(tmp_path)
    rubric = Path("r.toml")
    table = Path("t.csv")
    table.write_text("id,response,judge\na,It is.,yes\n", "utf-8")
    written = 'name = "r"\n[[llm_traits]]\nname = "V"\nkind = "boolean"\ndescription = "{}?"\n'
    rubric.write_text(written.format("Is it"), "utf-8")
    line = ["import", "r.toml", "t.csv", "--map", "verdict.V=judge"]
    assert main([*line, "-o", "x.audit.toml"]) == 0
    rubric.write_text(written.format("Is it so"), "utf-8")
    table.write_text("id,response,judge\na,It is.,yes\nb,It is.,no\n", "utf-8")
    capsys.readouterr()
    assert main([*line, "-o", "x.audit.toml"]) == 2
    words = advised(capsys.readouterr().err)
    assert words == ["judge", "x.audit.toml", "--revise", "r.toml"]
    assert main(words) in (0, 1)
    with resume(AuditFiles.of(Path("x.audit.toml"))).workspace as workspace:
        (known,) = workspace.rubric.every_trait()
        assert known.trait.description == "Is it so?"
