"""Cuts the power at each write, sync and rename of what a person does, and looks at what the disk still has.

Each deed is done once to count its operations; then, in a forgetful folder (`forgetful_folder.py`), it is done
again and the power goes at one of them, or the disk fails there once and goes on. What was told as kept has to be
there: facts by claims of the deed, or everything by an exit code of 0.

Run: python tests/power_cuts.py [DEED …] [--seed 0] [--most 12 | --all] [--at write:7:after [--errno 5]]
"""

import argparse
import errno
import hashlib
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial, wraps
from pathlib import Path
from typing import Any, NamedTuple

import appellate.traits
from forgetful_folder import NEVER, ForgetfulFolder, Point

KINDS = str(Path(__file__).parent / "kinds")
if KINDS not in appellate.traits.__path__:
    appellate.traits.__path__.append(KINDS)

import all_kinds  # noqa: E402 - with the tests' own kind in place
import appellate.cli.judge  # noqa: E402 - so that no forked process is busy with these
import appellate.cli.review  # noqa: E402
import appellate.judges.offline  # noqa: E402
from appellate.cli import main  # noqa: E402
from appellate.core.deciding import Comment, Correct, Flag, Reason  # noqa: E402
from appellate.core.problem import Refused, Unusable  # noqa: E402
from appellate.interop import batch_worker  # noqa: E402
from appellate.judges import reply_cache  # noqa: E402
from appellate.session.adjudicating import Adjudicating  # noqa: E402
from appellate.session.workbench import Position, Workbench  # noqa: E402
from appellate.store.audits.audit import load_audit  # noqa: E402
from appellate.store.audits.audit_sync import NotWritten  # noqa: E402
from appellate.store.audits.open_audit import AuditFiles, Diverged, Opened, Take, resume  # noqa: E402
from appellate.store.database import NotKept, connected, is_begun  # noqa: E402
from appellate.store.files import draft  # noqa: E402
from appellate.store.tables import WorkspaceUnknown  # noqa: E402
from appellate.store.workspace import KEPT, Workspace  # noqa: E402
from batch_stage import answers, lines, requests, written  # noqa: E402
from cells import bench, everything, matrix, place, proposal, rubric, ticking, trace  # noqa: E402
from sampled import rule_on, sampled  # noqa: E402
from terminal import APPELLATE, Terminal, ctrl  # noqa: E402
from two_reviewers import BOTH_MISSED, MISSED, adjudicator, audited  # noqa: E402

AUDIT = "x.audit.toml"
PATIENCE = 60.0
"""Seconds after which a deed hangs."""
GROWING = "answers/"
"""What the names of files begin with that grow by lines, until they are told to be whole."""
OPERATIONS = (
    "write",
    "fsync",
    "fsyncdir",
    "rename",
    "link",
    "unlink",
    "create",
    "truncate",
)
_PASSING = (".db", "-wal", "-shm", "-journal", ".lock", ".tmp", ".new", ".part")
"""Endings of files that are looked at as databases, or are nobody's."""


class Claims:
    """What a deed told as kept: a line of JSON for each, written to a pipe beside the folder."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._last = 0

    def facts(self, workspace: Workspace) -> None:
        """Tells that all facts of a workspace are kept."""
        rows = _new_facts(workspace.db, self._last)
        if rows:
            self._last = rows[-1][0]
        self._tell({"facts": rows, "workspace": workspace.path.name})

    def count(self, audit: str, facts: int) -> None:
        """Tells that an audit has at least so many facts."""
        self._tell({"count": facts, "workspace": Path(audit).with_suffix(".db").name})

    def row(self, workspace: Workspace, table: str, row: Sequence[Any]) -> None:
        """Tells that a table has a row."""
        self._tell({"row": list(row), "table": table, "workspace": workspace.path.name})

    def file(self, path: Path) -> None:
        """Tells that a file holds what it holds now."""
        self._tell({"file": str(path), "sha256": _sha256(path)})

    def _tell(self, claim: dict[str, Any]) -> None:
        os.write(self._pipe, json.dumps(claim).encode() + b"\n")


class Deed(NamedTuple):
    """What is there before, what is done in the folder, and whether it may be given again."""

    before: Callable[[Path], object]
    act: Callable[[Claims], int | None]
    take: Take | None = None
    """Which side is taken afterwards where two had diverged before."""
    again: bool = False
    """Whether the same has to end well once more after any cut."""
    acknowledged: str = ""
    """A pattern of what it says of each act that it took as kept, where it claims nothing itself."""
    seldom: bool = False
    """Whether it takes long, so that a sample has fewer of it."""


def _new_facts(db: sqlite3.Connection, last: int) -> list[tuple[Any, ...]]:
    sql = "SELECT n, cell, by, name, body FROM facts WHERE n > ? ORDER BY n"
    return db.execute(sql, (last,)).fetchall()


def _count_facts(audit: str = AUDIT) -> int:
    """How many facts the workspace of an audit has that nobody has open."""
    with closing(connected(Path(audit).with_suffix(".db"), "ro&immutable=1")) as db:
        return len(_new_facts(db, 0))


def _rows(db: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    return db.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - a table of ours


def _sha256(path: Path) -> str:
    return _hash(path.read_bytes())


# -- at a workbench ---------------------------------------------------------------------------------


def scripted(act: Callable[[Claims], int]) -> Callable[[Claims], int]:
    """Ends what goes about the program's parts with 1 where a disk refuses, as commands do."""

    @wraps(act)
    def ends(claims: Claims) -> int:
        try:
            return act(claims)
        except (
            NotKept,
            NotWritten,
            Unusable,
            WorkspaceUnknown,
            OSError,
            sqlite3.Error,
        ) as refusal:
            print(f"refused: {refusal}")
            return 1

    return ends


