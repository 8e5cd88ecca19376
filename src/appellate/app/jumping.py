"""Jump mode: a letter on everything in sight, and the letter typed goes there."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product
from math import ceil
from typing import NamedTuple

from textual.app import ComposeResult
from textual.events import Click, Key
from textual.geometry import Region, Size
from textual.widgets import Static

from appellate.app.dialogs import Dialogs
from appellate.app.layout import Parts
from appellate.app.queue.navigation import Navigation
from appellate.app.reading.material import Material
from appellate.app.reading.response_actions import ResponseActions
from appellate.ui.docked import CORNER
from appellate.ui.lines import Lines
from appellate.ui.overlay import Box, KeyLine
from appellate.ui.row_layout import Cursor
from appellate.ui.selecting import Selecting, sentences_within
from appellate.ui.text import plain
from appellate.ui.text_view import TextView

LETTERS = "asdfhjklqwertyuiopzxcvbnm"  # the home row first; no g: it means the top
AGAIN = "g"


class Target(NamedTuple):
    """Something to jump to: its name and place, what goes there, whether it is in reverse."""

    name: str
    region: Region
    go: Callable[[], object]
    reverse: bool = False


class JumpLabel(NamedTuple):
    """A target's label, and the cell where it begins."""

    label: str
    x: int
    y: int
    target: Target


def labels(count: int) -> list[str]:
    """Labels of one letter as far as they go, then of two; none begins another."""
    letters = len(LETTERS)
    more = min(count, letters * letters) - letters
    single = letters - ceil(
        max(more, 0) / (letters - 1)
    )  # each other gives `letters` labels for one
    pairs = product(LETTERS[single:], LETTERS)
    return [*LETTERS[:single], *map("".join, pairs)][:count]


def placed(targets: Iterable[Target], size: Size) -> list[JumpLabel]:
    """The labels at the top left of what is in sight, none on the cells of another."""
    seen = [one for one in targets if one.region and Region(0, 0, *size).overlaps(one.region)]
    taken: set[tuple[int, int]] = set()
    found = []
    for label, target in zip(labels(len(seen)), seen, strict=False):
        y = max(target.region.y, 0)
        last = size.width - len(label)
        begin = min(max(target.region.x, 0), last)
        for x in (*range(begin, last + 1), *range(begin - 1, -1, -1)):
            cells = {(x + step, y) for step in range(len(label))}
            if not taken & cells:
                taken |= cells
                found.append(JumpLabel(label, x, y, target))
                break
    return found


class Mark(Static):
    """One label, drawn in reverse so that it is seen in every theme and without colour."""

    def __init__(self, at: JumpLabel, take: Callable[[Target], object]) -> None:
        super().__init__(plain(at.label), markup=False)
        self.at = at
        self._take = take
        self.styles.offset = (at.x, at.y)
        self.set_class(at.target.reverse, "-plain")  # among what is in reverse

    def type(self, typed: str) -> None:
        """Shows what is still to be typed of it; nothing where it begins otherwise."""
        rest = ""
        if self.at.label.startswith(typed):
            rest = self.at.label.removeprefix(typed)
        self.display = bool(rest)
        self.update(plain(rest.rjust(len(self.at.label))))

    def on_click(self, event: Click) -> None:
        event.stop()
        self._take(self.at.target)


class JumpScreen(Box[Target | None]):
    """Gives the target of the label typed or clicked, the `top` for g, or None."""

    AUTO_FOCUS = "KeyLine"
    DEFAULT_CSS = """
    JumpScreen { background: transparent; layers: marks line; }
    JumpScreen Mark {
        layer: marks; position: absolute; width: auto; height: 1;
        color: $foreground; background: $background; text-style: bold reverse;
    }
    JumpScreen Mark.-plain { text-style: bold; }
    JumpScreen KeyLine { layer: line; }
    """

    def __init__(self, targets: Callable[[], Iterable[Target]], top: Target) -> None:
        """`targets` is asked once the screen behind is laid out."""
        super().__init__()
        self._targets = targets
        self._top = top
        self._typed = ""
        self._room = Size()

    def compose(self) -> ComposeResult:
        self._room = self.app.size
        for at in placed(self._targets(), self._room):
            yield Mark(at, self.dismiss)
        yield KeyLine(plain("Type the letters to go there; g is the top, Esc stays"), markup=False)

    @property
    def marks(self) -> list[Mark]:
        return list(self.query(Mark))

    def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        letter = event.character or ""
        typed = self._typed + letter
        begun = [mark for mark in self.marks if letter and mark.at.label.startswith(typed)]
        if typed == AGAIN:
            self.dismiss(self._top)
        elif not begun:
            self.dismiss(None)
        elif begun[0].at.label == typed:
            self.dismiss(begun[0].at.target)
        else:
            self._typed = typed
            for mark in self.marks:
                mark.type(typed)

    def on_click(self, event: Click) -> None:
        """A click beside the labels stays."""
        event.stop()
        self.dismiss(None)

    def on_resize(self) -> None:
        """What the labels were on may be elsewhere now."""
        if self._room != self.app.size:
            self.dismiss(None)


