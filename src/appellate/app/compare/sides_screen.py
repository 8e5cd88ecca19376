"""Two answers to one question beside each other, with how each instruction is answered in both, to
see what they differ in and judge them by one measure.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import Click, Resize
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.compare.rows import WORD, answer_text, borne_out, place_text
from appellate.app.compare.screen import AnsweringScreen, Surroundings, usual_bindings
from appellate.app.compare.sides import BOTH, HERE, THERE, Sides
from appellate.app.header import done, measure_line
from appellate.app.keys.borrowed_keys import BorrowedHints, by_word
from appellate.core.trace import name_of
from appellate.session.workbench import Change
from appellate.store.files.wordings import AskedCell
from appellate.ui.bar import Hint, Part, StatusStrip
from appellate.ui.key import Key
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures_bar import MeasureValue, value
from appellate.ui.page import StyledSpan
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, clip, column, entitle, flat, plain
from appellate.ui.text_view import TextView

LABEL = 14  # cells of what tells a side from the other, at most


def drawn(sides: Sides, index: int, marks: Marks) -> ListRow:
    """A row: marked where the answers differ; both answers on one line, so that no cut parts them,
    then what each rests on.
    """
    asked = sides.asked[index]
    sign = marks.split if sides.differs(index) else ""
    left = [StyledText(column(sign, cell_width(marks.split) + 1), "flag")]
    left += place_text(sides.cell(HERE), asked)
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


def _grounds(sides: Sides, side: int, index: int, marks: Marks) -> Sequence[StyledText]:
    """The excerpts that an answer rests on, else the judge's reason."""
    if not sides.answer(side, index):
        return []
    row = sides.row(AskedCell(sides.numbers[side], sides.asked[index]))
    return borne_out(row.grounds, row.trace.response, marks)


BETWEEN = 160
"""The columns from which the rows stand between the responses."""
LEAST = 76  # the columns for two responses beside each other; below, the active one is alone
TALL = 36
FRAME = 4  # cells of a frame at both ends of its words
SHARE = 0.5  # of the height that rows below take, at most
USUAL, EDGES, FEWEST = 3, 2, 5  # lines of a row, of the frame around all, and of all with it
NONE = "Cells of this trait have no instruction in common to compare."


def _fitted(values: Sequence[MeasureValue], room: int, marks: Marks) -> str:
    """Numbers in so many cells; where not all fit, the last, which are what one looks at first."""
    texts = [f"{one.short} {value(one, marks)}" for one in values]
    for gap in ("  ", " "):
        if cell_width(gap.join(texts)) <= room:
            return gap.join(texts)
    while texts and cell_width(" ".join(texts)) > room:
        texts.pop(0)
    return " ".join(texts)


BINDINGS = [
    *usual_bindings("sides"),
    Binding("o", "open", "its cell", show=False, id="sides.open"),
    Binding("tab,shift+tab", "side(-1)", "other side", show=False, id="sides.turn"),
    Binding("left,h", "side(0)", "left side", show=False, id="sides.left"),
    Binding("right,l", "side(1)", "right side", show=False, id="sides.right"),
    Binding("p", "offer(1)", "next sentence", show=False, id="sides.offer"),
    Binding("P", "offer(-1)", "sentence before", show=False, id="sides.offer_before"),
    Binding("d", "words", "differences", show=False, id="sides.words"),
    Binding("space", "turn", "other answer", show=False, id="sides.otherwise"),
]

