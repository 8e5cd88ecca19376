"""The questions of probes as files for a batch engine, and its answers back into the cache.

A request goes by what its reply is kept under, so that an answer needs no more than its place
there; the probe then finds it as if it had been asked before. What rests on answers is in the file
that is written once they are in.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field
from pydantic import SecretStr

from appellate.core.problem import Refused
from appellate.judges.batches import Broken, row
from appellate.judges.completion import Completion
from appellate.judges.endpoint import body_without_key
from appellate.judges.openai import Unanswered
from appellate.judges.reply_cache import Cache
from appellate.judges.request import api_of, read_reply
from appellate.judging.batch_requests import Shard, Shards, line_of, path_of
from appellate.judging.probes import Probe, ProbeRun


class RequestsWritten(NamedTuple):
    """Files of requests, how many of these ask further, and how many questions wait
    for these answers.
    """

    files: list[Shard]
    further: int
    waiting: int


def export(run: ProbeRun, probes: Sequence[Probe], shards: Shards) -> RequestsWritten:
    """Writes the requests whose replies are not kept yet, each once."""
    written: set[str] = set()
    further = waiting = 0
    for one in run.foreseen(probes):
        if not isinstance(one.lacking, Unanswered):
            continue
        key, body = one.lacking.key, one.lacking.body
        if one.question.vague:
            waiting += 1
        elif key not in written:
            written.add(key)
            further += one.lacking.further
            shards.add(line_of(key, path_of(one.member), body))
    return RequestsWritten(shards.named(), further, waiting)


# -- answers --------------------------------------------------------------------------------------


class ProbeAnswers(Struct):
    """What files of answers hold: replies by what they are kept under, and why others are none."""

    replies: dict[str, bytes] = field(default_factory=dict)
    troubles: Counter[str] = field(default_factory=Counter)


def read_answers(files: Iterable[Path], key: SecretStr | None) -> ProbeAnswers:
    """The answers in files, in any order, without the key of the server that gave them."""
    found = ProbeAnswers()
    for path in files:
        with path.open("rb") as lines:
            for line in filter(bytes.strip, lines):
                try:
                    answer = row(body_without_key(line, key))
                except Broken as broken:
                    found.troubles[f"a line {broken}"] += 1
                    continue
                reply = json.dumps(answer.body).encode()
                if answer.unasked:
                    found.troubles["not asked before the batch ended"] += 1
                elif answer.trouble:
                    found.troubles[answer.trouble.message or "no reason given"] += 1
                elif isinstance(read_reply(reply, {}, api_of(reply)), Completion):
                    found.replies[answer.custom_id] = reply
                else:
                    found.troubles["the answer is no completion"] += 1
    return found


def keep(cache: Cache, replies: dict[str, bytes]) -> None:
    """Keeps replies; raises Refused where they cannot be."""
    cache.put(replies)
    if not replies.keys() <= cache.keys():
        raise Refused("The answers cannot be saved: is the disk full, or the file in use?")


def take_in(
    run: Callable[[], ProbeRun], probes: Sequence[Probe], cache: Cache, replies: dict[str, bytes]
) -> int:
    """Keeps the replies to what is open, and to what they open; how many these were.

    `run` makes a run that knows what is kept by now. Raises Refused.
    """
    taken = 0
    while True:
        lacking = [one.lacking for one in run().foreseen(probes)]
        wanted = {one.key for one in lacking if isinstance(one, Unanswered)}
        fresh = {key: replies[key] for key in wanted & replies.keys()}
        if not fresh:
            return taken
        keep(cache, fresh)
        taken += len(fresh)
