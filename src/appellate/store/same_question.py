"""Which traces answer the same question: those with its id, or, where they have none, its words.

What each trace was asked is kept as a fingerprint, so that the others are found by an index.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any


def keep(db: sqlite3.Connection, first: int, traces: Iterable[Mapping[str, Any]]) -> None:
    """Keeps what new traces were asked, as their JSON has it; `first` is the number of the
    first.
    """
    rows: list[tuple[bytes, int]] = []
    for number, trace in enumerate(traces, first):
        if question := fingerprint(trace.get("question_id"), trace.get("question")):
            rows.append((question, number))
    db.executemany("INSERT INTO asked VALUES (?, ?)", rows)


def fingerprint(question_id: str | None, question: str | None) -> bytes | None:
    """Of the question that a trace answers; None where it says nothing of it."""
    if question_id is not None:
        text = f"id {question_id}"
    elif question:
        text = f"words {question}"
    else:
        return None
    return blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
