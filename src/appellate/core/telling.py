"""What happened to a cell, in plain words: the same in the log, on the screen and in the file."""

from appellate.core.cell import Cell, round_of
from appellate.core.facts import (
    Adopted,
    Commented,
    Corrected,
    Fact,
    Failed,
    Flagged,
    Proposed,
    Revised,
    Shown,
    SignedOff,
    Undone,
    What,
)
from appellate.core.kind import Kind
from appellate.core.members import members, name_of

NO_PLACE = "found no place in a later proposal"
"""What became of an act that `Cell.left` lists."""


def told(cell: Cell, fact: Fact) -> str:
    """One fact in words; nothing for those that only concern others."""
    if isinstance(fact.what, Adopted):
        return _adopted(cell, fact.what)
    return happened(cell.subject.kind, fact.what)


def _adopted(cell: Cell, what: Adopted) -> str:
    """Whose labels were taken."""
    proposed = next(one.what for one in cell.facts if one.n == what.of and isinstance(one.what, Proposed))
    who = name_of(proposed.judge) if what.member is None else members(proposed.judge)[what.member].name
    return f"took the labels of {who}, round {round_of(proposed)}"


def happened(kind: Kind, what: What) -> str:
    """What happened to a cell of a kind, in words."""
    match what:
        case Corrected(edit, before, after):
            return kind.tell(edit, before, after)
        case Adopted():
            return "took the labels of another proposal"
        case Revised():
            return "the trait was changed"
        case Shown(to):
            return f"shown to {to} as an example"
        case SignedOff():
            return "signed off"
        case Flagged(on):
            return "flagged" if on else "took the flag down"
        case Commented(text):
            return f"commented: {text}"
        case Proposed(_, judge):
            again = f" in round {judge['round']}" if judge.get("round", 1) != 1 else ""
            return f"judged by {judge.get('model') or judge.get('name')}{again}"
        case Failed(error):
            return f"the judge failed: {error}"
        case _:
            return ""


def fate(cell: Cell, fact: Fact) -> str:
    """What became of an act that is not in the labels: it was undone, or had no place in a later proposal."""
    gone = undone_by(cell, fact)
    return f"undone by {gone}" if gone else NO_PLACE if fact.n in cell.left else ""


def undone_by(cell: Cell, fact: Fact) -> str:
    """Who took an act back last; nothing for one that stands."""
    if fact.n not in cell.undone:
        return ""
    return next(f.by for f in reversed(cell.facts) if isinstance(f.what, Undone) and f.what.of == fact.n)
