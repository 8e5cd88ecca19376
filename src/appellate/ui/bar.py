"""The one-line strips of the screen, and a card of a few lines that says what to press.

`MetricsBar` shows the numbers, `KeyStrip` the keys of the moment, `StatusStrip` the state of the
session. The screens of `app/` compose them.
"""

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
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.measures import MeasureLine
from appellate.ui.measures_bar import line, sentences
from appellate.ui.rendered_text import (
    Atom,
    Paragraph,
    cells,
    components,
    flowing,
    spread,
    strip,
)
from appellate.ui.rows import StyledText
from appellate.ui.text import cell_width, flat, plain
from appellate.ui.textual_compat import draw_by_lines


class OneLine(Widget):
    """A widget one line high that draws a list of styled pieces."""

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
        "bar",
        "muted name value moved delta key good bad busy strong mode",
    )

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        draw_by_lines(self)
        self.marks = marks

    def pieces(self, width: int) -> list[StyledText]:
        """Return the pieces to draw in `width` columns: here blanks; a subclass overrides it."""
        return [StyledText(" " * width)]

    def render_line(self, y: int) -> Strip:
        """Return what is drawn on line `y` of the widget: its pieces on line 0, else nothing."""
        width = self.size.width
        pieces: list[StyledText] = []
        if y == 0:
            pieces = self.pieces(width)
        return strip(self, "bar", pieces, width, self.visual_style.rich_style)


class MetricsBar(OneLine):
    """The line of measures of a cell: current values, the judge's, and what the last correction
    moved.
    """

    measures = MeasureLine()

    def show(self, measures: MeasureLine) -> None:
        """Show measures, and their sentences in the tooltip; equal measures change nothing."""
        if measures != self.measures:
            self.measures = measures
            self.tooltip = plain(spelt(sentences(measures), self.marks))
            self.refresh()

    def pieces(self, width: int) -> list[StyledText]:
        return line(self.measures, width, self.marks)


class KeyStrip(OneLine):
    """The name of the mode, if any, and as many keys of the moment as fit.

    A click on a key posts `Pressed` with its action.
    """

    @dataclass
    class Pressed(Message):
        """Posted when a person clicks a key of the strip."""

        action: str

    hints: tuple[Hint, ...] = ()
    mode = ""

    def show(self, hints: Sequence[Hint], mode: str = "") -> None:
        """Show these keys instead of the present ones, and before them the name of the mode.

        "" shows no name. Equal keys and mode change nothing.
        """
        new_hints = tuple(hints)
        if new_hints != self.hints or mode != self.mode:
            self.hints = new_hints
            self.mode = mode
            self.refresh()

    @property
    def names(self) -> str:
        """The names of all keys of the strip, with spaces between.

        Those that do not fit are among them.
        """
        return " ".join(hint.key for hint in self.hints)

    @property
    def _before(self) -> list[StyledText]:
        """The pieces that are drawn before the first key: the name of the mode, or one blank."""
        if not self.mode:
            return [StyledText(" ")]
        mode = StyledText(f" {self.mode} ", "mode")
        return [mode, StyledText("  ")]

    def pieces(self, width: int) -> list[StyledText]:
        """Return the name of the mode, and the keys with labels that fit into `width` columns.

        Keys are taken by their `priority`, the smallest first, up to the first that does not fit,
        and drawn in their own order. The line is padded to that width, and cut if not even the name
        fits.
        """
        pieces = self._before
        opening_count = len(pieces)
        for hint in fitting_hints(self.hints, width - cells(pieces)):
            if len(pieces) > opening_count:
                pieces.append(StyledText("  "))
            pieces += [
                StyledText(hint.key, "key"),
                StyledText(f" {hint.label}", "muted"),
            ]
        return spread(pieces, [], width, self.marks)

    def on_click(self, event: Click) -> None:
        """Post `Pressed` with the action of the hint that was clicked, and use the click up.

        Elsewhere, and on a hint that has no action, nothing happens.
        """
        offset = event.get_content_offset(self)
        if offset is None:
            return
        opening_width = cells(self._before)
        hint = hint_at(
            self.hints,
            self.size.width - opening_width,
            offset.x - opening_width,
        )
        if hint and hint.action:
            event.stop()
            self.post_message(self.Pressed(hint.action))


def _hint_width(hint: Hint) -> int:
    """Return how many columns a hint takes: its key, a space and its label."""
    key_width = cell_width(flat(hint.key))
    label_width = cell_width(flat(hint.label))
    return key_width + 1 + label_width


def fitting_hints(hints: Sequence[Hint], width: int) -> list[Hint]:
    """Return the hints that fit into `width` columns with two columns between, in the given order.

    Hints are taken by their `priority`, the smallest first, and of equal ones the earlier. At the
    first that does not fit it ends: none after it is tried.
    """
    kept_indexes: set[int] = set()
    by_priority = sorted(range(len(hints)), key=lambda index: hints[index].priority)
    for index in by_priority:
        hint_width = _hint_width(hints[index])
        if kept_indexes:
            hint_width += 2
        if hint_width > width:
            break
        kept_indexes.add(index)
        width -= hint_width
    return [hint for index, hint in enumerate(hints) if index in kept_indexes]


def hint_at(hints: Sequence[Hint], width: int, x: int) -> Hint | None:
    """Return the hint that is drawn at column `x` of a strip, or None if none is drawn there.

    `x` counts from the first hint, from 0. `width` is that of the strip without what is before the
    hints: only hints that fit into it are drawn. Columns before, between and after them have none.
    """
    for hint in fitting_hints(hints, width):
        if 0 <= x < _hint_width(hint):
            return hint
        x -= _hint_width(hint) + 2
    return None


