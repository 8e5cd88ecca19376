"""What traces say, kept a second time, a row each: as queries look for words in it, as the queue
shows it, and as others that answer the same question are found.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from appellate.core import messages
from appellate.query.sql import folded
from appellate.store import metadata_rows

AT_ONCE = 256
"""Traces that are kept in one go."""
_HEAD = 160  # characters of a question that a line of the queue may have room for


def keep(db: sqlite3.Connection, first: int, traces: Sequence[Mapping[str, Any]]) -> None:
    """Keeps all that is looked for in some new traces, as their JSON has it; `first` is the number
    of the first.
    """
    texts: list[tuple[int, bytes, bytes]] = []
    responses: list[tuple[int, bytes]] = []
    heads: list[tuple[int, str, str, str]] = []
    asked: list[tuple[bytes, int]] = []
    for number, trace in enumerate(traces, first):
        texts.append((number, folded(trace["id"]), folded(trace.get("question") or "")))
        responses.append((number, folded(trace.get("response", ""))))
        heads.append((number, *_head(trace)))
        if question := fingerprint(trace.get("question_id"), trace.get("question")):
            asked.append((question, number))
    db.executemany("INSERT INTO texts VALUES (?, ?, ?)", texts)
    db.executemany("INSERT INTO responses VALUES (?, ?)", responses)
    db.executemany("INSERT INTO heads VALUES (?, ?, ?, ?)", heads)
    db.executemany("INSERT INTO asked VALUES (?, ?)", asked)
    metadata_rows.keep(db, first, traces)


def _head(trace: Mapping[str, Any]) -> tuple[str, str, str]:
    """Who answered and what was asked, in one line; else the rubric's question that it was."""
    model, question = trace.get("model") or "", trace.get("question")
    if question is None:
        return model, "", trace.get("question_id") or ""
    return model, beginning(question), ""


def beginning(question: str) -> str:
    """What was asked, of a conversation what was asked last, in one line and not to its end."""
    prompt = messages.asked(messages.parted(question))
    text = prompt.newest.text if prompt else ""
    return " ".join(text[: 2 * _HEAD].split())[:_HEAD]


def fingerprint(question_id: str | None, question: str | None) -> bytes | None:
    """Of the question that a trace answers; None where it says nothing of it."""
    if question_id is not None:
        text = f"id {question_id}"
    elif question:
        text = f"words {question}"
    else:
        return None
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def models(db: sqlite3.Connection) -> set[str]:
    """Everybody who wrote a response."""
    return {name for (name,) in db.execute("SELECT DISTINCT model FROM heads WHERE model <> ''")}
