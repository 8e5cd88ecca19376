"""The cell as a whole: taking back, flags, comments and reasons, what happened to it and what judges
proposed.
"""

from collections.abc import Sequence
from datetime import tzinfo
from typing import Literal

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.navigation import Navigation
from appellate.app.requests import Requests
from appellate.core.cell import Cell, proposals, reason_of
from appellate.core.commands import Comment, Flag, Reason
from appellate.core.describe import describe, describe_loss
from appellate.core.facts import Commented, Fact
from appellate.core.problem import Refused
from appellate.core.trace import name_of
from appellate.core.wordforms import many
from appellate.settings import Settings
from appellate.store.database import NotKept
from appellate.store.toml import moment
from appellate.ui.marks import Marks
from appellate.ui.picker import Choice
from appellate.ui.response import ResponseView
from appellate.ui.text import clip
from appellate.workbench import Change, Workbench

Which = Literal["undo", "redo"]
TURNED = 120  # cells of the words of an act, so that what follows them is read at 80 columns, too


def turned(changes: Sequence[Change]) -> str:
    """The act that was taken back or done again: its first part, and how many there were."""
    acts = sorted(changes[0].turned, key=lambda fact: fact.n)
    change = next(one for one in changes if acts[0] in one.after.facts)
    more = f" (and {len(acts) - 1} more of the same act)" if len(acts) > 1 else ""
    return clip(describe(change.after, acts[0]), TURNED) + more


def story(cell: Cell) -> str:
    """Comments, then everything that happened, whole."""
    comments = [f"{when(fact.at)}  {fact.by}\n{_text(fact)}" for fact in cell.comments]
    telling = [(fact, describe(cell, fact)) for fact in cell.facts]
    happened = [
        f"{when(fact.at)}  {fact.by}\n{line}{_more(cell, fact)}" for fact, line in telling if line
    ]
    parts = [
        ("Comments", comments or ["(none)"]),
        ("History", happened or ["Nothing has happened to this cell yet."]),
    ]
    return "\n\n".join(f"── {title} ──\n" + "\n\n".join(lines) for title, lines in parts)


def _text(fact: Fact) -> str:
    return fact.what.text if isinstance(fact.what, Commented) else ""


def _more(cell: Cell, fact: Fact) -> str:
    reason = reason_of(cell, fact)
    because = f"\nbecause: {reason}" if reason else ""
    became = describe_loss(cell, fact)
    return because + (f" [{became}]" if became else "")


def when(at: str, zone: tzinfo | None = None) -> str:
    """A moment of a fact in local time."""
    return f"{moment(at).astimezone(zone):%Y-%m-%d %H:%M}"


class CellActions:
    """What a person says about the cell in sight."""

    def __init__(
        self,
        bench: Workbench,
        view: CellView,
        response: ResponseView,
        requests: Requests,
        navigation: Navigation,
        dialogs: Dialogs,
        settings: Settings,
        marks: Marks,
    ) -> None:
        self._bench = bench
        self._view = view
        self._response = response
        self._requests = requests
        self._navigation = navigation
        self._dialogs = dialogs
        self._settings = settings
        self._marks = marks

    # -- taking back --------------------------------------------------------------------------------

    def take_back(self, which: Which) -> None:
        """Undoes this reviewer's last act, or does it again, wherever it was, and goes there."""
        changes = self._requests.do(lambda: self._turned(which))
        if changes is None:
            return
        if all(change.no != self._view.no for change in changes):
            self._navigation.go(changes[0].no)
            self._view.follow(changes[0])
        self._dialogs.say(self._described(which, changes))

    def _turned(self, which: Which) -> list[Change]:
        return self._bench.undo() if which == "undo" else self._bench.redo()

    def _described(self, which: Which, changes: Sequence[Change]) -> str:
        verb = "Undone" if which == "undo" else "Done again"
        where = self._bench.workspace.cells.row(changes[0].no)
        cells = f" and {many(len(changes) - 1, 'more cell')}" if len(changes) > 1 else ""
        return f"{verb}: {turned(changes)} ({name_of(where.trace_id, where.epoch)}, {where.trait}{cells})"

    async def history(self) -> None:
        """What this reviewer did, newest first, to go to a cell or to take back."""
        from appellate.app.history_screen import HistoryScreen

        number = await self._dialogs.show(
            HistoryScreen(self._bench, self._marks, self._take_back_there)
        )
        if number is not None:
            self._navigation.go(number)
            self._dialogs.rest()

    def _take_back_there(self, which: Which) -> str:
        """Takes the last act back, or does it again, behind the list of acts; says what."""
        try:
            return self._described(which, self._turned(which))
        except (Refused, NotKept) as refusal:
            return str(refusal)

    # -- flag, comment, reason --------------------------------------------------------------------

    def flag(self) -> None:
        """Sets the flag or takes it down."""
        self._requests.do(lambda: self._bench.do(self._view.no, Flag(not self._view.cell.flag)))

    async def comment(self) -> None:
        if not self._requests.may_change():
            return
        no = self._view.no
        text = await self._dialogs.line("Comment", purpose="comment", about=("comment", no))
        if self._requests.do(lambda: self._bench.do(no, Comment(text))) is not None:
            self._dialogs.done_with(("comment", no))
            self._dialogs.say("Comment kept. C reads them all.")

    async def comments(self) -> None:
        """The comments and all that happened, to read."""
        from appellate.app.reading_screen import ReadingScreen

        await self._dialogs.show(ReadingScreen(story(self._view.cell), marks=self._marks))

    async def reason(self) -> None:
        """Why the last correction that stands here was made: one of the usual reasons, or words of one's own."""
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
        choices = self._reasons(reason_of(cell, of))
        text = await self._dialogs.pick(
            "Why? Pick a reason, or type your own", choices, about=about, free=True
        )
        if self._requests.do(lambda: self._bench.do(no, Reason(of.n, text))) is not None:
            self._dialogs.done_with(about)
            self._dialogs.say(f"Reason kept: {text}")

    def _reasons(self, given: str) -> list[Choice]:
        """The usual reasons, behind one that was given in other words."""
        usual = [
            Choice(reason, "", reason, "given" if reason == given else "")
            for reason in self._settings.reasons
        ]
        if given and given not in self._settings.reasons:
            return [Choice(given, "", given, "given"), *usual]
        return usual

    # -- proposals --------------------------------------------------------------------------------

    async def proposals(self) -> None:
        """What each judge proposed here: to look at, and to adopt one."""
        from appellate.app.proposals import ProposalsScreen

        no, cell, trace = self._view.no, self._view.cell, self._view.trace
        if not proposals(cell):
            self._dialogs.say("No judge has proposed anything here yet: J asks one.")
            return
        name = f"Proposals for {cell.subject.trait.name}, trace {name_of(trace.id, trace.epoch)}"
        rendered = self._response.reads_as_markdown
        offer = await self._dialogs.show(
            ProposalsScreen(cell, name, self._marks, rendered=rendered)
        )
        if offer is None or not self._requests.may_change():
            return
        change = self._requests.do(lambda: self._bench.adopt(no, offer.fact.n, offer.member))
        if change:
            unsigned = " No longer signed off: a signs it again." if change.before.signed else ""
            self._dialogs.say(
                f"Adopted the labels of {offer.name}, round {offer.round}: u takes it back.{unsigned}"
            )
