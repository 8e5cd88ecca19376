"""What each judge proposed for a cell, in this round and before, to look at and to adopt.

A proposal is only looked at here: nothing of it is kept until it is adopted, and that is an act
like any other, which undo takes back.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.events import Resize
from textual.widgets import Static

from appellate.app.keys.commands import pane_of
from appellate.app.reading import response_spans
from appellate.app.reading.screen import ReadingScreen
from appellate.core.cell import Cell, at_hand, labels_of, proposals, round_of
from appellate.core.describe import judge_name, members
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import Figures, Instruction, Measure
from appellate.core.problem import Refused
from appellate.ui.docked import ResponseView
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import in_own_keys
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.measures_bar import number
from appellate.ui.overlay import Box
from appellate.ui.page import StyledSpan
from appellate.ui.pane import KindPane, Looking
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import clip, plain

_ROUND, _NUMBER, _WORD, _APART = 7, 5, 12, 10  # cells of the list's columns


class ProposalRow(Struct, frozen=True):
    """One proposal, or what a member of its panel said; `why` there are no labels to adopt."""

    fact: Fact
    member: int | None
    name: str
    table: Mapping[str, Any]
    labels: Any = None
    why: str = ""

    @property
    def round(self) -> int:
        return round_of(self.fact.what) if isinstance(self.fact.what, Proposed) else 1


def offers(cell: Cell) -> list[ProposalRow]:
    """Every proposal, the latest round first, each with the members of its panel below it."""
    found: list[ProposalRow] = []
    for fact in reversed(proposals(cell)):
        if isinstance(fact.what, Proposed):
            judge = fact.what.judge
            whole = ProposalRow(fact, None, judge_name(judge), fact.what.table)
            found.append(_with_labels(cell, whole))
            for one in members(judge):
                part = ProposalRow(fact, one.place, one.name, one.table, why=one.error)
                found.append(_with_labels(cell, part))
    return found


def _with_labels(cell: Cell, offer: ProposalRow) -> ProposalRow:
    if offer.why:
        return offer
    try:
        return replace(offer, labels=labels_of(cell, offer.fact.n, offer.member))
    except Refused as refusal:
        return replace(offer, why=str(refusal))


class Difference(NamedTuple):
    """An instruction that a proposal answers otherwise than the labels that stand."""

    instruction: Instruction
    there: str
    now: str


def differences(cell: Cell, offer: ProposalRow) -> list[Difference]:
    """What a proposal answers otherwise, instruction by instruction."""
    kind, trait = cell.subject.kind, cell.subject.trait
    there, now = kind.answers(trait, offer.labels), kind.answers(trait, at_hand(cell))
    found = []
    for instruction, answer in there.items():
        if now.get(instruction) != answer:
            found.append(Difference(instruction, answer, now.get(instruction, "")))
    return found


def describe_offer(cell: Cell, offer: ProposalRow | None, joint: str = "; ") -> str:
    """In what a proposal differs from what stands, or why there is nothing to see of it."""
    if offer is None:
        return "The labels now, corrections and all."
    if offer.why:
        return f"{offer.name}: {offer.why}"
    apart = differences(cell, offer)
    if not apart:
        return f"{offer.name} answers every instruction as the labels now."
    texts = [f"{one.there} here, {one.now} now: {one.instruction.text}" for one in apart]
    return joint.join([f"{offer.name} differs in {len(apart)} of its answers", *texts])


def looked_at(cell: Cell, offer: ProposalRow) -> Cell:
    """The cell as a pane shows it with the proposal's labels in it."""
    what, judged = offer.fact.what, None
    if isinstance(what, Proposed):
        judged = replace(offer.fact, what=replace(what, table=offer.table))
    return replace(
        cell, labels=offer.labels, judged=judged, base=judged, edits=frozenset(), signed=None
    )


# -- as lines of a list --------------------------------------------------------------------------


def headed(cell: Cell) -> ListRow:
    """What the columns of the list are."""
    names = ""
    for measure in _measures(cell):
        names += f" {measure.word or measure.short:>{_width(measure) - 1}}"
    left = (StyledText(f"{'round':{_ROUND}}", "muted"),)
    return ListRow("proposed by", left, (StyledText(f"{names}{'':{_APART}}"),), style="muted")


