"""Results of promptfoo (`eval -o`): JSON, JSON Lines and CSV, results versions 2 to 4.

A row is one answer to one test. Its verdicts are the `componentResults` of its assertions; a person
rates the row as a whole, and promptfoo writes that over the row's own verdict, so that the row has
a trait of its own (`WHOLE`) where people rated any.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct, field

from appellate.core.problem import many
from appellate.interop.cell_values import cell_value
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    PersonVerdict,
    Row,
    table_at,
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
    """Return whether a value is a row of promptfoo's results, by its keys."""
    if not isinstance(value, dict) or "vars" not in value:
        return False
    return "gradingResult" in value or {"prompt", "provider"} <= value.keys()


def rows_of(document: object) -> list[Row] | None:
    """Return the rows of a whole file of promptfoo's results, or None if a document is none."""
    if not isinstance(document, dict):
        return None
    results = document.get("results")
    if isinstance(results, dict):
        results = results.get("results")
    if isinstance(results, list) and results and all(map(is_row, results)):
        return results
    return None


def read(rows: Callable[[], Iterable[Row]]) -> ForeignFile:
    """Return the file of promptfoo's results in JSON or JSON Lines, from its rows.

    `rows` is called for each pass. Its traits are the assertions, and the whole row (`WHOLE`) if
    people or a script graded that. Assertions that not all tests have are traits of their tests'
    questions.
    """
    assertions = _Assertions()
    tests = _Tests()
    has_whole = False
    has_details = False
    for row in rows():
        graded = _graded(row)
        has_details = has_details or any(
            _inner(part.component) for part in graded.leaves()
        )
        tests.add(row, [assertions.add(part) for part in graded.leaves()])
        has_whole = has_whole or bool(graded.human) or _is_graded_whole(row, graded)
    traits = assertions.traits
    groups = tests.groups(assertions)
    grouped = set().union(*groups.values())
    shared = [name for name in traits if name not in grouped]
    if has_whole:
        traits[WHOLE] = ForeignTrait(WHOLE, "Does the answer pass, as a whole?")

    def traces() -> Iterator[ForeignTrace]:
        """Yield the trace of each row.

        One of a test with assertions of its own gets the test as question.
        """
        for number, row in enumerate(rows(), 1):
            trace = _trace(row, number, assertions, shared, has_whole=has_whole)
            test = tests.of(trace.record["cluster"])
            if test in groups:
                trace.record["question_id"] = test
            yield trace

    lost = [
        "prompts that are no messages, criteria as the judge read them, scores of assertions"
    ]
    if has_details:
        lost.append("what a script says of the parts of its verdict")
    lost.append("tokens, costs, latencies")
    return ForeignFile(FORM, traces, MAPPING, traits, lost, groups=groups)


class _Tests:
    """The tests, which rows share that repeat one, and the assertions that not all of them have."""

    def __init__(self) -> None:
        self._ids: dict[bytes, str] = {}
        self._names: dict[str, dict[str, None]] = {}
        self._failed: dict[str, Row] = {}

    def add(self, row: Row, names: Iterable[str]) -> None:
        """Note which assertions a row's test has: `names` are those of their traits.

        A row without grades is kept apart as failed; of several such rows of a test the last is
        kept.
        """
        number = self._ids.setdefault(
            _digest(_cluster(row)), f"test {len(self._ids) + 1}"
        )
        if row.get("gradingResult"):
            self._names.setdefault(number, {}).update(dict.fromkeys(names))
        else:
            self._failed[number] = row

    def groups(self, assertions: "_Assertions") -> dict[str, list[str]]:
        """Return, by a test's id, its assertions that not all tests have.

        Tests without any are left out. A test of which all rows failed has those that its row
        names.
        """
        for number, row in self._failed.items():
            if names := assertions.expected(row):
                self._names.setdefault(number, dict.fromkeys(names))
        shared = (
            set.intersection(*map(set, self._names.values())) if self._names else set()
        )
        groups = {
            number: [name for name in names if name not in shared]
            for number, names in self._names.items()
        }
        return {number: names for number, names in groups.items() if names}

    def of(self, cluster: str) -> str:
        return self._ids[_digest(cluster)]


