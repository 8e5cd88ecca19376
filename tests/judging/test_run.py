"""A run: what is asked, compared, recorded or computed elsewhere is kept here, and nothing is lost by stopping."""

import asyncio
import sqlite3
from contextlib import closing, suppress

import pytest
from msgspec.structs import replace
from test_questions import Scripted, at_once

from appellate.core.facts import Proposed
from appellate.judges.offline import Recorded
from appellate.judges.proposal import (
    Answered,
    JudgeRecord,
    JudgmentFailed,
    Proposal,
    Question,
)
from appellate.judging.choice import JudgeChoice, choose
from appellate.judging.process import Work
from appellate.judging.questions import open_again
from appellate.judging.run import (
    MOST_UNSAVED,
    BrokenDown,
    RecordedWork,
    Run,
    WriteBudget,
    run,
)
from appellate.store import breakdowns, injection
from appellate.store.database import NotKept
from cells import bench, checklist, everything, matrix, rubric, trace, worked_example
from loopback import until

BOTH = rubric(matrix(), checklist())
MANY = [
    trace(str(n), judgments={} if n % 4 == 3 else {"Accuracy": worked_example()})
    for n in range(30)
]


def numbered(count):
    """So many traces, named from 1 on as `Scripted` wants them."""
    return [trace(str(n)) for n in range(1, count + 1)]


class Watched(Scripted):
    """Remembers how often it was closed."""

    closed = 0

    async def close(self):
        self.closed += 1


def by(judge, concurrency=1):
    return JudgeChoice("scripted", judge, concurrency=concurrency)


def recorded(at):
    return choose({}, at.workspace.meta)


async def to_its_end(running):
    async with running:
        async for _ in running:
            pass


async def beyond_five_nobody_answers(cell):
    await asyncio.sleep(3600 if cell > 5 else 0)


def answered(cell):
    return Answered(cell, 1, Proposal({}, JudgeRecord("scripted")))


class FailingAtFirst(Scripted):
    """Cells up to this one fail, all for the same reason."""

    def __init__(self, last):
        super().__init__(at_once)
        self.last = last

    async def judge(self, question):
        self.asked.append(int(question.trace.id))
        if int(question.trace.id) <= self.last:
            raise JudgmentFailed("It wrote no JSON.", general=True)
        return Proposal(worked_example(), JudgeRecord(self.name))


# -- what is asked about again ----------------------------------------------------------------------


async def test_a_run_gets_past_the_cells_at_which_the_last_one_ended(tmp_path):
    with bench(tmp_path, *numbered(40)) as at:
        for last in (40, 20, 10, 10):
            judge = FailingAtFirst(last)
            done = await run(at, by(judge))
        assert judge.asked == [*range(11, 21), *range(1, 11)]
        assert (done.failed, at.workspace.count_missing()) == (10, 10)


async def test_a_run_asks_first_about_cells_that_were_not_asked_and_last_where_it_failed_most(
    tmp_path,
):
    with bench(tmp_path, *numbered(30)) as at:
        asked = []
        for _ in range(4):
            judge = FailingAtFirst(30)
            await run(at, by(judge))
            asked.append(judge.asked)
        tens = [list(range(first, first + 10)) for first in (1, 11, 21)]
        assert asked == [*tens, tens[0]]


async def test_a_round_that_is_gone_on_with_gets_past_them_too(tmp_path):
    with bench(tmp_path, *numbered(30)) as at:
        await run(at, by(FailingAtFirst(0)))
        open_again(at, by(FailingAtFirst(0)))
        for last in (10, 10):
            judge = FailingAtFirst(last)
            await run(at, by(judge))
        assert judge.asked == [*range(11, 31), *range(1, 11)]


# -- what is kept -----------------------------------------------------------------------------------


async def test_recorded_labels_are_kept_as_when_they_are_taken_in_one_by_one(tmp_path):
    for name in ("one", "all"):
        (tmp_path / name).mkdir()
    with (
        bench(tmp_path / "one", *MANY, of=BOTH) as one,
        bench(tmp_path / "all", *MANY, of=BOTH) as together,
    ):
        for number in range(1, 61):
            found, cell = one.open(number)
            if cell.subject.trait.name in found.judgments:
                proposal = await Recorded().judge(Question(cell.subject, found))
                judge = {"name": "recorded", **proposal.record.to_file()}
                one.receive(number, Proposed(proposal.labels, judge))
        done = await run(together, recorded(together))
        assert (done.done, done.unrecorded) == (60, 37)
        assert sans_times(one) == sans_times(together)
        stats = [
            breakdowns.answer_stats(at.workspace, ("metric", "Accuracy"))
            for at in (one, together)
        ]
        assert stats[0] == stats[1]


