"""How traits stand over all cells: answers kept by differences equal a recount, and the spread of a
metric.
"""

from collections import Counter
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.deciding import Correct, Draw, Receive, Redo, Undo
from appellate.core.facts import Failed, Proposed
from appellate.core.kind import Measure
from appellate.core.problem import Refused
from appellate.core.totals import AnswerStats, answer_counts, answer_stats
from appellate.store import breakdowns
from appellate.traits.metric.edits import Edit
from appellate.traits.rubric import Question
from cells import (
    EXPECTED,
    FORBIDDEN,
    bench,
    checklist,
    commands,
    kept_before,
    matrix,
    proposal,
    rubric,
    trace,
)

F1, RECALL = Measure("f1", "F1"), Measure("recall", "R")


def stats(of, instruction, *, overruled, of_cells, **answers):
    given = {answer: count for answer, count in answers.items() if count}
    return AnswerStats(of, instruction, given, overruled, of_cells)


MOVE = Correct(Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}))


def stats_of(at, trait, limit=1000):
    return breakdowns.answer_stats(at.workspace, trait, limit)


def test_answers_say_what_was_found_and_where_the_judge_was_overruled(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        assert stats_of(at, "Accuracy") == []
        at.receive(1, proposal())
        at.receive(2, proposal())
        at.do(1, MOVE)
        assert stats_of(at, "Accuracy") == [
            stats("tp", EXPECTED[0], found=1, missing=1, overruled=1, of_cells=2),
            stats("tn", FORBIDDEN[1], found=0, missing=2, overruled=0, of_cells=2),
            stats("tn", FORBIDDEN[0], found=2, missing=0, overruled=0, of_cells=2),
            stats("tp", EXPECTED[2], found=2, missing=0, overruled=0, of_cells=2),
            stats("tp", EXPECTED[3], found=0, missing=2, overruled=0, of_cells=2),
            stats("tp", EXPECTED[1], found=2, missing=0, overruled=0, of_cells=2),
        ]
        assert stats_of(at, "Accuracy", 1) == stats_of(at, "Accuracy")[:1]
        assert stats_of(at, "Coverage") == []
        at.undo()
        assert [one.overruled for one in stats_of(at, "Accuracy")] == [0] * 6


def test_an_instruction_in_neither_bucket_is_neither_found_nor_missing(tmp_path):
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        kept_before(tmp_path, at, action="drop", bucket="fn")
        assert stats_of(at, "Accuracy")[0] == stats(
            "tp", EXPECTED[3], unclear=1, overruled=1, of_cells=1
        )


def test_a_cell_filled_by_hand_overrules_nobody(tmp_path):
    with bench(tmp_path, of=rubric(checklist())) as at:
        at.do(
            1,
            Correct(Edit.from_row({"action": "add", "bucket": "fn", "of": "tp", "instruction": 1})),
        )
        assert stats_of(at, "Coverage")[0].overruled == 0
        assert sum(one.times("missing") for one in stats_of(at, "Coverage")) == 1


steps = st.lists(st.tuples(st.integers(1, 4), commands), max_size=12)


@given(steps)
@settings(max_examples=20)
def test_answers_kept_by_differences_equal_a_recount(tmp_path_factory, life):
    with bench(
        tmp_path_factory.mktemp("answers"), trace("a"), trace("b"), of=rubric(matrix(), checklist())
    ) as at:
        for number, command in life:
            try:
                if isinstance(command, Undo | Redo):
                    at.undo() if isinstance(command, Undo) else at.redo()
                elif isinstance(command, Receive):
                    at.receive(number, command.what)
                else:
                    at.do(number, command)
            except Refused:
                pass
        for name in ("Accuracy", "Coverage"):
            recount: Counter = Counter()
            for number in range(1, 5):
                _, cell = at.workspace.cell(number)
                recount.update(answer_counts(cell) if cell.subject.trait.name == name else {})
            kept = stats_of(at, name)
            assert sorted(kept, key=repr) == sorted(answer_stats(recount), key=repr)


def test_a_metric_spreads_over_its_parts_and_0_over_0_is_left_out(tmp_path):
    with bench(tmp_path, *(trace(f"t{n}") for n in range(5))) as at:
        for number in (1, 2):
            at.receive(number, proposal())
        at.receive(3, Failed("no"))
        at.receive(4, Proposed({}, {"name": "gpt"}))
        at.do(2, MOVE)
        spread = partial(breakdowns.distribution, at.workspace.path)
        assert spread("Accuracy", RECALL, "judge_all", 4) == [0, 0, 0, 2]
        assert spread("Accuracy", RECALL, "standing", 4) == [0, 0, 1, 1]
        assert spread("Accuracy", Measure("precision", "P"), "standing", 1) == [2]
        assert (
            spread("Accuracy", Measure("nothing", "N"), "standing", 2)
            == spread("none", F1, "judge", 2)
            == [0, 0]
        )
        assert (
            spread("Accuracy", RECALL, "signed", 4)
            == spread("Accuracy", RECALL, "judge", 4)
            == [0] * 4
        )
        at.sign_off(2)
        assert spread("Accuracy", RECALL, "signed", 4) == [0, 0, 1, 0]
        assert spread("Accuracy", RECALL, "judge", 4) == [0, 0, 0, 1]


def test_the_best_value_is_in_the_last_part(tmp_path):
    with bench(tmp_path, of=rubric(checklist(tp_instructions=EXPECTED[:1]))) as at:
        at.receive(1, Proposed({"tp": ["BCL2"]}, {"name": "gpt"}))
        assert breakdowns.distribution(at.workspace.path, "Coverage", F1, "judge_all", 2) == [0, 1]


def test_the_worst_instructions_of_several_traits_stand_together(tmp_path):
    with bench(tmp_path, trace("a"), trace("b"), of=rubric(matrix(), checklist())) as at:
        for number in (1, 3):
            at.receive(number, proposal())
            at.do(number, MOVE)
        at.receive(2, proposal(checklist()))
        worst = breakdowns.worst(at.workspace, ("Accuracy", "Coverage"), 3)
        assert [(name, one.overruled) for name, one in worst] == [
            ("Accuracy", 2),
            ("Accuracy", 0),
            ("Accuracy", 0),
        ]
        assert {name for name, _ in breakdowns.worst(at.workspace, ("Coverage",), 3)} == {
            "Coverage"
        }
        assert len(breakdowns.worst(at.workspace, ("Accuracy", "Coverage"), 99)) == 6 + 4


def test_traits_are_changed_by_what_happened_since(tmp_path):
    with bench(tmp_path, trace("a"), of=rubric(matrix(), checklist())) as at:
        at.receive(1, proposal())
        last = at.workspace.facts.last_n()
        assert breakdowns.changed_since(at.workspace, last) == set()
        at.receive(2, proposal(checklist()))
        assert breakdowns.changed_since(at.workspace, last) == {"Coverage"}
        assert breakdowns.changed_since(at.workspace, 0) == {"Accuracy", "Coverage"}


def test_whether_anything_is_blind_and_which_questions_there_are(tmp_path):
    asked = Question(id="q1", question="What is BCL2?")
    of = rubric(matrix(), questions=[asked])
    with bench(tmp_path, trace("a", question_id="q1"), trace("b"), of=of) as at:
        assert breakdowns.question_ids(at.workspace.path) == {"q1"}
        at.do(1, Draw(False))
        assert not breakdowns.is_blind(at.workspace)
        at.do(2, Draw(True))
        assert breakdowns.is_blind(at.workspace)
