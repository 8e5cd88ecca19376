"""Results of promptfoo (`eval -o`): JSON, JSON Lines and CSV, results versions 2 to 4.

A row is one answer to one test. Its verdicts are the `componentResults` of its assertions; a person
rates the row as a whole, and promptfoo writes that over the row's own verdict, so that the row has
a trait of its own (`WHOLE`) where people rated any.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct, field

from appellate.core.problem import many
from appellate.interop.cell_values import cell_value
from appellate.interop.columns_of_rows import CsvTable
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    PersonVerdict,
    Row,
    table_at,
    tables_in,
    trait_name,
    with_response,
    without_empty,
)
from appellate.interop.ruled import Merged, RuledCell
from appellate.store.database import from_json

FORM = "promptfoo results"
WHOLE = "whole answer"
NO_ANSWER = 2
"""The `failureReason` of a row to which there is no answer."""
QUESTIONS = ("question", "input", "query", "prompt", "user_input", "message", "topic")
REFERENCES = (
    "expected",
    "reference",
    "ideal",
    "expected_output",
    "target",
    "answer",
    "ground_truth",
)
MAPPING = {
    "id": "id",
    "question": "vars",
    "response": "response.output",
    "reference": "vars.expected",
    "model": "provider.label or provider.id",
    "cluster": "vars (repeats of a test)",
    "verdicts": "gradingResult.componentResults[].pass",
    "reasons": "gradingResult.componentResults[].reason",
    "people": "componentResults[] of type human",
}
_CSV_MAPPING = {
    "id": "number of the line and of the column",
    "question": "variables before the first [provider] column",
    "response": "[provider] prompt",
    "verdicts": "Status, Metric: …",
    "reasons": "Grader Reason",
    "people": "Comment",
}
_MANUAL = "Manual result"
_STATUSES = ("PASS", "FAIL")
"""What the column `Status` of CSV says of an answer that was graded."""


def is_row(value: object) -> bool:
    """Return whether a value is a row of promptfoo's results, by its keys.

    It has `vars`, and `gradingResult` or both `prompt` and `provider`.
    """
    if not isinstance(value, dict) or "vars" not in value:
        return False
    return "gradingResult" in value or {"prompt", "provider"} <= value.keys()


def rows_of(document: object) -> list[Row] | None:
    """Return the rows in a results file of promptfoo, or None if a document is none.

    They are in `results`, or in `results.results`. None as well for an empty list, or if one entry
    is no row. They are the document's own.
    """
    if not isinstance(document, dict):
        return None
    results = document.get("results")
    if isinstance(results, dict):
        results = results.get("results")
    if isinstance(results, list) and results and all(map(is_row, results)):
        return results
    return None


def read(rows: Callable[[], Iterable[Row]]) -> ForeignFile:
    """Return what promptfoo's results hold, in JSON or JSON Lines, from their rows.

    `rows` returns the rows from the first one at each call, and is read once here. Each assertion
    becomes a trait; one that not all tests have is a trait of its tests' questions (`groups`). If
    people rated a row, or a script graded one as a whole, `WHOLE` is a trait as well. `lost` says
    what has no place here.
    """
    assertions = _Assertions()
    tests = _Tests()
    has_whole = False
    has_details = False
    for row in rows():
        graded = _graded(row)
        names: list[str] = []
        for result in graded.leaves():
            has_details = has_details or bool(
                tables_in(result.component.get("componentResults")),
            )
            names.append(assertions.add(result))
        tests.add(row, names)
        has_whole = has_whole or bool(graded.human) or _is_graded_whole(row, graded)
    traits = assertions.traits
    groups = tests.groups(assertions)
    grouped = set().union(*groups.values())
    shared = [name for name in traits if name not in grouped]
    if has_whole:
        traits[WHOLE] = ForeignTrait(WHOLE, "Does the answer pass, as a whole?")

    def traces() -> Iterator[ForeignTrace]:
        """Yield the trace of each row of promptfoo's results in order, with verdicts, reading anew.

        The judge's verdicts are of the assertions, and on `WHOLE` if people or a script graded a
        row as a whole; people's are their ratings, on `WHOLE`. A row without an answer, or one with
        an error that nothing graded, has failed verdicts on its assertions. A test with assertions
        of its own is the question of its rows.
        """
        for number, row in enumerate(rows(), 1):
            trace = _trace(row, number, assertions, shared, has_whole=has_whole)
            test = tests.of(trace.record["cluster"])
            if test in groups:
                trace.record["question_id"] = test
            yield trace

    lost = [
        "prompts that are no messages, criteria as the judge read them, scores of assertions",
    ]
    if has_details:
        lost.append("what a script says of the parts of its verdict")
    lost.append("tokens, costs, latencies")
    return ForeignFile(FORM, traces, MAPPING, traits, lost, groups=groups)


class _Tests:
    """The tests, which rows share that repeat one, and the assertions that not all of them have."""

    def __init__(self) -> None:
        """Begin without a test."""
        self._ids: dict[bytes, str] = {}
        """The id of each test, as "test 1", by the hash of what its rows share."""
        self._names: dict[str, dict[str, None]] = {}
        """The names of the traits of each test's assertions, by its id."""
        self._failed_rows: dict[str, Row] = {}
        """The last row without grades of a test, by its id."""

    def add(self, row: Row, names: Iterable[str]) -> None:
        """Note the assertions of the promptfoo test that a row repeats, by their traits' names.

        A test gets the id "test 1" and so on. Rows that repeat a test add to the same test. A row
        without grades is only remembered as failed, the last one of each test.
        """
        digest = _digest(_cluster(row))
        test_id = self._ids.setdefault(digest, f"test {len(self._ids) + 1}")
        if not row.get("gradingResult"):
            self._failed_rows[test_id] = row
            return
        names_of_test = self._names.setdefault(test_id, {})
        names_of_test.update(dict.fromkeys(names))

    def groups(self, assertions: "_Assertions") -> dict[str, list[str]]:
        """Return promptfoo's assertions that not all tests have, as traits by the test's id.

        Ids are "test 1" and so on. Tests without such an assertion are left out, so it is
        {} if all tests have the same. A test of which every row failed is taken to have the
        assertions that its last row names, if some row has a result of them. Call it once,
        after the last `add`, since it adds these to their tests.
        """
        for test_id, row in self._failed_rows.items():
            names = assertions.expected(row)
            if names:
                self._names.setdefault(test_id, dict.fromkeys(names))
        if not self._names:
            return {}
        shared = set.intersection(*map(set, self._names.values()))
        groups: dict[str, list[str]] = {}
        for test_id, names_of_test in self._names.items():
            own_names = [name for name in names_of_test if name not in shared]
            if own_names:
                groups[test_id] = own_names
        return groups

    def of(self, cluster: str) -> str:
        return self._ids[_digest(cluster)]


