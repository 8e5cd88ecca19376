"""One instruction down all cells that are asked it, to answer it again and again by one measure.

The rows are those of an `InstructionList`, which outlives the screen: whoever opens a cell from it
and comes back finds it as it was left.
"""

from asyncio import TimerHandle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.events import Resize
from textual.widgets import Static

from appellate.app.compare.listing import ONLY, ORDERS, InstructionList, Sorting
from appellate.app.compare.rows import answer_text, drawn, name_cells
from appellate.app.compare.screen import AnsweringScreen, Surroundings, usual_bindings
from appellate.app.keys.borrowed_keys import (
    BorrowedHints,
    by_word,
)
from appellate.core.problem import many
from appellate.session.acts import Which
from appellate.session.workbench import Change
from appellate.store.files.wordings import AskedCell, Wording
from appellate.ui.bar import Hint
from appellate.ui.contract import Choice
from appellate.ui.conversation import begin
from appellate.ui.docked import ResponseView
from appellate.ui.key import Key
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import spelt
from appellate.ui.page import StyledSpan
from appellate.ui.picker import Picker
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import entitle, plain, update_text
from appellate.ui.textual_compat import later

SLICE, PAUSE = 0.008, 0.004  # seconds of looking through rows at once, and between
NO_CELL = "There is no cell here."
WIDE = 125
"""The columns from which the response stands beside the rows."""
TALL = 30
FEW = 30
"""Rows that may each take several lines: all of them are read for that."""
SHARE = 3  # the instruction takes at most one row in so many


BINDINGS = [
    *usual_bindings("instruction"),
    Binding("o", "open", "its cell", show=False, id="instruction.open"),
    Binding("tab", "offer(1)", "next sentence", show=False, id="instruction.offer"),
    Binding("shift+tab", "offer(-1)", "sentence before", show=False, id="instruction.before"),
    Binding("x", "mark('one')", "mark", show=False, id="instruction.mark"),
    Binding("w", "mark('to')", "mark to here", show=False, id="instruction.mark_to"),
    Binding("asterisk", "mark('all')", "mark all", show=False, id="instruction.mark_all"),
    Binding("shift+down", "mark('down')", "mark, down", show=False, id="instruction.mark_down"),
    Binding("shift+up", "mark('up')", "mark, up", show=False, id="instruction.mark_up"),
    Binding("t", "rows('like')", "like words", show=False, id="instruction.like"),
    Binding("f", "rows('only')", "only some", show=False, id="instruction.only"),
    Binding("O", "rows('order')", "order", show=False, id="instruction.order"),
    Binding("space", "turn", "the other answer", show=False, id="instruction.turn"),
]

SHARED = {
    "cell.undo": "",
    "cell.redo": "",
    "item.reason": "say why the last answers were given, all of them at once",
    "cell.flag": "set the flag of the cells, or take it down",
    "text.none": "the answer takes no words of the response",
    "unreviewed.next": "the next row whose cell is not signed off",
    "unreviewed.previous": "the one before",
    "by_instruction": "close the list",
}
"""Keys of the bench that act here, too, and what they do where that is not the same."""
OWN = """\
{instruction.offer:Tab}  another sentence as the one that an answer takes
{instruction.before:Shift+Tab}  the sentence before
{lines.choose:Enter} {instruction.open:o}  open the cell there, to select words by hand; {back:(} \
comes back to this row
{instruction.mark:x}  mark the row, or let it go: answers then go to all marked rows
{instruction.mark_to:w}  mark all from the last mark to here
{instruction.mark_up:Shift+↑} {instruction.mark_down:Shift+↓}  mark while going
{instruction.mark_all:*}  mark all rows
{instruction.like:t}  with the instructions in like words of other questions, or without
{instruction.only:f}  only some rows: overruled, not signed off, those with one answer
{instruction.order:O}  the order of the rows
{instruction.turn:Space}  the other answer, where there are two
{instruction.scroll:+} {instruction.scroll_back:-}  scroll the response on, and back
{instruction.leave:Esc}  let the marks go, then close the list
"""


MARKING = "{instruction.mark:x} {instruction.mark_to:w} {instruction.mark_all:*}"


def strip(keys: Sequence[Key], answers: Mapping[str, str], *, words: bool) -> list[Hint]:
    """What the strip shows; `answers` are the words by the ids of their keys, `words` is whether
    an answer may have to be borne out.
    """
    of_bench = BorrowedHints(keys).of
    hints: list[Hint] = []
    for word, name in by_word(answers).items():
        hints += of_bench(name, word, 2)
    if words:
        hints.append(Hint("Tab", "sentence", "instruction.offer", 5))
        hints += of_bench("text.none", "no words", 8)
    return [
        *hints,
        Hint(MARKING, "mark", "instruction.mark", 6),
        *of_bench("cell.undo", "undo", 4),
        *of_bench("item.reason", "reason", 10),
        *of_bench("unreviewed.next", "next unsigned", 11),
        Hint("Enter", "its cell", "lines.choose", 3),
        Hint("f", "only", "instruction.only", 9),
        Hint("?", "keys", "instruction.help", 1),
        Hint("Esc", "back", "instruction.leave", 7),
    ]


