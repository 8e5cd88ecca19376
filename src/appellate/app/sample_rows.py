"""A sample and a draw as tables and sentences."""

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from appellate.app.sample_form import FormLine
from appellate.core.samples import Sample
from appellate.core.wordforms import many
from appellate.store.expected_widths import HALF_HELP, ExpectedWidth
from appellate.store.sample_plans import PlannedDraw
from appellate.store.sample_progress import SampleProgress
from appellate.ui.lines import ListRow
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import cell_width, column

StratumRow = tuple[str, list[int]]
NAME, NUMBER, ESTIMATE = 20, 11, 32
"""Cells that a stratum's name has at the least, those of a figure, and those behind a trait."""
ABOUT, VALUE = 9, 16  # cells of what a line of the form is about, and of what stands there
TOLD = 4  # traits whose widths are told
CHANGES = "← → changes · digits type"
TITLE = "Let chance choose what you check, and the result holds for all traces"
LOOKING = "Looking at what could be drawn …"
READ_ONLY = "This session only reads: nothing can be drawn in it."
ALL_DRAWN = "Everything that could be drawn is in the sample."
DRAWS = "D again draws them. You can take that back until you have ruled on one of them"
ADDS = "D again adds them. Something is ruled on already, so that cannot be taken back"
STAYS = "It cannot be taken back: something in it is ruled on. It can be added to"
NOBODY = "No judge said anything yet: how wide intervals will be is not known."


def form_row(line: FormLine) -> ListRow:
    """A line of the form as a row."""
    name = StyledText(line.name.ljust(ABOUT), "muted")
    return ListRow(line.means, (name, StyledText(f"{column(line.value, VALUE)} ", "key")))


def keys_text(
    planned: PlannedDraw | None, sample: Sample | None, *, may_go: bool, scrolls: bool
) -> str:
    """What the keys do now."""
    texts = [CHANGES]
    if planned is not None:
        does = "D draws" if sample is None else "D adds"
        texts.append(f"{does} {len(planned.what.drawn):,}")
    if sample is not None:
        texts.append("Enter goes through it")
    if may_go:
        texts.append("W takes it back")
    if scrolls:
        texts.append("PgDn scrolls")
    return " · ".join(texts)


def withdraws(begun: int) -> str:
    """What taking the sample back comes to, where so many blind cells are begun."""
    text = "W again takes the whole sample back; labels that it hid are there again"
    if begun:
        text = f"{text}, what was begun in {many(begun, 'blind cell')} goes"
    return text


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
    total = [sample.last.frame, len(sample), sum(far.done)]
    if planned is not None:
        heads.append("to add")
        for stratum, fields, (_, figures) in zip(
            sample.strata, planned.what.strata, rows, strict=True
        ):
            figures.append(int(fields["drawn"]) - stratum.drawn)
        total.append(len(planned.what.drawn))
    lines = [*_table(heads, rows, total, room), ""]
    if far.next:
        return [*lines, f"Next in the order of the draw: {far.next}."]
    return [*lines, f"All of it is {sample.done_word}."]


def to_be_drawn(planned: PlannedDraw, room: int) -> list[str]:
    """What a first draw would take of each stratum, in so many cells."""
    of = planned.what.strata
    units = f"{many(len(planned.what.drawn), planned.frame.word)} would be drawn"
    if planned.frame.clusters:
        units = f"{units}, {many(len(planned.traces), 'trace')} in all"
    if len(of) == 1:
        return [f"{units}, of {planned.what.frame:,}."]
    rows = [(str(one["name"]), [int(one["units"]), int(one["drawn"])]) for one in of]
    total = (planned.what.frame, len(planned.what.drawn))
    return [f"{units}:", *_table(("in all", "to draw"), rows, total, room)]


def expected_text(widths: Sequence[ExpectedWidth], n: int, room: int) -> Iterator[str]:
    """How sure the result of n audits will be, by what the judge says, in so many cells."""
    if not widths:
        yield NOBODY
        return
    if n >= widths[0].frame:
        yield "All of it would be audited: nothing is left to estimate."
        return
    yield f"How near {n:,} audits come to what checking all of them would give"
    yield "(in 95 of 100 samples), by themselves, and helped by a fair judge:"
    longest = max(NAME, *(cell_width(width.trait) for width in widths[:TOLD]))
    named = min(longest, max(NAME, room - ESTIMATE))
    for width in widths[:TOLD]:
        alone, helped = _half(width.half(n)), _half(width.half(n, HALF_HELP))
        yield f"  {column(width.trait, named)} {width.measure:>12}  ± {alone}  ± {helped}"
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
    yield _line("group", heads, width)
    for name, figures in rows:
        yield _line(name, map(_number, figures), width)
    if len(rows) > 1:
        yield _line("all", map(_number, total), width)


def _number(figure: int) -> str:
    return f"{figure:,}"


def _line(name: str, figures: Iterable[str], width: int) -> str:
    return column(name, width) + "".join(figure.rjust(NUMBER) for figure in figures)
