"""Results of promptfoo (`eval -o`): JSON, JSON Lines and CSV, results versions 2 to 4.

A row is one answer to one test. Its verdicts are the `componentResults` of its assertions; a person
rates the row as a whole, and promptfoo writes that over the row's own verdict, so that the row has
a trait of its own (`WHOLE`) where people rated any.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    PersonVerdict,
    Row,
    known,
    table_at,
    trait_name,
)
from appellate.interop.ruled import RuledCell
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


def is_row(value: object) -> bool:
    """Whether a table is a row of results."""
    if not isinstance(value, dict) or "vars" not in value:
        return False
    return "gradingResult" in value or {"prompt", "provider"} <= value.keys()


def rows_of(document: object) -> list[Row] | None:
    """The rows of a whole results file; None where it is none."""
    if not isinstance(document, dict):
        return None
    results = document.get("results")
    if isinstance(results, dict):
        results = results.get("results")
    if isinstance(results, list) and results and all(map(is_row, results)):
        return results
    return None


def read(rows: Callable[[], Iterable[Row]]) -> ForeignFile:
    """The rows of a JSON or JSON Lines file."""
    assertions, tests, is_rated = _Assertions(), _Tests(), False
    for row in rows():
        parts = _parts(row)
        tests.add(row, [assertions.add(one["assertion"]) for one in parts.judged])
        is_rated = is_rated or bool(parts.human)
    traits, groups = assertions.traits, tests.groups(assertions)
    grouped = set().union(*groups.values())
    shared = [name for name in traits if name not in grouped]
    if is_rated:
        traits[WHOLE] = ForeignTrait(WHOLE, "Does the answer pass, as a whole?")

    def traces() -> Iterator[ForeignTrace]:
        for number, row in enumerate(rows(), 1):
            trace = _trace(row, number, assertions, shared, is_rated=is_rated)
            test = tests.of(trace.record["cluster"])
            if test in groups:
                trace.record["question_id"] = test
            yield trace

    lost = ["prompts that are no messages, criteria as the judge read them, scores of assertions"]
    lost.append("tokens, costs, latencies")
    return ForeignFile(FORM, traces, MAPPING, traits, lost, groups=groups)


class _Tests:
    """The tests, which rows share that repeat one, and the assertions that not all of them have."""

    def __init__(self) -> None:
        self._ids: dict[bytes, str] = {}
        self._names: dict[str, dict[str, None]] = {}
        self._failed: dict[str, Row] = {}

    def add(self, row: Row, names: Iterable[str]) -> None:
        number = self._ids.setdefault(_digest(_cluster(row)), f"test {len(self._ids) + 1}")
        if row.get("gradingResult"):
            self._names.setdefault(number, {}).update(dict.fromkeys(names))
        else:
            self._failed[number] = row

    def groups(self, assertions: "_Assertions") -> dict[str, list[str]]:
        """The assertions of single tests, by the test's id."""
        for number, row in self._failed.items():
            if names := assertions.expected(row):
                self._names.setdefault(number, dict.fromkeys(names))
        shared = set.intersection(*map(set, self._names.values())) if self._names else set()
        groups = {
            number: [name for name in names if name not in shared]
            for number, names in self._names.items()
        }
        return {number: names for number, names in groups.items() if names}

    def of(self, cluster: str) -> str:
        return self._ids[_digest(cluster)]


class _Assertions:
    """The traits of assertions: by their metric where they name one, else each distinct one."""

    def __init__(self) -> None:
        self.traits: dict[str, ForeignTrait] = {}
        self._names: dict[str, str] = {}

    def add(self, assertion: Row) -> str:
        """Its name, which is made where it is new."""
        key = _identity(assertion)
        if key in self._names:
            return self._names[key]
        wording = _wording(assertion)
        base = name = trait_name(str(assertion.get("metric") or wording))
        number = 1
        while name in self.traits or name == WHOLE:
            number += 1
            name = trait_name(f"{base[:54]} {number}")
        self._names[key] = name
        self.traits[name] = ForeignTrait(name, wording)
        return name

    def name(self, assertion: Row) -> str:
        return self._names[_identity(assertion)]

    def expected(self, row: Row) -> list[str]:
        """The traits of the assertions that a row's test names, as far as any answer was put to
        them.
        """
        named = list(table_at(row, "testCase").get("assert") or [])
        for assertion in named:  # a set's parts are behind it
            named += assertion.get("assert") or []
        return [self._names[key] for key in map(_identity, named) if key in self._names]


def _identity(assertion: Row) -> str:
    if assertion.get("metric"):
        return str(assertion["metric"])
    return json.dumps([assertion.get("type"), assertion.get("value")], sort_keys=True)


def _wording(assertion: Row) -> str:
    kind, value = str(assertion.get("type", "assertion")), assertion.get("value")
    if value is None:
        return kind
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if "rubric" in kind or kind.startswith(("model-graded", "g-eval", "factuality")):
        return text.strip()
    return f"{kind}: {text.strip()}"


