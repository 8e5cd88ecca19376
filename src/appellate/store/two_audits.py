"""Two audits of the same rubric and traces beside each other: which cells can be compared, and in
sentences what cannot.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from appellate.core.agreement import Answers
from appellate.core.cell import Cell
from appellate.core.kind import Instruction, KnownTrait
from appellate.core.problem import Problem, Unusable, quoted
from appellate.core.trace import Trace, TraceKey, name_of
from appellate.core.wordforms import many
from appellate.store.audit import Audit, AuditedCell
from appellate.store.open_audit import differences

_ASIDE = {"judgments", "metadata", "cluster", "model"}
"""What may differ in a trace: no reviewer rules by it."""
_NAMED = 3


class AuditSide(NamedTuple):
    """One of two audits: where it is, and what it is called beside the other."""

    path: Path
    audit: Audit
    name: str


class CellPair(NamedTuple):
    """A cell as each of two reviewers left it: both stand by theirs."""

    one: Cell
    other: Cell

    @property
    def is_blind(self) -> bool:
        """Whether both ruled before they saw the judge's."""
        return self.one.ruled is not None and self.other.ruled is not None

    def answers(self) -> Iterator[tuple[Instruction, Answers]]:
        """How each answers every question of the cell; of a blind pair, in the verdicts."""
        one, other = self.one.answers, self.other.answers
        if self.is_blind:
            one, other = self.one.verdict_answers, self.other.verdict_answers
        for instruction, answer in one.items():
            if instruction in other:
                yield instruction, (answer, other[instruction])

    @property
    def differs(self) -> bool:
        """Whether the labels that both stand by now answer any question otherwise."""
        return dict(self.one.answers) != dict(self.other.answers)


@dataclass(frozen=True)
class TwoAudits:
    """What two audits have in common: `pairs` in the order of the first, `told` what differs, in
    sentences, `signed` the cells that each signed off among those in both.
    """

    one: AuditSide
    other: AuditSide
    pairs: Sequence[CellPair]
    told: Sequence[str]
    cells: int
    signed: tuple[int, int]


def beside(one: tuple[Path, Audit], other: tuple[Path, Audit]) -> TwoAudits:
    """Two audits beside each other; raises Unusable, with every reason, where no cell can be
    compared.
    """
    names = _names(one, other)
    sides = AuditSide(*one, names[0]), AuditSide(*other, names[1])
    matching = _Matching(*sides)
    pairs, both = matching.pairs(), matching.both
    if not pairs:
        raise _nothing(sides, matching)
    signed = sum(_stands(a) for a, _ in both), sum(_stands(b) for _, b in both)
    return TwoAudits(*sides, pairs, matching.told(), len(both), signed)


def _names(one: tuple[Path, Audit], other: tuple[Path, Audit]) -> tuple[str, str]:
    """What tells one reviewer from the other: their names, or those of the files."""
    names = [", ".join(audit.reviewers) for _, audit in (one, other)]
    if all(names) and names[0] != names[1]:
        return names[0], names[1]
    files = [path.name.removesuffix(".audit.toml") for path, _ in (one, other)]
    if files[0] == files[1]:
        files = [str(path) for path, _ in (one, other)]
    return files[0], files[1]


def _stands(cell: Cell) -> bool:
    return cell.signed is not None


