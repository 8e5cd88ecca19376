"""Words of the response on their way into a bucket: selecting, and what is to become of it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from appellate.ui.bar import Hint

if TYPE_CHECKING:
    from appellate.app.desk import Desk

Finished = Callable[[tuple[int, int] | None], None]
_KEYS = (
    Hint("w b", "word", priority=2),
    Hint("s", "sentence", priority=1),
    Hint("h j k l", "move", priority=3),
    Hint("v", "extend", priority=4),
    Hint("o", "other end", priority=7),
    Hint("/", "find", "search", priority=5),
    Hint("M", "Markdown", "markdown", priority=8),
    Hint("?", "keys", "help", priority=6),
    Hint("Esc", "leave", "leave"),
)
_FOR_ADDING = (Hint("1", "into TP", "move('tp')"), Hint("3", "into FP", "move('fp')"))
_FOR_EVIDENCE = (Hint("Enter", "take it", "menu"), Hint("0", "none", "no_evidence"))
_OFFERED = (Hint("Tab", "next"),)
_FOUND = (Hint("n", "next hit", "next(1)"),)
_ACTS = frozenset(
    (
        *("move", "menu", "no_evidence", "search", "leave", "help"),
        *("copy", "copy_text", "markdown", "focus_mode", "scroll", "save"),
    )
)


class EvidenceSelection:
    """What the selection under way is for: an addition, or evidence for a move that was asked."""

    def __init__(self, screen: "Desk") -> None:
        self._screen = screen
        self._finished: Finished | None = None
        self.on = False

    def begin(self) -> None:
        """Selects for an addition."""
        self._begin(None)

    def evidence_for(self, finished: Finished, offers: Sequence[tuple[int, int]]) -> None:
        """Selects the evidence that corrections need, the likeliest first; `finished` hears of it."""
        self._begin(finished, offers)
        if self.on and not offers:
            self._screen.say("Select the words that show it: Enter takes them, 0 says there are none, Esc leaves.")

    def _begin(self, finished: Finished | None, offers: Sequence[tuple[int, int]] | None = None) -> None:
        response = self._screen.response
        self._finished = finished
        self.on = True
        self._screen.set_focus(response)
        if not response.begin_select(offers):
            self.on = False
            self._screen.rest()
            self._screen.say("The response has no words to select.")
            return
        self._screen.show_keys()

    def selected(self) -> None:
        """The person selected words, perhaps with the mouse and nothing under way."""
        if not self.on:
            self._finished, self.on = None, True
            self._screen.set_focus(self._screen.response)
        self._screen.show_keys()

    @property
    def mode(self) -> str:
        """What this is called at the left of the keys."""
        at, of = self._screen.response.offer
        return "SELECT" if self._finished is None else f"EVIDENCE {at}/{of}" if of else "EVIDENCE"

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The keys that act while this is on."""
        found = _FOUND if self._screen.response.searching else ()
        if self._finished is None:
            return (*_FOR_ADDING, *found, *_KEYS)
        offered = _OFFERED if self._screen.response.offer[1] else ()
        return (*_FOR_EVIDENCE, *offered, *found, *_KEYS)

    def lets(self, action: str) -> bool:
        """Whether a key of the screen acts while this is on."""
        return action in _ACTS or (action == "next" and self._screen.response.searching)

    def take(self, to: str) -> None:
        """Puts the selection where it is wanted."""
        if self._finished is not None:
            self._screen.say("Enter takes the words as evidence, 0 says there are none, Esc leaves.")
        elif to not in ("tp", "fp"):
            self._screen.say("FN and TN hold the rubric's instructions, not words of the response: Esc, then m.")
        elif not self._asks():
            self._add(to)

    def _asks(self) -> bool:
        """Says what to do where nobody has selected anything yet."""
        if self._screen.response.untouched:
            self._screen.say("Nothing is selected yet: h j k l go to the first word, w b and s take more from there.")
        return self._screen.response.untouched

    def _add(self, to: str) -> None:
        found = self._screen.response.selection
        self.end()
        if found:
            self._screen.pane.add(to, *found)

    def enter(self) -> None:
        """Takes the words selected as the evidence that was asked for."""
        if self._finished is None:
            self._screen.say("1 puts the words into TP, 3 into FP; Esc leaves.")
        elif not self._asks():
            self._finish(self._screen.response.selection)

    def no_evidence(self) -> None:
        """Makes the move without words of the response."""
        if self._finished is None:
            self._screen.say("1 puts the words into TP, 3 into FP; Esc leaves.")
        else:
            self._finish(None)

    def _finish(self, found: tuple[int, int] | None) -> None:
        finished = self._finished
        self.end()
        if finished is not None:
            finished(found)

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
