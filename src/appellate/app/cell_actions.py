"""The cell as a whole: taking back, flags, comments and reasons, what happened to
it.
"""

from collections.abc import Sequence

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.queue.navigation import Navigation
from appellate.app.requests import Requests
from appellate.core.problem import Refused, wording
from appellate.session.acts import Which
from appellate.store.database import NotKept
from appellate.ui.contract import LONGER, NO_REASON, WHY, is_reason, reason_choices

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
        self.acts = requests.acts
        self.reasons = reasons

    # -- taking back ------------------------------------------------------------------------------

    def take_back(self, which: Which) -> None:
        """Undoes this reviewer's last act, or does it again, wherever it was, and goes there."""
        turned = self._requests.do(lambda: self.acts.turn(which))
        if turned is None:
            return
        text, changes = turned
        if all(change.no != self._view.no for change in changes):
            self._navigation.go(changes[0].no)
            self._view.follow(changes[0])
        self._dialogs.say(text)

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
            return self.acts.turn(which)[0]
        except (Refused, NotKept) as refusal:
            return wording(refusal)

    # -- flag, comment, reason --------------------------------------------------------------------

    def flag(self) -> None:
        """Sets the flag or takes it down; the header shows it."""
        self._requests.do(lambda: self.acts.flag(self._view.no))

    async def comment(self) -> None:
        if not self._requests.may_change():
            return
        no = self._view.no
        text = await self._dialogs.note("Comment", about=("comment", no))
        if saved := self._requests.do(lambda: self.acts.comment(no, text)):
            self._dialogs.done_with(("comment", no))
            self._dialogs.say(saved)

    async def reason(self) -> None:
        """Why the last correction that stands here was made: one of the usual reasons, or words of
        one's own.
        """
        no = self._view.no
        try:
            of, given = self.acts.reasoned(no)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return
        about = "reason", no, of.n
        choices = [NO_REASON, *reason_choices(self.reasons, given)]
        text = await self._dialogs.pick(
            WHY, choices, about=about, free=is_reason, longer=SEVERAL_LINES
        )
        if text == LONGER:
            text = await self._dialogs.note("Why?", given, about=about)
        if saved := self._requests.do(lambda: self.acts.reason(no, of, text)):
            self._dialogs.done_with(about)
            self._dialogs.say(saved)

    def adopt(self, no: int, proposal: int, member: int | None, source: str) -> None:
        """Makes the labels those that a fact proposed, or a member of its panel."""
        if not self._requests.may_change():
            return
        if adopted := self._requests.do(lambda: self.acts.adopt(no, proposal, member, source)):
            self._dialogs.say(adopted)
