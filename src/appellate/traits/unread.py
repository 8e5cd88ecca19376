"""Says what of a trace a person can see and its judge did not get.

`unread` compares materials, `unread_in` a cell and its judge. Panes and line mode mark the result
as `NOT_SHOWN`; `check` counts it.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import tomli

from appellate.core.cell import Cell
from appellate.core.describe import is_lexical
from appellate.core.kind import Asked, Computed, Subject, Table, materials_as_read
from appellate.core.messages import (
    SYSTEM,
    THINKS,
    USER,
    ChatTurn,
    asked,
    last_asked,
    turns_of,
)
from appellate.core.problem import many
from appellate.core.trace import (
    CHOICES,
    DOCUMENT_NAMES,
    DOCUMENTS,
    EARLIER_TURNS,
    HISTORY,
    METADATA,
    QUESTION,
    REFERENCE,
    RESPONSE_PART,
    WHOLE_CONVERSATION,
    Materials,
    Source,
    Trace,
    metadata_field,
    sources,
)
from appellate.traits.digest import digest
from appellate.traits.prompts import Prompts, over

NOT_SHOWN = "not shown to the judge"
"""The mark that people read next to such a text."""

NOTHING_UNREAD: Materials = frozenset()


TURN = "turn"
RESULT = "result"


MODEL = "model"
"""The name of the model that answered, which no request holds and people see with metadata."""


def turn_name(index: int) -> str:
    """Return the name of a turn before the response, among what a judge did not get.

    It is "turn." and the index, which counts from 0.
    """
    return f"{TURN}.{index}"


def result_name(step_no: int) -> str:
    """Return the name of a result that was shortened, among what a judge did not get.

    It is "result." and the number of its step, which counts from 1.
    """
    return f"{RESULT}.{step_no}"


def said_of(name: str, not_shown: Materials) -> str:
    """Return "not shown to the judge" if a material's name is in `not_shown`, else "".

    It stands next to the material's title.
    """
    return NOT_SHOWN if name in not_shown else ""


def fields_with_values(trace: Trace) -> list[str]:
    """Return the names of the fields of a trace's metadata that are not null, in order."""
    metadata = trace.metadata or {}
    return [name for name, value in metadata.items() if value is not None]


def said_of_metadata(trace: Trace, not_shown: Materials) -> str:
    """Return "not shown to the judge" as the mark of all metadata, or "".

    It is "" if the judge got the metadata as a whole. If the judge did get single fields that have
    a value, they are named: "not shown to the judge, except topic, date".
    """
    text = said_of(METADATA, not_shown)
    fields: list[str] = []
    for name in fields_with_values(trace):
        if metadata_field(name) not in not_shown:
            fields.append(name)
    if text and fields:
        field_names = ", ".join(fields)
        text += f", except {field_names}"
    return text


def said_of_document(source: Source, not_shown: Materials) -> str:
    """Return the mark of a document next to its heading, which has its name.

    It is "not shown to the judge", or "name not shown to the judge" for a document with a name that
    the judge got without it. Returns "" if the judge got both.
    """
    if source.name and DOCUMENT_NAMES in not_shown:
        return f"name {NOT_SHOWN}"
    return said_of(DOCUMENTS, not_shown)


def unread(
    trace: Trace,
    turns: Sequence[ChatTurn],
    materials: Materials | None,
) -> Materials:
    """Return what a trace has that is not among the materials that its judge got.

    For example {"reference", "turn.0", "result.4", "metadata.topic"}: the names are those of
    materials, of single turns (`turn_name`), of shortened results (`result_name`) and of fields of
    metadata. The name of the model that answered counts as metadata. What the trace lacks is left
    out. `trace` has its question's text and reference; `turns` are those before its response.
    `materials` is None if nobody knows; then nothing is returned, since no more is said than is
    known.
    """
    if materials is None:
        return NOTHING_UNREAD
    present: dict[str, object] = {
        REFERENCE: trace.reference,
        CHOICES: trace.choices,
        DOCUMENTS: trace.documents,
        METADATA: fields_with_values(trace) or trace.model,
    }
    for name in fields_with_values(trace):
        present[metadata_field(name)] = True
    if DOCUMENTS in materials:
        present[DOCUMENT_NAMES] = any(source.name for source in sources(trace))
    not_shown: set[str] = set()
    for name, value in present.items():
        if value and name not in materials:
            not_shown.add(name)
    not_shown.update(map(turn_name, _unread_turns(trace, turns, materials)))
    if WHOLE_CONVERSATION in materials:
        not_shown.update(result_name(result.step_no) for result in trace.whole_results)
    return frozenset(not_shown)


