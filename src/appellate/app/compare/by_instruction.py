"""One instruction down all cells that are asked it, to answer it by one measure.

A list outlives its screen. A row is read when it comes into sight; only sorting out rows reads all
of them, a few at a time.
"""

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget

from appellate.app.compare.asked import AskedCells, AskedRow, answering_of, row_of
from appellate.app.compare.screen import (
    WORD,
    Beside,
    CompareContext,
    ComparingScreen,
    Leave,
    Outcome,
    ShownRows,
    ShownText,
    answer_column,
    answer_text,
    bindings,
    borne_out,
    help_key,
    of_bench,
    together,
)
from appellate.core.kind import Grounds, Subject
from appellate.core.problem import many
from appellate.core.trace import name_of
from appellate.session.workbench import Change
from appellate.store.files.wordings import MAYBE, AskedCell, Wording, Wordings, cells_asked, maybe
from appellate.ui.bar import Part
from appellate.ui.contract import Choice
from appellate.ui.key import Act, Key, OwnAct, Strip
from appellate.ui.lines import ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.page import StyledSpan
from appellate.ui.rendered_text import cells
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import cell_width, clip, column, entitle, flat
from appellate.ui.text_view import ResponseView, TextView

NAMED = 64  # rows of a group by whose names the width of the column is chosen
LEAST = 6  # cells of a trace's name
MOST = 30
BEFORE = 4  # of a row's text, the part that is before the excerpt: one in so many
FEW = 30
"""Rows that may each take several lines: all of them are read for that."""
OVERRULED = "overruled"
UNSIGNED = "unsigned"
SPLIT = "split"
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


class WordingGroup(NamedTuple):
    """A wording and the cells that are asked it, as they are shown."""

    wording: Wording
    cells: list[AskedCell]


