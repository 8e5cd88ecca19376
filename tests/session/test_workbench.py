"""The review in progress: one door for every change, and numbers that stay true through all of them."""

import hashlib
import sys
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType, FrameType

import pytest
from msgspec.structs import replace

from appellate.core.deciding import Command, Comment, Correct, Flag, Reason
from appellate.core.facts import Failed, Proposed
from appellate.core.problem import Refused
from appellate.session.workbench import Change, Position, Workbench, now
from appellate.store import breakdowns
from appellate.store.audits.audit import load_audit
from appellate.store.audits.audit_sync import Text, workspace_path
from appellate.store.database import locked
from appellate.store.workspace import Workspace
from appellate.traits.metric.edits import Edit, apply
from appellate.traits.metric.labels import from_table
from appellate.traits.metric.ledger import answers
from appellate.traits.metric.spec import MetricRubricTrait
from cells import (
    EXPECTED,
    GENE,
    SIGN,
    SURVIVE,
    bench,
    everything,
    link,
    marks,
    matrix,
    opened,
    place,
    seat,
    select,
    trace,
    worked_example,
)

TWO = (trace("a"), trace("b", epoch=2))
DROP = Correct(Edit.from_row({"action": "drop", "bucket": "tp", "index": 0}))
EXAMPLE = Proposed(worked_example(), {"name": "gpt"})


@pytest.fixture
def at(tmp_path):
    with bench(tmp_path) as at:
        yield at


# -- changing -------------------------------------------------------------------------------------


def called(act: Callable[[], object]) -> list[CodeType]:
    """The code of every function that an act calls."""
    seen: list[CodeType] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.append(frame.f_code)

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return seen


def calls(act: Callable[[], object]) -> Counter[str]:
    """How often an act counts items, answers instructions, reads a table's labels, carries an edit out."""
    counting = MetricRubricTrait.counting
    codes = {
        one.__code__: one.__name__ for one in (counting, answers, from_table, apply)
    }
    return Counter(codes[code] for code in called(act) if code in codes)


def test_what_labels_come_to_is_found_once(tmp_path):
    buckets = 4
    with bench(tmp_path) as at:
        judged = calls(lambda: at.receive(1, EXAMPLE))
        assert (judged["counting"], judged["answers"], judged["from_table"]) == (
            buckets,
            1,
            1,
        )
        moved = calls(lambda: at.do(1, DROP))
        assert (moved["counting"], moved["apply"]) == (buckets, 1)
        assert moved["answers"] == 1, "the new labels: what the judge answered is known"
        assert (
            calls(lambda: at.do(1, Correct(replace(DROP.edit, bucket="fp"))))["answers"]
            == 1
        )
        for act in (
            lambda: at.do(1, Flag(True)),
            lambda: at.do(1, Comment("hm")),
            lambda: at.sign_off(1),
        ):
            assert not calls(act), "what changes no label measures nothing"


def own_calls(act: Callable[[], object]) -> int:
    """How many functions of this program an act calls."""
    return sum("/appellate/" in code.co_filename for code in called(act))


def steps_of(folder: Path, *commands: Command) -> list[int]:
    """How many functions of this program each request calls, carried out in turn in one judged cell."""
    folder.mkdir()
    with bench(folder) as at:
        at.receive(1, EXAMPLE)
        return [own_calls(partial(at.do, 1, command)) for command in commands]


def test_a_move_and_a_comment_take_few_steps_below_the_screen(tmp_path):
    """440 and 38, denials counted, of 1,708 for either before labels were measured once."""
    commands = (Correct(Edit("move", "tp", 0, "fn")), Comment("hm"), Flag(True))
    # calculates what is kept for the whole process
    steps_of(tmp_path / "first", *commands)
    move, comment, flag = steps_of(tmp_path / "second", *commands)
    assert move < 450
    assert comment < 60
    assert flag < 100


