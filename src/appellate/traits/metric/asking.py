"""What a person may want done with items, as corrections, and what those still lack.

A wish is for one item, or one line of the checklist. It may be several corrections, each its own step of undo.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from appellate.core.kind import Subject
from appellate.core.refused import Refused
from appellate.traits.evidence import Span
from appellate.traits.metric.checklist import Entry
from appellate.traits.metric.edits import Action, Edit, apply, permit, unworded
from appellate.traits.metric.labels import BUCKETS, EXCERPTS, Bucket, Item, Labels, List, lists_of
from appellate.traits.metric.ledger import MARKS, sides
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.view import ItemRow, open_instructions

Link = tuple[List, int] | None
Place = tuple[Bucket, int]
DONE: dict[Action, str] = {"move": "moved", "drop": "dropped", "relink": "linked", "add": "added"}


class Lack(NamedTuple):
    """What has to be asked before the corrections are whole; a link comes from `lists`, or is `none`."""

    of: Literal["evidence", "link"]
    lists: tuple[List, ...] = ()
    none: str = ""


@dataclass(frozen=True, slots=True)
class Wish:
    """Corrections in their order."""

    edits: tuple[Edit, ...]
    lack: Lack | None = None


_EVIDENCE = Lack("evidence")


def moved(trait: MetricRubricTrait, row: ItemRow, to: Bucket) -> Wish:
    """An item into another bucket."""
    edit = _about("move", row, to=to)
    match (row.bucket, to):
        case ("fn", "tp") | ("tn", "fp"):
            return Wish((edit,), _EVIDENCE)
        case ("tp", "fp") if trait.full:
            return Wish((edit,), Lack("link", lists_of(trait, "fp"), "none: wrong, but not on the list"))
        case ("fp", "tp") if row.item.of != "tp":
            return Wish((edit,), Lack("link", ("tp",), "none for now"))
        case ("fp", "tp"):
            return Wish((replace(edit, of="tp", instruction=row.item.instruction),))
        case _:
            return Wish((edit,))


def dropped(row: ItemRow) -> Wish:
    return Wish((_about("drop", row),))


def relinked(trait: MetricRubricTrait, row: ItemRow) -> Wish:
    none = "none" if row.bucket in EXCERPTS else ""
    return Wish((_about("relink", row),), Lack("link", lists_of(trait, row.bucket), none))


def _about(action: Action, row: ItemRow, to: Bucket | None = None) -> Edit:
    return Edit(action, row.bucket, row.index, to, seen=row.item.text)


# -- the checklist --------------------------------------------------------------------------------


def turned(trait: MetricRubricTrait, entry: Entry, to: Bucket) -> Wish:
    """An instruction's line into a bucket: the excerpts that are too many are dropped first."""
    yes, no = sides(entry.of)
    if not entry.items:
        return _placed(entry, to)
    if to == yes and entry.excerpts and entry.held:
        return Wish(tuple(_about("drop", row) for row in reversed(entry.held)))
    if to == no and entry.excerpts:
        spare = tuple(_about("drop", row) for row in reversed(entry.excerpts[1:]))
        return Wish((*spare, _about("move", entry.excerpts[0], no)))
    return moved(trait, entry.items[0], to)


def _placed(entry: Entry, to: Bucket) -> Wish:
    """An instruction that stands nowhere."""
    if to not in sides(entry.of):
        yes, no = (MARKS[bucket] for bucket in sides(entry.of))
        raise Refused(f"It is a {entry.of.upper()} instruction that stands nowhere: put it into {yes} or {no}.")
    edit = Edit("add", to, of=entry.of, instruction=entry.number)
    return Wish((edit,), _EVIDENCE if to in EXCERPTS else None)


def toggled(trait: MetricRubricTrait, entry: Entry) -> Wish:
    """Found ⇄ missing, present ⇄ absent; what stands nowhere is missing or absent first."""
    yes, no = sides(entry.of)
    return turned(trait, entry, yes if entry.held and not entry.excerpts else no)


# -- again ----------------------------------------------------------------------------------------


def again(trait: MetricRubricTrait, last: Edit, row: ItemRow) -> Wish:
    """The last move, drop or relink once more on another item; raises Refused where that means nothing."""
    if last.action not in ("move", "drop", "relink"):
        told = {"add": "an addition", "reword": "a rewording", "split": "a split", "merge": "a merge"}
        raise Refused(f"The last correction was {told[last.action]}: only moves, drops and links can be repeated.")
    wish = moved(trait, row, last.to or row.bucket) if last.action == "move" else Wish((_about(last.action, row),))
    if wish.lack and wish.lack.of == "evidence" and last.start is not None:
        return wish
    return Wish(linked(wish.edits, last.link))


# -- what was lacking -----------------------------------------------------------------------------


def lack_of(wishes: Sequence[Wish]) -> Lack | None:
    """What all the wishes lack; raises Refused where one answer cannot do for all of them."""
    lacks = {wish.lack for wish in wishes if wish.lack}
    if len(lacks) > 1:
        raise Refused("The marked items need different answers: mark those of one bucket at a time.")
    return next(iter(lacks), None)


def evidenced(edits: Sequence[Edit], span: Span | None) -> tuple[Edit, ...]:
    """The edits with the words selected, where they take any."""
    start, end = span or (None, None)
    return tuple(replace(edit, start=start, end=end) if _takes_evidence(edit) else edit for edit in edits)