# -- what graded a row ----------------------------------------------------------------------------


class _Part(Struct):
    """One result of a row: of an assertion, or of a set of them.

    `assertion` is what it says that it checked, else what its test says; empty where neither does.
    `place` is its number in the test, and behind a dot its number in a set.
    """

    component: Row
    assertion: Row
    place: str
    is_set: bool = False
    parts: list["_Part"] = field(default_factory=list)
    """The results in a set. Whatever else a script puts into its own result is no part."""
    key: str = ""
    """What tells its trait from others: no two parts of a row share it."""

    @property
    def settings(self) -> Row:
        """What its test says of it: weight, threshold."""
        return table_at(self.component, "metadata", "assertionSet") | self.assertion

    @property
    def counts(self) -> bool:
        """Whether the row's verdict depends on it."""
        return not table_at(self.component, "assertion").get("metricOnly")

    @property
    def failure(self) -> str:
        """Why an assertion has no verdict; "" if it has one.

        An error of the grader is a failure whatever the result says.
        """
        reason = str(self.component.get("reason") or "")
        if (self.component.get("metadata") or {}).get("graderError"):
            return reason or "The grader failed."
        if self.component.get("pass") is None:
            return reason or "The grader gave no verdict."
        return ""


class _Graded(NamedTuple):
    """What graded a row's answer: its assertions, and people."""

    parts: list[_Part]
    human: list[Row]

    def leaves(self) -> Iterator[_Part]:
        """Yield the results of single assertions in order; of a set it yields those in it."""
        for part in self.parts:
            if part.is_set:
                yield from _Graded(part.parts, []).leaves()
            else:
                yield part


def _graded(row: Row) -> _Graded:
    """Return what graded a row, with a key for each assertion by which rows share a trait.

    Equal assertions of one row are numbered. Results of comparisons between answers are among the
    parts, but are not matched with the test's assertions by their places.
    """
    components = (row.get("gradingResult") or {}).get("componentResults") or []
    assertions = [
        entry for entry in _asserted(row.get("testCase")) if not _is_comparison(entry)
    ]
    graded = _tree(
        [entry for entry in components if isinstance(entry, dict)], assertions
    )
    seen: Counter[str] = Counter()
    for part in graded.leaves():
        base = _identity(part.assertion) if part.assertion else f"{_PLACE} {part.place}"
        seen[base] += 1
        part.key = _keyed(base, seen[base])
    return graded


_PLACE = "assertion"


def _asserted(test: object) -> list[Row]:
    """Return the assertions that a test, or a set of them, names; [] for none."""
    entries = (test.get("assert") if isinstance(test, dict) else None) or []
    return [entry for entry in entries if isinstance(entry, dict)]


def _is_comparison(assertion: Row) -> bool:
    """Return whether an assertion compares answers; its result comes after all others'."""
    return str(assertion.get("type")).startswith(("select-", "max-score"))


def _keyed(identity: str, count: int) -> str:
    """Return what tells the trait of an assertion that is in a row for the `count`th time."""
    return identity if count == 1 else f"{identity} {count}"


def _tree(
    components: Sequence[Row], assertions: Sequence[Row], prefix: str = ""
) -> _Graded:
    """Return the results of promptfoo's assertions in their order, and people's ratings apart.

    promptfoo repeats what is in a set or a script behind it: the repetitions are left out. The
    `assertions` of the test are used only if they fit the results. Places count from 1 below
    `prefix`.
    """
    first = list[Row]()
    human = list[Row]()
    index = 0
    while index < len(components):
        component = components[index]
        index += 1 + _copies(component, components[index + 1 :])
        if _checked(component).get("type") == "human":
            human.append(component)
        else:
            first.append(component)
    comparable = [result for result in first if not _is_comparison(_checked(result))]
    if not _are_results_of(comparable, assertions):
        assertions = ()
    parts = []
    for number, component in enumerate(first):
        asserted = assertions[number] if number < len(assertions) else {}
        parts.append(_part(component, asserted, f"{prefix}{number + 1}"))
    return _Graded(parts, human)


