"""Describes the rows of a metric cell without a screen, and follows items through corrections.

The pane and line mode draw these rows; `names`, `where_now` and `origins` say which item is which
before and after an edit.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell, ReplayedStep, fold, reason_for, replayed
from appellate.core.facts import Corrected
from appellate.core.problem import first_texts
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
from appellate.traits.metric.spec import MetricRubricTrait, folded

NO_EVIDENCE = "no evidence"


class ItemRow(Struct, frozen=True):
    """One item as its bucket shows it."""

    bucket: Bucket
    index: int
    item: Item
    counts: bool
    """Whether the item counts in metrics; a repeat may not."""
    note: str
    """What is wrong with the item or how often its instruction counts; "" for nothing."""
    unverified: bool
    """Whether the item has words that should be in the response and are not there."""

    @property
    def place(self) -> Place:
        """The bucket and index of the item."""
        return self.bucket, self.index

    @property
    def link(self) -> Link | None:
        """The instruction that the item answers, or None."""
        return self.item.link

    @property
    def mark(self) -> str:
        """The short mark of the item's instruction, or ""."""
        return link_mark(self.item.of, self.item.instruction)

    @property
    def items(self) -> tuple["ItemRow"]:
        """The row by itself, as a checklist entry has its rows."""
        return (self,)


def all_rows(trait: MetricRubricTrait, labels: Labels) -> dict[Bucket, list[ItemRow]]:
    """Return the rows of items of every bucket of the trait, by bucket in order."""
    return {bucket: rows(trait, labels, bucket) for bucket in trait.buckets}


def rows(trait: MetricRubricTrait, labels: Labels, bucket: Bucket) -> list[ItemRow]:
    """Return the rows of a bucket's items, in order, with what to note beside each.

    Notes are the evidence if it is "unverified", "no evidence" or "denial unverified", then
    "unlinked" where a link is needed. A repeat is noted as "repeat, not counted", and an item whose
    instruction counts more than once as "counts twice" or "counts 3 times". Notes are joined by " ·
    "; "" for none.
    """
    items = labels.bucket(bucket)
    texts = [item.text for item in items]
    links = [item.link for item in items]
    counting = set(trait.counting(bucket, texts, links))
    counts_by_link = Counter(items[index].link for index in counting)
    item_rows: list[ItemRow] = []
    for index, item in enumerate(items):
        evidence = evidence_of(trait, bucket, item)
        counts = index in counting
        times = counts_by_link[item.link]
        notes: list[str] = []
        if evidence not in ("verified", ""):
            notes.append(evidence)
        if item.link is None and must_link(trait, bucket):
            notes.append("unlinked")
        if not counts:
            notes.append("repeat, not counted")
        elif item.link and times > 1:
            notes.append(f"counts {times_in_words(times)}")
        note = " · ".join(notes)
        is_unverified = evidence.endswith("unverified")
        item_rows.append(ItemRow(bucket, index, item, counts, note, is_unverified))
    return item_rows


def names(by_bucket: Mapping[Bucket, Sequence[ItemRow]]) -> dict[Place, str]:
    """Return what corrections call each item, by its place.

    That is its instruction as `link_mark` has it, such as "4" or "−1", else its words, as
    "“Paris”". A name that was used before gets a number: "4", then "4#2".
    """
    uses: Counter[str] = Counter()
    name_of: dict[Place, str] = {}
    for row in chain.from_iterable(by_bucket.values()):
        name = row.mark or f"“{row.item.text}”"
        uses[name] += 1
        use_count = uses[name]
        if use_count > 1:
            name = f"{name}#{use_count}"
        name_of[row.place] = name
    return name_of


def times_in_words(count: int) -> str:
    """Return "twice", or a count with "times"."""
    return "twice" if count == 2 else f"{count} times"  # noqa: PLR2004


def remarks(trait: MetricRubricTrait, before: Labels, after: Labels) -> list[str]:
    """Return sentences on what an edit made no longer count, or count several times.

    For example "TN instruction 1 counts once, with 3 excerpts." or "Instruction 2 counts twice
    now." They are about repeats, bucket by bucket. What was so before the edit is left out. Empty
    if there is nothing to say.
    """
    texts: list[str] = []
    for bucket in trait.buckets:
        rows_before = rows(trait, before, bucket)
        rows_after = rows(trait, after, bucket)
        texts += _new_repeats(trait, rows_before, rows_after)
        counts_by_link = _times_linked(rows_after)
        for link in counts_by_link - _times_linked(rows_before):
            count = counts_by_link[link]
            if count > 1:
                name = instruction_name(*link)
                name = name[0].upper() + name[1:]
                times = times_in_words(count)
                texts.append(f"{name} counts {times} now.")
    return texts


