"""A sample and a draw as tables and sentences."""

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from appellate.core.samples import Sample
from appellate.core.wordforms import many
from appellate.store.expected_widths import HALF_HELP, ExpectedWidth
from appellate.store.sample_plans import PlannedDraw
from appellate.store.sample_progress import SampleProgress
from appellate.ui.text import cell_width, column

StratumRow = tuple[str, list[int]]
NAME, NUMBER = 20, 11
"""Cells that a stratum's name has at the least, and those of a figure."""
TOLD = 4  # traits whose widths are told
NOBODY = "No judge said anything yet: how wide intervals will be cannot be told."


def drawn_so_far(
    sample: Sample, far: SampleProgress, planned: PlannedDraw | None, room: int
) -> list[str]:
    """The strata of a sample, how far each is worked through, and what a draw would add, in so many
    cells.
    """
    heads = ["in all", "drawn", sample.done_word]
    rows: list[StratumRow] = []
    for stratum, done in zip(sample.strata, far.done, strict=True):
        rows.append((stratum.name, [stratum.units, stratum.drawn, done]))
    total = [sample.frame, len(sample), sum(far.done)]
    if planned is not None:
        heads.append("to add")
        for stratum, told, (_, figures) in zip(
            sample.strata, planned.what.strata, rows, strict=True
        ):
            figures.append(int(told["drawn"]) - stratum.drawn)
        total.append(len(planned.what.drawn))
    lines = [*_table(heads, rows, total, room), ""]
    if far.next:
        return [*lines, f"Next in the order of the draw: {far.next}."]
    return [*lines, f"All of it is {sample.done_word}."]


def to_be_drawn(planned: PlannedDraw, room: int) -> list[str]:
    """What a first draw would take of each stratum, in so many cells."""
    of = planned.what.strata
    rows = [(str(one["name"]), [int(one["units"]), int(one["drawn"])]) for one in of]
    total = (planned.what.frame, len(planned.what.drawn))
    units = f"{many(len(planned.what.drawn), planned.frame.word)} would be drawn"
    if planned.frame.clusters:
        units = f"{units}, {many(len(planned.traces), 'trace')} in all"
    return [*_table(("in all", "to draw"), rows, total, room), "", f"{units}."]


def expected_told(widths: Sequence[ExpectedWidth], n: int) -> Iterator[str]:
    """How wide the intervals of n audits will be, by what the judge says."""
    if not widths:
        yield NOBODY
        return
    if n >= widths[0].frame:
        yield "All of it would be audited: nothing is left to estimate."
        return
    yield f"Expected of {n:,} audits, from people alone … with a judge that explains half:"
    for width in widths[:TOLD]:
        alone, helped = _half(width.half(n)), _half(width.half(n, HALF_HELP))
        yield f"  {width.measure} ± {alone} … ± {helped}  {width.trait}"
    if len(widths) > TOLD:
        yield f"  and {len(widths) - TOLD} traits more: appellate sample AUDIT --power"


def _half(width: float) -> str:
    if width == inf:
        return "?"
    return f"{width:.3f}".removeprefix("0")


def _table(
    heads: Sequence[str], rows: Sequence[StratumRow], total: Sequence[int], room: int
) -> Iterator[str]:
    most = max(NAME, room - NUMBER * len(heads))
    width = min(max(NAME, *(cell_width(name) for name, _ in rows)), most)
    yield _line("stratum", heads, width)
    for name, figures in rows:
        yield _line(name, map(_number, figures), width)
    if len(rows) > 1:
        yield _line("all", map(_number, total), width)


def _number(figure: int) -> str:
    return f"{figure:,}"


def _line(name: str, figures: Iterable[str], width: int) -> str:
    return column(name, width) + "".join(figure.rjust(NUMBER) for figure in figures)
