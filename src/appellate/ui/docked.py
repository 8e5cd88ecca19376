"""A text docked beside another: tabs in its frame, and sections that one goes to by their numbers.

K L          are the screen's: the next tab, the tab before
← →  h l     the section before, the next one
0 … 9        the section of that number
Enter  e     unfold a long section, or fold it; all of them
v            select words, as in the response; y copies them
Tab Esc      back to where the work is; closed
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from msgspec import Struct
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Key, Resize
from textual.message import Message

from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.page import StyledSpan
from appellate.ui.rendered_text import components
from appellate.ui.selecting import Stretch
from appellate.ui.text import cell_width, flat
from appellate.ui.text_view import TextView
from appellate.ui.textual_compat import put_in_frame

# -- tabs ------------------------------------------------------------------------------------------


class Tab(Struct, frozen=True):
    """What it is called among tabs, and by us."""

    name: str
    title: str


class TabPiece(Struct, frozen=True):
    """A part of the title, from a cell on; `name` is the tab that it leads to, "" for none."""

    text: str
    name: str
    cell: int
    chosen: bool = False

    @property
    def end(self) -> int:
        return self.cell + cell_width(flat(self.text))


def titled(tabs: Sequence[Tab], chosen: str, room: int, marks: Marks) -> list[TabPiece]:
    """The tabs side by side; where they do not fit, those about the chosen one."""
    at = [tab.name for tab in tabs].index(chosen)
    low = 0
    high = len(tabs)
    title = _titled(tabs, low, high, at, marks)
    while title[-1].end > room and high - low > 1:
        if at - low > high - 1 - at:
            low += 1
        else:
            high -= 1
        title = _titled(tabs, low, high, at, marks)
    return title


def _titled(tabs: Sequence[Tab], low: int, high: int, at: int, marks: Marks) -> list[TabPiece]:
    pieces: list[TabPiece] = []

    def add(text: str, name: str, *, chosen: bool = False) -> None:
        cell = pieces[-1].end if pieces else 0
        pieces.append(TabPiece(text, name, cell, chosen))

    if low:
        add(f"{marks.ellipsis} ", tabs[low - 1].name)
    for place in range(low, high):
        if place > low:
            add(f" {marks.column} ", "")
        add(tabs[place].title, tabs[place].name, chosen=place == at)
    if high < len(tabs):
        add(f" {marks.ellipsis}", tabs[high].name)
    return pieces


CORNER = 2  # cells of the frame before its title
LONG = 600  # characters and lines of a section beyond which it is folded
LINES = 8
BEGINNING = 240  # characters and lines at most that a folded one shows
FIRST = 3


class Section(Struct, frozen=True):
    """A part of a text: its heading in a `style`, the number that goes to it, the document of the
    trace that it is, from 0, if any, whether it folds where it is long, and what is said of it
    beside its heading.
    """

    head: str
    text: str
    style: str = "heading"
    number: str = ""
    document: int | None = None
    folds: bool = False
    note: str = ""

    @property
    def heading(self) -> str:
        """The line above its text: its heading, and what is said of it."""
        return " · ".join(filter(None, (self.head, self.note)))

    @property
    def before(self) -> int:
        """The characters before its text."""
        return len(self.heading) + bool(self.heading and self.text)

    @property
    def whole(self) -> str:
        return "\n".join(filter(None, (self.heading, self.text)))

    @property
    def is_long(self) -> bool:
        return self.folds and (len(self.text) > LONG or self.text.count("\n") >= LINES)

    @property
    def beginning(self) -> str:
        """What a folded one shows of its text: some lines, the last up to a blank."""
        text = "\n".join(self.text[: BEGINNING + 1].split("\n", FIRST)[:FIRST])
        if len(text) > BEGINNING:
            text = text[: max(text.rfind(" "), BEGINNING // 2)]
        return text.rstrip()


class Passage(NamedTuple):
    """A stretch of a document, by its number from 0, drawn as a `StyledSpan`; if `selected` it
    comes into sight.
    """

    document: int
    start: int
    end: int
    style: str
    mark: str = ""
    selected: bool = False


class SectionsInOne:
    """Sections one behind another as one text, the long ones folded but for the `unfolded`."""

    def __init__(
        self,
        sections: Sequence[Section] = (),
        unfolded: Collection[int] = (),
        marks: Marks = UNICODE,
    ) -> None:
        self.sections = sections
        self.starts: list[int] = []
        self.folded: dict[int, Stretch] = {}
        """Which are folded, and where it says so."""
        parts = []
        at = 0
        for index, section in enumerate(sections):
            part = section.whole
            if section.is_long and index not in unfolded:
                head = "\n".join(filter(None, (section.heading, section.beginning)))
                more = len(section.text) - len(section.beginning)
                part = f"{head}\n{spelt(f'… {more:,} more characters: Enter', marks)}"
                self.folded[index] = at + len(head) + 1, at + len(part)
            parts.append(part)
            self.starts.append(at)
            at += len(part) + 2
        self.text = "\n\n".join(parts)

    @property
    def whole(self) -> str:
        """The text with nothing folded."""
        return "\n\n".join(section.whole for section in self.sections)

    @property
    def has_long(self) -> bool:
        """Whether any can be folded."""
        return any(section.is_long for section in self.sections)

    def at(self, offset: int) -> int:
        """The section that an offset is in."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def numbered(self, number: str) -> int | None:
        """Where the section of a number begins."""
        for section, start in zip(self.sections, self.starts, strict=True):
            if section.number == number:
                return start
        return None

    def within(self, low: int, high: int) -> range:
        """The sections that are in part between two offsets."""
        return range(self.at(low), self.at(max(high - 1, low)) + 1)

    def read(self, low: int, high: int, gone_to: str) -> int:
        """The section that is read between two offsets: the one gone to, or the first."""
        seen = self.within(low, high)
        start = self.numbered(gone_to) if gone_to else None
        if start is not None and self.at(start) in seen:
            return self.at(start)
        return seen[0]

    def to_turn(self, low: int, high: int, gone_to: str) -> int:
        """The long section to fold or unfold: the one that is read, else a folded one in sight,
        else any in sight, else the next.
        """
        seen = self.within(low, high)
        here = self.read(low, high, gone_to)
        long = [at for at, section in enumerate(self.sections) if section.is_long]
        for at in (here, *self.folded, *long):
            if at in seen and at in long:
                return at
        return next(filter(here.__lt__, long), long[0])

    def spans(self, gone_to: str, passages: Sequence["Passage"]) -> list[StyledSpan]:
        """Passages, headings (the one gone to selected), and what is folded."""
        found = []
        places = {}
        for section, start in zip(self.sections, self.starts, strict=True):
            if section.document is not None:
                places[section.document] = start + section.before
        for document, start, end, style, mark, selected in passages:
            at = places.get(document)
            if at is not None:
                found.append(StyledSpan(at + start, at + end, style, mark, selected))
        for section, start in zip(self.sections, self.starts, strict=True):
            here = bool(section.number) and section.number == gone_to
            end = start + len(section.head)
            found.append(StyledSpan(start, end, section.style, selected=here, aside=True))
            if section.note:
                note_end = start + len(section.heading)
                found.append(StyledSpan(end, note_end, "note", aside=True))
        return [*found, *(StyledSpan(*one, "added", aside=True) for one in self.folded.values())]


