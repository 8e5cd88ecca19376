"""What `?` shows: every key, from the bindings, and what every mark means."""

from appellate.app.keys import KEYS
from appellate.ui.help import Told
from appellate.ui.marks import Marks

SELECTING = (
    ("h l j k ← → ↑ ↓", "go to the word to start from"),
    ("w b s", "extend by word, back by a word, by sentence"),
    ("j k", "then: extend by line"),
    ("o", "move the other end"),
    ("1 3", "put what is selected into TP or FP"),
    ("Enter", "take it as evidence, where evidence was asked for; 0 takes none"),
    ("Esc", "leave"),
)


def told_keys(marks: Marks) -> list[Told]:
    """Keys by group, then marks."""
    keys = [Told(key.group, key.shown, key.told) for key in KEYS]
    selecting = [Told("While selecting", shown, told) for shown, told in SELECTING]
    return keys + selecting + [Told("Marks", mark, told, style) for mark, told, style in _marks(marks)]


def _marks(marks: Marks) -> list[tuple[str, str, str]]:
    return [
        (f"{marks.tp}TP", "true positive: the response says what a TP instruction asks for", "tp"),
        (f"{marks.fn}FN", "false negative: a TP instruction that the response does not meet", "fn"),
        (f"{marks.fp}FP", "false positive: words of the response that are wrong for this trait", "fp"),
        (f"{marks.tn}TN", "true negative: a TN instruction that the response rightly does not meet", "tn"),
        (marks.reviewed, "reviewed: signed off", "reviewed"),
        (marks.proposed, "proposed: judged, nobody has touched it", "proposed"),
        (marks.corrected, "corrected: edited, not signed off", "corrected"),
        (marks.failed, "failed: the judge gave no judgment; the cell says why", "failed"),
        (marks.pending, "pending: not judged yet", "pending"),
        (marks.flag, "flagged, to come back to", "flag"),
        ("4  −1  ~2", "TP instruction 4, TN instruction 1, hint 2", "key"),
        ("0/0", "undefined: nothing to count, left out of means", ""),
        (marks.doubt, "in the queue: something unverified or amiss in the ledger", "flag"),
        ("unverified", "an excerpt that was not found in the response", ""),
        ("no evidence", "taken on without words of the response", ""),
        ("repeat", "repeats an item above it: kept, but not counted", ""),
    ]