class Hands:
    """A reviewer before the audit of the folder, who tells each act once the program took it as kept."""

    def __init__(
        self,
        claims: Claims,
        reviewer: str = "ada",
        audit: str = AUDIT,
    ) -> None:
        self.claims = claims
        self.workspace = resume(AuditFiles.of(Path(audit))).workspace
        self.at = Workbench(self.workspace, Path(audit), reviewer, ticking())
        self.refused = 0

    def does(self, act: Callable[[], object]) -> None:
        """Does it, and tells that it is kept; what the disk refuses is told to be refused."""
        try:
            act()
        except (NotKept, NotWritten, Unusable):
            self.refused += 1
            return
        self.claims.facts(self.at.workspace)

    def saves(self) -> None:
        try:
            self.at.save()
        except NotWritten:
            self.refused += 1
            return
        self.claims.file(self.at.audit)
        self.claims.facts(self.at.workspace)

    def leaves(self) -> int:
        self.at.workspace.close()
        return int(self.refused > 0)


def of_all_kinds(folder: Path) -> None:
    with all_kinds.bench_of_all_kinds(folder) as at:
        at.save()


@scripted
def acts(claims: Claims) -> int:
    """Corrections of each kind, reasons, comments, flags, undo and redo, sign-offs, places, a save."""
    hands = Hands(claims)
    at = hands.at
    for number, name in enumerate(all_kinds.NAMES, 1):
        second = number + len(all_kinds.NAMES)
        if name in all_kinds.EDITS:
            kind = at.workspace.cell(second)[1].subject.kind
            edit = kind.edit(all_kinds.EDITS[name])
            with suppress(Refused):
                hands.does(partial(at.do, second, Correct(edit)))
                last = at.open_unhidden(second)[1].facts[-1].n
                hands.does(partial(at.do, second, Reason(last, "as it says")))
                hands.does(at.undo)
                hands.does(at.redo)
        hands.does(partial(at.do, second, Comment(f"about {name}")))
        hands.does(partial(at.do, second, Flag(True)))
        hands.does(partial(at.sign_off, second, 3.0))
        if number == len(all_kinds.NAMES) // 2:
            hands.saves()
    with suppress(NotKept):
        at.set_bookmark(3, on=True)
        claims.row(at.workspace, "bookmarks", ("ada", 3))
    with suppress(NotKept):
        at.keep_position(Position(4))
    hands.saves()
    return hands.leaves()


@scripted
def revised(claims: Claims) -> int:
    """A changed rubric is taken, and what follows."""
    hands = Hands(claims)
    at = hands.at
    other = matrix(
        tp_instructions=["Mentions BCL2", "States that BCL2 inhibits apoptosis"],
    )
    hands.does(partial(at.revise, rubric(other)))
    hands.does(partial(at.do, 1, Comment("after")))
    with suppress(Refused):
        hands.does(at.undo)
        hands.does(at.undo)
    hands.saves()
    return hands.leaves()


def judged(folder: Path, cells: int = 3) -> None:
    """An audit of the worked example, so often, signed off but for the last, and written."""
    with bench(folder, *[trace(f"t{number}") for number in range(cells)]) as at:
        at.receive_many((number, proposal()) for number in range(1, cells + 1))
        for number in range(1, cells):
            at.sign_off(number, 9.0)
        at.save()


@scripted
def replies(claims: Claims) -> int:
    """A judge's answers arrive, in swift transactions, until all wait for the disk once."""
    hands = Hands(claims)
    at = hands.at
    for first in range(1, 40, 8):
        group = [(number, proposal(round=2)) for number in range(first, first + 8)]
        with suppress(NotKept):
            at.receive_many(group)
    hands.does(at.workspace.settle)
    hands.does(partial(at.do, 1, Comment("between")))
    with suppress(NotKept):
        at.receive_many([(1, proposal(round=3))])
    for number in range(2, 12):
        hands.does(partial(at.do, number, Comment("after a swift one")))
    hands.saves()
    return hands.leaves()


def blind_sample(folder: Path) -> None:
    with sampled(folder, 12, 6, bars=[("f1>=.8", [4, 6])]) as at:
        at.save()


