"""What a person waits for on a real terminal, beside a bare Textual app in the same run.

Needs the driver and the data of ../shared. Run: python tests/benchmarks/screen.py [--traces 10000] [--times 9]
`--beside SRC` starts another commit in the same run too. Everything is started once unmeasured, with bytecode in a
folder of its own: nobody who works with a program compiles it at each start. Processor time up to the first paint is
told besides, for a clock tells little on a busy machine.
Bytes are what a key sent to the terminal: 960 of them take a second at 9,600 baud.
A key is measured beside plain text (`--plain`: that alone) key by key, now here and now there.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import astuple, dataclass, field
from itertools import pairwise
from pathlib import Path

from workspace import made

SHARED = Path(__file__).resolve().parents[3] / "shared"
sys.path.insert(0, str(SHARED / "tools/ttydrive"))

from ttydrive import Term  # noqa: E402 - found by the line above

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tempfile.mkdtemp(prefix="no-settings-")
(Path(SETTINGS) / "seen").touch()  # no card for whoever is new
ENV = {
    "PYTHONPATH": str(ROOT / "src"),
    "APPELLATE_CONFIG": SETTINGS,
    "APPELLATE_REVIEWER": "ada",
    "PYTHONPYCACHEPREFIX": tempfile.mkdtemp(prefix="bytecode-"),
    "PYTHONDONTWRITEBYTECODE": "",
}
SIZE = {"rows": 45, "cols": 140}
BARE = """
from textual.app import App
from textual.widgets import Footer, OptionList

class Bare(App):
    BINDINGS = [("q", "quit", "quit")]

    def compose(self):
        yield OptionList(*[f"option {n}" for n in range(200)])
        yield Footer()

Bare().run()
"""
WIDGETS = 12  # that the review screen shows at this size
COLUMNS = (0, 29, 93, 140)
"""Where the queue, what is read and the items begin at 140 columns, and the end."""
PLAIN = """
import json, sys
from textual.app import App
from textual.containers import Horizontal
from textual.widgets import Static

WIDTHS, WIDGETS, CHANGED = json.loads(sys.argv[1])  # the changed lines of each column, for each key

class Plain(App):
    CSS = "Screen { layers: a b } #still { layer: b; height: 1; dock: bottom } #still Static { width: 2 }"
    BINDINGS = [("q", "quit", "quit"), *((key, f"turn('{key}')", key) for key in CHANGED)]
    turns = 0

    def compose(self):
        with Horizontal():
            for number, width in enumerate(WIDTHS):
                yield Static(self.text(number, 0), id=f"c{number}")
        with Horizontal(id="still"):
            for _ in range(max(WIDGETS - len(WIDTHS), 0)):
                yield Static("x")

    def on_mount(self):
        for number, width in enumerate(WIDTHS):
            self.query_one(f"#c{number}").styles.width = width

    def text(self, number, changed):
        word = "words of another kind " if self.turns % 2 else "text that is quite plain "
        still = "text that stays as it is "
        width = WIDTHS[number] - 1
        lines = [(word if line < changed else still) * 9 for line in range(44)]
        return "\\n".join(line[:width] for line in lines)

    def action_turn(self, key):
        self.turns += 1
        for number, changed in enumerate(CHANGED[key]):
            if changed:
                self.query_one(f"#c{number}").update(self.text(number, changed), layout=False)

