"""The cell as a whole: signing off, taking back, flags, comments and reasons, its history."""

from collections.abc import Callable, Sequence

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.judge_run import JudgeRun
from appellate.app.queue.navigation import Navigation
from appellate.app.requests import Requests
from appellate.core.problem import Refused, wording
from appellate.session.acts import Reversal
from appellate.session.workbench import Direction, Workbench
from appellate.store.database import NotKept
from appellate.ui.contract import LONGER, NO_REASON, WHY, is_reason, reason_choices
from appellate.ui.text import clip, flat

HELD = 0.75
"""Seconds within which the same key again may be one held down: keyboards wait for up to 0.66."""
NAMED = 40  # cells of a name
SEVERAL_LINES = "in several lines, or in your editor (Ctrl+O)"


class CellActions:
    """What a person does with the cell in sight. It notes every key, to know whether the one that
    signs off is held down.
    """

    def __init__(
        self,
        bench: Workbench,
        view: CellView,
        requests: Requests,
        dialogs: Dialogs,
        navigation: Navigation,
        judge_run: JudgeRun,
        *,
        reasons: Sequence[str],
        sign_key: str,
        locked: Callable[[str, tuple[str, float]], object],
        rubric_changed: Callable[[int, str], object],
    ) -> None:
        """`reasons` are a person's usual ones, `sign_key` is what the key that signs is called.

        `locked` shows the judge of a blind cell that was ruled: it gets what to say, and the key
        that locked it with its time. `rubric_changed` shows a cell under another rubric.
        """
        self._bench = bench
        self._view = view
        self._requests = requests
        self._dialogs = dialogs
        self._navigation = navigation
        self._judge_run = judge_run
        self._locked = locked
        self._rubric_changed = rubric_changed
        self.acts = requests.acts
        self.reasons = reasons
        self._sign_key = sign_key
        self._pressed = "", 0.0  # the key before, and when it was pressed
        self._held = False

    # -- taking back ------------------------------------------------------------------------------

    def take_back(self, which: Direction) -> None:
        """Undoes this reviewer's last act, or does it again, wherever it was, and goes there."""
        no = self._view.no
        trace_no = self._bench.workspace.cells.trace_of(no)
        turned = self._requests.do(self._turned, which)
        if turned is None:
            return
        if not turned.changes:
            self._rubric_changed(self._bench.cell_or_sibling(no, trace_no), turned.text)
            return
        if all(change.no != no for change in turned.changes):
            self._navigation.go(turned.changes[0].no)
            self._view.follow(turned.changes[0])
        self._dialogs.say(turned.text)

    def _turned(self, which: Direction) -> Reversal:
        self._check_run(which)
        return self.acts.undo_or_redo(which, [self._view.no])

    def _check_run(self, which: Direction) -> None:
        """Raises Refused where a judge is at work by the rubric that would go."""
        if self._judge_run.is_on and self._bench.would_change_rubric(which):
            raise Refused(
                "A judge is at work by this rubric: {run.stop:X} stops it, then take it back."
            )

    async def history(self) -> None:
        """What this reviewer did, newest first, to go to a cell or to take back."""
        from appellate.app.history_screen import HistoryScreen

        screen = HistoryScreen(self._bench, self._view.marks, self._take_back_there)
        number = await self._dialogs.show(screen)
        if number is not None:
            self._navigation.go(number)
            self._dialogs.rest()

    def _take_back_there(self, which: Direction) -> str:
        """Undoes the last act, or does it again, behind the list of acts; returns what to say."""
        no = self._view.no
        trace_no = self._bench.workspace.cells.trace_of(no)
        try:
            self._check_run(which)
            turned = self.acts.undo_or_redo_anywhere(which)
        except (Refused, NotKept) as refusal:
            return wording(refusal)
        if not turned.changes:
            self._rubric_changed(self._bench.cell_or_sibling(no, trace_no), "")
        return turned.text

    # -- flag, comment, reason --------------------------------------------------------------------

    def flag(self) -> None:
        """Sets the flag or takes it down; the header shows it."""
        self._requests.do(self.acts.flag, self._view.no)

    async def comment(self) -> None:
        if not self._requests.may_change():
            return
        no = self._view.no
        text = await self._dialogs.note("Comment", about=("comment", no))
        if saved := self._requests.do(self.acts.comment, no, text):
            self._dialogs.done_with(("comment", no))
            self._dialogs.say(saved)

    async def reason(self) -> None:
        """Asks why the last correction here was made: a usual reason, or own words."""
        no = self._view.no
        try:
            of, given = self.acts.last_correction(no)
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
        if saved := self._requests.do(self.acts.reason, no, of, text):
            self._dialogs.done_with(about)
            self._dialogs.say(saved)

    def adopt(self, no: int, proposal: int, member: int | None, source: str) -> None:
        """Makes the labels those that a fact proposed, or a member of its panel."""
        if not self._requests.may_change():
            return
        if adopted := self._requests.do(self.acts.adopt, no, proposal, member, source):
            self._dialogs.say(adopted)

    # -- signing off ------------------------------------------------------------------------------

    def pressed(self, key: str, at: float) -> None:
        """Notes whether a key may be held down; any other than before forgets a doubt."""
        before, then = self._pressed
        self._pressed = key, at
        self._held = key == before and at - then < HELD
        if key != before:
            self.acts.forget_doubt()

    def sign(self) -> None:
        """Signs the cell off and goes to the next unsigned one; from a signed cell it only goes.

        Of a blind cell it locks the verdict, and stays to show the judge.
        """
        view = self._view
        text = ""
        if view.cell.ruled and not view.cell.contest and self._held:
            return
        left = self._name_in_sight
        verb = "was signed off already"
        if not view.cell.signed:
            no = view.no
            seconds = view.sight.seconds(self._pressed[1])
            blind = view.cell.hidden and view.cell.contest is None
            left_out = view.long.left_out()
            shown = view.pane.items
            change = self._requests.do(
                self.acts.sign, no, shown, seconds, key=self._sign_key, held=self._held
            )
            if change is None:
                return
            text = self._how_signed(change.after.hasty, seconds, left_out)
            if blind:
                self._locked(text, self._pressed)
                return
            verb = "ruled on" if change.after.ruled else "signed off"
            left = f"{view.marks.reviewed} {left}"
        no = view.no
        self._navigation.unreviewed(1, after=True)
        told = f"{left} {verb}"
        if text:
            times = ""
            if view.no != no:
                times = " twice"  # the first time names the act, from another cell
            told += f"{text}: {{back:(}} goes back, {{cell.undo:u}}{times} takes it back"
        then = self._dialogs.said  # that all cells are signed off
        if view.no != no:
            then = f"Now: {self._name_in_sight}."
        if not self._held or view.no != no:
            then = f"{told}. {then}"
        self._dialogs.say(then.strip())

    def _how_signed(self, is_hasty: bool, seconds: float, left_out: str) -> str:
        """How fast a cell was signed off and what was not seen of it, behind that it was; or ""."""
        text = ""
        if is_hasty:
            text = f" after {seconds:.1f} s (marked {self._view.marks.hasty})"
        if left_out:
            text += f", {left_out}"
        return text

    @property
    def _name_in_sight(self) -> str:
        """What the cell in sight is called, at most `NAMED` cells of it."""
        view = self._view
        name = view.bench.workspace.cells.row(view.no).name
        return clip(flat(name), NAMED, view.marks)
