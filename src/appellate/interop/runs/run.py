"""What all formats of runs have in common: messages in OpenAI's form, and a trace of them."""

from collections.abc import Sequence
from typing import Any

from appellate.core.messages import ChatTurn, answer_in, recorded
from appellate.interop.foreign import (
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
    without_empty,
)

_SILENT = "nothing was said or done in the run"


def run_of(
    name: str,
    messages: Sequence[Row],
    *,
    judged: Sequence[JudgeVerdict] = (),
    people: Sequence[PersonVerdict] = (),
    **fields: Any,
) -> ForeignTrace:
    """Return the trace of a run: its messages, with the assistant's last words as response.

    `name` is the id. `fields` are further fields of the record; those that are empty are left out,
    and a `response` among them counts instead. Without words the response is "". If nothing at all
    was said or done the trace is unanswered, with that reason.
    """
    record = without_empty({"id": name, **fields, "messages": list(messages)})
    answer = record.get("response") or answer_in(messages)
    unanswered = ""
    if not answer and not _steps(messages):
        unanswered = _SILENT
    return ForeignTrace({**record, "response": answer}, judged, people, unanswered)


def _steps(messages: Sequence[Row]) -> list[ChatTurn]:
    """Return the turns of messages that call a tool or say something."""
    return [turn for turn in recorded(messages) if turn.calls or turn.text.strip()]
