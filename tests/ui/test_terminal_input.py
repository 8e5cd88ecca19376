"""From bytes to events: as Textual has them, and none for what is unknown."""

import pytest
from textual.drivers import web_driver
from textual.events import Key, MouseEvent, Paste

from appellate.ui.terminal_input import GatedParser, TerminalInput
from appellate.ui.textual_compat import replace_parser


class Line:
    """A terminal on a clock of its own."""

    def __init__(self):
        self.now = 50.0
        self._input = TerminalInput(lambda: self.now)

    def send(self, data: bytes, after: float = 0.0):
        """The events of one read, so many seconds later, with those of the time until then."""
        until = self.now + after
        events = []
        while (seconds := self._input.seconds_to_tick(1_000)) <= until - self.now:
            self.now += seconds
            events += self._input.tick()
        self.now = until
        return events + self._input.feed(data)

    def keys(self, data: bytes, after: float = 0.0):
        return [event.key for event in self.send(data, after) if isinstance(event, Key)]


def test_letters_sequences_esc_and_alt_are_the_keys_that_they_are():
    line = Line()
    assert line.keys(b"j\r\x1b[A\x1bx\x1b\r") == ["j", "enter", "up", "alt+x", "ctrl+j"]
    assert line.keys(b"\x1b") == []
    assert line.keys(b"", after=0.2) == ["escape"]


def test_how_long_to_wait_is_until_something_is_decided():
    line = Line()
    assert line._input.seconds_to_tick(0.5) == 0.5
    line.send(b"\x1b")
    assert line._input.seconds_to_tick(0.5) == pytest.approx(0.1)


def test_a_paste_is_a_paste_and_no_key():
    (paste,) = Line().send(b"\x1b[200~1 2\r3 \xfc\x1b[201~")
    assert isinstance(paste, Paste)
    assert paste.text == "1 2\n3 \ufffd"


def test_replies_and_what_is_no_utf_8_end_nothing():
    line = Line()
    line.send(b"\x1b[>41;390;0c\x1b[106;1:3u\xfc\xc3")
    assert line.keys(b"j", after=2) == ["replacement_character", "j"]


def test_a_click_of_which_the_rest_comes_late_is_a_click():
    line = Line()
    assert line.send(b"\x1b[<0;2") == []
    (click,) = line.send(b"1;13M", after=0.3)
    assert isinstance(click, MouseEvent)
    assert (click.x, click.y) == (20, 12)


def test_drivers_with_an_input_loop_of_textuals_own_read_through_the_gate_too(
    monkeypatch,
):
    monkeypatch.setattr(web_driver, "XTermParser", web_driver.XTermParser)
    replace_parser("web_driver", GatedParser)
    parser = web_driver.XTermParser(debug=False)
    assert [event.key for event in parser.feed("j\x1b[>41;390;0c")] == ["j"]
    assert parser.tick() == []


def test_the_parts_of_an_update_go_to_the_terminal_together():
    class Kept(list[str]):
        write = list.append

    terminal = pytest.importorskip("appellate.ui.terminal_driver")
    driver = terminal.TerminalDriver.__new__(terminal.TerminalDriver)
    driver._update = []
    driver._writer_thread = kept = Kept()
    begin = terminal.SYNC_START
    end = terminal.SYNC_END
    for data in ("bell", begin, "one", "two", end, "title"):
        driver.write(data)
    assert kept == ["bell", f"{begin}onetwo{end}", "title"]
