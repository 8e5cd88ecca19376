"""Defines the verdicts that a trait may have, and how people read and type them.

`Scale` has the rules, `VerdictTrait` is the model that rubric files are read into. Traits of the
kinds llm, regex and callable are `VerdictTrait`s; a score of a scorer trait is a `Scale`.
"""

import re
from collections.abc import Mapping, Sequence
from operator import not_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from appellate.core.kind import CANNOT_TELL, CannotTell
from appellate.core.problem import Refused, many, quoted, wording
from appellate.traits.digest import RubricPart

Value = bool | int | float | CannotTell
"""A verdict: yes or no, a score, the index of a class, or that it cannot be told."""
Sort = Literal["boolean", "score", "literal"]
FEWEST = 2
MOST = 20
"""The largest number of classes that a trait may have; `FEWEST` is the smallest."""
DIGITS = 9
"""The last digit key. A scale with more values than digits has no key for each."""
CANNOT_TELL_KEY = "x"
"""The key that a person presses, or types in a list, for a verdict that cannot be told."""
LONGEST = 21
"""The longest score scale of which every score gets a row. Of a longer one only some scores do."""
_ANCHOR = re.compile(
    r"(?<![\w.,:/–—−-])([−-]?\d{1,6})"
    r"(?:\s*\(([^()]+)\)|\s*[=:]\s*(?!\d)|\s+[–—-]\s+(?!\d))",
)
_JOINT = re.compile(r"(?:[ \t\N{NO-BREAK SPACE},;.→]|\b(?:to|and|or|through))\Z")
_LONGEST_JOINT = len("through")
HigherIsBetter = Annotated[
    bool,
    BeforeValidator(lambda given: True if given is None else given),
]
"""Whether the upper end of the scale is good. Null means the default, true, as in Karenina."""
Order = Literal["worse to better"]
OrderKey = Annotated[Order | None, Field(exclude_if=not_)]
"""In which order classes stand; None if none of them is better, which is not written."""
CannotTellKey = Annotated[bool, Field(exclude_if=not_)]
"""Whether a verdict may be that it cannot be told.

False is not written, so that such a trait has only Karenina's keys.
"""
Meaning = tuple[Sort, tuple[float, float], bool]
"""What the verdicts of a trait mean: their sort, the bounds of a score, and whether yes and no are
inverted."""


def _without_joints(text: str) -> str:
    """Return what a description says of a score, without what joins its end to the next score.

    "cold, to " becomes "cold". A joint is a word such as "to" or "and", a mark or a blank. At its
    beginning only white space is removed. "" if nothing else is there.
    """
    meaning = text.strip()
    end = len(meaning)
    # only its end is searched, and nothing copied: there may be as many joints as words
    while joint := _JOINT.search(meaning, max(end - _LONGEST_JOINT, 0), end):
        end = joint.start()
    return meaning[:end]


