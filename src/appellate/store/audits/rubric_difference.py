"""What a rubric had otherwise than another one: enough to make the one of the other again.

A rubric can have thousands of questions, so only those that differ are kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from appellate.core.kind import Table

_QUESTIONS = "questions"


class RubricDifference(NamedTuple):
    """How the table of a rubric differs from the table of another one."""

    before: dict[str, Any]
    """This rubric's values of the keys that differ; of `questions`, those that differ."""
    without: list[str]
    """The keys that only the other rubric has."""
    order: list[str]
    """The ids of all questions, if the other rubric has others or another order; else empty."""

    def __bool__(self) -> bool:
        return bool(self.before or self.without or self.order)


def difference(rubric: Table, new_rubric: Table) -> RubricDifference:
    """Return what turns `new_rubric` back into `rubric`; both are tables as in a rubric's file.

    It has `rubric`'s values of the keys that differ, the keys that only `new_rubric` has, and the
    questions that differ. The order of the questions is in it only if it differs. Questions that
    only `new_rubric` has are told by that order alone.
    """
    old_values: dict[str, Any] = {}
    for key, value in rubric.items():
        if key == _QUESTIONS:
            continue
        if new_rubric.get(key) != value:
            old_values[key] = value
    without = [key for key in new_rubric if key not in rubric]
    questions = _by_id(rubric)
    other_questions = _by_id(new_rubric)
    changed: list[Table] = []
    for question_id, question in questions.items():
        if other_questions.get(question_id) != question:
            changed.append(question)
    if changed:
        old_values[_QUESTIONS] = changed
    order: list[str] = []
    if list(questions) != list(other_questions):
        order = list(questions)
    return RubricDifference(old_values, without, order)


def made_again(
    newer_rubric: Table,
    old_values: Table,
    without: Sequence[str],
    order: Sequence[str],
) -> dict[str, Any]:
    """Return the older rubric's table, made of `newer_rubric` and the parts of a RubricDifference.

    No argument is changed. Without an `order` the questions stay in that of `newer_rubric`. Raises
    KeyError if a question of `order` is in neither table.
    """
    table = {**newer_rubric, **old_values}
    for key in without:
        table.pop(key, None)
    if _QUESTIONS not in table:
        return table
    questions = {**_by_id(newer_rubric), **_by_id(old_values)}
    table[_QUESTIONS] = [questions[question_id] for question_id in order or questions]
    return table


def _by_id(rubric: Table) -> Mapping[str, Table]:
    """Return the questions of a rubric's table by their ids, in order."""
    return {str(question["id"]): question for question in rubric.get(_QUESTIONS, ())}