def sans_times(at):
    cells, *rest = everything(at.workspace)
    return [
        (name, [replace(fact, at="") for fact in facts], labels, state)
        for name, facts, labels, state in cells
    ], rest


async def test_every_result_is_kept_once(tmp_path):
    judge = Watched(at_once)
    with bench(tmp_path, *numbered(100)) as at:
        kept = []
        async with Run(at, by(judge, 8)) as running:
            async for group in running:
                kept += [result.cell for result in group]
        assert sorted(kept) == list(range(1, 101))
        assert running.progress.done == 100
        assert running.progress.under_way == 0
    assert judge.closed == 1


async def test_a_judge_waits_for_those_who_keep_its_answers(tmp_path):
    judge = Watched(at_once)
    with bench(tmp_path, *numbered(MOST_UNSAVED + 40)) as at:
        running = Run(at, by(judge), budget=WriteBudget(1e-9))
        async with running:
            await until(lambda: len(judge.asked) > MOST_UNSAVED)
            async for _ in running:
                assert len(judge.asked) <= running.progress.done + MOST_UNSAVED + 2
        assert len(judge.asked) == MOST_UNSAVED + 40


# -- how it may end ---------------------------------------------------------------------------------


async def test_stopping_keeps_what_has_come(tmp_path):
    judge = Watched(beyond_five_nobody_answers)
    with bench(tmp_path, *numbered(20)) as at:
        async with Run(at, by(judge, 3)) as running:
            async for _ in running:
                if running.progress.done == 5:
                    running.stop()
        assert at.workspace.totals()["state:proposed"] == running.progress.done == 5
    assert judge.closed == 1


async def test_leaving_it_keeps_what_has_come(tmp_path):
    judge = Watched(beyond_five_nobody_answers)
    with bench(tmp_path, *numbered(20)) as at:
        with suppress(ZeroDivisionError):
            async with Run(at, by(judge, 3)):
                await until(lambda: len(judge.asked) == 8)
                raise ZeroDivisionError
        assert at.workspace.totals()["state:proposed"] == 5
    assert judge.closed == 1


async def test_a_run_stopped_before_it_began_asks_nothing(tmp_path):
    judge = Watched(at_once)
    with bench(tmp_path, *numbered(5)) as at:
        running = Run(at, by(judge))
        running.stop()
        async with running:
            assert [group async for group in running if group] == []
    assert not judge.asked


async def test_stopping_between_two_groups_leaves_the_rest_to_another_run(tmp_path):
    with bench(tmp_path, *(one for one in MANY if one.judgments)) as at:
        async with Run(at, recorded(at), budget=WriteBudget(1e-9)) as running:
            async for _ in running:
                running.stop()
        assert 0 < running.progress.done <= 23
        assert running.progress.done + (await run(at, recorded(at))).done == 23


async def test_recorded_labels_are_taken_no_more_once_stopped_while_another_work_ends(
    tmp_path,
):
    with bench(tmp_path, *numbered(3)) as at:
        running = Run(at, by(Watched(beyond_five_nobody_answers)))
        looked_up = RecordedWork(map(answered, range(1, 4)))
        running._works.append(looked_up)
        async with running:
            running.stop()
            assert looked_up.take(100) == []
            assert looked_up.is_over


async def test_a_second_ctrl_c_while_the_process_is_waited_for_loses_nothing_that_came(
    tmp_path,
):
    class Interrupted(Work):
        """Work whose process is waited for when somebody presses Ctrl+C once more."""

        def start(self, news):
            self.came = [answered(1), answered(2)]

        def stop(self):
            pass

        def wait_for_process(self):
            self.came.append(answered(3))
            raise KeyboardInterrupt

    with bench(tmp_path, *numbered(3)) as at:
        running = Run(at, by(Watched(at_once)))
        running._works = [Interrupted()]
        with pytest.raises(KeyboardInterrupt):
            async with running:
                raise asyncio.CancelledError
        assert at.workspace.totals()["state:proposed"] == 3


