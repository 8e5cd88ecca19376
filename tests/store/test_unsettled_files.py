"""Audits and workspaces in which something was changed after a person signed off or ruled on it."""

import re
import sqlite3

import pytest

from appellate.core.deciding import Correct, Draw
from appellate.core.describe import describe_design, describe_moved, describe_unsettled
from appellate.core.problem import Refused, Unusable
from appellate.core.trace import Trace
from appellate.numbers.samples import sample_at, sample_in
from appellate.numbers.sentences import unsettled_text
from appellate.query.language import Vocabulary, parse
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.audits.revision import look
from appellate.store.files.draft import describe, lost
from appellate.store.queue import look_up
from appellate.store.samples.sampling import next_cell, progress
from appellate.traits.llm import edits as llm
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Question, Rubric
from cells import (
    MOVED,
    RESPONSE,
    bench,
    check_totals,
    from_file_alone,
    matrix,
    other_proposal,
    proposal,
    rubric,
    trace,
)
from sampled import order_of, sampled

NAMED = {"question_id": "q", "reference": "18q21"}


def asking(
    question: str = "Where is BCL2?",
    reference: str | None = None,
    **trait,
) -> Rubric:
    asked = Question(id="q", question=question, reference=reference)
    return rubric(matrix(**trait), questions=[asked])


@pytest.fixture
def at(tmp_path):
    """Two answers to one question, judged and signed off, and one to none."""
    traces = [trace("a", question_id="q"), trace("b", question_id="q"), trace("c")]
    with bench(tmp_path, *traces, of=asking(reference="18q21")) as at:
        for number in (1, 2, 3):
            at.receive(number, proposal())
        at.do(1, MOVED)
        for number in (1, 2, 3):
            at.sign_off(number, 2.0)
        yield at


def states(at) -> list[str]:
    return [row.state for row in at.workspace.cells.rows(0, 99)]


def standing(at) -> tuple:
    """What stands in every cell, and the sums."""
    cells = [at.workspace.cell(number)[1] for number in (1, 2, 3)]
    totals = {
        key: value
        for key, value in at.workspace.totals(("metric", "Accuracy")).items()
        if value
    }
    return [
        (cell.labels, cell.state, cell.signed, cell.edits) for cell in cells
    ], totals


def edited(at, was: str, now: str, count: int = -1) -> str:
    """The audit file with other words, as somebody edits it by hand."""
    at.save()
    text = at.audit.read_text(encoding="utf-8")
    assert was in text
    changed = text.replace(was, now, count)
    at.audit.write_text(changed, encoding="utf-8")
    return changed


def cells_in(at):
    return [one.cell for one in load_audit(at.audit).cells]


def found(workspace, query: str) -> int:
    return len(look_up(workspace.path, parse(query, Vocabulary()), "loaded").numbers)


# -- by hand ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (
            'response = "BCL2',
            'reference = "8q24"\nresponse = "BCL2',
            "the reference was changed",
        ),
        (
            'question_id = "q"',
            'question_id = "q"\nquestion = "How?"',
            "the question was changed",
        ),
        (
            f'response = "{RESPONSE}"',
            f'response = "{RESPONSE} Yes."',
            "the response was changed",
        ),
    ],
)
def test_what_is_changed_in_the_file_unsettles_who_signed_it_off(at, was, now, said):
    text = edited(at, was, now, 1)
    one, other, third = cells_in(at)
    assert (one.state, describe_unsettled(one)) == (
        "corrected",
        f"{said} after ada signed it off",
    )
    assert (other.state, third.state) == ("reviewed", "reviewed")
    assert load_audit(at.audit).is_changed
    at.audit.write_text(text.replace(now, was), encoding="utf-8")
    assert [cell.state for cell in cells_in(at)] == ["reviewed"] * 3
    assert not load_audit(at.audit).is_changed


