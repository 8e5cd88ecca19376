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
        """Continue the coroutine that asked with an answer; a second answer does nothing."""
        asker = self._asker
        self._asker = None
        if asker is not None:
            _step(asker, lambda: asker.send(answer))

    def leave(self) -> None:
        """End the coroutine that asked by raising `Left` in it; does nothing after an answer."""
        asker = self._asker
        self._asker = None
        if asker is not None:
            _step(asker, lambda: asker.throw(Left()))


Conversation = Coroutine[PendingAnswer[Any], Any, object]


def begin(conversation: Conversation) -> None:
    """Run a coroutine up to its first question, or to its end; it may await only questions."""
    _step(conversation, lambda: conversation.send(None))


def _step(conversation: Conversation, resume: Callable[[], PendingAnswer[Any]]) -> None:
    """Resume a conversation, and register it with the question that it asks next, if it
    asks one.
    """
    try:
        question = resume()
    except (StopIteration, Left):
        return
    question.asked_by(conversation)
