"""What the rows of a metric cell hold, without a screen, and where items went."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell, ReplayedStep, fold, reason_for, replayed
from appellate.core.facts import Corrected
from appellate.traits.evidence import Span
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import (
    BUCKETS,
    Bucket,
    Item,
    Labels,
    Link,
    List,
    Place,
)
from appellate.traits.metric.ledger import (
    MARKS,
    STANDS,
    Standing,
    buckets_of,
    evidence_of,
    link_mark,
    lists,
    must_link,
)
from appellate.traits.metric.spec import MetricRubricTrait

NO_EVIDENCE = "no evidence"


class ItemRow(Struct, frozen=True):
    """One item as its bucket shows it; `counts` is false for a repeat, `note` what is wrong.
    `unverified` is whether words of it should be in the response, and are not found there.
    """

    bucket: Bucket
    index: int
    item: Item
    counts: bool
    note: str
    unverified: bool

    @property
    def place(self) -> Place:
        return self.bucket, self.index

    @property
    def link(self) -> Link | None:
        return self.item.link

    @property
    def mark(self) -> str:
        return link_mark(self.item.of, self.item.instruction)

    @property
    def items(self) -> tuple["ItemRow"]:
        return (self,)


def all_rows(trait: MetricRubricTrait, labels: Labels) -> dict[Bucket, list[ItemRow]]:
    return {bucket: rows(trait, labels, bucket) for bucket in trait.buckets}


def rows(trait: MetricRubricTrait, labels: Labels, bucket: Bucket) -> list[ItemRow]:
    """The items of a bucket in order."""
    items = labels.bucket(bucket)
    counting = set(trait.counting(bucket, [item.text for item in items]))
    times = Counter(items[index].link for index in counting)
    found = []
    for index, item in enumerate(items):
        evidence = evidence_of(trait, bucket, item)
        notes = []
        if evidence not in ("verified", ""):
            notes.append(evidence)
        if item.link is None and must_link(trait, bucket):
            notes.append("unlinked")
        if index not in counting:
            notes.append("repeat, not counted")
        elif times[item.link] > 1 and item.link:
            notes.append(f"counts {times_in_words(times[item.link])}")
        is_unverified = evidence.endswith("unverified")
        note = " · ".join(notes)
        found.append(ItemRow(bucket, index, item, index in counting, note, is_unverified))
    return found


def names(by_bucket: Mapping[Bucket, Sequence[ItemRow]]) -> dict[Place, str]:
    """What corrections leave an item called: by its instruction, `4` or `4#2`, or its words."""
    times: Counter[str] = Counter()
    found: dict[Place, str] = {}
    for row in chain.from_iterable(by_bucket.values()):
        name = row.mark or f"“{row.item.text}”"
        times[name] += 1
        found[row.place] = name if times[name] == 1 else f"{name}#{times[name]}"
    return found


def times_in_words(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"  # noqa: PLR2004


def remarks(trait: MetricRubricTrait, before: Labels, after: Labels) -> list[str]:
    """What an edit made count no more, or several times, in sentences."""
    texts: list[str] = []
    for bucket in trait.buckets:
        was = rows(trait, before, bucket)
        now = rows(trait, after, bucket)
        texts += _not_counted(was, now)
        times = _times_linked(now)
        for link in times - _times_linked(was):
            if times[link] > 1:
                name = instruction_name(*link)
                name = name[0].upper() + name[1:]
                texts.append(f"{name} counts {times_in_words(times[link])} now.")
    return texts


def moved_beside(
    trait: MetricRubricTrait, before: Labels, after: Labels, done: Iterable[Edit]
) -> list[str]:
    """Which instructions changed sides beside what the edits of an act say, in a sentence."""
    said = {(edit.bucket, edit.to) for edit in done if edit.action == "move"}
    moved: dict[tuple[Bucket, Bucket], list[str]] = {}
    for of in _LEDGERS:
        for number in range(1, len(trait.instructions(of)) + 1):
            was = _side(before, (of, number))
            now = _side(after, (of, number))
            if was and now and was != now and (was, now) not in said:
                moved.setdefault((was, now), []).append(instruction_name(of, number))
    parts: list[str] = []
    for (was, now), names in moved.items():
        listed = ", ".join(names[:_NAMED])
        if len(names) > _NAMED:
            listed += f" and {len(names) - _NAMED} more"
        verb = "goes" if len(names) == 1 else "go"
        parts.append(f"{listed} {verb} from {MARKS[was]} to {MARKS[now]}")
    if not parts:
        return []
    text = "; ".join(parts)
    return [f"{text[0].upper()}{text[1:]}."]


_NAMED = 3
"""So many instructions that changed sides are named in a sentence."""
_LEDGERS: tuple[List, ...] = ("tp", "tn")
"""The lists whose instructions are kept account of; hints are not."""


def _side(labels: Labels, link: Link) -> Bucket | None:
    """The bucket in which an instruction is answered or left open; None for neither."""
    for bucket in buckets_of(link[0]):
        if labels.has(bucket, link):
            return bucket
    return None


def _times_linked(found: list[ItemRow]) -> Counter[tuple[List, int]]:
    return Counter(row.item.link for row in found if row.counts and row.item.link)


def _not_counted(was: list[ItemRow], now: list[ItemRow]) -> list[str]:
    """Of each new repeat that it does not count, and beside which item."""
    first: dict[str, Item] = {}
    for row in now:
        if row.counts:
            first.setdefault(row.item.text.lower().strip(), row.item)
    repeats = Counter(row.item for row in now if not row.counts)
    repeats -= Counter(row.item for row in was if not row.counts)
    texts = []
    for item in repeats:
        counting = first.get(item.text.lower().strip())
        if counting:
            texts.append(
                f"Not counted{_for_link(item)}: the same words count{_for_link(counting)} already."
            )
    return texts


def _for_link(item: Item) -> str:
    return f" for {instruction_name(*item.link)}" if item.link else ""


def instruction_name(of: List, number: int) -> str:
    """`instruction 4` for TP instruction 4, `TN instruction 1`, `hint 2`."""
    return {"tp": "instruction", "tn": "TN instruction", "fp": "hint"}[of] + f" {number}"


def open_instructions(trait: MetricRubricTrait, labels: Labels) -> list[Link]:
    """The instructions that stand in no bucket at all, and so can be added to FN or TN."""
    held = {item.link for _, item in labels.items()}
    links: list[Link] = []
    for of in lists(trait):
        for number, _ in enumerate(trait.instructions(of), 1):
            if (of, number) not in held:
                links.append((of, number))
    return links


# -- the checklist ---------------------------------------------------------------------------------


class ChecklistEntry(Struct, frozen=True):
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
    def link(self) -> Link:
        return self.of, self.number

    @property
    def mark(self) -> str:
        return link_mark(self.of, self.number)

    @property
    def is_denied(self) -> bool:
        """Whether the response says the contrary."""
        return any(row.item.denied for row in self.held)

    @property
    def standing(self) -> Standing:
        if self.excerpts and self.held:
            return "both"
        if not self.items:
            return "open"
        return STANDS[self.items[0].bucket]


Thing = ItemRow | ChecklistEntry
"""What a row shows."""


def entries(
    trait: MetricRubricTrait, by_bucket: Mapping[Bucket, Sequence[ItemRow]], of: List
) -> list[ChecklistEntry]:
    """A line for each instruction of a list."""
    yes, no = buckets_of(of)
    held: defaultdict[tuple[Bucket, Link | None], list[ItemRow]] = defaultdict(list)
    for bucket in (yes, no):
        for row in by_bucket.get(bucket, ()):
            held[bucket, row.link].append(row)
    found = []
    for number, text in enumerate(trait.instructions(of), 1):
        excerpts = tuple(held[yes, (of, number)])
        missing = tuple(held[no, (of, number)])
        found.append(ChecklistEntry(of, number, text, excerpts, missing))
    return found


def turning(
    trait: MetricRubricTrait, by_bucket: Mapping[Bucket, Sequence[ItemRow]], things: Iterable[Thing]
) -> list[ChecklistEntry]:
    """The lines of the instructions that some rows answer, so that they can be turned."""
    links = []
    for thing in things:
        link = thing.link
        if link and all(row.bucket in buckets_of(link[0]) for row in thing.items):
            links.append(link)
    found: list[ChecklistEntry] = []
    for of in lists(trait):
        found += [entry for entry in entries(trait, by_bucket, of) if entry.link in links]
    return found


def other_items(
    trait: MetricRubricTrait, by_bucket: Mapping[Bucket, Sequence[ItemRow]]
) -> list[ItemRow]:
    """The items on no instruction's line: unlinked, hints, wrong candidates of a `tp_only`."""
    others = []
    for bucket in BUCKETS:
        answered = [of for of in lists(trait) if bucket in buckets_of(of)]
        others += [row for row in by_bucket.get(bucket, ()) if row.item.of not in answered]
    return others


