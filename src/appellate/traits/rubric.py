"""The rubric: which traits every response is held to, and which ones only one question's."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from appellate.core.problem import quoted
from appellate.core.trace import Trace
from appellate.traits import prompts
from appellate.traits.digest import digest
from appellate.traits.metric.spec import MetricRubricTrait

Names = Sequence[str | None]  # None where the file has no usable name


class Asked(NamedTuple):
    """What tells one question of a rubric from the others."""

    id: str | None
    question: str | None
    names: Names


class Clash(NamedTuple):
    """One broken rule between parts of a rubric that are each right by themselves."""

    place: str
    wrong: str


class Question(BaseModel):
    """One question with the traits that only its traces get; an integer id becomes text."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(min_length=1)]
    question: str | None = None
    reference: str | list[str] | None = None
    metric_traits: list[MetricRubricTrait] = []

    @field_validator("id", mode="before")
    @classmethod
    def _text(cls, given: Any) -> Any:
        return id_text(given)

    def to_file(self) -> dict[str, Any]:
        table = self.model_dump(exclude_defaults=True, exclude={"metric_traits"})
        return _with_traits(table, self.metric_traits)


class Rubric(BaseModel):
    """Global traits and questions; trait names, question ids and question texts are unique (SPEC 2).

    `prompts` are parts of what a model is told, by trait kind, in place of the shipped ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str | None = None
    description: str | None = None
    prompts: dict[str, dict[str, str]] = {}
    metric_traits: list[MetricRubricTrait] = []
    questions: list[Question] = []

    @model_validator(mode="after")
    def _refuse_clashes(self) -> Self:
        asked = [Asked(q.id, q.question, _names(q.metric_traits)) for q in self.questions]
        clashing = [*prompt_faults(self.prompts), *clashes(_names(self.metric_traits), asked)]
        found = [f"{clash.place}: {clash.wrong}" for clash in clashing]
        if found:
            raise ValueError("\n".join(found))
        return self

    def get_metric_trait_names(self) -> list[str]:
        """Every metric trait's name once, global ones first."""
        return list(dict.fromkeys(trait.name for trait in self.every_trait()))

    def every_trait(self) -> Iterator[MetricRubricTrait]:
        """Global traits, then those of each question; a name may come more than once."""
        yield from self.metric_traits
        for question in self.questions:
            yield from question.metric_traits

    def traits_for(self, question: Question | None) -> list[MetricRubricTrait]:
        """The traits that a trace of this question gets, global ones first."""
        return [*self.metric_traits, *(question.metric_traits if question else ())]

    def question_of(self, trace: Trace) -> Question | None:
        """The trace's question: by `question_id` alone where given, else by exact text."""
        if trace.question_id is not None:
            return self.questions_by_id.get(trace.question_id)
        return None if trace.question is None else self._questions_by_text.get(trace.question)

    def reference_for(self, trace: Trace) -> str | list[str] | None:
        """The trace's own reference, else its question's."""
        question = self.question_of(trace)
        return question.reference if trace.reference is None and question else trace.reference

    def question_text(self, trace: Trace) -> str | None:
        """The trace's own question, else the text that the rubric has for its `question_id`."""
        question = self.question_of(trace)
        return question.question if trace.question is None and question else trace.question

    def asked(self, trace: Trace) -> Trace:
        """The trace as a judge is asked about it: with its question's text and reference where it has none."""
        return trace.model_copy(update={"question": self.question_text(trace), "reference": self.reference_for(trace)})

    def to_file(self) -> dict[str, Any]:
        """The rubric as a rubric file writes it: only what differs from the defaults."""
        table = self.model_dump(exclude_defaults=True, exclude={"metric_traits", "questions"})
        table = _with_traits(table, self.metric_traits)
        return table | ({"questions": [q.to_file() for q in self.questions]} if self.questions else {})

    def sha256(self) -> str:
        return digest(self.to_file())

    @cached_property
    def questions_by_id(self) -> dict[str, Question]:
        return {question.id: question for question in self.questions}

    @cached_property
    def _questions_by_text(self) -> dict[str, Question]:
        return {q.question: q for q in self.questions if q.question is not None}


def id_text(given: Any) -> Any:
    """An integer id as text; anything else as it was, for the validation to judge."""
    return str(given) if type(given) is int else given


def prompt_faults(given: Any) -> Iterator[Clash]:
    """What is wrong with the parts of a prompt, each by itself."""
    for place, wrong in prompts.faults(given):
        yield Clash(f"prompts.{place}".rstrip("."), wrong)


def clashes(names: Names, questions: Sequence[Asked]) -> Iterator[Clash]:
    """What the parts of a rubric break together: repeated or dotted names, ids and question texts."""
    yield from _name_clashes("metric_traits", names)
    for index, question in enumerate(questions):
        place = f"questions[{index}].metric_traits"
        yield from _name_clashes(place, question.names)
        yield from _overrides(place, question.names, names)
    yield from _repeats("questions[{}].id", [q.id for q in questions], "another question has the id")
    yield from _repeats("questions[{}].question", [q.question for q in questions], "another question asks")


def _names(traits: list[MetricRubricTrait]) -> list[str | None]:
    return [trait.name for trait in traits]


def _with_traits(table: dict[str, Any], traits: list[MetricRubricTrait]) -> dict[str, Any]:
    return table | ({"metric_traits": [trait.to_file() for trait in traits]} if traits else {})


def _name_clashes(place: str, names: Names) -> Iterator[Clash]:
    for index, name in enumerate(names):
        if name is not None and "." in name:
            wrong = f"the name {quoted(name)} has a dot, which result keys reserve: leave the dot out"
            yield Clash(f"{place}[{index}].name", wrong)
    yield from _repeats(place + "[{}].name", names, "another trait here has the name")


def _overrides(place: str, names: Names, global_names: Names) -> Iterator[Clash]:
    taken = {name: index for index, name in enumerate(global_names) if name is not None}
    for index, name in enumerate(names):
        if name in taken:
            other = f"metric_traits[{taken[name]}]"
            wrong = f"the global trait {other} has the name {quoted(name)} too: rename one, none overrides"
            yield Clash(f"{place}[{index}].name", wrong)


def _repeats(place: str, values: Sequence[str | None], wrong: str) -> Iterator[Clash]:
    first: dict[str, int] = {}
    for index, value in enumerate(values):
        if value is not None and first.setdefault(value, index) != index:
            other = place.format(first[value])
            yield Clash(place.format(index), f"{wrong} {quoted(value)} already ({other})")
