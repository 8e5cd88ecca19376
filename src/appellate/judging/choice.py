"""Which judge a command line, a profile or an earlier session asks for, what asking it takes, and
the plan by which another process asks the same one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appellate import settings
from appellate.core.problem import Problem, Refused, Unusable
from appellate.judges.endpoint import Endpoint, Prices, access
from appellate.judges.proposal import Judge
from appellate.judges.rate_limiter import Limits, RateLimiter
from appellate.judging import profiles
from appellate.judging.profiles import Profile, Profiles
from appellate.store import meta
from appellate.store.text_file import MIB, text_of, toml_table
from appellate.traits import prompts
from appellate.traits.kinds import implied_kind
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
        models: dict[str, list[str]] = {}
        for member in self.members:
            models.setdefault(member.host, []).append(member.endpoint.model)
        if models:
            return " and ".join(f"{_times(asked)} at {host}" for host, asked in models.items())
        if self.sends:
            return f"{self.model} at {self.host}"
        return self.name

    def requests(self, cells: int) -> int:
        """How many requests so many cells are, where every first reply will do."""
        return cells * max(1, len(self.members))

    def question(self, cells: int, cost: float | None = None) -> str:
        """What a person is asked before anything is sent; `cost` is of all the cells."""
        told = "this cell" if cells == 1 else f"{cells} cells"
        more = []
        if self.requests(cells) > cells:
            more.append(f"{self.requests(cells)} requests")
        if cost is not None and cost < LEAST:
            more.append(f"less than {LEAST} by your prices")
        elif cost is not None:
            more.append(f"about {cost:.2f} by your prices")
        if more:
            told += f" ({', '.join(more)})"
        return f"Ask {self.who} about {told}?"


def planned(plan: Plan, *, sending: bool = True) -> JudgeChoice:
    """The judge of a plan; those at one server with one key share its gate.

    Without `sending` no key is needed.
    """
    cache = None
    if plan.cache:
        from appellate.judges import reply_cache

        cache = reply_cache.opened(plan.cache)
    limiters: dict[tuple[str, str | None], RateLimiter] = {}
    judges: list[Judge] = []
    members: list[ModelMember] = []
    for seat in plan.seats:
        if seat.endpoint is None:
            judges.append(local(seat.name))
            continue
        limiter = limiters.setdefault(_server(seat.endpoint), RateLimiter(seat.limits))
        member = _member(seat, seat.endpoint, limiter, cache, sending=sending)
        judges.append(member.judge)
        members.append(member)
    judge = judges[0]
    if len(judges) > 1:
        from appellate.judges.panel import Panel

        judge = Panel(judges, f"panel of {_times(one.name for one in judges)}")
    return JudgeChoice(
        plan.name,
        judge,
        ", ".join(dict.fromkeys(member.host for member in members)),
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
    from appellate.judges.offline import Lexical, Recorded

    if name == "recorded":
        return Recorded()
    return Lexical()


def url_of(base_url: str | None) -> str:
    """Where requests go, in one form; raises Refused where that is no address."""
    return access(Endpoint("", base_url), keyless=True).url


def _times(names: Iterable[str]) -> str:
    """Names, each once: `a, b (3 times)`."""
    told = []
    for name, times in Counter(names).items():
        told.append(f"{name} ({times} times)" if times > 1 else name)
    return ", ".join(told)


# -- choosing -------------------------------------------------------------------------------------


TIMEOUT = 120.0
MOST = 99
"""Members of a panel."""
_FOR_MODELS = ("times", "base_url", "api_key_env", "rpm", "tpm", "prompt", "few_shot")
"""Options that mean nothing where no model is asked."""
_OVERRULING = (
    *("model", "base_url", "api_key_env", "concurrency", "rpm", "tpm", "timeout"),
    *("prompt", "few_shot"),
)
"""Options that go before a profile's key of the same name."""


