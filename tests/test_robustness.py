"""What happens to a person's work when the world misbehaves: real processes on a real terminal."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from appellate import load_audit
from appellate.cli import main
from appellate.core.cell import fold
from appellate.core.facts import Corrected, Proposed
from appellate.store.workspace import Workspace
from cells import FORBIDDEN, RESPONSE, bench, matrix, rubric, trace, worked_example
from terminal import APPELLATE, PATIENCE, Terminal, ctrl
from terminal_sequences import KEYS, MOUSE, PASTES, REPLIES

# each starts the program on a real terminal, and many kill it
pytestmark = pytest.mark.slow

JUDGES = 2  # facts that the judge left, in a new audit
CORRECTED = "◐ 1 correction .*✓ saved$"
HOSTILE = "\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[31m[red]red[/red]\x00\x9b2J\u202etxt\u2066 \x07bell\x7f\u2028end"


def judged(folder: Path) -> Path:
    """An audit of two cells, the worked example in both, written and closed."""
    with bench(folder, trace("one"), trace("two")) as made:
        for number in (1, 2):
            made.receive(number, Proposed(worked_example(), {"name": "gpt"}))
        made.save()
    return folder / "x.audit.toml"


@pytest.fixture
def audit(tmp_path) -> Path:
    return judged(tmp_path)


def review(audit: Path, *options: str, **terminal: object) -> Terminal:
    return Terminal([*APPELLATE, "review", audit, *options], **terminal)


@contextmanager
def seated(audit: Path, *options: str, **terminal: object) -> Iterator[Terminal]:
    with review(audit, *options, **terminal) as at:
        # before the terminal says what it can, frames may come in parts
        at.wait(r"^ precision")
        yield at


class Seen(NamedTuple):
    """What the line at the top says of a cell: its name, its corrections that stand, its flag."""

    name: str
    corrections: int
    flagged: bool


def seen(at: Terminal) -> Seen:
    """What the screen says of the cell now."""
    line = at.line("✓ saved$")
    found = re.match(r" (one|two) .*?(● proposed|◐ (\d+) correction|◐ corrected)", line)
    assert found, at.text
    return Seen(found[1], int(found[3] or 0), "⚑" in line)


def until(at: Terminal, is_so: Callable[[], bool]) -> None:
    """Reads on until it is so: parts of one change may be painted one after the other."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, at.text
        at.watch(0.05)


def shows(at: Terminal, numbers: list[str]) -> None:
    until(at, lambda: metrics(at) == numbers)


def other_numbers(at: Terminal, before: list[str]) -> list[str]:
    """Waits until the numbers are other ones than before; returns them."""
    until(at, lambda: metrics(at) != before)
    return metrics(at)


def leaves(at: Terminal) -> None:
    at.send("q")
    assert at.status() == 0


def leaves_all_the_same(at: Terminal, why: str = "") -> None:
    """Quits with what could not be written."""
    at.send("q")
    at.wait(why)
    at.wait("Quit anyway")
    at.send("y")
    assert at.status() == 1
    assert at.left_on == set()


def gone(at: Terminal, words: str) -> None:
    """Waits until the screen shows these words no more."""
    at.wait(rf"(?s)\A(?!.*{words})")


def metrics(at: Terminal) -> list[str]:
    """The metrics now; what stands in parentheses is the judge's."""
    now = re.sub(r"\([^)]*\)?", "", at.line("^ precision"))
    return re.findall(r"[a-z]\w+ (?:\S+ → )?(\.\d\d|1\.00|0/0)", now)


def told(cell: object) -> list[str]:
    """A cell's metrics as the screen writes them."""
    figures = cell.figures
    shown = {
        name: f"{value:.2f}".removeprefix("0") for name, value in figures.values.items()
    }
    return [
        "0/0" if name in figures.undefined else text for name, text in shown.items()
    ]


def corrections(audit: Path) -> list[str]:
    """What stands in the audit file: the actions of all cells, undone ones too."""
    facts = [fact for audited in load_audit(audit).cells for fact in audited.cell.facts]
    return [
        fact.what.edit["action"] for fact in facts if isinstance(fact.what, Corrected)
    ]


def facts(audit: Path) -> int:
    """How many the workspace keeps."""
    with Workspace(audit.with_suffix(".db")) as workspace:
        return workspace.facts.last_n()


