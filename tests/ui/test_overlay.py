"""A screen over another opens whole and closes once, whoever closes it and whenever."""

import asyncio

from textual.app import App
from textual.widgets import Static

from appellate.ui.overlay import Box


class Said(Box[str]):
    """What it shows can be changed while it is open."""

    def compose(self):
        yield Static("Whole")

    def on_mount(self):
        self.query_one(Static).update("There")

    def draw(self, name):
        self.query_one(Static).update(name)


class Bench(App[None]):
    def __init__(self):
        super().__init__()
        self.answers = []

    def open(self, box):
        self.push_screen(box, self.answers.append)
        return box


async def test_a_box_that_is_closed_twice_gives_the_first_answer_and_leaves_what_is_below():
    async with Bench().run_test() as pilot:
        below, box = pilot.app.open(Said()), Said()
        await pilot.pause()
        pilot.app.open(box)
        await pilot.pause()
        for answer in ("one", "two"):
            box.dismiss(answer)
        await pilot.pause()
        assert pilot.app.answers == ["one"]
        assert pilot.app.screen is below


async def test_a_box_with_another_over_it_stays():
    async with Bench().run_test() as pilot:
        below = pilot.app.open(Said())
        await pilot.pause()
        above = pilot.app.open(Said())
        await pilot.pause()
        below.dismiss("below")
        await pilot.pause()
        assert pilot.app.screen is above
        assert not pilot.app.answers


async def test_a_box_is_not_closed_before_it_has_opened():
    async with Bench().run_test() as pilot:
        box = pilot.app.open(Said())
        box.dismiss("early")
        await pilot.pause()
        assert pilot.app.screen is box
        assert box.query_one(Static).is_mounted
        box.dismiss("late")
        await pilot.pause()
        assert pilot.app.answers == ["late"]


async def test_what_a_box_would_do_once_it_is_drawn_is_left_where_it_has_closed_by_then():
    async with Bench().run_test() as pilot:
        below, closed = pilot.app.screen, asyncio.Event()
        box = pilot.app.open(Said())
        await pilot.pause()
        below.call_later(closed.wait)  # it draws nothing meanwhile
        closing = box.dismiss()
        box.call_after_refresh(box.draw, "closed")
        await closing
        closed.set()
        await pilot.pause()
        assert pilot.app.screen is below
