"""The judge with a cache: what was paid for once is not asked again."""

import asyncio
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from judge_stage import GENE, QUICK
from msgspec.structs import replace

from appellate.judges.endpoint import Endpoint, Prices
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import JudgmentFailed, Question
from appellate.judges.reply_cache import ReplyCache, opened
from loopback import FAULTS, Loopback, error, in_order, truthful

KEY = "sk-verysecret0123456789"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "cache.sqlite"


async def judged(server, file, key=KEY, **settings):
    """By a judge that knows nothing but what is in the file."""
    sample = settings.pop("sample", 0)
    endpoint = Endpoint("loopback", server.url, "KEY", **settings)
    cache = opened(file) if file else None
    judge = OpenAIJudge(endpoint, policy=QUICK, environ={"KEY": key}, cache=cache, sample=sample)
    try:
        return await judge.judge(Question(GENE, GENE.trace))
    finally:
        await judge.close()


async def test_the_same_is_not_asked_again_and_says_so(file):
    async with Loopback() as server:
        first = await judged(server, file, prices=Prices(1.0, 2.0))
        again = await judged(server, file, prices=Prices(1.0, 2.0))
    assert len(server.asked) == 1
    assert again.labels == first.labels
    assert not first.record.cached
    assert first.record.cost == pytest.approx(140e-6)
    taken = {"cached": True, "cost": 0.0, "latency": None, "tokens_in": None, "tokens_out": None}
    assert again.record == replace(first.record, **taken)


async def test_another_key_is_no_other_question(file):
    async with Loopback() as server:
        await judged(server, file)
        await judged(server, file, key="another")
    assert len(server.asked) == 1


async def test_no_key_and_no_header_is_in_the_file(file):
    async with Loopback() as server:
        await judged(server, file)
    held = b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert b"verysecret" not in held
    assert b"uthorization" not in held


@pytest.mark.parametrize(
    "other", [{"sample": 1}, {"params": {"seed": 7}}, {"params": {"temperature": 1}}]
)
async def test_another_question_is_asked(file, other):
    async with Loopback() as server:
        await judged(server, file)
        again = await judged(server, file, **other)
    assert len(server.asked) == 2
    assert not again.record.cached


async def test_without_a_cache_everything_is_asked():
    async with Loopback() as server:
        await judged(server, None)
        await judged(server, None)
    assert len(server.asked) == 2