# -- fast hands -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "keys",
    [("H", "enter", "escape"), ("S", "enter", "escape", "tab")],
)
def test_lists_that_are_opened_and_closed_faster_than_they_show_end_nothing(
    tmp_path,
    keys,
):
    chance = Random(0)
    with seated(judged(tmp_path)) as at:
        at.send("2", "2")
        for _ in range(400):
            at.send(chance.choice(keys))
            at.watch(chance.uniform(0, 0.05))
        # q leaves the numbers, too
        for key in ("escape", "escape", "escape", "q", "q", "q"):
            at.rest()
            at.send(key)
        assert at.status() == 0


# -- kill -9 ----------------------------------------------------------------------------------------


def test_what_the_screen_showed_as_done_is_there_after_kill_9(tmp_path):
    chance, audit = Random(0), judged(tmp_path)
    for _ in range(2):
        had = facts(audit)
        with seated(audit) as at:
            shown, end = [seen(at)], time.monotonic() + chance.uniform(0.05, 0.8)
            while time.monotonic() < end:
                at.send(chance.choice("2222uuUUdFjl.,"))
                at.watch(chance.uniform(0, 0.03))
                shown.append(seen(at))
            at.kill(signal.SIGKILL)
            assert at.status() == -signal.SIGKILL
            shown.append(seen(at))
            numbers = metrics(at)
        with Workspace(audit.with_suffix(".db")) as after:
            kept = [history(after, number, had) for number in (1, 2)]
            assert happened(
                shown,
                [{cell for cell, _ in both} for both in zip(*kept, strict=True)],
            )
            assert numbers in [told for cell in kept for _, told in cell]


def history(
    workspace: Workspace,
    number: int,
    first: int,
) -> list[tuple[Seen, list[str]]]:
    """A cell after every fact from that one on, of whichever cell, as the screen tells of it."""
    trace, cell = workspace.cell(number)
    states = []
    for n in range(first, workspace.facts.last_n() + 1):
        then = fold(cell.subject, [fact for fact in cell.facts if fact.n <= n])
        standing = sum(fact.n in then.edits for fact in then.corrections)
        states.append((Seen(trace.id, standing, then.flag), told(then)))
    return states


def happened(shown: list[Seen], kept: list[set[Seen]]) -> bool:
    """Whether what was shown is what was kept, in the same order: nothing before it was kept."""
    at = 0
    for one in shown:
        at = next((n for n in range(at, len(kept)) if one in kept[n]), len(kept))
    return at < len(kept)


def test_the_screen_after_kill_9_is_the_screen_before_and_its_lock_holds_nobody(audit):
    with seated(audit) as at:
        at.send("2", "2", "u", "F")
        at.wait("◐ 1 correction  ⚑ flagged .*✓ saved$")
        before = metrics(at)
        at.kill(signal.SIGKILL)
        at.status()
    with seated(audit) as at:
        at.wait("◐ 1 correction  ⚑ flagged .*✓ saved$")
        shows(at, before)
        at.send("2")
        at.wait("◐ 2 corrections  ⚑ flagged .*✓ saved$")


def test_stopped_without_a_word_and_continued_it_draws_all_takes_keys_and_leaves(audit):
    """A reader of keys that was left behind each time would take some of them, and keep it alive."""
    with seated(audit) as at:
        for _ in range(6):
            taken = at.raw.count(b"\x1b[?1049h")
            at.kill(signal.SIGSTOP)
            at.kill(signal.SIGCONT)
            until(at, lambda taken=taken: at.raw.count(b"\x1b[?1049h") > taken)
        at.send("2")
        at.wait(CORRECTED)
        at.send("q")
        assert at.status() == 0
        assert at.left_on == set()
        assert "Warning" not in at.parting
    assert corrections(audit) == ["move"]


