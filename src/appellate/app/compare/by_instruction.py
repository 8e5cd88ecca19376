"""The list of all cells with one instruction, to answer it everywhere by the same standard.

An `InstructionList` is kept when its screen closes. A row is read when it is drawn. Only filtering
and sorting read all rows, a few at a time.
"""

from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

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
from appellate.core.kind import Subject
from appellate.core.problem import many
from appellate.core.trace import name_of
from appellate.session.workbench import Change
from appellate.store.files.wordings import (
    MAYBE,
    AskedCell,
    Wording,
    Wordings,
    cells_asked,
    maybe,
)
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

NAMED = 64
"""Number of rows of a group whose names decide the width of the column of names."""
LEAST = 6
"""Columns that a trace's name has at least."""
MOST = 30
"""Columns that a trace's name has at most."""
BEFORE = 4
"""One in this many columns of a row's text is for the words before the excerpt."""
FEW = 30
"""Number of rows up to which each may take several lines; all of them are read for that."""
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
"""The filters of the list, besides one for each answer."""
ORDERS = {
    "": "as the traces were loaded",
    ANSWER: "by answer",
    SPLIT: "those on which the panel differs first",
}
NO_CELL = "There is no cell here."
ALONE = "Only this cell is asked this instruction, and no other is in like words."


class WordingGroup(NamedTuple):
    """A wording of an instruction, and the rows of its cells that are shown."""

    wording: Wording
    cells: list[AskedCell]


