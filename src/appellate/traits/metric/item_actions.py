"""What a person may want done with items, as edits, and what those still lack.

What is wanted of one item, or of one line of the checklist, may be several edits, each its own step of undo.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.traits.evidence import Span
from appellate.traits.metric.edits import Action, Edit, apply, permit, unworded
from appellate.traits.metric.labels import BUCKETS, EXCERPTS, Bucket, Item, Labels, List, lists_of
from appellate.traits.metric.ledger import MARKS, buckets_of
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.view import ChecklistEntry, ItemRow, open_instructions

Link = tuple[List, int] | None
Place = tuple[Bucket, int]
DONE: dict[Action, str] = {"move": "moved", "drop": "dropped", "relink": "linked", "add": "added"}
Edits = tuple[Edit, ...]


class LinkChoice(NamedTuple):
    """The lists that an instruction has to be picked from; `none` says in words that it may be none of them."""

    lists: tuple[List, ...]
    none: str = ""


def moved(row: ItemRow, to: Bucket) -> Edits:
    """An item into another bucket; from FP back to TP it keeps the instruction that it tried to answer."""
    edit = _about("move", row, to=to)
    if (row.bucket, to) == ("fp", "tp") and row.item.of == "tp":
        edit = replace(edit, of="tp", instruction=row.item.instruction)
    return (edit,)


def dropped(row: ItemRow) -> Edits:
    return (_about("drop", row),)


def relinked(row: ItemRow) -> Edits:
    return (_about("relink", row),)


def _about(action: Action, row: ItemRow, to: Bucket | None = None) -> Edit:
    return Edit(action, row.bucket, row.index, to, seen=row.item.text)


# -- the checklist --------------------------------------------------------------------------------


def turned(entry: ChecklistEntry, to: Bucket) -> Edits:
    """An instruction's line into a bucket: the excerpts that are too many are dropped first."""
    yes, no = buckets_of(entry.of)
    if not entry.items:
        return _placed(entry, to)
    if to == yes and entry.excerpts and entry.held:
        return tuple(_about("drop", row) for row in reversed(entry.held))
    if to == no and entry.excerpts:
        spare = tuple(_about("drop", row) for row in reversed(entry.excerpts[1:]))
        return (*spare, _about("move", entry.excerpts[0], no))
    return moved(entry.items[0], to)


def _placed(entry: ChecklistEntry, to: Bucket) -> Edits:
    """An instruction that stands nowhere."""
    if to not in buckets_of(entry.of):
        yes, no = (MARKS[bucket] for bucket in buckets_of(entry.of))
        raise Refused(
            f"It is a {entry.of.upper()} instruction that stands nowhere: put it into {yes} or {no}."
        )
    return (Edit("add", to, of=entry.of, instruction=entry.number),)


def toggled(entry: ChecklistEntry) -> Edits:
    """Found ⇄ missing, present ⇄ absent; what stands nowhere is missing or absent first."""
    yes, no = buckets_of(entry.of)
    return turned(entry, yes if entry.held and not entry.excerpts else no)


# -- again ----------------------------------------------------------------------------------------


def again(last: Edit, row: ItemRow) -> Edits:
    """The last move, drop or relink once more on another item; raises Refused where that means nothing."""
    if last.action not in ("move", "drop", "relink"):
        told = {
            "add": "an addition",
            "reword": "a rewording",
            "split": "a split",
            "merge": "a merge",
        }
        raise Refused(
            f"The last correction was {told[last.action]}: only moves, drops and links can be repeated."
        )
    edits = (
        moved(row, last.to or row.bucket) if last.action == "move" else (_about(last.action, row),)
    )
    return linked(edits, last.link)


# -- what is lacking ------------------------------------------------------------------------------


def link_to_pick(trait: MetricRubricTrait, items: Sequence[Edits]) -> LinkChoice | None:
    """What an instruction has to be picked from for all the items; None where none is lacking.

    Raises Refused where one answer cannot do for all of them.
    """
    choices = {choice for edits in items for edit in edits if (choice := _link_choice(trait, edit))}
    asks_evidence = any(lacks_evidence(edits) for edits in items)
    if len(choices) + asks_evidence > 1:
        raise Refused(
            "The marked items need different answers: mark those of one bucket at a time."
        )
    return next(iter(choices), None)