# -- being told to leave ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "key", "shown"),
    [
        (signal.SIGHUP, "3", "Which instruction"),
        (signal.SIGTERM, "c", "Comment *│"),
    ],
)
def test_told_to_leave_it_writes_the_audit_and_gives_the_terminal_back(
    audit,
    number,
    key,
    shown,
):
    with seated(audit) as at:
        at.send("2")
        at.wait(CORRECTED)
        at.send(key)
        at.wait(shown)
        at.kill(number)
        assert at.status() == 128 + number
        assert at.left_on == set()
        assert "exported" in at.parting
    assert corrections(audit) == ["move"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("moment", [0.0, 0.05])
def test_told_to_leave_while_it_starts_it_gives_the_terminal_back(
    tmp_path,
    moment,
    number,
):
    with review(judged(tmp_path)) as at:
        while b"\x1b[?1049h" not in at.raw:
            assert at.process.poll() is None, at.text
            at.watch(0.005)
        at.watch(moment)
        at.kill(number)
        assert at.status() == 128 + number
        assert at.left_on == set()
        assert "Traceback" not in at.parting
        assert "crashed" not in at.parting


def test_told_to_leave_while_it_judges_it_writes_the_last_answers_too(tmp_path):
    given = many_to_judge(tmp_path, "See a doctor. " * 500, count=1_000)
    with Terminal([*APPELLATE, "review", *given, "--judge", "lexical"]) as at:
        at.wait("judge: doctor")
        at.kill(signal.SIGTERM)
        assert at.status() == 128 + signal.SIGTERM
        assert "x.audit.toml: exported" in at.parting


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, "hang up"])
def test_an_answer_of_ten_megabytes_is_open_to_keys_and_leaves_when_told(tmp_path, how):
    given = many_to_judge(
        tmp_path,
        "See your doctor (at 5), or “rest”. " * 300_000,
        count=1,
    )
    assert main(["judge", *map(str, given), "--judge", "lexical"]) == 0
    with Terminal(
        [*APPELLATE, "review", tmp_path / "x.audit.toml"],
        rows=24,
        cols=80,
    ) as at:
        at.wait("judge: doctor")
        at.send("?")
        at.wait("move")
        if how == "hang up":
            at.hang_up()
            assert at.process.wait(PATIENCE) == 128 + signal.SIGHUP
        else:
            at.kill(how)
            assert at.status() == 128 + how, at.parting


def many_to_judge(folder, response, count):
    """What a command takes to begin an audit of as many answers."""
    (folder / "r.rubric.toml").write_text(
        '[[questions]]\nid = "q"\nquestion = "What?"\n[[questions.metric_traits]]\nname = "T"\n'
        'metrics = ["recall"]\ntp_instructions = ["Mentions a doctor", "Asks about age"]\n',
    )
    traces = [
        {"id": f"t{n}", "question_id": "q", "response": response} for n in range(count)
    ]
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, traces)))
    return [folder / "r.rubric.toml", folder / "t.jsonl", "-o", folder / "x.audit.toml"]


def test_a_terminal_that_goes_away_without_a_signal_leaves_the_audit_written_and_free(
    audit,
):
    with seated(audit) as at:
        at.send("2")
        at.wait(CORRECTED)
        at.rest()
        at.hang_up()
        assert at.process.wait(PATIENCE) == 128 + signal.SIGHUP
    assert corrections(audit) == ["move"]
    with seated(audit) as at:
        assert "only reads" not in at.text


# -- a full disk ------------------------------------------------------------------------------------


def refuse_writing(at: Terminal) -> None:
    """No file of the program may grow: its file-size limit is lowered from outside."""
    resource.prlimit(
        at.process.pid,
        resource.RLIMIT_FSIZE,
        (4096, resource.RLIM_INFINITY),
    )


def allow_writing(at: Terminal) -> None:
    resource.prlimit(
        at.process.pid,
        resource.RLIMIT_FSIZE,
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY),
    )


needs_prlimit = pytest.mark.skipif(
    not hasattr(resource, "prlimit"),
    reason="limits of a process change only on Linux",
)


