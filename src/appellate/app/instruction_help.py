"""The keys of the list of one instruction: in its strip, and told whole."""

from collections.abc import Iterator, Mapping, Sequence

from appellate.ui.bar import Hint
from appellate.ui.contract import Choice
from appellate.ui.key import Key

SHARED = ("cell.undo", "cell.redo", "item.reason", "cell.flag", "text.none", "by_instruction")
"""Keys of the bench that do here what they do there."""
TOLD = {
    "text.none": "the answer takes no words of the response",
    "item.reason": "say why the last answers were given, all of them at once",
    "cell.flag": "set the flag of the cells, or take it down",
    "by_instruction": "close the list",
}
OWN = (
    ("Tab", "another sentence as the one that an answer takes; Shift+Tab: the one before"),
    ("Enter o", "open the cell there, to select words by hand; ( or Esc comes back to this row"),
    ("x", "mark the row, or let it go: answers then go to all marked rows"),
    ("w", "mark all from the last mark to here; Shift+↑ ↓ marks while going"),
    ("*", "mark all rows"),
    ("t", "with the instructions in like words of other questions, or without"),
    ("f", "show only some rows: overruled, not signed off, those with one answer"),
    ("O", "the order of the rows"),
    ("Space", "scroll the response on; Backspace: back"),
    ("Esc", "let the marks go, then close the list"),
)


def strip(keys: Sequence[Key], answers: Mapping[str, str]) -> list[Hint]:
    """What the strip shows; `answers` are the words by the ids of their keys."""
    shown = {key.id: key.shown for key in keys}
    hints = [Hint(shown[name], word, name, 2) for name, word in answers.items() if name in shown]
    return [
        *hints[:6],
        Hint("Tab", "sentence", "offer", 5),
        Hint(shown.get("text.none", "0"), "no words", "text.none", 8),
        Hint("x w *", "mark", "mark", 6),
        Hint(shown.get("cell.undo", "u"), "undo", "cell.undo", 4),
        Hint(shown.get("item.reason", "r"), "reason", "item.reason", 10),
        Hint("Enter", "its cell", "open", 3),
        Hint("f", "only", "only", 9),
        Hint("?", "keys", "help", 1),
        Hint("Esc", "back", "leave", 7),
    ]


def told(keys: Sequence[Key], answers: Mapping[str, str]) -> Iterator[Choice]:
    """Every key and what it does."""
    for key in keys:
        if key.id in answers:
            yield Choice(key.id, key.shown, f"answer “{answers[key.id]}”, and go on", told=True)
    for shown, what in OWN:
        yield Choice(shown, shown, what, told=True)
    for key in keys:
        if key.id in SHARED and key.id not in answers:
            yield Choice(key.id, key.shown, TOLD.get(key.id, key.told), told=True)