@scripted
def rulings(claims: Claims) -> int:
    """Blind verdicts in a sample, one after the other."""
    hands = Hands(claims)
    for place_no in [trace_no - 1 for trace_no in hands.workspace.design.drawn()][:3]:
        hands.does(partial(rule_on, hands.at, place_no))
    hands.saves()
    return hands.leaves()


def contested(folder: Path) -> None:
    (folder / "sides").mkdir()
    with adjudicator(folder / "sides", {1: MISSED}, {1: BOTH_MISSED, 2: MISSED}) as at:
        at.save()
    for path in (folder / "sides").glob("c.audit.*"):
        path.rename(folder / path.name.replace("c.", "x.", 1))
    shutil.rmtree(folder / "sides")


@scripted
def adjudicated(claims: Claims) -> int:
    """A third rules on what two differ in."""
    hands = Hands(claims, "cy")
    deciding = Adjudicating(hands.at)
    for number in list(deciding.unruled_nos):
        here = deciding.cell(number)
        for question in here.questions:
            here.picks[question] = 0
        hands.does(partial(deciding.rule, here, "as the first", 2.0))
    hands.saves()
    return hands.leaves()


@scripted
def moved(claims: Claims) -> int:
    """Everything is kept under another name."""
    hands = Hands(claims)
    hands.does(partial(hands.at.move, Path("y.audit.toml")))
    hands.does(partial(hands.at.do, 1, Comment("elsewhere")))
    hands.saves()
    return hands.leaves()


@scripted
def drafted(claims: Claims) -> int:
    """An instruction is added to the rubric's draft, and taken back."""
    hands = Hands(claims)
    subject = hands.at.open_unhidden(1)[1].subject
    claims.file(draft.file_to_edit(hands.workspace).path)
    try:
        added = draft.add_instruction(
            hands.workspace,
            subject,
            "tp_instructions",
            "Names its discoverer",
        )
        claims.file(added.draft.path)
        draft.take_back(hands.workspace, added)
    except (Unusable, NotKept, OSError):
        hands.refused += 1
    return hands.leaves()


def on_screen(claims: Claims) -> int:
    """Keys on a real terminal: an item moves, is undone and done again, Ctrl+S, and away."""
    had = _count_facts()
    with Terminal([*APPELLATE, "review", AUDIT, "--reviewer", "ada"]) as at:
        at.wait("^ precision|refuses")
        if "refuses" in at.text:
            return at.status()
        flagged = "⚑ flagged .*✓ saved$"
        for facts, (key, shown) in enumerate(
            [("F", flagged), ("u", "Undone: flagged"), ("F", flagged)],
            1,
        ):
            at.send(key)
            at.wait(f"{shown}|NOT SAVED", 20)
            if "NOT SAVED" in at.text:
                break
            claims.count(AUDIT, had + facts)
        at.send(ctrl("s"))
        at.rest()
        for key in ("q", "y"):
            at.send(key)
            _watch(at, lambda: "Quit anyway" in at.text)
        if at.process.poll() is None:
            return 1  # the `with` ends it
        return at.status()


def _watch(at: Terminal, is_so: Callable[[], bool]) -> None:
    """Reads until it is so, or the program ended, for a while."""
    end = time.monotonic() + 15
    while at.process.poll() is None and not is_so() and time.monotonic() < end:
        at.watch(0.05)


# -- commands ---------------------------------------------------------------------------------------


def command(*given: str) -> Callable[[Claims], int]:
    def act(_: Claims) -> int:
        return main(list(given))

    return act


def commands(*several: Sequence[str]) -> Callable[[Claims], int]:
    """One command after the other, as long as they end well."""

    def act(claims: Claims) -> int:
        for given in several:
            if code := main(list(given)):
                return code
            for name in _texts(Path()):
                claims.file(Path(name))
        return 0

    return act


def typed(keys: str, *given: str) -> Callable[[Claims], int]:
    """A command with keys from standard input."""

    def act(_: Claims) -> int:
        read, write = os.pipe()
        os.write(write, keys.encode())
        os.close(write)
        os.dup2(read, 0)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        return main(list(given))

    return act


RUBRIC = '[[metric_traits]]\nname = "Facts"\nmetrics = ["f1"]\ntp_instructions = ["Says that ice floats"]\n'
TABLE = "id,question,response,verdict\n" + "".join(
    f"r{number},Does ice float?,Ice floats {number} times.,{'yes' if number % 2 else 'no'}\n"
    for number in range(20)
)


def files(folder: Path) -> None:
    (folder / "r.toml").write_text(RUBRIC)
    for name, first in (("t", 0), ("more", 20)):
        rows = [
            {"id": f"t{no}", "response": "Ice floats. " * 20}
            for no in range(first, first + 20)
        ]
        (folder / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows),
        )


def by_words(folder: Path) -> None:
    """An audit judged by word overlap, and written."""
    files(folder)
    os.chdir(folder)
    assert main(["judge", "r.toml", "t.jsonl", "-o", AUDIT, "--judge", "lexical"]) == 0


def alone(folder: Path) -> None:
    by_words(folder)
    (folder / "x.audit.db").unlink()


