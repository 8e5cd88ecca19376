"""The screens on what judges said of a cell.

`Reveal` shows a locked blind verdict next to the judge's answers. `Proposals` shows all label sets
that were proposed, to adopt one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from msgspec.structs import replace
from textual import on
from textual.binding import BindingType
from textual.containers import Container
from textual.events import Key as KeyPressed
from textual.geometry import Size
from textual.widget import Widget

from appellate.app.cell_actions import HELD
from appellate.app.cell_view import EvidenceSpans
from appellate.app.compare.screen import (
    Beside,
    CompareContext,
    ComparingScreen,
    Comparison,
    Leave,
    Outcome,
    ShownRows,
    ShownText,
    bindings,
    help_key,
    measured,
    of_bench,
    together,
)
from appellate.app.keys.bindings import pane_of
from appellate.app.reading.screen import ReadingScreen
from appellate.core.cell import (
    Cell,
    labels_or_blank,
    proposals,
    proposed_labels,
    round_of,
)
from appellate.core.deciding import RuledQuestion, ruled_questions
from appellate.core.describe import judge_name, members
from appellate.core.facts import Proposed
from appellate.core.kind import Grounds, Instruction, Measure
from appellate.core.problem import Refused
from appellate.core.scale import of_one_cell
from appellate.core.trace import name_of
from appellate.ui.bar import Part
from appellate.ui.key import Act, Key, OwnAct, Strip
from appellate.ui.lines import ListSection
from appellate.ui.marks import in_quotes, spelt
from appellate.ui.pane import KindPane, Looking
from appellate.ui.row_layout import Cursor
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, clip, column, plain
from appellate.ui.text_view import ResponseView

YOU = "you"
JUDGE = "judge"
NOW = "now"
LEAST = 7
"""Columns of a column of answers at least."""
WIDEST = 16
"""Columns of a column of answers at most."""
NAMED = 4
"""Columns of a question's name at least."""
LOCKED = "Your verdict is locked; what you change from here on is saved beside it."


