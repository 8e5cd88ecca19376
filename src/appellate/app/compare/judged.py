"""What judges say of a cell: beside a verdict that is locked, and all that was proposed, to adopt:
an act like any other.
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
from appellate.core.cell import Cell, labels_or_blank, proposals, proposed_labels, round_of
from appellate.core.deciding import RuledQuestion, compared
from appellate.core.describe import judge_name, members
from appellate.core.facts import Proposed
from appellate.core.kind import Grounds, Instruction, Measure
from appellate.core.problem import Refused
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
LEAST = 7  # cells of a column of answers
WIDEST = 16
NAMED = 4  # cells of a question's name, or more where one is longer
LOCKED = "Your verdict is locked; what you change from here on is saved beside it."


class Reveal(Comparison):
    """Two columns of answers, or three where a person changed their mind since. It gives where to
    go: the "next" unsigned cell, the "previous", the "proposals", the "item" of a name, or the
    "cell".
    """

    NAME = "REVEALED"
    PAGE = "samples"

    def __init__(self, context: CompareContext) -> None:
        super().__init__(context)
        self._cell = context.cell
        rows = compared(self._cell)
        self._sides: Sequence[str] = (YOU, JUDGE)
        if any(row.is_changed for row in rows):
            self._sides = (YOU, JUDGE, NOW)
        self._groups: list[tuple[str, list[RuledQuestion]]] = []
        for text, differs in (("differ", True), ("as the judge says", False)):
            if held := [row for row in rows if row.differs is differs]:
                self._groups.append((text, held))
        words = [cell_width(one.word) for row in rows for one in (row.verdict, row.judge, row.now)]
        self._width = min(max([LEAST, *words]), WIDEST)
        self._named = max([NAMED, *(cell_width(row.name) for row in rows)])

    def rows(self) -> ShownRows:
        """What differs, then what does not."""
        subject = self._cell.subject
        marks = self.marks
        judge = judge_name(self._cell.judge.judge) if self._cell.judge else ""
        title = f"{name_of(*subject.trace.key)} · {subject.trait.name}"
        title += f": your blind verdict beside {judge}"
        heads = " ".join(column(one, self._width) for one in self._sides)
        sections = []
        for text, held in self._groups:
            right = (StyledText(f" {heads}", "muted"),)
            header = ListRow(f" {len(held)} {text}", (), right, style="header")
            sections.append(ListSection(DrawnRows(held, self._drawn), header, whole=True))
        return ShownRows(sections, [Part(spelt(title, marks), "strong")])

    def beside(self) -> Beside:
        """The measures of both sides, a line each; those of the labels now where they differ."""
        cell = self._cell
        lines = []
        sides = {YOU: cell.verdict_figures, JUDGE: cell.judge_figures, NOW: cell.figures}
        for who in self._sides:
            text = f"{who:<{len(JUDGE)}}"
            figures = sides[who]
            if figures is None:
                text += f"   {self.marks.none}"
            else:
                for measure in cell.subject.kind.measures(cell.subject.trait):
                    text += f"   {measure.word or measure.short} {measured(measure, figures):<4}"
            lines.append(text.rstrip())
        return Beside(spelt(LOCKED, self.marks), note=spelt("\n".join(lines), self.marks))

    def _drawn(self, row: RuledQuestion) -> ListRow:
        """A question with both answers, and what each rests on: always below where they differ."""
        marks = self.marks
        mark = marks.apart if row.differs else " "
        name = column(row.name.replace("−", marks.minus), self._named, marks)
        left = (StyledText(f"{mark} ", "flag"), StyledText(f"{name} ", "key"))
        right = list[StyledText]()
        grounds = list[tuple[StyledText, ...]]()
        for who, side in zip(self._sides, (row.verdict, row.judge, row.now), strict=False):
            style = side.style or "key"
            if who == NOW and not row.is_changed:
                style = "muted"
            word = clip(side.word or marks.none, self._width, marks)
            right.append(StyledText(f" {column(word, self._width, marks)}", style))
            words = " · ".join(filter(None, (", ".join(self._quoted(side)), side.reason)))
            if words and who != NOW:
                label = StyledText(f"{who}: ", "muted")
                grounds.append((label, StyledText(words, side.style or "muted")))
        below, under = (grounds, []) if row.differs else ([], grounds)
        return ListRow(row.text, left, tuple(right), below=tuple(below), under_cursor=tuple(under))

    def _quoted(self, side: Grounds) -> Iterator[str]:
        """The words that an answer rests on; those that are not in the response come last."""
        response = self._cell.subject.text
        for words in (*(response[start:end] for start, end in side.spans), *side.loose):
            yield in_quotes(" ".join(words.split()), self.marks)

    def signs(self) -> dict[str, str]:
        return {self.marks.apart: "you and the judge differ"}

    def open(self) -> Outcome:
        """Back to the item of the row under the cursor."""
        section, row = self.cursor
        held = [row for _, group in self._groups[section : section + 1] for row in group]
        return Leave(("item", held[row].name if held else ""))

    def leave(self, to: str = "cell") -> Outcome:
        return Leave((to, ""))


class RevealScreen(ComparingScreen):
    """The rows, and the measures below them.

    The key that was `pressed` last and locked the verdict may still be held down: it only goes on
    once it was let go.
    """

    NOTE = 3

    def __init__(self, context: CompareContext, of: Comparison, pressed: tuple[str, float]) -> None:
        super().__init__(context, of)
        self._before = pressed

    def parts(self) -> Iterable[Widget]:
        return self.lines, self.note

    def press(self, event: KeyPressed) -> None:
        """A key that may still be held down does nothing."""
        key, then = self._before
        self._before = (event.key, self.context.arrived(event))
        if key != event.key or self._before[1] - then >= HELD:
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

_ROUND = 7  # cells of the list's columns
_NUMBER = 5
_WORD = 12
_APART = 10
MOST = 9  # lines of the list
EDGES = 2  # of its frame
ONLY_LOOKED_AT = (
    "Only looked at here: {proposals.adopt:A} adopts these labels, {proposals.close:Esc} goes back "
    "to the cell."
)


class Proposal(NamedTuple):
    """What a judge proposed by the fact `n`, or a member of its panel: the cell with these labels
    in it, or as it is where there are none to adopt, and `why`. The labels now are the fact 0.
    """

    name: str
    cell: Cell
    n: int = 0
    member: int | None = None
    round: int = 1
    why: str = ""


def offers(cell: Cell) -> Iterator[Proposal]:
    """Every proposal, the latest round first, each with the members of its panel below it."""
    for fact in reversed(proposals(cell)):
        what = fact.what
        if not isinstance(what, Proposed):
            continue
        given = [Proposal(judge_name(what.judge), cell, fact.n, None, round_of(what))]
        for one in members(what.judge):
            offer = Proposal(one.name, cell, fact.n, one.place, round_of(what), one.error)
            given.append(offer)
        for offer, table in zip(given, (what.table, *what.judge.get("members", ())), strict=True):
            try:
                labels = proposed_labels(cell, offer.n, offer.member)
            except Refused as refusal:
                yield offer._replace(why=offer.why or str(refusal))
                continue
            judged = replace(fact, what=replace(what, table=table))
            shown = replace(
                cell, labels=labels, judged=judged, base=judged, edits=frozenset(), signed=None
            )
            yield offer._replace(cell=shown)


def _width(measure: Measure) -> int:
    """The cells of a number: more where it is in words."""
    return (_WORD if measure.word else _NUMBER) - 1


class Difference(NamedTuple):
    """An instruction that a proposal answers otherwise than the current labels."""

    instruction: Instruction
    there: str
    now: str


class Proposals(Comparison):
    """Every proposal, and the labels now before them; gives the one to adopt."""

    NAME = "PROPOSALS"

    def __init__(self, context: CompareContext) -> None:
        super().__init__(context)
        self.cell = context.cell
        self.offers = [Proposal("the labels now", self.cell), *offers(self.cell)]
        self.cursor = Cursor(0, 1)

    @property
    def here(self) -> Proposal:
        """The proposal under the cursor."""
        return self.offers[self.cursor.row]

    def differences(self, offer: Proposal) -> list[Difference]:
        """What a proposal answers otherwise, instruction by instruction."""
        subject = self.cell.subject
        now = subject.kind.answers(subject.trait, labels_or_blank(self.cell))
        found = []
        for instruction, answer in offer.cell.answers.items():
            if now.get(instruction) != answer:
                found.append(Difference(instruction, answer, now.get(instruction, "")))
        return found

    def describe(self, joint: str = "; ") -> str:
        """In what the proposal differs from the labels now, or why nothing of it is seen."""
        offer = self.here
        if not offer.n:
            return "The labels now, corrections and all."
        if offer.why:
            return f"{offer.name}: {offer.why}"
        apart = self.differences(offer)
        if not apart:
            return f"{offer.name} says the same as the labels now."
        texts = [f"{one.there} here, {one.now} now: {one.instruction.text}" for one in apart]
        return joint.join([f"{offer.name} differs in {len(apart)} of its answers", *texts])

    def rows(self) -> ShownRows:
        """A row for each proposal, its numbers in columns: wider ones where they are in words."""
        subject = self.cell.subject
        names = ""
        for measure in subject.kind.measures(subject.trait):
            names += f" {measure.word or measure.short:>{_width(measure)}}"
        left = (StyledText(f"{'round':{_ROUND}}", "muted"),)
        right = (StyledText(f"{names}{'':{_APART}}"),)
        header = ListRow("proposed by", left, right, style="muted")
        title = f"Proposals for {subject.trait.name}, trace {name_of(*subject.trace.key)}"
        section = ListSection(DrawnRows(self.offers, self.drawn), header)
        return ShownRows([section], [Part(title, "strong")])

    def drawn(self, offer: Proposal) -> ListRow:
        """Its round, who it is by, its numbers, how much differs."""
        subject = offer.cell.subject
        figures = offer.cell.figures
        name = offer.name
        left = StyledText(" " * _ROUND, "muted")
        numbers = ""
        if offer.member is not None:
            name = f"  {name}"
        elif offer.n:
            left = StyledText(f"{offer.round:>5}  ", "muted")
        if offer.why:
            return ListRow(name, (left,), (StyledText("no labels ", "failed"),), dim=True)
        if figures:
            for measure in subject.kind.measures(subject.trait):
                value = clip(measured(measure, figures), _WORD - 1, self.marks)
                numbers += f" {value:>{_width(measure)}}"
        apart = "same" if offer.cell.labels == self.cell.labels else "reworded"
        style = "muted"
        if differing := len(self.differences(offer)):
            apart = f"{differing} differ"
            style = "flag"
        if not offer.n:
            apart = ""
        right = StyledText(numbers), StyledText(f"{apart:>{_APART - 1}} ", style)
        return ListRow(name, (left,), right)

    def beside(self) -> Beside:
        prompt = spelt(self.describe(), self.marks)
        subject = self.cell.subject
        return Beside(prompt, [ShownText(subject.text, transcript=subject.transcript)])

    def adopt(self) -> Outcome:
        if not self.here.n:
            return "The cell has these labels already."
        if self.here.why:
            return f"There is nothing to adopt from {self.here.name}: {self.here.why}"
        return Leave(self.here)


class ProposalsScreen(ComparingScreen):
    """The list above the proposal under the cursor, as its kind shows it."""

    WIDE = 100  # for panes side by side; for both of them
    TALL = 20
    PROMPT = 1
    of: Proposals

    def __init__(self, context: CompareContext, of: Proposals) -> None:
        super().__init__(context, of)
        self._evidence = EvidenceSpans(context.marks)
        self._response = ResponseView(id="response", marks=context.marks)
        review = Looking(context.marks, self._looked_elsewhere, lambda _: self.say(ONLY_LOOKED_AT))
        self._pane: KindPane = pane_of(of.cell.subject.kind.name)(review, id="pane")
        self._row = -1  # the proposal in the pane

    def parts(self) -> Iterable[Widget]:
        self.texts = [self._response]
        return self.lines, Container(self._response, self._pane, id="looked")

    def fit(self, size: Size) -> None:
        rows = min(len(self.of.offers) + 1, MOST, size.height // 3)
        self.lines.styles.height = rows + EDGES
        self._pane.one_at_a_time(not self.has_class("-wide"))

    # -- looking ----------------------------------------------------------------------------------

    def look(self, *, again: bool = False) -> None:
        """Puts the proposal under the cursor into the pane, if it has labels."""
        super().look(again=again)
        if self._row != self.of.cursor.row:
            self._pane.show(self.of.here.cell, fresh=self._row < 0)
            self._row = self.of.cursor.row
        self._show_evidence()

    def _show_evidence(self) -> None:
        """Says in the frame whose labels these are, which the pane overwrites; marks evidence."""
        offer = self.of.here
        title = "the labels now"
        if offer.n and not offer.why:
            title = f"only looked at: {offer.name}, round {offer.round}"
        self._pane.border_title = plain(title)
        self._response.set_spans(self._evidence.styled(self._pane.evidence(), self._pane.place))

    def _looked_elsewhere(self) -> None:
        self._show_evidence()
        self._response.reveal_selected()

    @on(ResponseView.SpanClicked)
    def _span_clicked(self, event: ResponseView.SpanClicked) -> None:
        found = self._pane.evidence()[event.index]
        self._pane.go(*found.place)
        self._looked_elsewhere()

    # -- keys -------------------------------------------------------------------------------------

    def open_row(self) -> None:
        self._pane.take_focus()

    def to_other(self) -> None:
        if self.lines.has_focus:
            self._pane.take_focus()
        else:
            self.lines.focus()

    def step_group(self, by: int) -> None:
        self._pane.take_focus()
        self._pane.step_group(by)

    def read_differences(self) -> None:
        self.app.push_screen(ReadingScreen(self.of.describe("\n"), marks=self.marks))

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
            Key("proposals.scroll_back", "b", "", "back", OwnAct(ComparingScreen.scroll_texts, -1)),
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
