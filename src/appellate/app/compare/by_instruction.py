"""One instruction down all cells that are asked it, to answer it again and again by one measure.

The rows are those of an `InstructionList`, which outlives the screen: whoever opens a cell from it
and comes back finds it as it was left. A row is read when it comes into sight; only sorting out
rows reads all of them, a few at a time.
"""

from asyncio import TimerHandle
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.compare.asked import AskedRow, AskedRows, answering_of, row_of
from appellate.app.compare.screen import (
    WORD,
    AnsweringScreen,
    answer_column,
    answer_text,
    borne_out,
    own_keys,
)
from appellate.core.problem import many
from appellate.core.trace import name_of
from appellate.session.acts import Which
from appellate.session.workbench import Change, Workbench
from appellate.store.files.wordings import MAYBE, AskedCell, Wording, Wordings, cells_asked, maybe
from appellate.ui.bar import Part
from appellate.ui.contract import Choice
from appellate.ui.conversation import begin
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.page import StyledSpan
from appellate.ui.picker import Picker
from appellate.ui.rendered_text import cells
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import cell_width, clip, column, entitle, flat, plain, update_text
from appellate.ui.text_view import ResponseView
from appellate.ui.textual_compat import later

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

NAMED = 64  # rows of a group by whose names the width of the column is chosen
LEAST, MOST = 6, 30  # cells of a trace's name
BEFORE = 4  # of a row's text, the part that is before the excerpt: one in so many
FEW = 30
"""Rows that may each take several lines: all of them are read for that."""
SHARE = 3  # the instruction takes at most one row in so many
SLICE, PAUSE = 0.008, 0.004  # seconds of looking through rows at once, and between
SOON = 0.3  # seconds till what others did is counted
OVERRULED, UNSIGNED, SPLIT = "overruled", "unsigned", "split"
ANSWER = "answer"
ONLY = {
    "": "every cell",
    OVERRULED: "those where a person overruled the judge",
    UNSIGNED: "those that are not signed off",
    SPLIT: "those on which the panel differs",
}
"""What may be shown, beside each answer."""
ORDERS = {
    "": "as the traces were loaded",
    ANSWER: "by answer",
    SPLIT: "those on which the panel differs first",
}
NO_CELL = "There is no cell here."
ALONE = "Only this cell is asked this instruction, and no other is in like words."


class Sorting(NamedTuple):
    """Which rows are shown, by a key of `ONLY` or an answer's word, and in which order, by one of
    `ORDERS`.
    """

    only: str = ""
    order: str = ""


class WordingGroup(NamedTuple):
    """A wording and the cells that are asked it, as they are shown."""

    wording: Wording
    cells: list[AskedCell]


