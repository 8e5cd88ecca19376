"""The judge behind any OpenAI-compatible endpoint.

`openai` is imported on the first request, in a thread: it takes half a second and 40 MB. Its own
retries are off (they are per request and unseen), and the body of an answer is read here, since the
client builds objects without looking (`completion`).
"""

import asyncio
import importlib
import logging
import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from appellate.core.dialogue import UNBRIEFED, Briefing, Dialogue, Prompt, Reply, Unreadable
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.abilities import Abilities, too_much_room
from appellate.judges.completion import TOO_LATE, Completion, Trouble, read, read_error
from appellate.judges.endpoint import Access, Endpoint, access
from appellate.judges.gate import Gate
from appellate.judges.judge import JudgeRecord, JudgmentFailed, Proposal
from appellate.judges.patience import Patience, Waiting, is_busy, is_final

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_NO_KEY = "none"
"""What servers that need no key are sent: the client insists on one."""
_LONGEST_RAW = 20_000
_CONNECT = 15.0
"""Seconds for a connection to come about; a server that is there takes it at once."""
_KEY_LIKE = re.compile(r"\bsk-[\w*.\-]{4,}")


@dataclass(slots=True)
class _Spent:
    """What the requests about one cell took so far."""

    parameters: dict[str, Any] = field(default_factory=dict)
    served: str | None = None
    prompt_sha256: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None
    latency: float = 0.0

    def add(self, completion: Completion, asked: str) -> None:
        self.tokens_in = _sum(self.tokens_in, completion.tokens_in)
        self.tokens_out = _sum(self.tokens_out, completion.tokens_out)
        self.cost = _sum(self.cost, completion.cost)
        if completion.model and completion.model != asked:
            self.served = completion.model


Amount = TypeVar("Amount", int, float)


def _sum(so_far: Amount | None, more: Amount | None) -> Amount | None:
    return so_far if more is None else more if so_far is None else so_far + more


