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
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.events import Click, MouseDown, MouseEvent, MouseMove, MouseRelease, MouseUp
from textual.message import Message

from appellate.ui.marks import UNICODE, Marks
from appellate.ui.page import StyledSpan
from appellate.ui.rendered_text import RenderedText
from appellate.ui.selecting import Selecting, Stretch
from appellate.ui.text_selection import Pointer, Selection, Unit, by_key
from appellate.ui.text_view import TextView


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
        self._pointer = Pointer(self, self.selection, self.take)

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
        self.take(by_key(self.selection, "other", 1))

    def action_start_anew(self) -> None:
        self.take(by_key(self.selection, "anew", 1))

    def action_offer(self, by: int) -> None:
        self.take(self.selection.next_offer(by))

    def action_take(self) -> None:
        self.post_message(self.ExcerptTaken())

    def action_leave(self) -> None:
        self.end_select()

    # -- mouse ---------------------------------------------------------------------------------

    @on(MouseDown)
    @on(MouseMove)
    @on(MouseUp)
    @on(MouseRelease)
    def _point(self, event: MouseEvent | MouseRelease) -> None:
        if not self._blank:
            self._pointer.received(event)

    def on_click(self, event: Click) -> None:
        if event.button != 1 or self._blank or self._pointer.clicked(event):
            return
        offset = self._pointer.offset_at(event)
        index, place = self.page.spans.next_at(offset), self.page.rendered.source_at(offset)
        if index is None:
            self.post_message(self.TextClicked(place))
        else:
            self.post_message(self.SpanClicked(index, place))
