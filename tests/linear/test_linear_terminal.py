"""A session line by line on a real terminal, and in a pipe: nothing moves the cursor, signals are heard."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from io import StringIO

import pytest

from appellate.cli import main
from appellate.core.trace import Trace
from appellate.linear.console import AskedToLeave, Console
from appellate.store.audits.open_audit import resume
from appellate.ui.contract import Choice
from appellate.ui.kind_lines import Paragraph
from appellate.ui.marks import UNICODE
from cells import place
from linear.linear_stage import bench_of, review_at
from partly import partly_quick
from terminal import APPELLATE, PATIENCE, Terminal, ctrl

SGR = re.compile(rb"\x1b\[[\d;]*m")


@pytest.fixture
def audit(tmp_path):
    with bench_of(tmp_path, at=2) as bench:
        return bench.audit


@contextmanager
def seated(audit, *options, **terminal):
    with Terminal(
        [*APPELLATE, "review", audit, "--lines", *options],
        24,
        80,
        **terminal,
    ) as at:
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
        at.wait("Cancelled: nothing was changed")
        at.resize(30, 50)
        at.send("s", "q")
        assert at.status() == 0
        assert b"\x1b[33m" in at.raw
        assert not moves(at.raw)
        assert at.left_on == set()
        assert b"exported; 0 of 2 cells signed off." in at.raw
    assert in_bucket(audit, "fn") == 2


def test_control_keys_that_the_screen_has_are_heard_on_a_terminal(audit):
    with seated(audit) as at:
        at.send("2")
        at.wait("Moved")
        at.send(ctrl("s"))
        at.wait("Exported:")
        at.send(ctrl("q"))
        assert at.status() == 0
        assert at.left_on == set()


@contextmanager
def typing(keys, response=""):
    """A review at a terminal on which so much was typed ahead."""
    read_end, write_end = os.pipe()
    os.write(write_end, keys.encode())
    os.close(write_end)
    with os.fdopen(read_end) as given:
        console = Console(UNICODE, colours=False, given=given, out=StringIO())
        console.by_keys = True
        yield review_at(console, of=Trace(id="a", response=response))


@pytest.mark.parametrize("sent", ["\x7f", "\x08"])
def test_backspace_is_one_key_whichever_of_two_characters_it_sends(sent):
    with typing(f"ab{sent}c\r{sent}") as review:
        assert review._console.ask("Comment>") == "ac"
        assert review._console.key(">") == "\x7f"


@pytest.mark.parametrize("words", ["located", "need", "0.5"])
def test_words_of_the_response_may_begin_with_what_is_else_an_answer(words):
    response = "We need 0.5 mg, located here."
    with typing(f"{words}\r", response) as review:
        start, end = asyncio.run(review.select_words())
    assert response[start:end] == words


@pytest.mark.parametrize(
    ("keys", "free", "answer"),
    [
        ("2nd claim is wrong\r", True, "2nd claim is wrong"),
        ("0.5 mg is wrong\r", True, "0.5 mg is wrong"),
        ("2\r", True, "second"),
        ("0\r", True, ""),
        ("\r", True, ""),
        ("2", False, "second"),
    ],
)
def test_a_number_picks_at_once_only_where_no_other_words_are_an_answer(
    keys,
    free,
    answer,
):
    choices = [Choice("first", "", "too long"), Choice("second", "", "too short")]
    with typing(keys) as review:
        picked = asyncio.run(
            review.pick("Why", choices, none="no reason", on_none=True, free=free),
        )
    assert picked == answer


@pytest.mark.slow
def test_words_that_are_typed_in_capitals_are_no_keys(audit):
    with seated(audit) as at:
        at.send("MFLAG IT, 2 3", "\r", "\x7f")
        at.wait("Caps Lock\\? M F L looked like typed text")
        at.watch(1)
        at.send("q")
        assert at.status() == 0
    assert in_bucket(audit, "fn") == 1


@pytest.mark.parametrize(
    ("options", "env"),
    partly_quick(
        [
            ((), {"NO_COLOR": "1"}),
            (("--ascii",), {"TERM": "dumb"}),
            (("--plain",), {}),
        ],
        3,
    ),
)
def test_where_no_colour_is_wanted_only_text_and_lines_are_sent(audit, options, env):
    with seated(audit, *options, env=env) as at:
        at.send("2", ctrl("d"))
        assert at.status() == 0
        assert b"\x1b" not in at.raw


def test_a_line_is_typed_rubbed_out_and_kept_and_ctrl_c_twice_writes_the_audit_and_quits(
    audit,
):
    with seated(audit) as at:
        at.send("c")
        at.wait("Comment>")
        at.send("wröng", "\x7f" * 3, "ong")
        at.send(ctrl("u"), "too läte", ctrl("w"), "soon\r")
        at.wait("Comment saved")
        at.send(ctrl("c"))
        at.wait("q exports the audit and quits; Ctrl\\+C again does, too")
        at.send(ctrl("c"))
        assert at.status() == 130
        assert at.left_on == set()
    assert "too soon" in audit.read_text()


@pytest.mark.parametrize(
    ("number", "code"),
    partly_quick([(signal.SIGTERM, 143), (signal.SIGHUP, 129)], 2),
)
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


def test_without_an_input_the_cell_is_printed_and_the_audit_written(audit):
    command = [
        "sh",
        "-c",
        'exec "$@" <&-',
        "sh",
        *APPELLATE,
        "review",
        audit,
        "--lines",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "item 1/6>" in done.stdout
    assert "exported; 0 of 2 cells signed off." in done.stderr


def test_letters_that_the_input_cannot_have_are_stood_in_for(audit):
    done = subprocess.run(
        [*APPELLATE, "review", audit, "--lines"],
        input="c na\u00efve\nq\n".encode(),
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "na\ufffd\ufffdve" in audit.read_text("utf-8")


@pytest.mark.parametrize("height", [1, 2, 3])
def test_a_terminal_of_a_line_or_two_gets_a_long_text_line_by_line(monkeypatch, height):
    monkeypatch.setenv("LINES", str(height))
    out = StringIO()
    console = Console(UNICODE, colours=False, given=StringIO("\n\n"), out=out)
    console.page(Paragraph("one\ntwo\nthree"))
    assert out.getvalue() == (
        "one\n2 more lines, Space continues> \n"
        "two\n1 more line, Space continues> \n"
        "three\n"
    )


def test_what_a_terminal_that_is_gone_was_still_to_get_troubles_nobody():
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as out:
        console = Console(UNICODE, colours=False, given=StringIO(), out=out)
        os.close(master)
        with pytest.raises(AskedToLeave):
            console.say("Moved.")
        out.flush()


class InterruptedWhileAsked(list):
    """Signals that came, of which one more comes just as one looks whether there are any."""

    def __bool__(self):
        has_any = len(self) > 0
        signal.raise_signal(signal.SIGINT)
        return has_any


def test_ctrl_c_in_the_moment_before_an_answer_is_waited_for_acts_at_once():
    console = Console(UNICODE, colours=False, given=StringIO("1\n"), out=StringIO())
    with console.open():
        console._signals = InterruptedWhileAsked()
        with pytest.raises(KeyboardInterrupt):
            console._line()
        assert len(console._signals) == 0


def test_what_was_told_to_be_changed_outlives_a_kill(audit):
    with seated(audit) as at:
        at.send("2")
        at.wait("Moved")
        at.kill(signal.SIGKILL)
        at.status()
    assert in_bucket(audit, "fn") == 2


ONE_SESSION = """
import sys
from appellate.cli import main
code = main(sys.argv[1:])
print(sorted(name for name in sys.modules if name in ("textual", "rich", "openai")))
sys.exit(code)
"""


def test_a_pipe_gives_a_key_a_line_its_end_quits_and_no_textual_is_loaded(audit):
    told = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    command = [
        sys.executable,
        "-c",
        ONE_SESSION,
        "review",
        audit,
        "--lines",
        "--reviewer",
        "ada",
    ]
    done = subprocess.run(
        command,
        input="2\n",
        capture_output=True,
        text=True,
        env=told,
        check=True,
    )
    assert "Moved TP → FN" in done.stdout
    assert "exported; 0 of 2 cells signed off." in done.stderr
    assert done.stdout.endswith("> []\n")


def test_keys_and_traces_cannot_both_come_from_standard_input(tmp_path, capsys):
    (tmp_path / "r.toml").write_text("")
    assert (
        main(["review", str(tmp_path / "r.toml"), "-", "--lines", "--reviewer", "ada"])
        == 2
    )
    assert "standard input" in capsys.readouterr().err
