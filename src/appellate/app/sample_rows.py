"""A sample and a draw as tables and sentences."""

from collections.abc import Iterator, Sequence

from appellate.core.samples import Sample
from appellate.core.wordforms import many
from appellate.store.sample_plans import PlannedDraw
from appellate.store.sample_progress import SampleProgress
from appellate.ui.text import clip

NAME = 34  # cells of a stratum's name


def drawn_so_far(sample: Sample, far: SampleProgress) -> list[str]:
    """The strata of a sample, and how far each is worked through."""
    heads = ("could be", "drawn", sample.done_word)
    rows = []
    for stratum, done in zip(sample.strata, far.done, strict=True):
        rows.append((stratum.name, stratum.units, stratum.drawn, done))
    total = (sample.frame, len(sample), sum(far.done))
    lines = [*_table(heads, rows, total), ""]
    if far.next:
        lines.append(f"Next in the order of the draw: {far.next}.")
    else:
        lines.append(f"All of it is {sample.done_word}.")
    return lines


def to_be_drawn(planned: PlannedDraw, sample: Sample | None) -> list[str]:
    """What a draw would take of each stratum, and what there is to know of it."""
    before = {}
    if sample is not None:
        before = {stratum.name: stratum.drawn for stratum in sample.strata}
    rows = []
    for told in planned.what.strata:
        name, drawn = str(told["name"]), int(told["drawn"])
        rows.append((name, int(told["units"]), drawn - before.get(name, 0)))
    heads = ("could be", "to draw")
    total = (planned.what.frame, len(planned.what.drawn))
    units = many(len(planned.what.drawn), planned.frame.word)
    traces = f"{units} would be drawn"
    if planned.frame.clusters:
        traces = f"{traces}, {many(len(planned.traces), 'trace')} in all"
    return [*_table(heads, rows, total), "", f"{traces}.", *planned.told()]


def _table(
    heads: Sequence[str], rows: Sequence[tuple[str, *tuple[int, ...]]], total: Sequence[int]
) -> Iterator[str]:
    yield _line("stratum", heads)
    for name, *figures in rows:
        yield _line(clip(name, NAME), [f"{figure:,}" for figure in figures])
    if len(rows) > 1:
        yield _line("all", [f"{figure:,}" for figure in total])


def _line(name: str, figures: Sequence[str]) -> str:
    return f"{name:{NAME}}" + "".join(f"{figure:>11}" for figure in figures)
