"""The gate: what a server takes is found out and kept to; one clock for all who ask a server that answers nobody."""

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.judges.rate_limiter import (
    Budget,
    GivenUp,
    Limits,
    Patience,
    RateLimiter,
    Waiting,
    duration_text,
)
from virtual_time import in_virtual_time


class Crowd:
    """Requests that pass one limiter, and how many were under way at most."""

    def __init__(self, limiter):
        self.limiter = limiter
        self.busy = self.most = 0
        self.passed = []

    async def request(self, name=None, seconds=0.001, *, size=0):
        async with self.limiter.passing(size) as slot:
            self.passed.append(name)
            self.busy += 1
            self.most = max(self.most, self.busy)
            try:
                await asyncio.sleep(seconds)
            finally:
                self.busy -= 1
            self.limiter.answered(slot)

    async def requests(self, count, seconds=0.001):
        await asyncio.gather(*(self.request(n, seconds) for n in range(count)))


def full(limiter, at_once, seconds):
    """The server turns a whole round of requests away."""

    async def turned_away():
        async with limiter.passing() as slot:
            await asyncio.sleep(0)
            limiter.pause_all(slot, seconds)

    return asyncio.gather(*(turned_away() for _ in range(at_once)))


@in_virtual_time
async def test_no_more_pass_at_once_than_the_limit():
    crowd = Crowd(RateLimiter(Limits(concurrency=5)))
    await crowd.requests(40)
    assert crowd.most == 5


@in_virtual_time
async def test_the_limit_is_reached_step_by_step():
    crowd = Crowd(RateLimiter(Limits(concurrency=32)))
    first = asyncio.gather(
        *(crowd.request(n, 0.01) for n in range(16)),
        crowd.request("one more", 0.01),
    )
    await asyncio.sleep(0)
    assert crowd.busy == 16
    await first
    await crowd.requests(300, 0.01)
    assert crowd.most == 32


async def test_requests_pass_in_the_order_they_came_whoever_was_turned_away_before():
    crowd = Crowd(RateLimiter(Limits(concurrency=1)))
    names = ("first", "second", "turned away", "third")
    under_way = [asyncio.create_task(crowd.request(name)) for name in names]
    await asyncio.gather(*under_way)
    assert crowd.passed == list(names)


@in_virtual_time
async def test_a_pause_holds_everyone_for_the_time_named_and_little_more():
    limiter = RateLimiter(Limits(concurrency=50))
    await full(limiter, 1, 10)
    assert 10 <= limiter.closed_for <= 16
    started = time.monotonic()
    await Crowd(limiter).request()
    assert 10 <= time.monotonic() - started <= 17


@in_virtual_time
async def test_a_round_of_refusals_halves_once():
    limiter = RateLimiter(Limits(concurrency=8))
    crowd = Crowd(limiter)
    await full(limiter, 8, 0.01)
    waiting = asyncio.gather(*(crowd.request(n, 0.05) for n in range(8)))
    await asyncio.sleep(0.03)  # the pause is over, and none of them is
    assert crowd.busy == 4
    await waiting


@in_virtual_time
async def test_what_may_pass_is_half_of_what_was_under_way_not_of_what_might_have_been():
    limiter = RateLimiter(Limits(concurrency=8))
    await full(limiter, 2, 0.01)
    crowd = Crowd(limiter)
    waiting = asyncio.gather(*(crowd.request(n, 0.05) for n in range(8)))
    await asyncio.sleep(0.03)
    assert crowd.busy == 1
    await waiting


@in_virtual_time
async def test_after_refusals_a_round_of_answers_lets_one_more_through():
    limiter = RateLimiter(Limits(concurrency=8))
    await full(limiter, 8, 0.0)
    crowd = Crowd(limiter)
    await crowd.requests(5)
    assert crowd.most in (4, 5)
    await crowd.requests(12)
    assert crowd.most in (5, 6)


@pytest.mark.parametrize(("every", "at_least"), [(10, 28), (3, 1)])
@in_virtual_time
async def test_a_tenth_turned_away_while_others_are_answered_costs_little_and_a_third_much(
    every,
    at_least,
):
    limiter = RateLimiter(Limits(concurrency=32))
    asked = busy = most = 0

    async def request():
        nonlocal asked, busy, most
        async with limiter.passing() as slot:
            asked += 1
            is_stray = asked % every == 0
            busy += 1
            if asked > 1000:
                most = max(most, busy)
            await asyncio.sleep(0.1)
            busy -= 1
            if is_stray:
                limiter.send_fewer()
            else:
                limiter.answered(slot)

    await asyncio.gather(*(request() for _ in range(2000)))
    assert at_least <= most <= at_least + 4


async def test_one_at_a_time_always_passes():
    limiter = RateLimiter(Limits(concurrency=4))
    for _ in range(9):
        await full(limiter, 1, 0.0)
    crowd = Crowd(limiter)
    await crowd.request()
    assert crowd.passed == [None]


@in_virtual_time
async def test_who_gives_up_waiting_leaves_no_trace():
    limiter = RateLimiter(Limits(concurrency=1))
    crowd = Crowd(limiter)
    one = asyncio.create_task(crowd.request("one", 0.02))
    others = [asyncio.create_task(crowd.request(n, 3600)) for n in range(3)]
    await asyncio.sleep(0)
    assert crowd.busy == 1
    for other in others:
        other.cancel()
    await asyncio.gather(one, *others, return_exceptions=True)
    await crowd.requests(3)
    assert crowd.most == 1


