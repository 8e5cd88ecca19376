"""The strips around the work: the numbers, the keys, the state of things, and a card."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from msgspec import Struct
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from appellate.ui.key import Hint
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.measures import MeasureLine
from appellate.ui.measures_bar import line, sentences
from appellate.ui.rendered_text import Atom, Paragraph, cells, components, flowing, spread, strip
from appellate.ui.rows import StyledText
from appellate.ui.text import cell_width, flat, plain


class OneLine(Widget):
    """A widget of one line that is drawn from pieces."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    OneLine {
        height: 1;
        width: 1fr;
        & > .bar--muted { color: $muted; }
        & > .bar--name { color: $muted; }
        & > .bar--value { text-style: bold; }
        & > .bar--moved { text-style: bold; color: $state-corrected; }
        & > .bar--delta { text-style: bold; color: $state-corrected; }
        & > .bar--key { text-style: bold; }
        & > .bar--good { color: $state-reviewed; }
        & > .bar--bad { color: $state-failed; text-style: bold; }
        & > .bar--busy { color: $state-corrected; }
        & > .bar--strong { text-style: bold; }
        & > .bar--mode { text-style: bold reverse; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = components(
        "bar", "muted name value moved delta key good bad busy strong mode"
    )

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.marks = marks

    def pieces(self, room: int) -> list[StyledText]:
        """What to draw in `room` cells."""
        return [StyledText(" " * room)]

    def render_line(self, y: int) -> Strip:
        room = self.size.width
        pieces: list[StyledText] = []
        if y == 0:
            pieces = self.pieces(room)
        return strip(self, "bar", pieces, room, self.visual_style.rich_style)


class MetricsBar(OneLine):
    """The metrics now and against the judge's; after a correction, what it moved."""

    measures = MeasureLine()

    def show(self, measures: MeasureLine) -> None:
        """Shows figures; differences stay until figures without them are shown."""
        if measures != self.measures:
            self.measures = measures
            self.tooltip = plain(sentences(measures))
            self.refresh()

    def pieces(self, room: int) -> list[StyledText]:
        return line(self.measures, room, self.marks)


class KeyStrip(OneLine):
    """The name of the mode, if any, and as many keys of the moment as fit; a click asks for one."""

    @dataclass
    class Pressed(Message):
        """A key of the strip was clicked."""

        action: str

    hints: tuple[Hint, ...] = ()
    mode = ""

    def show(self, hints: Sequence[Hint], mode: str = "") -> None:
        if (tuple(hints), mode) != (self.hints, self.mode):
            self.hints = tuple(hints)
            self.mode = mode
            self.refresh()

    @property
    def names(self) -> str:
        """The names of the keys, fitting or not."""
        return " ".join(hint.key for hint in self.hints)

    @property
    def _before(self) -> list[StyledText]:
        if not self.mode:
            return [StyledText(" ")]
        return [StyledText(f" {self.mode} ", "mode"), StyledText("  ")]

    def pieces(self, room: int) -> list[StyledText]:
        drawn = self._before
        between = len(drawn)
        for hint in fitting_hints(self.hints, room - cells(drawn)):
            if len(drawn) > between:
                drawn.append(StyledText("  "))
            drawn += [StyledText(hint.key, "key"), StyledText(f" {hint.label}", "muted")]
        return spread(drawn, [], room, self.marks)

    def on_click(self, event: Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        before = cells(self._before)
        hint = hint_at(self.hints, self.size.width - before, place.x - before)
        if hint and hint.action:
            event.stop()
            self.post_message(self.Pressed(hint.action))


def _taken(hint: Hint) -> int:
    return cell_width(flat(hint.key)) + 1 + cell_width(flat(hint.label))


def fitting_hints(hints: Sequence[Hint], room: int) -> list[Hint]:
    """The most needed hints that fit side by side with two cells between, in the order given."""
    kept: set[int] = set()
    for index in sorted(range(len(hints)), key=lambda index: hints[index].priority):
        needed = _taken(hints[index])
        if kept:
            needed += 2
        if needed > room:
            break
        kept.add(index)
        room -= needed
    return [hint for index, hint in enumerate(hints) if index in kept]


def hint_at(hints: Sequence[Hint], room: int, cell: int) -> Hint | None:
    for hint in fitting_hints(hints, room):
        if 0 <= cell < _taken(hint):
            return hint
        cell -= _taken(hint) + 2
    return None


class Part(Struct, frozen=True):
    """A piece of the status; one of a smaller `priority` stays longer as the screen narrows."""

    text: str
    style: str = ""
    priority: int = 0


class StatusStrip(OneLine):
    """Parts at the left and right ends; the least needed give way, then what is left is clipped."""

    left: tuple[Part, ...] = ()
    right: tuple[Part, ...] = ()

    def show(self, left: Sequence[Part], right: Sequence[Part] = ()) -> None:
        if (tuple(left), tuple(right)) != (self.left, self.right):
            self.left, self.right = tuple(left), tuple(right)
            self.refresh()

    def pieces(self, room: int) -> list[StyledText]:
        left, right = fitting_parts(self.left, self.right, room - 2)
        return spread(
            [StyledText(" "), *_side(left)], [*_side(right), StyledText(" ")], room, self.marks
        )


def fitting_parts(
    left: Sequence[Part], right: Sequence[Part], room: int
) -> tuple[list[Part], list[Part]]:
    """The parts that fit with two cells between, the most needed first; of several of a priority,
    the first. The most needed of all stays in any case.
    """
    parts = (*left, *right)
    kept: set[int] = set()
    for index in sorted(range(len(parts)), key=lambda index: parts[index].priority):
        needed = cells([StyledText(parts[index].text)])
        if kept:
            needed += 2
        if parts[index].text and (needed <= room or not kept):
            kept.add(index)
            room -= needed
    sides = range(len(left)), range(len(left), len(parts))
    at_left, at_right = ([parts[index] for index in side if index in kept] for side in sides)
    return at_left, at_right


def _side(parts: Sequence[Part]) -> list[StyledText]:
    drawn: list[StyledText] = []
    for part in parts:
        if drawn:
            drawn.append(StyledText("  "))
        drawn.append(StyledText(part.text, part.style))
    return drawn


_NAMED = re.compile(r"(\{[\w.]+\})")


def worded(text: str, keys: Mapping[str, str]) -> list[Atom]:
    """The words of a sentence, with `{id}` in it as the key of that binding."""
    atoms: list[Atom] = []
    for word in text.split():
        pieces: list[StyledText] = []
        for part in filter(None, _NAMED.split(word)):
            if _NAMED.fullmatch(part):
                pieces.append(StyledText(keys[part[1:-1]], "key"))
            else:
                pieces.append(StyledText(part))
        atoms.append(tuple(pieces))
    return atoms


class Card(Widget):
    """Up to `MOST` lines above the keys that say what to press. It takes no focus and no key; a
    click asks the screen to put it away.
    """

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
    COMPONENT_CLASSES: ClassVar[set[str]] = components("card", "title key muted")

    @dataclass
    class PutAway(Message):
        """A person clicked on the card."""

        card: "Card"

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.marks = marks
        self._text: tuple[Paragraph, ...] = ()

    @property
    def shown(self) -> bool:
        return self.has_class("-shown")

    def show(self, *paragraphs: Paragraph) -> None:
        """Shows paragraphs in the place of those before."""
        self.add_class("-shown")
        if paragraphs != self._text:
            self._text = paragraphs
            self.refresh(layout=True)

    def put_away(self) -> None:
        self.remove_class("-shown")

    def lines(self, width: int) -> list[list[StyledText]]:
        """What is in the card where it is `width` cells wide."""
        return flowing(self._text, width - 2)[: self.MOST]

    def get_content_height(
        self,
        container: Size,  # noqa: ARG002
        viewport: Size,  # noqa: ARG002
        width: int,
    ) -> int:
        return self.height_at(width)

    def height_at(self, width: int) -> int:
        """The lines that it takes where it is `width` cells wide."""
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
