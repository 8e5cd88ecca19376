"""Defines the labels of a metric cell, and reads, writes and checks them as tables (SPEC 5).

TP and FP hold excerpts of the response; FN and TN hold instructions. `located` prepares a judge's
table, `from_table` makes labels of it, `faults` says what is wrong with one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Fault, Table
from appellate.core.problem import describe_value, many, quoted
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
    Links,
    MetricRubricTrait,
    Numbering,
    folded,
    lists_of,
)

Bucket = spec.Bucket
BUCKETS = spec.BUCKETS
List = InstructionList
Link = spec.Link
Place = tuple[Bucket, int]
"""Where an item is: its bucket, and its index (from 0) there."""
LISTS: tuple[List, ...] = ("tp", "tn", "fp")
EXCERPTS: tuple[Bucket, ...] = ("tp", "fp")
"""The buckets whose items are excerpts of the response."""
UNSAID: tuple[Bucket, ...] = ("fn", "tn")
"""The buckets whose items are instructions that the response does not answer."""
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
"""What files have of an item besides its text and its position."""


class Item(Struct, frozen=True):
    """One entry of a bucket."""

    text: str
    """The excerpt in TP and FP; the instruction's words in FN and TN and for an omission."""
    of: List | None = None
    """The list of the instruction that the item answers."""
    instruction: int | None = None
    """The number (from 1) of the instruction that the item answers; None if it is unlinked."""
    start: int | None = None
    """Offset in code points of the excerpt, or of the denial; None if it is not in the response."""
    end: int | None = None
    rationale: str = ""
    denied: str = ""
    """The words of the response that deny the instruction of an item in FN or TN."""
    wrong_evidence: bool = False
    """Whether a person replaced the judge's excerpt while the judge's verdict was right."""
    omission: bool = False
    """Whether the instruction is met by what the response leaves out, so there is no excerpt."""
    named_step: int | None = None
    """The step of a conversation that the judge named for the words, unless they are there."""

    @property
    def span(self) -> Span | None:
        """The offsets in the response of the excerpt or denial; None if an offset is missing."""
        if self.start is None or self.end is None:
            return None
        return self.start, self.end

    @property
    def link(self) -> Link | None:
        """The list and number of the instruction that the item answers; None if one is missing."""
        if self.of is None or self.instruction is None:
            return None
        return self.of, self.instruction

    def at(self, start: int | None, end: int | None) -> "Item":
        """Return the item with other offsets, or with none, and without the step a judge named."""
        return replace(self, start=start, end=end, named_step=None)

    def detail(self) -> dict[str, Any]:
        """Return what is known of the item besides text and position, by the keys of audit files.

        Keys are among `DETAIL`, in its order. What is None, False or "" is left out, so an item
        that is only a text has {}.
        """
        details = {}
        for key in DETAIL:
            value = getattr(self, key)
            if value is not None and value is not False and value != "":
                details[key] = value
        return details


class Labels(Struct, frozen=True):
    """The items of the four buckets, each bucket in order."""

    tp: tuple[Item, ...] = ()
    fn: tuple[Item, ...] = ()
    fp: tuple[Item, ...] = ()
    tn: tuple[Item, ...] = ()

    @classmethod
    def of(cls, items: Mapping[Bucket, Iterable[Item]]) -> "Labels":
        """Return the labels with these items; a bucket that is not named is empty."""
        return cls(*(tuple(items.get(bucket, ())) for bucket in BUCKETS))

    def bucket(self, name: Bucket) -> tuple[Item, ...]:
        """Return the items of a bucket, in order."""
        items: tuple[Item, ...] = getattr(self, name)
        return items

    def items(self) -> Iterator[tuple[Place, Item]]:
        """Yield every item with its bucket and index (from 0), bucket by bucket in order."""
        for bucket in BUCKETS:
            for index, item in enumerate(self.bucket(bucket)):
                yield (bucket, index), item

    def at(self, place: Place) -> Item:
        """Return the item at a place. Raises IndexError if there is none."""
        return self.bucket(place[0])[place[1]]

    def put(self, name: Bucket, items: Iterable[Item]) -> "Labels":
        """Return the labels with other items in one bucket."""
        return replace(self, **{name: tuple(items)})

    def links(self, name: Bucket) -> set[Link | None]:
        """Return the instructions that the items of a bucket answer; None is for unlinked ones."""
        return {item.link for item in self.bucket(name)}

    def has(self, name: Bucket, link: Link | None) -> bool:
        """Return whether some item of the bucket answers this instruction; False for None."""
        return link is not None and any(item.link == link for item in self.bucket(name))


