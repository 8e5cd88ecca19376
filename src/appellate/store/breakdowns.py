"""A trait over all its cells and by groups of their traces, read from the workspace.

Every cell of the trait is folded, by a connection of its own: for a thread, and for nobody who
waits at a key.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from appellate.core.breakdown import Breakdown, BreakdownSums
from appellate.core.cell import fold
from appellate.core.headway import Heard, deaf
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.store import meta
from appellate.store.database import reading
from appellate.store.fact_rows import fact_of
from appellate.store.tables import earlier_traits
from appellate.traits.rubric import Rubric

META = "meta."
BY = ("model", "question", "cluster", "epoch")
"""What traces are grouped by, beside the keys of their metadata: `meta.site`."""


def is_grouping(by: str) -> bool:
    """Whether traces can be grouped so."""
    return by in BY or (by.startswith(META) and by != META)


def words_of(trace: Trace, by: str) -> Iterable[str]:
    """The groups that a trace is in: none where it says nothing, several where it has a list."""
    match by:
        case "model":
            return filter(None, (trace.model,))
        case "question":
            return filter(None, (trace.question_id or trace.question,))
        case "cluster":
            return filter(None, (trace.cluster,))
        case "epoch":
            return (str(trace.epoch),)
        case _:
            return dict.fromkeys(_in_metadata(trace, by.removeprefix(META)))


def _in_metadata(trace: Trace, key: str) -> list[str]:
    value = (trace.metadata or {}).get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        return [_told(value)]
    return list(map(_told, value))


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def breakdown(
    path: Path, trait: str, by: str = "", reducers: Sequence[str] = ("mean",), heard: Heard = deaf
) -> Breakdown | None:
    """The numbers of a trait as it is now; None where no cell is of it.

    `heard` is told after every cell, and may raise to have it stop.
    """
    sums = BreakdownSums(by, reducers)
    with reading(path) as db:
        (told,) = db.execute("SELECT value FROM meta WHERE key = ?", (meta.RUBRIC,)).fetchone()
        rubric, earlier = Rubric.model_validate_json(told), earlier_traits(db)
        (count,) = db.execute("SELECT count(*) FROM cells WHERE trait = ?", (trait,)).fetchone()
        cells = db.execute(
            "SELECT c.no, t.body FROM cells c JOIN traces t ON t.no = c.trace WHERE c.trait = ?"
            " ORDER BY c.no",
            (trait,),
        )
        facts = "SELECT n, at, by, name, body, part_of FROM facts WHERE cell = ? ORDER BY n"
        for done, (number, body) in enumerate(cells, 1):
            trace = Trace.model_validate(json.loads(body))
            known = rubric.traits_of(trace)[trait]
            subject = Subject(known.kind, known.trait, trace, earlier)
            cell = fold(subject, [fact_of(*row) for row in db.execute(facts, (number,))])
            sums.add(cell, words_of(trace, by))
            heard(done, done / count)
    return sums.breakdown()


def groupings(path: Path) -> list[str]:
    """By what the traces of a workspace can be told apart: those of `BY`, then `meta.KEY`."""
    with reading(path) as db:
        found = [by for by, sql in _TOLD_APART.items() if db.execute(sql).fetchone()[0]]
        keys = db.execute(
            "SELECT DISTINCT m.key FROM traces t, json_each(t.body, '$.metadata') m"
            " WHERE json_type(t.body, '$.metadata') = 'object' ORDER BY m.key LIMIT ?",
            (MOST_KEYS,),
        )
        return [*found, *(META + key for (key,) in keys)]


MOST_KEYS = 300
_TOLD_APART = {
    "model": "SELECT count(DISTINCT model) > 1 FROM heads",
    "question": "SELECT count(DISTINCT question_id || char(0) || question) > 1 FROM heads",
    "cluster": "SELECT count(DISTINCT json_extract(body, '$.cluster')) > 1 FROM traces",
    "epoch": "SELECT EXISTS (SELECT 1 FROM traces WHERE epoch <> 1)",
}
