"""A rubric while a person edits it: its file, and how it differs from the audit's.

The file that it was read from is edited itself, unless somebody else changed it since; else a
private copy beside the workspace, which stays until it is taken.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from stat import S_IWUSR
from typing import Any, NamedTuple

from msgspec import Struct

from appellate.core.kind import Subject, Trait
from appellate.core.problem import Loaded, Refused, many, quoted
from appellate.store import meta
from appellate.store.audits.open_audit import differences
from appellate.store.audits.revision import Revision
from appellate.store.database import NotKept
from appellate.store.files import atomic
from appellate.store.files.rubric_file import read_rubric
from appellate.store.files.text_file import opened, unusable
from appellate.store.files.toml import emit
from appellate.store.workspace import Workspace
from appellate.traits.rubric import LISTS, Question, Rubric, every_list_name, tables


class Draft(Struct, frozen=True):
    """The file in which a rubric is edited."""

    path: Path
    is_copy: bool
    """Whether it is a private copy, and not the rubric's own file."""

    def read(self) -> Loaded[Rubric]:
        return read_rubric(self.path)


# -- which file -----------------------------------------------------------------------------------


def remember_source(workspace: Workspace, path: Path) -> None:
    """Note a file as the one that the audit's rubric is in, by its absolute path, size and time.

    Raises OSError if the file is gone, and NotKept if the disk refuses.
    """
    path = path.resolve()
    workspace.set_meta(meta.RUBRIC_FILE, json.dumps([str(path), *_stamp(path)]))


def unchanged_rubric_file(workspace: Workspace) -> Path | None:
    """Return the file noted as the one that the audit's rubric is in, if it is as it was noted.

    None if its size or time is another, if it is gone, and if no file is noted.
    """
    text = workspace.meta(meta.RUBRIC_FILE)
    if not text:
        return None
    name, *stamp = json.loads(text)
    with suppress(OSError):
        if _stamp(Path(name)) == stamp:
            return Path(name)
    return None


def _stamp(path: Path) -> list[int]:
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


def file_to_edit(workspace: Workspace) -> Draft:
    """Return the file to edit: a private copy that was left before, else the rubric's own.

    The rubric's own is taken only if it is writable and unchanged. Otherwise a new private copy is
    written from the audit's rubric, beside the workspace. Raises Unusable if that cannot be
    written.
    """
    copy = workspace.path.with_suffix(".rubric.toml")
    if copy.exists():
        return Draft(copy, is_copy=True)
    own_file = unchanged_rubric_file(workspace)
    if own_file and _is_writable(own_file):
        return Draft(own_file, is_copy=False)
    text = "".join(emit(workspace.rubric.to_file()))
    _write(copy, text.encode())
    return Draft(copy, is_copy=True)


def _write(path: Path, octets: bytes) -> None:
    """Write the file of a draft in one durable step, with the old one kept as `.bak`.

    Raises Unusable if it cannot be written; then the old file is as it was.
    """
    try:
        atomic.write(path, [octets])
    except OSError as error:
        raise unusable(str(path), f"cannot be written: {error.strerror}") from error


def _is_writable(path: Path) -> bool:
    """Return whether the owner of a file may write it by its mode, and the program's user may, too.

    So False for a read-only file, also for root, who could write it. Raises OSError if there is
    none.
    """
    has_write_bit = bool(path.stat().st_mode & S_IWUSR)
    return has_write_bit and os.access(path, os.W_OK)


def note_edited(workspace: Workspace, draft: Draft) -> None:
    """Note what became of a draft once it was edited or written.

    A private copy that says the same as the audit's rubric is deleted, and any other stays. The
    rubric's own file is noted as the audit's with its present size and time. A copy that may not be
    deleted stays, to be edited again, and a file that cannot be reached is not noted. Raises
    NotKept if the disk refuses the note.
    """
    with suppress(OSError):
        if not draft.is_copy:
            remember_source(workspace, draft.path)
            return
        saved_rubric = draft.read().value
        if saved_rubric and is_same(saved_rubric, workspace.rubric):
            draft.path.unlink(missing_ok=True)


def note_as_taken(workspace: Workspace, draft: Draft) -> None:
    """Note that the audit has taken the rubric that a draft holds.

    A private copy is deleted. The rubric's own file is noted with its size and time, also as one of
    the files that the audit was made of. It raises nothing: a file that is gone or a disk that
    refuses leaves that out, and the next opening compares the file with the audit.
    """
    with suppress(OSError, NotKept):
        if draft.is_copy:
            draft.path.unlink(missing_ok=True)
            return
        remember_source(workspace, draft.path)
        known_files = json.loads(workspace.meta(meta.INPUTS) or "{}")
        known_files[str(draft.path)] = _stamp(draft.path)
        workspace.set_meta(meta.INPUTS, json.dumps(known_files))


# -- a new instruction ----------------------------------------------------------------------------

_GROWING = {
    "tp_instructions": "what the response should say",
    "tn_instructions": "what it should not say",
}


