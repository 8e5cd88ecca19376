"""Who&When: failed runs of several agents, with the agent and the step that people blame.

A speaker is its `name`, or its role where it has none. Steps count from 0 there, as text.
"""

from collections.abc import Iterator
from typing import Any

from appellate.interop.foreign import ForeignFile, ForeignTrace, PersonVerdict, Row
from appellate.interop.runs.run import run_of

FORM = "Who&When run"
PEOPLE = "Who&When"
SOLVED = "Task solved"
MAPPING = {
    "id": "question_ID",
    "question": "question",
    "reference": "ground_truth",
    "messages": "history",
    "response": "history (the last message)",
    "people": "is_correct, is_corrected",
    "metadata": "mistake_agent, mistake_step, mistake_reason, level",
}
_BLAME = ("mistake_agent", "mistake_step", "mistake_reason", "level")


def knows(document: object) -> bool:
    """Return whether a document is a run of Who&When."""
    if not isinstance(document, dict):
        return False
    return {"history", "mistake_agent", "mistake_step"} <= document.keys()


def read(document: Row, stem: str) -> ForeignFile:
    """Return the one run of a file; that it failed is people's verdict."""

    def traces() -> Iterator[ForeignTrace]:
        """Yield the run of this document."""
        messages = [_message(step) for step in document["history"]]
        solved = document.get("is_correct", document.get("is_corrected"))
        people = []
        if isinstance(solved, bool):
            reason = str(document.get("mistake_reason") or "")
            people.append(PersonVerdict(SOLVED, solved, PEOPLE, reason))
        yield run_of(
            str(document.get("question_ID") or stem),
            messages,
            people=people,
            question=document.get("question"),
            reference=document.get("ground_truth"),
            response=messages[-1]["content"] if messages else "",
            metadata={key: document.get(key) for key in _BLAME},
        )

    return ForeignFile(FORM, traces, MAPPING, lost=["system_prompt"])


def _message(step: Row) -> dict[str, Any]:
    """Return a step as a message with role, name and content.

    The role is "user" for a person ("human") and "assistant" for all others, also for agents that
    only run code. The name is the speaker's.
    """
    role = str(step.get("role") or "")
    if role == "human":
        return {"role": "user", "content": step["content"]}
    speaker = step.get("name") or role
    return {"role": "assistant", "name": str(speaker), "content": step["content"]}