async def test_who_gives_up_just_as_the_gate_opens_leaves_room():
    limiter = RateLimiter(Limits(concurrency=1))
    crowd = Crowd(limiter)
    async with limiter.passing():
        next_one = asyncio.create_task(crowd.request("next", 3600))
        await asyncio.sleep(0)
    next_one.cancel()
    await asyncio.gather(next_one, return_exceptions=True)
    await crowd.requests(2)
    assert crowd.passed == [0, 1]


@in_virtual_time
async def test_a_minute_s_requests_pass_at_once_and_the_rest_as_time_goes_by():
    crowd = Crowd(RateLimiter(Limits(concurrency=50, rpm=600)))
    crowd.limiter._requests.spend(595)
    started = time.monotonic()
    await crowd.requests(10)
    assert time.monotonic() - started == pytest.approx(0.5, abs=0.1)


async def test_tokens_are_guessed_before_and_put_right_after():
    limiter = RateLimiter(Limits(tpm=6000))
    async with limiter.passing(1000) as slot:
        guessed = slot.tokens
        limiter.answered(slot, 3000)
    async with limiter.passing(1000) as slot:
        assert slot.tokens > guessed
    assert limiter._tokens.wait(3000) > 0


async def test_what_is_more_than_a_minute_s_tokens_passes_all_the_same():
    crowd = Crowd(RateLimiter(Limits(tpm=100)))
    await crowd.request("long", size=100_000)
    assert crowd.passed == ["long"]


async def test_a_request_knows_whether_anybody_was_answered_since():
    limiter = RateLimiter(Limits(concurrency=2))
    async with limiter.passing() as one, limiter.passing() as other:
        assert limiter.is_silent(one)
        limiter.answered(other)
        assert not limiter.is_silent(one)


def test_a_gate_serves_one_loop_after_the_other():
    limiter = RateLimiter(Limits(concurrency=1, rpm=6000))
    for _ in range(2):
        asyncio.run(Crowd(limiter).requests(3))


@given(st.floats(1, 1e6), st.lists(st.floats(0, 1e6), max_size=20))
def test_a_budget_never_holds_more_than_a_minute_s_worth(per_minute, spent):
    budget = Budget(per_minute)
    for amount in spent:
        budget.spend(-amount)
    assert budget.wait(per_minute * 2) == pytest.approx(0, abs=1e-6)


# -- patience --------------------------------------------------------------------------------------


async def insisting(limiter, answers):
    """Asks until there is an answer; `answers` says of each request whether one came."""
    async with limiter.patience.lasting():
        while True:
            async with limiter.passing() as slot:
                await asyncio.sleep(5)
                if answers():
                    limiter.answered(slot)
                    return
                limiter.pause_all(slot, 1)


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
@pytest.mark.parametrize(("was_reached", "seconds"), [(False, 15), (True, 600)])
async def test_a_server_that_was_never_reached_has_less_time_than_one_that_once_was(
    was_reached,
    seconds,
):
    limiter, started = RateLimiter(Limits(4)), time.monotonic()
    if was_reached:
        limiter.patience.note_connection()

    def refuses():
        limiter.patience.note_no_connection()
        return False

    asking = (insisting(limiter, refuses) for _ in range(9))
    results = await asyncio.gather(*asking, return_exceptions=True)
    assert given_up(results) == [True] * 9
    assert time.monotonic() - started == pytest.approx(seconds, abs=0.01)


@in_virtual_time
async def test_a_server_that_is_reached_after_all_has_the_whole_time():
    limiter, started = RateLimiter(Limits(1, patience=60)), time.monotonic()

    def refuses_at_first():
        if time.monotonic() - started < 8:
            limiter.patience.note_no_connection()
        else:
            limiter.patience.note_connection()
        return False

    with pytest.raises(GivenUp):
        await insisting(limiter, refuses_at_first)
    assert time.monotonic() - started == pytest.approx(60, abs=0.01)


@in_virtual_time
async def test_a_connection_that_takes_long_is_given_up_as_soon_as_it_failed():
    limiter, started = RateLimiter(Limits(1)), time.monotonic()

    async def connecting():
        async with limiter.patience.lasting(), limiter.passing():
            await asyncio.sleep(20)
            limiter.patience.note_no_connection()
            await asyncio.Event().wait()

    assert given_up(await asyncio.gather(connecting(), return_exceptions=True)) == [
        True,
    ]
    assert time.monotonic() - started == pytest.approx(20, abs=0.01)


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
    limiter.patience.latest_failure = Waiting(
        trouble="answered 429",
        status=429,
        asked=1,
    )
    waiting = limiter.patience.waiting("here")
    assert (waiting.host, waiting.trouble, waiting.status) == (
        "here",
        "answered 429",
        429,
    )
    assert waiting.asked == 1
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
    ("seconds", "told"),
    [
        (600, "10m"),
        (90, "90s"),
        (7200, "2h"),
        (0.5, "0.5s"),
        (1234567, "1234567s"),
        (0.1 + 0.2, "0.3s"),
    ],
)
def test_patience_is_told_as_it_is_set(seconds, told):
    assert duration_text(seconds) == told
