"""Claude Code: a session as JSON Lines. Each line is a part of a message, with the line before it
(`parentUuid`); a sub-agent's lines are a conversation of their own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from appellate.core.problem import many
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    Row,
    first_names,
    table_at,
)
from appellate.interop.runs.run import run_of
from appellate.interop.tables import Rows

FORM = "Claude Code session"
MAPPING = {
    "id": "sessionId; of a sub-agent with agentId",
    "model": "message.model",
    "messages": "message, of the newest branch",
    "response": "message (the assistant's last words)",
    "metadata.parent": "sessionId, of a sub-agent",
}
_LOST = [
    "lines that are no message (summary, system, attachment, snapshot, progress)",
    "usage",
]
_SUMMARY = "(summary of earlier turns)"


def knows(row: Row) -> bool:
    """Return whether a row is a line of a Claude Code session, by its session, type and uuid."""
    return "sessionId" in row and row.get("type") is not None and "uuid" in row


def read(rows: Rows) -> ForeignFile:
    """Return what a Claude Code session holds: its run, then those of its sub-agents.

    A session may have been resumed from an earlier line, so only the newest branch of each
    run is read. `rows` is called at each pass, and held in memory then. Messages without
    content are left out, and noted once the traces were read.
    """
    wordless: list[str] = []

    def traces() -> Iterator[ForeignTrace]:
        """Yield the run of a Claude Code session, called by its id, then of each sub-agent.

        A sub-agent's run is called `SESSION-AGENT`, and its metadata has the session as parent. The
        session's is left out if it has no message of its own. Notes anew which messages have no
        content.
        """
        by_name = _lines_by_uuid(rows())
        wordless[:] = [
            str(row.get("uuid")) for row in by_name.values() if _is_wordless(row)
        ]
        agent_names = _agents_of_lines(by_name)
        main: list[Row] = []
        agents: dict[str, list[Row]] = {}
        for row in filter(_is_message, by_name.values()):
            lines = main
            if row.get("isSidechain"):
                lines = agents.setdefault(agent_names[id(row)], [])
            lines.append(row)
        if main:
            yield _run(str(main[0]["sessionId"]), _newest_branch(main, by_name))
        for agent, lines in agents.items():
            session = str(lines[0]["sessionId"])
            yield _run(
                f"{session}-{agent}",
                _newest_branch(lines, by_name),
                parent=session,
            )

    def notes() -> list[str]:
        """Return a list of one clause on Claude Code's messages left out without content, or [].

        It is about the last pass over the traces, [] before, and names the first messages by their
        uuids.
        """
        if not wordless:
            return []
        count = many(len(wordless), "message")
        return [f"skipped: {count} without content: {first_names(wordless)}"]

    return ForeignFile(FORM, traces, MAPPING, lost=_LOST, notes=notes)


def _lines_by_uuid(rows: Iterable[Row]) -> dict[str, Row]:
    """Return the lines of a Claude Code session by their uuids, in order, repeated ones once.

    A line without a uuid has its number. A line with an earlier one's uuid but another message
    stays, under a name of its own.
    """
    by_name: dict[str, Row] = {}
    for row in rows:
        count = len(by_name)
        name = str(row.get("uuid") or count)
        known_row = by_name.get(name)
        if known_row is None:
            by_name[name] = row
        elif known_row.get("message") != row.get("message"):
            by_name[f"{name} {count}"] = row
    return by_name


def _agents_of_lines(by_name: Mapping[str, Row]) -> dict[int, str]:
    """Return the name of the sub-agent of each of its lines in a Claude Code session, by `id`.

    It is the `agentId`. Versions without it part sub-agents by their first lines alone, which name
    no earlier line of a sub-agent: these are "agent", "agent-2" and so on. If no line names one
    they are all "agent", and a line whose earlier one is not in the file goes on with the last.
    """
    names: dict[int, str] = {}
    unnamed: list[Row] = []
    for row in by_name.values():
        if row.get("isSidechain") and row.get("agentId"):
            names[id(row)] = str(row["agentId"])
        elif row.get("isSidechain"):
            unnamed.append(row)
    is_linked = any(_previous_uuid(row) in by_name for row in unnamed)
    name = "agent"
    count = 0
    for row in unnamed:
        previous = _previous_uuid(row)
        previous_row = by_name.get(previous)
        is_first = not previous or previous_row is not None
        if previous_row is not None and id(previous_row) in names:
            name = names[id(previous_row)]
        elif is_linked and is_first:
            count += 1
            name = "agent" if count == 1 else f"agent-{count}"
        names[id(row)] = name
    return names


def _is_message(row: Row) -> bool:
    """Return whether a Claude Code line is a message of the user or the model with content.

    Notes of the program (`isMeta`) are none.
    """
    return _is_said(row) and "content" in table_at(row, "message")


def _is_wordless(row: Row) -> bool:
    """Return whether a Claude Code line is a message of user or model that lacks the content."""
    return _is_said(row) and "content" not in table_at(row, "message")


def _is_said(row: Row) -> bool:
    return row.get("type") in ("user", "assistant") and not row.get("isMeta")


def _run(name: str, lines: Sequence[Row], parent: str = "") -> ForeignTrace:
    """Return the run that lines of a Claude Code session tell, called `name`, with the last model.

    `lines` are messages with content, at least one. The metadata has the program's version, and
    `parent`, the name of the session that started it; "" is for none, and is left out.
    """
    model = None
    for line in lines:
        model = line["message"].get("model") or model
    version = lines[0].get("version")
    metadata = {"parent": parent or None, "version": version}
    messages = _chat_messages(lines)
    return run_of(name, messages, model=model, metadata=metadata)


def _newest_branch(lines: Sequence[Row], by_name: Mapping[str, Row]) -> Sequence[Row]:
    """Return the messages of a Claude Code session that lead to its last line, in order.

    A session may have been resumed from an earlier line; what was abandoned then is left out. If no
    line names an earlier one, it is all `lines`. A line whose earlier one is not in the file, as it
    was broken, follows the message before it in the file. `by_name` has all lines, also those that
    are no messages.
    """
    if not any(_previous_uuid(line) in by_name for line in lines):
        return lines
    of_run = set(map(id, lines))
    messages_before: dict[int, Row | None] = {}
    message: Row | None = None
    for line in by_name.values():
        messages_before[id(line)] = message
        if id(line) in of_run:
            message = line
    branch: list[Row] = []
    seen: set[str] = set()
    row: Row | None = lines[-1]
    while row is not None and str(row.get("uuid")) not in seen:
        seen.add(str(row.get("uuid")))
        if _is_message(row):
            branch.append(row)
        previous = _previous_uuid(row)
        is_missing = previous != "" and previous not in by_name
        row = messages_before[id(row)] if is_missing else by_name.get(previous)
    branch.reverse()
    return branch


def _previous_uuid(row: Row) -> str:
    """Return the uuid of the line before a Claude Code line, also across a compaction, or ""."""
    return str(row.get("parentUuid") or row.get("logicalParentUuid") or "")


def _chat_messages(lines: Sequence[Row]) -> list[Row]:
    """Return a Claude Code session's lines as chat messages, each with a list of parts as content.

    Neighbouring lines with one message id are one message. The summary of a compacted session has
    `_SUMMARY` as name. `lines` are messages, and are not changed.
    """
    messages: list[Row] = []
    last_id = None
    for line in lines:
        message = line["message"]
        parts = _parts(message.get("content"))
        message_id = message.get("id")
        if messages and message_id and message_id == last_id:
            messages[-1]["content"] += parts
            continue
        last_id = message_id
        new_message: Row = {"role": _role_of_line(line, parts), "content": parts}
        if line.get("isCompactSummary"):
            new_message["name"] = _SUMMARY
        messages.append(new_message)
    return messages


def _parts(content: Any) -> list[Any]:
    """Return a Claude Code message's content as a new list of parts.

    A text is one part, `{"type": "text", "text": TEXT}`; so is anything else as text, and None as
    "".
    """
    if isinstance(content, list):
        return list(content)
    return [{"type": "text", "text": str(content or "")}]


def _role_of_line(line: Row, parts: Sequence[Any]) -> str:
    """Return who speaks in a Claude Code line: "system" for a user's line that is a command.

    The program writes such lines, in tags, not the user. Otherwise it is the role that the line
    has.
    """
    role = str(line["message"].get("role") or line.get("type"))
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    is_command = any(
        str(text).lstrip().startswith(("<command-", "<local-command-"))
        for text in texts
    )
    if role == "user" and is_command:
        return "system"
    return role
