"""Reading a rubric: TOML in, a Rubric out, or everything that is wrong with the file at once."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel, ValidationError

from appellate.core.kind import CONVERSATION, MIXED, Table
from appellate.core.problem import Loaded, Problem, Unusable, describe_value, quoted
from appellate.store.files.reward_kit import converted, is_reward_kit
from appellate.store.files.text_file import MIB, text_of, toml_table, unusable
from appellate.store.files.wording import Path as KeyPath
from appellate.store.files.wording import faults, key_path, with_lines
from appellate.traits.digest import unused_keys
from appellate.traits.rubric import (
    LISTS,
    Rubric,
    clashes,
    every_list_name,
    prompt_faults,
    tables,
)

LARGEST = 64 * MIB
ELSEWHERE = {"agentic_traits": "agentic traits"}
"""Lists of traits whose kind this version does not have, in words."""


_ONE_TRAIT = " or ".join(f"[[{key}]]" for key in LISTS)


def _keys_by_list(list_name: str, model: type[BaseModel]) -> dict[str, tuple[str, ...]]:
    """Return the keys that an entry of a rubric's list may have, by the list's name.

    `model` describes an entry. Lists of tables inside such an entry are there by their own names,
    too.
    """
    keys_by_list = {list_name: tuple(model.model_fields)}
    for key, field_of in model.model_fields.items():
        for element in get_args(field_of.annotation):
            # Annotated[Named, …] is a `Named` with checks
            inner = (
                get_args(element)[0] if get_origin(element) is Annotated else element
            )
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                keys_by_list |= _keys_by_list(key, inner)
    return keys_by_list


def load_rubric(path: str | Path) -> Rubric:
    """Return the rubric in a TOML file; raise Unusable with every problem of the file."""
    return read_rubric(path).usable()


def read_rubric(path: str | Path) -> Loaded[Rubric]:
    """Return the rubric in a TOML file, with its problems and notes as values; raises nothing.

    A rubric of Reward Kit is converted. With any problem there is no rubric and there are no notes.
    Problems have the lines of the file; notes are sentences that begin with its name.
    """
    file = str(path)
    try:
        text = text_of(path, LARGEST)
        table = _rubric_table(text, file)
    except Unusable as refusal:
        return Loaded(None, refusal.problems)
    notes: list[str] = []
    if is_reward_kit(table):
        try:
            table, notes = converted(table, Path(file).stem, file)
        except Unusable as refusal:
            return Loaded(None, with_lines(refusal.problems, text))
    loaded = parse_rubric(table, file)
    if loaded.problems:
        return replace(loaded, problems=with_lines(loaded.problems, text))
    return replace(
        loaded,
        notes=[*(f"{file}: {note}" for note in notes), *loaded.notes],
    )


def parse_rubric(table: Table, file: str) -> Loaded[Rubric]:
    """Return the rubric in a parsed TOML table, with its problems and notes as values.

    The table is a rubric file or the [rubric] of an audit, named `file` in problems, also of an
    older form, and stays as it is. With any problem there is no rubric and there are no notes.
    Problems have key paths, not lines; a rubric without any trait is a problem. It raises nothing.
    """
    renewed = _Renewed(file)
    present = renewed.rubric(table)
    rubric_problems = [*renewed.problems, *_other_kinds(table, file)]
    texts = _prompt_texts(present.get("prompts"))
    for place, clash in (*prompt_faults(texts), *clashes(present, renewed.place)):
        rubric_problems.append(Problem(file, place, clash))
    try:
        rubric = Rubric.model_validate(present)
    except ValidationError as error:
        keys_by_list = _keys_by_list("", Rubric)
        for key, kind in LISTS.items():
            keys_by_list |= _keys_by_list(key, kind.spec)
        wrong = faults(error, present, keys_by_list)
        problems = [
            Problem(file, renewed.place(path), *fault) for path, *fault in wrong
        ]
        if not problems + rubric_problems:  # what is refused is never without a reason
            rubric_problems = [
                Problem(file, "", detail["msg"]) for detail in error.errors()
            ]
        return Loaded(None, problems + rubric_problems)
    if not rubric_problems and not rubric.trait_names():
        rubric_problems = [
            Problem(
                file,
                "",
                "this rubric has no trait",
                f"add at least one {_ONE_TRAIT}",
            ),
        ]
    if rubric_problems:
        return Loaded(None, rubric_problems)
    return Loaded(rubric, notes=[*renewed.notes, *_notes(rubric, file, renewed)])


def _rubric_table(text: str, file: str) -> dict[str, Any]:
    """Return the parsed table of a rubric file's text.

    Raises Unusable for an empty file, JSON, text that is not valid TOML, an audit, and a file of
    traces without any list of traits. Other faults of a rubric are not looked for.
    """
    if not text.strip():
        raise unusable(
            file,
            "the file is empty",
            f"a rubric has at least one {_ONE_TRAIT}",
        )
    if text.lstrip().startswith("{"):
        raise unusable(
            file,
            "this looks like JSON",
            f"a rubric is TOML, with {_ONE_TRAIT}",
        )
    table = toml_table(text, file)
    if str(table.get("format", "")).startswith("appellate-audit"):
        right = "open it alone: appellate review AUDIT"
        raise unusable(file, "this is an audit, not a rubric", right)
    if "traces" in table and table.keys().isdisjoint(("questions", *every_list_name())):
        raise unusable(
            file,
            "this is a file of traces, not a rubric",
            "name the rubric first",
        )
    return table


def list_name_for(table: Table) -> str:
    """Return the name of the list in which an entry of the list `MIXED` belongs, as "llm_traits".

    Its keys tell: those that only some kinds have must all be keys of one kind. Raises ValueError
    for an entry with no such key or with keys of several kinds; its text is what is wrong and,
    after "; ", what would be right.
    """
    present: dict[str, list[str]] = {}
    for list_name, kind in LISTS.items():
        keys = [key for key in kind.telling_keys if key in table]
        if keys:
            present[list_name] = keys
    if not present:
        keys_and_kinds: list[str] = []
        for kind in LISTS.values():
            if kind.telling_keys:
                keys_and_kinds.append(f"{kind.telling_keys[0]} ({kind.name})")
        telling_keys = ", ".join(keys_and_kinds)
        raise ValueError(
            "nothing tells what kind of trait this is;"
            f" the key that does is one of {telling_keys}",
        )

    all_present = set(chain.from_iterable(present.values()))
    for list_name in present:
        kind = LISTS[list_name]
        if all_present <= {*kind.telling_keys, *kind.spec.model_fields}:
            return list_name
    owners: list[str] = []
    for list_name, keys in present.items():
        kind_name = LISTS[list_name].name
        owners.append(f"{keys[0]} is of {kind_name} traits")
    owners_text = ", ".join(owners)
    raise ValueError(
        f"two kinds are mixed: {owners_text}; keep the keys of one kind",
    )


class _Renewed(Struct):
    """Brings a rubric's table into today's form, and knows where its parts were in the file."""

    file: str
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """What keeps entries of the oldest form from being put into a list of today."""
    _origin: dict[KeyPath, KeyPath] = field(default_factory=dict)

    def rubric(self, table: Table) -> dict[str, Any]:
        """Return a copy of a rubric's table with its own and its questions' traits in today's form.

        Notes and problems are added to this object. Whatever has a wrong type stays as it is.
        """
        copy = self._lists(table, ())
        questions = copy.get("questions")
        if isinstance(questions, list):
            renewed_questions: list[Any] = []
            for number, question in enumerate(questions):
                renewed_question = question
                if isinstance(question, dict):
                    renewed_question = self._lists(question, ("questions", number))
                renewed_questions.append(renewed_question)
            copy["questions"] = renewed_questions
        return copy

    def _lists(self, holder: Table, path: KeyPath) -> dict[str, Any]:
        """Return a copy of a rubric's or a question's table, its traits renewed in today's lists.

        Traits of the list `MIXED` are sorted in after the others. Lists of kinds that this version
        does not have are left out. `path` is the table's own path. Notes, problems and origins are
        added to this object.
        """
        foreign = {*every_list_name(), *ELSEWHERE} - LISTS.keys()
        copy = {key: value for key, value in holder.items() if key not in foreign}
        for key, kind in LISTS.items():
            if isinstance(copy.get(key), list):
                copy[key] = []
            for written in (key, *kind.old_keys):
                if isinstance(holder.get(written), list):
                    for index, table in enumerate(holder[written]):
                        self._add(copy, (*path, key), table, (*path, written, index))
                elif written in holder:
                    copy[key] = holder[written]
                    self._origin[*path, key] = (*path, written)
        if MIXED in holder:
            self._sort(copy, path, holder[MIXED])
        return copy

    def _sort(self, copy: dict[str, Any], path: KeyPath, mixed: object) -> None:
        """Add each trait in the list `MIXED` to the list of its kind in `copy`, renewed.

        `mixed` is that list as written, and `path` is the path of the table it is in. What is no
        list or table, or of no kind that can be told, is added to `problems` and left out.
        """
        place = (*path, MIXED)
        if not isinstance(mixed, list):
            wrong = f"must be a list of tables, each under its own [[{MIXED}]]"
            self._refuse(place, f"{wrong}, not {describe_value(mixed)}")
            return
        for index, table in enumerate(mixed):
            if not isinstance(table, dict):
                self._refuse(
                    (*place, index),
                    f"must be a table, not {describe_value(table)}",
                )
                continue
            try:
                list_name = list_name_for(table)
            except ValueError as error:
                self._refuse((*place, index), str(error))
                continue
            self._add(copy, (*path, list_name), table, (*place, index))

    def _refuse(self, path: KeyPath, wrong: str) -> None:
        self.problems.append(Problem(self.file, key_path(path), wrong))

    def _add(
        self,
        copy: dict[str, Any],
        list_path: KeyPath,
        trait: object,
        written_path: KeyPath,
    ) -> None:
        """Add a trait, in today's form, to the list of `copy` that belongs at `list_path`.

        `written_path` is where the trait stands in the file, by its list's name there and its
        index. What was old in it becomes a note. A trait that is not a table is added unchanged.
        Nothing is added if something else than a list is there, which is refused elsewhere.
        """
        list_name = str(list_path[-1])
        traits = copy.setdefault(list_name, [])
        if not isinstance(traits, list):
            return
        self._origin[*list_path, len(traits)] = written_path
        if not isinstance(trait, dict):
            traits.append(trait)
            return

        written_name = str(written_path[-2])
        renewed_trait, text = LISTS[list_name].renew(written_name, trait)
        traits.append(renewed_trait)
        changes: list[str] = []
        if written_name != list_name:
            changes.append(f"[[{written_name}]] is called [[{list_name}]] now")
        if text:
            changes.append(text)
        if changes:
            place = key_path(written_path)
            changes_text = "; ".join(changes)
            self.notes.append(f"{self.file}: {place}: {changes_text}")

    def place(self, path: KeyPath) -> str:
        """Return where in the file a part of the renewed table was, as "traits[0].name".

        `path` is in the renewed table. What was not moved has the same path in both.
        """
        for length in range(len(path), 0, -1):
            origin = self._origin.get(path[:length])
            if origin is not None:
                return key_path(origin + path[length:])
        return key_path(path)


def _other_kinds(table: Table, file: str) -> Iterator[Problem]:
    """Yield a problem for each list in `ELSEWHERE`: traits whose kind this version does not have.

    `table` is a rubric's, and `file` its name. The rubric's own lists come before those of its
    questions. Any other key is passed over.
    """
    holders = {"": table}
    for number, question in enumerate(tables(table.get("questions"))):
        holders[f"questions[{number}]."] = question
    kind_names = ", ".join(kind.name for kind in LISTS.values())
    for place, holder in holders.items():
        for key in holder:
            if key not in ELSEWHERE:
                continue
            wrong = (
                f"{ELSEWHERE[key]} are not in this version,"
                f" which audits traits of the kinds {kind_names}"
            )
            yield Problem(file, place + key, wrong, "take them out")


def _prompt_texts(prompts: object) -> dict[str, dict[str, str]]:
    """Return the texts in a rubric's `prompts`, by kind and then by the name of the part.

    Parts and kinds of a wrong type are left out; for `prompts` that are no table it is empty.
    """
    if not isinstance(prompts, dict):
        return {}
    texts_by_kind: dict[str, dict[str, str]] = {}
    for kind, parts in prompts.items():
        if not isinstance(parts, dict):
            continue
        texts = {name: text for name, text in parts.items() if isinstance(text, str)}
        texts_by_kind[kind] = texts
    return texts_by_kind


def _notes_on_reads(rubric: Rubric, file: str) -> Iterator[str]:
    """Yield a note if the rubric reads the conversation, but traits in it the response only.

    It names the kinds of those traits, in order of the alphabet, and begins with `file`.
    """
    if rubric.reads != CONVERSATION:
        return
    kind_names: set[str] = set()
    for trait in rubric.every_trait():
        if "reads" not in trait.kind.spec.model_fields:
            kind_names.add(trait.kind.name)
    if kind_names:
        kinds_text = " and ".join(sorted(kind_names))
        yield f"{file}: reads: {kinds_text} traits read the response, whatever it says"


def _notes(rubric: Rubric, file: str, renewed: _Renewed) -> Iterator[str]:
    """Yield the notes on a sound rubric, sentences that begin with `file`.

    They tell of the rubric's own words for prompts, kinds of traits that do not read the
    conversation though the rubric says so, keys without effect, and what is odd in a trait.
    `renewed` is what the rubric's table was renewed with, and gives the places.
    """
    own_parts: list[str] = []
    for kind_name, parts in rubric.prompts.items():
        for part in parts:
            own_parts.append(f"{kind_name}.{part}")
    if own_parts:
        text = "this rubric has its own words for what a model is told"
        part_names = ", ".join(own_parts)
        yield f"{file}: prompts: {text}: {part_names}"

    yield from _notes_on_reads(rubric, file)

    unused: set[str] = set()
    for _, trait in rubric.every_trait():
        unused.update(unused_keys(trait))
    if len(unused) == 1:
        [key] = unused
        yield f"{file}: {key} is kept and changes nothing"
    elif unused:
        keys = ", ".join(sorted(unused))
        yield f"{file}: {keys} are kept and change nothing"

    for path, (kind, trait) in rubric.every_place():
        place = renewed.place(path)
        name = quoted(trait.name)
        for odd in kind.notes(trait):
            yield f"{file}: {place}: {name} {odd}"
