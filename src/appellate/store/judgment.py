"""One cell as a table of the audit file, and back: the facts are all in it."""

from collections.abc import Iterator, Mapping
from typing import Any

from appellate.core.cell import Cell, reason_of
from appellate.core.facts import (
    Commented,
    Corrected,
    Fact,
    Failed,
    Flagged,
    Proposed,
    Reasoned,
    Redone,
    SignedOff,
    Undone,
    What,
    from_row,
    to_row,
)
from appellate.store.toml import moment, stamp

_HISTORY = (SignedOff, Flagged, Reasoned, Undone, Redone)
_LISTS = ("tp", "fn", "fp", "tn", "items")
_OWN = {
    *(
        "trait",
        "kind",
        "state",
        "error",
        "signed",
        "flag",
        "undefined",
        "judge_undefined",
        "judge",
        "audited",
    ),
    *("items", "metrics", "judge_metrics", "corrections", "comments", "failures", "history", "recorded"),
}


def written(cell: Cell, recorded: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The `[[traces.judgments]]` table of a cell; `recorded` are unused labels that came with its trace."""
    subject = cell.subject
    table: dict[str, Any] = {"trait": subject.trait.name, "kind": subject.kind.name, "state": cell.state}
    table |= _marks(cell)
    if cell.judge and cell.judged:
        table["judge"] = {**_stamps(cell.judged), **cell.judge.judge, **cell.judge.table}
    if cell.labels is not None:
        table |= subject.kind.written(cell.labels)
    table |= _figures(cell)
    table |= _rows(cell)
    if recorded and not (cell.judge and cell.judge.judge.get("name") == "recorded"):
        table["recorded"] = dict(recorded)
    return table


def _marks(cell: Cell) -> dict[str, Any]:
    marks: dict[str, Any] = {}
    if cell.error:
        marks["error"] = cell.error.error
    if cell.signed and isinstance(cell.signed.what, SignedOff):
        at = moment(cell.signed.at)
        marks["signed"] = {"by": cell.signed.by, "at": at, "trait_sha256": cell.signed.what.trait_sha256}
    if cell.flag:
        marks["flag"] = True
    return marks


def _figures(cell: Cell) -> dict[str, Any]:
    tables: dict[str, Any] = {}
    for side, figures in (("", cell.measure()), ("judge_", cell.measure_judge())):
        if figures:
            tables[f"{side}metrics"] = dict(figures.values)
            undefined = [name for name in figures.values if name in figures.undefined]
            tables |= {f"{side}undefined": undefined} if undefined else {}
    return tables


def _rows(cell: Cell) -> dict[str, Any]:
    undone_by = {f.what.of: f.by for f in cell.facts if isinstance(f.what, Undone)}
    rows: dict[str, list[dict[str, Any]]] = {"corrections": [], "comments": [], "failures": [], "history": []}
    for fact in cell.facts:
        name, row = _row(cell, fact)
        if name and fact.n in cell.undone:
            row["undone_by"] = undone_by[fact.n]
        if name:
            rows[name].append({**_stamps(fact), "by": fact.by, **row})
    return {name: listed for name, listed in rows.items() if listed}


def _row(cell: Cell, fact: Fact) -> tuple[str, dict[str, Any]]:
    match fact.what:
        case Corrected(edit, before, after):
            reason = reason_of(cell, fact)
            said = {"before": before, "after": after} | ({"reason": reason} if reason else {})
            return "corrections", {**edit, **said}
        case Commented(text):
            return "comments", {"text": text}
        case Failed(error, raw, judge):
            return "failures", {"error": error} | ({"raw": raw} if raw else {}) | (
                {"judge": dict(judge)} if judge else {}
            )
        case Proposed():
            return "", {}
        case _:
            name, body = to_row(fact.what)
            return "history", {"act": name, **body}


def _stamps(fact: Fact) -> dict[str, Any]:
    return {"n": fact.n, "at": moment(fact.at)}


def unknown(table: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a judgment that are not this program's; they are kept and written back."""
    return {key: value for key, value in table.items() if key not in _OWN}


def facts(table: Mapping[str, Any]) -> list[Fact]:
    """Every fact of a judgment table, in order."""
    return sorted(_facts(table), key=lambda fact: fact.n)


def _facts(table: Mapping[str, Any]) -> Iterator[Fact]:
    if "judge" in table:
        judge = table["judge"]
        record = {key: value for key, value in judge.items() if key not in {*_LISTS, "n", "at"}}
        labels = {key: judge[key] for key in _LISTS if key in judge}
        yield _fact(judge, Proposed(labels, record), str(judge.get("name", "")))
    for row in table.get("corrections", ()):
        said = {"n", "at", "by", "before", "after", "reason", "undone_by"}
        edit = {key: value for key, value in row.items() if key not in said}
        yield _fact(row, Corrected(edit, row.get("before", ""), row.get("after", ""), row.get("reason", "")))
    for row in table.get("comments", ()):
        yield _fact(row, Commented(row["text"]))
    for row in table.get("failures", ()):
        yield _fact(row, Failed(row["error"], row.get("raw", ""), row.get("judge", {})))
    for row in table.get("history", ()):
        body = {key: value for key, value in row.items() if key not in {"n", "at", "by", "act", "undone_by"}}
        yield _fact(row, from_row(row["act"], body))


def _fact(row: Mapping[str, Any], what: What, by: str = "") -> Fact:
    return Fact(row["n"], stamp(row["at"]), row.get("by", by), what)
