"""What a rubric had otherwise than another one: enough to make the one of the other again.

A rubric can have thousands of questions, so only those that differ are kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from appellate.core.kind import Table

_QUESTIONS = "questions"


class RubricDifference(NamedTuple):
    """What the table of a rubric has otherwise than the table of another.

    `before` are the keys with other values; of `questions`, those that are others. `without` are
    keys that only the other one has. `order` are the ids of all questions where the other one has
    other questions or another order of them, else empty.
    """

    before: dict[str, Any]
    without: list[str]
    order: list[str]

    def __bool__(self) -> bool:
        return bool(self.before or self.without or self.order)


def difference(rubric: Table, other: Table) -> RubricDifference:
    """Return what `rubric` has otherwise than `other`, both as `Rubric.to_file` gives them.

    It has `rubric`'s values of the keys that differ, the keys that only `other` has, and the
    questions that differ. The order of the questions is in it only if it differs. Questions that
    only `other` has are told by that order alone.
    """
    keys = [key for key in rubric if key != _QUESTIONS and other.get(key) != rubric[key]]
    before = {key: rubric[key] for key in keys}
    without = [key for key in other if key not in rubric]
    questions = _by_id(rubric)
    other_questions = _by_id(other)
    changed = []
    for question_id, question in questions.items():
        if other_questions.get(question_id) != question:
            changed.append(question)
    if changed:
        before[_QUESTIONS] = changed
    order: list[str] = []
    if list(questions) != list(other_questions):
        order = list(questions)
    return RubricDifference(before, without, order)


def made_again(
    other: Table, before: Table, without: Sequence[str], order: Sequence[str]
) -> dict[str, Any]:
    """Return the table of the rubric whose difference from `other` this is.

    Raises KeyError if a question of `order` is in neither.
    """
    table = {key: value for key, value in {**other, **before}.items() if key not in without}
    if _QUESTIONS not in table:
        return table
    questions = {**_by_id(other), **_by_id(before)}
    table[_QUESTIONS] = [questions[question_id] for question_id in order or questions]
    return table


def _by_id(rubric: Table) -> Mapping[str, Table]:
    """Return the questions of a rubric's table by their ids, in order."""
    return {str(question["id"]): question for question in rubric.get(_QUESTIONS, ())}
