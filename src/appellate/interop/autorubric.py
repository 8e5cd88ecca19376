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
    """Return whether a document is a data set of autorubric, by its keys and its items."""
    if not isinstance(document, dict) or "rubric" not in document:
        return False
    items = document.get("items")
    if not isinstance(items, list) or not items:
        return False
    return all(isinstance(item, dict) and "submission" in item for item in items)


def read(document: Row) -> ForeignFile:
    """Return what a data set of autorubric holds, which `is_dataset` must have said it is.

    Its shared criteria are traits, those of an item traits of its question. Raises KeyError for a
    criterion without a requirement.
    """
    shared = _criteria(document.get("rubric"))
    traits: dict[str, ForeignTrait] = {}
    for name, criterion in zip(_names(shared), shared, strict=True):
        traits[name] = ForeignTrait(name, key=_LIST, table=_trait(criterion))

    def traces() -> Iterator[ForeignTrace]:
        for number, item in enumerate(document["items"], 1):
            yield _trace(document, item, str(number), shared)

    questions: list[Row] = []
    for number, item in enumerate(document["items"], 1):
        criteria_of_item = _criteria(item.get("rubric"))
        if criteria_of_item:
            tables = []
            for name, criterion in zip(
                _names(criteria_of_item), criteria_of_item, strict=True
            ):
                tables.append(
                    {"name": name, **_trait(criterion), CANNOT_TELL_COUNT: True}
                )
            questions.append({"id": str(number), _LIST: tables})
    lost = ["weights of criteria, values of options, guidelines"]
    return ForeignFile("autorubric data set", traces, _MAPPING, traits, lost, questions)


def _criteria(rubric: object) -> list[Row]:
    """Return the criteria of a rubric, which may have guidelines beside them; [] for none."""
    if isinstance(rubric, Mapping):
        rubric = rubric.get("criteria")
    return list(rubric) if isinstance(rubric, list) else []


def _names(criteria: Sequence[Row]) -> list[str]:
    """Return the names of criteria, no two alike: its own, or its requirement.

    One that an earlier criterion has becomes "criterion 3", by its number.
    """
    names: list[str] = []
    for number, criterion in enumerate(criteria, 1):
        name = trait_name(str(criterion.get("name") or criterion["requirement"]))
        names.append(name if name not in names else f"criterion {number}")
    return names


def _trait(criterion: Row) -> Row:
    """Return the table of the trait for a criterion, but for its name.

    It is yes or no without options, else of classes: those of an ordinal scale are sorted by their
    value, the best last. Options that mean "not applicable" are no classes.
    """
    table: Row = {"description": str(criterion["requirement"])}
    options = [
        option for option in criterion.get("options") or () if not option.get("na")
    ]
    if not options:
        return table | {"kind": "boolean"}
    if criterion.get("scale_type") == "ordinal":
        options.sort(key=_worth)
    classes = {
        str(option["label"]): f"The answer is “{option['label']}”."
        for option in options
    }
    return table | {"kind": "literal", "classes": classes}


def _worth(option: Row) -> float:
    """Return what an option counts: the last of the classes is the best."""
    return float(option.get("value") or 0)


def _trace(
    document: Row, item: Row, number: str, shared: Sequence[Row]
) -> ForeignTrace:
    """Return the trace of an item of autorubric, with people's verdicts on its criteria.

    An item without a rubric of its own has the criteria `shared`. Only as many criteria get a
    verdict as `ground_truth` has values. `number` is the id.
    """
    criteria_of_item = _criteria(item.get("rubric"))
    record = without_empty(
        {
            "id": number,
            "question": item.get("prompt") or document.get("prompt"),
            "reference": item.get("reference_submission")
            or document.get("reference_submission"),
            "question_id": number if criteria_of_item else None,
            "metadata": without_empty({"description": item.get("description")}),
        }
    )
    record["response"] = _text(item["submission"])
    people = []
    criteria = criteria_of_item or shared
    for name, criterion, verdict in zip(
        _names(criteria), criteria, item.get("ground_truth") or (), strict=False
    ):
        people.append(PersonVerdict(name, _value(criterion, verdict), BY))
    return ForeignTrace(record, (), people)


def _value(criterion: Row, verdict: Any) -> Any:
    """Return a verdict as its trait has it: yes or no, a class, or that it cannot be told.

    An option that means "not applicable" is that it cannot be told. A word that is not known stays
    as it is.
    """
    for option in criterion.get("options") or ():
        if option["label"] == verdict:
            return CANNOT_TELL if option.get("na") else verdict
    return _VERDICTS.get(verdict, verdict)


def _text(submission: object) -> str:
    """Return what was submitted as text; of a table its `output`, "" if it has none.

    Any other value becomes text as Python writes it.
    """
    if isinstance(submission, Mapping):
        submission = submission.get("output", "")
    return str(submission)
