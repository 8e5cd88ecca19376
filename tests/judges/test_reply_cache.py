"""The judge with a cache: what was paid for once is not asked again."""

import asyncio
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_stage import GENE, QUICK
from msgspec.structs import replace

from appellate.core.describe import asking_cost
from appellate.core.problem import Refused
from appellate.judges.endpoint import Endpoint, Prices
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import JudgmentFailed, Question
from appellate.judges.reply_cache import ReplyCache, key, open_cache
from loopback import FAULTS, Loopback, error, in_order, truthful

KEY = "sk-verysecret0123456789"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "cache.sqlite"


async def judged(server, file, key=KEY, **settings):
    """By a judge that knows nothing but what is in the file."""
    sample = settings.pop("sample", 0)
    endpoint = Endpoint("loopback", server.url, "KEY", **settings)
    cache = open_cache(file) if file else None
    judge = OpenAIJudge(
        endpoint,
        policy=QUICK,
        environ={"KEY": key},
        cache=cache,
        sample=sample,
    )
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
    taken = {
        "cached": True,
        "cost": 0.0,
        "latency": None,
        "tokens_in": None,
        "tokens_out": None,
    }
    assert again.record.full_cost == first.record.cost
    assert again.record == replace(first.record, full_cost=first.record.cost, **taken)


async def test_without_prices_nobody_knows_what_a_saved_reply_cost(file):
    async with Loopback() as server:
        await judged(server, file, prices=Prices(1.0, 2.0))
        again = await judged(server, file)
    assert (again.record.cached, again.record.full_cost) == (True, None)
    assert asking_cost(again.record.to_file()) is None


async def test_another_key_is_no_other_question_and_neither_key_nor_header_is_in_the_file(
    file,
):
    async with Loopback() as server:
        await judged(server, file)
        await judged(server, file, key="another")
    assert len(server.asked) == 1
    held = b"".join(path.read_bytes() for path in file.parent.iterdir())
    assert b"verysecret" not in held
    assert b"uthorization" not in held


@pytest.mark.parametrize(
    "other",
    [{"sample": 1}, {"params": {"seed": 7}}, {"params": {"temperature": 1}}],
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
        "before = {'openai', 'httpx2'} & sys.modules.keys()\n"
        "server, file = SimpleNamespace(url=sys.argv[1]), pathlib.Path(sys.argv[2])\n"
        "assert asyncio.run(here.judged(server, file)).record.cached\n"
        "sys.exit(bool(before or 'openai' in sys.modules))\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        code,
        url,
        file,
    )
    assert await process.wait() == 0


