"""What all formats of runs have in common: messages in OpenAI's form, and a trace of them."""

from collections.abc import Sequence
from typing import Any

from appellate.core.messages import ASSISTANT, ChatTurn, recorded
from appellate.interop.foreign import (
    ForeignTrace,
    JudgeVerdict,
    PersonVerdict,
    Row,
    without_empty,
)

_SILENT = "nothing was said or done in the run"


def answer_in(messages: Sequence[Row]) -> str:
    """Return the last words of the assistant; "" if it only called tools.

    Thoughts are no words here.
    """
    answer = ""
    for turn in recorded(messages):
        if turn.role == ASSISTANT and not turn.does and turn.text.strip():
            answer = turn.text
    return answer


def run_of(
    name: str,
    messages: Sequence[Row],
    *,
    judged: Sequence[JudgeVerdict] = (),
    people: Sequence[PersonVerdict] = (),
    **fields: Any,
) -> ForeignTrace:
    """Return the trace of a run called `name`, whose response is the assistant's last words.

    A `response` among `fields` goes before. The response is "" if there are none: what a run did
    can be judged nevertheless. A run in which nothing was said or done counts as unanswered. Fields
    without a value are left out.
    """
    record = without_empty({"id": name, **fields, "messages": list(messages)})
    answer = record.get("response") or answer_in(messages)
    unanswered = ""
    if not answer and not _steps(messages):
        unanswered = _SILENT
    return ForeignTrace({**record, "response": answer}, judged, people, unanswered)


def _steps(messages: Sequence[Row]) -> list[ChatTurn]:
    """Return the steps with words, and the calls."""
    return [turn for turn in recorded(messages) if turn.calls or turn.text.strip()]
