"""What a person can see of a trace, and its judge did not get.

`unread` tells it of materials, `unread_in` of a cell, by who judged it. Panes and line mode mark it
as `NOT_SHOWN`; `check` counts it.
"""

import tomllib
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from appellate.core.cell import Cell
from appellate.core.kind import Asked, Computed, Subject, Table, materials_as_read
from appellate.core.messages import SYSTEM, THINKS, USER, ChatTurn, asked, last_asked, turns_of
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
"""What is said of it where it is shown to a person."""
LEXICAL = "lexical"
"""What the judge is called that compares words."""


NOTHING_UNREAD: Materials = frozenset()


TURN = "turn"
RESULT = "result"


def turn_name(index: int) -> str:
    """Return the name of a turn before the response among what a judge did not get, from 0."""
    return f"{TURN}.{index}"


def result_name(step_no: int) -> str:
    """Return the name of a result that a conversation has shortened, of which a part is left."""
    return f"{RESULT}.{step_no}"


def said_of(name: str, left: Materials) -> str:
    """Return what is said of a material beside its title; "" of one that the judge got."""
    return NOT_SHOWN if name in left else ""


def said_of_metadata(trace: Trace, left: Materials) -> str:
    """Return what is said of all metadata; fields that the judge got all the same are named."""
    text = said_of(METADATA, left)
    fields = [name for name in trace.metadata or {} if metadata_field(name) not in left]
    if text and fields:
        text += f", but for {', '.join(fields)}"
    return text


def said_of_document(source: Source, left: Materials) -> str:
    """Return what is said of a document beside its heading, which has its name."""
    if source.name and DOCUMENT_NAMES in left:
        return f"name {NOT_SHOWN}"
    return said_of(DOCUMENTS, left)


def unread(trace: Trace, turns: Sequence[ChatTurn], materials: Materials | None) -> Materials:
    """Return what there is of a trace that is not among the materials that a judge got.

    The names are those of materials, and of single turns (`turn_name`), shortened results
    (`result_name`) and fields of metadata.
    `trace` has its question's text and reference, `turns` are those before its response. Materials
    are None where nobody knows: then nothing is left, for no more is said than is known.
    """
    if materials is None:
        return NOTHING_UNREAD
    present: dict[str, object] = {
        REFERENCE: trace.reference,
        CHOICES: trace.choices,
        DOCUMENTS: trace.documents,
        METADATA: trace.metadata or trace.model,
    }
    for name, value in (trace.metadata or {}).items():
        present[metadata_field(name)] = value is not None
    if DOCUMENTS in materials:
        present[DOCUMENT_NAMES] = any(source.name for source in sources(trace))
    left = {name for name, value in present.items() if value and name not in materials}
    left.update(map(turn_name, _unread_turns(trace, turns, materials)))
    if WHOLE_CONVERSATION in materials:
        left.update(result_name(result.step_no) for result in trace.whole_results)
    return frozenset(left)


def _unread_turns(trace: Trace, turns: Sequence[ChatTurn], materials: Materials) -> Collection[int]:
    """Return the indexes of the turns of which a judge got no word."""
    if WHOLE_CONVERSATION in materials:
        return []
    if not trace.messages:  # the question is one text, even where turns are told in it
        if QUESTION in materials:
            return []
        return range(len(turns))
    question = trace.question or last_asked(turns)
    found: list[int] = []
    for index, turn in enumerate(turns):
        is_question = turn.role == USER and turn.text.strip() == question.strip()
        if is_question and QUESTION in materials:
            continue
        if EARLIER_TURNS in materials and not (is_question and index == len(turns) - 1):
            continue
        if HISTORY in materials and turn.role != SYSTEM and turn.does != THINKS:
            continue
        found.append(index)
    return found


# -- of a cell -------------------------------------------------------------------------------------


def unread_in(
    cell: Cell, trace: Trace, turns: Sequence[ChatTurn], known: Sequence[Prompts]
) -> Materials:
    """Return what the judge of a cell did not get of its trace.

    `known` are the parts of prompts that a judge may have been asked with, those in force first. Of
    a cell that was not judged, it is what a judge would not get that is asked with these.
    """
    judge = cell.judge.judge if cell.judge else None
    materials = materials_of(cell.subject, judge, known)
    left = unread(trace, turns, materials)
    source = cell.subject.source
    if materials is None or not isinstance(source, Asked):
        return left
    return left | source.left_out(cell.subject.trait, trace)


