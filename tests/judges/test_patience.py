"""One clock for all who ask a server: what it answers in place of a good answer does not matter."""

import asyncio
import time

import pytest

from appellate.judges.rate_limiter import GivenUp, Limits, Met, Patience, RateLimiter, spelt
from virtual_time import in_virtual_time


async def insisting(limiter, answers):
    """Asks until there is an answer; `answers` says of each request whether one came."""
    async with limiter.patience.lasting():
        while True:
            async with limiter.passing() as slot:
                await asyncio.sleep(5)
                if answers():
                    slot.answered()
                    return
                slot.refused(1)


def given_up(results):
    return [isinstance(result, GivenUp) for result in results]


@in_virtual_time
async def test_a_server_that_answers_nobody_is_given_up_by_all_at_once():
    limiter, started = RateLimiter(Limits(4, patience=60)), time.monotonic()
    asking = (insisting(limiter, lambda: False) for _ in range(9))
    results = await asyncio.gather(*asking, return_exceptions=True)
    assert given_up(results) == [True] * 9
    assert time.monotonic() - started == pytest.approx(60, abs=0.01)
    with pytest.raises(GivenUp):
        await insisting(limiter, lambda: True)


@in_virtual_time
async def test_who_waits_for_an_answer_is_given_up_with_who_waits_for_a_turn_and_who_sleeps():
    limiter, started = RateLimiter(Limits(1, patience=60)), time.monotonic()

    async def hanging():
        async with limiter.patience.lasting(), limiter.passing():
            await asyncio.Event().wait()

    async def asleep():
        async with limiter.patience.lasting():
            await asyncio.sleep(3600)

    asking = (hanging(), hanging(), asleep())
    assert given_up(await asyncio.gather(*asking, return_exceptions=True)) == [True] * 3
    assert time.monotonic() - started == pytest.approx(60, abs=0.01)


@in_virtual_time
async def test_one_good_answer_a_minute_keeps_everybody_waiting():
    limiter, asked = RateLimiter(Limits(2, patience=60)), 0

    def rarely():
        nonlocal asked
        asked += 1
        return asked % 8 == 0

    asking = (insisting(limiter, rarely) for _ in range(20))
    assert await asyncio.gather(*asking) == [None] * 20


@in_virtual_time
async def test_time_in_which_nothing_is_asked_does_not_count():
    limiter = RateLimiter(Limits(patience=60))
    for _ in range(3):
        await insisting(limiter, lambda: True)
        await asyncio.sleep(3600)


@in_virtual_time
async def test_it_is_known_since_when_nobody_was_answered_and_when_that_ends():
    limiter = RateLimiter(Limits(patience=60))
    assert limiter.patience.waiting("here") is None
    asking = asyncio.create_task(insisting(limiter, lambda: False))
    await asyncio.sleep(20)
    limiter.patience.met = Met("answered 429", 429, 1)
    waiting = limiter.patience.waiting("here")
    assert (waiting.host, waiting.trouble, waiting.status, waiting.asked) == (
        "here",
        "answered 429",
        429,
        1,
    )
    assert (waiting.silent, waiting.left) == pytest.approx((20, 40), abs=0.01)
    assert waiting.is_long
    with pytest.raises(GivenUp):
        await asking


@in_virtual_time
async def test_a_time_out_within_it_stays_one():
    async def hasty():
        async with Patience(60).lasting(), asyncio.timeout(1):
            await asyncio.sleep(2)

    with pytest.raises(TimeoutError):
        await hasty()


def test_patience_serves_one_loop_after_the_other():
    limiter = RateLimiter(Limits(patience=60))
    for _ in range(2):
        with pytest.raises(GivenUp):
            in_virtual_time(insisting)(limiter=limiter, answers=lambda: False)
        limiter.patience.renew()


@pytest.mark.parametrize(
    ("seconds", "told"), [(600, "10m"), (90, "90s"), (7200, "2h"), (0.5, "0.5s")]
)
def test_patience_is_told_as_it_is_set(seconds, told):
    assert spelt(seconds) == told
