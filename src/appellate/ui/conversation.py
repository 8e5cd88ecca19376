"""Questions to a person, asked by coroutines that no event loop runs.

`begin()` runs a coroutine at once, up to its first question. The call that brings the answer runs
it on to its next question or its end. So the next key that a person presses finds the question on
the screen already.
"""

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")


class Left(Exception):
    """Raised in the coroutine that asked when the person leaves the question without an answer.

    It ends that coroutine.
    """


class PendingAnswer(Generic[Answer]):
    """An answer that is yet to come; the one coroutine that awaits it was started by `begin`."""

    def __init__(self) -> None:
        self._asker: Coroutine[PendingAnswer[Any], Any, object] | None = None

    def __await__(self) -> Generator["PendingAnswer[Any]", Answer, Answer]:
        return (yield self)

    def asked_by(self, asker: Coroutine["PendingAnswer[Any]", Any, object]) -> None:
        """Remember the coroutine that continues once there is an answer."""
        self._asker = asker

    def answer(self, answer: Answer) -> None:
        """Continue the coroutine that asked, with its answer, up to its next question or its end.

        That runs within this call, and what the coroutine raises passes through, except `Left`.
        Only the first call of `answer` or `leave` does anything, and none before a coroutine has
        asked.
        """
        asker = self._asker
        self._asker = None
        if asker is not None:
            _step(asker, lambda: asker.send(answer))

    def leave(self) -> None:
        """Raise `Left` in the coroutine that asked, which usually ends it.

        A coroutine that catches `Left` continues within this call up to its next question or its
        end. Only the first call of `answer` or `leave` does anything.
        """
        asker = self._asker
        self._asker = None
        if asker is not None:
            _step(asker, lambda: asker.throw(Left()))


Conversation = Coroutine[PendingAnswer[Any], Any, object]


def begin(conversation: Conversation) -> None:
    """Run a coroutine up to its first question, or to its end; it may await only questions.

    What the coroutine raises passes through, except `Left`, which only ends it.
    """
    _step(conversation, lambda: conversation.send(None))


def _step(conversation: Conversation, resume: Callable[[], PendingAnswer[Any]]) -> None:
    """Resume a conversation by calling `resume`, which sends to it or throws into it.

    `resume` returns the next question, and the conversation is registered with it, to be continued
    by its answer. If the conversation ends instead, by itself or by `Left`, nothing else happens.
    Other errors go through.
    """
    try:
        question = resume()
    except (StopIteration, Left):
        return
    question.asked_by(conversation)
