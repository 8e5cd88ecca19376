"""A correction in plain words, for the log, the screen and undo."""

from appellate.core.cell import Cell
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import EXCERPTS, Bucket, List
from appellate.traits.metric.ledger import MARKS, link_mark


def instruction(of: List, number: int) -> str:
    """`instruction 4` for TP instruction 4, `TN instruction 1`, `hint 2`."""
    return {"tp": "instruction", "tn": "TN instruction", "fp": "hint"}[of] + f" {number}"


def often(times: int) -> str:
    return "twice" if times == 2 else f"{times} times"  # noqa: PLR2004


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
            back = f" ({MARKS[edit.to or 'fn']} has “{after}” again)" if after else ""
            return f"dropped from {where}: “{before}”{back}"
        case "split":
            return f"split {where}: “{before}” → “{after}”"
        case "merge":
            return f"merged {where}: “{before}” → “{after}”"


def brief(edit: Edit) -> str:
    """The sort of an edit: `TP → FN` for a move, `drop FP`."""
    where = MARKS[edit.bucket]
    if edit.action == "move":
        return f"{where} → {MARKS[edit.to or edit.bucket]}"
    return f"{edit.action} {where}"


def unlabelled(cell: Cell) -> str:
    """A cell without labels."""
    return "The judge failed here." if cell.error else "Not judged yet."


def why_empty(cell: Cell) -> str:
    """What can be done about a cell without labels, and why it has none."""
    if cell.error:
        return f"J asks again; v and m fill the cell by hand.\n{cell.error.error}"
    return "J has it judged; v and m fill it by hand."


def nothing(cell: Cell | None, name: Bucket) -> str:
    """A bucket found empty by the judge, or emptied by a person."""
    how = "nothing yet"
    if cell and cell.judge:
        how = "emptied by hand" if cell.judge.table.get(name) else "the judge found none"
    return f"({how}: {'v adds words' if name in EXCERPTS else 'm adds one'})"


_NOTES = {
    "unverified": "not found in the response: check it, reword it (e) or drop it (d)",
    "no evidence": "taken on without words of the response",
    "unlinked": "answers no instruction: link it (i) or drop it (d)",
    "repeat, not counted": "repeats an item above it: kept, but not counted",
}


def explained(note: str) -> str:
    """An item's notes in whole sentences."""
    return "\n".join(_NOTES.get(part, f"its instruction {part}") for part in note.split(" · "))
