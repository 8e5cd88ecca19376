"""What the verdict of a trait may be, and its words: yes or no, a score, a class."""

import re
from collections.abc import Mapping, Sequence
from operator import not_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from appellate.core.kind import CANNOT_TELL, CannotTell
from appellate.core.problem import Refused, quoted, wording
from appellate.traits.digest import RubricPart

Value = bool | int | float | CannotTell
"""A verdict: yes or no, a score, the index of a class, or that it cannot be told."""
Sort = Literal["boolean", "score", "literal"]
FEWEST = 2
MOST = 20
"""So many classes there may be."""
DIGITS = 9
"""The last digit: so many values get one each."""
CANNOT_TELL_KEY = "x"
"""The key of the verdict that it cannot be told."""
LONGEST = 21
"""Scores that each get a row; of a longer scale only some do."""
_ANCHOR = re.compile(
    r"(?<![\w.,:/–—-])(-?\d{1,6})"
    r"(?:\s*\(([^()]+)\)|\s*[=:]\s*(?!\d)|\s+[–—-]\s+(?!\d))"
)
_JOINTS = re.compile(r"(?:[\s,;.→]|\b(?:to|and|or|through)$)+$")
HigherIsBetter = Annotated[bool, BeforeValidator(lambda given: True if given is None else given)]
"""Whether the upper end is good; null is the default, as Karenina has it."""
CannotTellKey = Annotated[bool, Field(exclude_if=not_)]
"""Whether a verdict may be that it cannot be told; a trait without it has Karenina's keys alone."""
Meaning = tuple[Sort, tuple[float, float], bool]
"""What verdicts mean: their sort and bounds, and whether they are inverted."""


