"""Keys in a burst: each is handed on when what the one before led to is done, and none is lost or waits for ever."""

import asyncio
from random import Random

import pytest
from textual.events import Key, MouseDown, MouseUp
from textual.screen import ModalScreen
from textual.widgets import Button, Input

from appellate.ui.textual_compat import CompatApp


class Line(ModalScreen[None]):
    """A line to type in; Enter closes it."""

    def compose(self):
        yield Input()

    def on_input_submitted(self, event):
        self.app.typed.append(event.value)
        self.dismiss(None)


class Hands(CompatApp):
    """`l` opens a line, `x` takes away the button that has the focus; what else is pressed is counted."""

    BINDINGS = [  # noqa: RUF012
        ("l", "line", "line"),
        ("x", "away", "away"),
        ("b", "count", "count"),
        ("escape", "leave", "leave"),
        ("alt+x", "count", "count"),
    ]

    def __init__(self):
        super().__init__()
        self.typed, self.counted, self.left = [], 0, 0

    def compose(self):
        yield Button("one")
        yield Button("two")

    def on_button_pressed(self):
        self.action_line()

    def action_line(self):
        self.push_screen(Line())

    async def action_away(self):
        await self.focused.remove()

    def action_count(self):
        self.counted += 1

    def action_leave(self):
        self.left += 1

    def burst(self, keys):
        for key in keys:
            self.post_message(
                Key(key, key[-1] if len(key) == 1 or "alt" in key else None),
            )

    def click(self, x, y):
        for event in (MouseDown, MouseUp):
            self.post_message(event(None, x, y, 0, 0, 1, False, False, False, x, y))


async def settled(pilot):
    while not pilot.app.key_queue.is_empty or pilot.app.message_queue_size:
        await pilot.pause()
    await pilot.pause()


async def test_letters_behind_a_key_that_opens_a_line_are_typed_into_it():
    async with Hands().run_test() as pilot:
        pilot.app.burst(["b", "l", *"bulb", "enter", "b", "l", "x", "enter", "b"])
        await settled(pilot)
        assert pilot.app.typed == ["bulb", "x"]
        assert pilot.app.counted == 3


@pytest.mark.slow
async def test_letters_that_come_one_by_one_while_a_line_opens_or_closes_are_typed_into_it():
    chance = Random(0)
    words = [
        "".join(chance.choices("abcdefgh", k=chance.randrange(1, 9))) for _ in range(60)
    ]
    async with Hands().run_test() as pilot:
        for key in [key for word in words for key in ("l", *word, "enter", "b")]:
            pilot.app.burst([key])
            for _ in range(chance.choice([0, 1, 5, 20, 50])):  # turns of the loop
                await asyncio.sleep(0)
        await settled(pilot)
        assert pilot.app.typed == words
        assert pilot.app.counted == len(words)


async def test_letters_behind_a_click_that_opens_a_line_are_typed_into_it():
    async with Hands().run_test() as pilot:
        at = pilot.app.query(Button).last().region.offset
        pilot.app.click(at.x + 2, at.y + 1)
        pilot.app.burst(["b", "x", "enter", "b"])
        await settled(pilot)
        assert pilot.app.typed == ["bx"]
        assert pilot.app.counted == 1
        assert len(pilot.app.query(Button)) == 2


async def test_a_widget_that_goes_at_a_key_holds_up_no_other():
    async with Hands().run_test() as pilot:
        pilot.app.burst(["x", "b", "x", "b", "b"])
        await settled(pilot)
        assert pilot.app.counted == 3
        assert not pilot.app.query(Button)


async def test_after_the_last_screen_has_closed_keys_are_for_nobody():
    async with Hands().run_test() as pilot:
        pass
    await pilot.app.on_event(Key("b", "b"))
    assert pilot.app.key_queue.is_empty
    assert not pilot.app.counted


async def test_escape_and_a_letter_that_arrive_in_one_read_are_both_pressed():
    """Terminals send them as they send Alt and the letter."""
    async with Hands().run_test() as pilot:
        pilot.app.burst(["alt+l", *"bulb", "enter"])
        await settled(pilot)
        assert (pilot.app.left, pilot.app.typed) == (1, ["bulb"])


async def test_alt_and_a_letter_that_is_bound_stay_one_key():
    async with Hands().run_test() as pilot:
        pilot.app.burst(["alt+x"])
        await settled(pilot)
        assert (pilot.app.left, pilot.app.counted) == (0, 1)