def _part(component: Row, asserted: Row, place: str) -> _Part:
    """Return a result, and those within it if it is of a set of assertions.

    `asserted` is the assertion of the test at its place, used if the result does not name its own;
    {} for none. `place` is its number in the test.
    """
    checked = _checked(component) or asserted
    inner = _inner(component)
    is_set = checked.get("type") == _SET or "assertionSet" in table_at(
        component, "metadata"
    )
    if not checked:
        is_set = is_set or any(map(_checked, inner))
    part = _Part(component, checked, place, is_set)
    if is_set:
        part.parts = _tree(inner, _asserted(checked), f"{place}.").parts
    return part


_SET = "assert-set"


def _checked(component: Row) -> Row:
    """Return the assertion that a result of promptfoo names.

    {} if it names none, or one without a type.
    """
    assertion = component.get("assertion")
    return assertion if isinstance(assertion, dict) and assertion.get("type") else {}


def _inner(component: Row) -> list[Row]:
    return [
        part
        for part in component.get("componentResults") or []
        if isinstance(part, dict)
    ]


def _copies(component: Row, later_results: Sequence[Row]) -> int:
    """Return how many of the results behind one only repeat those in it; 0 if any of them differs.

    Their verdicts, scores and reasons are compared.
    """
    inner = _inner(component)
    nothing: Row = {}
    for inner_result, copy in zip_longest(
        inner, later_results[: len(inner)], fillvalue=nothing
    ):
        if any(
            inner_result.get(key) != copy.get(key)
            for key in ("pass", "score", "reason")
        ):
            return 0
    return len(inner)


def _are_results_of(components: Sequence[Row], assertions: Sequence[Row]) -> bool:
    """Return whether these are the results of exactly these assertions, in this order.

    It goes by their number and types. A result that names no assertion fits any.
    """
    if len(components) != len(assertions):
        return False
    return all(
        _checked(component).get("type", asserted.get("type")) == asserted.get("type")
        for component, asserted in zip(components, assertions, strict=True)
    )


def _is_graded_whole(row: Row, graded: _Graded) -> bool:
    """Return whether a row has a verdict, and no part that it comes from."""
    grading = row.get("gradingResult") or {}
    is_verdict = (
        isinstance(grading.get("pass"), bool) and grading.get("reason") != _UNCHECKED
    )
    return is_verdict and not graded.parts and not graded.human


_UNCHECKED = "No assertions"
"""The reason of a row that nothing was asked of."""


class _Assertions:
    """The traits of assertions: by their metric where they name one, else each distinct one; those
    that nobody names by their place.
    """

    def __init__(self) -> None:
        self.traits: dict[str, ForeignTrait] = {}
        self._names: dict[str, str] = {}

    def add(self, part: _Part) -> str:
        """Return the name of a part's trait; make the trait if it is new.

        A name that another assertion has gets a number.
        """
        if part.key in self._names:
            return self._names[part.key]
        if part.assertion:
            wording = _wording(part.assertion)
            base = trait_name(str(part.assertion.get("metric") or wording))
        else:
            wording = (
                f"Assertion {part.place} of its test, which the file does not name."
            )
            base = f"{_PLACE} {part.place.replace('.', '-')}"
        name = base
        number = 1
        while name in self.traits or name == WHOLE:
            number += 1
            name = trait_name(f"{base[:54]} {number}")
        self._names[part.key] = name
        self.traits[name] = ForeignTrait(name, wording)
        return name

    def name(self, part: _Part) -> str:
        return self._names[part.key]

    def expected(self, row: Row) -> list[str]:
        """Return the names of the traits of the assertions that a row's test names, in its order.

        Assertions that no row had a result of are left out.
        """
        seen: Counter[str] = Counter()
        names = []
        for assertion in _single(_asserted(row.get("testCase"))):
            identity = _identity(assertion)
            seen[identity] += 1
            name = self._names.get(_keyed(identity, seen[identity]))
            if name:
                names.append(name)
        return names