class InstructionList(AskedRows):
    """The rows of one wording, and those of like ones where they are wanted."""

    def __init__(self, bench: Workbench, wordings: Wordings, wording: Wording) -> None:
        super().__init__(bench)
        self.wording = wording
        self.like = wordings.like(wording)
        self.with_like = bool(self.like) and not wording.is_global
        self.sorting = Sorting()
        self.groups: list[WordingGroup] = []
        self._answers: dict[AskedCell, str] = {}
        self._counts: Counter[str] = Counter()
        self.places: dict[AskedCell, tuple[int, int]] = {}  # the group and the row of each cell
        self._show(self._everything())

    def __len__(self) -> int:
        return len(self.places)

    # -- which rows ------------------------------------------------------------------------------

    def _everything(self) -> list[WordingGroup]:
        """The groups with all their rows; takes note of how each row answers."""
        self._answers, self._counts = {}, Counter()
        groups = []
        for wording in [self.wording, *(self.like if self.with_like else ())]:
            found = dict(cells_asked(self._bench.workspace, wording))
            self._answers |= found
            self._counts.update(found.values())
            groups.append(WordingGroup(wording, list(found)))
        return groups

    def _show(self, groups: Iterable[WordingGroup]) -> None:
        """Takes on rows; marks stay on those that are still there."""
        self.groups = [group for group in groups if group.cells or group.wording is self.wording]
        self.places = {}
        for section, group in enumerate(self.groups):
            for index, asked in enumerate(group.cells):
                self.places[asked] = section, index
        self.marked &= self.places.keys()

    def place_of(self, cell: int) -> tuple[int, int] | None:
        """The first row of a cell, which may be asked two like instructions."""
        return next((place for asked, place in self.places.items() if asked.cell == cell), None)

    def at(self, section: int, index: int) -> AskedCell | None:
        """The cell of a row, where there is one."""
        if section < len(self.groups) and index < len(self.groups[section].cells):
            return self.groups[section].cells[index]
        return None

    def between(self, one: AskedCell, other: AskedCell) -> list[AskedCell]:
        """The rows from one to another, both among them."""
        shown = self.everywhere()
        low, high = sorted((shown.index(one), shown.index(other)))
        return shown[low : high + 1]

    def everywhere(self) -> list[AskedCell]:
        """All rows, in the order shown."""
        return list(self.places)

    def next_unsigned(self, here: AskedCell | None, by: int) -> AskedCell | None:
        """The next row whose cell is not signed off, the first behind the last; None where none is
        so.
        """
        rows = self.everywhere()
        if here in self.places:
            at = rows.index(here)
            rows = [*rows[at + 1 :], *rows[: at + 1]]
        if by < 0:
            rows = [*rows[-2::-1], *rows[-1:]]
        unsigned = maybe(self._bench.workspace, self.wording.trait, UNSIGNED)
        return next((asked for asked in rows if asked.cell in unsigned), None)

    def sort_out(self, sorting: Sorting) -> Iterator[int]:
        """Shows what is asked for; where cells have to be looked at, tells before each how many
        were.
        """
        groups = self._everything()
        wanted = set(self._answers)
        if sorting.only in MAYBE:
            wanted = yield from self._true(sorting.only)
        elif sorting.only:
            wanted = {one for one, word in self._answers.items() if word == sorting.only}
        first: set[AskedCell] = set()
        if sorting.order == SPLIT:
            first = yield from self._true(SPLIT)
        words = [*self.answers(), ""]
        for group in groups:
            group.cells[:] = [asked for asked in group.cells if asked in wanted]
            if sorting.order == ANSWER:
                group.cells.sort(key=lambda asked: words.index(self._answers[asked]))
            elif sorting.order == SPLIT:
                group.cells.sort(key=lambda asked: asked not in first)
        self.sorting = sorting
        self._show(groups)

    def _true(self, what: str) -> Generator[int, None, set[AskedCell]]:
        """The rows of which something is true, found among the cells of which it may be."""
        cells = maybe(self._bench.workspace, self.wording.trait, what)
        likely = [asked for asked in self._answers if asked.cell in cells]
        if what == UNSIGNED:
            return set(likely)
        found = set()
        for count, asked in enumerate(likely):
            yield count
            row = row_of(asked, self._bench.workspace.cell(asked.cell)[1].shown)
            if (what == SPLIT and row.is_split) or (what == OVERRULED and row.was):
                found.add(asked)
        return found

    # -- what is known of them -------------------------------------------------------------------

    def names(self) -> list[str]:
        """What the first traces are called."""
        numbers = [asked.cell for group in self.groups for asked in group.cells[:NAMED]]
        rows = self._bench.workspace.cells.rows_of(dict.fromkeys(numbers))
        return [name_of(row.trace_id, row.epoch) for row in rows]

    def come_back(self) -> None:
        """Any cell may have changed while the list was not on the screen."""
        self.forget()
        for wording in [self.wording, *self.like]:
            for asked, word in cells_asked(self._bench.workspace, wording):
                self._note(asked, word)

    def changed(self, change: Change) -> None:
        """Takes in what happened to a cell; rows stay where they are."""
        self.forget(change.no)
        subject, words = change.after.subject, change.after.standings
        for instruction in subject.kind.standings(subject.trait, subject.kind.blank):
            self._note(AskedCell(change.no, instruction), words.get(instruction, ""))

    def _note(self, asked: AskedCell, word: str) -> None:
        """Takes note of how a row answers by now."""
        if asked in self._answers:
            self._counts[self._answers[asked]] -= 1
            self._counts[word] += 1
            self._answers[asked] = word

    @property
    def total(self) -> int:
        """How many rows there are, shown or not."""
        return len(self._answers)

    def answer(self, asked: AskedCell | None) -> str:
        """The word for how a row answers; "" for one without labels."""
        return self._answers.get(asked, "") if asked else ""

    def answers(self) -> dict[str, int]:
        """How often each answer stands, those that may be given first."""
        fields = dict.fromkeys(self.sayable.values(), 0)
        return fields | {word: count for word, count in self._counts.items() if word and count}

    @property
    def sayable(self) -> Mapping[str, str]:
        """The answers that may be given, and what each is called."""
        first = self.wording.asked[0]
        return answering_of(self.wording.kind).sayable(first.trait, first.instruction)

    @property
    def may_take_words(self) -> bool:
        """Whether an answer may have to be borne out by words of the response."""
        return answering_of(self.wording.kind).rests_on_words