Plain().run()
"""
LONG_RUBRIC = """
[[metric_traits]]
name = "Advice"
metrics = ["precision", "recall", "f1"]
tp_instructions = [
    "Advises to see a doctor", "Names common symptoms", "Asks about medication", "Mentions side effects",
    "Recommends rest and fluids", "Says when to seek emergency care", "Explains the diagnosis", "Gives a dose",
]
"""


@dataclass(frozen=True)
class Program:
    """Something to start, and what it shows once it can be used."""

    name: str
    argv: list[str]
    ready: str
    movable: bool = False  # whether the first item can be moved to FN and back
    env: dict[str, str] = field(default_factory=lambda: ENV)

    def start(self) -> Term:
        return Term(self.argv, env=self.env, **SIZE)


def review(
    name: str,
    audit: Path,
    *,
    movable: bool = False,
    env: dict[str, str] = ENV,
) -> Program:
    return Program(
        name,
        [sys.executable, "-m", "appellate", "review", str(audit)],
        r"^ precision +[.\d]",
        movable,
        env,
    )


def long_one(folder: Path) -> Path:
    """Traces whose responses are 200 kB of real Markdown, judged by the offline judge."""
    lines = (
        (SHARED / "data/healthbench/traces.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    whole = "\n\n".join(json.loads(line)["response"] for line in lines)
    traces = [
        {
            "id": f"long-{n}",
            "response": (whole * (1 + 200_000 // len(whole)))[: 200_000 + n],
        }
        for n in range(3)
    ]
    rubric, answers, audit = (
        folder / name for name in ("long.toml", "long.jsonl", "long.audit.toml")
    )
    rubric.write_text(LONG_RUBRIC, encoding="utf-8")
    answers.write_text("\n".join(map(json.dumps, traces)), encoding="utf-8")
    judged(rubric, answers, audit)
    return audit


def healthbench(folder: Path, env: dict[str, str] = ENV) -> Path:
    """The 57 traces, judged by the offline judge."""
    folder.mkdir(exist_ok=True)
    data, audit = SHARED / "data/healthbench", folder / "healthbench.audit.toml"
    judged(data / "rubric.toml", data / "traces.jsonl", audit, env)
    return audit


def judged(rubric: Path, traces: Path, audit: Path, env: dict[str, str] = ENV) -> None:
    files = [str(rubric), str(traces), "-o", str(audit)]
    command = [sys.executable, "-m", "appellate", "judge", *files, "--judge", "lexical"]
    subprocess.run(command, env=os.environ | env, check=True, capture_output=True)


# -- starting ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Started:
    """Seconds to the first paint, on a clock and of the processor, and until usable; bytes."""

    paint: float
    processor: float
    usable: float
    resident: float


def starts(programs: list[Program], times: int) -> dict[str, Started]:
    """Medians of interleaved starts, after one of each that only makes bytecode."""
    seen: dict[str, list[Started]] = {program.name: [] for program in programs}
    for number in range(times + 1):
        for program in programs:
            with program.start() as term:
                start = term.startup(ready=program.ready)
                processor = term.cpu()
                term.wait_stable(300)
                one = Started(start.first_paint, processor, start.ready, term.rss())
                if number:
                    seen[program.name].append(one)
                term.send("q")
                term.wait_exit()
    return {
        name: Started(*map(statistics.median, zip(*map(astuple, found), strict=True)))
        for name, found in seen.items()
    }


# -- keys -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reaction:
    """Milliseconds from a key to its frame, and the bytes it sent."""

    p50: float
    p95: float
    sent: float


def numbers(text: str) -> list[str]:
    """The metrics now, without what they were before."""
    line = next(
        (line for line in text.splitlines() if line.startswith(" precision")),
        "",
    )
    return re.findall(r"[a-z]\w+ (?:\S+ → )?([.\d/]+)", re.sub(r"\([^)]*\)?", "", line))


def reactions(
    term: Term,
    keys: tuple[str, str],
    times: int,
    seen: Callable[[str], object],
) -> Reaction:
    """Two keys in turn; a reaction is the first frame in which what `seen` reads off has changed."""
    taken, sent = [], []
    for number in range(times):
        before = seen(term.wait_stable(60).text)
        logged = len(term.log)
        latency = term.latency(
            keys[number % 2],
            until=lambda text, before=before: seen(text) != before,
        )
        taken.append(latency.match * 1000)
        sent.append(sum(len(data) for _, data in term.log[logged:]))
    cuts = statistics.quantiles(taken, n=20)
    return Reaction(statistics.median(taken), cuts[-1], statistics.median(sent))


def heading(text: str) -> str:
    """The line that names the trace."""
    return re.search(r"trace \d+", text)[0]


def whole(text: str) -> str:
    return text


def all_reactions(program: Program, times: int) -> dict[str, Reaction]:
    with program.start() as term:
        term.startup(ready=program.ready)
        term.wait_stable(1000)
        found = {
            "cursor to the next item": reactions(term, ("j", "k"), times, whole),
            "next trace": reactions(term, (">", "<"), times, heading),
        }
        if not program.movable:  # only that response is longer than the screen
            found["a page of the response"] = reactions(
                term,
                ("pagedown", "pageup"),
                times,
                whole,
            )
        if program.movable:
            found["a correction → changed metric"] = reactions(
                term,
                ("2", "u"),
                times,
                numbers,
            )
        return found


def bare_cursor(program: Program, times: int) -> Reaction:
    with program.start() as term:
        term.startup(ready=program.ready)
        term.wait_stable(500)
        seen = lambda _: [term.cell(row, 5).bg for row in range(10)]  # noqa: E731 - the highlight is a colour
        return reactions(term, ("down", "up"), times, seen)


# -- processor time of a key, beside plain text ------------------------------------------------------


REST = 0.08
"""Seconds for which the screen has not changed before the next key is sent."""


@dataclass(frozen=True)
class Effort:
    """What one key costs a program, in milliseconds, and what it changes."""

    processor: float
    """The median of the processor's time, of all threads."""
    mean: float
    """The mean, in which garbage collections count that only some keys meet."""
    clock: float
    """The median of the time to the last frame."""
    changed: list[int]
    """How many lines of each column the median key changed."""


