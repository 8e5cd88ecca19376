"""Going about: from cell to cell, by name, back and forward as in a browser, bookmarks; and jump
mode, with a letter on everything in sight.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.geometry import Region

from appellate.core.problem import Refused, wording
from appellate.core.trace import epoch_text, name_of
from appellate.query.language import Suggestion
from appellate.store.cell_names import cell_called, instead_of, likeliest_cell
from appellate.store.database import NotKept
from appellate.store.queue import first_open
from appellate.ui.contract import Choice, step_named
from appellate.ui.docked import CORNER
from appellate.ui.lines import Lines
from appellate.ui.row_layout import Cursor
from appellate.ui.selecting import Selecting, sentences_within
from appellate.ui.text import clip
from appellate.ui.text_view import TextView

if TYPE_CHECKING:
    from appellate.app.jumping import Target
    from appellate.app.workplace import Workplace
    from appellate.store.files.wordings import AskedCell

LONGEST = 500


class VisitHistory:
    """Cells behind and ahead of the one in sight, nearest last."""

    def __init__(self) -> None:
        self._behind: list[int] = []
        self._ahead: list[int] = []

    def left(self, number: int) -> None:
        """A cell was left for another than the one ahead."""
        self._behind = [*self._behind[-LONGEST:], number]
        self._ahead.clear()

    def forget_removed(self, last: int) -> None:
        """Forgets cells beyond the last one that there is."""
        self._behind = [number for number in self._behind if number <= last]
        self._ahead = [number for number in self._ahead if number <= last]

    def back(self, here: int) -> int | None:
        """The cell before, for one who is here; None where there is none."""
        return self._moved(self._behind, self._ahead, here)

    def forward(self, here: int) -> int | None:
        return self._moved(self._ahead, self._behind, here)

    @staticmethod
    def _moved(source: list[int], target: list[int], here: int) -> int | None:
        if not source:
            return None
        target.append(here)
        return source.pop()


NAMED = 60  # cells of a name that is not there
MANY = 50  # traces offered while one is being named
DONE = "{quit:q} exports the audit; {session:S} shows the numbers, appellate report the rest."


class Navigation:
    """Opens cells, and ends what is under way in the cell that is left."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at
        self._visits = VisitHistory()

    # -- one cell to another ----------------------------------------------------------------------

    def forget_removed(self, last: int) -> None:
        """Forgets visits of cells beyond the last one that there is."""
        self._visits.forget_removed(last)

    def open(self, number: int) -> None:
        self._at.put_away()
        self._at.view.open(number)

    def go(self, number: int) -> None:
        """Goes to a cell, and remembers where from."""
        if number != self._at.view.no:
            self._visits.left(self._at.view.no)
        self.open(number)

    def go_to_asked(self, asked: "AskedCell") -> None:
        """Goes to a cell, with the cursor on what answers the instruction."""
        self.go(asked.cell)
        cursor = self._at.view.pane.instructions
        if cursor is not None:
            cursor.go_to_instruction(asked.instruction.of, asked.instruction.number)
        self._at.view.looked()

    def cell(self, by: int) -> None:
        """A cell of the queue so many on or back; where there are fewer, the last."""
        cells = self._at.parts.queue.cells
        number = cells.step(self._at.view.no, by)
        if number is None and len(cells) and abs(by) > 1:
            number = cells.number(len(cells) - 1 if by > 0 else 0)
        self._go_or_say(number if number != self._at.view.no else None, "cell", by)

    def trace(self, by: int) -> None:
        """The first cell of the next or previous trace, or of one so many further."""
        way, here = (1 if by > 0 else -1), self._at.view.no
        number = None
        for _ in range(abs(by)):
            found = self._at.parts.queue.cells.step_trace(here, way)
            if found is None:
                break
            number = here = found
        self._go_or_say(number, "trace", by)

    def _go_or_say(self, number: int | None, what: str, by: int) -> None:
        if number is None:
            end = "last" if by > 0 else "first"
            self._at.dialogs.say(f"This is the {end} {what} {self._here}".rstrip() + ".")
        else:
            self.go(number)

    @property
    def _here(self) -> str:
        """Words for a queue that does not hold every cell."""
        if self._at.parts.queue.lineup.narrowed:
            return "of this queue (f widens it) "
        return ""

    def unreviewed(self, by: int, *, after: bool = False) -> None:
        """The next cell that is not signed off; `after` another was."""
        no = self._at.view.no
        cells = self._at.parts.queue.cells
        found = cells.next_open(no, by) or first_open(cells, by)
        if found is None or (found == no and after):
            self._at.dialogs.say(f"Every cell {self._here}is signed off. {DONE}")
        elif found == no:
            self._at.dialogs.say(f"This is the only cell {self._here}that is not signed off.")
        else:
            self.go(found)

    def back(self) -> None:
        self._retrace(self._visits.back(self._at.view.no), "There is nothing to go back to.")

    def forward(self) -> None:
        self._retrace(self._visits.forward(self._at.view.no), "There is nothing to go forward to.")

    def _retrace(self, number: int | None, nowhere: str) -> None:
        if number is None:
            self._at.dialogs.say(nowhere)
        else:
            self.open(number)

    # -- by name ----------------------------------------------------------------------------------

    async def go_to(self) -> None:
        """Asks for a trace, and goes there."""
        hint = "a name from the queue, a number, a part of an id"
        if self._at.view.cell.subject.transcript is not None:
            hint += "; s19: step 19"
        text = await self._at.dialogs.line(
            "Go to trace", purpose="trace", completing=self._traces, hint=hint
        )
        workspace, name = self._at.bench.workspace, clip(text.strip(), NAMED, self._at.view.marks)
        cell = cell_called(workspace, text)
        step = step_named(text)
        if cell is None and step and self._at.view.cell.subject.transcript is not None:
            self._at.reading.go_to_step(step)
            return
        cell = cell or likeliest_cell(workspace, text)
        if cell is None:
            wording = "; ".join(filter(None, instead_of(workspace, name)))
            end = "" if wording.endswith("?") else "."
            self._at.dialogs.say(f"{wording[0].upper()}{wording[1:]}{end}")
        else:
            self.go(cell)

    def _traces(self, text: str, _: int) -> list[Suggestion]:
        workspace = self._at.bench.workspace
        offered = []
        for one in workspace.traces.like(workspace.rubric, text, MANY):
            told = (f"trace {one.no}", epoch_text(one.epoch), one.question or "")
            about = "  ".join(filter(None, told))
            offered.append(Suggestion(0, len(text), name_of(one.id, one.epoch), about))
        return offered

    # -- bookmarks --------------------------------------------------------------------------------

    def bookmark(self) -> None:
        """Bookmarks the cell, or takes the bookmark away."""
        no = self._at.view.no
        on = no not in self._at.bench.bookmarks()
        try:
            self._at.bench.set_bookmark(no, on)
        except Refused as refusal:
            self._at.dialogs.say(wording(refusal))
            return
        except NotKept as refusal:
            self._at.dialogs.say(f"No bookmark was set: {refusal}.")
            return
        self._at.parts.queue.draw_anew(no)
        if on:
            self._at.dialogs.say(
                "Bookmarked: {palette:Ctrl+P} bookmarks lists them, "
                "{queue.filter:f} is:bookmarked finds them."
            )
        else:
            self._at.dialogs.say("The bookmark is gone.")

    async def bookmarks(self) -> None:
        """Lists the bookmarks, to go to one."""
        if not self._at.bench.bookmarks():
            self._at.dialogs.say(
                "There are no bookmarks; {palette:Ctrl+P} bookmark sets one on the cell in sight."
            )
            return
        rows = self._at.bench.workspace.cells.rows_of(sorted(self._at.bench.bookmarks()))
        choices = []
        for row in rows:
            name = f"{name_of(row.trace_id, row.epoch)} {row.trait}"
            choices.append(Choice(str(row.no), str(row.trace_no), name, row.state))
        self.go(int(await self._at.dialogs.pick("Bookmarks", choices)))


