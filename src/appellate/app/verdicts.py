"""The cell as a whole: signing off, taking back, flags, comments and reasons, and asking the judge."""

from appellate.app.going import Going
from appellate.app.history import story, undone
from appellate.app.material import MaterialScreen
from appellate.core.cell import reason_of
from appellate.core.commands import Comment, Flag, Reason
from appellate.workbench import Change


class Verdicts(Going):
    """What a person says about the cell."""

    def action_sign_off(self) -> None:
        if not self.cell.signed and self.do(lambda: self.bench.sign_off(self.no)) is None:
            return
        self.next_unreviewed(1, after=True)

    def action_undo(self) -> None:
        self._take_back(self.do(self.bench.undo), "Undone")

    def action_redo(self) -> None:
        self._take_back(self.do(self.bench.redo), "Done again")

    def _take_back(self, change: Change | None, verb: str) -> None:
        if change is None:
            return
        if change.no != self.no:
            self.open(change.no)
        where = self.bench.workspace.row(change.no)
        self.say(f"{verb}: {undone(change)} ({where.trace_id}, {where.trait})")

    def action_flag(self) -> None:
        self.do(lambda: self.bench.do(self.no, Flag(not self.cell.flag)))

    def action_comment(self) -> None:
        self.ask("Comment", "", self._comment)

    def _comment(self, text: str) -> None:
        if self.do(lambda: self.bench.do(self.no, Comment(text))):
            self.say("Comment kept. C reads them all.")

    def action_comments(self) -> None:
        self.app.push_screen(MaterialScreen(story(self.cell)))

    def action_reason(self) -> None:
        mine = [fact for fact in self.cell.corrections if fact.n not in self.cell.undone]
        if not mine:
            self.say("A reason belongs to a correction, and this cell has none that stands.")
            return
        last = mine[-1]
        given = reason_of(self.cell, last)
        self.ask("Reason for the last correction", given, lambda text: self._reason(last.n, text))

    def _reason(self, of: int, text: str) -> None:
        if self.do(lambda: self.bench.do(self.no, Reason(of, text))):
            self.say("Reason kept.")

    def action_judge(self) -> None:
        self.running.judge_this(self.no, self.cell)

    def action_stop(self) -> None:
        self.running.stop()