def located(trait: MetricRubricTrait, trace: Trace, table: Table) -> dict[str, Any]:
    """Return a judge's table with links and offsets added; its words stay as they are.

    An item is linked to the instruction with the same words or name, unless the table names one.
    Offsets that the table has are kept if the words are there. An excerpt that stands in several
    places, as "A … B" does, gets a row for each. Words that are nowhere get no offsets. The result
    has the four buckets and "items"; other keys are left out, and so is whether evidence was wrong.
    `table` is not changed.
    """
    finder = Finder.of(trace)
    numberings = {list_name: trait.numbering(list_name) for list_name in LISTS}
    entries: list[tuple[Bucket, int, Item]] = []
    used_spans: defaultdict[Link | None, list[Span]] = defaultdict(list)
    for bucket, index, text, details in _entries(table):
        item = _item(trait, numberings, finder, bucket, text, details)
        if item.span:
            used_spans[item.link].append(item.span)
        entries.append((bucket, index, item))
    placed: list[tuple[Place, Item]] = []
    for bucket, index, item in entries:
        spans: list[Span] = []
        if not item.span:
            spans = _spans_of_words(trait, finder, bucket, item, used_spans[item.link])
        at_places = [_found_at(finder, item, span) for span in spans]
        for located_item in at_places or [item]:
            placed.append(((bucket, index), located_item))
    lists = {name: list(table.get(name, ())) for name in BUCKETS}
    return lists | {"items": _detail_rows(placed)}


def _found_at(finder: Finder, item: Item, span: Span) -> Item:
    """Return an item at a span of the response.

    The step that its judge named stays only if the span is in another step.
    """
    named_step = item.named_step
    if finder.step_no(span) == named_step:
        named_step = None
    return replace(item.at(*span), named_step=named_step)


