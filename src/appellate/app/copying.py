"""What can be copied of a cell: words to paste into a mail, or its record as TOML or JSON."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from appellate.core.cell import Cell
from appellate.core.kind import Figures
from appellate.core.trace import Trace, name_of
from appellate.store.judgment import written
from appellate.store.toml import emit, stamp
from appellate.ui.measures_bar import number


class Copy(NamedTuple):
    """One thing to copy: a key that stays the same from cell to cell, its name, and the text."""

    key: str
    label: str
    text: str


def copies(trace: Trace, cell: Cell, question: str, place: tuple[str, int]) -> list[Copy]:
    """All that can be copied with the cursor at a place of a cell, the item under it first.

    A place is the list of the audited table that an item stands in, and its number there (0-based).
    """
    record = _identified(trace, written(cell))
    item = _item(cell, *place)
    found = list(_of_item(trace, cell, item)) if item else []
    return [
        *found,
        Copy("cell.text", "the cell as text", "\n".join(_in_words(trace, cell, question))),
        Copy("cell.toml", "the cell as TOML", _toml(record)),
        Copy("cell.json", "the cell as JSON", _json(record)),
        Copy("response", "the whole response", trace.response),
        Copy("question", "the question", question),
        Copy("id", "the trace's id", trace.id),
    ]


def _of_item(trace: Trace, cell: Cell, item: Mapping[str, Any]) -> Iterator[Copy]:
    record = _identified(trace, {"trait": cell.subject.trait.name, **item})
    yield Copy("item.text", "the item", item["text"])
    if "start" in item:
        excerpt = trace.response[item["start"] : item["end"]]
        yield Copy("item.excerpt", "its words in the response", excerpt)
    yield Copy("item.toml", "the item as TOML", _toml(record))
    yield Copy("item.json", "the item as JSON", _json(record))


def _audited(cell: Cell) -> dict[str, Any]:
    """The cell's part of the audit file: `audited` and, where there is detail, `items`."""
    return {} if cell.labels is None else cell.subject.kind.write(cell.labels)


def _item(cell: Cell, group: str, number: int) -> dict[str, Any] | None:
    """An item's text with its detail, as the audit file tells them; None where there is none.

    A row of detail names its list first, where the kind has more than one.
    """
    table = _audited(cell)
    audited = table.get("audited", {})
    texts = audited.get(group, [])
    if not isinstance(texts, list) or number >= len(texts):
        return None
    item = {"text": texts[number], "list": group, "index": number}
    for row in table.get("items", ()):
        lists = [value for value in row.values() if isinstance(value, str) and value in audited]
        if row.get("index") == number and lists[:1] in ([], [group]):
            return item | dict(row)
    return item


def _identified(trace: Trace, record: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": trace.id, "epoch": trace.epoch, **record}


def _toml(record: Mapping[str, Any]) -> str:
    return "".join(emit(record)).strip() + "\n"


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, indent=2, default=_stamped) + "\n"


def _stamped(value: object) -> str:
    return stamp(value) if isinstance(value, datetime) else str(value)


def _in_words(trace: Trace, cell: Cell, question: str) -> Iterator[str]:
    """The cell with its labels and its numbers, a line each."""
    kind = cell.subject.kind
    yield f"{name_of(trace.id, trace.epoch)} · {cell.subject.trait.name} · {cell.state}"
    yield f"Question: {question}"
    for key, value in _audited(cell).get("audited", {}).items():
        name = kind.spelled.get(key, key)
        if isinstance(value, list):
            yield f"{name} {len(value)}"
            yield from (f"  {_on_one_line(one)}" for one in value)
        else:
            yield f"{name} {_on_one_line(value)}"
    figures = cell.measure()
    if figures:
        yield "  ".join(f"{name} {_number(figures, name)}" for name in figures.values)


def _on_one_line(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(str(value).split())


def _number(figures: Figures, measure: str) -> str:
    return "0/0" if measure in figures.undefined else number(figures.values[measure])
