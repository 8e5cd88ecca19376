"""The judge behind any OpenAI-compatible endpoint: carries a dialogue's prompts and replies.

What the server cannot do is learnt from its own words (`capabilities`), trouble that passes is
waited for (`RetryPolicy`), all requests pass one gate, and what is known already is not asked
again (`reply_cache`).
"""

import asyncio
import json
import os
import random
import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.kind import Table
from appellate.judges.capabilities import BAD_REQUEST, Capabilities, is_limit_too_large
from appellate.judges.client import Answer, Connection, describe_no_client
from appellate.judges.completion import (
    LONGEST_RAW,
    NO_CONNECTION,
    REDIRECTS,
    Completion,
    Trouble,
    api_of,
    read,
)
from appellate.judges.endpoint import Endpoint, access, body_without_key, secretless, without_key
from appellate.judges.overlong import describe_cut, refused_for_length, was_cut
from appellate.judges.proposal import JudgmentFailed, Proposal, Question
from appellate.judges.rate_limiter import GivenUp, RateLimiter, Slot, Waiting, spelt
from appellate.judges.reply_cache import Cache, ReplyCache
from appellate.judges.request import (
    PATHS,
    Request,
    UsageSoFar,
    limited_by,
    request,
    sent,
    total,
)
from appellate.talk.dialogue import Dialogue, Prompt, Reply, Unreadable

_FINAL = (*REDIRECTS, 401, 402, 403, 404, 407)
_RETRIED = (0, 200, 408, 409, 425, 429)
_SERVER_ERROR = 500
_CHANCE = random.Random()  # noqa: S311 - jitter, not a secret
_DOUBLED = 32
_NEVER_BETTER = (501, 505)
_LIMITED = 429
_BUSY = (_LIMITED, 503, 529)
_NO_CREDIT = ("insufficient_quota", "exceeded your current quota", "billing_hard_limit")


class RetryPolicy(Struct, frozen=True):
    """Bounds on asking again about one cell: attempts, and the first wait and the longest.

    A server that never answered is likely to be the wrong address and gets few attempts. How
    long it is waited for is a matter of `Patience`.
    """

    attempts: int = 5
    attempts_unanswered: int = 3
    attempts_busy: int = 30
    first: float = 0.5
    longest: float = 30.0

    def wait(self, times: int) -> float:
        """Seconds to wait after so many attempts: they double with each."""
        return min(self.first * 2.0 ** min(max(0, times - 1), _DOUBLED), self.longest)


def is_final(trouble: Trouble) -> bool:
    """Whether every other cell would meet the same: no access, no such model, no credit."""
    about = f"{trouble.code} {trouble.message}".lower()
    return trouble.status in _FINAL or any(word in about for word in _NO_CREDIT)


def is_busy(trouble: Trouble) -> bool:
    return trouble.status in _BUSY or (trouble.wait is not None and is_passing(trouble))


def is_passing(trouble: Trouble) -> bool:
    """Whether the same request may succeed later."""
    if trouble.status in _NEVER_BETTER:
        return False
    return trouble.status in _RETRIED or trouble.status >= _SERVER_ERROR


class Retries:
    """The attempts at one request so far."""

    def __init__(self, policy: RetryPolicy, limiter: RateLimiter) -> None:
        self._policy = policy
        self._limiter = limiter
        self._attempts = 0
        self._first: Slot | None = None

    def after(self, trouble: Trouble, slot: Slot, *, answered: bool) -> float | None:
        """The seconds to wait before asking again; None where that is enough.

        While a server that once `answered` answers nobody, that is not held against a cell.
        """
        self._first = self._first or slot
        if is_final(trouble) or not is_passing(trouble):
            return None
        most = self._policy.attempts_unanswered
        if is_busy(trouble):
            most = self._policy.attempts_busy
        elif answered:
            most = self._policy.attempts
        is_waited_for = answered or not self._limiter.patience.was_reached
        excused = is_busy(trouble) or (trouble.unreachable and is_waited_for)
        if not (excused and self._limiter.is_silent(self._first)):
            self._attempts += 1
        if self._attempts >= most:
            return None
        # give or take a quarter: workers do not march in step
        steady = self._policy.wait(self._attempts) * _CHANCE.uniform(0.75, 1.25)
        return max(trouble.wait or 0.0, steady)


