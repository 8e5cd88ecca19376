"""What can be copied of a cell: words to paste into a mail, or its record as TOML or JSON."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from appellate.core.cell import Cell
from appellate.core.trace import Trace
from appellate.store.judgment import written
from appellate.store.toml import emit, stamp
from appellate.ui.measures import number


class Copy(NamedTuple):
    """One thing to copy: a key that stays the same from cell to cell, its name, and the text."""

    key: str
    label: str
    text: str


def copies(trace: Trace, cell: Cell, question: str, place: tuple[str, int]) -> list[Copy]:
    """All that can be copied with the cursor at a place of a cell, the item under it first."""
    record = _identified(trace, written(cell))
    item = _item(cell, *place)
    found = [Copy(key, label, text) for key, label, text in _of_item(trace, cell, item)] if item else []
    return [
        *found,
        Copy("cell.text", "the cell as text", "\n".join(_told(trace, cell, question))),
        Copy("cell.toml", "the cell as TOML", _toml(record)),
        Copy("cell.json", "the cell as JSON", _json(record)),
        Copy("response", "the whole response", trace.response),
        Copy("question", "the question", question),
        Copy("id", "the trace's id", trace.id),
    ]


def _of_item(trace: Trace, cell: Cell, item: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    record = _identified(trace, {"trait": cell.subject.trait.name, **item})
    yield "item.text", "the item", item["text"]
    if "start" in item:
        yield "item.excerpt", "its words in the response", trace.response[item["start"] : item["end"]]
    yield "item.toml", "the item as TOML", _toml(record)
    yield "item.json", "the item as JSON", _json(record)


def _item(cell: Cell, bucket: str, index: int) -> dict[str, Any] | None:
    """An item's text with its detail, as the audit file tells them."""
    table = {} if cell.labels is None else cell.subject.kind.write(cell.labels)
    texts = table.get("audited", {}).get(bucket, [])
    if index >= len(texts):
        return None
    rows = (row for row in table.get("items", ()) if (row["bucket"], row["index"]) == (bucket, index))
    return {"text": texts[index], "bucket": bucket, "index": index} | dict(next(rows, {}))


def _identified(trace: Trace, record: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": trace.id, "epoch": trace.epoch, **record}


def _toml(record: Mapping[str, Any]) -> str:
    return "".join(emit(record)).strip() + "\n"


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, indent=2, default=_stamped) + "\n"


def _stamped(value: object) -> str:
    return stamp(value) if isinstance(value, datetime) else str(value)


def _told(trace: Trace, cell: Cell, question: str) -> Iterator[str]:
    epoch = f" epoch {trace.epoch}" if trace.epoch != 1 else ""
    yield f"{trace.id}{epoch} · {cell.subject.trait.name} · {cell.state}"
    yield f"Question: {question}"
    table = {} if cell.labels is None else cell.subject.kind.write(cell.labels)
    for bucket, texts in table.get("audited", {}).items():
        yield f"{bucket.upper()} {len(texts)}"
        yield from (f"  {' '.join(text.split())}" for text in texts)
    figures = cell.measure()
    if figures:
        values = figures.values.items()
        yield "  ".join(f"{name} {'0/0' if name in figures.undefined else number(value)}" for name, value in values)