class Scale:
    """The verdicts of a trait, for its model to inherit; it adds no keys to a rubric.

    `values` are all verdicts as numbers: 0 and 1 for no and yes, each score, the index of each
    class; empty where there is no end of them.
    """

    word = "verdict"
    """What is given, in sentences."""

    if TYPE_CHECKING:  # what a trait has, as a key or a property: annotations would make keys
        name: str
        description: str | None

        @property
        def kind(self) -> Sort: ...

        @property
        def higher_is_better(self) -> bool: ...

        @property
        def classes(self) -> dict[str, str] | None: ...

    @property
    def low(self) -> float:
        """The least value; 0 for no."""
        return 0

    @property
    def high(self) -> float:
        """The greatest value; 1 for yes."""
        return 1 if self.kind == "boolean" else len(self.class_names) - 1

    @property
    def values(self) -> range:
        return range(int(self.low), int(self.high) + 1)

    @property
    def takes_cannot_tell(self) -> bool:
        """Whether a verdict may be that it cannot be told, as a trait says by `cannot_tell`."""
        return bool(getattr(self, "cannot_tell", False))

    def is_value(self, value: object) -> bool:
        """Whether something is a verdict of this trait."""
        if value == CANNOT_TELL:
            return self.takes_cannot_tell
        if self.kind == "boolean" or isinstance(value, bool):
            return self.kind == "boolean" and isinstance(value, bool)
        return isinstance(value, int) and value in self.values

    def span(self) -> str:
        """The bounds of a score in words."""
        return ""

    @property
    def question(self) -> str:
        """What is asked of a response, in words."""
        return self.description or self.name

    @property
    def class_names(self) -> list[str]:
        """The classes in order; none where the trait is not literal."""
        if self.kind != "literal" or self.classes is None:
            return []
        return list(self.classes)

    def get_class_index(self, name: str) -> int:
        """The index of a class; −1 where there is none of that name."""
        return self.class_names.index(name) if name in self.class_names else -1

    @property
    def choices(self) -> Sequence[Value]:
        """All verdicts that there may be; none where there is no end of them."""
        told: Sequence[Value] = (True, False) if self.kind == "boolean" else self.values
        if self.takes_cannot_tell:
            return (*told, CANNOT_TELL)
        return told

    @property
    def is_inverted(self) -> bool:
        """Whether yes stands for the source's no."""
        return False

    @property
    def sayable(self) -> Mapping[str, Value]:
        """The verdicts by what stands for each in answers: its number, 1 and 0 for yes and no;
        to cannot tell stands for itself.
        """
        found: dict[str, Value] = {}
        for value in self.choices:
            if value == CANNOT_TELL:
                found[CANNOT_TELL] = value
            else:
                found[str(int(value))] = value
        return found

    def describe(self, value: Value | None) -> str:
        """A verdict in words: yes or no, the score, the class; "" where there is none."""
        if value is None:
            return ""
        if value == CANNOT_TELL:
            return CANNOT_TELL
        if self.kind == "boolean":
            return "yes" if value else "no"
        if self.kind == "literal" and value in range(len(self.class_names)):
            return self.class_names[int(value)]
        return f"{value:.12g}"

    def table(self, value: Value | None) -> dict[str, Any]:
        """A verdict as files have it."""
        if value is None:
            return {}
        if self.kind == "literal" and value != CANNOT_TELL:
            return {"value": value, "class": self.describe(value)}
        return {"value": value}

    def in_words(self, value: Value | None) -> str:
        """The same as people say it, where `describe` is for files and columns."""
        return self.describe(value)

    def briefly(self, value: Value | None) -> str:
        """The same in as few words as there are, where several stand in a row."""
        return self.in_words(value)

    def wanted(self) -> str:
        """What a verdict of this trait is, for a sentence."""
        if self.kind == "boolean":
            return self.with_cannot_tell("true or false")
        return self.with_cannot_tell(f"the index of a class, 0 to {self.high}")

    def with_cannot_tell(self, wanted: str, spelled: str = "") -> str:
        """What a verdict is, for a sentence, and that it may be that it cannot be told, `spelled`
        as the reader of the sentence would write it.
        """
        if self.takes_cannot_tell:
            return f"{wanted}, or {spelled or quoted(CANNOT_TELL)}"
        return wanted

    def form(self) -> str:
        """What sort of verdict the trait wants, in a word or two."""
        if self.kind == "boolean":
            return "yes or no"
        if self.kind == "literal":
            return f"{len(self.class_names)} classes"
        return f"score {self.span()}".strip()

    def anchors(self) -> dict[int, str]:
        """What the description says that scores mean: {1: "very verbose", 5: "concise"}.

        Read where at least two are written as `1 (…)`, `1 = …`, `1: …` or `1 – …`, up to the next
        or to a full stop; else empty.
        """
        if self.kind != "score":
            return {}
        found: dict[int, str] = {}
        for line in (self.description or "").splitlines():
            matches = list(_ANCHOR.finditer(line))
            for place, match in enumerate(matches, 1):
                end = matches[place].start() if place < len(matches) else len(line)
                meaning = match[2] or line[match.end() : end].partition(". ")[0]
                meaning = _JOINTS.sub("", meaning).strip()
                if self.is_value(int(match[1])) and meaning:
                    found.setdefault(int(match[1]), meaning)
        if len(found) < 2:  # noqa: PLR2004 - as above
            return {}
        return found

    def meaning(self) -> Meaning:
        """What the verdicts of a trait mean, to hold a later version of it against."""
        bounds = (0.0, 0.0)
        if self.kind == "score":
            bounds = (self.low, self.high)
        return self.kind, bounds, self.is_inverted

    # -- in the words of the screen ---------------------------------------------------------------

    def offered(self, *also: Value | None) -> list[Value]:
        """The verdicts that get a row; of a long scale its ends and what is explained."""
        if self.kind != "score" or len(self.choices) <= LONGEST:
            return list(self.choices)
        shown: set[int | float] = {self.low, self.high, *self.anchors()}
        for value in also:
            if value is not None and value != CANNOT_TELL:
                shown.add(value)
        if self.takes_cannot_tell:
            return [*sorted(shown), CANNOT_TELL]
        return [*sorted(shown)]

    def question_text(self) -> str:
        """What is asked, without the lines that have a row of their own."""
        anchors = self.anchors().values()
        kept = []
        for line in self.question.strip().splitlines():
            bare = line.rstrip(" ,;.")
            if not any(bare.endswith(f"= {meaning}") for meaning in anchors):
                kept.append(line)
        return "\n".join(kept)

    def meaning_of(self, value: Value) -> str:
        """A verdict in words, of a class with what it is; of a score what the trait says of it."""
        if value == CANNOT_TELL:
            return "cannot tell from what is shown"
        if self.kind == "score":
            return self.anchors().get(int(value), "")
        text = self.describe(value)
        if self.kind == "literal" and self.classes:
            return f"{text}: {self.classes.get(text, '')}".rstrip(": ")
        return text

    def scale_text(self) -> str:
        """What sort of verdict it is, and which end of it is good."""
        sort = {"boolean": "Yes or no", "literal": "Classes"}
        text = sort.get(self.kind) or f"Score {self.span()}".strip()
        return f"{text} · {self.better()}"

    def better(self) -> str:
        """Which end of the scale is good."""
        ends = {"boolean": ("no", "yes"), "score": ("lower", "higher")}
        worse, best = ends.get(self.kind, ("earlier", "later"))
        return f"{best if self.higher_is_better else worse} is better"

    # -- by keys ----------------------------------------------------------------------------------

    @property
    def has_digits(self) -> bool:
        """Whether every verdict has a key of its own."""
        if self.kind == "literal":
            return len(self.class_names) <= DIGITS
        return self.low >= 0 and self.high <= DIGITS

    def key_of(self, value: Value) -> str:
        """What a person presses, or types in a list, for a value."""
        if value == CANNOT_TELL:
            return CANNOT_TELL_KEY
        if self.kind == "boolean":
            return "1" if value else "2"
        if self.kind == "literal":
            return str(int(value) + 1)
        return self.describe(value)

    def keys_text(self) -> str:
        """The keys that give a verdict, as `with_keys` reads them."""
        if self.kind == "boolean":
            text = "{verdict.1:1} (yes) or {verdict.2:2} (no)"
        elif not self.has_digits:
            text = "{verdict.pick:i}"
        else:
            first = self.key_of(self.values[0])
            last = self.key_of(self.values[-1])
            text = f"{{verdict.{first}:{first}}} to {{verdict.{last}:{last}}}"
        if self.takes_cannot_tell:
            text += ", or {verdict.cannot_tell:x} where it cannot be told"
        return text

    def of_digit(self, number: int) -> Value | None:
        """Yes or no, the score of a digit, or the class of that number, from one; None where each
        is picked or typed. Raises Refused for a digit that gives nothing.
        """
        if self.kind == "boolean":
            if number in (1, 2):
                return number == 1
            raise Refused(f"The {self.word} here is yes ({{verdict.1:1}}) or no ({{verdict.2:2}}).")
        if self.kind == "literal" and not number:
            raise Refused("Classes are counted from 1 here.")
        if not self.has_digits:
            return None
        return number - 1 if self.kind == "literal" else number

    def has_contrary(self, value: Value) -> bool:
        """Whether it is yes or no."""
        return isinstance(value, bool)

    def contrary(self, value: Value | None) -> Value:
        """The other verdict of yes and no; raises Refused where there is none."""
        if isinstance(value, bool):
            return not value
        if value == CANNOT_TELL:
            raise Refused(f"What cannot be told has no contrary: {self.keys_text()}.")
        if self.kind == "boolean":
            raise Refused(
                "There is no verdict yet to turn: {verdict.1:1} is yes, {verdict.2:2} is no."
            )
        raise Refused(f"This verdict has no contrary: {self.keys_text()} gives another.")

    def fault(self, typed: str) -> str:
        """Return why what a person typed is no score, "" where it is one or nothing is typed."""
        if not typed.strip():
            return ""
        try:
            value = self.read(typed)
        except Refused as refusal:
            return wording(refusal)
        return "" if self.is_value(value) else f"A score is {self.wanted()}."

    def read(self, text: str) -> Value:
        """The score that a person typed; raises Refused with what would be right."""
        if self.takes_cannot_tell and text.strip().casefold() == CANNOT_TELL:
            return CANNOT_TELL
        try:
            value = float(text.strip().replace(",", "."))
        except ValueError:
            raise Refused(f"A score is {self.wanted()}.") from None
        return int(value) if value.is_integer() else value


