"""What a reviewer does with the open cell as a whole.

That is signing it off, undo and redo, its flag, comments, reasons, and the history of acts. The
commands of the screen (`app/keys/palette.py`) call these methods.
"""

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
from appellate.ui.own_keys import in_own_keys
from appellate.ui.text import clip, flat

HELD = 0.75
"""Seconds. The same key again within this time may be a key held down.

Keyboards wait for up to 0.66 s before they repeat a key.
"""
NAMED = 40
"""Columns that the name of a cell may take in a sentence."""
SEVERAL_LINES = "in several lines, or in your editor"
"""The choice of another way to give a reason; its key follows in brackets."""


class CellActions:
    """Does what a reviewer asks for the open cell as a whole, and says the result.

    It is told of every key, so that it knows whether the key that signs off is held down.
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
        """Keep the objects that carry out what is asked.

        `reasons` are the reviewer's usual reasons. `sign_key` is the name of the key that signs
        off. `locked` shows the judge's labels of a blind cell once its verdict is locked: it gets
        the sentence to say, and the key that locked the verdict with its time in seconds.
        `rubric_changed` shows a cell under another rubric, and says a sentence.
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
        self._pressed = ("", 0.0)
        """The latest key, and the time in seconds when it was pressed."""
        self._may_be_held_down = False
        """Whether the latest key may be held down."""

    # -- taking back ------------------------------------------------------------------------------

    def take_back(self, direction: Direction) -> None:
        """Undo or redo this reviewer's latest act, in whatever cell it was, and go to that cell.

        An act in another cell may only be named at first, to be undone by a second press. An act
        without changes of cells was a change of the rubric; the screen is then shown under the
        rubric that is in force now. If it cannot be undone, say why.
        """
        cell_no = self._view.no
        trace_no = self._bench.workspace.cells.trace_of(cell_no)
        turned = self._requests.do(self._undo_or_redo, direction)
        if turned is None:
            return
        if not turned.changes:
            self._rubric_changed(
                self._bench.cell_or_sibling(cell_no, trace_no),
                turned.text,
            )
            return
        if all(change.no != cell_no for change in turned.changes):
            self._navigation.go(turned.changes[0].no)
            self._view.follow(turned.changes[0])
        self._dialogs.say(turned.text)

    def _undo_or_redo(self, direction: Direction) -> Reversal:
        """Undo or redo the reviewer's latest act in any cell, and return what changed.

        An act in a cell that is not open, or on the rubric, is only named by Refused at first and
        carried out at the next call. Raises Refused, too, if there is no such act, it may not be
        undone now, or a judge at work uses the rubric that it would change. Raises NotKept if it
        cannot be saved.
        """
        self._check_no_run_uses_rubric(direction)
        return self.acts.undo_or_redo(direction, [self._view.no])

    def _check_no_run_uses_rubric(self, direction: Direction) -> None:
        """Raise Refused for a change of the rubric while a judge is at work by it.

        The change is that which the next undo or redo would make.
        """
        if self._judge_run.is_on and self._bench.would_change_rubric(direction):
            raise Refused(
                "A judge is at work by this rubric: {run.stop:X} stops it, then take it back.",
            )

    async def history(self) -> None:
        """Open the list of this reviewer's acts, newest first; go to the cell that is chosen.

        Acts can be undone and redone in the list. If none is chosen, the open cell stays.
        """
        from appellate.app.history_screen import HistoryScreen

        screen = HistoryScreen(
            self._bench,
            self._view.marks,
            self._take_back_in_history,
        )
        cell_no = await self._dialogs.show(screen)
        if cell_no is not None:
            self._navigation.go(cell_no)
            self._dialogs.rest()

    def _take_back_in_history(self, direction: Direction) -> str:
        """Undo or redo the latest act while the list of acts is open; return the sentence to say.

        If it is refused or cannot be saved, the sentence says why. The cell below the list
        stays the open one. If the rubric changed, everything is shown under it.
        """
        cell_no = self._view.no
        trace_no = self._bench.workspace.cells.trace_of(cell_no)
        try:
            self._check_no_run_uses_rubric(direction)
            turned = self.acts.undo_or_redo_anywhere(direction)
        except (Refused, NotKept) as refusal:
            return wording(refusal)
        if not turned.changes:
            self._rubric_changed(self._bench.cell_or_sibling(cell_no, trace_no), "")
        return turned.text

    # -- flag, comment, reason --------------------------------------------------------------------

    def flag(self) -> None:
        """Set the flag of the open cell, or remove it if it is set; the header shows it.

        If it is refused or cannot be saved, say why.
        """
        self._requests.do(self.acts.flag, self._view.no)

    async def comment(self) -> None:
        """Ask for a comment on the open cell, save it, and say so.

        If the session only reads, or the comment cannot be saved, say that instead. A text that was
        not saved is offered again at the next comment on this cell. Raises Left if the reviewer
        leaves the question.
        """
        if not self._requests.may_change():
            return
        cell_no = self._view.no
        subject = ("comment", cell_no)
        text = await self._dialogs.note("Comment", about=subject)
        saved_text = self._requests.do(self.acts.comment, cell_no, text)
        if saved_text:
            self._dialogs.done_with(subject)
            self._dialogs.say(saved_text)

    async def reason(self) -> None:
        """Ask for the reason of the open cell's latest correction, save it, and say so.

        An adoption of labels is a correction, too. The reviewer picks one of the usual reasons,
        types another, or gives none, which leaves the reason that was there. If nothing was
        corrected, the session only reads, or it cannot be saved, say that; a text that was not
        saved is offered again. Raises Left if the reviewer leaves the question.
        """
        cell_no = self._view.no
        try:
            correction, current_reason = self.acts.last_correction(cell_no)
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return

        subject = ("reason", cell_no, correction.n)
        choices = [NO_REASON, *reason_choices(self.reasons, current_reason)]
        app = self._view.parts.response.app
        text = await self._dialogs.pick(
            WHY,
            choices,
            about=subject,
            free=is_reason,
            longer=SEVERAL_LINES + in_own_keys(" ({picker.longer:Ctrl+O})", app),
        )
        if text == LONGER:
            text = await self._dialogs.note("Why?", current_reason, about=subject)
        saved_text = self._requests.do(self.acts.reason, cell_no, correction, text)
        if saved_text:
            self._dialogs.done_with(subject)
            self._dialogs.say(saved_text)

    def adopt(self, no: int, proposal: int, member: int | None, source: str) -> None:
        """Replace the labels of cell `no` by those that fact number `proposal` proposed; say so.

        With `member`, take the labels of that member of its panel, by its index. `source` names
        whose labels they are, in the sentence. If they cannot be adopted, say why.
        """
        if not self._requests.may_change():
            return
        text = self._requests.do(self.acts.adopt, no, proposal, member, source)
        if text:
            self._dialogs.say(text)

    # -- signing off ------------------------------------------------------------------------------

    def pressed(self, key: str, time: float) -> None:
        """Note that a key was pressed at this time in seconds, and whether it may be held down.

        It may be if it was also the last key, less than `HELD` seconds ago. An act that waits for a
        second press of a key is forgotten after another key.
        """
        previous_key, previous_time = self._pressed
        self._pressed = (key, time)
        self._may_be_held_down = key == previous_key and time - previous_time < HELD
        if key != previous_key:
            self.acts.forget_doubt()

    def sign(self) -> None:
        """Sign the open cell off and go to the next unsigned one; from a signed cell only go.

        On a blind cell, lock the verdict and stay there to show the judge's labels. A
        contested cell is ruled on. If a doubt speaks against signing off, say it and do
        nothing; the same key again signs off. If it is refused or cannot be saved, say why.
        On a cell that is ruled, a key that may be held down does nothing.
        """
        view = self._view
        if view.cell.ruled and not view.cell.contest and self._may_be_held_down:
            return
        if view.cell.signed:
            self._go_on(f"{self._open_name} was signed off already", "")
            return

        name = self._open_name
        seconds = view.sight.seconds(self._pressed[1])
        is_blind = view.cell.hidden and view.cell.contest is None
        left_out = view.long.left_out()
        change = self._requests.do(
            self.acts.sign,
            view.no,
            view.pane.items,
            seconds,
            key=self._sign_key,
            held=self._may_be_held_down,
        )
        if change is None:
            return

        how_signed = self._how_signed(change.after.hasty, seconds, left_out)
        if is_blind:
            self._locked(how_signed, self._pressed)
            return
        verb = "ruled on" if change.after.ruled else "signed off"
        self._go_on(f"{view.marks.reviewed} {name} {verb}", how_signed)

    def _go_on(self, signed_text: str, how_signed: str) -> None:
        """Go to the next unsigned cell; say what was signed off and where one is now.

        `signed_text` is what was signed off, without a full stop. `how_signed` is "", or a clause
        that begins with a blank or a comma; the keys that go back and undo are told after it. If no
        other cell opens, it is said that all cells are signed off; what was signed off is left out
        then while the key may be held down.
        """
        view = self._view
        signed_no = view.no
        self._navigation.unreviewed(1, was_just_signed=True)
        if how_signed:
            times = ""
            if view.no != signed_no:
                times = " twice"  # from another cell the first press only names the act
            signed_text += (
                f"{how_signed}: {{back:(}} goes back, {{cell.undo:u}}{times} undoes it"
            )
        text = self._dialogs.said  # that all cells are signed off
        if view.no != signed_no:
            text = f"Now: {self._open_name}."
        if not self._may_be_held_down or view.no != signed_no:
            text = f"{signed_text}. {text}"
        self._dialogs.say(text.strip())

    def _how_signed(self, is_hasty: bool, seconds: float, left_out: str) -> str:
        """Return a clause on what was unusual about a sign-off; "" if nothing was.

        It begins with a blank, as in " after 1.4 s (marked !)" for a hasty one, and ends with ", "
        and `left_out`, the words on items not seen, unless they are "".
        """
        text = ""
        if is_hasty:
            text = f" after {seconds:.1f} s (marked {self._view.marks.hasty})"
        if left_out:
            text += f", {left_out}"
        return text

    @property
    def _open_name(self) -> str:
        """The name of the open cell on one line, cut to `NAMED` columns; it is not escaped."""
        view = self._view
        name = view.bench.workspace.cells.row(view.no).name
        return clip(flat(name), NAMED, view.marks)