class Reveal(Comparison):
    """A blind verdict next to the judge's answers, and next to the current labels if they changed.

    Its screen closes with where to go and a name: to the "next" unsigned cell, the "previous" one,
    the "proposals", the "item" with the name, or the "cell".
    """

    NAME = "REVEALED"
    PAGE = "samples"

    def __init__(self, context: CompareContext) -> None:
        """Compare the blind verdict on the context's cell with the judge, question by question.

        The current labels are a third side if a question is answered differently by now.
        """
        super().__init__(context)
        self._cell = context.cell
        rows = ruled_questions(self._cell)
        self._sides: Sequence[str] = (YOU, JUDGE)
        if any(row.is_changed for row in rows):
            self._sides = (YOU, JUDGE, NOW)
        self._groups: list[tuple[str, list[RuledQuestion]]] = []
        """The questions answered differently and those answered alike, with a header each."""
        for text, differs in (("differ", True), ("as the judge says", False)):
            group = [row for row in rows if row.differs is differs]
            if group:
                self._groups.append((text, group))
        longest_word = LEAST
        for row in rows:
            for answer in (row.verdict, row.judge, row.now):
                longest_word = max(longest_word, cell_width(answer.word))
        self._width = min(longest_word, WIDEST)
        """Columns of a column of answers."""
        self._name_width = max([NAMED, *(cell_width(row.name) for row in rows)])

    def rows(self) -> ShownRows:
        """Return the questions answered differently, then those answered alike, with headers.

        A group without questions is left out. Above them is whose verdict is compared with which
        judge.
        """
        subject = self._cell.subject
        judge = ""
        if self._cell.judge:
            judge = judge_name(self._cell.judge.judge)
        trace_name = name_of(*subject.trace.key)
        title = (
            f"{trace_name} · {subject.trait.name}: your blind verdict beside {judge}"
        )
        headers = " ".join(column(side, self._width) for side in self._sides)

        sections: list[ListSection] = []
        for text, group in self._groups:
            right = (StyledText(f" {headers}", "muted"),)
            header = ListRow(f" {len(group)} {text}", (), right, style="header")
            rows = DrawnRows(group, self._drawn_row)
            sections.append(ListSection(rows, header, whole=True))
        return ShownRows(sections, [Part(spelt(title, self.marks), "strong")])

    def beside(self) -> Beside:
        """Return that the verdict is locked, and the measures of each side in the note.

        The sides are the blind verdict, the judge, and the current labels if they changed. A side
        without labels has the sign for none.
        """
        cell = self._cell
        lines: list[str] = []
        figures_of_sides = {
            YOU: cell.verdict_figures,
            JUDGE: cell.judge_figures,
            NOW: cell.figures,
        }
        for side in self._sides:
            text = f"{side:<{len(JUDGE)}}"
            figures = figures_of_sides[side]
            if figures is None:
                text += f"   {self.marks.none}"
            else:
                for measure in of_one_cell(
                    cell.subject.kind.measures(cell.subject.trait),
                ):
                    text += f"   {measure.word or measure.short} {measured(measure, figures):<4}"
            lines.append(text.rstrip())
        return Beside(
            spelt(LOCKED, self.marks),
            note=spelt("\n".join(lines), self.marks),
        )

    def _drawn_row(self, row: RuledQuestion) -> ListRow:
        """Return the line of a question with the answers of all sides.

        What an answer is based on stands below, except for the current one: always if the verdict
        and the judge differ, else while the cursor is on the question.
        """
        marks = self.marks
        mark = marks.apart if row.differs else " "
        name = column(row.name.replace("−", marks.minus), self._name_width, marks)
        left = (StyledText(f"{mark} ", "flag"), StyledText(f"{name} ", "key"))
        right: list[StyledText] = []
        grounds: list[tuple[StyledText, ...]] = []
        answers = (row.verdict, row.judge, row.now)
        for side, answer in zip(self._sides, answers, strict=False):
            style = answer.style or "key"
            if side == NOW and not row.is_changed:
                style = "muted"
            word = clip(answer.word or marks.none, self._width, marks)
            in_column = column(word, self._width, marks)
            right.append(StyledText(f" {in_column}", style))
            text = self._grounds_text(answer)
            if text and side != NOW:
                label = StyledText(f"{side}: ", "muted")
                grounds.append((label, StyledText(text, answer.style or "muted")))
        if row.differs:
            return ListRow(row.text, left, tuple(right), below=tuple(grounds))
        return ListRow(row.text, left, tuple(right), under_cursor=tuple(grounds))

    def _grounds_text(self, answer: Grounds) -> str:
        """Return what an answer is based on, as `"excerpt", "excerpt" · reason`.

        Excerpts that are not in the judged response come last. Line breaks in an excerpt become
        blanks. Returns "" for an answer with neither excerpt nor reason.
        """
        response = self._cell.subject.text
        excerpts = [response[start:end] for start, end in answer.spans]
        excerpts.extend(answer.loose)

        quotes: list[str] = []
        for excerpt in excerpts:
            single_spaced = " ".join(excerpt.split())
            quotes.append(in_quotes(single_spaced, self.marks))

        texts: list[str] = []
        if quotes:
            texts.append(", ".join(quotes))
        if answer.reason:
            texts.append(answer.reason)
        return " · ".join(texts)

    def signs(self) -> dict[str, str]:
        return {self.marks.apart: "you and the judge differ"}

    def open(self) -> Outcome:
        """Close the screen to go to the item of the question under the cursor.

        Its result is "item" and the question's name, "" if there is no question.
        """
        section, row = self.cursor
        if section >= len(self._groups):
            return Leave(("item", ""))
        _, questions = self._groups[section]
        return Leave(("item", questions[row].name))

    def leave(self, to: str = "cell") -> Outcome:
        """Close the screen to go somewhere else than to an item; its result is `to` and ""."""
        return Leave((to, ""))