async def test_ctrl_c_while_results_are_saved_loses_none_of_them(tmp_path, monkeypatch):
    with bench(tmp_path, *numbered(3)) as at:
        saves = []
        receive_many = at.receive_many

        def interrupted_at_first(answers):
            saves.append(list(answers))
            if len(saves) == 1:
                raise KeyboardInterrupt
            return receive_many(saves[-1])

        monkeypatch.setattr(at, "receive_many", interrupted_at_first)
        running = Run(at, by(Watched(at_once), 3))
        with pytest.raises(KeyboardInterrupt):
            await to_its_end(running)
        assert len(saves[0]) > 0
        assert at.workspace.totals()["state:proposed"] == 3
        assert running.progress.done == 3


@pytest.mark.parametrize("is_over", [True, False])
async def test_results_that_a_busy_workspace_refused_are_tried_once_more(
    tmp_path,
    is_over,
):
    with bench(tmp_path, *numbered(3)) as at:
        at.workspace.db.execute("PRAGMA busy_timeout = 0")
        other = sqlite3.connect(at.workspace.path, isolation_level=None)
        running = Run(at, by(Watched(at_once), 3))

        async def run_beside_another_program():
            async with running:
                other.execute("BEGIN IMMEDIATE")
                try:
                    async for _ in running:
                        pass
                finally:
                    if is_over:
                        other.execute("ROLLBACK")

        with closing(other), pytest.raises(NotKept, match="busy"):
            await run_beside_another_program()
        proposed = at.workspace.totals().get("state:proposed", 0)
        assert proposed == (3 if is_over else 0)
        assert running.progress.done == proposed


async def test_nothing_is_said_to_be_unsaved_that_the_last_attempt_saves(
    tmp_path,
    monkeypatch,
):
    with bench(tmp_path, *numbered(3)) as at:
        at.workspace.db.execute("PRAGMA busy_timeout = 0")
        other = sqlite3.connect(at.workspace.path, isolation_level=None)
        running = Run(at, by(Watched(at_once), 3))
        ended = running.wait_for_tasks

        async def ended_after_the_other_program():
            await ended()
            other.execute("ROLLBACK")

        monkeypatch.setattr(running, "wait_for_tasks", ended_after_the_other_program)
        with closing(other):
            async with running:
                while not all(work.has_ended for work in running._works):
                    await running._news.wait()
                    running._news.clear()
                other.execute("BEGIN IMMEDIATE")
        assert at.workspace.totals()["state:proposed"] == 3


async def test_results_on_the_disk_count_though_it_refuses_what_comes_next(
    tmp_path,
    monkeypatch,
):
    def refuse(*_):
        raise NotKept("The disk is full.")

    monkeypatch.setattr(injection, "look", refuse)
    monkeypatch.setattr(JudgeChoice, "sends", True)
    with bench(tmp_path, *numbered(3)) as at:
        running = Run(at, by(Watched(at_once)))
        with pytest.raises(NotKept):
            await to_its_end(running)
        proposed = at.workspace.totals()["state:proposed"]
        assert running.progress.done == proposed > 0


async def test_no_cell_is_in_progress_in_a_work_that_broke_down(tmp_path):
    async def act(cell):
        if cell == 4:
            raise KeyError("surprise")
        await beyond_five_nobody_answers(cell)

    with bench(tmp_path, *numbered(12)) as at:
        running = Run(at, by(Watched(act), 5))
        with pytest.raises(BrokenDown):
            await to_its_end(running)
        assert running.progress.under_way == 0


async def test_a_judge_that_breaks_down_says_so_and_what_came_before_is_kept(tmp_path):
    async def act(cell):
        if cell == 4:
            raise KeyError("surprise")

    with bench(tmp_path, *numbered(6)) as at:
        with pytest.raises(BrokenDown, match=r"KeyError in test_run\.py, line"):
            await run(at, by(Watched(act)))
        assert at.workspace.totals()["state:proposed"] == 3


def test_a_judge_serves_one_run_after_the_other(tmp_path):
    judge = Watched(at_once)
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        with bench(folder, *numbered(5)) as at:
            assert asyncio.run(run(at, by(judge, 2))).done == 5
