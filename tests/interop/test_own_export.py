"""What `export --to csv` wrote comes in again: the judge's side and the person's, as they were."""

import csv
import json
import tracemalloc
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from foreign_files import taken
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from appellate import load_audit
from appellate.cli import main
from appellate.core.deciding import Correct, Rule
from appellate.core.design_facts import Sampled
from appellate.core.facts import Proposed
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.interop import recognise
from appellate.interop.own_export import read
from appellate.interop.rows import TABLES, as_rows, write_csv
from appellate.interop.taking_in import take_in
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.samples.sample_plans import SampleWish, plan
from appellate.traits.grounding.labels import Edit as GroundingEdit
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric import edits
from appellate.traits.rubric import Rubric
from appellate.traits.steps.edits import Edit as StepsEdit
from appellate.traits.verdict.kind import Edit as VerdictEdit
from cells import RESPONSE, bench, do, matrix, proposal
from traits.grounding.grounding_traits import table as grounding_table

SAFE = LLMRubricTrait(name="Safe", kind="boolean")
TONE = LLMRubricTrait(name="Tone", kind="literal", classes={"kind": "a", "rude": "b"})
RUBRIC = Rubric(metric_traits=[matrix()], llm_traits=[SAFE, TONE])
GPT = {"name": "gpt"}
EXAMPLES = {
    name: import_module(f"traits.{name}.examples").EXAMPLES
    for name in ("grounding", "steps", "pairwise", "llm", "scorer", "regex")
}
NAMES = ("=id", "-2", "'=id")


@pytest.fixture
def exported(tmp_path):
    """The folder of an export, of traces whose ids look like formulas."""
    folder = tmp_path / "out"
    folder.mkdir()
    with bench(
        tmp_path,
        *(Trace(id=name, response=RESPONSE) for name in NAMES),
        of=RUBRIC,
    ) as at:
        for number in range(1, 10, 3):
            at.receive(number, Proposed({"value": True, "evidence": []}, GPT))
            at.receive(
                number + 1,
                Proposed({"value": 0, "rationale": "-", "evidence": []}, GPT),
            )
            at.receive(number + 2, proposal())
        at.do(1, Correct(Edit("set", False), "=No."))
        at.do(2, Correct(Edit("set", 1)))
        at.do(3, Correct(edits.Edit(**do("move tp fp")), "It is wrong."))
        at.do(3, Correct(edits.Edit(**do("drop tp"))))
        for number in range(1, 10):
            at.sign_off(number)
        at.save()
        write_csv(load_audit(at.audit), folder)
    return folder


def as_written(kind, labels):
    return None if labels is None else kind.write(labels)


def sides(cells):
    """Return both sides of each cell as an audit file has them, and who ruled and why."""
    return {
        (audited.trace.id, audited.cell.subject.trait.name): (
            as_written(audited.cell.subject.kind, audited.cell.labels),
            as_written(audited.cell.subject.kind, audited.cell.judge_labels),
            audited.cell.signed and audited.cell.signed.by,
        )
        for audited in cells
    }


def test_both_sides_come_back_as_they_were(exported, tmp_path):
    before = load_audit(tmp_path / "x.audit.toml")
    again = tmp_path / "again"
    again.mkdir()
    with taken(again, exported / "cells.csv") as found:
        after = WorkspaceAudit(found.workspace.db)
        assert sides(after.cells) == sides(before.cells)
        assert found.workspace.rubric == before.rubric
        assert found.notes == []
        write_csv(after, again)
    for name in ("items", "cells"):
        assert without_times(again / f"{name}.csv") == without_times(
            exported / f"{name}.csv",
        )


def without_times(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [row | {"at": "", "said_at": ""} for row in csv.DictReader(file)]


def test_the_folder_is_imported_in_one_command(exported, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["import", str(exported), "-o", "again.audit.toml"]) == 0
    assert "9 verdicts of people" in capsys.readouterr().err
    assert {trace.id for trace in load_audit("again.audit.toml").traces} == set(NAMES)


@pytest.mark.parametrize(
    ("delimiter", "encoding"),
    [(",", "utf-8"), (",", "utf-8-sig"), (";", "utf-8-sig"), ("\t", "utf-16")],
)
def test_a_spreadsheet_may_have_sorted_and_saved_the_rows(
    exported,
    tmp_path,
    delimiter,
    encoding,
):
    path = exported / "cells.csv"
    rows = without_times(path)
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, TABLES["cells"], delimiter=delimiter)
        writer.writeheader()
        writer.writerows(reversed(rows))
    again = tmp_path / "again"
    again.mkdir()
    before = load_audit(tmp_path / "x.audit.toml")
    with taken(again, path) as found:
        assert sides(WorkspaceAudit(found.workspace.db).cells) == sides(before.cells)


