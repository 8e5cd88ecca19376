"""The cell as a whole: signing off, taking back, flags, comments and reasons, and asking the judge."""

from collections.abc import Sequence
from functools import partial

from appellate.app.describe_cell import Which, story, turned
from appellate.app.reading import Reading
from appellate.core.cell import reason_of
from appellate.core.commands import Comment, Flag, Reason
from appellate.core.facts import Fact
from appellate.core.refused import Refused
from appellate.core.trace import name_of
from appellate.core.wordforms import many
from appellate.store.database import NotKept
from appellate.ui.picking import Choice as Pick
from appellate.workbench import Change

HELD = 0.75  # seconds within which the same key again may be one held down: keyboards wait for up to 0.66


class Verdicts(Reading):
    """What a person says about the cell."""

    _pressed: tuple[str, float] = "", 0.0  # the key before, and when it was pressed
    _held = False
    _doubted: tuple[int, str] | None = None  # the cell, and what was said against signing it off

    def pressed(self, key: str, at: float) -> None:
        """Notes whether a key may be one that is held down; any other than the one before forgets a doubt."""
        before, then = self._pressed
        self._pressed = key, at
        self._held = key == before and at - then < HELD
        if key != before:
            self._doubted = None

    def action_sign_off(self) -> None:
        if self.cell.signed or (self._may_sign() and self.do(lambda: self.bench.sign_off(self.no))):
            self.next_unreviewed(1, after=True)

    def _may_sign(self) -> bool:
        """Whether this press may sign the cell off, or be refused; says why if it may not yet."""
        if self.cell.labels is None or self.bench.readonly:
            return True
        doubts = self.pane.doubts()
        doubted, self._doubted = self._doubted, (self.no, doubts)
        if doubts and (self._held or doubted != self._doubted):
            self.say(f"{doubts} {self._sign_key} again signs it off all the same.")
            return False
        if self._held:
            self.say(f"One press signs one cell, held down or not: press {self._sign_key} once more for this one.")
        return not self._held

    @property
    def _sign_key(self) -> str:
        return next(key.shown for key in self.keys if key.action == "sign_off")

    def action_undo(self) -> None:
        self._take_back("undo")

    def action_redo(self) -> None:
        self._take_back("redo")

    def _take_back(self, which: Which) -> None:
        changes = self.do(lambda: self._turned(which))
        if changes is None:
            return
        if all(change.no != self.no for change in changes):
            self.go(changes[0].no)
            self.land(changes[0])
        self.say(self._told_of(which, changes))

    def _turned(self, which: Which) -> list[Change]:
        return self.bench.undo() if which == "undo" else self.bench.redo()

    def _told_of(self, which: Which, changes: Sequence[Change]) -> str:
        verb = "Undone" if which == "undo" else "Done again"
        where = self.bench.workspace.cells.row(changes[0].no)
        cells = f" and {many(len(changes) - 1, 'more cell')}" if len(changes) > 1 else ""
        return f"{verb}: {turned(changes)} ({name_of(where.trace_id, where.epoch)}, {where.trait}{cells})"

    # -- what one did -----------------------------------------------------------------------------

    def action_history(self) -> None:
        from appellate.app.history_screen import HistoryScreen

        self.app.push_screen(HistoryScreen(self.bench, self.marks, self._from_history), self._back_from_history)

    def _from_history(self, which: Which) -> str:
        """Takes the last act back, or does it again, behind the list of acts; says what."""
        try:
            return self._told_of(which, self._turned(which))
        except (Refused, NotKept) as refusal:
            return str(refusal)

    def _back_from_history(self, number: int | None) -> None:
        if number is not None:
            self.go(number)
        self.rest()

    # -- flag, comment, reason --------------------------------------------------------------------

    def action_flag(self) -> None:
        self.do(lambda: self.bench.do(self.no, Flag(not self.cell.flag)))

    def action_comment(self) -> None:
        if self.may_change():
            self.ask("Comment", "", self._comment, purpose="comment", about=("comment", self.no))

    def _comment(self, text: str) -> bool:
        kept = self.do(lambda: self.bench.do(self.no, Comment(text))) is not None
        if kept:
            self.say("Comment kept. C reads them all.")
        return kept

    def action_comments(self) -> None:
        from appellate.app.reading_screen import ReadingScreen

        self.app.push_screen(ReadingScreen(story(self.cell), marks=self.marks))

    def action_reason(self) -> None:
        """Why the last correction that stands here was made: one of the usual reasons, or words of one's own."""
        mine = [fact for fact in self.cell.corrections if fact.n not in self.cell.undone]
        if not self.may_change():
            return
        if mine:
            self._ask_reason(mine[-1])
        else:
            self.say("A reason belongs to a correction, and this cell has none that stands.")

    def _ask_reason(self, of: Fact) -> None:
        given = reason_of(self.cell, of)
        usual = [Pick(reason, "", reason, "given" if reason == given else "") for reason in self.settings.reasons]
        own = [Pick(given, "", given, "given")] if given and given not in self.settings.reasons else []
        title = "Why? Pick a reason, or type your own"
        picked = partial(self._reason, of.n)
        self.pick(title, [*own, *usual], "", picked, about=("reason", self.no, of.n), free=True)

    def _reason(self, of: int, text: str) -> bool:
        kept = self.do(lambda: self.bench.do(self.no, Reason(of, text))) is not None
        if kept:
            self.say(f"Reason kept: {text}")
        return kept

    # -- the judge --------------------------------------------------------------------------------

    def action_judge(self) -> None:
        self.running.judge_this(self.no, self.cell)

    def action_judge_again(self) -> None:
        self.running.judge_again(self.lineup.filter)

    def action_stop(self) -> None:
        self.running.stop()