@needs_prlimit
def test_what_the_disk_refuses_is_not_shown_as_done_and_the_same_key_works_later(
    tmp_path,
    audit,
):
    with seated(audit) as at:
        before, untouched = metrics(at), audit.read_bytes()
        refuse_writing(at)
        at.send("2")
        at.wait("✗ NOT SAVED")
        at.wait("the disk refuses.*nothing was changed")
        shows(at, before)
        at.wait(r"\+TP 3")
        at.watch(1.3)  # the place one stands at is kept by a clock: that is refused too
        at.send("j")
        assert "✗ NOT SAVED" in at.watch(0.2)
        allow_writing(at)
        at.send("k", "2")
        at.wait(CORRECTED)
        other_numbers(at, before)
        refuse_writing(at)
        at.send(ctrl("s"))
        at.wait("could not be written: File too large")
        at.wait("◐ 1 correction .*✓ saved, not exported$")
        assert audit.read_bytes() == untouched
        at.send("q")
        at.wait("Quit anyway")
        at.send("n")
        gone(at, "Quit anyway")
        allow_writing(at)
        leaves(at)
    assert corrections(audit) == ["move"]
    assert facts(audit) == JUDGES + 1
    assert not list(tmp_path.glob(".x.audit.toml.*.tmp"))


@needs_prlimit
def test_quitting_all_the_same_on_a_full_disk_loses_nothing(audit):
    with seated(audit) as at:
        at.send("2")
        at.wait(CORRECTED)
        refuse_writing(at)
        leaves_all_the_same(at)
        assert "not exported" in at.parting
        assert "Everything is saved in" in at.parting
    assert facts(audit) == JUDGES + 1


@contextmanager
def tiny_disk(folder: Path) -> Iterator[Path]:
    """A file system of 1 MB of its own."""
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    mounted = shutil.which("mount") and subprocess.run(
        mounting,
        capture_output=True,
        check=False,
    )
    if not mounted or mounted.returncode:
        pytest.skip("no file system of a chosen size can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(filler: Path) -> None:
    """Takes all room that is left."""
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass


def test_a_disk_that_is_really_full_refuses_until_there_is_room(tmp_path):
    with tiny_disk(tmp_path / "disk") as disk:
        audit, filler = judged(disk), disk / "filler"
        with seated(audit) as at:
            fill(filler)
            before = metrics(at)
            at.send("2")
            at.wait("✗ NOT SAVED")
            at.wait("full.*nothing was changed")
            shows(at, before)
            at.send(ctrl("s"))
            at.wait("could not be written")
            filler.unlink()
            at.send("2")
            at.wait("◐ 1 correction .*✓ saved, not exported$")
            leaves(at)
        assert corrections(audit) == ["move"]


def test_a_workspace_taken_away_keeps_nobody_from_quitting(tmp_path):
    folder = tmp_path / "away"
    folder.mkdir()
    with seated(judged(folder)) as at:
        shutil.rmtree(folder)
        at.wait("✗ NOT SAVED")
        at.send(ctrl("s"))
        at.wait("Save everything elsewhere as")
        at.send("escape")
        gone(at, "Save everything elsewhere as")
        leaves_all_the_same(at, "could not be written")


# -- files that go or change under one's hands --------------------------------------------------------


def test_a_workspace_deleted_under_the_session_is_saved_elsewhere_and_gone_on_with(
    tmp_path,
    audit,
):
    with seated(audit) as at:
        judges = metrics(at)
        at.send("2")
        at.wait(CORRECTED)
        before = other_numbers(at, judges)
        audit.with_suffix(".db").unlink()
        at.wait("✗ NOT SAVED")  # a second later, without a key
        at.send("2")
        at.wait(
            "x.audit.db was deleted, moved or replaced while it was open. Ctrl.S saves everything elsewhere",
        )
        shows(at, before)
        at.send(ctrl("s"))
        at.wait("Save everything elsewhere as.*\n?.*x-2.audit.toml")
        at.send("enter")
        at.wait("Exported: .*x-2.audit.toml")
        at.wait("✓ saved$")
        shows(at, before)
        at.send("2")
        at.wait(CORRECTED)
        leaves(at)
    assert corrections(tmp_path / "x-2.audit.toml") == ["move", "move"]


def test_a_demo_that_was_saved_elsewhere_sends_nobody_back_to_the_old_file(tmp_path):
    with Terminal([*APPELLATE, "demo", "--folder", tmp_path]) as at:
        at.wait(r"^ precision")
        (tmp_path / "demo.audit.db").unlink()
        at.wait("✗ NOT SAVED")
        at.send(ctrl("s"))
        at.wait("Save everything elsewhere as")
        at.send("enter")
        at.wait("✓ saved$")
        leaves(at)
        assert "demo-2.audit.toml: exported" in at.parting
        assert "demo.audit.toml" not in at.parting


def test_leaving_without_saving_elsewhere_claims_nothing(audit):
    with seated(audit) as at:
        at.send("2")
        at.wait(CORRECTED)
        audit.with_suffix(".db").unlink()
        leaves_all_the_same(at, r"while it was open\. What .* may be in no file")
        assert "not exported" in at.parting
        assert "x.audit.db was deleted, moved or replaced" in at.parting
        assert "kept in" not in at.parting


def test_told_to_leave_with_a_workspace_that_was_overwritten_it_saves_everything_elsewhere(
    tmp_path,
    audit,
):
    before = audit.with_suffix(".db").read_bytes()
    with seated(audit) as at:
        at.send("2")
        at.wait(CORRECTED)
        audit.with_suffix(".db").write_bytes(before)
        at.kill()
        assert at.status() == 128 + signal.SIGTERM
        assert (
            "overwritten while it was open: everything was saved elsewhere"
            in at.parting
        )
        assert "x-2.audit.toml: exported" in at.parting
    assert corrections(tmp_path / "x-2.audit.toml") == ["move"]


# -- written behind ---------------------------------------------------------------------------------

HELD = """
import os
from importlib import import_module
from appellate.app import requests
from appellate.cli import run

module, name = os.environ["HOLD"].split()
module = import_module("appellate.store." + module)
free = getattr(module, name)

def held(*given, **named):
    open(os.environ["GATE"]).read()
    return free(*given, **named)

setattr(module, name, held)
requests.PAUSE = 0.1
run()
"""
BEGUN, BESIDE, NOTED = (
    "files.atomic sweep",
    "audits.audit_sync writing",
    "files.atomic _keep_backup",
)


class Gate:
    """Where the program stands still while it writes: it reads from a pipe that nobody writes to."""

    def __init__(self, pipe: Path) -> None:
        self.pipe = pipe
        os.mkfifo(pipe)

    def reached(self, at: Terminal) -> None:
        """Waits until the program stands before it."""
        until(at, self._is_read)

    def _is_read(self) -> bool:
        with suppress(OSError):  # nobody reads yet
            self._other_end = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK)
        return hasattr(self, "_other_end")

    def open(self) -> None:
        """Lets the program on, now and later."""
        self.pipe.unlink()
        self.pipe.touch()
        os.close(self._other_end)