def theirs(folder: Path) -> None:
    by_words(folder)
    audit = folder / AUDIT
    audit.write_text(
        audit.read_text().replace("\n[rubric]", "theirs = true\n\n[rubric]", 1),
    )


def with_new_rubric(folder: Path) -> None:
    by_words(folder)
    (folder / "new.toml").write_text(RUBRIC.replace("ice floats", "ice swims"))


def table(folder: Path) -> None:
    (folder / "t.csv").write_text(TABLE)


def two_sides(folder: Path) -> None:
    audited(folder, "ada", {1: MISSED})
    audited(folder, "bo", {1: BOTH_MISSED, 2: MISSED})


def reported(folder: Path) -> None:
    judged(folder)
    os.chdir(folder)
    assert main(["report", AUDIT, "-o", "report.md"]) == 0
    (folder / "out.jsonl").write_text("an older export\n")


def of_promptfoo(folder: Path) -> None:
    """Another tool's results with a verdict that a person changed."""
    source = Path(__file__).resolve().parents[2] / "shared/data/interop/promptfoo"
    shutil.copy(source / "hallucination_v3.json", folder / "p.json")
    os.chdir(folder)
    assert main(["import", "p.json", "-o", AUDIT]) == 0
    _sign_off_all(folder)


def of_inspect(folder: Path) -> None:
    source = Path(__file__).resolve().parents[2] / "shared/data/inspect"
    shutil.copy(source / "multi_scorer_14x2.json", folder / "log.json")
    os.chdir(folder)
    assert main(["import", "log.json", "-o", AUDIT]) == 0
    _sign_off_all(folder)


def _sign_off_all(folder: Path) -> None:
    with resume(place(folder)).workspace as workspace:
        at = Workbench(workspace, place(folder).audit, "ada", ticking())
        for number in range(1, min(workspace.cells.count(), 6) + 1):
            with suppress(Refused):
                at.sign_off(number, 5.0)
        at.save()


def batch_requests(folder: Path) -> None:
    written(folder)
    os.chdir(folder)
    assert main(["judge", "r.toml", "t.jsonl", "-o", AUDIT, "--judge", "recorded"]) in (
        0,
        1,
    )


EXPORT = ["batch", "export", AUDIT, "--model", "gpt", "-o", "requests.jsonl"]


def batch_answers(folder: Path) -> None:
    batch_requests(folder)
    assert main(EXPORT) == 0
    (folder / "answers.jsonl").write_bytes(
        lines(answers(requests(folder / "requests.jsonl"))),
    )


def cached(claims: Claims) -> int:
    """Replies are kept in a cache of their own, which may forget them, and has to stay readable."""
    cache = reply_cache.Cache(Path("replies.sqlite"))
    for number in range(30):
        cache.put({f"key-{number}-{part}": b"reply " * 200 for part in range(5)})
    cache.drop(["key-0-0"])
    cache.learn("server", {"json_schema": True})
    del cache, claims
    return 1  # it told nobody that anything is kept


def parts_answered(folder: Path) -> None:
    rows = [
        {"custom_id": f"c{number}", "url": "/v1/x", "body": {}} for number in range(8)
    ]
    (folder / "requests.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows),
    )
    (folder / "answers").mkdir()
    body = {"status_code": 200, "body": {"choices": []}}
    done = [{"custom_id": f"c{number}", "response": body} for number in range(4)]
    cut = json.dumps(done[3])[:20]
    text = "".join(json.dumps(row) + "\n" for row in done[:3]) + cut
    (folder / "answers/part-0.jsonl").write_text(text)


@scripted
def worked(_: Claims) -> int:
    """A worker of a batch goes on where it was stopped; no server is there."""
    [part] = batch_worker.parts("requests.jsonl", "answers", 1)
    lost = part._replace(lines=[line for line in part.lines if '"c4"' in line])
    terms = batch_worker.Terms("http://127.0.0.1:9/v1", concurrency=1, timeout=0.1)
    batch_worker.TRIES = 1
    batch_worker.work(lost, terms)
    return 0


def nothing(folder: Path) -> None:
    (folder / "notes.txt").write_text("nothing here yet\n")


