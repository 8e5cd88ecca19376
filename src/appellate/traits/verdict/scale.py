"""What the verdict of a trait may be, and its words: yes or no, a score, a class."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

Value = bool | int | float
"""A verdict: yes or no, a score, or the index of a class."""
Sort = Literal["boolean", "score", "literal"]
DIGITS = 9
"""The last digit: so many values get one each."""


class Scale:
    """The verdicts of a trait, for its model to inherit; it adds no keys to a rubric.

    `values` are all verdicts as numbers: 0 and 1 for no and yes, each score, the index of each
    class; empty where there is no end of them.
    """

    if TYPE_CHECKING:  # what a trait has; pydantic would make keys of annotations

        @property
        def name(self) -> str: ...

        @property
        def description(self) -> str | None: ...

        @property
        def kind(self) -> Sort: ...

        @property
        def low(self) -> float: ...

        @property
        def high(self) -> float: ...

        @property
        def higher_is_better(self) -> bool: ...

        @property
        def classes(self) -> dict[str, str] | None: ...

        @property
        def values(self) -> range: ...

        def is_value(self, value: object) -> bool: ...

        def span(self) -> str: ...

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
    def counted(self) -> range:
        """The values that may be said by their number alone."""
        return self.values

    @property
    def is_inverted(self) -> bool:
        """Whether yes is said where the source says no."""
        return False

    @property
    def sayable(self) -> Mapping[str, Value]:
        """The verdicts by what stands for each in answers: its number, 1 and 0 for yes and no."""
        if self.kind == "boolean":
            return {"1": True, "0": False}
        return {str(value): value for value in self.counted}

    def describe(self, value: Value | None) -> str:
        """A verdict in words: yes or no, the score, the name of the class; nothing where there is
        none.
        """
        if value is None:
            return ""
        if self.kind == "boolean":
            return "yes" if value else "no"
        if self.kind == "literal" and value in range(len(self.class_names)):
            return self.class_names[int(value)]
        return f"{value:.12g}"

    def wanted(self) -> str:
        """What a verdict of this trait is, for a sentence."""
        if self.kind == "boolean":
            return "true or false"
        return f"the index of a class, 0 to {self.high}"

    def form(self) -> str:
        """What sort of verdict the trait wants, in a word or two."""
        if self.kind == "boolean":
            return "yes or no"
        if self.kind == "literal":
            return f"{len(self.class_names)} classes"
        return f"score {self.span()}".strip()

    def anchors(self) -> dict[int, str]:
        """What single scores mean, where the trait says so."""
        return {}


Meaning = tuple[Sort, tuple[float, float], bool]
"""What verdicts mean: their sort and bounds, and whether they are inverted."""


def meaning(trait: Scale) -> Meaning:
    """What the verdicts of a trait mean, to hold a later version of it against."""
    bounds = (0.0, 0.0)
    if trait.kind == "score":
        bounds = (trait.low, trait.high)
    return trait.kind, bounds, trait.is_inverted


# -- in the words of the screen --------------------------------------------------------------------


LONGEST = 21
"""Scores that each get a row; of a longer scale only some do."""


def offered(trait: Scale, *also: Value | None) -> list[Value]:
    """What gets a row: all that may be said; of a long scale its ends, and what is explained or
    said.
    """
    if trait.kind == "boolean":
        return [True, False]
    if trait.kind == "literal" or len(trait.counted) <= LONGEST:
        return list(trait.counted)
    shown = {trait.low, trait.high, *trait.anchors()}
    shown.update(value for value in also if value is not None)
    return sorted(shown)


def question_of(trait: Scale) -> str:
    """What is asked, without the lines that have a row of their own."""
    anchors = trait.anchors().values()
    kept = []
    for line in trait.question.strip().splitlines():
        bare = line.rstrip(" ,;.")
        if not any(bare.endswith(f"= {meaning}") for meaning in anchors):
            kept.append(line)
    return "\n".join(kept)


def has_digits(trait: Scale) -> bool:
    """Whether every verdict has a key of its own."""
    if trait.kind == "literal":
        return len(trait.class_names) <= DIGITS
    return trait.low >= 0 and trait.high <= DIGITS


def key_of(trait: Scale, value: Value) -> str:
    """What a person presses, or types in a list, for a value."""
    if trait.kind == "boolean":
        return "1" if value else "2"
    if trait.kind == "literal":
        return str(int(value) + 1)
    return trait.describe(value)


def meaning_of(trait: Scale, value: Value) -> str:
    """A verdict in words, of a class with what it is; of a score what the trait says of it."""
    if trait.kind == "score":
        return trait.anchors().get(int(value), "")
    text = trait.describe(value)
    if trait.kind == "literal" and trait.classes:
        return f"{text}: {trait.classes.get(text, '')}".rstrip(": ")
    return text


def scale_text(trait: Scale) -> str:
    """What sort of verdict it is, and which end of it is good."""
    sort = {"boolean": "Yes or no", "literal": "Classes"}
    text = sort.get(trait.kind) or f"Score {trait.span()}".strip()
    return f"{text} · {better(trait)}"


def better(trait: Scale) -> str:
    """Which end of the scale is good."""
    ends = {"boolean": ("no", "yes"), "score": ("lower", "higher"), "literal": ("earlier", "later")}
    return f"{ends[trait.kind][trait.higher_is_better]} is better"


def keys_text(trait: Scale) -> str:
    """The keys that give a verdict."""
    if trait.kind == "boolean":
        return "1 (yes) and 2 (no)"
    if not has_digits(trait):
        return "i"
    return f"{key_of(trait, trait.counted[0])} to {key_of(trait, trait.counted[-1])}"