class DockedText(TextView):
    """The text of one tab, to read, to search and to go about in."""

    SELECTS = True
    DEFAULT_CSS = """
    DockedText {
        & > .response--user { color: $accent; text-style: bold; }
        & > .response--assistant { color: $secondary; text-style: bold; }
        & > .response--system { color: $warning; text-style: bold; }
        & > .response--tool { color: $success; text-style: bold; }
        & > .response--note { color: $muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = components(
        "response", "user assistant system tool note"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "roll_page(1)", "on", id="docked.on"),
        Binding("enter", "fold(False)", "unfold", id="docked.fold"),
        Binding("e", "fold(True)", "unfold all", id="docked.fold_all"),
        Binding("v", "select('anew', 1)", "select", id="docked.select"),
        Binding("w", "select('word', 1)", "word", id="docked.word"),
        Binding("b", "select('word', -1)", "word back", id="docked.word_back"),
        Binding("s", "select('sentence', 1)", "sentence", id="docked.sentence"),
        Binding("o", "select('other', 1)", "other end", id="docked.other_end"),
        Binding("right,l", "select('character', 1)", "on", id="docked.select_on"),
        Binding("left,h", "select('character', -1)", "back", id="docked.select_back"),
        Binding("down,j", "select('row', 1)", "line on", id="docked.select_down"),
        Binding("up,k", "select('row', -1)", "line back", id="docked.select_up"),
        Binding("escape", "select('end', 1)", "select no more", id="docked.unselect"),
        Binding("right,l", "section(1)", "next section", id="docked.next"),
        Binding("left,h", "section(-1)", "section before", id="docked.previous"),
        Binding("tab,shift+tab", "leave(False)", "back", id="docked.back"),
        Binding("escape", "leave(True)", "close", id="docked.close"),
        *TextView.BINDINGS,
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

    class SelectionTurned(Message):
        """Words are selected now, or none any more."""

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        super().__init__(marks=marks, id=id)
        self.display = self.is_open = False
        self.tabs: Sequence[Tab] = ()
        self.chosen = ""
        self.shown = SectionsInOne()
        self._unfolded: frozenset[int] = frozenset()
        self._looked_through = False  # for words, with nothing folded
        self._passages: Sequence[Passage] = ()
        self.gone_to = ""  # the number of the section that was asked for
        self._typed = ""
        self._to_top: tuple[int, int] | None = None  # a scroll offset, and what it was meant for
        self.shown_tabs: Sequence[TabPiece] = ()

    # -- what it shows -------------------------------------------------------------------------

    def open(self, tabs: Sequence[Tab], chosen: str, sections: Sequence[Section]) -> None:
        """Shows one of the tabs; a text that is shown already stays where it was read."""
        if chosen != self.chosen:
            self.end_search()
        if chosen != self.chosen or sections != self.shown.sections:
            self._unfolded = frozenset()
        self.tabs = tabs
        self.chosen = chosen
        self.gone_to = ""
        self._typed = ""
        self._to_top = None
        self.display = self.is_open = True
        self._entitle()
        self._lay_out(sections)

    def _lay_out(self, sections: Sequence[Section]) -> None:
        """Shows sections, folded as they are; other ones from the start."""
        unfolded: Collection[int] = self._unfolded
        if self._looked_through:
            unfolded = range(len(sections))
        self.shown = SectionsInOne(sections, unfolded, self.marks)
        self.show(self.shown.text, self.shown.spans(self.gone_to, self._passages))

    def _fold(self, unfolded: Collection[int]) -> None:
        """Folds all but these; the first row stays if it is still shown."""
        top = self.in_sight[0]
        was = self.shown.folded
        index = self.shown.at(top)
        below = top - self.shown.starts[index]
        self._unfolded = frozenset(unfolded)
        self._lay_out(self.shown.sections)
        if index in self.shown.folded and index not in was:
            below = 0
        self._return_to(self.shown.starts[index] + below)

    def mark(self, passages: Sequence[Passage]) -> None:
        """Marks stretches of documents, and brings the first selected one into sight."""
        if passages == self._passages:
            return
        self._passages = passages
        if not self.is_open:
            return
        self.set_spans(self.shown.spans(self.gone_to, passages))
        self.reveal_selected()

    def close(self) -> None:
        """Takes it away; what it showed need not be kept."""
        self.end_search()
        self.display = self.is_open = False
        self._lay_out(())

    def _entitle(self) -> None:
        if not self.tabs:
            return
        room = self.size.width - 2 * CORNER
        self.shown_tabs = titled(self.tabs, self.chosen, room, self.marks)
        pieces = [
            (flat(piece.text), "bold reverse" if piece.chosen else "") for piece in self.shown_tabs
        ]
        put_in_frame(self, Content.assemble(*pieces), above=True)

    def on_resize(self, _: Resize) -> None:
        self._entitle()
        if self._to_top and self._to_top[0] == self.scroll_offset.y:  # nobody scrolled meanwhile
            self.call_later(self._put_at_top, self._to_top[1])  # once the text is wrapped

    # -- going about ---------------------------------------------------------------------------

    def go_to(self, number: str) -> bool:
        """Brings the section of a number to the top; False where there is none."""
        start = self.shown.numbered(number)
        if start is None:
            return False
        self.gone_to = number
        self.set_spans(self.shown.spans(number, self._passages))
        self._put_at_top(start)
        return True

    def _put_at_top(self, start: int) -> None:
        """Brings an offset of the text into the first row, once there are rows."""
        self.put_at_top(start)
        self._to_top = self.scroll_offset.y, start

    def action_section(self, by: int) -> None:
        top = self.in_sight[0]
        starts = self.shown.starts
        ahead = [start for start in starts if start > top]
        before = [start for start in starts if start < top]
        if by > 0 and ahead:
            self._put_at_top(ahead[0])
        elif by < 0 and before:
            self._put_at_top(before[-1])

    def action_fold(self, everything: bool) -> None:
        """Unfolds the section that is read, or all, or folds them again."""
        every = {at for at, section in enumerate(self.shown.sections) if section.is_long}
        which = every
        if not everything:
            which = {self.shown.to_turn(*self.in_sight, self.gone_to)}
        if which & self.shown.folded.keys():
            self._fold(self._unfolded | which)
        else:
            self._fold(self._unfolded - which)
        if not which & {*self.shown.within(*self.in_sight)}:
            self._put_at_top(self.shown.starts[min(which)])

    def on_key(self, event: Key) -> None:
        """A digit goes to the section of that number at once; another one may follow."""
        typed = self._typed
        self._typed = ""
        digit = event.character or ""
        if not (digit.isascii() and digit.isdecimal()):
            return
        event.stop()
        event.prevent_default()
        known = [section.number for section in self.shown.sections if section.number]
        number = typed + digit
        if not any(one.startswith(number) for one in known):
            number = digit
        self._typed = number
        if not self.go_to(number) and not any(one.startswith(number) for one in known):
            self.post_message(self.Missing(number, known))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys select only while selecting; Esc ends a search first, which the screen does."""
        match action:
            case "select":
                return self.selection.on or parameters[0] == "anew"
            case "section":
                return not self.selection.on
            case "fold":
                return self.shown.has_long
            case "leave" if parameters[0]:
                return not self.searching
        return super().check_action(action, parameters)

    def action_leave(self, closes: bool) -> None:
        self.post_message(self.Closed() if closes else self.Returned())

    # -- searching -----------------------------------------------------------------------------

    def search(self, needle: str) -> int:
        """Looks through what is folded as well: it is unfolded until the search ends."""
        if needle.strip() and not self._looked_through and self.shown.folded:
            self._looked_through = True
            self._fold(self._unfolded)
        return super().search(needle)

    def end_search(self) -> None:
        """What is in sight of what was found stays unfolded."""
        found = bool(self.finding.hits)
        super().end_search()
        if self._looked_through:
            seen = self.shown.within(*self.in_sight) if found else ()
            self._looked_through = False
            self._fold(self._unfolded.union(seen))

    # -- selecting -----------------------------------------------------------------------------

    def selection_changed(self) -> None:
        self.post_message(self.SelectionTurned())

    def on_click(self, event: Click) -> None:
        place = event.get_content_offset(self)
        if place is None and event.y == 0:
            cell = event.x - CORNER
            for piece in self.shown_tabs:
                if piece.name and piece.cell <= cell < piece.end:
                    event.stop()
                    self.post_message(self.TabChosen(piece.name))
        elif place is not None and self.text and not self.selection.click(event):
            offset = self.selection.offset_at(event)
            for index, (start, end) in self.shown.folded.items():
                if start <= offset < end:
                    self._fold({*self._unfolded, index})
                    break