class Scale:
    """The verdicts that a trait may have, for its model to inherit.

    It adds no keys to a rubric.
    """

    word = "verdict"
    """What a person gives, as sentences call it."""

    # what a trait has, as a key or a property: annotations would make keys
    if TYPE_CHECKING:
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
        """The least value, or 0 (no) for a trait without scores."""
        return 0

    @property
    def high(self) -> float:
        """The greatest value, 1 (yes), or the index of the last class."""
        return 1 if self.kind == "boolean" else len(self.class_names) - 1

    @property
    def values(self) -> range:
        """All verdicts as numbers, without that it cannot be told.

        These are 0 and 1 for no and yes, each score, or the index of each class. Empty for scores
        that need not be whole or have no bounds.
        """
        return range(int(self.low), int(self.high) + 1)

    @property
    def takes_cannot_tell(self) -> bool:
        """Whether a verdict may be that it cannot be told: the trait's key `cannot_tell`."""
        return bool(getattr(self, "cannot_tell", False))

    @property
    def has_order(self) -> bool:
        """Whether the verdicts go from worse to better; classes do only if the rubric says so."""
        return self.kind != "literal" or getattr(self, "order", None) is not None

    def is_value(self, value: object) -> bool:
        """Return whether `value` is a verdict of this trait.

        True and false are verdicts of yes-or-no traits only, where 1 and 0 are not. A score or the
        index of a class must be a whole number on the scale. `CANNOT_TELL` is one if the trait
        allows it.
        """
        if value == CANNOT_TELL:
            return self.takes_cannot_tell
        if self.kind == "boolean":
            return isinstance(value, bool)
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        return value in self.values

    def span(self) -> str:
        """Return the bounds of a score as text, or "" for a trait without scores."""
        return ""

    @property
    def question(self) -> str:
        """The question that the trait asks of a response: its description, else its name."""
        return self.description or self.name

    @property
    def class_names(self) -> list[str]:
        """The names of the classes, by their indexes; empty for a trait without any."""
        if self.kind != "literal" or self.classes is None:
            return []
        return list(self.classes)

    def get_class_index(self, name: str) -> int:
        """Return the index of the class called `name`, or −1 if there is none."""
        return self.class_names.index(name) if name in self.class_names else -1

    @property
    def choices(self) -> Sequence[Value]:
        """All verdicts that can be listed: yes before no, scores upwards, classes by index.

        "Cannot tell" is last, if the trait allows it. Empty for scores that cannot be listed, as
        without bounds.
        """
        values: Sequence[Value] = (
            (True, False) if self.kind == "boolean" else self.values
        )
        if self.takes_cannot_tell:
            return (*values, CANNOT_TELL)
        return values

    @property
    def is_picked_from_list(self) -> bool:
        """Whether a person picks a verdict from a list of all. Otherwise it is a typed score."""
        return bool(self.choices)

    @property
    def is_inverted(self) -> bool:
        """Whether yes here means that the source says no."""
        return False

    @property
    def sayable(self) -> Mapping[str, Value]:
        """The verdicts by the text that stands for each in an answer.

        For example {"1": True, "0": False} for yes and no. That text is the number of a score, the
        index (from 0) of a class, and "cannot tell" for itself. Empty for scores that cannot be
        listed, as without bounds.
        """
        verdicts: dict[str, Value] = {}
        for value in self.choices:
            if value == CANNOT_TELL:
                verdicts[CANNOT_TELL] = value
            else:
                verdicts[str(int(value))] = value
        return verdicts

    def describe(self, value: Value | None) -> str:
        """Return a verdict as files and columns have it: "yes" or "no", the score, the class.

        Returns "" for None, "cannot tell" for itself, and the number of an index without a class. A
        score is such as "3" or "2.5".
        """
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
        """Return the part of a file's table that holds a verdict, as {"value": true}.

        For a class it is such as {"value": 1, "class": "billing"}, with its index from 0. "Cannot
        tell" is itself. Returns an empty dictionary for None.
        """
        if value is None:
            return {}
        if self.kind == "literal" and value != CANNOT_TELL:
            return {"value": value, "class": self.describe(value)}
        return {"value": value}

    def in_words(self, value: Value | None) -> str:
        """Return a verdict as sentences on the screen say it; "" for None."""
        return self.describe(value)

    def briefly(self, value: Value | None) -> str:
        """Return a verdict in as few words as possible, for a row of several; "" for None."""
        return self.in_words(value)

    def legal_values(self) -> str:
        """Return what a verdict must be as a value in labels, for a sentence that refuses another.

        It is "true or false", or "the index of a class, 0 to 3"; kinds with scores have their own.
        "Cannot tell" is added if the trait allows it.
        """
        if self.kind == "boolean":
            return self.with_cannot_tell("true or false")
        return self.with_cannot_tell(f"the index of a class, 0 to {self.high}")

    def with_cannot_tell(self, wanted: str, spelled: str = "") -> str:
        """Return a description of the verdicts, with "cannot tell" added if the trait allows it.

        It is put behind, as in `true or false, or "cannot tell"`. `spelled` is "cannot tell" as the
        reader of the sentence would have to write it; by default it is in quotes.
        """
        if not self.takes_cannot_tell:
            return wanted
        cannot_tell = spelled or quoted(CANNOT_TELL)
        return f"{wanted}, or {cannot_tell}"

    def form(self) -> str:
        """Return the sort of verdict in a few words: "yes or no", "3 classes", "score 1–5".

        The bounds of a score are in the words of `span()`; an unbounded score is "score".
        """
        if self.kind == "boolean":
            return "yes or no"
        if self.kind == "literal":
            return f"{len(self.class_names)} classes"
        return f"score {self.span()}".strip()

    def anchors(self) -> dict[int, str]:
        """Return what the description says that scores mean, by score.

        For example {1: "very verbose", 5: "concise"}. A meaning is written `1 (…)`, `1 = …`, `1: …`
        or `1 – …`, and ends before the next one, at a full stop or with its line. The first meaning
        of a score counts, and only scores on the scale. Returns an empty dictionary if fewer than
        two scores have one, and for traits without scores.
        """
        if self.kind != "score":
            return {}
        meanings: dict[int, str] = {}
        for line in (self.description or "").splitlines():
            matches = list(_ANCHOR.finditer(line))
            for position, match in enumerate(matches, 1):
                end = len(line)
                if position < len(matches):
                    end = matches[position].start()
                until_full_stop, _, _ = line[match.end() : end].partition(". ")
                meaning = match[2] or until_full_stop
                meaning = _without_joints(meaning)
                score = int(match[1].replace("−", "-"))
                if meaning and self.is_value(score):
                    meanings.setdefault(score, meaning)
        if len(meanings) < 2:  # noqa: PLR2004 - as above
            return {}
        return meanings

    def meaning(self) -> Meaning:
        """Return what verdicts of this trait mean, to compare it with a later version.

        That is their sort, the bounds of a score, and whether a yes means that the source says no.
        For example ("score", (1, 5), False); the bounds are (0, 0) for other sorts. Class names are
        not part of it.
        """
        bounds = (0.0, 0.0)
        if self.kind == "score":
            bounds = (self.low, self.high)
        return self.kind, bounds, self.is_inverted

    # -- in the words of the screen ---------------------------------------------------------------

    def offered(self, *extra_values: Value | None) -> list[Value]:
        """Return the verdicts that get a row on the screen, in order, "cannot tell" last.

        These are all, but of a scale with more than `LONGEST` scores only its ends, the scores with
        a meaning and `extra_values`, such as the current one. Empty for scores that cannot be
        listed, as without bounds.
        """
        score_count = len(self.choices) - self.takes_cannot_tell
        if self.kind != "score" or score_count <= LONGEST:
            return list(self.choices)
        scores: set[int | float] = {self.low, self.high}
        scores.update(self.anchors())
        for value in extra_values:
            if value is not None and value != CANNOT_TELL:
                scores.add(value)
        verdicts: list[Value] = []
        verdicts.extend(sorted(scores))
        if self.takes_cannot_tell:
            verdicts.append(CANNOT_TELL)
        return verdicts

    def question_text(self) -> str:
        """Return the question without the lines that only say what scores mean.

        Such a line is "- 1 = cold,": it begins with a score, if need be after marks, and ends in "=
        ", a meaning and perhaps a comma or full stop. Those scores have rows of their own.
        """
        endings = tuple(f"= {meaning}" for meaning in self.anchors().values())
        lines: list[str] = []
        for line in self.question.strip().splitlines():
            first_score = _ANCHOR.search(line)
            only_says_meaning = (
                first_score is not None
                and not any(map(str.isalnum, line[: first_score.start()]))
                and line.rstrip(" ,;.").endswith(endings)
            )
            if not only_says_meaning:
                lines.append(line)
        return "\n".join(lines)

    def meaning_of(self, value: Value) -> str:
        """Return what a verdict means, for the text of its row.

        Yes and no are "yes" and "no". A class is such as "billing: about an invoice", or just its
        name without a description. A score has only what the trait says of it, or "". "Cannot tell"
        has a standard text.
        """
        if value == CANNOT_TELL:
            return "cannot tell from what is shown"
        if self.kind == "score":
            score = int(value)
            return self.anchors().get(score, "") if score == value else ""
        text = self.describe(value)
        if self.kind == "literal" and self.classes:
            description = self.classes.get(text, "")
            return f"{text}: {description}".rstrip(": ")
        return text

    def scale_text(self) -> str:
        """Return the sort of verdict and the good end of the scale.

        For example "Yes or no · yes is better", "Classes · none is better" or "Score 1–5 · higher
        is better". The bounds of a score are in the words of `span()`.
        """
        sort = {"boolean": "Yes or no", "literal": "Classes"}
        text = sort.get(self.kind) or f"Score {self.span()}".strip()
        return f"{text} · {self.good_end_text()}"

    def good_end_text(self) -> str:
        """Return which end of the scale is good, as a phrase such as "higher is better".

        Before " is better" stands yes or no, higher or lower for scores, later or earlier for
        classes. For classes that have no order it is "none is better".
        """
        if not self.has_order:
            return "none is better"
        ends = {"boolean": ("no", "yes"), "score": ("lower", "higher")}
        lower_end, higher_end = ends.get(self.kind, ("earlier", "later"))
        good_end = higher_end if self.higher_is_better else lower_end
        return f"{good_end} is better"

    # -- by keys ----------------------------------------------------------------------------------

    @property
    def has_digits(self) -> bool:
        """Whether every verdict has a digit key: at most nine classes, or scores from 0 to 9.

        That it cannot be told has a key of its own and does not count.
        """
        if self.kind == "literal":
            return len(self.class_names) <= DIGITS
        return self.low >= 0 and self.high <= DIGITS

    def key_of(self, value: Value) -> str:
        """Return what a person presses, or types in a list, to give a verdict.

        Yes is "1" and no "2". A class is given by its index from 0 and its key counts from 1: the
        class 0 is "1". A score is its own number, as "7". "x" says that it cannot be told.
        """
        if value == CANNOT_TELL:
            return CANNOT_TELL_KEY
        if self.kind == "boolean":
            return "1" if value else "2"
        if self.kind == "literal":
            return str(int(value) + 1)
        return self.describe(value)

    def keys_text(self) -> str:
        """Return the keys that give a verdict, for a sentence, "cannot tell" among them if allowed.

        They are such as "{verdict.1:1} to {verdict.5:5}", or "{verdict.1:1} (yes) or {verdict.2:2}
        (no)", so that a person's own keys replace them. If not every verdict has a digit, it is
        "{verdict.pick:i}", the key of the list. ", or {verdict.cannot_tell:x} where it cannot be
        told" may follow.
        """
        if self.kind == "boolean":
            text = "{verdict.1:1} (yes) or {verdict.2:2} (no)"
        elif not self.has_digits:
            text = "{verdict.pick:i}"
        else:
            first = self.key_of(self.low)
            last = self.key_of(self.high)
            text = f"{{verdict.{first}:{first}}} to {{verdict.{last}:{last}}}"
        if self.takes_cannot_tell:
            text += ", or {verdict.cannot_tell:x} where it cannot be told"
        return text

    def of_digit(self, number: int) -> Value | None:
        """Return the verdict that a digit key gives, or None if verdicts are picked or typed.

        Yes is 1, which gives True, and no is 2, which gives False. Classes count from 1, so that 1
        gives class 0, and a score is its own digit, which need not be on the scale. Raises Refused,
        with the keys that give a verdict, for a digit without a class and for one other than 1 and
        2 where they are yes and no.
        """
        if self.kind == "boolean":
            if number in (1, 2):
                return number == 1
            raise Refused(
                f"The {self.word} here is yes ({{verdict.1:1}}) or no ({{verdict.2:2}}).",
            )
        if not self.has_digits:
            return None
        if self.kind != "literal":
            return number
        if not 1 <= number <= len(self.class_names):
            classes = many(len(self.class_names), "class", "classes")
            raise Refused(f"There are {classes} here: {self.keys_text()}.")
        return number - 1

    def has_contrary(self, value: Value) -> bool:
        """Return whether a verdict is yes or no."""
        return isinstance(value, bool)

    def contrary(self, value: Value | None) -> Value:
        """Return no for yes and yes for no, as True and False.

        Raises Refused for any other verdict and for None, with the keys that give one.
        """
        if isinstance(value, bool):
            return not value
        if value == CANNOT_TELL:
            raise Refused(f"What cannot be told has no contrary: {self.keys_text()}.")
        if self.kind == "boolean":
            raise Refused(
                "There is no verdict yet to turn: {verdict.1:1} is yes, {verdict.2:2} is no.",
            )
        raise Refused(
            f"This verdict has no contrary: {self.keys_text()} gives another.",
        )

    def fault(self, typed: str) -> str:
        """Return why a typed text is not a score of this scale, in a sentence.

        Keys in the sentence are not yet replaced by the person's own. Returns "" if the text is a
        score, is "cannot tell" where that is allowed, or is empty or blank.
        """
        if not typed.strip():
            return ""
        try:
            value = self.read(typed)
        except Refused as refusal:
            return wording(refusal)
        return "" if self.is_value(value) else f"A score is {self.legal_values()}."

    def read(self, text: str) -> Value:
        """Return the score that a person typed, a comma read as a decimal point.

        "2,5" is 2.5, and a whole number, also "3.0", is an int. The score need not be on the scale,
        and "nan" and "inf" are read as these. "Cannot tell", in any case, is read as itself where
        the trait allows it. Raises Refused for text that is no number, as "1,000.5".
        """
        words = text.strip()
        if self.takes_cannot_tell and words.casefold() == CANNOT_TELL:
            return CANNOT_TELL
        try:
            value = float(words.replace(",", "."))
        except ValueError:
            possible = self.legal_values()
            raise Refused(f"A score is {possible}.") from None
        return int(value) if value.is_integer() else value


