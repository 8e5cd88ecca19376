"""One cell as a table of the audit file, and back: the facts are all in it."""

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from msgspec.structs import FieldInfo, fields, replace

from appellate.core.cell import Cell, fold, reason_of
from appellate.core.describe import parts_changed_since, undone_by
from appellate.core.facts import (
    Commented,
    Contested,
    Corrected,
    Fact,
    Failed,
    Proposed,
    Reasoned,
    Ruled,
    SignedOff,
    What,
    Withheld,
    fits,
    from_row,
    is_by_agent,
    to_row,
    written_as,
)
from appellate.core.kind import AnyKind, Figures, Table
from appellate.store.files.toml import moment, stamp

_SAID = (
    *("n", "at", "by", "as", "part_of", "before", "after"),
    *("reason", "first_reason", "undone_by", "carried"),
)
_BODIES = (
    *("of", "on", "reason", "trait_sha256", "seconds", "read_sha256", "read"),
    *("said_at", "said_blind", "member", "was", "to", "blind"),
    *("asked", "answer", "edits", "caught", "sides"),
)
_ENVELOPE = ("n", "at", "by", "as", "part_of", "undone_by")
_ROWS = {
    "comments": (*_ENVELOPE, "text"),
    "failures": (*_ENVELOPE, "error", "raw", "judge"),
    "history": (*_ENVELOPE, "act", *_BODIES),
}
LARGEST = 2**63
OWN = {
    *("trait", "kind", "state", "error", "signed", "unsettled", "flag"),
    *("undefined", "judge_undefined"),
    *("judge", "audited", "items", "metrics", "judge_metrics", "verdict"),
    *("corrections", "comments", "failures", "history", "rounds", "recorded"),
}


def written(cell: Cell, recorded: Table | None = None) -> Table:
    """Return the `[[traces.judgments]]` of a cell, without unknown keys and steps.

    `judge` has the proposal that the cell is judged by, and `rounds` all others. The current labels
    are at the top, a ruling's in `verdict`. What there is not is left out. `recorded` are labels
    that came with the trace; they are left out if the recorded judge took them up.
    """
    subject = cell.subject
    table: dict[str, Any] = {
        "trait": subject.trait.name,
        "kind": subject.kind.name,
        "state": cell.state,
    }
    table |= _marks(cell)
    if cell.judge and cell.judged:
        table["judge"] = _proposal(cell.judged, cell.judge)
    if cell.labels is not None:
        table |= subject.kind.write(cell.labels)
    if cell.ruled:
        table["verdict"] = subject.kind.write(cell.verdict)
    table |= _figures({"": cell.figures, "judge_": cell.judge_figures})
    table |= _rows(cell)
    rounds: list[Table] = []
    for fact in other_proposals(cell):
        if isinstance(fact.what, Proposed):
            rounds.append(_proposal(fact, fact.what))
    if rounds:
        table["rounds"] = rounds
    judge_name = cell.judge.judge.get("name") if cell.judge else None
    if recorded and judge_name != "recorded":
        table["recorded"] = dict(recorded)
    return table


def other_proposals(cell: Cell) -> list[Fact]:
    """Return every proposal but the one that the cell is judged by, in order.

    Proposals that were set aside with a trait are among them.
    """
    proposals: list[Fact] = []
    for fact in cell.facts:
        if isinstance(fact.what, Proposed) and fact is not cell.judged:
            proposals.append(fact)
    return proposals


def _proposal(fact: Fact, proposal: Proposed) -> Table:
    return {**_stamps(fact), **proposal.judge, **proposal.table}


