"""What a trait kind must supply for its cells to be judged, corrected, measured and written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from appellate.core.dialogue import Briefing, Dialogue
from appellate.core.trace import Trace


class Outcome(NamedTuple):
    """Labels after an edit, and the edited item's text before and after."""

    labels: Any
    before: str
    after: str


class Figures(NamedTuple):
    """What labels measure to: metric values, which of them are 0/0, and the counts behind them."""

    values: dict[str, float]
    undefined: frozenset[str]
    counts: dict[str, int]


class Instruction(NamedTuple):
    """One instruction of a trait: its list, its place there (1-based) and its words."""

    of: str
    number: int
    text: str


class Kind(Protocol):
    """One kind of trait. Labels are opaque to the core; tables are their shape in files."""

    name: str
    short: Mapping[str, str]
    """Every metric of the kind, in the order it is told, with a name for where there is little room."""

    def dialogue(self, trait: Any, trace: Trace, briefing: Briefing) -> Dialogue[dict[str, Any]]:
        """The talk with a model that ends with a judge's table."""

    def lexical(self, trait: Any, response: str) -> dict[str, Any]:
        """A judge's table by comparing words, without a model."""

    def locate(self, trait: Any, response: str, table: Mapping[str, Any]) -> dict[str, Any]:
        """A judge's table with its links and offsets found."""

    def labels(self, trait: Any, response: str, table: Mapping[str, Any]) -> Any:
        """The labels that a located table stands for."""

    def blank(self) -> Any:
        """Labels with nothing in them, for a cell filled by hand."""

    def is_blank(self, labels: Any) -> bool:
        """Whether the labels hold nothing."""

    def correct(self, trait: Any, response: str, labels: Any, edit: Mapping[str, Any]) -> Outcome:
        """The labels after one edit; raises Refused with what to do instead."""

    def measure(self, trait: Any, labels: Any) -> Figures:
        """The requested metrics of the labels as they stand."""

    def measure_table(self, trait: Any, table: Mapping[str, Any]) -> Figures:
        """The same, from the lists of a judge's table as the judge worded them."""

    def pooled(self, metric: str, counts: Mapping[str, int]) -> float | None:
        """The metric of counts added up over cells; None where it is 0/0."""

    def breaches(self, trait: Any, labels: Any) -> list[str]:
        """What is inconsistent in the labels, a sentence each; never changes a number."""

    def unverified(self, labels: Any) -> int:
        """How many excerpts were not found in the response."""

    def standing(self, trait: Any, labels: Any) -> Mapping[Instruction, str]:
        """How the labels answer each instruction: "found", "missing" or "unclear"."""

    def tell(self, edit: Mapping[str, Any], before: str, after: str) -> str:
        """An edit in plain words, in the past tense."""

    def written(self, labels: Any) -> dict[str, Any]:
        """The labels' part of a judgment in the audit file (its `audited` and `items`)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a cell is about: one trait of one kind, applied to one response."""

    kind: Kind
    trait: Any
    response: str
