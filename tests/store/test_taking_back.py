"""A revised rubric is one act: undo brings rubric, cells and sign-offs back, redo takes it again."""

import json
import random

import pytest

from appellate.core.deciding import Comment, Correct, Draw, Flag
from appellate.core.facts import Failed, Proposed, Revised
from appellate.core.problem import Refused
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import resume
from appellate.store.audits.rubric_difference import difference, made_again
from appellate.store.samples.sample_plans import SampleWish, plan
from appellate.traits.llm import edits as llm
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Question, Rubric
from cells import (
    MOVED,
    all_totals,
    bench,
    check_totals,
    checklist,
    everything,
    from_file_alone,
    matrix,
    other_proposal,
    place,
    proposal,
    rubric,
    ticking,
    trace,
)
from killing import Deed, stands

BOTH = rubric(matrix(), checklist())
CLOSER = rubric(matrix(description="Closer"), checklist())
FEWER = rubric(matrix(metrics=["recall"]), checklist())
FURTHER = rubric(matrix(description="Closer still"), checklist())
THIRD = rubric(matrix(), checklist(), checklist(name="Third"))


def as_it_was(at: Workbench) -> tuple:
    """What a reviewer sees of every cell, the rubric, and the sums."""
    numbers = range(1, at.workspace.cells.count() + 1)
    cells = [at.workspace.cell(number)[1] for number in numbers]
    totals = all_totals(at.workspace)
    return (
        at.workspace.rubric,
        [
            (cell.labels, cell.state, cell.signed, cell.edits, cell.outdated)
            for cell in cells
        ],
        [
            (cell.subject.trait, cell.judged, cell.rounds, cell.flag, cell.hidden)
            for cell in cells
        ],
        at.workspace.cells.rows(0, 99),
        totals,
    )


def filled(at: Workbench) -> None:
    """Two traces under two traits: corrected and signed off, proposed, flagged alone, failed."""
    at.receive(1, proposal())
    at.do(1, MOVED)
    at.sign_off(1)
    at.receive(2, proposal(checklist()))
    at.do(3, Flag(True))
    at.receive(4, Failed("timeout", "", {"name": "gpt"}))


@pytest.fixture
def judged(tmp_path):
    with bench(tmp_path, trace("a"), trace("b"), of=BOTH) as at:
        filled(at)
        yield at


@pytest.mark.parametrize(
    "revised",
    [CLOSER, FEWER, THIRD, Rubric(**{**dict(BOTH), "name": "N"})],
)
def test_undo_takes_back_a_revised_rubric_before_any_older_act_and_redo_takes_it_again(
    judged,
    revised,
):
    before = as_it_was(judged)
    judged.revise(revised)
    taken = as_it_was(judged)
    for _ in range(2):
        assert judged.undo() == []
        assert as_it_was(judged) == before
        check_totals(judged.workspace)
        assert judged.redo() == []
        assert as_it_was(judged) == taken
        check_totals(judged.workspace)
    judged.undo()
    assert (
        judged.undo()[0].reversed_facts[0].what == Flag(True)
        or judged.workspace.cell(3)[1].flag is False
    )


def test_acts_since_are_undone_first_and_done_again_last(judged):
    judged.revise(CLOSER)
    judged.receive(1, other_proposal(matrix(description="Closer")))
    judged.sign_off(1)
    under_it = as_it_was(judged)
    judged.undo()
    assert judged.workspace.rubric == CLOSER, "the sign-off was the last act"
    judged.undo()
    assert judged.workspace.rubric == BOTH
    assert judged.open(1)[1].state == "reviewed"
    judged.redo()
    judged.redo()
    assert as_it_was(judged) == under_it


