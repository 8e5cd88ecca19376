"""What parts of a report are made of, before any form: sentences, tables, pictures, lists of acts.

Texts in them are inert and cut, and not yet escaped.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from appellate.core.agreement import Agreement
from appellate.report.contents import ActReport, Metric, Sides, TraitReport
from appellate.worth.worths import Worth


@dataclass(frozen=True, slots=True)
class Sentence:
    """A remark on what stands around it."""

    text: str


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows under heads; the columns from `figures` on hold figures."""

    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    figures: int = 99


@dataclass(frozen=True, slots=True)
class Bars:
    """A trait's metrics, people's side beside the judge's."""

    trait: TraitReport
    sides: Sides


@dataclass(frozen=True, slots=True)
class Spread:
    """How the cells of two sides are spread over a trait's headline metric."""

    metric: Metric
    sides: Sides


@dataclass(frozen=True, slots=True)
class Shares:
    """A trait's instructions, how often found and missing."""

    trait: TraitReport


@dataclass(frozen=True, slots=True)
class Acts:
    """Acts one below the other, with whole texts; `verb` says what they did with them."""

    acts: Sequence[ActReport]
    verb: str


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often the judge's answer met each answer of the person."""

    agreement: Agreement


@dataclass(frozen=True, slots=True)
class GroupMeans:
    """A trait's headline metric in each group, people's side beside the judge's, with its error."""

    trait: TraitReport
    sides: Sides


@dataclass(frozen=True, slots=True)
class EstimatePlot:
    """Corrected estimates with their intervals, those of people alone and the judge's beside."""

    found: Sequence[Worth]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text for another program, as it is; all of it is ours."""

    text: str


Picture = Bars | Spread | Shares | Confusion | GroupMeans | EstimatePlot
Block = Sentence | ReportTable | Acts | Verbatim | Picture


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One part; `anchor` is made of our own words and numbers only. Not `open` means folded."""

    anchor: str
    title: str
    blocks: tuple[Block, ...]
    open: bool = False
