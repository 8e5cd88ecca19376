"""What is sent to the terminal: as little as shows the same."""

import re
import unicodedata

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import get_character_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.events import Resize
from textual.geometry import Region
from textual.strip import Strip

from appellate.ui.frame import Frame, FramedApp, cells, doubtful
from appellate.ui.text import CELLS, DOUBTS, SURE, inert
from appellate.ui.textual_compat import read_update

COLS, ROWS = 24, 4
CONSOLE = Console(force_terminal=True, color_system="truecolor")
STYLES = [
    Style(),
    Style(bold=True),
    Style(color="#ff0000", bgcolor="#002200"),
    Style(reverse=True),
]
letters = st.lists(st.sampled_from([*"abc xyz日", "e\u0302"]), max_size=9).map("".join)
pieces = st.tuples(letters, st.sampled_from(STYLES))
lines = st.lists(pieces, max_size=5)
frames = st.lists(st.lists(lines, min_size=ROWS, max_size=ROWS), min_size=1, max_size=4)


def update(told) -> LayoutUpdate:
    drawn = [
        Strip([Segment(*piece) for piece in line]).adjust_cell_length(COLS - 1)
        for line in told
    ]
    strips = [strip.adjust_cell_length(COLS) for strip in drawn]
    return LayoutUpdate([[strip] for strip in strips], Region(0, 0, COLS, ROWS))


def sent_for(frame, layout) -> str:
    return frame.render(read_update(layout).strips, CONSOLE)