class Part(Struct, frozen=True):
    """A part of the status strip."""

    text: str
    style: str = ""
    priority: int = 0
    """A part with a smaller number is kept longer as the screen narrows."""


class StatusStrip(OneLine):
    """Parts of the status at the left and the right end of a line.

    On a narrow screen the parts with the largest `priority` are left out first; what remains is
    cut.
    """

    left: tuple[Part, ...] = ()
    right: tuple[Part, ...] = ()

    def show(self, left: Sequence[Part], right: Sequence[Part] = ()) -> None:
        """Show these parts at the left end and at the right end instead of the present ones.

        Equal parts change nothing.
        """
        new_left = tuple(left)
        new_right = tuple(right)
        if new_left != self.left or new_right != self.right:
            self.left = new_left
            self.right = new_right
            self.refresh()

    def pieces(self, width: int) -> list[StyledText]:
        """Return the parts of both ends that fit into `width` columns, a blank at each side.

        The line is padded between the ends to that width. If even the first part does not fit, it
        is cut.
        """
        left, right = fitting_parts(self.left, self.right, width - 2)
        return spread(
            [StyledText(" "), *_spaced(left)],
            [*_spaced(right), StyledText(" ")],
            width,
            self.marks,
        )


def fitting_parts(
    left: Sequence[Part],
    right: Sequence[Part],
    width: int,
) -> tuple[list[Part], list[Part]]:
    """Return the parts of both ends that fit into `width` columns, each end's in their order.

    Two columns are left free between parts. Parts with a smaller `priority` are taken first, and of
    equal ones the earlier, the left end's before the right end's. One that does not fit is left
    out, and later ones are still tried. The first part taken stays even if it does not fit. Parts
    without text are left out.
    """
    parts = (*left, *right)
    kept_indexes: set[int] = set()
    by_priority = sorted(range(len(parts)), key=lambda index: parts[index].priority)
    for index in by_priority:
        text = parts[index].text
        if not text:
            continue
        part_width = cells([StyledText(text)])
        if kept_indexes:
            part_width += 2
        if part_width <= width or not kept_indexes:
            kept_indexes.add(index)
            width -= part_width

    kept_left: list[Part] = []
    kept_right: list[Part] = []
    for index in sorted(kept_indexes):
        if index < len(left):
            kept_left.append(parts[index])
        else:
            kept_right.append(parts[index])
    return kept_left, kept_right


def _spaced(parts: Sequence[Part]) -> list[StyledText]:
    """Return the pieces of some parts, with two spaces between parts."""
    pieces: list[StyledText] = []
    for part in parts:
        if pieces:
            pieces.append(StyledText("  "))
        pieces.append(StyledText(part.text, part.style))
    return pieces


_NAMED = re.compile(r"(\{[\w.]+\})")


def sentence_atoms(text: str, keys: Mapping[str, str]) -> list[Atom]:
    """Return the words of a sentence as atoms, which are not broken over lines.

    Words are parted by white space. `{id}` in a word becomes the name that `keys` has for that id,
    in the style of a key. Raises KeyError for an id that `keys` has not.
    """
    atoms: list[Atom] = []
    for word in text.split():
        pieces: list[StyledText] = []
        for part in filter(None, _NAMED.split(word)):
            if _NAMED.fullmatch(part):
                key_id = part[1:-1]
                pieces.append(StyledText(keys[key_id], "key"))
            else:
                pieces.append(StyledText(part))
        atoms.append(tuple(pieces))
    return atoms


class Card(Widget):
    """Up to `MOST` lines above the key strip that say what to press.

    It takes no focus and no key. A click posts `PutAway`, and the screen closes it.
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
        """Posted when a person clicks the card to close it."""

        card: "Card"

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.marks = marks
        self._text: tuple[Paragraph, ...] = ()

    @property
    def shown(self) -> bool:
        """Whether the card is on the screen."""
        return self.has_class("-shown")

    def show(self, *paragraphs: Paragraph) -> None:
        """Open the card with these paragraphs instead of the present ones.

        The screen is laid out again if they differ.
        """
        self.add_class("-shown")
        if paragraphs != self._text:
            self._text = paragraphs
            self.refresh(layout=True)

    def put_away(self) -> None:
        """Close the card."""
        self.remove_class("-shown")

    def lines(self, width: int) -> list[list[StyledText]]:
        """Return the lines of text of a card that is `width` columns wide, each as pieces.

        They are at most `MOST`, and later ones are left out. The text is two columns narrower than
        the card, and the blank at each side is not among the pieces. Words are not cut.
        """
        lines = flowing(self._text, width - 2)
        return lines[: self.MOST]

    def get_content_height(
        self,
        container: Size,  # noqa: ARG002
        viewport: Size,  # noqa: ARG002
        width: int,
    ) -> int:
        """Return how many lines the card takes at a width; the room around it does not matter."""
        return self.height_at(width)

    def height_at(self, width: int) -> int:
        """Return how many lines a card that is `width` columns wide takes."""
        return len(self.lines(width))

    def render_line(self, y: int) -> Strip:
        """Return what is drawn on line `y` of the card, from 0; lines below its text are blank."""
        width = self.size.width
        lines = self.lines(width)
        pieces: list[StyledText] = []
        if y < len(lines):
            left = [StyledText(" "), *lines[y]]
            pieces = spread(left, [], width, self.marks)
        return strip(self, "card", pieces, width, self.rich_style)

    def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(self.PutAway(self))