def growing(trait: Trait) -> dict[str, str]:
    """Return the lists of a trait to which an instruction may be added, in words, by their keys.

    The keys are those of a rubric file and the words tell what an instruction in the list says, as
    in {"tp_instructions": "what the response should say"}. A list without any instruction is left
    out.
    """
    table = trait.to_file()
    return {name: asks for name, asks in _GROWING.items() if table.get(name)}


class Added(NamedTuple):
    """A draft to which a new instruction was added."""

    draft: Draft
    was: bytes
    """The bytes of the file before."""


def add_instruction(
    workspace: Workspace,
    subject: Subject,
    list_name: str,
    words: str,
) -> Added:
    """Write a new instruction into the file to edit, at the end of the list `list_name` of a trait.

    `list_name` is one of `growing(subject.trait)`. The file is the rubric's own, or a private copy
    if that cannot be used. Returns which file it is, with its bytes before. Raises Refused if the
    list has these words already, also as an alias; Unusable if the file cannot be read, parsed or
    written or lacks the list; and NotKept if it cannot be noted. The file is then as it was.
    """
    import tomlkit  # only here: 40 ms
    from tomlkit.exceptions import TOMLKitError
    from tomlkit.items import AoT

    trait = subject.trait
    for instruction in trait.to_file()[list_name]:
        if words in _texts_and_aliases(instruction):
            raise Refused(f"{trait.name} asks for that already.")
    draft = file_to_edit(workspace)
    with opened(draft.path) as stream:
        old_bytes = stream.read()
    try:
        text = old_bytes.decode("utf-8-sig")
        if not text.endswith("\n"):  # or a table would be added to the last line
            text += "\n"
        document = tomlkit.parse(text)
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise unusable(str(draft.path), f"cannot be read: {error}") from error
    question = workspace.rubric.question_of(subject.trace)
    for table in _trait_tables(document, question):
        instructions = table.get(list_name)
        if table.get("name") == trait.name and isinstance(instructions, list):
            if isinstance(instructions, AoT):  # each under a header of its own
                instructions.append(tomlkit.item({"text": words}))
            else:
                instructions.append(words)
            _write(draft.path, tomlkit.dumps(document).encode())
            try:
                note_edited(workspace, draft)
            except NotKept:
                _write(draft.path, old_bytes)
                raise
            return Added(draft, old_bytes)
    right = "edit the rubric by hand"
    raise unusable(
        str(draft.path),
        f"has no {list_name} of {quoted(trait.name)}",
        right,
    )


def _trait_tables(
    document: Mapping[str, Any],
    question: Question | None,
) -> Iterator[Any]:
    """Yield the tables of global traits in a parsed rubric file, then those of `question`.

    They are the document's own tables, from every list of traits, also old ones; None for
    `question` gives the global ones. The file may have faults: what is no list or no table is
    passed over.
    """
    holders = [document]
    for question_table in tables(document.get("questions")):
        if question and str(question_table.get("id")) == question.id:
            holders.append(question_table)
    for holder in holders:
        for list_name in every_list_name():
            yield from tables(holder.get(list_name))


def _texts_and_aliases(instruction: Any) -> list[str]:
    """Return the text of an instruction as a file has it, followed by its aliases.

    An instruction is a text, or a table with the keys "text" and perhaps "aliases".
    """
    if isinstance(instruction, dict):
        return [instruction["text"], *instruction.get("aliases", ())]
    return [instruction]


def take_back(workspace: Workspace, added: Added) -> None:
    """Write the file that `add_instruction` wrote to as it was before that, and `note_edited` it.

    It is the rubric's own file or a private copy, as `added` says; a copy that then says what the
    audit says is deleted. What somebody wrote into the file since is only in its `.bak`. Raises
    Unusable if the file cannot be written, and NotKept if the disk refuses the note.
    """
    _write(added.draft.path, added.was)
    note_edited(workspace, added.draft)


# -- what differs ---------------------------------------------------------------------------------


def is_same(old: Rubric, new: Rubric) -> bool:
    return old.to_file() == new.to_file()


def differences_beside_traits(old: Rubric, new: Rubric) -> list[str]:
    """Return the key paths at which two rubrics differ, apart from their traits.

    They are as in the file, without "rubric." before them. Questions are found by their ids, which
    stand in the paths instead of indexes, as in `questions.q1.reference`.
    """
    key_paths = differences(
        _without_traits(old.to_file()),
        _without_traits(new.to_file()),
    )
    return [path.removeprefix("rubric.") for path in key_paths]


