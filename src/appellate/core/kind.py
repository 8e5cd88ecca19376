"""What a trait kind must supply for its cells to be judged, corrected, measured and written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from appellate.core.briefing import Briefing
from appellate.core.trace import Trace
from appellate.talk.dialogue import Dialogue


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


class Vote(NamedTuple):
    """The members of a panel, by place, that say an instruction is answered, that it is not, and neither."""

    found: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    unclear: tuple[int, ...] = ()

    @property
    def verdict(self) -> str:
        """What most of those who voted say; where they are even, what the first of them says."""
        if len(self.found) != len(self.missing):
            return "found" if len(self.found) > len(self.missing) else "missing"
        return "unclear" if not self.found else "found" if self.found[0] < self.missing[0] else "missing"

    @property
    def split(self) -> bool:
        """Whether the members say different things."""
        return sum(map(bool, self)) > 1


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

    def asked(self, trait: Any, labels: Any, edit: Mapping[str, Any]) -> Mapping[str, Any]:
        """An edit that is asked for now as it is kept; raises Refused for what only earlier versions may have kept."""

    def correct(self, trait: Any, response: str, labels: Any, edit: Mapping[str, Any]) -> Outcome:
        """The labels after one edit; raises Refused with what to do instead."""

    def anchor(self, trait: Any, labels: Any, edit: Mapping[str, Any]) -> Any:
        """What an edit of these labels is about, in words that hold for other labels and a changed trait."""

    def carried(self, trait: Any, labels: Any, edit: Mapping[str, Any], anchor: Any) -> Mapping[str, Any] | None:
        """The same edit for other labels: {} where they say so already, None where its item is not among them."""

    def asks_the_same(self, trait: Any, other: Any) -> bool:
        """Whether a judge is asked the same under two versions of a trait."""

    def restored(self, table: Mapping[str, Any]) -> Any:
        """A trait from its table in a rubric file."""

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

    def majority(self, trait: Any, response: str, tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The table of what most of a panel's located tables hold; even votes go with the first."""

    def votes(self, trait: Any, response: str, tables: Sequence[Mapping[str, Any]]) -> Mapping[tuple[str, int], Vote]:
        """By list and number of each instruction, which of the located tables say what."""

    def disagreement(self, trait: Any, response: str, tables: Sequence[Mapping[str, Any]]) -> float:
        """How far a panel's located tables differ: from 0, where all agree, to 1."""

    def tell(self, edit: Mapping[str, Any], before: str, after: str) -> str:
        """An edit in plain words, in the past tense."""

    def written(self, labels: Any) -> dict[str, Any]:
        """The labels' part of a judgment in the audit file (its `audited` and `items`)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What a cell is about: one trait of one kind, applied to one response; `earlier` are versions by their hash."""

    kind: Kind
    trait: Any
    response: str
    earlier: Mapping[str, Any] = field(default_factory=dict)

    def under(self, sha256: str) -> "Subject":
        """The same with the trait as it was; raises KeyError for a version that nobody knows."""
        return replace(self, trait=self.earlier[sha256])