def with_steps(labels: Labels, trace: Trace) -> Labels:
    """Return labels in which each excerpt or denial names the step that it is in.

    They are for an example to a judge of a conversation, which shows it which step to name. An item
    with offsets that are in no single step, or without a conversation, names none. Items without
    offsets always keep the step that they name.
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


def _spans_of_words(
    trait: MetricRubricTrait,
    finder: Finder,
    bucket: Bucket,
    item: Item,
    used_spans: list[Span],
) -> list[Span]:
    """Return where the response has an item's excerpt, or in FN and TN its denial.

    An excerpt "A … B" may have several spans; a denial has one. Those of an excerpt are added to
    `used_spans`, so that its next repeat is found elsewhere if it can be. An excerpt that is
    nowhere, but is a name of its instruction whatever the case, is looked for by the instruction's
    other names. Returns an empty list if nothing is found, for an omission and without a denial.
    """
    if bucket not in EXCERPTS:
        if not item.denied:
            return []
        parts = finder.find_parts(item.denied, step_no=item.named_step)
        denial_span = finder.as_one(parts)
        return [denial_span] if denial_span else []

    if item.omission:
        return []
    names: list[str] = []
    if item.link is not None and trait.aliases:
        all_names = trait.names(*item.link)
        if folded(item.text) in map(folded, all_names):
            names = all_names
    spans: list[Span] = []
    for text in (item.text, *names):
        spans = spans or finder.find_parts(text, used_spans, item.named_step)
    used_spans += spans
    return spans


def _entries(table: Table) -> Iterator[tuple[Bucket, int, str, Table]]:
    """Yield each text of a table with its bucket, index (from 0) and row of "items".

    It is such as ("tp", 0, "Paris", {"bucket": "tp", "index": 0, …}). They come bucket by bucket. A
    text with several rows, as one that became several excerpts, is yielded once for each. One
    without a row has {}.
    """
    rows_by_place: dict[tuple[str, int], list[Table]] = {}
    for row in table.get("items", ()):
        rows_by_place.setdefault((row["bucket"], row["index"]), []).append(row)
    no_details: list[Table] = [{}]
    for bucket in BUCKETS:
        for index, text in enumerate(table.get(bucket, ())):
            for row in rows_by_place.get((bucket, index), no_details):
                yield bucket, index, text, row


def _item(
    trait: MetricRubricTrait,
    numberings: Mapping[List, Numbering],
    finder: Finder,
    bucket: Bucket,
    text: str,
    details: Table,
) -> Item:
    """Return a text of a judgment as an item, from its row of details; {} if it has no details.

    Its link is the instruction numbered there; without a list that is of the bucket's usual list.
    Without a number it is the instruction with this text as its words or other name. If two lists
    have one, the last is taken, and the link is None if none has. Offsets, of an excerpt or in FN
    and TN of the denial, are dropped if the words are not there. `wrong_evidence` is dropped too,
    and an omission keeps no offsets.
    """
    list_name = details.get("of")
    number = details.get("instruction")
    list_names = lists_of(trait, bucket)
    if number is None:
        list_name = None
        # the instruction of this name, of two lists the last
        for candidate in list_names:
            number_there = numberings[candidate].number(text)
            if number_there is not None:
                list_name = candidate
                number = number_there
    elif list_name is None:
        list_name = list_names[0]
    rationale = details.get("rationale", "")
    if details.get("omission"):
        return Item(text, list_name, number, rationale=rationale, omission=True)
    wording = text
    denied = ""
    if bucket not in EXCERPTS:
        wording = denied = details.get("denied", "")
    start = details.get("start")
    end = details.get("end")
    is_there = False
    if wording and start is not None and end is not None:
        is_there = finder.has(wording, (start, end))
    if not is_there:
        start = None
        end = None
    named_step = details.get("named_step")
    return Item(
        text,
        list_name,
        number,
        start,
        end,
        rationale,
        denied,
        named_step=named_step,
    )


def from_table(trait: MetricRubricTrait, trace: Trace, table: Table) -> Labels:
    """Return the labels of a table that `located` has made.

    An excerpt or denial with offsets becomes the exact slice of the response. TN does not exist in
    `tp_only`: a judge's TN is left out.
    """
    buckets: defaultdict[Bucket, list[Item]] = defaultdict(list)
    buckets_of_trait = trait.buckets
    for bucket, _, text, details in _entries(table):
        if bucket in buckets_of_trait:
            buckets[bucket].append(_located_item(trace, bucket, text, details))
    return Labels.of(buckets)


def _located_item(trace: Trace, bucket: Bucket, text: str, details: Table) -> Item:
    """Return an entry of a table that `located` has made as an item.

    Its excerpt, or the denial in FN and TN, is the exact slice of the text judged that its offsets
    name. An offset without the other is left out, and so are offsets without a denial to name.
    """
    excerpt = text
    denied = details.get("denied", "")
    start = details.get("start")
    end = details.get("end")
    named_step = details.get("named_step")
    if start is None or end is None:
        start = end = None
    elif bucket in EXCERPTS:
        excerpt = trace.text[start:end]
    elif denied:
        denied = trace.text[start:end]
    else:
        start = end = named_step = None
    return Item(
        excerpt,
        details.get("of"),
        details.get("instruction"),
        start,
        end,
        details.get("rationale", ""),
        denied,
        details.get("wrong_evidence", False),
        details.get("omission", False),
        named_step,
    )


def written(labels: Labels) -> dict[str, Any]:
    """Return the labels as a judgment of an audit file has them, by key.

    "audited" has every item's text by bucket, with all four ("tp", "fn", "fp", "tn"). "items" lists
    a table for each item with details besides its text, with its "bucket" and "index" (from 0); it
    is left out if no item has any.
    """
    lists = to_lists(labels)
    rows = to_rows(labels)
    if not rows:
        return {"audited": lists}
    return {"audited": lists, "items": rows}


def to_table(labels: Labels) -> dict[str, Any]:
    """Return the labels as a judge's table has them: the texts by bucket, and rows of "items".

    It is such as {"tp": ["Paris"], "fn": [], "fp": [], "tn": [], "items": [{"bucket": "tp",
    "index": 0, "of": "tp", "instruction": 1, …}]}.
    """
    return {**to_lists(labels), "items": to_rows(labels)}


def to_lists(labels: Labels) -> dict[str, list[str]]:
    """Return every item's text by bucket, as {"tp": ["Paris"], "fn": [], …}, repeated ones too."""
    return {name: [item.text for item in labels.bucket(name)] for name in BUCKETS}