SHARED = {
    "cell.undo": "take back your last act, wherever it was",
    "cell.redo": "do it again",
    "item.reason": "say why the last answer was given",
    "cell.flag": "set the flag of the active side's cell, or take it down",
    "text.none": "the answer takes no words of the response",
    "unreviewed.next": "the next instruction that is answered otherwise",
    "unreviewed.previous": "the one before that is answered otherwise",
    "side_by_side": "the next answer to the question beside this one",
    "back": "back to the cell that you came from",
}
"""Keys of the bench that act here, too, and what they do here."""
OWN = """\
{sides.turn:Tab}  the other side: answers go to the active one
{sides.left:←} {sides.right:→}  the left side, the right
{sides.offer:p} {sides.offer_before:P}  another sentence for an answer, the one before
{lines.choose:Enter} {sides.open:o}  open the cell of the active side there; {side_by_side:s} or \
{back:(} comes back
{sides.otherwise:Space}  the answer of the other side
{sides.words:d}  mark the words that the other answer has not, or leave them unmarked
{sides.scroll:+} {sides.scroll_back:-}  scroll both responses on, and back
{sides.leave:Esc}  leave
"""


def strip(keys: Sequence[Key], answers: Mapping[str, str], *, partners: int) -> list[Hint]:
    """What the strip shows; `answers` are the words by the ids of their keys."""
    of_bench = BorrowedHints(keys).of
    hints = [Hint("Tab", "side", "sides.turn", 2)]
    hints += of_bench("unreviewed.next", "next difference", 3)
    for word, name in by_word(answers).items():
        hints += of_bench(name, word, 4)
    if partners > 1:
        hints += of_bench("side_by_side", "next answer", 6)
    return [
        *hints,
        *of_bench("cell.undo", "undo", 7),
        Hint("Enter", "its cell", "lines.choose", 5),
        Hint("d", "differences", "sides.words", 8),
        *of_bench("item.reason", "reason", 10),
        Hint("?", "keys", "sides.help", 1),
        Hint("Esc", "back", "sides.leave", 9),
    ]


