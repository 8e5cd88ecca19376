"""Tables of answers: CSV, TSV, JSON Lines, JSON arrays and Parquet, flat or nested.

Columns are found by their names, those of a known tool by its preset; where they cannot be,
`--map response=outputs.answer` says which is which, and `--map id=#` that a row has its number.
"""

import csv
import json
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain, islice
from math import isfinite
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.problem import Unusable, closest, many, quoted
from appellate.interop import annotated_chats, annotations, scores
from appellate.interop.cell_values import (
    CellValue,
    as_written,
    cell_value,
    has_decimal_commas,
    is_gap,
    known_value,
    read_cell,
    text_value,
)
from appellate.interop.column_advice import COLUMN, likely_id, likely_response
from appellate.interop.foreign import (
    Documented,
    ForeignFile,
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
    as_class,
    is_one_of,
    of_no_answer,
    said_by_most,
    table_at,
    trait_name,
    with_response,
    without_empty,
)
from appellate.interop.proposed_map import (
    proposed_claims,
    proposed_map,
    proposed_pair,
    unused_labels,
)
from appellate.interop.python_literals import value_in_cell
from appellate.interop.said_times import said_time
from appellate.interop.table_map import (
    NOTHING_MAPPED,
    Bounds,
    TableMap,
    TraitMap,
    in_quotes,
)
from appellate.stats.whole_number import whole_number
from appellate.store.database import from_json
from appellate.store.files.text_file import unusable
from appellate.store.files.trace_record import columns

Rows = Callable[[], Iterable[Row]]

NAMES: dict[str, tuple[str, ...]] = {
    "response": (
        "response",
        "output",
        "completion",
        "answer",
        "actual_output",
        "actualOutput",
        "model_response",
        "outputs.answer",
        "outputs.output",
        "output.text",
        "model_output",
        "metric_input.response",
        "prediction",
        "attributes.output.value",
        "choices.0.message.content",
    ),
    "id": (
        "id",
        "trace_id",
        "run_id",
        "sample_id",
        "prompt_id",
        "question_id",
        "doc_id",
        "_id",
        "context.span_id",
        "span_id",
    ),
    "question": (
        "question",
        "input",
        "prompt",
        "query",
        "user_input",
        "metric_input.user_input",
        "inputs.question",
        "inputs.input",
        "input.question",
        "doc.question",
        "instruction",
        "attributes.input.value",
    ),
    "reference": (
        "reference",
        "expected",
        "expected_output",
        "expectedOutput",
        "target",
        "ideal",
        "ground_truth",
        "reference_outputs.answer",
        "reference_answer",
        "metric_input.reference",
    ),
    "model": (
        "model",
        "model_id",
        "model_name",
        "provided_model_name",
        "metadata.model",
        "attributes.llm.model_name",
    ),
    "documents": (
        "documents",
        "contexts",
        "retrieved_contexts",
        "retrieval_context",
        "retrievalContext",
        "context",
        "metric_input.retrieved_contexts",
    ),
    "messages": ("messages", "turns"),
    "other": (),
    "other.model": (),
    "epoch": ("epoch",),
    "cluster": ("cluster",),
    "metadata": ("metadata",),
}
"""The names by which columns are known, the likeliest first."""
_LOOKED_AT = 200
"""So many rows are looked at to know the columns."""


class Preset(Struct, frozen=True):
    """How one tool's rows are known and read."""

    name: str
    knows: Callable[[Row], bool]
    verdicts: Callable[[Row], Iterable[JudgeVerdict | PersonVerdict]] = lambda _row: ()
    record: Callable[[Row], Row] | None = None
    """Makes a trace's fields of a row; None if they are in columns, known by their names."""
    lost: str = ""
    """What of every file of this tool has no place here."""
    tells: Callable[[Sequence[Row]], Iterable[str]] = lambda _sample: ()
    """Says what else has no place here, or another than it may seem, by a file's first rows."""
    parts: Callable[[Row], Iterable[Row]] | None = None
    """Yields the rows that a row stands for, one for each answer in it; None if it is one."""
    unanswered: Callable[[Row], str] | None = None
    """Says why a row has no answer; None if only an error that it notes says so."""
    spent: Callable[[str], bool] = lambda _column: False
    """Whether verdicts were made of a column, so that it is no metadata."""
    unreadable: Callable[[Row], int] = lambda _row: 0
    """Counts the annotations or responses of a row that are left out since they are no tables."""
    has_ids: bool = True
    documented: Documented | None = None
    """The scale of the tool's numbers; None if its documentation gives none."""

    @property
    def form(self) -> str:
        """What a file of this tool's rows is called: "ragas rows"; "a table" for no tool."""
        if self is not _PLAIN:
            return f"{self.name} rows"
        return self.name


# -- the presets ----------------------------------------------------------------------------------