def test_what_a_judge_said_about_the_rubric_that_went_is_set_aside_and_kept_in_the_file(
    judged,
):
    before = as_it_was(judged)
    judged.revise(CLOSER)
    judged.receive(1, other_proposal(matrix(description="Closer")))
    judged.receive(3, other_proposal(matrix(description="Closer")))
    judged.undo()
    told = judged.workspace.design.facts()[-1].what
    assert (told.signed, told.corrections, told.answers) == (1, 0, 2), (
        "the correction was carried over, and is in force in both"
    )
    assert judged.open(3)[1].state == "pending", (
        "it was judged only under the rubric that went"
    )
    assert as_it_was(judged)[1][0] == before[1][0]
    with from_file_alone(judged) as again:
        for number in (1, 3):
            facts = again.cell(number)[1].facts
            assert any(isinstance(fact.what, Proposed) and fact.n > 7 for fact in facts)
        check_totals(again)


def test_a_judge_that_answered_after_the_undo_is_not_mixed_with_what_was_said_before(
    judged,
):
    judged.revise(CLOSER)
    judged.receive(1, other_proposal(matrix(description="Closer")))
    judged.undo()
    judged.receive(1, other_proposal(round=2))
    assert judged.open(1)[1].state == "reviewed", "signed-off labels stay"
    old_rounds = judged.open(1)[1].round
    judged.redo()
    assert old_rounds == 2
    assert judged.open(1)[1].state == "pending", (
        "what was said since is about the trait as it was"
    )
    judged.undo()
    assert judged.open(1)[1].state == "reviewed"
    assert judged.open(1)[1].round == 2


def test_flags_comments_and_draws_since_stay(judged):
    judged.revise(CLOSER)
    bob = Workbench(judged.workspace, judged.audit, "bob", ticking())
    bob.do(2, Comment("Look"))
    judged.draw(plan(judged.workspace.path, SampleWish(1)).what)
    sampled = judged.workspace.design.drawn()
    judged.undo()
    assert judged.workspace.rubric == BOTH
    assert len(judged.open_unhidden(2)[1].comments) == 1
    assert judged.workspace.design.drawn() == sampled
    check_totals(judged.workspace)


def test_a_blind_verdict_is_locked_again_and_nothing_of_the_judge_shows_before(
    tmp_path,
):
    warns = LLMRubricTrait(name="Warns", kind="boolean", description="Does it warn?")
    other = warns.model_copy(update={"description": "Does it warn of anything?"})
    with bench(tmp_path, trace("a"), of=Rubric(llm_traits=[warns])) as at:
        at.do(1, Draw(True))
        at.do(1, Correct(llm.Edit("set", value=True)))
        at.sign_off(1)
        assert at.open(1)[1].ruled
        at.revise(Rubric(llm_traits=[other]))
        assert at.open(1)[1].hidden
        at.undo()
        cell = at.open(1)[1]
        assert cell.ruled
        assert not cell.hidden
        assert not cell.is_unseeing(cell.facts[-1])
        texts = [row.text for row in at.workspace.facts.acts("ada", 0, 9)]
        assert len(texts) == 3, "nothing is withheld of a verdict that is locked"


def test_a_correction_after_a_rubric_taken_back_is_not_part_of_the_locked_verdict(
    tmp_path,
):
    warns = LLMRubricTrait(name="Warns", kind="boolean", description="Does it warn?")
    other = warns.model_copy(update={"description": "Does it warn of anything?"})
    with bench(tmp_path, trace("a"), of=Rubric(llm_traits=[warns])) as at:
        at.do(1, Draw(True))
        at.do(1, Correct(llm.Edit("set", value=True)))
        at.sign_off(1)
        at.revise(Rubric(llm_traits=[other]))
        at.undo()
        since = at.workspace.facts.last_n()
        at.do(1, Correct(llm.Edit("set", value=False)))
        cell = at.open(1)[1]
        assert not cell.is_unseeing(cell.facts[-1])
        assert at.workspace.facts.done_since(since, "ada").acts == {"corrected": 1}


