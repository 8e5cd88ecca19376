"""What people said comes in whole: who, when, why and how; two of them never share a cell."""

import json
from itertools import product

import pytest
from foreign_files import taken

from appellate.core.describe import describe
from appellate.core.facts import Commented, SignedOff
from appellate.interop import recognise
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
)
from appellate.interop.ruled import ruled_cells
from appellate.interop.table_map import map_of
from appellate.interop.taking_in import sharing_people, take_in
from appellate.store.audits.any_audit import WorkspaceAudit
from appellate.store.audits.open_audit import AuditFiles, making

NOON = "2025-03-01T12:00:00Z"
LATER = "2025-03-02T12:00:00Z"


def read(tmp_path, rows, **entries):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return recognise.read([path], map_of(entries))


def made(tmp_path, file, **options):
    """Return the audit of a file, whose workspace is to be closed."""
    place = AuditFiles.of(tmp_path / "made.audit.toml")
    return take_in(file, "rows", place, "0", **options)


def of_people(*people):
    """Return a file of one answer that its judge passes, with these verdicts of people."""
    trace = ForeignTrace(
        {"id": "1", "response": "Yes."},
        [JudgeVerdict("V", True)],
        people,
    )
    return ForeignFile("rows", lambda: iter([trace]), {})


LANGFUSE = {
    "dataType": "BOOLEAN",
    "name": "V",
    "source": "ANNOTATION",
    "value": 1,
    "comment": "said",
    "authorUserId": "anna",
    "timestamp": NOON,
}
MLFLOW = {
    "assessment_name": "V",
    "source": {"source_type": "HUMAN", "source_id": "anna"},
    "feedback": {"value": True},
    "rationale": "said",
    "create_time": NOON,
}
LANGSMITH = {
    "key": "V",
    "score": 1,
    "comment": "said",
    "created_at": NOON,
    "feedback_source": {"type": "app", "user_name": "anna"},
}
PHOENIX = {
    "name": "V",
    "annotator_kind": "HUMAN",
    "user_id": "anna",
    "created_at": NOON,
    "result": {"score": 1, "explanation": "said"},
}
TABLE = {"person.V": "anna", "why.V": "note", "when.V": "day"}
ROWS = {
    "langfuse": {
        "trace": {"id": "1", "projectId": "p", "output": "x", "scores": [LANGFUSE]},
    },
    "mlflow": {
        "info": {"trace_id": "1", "response_preview": "x", "assessments": [MLFLOW]},
        "data": {},
    },
    "langsmith": {"id": "1", "outputs": {"answer": "x"}, "feedback": [LANGSMITH]},
    "phoenix": {
        "context": {"span_id": "1"},
        "attributes": {"output": {"value": "x"}},
        "annotations": [PHOENIX],
    },
    "table": {"id": "1", "response": "x", "anna": "yes", "note": "said", "day": NOON},
}


@pytest.mark.parametrize("tool", ROWS)
def test_a_verdict_has_its_author_its_time_and_its_reason(tmp_path, tool):
    file = read(tmp_path, [ROWS[tool]], **(TABLE if tool == "table" else {}))
    taken = made(tmp_path, file)
    with taken.workspace as workspace:
        (ruled,) = ruled_cells(WorkspaceAudit(workspace.db))
    assert (ruled.by, ruled.said_at, ruled.why) == ("anna", NOON, "said")
    assert ruled.at > NOON
    assert (taken.people, taken.people_reasons, taken.people_times) == (1, 1, 1)


@pytest.mark.parametrize("value", [True, False])
def test_the_reason_stays_whether_a_person_agrees_or_not(tmp_path, value):
    taken = made(
        tmp_path,
        of_people(PersonVerdict("V", value, "anna", "said", at=NOON)),
    )
    with taken.workspace as workspace:
        (ruled,) = ruled_cells(WorkspaceAudit(workspace.db))
        cell = workspace.cell(1)[1]
    assert (ruled.why, ruled.value) == ("said", value)
    assert cell.signed.part_of == cell.signed.n - 1


def test_a_verdict_and_its_reason_are_one_act(tmp_path):
    with made(
        tmp_path,
        of_people(PersonVerdict("V", True, "anna", "said")),
    ).workspace as workspace:
        _, comment, signed = workspace.cell(1)[1].facts
    assert isinstance(comment.what, Commented)
    assert isinstance(signed.what, SignedOff)
    assert signed.part_of == comment.n


@pytest.mark.parametrize("claim", [True, False])
def test_only_the_importer_says_that_people_were_blind(tmp_path, claim):
    file = of_people(PersonVerdict("V", False, "anna"))
    with made(tmp_path, file, is_claimed_blind=claim).workspace as workspace:
        cell = workspace.cell(1)[1]
    assert (cell.is_claimed_blind, cell.ruled_blind) == (claim, False)
    assert ("blind by the importer's claim" in describe(cell, cell.signed)) is claim


TWO = [PersonVerdict("V", True, "anna", "yes"), PersonVerdict("V", False, "ben", "no")]


def test_two_people_on_one_cell_are_two_audits_of_one_rubric(tmp_path):
    file = of_people(*TWO)
    assert sharing_people(file) == ["anna", "ben"]
    with made(tmp_path, file, person="ben").workspace as workspace:
        (ruled,) = ruled_cells(WorkspaceAudit(workspace.db))
    assert (ruled.by, ruled.value) == ("ben", False)