class InstructionList(AskedCells):
    """The cells of one wording of an instruction, and of similar wordings if wanted.

    Its screen closes with the cell to open.
    """

    NAME = "BY INSTRUCTION"

    def __init__(
        self,
        context: CompareContext,
        wordings: Wordings,
        wording: Wording,
    ) -> None:
        """Read all rows of a wording and show them, unfiltered, in the order of their cells.

        Rows of similar wordings are shown from the start, except for a wording of the
        rubric's traits for every trace.
        """
        super().__init__(context, wording.kind, wording.asked[0].trait)
        self.wording = wording
        self.like = wordings.like(wording)
        self.with_like = bool(self.like) and not wording.is_global
        self.only = ""
        """The filter: a key of `ONLY`, or the word of an answer."""
        self.order = ""
        """The order: a key of `ORDERS`."""
        self.groups: list[WordingGroup] = []
        self.places: dict[AskedCell, Cursor] = {}
        """Where each shown row is."""
        self._answers: dict[AskedCell, str] = {}
        """The current answer of every row, shown or not."""
        self._counts: Counter[str] = Counter()
        """How often each answer is given."""
        self._sections: list[ListSection] = []
        self._set_groups(self._read_groups())
        if len(self._answers) == 1 and not self.like:
            self.greeting = ALONE
        self._name = self._name_of(wording)

    @staticmethod
    def _name_of(wording: Wording) -> str:
        """Return what the list is about, its parts separated by " · ".

        For a wording of all traces they are the trait and the list with the number, as "facts · TP
        3"; for one of single questions the trait, the list and "of 4 questions". A list without a
        name is left out.
        """
        parts = [wording.trait]
        list_name = wording.kind.spelled.get(wording.of, "")
        if wording.is_global:
            if list_name:
                parts.append(f"{list_name} {wording.instruction.number}")
            return " · ".join(parts)
        if list_name:
            parts.append(list_name)
        questions = many(len(wording.asked), "question")
        parts.append(f"of {questions}")
        return " · ".join(filter(None, parts))

    # -- which rows ------------------------------------------------------------------------------

    def _read_groups(self) -> list[WordingGroup]:
        """Read all rows again, shown or not, and return them in groups, one for each wording.

        Notes the current answer of each row, and how often each is given. Similar wordings are
        there only if they are wanted. Nothing is filtered or sorted.
        """
        self._answers = {}
        self._counts = Counter()
        groups: list[WordingGroup] = []
        wordings = [self.wording]
        if self.with_like:
            wordings += self.like
        for wording in wordings:
            answers = dict(cells_asked(self.bench.workspace, wording))
            self._answers |= answers
            self._counts.update(answers.values())
            groups.append(WordingGroup(wording, list(answers)))
        return groups

    def _set_groups(self, groups: Iterable[WordingGroup]) -> None:
        """Set the groups of rows of the list; rows that are no longer in them are unmarked.

        Empty groups are left out, except that of the list's own wording. Groups have headers if
        there are several. The cursor stays where it is. Nothing is drawn yet: the screen draws the
        list after the act.
        """
        self.groups = [
            group for group in groups if group.cells or group.wording is self.wording
        ]
        self.places = {}
        for section, group in enumerate(self.groups):
            for index, asked_cell in enumerate(group.cells):
                self.places[asked_cell] = Cursor(section, index)
        self.marked &= self.places.keys()
        self._has_few_rows = len(self.places) <= FEW
        empty = "No trace is asked this instruction."
        if self.only:
            empty = "No cell matches ({instruction.only:f} shows others)."
        self._sections = []
        for wording, asked_cells in self.groups:
            header = None
            if len(self.groups) > 1:
                right = (StyledText(many(len(asked_cells), "cell"), "muted"),)
                header = ListRow(wording.text, right=right, style="header")
            rows = DrawnRows(asked_cells, self._drawn_row)
            self._sections.append(
                ListSection(rows, header, empty, whole=self._has_few_rows),
            )
        self._name_width = self._longest_name()

    def _longest_name(self) -> int:
        """Return the most characters of a trace name among the first rows of each group.

        Of a group, `NAMED` rows are read. Returns `LEAST` for a list without rows.
        """
        numbers: list[int] = []
        for group in self.groups:
            numbers += [asked_cell.cell for asked_cell in group.cells[:NAMED]]
        rows = self.bench.workspace.cells.rows_of(dict.fromkeys(numbers))
        return max(
            (len(name_of(row.trace_id, row.epoch)) for row in rows),
            default=LEAST,
        )

    @property
    def current_row(self) -> AskedCell | None:
        """The row under the cursor; None in an empty group, or after the last row."""
        section, index = self.cursor
        if section >= len(self.groups):
            return None
        cells = self.groups[section].cells
        return cells[index] if index < len(cells) else None

    def go(self, asked_cell: AskedCell | None) -> None:
        """Put the cursor on a row, if it is shown; otherwise, and for None, it stays.

        Nothing is drawn yet.
        """
        if asked_cell in self.places:
            self.cursor = self.places[asked_cell]

    def _move_cursor(self, by: Literal[1, -1]) -> None:
        """Put the cursor on the next row (1) or the one before (-1), also in another group.

        Empty groups are passed over. If there is none, the cursor stays.
        """
        section, index = self.cursor
        index += by
        while not 0 <= index < len(self.groups[section].cells):
            section += by
            if not 0 <= section < len(self.groups):
                return
            index = 0 if by > 0 else len(self.groups[section].cells) - 1
        self.cursor = Cursor(section, index)

    def sort_out(self, only: str, order: str) -> Iterator[str]:
        """Read, filter and sort the rows, and show them; yield the progress before a cell is read.

        `only` is a key of `ONLY` or the word of an answer, `order` a key of `ORDERS`. Cells are
        read only to find overruled answers and panels that differ. Rows are sorted within their
        groups; by answer, those without one come last. The new rows are shown, and filter and order
        noted, once the iterator is at its end. Rows that are no longer shown are unmarked then.
        """
        groups = self._read_groups()
        selected = set(self._answers)
        if only in MAYBE:
            selected = yield from self._read_matching(only)
        elif only:
            selected = {
                asked_cell for asked_cell, word in self._answers.items() if word == only
            }
        first: set[AskedCell] = set()
        if order == SPLIT:
            first = yield from self._read_matching(SPLIT)
        words = [*self.answers(), ""]
        for group in groups:
            group.cells[:] = [
                asked_cell for asked_cell in group.cells if asked_cell in selected
            ]
            if order == ANSWER:
                group.cells.sort(
                    key=lambda asked_cell: words.index(self._answers[asked_cell]),
                )
            elif order == SPLIT:
                group.cells.sort(key=lambda asked_cell: asked_cell not in first)
        self.only = only
        self.order = order
        self._set_groups(groups)

    def _read_matching(self, condition: str) -> Generator[str, None, set[AskedCell]]:
        """Yield the progress before each cell that is read; at the end, return the rows that match.

        `condition` is a key of `MAYBE`. Only cells that may match are read. For cells that are not
        signed off none is read, so nothing is yielded.
        """
        cells = maybe(self.bench.workspace, self.wording.trait, condition)
        candidates = [
            asked_cell for asked_cell in self._answers if asked_cell.cell in cells
        ]
        if condition == UNSIGNED:
            return set(candidates)
        matching: set[AskedCell] = set()
        for count, asked_cell in enumerate(candidates):
            cells_text = many(count, "cell")
            yield f"Looked through {cells_text} …"
            row = row_of(
                self.bench.workspace.cell(asked_cell.cell)[1].shown,
                asked_cell.instruction,
            )
            if (condition == SPLIT and row.is_split) or (
                condition == OVERRULED and row.overruled
            ):
                matching.add(asked_cell)
        return matching

    # -- what is known of them -------------------------------------------------------------------

    def come_back(self) -> None:
        """Get ready to be shown again: read the answers of all rows, since they may have changed.

        Which rows are shown, their order and their marks stay. Which answers were given last is
        forgotten, so that no reason can be given for them any more.
        """
        super().come_back()
        for wording in [self.wording, *self.like]:
            for asked_cell, word in cells_asked(self.bench.workspace, wording):
                self._note_answer(asked_cell, word)

    def changed(self, change: Change) -> bool:
        """Note the new answers of a changed cell, and have it read again.

        Returns True: the rows are to be drawn again. Rows of the cell keep their places, whatever
        the filter and the order.
        """
        subject = change.after.subject
        words = change.after.standings
        instructions = subject.kind.standings(subject.trait, subject.kind.blank)
        for instruction in instructions:
            row = AskedCell(change.no, instruction)
            self._note_answer(row, words.get(instruction, ""))
        return super().changed(change)

    def _note_answer(self, asked_cell: AskedCell, word: str) -> None:
        """Note the current answer of a row and correct the counts.

        A row that the list lacks changes nothing. `word` is the answer as shown, "" for none.
        """
        if asked_cell in self._answers:
            self._counts[self._answers[asked_cell]] -= 1
            self._counts[word] += 1
            self._answers[asked_cell] = word

    def answers(self) -> dict[str, int]:
        """Return how often each answer is given; answers that a person can give come first.

        Those are there even if given 0 times; other answers only if they are given.
        """
        counts = dict.fromkeys(self.sayable().values(), 0)
        for word, count in self._counts.items():
            if word and count:
                counts[word] = count
        return counts

    def sayable(self) -> Mapping[str, str]:
        first = self.wording.asked[0]
        return answering_of(self.wording.kind).sayable(first.trait, first.instruction)

    # -- what is shown ----------------------------------------------------------------------------

    def rows(self) -> ShownRows:
        """Return the rows that are shown, in their groups, with what stands around them.

        Above them are how often each answer is given, in all rows, and how many have none. The
        title has the filter, the order, and how many similar instructions are left out. Below is
        how many are marked.
        """
        marked = ""
        if self.marked:
            marked = f"{self.marks.marked} {len(self.marked)} marked"
        answers = Part(spelt(self._answer_counts(), self.marks))
        return ShownRows(self._sections, [answers], (), self._rows_title(), marked)

    def _answer_counts(self) -> str:
        """Return the list's name, and each answer in all of its rows with its number.

        The parts, such as "met 5", are separated by " · ". If rows have no answer, "not judged" and
        their number come last. Signs are not yet spelt in ASCII.
        """
        answers = self.answers()
        texts = [self._name]
        for word, count in answers.items():
            texts.append(f"{word} {count}")
        unjudged = len(self._answers) - sum(answers.values())
        if unjudged > 0:
            texts.append(f"not judged {unjudged}")
        return " · ".join(texts)

    def _rows_title(self) -> str:
        """Return how many rows are shown, by which filter and in which order, separated by " · ".

        If similar instructions are left out, their number and the reviewer's key that adds them
        come last.
        """
        texts = [many(len(self.places), "cell")]
        if self.only:
            filter_text = ONLY.get(self.only, f"those with “{self.only}”")
            texts = [f"{len(self.places)} of {len(self._answers)}", filter_text]
        if self.order:
            texts.append(ORDERS[self.order])
        if self.like and not self.with_like:
            left_out = many(len(self.like), "like instruction")
            texts.append(f"{left_out}: {{instruction.like:t}}")
        return self.context.with_own_keys(" · ".join(texts))

    def _drawn_row(self, asked_cell: AskedCell) -> ListRow:
        """Return the line of a row: its mark, cell, answer and excerpt, and the votes at its end.

        The mark is there only while rows are marked. In a list of up to `FEW` rows the excerpt
        stands below, in up to three lines; else it is cut to what fits on the line.
        """
        marks = self.marks
        width = self.width()
        cell = self.known_cell(asked_cell.cell).cell
        row = self.row(asked_cell)
        left = list[StyledText]()
        if self.marked:
            left.append(
                StyledText(
                    f"{marks.marked if asked_cell in self.marked else ' '} ",
                    "key",
                ),
            )
        name_width = max(min(self._name_width, MOST, width // 4), LEAST)
        name = column(name_of(*cell.subject.trace.key), name_width, marks)
        left += [
            StyledText(getattr(marks, cell.state), cell.state),
            StyledText(marks.flag if cell.flag else " ", "flag"),
            StyledText(f"{name} "),
            answer_column(row.grounds, marks, WORD),
        ]
        right = tuple(_row_end(row, marks))
        if self._has_few_rows:
            return ListRow(
                "",
                tuple(left),
                right,
                below=(self._excerpt(asked_cell, 3 * width),),
            )
        excerpt_width = width - cells(left) - cells(right) - 4
        return ListRow("", (*left, *self._excerpt(asked_cell, excerpt_width)), right)

    def _excerpt(self, asked_cell: AskedCell, width: int) -> tuple[StyledText, ...]:
        """Return what the text of a row is: the first of these that there is.

        - the first excerpt that the answer is based on, with words around it
        - that this excerpt is not in the text, or that the answer is by omission
        - the judge's reason, if there are no suggested words
        - the suggested words that an answer would take, or that it takes none
        - if answers take words, that no sentence has any to suggest
        - the beginning of the response

        The first and the last are cut to about `width` columns, the others are not. The suggestion
        counts as seen.
        """
        row = self.row(asked_cell)
        offers = self.offers(asked_cell)
        offered = self.offered(asked_cell)
        subject = self.known_cell(asked_cell.cell).cell.subject
        grounds = row.grounds
        response = subject.text
        if grounds.spans:
            first_span = grounds.spans[0]
            return _excerpt_in_context(
                subject,
                first_span,
                grounds.style,
                self.marks,
                width,
            )
        if grounds.loose or grounds.omission or (grounds.reason and not offers):
            return borne_out(grounds, subject, self.marks)
        text = subject.trace.response.lstrip()[: max(width, 0)]
        if offered:
            text = f"likely: {flat(response[slice(*offered)])}"
        elif offers:
            key = self.context.with_own_keys(" ({text.none:0})")
            text = f"taken without words of the response{key}"
        elif offers is not None:
            text = "no sentence shares words with it"
        return (StyledText(text, "muted"),)

    def beside(self) -> Beside:
        """Return the row under the cursor in full: instruction, response, evidence, reason.

        The response is scrolled to the words that an answer would take, or to the first excerpt.
        The suggestion counts as seen. In an empty group there is only the instruction, above an
        empty response.
        """
        current_row = self.current_row
        wording = self.groups[self.cursor.section].wording
        if current_row is None:
            return Beside(wording.text, [ShownText("", title="Response")])
        row = self.row(current_row)
        trace = self.known_cell(current_row.cell).cell.subject.trace
        spans = [
            StyledSpan(*span, row.grounds.style or "evidence", selected=index == 0)
            for index, span in enumerate(row.grounds.spans)
        ]
        offered = self.offered_spans()
        spans += offered
        revealed = None
        if spans:
            first, *_ = offered or spans
            revealed = (first.start, first.end)
        title = " · ".join(filter(None, (name_of(*trace.key), trace.model)))
        answer = answer_text(row.grounds, self.marks)
        text = ShownText(
            trace.text,
            spans,
            revealed,
            title,
            answer,
            transcript=trace.transcript,
        )
        reason = f"judge: {row.grounds.reason}" if row.grounds.reason else ""
        return Beside(wording.text, [text], reason)

    def strip(self, keys: Sequence[Key]) -> Sequence[Key]:
        """Return the keys that the strip may show: all, or those without suggested words.

        The latter if answers of this kind of trait take no words.
        """
        if answering_of(self.wording.kind).rests_on_words:
            return keys
        return [key for key in keys if key.id not in ("instruction.offer", "text.none")]

    def signs(self) -> dict[str, str]:
        return {self.marks.marked: "marked: an answer goes to all such rows"}

    # -- acts -------------------------------------------------------------------------------------

    def aimed(self) -> list[AskedCell]:
        """Return the marked rows in the order shown, or the row under the cursor if none are."""
        if self.marked:
            return [
                asked_cell for asked_cell in self.places if asked_cell in self.marked
            ]
        return super().aimed()

    def answer(self, answer: str) -> Outcome:
        """Give an answer to the marked rows, or to the row under the cursor if none are marked.

        The cursor goes on if no rows were marked and the row took the answer, or had it already.
        Returns how many took it, and why others did not, or that there is no row. Of a single row
        that took it only what else changed is told, "" if nothing did. Raises Refused in a session
        that only reads, and NotKept if it cannot be saved.
        """
        had_marks = bool(self.marked)
        if not self.aimed():
            return NO_CELL
        outcome = super().answer(answer)
        if not had_marks and not self.refused:
            self._move_cursor(1)
        return outcome

    def turn(self) -> Outcome:
        """Give the row under the cursor, or the marked rows if any are, the other answer of two.

        It is the other than that of the row under the cursor. Returns as `answer` does, or a
        sentence that there is no such answer: a row without an answer, and rows with more than two
        answers, have none. Raises Refused in a session that only reads, and NotKept if it cannot be
        saved.
        """
        return self.turn_to(
            self._answers.get(self.current_row, "") if self.current_row else "",
        )

    def in_sight(self) -> Collection[int]:
        return {asked_cell.cell for asked_cell in self.places}

    def turned(self, changes: Sequence[Change]) -> None:
        """Put the cursor on the first row of the first cell that was undone or redone.

        If it is in that cell already, or the list does not show the cell, the cursor stays.
        `changes` are those of the act, at least one.
        """
        changed_no = changes[0].no
        if self.current_row is not None and self.current_row.cell == changed_no:
            return
        for asked_cell in self.places:
            if asked_cell.cell == changed_no:
                self.go(asked_cell)
                return

    def walk(self, by: int) -> Outcome:
        """Go to the next row (1) or the one before (-1) whose cell is not signed off.

        Returns "". After the last row comes the first. Without a row under the cursor, it goes to
        the first or the last one that is not signed off. If there is no other such row, the cursor
        stays and a sentence says so.
        """
        rows = list(self.places)
        current = self.current_row
        unsigned = maybe(self.bench.workspace, self.wording.trait, UNSIGNED)
        # without a row, on to the first one or back to the last
        start = -1 if by > 0 else 0
        if current is not None:
            start = rows.index(current)
        # the last step is back at the current row
        for distance in range(1, len(rows) + 1):
            row = rows[(start + by * distance) % len(rows)]
            if row.cell not in unsigned:
                continue
            if row == current:
                return "This is the only cell of these that is not signed off."
            self.go(row)
            return ""
        return "Every cell of these is signed off."

    def mark(self) -> Outcome:
        """Mark the row under the cursor, or unmark it, and go on to the next row; return "".

        In an empty group return that there is no cell.
        """
        if self.current_row is None:
            return NO_CELL
        self.marked ^= {self.current_row}
        self._move_cursor(1)
        return ""

    async def choose(self, setting: Literal["only", "order"]) -> Outcome:
        """Ask which rows to show, or in which order, and do so.

        Returns the iterator that filters and sorts. Raises Left if the reviewer leaves the
        question.
        """
        title = "In which order"
        texts = ORDERS
        if setting == "only":
            title = "Which rows"
            texts = ONLY | {word: f"those with “{word}”" for word in self.answers()}
        choices = [Choice(key or "all", "", text) for key, text in texts.items()]
        key = await self.pick(title, choices)
        settings = {"only": self.only, "order": self.order}
        settings[setting] = "" if key == "all" else key
        return self.sort_out(**settings)

    def turn_like(self) -> Outcome:
        """Show the cells of similar instructions too, or leave them out again.

        Returns the iterator that reads, filters and sorts the rows, or that no instruction is
        similar. The rows are other ones once that iterator is at its end.
        """
        if not self.like:
            return "No instruction is in like words."
        self.with_like = not self.with_like
        return self.sort_out(self.only, self.order)

    def open(self) -> Outcome:
        return Leave(self.current_row) if self.current_row else ""

    def leave(self) -> Outcome:
        """Unmark all rows and return ""; if none are marked, return Leave().

        At Leave() the list is closed.
        """
        if not self.marked:
            return Leave()
        self.marked.clear()
        return ""


class InstructionScreen(ComparingScreen):
    """Shows the list above the response and the judge's reason, or next to them if wide."""

    DEFAULT_CSS = """
    InstructionScreen {
        #prompt { max-height: 33.34%; text-style: bold; overflow-y: auto; color: $foreground; }
        #across { layout: vertical; }
        #evidence { height: 40%; }
        #rows { height: 1fr; }
        #response { height: 1fr; border: none; padding: 0; }
        #response:focus { border: none; }
        #note {
            height: auto; max-height: 2; color: $text-muted; border-top: solid $border-blurred;
        }
        &.-tall #note { max-height: 4; }
        &.-wide #across { layout: horizontal; }
        &.-wide #rows { width: 55%; height: 100%; }
        &.-wide #evidence { width: 1fr; height: 100%; }
        &.-wide #note { max-height: 8; }
    }
    """
    WIDE = 125

    def parts(self) -> Iterable[Widget]:
        """Make the view of the response; return the rows, and that view above the reason."""
        self.texts = [ResponseView(id="response", marks=self.marks)]
        self.evidence = Vertical(*self.texts, self.note, id="evidence")
        return self.lines, self.evidence

    def entitle(self, _: TextView, shown_text: ShownText) -> None:
        """Write the trace's name and the answer into the frame around response and reason."""
        entitle(
            self.evidence,
            spelt(shown_text.title, self.marks),
            spelt(shown_text.subtitle, self.marks),
        )

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
            Key(
                "lines.choose",
                "enter",
                "its cell",
                "",
                shown="Enter",
                strip=Strip(3, 8),
            ),
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
        of_bench(
            "cell.undo",
            Act(AskedCells.turn_back, "undo"),
            "undo",
            strip=Strip(4, 5),
        ),
        of_bench("cell.redo", Act(AskedCells.turn_back, "redo")),
        of_bench(
            "item.reason",
            Act(AskedCells.reason),
            "reason",
            "say why the last answers were given, all of them at once",
            strip=Strip(10, 6),
        ),
        of_bench(
            "cell.flag",
            Act(AskedCells.flag),
            text="set the flag of the cells, or take it down",
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
        of_bench(
            "unreviewed.previous",
            Act(InstructionList.walk, -1),
            text="the one before",
        ),
        of_bench("by_instruction", Act(InstructionList.leave), text="close the list"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)


def _row_end(row: AskedRow, marks: Marks) -> Iterator[StyledText]:
    """Yield the pieces at the end of a row, each after a blank; none for most answers.

    They are, in this order, "(+2)" for further excerpts, "was" and the judge's answer that a person
    overruled, and the votes, as "2/3", for this answer in a panel. A panel that differs has a sign
    before them.
    """
    extra_spans = len(row.grounds.spans) - 1
    if extra_spans > 0:
        yield StyledText(f" (+{extra_spans})", "muted")
    if row.overruled:
        yield StyledText(f" was {row.overruled}", "corrected")
    if row.agreed:
        sign = ""
        style = "muted"
        if row.is_split:
            sign = marks.split
            style = "flag"
        agreeing, count = row.agreed
        yield StyledText(f" {sign}{agreeing}/{count}", style)


def _excerpt_in_context(
    subject: Subject,
    span: Stretch,
    style: str,
    marks: Marks,
    width: int,
) -> tuple[StyledText, ...]:
    """Return an excerpt of a subject's text in its style, on one line, between muted words.

    In a conversation the words are those of the excerpt's step, and "[4] " with the number of the
    step stands first. An excerpt longer than `width` columns is cut, and no words are before it.
    Words after it may go beyond `width`: the row cuts them off.
    """
    text = subject.text
    start, end = span
    sign: tuple[StyledText, ...] = ()
    step = subject.transcript.step_of(span) if subject.transcript else None
    if step is not None:
        sign = (StyledText(f"[{step.no}] ", "muted"),)
        width -= cells(sign)
        text_start = step.start
        # the name of a tool, in the heading
        if start < step.start and step.name_start is not None:
            text_start = step.name_start
        text = text[text_start : step.end]
        start -= text_start
        end -= text_start

    excerpt = clip(text[start:end], width, marks)
    free_width = width - cell_width(excerpt)
    before_width = max(width // BEFORE, free_width - len(text) + end)
    text_before = flat(text[max(start - width, 0) : start])
    text_after = flat(text[end : end + width])
    words_before = _last_words(text_before, min(before_width, free_width), marks)
    return (
        *sign,
        StyledText(words_before, "muted"),
        StyledText(excerpt, style or "key"),
        StyledText(text_after.rstrip(), "muted"),
    )


def _last_words(text: str, width: int, marks: Marks) -> str:
    """Return the end of a text that fits into `width` columns, from the start of a word on.

    Blanks before the text are left out. If more is, an ellipsis stands before it. Returns "" if not
    even the last word fits beside the ellipsis.
    """
    text = text.lstrip()
    if cell_width(text) <= width:
        return text
    while text and cell_width(text) + cell_width(marks.ellipsis) > width:
        _, space, text = text.partition(" ")
        if not space:
            return ""
    return f"{marks.ellipsis}{text}" if text else ""