def _link_choice(trait: MetricRubricTrait, edit: Edit) -> LinkChoice | None:
    if not _takes_link(edit):
        return None
    if edit.action == "add":
        return LinkChoice(lists_of(trait, edit.bucket), "none for now")
    if edit.action == "relink":
        return LinkChoice(lists_of(trait, edit.bucket), "none" if edit.bucket in EXCERPTS else "")
    if edit.to == "tp":
        return LinkChoice(("tp",), "none for now")
    if trait.full:
        return LinkChoice(lists_of(trait, "fp"), "none: wrong, but not on the list")
    return None


def lacks_evidence(edits: Edits) -> bool:
    """Whether words of the response are still to be selected for one of the edits."""
    return any(edit.start is None and _takes_evidence(edit) for edit in edits)


def evidenced(edits: Edits, span: Span | None) -> Edits:
    """The edits with the words selected, where they take any."""
    start, end = span or (None, None)
    return tuple(
        replace(edit, start=start, end=end) if _takes_evidence(edit) else edit for edit in edits
    )


def _takes_evidence(edit: Edit) -> bool:
    if edit.action == "move":
        return (edit.bucket, edit.to) in (("fn", "tp"), ("tn", "fp"))
    return edit.action == "add" and edit.bucket in EXCERPTS


def linked(edits: Edits, link: Link) -> Edits:
    """The edits with the instruction picked, where they have none of their own."""
    of, number = link or (None, None)
    return tuple(
        replace(edit, of=of, instruction=number) if _takes_link(edit) else edit for edit in edits
    )


def _takes_link(edit: Edit) -> bool:
    if edit.action == "move":
        return edit.link is None and (edit.bucket, edit.to) in (("tp", "fp"), ("fp", "tp"))
    return edit.link is None and edit.action in ("add", "relink")


def cut(edit: Edit, text: str, answered: str) -> Edit | str:
    """The split that a `|` put into the text asks for."""
    places = [
        i
        for i in range(len(answered))
        if answered[i] == "|" and answered[:i] + answered[i + 1 :] == text
    ]
    return (
        replace(edit, cut=places[0])
        if places
        else "Put one | into the text, and change nothing else."
    )


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
    """Moves in words, and the keys that make them."""
    return [(_INTO[to], f"move.{to}") for to in buckets]


def offered(
    subject: Subject, labels: Labels, row: ItemRow | None, entry: ChecklistEntry | None
) -> list[tuple[str, str]]:
    """Everything that can be done with an item, or with a line of the checklist that has none."""
    trait = subject.trait
    always = [("select words of the response", "text.select")]
    if open_instructions(trait, labels):
        always.append(("add an instruction that stands nowhere", "item.missing"))
    if row is None:
        return [*into(buckets_of(entry.of) if entry else ()), *always]
    where = [to for to in _INTO if _may(subject, labels, moved(row, to)[0])]
    drop = [("drop it", "item.drop")] if _may(subject, labels, *dropped(row)) else []
    marking = [("mark it, or let it go", "item.mark"), ("mark all of these", "item.mark_all")]
    return [*into(where), *drop, *_mended(labels, row), *marking, *always]


def _mended(labels: Labels, row: ItemRow) -> list[tuple[str, str]]:
    items = labels.bucket(row.bucket)
    follows = row.index + 1 < len(items) and items[row.index + 1].link == row.item.link
    worded = (
        []
        if unworded("reword", row.bucket)
        else [("reword it", "item.reword"), ("split it in two", "item.split")]
    )
    joined = [("merge it with the next", "item.merge")] if worded and follows else []
    return [("link it to another instruction", "item.relink"), *worded, *joined]


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
        "move": "Which instruction is it about?"
        if count == 1
        else f"Which instruction are {about} about?",
        "relink": "Link it to" if count == 1 else f"Link {about} to",
    }
    return asked.get(action, "Which instruction does it answer?")