class InstructionList(AskedCells):
    """The cells of one wording, and of like ones if wanted; gives the cell to open."""

    NAME = "BY INSTRUCTION"

    def __init__(self, context: CompareContext, wordings: Wordings, wording: Wording) -> None:
        super().__init__(context, wording.kind, wording.asked[0].trait)
        self.wording = wording
        self.like = wordings.like(wording)
        self.with_like = bool(self.like) and not wording.is_global
        self.only = self.order = ""  # a key of `ONLY` or an answer's word, one of `ORDERS`
        self.groups: list[WordingGroup] = []
        self.places: dict[AskedCell, Cursor] = {}
        self._answers: dict[AskedCell, str] = {}
        self._counts: Counter[str] = Counter()
        self._sections: list[ListSection] = []
        self._show(self._everything())
        if len(self._answers) == 1 and not self.like:
            self.greeting = ALONE
        of = wording.kind.spelled.get(wording.of, "")
        self._name = f"{wording.trait} · {of} {wording.instruction.number}" if of else wording.trait
        if not wording.is_global:
            text = f"of {many(len(wording.asked), 'question')}"
            self._name = " · ".join(filter(None, (wording.trait, of, text)))

    # -- which rows ------------------------------------------------------------------------------

    def _everything(self) -> list[WordingGroup]:
        """The groups with all their rows; takes note of how each row answers."""
        self._answers, self._counts = {}, Counter()
        groups = []
        for wording in [self.wording, *(self.like if self.with_like else ())]:
            found = dict(cells_asked(self.bench.workspace, wording))
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
                self.places[asked] = Cursor(section, index)
        self.marked &= self.places.keys()
        self._few = len(self.places) <= FEW
        empty = "No trace is asked this instruction."
        if self.only:
            empty = "No cell matches ({instruction.only:f} shows others)."
        self._sections = []
        for wording, shown in self.groups:
            header = None
            if len(self.groups) > 1:
                right = (StyledText(many(len(shown), "cell"), "muted"),)
                header = ListRow(wording.text, right=right, style="header")
            rows = DrawnRows(shown, self._drawn)
            self._sections.append(ListSection(rows, header, empty, whole=self._few))
        numbers = [asked.cell for group in self.groups for asked in group.cells[:NAMED]]
        found = self.bench.workspace.cells.rows_of(dict.fromkeys(numbers))
        names = [len(name_of(row.trace_id, row.epoch)) for row in found]
        self._named = max(names, default=LEAST)

    @property
    def here(self) -> AskedCell | None:
        section, index = self.cursor
        if section < len(self.groups) and index < len(self.groups[section].cells):
            return self.groups[section].cells[index]
        return None

    def go(self, asked: AskedCell | None) -> None:
        """Puts the cursor on a row, where there is such."""
        if asked in self.places:
            self.cursor = self.places[asked]

    def _step(self, by: int) -> None:
        """Puts the cursor on the next row or the one before, where there is such."""
        section, index = self.cursor
        index += by
        while not 0 <= index < len(self.groups[section].cells):
            section += by
            if not 0 <= section < len(self.groups):
                return
            index = 0 if by > 0 else len(self.groups[section].cells) - 1
        self.cursor = Cursor(section, index)

    def sort_out(self, only: str, order: str) -> Iterator[str]:
        """Shows the rows asked for; says before each cell to look at how many it has done."""
        groups = self._everything()
        wanted = set(self._answers)
        if only in MAYBE:
            wanted = yield from self._true(only)
        elif only:
            wanted = {one for one, word in self._answers.items() if word == only}
        first: set[AskedCell] = set()
        if order == SPLIT:
            first = yield from self._true(SPLIT)
        words = [*self.answers(), ""]
        for group in groups:
            group.cells[:] = [asked for asked in group.cells if asked in wanted]
            if order == ANSWER:
                group.cells.sort(key=lambda asked: words.index(self._answers[asked]))
            elif order == SPLIT:
                group.cells.sort(key=lambda asked: asked not in first)
        self.only = only
        self.order = order
        self._show(groups)

    def _true(self, what: str) -> Generator[str, None, set[AskedCell]]:
        """The rows of which something is true; only cells of which it may be are looked at."""
        cells = maybe(self.bench.workspace, self.wording.trait, what)
        likely = [asked for asked in self._answers if asked.cell in cells]
        if what == UNSIGNED:
            return set(likely)
        found = set()
        for count, asked in enumerate(likely):
            yield f"Looked through {count} cells …"
            row = row_of(self.bench.workspace.cell(asked.cell)[1].shown, asked.instruction)
            if (what == SPLIT and row.is_split) or (what == OVERRULED and row.was):
                found.add(asked)
        return found

    # -- what is known of them -------------------------------------------------------------------

    def come_back(self) -> None:
        super().come_back()
        for wording in [self.wording, *self.like]:
            for asked, word in cells_asked(self.bench.workspace, wording):
                self._note(asked, word)

    def changed(self, change: Change) -> bool:
        """Takes in what happened to a cell; rows stay where they are."""
        subject = change.after.subject
        words = change.after.standings
        for instruction in subject.kind.standings(subject.trait, subject.kind.blank):
            self._note(AskedCell(change.no, instruction), words.get(instruction, ""))
        return super().changed(change)

    def _note(self, asked: AskedCell, word: str) -> None:
        """Takes note of how a row answers by now."""
        if asked in self._answers:
            self._counts[self._answers[asked]] -= 1
            self._counts[word] += 1
            self._answers[asked] = word

    def answers(self) -> dict[str, int]:
        """How often each answer is given, those that a person may give first."""
        fields = dict.fromkeys(self.sayable().values(), 0)
        return fields | {word: count for word, count in self._counts.items() if word and count}

    def sayable(self) -> Mapping[str, str]:
        first = self.wording.asked[0]
        return answering_of(self.wording.kind).sayable(first.trait, first.instruction)

    # -- what is shown ----------------------------------------------------------------------------

    def rows(self) -> ShownRows:
        """The rows, how often each answer is given, which rows these are, how many are marked."""
        answers = self.answers()
        total = len(self._answers)
        texts = [self._name, *(f"{word} {count}" for word, count in answers.items())]
        more = total - sum(answers.values())
        if more > 0:
            texts.append(f"not judged {more}")
        left = [Part(spelt(" · ".join(texts), self.marks))]
        title = [many(len(self.places), "cell")]
        if self.only:
            shown_only = ONLY.get(self.only, f"those with “{self.only}”")
            title = [f"{len(self.places)} of {total}", shown_only]
        if self.order:
            title.append(ORDERS[self.order])
        if self.like and not self.with_like:
            title.append(f"{many(len(self.like), 'like instruction')}: t")
        marked = f"{self.marks.marked} {len(self.marked)} marked" if self.marked else ""
        return ShownRows(self._sections, left, (), " · ".join(title), marked)

    def _drawn(self, asked: AskedCell) -> ListRow:
        """A row: its cell, the answer, the words in context, or below where there are few rows."""
        marks = self.marks
        width = self.width()
        cell = self.known(asked.cell).cell
        row = self.row(asked)
        left = list[StyledText]()
        if self.marked:
            left.append(StyledText(f"{marks.marked if asked in self.marked else ' '} ", "key"))
        name = column(
            name_of(*cell.subject.trace.key), max(min(self._named, MOST, width // 4), LEAST), marks
        )
        left += [
            StyledText(getattr(marks, cell.state), cell.state),
            StyledText(marks.flag if cell.flag else " ", "flag"),
            StyledText(f"{name} "),
            answer_column(row.grounds, marks, WORD),
        ]
        right = tuple(_right(row, marks))
        if self._few:
            return ListRow("", tuple(left), right, below=(self._excerpt(asked, 3 * width),))
        room = width - cells(left) - cells(right) - 4
        return ListRow("", (*left, *self._excerpt(asked, room)), right)

    def _excerpt(self, asked: AskedCell, room: int) -> tuple[StyledText, ...]:
        """The excerpt with the words around it, else what is proposed as one, else the reason."""
        row = self.row(asked)
        offers = self.offers(asked)
        offered = self.offered(asked)
        subject = self.known(asked.cell).cell.subject
        grounds = row.grounds
        response = subject.text
        if grounds.spans:
            return self._in_context(subject, grounds, room)
        if grounds.loose or grounds.omission or (grounds.reason and not offers):
            return borne_out(grounds, subject, self.marks)
        text = subject.trace.response.lstrip()[: max(room, 0)]
        if offered:
            text = f"likely: {flat(response[slice(*offered)])}"
        elif offers:
            text = "taken without words of the response (0)"
        elif offers is not None:
            text = "no sentence shares words with it"
        return (StyledText(text, "muted"),)

    def _in_context(self, subject: Subject, grounds: Grounds, room: int) -> tuple[StyledText, ...]:
        """The first excerpt of an answer with words around it; of a conversation in its step."""
        start, end = grounds.spans[0]
        step = subject.transcript.step_of((start, end)) if subject.transcript else None
        if step is None:
            return _in_context(subject.text, (start, end), grounds.style, self.marks, room)
        sign = f"[{step.no}] "
        first = step.start
        if start < step.start and step.name_start is not None:  # what its heading says was called
            first = step.name_start
        words = subject.text[first : step.end]
        span = start - first, end - first
        shown = _in_context(words, span, grounds.style, self.marks, room - cell_width(sign))
        return (StyledText(sign, "muted"), *shown)

    def beside(self) -> Beside:
        """The row under the cursor whole: instruction, response around the evidence, reason."""
        here = self.here
        wording = self.groups[self.cursor.section].wording
        if here is None:
            return Beside(wording.text, [ShownText("", title="Response")])
        row = self.row(here)
        trace = self.known(here.cell).cell.subject.trace
        spans = [
            StyledSpan(*span, row.grounds.style or "evidence", selected=not place)
            for place, span in enumerate(row.grounds.spans)
        ]
        spans += self.offered_spans()
        revealed = (spans[-1].start, spans[-1].end) if spans else None
        title = " · ".join(filter(None, (name_of(*trace.key), trace.model)))
        answer = answer_text(row.grounds, self.marks)
        text = ShownText(trace.text, spans, revealed, title, answer, transcript=trace.transcript)
        reason = f"judge: {row.grounds.reason}" if row.grounds.reason else ""
        return Beside(wording.text, [text], reason)

    def strip(self, keys: Sequence[Key]) -> Sequence[Key]:
        if answering_of(self.wording.kind).rests_on_words:
            return keys
        return [key for key in keys if key.id not in ("instruction.offer", "text.none")]

    def signs(self) -> dict[str, str]:
        return {self.marks.marked: "marked: an answer goes to all such rows"}

    # -- acts -------------------------------------------------------------------------------------

    def aimed(self) -> list[AskedCell]:
        """The marked rows in the order shown, else the one under the cursor."""
        if self.marked:
            return [asked for asked in self.places if asked in self.marked]
        return super().aimed()

    def answer(self, answer: str) -> Outcome:
        """Gives an answer to the rows; where it was one that took it the cursor goes on."""
        lot = bool(self.marked)
        if not self.aimed():
            return NO_CELL
        outcome = super().answer(answer)
        if not lot and not self.refused:
            self._step(1)
        return outcome

    def turn(self) -> Outcome:
        return self.turn_to(self._answers.get(self.here, "") if self.here else "")

    def in_sight(self) -> Collection[int]:
        return {asked.cell for asked in self.places}

    def turned(self, changes: Sequence[Change]) -> None:
        if self.here is None or self.here.cell != changes[0].no:
            self.go(next((one for one in self.places if one.cell == changes[0].no), None))

    def walk(self, by: int) -> Outcome:
        """The next row whose cell is not signed off, the first behind the last."""
        rows = [*self.places]
        here = self.here
        if here is not None:
            at = rows.index(here)
            rows = [*rows[at + 1 :], *rows[: at + 1]]
        if by < 0:
            rows = [*rows[-2::-1], *rows[-1:]]
        unsigned = maybe(self.bench.workspace, self.wording.trait, UNSIGNED)
        found = next((asked for asked in rows if asked.cell in unsigned), None)
        if found is None:
            return "Every cell of these is signed off."
        if found == here:
            return "This is the only cell of these that is not signed off."
        self.go(found)
        return ""

    def mark(self) -> Outcome:
        """Marks the row or unmarks it, and goes on to the next."""
        if self.here is None:
            return NO_CELL
        self.marked ^= {self.here}
        self._step(1)
        return ""

    async def choose(self, what: str) -> Outcome:
        """Has one choose "only" which rows are shown, or their "order"."""
        title = "In which order"
        offered = ORDERS
        if what == "only":
            title = "Which rows"
            offered = ONLY | {word: f"those with “{word}”" for word in self.answers()}
        choices = [Choice(key or "all", "", words) for key, words in offered.items()]
        key = await self.pick(title, choices)
        chosen = {"only": self.only, "order": self.order, what: "" if key == "all" else key}
        return self.sort_out(**chosen)

    def turn_like(self) -> Outcome:
        """Shows the cells of like instructions, too, or leaves them out."""
        if not self.like:
            return "No instruction is in like words."
        self.with_like = not self.with_like
        return self.sort_out(self.only, self.order)

    def open(self) -> Outcome:
        return Leave(self.here) if self.here else ""

    def leave(self) -> Outcome:
        if not self.marked:
            return Leave()
        self.marked.clear()
        return ""


class InstructionScreen(ComparingScreen):
    """The list above the response and the judge's reason, or beside them."""

    WIDE = 125

    def parts(self) -> Iterable[Widget]:
        self.texts = [ResponseView(id="response", marks=self.marks)]
        self.evidence = Vertical(*self.texts, self.note, id="evidence")
        return self.lines, self.evidence

    def entitle(self, _: TextView, shown: ShownText) -> None:
        entitle(self.evidence, spelt(shown.title, self.marks), spelt(shown.subtitle, self.marks))

    # -- keys --------------------------------------------------------------------------------------

    KEYS = (
        help_key("instruction.help", Strip(1, 10)),
        Key(
            "instruction.offer",
            "tab",
            "sentence",
            "another sentence as the one that an answer takes",
            Act(AskedCells.offer, 1),
            shown="Tab",
            strip=Strip(5, 2),
        ),
        Key(
            "instruction.before",
            "shift+tab",
            "",
            "the sentence before",
            Act(AskedCells.offer, -1),
            shown="Shift+Tab",
        ),
        *together(
            "open the cell there, to select words by hand; {back:(} comes back to this row",
            Key("lines.choose", "enter", "its cell", "", shown="Enter", strip=Strip(3, 8)),
            Key("instruction.open", "o", "", "", Act(InstructionList.open)),
        ),
        Key(
            "instruction.mark",
            "x",
            "mark",
            "mark the row, or unmark it: answers then go to all marked rows",
            Act(InstructionList.mark),
            strip=Strip(6, 4),
        ),
        Key(
            "instruction.like",
            "t",
            "",
            "with the instructions in like words of other questions, or without",
            Act(InstructionList.turn_like),
        ),
        Key(
            "instruction.only",
            "f",
            "only",
            "only some rows: overruled, not signed off, those with one answer",
            Act(InstructionList.choose, "only"),
            strip=Strip(9, 9),
        ),
        Key(
            "instruction.order",
            "O",
            "",
            "the order of the rows",
            Act(InstructionList.choose, "order"),
        ),
        Key(
            "instruction.turn",
            "space",
            "",
            "the other answer, where there are two",
            Act(InstructionList.turn),
            shown="Space",
        ),
        *together(
            "scroll the response on, and back",
            Key(
                "instruction.scroll",
                "plus",
                "",
                "scroll the response on",
                OwnAct(ComparingScreen.scroll_texts, 1),
                shown="+",
            ),
            Key(
                "instruction.scroll_back",
                "minus",
                "",
                "back",
                OwnAct(ComparingScreen.scroll_texts, -1),
                shown="-",
            ),
        ),
        Key(
            "instruction.leave",
            "escape,q",
            "back",
            "let the marks go, then close the list",
            Act(InstructionList.leave),
            shown="Esc",
            strip=Strip(7, 11),
        ),
    )
    ANSWER = Key("answers", "", "", "answer “{}”, and go on", strip=Strip(2, 1))
    OF_BENCH = (
        of_bench("cell.undo", Act(AskedCells.turn_back, "undo"), "undo", strip=Strip(4, 5)),
        of_bench("cell.redo", Act(AskedCells.turn_back, "redo")),
        of_bench(
            "item.reason",
            Act(AskedCells.reason),
            "reason",
            "say why the last answers were given, all of them at once",
            strip=Strip(10, 6),
        ),
        of_bench(
            "cell.flag", Act(AskedCells.flag), text="set the flag of the cells, or take it down"
        ),
        of_bench(
            "text.none",
            Act(AskedCells.take_none),
            "no words",
            "the answer takes no words of the response",
            strip=Strip(8, 3),
        ),
        of_bench(
            "unreviewed.next",
            Act(InstructionList.walk, 1),
            "next unsigned",
            "the next row whose cell is not signed off",
            strip=Strip(11, 7),
        ),
        of_bench("unreviewed.previous", Act(InstructionList.walk, -1), text="the one before"),
        of_bench("by_instruction", Act(InstructionList.leave), text="close the list"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)


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
