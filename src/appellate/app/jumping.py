"""Jump mode: a letter on everything in sight, and the letter typed goes there."""

from collections.abc import Callable, Iterable
from itertools import product
from math import ceil
from typing import NamedTuple

from textual.app import ComposeResult
from textual.events import Click, Key
from textual.geometry import Region, Size
from textual.widgets import Static

from appellate.ui.overlay import Box, KeyLine
from appellate.ui.text import plain

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
        y, last = max(target.region.y, 0), size.width - len(label)
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
        self._targets, self._top = targets, top
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
