"""Who&When: failed runs of several agents, with the agent and the step that people blame.

A speaker is its `name`, or its role where it has none. Steps count from 0 there, as text. The step
that people blame is a person's verdict of a steps trait: wrong, the others right.
"""

import json
from collections.abc import Iterator
from typing import Any

from appellate.core.problem import quoted
from appellate.core.trace import Trace
from appellate.core.transcript import Step, as_conversation
from appellate.interop.cell_values import as_written, cell_value
from appellate.interop.foreign import (
    ForeignFile,
    ForeignTrace,
    ForeignTrait,
    PersonVerdict,
    Row,
    first_of,
)
from appellate.interop.runs.run import run_of

FORM = "Who&When run"
PEOPLE = "Who&When"
SOLVED = "Task solved"
STEPS = "Steps"
MAPPING = {
    "id": "question_ID",
    "question": "question",
    "reference": "ground_truth",
    "messages": "history",
    "response": "history (the last message)",
    "people": "is_correct, is_corrected, mistake_step, mistake_reason",
    "metadata": "mistake_agent, mistake_step, mistake_reason, level",
}
_BLAME = ("mistake_agent", "mistake_step", "mistake_reason", "level")
_STEPS_TRAIT = ForeignTrait(
    STEPS,
    key="steps_traits",
    table={
        "description": "Which step made the run fail? The first decisive mistake is wrong.",
    },
)


ONLY_DECISIVE = (
    "People named the decisive mistake alone: nobody said that the other steps, which stand as"
    " right, are."
)
"""What is told of each run with a blamed step."""


def knows(document: object) -> bool:
    """Return whether a document is a run of Who&When, by its history and the mistake it names."""
    if not isinstance(document, dict):
        return False
    return {"history", "mistake_agent", "mistake_step"} <= document.keys()


def read(document: Row, stem: str) -> ForeignFile:
    """Return what a run of Who&When holds: a trace with people's verdicts on outcome and mistake.

    `stem` names a run without an id. The notes, complete once the trace was read, say if the blamed
    step is no agent's (then there is no verdict on it), if another agent took it than the file
    says, and that people named only the decisive mistake.
    """
    notes: list[str] = []

    def traces() -> Iterator[ForeignTrace]:
        """Yield the one Who&When run, with people's verdicts on its outcome and on the wrong step.

        The first is on `SOLVED`, from `is_correct` or `is_corrected`. The second is on `STEPS`: the
        blamed step is wrong, and the outcome is as the first says. The reason of both is the
        mistake's. A verdict that the document does not give is left out. Sets the file's notes
        anew. Raises KeyError for a step without content.
        """
        messages = [_message(step) for step in document["history"]]
        record: Row = {
            "question": _text(document.get("question")) or None,
            "reference": _text(document.get("ground_truth")) or None,
            "response": messages[-1]["content"] if messages else "",
        }
        name = as_written(document.get("question_ID")) or stem
        solved = _yes_or_no(first_of(document, "is_correct", "is_corrected"))
        reason = str(document.get("mistake_reason") or "")
        people: list[PersonVerdict] = []
        if solved is not None:
            people.append(PersonVerdict(SOLVED, solved, PEOPLE, reason))
        blamed = _blamed_step(document, messages, record)
        notes[:] = _doubts_on_blame(name, document, blamed)
        if blamed is not None:
            notes.append(ONLY_DECISIVE)
            rows: list[Row] = [
                {"action": "verdict", "step": blamed.no, "verdict": "wrong"},
            ]
            if solved is not None:
                outcome = "solved" if solved else "failed"
                rows.append({"action": "outcome", "outcome": outcome})
            people.append(PersonVerdict(STEPS, rows, PEOPLE, reason))
        metadata = {key: document.get(key) for key in _BLAME}
        yield run_of(name, messages, people=people, metadata=metadata, **record)

    traits = {STEPS: _STEPS_TRAIT}
    return ForeignFile(
        FORM,
        traces,
        MAPPING,
        traits=traits,
        lost=["system_prompt"],
        notes=lambda: notes,
    )


def _text(value: object) -> str:
    """Return a value as text: a list or a table as JSON, a number as it is written; "" for None."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return as_written(value)


def _yes_or_no(value: object) -> bool | None:
    """Return a value as a bool, also 1, 0 and texts of these or of "True" and "False" in any case.

    None for anything else, such as "yes".
    """
    cell = cell_value(value)
    if cell in (True, False):
        return bool(cell)
    return None


def _blamed_step(document: Row, messages: list[Row], record: Row) -> Step | None:
    """Return the transcript's step that people blame in Who&When, or None if it is no agent's.

    The file counts messages from 0, as text; the step's own number is from 1 and counts the
    question if that comes before the run. `messages` are the run's, and `record` has the question.
    None, too, for no number. Raises KeyError without `mistake_step`.
    """
    blamed_position = cell_value(document["mistake_step"])
    is_number = isinstance(blamed_position, int | float)
    if isinstance(blamed_position, bool) or not is_number:
        return None
    run = as_conversation(Trace(id="-", messages=messages, **record))
    for step, message in zip(run.transcript.steps, run.messages_of_steps, strict=True):
        if message == blamed_position and step.is_assistants:
            return step
    return None


def _doubts_on_blame(name: str, document: Row, blamed: Step | None) -> list[str]:
    """Return a list of one sentence on what is odd about Who&When's blamed step; [] if nothing is.

    It is odd if the blamed step is no agent's (`blamed` is None). It is odd, too, if the file
    blames an agent who is not the speaker of the step; what is in brackets behind a name does not
    count, and an empty name blames nobody. `name` is the run's, and is in the sentence. Raises
    KeyError without `mistake_step`, or without `mistake_agent` for an agent's step.
    """
    if blamed is None:
        return [
            f"{quoted(name)}: mistake_step {document['mistake_step']!r} is no agent's step.",
        ]
    agent = as_written(document["mistake_agent"])
    if not agent:
        return []
    speaker = blamed.turn.name
    if speaker.partition(" (")[0] == agent.partition(" (")[0]:
        return []
    return [
        f"{quoted(name)}: step {blamed.no} is {speaker}'s, and {agent} is blamed for it.",
    ]


def _message(step: Row) -> dict[str, Any]:
    """Return a step of Who&When as a chat message of role and content.

    A person (role "human") is a user; all others are the assistant, with the speaker's name (the
    step's `name`, else its role), also agents that only run code. The content is "" for null.
    Raises KeyError for a step without content.
    """
    content = as_written(step["content"])
    role = str(step.get("role") or "")
    if role == "human":
        return {"role": "user", "content": content}
    speaker = step.get("name") or role
    return {"role": "assistant", "name": str(speaker), "content": content}
