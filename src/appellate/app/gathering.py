"""Words of the response on their way into a bucket: selecting, and what is to become of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from appellate.ui.bar import Hint, KeyStrip

if TYPE_CHECKING:
    from appellate.app.desk import Desk

_KEYS = (
    Hint("w b", "word"),
    Hint("s", "sentence", priority=1),
    Hint("j k", "line", priority=2),
    Hint("h l", "move the start", priority=4),
    Hint("o", "other end", priority=5),
    Hint("Esc", "leave", priority=3),
)
Finished = Callable[[tuple[int, int] | None], None]
_FOR_ADDING = (Hint("1", "into TP", "move('tp')"), Hint("3", "into FP", "move('fp')"), *_KEYS)
_FOR_EVIDENCE = (Hint("Enter", "take it", "menu"), Hint("0", "no evidence", "no_evidence"), *_KEYS)


class Gathering:
    """What the selection under way is for: an addition, or evidence for a move that was asked."""

    def __init__(self, screen: "Desk") -> None:
        self._screen = screen
        self._finished: Finished | None = None
        self.on = False

    def begin(self) -> None:
        """Selects for an addition."""
        self._begin(None)

    def evidence_for(self, finished: Finished) -> None:
        """Selects the evidence that corrections need; `finished` hears of it."""
        self._begin(finished)
        if self.on:
            self._screen.say("Select the words that show it: Enter takes them, 0 says there are none, Esc leaves.")

    def _begin(self, finished: Finished | None) -> None:
        response = self._screen.response
        self._finished = finished
        self.on = True
        self._screen.set_focus(response)
        if not response.begin_select():
            self.on = False
            self._screen.rest()
            self._screen.say("The response has no words to select.")
            return
        self._keys()

    def selected(self) -> None:
        """The person selected words, perhaps with the mouse and nothing under way."""
        if not self.on:
            self._finished, self.on = None, True
            self._screen.set_focus(self._screen.response)
            self._keys()

    def take(self, to: str) -> None:
        """Puts the selection where it is wanted."""
        if self._finished is not None:
            self.take_evidence(with_words=True)
        elif to in ("tp", "fp"):
            self._add(to)
        else:
            self._screen.say("FN and TN hold the rubric's instructions, not words of the response: Esc, then m.")

    def _add(self, to: str) -> None:
        found = self._screen.response.selection
        self.end()
        if found:
            self._screen.pane.add(to, *found)

    def take_evidence(self, *, with_words: bool) -> None:
        """Makes the move with the words selected, or with none."""
        finished, found = self._finished, self._screen.response.selection
        self.end()
        if finished is not None:
            finished(found if with_words else None)

    def end(self) -> None:
        """Leaves the selection, if one is under way."""
        if not self.on:
            return
        self.on, self._finished = False, None
        self._screen.response.end_select()
        self._screen.say("")
        self._screen.show_keys()
        self._screen.catch_up()
        self._screen.rest()

    def _keys(self) -> None:
        strip = self._screen.query_one(KeyStrip)
        strip.show(_FOR_ADDING if self._finished is None else _FOR_EVIDENCE)
