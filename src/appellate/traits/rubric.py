"""Defines the rubric: traits for every response, and questions with traits of their own.

Each list of traits is named after its kind, as `metric_traits`, in the order of `kinds()`.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Self

from msgspec import Struct
from pydantic import (
    Field,
    GetCoreSchemaHandler,
    create_model,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema

from appellate.core.kind import (
    CONVERSATION,
    MIXED,
    AnyKind,
    KnownTrait,
    Reads,
    Subject,
    Table,
    TraitKey,
)
from appellate.core.problem import Problem, Unusable, quoted
from appellate.core.trace import Trace
from appellate.traits import prompts
from appellate.traits.digest import RubricPart
from appellate.traits.kinds import Kinds, kinds

LISTS = Kinds({f"{name}_traits": name for name in kinds()})
"""Every kind by the list of a rubric, or of a question, that holds its traits."""


def every_list_name() -> list[str]:
    """Return the names of the lists of traits, such as "metric_traits".

    Those of earlier forms of rubrics come last.
    """
    names = [*LISTS, MIXED]
    for kind in LISTS.values():
        names += kind.old_keys
    return names


KeyPath = tuple[str | int, ...]
"""The keys and positions that lead to a place in a file."""


Faults = Iterator[tuple[str, str]]
"""Pairs of a place in a file and what is wrong there."""
Placed = tuple[str, object]
"""The place of a value in a file, and the value; a value that is no text has no clashes."""


class _Spec(Struct, frozen=True):
    """The type of the traits of one list.

    The kind is imported when the model of the rubric is built.
    """

    key: str

    def __get_pydantic_core_schema__(
        self,
        _: Any,
        handler: GetCoreSchemaHandler,
    ) -> CoreSchema:
        """Return pydantic's schema for one trait of the list; this imports the kind's module."""
        return handler.generate_schema(LISTS[self.key].spec)


if TYPE_CHECKING:
    _Lists = RubricPart
else:
    _Lists = create_model(
        "_Lists",
        __base__=RubricPart,
        **{key: (list[Annotated[Any, _Spec(key)]], []) for key in LISTS},
    )


def kept_trait(kind: AnyKind, table: Table) -> Any:
    """Return the trait of a kind that its `to_file` wrote as this table.

    A model that is a `RubricPart` makes it with its `kept`, which trusts most tables and does not
    validate them again; any other model validates it. Raises ValidationError for keys that
    `to_file` cannot have written, and for whatever a model that validates refuses.
    """
    if issubclass(kind.spec, RubricPart):
        return kind.spec.kept(table)
    return kind.spec.model_validate(table)


class _Holder(_Lists):
    """A part of a rubric that has traits: a list for each kind."""

    @classmethod
    def kept(cls, table: Table) -> Self:
        """Return the object that `to_file` wrote as this table; clashes are not looked for again.

        Traits are made by the `kept` of their models, which may raise ValidationError. Raises
        Unusable for a key that no installed kind has.
        """
        for key in table.keys() - cls.model_fields.keys():
            wrong = "no kind of trait that is installed has this list"
            raise Unusable(
                [Problem("rubric", key, wrong, "install the package that brings it")],
            )
        objects: dict[str, list[Any]] = {}
        for key in table.keys() & LISTS.keys():
            objects[key] = [kept_trait(LISTS[key], trait) for trait in table[key]]
        if "questions" in table:
            objects["questions"] = [
                Question.kept(question) for question in table["questions"]
            ]
        return cls.model_construct(**{**table, **objects})  # type: ignore[return-value]

    def own_traits(self) -> Iterator[KnownTrait]:
        """Yield the traits that this part has itself, kind by kind in the order of its lists.

        Traits of the questions of a rubric are left out.
        """
        for _, known_trait in self.own_places():
            yield known_trait

    def own_places(self) -> Iterator[tuple[KeyPath, KnownTrait]]:
        """Yield the traits that this part has itself, kind by kind, each after its keys.

        Keys are as ("metric_traits", 0). Traits of questions are left out.
        """
        for key in LISTS:
            traits = getattr(self, key)
            for index, trait in enumerate(traits):
                # looked up only here: that loads the kind, which an empty list needs not
                yield (key, index), KnownTrait(LISTS[key], trait)

    def named(self) -> dict[str, Any]:
        """Return each list of traits by its key, with a table `{"name": …}` for each trait.

        Empty lists are included.
        """
        return {
            key: [{"name": trait.name} for trait in getattr(self, key)] for key in LISTS
        }

    def _own_table(self, *excluded_keys: str) -> dict[str, Any]:
        """Return the table as a rubric file has it, without defaults and without `excluded_keys`.

        Lists of traits come last; empty ones are left out, and so is `reads`, which each trait has
        itself. Values are copies. `model_dump` would first build the model of every kind, and
        import it.
        """
        table: dict[str, Any] = {}
        excluded = {*LISTS, *excluded_keys}
        for key, field in type(self).model_fields.items():
            if key in excluded or field.exclude:
                continue
            value = getattr(self, key)
            if value != field.get_default(call_default_factory=True):
                table[key] = deepcopy(value)
        for key in LISTS:
            traits = getattr(self, key)
            if traits:
                table[key] = [trait.to_file() for trait in traits]
        return table


class Question(_Holder):
    """One question, and the traits that only its traces get. An integer id becomes text."""

    id: Annotated[
        str,
        Field(min_length=1, json_schema_extra={"type": ["string", "integer"]}),
    ]
    question: str | None = None
    reference: str | list[str] | None = None

    @field_validator("id", mode="before")
    @classmethod
    def _text(cls, value: object) -> object:
        """Return the id as text."""
        return id_text(value)

    def to_file(self) -> dict[str, Any]:
        return self._own_table()


class Rubric(_Holder):
    """Traits for all traces, and questions with more.

    Names of traits, ids and texts of questions are unique (SPEC 2).
    """

    name: str | None = None
    description: str | None = None
    reads: Annotated[Reads, Field(exclude=True)] = "response"
    """What traits read that do not say it themselves; it is written into each of them."""
    prompts: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Parts of a model's prompt that replace the shipped ones, by the kind of trait."""
    questions: list[Question] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _resolve_reads(cls, values: Any) -> Any:
        """Return a rubric's values with its `reads` in all its traits, those of questions too.

        This is done before validation, and only for "conversation". A trait that has a `reads` of
        its own keeps it. The values that are given stay as they are, and what is no dictionary is
        returned unchanged.
        """
        if not isinstance(values, dict) or values.get("reads") != CONVERSATION:
            return values
        resolved = _with_reads(values)
        questions = values.get("questions")
        if isinstance(questions, list):
            resolved["questions"] = [_with_reads(question) for question in questions]
        return resolved

    @model_validator(mode="after")
    def _refuse_clashes(self) -> Self:
        """Return the rubric; raise ValueError for clashes and for prompts that cannot be used.

        Clashes are names, ids and question texts that occur twice, and names with a dot. The error
        has a line for each.
        """
        question_tables: list[dict[str, Any]] = []
        for question in self.questions:
            question_table = {"id": question.id, "question": question.question}
            question_tables.append({**question_table, **question.named()})
        table = {**self.named(), "questions": question_tables}
        faults: list[str] = []
        for place, wrong in prompt_faults(self.prompts):
            faults.append(f"{place}: {wrong}")
        for place, wrong in clashes(table, _place):
            faults.append(f"{place}: {wrong}")
        if faults:
            raise ValueError("\n".join(faults))
        return self

    def trait_names(self, kind: str = "") -> list[str]:
        """Return every trait's name once, those of the rubric first, then those of questions.

        With `kind`, only the traits of the kind with that name are included; "" means all.
        """
        names = (
            known_trait.trait.name
            for known_trait in self.every_trait()
            if kind in ("", known_trait.kind.name)
        )
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
        """Yield the rubric's own traits, then those of each question.

        Two questions may have traits of one name.
        """
        for _, known_trait in self.every_place():
            yield known_trait

    def traits_by_key(self) -> dict[TraitKey, list[KnownTrait]]:
        """Return the traits of each kind and name, the rubric's own before those of questions.

        For example {("metric", "Accuracy"): [two traits, of two questions]}. Names that a trait and
        another of another kind share are apart.
        """
        traits: dict[TraitKey, list[KnownTrait]] = {}
        for known_trait in self.every_trait():
            traits.setdefault(known_trait.key, []).append(known_trait)
        return traits

    def every_place(self) -> Iterator[tuple[KeyPath, KnownTrait]]:
        """Yield every trait after its keys, as ("questions", 0, "metric_traits", 1).

        The rubric's own come first, with keys as ("metric_traits", 0).
        """
        yield from self.own_places()
        for index, question in enumerate(self.questions):
            for place, known_trait in question.own_places():
                yield ("questions", index, *place), known_trait

    def traits_for(self, question: Question | None) -> list[KnownTrait]:
        """Return the traits that a trace of this question gets, the rubric's own first.

        For None they are only the rubric's own.
        """
        traits = list(self.own_traits())
        if question:
            traits += question.own_traits()
        return traits

    def traits_of(self, trace: Trace) -> dict[str, KnownTrait]:
        """Return the traits that a trace gets, by name, the rubric's own first.

        A trace without a question of the rubric gets only these. The dictionary is shared by all
        traces of a question and must not be changed.
        """
        question = self.question_of(trace)
        question_id = question.id if question else None
        if question_id not in self._traits:
            traits = self.traits_for(question)
            self._traits[question_id] = {
                known_trait.trait.name: known_trait for known_trait in traits
            }
        return self._traits[question_id]

    def subject(self, trait_name: str, trace: Trace) -> Subject | None:
        """Return a trait by name and a trace as what a cell is about.

        Returns None if the trace does not get a trait of this name. `trace` is as it was recorded;
        its question and reference are filled in. The subject knows no earlier traits.
        """
        traits = self.traits_of(trace)
        if trait_name not in traits:
            return None
        return Subject(*traits[trait_name], self.asked(trace))

    def place_of(self, trait: str, trace: Trace) -> tuple[int, int]:
        """Return which of the traits of a trace one is, from 1, and how many the trace has.

        `trait` is its name. Raises ValueError if the trace has no such trait.
        """
        names = list(self.traits_of(trace))
        return names.index(trait) + 1, len(names)

    def question_of(self, trace: Trace) -> Question | None:
        """Return the trace's question in the rubric, or None if there is none.

        It is found by `question_id` if the trace has one, and only then. Otherwise it is found by
        the exact text of the question.
        """
        if not self.questions:
            return None
        if trace.question_id is not None:
            return self.questions_by_id.get(trace.question_id)
        if trace.question is not None:
            return self._questions_by_text.get(trace.question)
        return None

    def reference_for(self, trace: Trace) -> str | list[str] | None:
        """Return the trace's own reference unless it is None, else that of its question.

        It is one text, or a list of texts. None if neither has a reference, or if the question of
        the trace is not in the rubric.
        """
        question = self.question_of(trace)
        if trace.reference is None and question:
            return question.reference
        return trace.reference

    def question_text(self, trace: Trace) -> str | None:
        """Return the trace's own question, else the text of its question in the rubric, or None."""
        question = self.question_of(trace)
        if trace.question is None and question:
            return question.question
        return trace.question

    def asked(self, trace: Trace) -> Trace:
        """Return a trace as a judge sees it, with text and reference of its question filled in.

        What the trace has itself stays. Without a question in the rubric the trace itself is
        returned.
        """
        if self.question_of(trace) is None:
            return trace
        return trace.model_copy(
            update={
                "question": self.question_text(trace),
                "reference": self.reference_for(trace),
            },
        )

    def to_file(self) -> dict[str, Any]:
        """Return the rubric as a rubric file has it: only what differs from the defaults.

        Questions come last. `reads` of the rubric is not written, but in each trait that has it
        from there.
        """
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
    """Return a copy of a rubric's or a question's table in which its traits read the conversation.

    Traits with a `reads` of their own stay unchanged, and so do kinds that have no `reads`. A value
    that is not a dictionary is returned itself.
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


def id_text(value: object) -> object:
    """Return an integer id as text; anything else as it is, for validation to judge.

    True and false are no integers here.
    """
    if type(value) is int:
        return str(value)
    return value


def prompt_faults(value: object) -> Faults:
    """Yield a place and what is wrong there for each fault of the table `prompts` of a rubric.

    A place is as "prompts.metric.response", or "prompts" if the value is no table. Yields nothing
    if it is right.
    """
    for place, wrong in prompts.faults(value):
        yield f"prompts.{place}".rstrip("."), wrong


def clashes(table: Table, place: Callable[[KeyPath], str]) -> Faults:
    """Yield what clashes in a rubric: repeated names, ids or question texts, and dotted names.

    Each is a place and a sentence. `table` is a rubric as files have it; values of a wrong type are
    ignored. A trait of a question must not have the name of one of the rubric's own. `place`
    returns where a path of keys is in the file.
    """

    def names(holder: Table, path: KeyPath) -> list[Placed]:
        """Return the names of the traits of a rubric or a question, with their places.

        `path` leads to it; a trait without a name has None.
        """
        placed_names = []
        for key in LISTS:
            for index, trait in enumerate(tables(holder.get(key))):
                placed_names.append(
                    (place((*path, key, index, "name")), trait.get("name")),
                )
        return placed_names

    own_names = names(table, ())
    yield from _name_clashes(own_names)
    place_by_name = {
        name: name_place.removesuffix(".name")
        for name_place, name in own_names
        if isinstance(name, str)
    }
    ids: list[Placed] = []
    texts: list[Placed] = []
    for index, question in enumerate(tables(table.get("questions"))):
        question_path: KeyPath = ("questions", index)
        ids.append((place((*question_path, "id")), id_text(question.get("id"))))
        texts.append((place((*question_path, "question")), question.get("question")))
        names_below = names(question, question_path)
        yield from _name_clashes(names_below)
        for name_place, name in names_below:
            if isinstance(name, str) and name in place_by_name:
                wrong = f"the global trait {place_by_name[name]} has the name {quoted(name)} too"
                yield name_place, f"{wrong}: rename one, none overrides"
    yield from _repeats(ids, "another question has the id")
    yield from _repeats(texts, "another question asks")


def tables(value: object) -> list[dict[str, Any]]:
    """Return the tables of a list, [] for what is no list.

    An entry that is no table becomes an empty one, so that positions stay the same.
    """
    if not isinstance(value, list):
        return []
    return [item if isinstance(item, dict) else {} for item in value]


def _place(path: KeyPath) -> str:
    """Return a path of keys and indexes as text, as "questions[0].id"."""
    return "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in path
    )[1:]


def _name_clashes(names: Sequence[Placed]) -> Faults:
    """Yield the place and what is wrong for names of traits that have a dot or occur twice.

    Those with a dot come first. Names that are no text are ignored.
    """
    for place, name in names:
        if isinstance(name, str) and "." in name:
            wrong = f"the name {quoted(name)} has a dot, which result keys reserve"
            yield place, f"{wrong}: leave the dot out"
    yield from _repeats(names, "another trait here has the name")


def _repeats(values: Sequence[Placed], wrong: str) -> Faults:
    """Yield the place of each text that occurs again, and a sentence on where it was first.

    The sentence is `wrong`, the text in quotes, and "already (…)" with the first place. Values that
    are no text are ignored, and so is a first occurrence.
    """
    first_places: dict[str, str] = {}
    for place, value in values:
        if not isinstance(value, str):
            continue
        first_place = first_places.setdefault(value, place)
        if first_place != place:
            yield place, f"{wrong} {quoted(value)} already ({first_place})"