class SidesScreen(AnsweringScreen[AskedCell | int | None]):
    """Both answers; gives the cell to open, with the instruction that is under the cursor."""

    NAME = "SIDE BY SIDE"
    OWN = OWN
    SHARED = SHARED
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(
        self, around: Surroundings, sides: Sides, index: int, answers: Mapping[str, str]
    ) -> None:
        shared = {"side_by_side": self._next_partner, "back": self.action_leave}
        super().__init__(around, sides, answers, shared)
        self._sides, self._begin_at = sides, index
        self.texts = [TextView(id=name, marks=around.marks) for name in ("one", "other")]
        self._counts = StatusStrip(marks=around.marks, id="counts")
        self._question = Static(plain(flat(sides.question)), id="prompt", markup=False)
        self._question.display = bool(sides.question)
        self._across = Container(id="across")
        self._shared_rows = ""

    def compose(self) -> ComposeResult:
        """The widgets, laid out for the room that there will be."""
        size = self.app.size
        self._arrange(size)
        self._share(size, len(self._sides.asked) * USUAL)
        one, other = self.texts
        order: tuple[Widget, ...] = (one, other, self.lines)
        if self.has_class("-between"):
            order = (one, self.lines, other)
        yield self._counts
        yield self._question
        with self._across:
            yield from order
        yield self.message
        yield self.strip

    def on_mount(self) -> None:
        for text in self.texts:
            text.can_focus = False
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        """Shows the pair once there is room: what is shown before is wrapped twice."""
        self.show_pair(self._begin_at)

    def on_resize(self, event: Resize) -> None:
        """Lays the parts out for the room there is."""
        size = event.size
        self._arrange(size)
        other = self.texts[THERE]
        if self.has_class("-between"):
            self._across.move_child(self.lines, before=other)
        else:
            self._across.move_child(self.lines, after=other)
        self._share(size, self.lines.height_uncut)
        self.count()

    def _arrange(self, size: Size) -> None:
        between = size.width >= BETWEEN and not self.app.has_class("-plain")
        self.set_class(between, "-between")
        self.set_class(size.width < LEAST, "-narrow")
        self.set_class(size.height >= TALL, "-tall")

    def _share(self, size: Size, rows: int) -> None:
        """Gives the rows as many lines as they take, and at most their share, or what the responses
        leave.
        """
        shared = "1fr"
        if size.width < BETWEEN:
            shared = f"1fr {self._rows_below(size, rows)}"
        if shared != self._shared_rows:
            self._shared_rows = shared
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
            text.set_rendered(self.around.rendered)
        self.show_rows()
        self.lines.go(0, index)
        self.look()
        self._share(self.size, self.lines.height_uncut)

    def show_rows(self) -> None:
        """Shows how the rows are answered by now."""
        sides = self._sides
        places = range(len(sides.asked))
        rows = DrawnRows(places, lambda index: drawn(sides, index, self.around.marks))
        self.lines.show(ListSection(rows, empty=NONE, whole=True))
        self._share(self.size, self.lines.height_uncut)
        self.count()

    # -- around them ------------------------------------------------------------------------------

    def count(self) -> None:
        """What is compared, how alike the words are, how many rows are answered otherwise."""
        sides, marks = self._sides, self.around.marks
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
        self._counts.show(left, [Part(alike, "muted", 3)])
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
        sides, marks, view = self._sides, self.around.marks, self.texts[side]
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
        sides, marks = self._sides, self.around.marks
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
        keys = strip(self.around.keys, self.words(), partners=sides.partners)
        self.show_hints(keys)  # which name the answers of the instruction under the cursor

    @on(Lines.Chosen, "#rows")
    def action_open(self) -> None:
        self.dismiss(self.here or self._sides.numbers[self._sides.active])

    def changed(self, change: Change) -> None:
        """Takes in what happened to a cell; the cursor stays."""
        if self._sides.changed(change):
            self.call_next(self._draw_anew)

    def _draw_anew(self) -> None:
        self.show_rows()
        self.look()

    # -- answers ----------------------------------------------------------------------------------

    def words(self) -> dict[str, str]:
        subject = self._sides.cell(HERE).subject
        if subject.kind.answering is None or not self._sides.asked:
            return {}
        words = subject.kind.answering.sayable(subject.trait, self._sides.asked[self.index])
        return {key: words[answer] for key, answer in self.answer_keys.items() if answer in words}

    def action_turn(self) -> None:
        """The active side answers as the other does; where they agree, the other of two answers."""
        active = self._sides.active
        if self.words():
            now, there = (self._sides.answer(side, self.index) for side in (active, THERE - active))
            self.turn_to(now, there)

    # -- keys -------------------------------------------------------------------------------------

    def on_click(self, event: Click) -> None:
        """A click on a response makes its side the active one."""
        for side in BOTH:
            if event.widget is self.texts[side]:
                self.action_side(side)

    def action_side(self, side: int) -> None:
        """Makes a side the active one; -1 is the other."""
        if side < HERE:
            side = THERE - self._sides.active
        self._sides.active = side
        self._draw_anew()

    def walk(self, by: int) -> None:
        """The next row that is answered otherwise, the first behind the last."""
        rows = self._sides.differing()
        if by < 0:
            rows.reverse()
        if not rows:
            self.say("No instruction is answered otherwise.")
            return
        if rows == [self.index]:
            self.say("This is the only one that is answered otherwise.")
            return
        further = [row for row in rows if (row - self.index) * by > 0]
        self.lines.go(0, (further or rows)[0])
        self.look()

    def _next_partner(self) -> None:
        if self._sides.partners == 1:
            self.say("There is no further answer to this question.")
            return
        self._sides.next_partner()
        self.show_pair(self.index)

    def action_words(self) -> None:
        """Marks the words in which the answers differ, or leaves them unmarked."""
        if not self._sides.are_alike:
            self.say("Too little is in common: nearly every word would be marked.")
            return
        self._sides.marks_words = not self._sides.marks_words
        self.count()
        self.look()

    def action_scroll(self, by: int) -> None:
        for text in self.texts:
            text.action_roll_page(by)

    def answer_help(self) -> Mapping[str, str]:
        return {name: f"the active side answers “{word}”" for name, word in self.words().items()}

    def signs(self) -> dict[str, str]:
        states = [self._sides.cell(side).state for side in BOTH]
        signs = {getattr(self.around.marks, state): f"the cell is {state}" for state in states}
        signs[self.around.marks.split] = "answered otherwise on the other side"
        return signs
