"""The four buckets of a cell, their shape in files, and what can be wrong with a table (SPEC 5).

TP and FP hold excerpts of the response; FN and TN hold instructions.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Fault, Table
from appellate.core.problem import describe_value, quoted
from appellate.core.trace import Trace
from appellate.traits.evidence import (
    Finder,
    Span,
    describe_given,
    item_faults,
    span_faults,
    text_faults,
    type_faults,
)
from appellate.traits.metric import spec
from appellate.traits.metric.spec import (
    InstructionList,
    MetricRubricTrait,
    Numbering,
    folded,
    lists_of,
)

Bucket = spec.Bucket
BUCKETS = spec.BUCKETS
List = InstructionList
Link = tuple[List, int]
Place = tuple[Bucket, int]
LISTS: tuple[List, ...] = ("tp", "tn", "fp")
EXCERPTS: tuple[Bucket, ...] = ("tp", "fp")
UNSAID: tuple[Bucket, ...] = ("fn", "tn")
DETAIL = (
    "instruction",
    "of",
    "start",
    "end",
    "named_step",
    "rationale",
    "denied",
    "wrong_evidence",
    "omission",
)
"""What files have of an item beside its text and its place."""


class Item(Struct, frozen=True):
    """One entry of a bucket; `of` and `instruction` (1-based) say which instruction it answers.

    `denied` are the words of the response that deny an instruction in FN or TN. `start` and `end`
    are codepoint offsets in the response, of an excerpt or of a denial found there.
    `wrong_evidence` is whether a person put an excerpt in the place of the judge's, whose verdict
    was right. Of an `omission` in TP or FP there is no excerpt: what the instruction asks for is
    left out, and the text is the instruction's own. `named_step` is the step of a conversation that
    the judge named for the words, unless they were found there.
    """

    text: str
    of: List | None = None
    instruction: int | None = None
    start: int | None = None
    end: int | None = None
    rationale: str = ""
    denied: str = ""
    wrong_evidence: bool = False
    omission: bool = False
    named_step: int | None = None

    @property
    def span(self) -> Span | None:
        if self.start is None or self.end is None:
            return None
        return self.start, self.end

    @property
    def link(self) -> Link | None:
        if self.of is None or self.instruction is None:
            return None
        return self.of, self.instruction

    def at(self, start: int | None, end: int | None) -> "Item":
        """The same item at another place of the response, which no judge named."""
        return replace(self, start=start, end=end, named_step=None)

    def detail(self) -> dict[str, Any]:
        """What is known beyond the text, as written in files."""
        known = {}
        for key in DETAIL:
            value = getattr(self, key)
            if value is not None and value is not False and value != "":
                known[key] = value
        return known


class Labels(Struct, frozen=True):
    """The four buckets, in order."""

    tp: tuple[Item, ...] = ()
    fn: tuple[Item, ...] = ()
    fp: tuple[Item, ...] = ()
    tn: tuple[Item, ...] = ()

    @classmethod
    def of(cls, items: Mapping[Bucket, Iterable[Item]]) -> "Labels":
        """The labels with these items; a bucket that is not named is empty."""
        return cls(*(tuple(items.get(bucket, ())) for bucket in BUCKETS))

    def bucket(self, name: Bucket) -> tuple[Item, ...]:
        items: tuple[Item, ...] = getattr(self, name)
        return items

    def items(self) -> Iterator[tuple[Place, Item]]:
        """Every item with its place, bucket by bucket."""
        for bucket in BUCKETS:
            for index, item in enumerate(self.bucket(bucket)):
                yield (bucket, index), item

    def at(self, place: Place) -> Item:
        return self.bucket(place[0])[place[1]]

    def put(self, name: Bucket, items: Iterable[Item]) -> "Labels":
        return replace(self, **{name: tuple(items)})

    def links(self, name: Bucket) -> set[Link | None]:
        """The instructions that the items of a bucket answer."""
        return {item.link for item in self.bucket(name)}

    def has(self, name: Bucket, link: Link | None) -> bool:
        """Whether some item of the bucket answers this instruction."""
        return link is not None and any(item.link == link for item in self.bucket(name))


def located(trait: MetricRubricTrait, trace: Trace, table: Table) -> dict[str, Any]:
    """A judge's table with links by equal wording and offsets of its excerpts; its words stay."""
    finder = Finder.of(trace)
    numberings = {of: trait.numbering(of) for of in LISTS}
    found: list[tuple[Bucket, int, Item]] = []
    taken: defaultdict[Link | None, list[Span]] = defaultdict(list)
    for bucket, index, text, known in _entries(table):
        item = _item(trait, numberings, finder, bucket, text, known)
        if item.span:
            taken[item.link].append(item.span)
        found.append((bucket, index, item))
    rows: list[dict[str, Any]] = []
    for bucket, index, item in found:
        spans: list[Span] = []
        if not item.span:
            names = _other_names(trait, bucket, item)
            spans = _looked_up(finder, bucket, item, names, taken[item.link])
        placed = [_found_at(finder, item, span) for span in spans]
        for one in placed or [item]:
            rows += _row((bucket, index), one)
    return {name: list(table.get(name, ())) for name in BUCKETS} | {"items": rows}