def _single(assertions: Iterable[Row]) -> Iterator[Row]:
    """Yield single assertions, of a set those in it."""
    for assertion in assertions:
        if assertion.get("assert"):
            yield from _single(_asserted(assertion))
        else:
            yield assertion


def _identity(assertion: Row) -> str:
    """Return what tells an assertion from others: its metric, else its type and value as JSON."""
    if assertion.get("metric"):
        return str(assertion["metric"])
    return json.dumps([assertion.get("type"), assertion.get("value")], sort_keys=True)


def _wording(assertion: Row) -> str:
    """Return what an assertion asks, for people: the text of a model's rubric, else `TYPE: VALUE`.

    An assertion without a value is its type.
    """
    kind = str(assertion.get("type", "assertion"))
    value = assertion.get("value")
    if value is None:
        return kind
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if "rubric" in kind or kind.startswith(("model-graded", "g-eval", "factuality")):
        return text.strip()
    return f"{kind}: {text.strip()}"


def _outcome(row: Row, graded: _Graded, ruled: Mapping[str, bool]) -> bool | None:
    """Return whether a row passes by its parts, as promptfoo computes it.

    `ruled` holds the verdicts of people by a part's key, which count in place of promptfoo's. None
    if it depends on a part without a verdict.
    """
    return _sum(graded.parts, (row.get("testCase") or {}).get("threshold"), ruled)[0]


def _sum(
    parts: Iterable[_Part], threshold: object, ruled: Mapping[str, bool]
) -> tuple[bool | None, float]:
    """Return whether parts pass together, and their mean score by weight, as promptfoo has it.

    With a threshold the mean must reach it, else all must pass. The first is None if that depends
    on a part without a verdict. Parts that do not count are left out; without any other they pass,
    with a mean of 0. `ruled` holds people's verdicts by the keys of parts, which count first.
    """
    passes: list[bool | None] = []
    total = 0.0
    weights = 0.0
    for part in parts:
        if not part.counts:
            continue
        passed, score = _single_outcome(part, ruled)
        passes.append(passed)
        weight = part.settings.get("weight")
        weight = weight if isinstance(weight, int | float) else 1
        total += score * weight
        weights += weight
    mean = total / weights if weights else 0.0
    if isinstance(threshold, int | float):
        return (None if None in passes else mean >= threshold), mean
    if False in passes:
        return False, mean
    return (None if None in passes else True), mean


def _single_outcome(
    part: _Part, ruled: Mapping[str, bool]
) -> tuple[bool | None, float]:
    """Return whether a part passes, and its score from promptfoo; None if it has no verdict.

    `ruled` holds people's rulings by the keys of parts. One that is not what promptfoo said
    replaces the score by 1 or 0.
    """
    if part.is_set:
        return _sum(part.parts, part.settings.get("threshold"), ruled)
    passed = None if part.failure else bool(part.component.get("pass"))
    if ruled.get(part.key, passed) is not passed:
        return ruled[part.key], float(ruled[part.key])
    score = part.component.get("score")
    return passed, float(score if isinstance(score, int | float) else bool(passed))


