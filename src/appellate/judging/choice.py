"""A judge as it was chosen.

What asking it takes, and the plan by which another process asks the same one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from appellate.judges.endpoint import Endpoint, access
from appellate.judges.judge import Judge
from appellate.judges.rate_limiter import Limits, RateLimiter
from appellate.traits.prompts import Prompts

if TYPE_CHECKING:
    from appellate.judges.openai import OpenAIJudge
    from appellate.judges.reply_cache import Cache

OFFLINE = ("lexical", "recorded")
"""Judges that send nothing."""
LEAST = 0.01
"""The least cost that is told as a number."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One judge by name.

    A model at an endpoint, with its server's limits, or one that sends nothing.

    `sample` tells apart the times that one model is asked the same.
    """

    name: str
    endpoint: Endpoint | None = None
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    sample: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """Whom to ask and how, with nothing left to look up but the keys, which are no part of it."""

    name: str
    seats: tuple[Seat, ...]
    prompts: Prompts
    few_shot: int
    cache: Path | None


@dataclass(frozen=True, slots=True)
class ModelMember:
    """One model of a choice.

    `judge` builds its requests and reads its replies, `limits` are its server's.
    """

    name: str
    endpoint: Endpoint
    host: str
    limits: Limits
    judge: "OpenAIJudge"


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """Which judge, and what asking it takes; `judge` is None where none may be asked unasked.

    `concurrency` is how many cells are asked about at once. `members` are the models that are sent
    requests, one for each request about a cell. `prompts` are the parts, by trait kind, that go
    before a rubric's; `cache` is the file that replies are kept in, `plan` what another process
    makes the same choice from, None where the judge works in this one.
    """

    name: str
    judge: Judge | None
    host: str = ""
    model: str = ""
    concurrency: int = 8
    members: tuple[ModelMember, ...] = ()
    prompts: Prompts = field(default_factory=dict)
    few_shot: int = 0
    cache: Path | None = None
    plan: Plan | None = None

    @property
    def sends(self) -> bool:
        """Whether it sends requests over a network."""
        return bool(self.host)

    @property
    def who(self) -> str:
        """Who is asked, in words: `gpt-5-mini at api.openai.com`."""
        hosts = {
            host: [m.endpoint.model for m in self.members if m.host == host]
            for host in _hosts(self.members)
        }
        told = [f"{_times(models)} at {host}" for host, models in hosts.items()]
        return " and ".join(told) or (f"{self.model} at {self.host}" if self.sends else self.name)

    def requests(self, cells: int) -> int:
        """How many requests so many cells are, where every first reply will do."""
        return cells * max(1, len(self.members))

    def question(self, cells: int, cost: float | None = None) -> str:
        """What a person is asked before anything is sent; `cost` is of all the cells."""
        told = "this cell" if cells == 1 else f"{cells} cells"
        requests = f"{self.requests(cells)} requests" if self.requests(cells) > cells else ""
        more = ", ".join(part for part in (requests, _priced(cost)) if part)
        return f"Ask {self.who} about {told}" + (f" ({more})?" if more else "?")


def _priced(cost: float | None) -> str:
    if cost is None:
        return ""
    return (
        f"about {cost:.2f} by your prices" if cost >= LEAST else f"less than {LEAST} by your prices"
    )


def planned(plan: Plan, *, sending: bool = True) -> JudgeChoice:
    """The judge of a plan; those at one server with one key share its gate.

    Without `sending` no key is needed.
    """
    cache, limiters = _opened(plan.cache), dict[tuple[str, str | None], RateLimiter]()
    judges: list[Judge] = []
    members: list[ModelMember] = []
    for seat in plan.seats:
        if seat.endpoint is None:
            judges.append(local(seat.name))
            continue
        server = url_of(seat.endpoint.base_url), seat.endpoint.api_key_env
        limiter = limiters.setdefault(server, RateLimiter(seat.limits))
        member = _member(seat, seat.endpoint, limiter, cache, sending=sending)
        judges.append(member.judge)
        members.append(member)
    return JudgeChoice(
        plan.name,
        _seated(judges),
        ", ".join(_hosts(members)),
        _times(member.endpoint.model for member in members),
        max((member.limits.concurrency for member in members), default=1),
        tuple(members),
        plan.prompts,
        plan.few_shot,
        plan.cache,
        plan,
    )


def _member(
    seat: Seat, endpoint: Endpoint, limiter: RateLimiter, cache: "Cache | None", *, sending: bool
) -> ModelMember:
    from appellate.judges.openai import OpenAIJudge

    judge = OpenAIJudge(
        endpoint, cache=cache, sample=seat.sample, limiter=limiter, keyless=not sending
    )
    return ModelMember(seat.name, endpoint, judge.host, limiter.limits, judge)


def local(name: str) -> Judge:
    """A judge that sends nothing."""
    if name == "recorded":
        from appellate.judges.offline import Recorded

        return Recorded()
    from appellate.judges.offline import Lexical

    return Lexical()


def url_of(base_url: str | None) -> str:
    """Where requests go, in one form; raises Refused where that is no address."""
    return access(Endpoint("", base_url), keyless=True).url


def _opened(path: Path | None) -> "Cache | None":
    if path is None:
        return None
    from appellate.judges import reply_cache

    return reply_cache.opened(path)


def _seated(judges: Sequence[Judge]) -> Judge:
    if len(judges) == 1:
        return judges[0]
    from appellate.judges.panel import Panel

    return Panel(judges, f"panel of {_times(judge.name for judge in judges)}")


def _hosts(members: Iterable[ModelMember]) -> list[str]:
    return list(dict.fromkeys(member.host for member in members))


def _times(names: Iterable[str]) -> str:
    """Names, each once: `a, b (3 times)`."""
    return ", ".join(
        name + (f" ({times} times)" if times > 1 else "") for name, times in Counter(names).items()
    )
