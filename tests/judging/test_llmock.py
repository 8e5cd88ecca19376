"""Manners, as the server `llmock` of others sees them: its verdict on the client has to pass, strictly."""

import pytest

pytest.importorskip("llmock", reason="llmock is part of the test extra")

from test_questions import Inbox, questions

from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge, RetryPolicy
from appellate.judges.proposal import answer_all
from appellate.judges.rate_limiter import Limits, RateLimiter

pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
)


async def judged(llmock, count, concurrency):
    """What came of so many cells."""
    inbox = Inbox()
    endpoint = Endpoint("gpt-4o-mini", llmock.base_url(), "OPENAI_API_KEY")
    judge = OpenAIJudge(
        endpoint,
        policy=RetryPolicy(first=0.05),
        limiter=RateLimiter(Limits(concurrency)),
    )
    await answer_all(judge, questions(count), concurrency, inbox)
    await judge.close()
    return inbox


@pytest.mark.slow
async def test_rate_limits_and_faults_are_met_as_llmock_wants_it(llmock):
    llmock.rate_limit(times=5, retry_after=0.2).fail(
        503,
        times=2,
        retry_after=0.1,
    ).fail(500, times=2).fail(502)
    inbox = await judged(llmock, 12, 4)
    assert (len(inbox), inbox.failed) == (12, [])
    llmock.assert_resilient(strict=True)


async def test_what_can_never_succeed_is_not_asked_again(llmock):
    llmock.fail(401, times=None, message="Incorrect API key provided.")
    inbox = await judged(llmock, 30, 4)
    assert len(inbox.failed) == 30
    assert len(llmock.requests) < 12
    llmock.assert_resilient(strict=True)
