"""SWE-agent: a run a file (`.traj`), whose `history` is the conversation.

`trajectory` is the same run once more and is left out. Steps of a demonstration are another run.
"""

from collections.abc import Iterator
from typing import Any

from appellate.core.messages import ROLES, answer_in
from appellate.interop.foreign import ForeignFile, ForeignTrace, Row, table_at
from appellate.interop.runs.run import run_of

FORM = "SWE-agent run"
MAPPING = {
    "id": "the file's name",
    "messages": "history",
    "response": "history (the assistant's last words), else info.submission",
    "metadata.exit_status": "info.exit_status",
}


def knows(document: object) -> bool:
    """Return whether a document is a run of SWE-agent (`.traj`).

    It has `info` and a `history` of steps with known roles. A run of Who&When is none.
    """
    if not isinstance(document, dict):
        return False
    if "mistake_step" in document or "info" not in document:
        return False
    history = document.get("history")
    if not isinstance(history, list) or not history:
        return False
    return all(isinstance(step, dict) and step.get("role") in ROLES for step in history)


def read(document: Row, stem: str) -> ForeignFile:
    """Return what a run of SWE-agent holds: one trace, named `stem`, with its history as messages.

    Steps of a demonstration are left out. The response is the assistant's last words, else what was
    submitted, else "". `knows` must have accepted the document.
    """
    info = table_at(document, "info")
    messages = [
        _message(step) for step in document["history"] if not step.get("is_demo")
    ]

    def traces() -> Iterator[ForeignTrace]:
        """Yield the one run of SWE-agent, with its exit status and submission in the metadata.

        It is named after the file. The response is the last answer, else what was submitted, else
        "".
        """
        yield run_of(
            stem,
            messages,
            response=answer_in(messages) or info.get("submission") or "",
            metadata={
                "exit_status": info.get("exit_status"),
                "submission": info.get("submission"),
            },
        )

    lost = [
        "trajectory (the same run once more)",
        "action and thought (they are in the content)",
    ]
    return ForeignFile(FORM, traces, MAPPING, lost=lost)


def _message(step: Row) -> dict[str, Any]:
    """Return a step of SWE-agent as a chat message of its role, content, calls and the calls' ids.

    The keys `role`, `content`, `tool_calls` and `tool_call_ids` are kept as they are where they are
    not None. Everything else that the harness notes is left out.
    """
    message_keys = ("role", "content", "tool_calls", "tool_call_ids")
    return {key: step[key] for key in message_keys if step.get(key) is not None}
