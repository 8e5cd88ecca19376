"""A text of any size to read, with its evidence marked: raw or as its Markdown reads, and
searchable.

Offsets that a view takes and returns are offsets of the text itself; those of its page are of what
is shown. Rows are wrapped as they become visible, the others in slices between two keys.
"""

from asyncio import TimerHandle
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.binding import Binding, BindingType
from textual.events import (
    Click,
    MouseDown,
    MouseEvent,
    MouseMove,
    MouseRelease,
    MouseUp,
    Resize,
)
from textual.geometry import Offset, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from appellate.ui import selecting
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.page import (
    NOTHING,
    Finding,
    Spans,
    StyledRun,
    StyledSpan,
    TextPage,
    find,
)
from appellate.ui.rendered_text import RenderedText, SourceEdit, Worn, components
from appellate.ui.selecting import (
    Selecting,
    Stretch,
    next_word,
    previous_word,
    step,
    whole_words,
)
from appellate.ui.text import clip
from appellate.ui.textual_compat import (
    SteadyView,
    later,
    own_style,
    set_scrolled_size,
    whole_style,
)

if TYPE_CHECKING:
    from appellate.core.transcript import Step
    from appellate.ui.steps import Fold, StepsInView

SOON = 10_000
"""Characters that are rendered at once; more are rendered in a thread."""
PATIENCE = 0.02
"""Seconds to wait for that thread before a text is shown raw."""
LIMIT = 400_000
"""Characters; a longer text is shown raw."""
GAP = 1
"""Cells between the text and the scrollbar."""
SLICE = 0.008
"""Seconds that rows which are not visible are wrapped at a time."""
PAUSE = 0.008
"""Seconds between two such slices."""


class Revealed(Struct, frozen=True):
    """A stretch that was brought into view."""

    led_to: int
    """The scroll offset that this led to."""
    stretch: Stretch

    def stays(self, view: Widget) -> bool:
        """Return whether the view is still scrolled to where this led: nobody scrolled since.

        A view that became taller may have scrolled itself, to its end: that counts as unscrolled.
        """
        return view.scroll_offset.y == min(self.led_to, view.max_scroll_y)