def _rating(row: Row, part: Row) -> PersonVerdict:
    comment = part.get("comment") or row["gradingResult"].get("comment") or ""
    return PersonVerdict(WHOLE, bool(part.get("pass")), PEOPLE, str(comment))


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
    """Return the trace of a row, with a verdict for each single assertion, and people's ratings.

    `number` is that of the row, and `shared` the traits of a row whose test names none. Without an
    answer, or if the grader failed as a whole, all verdicts failed. With `has_whole` the last
    verdict is on the whole row.
    """
    record = _record(row, number)
    error = _first_line(row.get("error") or table_at(row, "response").get("error"))
    if not _is_answered(row, error):
        failure = f"There is no answer: {error or 'promptfoo got none'}"
        record["response"] = (
            ""  # or an answer among the prompt's messages would be taken for it
        )
        return ForeignTrace(
            record, _failed(row, assertions, shared, failure), (), failure
        )
    if error and not row.get("gradingResult"):
        failure = f"The grader failed: {error}"
        return ForeignTrace(record, _failed(row, assertions, shared, failure))
    graded = _graded(row)
    judged = [_verdict(part, assertions.name(part)) for part in graded.leaves()]
    people = [_rating(row, rating) for rating in graded.human]
    if has_whole:
        judged.append(_row_verdict(row, graded))
    return ForeignTrace(record, judged, people)


def _is_answered(row: Row, error: str) -> bool:
    """Return whether a row has an answer, perhaps one without words.

    `error` is the reason for a failed assertion as well, so that by itself it says nothing.
    """
    response = table_at(row, "response")
    if row.get("failureReason") == NO_ANSWER or row.get("response") is None:
        return False
    if response.get("output") or not error:
        return True
    is_graded = bool(row.get("gradingResult")) and not response.get("error")
    return response.get("output") is not None and is_graded


def _failed(
    row: Row, assertions: _Assertions, shared: Sequence[str], failure: str
) -> list[JudgeVerdict]:
    """Return a failed verdict for each assertion of a row's test, with the reason `failure`.

    If the row names none, they are `shared`. The whole row fails, too, if it is a trait.
    """
    names = assertions.expected(row) or shared
    if WHOLE in assertions.traits:
        names = [*names, WHOLE]
    return [JudgeVerdict(name, failed=failure) for name in names]


def _verdict(part: _Part, name: str) -> JudgeVerdict:
    """Return promptfoo's verdict of one assertion, on the trait `name`.

    It failed, with the reason, if the assertion has no verdict.
    """
    judge = f"promptfoo {part.assertion.get('type', '')}".strip()
    if part.failure:
        return JudgeVerdict(name, judge=judge, failed=part.failure)
    reason = str(part.component.get("reason") or "")
    return JudgeVerdict(name, bool(part.component.get("pass")), reason, judge)


def _row_verdict(row: Row, graded: _Graded) -> JudgeVerdict:
    """Return the verdict on a whole row; it failed if an assertion has no verdict.

    It is promptfoo's own unless a person rated the row, which replaces that: then it is computed
    from the assertions. It failed, too, if such a row has no assertions.
    """
    leaves = list(graded.leaves())
    failed = next((part.failure for part in leaves if part.failure), "")
    if failed:
        return JudgeVerdict(WHOLE, judge="promptfoo", failed=failed)
    grading = row.get("gradingResult") or {}
    if not graded.human and isinstance(grading.get("pass"), bool):
        reason = str(grading.get("reason") or "")
        return JudgeVerdict(WHOLE, grading["pass"], reason, "promptfoo")
    if not leaves:
        return JudgeVerdict(
            WHOLE, judge="promptfoo", failed="The judge's verdict is not kept."
        )
    passed = _outcome(row, graded, {})
    reason = "All assertions passed"
    if not passed:
        wrong = [part.component for part in leaves if not part.component.get("pass")]
        reason = str(wrong[0].get("reason") or "") if wrong else ""
    return JudgeVerdict(WHOLE, passed, reason, "promptfoo")


