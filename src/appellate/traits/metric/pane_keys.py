"""The keys of the metric pane, and what its marks mean."""

from collections.abc import Mapping

from appellate.traits.metric.labels import Bucket
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.ui.key import keys_in
from appellate.ui.marks import MarkHelp, Marks

MOVES = ("move.tp", "move.fn", "move.fp", "move.tn")
MEANINGS: dict[Bucket, str] = {
    "tp": "rightly found",
    "fn": "missing",
    "fp": "wrong",
    "tn": "rightly absent",
}
"""What it says of an item to put it into a bucket."""


def answer_keys(trait: MetricRubricTrait) -> Mapping[str, str]:  # noqa: ARG001 - of every one
    """The bucket that each of the four keys puts an instruction into."""
    return {key: key.removeprefix("move.") for key in MOVES}


KEYS = keys_in(
    """\
Items
move.tp  1  1  TP  -  move('tp')  put the item into TP (rightly found)  lines
move.fn  2  2  FN  -  move('fn')  put the item into FN (missing)  lines
move.fp  3  3  FP  -  move('fp')  put the item into FP (wrong)  lines
move.tn  4  4  TN  -  move('tn')  put the item into TN (rightly absent)  lines
item.drop  d  d  drop  8/6  correct('drop')  drop the item from TP or FP; its instruction goes \
back to FN or TN  lines
item.reword  e  e  reword  10/8  correct('reword')  reword the item; it is looked up again  lines
item.relink  i  i  link  9/7  correct('relink')  link the item to another instruction  lines
item.split  plus,+  +  split  -  correct('split')  split the item in two, or where words are \
selected  lines
item.merge  underscore,_  _  merge  -  correct('merge')  merge the item with the next  lines
item.replace  equals_sign,=  =  other words  -  correct('replace')  put other words of the \
response in its place: elsewhere, the judge's evidence was wrong  lines
item.deny  minus,-  -  denied  14/10  correct('deny')  denied: words of the response say the \
contrary; again: left out, not denied  lines
item.missing  m  m  missing  -  correct('missing')  add an instruction that is nowhere yet to FN \
or TN  lines
item.repeat  R  R  repeat  -  correct('repeat')  make your last correction once more, on this \
item  lines
item.mark  x  x  mark  -  mark  mark the item; moves and drops then take all marked  lines
item.mark_to_here  w  w  mark to here  -  mark('to_here')  mark every item from the one marked \
last to this one
item.mark_down  shift+down  Shift+↓  mark, next  -  mark('down')  mark the item and the next, \
going down
item.mark_up  shift+up  Shift+↑  mark, back  -  mark('up')  mark the item and the one before, \
going up
item.mark_all  asterisk  *  mark all  -  mark('all')  mark every item of the bucket  lines
item.menu  enter  Enter  menu  -  menu  all that can be done with the item; a right click too
item.turn  space  Space  turn  8/5  correct('turn') near  turn the verdict: found ⇄ missing, \
present ⇄ absent; back with its excerpt  lines
view  t  t  checklist  13/15  view  a row for each instruction, or the buckets again
Going about
bucket.next  l,right,tab  l → Tab  next bucket  -  bucket(1)  go to the next bucket
bucket.previous  h,left,shift+tab  h ←  bucket before  -  bucket(-1)  go to the previous bucket
"""
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
        MarkHelp(f"+5  {minus}8", "its points in the metric weighted", "key"),
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