JUDGE = ["judge", "r.toml", "t.jsonl", "-o", AUDIT, "--judge", "lexical"]
GO_ON = ["judge", AUDIT, "--judge", "lexical"]
LINES = ["review", AUDIT, "--lines", "--reviewer", "ada"]
DEEDS: dict[str, Deed] = {
    "acts": Deed(of_all_kinds, acts),
    "revision": Deed(judged, revised),
    "replies": Deed(partial(judged, cells=40), replies),
    "rulings": Deed(blind_sample, rulings),
    "adjudication": Deed(contested, adjudicated),
    "move": Deed(judged, moved),
    "draft": Deed(judged, drafted),
    "lines": Deed(
        judged,
        typed("k\nc\nquite so\nF\nu\n2\na\nw\nq\n", *LINES),
        acknowledged=r"(?m)^(Comment saved|Flagged|Undone|Moved|Signed off)",
    ),
    "screen": Deed(judged, on_screen, seldom=True),
    "judge": Deed(files, command(*JUDGE), again=True),
    "judge again": Deed(by_words, command(*GO_ON, "--again"), again=True),
    "judge more": Deed(
        by_words,
        command(*JUDGE[:3], "more.jsonl", *JUDGE[3:]),
        again=True,
    ),
    "revise": Deed(
        with_new_rubric,
        command(*GO_ON, "--revise", "new.toml"),
        again=True,
    ),
    "rebuild": Deed(alone, command(*GO_ON), again=True),
    "take file": Deed(
        theirs,
        command(*GO_ON, "--take", "file"),
        take="file",
        again=True,
    ),
    "import": Deed(
        table,
        command("import", "t.csv", "--map", "verdict.Floats=verdict", "-o", AUDIT),
        again=True,
    ),
    "sample": Deed(by_words, command("sample", AUDIT, "-n", "5"), again=True),
    "withdraw": Deed(blind_sample, command("sample", AUDIT, "--withdraw")),
    "gate": Deed(
        by_words,
        commands(
            ["sample", AUDIT, "-n", "20"],
            ["gate", AUDIT, "f1>=.8", "--plan", "20"],
        ),
    ),
    "second pass": Deed(
        judged,
        command("second-pass", AUDIT, "--share", "100", "--reviewer", "ada"),
    ),
    "compare": Deed(
        two_sides,
        command(
            "compare",
            "ada/ada.audit.toml",
            "bo/bo.audit.toml",
            "--adjudicate",
            "-o",
            AUDIT,
            "--shuffle",
            "1",
            "--reviewer",
            "cy",
        ),
    ),
    "report": Deed(
        reported,
        commands(
            ["report", AUDIT, "-o", "report.md"],
            ["report", AUDIT, "-o", "report.html"],
        ),
    ),
    "export": Deed(
        reported,
        commands(
            ["export", AUDIT, "--to", "rows", "-o", "out.jsonl"],
            ["export", AUDIT, "--to", "csv", "-o", "csv"],
        ),
    ),
    "export to promptfoo": Deed(
        of_promptfoo,
        command(
            "export",
            AUDIT,
            "--to",
            "promptfoo",
            "--source",
            "p.json",
            "-o",
            "out.json",
        ),
    ),
    "export to inspect": Deed(
        of_inspect,
        command("export", AUDIT, "--to", "inspect", "-o", "out.json"),
    ),
    "batch export": Deed(batch_requests, command(*EXPORT)),
    "batch import": Deed(
        batch_answers,
        command("batch", "import", AUDIT, "answers.jsonl"),
        again=True,
    ),
    "batch worker": Deed(parts_answered, worked),
    "config": Deed(
        nothing,
        commands(
            ["config", "reviewer", "ada"],
            ["config", "theme", "light"],
            ["config", "keymap", "azerty"],
        ),
    ),
    "new": Deed(
        nothing,
        command("new", "rubrics/first", "--criterion", "Says that ice floats"),
    ),
    "demo": Deed(
        nothing,
        typed("q\n", "demo", "--folder", "tried/demo", "--lines", "--reviewer", "ada"),
        again=True,
    ),
    "cache": Deed(nothing, cached),
}


# -- doing it -----------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """How a deed ended, what it claimed, and what it said."""

    status: int | None
    """Its exit code; None where it was ended, or hung."""
    claims: list[dict[str, Any]]
    said: str


def done(deed: Deed, folder: Path, log: Path) -> Outcome:
    """Does a deed in a folder, in a process that is a copy of this one."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        _alone(partial(_acted, deed, write), folder, log)
    os.close(write)
    claimed = bytearray()
    end = time.monotonic() + PATIENCE
    os.set_blocking(read, False)
    status = None
    while status is None and time.monotonic() < end:
        ended, code = os.waitpid(child, os.WNOHANG)
        with suppress(BlockingIOError):
            while chunk := os.read(read, 1 << 16):
                claimed += chunk
        if ended:
            status = code
        else:
            time.sleep(0.002)
    if status is None:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os.close(read)
    claims = [json.loads(line) for line in claimed.decode().splitlines()]
    exited = os.waitstatus_to_exitcode(status) if status is not None else None
    return Outcome(exited, claims, log.read_text(errors="replace"))


def _acted(deed: Deed, pipe: int) -> int:
    return deed.act(Claims(pipe)) or 0


def _alone(act: Callable[[], int], folder: Path, log: Path) -> None:
    """Does it in a folder, says all into a log, and ends this process."""
    status = 70
    try:
        said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        nothing_to_read = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing_to_read, 0)
        os.dup2(said, 1)
        os.dup2(said, 2)
        os.chdir(folder)
        os.environ["APPELLATE_CONFIG"] = str(folder / "settings")
        os.environ["HOME"] = str(folder)
        status = act()
    except BaseException:  # noqa: BLE001 - the child goes nowhere else
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
        os._exit(status)


# -- what the disk has --------------------------------------------------------------------------------


def _texts(folder: Path) -> dict[str, bytes]:
    """The files of a folder that are no database, by their names in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.name
        if path.is_file() and not name.endswith(_PASSING) and ".sqlite" not in name:
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def wrong_files(
    given: Path,
    folder: ForgetfulFolder,
    outcome: Outcome,
) -> Iterator[str]:
    """What is wrong with files: one that is lost, or neither the old nor the new one."""
    before = _texts(given)
    live = _texts(folder.live)
    durable = _texts(folder.durable)
    told = _told(outcome)
    for name, text in live.items():
        first = name.removesuffix(".bak")
        if name not in durable:
            if outcome.status == 0 or name in before or name in told:
                yield f"{name} is lost"
        elif outcome.status != 0 and name.startswith(GROWING):
            kept = durable[name].splitlines(keepends=True)
            if not set(_whole_lines(before.get(name, b""))) <= set(kept):
                yield f"{name} lost lines"
        elif first != name:
            texts = [
                found.get(one) for found in (before, live) for one in (first, name)
            ]
            known = [*map(_hash, filter(None, texts)), *told.get(first, ())]
            if _hash(durable[name]) not in known:
                yield f"{name} is no earlier {first} ({len(durable[name])} bytes)"
        else:
            known = _may_be(before.get(name), told.get(name, []), text, outcome)
            if _hash(durable[name]) not in known:
                yield f"{name} is not what was told ({len(durable[name])} of {len(text)} bytes)"


