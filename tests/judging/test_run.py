"""A run of the judge: labels that came with the traces are taken in as if each had been taken in alone."""

import threading
from dataclasses import replace

from appellate.core.facts import Proposed
from appellate.judges.offline import Recorded
from appellate.judging.choose import choose
from appellate.judging.run import WriteBudget, run
from cells import bench, checklist, everything, matrix, rubric, trace, worked_example

BOTH = rubric(matrix(), checklist())
MANY = [trace(str(n), judgments={} if n % 4 == 3 else {"Accuracy": worked_example()}) for n in range(30)]


async def judged(at, **how):
    return await run(at, choose({}, at.workspace.meta), **how)


async def test_recorded_labels_taken_in_together_are_kept_as_when_they_are_taken_in_one_by_one(tmp_path):
    for name in ("one", "all"):
        (tmp_path / name).mkdir()
    with bench(tmp_path / "one", *MANY, of=BOTH) as one, bench(tmp_path / "all", *MANY, of=BOTH) as together:
        for number in range(1, 61):
            found, cell = one.open(number)
            if cell.subject.trait.name in found.judgments:
                proposal = Recorded().proposal(cell.subject, found)
                one.receive(number, Proposed(proposal.labels, {"name": "recorded", **proposal.record.to_file()}))
        done = await judged(together)
        assert (done.done, done.unrecorded) == (60, 37)
        assert sans_times(one) == sans_times(together)
        assert one.workspace.answer_stats("Accuracy") == together.workspace.answer_stats("Accuracy")


def sans_times(at):
    cells, *rest = everything(at.workspace)
    return [
        (name, [replace(fact, at="") for fact in facts], labels, state) for name, facts, labels, state in cells
    ], rest


async def test_taking_recorded_labels_in_starts_no_thread_and_stops_between_two_groups(tmp_path):
    with bench(tmp_path, *(one for one in MANY if one.judgments)) as at:
        threads, stops = [], []

        def progressed(_):
            threads.append(threading.active_count())
            stops[0]()

        before = threading.active_count()
        done = await judged(at, pace=WriteBudget(1e-9, 0.0), progressed=progressed, stopping=stops.append)
        assert 0 < done.done < 23
        assert set(threads) == {before}
        assert done.done + (await judged(at)).done == 23
