"""What a person may want done with items, as edits, and what those still lack.

Of one item, or one line of the checklist, it may be several, each its own step of undo.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.traits.evidence import Span
from appellate.traits.metric.edits import Action, Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, Item, Labels, Link, List
from appellate.traits.metric.ledger import MARKS, STANDS, buckets_of
from appellate.traits.metric.rows import ChecklistEntry, ItemRow, open_instructions
from appellate.traits.metric.spec import MetricRubricTrait, lists_of

Edits = tuple[Edit, ...]
DONE: dict[Action, str] = {
    "move": "moved",
    "drop": "dropped",
    "relink": "linked",
    "add": "added",
    "deny": "denied",
}


def edit_of(action: Action, row: ItemRow, to: Bucket | None = None) -> Edit:
    """An edit of the item of a row."""
    return Edit(action, row.bucket, row.index, to, seen=row.item.text)


def moved(row: ItemRow, to: Bucket) -> Edits:
    """An item into another bucket; from FP back to TP with what it tried to answer."""
    edit = edit_of("move", row, to)
    if (row.bucket, to) == ("fp", "tp") and row.item.of == "tp":
        edit = replace(edit, of="tp", instruction=row.item.instruction)
    return (edit,)


def denied(labels: Labels, row: ItemRow, words: Span | None = None) -> Edits:
    """The instruction of an item denied, by these words where they are given; left out where it is
    denied and no words are. An excerpt denies the instruction that it answers, a wrong candidate
    what it competes for.

    Raises Refused where there is no such instruction, or it is found.
    """
    edit = edit_of("deny", row)
    link = row.link
    yes, no = buckets_of(link[0] if link else "")
    if row.bucket in EXCERPTS and link and row.bucket == yes:
        edit = replace(edit, to=no)
    elif row.bucket in EXCERPTS:
        held = [index for index, item in enumerate(labels.bucket(no)) if item.link == link]
        if not link or not held:
            raise Refused(
                "It answers no instruction that is missing or absent: "
                "link it first ({item.relink:i})."
            )
        edit = Edit("deny", no, held[0], seen=labels.bucket(no)[held[0]].text)
    elif row.item.denied and words is None:
        return (replace(edit, action="omit"),)
    if words:
        edit = replace(edit, start=words[0], end=words[1])
    return (edit,)


def turned(entry: ChecklistEntry, to: Bucket) -> Edits:
    """An instruction's line into a bucket, the excerpts that are too many dropped first."""
    yes, no = buckets_of(entry.of)
    if not entry.items:
        if to not in (yes, no):
            raise Refused(
                f"It is a {entry.of.upper()} instruction that is nowhere yet: "
                f"put it into {MARKS[yes]} or {MARKS[no]}."
            )
        return (Edit("add", to, of=entry.of, instruction=entry.number),)
    if to == yes and entry.excerpts and entry.held:
        return tuple(edit_of("drop", row) for row in reversed(entry.held))
    if to == no and entry.excerpts:
        spare = [edit_of("drop", row) for row in reversed(entry.excerpts[1:])]
        return (*spare, edit_of("move", entry.excerpts[0], no))
    return moved(entry.items[0], to)


def ruled(entry: ChecklistEntry, to: Bucket) -> Edits:
    """The same in a blind cell, where a key only ever answers the instruction."""
    yes, no = buckets_of(entry.of)
    if to not in (yes, no):
        either = f"{STANDS[yes]} ({MARKS[yes]}) or {STANDS[no]} ({MARKS[no]})"
        raise Refused(f"It is a {entry.of.upper()} instruction: it is {either}.")
    return turned(entry, to)


def toggled(entry: ChecklistEntry, once: Sequence[Item] = ()) -> Edits:
    """Found ⇄ missing, present ⇄ absent, back with what it had `once`; open is missing first."""
    yes, no = buckets_of(entry.of)
    if not entry.held or entry.excerpts:
        return turned(entry, no)
    edits = list(turned(entry, yes))
    for place, item in enumerate(once):
        if place:
            edits.append(Edit("add", yes, of=entry.of, instruction=entry.number))
        start = item.start
        end = item.end
        omission = item.omission or None
        edits[place] = replace(edits[place], start=start, end=end, omission=omission)
    return tuple(edits)


_UNREPEATABLE = {
    "add": "an addition",
    "reword": "a rewording",
    "split": "a split",
    "merge": "a merge",
    "deny": "a denial",
    "omit": "a denial taken back",
}


def repeated(last: Edit, row: ItemRow) -> Edits:
    """The last move, drop or link on another item; raises Refused where that means nothing."""
    if last.action in _UNREPEATABLE:
        raise Refused(
            f"The last correction was {_UNREPEATABLE[last.action]}: "
            "only moves, drops and links can be repeated."
        )
    if last.action == "move":
        return with_link(moved(row, last.to or row.bucket), last.link)
    return with_link((edit_of(last.action, row),), last.link)