def _told(outcome: Outcome) -> dict[str, list[str]]:
    """The hashes of what files were told to hold, by their names, the last one last."""
    told: dict[str, list[str]] = {}
    for claim in outcome.claims:
        if "file" in claim:
            told.setdefault(claim["file"], []).append(claim["sha256"])
    return told


def _may_be(
    before: bytes | None,
    told: list[str],
    live: bytes,
    outcome: Outcome,
) -> list[str]:
    """The hashes of what a file may hold: what was told last, or is newer."""
    if outcome.status == 0:
        return [_hash(live)]
    if told:
        return [told[-1], _hash(live)]
    if before is not None:
        return [_hash(before), _hash(live)]
    return [_hash(live)]


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _whole_lines(text: bytes) -> list[bytes]:
    return [line for line in text.splitlines(keepends=True) if line.endswith(b"\n")]


def wrong_acknowledgements(
    deed: Deed,
    given: Path,
    folder: ForgetfulFolder,
    outcome: Outcome,
) -> Iterator[str]:
    """What is wrong where a program said of more acts that they are kept than facts came."""
    said = len(re.findall(deed.acknowledged, outcome.said))
    came = []
    for path in (given, folder.durable):
        with tempfile.TemporaryDirectory() as copies:
            for own in path.glob("x.audit.db*"):
                shutil.copy(own, copies)
            with closing(sqlite3.connect(Path(copies, "x.audit.db"))) as db:
                came.append(len(_new_facts(db, 0)))
    if came[1] - came[0] < said:
        yield f"{said} acts were told as kept, and {came[1] - came[0]} facts came"


def wrong_workspaces(
    folder: ForgetfulFolder,
    outcome: Outcome,
    take: Take | None,
) -> Iterator[str]:
    """What is wrong with workspaces and audits: what was told is not there, or they do not open."""
    claims: dict[str, list[dict[str, Any]]] = {}
    for claim in outcome.claims:
        if "workspace" in claim:
            claims.setdefault(claim["workspace"], []).append(claim)
    workspaces = set(folder.durable.rglob("*.audit.db"))
    workspaces |= {
        path.with_suffix(".db") for path in folder.durable.rglob("*.audit.toml")
    }
    if missing := {
        name for name in claims if claims[name][-1].get("facts") is not None
    } - {path.name for path in workspaces}:
        yield f"{missing} is lost"
    if outcome.status == 0:
        for path in sorted(folder.live.rglob("*.audit.db")):
            durable = folder.durable / path.relative_to(folder.live)
            yield from _otherwise(path, durable)
    for path in sorted(workspaces):
        if is_begun(path) or path.with_suffix(".toml").exists():
            yield from _wrong_audit(
                path.with_suffix(".toml"),
                claims.get(path.name, []),
                take,
            )


def _otherwise(live: Path, durable: Path) -> Iterator[str]:
    """How what a workspace keeps differs from what it kept when the program ended well."""
    if not durable.exists():
        yield f"{live.name} is lost"
        return
    kept = []
    for path in (live, durable):
        with tempfile.TemporaryDirectory() as copies:
            for own in path.parent.glob(f"{path.name}*"):
                shutil.copy(own, copies)
            with closing(sqlite3.connect(Path(copies, path.name))) as db:
                rows = {name: _rows(db, name) for name in KEPT}
        kept.append(rows)
    for name in sorted(KEPT):
        if kept[0][name] != kept[1][name]:
            yield f"{live.name} lost rows of {name} ({len(kept[1][name])} of {len(kept[0][name])})"