class VerdictTrait(Scale, RubricPart):
    """A trait with one verdict, as rubric files have it."""

    PLAINLY_WRITTEN = True

    DESCRIBED: ClassVar[bool] = False
    """Whether each class needs a description."""

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    summary: str | None = None

    @field_validator("classes", check_fields=False)
    @classmethod
    def _distinct(cls, classes: dict[str, str] | None) -> dict[str, str] | None:
        """Return the classes as they are, also None; raise ValueError if there is a fault in them.

        All faults are in one message: fewer than two or more than twenty classes, a name that is
        blank, names that differ only in case, and missing descriptions if `DESCRIBED`.
        """
        if classes is None:
            return None
        faults: list[str] = []
        undescribed: list[str] = []
        if not FEWEST <= len(classes) <= MOST:
            legal = f"{FEWEST} to {MOST} that there may be"
            there_are = "there is" if len(classes) == 1 else "there are"
            classes_text = many(len(classes), "class", "classes")
            faults.append(f"{there_are} {classes_text}, of {legal}")
        first_names: dict[str, str] = {}
        for name, description in classes.items():
            if not name.strip():
                faults.append("a class needs a name")
                continue
            first_name = first_names.setdefault(name.lower(), name)
            if first_name != name:
                both = f"{quoted(first_name)} and {quoted(name)}"
                faults.append(f"the classes {both} differ only in case")
            if cls.DESCRIBED and not description.strip():
                in_quotes = quoted(name)
                undescribed.append(
                    f"the class {in_quotes} needs a description: what is one",
                )
        faults.extend(undescribed)
        if faults:
            raise ValueError("; ".join(faults))
        return classes

    @model_validator(mode="after")
    def _has_classes(self) -> Self:
        """Return the trait; raise ValueError for a literal one without classes."""
        if self.kind == "literal" and self.classes is None:
            needed = "needs classes: a table of names and descriptions"
            raise ValueError(f'a trait of kind "literal" {needed}')
        return self


def same(first: Value | None, second: Value | None) -> bool:
    """Return whether two verdicts are equal. True is not 1, and false is not 0."""
    return first == second and isinstance(first, bool) == isinstance(second, bool)