def choose(
    given: Mapping[str, Any],
    workspace_meta: Callable[[str], str | None],
    *,
    workspace: Path | None = None,
    sending: bool = True,
) -> JudgeChoice:
    """The judge of a command line, else the one this workspace had, else what the traces allow.

    A workspace whose judge sent requests gets no judge on reopening: that takes words on the
    command line. Replies are kept in `workspace` where no other file is said. Without `sending`, no
    key is needed and the judge may only be asked what it would send. Raises Refused or Unusable.
    """
    names, models = _texts(given.get("judge")), _texts(given.get("model"))
    if models or set(names) - set(OFFLINE):
        _refuse_both(names, models)
        return _asked(names or ["openai"], models, given, workspace, sending=sending)
    for key in _FOR_MODELS:
        if given.get(key) is not None:
            option = key.replace("_", "-")
            raise Refused(f"--{option} is for a model: name one with --model or --judge.")
    if len(names) > 1:
        raise Refused("A panel has a model on it: name one with --model or --judge.")
    if names:
        return _offline(names[0])
    before = workspace_meta(meta.JUDGE)
    if before and before not in OFFLINE:
        return JudgeChoice(before, None)
    if before:
        return _offline(before)
    if workspace_meta(meta.RECORDED):
        return _offline("recorded")
    return _offline("lexical")


def _refuse_both(names: list[str], models: list[str]) -> None:
    """Refuses models that it is not clear whom to ask for."""
    if len(names) > 1 and len(models) > 1:
        raise Refused(
            "Several --judge and several --model do not go together: name the models in profiles."
        )
    if names and not set(names) - set(OFFLINE):
        raise Refused(f"The judge {names[0]} asks no model: leave out --model, or --judge.")


def _texts(value: str | Sequence[str] | None) -> list[str]:
    """An option that may be repeated, each thing once or more."""
    if isinstance(value, str):
        return [value]
    return list(value or ())


def _offline(name: str) -> JudgeChoice:
    return JudgeChoice(name, local(name), concurrency=1)


# -- judges that are sent requests ----------------------------------------------------------------


def _asked(
    names: list[str],
    models: list[str],
    given: Mapping[str, Any],
    workspace: Path | None,
    *,
    sending: bool,
) -> JudgeChoice:
    known = profiles.load()
    seats = _seats(names, models, given, known)
    told = [profile for _, profile in seats if profile]
    plan = Plan(
        ", ".join(dict.fromkeys(names)),
        _placed(seats),
        _parts(told, known),
        _agreed("few_shot", told) or 0,
        _kept(given, workspace),
    )
    return planned(plan, sending=sending)


def _seats(
    names: list[str], models: list[str], given: Mapping[str, Any], known: Profiles
) -> list[tuple[str, Profile | None]]:
    """Each member by name, as often as it is asked; one without a profile sends nothing."""
    seats: list[tuple[str, Profile | None]] = []
    for name in names:
        if name in OFFLINE:
            seats.append((name, None))
            continue
        profile = Profile()
        if name != "openai":
            profile = profiles.named(name, known.judges)
        asked: Sequence[str | None] = models
        if not models or (profile.model and len(names) > 1):
            asked = [profile.model]
        seats += [(name, _overruled(profile, {**given, "model": model})) for model in asked]
    times = given.get("times") or 1
    if len(seats) * times > MOST:
        raise Refused(f"A panel has at most {MOST} members.")
    return [seat for seat in seats for _ in range(times)]


def _overruled(profile: Profile, given: Mapping[str, Any]) -> Profile:
    """The profile under the options of the command line; raises Refused where there is no model.

    Its key goes to no server but its own, and its prices are of its own model.
    """
    said = {key: given[key] for key in _OVERRULING if given.get(key) is not None}
    if not said.get("model"):
        raise Refused("Which model? Name it with --model.")
    if profiles.VARIABLE.fullmatch(said.get("api_key_env", "X")) is None:
        raise Refused("--api-key-env takes the name of an environment variable, never a key.")
    elsewhere = "base_url" in said and url_of(said["base_url"]) != url_of(profile.base_url)
    foreign: dict[str, None] = {}
    if elsewhere:
        foreign["api_key_env"] = None
    if elsewhere or said["model"] != profile.model:
        foreign["prices"] = None
    return profile.model_copy(update={**foreign, **said})