def drawn(cell: Cell, offer: ProposalRow | None) -> ListRow:
    """A proposal as a line: its round, who it is by, its numbers, how much differs; None is what
    stands.
    """
    blank = (StyledText(" " * _ROUND, "muted"),)
    if offer is None:
        figures = cell.measure()
        numbers = _numbers(cell, figures) if figures else ""
        return ListRow("the labels now", blank, (StyledText(f"{numbers}{'':{_APART}}"),))
    name, left = f"  {offer.name}", blank
    if offer.member is None:
        name, left = offer.name, (StyledText(f"{offer.round:>5}  ", "muted"),)
    if offer.why:
        return ListRow(name, left, (StyledText("no labels ", "failed"),), dim=True)
    figures = cell.subject.kind.measure(cell.subject.trait, offer.labels)
    return ListRow(name, left, (StyledText(_numbers(cell, figures)), _apart(cell, offer)))


def _measures(cell: Cell) -> Sequence[Measure]:
    return cell.subject.kind.measures(cell.subject.trait)


def _width(measure: Measure) -> int:
    """The cells of a measure's column: more where it is told in words."""
    return _WORD if measure.word else _NUMBER


def _numbers(cell: Cell, figures: Figures) -> str:
    """Each value, 0/0, or the word for it, in its column."""
    text = ""
    for measure in _measures(cell):
        value = clip(figures.words.get(measure.word, ""), _WORD - 1)
        if measure.name in figures.undefined:
            value = "0/0"
        elif not value:
            value = number(figures.values[measure.name])
        text += f" {value:>{_width(measure) - 1}}"
    return text


def _apart(cell: Cell, offer: ProposalRow) -> StyledText:
    """How much a proposal differs from what stands."""
    differing = len(differences(cell, offer))
    if differing:
        return StyledText(f"{f'{differing} differ':>{_APART - 1}} ", "flag")
    same = "same" if offer.labels == cell.labels else "reworded"
    return StyledText(f"{same:>{_APART - 1}} ", "muted")


KEYS = (
    "{proposals.adopt:A} adopts · {proposals.close:Esc} leaves · {proposals.other:Tab} items · "
    "{proposals.view:t} other view · {proposals.differences:K} all of it · "
    "{proposals.next:l} {proposals.previous:h} lists"
)
ONLY_LOOKED_AT = (
    "Only looked at here: {proposals.adopt:A} adopts these labels, {proposals.close:Esc} goes back "
    "to the cell."
)
WIDE = 100
"""The columns for panes side by side."""
SHORT = 20
"""The rows below which there is no room for both panes."""
MOST = 9  # lines of the list


