"""One cell under a person's hands: groups of rows with a cursor, and what may be asked of the screen.

It knows no trait kind. A kind's own pane says what the groups are and which correction a key means; what is
asked for goes to the screen as a message, and the screen never learns what a correction is made of.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from appellate.ui.lines import Lines, Listed, Row, Rows, Section
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.styled_text import Piece
from appellate.ui.text import cell_width

MORE = " … K"
READS_ONLY = "This session only reads: nothing can be corrected in it."


class Group(NamedTuple):
    """Rows under one header, or behind one tab where room is short; `style` is its bucket's, if it is one."""

    key: str
    title: str
    rows: Rows
    style: str = ""
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """Something a correction may be linked to."""

    link: Any
    mark: str
    text: str
    note: str


class Choosable(NamedTuple):
    """One line of a menu: what it does in words, and the screen's action."""

    told: str
    action: str


class Pane(Vertical):
    """Groups of rows: all of them under headers, or one at a time with tabs."""

    DEFAULT_CSS = """
    Pane {
        & > #tabs { height: 1; display: none; }
        & > Lines { height: 1fr; min-height: 3; }
        & > #detail { height: 3; color: $text-muted; padding: 0 1; }
        &.-one > #tabs { display: block; }
        &.-unlabelled > Lines { height: 1; min-height: 1; }
        &.-unlabelled > #detail { height: 1fr; max-height: 100%; overflow-y: auto; color: $text; }
    }
    """

    @dataclass
    class Asked(Message):
        """A person wants corrections: the steps for each item, and what becomes of an item by them."""

        wishes: Sequence[Sequence[Any]]
        verb: str = "changed"
        repeated: bool = False

    @dataclass
    class EvidenceWanted(Message):
        """A correction needs words of the response, or none; `offers` are the likeliest stretches of it."""

        finished: Callable[[tuple[int, int] | None], "Pane.Asked | Pane.EvidenceWanted"]
        offers: Sequence[tuple[int, int]] = ()

    @dataclass
    class LinkWanted(Message):
        """The corrections need one of the options; `finished` makes them whole with the one picked.

        `none` says in words that it may be none of them; `unlikely` that it probably is.
        """

        title: str
        options: list[Option]
        none: str
        finished: Callable[[Any], "Pane.Asked"]
        unlikely: bool = False

    @dataclass
    class TextWanted(Message):
        """The correction needs words of the person; `finished` gives the correction, or why not."""

        label: str
        initial: str
        finished: Callable[[str], "Pane.Asked | str"]

    @dataclass
    class MenuWanted(Message):
        """The person wants to see all that can be done with the item under the cursor."""

        title: str
        entries: list[Choosable]

    @dataclass
    class Told(Message):
        """Something to say to the person."""

        text: str

    class Looked(Message):
        """The person looks at another item."""

    def __init__(self, marks: Marks = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.marks = marks
        self.readonly = False
        self.things: dict[str, Sequence[Any]] = {}
        self.marked: set[Any] = set()
        self._groups: list[Group] = []
        self._key = ""
        self._one = False

    def compose(self) -> ComposeResult:
        yield Static(id="tabs", markup=False)
        yield Lines(marks=self.marks, id="items")
        yield Static(id="detail", markup=False)

    # -- what a kind's pane says ---------------------------------------------------------------

    def detail(self) -> Content:
        """What there is to know of the row under the cursor, below the rows."""
        return Content()

    def aside(self) -> str:
        """A few words behind the tabs."""
        return ""

    def places(self, thing: Any) -> list[Any]:
        """The items that a row stands for."""
        return [thing]

    def doubtful(self, thing: Any) -> bool:  # noqa: ARG002 - for a kind to say
        """Whether something of a row is not borne out."""
        return False

    def in_doubt(self) -> int:
        """How many items are not borne out."""
        return 0

    def doubts(self) -> str:
        """What speaks against signing the cell off, in sentences; nothing where nothing does."""
        return ""

    def remarks(self, before: Any, after: Any) -> list[str]:  # noqa: ARG002 - for a kind to say
        """What there is to know of a change of the cell beside the numbers, in sentences."""
        return []

    def redraw(self) -> None:
        """Makes all rows anew where they stand."""

    def menu(self) -> None:
        """Wants everything that can be done here to be offered."""

    def choose(self) -> None:
        """What Enter and a double click do: the menu, unless a kind knows better."""
        self.menu()

    def touched(self, x: int) -> None:
        """A click on the row under the cursor, `x` cells behind its sign."""

    # -- drawing -------------------------------------------------------------------------------

    @property
    def lines(self) -> Lines:
        return self.query_one("#items", Lines)

    @property
    def key(self) -> str:
        """The group under the cursor, which moves before its message arrives."""
        section = self.lines.cursor.section
        shown = [group.key for group in self._groups]
        return self._key if self._one or section >= len(shown) or self._key not in shown else shown[section]

    def take_focus(self) -> None:
        self.screen.set_focus(self.lines)

    def show_groups(self, groups: Sequence[Group], key: str, row: int | None = None) -> None:
        """Shows groups with the cursor in one of them; at the row where it was, if none is given."""
        row = self.lines.cursor.row if row is None else row
        self._groups, self._key = list(groups), key
        shown = [group for group in groups if group.key == key or not self._one]
        self.lines.show(*(self._section(group) for group in shown))
        self.lines.go([group.key for group in shown].index(key), row)
        self.draw_around()

    def _section(self, group: Group) -> Section:
        header = None if self._one else Row(group.title, style=group.style or "header")
        return Section(group.rows, header, "" if len(group.rows) else group.empty)

    def show_alone(self, sentence: str) -> None:
        """Shows a sentence in the place of all rows."""
        self.lines.show(Section(Listed(), empty=sentence))
        self.draw_around()

    def one_at_a_time(self, one: bool) -> None:
        """Whether groups are shown singly, with tabs."""
        self._key, self._one = self.key, one
        self.set_class(one, "-one")
        self.redraw()

    def draw_around(self) -> None:
        """Draws the tabs and the detail, for which nothing is laid out anew."""
        self.border_subtitle = f"{self.marks.marked} {len(self.marked)} marked" if self.marked else ""
        self.query_one("#tabs", Static).update(self._tabs(), layout=False)
        strip = self.query_one("#detail", Static)
        strip.update(fitting(self.detail(), *strip.content_size), layout=False)

    def on_resize(self) -> None:
        self.draw_around()

    def _tabs(self) -> Content:
        parts: list[Content] = []
        for group in self._groups:
            colour = f"$bucket-{group.style}" if group.style else "$text"
            style = f"bold reverse {colour}" if group.key == self.key else colour
            parts += [Content.styled(f" {group.title} ", style), Content("  ")]
        marked = f"  {self.marks.marked} {len(self.marked)}" if self.marked else ""
        return Content.assemble(*parts, Content.styled(f" {self.aside()}{marked}", "$text-muted"))

    # -- going about ---------------------------------------------------------------------------

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.choose()

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """The right button opens the menu, Ctrl marks."""
        event.stop()
        behind = event.x - cell_width(f"{self.marks.cursor} ") * (1 + self.has_signs)
        if event.right:
            self.menu()
        elif event.ctrl:
            self.turn_mark()
        elif behind >= 0:
            self.touched(behind)

    def looked(self) -> None:
        """Tells that the cursor is on another row."""
        self._key = self.key
        self.draw_around()
        self.post_message(self.Looked())

    def on_click(self, event: Click) -> None:
        """A click on a tab goes to its group."""
        place = event.get_content_offset(self.query_one("#tabs"))
        left = place.x if place else -1
        for group in self._groups if place else ():
            taken = cell_width(group.title) + 4
            if 0 <= left < taken:
                self.to_group(group.key)
                self.take_focus()
            left -= taken

    def to_bucket(self, by: int) -> None:
        """Goes to the next or previous group, round the corner."""
        keys = [group.key for group in self._groups]
        if keys:
            self.to_group(keys[(keys.index(self.key) + by) % len(keys)])

    def to_group(self, key: str) -> None:
        self.show_groups(self._groups, key, 0)
        self.post_message(self.Looked())

    # -- marks ---------------------------------------------------------------------------------

    @property
    def here(self) -> Any:
        """What the row under the cursor shows; None where there is no row."""
        things, index = self.things.get(self.key, ()), self.lines.cursor.row
        return things[index] if index < len(things) else None

    def is_marked(self, thing: Any) -> bool:
        return any(place in self.marked for place in self.places(thing))

    @property
    def has_signs(self) -> bool:
        """Whether rows have room for a sign at the left: only while one of them bears any."""
        return bool(self.marked) or self.in_doubt() > 0

    def sign(self, thing: Any) -> tuple[Piece, ...]:
        """The sign of what is marked or in doubt."""
        if not self.has_signs:
            return ()
        if self.is_marked(thing):
            return (Piece(f"{self.marks.marked} ", "key"),)
        return (Piece(f"{self.marks.doubt} " if self.doubtful(thing) else "  ", "flag"),)

    def toggle_mark(self) -> None:
        """Marks what is under the cursor or lets it go, and goes on to the next."""
        if self.turn_mark():
            self.lines.action_move(1)

    def turn_mark(self) -> bool:
        """Marks what is under the cursor or lets it go; false where there is nothing to mark."""
        places = set(self.places(self.here)) if self.here is not None else set()
        if not places:
            self.tell("There is no item here to mark.")
            return False
        self.marked = self.marked - places if places & self.marked else self.marked | places
        self.redraw()
        return True

    def mark_all(self) -> None:
        """Marks every item of the group under the cursor."""
        self.marked |= {place for thing in self.things.get(self.key, ()) for place in self.places(thing)}
        self.redraw()
        self.tell(f"{len(self.marked)} marked: what is done now is done to all of them; Esc lets them go.")

    def clear_marks(self) -> bool:
        """Lets all marked items go; false where there were none."""
        any_marked, self.marked = bool(self.marked), set()
        if any_marked:
            self.redraw()
        return any_marked

    def aimed(self) -> list[Any]:
        """The marked rows, from the bottom up so that places stay right; else the one under the cursor."""
        if not self.marked:
            return [] if self.here is None else [self.here]
        every = [thing for things in self.things.values() for thing in things]
        return [thing for thing in reversed(every) if self.is_marked(thing)]

    # -- asking --------------------------------------------------------------------------------

    def tell(self, message: Message | str) -> None:
        """The screen hears it at once, so that no later key overtakes it and lands in another cell."""
        message = self.Told(message) if isinstance(message, str) else message
        heard = getattr(self.screen, message.handler_name, None)
        heard(message) if heard else self.post_message(message)


def fitting(told: Content, width: int, height: int) -> Content:
    """As much of a text as there is room for, and a sign where there is more."""
    lines = told.wrap(width) if width > 0 else []
    if len(lines) <= height or not height:
        return told
    last = lines[height - 1].rstrip().truncate(max(width - len(MORE), 0))
    return Content("\n").join([*lines[: height - 1], Content.assemble(last, (MORE, "$text-muted"))])
