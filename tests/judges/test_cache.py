import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.problem import Refused
from appellate.judges.reply_cache import key, opened

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
BODIES = st.dictionaries(st.text(max_size=3), VALUES, max_size=4)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "cache.sqlite"


def test_what_was_put_is_there_for_the_next_one(file):
    opened(file).put({"a": b"one", "b": b"\x00\xff"})
    cache = opened(file)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (b"one", b"\x00\xff", None)


def test_what_a_server_can_do_is_there_for_the_next_one(file):
    opened(file).learn("chat http://x m", {"rung": "text", "refused": ["seed"]})
    assert opened(file).abilities("chat http://x m") == {"rung": "text", "refused": ["seed"]}
    assert opened(file).abilities("another") == {}


def test_looking_makes_no_file(file):
    cache = opened(file)
    assert cache.get("a") is None
    assert cache.abilities("x") == {}
    assert not file.exists()


def test_who_looked_before_there_was_a_file_sees_it_come(file):
    cache = opened(file)
    cache.get("a")
    opened(file).put({"a": b"one"})
    assert cache.get("a") == b"one"


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_nobody_else_may_read_it(file):
    opened(file).put({"a": b"one"})
    modes = {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    assert modes == {0o600}


def test_it_lives_in_a_file_with_other_tables(file):
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE cells (no INTEGER)")
    db.close()
    opened(file).put({"a": b"one"})
    assert opened(file).get("a") == b"one"


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
    opened(file).put({str(n): bytes(500) for n in range(99)})
    whole = file.read_bytes()
    file.write_bytes(whole[:8192] + b"Z" * (len(whole) - 8192))


SPOILT = [_no_database, _a_folder, _other_columns, _pages_lost]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_file_that_can_keep_nothing_is_refused_before_anything_is_paid_for(file, spoil):
    spoil(file)
    with pytest.raises(Refused, match=r"Replies cannot be saved in .*cache.sqlite .*--no-cache"):
        opened(file)


@pytest.mark.parametrize("spoil", SPOILT[:3])
def test_a_file_that_is_spoilt_later_is_no_cache(file, spoil):
    cache = opened(file)
    spoil(file)
    cache.put({"a": b"one"})
    cache.learn("x", {"rung": "text"})
    cache.drop(["a"])
    assert (cache.get("a"), cache.abilities("x")) == (None, {})


def test_a_file_that_somebody_writes_to_is_a_cache(file):
    opened(file).put({"a": b"one"})
    with sqlite3.connect(file) as other:
        other.execute("BEGIN IMMEDIATE")
        assert opened(file).get("a") == b"one"
    other.close()


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(Refused, match="nothing can be written"):
        opened(tmp_path / "none" / "cache.sqlite")


@pytest.mark.parametrize("kept", ["[1]", "no JSON", "[" * 100_000, None, b"\xff"])
def test_abilities_that_make_no_sense_are_none(file, kept):
    opened(file).learn("x", {})
    with sqlite3.connect(file) as db:
        db.execute("UPDATE servers SET abilities = ?", (kept,))
    db.close()
    assert opened(file).abilities("x") == {}


def test_a_reply_that_is_no_bytes_is_none(file):
    opened(file).put({"a": b"one"})
    with sqlite3.connect(file) as db:
        db.execute("UPDATE replies SET body = 7")
    db.close()
    assert opened(file).get("a") is None


# -- several at once ------------------------------------------------------------------------------


def test_many_threads_share_one(file):
    cache = opened(file)

    def work(name):
        cache.put({f"{name}-{n}": str(n).encode() for n in range(5)})
        return cache.get(f"{name}-3")

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(work, range(24))) == {b"3"}


def test_several_processes_share_one(file):
    code = "import sys, pathlib; from appellate.judges.reply_cache import opened\n"
    code += "c = opened(pathlib.Path(sys.argv[1]))\n"
    code += "for n in range(40): c.put({sys.argv[2] + str(n): b'x'})"
    started = [subprocess.Popen([sys.executable, "-c", code, file, name]) for name in "abc"]
    assert [process.wait() for process in started] == [0, 0, 0]
    cache = opened(file)
    assert all(cache.get(f"{name}{n}") for name in "abc" for n in range(40))


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
