"""What is sent to the terminal: as little as shows the same."""

import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.events import Resize
from textual.geometry import Region
from textual.strip import Strip

from appellate.ui.frame import Difference, Frame, FramedApp

COLS, ROWS = 24, 4
CONSOLE = Console(force_terminal=True, color_system="truecolor")
STYLES = [Style(), Style(bold=True), Style(color="#ff0000", bgcolor="#002200"), Style(reverse=True)]
letters = st.lists(st.sampled_from([*"abc xyz日", "e\u0302"]), max_size=9).map("".join)
pieces = st.tuples(letters, st.sampled_from(STYLES))
lines = st.lists(pieces, max_size=5)
frames = st.lists(st.lists(lines, min_size=ROWS, max_size=ROWS), min_size=1, max_size=4)


def update(told) -> LayoutUpdate:
    drawn = [Strip([Segment(*piece) for piece in line]).adjust_cell_length(COLS - 1) for line in told]
    strips = [strip.adjust_cell_length(COLS) for strip in drawn]
    return LayoutUpdate([[strip] for strip in strips], Region(0, 0, COLS, ROWS))


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
        spared.take(Difference(frame, update(one)).render_segments(CONSOLE))
        whole.take(update(one).render_segments(CONSOLE).replace("\n", ""))
        assert spared.cells == whole.cells


@given(lines)
def test_the_same_again_sends_nothing(line):
    frame = Frame()
    told = [line] * ROWS
    Difference(frame, update(told)).render_segments(CONSOLE)
    assert Difference(frame, update(told)).render_segments(CONSOLE) == ""


def test_one_letter_sends_one_letter():
    frame = Frame()
    plain = [("the quick brown fox", Style())]
    Difference(frame, update([plain] * ROWS)).render_segments(CONSOLE)
    sent = Difference(frame, update([[("the quick brown box", Style())], *[plain] * (ROWS - 1)])).render_segments(
        CONSOLE
    )
    assert sent.endswith("b")
    assert len(sent) < 12


def test_what_was_forgotten_is_sent_again():
    frame = Frame()
    told = [[("words", Style())]] * ROWS
    first = Difference(frame, update(told)).render_segments(CONSOLE)
    frame.forget()
    assert Difference(frame, update(told)).render_segments(CONSOLE) == first


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