def _marks(cell: Cell) -> Table:
    """Return the keys of a judgment about its error, sign-off and flag, without what is not so.

    They are `error`, `signed`, `flag`, and `unsettled` for a sign-off or ruling on what was changed
    since.
    """
    marks: dict[str, Any] = {}
    if cell.error:
        marks["error"] = cell.error.error
    if cell.signed and isinstance(cell.signed.what, SignedOff | Ruled):
        by = cell.signed.by
        at = moment(cell.signed.at)
        sign_off = cell.signed.what
        marks["signed"] = {"by": by, "at": at, "trait_sha256": sign_off.trait_sha256}
        if sign_off.seconds is not None:
            marks["signed"]["seconds"] = sign_off.seconds
        if sign_off.read_sha256 is not None:
            marks["signed"]["read_sha256"] = sign_off.read_sha256
        if isinstance(sign_off, SignedOff) and sign_off.said_at is not None:
            marks["signed"]["said_at"] = sign_off.said_at
        if isinstance(sign_off, SignedOff) and sign_off.said_blind is not None:
            marks["signed"]["said_blind"] = sign_off.said_blind
    unsettled = cell.unsettled or cell.lapsed
    if unsettled and isinstance(unsettled.what, SignedOff | Ruled):
        marks["unsettled"] = {
            "by": unsettled.by,
            "at": moment(unsettled.at),
            "changed": parts_changed_since(cell, unsettled),
        }
    if cell.flag:
        marks["flag"] = True
    return marks


def _figures(figures_by_side: Mapping[str, Figures | None]) -> Table:
    """Return the tables of numbers, `metrics` and `undefined`, each after the name of its side.

    A side is "" for the current labels, or "judge_". A side without figures has no table, and
    numbers that cannot be told are left out. Those that are 0/0 are named under `undefined`, if
    there are any.
    """
    tables: dict[str, Any] = {}
    for side, figures in figures_by_side.items():
        if figures is None:
            continue
        numbers = figures.values
        if figures.cannot_tell:
            numbers = {
                name: numbers[name]
                for name in numbers
                if name not in figures.cannot_tell
            }
        tables[f"{side}metrics"] = dict(numbers)
        if figures.undefined:
            undefined = [name for name in numbers if name in figures.undefined]
            if undefined:
                tables[f"{side}undefined"] = undefined
    return tables


def _rows(cell: Cell) -> Table:
    """Return the lists of what happened to a cell, each by its key; empty lists are left out.

    Proposals are in none of them.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    for fact in cell.facts:
        name, body = _row(cell, fact)
        if not name:
            continue
        row = dict(_stamps(fact))
        row["by"] = fact.by
        row.update(written_as(as_agent=fact.as_agent))
        if fact.part_of is not None:
            row["part_of"] = fact.part_of
        row.update(body)
        if fact.n in cell.undone:
            row["undone_by"] = undone_by(cell, fact)
        rows_of_list = rows.setdefault(name, [])
        rows_of_list.append(row)
    return {name: rows[name] for name in ("corrections", *_ROWS) if name in rows}


def _row(cell: Cell, fact: Fact) -> tuple[str, Table]:
    """Return the key of the list that a fact is in, and what it tells there.

    The key is "" for a fact that is in no list, as a proposal.
    """
    match fact.what:
        case Corrected():
            return "corrections", _correction(cell, fact, fact.what)
        case Commented(text):
            return "comments", {"text": text}
        case Failed():
            return "failures", _failure(fact.what)
        case Proposed() | Withheld():
            return "", {}
        case _:
            name, body = to_row(fact.what)
            told_keys = {key: value for key, value in body.items() if value is not None}
            return "history", {"act": name, **told_keys}


def _correction(cell: Cell, fact: Fact, correction: Corrected) -> Table:
    """Return what a correction tells: its edit, and the reason in force, if there is one.

    If that reason was given later, the one given with the edit is told, too.
    """
    row = {**correction.edit, "before": correction.before, "after": correction.after}
    reason = reason_of(cell, fact)
    if reason:
        row["reason"] = reason
    later_reasons = [
        each.what for each in cell.facts if isinstance(each.what, Reasoned)
    ]
    was_reasoned_later = any(later.of == fact.n for later in later_reasons)
    if was_reasoned_later and correction.reason:
        row["first_reason"] = correction.reason
    if fact.n in cell.orphaned:
        row["carried"] = False
    return row


def _failure(failure: Failed) -> Table:
    """Return what a judge's failure tells: its error, and raw reply and record if there are any."""
    row: dict[str, Any] = {"error": failure.error}
    if failure.raw:
        row["raw"] = failure.raw
    if failure.judge:
        row["judge"] = dict(failure.judge)
    return row


