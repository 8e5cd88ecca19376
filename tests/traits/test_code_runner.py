"""Functions of other people in a process of their own: what they return, what they may, and how they are ended."""

import os
import signal
import threading
import time
from contextlib import closing

import pytest

from appellate.core.kind import NotComputed
from appellate.core.trace import Trace
from appellate.core.transcript import as_conversation
from appellate.traits.callable import KIND
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.code_runner import STRIKES, CodeLimits, CodeRunner
from loopback import Loopback, served, truthful

TRACE = {
    "id": "1",
    "response": "BCL2 is a gene.",
    "reference": "BCL2",
    "metadata": {"site": "Ulm"},
}
MODULE = """
import os, subprocess, sys, time

def words(text):
    print("heard you")
    os.write(1, b"through the file itself")
    return len(text.split())

def says(text): return text
def half(text): return 0.5
def named(text, reference, *, metadata=None, nothing=3): return f"{reference} {metadata['site']} {nothing}"
def shapes(text): return [1]
def steps_of(text, steps=()):
    return text[:8] + " ".join(f"{s['no']} {s['role']} {s['does']} {s['text']}" for s in steps)
def keyed(text): return {"a": 1, "b": "\\udcff", "c": None}
def huge(text): return 10**400
def breaks(text):
    secret = text
    raise KeyError("chromosome")
def stammers(text): raise ValueError("\\udcff")
def stutters(text): return "\\udcff"
def leaves(text): sys.exit(3)
def dies(text): os._exit(7)
def kills(text): os.kill(os.getpid(), 9)
def for_ever(text):
    while True: pass
def sleeps(text): time.sleep(60)
def child_of(fork):
    child = fork()
    if not child:
        os.setsid()
        time.sleep(600)
    return child
def forks(text): return child_of(os.fork)
def forks_in_c(text):
    import ctypes
    return child_of(ctypes.CDLL(None).fork)
def eats(text): return len([bytes(50_000_000) for _ in range(100)])
def variables(text): return ",".join(sorted(os.environ))
def inherited(text):
    import fcntl
    held = [n for n in range(3, 64) if _is_open(n)]
    return sum(1 for n in held if not fcntl.fcntl(n, fcntl.F_GETFD) & fcntl.FD_CLOEXEC)
def _is_open(n):
    try: os.fstat(n)
    except OSError: return False
    return True
def scribbles(text):
    for n in filter(_is_open, range(3, 64)):
        try: os.write(n, text.encode() + b"\\n")
        except OSError: pass
    return True
def reads(text): return sys.stdin.read()
def connects(text):
    import socket
    socket.create_connection(("127.0.0.1", int(text)))
    return True
class Kept:
    calls = 0
    def count(text):
        Kept.calls += 1
        return Kept.calls
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("code")
    (folder / "foreign.py").write_text(MODULE)
    # a name of a module that the worker itself takes
    (folder / "resource.py").write_text("1 / 0")
    return folder


@pytest.fixture(scope="module")
def runner(folder):
    with closing(
        CodeRunner([str(folder)], CodeLimits(computing=0.3, memory=1024)),
    ) as runner:
        yield runner


def test_a_function_gets_a_conversation_and_if_it_asks_its_steps(runner):
    call = {"id": "1", "function": {"name": "book", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Go"},
        {"role": "assistant", "tool_calls": [call]},
    ]
    trace = Trace(id="1", messages=messages)
    kept = []
    for read in (trace, as_conversation(trace)):
        runner.table("foreign:steps_of", read, lambda value: kept.append(value) or {})
    assert kept == ["", "[1] user1 user  Go 2 assistant calls book {}"]


@pytest.mark.parametrize(
    ("function", "value"),
    [
        ("words", 4),
        ("says", TRACE["response"]),
        ("half", 0.5),
        ("named", "BCL2 Ulm 3"),
        ("inherited", 0),
        ("reads", ""),
        ("stutters", "\ufffd"),
        ("keyed", {"a": 1, "b": "\ufffd", "c": None}),
    ],
)
def test_a_function_is_given_the_response_and_what_it_names_of_the_trace(
    runner,
    function,
    value,
):
    assert runner.run(f"foreign:{function}", TRACE) == value


def test_one_process_serves_many_calls_and_another_runner_loads_the_module_anew(
    folder,
    runner,
):
    assert [runner.run("foreign:Kept.count", TRACE) for _ in range(3)] == [1, 2, 3]
    with closing(CodeRunner([str(folder)])) as another:
        assert another.run("foreign:Kept.count", TRACE) == 1
        assert another.process_id != runner.process_id


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (
            "foreign:shapes",
            "foreign:shapes returned a value of type list, which is no verdict.",
        ),
        (
            "foreign:huge",
            "foreign:huge returned a whole number of 1329 bits, which is too large.",
        ),
        ("foreign:breaks", "foreign:breaks raised KeyError: 'chromosome'"),
        ("foreign:stammers", "foreign:stammers raised ValueError: \ufffd"),
        ("foreign:leaves", "foreign:leaves raised SystemExit: 3"),
        ("foreign:eats", "MemoryError: it took more memory than it may"),
        ("foreign:absent", "The module foreign has no function absent."),
        (
            "nowhere.at_all:f",
            "There is no module nowhere.at_all: it was looked for in ",
        ),
    ],
)
def test_what_is_no_value_is_told_in_a_sentence_and_the_process_goes_on(
    runner,
    function,
    told,
):
    runner.run("foreign:half", TRACE)
    before = runner.process_id
    with pytest.raises(NotComputed) as failure:
        runner.run(function, TRACE)
    assert told in str(failure.value)
    assert "secret" not in str(failure.value)
    assert TRACE["response"] not in str(failure.value)
    assert runner.process_id == before


@pytest.mark.parametrize(
    ("function", "told"),
    [
        ("dies", "foreign:dies ended its process (exit code 7)."),
        ("kills", "foreign:kills ended its process (SIGKILL)."),
        ("for_ever", "foreign:for_ever computed for longer than 0.3 s and was ended."),
    ],
)
def test_a_process_that_ended_is_told_and_the_next_call_has_another(
    runner,
    function,
    told,
):
    with pytest.raises(NotComputed) as failure:
        runner.run(f"foreign:{function}", TRACE)
    assert str(failure.value) == told
    assert runner.process_id is None
    assert runner.run("foreign:half", TRACE) == 0.5


@pytest.mark.parametrize(
    "line",
    ["not JSON", "[]", "{}", '{"garbage": 1}', '{"value": 1, "type": 2}'],
)
def test_what_a_function_writes_among_the_answers_fails_its_call_alone(runner, line):
    with pytest.raises(NotComputed, match="wrote among the answers here and was ended"):
        runner.run("foreign:scribbles", TRACE | {"response": line})
    assert runner.run("foreign:half", TRACE) == 0.5


def test_a_function_that_only_waits_is_ended_by_the_clock_and_given_up_in_the_end(
    folder,
):
    with closing(CodeRunner([str(folder)], CodeLimits(waiting=0, loading=0))) as hasty:
        for _ in range(STRIKES):
            with pytest.raises(
                NotComputed,
                match="gave no value for 0 s and was ended",
            ):
                hasty.run("foreign:sleeps", TRACE)
        with pytest.raises(
            NotComputed,
            match="took too long on 3 other responses, so it was not run",
        ):
            hasty.run("foreign:sleeps", TRACE)
        assert hasty.process_id is None


def test_a_child_in_a_session_of_its_own_delays_neither_the_next_call_nor_the_end(
    folder,
):
    with closing(CodeRunner([str(folder)])) as runner:
        child = runner.run("foreign:forks", TRACE)
        with pytest.raises(NotComputed, match="ended its process"):
            runner.run("foreign:dies", TRACE)
        assert runner.run("foreign:half", TRACE) == 0.5
    os.kill(child, signal.SIGKILL)  # it lived on


def test_closing_does_not_wait_for_a_child_that_holds_the_output_open(folder):
    runner = CodeRunner([str(folder)])
    child = runner.run("foreign:forks_in_c", TRACE)
    runner.close()
    os.kill(child, signal.SIGKILL)


def test_the_environment_it_gets_has_no_key_and_no_proxy(folder, monkeypatch):
    for name in ("OPENAI_API_KEY", "HTTPS_PROXY", "PYTHONPATH", "HOME"):
        monkeypatch.setenv(name, "x")
    with closing(CodeRunner([str(folder)])) as fresh:
        names = fresh.run("foreign:variables", TRACE).split(",")
    assert set(names) <= {
        "PATH",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "TMPDIR",
        "TEMP",
        "TMP",
    }


def test_python_opens_no_connection_there(runner):
    with served(truthful) as server:
        assert isinstance(server, Loopback)
        port = server.url.split(":")[2].split("/")[0]
        with pytest.raises(
            NotComputed,
            match="PermissionError: a callable trait's function has no net",
        ):
            runner.run("foreign:connects", TRACE | {"response": port})
        assert not server.asked


def test_closing_ends_a_call_that_is_under_way(folder):
    runner, told = CodeRunner([str(folder)]), []
    runner.run("foreign:half", TRACE)

    def call():
        try:
            runner.run("foreign:sleeps", TRACE)
        except NotComputed as failure:
            told.append(str(failure))

    calling = threading.Thread(target=call)
    calling.start()
    runner.close()
    calling.join()
    assert "ended its process" in told[0] or "running was stopped" in told[0]
    with pytest.raises(NotComputed, match="running was stopped"):
        runner.run("foreign:half", TRACE)


def test_closing_as_the_process_begins_ends_the_call_too(folder):
    class ClosingMeanwhile(list):
        def __iter__(self):
            closing.start()
            while not runner._is_closed:
                time.sleep(0)
            return super().__iter__()

    runner = CodeRunner(ClosingMeanwhile([str(folder)]), CodeLimits(waiting=3600))
    closing = threading.Thread(target=runner.close)
    with pytest.raises(NotComputed, match="ended its process"):
        runner.run("foreign:sleeps", TRACE)
    closing.join()
    assert runner.process_id is None


# -- as a kind has them run ------------------------------------------------------------------------


def test_a_session_makes_tables_of_verdicts_and_says_why_there_is_none(tmp_path):
    (tmp_path / "of_session.py").write_text(
        "def long(text): return len(text) > 5\n"
        "def sort(text): return 'plain'\n"
        "def breaks(text): raise KeyError(text)\n",
    )

    def trait(function, kind="boolean", **more):
        return CallableRubricTrait(
            name="T",
            kind=kind,
            callable=f"of_session:{function}",
            **more,
        )

    trace = Trace(id="1", response="BCL2 is a gene.")
    classes = trait("sort", "literal", classes={"rude": "a", "plain": "b"})
    code = KIND.computed.runs
    assert code.name(classes) == "of_session:sort"
    with closing(code.begin([str(tmp_path)])) as session:
        assert session.compute(trait("long"), trace) == {"value": True}
        assert session.compute(classes, trace) == {"value": 1, "class": "plain"}
        with pytest.raises(NotComputed, match="of_session:breaks raised KeyError"):
            session.compute(trait("breaks"), trace)
        with pytest.raises(
            NotComputed,
            match=r"of_session:sort returned .*, not True or False",
        ):
            session.compute(trait("sort"), trace)