def test_in_one_audit_the_first_one_stands_and_the_other_is_named(tmp_path):
    taken = made(tmp_path, of_people(*TWO))
    with taken.workspace as workspace:
        (ruled,) = ruled_cells(WorkspaceAudit(workspace.db))
    assert (ruled.by, ruled.value) == ("anna", True)
    (note,) = taken.notes
    assert note.startswith(
        "1 verdict of ben left out, for another person ruled on the same cells",
    )


def test_people_on_different_cells_share_one_audit():
    people = [PersonVerdict("V", True, "anna"), PersonVerdict("W", False, "ben")]
    assert sharing_people(of_people(*people)) == []


def test_what_a_tool_replaced_is_in_the_history_and_said(tmp_path):
    later = PersonVerdict("V", False, "ben", "no", replaces=True)
    file = of_people(TWO[0], later)
    assert sharing_people(file) == []
    taken = made(tmp_path, file)
    with taken.workspace as workspace:
        cell = workspace.cell(1)[1]
    assert cell.signed.by == "ben"
    assert taken.notes == [
        "1 cell: ben replaced anna's verdict, which is in the history.",
    ]


def test_a_person_who_ruled_twice_is_heard_in_the_order_of_the_times(tmp_path):
    first = PersonVerdict("V", True, "anna", at=LATER)
    second = PersonVerdict("V", False, "anna", at=NOON)
    taken = made(tmp_path, of_people(first, second))
    with taken.workspace as workspace:
        (ruled,) = ruled_cells(WorkspaceAudit(workspace.db))
    assert (ruled.value, ruled.said_at) == (True, LATER)
    assert taken.notes == [
        "1 cell: anna replaced their own verdict, which is in the history.",
    ]


def test_times_of_the_source_leave_the_order_of_facts_alone(tmp_path):
    people = PersonVerdict("V", False, "anna", at="1999-01-01T00:00:00Z")
    with made(tmp_path, of_people(people)).workspace as workspace:
        times = [fact.at for fact in workspace.cell(1)[1].facts]
    assert times == sorted(times)
    assert min(times) > NOON


DERIVED = ("cells", "given", "measured", "totals", "answers", "instructions")


def derived_rows(workspace):
    """All that a workspace keeps of what follows from its facts, by table."""
    tables = {}
    for name in DERIVED:
        tables[name] = sorted(workspace.db.execute(f"SELECT * FROM {name}"), key=repr)  # noqa: S608
    return tables


@pytest.mark.parametrize(
    ("judged", "ruled"),
    [
        (("yes", "no"), ("yes", "no", "")),
        (("1", "3", "4"), ("1", "3", "2", "")),
        (("a", "b", "c"), ("a", "b", "")),
        ((".5", ".25"), (".5", ".75", "")),
    ],
)
def test_cells_that_come_in_together_are_counted_as_each_by_itself(
    tmp_path,
    judged,
    ruled,
):
    """What follows from the facts is found once for cells that are alike, ruled on or not."""
    lines = ["id,response,judge,person,why"]
    for number, (value, verdict, why) in enumerate(
        product((*judged, ""), ruled, ("", "So.")),
    ):
        lines += [
            f"{number}a,x,{value},{verdict},{why}",
            f"{number}b,x y,{value},{verdict},{why}",
        ]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines))
    columns = {"verdict__V": "judge", "person__V": "person", "why__V": "why"}
    with taken(tmp_path, path, **columns) as found:
        together = found.workspace
        with making(tmp_path / "alone.db", together.rubric, "0") as alone:
            for number in range(1, found.traces + 1):
                trace, cell = together.cell(number)
                alone.add_known([(trace, {cell.subject.trait.name: cell.facts})])
        assert derived_rows(alone) == derived_rows(together)
        alone.close()


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        (("Yes", "yes ", "no"), "Yes"),
        (("right", "correct", "wrong"), "right"),
        (("N/K", "n/k", "no"), "no"),
        (("no", "NO.", "right"), "no"),
        (("right", "wrong", "N/K"), None),
        ((True, 1.0, "no"), True),
        (({"a": 1}, {"a": 1}, "no"), {"a": 1}),
    ],
)
def test_a_majority_is_of_what_people_say_and_not_of_how_they_write_it(
    tmp_path,
    votes,
    said,
):
    rows = [{"id": "1", "response": "x", **dict(zip("abc", votes, strict=True))}]
    entries = {
        "person.Safe": "majority(a|b|c)",
        "positive.Safe": "correct|right|yes",
        "negative.Safe": "wrong|no",
        "none.Safe": "N/K",
    }
    (trace,) = read(tmp_path, rows, **entries).traces()
    assert [person.value for person in trace.people] == ([] if said is None else [said])


def test_a_majority_may_say_yes_as_a_bool_and_as_a_word(tmp_path):
    rows = [{"id": "1", "response": "x", "a": "TRUE", "b": "yes", "c": "no"}]
    entries = {"person.Safe": "majority(a|b|c)", "positive.Safe": "true|yes"}
    (trace,) = read(tmp_path, rows, **entries).traces()
    assert [person.value for person in trace.people] == [True]