def _stamps(fact: Fact) -> Table:
    return {"n": fact.n, "at": moment(fact.at)}


def unknown(table: Table) -> dict[str, Any]:
    """Return the keys of a judgment that this version does not know, to be written back.

    Those of rows are below the list's name and the row's number as text, as in `{"history": {"3":
    {...}}}`. {} if there are none.
    """
    unknown_keys = _beyond(table, OWN)
    for name, known_keys in _ROWS.items():
        for row in table.get(name, ()):
            strays = _beyond(row, known_keys)
            if strays:
                unknown_keys.setdefault(name, {})[str(row["n"])] = strays
    return unknown_keys


def _beyond(row: Table, known_keys: Collection[str]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in known_keys}


def together(table: Table, extra: Table) -> Table:
    """Return a judgment's table with the unknown keys that it came with.

    `extra` is what `unknown` returned. Raises KeyError if a list that it names is missing.
    """
    if not extra:
        return table
    merged = {**table, **_beyond(extra, _ROWS)}
    for name in extra.keys() & _ROWS.keys():
        rows: list[dict[str, Any]] = []
        for row in table[name]:
            unknown_keys = extra[name].get(str(row["n"]), {})
            rows.append({**row, **unknown_keys})
        merged[name] = rows
    return merged


def differing(table: Table, written_table: Table) -> list[str]:
    """Return the keys of a judgment that differ from what its facts give.

    `table` is as read and `written_table` as written. A known key that only one of them has is
    among them. Keys that this version does not know do not count. [] if there is no difference.
    """
    keys = {**table, **written_table}
    differing: list[str] = []
    for key in keys:
        if key in OWN and table.get(key) != written_table.get(key):
            differing.append(key)
    return differing


_OF_SIGNING = ("state", "signed", "unsettled", "verdict")
"""The keys of a judgment that another text, question or reference changes."""


def explained(table: Table, cell: Cell) -> list[str]:
    """Return the keys that may differ because something changed since the cell was signed off.

    `table` is the judgment as read, from before that change or after it, when it may have been
    changed back. A key of the sign-off is among them if its value is right for either. [] if
    neither cell nor table tells of such a change.
    """
    if cell.unsettled is None and cell.lapsed is None and "unsettled" not in table:
        return []
    variants: list[Table] = []
    for sha256 in (None, "another"):
        facts: list[Fact] = []
        for fact in cell.facts:
            event = fact.what
            if isinstance(event, SignedOff | Ruled) and event.read_sha256:
                event = replace(event, read_sha256=sha256)
            facts.append(replace(fact, what=event))
        variants.append(written(fold(cell.subject, facts)))
    keys = ["unsettled"]
    for key in _OF_SIGNING:
        table_value = _without_hash(table.get(key))
        if any(table_value == _without_hash(variant.get(key)) for variant in variants):
            keys.append(key)
    return keys


def counted_before(table: Table, cell: Cell) -> list[str]:
    """Return the keys of numbers that are as an earlier version counted the same labels.

    `table` is the judgment as read. The metrics and undefined numbers of one side, people or judge,
    go together: both keys, or neither. [] if nothing was counted differently.
    """
    kind = cell.subject.kind
    trait = cell.subject.trait
    figures_by_side: dict[str, Figures | None] = {}
    if cell.labels is not None:
        figures_by_side[""] = kind.measure_as_before(trait, cell.labels, None)
    if cell.judge is not None:
        judge_table = cell.judge.table
        figures_by_side["judge_"] = kind.measure_as_before(
            trait,
            cell.judge_labels,
            judge_table,
        )
    former = _figures(figures_by_side)
    keys: list[str] = []
    for side, figures in figures_by_side.items():
        if figures is None:
            continue
        own_keys = [f"{side}metrics", f"{side}undefined"]
        if all(table.get(key) == former.get(key) for key in own_keys):
            keys += own_keys
    return keys