# -- what graded a row ----------------------------------------------------------------------------


class _AssertionResult(Struct):
    """promptfoo's result of one assertion on one row, or of a set of assertions."""

    component: Row
    """The entry of `componentResults` that it is."""
    assertion: Row
    """What it says that it checked, else what its test says; {} where neither does."""
    place: str
    """Its number in the test, from 1, and behind a dot its number in a set: "2.1"."""
    is_set: bool = False
    results: list["_AssertionResult"] = field(default_factory=list)
    """The results in a set. Whatever else a script puts into its own result is none."""
    key: str = ""
    """What tells the assertion from others: equal in all rows, and no two of a row share it."""

    @property
    def settings(self) -> Row:
        """What the test says of a promptfoo assertion, as `weight` and `threshold`; {} if nothing.

        For a set of assertions it is what the set's result repeats; the assertion's own
        keys come first.
        """
        return table_at(self.component, "metadata", "assertionSet") | self.assertion

    @property
    def counts(self) -> bool:
        """Whether a promptfoo row's verdict depends on this assertion: not if it only measures."""
        return not table_at(self.component, "assertion").get("metricOnly")

    @property
    def failure(self) -> str:
        """Why an assertion has no verdict: a grader's error, or no `pass`; "" if it has one.

        The reason is promptfoo's own if it gives one.
        """
        reason = str(self.component.get("reason") or "")
        if (self.component.get("metadata") or {}).get("graderError"):
            return reason or "The grader failed."
        if self.component.get("pass") is None:
            return reason or "The grader gave no verdict."
        return ""


class _Graded(NamedTuple):
    """What graded a row's answer: its assertions, and people."""

    results: list[_AssertionResult]
    human: list[Row]
    """The entries of `componentResults` in which a person rated the row."""

    def leaves(self) -> Iterator[_AssertionResult]:
        """Yield promptfoo's results of single assertions in order; of a set all those in it.

        Results of people are not among them.
        """
        yield from _single_results(self.results)


def _single_results(
    results: Iterable[_AssertionResult],
) -> Iterator[_AssertionResult]:
    """Yield promptfoo's results of single assertions in order; of a set all those in it."""
    for result in results:
        if result.is_set:
            yield from _single_results(result.results)
        else:
            yield result


def _graded(row: Row) -> _Graded:
    """Return what graded a row of promptfoo's results: its assertions, and people's ratings.

    Each single assertion gets a key, equal in all rows that have this assertion; a second equal one
    in a row has one of its own. An assertion that neither the result nor the test names is known by
    its place. Entries that are no table are left out. Raises AttributeError if `gradingResult` is
    neither a table nor empty.
    """
    grading = row.get("gradingResult") or {}
    components = tables_in(grading.get("componentResults"))
    assertions: list[Row] = []
    for assertion in _assertions_of(row.get("testCase")):
        if not _is_comparison(assertion):
            assertions.append(assertion)
    graded = _results_and_ratings(components, assertions)
    seen: Counter[str] = Counter()
    for result in graded.leaves():
        base = f"{_PLACE} {result.place}"
        if result.assertion:
            base = _identity(result.assertion)
        seen[base] += 1
        result.key = _numbered_key(base, seen[base])
    return graded


_PLACE = "assertion"


def _assertions_of(test: object) -> list[Row]:
    """Return the tables in the list `assert` of a promptfoo test, or of a set of assertions.

    A set in it is one entry. [] for anything but a table, and without such a list.
    """
    return tables_in(test.get("assert")) if isinstance(test, dict) else []


def _is_comparison(assertion: Row) -> bool:
    """Return whether an assertion compares answers of one test (`select-best`, `max-score`).

    Any type that begins with "select-" or "max-score" does. promptfoo puts its result after those
    of all others.
    """
    return str(assertion.get("type")).startswith(("select-", "max-score"))


def _numbered_key(identity: str, count: int) -> str:
    """Return the key of an assertion that a promptfoo row has for the `count`th time, from 1.

    It is `identity`, which equal assertions share. From the second time on, a line with the number
    follows it, so that it is not the key of a metric that ends in a number.
    """
    if count == 1:
        return identity
    return f"{identity}\n{count}"


