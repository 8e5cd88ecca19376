"""What a sample costs at the bench with 1,000 and with 20,000 traces, in processor time: only what is
counted in a thread of its own, or asked for by itself, may grow.

Run: python tests/benchmarks/samples.py [--traces 20000] [--drawn 60] [--times 9] [--starts 3]
Needs the driver of ../shared for the first paint (`--starts 0`: without).
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from figures import processor
from workspace import made

from appellate.app.queue.lineup import Lineup
from appellate.core.deciding import Correct
from appellate.core.design_facts import Sampled
from appellate.numbers.samples import sample_at, sample_numbers
from appellate.query.language import parse
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, resume
from appellate.store.queue import FoundQueue, look_up, vocabulary
from appellate.store.samples.sample_plans import SampleWish, expected_of, plan, setting
from appellate.store.samples.sampling import progress
from appellate.traits.metric.edits import Edit

FEW = 1_000
ADDED = Correct(
    Edit.from_row(
        {"action": "add", "bucket": "fn", "index": 0, "instruction": 1, "of": "tp"},
    ),
)


class Site:
    """A bench before one of the audits, and what is done at it."""

    def __init__(self, place: AuditFiles, drawn: int, by: tuple[str, ...]) -> None:
        self.place = place
        self.bench = Workbench(resume(place).workspace, place.audit, "ada")
        self.path = self.bench.workspace.path
        self.wish = SampleWish(drawn, by=by)
        self.planned: Sampled = plan(self.path, self.wish).what

    def draw(self) -> None:
        self.bench.draw(self.planned)

    def withdraw(self) -> None:
        self.bench.withdraw()

    def correct(self) -> None:
        """One answer in the first blind cell, and back."""
        number = self.bench.workspace.design.drawn()[0]
        self.bench.do(number, ADDED)
        self.bench.undo()

    def next_trace(self) -> None:
        """What a step to the next trace reads of the sample."""
        for trace in self.bench.workspace.design.drawn()[:10]:
            self.bench.open(trace)
            self.bench.workspace.design.place(trace)

    def line_up(self) -> None:
        query = parse("is:sampled", vocabulary(self.path))
        FoundQueue(self.bench.workspace, look_up(self.path, query, "sample", 1, "ada"))

    def screen(self) -> None:
        """What the sample screen reads, beside what it counts in a thread."""
        self.bench.workspace.design.sample()
        self.bench.workspace.design.facts()

    def looked(self) -> None:
        """What the sample screen counts in a thread."""
        sample = self.bench.workspace.design.sample()
        setting(self.path)
        expected_of(self.path, sample)
        progress(self.path, 1)
        plan(self.path, SampleWish(10), sample)

    def worth(self) -> None:
        at = sample_at(self.path)
        if at is not None:
            sample_numbers(at)

    def save(self) -> None:
        self.bench.save()


def tell(name: str, times: list[list[float]]) -> None:
    few, lots = map(statistics.median, times)
    print(
        f"{name:48} {few:9.2f} ms {lots:9.2f} ms   × {lots / max(few, 0.01):.1f}",
        flush=True,
    )


def first_paint(place: AuditFiles) -> float:
    """Processor time of a start, up to what can be used."""
    from screen import review

    with review("review", place.audit).start() as term:
        term.startup(ready=r"BLIND|precision")
        return 1000 * float(term.cpu())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=20_000)
    parser.add_argument("--drawn", type=int, default=60)
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--starts", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        places = [made(Path(name), count) for count in (FEW, given.traces)]
        for by in ((), ("meta.site",)):
            with ExitStack() as stack:
                sites = [Site(place, given.drawn, by) for place in places]
                for site in sites:
                    stack.enter_context(site.bench.workspace)
                measure(sites, given.times, " and ".join(by) or "simple")
        if given.starts:
            for site in places:
                with resume(site).workspace as workspace:
                    what = plan(workspace.path, SampleWish(given.drawn)).what
                    Workbench(workspace, site.audit, "ada").draw(what)
                    Lineup(workspace, "ada").filtered("is:sampled").ordered(
                        "sample",
                    ).remember()
            times = [[first_paint(one) for _ in range(given.starts)] for one in places]
            tell("first paint, in the order of the draw", times)


def measure(sites: list[Site], times: int, how: str) -> None:
    print(f"\n{how}: {sites[0].wish.n} of {FEW:,} and of many")
    taken: dict[str, list[list[float]]] = {}
    for _ in range(times):
        for place, site in enumerate(sites):
            for act in _acts(site):
                taken.setdefault(act.__name__, [[], []])[place].append(
                    1000 * processor(act),
                )
    for name, both in taken.items():
        tell(name, both)


def _acts(site: Site) -> list[Callable[[], Any]]:
    return [
        site.draw,
        site.next_trace,
        site.correct,
        site.line_up,
        site.screen,
        site.looked,
        site.worth,
        site.save,
        site.withdraw,
    ]


if __name__ == "__main__":
    main()
