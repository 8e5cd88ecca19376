"""A session line by line on a real terminal, and in a pipe: nothing moves the cursor, signals are heard."""

import os
import re
import signal
import subprocess
from contextlib import contextmanager

import pytest

from appellate.store.open_audit import resume
from cells import place
from linear.linear_stage import bench_of
from terminal import APPELLATE, PATIENCE, Terminal, ctrl

SGR = re.compile(rb"\x1b\[[\d;]*m")


@pytest.fixture
def audit(tmp_path):
    with bench_of(tmp_path, at=2) as bench:
        return bench.audit


@contextmanager
def seated(audit, *options, **terminal):
    with Terminal([*APPELLATE, "review", audit, "--lines", *options], 24, 80, **terminal) as at:
        at.wait("item 1/6>")
        yield at


def moves(raw: bytes) -> bytes:
    """What of the bytes is neither text, nor a line's end, nor colour."""
    bare = SGR.sub(b"", raw).replace(b"\r\n", b"")
    return bytes(re.findall(rb"[\x00-\x08\x0b-\x1f\x7f]", bare) and bare)


def in_bucket(audit, bucket):
    with resume(place(audit.parent)).workspace as workspace:
        return len(workspace.cell(2)[1].labels.bucket(bucket))


def test_a_key_is_a_verdict_and_nothing_ever_moves_the_cursor(audit):
    with seated(audit) as at:
        at.send("2")
        at.wait("Moved TP → FN")
        at.send("down", "up", "g", "3\r")
        at.wait("item 3/6>")
        at.send("1", "n", "\t", "\x1b")
        at.wait("Left: nothing was changed")
        at.resize(30, 50)
        at.send("s", "q")
        assert at.status() == 0
        assert b"\x1b[33m" in at.raw
        assert not moves(at.raw)
        assert at.left_on == set()
        assert b"written; 0 of 2 cells signed off." in at.raw
    assert in_bucket(audit, "fn") == 2


@pytest.mark.parametrize(
    ("options", "env"),
    [
        ((), {"NO_COLOR": "1"}),
        ((), {"TERM": "dumb"}),
        (("--plain",), {}),
        (("--ascii",), {"NO_COLOR": "1"}),
    ],
)
def test_where_no_colour_is_wanted_only_text_and_lines_are_sent(audit, options, env):
    with seated(audit, *options, env=env) as at:
        at.send("2", "q")
        assert at.status() == 0
        assert b"\x1b" not in at.raw


def test_ctrl_c_says_how_to_quit_and_twice_writes_the_audit_and_quits(audit):
    with seated(audit) as at:
        at.send("2")
        at.wait("Moved")
        at.send(ctrl("c"))
        at.wait("q writes the audit and quits; Ctrl\\+C again does, too")
        at.send(ctrl("c"))
        assert at.status() == 130
        assert at.left_on == set()
    assert audit.exists()


def test_a_line_is_typed_rubbed_out_and_kept(audit):
    with seated(audit) as at:
        at.send("c")
        at.wait("Comment>")
        at.send("wröng", "\x7f" * 3, "ong")
        at.send(ctrl("u"), "too läte", ctrl("w"), "soon\r")
        at.wait("Commented: too soon")
        at.send(ctrl("d"))
        assert at.status() == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_has_the_audit_written_before_the_end(audit, number, code):
    with seated(audit) as at:
        at.send("2")
        at.wait("Moved")
        at.kill(number)
        assert at.status() == code
        assert at.left_on == set()
    assert audit.exists()


def test_a_terminal_that_is_closed_has_the_audit_written(audit):
    with seated(audit) as at:
        at.send("2")
        at.wait("Moved")
        at.hang_up()
        assert at.process.wait(PATIENCE) in (0, 129)
    assert "move" in audit.read_text()


def test_what_was_told_to_be_changed_outlives_a_kill(audit):
    with seated(audit) as at:
        at.send("2")
        at.wait("Moved")
        at.kill(signal.SIGKILL)
        at.status()
    assert in_bucket(audit, "fn") == 2


def test_a_pipe_gives_a_key_a_line_and_its_end_quits(audit):
    done = piped(audit, "2\n")
    assert done.returncode == 0
    assert "Moved TP → FN" in done.stdout
    assert "written; 0 of 2 cells signed off." in done.stderr


def piped(audit, keys, *options):
    told = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return subprocess.run(
        [*APPELLATE, "review", audit, "--lines", "--reviewer", "ada", *options],
        input=keys,
        capture_output=True,
        text=True,
        env=told,
        check=False,
    )


def test_keys_and_traces_cannot_both_come_from_standard_input(tmp_path):
    (tmp_path / "r.toml").write_text("")
    done = piped(tmp_path / "r.toml", "", "-")
    assert done.returncode == 2


def test_a_session_without_a_screen_loads_no_textual(audit):
    code = (
        "from appellate.cli import main; import sys;"
        f"main(['review', {str(audit)!r}, '--lines', '--reviewer', 'ada']);"
        "print(sorted(name for name in sys.modules if name in ('textual', 'rich', 'openai')))"
    )
    done = subprocess.run(
        [APPELLATE[0], "-c", code], input="2\nq\n", capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