def _results_and_ratings(
    components: Sequence[Row],
    assertions: Sequence[Row],
    prefix: str = "",
) -> _Graded:
    """Return promptfoo's results of assertions in their order, and people's ratings apart.

    `components` are the entries of `componentResults`. promptfoo repeats the results within a set
    or a script behind it; the repetitions are left out. `assertions` are the test's, and are used
    only if they fit the results in number and type. A result's place is `prefix` and its number
    from 1. The keys of the results are still "".
    """
    of_assertions: list[Row] = []
    human: list[Row] = []
    compared: list[Row] = []
    """The results of assertions that compare no answers, which the test's assertions must fit."""
    index = 0
    while index < len(components):
        component = components[index]
        index += 1 + _count_of_copies(component, components[index + 1 :])
        named = _named_assertion(component)
        if named.get("type") == "human":
            human.append(component)
            continue
        of_assertions.append(component)
        if not _is_comparison(named):
            compared.append(component)
    if not _are_results_of(compared, assertions):
        assertions = ()
    results: list[_AssertionResult] = []
    for index, component in enumerate(of_assertions):
        asserted = assertions[index] if index < len(assertions) else {}
        place = f"{prefix}{index + 1}"
        results.append(_result_of_component(component, asserted, place))
    return _Graded(results, human)


def _result_of_component(component: Row, asserted: Row, place: str) -> _AssertionResult:
    """Return an entry of promptfoo's `componentResults`, with the results in it if it is of a set.

    It is of a set if its type or metadata says so, or if nobody names its assertion and an entry
    within it names one. `asserted` is the test's assertion at its place ({} for none), used if the
    entry names none. `place` is its number in the test, from 1, as "2" or "2.1".
    """
    checked = _named_assertion(component) or asserted
    inner = tables_in(component.get("componentResults"))
    is_set = checked.get("type") == _SET
    if "assertionSet" in table_at(component, "metadata"):
        is_set = True
    if not checked and any(map(_named_assertion, inner)):
        is_set = True
    result = _AssertionResult(component, checked, place, is_set)
    if is_set:
        of_set = _results_and_ratings(inner, _assertions_of(checked), f"{place}.")
        result.results = of_set.results
    return result


_SET = "assert-set"


def _named_assertion(component: Row) -> Row:
    """Return the assertion that a result of promptfoo names; {} if it names none.

    One without a type counts as none.
    """
    assertion = component.get("assertion")
    if isinstance(assertion, dict) and assertion.get("type"):
        return assertion
    return {}


def _count_of_copies(component: Row, later_results: Sequence[Row]) -> int:
    """Return how many promptfoo results behind one repeat those within it: all of these, or 0.

    `later_results` follow `component` in the list. `pass`, `score` and `reason` must be equal, in
    order.
    """
    inner = tables_in(component.get("componentResults"))
    copies = later_results[: len(inner)]
    if list(map(_grade_of, inner)) != list(map(_grade_of, copies)):
        return 0
    return len(inner)


def _grade_of(component: Row) -> list[object]:
    """Return what promptfoo's result says: its `pass`, `score` and `reason`, None where missing."""
    return [component.get(key) for key in ("pass", "score", "reason")]


def _are_results_of(components: Sequence[Row], assertions: Sequence[Row]) -> bool:
    """Return whether promptfoo's results are of exactly these assertions, in this order.

    Their number must be equal, and each type. A result that names no assertion fits any.
    """
    if len(components) != len(assertions):
        return False
    for component, asserted in zip(components, assertions, strict=True):
        named = _named_assertion(component)
        if named and named["type"] != asserted.get("type"):
            return False
    return True


def _is_graded_whole(row: Row, graded: _Graded) -> bool:
    """Return whether a promptfoo row has a verdict, but no assertions and no rating of a person.

    A script can grade so. A row that nothing was asked of is not graded.
    """
    if graded.results or graded.human:
        return False
    grading = row.get("gradingResult") or {}
    return isinstance(grading.get("pass"), bool) and grading.get("reason") != _UNCHECKED


_UNCHECKED = "No assertions"
"""The reason of a row that nothing was asked of."""


class _Assertions:
    """The traits that promptfoo's assertions become.

    Assertions of one metric are one trait. Without a metric each distinct assertion is a trait, and
    one that the file does not name is known by its place in its test.
    """

    def __init__(self) -> None:
        """Begin without an assertion, and so without a trait."""
        self.traits: dict[str, ForeignTrait] = {}
        """The traits by their names."""
        self._names: dict[str, str] = {}
        """The names of the traits by the keys of their assertions."""

    def add(self, result: _AssertionResult) -> str:
        """Return the name of the trait for a promptfoo assertion, making the trait if it is new.

        `result` is a result of it, whose key tells whether it is new. The name is the assertion's
        metric, else what it asks, cut to a name's length; one that nobody names is "assertion 2".
        If another assertion has that name, or it is `WHOLE`, a number from 2 is put behind it.
        """
        if result.key in self._names:
            return self._names[result.key]
        if result.assertion:
            wording = _wording(result.assertion)
            base = trait_name(str(result.assertion.get("metric") or wording))
        else:
            wording = (
                f"Assertion {result.place} of its test, which the file does not name."
            )
            base = f"{_PLACE} {result.place.replace('.', '-')}"
        name = base
        number = 1
        while name in self.traits or name == WHOLE:
            number += 1
            name = trait_name(f"{base[:54]} {number}")
        self._names[result.key] = name
        self.traits[name] = ForeignTrait(name, wording)
        return name

    def name(self, result: _AssertionResult) -> str:
        return self._names[result.key]

    def expected(self, row: Row) -> list[str]:
        """Return the traits' names for the assertions of a promptfoo row's test, in its order.

        An assertion that has no trait, since no row had a result of it, is left out.
        """
        seen: Counter[str] = Counter()
        names = []
        for assertion in _single_assertions(_assertions_of(row.get("testCase"))):
            identity = _identity(assertion)
            seen[identity] += 1
            name = self._names.get(_numbered_key(identity, seen[identity]))
            if name:
                names.append(name)
        return names


