"""Every key of the bench, once: bindings, the key strip, help and README's table come from here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual.binding import Binding

from appellate.ui.bar import Hint


@dataclass(frozen=True, slots=True)
class Key:
    """One action and its keys; `strip` is its place in the key strip (0: not there)."""

    id: str
    keys: str
    shown: str
    action: str
    label: str
    group: str
    told: str
    strip: int = 0


MOVE, TEXT, READ, CELL, GO, SESSION = (
    "Items",
    "Text into a bucket",
    "Reading",
    "This cell",
    "Going about",
    "Session",
)

KEYS = (
    Key("move.tp", "1", "1", "move('tp')", "TP", MOVE, "put the item into TP (rightly found)"),
    Key("move.fn", "2", "2", "move('fn')", "FN", MOVE, "put the item into FN (missing)"),
    Key("move.fp", "3", "3", "move('fp')", "FP", MOVE, "put the item into FP (wrong)"),
    Key("move.tn", "4", "4", "move('tn')", "TN", MOVE, "put the item into TN (rightly absent)"),
    Key(
        "item.drop",
        "d",
        "d",
        "drop",
        "drop",
        MOVE,
        "drop the item from TP or FP; its instruction goes back to FN or TN",
        8,
    ),
    Key("item.reword", "e", "e", "reword", "reword", MOVE, "reword the item; it is looked up again", 10),
    Key("item.relink", "i", "i", "relink", "link", MOVE, "link the item to another instruction", 9),
    Key("item.split", "plus,+", "+", "split", "split", MOVE, "split the item in two"),
    Key("item.merge", "equals_sign,=", "=", "merge", "merge", MOVE, "merge the item with the next"),
    Key("item.missing", "m", "m", "missing", "missing", MOVE, "add an instruction that stands nowhere to FN or TN"),
    Key("item.repeat", "R", "R", "repeat", "repeat", MOVE, "make your last correction once more, on this item"),
    Key("item.mark", "x", "x", "mark", "mark", MOVE, "mark the item; moves and drops then take all marked"),
    Key("item.mark_all", "asterisk", "*", "mark_all", "mark all", MOVE, "mark every item of the bucket"),
    Key("item.menu", "enter", "Enter", "menu", "menu", MOVE, "all that can be done with the item; a right click too"),
    Key("item.reason", "r", "r", "reason", "reason", MOVE, "say why the last correction here was made", 11),
    Key("view", "t", "t", "view", "checklist", MOVE, "a row for each instruction, or the buckets again", 13),
    Key("text.select", "v", "v", "select", "select", TEXT, "select words of the response", 3),
    Key("text.none", "0", "0", "no_evidence", "none", TEXT, "there is no evidence: keep the instruction's own words"),
    Key("text.evidence", "o", "o", "evidence", "evidence", READ, "the item's evidence in sight; again: into the text"),
    Key("text.next", "p", "p", "walk(1)", "next evidence", READ, "the next evidence in the text, and its item"),
    Key("text.previous", "P", "P", "walk(-1)", "evidence before", READ, "the evidence before, and its item"),
    Key("text.plea", "A", "A", "plea", "pleas", READ, "the next passage that seems to address the judge"),
    Key("text.search", "slash", "/", "search", "find", READ, "search the response; n and N then go from hit to hit", 8),
    Key("text.markdown", "M", "M", "markdown", "Markdown", READ, "Markdown rendered, or as it was written"),
    Key("text.focus", "z", "z", "focus_mode", "focus", READ, "the response alone on the screen; again: everything"),
    Key("page.on", "space,pagedown", "Space", "scroll(1)", "scroll", READ, "scroll the response on"),
    Key("page.back", "pageup,b", "PgUp", "scroll(-1)", "scroll back", READ, "scroll the response back"),
    Key(
        "material",
        "K",
        "K",
        "material",
        "question",
        READ,
        "read the item, the question, the reference, the documents whole",
    ),
    Key("cell.sign", "a", "a", "sign_off", "sign off", CELL, "sign off and go to the next unreviewed cell", 2),
    Key("cell.undo", "u", "u", "undo", "undo", CELL, "take back your last act, wherever it was", 4),
    Key("cell.redo", "U", "U", "redo", "redo", CELL, "do it again", 16),
    Key("cell.comment", "c", "c", "comment", "comment", CELL, "comment on the cell", 7),
    Key("cell.comments", "C", "C", "comments", "comments", CELL, "read the cell's comments and history"),
    Key("cell.flag", "F", "F", "flag", "flag", CELL, "set the flag or take it down", 12),
    Key("cell.copy", "y", "y", "copy", "copy", CELL, "copy the item, its words or the cell: text, TOML, JSON"),
    Key("cell.copy_again", "Y", "Y", "copy_again", "copy again", CELL, "copy the same kind of thing here"),
    Key("cell.proposals", "V", "V", "proposals", "proposals", CELL, "what each judge proposed: look at it, adopt it"),
    Key("cell.judge", "J", "J", "judge", "judge", CELL, "have this cell judged"),
    Key("bucket.next", "l,right,tab", "l → Tab", "bucket(1)", "next bucket", GO, "go to the next bucket"),
    Key("bucket.previous", "h,left,shift+tab", "h ←", "bucket(-1)", "bucket before", GO, "go to the previous bucket"),
    Key("cell.next", "full_stop,right_square_bracket", ".", "cell(1)", "next cell", GO, "go to the next cell"),
    Key("cell.previous", "comma,left_square_bracket", ",", "cell(-1)", "cell before", GO, "go to the previous cell"),
    Key("trace.next", "greater_than_sign", ">", "trace(1)", "next trace", GO, "go to the next trace"),
    Key("trace.previous", "less_than_sign", "<", "trace(-1)", "trace before", GO, "go to the previous trace"),
    Key("unreviewed.next", "n", "n", "next(1)", "next", GO, "go to the next unreviewed cell (in a search: hit)", 5),
    Key("unreviewed.previous", "N", "N", "next(-1)", "previous", GO, "go to the previous unreviewed cell (or hit)"),
    Key("back", "left_parenthesis,backspace", "(", "back", "back", GO, "back to the cell you came from"),
    Key("forward", "right_parenthesis", ")", "forward", "forward", GO, "forward again"),
    Key("jump", "g", "g", "jump", "jump", GO, "jump: letters on all in sight, type one; g g: the first"),
    Key("last", "G", "G", "last", "last", GO, "the last line of the list, or of the response"),
    Key("trace.go", "colon", ":", "go_to", "go to", GO, "go to a trace by its id, its number or a part of it"),
    Key("cell.bookmark", "B", "B", "bookmark", "bookmark", GO, "bookmark the cell, or take the bookmark away"),
    Key("bookmarks", "apostrophe,semicolon", "'", "bookmarks", "bookmarks", GO, "the bookmarks, to go to one"),
    Key("queue", "Q", "Q", "queue", "queue", GO, "show the queue and go into it; again: back", 6),
    Key("queue.filter", "f", "f", "filter", "filter", GO, "which cells the queue holds: state:proposed f1<0.5 …", 9),
    Key("queue.order", "O", "O", "order", "order", GO, "the order of the queue: unreviewed, lowest, random …", 14),
    Key("session", "S", "S", "session", "numbers", SESSION, "progress, pace, metrics, instructions and plots", 15),
    Key("history", "H", "H", "history", "history", SESSION, "what you did, newest first; undo and redo there too"),
    Key("sizes", "W", "W", "sizes", "sizes", SESSION, "how much room each pane has: arrows, kept for next time"),
    Key("rubric.edit", "I", "I", "edit_rubric", "rubric", SESSION, "edit the rubric, see what that changes, take it"),
    Key("theme", "T", "T", "theme", "theme", SESSION, "choose a theme and see it at once"),
    Key("run.again", "D", "D", "judge_again", "judge again", SESSION, "judge again what the queue holds: a new round"),
    Key("run.stop", "X", "X", "stop", "stop", SESSION, "stop the judge; what has arrived stays"),
    Key("save", "ctrl+s", "Ctrl+S", "save", "save", SESSION, "write the audit file now", 17),
    Key("palette", "ctrl+p", "Ctrl+P", "command_palette", "palette", SESSION, "every command by name"),
    Key("help", "question_mark,f1", "?", "help", "keys", SESSION, "what can be done here, and this list", 1),
    Key("quit", "q,ctrl+q", "q", "quit", "quit", SESSION, "write the audit and quit", 18),
)
_PLACES = [
    *("text.select", "cell.sign", "cell.undo", "unreviewed.next", "text.search", "item.drop", "item.relink"),
    *("item.reword", "cell.comment", "item.reason", "cell.flag", "queue", "queue.filter", "queue.order", "view"),
    *("session", "save", "cell.redo", "quit", "help"),
]


def bindings() -> list[Binding]:
    """The keys as Textual knows them."""
    return [Binding(key.keys, key.action, key.label, id=key.id, show=False, tooltip=key.told) for key in KEYS]


def hints(keys: Sequence[Key] = KEYS) -> list[Hint]:
    """The keys that the strip shows, the most needed first."""
    shown = sorted((key for key in keys if key.strip), key=lambda key: _PLACES.index(key.id))
    moves = "1-4" if [key.shown for key in keys[:4]] == list("1234") else " ".join(key.shown for key in keys[:4])
    return [Hint(moves, "move", "menu"), *(Hint(key.shown, key.label, key.action, key.strip) for key in shown)]


def named(given: Sequence[Hint], keys: Sequence[Key]) -> list[Hint]:
    """Hints with the keys that a person gave to their actions."""
    shown = {key.action: key.shown for key in keys}
    return [replace(hint, key=shown.get(hint.action, hint.key)) for hint in given]
