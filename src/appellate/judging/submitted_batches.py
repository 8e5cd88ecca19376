"""The batches submitted for an audit, kept in its workspace until their answers are in."""

import json
from contextlib import suppress
from typing import NamedTuple

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from appellate.core.problem import Refused
from appellate.judges.batches import Batch, BatchServer, NoSuchBatch
from appellate.judging.batch_requests import Shard
from appellate.store import meta
from appellate.store.workspace import Workspace


class SubmittedFile(Struct, frozen=True):
    """One file of requests at a server; `id` is empty until its batch is known to have begun.

    `base_url` and `api_key_env` are what was said of the server, `url` is what came of it. `over`
    when there is nothing more to fetch. `replies` is the file that keeps replies to probes, ""
    where the requests are about cells; `cells` counts requests either way.
    """

    file: str
    url: str
    model: str
    cells: int
    base_url: str | None = None
    api_key_env: str | None = None
    id: str = ""
    over: bool = False
    replies: str = ""

    @property
    def asked(self) -> str:
        """What its requests are about, in a word."""
        if self.replies:
            return "questions"
        return "cells"


class Standing(NamedTuple):
    """An entry and its batch, None where the server knows of none."""

    entry: SubmittedFile
    batch: Batch | None


def entries(workspace: Workspace, asked: str = "") -> list[SubmittedFile]:
    """The batches whose answers are not in, oldest first: all, or those about "cells", or the
    "questions" of probes.
    """
    under_way = [entry for entry in _all(workspace) if not entry.over]
    return [entry for entry in under_way if asked in ("", entry.asked)]


def warning(workspace: Workspace, asked: str = "cells") -> list[str]:
    """What whoever is about to ask should know: what is in a batch would be paid for twice."""
    count = sum(entry.cells for entry in entries(workspace, asked))
    if not count:
        return []
    text = f"{count} {asked} are in batches whose answers are not in (batch fetch)"
    return [f"{text}: asked now, they are paid for twice."]


def refuse_twice(workspace: Workspace, audit: str, asked: str) -> None:
    """Raises Refused while answers may come: never pay twice for the same."""
    if entries(workspace, asked):
        text = f"take the answers in first with `appellate batch fetch {audit}`"
        raise Refused(f"What was submitted before may still be answered: {text}.")


def _all(workspace: Workspace) -> list[SubmittedFile]:
    return [SubmittedFile(**value) for value in json.loads(workspace.meta(meta.BATCHES) or "[]")]


def keep(workspace: Workspace, entry: SubmittedFile) -> SubmittedFile:
    """Keeps an entry, in place of what was known of its file."""
    known = {one.file: one for one in _all(workspace)} | {entry.file: entry}
    workspace.set_meta(meta.BATCHES, json.dumps([to_builtins(one) for one in known.values()]))
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
