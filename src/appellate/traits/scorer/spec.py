"""Defines a scorer trait: one of inspect_ai's scorers by its own name, with its own settings.

`grade_in` reads the grade of a model that is asked, and `filled` fills in a trait's own template,
as inspect_ai 0.3.285 does.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from string import Formatter
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import InitErrorDetails

from appellate import installed
from appellate.core.kind import Table
from appellate.core.problem import quoted
from appellate.core.scale import FURTHEST, NO_BOUND, Bound, bound_text
from appellate.core.trace import (
    CHOICES,
    HISTORY,
    QUESTION,
    REFERENCE,
    RESPONSE,
    Materials,
    metadata_field,
)
from appellate.stats.aggregates import reduce_epochs
from appellate.traits.digest import (
    HeadlineKey,
    LongestResultKey,
    ReadsKey,
    RubricPart,
    Unused,
    check_headline,
)
from appellate.traits.functions import NAMED, checked_name
from appellate.traits.matching import fault, matcher
from appellate.traits.verdict.scale import HigherIsBetter

_SPACE = r"[\s\u200b-\u200f\u2060\u2063\ufeff]*"
_GRADE = rf"(?is)\A.*(?<!\w)GRADE(?!\w){_SPACE}:{_SPACE}"
LAST_GRADE = re.compile(rf"{_GRADE}([CPI])")
"""The last grade of a text that the trait's own instructions asked for."""
LAST_WORD = re.compile(rf"{_GRADE}(\w*)")
"""What follows the last GRADE: it counts, or nothing does."""
_WORDS = {"correct": "C", "incorrect": "I", "partial": "P"}


def offered(*, partial_credit: bool) -> tuple[str, ...]:
    """Return the grades that the usual instructions offer: C, for partial credit P, and I."""
    if partial_credit:
        return ("C", "P", "I")
    return ("C", "I")


def grade_in(
    text: str,
    *,
    grade_pattern: str | None = None,
    has_own_instructions: bool = False,
    partial_credit: bool = False,
) -> str | None:
    """Return the grade that a grader's text ends with, or None if it cannot be read.

    It is what follows the last "GRADE:", in either case. With the usual instructions it must be one
    that they offer, also as a word such as "correct". With own instructions it is the last C, P or
    I that follows a "GRADE:", also as the beginning of a word. If there is a `grade_pattern`, what
    the first group of its first match holds is the grade, whatever it is. The pattern must have a
    group. Raises Unmatched if that takes too long.
    """
    if grade_pattern is not None:
        matched = matcher().find(grade_pattern, text, max_matches=1)
        span = None
        if matched.hits:
            span = matched.groups[0]
        if span:
            return text[span[0] : span[1]]
        return None
    grade_regex = LAST_WORD
    if has_own_instructions:
        grade_regex = LAST_GRADE
    match = grade_regex.match(text)
    if match is None:
        return None
    word = match[1].lower()
    grade = _WORDS.get(word) or word.upper()
    if has_own_instructions or grade in offered(partial_credit=partial_credit):
        return grade
    return None


def majority(grades: Sequence[Any], count: int) -> Any | None:
    """Return the grade that more than half of `count` graders give, or None if none has so many.

    Grades of None are no votes, but their graders are in `count`.
    """
    votes = Counter(grades)
    votes.pop(None, None)
    for grade, votes_of_grade in votes.most_common(1):
        if 2 * votes_of_grade > count:
            return grade
    return None


# -- a template of the trait's own -----------------------------------------------------------------

_FORGED = re.compile(r"\[(BEGIN|END) DATA\]", re.IGNORECASE)


