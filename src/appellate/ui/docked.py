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
    """A tab of the docked text."""

    name: str
    """The tab's id in the code; `title` is what the person reads."""
    title: str


class TabPiece(Struct, frozen=True):
    """A piece of the line of tabs."""

    text: str
    name: str
    """The name of the tab that a click on the piece opens; "" for a separator."""
    cell: int
    """The column at which the piece begins."""
    chosen: bool = False

    @property
    def end(self) -> int:
        """The column after the last one of the piece."""
        return self.cell + cell_width(flat(self.text))


def tab_line(
    tabs: Sequence[Tab],
    chosen: str,
    width: int,
    marks: Marks,
) -> list[TabPiece]:
    """Return the line of tabs that fits into `width` columns, in pieces from left to right.

    If not all fit, tabs are left out one by one at the side where more are before or after the
    chosen one, at the right if both have as many. An ellipsis at such a side leads to the next of
    them. The chosen tab stays even if it does not fit. Raises ValueError if no tab has the name
    `chosen`.
    """
    chosen_index = [tab.name for tab in tabs].index(chosen)
    low = 0
    high = len(tabs)
    title = _tab_pieces(tabs, low, high, chosen_index, marks)

    while title[-1].end > width and high - low > 1:
        if chosen_index - low > high - 1 - chosen_index:
            low += 1
        else:
            high -= 1
        title = _tab_pieces(tabs, low, high, chosen_index, marks)
    return title


def _tab_pieces(
    tabs: Sequence[Tab],
    low: int,
    high: int,
    chosen_index: int,
    marks: Marks,
) -> list[TabPiece]:
    """Return the pieces for the tabs from index `low` up to, but without, `high`.

    There is a separator between tabs. At a side where tabs are left out there is an ellipsis, which
    opens the nearest of them. `chosen_index` is the index of the tab that is drawn as chosen.
    """
    pieces: list[TabPiece] = []

    def add(text: str, name: str, *, chosen: bool = False) -> None:
        cell = pieces[-1].end if pieces else 0
        pieces.append(TabPiece(text, name, cell, chosen))

    if low:
        tab_before = tabs[low - 1]
        add(f"{marks.ellipsis} ", tab_before.name)

    for index in range(low, high):
        if index > low:
            add(f" {marks.column} ", "")
        tab = tabs[index]
        add(tab.title, tab.name, chosen=index == chosen_index)

    if high < len(tabs):
        tab_after = tabs[high]
        add(f" {marks.ellipsis}", tab_after.name)
    return pieces


CORNER = 2
"""Columns of the frame before its title."""
LONG = 600
"""Characters of a section's text; a longer one can be folded."""
LINES = 8
"""Line breaks of a section's text; one with as many can be folded."""
BEGINNING = 240
"""Characters that a folded section shows at most."""
FIRST = 3
"""Lines that a folded section shows at most."""