def _takes_evidence(edit: Edit) -> bool:
    landing = edit.to if edit.action == "move" else edit.bucket
    return landing in EXCERPTS and (edit.action == "add" or edit.bucket not in EXCERPTS)


def linked(edits: Sequence[Edit], link: Link) -> tuple[Edit, ...]:
    """The edits with the instruction picked, where they have none of their own."""
    of, number = link or (None, None)
    return tuple(replace(edit, of=of, instruction=number) if _takes_link(edit) else edit for edit in edits)


def _takes_link(edit: Edit) -> bool:
    between = edit.action == "move" and edit.bucket in EXCERPTS and edit.to in EXCERPTS
    return edit.link is None and (between or edit.action in ("add", "relink"))


def cut(edit: Edit, text: str, answered: str) -> Edit | str:
    """The split that a `|` put into the text asks for."""
    places = [i for i in range(len(answered)) if answered[i] == "|" and answered[:i] + answered[i + 1 :] == text]
    return replace(edit, cut=places[0]) if places else "Put one | into the text, and change nothing else."


def found_again(edit: Edit, before: Labels, now: Labels) -> Edit:
    """The edit on the same item where it stands now, after others moved it up or down."""
    items, there = before.bucket(edit.bucket), now.bucket(edit.bucket)
    item = items[edit.index] if edit.action != "add" and edit.index < len(items) else None
    if item is None or (edit.index < len(there) and there[edit.index] == item) or item not in there:
        return edit
    return replace(edit, index=there.index(item))


# -- where items went -----------------------------------------------------------------------------


def followed(before: Labels, now: Labels) -> dict[Place, Place]:
    """Where every item stands now that is still in its bucket, by where it stood; equal ones in their order."""
    places: dict[Place, Place] = {}
    for bucket in BUCKETS:
        held: dict[Item, list[int]] = {}
        for index, item in enumerate(now.bucket(bucket)):
            held.setdefault(item, []).append(index)
        for index, item in enumerate(before.bucket(bucket)):
            if held.get(item):
                places[bucket, index] = bucket, held[item].pop(0)
    return places


def onward(place: Place, order: Sequence[Place], went: Mapping[Place, Place]) -> Place | None:
    """Where the item of a place went, else the next of the reading order that is still there, else the last before."""
    if place not in order:
        return None
    at = order.index(place)
    return next((went[one] for one in (*order[at:], *reversed(order[:at])) if one in went), None)


def arrived(before: Labels, now: Labels, edit: Edit) -> Place | None:
    """The first item that is new in a bucket that an edit was about, else in any."""
    stayed = set(followed(before, now).values())
    about = sorted(BUCKETS, key=lambda name: name not in (edit.bucket, edit.to))
    every = [(name, index) for name in about for index in range(len(now.bucket(name)))]
    return next((place for place in every if place not in stayed), None)


# -- the menu -------------------------------------------------------------------------------------

_INTO: dict[Bucket, str] = {
    "tp": "into TP: rightly found",
    "fn": "into FN: missing",
    "fp": "into FP: wrong",
    "tn": "into TN: rightly absent",
}


def into(buckets: Sequence[Bucket]) -> list[tuple[str, str]]:
    """Moves in words, and the screen's actions for them."""
    return [(_INTO[to], f"move('{to}')") for to in buckets]


def offered(subject: Subject, labels: Labels, row: ItemRow | None, entry: Entry | None) -> list[tuple[str, str]]:
    """Everything that can be done with an item, or with a line of the checklist that has none."""
    trait = subject.trait
    always = [("select words of the response", "select")]
    always += [("add an instruction that stands nowhere", "missing")] if open_instructions(trait, labels) else []
    if row is None:
        return [*into(sides(entry.of) if entry else ()), *always]
    where = [to for to in _INTO if _may(subject, labels, moved(trait, row, to).edits[0])]
    drop = [("drop it", "drop")] if _may(subject, labels, *dropped(row).edits) else []
    marking = [("mark it, or let it go", "mark"), ("mark all of these", "mark_all")]
    return [*into(where), *drop, *_mended(labels, row), *marking, *always]


def _mended(labels: Labels, row: ItemRow) -> list[tuple[str, str]]:
    items = labels.bucket(row.bucket)
    follows = row.index + 1 < len(items) and items[row.index + 1].link == row.item.link
    worded = [("reword it", "reword"), ("split it in two", "split")] if not unworded("reword", row.bucket) else []
    joined = [("merge it with the next", "merge")] if worded and follows else []
    return [("link it to another instruction", "relink"), *worded, *joined]


def _may(subject: Subject, labels: Labels, edit: Edit) -> bool:
    try:
        apply(subject.trait, subject.trace, labels, permit(subject.trait, labels, edit))
    except Refused:
        return False
    return True


def title(action: Action, count: int) -> str:
    """The question that a link answers."""
    about = "it" if count == 1 else f"all {count}"
    asked = {
        "move": "Which instruction is it about?" if count == 1 else f"Which instruction are {about} about?",
        "relink": "Link it to" if count == 1 else f"Link {about} to",
    }
    return asked.get(action, "Which instruction does it answer?")