def _without_traits(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a rubric's table, or of a question's, without its lists of traits.

    "questions" is always in it: a table that has each question, likewise without traits, by its id.
    """
    rest = {key: value for key, value in table.items() if key not in LISTS}
    rest["questions"] = {
        question["id"]: _without_traits(question)
        for question in rest.get("questions", ())
    }
    return rest


class Rewritten(NamedTuple):
    """A difference within a trait: its key path, and its words before and now, or ""."""

    path: str
    was: str
    now: str


def rewritten(old: Rubric, new: Rubric) -> dict[str, list[Rewritten]]:
    """Return what differs in the traits that two rubrics share, by the trait's name.

    A trait is shared if both have one of its name at the same question, or as a global one; new and
    removed traits are not told. A difference that several questions have is there once. Traits
    without a difference are left out.
    """
    changes_by_trait: dict[str, list[Rewritten]] = {}
    old_traits = dict(_traits_by_place(old))
    for place, trait in _traits_by_place(new):
        if place not in old_traits:
            continue
        changes = changes_by_trait.setdefault(trait.name, [])
        old_table = old_traits[place].to_file()
        for change in _rewritten("", old_table, trait.to_file()):
            if change not in changes:
                changes.append(change)
    return {name: changes for name, changes in changes_by_trait.items() if changes}


def _rewritten(path: str, old_value: Any, new_value: Any) -> Iterator[Rewritten]:
    """Yield what differs between two values of rubric files, with the path of each difference.

    Tables are compared key by key, as in "classes.Poor"; lists entry by entry, as in "terms[2]",
    where the number is an index in the old list, and an entry only one of them has stands against
    "". Any other values are one difference at `path`, and equal ones none.
    """
    if old_value == new_value:
        return
    if isinstance(old_value, dict) and isinstance(new_value, dict):
        keys = {**old_value, **new_value}
        for key in keys:
            below = f"{path}.{key}".removeprefix(".")
            yield from _rewritten(below, old_value.get(key), new_value.get(key))
    elif isinstance(old_value, list) and isinstance(new_value, list):
        old_words = [_in_words(value) for value in old_value]
        new_words = [_in_words(value) for value in new_value]
        matching = SequenceMatcher(None, old_words, new_words, autojunk=False)
        for sort, low, high, start, end in matching.get_opcodes():
            pairs = zip_longest(old_words[low:high], new_words[start:end], fillvalue="")
            for number, pair in enumerate(pairs, low):
                if sort != "equal":
                    yield Rewritten(f"{path}[{number}]", *pair)
    else:
        yield Rewritten(path, _in_words(old_value), _in_words(new_value))


def _in_words(value: Any) -> str:
    """Return a value of a rubric file in words: a text as it is, "" for None, and else its JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _traits_by_place(rubric: Rubric) -> Iterator[tuple[tuple[str, str], Trait]]:
    """Yield a key and a trait for every trait: global ones first, then those of each question.

    The key is the question's id, "" for a global trait, and the trait's name.
    """
    for _, trait in rubric.own_traits():
        yield ("", trait.name), trait
    for question in rubric.questions:
        for _, trait in question.own_traits():
            yield (question.id, trait.name), trait


def lost(revision: Revision) -> str:
    """Return in a clause what people did that a revision makes void; "" if it is nothing.

    It counts the corrections that are set aside, the cells that lose their sign-off and those that
    are to be signed off again, as in "2 corrections no longer fit and are set aside".
    """
    parts: list[str] = []
    if revision.lost:
        fits = "no longer fit and are" if revision.lost > 1 else "no longer fits and is"
        corrections = many(revision.lost, "correction")
        parts.append(f"{corrections} {fits} set aside")
    if revision.signed:
        cells_lose = many(revision.signed, "cell loses its", "cells lose their")
        parts.append(f"{cells_lose} sign-off")
    parts.append(_to_sign_again(revision))
    return ", ".join(filter(None, parts))


def _to_sign_again(revision: Revision) -> str:
    """Return in a clause how many cells are to be signed off again; "" if none are.

    It says why, and how many blind rulings will not count. It has no full stop.
    """
    count = revision.unsettled
    if not count:
        return ""
    text = f"{count:,} cells are to be signed off again, as their question or reference is another"
    if count == 1:
        text = (
            "1 cell is to be signed off again, as its question or reference is another"
        )
    if revision.blind:
        rulings = many(revision.blind, "blind ruling")
        text += f" ({rulings} of the sample will not count)"
    return text


def describe(revision: Revision) -> str:
    """Return what a revision did, as "The rubric was revised: 1 trait new (3 cells)."

    Counted are the traits that changed, with what is lost by it, those that are only measured
    differently and new ones; without any, it says "no trait changed". A second sentence counts the
    cells that are to be signed off again, if any.
    """
    changed, remeasured, added, cells, fresh, *_ = revision
    parts: list[str] = []
    if changed:
        traits = many(len(changed), "trait")
        cells_text = many(cells, "cell")
        result = f"{cells_text} to judge again"
        lost_text = lost(revision._replace(unsettled=0))
        if lost_text:
            result += f"; {lost_text}"
        parts.append(f"{traits} changed ({result})")
    if remeasured:
        traits = many(len(remeasured), "trait")
        parts.append(f"{traits} measured differently")
    if added:
        traits = many(len(added), "trait")
        cells_text = many(fresh, "cell")
        parts.append(f"{traits} new ({cells_text})")
    changes = ", ".join(parts) or "no trait changed"
    text = f"The rubric was revised: {changes}."
    signing = _to_sign_again(revision)
    if signing:
        text += f" {signing}."
    return text
