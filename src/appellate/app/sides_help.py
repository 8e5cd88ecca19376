"""The keys of the screen of two answers: in its strip, and told whole."""

from collections.abc import Iterator, Mapping, Sequence

from textual.binding import Binding

from appellate.app.borrowed_keys import BorrowedHints, OwnKeys, by_word, describe
from appellate.ui.bar import Hint
from appellate.ui.contract import Choice
from appellate.ui.key import Key

BINDINGS = [
    Binding("escape,q", "leave", "back", show=False, id="sides.leave"),
    Binding("o", "open", "its cell", show=False, id="sides.open"),
    Binding("tab,shift+tab", "side(-1)", "other side", show=False, id="sides.turn"),
    Binding("left,h", "side(0)", "left side", show=False, id="sides.left"),
    Binding("right,l", "side(1)", "right side", show=False, id="sides.right"),
    Binding("p", "offer(1)", "next sentence", show=False, id="sides.offer"),
    Binding("P", "offer(-1)", "sentence before", show=False, id="sides.offer_before"),
    Binding("d", "words", "differences", show=False, id="sides.words"),
    Binding("space", "answer_otherwise", "other answer", show=False, id="sides.otherwise"),
    Binding("plus", "scroll(1)", "scroll", show=False, id="sides.scroll"),
    Binding("minus", "scroll(-1)", "back", show=False, id="sides.scroll_back"),
    Binding("question_mark,f1", "help", "keys", show=False, id="sides.help"),
]

SHARED = {
    "cell.undo": "take back your last act, wherever it was",
    "cell.redo": "do it again",
    "item.reason": "say why the last answer was given",
    "cell.flag": "set the flag of the active side's cell, or take it down",
    "text.none": "the answer takes no words of the response",
    "unreviewed.next": "the next instruction that is answered otherwise",
    "unreviewed.previous": "the one before that is answered otherwise",
    "side_by_side": "the next answer to the question beside this one",
    "back": "back to the cell that you came from",
}
"""Keys of the bench that act here, too, and what they do here."""
OWN = (
    ("Tab", "the other side: answers go to the active one; ← → or h l: the left, the right"),
    ("p P", "another sentence as the one that an answer takes, the one before"),
    ("Enter o", "open the cell of the active side there; s, ( or Esc comes back"),
    ("Space", "the answer of the other side"),
    ("d", "mark the words that the other answer has not, or leave them unmarked"),
    ("+ -", "scroll both responses on, and back"),
    ("Esc", "leave"),
)


def strip(keys: Sequence[Key], answers: Mapping[str, str], *, partners: int) -> list[Hint]:
    """What the strip shows; `answers` are the words by the ids of their keys. A hint's action is
    the key itself.
    """
    of_bench = BorrowedHints(keys).of
    hints = [Hint("Tab", "side", "tab", 2)]
    hints += of_bench("unreviewed.next", "next difference", 3)
    for word, name in by_word(answers).items():
        hints += of_bench(name, word, 4)
    if partners > 1:
        hints += of_bench("side_by_side", "next answer", 6)
    return [
        *hints,
        *of_bench("cell.undo", "undo", 7),
        Hint("Enter", "its cell", "enter", 5),
        Hint("d", "differences", "d", 8),
        *of_bench("item.reason", "reason", 10),
        Hint("?", "keys", "question_mark", 1),
        Hint("Esc", "back", "escape", 9),
    ]


def keys_help(keys: Sequence[Key], answers: Mapping[str, str], own: OwnKeys) -> Iterator[Choice]:
    """Every key and what it does."""
    given = {name: f"the active side answers “{word}”" for name, word in answers.items()}
    return describe(keys, given, own.describe(OWN), SHARED)