class Jumping:
    """Jump mode, and the ends of what has the focus."""

    def __init__(
        self,
        parts: Parts,
        dialogs: Dialogs,
        navigation: Navigation,
        reading: ResponseActions,
        material: Material,
        *,
        to_queue: Callable[[], object],
    ) -> None:
        self._parts = parts
        self._dialogs = dialogs
        self._navigation = navigation
        self._reading = reading
        self._material = material
        self._to_queue = to_queue

    async def jump(self) -> None:
        """Asks where to go by a letter on everything in sight."""
        top = Target("top", Region(), partial(self.to_end, "first"))
        target = await self._dialogs.show(JumpScreen(self._targets, top))
        if target is not None:
            target.go()

    def _sentences(self) -> Iterator[Target]:
        """A target at the beginning of each sentence, or of the part of it in sight."""
        response = self._parts.response
        page = response.page
        taken = response.selection.taken
        low, high = page.rendered.shown_span(*response.in_sight)
        for start, end in sentences_within(page.text, low, high):
            begin = max(start, low)
            go = partial(response.selection.take, Selecting(start, end, fresh=False))
            reverse = taken is not None and taken[0] <= begin < taken[1]
            if spot := response.spot(page.rendered.source_at(begin)):
                yield Target("sentence", Region(*spot, 1, 1), go, reverse)

    def _targets(self) -> Iterator[Target]:
        """The nearest to the hand first: items, evidence, citations, tabs, cells, panes."""
        response = self._parts.response
        queue = self._parts.queue
        if response.selection.on:
            yield from self._sentences()
            return
        for lines in self._parts.panes.pane.lists():
            for region, cursor in lines.in_sight():
                yield Target("item", region, partial(self._visit, lines, cursor))
        yield from self._in_texts()
        for region, cursor in queue.in_sight():
            yield Target(
                "cell", region, partial(self._navigation.go, queue.cells.number(cursor.row))
            )
        yield Target("response", response.region, partial(response.screen.set_focus, response))
        yield Target("queue", queue.region, self._to_queue)

    def _in_texts(self) -> Iterator[Target]:
        """Evidence and citations of the response, and the tabs of what is docked."""
        response = self._parts.response
        docked = self._parts.material
        for index, one in enumerate(self._parts.panes.pane.evidence()):
            if spot := response.spot(one.start):
                go = partial(self._reading.go_to_evidence, index)
                yield Target("evidence", Region(*spot, 1, 1), go)
        for citation in self._material.cited():
            if spot := response.spot(citation.start):
                go = partial(self._material.to_document, citation.number)
                yield Target(f"document {citation.number}", Region(*spot, 1, 1), go)
        for piece in docked.shown_tabs if docked.is_open else ():
            if piece.name:
                corner = Region(docked.region.x + CORNER + piece.cell, docked.region.y, 1, 1)
                go = partial(self._material.turn_to, piece.name)
                yield Target(f"tab {piece.name}", corner, go)

    def _visit(self, lines: Lines, cursor: Cursor) -> None:
        lines.visit(*cursor)
        self._dialogs.rest()

    def to_end(self, which: str) -> None:
        """To the first or last line of the list or of the text that has the focus."""
        focused = self._parts.response.screen.focused
        if isinstance(focused, TextView):
            if which == "first":
                focused.action_roll_home()
            else:
                focused.action_roll_end()
            return
        lists = self._parts.panes.pane.lists()[:1]
        if isinstance(focused, Lines):
            lists = [focused]
        for lines in lists:
            if which == "first":
                lines.action_first()
            else:
                lines.action_last()
