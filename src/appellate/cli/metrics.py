"""`appellate metrics`: the numbers of an audit, per trait, over all its traces; for people, as JSON
or as CSV.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap

from msgspec.structs import replace

from appellate.cli.outcome import Exit, say, show
from appellate.cli.text_table import clipped, text_lines
from appellate.core.agreement import ENOUGH
from appellate.core.breakdown import Breakdown, SideFigures, reduced
from appellate.core.figures import FigureRow, FigureTable
from appellate.core.inert import visible
from appellate.core.kind import Measure
from appellate.core.problem import many, quoted
from appellate.core.scale import full_name
from appellate.core.totals import AS_THEY_STAND, SIGNED_OFF
from appellate.numbers import comparing, measured
from appellate.numbers.data import figures_csv
from appellate.numbers.estimate_page import HEADING, estimate_page
from appellate.numbers.formatting import cut, figure, mean
from appellate.numbers.measured import asides_of, broken_down, document
from appellate.numbers.sample_numbers import SampleNumbers, numbers_table
from appellate.numbers.samples import sampled_in
from appellate.numbers.sentences import panel_text, sample_text
from appellate.query.language import META
from appellate.stats.aggregates import REDUCERS
from appellate.store.audits.audit import Audit, load_audit
from appellate.store.breakdowns import BY, is_grouping
from appellate.store.files.text_file import unusable

_NAMED = 24
_SHOWN = {"n": 5, "judge": 7, "people": 8, "corrected": 11, "95 %": 14, "judge's": 9}
"""The columns that there is room for, and how much of it."""


def worth_lines(found: SampleNumbers) -> Iterator[str]:
    """All that a sample says."""
    yield HEADING
    yield from _sentences(sample_text(found.at))
    for place, block in enumerate(estimate_page(found)):
        yield ""
        if not isinstance(block, FigureTable):
            yield from _sentences(*(one.text for one in block.texts))
            continue
        if place:
            yield f"  {block.heading}:"
        if block.in_sentences:
            yield from _sentences(*(row.detail for row in block.rows))
        else:
            yield from _estimates(block)
        yield from _sentences(*block.notes, *block.in_words)


def _estimates(table: FigureTable) -> Iterator[str]:
    """A row for each number, below its name where that is long, and what the columns are."""
    yield f"  {'':{_NAMED}}{''.join(f'{head:>{room}}' for head, room in _SHOWN.items())}"
    for row in table.rows:
        name = cut(row.name, _WIDTH - 2)
        if len(name) > _NAMED:
            yield f"  {name}"
            name = ""
        yield f"  {name:{_NAMED}}{_printed(table, row)}"
    if table.legend:
        yield ""
        yield from _sentences(table.legend)


def _printed(table: FigureTable, row: FigureRow) -> str:
    shown = {}
    for column, one in zip(table.columns, row.figures, strict=True):
        shown[column.title] = one.text
    if row.wanting:
        return f"{shown['n'].rjust(_SHOWN['n'])}  {row.wanting}"
    return "".join(shown[title].rjust(room) for title, room in _SHOWN.items())


def grouping(given: str | None) -> str:
    """What is grouped by, "" for nothing; raises Unusable."""
    if given is None or is_grouping(given):
        return given or ""
    right = f"it would be {', '.join(BY)}, or a key of the metadata as {META}site"
    raise unusable("--by", f"traces cannot be grouped by {quoted(given)}", right)


def reducers(given: Sequence[str] | None) -> Sequence[str]:
    """How epochs are reduced; raises Unusable."""
    for name in given or ():
        try:
            reduced(name, ())
        except ValueError:
            right = f"it would be one of {', '.join(REDUCERS)}, where K is a number from 1"
            raise unusable("--reducer", f"{quoted(name)} reduces no epochs", right) from None
    return given or measured.REDUCERS


NAME = 12  # characters of a measure's name, at the least
WORST = 10
"""Instructions that are told: those overruled most."""
_WIDTH = 80
_SHORT = ("sens.", "prec.", "spec.", "prev.")
"""`Rates` where a line has 80 characters."""


def metrics(arguments: argparse.Namespace) -> Exit:
    by, wanted = grouping(arguments.by), reducers(arguments.reducer)
    audit = load_audit(Path(arguments.audit))
    traits = broken_down(audit, by, wanted)
    sampled = sampled_in(audit, by)
    if arguments.json:
        show(_as_json(by, traits, sampled))
    elif arguments.csv:
        show(figures_csv(traits, sampled).rstrip("\n"))
    else:
        show(visible("\n".join(_lines_of(traits, sampled)).rstrip()) or "This audit has no cells.")
    say(*_left_out(arguments, audit, traits))
    return Exit.DONE


def _left_out(
    arguments: argparse.Namespace, audit: Audit, traits: Sequence[Breakdown]
) -> Iterator[str]:
    """What was asked for and is not there, and cells that count in no number."""
    for trait in traits:
        if arguments.by and not any(group.name for group in trait.groups):
            wrong = f"no trace says anything of {arguments.by}, so there are no groups"
            yield f"{trait.trait}: {wrong}."
    if arguments.reducer and not any(trait.epochs for trait in traits):
        yield "--reducer: no trace was answered more than once by a model, so nothing was reduced."
    pending = sum(audited.cell.labels is None for audited in audit.cells)
    if pending:
        yield f"{pending} of {len(audit.cells)} cells have no labels yet and count in no number."


def _as_json(by: str, traits: Sequence[Breakdown], sampled: SampleNumbers | None) -> str:
    table = document(by, traits)
    if sampled:
        table["worth"] = numbers_table(sampled)
    return json.dumps(table, ensure_ascii=False, indent=2)


def _lines_of(traits: Sequence[Breakdown], sampled: SampleNumbers | None) -> Iterator[str]:
    if sampled:
        yield from worth_lines(sampled)
        yield ""
    for trait in traits:
        yield from _trait(trait)
        yield ""


def _trait(trait: Breakdown) -> Iterator[str]:
    whole = trait.whole
    rows = _figures(trait.measures, whole.sides)
    yield f"{trait.trait}   {whole.signed} of {whole.cells} cells signed off"
    sides = AS_THEY_STAND
    if whole.signed:
        sides = SIGNED_OFF
        yield "  The cells signed off, and the judge on the same cells:"
        yield from _table(rows, SIGNED_OFF)
    else:
        yield "  No cell is signed off: there are no audited numbers yet."
    yield ""
    yield from _sentences(
        "All cells as they are now, signed off or not, and the judge on every judged cell:"
    )
    yield from _table(rows, AS_THEY_STAND)
    yield from _unscored(trait)
    if whole.between:
        yield from _sentences(comparing.between_text(whole.between))
    yield from _asides(trait)
    for against, agreement in comparing.against_people(whole):
        yield ""
        yield from _sentences(comparing.agreement_text(agreement, against))
        if len(agreement.words) <= comparing.WORDS:
            yield from text_lines(comparing.pairs(agreement))
        if agreement.observed is not None:
            yield from text_lines(comparing.rates(agreement))
            yield from text_lines(comparing.coefficients(agreement))
    if trait.panel is not None:
        yield ""
        for sentence in panel_text(trait.panel):
            yield from _sentences(sentence)
        if trait.panel.n >= ENOUGH:
            yield from text_lines(comparing.members(trait.panel))
    for one in trait.epochs:
        by = cut(one.reducer)
        yield ""
        yield from _sentences(
            f"The epochs of each trace reduced to one value ({by}), then measured over traces:"
        )
        yield from _table(_figures(trait.measures, one.sides), sides, _EPOCHS)
    yield from _worst(trait)
    yield from _groups(trait, sides)


_Columns = Sequence[tuple[str, int, Callable[[SideFigures], str]]]
_CELLS: _Columns = (
    ("micro", 7, lambda side: mean(side.micro, side.n + side.undefined)),
    ("macro", 7, lambda side: mean(side.macro, side.n + side.undefined)),
    ("stderr", 8, lambda side: figure(side.stderr)),
    ("n", 6, lambda side: str(side.n)),
    ("0/0", 5, lambda side: str(side.undefined)),
)
_EPOCHS: _Columns = (
    ("macro", 7, lambda side: figure(side.macro)),
    ("stderr", 8, lambda side: figure(side.stderr)),
    ("n", 7, lambda side: str(side.n)),
    ("unscored", 10, lambda side: str(side.unscored)),
)
_Rows = Sequence[tuple[str, Mapping[str, SideFigures]]]


def _figures(measures: Sequence[Measure], sides: Mapping[str, Mapping[str, SideFigures]]) -> _Rows:
    """A row for each measure."""
    return [(full_name(measure), sides[measure.name]) for measure in measures]


def _table(rows: _Rows, sides: tuple[str, str], columns: _Columns = _CELLS) -> Iterator[str]:
    """People's numbers and the judge's, each with its n."""
    width = max([NAME, *(len(name) for name, _ in rows)])
    heads = "".join(f"{head:>{room}}" for head, room, _ in columns)
    people, judge = sides
    yield f"  {'':{width}}{people:>{len(heads)}}{judge:>{len(heads)}}"
    yield f"  {'':{width}}{heads}{heads}"
    for name, figures in rows:
        line = f"  {name:{width}}"
        for side in sides:
            for _, room, describe in columns:
                line += describe(figures[side]).rjust(room)
        yield line


def _unscored(trait: Breakdown) -> Iterator[str]:
    for measure in trait.measures:
        unscored = trait.whole.sides[measure.name]["standing"].unscored
        if unscored:
            text = many(unscored, "cell that nobody scored is", "cells that nobody scored are")
            yield f"  {text} in no number of {measure.name}."


def _asides(trait: Breakdown) -> Iterator[str]:
    for word, sides in asides_of(trait).items():
        if any(sides.values()):
            counted = ", ".join(f"{side} {count:,}" for side, count in sides.items())
            yield f"  Instructions, {trait.kind.spelled.get(word, word)}: {counted}."


def _worst(trait: Breakdown) -> Iterator[str]:
    """The instructions that a person overruled the judge on."""
    worst = [one for one in trait.instructions if one.stats.overruled]
    if not worst:
        return
    yield ""
    yield f"  Overruled most, of {many(len(trait.instructions), 'instruction')}:"
    yield f"    {'overruled':>9}{'answers':>9}  instruction"
    for one in worst[:WORST]:
        stats = one.stats
        counts = f"    {stats.overruled:>9,}{stats.cells:>9,}  "
        indent = " " * len(counts)
        yield from wrap(
            cut(stats.instruction), _WIDTH, initial_indent=counts, subsequent_indent=indent
        )
    rest = len(worst) - WORST
    if rest > 0:
        times = many(worst[WORST].stats.overruled, "time")
        yield f"    and {rest:,} more, overruled {times} at most"


def _groups(trait: Breakdown, sides: tuple[str, str]) -> Iterator[str]:
    if not trait.by:
        return
    shown = trait.groups[: comparing.GROUPS]
    for measure in trait.measures:
        yield ""
        yield f"  {full_name(measure)} by {cut(trait.by)}:"
        names = [clipped(comparing.group_name(group)) for group in shown]
        figures = [group.sides[measure.name] for group in shown]
        yield from _table(list(zip(names, figures, strict=True)), sides)
    compared = [group for group in shown if group.agreement.n]
    if compared:
        yield ""
        yield f"  The judge against the person, by {cut(trait.by)}:"
        table = comparing.agreement_table(trait.by, compared)
        yield from text_lines(replace(table, heads=(*table.heads[:6], *_SHORT)))
    rest = len(trait.groups) - len(shown)
    if rest > 0:
        yield f"  {rest:,} more are left out here; --json and --csv have them all."


def _sentences(*texts: str) -> Iterator[str]:
    """Sentences in the width that the tables have."""
    for text in texts:
        yield from wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