def _unread_turns(
    trace: Trace,
    turns: Sequence[ChatTurn],
    materials: Materials,
) -> Collection[int]:
    """Return the indexes (from 0) of the turns before the response of which a judge got nothing.

    A judge that got the whole conversation got all. The question is got with `QUESTION`, the other
    turns with `EARLIER_TURNS`; a question that is not the last turn is got with either. With
    `HISTORY` all are got but the system's and what is thought. A trace without messages has one
    text as its question: all turns are returned if the judge did not get it, else none.
    """
    if WHOLE_CONVERSATION in materials:
        return []
    if not trace.messages:  # the question is one text, even where turns are told in it
        if QUESTION in materials:
            return []
        return range(len(turns))
    question = trace.question or last_asked(turns)
    indexes: list[int] = []
    for index, turn in enumerate(turns):
        is_question = turn.role == USER and turn.text.strip() == question.strip()
        is_last = index == len(turns) - 1
        is_earlier = not (is_question and is_last)
        if is_question and QUESTION in materials:
            continue
        if is_earlier and EARLIER_TURNS in materials:
            continue
        if HISTORY in materials and turn.role != SYSTEM and turn.does != THINKS:
            continue
        indexes.append(index)
    return indexes


# -- of a cell -------------------------------------------------------------------------------------


def unread_in(
    cell: Cell,
    trace: Trace,
    turns: Sequence[ChatTurn],
    prompts_by_rank: Sequence[Prompts],
) -> Materials:
    """Return what the judge of a cell did not get of its trace; nothing if nobody knows.

    `prompts_by_rank` are the prompts that a judge may have been asked with, the current ones first.
    For a cell that was not judged, it is what a judge asked with the current ones would not get.
    What a kind leaves out for the trait is added.
    """
    judge = cell.judge.judge if cell.judge else None
    materials = materials_of(cell.subject, judge, prompts_by_rank)
    not_shown = unread(trace, turns, materials)
    source = cell.subject.source
    if materials is None or not isinstance(source, Asked):
        return not_shown
    return not_shown | source.left_out(cell.subject.trait, trace)


def materials_of(
    subject: Subject,
    judge: Table | None,
    prompts_by_rank: Sequence[Prompts],
) -> Materials | None:
    """Return what the judge of a cell got of its trace, or None if nobody knows.

    `judge` is the judge's record, or None if the cell was not judged: then it is what the current
    prompts or the program would give. `prompts_by_rank` are the prompts that it may have been asked
    with, the current ones first; after others, everything that a prompt may leave out counts as
    given. Nobody knows it of a judge that was asked with no prompt of ours and is not a lexical
    one, nor of one that is not the trait's own program.
    """
    kind = subject.kind
    trait = subject.trait
    source = subject.source
    name = None if judge is None else judge.get("name")
    if isinstance(source, Computed):
        if judge is None or name == source.name:
            return _as_read(trait, source.material(trait))
        return None
    if judge is None:
        return source.holds(trait, prompts_by_rank[0].get(kind.name, {}))
    template = judge.get("template_sha256")
    if template is None:
        return materials_as_read(trait, source.compared) if is_lexical(name) else None
    for prompts in prompts_by_rank:
        parts = prompts.get(kind.name, {})
        if _template_sha256(source, frozenset(parts.items())) == template:
            return source.holds(trait, parts)
    return source.holds(trait, {})


def _as_read(trait: Any, names: Materials | None) -> Materials | None:
    """Return the materials as the trait reads them; None stays None."""
    return None if names is None else materials_as_read(trait, names)


@lru_cache(64)
def _template_sha256(source: Asked[Any], parts: frozenset[tuple[str, str]]) -> str:
    """Return the hash of a kind's prompt with these parts in place of its own.

    Each of `parts` is a name and its text; a name that the prompt lacks is added.
    """
    texts = tomli.loads(source.prompt())
    texts.update(parts)
    return digest(texts)