def _record(row: Row, number: int) -> Row:
    """Return the record of a row's trace; values that are not known are left out.

    Variables that are no question are in the metadata. The number of the row, from 1, is for its
    id.
    """
    variables = table_at(row, "vars")
    prompt = str(table_at(row, "prompt").get("raw") or "")
    metadata = table_at(row, "testCase", "metadata") | table_at(row, "metadata")
    metadata.pop("_promptfooFileMetadata", None)
    metadata_variables = {
        key: value for key, value in variables.items() if key not in QUESTIONS
    }
    output = table_at(row, "response").get("output")
    record = without_empty(
        {
            "id": _id(row, number),
            "question": _question(variables, prompt),
            "cluster": _cluster(row),
            "metadata": metadata | without_empty({"vars": metadata_variables}),
            "model": _provider(row.get("provider")),
            "reference": _reference(variables),
            "messages": _messages(prompt),
        }
    )
    return with_response(record, None if output is None else _text(output))


def _id(row: Row, number: int) -> str:
    """Return the row's own id, or else its number.

    In older files it is the places of test and prompt, as `0-1`; 0 for a prompt that is not told.
    """
    if row.get("id"):
        return str(row["id"])
    if "testIdx" in row:
        return f"{row['testIdx']}-{row.get('promptIdx', 0)}"
    return str(number)


def _provider(provider: object) -> object:
    """Return who answered: the label of newer files, else the id."""
    if isinstance(provider, dict):
        return provider.get("label") or provider.get("id")
    return provider