def test_a_workspace_made_of_a_changed_file_says_so_and_writes_what_holds(at):
    edited(at, 'response = "BCL2', 'reference = "8q24"\nresponse = "BCL2', 1)
    at.workspace.close()
    opened = resume(AuditFiles.of(at.audit), "file")
    assert any("1 sign-off does not count any more" in note for note in opened.notes)
    with opened.workspace as workspace:
        assert [row.state for row in workspace.cells.rows(0, 9)] == [
            *("corrected", "reviewed", "reviewed"),
        ]
        check_totals(workspace)
        assert (found(workspace, "is:unsettled"), found(workspace, "is:signed")) == (
            1,
            2,
        )
        Workbench(workspace, at.audit, "ada").save()
    assert at.audit.read_text(encoding="utf-8") == load_audit(at.audit).text()
    assert not load_audit(at.audit).is_changed


def test_the_file_of_an_unsettled_cell_is_read_and_written_again_to_the_byte(at):
    at.revise(asking(reference="8q24"))
    with from_file_alone(at) as workspace:
        assert workspace.cells.row(1).state == "corrected"
        check_totals(workspace)
    text = at.audit.read_text(encoding="utf-8")
    assert text.count('changed = [\n    "reference",\n]') == 2
    assert text.count("[traces.judgments.unsettled]") == 2


def test_what_is_put_back_in_the_file_of_an_unsettled_cell_settles_it(at):
    at.revise(asking(reference="8q24"))
    rubric_line = asking(reference="8q24").sha256()
    text = edited(at, "8q24", "18q21")
    at.audit.write_text(
        text.replace(rubric_line, asking(reference="18q21").sha256()),
        encoding="utf-8",
    )
    assert [cell.state for cell in cells_in(at)] == ["reviewed"] * 3


def test_what_else_is_changed_in_it_is_still_a_problem(at):
    edited(at, 'state = "reviewed"', 'state = "proposed"', 1)
    with pytest.raises(Unusable, match="state: is not what the judge and history"):
        load_audit(at.audit)


def test_what_else_is_changed_in_an_unsettled_cell_is_a_problem_too(at):
    at.revise(asking(reference="8q24"))
    edited(at, "precision = ", "precision = 1", 1)
    with pytest.raises(Unusable, match="metrics: is not what"):
        load_audit(at.audit)


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (
            "cells survive",
            "cells prosper",
            "audited: is of words that are there no more",
        ),
        ("BCL2 is an", "Well, BCL2 is an", "a correction in it cannot be applied"),
    ],
)
def test_excerpts_of_a_changed_response_are_never_others_without_a_word(
    at,
    was,
    now,
    said,
):
    edited(
        at,
        f'response = "{RESPONSE}"',
        f'response = "{RESPONSE.replace(was, now)}"',
        1,
    )
    with pytest.raises(Unusable) as unusable:
        load_audit(at.audit)
    problems = " ".join(map(str, unusable.value.problems))
    assert said in problems
    assert "the response was changed after it was judged" in problems


def test_a_changed_response_of_labels_that_still_fit_is_named(at):
    edited(at, f'response = "{RESPONSE}"', f'response = "{RESPONSE} Yes."', 1)
    assert [describe_moved(cell) for cell in cells_in(at)] == [
        "the response was changed after it was judged",
        "",
        "",
    ]


def test_an_audit_of_an_earlier_version_is_what_it_was_and_never_unsettled(at):
    at.save()
    text = at.audit.read_text(encoding="utf-8")
    older = re.sub(
        r', read_sha256 = "\w+"|^read_sha256 = .+\n',
        "",
        text,
        flags=re.MULTILINE,
    )
    older = re.sub(r"\n\[traces\.judgments\.history\.read\]\n(.+\n)+", "", older)
    assert "read_sha256" not in older
    at.audit.write_text(older, encoding="utf-8")
    assert load_audit(at.audit).text() == older
    edited = older.replace('reference = "18q21"', 'reference = "8q24"')
    edited = re.sub(r'^sha256 = "\w+"\n', "", edited, count=1, flags=re.MULTILINE)
    at.audit.write_text(edited, encoding="utf-8")
    assert [cell.state for cell in cells_in(at)] == ["reviewed"] * 3