class _Parts(NamedTuple):
    """What graded a row's answer: single assertions, and people."""

    judged: list[Row]
    human: list[Row]


def _parts(row: Row) -> _Parts:
    parts = _Parts([], [])
    for one in (row.get("gradingResult") or {}).get("componentResults") or []:
        if isinstance(one, dict) and isinstance(one.get("assertion"), dict):
            is_human = one["assertion"].get("type") == "human"
            (parts.human if is_human else parts.judged).append(one)
    return parts


def _rating(row: Row, part: Row) -> PersonVerdict:
    comment = part.get("comment") or row["gradingResult"].get("comment") or ""
    return PersonVerdict(WHOLE, bool(part.get("pass")), "promptfoo", str(comment))


def _trace(
    row: Row, number: int, assertions: _Assertions, shared: Sequence[str], *, is_rated: bool
) -> ForeignTrace:
    record = _record(row, number)
    error = _first_line(row.get("error") or table_at(row, "response").get("error"))
    is_answered = row.get("failureReason") != NO_ANSWER and row.get("response") is not None
    if not is_answered or (error and not record.get("response")):
        why = f"There is no answer: {error or 'promptfoo got none'}"
        return ForeignTrace(record, _failed(row, assertions, shared, why), (), why)
    if error and not row.get("gradingResult"):
        why = f"The grader failed: {error}"
        return ForeignTrace(record, _failed(row, assertions, shared, why))
    parts = _parts(row)
    judged = [_verdict(one, assertions) for one in parts.judged]
    people = [_rating(row, one) for one in parts.human]
    if is_rated:
        judged.append(_whole(judged))
    return ForeignTrace(record, judged, people)


def _failed(
    row: Row, assertions: _Assertions, shared: Sequence[str], why: str
) -> list[JudgeVerdict]:
    """The assertions of a row's test, none of which has a verdict."""
    names = assertions.expected(row) or shared
    if WHOLE in assertions.traits:
        names = [*names, WHOLE]
    return [JudgeVerdict(name, failed=why) for name in names]


def _verdict(component: Row, assertions: _Assertions) -> JudgeVerdict:
    assertion = component["assertion"]
    judge = f"promptfoo {assertion.get('type', '')}".strip()
    name, reason = assertions.name(assertion), str(component.get("reason") or "")
    if (component.get("metadata") or {}).get("graderError"):
        return JudgeVerdict(name, judge=judge, failed=reason or "The grader failed.")
    if component.get("pass") is None:
        return JudgeVerdict(name, judge=judge, failed=reason or "The grader gave no verdict.")
    return JudgeVerdict(name, bool(component.get("pass")), reason, judge)


def _whole(judged: Sequence[JudgeVerdict]) -> JudgeVerdict:
    """What the assertions come to together; no verdict where one of them has none."""
    failed = next((one.failed for one in judged if one.failed), "")
    if failed:
        return JudgeVerdict(WHOLE, judge="promptfoo", failed=failed)
    wrong = next((one for one in judged if not one.value), None)
    reason = wrong.reason if wrong else "All assertions passed"
    return JudgeVerdict(WHOLE, wrong is None, reason, "promptfoo")


def _record(row: Row, number: int) -> Row:
    variables = table_at(row, "vars")
    prompt = str(table_at(row, "prompt").get("raw") or "")
    metadata = table_at(row, "testCase", "metadata") | table_at(row, "metadata")
    metadata.pop("_promptfooFileMetadata", None)
    others = {key: value for key, value in variables.items() if key not in QUESTIONS}
    return known(
        {
            "id": _id(row, number),
            "question": _question(variables, prompt),
            "cluster": _cluster(row),
            "metadata": metadata | known({"vars": others}),
            "model": _provider(row.get("provider")),
            "reference": _reference(variables),
            "messages": _messages(prompt),
            "response": _text(table_at(row, "response").get("output")),
        }
    )


def _id(row: Row, number: int) -> str:
    """The row's own id; older files have places of test and prompt, or none."""
    if row.get("id"):
        return str(row["id"])
    if "testIdx" in row:
        return f"{row['testIdx']}-{row.get('promptIdx', 0)}"
    return str(number)


def _provider(given: object) -> object:
    """Who answered: newer files have a label beside the id."""
    if isinstance(given, dict):
        return given.get("label") or given.get("id")
    return given


def _question(variables: Row, prompt: str) -> str:
    texts = {key: value for key, value in variables.items() if isinstance(value, str) and value}
    for name in QUESTIONS:
        if name in texts:
            return str(texts[name])
    if len(texts) == 1:
        return str(next(iter(texts.values())))
    return prompt


def _reference(variables: Row) -> str | None:
    found = [variables[name] for name in REFERENCES if isinstance(variables.get(name), str)]
    return found[0] if found else None