def _single_assertions(assertions: Iterable[Row]) -> Iterator[Row]:
    """Yield the single assertions of a promptfoo test in order; of a set all those in it."""
    for assertion in assertions:
        if assertion.get("assert"):
            yield from _single_assertions(_assertions_of(assertion))
        else:
            yield assertion


def _identity(assertion: Row) -> str:
    """Return a text that equal promptfoo assertions share: the metric, else type and value as JSON.

    So assertions of one metric count as one, whatever they check.
    """
    if assertion.get("metric"):
        return str(assertion["metric"])
    return json.dumps([assertion.get("type"), assertion.get("value")], sort_keys=True)


def _wording(assertion: Row) -> str:
    """Return what a promptfoo assertion asks, for people: of a model-graded one the rubric's text.

    Any other is "TYPE: VALUE", as "contains: Paris". A value that is no text is JSON. Without a
    value it is only the type, or "assertion" without one.
    """
    kind = str(assertion.get("type", "assertion"))
    value = assertion.get("value")
    if value is None:
        return kind
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if "rubric" in kind or kind.startswith(("model-graded", "g-eval", "factuality")):
        return text.strip()
    return f"{kind}: {text.strip()}"


def _passes_as_computed(
    row: Row,
    graded: _Graded,
    ruled: Mapping[str, bool],
) -> bool | None:
    """Return whether a row passes by its assertions and its test's threshold, as in promptfoo.

    `ruled` has people's verdicts by the keys of results, which count instead of
    promptfoo's. Returns None if an assertion without a verdict would decide. A row without
    assertions passes unless the test has a threshold above 0.
    """
    test = row.get("testCase") or {}
    return _combined_outcome(graded.results, test.get("threshold"), ruled).passed


class _Outcome(NamedTuple):
    """How an assertion, or several together, came out."""

    passed: bool | None
    """None without a verdict."""
    score: float
    """As promptfoo counts it; 0.0 without a verdict."""


def _combined_outcome(
    results: Iterable[_AssertionResult],
    threshold: object,
    ruled: Mapping[str, bool],
) -> _Outcome:
    """Return whether promptfoo's results pass together, and their weighted mean score.

    If `threshold` is a number the mean must reach it, and each result needs a verdict.
    Otherwise all results must pass, and one that does not is enough to fail, even if others
    have no verdict. `passed` is None if a missing verdict would decide. Results that only
    measure are left out; if there are no others the mean is 0.0, and they pass unless that
    is below the threshold. `ruled` has people's verdicts by the keys of results, which come
    first.
    """
    passes: list[bool | None] = []
    total = 0.0
    weights = 0.0
    for result in results:
        if not result.counts:
            continue
        outcome = _single_outcome(result, ruled)
        passes.append(outcome.passed)
        weight = result.settings.get("weight")
        if not isinstance(weight, int | float):
            weight = 1
        total += outcome.score * weight
        weights += weight
    mean = total / weights if weights else 0.0
    has_threshold = isinstance(threshold, int | float)
    if not has_threshold and False in passes:
        return _Outcome(False, mean)
    if None in passes:
        return _Outcome(None, mean)
    if isinstance(threshold, int | float):
        return _Outcome(mean >= threshold, mean)
    return _Outcome(True, mean)


def _single_outcome(
    result: _AssertionResult,
    ruled: Mapping[str, bool],
) -> _Outcome:
    """Return whether an assertion passed in promptfoo's results, and its score.

    A set's outcome is that of its results together. A verdict in `ruled` (people's, by key) that
    differs from promptfoo's makes the score 1.0 or 0.0. Without a score in the file it is 1.0 if
    the assertion passed, else 0.0, also without a verdict.
    """
    if result.is_set:
        threshold = result.settings.get("threshold")
        return _combined_outcome(result.results, threshold, ruled)
    passed = None
    if not result.failure:
        passed = bool(result.component.get("pass"))
    ruling = ruled.get(result.key, passed)
    if ruling is not None and ruling is not passed:
        return _Outcome(ruling, float(ruling))
    score = result.component.get("score")
    if not isinstance(score, int | float):
        score = bool(passed)
    return _Outcome(passed, float(score))


def _rating_verdict(row: Row, rating: Row) -> PersonVerdict:
    """Return a person's rating of a promptfoo row as their verdict on `WHOLE`, by `PEOPLE`.

    The reason is the rating's comment, else the row's, else "". A rating without `pass` is a no.
    Raises KeyError for a row without `gradingResult`.
    """
    comment = rating.get("comment") or row["gradingResult"].get("comment") or ""
    return PersonVerdict(WHOLE, bool(rating.get("pass")), PEOPLE, str(comment))


PEOPLE = "promptfoo"
"""By whom ratings are: promptfoo does not say who gave them."""


