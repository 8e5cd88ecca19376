"""What a judge is told beyond the cell it is asked about.

The template in force, and examples a person has checked.

Examples are chosen by a hash of seed, trait and trace: the same audit gives the same ones, and
neither what a judge said nor how often it was overruled has a say. Preferring corrected cells would
take the judge's worst out of its own figures, because cells that were shown are left out of them.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from appellate.core.briefing import Briefing, Example
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.store.cells import ReviewedCell, signed_off
from appellate.store.workspace import Workspace
from appellate.traits.prompts import Prompts, over


class Briefings:
    """The briefing of each cell of a run.

    Which examples there are is settled when a trait first comes up.
    """

    def __init__(
        self, workspace: Workspace, prompts: Prompts | None = None, few_shot: int = 0
    ) -> None:
        """`prompts` go before the rubric's own."""
        self._workspace = workspace
        self._prompts = over(workspace.rubric.prompts, prompts or {})
        self._few_shot = few_shot
        self._pools: dict[str, tuple[Example, ...]] = {}

    def of(self, subject: Subject, trace: Trace) -> Briefing:
        """What a judge is told about this cell."""
        return Briefing(
            self._prompts.get(subject.kind.name, {}), self._examples(subject.trait, trace)
        )

    def _examples(self, trait: Any, trace: Trace) -> tuple[Example, ...]:
        if not self._few_shot:
            return ()
        known = trait.sha256()
        if known not in self._pools:
            self._pools[known] = examples(self._workspace, trait, self._few_shot + 1)
        others = [example for example in self._pools[known] if example.trace.id != trace.id]
        return tuple(others[: self._few_shot])


def examples(workspace: Workspace, trait: Any, count: int, seed: int = 0) -> tuple[Example, ...]:
    """Signed-off cells of a trait, each of another trace id, in the order of their hashes."""
    found: dict[str, Example] = {}
    known = signed_off(workspace.path, trait.name)
    for signed in sorted(known, key=lambda one: _rank(one, trait.name, seed)):
        if len(found) == count:
            break
        if signed.id in found:
            continue
        if example := _example(workspace, signed, trait):
            found[signed.id] = example
    return tuple(found.values())


def _rank(signed: ReviewedCell, trait: str, seed: int) -> bytes:
    whole = "\0".join((str(seed), trait, signed.id, str(signed.epoch)))
    return hashlib.sha256(whole.encode()).digest()


def _example(workspace: Workspace, signed: ReviewedCell, trait: Any) -> Example | None:
    """The cell as an example, unless it is blank or its trait is another one of that name."""
    trace, cell = workspace.cell(signed.cell)
    kind = cell.subject.kind
    if cell.subject.trait != trait or cell.labels == kind.blank:
        return None
    return Example(workspace.rubric.asked(trace), _table(kind.write(cell.labels)))


def _table(written: Mapping[str, Any]) -> dict[str, Any]:
    return {**written["audited"], "items": written.get("items", [])}
