"""A text docked beside another: tabs in its frame, and sections that one goes to by their numbers.

K L          are the screen's: the next tab, the tab before
← →  h l     the section before, the next one
0 … 9        the section of that number
Tab Esc      back to where the work is; closed
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Key, Resize
from textual.message import Message

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.page import StyledSpan
from appellate.ui.rendered_text import StyledText, cells, components
from appellate.ui.text import flat
from appellate.ui.text_view import TextView

CORNER = 2  # cells of the frame before its title


class Tab(NamedTuple):
    """What it is called among tabs, and by us."""

    name: str
    title: str


class Section(NamedTuple):
    """A part of a text: its heading, drawn in `style`, and the number that goes to it.

    `document` is which document of the trace it is, from 0, if it is one.
    """

    head: str
    text: str
    style: str = "heading"
    number: str = ""
    document: int | None = None

    @property
    def before(self) -> int:
        """The characters before its text."""
        return len(self.head) + bool(self.head and self.text)


class Passage(NamedTuple):
    """A stretch of a document that labels speak of, by the number of the document from 0.

    `style` and `mark` are as those of a `StyledSpan`; what is `selected` comes into sight.
    """

    document: int
    start: int
    end: int
    style: str
    mark: str = ""
    selected: bool = False


class TabbedTitle(NamedTuple):
    """The tabs that fit, with what stands between them, each piece with the tab it belongs to."""

    pieces: Sequence[StyledText]
    names: Sequence[str]

    def at(self, cell: int) -> str:
        """The tab that is drawn at a cell; "" for none."""
        for piece, name in zip(self.pieces, self.names, strict=True):
            if 0 <= cell < cells([piece]):
                return name
            cell -= cells([piece])
        return ""


def titled(tabs: Sequence[Tab], chosen: str, room: int, marks: Marks) -> TabbedTitle:
    """The tabs side by side; where they do not fit, those about the chosen one."""
    names = [tab.name for tab in tabs]
    at = names.index(chosen)
    low, high = 0, len(tabs)
    title = _titled(tabs, low, high, at, marks)
    while cells(title.pieces) > room and high - low > 1:
        if at - low > high - 1 - at:
            low += 1
        else:
            high -= 1
        title = _titled(tabs, low, high, at, marks)
    return title


def _titled(tabs: Sequence[Tab], low: int, high: int, at: int, marks: Marks) -> TabbedTitle:
    pieces, names = [], []
    if low:
        pieces.append(StyledText(f"{marks.ellipsis} "))
        names.append(tabs[low - 1].name)
    for place in range(low, high):
        if place > low:
            pieces.append(StyledText(f" {marks.column} "))
            names.append("")
        pieces.append(StyledText(tabs[place].title, "chosen" if place == at else ""))
        names.append(tabs[place].name)
    if high < len(tabs):
        pieces.append(StyledText(f" {marks.ellipsis}"))
        names.append(tabs[high].name)
    return TabbedTitle(pieces, names)


class DockedText(TextView):
    """The text of one tab, to read, to search and to go about in."""

    DEFAULT_CSS = """
    DockedText {
        & > .response--user { color: $accent; text-style: bold; }
        & > .response--assistant { color: $secondary; text-style: bold; }
        & > .response--system { color: $warning; text-style: bold; }
        & > .response--tool { color: $success; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = components("response", "user assistant system tool")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "section(1)", "next section", show=False, id="docked.next"),
        Binding("left,h", "section(-1)", "section before", show=False, id="docked.previous"),
        Binding("space", "roll_page(1)", "on", show=False, id="docked.on"),
        Binding("tab,shift+tab", "leave", "back", show=False, id="docked.back"),
        Binding("escape", "close", "close", show=False, id="docked.close"),
    ]

    @dataclass
    class TabChosen(Message):
        """A tab was clicked."""

        name: str

    class Returned(Message):
        """A person goes back to where the work is; it stays open."""

    class Closed(Message):
        """A person has read enough."""

    @dataclass
    class Missing(Message):
        """There is no section of the number that was typed; `known` are those that there are."""

        number: str
        known: Sequence[str]

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(marks=marks, id=id)
        self.display = self.is_open = False
        self.tabs: Sequence[Tab] = ()
        self.chosen = ""
        self.sections: Sequence[Section] = ()
        self._starts: list[int] = []  # of the sections in the text
        self._passages: Sequence[Passage] = ()
        self._gone_to = ""  # the number of the section that was asked for
        self._typed = ""
        self._to_top: tuple[int, int] | None = None  # a scroll offset, and what it was meant for
        self.shown_tabs = TabbedTitle((), ())

    # -- what it shows -------------------------------------------------------------------------

    def open(self, tabs: Sequence[Tab], chosen: str, sections: Sequence[Section]) -> None:
        """Shows one of the tabs; a text that is shown already stays where it was read."""
        if chosen != self.chosen:
            self.end_search()
        self.tabs, self.chosen, self.sections = tabs, chosen, sections
        self._gone_to, self._typed, self._to_top = "", "", None
        self.display = self.is_open = True
        self._entitle()
        parts, self._starts, at = [], [], 0
        for section in sections:
            part = "\n".join(filter(None, (section.head, section.text)))
            parts.append(part)
            self._starts.append(at)
            at += len(part) + 2
        self.show("\n\n".join(parts), self._styled_spans())

    def mark(self, passages: Sequence[Passage]) -> None:
        """Marks stretches of documents, wherever these are shown, and brings the first one that is
        selected into sight.
        """
        if passages == self._passages:
            return
        self._passages = passages
        if self.is_open:
            spans = self._styled_spans()
            self.set_spans(spans)
            self._reveal_selected(spans)

    def _reveal_selected(self, spans: Sequence[StyledSpan]) -> None:
        chosen = next((span for span in spans if span.selected and not span.aside), None)
        if chosen:
            self.reveal(chosen.start, chosen.end)

    def close(self) -> None:
        """Takes it away; what it showed need not be kept."""
        self.end_search()
        self.display = self.is_open = False
        self.sections, self._starts = (), []
        self.show("")

    def _styled_spans(self) -> list[StyledSpan]:
        """The headings, of which the one that was gone to is seen, and what is marked."""
        found = self._marked()
        for section, start in zip(self.sections, self._starts, strict=True):
            here = bool(section.number) and section.number == self._gone_to
            end = start + len(section.head)
            found.append(StyledSpan(start, end, section.style, selected=here, aside=True))
        return found

    def _marked(self) -> list[StyledSpan]:
        places: dict[int, int] = {}
        for section, start in zip(self.sections, self._starts, strict=True):
            if section.document is not None:
                places[section.document] = start + section.before
        found = []
        for document, start, end, style, mark, selected in self._passages:
            at = places.get(document)
            if at is not None:
                found.append(StyledSpan(at + start, at + end, style, mark, selected))
        return found

    def _entitle(self) -> None:
        """Writes the tabs into the frame."""
        if not self.tabs:
            return
        room = self.size.width - 2 * CORNER
        self.shown_tabs = titled(self.tabs, self.chosen, room, self.marks)
        pieces = [
            (flat(text), "bold reverse" if style else "") for text, style in self.shown_tabs.pieces
        ]
        told = Content.assemble(*pieces)
        if self.border_title != told.markup:
            self.border_title = told

    def on_resize(self, _: Resize) -> None:
        self._entitle()
        if self._to_top and self._to_top[0] == self.scroll_offset.y:  # nobody scrolled meanwhile
            self.call_later(self._put_at_top, self._to_top[1])  # once the text is wrapped

    # -- going about ---------------------------------------------------------------------------

    def go_to(self, number: str) -> bool:
        """Brings the section of a number to the top; False where there is none."""
        for section, start in zip(self.sections, self._starts, strict=True):
            if section.number == number:
                self._gone_to = number
                self.set_spans(self._styled_spans())
                self._put_at_top(start)
                return True
        return False

    def _put_at_top(self, start: int) -> None:
        """Brings an offset of the text into the first row, once there are rows."""
        if self.size.height:
            row = self._row(self.page.rendered.shown_at(start))
            self.page.rows.extend_rows(row + self.size.height)
            self._extend_rows()
            self._roll_to(row)
        self._to_top = self.scroll_offset.y, start

    def action_section(self, by: int) -> None:
        top = self.in_sight[0]
        ahead = [start for start in self._starts if start > top]
        before = [start for start in self._starts if start < top]
        if by > 0 and ahead:
            self._put_at_top(ahead[0])
        elif by < 0 and before:
            self._put_at_top(before[-1])

    def on_key(self, event: Key) -> None:
        """A digit goes to the section of that number at once; another one may follow."""
        typed, self._typed = self._typed, ""
        digit = event.character or ""
        if not (digit.isascii() and digit.isdecimal()):
            return
        event.stop()
        event.prevent_default()
        known = [section.number for section in self.sections if section.number]
        number = typed + digit
        if not any(one.startswith(number) for one in known):
            number = digit
        self._typed = number
        if not self.go_to(number) and not any(one.startswith(number) for one in known):
            self.post_message(self.Missing(number, known))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Esc ends a search first, which is the screen's to do."""
        if action == "close":
            return not self.searching
        return super().check_action(action, parameters)

    def action_leave(self) -> None:
        self.post_message(self.Returned())

    def action_close(self) -> None:
        self.post_message(self.Closed())

    def on_click(self, event: Click) -> None:
        place = event.get_content_offset(self)
        if place is None and event.y == 0:
            name = self.shown_tabs.at(event.x - CORNER)
            if name:
                event.stop()
                self.post_message(self.TabChosen(name))
