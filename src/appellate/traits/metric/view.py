"""What there is to see of a metric cell, without a screen: rows, evidence, likely instructions,
figures, and the whole of one item.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from appellate.traits.metric.labels import BUCKETS, EXCERPTS, Bucket, Item, Labels, List
from appellate.traits.metric.ledger import MARKS, buckets_of, evidence_of, link_mark, lists
from appellate.traits.metric.majority import PanelLabels
from appellate.traits.metric.measures import counted
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.metric.telling import explained, instruction, often


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item as its bucket shows it; `counts` is false for a repeat, `note` says what is amiss."""

    bucket: Bucket
    index: int
    item: Item
    mark: str
    counts: bool
    note: str

    @property
    def place(self) -> tuple[Bucket, int]:
        return self.bucket, self.index

    @property
    def unverified(self) -> bool:
        """Whether no words of the response bear it out, though they should."""
        return self.bucket in EXCERPTS and self.item.span is None


def buckets(trait: MetricRubricTrait) -> tuple[Bucket, ...]:
    """The buckets that the trait has."""
    return BUCKETS if trait.full else BUCKETS[:3]


def rows(trait: MetricRubricTrait, labels: Labels, bucket: Bucket) -> list[ItemRow]:
    """The items of a bucket in order."""
    items = labels.bucket(bucket)
    counting = set(counted([item.text for item in items], trait.repeated_extraction))
    times = Counter(items[index].link for index in counting)
    listed = []
    for index, item in enumerate(items):
        counts = times[item.link] if index in counting else 0
        listed.append(
            ItemRow(
                bucket, index, item, _mark(item), bool(counts), _note(trait, bucket, item, counts)
            )
        )
    return listed


def _mark(item: Item) -> str:
    return link_mark(item.of, item.instruction)


def _note(trait: MetricRubricTrait, bucket: Bucket, item: Item, counts: int) -> str:
    """What is amiss with an item of an instruction that counts so often in its bucket, or not by this item."""
    stands = evidence_of(trait, bucket, item)
    notes = [stands] if stands not in ("", "verified") else []
    if item.link is None and (trait.full or bucket != "fp"):
        notes.append("unlinked")
    if not counts:
        notes.append("repeat, not counted")
    if counts > 1 and item.link:
        notes.append(f"counts {often(counts)}")
    return " · ".join(notes)


def remarks(trait: MetricRubricTrait, before: Labels, after: Labels) -> list[str]:
    """What an edit made count no more, or several times, in sentences."""
    found: list[str] = []
    for bucket in buckets(trait):
        was, now = rows(trait, before, bucket), rows(trait, after, bucket)
        repeats = Counter(row.item for row in now if not row.counts) - Counter(
            row.item for row in was if not row.counts
        )
        for item in repeats:
            key = item.text.lower().strip()
            first = next(
                (row for row in now if row.counts and row.item.text.lower().strip() == key), None
            )
            if first:
                found.append(
                    f"Not counted{_for(item)}: the same words count{_for(first.item)} already."
                )
        times = Counter(row.item.link for row in now if row.counts)
        rising = times - Counter(row.item.link for row in was if row.counts)
        several = [link for link in rising if link and times[link] > 1]
        found += [
            f"{_capital(instruction(*link))} counts {often(times[link])} now." for link in several
        ]
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _for(item: Item) -> str:
    return f" for {instruction(*item.link)}" if item.link else ""


@dataclass(frozen=True, slots=True)
class EvidenceMark:
    """A stretch of the response that an item stands on."""

    start: int
    end: int
    bucket: Bucket
    index: int
    mark: str
    counts: bool


def evidence(listed: Iterable[ItemRow]) -> list[EvidenceMark]:
    """Every verified excerpt's place."""
    return [
        EvidenceMark(*row.item.span, row.bucket, row.index, row.mark, row.counts)
        for row in listed
        if row.item.span and row.bucket in EXCERPTS
    ]


def likeliest(trait: MetricRubricTrait, of: List, text: str) -> list[tuple[int, float]]:
    """The instructions of a list by how well a text fits them: number and likeness from 0 to 100."""
    from rapidfuzz import fuzz  # only here: 10 ms

    scored = [
        (number, fuzz.token_set_ratio(text.lower(), instruction.lower()))
        for number, instruction in enumerate(trait.instructions(of), 1)
    ]
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))


class LikelyLink(NamedTuple):
    """An instruction that may be picked: the buckets where it stands already, and how well it fits."""

    link: tuple[List, int]
    text: str
    where: str
    likely: float


