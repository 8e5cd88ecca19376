"""Verdicts to read before they are believed: of responses that address the judge, and of models
that answered for another.

`judge`, `check --lint`, `metrics` and the report say them by the sentences here, with the cells.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from appellate.core.describe import other_models
from appellate.core.problem import many
from appellate.core.trace import Trace, name_of
from appellate.injection import passages_in_trace
from appellate.store.audits.audit import AuditedCell

CELLS = 5
"""Cells that a sentence names; the report and JSON have them all."""


class SuspiciousCell(Struct, frozen=True):
    """A cell whose trace seems to address the judge, in so many passages."""

    trace: str
    epoch: int
    trait: str
    passages: int

    @property
    def at(self) -> str:
        """The trace, with its epoch where it is not the first."""
        return name_of(self.trace, self.epoch)

    @property
    def describe(self) -> str:
        """The cell in words."""
        return f"{self.at} · {self.trait}"


class OtherModel(Struct, frozen=True):
    """A model that answered where another was asked for, and in which cells."""

    asked: str
    served: str
    cells: Sequence[tuple[str, str]]
    """The trace, with its epoch where it is not the first, and the trait."""


class Suspicions(Struct, frozen=True):
    """What to look at in an audit, in the order of its cells."""

    addressed: Sequence[SuspiciousCell]
    other_models: Sequence[OtherModel]

    @property
    def texts(self) -> list[str]:
        """A sentence for each sort of suspicion, with the first cells; none where there is none."""
        texts = []
        if self.addressed:
            names = [cell.describe for cell in self.addressed[:CELLS]]
            texts.append(addressed_text(names, len(self.addressed)))
        for other in self.other_models:
            names = [f"{trace} · {trait}" for trace, trait in other.cells[:CELLS]]
            text = other_model_text(other.asked, other.served, names, len(other.cells))
            texts.append(text)
        return texts


def suspicions(cells: Iterable[AuditedCell]) -> Suspicions:
    """Return what to look at in these cells; who judged a hidden cell stays hidden."""
    passages: dict[tuple[str, int], int] = {}
    addressed: list[SuspiciousCell] = []
    other: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for audited in cells:
        trace = audited.trace
        trait = audited.cell.subject.trait.name
        if trace.key not in passages:
            passages[trace.key] = passages_in(trace)
        if passages[trace.key]:
            addressed.append(SuspiciousCell(trace.id, trace.epoch, trait, passages[trace.key]))
        if audited.cell.judge and not audited.cell.hidden:
            for pair in other_models(audited.cell.judge.judge):
                other.setdefault(pair, []).append((name_of(trace.id, trace.epoch), trait))
    models = [OtherModel(asked, served, names) for (asked, served), names in other.items()]
    return Suspicions(addressed, models)


def passages_in(trace: Trace) -> int:
    """Return how many passages of a trace seem to address the judge."""
    return passages_in_trace(trace.response, trace.question or "", trace.messages or ())


def addressed_text(names: Sequence[str], count: int) -> str:
    """Return the sentence on so many cells whose traces address the judge, with the first names."""
    traces = "the trace of 1 cell"
    if count > 1:
        traces = f"the traces of {count:,} cells"
    return (
        f"Passages that may address the judge are in {traces}: {_named(names, count)}. Read them"
        " before you trust these verdicts (the filter is:suspicious finds the cells)."
    )


def other_model_text(asked: str, served: str, names: Sequence[str], count: int) -> str:
    """Return the sentence on a model that answered for another; `names` are its first cells."""
    cells = many(count, "cell")
    return f"{asked} was asked, and {served} answered, in {cells}: {_named(names, count)}."


def _named(names: Sequence[str], count: int) -> str:
    """Return the names of the first cells, and how many more there are."""
    text = ", ".join(names)
    if count > len(names):
        text += f" and {count - len(names):,} more"
    return text