def _trace(
    row: Row,
    number: int,
    assertions: _Assertions,
    shared: Sequence[str],
    *,
    has_whole: bool,
) -> ForeignTrace:
    """Return the trace of a row of promptfoo's results, with a verdict for each single assertion.

    Ratings of people are verdicts on `WHOLE`. With `has_whole` the judge's last verdict is
    on that, too. Without an answer the response is "", the trace says why, and there are
    only failed verdicts (`_failed_verdicts`). They are also all that there is if the row
    has an error and nothing graded it. `number` is the row's, from 1, and `shared` are the
    traits that all tests have.
    """
    record = _record(row, number)
    error = _first_line(row.get("error") or table_at(row, "response").get("error"))
    if not _is_answered(row, error):
        failure = f"There is no answer: {error or 'promptfoo got none'}"
        # or an answer among the prompt's messages would be taken for it
        record["response"] = ""
        return ForeignTrace(
            record,
            _failed_verdicts(row, assertions, shared, failure),
            (),
            failure,
        )
    if error and not row.get("gradingResult"):
        failure = f"The grader failed: {error}"
        return ForeignTrace(record, _failed_verdicts(row, assertions, shared, failure))
    graded = _graded(row)
    judged = [_verdict(result, assertions.name(result)) for result in graded.leaves()]
    people = [_rating_verdict(row, rating) for rating in graded.human]
    if has_whole:
        judged.append(_row_verdict(row, graded))
    return ForeignTrace(record, judged, people)


def _is_answered(row: Row, error: str) -> bool:
    """Return whether a promptfoo row has an answer; an answer may have no words.

    It has none if `failureReason` says so or if the row has no `response`. `error` is the
    first line of the row's error, or "". If there is an error, an output is needed: an
    empty one counts only if the row was graded and the response itself has no error. The
    error may be that of a failed assertion.
    """
    if row.get("failureReason") == NO_ANSWER or row.get("response") is None:
        return False
    response = table_at(row, "response")
    output = response.get("output")
    if output or not error:
        return True
    if output is None or response.get("error"):
        return False
    return bool(row.get("gradingResult"))


def _failed_verdicts(
    row: Row,
    assertions: _Assertions,
    shared: Sequence[str],
    failure: str,
) -> list[JudgeVerdict]:
    """Return a failed verdict, with the reason `failure`, for each assertion of a promptfoo test.

    The test is that of `row`. If it names none, there is one for each trait in `shared`. The trait
    `WHOLE` is added if there is one.
    """
    names = assertions.expected(row) or shared
    if WHOLE in assertions.traits:
        names = [*names, WHOLE]
    return [JudgeVerdict(name, failed=failure) for name in names]


def _verdict(result: _AssertionResult, name: str) -> JudgeVerdict:
    """Return promptfoo's verdict on one assertion, for the trait `name`, with promptfoo's reason.

    The value is whether it passed. The judge is "promptfoo" and the assertion's type, if it has
    one: "promptfoo llm-rubric". The verdict is a failed one, without a value, if the assertion's
    grader failed or gave no `pass`.
    """
    judge = "promptfoo"
    kind = result.assertion.get("type")
    if kind:
        judge = f"promptfoo {kind}"
    if result.failure:
        return JudgeVerdict(name, judge=judge, failed=result.failure)
    passed = bool(result.component.get("pass"))
    reason = result.component.get("reason") or ""
    return JudgeVerdict(name, passed, str(reason), judge)


def _row_verdict(row: Row, graded: _Graded) -> JudgeVerdict:
    """Return promptfoo's verdict on a whole row (`WHOLE`), a failed one if it cannot be told.

    If an assertion has no verdict, since its grader failed or gave no `pass`, it is a failed
    verdict with that assertion's reason. Otherwise it is the row's own verdict with the row's
    reason. If the row has none, or if a person's rating replaced it, it is computed from the
    assertions. The reason is then that of the first one that did not pass, or a sentence that all
    passed. Without assertions to compute it from it is a failed verdict.
    """
    leaves = list(graded.leaves())
    for result in leaves:
        if result.failure:
            return JudgeVerdict(WHOLE, judge="promptfoo", failed=result.failure)
    grading = row.get("gradingResult") or {}
    if not graded.human and isinstance(grading.get("pass"), bool):
        reason = str(grading.get("reason") or "")
        return JudgeVerdict(WHOLE, grading["pass"], reason, "promptfoo")
    if not leaves:
        return JudgeVerdict(
            WHOLE,
            judge="promptfoo",
            failed="The judge's verdict is not kept.",
        )
    passed = _passes_as_computed(row, graded, {})
    if passed:
        return JudgeVerdict(WHOLE, passed, "All assertions passed", "promptfoo")
    reason = ""
    for result in leaves:
        if not result.component.get("pass"):
            reason = str(result.component.get("reason") or "")
            break
    return JudgeVerdict(WHOLE, passed, reason, "promptfoo")


def _record(row: Row, number: int) -> Row:
    """Return the trace record of a row of promptfoo's results; empty values are left out.

    It has the id, question, reference, model, messages, cluster, metadata and response. The
    messages are those of a prompt that is a chat in JSON. The metadata are the test's and the
    row's, with the variables under `vars` that are not named as questions. Rows of one test have
    one cluster. `number` is the row's from 1, for its id. Without an output there is no "response",
    but "" is one; an output that is no text is JSON.
    """
    variables = table_at(row, "vars")
    prompt = str(table_at(row, "prompt").get("raw") or "")
    metadata = table_at(row, "testCase", "metadata") | table_at(row, "metadata")
    metadata.pop("_promptfooFileMetadata", None)
    further_variables: Row = {}
    for key, value in variables.items():
        if key not in QUESTIONS:
            further_variables[key] = value
    if further_variables:
        metadata["vars"] = further_variables
    output = table_at(row, "response").get("output")
    record = without_empty(
        {
            "id": _id(row, number),
            "question": _question(variables, prompt),
            "cluster": _cluster(row),
            "metadata": metadata,
            "model": _provider_name(row.get("provider")),
            "reference": _reference(variables),
            "messages": _messages(prompt),
        },
    )
    return with_response(record, None if output is None else _text(output))


