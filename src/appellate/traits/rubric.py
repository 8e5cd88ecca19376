"""The rubric: which traits every response is held to, and which ones only one question's.

Its lists of traits, and those of a question, are called after the kinds: `metric_traits` and the
like, in the order of `kinds()`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Self

from msgspec import Struct
from pydantic import Field, GetCoreSchemaHandler, create_model, field_validator, model_validator
from pydantic_core import CoreSchema

from appellate.core.kind import CONVERSATION, MIXED, KnownTrait, Reads, Table
from appellate.core.problem import Problem, Unusable, quoted
from appellate.core.trace import Trace
from appellate.traits import prompts
from appellate.traits.digest import RubricPart
from appellate.traits.kinds import Kinds, kinds

LISTS = Kinds({f"{name}_traits": name for name in kinds()})
"""Every kind by the list of a rubric, or of a question, that holds its traits."""


def every_list_name() -> list[str]:
    """Return the names that lists of traits have, and those that they had in earlier forms."""
    names = [*LISTS, MIXED]
    for kind in LISTS.values():
        names += kind.old_keys
    return names


KeyPath = tuple[str | int, ...]
"""The keys and positions that lead to a place in a file."""


Faults = Iterator[tuple[str, str]]
"""What is wrong, each behind its place in a file."""
Placed = tuple[str, object]
"""The place of a value, and the value; what is no text says nothing."""


class _Spec(Struct, frozen=True):
    """The type of the traits of a list: their kind is imported when the rubric's model is built."""

    key: str

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(LISTS[self.key].spec)


if TYPE_CHECKING:
    _Lists = RubricPart
else:
    _Lists = create_model(
        "_Lists",
        __base__=RubricPart,
        **{key: (list[Annotated[Any, _Spec(key)]], []) for key in LISTS},
    )


class _Holder(_Lists):
    """What has traits of its own: one list for each kind."""

    @classmethod
    def kept(cls, table: Table) -> Self:
        """From what `to_file` gave: it was valid. Unusable where a kind's package is not here."""
        for key in table.keys() - cls.model_fields.keys():
            wrong = "no kind of trait that is installed has this list"
            raise Unusable([Problem("rubric", key, wrong, "install the package that brings it")])
        made: dict[str, list[Any]] = {}
        for key in table.keys() & LISTS.keys():
            made[key] = [LISTS[key].spec.model_validate(trait) for trait in table[key]]
        if "questions" in table:
            made["questions"] = [Question.kept(question) for question in table["questions"]]
        return cls.model_construct(**{**table, **made})  # type: ignore[return-value]

    def own_traits(self) -> Iterator[KnownTrait]:
        """The traits that stand here, kind by kind."""
        for _, known in self.own_places():
            yield known

    def own_places(self) -> Iterator[tuple[KeyPath, KnownTrait]]:
        """The same with their places: `("metric_traits", 0)`."""
        for key in LISTS:
            for index, trait in enumerate(getattr(self, key)):
                yield (key, index), KnownTrait(LISTS[key], trait)

    def named(self) -> dict[str, Any]:
        """The lists of its traits, with their names alone."""
        return {key: [{"name": trait.name} for trait in getattr(self, key)] for key in LISTS}

    def _own_table(self, *but: str) -> dict[str, Any]:
        """What differs from the defaults, but for these keys, as a rubric file writes it."""
        table = self.model_dump(exclude_defaults=True, exclude={*LISTS, *but})
        for key in LISTS:
            traits = getattr(self, key)
            if traits:
                table[key] = [trait.to_file() for trait in traits]
        return table


class Question(_Holder):
    """One question with the traits that only its traces get; an integer id becomes text."""

    id: Annotated[str, Field(min_length=1, json_schema_extra={"type": ["string", "integer"]})]
    question: str | None = None
    reference: str | list[str] | None = None

    @field_validator("id", mode="before")
    @classmethod
    def _text(cls, given: object) -> object:
        return id_text(given)

    def to_file(self) -> dict[str, Any]:
        return self._own_table()


