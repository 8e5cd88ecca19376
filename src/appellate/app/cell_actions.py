"""The cell as a whole: signing it off, taking back, flags, comments and reasons, what happened to
it and what judges proposed.
"""

from collections.abc import Sequence
from typing import Literal

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.navigation import Navigation
from appellate.app.requests import Requests
from appellate.core.cell import proposals, reason_of
from appellate.core.commands import Comment, Flag, Reason
from appellate.core.describe import describe
from appellate.core.problem import Refused
from appellate.core.trace import name_of
from appellate.core.wordforms import many
from appellate.store.database import NotKept
from appellate.ui.contract import Choice
from appellate.ui.text import clip
from appellate.workbench import Change

Which = Literal["undo", "redo"]
TURNED = 120  # cells of the words of an act, so that what follows them is read at 80 columns, too
LONGER = "in several lines, or in your editor (Ctrl+O)"
HELD = 0.75
"""Seconds within which the same key again may be one held down: keyboards wait for up to 0.66."""


class SignOffKey:
    """The key that signs off, shown as `key`: once for one press, and with a second thought where
    something speaks against it.

    Hears every key, to know one that is held down.
    """

    def __init__(
        self,
        view: CellView,
        requests: Requests,
        navigation: Navigation,
        dialogs: Dialogs,
        key: str,
    ) -> None:
        self._view = view
        self._requests = requests
        self._navigation = navigation
        self._dialogs = dialogs
        self._key = key
        self._pressed = "", 0.0  # the key before, and when it was pressed
        self._held = False
        self._doubted = 0, ""  # the cell, and what was said against signing it off

    def pressed(self, key: str, at: float) -> None:
        """Notes whether a key may be one that is held down; any other than the one before forgets a
        doubt.
        """
        before, then = self._pressed
        self._pressed = key, at
        self._held = key == before and at - then < HELD
        if key != before:
            self._doubted = 0, ""

    def sign(self) -> None:
        """Signs the cell off and goes to the next that is not; from one that is, it only goes."""
        view, told = self._view, ""
        if not view.cell.signed:
            if not self._may_sign():
                return
            no, seconds = view.no, view.sight.seconds(self._pressed[1])
            left_out = view.long.left_out()
            change = self._requests.do(lambda: view.bench.sign_off(no, seconds))
            if change is None or not change.after.signed:  # an error had been planted
                return
            hasty = ""
            if change.after.hasty:
                hasty = f"in sight for {seconds:.1f} s ({view.marks.hasty}, is:hasty finds it)"
            told = ", ".join(filter(None, [hasty, left_out]))
        self._navigation.unreviewed(1, after=True)
        if told:
            told = f"Signed off, {told}: ( goes back, u takes it back."
            self._dialogs.say(f"{told} {self._dialogs.said}".strip())

    def _may_sign(self) -> bool:
        """Whether this press may sign the cell off, or be refused; says why if it may not yet."""
        if self._view.cell.labels is None or self._view.bench.readonly:
            return True
        doubts = self._view.pane.doubts()
        doubted, self._doubted = self._doubted, (self._view.no, doubts)
        if doubts and (self._held or doubted != self._doubted):
            self._dialogs.say(f"{doubts} {self._key} again signs it off all the same.")
            return False
        if self._held:
            self._dialogs.say(
                "One press signs one cell, held down or not: "
                f"press {self._key} once more for this one."
            )
        return not self._held


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
        told = clip(describe(change.after, acts[0]), TURNED)
        if len(acts) > 1:
            told += f" (and {len(acts) - 1} more of the same act)"
        row = self._bench.workspace.cells.row(changes[0].no)
        where = f"{name_of(row.trace_id, row.epoch)}, {row.trait}"
        if len(changes) > 1:
            where += f" and {many(len(changes) - 1, 'more cell')}"
        verb = "Undone" if which == "undo" else "Done again"
        return f"{verb}: {told} ({where})"

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
            self._dialogs.say("Comment kept. C reads them all.")

    async def reason(self) -> None:
        """Why the last correction that stands here was made: one of the usual reasons, or words of
        one's own.
        """
        if not self._requests.may_change():
            return
        no, cell = self._view.no, self._view.cell
        standing = [fact for fact in cell.corrections if fact.n not in cell.undone]
        if not standing:
            self._dialogs.say(
                "A reason belongs to a correction, and this cell has none that stands."
            )
            return
        of = standing[-1]
        about = "reason", no, of.n
        given = reason_of(cell, of)
        choices = [
            Choice(reason, "", reason, "given" if reason == given else "")
            for reason in self.reasons
        ]
        if given and given not in self.reasons:
            choices.insert(0, Choice(given, "", given, "given"))
        text = await self._dialogs.pick(
            "Why? Pick a reason, or type your own", choices, none=LONGER, about=about, free=True
        )
        if not text:
            text = await self._dialogs.note("Why?", given, about=about)
        if self._requests.do(lambda: self._bench.do(no, Reason(of.n, text))) is not None:
            self._dialogs.done_with(about)
            self._dialogs.say(f"Reason kept: {text}")

    # -- proposals --------------------------------------------------------------------------------

    async def proposals(self) -> None:
        """What each judge proposed here: to look at, and to adopt one."""
        from appellate.app.proposals_screen import ProposalsScreen

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
        told = f"Adopted the labels of {offer.name}, round {offer.round}: u takes it back."
        if change.before.signed:
            told += " No longer signed off: a signs it again."
        self._dialogs.say(told)
