"""ATIF (Agent Trajectory Interchange Format, Harbor), versions 1.0 to 1.8: a trajectory a file.

Sub-agents that are embedded are traces of their own, with `metadata.parent`. Steps that were copied
from an earlier trajectory are marked: what stands there is not this agent's.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from appellate.interop.foreign import ForeignFile, ForeignTrace, Row, table_at
from appellate.interop.runs.run import run_of

FORM = "ATIF trajectory"
MAPPING = {
    "id": "trajectory_id, else session_id",
    "model": "agent.model_name",
    "messages": "steps",
    "response": "steps (the agent's last words)",
    "metadata.parent": "the trajectory that a sub-agent belongs to",
}
_ROLES = {"agent": "assistant", "user": "user", "system": "system"}
_COPIED = "(copied from an earlier trajectory)"


def knows(document: object) -> bool:
    """Return whether a document is an ATIF trajectory, by its `steps` and its `schema_version`."""
    if not isinstance(document, dict) or not isinstance(document.get("steps"), list):
        return False
    return str(document.get("schema_version", "")).startswith("ATIF-v")


def read(document: Row, stem: str) -> ForeignFile:
    """Return what an ATIF trajectory holds: its run, and then those of its sub-agents.

    `stem` names a trajectory without an id. A note says if it goes on in another file. The document
    is read when traces are.
    """
    notes: list[str] = []
    further = document.get("continued_trajectory_ref")
    if further:
        notes.append(f"the run goes on in another file, which is not read: {further}")
    lost = ["timestamps, metrics, extra"]

    def traces() -> Iterator[ForeignTrace]:
        return _runs(document, stem, "", set())

    return ForeignFile(FORM, traces, MAPPING, lost=lost, notes=lambda: notes)


def _runs(
    document: Row,
    stem: str,
    parent: str,
    names: set[str],
) -> Iterator[ForeignTrace]:
    """Yield the run of an ATIF trajectory, then those of its sub-agents and theirs, depth first.

    `document` is the trajectory, and must have `steps`. `parent` is the name of the run above, ""
    for none. A trajectory without an id is named `stem`; a sub-agent without one, or with the id of
    an earlier run, as that of their session, has its number, from 1, behind the name above it.
    `names` are those of earlier runs, and get those that are yielded. Raises KeyError for a
    sub-agent without `steps`.
    """
    own_id = document.get("trajectory_id") or document.get("session_id")
    name = str(own_id or stem)
    if name in names:
        name = stem
    names.add(name)
    agent = table_at(document, "agent")
    model = agent.get("model_name")
    metadata = {"agent": agent.get("name"), "parent": parent or None}
    messages: list[Row] = []
    for step in document["steps"]:
        messages += _messages(step)
    yield run_of(name, messages, model=model, metadata=metadata)
    sub_agents = document.get("subagent_trajectories") or ()
    for number, trajectory in enumerate(sub_agents, 1):
        yield from _runs(trajectory, f"{name}-{number}", name, names)


def _messages(step: Row) -> Iterator[Row]:
    """Yield one step of an ATIF trajectory as chat messages: its words and calls, then each result.

    Words, thoughts and calls are one message. A step without any of these has only its results. A
    step copied from an earlier trajectory has `_COPIED` as name. The source "agent" is the
    assistant.
    """
    source = str(step.get("source"))
    role = _ROLES.get(source, source)
    message: Row = {"role": role, "content": step.get("message")}
    if step.get("is_copied_context"):
        message["name"] = _COPIED
    if step.get("reasoning_content"):
        message["reasoning_content"] = step["reasoning_content"]
    calls = [_call(call) for call in step.get("tool_calls") or ()]
    if calls:
        message["tool_calls"] = calls
    if message["content"] or calls or "reasoning_content" in message:
        yield message
    for result in table_at(step, "observation").get("results") or ():
        yield _result(result)


def _call(call: Mapping[str, Any]) -> Row:
    function = {"name": call.get("function_name"), "arguments": call.get("arguments")}
    return {"id": call.get("tool_call_id"), "function": function}


def _result(result: Mapping[str, Any]) -> Row:
    """Return an ATIF result as a tool's message, for the call that it names.

    Its `tool_call_id` is None if it names none. Its content is the result's, or None. A result
    without content that refers to sub-agents has "(sub-agent: NAME, NAME)".
    """
    content = result.get("content")
    references = result.get("subagent_trajectory_ref") or ()
    if content is None and references:
        names: list[str] = []
        for reference in references:
            name = reference.get("trajectory_id") or reference.get("session_id")
            names.append(str(name))
        listed = ", ".join(names)
        content = f"(sub-agent: {listed})"
    return {
        "role": "tool",
        "tool_call_id": result.get("source_call_id"),
        "content": content,
    }
