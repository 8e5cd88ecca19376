"""Whether labels that came with a trace have the shape that the bench can work with (SPEC 5, `judge`)."""

from collections.abc import Iterator
from typing import Any, TypeGuard

from appellate.core.problem import describe_value, quoted, unknown_key
from appellate.store.wording import Path
from appellate.traits.metric.metrics import BUCKETS
from appellate.traits.metric.spec import InstructionList, MetricRubricTrait

Fault = tuple[Path, str, str]
RECORD = (
    "name",
    "model",
    "parameters",
    "prompt_sha256",
    "tokens",
    "tokens_in",
    "tokens_out",
    "cost",
    "latency",
    "n",
    "at",  # an audit's judge table has these two
)
TABLE_KEYS = (*BUCKETS, "items", *RECORD)
ITEM_KEYS = ("bucket", "index", "instruction", "of", "start", "end", "rationale")
LISTS = ("tp", "tn", "fp")


def faults(table: dict[str, Any], response: str, trait: MetricRubricTrait | None) -> Iterator[Fault]:
    """Everything wrong with one recorded table; links are held to the trait's instructions where known."""
    for key in (key for key in table if key not in TABLE_KEYS):
        yield (key,), *unknown_key(key, TABLE_KEYS)
    if not table.keys() & set(BUCKETS):
        yield (), "has none of the lists tp, fn, fp, tn", "write tp = [] where there is nothing"
    for bucket in BUCKETS:
        yield from _texts((bucket,), table.get(bucket, []))
    yield from _items(table, response, trait)


def without_nulls(table: Any) -> Any:
    """The table without the nulls of JSON, as TOML would have it; in the four lists they stay, as faults."""
    if not isinstance(table, dict):
        return table
    kept = {key: value for key, value in table.items() if value is not None}
    return {key: value if key in BUCKETS else _solid(value) for key, value in kept.items()}


def _solid(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _solid(below) for key, below in value.items() if below is not None}
    if isinstance(value, list):
        return [_solid(below) for below in value if below is not None]
    return value


def _texts(path: Path, texts: Any) -> Iterator[Fault]:
    if not isinstance(texts, list):
        yield path, f"must be a list of texts, not {describe_value(texts)}", ""
        return
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            yield (*path, index), f"must be text, not {describe_value(text)}", ""


def _items(table: dict[str, Any], response: str, trait: MetricRubricTrait | None) -> Iterator[Fault]:
    items = table.get("items", [])
    if not isinstance(items, list):
        yield ("items",), f"must be a list of tables, not {describe_value(items)}", ""
        return
    for index, item in enumerate(items):
        path: Path = ("items", index)
        if isinstance(item, dict):
            found = [*_position(item, table), *_link(item, trait), *_span(item, response), *_rest(item)]
            yield from (((*path, *below), wrong, right) for below, wrong, right in found)
        else:
            yield path, f"must be a table, not {describe_value(item)}", ""


def _position(item: dict[str, Any], table: dict[str, Any]) -> Iterator[Fault]:
    bucket, index = item.get("bucket"), item.get("index")
    if bucket not in BUCKETS:
        yield ("bucket",), f'must be "tp", "fn", "fp" or "tn", not {_found(bucket)}', ""
        return
    texts = table.get(bucket, [])
    size = len(texts) if isinstance(texts, list) else 0
    if not _whole(index) or not 0 <= index < size:
        yield (
            ("index",),
            f"must be a position in {bucket}, which has {size} items from 0, not {_found(index)}",
            "",
        )


def _link(item: dict[str, Any], trait: MetricRubricTrait | None) -> Iterator[Fault]:
    number, of = item.get("instruction"), item.get("of")
    if of is not None and of not in LISTS:
        yield ("of",), f'must be "tp", "tn" or "fp", not {_found(of)}', ""
    elif number is not None and (not _whole(number) or number < 1):
        yield ("instruction",), f"must be an instruction's number from 1, not {_found(number)}", ""
    elif trait is not None and item.get("bucket") in BUCKETS:
        yield from _link_fits(item["bucket"], of, number, trait)


def _link_fits(
    bucket: str, of: InstructionList | None, number: int | None, trait: MetricRubricTrait
) -> Iterator[Fault]:
    if bucket == "tn" and not trait.full:
        return  # kept in the record, counted nowhere
    lists = _answerable(bucket, trait.full)
    meant = of or lists[0]
    if meant not in lists:
        right = " or ".join(quoted(name) for name in lists)
        yield ("of",), f"an item of {bucket} answers {right} instructions, not {quoted(meant)}", ""
    elif number is not None and number > len(trait.instructions(meant)):
        size = len(trait.instructions(meant))
        yield ("instruction",), f"there is no {meant} instruction {number}: the trait has {size}", ""


def _answerable(bucket: str, full: bool) -> tuple[InstructionList, ...]:
    """The lists that items of a bucket may answer, the usual one first."""
    if bucket == "fp":
        return ("tn", "fp") if full else ("tp", "fp")
    return ("tn",) if bucket == "tn" else ("tp",)


def _span(item: dict[str, Any], response: str) -> Iterator[Fault]:
    start, end = item.get("start"), item.get("end")
    if start is None and end is None:
        return
    if not (_whole(start) and _whole(end)):
        yield (
            ("start",),
            f"start and end must both be whole numbers, not {_found(start)} and {_found(end)}",
            "",
        )
    elif not 0 <= start < end <= len(response):
        size = f"a response of {len(response)} characters"
        yield ("start",), f"start {start} and end {end} mark no part of {size}", ""


def _rest(item: dict[str, Any]) -> Iterator[Fault]:
    for key in (key for key in item if key not in ITEM_KEYS):
        yield (key,), *unknown_key(key, ITEM_KEYS)
    rationale = item.get("rationale")
    if rationale is not None and not isinstance(rationale, str):
        yield ("rationale",), f"must be text, not {describe_value(rationale)}", ""


def _whole(value: object) -> TypeGuard[int]:
    return type(value) is int


def _found(value: Any) -> str:
    return "missing" if value is None else describe_value(value)
