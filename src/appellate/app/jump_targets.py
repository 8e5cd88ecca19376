"""What jump mode can go to, and going there: items, evidence, documents that are cited, tabs and
cells in sight, and the panes; while words are being selected, the sentences in sight.
"""

from typing import TYPE_CHECKING

from textual.geometry import Region

from appellate.ui.docked import CORNER
from appellate.ui.lines import Lines
from appellate.ui.selecting import Selecting, sentences_within
from appellate.ui.text_view import TextView

if TYPE_CHECKING:
    from appellate.app.jumping import Target
    from appellate.app.workplace import Workplace


class Jumping:
    """Jump mode, and the ends of what has the focus."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at
        self._parts = at.parts
        self._view = at.view

    async def jump(self) -> None:
        """Asks where to go by a letter on everything in sight."""
        from appellate.app.jumping import JumpScreen

        key = await self._at.dialogs.show(JumpScreen(self._targets))
        what, *where = (key or "nowhere").split()
        match what:
            case "sentence":
                self._parts.response.take(Selecting(int(where[0]), int(where[1]), fresh=False))
            case "top":
                self.to_end("first")
            case "item":
                self._view.pane.lists()[int(where[0])].visit(int(where[1]), int(where[2]))
                self._at.dialogs.rest()
            case "cell":
                self._at.navigation.go(self._parts.queue.cells.number(int(where[0])))
            case "evidence":
                self._at.reading.go_to_evidence(int(where[0]))
            case "document":
                self._at.material.to_document(where[0])
            case "tab":
                self._at.material.turn_to(where[0])
            case "response":
                self._parts.response.screen.set_focus(self._parts.response)
            case "queue":
                self._at.turn_to_queue()

    def _sentences(self) -> "list[Target]":
        """A target at the beginning of each sentence in sight, or of what is in sight of it."""
        from appellate.app.jumping import Target

        response, found = self._parts.response, []
        page = response.page
        low, high = page.rendered.shown(*response.in_sight)
        for start, end in sentences_within(page.text, low, high):
            spot = response.spot(page.rendered.source_at(max(start, low)))
            if spot is not None:
                region, taken = Region(spot.x, spot.y, 1, 1), response.taken
                reverse = taken is not None and taken[0] <= max(start, low) < taken[1]
                found.append(Target(region, f"sentence {start} {end}", reverse))
        return found

    def _targets(self) -> "list[Target]":
        """The nearest to the hand first: items, evidence, citations, tabs, cells, panes."""
        from appellate.app.jumping import Target

        if self._parts.response.selection.on:
            return self._sentences()
        response, queue, found = self._parts.response, self._parts.queue, []
        for number, lines in enumerate(self._view.pane.lists()):
            for region, cursor in lines.in_sight():
                found.append(Target(region, f"item {number} {cursor.section} {cursor.row}"))
        for index, one in enumerate(self._view.pane.evidence()):
            spot = response.spot(one.start)
            if spot is not None:
                found.append(Target(Region(spot.x, spot.y, 1, 1), f"evidence {index}"))
        for citation in self._at.material.cited():
            spot = response.spot(citation.start)
            if spot is not None:
                found.append(Target(Region(spot.x, spot.y, 1, 1), f"document {citation.number}"))
        found += self._tabs()
        for region, cursor in queue.in_sight():
            found.append(Target(region, f"cell {cursor.row}"))
        return [*found, Target(response.region, "response"), Target(queue.region, "queue")]

    def _tabs(self) -> "list[Target]":
        """The tabs of what is docked."""
        from appellate.app.jumping import Target

        docked = self._parts.material
        if not docked.is_open:
            return []
        x, y = docked.region.x + CORNER, docked.region.y
        return [
            Target(Region(x + cell, y, 1, 1), f"tab {name}")
            for name, cell in docked.shown_tabs.places()
        ]

    def to_end(self, which: str) -> None:
        """To the first or last line of the list or of the text that has the focus."""
        focused = self._parts.response.screen.focused
        if isinstance(focused, TextView):
            if which == "first":
                focused.action_roll_home()
            else:
                focused.action_roll_end()
            return
        lists = self._view.pane.lists()[:1]
        if isinstance(focused, Lines):
            lists = [focused]
        for lines in lists:
            if which == "first":
                lines.action_first()
            else:
                lines.action_last()
