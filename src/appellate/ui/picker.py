"""A list to pick one thing from by typing a part of it, the likeliest first: instructions, judges,
sessions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Click
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from appellate.ui.contract import Choice
from appellate.ui.conversation import PendingAnswer
from appellate.ui.lines import Lines, ListRow
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.prompt import LineInput
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import cell_width, column, plain

# -- what may be picked ----------------------------------------------------------------------------


TYPO = 75  # how alike, of 100, what was mistyped must be
SHORTEST_TYPO = 4


class Searched(NamedTuple):
    """A choice and its words as they are searched."""

    choice: Choice
    text: str
    whole: str


def searched(choices: Sequence[Choice]) -> list[Searched]:
    """Choices made ready to be searched at every key."""
    ready: list[Searched] = []
    for choice in choices:
        whole = f"{choice.number} {choice.text} {choice.note}"
        ready.append(Searched(choice, choice.text.casefold(), whole.casefold()))
    return ready


def best(among: Sequence[Searched], typed: str) -> list[Choice]:
    """The choices that hold every word typed; where none does, those with its letters in order, or
    nearly.
    """
    words = typed.casefold().split()
    if not words:
        return [one.choice for one in among]
    found = [one for one in among if all(word in one.whole for word in words)]
    found.sort(key=lambda one: _rank(one, words))
    if not found:
        found = _scattered(among, "".join(words)) or _mistyped(among, " ".join(words))
    return [one.choice for one in found]


def _rank(one: Searched, words: Sequence[str]) -> tuple[bool, bool, int]:
    """First the choice of that number, then those that begin so, then those with the most words
    begun so.
    """
    phrase = " ".join(words)
    begun = sum(f" {word}" in f" {one.whole}" for word in words)
    return (one.choice.number.casefold() != phrase, not one.text.startswith(phrase), -begun)


def _scattered(among: Sequence[Searched], letters: str) -> list[Searched]:
    """The choices with the letters in order, those that take the least room for them first."""
    found: list[tuple[int, Searched]] = []
    for one in among:
        held = _letters(one.whole, letters)
        if held:
            found.append((held[-1][1] - held[0][0], one))
    found.sort(key=lambda found: found[0])
    return [one for _, one in found]


def _mistyped(among: Sequence[Searched], typed: str) -> list[Searched]:
    """The choices most like what was typed."""
    if len(typed) < SHORTEST_TYPO:
        return []
    from rapidfuzz import fuzz, process  # only here: 30 ms

    wholes = [one.whole for one in among]
    found = process.extract(typed, wholes, scorer=fuzz.partial_ratio, score_cutoff=TYPO, limit=50)
    return [among[index] for _, _, index in found]


def places(text: str, typed: str) -> list[tuple[int, int]]:
    """Where the words typed stand in a text, else its letters in order; apart from each other, in
    order.
    """
    folded, words = text.casefold(), typed.casefold().split()
    if len(folded) != len(text) or not words:
        return []
    found: list[tuple[int, int]] = []
    for word in words:
        at = folded.find(word)
        if at >= 0:
            found.append((at, at + len(word)))
    if not found:
        return _letters(folded, "".join(words))
    apart: list[tuple[int, int]] = []
    done = 0
    for start, end in sorted(found):
        if end > done:
            apart.append((max(start, done), end))
            done = end
    return apart


def _letters(text: str, letters: str) -> list[tuple[int, int]]:
    """Where letters stand in a text in order, taken greedily; none where they are not all there."""
    found: list[tuple[int, int]] = []
    at = -1
    for letter in letters:
        at = text.find(letter, at + 1)
        if at < 0:
            return []
        found.append((at, at + 1))
    return found


# -- the widget ------------------------------------------------------------------------------------


_AROUND = 11  # lines of the frame, title, input, detail and keys


@dataclass(frozen=True, slots=True)
class Choices:
    """Choices as rows, with what was typed marked in them."""

    given: Sequence[Choice]
    numbered: int
    typed: str = ""

    def __len__(self) -> int:
        return len(self.given)

    def row(self, index: int, /) -> ListRow:
        choice = self.given[index]
        number = ""
        note: tuple[StyledText, ...] = ()
        if self.numbered:
            number = column(choice.number, self.numbered) + " "
        if choice.note:
            note = (StyledText(choice.note, "muted"),)
        *marked, rest = _marked(choice.text, self.typed)
        return ListRow(rest.text, (StyledText(number, "key"), *marked), note, key=choice.key)


def _marked(text: str, typed: str) -> list[StyledText]:
    """The text as pieces, those that were typed in bold; the last one is plain."""
    pieces: list[StyledText] = []
    done = 0
    for start, end in places(text, typed):
        pieces += [StyledText(text[done:start]), StyledText(text[start:end], "key")]
        done = end
    return [*pieces, StyledText(text[done:])]


def _begun(found: Sequence[Choice], typed: str) -> int:
    """How many of the choices found begin with what was typed; they come first."""
    begin = typed.strip().casefold()
    if not begin:
        return 0
    count = 0
    while count < len(found) and found[count].text.casefold().startswith(begin):
        count += 1
    return count


class Picker(ModalScreen[str | None]):
    """Answers `picked` with the key of what was picked, or leaves it.

    Enter takes the row with the cursor: the first, or `none`.

    `none` stands last, and first where its number is typed; with `on_none` the cursor begins on it.

    `highlighted` hears the key of the row that the cursor is on, "" where there is none, as one
    looks through them; with `free` what was typed may be taken as it is, and its key is its text.
    `typed` stands in the line at first, and is what stood in it last.
    """

    AUTO_FOCUS = "LineInput"
    DEFAULT_CSS = """
    Picker { align: center middle; }
    Picker > Vertical {
        width: 90%; max-width: 110; height: auto; max-height: 100%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    Picker .picker--title { height: 1; text-style: bold; }
    Picker Lines { height: 1; margin-top: 1; }
    Picker .picker--detail { height: auto; max-height: 3; margin-top: 1; color: $muted; }
    Picker .picker--keys { height: 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", show=False, id="picker.leave"),
        Binding("up", "move(-1)", "up", show=False, priority=True, id="picker.up"),
        Binding("down", "move(1)", "down", show=False, priority=True, id="picker.down"),
        Binding("pageup", "page(-1)", "page up", show=False, priority=True, id="picker.page_up"),
        Binding(
            "pagedown", "page(1)", "page down", show=False, priority=True, id="picker.page_down"
        ),
    ]

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        none: Choice | None = None,
        on_none: bool = False,
        hint: str = "type to filter",
        free: bool = False,
        typed: str = "",
        highlighted: Callable[[str], None] | None = None,
        marks: Marks = UNICODE,
    ) -> None:
        super().__init__()
        self.asked, self._hint, self.marks = title, hint, marks
        self._choices, self._none = searched(choices), none
        self._on_none, self._free, self._highlighted = on_none, free, highlighted
        self.typed = typed
        widest = max((cell_width(choice.number) for choice in choices), default=0)
        if none:
            widest = max(widest, cell_width(none.number))
        self._numbered = min(widest, 8)
        self.shown: list[Choice] = []
        self.picked: PendingAnswer[str] = PendingAnswer()

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(plain(self.asked), classes="picker--title")
            yield LineInput(self._hint)
            yield Lines(marks=self.marks)
            yield Static(classes="picker--detail", markup=False)
            yield Static(
                plain(spelt("Enter takes it · Esc leaves", self.marks)), classes="picker--keys"
            )

    def on_mount(self) -> None:
        line = self.query_one(LineInput)
        line.value, line.cursor_position = self.typed, len(self.typed)
        self._filter(self.typed)

    @property
    def lines(self) -> Lines:
        return self.query_one(Lines)

    def _filter(self, typed: str) -> None:
        self.typed = typed
        found = best(self._choices, typed)
        if self._none and typed.strip() == self._none.number:
            found.insert(0, self._none)
        elif self._none:
            found.append(self._none)
        own, begun = self._as_typed(typed, found), _begun(found, typed)
        self.shown = [*found[:begun], *own, *found[begun:]]
        self.lines.show_rows(
            Choices(self.shown, self._numbered, typed), "nothing fits what was typed"
        )
        if self._on_none and not typed:
            self.lines.go(0, len(self.shown) - 1)
        else:
            self.lines.go(0)
        self._fit()
        self._looked()

    def _as_typed(self, typed: str, found: Sequence[Choice]) -> list[Choice]:
        """What was typed, to be taken as it is, unless it is one of the choices."""
        text = typed.strip()
        if not self._free or not text or any(choice.text == text for choice in found):
            return []
        return [Choice(text, "", text, "as typed")]

    def _fit(self) -> None:
        room = max(self.size.height - _AROUND, 2)
        self.lines.styles.height = min(max(len(self.shown), 1), room)

    def on_resize(self) -> None:
        self._fit()

    def _looked(self) -> None:
        """The whole text of the row with the cursor, and whoever wants to hear of it."""
        index = self.lines.cursor.row
        key = text = ""
        if index < len(self.shown):
            key, text = self.shown[index].key, self.shown[index].text
        self.query_one(".picker--detail", Static).update(plain(text))
        if self._highlighted:
            self._highlighted(key)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._filter(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value != self.typed:
            self._filter(event.value)
        if self.shown:
            self._end(self.shown[self.lines.cursor.row].key)

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self._end(self.shown[event.index].key)

    def on_click(self, event: Click) -> None:
        """A click beside the list leaves it."""
        if event.widget is self:
            self.action_leave()

    def action_move(self, by: int) -> None:
        self.lines.action_move(by)

    def action_page(self, by: int) -> None:
        self.lines.action_page(by)

    def action_leave(self) -> None:
        self._end(None)

    def _end(self, key: str | None) -> None:
        """Closes, and goes on with whoever asked; once, since a second click may be on its way
        already.
        """
        if not self.is_current:
            return
        self.dismiss(key)
        if key is None:
            self.picked.leave()
        else:
            self.picked.answer(key)
