"""A metric cell as the checklist it is: one line per instruction, and how it stands.

Only another look at the same buckets: what a person turns here is moved, dropped and added there.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from appellate.traits.metric.labels import BUCKETS, Bucket, List
from appellate.traits.metric.ledger import buckets_of, lists
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.telling import link_mark
from appellate.traits.metric.view import ItemRow

Standing = Literal["found", "missing", "present", "absent", "both", "open"]
Listing = Mapping[Bucket, Sequence[ItemRow]]
STANDS: dict[Bucket, Standing] = {"tp": "found", "fn": "missing", "fp": "present", "tn": "absent"}


@dataclass(frozen=True, slots=True)
class ChecklistEntry:
    """An instruction, the excerpts that answer it, and what FN or TN holds of it."""

    of: List
    number: int
    text: str
    excerpts: tuple[ItemRow, ...]
    held: tuple[ItemRow, ...]

    @property
    def items(self) -> tuple[ItemRow, ...]:
        return (*self.excerpts, *self.held)

    @property
    def mark(self) -> str:
        return link_mark(self.of, self.number)

    @property
    def standing(self) -> Standing:
        if self.excerpts and self.held:
            return "both"
        return STANDS[self.items[0].bucket] if self.items else "open"


def entries(trait: MetricRubricTrait, listed: Listing, of: List) -> list[ChecklistEntry]:
    """A line for each instruction of a list."""
    yes, no = (_by_number(listed.get(bucket, ()), of) for bucket in buckets_of(of))
    texts = enumerate(trait.instructions(of), 1)
    return [
        ChecklistEntry(of, number, text, yes.get(number, ()), no.get(number, ()))
        for number, text in texts
    ]


def _by_number(items: Sequence[ItemRow], of: List) -> dict[int, tuple[ItemRow, ...]]:
    found: dict[int, list[ItemRow]] = {}
    for row in items:
        if row.item.link and row.item.of == of:
            found.setdefault(row.item.link[1], []).append(row)
    return {number: tuple(held) for number, held in found.items()}


def apart(trait: MetricRubricTrait, listed: Listing) -> list[ItemRow]:
    """The items that stand on no instruction's line: unlinked, hints, wrong candidates of a
    `tp_only` trait.
    """
    shown = {(bucket, of) for of in lists(trait) for bucket in buckets_of(of)}
    return [
        row
        for bucket in BUCKETS
        for row in listed.get(bucket, ())
        if (bucket, row.item.of) not in shown
    ]


def counted(of: List, held: Sequence[ChecklistEntry]) -> list[tuple[Standing, int]]:
    """How many lines of a list stand how: the two that should be, and what else there is."""
    counts = Counter(entry.standing for entry in held)
    usual = [STANDS[bucket] for bucket in buckets_of(of)]
    amiss: list[Standing] = ["both", "open"]
    return [
        (standing, counts[standing])
        for standing in [*usual, *(one for one in amiss if counts[one])]
    ]
