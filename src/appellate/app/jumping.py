"""Jump mode: a letter on everything in sight, and the letter typed goes there."""

from collections.abc import Callable, Sequence
from itertools import product
from math import ceil
from typing import NamedTuple

from textual.app import ComposeResult
from textual.events import Click, Key
from textual.geometry import Region, Size
from textual.widgets import Static

from appellate.ui.overlay import Box
from appellate.ui.text import plain

LETTERS = "asdfhjklqwertyuiopzxcvbnm"  # the home row first; no g: it means the top
AGAIN, TOP = "g", "top"


class Target(NamedTuple):
    """Something to jump to: where it is on the screen, what to give for it, and whether it stands
    in reverse there.
    """

    region: Region
    key: str
    reverse: bool = False


class JumpLabel(NamedTuple):
    """A target's label, and the cell where it begins."""

    label: str
    x: int
    y: int
    key: str
    plain: bool = False  # not in reverse, among what is


def labels(count: int) -> list[str]:
    """Labels of one letter as far as they go, then of two; none begins another."""
    letters = len(LETTERS)
    more = min(count, letters * letters) - letters
    single = letters - ceil(
        max(more, 0) / (letters - 1)
    )  # each other gives `letters` labels for one
    pairs = product(LETTERS[single:], LETTERS)
    return [*LETTERS[:single], *map("".join, pairs)][:count]


def placed(targets: Sequence[Target], size: Size) -> list[JumpLabel]:
    """The labels at the top left of what is in sight, none on the cells of another."""
    seen = [one for one in targets if one.region and Region(0, 0, *size).overlaps(one.region)]
    taken: set[tuple[int, int]] = set()
    found = []
    for label, (region, key, reverse) in zip(labels(len(seen)), seen, strict=False):
        y = max(region.y, 0)
        for x in _near(region.x, size.width - len(label)):
            cells = {(x + step, y) for step in range(len(label))}
            if not taken & cells:
                taken |= cells
                found.append(JumpLabel(label, x, y, key, reverse))
                break
    return found


def _near(x: int, last: int) -> list[int]:
    """Places for a label from `x` on, then before it."""
    x = min(max(x, 0), last)
    return [*range(x, last + 1), *range(x - 1, -1, -1)]


class Mark(Static):
    """One label, drawn in reverse so that it is seen in every theme and without colour."""

    def __init__(self, at: JumpLabel, take: Callable[[str], object]) -> None:
        super().__init__(plain(at.label), markup=False)
        self.at = at
        self._take = take
        self.styles.offset = (at.x, at.y)
        self.set_class(at.plain, "-plain")

    def type(self, typed: str) -> None:
        """Shows what is still to be typed of it; nothing where it begins otherwise."""
        rest = ""
        if self.at.label.startswith(typed):
            rest = self.at.label.removeprefix(typed)
        self.display = bool(rest)
        self.update(plain(rest.rjust(len(self.at.label))))

    def on_click(self, event: Click) -> None:
        event.stop()
        self._take(self.at.key)


class JumpLine(Static, can_focus=True):
    """What to do now; it holds the focus while letters are typed."""


class JumpScreen(Box[str | None]):
    """Gives the key of the label typed or clicked, `top` for g, or None."""

    AUTO_FOCUS = "JumpLine"
    DEFAULT_CSS = """
    JumpScreen { background: transparent; layers: marks line; }
    JumpScreen Mark {
        layer: marks; position: absolute; width: auto; height: 1;
        color: $foreground; background: $background; text-style: bold reverse;
    }
    JumpScreen Mark.-plain { text-style: bold; }
    JumpScreen JumpLine {
        layer: line; dock: bottom; height: 1; padding: 0 1; background: $boost; text-style: bold;
    }
    """

    def __init__(self, targets: Callable[[], Sequence[Target]]) -> None:
        """`targets` is asked once the screen behind is laid out."""
        super().__init__()
        self._targets = targets
        self._typed = ""
        self._room = Size()

    def compose(self) -> ComposeResult:
        self._room = self.app.size
        for at in placed(self._targets(), self._room):
            yield Mark(at, self.dismiss)
        yield JumpLine(plain("Type the letters to go there; g is the top, Esc stays"), markup=False)

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
            self.dismiss(TOP)
        elif not begun:
            self.dismiss(None)
        elif begun[0].at.label == typed:
            self.dismiss(begun[0].at.key)
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
