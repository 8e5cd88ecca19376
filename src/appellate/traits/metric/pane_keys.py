"""The keys of the metric pane, and what its marks mean."""

from collections.abc import Mapping

from appellate.traits.metric.labels import Bucket
from appellate.traits.metric.ledger import MARKS
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp

MOVES = ("move.tp", "move.fn", "move.fp", "move.tn")
MEANINGS: dict[Bucket, str] = {
    "tp": "rightly found",
    "fn": "missing",
    "fp": "wrong",
    "tn": "rightly absent",
}
"""What it says of an item to put it into a bucket."""
ITEMS, GOING = "Items", "Going about"


def answer_keys(trait: MetricRubricTrait) -> Mapping[str, str]:  # noqa: ARG001 - of every one
    """The bucket that each of the four keys puts an instruction into."""
    return {key: key.removeprefix("move.") for key in MOVES}


def _move(digit: str, to: Bucket) -> Key:
    """The key that puts an item into a bucket."""
    words = f"put the item into {MARKS[to]} ({MEANINGS[to]})"
    action = f"move('{to}')"
    return Key(f"move.{to}", digit, digit, MARKS[to], ITEMS, words, own_action=action)


def _correction(
    what: str, keys: str, label: str, words: str, *, strip: int = 0, place: int = 0
) -> Key:
    """A key that makes a correction; the last character of `keys` is what it is called."""
    action = f"correct('{what}')"
    return Key(f"item.{what}", keys, keys[-1], label, ITEMS, words, strip, place, action)


KEYS = (
    _move("1", "tp"),
    _move("2", "fn"),
    _move("3", "fp"),
    _move("4", "tn"),
    _correction(
        "drop",
        "d",
        "drop",
        "drop the item from TP or FP; its instruction goes back to FN or TN",
        strip=8,
        place=6,
    ),
    _correction(
        "reword", "e", "reword", "reword the item; it is looked up again", strip=10, place=8
    ),
    _correction("relink", "i", "link", "link the item to another instruction", strip=9, place=7),
    _correction("split", "plus,+", "split", "split the item in two, or where words are selected"),
    _correction("merge", "underscore,_", "merge", "merge the item with the next"),
    _correction(
        "replace",
        "equals_sign,=",
        "other words",
        "put other words of the response in its place: elsewhere, the judge's evidence was wrong",
    ),
    _correction(
        "deny",
        "minus,-",
        "denied",
        "denied: words of the response say the contrary; again: left out, not denied",
        strip=14,
        place=10,
    ),
    _correction("missing", "m", "missing", "add an instruction that is nowhere yet to FN or TN"),
    _correction("repeat", "R", "repeat", "make your last correction once more, on this item"),
    Key(
        "item.mark",
        "x",
        "x",
        "mark",
        ITEMS,
        "mark the item; moves and drops then take all marked",
        own_action="mark",
    ),
    Key(
        "item.mark_to_here",
        "w",
        "w",
        "mark to here",
        ITEMS,
        "mark every item from the one marked last to this one",
        own_action="mark('to_here')",
    ),
    Key(
        "item.mark_down",
        "shift+down",
        "Shift+↓",
        "mark, next",
        ITEMS,
        "mark the item and the next, going down",
        own_action="mark('down')",
    ),
    Key(
        "item.mark_up",
        "shift+up",
        "Shift+↑",
        "mark, back",
        ITEMS,
        "mark the item and the one before, going up",
        own_action="mark('up')",
    ),
    Key(
        "item.mark_all",
        "asterisk",
        "*",
        "mark all",
        ITEMS,
        "mark every item of the bucket",
        own_action="mark('all')",
    ),
    Key(
        "item.menu",
        "enter",
        "Enter",
        "menu",
        ITEMS,
        "all that can be done with the item; a right click too",
        own_action="menu",
    ),
    Key(
        "item.turn",
        "space",
        "Space",
        "turn",
        ITEMS,
        "turn the verdict: found ⇄ missing, present ⇄ absent; back with its excerpt",
        8,
        5,
        "turn",
        near=True,
    ),
    Key(
        "view",
        "t",
        "t",
        "checklist",
        ITEMS,
        "a row for each instruction, or the buckets again",
        13,
        15,
        "view",
    ),
    Key(
        "bucket.next",
        "l,right,tab",
        "l → Tab",
        "next bucket",
        GOING,
        "go to the next bucket",
        own_action="bucket(1)",
    ),
    Key(
        "bucket.previous",
        "h,left,shift+tab",
        "h ←",
        "bucket before",
        GOING,
        "go to the previous bucket",
        own_action="bucket(-1)",
    ),
)


def marks_help(marks: Marks) -> list[MarkHelp]:
    """What the marks of the rows mean."""
    minus = marks.minus
    return [
        MarkHelp(
            f"{marks.tp}TP", "true positive: the response says what a TP instruction asks for", "tp"
        ),
        MarkHelp(
            f"{marks.fn}FN",
            "false negative: a TP instruction that the response does not meet",
            "fn",
        ),
        MarkHelp(
            f"{marks.fp}FP",
            "false positive: words of the response that are wrong for this trait",
            "fp",
        ),
        MarkHelp(
            f"{marks.tn}TN",
            "true negative: a TN instruction that the response rightly does not meet",
            "tn",
        ),
        MarkHelp(f"4  {minus}1  ~2", "TP instruction 4, TN instruction 1, hint 2", "key"),
        MarkHelp(marks.marked, "marked: what is done next is done to all that are marked", "key"),
        MarkHelp(
            f"{marks.moved} was FN", "you moved it: the judge had it in FN; then your reason", "key"
        ),
        MarkHelp(
            marks.changed,
            "you gave it other words, other evidence or another instruction",
            "key",
        ),
        MarkHelp(marks.added, "you added it", "key"),
        MarkHelp(marks.open, "on the checklist: an instruction that is nowhere yet", "muted"),
        MarkHelp(
            f"{marks.doubt} unverified", "an excerpt that was not found in the response", "flag"
        ),
        MarkHelp("no evidence", "taken on without words of the response"),
        MarkHelp(
            f"{marks.split}2/3",
            "how many of the panel's judges say so; with the sign: not all of them",
            "flag",
        ),
        MarkHelp(f"{marks.denied} denied", "these words of it say the contrary", "flag"),
        MarkHelp(f"{marks.omission} by omission", "asks for what is left out: no words show it"),
        MarkHelp("wrong evidence", "right verdict; you replaced the judge's excerpt", "key"),
        MarkHelp("repeat", "repeats an item above it: shown, but not counted"),
        MarkHelp("counts twice", "several excerpts of one instruction count"),
    ]