def _found_at(finder: Finder, item: Item, span: Span) -> Item:
    """Return an item at a place; the step that its judge named stays where that is another one."""
    named_step = item.named_step
    if finder.step_no(span) == named_step:
        named_step = None
    return replace(item.at(*span), named_step=named_step)


def with_steps(labels: Labels, trace: Trace) -> Labels:
    """Return labels in which an excerpt that is found has the number of its step as the named one.

    So an example shows a judge of a conversation which step to name.
    """
    finder = Finder.of(trace)
    for bucket in BUCKETS:
        items: list[Item] = []
        for item in labels.bucket(bucket):
            if item.span:
                items.append(replace(item, named_step=finder.step_no(item.span)))
            else:
                items.append(item)
        labels = labels.put(bucket, items)
    return labels


def _other_names(trait: MetricRubricTrait, bucket: Bucket, item: Item) -> list[str]:
    """Return the other names of the instruction that an excerpt's text is itself a name of."""
    if bucket not in EXCERPTS or item.link is None or not trait.aliases:
        return []
    names = trait.names(*item.link)
    if folded(item.text) not in map(folded, names):
        return []
    return names


def _looked_up(
    finder: Finder, bucket: Bucket, item: Item, names: Sequence[str], taken: list[Span]
) -> list[Span]:
    """Where an excerpt stands, which is then taken, or the one stretch of a denial.

    An excerpt that is nowhere is looked for under its other names.
    """
    if bucket in EXCERPTS and not item.omission:
        found: list[Span] = []
        for text in (item.text, *names):
            found = found or finder.find_parts(text, taken, item.named_step)
        taken += found
        return found
    if not item.denied:
        return []
    found = finder.find_parts(item.denied, step_no=item.named_step)
    whole = finder.as_one(found)
    return [whole] if whole else []


def _entries(table: Table) -> Iterator[tuple[Bucket, int, str, Table]]:
    """Each text with its place and what is known of it: once for each excerpt that it became."""
    known: dict[tuple[str, int], list[Table]] = {}
    for row in table.get("items", ()):
        known.setdefault((row["bucket"], row["index"]), []).append(row)
    nothing: list[Table] = [{}]
    for bucket in BUCKETS:
        for index, text in enumerate(table.get(bucket, ())):
            for row in known.get((bucket, index), nothing):
                yield bucket, index, text, row


def _item(
    trait: MetricRubricTrait,
    numberings: Mapping[List, Numbering],
    finder: Finder,
    bucket: Bucket,
    text: str,
    known: Table,
) -> Item:
    """An entry with its link, and with the offsets that its table gives if it is there."""
    of = known.get("of")
    number = known.get("instruction")
    lists = lists_of(trait, bucket)
    if number is None:
        of = None
        for one in lists:  # the instruction of this name, of two lists the last
            named = numberings[one].number(text)
            if named is not None:
                of = one
                number = named
    elif of is None:
        of = lists[0]
    rationale = known.get("rationale", "")
    if known.get("omission"):
        return Item(text, of, number, rationale=rationale, omission=True)
    wording = text
    denied = ""
    if bucket not in EXCERPTS:
        wording = denied = known.get("denied", "")
    start = known.get("start")
    end = known.get("end")
    if not wording or start is None or end is None or not finder.has(wording, (start, end)):
        start = end = None
    named_step = known.get("named_step")
    return Item(text, of, number, start, end, rationale, denied, named_step=named_step)


def from_table(trait: MetricRubricTrait, trace: Trace, table: Table) -> Labels:
    """The labels of a located table: an excerpt with offsets becomes the exact slice of the
    response.

    TN does not exist in `tp_only`: a judge's TN stays in its table.
    """
    buckets: defaultdict[Bucket, list[Item]] = defaultdict(list)
    own = trait.buckets
    for bucket, _, text, known in _entries(table):
        if bucket not in own:
            continue
        item = Item(text, **{key: known[key] for key in DETAIL if key in known})
        if item.span is None:
            item = replace(item, start=None, end=None)
        elif not (bucket in EXCERPTS or item.denied):
            item = item.at(None, None)
        elif bucket in EXCERPTS:
            item = replace(item, text=trace.text[item.start : item.end])
        else:
            item = replace(item, denied=trace.text[item.start : item.end])
        buckets[bucket].append(item)
    return Labels.of(buckets)


def written(labels: Labels) -> dict[str, Any]:
    """The labels' part of a judgment in the audit file."""
    audited = to_lists(labels)
    rows = to_rows(labels)
    if not rows:
        return {"audited": audited}
    return {"audited": audited, "items": rows}


def to_table(labels: Labels) -> dict[str, Any]:
    """The labels as a judge's table has them."""
    return {**to_lists(labels), "items": to_rows(labels)}


def to_lists(labels: Labels) -> dict[str, list[str]]:
    """Every item's text by bucket, before deduplication."""
    return {name: [item.text for item in labels.bucket(name)] for name in BUCKETS}