class VerdictTrait(Scale, RubricPart):
    """A trait with one verdict, as rubrics have it."""

    DESCRIBED: ClassVar[bool] = False
    """Whether each class needs a description."""

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    summary: str | None = None

    @field_validator("classes", check_fields=False)
    @classmethod
    def _distinct(cls, classes: dict[str, str] | None) -> dict[str, str] | None:
        faults = []
        bare = []
        if classes is not None and not FEWEST <= len(classes) <= MOST:
            legal = f"{FEWEST} to {MOST} that there may be"
            faults.append(f"there are {len(classes)} classes, of {legal}")
        seen: dict[str, str] = {}
        for name, description in (classes or {}).items():
            alike = seen.setdefault(name.lower(), name)
            if not name.strip():
                faults.append("a class needs a name")
            elif alike != name:
                both = f"{quoted(alike)} and {quoted(name)}"
                faults.append(f"the classes {both} differ in case alone")
            if cls.DESCRIBED and name.strip() and not description.strip():
                bare.append(f"the class {quoted(name)} needs a description: what is one")
        if faults or bare:
            raise ValueError("; ".join([*faults, *bare]))
        return classes

    @model_validator(mode="after")
    def _has_classes(self) -> Self:
        if self.kind == "literal" and self.classes is None:
            needed = "needs classes: a table of names and descriptions"
            raise ValueError(f'a trait of kind "literal" {needed}')
        return self


def same(one: Value | None, other: Value | None) -> bool:
    """Whether two verdicts are one; true is not 1."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)