def test_a_judgment_has_its_excerpts_looked_up_once_as_it_arrives(at):
    change = at.receive(1, EXAMPLE)
    assert change.after.state == "proposed"
    assert change.after.labels.tp[0].span == (0, len(GENE))
    assert change.after.facts[0].by == "gpt"
    assert change.after.judge.table["items"][0]["start"] == 0


def test_a_judges_nulls_are_left_out_of_its_record(at):
    record = {"name": "gpt", "parameters": {"stop": None, "n": [None, 1]}, "cost": None}
    judge = at.receive(1, Proposed(worked_example(), record)).after.judge.judge
    assert judge["parameters"] == {"n": [1]}
    assert "cost" not in judge
    at.save()
    assert load_audit(at.audit).cells[0].cell.judge.judge == judge


def test_a_judgment_keeps_what_was_read_and_the_hash_of_that_text(at):
    judge = at.receive(1, Proposed(worked_example(), {"name": "gpt"})).after.judge.judge
    text = at.open(1)[1].subject.text
    assert judge["read"] == "response"
    assert judge["text_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert "transcript" not in judge


def test_of_labels_that_came_with_a_trace_nobody_knows_what_was_read(at):
    judge = at.receive(
        1,
        Proposed(worked_example(), {"name": "recorded"}),
    ).after.judge.judge
    assert "read" not in judge
    assert "text_sha256" in judge


def test_a_failure_is_kept_with_its_judge(at):
    change = at.receive(1, Failed("no answer", "raw", {"name": "gpt", "model": None}))
    assert change.after.state == "failed"
    assert change.after.facts[0].by == "gpt"
    assert at.receive(1, EXAMPLE).after.state == "proposed"


def test_listeners_hear_what_changed_and_nothing_of_what_was_refused(tmp_path):
    heard: list[Change] = []
    with bench(tmp_path) as at:
        at.listeners.append(heard.append)
        at.receive(1, EXAMPLE)
        with pytest.raises(Refused):
            at.do(1, Comment(" "))
        change = at.do(1, DROP)
        assert [one.no for one in heard] == [1, 1]
        assert heard[1] is change
        assert (change.before.state, change.after.state) == ("proposed", "corrected")


def test_facts_are_numbered_stamped_and_signed(tmp_path):
    with bench(tmp_path, *TWO) as at:
        at.do(1, Flag(True))
        fact = at.do(2, Comment("hm")).after.facts[-1]
        assert (fact.n, fact.at, fact.by) == (2, "2026-11-21T12:00:01.123456Z", "ada")
        assert now().utcoffset() is not None


def test_a_sign_off_is_under_the_trait_as_it_is(at):
    at.receive(1, EXAMPLE)
    assert at.sign_off(1).after.signed.what.trait_sha256 == matrix().sha256()


# -- undo and redo --------------------------------------------------------------------------------


def test_undo_takes_back_this_reviewers_last_act_wherever_it_was_and_says_which(
    tmp_path,
):
    with bench(tmp_path, *TWO) as at:
        at.do(1, Flag(True))
        at.do(2, Comment("hm"))
        at.receive(1, EXAMPLE)
        at.reviewer = "bob"
        at.do(1, Comment("mine"))
        at.reviewer = "ada"
        first, second = at.undo(), at.undo()
        assert [(c.no, c.reversed_facts[0].n) for (c,) in (first, second)] == [
            (2, 2),
            (1, 1),
        ]
        assert len(at.open(1)[1].comments) == 1
        assert at.open(1)[1].state == "proposed"
        with pytest.raises(Refused, match="nothing to undo"):
            at.undo()


def test_redo_goes_back_the_way_undo_came_until_something_new_is_done(tmp_path):
    with bench(tmp_path, *TWO) as at:
        for number in (1, 2):
            at.do(number, Flag(True))
        at.undo()
        at.undo()
        assert [at.redo()[0].no, at.redo()[0].no] == [1, 2]
        with pytest.raises(Refused, match="nothing to redo"):
            at.redo()
        at.undo()
        at.do(1, Comment("something new"))
        with pytest.raises(Refused, match="nothing to redo"):
            at.redo()
        at.undo()
        assert (
            at.redo()[0].after.comments[0].what == at.undo()[0].reversed_facts[0].what
        )


def test_requests_to_several_cells_are_one_act_in_one_transaction(tmp_path):
    heard = []
    with bench(tmp_path, *TWO) as at:
        at.receive(1, EXAMPLE)
        kept = everything(at.workspace)
        at.listeners.append(heard.append)

        def asked(act):
            act.do(2, [Comment("hm")])
            act.do(1, [DROP, DROP])
            with pytest.raises(Refused, match="no item 10"):
                act.do(
                    1,
                    [
                        DROP,
                        Correct(
                            Edit.from_row(
                                {"action": "drop", "bucket": "tp", "index": 9},
                            ),
                        ),
                    ],
                )
            assert len(act.cell(1).labels.tp) == 1, "of what is refused nothing is done"

        changes = at.do_together(asked)
        assert heard == changes
        assert [
            (one.no, len(one.after.facts) - len(one.before.facts)) for one in changes
        ] == [
            (2, 1),
            (1, 2),
        ]
        undone = at.undo()
        assert [[fact.n for fact in one.reversed_facts] for one in undone] == [
            [4, 3, 2],
        ] * 2
        assert everything(at.workspace)[1] == kept[1], "the totals are what they were"
        assert [one.no for one in at.redo()] == [2, 1]
        assert at.open(1)[1].labels == changes[1].after.labels


def test_an_act_that_is_refused_changes_nothing(tmp_path):
    with bench(tmp_path, *TWO) as at:
        kept = everything(at.workspace)
        with pytest.raises(Refused, match="not judged yet"):
            at.do_together(
                lambda act: [act.do(number, [Flag(True), SIGN]) for number in (1, 2)],
            )
        assert everything(at.workspace) == kept
        assert at.open(1)[1].facts == ()


def test_a_reason_is_no_act_and_does_not_stand_in_the_way_of_undo(at):
    at.receive(1, EXAMPLE)
    edit = at.do(1, DROP).after.facts[-1]
    at.do(1, Reason(edit.n, "ambiguous"))
    assert at.undo()[0].after.state == "proposed"


def test_what_the_undone_act_left_to_others_is_refused_by_name(at):
    at.do(
        1,
        Correct(
            Edit.from_row({"action": "add", "bucket": "tp", **link(1), **select(GENE)}),
        ),
    )
    at.reviewer = "bob"
    at.do(1, Correct(Edit.from_row({"action": "move", "bucket": "tp", "to": "fn"})))
    at.reviewer = "ada"
    with pytest.raises(Refused, match="later correction depends"):
        at.undo()
    assert at.open(1)[1].labels.fn[0].text == EXPECTED[0]


def test_a_reply_that_comes_after_a_person_filled_the_cell_leaves_the_labels_alone(at):
    at.do(
        1,
        Correct(
            Edit.from_row(
                {"action": "add", "bucket": "tp", **link(2), **select(SURVIVE)},
            ),
        ),
    )
    cell = at.receive(1, EXAMPLE).after
    assert marks(cell.labels) == {"tp": [2]}
    assert cell.state == "corrected"
    assert cell.judge_figures.counts["tp"] == 3
    with pytest.raises(Refused, match="never replaces"):
        at.receive(1, EXAMPLE)


# -- reading alone --------------------------------------------------------------------------------


def test_a_cell_shown_as_an_example_is_marked_once_and_says_nothing_about_the_judge_any_more(
    tmp_path,
):
    with bench(tmp_path, trace("a"), trace("b"), trace("c"), trace("b", epoch=2)) as at:
        at.receive(4, EXAMPLE)
        at.do(4, DROP)
        at.sign_off(4)
        assert (
            sum(
                hit.overruled
                for hit in breakdowns.answer_stats(at.workspace, ("metric", "Accuracy"))
            )
            == 1
        )
        heard = []
        at.listeners.append(heard.append)
        shown = Proposed(
            worked_example(),
            {"name": "gpt", "examples": ["b#2", "nowhere"]},
        )
        at.receive(1, shown)
        at.receive(2, shown)
        assert sorted(change.no for change in heard) == [1, 2, 4]
        assert [row.example for row in at.workspace.cells.rows(0, 9)] == [0, 0, 0, 1]
        assert (
            sum(
                hit.overruled
                for hit in breakdowns.answer_stats(at.workspace, ("metric", "Accuracy"))
            )
            == 0
        )
        assert at.open(4)[1].state == "reviewed"


def test_answers_are_kept_together_or_not_at_all(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.receive(2, EXAMPLE)
        changes = at.receive_many([(1, EXAMPLE), (2, EXAMPLE)])
        assert [change.no for change in changes] == [1], "the second came too late"
        assert at.unexported_count == 2


def test_answers_may_be_part_of_a_larger_transaction(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        with at.workspace.transaction():
            at.receive(1, EXAMPLE)
            at.receive_many([(2, EXAMPLE)])
        at.workspace.settle()
        assert [row.state for row in at.workspace.cells.rows(0, 9)] == [
            "proposed",
            "proposed",
        ]


def test_a_session_that_only_reads_refuses_changes_and_sees_what_the_writer_does(
    tmp_path,
):
    with (
        bench(tmp_path) as at,
        Workspace(place(tmp_path).workspace, readonly=True) as reader,
    ):
        other = Workbench(reader, at.audit, "eve")
        assert not other.open(1)[1].flag
        at.do(1, Flag(True))
        assert other.open(1)[1].flag
        with pytest.raises(Refused, match="only reads"):
            other.do(1, Flag(False))
        with pytest.raises(Refused, match="only reads"):
            other.receive(1, EXAMPLE)
        with pytest.raises(Refused, match="only reads"):
            other.receive_many([(1, EXAMPLE)])
        other.keep_position(Position(1))
        other.save()
        assert not at.audit.exists()


# -- where one stands -----------------------------------------------------------------------------


def test_each_reviewers_place_is_kept(tmp_path):
    at = seat(opened(tmp_path, *TWO), tmp_path)
    with at.workspace:
        assert at.position() == Position()
        at.keep_position(Position(2, "tp", 3))
        assert at.position() == Position(2, "tp", 3)
        assert Workbench(at.workspace, at.audit, "bob").position() == Position()
        at.keep_position(Position(99))
        assert at.position() == Position()


# -- the audit file -------------------------------------------------------------------------------


def test_kept_and_written_are_told_apart(at):
    assert (at.unexported_count, at.is_written) == (0, False)
    at.save()
    assert at.is_written
    at.do(1, Flag(True))
    assert (at.unexported_count, at.is_written) == (1, False)
    at.save()
    assert (at.unexported_count, at.is_written) == (0, True)
    at.audit.unlink()
    assert not at.is_written


def test_the_file_may_be_written_by_a_thread_while_the_review_goes_on(at):
    at.do(1, Flag(True))
    written: list[Text] = []
    thread = threading.Thread(target=lambda: written.append(at.write()))
    thread.start()
    thread.join()
    at.do(1, Flag(False))
    at.wrote(written[0])
    assert at.unexported_count == 1


def test_it_does_not_move_to_a_workspace_that_another_process_makes(at, tmp_path):
    elsewhere = tmp_path / "elsewhere.audit.toml"
    lock = locked(workspace_path(elsewhere))
    try:
        with pytest.raises(Refused, match="Name another file"):
            at.move(elsewhere)
    finally:
        lock.release()
    assert at.audit != elsewhere
    at.do(1, Comment("still here"))


def test_it_does_not_move_to_a_path_that_the_system_refuses(at, tmp_path):
    for path in (tmp_path / f"{'x' * 300}.audit.toml", tmp_path / ("y" * 300) / "x"):
        with pytest.raises(Refused, match="name too long"):
            at.move(path)
