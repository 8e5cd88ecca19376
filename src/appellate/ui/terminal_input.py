"""From the bytes of a terminal to Textual's events, through the gate."""

from collections.abc import Callable
from time import monotonic

from textual import constants
from textual.events import Key, Paste
from textual.message import Message

from appellate.ui.input_gate import (
    Alt,
    Escape,
    InputGate,
    Pasted,
    Piece,
    Sequence,
    Typed,
)
from appellate.ui.known_sequences import known_form
from appellate.ui.textual_compat import EventParser


class TerminalInput:
    """Turns what a terminal sends into events; what is not known becomes no event.

    `clock` returns the time in seconds.
    """

    def __init__(
        self,
        clock: Callable[[], float] = monotonic,
        *,
        debug: bool = False,
    ) -> None:
        """Read nothing yet; `clock` returns the seconds by which pauses are measured.

        With `debug` Textual's parser writes what it reads into keys.log, in the working directory.
        """
        self._clock = clock
        self._gate = InputGate(constants.ESCAPE_DELAY)
        self._parser = EventParser(debug=debug)

    def feed(self, data: bytes) -> list[Message]:
        """Return the events of one read of bytes, in order.

        Bytes that may be the beginning of a longer sequence are kept for the next call, or for
        `tick`.
        """
        pieces = self._gate.feed(data, self._clock())
        return self._events(pieces)

    def tick(self) -> list[Message]:
        """Return the events of bytes that were kept and that, by now, nothing will complete.

        An Escape alone is one: only a pause tells it from the beginning of a sequence.
        """
        return self._events(self._gate.tick(self._clock()))

    def seconds_to_tick(self, longest: float) -> float:
        """Return the seconds to wait for bytes before `tick` is due: at most `longest`, at least 0.

        If nothing is kept, that is `longest`.
        """
        deadline = self._gate.deadline
        if deadline is None:
            return longest
        seconds_left = deadline - self._clock()
        return min(max(seconds_left, 0), longest)

    def _events(self, pieces: list[Piece]) -> list[Message]:
        """Return the events that some pieces are, in order."""
        events: list[Message] = []
        for piece in pieces:
            events += self._events_of(piece)
        return events

    def _events_of(self, piece: Piece) -> list[Message]:
        """Return the events that a piece of input is; none for a sequence that is not known.

        A paste is one event, and Alt with a character is one or more keys.
        """
        match piece:
            case Typed(text):
                return self._parser.read(text)
            case Sequence(text):
                return self._parser.read(known_form(text) or "")
            case Alt(character):
                return self._parser.with_alt(character)
            case Pasted(text):
                return [Paste(text)]
            case Escape():
                return [Key("escape", "\x1b")]


class GatedParser:
    """The gate instead of Textual's parser, for drivers whose input loop is Textual's own.

    They decode what they read, and call `tick` ten times a second.
    """

    def __init__(self, debug: bool = False) -> None:
        self._input = TerminalInput(debug=debug)

    def feed(self, text: str) -> list[Message]:
        """Return the events of one read of text."""
        return self._input.feed(text.encode("utf-8", "replace"))

    def tick(self) -> list[Message]:
        """Return the events that are due now that time has passed."""
        return self._input.tick()