def moved_beside(
    trait: MetricRubricTrait,
    before: Labels,
    after: Labels,
    edits: Iterable[Edit],
) -> str:
    """Return a sentence on instructions that changed buckets although no edit says so, or "".

    `edits` are those of one act; a move between two buckets explains all changes between these. It
    reads "Instruction 4 goes from FN to TP.", with "; " between several directions. At most three
    instructions are named for each direction.
    """
    named_moves = {(edit.bucket, edit.to) for edit in edits if edit.action == "move"}
    moved: dict[tuple[Bucket, Bucket], list[str]] = {}
    for list_name in _LEDGERS:
        for number in range(1, len(trait.instructions(list_name)) + 1):
            side_before = _bucket_of_instruction(before, (list_name, number))
            side_after = _bucket_of_instruction(after, (list_name, number))
            if not side_before or not side_after or side_before == side_after:
                continue
            move = (side_before, side_after)
            if move not in named_moves:
                names = moved.setdefault(move, [])
                names.append(instruction_name(list_name, number))
    parts: list[str] = []
    for (side_before, side_after), names in moved.items():
        name_text = first_texts(names, _NAMED)
        verb = "goes" if len(names) == 1 else "go"
        mark_before = MARKS[side_before]
        mark_after = MARKS[side_after]
        parts.append(f"{name_text} {verb} from {mark_before} to {mark_after}")
    if not parts:
        return ""
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


_NAMED = 3
"""The largest number of instructions that such a sentence names."""
_LEDGERS: tuple[List, ...] = ("tp", "tn")
"""The lists whose instructions are kept account of; hints are not."""


def _bucket_of_instruction(labels: Labels, link: Link) -> Bucket | None:
    """Return the bucket that holds an instruction, or None if neither of its two does.

    If both do, it is the one of excerpts.
    """
    for bucket in buckets_of(link[0]):
        if labels.has(bucket, link):
            return bucket
    return None


def _times_linked(item_rows: Sequence[ItemRow]) -> Counter[tuple[List, int]]:
    """Return how many of the rows that count answer each instruction.

    Unlinked rows are left out.
    """
    return Counter(row.item.link for row in item_rows if row.counts and row.item.link)


def _new_repeats(
    trait: MetricRubricTrait,
    rows_before: Sequence[ItemRow],
    rows_after: Sequence[ItemRow],
) -> list[str]:
    """Return sentences on items that an edit made repeats, which do not count; each sentence once.

    `rows_before` and `rows_after` are the rows of one bucket before and after the edit. Where the
    bucket counts by instruction, a linked item is told as "TN instruction 1 counts once, with 3
    excerpts.", if the instruction has more excerpts than before. Any other is told as "Not counted
    for hint 2: the same words count already.", if a row that counts has its words but for case. A
    repeat for which neither is so is not told.
    """
    texts = []
    repeats = Counter(row.item for row in rows_after if not row.counts)
    repeats -= Counter(row.item for row in rows_before if not row.counts)
    counted_words = {folded(row.item.text) for row in rows_after if row.counts}
    excerpts_before = Counter(row.link for row in rows_before)
    excerpts_after = Counter(row.link for row in rows_after)
    for item in repeats:
        link = item.link
        if link and trait.counts_by_link(rows_after[0].bucket):
            excerpt_count = excerpts_after[link]
            if excerpt_count > excerpts_before[link]:
                name = instruction_name(*link)
                name = name[0].upper() + name[1:]
                texts.append(f"{name} counts once, with {excerpt_count} excerpts.")
        elif folded(item.text) in counted_words:
            texts.append(f"Not counted{_for_link(item)}: the same words count already.")
    return list(dict.fromkeys(texts))


def _for_link(item: Item) -> str:
    """Return " for instruction 4", " for TN instruction 1" or " for hint 2", blank included.

    Returns "" for an unlinked item.
    """
    if item.link is None:
        return ""
    name = instruction_name(*item.link)
    return f" for {name}"