class ProposalsScreen(Box[ProposalRow | None]):
    """The proposals, and the one under the cursor as its kind shows it; gives the one to adopt."""

    DEFAULT_CSS = """
    ProposalsScreen > Vertical {
        width: 100%; height: 100%; border: round $primary; background: $surface;
    }
    ProposalsScreen .proposals--title { height: 1; padding: 0 1; text-style: bold; }
    ProposalsScreen #proposals { padding: 0 1; }
    ProposalsScreen .proposals--told { height: 1; padding: 0 1; background: $boost; }
    ProposalsScreen .proposals--keys { height: 1; padding: 0 1; color: $muted; }
    ProposalsScreen #looked { height: 1fr; layout: vertical; }
    ProposalsScreen #response { height: 1fr; border: round $border-blurred; padding: 0 0 0 1; }
    ProposalsScreen #pane {
        height: 1fr; border: round $border-blurred; border-title-color: $muted;
    }
    ProposalsScreen #pane:focus-within { border: round $primary; }
    ProposalsScreen.-short #response { display: none; }
    ProposalsScreen.-wide #looked { layout: horizontal; }
    ProposalsScreen.-wide #response, ProposalsScreen.-wide #pane { width: 1fr; height: 100%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,V", "dismiss", "close", show=False, id="proposals.close"),
        Binding("A", "adopt", "adopt", show=False, id="proposals.adopt"),
        Binding("tab,shift+tab", "other", "its items", show=False, id="proposals.other"),
        Binding("l,right", "bucket(1)", "next bucket", show=False, id="proposals.next"),
        Binding("h,left", "bucket(-1)", "bucket before", show=False, id="proposals.previous"),
        Binding("K", "differences", "differences", show=False, id="proposals.differences"),
        Binding("t", "view", "checklist", show=False, id="proposals.view"),
        Binding("space", "scroll(1)", "scroll", show=False, id="proposals.scroll"),
        Binding("b", "scroll(-1)", "scroll back", show=False, id="proposals.scroll_back"),
    ]

    def __init__(self, cell: Cell, heading: str, marks: Marks, *, rendered: bool) -> None:
        super().__init__()
        self._cell = cell
        self._heading = heading
        self._marks = marks
        self._rendered = rendered
        self._offers: Sequence[ProposalRow | None] = [None, *offers(cell)]
        self._looked = False

    def compose(self) -> ComposeResult:
        only = in_own_keys(ONLY_LOOKED_AT, self.app)
        review = Looking(self._marks, self._looked_elsewhere, lambda _: self._tell(only))
        with Vertical():
            yield Static(plain(self._heading), classes="proposals--title")
            yield Lines(marks=self._marks, id="proposals")
            yield Static(classes="proposals--told", markup=False)
            with Container(id="looked"):
                yield ResponseView(id="response", empty="The response is empty.", marks=self._marks)
                yield pane_of(self._cell.subject.kind.name)(review, id="pane")
            yield Static(classes="proposals--keys", markup=False)

    def on_mount(self) -> None:
        self._response.set_rendered(self._rendered)
        rows = DrawnRows(self._offers, partial(drawn, self._cell))
        self._lines.show(ListSection(rows, headed(self._cell)))
        self._lines.go(0, 1)
        self._lines.focus()
        self._look()

    def on_resize(self, event: Resize) -> None:
        wide = event.size.width >= WIDE and not self.app.has_class("-plain")
        self.set_class(wide, "-wide")
        self.set_class(event.size.height < SHORT, "-short")
        self._lines.styles.height = min(len(self._offers) + 1, MOST, event.size.height // 3)
        self._pane.one_at_a_time(not wide)
        self._entitle()
        shown, *others = in_own_keys(KEYS, self.app).split(" · ")
        for key in others:
            if len(shown) + len(" · ") + len(key) > event.size.width - 4:
                break
            shown = f"{shown} · {key}"
        self.query_one(".proposals--keys", Static).update(plain(spelt(shown, self._marks)))

    @property
    def _lines(self) -> Lines:
        return self.query_one("#proposals", Lines)

    @property
    def _pane(self) -> KindPane:
        return self.query_one("#pane", KindPane)

    @property
    def _response(self) -> ResponseView:
        return self.query_one("#response", ResponseView)

    @property
    def _here(self) -> ProposalRow | None:
        return self._offers[self._lines.cursor.row]

    # -- looking ----------------------------------------------------------------------------------

    def _look(self) -> None:
        """Puts the proposal under the cursor into the buckets, if it has labels."""
        offer = self._here
        self._tell(describe_offer(self._cell, offer))
        cell = self._cell
        if offer and not offer.why:
            cell = looked_at(cell, offer)
        self._pane.show(cell, fresh=not self._looked)
        self._looked = True
        self._entitle()
        self._response.show(self._cell.subject.trace.response, self._spans())

    def _entitle(self) -> None:
        """Says in the frame whose labels are in sight: the pane draws it anew with every view."""
        offer, title = self._here, "the labels now"
        if offer and not offer.why:
            title = f"only looked at: {offer.name}, round {offer.round}"
        self._pane.border_title = plain(title)

    def _tell(self, text: str) -> None:
        strip = self.query_one(".proposals--told", Static)
        strip.update(fitting(plain(spelt(text, self._marks)), max(self.size.width - 4, 20), 1))

    def _spans(self) -> list[StyledSpan]:
        return response_spans.spans(self._pane.evidence(), self._pane.place, self._marks)

    @on(Lines.Highlighted, "#proposals")
    def _moved(self) -> None:
        self._look()

    @on(Lines.Chosen, "#proposals")
    def _chosen(self) -> None:
        self._pane.take_focus()

    def _looked_elsewhere(self) -> None:
        self._entitle()
        spans = self._spans()
        self._response.set_spans(spans)
        chosen = next((span for span in spans if span.selected), None)
        if chosen:
            self._response.reveal(chosen.start, chosen.end)

    @on(ResponseView.SpanClicked)
    def _span_clicked(self, event: ResponseView.SpanClicked) -> None:
        found = self._pane.evidence()[event.index]
        self._pane.go(*found.place)
        self._looked_elsewhere()

    # -- keys -------------------------------------------------------------------------------------

    def action_adopt(self) -> None:
        offer = self._here
        if offer is None:
            self._tell("The cell has these labels already.")
        elif offer.why:
            self._tell(f"There is nothing to adopt from {offer.name}: {offer.why}")
        else:
            self.dismiss(offer)

    def action_other(self) -> None:
        if self._lines.has_focus:
            self._pane.take_focus()
        else:
            self._lines.focus()

    def action_bucket(self, by: int) -> None:
        self._pane.take_focus()
        self._pane.step_group(by)

    def action_differences(self) -> None:
        """All that differs, to read whole."""
        text = describe_offer(self._cell, self._here, "\n")
        self.app.push_screen(ReadingScreen(text, marks=self._marks))

    def action_view(self) -> None:
        self._pane.turn_view()
        self._entitle()

    def action_scroll(self, by: int) -> None:
        self._response.action_roll_page(by)
