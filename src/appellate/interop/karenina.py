"""Karenina's results (version 2.2, the frontend's array, TaskEval, CSV) and its checkpoints.

What a trait of one question asks for is in the checkpoint alone: give both files. Functions and
templates are text here, and are never run.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeGuard

from msgspec.structs import replace

from appellate.core.problem import many, quoted
from appellate.interop.cell_values import cell_value, known_value
from appellate.interop.columns_of_rows import CsvTable
from appellate.interop.foreign import (
    MOST_CLASSES,
    SIDES,
    Documented,
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    JudgeVerdict,
    Row,
    names_of_own_traits,
    own_traits,
    table_at,
    with_response,
    without_empty,
)
from appellate.interop.python_literals import value_in_cell
from appellate.interop.ruled import Merged, RuledCell, untold_notes
from appellate.interop.table_map import Bounds
from appellate.traits.rubric import LISTS, Rubric

FORM = "Karenina results"
MAPPING = {
    "id": "metadata.result_id",
    "question": "metadata.question_text",
    "question_id": "metadata.question_id",
    "response": "evaluation_input, else template.raw_llm_response",
    "reference": "metadata.raw_answer",
    "messages": "template.trace_messages",
    "model": "metadata.answering.model_name",
    "verdicts": "rubric.*_trait_scores, rubric.metric_trait_confusion_lists",
}
_CSV_MAPPING = {
    "id": "question_id (with the line's number where it is there again)",
    "epoch": "replicate",
    "question": "question_text",
    "response": "raw_llm_response",
    "model": "answering_model",
    "verdicts": "rubric_NAME, metric_trait_confusion_lists",
}
_KINDS = {
    "MetricRubricTrait": "metric_traits",
    "RegexTrait": "regex_traits",
    "RubricTrait": "llm_traits",
    "LLMRubricTrait": "llm_traits",
}
"""The lists of a rubric by how the `additionalType` of a checkpoint ends."""
_SCORES = (
    "llm_trait_scores",
    "regex_trait_scores",
    "callable_trait_scores",
    "agentic_trait_scores",
)


def is_checkpoint(document: object) -> bool:
    """Return whether a JSON document is a checkpoint of Karenina, by a key at its top."""
    return isinstance(document, dict) and "dataFeedElement" in document


def is_result(value: object) -> bool:
    """Return whether a value is one result of Karenina: tables `metadata` and `template` are there.

    The `template` may be anything.
    """
    return (
        isinstance(value, dict)
        and isinstance(value.get("metadata"), dict)
        and "template" in value
    )


def results_of(document: object) -> list[Row] | None:
    """Return the list of results in a document of Karenina, which may itself be a list; else None.

    None as well if the list is empty or if one entry is no result. The results are the document's
    own tables, so that changing them changes it.
    """
    results = document
    if isinstance(document, dict):
        results = _entries_in(document)
    if isinstance(results, list) and results and all(map(is_result, results)):
        return results
    return None


def _entries_in(document: Row) -> list[Any] | None:
    """Return the entries of a Karenina document that should be results; None for an unknown form.

    Known are exports (`results`), `runs`, a task's evaluation and the frontend's `data`. The
    entries are not checked. The list is new, and the entries are the document's own.
    """
    if isinstance(document.get("results"), list):
        return list(document["results"])
    if isinstance(document.get("runs"), dict):
        return list(_results_in_lists(document["runs"]))
    if "global_evaluation" in document:
        return list(_results_of_task(document))
    if isinstance(document.get("data"), dict):
        return list(document["data"].values())
    return None


def _results_of_task(document: Row) -> Iterator[Any]:
    """Yield the results of a Karenina task evaluation: the global ones, then those of each step.

    They are in the lists of the table `verification_results` of `global_evaluation`, and of each
    table in `step_evaluations`. A value there that is no list is yielded as it is. Evaluations that
    are null or no tables are passed over.
    """
    steps = table_at(document, "step_evaluations")
    for evaluation in (document.get("global_evaluation"), *steps.values()):
        if isinstance(evaluation, dict):
            yield from _results_in_lists(table_at(evaluation, "verification_results"))


def _results_in_lists(lists: Row) -> Iterator[Any]:
    """Yield the entries of the lists in a table, in order; a value that is no list as it is."""
    for results in lists.values():
        if isinstance(results, list):
            yield from results
        else:
            yield results


def _traits_of_checkpoint(checkpoint: Row) -> dict[str, ForeignTrait]:
    """Return the traits of all questions that a Karenina checkpoint defines, by name.

    They are the ratings of the checkpoint itself. Early checkpoints have lists of regex and metric
    traits among their settings; the ratings count where both have one. Raises KeyError for a trait
    of such a list without a name.
    """
    traits: dict[str, ForeignTrait] = {}
    settings = _properties(checkpoint)
    for kind in ("regex", "metric"):
        tables = settings.get(f"global_{kind}_rubric_traits") or []
        for table in tables:
            name = table["name"]
            traits[name] = _trait(name, f"{kind}_traits", table)
    ratings = checkpoint.get("rating") or []
    for rating in ratings:
        trait = _trait_of_rating(rating)
        traits[trait.name] = trait
    return traits


def read(
    results: Sequence[Row],
    document: object,
    checkpoint: Row | None,
) -> ForeignFile:
    """Return what Karenina's results hold, with their traits as far as these are defined.

    Definitions are in `document` (its rubric, or it may be anything else) and in `checkpoint`, None
    if it was not given. A metric trait that is not defined is left out, and `lost` says so. Whole
    numbers of an undefined trait may be scores or classes by number; `lost` says that, too. Each
    result becomes a trace when traces are read. Raises KeyError or AttributeError for a checkpoint
    that is not as Karenina writes it.
    """
    traits: dict[str, ForeignTrait] = {}
    if isinstance(document, dict):
        traits |= _traits_of_definition(
            table_at(document, "shared_data", "rubric_definition"),
        )
    questions: list[Row] = []
    if checkpoint:
        traits |= _traits_of_checkpoint(checkpoint)
        questions = list(_questions(checkpoint))
    defined = [*traits, *names_of_own_traits(questions)]
    numbers = {question["id"] for question in questions}
    unexplained = _unexplained_numbers(results, defined)
    traits |= {
        name: _trait_of_numbers(name, values) for name, values in unexplained.items()
    }
    classes = _Classes(traits.values(), questions)

    def traces() -> Iterator[ForeignTrace]:
        """Yield the trace of each of Karenina's results in order, with the judge's verdicts.

        A class that a result has by number is named, if the trait's classes are known. The trace of
        a result that failed is unanswered, with the reason that it gives. If it has no verdict
        either, it gets a failed one for each defined trait.
        """
        for number, row in enumerate(results, 1):
            record = _record(row, number, numbers)
            judged = []
            for verdict in _judged(row, defined):
                question = str(record.get("question_id", ""))
                judged.append(classes.with_class(verdict, question))
            yield ForeignTrace(record, judged, (), _failure(row))

    lost = [
        *_undefined_metric_traits(results, defined),
        "templates, deep judgment, tokens",
    ]
    if unexplained:
        names = ", ".join(sorted(unexplained))
        missing = (
            "whether a whole number is a score or the place of a class is in the"
            " checkpoint alone"
        )
        right = "give it as well: appellate review CHECKPOINT RESULTS"
        lost.insert(0, f"{names}: {missing}; {right}")
    documented = Documented("Karenina", Bounds(1, 5))
    return ForeignFile(
        FORM,
        traces,
        MAPPING,
        traits,
        lost,
        questions,
        documented=documented,
    )


def _undefined_metric_traits(
    results: Iterable[Row],
    defined: Collection[str],
) -> Iterator[str]:
    """Yield one clause on the metric traits in Karenina's results that are not in `defined`.

    It names them and asks for the checkpoint. Nothing if all are defined.
    """
    listed: set[str] = set()
    for row in results:
        listed.update(_lists(row))
    unknown = ", ".join(sorted(listed.difference(defined)))
    if unknown:
        where = "what they ask for is in the checkpoint alone; give it as well"
        yield f"{unknown}: {where}: appellate review CHECKPOINT RESULTS"


def _unexplained_numbers(
    results: Iterable[Row],
    defined: Collection[str],
) -> dict[str, set[int]]:
    """Return the different whole numbers given to each trait that is not `defined`, by its name.

    Such a number can be a score or the place of a class, from 0. Traits without whole
    numbers are left out, since Karenina writes yes and no as true and false. Results with
    `llm_trait_labels` are skipped: these name their classes, so that their numbers are
    scores.
    """
    numbers: dict[str, set[int]] = {}
    for row in results:
        rubric = table_at(row, "rubric")
        if "llm_trait_labels" in rubric:
            continue
        for key in _SCORES:
            for name, value in table_at(rubric, key).items():
                if name not in defined and _is_whole(value):
                    numbers.setdefault(name, set()).add(value)
    return numbers


def _trait_of_numbers(name: str, numbers: Collection[int]) -> ForeignTrait:
    """Return a trait for whole numbers that may be scores or places of classes.

    If the lowest is 0 and the highest below `MOST_CLASSES` they are taken for classes, called
    "class 0" and so on, at least two: Karenina's scores usually begin at 1. Otherwise it is an
    undefined trait that is never yes or no. `numbers` must not be empty.
    """
    if min(numbers) != 0 or max(numbers) >= MOST_CLASSES:
        return ForeignTrait(name, is_never_boolean=True)
    count = max(2, max(numbers) + 1)
    classes = {
        f"class {place}": f"The verdict is class {place}." for place in range(count)
    }
    return ForeignTrait(
        name,
        key="llm_traits",
        table={"kind": "literal", "classes": classes},
    )


def _is_whole(value: object) -> TypeGuard[int]:
    """Return whether a verdict is a whole number, and neither yes nor no."""
    return isinstance(value, int) and not isinstance(value, bool)


class _Classes:
    """The names of the classes of traits, by which a class is named that results have by number."""

    def __init__(
        self,
        traits: Iterable[ForeignTrait],
        questions: Iterable[Row],
    ) -> None:
        """Collect the classes of literal traits: of `traits`, and of those of `questions`.

        Raises KeyError for a question without an id, or with a trait without a name.
        """
        self._of_trait: dict[tuple[str, str], list[str]] = {}
        for trait in traits:
            self._add("", trait.name, trait.table)
        for question in questions:
            for table in own_traits(question):
                self._add(question["id"], table["name"], table)

    def _add(self, question: str, name: str, table: Row) -> None:
        """Note the class names of a trait of Karenina, if its table is of a literal trait.

        Otherwise nothing happens. `question` is the id of the question that has the trait, "" for a
        trait of all questions.
        """
        classes = table.get("classes")
        if table.get("kind") == "literal" and isinstance(classes, dict):
            self._of_trait[question, name] = list(classes)

    def with_class(self, verdict: JudgeVerdict, question: str) -> JudgeVerdict:
        """Return a verdict of Karenina with a class's name for its number, which counts from 0.

        The classes are those of the trait in this question, else of the trait of all questions. Any
        other verdict is returned unchanged, also one with a number beyond the classes.
        """
        value = verdict.value
        if not _is_whole(value):
            return verdict
        classes = self._of_trait.get((question, verdict.trait))
        if classes is None:
            classes = self._of_trait.get(("", verdict.trait), [])
        if 0 <= value < len(classes):
            return replace(verdict, value=classes[value])
        return verdict


# -- definitions ----------------------------------------------------------------------------------


def _traits_of_definition(definition: Row) -> dict[str, ForeignTrait]:
    """Return the LLM, regex and metric traits that a rubric of Karenina defines, by name.

    Returns {} if it defines none. If two lists have a trait of one name, that of the later
    list counts. Raises KeyError for a trait without a name.
    """
    traits: dict[str, ForeignTrait] = {}
    for key in ("llm_traits", "regex_traits", "metric_traits"):
        tables = definition.get(key) or []
        for table in tables:
            name = table["name"]
            traits[name] = _trait(name, key, table)
    return traits


def _trait(name: str, key: str, settings: Mapping[str, Any]) -> ForeignTrait:
    """Return the trait, in our terms, that Karenina's settings of a trait make.

    `key` is the list of a rubric that it belongs in. Settings that ours lacks or that are empty are
    left out; Karenina's `invert` becomes `invert_result`, unless that is there already. A trait of
    classes loses its scale, and its classes are ordered, worse to better, if `higher_is_better` is
    true; without its classes it is known by its name and description only. `settings` is not
    changed.
    """
    table = {**settings}
    if "invert" in table:
        table.setdefault("invert_result", table["invert"])
    fields = LISTS[key].spec.model_fields
    filled = {
        field: value
        for field, value in table.items()
        if field in fields and value not in (None, [])
    }
    filled.pop("name", None)
    if filled.get("kind") == "literal":
        if not filled.get("classes"):
            return ForeignTrait(name, str(filled.get("description") or ""))
        filled.pop("min_score", None)
        filled.pop("max_score", None)
        if table.get("higher_is_better") is True:  # false may mean that none is better
            filled.setdefault("order", "worse to better")
    return ForeignTrait(name, key=key, table=filled)


def _trait_of_rating(rating: Mapping[str, Any]) -> ForeignTrait:
    """Return the trait that a rating in a Karenina checkpoint defines.

    `key` is the list of a rubric for its type: LLM, regex or metric traits. An LLM trait without a
    kind is boolean if its ends are 0 and 1, else a score; a boolean one has no scale. A metric
    trait without a mode has "tp_only". A trait of a function or an agent has only its name and
    description (else its type), and "" as `key`.
    """
    name = str(rating.get("name", ""))
    _, _, kind = str(rating.get("additionalType", "")).rpartition(":")
    kind = kind.removeprefix("Global").removeprefix("QuestionSpecific")
    description = rating.get("description")
    key = _KINDS.get(kind)
    # of a function or an agent the verdicts are seen, and what it does is not
    if key is None:
        return ForeignTrait(name, str(description or kind))
    table = {"description": description, **_properties(rating)}
    if key == "llm_traits":
        is_from_0_to_1 = (
            rating.get("worstRating") == 0 and rating.get("bestRating") == 1
        )
        if not table.get("kind"):
            table["kind"] = "boolean" if is_from_0_to_1 else "score"
        if table["kind"] == "boolean":
            table.pop("min_score", None)
            table.pop("max_score", None)
    if key == "metric_traits":
        table.setdefault("evaluation_mode", "tp_only")
    return _trait(name, key, table)


def _properties(rating: Mapping[str, Any]) -> Row:
    """Return the settings in `additionalProperty` of a Karenina checkpoint, by their names.

    {} without any. A value that is the JSON text of a list or table is read, and broken JSON stays
    text. One without a name is left out. Raises AttributeError for an entry that is no table.
    """
    settings: Row = {}
    for entry in rating.get("additionalProperty") or []:
        if entry.get("name") is None:
            continue
        value = entry.get("value")
        if isinstance(value, str) and value[:1] in ("[", "{"):
            with suppress(ValueError):
                value = json.loads(value)
        settings[str(entry["name"])] = value
    return settings


def _questions(checkpoint: Row) -> Iterator[Row]:
    """Yield the questions of a Karenina checkpoint as a rubric has them, with their own traits.

    Each has an `id` and the `question`, and a `reference` if there is an accepted answer. An id
    that is missing is "None", and a missing question "". Its traits are tables in lists by their
    kind. Traits of functions and agents are left out. Raises AttributeError for an entry that is no
    table.
    """
    for element in checkpoint.get("dataFeedElement") or []:
        item = element.get("item") or {}
        question: Row = {
            "id": str(element.get("@id")),
            "question": str(item.get("text", "")),
        }
        answer = (item.get("acceptedAnswer") or {}).get("text")
        if answer:
            question["reference"] = answer
        for trait in map(_trait_of_rating, item.get("rating") or []):
            if trait.key:
                question.setdefault(trait.key, []).append(
                    {"name": trait.name} | trait.table,
                )
        yield question


# -- results --------------------------------------------------------------------------------------


def _lists(row: Row) -> Row:
    return table_at(row, "rubric", "metric_trait_confusion_lists")


def _record(row: Row, number: int, questions: Collection[str]) -> Row:
    """Return the trace record of one Karenina result.

    The epoch is Karenina's `replicate`, and the metadata has the question's id and the
    run's name. If that id is in `questions` it is the "question_id" as well; otherwise the
    raw answer is the reference. The response is the `evaluation_input`, else the raw
    response, which may be "". There is no "response" if the result has neither, and if it
    failed without a text. `number` is the result's from 1, the id of a result that has
    none. Other empty values are left out. Raises KeyError for a row without metadata.
    """
    metadata = table_at(row, "metadata")
    template = table_at(row, "template")
    record = {
        "id": _id(row, number),
        "question": metadata.get("question_text"),
        "epoch": metadata.get("replicate"),
        "model": _model_name(metadata, "answering"),
        "messages": _messages(template.get("trace_messages")),
        "metadata": without_empty(
            {key: metadata.get(key) for key in ("question_id", "run_name")},
        ),
    }
    if metadata.get("question_id") in questions:
        record["question_id"] = metadata["question_id"]
    else:
        record["reference"] = metadata.get("raw_answer")
    response = row.get("evaluation_input") or template.get("raw_llm_response")
    if not response and _failure(row):
        response = None
    return with_response(without_empty(record), response)


def _judged(row: Row, defined: Collection[str]) -> list[JudgeVerdict]:
    """Return the judge's verdicts in a Karenina result; the judge's name is the parsing model's.

    Without a model it is "karenina". If the result failed and has no verdict, there is a
    failed verdict for each trait in `defined`, with the result's reason. Metric traits that
    are not in `defined` are left out.
    """
    metadata = table_at(row, "metadata")
    judge = str(_model_name(metadata, "parsing") or "karenina")
    judged = list(_verdicts(table_at(row, "rubric"), judge, defined))
    failure = _failure(row)
    if not failure or judged:
        return judged
    return [JudgeVerdict(name, judge=judge, failed=failure) for name in defined]


def _failure(row: Row) -> str:
    """Return why a Karenina result failed, in its own words; "" if it did not fail.

    A failure without words is "it did not complete" in a result of version 2.1 or earlier, and ""
    in a later one.
    """
    metadata = table_at(row, "metadata")
    failure = metadata.get("failure") or row.get("trace_extraction_error")
    if metadata.get("completed_without_errors") is False:  # version 2.1 and earlier
        failure = failure or metadata.get("error") or "it did not complete"
    if isinstance(failure, dict):
        failure = failure.get("reason")
    return str(failure or "")


def _model_name(metadata: Row, role: str) -> object:
    """Return a model's name from a Karenina result's metadata, None if it is not known.

    `role` is "answering" or "parsing", which is the judge's. Versions before 2.2 are read, too.
    """
    return table_at(metadata, role).get("model_name") or metadata.get(f"{role}_model")


def _id(row: Row, number: int) -> str:
    """Return a Karenina result's id: its `result_id`, else its question's id, else `number`.

    Raises KeyError for a row without metadata.
    """
    metadata = row["metadata"]
    return str(metadata.get("result_id") or metadata.get("question_id") or number)


def _verdicts(
    rubric: Row,
    judge: str,
    defined: Collection[str],
) -> Iterator[JudgeVerdict]:
    """Yield the judge's verdicts in a Karenina result's rubric, those of metric traits last.

    A literal trait's value is the class's name if the result has it, and a metric trait's is its
    four lists. Missing values are left out, as is a metric trait that is not in `defined`: its
    instructions are not known. `judge` is the judge's name.
    """
    labels = table_at(rubric, "llm_trait_labels")
    for key in _SCORES:
        for name, value in table_at(rubric, key).items():
            label = known_value(labels.get(name, value))
            if label is not None:
                yield JudgeVerdict(name, label, judge=judge)
    for name, lists in table_at(rubric, "metric_trait_confusion_lists").items():
        if name in defined:
            yield JudgeVerdict(
                name,
                {side: lists.get(side) or [] for side in SIDES},
                judge=judge,
            )


def _messages(messages: object) -> list[Row] | None:
    """Return a Karenina result's messages with only `role`, `content` and `tool_calls`.

    What is empty of these is left out. None if `messages` is no list. Raises AttributeError for a
    message that is no table.
    """
    if not isinstance(messages, list):
        return None
    plain_messages: list[Row] = []
    for message in messages:
        plain_message: Row = {}
        for key in ("role", "content", "tool_calls"):
            if message.get(key):
                plain_message[key] = message[key]
        plain_messages.append(plain_message)
    return plain_messages


# -- CSV ------------------------------------------------------------------------------------------


def is_csv(heads: Sequence[str]) -> bool:
    """Return whether the column names `heads` are those of one of Karenina's two CSV exports.

    `question_id`, `raw_llm_response` and `question_specific_rubrics` must be among them, spelled
    so.
    """
    needed = {"question_id", "raw_llm_response", "question_specific_rubrics"}
    return needed <= set(heads)


def read_csv(table: CsvTable, checkpoint: Row | None) -> ForeignFile:
    """Return what a CSV export of Karenina holds; all rows are held in memory.

    `checkpoint` defines traits, None if it was not given. The frontend's export has no metric
    traits, which `lost` says. The id of a row is its question's. One that repeats an earlier
    question and replicate has a blank and its number behind it, as "q1 3", counted from 1. Raises
    what reading `table` raises, KeyError for a missing column, and ValueError or TypeError for a
    cell that should hold a table of scores and does not.
    """
    heads = table.heads()
    results = list(map(_result_of_csv_line, table()))
    seen: set[tuple[object, object]] = set()
    for number, row in enumerate(results, 1):
        metadata = row["metadata"]
        key = metadata["question_id"], metadata["replicate"]
        if key in seen:
            metadata["result_id"] = f"{metadata['question_id']} {number}"
        seen.add(key)
    foreign_file = read(results, None, checkpoint)
    foreign_file.form = f"{FORM} (CSV)"
    foreign_file.mapping = _CSV_MAPPING
    if "metric_trait_confusion_lists" not in heads:
        foreign_file.lost.insert(
            0,
            "metric traits, whose lists the frontend leaves out of CSV",
        )
    return foreign_file


def _result_of_csv_line(line: Mapping[str, str]) -> Row:
    """Return a line of Karenina's CSV as one of its results is in JSON, with metadata and rubric.

    Scores are in columns `rubric_NAME` and in the table `question_specific_rubrics`, which counts
    if both have one. Empty cells are no scores, and a score that is a table is left out. The
    replicate is 1 if the line has none. Raises KeyError without `question_id` or
    `raw_llm_response`, and ValueError or TypeError if the cell for that table holds no table.
    """
    scores: Row = {}
    for head, text in line.items():
        if head.startswith("rubric_") and head != "rubric_summary" and text:
            value = value_in_cell(text) if text.startswith("{") else cell_value(text)
            scores[head.removeprefix("rubric_")] = value
    scores |= value_in_cell(line.get("question_specific_rubrics") or "{}")
    scores.pop("evaluation_performed", None)
    return {
        "metadata": {
            "question_id": line["question_id"],
            "question_text": line.get("question_text"),
            "replicate": cell_value(line.get("replicate")) or 1,
            "answering": {"model_name": line.get("answering_model")},
            "parsing": {"model_name": line.get("parsing_model")},
            "failure": line.get("error") or line.get("failure_reason") or None,
        },
        "template": {"raw_llm_response": line["raw_llm_response"]},
        "rubric": {
            "llm_trait_scores": {
                name: value
                for name, value in scores.items()
                if not isinstance(value, dict)
            },
            "metric_trait_confusion_lists": value_in_cell(
                line.get("metric_trait_confusion_lists") or "{}",
            ),
        },
    }


# -- back -----------------------------------------------------------------------------------------


def corrected(document: Any, cells: Iterable[RuledCell]) -> Merged:
    """Put people's verdicts into Karenina's results in place of the judge's; return the document.

    `document` itself is changed. It is returned with the number of results that people ruled on,
    and with notes. A result is a trace's if its id and its replicate are those of the trace. A
    "cannot tell" removes the judge's verdict. Who ruled and when is added to a result's
    `metadata.warnings`, also where they agreed. Cells without a result are ignored. The notes say
    which verdicts are lost, and that summaries in the document still count the judge's. If
    `document` holds no results it stays as it is, and the number is 0.
    """
    ruled: dict[tuple[str, int], list[RuledCell]] = {}
    for cell in cells:
        ruled.setdefault(cell.trace.key, []).append(cell)
    count = 0
    changed = 0
    put: list[RuledCell] = []
    for number, row in enumerate(results_of(document) or [], 1):
        replicate = row["metadata"].get("replicate")
        ruled_cells = ruled.get(
            (_id(row, number), 1 if replicate is None else replicate),
            [],
        )
        for cell in ruled_cells:
            _put_ruling(row, cell)
            changed += not _is_judges(cell)
        put += ruled_cells
        count += bool(ruled_cells)
    notes = [*untold_notes(put), *_conversation_notes(put)]
    if changed and isinstance(document, dict):
        old = [key for key in _AGGREGATES if _has_key(document, key)]
        if old:
            notes.append(
                f"{' and '.join(old)} of the copy count the judge's verdicts still",
            )
    return Merged(document, count, notes)


def _conversation_notes(cells: Iterable[RuledCell]) -> list[str]:
    """Return a list of one clause on the traits of cells that read the whole conversation, or [].

    It names them and says that Karenina gets no more than their texts, since it has no key for what
    a trait reads, nor for steps.
    """
    names: dict[str, None] = {}
    for cell in cells:
        if cell.subject.transcript is not None:
            names[cell.trait] = None
    if not names:
        return []
    listed = ", ".join(map(quoted, names))
    reads = "reads" if len(names) == 1 else "read"
    lost = "Karenina gets its texts alone, without the key reads and without steps"
    return [f"{listed} {reads} the whole conversation: {lost}"]


_AGGREGATES = ("summary_stats", "summary")
"""What Karenina counts of its results, under the names that it has for this."""


def _has_key(value: object, key: str) -> bool:
    """Return whether a key is filled in a table or in a table within it, as in Karenina's document.

    Lists are not searched, so that results are left out. False for anything but a table.
    """
    if not isinstance(value, dict):
        return False
    if value.get(key):
        return True
    return any(_has_key(below, key) for below in value.values())


def _is_judges(cell: RuledCell) -> bool:
    """Return whether a person's verdict on a cell is the judge's, as exports to Karenina ask.

    On a metric trait the four lists are compared, in their order, and on any other trait
    the value.
    """
    if cell.subject.kind.name == "metric":
        return all(
            cell.labels.get(side, []) == cell.judged.get(side, []) for side in SIDES
        )
    return bool(cell.value == cell.judge_value)


def _put_ruling(row: Row, cell: RuledCell) -> None:
    """Write a person's verdict into one Karenina result, and add to its warnings who ruled.

    Changes `row`. Labels equal to the judge's are left as they are. Raises KeyError without
    `metadata`.
    """
    if not _is_judges(cell):
        _put_labels(row, cell)
    warnings = row["metadata"].get("warnings") or []
    row["metadata"]["warnings"] = [*warnings, _warning_on_ruling(cell)]


def _remove_verdict(rubric: Row, name: str) -> None:
    """Remove the judge's verdict on the trait `name` from a Karenina result's rubric, if any.

    That is how "cannot tell" is written, for which Karenina has no word. Changes `rubric`: its
    scores and the names of classes. A metric trait's lists stay.
    """
    for key in (*_SCORES, "llm_trait_labels"):
        if name in table_at(rubric, key):
            rubric[key] = {
                trait: value for trait, value in rubric[key].items() if trait != name
            }


def _put_labels(row: Row, cell: RuledCell) -> None:
    """Write a cell's labels into a Karenina result's rubric in place of the judge's; changes `row`.

    A row without a rubric gets one. If the verdict is "cannot tell" the judge's is removed instead.
    A metric trait's lists and metrics are written. Any other value goes where the judge's is, else
    among the scores of regex or LLM traits. A class is its number there, and is written by name as
    well, unless the result has its classes only by number.
    """
    name, labels, kind = cell.trait, cell.labels, cell.subject.kind.name
    rubric = row["rubric"] = row.get("rubric") or {}
    if cell.is_untold:
        _remove_verdict(rubric, name)
        return
    values_by_key: Row = {}
    if kind == "metric":
        values_by_key["metric_trait_confusion_lists"] = {
            side: labels.get(side, []) for side in SIDES
        }
        values_by_key["metric_trait_scores"] = dict(cell.table.get("metrics", {}))
    else:
        usual = "regex_trait_scores" if kind == "regex" else "llm_trait_scores"
        key = next((key for key in _SCORES if name in table_at(rubric, key)), usual)
        values_by_key[key] = labels.get("value")
        has_no_names = "llm_trait_scores" in rubric and "llm_trait_labels" not in rubric
        if "class" in labels and not has_no_names:
            values_by_key["llm_trait_labels"] = labels["class"]
    for key, value in values_by_key.items():
        rubric[key] = {**table_at(rubric, key), name: value}


# -- results of an audit that was begun here ------------------------------------------------------


def made(rubric: Rubric, cells: Iterable[RuledCell]) -> Merged:
    """Return new results of Karenina (version 2.2) with people's verdicts, for an audit begun here.

    The document has a result for each trace with a verdict, with the trace's id, and defines the
    rubric's own traits. `matched` is the number of results. Who ruled and when is in a result's
    warnings. Verdicts on traits of kinds that Karenina lacks are left out and counted in the notes.
    The notes also name traits of single questions, which cannot be defined here, traits that read
    the conversation, and verdicts that cannot be told.
    """
    results: dict[tuple[str, int], Row] = {}
    left_out = Counter[str]()
    of_one_question: dict[str, None] = {}
    every_question: set[str] = set()
    for key in _OWN_LISTS.values():
        every_question.update(trait.name for trait in getattr(rubric, key))
    put: list[RuledCell] = []
    for cell in cells:
        if cell.subject.kind.name not in _OWN_LISTS:
            left_out[cell.subject.kind.name] += 1
            continue
        row = results.setdefault(cell.trace.key, _new_result(cell))
        _put_labels(row, cell)
        row["metadata"]["warnings"].append(_warning_on_ruling(cell))
        is_shared = cell.trait in every_question
        provenance = "global" if is_shared else "question_specific"
        row["rubric"]["trait_provenance"][cell.trait] = provenance
        if not is_shared:
            of_one_question[cell.trait] = None
        put.append(cell)
    document = {
        "format_version": "2.2",
        "metadata": {"karenina_version": "", "job_id": rubric.name or "appellate"},
        "shared_data": {"rubric_definition": _rubric_definition(rubric)},
        "results": list(results.values()),
    }
    notes = [*untold_notes(put), *_conversation_notes(put)]
    for kind, count in left_out.items():
        notes.append(
            f"left out: {many(count, 'verdict')} of {kind} traits, which it has not",
        )
    if of_one_question:
        listed = ", ".join(map(quoted, of_one_question))
        notes.append(
            f"{listed}: what is asked for stands in Karenina's checkpoint alone",
        )
    return Merged(document, len(results), notes)


_OWN_LISTS = {"llm": "llm_traits", "regex": "regex_traits", "metric": "metric_traits"}
"""The lists of Karenina's rubric for our kinds of traits."""