def _resumed(files: AuditFiles, take: Take | None) -> Opened:
    try:
        return resume(files)
    except Diverged:
        if take is None:
            raise
        return resume(files, take)


def _wrong_audit(
    audit: Path,
    claims: list[dict[str, Any]],
    take: Take | None,
) -> Iterator[str]:
    in_file: set[int] = set()
    if audit.exists():
        in_file = _facts_in(audit)
    with _resumed(AuditFiles.of(audit), take).workspace as workspace:
        sound = workspace.db.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok":
            yield f"{audit.name}: {sound}"
        kept = {row[0]: list(row) for row in _new_facts(workspace.db, 0)}
        yield from _not_kept(claims, kept, workspace)
        if lacking := in_file - kept.keys():
            yield f"{audit.name} has facts that the workspace lacks: {sorted(lacking)}"
        yield from _saved_otherwise(workspace, audit, set(kept))
    for path in audit.parent.iterdir():
        is_begun_anew = path.name.startswith((f".{audit.name}.", f".{audit.stem}.db."))
        if is_begun_anew and path.name.endswith((".tmp", ".new")):
            yield f"left behind: {path.name}"


def _facts_in(audit: Path) -> set[int]:
    return {fact.n for one in load_audit(audit).cells for fact in one.cell.facts}


def _not_kept(
    claims: list[dict[str, Any]],
    kept: dict[int, list[Any]],
    workspace: Workspace,
) -> Iterator[str]:
    """What was told as kept, and is not."""
    for claim in claims:
        for row in claim.get("facts", ()):
            if kept.get(row[0]) != row:
                yield f"fact {row[0]} ({row[3]}) was told, and is {kept.get(row[0])}"
        if len(kept) < claim.get("count", 0):
            yield f"{claim['count']} facts were told, and {len(kept)} are kept"
        if "table" in claim and tuple(claim["row"]) not in _rows(
            workspace.db,
            claim["table"],
        ):
            yield f"{claim['row']} of {claim['table']} is lost"


def _saved_otherwise(
    workspace: Workspace,
    audit: Path,
    kept: set[int],
) -> Iterator[str]:
    """What is wrong with the audit that is saved then, and with its numbers once recounted."""
    at = Workbench(workspace, audit, "ada")
    at.save()
    saved = _facts_in(audit) | {fact.n for fact in workspace.design.facts()}
    if saved != kept:
        yield f"the audit that was saved then has {len(saved)} of {len(kept)} facts"
    with tempfile.TemporaryDirectory() as elsewhere:
        copy = AuditFiles.of(Path(shutil.copy(audit, elsewhere)))
        with resume(copy).workspace as recounted:
            if numbers(recounted) != numbers(workspace):
                yield f"{audit.name} recounted comes to other numbers"


def numbers(workspace: Workspace) -> tuple[Any, ...]:
    """Every cell with its facts and labels, all totals, and whose turn it is to undo what."""
    cells, totals, turns, *_ = everything(workspace)
    return cells, totals, turns


def wrong_caches(folder: ForgetfulFolder) -> Iterator[str]:
    """What is wrong with caches of replies: they may forget, and no more."""
    for path in folder.durable.rglob("*.sqlite"):
        with closing(sqlite3.connect(path)) as db:
            sound = db.execute("PRAGMA integrity_check").fetchone()[0]
            tables = db.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'replies'",
            ).fetchone()
            rows = db.execute("SELECT body FROM replies").fetchall() if tables else []
        if sound != "ok" or any(body != b"reply " * 200 for (body,) in rows):
            yield f"{path.name}: {sound}"
        cache = reply_cache.open_cache(path)
        cache.put({"new": b"reply"})
        if cache.get("new") != b"reply":
            yield f"{path.name} keeps nothing any more"