def excerpts_before(cell: Cell, entry: ChecklistEntry) -> list[Item]:
    """The excerpts that an instruction had before the last correction in force and took them
    away, or its omission; none where there is no such, or where they are not in the response.
    """
    yes, _ = buckets_of(entry.of)
    for fact in reversed(cell.corrections):
        what = fact.what
        if not isinstance(what, Corrected) or fact.n in cell.undone:
            continue
        if (what.edit.get("bucket"), what.after) == (yes, entry.text):
            first = fact.part_of or fact.n
            past = fold(cell.subject, [one for one in cell.facts if one.n < first])
            held = (past.labels or Labels()).bucket(yes)
            shown = [one for one in held if one.span or one.omission]
            return [one for one in shown if one.link == entry.link]
    return []


# -- where items went ------------------------------------------------------------------------------


def where_now(before: Labels, now: Labels) -> dict[Place, Place]:
    """Where every item that is still in its bucket stands now, by where it stood."""
    places: dict[Place, Place] = {}
    for bucket in BUCKETS:
        held: dict[Item, list[int]] = {}
        for index, item in enumerate(now.bucket(bucket)):
            held.setdefault(item, []).append(index)
        for index, item in enumerate(before.bucket(bucket)):
            if held.get(item):
                places[bucket, index] = bucket, held[item].pop(0)
    return places