def _warning_on_ruling(cell: RuledCell) -> str:
    """Return a line on who ruled on a cell and when, for the warnings in a Karenina result.

    "tone: signed off by anna on …" if the person agreed with the judge, else "corrected" or "left
    out, cannot tell," with their reason behind it, or "no reason".
    """
    by_whom = f"by {cell.by} on {cell.at} (Appellate)"
    if _is_judges(cell):
        return f"{cell.trait}: signed off {by_whom}"
    reason = cell.why or "no reason"
    if cell.is_untold:
        return f"{cell.trait}: left out, cannot tell, {by_whom}: {reason}"
    return f"{cell.trait}: corrected {by_whom}: {reason}"


def _new_result(cell: RuledCell) -> Row:
    """Return a new Karenina result for a cell's trace, with a rubric that has no verdicts yet.

    It has the trace's question, response, reference, model and epoch, the judge's model or name,
    and the time of the sign-off. The question's id is the trace's own if it has no `question_id`.
    The response is "" if the trace has none.
    """
    trace = cell.trace
    judge = str(cell.judged.get("model") or cell.judged.get("name") or "")
    response = trace.response or ""
    return {
        "metadata": {
            "question_id": trace.question_id or trace.id,
            "template_id": "no_template",
            "failure": None,
            "caveats": [],
            "warnings": [],
            "question_text": trace.question or "",
            "raw_answer": trace.reference,
            "answering": _model_named(trace.model or ""),
            "parsing": _model_named(judge),
            "execution_time": 0.0,
            "timestamp": cell.at,
            "result_id": trace.id,
            "replicate": trace.epoch,
        },
        "template": {
            "raw_llm_response": response,
            "template_verification_performed": False,
        },
        "rubric": {"rubric_evaluation_performed": True, "trait_provenance": {}},
        "evaluation_input": response,
        "used_full_trace": True,
    }


