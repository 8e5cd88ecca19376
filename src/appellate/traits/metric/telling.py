"""A correction in plain words, for the log, the screen and undo."""

from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import List
from appellate.traits.metric.ledger import MARKS

_SIGNS: dict[List, str] = {"tp": "", "tn": "−", "fp": "~"}


def link_mark(of: List | None, instruction: int | None) -> str:
    """`4` for TP instruction 4, `−1` for TN instruction 1, `~2` for hint 2, nothing for none."""
    return "" if of is None or instruction is None else f"{_SIGNS[of]}{instruction}"


def told(edit: Edit, before: str, after: str) -> str:
    """What an edit did, past tense, whole texts."""
    where = MARKS[edit.bucket]
    link = link_mark(edit.of, edit.instruction)
    to_link = f" as {link}" if link else ""
    match edit.action:
        case "move":
            became = f" as “{after}”" if after != before else ""
            return f"moved {where} → {MARKS[edit.to or edit.bucket]}: “{before}”{became or to_link}"
        case "add":
            return f"added to {where}{to_link}: “{after}”"
        case "relink":
            return f"linked {where} to {link or 'nothing'}: “{before}”"
        case "reword":
            return f"reworded {where}: “{before}” → “{after}”"
        case "drop":
            return f"dropped from {where}: “{before}”"
        case "split":
            return f"split {where}: “{before}” → “{after}”"
        case "merge":
            return f"merged {where}: “{before}” → “{after}”"