class Section(Struct, frozen=True):
    """A part of a docked text: a heading and the text below it."""

    head: str
    text: str
    style: str = "heading"
    """The component class of the heading."""
    number: str = ""
    """The digits that go to this section when they are typed; "" for none."""
    document: int | None = None
    """The index, from 0, of the document of the trace that the text is; None for any other text."""
    folds: bool = False
    """Whether the section is folded while its text is long."""
    note: str = ""
    """What is said beside the heading."""

    @property
    def heading(self) -> str:
        """The line above the text: the heading and the note."""
        return " · ".join(filter(None, (self.head, self.note)))

    @property
    def before(self) -> int:
        """The number of characters of `whole` before the text: the heading and its line break.

        It is 0 without a heading.
        """
        length = len(self.heading)
        if self.heading and self.text:
            length += 1  # the line break
        return length

    @property
    def whole(self) -> str:
        """The heading and the whole text, unfolded."""
        return "\n".join(filter(None, (self.heading, self.text)))

    @property
    def is_long(self) -> bool:
        """Whether the section can be folded.

        It must be one that folds, with more than `LONG` characters or at least `LINES` line breaks.
        """
        if not self.folds:
            return False
        if len(self.text) > LONG:
            return True
        return self.text.count("\n") >= LINES

    @property
    def beginning(self) -> str:
        """The part of its text that a folded section shows, without white space at its end.

        That is at most `FIRST` lines and `BEGINNING` characters. If characters are cut, it is at
        the last space in the second half of these, or else at their middle.
        """
        most_shown = self.text[: BEGINNING + 1]
        lines = most_shown.split("\n", FIRST)
        text = "\n".join(lines[:FIRST])
        if len(text) > BEGINNING:
            last_space = text.rfind(" ")
            end = max(last_space, BEGINNING // 2)
            text = text[:end]
        return text.rstrip()


class Passage(NamedTuple):
    """A stretch of a document to be marked."""

    document: int
    """The index of the document, from 0."""
    start: int
    """Code points from the beginning of the document."""
    end: int
    style: str
    mark: str = ""
    selected: bool = False
    """Whether the passage is brought into view."""


class SectionsInOne:
    """Sections joined into one text; long ones are folded unless their index is in `unfolded`."""

    def __init__(
        self,
        sections: Sequence[Section] = (),
        unfolded: Collection[int] = (),
        marks: Marks = UNICODE,
    ) -> None:
        """Join the sections; those that are long are folded, except at the indexes `unfolded`."""
        self.sections = sections
        self.starts: list[int] = []
        self.folded: dict[int, Stretch] = {}
        """For the index of each folded section: where the line stands that says so."""
        parts = []
        offset = 0
        for index, section in enumerate(sections):
            part = section.whole
            if section.is_long and index not in unfolded:
                head = "\n".join(filter(None, (section.heading, section.beginning)))
                more = len(section.text) - len(section.beginning)
                last_line = spelt(f"… {more:,} more characters: Enter", marks)
                part = f"{head}\n{last_line}"
                line_start = offset + len(head) + 1
                line_end = offset + len(part)
                self.folded[index] = line_start, line_end
            parts.append(part)
            self.starts.append(offset)
            offset += len(part) + 2

        self.text = "\n\n".join(parts)

    @property
    def whole(self) -> str:
        """The text of all sections, with nothing folded."""
        return "\n\n".join(section.whole for section in self.sections)

    @property
    def has_long(self) -> bool:
        """Whether any section can be folded."""
        return any(section.is_long for section in self.sections)

    def section_at(self, offset: int) -> int:
        """Return the index of the section that holds an offset of the text, or the gap after it.

        It is 0 for a text without sections.
        """
        return max(bisect_right(self.starts, offset) - 1, 0)

    def start_of(self, number: str) -> int | None:
        """Return where in the joined text the first section with a number begins; None for none."""
        for section, start in zip(self.sections, self.starts, strict=True):
            if section.number == number:
                return start
        return None

    def sections_between(self, low: int, high: int) -> range:
        """Return the indexes of the sections that share something with text[low:high].

        If both are equal, that is the one section there.
        """
        first = self.section_at(low)
        last = self.section_at(max(high - 1, low))
        return range(first, last + 1)

    def section_read(self, low: int, high: int, gone_to: str) -> int:
        """Return the index of the section that is being read while text[low:high] is visible.

        It is the section with the number `gone_to` if that is visible, else the first visible one.
        It is 0 for a text without sections.
        """
        visible = self.sections_between(low, high)
        start = self.start_of(gone_to) if gone_to else None
        if start is not None:
            section = self.section_at(start)
            if section in visible:
                return section
        return visible[0]

    def section_to_fold(self, low: int, high: int, gone_to: str) -> int:
        """Return the index of the long section that a key folds while text[low:high] is visible.

        That is the section that is being read, if it is long: the one with the number `gone_to` if
        that is visible, else the first visible one. Otherwise it is a visible folded one, else any
        visible long one, else the next long one, else the first. There must be a long section:
        IndexError is raised without one.
        """
        visible = self.sections_between(low, high)
        current = self.section_read(low, high, gone_to)
        long_indexes = [
            index for index, section in enumerate(self.sections) if section.is_long
        ]
        for index in (current, *self.folded, *long_indexes):
            if index in visible and index in long_indexes:
                return index
        for index in long_indexes:
            if index > current:
                return index
        return long_indexes[0]

    def spans(self, gone_to: str, passages: Sequence["Passage"]) -> list[StyledSpan]:
        """Return the spans to draw: passages, headings, notes, and the lines for folded text.

        They are in offsets of the joined text. The heading of the section with the number `gone_to`
        is selected; "" selects none. Passages of documents that no section holds are left out.
        """
        spans = []
        document_starts = {}
        for section, start in zip(self.sections, self.starts, strict=True):
            if section.document is not None:
                document_starts[section.document] = start + section.before
        for document, start, end, style, mark, selected in passages:
            document_start = document_starts.get(document)
            if document_start is not None:
                spans.append(
                    StyledSpan(
                        document_start + start,
                        document_start + end,
                        style,
                        mark,
                        selected,
                    ),
                )

        for section, start in zip(self.sections, self.starts, strict=True):
            is_current = bool(section.number) and section.number == gone_to
            end = start + len(section.head)
            spans.append(
                StyledSpan(start, end, section.style, selected=is_current, aside=True),
            )
            if section.note:
                note_end = start + len(section.heading)
                spans.append(StyledSpan(end, note_end, "note", aside=True))

        for start, end in self.folded.values():
            spans.append(StyledSpan(start, end, "added", aside=True))
        return spans


def _is_beginning(digits: str, numbers: Sequence[str]) -> bool:
    """Return whether any of the numbers begins with these digits, or is equal to them."""
    return any(number.startswith(digits) for number in numbers)


class DockedText(TextView):
    """The text of one tab beside the response: it can be read, searched and selected from."""

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
        "response",
        "user assistant system tool note",
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
        """Posted when a person clicks a tab."""

        name: str

    class Returned(Message):
        """Posted when a person goes back to the work; the text stays open."""

    class Closed(Message):
        """Posted when a person closes the text."""

    @dataclass
    class Missing(Message):
        """Posted when no section has the number that was typed."""

        number: str
        known: Sequence[str]
        """The numbers that sections have."""

    class SelectionTurned(Message):
        """Posted when a selection of words begins, changes or ends."""

    def __init__(self, *, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002
        """Make a text that is closed and has no tabs."""
        super().__init__(marks=marks, id=id)
        self.display = self.is_open = False
        self.tabs: Sequence[Tab] = ()
        self.chosen = ""
        self.shown = SectionsInOne()
        self._unfolded: frozenset[int] = frozenset()
        self._unfolded_by_search = False
        """Whether everything is unfolded because a search looks through it."""
        self._passages: Sequence[Passage] = ()
        self.gone_to = ""
        """The number of the section that the person went to last; "" for none."""
        self._typed = ""
        """Digits typed so far, which another digit may follow."""
        self._to_top: tuple[int, int] | None = None
        """The scroll offset, and the offset of the text that was put into the first row with it."""
        self.shown_tabs: Sequence[TabPiece] = ()

    # -- what it shows -------------------------------------------------------------------------

    def open(
        self,
        tabs: Sequence[Tab],
        chosen: str,
        sections: Sequence[Section],
    ) -> None:
        """Show the sections of the tab named `chosen` instead of others, and open the text.

        A text that is equal keeps its position. With another tab, a search ends; with other
        sections, all long ones are folded again. Digits typed and the section gone to are
        forgotten. Raises ValueError if none of the tabs has the name.
        """
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
        self._draw_tabs()
        self._lay_out(sections)

    def _lay_out(self, sections: Sequence[Section]) -> None:
        """Show sections, with all long ones folded, except those that the person unfolded.

        During a search that looks through folded text, all are unfolded.
        """
        unfolded: Collection[int] = self._unfolded
        if self._unfolded_by_search:
            unfolded = range(len(sections))
        self.shown = SectionsInOne(sections, unfolded, self.marks)
        spans = self.shown.spans(self.gone_to, self._passages)
        self.show(self.shown.text, spans)

    def _fold(self, unfolded: Collection[int]) -> None:
        """Fold all long sections except those with these indexes.

        While a search looks through folded text, all stay unfolded until it ends. The first visible
        row stays if it is still shown; else the beginning of its section is there.
        """
        top = self.in_sight[0]
        folded_before = self.shown.folded
        index = self.shown.section_at(top)
        below = top - self.shown.starts[index]
        self._unfolded = frozenset(unfolded)
        self._lay_out(self.shown.sections)
        if index in self.shown.folded and index not in folded_before:
            below = 0
        start = self.shown.starts[index]
        self._put_offset_at_top(start + below)

    def mark(self, passages: Sequence[Passage]) -> None:
        """Mark passages of documents instead of earlier ones, and scroll to the first selected one.

        Equal passages change nothing. While the text is closed, they are only remembered.
        """
        if passages == self._passages:
            return
        self._passages = passages
        if not self.is_open:
            return
        spans = self.shown.spans(self.gone_to, passages)
        self.set_spans(spans)
        self.reveal_selected()

    def close(self) -> None:
        """Close the text, forget its sections, and end its search; `Closed` is not posted.

        Its tabs and its passages are kept.
        """
        self.end_search()
        self.display = self.is_open = False
        self._lay_out(())

    def _draw_tabs(self) -> None:
        """Draw the line of tabs into the frame: those that fit, the chosen one reversed.

        Without tabs the frame stays as it is.
        """
        if not self.tabs:
            return
        width = self.size.width - 2 * CORNER
        self.shown_tabs = tab_line(self.tabs, self.chosen, width, self.marks)
        pieces = [
            (flat(piece.text), "bold reverse" if piece.chosen else "")
            for piece in self.shown_tabs
        ]
        put_in_frame(self, Content.assemble(*pieces), above=True)

    def on_resize(self, _: Resize) -> None:
        """Draw the tabs again, and bring back to the first row what was brought there last.

        The second is done only if nobody scrolled since.
        """
        self._draw_tabs()
        if self._to_top is None:
            return
        scroll_offset, start = self._to_top
        is_unscrolled = scroll_offset == self.scroll_offset.y
        if is_unscrolled:
            self.call_later(self._put_at_top, start)  # once the text is wrapped

    # -- going about ---------------------------------------------------------------------------

    def go_to(self, number: str) -> bool:
        """Bring the section with a number to the top, and select its heading.

        Of several with the number it is the first. Returns False, and changes nothing, if no
        section has it.
        """
        start = self.shown.start_of(number)
        if start is None:
            return False
        self.gone_to = number
        spans = self.shown.spans(number, self._passages)
        self.set_spans(spans)
        self._put_at_top(start)
        return True

    def _put_at_top(self, start: int) -> None:
        """Bring an offset of the text, `start`, into the first row, or as far as there are rows.

        It is remembered, to be brought there again after a resize.
        """
        self.put_at_top(start)
        self._to_top = self.scroll_offset.y, start

    def action_section(self, by: int) -> None:
        """Bring the next section into the first row, or the one before for a negative `by`.

        Only the sign of `by` counts. The sections are counted from the first visible row: within a
        section, its own beginning is the one before. At either end nothing happens.
        """
        top = self.in_sight[0]
        starts = self.shown.starts
        starts_below = [start for start in starts if start > top]
        starts_above = [start for start in starts if start < top]
        if by > 0 and starts_below:
            self._put_at_top(starts_below[0])
        elif by < 0 and starts_above:
            self._put_at_top(starts_above[-1])

    def action_fold(self, everything: bool) -> None:
        """Unfold the long section that is being read, or all long ones if `everything`.

        If the section that is being read is not long, it is a visible long one, else the next, else
        the first. If none of these is folded, they are folded instead, but not before a search that
        unfolded all has ended. If no section that was turned is visible then, the first of them is
        brought to the top. There must be a long section: `check_action` refuses the key without
        one.
        """
        long_indexes = {
            index
            for index, section in enumerate(self.shown.sections)
            if section.is_long
        }
        to_turn = long_indexes
        if not everything:
            low, high = self.in_sight
            section = self.shown.section_to_fold(low, high, self.gone_to)
            to_turn = {section}
        if to_turn & self.shown.folded.keys():
            self._fold(self._unfolded | to_turn)
        else:
            self._fold(self._unfolded - to_turn)
        visible = self.shown.sections_between(*self.in_sight)
        if to_turn.isdisjoint(visible):
            first = min(to_turn)
            self._put_at_top(self.shown.starts[first])

    def on_key(self, event: Key) -> None:
        """Go to the section whose number is the digits typed so far; another digit may follow.

        If no number begins with these, only the last digit counts. Posts `Missing` if none begins
        with that either. Digits are used up. Any other key drops the digits and acts as usual.
        """
        typed = self._typed
        self._typed = ""
        digit = event.character or ""
        if not (digit.isascii() and digit.isdecimal()):
            return

        event.stop()
        event.prevent_default()
        known_numbers = [
            section.number for section in self.shown.sections if section.number
        ]
        number = typed + digit
        if not _is_beginning(number, known_numbers):
            number = digit
        self._typed = number
        if self.go_to(number) or _is_beginning(number, known_numbers):
            return
        self.post_message(self.Missing(number, known_numbers))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action may act now: False lets others have its key.

        Keys of a selection act only while there is one, except `v`, which begins it; those that go
        from section to section only without one. Folding needs a long section. Esc does not close
        during a search, which it ends first. Any other action is left to the base class, which may
        return None, to show the key as disabled.
        """
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
        """Post `Closed` if the person closes the text, or `Returned` if they only leave it."""
        if closes:
            self.post_message(self.Closed())
        else:
            self.post_message(self.Returned())

    # -- searching -----------------------------------------------------------------------------

    def search(self, needle: str) -> int:
        """Mark all matches of `needle`, and scroll to the next one from the first visible row on.

        If there is none after that row, that is the first of all. Returns how many there are; 0,
        and ends the search, for a blank `needle`. Neither case nor how much white space is between
        words counts. Folded text is searched, too: all sections stay unfolded until the search
        ends.
        """
        if needle.strip() and not self._unfolded_by_search and self.shown.folded:
            self._unfolded_by_search = True
            self._fold(self._unfolded)
        return super().search(needle)

    def end_search(self) -> None:
        """End the search and fold again what it unfolded.

        If there were hits, the sections that are visible stay unfolded.
        """
        had_hits = bool(self.finding.hits)
        super().end_search()
        if self._unfolded_by_search:
            visible = self.shown.sections_between(*self.in_sight) if had_hits else ()
            self._unfolded_by_search = False
            self._fold(self._unfolded.union(visible))

    # -- selecting -----------------------------------------------------------------------------

    def selection_changed(self) -> None:
        self.post_message(self.SelectionTurned())

    def on_click(self, event: Click) -> None:
        """Open the tab that was clicked, or unfold the section whose last line was clicked.

        Tabs are in the frame above the text, and a click there only posts `TabChosen`. The last
        line of a folded section says how much is folded. A click that selects words does neither,
        and one elsewhere does nothing.
        """
        is_in_text = event.get_content_offset(self) is not None
        if not is_in_text:
            if event.y == 0:
                self._click_frame(event)
            return
        if not self.text or self.selection.click(event):
            return

        offset = self.selection.offset_at(event)
        for index, (start, end) in self.shown.folded.items():
            if start <= offset < end:
                self._fold(self._unfolded | {index})
                break

    def _click_frame(self, event: Click) -> None:
        """Post `TabChosen` for the tab that was clicked in the frame, and use the click up.

        On a separator, and outside the tabs, nothing happens.
        """
        x = event.x - CORNER
        for piece in self.shown_tabs:
            if piece.name and piece.cell <= x < piece.end:
                event.stop()
                self.post_message(self.TabChosen(piece.name))
