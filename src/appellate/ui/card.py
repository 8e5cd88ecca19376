"""A few lines above the keys that tell what to press: for the first time, or on a tour.

Never in the way.

It takes no focus and no key: whoever owns the screen puts it away, and a click on it asks for that.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.rendered_text import StyledText, cells, spread, strip

Atom = tuple[StyledText, ...]
"""Pieces that stand on one line."""
Paragraph = Sequence[Atom]

_NAMED = re.compile(r"(\{[\w.]+\})")


def worded(text: str, keys: Mapping[str, str], style: str = "") -> list[Atom]:
    """The words of a sentence, with `{id}` in it as the key of that binding."""
    atoms: list[Atom] = []
    for word in text.split():
        pieces: list[StyledText] = []
        for part in filter(None, _NAMED.split(word)):
            if _NAMED.fullmatch(part):
                pieces.append(StyledText(keys[part[1:-1]], "key"))
            else:
                pieces.append(StyledText(part, style))
        atoms.append(tuple(pieces))
    return atoms


def flowing(paragraphs: Sequence[Paragraph], width: int) -> list[list[StyledText]]:
    """The lines of some paragraphs, as many atoms on each as fit with a cell between."""
    lines: list[list[StyledText]] = []
    for paragraph in paragraphs:
        line: list[StyledText] = []
        lines.append(line)
        for atom in paragraph:
            if line and cells(line) + 1 + cells(atom) > width:
                line = []
                lines.append(line)
            if line:
                line.append(StyledText(" "))
            line += atom
    return lines


class Card(Widget):
    """Paragraphs in as many lines as they need, up to `MOST`."""

    ALLOW_SELECT = False
    MOST = 4
    DEFAULT_CSS = """
    Card {
        display: none; width: 1fr; height: auto; background: $panel;
        & > .card--title { text-style: bold reverse; }
        & > .card--key { text-style: bold underline; }
        & > .card--muted { color: $muted; }
    }
    Card.-shown { display: block; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"card--{name}" for name in ("title", "key", "muted")}

    @dataclass
    class PutAway(Message):
        """A person clicked on the card, to have it away."""

        card: "Card"

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.marks = marks
        self._told: tuple[Paragraph, ...] = ()

    @property
    def shown(self) -> bool:
        return self.has_class("-shown")

    def show(self, *paragraphs: Paragraph) -> None:
        """Shows paragraphs in the place of those before."""
        self.add_class("-shown")
        if paragraphs != self._told:
            self._told = paragraphs
            self.refresh(layout=True)

    def put_away(self) -> None:
        self.remove_class("-shown")

    def lines(self, width: int) -> list[list[StyledText]]:
        """What stands in the card where it is `width` cells wide."""
        return flowing(self._told, width - 2)[: self.MOST]

    def get_content_height(
        self,
        container: Size,  # noqa: ARG002
        viewport: Size,  # noqa: ARG002
        width: int,
    ) -> int:
        return len(self.lines(width))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        lines = self.lines(width)
        drawn: list[StyledText] = []
        if y < len(lines):
            drawn = spread([StyledText(" "), *lines[y]], [], width, self.marks)
        return strip(self, "card", drawn, width, self.rich_style)

    def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(self.PutAway(self))