class RevealScreen(ComparingScreen):
    """Shows the questions, and the measures below them."""

    DEFAULT_CSS = """
    RevealScreen {
        #rows { height: 1fr; }
        #note { height: auto; padding: 0 2; }
    }
    """
    NOTE = 3

    def __init__(
        self,
        context: CompareContext,
        comparison: Comparison,
        pressed: tuple[str, float],
    ) -> None:
        """Make the screen; `pressed` is the key that locked the verdict, with its time in seconds.

        That key may still be held down, and then does nothing here.
        """
        super().__init__(context, comparison)
        self._last_press = pressed

    def parts(self) -> Iterable[Widget]:
        return self.lines, self.note

    def press(self, event: KeyPressed) -> None:
        """Handle a key, unless it may still be held down since the last press.

        That is so if it is the key of the last press, less than `HELD` seconds ago.
        """
        last_key, last_time = self._last_press
        time = self.context.arrived(event)
        self._last_press = (event.key, time)
        may_be_held_down = last_key == event.key and time - last_time < HELD
        if not may_be_held_down:
            super().press(event)

    # -- keys --------------------------------------------------------------------------------------

    KEYS = (
        help_key("reveal.help", Strip(1, 4)),
        Key(
            "lines.choose",
            "enter",
            "to the item",
            "back to the cell, on the item under the cursor",
            shown="Enter",
            strip=Strip(3, 2),
        ),
        Key(
            "reveal.close",
            "escape,q",
            "stays",
            "back to the cell",
            Act(Reveal.leave),
            shown="Esc",
            strip=Strip(5, 5),
        ),
    )
    OF_BENCH = (
        of_bench(
            "cell.sign",
            Act(Reveal.leave, "next"),
            "next cell",
            "the next cell that is not signed off",
            strip=Strip(2, 1),
        ),
        of_bench("unreviewed.next", Act(Reveal.leave, "next"), text="the same"),
        of_bench(
            "unreviewed.previous",
            Act(Reveal.leave, "previous"),
            text="the one before that is not signed off",
        ),
        of_bench(
            "cell.proposals",
            Act(Reveal.leave, "proposals"),
            "proposals",
            "what each judge proposed for this cell",
            strip=Strip(4, 3),
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)


# -- proposals -------------------------------------------------------------------------------------

_ROUND = 7
"""Columns for the round of a proposal."""
_NUMBER = 5
"""Columns for a measure that is a number."""
_WORD = 12
"""Columns for a measure that is a word."""
_APART = 10
"""Columns for how much a proposal differs."""
MOST = 9
"""Rows that the list has at most."""
EDGES = 2
"""Rows of its frame."""
ONLY_LOOKED_AT = (
    "Only looked at here: {proposals.adopt:A} adopts these labels, {proposals.close:Esc} goes back "
    "to the cell."
)


class Proposal(NamedTuple):
    """A label set that a judge or a member of its panel proposed, or the current labels."""

    name: str
    """Whose labels they are."""
    cell: Cell
    """The cell with these labels in it; the cell as it is if they cannot be adopted."""
    n: int = 0
    """The number of the fact that proposed them; 0 for the current labels."""
    member: int | None = None
    """The index of the member of the panel; None for the judge as a whole."""
    round: int = 1
    refusal: str = ""
    """Why they cannot be adopted; "" if they can."""


def offers(cell: Cell) -> Iterator[Proposal]:
    """Yield all proposals of judges for a cell, the latest round first.

    The members of a panel follow the panel's own labels. Each has the cell with its labels in it,
    not signed off and without corrections. A proposal whose labels cannot be adopted has a
    `refusal`, and the cell as it is.
    """
    for fact in reversed(proposals(cell)):
        event = fact.what
        if not isinstance(event, Proposed):
            continue
        round_no = round_of(event)
        of_fact = [Proposal(judge_name(event.judge), cell, fact.n, None, round_no)]
        for member in members(event.judge):
            of_fact.append(
                Proposal(
                    member.name,
                    cell,
                    fact.n,
                    member.place,
                    round_no,
                    member.error,
                ),
            )
        tables = (event.table, *event.judge.get("members", ()))
        for proposal, table in zip(of_fact, tables, strict=True):
            try:
                labels = proposed_labels(cell, proposal.n, proposal.member)
            except Refused as refusal:
                yield proposal._replace(refusal=proposal.refusal or str(refusal))
                continue
            judged = replace(fact, what=replace(event, table=table))
            proposed_cell = replace(
                cell,
                labels=labels,
                judged=judged,
                base=judged,
                edits=frozenset(),
                signed=None,
            )
            yield proposal._replace(cell=proposed_cell)


def _width(measure: Measure) -> int:
    """Return the columns for a measure: more if it is a word."""
    return (_WORD if measure.word else _NUMBER) - 1


class Difference(NamedTuple):
    """An instruction that a proposal answers differently from the current labels."""

    instruction: Instruction
    proposed: str
    """The answer of the proposal."""
    current: str
    """The current answer; "" if there is none."""


class Proposals(Comparison):
    """All proposals for a cell, after the current labels; its screen closes with one to adopt."""

    NAME = "PROPOSALS"

    def __init__(self, context: CompareContext) -> None:
        """List the current labels and all proposals for the context's cell.

        The cursor begins on the latest proposal.
        """
        super().__init__(context)
        self.cell = context.cell
        self.offers = [Proposal("the labels now", self.cell), *offers(self.cell)]
        self.cursor = Cursor(0, 1)

    @property
    def current_row(self) -> Proposal:
        """The proposal under the cursor."""
        return self.offers[self.cursor.row]

    def differences(self, offer: Proposal) -> list[Difference]:
        """Return the instructions that a proposal answers differently from the current labels.

        They are in the order of the proposal's answers. An instruction without a current answer is
        among them; one that only the current labels answer is not.
        """
        subject = self.cell.subject
        current_answers = subject.kind.answers(
            subject.trait,
            labels_or_blank(self.cell),
        )
        differences: list[Difference] = []
        for instruction, answer in offer.cell.answers.items():
            current = current_answers.get(instruction, "")
            if current != answer:
                differences.append(Difference(instruction, answer, current))
        return differences

    def describe(self, joint: str = "; ") -> str:
        """Return how the proposal under the cursor differs from the current labels.

        That is a sentence and then each difference, joined by `joint`. If it cannot be adopted,
        return why; for the current labels, that they are those.
        """
        offer = self.current_row
        if not offer.n:
            return "The labels now, corrections and all."
        if offer.refusal:
            return f"{offer.name}: {offer.refusal}"
        differences = self.differences(offer)
        if not differences:
            return f"{offer.name} says the same as the labels now."
        texts = [f"{offer.name} differs in {len(differences)} of its answers"]
        for difference in differences:
            text = difference.instruction.text
            texts.append(
                f"{difference.proposed} here, {difference.current} now: {text}",
            )
        return joint.join(texts)

    def rows(self) -> ShownRows:
        """Return a header, the row of the current labels, and a row for each proposal.

        The latest round comes first, and each measure has a column.
        """
        subject = self.cell.subject
        names = ""
        for measure in of_one_cell(subject.kind.measures(subject.trait)):
            name = measure.word or measure.short
            width = _width(measure)
            names += f" {name:>{width}}"
        left = (StyledText(f"{'round':{_ROUND}}", "muted"),)
        right = (StyledText(f"{names}{'':{_APART}}"),)
        header = ListRow("proposed by", left, right, style="muted")
        section = ListSection(DrawnRows(self.offers, self.drawn_row), header)
        trace_name = name_of(*subject.trace.key)
        title = f"Proposals for {subject.trait.name}, trace {trace_name}"
        return ShownRows([section], [Part(title, "strong")])

    def drawn_row(self, offer: Proposal) -> ListRow:
        """Return the row of a label set: its round, its judge, its measures, and how it differs.

        It differs from the current labels in a number of answers, is only reworded, or the same.
        The row of the current labels has neither round nor difference. A member of a panel is
        indented and has no round. A label set that cannot be adopted has a dim row that says "no
        labels".
        """
        subject = offer.cell.subject
        figures = offer.cell.figures
        name = offer.name
        left = StyledText(" " * _ROUND, "muted")
        numbers = ""
        if offer.member is not None:
            name = f"  {name}"
        elif offer.n:
            left = StyledText(f"{offer.round:>5}  ", "muted")
        if offer.refusal:
            return ListRow(
                name,
                (left,),
                (StyledText("no labels ", "failed"),),
                dim=True,
            )
        if figures:
            for measure in of_one_cell(subject.kind.measures(subject.trait)):
                value = clip(measured(measure, figures), _WORD - 1, self.marks)
                numbers += f" {value:>{_width(measure)}}"
        difference = "same" if offer.cell.labels == self.cell.labels else "reworded"
        style = "muted"
        if count := len(self.differences(offer)):
            difference = f"{count} differ"
            style = "flag"
        if not offer.n:
            difference = ""
        right = (StyledText(numbers), StyledText(f"{difference:>{_APART - 1}} ", style))
        return ListRow(name, (left,), right)

    def beside(self) -> Beside:
        """Return the judged response, below a text on how the cursor's proposal differs."""
        prompt = spelt(self.describe(), self.marks)
        subject = self.cell.subject
        return Beside(prompt, [ShownText(subject.text, transcript=subject.transcript)])

    def adopt(self) -> Outcome:
        """Close the screen with the proposal under the cursor as its result, to be adopted.

        If there is nothing to adopt, return a sentence that says why, and stay.
        """
        if not self.current_row.n:
            return "The cell has these labels already."
        if self.current_row.refusal:
            offer = self.current_row
            return f"There is nothing to adopt from {offer.name}: {offer.refusal}"
        return Leave(self.current_row)


class ProposalsScreen(ComparingScreen):
    """Shows the list of proposals, and below it the one under the cursor in its kind's pane."""

    DEFAULT_CSS = """
    ProposalsScreen {
        #prompt { height: 1; color: $foreground; background: $boost; }
        #looked { height: 1fr; layout: vertical; }
        #response { height: 1fr; display: none; }
        #pane { height: 2fr; }
        #pane:focus-within { border: round $primary; }
        &.-tall #response { display: block; }
        &.-wide #looked { layout: horizontal; }
        &.-wide #response, &.-wide #pane { width: 1fr; height: 100%; }
    }
    """
    WIDE = 100
    TALL = 20
    PROMPT = 1
    comparison: Proposals

    def __init__(self, context: CompareContext, comparison: Proposals) -> None:
        """Make a screen with a pane for the labels of the row under the cursor, only to look at."""
        super().__init__(context, comparison)
        self._evidence = EvidenceSpans(context.marks)
        self._response = ResponseView(id="response", marks=context.marks)
        review = Looking(
            context.marks,
            self._looked_elsewhere,
            lambda _: self.say(ONLY_LOOKED_AT),
        )
        self._pane: KindPane = pane_of(comparison.cell.subject.kind.name)(
            review,
            id="pane",
        )
        self._row = -1
        """The index of the proposal in the pane; -1 before the first."""

    def parts(self) -> Iterable[Widget]:
        """Return the list, and the response and the pane below it."""
        self.texts = [self._response]
        return self.lines, Container(self._response, self._pane, id="looked")

    def fit(self, size: Size) -> None:
        """Make the list as high as its rows, but no more than `MOST` and a third of the screen.

        Unless the screen is wide, the pane below it shows one list of items at a time.
        """
        rows_needed = len(self.comparison.offers) + 1
        a_third = size.height // 3
        rows = min(rows_needed, MOST, a_third)
        self.lines.styles.height = rows + EDGES
        is_wide = self.has_class("-wide")
        self._pane.one_at_a_time(not is_wide)

    # -- looking ----------------------------------------------------------------------------------

    def look(self, *, again: bool = False) -> None:
        """Show the proposal under the cursor in the pane, with its evidence in the response.

        The pane is drawn only for another proposal, and keeps its cursor then. A response that is
        marked and scrolled as before is drawn only with `again`.
        """
        super().look(again=again)
        row = self.comparison.cursor.row
        if self._row != row:
            is_first = self._row < 0
            self._pane.show(self.comparison.current_row.cell, fresh=is_first)
            self._row = row
        self._show_evidence()

    def _show_evidence(self) -> None:
        """Mark the evidence of the labels in the pane, and write whose they are into its frame.

        A proposal that cannot be adopted has the title of the current labels, which stand in for
        it. The pane writes its own title each time that it is shown, so this comes after it.
        """
        offer = self.comparison.current_row
        title = "the labels now"
        if offer.n and not offer.refusal:
            title = f"only looked at: {offer.name}, round {offer.round}"
        self._pane.border_title = plain(title)
        self._response.set_spans(
            self._evidence.styled(self._pane.evidence(), self._pane.place),
        )

    def _looked_elsewhere(self) -> None:
        self._show_evidence()
        self._response.reveal_selected()

    @on(ResponseView.SpanClicked)
    def _span_clicked(self, event: ResponseView.SpanClicked) -> None:
        """Put the pane's cursor on the item whose evidence was clicked, and show its evidence."""
        evidence = self._pane.evidence()[event.index]
        self._pane.go(*evidence.place)
        self._looked_elsewhere()

    # -- keys -------------------------------------------------------------------------------------

    def open_row(self) -> None:
        self._pane.take_focus()

    def to_other(self) -> None:
        """Put the focus on the pane if the list has it, or back on the list."""
        if self.lines.has_focus:
            self._pane.take_focus()
        else:
            self.lines.focus()

    def step_group(self, by: int) -> None:
        """Put the focus on the pane, and its cursor on the first item of the list `by` lists on.

        After the last list comes the first, and the reverse. In a pane whose items are in no such
        lists only the focus moves.
        """
        self._pane.take_focus()
        self._pane.step_group(by)

    def read_differences(self) -> None:
        """Open all differences of the proposal under the cursor on a screen of their own.

        If it has none, or cannot be adopted, that is to be read there.
        """
        self.app.push_screen(
            ReadingScreen(self.comparison.describe("\n"), marks=self.marks),
        )

    def turn_view(self) -> None:
        self._pane.turn_view()
        self._show_evidence()

    KEYS = (
        help_key("proposals.help", Strip(1, 7)),
        Key(
            "proposals.adopt",
            "A",
            "adopts",
            "adopt these labels, as an act that undo takes back",
            Act(Proposals.adopt),
            strip=Strip(2, 1),
        ),
        Key(
            "proposals.other",
            "tab,shift+tab",
            "items",
            "to its items, and back to the list",
            OwnAct(to_other),
            shown="Tab",
            strip=Strip(4, 3),
        ),
        *together(
            "the next list of items, the one before",
            Key(
                "proposals.next",
                "l,right",
                "lists",
                "the next list of items",
                OwnAct(step_group, 1),
                strip=Strip(7, 6),
            ),
            Key(
                "proposals.previous",
                "h,left",
                "lists",
                "the one before",
                OwnAct(step_group, -1),
                strip=Strip(7, 6),
            ),
        ),
        Key(
            "proposals.view",
            "t",
            "other view",
            "the other view of the items",
            OwnAct(turn_view),
            strip=Strip(5, 4),
        ),
        Key(
            "proposals.differences",
            "K",
            "all of it",
            "all that differs, to read whole",
            OwnAct(read_differences),
            strip=Strip(6, 5),
        ),
        *together(
            "scroll the response on, and back",
            Key(
                "proposals.scroll",
                "space",
                "",
                "scroll the response on",
                OwnAct(ComparingScreen.scroll_texts, 1),
                shown="Space",
            ),
            Key(
                "proposals.scroll_back",
                "b",
                "",
                "back",
                OwnAct(ComparingScreen.scroll_texts, -1),
            ),
        ),
        Key(
            "proposals.close",
            "escape,q,V",
            "leaves",
            "back to the cell",
            Act(Comparison.leave),
            shown="Esc",
            strip=Strip(3, 2),
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings(KEYS)
