"""A text of any size to read, with its evidence in place: raw or rendered, searched, walked through.

A text is shown in two ways, raw and rendered (Markdown). Offsets given to a view and told by it are offsets of the text
itself in both, while its page, and what is selected on it, are counted in what is shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Thread
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Offset
from textual.message import Message

from appellate.ui.finding import Finding, find
from appellate.ui.later import later
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.page import NOTHING, Sought, Span, Spans, TextPage
from appellate.ui.rendered_text import RenderedText
from appellate.ui.word_bounds import Stretch
from appellate.ui.wrapped_text import WrappedTextView

SOON = 10_000  # characters that are rendered at once; more are rendered in a thread
PATIENCE, LOOK = 0.02, 0.03  # seconds for which that one is waited for, and between two looks whether it is there
LIMIT = 400_000  # characters beyond which a text is shown raw


class TextView(WrappedTextView, can_focus=True, inherit_bindings=False):
    """A text with evidence, to read."""

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

    def __init__(
        self,
        *,
        empty: str = "",
        marks: Marks = UNICODE,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(empty, id, classes)
        self.marks = marks
        self._spans: Sequence[Span] = ()
        self._finding: Finding | None = None
        self._rendered = False
        self._rendering: RenderThread | None = None
        self._kept: tuple[int, int] | None = None
        self._walked: int | None = None
        self._wanted: Stretch | None = None
        self._seen: tuple[int, Stretch] | None = None

    # What is shown

    @property
    def text(self) -> str:
        return self.page.rendered.source

    def show(self, text: str, spans: Sequence[Span] = ()) -> None:
        """Shows a text from its start, or other evidence if it is the text already shown."""
        if text == self.text:
            self.set_spans(spans)
            return
        self._finding, self._wanted, self._kept, self._seen, self._walked = None, None, None, None, None
        self._roll_to(0)
        self._blank, self._spans = not text.strip(), spans
        self._put_on(self._rendering_of(text))

    def set_spans(self, spans: Sequence[Span]) -> None:
        """Shows other evidence; what stands in the first row stays there."""
        top, self._spans = self._top, spans
        self.page.mark(self._placed(self.page.rendered))
        self._return_to(top)

    def reveal(self, start: int, end: int | None = None) -> None:
        """Scrolls so that a stretch is in sight, if it is not, and at once."""
        self._wanted = (start, max(end or start, start + 1))
        if self.size.height:
            wanted, self._wanted = self._wanted, None
            self._reveal(*self.page.rendered.shown(*wanted))
            self._seen = self.scroll_offset.y, wanted

    def spot(self, offset: int) -> Offset | None:
        """Where on the screen the character at an offset of the text is drawn; None out of sight."""
        place = self.page.rendered.shown_at(offset)
        if self._blank or place >= self.page.rows.at:
            return None
        row = self._row(place)
        y = row - self.scroll_offset.y
        if not 0 <= y < self.size.height:
            return None
        corner = self.content_region.offset
        return corner + Offset(self.page.cell_of(row, place), y)

    @property
    def in_sight(self) -> Stretch:
        """The stretch of the text that the screen shows."""
        return self.page.rendered.source_of(*self._in_sight)

    def on_resize(self, _: Resize) -> None:
        if self.page.rows.width != self._width:
            rendered = self.page.rendered
            self._put_on(self._rendering_of(self.text) if rendered.tabular or rendered.raw else rendered)
        if self._wanted:
            self.reveal(*self._wanted)

    # Raw and rendered

    @property
    def rendered(self) -> bool:
        """True if Markdown is to be shown as it reads."""
        return self._rendered

    @property
    def reads_as_markdown(self) -> bool:
        """Whether the text is shown as Markdown reads, or will be as soon as that is ready."""
        return self._is_to_be_rendered(self.text)

    def _is_to_be_rendered(self, text: str) -> bool:
        return self._rendered and len(text) <= LIMIT

    def set_rendered(self, on: bool) -> None:
        """Shows Markdown as it reads, or raw; the reading place stays."""
        if on != self._rendered:
            self._rendered = on
            rendered = self._rendering_of(self.text)
            if not (rendered.raw and self.page.rendered.raw):
                self._put_on(rendered)

    def _rendering_of(self, text: str) -> RenderedText:
        """The text as it is to be shown, or raw until it is there."""
        self._rendering = None
        if not self._is_to_be_rendered(text) or self._blank or not self.size:
            return RenderedText(text)
        self._rendering = RenderThread(text, self._width, self.marks)
        if len(text) <= SOON:
            self._rendering.run()
        else:
            self._rendering.start()
            self._rendering.join(PATIENCE)
        if self._rendering.rendered is None:
            self._await_rendering()
        return self._rendering.rendered or RenderedText(text)

    def _await_rendering(self) -> None:
        if self.is_running:
            later(LOOK, self, self._made)

    def _made(self) -> None:
        if self._rendering is None or self._rendering.rendered is self.page.rendered:
            return
        if self._rendering.rendered:
            self._put_on(self._rendering.rendered)
        elif self._rendering.is_alive():
            self._await_rendering()

    def _put_on(self, rendered: RenderedText) -> None:
        """Shows a text rendered in another way or at another width; what stands in the first row stays there."""
        same = rendered.source is self.text
        place, here = (self._place, self._hit) if same else (0, 0)
        seen = self._seen[1] if same and self._seen and self._seen[0] == self.scroll_offset.y else None
        self.page = TextPage(rendered, self._width, self._placed(rendered))
        self._search_again(rendered.shown_at(here))
        self._return_to(rendered.shown_at(place))
        self._kept = self.scroll_offset.y, place
        if seen:
            self.reveal(*seen)

    def _placed(self, rendered: RenderedText) -> Spans:
        """The evidence where it is shown."""
        if rendered.raw:
            return Spans(self._spans)
        return Spans([_moved(span, rendered) if span.start < span.end else span for span in self._spans])

    @property
    def _place(self) -> int:
        """The offset being read: that of the first row, or the one kept when faces changed and nothing was scrolled."""
        if self._kept and self._kept[0] == self.scroll_offset.y:
            return self._kept[1]
        return self.page.rendered.source_at(self._top)

    # Searching

    @property
    def searching(self) -> bool:
        return self._finding is not None

    @property
    def finding(self) -> Finding | None:
        """What is looked for, and which hit one is at; None while nothing is."""
        return self._finding

    def search(self, needle: str) -> int:
        """Marks all that is shown like the needle, goes to the first from here on, and tells how many there are."""
        if not needle.strip():
            self.end_search()
            return 0
        self._seek(Finding(needle, find(self.page.text, needle)).from_offset(self._top))
        return self._finding.told[1] if self._finding else 0

    def next_hit(self, by: int = 1) -> tuple[int, int]:
        """Goes to another hit, the first behind the last; tells which, counted from 1, of how many."""
        if self._finding is None:
            return 0, 0
        self._seek(self._finding.stepped(by))
        return self._finding.told

    def end_search(self) -> None:
        """Marks nothing more and stays here."""
        self._finding, self.sought = None, NOTHING
        self.refresh()

    def _seek(self, finding: Finding) -> None:
        self._finding, self.sought = finding, Sought(finding.hits, finding.here)
        if finding.here:
            self._reveal(*finding.here)
        self.refresh()

    @property
    def _hit(self) -> int:
        """The offset of the hit one is at."""
        return self.page.rendered.source_at(self.sought.here[0]) if self.sought.here else 0

    def _search_again(self, here: int) -> None:
        """Finds the same in the text now shown, and is at the hit there."""
        self.sought = NOTHING
        if found := self._finding:
            self._finding = Finding(found.needle, find(self.page.text, found.needle)).from_offset(here)
            self.sought = Sought(self._finding.hits, self._finding.here)

    # Evidence in the order of the text

    def walk(self, by: int) -> int | None:
        """Brings the next evidence in the order of the text into sight, the first behind the last; tells its index."""
        order = sorted(
            (index for index, span in enumerate(self._spans) if span.start < span.end and not span.aside),
            key=lambda index: (self._spans[index].start, self._spans[index].end, index),
        )
        if not order:
            return None
        self._walked = order[self._standing(order, by) % len(order)]
        self.reveal(self._spans[self._walked].start, self._spans[self._walked].end)
        return self._walked

    def _standing(self, order: Sequence[int], by: int) -> int:
        """Where in the order to go: from the evidence walked to or selected, else from what is in sight."""
        chosen = [place for place, index in enumerate(order) if self._spans[index].selected]
        if chosen:
            walked = next((place for place in chosen if order[place] == self._walked), chosen[0])
            return walked + by
        low, high = self.in_sight
        before = [place for place, index in enumerate(order) if self._spans[index].start < (low if by > 0 else high)]
        return len(before) if by > 0 else len(before) - 1


class RenderThread(Thread):
    """Renders a text beside the screen."""

    def __init__(self, text: str, width: int, marks: Marks) -> None:
        super().__init__(daemon=True)
        self._asked = text, width, marks
        self.rendered: RenderedText | None = None

    def run(self) -> None:
        from appellate.ui.markdown import render_markdown

        self.rendered = render_markdown(*self._asked)


def _moved(span: Span, rendered: RenderedText) -> Span:
    start, end = rendered.shown(span.start, span.end)
    return replace(span, start=start, end=end)
