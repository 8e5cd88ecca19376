"""What a person can see of a trace, and its judge does not get."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from appellate.core.materials import (
    CHOICES,
    DOCUMENTS,
    EARLIER_TURNS,
    HISTORY,
    METADATA,
    QUESTION,
    REFERENCE,
    Materials,
    metadata_field,
)
from appellate.core.messages import SYSTEM, THINKS, USER, ChatTurn, last_asked
from appellate.core.trace import Trace


class Unread(Struct, frozen=True):
    """What there is of a trace that its judge did not get.

    Where nobody knows what the judge got, nothing is in it: no more is said than is known.
    """

    turns: frozenset[int] = frozenset()
    """Of the turns before the response, as `messages.turns_of` has them: their indexes."""
    parts: Materials = frozenset()
    """Which of reference, choices, documents and metadata."""
    metadata_read: Sequence[str] = ()
    """Fields of the metadata that the judge got, where it did not get all of them."""


NOTHING_UNREAD = Unread()


def unread(trace: Trace, turns: Sequence[ChatTurn], materials: Materials | None) -> Unread:
    """Return what there is of a trace that is not among the materials that a judge got.

    `trace` has its question's text and reference, `turns` are those before its response. Materials
    are None where they are not known.
    """
    if materials is None:
        return NOTHING_UNREAD
    parts: set[str] = set()
    present = {
        REFERENCE: trace.reference,
        CHOICES: trace.choices,
        DOCUMENTS: trace.documents,
        METADATA: trace.metadata or trace.model,
    }
    for name, value in present.items():
        if value and name not in materials:
            parts.add(name)
    fields = [name for name in trace.metadata or {} if metadata_field(name) in materials]
    unread_turns = _unread_turns(trace, turns, materials)
    return Unread(frozenset(unread_turns), frozenset(parts), tuple(fields))


def _unread_turns(trace: Trace, turns: Sequence[ChatTurn], materials: Materials) -> Collection[int]:
    """Return the indexes of the turns of which a judge got no word."""
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
