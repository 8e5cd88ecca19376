"""Opening an audit: new, resumed, from its file alone, changed by somebody else, with more traces."""

import json
import math
import sqlite3
from contextlib import closing

import pytest

from appellate.core.deciding import Comment, Flag
from appellate.core.facts import Failed
from appellate.core.problem import Refused, Unusable
from appellate.session.workbench import Workbench
from appellate.store import meta
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import (
    Diverged,
    Opened,
    add_traces,
    create,
    differences,
    resume,
)
from appellate.store.files.trace_file import TraceReading
from appellate.store.workspace import Workspace
from cells import (
    EXPECTED,
    NOON,
    RESPONSE,
    bench,
    checklist,
    corrects,
    from_file_alone,
    matrix,
    opened,
    place,
    proposal,
    rubric,
    seat,
    trace,
)
from left_open import open_files


def names(folder) -> list[str]:
    return sorted(
        path.name for path in folder.iterdir() if not path.name.endswith(".lock")
    )


def worked_on(folder) -> None:
    """An audit with one written and one only kept fact."""
    with bench(folder) as at:
        at.receive(1, proposal())
        at.save()
        at.do(1, Flag(True))


# -- creating -------------------------------------------------------------------------------------


def test_a_new_audit_has_every_cell_pending_and_no_file_yet(tmp_path):
    assert not place(tmp_path).exists
    with opened(tmp_path, trace("a"), trace("b")).workspace as workspace:
        assert [row.state for row in workspace.cells.rows(0, 9)] == [
            "pending",
            "pending",
        ]
        assert workspace.meta("version") == "0.1.0"
    assert names(tmp_path) == ["x.audit.db"]
    assert place(tmp_path).exists


def test_where_nothing_can_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Unusable, match="cannot be made"):
        opened(tmp_path / "file")


# -- resuming -------------------------------------------------------------------------------------


def test_a_workspace_ahead_of_its_file_is_said_and_kept(tmp_path):
    worked_on(tmp_path)
    again = resume(place(tmp_path))
    with again.workspace:
        assert "1 fact ahead" in " ".join(again.notes)
        assert again.workspace.cell(1)[1].flag


def test_a_workspace_alone_resumes(tmp_path):
    worked_on(tmp_path)
    place(tmp_path).audit.unlink()
    again = resume(place(tmp_path))
    with again.workspace:
        at = seat(again, tmp_path)
        assert at.unexported_count == 2
        at.save()
        assert load_audit(at.audit).cells[0].cell.flag


def test_an_up_to_date_audit_is_resumed_without_a_word(tmp_path):
    with bench(tmp_path) as at:
        at.do(1, Flag(True))
        at.save()
    again = resume(place(tmp_path))
    with again.workspace:
        assert again.notes == []
        assert seat(again, tmp_path).is_written


def test_a_reader_resumes_whatever_the_file_says(tmp_path):
    worked_on(tmp_path)
    place(tmp_path).audit.write_text("x = 1")
    with resume(place(tmp_path), readonly=True).workspace as reader:
        assert reader.cell(1)[1].flag


# -- from the file alone --------------------------------------------------------------------------


def history(folder) -> Workbench:
    """A workspace with every kind of fact, by two reviewers."""
    odd = trace(
        "b",
        RESPONSE,
        metadata={"nan": math.nan, "cr": "a\rb\r\n"},
        judgments={"Accuracy": {"tp": ["x"]}},
    )
    at = seat(opened(folder, trace("a"), odd, of=rubric(matrix(), checklist())), folder)
    bob = Workbench(at.workspace, at.audit, "bob", lambda: NOON)
    at.receive(1, proposal(parameters={"stop": None, "seed": 2**70, "list": [None, 1]}))
    at.receive(3, proposal(name="recorded"))
    at.do(1, corrects({"action": "drop", "bucket": "tp", "index": 2}, "first"))
    at.sign_off(1)
    bob.do(1, corrects({"action": "move", "bucket": "fp", "index": 0, "to": "tn"}))
    bob.do(3, Comment("a\r\nb \x00 😀 \"' \u202e"))
    at.do(2, Flag(True))
    at.undo()
    bob.undo()
    at.save()
    return at


def test_a_file_alone_rebuilds_the_same_workspace_and_is_written_again_to_the_byte(
    tmp_path,
):
    at = history(tmp_path)
    with from_file_alone(at) as workspace:
        text = at.audit.read_bytes()
        again = seat(Opened(workspace, place(tmp_path)), tmp_path)
        assert again.is_written
        again.save()
        assert at.audit.read_bytes() == text
        assert again.redo()[0].reversed_facts[0].n == 7
        assert workspace.traces.get(2).metadata["cr"] == "a\rb\r\n"