@contextmanager
def writing_behind(audit: Path, hold: str) -> Iterator[tuple[Terminal, Gate]]:
    """A correction, and a write in the background that came as far as this."""
    gate = Gate(audit.with_name("gate"))
    told = {"HOLD": hold, "GATE": str(gate.pipe)}
    with Terminal([sys.executable, "-c", HELD, "review", audit], env=told) as at:
        at.wait(r"^ precision")
        at.send("2")
        at.wait(CORRECTED)
        gate.reached(at)
        yield at, gate


@pytest.mark.parametrize("hold", [BESIDE, NOTED])
def test_killed_while_it_writes_behind_it_opens_again_without_a_question(
    tmp_path,
    audit,
    hold,
):
    with writing_behind(audit, hold) as (at, _):
        at.kill(signal.SIGKILL)
        at.status()
    assert corrections(audit) == []
    with seated(audit) as at:
        at.wait(CORRECTED)
        leaves(at)
    assert corrections(audit) == ["move"]
    assert not list(tmp_path.glob(".x.audit.toml.*.tmp"))


@pytest.mark.parametrize("told", ["q", signal.SIGTERM])
def test_told_to_leave_while_it_writes_behind_it_writes_what_came_meanwhile_too(
    audit,
    told,
):
    with writing_behind(audit, NOTED) as (at, gate):
        at.send("2")
        at.wait("◐ 2 corrections .*✓ saved$")
        if told == "q":
            at.send("q")
            at.rest()
        else:
            at.kill(told)
        gate.open()
        assert at.status() == (0 if told == "q" else 128 + told)
        assert at.left_on == set()
        assert "x.audit.toml: exported" in at.parting
    assert corrections(audit) == ["move", "move"]