@pytest.mark.parametrize(
    "fault",
    ["half-cut", "missing-instruction", "invented", "prose", "thinking"],
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
    large = error(
        400,
        "max_completion_tokens is too large.",
        param="max_completion_tokens",
    )
    async with Loopback(in_order(large)) as server:
        await judged(server, file)
        again = await judged(server, file)
    assert len(server.asked) == 2
    assert again.record.cached
    assert "max_completion_tokens" not in again.record.parameters


@pytest.mark.parametrize(
    "fault",
    ["missing-instruction", "refusal", "filtered", "broken", "empty", "half-cut"],
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
    async with Loopback(
        in_order(FAULTS["missing-instruction"], FAULTS["hang"]),
    ) as server:
        talk = asyncio.create_task(judged(server, file))
        await server.came(2)
        talk.cancel()
        await asyncio.wait([talk])
        await judged(server, file)
    assert [asked.body for asked in server.asked[1:2]] == [
        asked.body for asked in server.asked[2:]
    ]


async def test_a_talk_that_the_server_broke_off_goes_on_where_it_was(file):
    async with Loopback(
        in_order(FAULTS["invented"], then=in_order(*[FAULTS["broken"]] * 5)),
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
            "UPDATE replies SET body = ?",
            (b'{"choices": [{"message": {"content": "Well."}}]}',),
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
            Endpoint("loopback", server.url),
            policy=QUICK,
            environ={},
            cache=open_cache(file),
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
    # SQLite may put its log away while files are read
    whole = file.with_name("whole.sqlite")
    with closing(sqlite3.connect(file)) as db:
        db.execute("VACUUM INTO ?", [str(whole)])
    kept = whole.read_bytes()
    assert b"Bearer [key]" in kept
    assert KEY[3:].encode() not in kept


# -- the file --------------------------------------------------------------------------------------


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
BODIES = st.dictionaries(st.text(max_size=3), VALUES, max_size=4)


def test_what_was_put_is_there_for_the_next_one(file):
    open_cache(file).put({"a": b"one", "b": b"\x00\xff"})
    open_cache(file).learn("chat http://x m", {"rung": "text", "refused": ["seed"]})
    cache = open_cache(file)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (
        b"one",
        b"\x00\xff",
        None,
    )
    assert cache.abilities("chat http://x m") == {"rung": "text", "refused": ["seed"]}
    assert cache.abilities("another") == {}


def test_looking_makes_no_file_and_sees_it_come(file):
    cache = open_cache(file)
    assert (cache.get("a"), cache.abilities("x")) == (None, {})
    assert not file.exists()
    open_cache(file).put({"a": b"one"})
    assert cache.get("a") == b"one"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_nobody_else_may_read_it(file):
    open_cache(file).put({"a": b"one"})
    modes = {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    assert modes == {0o600}


def test_it_lives_in_a_file_with_other_tables(file):
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE cells (no INTEGER)")
    db.close()
    open_cache(file).put({"a": b"one"})
    assert open_cache(file).get("a") == b"one"


# -- refusals -------------------------------------------------------------------------------------


def _no_database(file):
    file.write_bytes(b"This is no database at all, however long one looks." * 99)


def _a_folder(file):
    file.mkdir()


def _other_columns(file):
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE replies (else_ TEXT)")
        db.execute("CREATE TABLE servers (else_ TEXT)")
    db.close()


def _pages_lost(file):
    open_cache(file).put({str(n): bytes(500) for n in range(99)})
    whole = file.read_bytes()
    file.write_bytes(whole[:8192] + b"Z" * (len(whole) - 8192))


SPOILT = [_no_database, _a_folder, _other_columns, _pages_lost]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_file_that_can_keep_nothing_is_refused_before_anything_is_paid_for(
    file,
    spoil,
):
    spoil(file)
    with pytest.raises(
        Refused,
        match=r"Replies cannot be saved in .*cache.sqlite .*--no-cache",
    ):
        open_cache(file)


@pytest.mark.parametrize("spoil", SPOILT[:3])
def test_a_file_that_is_spoilt_later_is_no_cache(file, spoil):
    cache = open_cache(file)
    spoil(file)
    cache.put({"a": b"one"})
    cache.learn("x", {"rung": "text"})
    cache.drop(["a"])
    assert (cache.get("a"), cache.abilities("x")) == (None, {})


def test_a_file_that_somebody_writes_to_is_a_cache(file):
    open_cache(file).put({"a": b"one"})
    with sqlite3.connect(file) as other:
        other.execute("BEGIN IMMEDIATE")
        assert open_cache(file).get("a") == b"one"
    other.close()


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(Refused, match="nothing can be written"):
        open_cache(tmp_path / "none" / "cache.sqlite")


def test_a_file_in_the_place_of_a_folder_is_refused(file):
    file.write_text("no folder")
    with pytest.raises(Refused, match="nothing can be written"):
        open_cache(file / "cache.sqlite")


def test_a_name_that_no_system_takes_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"Replies cannot be saved in .*--no-cache"):
        open_cache(tmp_path / ("x" * 300))


@pytest.mark.parametrize("kept", ["[1]", "no JSON", "[" * 100_000, None, b"\xff"])
def test_abilities_that_make_no_sense_are_none(file, kept):
    open_cache(file).learn("x", {})
    with sqlite3.connect(file) as db:
        db.execute("UPDATE servers SET abilities = ?", (kept,))
    db.close()
    assert open_cache(file).abilities("x") == {}


def test_a_reply_that_is_no_bytes_is_none(file):
    open_cache(file).put({"a": b"one"})
    with sqlite3.connect(file) as db:
        db.execute("UPDATE replies SET body = 7")
    db.close()
    assert open_cache(file).get("a") is None


# -- several at once ------------------------------------------------------------------------------


def test_many_threads_share_one(file):
    cache = open_cache(file)

    def work(name):
        cache.put({f"{name}-{n}": str(n).encode() for n in range(5)})
        return cache.get(f"{name}-3")

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(work, range(24))) == {b"3"}


def test_several_processes_share_one(file):
    code = "import sys, pathlib; from appellate.judges.reply_cache import open_cache\n"
    code += "c = open_cache(pathlib.Path(sys.argv[1]))\n"
    code += "for n in range(40): c.put({sys.argv[2] + str(n): b'x'})"
    started = [
        subprocess.Popen([sys.executable, "-c", code, file, name]) for name in "ab"
    ]
    assert [process.wait() for process in started] == [0, 0]
    cache = open_cache(file)
    assert all(cache.get(f"{name}{n}") for name in "ab" for n in range(40))


# -- keys -----------------------------------------------------------------------------------------


@given(BODIES, st.randoms())
def test_a_key_depends_on_no_order(body, chance):
    shuffled = list(body.items())
    chance.shuffle(shuffled)
    assert key("http://x", dict(shuffled)) == key("http://x", body)


@given(BODIES, BODIES)
def test_other_requests_have_other_keys(one, other):
    assert (key("http://x", one) == key("http://x", other)) == (
        repr(_sorted(one)) == repr(_sorted(other))
    )


def _sorted(value):
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def test_a_key_knows_the_server_and_the_sample():
    keys = {key("http://x", {}), key("http://y", {}), key("http://x", {}, 1)}
    assert len(keys) == 3


async def test_a_reply_is_saved_whose_cell_is_stopped_before_a_thread_was_free(file):
    """A panel of many members saves more at once than there are threads."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    is_free = threading.Event()
    cache = open_cache(file)
    replies = ReplyCache(cache, Endpoint("m", "http://127.0.0.1:9/v1"), "", 0)
    busy = asyncio.create_task(asyncio.to_thread(is_free.wait))
    keeping = asyncio.create_task(replies.keep({"request": b"paid for"}))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    is_free.set()
    await busy
    await replies.close()
    assert cache.get("request") == b"paid for"
