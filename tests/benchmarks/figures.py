"""How a benchmark measures and tells: medians of interleaved runs, and each figure as a ratio to its baseline."""

import statistics
import time
from collections.abc import Callable


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def processor(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    start = time.process_time()
    work()
    return time.process_time() - start


def medians(works: dict[str, Callable[[], object]], times: int = 7) -> dict[str, float]:
    """Runs all in turn, several times over, so that a noisy moment hits all alike."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(times):
        for name, work in works.items():
            taken[name].append(seconds(work))
    return {name: statistics.median(all_) for name, all_ in taken.items()}


def tell(
    name: str,
    value: float,
    baseline: float,
    unit: str = "ms",
    scale: float = 1000,
) -> None:
    print(
        f"{name:58} {value * scale:10.2f} {unit:8} {value / baseline:8.2f} × baseline",
    )
