"""One request for each missing cell, as the lines that batch engines read."""

import json
from collections.abc import Iterable
from typing import Any

from appellate.judging.assign import Ask
from appellate.judging.batch_files import Shard, Shards
from appellate.judging.batch_ids import Label, Terms, parameters_of, prompt_hash, subject_hash
from appellate.judging.choice import Member
from appellate.store.workspace import Workspace

_SEPARATORS = {ord(sign): f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"}
"""Where some readers of lines would break one."""


def export(asks: Iterable[Ask], member: Member, workspace: Workspace, shards: Shards) -> list[Shard]:
    """Writes the requests in the order of the cells, which keeps a trace's together."""
    kept: set[str] = set()
    for ask in asks:
        body = member.judge.first_request(ask.subject, ask.trace, ask.briefing)
        terms = Terms(member.endpoint, ask.briefing, parameters_of(body))
        if terms.tag not in kept:
            workspace.set_meta(terms.key, json.dumps(terms.to_json()))
            kept.add(terms.tag)
        label = Label(ask.cell, ask.round, terms.tag, subject_hash(ask), prompt_hash(ask, listed=member.judge.listed))
        line = {"custom_id": str(label), "method": "POST", "url": path_of(member), "body": body}
        shards.add(_line(line))
    return shards.named()


def _line(request: dict[str, Any]) -> bytes:
    text = json.dumps(request, ensure_ascii=False).translate(_SEPARATORS)
    return text.encode("utf-8", "replace") + b"\n"


def path_of(member: Member) -> str:
    """The path that each request names, whatever the server's base URL is."""
    return f"/v1{member.judge.path}"
