"""Data sets of autorubric: a rubric of weighted criteria, submissions, and what is true of them.

Each criterion is a trait: yes or no, or of its options. `ground_truth` is a person's verdict on
each, in the order of the criteria. An item may have criteria of its own, which are then those of
its question.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from appellate.core.kind import CANNOT_TELL, CANNOT_TELL_COUNT
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    PersonVerdict,
    Row,
    trait_name,
    without_empty,
)

BY = "ground truth"
"""Whose verdicts these are: the file names nobody."""
_LIST = "llm_traits"
_VERDICTS = {"MET": True, "UNMET": False, "CANNOT_ASSESS": CANNOT_TELL}
_MAPPING = {
    "response": "items[].submission",
    "question": "prompt",
    "reference": "reference_submission",
    "people": "ground_truth",
}


def is_dataset(document: object) -> bool:
    """Return whether a JSON document is a data set of autorubric.

    It is if it has a `rubric` and a list of `items` that is not empty, all with a `submission`.
    """
    if not isinstance(document, dict) or "rubric" not in document:
        return False
    items = document.get("items")
    if not isinstance(items, list) or not items:
        return False
    return all(isinstance(item, dict) and "submission" in item for item in items)


def read(document: Row) -> ForeignFile:
    """Return what a data set of autorubric holds; `is_dataset` must have accepted it.

    The criteria of the document's `rubric` become traits of all traces. An item with a
    `rubric` of its own makes a question, whose traits are the item's criteria and allow
    "cannot tell". Each item becomes a trace, with its number from 1 as id and its
    `ground_truth` as a person's verdicts. Raises KeyError for a criterion without
    `requirement` and an option without `label`, also in the rubric of an item.
    """
    shared = _criteria_in(document.get("rubric"))
    traits: dict[str, ForeignTrait] = {}
    for name, criterion in zip(_criterion_names(shared), shared, strict=True):
        traits[name] = ForeignTrait(name, key=_LIST, table=_trait_table(criterion))

    def traces() -> Iterator[ForeignTrace]:
        for number, item in enumerate(document["items"], 1):
            yield _trace_of_item(document, item, str(number), shared)

    questions: list[Row] = []
    for number, item in enumerate(document["items"], 1):
        criteria_of_item = _criteria_in(item.get("rubric"))
        if criteria_of_item:
            tables = []
            for name, criterion in zip(
                _criterion_names(criteria_of_item),
                criteria_of_item,
                strict=True,
            ):
                tables.append(
                    {"name": name, **_trait_table(criterion), CANNOT_TELL_COUNT: True},
                )
            questions.append({"id": str(number), _LIST: tables})
    lost = ["weights of criteria, values of options, guidelines"]
    return ForeignFile("autorubric data set", traces, _MAPPING, traits, lost, questions)


def _criteria_in(rubric: object) -> list[Row]:
    """Return the list of criteria in a `rubric` of autorubric: itself, or a table's `criteria`.

    [] for anything else, also for None. What its members are is not checked.
    """
    if isinstance(rubric, Mapping):
        rubric = rubric.get("criteria")
    if isinstance(rubric, list):
        return list(rubric)
    return []


def _criterion_names(criteria: Sequence[Row]) -> list[str]:
    """Return the trait name of each criterion of autorubric, in order.

    It is the criterion's `name`, else its `requirement`, on one line, without dots and cut.
    A name that an earlier criterion has becomes "criterion 3", by the criterion's number
    from 1. Two names are alike only if a criterion is itself called so. Raises KeyError for
    a criterion with neither `name` nor `requirement`.
    """
    names: list[str] = []
    for number, criterion in enumerate(criteria, 1):
        wording = criterion.get("name") or criterion["requirement"]
        name = trait_name(str(wording))
        if name in names:
            name = f"criterion {number}"
        names.append(name)
    return names


def _trait_table(criterion: Row) -> Row:
    """Return the table that an autorubric criterion's trait has in a rubric, without its name.

    Its `description` is the criterion's requirement. Without `options` its `kind` is "boolean".
    With options it is "literal", and `classes` has a sentence on each label, in the file's order.
    On an ordinal scale the classes are sorted by `value`, the highest (the best) last. Options
    marked `na` are no classes. Raises KeyError for a criterion without `requirement`, or an option
    without `label`.
    """
    table: Row = {"description": str(criterion["requirement"])}
    options = [
        option for option in criterion.get("options") or () if not option.get("na")
    ]
    if not options:
        return table | {"kind": "boolean"}
    if criterion.get("scale_type") == "ordinal":
        options.sort(key=_option_value)
    classes = {
        str(option["label"]): f"The answer is “{option['label']}”."
        for option in options
    }
    return table | {"kind": "literal", "classes": classes}


def _option_value(option: Row) -> float:
    """Return the `value` of an autorubric criterion's option as a number; 0.0 without one.

    Options are sorted by it, so that the best is the last class. Raises ValueError for a text that
    is no number.
    """
    return float(option.get("value") or 0)


def _trace_of_item(
    document: Row,
    item: Row,
    number: str,
    shared: Sequence[Row],
) -> ForeignTrace:
    """Return the trace of one item of autorubric, with the `ground_truth` as verdicts by `BY`.

    `number` becomes the id, the `submission` the response, and the item's description
    metadata. The question and the reference are the item's, else those of `document`. The
    verdicts are on the item's own criteria, or on `shared` if it has none; they are matched
    by order, as far as `ground_truth` has values. If the item has criteria of its own,
    `number` is the `question_id` as well. Empty values are left out, except the response.
    Raises KeyError for an item without `submission`.
    """
    criteria_of_item = _criteria_in(item.get("rubric"))
    record = without_empty(
        {
            "id": number,
            "question": item.get("prompt") or document.get("prompt"),
            "reference": item.get("reference_submission")
            or document.get("reference_submission"),
            "question_id": number if criteria_of_item else None,
            "metadata": without_empty({"description": item.get("description")}),
        },
    )
    record["response"] = _submitted_text(item["submission"])
    people = []
    criteria = criteria_of_item or shared
    for name, criterion, verdict in zip(
        _criterion_names(criteria),
        criteria,
        item.get("ground_truth") or (),
        strict=False,
    ):
        people.append(PersonVerdict(name, _as_verdict(criterion, verdict), BY))
    return ForeignTrace(record, (), people)


def _as_verdict(criterion: Row, verdict: Any) -> Any:
    """Return one value of `ground_truth` in autorubric as a verdict on its criterion.

    The label of an option stays as it is, unless the option is marked `na`: then it is
    `CANNOT_TELL`. Otherwise MET is True, UNMET False and CANNOT_ASSESS `CANNOT_TELL`, in this
    spelling only. Any other value is returned unchanged. Raises KeyError for an option without a
    label.
    """
    for option in criterion.get("options") or ():
        if option["label"] == verdict:
            if option.get("na"):
                return CANNOT_TELL
            return verdict
    if not isinstance(verdict, str):
        return verdict
    return _VERDICTS.get(verdict, verdict)


def _submitted_text(submission: object) -> str:
    """Return an autorubric item's `submission` as text; of a table its `output`.

    "" if it is missing or None. Any other value becomes text as Python writes it.
    """
    if isinstance(submission, Mapping):
        submission = submission.get("output")
    return "" if submission is None else str(submission)