def instruction_name(list_name: List, number: int) -> str:
    """Return the name of an instruction in a sentence, by its list and its number from 1.

    It is "instruction 4" for a TP instruction, "TN instruction 1" for a TN instruction, and "hint
    2" for one of the list `fp`.
    """
    nouns = {"tp": "instruction", "tn": "TN instruction", "fp": "hint"}
    return f"{nouns[list_name]} {number}"


def open_instructions(trait: MetricRubricTrait, labels: Labels) -> list[Link]:
    """Return the instructions that no item of any bucket is linked to, as list and number.

    They are in the rubric's order. Only instructions that FN or TN can hold are there: hints are
    left out, and TN instructions in `tp_only`.
    """
    used_links = {item.link for _, item in labels.items()}
    links: list[Link] = []
    for list_name in lists(trait):
        for number, _ in enumerate(trait.instructions(list_name), 1):
            if (list_name, number) not in used_links:
                links.append((list_name, number))
    return links


# -- the checklist ---------------------------------------------------------------------------------


class ChecklistEntry(Struct, frozen=True):
    """An instruction, with the rows of the items that answer it."""

    of: List
    number: int
    """The number of the instruction in its list, from 1."""
    text: str
    excerpts: tuple[ItemRow, ...]
    """The rows in TP (FP of a TN instruction)."""
    held: tuple[ItemRow, ...]
    """The rows in FN (TN of a TN instruction)."""

    @property
    def items(self) -> tuple[ItemRow, ...]:
        """All rows of the instruction, excerpts first."""
        return (*self.excerpts, *self.held)

    @property
    def link(self) -> Link:
        """The list and number of the instruction."""
        return self.of, self.number

    @property
    def mark(self) -> str:
        """The short mark of the instruction: "4", in the TN list "−1", and for a hint "~2"."""
        return link_mark(self.of, self.number)

    @property
    def is_denied(self) -> bool:
        """Whether the response says the contrary of the instruction."""
        return any(row.item.denied for row in self.held)

    @property
    def standing(self) -> Standing:
        """The standing of the instruction: by its bucket, "both", or "open" for neither.

        By the bucket it is "found", "missing", "present" or "absent".
        """
        if self.excerpts and self.held:
            return "both"
        if not self.items:
            return "open"
        return STANDS[self.items[0].bucket]


Thing = ItemRow | ChecklistEntry
"""What a line of the pane shows: an item, or an instruction of the checklist."""


def entries(
    trait: MetricRubricTrait,
    by_bucket: Mapping[Bucket, Sequence[ItemRow]],
    list_name: List,
) -> list[ChecklistEntry]:
    """Return a checklist entry for each instruction of a list, in order.

    An entry has the rows of the items that answer the instruction, from its two buckets. It has
    none if no item does.
    """
    excerpt_bucket, negative_bucket = buckets_of(list_name)
    rows_by_link: defaultdict[tuple[Bucket, Link | None], list[ItemRow]] = defaultdict(
        list,
    )
    for bucket in (excerpt_bucket, negative_bucket):
        for row in by_bucket.get(bucket, ()):
            rows_by_link[bucket, row.link].append(row)
    checklist = []
    for number, text in enumerate(trait.instructions(list_name), 1):
        excerpts = tuple(rows_by_link[excerpt_bucket, (list_name, number)])
        negative_rows = tuple(rows_by_link[negative_bucket, (list_name, number)])
        checklist.append(
            ChecklistEntry(list_name, number, text, excerpts, negative_rows),
        )
    return checklist


def turning(
    trait: MetricRubricTrait,
    by_bucket: Mapping[Bucket, Sequence[ItemRow]],
    things: Iterable[Thing],
) -> list[ChecklistEntry]:
    """Return the entries of the instructions that `things` are about, so that they can be turned.

    `things` are items or entries; an entry without items counts, too. Left out are unlinked items,
    hints and wrong candidates of a `tp_only` trait. Each entry is there once, in the rubric's
    order.
    """
    links = []
    for thing in things:
        link = thing.link
        if link and all(row.bucket in buckets_of(link[0]) for row in thing.items):
            links.append(link)
    entries_to_turn: list[ChecklistEntry] = []
    for list_name in lists(trait):
        for entry in entries(trait, by_bucket, list_name):
            if entry.link in links:
                entries_to_turn.append(entry)
    return entries_to_turn