@needs_prlimit
def test_a_disk_that_is_full_when_it_writes_behind_is_shown_until_it_could(audit):
    with writing_behind(audit, BEGUN) as (at, gate):
        before = audit.read_bytes()
        refuse_writing(at)
        gate.open()
        at.wait("◐ 1 correction .*✓ saved, not exported$")
        assert audit.read_bytes() == before
        allow_writing(at)
        at.send("2")
        at.wait("◐ 2 corrections .*✓ saved$")
        until(at, lambda: corrections(audit) == ["move", "move"])
    assert facts(audit) == JUDGES + 2


def test_what_someone_else_puts_there_while_it_writes_behind_is_left_alone(audit):
    with writing_behind(audit, BESIDE) as (at, gate):
        theirs = audit.read_text() + "# mine\n"
        audit.write_text(theirs)
        gate.open()
        at.wait("◐ 1 correction .*✓ saved, not exported$")
        assert audit.read_text() == theirs
        at.send(ctrl("s"))
        at.wait("was changed by someone else meanwhile")
        leaves_all_the_same(at)
        assert "not exported" in at.parting
        assert "Everything is saved in" in at.parting
    assert audit.read_text() == theirs


# -- two at once ------------------------------------------------------------------------------------


def test_a_second_review_only_reads_and_says_who_holds_it_and_a_judge_is_refused(
    audit,
    capsys,
):
    with seated(audit) as first, review(audit) as second:
        second.wait("read only")
        second.wait(r"^ precision")
        second.wait(rf"is being reviewed by process {first.process.pid} on")
        before = metrics(second)
        second.send("2")
        second.wait("only reads")
        assert metrics(second) == before
        second.send("q")
        assert second.status() == 0
        assert main(["judge", str(audit), "--judge", "lexical"]) == 2
        assert (
            f"is being reviewed by process {first.process.pid} on"
            in capsys.readouterr().err
        )
        first.send("2")
        first.wait(CORRECTED)
    assert corrections(audit) == []


# -- a fault of the program's own -------------------------------------------------------------------

BROKEN = """
import os, sys
from importlib import import_module
from appellate.cli import run

def broken(self, *_):
    hidden = os.environ["HIDDEN"]
    raise RuntimeError("a broken promise")

module, name, method = os.environ["BREAK"].split()
setattr(getattr(import_module("appellate.app." + module), name), method, broken)
run()
"""


@pytest.mark.parametrize(
    ("method", "key"),
    [
        ("cell_actions CellActions take_back", "u"),
        ("saving Saving keep_position", ""),
        ("cell_view CellView show_header", ""),
    ],
)
def test_a_crash_gives_the_terminal_back_and_shows_no_values(tmp_path, method, key):
    audit, secret = judged(tmp_path), "sk-very-" + "secret"
    told = {"BREAK": method, "HIDDEN": secret}
    with Terminal([sys.executable, "-c", BROKEN, "review", audit], env=told) as at:
        if key:
            at.wait("^ precision")
            at.send("2")
            at.wait(CORRECTED)
            at.send(key)
        assert at.status() == 1
        assert at.left_on == set()
        assert "a broken promise" in at.parting
        assert "is saved" in at.parting
        assert secret.encode() not in at.raw
        assert RESPONSE[:30] not in at.parting
    assert facts(audit) == JUDGES + bool(key)


FAILING_INPUT = """
from appellate.cli import run
from appellate.ui.input_gate import InputGate

def broken(self, data, arrived):
    if data == b"u":
        raise RuntimeError("a broken promise")
    return read(self, data, arrived)

read, InputGate.feed = InputGate.feed, broken
run()
"""


def test_where_keys_cannot_be_read_any_more_it_ends_as_for_any_crash(tmp_path):
    audit = judged(tmp_path)
    with Terminal([sys.executable, "-c", FAILING_INPUT, "review", audit]) as at:
        at.wait("^ precision")
        at.send("2")
        at.wait(CORRECTED)
        at.send("u")
        assert at.status() == 1
        assert at.left_on == set()
        assert "a broken promise" in at.parting
        assert "is saved" in at.parting
    assert facts(audit) == JUDGES + 1


# -- what a terminal sends beside keys --------------------------------------------------------------

