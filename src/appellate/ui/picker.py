"""The one list of the program, palette, themes and help, too: a thing is picked by part of its
name.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from textual.app import App
from textual.binding import Binding, BindingType
from textual.events import Click, Key
from textual.widget import Widget
from textual.widgets import Input

from appellate.ui.contract import Choice, Freely, takes
from appellate.ui.conversation import Left
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import UNICODE, Marks, spelt
from appellate.ui.overlay import FramedBox
from appellate.ui.prompt import LineInput
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, column
from appellate.ui.textual_compat import ENTERED_TWICE, CompatApp

# -- finding ---------------------------------------------------------------------------------------


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
        whole = f"{choice.number} {choice.text} {choice.note} {choice.group}"
        ready.append(Searched(choice, choice.text.casefold(), whole.casefold()))
    return ready


def best(among: Sequence[Searched], typed: str) -> list[Choice]:
    """The choices with every word typed; else those with its letters in order, or nearly."""
    words = typed.casefold().split()
    if not words:
        return [one.choice for one in among]
    found = [one for one in among if all(word in one.whole for word in words)]
    found.sort(key=lambda one: _rank(one, words))
    if not found:
        found = _scattered(among, "".join(words))
    phrase = " ".join(words)
    if not found and len(phrase) >= SHORTEST_TYPO:
        from rapidfuzz import fuzz, process  # only here: 30 ms

        wholes = [one.whole for one in among]
        like = fuzz.partial_ratio
        alike = process.extract(phrase, wholes, scorer=like, score_cutoff=TYPO, limit=50)
        found = [among[index] for _, _, index in alike]
    return [one.choice for one in found]


def _rank(one: Searched, words: Sequence[str]) -> tuple[bool, bool, bool, int]:
    """By number, then what can be taken, then what begins so, then by words begun so."""
    phrase = " ".join(words)
    begun = sum(f" {word}" in f" {one.whole}" for word in words)
    other = one.choice.number.casefold() != phrase
    return (other, one.choice.is_help, not one.text.startswith(phrase), -begun)


def _scattered(among: Sequence[Searched], letters: str) -> list[Searched]:
    """The choices with the letters in order, those that take the least room for them first."""
    found: list[tuple[int, Searched]] = []
    for one in among:
        held = _letters(one.whole, letters)
        if held:
            found.append((held[-1][1] - held[0][0], one))
    found.sort(key=lambda found: found[0])
    return [one for _, one in found]


def places(text: str, typed: str) -> list[tuple[int, int]]:
    """Where the words typed are in a text, in order; else where its letters are."""
    folded = text.casefold()
    words = typed.casefold().split()
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
    """Where letters are in a text in order, taken greedily; none where they are not all there."""
    found: list[tuple[int, int]] = []
    at = -1
    for letter in letters:
        at = text.find(letter, at + 1)
        if at < 0:
            return []
        found.append((at, at + 1))
    return found


def begun(found: Sequence[Choice], typed: str) -> int:
    """How many of the choices found begin with what was typed; they come first."""
    begin = typed.strip().casefold()
    if not begin:
        return 0
    count = 0
    while count < len(found) and found[count].text.casefold().startswith(begin):
        count += 1
    return count


def _marked(text: str, typed: str) -> list[StyledText]:
    """The text as pieces, those that were typed in bold; the last one is plain."""
    pieces: list[StyledText] = []
    done = 0
    for start, end in places(text, typed):
        pieces += [StyledText(text[done:start]), StyledText(text[start:end], "key")]
        done = end
    return [*pieces, StyledText(text[done:])]


# -- the list --------------------------------------------------------------------------------------


_AROUND = 8  # lines of the frame, title, input, keys, and what is left of the screen around them
WHOLE = 300  # choices whose rows wrap; of more each has one line
WIDEST_NUMBER = 22  # cells
FILTERS = "type to filter"
OWN_WORDS = "pick one below, or type your own"
BY_KEY = "a key does its row, / filters"
LEAVE = "{picker.leave:Esc} leaves"
READ_ONLY = "This is to be read: there is nothing to do here."


class _Filter(LineInput):
    """The line above the choices, of whose characters `first` may take one. `is_late` tells of an
    Enter that is for what was there before.
    """

    def __init__(
        self,
        hint: str,
        first: Callable[[str | None, str], bool],
        is_late: Callable[[Key], bool],
    ) -> None:
        super().__init__(hint)
        self._first = first
        self._is_late = is_late

    def on_key(self, event: Key) -> None:
        taken = event.is_printable and self._first(event.character, event.key)
        if taken or self._is_late(event):
            event.stop()
            event.prevent_default()


class Picker(FramedBox[str | None]):
    """Gives the key of what was picked, if anything was. Enter takes the row with the cursor: the
    first, or with `on_none` that of none. `none` is last, and first where its number is typed;
    `longer` is behind the choices.

    `highlighted` is given the key of the row with the cursor; with `free` what was typed may be
    taken as it is. `typed` is in the line at first, and is what was in it last. `does` says what
    Enter does. Where choices have keys, a key picks at once, until `/` begins a filter.
    """

    AUTO_FOCUS = "LineInput"
    DEFAULT_CSS = """
    Picker > Vertical { width: 90%; }
    Picker Lines { height: 1; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "dismiss", "leave", id="picker.leave"),
        Binding("ctrl+o", "longer", "longer", id="picker.longer"),
        Binding("up", "move(-1)", "up", priority=True, id="picker.up"),
        Binding("down", "move(1)", "down", priority=True, id="picker.down"),
        Binding("pageup", "page(-1)", "page up", priority=True, id="picker.page_up"),
        Binding("pagedown", "page(1)", "page down", priority=True, id="picker.page_down"),
    ]

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        none: Choice | None = None,
        on_none: bool = False,
        free: Freely = False,
        longer: Choice | None = None,
        typed: str = "",
        highlighted: Callable[[str], None] | None = None,
        does: str = "Enter takes it",
        marks: Marks = UNICODE,
    ) -> None:
        super().__init__(title, marks=marks)
        self._by_key = _by_key(choices)
        hint = FILTERS
        if free:
            hint = OWN_WORDS
        if self._by_key:
            hint = BY_KEY
            does = f"{does}, {BY_KEY}"
        self._does = does
        self._line = _Filter(hint, self._press, self._is_second_enter)
        self.lines = Lines(marks=marks)
        self.grouped = any(choice.group for choice in choices)
        self._choices = searched(choices)
        self._none = none
        self._on_none = on_none
        self._free = free
        self._highlighted = highlighted
        self._longer = longer
        self.typed = typed
        self._numbered = self._number_width([*choices, *([none] if none else [])])
        self.shown: list[Choice] = []

    def _number_width(self, choices: Sequence[Choice]) -> int:
        widest = max((cell_width(spelt(one.number, self.marks)) for one in choices), default=0)
        return min(widest, WIDEST_NUMBER)

    async def picked(self, app: App[Any]) -> str:
        """Opens; gives the key of the choice, or ends the coroutine that asked for one."""
        key = await self.open(app)
        if key is None:
            raise Left
        return key

    def inside(self) -> Iterator[Widget]:
        yield self._line
        yield self.lines

    def on_mount(self) -> None:
        if isinstance(self.app, CompatApp):
            self.app.asks()
        self._line.value, self._line.cursor_position = self.typed, len(self.typed)
        self._filter(self.typed)

    def _press(self, character: str | None, key: str) -> bool:
        """Picks the choice of a key; true where the key must not be typed."""
        if not self._by_key or self.typed:
            return False
        if key in self._by_key:
            self.dismiss(self._by_key[key])
        elif character == "/":
            self._by_key = {}
            self._line.placeholder = FILTERS
        else:
            self.say_keys(f"{character} does nothing here: / filters.")
        return True

    def _is_second_enter(self, event: Key) -> bool:
        """Whether an Enter came right behind the one that opened the list; says so."""
        if not isinstance(self.app, CompatApp) or not self.app.is_second_enter(event):
            return False
        self.say_keys(f"{ENTERED_TWICE} {LEAVE}.")
        return True

    def _filter(self, typed: str) -> None:
        self.typed = typed
        found = best(self._choices, typed)
        if self._longer:
            found.append(self._longer)
        if self._none and typed.strip() == self._none.number:
            found.insert(0, self._none)
        elif self._none:
            found.append(self._none)
        own = self._as_typed(typed, found)
        first = begun(found, typed)
        self.shown = [*found[:first], *own, *found[first:]]
        self.lines.go(0)
        self.lines.show(*self._sections(typed))
        if self._on_none and not typed:
            self.lines.go(0, len(self.shown) - 1)
        self._fit()
        self.call_after_refresh(self._fit)  # how wide the list is is known by then
        self._looked()

    def _sections(self, typed: str) -> list[ListSection]:
        """The choices in their groups; once something is typed together, the likeliest first."""
        if typed.strip() or not self.grouped:
            rows = self._rows(self.shown, typed)
            whole = len(rows) <= WHOLE
            return [ListSection(rows, empty="nothing fits what was typed", whole=whole)]
        sections = []
        for group, ones in groupby(self.shown, lambda choice: choice.group):
            rows = self._rows(list(ones))
            heading = ListRow(group, style="header") if group else None
            sections.append(ListSection(rows, heading, whole=True))
        return sections

    def _rows(self, choices: Sequence[Choice], typed: str = "") -> DrawnRows:
        """Choices behind their numbers, with what was typed marked in them."""

        def drawn(choice: Choice) -> ListRow:
            number = ""
            aside = choice.note
            note: tuple[StyledText, ...] = ()
            if self._numbered:
                number = column(spelt(choice.number, self.marks), self._numbered, self.marks) + " "
            if typed and not aside:
                aside = choice.group
            if aside:
                note = (StyledText(aside, "muted"),)
            *marked, rest = _marked(choice.text, typed)
            left = (StyledText(number, choice.style),)
            return ListRow(rest.text, left, note, key=choice.key, opening=tuple(marked))

        return DrawnRows(choices, drawn)

    def _as_typed(self, typed: str, found: Sequence[Choice]) -> list[Choice]:
        """What was typed, to be taken as it is, unless it is one of the choices."""
        text = typed.strip()
        if not text or not takes(self._free, text) or any(one.text == text for one in found):
            return []
        return [Choice(text, "", text, "as typed")]

    def _fit(self) -> None:
        room = max(self.size.height - _AROUND, 2)
        self.lines.styles.height = min(max(self.lines.height_uncut, 1), room)

    def on_resize(self) -> None:
        self._fit()
        self.call_after_refresh(self._fit)

    def _looked(self) -> None:
        """Says what Enter does, and calls `highlighted` with the row under the cursor."""
        here = self._here
        self.say_keys(" · ".join(filter(None, (self._does, LEAVE))))
        if self._highlighted:
            self._highlighted(here.key if here else "")

    @property
    def _here(self) -> Choice | None:
        section, row = self.lines.cursor
        rows = self.lines.sections[section].rows
        if isinstance(rows, DrawnRows) and row < len(rows):
            chosen: Choice = rows.things[row]
            return chosen
        return None

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._filter(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value != self.typed:
            self._filter(event.value)
        self._take()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self._take()

    def _take(self) -> None:
        """Ends with the choice under the cursor, unless that can only be read."""
        here = self._here
        if here is None:
            self.say_keys(f"Nothing fits what was typed: Ctrl+U empties the line. {LEAVE}.")
        elif here.is_help:
            self.say_keys(READ_ONLY)
        else:
            self.dismiss(here.key)

    def on_click(self, event: Click) -> None:
        if event.widget is self:
            self.dismiss()

    def action_move(self, by: int) -> None:
        self.lines.action_move(by)

    def action_page(self, by: int) -> None:
        self.lines.action_page(by)

    def action_longer(self) -> None:
        """Takes the line for words of one's own that are too many for this one."""
        if self._longer:
            self.dismiss(self._longer.key)
        else:
            self.say_keys(
                f"{{picker.longer:Ctrl+O}} is for words of your own: here one is picked. {LEAVE}."
            )


def _by_key(choices: Sequence[Choice]) -> dict[str, str]:
    """What each key picks; of choices that share a key, the first."""
    found: dict[str, str] = {}
    for choice in choices:
        for key in filter(None, choice.keys.split(",")):
            found.setdefault(key, choice.key)
    return found