def processor_time(term: Term) -> float:
    """Milliseconds of the processor that a program has used, to the microsecond."""
    clock = (~term.proc.pid << 3) | 2  # the clock of a process, as Linux numbers them
    return time.clock_gettime(clock) * 1000


def columns(term: Term) -> list[list[str]]:
    """The lines of each column, as text."""
    lines = [line.ljust(COLUMNS[-1]) for line in term.text().splitlines()]
    return [[line[a:b] for line in lines] for a, b in pairwise(COLUMNS)]


def changed_lines(before: list[list[str]], after: list[list[str]]) -> list[int]:
    """How many lines of each column differ."""
    return [
        sum(a != b for a, b in zip(old, new, strict=True))
        for old, new in zip(before, after, strict=True)
    ]


def efforts(
    terms: list[Term],
    keys: list[tuple[str, str]],
    times: int,
) -> list[Effort]:
    """For each program its two keys in turn; all programs get a key before any gets the next.

    So what else the machine does meets all of them alike. Each waits until its screen is at rest.
    """
    used: list[list[float]] = [[] for _ in terms]
    taken: list[list[float]] = [[] for _ in terms]
    counts: list[list[list[int]]] = [[] for _ in terms]
    for number in range(times):
        for index, term in enumerate(terms):
            before = columns(term)
            started = processor_time(term)
            latency = term.latency(keys[index][number % 2], settle=REST)
            used[index].append(processor_time(term) - started)
            taken[index].append(latency.last * 1000)
            counts[index].append(changed_lines(before, columns(term)))
    return [
        Effort(
            statistics.median(used[index]),
            statistics.mean(used[index]),
            statistics.median(taken[index]),
            [
                round(statistics.median(each))
                for each in zip(*counts[index], strict=True)
            ],
        )
        for index in range(len(terms))
    ]


EFFORTS = {"next trace": (">", "<"), "cursor": ("j", "k")}
"""The keys whose cost is told."""