SENT_WHOLE = [
    *MOUSE.values(),
    *(
        REPLIES[name]
        for name in ("DA2 of xterm", "OSC 52, the clipboard", "kitty graphics, a fault")
    ),
    *(
        KEYS[name]
        for name in KEYS
        if "kitty" in name or "beyond" in name or "digits" in name
    ),
    *PASTES.values(),
    b"\xfc",
    b"\xc3",
]
SENT_IN_PARTS = [
    (b"\x1b", b"[<35;21;13M"),
    (b"\x1b[<35;21;13", b"M"),
    (b"\x1b", b"P1+r544e=31323361\x1b\\"),
    (b"\x1b_Gi=31;ENOENT:1 2 3 a\x1b", b"\\"),
    (b"\x1b]52;c;MT", b"IzNCBhIFRQ\x07"),
    (b"\x1b", b"[200~1 2 3 a\x1b[201~"),
    (b"\x1b[20", b"0~1 2 3 a\x1b[201~"),
    (b"\x1b[200~1 2 3 a\x1b", b"[201~"),
    (b"\x1b[57358;6", b"5u"),
]


def test_what_a_terminal_sends_beside_keys_writes_nothing_and_ends_nothing(audit):
    with seated(audit) as at:
        for sequence in SENT_WHOLE:
            at.write(sequence)
            at.watch(0.15)
        for gap in (0.15, 0.3):
            for parts in SENT_IN_PARTS:
                for part in parts:
                    at.write(part)
                    at.watch(gap)
        at.watch(1.5)  # until a paste without an end is over
        at.send("escape")
        at.watch(0.5)
        at.send("2")
        at.wait(CORRECTED)
        leaves(at)
    assert facts(audit) == JUDGES + 1


def test_lines_pasted_without_brackets_into_a_comment_are_its_words(audit):
    """As `C-a ]` of GNU screen does it."""
    with seated(audit) as at:
        at.send("c")
        at.wait("saves it")
        at.rest()
        at.write(b"the judge was too kind here\r1 2 3 and a once more\r")
        at.wait("too kind here 1 2 3 and a once more")
        at.write("Grüße".encode("latin-1"))
        at.wait("Gr\ufffd\ufffde")
        at.send("enter")
        gone(at, "saves it")
        leaves(at)
    assert facts(audit) == JUDGES + 1


# -- quick hands ------------------------------------------------------------------------------------


def test_quick_keys_act_in_order_ctrl_c_says_how_to_quit_and_q_writes_what_was_deleted(
    audit,
):
    with seated(audit) as at:
        assert b"audit.toml - Appellate\x07" in at.raw
        at.send("2u2.")
        at.wait(r"^ two .*● proposed")
        shows(at, [".75", ".75", ".50", ".67", ".75"])
        at.send(",")
        at.wait(r"^ one .*◐ 1 correction ")
        at.send(ctrl("c"))
        at.wait("(?i)q.* quit")
        at.send(ctrl("c"), ctrl("c"))
        at.watch(0.3)
        assert at.process.poll() is None
        assert seen(at).corrections == 1
        audit.unlink()
        at.send(ctrl("s"))
        at.wait(r"x.audit.toml \(it had been deleted\)")
        assert corrections(audit) == ["move", "move"]  # the first was undone
        at.send("2", "q")
        assert at.status() == 0
        assert at.left_on == set()
        assert "x.audit.toml: exported" in at.parting
        assert at.raw.count(b"\x1b[22;2t") == at.raw.count(b"\x1b[23;2t") == 1
    assert corrections(audit) == ["move", "move", "move"]


# -- terminals of all kinds -------------------------------------------------------------------------


def test_without_colour_the_marks_say_it_all(tmp_path):
    with seated(judged(tmp_path), env={"NO_COLOR": "1"}) as at:
        at.wait(r"\+TP 3")
        at.wait(r"−FN 1")
        at.wait("● proposed")
        # what was read so far may end within a colour
        colours = re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)[;m]", at.raw)
        assert all(red == green == blue for red, green, blue in colours)


@pytest.mark.parametrize("kind", ["dumb", "vt100"])
def test_a_plain_terminal_gets_plain_marks(tmp_path, kind):
    with seated(
        judged(tmp_path),
        "--ascii",
        env={"TERM": kind, "COLORTERM": "", "LANG": "C"},
    ) as at:
        at.wait(r"\* proposed")
        at.wait(r"\+TP 3")
        at.wait(r"-FN 1")
        at.wait(r"gene\^1")
        leaves(at)


