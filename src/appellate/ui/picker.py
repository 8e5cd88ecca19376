"""The list from which a person picks one thing by typing a part of its name.

Questions of panes, the palette, themes and help all use it.
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


TYPO = 75
"""How alike mistyped words must be to a choice, of 100."""
SHORTEST_TYPO = 4
"""Letters; shorter words are not taken for mistyped ones."""


class SearchedChoice(NamedTuple):
    """A choice in the form that is searched."""

    choice: Choice
    text: str
    """The choice's text in lower case."""
    whole: str
    """All that can be found of the choice, in lower case: number, text, note, group."""


def searched(choices: Sequence[Choice]) -> list[SearchedChoice]:
    """Return choices in the form that is searched at each key, in their order."""
    ready: list[SearchedChoice] = []
    for choice in choices:
        parts = (choice.number, choice.text, choice.note, choice.group)
        text = choice.text.casefold()
        whole = " ".join(parts).casefold()
        ready.append(SearchedChoice(choice, text, whole))
    return ready


def matching(among: Sequence[SearchedChoice], typed: str) -> list[Choice]:
    """Return those of the choices `among` that have each of the words typed, the best first.

    Best is the choice whose number was typed. Then come choices that can be picked, before those
    that can only be read. Of these the first are those whose text begins so, then those in which
    more of the words begin a word. If none has the words, return those with the letters typed in
    order, the letters closest together first. If none has these either, and at least
    `SHORTEST_TYPO` letters were typed, return at most 50 that are nearly alike. Without words
    typed, return all in their order. Case does not count.
    """
    words = typed.casefold().split()
    if not words:
        return [candidate.choice for candidate in among]

    matches = [
        candidate
        for candidate in among
        if all(word in candidate.whole for word in words)
    ]
    matches.sort(key=lambda candidate: _rank(candidate, words))
    if not matches:
        matches = _with_letters(among, "".join(words))
    phrase = " ".join(words)
    if not matches and len(phrase) >= SHORTEST_TYPO:
        from rapidfuzz import fuzz, process  # only here: 30 ms

        wholes = [candidate.whole for candidate in among]
        scorer = fuzz.partial_ratio
        alike = process.extract(
            phrase,
            wholes,
            scorer=scorer,
            score_cutoff=TYPO,
            limit=50,
        )
        matches = [among[index] for _, _, index in alike]
    return [candidate.choice for candidate in matches]


def _rank(
    candidate: SearchedChoice,
    words: Sequence[str],
) -> tuple[bool, bool, bool, int]:
    """Return the key by which matches are sorted in rising order, the best first.

    Best is the choice whose number was typed. Then come choices that can be picked, then choices
    whose text begins with what was typed, then choices in which more of the words begin a word.
    """
    phrase = " ".join(words)
    whole = f" {candidate.whole}"
    words_begun = sum(f" {word}" in whole for word in words)
    is_other_number = candidate.choice.number.casefold() != phrase
    return (
        is_other_number,
        candidate.choice.is_help,
        not candidate.text.startswith(phrase),
        -words_begun,
    )


def _with_letters(
    among: Sequence[SearchedChoice],
    letters: str,
) -> list[SearchedChoice]:
    """Return the choices that have these letters in order, those with the letters closest first.

    Equally close ones stay in their order.
    """
    matches: list[tuple[int, SearchedChoice]] = []
    for candidate in among:
        spans = _letters(candidate.whole, letters)
        if spans:
            start, _ = spans[0]
            _, end = spans[-1]
            matches.append((end - start, candidate))
    matches.sort(key=lambda match: match[0])
    return [candidate for _, candidate in matches]


def typed_spans(text: str, typed: str) -> list[tuple[int, int]]:
    """Return where the typed words are in a text, sorted, each at its first place.

    If the text has none of the words, return where the letters are, one after the other. No
    character is in two spans: a word that overlaps the one before has only the rest. Case does not
    count. The list is empty if nothing is typed or found, and for a text whose length changes with
    its case.
    """
    folded = text.casefold()
    words = typed.casefold().split()
    if len(folded) != len(text) or not words:
        return []

    word_spans: list[tuple[int, int]] = []
    for word in words:
        index = folded.find(word)
        if index >= 0:
            word_spans.append((index, index + len(word)))

    if not word_spans:
        return _letters(folded, "".join(words))

    merged: list[tuple[int, int]] = []
    end_of_last = 0
    for start, end in sorted(word_spans):
        if end > end_of_last:
            merged.append((max(start, end_of_last), end))
            end_of_last = end
    return merged