def next_place(place: Place, order: Sequence[Place], went: Mapping[Place, Place]) -> Place | None:
    """Where an item went, else the next in order that is still there, else the last before."""
    if place not in order:
        return None
    at = order.index(place)
    for other in (*order[at:], *reversed(order[:at])):
        if other in went:
            return went[other]
    return None


def new_place(before: Labels, now: Labels, edit: Edit) -> Place | None:
    """The first item that is new in a bucket that an edit was about, else in any."""
    stayed = set(where_now(before, now).values())
    new = [place for place, _ in now.items() if place not in stayed]
    there = [place for place in new if place[0] in (edit.bucket, edit.to)]
    return next(iter((*there, *new)), None)


def found_again(edit: Edit, before: Labels, now: Labels) -> Edit:
    """The edit on the same item where it is now, after others moved it up or down."""
    place = where_now(before, now).get((edit.bucket, edit.index))
    if edit.action == "add" or place is None:
        return edit
    return replace(edit, index=place[1])


# -- where items came from -------------------------------------------------------------------------


Came = Literal["moved", "changed", "added"]


class Origin(Struct, frozen=True):
    """How an item came to be as it is: out of a bucket, with other words or another instruction, or
    by hand. `was` is what the judge had instead.
    """

    came: Came
    was: tuple[Bucket, Item] | None = None
    reason: str = ""


_Lineage = tuple[tuple[Bucket, Item] | None, int]
"""What the judge had where an item is now, and the last correction that touched it."""


def origins(cell: Cell) -> dict[Place, Origin]:
    """The items that are not as the judge proposed them, by their places."""
    steps = replayed(cell)
    if not steps or steps[-1].after != cell.labels:
        return {}
    held: dict[Place, _Lineage] = {}
    for place, item in steps[0].before.items():
        held[place] = (place[0], item), 0
    for step in steps:
        held = _after(held, step)
    found: dict[Place, Origin] = {}
    for place, (was, n) in held.items():
        came = _came(was, place[0], cell.labels.at(place))
        if came and n:
            found[place] = Origin(came, was, reason_for(cell, n))
    return found


def is_other_evidence(cell: Cell, place: Place, words: Span | None) -> bool:
    """Whether words that come in the place of an excerpt are right where the judge's were wrong:
    the verdict is the judge's own, and its words stand elsewhere. No words are of an omission.
    """
    item = judged = cell.labels.at(place)
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


def _came(was: tuple[Bucket, Item] | None, bucket: Bucket, item: Item) -> Came | None:
    if was is None:
        return "added"
    if was[0] != bucket:
        return "moved"
    if _describe(was[1]) != _describe(item):
        return "changed"
    return None


def _describe(item: Item) -> tuple[object, ...]:
    """What a person sees of an item."""
    return item.text, item.link, item.span, item.denied, item.omission


def _after(held: Mapping[Place, _Lineage], step: ReplayedStep) -> dict[Place, _Lineage]:
    """Where everything came from after one more correction."""
    edit: Edit = step.edit
    went = where_now(step.before, step.after)
    now = {there: held[place] for place, there in went.items()}
    gone = [place for place, _ in step.before.items() if place not in went]
    for place, item in step.after.items():
        if place in now:
            continue
        came_from: Place | None = None  # the item that the edit was of, or one of its instruction
        if edit.action != "add" and place[0] == (edit.to or edit.bucket):
            came_from = edit.bucket, edit.index
        elif item.link:
            alike = (other for other in gone if step.before.at(other).link == item.link)
            came_from = next(alike, None)
        now[place] = held[came_from][0] if came_from else None, step.n
    return now