_NO_ACCESS = 401
_NO_KEY = (
    "No key was sent: OPENAI_API_KEY goes to OpenAI's server alone; --api-key-env names the"
    " variable that holds another's."
)


class OpenAIJudge:
    """Asks one model at one endpoint; what the server can do is learnt once for all cells."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        policy: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
        environ: Mapping[str, str] = os.environ,
        cache: Cache | None = None,
        sample: int = 0,
        limiter: RateLimiter | None = None,
        keyless: bool = False,
    ) -> None:
        """Raises Refused where the URL, a parameter or the key's variable cannot be used.

        `sample` tells apart times that a panel asks one model; `keyless`: nothing will be sent.
        """
        self.name = endpoint.model
        self.endpoint = endpoint
        self._access = access(endpoint, environ, keyless=keyless)
        self.host = self._access.host
        self._policy = policy
        self._sample = sample
        self._replies = ReplyCache(cache, endpoint, self._access.url, self._sample)
        self.limiter = limiter or RateLimiter()
        self._connection = Connection(
            self._access,
            endpoint.timeout,
            self.limiter.limits.concurrency,
            self.limiter.patience.reached,
        )
        self._answered = False

    @cached_property
    def _capabilities(self) -> Capabilities:
        """What the server can do: as an earlier session learnt it, and since as it turns out."""
        return self._replies.abilities()

    async def judge(self, question: Question) -> Proposal:
        """The model's labels; raises JudgmentFailed with a reason and what was spent on it."""
        usage = UsageSoFar(self.endpoint, question.briefing.shown)
        lower = 0
        while True:
            reply_format = self._capabilities.reply_format
            try:
                labels = await self._converse(question.dialogue(), usage, lower)
            except Unreadable as failure:
                await self._replies.drop(usage.new)
                if self._capabilities.reply_format == reply_format and not usage.known:
                    if (
                        not failure.unread
                        or self._capabilities.plainer(lower).reply_format == "text"
                    ):
                        raise self._unreadable(failure, usage) from None
                    lower += 1
                usage.forget()
            else:
                await self._replies.learn(self._capabilities)
                return Proposal(labels, usage.record(self._access.url))

    def request(self, prompt: Prompt) -> dict[str, Any]:
        """The body of the request for a first prompt, as it would be sent now; nothing is sent."""
        return request(self.endpoint, self._capabilities.for_prompt(prompt), prompt).body

    def from_kept(self, question: Question) -> Proposal:
        """Return the model's labels by the replies that are kept, without asking.

        Raises JudgmentFailed where a reply is lacking, or those that are kept are no judgment.
        """
        usage = UsageSoFar(self.endpoint, question.briefing.shown)
        conversation = question.dialogue()
        try:
            prompt = next(conversation)
            while True:
                able = self._capabilities.for_prompt(prompt)
                asked = request(self.endpoint, able, prompt)
                reply = self._recalled(prompt, asked, able, usage)
                if reply is None:
                    raise JudgmentFailed("Nobody was asked: no reply is saved.")
                prompt = conversation.send(self._listened(reply, prompt, usage))
        except StopIteration as end:
            return Proposal(end.value, usage.record(self._access.url))
        except Unreadable as failure:
            raise self._unreadable(failure, usage) from None

    def asks_in_lists(self, prompt: Prompt) -> bool:
        """Whether such a request asks for a list of answers."""
        return not self._capabilities.holds(prompt)

    @property
    def path(self) -> str:
        """Where such requests go, below the base URL."""
        return PATHS[self._capabilities.api]

    def replayed(self, question: Question, body: bytes | Table, sent: str = "") -> Proposal:
        """What an answer to the first request stands for, where it was asked in some other way.

        `sent` begins the hash of its prompt, if known. Raises JudgmentFailed.
        """
        usage = UsageSoFar(self.endpoint, question.briefing.shown)
        raw = body
        if not isinstance(raw, bytes):
            raw = json.dumps(raw).encode()
        raw = body_without_key(raw, self._access.key)
        conversation = question.dialogue()
        prompt = next(conversation)
        listed = not prompt.sha256().startswith(sent)
        below = 0 if listed else None
        usage.asking(prompt, replace(self._capabilities, fields_below=below))
        completion = read(raw, {}, api_of(raw))
        if isinstance(completion, Trouble):
            refusal = refused_for_length(completion)
            reason = f"This is no judgment: {completion.message}"
            if refusal:
                reason = refusal.describe(self.name, prompt)
            raise self._failure(reason, completion.raw, usage)
        usage.pay(completion)
        try:
            labels = _merged(conversation, self._listened(completion, prompt, usage))
        except Unreadable as failure:
            raise self._failure(failure.reason, failure.raw, usage) from None
        return Proposal(labels, usage.record(self._access.url))

    @property
    def waiting(self) -> Waiting | None:
        """How it is with the server where it answers nobody just now."""
        return self.limiter.patience.waiting(self.host)

    def secretless(self, text: str) -> str:
        return secretless(text, self._access.key)

    async def close(self) -> None:
        self.limiter.patience.renew()
        await self._replies.close()
        await self._connection.close()

    async def _converse(
        self, conversation: Dialogue[dict[str, Any]], usage: UsageSoFar, lower: int
    ) -> dict[str, Any]:
        """Carries prompts and replies, in a format so much `lower`, until there is a table."""
        prompt = next(conversation)
        while True:
            completion, reply_format = await self._completion(prompt, usage, lower)
            reply = self._listened(completion, prompt, usage)
            await self._replies.keep(usage.new)
            try:
                prompt = conversation.send(reply)
            except StopIteration as end:
                self._received(reply_format, malformed=False)
                table: dict[str, Any] = end.value
                return table
            except Unreadable:
                self._received(reply_format, malformed=not completion.cut)
                raise
            if prompt.why != "cut":
                self._received(reply_format, malformed=prompt.why == "unreadable")

    def _listened(self, completion: Completion, prompt: Prompt, usage: UsageSoFar) -> Reply:
        """The model's reply; raises JudgmentFailed where more asking would not change it."""
        if was_cut(prompt, completion.tokens_in, completion.cached or 0):
            reason = describe_cut(self.name, prompt, completion.tokens_in)
            raise self._failure(reason, completion.text, usage)
        if completion.refusal:
            words = " ".join(completion.refusal.split())[:300]
            raise self._failure(f"The model refused: {words}", completion.refusal, usage)
        if completion.filtered:
            reason = "The server's content filter stopped the reply."
            if completion.filtered.casefold() != "content_filter":
                reason = f"The server's content filter stopped the reply: {completion.filtered}."
            raise self._failure(reason, completion.text, usage)
        if completion.stopped:
            reason = f"The server stopped the reply before its first word: {completion.stopped}."
            raise self._failure(reason, completion.text, usage, general=True)
        limit = limited_by(self.endpoint, self._capabilities)
        if completion.cut and self._fills_context(completion):
            reason = (
                f"The reply was cut: with a request of {completion.tokens_in:,} tokens it fills the"
                f" context of {self.endpoint.context:,} that {self.name} has by its profile."
            )
            raise self._failure(reason, completion.text, usage)
        if completion.cut and limit:
            reason = f"The reply was cut by the token limit that {limit} sets."
            raise self._failure(reason, completion.text, usage, general=True)
        text = completion.text  # its parts may make up the key
        key = self._access.key
        return Reply(without_key(text, key), completion.cut, completion.unread)

    def _fills_context(self, completion: Completion) -> bool:
        """Whether a request and its reply are as long as the model's context, where it is known."""
        context = self.endpoint.context
        if context is None or completion.tokens_in is None or completion.tokens_out is None:
            return False
        return completion.tokens_in + completion.tokens_out >= context

    def _received(self, reply_format: str, *, malformed: bool) -> None:
        if self._capabilities.reply_format == reply_format:
            self._capabilities = self._capabilities.received(malformed=malformed)

    async def _completion(
        self, prompt: Prompt, usage: UsageSoFar, lower: int
    ) -> tuple[Completion, str]:
        """One completion, and in which format; raises JudgmentFailed."""
        patience = self.limiter.patience
        try:
            async with patience.lasting():
                return await self._insisted(prompt, usage, lower)
        except GivenUp:
            reason = f"{self.host} gave nobody a good answer within --patience"
            reason += f" {spelt(patience.seconds)}: it {patience.met.trouble or 'stayed silent'}"
            if not patience.was_reached and patience.met.trouble:
                tried = f"It was tried for {spelt(patience.allowed)}; --patience sets another time."
                reason = f"{self.host} {patience.met.trouble.rstrip('. ')}. {tried}"
            raise self._failure(reason, "", usage, final=True) from None

    async def _insisted(
        self, prompt: Prompt, usage: UsageSoFar, lower: int
    ) -> tuple[Completion, str]:
        """One completion, over as many attempts as one cell has; raises JudgmentFailed."""
        retries = Retries(self._policy, self.limiter)
        unlimited = False
        while True:
            able = self._capabilities.for_prompt(prompt).plainer(lower)
            if unlimited:
                able = replace(able, limit=None)
            asked = request(self.endpoint, able, prompt)
            known = self._recalled(prompt, asked, able, usage)
            if known:
                return known, able.reply_format
            usage.asking(prompt, able)
            outcome, slot = await self._attempt(prompt, asked, usage)
            if isinstance(outcome, Completion):
                usage.pay(outcome)
                return outcome, able.reply_format
            refusal = refused_for_length(outcome)
            if able.limit and (refusal or is_limit_too_large(outcome)):
                unlimited = True
                continue
            if refusal:
                reason = refusal.describe(self.name, prompt)
                raise self._failure(reason, outcome.raw, usage)
            better = able.after(outcome, prompt, sent(self.endpoint, able))
            self._capabilities = self._capabilities.learning(able, better)
            now = self._capabilities.for_prompt(prompt).plainer(lower)
            if able not in (better, now):  # another worker may have learnt it already
                continue
            wait = retries.after(outcome, slot, answered=self._answered)
            if wait is None or self._is_beyond(outcome):
                raise self._given_up(outcome, usage)
            if not slot.is_pausing:
                await asyncio.sleep(wait)

    def _recalled(
        self, prompt: Prompt, asked: Request, able: Capabilities, usage: UsageSoFar
    ) -> Completion | None:
        """The answer in the cache, also one to the same request without a token limit."""
        if self._replies.blank or not usage.recalling:
            return None
        completion = self._replies.reply(asked)
        if completion is None and able.limit:
            able = replace(able, limit=None)
            completion = self._replies.reply(request(self.endpoint, able, prompt))
        if completion:
            usage.known += 1
            usage.hear(completion)
            usage.asking(prompt, able)
        return completion

    async def _attempt(
        self, prompt: Prompt, asked: Request, usage: UsageSoFar
    ) -> tuple[Completion | Trouble, Slot]:
        try:
            client = await self._connection.opened()
        except (ValueError, ImportError, OSError) as error:  # the environment allows of none
            raise self._failure(
                describe_no_client(self.host, error), "", usage, final=True
            ) from error
        async with self.limiter.passing(len(prompt.system) + len(prompt.user)) as slot:
            started = time.monotonic()
            usage.requests += 1
            answer = await self._connection.post(client, PATHS[asked.api], asked.body)
            usage.latency = (usage.latency or 0.0) + time.monotonic() - started
            outcome = self._read(asked, answer, usage)
            if isinstance(outcome, Completion):
                self.limiter.answered(slot, total(outcome.tokens_in, outcome.tokens_out))
            elif not refused_for_length(outcome):
                # while its place is taken: who waits for it would ask a full server
                self._meet(outcome, slot)
        self._answered |= isinstance(outcome, Completion) or outcome.status != 0
        return outcome, slot

    def _read(
        self, asked: Request, answer: Answer | Trouble, usage: UsageSoFar
    ) -> Completion | Trouble:
        if isinstance(answer, Trouble):
            outcome: Completion | Trouble = answer
        else:
            outcome = read(answer.body, answer.headers, asked.api)
            if isinstance(outcome, Completion):
                usage.new |= self._replies.entry(asked, answer.body)
        if isinstance(outcome, Trouble) and outcome.garbled:
            return Completion(outcome.raw, unread=outcome.message)
        return outcome

    def _meet(self, trouble: Trouble, slot: Slot) -> None:
        """Stops everyone where trouble concerns every request: nobody is answered, or a limit.

        Nobody waits for longer than patience lasts.
        """
        limiter = self.limiter
        met = Waiting(trouble=self._worded(trouble), status=trouble.status, asked=trouble.wait)
        limiter.patience.met = met
        if trouble.code == NO_CONNECTION:
            limiter.patience.unreached()
        if self._is_beyond(trouble):
            return
        is_for_all = limiter.is_silent(slot) and (is_busy(trouble) or trouble.unreachable)
        if trouble.status == _LIMITED:
            is_for_all = not is_final(trouble)
        if is_for_all:
            steady = self._policy.wait(limiter.pauses + 1)
            if trouble.wait is not None:
                steady = max(trouble.wait, self._policy.first)
            limiter.refused(slot, steady)
        elif is_busy(trouble):
            limiter.turned_away()

    def _is_beyond(self, trouble: Trouble) -> bool:
        """Whether a server asks for more patience than is left."""
        return (trouble.wait or 0.0) > self.limiter.patience.left

    def _given_up(self, trouble: Trouble, usage: UsageSoFar) -> JudgmentFailed:
        reason = f"{self.host} {self._worded(trouble)}"
        advice = ""
        if self._is_beyond(trouble):
            patience = spelt(self.limiter.patience.seconds)
            advice = f"That is more than is left of --patience {patience}."
        if trouble.status == _NO_ACCESS and self._access.key is None:
            advice = _NO_KEY
        if advice:
            reason = f"{reason.rstrip('. ')}. {advice}"
        nobody_there = trouble.unreachable and not self._answered
        final = is_final(trouble) or self._is_beyond(trouble) or nobody_there
        general = trouble.status in BAD_REQUEST
        return self._failure(reason, trouble.raw, usage, final=final, general=general)

    def _worded(self, trouble: Trouble) -> str:
        """What a server did in place of answering."""
        if trouble.code == NO_CONNECTION:
            return self.secretless(f"cannot be reached: {trouble.message}")
        text = "gave no answer"
        if trouble.status:
            text = f"answered {trouble.status}"
        if trouble.wait:
            text += f", and asks to wait {trouble.wait:.0f} s"
        return self.secretless(f"{text}: {trouble.message or 'no reason given'}")

    def _unreadable(self, failure: Unreadable, usage: UsageSoFar) -> JudgmentFailed:
        """What many other cells may meet: that a model keeps to no shape it has of itself."""
        return self._failure(failure.reason, failure.raw, usage, general=failure.shapeless)

    def _failure(self, reason: str, raw: str, usage: UsageSoFar, **more: bool) -> JudgmentFailed:
        raw = self.secretless(raw)[:LONGEST_RAW]
        record = usage.record(self._access.url)
        return JudgmentFailed(self.secretless(reason), raw, record, requests=usage.requests, **more)


def _merged(conversation: Dialogue[dict[str, Any]], reply: Reply) -> dict[str, Any]:
    """What a dialogue makes of one reply and no second answer; raises Unreadable."""
    found = reply
    try:
        while True:
            prompt = conversation.send(found)
            if prompt.why == "cut":
                raise Unreadable("The reply was cut by the token limit.", reply.text)
            found = reply
            if prompt.why == "further":
                found = Reply("")
    except StopIteration as end:
        table: dict[str, Any] = end.value
        return table