class Seen:
    """A terminal, and how much it was sent."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(COLS, ROWS)
        self._stream = pyte.Stream(self.screen)

    def take(self, sent: str) -> str:
        self._stream.feed(sent)
        return sent

    @property
    def cells(self):
        return [[self.screen.buffer[y][x] for x in range(COLS)] for y in range(ROWS)]


@given(frames)
def test_the_terminal_shows_what_it_would_show_if_everything_were_sent(told):
    frame, spared, whole = Frame(), Seen(), Seen()
    for one in told:
        spared.take(sent_for(frame, update(one)))
        whole.take(update(one).render_segments(CONSOLE).replace("\n", ""))
        assert spared.cells == whole.cells


@given(lines)
def test_the_same_again_sends_nothing(line):
    frame = Frame()
    told = [line] * ROWS
    sent_for(frame, update(told))
    assert sent_for(frame, update(told)) == ""


def test_one_letter_sends_one_letter():
    frame = Frame()
    plain = [("the quick brown fox", Style())]
    sent_for(frame, update([plain] * ROWS))
    sent = sent_for(
        frame,
        update([[("the quick brown box", Style())], *[plain] * (ROWS - 1)]),
    )
    assert sent.endswith("b")
    assert len(sent) < 12


def test_what_was_forgotten_is_sent_again():
    frame = Frame()
    told = [[("words", Style())]] * ROWS
    first = sent_for(frame, update(told))
    frame.forget()
    assert sent_for(frame, update(told)) == first


async def test_a_terminal_that_was_smaller_for_a_moment_is_sent_everything():
    sent = []

    class Told(FramedApp):
        def action_redraw(self):
            sent.append(self.size)

    app = Told()
    async with app.run_test(size=(20, 5)) as pilot:
        sent.clear()
        app.post_message(Resize(app.size, app.size))
        await pilot.pause()
        assert sent == [app.size]


# -- graphemes that terminals disagree about -------------------------------------------------------------

TONE, YOUNG, CONJUNCT, VOWEL, KEYCAP = "👍🏽", "🫨", "क्ष", "कि", inert("1\ufe0f\u20e3")
DOUBTED = [
    TONE,
    YOUNG,
    CONJUNCT,
    VOWEL,
    KEYCAP,
    inert("❤\ufe0f"),
    inert("👩\u200d🚀"),
    inert("🇩🇪"),
]
SIDES = [(0, 11), (11, COLS)]


class Emulated:
    """A terminal cell by cell; `size` is what it takes a codepoint after another for."""

    def __init__(self, size) -> None:
        self.rows = [[" "] * COLS for _ in range(ROWS)]
        self._size, self._x, self._y, self._wraps, self._last = size, 0, 0, True, ""

    def feed(self, sent: str) -> None:
        for numbers, final, text in re.findall(
            r"\x1b\[([^A-Za-z]*)([A-Za-z])|([^\x1b]+)",
            sent,
        ):
            if final == "H":
                self._y, self._x = (int(number) - 1 for number in numbers.split(";"))
                self._last = ""
            elif numbers == "?7":
                self._wraps = final == "h"
            for char in text:
                self._draw(char)

    def _draw(self, char: str) -> None:
        size = self._size(self._last, char)
        self._last = char
        if not size:
            self._join(char)
            return
        if self._x + size > COLS and self._wraps:
            self._x, self._y = 0, self._y + 1
            assert self._y < ROWS, "it scrolled"
        self._x = min(self._x, COLS - size)
        self._clear(self._x)
        self._clear(self._x + size - 1)
        self.rows[self._y][self._x : self._x + size] = [char, ""][:size]
        self._x += size

    def _join(self, char: str) -> None:
        row, place = self.rows[self._y], self._x - 1
        place -= row[place] == ""
        row[place] += char

    def _clear(self, place: int) -> None:
        """Half of a wide letter leaves nothing of the other half."""
        row = self.rows[self._y]
        if row[place] == "":
            row[place - 1] = " "
        elif place + 1 < COLS and row[place + 1] == "":
            row[place + 1] = " "
        row[place] = " "


def by_parts(_, char):
    return (
        2
        if "\U0001f3fb" <= char <= "\U0001f3ff"
        else 1
        if unicodedata.category(char) == "Mc"
        else sized(char)
    )


def by_clusters(before, char):
    flags = range(0x1F1E6, 0x1F200)
    second = before and ord(before) in flags and ord(char) in flags
    return (
        0
        if second or (before and unicodedata.combining(before) == 9)
        else 2
        if ord(char) in flags
        else sized(char)
    )


def of_old(_, char):
    return get_character_cell_size(char, "9.0.0")


def sized(char):
    return get_character_cell_size(char)


doubted = st.lists(st.sampled_from([*"ab   日", "e\u0302", *DOUBTED]), max_size=14).map(
    "".join,
)
sides = st.tuples(
    st.sampled_from([0, 1]),
    st.lists(doubted, min_size=ROWS, max_size=ROWS),
)


def side(of, told) -> LayoutUpdate:
    start, end = SIDES[of]
    strips = [Strip([Segment(text)]).adjust_cell_length(end - start) for text in told]
    return LayoutUpdate(
        [[strip] for strip in strips],
        Region(start, 0, end - start, ROWS),
    )


def assert_nothing_stays_behind(terminal: Emulated, told) -> None:
    """Every sure cell as it should be, and under a doubtful letter nothing but that letter and blanks."""
    for row, strips in zip(terminal.rows, told, strict=True):
        wanted = [cell for strip in strips for cell in cells(strip)]
        runs = doubtful(wanted)
        for start, end in runs:
            letters = "".join(text for text, _ in wanted[start:end])
            assert not set("".join(row[start:end])) - set(letters) - {" "}
        for place, (text, _) in enumerate(wanted):
            if not any(start <= place < end for start, end in runs):
                assert row[place] == text


@pytest.mark.parametrize(
    "size",
    [by_parts, by_clusters, of_old, lambda _, char: sized(char)],
)
@given(drawn=st.lists(sides, max_size=6))
def test_no_terminal_keeps_what_lay_under_or_behind_a_grapheme_of_doubtful_width(
    size,
    drawn,
):
    frame, terminal = Frame(), Emulated(size)
    shown = [[Strip([])] * 2 for _ in range(ROWS)]
    for of, told in [(0, ["│" * 11] * ROWS), (1, ["│" * 13] * ROWS), *drawn]:
        one = side(of, told)
        terminal.feed(sent_for(frame, one))
        for row, (strip,) in zip(shown, one.strips, strict=True):
            row[of] = strip
        assert_nothing_stays_behind(terminal, shown)


@pytest.mark.parametrize(
    "letter",
    [TONE, YOUNG, CONJUNCT, VOWEL, KEYCAP, inert("❤\ufe0f"), "🇩"],
)
def test_skin_tones_young_emoji_and_joined_letters_are_of_doubtful_width(letter):
    row = cells(Strip([Segment(f"a{letter}b")]))
    assert doubtful(row) == [(1, len(row) - 1)]


@pytest.mark.parametrize(
    "text",
    [
        "│ ● ✓ ⚑ ▸",
        "日本語",
        "e\u0302",
        "שְׁ",
        "กิ",
        "😀",
        inert("👩\u200d👩"),
        inert("🇩🇪"),
    ],
)
def test_letters_that_every_terminal_draws_alike_are_not(text):
    assert doubtful(cells(Strip([Segment(text)]))) == []


def test_a_text_that_is_sure_has_a_cell_or_two_for_each_letter_and_no_doubtful_one():
    sure = [chr(code) for code in range(0x3000) if SURE.fullmatch(chr(code))]
    assert {"a", "é", "–", "•", "│", "▸", "●"} <= set(sure)
    for letter in sure:
        assert CELLS[letter] in (1, 2)
        assert not DOUBTS[letter]
