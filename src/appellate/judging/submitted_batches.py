"""The batches submitted for an audit, kept in its workspace until their answers are in."""

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from appellate.judges.batches import Batch, BatchServer, NoSuchBatch
from appellate.judging.batch_requests import Shard
from appellate.store import meta
from appellate.store.workspace import Workspace


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """One file of requests at a server; `id` is empty until its batch is known to have begun.

    `base_url` and `api_key_env` are what was said of the server, `url` is what came of it. `over`
    when there is nothing more to fetch.
    """

    file: str
    url: str
    model: str
    cells: int
    base_url: str | None = None
    api_key_env: str | None = None
    id: str = ""
    over: bool = False


class Standing(NamedTuple):
    """An entry and its batch, None where the server knows of none."""

    entry: SubmittedFile
    batch: Batch | None


def entries(workspace: Workspace) -> list[SubmittedFile]:
    """The batches whose answers are not in, oldest first."""
    return [entry for entry in _all(workspace) if not entry.over]


def warning(workspace: Workspace) -> list[str]:
    """What whoever is about to judge should know: cells in a batch would be paid for twice."""
    under_way = entries(workspace)
    if not under_way:
        return []
    cells = sum(entry.cells for entry in under_way)
    told = f"{cells} cells are in batches whose answers are not in (batch fetch)"
    return [f"{told}: judged now, they are paid for twice."]


def _all(workspace: Workspace) -> list[SubmittedFile]:
    return [SubmittedFile(**told) for told in json.loads(workspace.meta(meta.BATCHES) or "[]")]


def keep(workspace: Workspace, entry: SubmittedFile) -> SubmittedFile:
    """Keeps an entry, in place of what was known of its file."""
    known = {one.file: one for one in _all(workspace)} | {entry.file: entry}
    workspace.set_meta(meta.BATCHES, json.dumps([asdict(one) for one in known.values()]))
    return entry


async def submit(
    server: BatchServer, workspace: Workspace, shard: Shard, about: SubmittedFile, path: str
) -> Standing:
    """Uploads a file and starts its batch.

    The file is kept first, so that no batch is ever forgotten.
    """
    file = await server.upload(shard.file)
    entry = keep(workspace, replace(about, file=file, cells=shard.lines))
    batch = await server.begin(file, path)
    return Standing(keep(workspace, replace(entry, id=batch.id)), batch)


async def look(server: BatchServer, entry: SubmittedFile) -> Standing:
    """Where a batch stands; one whose id never came back is looked for by its file."""
    batch = None
    with suppress(NoSuchBatch):
        if entry.id:
            batch = await server.look(entry.id)
        else:
            batch = await server.begun_from(entry.file)
    if batch:
        entry = replace(entry, id=batch.id)
    return Standing(entry, batch)