class _Matching:
    """Finds the cells of two audits that belong together, and notes what keeps others apart."""

    def __init__(self, one: AuditSide, other: AuditSide) -> None:
        self._sides = one, other
        self._traces = {trace.key: trace for trace in other.audit.traces}
        self._cells = {_key(audited): audited.cell for audited in other.audit.cells}
        self._otherwise: dict[str, list[str]] = {}
        self._traits: dict[str, None] = {}
        self.both: list[tuple[Cell, Cell]] = []

    def pairs(self) -> list[CellPair]:
        """The cells that both signed off, about the same trace under the same trait."""
        fitting = {trace.key for trace in self._sides[0].audit.traces if self._fits(trace)}
        for audited in self._sides[0].audit.cells:
            cell = self._cells.get(_key(audited))
            if cell is not None and audited.trace.key in fitting and self._asks(audited.cell, cell):
                self.both.append((audited.cell, cell))
        return [CellPair(*both) for both in self.both if all(map(_stands, both))]

    def _fits(self, trace: Trace) -> bool:
        """Whether both have the trace, with the same response to the same question."""
        there = self._traces.get(trace.key)
        if there is None:
            return False
        one, other = trace.model_dump(exclude=_ASIDE), there.model_dump(exclude=_ASIDE)
        keys = [key for key in one if json.dumps(one[key]) != json.dumps(other[key])]  # NaN
        for key in keys:
            self._otherwise.setdefault(key, []).append(name_of(*trace.key))
        return not keys

    def _asks(self, one: Cell, other: Cell) -> bool:
        """Whether two cells are under traits that ask the same."""
        here, there = one.subject, other.subject
        if here.trait == there.trait:
            return True
        name = quoted(here.trait.name)
        if here.kind is not there.kind:
            told = f"The trait {name} is of another kind in each: it is not compared."
            self._traits[told] = None
            return False
        keys = ", ".join(differences(here.trait.to_file(), there.trait.to_file(), name))
        same: bool = here.kind.proposes_the_same(here.trait, there.trait)
        if same:
            told = f"The trait {name} is measured otherwise in each ({keys}): answers are compared."
        else:
            told = f"The trait {name} is another in each ({keys}): it is not compared."
        self._traits[told] = None
        return same

    def told(self) -> list[str]:
        """What differs between the two, a sentence each."""
        return [*self._traits, *self._of_traits(), *self._of_traces()]

    def _of_traits(self) -> Iterator[str]:
        held = [_traits(side.audit) for side in self._sides]
        for side, here, there in zip(self._sides, held, reversed(held), strict=True):
            alone = [quoted(name) for name in here if name not in there]
            if alone:
                yield f"Only {side.path.name} has the {_listed(alone, 'trait')}."

    def _of_traces(self) -> Iterator[str]:
        for key, names in self._otherwise.items():
            listed = _listed(names, "trace")
            yield f"The {key} is another in each in {listed}: not compared."
        keys = [{trace.key for trace in side.audit.traces} for side in self._sides]
        for side, there in zip(self._sides, reversed(keys), strict=True):
            alone = [name_of(*one.key) for one in side.audit.traces if one.key not in there]
            if alone:
                yield f"Only {side.path.name} has {_listed(alone, 'trace')}."


def _key(audited: AuditedCell) -> tuple[TraceKey, str]:
    return audited.trace.key, audited.cell.subject.trait.name


def _traits(audit: Audit) -> Mapping[str, KnownTrait]:
    return {known.trait.name: known for known in audit.rubric.every_trait()}


def _listed(names: Sequence[str], what: str) -> str:
    """`2 traces (a, b)`."""
    told = ", ".join(names[:_NAMED])
    if len(names) > _NAMED:
        told += f" and {len(names) - _NAMED:,} more"
    return f"{many(len(names), what)} ({told})"


def _nothing(sides: Sequence[AuditSide], matching: _Matching) -> Unusable:
    """Why no cell can be compared."""
    place = str(sides[1].path)
    wrong = f"nothing in it can be compared with {sides[0].path}"
    problems = [Problem(place, "", wrong)]
    problems += [Problem(place, "", told.rstrip(".")) for told in matching.told()]
    if matching.both:
        counts: list[str] = []
        for at, side in enumerate(sides):
            signed = sum(_stands(both[at]) for both in matching.both)
            counts.append(f"{signed} in {side.path.name}")
        cells = many(len(matching.both), "cell")
        told = f"of {cells} in both, none is signed off in both: {' and '.join(counts)}"
        problems.append(Problem(place, "", told, "sign cells off in both"))
    return Unusable(problems)
