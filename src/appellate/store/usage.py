"""What judgments took so far, as an audit's own record of a model."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from appellate.store.workspace import reading

_LOOKED_THROUGH = 5_000


class Usage(NamedTuple):
    """One judgment of one model: its cell, the template and how many examples it was told by, and its tokens."""

    cell: int
    template_sha256: str
    examples: int
    tokens_in: int
    tokens_out: int


def usage(path: Path, model: str, limit: int = 50) -> list[Usage]:
    """The latest judgments of a model that told their tokens, members of panels too; from among the latest facts."""
    sql = "SELECT cell, body FROM (SELECT cell, name, body FROM facts ORDER BY n DESC LIMIT ?) WHERE name = 'proposed'"
    found: list[Usage] = []
    with reading(path) as db:
        for cell, body in db.execute(sql, (_LOOKED_THROUGH,)):
            found += (Usage(cell, *took) for took in _took(json.loads(body)["judge"], model))
            if len(found) >= limit:
                break
    return found[:limit]


def _took(judge: Mapping[str, Any], model: str) -> Iterator[tuple[str, int, int, int]]:
    for record in (judge, *judge.get("members", ())):
        told = [record.get("template_sha256"), len(record.get("examples", ()))]
        tokens = [record.get("tokens_in"), record.get("tokens_out")]
        if record.get("model") == model and told[0] and all(tokens):
            yield told[0], told[1], tokens[0], tokens[1]