def _letters(text: str, letters: str) -> list[tuple[int, int]]:
    """Return where letters are in a text, each at its first place after the one before.

    The list is empty if the text does not have them all in order.
    """
    spans: list[tuple[int, int]] = []
    index = -1
    for letter in letters:
        index = text.find(letter, index + 1)
        if index < 0:
            return []
        spans.append((index, index + 1))
    return spans


def count_beginning(choices: Sequence[Choice], typed: str) -> int:
    """Return how many of the choices, from the first on, begin with what was typed.

    Counting ends at the first that does not; case does not count. 0 if nothing is typed.
    """
    prefix = typed.strip().casefold()
    if not prefix:
        return 0
    count = 0
    for choice in choices:
        if not choice.text.casefold().startswith(prefix):
            break
        count += 1
    return count


def _with_typed_bold(text: str, typed: str) -> list[StyledText]:
    """Return the text as pieces, those that were typed in the style of keys, which is bold.

    The last piece is plain, and may be "".
    """
    pieces: list[StyledText] = []
    end_of_last = 0
    for start, end in typed_spans(text, typed):
        pieces += [
            StyledText(text[end_of_last:start]),
            StyledText(text[start:end], "key"),
        ]
        end_of_last = end
    return [*pieces, StyledText(text[end_of_last:])]


# -- the list --------------------------------------------------------------------------------------


_AROUND = 8
"""Lines of the screen that the list leaves to frame, title, input and keys."""
WHOLE = 300
"""Choices; in a list of more, each takes one line."""
WIDEST_NUMBER = 22
"""Columns of a choice's number at most."""
FILTERS = "type to filter"
OWN_WORDS = "pick one below, or type your own"
BY_KEY = "press a row's key, or / to filter"
LEAVE = "{picker.leave:Esc} leaves"
READ_ONLY = "This line is only to read: Enter does nothing here."


class _Filter(LineInput):
    """The line above the choices in which the filter is typed.

    `first` is called with each character first, and returns whether it was taken as a key.
    `is_late` returns whether an Enter was meant for what was there before the list.
    """

    def __init__(
        self,
        hint: str,
        first: Callable[[str | None, str], bool],
        is_late: Callable[[Key], bool],
    ) -> None:
        """Make the line; `hint` is shown while it is empty.

        `first` gets each character that is typed, as text and as a key's name, and returns whether
        it took it. `is_late` returns whether a key was meant for what was there before the list.
        """
        super().__init__(hint)
        self._first = first
        self._is_late = is_late

    def on_key(self, event: Key) -> None:
        """Hand a character to `first`, and use up the key if that took it.

        An Enter that was meant for what was there before the list is used up, too. Other keys are
        typed.
        """
        taken = event.is_printable and self._first(event.character, event.key)
        if taken or self._is_late(event):
            event.stop()
            event.prevent_default()


