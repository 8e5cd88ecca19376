"""A judge in front of a scripted server, and what it is asked about."""

import pytest

from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge, RetryPolicy
from appellate.judges.proposal import JudgmentFailed, Question
from appellate.traits.metric import KIND
from appellate.traits.metric.spec import MetricRubricTrait
from loopback import Loopback, truthful

QUICK = RetryPolicy(first=0.002, longest=0.01, attempts_busy=6)


def about(response, **trait):
    trace = Trace(id="t", question="What is BCL2?", response=response)
    return Subject(KIND, MetricRubricTrait(name="BCL2", **trait), trace)


GENE = about(
    "BCL2 is a gene.",
    metrics=["recall"],
    tp_instructions=["Mentions a BCL2 gene", "Names a drug"],
)
WHERE = about(
    "BCL2 is a gene. It is located on chromosome 1.",
    evaluation_mode="full_matrix",
    metrics=["f1"],
    tp_instructions=["Mentions a BCL2 gene", "Located on chromosome 18"],
    tn_instructions=["Located on chromosome 1"],
)


class Asking:
    """`judge` has what the judge is made with, `wishes` are its endpoint's."""

    def __init__(
        self,
        script=truthful,
        *,
        of=GENE,
        judge=None,
        responses=False,
        **wishes,
    ):
        self.server = Loopback(script, responses=responses)
        self._of, self._wishes = of, {"model": "m"} | wishes
        self._made_with = {"policy": QUICK, "environ": {}} | (judge or {})

    async def __aenter__(self):
        await self.server.__aenter__()
        endpoint = Endpoint(base_url=self.server.url, **self._wishes)
        self.judge = OpenAIJudge(endpoint, **self._made_with)
        return self

    async def __aexit__(self, *_):
        await self.judge.close()
        await self.server.__aexit__()

    async def judged(self, of=None):
        subject = of or self._of
        return await self.judge.judge(Question(subject, subject.trace))

    async def failure(self):
        with pytest.raises(JudgmentFailed) as failed:
            await self.judged()
        return failed.value.failure

    @property
    def bodies(self):
        return [asked.body for asked in self.server.asked]

    @property
    def paths(self):
        return [asked.path.removeprefix("/v1") for asked in self.server.asked]

    @property
    def formats(self):
        return [asked.rung for asked in self.server.asked]
