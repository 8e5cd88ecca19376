"""What happened to a cell, in lines to read."""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Literal

from appellate.core.cell import Cell, reason_of
from appellate.core.describe import describe, describe_loss
from appellate.core.facts import Commented, Fact
from appellate.store.toml import moment
from appellate.ui.text import clip
from appellate.workbench import Change

Which = Literal["undo", "redo"]
TURNED = 120  # cells of the words of an act, so that what follows them is read at 80 columns, too


def turned(changes: Sequence[Change]) -> str:
    """The act that was taken back or done again: its first part, and how many there were."""
    acts = sorted(changes[0].turned, key=lambda fact: fact.n)
    change = next(one for one in changes if acts[0] in one.after.facts)
    more = f" (and {len(acts) - 1} more of the same act)" if len(acts) > 1 else ""
    return clip(describe(change.after, acts[0]), TURNED) + more


def story(cell: Cell) -> str:
    """Comments, then everything that happened, whole."""
    comments = [f"{when(fact.at)}  {fact.by}\n{_text(fact)}" for fact in cell.comments]
    telling = [(fact, describe(cell, fact)) for fact in cell.facts]
    happened = [
        f"{when(fact.at)}  {fact.by}\n{line}{_more(cell, fact)}" for fact, line in telling if line
    ]
    parts = [
        ("Comments", comments or ["(none)"]),
        ("History", happened or ["Nothing has happened to this cell yet."]),
    ]
    return "\n\n".join(f"── {title} ──\n" + "\n\n".join(lines) for title, lines in parts)


def _text(fact: Fact) -> str:
    return fact.what.text if isinstance(fact.what, Commented) else ""


def _more(cell: Cell, fact: Fact) -> str:
    reason = reason_of(cell, fact)
    because = f"\nbecause: {reason}" if reason else ""
    became = describe_loss(cell, fact)
    return because + (f" [{became}]" if became else "")


def when(at: str, zone: tzinfo | None = None) -> str:
    """A moment of a fact in local time."""
    return f"{moment(at).astimezone(zone):%Y-%m-%d %H:%M}"