# -- by another rubric -----------------------------------------------------------------------------


def test_a_reworded_question_unsettles_its_cells_and_undo_settles_them(at):
    before = standing(at)
    reworded = asking("Where does BCL2 sit?", "18q21")
    assert lost(look(at.workspace, reworded)) == (
        "2 cells are to be signed off again, as their question or reference is another"
    )
    done = at.revise(reworded)
    assert describe(done) == (
        "The rubric was revised: no trait changed. 2 cells are to be signed off again, as their"
        " question or reference is another."
    )
    told = describe_design(at.workspace.design.facts()[-1].what)
    assert told.endswith(
        "questions or references reworded (2 sign-offs to be given again)",
    )
    assert states(at) == ["corrected", "corrected", "reviewed"]
    check_totals(at.workspace)
    assert (
        describe_unsettled(at.open(2)[1])
        == "the question was changed after ada signed it off"
    )
    at.sign_off(2)
    assert states(at) == ["corrected", "reviewed", "reviewed"]
    at.undo()
    at.undo()
    assert standing(at) == before
    at.redo()
    assert states(at) == ["corrected", "corrected", "reviewed"]
    check_totals(at.workspace)


def test_a_reworded_question_stays_where_another_signed_off_over_its_new_words(
    at,
    tmp_path,
):
    at.revise(asking("Where does BCL2 sit?", "18q21"))
    at.reviewer = "bob"
    at.sign_off(2)
    at.reviewer = "ada"
    with pytest.raises(Refused, match="bob worked with the revised rubric since"):
        at.undo()


def test_a_trait_and_its_question_may_change_at_once_and_both_come_back(at):
    before = standing(at)
    at.revise(asking("Where does BCL2 sit?", "18q21", description="Closer"))
    assert states(at) == ["pending", "pending", "pending"]
    check_totals(at.workspace)
    at.undo()
    assert standing(at) == before
    with from_file_alone(at) as workspace:
        check_totals(workspace)


def test_a_judgment_that_came_after_the_change_leaves_what_was_signed_to_its_undo(at):
    before = standing(at)
    at.revise(asking("Where does BCL2 sit?", "18q21"))
    at.receive(1, other_proposal(round=2))
    assert states(at)[0] == "corrected"
    at.undo()
    assert [cell[:2] for cell in standing(at)[0]] == [cell[:2] for cell in before[0]]


def test_the_question_of_a_conversation_that_was_judged_keeps_its_words(tmp_path):
    of = asking(reads="conversation")
    with bench(tmp_path, trace("a", question_id="q"), of=of) as at:
        reworded = asking("Where does BCL2 sit?", reads="conversation")
        at.revise(reworded)
        at.undo()
        subject = at.open_unhidden(1)[1].subject
        at.receive(1, proposal(subject.trait))
        at.sign_off(1)
        with pytest.raises(
            Refused,
            match="is the first step of the conversation that Accuracy",
        ):
            look(at.workspace, reworded)
        with pytest.raises(Refused, match="its words stay"):
            at.revise(asking("Where does BCL2 sit?"))
        assert at.revise(asking(reference="18q21", reads="conversation")).unsettled == 1
        with from_file_alone(at):
            pass


# -- samples ---------------------------------------------------------------------------------------


def counting(sample) -> list[tuple]:
    """Whose labels count, and how often judge and person gave which answers, by cell."""
    found = []
    for unit in sample.units:
        for name, cells in unit.cells.items():
            found += [
                (unit.place, name, one.person is None, one.answers) for one in cells
            ]
    return found


