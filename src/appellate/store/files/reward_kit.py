"""Rubrics of Harbor's Reward Kit: `[judge]` and `[[criterion]]` in TOML, as a rubric of ours."""

from typing import Any

from appellate.core.kind import Table
from appellate.core.problem import many

_LIKERT_POINTS = 5
"""The points of a Likert scale that names none."""
_LONGEST_NAME = 60
_NO_PLACE = ("judge", "scoring")


def is_reward_kit(table: Table) -> bool:
    """Return whether a parsed TOML file is a rubric of Reward Kit."""
    criteria = table.get("criterion")
    if not isinstance(criteria, list) or not criteria:
        return False
    return all(isinstance(criterion, dict) and "description" in criterion for criterion in criteria)


def converted(table: Table, name: str) -> tuple[dict[str, Any], list[str]]:
    """Return a rubric table called `name` with a trait for each criterion, and notes.

    A binary criterion is yes or no, a Likert scale or a numeric one a score. The notes say what has
    no place: who judges, weights, files, and how scores are put together.
    """
    traits: list[dict[str, Any]] = []
    names: set[str] = set()
    weighted = 0
    for number, criterion in enumerate(table["criterion"], 1):
        description = str(criterion["description"])
        trait_name = _name(str(criterion.get("name") or description))
        if trait_name in names:
            trait_name = f"criterion {number}"
        names.add(trait_name)
        traits.append({"name": trait_name, "description": description, **_scale(criterion)})
        weighted += criterion.get("weight", 1) != 1
    notes = []
    left_out = [f"[{key}]" for key in _NO_PLACE if key in table]
    if weighted:
        left_out.append(f"the weights of {many(weighted, 'criterion', 'criteria')}")
    if left_out:
        notes.append(f"a rubric of Reward Kit; left out: {', '.join(left_out)}")
    return {"name": name, "llm_traits": traits}, notes


def _name(text: str) -> str:
    """Return a name that a trait may have: one line without dots."""
    name = " ".join(text.replace(".", " ").split())
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 1].rstrip()}…"
    return name


def _scale(criterion: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of a trait that say how a criterion is answered.

    A Likert scale is a score from 1, and has `_LIKERT_POINTS` unless it says how many. A numeric
    one is a whole score, from 0 to 1 unless it says otherwise. Any other type is yes or no.
    """
    match criterion.get("type", "binary"):
        case "likert":
            points = int(criterion.get("points", _LIKERT_POINTS))
            return {"kind": "score", "min_score": 1, "max_score": points}
        case "numeric":
            low = int(criterion.get("min", 0))
            high = int(criterion.get("max", 1))
            return {"kind": "score", "min_score": low, "max_score": high}
        case _:
            return {"kind": "boolean"}
