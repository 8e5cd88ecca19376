"""Kill -9 at random moments while a workspace is made, rebuilt, brought up to date or added to, or its audit saved.

After each kill the same command is given again, without a terminal that could be asked: it has to go on by itself,
with every cell and every fact that was kept. Run: python tests/benchmarks/kills.py [--kills 60] [--traces 300]
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, redirect_stderr
from functools import partial
from pathlib import Path
from typing import NamedTuple

from figures import seconds

import appellate.cli.judge
import appellate.judges.offline  # noqa: F401 - so that no killed process is busy with these
from appellate.cli import main
from appellate.core.deciding import Comment
from appellate.session.workbench import Workbench
from appellate.store.audits.audit import load_audit
from appellate.store.audits.open_audit import AuditFiles, resume

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "store")]

from test_rebuilding import aged  # noqa: E402

from terminal import APPELLATE, Terminal  # noqa: E402

RUBRIC = '[[metric_traits]]\nname = "Facts"\nmetrics = ["f1"]\ntp_instructions = ["Says that ice floats"]\n'
JUDGED = ["--judge", "lexical"]
ALL = ["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml", *JUDGED]
MORE = ["judge", "r.toml", "t.jsonl", "more.jsonl", "-o", "x.audit.toml", *JUDGED]
ALONE = ["judge", "x.audit.toml", *JUDGED]


class Deed(NamedTuple):
    """What is there before, what is killed after so many seconds, what is done after it; `more` traces are added."""

    name: str
    before: Callable[[Path, int], object]
    act: Callable[[float | None], bool]
    again: list[str]
    more: bool = False


def command(*given: str) -> None:
    if main(given):
        raise SystemExit(f"{given} did not end well")


# -- before -----------------------------------------------------------------------------------------


def files(folder: Path, traces: int) -> None:
    (folder / "r.toml").write_text(RUBRIC)
    for name, begin in (("t", 0), ("more", traces)):
        told = (
            json.dumps({"id": f"t{n}", "response": "Ice floats. " * 20})
            for n in range(begin, begin + traces)
        )
        (folder / f"{name}.jsonl").write_text("\n".join(told))


def judged(folder: Path, traces: int) -> None:
    """An audit in which everything is judged and commented on, written and closed."""
    files(folder, traces)
    command(*ALL)
    with resume(AuditFiles.of(Path("x.audit.toml"))).workspace as workspace:
        bench = Workbench(workspace, Path("x.audit.toml"), "ada")
        bench.do(1, Comment("kept"))
        bench.save()


def alone(folder: Path, traces: int) -> None:
    judged(folder, traces)
    (folder / "x.audit.db").unlink()


def theirs(folder: Path, traces: int) -> None:
    judged(folder, traces)
    audit = folder / "x.audit.toml"
    audit.write_text(
        audit.read_text().replace("\n[rubric]", "theirs = true\n\n[rubric]", 1),
    )


def old(folder: Path, traces: int) -> None:
    judged(folder, traces)
    aged(folder / "x.audit.db")


# -- what is killed ---------------------------------------------------------------------------------


def saving() -> None:
    """Corrections and saves, one after the other; each is told once it is kept."""
    audit = Path("x.audit.toml")
    with (
        resume(AuditFiles.of(audit)).workspace as workspace,
        Path("told").open("w") as told,
    ):
        bench = Workbench(workspace, audit, "ada")
        for number in range(20):
            text = bench.write()
            change = bench.do(1, Comment(str(number)))
            told.write(f"{change.after.facts[-1].n}\n")
            told.flush()
            bench.wrote(text)


def seen(after: float | None) -> bool:
    """Makes the audit on a terminal of its own."""
    with Terminal([*APPELLATE, "review", *ALL[1:]]) as at:
        if after is None:
            at.wait("reviewed 0/")
        else:
            at.watch(after)
        at.kill(signal.SIGKILL)
        return at.status() == -signal.SIGKILL


def deeds() -> list[Deed]:
    def judge(*given: str) -> Callable[[float | None], bool]:
        return partial(forked, partial(command, *given))

    take = [*ALONE, "--take", "file"]
    return [
        Deed("creation", files, judge(*ALL), ALL),
        Deed("creation, on a screen", files, seen, ALL),
        Deed("rebuilding", alone, judge(*ALONE), ALONE),
        Deed("taking the file", theirs, judge(*take), take),
        Deed("bringing up to date", old, judge(*ALONE), ALONE),
        Deed("adding traces", judged, judge(*MORE), MORE, more=True),
        Deed("saving", judged, partial(forked, saving), ALONE),
    ]


# -- killing ----------------------------------------------------------------------------------------


def forked(act: Callable[[], object], after: float | None) -> bool:
    """Does it in a process of its own, and kills that after so many seconds; whether it was still at it."""
    child = os.fork()
    if not child:
        try:
            silence()
            act()
        finally:
            os._exit(0)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def silence() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)


def wrong(folder: Path, deed: Deed, cells: int, facts: int) -> str:
    """What is not as it should be once the command was given again, if anything."""
    if (ended := ended_with(deed.again)) != 0:
        return f"given again it ended with {ended}"
    with closing(sqlite3.connect(folder / "x.audit.db")) as db:
        sound = db.execute("PRAGMA integrity_check").fetchone()[0]
        found = db.execute("SELECT count(*) FROM cells").fetchone()[0]
        kept = db.execute("SELECT count(*) FROM facts").fetchone()[0]
    in_file = sum(
        len(one.cell.facts) for one in load_audit(folder / "x.audit.toml").cells
    )
    told = (folder / "told").read_text().split() if (folder / "told").exists() else []
    least = max([facts, *map(int, told[-1:])])
    left = [
        path.name for path in folder.iterdir() if path.name.endswith((".tmp", ".new"))
    ]
    if sound != "ok" or found != cells or kept < least or in_file != kept or left:
        return f"{sound}, {found} of {cells} cells, {kept} of {least} facts, {in_file} in the file, {left}"
    return ""


def ended_with(given: list[str]) -> int:
    """How a command ends that has nobody to ask."""
    child = os.fork()
    if not child:
        ended = 99
        try:
            silence()
            ended = main(given)
        finally:
            os._exit(ended)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed(deed: Deed, kills: int, traces: int, chance: random.Random) -> int:
    """Prints how often it went on; returns how often not."""
    troubles, under_way = [], 0
    with tempfile.TemporaryDirectory() as parent:
        given = Path(parent, "given")
        given.mkdir()
        os.chdir(given)
        deed.before(given, traces)
        cells = 2 * traces if deed.more else traces
        facts = cells if deed.before is files else traces + 1
        whole = 0.0
        for number in range(kills + 1):
            there = Path(shutil.copytree(given, Path(parent, str(number))))
            os.chdir(there)
            if number == 0:
                whole = seconds(partial(deed.act, None))
                continue
            under_way += deed.act(chance.uniform(0, whole))
            if trouble := wrong(there, deed, cells, facts):
                troubles.append(trouble)
            shutil.rmtree(there)
        os.chdir(Path(parent).parent)
    print(
        f"{deed.name:22} {kills:4} kills, {under_way:4} under way, {kills - len(troubles):4} gone on by itself",
        flush=True,
    )
    for trouble in troubles:
        print(f"  {trouble}")
    return len(troubles)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--kills", type=int, default=60)
    asked.add_argument("--traces", type=int, default=300)
    asked.add_argument("--seed", type=int, default=0)
    wanted = asked.parse_args()
    chance = random.Random(wanted.seed)
    with Path(os.devnull).open("w") as nothing, redirect_stderr(nothing):
        failed = sum(
            killed(deed, wanted.kills, wanted.traces, chance) for deed in deeds()
        )
    sys.exit(bool(failed))