def test_nobody_else_takes_it_back_and_not_over_the_work_of_others(judged):
    judged.revise(CLOSER)
    bob = Workbench(judged.workspace, judged.audit, "bob", ticking())
    with pytest.raises(Refused, match="nothing to undo"):
        bob.undo()
    bob.receive(1, other_proposal(matrix(description="Closer")))
    bob.sign_off(1)
    before = everything(judged.workspace)
    with pytest.raises(Refused, match="bob worked with the revised rubric since"):
        judged.undo()
    assert everything(judged.workspace) == before
    bob.undo()
    judged._opened.clear()
    judged.undo()
    assert judged.workspace.rubric == BOTH


def test_a_correction_in_sight_counts_as_one_though_a_withdrawn_draw_was_blind(judged):
    sample = plan(judged.workspace.path, SampleWish(2, 1, blind=True)).what
    judged.draw(sample)
    judged.withdraw()
    judged.revise(CLOSER)
    judged.receive(1, other_proposal(matrix(description="Closer")))
    since = judged.workspace.facts.last_n()
    judged.do(1, MOVED)
    cell = judged.open(1)[1]
    assert not cell.is_unseeing(cell.facts[-1])
    assert judged.workspace.facts.done_since(since, "ada").acts == {"corrected": 1}


def test_a_rubric_on_top_of_it_stays(judged):
    judged.revise(CLOSER)
    bob = Workbench(judged.workspace, judged.audit, "bob", ticking())
    bob.revise(FURTHER)
    with pytest.raises(Refused, match="bob took another rubric since"):
        judged.undo()
    bob.undo()
    assert judged.workspace.rubric == CLOSER
    judged.undo()
    assert judged.workspace.rubric == BOTH
    bob.revise(FURTHER)
    with pytest.raises(Refused, match="Another rubric was taken since"):
        judged.redo()


def test_two_revisions_are_taken_back_one_after_the_other(judged):
    stages = [as_it_was(judged)]
    for revised in (CLOSER, FURTHER, FEWER):
        judged.revise(revised)
        stages.append(as_it_was(judged))
    for stage in stages[-2::-1]:
        judged.undo()
        assert as_it_was(judged) == stage
    for stage in stages[1:]:
        judged.redo()
        assert as_it_was(judged) == stage
    with from_file_alone(judged) as again:
        assert again.rubric == FEWER


def test_an_added_trait_leaves_with_its_cells_unless_something_was_said_in_them(judged):
    judged.revise(THIRD)
    judged.undo()
    assert judged.workspace.cells.count() == 4
    assert judged.workspace.trait_names() == ["Accuracy", "Coverage"]
    judged.redo()
    judged.receive(5, proposal(checklist(name="Third")))
    before = everything(judged.workspace)
    with pytest.raises(
        Refused,
        match="It added Third, which was judged or worked on since",
    ):
        judged.undo()
    assert everything(judged.workspace) == before


def test_a_rubric_that_was_taken_back_can_be_taken_back_in_the_next_session(
    judged,
    tmp_path,
):
    before = as_it_was(judged)
    judged.revise(CLOSER)
    with from_file_alone(judged) as workspace:
        at = Workbench(workspace, place(tmp_path).audit, "ada", ticking())
        at.undo()
        assert as_it_was(at)[:2] == before[:2]
        at.save()
        assert load_audit(at.audit).text() == at.audit.read_text()
        at.redo()
        assert workspace.rubric == CLOSER


def test_history_and_session_tell_of_it_and_that_it_was_undone(judged):
    judged.revise(CLOSER)
    facts = judged.workspace.facts
    (row, *_) = facts.acts("ada", 0, 9)
    assert (row.text, row.place, row.undone) == (
        "took a revised rubric: Accuracy changed (1 cell to judge again, 1 sign-off lost)",
        "the whole audit",
        False,
    )
    assert facts.count_acts("ada") == len(facts.acts("ada", 0, 99))
    assert facts.done_since(judged.began_n, "ada").acts["rubric_taken"] == 1
    judged.undo()
    assert facts.acts("ada", 0, 9)[0].undone
    assert "rubric_taken" not in facts.done_since(judged.began_n, "ada").acts


