"""Whether labels that came with a trace are such as the bench can work with (SPEC 5, `judge`),
whatever their kind.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appellate.core.kind import AnyKind, Fault, KnownTrait
from appellate.core.problem import unknown_key
from appellate.core.trace import Trace
from appellate.traits.kinds import kinds

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


def faults(table: Mapping[str, Any], trace: Trace, known: KnownTrait | None) -> Iterator[Fault]:
    """Everything wrong with one recorded table; without a rubric it is held to the kind whose
    labels it looks like.
    """
    kind = known.kind if known else _likely(table)
    if kind is None:
        known_keys = " or ".join(", ".join(one.label_keys) for one in kinds().values())
        yield Fault((), f"has none of the keys of any labels: {known_keys}")
        return
    keys = (*kind.label_keys, "items", *RECORD)
    for key in table:
        if key not in keys:
            yield Fault((key,), *unknown_key(key, keys))
    yield from kind.faults(known.trait if known else None, trace, table)


def _likely(table: Mapping[str, Any]) -> AnyKind | None:
    """The kind that has the most of the table's keys."""
    shared = {name: len(table.keys() & set(kind.label_keys)) for name, kind in kinds().items()}
    most = max(shared, key=lambda name: shared[name])
    return kinds()[most] if shared[most] else None


def without_nulls(table: Any) -> Any:
    """The table without the nulls of JSON, as TOML would have it; in lists of labels they stay, as
    faults.
    """
    if not isinstance(table, dict):
        return table
    kept = {}
    for key, value in table.items():
        if value is not None:
            is_labels = isinstance(value, list) and key not in (*RECORD, "items")
            kept[key] = value if is_labels else _solid(value)
    return kept


def _solid(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _solid(below) for key, below in value.items() if below is not None}
    if isinstance(value, list):
        return [_solid(below) for below in value if below is not None]
    return value
