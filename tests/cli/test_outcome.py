"""What is told on standard error while a long step goes on."""

import io
import os
import sys

import pytest

from appellate.cli import main
from appellate.cli.judge import Bar
from appellate.cli.outcome import called, overwrite_line, telling
from appellate.judging.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def heard(where, monkeypatch, seconds):
    """What a stream gets of a step that is heard of at these seconds."""
    monkeypatch.setattr(sys, "stderr", where)
    moments = iter([0.0, *seconds])
    with telling("Reading traces", clock=lambda: next(moments)) as hear:
        for _ in seconds:
            hear(1000, 0.5)
    return where.getvalue()


def test_a_long_step_is_told_on_one_line_of_a_terminal_which_is_cleared_at_its_end(
    monkeypatch,
):
    told = heard(Terminal(), monkeypatch, [0.5, 2.0])
    assert told == "\r\x1b[KReading traces: 1,000 · 500/s · 0:02 to go\r\x1b[K"


def test_a_command_in_line_mode_leaves_the_next_one_its_line(monkeypatch):
    assert main(["review", "--lines", "missing.toml"]) == 2
    told = heard(Terminal(), monkeypatch, [2.0])
    assert told.startswith("\r\x1b[K")


def test_a_short_step_is_not_told_nor_a_long_one_in_a_log(monkeypatch):
    assert heard(Terminal(), monkeypatch, [0.5]) == ""
    assert heard(io.StringIO(), monkeypatch, [5.0]) == ""


def test_progress_is_dropped_once_the_terminal_is_gone(monkeypatch):
    screen, terminal = os.openpty()
    with os.fdopen(terminal, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        os.close(screen)
        overwrite_line("Judging")
        bar = Bar()
        bar.progressed(Progress(done=1, left=1))
        bar.ended("", {})


@pytest.mark.parametrize(
    ("on_path", "program", "shown"),
    [
        (True, ".venv/bin/appellate", "appellate"),
        (False, ".venv/bin/appellate", ".venv/bin/appellate"),
        (False, "/x/appellate/__main__.py", f"{sys.executable} -m appellate"),
    ],
)
def test_a_printed_command_starts_the_program_here(
    monkeypatch,
    tmp_path,
    on_path,
    program,
    shown,
):
    if on_path:
        (tmp_path / "appellate").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [program, "demo"])
    assert called() == shown
