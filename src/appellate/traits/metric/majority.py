"""What several judges say of one cell, taken together: a vote on every instruction, and what most
of them hold.

Tables are located ones. An item that answers no instruction's line (a wrong candidate of a
`tp_only` trait, a hint, something unlinked) is the same for two members where its link is the same
and its words overlap in the response.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from appellate.core.cell import Cell
from appellate.core.describe import Vote, panel_of, verdict
from appellate.core.kind import Table
from appellate.core.trace import Trace
from appellate.traits.metric.labels import BUCKETS, Bucket, Item, Labels, from_table, to_table
from appellate.traits.metric.ledger import answers, buckets_of, lists
from appellate.traits.metric.spec import MetricRubricTrait

Held = Mapping[tuple[Bucket, Any], Sequence[Item]]


class PanelLabels(Struct, frozen=True, dict=True):
    """The members' labels of one trait, and their names where those are known."""

    trait: MetricRubricTrait
    members: tuple[Labels, ...]
    names: tuple[str, ...] = ()

    @cached_property
    def votes(self) -> Mapping[tuple[str, int], Vote]:
        """Of each instruction, which members say what."""
        found: dict[tuple[str, int], dict[str, tuple[int, ...]]] = {}
        for member, labels in enumerate(self.members):
            for one, answer in answers(self.trait, labels).items():
                vote = found.setdefault((one.of, one.number), {})
                vote[answer] = (*vote.get(answer, ()), member)
        return dict(found)

    @cached_property
    def held(self) -> list[Held]:
        """Each member's items by their bucket and what they are linked to."""
        found: list[Held] = []
        for labels in self.members:
            held: defaultdict[tuple[Bucket, Any], list[Item]] = defaultdict(list)
            for (bucket, _), item in labels.items():
                held[bucket, item.link].append(item)
            found.append(dict(held))
        return found

    def backers(self, bucket: Bucket, item: Item) -> tuple[int, ...]:
        """The members that hold an item of this bucket, or vote so on its instruction."""
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


def panel_from(
    trait: MetricRubricTrait, trace: Trace, tables: Iterable[Table], names: Iterable[str] = ()
) -> PanelLabels:
    """The members of a panel by their located tables."""
    members = tuple(from_table(trait, trace, table) for table in tables)
    return PanelLabels(trait, members, tuple(names))


def panel_labels(cell: Cell) -> PanelLabels | None:
    """The labels of the panel that judged a cell; None where one judged alone."""
    given = panel_of(cell)
    subject = cell.subject
    if not given:
        return None
    tables = [one.table for one in given]
    names = [one.name for one in given]
    return panel_from(subject.trait, subject.trace, tables, names)


def majority(trait: MetricRubricTrait, trace: Trace, tables: Sequence[Table]) -> dict[str, Any]:
    """The table of what most members hold; where votes are even, what the first of them says."""
    panel = panel_from(trait, trace, tables)
    held: defaultdict[Bucket, list[Item]] = defaultdict(list)
    for (of, number), vote in panel.votes.items():
        heeded = dict(vote)
        heeded.pop("unclear", None)
        if heeded:
            answer = verdict(heeded)
            (yes, no) = buckets_of(of)
            bucket = yes if answer == "found" else no
            held[bucket] += _chosen(panel, bucket, (of, number), heeded[answer])
    for bucket in BUCKETS:
        held[bucket] += _held_by_most(panel, bucket)
    return to_table(Labels.of(held))


def _chosen(
    panel: PanelLabels, bucket: Bucket, link: tuple[str, int], members: Sequence[int]
) -> list[Item]:
    """The items of the first member that voted so: of those that deny an instruction or meet it by
    omission, or of those that do not, as most have it; one whose excerpts all stand in the response
    before others.
    """
    sides: dict[bool, list[list[Item]]] = {}
    for place in members:
        items = list(panel.held[place][bucket, link])
        marked = any(item.denied or item.omission for item in items)
        sides.setdefault(marked, []).append(items)
    each = max(sides.values(), key=len, default=[])  # of even ones what the first says
    for items in each:
        if all(item.span or item.omission for item in items):
            return items
    return next(iter(each), [])


def _held_by_most(panel: PanelLabels, bucket: Bucket) -> list[Item]:
    """The items beside the instructions that most hold, in the words of the first that does."""
    kept: list[Item] = []
    for labels in panel.members:
        for item in labels.bucket(bucket):
            if panel.answers(bucket, item) or _alike(item, kept):
                continue
            backers = panel.backers(bucket, item)
            of = len(panel.members)
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