def _messages(prompt: str) -> list[Row] | None:
    """The prompt, where it is a list of messages."""
    if not prompt.lstrip().startswith("["):
        return None
    try:
        found = from_json(prompt)
    except ValueError:
        return None
    if isinstance(found, list) and all(isinstance(one, dict) and "role" in one for one in found):
        return found
    return None


def _cluster(row: Row) -> str:
    """What repeats of one test share; they have no number of their own."""
    variables = row.get("vars") or {}
    test = row.get("testCase") or {}
    known = test.get("id") or (test.get("metadata") or {}).get("testCaseId")
    return str(known or _IN_ORDER(variables))


_IN_ORDER = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


def _digest(cluster: str) -> bytes:
    """The same in few bytes: variables may be long texts."""
    return blake2b(cluster.encode("utf-8", "replace"), digest_size=16).digest()


def _text(output: object) -> str:
    if output is None or isinstance(output, str):
        return output or ""
    return json.dumps(output, ensure_ascii=False)


def _first_line(text: object) -> str:
    lines = str(text or "").strip().splitlines()
    return lines[0] if lines else ""


# -- CSV ------------------------------------------------------------------------------------------


def is_csv(heads: Sequence[str]) -> bool:
    """Whether these are the columns of `eval -o results.csv`."""
    return {"Status", "Score", "Named Scores", "Grader Reason"} <= set(heads)


def read_csv(path: Path) -> ForeignFile:
    """Tests a line, answers a block of columns; what CSV leaves out is not there."""

    def traces() -> Iterator[ForeignTrace]:
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
    lost = ["what promptfoo leaves out of CSV: ids, graders' errors, assertions without a metric"]
    return ForeignFile(f"{FORM} (CSV)", traces, _CSV_MAPPING, traits, lost)


def _blocks(heads: Sequence[str]) -> list[tuple[int, int]]:
    """Where the columns of each answer begin and end: an answer is before each `Status`."""
    begins = [place - 1 for place, head in enumerate(heads) if head == "Status"]
    return list(pairwise([*begins, len(heads)]))


def _csv_trace(name: str, variables: Row, cells: list[tuple[str, str]]) -> ForeignTrace:
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
        why = f"There is no answer: {_first_line(reason or output)}"
        return ForeignTrace(record, [JudgeVerdict(WHOLE, failed=why)], (), why)
    record["response"] = output
    passed = values.get("Status") == "PASS"
    judged, people = [], []
    if reason.startswith(_MANUAL):
        people.append(PersonVerdict(WHOLE, passed, "promptfoo", values.get("Comment", "")))
    else:
        judged.append(JudgeVerdict(WHOLE, passed, reason, "promptfoo"))
    for key, value in values.items():
        if key.startswith("Metric: ") and value:
            metric = trait_name(key.removeprefix("Metric: "))
            judged.append(JudgeVerdict(metric, float(value), judge="promptfoo"))
    return ForeignTrace(record, judged, people)


# -- back -----------------------------------------------------------------------------------------


def rated(document: Any, cells: Iterable[RuledCell]) -> tuple[Any, int]:
    """The results with people's ratings, as promptfoo's own server writes them, and how many rows
    got one.

    A person rates a row: it passes where every assertion does, in the verdict of people or, where
    nobody ruled, of the judge. The judge's components stay as they are.
    """
    ruled: dict[str, list[RuledCell]] = {}
    for cell in cells:
        if isinstance(cell.value, bool):
            ruled.setdefault(cell.trace.id, []).append(cell)
    rows = document if isinstance(document, list) else rows_of(document) or []
    assertions = _Assertions()
    for row in rows:
        for component in _parts(row).judged:
            assertions.add(component["assertion"])
    count = 0
    for number, row in enumerate(rows, 1):
        found = ruled.get(_id(row, number))
        if found:
            _rate(row, found, assertions)
            count += 1
    return document, count


def _rate(row: Row, cells: Sequence[RuledCell], assertions: _Assertions) -> None:
    ruled = {cell.trait: cell.value for cell in cells}
    passed = ruled.get(WHOLE)
    if passed is None:
        judged = {assertions.name(one["assertion"]): one.get("pass") for one in _parts(row).judged}
        passed = all((judged | ruled).values())
    remarks = []
    for cell in cells:
        because = f", {cell.why}" if cell.why else ""
        remarks.append(f"{cell.trait}: {cell.label}{because} ({cell.by})")
    comment = "; ".join(remarks)
    grading = row.get("gradingResult") or {}
    components = [
        one
        for one in grading.get("componentResults") or []
        if (one.get("assertion") or {}).get("type") != "human"
    ]
    rating = {"pass": passed, "score": float(passed), "reason": f"{_MANUAL} ({OVERRIDES})"}
    human = {**rating, "comment": comment, "assertion": {"type": "human"}}
    row["gradingResult"] = {
        **grading,
        **rating,
        "comment": comment,
        "componentResults": [*components, human],
    }
    row["success"], row["score"] = passed, float(passed)


OVERRIDES = "overrides all other grading results"
