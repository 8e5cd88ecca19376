"""How a cell stands, in a few words: what was done to it, and how a blind verdict stands to the
judge.
"""

from appellate.core.cell import Cell, reason_of
from appellate.core.ruling import standing_verdict
from appellate.core.wordforms import many
from appellate.ui.marks import Marks


def done(cell: Cell, marks: Marks) -> str:
    """What was done to a cell: its corrections that stand, and who signed it off."""
    text = f"{getattr(marks, cell.state)} "
    standing = [fact for fact in cell.corrections if fact.n in cell.edits]
    if cell.ruled:  # those that made the verdict are it
        standing = [fact for fact in standing if fact.n > cell.ruled.n]
    corrections = many(len(standing), "correction") if standing else ""
    reasons = sum(bool(reason_of(cell, fact)) for fact in standing)
    if reasons:
        corrections += f", {many(reasons, 'reason')}"
    if cell.hidden:
        return text + "blind"
    if not cell.signed:
        return text + (corrections or cell.state)
    signed = f"signed off by {cell.signed.by}"
    if cell.signed is cell.ruled:
        how = "ruled blind" if cell.ruled_blind else "ruled"
        signed = f"{how} by {cell.signed.by}"
    return text + ", ".join(filter(None, (signed, corrections)))


class PaneTitle:
    """The title of the cell in sight; how its verdict stands is found once for a cell as it is."""

    def __init__(self) -> None:
        self._of: Cell | None = None
        self._standing = ""

    def of(self, cell: Cell, pane: str) -> str:
        """The title, after what the pane calls itself."""
        title = f"{pane} · {cell.subject.trait.name}"
        if cell.hidden:
            return f"Blind · {title}"
        if cell.ruled is None:
            return title
        if self._of is not cell:
            self._of, self._standing = cell, standing_verdict(cell)
        return f"{title} · {self._standing}"
