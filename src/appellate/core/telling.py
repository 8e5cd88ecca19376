"""What happened to a cell, in plain words: the same in the log, on the screen and in the file."""

from appellate.core.cell import Cell
from appellate.core.facts import Commented, Corrected, Fact, Failed, Flagged, Proposed, SignedOff, Undone, What
from appellate.core.kind import Kind


def told(cell: Cell, fact: Fact) -> str:
    """One fact in words; nothing for those that only concern others."""
    return happened(cell.subject.kind, fact.what)


def happened(kind: Kind, what: What) -> str:
    """What happened to a cell of a kind, in words."""
    match what:
        case Corrected(edit, before, after):
            return kind.tell(edit, before, after)
        case SignedOff():
            return "signed off"
        case Flagged(on):
            return "flagged" if on else "took the flag down"
        case Commented(text):
            return f"commented: {text}"
        case Proposed(_, judge):
            return f"judged by {judge.get('model') or judge.get('name')}"
        case Failed(error):
            return f"the judge failed: {error}"
        case _:
            return ""


def undone_by(cell: Cell, fact: Fact) -> str:
    """Who took an act back last; nothing for one that stands."""
    if fact.n not in cell.undone:
        return ""
    return next(f.by for f in reversed(cell.facts) if isinstance(f.what, Undone) and f.what.of == fact.n)