def _id(row: Row, number: int) -> str:
    """Return a promptfoo row's id: its own, else `TEST-PROMPT` by index from 0, else `number`."""
    if row.get("id"):
        return str(row["id"])
    if "testIdx" in row:
        return f"{row['testIdx']}-{row.get('promptIdx', 0)}"
    return str(number)


def _provider_name(provider: object) -> object:
    """Return the name of the model that answered in promptfoo: a provider's label, else its id.

    A provider that is no table is returned as it is.
    """
    if isinstance(provider, dict):
        return provider.get("label") or provider.get("id")
    return provider


def _question(variables: Row, prompt: str) -> str:
    """Return what a promptfoo test asks: the first variable in `QUESTIONS`, else the only text.

    With several other texts, or none, it is `prompt`. Only variables that are texts and not empty
    count, and a reference, as `expected`, is one of them.
    """
    texts = {
        key: value
        for key, value in variables.items()
        if isinstance(value, str) and value
    }
    for name in QUESTIONS:
        if name in texts:
            return str(texts[name])
    if len(texts) == 1:
        return str(next(iter(texts.values())))
    return prompt


def _reference(variables: Row) -> str | None:
    """Return a promptfoo test's first variable, in the order of `REFERENCES`, that is a text.

    It may be "". Variables that are numbers, lists or tables are passed over. None if none is a
    text.
    """
    for name in REFERENCES:
        reference = variables.get(name)
        if isinstance(reference, str):
            return reference
    return None


def _messages(prompt: str) -> list[Row] | None:
    """Return the messages in a promptfoo prompt that is a JSON list of them; else None.

    Each must be a table with a role. [] for an empty list.
    """
    if not prompt.lstrip().startswith("["):
        return None
    try:
        parsed = from_json(prompt)
    except ValueError:
        return None
    if not isinstance(parsed, list):
        return None
    if not all(isinstance(message, dict) and "role" in message for message in parsed):
        return None
    return parsed


def _cluster(row: Row) -> str:
    """Return what all rows of a promptfoo test share, as a text: the test's id, else its variables.

    The id is the test's own, else the one in its metadata (`testCaseId`). The variables are JSON
    with sorted keys, "{}" for none. Raises AttributeError if the test or its metadata is no table.
    """
    test = row.get("testCase") or {}
    metadata = test.get("metadata") or {}
    test_id = test.get("id") or metadata.get("testCaseId")
    if test_id:
        return str(test_id)
    variables = row.get("vars") or {}
    return _IN_ORDER(variables)


_IN_ORDER = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def _digest(cluster: str) -> bytes:
    """Return a hash of 16 bytes of what repeats of a test share, which may be long texts."""
    return blake2b(cluster.encode("utf-8", "replace"), digest_size=16).digest()


def _text(output: object) -> str:
    """Return a promptfoo output as text: "" for None, and JSON for anything that is no text."""
    if output is None or isinstance(output, str):
        return output or ""
    return json.dumps(output, ensure_ascii=False)


def _first_line(text: object) -> str:
    """Return the first line with a word of an error, without blanks before it.

    An error that is no text is written out as `str` does. "" for a text of only blanks, and for
    what counts as false: None, 0, False and empty tables or lists.
    """
    lines = str(text or "").strip().splitlines()
    if lines:
        return lines[0]
    return ""


# -- CSV ------------------------------------------------------------------------------------------


def is_csv(heads: Sequence[str]) -> bool:
    """Return whether the column names `heads` are those of promptfoo's `eval -o results.csv`."""
    return {"Status", "Score", "Named Scores", "Grader Reason"} <= set(heads)


def read_csv(table: CsvTable) -> ForeignFile:
    """Return what promptfoo's results in CSV hold, with a trace for each answer in a row.

    A row has one answer for each provider. Verdicts are on `WHOLE` and on each metric. `table` is
    read anew at each pass. `lost` says what promptfoo leaves out of CSV, as ids.
    """

    def traces() -> Iterator[ForeignTrace]:
        """Yield a trace for each answer in promptfoo's CSV, with the id `ROW-ANSWER`, both from 1.

        Its verdicts are the grade, on `WHOLE`, and the metrics. The head and blank rows are not
        counted. Reads the file anew. Raises OSError, UnicodeDecodeError, csv.Error, and IndexError
        for a table without a column `Status`, and for a row that ends before an answer.
        """
        lines = table.rows_of_cells()
        heads = next(lines)
        blocks = _answer_columns(heads)
        first_heads = heads[: blocks[0].begin]
        for row_number, line in enumerate(lines, 1):
            variables = dict(zip(first_heads, line, strict=False))
            for answer_number, block in enumerate(blocks, 1):
                heads_of_answer = heads[block.begin : block.end]
                cells = line[block.begin : block.end]
                name = f"{row_number}-{answer_number}"
                yield _csv_trace(name, variables, heads_of_answer, cells)

    traits = {WHOLE: ForeignTrait(WHOLE, "Does the answer pass, as a whole?")}
    lost = [
        "what promptfoo leaves out of CSV: ids, graders' errors, assertions without a metric",
    ]
    return ForeignFile(f"{FORM} (CSV)", traces, _CSV_MAPPING, traits, lost)


class _Columns(NamedTuple):
    """Neighbouring columns of a table."""

    begin: int
    """The index of the first one, from 0."""
    end: int
    """The index behind the last one."""


def _answer_columns(heads: Sequence[str]) -> list[_Columns]:
    """Return where the columns of each answer in promptfoo's CSV are, in order.

    An answer begins with the column before each `Status`, and goes on to the next answer or to the
    last column. [] without such a column.
    """
    begins: list[int] = []
    for index, head in enumerate(heads):
        if head == "Status":
            begins.append(index - 1)
    columns: list[_Columns] = []
    for begin, end in pairwise([*begins, len(heads)]):
        columns.append(_Columns(begin, end))
    return columns