def test_the_four_buckets_keep_four_colours_where_a_terminal_has_eight(tmp_path):
    few = {"TERM": "linux", "COLORTERM": ""}
    with seated(judged(tmp_path), env=few) as at:
        at.wait(r"\+TP 3")
        at.wait(r"FN 1")
        colours = {
            int(colour) % 10 for colour in re.findall(rb"[;\[]([39][0-7])[;m]", at.raw)
        }
        assert {1, 2, 3, 6} <= colours  # red, green, yellow, cyan
        assert b"\x1b]2;" not in at.raw


def test_a_window_too_small_gets_a_sentence_and_after_any_sizes_the_bench_stands(
    tmp_path,
):
    chance = Random(1)
    with review(judged(tmp_path), rows=10, cols=50) as at:
        at.wait("Appellate needs 60 × 15")
        assert "precision" not in at.text
        at.send("2")
        at.resize(24, 80)
        at.wait(r"^ P \.\d\d")
        at.resize(8, 30)
        at.wait("30 × 8")
        for _ in range(60):
            at.resize(chance.randint(1, 60), chance.randint(1, 200))
            at.send(chance.choice("jk.,2uQlh"))
            at.watch(0.005)
        at.resize(45, 140)
        at.wait(r"^ precision")
        leaves(at)
        assert at.left_on == set()


# -- hostile text -----------------------------------------------------------------------------------


def test_no_text_of_a_file_acts_on_the_terminal(tmp_path):
    given = matrix(
        name=f"Trait {HOSTILE}",
        tn_instructions=[f"{FORBIDDEN[0]} {HOSTILE}"],
    )
    one = trace(
        f"id {HOSTILE}",
        f"{HOSTILE} {RESPONSE} {HOSTILE}",
        question=f"Why {HOSTILE}?",
    )
    with bench(tmp_path, one, of=rubric(given)) as made:
        table = worked_example() | {"tn": [], "fp": [HOSTILE]}
        made.receive(1, Proposed(table, {"name": f"judge {HOSTILE}"}))
        made.save()
    with seated(tmp_path / "x.audit.toml") as at:
        esc = "escape"
        for key in (
            *"ll3",
            esc,
            *"2i",
            esc,
            "C",
            esc,
            "v",
            esc,
            *"QQ?",
            esc,
            "K",
            esc,
            "l",
            "h",
        ):
            at.send(key)
            at.rest()
        at.wait(r"\[red\]red\[/red\]")
        at.send("c")
        at.wait("Comment *│")
        at.send("[red]\u202e\u2028 typed")
        at.wait("typed")
        at.send("enter")
        at.wait("Comment saved")
        leaves(at)
    acting = rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\]22;[a-z]+\x07"  # the program's own: colours, cursor, modes, pointer
    named = rb"\x1b\]2;x.audit.toml - Appellate\x07"  # the window, after the file
    sent = re.sub(named, b"", re.sub(acting, b"", at.raw)).decode()
    assert not set("\x00\x07\x1b\x7f\x9b\u202e\u2066\u2028") & set(sent)
    assert not re.search(rb"\x1b\[31m|\x1b\[2J", at.raw)


# -- going on ---------------------------------------------------------------------------------------


def test_reopening_goes_to_the_same_place_and_can_still_undo_with_the_audit_alone_too(
    tmp_path,
    audit,
):
    with seated(audit) as at:
        before = metrics(at)
        at.send(".", "F", "2", "l", "l", "h", "j")
        at.wait(r"▸ +4 States BCL2 is on chromosome 18")
        after = metrics(at)
        leaves(at)
    with seated(audit) as at:
        at.wait(r"▸ +4 States BCL2 is on chromosome 18")
        assert seen(at).name == "two"
        shows(at, after)
        assert after != before
        at.send("u")
        at.wait("Undone")
        shows(at, before)
        at.send("U")
        shows(at, after)
        leaves(at)
    for file in tmp_path.glob("*.db*"):
        file.unlink()
    with seated(audit) as at:
        at.send(".")
        at.wait("^ two .*◐ 1 correction  ⚑ flagged .*✓ saved$")
        shows(at, after)
        at.send("u", "u")
        at.wait(r"^ two .*● proposed  trace .*✓ saved$")
        shows(at, before)