def tell_efforts(programs: list[Program], times: int) -> None:
    """Each key beside a bare app that changes as many lines of plain text in as many widgets.

    The bare app changes what the first program changes.
    """
    with ExitStack() as stack:
        terms = [stack.enter_context(program.start()) for program in programs]
        for program, term in zip(programs, terms, strict=True):
            term.startup(ready=program.ready)
            term.wait_stable(1000)
        changed: dict[str, list[int]] = {}
        for name, keys in EFFORTS.items():
            changed[name] = efforts(terms, [keys] * len(terms), 6)[0].changed
        bare_keys = dict(zip(EFFORTS, "ab", strict=True))
        lines = {bare_keys[name]: each for name, each in changed.items()}
        widths = [b - a for a, b in pairwise(COLUMNS)]
        given = json.dumps([widths, WIDGETS, lines])
        plain = Program("plain text", [sys.executable, "-c", PLAIN, given], "text that")
        bare = stack.enter_context(plain.start())
        bare.startup(ready=plain.ready)
        bare.wait_stable(1000)

        for name, keys in EFFORTS.items():
            all_keys = [keys] * len(terms) + [(bare_keys[name],) * 2]
            efforts([*terms, bare], all_keys, 4)  # once unmeasured
            *found, base = efforts([*terms, bare], all_keys, times)
            row(
                f"\n{name}, beside plain text",
                "processor ms",
                "mean",
                "clock",
                "lines",
            )
            for program, one in zip([*programs, plain], [*found, base], strict=True):
                row(
                    program.name,
                    beside(one.processor, base.processor, "{:.1f}"),
                    beside(one.mean, base.mean, "{:.1f}"),
                    beside(one.clock, base.clock, "{:.1f}"),
                    "/".join(map(str, one.changed)),
                )


# -- telling ----------------------------------------------------------------------------------------


def row(name: str, *values: str) -> None:
    print(f"{name:46}" + "".join(f"{value:>16}" for value in values))


def beside(value: float, baseline: float, shown: str = "{:.0f}") -> str:
    return f"{shown.format(value)} ({value / baseline:.2f}×)"


def tell_starts(found: dict[str, Started]) -> None:
    base = next(iter(found.values()))
    row("start", "first paint ms", "processor ms", "usable ms", "RSS MiB")
    for name, one in found.items():
        row(
            name,
            beside(one.paint * 1000, base.paint * 1000),
            beside(one.processor * 1000, base.processor * 1000),
            beside(one.usable * 1000, base.usable * 1000),
            beside(one.resident / 2**20, base.resident / 2**20),
        )


def tell_reactions(title: str, found: dict[str, Reaction], base: Reaction) -> None:
    row(f"\n{title}", "p50 ms", "p95 ms", "bytes")
    for name, one in found.items():
        row(
            name,
            beside(one.p50, base.p50, "{:.1f}"),
            beside(one.p95, base.p95, "{:.1f}"),
            beside(one.sent, base.sent),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=9, help="starts of each program")
    parser.add_argument(
        "--keys",
        type=int,
        default=40,
        help="presses of each kind of key",
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="processor time of keys beside plain text alone",
    )
    parser.add_argument(
        "--beside",
        metavar="SRC",
        help="the src folder of another commit",
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = Program(
            "a bare Textual app (OptionList 200, Footer)",
            [sys.executable, "-c", BARE],
            "option 5",
        )
        real = review("review, 57 traces of healthbench", healthbench(folder))
        measured = [real]
        if given.beside:
            env = ENV | {"PYTHONPATH": given.beside}
            audit = healthbench(folder / "beside", env)
            measured.append(
                review("the same 57 traces, the commit beside", audit, env=env),
            )
        if given.plain:
            tell_efforts(measured, given.keys)
            return
        lots = review(
            f"review, {given.traces} traces",
            made(folder, given.traces).audit,
            movable=True,
        )
        few = review("review, 100 traces", made(folder, 100).audit, movable=True)
        long = review("review, responses of 200 kB", long_one(folder))
        programs = [bare, real, few, lots, long]
        programs += measured[1:]
        tell_starts(starts(programs, given.times))
        base = bare_cursor(bare, given.keys)
        tell_reactions(
            "a key, bare Textual app",
            {"cursor to the next option": base},
            base,
        )
        tell_efforts(measured, given.keys)
        for program in (few, lots, long):
            tell_reactions(
                f"a key in {program.name}",
                all_reactions(program, given.keys),
                base,
            )


if __name__ == "__main__":
    main()
