"""The cell as a whole: taking back, flags, comments and reasons, what happened to
it and what judges proposed.
"""

from collections.abc import Sequence
from typing import Literal

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.queue.navigation import Navigation
from appellate.app.requests import Requests
from appellate.core.cell import proposals, reason_of
from appellate.core.commands import Comment, Flag, Reason
from appellate.core.describe import describe
from appellate.core.problem import Refused
from appellate.core.trace import name_of
from appellate.core.wordforms import many
from appellate.session.workbench import Change
from appellate.store.database import NotKept
from appellate.ui.contract import LONGER, NO_REASON, WHY, is_reason, reason_choices
from appellate.ui.text import clip

Which = Literal["undo", "redo"]
TURNED = 120  # cells of the words of an act, so that what follows them is read at 80 columns, too
SEVERAL_LINES = "in several lines, or in your editor (Ctrl+O)"


class CellActions:
    """What a person says about the cell in sight; `reasons` are those usually given."""

    def __init__(
        self,
        view: CellView,
        requests: Requests,
        navigation: Navigation,
        dialogs: Dialogs,
        reasons: Sequence[str],
    ) -> None:
        self._view = view
        self._bench = view.bench
        self._requests = requests
        self._navigation = navigation
        self._dialogs = dialogs
        self.reasons = reasons

    # -- taking back ------------------------------------------------------------------------------

    def take_back(self, which: Which) -> None:
        """Undoes this reviewer's last act, or does it again, wherever it was, and goes there."""
        changes = self._requests.do(lambda: self._turn(which))
        if changes is None:
            return
        if all(change.no != self._view.no for change in changes):
            self._navigation.go(changes[0].no)
            self._view.follow(changes[0])
        self._dialogs.say(self._describe_turned(which, changes))

    def _turn(self, which: Which) -> list[Change]:
        return self._bench.undo() if which == "undo" else self._bench.redo()

    def _describe_turned(self, which: Which, changes: Sequence[Change]) -> str:
        """The act that was taken back or done again: its first part, of how many, and where."""
        acts = sorted(changes[0].turned, key=lambda fact: fact.n)
        change = next(one for one in changes if acts[0] in one.after.facts)
        text = clip(describe(change.after, acts[0]), TURNED)
        if len(acts) > 1:
            text += f" (and {len(acts) - 1} more of the same act)"
        row = self._bench.workspace.cells.row(changes[0].no)
        where = f"{name_of(row.trace_id, row.epoch)}, {row.trait}"
        if len(changes) > 1:
            where += f" and {many(len(changes) - 1, 'more cell')}"
        verb = "Undone" if which == "undo" else "Done again"
        return f"{verb}: {text} ({where})"

    async def history(self) -> None:
        """What this reviewer did, newest first, to go to a cell or to take back."""
        from appellate.app.history_screen import HistoryScreen

        screen = HistoryScreen(self._bench, self._view.marks, self._take_back_there)
        number = await self._dialogs.show(screen)
        if number is not None:
            self._navigation.go(number)
            self._dialogs.rest()

    def _take_back_there(self, which: Which) -> str:
        """Takes the last act back, or does it again, behind the list of acts; says what."""
        try:
            return self.turned(which)[0]
        except (Refused, NotKept) as refusal:
            return str(refusal)

    def turned(self, which: Which) -> tuple[str, Sequence[Change]]:
        """Takes the last act back, or does it again, and stays here: what it was, and what changed.

        Raises Refused or NotKept.
        """
        changes = self._turn(which)
        return self._describe_turned(which, changes), changes

    # -- flag, comment, reason --------------------------------------------------------------------

    def flag(self) -> None:
        """Sets the flag or takes it down."""
        self._requests.do(lambda: self._bench.do(self._view.no, Flag(not self._view.cell.flag)))

    async def comment(self) -> None:
        if not self._requests.may_change():
            return
        no = self._view.no
        text = await self._dialogs.note("Comment", about=("comment", no))
        if self._requests.do(lambda: self._bench.do(no, Comment(text))) is not None:
            self._dialogs.done_with(("comment", no))
            self._dialogs.say("Comment saved. C shows them all.")

    async def reason(self) -> None:
        """Why the last correction that stands here was made: one of the usual reasons, or words of
        one's own.
        """
        if not self._requests.may_change():
            return
        no, cell = self._view.no, self._view.cell
        standing = [fact for fact in cell.corrections if fact.n not in cell.undone]
        if not standing:
            self._dialogs.say("A reason belongs to a correction, and this cell has none now.")
            return
        of = standing[-1]
        about = "reason", no, of.n
        given = reason_of(cell, of)
        choices = [NO_REASON, *reason_choices(self.reasons, given)]
        text = await self._dialogs.pick(
            WHY, choices, about=about, free=is_reason, longer=SEVERAL_LINES
        )
        if text == LONGER:
            text = await self._dialogs.note("Why?", given, about=about)
        if not text:
            self._dialogs.done_with(about)
            self._dialogs.say(f"The reason stays: {given}" if given else "No reason given.")
            return
        if self._requests.do(lambda: self._bench.do(no, Reason(of.n, text))) is not None:
            self._dialogs.done_with(about)
            self._dialogs.say(f"Reason saved: {text}")

    # -- proposals --------------------------------------------------------------------------------

    async def proposals(self) -> None:
        """What each judge proposed here: to look at, and to adopt one."""
        from appellate.app.judging.proposals_screen import ProposalsScreen

        no, cell, trace = self._view.no, self._view.cell, self._view.trace
        if not proposals(cell):
            self._dialogs.say("No judge has proposed anything here yet: J asks one.")
            return
        name = f"Proposals for {cell.subject.trait.name}, trace {name_of(trace.id, trace.epoch)}"
        rendered = self._view.parts.response.reads_as_markdown
        screen = ProposalsScreen(cell, name, self._view.marks, rendered=rendered)
        offer = await self._dialogs.show(screen)
        if offer is None or not self._requests.may_change():
            return
        change = self._requests.do(lambda: self._bench.adopt(no, offer.fact.n, offer.member))
        if change is None:
            return
        text = f"Adopted the labels of {offer.name}, round {offer.round}: u takes it back."
        if change.before.signed:
            text += " No longer signed off: a signs it again."
        self._dialogs.say(text)