def other_items(
    trait: MetricRubricTrait,
    by_bucket: Mapping[Bucket, Sequence[ItemRow]],
) -> list[ItemRow]:
    """Return the rows of items on no instruction's line, bucket by bucket.

    These are unlinked items, hints, and wrong candidates of a `tp_only` trait.
    """
    others: list[ItemRow] = []
    for bucket in BUCKETS:
        answered_lists: list[List] = []
        for list_name in lists(trait):
            if bucket in buckets_of(list_name):
                answered_lists.append(list_name)
        for row in by_bucket.get(bucket, ()):
            if row.item.of not in answered_lists:
                others.append(row)
    return others


def excerpts_before(cell: Cell, entry: ChecklistEntry) -> list[Item]:
    """Return the excerpts, or the omission, that a correction last took from an instruction.

    That is the last one, not undone, which replaced an excerpt by the instruction itself. Those
    that were not in the response are left out. Returns an empty list if no correction did.
    """
    excerpt_bucket, _ = buckets_of(entry.of)
    for fact in reversed(cell.corrections):
        event = fact.what
        if not isinstance(event, Corrected) or fact.n in cell.undone:
            continue
        if event.edit.get("bucket") != excerpt_bucket or event.after != entry.text:
            continue
        act_no = fact.part_of or fact.n
        earlier_facts = [earlier for earlier in cell.facts if earlier.n < act_no]
        past = fold(cell.subject, earlier_facts)
        past_labels = past.labels or Labels()
        excerpts: list[Item] = []
        for item in past_labels.bucket(excerpt_bucket):
            is_supported = item.span or item.omission
            if is_supported and item.link == entry.link:
                excerpts.append(item)
        return excerpts
    return []


# -- where items went ------------------------------------------------------------------------------


def where_now(before: Labels, after: Labels) -> dict[Place, Place]:
    """Return the new place of each item that is still in its bucket, by its place before.

    For example {("tp", 1): ("tp", 0)} after the first in TP was dropped. Items that are equal are
    matched in their order. One that was changed or moved is left out.
    """
    places: dict[Place, Place] = {}
    for bucket in BUCKETS:
        indexes_by_item: dict[Item, list[int]] = {}
        for index, item in enumerate(after.bucket(bucket)):
            indexes = indexes_by_item.setdefault(item, [])
            indexes.append(index)
        for index, item in enumerate(before.bucket(bucket)):
            new_indexes = indexes_by_item.get(item)
            if new_indexes:
                places[bucket, index] = (bucket, new_indexes.pop(0))
    return places


def next_place(
    place: Place,
    order: Sequence[Place],
    new_places: Mapping[Place, Place],
) -> Place | None:
    """Return where the cursor goes when the item at a place may have moved or gone.

    That is the item's new place, else that of the next item in `order` that is still there, else
    that of the nearest one before. Returns None if none is left, or for a place that is not in
    `order`.
    """
    if place not in order:
        return None
    position = order.index(place)
    for candidate in (*order[position:], *reversed(order[:position])):
        if candidate in new_places:
            return new_places[candidate]
    return None


def new_place(before: Labels, after: Labels, edit: Edit) -> Place | None:
    """Return the first place with an item that was not in its bucket before; None for none.

    A place in the buckets that the edit is about goes before others.
    """
    stayed = set(where_now(before, after).values())
    new_places = [place for place, _ in after.items() if place not in stayed]
    for place in new_places:
        bucket, _ = place
        if bucket in (edit.bucket, edit.to):
            return place
    return new_places[0] if new_places else None


def found_again(edit: Edit, before: Labels, after: Labels) -> Edit:
    """Return an edit with the index that its item has now, after others moved it up or down.

    An addition, and an edit whose item is changed or no longer in its bucket, are returned as they
    are.
    """
    if edit.action == "add":
        return edit
    places = where_now(before, after)
    place = places.get((edit.bucket, edit.index))
    if place is None:
        return edit
    _, index = place
    return replace(edit, index=index)


# -- where items came from -------------------------------------------------------------------------


Came = Literal["moved", "changed", "added"]


class Origin(Struct, frozen=True):
    """The way in which an item came to differ from what the judge proposed."""

    came: Came
    """"moved" out of a bucket, "changed" in its words or link, or "added" by a person."""
    was: tuple[Bucket, Item] | None = None
    """The bucket and item that the judge had instead; None for an item that a person added."""
    reason: str = ""


_Lineage = tuple[tuple[Bucket, Item] | None, int]
"""What the judge had instead of an item, and the fact number of the last correction of it."""