def links_of(labels: Labels) -> Links:
    """Return the instruction of each item by bucket, in the order of `to_lists`."""
    return {name: [item.link for item in labels.bucket(name)] for name in BUCKETS}


def links_in(table: Table) -> Links:
    """Return the instruction of each text in a located table, by bucket; None for an unlinked one.

    It is such as {"tp": [("tp", 1), None], "fn": [], "fp": [], "tn": []}: all four buckets are
    there, each with a link for every text in order. A text that stands in several places of the
    response has the instruction of its first row.
    """
    link_at: dict[tuple[Any, Any], Link] = {}
    for row in table.get("items", ()):
        list_name = row.get("of")
        number = row.get("instruction")
        if list_name is not None and number is not None:
            place = (row["bucket"], row["index"])
            link_at.setdefault(place, (list_name, number))
    links: dict[Bucket, list[Link | None]] = {}
    for bucket in BUCKETS:
        text_count = len(table.get(bucket, ()))
        links[bucket] = [link_at.get((bucket, index)) for index in range(text_count)]
    return links


def to_rows(labels: Labels) -> list[dict[str, Any]]:
    """Return a table for each item that has details besides its text, bucket by bucket.

    It is such as {"bucket": "tp", "index": 0, "of": "tp", "instruction": 1, …}, with an index from
    0, and has what is known of the item, by the keys of audit files.
    """
    return _detail_rows(labels.items())


def _detail_rows(placed: Iterable[tuple[Place, Item]]) -> list[dict[str, Any]]:
    """Return a table for each item at a place that has details besides its text, in their order.

    It is such as {"bucket": "tp", "index": 0, "of": "tp", "instruction": 1, …}.
    """
    rows: list[dict[str, Any]] = []
    for (bucket, index), item in placed:
        detail = item.detail()
        if detail:
            rows.append({"bucket": bucket, "index": index, **detail})
    return rows


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


def faults(
    trait: MetricRubricTrait | None,
    trace: Trace,
    table: Table,
) -> Iterator[Fault]:
    """Yield everything that is wrong with one table of labels; nothing if it is right.

    At least one of the four lists "tp", "fn", "fp" and "tn" must be there. Links are checked
    against the trait's instructions, if the trait is known. Offsets are checked against the trace;
    whether an excerpt stands at its offsets is not.
    """
    if not table.keys() & set(BUCKETS):
        right = "write tp = [] where there is nothing"
        yield Fault((), "has none of the lists tp, fn, fp, tn", right, newer=True)
    for bucket in BUCKETS:
        yield from text_faults(table, bucket)

    def check(item: Table) -> Iterator[Fault]:
        """Yield what is wrong with one row of `items`.

        That may be its place, link, offsets, the types of its values, or its denial or omission.
        """
        yield from _position_faults(item, table)
        yield from _link_faults(item, trait)
        yield from span_faults(item, trace)
        yield from type_faults(item, _ITEM, "rationale", "wrong_evidence", "omission")
        yield from _aside_faults(item)

    yield from item_faults(table, _ITEM, check)