@pytest.mark.parametrize(
    ("record", "judge"),
    [
        ({"name": "gpt", "template_sha256": "abc"}, "gpt"),
        ({"name": "lexical"}, "lexical"),
        ({"name": "recorded", "model": "gpt"}, "recorded"),
        ({"template_sha256": "abc"}, "recorded"),
    ],
)
def test_a_workspace_made_of_the_file_alone_knows_who_judged_last(
    tmp_path,
    record,
    judge,
):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.receive(1, proposal(template_sha256="abc"))
        at.receive(2, Failed("no answer", "", record))
        with from_file_alone(at) as again:
            assert again.meta(meta.JUDGE) == judge


def test_an_act_of_several_facts_is_one_act_in_a_workspace_made_of_the_file_alone(
    tmp_path,
):
    at = seat(opened(tmp_path, trace("a"), trace("b")), tmp_path)
    at.receive(1, proposal())
    at.do_together(
        lambda act: [act.do(number, [Flag(True), Comment("hm")]) for number in (1, 2)],
    )
    with from_file_alone(at) as again:
        assert at.audit.read_text().count("part_of = 2") == 3
        whole = Workbench(again, at.audit, "ada", lambda: NOON)
        assert [change.no for change in whole.undo()] == [2, 1]
        with pytest.raises(Refused, match="nothing to undo"):
            whole.undo()


def test_unknown_keys_of_the_file_outlive_the_workspace(tmp_path):
    worked_on(tmp_path)
    path = place(tmp_path)
    path.workspace.unlink()
    text = path.audit.read_text().replace(
        "\n[rubric]",
        'tomorrow = ["x"]\n\n[rubric]',
        1,
    )
    text = text.replace("epoch = 1\n", "epoch = 1\nmood = 1\n").replace(
        'kind = "metric"',
        'kind = "metric"\nmood = 2',
    )
    path.audit.write_text(text)
    with resume(path).workspace as workspace:
        at = Workbench(workspace, path.audit, "ada", lambda: NOON)
        at.do(1, Flag(True))
        at.save()
    found = load_audit(path.audit)
    assert (found.extra, found.trace_extra, found.cells[0].extra) == (
        {"tomorrow": ["x"]},
        {("t1", 1): {"mood": 1}},
        {"mood": 2},
    )


# -- changed by someone else ----------------------------------------------------------------------


def foreign(folder) -> str:
    """Somebody else's version of the audit, which lacks the last fact."""
    worked_on(folder)
    audit = place(folder).audit
    text = audit.read_text().replace("\n[rubric]", "theirs = true\n\n[rubric]", 1)
    audit.write_text(text)
    return text


def test_a_file_changed_by_someone_else_is_asked_about_and_nothing_is_touched(tmp_path):
    text = foreign(tmp_path)
    before = names(tmp_path)
    for _ in range(2):
        with pytest.raises(Diverged, match="1 fact that the file does not have"):
            resume(place(tmp_path))
    assert place(tmp_path).audit.read_text() == text
    assert names(tmp_path) == before


def test_taking_the_file_sets_the_workspace_aside_each_time(tmp_path):
    text = foreign(tmp_path)
    again = resume(place(tmp_path), "file")
    with again.workspace:
        assert not again.workspace.cell(1)[1].flag
        assert "x.audit.db.old" in again.notes[0]
        seat(again, tmp_path).do(1, Comment("mine"))
    with Workspace(tmp_path / "x.audit.db.old") as aside:
        assert aside.cell(1)[1].flag
    place(tmp_path).audit.write_text(text + "\n# theirs again\n")
    with resume(place(tmp_path), "file").workspace as third:
        assert third.cell(1)[1].comments == []
    with Workspace(tmp_path / "x.audit.db.old1") as aside:
        assert len(aside.cell(1)[1].comments) == 1


def test_a_workspace_set_aside_while_someone_reads_it_loses_no_fact(tmp_path):
    foreign(tmp_path)
    with Workspace(place(tmp_path).workspace, readonly=True) as reader:
        assert reader.cells.count() == 1
        at = seat(resume(place(tmp_path), "workspace"), tmp_path)
        at.do(1, Comment("only in the log beside the file"))
        at.workspace.close()
        place(tmp_path).audit.write_text(
            place(tmp_path).audit.read_text() + "\n# more\n",
        )
        resume(place(tmp_path), "file").workspace.close()
    with Workspace(tmp_path / "x.audit.db.old") as aside:
        assert len(aside.cell(1)[1].comments) == 1


def test_taking_the_workspace_writes_over_the_file_which_stays_as_bak(tmp_path):
    text = foreign(tmp_path)
    again = resume(place(tmp_path), "workspace")
    with again.workspace:
        assert "2 facts ahead" in again.notes[0]
        at = seat(again, tmp_path)
        assert not at.is_written
        at.save()
        assert at.is_written
    assert load_audit(place(tmp_path).audit).cells[0].cell.flag
    assert (tmp_path / "x.audit.toml.bak").read_text() == text


def test_a_workspace_without_facts_that_is_taken_is_not_written_yet(tmp_path):
    opened(tmp_path).workspace.close()
    place(tmp_path).audit.write_text("x = 1")
    again = resume(place(tmp_path), "workspace")
    with again.workspace:
        assert not seat(again, tmp_path).is_written