def _braintrust_verdicts(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """Yield a verdict of the judge "braintrust" for each score in a row of Braintrust.

    Scores are in a table `scores`, also as JSON text, or in columns named `scores.NAME`. "4/5" is 4
    out of 5 points. Scores that are no number or bool, as null, are left out.
    """
    for name, scored in _values_of_group(row, "scores").items():
        cell = read_cell(scored)
        if isinstance(cell.value, bool | int | float):
            yield JudgeVerdict(
                trait_name(name),
                cell.value,
                judge="braintrust",
                most=cell.most,
            )


def _langsmith_verdicts(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """Yield the verdicts in a row of LangSmith: columns `feedback.NAME`, then the list `feedback`.

    The value is the score, else the value; feedback with neither is left out. In the list,
    feedback whose source is the app is a person's, by the user's name or id, with its time.
    All other feedback, and that in columns, is the judge's ("langsmith"). The comment is
    the reason.
    """
    for name, by_key in _values_of_group(row, "feedback").items():  # as tables have it
        cell = read_cell(by_key)
        if cell.value is not None:
            yield JudgeVerdict(
                trait_name(name),
                cell.value,
                judge="langsmith",
                most=cell.most,
            )
    for feedback in _listed(row.get("feedback")):
        name = trait_name(as_written(feedback.get("key")))
        value = known_value(feedback.get("score"))
        if value is None:
            value = known_value(feedback.get("value"))
        if value is None:
            continue
        reason = text_value(feedback.get("comment"))
        source = table_at(feedback, "feedback_source")
        if source.get("type") == "app":
            reviewer = (
                source.get("user_name")
                or source.get("user_id")
                or source.get("ls_user_id")
            )
            timestamp = said_time(
                feedback.get("modified_at"),
                feedback.get("created_at"),
            )
            yield PersonVerdict(
                name,
                value,
                str(reviewer or "langsmith"),
                reason,
                at=timestamp,
            )
        else:
            yield JudgeVerdict(name, value, reason, "langsmith")


_RAGAS_METRICS = frozenset(
    (
        "agent_goal_accuracy",
        "answer_accuracy",
        "answer_correctness",
        "answer_relevancy",
        "answer_similarity",
        "aspect_critic",
        "bleu_score",
        "chrf_score",
        "coherence",
        "conciseness",
        "context_entity_recall",
        "context_precision",
        "context_recall",
        "context_precision_with_reference",
        "context_precision_without_reference",
        "context_relevance",
        "context_relevancy",
        "context_utilization",
        "correctness",
        "data_compare_score",
        "domain_specific_rubrics",
        "exact_match",
        "factual_correctness",
        "faithful_rate",
        "faithfulness",
        "faithfulness_with_hhem",
        "harmfulness",
        "id_based_context_precision",
        "id_based_context_recall",
        "instance_rubrics",
        "labelled_rubrics_score",
        "llm_context_precision_with_reference",
        "llm_context_precision_without_reference",
        "llm_context_recall",
        "llm_sql_equivalence",
        "llm_sql_equivalence_with_reference",
        "maliciousness",
        "noise_sensitivity",
        "noise_sensitivity_irrelevant",
        "noise_sensitivity_relevant",
        "non_llm_context_precision_with_reference",
        "non_llm_context_recall",
        "non_llm_string_similarity",
        "nv_accuracy",
        "nv_context_relevance",
        "nv_response_groundedness",
        "reference_free_rubrics_score",
        "relevance_rate",
        "response_groundedness",
        "response_relevancy",
        "rouge_score",
        "rubrics_score",
        "semantic_similarity",
        "simple_criteria_score",
        "string_present",
        "summarization_score",
        "summary_score",
        "tool_call_accuracy",
        "tool_call_f1",
        "topic_adherence",
    ),
)
"""The names that Ragas gives its metrics; those that a person names are in no list."""
_RAGAS_FIELDS = frozenset(
    (
        "user_input",
        "response",
        "multi_responses",
        "retrieved_contexts",
        "reference",
        "reference_contexts",
        "retrieved_context_ids",
        "reference_context_ids",
        "rubrics",
        "reference_tool_calls",
        "reference_topics",
        "persona_name",
        "query_style",
        "query_length",
        "synthesizer_name",
    ),
)


def _is_ragas_metric(column: str) -> bool:
    """Return whether a column has the name of a metric of Ragas: "faithfulness".

    What is in brackets behind it, as in "rouge_score(mode=recall)", does not count.
    """
    return column.partition("(")[0] in _RAGAS_METRICS


def _ragas_verdicts(row: Row) -> Iterator[JudgeVerdict]:
    """Yield a verdict of the judge "ragas" for each column that is named like a metric of Ragas.

    Cells are read as `cell_value` does: a number, also in a text, becomes a float, and a bool
    stays. Any other cell, also an empty one, gives a failed verdict. Other columns are passed over.
    """
    for column, cell in row.items():
        if not _is_ragas_metric(column):
            continue
        name = trait_name(column)
        value = cell_value(cell)
        if isinstance(value, bool):
            yield JudgeVerdict(name, value, judge="ragas")
        elif isinstance(value, int | float):
            yield JudgeVerdict(name, float(value), judge="ragas")
        else:
            yield JudgeVerdict(name, judge="ragas", failed="Ragas gave no score.")


def _columns_unknown_to_ragas(sample: Sequence[Row]) -> Iterator[str]:
    """Yield one clause on columns of Ragas rows that Ragas does not know; nothing if none.

    `sample` are the first rows. The clause says that these columns are metadata, and how
    `--map` makes a trait of one.
    """
    unknown_columns: dict[str, None] = {}
    for row in sample:
        for column in row:
            if column not in _RAGAS_FIELDS and not _is_ragas_metric(column):
                unknown_columns[column] = None
    if unknown_columns:
        names = ", ".join(
            column if column.strip() else "the index" for column in unknown_columns
        )
        yield f"{names}: no metric of Ragas, so metadata; --map verdict.NAME=COLUMN makes one of it"


def _verdicts_of_ragas_annotation(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """Yield the verdict of Ragas on one annotated answer, then the person's if they gave one.

    The row is of the file that the annotation app of Ragas writes, with one `metric`. For
    the verdict of Ragas see `_judge_of_ragas_annotation`. A person, "ragas", who edited
    outputs gave the first value in an edit, else the `metric_output` if that is a number. A
    person who accepted the answer without an edit gave the verdict of Ragas, unless that
    failed. Raises KeyError without `metric`, and for a prompt without `prompt_output`.
    """
    outputs: list[Row] = []
    edits: list[Row] = []
    for prompt in (row.get("prompts") or {}).values():
        if not isinstance(prompt, dict):
            continue
        output = prompt["prompt_output"]
        if _value_in_ragas_output(output) is not None:
            outputs.append(output)
        if isinstance(prompt.get("edited_output"), dict):
            edits.append(prompt["edited_output"])
    name = trait_name(row["metric"])
    measured = _ragas_number(row.get("metric_output"))
    judged = _judge_of_ragas_annotation(name, outputs, edits, measured)
    yield judged
    if edits:
        person = measured
        for edit in edits:
            value = _value_in_ragas_output(edit)
            if value is not None:
                person = value
                break
        if person is not None:
            reason = _reason_in_ragas_output(edits[0])
            yield PersonVerdict(name, person, "ragas", reason)
    elif row.get("is_accepted") and not judged.failed:
        yield PersonVerdict(name, judged.value, "ragas")


def _judge_of_ragas_annotation(
    name: str,
    outputs: Sequence[Row],
    edits: Sequence[Row],
    measured: float | None,
) -> JudgeVerdict:
    """Return what Ragas itself ruled on an annotated answer, as a verdict on the trait `name`.

    `outputs` are those of its prompts that have a verdict or a score; the first counts,
    with its reason. Without any it is `measured`, the metric's number. It is a failed
    verdict if there is no number either, and without outputs also if there are `edits` of a
    person, since the number may be theirs.
    """
    if outputs:
        first = outputs[0]
        value = _value_in_ragas_output(first)
        return JudgeVerdict(name, value, _reason_in_ragas_output(first), "ragas")
    if edits:
        failure = "Ragas keeps the score after a person's edit alone."
        return JudgeVerdict(name, judge="ragas", failed=failure)
    if measured is None:
        return JudgeVerdict(name, judge="ragas", failed="Ragas gave no score.")
    return JudgeVerdict(name, measured, "", "ragas")


def _reason_in_ragas_output(output: Row) -> str:
    return text_value(output.get("reason") or output.get("feedback"))


def _value_in_ragas_output(output: object) -> bool | int | float | None:
    """Return the verdict, or else the score, in the output of a prompt of Ragas; None for neither.

    A `verdict` of true, false, 1 or 0 becomes a bool. A `score` is a number, also from a text. None
    for anything but a table.
    """
    if not isinstance(output, dict):
        return None
    verdict = cell_value(output.get("verdict"))
    if isinstance(verdict, bool) or verdict in (0, 1):
        return bool(verdict)
    return _ragas_number(output.get("score"))


def _ragas_number(value: object) -> int | float | None:
    """Return a value of Ragas as a number, also from a text; None for a bool and anything else."""
    number = cell_value(value)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return None
    return number


def _lm_eval_verdicts(row: Row) -> Iterator[JudgeVerdict]:
    """Yield a verdict of the judge "lm-eval" for each metric that a sample of that tool lists.

    The value, a float, is in the column of the metric's name; a bool is 1.0 or 0.0. If that is no
    finite number the verdict failed. A list or table there is a number over all samples, and is
    left out.
    """
    for name in _listed(row.get("metrics")):
        value = row.get(name)
        if isinstance(value, list | dict):
            continue
        if isinstance(value, int | float) and isfinite(value):
            yield JudgeVerdict(trait_name(name), float(value), judge="lm-eval")
        else:
            yield JudgeVerdict(
                trait_name(name),
                judge="lm-eval",
                failed=f"{name} is {as_written(value) or 'no number'}.",
            )


def _left_out_of_lm_eval(sample: Sequence[Row]) -> Iterator[str]:
    """Yield clauses on what is left out of lm-eval's samples.

    `sample` are the first rows. The first clause always comes; that on metrics over all answers,
    and that on likelihoods of choices, only if a row has such.
    """
    yield "further requests and answers of a document"
    over_all: dict[str, None] = {}
    for row in sample:
        for name in _listed(row.get("metrics")):
            if isinstance(row.get(name), list | dict):
                over_all[str(name)] = None
    if over_all:
        yield f"{', '.join(over_all)}: a number over all answers, and no verdict on one"
    if any(map(_likelihoods, sample)):
        yield "the likelihoods of choices"


def _lm_eval_record(row: Row) -> Row:
    """Return the trace record of one sample of lm-evaluation-harness, as texts without empty
    values.

    The id is `doc_id`, with a blank and the name of the filter behind it unless that is "none". The
    question is the document's, else the first request. The response is the first answer, and the
    reference the `target` without blanks around it. If the model only rated choices, the response
    is the likeliest one, the reference the right one, and the record has the `choices`. Without an
    answer there is no "response". The document is metadata. Raises KeyError without `doc_id`.
    """
    filter_name = row.get("filter") or "none"
    document = table_at(row, "doc")
    request = value_at(row, "arguments.gen_args_0.arg_0")
    if not request:
        request = value_at(row, "arguments.0.0")
    sample_id = as_written(row["doc_id"])
    if sample_id and filter_name != "none":
        sample_id = f"{sample_id} {filter_name}"
    record = {
        "id": sample_id,
        "question": _text_of(document.get("question") or _from_json_text(request)),
    }
    metadata = {"metadata": without_empty({"doc": document})}
    likelihoods = _likelihoods(row)
    if likelihoods:
        chosen = _likeliest_choice(row, likelihoods)
        return with_response(
            without_empty(record | chosen | metadata),
            chosen.get("response"),
        )
    record["reference"] = as_written(row.get("target")).strip()
    answers = row.get("filtered_resps") or row.get("resps")
    while isinstance(answers, list) and answers:
        answers = answers[0]
    response = None if answers in (None, []) else _text_of(answers)
    return with_response(without_empty(record | metadata), response)


def _likeliest_choice(row: Row, likelihoods: Sequence[float]) -> Row:
    """Return `choices`, `response` and `reference` of an lm-eval sample with only rated choices.

    The response is the choice with the highest likelihood, the first on a tie. The reference is
    None without a target, and a list for several right choices. {} for fewer than two choices, and
    for more than there are `likelihoods`.
    """
    rated = _rated_choices(row)
    if len(rated) == 1 or not 0 < len(rated) <= len(likelihoods):
        return {}
    likeliest = max(range(len(rated)), key=likelihoods.__getitem__)
    texts = _choices_with_texts(rated, table_at(row, "doc").get("choices"))
    return {
        "choices": texts,
        "response": texts[likeliest],
        "reference": _right_choice(row.get("target"), rated, texts),
    }


def _choices_with_texts(rated: list[str], choices: object) -> list[str]:
    """Return the rated choices, letters with the texts that they stand for: "A. Paris".

    `choices` are the texts in the document, a list or a table's `text`. A letter that is its own
    text stays alone. `rated` is returned as it is if one of it is longer than one letter, or if the
    texts are not as many.
    """
    texts = choices.get("text") if isinstance(choices, dict) else choices
    if not isinstance(texts, list) or len(texts) != len(rated):
        return rated
    if any(len(choice) != 1 for choice in rated):
        return rated
    choices_with_texts: list[str] = []
    for letter, text in zip(rated, texts, strict=True):
        if letter == str(text):
            choices_with_texts.append(letter)
        else:
            choices_with_texts.append(f"{letter}. {text}")
    return choices_with_texts


def _likelihoods(row: Row) -> list[float]:
    """Return the log-likelihood of each request of an lm-eval sample, in the requests' order.

    [] if one answer is no likelihood, as when the model wrote text, and if there are no answers.
    """
    answers = row.get("filtered_resps")
    if not isinstance(answers, list) or not answers:
        answers = row.get("resps")
    if not isinstance(answers, list):
        return []
    likelihoods = []
    for answer in answers:
        number = _likelihood(answer)
        if number is None:
            return []
        likelihoods.append(number)
    return likelihoods


def _likelihood(answer: Any) -> float | None:
    """Return the log-likelihood in one answer of lm-eval: `[-1.5, "True"]`, or the bare number.

    Lists around it are opened, and the number of a pair may be text. None for a bool or any other
    answer: a text by itself is one that the model wrote.
    """
    while isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    match answer:
        case [number, greedy] if str(greedy) in ("True", "False"):
            number = cell_value(number)
        case bool():
            return None
        case _:
            number = answer
    if isinstance(number, int | float):
        return float(number)
    return None


def _rated_choices(row: Row) -> list[str]:
    """Return the texts that the model rated in an lm-eval sample, in the order of the requests.

    [] without requests. A text is the ending that a request rates. If all endings are equal, the
    choices are in the contexts, which are returned. If the second half of the endings repeats the
    first, as with mutual information, only the first half is. Blanks around them are removed.
    """
    requests = row.get("arguments")
    if isinstance(requests, dict):
        requests = [
            [arguments.get("arg_0"), arguments.get("arg_1")]
            for arguments in requests.values()
        ]
    contexts = [str(request[0]).strip() for request in requests or []]
    endings = [str(request[-1]).strip() for request in requests or []]
    half = len(endings) // 2
    if half > 1 and endings[:half] == endings[half:]:
        return endings[:half]
    if len(endings) > 1 and len(set(endings)) == 1:
        return contexts
    return endings


def _right_choice(
    target: object,
    rated: Sequence[str],
    texts: Sequence[str],
) -> str | list[str] | None:
    """Return the text of the right choice of an lm-eval sample, or a list for several choices.

    `target` names the choice by its index from 0 or as it is in `rated`; a list of these,
    also as JSON text, names several. `texts` are the same choices in full. Any other target
    is returned as text, without blanks around it. Returns None for an empty target.
    """
    right_choice = _from_json_text(target)
    if isinstance(right_choice, list):
        several = [_right_choice(choice, rated, texts) for choice in right_choice]
        return [text for text in several if isinstance(text, str)]
    text = as_written(target).strip()
    index = whole_number(text)
    if index is not None and index < len(texts):
        return texts[index]
    if text in rated:
        return texts[rated.index(text)]
    return text or None


def _unanswered_by_lm_eval(row: Row) -> str:
    """Return a sentence on why an lm-eval sample has no answer; "" if it has one.

    It has none if the model only rated one given text, or if the row notes an error.
    """
    likelihoods = _likelihoods(row)
    if likelihoods and "response" not in _likeliest_choice(row, likelihoods):
        return "There is no answer: the model rated how likely a text is, and was asked for none."
    return _failure_of_run(row)


def _mlflow_verdicts(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """Yield the verdict of each feedback on a trace of MLflow, of a person (HUMAN) or else a judge.

    Who it is by is the source's id, else "mlflow"; the reason is the rationale. A judge's with an
    error or without a value failed; a human's without a value is left out, and so are expectations.
    Overridden feedback (`valid` false) is yielded as well: it is what is audited. A person's
    verdict that overrides another person's `replaces` it. Raises KeyError without `info`.
    """
    of_people = {
        assessment.get("assessment_id")
        for assessment in row["info"].get("assessments") or []
        if table_at(assessment, "source").get("source_type") == "HUMAN"
    }
    for assessment in row["info"].get("assessments") or []:
        source = table_at(assessment, "source")
        feedback = table_at(assessment, "feedback")
        name = trait_name(
            as_written(
                assessment.get("assessment_name", assessment.get("name")),
            ),
        )
        source_id = str(source.get("source_id") or "mlflow")
        reason = text_value(assessment.get("rationale"))
        value = known_value(feedback.get("value"))
        if not feedback:
            continue
        if source.get("source_type") == "HUMAN":
            if value is not None:
                timestamp = said_time(
                    assessment.get("last_update_time"),
                    assessment.get("create_time"),
                )
                replaces = (
                    "overrides" in assessment and assessment["overrides"] in of_people
                )
                yield PersonVerdict(
                    name,
                    value,
                    source_id,
                    reason,
                    at=timestamp,
                    replaces=replaces,
                )
        elif feedback.get("error"):
            yield JudgeVerdict(name, judge=source_id, failed=_mlflow_error(feedback))
        elif value is None:
            yield JudgeVerdict(name, judge=source_id, failed=NO_VERDICT)
        else:
            yield JudgeVerdict(name, value, reason, source_id)


def _mlflow_record(row: Row) -> Row:
    """Return the trace record of a trace of MLflow: id, question, response, metadata and reference.

    Question and response are the inputs and outputs of the root span, else the previews in `info`,
    as text (`_text_of`). Without outputs there is no "response". The reference is the last
    expectation that is a text, left out without one. The metadata is the tags, or has them under
    "tags" if they are a list; {} without any. The id may be None, and the question "". Raises
    KeyError without `info`.
    """
    spans = (row.get("data") or {}).get("spans") or []
    root: Row = {}
    for span in spans:
        if not span.get("parent_span_id"):
            root = span
            break
    attributes = root.get("attributes") or {}
    inputs = _from_json_text(
        attributes.get("mlflow.spanInputs") or row["info"].get("request_preview"),
    )
    outputs = _from_json_text(
        attributes.get("mlflow.spanOutputs") or row["info"].get("response_preview"),
    )
    tags = row["info"].get("tags") or {}
    record: Row = {
        "id": row["info"].get("trace_id"),
        "question": _text_of(inputs),
        "metadata": tags if isinstance(tags, dict) else {"tags": tags},
    }
    if outputs is not None:
        record["response"] = _text_of(outputs)
    for assessment in row["info"].get("assessments") or []:
        expected = (assessment.get("expectation") or {}).get("value")
        if isinstance(expected, str):
            record["reference"] = expected
    return record


def _mlflow_error(feedback: Row) -> str:
    """Return what failed according to the `error` of an MLflow feedback, as a text that is not
    empty.

    It is the error's message, else its code, else `NO_VERDICT`; an error that is no table is
    written out. Raises KeyError without `error`.
    """
    error = feedback["error"]
    if not isinstance(error, dict):
        return str(error)
    return str(error.get("error_message") or error.get("error_code") or NO_VERDICT)


def _deepeval_verdicts(row: Row) -> Iterator[JudgeVerdict]:
    """Yield a judge's verdict for each metric of a test case of DeepEval; nothing without metrics.

    The value is the score as a float, also from a bool or a text, with the metric's reason. The
    judge is the `evaluationModel`, else "deepeval". A metric with an error, or without a score that
    is a number, gives a failed verdict.
    """
    for metric in row.get("metricsData") or row.get("metrics_data") or []:
        judge = str(
            metric.get("evaluationModel")
            or metric.get("evaluation_model")
            or "deepeval",
        )
        name = trait_name(as_written(metric.get("name")))
        score = cell_value(metric.get("score"))
        if metric.get("error") or not isinstance(score, bool | int | float):
            failure = str(metric.get("error") or "DeepEval gave no score.")
            yield JudgeVerdict(name, judge=judge, failed=failure)
        else:
            yield JudgeVerdict(
                name,
                float(score),
                text_value(metric.get("reason")),
                judge,
            )


def _langfuse_verdicts(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    """Yield the verdicts of the scores in a row of Langfuse: in its trace, else in its `scores`.

    A score whose source is ANNOTATION is a person's, by the author's id, and any other that of the
    judge "langfuse"; the comment is the reason. BOOLEAN scores are bools, CATEGORICAL ones words
    and others numbers. Scores of type TEXT, and those without a value, are left out.
    """
    score_rows = table_at(row, "trace").get("scores") or row.get("scores")
    return filter(None, map(scores.langfuse, _listed(score_rows)))


def _phoenix_verdicts(row: Row) -> Iterator[JudgeVerdict | PersonVerdict]:
    return filter(None, map(scores.phoenix, _listed(row.get("annotations"))))


def _langfuse_record(row: Row) -> Row:
    """Return the trace record of a trace that was downloaded from Langfuse, with its observations.

    It has the id, question, metadata, response and model. If the trace itself has no input or
    output, the root observation's is taken, else the first input and the last output of its model
    calls. Without any output there is no "response", and without any input the question is "". The
    id may be None. The model is that of the last call with one; without any there is no "model".
    The metadata has the trace's name and tags. Raises KeyError without `trace`.
    """
    trace = row["trace"]
    observations = row.get("observations") or trace.get("observations") or []
    root = [
        observation
        for observation in observations
        if not observation.get("parentObservationId")
    ]
    calls = [
        observation
        for observation in observations
        if observation.get("type") == "GENERATION"
    ]
    sources = [trace, *root, *calls]
    last = [trace, *root, *reversed(calls)]
    record: Row = {
        "id": trace.get("id"),
        "question": _first_text(sources, "input") or "",
        "metadata": {"name": trace.get("name"), "tags": trace.get("tags") or []},
    }
    record = with_response(record, _first_text(last, "output"))
    models = [observation["model"] for observation in calls if observation.get("model")]
    if models:
        record["model"] = models[-1]
    return record


def _first_text(sources: Iterable[Row], key: str) -> str | None:
    """Return the first text under `key` in some tables, in their order.

    Messages become the text of the last one; a table its only text, else JSON. "" if there are only
    values without words, and None if no table has a value.
    """
    has_value = False
    for source in sources:
        value = _from_json_text(source.get(key))
        if value in (None, [], {}):
            continue
        has_value = True
        text = _text_of(value)
        if text:
            return text
    if has_value:
        return ""
    return None


def _is_mlflow(row: Row) -> bool:
    return isinstance(row.get("info"), dict) and "trace_id" in row["info"]


def _is_langfuse(row: Row) -> bool:
    return isinstance(row.get("trace"), dict) and "projectId" in row["trace"]


def _is_langfuse_observation(row: Row) -> bool:
    """Return whether a row is an observation of Langfuse, by its columns.

    It has an input and an output, a trace or user, and a project or the model's provided name, as
    in Langfuse's exports, API and storage.
    """
    if "input" not in row or "output" not in row:
        return False
    of_trace = {"trace_id", "traceId", "user_id", "userId"}
    of_langfuse = {"project_id", "projectId", "provided_model_name"}
    return not (of_trace.isdisjoint(row) or of_langfuse.isdisjoint(row))


def _is_phoenix_span(row: Row) -> bool:
    """Return whether a row is a span of Phoenix: it has a span's id, and an output that is not
    None.

    The id is in `context.span_id` or `span_id`, and the output in `attributes.output.value`, each
    in a column of that name or in tables. An empty output counts, an empty id does not.
    """
    span = value_at(row, "context.span_id") or row.get("span_id")
    return bool(span) and value_at(row, "attributes.output.value") is not None


def _is_langsmith_run(row: Row) -> bool:
    heads = {key.partition(".")[0] for key in row}
    return {"outputs", "feedback"} <= heads


def _is_braintrust_row(row: Row) -> bool:
    """Return whether a row is of an experiment of Braintrust, by its columns.

    It has an output and scores, and one of the columns for an experiment, a span or an expected
    answer.
    """
    heads = {key.partition(".")[0] for key in row}
    marking_columns = {"experiment_id", "root_span_id", "span_id", "expected"}
    return {"scores", "output"} <= heads and bool(marking_columns & heads)


def _is_deepeval_test_case(row: Row) -> bool:
    """Return whether a row is a test case of DeepEval: it has metrics, and an output or turns."""
    metrics = {"metricsData", "metrics_data"} & row.keys()
    outputs = {"actualOutput", "actual_output", "turns"} & row.keys()
    return bool(metrics and outputs)


def _is_ragas_annotation(row: Row) -> bool:
    return "metric" in row and isinstance(row.get("metric_input"), dict)


def _is_conversation(row: Row) -> bool:
    """Return whether a row has `messages` of a chat and no column that is called like a response.

    The messages must be a list, not JSON text. Values do not matter: an empty response counts.
    """
    messages = row.get("messages")
    has_answer = any(name in row for name in NAMES["response"])
    return not has_answer and isinstance(messages, list) and _is_messages(messages)


_SHARES = Bounds(0, 1)
_RAGAS_SCALES = Documented(
    "Ragas",
    _SHARES,
    dict.fromkeys(
        (
            "domain_specific_rubrics",
            "instance_rubrics",
            "labelled_rubrics_score",
            "reference_free_rubrics_score",
            "rubrics_score",
        ),
        Bounds(1, 5),
    ),
)
_TIMES = "spans, costs, times"
_NOTES = "scores that are texts"
PRESETS = (
    Preset(
        "ragas",
        _is_ragas_annotation,
        _verdicts_of_ragas_annotation,
        lost="rejections that do not say what is right",
        spent=("prompts", "metric_output", "is_accepted").__contains__,
        has_ids=False,
        documented=_RAGAS_SCALES,
    ),
    Preset(
        "lm-eval",
        lambda row: {"doc_id", "resps"} <= row.keys(),
        _lm_eval_verdicts,
        _lm_eval_record,
        tells=_left_out_of_lm_eval,
        unanswered=_unanswered_by_lm_eval,
    ),
    Preset(
        "label-studio",
        annotations.is_label_studio,
        annotations.label_studio,
        partial(annotations.record, head="data", names=NAMES),
        lost="regions, several choices at once",
        tells=annotated_chats.told_of_regions,
        parts=annotated_chats.tasks_of,
        spent=("annotations", "predictions").__contains__,
        unreadable=annotated_chats.unreadable_annotations,
    ),
    Preset(
        "argilla",
        annotations.is_argilla,
        annotations.argilla,
        partial(annotations.record, head="fields", names=NAMES),
        lost="rankings, spans, several labels at once, drafts",
        spent=("responses", "suggestions").__contains__,
        unreadable=annotations.unreadable_responses,
    ),
    Preset("mlflow", _is_mlflow, _mlflow_verdicts, _mlflow_record, lost=_TIMES),
    Preset(
        "langfuse",
        _is_langfuse,
        _langfuse_verdicts,
        _langfuse_record,
        lost=f"{_NOTES}, {_TIMES}",
    ),
    Preset(
        "langfuse",
        _is_langfuse_observation,
        _langfuse_verdicts,
        lost=_NOTES,
        spent="scores".__eq__,
    ),
    Preset(
        "phoenix",
        _is_phoenix_span,
        _phoenix_verdicts,
        lost="annotations without a label or score",
        spent="annotations".__eq__,
    ),
    Preset(
        "langsmith",
        _is_langsmith_run,
        _langsmith_verdicts,
        lost="feedback without a score or value, corrections of outputs",
        spent=lambda column: column.partition(".")[0] == "feedback",
    ),
    Preset(
        "braintrust",
        _is_braintrust_row,
        _braintrust_verdicts,
        lost="scores that are null",
        spent=lambda column: column.partition(".")[0] == "scores",
        documented=Documented("Braintrust", _SHARES),
    ),
    Preset(
        "deepeval",
        _is_deepeval_test_case,
        _deepeval_verdicts,
        lost="thresholds, costs and logs of metrics",
        spent=("metricsData", "metrics_data").__contains__,
        has_ids=False,
        documented=Documented("DeepEval", _SHARES),
    ),
    Preset(
        "ragas",
        lambda row: {"user_input", "response"} <= row.keys(),
        _ragas_verdicts,
        tells=_columns_unknown_to_ragas,
        spent=_is_ragas_metric,
        has_ids=False,
        documented=_RAGAS_SCALES,
    ),
    Preset("openai-messages", _is_conversation, has_ids=False),
)


# -- reading --------------------------------------------------------------------------------------


def _is_spent(preset: Preset, columns: Collection[str], key: str) -> bool:
    """Return whether a key is one of `columns`, or one that a preset makes verdicts of.

    Such a key is no metadata.
    """
    return key in columns or preset.spent(key)


def _preset_of(sample: Sequence[Row]) -> Preset:
    """Return the preset of the first tool in `PRESETS` whose rows all of the sample are.

    `_PLAIN` for a table of no known tool. The sample must have a row.
    """
    for preset in PRESETS:
        if all(map(preset.knows, sample)):
            return preset
    return _PLAIN


def _lost_of_table(
    sample: Sequence[Row],
    preset: Preset,
    mapping: Mapping[str, str],
    table_map: TableMap,
    repeats_advice: str,
) -> list[str]:
    """Return clauses on what of a table has no place here, to follow "left out: "; [] if nothing.

    First comes what the tool's `preset` says, in general and of these first rows. For a table of no
    known tool with verdicts mapped, unmapped columns that look like labels follow.
    `repeats_advice`, if not "", is said last: that rows of one answer seem to belong together.
    """
    lost = list(preset.tells(sample))
    if preset.lost:
        lost.insert(0, preset.lost)
    if preset is _PLAIN:
        lost += _unused_label_columns(sample, mapping, table_map)
    if repeats_advice:
        lost.append(f"that rows of one answer belong together: {repeats_advice}")
    return lost


def read(
    rows: Rows,
    name: str,
    kind: str,
    table_map: TableMap = NOTHING_MAPPED,
) -> ForeignFile:
    """Return what a table of answers holds: traces, verdicts, and which column is which field.

    If all of the first rows are those of one known tool (`PRESETS`), its fields and verdicts are
    found as that tool writes them. Otherwise columns are found by their names (`NAMES`) and by
    `table_map`, which counts for either. All other columns are metadata. `rows` returns the rows
    from the first one at each call, and traces are read from it later. `name` is the file's in
    messages, and `kind` what its form is called, as "CSV". Raises Unusable if there is no row, if
    no column can be the response, if no row has a mapped column, and for scores without answers.
    That no column is the id or a verdict is not raised but kept in `untold` and `unjudged`.
    """
    sample = _first_rows(rows, name, table_map)
    preset = _preset_of(sample)
    field_map = table_map.fields
    trait_columns = columns_of_traits(table_map)
    is_by_columns = preset.record is None or bool(field_map)
    columns = table_map.all_columns
    if _lacks_column(sample, columns, field_map, is_by_columns=is_by_columns):
        sample = _with_late_columns(rows, sample)
    untold = None
    record = preset.record
    mapping = {"a trace": f"as {preset.name} has it"}
    field_columns: dict[str, str] = {}
    if record is None or field_map:
        is_scored = table_map.has_verdicts or preset is not _PLAIN
        mapping = _columns(sample, name, field_map, preset, is_scored=is_scored)
        field_columns = _without_remarks(mapping)
        spent = set(trait_columns).difference(field_map.values())
        record = _FieldReader(dict(mapping), partial(_is_spent, preset, spent))
        if "id" not in mapping:
            untold = _no_id_error(name, sample, mapping, table_map)
    check_columns(sample, name, columns)
    with_commas = _with_decimal_commas(sample, trait_columns)
    repeats_advice = ""
    if is_by_columns:
        repeats_advice = _advice_on_claims(sample, mapping, table_map.fields)
    mapping |= table_map.columns
    lost = _lost_of_table(sample, preset, mapping, table_map, repeats_advice)
    if preset is not _PLAIN:
        mapping["verdicts"] = f"as {preset.name} has them"
    counted_rows = _CountedRows(rows, preset.unreadable)
    traces = partial(
        _traces,
        counted_rows,
        record,
        preset,
        table_map.traits,
        with_commas,
        is_text=kind in ("CSV", "TSV"),
    )
    unjudged = partial(_no_verdict_error, rows, name, sample, mapping, table_map)
    return ForeignFile(
        f"{preset.form} ({kind})",
        traces,
        mapping,
        lost=lost,
        untold=untold,
        unjudged=unjudged,
        notes=counted_rows.notes,
        documented=preset.documented or _documented_by_columns(sample),
        columns=field_columns,
        table_map=table_map,
        repeats_advice=repeats_advice,
    )


class _CountedRows:
    """The rows of a tool, from the first one at each call, with a count of what is left out."""

    def __init__(self, rows: Rows, unreadable: Callable[[Row], int]) -> None:
        """Take a tool's rows, and a function that counts what cannot be read in one row.

        `rows` yields them from the first one at each call.
        """
        self._rows = rows
        self._unreadable = unreadable
        self._count = 0
        """Annotations or responses that could not be read, in the rows of the last call."""

    def __call__(self) -> Iterator[Row]:
        """Yield all rows from the first one, and count what `unreadable` finds in each.

        The count begins at 0 at each call; `notes` tells it. Rows in which something cannot be read
        are yielded, too.
        """
        self._count = 0
        for row in self._rows():
            self._count += self._unreadable(row)
            yield row

    def notes(self) -> list[str]:
        """Return a list of one clause on what people said that the last reading left out, or [].

        It is complete once that reading came to its end.
        """
        if not self._count:
            return []
        count_text = many(
            self._count,
            "annotation or response",
            "annotations or responses",
        )
        return [f"left out: {count_text} that cannot be read"]


_MT_BENCH = frozenset({"judgment", "score", "turn", "user_prompt"})
"""The columns that MT-bench gives a judge's grade of one answer."""


def _documented_by_columns(sample: Sequence[Row]) -> Documented | None:
    """Return the scale 1 to 10 of MT-bench if all rows have the columns of its grades, else None.

    The sample must have a row.
    """
    if all(row.keys() >= _MT_BENCH for row in sample):
        return Documented("MT-bench", Bounds(1, 10))
    return None


def _unused_label_columns(
    sample: Sequence[Row],
    mapping: Mapping[str, str],
    table_map: TableMap,
) -> list[str]:
    """Return a list of one clause on unmapped columns that look like labels; [] if there are none.

    They are metadata, and the clause has the `--map` entry that would make the first of them a
    person's verdicts. `mapping` and `table_map` have the columns in use. [] as well for a map that
    names no column of verdicts.
    """
    if not table_map.has_verdicts:
        return []
    values = _cells_by_column(sample)
    verdicts: list[str] = []
    for trait_map in table_map.traits.values():
        verdicts += [column for column in trait_map.all_columns if column in values]
    columns_named = unused_labels(
        values,
        [*mapping.values(), *table_map.all_columns],
        verdicts,
    )
    if not columns_named:
        return []
    trait = in_quotes(next(iter(table_map.traits)))
    names = ", ".join(map(quoted, columns_named))
    verb = "look like labels and are"
    if len(columns_named) == 1:
        verb = "looks like labels and is"
    entry = f"person.{trait}={in_quotes(columns_named[0])}"
    return [f"{names} {verb} metadata (--map {entry} makes a person's verdicts of it)"]


def _without_remarks(mapping: Mapping[str, str]) -> dict[str, str]:
    """Return columns of fields as `--map` takes them: "# (the number of the row)" becomes "#".

    All other columns stay; `mapping` is not changed.
    """
    columns_of_fields = dict(mapping)
    if mapping.get("id", "").startswith(f"{NUMBER} "):
        columns_of_fields["id"] = NUMBER
    return columns_of_fields


def _first_rows(rows: Rows, name: str, table_map: TableMap) -> list[Row]:
    """Return the first rows of a table, at most `_LOOKED_AT`.

    Raises Unusable if there is no row. It is raised as well if no column is mapped and the
    first row is a score of Langfuse, Phoenix or OpenTelemetry, which is without its answer.
    `name` is the file's in messages.
    """
    sample = list(islice(rows(), _LOOKED_AT))
    if not sample:
        raise unusable(name, "there is no row in it")
    form = scores.form_of(sample[0])
    if form and not table_map.has_columns:
        wrong = f"{form.name} scores without the answers that they are of"
        raise unusable(
            name,
            wrong,
            "give these as well: appellate review ANSWERS SCORES",
        )
    return sample


def _lacks_column(
    sample: Sequence[Row],
    columns: Iterable[str],
    fields: Collection[str],
    *,
    is_by_columns: bool,
) -> bool:
    """Return whether the first rows lack a needed column that a later row may still have.

    A column is lacking if no row of the sample has a value other than None in it. All `columns`
    (those of `--map`) are needed, but for "#", the row's number. With `is_by_columns` a filled id
    is needed as well, and a filled response or messages, each unless it is among the mapped
    `fields`. A sample of fewer than `_LOOKED_AT` rows is the whole table, and the answer False.
    """
    if len(sample) < _LOOKED_AT:
        return False
    for column in columns:
        if column != NUMBER and not _is_in_some_row(sample, column):
            return True
    if not is_by_columns:
        return False
    has_id = "id" in fields or _column(sample, "id", ()) is not None
    names = ("response", "messages")
    has_answer = any(name in fields or _column(sample, name, ()) for name in names)
    return not (has_id and has_answer)


def _with_late_columns(rows: Rows, sample: Sequence[Row]) -> list[Row]:
    """Return the first rows, and after them each later row that first fills some column.

    Reads all rows again. Stops without an error at a row that cannot be read: that error is raised
    when the traces are read.
    """
    rows_seen = list(sample)
    filled: set[str] = set()
    for row in sample:
        filled.update(_filled_columns(row))
    with suppress(
        Unusable,
        csv.Error,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ):
        for row in islice(rows(), len(sample), None):
            columns_of_row = _filled_columns(row)
            if not filled.issuperset(columns_of_row):
                rows_seen.append(row)
                filled.update(columns_of_row)
    return rows_seen


def _filled_columns(row: Row) -> list[str]:
    """Return the columns of a row that are filled: not None, "", [] or {}.

    In the row's order; 0, False and NaN are filled. A table in a column gives `KEY.INNER` for each
    of its keys that is filled, one level deep, and not the column itself.
    """
    return [
        column
        for column in _leaf_columns(row)
        if value_at(row, column) not in (None, "", [], {})
    ]


PLAIN = "a table"
_PLAIN = Preset(PLAIN, lambda _row: True)


def is_answer(row: Row, table_map: TableMap) -> bool:
    """Return whether a row has an answer: a response, messages, or the form of a known tool.

    A response is looked for in the column that the map names for it, else in all columns of
    the usual names and in `messages`. An empty or zero value is no answer. A row that a
    known tool writes (`PRESETS`) always counts.
    """
    names = [*NAMES["response"], "messages"]
    if "response" in table_map.fields:
        names = [table_map.fields["response"]]
    return any(value_at(row, name) for name in names) or any(
        preset.knows(row) for preset in PRESETS
    )


def columns_of_traits(table_map: TableMap) -> list[str]:
    """Return the columns that a map names for its traits, trait by trait.

    A column that two traits have is there twice.
    """
    columns: list[str] = []
    for trait_map in table_map.traits.values():
        columns += trait_map.all_columns
    return columns


def _traces(
    rows: Rows,
    record: Callable[[Row], Row],
    preset: Preset,
    traits: Mapping[str, TraitMap],
    with_commas: Collection[str],
    *,
    is_text: bool,
) -> Iterator[ForeignTrace]:
    """Yield the traces of a table with their verdicts, in order; reads the rows once.

    A row is one trace, unless the tool's `preset` parts it into several. `record` makes a trace's
    fields of it; without an id it gets its number from 1, as text. The verdicts are those of the
    columns that `traits` maps, then those of the preset. If the row says that there is no answer
    (`unanswered`), and none is there, a judge's verdicts become failed ones. With `is_text` (CSV) a
    blank response that nobody scored is removed. Columns in `with_commas` have decimal commas.
    Errors of `rows` and `record` leave it as they are: KeyError for a row that its tool would not
    write.
    """
    unanswered = preset.unanswered or _failure_of_run
    answers: Iterable[Row] = rows()
    if preset.parts is not None:
        answers = chain.from_iterable(map(preset.parts, answers))
    for number, row in enumerate(answers, 1):
        fields = record(row)
        if fields.get("id") in (None, ""):
            fields["id"] = str(number)
        judged: list[JudgeVerdict] = []
        people: list[PersonVerdict] = []
        for verdict in chain(
            _verdicts_in_columns(row, traits, with_commas),
            preset.verdicts(row),
        ):
            if isinstance(verdict, JudgeVerdict):
                judged.append(verdict)
            else:
                people.append(verdict)
        error = unanswered(row)
        if error and not fields.get("response"):
            judged = of_no_answer(judged, error)
        is_scored = people or not all(verdict.failed for verdict in judged)
        if is_text and not is_scored and not fields.get("response"):
            fields.pop("response", None)  # a blank in CSV may be no answer
        yield ForeignTrace(fields, judged, people, error)


def _failure_of_run(row: Row) -> str:
    """Return a sentence on why a row's run gave no answer; "" if its tool notes no error.

    An error is a filled `error`, or the state "ERROR" in `level`, `status_code` or `info.state`;
    false, 0 and words for none are no error, also as text. The sentence is "There is no answer: "
    and the tool's message, or "the run failed".
    """
    error = row.get("error")
    if isinstance(error, str | float) and not cell_value(error):
        error = ""
    state = row.get("level") or row.get("status_code")
    if not state:
        state = table_at(row, "info").get("state")
    if not error and state != "ERROR":
        return ""
    message = error or row.get("status_message") or row.get("statusMessage")
    if not message:
        message = "the run failed"
    return f"There is no answer: {message}"


NO_VERDICT = "There is no verdict here."


def _verdicts_in_columns(
    row: Row,
    traits: Mapping[str, TraitMap],
    with_commas: Collection[str],
) -> Iterator[JudgeVerdict | PersonVerdict]:
    """Yield the verdicts in a row's mapped columns, trait by trait, the judge's before people's.

    A trait without a column of the judge's has only people's, and one of claims gives its row's
    label like any other. A judge's blank cell yields a failed verdict, a person's nothing. Columns
    in `with_commas` have decimal commas.
    """
    for trait, trait_map in traits.items():
        if trait_map.verdict:
            yield _judge_verdict(row, trait, trait_map, with_commas)
        yield from _people_verdicts(row, trait, trait_map, with_commas)


def _judge_verdict(
    row: Row,
    trait: str,
    trait_map: TraitMap,
    with_commas: Collection[str],
) -> JudgeVerdict:
    """Return the judge's verdict on a trait in a row; the judge is called as the mapped column is.

    If the cell says nothing, or has a list, the verdict failed with `NO_VERDICT`. The map must name
    a column for the verdict. Columns in `with_commas` have decimal commas.
    """
    column = trait_map.verdict
    name = trait_name(trait)
    cell = _cell(row, column, with_commas)
    if cell.value is None:
        return JudgeVerdict(name, judge=column, failed=NO_VERDICT)
    reason = ""
    if trait_map.reason:  # a column may be called "", as the index of a data frame is
        reason = text_value(value_at(row, trait_map.reason))
    return JudgeVerdict(name, cell.value, reason, column, most=cell.most)


def _people_verdicts(
    row: Row,
    trait: str,
    trait_map: TraitMap,
    with_commas: Collection[str],
) -> Iterator[PersonVerdict]:
    """Yield each person's verdict on a trait in a row, called as their column is, in its order.

    It has the person's reason and time, if columns of these are mapped. A blank cell yields
    nothing. A majority is one verdict by "majority of a, b": the one that more than half of those
    given say, in whatever words, with all different reasons, and the time only if all have the
    same. It yields nothing on a tie, and words that the map calls `none` have no vote. Nothing
    without people. Columns in `with_commas` have decimal commas.
    """
    people = trait_map.person
    if people is None:
        return
    name = trait_name(trait)
    cells = [_cell(row, column, with_commas) for column in people.columns]
    reasons = texts_of_each(row, trait_map.why, len(cells))
    times = times_of_each(row, trait_map.when, len(cells))
    if people.is_majority:
        given_cells = [
            cell
            for cell in cells
            if cell.value is not None
            and not is_one_of(as_class(cell.value), trait_map.none)
        ]
        said = said_by_most(given_cells, trait_map)
        if said is not None:
            voters = f"majority of {', '.join(people.columns)}"
            reason = "; ".join(filter(None, dict.fromkeys(reasons)))
            when = times[0] if len(set(times)) == 1 else ""
            yield PersonVerdict(
                name,
                said.value,
                voters,
                reason,
                most=said.most,
                at=when,
            )
        return
    for column, cell, reason, when in zip(
        people.columns,
        cells,
        reasons,
        times,
        strict=True,
    ):
        if cell.value is not None:
            yield PersonVerdict(
                name,
                cell.value,
                column,
                reason,
                most=cell.most,
                at=when,
            )


def texts_of_each(row: Row, columns: Sequence[str], count: int) -> list[str]:
    """Return each person's text from a row (their reason), in the order of `columns`.

    `columns` has one for each person; "" as column or a blank cell gives "". A majority may have
    one column for all, and then the list has one text. Without columns it is `count` times "".
    """
    if not columns:
        return [""] * count
    return _of_each(row, columns, text_value)


def times_of_each(row: Row, columns: Sequence[str], count: int) -> list[str]:
    """Return the time at which each of `count` people ruled, as text from a row.

    A time with a zone, or a count since 1970, is in UTC and ends in "Z"; one without a zone has
    none. `columns` has one for each person, "" for one without; a single column is the time of all.
    A blank cell gives "", and text that is no time stays. Without columns all have "".
    """
    if not columns:
        return [""] * count
    times = _of_each(row, columns, said_time)
    if len(times) == 1:
        return times * count
    return times


def _of_each(
    row: Row,
    columns: Sequence[str],
    as_text: Callable[[object], str],
) -> list[str]:
    """Return what `as_text` makes of a row's value in each of some columns, in their order.

    "" as a column gives "". A name with dots may be a path, as `value_at` reads it. If the row
    lacks a column `as_text` is given None.
    """
    texts: list[str] = []
    for column in columns:
        text = ""
        if column:
            text = as_text(value_at(row, column))
        texts.append(text)
    return texts


def _cell(row: Row, column: str, with_commas: Collection[str]) -> CellValue:
    """Return the value that a row has in a column, read as a verdict, and what it is out of.

    A text that is a number, "true" or "false" becomes a number or bool, and "4/5" is 4 out of 5. A
    table that is not empty, also as JSON text, stays a dict. In a column of `with_commas` "1,234"
    is 1.234. The value is None if the column is missing or blank, or has a list.
    """
    value = value_at(row, column)
    table = _from_json_text(value)
    if table and isinstance(table, dict):
        return CellValue(table)
    return read_cell(value, has_decimal_commas=column in with_commas)


NUMBER = "#"
"""`--map id=#`: the id of a row is its number."""


def _with_decimal_commas(sample: Sequence[Row], columns: Iterable[str]) -> set[str]:
    """Return those of `columns` that write decimal commas, as "0,71" in one of the rows shows.

    "1,234" shows nothing, since its comma may part thousands.
    """
    with_commas: set[str] = set()
    for column in columns:
        if has_decimal_commas(value_at(row, column) for row in sample):
            with_commas.add(column)
    return with_commas


def _columns(
    sample: Sequence[Row],
    name: str,
    field_map: Mapping[str, str],
    preset: Preset,
    *,
    is_scored: bool,
) -> dict[str, str]:
    """Return which column each field of a trace is read from, by the field's name in `NAMES`.

    It is the one in `field_map`, else the first filled column with a usual name that no other field
    has. A field without one is left out. If the rows of the `preset` have no ids, the id is "# (the
    number of the row)". With `is_scored` the response's column may be blank in all rows. Raises
    Unusable, with a proposed `--map`, if neither response nor messages have a column.
    """
    columns = dict(field_map)
    for key in NAMES:
        column = _column(sample, key, columns.values())
        if key == "response" and column is None and is_scored:
            column = _column(sample, key, columns.values(), is_blank_ok=True)
        if key not in columns and column:
            columns[key] = column
    if "response" not in columns and "messages" not in columns:
        raise _no_response_error(name, sample, columns, field_map)
    if not preset.has_ids:
        columns.setdefault("id", f"{NUMBER} (the number of the row)")
    return columns


def _column(
    sample: Sequence[Row],
    key: str,
    used: Collection[str],
    *,
    is_blank_ok: bool = False,
) -> str | None:
    """Return the first of a field's usual columns (`NAMES[key]`) that some row of the sample fills.

    None if there is none. Names are taken in their exact case; one with dots may be a path, as
    `value_at` reads it. Columns in `used` are passed over. For "id" a column whose values all
    differ comes before others. With `is_blank_ok` a column that only has "" counts as filled.
    """
    blanks = (None,) if is_blank_ok else (None, "")
    filled: list[str] = []
    for column in NAMES[key]:
        if column in used:
            continue
        if any(value_at(row, column) not in blanks for row in sample):
            filled.append(column)
    if key == "id":
        filled.sort(
            key=lambda column: not _are_unique(value_at(row, column) for row in sample),
        )
    if filled:
        return filled[0]
    return None


def _no_response_error(
    name: str,
    sample: Sequence[Row],
    columns: Mapping[str, str],
    field_map: Mapping[str, str],
) -> Unusable:
    """Return an error for the caller to raise: that no column of the file is the response.

    Its advice is a `--map` to try: the fields that the person mapped (`field_map`), then a likely
    column or "COLUMN", then proposed verdicts. `columns` are those found for other fields, and
    `name` is the file's.
    """
    used: set[str] = set()
    for key, names in NAMES.items():
        if key != "response":
            used.update(names)
    values = _cells_by_column(sample)
    fields = proposed_pair(values)
    if not fields:
        column = likely_response(values, used.union(columns.values()))
        fields = {"response": column}
    entries = [*_map_entries(field_map), *_map_entries(fields)]
    if COLUMN not in fields.values():
        mapped_columns = {*columns.values(), *fields.values()}
        entries.append(proposed_map(values, mapped_columns))
    wrong = f"no column is the response; the columns are {_names(sample)}"
    option = shlex.quote(",".join(filter(None, entries)))
    return unusable(name, wrong, f"say which one is: --map {option}")


def _map_entries(columns: Mapping[str, str]) -> list[str]:
    """Return entries of `--map`, as ["id=key"], for single columns by the keys that they are mapped
    to.

    A name is in quotes where it needs them, so a text of several columns such as "anna|ben" would
    be one column. [] for no columns.
    """
    return [f"{key}={in_quotes(column)}" for key, column in columns.items()]


def _no_id_error(
    name: str,
    sample: Sequence[Row],
    mapping: Mapping[str, str],
    table_map: TableMap,
) -> Unusable:
    """Return an error to be raised later: that no column of the file is the id.

    Its advice is a `--map` to try, with the columns that the person mapped (`table_map`) and a
    likely one or "COLUMN"; or that of a table with one claim a row, if it looks like one. `mapping`
    has the columns found for fields. `name` is the file's.
    """
    wrong = f"no column is the id; the columns are {_names(sample)}"
    advice = _advice_on_claims(sample, mapping, table_map.fields)
    if advice:
        return unusable(name, wrong, advice)
    column = likely_id(_cells_by_column(sample), mapping.values(), len(sample))
    entries = [*table_map.column_entries, *_map_entries({"id": column or COLUMN})]
    option = shlex.quote(",".join(entries))
    right = (
        f"say which one is: --map {option}, or id={NUMBER} for the number of the row"
    )
    return unusable(name, wrong, right)


def _no_verdict_error(
    rows: Rows,
    name: str,
    sample: Sequence[Row],
    mapping: Mapping[str, str],
    table_map: TableMap,
) -> Unusable:
    """Return an error for the caller to raise: that no column of the file holds verdicts.

    Its advice is a `--map` to try, with the columns that the person mapped (`table_map`) and
    proposed verdicts or claims; without a proposal, the form of an entry. If the sample is full all
    `rows` are read again, for columns that are first filled later. `name` is the file's.
    """
    if len(sample) >= _LOOKED_AT:
        sample = _with_late_columns(rows, sample[:_LOOKED_AT])
    wrong = "no verdict is in it, so that there is nothing to check"
    values = _cells_by_column(sample)
    entries = _proposed_claims(values, mapping)
    if not entries:
        entries = proposed_map(values, mapping.values())
    option = shlex.quote(",".join([*table_map.column_entries, entries]))
    right = f"name the columns of verdicts: --map {option}"
    if not entries:
        right = (
            "name the column of a judge's verdicts: --map verdict.NAME=COLUMN, where NAME is what"
            " you call the trait"
        )
    columns_text = f"the columns are {_names(sample)}"
    return unusable(
        name,
        f"{wrong}; {columns_text}",
        f"{right}, or give a rubric as well",
    )


def _proposed_claims(
    values: Mapping[str, list[Any]],
    mapping: Mapping[str, str],
) -> str:
    """Return `--map` entries with commas between for a table that looks like one claim a row, else
    "".

    `values` has the filled cells by column, and `mapping` the columns of fields: these are not
    proposed, and the response's shows whether answers repeat.
    """
    response = mapping.get("response", "")
    return proposed_claims(values, mapping.values(), values.get(response, ()))


def _advice_on_claims(
    sample: Sequence[Row],
    mapping: Mapping[str, str],
    field_map: Mapping[str, str],
) -> str:
    """Return a clause with the `--map` for a table that looks like one claim a row; "" if not.

    `mapping` has the columns found for fields. The advised map begins with those fields that the
    person mapped, `field_map`.
    """
    entries = _proposed_claims(_cells_by_column(sample), mapping)
    if not entries:
        return ""
    option = shlex.quote(",".join([*_map_entries(field_map), entries]))
    return f"a claim a row, it seems: --map {option}"


def _merged_row(sample: Sequence[Row]) -> Row:
    """Return one row with all columns of some rows, each with its first value that is not empty.

    Empty are None, "", [] and {}; a column with only such values has its last.
    """
    merged: Row = {}
    for row in sample:
        for key, value in row.items():
            if merged.get(key) in (None, "", [], {}):
                merged[key] = value
    return merged


def _names(sample: Sequence[Row]) -> str:
    return columns(_merged_row(sample))


def _cells_by_column(sample: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the filled cells of each column of the sample, in the order of the rows.

    Cells that are None, "", [] or {} are left out, so the lists differ in length, and a column
    without any other has []. The columns of a table in a column are `KEY.INNER`. A column without a
    name is left out, since `--map` cannot name it.
    """
    cells_by_column: dict[str, list[Any]] = {}
    merged = _merged_row(sample)
    for column in filter(None, _leaf_columns(merged)):
        filled_cells: list[Any] = []
        for row in sample:
            cell = value_at(row, column)
            if cell not in (None, "", [], {}):
                filled_cells.append(cell)
        cells_by_column[column] = filled_cells
    return cells_by_column


def _leaf_columns(row: Row) -> list[str]:
    """Return a row's columns, in order; a table in a column gives `KEY.INNER` for each key.

    Only the first level of tables is opened. An empty table is a column itself.
    """
    columns: list[str] = []
    for key, nested in row.items():
        if isinstance(nested, dict) and nested:
            columns += [f"{key}.{inner}" for inner in nested]
        else:
            columns.append(key)
    return columns


def _are_unique(values: Iterable[object]) -> bool:
    texts = [str(value) for value in values]
    return len(set(texts)) == len(texts)


def check_columns(sample: Sequence[Row], name: str, columns: Iterable[str]) -> None:
    """Raise Unusable for the first of `columns` that is None or missing in all rows of the sample.

    "#", the row's number, is always there. The message lists the columns and suggests the nearest.
    `name` is the file's in it.
    """
    for column in columns:
        if column == NUMBER or _is_in_some_row(sample, column):
            continue
        right = ""
        known_columns = _leaf_columns(_merged_row(sample))
        suggestion = closest(column, known_columns)
        if suggestion:
            right = f"did you mean {quoted(suggestion)}?"
        wrong = f"no row has {quoted(column)}; the columns are {_names(sample)}"
        raise unusable(name, wrong, right)


def _is_in_some_row(sample: Iterable[Row], column: str) -> bool:
    """Return whether some row has a value other than None in a column; "" is one.

    If no column is called so, a name with dots is a path through tables, lists and JSON texts.
    """
    return any(value_at(row, column) is not None for row in sample)


class _FieldColumn(NamedTuple):
    """Which column a field of a trace is read from, and how."""

    field: str
    column: str
    formed: Callable[[Any], Any]
    """Makes the field's value of the column's."""


class _FieldReader:
    """Makes the fields of a trace of a row; what the columns are is worked out once.

    All that is no field is metadata, but no verdicts: people rule first.
    """

    def __init__(
        self,
        columns: Mapping[str, str],
        spent: Callable[[str], bool],
    ) -> None:
        """Take the column of each field by its name, and a test of whether a column is a verdict.

        Usual columns (`NAMES`) of fields that are not in `columns` are read as well where a row has
        one, unless another field has that column. What the test says of a column is remembered.
        """
        self._columns = set(columns.values())
        self._field_columns: list[_FieldColumn] = []
        for key, column in columns.items():
            formed = _FORMED.get(key, _text_of_field)
            self._field_columns.append(_FieldColumn(key, column, formed))
        self._late: dict[str, list[str]] = {}
        """The columns that may come in a later row, of fields that none of the first rows had."""
        self._all_late: set[str] = set()
        """All of these columns."""
        for key, names in NAMES.items():
            if key not in columns:
                late_names = [name for name in names if name not in self._columns]
                self._late[key] = late_names
                self._all_late.update(late_names)
        self._spent = lru_cache(_MOST_COLUMNS)(spent)

    def __call__(self, row: Row) -> Row:
        """Return the fields of the trace that a row is, by their names; fields without a value are
        left out.

        Values have the form of their field: texts, a list of documents, a whole number as epoch. An
        empty response stays "". A second response in a column `other` is the field `other`. What is
        neither a field nor a verdict is in `metadata`. The row is not changed.
        """
        field_columns = self._field_columns
        columns = self._columns
        if not self._all_late.isdisjoint(row):
            late_columns = self._late_columns(row)
            field_columns = [*field_columns, *late_columns]
            columns = columns.union(late.column for late in late_columns)

        record: Row = {}
        heads: set[str] = set()
        """The columns that have the tables which fields are in, as "outputs" of outputs.answer."""
        for field, column, formed in field_columns:
            if column in row:
                value = row[column]
            else:
                value = value_at(row, column)
                if "." in column:
                    heads.add(column.partition(".")[0])
            if value == "":
                if field == "response":
                    record[field] = ""
            elif value != [] and not is_gap(value):
                record[field] = formed(value)
        if "other" not in record and _is_second_response(row.get("other")):
            record["other"] = row["other"]
            columns = columns.union(["other"])
        metadata = self._metadata(row, columns | heads if heads else columns)
        if metadata:
            record["metadata"] = {**(record.get("metadata") or {}), **metadata}
        return record

    def _late_columns(self, row: Row) -> list[_FieldColumn]:
        """Return the columns that a row fills, of fields that none of the table's first rows had.

        If a row fills several columns for one field, the first in `NAMES` is taken. [] if
        there is none. A path such as "outputs.answer" does not count, only a column of that
        very name.
        """
        late_columns: list[_FieldColumn] = []
        for field, names in self._late.items():
            for name in names:
                if row.get(name) not in ("", []) and not is_gap(row.get(name)):
                    formed = _FORMED.get(field, _text_of_field)
                    late_columns.append(_FieldColumn(field, name, formed))
                    break
        return late_columns

    def _metadata(self, row: Row, used: Collection[str]) -> Row:
        """Return a row's values that are neither in a field's column (`used`) nor verdicts, by
        their columns.

        None is left out; "" and NaN stay. A column without a name is "index", unless the row has
        one of that name. If some keys of a table in `_INPUTS` are fields, its other keys are kept
        in a table of its name. The row is not changed.
        """
        metadata: Row = {}
        for key, value in row.items():
            if key not in used and value is not None and not self._spent(key):
                name = key
                if not key and _INDEX not in row:
                    name = _INDEX
                metadata[name] = value
        for head in _INPUTS:
            inputs = row.get(head)
            if not isinstance(inputs, dict):
                continue
            further = _without_keys_of_fields(inputs, head, used)
            if further:
                metadata[head] = further
        return metadata


def _without_keys_of_fields(inputs: Row, head: str, used: Iterable[str]) -> Row:
    """Return the part of a table of inputs that is no field of a trace, without empty values.

    `head` is the table's column, and `used` are the columns of fields, as "inputs.question"
    for the key `question`. {} if none of its keys is a field: then the whole table is a
    field, or metadata.
    """
    prefix = f"{head}."
    keys_of_fields: set[str] = set()
    for column in used:
        if column.startswith(prefix):
            keys_of_fields.add(column.removeprefix(prefix))
    if not keys_of_fields:
        return {}
    further: Row = {}
    for key, value in inputs.items():
        if key not in keys_of_fields:
            further[key] = value
    return without_empty(further)


def _is_second_response(value: object) -> bool:
    """Return whether a value can be a trace's `other`: a table with a response or messages.

    It may have a model and an id as well, but no other key.
    """
    if not isinstance(value, dict) or not value.keys() <= _KEYS_OF_OTHER:
        return False
    return "response" in value or "messages" in value


_KEYS_OF_OTHER = {"response", "messages", "model", "id"}
"""The keys that the second response of a trace may have."""
_MOST_COLUMNS = 1 << 16
"""Columns of which it is kept whether verdicts were made of them; more are asked about again."""
_INDEX = "index"
"""What a column without a name is called, as pandas writes the number of a row."""
_INPUTS = ("metric_input", "inputs", "input")
"""Tables of what was asked: what no field of a trace has of them is metadata."""


def _documents(value: Any) -> list[Any]:
    """Return a column's value as a trace's documents: a list, also one in a text (JSON or Python).

    The members of a list stay as they are. Any other text is the only document, unchanged, and any
    other value is it as `str` writes it.
    """
    documents = value
    if isinstance(value, str):
        documents = value_in_cell(value)
    if isinstance(documents, list):
        return documents
    return [str(value)]


def _epoch(value: Any) -> Any:
    """Return a column's value as a trace's epoch: 2.0, "2" and "2.0" are 2.

    Anything else is what `cell_value` reads: 1.5 stays, "first" is a text, and "n/a" is None.
    """
    epoch = cell_value(value)
    if isinstance(epoch, float) and epoch.is_integer():
        return int(epoch)
    return epoch


def _table(value: Any) -> Row:
    """Return a column's value as a trace's metadata: a table, also as JSON text, as it is.

    Any other value, also JSON text of a list, is put unchanged in a table: `{"metadata": VALUE}`.
    """
    table = _from_json_text(value)
    if isinstance(table, dict):
        return table
    return {"metadata": value}


# -- values ---------------------------------------------------------------------------------------


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """Return a row's value in a column, or None if there is none.

    A column that is called exactly so comes first, in its case. Otherwise a name with dots is a
    path through tables, lists (by index from 0) and JSON texts: `choices.0.message`. The value
    itself is not parsed, also if it is JSON text.
    """
    if path in row:
        return row[path]
    if "." not in path:
        return None
    value: Any = row
    for key in path.split("."):
        value = _from_json_text(value)
        if isinstance(value, Mapping):
            value = value.get(key)
            continue
        index = whole_number(key)
        if not isinstance(value, list) or index is None or index >= len(value):
            return None
        value = value[index]
    return value


def _values_of_group(row: Row, name: str) -> Row:
    """Return the values of a group in a row, as `scores`, by their names; {} if there are none.

    The group is a table or JSON text in the column `name`, or columns `name.part`; a column
    replaces the table's value of its name. The row is not changed.
    """
    table = _from_json_text(row.get(name))
    parts = dict(table) if isinstance(table, dict) else {}
    for column, value in row.items():
        head, is_part, part = column.partition(".")
        if is_part and head == name:
            parts[part] = value
    return parts


def _from_json_text(value: Any) -> Any:
    """Return what a JSON text holds, if it is an object, a list, a text in quotes or `null`.

    The text must begin with `{`, `[` or a quote, without a blank before it. Any other value is
    returned unchanged: numbers, `true` and broken JSON as well.
    """
    if isinstance(value, str) and (value[:1] in ("{", "[", '"') or value == "null"):
        try:
            return from_json(value)
        except (ValueError, RecursionError):
            return value
    return value


def _listed(value: Any) -> list[Any]:
    """Return a value that is a list or JSON text of one, as a list; [] for anything else."""
    parsed = _from_json_text(value)
    if isinstance(parsed, list):
        return parsed
    return []


def _is_messages(value: object) -> bool:
    """Return whether a value is messages of a chat: a list, one of them, or a table of `messages`.

    Each member of a list must be a table with a role; a single message must have content, too.
    False for [] and for JSON text.
    """
    if isinstance(value, dict):
        if {"role", "content"} <= value.keys():
            return True
        return _is_messages(value.get("messages"))
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(message, dict) and "role" in message for message in value)


def _text_of_field(value: Any) -> str:
    """Return the text of a field's value: of chat messages what the last one says.

    Messages may be JSON text; any other text is returned as it is, also other JSON. A table is its
    only text, else JSON. "" for None.
    """
    parsed = _from_json_text(value)
    if isinstance(value, str) and (parsed is value or not _is_messages(parsed)):
        return value
    return _text_of(parsed)


def _text_of(value: Any) -> str:
    """Return a value as text: of messages what the last one says, of a table its only text.

    A table with several texts is written as JSON. Another list is its members on lines, each as
    text, and the parts of a message are its texts on lines. A text stays, also JSON. "" for None,
    NaN and [], and for a last message without words.
    """
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and _are_parts(value):
        texts = [part if isinstance(part, str) else part.get("text") for part in value]
        return "\n".join(text for text in texts if isinstance(text, str))
    if isinstance(value, list) and value and _is_message(value[-1]):
        last = value[-1]
        return _text_of(last.get("content", last.get("text")))
    if isinstance(value, list):
        return "\n".join(map(_text_of, value))
    if isinstance(value, dict):
        return _text_of_table(value)
    return as_written(value)


def _are_parts(content: Sequence[object]) -> bool:
    """Return whether a list is the parts of one message: texts, pictures, calls, and no messages.

    One of them at least is a table with a text, and none has a role or a content.
    """
    has_text = False
    for part in content:
        if isinstance(part, dict):
            if "role" in part or "content" in part:
                return False
            has_text = has_text or isinstance(part.get("text"), str)
        elif not isinstance(part, str):
            return False
    return has_text


def _is_message(value: object) -> bool:
    """Return whether a member of a list is a message, or an item as a call among messages.

    That is a table with a role, a content, a text or a type.
    """
    return isinstance(value, dict) and not value.keys().isdisjoint(
        {"role", "content", "text", "type"},
    )


def _text_of_table(table: Row) -> str:
    """Return a table as text: its `messages`, `content`, `text` or `output`, else its only text.

    The first of these four that is filled counts, and of messages what the last one says. Without
    any of them it is the only text among the table's values, else the whole table as JSON.
    """
    for key in ("messages", "content", "text", "output"):
        if table.get(key):
            return _text_of(table[key])
    texts = [text for text in table.values() if isinstance(text, str) and text]
    if len(texts) == 1:
        return texts[0]
    return json.dumps(table, ensure_ascii=False)


def _reference(value: Any) -> Any:
    """Return a column's value as a trace's reference: a text, or for a list one text for each
    member.

    A text stays as it is, unless it is JSON of chat messages, which are what the last one says. A
    list of messages gives one text each, and a table its only text, else JSON.
    """
    if isinstance(value, list):
        return list(map(_text_of, value))
    return _text_of_field(value)


_FORMED: Mapping[str, Callable[[Any], Any]] = {
    "id": str,
    "cluster": str,
    "epoch": _epoch,
    "documents": _documents,
    "messages": _from_json_text,
    "metadata": _table,
    "reference": _reference,
}
"""What makes of a value what its field of a trace has; of the others, `_text_of_field`."""