def _model_named(name: str) -> Row:
    return {"interface": "manual", "model_name": name, "tools": [], "config_id": None}


def _rubric_definition(rubric: Rubric) -> Row:
    """Return a rubric's shared traits as Karenina's rubric defines them, a list for each kind.

    These are the traits that every question has; those of single questions are left out, and so are
    traits of kinds that Karenina lacks. Lists without traits are there as [].
    """
    definition: Row = {"callable_traits": [], "agentic_traits": []}
    for key in _OWN_LISTS.values():
        definition[key] = []
        for trait in getattr(rubric, key):
            keys = _KEYS_OF_KARENINA[key]
            definition[key].append({name: getattr(trait, name) for name in keys})
    return definition


_SHARED_KEYS = ("name", "description", "summary", "higher_is_better")
_KEYS_OF_KARENINA = {
    "llm_traits": (*_SHARED_KEYS, "kind", "min_score", "max_score", "classes"),
    "regex_traits": (*_SHARED_KEYS, "pattern", "case_sensitive", "invert_result"),
    "metric_traits": (
        *_SHARED_KEYS,
        "evaluation_mode",
        "metrics",
        "tp_instructions",
        "tn_instructions",
        "repeated_extraction",
    ),
}
"""The keys of traits in Karenina's rubrics, by the list: those of ours that it knows."""
