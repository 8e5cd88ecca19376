"""Verdicts to read before they are believed: of responses that address the judge, of models that
answered for another, and of people and judges who read what was changed since.

`judge`, `check --lint`, `metrics` and the report say them by the sentences here, with the cells.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.core.describe import (
    describe_moved,
    describe_unsettled,
    members,
    other_models,
)
from appellate.core.problem import many
from appellate.core.trace import Trace, name_of
from appellate.injection import passages_in_trace
from appellate.numbers.formatting import cut
from appellate.store.audits.audit import AuditedCell

CELLS = 5
"""Cells that a sentence names; the report and JSON have them all."""
_REASON = 120
"""Characters of why a member of a panel gave no labels."""


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


class FailedMember(Struct, frozen=True):
    """A member of a panel that gave no labels to some cells, where the others decided."""

    name: str
    asked: int
    """Cells that a panel with this member judged."""
    cells: Sequence[tuple[str, str, str]]
    """The trace, with its epoch where it is not the first, the trait, and why."""


class Suspicions(Struct, frozen=True):
    """What to look at in an audit, in the order of its cells."""

    addressed: Sequence[SuspiciousCell]
    other_models: Sequence[OtherModel]
    unsettled: Sequence[ChangedCell] = ()
    """Cells that were signed off or ruled on over what was changed since."""
    moved: Sequence[ChangedCell] = ()
    """Cells whose text was changed after it was judged."""
    failed_members: Sequence[FailedMember] = ()
    edits: Sequence[str] = ()
    """What the history of an audit without a sample tells of edits by hand, in clauses."""

    @property
    def texts(self) -> list[str]:
        """Sentences for each sort of suspicion, with the first cells; empty if there is none.

        Each model that answered for another has its own, and each member of a panel that gave no
        labels. At most `CELLS` cells are named in each, and the others counted.
        """
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
        for other_model in self.other_models:
            names = [f"{trace} · {trait}" for trace, trait in other_model.cells[:CELLS]]
            text = other_model_text(
                other_model.asked,
                other_model.served,
                names,
                len(other_model.cells),
            )
            texts.append(text)
        texts += map(failed_member_text, self.failed_members)
        return texts


class SuspicionSearch:
    """Finds what to look at in an audit, one cell after the other.

    Who judged a hidden cell stays hidden.
    """

    def __init__(self) -> None:
        self._trace: Trace | None = None
        self._passages = 0
        self._addressed: list[SuspiciousCell] = []
        self._other_models: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self._failed_members: dict[str, list[tuple[str, str, str]]] = {}
        self._asked_members: Counter[str] = Counter()
        self._unsettled: list[ChangedCell] = []
        self._moved: list[ChangedCell] = []

    def add(self, audited: AuditedCell) -> None:
        """Gather what is suspicious about a cell, if anything is.

        That may be passages of its trace that address the judge, models that answered for others,
        and members of a panel that gave no labels. It may also be what was changed since a person
        settled the cell, or since the judge read its text. Of a hidden judge no models and members
        are gathered. Cells of one trace must come one after the other, as its passages are searched
        once.
        """
        cell = audited.cell
        trace = audited.trace
        trait = cell.subject.trait.name
        if self._trace is None or trace.key != self._trace.key:
            self._trace = trace
            self._passages = passages_in(trace)
        if self._passages:
            self._addressed.append(
                SuspiciousCell(trace.id, trace.epoch, trait, self._passages),
            )
        if cell.judge and not cell.hidden:
            for models in other_models(cell.judge.judge):
                cells = self._other_models.setdefault(models, [])
                cells.append((name_of(trace.id, trace.epoch), trait))
            for member in members(cell.judge.judge):
                self._asked_members[member.name] += 1
                if member.error:
                    failed_cells = self._failed_members.setdefault(member.name, [])
                    failed_cells.append(
                        (name_of(trace.id, trace.epoch), trait, member.error),
                    )
        self._unsettled += changes_of(audited, describe_unsettled)
        self._moved += changes_of(audited, describe_moved)

    def gathered(self, edits: Sequence[str] = ()) -> Suspicions:
        """Return what was found so far, with the edits by hand that the history tells of.

        `edits` are clauses, which are taken as they are. The search may go on; lists of cells are
        not copied, so they grow with it.
        """
        models = []
        for (asked_model, served), cells in self._other_models.items():
            models.append(OtherModel(asked_model, served, cells))
        failed_members = [
            FailedMember(name, self._asked_members[name], cells)
            for name, cells in self._failed_members.items()
        ]
        return Suspicions(
            self._addressed,
            models,
            self._unsettled,
            self._moved,
            failed_members,
            edits,
        )


def changes_of(
    audited: AuditedCell,
    changed: Callable[[Cell], str],
) -> Iterator[ChangedCell]:
    """Yield a cell if `changed` returns a clause on what was changed of it; nothing for ""."""
    text = changed(audited.cell)
    if text:
        trace = audited.trace
        yield ChangedCell(trace.id, trace.epoch, audited.cell.subject.trait.name, text)


def passages_in(trace: Trace) -> int:
    """Return how many passages of a trace seem to address the judge; 0 if none does.

    They are found by their words, also in encoded text, and text in characters that nobody sees is
    one as well. The response is searched, and the other one of a pair, the question, and the
    messages of users and tools. Messages of assistants and systems are not. A message that repeats
    the question is passed over.
    """
    other_response = "" if trace.other is None else trace.other.response
    responses = f"{trace.response}\n\n{other_response}"
    return passages_in_trace(responses, trace.question or "", trace.messages or ())


def addressed_text(names: Sequence[str], count: int) -> str:
    """Return the sentences on so many cells whose traces address the judge, with the first names.

    `names` are those to be named, and `count` is that of all, at least 1; the others are counted.
    """
    traces = "the trace of 1 cell"
    if count > 1:
        traces = f"the traces of {count:,} cells"
    cells = _names_with_rest(names, count)
    return (
        f"Passages that may address the judge are in {traces}: {cells}. Read them before you trust"
        " these verdicts (the filter is:suspicious finds the cells)."
    )


def unsettled_text(names: Sequence[str], count: int) -> str:
    """Return the sentences on cells in which something was changed after people settled them.

    `names` are the first ones with the change, and `count` is that of all, at least 1; the others
    are counted. They say how to make the cells count again.
    """
    settled = many(count, "sign-off or ruling does", "sign-offs and rulings do")
    cells = _names_with_rest(names, count)
    return (
        f"{settled} not count any more: {cells}. Put back what was changed, or read it and sign it"
        " off again (the filter is:unsettled finds the cells)."
    )


def moved_text(names: Sequence[str], count: int) -> str:
    """Return the sentences on so many cells whose text is not the one that was judged.

    `names` are the first ones, and `count` is that of all, at least 1; the others are counted.
    """
    cells = _names_with_rest(names, count)
    return (
        f"Labels of {many(count, 'cell')} are of another text: {cells}. Excerpts may stand"
        " elsewhere in it: put it back, or judge it again."
    )


def other_model_text(
    asked_model: str,
    served: str,
    names: Sequence[str],
    count: int,
) -> str:
    """Return the sentence on a model that answered for another in so many cells.

    `asked_model` was asked and `served` answered. `names` are the first of the cells, and `count`
    is that of all.
    """
    cells = many(count, "cell")
    return (
        f"{asked_model} was asked, and {served} answered, in {cells}:"
        f" {_names_with_rest(names, count)}."
    )


def failed_member_text(member: FailedMember) -> str:
    """Return the sentences on a member of a panel that gave no labels, with its most common reason.

    They say in how many of the cells that it was asked about. The first `CELLS` of the cells are
    named, and the others counted. The reason is cut. There must be such a cell.
    """
    count = len(member.cells)
    names = [f"{trace} · {trait}" for trace, trait, _ in member.cells[:CELLS]]
    counts_by_reason = Counter(reason for _, _, reason in member.cells)
    ((commonest_reason, _),) = counts_by_reason.most_common(1)
    asked = many(member.asked, "cell")
    cells = _names_with_rest(names, count)
    reason = cut(commonest_reason, _REASON)
    return (
        f"{member.name} gave no labels in {count:,} of {asked} of its panel,"
        f" where the others decide: {cells}. {reason}"
    )


def _names_with_rest(names: Sequence[str], count: int) -> str:
    """Return the names of the first cells, joined by commas, and how many more there are.

    `count` is how many cells there are in all.
    """
    text = ", ".join(names)
    rest = count - len(names)
    if rest > 0:
        text += f" and {rest:,} more"
    return text
