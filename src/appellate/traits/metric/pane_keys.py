"""The keys of the metric pane, and what its marks mean."""

from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkTold

MOVES = ("move.tp", "move.fn", "move.fp", "move.tn")

ITEMS = "Items"
KEYS = (
    Key(
        "move.tp",
        "1",
        "1",
        "TP",
        ITEMS,
        "put the item into TP (rightly found)",
        own_action="move('tp')",
    ),
    Key(
        "move.fn", "2", "2", "FN", ITEMS, "put the item into FN (missing)", own_action="move('fn')"
    ),
    Key("move.fp", "3", "3", "FP", ITEMS, "put the item into FP (wrong)", own_action="move('fp')"),
    Key(
        "move.tn",
        "4",
        "4",
        "TN",
        ITEMS,
        "put the item into TN (rightly absent)",
        own_action="move('tn')",
    ),
    Key(
        "item.drop",
        "d",
        "d",
        "drop",
        ITEMS,
        "drop the item from TP or FP; its instruction goes back to FN or TN",
        8,
        6,
        "correct('drop')",
    ),
    Key(
        "item.reword",
        "e",
        "e",
        "reword",
        ITEMS,
        "reword the item; it is looked up again",
        10,
        8,
        "correct('reword')",
    ),
    Key(
        "item.relink",
        "i",
        "i",
        "link",
        ITEMS,
        "link the item to another instruction",
        9,
        7,
        "correct('relink')",
    ),
    Key(
        "item.split",
        "plus,+",
        "+",
        "split",
        ITEMS,
        "split the item in two",
        own_action="correct('split')",
    ),
    Key(
        "item.merge",
        "equals_sign,=",
        "=",
        "merge",
        ITEMS,
        "merge the item with the next",
        own_action="correct('merge')",
    ),
    Key(
        "item.missing",
        "m",
        "m",
        "missing",
        ITEMS,
        "add an instruction that stands nowhere to FN or TN",
        own_action="correct('missing')",
    ),
    Key(
        "item.repeat",
        "R",
        "R",
        "repeat",
        ITEMS,
        "make your last correction once more, on this item",
        own_action="correct('repeat')",
    ),
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
        "item.mark_all",
        "asterisk",
        "*",
        "mark all",
        ITEMS,
        "mark every item of the bucket",
        own_action="mark_all",
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
        "Going about",
        "go to the next bucket",
        own_action="bucket(1)",
    ),
    Key(
        "bucket.previous",
        "h,left,shift+tab",
        "h ←",
        "bucket before",
        "Going about",
        "go to the previous bucket",
        own_action="bucket(-1)",
    ),
)


def told_marks(marks: Marks) -> list[MarkTold]:
    """What the marks of the rows mean."""
    minus = marks.minus
    return [
        MarkTold(
            f"{marks.tp}TP", "true positive: the response says what a TP instruction asks for", "tp"
        ),
        MarkTold(
            f"{marks.fn}FN",
            "false negative: a TP instruction that the response does not meet",
            "fn",
        ),
        MarkTold(
            f"{marks.fp}FP",
            "false positive: words of the response that are wrong for this trait",
            "fp",
        ),
        MarkTold(
            f"{marks.tn}TN",
            "true negative: a TN instruction that the response rightly does not meet",
            "tn",
        ),
        MarkTold(f"4  {minus}1  ~2", "TP instruction 4, TN instruction 1, hint 2", "key"),
        MarkTold(marks.marked, "marked: what is done next is done to all that are marked", "key"),
        MarkTold(marks.open, "on the checklist: an instruction that stands nowhere yet", "muted"),
        MarkTold(
            f"{marks.doubt} unverified", "an excerpt that was not found in the response", "flag"
        ),
        MarkTold("no evidence", "taken on without words of the response"),
        MarkTold(
            f"{marks.split}2/3",
            "how many of the panel's judges say so; with the sign: not all of them",
            "flag",
        ),
        MarkTold("repeat", "repeats an item above it: kept, but not counted"),
        MarkTold("counts twice", "several excerpts of one instruction count"),
    ]
