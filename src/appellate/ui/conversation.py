"""Coroutines that run at once up to their first question, and on in the call that brings its
answer. No task runs them: the next key finds the question on the screen.
"""

from collections.abc import Callable, Coroutine, Generator
from typing import Any, Generic, TypeVar

Answer = TypeVar("Answer")


class Left(Exception):
    """The person left the question without an answer; the coroutine that asked ends."""


class PendingAnswer(Generic[Answer]):
    """One answer that is yet to come. `begin` runs the one coroutine that awaits it."""

    def __init__(self) -> None:
        self._asker: Coroutine[PendingAnswer[Any], Any, object] | None = None

    def __await__(self) -> Generator["PendingAnswer[Any]", Answer, Answer]:
        return (yield self)

    def asked_by(self, asker: Coroutine["PendingAnswer[Any]", Any, object]) -> None:
        """Says who goes on once there is an answer."""
        self._asker = asker

    def answer(self, given: Answer) -> None:
        """Goes on with the coroutine that asked; a second answer does nothing."""
        asker = self._asker
        self._asker = None
        if asker is not None:
            _step(asker, lambda: asker.send(given))

    def leave(self) -> None:
        """Ends the coroutine that asked."""
        asker = self._asker
        self._asker = None
        if asker is not None:
            _step(asker, lambda: asker.throw(Left()))


Conversation = Coroutine[PendingAnswer[Any], Any, object]


def begin(conversation: Conversation) -> None:
    """Runs a coroutine to its end or to its first question; it may await nothing but questions."""
    _step(conversation, lambda: conversation.send(None))


def _step(conversation: Conversation, go_on: Callable[[], PendingAnswer[Any]]) -> None:
    try:
        question = go_on()
    except (StopIteration, Left):
        return
    question.asked_by(conversation)
