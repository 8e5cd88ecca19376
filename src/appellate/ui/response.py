"""The response: a text with evidence from which stretches are selected by keyboard or mouse.

While selecting (`begin_select`), which starts with one word, a hit of a search, or a stretch that
is offered:

    ← → ↑ ↓  h j k l   go to the word to start from, as long as nothing is extended
    w b  s             extend by word (b: back), by sentence
    v, Shift+← → ↑ ↓   extend from here: then the arrows move the end by one character, one line
    o                  move the other end
    v   then           start anew with the word at this end
    esc                leave
    tab  shift+tab     the next offer, the one before, where anything is offered

Every other key goes to the screen, so that its 1 and 3 put what is selected into a bucket. A press,
drag and release of the mouse selects words too, two clicks select a word, three a sentence, one
with Shift extends, and a click on evidence says which it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.events import Click, MouseDown, MouseEvent, MouseMove, MouseRelease, MouseUp
from textual.message import Message

from appellate.ui import selecting
from appellate.ui.marks import UNICODE, Marks
from appellate.ui.page import StyledSpan, TextPage
from appellate.ui.rendered_text import RenderedText
from appellate.ui.selecting import Selecting, Stretch, step, whole_words
from appellate.ui.text_view import TextView

Unit = Literal["word", "sentence", "character", "row"]


class Selection:
    """What is selected of a page, and the stretches that are offered to select.

    It is counted in what the page shows, `stretch`, `text` and the offers in the text itself. What
    a key makes of it is told first, and becomes so once it is put into `now`.
    """

    def __init__(self, page: TextPage) -> None:
        self.page = page
        self.now: Selecting | None = None
        self._last = 0  # where the one before ended
        self._begun: Selecting | None = None  # where one began that nobody has made anything of
        self._offers: Sequence[Stretch] = ()
        self._offer = 0

    @property
    def on(self) -> bool:
        return self.now is not None

    @property
    def stretch(self) -> Stretch | None:
        """What is selected of the text, without the white space around it."""
        if self.now is None:
            return None
        found = selecting.stretch(self.page.text, self.now)
        if found is None:
            return None
        return self.page.rendered.source_of(*found)

    @property
    def text(self) -> str:
        """What is selected as it stands in the text: what to copy."""
        found = self.stretch
        if found is None:
            return ""
        return self.page.rendered.source[slice(*found)]

    @property
    def untouched(self) -> bool:
        """Whether what is selected is only the word that it began with, which nobody chose."""
        return self.now is not None and self.now == self._begun

    @property
    def offer(self) -> tuple[int, int]:
        """Which of the stretches offered was gone to last, counted from 1, of how many."""
        if not self._offers:
            return 0, 0
        return self._offer + 1, len(self._offers)

    def begin(
        self, offers: Sequence[Stretch] | None, hit: Stretch | None, in_sight: Stretch
    ) -> Selecting | None:
        """The first stretch offered, the words of a hit, or the word to start from; None without
        words.

        Where `offers` are given, though they be none, nobody has chosen a hit by asking for a
        selection.
        """
        self._offers, self._offer, self._begun = offers or (), 0, None
        if offers:
            return self._offered()
        if hit:
            start: Selecting | None = Selecting(*whole_words(self.page.text, *hit))
        else:
            start = selecting.placed(self.page.text, self._beginning(*in_sight))
        if hit is None or offers is not None:
            self._begun = start
        return start

    def _beginning(self, low: int, high: int) -> int:
        """The start of the selected evidence, or the last place, if in sight; else the first word
        there.
        """
        for span in self.page.spans.given:
            if span.selected and low <= span.start < high:
                return span.start
        if low <= self._last < high:
            return self._last
        return low

    def _offered(self) -> Selecting:
        shown = self.page.rendered.shown(*self._offers[self._offer])
        return Selecting(*shown, fresh=False)

    def next_offer(self, by: int) -> Selecting:
        """The next or previous stretch that is offered, the first behind the last."""
        self._offer = (self._offer + by) % len(self._offers)
        return self._offered()

    def _start(self) -> Selecting | None:
        """What keys move that go to where to start: a stretch offered counts as its first word."""
        if self.now and self._offers and self.now == self._offered():
            return selecting.placed(self.page.text, self.now.start)
        return self.now

    def gone(self, unit: Unit, by: int) -> Selecting | None:
        """To another word to start from, aside or rows away; once something is extended, the end
        goes there.
        """
        now, text = self._start(), self.page.text
        if now is None:
            return None
        if not now.fresh:
            return self.extended(unit, by)
        if unit == "row":
            return selecting.shifted_to(text, now, self.page.beside(now.place, by))
        return selecting.shifted(text, now, by)

    def extended(self, unit: Unit, by: int) -> Selecting | None:
        """With the side that moves further on or back."""
        now, text = self.now, self.page.text
        if now is None:
            return None
        match unit:
            case "word":
                return selecting.by_word(text, now, by)
            case "sentence":
                return selecting.by_sentence(text, now)
            case "character":
                return selecting.by_character(text, now, by)
            case "row":
                return selecting.by_row(text, now, self.page.beside(now.place, by))

    def reaching(self, hit: Stretch | None) -> Selecting | None:
        """From the hit of a search on, or as far as it where something is extended."""
        now = self._start()
        if now is None or hit is None:
            return None
        return selecting.met(self.page.text, now, hit)

    def end(self) -> None:
        """Nothing is selected; the next one begins about here."""
        if self.now:
            self._last, self.now, self._offers = self.now.edge, None, ()

    def move_to(self, page: TextPage) -> None:
        """Keeps what is selected as far as another page of the same text has it."""
        was, shown = self.page.rendered, page.rendered
        self.page = page
        if was.source is not shown.source:
            self._last = 0
        elif was is not shown:
            self._last = shown.shown_at(was.source_at(self._last))
            if self.now:
                untouched = self.untouched
                start, end = shown.shown(*was.source_of(self.now.start, self.now.end))
                self.now = replace(self.now, start=start, end=end)
                self._begun = None
                if untouched:
                    self._begun = self.now


class ResponseView(TextView):
    """A text with evidence, to read and to select from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "extend('word', 1)", "word", show=False, id="select.word"),
        Binding("b", "extend('word', -1)", "word back", show=False, id="select.word_back"),
        Binding("s", "extend('sentence', 1)", "sentence", show=False, id="select.sentence"),
        Binding(
            "shift+right", "extend('character', 1)", "character", show=False, id="select.character"
        ),
        Binding(
            "shift+left",
            "extend('character', -1)",
            "character back",
            show=False,
            id="select.character_back",
        ),
        Binding("shift+down", "extend('row', 1)", "line", show=False, id="select.line"),
        Binding("shift+up", "extend('row', -1)", "line back", show=False, id="select.line_back"),
        Binding("right,l", "go('character', 1)", "on", show=False, id="select.on"),
        Binding("left,h", "go('character', -1)", "back", show=False, id="select.back"),
        Binding("down,j", "go('row', 1)", "line on", show=False, id="select.down"),
        Binding("up,k", "go('row', -1)", "line back", show=False, id="select.up"),
        Binding("o", "other_end", "other end", show=False, id="select.other_end"),
        Binding("v", "start_anew", "extend, start anew", show=False, id="select.anew"),
        Binding("tab", "offer(1)", "next offer", show=False, id="select.offer"),
        Binding("shift+tab", "offer(-1)", "offer before", show=False, id="select.offer_back"),
        Binding("pagedown", "go_page(1)", "page on", show=False, id="select.page_down"),
        Binding("pageup", "go_page(-1)", "page back", show=False, id="select.page_up"),
        Binding("enter", "take", "take the words", show=False, id="select.take"),
        Binding("escape", "leave", "leave", show=False, id="select.leave"),
        *TextView.BINDINGS,
    ]
    SELECTING: ClassVar[frozenset[str]] = frozenset(
        ("extend", "go", "go_page", "other_end", "start_anew", "take", "leave")
    )

    @dataclass
    class Selected(Message):
        """What is selected changed: a stretch of the text."""

        start: int
        end: int

    class ExcerptTaken(Message):
        """A person pressed Enter on the words selected."""

    class SelectionEnded(Message):
        """Nothing is selected any more."""

    def __init__(
        self,
        *,
        empty: str = "",
        marks: Marks = UNICODE,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(empty=empty, marks=marks, id=id)
        self.selection = Selection(self.page)
        self._pressed: int | None = None  # the offset at which the mouse was pressed
        self._dragged = False

    # -- the selection -------------------------------------------------------------------------

    @property
    def taken(self) -> Stretch | None:
        now = self.selection.now
        if now is None:
            return None
        return now.start, now.end

    def begin_select(self, offers: Sequence[Stretch] | None = None) -> bool:
        """Selects what `Selection.begin` says; False without words."""
        self.take(self.selection.begin(offers, self.finding.here, self._in_sight))
        return self.selection.on

    def end_select(self) -> None:
        """Selects nothing more."""
        if self.selection.on:
            self.selection.end()
            self.refresh()
            self.post_message(self.SelectionEnded())

    def show(self, text: str, spans: Sequence[StyledSpan] = ()) -> None:
        """Shows a text, or other evidence in the one shown; another text ends the selection."""
        if text != self.text:
            self.end_select()
        super().show(text, spans)

    def _put_on(self, shown: RenderedText) -> None:
        """Keeps what is selected, as far as the other text shown has it."""
        super()._put_on(shown)
        self.selection.move_to(self.page)

    def take(self, now: Selecting | None) -> None:
        """Selects something; nothing else where it is None."""
        if now is None or now == self.selection.now:
            return
        self.selection.now = now
        self.refresh()
        place = now.place
        self._reveal(place, place + 1)
        if found := self.selection.stretch:
            self.post_message(self.Selected(*found))

    # -- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys that select do so while selecting, and belong to the screen otherwise."""
        if action == "offer":
            return self.selection.on and self.selection.offer[1] > 0
        if action in self.SELECTING:
            return self.selection.on
        return super().check_action(action, parameters)

    def action_extend(self, unit: Unit, by: int) -> None:
        self.take(self.selection.extended(unit, by))

    def action_go(self, unit: Unit, by: int) -> None:
        self.take(self.selection.gone(unit, by))

    def action_go_page(self, by: int) -> None:
        self.action_go("row", by * max(self.size.height - 1, 1))

    def action_other_end(self) -> None:
        if now := self.selection.now:
            self.take(selecting.turned(now))

    def action_start_anew(self) -> None:
        now = self.selection.now
        if now is None:
            return
        if now.fresh:
            self.take(selecting.extended(now))
        else:
            self.take(selecting.placed(self.page.text, now.place))

    def action_offer(self, by: int) -> None:
        self.take(self.selection.next_offer(by))

    def action_take(self) -> None:
        self.post_message(self.ExcerptTaken())

    def action_leave(self) -> None:
        self.end_select()

    # -- mouse ---------------------------------------------------------------------------------

    def on_mouse_down(self, event: MouseDown) -> None:
        if event.button == 1 and not self._blank:
            self.capture_mouse()
            self._pressed, self._dragged = self._offset_at(event), False

    def on_mouse_move(self, event: MouseMove) -> None:
        if self._pressed is None:
            return
        here = self._offset_at(event)
        if self._dragged or here != self._pressed:
            self._dragged = True
            self.take(selecting.dragged(self.page.text, self._pressed, here))

    def on_mouse_release(self, _: MouseRelease) -> None:
        self._pressed = None

    def on_mouse_up(self, _: MouseUp) -> None:
        self.release_mouse()
        self._pressed = None

    def on_click(self, event: Click) -> None:
        if self._dragged or event.button != 1 or self._blank:
            return
        offset = self._offset_at(event)
        if event.shift and self.selection.now:
            self.take(selecting.reaching_to(self.page.text, self.selection.now, offset))
        elif event.chain > 1:
            self.take(selecting.clicked(self.page.text, offset, event.chain))
        elif self.selection.on:
            self.take(selecting.placed(self.page.text, offset))
        else:
            index, place = self.page.spans.next_at(offset), self.page.rendered.source_at(offset)
            if index is None:
                self.post_message(self.TextClicked(place))
            else:
                self.post_message(self.SpanClicked(index, place))

    def _offset_at(self, event: MouseEvent) -> int:
        """The offset of the character under the pointer, or of the last one of its row, or of the
        nearest row.
        """
        place = event.get_content_offset_capture(self)
        starts = self.page.rows.starts
        row = min(max(place.y + self.scroll_offset.y, 0), len(starts) - 1)
        offset = min(self.page.offset_at(row, max(place.x, 0)), len(self.page.text) - 1)
        start, end = self.page.rows.bounds(row)
        if start < end <= offset:
            return step(self.page.text, end, -1)
        return offset