def _question(variables: Row, prompt: str) -> str:
    """Return the first variable named as a question, else the only text, else the prompt.

    Names go in the order of `QUESTIONS`. Variables that are no text or empty do not count.
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
    references = [
        variables[name] for name in REFERENCES if isinstance(variables.get(name), str)
    ]
    return references[0] if references else None


def _messages(prompt: str) -> list[Row] | None:
    """Return a prompt that is a JSON list of messages as these; None for any other.

    Each must be a table with a role. An empty list is returned as one.
    """
    if not prompt.lstrip().startswith("["):
        return None
    try:
        parsed = from_json(prompt)
    except ValueError:
        return None
    if isinstance(parsed, list) and all(
        isinstance(message, dict) and "role" in message for message in parsed
    ):
        return parsed
    return None


def _cluster(row: Row) -> str:
    """Return what repeats of one test share: the test's id, or else its variables.

    The variables are JSON with sorted keys, `{}` for none.
    """
    variables = row.get("vars") or {}
    test = row.get("testCase") or {}
    test_id = test.get("id") or (test.get("metadata") or {}).get("testCaseId")
    return str(test_id or _IN_ORDER(variables))


_IN_ORDER = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def _digest(cluster: str) -> bytes:
    """Return a hash of 16 bytes of what repeats of a test share, which may be long texts."""
    return blake2b(cluster.encode("utf-8", "replace"), digest_size=16).digest()


def _text(output: object) -> str:
    """Return an output as text: JSON for what is no text, "" for None."""
    if output is None or isinstance(output, str):
        return output or ""
    return json.dumps(output, ensure_ascii=False)


def _first_line(text: object) -> str:
    lines = str(text or "").strip().splitlines()
    return lines[0] if lines else ""


# -- CSV ------------------------------------------------------------------------------------------


def is_csv(heads: Sequence[str]) -> bool:
    """Return whether these are the columns of `eval -o results.csv`."""
    return {"Status", "Score", "Named Scores", "Grader Reason"} <= set(heads)


def read_csv(path: Path) -> ForeignFile:
    """Return the file of promptfoo's results in CSV, with a trace for each answer of a row.

    The file is read at each pass. What promptfoo leaves out of CSV is told as lost.
    """

    def traces() -> Iterator[ForeignTrace]:
        """Yield a trace for each answer of each row; its id is `ROW-ANSWER`, both from 1.

        The head is no row. The columns before the first answer are the variables.
        """
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file)
            heads = next(lines)
            blocks = _blocks(heads)
            for number, line in enumerate(lines, 1):
                variables = dict(zip(heads[: blocks[0][0]], line, strict=False))
                for place, (begin, end) in enumerate(blocks, 1):
                    cells = list(zip(heads[begin:end], line[begin:end], strict=False))
                    yield _csv_trace(f"{number}-{place}", variables, cells)

    traits = {WHOLE: ForeignTrait(WHOLE, "Does the answer pass, as a whole?")}
    lost = [
        "what promptfoo leaves out of CSV: ids, graders' errors, assertions without a metric"
    ]
    return ForeignFile(f"{FORM} (CSV)", traces, _CSV_MAPPING, traits, lost)


def _blocks(heads: Sequence[str]) -> list[tuple[int, int]]:
    """Return the columns of each answer in a row: the first, and the one after the last.

    An answer begins with the column before each `Status`.
    """
    begins = [place - 1 for place, head in enumerate(heads) if head == "Status"]
    return list(pairwise([*begins, len(heads)]))


def _csv_trace(name: str, variables: Row, cells: list[tuple[str, str]]) -> ForeignTrace:
    """Return the trace of one answer of a row, with the grade of the whole row and its metrics.

    A grade by hand is a person's. A status that is neither PASS nor FAIL is a failed verdict; ERROR
    means that there is no answer. Metrics that are no number are left out. `name` is the id,
    `variables` are those of the test, and `cells` the columns of the answer with their heads, the
    answer first.
    """
    (head, output), *rest = cells
    values: dict[str, Any] = dict(rest)
    record: Row = {
        "id": name,
        "question": _question(variables, ""),
        "model": head[1:].partition("]")[0] if head.startswith("[") else head,
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
    """Put people's ratings into the results, as promptfoo's own server does, and return them.

    Changes the document. A row passes if its parts do, by the verdict of people or, if nobody
    ruled, of the judge. The judge's components stay, and so does a rating that nobody changed here.
    Verdicts that are neither yes nor no nor untold are ignored. Notes count the rows that were left
    unchanged, by the reason.
    """
    ruled: dict[str, list[RuledCell]] = {}
    for cell in cells:
        if isinstance(cell.value, bool) or cell.is_untold:
            ruled.setdefault(cell.trace.id, []).append(cell)
    rows = _rows(document)
    assertions = _Assertions()
    for row in rows:
        for part in _graded(row).leaves():
            assertions.add(part)
    count = 0
    unchanged: Counter[str] = Counter()
    for number, row in enumerate(rows, 1):
        ruled_cells = ruled.get(_id(row, number))
        if not ruled_cells:
            continue
        count += 1
        cause = _rate(document, row, ruled_cells, assertions)
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
    """Return the rows of a document, which may be one row of JSON Lines; [] for none."""
    if isinstance(document, list):
        return document
    if is_row(document):
        return [document]
    return rows_of(document) or []


def _rate(
    document: Any, row: Row, cells: Sequence[RuledCell], assertions: _Assertions
) -> str:
    """Put a person's rating into a row, and count it in the document.

    Return why it was not done, as a part of a sentence; "" if it was, and if nobody ruled anew on
    the row. A verdict on the whole answer goes before those on its parts.
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
        by_part = {
            part.key: verdicts[assertions.name(part)]
            for part in graded.leaves()
            if assertions.name(part) in verdicts
        }
        if len(by_part) < len(verdicts):
            return "not every assertion that was ruled on is there"
        passed = _passed(row, graded, by_part)
    if passed is None:
        return "the verdict depends on a part without one, or on a rule that is not in the file"
    previous_grade = bool(row.get("success")), row.get("score"), bool(graded.human)
    _put(row, passed, "; ".join(map(_remark, new_cells)))
    _recount(document, row, previous_grade)
    return ""