def _placed(seats: Sequence[tuple[str, Profile | None]]) -> tuple[Seat, ...]:
    """Each with all that its profile says; those at one server share the tightest limits."""
    endpoints: list[Endpoint] = []
    sharing: dict[tuple[str, str | None], list[Profile]] = {}
    for _, profile in seats:
        if profile:
            endpoint = _endpoint(profile)
            endpoints.append(endpoint)
            sharing.setdefault(_server(endpoint), []).append(profile)
    placed: list[Seat] = []
    at = 0
    for name, profile in seats:
        if profile is None:
            placed.append(Seat(name))
            continue
        endpoint = asked = endpoints[at]
        if endpoints.count(endpoint) > 1:  # at temperature 0 it would only say the same
            asked = replace(endpoint, params={"temperature": None, **endpoint.params})
        limits = _limits(sharing[_server(endpoint)])
        placed.append(Seat(name, asked, limits, endpoints[:at].count(endpoint)))
        at += 1
    return tuple(placed)


def _server(endpoint: Endpoint) -> tuple[str, str | None]:
    """What endpoints have in common that share a rate limiter: the address, and whose key."""
    return url_of(endpoint.base_url), endpoint.api_key_env


def _endpoint(profile: Profile) -> Endpoint:
    prices = None
    if profile.prices:
        prices = Prices(**profile.prices.model_dump())
    return Endpoint(
        profile.model or "",
        profile.base_url,
        profile.api_key_env,
        float(profile.timeout or TIMEOUT),
        profile.api,
        profile.params,
        prices,
    )


def _limits(sharing: Sequence[Profile]) -> Limits:
    """The tightest that those who share a server name."""
    concurrency = [one.concurrency for one in sharing if one.concurrency]
    rpm = [one.rpm for one in sharing if one.rpm]
    tpm = [one.tpm for one in sharing if one.tpm]
    return Limits(
        min(concurrency, default=Limits().concurrency),
        min(rpm, default=None),
        min(tpm, default=None),
    )


# -- what they are told, and where replies are kept -----------------------------------------------


def _parts(asked: Sequence[Profile], known: Profiles) -> Prompts:
    """The parts of config.toml under those of the file that a profile or the command line names."""
    file = _agreed("prompt", asked)
    if not file:
        return known.prompts
    return prompts.over(known.prompts, template(Path(file).expanduser()))


def _agreed(key: str, asked: Sequence[Profile]) -> Any:
    """What all members say of something that a cell has only once."""
    said = {getattr(profile, key) for profile in asked}
    if len(said) > 1:
        option = "--" + key.replace("_", "-")
        raise Refused(f"The profiles of a panel differ in {key}: say {option} for all of them.")
    return next(iter(said), None)


def template(path: Path) -> Prompts:
    """The parts in a file, by kind as in a rubric, or those of the implied kind alone.

    Raises Unusable with every fault.
    """
    table = toml_table(text_of(path, MIB), str(path))
    if isinstance(table.get("prompts"), dict):
        table = table["prompts"]
    unnamed = ""
    if not any(isinstance(value, dict) for value in table.values()):
        implied = implied_kind().name
        table, unnamed = {implied: table}, f"{implied}."
    found = []
    for place, wrong in prompts.faults(table):
        found.append(Problem(str(path), place.removeprefix(unnamed), wrong))
    if found:
        raise Unusable(found)
    return table


def _kept(given: Mapping[str, Any], workspace: Path | None) -> Path | None:
    """The file that replies are kept in, if they are."""
    if given.get("no_cache"):
        return None
    said = settings.load(given).sourced("cache")
    if not said.value:
        return workspace
    path = Path(said.value).expanduser()
    if said.source == "config.toml":
        path = settings.folder() / path
    return path
