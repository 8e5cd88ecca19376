"""The keys of ruling on contested cells: in the strip, and told whole."""

from collections.abc import Sequence

from textual.binding import Binding

from appellate.app.borrowed_keys import BorrowedHints
from appellate.ui.bar import Hint
from appellate.ui.key import Key

BINDINGS = [
    Binding("escape,q", "leave", "back", show=False, id="adjudication.leave"),
    Binding("1", "pick(0)", "1", show=False, id="adjudication.one"),
    Binding("2", "pick(1)", "2", show=False, id="adjudication.two"),
    Binding("0", "unpick", "take back", show=False, id="adjudication.unpick"),
    Binding("e", "own", "make your own", show=False, id="adjudication.own"),
    Binding("space", "turn", "the other", show=False, id="adjudication.turn"),
    Binding("plus", "scroll(1)", "scroll", show=False, id="adjudication.scroll"),
    Binding("minus", "scroll(-1)", "scroll back", show=False, id="adjudication.scroll_back"),
    Binding("question_mark,f1", "help", "keys", show=False, id="adjudication.help"),
]
SHARED = {
    "cell.sign": "rule: lock what is picked; on a ruled cell, go on",
    "item.reason": "say why, before you rule",
    "unreviewed.next": "the next contested cell that is not ruled",
    "unreviewed.previous": "the one before",
    "cell.next": "the next contested cell, ruled or not",
    "cell.previous": "the one before, ruled or not",
    "cell.proposals": "back to the bench",
}
OWN = (
    ("1 2", "these labels hold: in the row under the cursor, or, on the first row, in all of it"),
    ("Space", "the other of them holds, where one is picked"),
    ("0", "take a pick back"),
    ("Enter", "all that can be done, to pick from"),
    ("e", "make your own: open the cell with what is picked in it; a there rules"),
    ("+ -", "scroll the response on, and back"),
    ("Esc", "back to the bench"),
)


def strip(keys: Sequence[Key], *, ruled: bool) -> list[Hint]:
    """What the strip shows of a cell; a hint's action is the key itself."""
    of_bench = BorrowedHints(keys).of
    hints = [Hint("1", "holds", "1", 2), Hint("2", "holds", "2", 2)]
    hints += [*of_bench("cell.sign", "rule", 3), Hint("e", "own", "e", 4)]
    if ruled:
        hints = of_bench("cell.sign", "go on", 2)
    else:
        hints += of_bench("item.reason", "reason", 7)
    hints += of_bench("unreviewed.next", "next", 5)
    return [*hints, Hint("?", "keys", "question_mark", 1), Hint("Esc", "bench", "escape", 6)]