def split_at_bar(edit: Edit, answered: str) -> Edit:
    """The split where a `|` was put into the text; raises Refused for any other change."""
    for place, char in enumerate(answered):
        if char == "|" and answered[:place] + answered[place + 1 :] == (edit.seen or ""):
            return replace(edit, cut=place)
    raise Refused("Put one | into the text, and change nothing else.")


# -- evidence that is lacking ----------------------------------------------------------------------


def lacks_evidence(edits: Edits) -> bool:
    """Whether words of the response are still to be selected for one of the edits."""
    return any(edit.start is None and not edit.omission and edit.takes_evidence for edit in edits)


def with_evidence(edits: Edits, span: Span | None) -> Edits:
    """The edits with the words selected, where they take any."""
    start, end = span or (None, None)
    return tuple(
        replace(edit, start=start, end=end) if edit.takes_evidence else edit for edit in edits
    )


# -- links that are lacking ------------------------------------------------------------------------


class LinkChoice(Struct, frozen=True):
    """The lists that an instruction is picked from; `none` is the word for none of them."""

    lists: tuple[List, ...]
    none: str = ""


def link_to_pick(trait: MetricRubricTrait, items: Sequence[Edits]) -> LinkChoice | None:
    """What is to be picked from for all the items, if anything; Refused for different things."""
    wanted: set[LinkChoice] = set()
    for edit in filter(_takes_link, chain.from_iterable(items)):
        if edit.action == "relink":
            none = "none" if edit.bucket in EXCERPTS else ""
            wanted.add(LinkChoice(lists_of(trait, edit.bucket), none))
        elif edit.action == "add":
            wanted.add(LinkChoice(lists_of(trait, edit.bucket), "none for now"))
        elif edit.to == "tp":
            wanted.add(LinkChoice(("tp",), "none for now"))
        elif trait.full:
            wanted.add(LinkChoice(lists_of(trait, "fp"), "none: wrong, but not on the list"))
    if len(wanted) + any(map(lacks_evidence, items)) > 1:
        raise Refused(
            "The marked items need different answers: mark those of one bucket at a time."
        )
    return next(iter(wanted), None)


def with_link(edits: Edits, link: Link | None) -> Edits:
    """The edits with the instruction picked, where they have none of their own."""
    of, number = link or (None, None)
    return tuple(
        replace(edit, of=of, instruction=number) if _takes_link(edit) else edit for edit in edits
    )


def _takes_link(edit: Edit) -> bool:
    if edit.action == "move":
        return edit.link is None and (edit.bucket, edit.to) in (("tp", "fp"), ("fp", "tp"))
    return edit.link is None and edit.action in ("add", "relink")


def link_question(action: Action, count: int) -> str:
    """What is asked when an instruction is to be picked for so many items."""
    if action == "relink":
        return "Link it to" if count == 1 else f"Link all {count} to"
    if action != "move":
        return "Which instruction does it answer?"
    about = "is it" if count == 1 else f"are all {count}"
    return f"Which instruction {about} about?"


# -- instructions to pick from ---------------------------------------------------------------------


class LikelyLink(Struct, frozen=True):
    """An instruction to pick: where it is already, and how well it fits (0 to 100)."""

    link: Link
    text: str
    where: str
    likely: float


def likely_links(
    trait: MetricRubricTrait,
    labels: Labels,
    among: Iterable[List],
    text: str,
    here: Link | None = None,
) -> list[LikelyLink]:
    """The one that one is at, then those no excerpt answers, then by how well the text fits."""
    from rapidfuzz import fuzz  # only here: 10 ms

    found = []
    for of in among:
        for number, _ in enumerate(trait.instructions(of), 1):
            likeness = 0.0
            for name in trait.names(of, number):
                likeness = max(likeness, fuzz.token_set_ratio(text.lower(), name.lower()))
            found.append(_likely_link(trait, labels, (of, number), likeness))
    answered = labels.links("tp") | labels.links("fp")
    return sorted(found, key=lambda one: (one.link != here, one.link in answered, -one.likely))


def meant_link(
    trait: MetricRubricTrait, labels: Labels, to: Bucket, text: str, here: Link | None
) -> Link | None:
    """The instruction at the cursor, if no free one is more like the words for a bucket."""
    answered = labels.links("tp") | labels.links("fp")
    if here is None or here in answered or here[0] == "fp":
        return None
    found = likely_links(trait, labels, lists_of(trait, to), text, here)
    free = [one for one in found if one.link not in answered and one.link[0] != "fp"]
    if not free or free[0].link != here or any(one.likely > free[0].likely for one in free):
        return None
    return here


def open_links(trait: MetricRubricTrait, labels: Labels, here: Link | None) -> list[LikelyLink]:
    """The instructions that stand in no bucket at all, first the one one is at."""
    found = sorted(open_instructions(trait, labels), key=lambda link: link != here)
    return [_likely_link(trait, labels, link) for link in found]


def _likely_link(
    trait: MetricRubricTrait, labels: Labels, link: Link, likely: float = 0.0
) -> LikelyLink:
    where = [MARKS[bucket] for bucket in trait.buckets if labels.has(bucket, link)]
    return LikelyLink(link, trait.words(*link), " ".join(where), likely)