class Rubric(_Holder):
    """Global traits and questions; names, question ids and question texts are unique (SPEC 2).

    `prompts` are parts of a model's prompt, by trait kind, in place of the shipped ones.
    """

    name: str | None = None
    description: str | None = None
    reads: Annotated[Reads, Field(exclude=True)] = "response"
    """What traits read that do not say it themselves; it is written into each of them."""
    prompts: dict[str, dict[str, str]] = Field(default_factory=dict)
    questions: list[Question] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _resolve_reads(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.get("reads") != CONVERSATION:
            return given
        resolved = _with_reads(given)
        questions = given.get("questions")
        if isinstance(questions, list):
            resolved["questions"] = [_with_reads(question) for question in questions]
        return resolved

    @model_validator(mode="after")
    def _refuse_clashes(self) -> Self:
        asked = [{"id": q.id, "question": q.question, **q.named()} for q in self.questions]
        table = {**self.named(), "questions": asked}
        clashing = chain(prompt_faults(self.prompts), clashes(table, _place))
        found = [f"{place}: {wrong}" for place, wrong in clashing]
        if found:
            raise ValueError("\n".join(found))
        return self

    def trait_names(self, kind: str = "") -> list[str]:
        """Every trait's name once, global ones first; or those of the kind of this name alone."""
        names = (known.trait.name for known in self.every_trait() if kind in ("", known.kind.name))
        return list(dict.fromkeys(names))

    def get_trait_names(self) -> list[str]:
        """Return every trait's name once, global ones first, as Karenina calls it (SPEC 13)."""
        return self.trait_names()

    def get_metric_trait_names(self) -> list[str]:
        """Return the names of the metric traits, global ones first."""
        return self.trait_names("metric")

    def get_llm_trait_names(self) -> list[str]:
        """Return the names of the LLM traits, global ones first."""
        return self.trait_names("llm")

    def get_regex_trait_names(self) -> list[str]:
        """Return the names of the regex traits, global ones first."""
        return self.trait_names("regex")

    def get_manual_trait_names(self) -> list[str]:
        """Return the names of the regex traits, which were called manual traits once."""
        return self.trait_names("regex")

    def get_callable_trait_names(self) -> list[str]:
        """Return the names of the callable traits, global ones first."""
        return self.trait_names("callable")

    def get_grounding_trait_names(self) -> list[str]:
        """Return the names of the grounding traits, global ones first."""
        return self.trait_names("grounding")

    def get_scorer_trait_names(self) -> list[str]:
        """Return the names of the scorer traits, global ones first."""
        return self.trait_names("scorer")

    def every_trait(self) -> Iterator[KnownTrait]:
        """Global traits, then those of each question; a name may come more than once."""
        for _, known in self.every_place():
            yield known

    def every_place(self) -> Iterator[tuple[KeyPath, KnownTrait]]:
        """The same with their places in the rubric: `("questions", 0, "metric_traits", 1)`."""
        yield from self.own_places()
        for number, question in enumerate(self.questions):
            for place, known in question.own_places():
                yield ("questions", number, *place), known

    def traits_for(self, question: Question | None) -> list[KnownTrait]:
        """The traits that a trace of this question gets, global ones first."""
        traits = list(self.own_traits())
        if question:
            traits += question.own_traits()
        return traits

    def traits_of(self, trace: Trace) -> dict[str, KnownTrait]:
        """The traits that a trace gets, by name, global ones first; not to be changed."""
        question = self.question_of(trace)
        asked = question.id if question else None
        if asked not in self._traits:
            traits = self.traits_for(question)
            self._traits[asked] = {known.trait.name: known for known in traits}
        return self._traits[asked]

    def place_of(self, trait: str, trace: Trace) -> tuple[int, int]:
        """Return which of the traits of a trace one is, from 1, and how many the trace has."""
        names = list(self.traits_of(trace))
        return names.index(trait) + 1, len(names)

    def question_of(self, trace: Trace) -> Question | None:
        """The trace's question: by `question_id` alone where given, else by exact text."""
        if trace.question_id is not None:
            return self.questions_by_id.get(trace.question_id)
        if trace.question is not None:
            return self._questions_by_text.get(trace.question)
        return None

    def reference_for(self, trace: Trace) -> str | list[str] | None:
        """The trace's own reference, else its question's."""
        question = self.question_of(trace)
        if trace.reference is None and question:
            return question.reference
        return trace.reference

    def question_text(self, trace: Trace) -> str | None:
        """The trace's own question, else the text that the rubric has for its `question_id`."""
        question = self.question_of(trace)
        if trace.question is None and question:
            return question.question
        return trace.question

    def asked(self, trace: Trace) -> Trace:
        """The trace as a judge sees it: with its question's text and reference if it has none."""
        if self.question_of(trace) is None:
            return trace
        return trace.model_copy(
            update={"question": self.question_text(trace), "reference": self.reference_for(trace)}
        )

    def to_file(self) -> dict[str, Any]:
        """The rubric as a rubric file writes it: only what differs from the defaults."""
        table = self._own_table("questions")
        if self.questions:
            table["questions"] = [question.to_file() for question in self.questions]
        return table

    @cached_property
    def _traits(self) -> dict[str | None, dict[str, KnownTrait]]:
        """The traits that the traces of a question get, by its id; filled as they are asked for."""
        return {}

    @cached_property
    def questions_by_id(self) -> dict[str, Question]:
        return {question.id: question for question in self.questions}

    @cached_property
    def _questions_by_text(self) -> dict[str, Question]:
        return {q.question: q for q in self.questions if q.question is not None}


def _with_reads(holder: Any) -> Any:
    """Return a rubric's or a question's table whose traits read the conversation.

    Traits that say themselves what they read stay as they are, and so do kinds without `reads`.
    """
    if not isinstance(holder, dict):
        return holder
    resolved = dict(holder)
    for key, kind in LISTS.items():
        traits = holder.get(key)
        if "reads" not in kind.spec.model_fields or not isinstance(traits, list):
            continue
        resolved[key] = []
        for trait in traits:
            if isinstance(trait, dict):
                resolved[key].append({"reads": CONVERSATION, **trait})
            else:
                resolved[key].append(trait)
    return resolved


def id_text(given: object) -> object:
    """An integer id as text; anything else as it was, for the validation to judge."""
    if type(given) is int:
        return str(given)
    return given


def prompt_faults(given: object) -> Faults:
    """What is wrong with the parts of a prompt, each by itself."""
    for place, wrong in prompts.faults(given):
        yield f"prompts.{place}".rstrip("."), wrong


def clashes(table: Table, place: Callable[[KeyPath], str]) -> Faults:
    """What the parts of a rubric's table break together, right as each may be by itself: repeated
    or dotted names, ids, question texts. `place` says where something is in the file.
    """

    def names(holder: Table, at: KeyPath) -> list[Placed]:
        found = []
        for key in LISTS:
            for index, trait in enumerate(tables(holder.get(key))):
                found.append((place((*at, key, index, "name")), trait.get("name")))
        return found

    own = names(table, ())
    yield from _name_clashes(own)
    taken = {name: at.removesuffix(".name") for at, name in own if isinstance(name, str)}
    ids: list[Placed] = []
    texts: list[Placed] = []
    for number, question in enumerate(tables(table.get("questions"))):
        here: KeyPath = ("questions", number)
        ids.append((place((*here, "id")), id_text(question.get("id"))))
        texts.append((place((*here, "question")), question.get("question")))
        below = names(question, here)
        yield from _name_clashes(below)
        for at, name in below:
            if isinstance(name, str) and name in taken:
                wrong = f"the global trait {taken[name]} has the name {quoted(name)} too"
                yield at, f"{wrong}: rename one, none overrides"
    yield from _repeats(ids, "another question has the id")
    yield from _repeats(texts, "another question asks")


def tables(given: object) -> list[dict[str, Any]]:
    """The tables of a list, with an empty one for whatever is none; so that positions stay."""
    if not isinstance(given, list):
        return []
    return [item if isinstance(item, dict) else {} for item in given]


def _place(path: KeyPath) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]


def _name_clashes(names: Sequence[Placed]) -> Faults:
    for place, name in names:
        if isinstance(name, str) and "." in name:
            wrong = f"the name {quoted(name)} has a dot, which result keys reserve"
            yield place, f"{wrong}: leave the dot out"
    yield from _repeats(names, "another trait here has the name")


def _repeats(values: Sequence[Placed], wrong: str) -> Faults:
    first: dict[str, str] = {}
    for place, value in values:
        if isinstance(value, str) and first.setdefault(value, place) != place:
            yield place, f"{wrong} {quoted(value)} already ({first[value]})"
