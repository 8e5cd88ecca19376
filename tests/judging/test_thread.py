import asyncio
import threading

import pytest
from test_jobs import GENE, Scripted, at_once, jobs

from appellate.core.trace import Trace
from appellate.judging.jobs import Job
from appellate.judging.outbox import BrokenDown
from appellate.judging.thread import Chambers
from loopback import until


class Judge(Scripted):
    """Remembers in which thread it works, and whether it was closed."""

    def __init__(self, act):
        super().__init__(act)
        self.closed = 0
        self.threads = set()

    async def judge(self, subject, trace, briefing=None):
        self.threads.add(threading.current_thread())
        return await super().judge(subject, trace, briefing)

    async def close(self):
        self.closed += 1


def source(count, drawn=None):
    async def draw():
        for job in jobs(count):
            if drawn is not None:
                drawn.append(job)
            yield job

    return draw


async def everything(chambers):
    taken = []
    while await chambers.news(within=5):
        taken += chambers.take(10)
    return taken


async def test_every_answer_is_handed_out_once_from_a_thread_of_its_own():
    judge = Judge(at_once)
    chambers = Chambers(judge, source(100), 8)
    chambers.start()
    taken = await everything(chambers)
    assert sorted(result.cell for result in taken) == list(range(1, 101))
    assert judge.threads.isdisjoint({threading.current_thread()})
    assert (judge.closed, chambers.under_way) == (1, 0)
    chambers.check()


async def test_a_judge_waits_for_those_who_take_its_answers():
    drawn = []
    chambers = Chambers(Judge(at_once), source(1000, drawn), 4)
    chambers.start()
    await chambers.news(within=5)
    await asyncio.sleep(0.05)
    assert len(drawn) <= 64 + 4
    assert len(await everything(chambers)) == 1000


async def test_stopping_hands_out_what_had_arrived():
    async def act(cell):
        await asyncio.sleep(3600 if cell > 5 else 0)

    chambers = Chambers(Judge(act), source(100), 3)
    chambers.start()
    await until(lambda: len(chambers._answers) == 5)
    chambers.stop()
    assert sorted(result.cell for result in await everything(chambers)) == [1, 2, 3, 4, 5]
    chambers.check()


async def test_ending_at_once_takes_the_rest():
    async def act(cell):
        await asyncio.sleep(3600 if cell > 5 else 0)

    judge = Judge(act)
    chambers = Chambers(judge, source(100), 3)
    chambers.start()
    await until(lambda: len(chambers._answers) == 5)
    assert len(chambers.ended()) == 5
    assert chambers.ended() == []
    assert judge.closed == 1


async def test_a_judge_stopped_before_it_began_asks_nothing():
    judge = Judge(at_once)
    chambers = Chambers(judge, source(5), 1)
    chambers.stop()
    chambers.start()
    assert await everything(chambers) == []
    assert not judge.asked


async def test_silence_is_no_end():
    async def act(cell):
        await asyncio.sleep(3600)

    chambers = Chambers(Judge(act), source(2), 2)
    chambers.start()
    assert await chambers.news(within=0.05)
    assert chambers.take(10) == []
    chambers.ended()


@pytest.mark.parametrize("broken", ["judge", "source"])
async def test_a_judge_that_breaks_down_says_so_and_what_came_before_is_handed_out(broken):
    async def act(cell):
        if broken == "judge" and cell == 4:
            raise KeyError("surprise")

    async def draw():
        for job in jobs(3):
            yield job
        if broken == "source":
            raise KeyError("surprise")
        yield Job(4, GENE, Trace(id="4"))

    chambers = Chambers(Judge(act), draw, 1)
    chambers.start()
    assert len(await everything(chambers)) == 3
    with pytest.raises(BrokenDown, match=r"KeyError in test_thread\.py, line"):
        chambers.check()


def test_a_judge_serves_one_run_after_the_other():
    judge = Judge(at_once)

    async def run():
        chambers = Chambers(judge, source(5), 2)
        chambers.start()
        return await everything(chambers)

    assert [len(asyncio.run(run())) for _ in range(2)] == [5, 5]
