"""Defines a steps trait: which steps of an agent's run get a verdict, and which verdicts there are.

The first verdict is the good one, the second is what counts as *wrong*; others, as `needless`, are
neither. Errors and outcomes are lists of the trait's own.
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    field_validator,
    model_validator,
)

from appellate.core.kind import CANNOT_TELL
from appellate.core.problem import quoted
from appellate.core.trace import EARLIER_TURNS, QUESTION, REFERENCE, RESPONSE, Materials
from appellate.traits.digest import (
    HeadlineKey,
    LongestResultKey,
    RubricPart,
    check_headline,
)
from appellate.traits.verdict.scale import CannotTellKey

RIGHT = "right"
WRONG = "wrong"
"""The answers that the first and the second verdict give, whatever a trait calls them.

Numbers over traits compare these: the judge's precision and recall are of *wrong*.
"""
OPEN = "open"
"""The answer of an outcome that nobody has said."""
RESERVED = (RIGHT, WRONG, OPEN, CANNOT_TELL)
"""Answers that no other verdict and no outcome may be called."""
MOST = 9
"""The largest number of verdicts: each has a digit key."""
FEWEST = 2
MOST_NAMES = 40
"""The largest number of errors, and of outcomes: a person picks them from a list."""
Role = Literal["assistant", "calls", "thinks"]
"""Whose steps get a verdict: what the assistant says, its calls of tools, its thoughts."""


class Named(RubricPart):
    """A verdict, an error or an outcome: its name, and what it means."""

    name: Annotated[str, Field(min_length=1)]
    means: str = ""

    @field_validator("name")
    @classmethod
    def _in_one_line(cls, name: str) -> str:
        """Return the name; raise ValueError unless it is one line with single blanks between words.

        Blanks at its ends are refused, too.
        """
        if name != " ".join(name.split()):
            raise ValueError(
                "a name is one line, without blanks at its ends or two in a row",
            )
        return name


def _as_table(value: object) -> object:
    """Return {"name": name} for a mere name, which is a text; anything else as it is."""
    if isinstance(value, str):
        return {"name": value}
    return value


def _unique(names: Sequence[Named]) -> Sequence[Named]:
    """Return the names; raise ValueError if two are equal, whatever their case."""
    known: set[str] = set()
    for named in names:
        lower_name = named.name.lower()
        if lower_name in known:
            raise ValueError(f"{quoted(named.name)} is there twice")
        known.add(lower_name)
    return names


def _listed(least: int, most: int) -> Callable[[Sequence[Named]], Sequence[Named]]:
    """Return a check that raises ValueError for fewer than `least` names or more than `most`."""

    def check(names: Sequence[Named]) -> Sequence[Named]:
        """Return the names; raise ValueError for fewer than `least` or more than `most`."""
        if not least <= len(names) <= most:
            raise ValueError(f"{len(names)} are there; it takes {least} to {most}")
        return names

    return check


_Name = Annotated[Named, BeforeValidator(_as_table)]
_VERDICTS = (
    Named(name=RIGHT, means="a good step, or at least no mistake"),
    Named(name=WRONG, means="a mistake: it leads the run away from what was asked for"),
    Named(name="needless", means="no mistake, but the run does not need it"),
)
_OUTCOMES = (
    Named(name="solved", means="what was asked for was done"),
    Named(name="failed", means="it was not, or not all of it"),
)


class StepsRubricTrait(RubricPart):
    """A verdict for each step of an agent's run, an error for one that is not right, the outcome.

    Such a trait always reads the whole conversation.
    """

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    verdicts: Annotated[
        tuple[_Name, ...],
        AfterValidator(_unique),
        AfterValidator(_listed(FEWEST, MOST)),
    ] = _VERDICTS
    errors: Annotated[
        tuple[_Name, ...],
        AfterValidator(_unique),
        AfterValidator(_listed(0, MOST_NAMES)),
    ] = ()
    outcome: Annotated[
        tuple[_Name, ...],
        AfterValidator(_unique),
        AfterValidator(_listed(0, MOST_NAMES)),
    ] = _OUTCOMES
    roles: Annotated[tuple[Role, ...], Field(min_length=1)] = ("assistant", "calls")
    include_ground_truth: bool = False
    reads: Literal["conversation"] = "conversation"
    longest_result: LongestResultKey = None
    cannot_tell: CannotTellKey = False
    headline: HeadlineKey = None

    @model_validator(mode="after")
    def _has_names_of_one_meaning(self) -> Self:
        """Return the trait; raise ValueError for a name that would stand for two answers.

        Upper and lower case are the same. No outcome may be named as a verdict, or "right",
        "wrong", "open" or "cannot tell". No verdict may be either, but the first may be "right" and
        the second "wrong". Raises ValueError also for a headline that is none of the trait's
        numbers.
        """
        for name, meaning in zip_longest(self.verdict_names, (RIGHT, WRONG)):
            lower_name = name.lower()
            if lower_name in RESERVED and lower_name != meaning:
                raise ValueError(f"verdicts: {_misplaced(name)}")
        verdicts = {name.lower() for name in self.verdict_names}
        for name in self.outcome_names:
            lower_name = name.lower()
            if lower_name in RESERVED or lower_name in verdicts:
                raise ValueError(f"outcome: {_misplaced(name)}")
        check_headline(self.headline, self.measure_names)
        return self

    def to_file(self) -> dict[str, Any]:
        """Return the trait as a rubric file has it: only what differs from the defaults.

        Tuples are lists there, and a verdict is such as {"name": "good", "means": "a good step"}.
        """
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def verdict_names(self) -> list[str]:
        """The names of the verdicts, the good one first and the wrong one second."""
        return [named.name for named in self.verdicts]

    @property
    def good(self) -> str:
        """The name of the verdict of a step that is right."""
        return self.verdicts[0].name

    @property
    def wrong(self) -> str:
        """The name of the verdict of a step that is a mistake."""
        return self.verdicts[1].name

    @property
    def error_names(self) -> list[str]:
        return [named.name for named in self.errors]

    @property
    def outcome_names(self) -> list[str]:
        return [named.name for named in self.outcome]

    @property
    def sayable_verdicts(self) -> list[str]:
        """The verdicts that a step may have, `CANNOT_TELL` last if the trait allows it."""
        return [*self.verdict_names, *self._cannot_tell]

    @property
    def sayable_outcomes(self) -> list[str]:
        """The outcomes that a run may have, `CANNOT_TELL` last if the trait allows it.

        Empty if the trait does not ask how a run ended.
        """
        if not self.outcome:
            return []
        return [*self.outcome_names, *self._cannot_tell]

    @property
    def _cannot_tell(self) -> list[str]:
        """The answer that it cannot be told, in a list; empty if the trait does not allow it."""
        return [CANNOT_TELL] if self.cannot_tell else []

    @property
    def measure_names(self) -> list[str]:
        """The names of the numbers of its cells: "right" and "first_wrong".

        "outcome" follows if the trait asks how a run ended.
        """
        return ["right", "first_wrong", *(["outcome"] if self.outcome else [])]

    @property
    def material(self) -> Materials:
        """The parts of a trace in a request: question, response and earlier turns.

        The reference is among them if `include_ground_truth` is set.
        """
        names = {EARLIER_TURNS, QUESTION, RESPONSE}
        if self.include_ground_truth:
            names.add(REFERENCE)
        return frozenset(names)

    def answer(self, verdict: str) -> str:
        """Return "right" for the trait's good verdict, and "wrong" for its wrong one.

        These words are the same for all traits. Any other text is returned as it is.
        """
        if verdict == self.good:
            return RIGHT
        if verdict == self.wrong:
            return WRONG
        return verdict

    def asked(self) -> dict[str, Any]:
        """Return the settings that a request depends on, by name, to compare two versions by.

        That is all but the headline. `longest_result` and `cannot_tell` are left out if they are
        not set, other defaults are not. Versions with equal values are asked the same.
        """
        return self.model_dump(mode="json", exclude={"headline"})


def _misplaced(name: str) -> str:
    """Return why a name of a verdict or outcome is not allowed, as a clause without a full stop.

    `name` is known to have another meaning already: it is "cannot tell", a word in `RESERVED`, or
    both a verdict and an outcome.
    """
    if name.lower() == CANNOT_TELL:
        return f"{quoted(name)} is added by cannot_tell = true"
    return (
        f"{quoted(name)} would be two answers: the first verdict is called {quoted(RIGHT)} in"
        f" numbers, the second {quoted(WRONG)}, and an outcome that nobody said {quoted(OPEN)}"
    )
