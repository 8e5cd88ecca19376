"""The cell as a whole: signing off, taking back, flags, comments and reasons, its history."""

from typing import TYPE_CHECKING

from appellate.core.problem import Refused, wording
from appellate.session.acts import Turned
from appellate.session.workbench import Which
from appellate.store.database import NotKept
from appellate.ui.contract import LONGER, NO_REASON, WHY, is_reason, reason_choices
from appellate.ui.key import first_names
from appellate.ui.text import clip, flat

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

HELD = 0.75
"""Seconds within which the same key again may be one held down: keyboards wait for up to 0.66."""
NAMED = 40  # cells of a name
SEVERAL_LINES = "in several lines, or in your editor (Ctrl+O)"


class CellActions:
    """What a person does with the cell in sight. It notes every key, to know whether the one that
    signs off is held down.
    """

    def __init__(self, at: "Workplace") -> None:
        self._at = at
        self.acts = at.requests.acts
        self.reasons = at.settings.reasons
        self._sign_key = first_names(at.keys)["cell.sign"]
        self._pressed = "", 0.0  # the key before, and when it was pressed
        self._held = False

    # -- taking back ------------------------------------------------------------------------------

    def take_back(self, which: Which) -> None:
        """Undoes this reviewer's last act, or does it again, wherever it was, and goes there."""
        no = self._at.view.no
        trace_no = self._at.bench.workspace.cells.trace_of(no)
        turned = self._at.requests.do(lambda: self._turned(which))
        if turned is None:
            return
        if not turned.changes:
            self._at.rubric_changed(self._at.bench.cell_left(no, trace_no), turned.text)
            return
        if all(change.no != no for change in turned.changes):
            self._at.navigation.go(turned.changes[0].no)
            self._at.view.follow(turned.changes[0])
        self._at.dialogs.say(turned.text)

    def _turned(self, which: Which) -> Turned:
        self._check_run(which)
        return self.acts.turn(which, [self._at.view.no])

    def _check_run(self, which: Which) -> None:
        """Raises Refused where a judge is at work by the rubric that would go."""
        if self._at.judge_run.is_on and self._at.bench.turns_rubric(which):
            raise Refused(
                "A judge is at work by this rubric: {run.stop:X} stops it, then take it back."
            )

    async def history(self) -> None:
        """What this reviewer did, newest first, to go to a cell or to take back."""
        from appellate.app.history_screen import HistoryScreen

        screen = HistoryScreen(self._at.bench, self._at.view.marks, self._take_back_there)
        number = await self._at.dialogs.show(screen)
        if number is not None:
            self._at.navigation.go(number)
            self._at.dialogs.rest()

    def _take_back_there(self, which: Which) -> str:
        """Undoes the last act, or does it again, behind the list of acts; returns what to say."""
        no = self._at.view.no
        trace_no = self._at.bench.workspace.cells.trace_of(no)
        try:
            self._check_run(which)
            turned = self.acts.turn_here(which)
        except (Refused, NotKept) as refusal:
            return wording(refusal)
        if not turned.changes:
            self._at.rubric_changed(self._at.bench.cell_left(no, trace_no))
        return turned.text

    # -- flag, comment, reason --------------------------------------------------------------------

    def flag(self) -> None:
        """Sets the flag or takes it down; the header shows it."""
        self._at.requests.do(lambda: self.acts.flag(self._at.view.no))

    async def comment(self) -> None:
        if not self._at.requests.may_change():
            return
        no = self._at.view.no
        text = await self._at.dialogs.note("Comment", about=("comment", no))
        if saved := self._at.requests.do(lambda: self.acts.comment(no, text)):
            self._at.dialogs.done_with(("comment", no))
            self._at.dialogs.say(saved)

    async def reason(self) -> None:
        """Asks why the last correction here was made: a usual reason, or own words."""
        no = self._at.view.no
        try:
            of, given = self.acts.reasoned(no)
        except Refused as refusal:
            self._at.dialogs.say(wording(refusal))
            return
        about = "reason", no, of.n
        choices = [NO_REASON, *reason_choices(self.reasons, given)]
        text = await self._at.dialogs.pick(
            WHY, choices, about=about, free=is_reason, longer=SEVERAL_LINES
        )
        if text == LONGER:
            text = await self._at.dialogs.note("Why?", given, about=about)
        if saved := self._at.requests.do(lambda: self.acts.reason(no, of, text)):
            self._at.dialogs.done_with(about)
            self._at.dialogs.say(saved)

    def adopt(self, no: int, proposal: int, member: int | None, source: str) -> None:
        """Makes the labels those that a fact proposed, or a member of its panel."""
        if not self._at.requests.may_change():
            return
        if adopted := self._at.requests.do(lambda: self.acts.adopt(no, proposal, member, source)):
            self._at.dialogs.say(adopted)

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
        view, text = self._at.view, ""
        if view.cell.ruled and not view.cell.contest and self._held:
            return
        left, verb = self._name_in_sight, "was signed off already"
        if not view.cell.signed:
            no, seconds = view.no, view.sight.seconds(self._pressed[1])
            blind = view.cell.hidden and view.cell.contest is None
            left_out, shown = view.long.left_out(), view.pane.items
            change = self._at.requests.do(
                lambda: self.acts.sign(no, shown, seconds, key=self._sign_key, held=self._held)
            )
            if change is None:
                return
            text = self._how_signed(change.after.hasty, seconds, left_out)
            if blind:
                self._at.comparing.locked(text, self._pressed)
                return
            verb = "ruled on" if change.after.ruled else "signed off"
            left = f"{view.marks.reviewed} {left}"
        no = view.no
        self._at.navigation.unreviewed(1, after=True)
        told = f"{left} {verb}"
        if text:
            times = ""
            if view.no != no:
                times = " twice"  # the first time names the act, from another cell
            told += f"{text}: {{back:(}} goes back, {{cell.undo:u}}{times} takes it back"
        then = self._at.dialogs.said  # that all cells are signed off
        if view.no != no:
            then = f"Now: {self._name_in_sight}."
        if not self._held or view.no != no:
            then = f"{told}. {then}"
        self._at.dialogs.say(then.strip())

    def _how_signed(self, is_hasty: bool, seconds: float, left_out: str) -> str:
        """How fast a cell was signed off and what was not seen of it, behind that it was; or ""."""
        text = ""
        if is_hasty:
            text = f" after {seconds:.1f} s (marked {self._at.view.marks.hasty})"
        if left_out:
            text += f", {left_out}"
        return text

    @property
    def _name_in_sight(self) -> str:
        """What the cell in sight is called, at most `NAMED` cells of it."""
        view = self._at.view
        name = view.bench.workspace.cells.row(view.no).name
        return clip(flat(name), NAMED, view.marks)
