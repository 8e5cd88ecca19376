"""What several judges say of one cell, taken together: a vote on every instruction, and what most
of them hold.

Tables are located ones. An item that answers no instruction's line (a wrong candidate of a
`tp_only` trait, a hint, something unlinked) is the same for two members where its link is the same
and its words overlap in the response.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.describe import panel_of
from appellate.core.kind import Table
from appellate.core.trace import Trace
from appellate.traits.metric.labels import (
    BUCKETS,
    Bucket,
    Item,
    Labels,
    from_table,
    to_table,
)
from appellate.traits.metric.ledger import answers, buckets_of, lists
from appellate.traits.metric.spec import MetricRubricTrait

Held = Mapping[tuple[Bucket, Any], Sequence[Item]]


class Vote(NamedTuple):
    """The members of a panel, by place, that say an instruction is answered, that it is not, and
    neither.
    """

    found: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    unclear: tuple[int, ...] = ()

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Vote":
        """The vote of members by what each says."""
        members: defaultdict[str, list[int]] = defaultdict(list)
        for member, answer in enumerate(texts):
            members[answer].append(member)
        return cls(*(tuple(members[answer]) for answer in cls._fields))

    @property
    def verdict(self) -> str:
        """What most of those who voted say; where they are even, what the first of them says."""
        found, missing = self.found, self.missing
        if not found and not missing:
            return "unclear"
        if len(found) > len(missing) or (len(found) == len(missing) and found[0] < missing[0]):
            return "found"
        return "missing"

    @property
    def split(self) -> bool:
        """Whether the members say different things."""
        return sum(map(bool, self)) > 1


class PanelLabels(Struct, frozen=True, dict=True):
    """The members' labels of one trait, and their names where those are known."""

    trait: MetricRubricTrait
    members: tuple[Labels, ...]
    names: tuple[str, ...] = ()

    @cached_property
    def votes(self) -> dict[tuple[str, int], Vote]:
        """Of each instruction, which members say what."""
        fields: dict[tuple[str, int], list[str]] = {}
        for labels in self.members:
            for instruction, answer in answers(self.trait, labels).items():
                fields.setdefault((instruction.of, instruction.number), []).append(answer)
        return {link: Vote.of(each) for link, each in fields.items()}

    @cached_property
    def held(self) -> list[Held]:
        """Each member's items by their bucket and what they are linked to."""
        found: list[Held] = []
        for labels in self.members:
            held: defaultdict[tuple[Bucket, Any], list[Item]] = defaultdict(list)
            for bucket in BUCKETS:
                for item in labels.bucket(bucket):
                    held[bucket, item.link].append(item)
            found.append(dict(held))
        return found

    def backers(self, bucket: Bucket, item: Item) -> tuple[int, ...]:
        """The members that hold an item of this bucket; for one that answers an instruction, that
        vote so.
        """
        whole = self.answers(bucket, item)
        backers = []
        for member, held in enumerate(self.held):
            others = held.get((bucket, item.link), ())
            if others and (whole or _alike(item, others)):
                backers.append(member)
        return tuple(backers)

    def answers(self, bucket: Bucket, item: Item) -> bool:
        """Whether an item stands on an instruction's own line."""
        return item.of in lists(self.trait) and bucket in buckets_of(item.of)


def panel_from(trait: MetricRubricTrait, trace: Trace, tables: Iterable[Table]) -> PanelLabels:
    """The members of a panel by their located tables."""
    return PanelLabels(trait, tuple(from_table(trait, trace, table) for table in tables))


def panel_labels(cell: Cell) -> PanelLabels | None:
    """The labels of the panel that judged a cell; None where one judged alone."""
    given, subject = panel_of(cell), cell.subject
    if not given:
        return None
    panel = panel_from(subject.trait, subject.trace, [member.table for member in given])
    return replace(panel, names=tuple(member.name for member in given))


def majority(trait: MetricRubricTrait, trace: Trace, tables: Sequence[Table]) -> dict[str, Any]:
    """The table of what most members hold; where votes are even, what the first of them says."""
    panel = panel_from(trait, trace, tables)
    held: defaultdict[Bucket, list[Item]] = defaultdict(list)
    for (of, number), vote in panel.votes.items():
        bucket, missing_in = buckets_of(of)
        members = vote.found
        if vote.verdict != "found":
            bucket, members = missing_in, vote.missing
        held[bucket] += _chosen(panel, bucket, (of, number), members)
    for bucket in BUCKETS:
        held[bucket] += _held_by_most(panel, bucket)
    return to_table(Labels.of(held))


def _chosen(
    panel: PanelLabels, bucket: Bucket, link: tuple[str, int], members: Sequence[int]
) -> list[Item]:
    """The items of the first member that voted so, one whose excerpts all stand in the response
    before others.
    """
    each = _as_most([list(panel.held[place][bucket, link]) for place in members])
    for items in each:
        if all(item.span or item.omission for item in items):
            return items
    return each[0] if each else []


def _as_most(each: list[list[Item]]) -> list[list[Item]]:
    """Those members' items that deny an instruction, or meet it by omission, or those that do not,
    as most have it.
    """
    sides: dict[bool, list[list[Item]]] = {}
    for items in each:
        marked = any(item.denied or item.omission for item in items)
        sides.setdefault(marked, []).append(items)
    return max(sides.values(), key=len, default=[])  # of even ones what the first says


def _held_by_most(panel: PanelLabels, bucket: Bucket) -> list[Item]:
    """The items beside the instructions that most members hold, each in the words of the first that
    does.
    """
    kept: list[Item] = []
    for labels in panel.members:
        for item in labels.bucket(bucket):
            if panel.answers(bucket, item) or _alike(item, kept):
                continue
            backers, of = panel.backers(bucket, item), len(panel.members)
            if 2 * len(backers) > of or (2 * len(backers) == of and 0 in backers):
                kept.append(item)
    return kept


def _alike(item: Item, others: Iterable[Item]) -> bool:
    """Whether one of the others has its link and shares words with it."""
    for other in others:
        if item.link != other.link:
            continue
        if item.span and other.span:
            alike = item.span[0] < other.span[1] and other.span[0] < item.span[1]
        else:
            alike = item.text.strip().casefold() == other.text.strip().casefold()
        if alike:
            return True
    return False