WARNS = LLMRubricTrait(name="Warns", kind="boolean", description="Does it warn?")


def warning(question: str) -> Rubric:
    return Rubric(llm_traits=[WARNS], questions=[Question(id="q", question=question)])


def test_blind_rulings_over_a_reworded_question_are_told_beforehand_and_do_not_count(
    tmp_path,
):
    traces = [
        Trace(id=name, question_id="q", response="Mind the dose.") for name in "ab"
    ]
    with bench(tmp_path, *traces, of=warning("Is it safe?")) as at:
        for number in (1, 2):
            at.do(number, Draw(True))
        at.do(1, Correct(llm.Edit("set", value=True)))
        at.sign_off(1)
        assert at.open(1)[1].ruled_blind
        text = describe(look(at.workspace, warning("Is that safe?")))
        assert "1 cell is to be signed off again" in text
        assert "(1 blind ruling of the sample will not count)" in text
        at.revise(warning("Is that safe?"))
        assert not at.open(1)[1].ruled_blind
        assert (found(at.workspace, "is:ruled"), found(at.workspace, "is:blind")) == (
            0,
            1,
        )
        at.sign_off(1)
        assert states(at) == ["reviewed", "pending"]
        assert found(at.workspace, "is:ruled") == 0
        at.undo()
        at.undo()
        assert found(at.workspace, "is:ruled") == 1


@pytest.mark.parametrize("blind", [True, False])
def test_the_numbers_of_a_sample_leave_out_what_is_unsettled_by_name(tmp_path, blind):
    with sampled(tmp_path, 40, 30, ruled=30, blind=blind) as at:
        third = f"t{order_of(at)[2]}"
        start = f'id = "{third}"\nepoch = 1\n'
        edited(at, start, f'{start}reference = "8q24"\n')
        audit = load_audit(at.audit)
        one = sample_in(audit, "model")
        at.workspace.close()
        with resume(AuditFiles.of(at.audit), "file").workspace as workspace:
            check_totals(workspace)
            other = sample_at(workspace.path)
            far = progress(workspace.path, 1)
            assert far.done == [29]
            following = next_cell(workspace.path)
        done = "ruled on it" if blind else "signed it off"
        assert (
            one.unsettled
            == other.unsettled
            == [
                f"{third} · Polite: the reference was changed after ada {done}",
                f"{third} · Facts: the reference was changed after ada {done}",
            ]
        )
        assert unsettled_text(one).startswith("2 cells of the sample do not count: ")
        assert (far.next, following is None) == (
            ("", True) if blind else (third, False)
        )
        assert counting(one) == counting(other)


def test_a_rewording_that_the_disk_refused_unsettles_nothing(at):
    def full(action, argument, *_):
        refused = action == sqlite3.SQLITE_TRANSACTION and argument == "COMMIT"
        return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK

    before = standing(at)
    at.workspace.db.set_authorizer(full)
    with pytest.raises(sqlite3.DatabaseError):
        at.revise(asking("Where does BCL2 sit?", "18q21"))
    at.workspace.db.set_authorizer(None)
    assert (standing(at), states(at)) == (before, ["reviewed"] * 3)
    at.revise(asking("Where does BCL2 sit?", "18q21"))
    check_totals(at.workspace)


# -- the judge -------------------------------------------------------------------------------------


def test_another_judge_in_the_file_unsettles_who_signed_off_what_it_had_said(at):
    text = edited(at, 'name = "gpt"', 'name = "better"', 1)
    first, *others = cells_in(at)
    told = "what the judge had said was changed after ada signed it off"
    assert (first.state, describe_unsettled(first)) == ("corrected", told)
    assert [cell.state for cell in others] == ["reviewed", "reviewed"]
    at.audit.write_text(
        text.replace('name = "better"', 'name = "gpt"'),
        encoding="utf-8",
    )
    assert [cell.state for cell in cells_in(at)] == ["reviewed"] * 3