async def test_known_replies_need_neither_server_nor_client(file):
    async with Loopback() as server:
        await judged(server, file)
        url = server.url
    code = (
        f"import sys; sys.path[:0] = {[*filter(None, sys.path), str(Path(__file__).parent)]!r}\n"
        "import asyncio, pathlib, test_reply_cache as here\n"
        "from types import SimpleNamespace\n"
        "before = 'openai' in sys.modules\n"
        "server, file = SimpleNamespace(url=sys.argv[1]), pathlib.Path(sys.argv[2])\n"
        "assert asyncio.run(here.judged(server, file)).record.cached\n"
        "sys.exit(before or 'openai' in sys.modules)\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, url, file)
    assert await process.wait() == 0


@pytest.mark.parametrize(
    "fault", ["half-cut", "missing-instruction", "invented", "prose", "thinking"]
)
async def test_a_talk_of_several_replies_is_known_as_a_whole(file, fault):
    async with Loopback(in_order(FAULTS[fault])) as server:
        first = await judged(server, file)
        asked = len(server.asked)
        again = await judged(server, file)
    assert (asked, len(server.asked)) == (2, 2)
    assert again.record.cached
    assert again.labels == first.labels


async def test_a_size_that_was_too_large_is_not_asked_again(file):
    large = error(400, "max_completion_tokens is too large.", param="max_completion_tokens")
    async with Loopback(in_order(large)) as server:
        await judged(server, file)
        again = await judged(server, file)
    assert len(server.asked) == 2
    assert again.record.cached
    assert "max_completion_tokens" not in again.record.parameters


@pytest.mark.parametrize(
    "fault", ["missing-instruction", "refusal", "filtered", "broken", "empty", "half-cut"]
)
async def test_a_talk_that_failed_is_had_anew(file, fault):
    async with Loopback(FAULTS[fault]) as server:
        with pytest.raises(JudgmentFailed):
            await judged(server, file)
        before = len(server.asked)
        with pytest.raises(JudgmentFailed):
            await judged(server, file)
    assert len(server.asked) > before


async def test_a_talk_that_was_stopped_goes_on_where_it_was(file):
    async with Loopback(in_order(FAULTS["missing-instruction"], FAULTS["hang"])) as server:
        talk = asyncio.create_task(judged(server, file))
        await server.came(2)
        talk.cancel()
        await asyncio.wait([talk])
        await judged(server, file)
    assert [asked.body for asked in server.asked[1:2]] == [asked.body for asked in server.asked[2:]]


async def test_a_talk_that_the_server_broke_off_goes_on_where_it_was(file):
    async with Loopback(
        in_order(FAULTS["invented"], then=in_order(*[FAULTS["broken"]] * 5))
    ) as server:
        with pytest.raises(JudgmentFailed):
            await judged(server, file)
        assert "unverified" not in str((await judged(server, file)).labels)
    assert len({str(asked.body) for asked in server.asked[1:]}) == 1


async def test_who_is_stopped_while_another_writes_still_has_the_reply_kept(file):
    class Slow:
        def __init__(self):
            self.kept, self.free = {}, threading.Event()

        def put(self, replies):
            self.free.wait()
            self.kept |= replies

    memory = ReplyCache(cache := Slow(), Endpoint("m"), "http://x", 0)
    tasks = [asyncio.create_task(memory.keep({name: b""})) for name in "abc"]
    await asyncio.sleep(0)
    tasks[1].cancel()
    tasks[2].cancel()
    await asyncio.wait(tasks[1:])
    cache.free.set()
    await memory.close()
    await tasks[0]
    assert cache.kept.keys() == set("abc")


async def test_known_replies_that_lead_nowhere_are_asked_anew(file):
    async with Loopback() as server:
        await judged(server, file)
        _spoil(file)
        again = await judged(server, file)
        assert not again.record.cached
        assert (await judged(server, file)).record.cached
    assert len(server.asked) > 1


def _spoil(file):
    with sqlite3.connect(file) as db:
        db.execute(
            "UPDATE replies SET body = ?", (b'{"choices": [{"message": {"content": "Well."}}]}',)
        )
    db.close()


async def test_what_a_server_cannot_do_is_known_in_the_next_session(file):
    async with Loopback(FAULTS["no-json"]) as server:
        await judged(server, file)
        learnt = len(server.asked)
        await judged(server, file, params={"seed": 1})
    assert len(server.asked) == learnt + 1
    assert server.asked[-1].rung == "text"


async def test_a_file_that_is_gone_meanwhile_costs_no_judgment(file):
    async with Loopback(truthful) as server:
        judge = OpenAIJudge(
            Endpoint("loopback", server.url), policy=QUICK, environ={}, cache=opened(file)
        )
        file.mkdir()
        proposal = await judge.judge(Question(GENE, GENE.trace))
        await judge.close()
    assert proposal.labels["tp"] == ["BCL2 is a gene."]


async def test_a_key_that_a_server_echoes_is_not_kept(file):
    def echoing(asked):
        answer = truthful(asked)
        answer.body["request"] = {"headers": dict(asked.headers)}
        return answer

    async with Loopback(echoing) as server:
        await judged(server, file)
        assert (await judged(server, file)).record.cached
    whole = file.with_name("whole.sqlite")  # SQLite may put its log away while files are read
    with closing(sqlite3.connect(file)) as db:
        db.execute("VACUUM INTO ?", [str(whole)])
    kept = whole.read_bytes()
    assert b"Bearer [key]" in kept
    assert KEY[3:].encode() not in kept