class InstructionScreen(AnsweringScreen[AskedCell | None]):
    """The list; gives the cell to open."""

    NAME = "BY INSTRUCTION"
    WIDE = 125
    OWN = own_keys(
        "instruction",
        """\
offer  tab  Tab  offer(1)  another sentence as the one that an answer takes
before  shift+tab  Shift+Tab  offer(-1)  the sentence before
lines.choose  enter  Enter  -  open the cell there, to select words by hand; {back:(} comes back \
to this row
open  o  o  open  "
mark  x  x  mark('one')  mark the row, or let it go: answers then go to all marked rows
mark_to  w  w  mark('to')  mark all from the last mark to here
mark_up  shift+up  Shift+↑  mark('up')  mark while going
mark_down  shift+down  Shift+↓  mark('down')  "
mark_all  asterisk  *  mark('all')  mark all rows
like  t  t  rows('like')  with the instructions in like words of other questions, or without
only  f  f  rows('only')  only some rows: overruled, not signed off, those with one answer
order  O  O  rows('order')  the order of the rows
turn  space  Space  turn  the other answer, where there are two
scroll  plus  +  scroll(1)  scroll the response on
scroll_back  minus  -  scroll(-1)  ", and back
leave  escape,q  Esc  leave  let the marks go, then close the list""",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*OWN.bindings]
    SHARED = """\
cell.undo  turn_back('undo')
cell.redo  turn_back('redo')
item.reason  reason  say why the last answers were given, all of them at once
cell.flag  flag  set the flag of the cells, or take it down
text.none  take_none  the answer takes no words of the response
unreviewed.next  walk(1)  the next row whose cell is not signed off
unreviewed.previous  walk(-1)  the one before
by_instruction  leave  close the list"""
    STRIP = """\
2  answers
5  offer  sentence
8  text.none  no words
6  mark mark_to mark_all  mark
4  cell.undo  undo
10  item.reason  reason
11  unreviewed.next  next unsigned
3  lines.choose  its cell
9  only  only
1  help  keys
7  leave  back"""
    ANSWERS = "answer “{}”, and go on"

    def __init__(self, at: "Workplace", shown: InstructionList, here: AskedCell | None) -> None:
        super().__init__(at, shown, shown.wording.kind, shown.wording.asked[0].trait)
        self._shown, self._begin_at = shown, here
        self._response = ResponseView(id="response", marks=at.marks)
        self.texts = (self._response,)
        self._reason_line = Static(id="reason", markup=False)
        self._evidence = Vertical(self._response, self._reason_line, id="evidence")
        self._marked_last: AskedCell | None = None
        self._looking: Iterator[int] = iter(())
        self._counting: TimerHandle | None = None
        self._trace_names: list[str] = []

    def parts(self) -> Iterable[Widget]:
        return self.lines, self._evidence

    def on_mount(self) -> None:
        if self._shown.may_take_words:
            self.show_hints()
        else:
            self.show_hints("offer", "text.none")
        self.show_rows(self._begin_at)
        if self._shown.total == 1 and not self._shown.like:
            self.say(ALONE)

    def fit(self, size: Size) -> None:
        self.prompt.styles.max_height = max(size.height // SHARE, 2)
        self.count()

    # -- the rows ---------------------------------------------------------------------------------

    @property
    def here(self) -> AskedCell | None:
        """The cell under the cursor."""
        return self._shown.at(*self.lines.cursor)

    def show_rows(self, here: AskedCell | None) -> None:
        """Shows the rows there are, with the cursor on a cell, or near where it was."""
        self.show_rendered()
        empty = "No trace is asked this instruction."
        if self._shown.sorting.only:
            empty = "No cell is so ({instruction.only:f} shows others)."
        sections = []
        for group in self._shown.groups:
            header = None
            if len(self._shown.groups) > 1:
                right = (StyledText(many(len(group.cells), "cell"), "muted"),)
                header = ListRow(group.wording.text, right=right, style="header")
            rows = DrawnRows(group.cells, self._drawn)
            sections.append(ListSection(rows, header, empty, whole=self._few))
        self._trace_names = self._shown.names()
        self.lines.show(*sections)
        self._go(self._shown.places.get(here) if here else None)
        self.count()
        self.look()

    def _drawn(self, asked: AskedCell) -> ListRow:
        """A row: its cell, the answer, and the words in their context; where there are few rows,
        the words are below.
        """
        marks, width = self.marks, self.lines.scrollable_content_region.width
        row, left = self._shown.row(asked), list[StyledText]()
        if self._shown.marked:
            left.append(
                StyledText(f"{marks.marked if asked in self._shown.marked else ' '} ", "key")
            )
        longest = max(map(len, self._trace_names), default=LEAST)
        name = column(row.name, max(min(longest, MOST, width // 4), LEAST), marks)
        left += [
            StyledText(getattr(marks, row.state), row.state),
            StyledText(marks.flag if row.flag else " ", "flag"),
            StyledText(f"{name} "),
            answer_column(row.grounds, marks, WORD),
        ]
        right = tuple(_right(row, marks))
        if self._few:
            return ListRow("", tuple(left), right, below=(self._words(asked, 3 * width),))
        room = width - cells(left) - cells(right) - 4
        return ListRow("", (*left, *self._words(asked, room)), right)

    def _words(self, asked: AskedCell, room: int) -> tuple[StyledText, ...]:
        """The excerpt with the words around it, else what is proposed as one, else the reason."""
        row, offers = self._shown.row(asked), self._shown.offers(asked)
        offered = self._shown.show_offered(asked)
        grounds, response = row.grounds, row.trace.response
        if grounds.spans:
            return _in_context(response, grounds.spans[0], grounds.style, self.marks, room)
        text = response.lstrip()[: max(room, 0)]
        if grounds.loose or grounds.omission or (grounds.reason and not offers):
            return borne_out(grounds, response, self.marks)
        if offered:
            text = f"likely: {flat(response[slice(*offered)])}"
        elif offers:
            text = "taken without words of the response (0)"
        elif offers is not None:
            text = "no sentence shares words with it"
        return (StyledText(text, "muted"),)

    @property
    def _few(self) -> bool:
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

    def _go(self, place: tuple[int, int] | None) -> None:
        if place:
            self.lines.go(*place)

    # -- around them ------------------------------------------------------------------------------

    def count(self) -> None:
        """How often each answer stands, which rows are shown, and how many are marked."""
        shown, marks = self._shown, self.marks
        answers = shown.answers()
        texts = [self._heading, *(f"{word} {count}" for word, count in answers.items())]
        more = shown.total - sum(answers.values())
        if more > 0:
            texts.append(f"not judged {more}")
        self.counts.show([Part(spelt(" · ".join(texts), marks))])
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
        if not wording.is_global:
            text = f"of {many(len(wording.asked), 'question')}"
            return " · ".join(filter(None, (wording.trait, of, text)))
        return f"{wording.trait} · {of} {wording.instruction.number}" if of else wording.trait

    def look(self) -> None:
        """Shows the row under the cursor whole: its instruction, its response around the evidence,
        the judge's reason.
        """
        shown, section = self._shown, self.lines.cursor.section
        wording = shown.wording
        if section < len(shown.groups):
            wording = shown.groups[section].wording
        update_text(self.prompt, plain(wording.text))
        self._draw_rows()
        here = self.here
        if here is None:
            self._response.show("")
            entitle(self._evidence, "Response", "")
            update_text(self._reason_line, plain(""))
            return
        row = shown.row(here)
        spans = [
            StyledSpan(*span, row.grounds.style or "evidence", selected=not place)
            for place, span in enumerate(row.grounds.spans)
        ]
        spans += self.offered()
        self._response.show(row.trace.response, spans)
        title = " · ".join(filter(None, (row.name, row.trace.model)))
        subtitle = answer_text(row.grounds, self.marks)
        entitle(self._evidence, spelt(title, self.marks), spelt(subtitle, self.marks))
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
        """The marked rows in the order shown, else the one under the cursor."""
        if self._shown.marked:
            return [asked for asked in self._shown.everywhere() if asked in self._shown.marked]
        return super().aimed()

    def sayable(self) -> Mapping[str, str]:
        return self._shown.sayable

    def answer(self, answer: str) -> bool:
        """Gives an answer to the rows; from a single one that took it the cursor goes on."""
        lot = bool(self._shown.marked)
        if not self.aimed():
            self.say(NO_CELL)
        given = super().answer(answer)
        if given and not lot and not self.answers.refused:
            self.lines.action_move(1)
        return given

    def action_turn(self) -> None:
        self.turn_to(self._shown.answer(self.here))

    def action_turn_back(self, which: Which) -> Sequence[Change]:
        turned = super().action_turn_back(which)
        if turned:
            if self.here is None or self.here.cell != turned[0].no:
                self._go(self._shown.place_of(turned[0].no))
            self.look()
        return turned

    def action_walk(self, by: int) -> None:
        """The next row whose cell is not signed off, the first behind the last."""
        asked = self._shown.next_unsigned(self.here, by)
        if asked is None:
            self.say("Every cell of these is signed off.")
        elif asked == self.here:
            self.say("This is the only cell of these that is not signed off.")
        else:
            self._go(self._shown.places[asked])
            self.look()

    # -- marks ------------------------------------------------------------------------------------

    def action_mark(self, way: str) -> None:
        """Marks "one" row or lets it go, all "to" here, "all" there are, or on the way "up" or
        "down".
        """
        here, marked = self.here, self._shown.marked
        if here is None:
            self.say(NO_CELL)
            return
        match way:
            case "one":
                marked ^= {here}
                self.lines.action_move(1)
            case "to" if self._marked_last and self._marked_last in self._shown.places:
                marked.update(self._shown.between(self._marked_last, here))
            case "to":
                self.say(
                    "{instruction.mark:x} marks a row first; "
                    "{instruction.mark_to:w} then marks all from there to here."
                )
                return
            case "all":
                marked.update(self._shown.everywhere())
                text = f"{len(marked)} marked: an answer goes to all of them; Esc lets them go."
                self.say(text)
            case _:
                self.lines.action_move(1 if way == "down" else -1)
                marked.update({here, self.here or here})
                here = self.here or here
        self._marked_last = here
        self.redraw()

    # -- which rows -------------------------------------------------------------------------------

    def action_rows(self, what: str) -> None:
        """Has one choose "only" which rows are shown or their "order"; turns "like" ones on or
        off.
        """
        if what == "only":
            offered = ONLY | {word: f"those with “{word}”" for word in self._shown.answers()}
            begin(self._pick_sorting("Which rows", offered, what))
        elif what == "order":
            begin(self._pick_sorting("In which order", ORDERS, what))
        elif self._shown.like:
            self._shown.with_like = not self._shown.with_like
            self._sort(self._shown.sorting)
        else:
            self.say("No instruction is in like words.")

    async def _pick_sorting(self, title: str, offered: Mapping[str, str], what: str) -> None:
        choices = [Choice(key or "all", "", words) for key, words in offered.items()]
        key = await self.pick(Picker(title, choices, marks=self.marks))
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

    def signs(self) -> dict[str, str]:
        return {self.marks.marked: "marked: an answer goes to all such rows"}

    def action_leave(self) -> None:
        if self._shown.marked:
            self._shown.marked.clear()
            self.redraw()
        else:
            self.dismiss(None)


def _right(row: AskedRow, marks: Marks) -> Iterator[StyledText]:
    """That a person overruled the judge, and how a panel is split."""
    more = len(row.grounds.spans) - 1
    if more > 0:
        yield StyledText(f" (+{more})", "muted")
    if row.was:
        yield StyledText(f" was {row.was}", "corrected")
    if row.agreed:
        sign, style = (marks.split, "flag") if row.is_split else ("", "muted")
        yield StyledText(f" {sign}{row.agreed[0]}/{row.agreed[1]}", style)


def _in_context(
    response: str, span: Stretch, style: str, marks: Marks, room: int
) -> tuple[StyledText, ...]:
    """An excerpt in its style, the words before and behind it muted, in so many cells."""
    start, end = span
    before = flat(response[max(start - room, 0) : start])
    words = clip(response[start:end], room, marks)
    left = max(room // BEFORE, room - cell_width(words) - len(response) + end)
    shown = _last_words(before, min(left, room - cell_width(words)), marks)
    behind = flat(response[end : end + room])
    return (
        StyledText(shown, "muted"),
        StyledText(words, style or "key"),
        StyledText(behind.rstrip(), "muted"),
    )


def _last_words(text: str, room: int, marks: Marks) -> str:
    """The end of a text, from a word on, in so many cells."""
    text = text.lstrip()
    if cell_width(text) <= room:
        return text
    while text and cell_width(text) + cell_width(marks.ellipsis) > room:
        _, space, text = text.partition(" ")
        if not space:
            return ""
    return f"{marks.ellipsis}{text}" if text else ""
