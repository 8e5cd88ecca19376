"""What the screen of two answers is made of: both responses, and the rows of instructions below or
between them.
"""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.answers.sides import BOTH, HERE, THERE, Sides
from appellate.app.header import done, measure_line
from appellate.app.instructions.rows import WORD, answer_text, omission_text
from appellate.core.trace import name_of
from appellate.store.files.wordings import AskedCell
from appellate.ui.bar import KeyStrip, Part, StatusStrip
from appellate.ui.lines import DrawnRows, Lines, ListRow, ListSection
from appellate.ui.marks import Marks, in_quotes, spelt
from appellate.ui.measures_bar import MeasureValue, value
from appellate.ui.page import StyledSpan
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import cell_width, clip, column, entitle, flat, plain, update_text
from appellate.ui.text_view import TextView

LABEL = 14  # cells of what tells a side from the other, at most


def drawn(sides: Sides, index: int, marks: Marks) -> ListRow:
    """A row: marked where the answers differ; both answers on one line, so that no cut parts them,
    then what each rests on.
    """
    asked, kind = sides.asked[index], sides.cell(0).subject.kind
    sign = marks.split if sides.differs(index) else ""
    left = [StyledText(column(sign, cell_width(marks.split) + 1), "flag")]
    if asked.of:
        left.append(StyledText(f"{kind.spelled.get(asked.of, asked.of)} {asked.number} ", "muted"))
    below = [[piece for side in BOTH for piece in _answer(sides, side, index, marks)]]
    for side in BOTH:
        grounds = _grounds(sides, side, index, marks)
        if grounds:
            below.append([_label(sides, side, marks), *grounds])
    return ListRow(asked.text, tuple(left), below=tuple(map(tuple, below)))


def _label(sides: Sides, side: int, marks: Marks) -> StyledText:
    """What tells the side from the other."""
    label = clip(sides.label(side), LABEL, marks)
    return StyledText(f"{label}: ", "key" if side == sides.active else "muted")


def _answer(sides: Sides, side: int, index: int, marks: Marks) -> list[StyledText]:
    """A side, how it answers, and what the judge said instead."""
    styled = [_label(sides, side, marks)]
    if not sides.answer(side, index):
        styled.append(StyledText(column("not judged", WORD + 1, marks), "muted"))
        return styled
    row = sides.row(AskedCell(sides.numbers[side], sides.asked[index]))
    answer, style = answer_text(row.grounds, marks), row.grounds.style or "key"
    styled.append(StyledText(column(answer, WORD, marks) + " ", style))
    if row.was:
        styled.append(StyledText(f"was {row.was}  ", "corrected"))
    return styled


def _grounds(sides: Sides, side: int, index: int, marks: Marks) -> list[StyledText]:
    """The excerpts that an answer rests on, else the judge's reason."""
    if not sides.answer(side, index):
        return []
    row = sides.row(AskedCell(sides.numbers[side], sides.asked[index]))
    grounds = row.grounds
    if grounds.spans:
        words = [flat(row.trace.response[start:end]) for start, end in grounds.spans]
        return [StyledText(f" {marks.dot} ".join(words), grounds.style)]
    if grounds.loose:
        styled_text = StyledText("not in the response: ", "flag")
        return [styled_text, StyledText(in_quotes(flat(grounds.loose[0]), marks), grounds.style)]
    if grounds.omission:
        return list(omission_text(grounds, marks))
    if grounds.reason:
        return [StyledText(f"judge: {flat(grounds.reason)}", "muted")]
    return []


BETWEEN = 160
"""The columns from which the rows stand between the responses."""
LEAST = 76  # the columns for two responses beside each other; below, the active one is alone
TALL = 36
FRAME = 4  # cells of a frame at both ends of its words
SHARE = 0.5  # of the height that rows below take, at most
USUAL, EDGES, FEWEST = 3, 2, 5  # lines of a row, of the frame around all, and of all with it
NONE = "Cells of this trait have no instruction in common to compare."


