"""Graded HealthBench answers as simple-evals writes them (`…_allresults.json`).

Each answer has criteria of its own: those with positive points are to be met, negative ones not.
"""

from collections.abc import Iterator
from typing import Any

from appellate.interop.foreign import ForeignFile, ForeignTrace, JudgeVerdict, Row, known

FORM = "HealthBench results (simple-evals)"
TRAIT = "HealthBench"
MAPPING = {
    "id": "completion_id",
    "question_id": "prompt_id",
    "question": "prompt (its last message)",
    "messages": "prompt, completion",
    "response": "completion",
    "verdicts": "rubric_items[].criteria_met",
}
_METRICS = ["precision", "recall", "f1", "weighted"]
_FULL_METRICS = ["precision", "recall", "specificity", "accuracy", "f1", "weighted"]


def examples_of(document: object) -> list[Row] | None:
    """The graded answers in a document; None where it holds none."""
    if not isinstance(document, dict) or not isinstance(document.get("metadata"), dict):
        return None
    found = document["metadata"].get("example_level_metadata")
    if isinstance(found, list) and found and all("rubric_items" in one for one in found):
        return found
    return None


def read(examples: list[Row]) -> ForeignFile:
    """Graded answers, with a question for each prompt."""
    questions = {str(one.get("prompt_id")): _question(one) for one in examples}

    def traces() -> Iterator[ForeignTrace]:
        for number, one in enumerate(examples, 1):
            yield _trace(one, number)

    lost = ["explanations of criteria that are not met"]
    return ForeignFile(FORM, traces, MAPPING, {}, lost, list(questions.values()))


def _question(example: Row) -> Row:
    wanted, unwanted = dict[str, Row](), dict[str, Row]()
    for item in example["rubric_items"]:
        points = item.get("points", 0)
        of = wanted if points > 0 else unwanted
        of[item["criterion"]] = known(
            {"text": item["criterion"], "weight": points, "tags": item.get("tags")}
        )
    trait: Row = {"name": TRAIT, "metrics": _METRICS, "tp_instructions": list(wanted.values())}
    if unwanted:
        trait |= {
            "evaluation_mode": "full_matrix",
            "metrics": _FULL_METRICS,
            "tn_instructions": list(unwanted.values()),
        }
    question: Row = {"id": str(example.get("prompt_id")), "question": _last(example["prompt"])}
    if wanted:
        question["metric_traits"] = [trait]
    return question


def _trace(example: Row, number: int) -> ForeignTrace:
    prompt, completion = example.get("prompt") or [], example.get("completion") or []
    record: Row = {
        "id": str(example.get("completion_id") or number),
        "question_id": str(example.get("prompt_id")),
        "question": _last(prompt),
        "messages": [*prompt, *completion],
        "response": _last(completion),
    }
    return ForeignTrace(record, [JudgeVerdict(TRAIT, _lists(example), judge="HealthBench grader")])


def _lists(example: Row) -> Row:
    lists: dict[str, list[Any]] = {"tp": [], "fn": [], "fp": [], "tn": []}
    seen: set[str] = set()
    for item in example["rubric_items"]:
        text = item["criterion"]
        if text in seen:
            continue
        seen.add(text)
        if item.get("points", 0) > 0:
            bucket = "tp" if item.get("criteria_met") else "fn"
        else:
            bucket = "fp" if item.get("criteria_met") else "tn"
        lists[bucket].append(text)
    return dict(lists)


def _last(messages: object) -> str:
    if isinstance(messages, str):
        return messages
    if not isinstance(messages, list) or not messages:
        return ""
    return str(messages[-1]["content"])