def _is_of_file(cell: RuledCell) -> bool:
    """Return whether a cell has the rating by hand that its row came with."""
    return cell.trait == WHOLE and cell.by == PEOPLE


def _remark(cell: RuledCell) -> str:
    """Return what a person ruled on a cell, in a line: trait, label, reason, steps and who.

    For example "tone: yes, polite, evidence in step 3 (ann)".
    """
    because = f", {cell.why}" if cell.why else ""
    steps = cell.steps
    where = ""
    if steps:
        where = f", evidence in {'step' if len(steps) == 1 else 'steps'} "
        where += ", ".join(map(str, steps))
    return f"{cell.trait}: {cell.label}{because}{where} ({cell.by})"


def _passed(row: Row, graded: _Graded, ruled: Mapping[str, bool]) -> bool | None:
    """Return whether a row that nobody rated passes by what people ruled of its parts.

    `ruled` holds that by the parts' keys. If they say what promptfoo said, its own verdict stays.
    None if it cannot be told: a part that counts has no verdict, or promptfoo's verdict does not
    follow from the parts.
    """
    recorded_pass = (row.get("gradingResult") or {}).get("pass")
    judges = {
        part.key: part.component.get("pass")
        for part in graded.leaves()
        if not part.failure
    }
    if isinstance(recorded_pass, bool) and ruled.items() <= judges.items():
        is_whole = not any(part.failure for part in graded.leaves())
        return recorded_pass if is_whole else _outcome(row, graded, ruled)
    is_modelled = not isinstance(recorded_pass, bool) or _outcome(row, graded, {}) in (
        recorded_pass,
        None,
    )
    return _outcome(row, graded, ruled) if is_modelled and graded.parts else None


def _put(row: Row, passed: bool, comment: str) -> None:
    """Put a person's grade into a row, in place of an earlier one by hand. Changes the row.

    The grade decides the row: its success and score, and those of its grading result, become 1 or 0
    as `passed` says. The other components of the grading result stay.
    """
    grading = row.get("gradingResult") or {}
    components = [
        component
        for component in grading.get("componentResults") or []
        if not (
            isinstance(component, dict) and _checked(component).get("type") == "human"
        )
    ]
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


def _recount(
    document: Any, row: Row, previous_grade: tuple[bool, object, bool]
) -> None:
    """Change the counts of the run and of a prompt in `document` for a row that was rated.

    `previous_grade` is whether it passed, its score, and whether it was rated before. Counts that
    the document lacks are not added.
    """
    passed, score, was_rated = previous_grade
    stats = table_at(document, "results", "stats") if isinstance(document, dict) else {}
    metrics = _metrics(document, row)
    if row["success"] != passed:
        lost = (
            "error" if row.get("failureReason") == NO_ANSWER and not passed else "fail"
        )
        names = {
            "error": ("errors", "testErrorCount"),
            "fail": ("failures", "testFailCount"),
        }
        step = 1 if row["success"] else -1
        _add(stats, "successes", step)
        _add(stats, names[lost][0], -step)
        _add(metrics, "testPassCount", step)
        _add(metrics, names[lost][1], -step)
    sides = {True: "assertPassCount", False: "assertFailCount"}
    if was_rated:
        _add(metrics, sides[passed], -1)
    _add(metrics, sides[row["success"]], 1)
    if isinstance(score, int | float):
        _add(metrics, "score", row["score"] - score)


def _metrics(document: Any, row: Row) -> Row:
    """Return the metrics of the prompt that a row is of, or {} if there are none."""
    prompts = (
        table_at(document, "results").get("prompts")
        if isinstance(document, dict)
        else None
    )
    number = row.get("promptIdx")
    if not isinstance(prompts, list) or not isinstance(number, int):
        return {}
    return table_at(prompts[number], "metrics") if 0 <= number < len(prompts) else {}


def _add(table: Row, key: str, step: float) -> None:
    if isinstance(table.get(key), int | float):
        table[key] += step