class TextView(SteadyView, can_focus=True, inherit_bindings=False):
    """A text with evidence, to read."""

    ALLOW_SELECT = False
    SELECTS = False
    """Whether words can be selected, by this view's own keys and the mouse."""
    FOLDS = False
    """Whether long steps are folded, because a key unfolds them."""
    DEFAULT_CSS = """
    TextView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        & > .response--tp { background: $evidence-tp; text-style: underline; }
        & > .response--fn { background: $evidence-fn; text-style: underline; }
        & > .response--fp { background: $evidence-fp; text-style: bold underline; }
        & > .response--tn { background: $evidence-tn; text-style: underline; }
        & > .response--denied { background: $evidence-fn; text-style: italic underline; }
        & > .response--mark-denied { color: $bucket-fn; text-style: bold; }
        & > .response--evidence { background: $panel; text-style: underline; }
        & > .response--mark-tp { color: $bucket-tp; text-style: bold; }
        & > .response--mark-fn { color: $bucket-fn; text-style: bold; }
        & > .response--mark-fp { color: $bucket-fp; text-style: bold; }
        & > .response--mark-tn { color: $bucket-tn; text-style: bold; }
        & > .response--mark-evidence { color: $primary; text-style: bold; }
        & > .response--plea { color: $state-failed; text-style: italic underline; }
        & > .response--mark-plea { color: $state-failed; text-style: bold; }
        & > .response--differs { color: $state-flag; text-style: bold italic; }
        & > .response--selected { text-style: bold reverse; }
        & > .response--over { text-style: bold underline uu; }
        & > .response--search { text-style: bold italic underline; color: $warning; }
        & > .response--here {
            text-style: bold italic reverse; color: $warning; background: $background;
        }
        & > .response--title { text-style: bold; color: $primary; }
        & > .response--heading { text-style: bold; }
        & > .response--strong { text-style: bold; }
        & > .response--em { text-style: italic; }
        & > .response--strike { text-style: strike; }
        & > .response--code { background: $panel; }
        & > .response--block { background: $panel; }
        & > .response--link { color: $accent; }
        & > .response--target { color: $muted; text-style: dim; }
        & > .response--bar { color: $muted; }
        & > .response--added { color: $muted; }
        & > .response--spoken { text-style: bold; }
        & > .response--call { color: $success; text-style: bold; }
        & > .response--others { text-style: dim; }
        & > .response--step { text-style: underline; }
        & > .response--taken { text-style: bold reverse; }
        & > .response--empty { color: $muted; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = components(
        "response",
        "tp fn fp tn mark-tp mark-fn mark-fp mark-tn denied mark-denied evidence mark-evidence "
        "plea mark-plea differs selected over search here taken empty title heading strong em "
        "strike code block link target bar added spoken call others step",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "roll(-1)", "up", id="response.up"),
        Binding("down,j", "roll(1)", "down", id="response.down"),
        Binding("pageup", "roll_page(-1)", "page up", id="response.page_up"),
        Binding("pagedown", "roll_page(1)", "page down", id="response.page_down"),
        Binding("home", "roll_home", "start", id="response.home"),
        Binding("end", "roll_end", "end", id="response.end"),
    ]

    @dataclass
    class Rendered(Message, bubble=False):
        """Posted when a thread has rendered a text."""

        thread: "RenderThread"

    class FoldsChanged(Message):
        """Posted when other steps of a conversation are folded than before."""

    def __init__(
        self,
        *,
        empty: str = "",
        marks: Marks = UNICODE,
        id: str | None = None,  # noqa: A002
    ) -> None:
        """Make a view without a text; `empty` is the sentence that it shows for a blank text."""
        super().__init__(id=id)
        self.empty = empty
        self.marks = marks
        self.page = TextPage("", 1, Spans())
        self.selection = Selection(self)
        self.finding = NOTHING
        """The search and its current hit, in offsets of the page."""
        self._blank = True
        self._spans = Spans()
        """The evidence, in offsets of the text itself."""
        self.steps: StepsInView | None = None
        """The steps of a conversation, some of them folded; None for any other text."""
        self._hits_in_text: Sequence[Stretch] = ()
        """The hits of a search in a conversation, in offsets of the text itself."""
        self.rendered = False
        """Whether Markdown is shown as it reads."""
        self._rendering: RenderThread | None = None
        self._kept_place: tuple[int, int] | None = None
        """A scroll offset, and the offset of the text in the first row then."""
        self._walked: int | None = None
        """The index of the evidence that the person went to last."""
        self._wanted: Stretch | None = None
        """A stretch to reveal once the view has a size."""
        self._revealed: Revealed | None = None
        self._more: TimerHandle | None = None
        self.headings: Sequence[Stretch] = ()
        """The stretches of the text that are no words of it; a selection begins behind them."""

    # -- what is shown -------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The whole text, without folding or rendering."""
        return self.page.rendered.source

    def show(
        self,
        text: str,
        spans: Sequence[StyledSpan] = (),
        steps: "Sequence[Step]" = (),
    ) -> None:
        """Show a text from its start; if it is shown already, only show other evidence.

        `spans` are in offsets of the text, and `steps` are those of a conversation, whose headings
        are styled. Long steps are folded if a key of this view unfolds them, except those with
        evidence; then `FoldsChanged` is posted. Another text ends the selection and the search. A
        text is shown already if it is equal, and is a conversation as before or none as before. It
        stays where it is scrolled to, and its `steps` are not read again.
        """
        if text == self.text and bool(steps) == (self.steps is not None):
            self.set_spans(spans)
            return

        self.selection.end()
        self._wanted = None
        self._kept_place = None
        self._revealed = None
        self._walked = None
        self.finding = NOTHING
        self._hits_in_text = ()
        self._scroll_to_row(0)
        self._blank = not text.strip()
        self._spans = Spans(spans)
        self.steps = None
        if steps:
            from appellate.ui.steps import StepsInView  # only conversations need it

            self.steps = StepsInView(text, steps, self.marks, folds=self.FOLDS)
            self.steps.fold_all_but(self._must_be_seen())
            self.post_message(self.FoldsChanged())
        self._show_page(self._to_be_shown(text))

    def set_spans(self, spans: Sequence[StyledSpan]) -> None:
        """Show other evidence instead of the present; what is in the first row stays there.

        Steps that are visible stay unfolded, and those that have evidence now are unfolded; if
        others are folded than before, `FoldsChanged` is posted. Only the rows that change are drawn
        again.
        """
        self._keep_unfolded()
        top = self._top
        self._spans = self._spans.followed_by(spans)
        if self._refold():
            return

        spans_before = self.page.spans
        starts = self.page.rows.starts[:]
        self.page.mark(self._spans.shown_in(self.page.rendered))
        changed = self.page.spans.changed_from(spans_before)
        if changed is None or self.page.rows.starts != starts:
            self._put_offset_at_top(top)
            return

        low = self.scroll_offset.y
        high = low + self.size.height - 1

        for span in changed:
            first = max(self.page.rows.row_of(span.start), low)
            # the mark is after the span
            last = min(self.page.rows.row_of(span.end), high)
            if first <= last:
                self.refresh_lines(first, last - first + 1)

    def reveal(self, start: int, end: int | None = None) -> None:
        """Scroll to text[start:end] at once, unless it is visible.

        An `end` of None is for the one character at `start`. Folds over it are unfolded. Before the
        view has a size, it scrolls as soon as it has one. After a resize it scrolls there again,
        unless somebody scrolled since.
        """
        stretch = start, max(end or start, start + 1)
        if not self.size.height:
            self._wanted = stretch
            return
        self._wanted = None
        self._unfold_over(stretch)
        if not self._reveal_in_step(stretch):
            shown_start, shown_end = self.page.rendered.shown_span(*stretch)
            self.reveal_on_page(shown_start, shown_end)
        self._revealed = Revealed(self.scroll_offset.y, stretch)

    def reveal_selected(self) -> None:
        """Scroll to the first evidence, in the order given, that is selected, unless it is visible.

        Selected spans that are no evidence do not count. Without any the view stays.
        """
        for span in self._spans.in_order:
            if span.selected and not span.aside:
                self.reveal(span.start, span.end)
                return

    def spot(self, offset: int) -> Offset | None:
        """Return where on the screen, in cells, the character at an offset of the text is drawn.

        None if it is not visible, not wrapped yet, or if the text is blank.
        """
        page_offset = self.page.rendered.shown_at(offset)
        if self._blank or page_offset >= self.page.rows.at:
            return None
        row = self._row(page_offset)
        y = row - self.scroll_offset.y
        if not 0 <= y < self.size.height:
            return None
        x = self.page.cell_of(row, page_offset)
        return self.content_region.offset + Offset(x, y)

    @property
    def in_sight(self) -> Stretch:
        """The stretch of the text that the screen shows."""
        return self.page.rendered.source_of(*self.page_in_sight)

    def on_resize(self, _: Resize) -> None:
        """Wrap the text again for another width, and render it again if it depends on the width.

        What was to be revealed before there was a size is revealed now. Else what was revealed last
        stays visible, if nobody scrolled since.
        """
        if self.page.rows.width != self._width:
            rendered = self.page.rendered
            if rendered.tabular or rendered.raw:
                rendered = self._to_be_shown(self.text)
            self._show_page(rendered)
        if self._wanted:
            self.reveal(*self._wanted)
        elif self._revealed and self._revealed.stays(self):
            self.reveal(*self._revealed.stretch)

    # -- raw and rendered ----------------------------------------------------------------------

    @property
    def reads_as_markdown(self) -> bool:
        """Whether the text is shown as Markdown reads, or will be as soon as it is rendered.

        It is if that was asked for (`set_rendered`), but never for a conversation or for a text of
        more than `LIMIT` characters.
        """
        if not self.rendered or self.steps is not None:
            return False
        return len(self.text) <= LIMIT

    def set_rendered(self, on: bool) -> None:
        """Show Markdown as it reads if `on`, or raw; what is in the first row stays there.

        A text that is blank, longer than `LIMIT` or a conversation looks the same either way. A
        long text may be rendered in a thread, and is raw until then.
        """
        if on == self.rendered:
            return
        self.rendered = on
        rendered = self._to_be_shown(self.text)
        if not (rendered.raw and self.page.rendered.raw):
            self._show_page(rendered)

    def _to_be_shown(self, text: str) -> RenderedText:
        """Return the text as it is to be shown: folded, as its Markdown reads, or raw.

        A conversation is only folded. Any other text is raw if Markdown is not to be rendered, if
        it is blank or has more than `LIMIT` characters, and before the view has a size. A text of
        more than `SOON` characters is rendered in a thread. If that takes more than `PATIENCE`
        seconds, it is returned raw, and shown rendered later.
        """
        self._rendering = None
        if self.steps is not None:
            return folded_text(self.steps)

        is_markdown = self.rendered and len(text) <= LIMIT
        if not is_markdown or self._blank or not self.size:
            return RenderedText(text)
        if len(text) <= SOON:
            return as_it_reads(text, self._width, self.marks)

        self._rendering = RenderThread(self, text, self._width)
        self._rendering.start()
        self._rendering.join(PATIENCE)
        return self._rendering.rendered or RenderedText(text)

    @on(Rendered)
    def _show_rendering(self, event: Rendered) -> None:
        """Show a text that a thread has rendered.

        Nothing happens if it is shown already, or if another text or form is wanted by now.
        """
        rendered = event.thread.rendered
        is_wanted = event.thread is self._rendering
        is_shown = rendered is self.page.rendered
        if rendered and is_wanted and not is_shown:
            self._show_page(rendered)

    def _show_page(self, rendered: RenderedText) -> None:
        """Show a text, rendered or raw, instead of the one shown.

        If both are of one source, what is in the first row, the selection, the current hit and what
        was revealed stay. Otherwise the first row is the text's first. An open search is made
        again.
        """
        first_offset = 0
        hit_offset = 0
        revealed = None
        if rendered.source is self.text:
            first_offset = self.page.rendered.source_at(self._top)
            if self._kept_place and self._kept_place[0] == self.scroll_offset.y:
                first_offset = self._kept_place[1]  # nothing was scrolled since
            if self.finding.here:
                hit_offset = self.page.rendered.source_at(self.finding.here[0])
            if self._revealed and self._revealed.stays(self):
                revealed = self._revealed.stretch
        # the lines of a conversation are shown again and again, folded differently
        known_rows = None
        if self.steps is not None:
            known_rows = self.steps.rows_known(self._width)
        page = TextPage(
            rendered,
            self._width,
            self._spans.shown_in(rendered),
            known_rows,
        )
        self.selection.move_to(page)
        self.page = page
        if self.searching:
            needle = self.finding.needle
            self.finding = Finding(needle, self._hits_of(needle)).from_offset(
                rendered.shown_at(hit_offset),
            )
        self._put_offset_at_top(rendered.shown_at(first_offset))
        self._kept_place = self.scroll_offset.y, first_offset
        if revealed:
            self.reveal(*revealed)

    # -- folding the steps of a conversation ------------------------------------------------------

    def _must_be_seen(self) -> list[Stretch]:
        """Return the stretches of the text that no fold may hide: evidence, hits, the selection.

        They are in offsets of the text, in no order.
        """
        seen = [(span.start, span.end) for span in self._spans.in_order]
        seen += self._hits_in_text
        if selected := self.selection.stretch:
            seen.append(selected)
        return seen

    def _refold(self) -> bool:
        """Fold the long steps that need not be seen, and unfold the others; the first row stays.

        Steps that are kept unfolded, as by a person, stay so. Returns whether other steps are
        folded than before; then `FoldsChanged` is posted. False for a text that is no conversation.
        """
        if self.steps is None or not self.steps.fold_all_but(self._must_be_seen()):
            return False
        self._show_page(folded_text(self.steps))
        self.post_message(self.FoldsChanged())
        return True

    def _keep_unfolded(self) -> None:
        """Keep the visible steps unfolded in later foldings, whatever unfolded them.

        Nothing is drawn. Does nothing for a text that is no conversation.
        """
        if self.steps is not None:
            self.steps.keep_unfolded(self.in_sight)

    def _unfold_over(self, stretch: Stretch) -> None:
        """Unfold the steps that hide any of a stretch of the text, and keep them unfolded.

        `FoldsChanged` is posted if any was folded. Does nothing for a text that is no conversation.
        """
        if self.steps is None:
            return
        for fold in self.steps.folded_over(stretch):
            self.steps.unfold(fold)
        self._refold()

    def _reveal_in_step(self, stretch: Stretch) -> bool:
        """Scroll to a stretch so that the heading of its step is in the first row.

        Returns whether the stretch is visible then. If it is already, nothing is scrolled. Returns
        False, and does not scroll, if there are no steps or not both fit.
        """
        if self.steps is None:
            return False

        start, end = self.page.rendered.shown_span(*stretch)
        first = self._row(start)
        last = self._row(end - 1)
        top = self.scroll_offset.y
        height = self.size.height
        if top <= first and last < top + height:
            return True

        step_index = self.steps.index_at(stretch[0])
        step = self.steps.steps[step_index]
        heading_offset = self.page.rendered.shown_at(step.heading_start)
        heading = self._row(heading_offset)
        if last >= heading + height:
            return False

        self.put_at_top(step.heading_start)
        return True

    @property
    def folds_in_sight(self) -> "list[Fold]":
        """The folds whose row is on the screen, from the top; the row says what is hidden.

        [] for a text that is no conversation.
        """
        if self.steps is None:
            return []

        folds = []
        top = self.scroll_offset.y

        for fold in self.steps.folded_over(self.in_sight):
            shown_start = self.page.rendered.shown_at(fold.start)
            row = self._row(shown_start + 1)
            if top <= row < top + self.size.height:
                folds.append(fold)
        return folds

    def action_unfold(self) -> None:
        """Unfold the first step whose fold is visible; the first row stays.

        If none is visible, unfold the next one below, or else the first of all, and scroll to its
        heading. Does nothing if nothing is folded.
        """
        if self.steps is None or not self.steps.folded:
            return

        visible = self.folds_in_sight
        if visible:
            first_fold = visible[0]
            self._unfold_over((first_fold.start, first_fold.end))
            return

        _, visible_end = self.in_sight
        target = self.steps.folded[0]
        for fold in self.steps.folded:
            if fold.start >= visible_end:
                target = fold
                break
        step = self.steps.steps[target.step_no - 1]
        self._unfold_over((target.start, target.end))
        self.put_at_top(step.heading_start)

    def turn_folds(self) -> bool:
        """Unfold all steps if any is folded, else fold the long ones again.

        When folding, those that hide what must be seen stay unfolded. Returns whether it unfolded;
        True for a text without steps.
        """
        if self.steps is None:
            return True

        unfolds = bool(self.steps.folded)
        if unfolds:
            self.steps.unfold_all()
        else:
            self.steps.fold_again()
        self._refold()
        return unfolds

    def uncovered(self, selection: Selecting) -> Selecting:
        """Unfold the folds that a selection touches; return it in the page's offsets after that.

        A side within a fold, or one that would jump over it from where the selection was, goes to
        the fold's first word, or from below to its last. The steps stay unfolded, and
        `FoldsChanged` is posted. If the selection touches no fold, it is returned as it is.
        """
        if self.steps is None:
            return selection

        rendered = self.page.rendered
        selection_before = self.selection.current
        start, end = rendered.source_of(selection.start, selection.end)
        touched = self.steps.folded_over((start, end))
        if not touched:
            return selection

        for fold in touched:
            self.steps.unfold(fold)
            low, high = rendered.shown_span(fold.start, fold.end)
            comes_down = selection_before is not None and selection_before.end <= low
            comes_up = selection_before is not None and selection_before.start >= high
            word = next_word(self.text, fold.start)
            if comes_up:
                word = previous_word(self.text, fold.end)
            if word and (comes_up or low <= selection.start < high):
                start = word[0]
            if word and (comes_down or low < selection.end <= high):
                end = word[1]

        self._refold()
        shown_span = self.page.rendered.shown_span(start, end)
        return Selecting(*shown_span, fresh=selection.fresh, ahead=selection.ahead)

    # -- searching -----------------------------------------------------------------------------

    @property
    def searching(self) -> bool:
        """Whether a search is open."""
        return bool(self.finding.needle)

    def search(self, needle: str) -> int:
        """Mark all matches of `needle`, and scroll to the next one from the first visible row on.

        If there is none after that row, that is the first of all. Returns how many there are; 0,
        and ends the search, for a blank `needle`. Neither case nor how much white space is between
        words counts. In a conversation folded steps are searched, and those with a match unfolded.
        """
        if not needle.strip():
            self.end_search()
            return 0

        if self.steps is not None:
            self._hits_in_text = find(self.text, needle)
            self.finding = NOTHING
            self._refold()
        finding = Finding(needle, self._hits_of(needle))
        self._show_search(finding.from_offset(self._top))
        return len(self.finding.hits)

    def next_hit(self, by: int = 1) -> tuple[int, int]:
        """Go `by` hits further on, back if negative, in a circle, and scroll there.

        Returns the number of the hit, from 1, and how many there are. It is (0, 0) without hits or
        a search.
        """
        if self.searching:
            self._show_search(self.finding.stepped(by))
        return self.finding.position

    def end_search(self) -> None:
        """Remove the marks of a search; what is visible stays where it is, and stays unfolded.

        Steps that only the search unfolded are folded again elsewhere.
        """
        self._keep_unfolded()
        self.finding = NOTHING
        self._hits_in_text = ()
        self._refold()
        self.refresh()

    def _hits_of(self, needle: str) -> Sequence[Stretch]:
        """Return the hits of `needle` in offsets of the page, in order.

        Neither case nor how much white space is between words counts. In a conversation `needle` is
        not read: the hits are those that `search` found last in the whole text, which must all be
        unfolded.
        """
        if self.steps is None:
            return find(self.page.text, needle)
        return self.page.rendered.all_shown(self._hits_in_text)

    def _show_search(self, finding: Finding) -> None:
        """Show a search in the place of the present one, and scroll to its current hit, if any."""
        self.finding = finding
        if finding.here:
            self.reveal_on_page(*finding.here)
        self.refresh()

    # -- evidence in the order of the text -----------------------------------------------------

    def walk(self, by: int) -> int | None:
        """Scroll to the evidence `by` further on in the text, back if negative; return its index.

        It counts from the evidence gone to last. If that is not selected any more, it counts from
        the first selected one, or else from what is visible. After the last comes the first. The
        index is among the spans in the order given. None is returned, and the view stays, without
        evidence.
        """
        start, end = self.in_sight
        edge = start if by > 0 else end
        self._walked = self._spans.next_in_text(self._walked, by, edge)
        if self._walked is not None:
            span = self._spans.in_order[self._walked]
            self.reveal(span.start, span.end)
        return self._walked

    # -- rows ----------------------------------------------------------------------------------

    @property
    def _width(self) -> int:
        """The cells of a row of text."""
        return max(self.scrollable_content_region.width - GAP, 1)

    def _row(self, offset: int) -> int:
        """Return the row, from 0, that holds an offset of the page; rows up to there are wrapped.

        An offset after the text counts as its last character.
        """
        offset = min(offset, len(self.page.text) - 1)
        self.page.rows.extend_past(offset)
        self._extend_rows()
        return self.page.rows.row_of(offset)

    @property
    def _top(self) -> int:
        """The offset of the page at which the first visible row begins; 0 without any row."""
        starts = self.page.rows.starts
        if not starts:
            return 0
        row = min(self.scroll_offset.y, len(starts) - 1)
        return starts[row]

    @property
    def page_in_sight(self) -> Stretch:
        """The stretch of the page, in its offsets, that the screen shows.

        It is (0, 0) before any row is found.
        """
        rows = self.page.rows
        if not rows.starts:
            return 0, 0
        end_of_view = self.scroll_offset.y + max(self.size.height, 1)
        last = min(end_of_view, len(rows.starts)) - 1
        _, end = rows.bounds(max(last, 0))
        return self._top, end

    def _extend_rows(self) -> None:
        """Wrap the rows on the screen and as many below, and set how far the view scrolls."""
        rows = self.page.rows
        end_of_view = self.scroll_offset.y + self.size.height
        rows.extend_rows(end_of_view + self.size.height + 1)
        size = Size(self._width + GAP, len(rows.starts))
        set_scrolled_size(self, size)

    def _find_more_rows(self) -> None:
        """Have further rows wrapped after a pause of `PAUSE` seconds, if not all are.

        A pause that is under way is called off, so that it begins again. Without a running app
        nothing happens.
        """
        if self._more:
            self._more.cancel()
            self._more = None
        if self.is_running and not self.page.rows.whole:
            self._more = later(PAUSE, self, self._find_slice)

    def _find_slice(self) -> None:
        """Wrap rows for `SLICE` seconds, and go on after a pause if any are left.

        How far the view scrolls is set only when all are wrapped, or once there are half as many
        rows more: it costs a layout.
        """
        until = perf_counter() + SLICE
        rows = self.page.rows
        rows.extend(lambda: perf_counter() > until)
        has_many_more = len(rows.starts) > 1.5 * self.virtual_size.height
        if rows.whole or has_many_more:
            self._extend_rows()
        self._find_more_rows()

    # -- scrolling -----------------------------------------------------------------------------

    def reveal_on_page(self, start: int, end: int) -> None:
        """Scroll to page.text[start:end], unless all of it is visible.

        If it is less than a view's height away, the view scrolls only until it is seen, with a row
        next to it. Else it scrolls until the stretch begins at a third of the view. Of a stretch
        that is larger than the view, the beginning is shown. Folds stay.
        """
        height = self.size.height
        # of a stretch that is larger than the view, the beginning is shown
        cells_of_view = self._width * height
        end = min(end, start + cells_of_view)
        first = self._row(start)
        last = self._row(end - 1)
        top = self.scroll_offset.y
        if first >= top and last < top + height:
            return

        is_far_above = first < top - height
        is_far_below = first >= top + 2 * height
        if is_far_above or is_far_below:
            self._scroll_to_row(first - height // 3)
        elif first < top:
            self._scroll_to_row(first - 1)
        else:
            last_at_bottom = last - height + 2
            self._scroll_to_row(min(first - 1, last_at_bottom))

    def _put_offset_at_top(self, offset: int) -> None:
        """Scroll so that an offset of the page is in the first row, and draw everything.

        Rows that are not needed for that are wrapped later.
        """
        row = self._row(offset) if offset else 0
        self.page.rows.extend_rows(row + self.size.height)
        self._extend_rows()
        if row != self.scroll_offset.y:
            self._scroll_to_row(row)
        self.refresh()
        self._find_more_rows()

    def put_at_top(self, offset: int) -> None:
        """Scroll so that an offset of the text is in the first row, or as far as there are rows.

        Does nothing before the view has a height.
        """
        if self.size.height:
            row = self._row(self.page.rendered.shown_at(offset))
            self.page.rows.extend_rows(row + self.size.height)
            self._extend_rows()
            self._scroll_to_row(row)

    def _scroll_to_row(self, row: int) -> None:
        """Scroll to a row at once; less than 0 counts as 0. Does nothing before the app runs."""
        if self.is_running:
            self.scroll_to(y=max(row, 0), animate=False, force=True)

    def action_roll(self, rows: int) -> None:
        self._scroll_to_row(self.scroll_offset.y + rows)

    def action_roll_page(self, by: int) -> None:
        page = max(self.size.height - 1, 1)
        self.action_roll(by * page)

    def action_roll_home(self) -> None:
        self._scroll_to_row(0)

    def action_roll_end(self) -> None:
        last_row = self._row(len(self.page.text))
        self._scroll_to_row(last_row)

    # -- selecting -----------------------------------------------------------------------------

    def action_select(self, what: str, by: int) -> None:
        self.selection.key(what, by)

    @on(MouseDown)
    @on(MouseMove)
    @on(MouseUp)
    @on(MouseRelease)
    def _pass_mouse_on(self, event: MouseEvent | MouseRelease) -> None:
        """Hand on to the selection what the mouse does, if words can be selected here.

        A press with the left button then captures the mouse until its release. In a blank text only
        releases of the button are handed on.
        """
        if not self.SELECTS:
            return
        is_release = isinstance(event, MouseUp | MouseRelease)
        if is_release or not self._blank:
            self.selection.point(event)

    def selection_changed(self) -> None:
        """Called when other words are selected, or none any more."""

    # -- drawing -------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        """Return what line `y` of the view, from 0 at its top, shows: blanks below the text.

        A blank text has the sentence `empty` on its first line, cut to the width. No other text is
        shown before the view has a width.
        """
        y += self.scroll_offset.y
        width = max(self.line_width - GAP, 1)
        base = self.visual_style.rich_style
        is_laid_out = self.page.rows.width > 1

        segments: list[Segment] = []
        if self._blank:
            if y == 0:
                style = whole_style(self, "response--empty")
                segments.append(Segment(clip(self.empty, width), style))
        elif is_laid_out and y < len(self.page.rows.starts):
            if "block" in self.page.worn_at_start(y):
                base += own_style(self, "response--block")
            for run in self.page.runs(y, self.selection.taken, self.finding):
                if run.shown:
                    segments.append(Segment(run.shown, self._style(run, base)))
        return Strip(segments).adjust_cell_length(width + GAP, base)

    def _style(self, run: StyledRun, style: Style) -> Style:
        """Return the style of a run on top of `style`: Markdown, evidence, search and selection.

        Each of these is over those before it. Selected evidence is set off, but not its mark, and
        not while words are being selected. Where several spans are, that is shown, too. The current
        search hit has a style of its own, and no hit is dim.
        """
        for name in run.worn:
            style += own_style(self, f"response--{name}", NO_STYLE)
        if run.span is not None:
            style += whole_style(self, f"response--{run.component}", NO_STYLE)
            style += _weight(run, run.span)
            if run.span.selected and not run.mark and not self.selection.on:
                style += own_style(self, "response--selected")
            if run.over > 1:
                style += own_style(self, "response--over")
        if run.hit:
            hit_style = "here" if run.here else "search"
            style += own_style(self, f"response--{hit_style}") + Style(
                dim=False,
            )
        if run.taken:
            style += own_style(self, "response--taken")
        return style


NO_STYLE = Style.null()


def folded_text(steps: "StepsInView") -> RenderedText:
    """Return a conversation with its headings styled, and without what is folded.

    Instead of each fold a line says how many characters it hides, and how many lines if several.
    Markdown is not rendered: all else is shown as it is.
    """
    edits: list[SourceEdit] = []
    for fold in steps.folded:
        edits.append(SourceEdit(fold.start, fold.end, fold.words))
    headings = [Worn(*heading) for heading in steps.headings]
    return RenderedText(steps.text, edits, headings)


def _weight(run: StyledRun, span: StyledSpan) -> Style:
    """Return a style with the weight of evidence: "fp" is bold, other evidence not, `dim` is dim.

    Marks, and spans that are no evidence, keep the weight that they have.
    """
    bold = None if run.mark or span.aside else span.style_key == "fp"
    return Style(bold=bold, dim=span.dim or None)


class RenderThread(Thread):
    """A thread that renders a text. It sets `rendered` and then posts `Rendered` to the view."""

    def __init__(self, view: TextView, text: str, width: int) -> None:
        """Take a text to render at `width` cells, once the thread is started."""
        super().__init__(daemon=True)
        self._view = view
        self._asked = text, width, view.marks
        self.rendered: RenderedText | None = None

    def run(self) -> None:
        self.rendered = as_it_reads(*self._asked)
        self._view.post_message(TextView.Rendered(self))


def as_it_reads(text: str, width: int, marks: Marks) -> RenderedText:
    """Return a text as its Markdown reads at `width` cells; paragraphs are not wrapped.

    Only tables and rules go by the width. A text of which nothing but white space would be shown is
    returned raw. Nothing is raised for wrong Markdown: it is shown as it is.
    """
    # only here: it is not needed before there is any Markdown
    from appellate.ui.rendered_markdown import render_markdown

    return render_markdown(text, width, marks)


# -- what is selected ------------------------------------------------------------------------------


Unit = Literal["word", "sentence", "character", "row"]


class Selection:
    """What is selected on a view's page, and the stretches that are offered to select.

    `current` counts in offsets of the page; `stretch`, `text` and the offers in offsets of the text
    itself.
    """

    def __init__(self, view: TextView) -> None:
        """Select nothing yet on the page of `view`, which is told of each change."""
        self._view = view
        self.current: Selecting | None = None
        self._last = 0
        """The offset of the page at which the previous selection ended."""
        self._begun: Selecting | None = None
        """What was selected first, as long as the person has not chosen it."""
        self._offers: Sequence[Stretch] = ()
        self._offer = 0
        self._pressed: int | None = None
        """The offset of the page at which the mouse button was pressed."""
        self._dragged = False

    @property
    def on(self) -> bool:
        """Whether something is selected."""
        return self.current is not None

    @property
    def taken(self) -> Stretch | None:
        """The stretch of the page, in its offsets, that is selected; None for none."""
        if self.current is None:
            return None
        return self.current.start, self.current.end

    @property
    def stretch(self) -> Stretch | None:
        """The stretch of the text itself that is selected, without white space around it.

        Its offsets are those of the source, not of the page. Markdown's syntax that the page hides
        at its ends is not in it. None if nothing, or only white space, is selected.
        """
        if self.current is None:
            return None
        page = self._view.page
        on_page = self.current.stretch(page.text)
        return on_page and page.rendered.source_of(*on_page)

    @property
    def text(self) -> str:
        """The selected part of the text itself, as it is in the source, to be copied; "" for none.

        White space around it is left out.
        """
        start, end = self.stretch or (0, 0)
        return self._view.text[start:end]

    @property
    def untouched(self) -> bool:
        """Whether the selection is the one it began with: the person has not chosen it."""
        return self.current is not None and self.current == self._begun

    @property
    def offer(self) -> tuple[int, int]:
        """The number, from 1, of the offer gone to last, and how many there are.

        It is (0, 0) without offers.
        """
        if not self._offers:
            return 0, 0
        return self._offer + 1, len(self._offers)

    # -- to its end --------------------------------------------------------------------------------

    def begin(self, offers: Sequence[Stretch] | None = None) -> bool:
        """Begin to select, and return whether something is selected now: False if there is no word.

        With `offers`, which are stretches of the text, the first of them is selected. Else the
        words of the current search hit are, or else a word: that at the first selected span that
        begins in the view, which is evidence or a heading gone to. Without such a span it is where
        the last selection ended, if that is visible, or the first visible word that is of no
        heading. That word does not count as chosen by the person, nor do the words of a hit if
        `offers` is given but empty.
        """
        view = self._view
        hit = self._view.finding.here
        self._offers = offers or ()
        self._offer = 0
        self._begun = None
        if offers:
            self.take(self._offered_selection())
            return True

        start: Selecting | None
        if hit:
            words = whole_words(view.page.text, *hit)
            start = Selecting(*words)
        else:
            low, high = view.page_in_sight
            offset = self._beginning(low, high)
            start = selecting.placed(view.page.text, offset)
        if hit is None or offers is not None:
            self._begun = start
        self.take(start)
        return self.on

    def _beginning(self, low: int, high: int) -> int:
        """Return the offset at which to begin in page.text[low:high], which is visible.

        It is the start of the first selected span if one begins there. Else it is where the last
        selection ended, if that is visible, else `low`; if the first word there is of a heading, it
        is behind the heading instead.
        """
        for span in self._view.page.spans.in_order:
            if span.selected and low <= span.start < high:
                return span.start
        is_last_visible = low <= self._last < high
        return self._after_heading(self._last if is_last_visible else low)

    def _after_heading(self, offset: int) -> int:
        """Return the end of the heading that has the first word from `offset` on, or `offset`.

        Both are offsets of the page. It is `offset` if that word is of no heading.
        """
        view = self._view
        first_word = selecting.placed(view.page.text, offset)
        if first_word is None:
            return offset
        for heading in view.headings:
            start, end = view.page.rendered.shown_span(*heading)
            if start <= first_word.start < end:
                return end
        return offset

    def _offered_selection(self) -> Selecting:
        """Return the current offer as a selection on the page, of which keys move the end.

        There must be an offer.
        """
        start, end = self._offers[self._offer]
        shown_span = self._view.page.rendered.shown_span(start, end)
        return Selecting(*shown_span, fresh=False)

    def next_offer(self, by: int) -> None:
        """Select the offer `by` offers further on; after the last comes the first.

        There must be offers.
        """
        target = self._offer + by
        self._offer = target % len(self._offers)
        self.take(self._offered_selection())

    def take(self, selection: Selecting | None) -> None:
        """Select a stretch of the page, unfold what it touches, scroll to it, and tell the view.

        The view is told by `selection_changed`. None, and what is selected already, change nothing.
        """
        if selection is None or selection == self.current:
            return
        selection = self.current = self._view.uncovered(selection)
        self._view.refresh()
        self._view.reveal_on_page(selection.place, selection.place + 1)
        self._view.selection_changed()

    def end(self) -> None:
        """Select nothing any more, and tell the view; the next selection begins about here.

        That is at the side of this one that keys moved. Offers are forgotten. Does nothing if
        nothing is selected.
        """
        if self.current:
            self._last = self.current.edge
            self.current = None
            self._offers = ()
            self._view.refresh()
            self._view.selection_changed()

    def move_to(self, page: TextPage) -> None:
        """Convert the selection to another page, which the view will show next.

        It keeps the characters of the text that are selected, as far as that page shows them. For
        another text, only where the last selection ended is forgotten: the view ends the selection
        first.
        """
        old_rendered = self._view.page.rendered
        new_rendered = page.rendered
        if old_rendered.source is not new_rendered.source:
            self._last = 0
        elif old_rendered is not new_rendered:
            self._last = new_rendered.shown_at(old_rendered.source_at(self._last))
            if self.current:
                untouched = self.untouched
                start, end = new_rendered.shown_span(
                    *old_rendered.source_of(self.current.start, self.current.end),
                )
                self.current = replace(self.current, start=start, end=end)
                self._begun = None
                if untouched:
                    self._begun = self.current

    # -- by keys -----------------------------------------------------------------------------------

    def key(self, what: str, by: int) -> None:
        """Do what a key does to the selection; an unknown `what` does nothing.

        - "anew" begins one. If one was only moved so far, keys extend it from then on, and an
          extended one begins again at the word of its moving side.
        - "word" and "sentence" extend it by one, "to character" and "to row" by `by` of them.
        - "character" and "row" move it to the next word, or to the word `by` rows further on. Once
          it is extended, they extend it by `by` characters or rows.
        - "other" lets keys move the other side, and "end" ends it.

        Without a selection only "anew" does something. A negative `by` goes back. A sentence is
        always the next on the moving side, or the whole one around a selection not extended yet.
        """
        current = self.current
        text = self._view.page.text
        match what:
            case "anew" if current is None:
                self.begin()
            case "anew" if current and current.fresh:
                self.take(current.extended())
            case "anew" if current:
                self.take(selecting.placed(text, current.place))
            case "other" if current:
                self.take(current.turned())
            case "end":
                self.end()
            case "word" | "sentence":
                self.take(self._extended(what, by))
            case "to character":
                self.take(self._extended("character", by))
            case "to row":
                self.take(self._extended("row", by))
            case "character" | "row":
                self.take(self._start_moved(what, by))

    def _start(self) -> Selecting | None:
        """Return the selection that a key moves before it is extended; None if nothing is selected.

        For an offer that is selected, it is the offer's first word.
        """
        if self.current and self._offers and self.current == self._offered_selection():
            return selecting.placed(self._view.page.text, self.current.start)
        return self.current

    def _start_moved(self, unit: Unit, by: int) -> Selecting | None:
        """Return the word that is next to the selected one, or in a row further on or back.

        `unit` is "character" for the next word and "row" for another row. Of `by` only the
        direction counts for a word. Once the selection is extended, return it with its moving side
        further on instead. None without a selection. The result is only computed: `take` selects
        it.
        """
        current = self._start()
        page = self._view.page
        if current is None or not current.fresh:
            return self._extended(unit, by)
        if unit == "row":
            offset = page.beside(current.place, by)
            return current.shifted_to(page.text, offset)
        return current.shifted(page.text, by)

    def _extended(self, unit: Unit, by: int) -> Selecting | None:
        """Return the selection with its moving side further on, or back if `by` is negative.

        `by` is how many characters or rows; of words it is always one. Sentences always go in the
        direction of the moving side, whatever `by` is; but a selection that was not extended yet
        becomes the whole sentence that it begins in. It is the selection itself if nothing would be
        selected then, or no word or sentence follows, and None without a selection. The result is
        only computed: `take` selects it.
        """
        current = self.current
        page = self._view.page
        if current is None:
            return None

        match unit:
            case "word":
                return current.by_word(page.text, by)
            case "sentence":
                return current.by_sentence(page.text)
            case "character":
                return current.by_character(page.text, by)
            case "row":
                offset = page.beside(current.place, by)
                return current.by_row(page.text, offset)

    def reach(self, hit: Stretch | None) -> None:
        """Extend the selection to the whole words of a search hit.

        If nothing is extended yet, only these words are selected. Does nothing if nothing is
        selected, or `hit` is None. `hit` is in offsets of the page.
        """
        current = self._start()
        if current and hit:
            self.take(current.to_hit(self._view.page.text, hit))

    # -- by the mouse ------------------------------------------------------------------------------

    def point(self, event: MouseEvent | MouseRelease) -> None:
        """Select the words that the left button of the mouse is dragged over, until its release.

        A press within the view begins, even if no word is selected by it, and captures the mouse:
        the view gets its events from everywhere until the release. In an empty text it does
        nothing. A press without a move selects nothing. What was selected before stays until the
        pointer reaches another character. The release of any button ends it.
        """
        view = self._view
        match event:
            case MouseDown(button=1) if (
                view.text and event.get_content_offset(view) is not None
            ):
                view.capture_mouse()
                self._pressed = self.offset_at(event)
                self._dragged = False
            case MouseMove() if self._pressed is not None:
                offset = self.offset_at(event)
                if self._dragged or offset != self._pressed:
                    self._dragged = True
                    self.take(selecting.dragged(view.page.text, self._pressed, offset))
            case MouseUp():
                view.release_mouse()
                self._pressed = None
            case MouseRelease():
                self._pressed = None

    def click(self, event: Click) -> bool:
        """Select what a click selects: a word at two clicks, a sentence at more.

        With Shift the selection is extended to there. One click, while something is selected,
        begins again at the word there. Returns True for these, and for a click that ends a drag,
        which changes nothing. Returns False, without a change, for any other click.
        """
        if self._dragged:
            return True

        text = self._view.page.text
        offset = self.offset_at(event)
        current = self.current
        if event.shift and current:
            self.take(current.reaching_to(text, offset))
        elif event.chain > 1:
            self.take(selecting.clicked(text, offset, event.chain))
        elif current:
            self.take(selecting.placed(text, offset))
        else:
            return False
        return True

    def offset_at(self, event: MouseEvent) -> int:
        """Return the offset of the page of the character under the pointer, or of the nearest one.

        Above and below the text, that is in its first and last row, and after a row its last
        character. There must be a row.
        """
        page = self._view.page
        pointer = event.get_content_offset_capture(self._view)
        last_row = len(page.rows.starts) - 1
        pointed_row = max(pointer.y + self._view.scroll_offset.y, 0)
        row = min(pointed_row, last_row)

        offset = page.offset_at(row, max(pointer.x, 0))
        offset = min(offset, len(page.text) - 1)
        start, end = page.rows.bounds(row)
        is_behind_row = start < end <= offset
        if is_behind_row:
            return step(page.text, end, -1)
        return offset


class ResponseView(TextView):
    """The response of a trace: a text with evidence, to read and to select from."""

    SELECTS = True
    FOLDS = True
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "select('word', 1)", "word", id="select.word"),
        Binding("b", "select('word', -1)", "word back", id="select.word_back"),
        Binding("s", "select('sentence', 1)", "sentence", id="select.sentence"),
        Binding(
            "shift+right",
            "select('to character', 1)",
            "character",
            id="select.character",
        ),
        Binding(
            "shift+left",
            "select('to character', -1)",
            "character back",
            id="select.character_back",
        ),
        Binding("shift+down", "select('to row', 1)", "line", id="select.line"),
        Binding("shift+up", "select('to row', -1)", "line back", id="select.line_back"),
        Binding("right,l", "select('character', 1)", "on", id="select.on"),
        Binding("left,h", "select('character', -1)", "back", id="select.back"),
        Binding("down,j", "select('row', 1)", "line on", id="select.down"),
        Binding("up,k", "select('row', -1)", "line back", id="select.up"),
        Binding("o", "select('other', 1)", "other end", id="select.other_end"),
        Binding("v", "select('anew', 1)", "extend, start anew", id="select.anew"),
        Binding("tab", "offer(1)", "next offer", id="select.offer"),
        Binding("shift+tab", "offer(-1)", "offer before", id="select.offer_back"),
        Binding("pagedown", "go_page(1)", "page on", id="select.page_down"),
        Binding("pageup", "go_page(-1)", "page back", id="select.page_up"),
        Binding("enter", "take", "take the words", id="select.take"),
        Binding("enter", "unfold", "unfold", id="response.unfold"),
        Binding("escape", "select('end', 1)", "leave", id="select.leave"),
        *TextView.BINDINGS,
    ]

    @dataclass
    class Selected(Message):
        """Posted when another stretch of the text is selected."""

        start: int
        end: int

    class ExcerptTaken(Message):
        """Posted when a person presses Enter on the selected words."""

    class SelectionEnded(Message):
        """Posted when nothing is selected any more."""

    @dataclass
    class SpanClicked(Message):
        """Posted when a person clicks evidence."""

        index: int
        """The index of the evidence among the spans."""
        offset: int

    @dataclass
    class TextClicked(Message):
        """Posted when a person clicks the text outside evidence."""

        offset: int

    def selection_changed(self) -> None:
        """Post `Selected` with the stretch of the text that is selected, or else `SelectionEnded`.

        If only white space is selected, nothing is posted.
        """
        if not self.selection.on:
            self.post_message(self.SelectionEnded())
        elif stretch := self.selection.stretch:
            self.post_message(self.Selected(*stretch))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action may act now: False lets others have its key.

        "select", "go_page" and "take" act only while something is selected, and "offer", the next
        offer, only if there are offers then. "unfold" needs a folded step, and no selection. Any
        other action is left to the base class, which may return None, to show the key as disabled.
        """
        if action == "offer":
            _, offer_count = self.selection.offer
            return self.selection.on and offer_count > 0
        if action in ("select", "go_page", "take"):
            return self.selection.on
        if action == "unfold":
            is_any_folded = self.steps is not None and bool(self.steps.folded)
            return is_any_folded and not self.selection.on
        return super().check_action(action, parameters)

    def action_go_page(self, by: int) -> None:
        """Move the selection's start by pages of rows, or its moving end once it was extended.

        A page has a row less than the pane is high, but at least one. It goes up if `by` is below
        0. Nothing happens if no words are selected.
        """
        page = max(self.size.height - 1, 1)
        self.action_select("row", by * page)

    def action_offer(self, by: int) -> None:
        self.selection.next_offer(by)

    def action_take(self) -> None:
        self.post_message(self.ExcerptTaken())

    def on_click(self, event: Click) -> None:
        """Unfold the fold that the left button clicked, or post what it clicked.

        That is `SpanClicked` for evidence and `TextClicked` for other text. A click that selects
        words, one of another button and one in a blank text do neither.
        """
        if event.button != 1 or self._blank:
            return
        if self.selection.click(event):
            return

        offset = self.selection.offset_at(event)
        index = self.page.spans.next_at(offset)
        text_offset = self.page.rendered.source_at(offset)

        for fold in self.folds_in_sight:
            low, high = self.page.rendered.shown_span(fold.start, fold.end)
            if low <= offset < high:
                self._unfold_over((fold.start, fold.end))
                return

        if index is None:
            self.post_message(self.TextClicked(text_offset))
        else:
            self.post_message(self.SpanClicked(index, text_offset))