def looked(checks: Callable[[], Iterator[str]], folder: Path, log: Path) -> list[str]:
    """Looks in a process of its own, as closing a file lets go of this one's locks; returns what is wrong."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)

        def act() -> int:
            troubles = list(checks())
            os.write(write, json.dumps(troubles).encode())
            return 0

        _alone(act, folder, log)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    if not told:
        return [" / ".join(log.read_text(errors="replace").strip().splitlines()[-9:])]
    troubles: list[str] = json.loads(told)
    return troubles


# -- one cut after the other --------------------------------------------------------------------------


class Trial(NamedTuple):
    """A deed whose disk ends at a point, or fails there with the number of an error."""

    name: str
    point: Point
    seed: int
    error: int = 0

    def __str__(self) -> str:
        text = f"{self.name!r} --seed {self.seed} --at {self.point}"
        if self.error:
            text += f" --errno {self.error}"
        return text


def tried(trial: Trial, given: Path) -> tuple[dict[str, Any], list[str]]:
    """Does a deed once to a copy of a folder; returns what the disk counted, and what is wrong then."""
    deed = DEEDS[trial.name]
    chance = random.Random(f"{trial.seed} {trial.name} {trial.point}")
    options = {
        "data": chance.choice(["torn", "torn", "drop"]),
        "meta": chance.choice(["dir", "dir", "ordered", "through"]),
        "seed": zlib.crc32(str(trial).encode()),
    }
    with tempfile.TemporaryDirectory(prefix="power-") as parent:
        log = Path(parent, "log")
        log.touch()
        folder = ForgetfulFolder(
            given,
            Path(parent),
            **options,
            fails=trial.error or None,
        )
        try:
            folder.arm(trial.point)
            outcome = done(deed, folder.path, log)
            counted = folder.cut()
        finally:
            folder.unmount()

        def checks() -> Iterator[str]:
            if outcome.status is None:
                yield "it hung"
            if "Traceback" in outcome.said and (
                trial.error or counted["why"] == "asked"
            ):
                yield f"a traceback: {outcome.said.strip().splitlines()[-1]}"
            yield from wrong_files(given, folder, outcome)
            if deed.acknowledged:
                yield from wrong_acknowledgements(deed, given, folder, outcome)
            yield from wrong_workspaces(folder, outcome, deed.take)
            yield from wrong_caches(folder)

        troubles = looked(checks, folder.durable, log)
        if deed.again and not troubles:
            code = done(deed, folder.durable, log).status
            if code != 0:
                said = log.read_text(errors="replace").strip().splitlines()[-1:]
                troubles.append(f"given again it ended with {code}: {said}")
    counted["status"] = outcome.status
    counted["said"] = outcome.said
    return counted, troubles


def points(
    counts: dict[str, int],
    chance: random.Random,
    most: int | None,
) -> list[Point]:
    """Every point of a deed, or some at random: as many writes as there are of all the others."""
    found = [
        Point(operation, nth, when)
        for operation in OPERATIONS
        for nth in range(1, counts.get(operation, 0) + 1)
        for when in ("before", "after")
    ]
    if most is None or len(found) <= most:
        return found
    writes = [point for point in found if point.operation == "write"]
    others = [point for point in found if point.operation != "write"]
    few = min(len(others), most - min(len(writes), most // 2))
    return chance.sample(others, few) + chance.sample(
        writes,
        min(len(writes), most - few),
    )


def failures(
    counts: dict[str, int],
    chance: random.Random,
    most: int | None,
) -> list[tuple[Point, int]]:
    """Points at which the disk fails once, each with what it says."""
    found = []
    for point in points(counts, chance, most):
        errors = [errno.EIO]
        if point.operation in ("write", "create", "link"):
            errors.append(errno.ENOSPC)
        found.append((point, chance.choice(errors)))
    return found


def trials(
    name: str,
    seed: int,
    counts: dict[str, int],
    most: int | None,
) -> list[Trial]:
    """What is tried of a deed: twice as many cuts as failures."""
    chance = random.Random(f"{seed} {name}")
    few = None if most is None else max(most // 2, 1)
    if DEEDS[name].seldom and few is not None:
        most, few = few, max(few // 2, 1)
    found = [Trial(name, point, seed) for point in points(counts, chance, most)]
    found += [
        Trial(name, point, seed, error)
        for point, error in failures(counts, chance, few)
    ]
    return found


def played(
    name: str,
    seed: int,
    most: int | None,
    only: Trial | None = None,
) -> list[str]:
    """Plays a deed, prints what was tried, and returns what went wrong."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="given-") as parent:
        given = Path(parent, "given")
        given.mkdir()
        log = Path(parent, "log")
        log.touch()
        said = looked(lambda: iter([str(DEEDS[name].before(given) or "")]), given, log)
        assert said == [""], said
        counted, wrong = tried(Trial(name, NEVER, seed), given)
        troubles = [
            f"{name!r} --seed {seed}, not cut before its end: {text}" for text in wrong
        ]
        chosen = [only] if only else trials(name, seed, counted["counts"], most)
        cuts = 0
        for trial in chosen:
            found, wrong = tried(trial, given)
            cuts += found["why"] != "asked"
            troubles += [f"{trial}: {text}" for text in wrong]
            if only:
                print(found)
    seconds = time.monotonic() - began
    operations = sum(counted["counts"].get(operation, 0) for operation in OPERATIONS)
    print(
        f"{name:20} {operations:5} operations, ends with {counted['status']}; {cuts:4} cuts,"
        f" {sum(trial.error > 0 for trial in chosen):4} failures, {len(troubles):2} wrong, {seconds:.1f} s",
        flush=True,
    )
    return troubles


def run() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("deeds", nargs="*", metavar="DEED", help=", ".join(DEEDS))
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--most", type=int, default=12)
    asked.add_argument("--all", action="store_true")
    asked.add_argument("--at", type=Point.read)
    asked.add_argument("--errno", type=int, default=0)
    wanted = asked.parse_args()
    most = None if wanted.all else wanted.most
    troubles = []
    for name in wanted.deeds or DEEDS:
        only = Trial(name, wanted.at, wanted.seed, wanted.errno) if wanted.at else None
        troubles += played(name, wanted.seed, most, only)
    for trouble in troubles:
        print(trouble)
    return int(bool(troubles))


if __name__ == "__main__":
    sys.exit(run())