def _without_hash(value: Any) -> Any:
    """Return the table `signed` without the fingerprint of what was read; any other as it is."""
    return _beyond(value, ("read_sha256",)) if isinstance(value, Mapping) else value


def facts(kind: AnyKind, table: Table) -> list[Fact]:
    """Return every fact of a judgment's table, in order.

    Raises KeyError, TypeError, AttributeError or ValueError for what is no fact.
    """
    return sorted(_facts(kind, table), key=lambda fact: fact.n)


def labels_in(kind: AnyKind, judge: Table) -> Table:
    """Return the labels in a judge's table, without what it says of the judge."""
    return {key: judge[key] for key in (*kind.label_keys, "items") if key in judge}


def proposal_in(kind: AnyKind, judge: Table) -> Proposed:
    """Return the judgment in a judge's table, its labels and the record of the judge apart.

    The keys `n` and `at` are left out. The labels are not checked.
    """
    labels = labels_in(kind, judge)
    return Proposed(labels, _beyond(judge, {*labels, "n", "at"}))


def _facts(kind: AnyKind, table: Table) -> Iterator[Fact]:
    """Yield every fact of a judgment's table, list by list, and not in the order of the facts.

    Raises KeyError, TypeError, AttributeError or ValueError for what is no fact.
    """
    judges = list(table.get("rounds", ()))
    if "judge" in table:
        judges.insert(0, table["judge"])
    for judge in judges:
        yield _fact(judge, proposal_in(kind, judge), str(judge.get("name", "")))

    reasoned_later: set[Any] = set()
    for row in table.get("history", ()):
        if row.get("act") == "reasoned":
            reasoned_later.add(row.get("of"))
    for row in table.get("corrections", ()):
        edit = _beyond(row, _SAID)
        before = row.get("before", "")
        after = row.get("after", "")
        reason = row.get("reason", "")
        if row["n"] in reasoned_later:
            reason = row.get("first_reason", "")
        yield _fact(row, Corrected(edit, before, after, reason))

    for row in table.get("comments", ()):
        yield _fact(row, Commented(row["text"]))

    for row in table.get("failures", ()):
        raw = row.get("raw", "")
        judge = row.get("judge", {})
        yield _fact(row, Failed(row["error"], raw, judge))

    for row in table.get("history", ()):
        body = {key: row[key] for key in _BODIES if key in row}
        yield _fact(row, from_row(row["act"], body))


@cache
def _fields_of(event_class: type[What]) -> tuple[FieldInfo, ...]:
    """Return the fields of a class of events, which msgspec finds anew each time it is asked."""
    return fields(event_class)


def is_ordinal(value: object) -> bool:
    """Return whether a value of a file can number a fact or a round.

    It must be a whole number from 1 and below `LARGEST`; true is not one.
    """
    return type(value) is int and 0 < value < LARGEST


def _fact(row: Table, event: What, by: str = "") -> Fact:
    """Return the fact in a row of a judgment; `by` is who did it if the row does not say.

    A row without `as` is a person's, or a judge's. Raises TypeError or ValueError, with a reason,
    for numbers, times and values that no fact has, and KeyError for a row without number or time.
    """
    number = row["n"]
    person = row.get("by", by)
    if not is_ordinal(number) or not isinstance(person, str):
        raise TypeError(f"n = {number!r} by {person!r} numbers no act of anybody")
    _, body = to_row(event)
    for field in _fields_of(type(event)):
        value = body[field.name]
        is_told = fits(value, field.type)
        if is_told and field.name == "of":
            is_told = 0 < value < LARGEST
        if not is_told:
            raise TypeError(f"{field.name} = {value!r} is nothing that a fact tells")
    json.dumps(body)  # a date is no part of a fact
    as_agent = is_by_agent(row)
    if as_agent and isinstance(event, SignedOff | Ruled | Contested):
        raise TypeError(
            "as = 'agent' is nobody who signs off, rules or is ruled between",
        )
    first = row.get("part_of")
    if first is not None and (type(first) is not int or not 0 < first < number):
        raise TypeError(f"part_of = {first!r} is not the number of an earlier act")
    return Fact(number, stamp(row["at"]), person, event, first, as_agent)
