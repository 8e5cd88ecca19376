"""HealthBench: rubrics with points (positive ones are to be met, negative ones not), and answers
that a model graded: what simple-evals writes (`…_allresults.json`), or rows of one criterion each.
"""

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from appellate.interop.cell_values import cell_value, text_value
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    Row,
    table_at,
    with_response,
    without_empty,
)
from appellate.store.files.text_file import unusable

FORM = "HealthBench results (simple-evals)"
TRAIT = "HealthBench"
CRITERION = "HealthBench criterion"
JUDGE = "HealthBench grader"
MAPPING = {
    "id": "completion_id",
    "question_id": "prompt_id",
    "question": "prompt",
    "messages": "prompt, completion",
    "response": "completion",
    "verdicts": "rubric_items[].criteria_met",
    "reasons": "rubric_items[].explanation",
    "weights": "rubric_items[].points",
}
_GRADED = {
    "id": "prompt_id, model_id",
    "epoch": "rollout_index",
    "question": "question",
    "response": "model_response",
    "model": "model_id",
    "verdicts": "criteria_met",
    "reasons": "grader_explanation",
}
_RUBRICS = {
    "id": "prompt_id",
    "question": "prompt",
    "response": "ideal_completions_data.ideal_completion",
    "instructions": "rubrics[].criterion",
    "weights": "rubrics[].points",
}
_METRICS = ["precision", "recall", "f1", "weighted"]
_FULL_METRICS = ["precision", "recall", "specificity", "accuracy", "f1", "weighted"]


def examples_of(document: object) -> list[Row] | None:
    """Return the graded answers in a results file of simple-evals (HealthBench), or None.

    They are the tables in `metadata.example_level_metadata`. None if the document has no such list,
    if it is empty, or if an entry is no table with `rubric_items`.
    """
    if not isinstance(document, dict) or not isinstance(document.get("metadata"), dict):
        return None
    examples = document["metadata"].get("example_level_metadata")
    if (
        isinstance(examples, list)
        and examples
        and all(
            isinstance(example, dict) and "rubric_items" in example
            for example in examples
        )
    ):
        return examples
    return None


def is_graded(row: Row) -> bool:
    """Return whether a row is a grade of one answer under one criterion of HealthBench.

    Only its keys count: `prompt_id`, `criteria_met` and `model_response`.
    """
    return {"prompt_id", "criteria_met", "model_response"} <= row.keys()


def is_rubric(row: Row) -> bool:
    """Return whether a row is a prompt of HealthBench with its criteria, as it is published.

    Only its keys count: `prompt_id`, `prompt` and `rubrics`.
    """
    return {"prompt_id", "prompt", "rubrics"} <= row.keys()


def read(examples: list[Row]) -> ForeignFile:
    """Return what simple-evals' results of HealthBench hold: answers and the grader's verdicts.

    `examples` are its graded answers (`examples_of`). Each prompt becomes a question of the rubric,
    with a metric trait made of the criteria; of two examples of one prompt the later one's criteria
    count. Raises KeyError for an example without `rubric_items`, or a criterion without text.
    """
    questions: dict[str, Row] = {}
    for number, example in enumerate(examples, 1):
        prompt_id = _prompt_id(example, number)
        questions[prompt_id] = _question(prompt_id, example["rubric_items"])

    def traces() -> Iterator[ForeignTrace]:
        """Yield the trace of each example of simple-evals in order, with one verdict of the grader.

        The verdict is on all criteria together; it failed if one of them has no grade. Raises
        KeyError for an example without `rubric_items`, and for a message without content.
        """
        for number, example in enumerate(examples, 1):
            yield _trace(example, number)

    lost = ["scores, which are computed anew, and usage"]
    return ForeignFile(FORM, traces, MAPPING, {}, lost, list(questions.values()))


def _prompt_id(example: Row, number: int) -> str:
    """Return the id of the prompt of HealthBench's `number`-th example, counted from 1.

    An example that names no prompt is a question of its own: "prompt 3".
    """
    prompt_id = example.get("prompt_id")
    return f"prompt {number}" if prompt_id is None else str(prompt_id)