def _aside_faults(item: Table) -> Iterator[Fault]:
    """Yield what is wrong with a row's denial or omission.

    A denial must be a text that is not blank, and may not stand in TP or FP. An omission may not
    stand in FN or TN, nor have a start or an end. A bucket that does not exist is not reported
    here.
    """
    denied = item.get("denied")
    bucket = item.get("bucket")
    if denied is not None:
        is_words = isinstance(denied, str) and bool(denied.strip())
        if not is_words:
            shown_value = describe_value(denied)
            wrong = f"must be the words of the denial, not {shown_value}"
            yield Fault(("denied",), wrong)
        elif bucket in EXCERPTS:
            right = "an instruction that the response denies stands in fn or tn"
            yield Fault(("denied",), f"does not belong in {bucket}", right)

    if item.get("omission") is True:
        if bucket in UNSAID:
            right = "an instruction that asks for something left out is met in tp or fp"
            yield Fault(("omission",), f"does not belong in {bucket}", right)
        elif "start" in item or "end" in item:
            wrong = "has no words of the response, so no start and end"
            yield Fault(("omission",), wrong)


def _position_faults(item: Table, table: Table) -> Iterator[Fault]:
    """Yield what is wrong with the bucket and index of a row of details.

    The index must be one of the table's texts in that bucket. It is not looked at if the bucket is
    wrong.
    """
    bucket = item.get("bucket")
    index = item.get("index")
    if bucket not in BUCKETS:
        yield Fault(
            ("bucket",),
            f'must be "tp", "fn", "fp" or "tn", not {describe_given(bucket)}',
        )
        return
    texts = table.get(bucket, [])
    size = len(texts) if isinstance(texts, list) else 0
    if type(index) is not int or not 0 <= index < size:
        count = many(size, "item")
        items = f"{bucket}, which has {count} from 0"
        wrong = f"must be a position in {items}, not {describe_given(index)}"
        yield Fault(("index",), wrong)


def _link_faults(item: Table, trait: MetricRubricTrait | None) -> Iterator[Fault]:
    """Yield the first fault of the instruction that a row of details links to, if it has one.

    Faults are, in this order: an unknown list, a number that is no whole number from 1, a list that
    items of the row's bucket cannot answer, and a number that the trait lacks. The last two are not
    looked for without a trait, for an unknown bucket, and for TN in `tp_only`, which is ignored. A
    missing list is the bucket's usual one, and a missing number is no fault.
    """
    bucket = item.get("bucket")
    list_name = item.get("of")
    number = item.get("instruction")
    if list_name is not None and list_name not in LISTS:
        shown_value = describe_given(list_name)
        yield Fault(("of",), f'must be "tp", "tn" or "fp", not {shown_value}')
        return
    is_ordinal = type(number) is int and number >= 1
    if number is not None and not is_ordinal:
        shown_value = describe_given(number)
        wrong = f"must be an instruction's number from 1, not {shown_value}"
        yield Fault(("instruction",), wrong)
        return
    if trait is None or bucket not in BUCKETS:
        return
    if bucket == "tn" and not trait.full:
        return  # kept in the record, counted nowhere

    list_names = lists_of(trait, bucket)
    linked_list = list_name or list_names[0]
    size = len(trait.instructions(linked_list))
    if linked_list not in list_names:
        right = " or ".join(quoted(name) for name in list_names)
        yield Fault(
            ("of",),
            f"an item of {bucket} answers {right} instructions, not {quoted(linked_list)}",
            newer=True,
        )
    elif number is not None and number > size:
        yield Fault(
            ("instruction",),
            f"there is no {linked_list} instruction {number}: the trait has {size}",
        )
