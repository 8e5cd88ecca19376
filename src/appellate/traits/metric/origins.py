"""What a person's corrections made of the items: where each was before, and why it is here."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from appellate.core.cell import Cell, ReplayedStep, reason_for, replayed
from appellate.traits.evidence import Span
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import BUCKETS, Bucket, Item, Labels
from appellate.traits.metric.rows import Place, where_now

Came = Literal["moved", "changed", "added"]


class Origin(Struct, frozen=True):
    """How an item came to be as it is: out of a bucket, with other words or another instruction, or
    by hand. `was` is what the judge had instead.
    """

    came: Came
    was: tuple[Bucket, Item] | None = None
    reason: str = ""


class _Lineage(Struct, frozen=True):
    """What the judge had where an item is now, and the last correction that touched it."""

    was: tuple[Bucket, Item] | None
    n: int = 0


def origins(cell: Cell) -> dict[Place, Origin]:
    """The items that are not as the judge proposed them, by their places."""
    steps = replayed(cell)
    if not steps or steps[-1].after != cell.labels:
        return {}
    held: dict[Place, _Lineage] = {}
    for place in _places(steps[0].before):
        held[place] = _Lineage((place[0], _item(steps[0].before, place)))
    for step in steps:
        held = _after(held, step)
    found: dict[Place, Origin] = {}
    for place, lineage in held.items():
        came = _came(lineage, place[0], _item(cell.labels, place))
        if came and lineage.n:
            found[place] = Origin(came, lineage.was, reason_for(cell, lineage.n))
    return found


def is_other_evidence(cell: Cell, place: Place, words: Span | None) -> bool:
    """Whether words that come in the place of an excerpt are right where the judge's were wrong:
    the verdict is the judge's own, and its words stand elsewhere. No words are of an omission.
    """
    item = judged = _item(cell.labels, place)
    origin = origins(cell).get(place)
    if origin:
        bucket, judged = origin.was or (None, item)
        if bucket != place[0]:
            return False
    if cell.judge is None or item.link is None or item.link != judged.link:
        return False
    if words is None:
        return not judged.omission
    start, end = judged.span or (0, 0)
    return words[1] <= start or end <= words[0]


def _came(lineage: _Lineage, bucket: Bucket, item: Item) -> Came | None:
    if lineage.was is None:
        return "added"
    if lineage.was[0] != bucket:
        return "moved"
    if _describe(lineage.was[1]) != _describe(item):
        return "changed"
    return None


def _describe(item: Item) -> tuple[object, ...]:
    """What a person sees of an item: the judge's rationale is lost on the way there and back."""
    return item.text, item.link, item.span, item.denied, item.omission


def _after(held: Mapping[Place, _Lineage], step: ReplayedStep) -> dict[Place, _Lineage]:
    """Where everything came from after one more correction."""
    edit: Edit = step.edit
    went = where_now(step.before, step.after)
    now = {there: held[place] for place, there in went.items()}
    gone = [place for place in _places(step.before) if place not in went]
    for place in _places(step.after):
        if place in now:
            continue
        came_from = _came_from(step, edit, gone, place)
        was = held[came_from].was if came_from else None
        now[place] = _Lineage(was, step.n)
    return now


def _came_from(step: ReplayedStep, edit: Edit, gone: list[Place], place: Place) -> Place | None:
    """The item that an edit made into the one at `place`: its own, or one of the same instruction
    that went at the same time.
    """
    own = edit.bucket, edit.index
    if edit.action != "add" and place[0] == (edit.to or edit.bucket):
        return own
    link = _item(step.after, place).link
    for other in gone:
        if link and _item(step.before, other).link == link:
            return other
    return None


def _places(labels: Labels) -> list[Place]:
    found: list[Place] = []
    for bucket in BUCKETS:
        found += [(bucket, index) for index in range(len(labels.bucket(bucket)))]
    return found


def _item(labels: Labels, place: Place) -> Item:
    return labels.bucket(place[0])[place[1]]
