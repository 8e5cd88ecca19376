"""The step of a conversation beside each excerpt's offsets in an audit file.

It is for whoever reads the file, and follows from the offsets: it is written, checked where it is
read, and kept nowhere else.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from appellate.core.kind import Fault, Subject, Table
from appellate.core.trace import Trace

_WITHIN = ("judge", "verdict", "members", "history", "sides", "table")
"""The keys of a judgment below which labels stand, beside `rounds`."""
_Change = Callable[[Table, Trace], Table]


def with_steps(judgment: Table, subject: Subject) -> dict[str, Any]:
    """Return a copy of a judgment's table in which the excerpts of a conversation have steps.

    `judgment` is the `[[traces.judgments]]` of the cell of `subject`. A step is the number of the
    one in which both offsets are; an excerpt over several steps gets none.
    """
    # no text of it has steps
    if subject.transcript is None and "rounds" not in judgment:
        return dict(judgment)
    return _changed(judgment, subject, _with_step)


def without_steps(judgment: Table, subject: Subject) -> dict[str, Any]:
    """Return a copy of a judgment's table in which the excerpts of a conversation have no steps."""
    return _changed(judgment, subject, _without_step)


def step_faults(judgment: Table, subject: Subject) -> Iterator[Fault]:
    """Yield the steps in a judgment's table that do not follow from the offsets beside them.

    An excerpt without its step is right: a file may leave all of them out.
    """
    right = with_steps(without_steps(judgment, subject), subject)
    if judgment != right:
        yield from _differences(judgment, right, ())


def _changed(judgment: Table, subject: Subject, change: _Change) -> dict[str, Any]:
    """Return a copy of a judgment's table with each excerpt of a conversation in it changed.

    Those of its rounds are changed by the text that each round's judge read; a round whose text is
    not known stays.
    """
    changed = _with_items(judgment, subject.trace, change)
    rounds = judgment.get("rounds")
    if not isinstance(rounds, list):
        return changed
    changed_rounds: list[Any] = []
    for judged in rounds:
        trace = None
        if isinstance(judged, Mapping):
            trace = subject.as_judged(judged)
        if trace is None:
            changed_rounds.append(judged)
        else:
            changed_rounds.append(_with_items(judged, trace, change))
    changed["rounds"] = changed_rounds
    return changed


def _with_items(table: Table, trace: Trace, change: _Change) -> dict[str, Any]:
    """Return a copy of a table with each excerpt in it changed.

    Excerpts are in its `items`, and in those of the tables below the keys of `_WITHIN`.
    """
    changed = dict(table)
    for key in _WITHIN:
        if key not in table:
            continue
        below = table[key]
        if isinstance(below, Mapping):
            changed[key] = _with_items(below, trace, change)
        elif isinstance(below, list):
            changed[key] = [
                _with_items(row, trace, change) if isinstance(row, Mapping) else row
                for row in below
            ]
    items = table.get("items")
    if isinstance(items, list):
        changed["items"] = [
            change(item, trace) if _is_excerpt(item) else item for item in items
        ]
    return changed


def _is_excerpt(item: object) -> bool:
    """Return whether an entry of a list is a table with whole numbers as `start` and `end`."""
    if not isinstance(item, Mapping):
        return False
    return type(item.get("start")) is int and type(item.get("end")) is int


def _with_step(item: Table, trace: Trace) -> Table:
    """Return an item with the number of its step after the key `end`.

    Returns the item itself if the trace has no transcript, or no step is at that place.
    """
    if trace.transcript is None:
        return item
    step = trace.transcript.step_of((item["start"], item["end"]))
    if step is None:
        return item
    changed: dict[str, Any] = {}
    for key, value in item.items():
        changed[key] = value
        if key == "end":
            changed["step"] = step.no
    return changed


def _without_step(item: Table, trace: Trace) -> Table:
    """Return an item of a conversation without its `step`; any other item as it is."""
    if trace.transcript is None or "step" not in item:
        return item
    return {key: value for key, value in item.items() if key != "step"}


def _differences(
    actual: object,
    right: object,
    path: tuple[str | int, ...],
) -> Iterator[Fault]:
    """Yield the wrong steps in a value, which is compared with the same one with the right steps.

    An entry without a step has no fault.
    """
    if isinstance(actual, Mapping) and isinstance(right, Mapping):
        step = actual.get("step")
        right_step = right.get("step")
        if step is not None and step != right_step:
            where = "in no one step"
            if "step" in right:
                where = f"in step {right_step}"
            start = actual.get("start")
            end = actual.get("end")
            wrong = f"is {step!r}, but start {start} and end {end} are {where}"
            yield Fault((*path, "step"), wrong)
        for key, below in actual.items():
            yield from _differences(below, right.get(key), (*path, key))
    elif isinstance(actual, list) and isinstance(right, list):
        pairs = zip(actual, right, strict=False)
        for index, (actual_item, right_item) in enumerate(pairs):
            yield from _differences(actual_item, right_item, (*path, index))