def test_an_audit_of_before_opens_and_its_changed_traits_stay_as_they_are(judged):
    """Its cells say that the trait was changed, and nothing says what the rubric was."""
    judged.revise(CLOSER)
    judged.save()
    text = judged.audit.read_text()
    head, rest = text.split("\n[[design]]\n", 1)
    rest = rest[rest.index("\n[[traces]]\n") :]
    part_of = next(line for line in rest.splitlines() if line.startswith("part_of"))
    judged.workspace.close()
    judged.workspace.path.unlink()
    judged.audit.write_text(head + rest.replace(f"{part_of}\n", ""))
    with resume(place(judged.audit.parent)).workspace as workspace:
        at = Workbench(workspace, judged.audit, "ada", ticking())
        assert workspace.rubric == CLOSER
        assert any(
            isinstance(fact.what, Revised) for fact in at.open_unhidden(1)[1].facts
        )
        assert [change.no for change in at.undo()] == [3], "the flag, as before"


def test_a_rubric_changed_by_hand_in_the_record_is_refused(judged):
    judged.revise(CLOSER)
    n = judged.workspace.design.facts()[-1].n
    sql = "UPDATE facts SET body = json_set(body, '$.before', json('{\"metric_traits\": [{}]}')) WHERE n = ?"
    judged.workspace.db.execute(sql, (n,))
    with pytest.raises(Refused, match="does not tell what the rubric was before"):
        judged.undo()


def test_a_difference_of_rubrics_makes_the_one_of_the_other_again():
    chance = random.Random(37)
    for _ in range(300):
        one, other = (some_rubric(chance).to_file() for _ in range(2))
        assert made_again(other, *difference(one, other)) == one
        assert not difference(one, one)


def test_of_many_questions_only_the_changed_ones_are_kept():
    questions = [
        Question(id=str(number), question=f"Q{number}") for number in range(500)
    ]
    changed = [questions[0].model_copy(update={"question": "Other"}), *questions[1:]]
    found = difference(
        Rubric(questions=questions).to_file(),
        Rubric(questions=changed).to_file(),
    )
    assert found == ({"questions": [{"id": "0", "question": "Q0"}]}, [], [])


def some_rubric(chance: random.Random) -> Rubric:
    questions = []
    for number in chance.sample(range(4), chance.randrange(4)):
        own = [checklist(name=f"Own {chance.randrange(2)}")]
        questions.append(
            Question(id=str(number), metric_traits=own[: chance.randrange(2)]),
        )
    named = {}
    if chance.random() < 0.5:
        named["name"] = f"N{chance.randrange(2)}"
    traits = [matrix(description=f"D{chance.randrange(3)}")][: chance.randrange(2)]
    return Rubric(metric_traits=traits, questions=questions, **named)


# -- kill -9 --------------------------------------------------------------------------------------


def _filled_and_revised(folder):
    with bench(folder, trace("a"), trace("b"), of=BOTH) as at:
        filled(at)
        at.revise(CLOSER)


def _undoes(folder):
    with resume(place(folder)).workspace as workspace:
        Workbench(workspace, place(folder).audit, "ada", ticking()).undo()


def _stands(folder):
    with resume(place(folder)).workspace as workspace:
        check_totals(workspace)
        cell = workspace.cell(1)[1]
        return [workspace.rubric == BOTH, cell.state, len(workspace.design.facts())]


DEEDS = {"taken back": Deed(_filled_and_revised, _undoes, _stands)}


@pytest.mark.slow
def test_a_kill_leaves_the_rubric_taken_back_or_not(tmp_path):
    found = stands(__file__, "taken back", tmp_path)
    whole = json.loads(json.dumps([[False, "pending", 1], [True, "reviewed", 2]]))
    assert [one for one in whole if one in found] == whole
    assert all(one in whole for one in found)
