"""What is wrong with a table of the four buckets, recorded, judged or audited (SPEC 5, `judge`)."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from appellate.core.kind import Fault
from appellate.core.problem import describe_value, quoted, unknown_key
from appellate.core.trace import Trace
from appellate.traits.evidence import item_faults
from appellate.traits.metric.labels import BUCKETS, Bucket, lists_of
from appellate.traits.metric.spec import MetricRubricTrait

ITEM_KEYS = ("bucket", "index", "instruction", "of", "start", "end", "rationale")
LISTS = ("tp", "tn", "fp")


def faults(
    trait: MetricRubricTrait | None, trace: Trace, table: Mapping[str, Any]
) -> Iterator[Fault]:
    """Everything wrong with one table; its links are held to the trait's instructions where that is
    known.
    """
    if not table.keys() & set(BUCKETS):
        yield Fault(
            (),
            "has none of the lists tp, fn, fp, tn",
            "write tp = [] where there is nothing",
            newer=True,
        )
    for bucket in BUCKETS:
        yield from _texts(bucket, table.get(bucket, []))
    yield from item_faults(table, lambda item: _item(item, table, trait, trace.response))


def _texts(bucket: Bucket, texts: Any) -> Iterator[Fault]:
    if not isinstance(texts, list):
        yield Fault((bucket,), f"must be a list of texts, not {describe_value(texts)}")
        return
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            yield Fault((bucket, index), f"must be text, not {describe_value(text)}")


def _item(
    item: Mapping[str, Any],
    table: Mapping[str, Any],
    trait: MetricRubricTrait | None,
    response: str,
) -> Iterator[Fault]:
    yield from _position(item, table)
    yield from _link(item, trait)
    yield from _span(item, response)
    for key in item:
        if key not in ITEM_KEYS:
            yield Fault((key,), *unknown_key(key, ITEM_KEYS), newer=True)
    rationale = item.get("rationale")
    if rationale is not None and not isinstance(rationale, str):
        yield Fault(("rationale",), f"must be text, not {describe_value(rationale)}")


def _position(item: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[Fault]:
    bucket, index = item.get("bucket"), item.get("index")
    if bucket not in BUCKETS:
        yield Fault(("bucket",), f'must be "tp", "fn", "fp" or "tn", not {_found(bucket)}')
        return
    texts = table.get(bucket, [])
    size = len(texts) if isinstance(texts, list) else 0
    if not _whole(index) or not 0 <= index < size:
        wrong = (
            f"must be a position in {bucket}, which has {size} items from 0, not {_found(index)}"
        )
        yield Fault(("index",), wrong)


def _link(item: Mapping[str, Any], trait: MetricRubricTrait | None) -> Iterator[Fault]:
    number, of = item.get("instruction"), item.get("of")
    if of is not None and of not in LISTS:
        yield Fault(("of",), f'must be "tp", "tn" or "fp", not {_found(of)}')
    elif number is not None and (not _whole(number) or number < 1):
        yield Fault(
            ("instruction",), f"must be an instruction's number from 1, not {_found(number)}"
        )
    elif trait is not None and item.get("bucket") in BUCKETS:
        yield from _misfit(item, trait)


def _misfit(item: Mapping[str, Any], trait: MetricRubricTrait) -> Iterator[Fault]:
    """A link that leads to no instruction of the trait."""
    bucket, number = item["bucket"], item.get("instruction")
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


def _span(item: Mapping[str, Any], response: str) -> Iterator[Fault]:
    start, end = item.get("start"), item.get("end")
    if start is None and end is None:
        return
    if not (_whole(start) and _whole(end)):
        wrong = f"start and end must both be whole numbers, not {_found(start)} and {_found(end)}"
        yield Fault(("start",), wrong)
    elif not 0 <= start < end <= len(response):
        size = f"a response of {len(response)} characters"
        yield Fault(("start",), f"start {start} and end {end} mark no part of {size}")


def _whole(value: object) -> TypeGuard[int]:
    return type(value) is int


def _found(value: Any) -> str:
    return "missing" if value is None else describe_value(value)
