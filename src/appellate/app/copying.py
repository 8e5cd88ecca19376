"""What can be copied of a cell: words to paste into a mail, or its record as TOML or JSON."""

import json
import shlex
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.core.trace import Trace, name_of
from appellate.store.judgment import written
from appellate.store.open_audit import AuditFiles
from appellate.store.toml import emit, stamp
from appellate.ui.measures_bar import number


class Copy(NamedTuple):
    """One thing to copy: a key that stays the same from cell to cell, its name, and the text."""

    key: str
    label: str
    text: str


def copies(
    trace: Trace, cell: Cell, question: str, place: tuple[str, int], audit: AuditFiles
) -> list[Copy]:
    """All that can be copied with the cursor at a place of a cell of an audit, the item under it
    first.

    A place is the list of the audited table that an item stands in, and its number there (0-based).
    """
    names = {"id": trace.id, "epoch": trace.epoch}
    table: Table = {}
    if cell.labels is not None:
        table = cell.subject.kind.write(cell.labels)
    found = []
    item = _item(table, *place)
    if item:
        found.append(Copy("item.text", "the item", item["text"]))
        if "start" in item:
            excerpt = trace.response[item["start"] : item["end"]]
            found.append(Copy("item.excerpt", "its words in the response", excerpt))
        record = {**names, "trait": cell.subject.trait.name, **item}
        found.append(Copy("item.toml", "the item as TOML", _toml(record)))
        found.append(Copy("item.json", "the item as JSON", _json(record)))
    words = "\n".join(_in_words(trace, cell, question, table.get("audited", {})))
    record = {**names, **written(cell)}
    return [
        *found,
        Copy("cell.text", "the cell as text", words),
        Copy("cell.toml", "the cell as TOML", _toml(record)),
        Copy("cell.json", "the cell as JSON", _json(record)),
        Copy("response", "the whole response", trace.response),
        Copy("question", "the question", question),
        Copy("id", "the trace's id", trace.id),
        Copy("command", "the command that opens this cell", _command(trace, cell, audit)),
    ]


def _command(trace: Trace, cell: Cell, audit: AuditFiles) -> str:
    """What a shell is given to open a cell."""
    words = ["appellate", "review", str(audit.audit)]
    if audit != AuditFiles.of(audit.audit):
        words += ["--workspace", str(audit.workspace)]
    at = f"{name_of(*trace.key)}/{cell.subject.trait.name}"
    if at.startswith("-"):
        return shlex.join([*words, f"--at={at}"])
    return shlex.join([*words, "--at", at])


def _item(table: Table, group: str, number: int) -> Table | None:
    """An item's text with its detail, as the audit file tells them; None where there is none.

    A row of detail names its list first, where the kind has more than one.
    """
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


def _toml(record: Table) -> str:
    return "".join(emit(record)).strip() + "\n"


def _json(record: Table) -> str:
    return json.dumps(record, ensure_ascii=False, indent=2, default=_stamped) + "\n"


def _stamped(value: object) -> str:
    return stamp(value) if isinstance(value, datetime) else str(value)


def _in_words(trace: Trace, cell: Cell, question: str, audited: Table) -> Iterator[str]:
    """The cell with its labels and its numbers, a line each."""
    kind = cell.subject.kind
    yield f"{name_of(trace.id, trace.epoch)} · {cell.subject.trait.name} · {cell.state}"
    yield f"Question: {question}"
    for key, value in audited.items():
        name = kind.spelled.get(key, key)
        if isinstance(value, list):
            yield f"{name} {len(value)}"
            for one in value:
                yield f"  {_on_one_line(one)}"
        else:
            yield f"{name} {_on_one_line(value)}"
    figures = cell.measure()
    if figures:
        values = {name: number(value) for name, value in figures.values.items()}
        values |= dict.fromkeys(figures.undefined, "0/0")
        yield "  ".join(f"{name} {value}" for name, value in values.items())


def _on_one_line(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(str(value).split())
