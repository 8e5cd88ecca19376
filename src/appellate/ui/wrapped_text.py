"""A text with its evidence drawn row by row, of which a part is in sight; all in offsets of its page.

Only rows in sight are drawn, and only they are wrapped at once; the others follow in slices between two keys.
"""

from asyncio import TimerHandle
from time import perf_counter
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from appellate.ui.later import later
from appellate.ui.page import NOTHING, Spans, StyledRun, TextPage
from appellate.ui.rendered_text import ADDED
from appellate.ui.text import clip
from appellate.ui.word_bounds import Stretch

SLICE, PAUSE = 0.008, 0.008  # seconds of wrapping at once beyond what is in sight, and between


class WrappedTextView(ScrollView, can_focus=True, inherit_bindings=False):
    """A page, scrolled at once."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    WrappedTextView {
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
        & > .response--plea { color: $state-failed; text-style: italic underline; }
        & > .response--mark-plea { color: $state-failed; text-style: bold; }
        & > .response--selected { text-style: bold reverse; }
        & > .response--over { text-style: bold underline uu; }
        & > .response--search { text-style: bold italic underline; color: $warning; }
        & > .response--here { text-style: bold italic reverse; color: $warning; background: $background; }
        & > .response--title { text-style: bold; color: $primary; }
        & > .response--heading { text-style: bold; }
        & > .response--strong { text-style: bold; }
        & > .response--em { text-style: italic; }
        & > .response--strike { text-style: strike; }
        & > .response--code { background: $panel; }
        & > .response--link { color: $accent; }
        & > .response--target { color: $muted; text-style: dim; }
        & > .response--bar { color: $muted; }
        & > .response--added { color: $muted; }
        & > .response--taken { text-style: bold reverse; }
        & > .response--empty { color: $muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"response--{name}"
        for name in (
            *("tp", "fn", "fp", "tn", "mark-tp", "mark-fn", "mark-fp", "mark-tn"),
            *("plea", "mark-plea", "selected", "over", "search", "here", "taken", "empty"),
            *("title", "heading", "strong", "em", "strike", "code", "link", "target", "bar", ADDED),
        )
    }

    def __init__(self, empty: str, id: str | None, classes: str | None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.empty = empty
        self.page = TextPage("", 1, Spans())
        self.sought = NOTHING
        self._blank = True
        self._more: TimerHandle | None = None

    @property
    def taken(self) -> Stretch | None:
        """What a person has selected of the page."""
        return None

    # Places

    def _row(self, offset: int) -> int:
        offset = min(offset, len(self.page.text) - 1)
        self.page.rows.extend_past(offset)
        self._sized()
        return self.page.rows.row_of(offset)

    @property
    def _width(self) -> int:
        return max(self.scrollable_content_region.width, 1)

    @property
    def _top(self) -> int:
        """The offset of the page at which the first row in sight begins."""
        starts = self.page.rows.starts
        return starts[min(self.scroll_offset.y, len(starts) - 1)] if starts else 0

    def _reveal(self, start: int, end: int) -> None:
        first, last = self._row(start), self._row(end - 1)
        top, height = self.scroll_offset.y, self.size.height
        if first < top or last >= top + height:
            near = first - 1 if first < top else min(first - 1, last - height + 2)
            far = first - height // 3
            away = first < top - height or first >= top + 2 * height
            self._roll_to(far if away else near)

    @property
    def _in_sight(self) -> Stretch:
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
        if self._more:
            self._more.cancel()
        more = self.is_running and not self.page.rows.whole
        self._more = later(PAUSE, self, self._find_slice) if more else None

    def _find_slice(self) -> None:
        until = perf_counter() + SLICE
        rows = self.page.rows
        rows.extend(lambda: perf_counter() > until)
        if rows.whole or len(rows.starts) > 1.5 * self.virtual_size.height:  # telling costs a layout
            self._sized()
        self._find_more()

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
        self._roll_to(self._row(len(self.page.text)))

    # Drawing

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        width, base = self._width, self.rich_style
        if self._blank:
            return self._nothing(y, width, base)
        if y >= len(self.page.rows.starts):
            return Strip.blank(width, base)
        runs = self.page.runs(y, self.taken, self.sought)
        segments = [Segment(run.shown, self._style(run, base)) for run in runs if run.shown]
        return Strip(segments).adjust_cell_length(width, base)

    def _nothing(self, y: int, width: int, base: Style) -> Strip:
        style = self.get_component_rich_style("response--empty")
        return Strip([Segment(clip(self.empty, width), style)] if y == 0 else []).adjust_cell_length(width, base)

    def _style(self, run: StyledRun, base: Style) -> Style:
        style = base
        for worn in run.worn:
            style += self._component(worn, partial=True)
        if run.span is not None:
            style += self._component(f"mark-{run.span.style_key}" if run.mark else run.span.style_key)
            style += Style(dim=True) if run.span.dim else Style.null()
            style += self._component("selected", partial=True) if self._stands_out(run) else Style.null()
            style += self._component("over", partial=True) if run.over > 1 else Style.null()
        if run.hit:
            style += self._component("here" if run.here else "search", partial=True) + Style(dim=False)
        return style + self._component("taken", partial=True) if run.taken else style

    def _stands_out(self, run: StyledRun) -> bool:
        """True in selected evidence, unless a person is selecting and needs to see that."""
        return run.span is not None and run.span.selected and not run.mark and self.taken is None

    def _component(self, name: str, partial: bool = False) -> Style:
        return self.get_component_rich_style(f"response--{name}", partial=partial, default=Style.null())
