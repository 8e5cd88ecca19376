"""Going back line by line: to cells that one bookmarked, and to those where one did something."""

from collections.abc import Callable

from appellate.core.describe import describe_event
from appellate.core.problem import Refused
from appellate.core.trace import name_of
from appellate.linear.console import Console
from appellate.linear.linear_review import LinearReview
from appellate.traits.kinds import kinds
from appellate.ui.contract import Choice
from appellate.workbench import Workbench

LAST = 12  # acts that are listed
LONGEST = 60  # characters of one


class GoingBack:
    """`go` opens a cell; `here` is the one that is open."""

    def __init__(
        self,
        bench: Workbench,
        console: Console,
        review: LinearReview,
        go: Callable[[int], None],
        here: Callable[[], int],
    ) -> None:
        self._bench = bench
        self._console = console
        self._review = review
        self._go = go
        self._here = here

    def bookmark(self) -> None:
        """Bookmarks the cell, or takes the bookmark away."""
        on = self._here() not in self._bench.bookmarks()
        self._bench.set_bookmark(self._here(), on)
        self._console.say("Bookmarked: ' lists the bookmarks." if on else "The bookmark is gone.")

    async def bookmarks(self) -> None:
        """Lists the bookmarks, to go to one."""
        numbers = sorted(self._bench.bookmarks())
        if not numbers:
            raise Refused("There are no bookmarks; B sets one on this cell.")
        choices = []
        for row in self._bench.workspace.cells.rows_of(numbers):
            name = f"{name_of(row.trace_id, row.epoch)} · {row.trait}"
            choices.append(Choice(str(row.no), "", name, row.state))
        self._go(int(await self._review.pick("Bookmarks", choices)))

    async def history(self) -> None:
        """Lists what one did last, newest first, to go there."""
        choices = []
        for act in self._bench.workspace.facts.acts(self._bench.reviewer, 0, LAST):
            text = describe_event(kinds()[act.kind], act.what)
            if len(text) > LONGEST:
                text = f"{text[:LONGEST].rstrip()} …"
            if act.undone:
                text = f"undone: {text}"
            where = f"{name_of(act.trace_id, act.epoch)} · {act.trait}"
            choices.append(Choice(f"{act.n} {act.cell}", "", f"{text} ({where})"))
        if not choices:
            raise Refused("You did nothing here yet.")
        picked = await self._review.pick("What you did, newest first", choices)
        self._go(int(picked.split()[1]))
