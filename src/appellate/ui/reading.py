"""A text of any size with its evidence in place: wrapped by words, drawn row by row, scrolled at once.

Only rows in sight are drawn, and only they are wrapped at once; the others follow in slices between two keys.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from appellate.ui.page import Page, Run
from appellate.ui.spans import Span, Spans
from appellate.ui.text import clip
from appellate.ui.words import Stretch

SLICE, PAUSE = 0.008, 0.008  # seconds of wrapping at once beyond what is in sight, and between


class TextView(ScrollView, can_focus=True, inherit_bindings=False):
    """A text with evidence, to read."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TextView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .response--tp { background: $evidence-tp; text-style: underline; }
        & > .response--fn { background: $evidence-fn; text-style: underline; }
        & > .response--fp { background: $evidence-fp; text-style: underline; }
        & > .response--tn { background: $evidence-tn; text-style: underline; }
        & > .response--mark-tp { color: $bucket-tp; text-style: bold; }
        & > .response--mark-fn { color: $bucket-fn; text-style: bold; }
        & > .response--mark-fp { color: $bucket-fp; text-style: bold; }
        & > .response--mark-tn { color: $bucket-tn; text-style: bold; }
        & > .response--selected { text-style: bold reverse; }
        & > .response--search { text-style: bold underline; background: $warning; color: $background; }
        & > .response--taken { text-style: bold reverse; }
        & > .response--empty { color: $muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"response--{name}"
        for name in (
            *("tp", "fn", "fp", "tn", "mark-tp", "mark-fn", "mark-fp", "mark-tn"),
            *("selected", "search", "taken", "empty"),
        )
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "roll(-1)", "up", show=False, id="response.up"),
        Binding("down,j", "roll(1)", "down", show=False, id="response.down"),
        Binding("pageup", "roll_page(-1)", "page up", show=False, id="response.page_up"),
        Binding("pagedown", "roll_page(1)", "page down", show=False, id="response.page_down"),
        Binding("home", "roll_home", "start", show=False, id="response.home"),
        Binding("end", "roll_end", "end", show=False, id="response.end"),
    ]

    @dataclass
    class SpanClicked(Message):
        """The evidence at `index` of the spans was clicked."""

        view: "TextView"
        index: int

        @property
        def control(self) -> "TextView":
            return self.view

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.empty = empty
        self.page = Page("", 1, Spans())
        self.hits: Sequence[Stretch] = ()
        self._blank = True
        self._wanted: Stretch | None = None
        self._finding: Timer | None = None

    # What is shown

    @property
    def text(self) -> str:
        return self.page.text

    @property
    def taken(self) -> Stretch | None:
        """What a person has selected."""
        return None

    def show(self, text: str, spans: Sequence[Span] = ()) -> None:
        """Shows a text from its start, or other evidence if it is the text already shown."""
        if text == self.text:
            self.set_spans(spans)
            return
        self.hits, self._wanted = (), None
        self._roll_to(0)
        self._blank = not text.strip()
        self.page = Page(text, self._width, Spans(spans))
        self._sized()
        self._find_more()

    def set_spans(self, spans: Sequence[Span]) -> None:
        """Shows other evidence; what stands in the first row stays there."""
        top = self._top
        self.page.mark(Spans(spans))
        self._return_to(top)

    def set_hits(self, hits: Sequence[Stretch]) -> None:
        """Shows where a search found something: stretches in order, none over another."""
        self.hits = hits
        self.refresh()

    def reveal(self, start: int, end: int | None = None) -> None:
        """Scrolls so that a stretch is in sight, if it is not, and at once."""
        self._wanted = (start, max(end or start, start + 1))
        if not self.size.height:
            return
        first, last = self._row(start), self._row(self._wanted[1] - 1)
        self._wanted = None
        top, height = self.scroll_offset.y, self.size.height
        if first < top or last >= top + height:
            near = first - 1 if first < top else min(first - 1, last - height + 2)
            far = first - height // 3
            away = first < top - height or first >= top + 2 * height
            self._roll_to(far if away else near)

    def _row(self, offset: int) -> int:
        offset = min(offset, len(self.text) - 1)
        self.page.rows.extend_past(offset)
        self._sized()
        return self.page.rows.row_of(offset)

    @property
    def _width(self) -> int:
        return max(self.scrollable_content_region.width, 1)

    @property
    def _top(self) -> int:
        """The offset at which the first row in sight begins."""
        starts = self.page.rows.starts
        return starts[min(self.scroll_offset.y, len(starts) - 1)] if starts else 0

    @property
    def in_sight(self) -> Stretch:
        """The stretch of the text that the screen shows."""
        rows = self.page.rows
        if not rows.starts:
            return 0, 0
        last = min(self.scroll_offset.y + max(self.size.height, 1), len(rows.starts)) - 1
        return self._top, rows.bounds(max(last, 0))[1]

    def _return_to(self, offset: int) -> None:
        row = self._row(offset) if offset else 0
        self._sized()
        if row != self.scroll_offset.y:
            self._roll_to(row)
        self.refresh()
        self._find_more()

    def _sized(self) -> None:
        """Makes sure of the rows in sight and tells how many there are."""
        self.page.rows.extend_rows(self.scroll_offset.y + 2 * self.size.height + 1)
        self.virtual_size = Size(self._width, len(self.page.rows.starts))

    def _find_more(self) -> None:
        if self._finding:
            self._finding.stop()
        more = self.is_running and not self.page.rows.whole
        self._finding = self.set_timer(PAUSE, self._find_slice) if more else None

    def _find_slice(self) -> None:
        until = perf_counter() + SLICE
        rows = self.page.rows
        rows.extend(lambda: perf_counter() > until)
        if rows.whole or len(rows.starts) > 1.5 * self.virtual_size.height:  # telling costs a layout
            self._sized()
        self._find_more()

    def on_resize(self, _: Resize) -> None:
        if self.page.rows.width != self._width:
            top = self._top
            self.page = Page(self.text, self._width, self.page.spans)
            self._return_to(top)
        if self._wanted:
            self.reveal(*self._wanted)

    # Scrolling

    def _roll_to(self, row: int) -> None:
        if self.is_running:
            self.scroll_to(y=max(row, 0), animate=False, force=True)

    def action_roll(self, rows: int) -> None:
        self._roll_to(self.scroll_offset.y + rows)

    def action_roll_page(self, by: int) -> None:
        self.action_roll(by * max(self.size.height - 1, 1))

    def action_roll_home(self) -> None:
        self._roll_to(0)

    def action_roll_end(self) -> None:
        self._roll_to(self._row(len(self.text)))

    # Drawing

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        room, base = self._width, self.rich_style
        if self._blank:
            return self._nothing(y, room, base)
        if y >= len(self.page.rows.starts):
            return Strip.blank(room, base)
        runs = self.page.runs(y, self.taken, self.hits)
        segments = [Segment(run.shown, self._style(run, base)) for run in runs if run.shown]
        return Strip(segments).adjust_cell_length(room, base)

    def _nothing(self, y: int, room: int, base: Style) -> Strip:
        style = self.get_component_rich_style("response--empty")
        return Strip([Segment(clip(self.empty, room), style)] if y == 0 else []).adjust_cell_length(room, base)

    def _style(self, run: Run, base: Style) -> Style:
        style = base
        if run.span is not None:
            style += self._component(f"mark-{run.span.style_key}" if run.mark else run.span.style_key)
            style += Style(dim=True) if run.span.dim else Style.null()
            style += self._component("selected", partial=True) if self._stands_out(run) else Style.null()
        if run.hit:
            style += self._component("search")
        return style + self._component("taken", partial=True) if run.taken else style

    def _stands_out(self, run: Run) -> bool:
        """True in selected evidence, unless a person is selecting and needs to see that."""
        return run.span is not None and run.span.selected and not run.mark and self.taken is None

    def _component(self, name: str, partial: bool = False) -> Style:
        return self.get_component_rich_style(f"response--{name}", partial=partial, default=Style.null())
