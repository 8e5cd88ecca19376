"""What parts of a report are made of, before any form: sentences, tables, pictures, lists of acts.

Texts in them are inert and cut, and not yet escaped.
"""

from collections.abc import Sequence

from msgspec import Struct

from appellate.core.agreement import Agreement
from appellate.core.figures import Sentence
from appellate.numbers.estimates import Worth
from appellate.numbers.report import ActReport, Metric, Sides, TraitReport


class ReportTable(Struct, frozen=True):
    """Rows under heads; the columns from `figures` on hold figures."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    figures: int = 99


class Bars(Struct, frozen=True):
    """A trait's metrics, people's side beside the judge's."""

    trait: TraitReport
    sides: Sides


class Spread(Struct, frozen=True):
    """How the cells of two sides are spread over a trait's headline metric."""

    metric: Metric
    sides: Sides


class Shares(Struct, frozen=True):
    """A trait's instructions, how often found and missing."""

    trait: TraitReport


class Acts(Struct, frozen=True):
    """Acts one below the other, with whole texts; `verb` says what they did with them."""

    acts: Sequence[ActReport]
    verb: str


class Confusion(Struct, frozen=True):
    """How often the judge's answer met each answer of the person."""

    agreement: Agreement


class GroupMeans(Struct, frozen=True):
    """A trait's headline metric in each group, people's side beside the judge's, with its error."""

    trait: TraitReport
    sides: Sides


class EstimatePlot(Struct, frozen=True):
    """Corrected estimates with their intervals, those of people alone and the judge's beside."""

    found: Sequence[Worth]


class Verbatim(Struct, frozen=True):
    """Text for another program, as it is; all of it is ours."""

    text: str


Picture = Bars | Spread | Shares | Confusion | GroupMeans | EstimatePlot
Block = Sentence | ReportTable | Acts | Verbatim | Picture


class ReportSection(Struct, frozen=True):
    """One part; `anchor` is made of our own words and numbers only. Not `open` means folded."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    open: bool = False
