"""What each judge proposed for a cell, in this round and before, to look at and to adopt.

A proposal is only looked at here: nothing of it is kept until it is adopted, and that is an act
like any other, which undo takes back.
"""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.events import Resize
from textual.widgets import Static

from appellate.app import response_spans
from appellate.app.keys import pane_of
from appellate.app.proposal_rows import (
    ProposalRow,
    describe_offer,
    drawn,
    headed,
    looked_at,
    offers,
)
from appellate.app.reading_screen import ReadingScreen
from appellate.core.cell import Cell
from appellate.ui.grouped_rows import fitting
from appellate.ui.lines import DrawnRows, Lines, ListSection
from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import Box
from appellate.ui.page import StyledSpan
from appellate.ui.pane import KindPane, Looking
from appellate.ui.response import ResponseView
from appellate.ui.text import plain

KEYS = "A adopts", "Esc leaves", "Tab items", "t other view", "K all of it", "l h lists"
ONLY_LOOKED_AT = "Only looked at here: A adopts these labels, Esc goes back to the cell."
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
        review = Looking(self._marks, self._looked_elsewhere, lambda _: self._tell(ONLY_LOOKED_AT))
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
        keys = plain(spelt(_keys(event.size.width - 4), self._marks))
        self.query_one(".proposals--keys", Static).update(keys)

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


def _keys(room: int) -> str:
    """The keys of the screen, as many as fit."""
    shown = KEYS[0]
    for key in KEYS[1:]:
        if len(shown) + len(" · ") + len(key) > room:
            break
        shown = f"{shown} · {key}"
    return shown