class SidesFrame:
    """The widgets of the two answers; `lines` has the cursor."""

    def __init__(self, sides: Sides, marks: Marks, *, rendered: bool) -> None:
        self._sides, self._marks, self._rendered = sides, marks, rendered
        self.lines = Lines(marks=marks, id="rows")
        self.texts = [TextView(id=name, marks=marks) for name in ("one", "other")]
        self.keys = KeyStrip(marks=marks, id="keys")
        self._title = StatusStrip(marks=marks, id="counts")
        self._question = Static(plain(flat(sides.question)), id="prompt", markup=False)
        self._question.display = bool(sides.question)
        self._message = Static(id="said", markup=False)
        self._across = Container(id="across")
        self._shared = ""

    def composed(self, screen: Widget, size: Size) -> ComposeResult:
        """The widgets, laid out for the room that there will be."""
        self._arrange(screen, size)
        rows = len(self._sides.asked) * USUAL
        self._share(size, rows)
        one, other = self.texts
        order: tuple[Widget, ...] = (one, other, self.lines)
        if screen.has_class("-between"):
            order = (one, self.lines, other)
        yield self._title
        yield self._question
        with self._across:
            yield from order
        yield self._message
        yield self.keys

    def fit(self, screen: Widget, size: Size) -> None:
        """Lays the parts out for the room there is."""
        self._arrange(screen, size)
        other = self.texts[THERE]
        if screen.has_class("-between"):
            self._across.move_child(self.lines, before=other)
        else:
            self._across.move_child(self.lines, after=other)
        self._share(size, self.lines.height_uncut)
        self.count()

    def _arrange(self, screen: Widget, size: Size) -> None:
        between = size.width >= BETWEEN and not screen.app.has_class("-plain")
        screen.set_class(between, "-between")
        screen.set_class(size.width < LEAST, "-narrow")
        screen.set_class(size.height >= TALL, "-tall")

    def _share(self, size: Size, rows: int) -> None:
        """Gives the rows as many lines as they take, and at most their share, or what the responses
        leave.
        """
        shared = "1fr"
        if size.width < BETWEEN:
            shared = f"1fr {self._rows_below(size, rows)}"
        if shared != self._shared:
            self._shared = shared
            self._across.styles.grid_rows = shared
            if self._across.is_mounted:
                self._across.call_after_refresh(self.look)  # less may be in sight

    def _rows_below(self, size: Size, rows: int) -> int:
        taken = max(text.virtual_size.height for text in self.texts) + EDGES
        most = max(int(size.height * SHARE), self._across.size.height - max(taken, FEWEST))
        return max(min(rows + EDGES, most), FEWEST)

    # -- the rows ---------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        """The row under the cursor."""
        return self.lines.cursor.row

    @property
    def here(self) -> AskedCell | None:
        """The row under the cursor, of the active side."""
        return self._sides.at(self._sides.active, self.index)

    def show_pair(self, index: int) -> None:
        """Shows both sides from their beginnings, with the cursor on a row."""
        for text in self.texts:
            text.empty = "The response is empty."
            text.set_rendered(self._rendered)
        self.show_rows()
        self.lines.go(0, index)
        self.look()
        self._share(self.lines.screen.size, self.lines.height_uncut)

    def show_rows(self) -> None:
        """Shows how the rows are answered by now."""
        sides = self._sides
        places = range(len(sides.asked))
        rows = DrawnRows(places, lambda index: drawn(sides, index, self._marks))
        self.lines.show(ListSection(rows, empty=NONE, whole=True))
        self._share(self.lines.screen.size, self.lines.height_uncut)
        self.count()

    # -- around them ------------------------------------------------------------------------------

    def count(self) -> None:
        """What is compared, how alike the words are, how many rows are answered otherwise."""
        sides, marks = self._sides, self._marks
        trait = sides.cell(HERE).subject.trait.name
        left = [Part("Side by side", "strong"), Part(trait, "", 1)]
        if not marks.bars:  # plain output has no frames with titles
            labels = [sides.label(side) for side in BOTH]
            labels[sides.active] = f"{marks.cursor}{labels[sides.active]}"
            left.append(Part(" beside ".join(labels), "", 1))
        if sides.partners > 1:
            left.append(Part(f"answer {sides.partner + 1} of {sides.partners}", "", 2))
        alike = f"{int(100 * sides.differences.alike)} % of the words in common"
        if not sides.are_alike:
            alike = "texts too different to mark"
        self._title.show(left, [Part(alike, "muted", 3)])
        title = "Instructions"
        if differing := sides.differing():
            title += f" · {marks.split} {len(differing)} of {len(sides.asked)} answered otherwise"
        elif sides.asked:
            title += " · none answered otherwise"
        entitle(self.lines, spelt(title, marks))
        for side in BOTH:
            self._entitle(side)

    def _entitle(self, side: int) -> None:
        """Who answered, whether it is signed off, and what its numbers are."""
        sides, marks, view = self._sides, self._marks, self.texts[side]
        cell, trace = sides.cell(side), sides.trace(side)
        active = side == sides.active
        view.set_class(active, "-active")
        name = name_of(trace.id, trace.epoch)
        title = f"{marks.cursor if active else ' '} {getattr(marks, cell.state)} "
        title += " · ".join(dict.fromkeys((sides.label(side), name)))
        room = view.outer_size.width - FRAME
        text = _fitted(measure_line(None, cell, "").now, room, marks)
        state = f"{done(cell, marks)}   {text}"
        if cell_width(state) <= room:
            text = state
        entitle(view, spelt(clip(title, room, marks), marks), text)

    def look(self) -> None:
        """Shows the row under the cursor in both responses."""
        sides, marks = self._sides, self._marks
        revealed: dict[int, int] = {}
        for side in BOTH:
            spans = sides.spans(side, self.index, marks)
            asked = sides.at(side, self.index)
            if asked and side == sides.active:
                offered = sides.offers.show(asked)
                if offered:
                    spans.append(StyledSpan(*offered, "evidence", marks.doubt, selected=True))
            self.texts[side].show(sides.trace(side).response, spans)
            chosen = [span for span in spans if span.selected]
            if chosen:
                revealed[side] = chosen[0].start
                self.texts[side].reveal(chosen[0].start, chosen[0].end)
        if len(revealed) == 1 and sides.are_alike:
            ((side, offset),) = revealed.items()
            there = sides.differences.counterpart(offset, back=side == THERE)
            self.texts[THERE - side].reveal(there)

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key."""
        update_text(self._message, plain(spelt(text, self._marks)))
        self._message.display = bool(text)
        self.keys.display = not text


def _fitted(values: Sequence[MeasureValue], room: int, marks: Marks) -> str:
    """Numbers in so many cells; where not all fit, the last, which are what one looks at first."""
    texts = [f"{one.short} {value(one, marks)}" for one in values]
    for gap in ("  ", " "):
        if cell_width(gap.join(texts)) <= room:
            return gap.join(texts)
    while texts and cell_width(" ".join(texts)) > room:
        texts.pop(0)
    return " ".join(texts)