def to_rows(labels: Labels) -> list[dict[str, Any]]:
    """What is known of the items beyond their texts, by position."""
    rows: list[dict[str, Any]] = []
    for place, item in labels.items():
        rows += _row(place, item)
    return rows


def _row(place: Place, item: Item) -> list[dict[str, Any]]:
    """An item's row in a table, if anything is known of it."""
    detail = item.detail()
    (bucket, index) = place
    if not detail:
        return []
    return [{"bucket": bucket, "index": index, **detail}]


# -- what is wrong with a table --------------------------------------------------------------------


_TEXTS: Table = {"type": "array", "items": {"type": "string"}}
_ITEM: Table = {
    "bucket": {"enum": [*BUCKETS]},
    "index": {"type": "integer"},
    "instruction": {"type": "integer"},
    "of": {"enum": [*LISTS]},
    "start": {"type": "integer"},
    "end": {"type": "integer"},
    "step": {"type": "integer"},
    "named_step": {"type": "integer"},
    "rationale": {"type": "string"},
    "denied": {"type": "string"},
    "wrong_evidence": {"type": "boolean"},
    "omission": {"type": "boolean"},
}
LABEL_SCHEMA: Table = {
    **dict.fromkeys(BUCKETS, _TEXTS),
    "items": {"type": "array", "items": {"type": "object", "properties": _ITEM}},
}


def faults(trait: MetricRubricTrait | None, trace: Trace, table: Table) -> Iterator[Fault]:
    """Everything wrong with one table; its links are held to the trait's, where that is known."""
    if not table.keys() & set(BUCKETS):
        right = "write tp = [] where there is nothing"
        yield Fault((), "has none of the lists tp, fn, fp, tn", right, newer=True)
    for bucket in BUCKETS:
        yield from text_faults(table, bucket)

    def check(item: Table) -> Iterator[Fault]:
        yield from _position(item, table)
        yield from _link(item, trait)
        yield from span_faults(item, trace)
        yield from type_faults(item, _ITEM, "rationale", "wrong_evidence", "omission")
        yield from _asides(item)

    yield from item_faults(table, _ITEM, check)


def _asides(item: Table) -> Iterator[Fault]:
    """What is wrong with a denial, and what does not go with an omission, which has no words."""
    denied = item.get("denied")
    bucket = item.get("bucket")
    if denied is not None and (not isinstance(denied, str) or not denied.strip()):
        given = describe_value(denied)
        yield Fault(("denied",), f"must be the words of the denial, not {given}")
    elif denied is not None and bucket in EXCERPTS:
        right = "an instruction that the response denies stands in fn or tn"
        yield Fault(("denied",), f"does not belong in {bucket}", right)
    if item.get("omission") is True and bucket in UNSAID:
        right = "an instruction that asks for something left out is met in tp or fp"
        yield Fault(("omission",), f"does not belong in {bucket}", right)
    elif item.get("omission") is True and ("start" in item or "end" in item):
        yield Fault(("omission",), "has no words of the response, so no start and end")


def _position(item: Table, table: Table) -> Iterator[Fault]:
    bucket = item.get("bucket")
    index = item.get("index")
    if bucket not in BUCKETS:
        yield Fault(("bucket",), f'must be "tp", "fn", "fp" or "tn", not {describe_given(bucket)}')
        return
    texts = table.get(bucket, [])
    size = len(texts) if isinstance(texts, list) else 0
    if type(index) is not int or not 0 <= index < size:
        items = f"{bucket}, which has {size} items from 0"
        wrong = f"must be a position in {items}, not {describe_given(index)}"
        yield Fault(("index",), wrong)


def _link(item: Table, trait: MetricRubricTrait | None) -> Iterator[Fault]:
    number = item.get("instruction")
    of = item.get("of")
    if of is not None and of not in LISTS:
        yield Fault(("of",), f'must be "tp", "tn" or "fp", not {describe_given(of)}')
    elif number is not None and (type(number) is not int or number < 1):
        yield Fault(
            ("instruction",),
            f"must be an instruction's number from 1, not {describe_given(number)}",
        )
    elif trait is not None and item.get("bucket") in BUCKETS:
        yield from _misfit(item, trait)


def _misfit(item: Table, trait: MetricRubricTrait) -> Iterator[Fault]:
    """A link that leads to no instruction of the trait."""
    bucket = item["bucket"]
    number = item.get("instruction")
    if bucket == "tn" and not trait.full:
        return  # kept in the record, counted nowhere
    lists = lists_of(trait, bucket)
    meant = item.get("of") or lists[0]
    if meant not in lists:
        right = " or ".join(quoted(name) for name in lists)
        yield Fault(
            ("of",),
            f"an item of {bucket} answers {right} instructions, not {quoted(meant)}",
            newer=True,
        )
    elif number is not None and number > len(trait.instructions(meant)):
        size = len(trait.instructions(meant))
        yield Fault(
            ("instruction",), f"there is no {meant} instruction {number}: the trait has {size}"
        )
