"""Keys that come faster than the screen, as on a slow line: each finds what the one before it left."""

import asyncio
from time import monotonic

import pytest
from review_stage import sitting
from textual.events import Key

from appellate.core.cell import reason_of

FULL = 2
STALL = 1.0  # seconds
LONG_AGO = 100.0


def type_at_once(at, *keys):
    """Hands the program all keys before it can answer one."""
    for key in keys:
        at.app.post_message(Key(key, key if len(key) == 1 else None))


async def done(at):
    app = at.app
    await at.until(
        lambda: not app.message_queue_size and app.key_queue.is_empty,
        seconds=100,
    )
    await at.pilot.pause()


@pytest.mark.slow
async def test_letters_typed_while_a_list_closes_and_another_opens_are_no_verdicts(at):
    type_at_once(at, "l", "l", "1", *"18", "enter", "r", *"para", "enter")
    await done(at)
    assert at.no == FULL
    assert at.marks["tp"] == [1, 2, 3, 4]
    assert reason_of(at.cell, at.cell.corrections[-1]) == "paraphrase counts"


async def test_g_g_in_one_breath_is_the_top(at):
    type_at_once(at, "G", "g", "g")
    await done(at)
    assert at.app.screen is at.screen
    assert at.place == ("tp", 0)


@pytest.mark.slow
async def test_no_key_is_lost_where_the_machine_stalls_while_a_list_opens(tmp_path):
    def stall():
        until = monotonic() + STALL
        while monotonic() < until:
            pass

    async with sitting(tmp_path, at=FULL) as at:
        await at.press("2")
        type_at_once(at, "r", *"para", "enter")
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, stall)
        await done(at)
        assert at.no == FULL
        assert reason_of(at.cell, at.cell.corrections[-1]) == "paraphrase counts"


async def test_a_key_that_comes_after_the_last_screen_has_closed_is_for_nobody(
    tmp_path,
):
    async with sitting(tmp_path, at=FULL) as at:
        pass
    await at.app.on_event(Key("d", "d"))
    assert at.app.key_queue.is_empty


async def test_a_key_that_took_long_is_not_done_again_at_the_next(at):
    first, second = Key("d", "d"), Key("j", "j")
    first.time -= LONG_AGO
    at.app.post_message(first)
    at.app.post_message(second)
    await done(at)
    assert len(at.cell.edits) == 1
