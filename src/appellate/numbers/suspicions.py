"""Verdicts to read before they are believed: of responses that address the judge, of models that
answered for another, and of people and judges who read what was changed since.

`judge`, `check --lint`, `metrics` and the report say them by the sentences here, with the cells.
"""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.core.describe import describe_moved, describe_unsettled, other_models
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


class ChangedCell(Struct, frozen=True):
    """A cell of which something was changed after somebody read it, and a clause that says what."""

    trace: str
    epoch: int
    trait: str
    changed: str

    @property
    def at(self) -> str:
        """The trace, with its epoch where it is not the first."""
        return name_of(self.trace, self.epoch)

    @property
    def describe(self) -> str:
        """The cell in words, with what was changed."""
        return f"{self.at} · {self.trait} ({self.changed})"


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
    unsettled: Sequence[ChangedCell] = ()
    """Cells that were signed off or ruled on over what was changed since."""
    moved: Sequence[ChangedCell] = ()
    """Cells whose text was changed after it was judged."""
    edits: Sequence[str] = ()
    """What the history of an audit without a sample tells of edits by hand, in clauses."""

    @property
    def texts(self) -> list[str]:
        """A sentence for each sort of suspicion, with the first cells; none where there is none."""
        texts = []
        if self.addressed:
            names = [cell.describe for cell in self.addressed[:CELLS]]
            texts.append(addressed_text(names, len(self.addressed)))
        if self.unsettled:
            names = [cell.describe for cell in self.unsettled[:CELLS]]
            texts.append(unsettled_text(names, len(self.unsettled)))
        if self.moved:
            names = [cell.describe for cell in self.moved[:CELLS]]
            texts.append(moved_text(names, len(self.moved)))
        if self.edits:
            texts.append(f"This file was edited by hand: {'; '.join(self.edits)}.")
        for other in self.other_models:
            names = [f"{trace} · {trait}" for trace, trait in other.cells[:CELLS]]
            text = other_model_text(other.asked, other.served, names, len(other.cells))
            texts.append(text)
        return texts


def suspicions(cells: Iterable[AuditedCell], edits: Sequence[str] = ()) -> Suspicions:
    """Return what to look at in these cells, and edits by hand that their history tells of.

    Who judged a hidden cell stays hidden.
    """
    passages: dict[tuple[str, int], int] = {}
    addressed: list[SuspiciousCell] = []
    other: dict[tuple[str, str], list[tuple[str, str]]] = {}
    cells = list(cells)
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
    unsettled = changed_cells(cells, describe_unsettled)
    moved = changed_cells(cells, describe_moved)
    return Suspicions(addressed, models, unsettled, moved, edits)


def changed_cells(
    cells: Iterable[AuditedCell], changed: Callable[[Cell], str]
) -> list[ChangedCell]:
    """Return the cells of which `changed` says in a clause what was changed; "" for nothing."""
    found: list[ChangedCell] = []
    for audited in cells:
        if text := changed(audited.cell):
            trace = audited.trace
            trait = audited.cell.subject.trait.name
            found.append(ChangedCell(trace.id, trace.epoch, trait, text))
    return found


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


def unsettled_text(names: Sequence[str], count: int) -> str:
    """Return the sentence on so many cells that were settled over what was changed since.

    `names` are the first ones.
    """
    verb = "does" if count == 1 else "do"
    return (
        f"{many(count, 'sign-off or ruling', 'sign-offs and rulings')} {verb} not count any more:"
        f" {_named(names, count)}. Put back what was changed, or read it and sign it off again (the"
        " filter is:unsettled finds the cells)."
    )


def moved_text(names: Sequence[str], count: int) -> str:
    """Return the sentence on so many cells whose text is not the one that was judged."""
    return (
        f"Labels of {many(count, 'cell')} are of another text: {_named(names, count)}. Excerpts may"
        " stand elsewhere in it: put it back, or judge it again."
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
