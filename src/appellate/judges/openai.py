"""The judge behind any OpenAI-compatible endpoint.

It carries a dialogue's prompts to the server and replies back. What the server cannot do is learnt from its
own words (`abilities`), trouble that passes is waited for (`patience`), all requests go through one gate,
and where every reply of a talk is known already nothing is asked at all (`memory`).
"""

import asyncio
import json
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from appellate.core.briefing import UNBRIEFED, Briefing
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.abilities import Abilities, asked_by, too_much_room
from appellate.judges.cache import Cache
from appellate.judges.client import Answer, Line, no_way
from appellate.judges.completion import LONGEST_RAW, Completion, Trouble
from appellate.judges.endpoint import Endpoint, access, secretless
from appellate.judges.gate import Gate, Passage
from appellate.judges.judge import JudgmentFailed, Proposal
from appellate.judges.memory import Memory
from appellate.judges.patience import Patience, Waiting, is_busy, is_final
from appellate.judges.request import PATHS, Request, api_of, limited_by, read_reply, request, sent
from appellate.judges.spent import Spent, total
from appellate.talk.dialogue import TRIES, Dialogue, Prompt, Reply, Unreadable

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAIJudge:
    """Asks one model at one endpoint; what the server can do is learnt once and shared by all cells."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        patience: Patience = Patience(),  # noqa: B008 - frozen
        environ: Mapping[str, str] = os.environ,
        cache: Cache | None = None,
        sample: int = 0,
        gate: Gate | None = None,
        keyless: bool = False,
    ) -> None:
        """Raises Refused where the URL, a parameter or the key's variable cannot be used.

        `sample` tells apart the times that a panel asks one model the same; `keyless` where nothing will be sent.
        """
        self.name = endpoint.model
        self._endpoint = endpoint
        self._access = access(endpoint, environ, keyless=keyless)
        self.host = self._access.host
        self._patience = patience
        self._sample = sample
        self._memory = Memory(cache, endpoint, self._access.url, self._sample)
        self._abilities = asked_by(endpoint.api)
        self._gate = Gate() if gate is None else gate
        self._line = Line(self._access, endpoint.timeout, self._gate.limits.concurrency)
        self._answered = False
        self._lost: float | None = None

    async def judge(self, subject: Subject, trace: Trace, briefing: Briefing = UNBRIEFED) -> Proposal:
        """The model's labels; raises JudgmentFailed with a readable reason and what was spent on it."""
        self._remember()
        spent, lower = Spent(self._endpoint, briefing.shown), 0
        while True:
            rung = self._abilities.rung
            try:
                labels = await self._converse(subject.dialogue(trace, briefing), spent, lower)
            except Unreadable as failure:
                await self._memory.drop(spent.new)
                if self._abilities.rung == rung and not spent.known:
                    if not failure.unread or self._able(lower).rung == "text":
                        raise self._failure(failure.reason, failure.raw, spent) from None
                    lower += 1
                spent.forget()
            else:
                await self._memory.learn(self._abilities)
                return Proposal(labels, spent.record(self._access.url))

    def first_request(self, subject: Subject, trace: Trace, briefing: Briefing = UNBRIEFED) -> dict[str, Any]:
        """The body of the first request about a cell, as it would be sent now; nothing is sent."""
        self._remember()
        prompt = next(subject.dialogue(trace, briefing))
        return request(self._endpoint, self._abilities, prompt).body

    @property
    def listed(self) -> bool:
        """Whether such requests ask for lists of answers."""
        self._remember()
        return not self._abilities.held

    @property
    def path(self) -> str:
        """Where such requests go, below the base URL."""
        self._remember()
        return PATHS[self._abilities.api]

    def replayed(
        self, subject: Subject, trace: Trace, briefing: Briefing, body: bytes | Mapping[str, Any], sent: str = ""
    ) -> Proposal:
        """What the answer to the first request stands for, had in some other way; nothing is asked.

        `sent` is how the hash of that request's prompt begins, where it is known.
        Excerpts that do not stand in the response stay as they are. Raises JudgmentFailed where the answer
        is no judgment.
        """
        self._remember()
        spent = Spent(self._endpoint, briefing.shown)
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        conversation = subject.dialogue(trace, briefing)
        prompt = next(conversation)
        listed = not prompt.sha256().startswith(sent)
        spent.asking(prompt, replace(self._abilities, fields=not listed))
        completion = read_reply(raw, {}, api_of(raw))
        if isinstance(completion, Trouble):
            raise self._failure(f"This is no judgment: {completion.said}", completion.raw, spent)
        spent.pay(completion)
        try:
            labels = _told_once(conversation, self._listened(completion, spent))
        except Unreadable as failure:
            raise self._failure(failure.reason.replace(f" in {TRIES} tries", ""), failure.raw, spent) from None
        return Proposal(labels, spent.record(self._access.url))

    async def close(self) -> None:
        self._lost = None
        await self._memory.close()
        await self._line.close()

    async def _converse(self, conversation: Dialogue[dict[str, Any]], spent: Spent, lower: int) -> dict[str, Any]:
        """Carries prompts to the server and replies back until the dialogue has its table.

        This one talk is had so many rungs `lower` than what the server is able to do.
        """
        prompt = next(conversation)
        while True:
            completion, rung = await self._completion(prompt, spent, lower)
            said = self._listened(completion, spent)
            await self._memory.keep(spent.new)
            try:
                prompt = conversation.send(said)
            except StopIteration as end:
                self._heard(rung, malformed=False)
                table: dict[str, Any] = end.value
                return table
            except Unreadable:
                self._heard(rung, malformed=not completion.cut)
                raise
            if prompt.why != "cut":
                self._heard(rung, malformed=prompt.why == "unreadable")

    def _listened(self, completion: Completion, spent: Spent) -> Reply:
        """What the model said; raises JudgmentFailed where it said nothing that more asking would change."""
        if completion.refusal or completion.filtered:
            raise self._failure(_refusal(completion), completion.refusal or completion.text, spent)
        limit = limited_by(self._endpoint, self._abilities)
        if completion.cut and limit:
            raise self._failure(f"The reply was cut by the token limit that {limit} sets.", completion.text, spent)
        return Reply(completion.text, completion.cut, completion.unread)

    def _heard(self, rung: str, *, malformed: bool) -> None:
        if self._abilities.rung == rung:
            self._abilities = self._abilities.heard(malformed=malformed)

    def _able(self, lower: int) -> Abilities:
        able = self._abilities
        for _ in range(lower):
            able = able.lower()
        return able

    async def _completion(self, prompt: Prompt, spent: Spent, lower: int) -> tuple[Completion, str]:
        """One completion, over as many attempts as patience allows; raises JudgmentFailed."""
        waiting, unlimited = Waiting(self._patience), False
        while True:
            able = replace(self._able(lower), limit=None) if unlimited else self._able(lower)
            asked = request(self._endpoint, able, prompt)
            known = self._recalled(prompt, asked, able, spent)
            if known:
                return known, able.rung
            spent.asking(prompt, able)
            outcome, passage = await self._attempt(prompt, asked, spent, again=waiting.attempts)
            if isinstance(outcome, Completion):
                spent.pay(outcome)
                return outcome, able.rung
            if able.limit and too_much_room(outcome):
                unlimited = True
                continue
            if self._learnt(able, outcome) and self._able(lower) != able:
                continue
            wait = waiting.after(outcome, answered=self._answered)
            if wait is None or self._gone(outcome):
                raise self._given_up(outcome, waiting, spent)
            await self._wait(outcome, wait, passage)

    def _learnt(self, able: Abilities, trouble: Trouble) -> bool:
        """Whether the trouble told what the server cannot do; another worker may have learnt it already."""
        better = able.after(trouble, sent(self._endpoint, able))
        self._abilities = self._abilities.learning(able, better)
        return better != able

    def _recalled(self, prompt: Prompt, asked: Request, able: Abilities, spent: Spent) -> Completion | None:
        """The answer that the cache has; one that was had without a token limit will do."""
        if self._memory.blank or not spent.recalling:
            return None
        completion = self._memory.reply(asked)
        if completion is None and able.limit:
            able = replace(able, limit=None)
            completion = self._memory.reply(request(self._endpoint, able, prompt))
        if completion:
            spent.recall(completion)
            spent.asking(prompt, able)
        return completion

    def _remember(self) -> None:
        """Begins with what an earlier session learnt about the server."""
        if self._memory.fresh:
            self._abilities = self._memory.abilities()

    async def _wait(self, trouble: Trouble, seconds: float, passage: Passage) -> None:
        """A busy server stops everyone, and so does one that nobody reaches; else it is this request's own matter."""
        if is_busy(trouble):
            named = trouble.wait is not None
            passage.refused(max(trouble.wait or 0.0, self._patience.first) if named else seconds)
        elif trouble.unreachable and self._gate.silent_since(passage):
            passage.refused(seconds)
        else:
            await asyncio.sleep(seconds)

    async def _attempt(
        self, prompt: Prompt, asked: Request, spent: Spent, *, again: int
    ) -> tuple[Completion | Trouble, Passage]:
        client = await self._opened(spent)
        async with self._gate.passing(len(prompt.system) + len(prompt.user), again=again) as passage:
            started = time.monotonic()
            answer = await self._line.post(client, PATHS[asked.api], asked.body)
            spent.latency = (spent.latency or 0.0) + time.monotonic() - started
        outcome = answer if isinstance(answer, Trouble) else self._read(asked, answer, spent)
        if isinstance(outcome, Trouble) and outcome.garbled:
            outcome = Completion(outcome.raw, unread=outcome.said)
        answered = not isinstance(outcome, Trouble) or outcome.status != 0
        self._answered |= answered
        self._lost = None if answered else self._lost or started
        if isinstance(outcome, Completion):
            passage.answered(total(outcome.tokens_in, outcome.tokens_out))
        return outcome, passage

    async def _opened(self, spent: Spent) -> "AsyncOpenAI":
        """The client; raises JudgmentFailed where the environment allows of none."""
        try:
            return await self._line.opened()
        except (ValueError, ImportError, OSError) as error:
            raise self._failure(no_way(self.host, error), "", spent, final=True) from error

    def _read(self, asked: Request, answer: Answer, spent: Spent) -> Completion | Trouble:
        completion = read_reply(answer.body, answer.headers, asked.api)
        if isinstance(completion, Completion):
            spent.new |= self._memory.entry(asked, answer.body)
        return completion

    def _given_up(self, trouble: Trouble, waiting: Waiting, spent: Spent) -> JudgmentFailed:
        times = f" ({waiting.attempts} attempts)" if waiting.attempts > 1 else ""
        answered = f"answered {trouble.status}" if trouble.status else "gave no answer"
        wait = f", and asks to wait {trouble.wait:.0f} s" if trouble.wait else ""
        reason = f"{self.host} {answered}{wait}{times}: {trouble.said or 'no reason given'}"
        hopeless = is_final(trouble) or (trouble.wait or 0.0) > self._patience.seconds
        nobody_there = trouble.unreachable and not self._answered
        return self._failure(reason, trouble.raw, spent, final=hopeless or nobody_there or self._gone(trouble))

    def _gone(self, trouble: Trouble) -> bool:
        """Whether the server has answered nobody for longer than patience lasts: it did not merely begin anew."""
        lost = None if trouble.status else self._lost
        return lost is not None and time.monotonic() - lost > self._patience.seconds

    def _failure(self, reason: str, raw: str, spent: Spent, *, final: bool = False) -> JudgmentFailed:
        record, key = spent.record(self._access.url), self._access.key
        return JudgmentFailed(secretless(reason, key), secretless(raw, key)[:LONGEST_RAW], record, final=final)


def _told_once(conversation: Dialogue[dict[str, Any]], reply: Reply) -> dict[str, Any]:
    """What a dialogue makes of one reply; nothing is said to a further question. Raises Unreadable."""
    said = reply
    try:
        while True:
            prompt = conversation.send(said)
            if prompt.why == "cut":
                raise Unreadable("The reply was cut by the token limit.", reply.text)
            said = Reply("") if prompt.why == "further" else reply
    except StopIteration as end:
        table: dict[str, Any] = end.value
        return table


def _refusal(completion: Completion) -> str:
    if completion.refusal:
        return f"The model refused: {' '.join(completion.refusal.split())[:300]}"
    return "The server's content filter stopped the reply."
