"""A judge at work behind the screen: quiet, seen in the header, stopped at a key, and asked before it costs."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import asynccontextmanager, closing

import pytest
from review_stage import LEAST, NARROW, both_sizes, sitting

from appellate.judges.endpoint import Endpoint
from appellate.judges.offline import Lexical
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import JudgeRecord, JudgmentFailed, Proposal
from appellate.judging.choice import JudgeChoice
from appellate.judging.progress import Progress
from appellate.traits.rubric import Rubric
from cells import EXPECTED, RESPONSE, matrix, proposal, rubric, trace
from loopback import FAULTS, Answer, Asked, Loopback, Script, served, slowly, truthful

LEXICAL = JudgeChoice("lexical", Lexical(), concurrency=1)


def pending(count):
    return rubric(matrix()), [trace(f"t{n}") for n in range(1, count + 1)], [[]] * count


class Waiting:
    """A judge that answers when it is told to."""

    name = "waiting"

    def __init__(self) -> None:
        self.answered = asyncio.Event()

    async def judge(self, question):
        await self.answered.wait()
        table = {"tp": [RESPONSE[:4]], "fn": EXPECTED[1:], "fp": [], "tn": []}
        table["items"] = [{"bucket": "tp", "index": 0, "instruction": 1}]
        return Proposal(table, JudgeRecord("waiting"))

    async def close(self) -> None:
        pass


class Failing(Waiting):
    """A judge that cannot."""

    async def judge(self, question):
        raise JudgmentFailed("The model only said [b]no[/b].", raw="no")


class Breaking(Waiting):
    """A judge with a fault of its own, at the third cell it comes to."""

    asked = 0

    async def judge(self, question):
        self.asked += 1
        if self.asked == 3:
            raise KeyError("surprise")
        self.answered.set()
        return await super().judge(question)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody")
    with served(scripted) as running:
        yield running
    server_script[0] = truthful


server_script: list[Script] = [truthful]


def scripted(asked: Asked) -> Answer:
    """What the test has put into `server_script` by now."""
    return server_script[0](asked)


def over_the_network(server: Loopback, concurrency: int = 2) -> JudgeChoice:
    judge = OpenAIJudge(Endpoint("loopback-1", server.url, None, 60.0))
    return JudgeChoice("openai", judge, concurrency, (judge,))


async def ended(at):
    await at.until(lambda: not at.screen.objects.view.progress)
    await at.pilot.pause()


@asynccontextmanager
async def waiting(folder, count):
    """Cells whose judge answers when it is told to."""
    judge = Waiting()
    async with sitting(
        folder,
        pending(count),
        choice=JudgeChoice("waiting", judge),
    ) as at:
        yield at, judge


# -- offline ------------------------------------------------------------------------------------------


async def test_an_offline_judge_fills_the_cells_at_once(tmp_path):
    async with sitting(tmp_path, pending(4), choice=LEXICAL) as at:
        await ended(at)
        assert at.state == "proposed"
        assert at.screen.pane.items.row is not None
        assert at.named("pane")
        assert "judge lexical" in at.line("header")
        assert at.text.count("●") >= 5


async def test_replies_take_neither_the_cursor_nor_the_focus(tmp_path):
    async with waiting(tmp_path, 6) as (at, judge):
        await at.until(lambda: "judging 0/6" in at.line("header"))
        await at.press("full_stop", "v", "w", "1", "enter")  # cell 2 by hand
        assert at.state == "corrected"
        before = at.place, at.no, at.texts("tp")
        judge.answered.set()
        await ended(at)
        assert (at.place, at.no, at.texts("tp")) == before
        assert at.state == "corrected"
        assert all(one.base for one in at.bar.now), "what the judge came to"
        assert at.named("pane")


async def test_a_reply_does_not_replace_what_one_selects_for_and_shows_afterwards(
    tmp_path,
):
    async with waiting(tmp_path, 1) as (at, judge):
        await at.press("v", "w")
        judge.answered.set()
        await ended(at)
        assert at.selected == "BCL2 is"
        assert at.named("response")
        await at.press("escape")
        assert at.texts("tp") == [RESPONSE[:4]]
        assert at.state == "proposed"
        assert at.named("pane")


@pytest.mark.slow
@pytest.mark.parametrize(
    "keys",
    [("m",), ("v", "w", "1"), ("c",), ("question_mark",), ("ctrl+p",)],
)
async def test_a_reply_leaves_what_is_open_over_the_cell_alone(tmp_path, keys):
    async with waiting(tmp_path, 1) as (at, judge):
        await at.press(*keys)
        focused, screen = at.app.screen.focused, at.app.screen
        judge.answered.set()
        await ended(at)
        assert at.app.screen is screen
        assert at.app.screen.focused is focused
        await at.press("escape")
        assert at.app.screen is at.screen
        assert at.named("pane")
        assert RESPONSE[:4] in at.texts("tp")


async def test_an_instruction_picked_after_a_reply_came_is_added_or_refused_in_a_sentence(
    tmp_path,
):
    async with waiting(tmp_path, 1) as (at, judge):
        await at.press("m")
        judge.answered.set()
        await at.until(lambda: not at.screen.objects.view.progress)
        assert (await at.says("enter")).startswith("Instruction 1 has an excerpt in TP")
        assert at.marks["tp"] == [1]


async def test_failures_can_be_read_and_asked_again(tmp_path):
    async with sitting(
        tmp_path,
        pending(2),
        choice=JudgeChoice("failing", Failing()),
        size=NARROW,
    ) as at:
        await ended(at)
        assert "2 cells failed" in at.said
        assert at.state == "failed"
        assert "The model only said [b]no[/b]." in at.words("#pane")
        await at.press("J")
        await at.until(lambda: not at.screen.objects.view.progress)
        assert at.state == "failed"


@pytest.mark.slow
async def test_another_round_waits_for_what_is_open_and_says_what_it_did(tmp_path):
    judge = Waiting()
    judged = rubric(matrix()), [trace("t1")], [[proposal()]]
    async with sitting(tmp_path, judged, choice=JudgeChoice("waiting", judge)) as at:
        await at.press("J")
        assert "The answer opens round 2" in " ".join(at.text.split())
        await at.press("y", "3")
        before = at.texts("tp")
        judge.answered.set()
        await at.until(lambda: not at.screen.objects.view.progress)
        assert at.texts("tp") == before, "not under one's hands"
        assert (
            await at.says("enter")
            == "That item has changed in the meantime: look at it again."
        )
        assert at.texts("tp") == [RESPONSE[:4]]
        await at.press("J", "y")
        await at.until(
            lambda: at.cell.round == 3 and not at.screen.objects.view.progress,
        )
        await at.until(
            lambda: at.said.startswith(
                "Round 3 is here, and the labels stay as they are",
            ),
        )
        assert "round 3" in at.line("header")


@pytest.mark.slow
async def test_judging_the_queue_again_tells_of_every_cell_it_asks_about_and_how_to_answer(
    tmp_path,
    server,
):
    judged = (
        rubric(matrix()),
        [trace(f"t{n}") for n in range(3)],
        [[proposal()], [proposal()], []],
    )
    async with sitting(
        tmp_path,
        judged,
        choice=over_the_network(server),
        size=LEAST,
    ) as at:
        await at.press("n", "f", *"state:proposed", "enter")
        await at.until(lambda: "queue" in at.line("header"))
        await at.press("D")
        asked = " ".join(at.text.split())
        assert (
            "about 2 cells? Again for the cells of the queue (state:proposed)." in asked
        )
        assert "y yes, n no" in at.text
        await at.press("n")
        await at.pilot.pause()
        assert not server.asked
        await at.press("D", "y")
        await at.until(
            lambda: at.cell.round == 2 and not at.screen.objects.view.progress,
        )
        assert at.bench.workspace.totals()["state:pending"] == 1, (
            "nobody said that it should be asked about"
        )


async def test_labels_that_came_with_the_traces_are_not_asked_for_again(tmp_path):
    judged = rubric(matrix()), [trace("t1")], [[proposal()]]
    async with sitting(
        tmp_path,
        judged,
        choice=JudgeChoice("recorded", Waiting()),
    ) as at:
        for key in ("J", "D"):
            assert not at.said
            assert (await at.says(key)).startswith(
                "These labels came with the traces and stay the same.",
            )
            await at.press("j")


async def test_x_stops_the_run_and_j_asks_for_one_cell(tmp_path):
    async with waiting(tmp_path, 3) as (at, judge):
        await at.until(lambda: "judging" in at.line("header"))
        assert "X stops it" in await at.says("J")
        await at.press("escape")
        assert "judging" in at.line("header")
        await at.press("X")
        await at.until(lambda: "judging" not in at.line("header"))
        assert at.said.startswith("Stopped.")
        assert at.state == "pending"
        assert await at.says("X") == "No judge is at work."
        judge.answered.set()
        await at.press("J")
        await at.until(
            lambda: at.state == "proposed" and "judging" not in at.line("header"),
        )
        assert at.bench.workspace.totals()["state:pending"] == 2
        await at.press("J")
        assert "about this cell?" in " ".join(at.text.split())
        await at.press("n")


async def test_what_the_judge_hands_out_while_one_leaves_is_kept(tmp_path):
    judge = Waiting()
    judge.answered.set()
    async with sitting(
        tmp_path,
        pending(60),
        choice=JudgeChoice("waiting", judge, concurrency=20),
    ) as at:
        await at.until(lambda: at.bench.workspace.totals().get("state:proposed", 0) > 0)
        await at.press("q")
        await at.until(lambda: at.app._exit)
        seen = at.bench.workspace.totals()["state:proposed"]
    async with sitting(tmp_path) as at:
        totals = at.bench.workspace.totals()
        assert totals["state:proposed"] >= seen
        assert totals["state:proposed"] + totals.get("state:pending", 0) == 60


@pytest.mark.slow
async def test_a_judge_that_breaks_down_says_so_and_what_came_is_kept(tmp_path):
    async with sitting(
        tmp_path,
        pending(5),
        choice=JudgeChoice("breaking", Breaking(), concurrency=1),
    ) as at:
        await ended(at)
        assert at.said.startswith(
            "The judge stopped with an error (KeyError in test_review_judging.py, line ",
        )
        assert at.bench.workspace.totals()["state:proposed"] == 2
        await at.press("J")
        assert at.state == "proposed"


async def test_a_disk_that_refuses_stops_the_judge_and_keeps_what_came_before(tmp_path):
    async with waiting(tmp_path, 5) as (at, judge):
        await at.until(lambda: at.screen.objects.view.progress)
        with closing(
            sqlite3.connect(at.bench.workspace.path, isolation_level=None),
        ) as other:
            at.bench.workspace.db.execute("PRAGMA busy_timeout = 0")
            other.execute("BEGIN IMMEDIATE")
            judge.answered.set()
            await ended(at)
        assert at.said.startswith(
            "The judge was stopped: the workspace is busy: another program has it open.",
        )
        assert at.state == "pending"
        await at.press("J")
        await at.until(lambda: at.state == "proposed")


async def test_a_run_without_answers_says_so_once_and_keeps_nobody_from_leaving(
    tmp_path,
):
    async with waiting(tmp_path, 5) as (at, _):
        await at.until(lambda: at.screen.objects.view.progress)
        for silent in (50.0, 51.0):
            at.screen.objects.judge_run._progressed(
                Progress(done=1, left=4, under_way=2, silent=silent, usual=2.0),
            )
        assert (
            at.said == "No answer for 0:50. Usually one takes 2 s. X stops the judge."
        )
        at.screen.objects.view.show_header()
        assert "no answer for 0:51" in at.line("header")
        await at.press("q")
        await at.until(lambda: at.app._exit)


# -- computed -----------------------------------------------------------------------------------------


def of_patterns(count):
    """Traces with a cell of each of two kinds: the one by a judge, the other computed."""
    of = Rubric.model_validate(
        {
            "metric_traits": [matrix().to_file()],
            "regex_traits": [{"name": "Gene", "pattern": "gene"}],
        },
    )
    return of, [trace(f"t{n}") for n in range(1, count + 1)], [[]] * (2 * count)


async def test_what_needs_no_judge_is_computed_on_opening_and_how_to_name_one_is_said(
    tmp_path,
):
    async with sitting(tmp_path, of_patterns(2)) as at:
        assert at.said.startswith("2 cells are not judged.")
        await at.until(lambda: not at.screen.objects.view.progress)
        totals = at.bench.workspace.totals()
        assert (totals["state:proposed"], totals["state:pending"]) == (2, 2)
        assert (await at.says("J")).startswith("No judge was named.")
        assert (await at.says("full_stop", "J")).startswith(
            "No judge is asked about this cell",
        )


@pytest.mark.slow
async def test_a_yes_while_something_is_computed_begins_with_the_network_afterwards(
    tmp_path,
    server,
):
    async with sitting(tmp_path, of_patterns(2), choice=over_the_network(server)) as at:
        assert "about 2 cells?" in " ".join(at.text.split())
        await at.press("y")
        await at.until(
            lambda: at.bench.workspace.totals().get("state:proposed", 0) == 4,
        )
        assert not any("Gene" in asked.user for asked in server.asked)


# -- over the network ---------------------------------------------------------------------------------


@both_sizes
async def test_the_network_is_asked_only_after_a_yes(tmp_path, server, size):
    async with sitting(
        tmp_path,
        pending(5),
        choice=over_the_network(server),
        size=size,
    ) as at:
        assert f"Ask loopback-1 at {server.url.split('/')[2]}" in " ".join(
            at.text.split(),
        )
        await at.press("enter", "a", "2", "J")  # none of them is an answer
        assert "about 5 cells?" in " ".join(at.text.split())
        assert (await at.says("n")).startswith("Nothing was sent.")
        assert at.named("pane")
        await at.pilot.pause()
        assert not server.asked
        await at.press("J")
        assert "about this cell?" in " ".join(at.text.split())
        await at.press("y")
        await at.until(lambda: at.state == "proposed")
        assert len({asked.user for asked in server.asked}) >= 1
        assert at.bench.workspace.totals()["state:pending"] == 4


async def test_a_run_is_counted_in_the_header_and_its_failures_are_read(
    tmp_path,
    server,
):
    refused = FAULTS["unauthorized"]
    server_script[0] = lambda asked: refused(asked) if asked.n > 3 else truthful(asked)
    server.hold()
    async with sitting(tmp_path, pending(6), choice=over_the_network(server)) as at:
        await at.press("y")
        await at.until(lambda: "judging 0/6" in at.line("header"))
        assert "The judge is working and has not reached this cell" in at.words("#pane")
        assert at.keys.split()[0] != "J"
        server.go_on()
        await at.until(lambda: not at.screen.objects.view.progress, 20)
        await at.pilot.pause()
        totals = at.bench.workspace.totals()
        assert totals.get("state:proposed", 0) + totals.get("state:failed", 0) == 6
        assert totals["state:failed"] >= 1
        assert "cells failed" in at.said
        await at.press("full_stop", "full_stop", "full_stop", "full_stop", "full_stop")
        assert at.state == "failed"
        assert "sk-nobody" not in at.text
        assert "API key" in at.words("#pane")


async def test_stopping_a_network_run_keeps_what_came(tmp_path, server):
    never = slowly(truthful, 3600)
    server_script[0] = lambda asked: truthful(asked) if asked.n <= 3 else never(asked)
    async with sitting(tmp_path, pending(20), choice=over_the_network(server)) as at:
        await at.press("y")
        await at.until(
            lambda: at.bench.workspace.totals().get("state:proposed", 0) == 3,
        )
        await at.press("greater_than_sign")
        while at.state == "proposed":
            await at.press("greater_than_sign")
        assert "The judge is working" in at.words("#pane")
        await at.press("X")
        await at.until(lambda: not at.screen.objects.view.progress)
        await at.until(lambda: "Not judged yet: J has it judged" in at.words("#pane"))
        assert at.bench.workspace.totals()["state:proposed"] == 3
