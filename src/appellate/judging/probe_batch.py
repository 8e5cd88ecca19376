"""The questions of probes as a file for a batch engine, and its answers back into the cache.

A request goes by what its reply is kept under, so that an answer needs no more than its place
there; the probe then finds it as if it had been asked before.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from appellate.judges.batches import Broken, row
from appellate.judges.reply_cache import Cache
from appellate.judging.batch_requests import Shard, Shards, line_of, path_of
from appellate.judging.planning import ModelMember
from appellate.judging.probe_run import ProbeRun
from appellate.judging.probes import RESTS_ON_ANSWERS, Probe
from appellate.talk.dialogue import Unreadable


def export(run: ProbeRun, probes: Sequence[Probe], shards: Shards) -> list[Shard]:
    """Writes the first requests whose answers are not kept yet."""
    for member, key, body in _requests(run, probes):
        shards.add(line_of(key, path_of(member), body))
    return shards.named()


def take_in(run: ProbeRun, probes: Sequence[Probe], cache: Cache, files: Iterable[Path]) -> str:
    """Keeps the answers in these files, and says what became of them, in a sentence."""
    wanted = {key for _, key, _ in _requests(run, probes)}
    counts: Counter[str] = Counter()
    for path in files:
        taken: dict[str, bytes] = {}
        with path.open("rb") as lines:
            for line in filter(bytes.strip, lines):
                try:
                    found = row(line)
                except Broken:
                    counts["unreadable"] += 1
                    continue
                if found.trouble or found.unasked:
                    counts["without an answer"] += 1
                elif found.custom_id in wanted:
                    taken[found.custom_id] = json.dumps(found.body).encode()
                else:
                    counts["to no question that is open here"] += 1
        cache.put(taken)
        counts["taken in"] += len(taken)
    return ", ".join(f"{count:,} {sort}" for sort, count in counts.most_common())


def _requests(
    run: ProbeRun, probes: Sequence[Probe]
) -> Iterator[tuple[ModelMember, str, dict[str, Any]]]:
    """Who is asked, what the reply is kept under, and the body; only what is not known."""
    for name, question in run.foreseen(probes):
        if name == RESTS_ON_ANSWERS:
            continue
        job = question.job
        for member in run.judge(question).members:
            try:
                body = member.judge.first_request(job.subject, job.trace, job.briefing)
            except Unreadable:
                continue
            if not member.judge.knows(job.subject, job.trace, job.briefing):
                yield member, member.judge.reply_key(body), body