ALONE = "Only this cell is asked this instruction, and no other is in like words."
SOON = 0.3  # seconds till what others did is counted


class InstructionScreen(AnsweringScreen[AskedCell | None]):
    """The list; gives the cell to open. `answers` are the answers by the ids of their keys."""

    NAME = "BY INSTRUCTION"
    OWN = OWN
    SHARED = SHARED
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(
        self,
        around: Surroundings,
        shown: InstructionList,
        here: AskedCell | None,
        answers: Mapping[str, str],
    ) -> None:
        super().__init__(around, shown, answers, {"by_instruction": self.action_leave})
        marks = around.marks
        self._shown, self._begin_at = shown, here
        self._response = ResponseView(id="response", empty="The response is empty.", marks=marks)
        self._counts = Static(id="counts", markup=False)
        self._wording = Static(id="wording", markup=False)
        self._reason_line = Static(id="reason", markup=False)
        self._evidence = Vertical(self._response, self._reason_line, id="evidence")
        self._marked_last: AskedCell | None = None
        self._looking: Iterator[int] = iter(())
        self._counting: TimerHandle | None = None
        self._trace_names: list[str] = []

    def compose(self) -> ComposeResult:
        yield self._counts
        yield self._wording
        yield Container(self.lines, self._evidence, id="across")
        yield self.message
        yield self.strip

    def on_mount(self) -> None:
        hints = strip(self.around.keys, self.words(), words=self._shown.may_take_words)
        self.show_hints(hints)
        self.show_rows(self._begin_at)
        if self._shown.total == 1 and not self._shown.like:
            self.say(ALONE)

    def on_resize(self, event: Resize) -> None:
        """Lays the parts out for the room there is."""
        plain_output = self.app.has_class("-plain")
        self.set_class(event.size.width >= WIDE and not plain_output, "-wide")
        self.set_class(event.size.height >= TALL, "-tall")
        self._wording.styles.max_height = max(event.size.height // SHARE, 2)
        self.count()

    # -- the rows ---------------------------------------------------------------------------------

    @property
    def here(self) -> AskedCell | None:
        """The cell under the cursor."""
        return self._shown.at(*self.lines.cursor)

    def show_rows(self, here: AskedCell | None) -> None:
        """Shows the rows there are, with the cursor on a cell, or near where it was."""
        self._response.set_rendered(self.around.rendered)
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
        self._trace_names = self._shown.names()
        place = self._shown.place(here) if here else None
        self.lines.show(*sections)
        if place:
            self.lines.go(*place)
        self.count()
        self.look()

    def _nothing(self) -> str:
        if self._shown.sorting.only:
            return "No cell is so ({instruction.only:f} shows others)."
        return "No trace is asked this instruction."

    def _drawn(self, asked: AskedCell) -> ListRow:
        offered = self._shown.offers.show(asked)
        sign = None
        if self._shown.marked:
            sign = asked in self._shown.marked
        width = self.lines.scrollable_content_region.width
        named = name_cells(self._trace_names, width)
        row, few = self._shown.row(asked), self._few
        return drawn(row, offered, self.around.marks, width, named, sign=sign, whole=few)

    @property
    def _few(self) -> bool:
        """Whether there are so few rows that each may take several lines."""
        return len(self._shown) <= FEW

    def _draw_rows(self) -> None:
        """Draws the rows as they are now: those that take several lines are laid out anew."""
        if self._few:
            self.lines.refresh_rows()
        else:
            self.lines.refresh()

    def redraw(self) -> None:
        """Draws the rows and the counts after something was done."""
        self._draw_rows()
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
        shown, marks = self._shown, self.around.marks
        answers = shown.answers()
        texts = [f"{word} {count}" for word, count in answers.items()]
        more = shown.total - sum(answers.values())
        if more > 0:
            texts.append(f"not judged {more}")
        self._counts.update(plain(spelt(f"{self._heading} · {' · '.join(texts)}", marks)))
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
    def _heading(self) -> str:
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
        self._draw_rows()
        here = self.here
        if here is None:
            self._response.show("")
            entitle(self._evidence, "Response", "")
            update_text(self._reason_line, plain(""))
            return
        row = self._shown.row(here)
        spans = [
            StyledSpan(*span, row.grounds.style or "evidence", selected=not place)
            for place, span in enumerate(row.grounds.spans)
        ]
        offered = self._shown.offers.of(here)
        if offered:
            spans.append(StyledSpan(*offered, "evidence", self.around.marks.doubt, selected=True))
        self._response.show(row.trace.response, spans)
        title = " · ".join(filter(None, (row.name, row.trace.model)))
        subtitle = answer_text(row.grounds, self.around.marks)
        entitle(self._evidence, spelt(title, self.around.marks), spelt(subtitle, self.around.marks))
        if spans:
            self._response.reveal(spans[-1].start, spans[-1].end)
        reason = f"judge: {row.grounds.reason}" if row.grounds.reason else ""
        self._reason_line.display = bool(reason)
        update_text(self._reason_line, plain(reason))

    @on(Lines.Chosen, "#rows")
    def action_open(self) -> None:
        if self.here is not None:
            self.dismiss(self.here)

    def changed(self, change: Change) -> None:
        """Takes in what happened to a cell; the cursor stays."""
        self._shown.changed(change)
        self._draw_rows()
        if self.here and self.here.cell == change.no:
            self.call_next(self.look)
        self._counting = self._counting or later(SOON, self, self._count)

    def _count(self) -> None:
        self._counting = None
        self.count()

    # -- answers ----------------------------------------------------------------------------------

    def aimed(self) -> list[AskedCell]:
        """The marked rows, else the one under the cursor."""
        return self._shown.aimed(self.here)

    def words(self) -> Mapping[str, str]:
        return self._shown.words_of(self.answer_keys)

    def answer(self, answer: str) -> None:
        """Gives an answer to the rows; from a single one that took it the cursor goes on."""
        lot = bool(self._shown.marked)
        if not self.aimed():
            self.say(NO_CELL)
        elif self.give(answer) and not lot and not self.answers.refused:
            self.lines.action_move(1)

    def action_turn(self) -> None:
        """The other answer of two."""
        self.turn_to(self._shown.answer(self.here))

    def turn_back(self, which: Which) -> Sequence[Change]:
        """Takes the last act back, or does it again, and goes to where it was."""
        turned = super().turn_back(which)
        if turned:
            self.go_to_cell(turned[0].no)
            self.look()
        return turned

    def walk(self, by: int) -> None:
        """The next row whose cell is not signed off, the first behind the last."""
        asked = self._shown.next_unsigned(self.here, by)
        if asked is None:
            self.say("Every cell of these is signed off.")
        elif asked == self.here:
            self.say("This is the only cell of these that is not signed off.")
        else:
            self.go_to(asked)

    # -- marks ------------------------------------------------------------------------------------

    def action_mark(self, way: str) -> None:
        """Marks "one" row or lets it go, all "to" here, "all" there are, or on the way "up" or
        "down".
        """
        here = self.here
        if here is None:
            self.say(NO_CELL)
            return
        match way:
            case "one":
                self._shown.marked ^= {here}
                self.lines.action_move(1)
            case "to" if self._marked_last and self._shown.place(self._marked_last):
                self._add(self._shown.between(self._marked_last, here))
            case "to":
                self.say(
                    "{instruction.mark:x} marks a row first; "
                    "{instruction.mark_to:w} then marks all from there to here."
                )
                return
            case "all":
                self._add(self._shown.everywhere())
                self.say(
                    f"{len(self._shown.marked)} marked: an answer goes to all of them; "
                    "Esc lets them go."
                )
            case _:
                self.lines.action_move(1 if way == "down" else -1)
                self._add({here, self.here or here})
                here = self.here or here
        self._marked_last = here
        self.redraw()

    def _add(self, rows: Iterable[AskedCell]) -> None:
        self._shown.marked.update(rows)

    # -- which rows -------------------------------------------------------------------------------

    def action_rows(self, what: str) -> None:
        """Has one choose which rows are shown, or in which order."""
        begin(self._choose(what))

    async def _choose(self, what: str) -> None:
        """Has one choose "only" which rows are shown or their "order"; turns "like" ones on or
        off.
        """
        if what == "like":
            self._turn_like()
        elif what == "only":
            offered = ONLY | {word: f"those with “{word}”" for word in self._shown.answers()}
            await self._pick_sorting("Which rows", offered, what)
        else:
            await self._pick_sorting("In which order", ORDERS, what)

    def _turn_like(self) -> None:
        """With the instructions in like words, or without."""
        if not self._shown.like:
            self.say("No instruction is in like words.")
            return
        self._shown.with_like = not self._shown.with_like
        self._sort(self._shown.sorting)

    async def _pick_sorting(self, title: str, offered: Mapping[str, str], what: str) -> None:
        choices = [Choice(key or "all", "", words) for key, words in offered.items()]
        picker = Picker(title, choices, marks=self.around.marks)
        key = await self.pick(picker)
        if key == "all":
            key = ""
        self._sort(self._shown.sorting._replace(**{what: key}))

    def _sort(self, sorting: Sorting) -> None:
        self._looking = self._shown.sort_out(sorting)
        self._go_on()

    def _go_on(self) -> None:
        until = perf_counter() + SLICE
        for count in self._looking:
            if perf_counter() > until:
                self.say(f"Looked through {count} cells …")
                later(PAUSE, self, self._go_on)
                return
        self.say("")
        self.show_rows(self.here)

    # -- elsewhere --------------------------------------------------------------------------------

    def action_scroll(self, by: int) -> None:
        self._response.action_roll_page(by)

    def answer_help(self) -> Mapping[str, str]:
        return {name: f"answer “{word}”, and go on" for name, word in self.words().items()}

    def signs(self) -> dict[str, str]:
        return {self.around.marks.marked: "marked: an answer goes to all such rows"}

    def action_leave(self) -> None:
        """Lets the marks go, then closes the list."""
        if self._shown.marked:
            self._shown.marked.clear()
            self.redraw()
        else:
            self.dismiss(None)