def origins(cell: Cell) -> dict[Place, Origin]:
    """Return the origin of each item that differs from the judge's proposal, by its place.

    An origin says whether the item was moved, changed or added, what it was and the reason given.
    Returns an empty dictionary for labels that a person started, and if the corrections do not lead
    to the current labels. Raises Refused if a correction does not fit.
    """
    steps = replayed(cell)
    if not steps or steps[-1].after != cell.labels:
        return {}
    lineages: dict[Place, _Lineage] = {}
    for place, item in steps[0].before.items():
        bucket, _ = place
        lineages[place] = ((bucket, item), 0)
    for step in steps:
        lineages = _lineages_after(lineages, step)
    origin_of: dict[Place, Origin] = {}
    for place, (judged, fact_no) in lineages.items():
        bucket, _ = place
        difference = _difference_from_judge(judged, bucket, cell.labels.at(place))
        if difference and fact_no:
            reason = reason_for(cell, fact_no)
            origin_of[place] = Origin(difference, judged, reason)
    return origin_of


def is_other_evidence(cell: Cell, place: Place, span: Span | None) -> bool:
    """Return whether other words correct only the evidence, not the judge's answer.

    That is so if bucket and instruction are still the judge's and the new words do not overlap with
    the judge's, as words that are not in the response never do. A `span` of None puts an omission
    there, which is other evidence unless the judge had one too. Returns False without a judge, for
    an item that a person added, and for an unlinked one. The cell must have labels.
    """
    item = judged = cell.labels.at(place)
    origin = origins(cell).get(place)
    if origin:
        bucket, judged = origin.was or (None, item)
        if bucket != place[0]:
            return False
    if cell.judge is None or item.link is None:
        return False
    if item.link != judged.link:
        return False
    if span is None:
        return not judged.omission
    start, end = span
    judged_start, judged_end = judged.span or (0, 0)
    return end <= judged_start or judged_end <= start


def _difference_from_judge(
    judged: tuple[Bucket, Item] | None,
    bucket: Bucket,
    item: Item,
) -> Came | None:
    """Return how an item in `bucket` differs from what the judge had; None if it does not.

    "added" if the judge had none, "moved" if it was in another bucket, "changed" if a person would
    see a difference.
    """
    if judged is None:
        return "added"
    if judged[0] != bucket:
        return "moved"
    if _describe(judged[1]) != _describe(item):
        return "changed"
    return None


def _describe(item: Item) -> tuple[object, ...]:
    """Return what a person sees of an item, to compare two."""
    return item.text, item.link, item.span, item.denied, item.omission


def _lineages_after(
    lineages: Mapping[Place, _Lineage],
    step: ReplayedStep,
) -> dict[Place, _Lineage]:
    """Return the lineage of each item after one more correction, by the item's place then.

    An item that is still in its bucket keeps its lineage. Any other one has what the judge had
    instead of its source (`_source_of`), or None without a source, and this correction's fact
    number. `lineages` are those before, and are not changed.
    """
    new_places = where_now(step.before, step.after)
    lineages_after: dict[Place, _Lineage] = {}
    for place, new_place in new_places.items():
        lineages_after[new_place] = lineages[place]

    places_gone = [place for place, _ in step.before.items() if place not in new_places]
    for place, item in step.after.items():
        if place in lineages_after:
            continue
        judged = None
        source = _source_of(place, item, step, places_gone)
        if source is not None:
            judged, _ = lineages[source]
        lineages_after[place] = judged, step.n
    return lineages_after


def _source_of(
    place: Place,
    item: Item,
    step: ReplayedStep,
    places_gone: Sequence[Place],
) -> Place | None:
    """Return the place, before a correction, of the item that became the new item at `place`.

    New is an item that the correction put there or changed; one that stayed as it was must not be
    asked about. In the bucket into which the correction put an item, the source is the item that
    was corrected, linked or not: after TP 0 was moved to FN, ("fn", 2) comes from ("tp", 0).
    Elsewhere, and for an addition, it is the first of `places_gone` with an item of the same
    instruction, or None if there is none or the item is unlinked. `places_gone` are the places,
    before the correction, of the items that did not stay.
    """
    edit: Edit = step.edit
    target_bucket = edit.target_bucket
    if edit.action != "add" and place[0] == target_bucket:
        return edit.bucket, edit.index

    if not item.link:
        return None
    for place_gone in places_gone:
        if step.before.at(place_gone).link == item.link:
            return place_gone
    return None