def prompts_over(rubrics: Prompts, layers: Sequence[Prompts]) -> list[Prompts]:
    """Return the prompts that a rubric's cells may be judged with, the likeliest first.

    There is one for each of `layers`, which replaces parts of the rubric's, in order; then the
    rubric's alone and the shipped ones, for which the table is empty. Equal ones are not left out.
    """
    return [*(over(rubrics, prompts) for prompts in layers), rubrics, {}]


def kinds_of_unread(trace: Trace, materials: Materials) -> set[str]:
    """Return the kinds of material that a trace has and its judge did not get in full.

    They are "turn", "result", "reference", "choices", "documents", "document names", "metadata" and
    "model". "question" stands for "turn" if there are no messages. "model" is the name of the model
    that answered, which the judge got if it got the metadata as a whole. `materials` are those that
    the judge got.
    """
    has_all_turns = QUESTION in materials and EARLIER_TURNS in materials
    turns: Sequence[ChatTurn] = ()
    if not has_all_turns and WHOLE_CONVERSATION not in materials:
        turns = turns_of(trace, trace.question)
    kinds: set[str] = set()
    for name in unread(trace, turns, materials):
        kind, _, _ = name.partition(".")
        kinds.add(kind)
    if TURN in kinds and not trace.messages:
        kinds.remove(TURN)
        kinds.add(QUESTION)
    if METADATA in kinds:
        if not fields_with_values(trace):
            kinds.remove(METADATA)
        if trace.model:
            kinds.add(MODEL)
    return kinds


def said_of_response(not_shown: Materials) -> str:
    """Return "a part not shown to the judge" as the mark of the response, or "".

    It is "" unless `RESPONSE_PART` is among what the judge did not get.
    """
    return f"a part {NOT_SHOWN}" if RESPONSE_PART in not_shown else ""


# -- in words --------------------------------------------------------------------------------------


def beside_response(
    trace: Trace,
    turns: Sequence[ChatTurn],
    not_shown: Materials,
) -> list[str]:
    """Return the names of what a verdict may need besides the response and the newest turn.

    For example ["3 turns earlier (2 not shown to the judge)", "1 turn since", "reference",
    "choices", "2 documents"], without those that the trace lacks. `trace` has its question's
    reference; `turns` are those before its response, and "since" are those after the newest
    question. Only turns that the judge did not get are marked here, since they may stand above the
    response; other things are marked where they are read.
    """
    names: list[str] = []
    prompt = asked(turns)
    if prompt is not None:
        newest = len(prompt.earlier)
        names.append(_turns_in_words("earlier", range(newest), not_shown))
        names.append(_turns_in_words("since", range(newest + 1, len(turns)), not_shown))
    if trace.reference:
        names.append("reference")
    if trace.choices:
        names.append("choices")
    if trace.documents:
        names.append(many(len(trace.documents), "document"))
    return list(filter(None, names))


def _turns_in_words(when: str, indexes: range, not_shown: Materials) -> str:
    """Return how many turns there are, as in "3 turns earlier (2 not shown to the judge)".

    `when` comes after the number. The judge got none of them in "3 turns earlier (not shown to the
    judge)", and all in "3 turns earlier". Returns "" for no turns.
    """
    if not indexes:
        return ""
    turns = many(len(indexes), "turn")
    hidden = [index for index in indexes if turn_name(index) in not_shown]
    if not hidden:
        return f"{turns} {when}"
    if len(hidden) == len(indexes):
        return f"{turns} {when} ({NOT_SHOWN})"
    return f"{turns} {when} ({len(hidden)} {NOT_SHOWN})"


def said_of_newest(turns: Sequence[ChatTurn], not_shown: Materials) -> str:
    """Return "not shown to the judge" if the turn that the response answers was not, else "".

    It was not if `not_shown` has its name, such as "turn.2" if two turns come before it. The text
    stands next to that turn's title. Returns "" also if there is no such turn.
    """
    prompt = asked(turns)
    if prompt is None:
        return ""
    return said_of(turn_name(len(prompt.earlier)), not_shown)