def materials_of(
    subject: Subject, judge: Table | None, known: Sequence[Prompts]
) -> Materials | None:
    """Return what the judge of a cell got of its trace; None where nobody knows.

    `judge` is the judge's record, None where there is no judgment yet. `known` are parts of prompts
    that it may have been asked with, those in force first. Where it was asked with others, what any
    prompt may leave out counts as given.
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
        return source.holds(trait, known[0].get(kind.name, {}))
    template = judge.get("template_sha256")
    if template is None:
        return materials_as_read(trait, source.compared) if name == LEXICAL else None
    for prompts in known:
        parts = prompts.get(kind.name, {})
        if _template_sha256(source, frozenset(parts.items())) == template:
            return source.holds(trait, parts)
    return source.holds(trait, {})


def _as_read(trait: Any, names: Materials | None) -> Materials | None:
    return None if names is None else materials_as_read(trait, names)


@lru_cache(64)
def _template_sha256(source: Asked[Any], parts: frozenset[tuple[str, str]]) -> str:
    """Return the hash of a kind's prompt with these parts in place of its own."""
    return digest({**tomllib.loads(source.prompt()), **dict(parts)})


def prompts_over(rubrics: Prompts, known: Sequence[Prompts]) -> list[Prompts]:
    """Return the parts that a rubric's cells may be judged with: each of `known` over its own."""
    return [*(over(rubrics, prompts) for prompts in known), rubrics, {}]


def kinds_of_unread(trace: Trace, materials: Materials) -> set[str]:
    """Return which kinds of material a trace has that are not all among those that a judge got.

    They are `TURN`, `RESULT`, `QUESTION` (where there are no messages), reference, choices,
    documents, the names of documents, and metadata.
    """
    turns: Sequence[ChatTurn] = ()
    if not (materials >= {QUESTION, EARLIER_TURNS} or WHOLE_CONVERSATION in materials):
        turns = turns_of(trace, trace.question)
    kinds = {name.partition(".")[0] for name in unread(trace, turns, materials)}
    if TURN in kinds and not trace.messages:
        kinds.remove(TURN)
        kinds.add(QUESTION)
    return kinds


def said_of_response(left: Materials) -> str:
    """Return what is said of the response beside its title; "" where the judge got all of it."""
    return f"a part {NOT_SHOWN}" if RESPONSE_PART in left else ""


# -- in words --------------------------------------------------------------------------------------


def beside_response(trace: Trace, turns: Sequence[ChatTurn], left: Materials) -> list[str]:
    """Return by name what else a verdict may need than the response and the newest turn.

    `trace` has its question's reference, `turns` are those before its response. Of these it says
    which were not shown to the judge, for some of them stand above the response; of the others
    that is said where they are read.
    """
    names: list[str] = []
    prompt = asked(turns)
    if prompt is not None:
        newest = len(prompt.earlier)
        names.append(_turns_in_words("earlier", range(newest), left))
        names.append(_turns_in_words("since", range(newest + 1, len(turns)), left))
    if trace.reference:
        names.append("reference")
    if trace.choices:
        names.append("choices")
    if trace.documents:
        names.append(many(len(trace.documents), "document"))
    return list(filter(None, names))


def _turns_in_words(when: str, indexes: range, left: Materials) -> str:
    """Return how many turns there are, and how many of them the judge did not get; "" of none."""
    if not indexes:
        return ""
    text = f"{many(len(indexes), 'turn')} {when}"
    count = sum(turn_name(index) in left for index in indexes)
    if count == len(indexes):
        text += f" ({NOT_SHOWN})"
    elif count:
        text += f" ({count} {NOT_SHOWN})"
    return text


def said_of_newest(turns: Sequence[ChatTurn], left: Materials) -> str:
    """Return what is said of the turn that the response answers; "" where the judge got it."""
    prompt = asked(turns)
    if prompt is None:
        return ""
    return said_of(turn_name(len(prompt.earlier)), left)
