"""The verdicts of an audit as one long table: a row for each instruction of each cell.

`Audit.rows()` is this for a data frame, `export --to csv` writes it as `verdicts.csv`. Every column
has one type from the first row on: a text is "" and a number NaN where there is none.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

from appellate.core.cell import Cell, reason_of
from appellate.core.kind import Table
from appellate.core.trace import Trace
from appellate.store import judgment
from appellate.store.audits.audit import AuditedCell
from appellate.store.files.toml import stamp

TEXTS = (
    *("trace", "question_id", "model", "trait", "kind", "instruction"),
    *("judge", "person", "evidence", "reason", "who", "when", "as"),
    *("judge_name", "judge_version", "judge_reason", "judge_evidence"),
    *("prompt_sha256", "trait_sha256", "state", "blind"),
)
"""Columns that have a text."""
NUMBERS = ("judge_score", "person_score")
"""Columns that have a number, or NaN."""
WHOLE = ("epoch",)
"""Columns that have a whole number."""
LONG_COLUMNS = (
    *("trace", "epoch", "question_id", "model", "trait", "kind", "instruction"),
    *("judge", "person", "evidence", "reason", "who", "when", "as"),
    *("judge_score", "person_score", "judge_name", "judge_version"),
    *(
        "judge_reason",
        "judge_evidence",
        "prompt_sha256",
        "trait_sha256",
        "state",
        "blind",
    ),
)
"""All columns, in their order."""
_BUCKETS = ("tp", "fn", "fp", "tn")


def long_rows(cells: Iterable[AuditedCell]) -> Iterator[dict[str, Any]]:
    """Yield the rows of all cells that a judge or a person labelled, in order.

    A cell of lists has a row for each instruction, whose `judge` and `person` are the buckets that
    it is in ("tp", "fn", "fp, fn"), and one for each item without an instruction. Every other cell
    has one row with the two verdicts. Of a cell that hides its judge only the person's side shows.
    """
    for audited in cells:
        yield from rows_of_cell(audited.trace, audited.cell.shown)


def rows_of_cell(trace: Trace, cell: Cell) -> Iterator[dict[str, Any]]:
    """Yield the rows of one cell in the long table; nothing if nobody labelled it.

    A cell of lists has a row for each instruction, and one for each item without an instruction.
    Any other cell has one row with the two verdicts. The judge's side is its current proposal. The
    person's side is empty unless the cell is signed off or was corrected. Each row has all of
    `LONG_COLUMNS`, in their order.
    """
    table = judgment.written(cell)
    judged: Table = table.get("judge", {})
    person: Table = {}
    if cell.signed or cell.edits:
        person = table.get("audited", {})
    if not judged and not person:
        return
    shared = _shared_columns(trace, cell, table, judged)
    if not _has_lists(judged) and not _has_lists(person):
        row = shared | _verdict_columns(cell, table, judged, person)
        yield {column: row[column] for column in LONG_COLUMNS}
        return

    judge_items: dict[_Key, list[_Entry]] = {}
    if judged:  # as they count: without a TN where the trait has none
        labels = cell.subject.kind.write(cell.judge_labels)
        judge_items = _by_instruction(labels["audited"], labels.get("items", ()))
    person_items = _by_instruction(person, table.get("items", ()))
    keys = {**judge_items, **person_items}
    for key in sorted(keys, key=_instruction_order):
        judge_entries = judge_items.get(key, ())
        person_entries = person_items.get(key, ())
        row = shared | _item_columns(cell, key, judge_entries, person_entries)
        yield {column: row[column] for column in LONG_COLUMNS}


def _has_lists(labels: Table) -> bool:
    """Return whether a table of labels has one of the four lists, which may be empty."""
    return any(bucket in labels for bucket in _BUCKETS)


def _shared_columns(
    trace: Trace,
    cell: Cell,
    table: Table,
    judged: Table,
) -> dict[str, Any]:
    """Return the columns that all rows of a cell have in common, by name.

    They say which trace and trait it is, its state, who signed it off when and why, if that was
    blind, and which judge labelled it. `table` is the cell's judgment as a file has it, and
    `judged` the judge's labels in it. What is not known is "".
    """
    signed = cell.signed
    return {
        "trace": trace.id,
        "epoch": trace.epoch,
        "question_id": trace.question_id or "",
        "model": trace.model or "",
        "trait": cell.subject.trait.name,
        "kind": cell.subject.kind.name,
        "reason": _reasons(cell),
        "who": signed.by if signed else "",
        "when": stamp(table["signed"]["at"]) if signed else "",
        "as": _capacity(cell),
        "judge_name": str(judged.get("name") or ""),
        "judge_version": judge_version(judged),
        "prompt_sha256": str(judged.get("prompt_sha256") or ""),
        "trait_sha256": cell.subject.trait.sha256(),
        "state": cell.state,
        "blind": "yes" if cell.ruled_blind else "no",
    }


def _capacity(cell: Cell) -> str:
    """Return "person" or "agent", after who signed the cell off; "" if nobody did."""
    if cell.signed is None:
        return ""
    return "agent" if cell.signed.as_agent else "person"


def judge_version(judged: Table) -> str:
    """Return the version of a judge as JSON; "" if it names none.

    It is an object of those of `model`, `version` and `parameters` in `judged` that are not empty,
    its keys sorted.
    """
    version = {
        key: judged[key]
        for key in ("model", "version", "parameters")
        if judged.get(key)
    }
    if not version:
        return ""
    return json.dumps(version, ensure_ascii=False, sort_keys=True, default=str)


def _reasons(cell: Cell) -> str:
    """Return the reasons that people gave in a cell, in their order, with "; " between them.

    Each is there once. Those of corrections that were undone are left out. "" if there are none.
    """
    reasons: list[str] = []
    for fact in cell.facts:
        reason = reason_of(cell, fact)
        if reason and fact.n not in cell.undone:
            reasons.append(reason)
    return "; ".join(dict.fromkeys(reasons))


# -- a verdict ------------------------------------------------------------------------------------


def _verdict_columns(
    cell: Cell,
    table: Table,
    judged: Table,
    person: Table,
) -> dict[str, Any]:
    """Return the columns of a cell without lists that hold its two verdicts, by name.

    `table` is the cell's judgment as a file has it, `judged` the judge's labels in it, and `person`
    the person's; either may be empty. The columns are both verdicts as words and as numbers, their
    excerpts, and the judge's reason. Texts are "" and numbers NaN where there is none.
    """
    return {
        "instruction": "",
        "judge": _verdict_word(judged),
        "person": _verdict_word(person),
        "judge_score": _verdict_number(judged, table.get("judge_metrics", {})),
        "person_score": _verdict_number(
            person,
            table.get("metrics", {}) if person else {},
        ),
        "evidence": _verdict_excerpts(person, cell.subject.text),
        "judge_evidence": _verdict_excerpts(judged, cell.subject.text),
        "judge_reason": str(judged.get("rationale") or judged.get("explanation") or ""),
    }


def _verdict_word(labels: Table) -> str:
    """Return a verdict as a word: a class by its name, "yes" or "no", another text as it is.

    A number or a table is JSON. "" for no verdict.
    """
    value = labels.get("class", labels.get("value"))
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _verdict_number(labels: Table, metrics: Mapping[str, float]) -> float:
    """Return a verdict as a number: yes is 1, no is 0; NaN for a class, a text, and no verdict.

    Labels without a `value` have the only one of `metrics`, or NaN if those are more or none.
    """
    value = labels.get("value")
    if "class" in labels:
        return nan
    if isinstance(value, bool | int | float):
        return float(value)
    if value is None and len(metrics) == 1:
        return float(next(iter(metrics.values())))
    return nan


def _verdict_excerpts(labels: Table, text: str) -> str:
    """Return the excerpts of a verdict, one a line; "" if there are none.

    Evidence comes first, in its own words. Then come matches and spans, which `labels` has as
    offsets in `text`, the response, and which are given as the text there.
    """
    excerpts = [str(excerpt) for excerpt in labels.get("evidence", ())]
    for key in ("matches", "spans"):
        for start, end, *_ in labels.get(key, ()):
            excerpts.append(text[start:end])
    return "\n".join(excerpts)


# -- lists ----------------------------------------------------------------------------------------

_Key = tuple[str, int, str]
"""A list and the number of its instruction, or "", 0 and the text of an item without one."""


class _Entry(NamedTuple):
    bucket: str
    text: str
    rationale: str


def _by_instruction(labels: Table, items: Iterable[Table]) -> dict[_Key, list[_Entry]]:
    """Return the entries of the four lists by the instruction that they answer.

    `labels` has the lists of texts. `items` are tables on entries: `bucket` and `index` say which
    entry, the others its instruction and rationale. An entry without an instruction has a key of
    its own text.
    """
    details: dict[tuple[str, int], Table] = {}
    for item in items:
        place = (item.get("bucket", ""), item["index"])
        details.setdefault(place, item)
    entries: dict[_Key, list[_Entry]] = {}
    for bucket in _BUCKETS:
        for index, text in enumerate(labels.get(bucket, ())):
            item = details.get((bucket, index), {})
            key = _key_of_entry(bucket, str(text), item)
            rationale = str(item.get("rationale") or "")
            same_key = entries.setdefault(key, [])
            same_key.append(_Entry(bucket, str(text), rationale))
    return entries


def _key_of_entry(bucket: str, text: str, item: Table) -> _Key:
    """Return by what an entry of a list is grouped: its instruction, else its text.

    The key is (list, number of the instruction, ""), or ("", 0, text) without an instruction. An
    `item` that names no list means "tp" for entries of TP and FN, and "tn" for the others.
    """
    number = item.get("instruction")
    if not number:
        return "", 0, text
    list_name = item.get("of")
    if not list_name:
        list_name = "tp" if bucket in ("tp", "fn") else "tn"
    return str(list_name), number, ""


def _instruction_order(key: _Key) -> tuple[int, int, str]:
    """Return a sort key: the lists "tp", "tn", "fp", each by number, then items without a link.

    An item without a link has the list name "" and is ordered by its text.
    """
    list_name, number, text = key
    lists = ("tp", "tn", "fp", "")
    return lists.index(list_name), number, text


def _item_columns(
    cell: Cell,
    key: _Key,
    judge: Sequence[_Entry],
    person: Sequence[_Entry],
) -> dict[str, Any]:
    """Return the columns on one instruction, or on an item without one, by name.

    `instruction` is the words of the instruction, or "" without one. `judge` and `person` are the
    buckets of their entries, each bucket once, with ", " between them. The excerpts of either are
    one a line, and so are the judge's reasons, each once. Scores are NaN.
    """
    list_name, number, _ = key
    words = cell.subject.trait.words(list_name, number) if number else ""
    return {
        "instruction": words,
        "judge": _buckets(judge),
        "person": _buckets(person),
        "judge_score": nan,
        "person_score": nan,
        "evidence": _excerpts(person),
        "judge_evidence": _excerpts(judge),
        "judge_reason": "\n".join(
            dict.fromkeys(label.rationale for label in judge if label.rationale),
        ),
    }


def _buckets(entries: Sequence[_Entry]) -> str:
    """Return the buckets of entries, each once, with ", " between them; "" for no entries."""
    return ", ".join(dict.fromkeys(entry.bucket for entry in entries))


def _excerpts(entries: Sequence[_Entry]) -> str:
    """Return the texts of the entries of TP and FP, one a line; the others have no excerpt."""
    return "\n".join(entry.text for entry in entries if entry.bucket in ("tp", "fp"))