def _question(prompt_id: str, items: Iterable[Row]) -> Row:
    """Return a rubric's question for a HealthBench prompt, with one metric trait of its criteria.

    `items` are the criteria. Those with points above 0 become TP instructions, the others TN
    instructions. If none has points above 0 the question has no trait.
    """
    desired, undesired = _desired_and_undesired(items)
    trait: Row = {
        "name": TRAIT,
        "metrics": _METRICS,
        "tp_instructions": list(map(_instruction, desired)),
    }
    if undesired:
        trait |= {
            "evaluation_mode": "full_matrix",
            "metrics": _FULL_METRICS,
            "tn_instructions": list(map(_instruction, undesired)),
        }
    question: Row = {"id": prompt_id}
    if desired:
        question["metric_traits"] = [trait]
    return question


def _desired_and_undesired(items: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Return HealthBench criteria in two lists: those with points above 0, and all others.

    Each text is in a list once, in the order of the first, with its points added up; without
    `points` an item has 0. The items are not changed. Raises KeyError for one without `criterion`.
    """
    desired: dict[str, Row] = {}
    undesired: dict[str, Row] = {}
    for item in items:
        text = item["criterion"]
        points = item.get("points", 0)
        criteria = desired if points > 0 else undesired
        first = criteria.get(text)
        if first is None:
            criteria[text] = {**item, "points": points}
        else:
            criteria[text] = {**first, "points": first["points"] + points}
    return list(desired.values()), list(undesired.values())


def _instruction(item: Row) -> Row:
    """Return a criterion of HealthBench as a rubric's instruction: `{"text", "weight", "tags"}`.

    The weight is its points. Tags that are empty are left out. Raises KeyError for an item without
    `criterion` or `points`.
    """
    return without_empty(
        {"text": item["criterion"], "weight": item["points"], "tags": item.get("tags")},
    )


def _trace(example: Row, number: int) -> ForeignTrace:
    """Return the trace of a graded HealthBench answer, with the grader's verdict on its rubric.

    The id is the completion's, else `number`, the example's place from 1. The messages are the
    prompt's, then the answer's unless that is a text; the response is the last text of the answer,
    and without a completion there is none. The question is the prompt as text, with the prompt's
    id. The verdict has all criteria with their reasons, and is a failed one if one criterion has no
    grade. Raises KeyError for a message without content, and without `rubric_items`.
    """
    prompt = example.get("prompt") or []
    completion = example.get("completion") or []
    record: Row = {
        "id": str(example.get("completion_id") or number),
        "question_id": _prompt_id(example, number),
        "question": _conversation_text(prompt),
        "messages": [*prompt, *completion] if isinstance(completion, list) else prompt,
    }
    if completion or isinstance(example.get("completion"), str):
        record["response"] = _last_text(completion)
    items = example["rubric_items"]
    ungraded = [
        item["criterion"] for item in items if _is_met(item.get("criteria_met")) is None
    ]
    if ungraded:
        failed = f"There is no grade of: {ungraded[0]}"
        return ForeignTrace(record, [JudgeVerdict(TRAIT, judge=JUDGE, failed=failed)])
    table = _judge_labels(items)
    reasons = [str(item["rationale"]) for item in table["items"] if "rationale" in item]
    return ForeignTrace(record, [JudgeVerdict(TRAIT, table, "\n".join(reasons), JUDGE)])


def _is_met(grade: object) -> bool | None:
    """Return whether a grade of HealthBench is "met": True, False, or None for any other value.

    True and 1 are met, False and 0 not; so are these as texts ("true"). None is for no grade.
    """
    value = cell_value(grade)
    if value in (True, False):
        return bool(value)
    return None


def _judge_labels(items: Iterable[Row]) -> Row:
    """Return HealthBench's criteria of an answer as a judge's labels (SPEC 5), by their grades.

    The texts of criteria with points above 0 go into the list "tp" if met, else "fn"; those of
    others go into "fp" if met, else "tn". "items" has an entry for each criterion: where it is
    (`bucket` and `index` from 0), `of` "tp" or "tn", the number of its `instruction` among those of
    its sign from 1, and as `rationale` the grader's reason, if there is one. All five keys are
    always there. A criterion that comes several times is one, with the first grade and the sum of
    its points. One without a grade counts as not met. Raises KeyError for an item without
    `criterion`.
    """
    table: Row = {"tp": [], "fn": [], "fp": [], "tn": [], "items": []}
    for side, met, missed, criteria in zip(
        ("tp", "tn"),
        ("tp", "fp"),
        ("fn", "tn"),
        _desired_and_undesired(items),
        strict=True,
    ):
        for number, item in enumerate(criteria, 1):
            bucket = met if _is_met(item.get("criteria_met")) else missed
            detail = {"bucket": bucket, "index": len(table[bucket]), "of": side}
            reason = text_value(item.get("explanation"))
            table["items"].append(
                detail | {"instruction": number} | without_empty({"rationale": reason}),
            )
            table[bucket].append(item["criterion"])
    return table


def _conversation_text(messages: object) -> str:
    """Return a HealthBench prompt as text: the only message, or all as "ROLE: TEXT" paragraphs.

    A text is returned as it is; "" for no messages.
    """
    if not isinstance(messages, list) or len(messages) < 2:  # noqa: PLR2004 - a single message
        return _last_text(messages)
    return "\n\n".join(
        f"{message.get('role')}: {message.get('content')}" for message in messages
    )


def _last_text(messages: object) -> str:
    """Return the text of the last of HealthBench's messages; a text is returned as it is.

    Returns "" for an empty list, for empty `content`, and for a value that is neither list
    nor text. Raises KeyError for a last message without `content`.
    """
    if isinstance(messages, str):
        return messages
    if not isinstance(messages, list) or not messages:
        return ""
    return str(messages[-1]["content"] or "")


# -- rows -----------------------------------------------------------------------------------------


def read_graded(rows: Callable[[], Iterable[Row]]) -> ForeignFile:
    """Return what a table of HealthBench grades holds: one trace and one verdict for each row.

    Each row is one answer under one criterion, and all verdicts are on the trait `CRITERION`.
    `rows` returns the rows from the first one at each call. A row without a grade has a failed
    verdict. The criterion's words are not in the table: `joined` adds them from the rubrics.
    """

    def traces() -> Iterator[ForeignTrace]:
        """Yield a trace with HealthBench's one verdict for each row, a failed one without a grade.

        The id is the prompt's with the model's name behind it, and the cluster is the prompt. The
        epoch is the rollout's index, 0 without one. A row whose response is None gives no
        "response". Reads the rows anew. Raises KeyError for a row without `prompt_id`,
        `model_response` or `criteria_met`, and ValueError for an index that is no number.
        """
        for row in rows():
            prompt = str(row["prompt_id"])
            model = str(row.get("model_id") or "")
            record = without_empty(
                {
                    "id": f"{prompt} {model}".strip(),
                    "epoch": int(cell_value(row.get("rollout_index")) or 0),
                    "question": row.get("question"),
                    "model": model,
                    "cluster": prompt,
                    "metadata": {"prompt_id": prompt},
                },
            )
            record = with_response(record, row["model_response"])
            reason = text_value(row.get("grader_explanation"))
            met = _is_met(row["criteria_met"])
            verdict = JudgeVerdict(CRITERION, met, reason, JUDGE)
            if met is None:
                verdict = JudgeVerdict(
                    CRITERION,
                    judge=JUDGE,
                    failed="There is no grade.",
                )
            yield ForeignTrace(record, [verdict])

    trait = ForeignTrait(
        CRITERION,
        "Does the response meet the criterion of its question?",
    )
    lost = ["scores over rollouts; the words of the criteria: give the rubrics as well"]
    return ForeignFile("HealthBench grades", traces, _GRADED, {CRITERION: trait}, lost)


def read_rubrics(rows: Callable[[], Iterable[Row]], name: str) -> ForeignFile:
    """Return what HealthBench's published rubrics hold: the prompts with criteria, as questions.

    The traces are physicians' ideal completions, which have no verdicts; a prompt without one is
    only a question. `rows` is called for each pass. Raises Unusable if no row has such an answer,
    where `name` is the file's in the message, and KeyError for a row without its prompt, id or
    criteria.
    """

    def traces() -> Iterator[ForeignTrace]:
        """Yield a trace for each HealthBench row with an ideal completion by physicians.

        The id is the prompt's, and so is the question's. The model is "physician ideal completion".
        Other rows are skipped. Reads the rows anew. There are no verdicts. Raises KeyError for a
        row without its prompt.
        """
        for row in rows():
            answer = table_at(row, "ideal_completions_data").get("ideal_completion")
            if answer:
                yield ForeignTrace(
                    {
                        "id": str(row["prompt_id"]),
                        "question_id": str(row["prompt_id"]),
                        "question": _conversation_text(row["prompt"]),
                        "messages": row["prompt"],
                        "response": str(answer),
                        "model": "physician ideal completion",
                    },
                )

    if next(traces(), None) is None:
        right = "give answers with their prompt_id as well: appellate review RUBRICS ANSWERS"
        raise unusable(name, "HealthBench rubrics without answers", right)
    questions = [_question(str(row["prompt_id"]), row["rubrics"]) for row in rows()]
    lost = ["reference completions"]
    return ForeignFile("HealthBench rubrics", traces, _RUBRICS, {}, lost, questions)


def joined(rubrics: Iterable[Row], answers: ForeignFile) -> ForeignFile:
    """Return a copy of the answers' file with HealthBench's rubrics as its questions.

    Rubrics of prompts that were not answered are left out. `rubrics` is read once here, and
    the answers' traces as well, to know the prompts. Each pass over the copy's traces sets
    the `question_id` of those that have a rubric. Grades of single criteria are joined only
    if each prompt is known and has just one criterion, and the copy then lacks the trait
    `CRITERION`. Otherwise the copy has no new questions, and its `lost` is only a clause on
    that. Raises KeyError for a rubric without `prompt_id` or `rubrics`.
    """
    prompts = set(map(_prompt, answers.traces()))
    rows = {
        str(row["prompt_id"]): row
        for row in rubrics
        if str(row["prompt_id"]) in prompts
    }
    is_graded = CRITERION in answers.traits
    are_all_known = not prompts - rows.keys()
    has_one_each = all(len(row["rubrics"]) == 1 for row in rows.values())
    if is_graded and not (has_one_each and are_all_known):
        lost = "the words of the criteria: which of a prompt's was graded is not known"
        return replace(answers, lost=[lost])
    questions = []
    for prompt_id, row in rows.items():
        if is_graded:
            questions.append(_criterion(row, row["rubrics"]))
        else:
            questions.append(_question(prompt_id, row["rubrics"]))

    def traces() -> Iterator[ForeignTrace]:
        """Yield all answers in order, each with the question of HealthBench's rubric if it has one.

        The question's id is set in these traces' records, which changes them.
        """
        for trace in answers.traces():
            if _prompt(trace) in rows:
                trace.record["question_id"] = _prompt(trace)
            yield trace

    return replace(
        answers,
        form=f"{answers.form} with HealthBench rubrics",
        traces=traces,
        mapping={
            **answers.mapping,
            "instructions": "rubrics[].criterion, by prompt_id",
        },
        traits={
            name: trait for name, trait in answers.traits.items() if name != CRITERION
        },
        lost=[sentence for sentence in answers.lost if "criteria" not in sentence],
        questions=questions,
    )


def _prompt(trace: ForeignTrace) -> str:
    """Return the id of the HealthBench prompt that a trace answers.

    It is the `prompt_id` of its metadata, else its question's id, else its own.
    """
    prompt_id = table_at(trace.record, "metadata").get("prompt_id")
    return str(prompt_id or trace.record.get("question_id") or trace.record.get("id"))


def _criterion(row: Row, items: list[Row]) -> Row:
    """Return a rubric's question for a HealthBench prompt, with a yes-or-no trait of one criterion.

    The trait is the one entry of its `llm_traits`, and is called `CRITERION`. `row` has the
    prompt's id, and the criterion is the only one of `items`. Raises KeyError for a missing id or
    text.
    """
    trait = {"name": CRITERION, "kind": "boolean", "description": items[0]["criterion"]}
    return {"id": str(row["prompt_id"]), "llm_traits": [trait]}
