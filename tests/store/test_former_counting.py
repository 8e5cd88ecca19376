"""Audits whose numbers an earlier version counted by the words of items."""

import json

import pytest

from appellate.cli import main
from appellate.core.facts import Proposed
from appellate.core.problem import Unusable
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.traits.metric import KIND
from cells import (
    EXPECTED,
    FORBIDDEN,
    GENE,
    SURVIVE,
    TRACE,
    bench,
    matrix,
    rubric,
    table,
    trace,
)

COUNTED = (
    "1 cell has metrics that an earlier version counted by the words of items; "
    "they are counted by instruction now, and written so with the next save."
)
RECALL = matrix(metrics=["recall"])
NOW = "recall = 0.25"
"""One of four instructions is found, by two excerpts."""
BEFORE = "recall = 0.4"
"""Two excerpts count, beside three instructions that are missing."""


@pytest.fixture
def at(tmp_path):
    """A cell with two excerpts of one instruction, and one where each has one."""
    judged = table(tp=[GENE, SURVIVE], fn=EXPECTED[1:], tn=FORBIDDEN)
    judged["items"] = [
        {"bucket": "tp", "index": index, "of": "tp", "instruction": 1}
        for index in range(2)
    ]
    plain = table(tp=EXPECTED[:1], fn=EXPECTED[1:], tn=FORBIDDEN)
    with bench(tmp_path, trace("a"), trace("b"), of=rubric(RECALL)) as at:
        for number, given in enumerate((judged, plain), 1):
            at.receive(
                number,
                Proposed(KIND.locate(RECALL, TRACE, given), {"name": "gpt"}),
            )
        at.sign_off(1)
        at.save()
        yield at


def edited(at, *numbers: str) -> None:
    """The file with other numbers in the first cell: of its labels, then of the judge's."""
    text = at.audit.read_text(encoding="utf-8")
    assert text.count(NOW) == 4
    for number in numbers:
        text = text.replace(NOW, number, 1)
    at.audit.write_text(text, encoding="utf-8")


def test_an_audit_with_numbers_by_words_opens_and_says_how_they_count_now(at):
    edited(at, BEFORE, BEFORE)
    audit = load_audit(at.audit)
    assert audit.recounted == COUNTED
    assert audit.cells[0].cell.figures.values == {"recall": 0.25}
    assert BEFORE not in audit.text()


def test_numbers_as_they_are_now_are_told_nothing_of(at):
    assert load_audit(at.audit).recounted == ""


def test_numbers_that_neither_counting_gives_are_refused(at):
    edited(at, "recall = 0.5")
    with pytest.raises(
        Unusable,
        match=r"metrics: is not what the judge and history in this file",
    ):
        load_audit(at.audit)


def test_a_workspace_made_of_it_counts_by_instruction_and_its_file_is_behind(at):
    edited(at, BEFORE, BEFORE)
    at.workspace.close()
    files = AuditFiles.of(at.audit)
    files.workspace.unlink()
    opened = resume(files)
    with opened.workspace as workspace:
        assert opened.notes == [COUNTED]
        assert workspace.cell(1)[1].figures.values == {"recall": 0.25}


def test_check_tells_it_and_finds_nothing_wrong(at, capsys):
    edited(at, BEFORE, BEFORE)
    at.workspace.close()
    assert main(["check", str(at.audit)]) == 0
    assert COUNTED in " ".join(capsys.readouterr().out.split())


def test_metrics_counts_by_instruction_and_says_so(at, capsys):
    edited(at, BEFORE, BEFORE)
    at.workspace.close()
    AuditFiles.of(at.audit).workspace.unlink()
    assert main(["metrics", str(at.audit), "--json"]) == 0
    printed = capsys.readouterr()
    (trait,) = json.loads(printed.out)["traits"]
    assert trait["metrics"]["recall"]["signed"]["macro"] == 0.25
    assert COUNTED in " ".join(printed.err.split())
