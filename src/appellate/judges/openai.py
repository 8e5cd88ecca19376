"""The judge behind any OpenAI-compatible endpoint.

It carries the prompts and replies of a dialogue. It learns from the server's errors what the server
cannot do (`capabilities`). It waits for trouble that passes (`RetryPolicy`), all its requests pass
one gate (`rate_limiter`), and it does not ask again for a reply that is saved (`reply_cache`).
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
from appellate.judges.capabilities import (
    BAD_REQUEST,
    MOST_STEPS,
    Capabilities,
    ReplyFormat,
    from_saved,
    is_limit_too_large,
)
from appellate.judges.client import Connection, describe_no_client
from appellate.judges.completion import (
    LONGEST_RAW,
    NO_CONNECTION,
    REDIRECTS,
    Completion,
    Trouble,
    api_of,
    read,
)
from appellate.judges.endpoint import (
    Endpoint,
    access,
    body_without_key,
    secretless,
    without_key,
)
from appellate.judges.overlong import describe_cut, refused_for_length, was_cut
from appellate.judges.proposal import JudgmentFailed, Proposal, Question
from appellate.judges.rate_limiter import (
    GivenUp,
    RateLimiter,
    Slot,
    Waiting,
    duration_text,
)
from appellate.judges.reply_cache import ReplyCache, SavedReplies
from appellate.judges.request import (
    PATHS,
    Request,
    UsageSoFar,
    request,
    sent_params,
    total,
    user_limit,
)
from appellate.talk.dialogue import Dialogue, Prompt, Reply, Unreadable

_FINAL = (*REDIRECTS, 401, 402, 403, 404, 407)
"""Statuses that every other request would get, too."""
_RETRIED = (0, 200, 408, 409, 425, 429)
"""Statuses below 500 after which the same request may succeed; 0 stands for no answer."""
_SERVER_ERROR = 500
_JITTER = random.Random()  # noqa: S311 - no secret
_MOST_DOUBLINGS = 32
"""More would overflow, and the longest wait is reached long before."""
_NEVER_BETTER = (501, 505)
"""Statuses from 500 on that do not pass."""
_LIMITED = 429
_BUSY = (_LIMITED, 503, 529)
_NO_CREDIT = ("insufficient_quota", "exceeded your current quota", "billing_hard_limit")
"""Words of a server whose user has no credit."""


class RetryPolicy(Struct, frozen=True):
    """The limits on sending one request again: attempts and waits.

    How long a server may give no good answer at all is limited by `Patience`.
    """

    attempts: int = 5
    attempts_unanswered: int = 3
    """For a server that never answered: its address is probably wrong."""
    attempts_busy: int = 30
    """For a server that says it is busy."""
    first: float = 0.5
    """Seconds before the second attempt."""
    longest: float = 30.0
    """Seconds of the longest wait."""

    def wait(self, attempts: int) -> float:
        """Return the seconds to wait after `attempts` failed attempts.

        They are `first` after one attempt, twice as many after each further one, and never more
        than `longest`.
        """
        doublings = min(max(0, attempts - 1), _MOST_DOUBLINGS)
        return min(self.first * 2.0**doublings, self.longest)


def is_final(trouble: Trouble) -> bool:
    """Return whether every other cell would fail like this: no access, no such model, no credit.

    The status says so (401, 402, 403, 404, 407 or a redirection), or the server's words about
    credit, whatever the status.
    """
    message = f"{trouble.code} {trouble.message}".lower()
    return trouble.status in _FINAL or any(words in message for words in _NO_CREDIT)


def is_busy(trouble: Trouble) -> bool:
    """Return whether the server is busy: its status is 429, 503 or 529, or it asks to wait.

    Asking to wait does not count for a status after which the same request cannot succeed, such as
    400.
    """
    return trouble.status in _BUSY or (trouble.wait is not None and is_passing(trouble))


def is_passing(trouble: Trouble) -> bool:
    """Return whether the same request may succeed later, by the status of the trouble alone.

    It may after no answer (0), an answer with status 200 that was no completion, 408, 409, 425,
    429, and any status from 500 on other than 501 and 505.
    """
    if trouble.status in _NEVER_BETTER:
        return False
    return trouble.status in _RETRIED or trouble.status >= _SERVER_ERROR


class Retries:
    """The attempts at one request so far."""

    def __init__(self, policy: RetryPolicy, limiter: RateLimiter) -> None:
        """Begin to count the attempts at one request, without any yet."""
        self._policy = policy
        self._limiter = limiter
        self._attempts = 0
        self._first_slot: Slot | None = None

    def after(self, trouble: Trouble, slot: Slot, *, answered: bool) -> float | None:
        """Count a failed attempt, and return the seconds to wait before the next; None to give up.

        `slot` is that of the attempt. `answered` says whether the server ever answered a request,
        even with an error. None comes at once for trouble that is final or does not pass, and after
        as many attempts as the policy allows. It allows other numbers for a busy server and for one
        that never answered.

        An attempt is not counted if no request had a good answer since the first attempt, and the
        server is busy or cannot be reached: `Patience` limits how long that may last. For a server
        that was reached before and never answered, not being reached is counted. The seconds are
        those of the policy, a quarter more or less, and at least what the server asks for.
        """
        self._first_slot = self._first_slot or slot
        if is_final(trouble) or not is_passing(trouble):
            return None

        most_attempts = self._policy.attempts_unanswered
        if is_busy(trouble):
            most_attempts = self._policy.attempts_busy
        elif answered:
            most_attempts = self._policy.attempts

        is_waited_for = answered or not self._limiter.patience.was_reached
        is_limited_by_patience = self._limiter.is_silent(self._first_slot) and (
            is_busy(trouble) or (trouble.unreachable and is_waited_for)
        )
        if not is_limited_by_patience:
            self._attempts += 1
        if self._attempts >= most_attempts:
            return None

        # a quarter more or less, so that requests do not retry at the same moment
        wait = self._policy.wait(self._attempts) * _JITTER.uniform(0.75, 1.25)
        return max(trouble.wait or 0.0, wait)


class NotSaved(JudgmentFailed):
    """Raised where no reply to a request is saved, and none was asked for."""


_NO_ACCESS = 401
_NO_KEY = (
    "No key was sent: OPENAI_API_KEY is sent to OpenAI's server only. For another server, name the"
    " variable of its key with --api-key-env."
)


class OpenAIJudge:
    """Asks one model at one endpoint; what it learns about the server holds for all cells."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        policy: RetryPolicy = RetryPolicy(),  # noqa: B008 - frozen
        environ: Mapping[str, str] = os.environ,
        cache: SavedReplies | None = None,
        sample: int = 0,
        limiter: RateLimiter | None = None,
        keyless: bool = False,
    ) -> None:
        """Prepare the judge, and open nothing.

        The key is taken from `environ`. Without a `cache` no reply is saved, and without a
        `limiter` the judge has one of its own. `sample` distinguishes the times that a panel asks
        one model, so that each has saved replies of its own. With `keyless` no key is needed, since
        nothing will be sent. Raises Refused where the URL, a parameter or the key cannot be used,
        or a needed key is missing.
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
            self.limiter.patience.note_connection,
        )
        self._answered = False

    @cached_property
    def _capabilities(self) -> Capabilities:
        """What is known of the server: first from an earlier session, then from its answers."""
        return self._replies.abilities()

    async def judge(self, question: Question) -> Proposal:
        """Return the model's labels for a cell, from saved replies as far as there are any.

        A dialogue that cannot be read is repeated in three cases. If a saved reply was used, all
        replies are asked for again. If the format of replies has changed since the dialogue began,
        the new one is used. If the server's parser failed on the reply, a plainer format is used
        while there is one. Replies that were sent for in such a dialogue are deleted from the
        cache, but what they took stays counted. Once there are labels, what was learnt about the
        server is saved, too.

        Raises JudgmentFailed, with the reason and what was spent, if it is not repeated, and where
        a request failed, the model refused, or the trace lacks what its trait needs.
        """
        usage = UsageSoFar(self.endpoint, question.briefing.shown)
        steps = 0
        while True:
            reply_format = self._capabilities.reply_format
            try:
                labels = await self._converse(question.dialogue(), usage, steps)
            except Unreadable as failure:
                await self._replies.drop(usage.new)
                if (
                    self._capabilities.reply_format == reply_format
                    and not usage.recalled
                ):
                    if (
                        not failure.unread
                        or self._capabilities.plainer(steps).reply_format == "text"
                    ):
                        raise self._failure_of_reply(failure, usage) from None
                    steps += 1
                usage.restart()
            else:
                await self._replies.learn(self._capabilities)
                return Proposal(labels, usage.record(self._access.url))

    def request(self, prompt: Prompt) -> dict[str, Any]:
        """Return the body of the request for a first prompt, as the judge would send it now.

        Nothing is sent. It depends on what is known of the server, and has neither address nor key.
        """
        return request(
            self.endpoint,
            self._capabilities.for_prompt(prompt),
            prompt,
        ).body

    def from_kept(self, question: Question) -> Proposal:
        """Return the model's labels from saved replies to the requests that would be sent now.

        Nothing is sent, and the record says that the labels cost nothing. Raises NotSaved, which is
        a JudgmentFailed, where no reply to a request is saved. Raises JudgmentFailed where the
        saved replies are no judgment, or the trace lacks what its trait needs.
        """
        return self._read_back(question, of_another_run=False)

    def from_recorded(self, question: Question) -> Proposal:
        """Return the model's labels from replies that another run recorded; nothing is sent.

        Replies in any format count. The record has the tokens and the cost that the replies had
        then, and no latency. Raises NotSaved, which is a JudgmentFailed, where a reply is not
        there. Raises JudgmentFailed where the replies are no judgment, or the trace lacks what its
        trait needs.
        """
        return self._read_back(question, of_another_run=True)

    def _read_back(self, question: Question, *, of_another_run: bool) -> Proposal:
        """Return the labels that a dialogue leads to with saved replies; nothing is sent.

        Replies count that are saved for the requests that would be sent now, and they cost nothing.
        With `of_another_run` replies to the same prompts in any format count, with the tokens and
        the cost that they had then. Raises NotSaved where no such reply to a prompt is saved.
        Raises JudgmentFailed where the replies are no judgment, or the trace lacks what its trait
        needs.
        """
        usage = UsageSoFar(self.endpoint, question.briefing.shown)
        conversation = question.dialogue()
        try:
            prompt = next(conversation)
            while True:
                ways_to_ask = [self._capabilities.for_prompt(prompt)]
                if of_another_run:
                    ways_to_ask = self._ways_to_ask(prompt)
                completion = None
                for capabilities in ways_to_ask:
                    sent = request(self.endpoint, capabilities, prompt)
                    completion = self._saved_reply(prompt, sent, capabilities, usage)
                    if completion is not None:
                        break
                if completion is None:
                    raise NotSaved("Nobody was asked: no reply is saved.")
                if of_another_run:
                    usage.recalled_costs = []
                    usage.add_sent(completion)
                prompt = conversation.send(self._reply_of(completion, prompt, usage))
        except StopIteration as end:
            return Proposal(end.value, usage.record(self._access.url))
        except Unreadable as failure:
            raise self._failure_of_reply(failure, usage) from None

    def _ways_to_ask(self, prompt: Prompt) -> list[Capabilities]:
        """Return all capabilities by which a prompt may have been sent, the likeliest first.

        These are those known of the server and the same with each plainer format, and then those
        assumed of any server at first, likewise: what is known may have been learnt since then.
        """
        ways: list[Capabilities] = []
        for known in (self._capabilities, from_saved({}, self.endpoint.api)):
            for steps in range(MOST_STEPS + 1):
                ways.append(known.for_prompt(prompt).plainer(steps))
        return ways

    def asks_in_lists(self, prompt: Prompt) -> bool:
        """Return whether a request for this prompt asks for one list of answers."""
        return not self._capabilities.asks_for_fields(prompt)

    @property
    def path(self) -> str:
        """The path of requests below the base URL."""
        return PATHS[self._capabilities.api]

    def replayed(
        self,
        question: Question,
        body: bytes | Table,
        sent: str = "",
    ) -> Proposal:
        """Return the labels in the answer that another program got for a question's first prompt.

        Nothing is sent. `body` is the body of the answer, as bytes or as its JSON object. `sent` is
        the beginning of the hash of the prompt, or "" if not known: a hash that is not that of the
        prompt with a field for each answer says that one list of answers was asked for. The answer
        is given to each prompt of the dialogue, but one that asks for further answers gets an empty
        reply. The trace must have what its trait needs.

        Raises JudgmentFailed where the body is no completion, its reply was cut or cannot be read,
        the model refused, or a filter stopped it.
        """
        raw = body
        if not isinstance(raw, bytes):
            raw = json.dumps(raw).encode()
        raw = body_without_key(raw, self._access.key)

        usage = UsageSoFar(self.endpoint, question.briefing.shown)
        conversation = question.dialogue()
        prompt = next(conversation)
        capabilities = replace(self._capabilities, fields_below=None)
        is_listed = not prompt.sha256().startswith(sent)
        if is_listed:
            capabilities = replace(self._capabilities, fields_below=0)
        usage.note_request(prompt, capabilities)

        completion = read(raw, {}, api_of(raw))
        if isinstance(completion, Trouble):
            overlong = refused_for_length(completion)
            reason = f"This is not a judgment: {completion.message}"
            if overlong:
                reason = overlong.describe(self.name, prompt)
            raise self._failure(reason, completion.raw, usage)

        usage.add_sent(completion)
        reply = self._reply_of(completion, prompt, usage)
        next_reply = reply
        try:
            while True:
                prompt = conversation.send(next_reply)
                if prompt.why == "cut":
                    reason = "The reply was cut by the token limit."
                    raise self._failure(reason, reply.text, usage)
                next_reply = reply
                if prompt.why == "further":
                    next_reply = Reply("")
        except StopIteration as end:
            return Proposal(end.value, usage.record(self._access.url))
        except Unreadable as failure:
            raise self._failure(failure.reason, failure.raw, usage) from None

    @property
    def waiting(self) -> Waiting | None:
        """The state of the server, or None if no request waits for it."""
        return self.limiter.patience.waiting(self.host)

    def secretless(self, text: str) -> str:
        """Return a text without the key of this judge."""
        return secretless(text, self._access.key)

    async def close(self) -> None:
        """Save the last replies and close the connections; the judge may be used again afterwards.

        It may then be used in another event loop. A server that was given up may be asked again,
        also by other judges with the same rate limiter. If the call is cancelled, the connections
        are closed before CancelledError is raised.
        """
        self.limiter.patience.renew()
        try:
            await self._replies.close()
        finally:
            await self._connection.close()

    async def _converse(
        self,
        conversation: Dialogue[dict[str, Any]],
        usage: UsageSoFar,
        steps: int,
    ) -> dict[str, Any]:
        """Send the prompts of a dialogue until it ends, and return the labels.

        Replies are asked for in a format that is `steps` steps plainer than the server takes. Those
        that were sent for are saved as they come. What they took is added to `usage`, and it is
        noted whether the format works. Raises Unreadable where the trace lacks what its trait
        needs, or a reply cannot be read. Raises JudgmentFailed where a request failed, the model
        refused, or the server cut the request or stopped the reply. It is final where the server
        gave no good answer to any request for longer than patience lasts.
        """
        prompt = next(conversation)
        while True:
            try:
                async with self.limiter.patience.lasting():
                    completion, reply_format = await self._completion(
                        prompt,
                        usage,
                        steps,
                    )
            except GivenUp:
                raise self._failure_of_silence(usage) from None
            reply = self._reply_of(completion, prompt, usage)
            await self._replies.keep(usage.new)
            try:
                prompt = conversation.send(reply)
            except StopIteration as end:
                self._note_reply(reply_format, malformed=False)
                table: dict[str, Any] = end.value
                return table
            except Unreadable:
                self._note_reply(reply_format, malformed=not completion.cut)
                raise
            if prompt.why != "cut":
                self._note_reply(reply_format, malformed=prompt.why == "unreadable")

    def _reply_of(
        self,
        completion: Completion,
        prompt: Prompt,
        usage: UsageSoFar,
    ) -> Reply:
        """Return the reply in a completion for the dialogue, with `[key]` in place of the key.

        A reply that the token limit cut is returned, too, and says so. Raises JudgmentFailed, with
        what `usage` has, if the server cut the request, if a filter stopped the reply, if the model
        refused, or if the server stopped before the first word. A cut reply fails as well if a
        longer one is not possible: it fills the model's context, or the user's own parameters limit
        it.
        """
        if was_cut(prompt, completion.tokens_in, completion.cached or 0):
            reason = describe_cut(self.name, prompt, completion.tokens_in or 0)
            raise self._failure(reason, completion.text, usage)

        if completion.refusal:
            one_line = " ".join(completion.refusal.split())[:300]
            raise self._failure(
                f"The model refused: {one_line}",
                completion.refusal,
                usage,
            )

        if completion.filtered:
            reason = "The server's content filter stopped the reply."
            if completion.filtered.casefold() != "content_filter":
                reason = f"The server's content filter stopped the reply: {completion.filtered}."
            raise self._failure(reason, completion.text, usage)

        if completion.stopped:
            reason = f"The server stopped the reply before its first word: {completion.stopped}."
            raise self._failure(reason, completion.text, usage, general=True)

        limit = user_limit(self.endpoint, self._capabilities)
        if completion.cut and self._fills_context(completion):
            reason = (
                f"The reply was cut: with a request of {completion.tokens_in:,} tokens it fills the"
                f" context of {self.name}, which has {self.endpoint.context:,} by its profile."
            )
            raise self._failure(reason, completion.text, usage)
        if completion.cut and limit:
            reason = f"The reply was cut by the token limit that {limit} sets."
            raise self._failure(reason, completion.text, usage, general=True)

        answer = completion.text  # joined, since its parts may make up the key
        key = self._access.key
        return Reply(without_key(answer, key), completion.cut, completion.unread)

    def _fills_context(self, completion: Completion) -> bool:
        """Return whether the tokens of request and reply together fill the model's context.

        False if the user gave no context, or the server did not count the tokens.
        """
        context = self.endpoint.context
        if (
            context is None
            or completion.tokens_in is None
            or completion.tokens_out is None
        ):
            return False
        return completion.tokens_in + completion.tokens_out >= context

    def _note_reply(self, reply_format: ReplyFormat, *, malformed: bool) -> None:
        """Count a reply in `reply_format` for what is known of the server.

        `malformed` says that the reply was not the JSON that was asked for; enough of these make
        later requests ask in a plainer format. Nothing changes if another format is asked for by
        now.
        """
        if self._capabilities.reply_format == reply_format:
            self._capabilities = self._capabilities.received(malformed=malformed)

    async def _completion(
        self,
        prompt: Prompt,
        usage: UsageSoFar,
        steps: int,
    ) -> tuple[Completion, ReplyFormat]:
        """Return the completion for a prompt, and the format it was asked for in; retry as allowed.

        A saved reply is returned without sending anything. The format is `steps` steps plainer than
        the one that the server is known to take. After an error the request is changed by what the
        server said it cannot do, which is learnt for later requests, too. One that is too long is
        first tried without a token limit. If there is nothing to change, it is sent again after a
        wait. What all of this took is added to `usage`.

        Raises JudgmentFailed for a request that is too long, and for one that fails and is not sent
        again. Raises GivenUp if the server was given up before.
        """
        retries = Retries(self._policy, self.limiter)
        is_unlimited = False
        while True:
            capabilities = self._capabilities.for_prompt(prompt).plainer(steps)
            if is_unlimited:
                capabilities = replace(capabilities, limit=None)
            next_request = request(self.endpoint, capabilities, prompt)
            saved = self._saved_reply(prompt, next_request, capabilities, usage)
            if saved:
                return saved, capabilities.reply_format
            usage.note_request(prompt, capabilities)
            outcome, slot = await self._send_once(prompt, next_request, usage)
            if isinstance(outcome, Completion):
                usage.add_sent(outcome)
                return outcome, capabilities.reply_format
            overlong = refused_for_length(outcome)
            if capabilities.limit and (overlong or is_limit_too_large(outcome)):
                is_unlimited = True
                continue
            if overlong:
                reason = overlong.describe(self.name, prompt)
                raise self._failure(reason, outcome.raw, usage)
            better = capabilities.after(
                outcome,
                prompt,
                sent_params(self.endpoint, capabilities),
            )
            self._capabilities = self._capabilities.learning(capabilities, better)
            current = self._capabilities.for_prompt(prompt).plainer(steps)
            # another worker may have learnt it already
            if capabilities not in (better, current):
                continue
            wait = retries.after(outcome, slot, answered=self._answered)
            if wait is None or self._asks_too_long(outcome):
                raise self._failure_of_request(outcome, usage)
            if not slot.is_pausing:
                await asyncio.sleep(wait)

    def _saved_reply(
        self,
        prompt: Prompt,
        next_request: Request,
        capabilities: Capabilities,
        usage: UsageSoFar,
    ) -> Completion | None:
        """Return the saved completion of a request, or None if none is saved or may be used.

        None may be used while `usage` forbids it, because the dialogue is repeated to get new
        replies. `next_request` is the one for `prompt` with `capabilities`; the reply to the same
        request without a token limit counts if there is no other. What is returned is noted in
        `usage` as recalled, so that it costs nothing.
        """
        if self._replies.is_missing or not usage.may_recall:
            return None
        completion = self._replies.reply(next_request)
        if completion is None and capabilities.limit:
            capabilities = replace(capabilities, limit=None)
            completion = self._replies.reply(
                request(self.endpoint, capabilities, prompt),
            )
        if completion:
            usage.add_recalled(completion)
            usage.note_request(prompt, capabilities)
        return completion

    async def _send_once(
        self,
        prompt: Prompt,
        request: Request,
        usage: UsageSoFar,
    ) -> tuple[Completion | Trouble, Slot]:
        """Wait for a slot, send a request once, and return its completion or trouble with the slot.

        The slot is free again then. Words of the model that the server could not parse are returned
        as a completion, whose `unread` says why. Adds the request and its latency to `usage`, and
        the answers that may be saved to its `new`; tokens and cost are left to the caller. Tells
        the limiter the outcome; of a request that is too long only that the server is alive.

        Raises a final JudgmentFailed where the environment allows no client, and GivenUp if the
        server was given up before.
        """
        try:
            client = await self._connection.opened()
        except (ValueError, ImportError, OSError) as error:
            reason = describe_no_client(self.host, error)
            raise self._failure(reason, "", usage, final=True) from error

        characters = len(prompt.system) + len(prompt.user)
        async with self.limiter.passing(characters) as slot:
            started = time.monotonic()
            usage.requests += 1
            answer = await self._connection.post(
                client,
                PATHS[request.api],
                request.body,
            )
            usage.latency = (usage.latency or 0.0) + time.monotonic() - started
            outcome: Completion | Trouble
            if isinstance(answer, Trouble):
                outcome = answer
            else:
                outcome = read(answer.body, answer.headers, request.api)
                if isinstance(outcome, Completion):
                    usage.new |= self._replies.entry(request, answer.body)
            if isinstance(outcome, Trouble) and outcome.garbled:
                # the model answered, and the server's parser failed on it: that is not saved
                outcome = Completion(outcome.raw, unread=outcome.message)

            if isinstance(outcome, Completion):
                self.limiter.answered(
                    slot,
                    total(outcome.tokens_in, outcome.tokens_out),
                )
            elif refused_for_length(outcome):
                self.limiter.note_alive()
            else:
                # before the slot is free: the next request would meet a full server
                self._note_trouble(outcome, slot)
        self._answered |= isinstance(outcome, Completion) or outcome.status != 0
        return outcome, slot

    def _note_trouble(self, trouble: Trouble, slot: Slot) -> None:
        """Note a failed request for patience, and pause all requests if they would fail as well.

        They would fail where the server limits requests (429), unless its user has no credit. They
        would also where it is busy or cannot be reached, and has given no request a good answer
        since this one was admitted to `slot`. The pause is as long as the server asks for, or else
        as the policy says, longer after each pause. Another busy answer lets fewer requests be in
        flight. If the server asks to wait for longer than patience lasts, nothing is paused.
        """
        limiter = self.limiter
        failure = Waiting(
            trouble=self._describe(trouble),
            status=trouble.status,
            asked=trouble.wait,
        )
        limiter.patience.latest_failure = failure
        if trouble.code == NO_CONNECTION:
            limiter.patience.note_no_connection()
        if self._asks_too_long(trouble):
            return
        concerns_all = limiter.is_silent(slot) and (
            is_busy(trouble) or trouble.unreachable
        )
        if trouble.status == _LIMITED:
            concerns_all = not is_final(trouble)
        if concerns_all:
            wait = self._policy.wait(limiter.pauses + 1)
            if trouble.wait is not None:
                wait = max(trouble.wait, self._policy.first)
            limiter.pause_all(slot, wait)
        elif is_busy(trouble):
            limiter.send_fewer()

    def _asks_too_long(self, trouble: Trouble) -> bool:
        """Return whether a server asks to wait for longer than patience lasts."""
        return (trouble.wait or 0.0) > self.limiter.patience.left

    def _failure_of_request(
        self,
        trouble: Trouble,
        usage: UsageSoFar,
    ) -> JudgmentFailed:
        """Return the error of a cell whose request is not sent again, to be raised.

        Its reason is a sentence on what the server did, with advice if patience is too short or no
        key was sent. It is final if every other cell would fail like this: for no access, no such
        model or no credit, if the server asks to wait for longer than patience lasts, or if it
        cannot be reached and never answered. It is general, so that many others may fail, for the
        statuses 400 and 422. What was spent is that of `usage`.
        """
        asks_too_long = self._asks_too_long(trouble)
        advice = ""
        if asks_too_long:
            patience = duration_text(self.limiter.patience.seconds)
            advice = f"That is longer than what is left of --patience {patience}."
        if trouble.status == _NO_ACCESS and self._access.key is None:
            advice = _NO_KEY
        reason = f"{self.host} {self._describe(trouble)}"
        if advice:
            reason = f"{reason.rstrip('. ')}. {advice}"

        was_never_there = trouble.unreachable and not self._answered
        final = is_final(trouble) or asks_too_long or was_never_there
        general = trouble.status in BAD_REQUEST
        return self._failure(reason, trouble.raw, usage, final=final, general=general)

    def _describe(self, trouble: Trouble) -> str:
        """Return what a server did instead of answering, without the key and in words.

        It continues a sentence that begins with the server's name: `answered 429, and asks to wait
        5 s: Slow down`, or `cannot be reached: …`, or `gave no answer: …`.
        """
        if trouble.code == NO_CONNECTION:
            return self.secretless(f"cannot be reached: {trouble.message}")
        text = "gave no answer"
        if trouble.status:
            text = f"answered {trouble.status}"
        if trouble.wait:
            text += f", and asks to wait {trouble.wait:.0f} s"
        reason = trouble.message or "no reason given"
        return self.secretless(f"{text}: {reason}")

    def _failure_of_silence(self, usage: UsageSoFar) -> JudgmentFailed:
        """Return the error of a cell whose server was given up, to be raised; it is final.

        The reason has the latest failure of any request to the server, and how long it was tried.
        What was spent on the cell is that of `usage`.
        """
        patience = self.limiter.patience
        trouble = patience.latest_failure.trouble
        limit = duration_text(patience.seconds)
        reason = f"{self.host} gave no good answer within --patience {limit}"
        reason += f": it {trouble or 'stayed silent'}"
        if trouble and not patience.was_reached:
            tried = f"It was tried for {duration_text(patience.allowed)}"
            reason = (
                f"{self.host} {trouble.rstrip('. ')}. {tried}; --patience sets a"
                " longer time."
            )
        return self._failure(reason, "", usage, final=True)

    def _failure_of_reply(
        self,
        failure: Unreadable,
        usage: UsageSoFar,
    ) -> JudgmentFailed:
        """Return the error of a cell whose reply cannot be read, to be raised.

        `failure` says why, and what was spent on the cell is that of `usage`. The error is general,
        so that many other cells may fail like this, where the reply had another shape than the one
        asked for, or did not end.
        """
        return self._failure(
            failure.reason,
            failure.raw,
            usage,
            general=failure.shapeless,
        )

    def _failure(
        self,
        reason: str,
        raw: str,
        usage: UsageSoFar,
        *,
        final: bool = False,
        general: bool = False,
    ) -> JudgmentFailed:
        """Return the error of a cell, to be raised, with what was spent on the cell.

        `reason` is a sentence and `raw` what the server or the model sent. The key is removed from
        both, and `raw` is cut to `LONGEST_RAW`. `final` says that every other cell would fail like
        this, and `general` that many others may.
        """
        raw = self.secretless(raw)[:LONGEST_RAW]
        record = usage.record(self._access.url)
        return JudgmentFailed(
            self.secretless(reason),
            raw,
            record,
            requests=usage.requests,
            final=final,
            general=general,
        )