def test_the_rubric_and_the_traces_are_files_by_themselves(exported):
    assert (
        main(["check", str(exported / "rubric.toml"), str(exported / "traces.jsonl")])
        == 0
    )
    lines = Path(exported / "traces.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == list(NAMES)


def test_the_rows_are_not_held_while_they_come_in(tmp_path):
    letters = 100_000
    (tmp_path / "rubric.toml").write_text('name = "x"\n')
    with (tmp_path / "traces.jsonl").open("w") as file:
        file.writelines(
            json.dumps({"id": str(number), "response": "a"}) + "\n"
            for number in range(50)
        )
    with (tmp_path / "cells.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, TABLES["cells"])
        writer.writeheader()
        for number in reversed(range(50)):
            row = {
                "trace": number,
                "epoch": 1,
                "trait": "Safe",
                "judge_labels": '{"value": true}',
            }
            writer.writerow(row | {"judge_reason": str(number) * letters})
    tracemalloc.start()
    verdicts = sum(len(trace.judged) for trace in read(tmp_path).traces())
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert verdicts == 50
    assert most < 20 * letters


# -- every kind, by its export as tables and as rows ----------------------------------------------


def in_tables(at, folder):
    write_csv(load_audit(at.audit), folder)
    return [folder / "cells.csv"], None


def in_rows(at, folder):
    write_csv(load_audit(at.audit), folder)
    audit = load_audit(at.audit)
    (folder / "rows.jsonl").write_text("".join(as_rows(audit)), "utf-8")
    return [folder / "traces.jsonl", folder / "rows.jsonl"], audit.rubric


def came_back(at, folder, export):
    """Both sides of every cell before and after the way out and in, and what was said of it."""
    at.save()
    paths, rubric = export(at, folder)
    again = AuditFiles.of(folder / "again.audit.toml")
    found = take_in(recognise.read(paths), paths[-1].name, again, "0", rubric=rubric)
    try:
        after = sides(WorkspaceAudit(found.workspace.db).cells)
        return sides(load_audit(at.audit).cells), after, found.notes
    finally:
        found.workspace.close()


def of_kind(name):
    example = EXAMPLES[name]
    return Rubric(**{f"{name}_traits": [example.traits[0]]}), example.trace


@pytest.mark.parametrize("export", [in_tables, in_rows])
@pytest.mark.parametrize(
    ("name", "table", "edits"),
    [
        (
            "grounding",
            grounding_table(),
            [
                GroundingEdit("support", sentence="a", support="partial"),
                GroundingEdit("link", sentence="b", key="0a", on=True),
                GroundingEdit("relevant", key="0b", on=False),
            ],
        ),
        (
            "steps",
            {
                "steps": [{"step": 3, "verdict": "wrong", "rationale": "Why so?"}],
                "seen": 4,
            },
            [
                StepsEdit("verdict", 3, verdict="right"),
                StepsEdit("verdict", 6, verdict="wrong"),
                StepsEdit("error", 6, error="unasked"),
                StepsEdit("instead", 6, instead="ask first"),
                StepsEdit("outcome", outcome="failed"),
            ],
        ),
        (
            "pairwise",
            {
                "class": "response",
                "orders": ["response", "tie"],
                "rationale": "It hedges.",
                "evidence": ["Four", "It is", "is Four"],
                "items": [
                    {"index": 0, "answer": "other"},
                    {"index": 1, "answer": "response"},
                    {"index": 2, "answer": "response"},
                ],
            },
            [VerdictEdit("overrule", 1)],
        ),
    ],
)
def test_both_sides_of_a_kind_come_back(tmp_path, name, table, edits, export):
    rubric, trace = of_kind(name)
    with bench(tmp_path, trace, of=rubric) as at:
        subject = at.open(1)[1].subject
        judged = subject.kind.locate(subject.trait, subject.trace, table)
        at.receive(1, Proposed(judged, GPT))
        made = 0
        for edit in edits:
            with suppress(Refused):
                at.do(1, Correct(edit, "Look again."))
                made += 1
        assert made
        at.sign_off(1)
        before, after, notes = came_back(at, tmp_path, export)
        assert (after, notes) == (before, [])


@pytest.mark.slow
@pytest.mark.parametrize("export", [in_tables, in_rows])
@pytest.mark.parametrize(
    "name",
    ["grounding", "steps", "pairwise", "llm", "scorer", "regex"],
)
@settings(
    max_examples=25,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)
@given(data=st.data())
def test_whatever_does_not_come_back_is_said(tmp_path_factory, name, export, data):
    rubric, trace = of_kind(name)
    folder = tmp_path_factory.mktemp("way")
    with bench(folder, trace, of=rubric) as at:
        cell = at.open(1)[1]
        trait = cell.subject.trait
        if cell.subject.source_name == "model" and data.draw(st.booleans()):
            table = data.draw(EXAMPLES[name].tables(trait))
            judged = cell.subject.kind.locate(trait, cell.subject.trace, table)
            assume(not cell.subject.kind.unjudged(trait, cell.subject.trace, judged))
            at.receive(1, Proposed(judged, GPT))
        for _ in range(data.draw(st.integers(1, 4))):
            labels = at.open(1)[1].labels
            labels = cell.subject.kind.blank if labels is None else labels
            with suppress(Refused):
                at.do(
                    1,
                    Correct(
                        data.draw(EXAMPLES[name].edits(trait, labels)),
                        "Look again.",
                    ),
                )
        try:
            at.sign_off(1)
        except Refused:
            return
        before, after, notes = came_back(at, folder, export)
        assert after == before or notes


def test_rows_are_imported_with_the_rubric_and_the_traces_in_one_command(
    exported,
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    assert main(["export", "x.audit.toml", "--to", "rows", "-o", "rows.jsonl"]) == 0
    files = [
        str(exported / "rubric.toml"),
        str(exported / "traces.jsonl"),
        "rows.jsonl",
    ]
    assert main(["import", *files, "-o", "again.audit.toml"]) == 0
    assert "9 verdicts of people" in capsys.readouterr().err
    before = sides(load_audit("x.audit.toml").cells)
    assert sides(load_audit("again.audit.toml").cells) == before


@pytest.mark.parametrize("form", ["csv", "rows"])
def test_of_a_blind_sample_neither_draw_nor_blindness_comes_back_and_that_is_said(
    tmp_path,
    monkeypatch,
    capsys,
    form,
):
    monkeypatch.chdir(tmp_path)
    traces = [Trace(id=str(number), response=RESPONSE) for number in range(4)]
    with bench(tmp_path, *traces, of=Rubric(llm_traits=[SAFE])) as at:
        for number in range(1, 5):
            at.receive(number, Proposed({"value": True, "evidence": []}, GPT))
        planned = plan(at.workspace.path, SampleWish(3, blind=True))
        at.draw(planned.what)
        for number in planned.traces:
            at.do(number, Correct(Edit("set", False)))
            at.do(number, Rule(SAFE.sha256()))
        at.save()
    assert is_of_a_blind_sample("x.audit.toml")
    given = ["out"]
    assert main(["export", "x.audit.toml", "--to", "csv", "-o", "out"]) == 0
    if form == "rows":
        assert main(["export", "x.audit.toml", "--to", "rows", "-o", "rows.jsonl"]) == 0
        given = ["out/rubric.toml", "out/traces.jsonl", "rows.jsonl"]
    assert "the sample, what was ruled blind" in capsys.readouterr().err
    for more in (["--dry-run"], []):
        assert main(["import", *given, "-o", "again.audit.toml", *more]) == 0
        said = " ".join("".join(capsys.readouterr()).split())
        assert "the sample, and which verdicts were ruled blind" in said
        assert "cells that nobody ruled on" in said
    assert not is_of_a_blind_sample("again.audit.toml")
    assert main(["metrics", "again.audit.toml"]) == 0
    assert "Nobody ruled blind here" in capsys.readouterr().out


def is_of_a_blind_sample(audit):
    """Whether any number of an audit is of a sample, or of verdicts that were given blind."""
    with resume(AuditFiles.of(Path(audit))).workspace as workspace:
        known = WorkspaceAudit(workspace.db)
        is_blind = any(one.cell.ruled_blind for one in known.cells)
        return is_blind or any(isinstance(one.what, Sampled) for one in known.design)