def _csv_trace(
    name: str,
    variables: Row,
    heads: Sequence[str],
    cells: Sequence[str],
) -> ForeignTrace:
    """Return the trace of one answer in a row of promptfoo's CSV, with the grade and the metrics.

    The grade PASS or FAIL is on `WHOLE`: a person's if it was given manually, else the judge's
    ("promptfoo"). With the status ERROR there is no answer: the record has no response, and the
    only verdict is a failed one. Any other status is a failed verdict on `WHOLE`. An empty answer
    is a response only if it was graded. Metrics that are no numbers are left out. `name` is the id,
    and `variables` are the test's. `heads` and `cells` are those of the answer's columns, the
    answer itself first, under its model's name. Raises IndexError if `cells` is empty.
    """
    head = heads[0]
    output = cells[0]
    values: dict[str, Any] = dict(zip(heads[1:], cells[1:], strict=False))
    model = head
    if head.startswith("["):
        model = head[1:].partition("]")[0]
    record: Row = {
        "id": name,
        "question": _question(variables, ""),
        "model": model,
        "cluster": _IN_ORDER(variables),
    }
    reference = _reference(variables)
    if reference:
        record["reference"] = reference
    reason = values.get("Grader Reason", "")
    if values.get("Status") == "ERROR":
        failure = f"There is no answer: {_first_line(reason or output)}"
        return ForeignTrace(record, [JudgeVerdict(WHOLE, failed=failure)], (), failure)
    status = values.get("Status")
    if output or status in _STATUSES:
        record["response"] = output
    passed = status == "PASS"
    judged = []
    people = []
    if status not in _STATUSES:
        judged.append(JudgeVerdict(WHOLE, failed="It says neither PASS nor FAIL."))
    elif reason.startswith(_MANUAL):
        people.append(PersonVerdict(WHOLE, passed, PEOPLE, values.get("Comment", "")))
    else:
        judged.append(JudgeVerdict(WHOLE, passed, reason, "promptfoo"))
    for key, value in values.items():
        score = cell_value(value) if key.startswith("Metric: ") else None
        if isinstance(score, bool | int | float):
            metric = trait_name(key.removeprefix("Metric: "))
            judged.append(JudgeVerdict(metric, float(score), judge="promptfoo"))
    return ForeignTrace(record, judged, people)


# -- back -----------------------------------------------------------------------------------------

OVERRIDES = "overrides all other grading results"


def rated(document: Any, cells: Iterable[RuledCell]) -> Merged:
    """Put people's verdicts into promptfoo's results as ratings of rows; return the document.

    `document` itself is changed, also its counts. It is returned with the number of rows that
    people ruled on, and with notes, which count those of them that were left unchanged, by the
    reason. A rating says whether the row passes: by the verdict on `WHOLE`, else by its assertions
    with people's verdicts in place of the judge's. Without a verdict on `WHOLE` a "cannot tell"
    leaves the row unchanged. promptfoo's own results of assertions stay. Cells that are neither
    yes, no nor "cannot tell" are ignored. Raises AttributeError or TypeError for a row that is not
    as promptfoo writes it.
    """
    ruled: dict[str, list[RuledCell]] = {}
    for cell in cells:
        if isinstance(cell.value, bool) or cell.is_untold:
            ruled.setdefault(cell.trace.id, []).append(cell)
    rows = _rows(document)
    assertions = _Assertions()
    for row in rows:
        for result in _graded(row).leaves():
            assertions.add(result)
    count = 0
    unchanged: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        ruled_cells = ruled.get(_id(row, number))
        if not ruled_cells:
            continue
        count += 1
        cause = _rate_row(document, row, ruled_cells, assertions)
        if cause:
            unchanged[cause] += 1
    notes = [
        f"{many(number, 'row')} left unchanged: {cause}"
        for cause, number in unchanged.items()
    ]
    table = document.get("results") if isinstance(document, dict) else None
    if isinstance(table, dict) and table.get("table") and count:
        notes.append("results.table of the copy is older than the ratings")
    return Merged(document, count, notes)


def _rows(document: Any) -> list[Row]:
    """Return the rows in a promptfoo document: a list, one row or a results file; or [].

    They are the document's own. The entries of a list are not checked, while those of a results
    file are.
    """
    if isinstance(document, list):
        return document
    if is_row(document):
        return [document]
    return rows_of(document) or []


def _rate_row(
    document: Any,
    row: Row,
    cells: Sequence[RuledCell],
    assertions: _Assertions,
) -> str:
    """Rate a promptfoo row by people's verdicts, which changes it and the counts in `document`.

    Returns why that was not done, as a clause; "" if it was, or if `cells` are only the rating that
    the file came with. A verdict on `WHOLE` comes before those on assertions.
    """
    graded = _graded(row)
    new_cells = [cell for cell in cells if not (graded.human and _is_of_file(cell))]
    if not new_cells:
        return ""
    verdicts = {
        cell.trait: bool(cell.value) for cell in new_cells if not cell.is_untold
    }
    passed = verdicts.get(WHOLE)
    if passed is None and any(cell.is_untold for cell in new_cells):
        return "a person could not tell, and promptfoo has passed and failed alone"
    if passed is None and graded.human:
        return (
            f"a person rated the answer in promptfoo; rule on “{WHOLE}” to change that"
        )
    if passed is None:
        by_result: dict[str, bool] = {}
        for result in graded.leaves():
            name = assertions.name(result)
            if name in verdicts:
                by_result[result.key] = verdicts[name]
        if len(by_result) < len(verdicts):
            return "not every assertion that was ruled on is there"
        passed = _passes_by_rulings(row, graded, by_result)
    if passed is None:
        return "the verdict depends on a part without one, or on a rule that is not in the file"
    previous_grade = _Grade(
        passed=bool(row.get("success")),
        score=row.get("score"),
        is_rated=bool(graded.human),
    )
    _put_rating(row, passed, "; ".join(map(_remark, new_cells)))
    _correct_counts(document, row, previous_grade)
    return ""