class OpenAIJudge:
    """Asks one model at one endpoint; what the server can do is learnt once and shared by all cells."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        patience: Patience = Patience(),  # noqa: B008 - frozen
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Raises Refused where the URL or the key's variable cannot be used."""
        self.name = endpoint.model
        self._endpoint = endpoint
        self._access = access(endpoint, environ)
        self.host = self._access.host
        self._patience = patience
        self._abilities = Abilities()
        self._gate = Gate()
        self._opening = asyncio.Lock()
        self._client: AsyncOpenAI | None = None
        self._answered = False

    async def judge(self, subject: Subject, trace: Trace, briefing: Briefing = UNBRIEFED) -> Proposal:
        """The model's labels; raises JudgmentFailed with a readable reason and what was spent on it."""
        spent = _Spent()
        while True:
            rung = self._abilities.rung
            try:
                labels = await self._converse(subject.kind.dialogue(subject.trait, trace, briefing), spent)
            except Unreadable as failure:
                if self._abilities.rung == rung:
                    raise self._failure(failure.reason, failure.raw, spent) from None
            else:
                return Proposal(labels, self._record(spent))

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _converse(self, conversation: Dialogue[dict[str, Any]], spent: _Spent) -> dict[str, Any]:
        """Carries prompts to the server and replies back until the dialogue has its table."""
        prompt = next(conversation)
        spent.prompt_sha256 = spent.prompt_sha256 or prompt.sha256
        while True:
            completion, rung = await self._completion(prompt, spent)
            if completion.refusal or completion.filtered:
                raise self._failure(_refusal(completion), completion.refusal or completion.text, spent)
            try:
                prompt = conversation.send(Reply(completion.text, completion.cut))
            except StopIteration as end:
                self._heard(rung, malformed=False)
                table: dict[str, Any] = end.value
                return table
            except Unreadable:
                self._heard(rung, malformed=not completion.cut)
                raise
            if prompt.why != "cut":
                self._heard(rung, malformed=prompt.why == "unreadable")

    def _heard(self, rung: str, *, malformed: bool) -> None:
        if self._abilities.rung == rung:
            self._abilities = self._abilities.heard(malformed=malformed)

    async def _completion(self, prompt: Prompt, spent: _Spent) -> tuple[Completion, str]:
        """One completion, over as many attempts as patience allows; raises JudgmentFailed."""
        waiting, unlimited = Waiting(self._patience), False
        while True:
            sent = replace(self._abilities, limit=None) if unlimited else self._abilities
            outcome = await self._attempt(prompt, sent, spent)
            if isinstance(outcome, Completion):
                spent.add(outcome, self._endpoint.model)
                return outcome, sent.rung
            if sent.limit and too_much_room(outcome):
                unlimited = True
                continue
            if self._learnt(sent, outcome):
                continue
            wait = waiting.after(outcome, answered=self._answered)
            if wait is None:
                raise self._given_up(outcome, waiting, spent)
            await self._wait(outcome, wait)

    def _learnt(self, sent: Abilities, trouble: Trouble) -> bool:
        """Whether the trouble told what the server cannot do; another worker may have learnt it already."""
        better = sent.after(trouble)
        self._abilities = self._abilities.learning(sent, better)
        return better != sent

    async def _wait(self, trouble: Trouble, seconds: float) -> None:
        """A busy server stops everyone; anything else is this request's own matter."""
        if is_busy(trouble) or trouble.unreachable:
            self._gate.pause(seconds)
        else:
            await asyncio.sleep(seconds)

    async def _attempt(self, prompt: Prompt, sent: Abilities, spent: _Spent) -> Completion | Trouble:
        client = await self._opened()
        body = self._body(prompt, sent)
        async with self._gate:
            started = time.monotonic()
            outcome = await self._exchange(client, body)
            spent.latency += time.monotonic() - started
        spent.parameters = sent.parameters(prompt) | {"response_format": sent.rung}
        self._answered |= not isinstance(outcome, Trouble) or outcome.status != 0
        if isinstance(outcome, Completion):
            self._gate.welcome()
        return outcome

    def _body(self, prompt: Prompt, sent: Abilities) -> dict[str, Any]:
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        asked = {"model": self._endpoint.model, "messages": messages}
        return asked | sent.parameters(prompt) | sent.response_format(prompt)

    async def _exchange(self, client: "AsyncOpenAI", body: dict[str, Any]) -> Completion | Trouble:
        """One request and its answer, within the time for one request."""
        import httpx2
        from openai import APIConnectionError, APIStatusError, OpenAIError

        try:
            async with asyncio.timeout(self._endpoint.timeout):
                answer = await client.post("/chat/completions", cast_to=httpx2.Response, body=body)
        except APIStatusError as error:
            return read_error(error.status_code, error.response.content, error.response.headers)
        except APIConnectionError as error:
            late = isinstance(error.__cause__, httpx2.ReadTimeout | httpx2.WriteTimeout)
            return self._too_late() if late else Trouble(0, _connection(error))
        except TimeoutError:
            return self._too_late()
        except OpenAIError as error:
            return Trouble(0, f"{type(error).__name__}: {error}")
        return read(answer.content)

    def _too_late(self) -> Trouble:
        return Trouble(0, f"no answer within {self._endpoint.timeout:g} s", code=TOO_LATE)

    async def _opened(self) -> "AsyncOpenAI":
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(_client, self._access, self._endpoint.timeout)
            return self._client

    def _record(self, spent: _Spent) -> JudgeRecord:
        return JudgeRecord(
            name=self.name,
            model=self._endpoint.model,
            parameters=self._parameters(spent),
            prompt_sha256=spent.prompt_sha256,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            cost=spent.cost,
            latency=round(spent.latency, 3),
        )

    def _parameters(self, spent: _Spent) -> dict[str, Any]:
        """How the last request was made, and the model that the server says it served."""
        served = {"served_model": spent.served} if spent.served else {}
        return dict(sorted((spent.parameters | served | {"base_url": self._access.url}).items()))

    def _given_up(self, trouble: Trouble, waiting: Waiting, spent: _Spent) -> JudgmentFailed:
        times = f" ({waiting.attempts} attempts)" if waiting.attempts > 1 else ""
        answered = f"answered {trouble.status}" if trouble.status else "gave no answer"
        wait = f", and asks to wait {trouble.wait:.0f} s" if trouble.wait else ""
        reason = f"{self.host} {answered}{wait}{times}: {trouble.said or 'no reason given'}"
        hopeless = is_final(trouble) or (trouble.wait or 0.0) > self._patience.seconds
        nobody_there = trouble.unreachable and not self._answered
        return self._failure(reason, trouble.raw, spent, final=hopeless or nobody_there)

    def _failure(self, reason: str, raw: str, spent: _Spent, *, final: bool = False) -> JudgmentFailed:
        record = self._record(spent)
        return JudgmentFailed(self._secretless(reason), self._secretless(raw)[:_LONGEST_RAW], record, final=final)

    def _secretless(self, text: str) -> str:
        """The text without the key: servers like to quote it back."""
        if self._access.key:
            text = text.replace(self._access.key.get_secret_value(), "[key]")
        return _KEY_LIKE.sub("[key]", text)


def _refusal(completion: Completion) -> str:
    if completion.refusal:
        return f"The model refused: {' '.join(completion.refusal.split())[:300]}"
    return "The server's content filter stopped the reply."


def _connection(error: Exception) -> str:
    """What lies beneath the client's "Connection error."."""
    cause = error.__cause__
    words = str(cause).strip() if cause else ""
    return f"{error} {words}".strip() if words else f"{error} {type(cause).__name__ if cause else ''}".strip()


def _client(access: Access, timeout: float) -> "AsyncOpenAI":
    """A client that sends nothing of the user's OpenAI settings to anybody else, and logs nothing."""
    openai = importlib.import_module("openai")
    _silence()
    key = access.key.get_secret_value() if access.key else _NO_KEY
    client: AsyncOpenAI = openai.AsyncOpenAI(
        base_url=access.url,
        api_key=key,
        admin_api_key="",
        organization=None if access.trusted else "",
        project=None if access.trusted else "",
        webhook_secret="",
        default_headers=None if access.trusted else _own_headers(key, openai.Omit()),
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(
            trust_env=not access.local, timeout=openai.Timeout(timeout, connect=min(timeout, _CONNECT))
        ),
    )
    return client


def _own_headers(key: str, omit: Any) -> dict[str, Any]:
    """Our key, and none of the headers of OPENAI_CUSTOM_HEADERS, which are meant for OpenAI."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    ambient = {line.partition(":")[0].strip(): omit for line in lines if ":" in line}
    return ambient | {"Authorization": f"Bearer {key}"}


def _silence() -> None:
    """OPENAI_LOG would write over the screen, and into logs what belongs in none."""
    for name in ("openai", "httpx2", "httpcore2"):
        logger = logging.getLogger(name)
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
