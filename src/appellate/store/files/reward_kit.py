"""Rubrics of Harbor's Reward Kit: `[judge]` and `[[criterion]]` in TOML, as a rubric of ours.

Read from the tool's source, 0.2.3. What a judge answers to a criterion is the trait's verdict, so
that the tool's results (`interop.reward_details`) fit:

| `type` | the judge's answer | the trait |
| --- | --- | --- |
| `binary` | yes or no | yes or no |
| `likert` | a whole number from 1 to `points` | a score |
| `numeric` | a number from `min` to `max` | a score, or a recorded number |
| `rubric` | the number, from 0, of one of the `levels` | a class of those, from worse to better |
"""

from typing import Any, Literal, Self

from pydantic import BaseModel, Field, ValidationError, model_validator

from appellate.core.kind import Table
from appellate.core.problem import Unusable, many
from appellate.store.files.wording import problems

_LONGEST_NAME = 60
_NO_PLACE = ("judge", "scoring")
_FEWEST_LEVELS = 2
_MOST_LEVELS = 10


class _Criterion(BaseModel):
    """A `[[criterion]]`, with the tool's own defaults and rules."""

    description: str
    type: Literal["binary", "likert", "numeric", "rubric"] = "binary"
    name: str | None = None
    points: int = Field(default=5, ge=2)
    levels: list[str] = Field(default_factory=list)
    min: float = Field(default=0.0, allow_inf_nan=False)
    max: float = Field(default=1.0, allow_inf_nan=False)
    weight: float = 1.0
    negate: bool | None = None
    annotations: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_scale(self) -> Self:
        """Return the criterion itself; raise ValueError if Reward Kit would refuse its scale.

        A rubric needs as many levels as Reward Kit takes, and none that is blank; a number needs a
        `min` below its `max`. Other types always pass.
        """
        if self.type == "rubric":
            level_count = len(self.levels)
            if not _FEWEST_LEVELS <= level_count <= _MOST_LEVELS:
                legal = f"{_FEWEST_LEVELS} to {_MOST_LEVELS} that Reward Kit takes"
                there_are = "there is" if level_count == 1 else "there are"
                levels = many(level_count, "level")
                raise ValueError(f"{there_are} {levels}, of {legal}")
            if not all(level.strip() for level in self.levels):
                raise ValueError("a level is empty: each is a description")
        if self.type == "numeric" and self.max <= self.min:
            raise ValueError(f"min ({self.min:g}) must be less than max ({self.max:g})")
        return self

    @property
    def is_negative(self) -> bool:
        """Whether a high answer is bad.

        `negate` decides where it is given; else the criterion is negative if the text "negative" is
        in its annotation `type`, in upper or lower case.
        """
        if self.negate is not None:
            return self.negate
        return "negative" in str(self.annotations.get("type", "")).lower()


class _File(BaseModel):
    criterion: list[_Criterion]


def is_reward_kit(table: Table) -> bool:
    """Return whether a parsed TOML file is a rubric of Reward Kit.

    It is if it has a list `criterion` of tables, at least one, each with a `description`.
    """
    criteria = table.get("criterion")
    if not isinstance(criteria, list) or not criteria:
        return False
    return all(
        isinstance(criterion, dict) and "description" in criterion
        for criterion in criteria
    )


def converted(table: Table, name: str, file: str) -> tuple[dict[str, Any], list[str]]:
    """Return a rubric's table, called `name`, with a trait for each criterion, and notes.

    Notes are texts without the file's name: one on what is left out (who judges, weights, files,
    how scores are put together), and one for each trait about which no judge can be asked here.
    `file` is the file's name in problems. Raises Unusable with every problem if Reward Kit would
    refuse the criteria.
    """
    try:
        criteria = _File.model_validate(table).criterion
    except ValidationError as error:
        raise Unusable(problems(error, table, file, {})) from error
    rubric: dict[str, Any] = {"name": name}
    names: set[str] = set()
    recorded_names: list[str] = []
    weighted = 0
    for number, criterion in enumerate(criteria, 1):
        trait_name = _name(criterion.name or criterion.description)
        if trait_name in names:
            trait_name = f"criterion {number}"
        names.add(trait_name)
        trait: dict[str, Any] = {
            "name": trait_name,
            "description": criterion.description,
        }
        if criterion.is_negative:
            trait["higher_is_better"] = False
        list_name, scale = _list_and_scale(criterion)
        rubric.setdefault(list_name, []).append(trait | scale)
        if list_name == "scorer_traits":
            recorded_names.append(trait_name)
        if criterion.weight != 1:
            weighted += 1
    notes: list[str] = []
    left_out = [f"[{key}]" for key in _NO_PLACE if key in table]
    if weighted:
        criteria_text = many(weighted, "criterion", "criteria")
        left_out.append(f"the weights of {criteria_text}")
    if left_out:
        left_out_text = ", ".join(left_out)
        notes.append(f"a rubric of Reward Kit; left out: {left_out_text}")
    for recorded_name in recorded_names:
        notes.append(
            f"{recorded_name} is a number with decimals: its verdicts come from results, and no"
            " judge is asked for it here",
        )
    return rubric, notes


def _name(text: str) -> str:
    """Return a name that a trait may have: one line without dots."""
    return _shortened(text.replace(".", " "))


def _shortened(text: str) -> str:
    """Return a text as one line of at most `_LONGEST_NAME` letters.

    White space becomes single blanks. A longer line is cut and ends in "…".
    """
    line = " ".join(text.split())
    if len(line) > _LONGEST_NAME:
        line = f"{line[: _LONGEST_NAME - 1].rstrip()}…"
    return line


def _list_and_scale(criterion: _Criterion) -> tuple[str, dict[str, Any]]:
    """Return the list of a rubric in which a criterion belongs, and the keys that say its scale.

    The list is "llm_traits", with a kind of boolean, score or literal, or "scorer_traits" for a
    recorded number. A numeric scale is a score if both ends are whole numbers more than 1 apart,
    and otherwise a recorded number, since a score has no decimals.
    """
    match criterion.type:
        case "binary":
            return "llm_traits", {"kind": "boolean"}
        case "likert":
            return "llm_traits", {
                "kind": "score",
                "min_score": 1,
                "max_score": criterion.points,
            }
        case "rubric":
            order = {"kind": "literal", "order": "worse to better"}
            return "llm_traits", {
                **order,
                "classes": _descriptions_by_class(criterion.levels),
            }
        case "numeric":
            low = criterion.min
            high = criterion.max
            has_whole_ends = low.is_integer() and high.is_integer()
            if has_whole_ends and high - low > 1:
                return "llm_traits", {
                    "kind": "score",
                    "min_score": int(low),
                    "max_score": int(high),
                }
            return "scorer_traits", {
                "scorer": "recorded",
                "min_score": low,
                "max_score": high,
            }


def _descriptions_by_class(levels: list[str]) -> dict[str, str]:
    """Return the descriptions of classes by their names, in the order of the levels.

    A level is the description, and its name is one line of it, cut if it is long. If any two names
    differ only in case or not at all, all names get their level's number, from 0, as in "0: Poor".
    """
    names = [_shortened(level) for level in levels]
    different_names = {name.lower() for name in names}
    if len(different_names) < len(names):
        names = [f"{number}: {name}" for number, name in enumerate(names)]
    return dict(zip(names, levels, strict=True))