class _Grade(NamedTuple):
    """How a promptfoo row was graded, before a person's rating is put into it."""

    passed: bool
    score: object
    """The row's score; anything but a number if it has none."""
    is_rated: bool
    """Whether a person had rated it."""


def _is_of_file(cell: RuledCell) -> bool:
    """Return whether a cell is the rating of a person that the row already had in the file."""
    return cell.trait == WHOLE and cell.by == PEOPLE


def _remark(cell: RuledCell) -> str:
    """Return a line for promptfoo on a verdict: "tone: yes, polite, evidence in step 3 (ann)".

    Reason and steps are left out where there are none.
    """
    remark = f"{cell.trait}: {cell.label}"
    if cell.why:
        remark += f", {cell.why}"
    if cell.steps:
        noun = "step" if len(cell.steps) == 1 else "steps"
        numbers = ", ".join(map(str, cell.steps))
        remark += f", evidence in {noun} {numbers}"
    return f"{remark} ({cell.by})"


def _passes_by_rulings(
    row: Row,
    graded: _Graded,
    ruled: Mapping[str, bool],
) -> bool | None:
    """Return whether a row that nobody rated passes, with people's verdicts on its assertions.

    `ruled` has them by the keys of results. If they agree with promptfoo, its own verdict stands,
    unless an assertion has none: then it is computed. None if it cannot be told: there is no
    assertion, a result that counts has no verdict, or promptfoo's own verdict is not what its
    assertions give, so that it follows a rule that is not in the file.
    """
    recorded_pass = (row.get("gradingResult") or {}).get("pass")
    judges: dict[str, object] = {}
    is_whole = True
    for result in graded.leaves():
        if result.failure:
            is_whole = False
        else:
            judges[result.key] = result.component.get("pass")
    if isinstance(recorded_pass, bool) and ruled.items() <= judges.items():
        if is_whole:
            return recorded_pass
        return _passes_as_computed(row, graded, ruled)
    if not graded.results:
        return None
    if isinstance(recorded_pass, bool):
        computed_pass = _passes_as_computed(row, graded, {})
        if computed_pass not in (recorded_pass, None):
            return None
    return _passes_as_computed(row, graded, ruled)


def _put_rating(row: Row, passed: bool, comment: str) -> None:
    """Write a person's rating into a promptfoo row, replacing an earlier one; changes the row.

    The row's success and score, and those of its grading result, become what `passed` says (score 1
    or 0), with `comment`. The rating is the last of `componentResults`; the results of assertions
    stay.
    """
    grading = row.get("gradingResult") or {}
    components: list[Any] = []
    for component in grading.get("componentResults") or []:
        checked = _named_assertion(component) if isinstance(component, dict) else {}
        if checked.get("type") != "human":
            components.append(component)
    rating = {
        "pass": passed,
        "score": int(passed),
        "reason": f"{_MANUAL} ({OVERRIDES})",
    }
    human = {**rating, "comment": comment, "assertion": {"type": "human"}}
    row["gradingResult"] = {
        **grading,
        **rating,
        "comment": comment,
        "componentResults": [*components, human],
    }
    row["success"] = passed
    row["score"] = int(passed)


def _correct_counts(
    document: Any,
    row: Row,
    previous_grade: _Grade,
) -> None:
    """Correct promptfoo's counts in `document`, of the run and of the prompt, for a rated row.

    `row` has its new rating already, and `previous_grade` is what it had before. Passes and
    failures change only if that does; the rating counts as an assertion in place of an earlier one.
    Changes the document. Counts that it lacks are not added.
    """
    passed = previous_grade.passed
    score = previous_grade.score
    stats = table_at(document, "results", "stats") if isinstance(document, dict) else {}
    metrics = _prompt_counts(document, row)
    if row["success"] != passed:
        run_count = "failures"
        prompt_count = "testFailCount"
        if row.get("failureReason") == NO_ANSWER and not passed:
            run_count = "errors"
            prompt_count = "testErrorCount"
        step = 1 if row["success"] else -1
        _add(stats, "successes", step)
        _add(stats, run_count, -step)
        _add(metrics, "testPassCount", step)
        _add(metrics, prompt_count, -step)
    sides = {True: "assertPassCount", False: "assertFailCount"}
    if previous_grade.is_rated:
        _add(metrics, sides[passed], -1)
    _add(metrics, sides[row["success"]], 1)
    if isinstance(score, int | float):
        _add(metrics, "score", row["score"] - score)


def _prompt_counts(document: Any, row: Row) -> Row:
    """Return promptfoo's counts for the prompt of a row: the document's own table, to be changed.

    {} if the document has none, or if the row does not say its prompt (`promptIdx`).
    """
    if not isinstance(document, dict):
        return {}
    prompts = table_at(document, "results").get("prompts")
    number = row.get("promptIdx")
    if not isinstance(prompts, list) or not isinstance(number, int):
        return {}
    if not 0 <= number < len(prompts):
        return {}
    return table_at(prompts[number], "metrics")


def _add(table: Row, key: str, step: float) -> None:
    if isinstance(table.get(key), int | float):
        table[key] += step
