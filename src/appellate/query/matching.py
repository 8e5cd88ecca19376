"""Whether a cell is one that a query asks for.

Most terms are answered by a cell's row; only words and models need the trace itself, which costs more.
"""

import json
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from appellate.query.language import Query, Term, like

DEEP = ("", "text", "question", "model")
_COMPARES: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_SHOWN = 2  # decimals of a metric on the screen


@dataclass(slots=True)
class Row:
    """What is known of a cell without its trace; `told` are its figures as JSON, `by` who acted on it."""

    no: int
    id: str
    epoch: int
    trait: str
    state: str
    flagged: bool
    breaches: int
    unverified: int
    told: str = ""
    bookmarked: bool = False
    commented: bool = False
    disputed: bool = False
    suspicious: bool = False
    example: bool = False
    outdated: bool = False
    round: int = 0
    by: Collection[str] = ()
    _figures: Mapping[str, Any] | None = field(default=None, init=False)

    @property
    def figures(self) -> Mapping[str, Any]:
        if self._figures is None:
            self._figures = json.loads(self.told) if self.told else {}
        return self._figures


@dataclass(frozen=True, slots=True)
class Page:
    """What a trace says."""

    id: str
    question: str
    response: str
    model: str


RowTest = Callable[[Row], bool]
PageTest = Callable[[Page], bool]
T = TypeVar("T")


def row_test(query: Query) -> RowTest:
    """Whether a row may belong to a cell asked for: every term that a row answers holds."""
    tests = [_signed(term, _row_test(term)) for term in query.terms if term.field not in DEEP]
    return lambda row: all(test(row) for test in tests)


def page_tests(query: Query) -> list[tuple[Term, PageTest]]:
    """The terms that need the trace, each with its test."""
    return [(term, _signed(term, _page_test(term))) for term in query.terms if term.field in DEEP]


def _signed(term: Term, test: Callable[[T], bool]) -> Callable[[T], bool]:
    return (lambda one: not test(one)) if term.negated else test


# -- rows -----------------------------------------------------------------------------------------


def _row_test(term: Term) -> RowTest:
    match term.field:
        case "state":
            return lambda row: row.state in term.values
        case "is":
            return lambda row: any(_is(row, mark) for mark in term.values)
        case "trait" | "id":
            return _named(term)
        case "by" | "judge":
            return _one_of(term)
        case "epoch" | "unverified" | "breaches" | "round":
            return _counted(term, operator.attrgetter(term.field))
        case "tp" | "fn" | "fp" | "tn":
            return _counted(term, lambda row: row.figures.get("counts", {}).get(term.field))
        case _:
            return _measured(term)


def _is(row: Row, mark: str) -> bool:
    match mark:
        case "signed":
            return row.state == "reviewed"
        case "unverified":
            return row.unverified > 0
        case "absent":
            return bool(row.figures.get("absent"))
        case "amiss":
            return row.breaches > 0
        case _:
            return bool(getattr(row, mark))


def _named(term: Term) -> RowTest:
    tests = [like(value) for value in term.values]
    name: Callable[[Row], str] = operator.attrgetter(term.field)
    return lambda row: any(test(name(row)) for test in tests)


def _one_of(term: Term) -> RowTest:
    tests = [like(value) for value in term.values]
    if term.field == "by":
        return lambda row: any(test(name) for name in row.by for test in tests)
    return lambda row: any(test(name) for name in row.figures.get("by", ()) for test in tests)


def _counted(term: Term, count: Callable[[Row], int | None]) -> RowTest:
    compare, wanted = _COMPARES[term.op], [int(value) for value in term.values]

    def holds(row: Row) -> bool:
        value = count(row)
        return value is not None and any(compare(value, one) for one in wanted)

    return holds


def _measured(term: Term) -> RowTest:
    """A metric of the labels, or of the judge's; 0/0 is smaller and greater than nothing."""
    side, metric = ("judge", term.field[6:]) if term.field.startswith("judge.") else ("standing", term.field)
    if term.op == ":":
        return lambda row: metric in row.figures.get(side, {}) and row.figures[side][metric] is None
    tests = [_close(value) if term.op == "=" else _compared(term.op, float(value)) for value in term.values]

    def holds(row: Row) -> bool:
        value = row.figures.get(side, {}).get(metric)
        return value is not None and any(test(value) for test in tests)

    return holds


def _compared(op: str, wanted: float) -> Callable[[float], bool]:
    compare = _COMPARES[op]
    return lambda value: compare(value, wanted)


def _close(told: str) -> Callable[[float], bool]:
    """Equal as the screen shows it: to two decimals, or to as many as were written."""
    decimals = max(_SHOWN, len(told.partition(".")[2]))
    wanted = round(float(told), decimals)
    return lambda value: round(value, decimals) == wanted


# -- pages ----------------------------------------------------------------------------------------


def _page_test(term: Term) -> PageTest:
    if term.field == "model":
        names = [like(value) for value in term.values]
        return lambda page: page.model != "" and any(name(page.model) for name in names)
    words = [value.casefold() for value in term.values]
    return lambda page: any(word in text.casefold() for text in _texts(term.field, page) for word in words)


def _texts(name: str, page: Page) -> tuple[str, ...]:
    match name:
        case "text":
            return (page.response,)
        case "question":
            return (page.question,)
        case _:
            return (page.id, page.question, page.response)
