"""What the list of one instruction is made of: the instruction whole, its rows, the response of the
row under the cursor.
"""

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.instructions.listing import ONLY, ORDERS, InstructionList
from appellate.app.instructions.rows import answer_text, drawn, name_cells
from appellate.core.wordforms import many
from appellate.store.files.wordings import AskedCell, Wording
from appellate.ui.bar import KeyStrip
from appellate.ui.lines import DrawnRows, Lines, ListRow, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.page import StyledSpan
from appellate.ui.rendered_text import StyledText
from appellate.ui.response import ResponseView
from appellate.ui.text import entitle, plain, update_text

WIDE = 125
"""The columns from which the response stands beside the rows."""
TALL = 30
FEW = 30
"""Rows that may each take several lines: all of them are read for that."""
SHARE = 3  # the instruction takes at most one row in so many


class InstructionFrame:
    """The widgets of the list; `lines` has the cursor."""

    def __init__(self, shown: InstructionList, marks: Marks, *, rendered: bool) -> None:
        self._shown, self._marks, self._rendered = shown, marks, rendered
        self._names: list[str] = []
        self.lines = Lines(marks=marks, id="cells")
        self.response = ResponseView(id="response", empty="The response is empty.", marks=marks)
        self.keys = KeyStrip(marks=marks, id="keys")
        self._title = Static(id="counts", markup=False)
        self._wording = Static(id="wording", markup=False)
        self._reason = Static(id="reason", markup=False)
        self._message = Static(id="said", markup=False)
        self._evidence = Vertical(self.response, self._reason, id="evidence")

    def composed(self) -> ComposeResult:
        yield self._title
        yield self._wording
        yield Container(self.lines, self._evidence, id="across")
        yield self._message
        yield self.keys

    def fit(self, screen: Widget, size: Size) -> None:
        """Lays the parts out for the room there is."""
        plain_output = screen.app.has_class("-plain")
        screen.set_class(size.width >= WIDE and not plain_output, "-wide")
        screen.set_class(size.height >= TALL, "-tall")
        self._wording.styles.max_height = max(size.height // SHARE, 2)
        self.count()

    # -- the rows ---------------------------------------------------------------------------------

    @property
    def here(self) -> AskedCell | None:
        """The cell under the cursor."""
        return self._shown.at(*self.lines.cursor)

    def show_rows(self, here: AskedCell | None) -> None:
        """Shows the rows there are, with the cursor on a cell, or near where it was."""
        self.response.set_rendered(self._rendered)
        sections = []
        parted = len(self._shown.groups) > 1
        for group in self._shown.groups:
            header = None
            if parted:
                right = (StyledText(many(len(group.cells), "cell"), "muted"),)
                header = ListRow(group.wording.text, right=right, style="header")
            sections.append(
                ListSection(DrawnRows(group.cells, self._drawn), header, self._nothing(), self._few)
            )
        self._names = self._shown.names()
        place = self._shown.place(here) if here else None
        self.lines.show(*sections)
        if place:
            self.lines.go(*place)
        self.count()
        self.look()

    def _nothing(self) -> str:
        if self._shown.sorting.only:
            return "No cell is so (f shows others)."
        return "No trace is asked this instruction."

    def _drawn(self, asked: AskedCell) -> ListRow:
        offered = self._shown.offers.show(asked)
        sign = None
        if self._shown.marked:
            sign = asked in self._shown.marked
        width = self.lines.scrollable_content_region.width
        named = name_cells(self._names, width)
        row, few = self._shown.row(asked), self._few
        return drawn(row, offered, self._marks, width, named, sign=sign, whole=few)

    @property
    def _few(self) -> bool:
        """Whether there are so few rows that each may take several lines."""
        return len(self._shown) <= FEW

    def redraw(self) -> None:
        """Draws the rows as they are now: those that take several lines are laid out anew."""
        if self._few:
            self.lines.refresh_rows()
        else:
            self.lines.refresh()

    def draw_anew(self) -> None:
        """Draws the rows and the counts after something was done."""
        self.redraw()
        self.count()

    def go_to(self, asked: AskedCell) -> None:
        """The cursor goes to a row."""
        place = self._shown.place(asked)
        if place:
            self.lines.go(*place)
            self.look()

    def go_to_cell(self, number: int) -> None:
        """The cursor goes to a cell, where it is shown; it stays where it is on it."""
        if self.here and self.here.cell == number:
            return
        place = self._shown.place_of(number)
        if place:
            self.lines.go(*place)

    # -- around them ------------------------------------------------------------------------------

    def count(self) -> None:
        """How often each answer stands, which rows are shown, and how many are marked."""
        shown, marks = self._shown, self._marks
        answers = shown.answers()
        texts = [f"{word} {count}" for word, count in answers.items()]
        more = shown.total - sum(answers.values())
        if more > 0:
            texts.append(f"not judged {more}")
        self._title.update(plain(spelt(f"{self._name} · {' · '.join(texts)}", marks)))
        title = [many(len(shown), "cell")]
        if shown.sorting.only:
            shown_only = ONLY.get(shown.sorting.only, f"those with “{shown.sorting.only}”")
            title = [f"{len(shown)} of {shown.total}", shown_only]
        if shown.sorting.order:
            title.append(ORDERS[shown.sorting.order])
        if shown.like and not shown.with_like:
            title.append(f"{many(len(shown.like), 'like instruction')}: t")
        marked = f"{marks.marked} {len(shown.marked)} marked" if shown.marked else ""
        entitle(self.lines, spelt(" · ".join(title), marks), marked)

    @property
    def _name(self) -> str:
        """What the instruction is called: its trait, its list and its number."""
        wording = self._shown.wording
        of = wording.kind.spelled.get(wording.of, "")
        if wording.is_global:
            number = f"{of} {wording.asked[0].instruction.number}".strip()
            return f"{wording.trait} · {number}" if of else wording.trait
        text = f"of {many(len(wording.asked), 'question')}"
        return " · ".join(filter(None, (wording.trait, of, text)))

    def _wording_here(self) -> Wording:
        """The instruction of the group under the cursor."""
        section = self.lines.cursor.section
        if section < len(self._shown.groups):
            return self._shown.groups[section].wording
        return self._shown.wording

    def look(self) -> None:
        """Shows the row under the cursor whole: its instruction, its response around the evidence,
        the judge's reason.
        """
        update_text(self._wording, plain(self._wording_here().text))
        self.redraw()
        here = self.here
        if here is None:
            self.response.show("")
            entitle(self._evidence, "Response", "")
            update_text(self._reason, plain(""))
            return
        row = self._shown.row(here)
        spans = [
            StyledSpan(*span, row.grounds.style or "evidence", selected=not place)
            for place, span in enumerate(row.grounds.spans)
        ]
        offered = self._shown.offers.of(here)
        if offered:
            spans.append(StyledSpan(*offered, "evidence", self._marks.doubt, selected=True))
        self.response.show(row.trace.response, spans)
        title = " · ".join(filter(None, (row.name, row.trace.model)))
        subtitle = answer_text(row.grounds, self._marks)
        entitle(self._evidence, spelt(title, self._marks), spelt(subtitle, self._marks))
        if spans:
            self.response.reveal(spans[-1].start, spans[-1].end)
        reason = f"judge: {row.grounds.reason}" if row.grounds.reason else ""
        self._reason.display = bool(reason)
        update_text(self._reason, plain(reason))

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key."""
        update_text(self._message, plain(spelt(text, self._marks)))
        self._message.display = bool(text)
        self.keys.display = not text
