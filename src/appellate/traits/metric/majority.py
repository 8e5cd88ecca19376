"""Combines what several judges say of one cell: a vote on every instruction, and what most hold.

All tables are located ones. Items on no instruction's line (wrong candidates of a `tp_only` trait,
hints, unlinked items) are the same for two members if they have the same link and their words
overlap.
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
"""A member's items by their bucket and link."""


class PanelLabels(Struct, frozen=True, dict=True):
    """The labels of a panel's members under one trait, and their names if known."""

    trait: MetricRubricTrait
    members: tuple[Labels, ...]
    names: tuple[str, ...] = ()

    @cached_property
    def votes(self) -> Mapping[tuple[str, int], Vote]:
        """The members that gave each answer, by instruction, then by answer.

        Members are their indexes (from 0), in order. An instruction is its list and number. An
        answer is "found" or "missing", for TN instructions too, or "unclear"; one that no member
        gave has no key.
        """
        answers_by_link: dict[tuple[str, int], dict[str, tuple[int, ...]]] = {}
        for member, labels in enumerate(self.members):
            for instruction, answer in answers(self.trait, labels).items():
                link = (instruction.of, instruction.number)
                vote = answers_by_link.setdefault(link, {})
                earlier_members = vote.get(answer, ())
                vote[answer] = (*earlier_members, member)
        return dict(answers_by_link)

    @cached_property
    def held(self) -> list[Held]:
        """The items of each member, by their bucket and link, in order.

        A member has a key only if it has items there. Unlinked items are under a link of None.
        """
        items_of_members: list[Held] = []
        for labels in self.members:
            items_by_link: defaultdict[tuple[Bucket, Any], list[Item]] = defaultdict(
                list,
            )
            for (bucket, _), item in labels.items():
                items_by_link[bucket, item.link].append(item)
            items_of_members.append(dict(items_by_link))
        return items_of_members

    def backers(self, bucket: Bucket, item: Item) -> tuple[int, ...]:
        """Return the indexes (from 0) of the members that have such an item in the bucket.

        For an item on an instruction's own line, any item of that instruction in the bucket is
        enough. For others the words must overlap too.
        """
        is_on_line = self.is_on_own_line(bucket, item)
        backers = []
        for member, items_by_link in enumerate(self.held):
            member_items = items_by_link.get((bucket, item.link), ())
            if member_items and (is_on_line or _alike(item, member_items)):
                backers.append(member)
        return tuple(backers)

    def is_on_own_line(self, bucket: Bucket, item: Item) -> bool:
        """Return whether an item in the bucket is on an instruction's own line.

        Items on none are unlinked ones, hints, and wrong candidates of a `tp_only` trait.
        """
        return item.of in lists(self.trait) and bucket in buckets_of(item.of)


def panel_from(
    trait: MetricRubricTrait,
    trace: Trace,
    tables: Iterable[Table],
    names: Iterable[str] = (),
) -> PanelLabels:
    """Return a panel whose members' labels are read from their tables, in order.

    `tables` are located: the place of each excerpt is in them. `names` are the members' names in
    the same order, or none if they are unknown.
    """
    members = tuple(from_table(trait, trace, table) for table in tables)
    return PanelLabels(trait, members, tuple(names))


def panel_labels(cell: Cell) -> PanelLabels | None:
    """Return the labels of the panel that judged a cell.

    None if a single judge did, or nobody. Members that failed to give labels are left out; None too
    if fewer than two are left.
    """
    panel = panel_of(cell)
    subject = cell.subject
    if not panel:
        return None
    tables = [member.table for member in panel]
    names = [member.name for member in panel]
    return panel_from(subject.trait, subject.trace, tables, names)


def majority(
    trait: MetricRubricTrait,
    trace: Trace,
    tables: Sequence[Table],
) -> dict[str, Any]:
    """Return the table of labels that most members hold.

    Each instruction gets the answer of most; of equal votes, the one that comes from the first
    member. "unclear" is no vote, and an instruction that is unclear to all goes nowhere. Items on
    no instruction's line are taken if more than half of the members have them, or half and the
    first is among these. `tables` are located ones.
    """
    panel = panel_from(trait, trace, tables)
    items_by_bucket: defaultdict[Bucket, list[Item]] = defaultdict(list)
    for (list_name, number), vote in panel.votes.items():
        clear_votes = dict(vote)
        clear_votes.pop("unclear", None)
        if clear_votes:
            answer = verdict(clear_votes)
            (excerpt_bucket, negative_bucket) = buckets_of(list_name)
            bucket = excerpt_bucket if answer == "found" else negative_bucket
            items_by_bucket[bucket] += _chosen(
                panel,
                bucket,
                (list_name, number),
                clear_votes[answer],
            )
    for bucket in BUCKETS:
        items_by_bucket[bucket] += _held_by_most(panel, bucket)
    return to_table(Labels.of(items_by_bucket))


def _chosen(
    panel: PanelLabels,
    bucket: Bucket,
    link: tuple[str, int],
    members: Sequence[int],
) -> list[Item]:
    """Return the items on an instruction from one member that voted with the majority.

    `members` are the indexes of those that did, at least one. They are divided by whether they have
    a denial or an omission, and the larger group is taken; of even ones that of the first member.
    In that group the first member whose excerpts are all in the response is chosen, else its first.
    """
    groups: dict[bool, list[list[Item]]] = {}
    for member in members:
        items = list(panel.held[member][bucket, link])
        is_marked = any(item.denied or item.omission for item in items)
        groups.setdefault(is_marked, []).append(items)
    # of even ones what the first says
    item_lists = max(groups.values(), key=len)
    for items in item_lists:
        if all(item.span or item.omission for item in items):
            return items
    return item_lists[0]


def _held_by_most(panel: PanelLabels, bucket: Bucket) -> list[Item]:
    """Return the items on no instruction's line that more than half of the members hold.

    Half is enough if the first member is among them. Each has the words of the first member that
    holds it, and is there once.
    """
    common_items: list[Item] = []
    for labels in panel.members:
        for item in labels.bucket(bucket):
            if panel.is_on_own_line(bucket, item) or _alike(item, common_items):
                continue
            backers = panel.backers(bucket, item)
            member_count = len(panel.members)
            if 2 * len(backers) > member_count or (
                2 * len(backers) == member_count and 0 in backers
            ):
                common_items.append(item)
    return common_items


def _alike(item: Item, others: Iterable[Item]) -> bool:
    """Return whether one of the other items has the same link and shares words with it.

    Their spans must overlap; if one has no span, their texts must be equal but for case.
    """
    for other in others:
        if item.link != other.link:
            continue
        if item.span and other.span:
            is_alike = item.span[0] < other.span[1] and other.span[0] < item.span[1]
        else:
            is_alike = item.text.strip().casefold() == other.text.strip().casefold()
        if is_alike:
            return True
    return False