class _Filler(Formatter):
    """Fills in names and entries of tables, never the attributes of a value.

    Metadata are turned into text by `shown`.
    """

    def __init__(self, values: Mapping[str, str], shown: Callable[[str], str]) -> None:
        self._values = values
        self._shown = shown

    def get_field(
        self,
        field_name: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Return the value that a field such as `topic[name]` names, and its first name, `topic`.

        It is looked for in `kwargs`, which hold values and metadata together; `args` are not looked
        at. A value of metadata is turned into text, any other is returned as it is. Raises
        LookupError, with the field, if the name or an entry is not there.
        """
        name, _, rest = field_name.partition("[")
        if name not in kwargs:
            raise LookupError(field_name)
        value = kwargs[name]
        for key in filter(None, re.split(r"[\[\]]+", rest)):
            if not isinstance(value, dict) or key not in value:
                raise LookupError(field_name)
            value = value[key]
        if name not in self._values:
            value = self._shown(str(value))
        return value, name


def template_fault(template: str) -> str:
    """Return why a template cannot be filled in, or "" if it can.

    It is the end of a sentence, as "lacks {answer}, the response that is to be graded". A template
    must have {answer}. Its other fields are names of metadata, or entries of a table in them, as
    {topic[name]}, without a format or conversion. Whether a trace has them is not known here.
    """
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        return f"cannot be filled in: {error}; write {{{{ and }}}} for braces"
    fields = [part for part in parts if part[1] is not None]
    for _, name, spec, conversion in fields:
        if not re.fullmatch(r"[^\W\d]\w*(?:\[\w+\])*", name or ""):
            return f"has {{{name}}}, which is no name; write {{{{ and }}}} for braces"
        if spec or conversion:
            specifier = quoted(f"!{conversion}" if conversion else f":{spec}")
            right = f"write {{{name}}}, which is filled in as it stands"
            return f"has {specifier} after {name}; {right}"
    if not any(name == "answer" for _, name, _, _ in fields):
        return "lacks {answer}, the response that is to be graded"
    return ""


TEMPLATE_NAMES = {"question": QUESTION, "answer": RESPONSE, "criterion": REFERENCE}
"""The parts of a trace that a template can name, besides metadata."""


def names_in(template: str) -> set[str]:
    """Return what a template names of a trace, such as {"answer", "topic"}.

    An entry of a table counts as the table: {topic[name]} is "topic". {instructions} is left out.
    Raises ValueError for a template with braces that do not match.
    """
    names: set[str] = set()
    for _, field, _, _ in Formatter().parse(template):
        if field:
            name, _, _ = field.partition("[")
            names.add(name)
    names.discard("instructions")
    return names


def _material_of(name: str) -> str:
    """Return what a name in a template stands for: a part of the trace, or a field of metadata.

    "answer" is the response and "criterion" the reference; any other but "question" is a field, as
    "metadata.topic".
    """
    return TEMPLATE_NAMES.get(name, metadata_field(name))


def unforged(text: str) -> str:
    """Return a text without marks that would end the data of a template.

    Their blank becomes a hyphen: [END DATA] is then [END-DATA].
    """
    return _FORGED.sub(lambda mark: mark[0].replace(" ", "-"), text)


def filled(
    template: str,
    values: Mapping[str, str],
    metadata: Mapping[str, Any],
    shown: Callable[[str], str] = unforged,
) -> str:
    """Return a template filled in, with metadata turned into text by `shown`.

    `values` take precedence over metadata of the same name. Raises LookupError for names and
    entries of tables that are in neither, and ValueError for a template that cannot be filled in.
    """
    return _Filler(values, shown).vformat(template, (), {**metadata, **values})


Location = Literal["begin", "end", "any", "exact"]
_LAST = r"(?!.*ANSWER\s*:)"
ANSWERS: dict[str, str] = {
    "letter": rf"(?is)ANSWER\s*:\s*([A-Za-z])(?:\W|$){_LAST}",
    "word": rf"(?is)ANSWER\s*:\s*(\S+?)(?=[.,;:!?]?\s*(?:\n|$)){_LAST}",
    "line": r"(?i)ANSWER\s*:\s*([^\n]+)\s*\Z",
}
"""The pattern of what follows the last ANSWER:, by how much of it is wanted."""

ScorerName = Literal[
    "match",
    "includes",
    "pattern",
    "answer",
    "choice",
    "f1",
    "exact",
    "model_graded_qa",
    "model_graded_fact",
    "multi_scorer",
    "recorded",
    "callable",
]
_GRADED = (
    "template",
    "instructions",
    "grade_pattern",
    "partial_credit",
    "include_history",
    "model_role",
    "reducer",
    "min_score",
    "max_score",
)
SETTINGS: dict[ScorerName, tuple[str, ...]] = {
    "match": ("location", "ignore_case", "numeric"),
    "includes": ("ignore_case",),
    "pattern": ("pattern", "ignore_case", "match_all"),
    "answer": ("pattern",),
    "choice": ("multiple_correct",),
    "f1": ("stop_words",),
    "exact": (),
    "model_graded_qa": _GRADED,
    "model_graded_fact": _GRADED,
    "multi_scorer": ("scorers", "reducer"),
    "recorded": ("keys", "min_score", "max_score"),
    "callable": ("callable", "keys", "min_score", "max_score"),
}
"""The settings of each scorer; those of others are errors."""
GRADED = ("model_graded_qa", "model_graded_fact")
RULELESS = (*GRADED, "recorded", "callable")
"""The scorers that follow no rule: a judge, the traces or a function has the value."""
KEEPING = ("mode", "majority", "max")
"""The reducers that return one of the values that they are given."""
_KEY = re.compile(r"[A-Za-z]\w*", re.ASCII)


class ScorePart(NamedTuple):
    """One value of a trait's score."""

    key: str
    """The key in a dictionary of values; "" for a single value."""
    is_letter: bool
    """Whether the value is one of C, P, I and N."""
    low: float = 0.0
    """The least number that it can be."""
    high: float = 1.0

    @property
    def span(self) -> str:
        """The bounds in words: `from 0 to 1`, `of 0 or more`, `of 1 or less`, or ""."""
        if self.low <= -NO_BOUND:
            return (
                "" if self.high >= NO_BOUND else f"of {bound_text(self.high)} or less"
            )
        if self.high >= NO_BOUND:
            return f"of {bound_text(self.low)} or more"
        return f"from {bound_text(self.low)} to {bound_text(self.high)}"

    @property
    def measure_name(self) -> str:
        """The name of the value's measure, as "score.tone"; "score" for a value without a key."""
        return f"score.{self.key}".rstrip(".")


class Scorer(RubricPart):
    """One scorer and its settings."""

    PLAINLY_WRITTEN = True

    name: str | None = None
    scorer: ScorerName
    location: Location = "end"
    ignore_case: bool = True
    numeric: bool = False
    pattern: str | None = None
    match_all: bool = False
    multiple_correct: bool = False
    stop_words: list[str] = Field(default_factory=list)
    template: str | None = None
    instructions: str | None = None
    grade_pattern: str | None = None
    partial_credit: bool = False
    include_history: bool = False
    model_role: Unused[str | None] = None
    reducer: str | None = None
    min_score: Bound | None = None
    max_score: Bound | None = None
    keys: list[str] = Field(default_factory=list)
    callable: str | None = None

    @field_validator("callable")
    @classmethod
    def _names_a_function(cls, name: str | None) -> str | None:
        """Return the name; raise ValueError if it cannot be a function's. None is right."""
        return None if name is None else checked_name(name)

    @field_validator("grade_pattern")
    @classmethod
    def _captures(cls, pattern: str | None) -> str | None:
        """Return the pattern of grades, which may be None.

        Raises ValueError if it is no regular expression, or has no group.
        """
        if pattern is None:
            return None
        wrong = fault(pattern)
        if not wrong and not re.compile(pattern).groups:
            wrong = "captures nothing: put what is the grade in brackets"
        if wrong:
            raise ValueError(wrong)
        return pattern

    @field_validator("template")
    @classmethod
    def _can_be_filled(cls, template: str | None) -> str | None:
        """Return the template; raise ValueError if it cannot be filled in. None is right."""
        if template is not None and template_fault(template):
            raise ValueError(template_fault(template))
        return template

    @field_validator("reducer")
    @classmethod
    def _is_known(cls, reducer: str | None) -> str | None:
        """Return the reducer, or None if there is none; raise ValueError for an unknown name.

        Raises Unusable if another package's reducer of that name cannot be loaded.
        """
        if reducer is not None:
            reduce_epochs(installed.reducer(reducer), ())
        return reducer

    @field_validator("keys")
    @classmethod
    def _are_names(cls, keys: list[str]) -> list[str]:
        """Return the keys; raise ValueError if one is repeated or no name.

        A name such as "tone_2" begins with an ASCII letter, and has such letters, digits and _.
        """
        for key in keys:
            if not _KEY.fullmatch(key):
                raise ValueError(f"{quoted(key)} is no key: letters, digits and _ are")
        if len(set(keys)) < len(keys):
            raise ValueError("the same key is there twice")
        return keys

    @model_validator(mode="after")
    def _settings_are_its_own(self) -> Self:
        """Return the scorer; raise ValueError with all settings that do not fit it."""
        faults = list(self._faults())
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def _faults(self) -> Iterator[str]:
        """Yield in clauses what is wrong with the settings; nothing if they fit the scorer.

        A setting of another scorer is wrong if the rubric gives it. A pattern or a function may be
        missing or wrong, a reducer may not fit graders, and the bounds may be the wrong way round.
        """
        own_settings = SETTINGS[self.scorer]
        settings_of_others = set(chain(*SETTINGS.values())) - set(own_settings)
        for key in sorted(self.model_fields_set & settings_of_others):
            right = ", ".join(own_settings) or "none"
            yield f"{key} is no setting of {self.scorer}; it has {right}"
        if self.scorer == "pattern":
            wrong = "needs a pattern"
            if self.pattern is not None:
                wrong = fault(self.pattern)
            if wrong:
                yield f"pattern {wrong}"
        if self.scorer == "answer" and self.pattern not in ANSWERS:
            known_patterns = ", ".join(map(quoted, ANSWERS))
            yield f"pattern of answer must be one of {known_patterns}"
        if self.scorer == "callable" and self.callable is None:
            yield f"callable needs a function: {NAMED}"
        if self.scorer in GRADED and self.reducer not in (None, "majority", "mode"):
            yield 'reducer of several graders is "majority" or "mode"'
        if self.low >= self.high:
            low = bound_text(self.low)
            high = bound_text(self.high)
            yield f"min_score ({low}) must be less than max_score ({high})"

    @property
    def low(self) -> float:
        """The least number that a value can be: the setting `min_score`, by default 0.

        If that is -`FURTHEST`, the score is open downwards, and this is -`NO_BOUND`.
        """
        if self.min_score is None:
            return 0.0
        return -NO_BOUND if self.min_score <= -FURTHEST else self.min_score

    @property
    def high(self) -> float:
        """The greatest number that a value can be: the setting `max_score`, by default 1.

        If that is `FURTHEST`, the score is open upwards, and this is `NO_BOUND`.
        """
        if self.max_score is None:
            return 1.0
        return NO_BOUND if self.max_score >= FURTHEST else self.max_score

    @property
    def is_graded(self) -> bool:
        """Whether a model is asked for the grade."""
        return self.scorer in GRADED

    @property
    def material(self) -> Materials:
        """The parts of a trace that a request contains, or that the rule uses.

        A rule uses response and reference, and `choice` also the choices; recorded scores and
        functions count as rules here. A request has question too; one by a template of the scorer's
        own has what the template names, also fields of metadata. With `include_history` the history
        is one, unless such a template leaves out the question.
        """
        if self.scorer == "choice":
            return frozenset({CHOICES, REFERENCE, RESPONSE})
        if not self.is_graded:
            return frozenset({REFERENCE, RESPONSE})
        names = set(TEMPLATE_NAMES.values())
        if self.template is not None:
            names = set(map(_material_of, names_in(self.template)))
        if self.include_history and QUESTION in names:
            names.add(HISTORY)
        return frozenset(names)

    @property
    def takes_answer(self) -> bool:
        """Whether a person can give the extracted answer, which is then scored again."""
        return self.scorer not in RULELESS

    @property
    def is_letter(self) -> bool:
        """Whether the value is one of C, P, I and N.

        A judge's is, unless the scorer has a pattern of grades. So is a rule's, except that of f1;
        recorded values and those of functions are not. It tells nothing of a multi_scorer, whose
        `parts` do.
        """
        if self.is_graded:
            return self.grade_pattern is None
        return self.scorer not in ("f1", "recorded", "callable")

    @property
    def has_own_words(self) -> bool:
        """Whether a judge is asked in the trait's own words, for a text that ends with a grade."""
        return self.instructions is not None or self.grade_pattern is not None


def pattern_of(scorer: Scorer) -> tuple[str, bool] | None:
    """Return the regular expression that a rule looks for in responses, and whether it heeds case.

    Returns None for scorers without one. The pattern of grades in a model's reply is none.
    """
    if scorer.scorer == "pattern" and scorer.pattern is not None:
        return scorer.pattern, not scorer.ignore_case
    if scorer.scorer == "answer" and scorer.pattern is not None:
        return ANSWERS[scorer.pattern], False
    return None


class ScorerRubricTrait(Scorer):
    """A scorer that every response is given to.

    `scorers` are the members of a multi_scorer; `reducer` makes one of their values, without it
    they are a dictionary. `keys` are those of a dictionary that was recorded or that a function
    returns.
    """

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    summary: str | None = None
    scorers: list[Scorer] = Field(default_factory=list)
    reads: ReadsKey = "response"
    longest_result: LongestResultKey = None
    higher_is_better: HigherIsBetter = True
    headline: HeadlineKey = None

    @classmethod
    def kept(cls, table: Table) -> Self:
        """Return the trait that `to_file` wrote as this table, with its members.

        A table with the right keys is not validated again. Raises ValidationError for keys that
        `to_file` cannot have written, and for missing ones.
        """
        if "scorers" not in table:
            return super().kept(table)
        members = [Scorer.kept(member) for member in table["scorers"]]
        return super().kept({**table, "scorers": members})

    @model_validator(mode="after")
    def _one_of_the_values(self) -> Self:
        """Return the trait; raise ValueError for a headline that is none of its values."""
        if self.headline is not None:
            check_headline(self.headline, [part.measure_name for part in self.parts])
        return self

    @model_validator(mode="after")
    def _members_fit(self) -> Self:
        """Return the trait; raise ValidationError for members of a multi_scorer that do not fit.

        A member may not be a multi_scorer, recorded or a function. Without a reducer the members'
        names must also be keys and differ; with one they may be the same. Raises ValueError for a
        multi_scorer with fewer than two members. Other traits are not checked.
        """
        if self.scorer != "multi_scorer":
            return self
        if len(self.scorers) < 2:  # noqa: PLR2004 - one alone is no panel
            raise ValueError("a multi_scorer has two scorers or more")
        faults = []
        for index, wrong in self._member_faults():
            place = ("scorers", index)
            why = {"error": ValueError(wrong)}
            faults.append(
                InitErrorDetails(type="value_error", loc=place, input=None, ctx=why),
            )
        if faults:
            raise ValidationError.from_exception_data(type(self).__name__, faults)
        return self

    def _member_faults(self) -> Iterator[tuple[int, str]]:
        """Yield the index (from 0) of each wrong member, and what is wrong.

        A member may not be a multi_scorer, recorded or a function. Without a reducer the members'
        names are keys, so they must be names and differ.
        """
        names = self.member_names
        for index, member in enumerate(self.scorers):
            name = names[index]
            if member.scorer in ("multi_scorer", "recorded", "callable"):
                yield index, f"{member.scorer} cannot be a member of a multi_scorer"
            elif self.reducer is None and not _KEY.fullmatch(name):
                wrong = f"the name {quoted(name)} is no key: letters, digits and _ are"
                yield index, wrong
            elif self.reducer is None and name in names[:index]:
                right = f'give this one a name of its own: name = "{name}_{index + 1}"'
                wrong = f"another member is called {quoted(name)} too"
                yield index, f"{wrong}; {right}"

    @property
    def member_names(self) -> list[str]:
        """The name of each member in order, or of its scorer if it has none, as "exact"."""
        return [member.name or member.scorer for member in self.scorers]

    @property
    def question(self) -> str:
        """The description of the trait, else its name."""
        return self.description or self.name

    @property
    def function(self) -> str:
        """The name of the function that scores, or ""."""
        return self.callable or ""

    @property
    def is_graded(self) -> bool:
        """Whether a model is asked for the grade of the trait or of one of its members."""
        return super().is_graded or any(map(attrgetter("is_graded"), self.scorers))

    @property
    def material(self) -> Materials:
        """The parts of a trace that a request contains, or that the rule uses.

        Those of a multi_scorer are the parts of all its members together.
        """
        if self.scorer == "multi_scorer":
            return frozenset(
                chain.from_iterable(member.material for member in self.scorers),
            )
        return super().material

    @property
    def takes_answer(self) -> bool:
        """Whether a rule can score an answer that a person gives.

        Of a multi_scorer it must be so for all members, which all score the answer again.
        """
        if self.scorer == "multi_scorer":
            return all(map(attrgetter("takes_answer"), self.scorers))
        return super().takes_answer

    @property
    def parts(self) -> tuple[ScorePart, ...]:
        """The parts of the score: one with the key "", or one for each key of a dictionary.

        Members of a `multi_scorer` without a reducer have one each, by `member_names`. A reduced
        score has the widest bounds of its members. It is a letter if all of them are and the
        reducer returns one of their values.
        """
        if self.keys:
            return tuple(
                ScorePart(key, False, self.low, self.high) for key in self.keys
            )
        if self.scorer != "multi_scorer":
            return (ScorePart("", self.is_letter, self.low, self.high),)
        members = self.scorers
        if self.reducer is None:
            named_members = zip(self.member_names, members, strict=True)
            return tuple(
                ScorePart(name, member.is_letter, member.low, member.high)
                for name, member in named_members
            )
        is_letter = self.reducer in KEEPING and all(
            map(attrgetter("is_letter"), members),
        )
        low = min(map(attrgetter("low"), members))
        high = max(map(attrgetter("high"), members))
        return (ScorePart("", is_letter, low, high),)

    def part(self, key: str) -> ScorePart | None:
        """Return the part with this key, or None."""
        return next((part for part in self.parts if part.key == key), None)

    def scored(self) -> dict[str, Any]:
        """Return what scores depend on, to compare: the settings by name, those of members nested.

        Versions with equal values are scored the same, if their descriptions are equal where a
        judge grades. Left out are the name, description, summary and headline, which direction is
        better, and which model grades.
        """
        texts = (
            "name",
            "description",
            "summary",
            "higher_is_better",
            "headline",
            "model_role",
        )
        members = {"scorers": {"__all__": {"model_role"}}}
        return self.model_dump(exclude={**dict.fromkeys(texts, True), **members})
