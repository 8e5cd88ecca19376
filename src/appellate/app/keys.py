"""Every key of the bench, once: bindings, the key strip, help and README's table come from here."""

from dataclasses import dataclass

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


MOVE, TEXT, CELL, GO, SESSION = "Items", "Text into a bucket", "This cell", "Going about", "Session"

KEYS = (
    Key("move.tp", "1,ampersand", "1", "move('tp')", "TP", MOVE, "put the item into TP (rightly found)"),
    Key("move.fn", "2,é", "2", "move('fn')", "FN", MOVE, "put the item into FN (missing)"),
    Key("move.fp", "3,quotation_mark", "3", "move('fp')", "FP", MOVE, "put the item into FP (wrong)"),
    Key("move.tn", "4,apostrophe", "4", "move('tn')", "TN", MOVE, "put the item into TN (rightly absent)"),
    Key("item.drop", "d", "d", "drop", "drop", MOVE, "drop exactly this item", 8),
    Key("item.reword", "e", "e", "reword", "reword", MOVE, "reword the item; it is looked up again", 10),
    Key("item.relink", "i", "i", "relink", "link", MOVE, "link the item to another instruction", 9),
    Key("item.split", "plus,+", "+", "split", "split", MOVE, "split the item in two"),
    Key("item.merge", "equals_sign,=", "=", "merge", "merge", MOVE, "merge the item with the next"),
    Key("item.reason", "r", "r", "reason", "reason", MOVE, "say why the last correction here was made", 11),
    Key(
        "item.missing",
        "m",
        "m",
        "missing",
        "missing",
        MOVE,
        "add an instruction that stands nowhere to FN or TN",
    ),
    Key("text.select", "v", "v", "select", "select", TEXT, "select words of the response", 3),
    Key("text.evidence", "o", "o", "evidence", "evidence", TEXT, "bring the item's evidence into sight"),
    Key(
        "text.take",
        "enter",
        "Enter",
        "take_evidence",
        "take",
        TEXT,
        "take the selected words as the evidence asked for",
    ),
    Key(
        "text.none",
        "0",
        "0",
        "no_evidence",
        "none",
        TEXT,
        "there is no evidence: keep the instruction's own words",
    ),
    Key("cell.sign", "a", "a", "sign_off", "sign off", CELL, "sign off and go to the next unreviewed cell", 2),
    Key("cell.undo", "u", "u", "undo", "undo", CELL, "take back your last act, wherever it was", 4),
    Key("cell.redo", "U", "U", "redo", "redo", CELL, "do it again", 14),
    Key("cell.comment", "c", "c", "comment", "comment", CELL, "comment on the cell", 7),
    Key("cell.comments", "C", "C", "comments", "comments", CELL, "read the cell's comments and history"),
    Key("cell.flag", "F", "F", "flag", "flag", CELL, "set the flag or take it down", 12),
    Key("cell.judge", "J", "J", "judge", "judge", CELL, "have this cell judged"),
    Key("bucket.next", "l,right,tab", "l → Tab", "bucket(1)", "next bucket", GO, "go to the next bucket"),
    Key(
        "bucket.previous",
        "h,left,shift+tab",
        "h ←",
        "bucket(-1)",
        "previous bucket",
        GO,
        "go to the previous bucket",
    ),
    Key("cell.next", "full_stop,right_square_bracket", ".", "cell(1)", "next cell", GO, "go to the next cell"),
    Key(
        "cell.previous",
        "comma,left_square_bracket",
        ",",
        "cell(-1)",
        "previous cell",
        GO,
        "go to the previous cell",
    ),
    Key("trace.next", "greater_than_sign", ">", "trace(1)", "next trace", GO, "go to the next trace"),
    Key("trace.previous", "less_than_sign", "<", "trace(-1)", "previous trace", GO, "go to the previous trace"),
    Key("unreviewed.next", "n", "n", "unreviewed(1)", "next", GO, "go to the next unreviewed cell", 5),
    Key(
        "unreviewed.previous",
        "N",
        "N",
        "unreviewed(-1)",
        "previous",
        GO,
        "go to the previous unreviewed cell",
    ),
    Key("response.down", "space,pagedown", "Space", "scroll(1)", "scroll", GO, "scroll the response on"),
    Key("response.up", "pageup,b", "PgUp", "scroll(-1)", "scroll back", GO, "scroll the response back"),
    Key("queue", "Q", "Q", "queue", "queue", GO, "show the queue and go into it; again: back", 6),
    Key(
        "material",
        "K",
        "K",
        "material",
        "question",
        GO,
        "read the whole question, the reference and the documents",
    ),
    Key("run.stop", "X", "X", "stop", "stop", SESSION, "stop the judge; what has arrived stays"),
    Key("save", "ctrl+s", "Ctrl+S", "save", "save", SESSION, "write the audit file now", 13),
    Key(
        "palette",
        "ctrl+p",
        "Ctrl+P",
        "command_palette",
        "palette",
        SESSION,
        "every command by name, and the themes",
    ),
    Key("help", "question_mark,f1", "?", "help", "keys", SESSION, "this list", 1),
    Key("quit", "q,ctrl+q", "q", "quit", "quit", SESSION, "write the audit and quit", 15),
)
_PLACES = [
    *("text.select", "cell.sign", "cell.undo", "unreviewed.next", "item.drop", "item.relink", "item.reword"),
    *("cell.comment", "item.reason", "cell.flag", "queue", "save", "cell.redo", "quit", "help"),
]


def bindings() -> list[Binding]:
    """The keys as Textual knows them."""
    return [Binding(key.keys, key.action, key.label, id=key.id, show=False, tooltip=key.told) for key in KEYS]


def hints() -> list[Hint]:
    """The keys that the strip shows, the most needed first."""
    shown = sorted((key for key in KEYS if key.strip), key=lambda key: _PLACES.index(key.id))
    return [Hint("1-4", "move"), *(Hint(key.shown, key.label, key.action, key.strip) for key in shown)]