class Jumping:
    """Jump mode, and the ends of what has the focus."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at

    async def jump(self) -> None:
        """Asks where to go by a letter on everything in sight."""
        from appellate.app.jumping import JumpScreen, Target

        top = Target("top", Region(), partial(self.to_end, "first"))
        target = await self._at.dialogs.show(JumpScreen(self._targets, top))
        if target is not None:
            target.go()

    def _sentences(self) -> "Iterator[Target]":
        """A target at the beginning of each sentence, or of the part of it in sight."""
        from appellate.app.jumping import Target

        response = self._at.parts.response
        page, taken = response.page, response.selection.taken
        low, high = page.rendered.shown(*response.in_sight)
        for start, end in sentences_within(page.text, low, high):
            begin = max(start, low)
            go = partial(response.selection.take, Selecting(start, end, fresh=False))
            reverse = taken is not None and taken[0] <= begin < taken[1]
            if spot := response.spot(page.rendered.source_at(begin)):
                yield Target("sentence", Region(*spot, 1, 1), go, reverse)

    def _targets(self) -> "Iterator[Target]":
        """The nearest to the hand first: items, evidence, citations, tabs, cells, panes."""
        from appellate.app.jumping import Target

        at, response, queue = self._at, self._at.parts.response, self._at.parts.queue
        if response.selection.on:
            yield from self._sentences()
            return
        for lines in self._at.view.pane.lists():
            for region, cursor in lines.in_sight():
                yield Target("item", region, partial(self._visit, lines, cursor))
        yield from self._in_texts()
        for region, cursor in queue.in_sight():
            yield Target("cell", region, partial(at.navigation.go, queue.cells.number(cursor.row)))
        yield Target("response", response.region, partial(response.screen.set_focus, response))
        yield Target("queue", queue.region, at.turn_to_queue)

    def _in_texts(self) -> "Iterator[Target]":
        """Evidence and citations of the response, and the tabs of what is docked."""
        from appellate.app.jumping import Target

        at, response, docked = self._at, self._at.parts.response, self._at.parts.material
        for index, one in enumerate(self._at.view.pane.evidence()):
            if spot := response.spot(one.start):
                go = partial(at.reading.go_to_evidence, index)
                yield Target("evidence", Region(*spot, 1, 1), go)
        for citation in at.material.cited():
            if spot := response.spot(citation.start):
                go = partial(at.material.to_document, citation.number)
                yield Target(f"document {citation.number}", Region(*spot, 1, 1), go)
        for piece in docked.shown_tabs if docked.is_open else ():
            if piece.name:
                corner = Region(docked.region.x + CORNER + piece.cell, docked.region.y, 1, 1)
                go = partial(at.material.turn_to, piece.name)
                yield Target(f"tab {piece.name}", corner, go)

    def _visit(self, lines: Lines, cursor: Cursor) -> None:
        lines.visit(*cursor)
        self._at.dialogs.rest()

    def to_end(self, which: str) -> None:
        """To the first or last line of the list or of the text that has the focus."""
        focused = self._at.parts.response.screen.focused
        if isinstance(focused, TextView):
            if which == "first":
                focused.action_roll_home()
            else:
                focused.action_roll_end()
            return
        lists = self._at.view.pane.lists()[:1]
        if isinstance(focused, Lines):
            lists = [focused]
        for lines in lists:
            if which == "first":
                lines.action_first()
            else:
                lines.action_last()