class Picker(FramedBox[str | None]):
    """A list of choices that returns the key of the one picked, or None if the person leaves it.

    If choices have keys of their own, a key picks its choice at once, until `/` begins a filter.
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
        Binding(
            "pagedown",
            "page(1)",
            "page down",
            priority=True,
            id="picker.page_down",
        ),
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
        """Make the list of these choices; `title` is the question.

        - `none`: a last choice that means none of the others; first if its number is typed.
        - `on_none`: whether the cursor begins on that choice.
        - `free`: which typed words are an answer themselves.
        - `longer`: a choice after the others that asks for words of several lines.
        - `typed`: what the line holds at first.
        - `highlighted`: called with the key of the choice under the cursor whenever that changes.
        - `does`: what Enter does, in words.
        """
        super().__init__(title, marks=marks)
        self._by_key = _by_key(choices)
        hint = FILTERS
        if free:
            hint = OWN_WORDS
        if self._by_key:
            hint = BY_KEY
            does = f"{does}, {BY_KEY}"
        self._does = does
        self._line = _Filter(hint, self._pick_by_key, self._is_second_enter)
        self.lines = Lines(marks=marks)
        self.grouped = any(choice.group for choice in choices)
        self._choices = searched(choices)
        self._none = none
        self._on_none = on_none
        self._free = free
        self._highlighted = highlighted
        self._longer = longer
        self.typed = typed
        """What is in the line."""
        all_choices = list(choices)
        if none:
            all_choices.append(none)
        self._numbered = self._number_width(all_choices)
        self.shown: list[Choice] = []

    def _number_width(self, choices: Sequence[Choice]) -> int:
        """Return how many columns the choices' numbers take: the widest, at most `WIDEST_NUMBER`.

        0 if no choice has a number, and without choices.
        """
        widest = max(
            (cell_width(spelt(choice.number, self.marks)) for choice in choices),
            default=0,
        )
        return min(widest, WIDEST_NUMBER)

    async def picked(self, app: App[Any]) -> str:
        """Open the list over `app`, and return the key of the choice picked.

        For typed words that are an answer themselves it is these words, without blanks around them.
        Raises `Left`, which ends the coroutine that asked, if the person leaves the list.
        """
        key = await self.open(app)
        if key is None:
            raise Left
        return key

    def inside(self) -> Iterator[Widget]:
        yield self._line
        yield self.lines

    def on_mount(self) -> None:
        """Show the choices for what is typed already, and tell the app that a question opens."""
        if isinstance(self.app, CompatApp):
            self.app.asks()
        self._line.value = self.typed
        self._line.cursor_position = len(self.typed)
        self._filter(self.typed)

    def _pick_by_key(self, character: str | None, key: str) -> bool:
        """Pick the choice of a key, if choices have keys of their own and nothing is typed.

        The list closes then. `/` begins a filter, after which keys pick nothing. For any other key
        the box says that it does nothing. Returns whether the key is used up, so that it must not
        be typed.
        """
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
        """Return whether a key is an Enter that came right after the one that opened the list.

        If it is, the box says so.
        """
        if not isinstance(self.app, CompatApp):
            return False
        if not self.app.is_second_enter(event):
            return False
        self.say_keys(f"{ENTERED_TWICE} {LEAVE}.")
        return True

    def _filter(self, typed: str) -> None:
        """Show the choices that match what is typed, and put the cursor on the first.

        With nothing typed it may be on the choice that means none of the others (`on_none`). What
        was typed is a choice itself if it is an answer; it comes after choices that begin so. Last
        come the choice that asks for longer words and the one that means none of the others. The
        latter is first if its number was typed. The list is made as high as it needs, and
        `highlighted` is called.
        """
        self.typed = typed
        choices = matching(self._choices, typed)
        if self._longer:
            choices.append(self._longer)
        if self._none and typed.strip() == self._none.number:
            choices.insert(0, self._none)
        elif self._none:
            choices.append(self._none)
        typed_choice = self._as_typed(typed, choices)
        begun_count = count_beginning(choices, typed)
        choices[begun_count:begun_count] = typed_choice
        self.shown = choices
        self.lines.go(0)
        self.lines.show(*self._sections(typed))
        if self._on_none and not typed:
            last_section = len(self.lines.sections) - 1
            self.lines.go(last_section, len(self.shown))  # its last row is the nearest
        self._fit_height()
        self.call_after_refresh(self._fit_height)  # the width of the list is known then
        self._report_cursor()

    def _sections(self, typed: str) -> list[ListSection]:
        """Return the choices shown, in their groups or in one list.

        They are in one list if they are not grouped, or once something is typed. Only in one list
        of more than `WHOLE` choices does each row take one line; in groups all rows are shown
        whole.
        """
        if typed.strip() or not self.grouped:
            rows = self._rows(self.shown, typed)
            whole = len(rows) <= WHOLE
            return [
                ListSection(rows, empty="nothing matches what you typed", whole=whole),
            ]

        sections = []
        for group, members in groupby(self.shown, lambda choice: choice.group):
            rows = self._rows(list(members))
            heading = ListRow(group, style="header") if group else None
            sections.append(ListSection(rows, heading, whole=True))
        return sections

    def _rows(self, choices: Sequence[Choice], typed: str = "") -> DrawnRows:
        """Return choices as rows that are made when they come into view.

        A row has the number, the text with what was typed in bold, and the note. Once something is
        typed, the group is in the place of a note that is missing.
        """

        def drawn(choice: Choice) -> ListRow:
            """Return a choice as a row: its number at the left, its text, its note at the right.

            Numbers are padded to one width, and left out if no choice has one. What was typed is
            bold in the text. Once something is typed, the group stands for a note that is missing.
            """
            number = ""
            aside = choice.note
            note: tuple[StyledText, ...] = ()
            if self._numbered:
                number_text = spelt(choice.number, self.marks)
                padded_number = column(number_text, self._numbered, self.marks)
                number = f"{padded_number} "
            if typed and not aside:
                aside = choice.group
            if aside:
                note = (StyledText(aside, "muted"),)
            *marked, rest = _with_typed_bold(choice.text, typed)
            left = (StyledText(number, choice.style),)
            opening = tuple(marked)
            return ListRow(rest.text, left, note, key=choice.key, opening=opening)

        return DrawnRows(choices, drawn)

    def _as_typed(self, typed: str, choices: Sequence[Choice]) -> list[Choice]:
        """Return what was typed as a list of one choice, or [] if it is none.

        It is none if it is blank, no answer by `free`, or exactly the text of one of the choices.
        The choice has the words, without blanks around them, as key and text, and the note "as
        typed".
        """
        text = typed.strip()
        if not text or not takes(self._free, text):
            return []
        if any(choice.text == text for choice in choices):
            return []
        return [Choice(text, "", text, "as typed")]

    def _fit_height(self) -> None:
        """Make the list as high as its rows, uncut, or as the screen allows.

        It has at least one line, and leaves `_AROUND` lines of the screen to the rest of the box.
        """
        available = max(self.size.height - _AROUND, 2)
        needed = max(self.lines.height_uncut, 1)
        self.lines.styles.height = min(needed, available)

    def on_resize(self) -> None:
        self._fit_height()
        self.call_after_refresh(self._fit_height)

    def _report_cursor(self) -> None:
        """Show what Enter does, and call `highlighted` with the key of the choice under the cursor.

        The key is "" if nothing matches.
        """
        current = self._current_choice
        sentences = filter(None, (self._does, LEAVE))
        self.say_keys(" · ".join(sentences))
        if self._highlighted:
            self._highlighted(current.key if current else "")

    @property
    def _current_choice(self) -> Choice | None:
        """The choice under the cursor; None if nothing matches what is typed."""
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
        """Pick the choice under the cursor; first filter by what was typed, if that is new.

        The list closes with the key of the choice. If nothing matches, or the choice can only be
        read, it stays and says why.
        """
        event.stop()
        if event.value != self.typed:
            self._filter(event.value)
        self._pick_current()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self._report_cursor()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self._pick_current()

    def _pick_current(self) -> None:
        """Close with the key of the choice under the cursor.

        If nothing matches, or the choice can only be read, the list stays and the box says why.
        """
        current = self._current_choice
        if current is None:
            self.say_keys(
                f"Nothing matches what you typed: Ctrl+U empties the line. {LEAVE}.",
            )
        elif current.is_help:
            self.say_keys(READ_ONLY)
        else:
            self.dismiss(current.key)

    def on_click(self, event: Click) -> None:
        if event.widget is self:
            self.dismiss()

    def action_move(self, by: int) -> None:
        self.lines.action_move(by)

    def action_page(self, by: int) -> None:
        self.lines.action_page(by)

    def action_longer(self) -> None:
        """Close with the key of the choice that asks for words of several lines.

        Without such a choice the list stays, and the box says why.
        """
        if self._longer:
            self.dismiss(self._longer.key)
        else:
            self.say_keys(
                "{picker.longer:Ctrl+O} is for your own words, but here you pick from the list."
                f" {LEAVE}.",
            )


def _by_key(choices: Sequence[Choice]) -> dict[str, str]:
    """Return the `key` of the choice that each key of the keyboard picks.

    If several choices have a key, it picks the first. Empty if no choice has one.
    """
    choice_keys: dict[str, str] = {}
    for choice in choices:
        for key in filter(None, choice.keys.split(",")):
            choice_keys.setdefault(key, choice.key)
    return choice_keys
