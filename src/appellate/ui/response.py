"""The response: a text with evidence from which stretches are selected by keyboard or mouse.

While selecting (`begin_select`), which starts with one word, a hit of a search, or a stretch that is offered:

    ← → ↑ ↓  h j k l   go to the word to start from, as long as nothing is extended
    w b  s             extend by word (b: back), by sentence
    v, or Shift+← → ↑ ↓   extend from here: then the arrows move the end by one character, by one line
    o                  move the other end        v   then: start anew with the word at this end       esc   leave
    tab  shift+tab     the next offer, the one before, where anything is offered

Every other key goes to the screen, so that its 1 and 3 put what is selected into a bucket. A press, drag and
release of the mouse selects words too, two clicks select a word, three a sentence, and a click on evidence says
which it was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click, MouseDown, MouseEvent, MouseMove, MouseRelease, MouseUp
from textual.message import Message

from appellate.ui import selecting
from appellate.ui.page import StyledSpan
from appellate.ui.rendered_text import RenderedText
from appellate.ui.selecting import Selecting, Stretch, step, whole_words
from appellate.ui.text_view import TextView


class ResponseView(TextView):
    """A text with evidence, to read and to select from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "extend_word(1)", "word", show=False, id="select.word"),
        Binding("b", "extend_word(-1)", "word back", show=False, id="select.word_back"),
        Binding("s", "extend_sentence", "sentence", show=False, id="select.sentence"),
        Binding("shift+right", "extend_aside(1)", "character", show=False, id="select.character"),
        Binding(
            "shift+left",
            "extend_aside(-1)",
            "character back",
            show=False,
            id="select.character_back",
        ),
        Binding("shift+down", "extend_row(1)", "line", show=False, id="select.line"),
        Binding("shift+up", "extend_row(-1)", "line back", show=False, id="select.line_back"),
        Binding("right,l", "go_aside(1)", "on", show=False, id="select.on"),
        Binding("left,h", "go_aside(-1)", "back", show=False, id="select.back"),
        Binding("down,j", "go_row(1)", "line on", show=False, id="select.down"),
        Binding("up,k", "go_row(-1)", "line back", show=False, id="select.up"),
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
        (
            *(
                "extend_word",
                "extend_sentence",
                "extend_row",
                "extend_aside",
                "other_end",
                "start_anew",
            ),
            *("go_aside", "go_row", "go_page", "take", "leave"),
        )
    )

    @dataclass
    class Selected(Message):
        """What is selected changed."""

        view: "ResponseView"
        start: int
        end: int

        @property
        def control(self) -> "ResponseView":
            return self.view

    @dataclass
    class ExcerptTaken(Message):
        """A person pressed Enter on the words selected."""

        view: "ResponseView"

        @property
        def control(self) -> "ResponseView":
            return self.view

    @dataclass
    class SelectionEnded(Message):
        """Nothing is selected any more."""

        view: "ResponseView"

        @property
        def control(self) -> "ResponseView":
            return self.view

    _now: Selecting | None = None
    _begun: Selecting | None = (
        None  # where the selection began that nobody has made anything of yet
    )
    _offers: Sequence[Stretch] = ()
    _offer = 0
    _last = 0
    _pressed: int | None = None
    _dragged = False

    # The selection

    @property
    def selecting(self) -> bool:
        return self._now is not None

    @property
    def taken(self) -> Stretch | None:
        return (self._now.start, self._now.end) if self._now else None

    @property
    def selection(self) -> Stretch | None:
        """What is selected of the text itself, without the white space around it."""
        found = selecting.stretch(self._shown, self._now) if self._now else None
        return self.page.rendered.source_of(*found) if found else None

    @property
    def selected_text(self) -> str:
        """What is selected as it stands in the text: what to copy."""
        return self.text[slice(*self.selection)] if self.selection else ""

    @property
    def _shown(self) -> str:
        """What selecting goes by: what one sees."""
        return self.page.text

    def begin_select(self, offers: Sequence[Stretch] | None = None) -> bool:
        """Selects the first stretch offered, the hit of a search, or the word to start from; False without words.

        Where `offers` are given, though they be none, nobody has chosen a hit by asking for a selection.
        """
        self._offers, self._offer, self._begun = offers or (), 0, None
        hit = self.sought.here
        if offers:
            self._take(self._offered)
            return True
        self._take(
            Selecting(*whole_words(self._shown, *hit))
            if hit
            else selecting.placed(self._shown, self._beginning())
        )
        if hit is None or offers is not None:
            self._begun = self._now
        return self.selecting

    @property
    def untouched(self) -> bool:
        """Whether what is selected is only the word that it began with, which nobody chose."""
        return self._now is not None and self._now == self._begun

    @property
    def offer(self) -> tuple[int, int]:
        """Which of the stretches offered was gone to last, counted from 1, of how many."""
        return self._offer + 1 if self._offers else 0, len(self._offers)

    @property
    def _offered(self) -> Selecting:
        return Selecting(*self.page.rendered.shown(*self._offers[self._offer]), fresh=False)

    def to_hit(self) -> None:
        """The selection begins at the hit that one is at, or reaches to it where it was extended."""
        if self.sought.here and (now := self._start):
            self._take(selecting.met(self._shown, now, self.sought.here))

    def end_select(self) -> None:
        """Selects nothing more."""
        if self._now:
            self._last, self._now, self._offers = self._now.edge, None, ()
            self.refresh()
            self.post_message(self.SelectionEnded(self))

    def show(self, text: str, spans: Sequence[StyledSpan] = ()) -> None:
        """Shows a text, or other evidence in the one shown; another text ends the selection."""
        if text != self.text:
            self.end_select()
            self._last = 0
        super().show(text, spans)

    def _put_on(self, rendered: RenderedText) -> None:
        """Keeps what is selected, as far as the other text shown has it."""
        was = self.page.rendered
        super()._put_on(rendered)
        if was.source is not rendered.source or was is rendered:
            return
        self._last = rendered.shown_at(was.source_at(self._last))
        if self._now:
            untouched = self.untouched
            start, end = rendered.shown(*was.source_of(self._now.start, self._now.end))
            self._now = replace(self._now, start=start, end=end)
            self._begun = self._now if untouched else None

    def _beginning(self) -> int:
        """The start of the selected evidence, or the last place, if in sight; else the first word there."""
        low, high = self._in_sight
        chosen = [span.start for span in self.page.spans.given if span.selected]
        return next((place for place in (*chosen, self._last) if low <= place < high), low)

    def _take(self, now: Selecting | None) -> None:
        if now is None or now == self._now:
            return
        self._now = now
        self.refresh()
        edge = now.start if now.fresh else now.edge - now.ahead
        self._reveal(edge, edge + 1)
        if found := self.selection:
            self.post_message(self.Selected(self, *found))

    @property
    def _start(self) -> Selecting | None:
        """What keys move that go to where to start: a stretch offered counts as its first word."""
        if self._now and self._offers and self._now == self._offered:
            return selecting.placed(self._shown, self._now.start)
        return self._now

    # Keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The keys that select do so while selecting, and belong to the screen otherwise."""
        if action == "offer":
            return self.selecting and bool(self._offers)
        if action in self.SELECTING:
            return self.selecting
        return super().check_action(action, parameters)

    def action_extend_word(self, by: int) -> None:
        if self._now:
            self._take(selecting.by_word(self._shown, self._now, by))

    def action_extend_sentence(self) -> None:
        if self._now:
            self._take(selecting.by_sentence(self._shown, self._now))

    def action_extend_row(self, by: int) -> None:
        if self._now:
            self._take(selecting.by_row(self._shown, self._now, self._beside(self._now, by)))

    def action_extend_aside(self, by: int) -> None:
        if self._now:
            self._take(selecting.by_character(self._shown, self._now, by))

    def action_go_aside(self, by: int) -> None:
        if now := self._start:
            go = selecting.shifted if now.fresh else selecting.by_character
            self._take(go(self._shown, now, by))

    def action_go_row(self, by: int) -> None:
        if now := self._start:
            go = selecting.shifted_to if now.fresh else selecting.by_row
            self._take(go(self._shown, now, self._beside(now, by)))

    def action_go_page(self, by: int) -> None:
        self.action_go_row(by * max(self.size.height - 1, 1))

    def action_other_end(self) -> None:
        if self._now:
            self._take(selecting.turned(self._now))

    def action_start_anew(self) -> None:
        if self._now and self._now.fresh:
            self._take(selecting.extended(self._now))
        elif self._now:
            self._take(selecting.placed(self._shown, self._now.edge - self._now.ahead))

    def action_offer(self, by: int) -> None:
        self._offer = (self._offer + by) % len(self._offers)
        self._take(self._offered)

    def action_take(self) -> None:
        self.post_message(self.ExcerptTaken(self))

    def action_leave(self) -> None:
        self.end_select()

    def _beside(self, now: Selecting, rows: int) -> int:
        return self.page.beside(now.start if now.fresh else now.edge - now.ahead, rows)

    # Mouse

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
            self._take(selecting.dragged(self._shown, self._pressed, here))

    def on_mouse_release(self, _: MouseRelease) -> None:
        self._pressed = None

    def on_mouse_up(self, _: MouseUp) -> None:
        self.release_mouse()
        self._pressed = None

    def on_click(self, event: Click) -> None:
        if self._dragged or event.button != 1 or self._blank:
            return
        offset = self._offset_at(event)
        if event.chain > 1:
            self._take(selecting.clicked(self._shown, offset, event.chain))
        elif self.selecting:
            self._take(selecting.placed(self._shown, offset))
        elif (index := self.page.spans.next_at(offset)) is not None:
            self.post_message(self.SpanClicked(self, index))

    def _offset_at(self, event: MouseEvent) -> int:
        """The offset of the character under the pointer, or of the last one of its row, or of the nearest row."""
        place = event.get_content_offset_capture(self)
        starts = self.page.rows.starts
        row = min(max(place.y + self.scroll_offset.y, 0), len(starts) - 1)
        offset = min(self.page.offset_at(row, max(place.x, 0)), len(self._shown) - 1)
        start, end = self.page.rows.bounds(row)
        return step(self._shown, end, -1) if start < end <= offset else offset
