"""Jump mode: every visible item, cell and text gets a letter, and typing the letter goes there."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, product
from math import ceil
from typing import Literal, NamedTuple

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
    """Something visible that one can jump to."""

    name: str
    region: Region
    """Where it is on the screen."""
    go: Callable[[], object]
    """Goes there."""
    reverse: bool = False
    """Whether it is drawn in reverse, so that its label must not be."""


class JumpLabel(NamedTuple):
    """The label of a target, and where it is drawn."""

    label: str
    x: int
    """Column of its first letter."""
    y: int
    """Row of the label."""
    target: Target


def labels(count: int) -> list[str]:
    """Return `count` different labels of letters, by which the reviewer jumps to what is visible.

    Single letters come first, then pairs; no label begins another. Fewer are returned if there are
    not enough pairs of letters.
    """
    letters = len(LETTERS)
    most = min(count, letters * letters)
    missing = max(most - letters, 0)
    # a letter that begins pairs costs one label and gives `letters`
    letters_of_pairs = ceil(missing / (letters - 1))
    single = letters - letters_of_pairs
    all_labels = list(LETTERS[:single])
    for first, second in product(LETTERS[single:], LETTERS):
        all_labels.append(first + second)
    return all_labels[:count]


def placed(targets: Iterable[Target], size: Size) -> list[JumpLabel]:
    """Return labels for the targets that are visible on a screen of this size.

    A label stands at the top left of its target, or right of another label that is there already,
    or left of it if the row ends. A target is left out if its row is full or there is no label for
    it. Targets that come first get the labels that are typed most easily.
    """
    screen_region = Region(0, 0, *size)
    visible: list[Target] = []
    for target in targets:
        if target.region and screen_region.overlaps(target.region):
            visible.append(target)

    used_cells: set[tuple[int, int]] = set()
    placed_labels: list[JumpLabel] = []
    for label, target in zip(labels(len(visible)), visible, strict=False):
        y = max(target.region.y, 0)
        last_x = size.width - len(label)
        first_x = min(max(target.region.x, 0), last_x)
        to_the_right = range(first_x, last_x + 1)
        to_the_left = range(first_x - 1, -1, -1)
        for x in chain(to_the_right, to_the_left):
            cells = {(x + offset, y) for offset in range(len(label))}
            if used_cells.isdisjoint(cells):
                used_cells |= cells
                placed_labels.append(JumpLabel(label, x, y, target))
                break
    return placed_labels


class Mark(Static):
    """One label on the screen, drawn in reverse, so that it is seen in every theme."""

    def __init__(self, jump_label: JumpLabel, take: Callable[[Target], object]) -> None:
        """Stand at the place of the label; `take` is called with its target when the label is
        clicked.
        """
        super().__init__(plain(jump_label.label), markup=False)
        self.jump_label = jump_label
        self._take = take
        self.styles.offset = (jump_label.x, jump_label.y)
        self.set_class(jump_label.target.reverse, "-plain")

    def type(self, typed: str) -> None:
        """Show the letters of the label that are still to be typed after `typed`.

        The label is hidden if it begins differently or nothing of it is left.
        """
        label = self.jump_label.label
        remaining = ""
        if label.startswith(typed):
            remaining = label.removeprefix(typed)
        self.display = bool(remaining)
        self.update(plain(remaining.rjust(len(label))))

    def on_click(self, event: Click) -> None:
        event.stop()
        self._take(self.jump_label.target)


class JumpScreen(Box[Target | None]):
    """Shows the labels; closes with the target of the label that was typed or clicked, or None.

    The letter g closes it with `top`.
    """

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
        """Make the screen; `targets` returns what can be gone to, and `top` is where g goes.

        `targets` is called once the screen below is laid out.
        """
        super().__init__()
        self._targets = targets
        self._top = top
        self._typed = ""
        self._size_of_labels = Size()
        """The size of the terminal for which the labels were placed."""

    def compose(self) -> ComposeResult:
        """Place the labels for the terminal's present size; yield them, and the line of keys."""
        self._size_of_labels = self.app.size
        for jump_label in placed(self._targets(), self._size_of_labels):
            yield Mark(jump_label, self.dismiss)
        yield KeyLine(
            plain("Type the letters to go there; g is the top, Esc stays"),
            markup=False,
        )

    @property
    def marks(self) -> list[Mark]:
        return list(self.query(Mark))

    def on_key(self, event: Key) -> None:
        """Take one letter of a label; close the screen with the target once the label is whole.

        g closes it with the target of the top. A key that continues no label closes it with None.
        Until a label is whole, those that can still be meant show what is left of them.
        """
        event.stop()
        event.prevent_default()
        letter = event.character or ""
        typed = self._typed + letter
        matches: list[JumpLabel] = []
        for mark in self.marks:
            if letter and mark.jump_label.label.startswith(typed):
                matches.append(mark.jump_label)
        if typed == AGAIN:
            self.dismiss(self._top)
        elif not matches:
            self.dismiss(None)
        elif matches[0].label == typed:
            self.dismiss(matches[0].target)
        else:
            self._typed = typed
            for mark in self.marks:
                mark.type(typed)

    def on_click(self, event: Click) -> None:
        """Close the screen without a target, after a click that hits no label."""
        event.stop()
        self.dismiss(None)

    def on_resize(self) -> None:
        """Close the screen without a target if the terminal has another size now.

        What the labels stand on may be elsewhere then.
        """
        if self._size_of_labels != self.app.size:
            self.dismiss(None)


