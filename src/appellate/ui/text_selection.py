"""What is selected of a text on the screen, and what the mouse selects of it: a press, drag and
release takes words, two clicks a word, three a sentence, one with Shift extends.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace
from textual.events import Click, MouseDown, MouseEvent, MouseMove, MouseRelease, MouseUp

from appellate.ui import selecting
from appellate.ui.page import TextPage
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


class Pointer:
    """The mouse over a text; `take` selects."""

    def __init__(
        self, view: TextView, selection: Selection, take: Callable[[Selecting | None], object]
    ) -> None:
        self._view = view
        self._selection = selection
        self._take = take
        self._pressed: int | None = None  # the offset at which it was pressed
        self._dragged = False

    def received(self, event: MouseEvent | MouseRelease) -> None:
        """Selects what is dragged over between a press and its release."""
        match event:
            case MouseDown(button=1) if self._view.text and _is_inside(event, self._view):
                self._view.capture_mouse()
                self._pressed, self._dragged = self.offset_at(event), False
            case MouseMove() if self._pressed is not None:
                here = self.offset_at(event)
                if self._dragged or here != self._pressed:
                    self._dragged = True
                    self._take(selecting.dragged(self._view.page.text, self._pressed, here))
            case MouseUp():
                self._view.release_mouse()
                self._pressed = None
            case MouseRelease():
                self._pressed = None

    def clicked(self, event: Click) -> bool:
        """Selects what a click selects; false where it is a click on the text as such."""
        if self._dragged:
            return True
        text, offset, now = self._view.page.text, self.offset_at(event), self._selection.now
        if event.shift and now:
            self._take(selecting.reaching_to(text, now, offset))
        elif event.chain > 1:
            self._take(selecting.clicked(text, offset, event.chain))
        elif now:
            self._take(selecting.placed(text, offset))
        else:
            return False
        return True

    def offset_at(self, event: MouseEvent) -> int:
        """The offset of the character under the pointer, or of the last one of its row, or of the
        nearest row.
        """
        page, place = self._view.page, event.get_content_offset_capture(self._view)
        row = min(max(place.y + self._view.scroll_offset.y, 0), len(page.rows.starts) - 1)
        offset = min(page.offset_at(row, max(place.x, 0)), len(page.text) - 1)
        start, end = page.rows.bounds(row)
        if start < end <= offset:
            return step(page.text, end, -1)
        return offset


def _is_inside(event: MouseEvent, view: TextView) -> bool:
    """Whether a press is on the text, and not on its frame."""
    return event.get_content_offset(view) is not None


def by_key(selection: Selection, what: str, by: int) -> Selecting | None:
    """What a key makes of a selection that is on: an extension by a unit, a way to where to start,
    the other end, or a start anew; None where it ends.
    """
    now, text = selection.now, selection.page.text
    if now is None:
        return None
    match what:
        case "other":
            return selecting.turned(now)
        case "anew" if now.fresh:
            return selecting.extended(now)
        case "anew":
            return selecting.placed(text, now.place)
        case "word" | "sentence":
            return selection.extended(what, by)
        case "character" | "row":
            return selection.gone(what, by)
    return None