def test_a_foreign_file_that_is_no_audit_leaves_the_workspace_where_it_is(tmp_path):
    worked_on(tmp_path)
    place(tmp_path).audit.write_text("x = 1")
    with pytest.raises(Unusable):
        resume(place(tmp_path), "file")
    with resume(place(tmp_path), "workspace").workspace as workspace:
        assert workspace.cell(1)[1].flag


# -- given again ----------------------------------------------------------------------------------


def test_the_same_rubric_and_traces_are_taken_as_they_are(tmp_path):
    one = trace(metadata={"nan": math.nan})
    at = opened(tmp_path, one)
    with at.workspace:
        add_traces(at, rubric(), [trace(metadata={"nan": math.nan})])
        assert at.notes == []
        assert at.workspace.traces.count() == 1


def test_additional_traces_are_added_and_the_file_has_them_after_the_next_save(
    tmp_path,
):
    at = opened(tmp_path)
    with at.workspace:
        mine = seat(at, tmp_path)
        mine.do(1, Flag(True))
        mine.save()
        assert mine.is_written
        add_traces(at, rubric(), [trace(), trace("t2")])
        assert "1 new trace " in at.notes[0]
        assert at.workspace.cells.rows(1, 9)[0].trace_id == "t2"
        assert not mine.is_written
        mine.save()
        assert mine.is_written
        assert [one.id for one in load_audit(mine.audit).traces] == ["t1", "t2"]


def test_everything_that_changed_is_named_and_nothing_is_added(tmp_path):
    at = opened(tmp_path, trace("a"), trace("b", epoch=2))
    changed = rubric(matrix(tp_instructions=["Mentions BCL3", *EXPECTED[1:]]))
    with at.workspace:
        with pytest.raises(Unusable) as refused:
            add_traces(
                at,
                changed,
                [trace("a", "other"), trace("b", model="m", epoch=2), trace("c")],
            )
        told = str(refused.value)
        assert "rubric.metric_traits[0].tp_instructions[0]" in told
        assert "trace 'a': its response" in told
        assert "trace 'b' epoch 2: its model" in told
        assert at.workspace.traces.count() == 2


def test_differences_are_named_by_their_key_paths():
    assert list(differences({"a": [1, 2], "b": 1}, {"a": [1, 3], "c": 1})) == [
        "rubric.a[1]",
        "rubric.b",
        "rubric.c",
    ]
    assert list(differences([1], [1, 2])) == ["rubric"]
    assert list(differences({"a": 1}, {"a": 1})) == []


def given(folder, *records):
    path = folder / "traces.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return TraceReading([path], rubric())


def interrupted():
    yield trace("a")
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("coming", "why"),
    [
        (lambda _: [trace("a"), trace("a")], "UNIQUE"),
        (lambda folder: given(folder, {"id": "a"}, {"id": 1.5}), "line 2: id"),
        (lambda _: interrupted(), "^$"),
    ],
    ids=["one stands twice", "a problem", "interrupted"],
)
def test_traces_that_do_not_all_come_in_leave_no_workspace(tmp_path, coming, why):
    with pytest.raises(BaseException, match=why):
        create(place(tmp_path), rubric(), coming(tmp_path), "0.1.0")
    assert {*names(tmp_path)} <= {"traces.jsonl"}


def test_added_traces_with_a_problem_among_them_add_nothing(tmp_path):
    def new(name):
        return {"id": name, "response": "r"}

    with bench(tmp_path, trace("a")) as at:
        opened = Opened(at.workspace, place(tmp_path))
        with pytest.raises(Unusable, match="line 2: id"):
            add_traces(opened, rubric(), given(tmp_path, new("b"), new(1.5)))
        with pytest.raises(Unusable, match="its response is not the one"):
            add_traces(
                opened,
                rubric(),
                given(tmp_path, new("b"), {"id": "a", "response": "x"}),
            )
        assert at.workspace.traces.count() == 1
        add_traces(opened, rubric(), given(tmp_path, new("b"), new("c")))
        assert opened.notes == ["2 new traces added."]
        assert at.workspace.cells.count() == 3


def test_how_far_a_rebuild_has_come_is_told_by_traces_and_the_share_of_the_file(
    tmp_path,
):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.save()
    place(tmp_path).workspace.unlink()
    heard = []
    resume(
        place(tmp_path),
        on_progress=lambda done, part: heard.append((done, part)),
    ).workspace.close()
    size = place(tmp_path).audit.stat().st_size
    text = place(tmp_path).audit.read_text("utf-8")
    first = text.index("[[traces]]")
    second = text.rindex("[[traces]]")
    assert heard == [(0, first / size), (1, second / size)]


def test_a_workspace_that_cannot_be_held_against_its_file_is_closed_again(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.save()
    with closing(sqlite3.connect(place(tmp_path).workspace)) as db, db:
        db.execute("UPDATE meta SET value = '{}' WHERE key = 'written'")
    before = open_files()
    with pytest.raises((LookupError, TypeError, ValueError)) as _:
        resume(place(tmp_path))
    assert open_files() == before