class Jumping:
    """Jumps on one review screen: to a label, and to the ends of a list or text."""

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
        """Show a label on everything visible, and go to the one that is typed or clicked.

        g goes to the top of the list or text with the focus. Any other key leaves everything as it
        is.
        """
        top = Target("top", Region(), partial(self.to_end, "first"))
        target = await self._dialogs.show(JumpScreen(self._targets, top))
        if target is not None:
            target.go()

    def _sentences(self) -> Iterator[Target]:
        """Yield a target at the first visible word of each sentence; going there selects it.

        Targets in words that are selected now are drawn in reverse. A sentence that is hidden on
        the screen, as in a folded step, has no target.
        """
        response = self._parts.response
        page = response.page
        selected = response.selection.taken
        first_offset, end_offset = page.rendered.shown_span(*response.in_sight)
        for start, end in sentences_within(page.text, first_offset, end_offset):
            visible_start = max(start, first_offset)
            go = partial(response.selection.take, Selecting(start, end, fresh=False))
            reverse = (
                selected is not None and selected[0] <= visible_start < selected[1]
            )
            if spot := response.spot(page.rendered.source_at(visible_start)):
                yield Target("sentence", Region(*spot, 1, 1), go, reverse)

    def _targets(self) -> Iterator[Target]:
        """Yield everything that can be jumped to, first what gets the keys nearest to the hand.

        In order these are items, evidence, citations and tabs, cells of the queue, then the
        response and the queue themselves. While words are being selected, only sentences of the
        response are.
        """
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
                "cell",
                region,
                partial(self._navigation.go, queue.cells.number(cursor.row)),
            )
        yield Target(
            "response",
            response.region,
            partial(response.screen.set_focus, response),
        )
        yield Target("queue", queue.region, self._to_queue)

    def _in_texts(self) -> Iterator[Target]:
        """Yield targets for evidence and citations in the response and tabs of the docked text.

        Only what is visible has one; going to it puts the cursor on the item, or opens the document
        or tab.
        """
        response = self._parts.response
        docked = self._parts.material
        for index, evidence in enumerate(self._parts.panes.pane.evidence()):
            if spot := response.spot(evidence.start):
                go = partial(self._reading.go_to_evidence, index)
                yield Target("evidence", Region(*spot, 1, 1), go)
        for citation in self._material.cited():
            if spot := response.spot(citation.start):
                go = partial(self._material.to_document, citation.number)
                yield Target(f"document {citation.number}", Region(*spot, 1, 1), go)
        if not docked.is_open:
            return
        for tab in docked.shown_tabs:
            if tab.name:
                corner = Region(
                    docked.region.x + CORNER + tab.cell,
                    docked.region.y,
                    1,
                    1,
                )
                go = partial(self._material.turn_to, tab.name)
                yield Target(f"tab {tab.name}", corner, go)

    def _visit(self, lines: Lines, cursor: Cursor) -> None:
        lines.visit(*cursor)
        self._dialogs.rest()

    def to_end(self, end: Literal["first", "last"]) -> None:
        """Go to the first or the last line of the list or text with the focus.

        Without a list or text in focus, that is the first list of the pane; nothing happens if it
        has none.
        """
        focused = self._parts.response.screen.focused
        if isinstance(focused, TextView):
            if end == "first":
                focused.action_roll_home()
            else:
                focused.action_roll_end()
            return
        lists = self._parts.panes.pane.lists()[:1]
        if isinstance(focused, Lines):
            lists = [focused]
        for lines in lists:
            if end == "first":
                lines.action_first()
            else:
                lines.action_last()
