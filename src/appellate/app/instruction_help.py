"""The keys of the list of one instruction: in its strip, and told whole."""

from collections.abc import Iterator, Mapping, Sequence

from textual.binding import Binding

from appellate.app.borrowed_keys import BorrowedHints, OwnKeys, by_word, describe
from appellate.ui.bar import Hint
from appellate.ui.contract import Choice
from appellate.ui.key import Key

BINDINGS = [
    Binding("escape,q", "leave", "back", show=False, id="instruction.leave"),
    Binding("o", "open", "its cell", show=False, id="instruction.open"),
    Binding("tab", "offer(1)", "next sentence", show=False, id="instruction.offer"),
    Binding("shift+tab", "offer(-1)", "sentence before", show=False, id="instruction.before"),
    Binding("x", "mark('one')", "mark", show=False, id="instruction.mark"),
    Binding("w", "mark('to')", "mark to here", show=False, id="instruction.mark_to"),
    Binding("asterisk", "mark('all')", "mark all", show=False, id="instruction.mark_all"),
    Binding("shift+down", "mark('down')", "mark, down", show=False, id="instruction.mark_down"),
    Binding("shift+up", "mark('up')", "mark, up", show=False, id="instruction.mark_up"),
    Binding("t", "rows('like')", "like words", show=False, id="instruction.like"),
    Binding("f", "rows('only')", "only some", show=False, id="instruction.only"),
    Binding("O", "rows('order')", "order", show=False, id="instruction.order"),
    Binding("space", "turn", "the other answer", show=False, id="instruction.turn"),
    Binding("plus", "scroll(1)", "scroll", show=False, id="instruction.scroll"),
    Binding("minus", "scroll(-1)", "back", show=False, id="instruction.scroll_back"),
    Binding("question_mark,f1", "help", "keys", show=False, id="instruction.help"),
]

SHARED = {
    "cell.undo": "",
    "cell.redo": "",
    "item.reason": "say why the last answers were given, all of them at once",
    "cell.flag": "set the flag of the cells, or take it down",
    "text.none": "the answer takes no words of the response",
    "unreviewed.next": "the next row whose cell is not signed off",
    "unreviewed.previous": "the one before",
    "by_instruction": "close the list",
}
"""Keys of the bench that act here, too, and what they do where that is not the same."""
OWN = (
    ("Tab", "another sentence as the one that an answer takes; Shift+Tab: the one before"),
    ("Enter o", "open the cell there, to select words by hand; ( or Esc comes back to this row"),
    ("x", "mark the row, or let it go: answers then go to all marked rows"),
    ("w", "mark all from the last mark to here; Shift+↑ ↓ marks while going"),
    ("*", "mark all rows"),
    ("t", "with the instructions in like words of other questions, or without"),
    ("f", "show only some rows: overruled, not signed off, those with one answer"),
    ("O", "the order of the rows"),
    ("Space", "the other answer, where there are two"),
    ("+ -", "scroll the response on, and back"),
    ("Esc", "let the marks go, then close the list"),
)


def strip(keys: Sequence[Key], answers: Mapping[str, str], *, words: bool) -> list[Hint]:
    """What the strip shows; `answers` are the words by the ids of their keys, `words` is whether
    an answer may have to be borne out. A hint's action is the key itself.
    """
    of_bench = BorrowedHints(keys).of
    hints: list[Hint] = []
    for word, name in by_word(answers).items():
        hints += of_bench(name, word, 2)
    if words:
        hints.append(Hint("Tab", "sentence", "tab", 5))
        hints += of_bench("text.none", "no words", 8)
    return [
        *hints,
        Hint("x w *", "mark", "x", 6),
        *of_bench("cell.undo", "undo", 4),
        *of_bench("item.reason", "reason", 10),
        *of_bench("unreviewed.next", "next unsigned", 11),
        Hint("Enter", "its cell", "enter", 3),
        Hint("f", "only", "f", 9),
        Hint("?", "keys", "question_mark", 1),
        Hint("Esc", "back", "escape", 7),
    ]


def keys_help(keys: Sequence[Key], answers: Mapping[str, str], own: OwnKeys) -> Iterator[Choice]:
    """Every key and what it does."""
    given = {name: f"answer “{word}”, and go on" for name, word in answers.items()}
    return describe(keys, given, own.describe(OWN), SHARED)