def likely_links(
    trait: MetricRubricTrait,
    labels: Labels,
    among: Iterable[List],
    text: str,
    here: tuple[List, int] | None = None,
) -> list[LikelyLink]:
    """The instructions of some lists: the one that one is at, then those no excerpt answers, then the likeliest."""
    found = [((of, number), like) for of in among for number, like in likeliest(trait, of, text)]
    answered = labels.links("tp") | labels.links("fp")
    found.sort(key=lambda pair: (pair[0] != here, pair[0] in answered, -pair[1]))
    return _standing(trait, labels, found)


def open_links(
    trait: MetricRubricTrait, labels: Labels, here: tuple[List, int] | None
) -> list[LikelyLink]:
    """The instructions that stand in no bucket at all, and so can be added to FN or TN; first the one one is at."""
    found = sorted(open_instructions(trait, labels), key=lambda link: link != here)
    return _standing(trait, labels, [(link, 0.0) for link in found])


def _standing(
    trait: MetricRubricTrait, labels: Labels, found: list[tuple[tuple[List, int], float]]
) -> list[LikelyLink]:
    held = {name: labels.links(name) for name in buckets(trait)}
    where = {
        link: " ".join(MARKS[name] for name in held if link in held[name]) for link, _ in found
    }
    return [
        LikelyLink(link, trait.instructions(link[0])[link[1] - 1], where[link], like)
        for link, like in found
    ]


def open_instructions(trait: MetricRubricTrait, labels: Labels) -> list[tuple[List, int]]:
    """The instructions that stand in no bucket at all, and so can be added to FN or TN."""
    links = [
        (of, number) for of in lists(trait) for number in range(1, len(trait.instructions(of)) + 1)
    ]
    held = {item.link for bucket in BUCKETS for item in labels.bucket(bucket)}
    return [link for link in links if link not in held]


# -- the checklist ---------------------------------------------------------------------------------


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


def standing_counts(of: List, held: Sequence[ChecklistEntry]) -> list[tuple[Standing, int]]:
    """How many lines of a list stand how: the two that should be, and what else there is."""
    counts = Counter(entry.standing for entry in held)
    usual = [STANDS[bucket] for bucket in buckets_of(of)]
    amiss: list[Standing] = ["both", "open"]
    return [
        (standing, counts[standing])
        for standing in [*usual, *(one for one in amiss if counts[one])]
    ]


# -- the item under the cursor, whole --------------------------------------------------------------


class Said(NamedTuple):
    """One line, in a colour of the theme or in none."""

    text: str
    colour: str = ""


def of_item(trait: MetricRubricTrait, row: ItemRow, room: int) -> list[Said]:
    """An item's text where its row cuts it, its instruction, and what is amiss."""
    parts = [Said(row.item.text)] if len(row.item.text) > room else []
    if row.item.link and row.bucket in EXCERPTS:
        of, number = row.item.link
        parts.append(Said(f"{row.mark} {trait.instructions(of)[number - 1]}"))
    return parts + _more(row)


def of_entry(entry: ChecklistEntry, room: int, *, beside: bool) -> list[Said]:
    """An instruction where its row cuts it, the excerpts that do not stand whole beside it, and what is amiss."""
    parts = [Said(entry.text)] if len(entry.text) > room else []
    whole = beside and bool(entry.excerpts) and len(entry.excerpts[0].item.text) <= room
    parts += [Said(f"“{row.item.text}”", f"bucket-{row.bucket}") for row in entry.excerpts[whole:]]
    return parts + [said for row in entry.items for said in _more(row)]


def _more(row: ItemRow) -> list[Said]:
    judged = [Said(f"judge: {row.item.rationale}")] if row.item.rationale else []
    return judged + ([Said(explained(row.note), "state-failed")] if row.note else [])


def of_votes(panel: PanelLabels, thing: ItemRow | ChecklistEntry) -> list[Said]:
    """Which members of the panel say what of an instruction, or of an item that answers none."""
    if isinstance(thing, ItemRow) and not panel.answers(thing.bucket, thing.item):
        held = panel.backers(thing.bucket, thing.item)
        told = {"so": held, "not so": tuple(n for n in range(len(panel.members)) if n not in held)}
    else:
        of, number = (
            (thing.of, thing.number)
            if isinstance(thing, ChecklistEntry)
            else thing.item.link or ("tp", 0)
        )
        found, missing = (STANDS[bucket] for bucket in buckets_of(of))
        told = dict(zip((found, missing, "unclear"), panel.votes[of, number], strict=True))
    parts = [
        f"{words}: {', '.join(panel.names[n] for n in held)}"
        for words, held in told.items()
        if held
    ]
    return [Said(f"panel: {'; '.join(parts)}", "state-flag" if len(parts) > 1 else "")]


def of_breaches(amiss: list[str], mark: str) -> list[Said]:
    """The first breach of the ledger, and how many more there are."""
    more = f" (and {len(amiss) - 1} more)" if len(amiss) > 1 else ""
    return [Said(f"{mark} {amiss[0]}{more}", "state-failed")] if amiss else []
