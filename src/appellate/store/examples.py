"""Signed-off cells that can be shown to a model as examples of a trait."""

from pathlib import Path
from typing import NamedTuple

from appellate.store.workspace import reading


class SignedOff(NamedTuple):
    """A cell that a person stands by, and the trace it is of."""

    cell: int
    id: str
    epoch: int


def signed_off(path: Path, trait: str) -> list[SignedOff]:
    """The cells of a trait that are signed off as it is now, whole and without an excerpt that was not found.

    Read by a connection of its own, for any thread.
    """
    with reading(path) as db:
        found = db.execute(
            "SELECT c.no, t.id, t.epoch FROM cells c JOIN traces t ON t.no = c.trace WHERE c.state = 'reviewed'"
            " AND c.trait = ? AND c.breaches = 0 AND c.unverified = 0 AND c.outdated = 0 ORDER BY c.no",
            (trait,),
        )
        return [SignedOff(*row) for row in found]
