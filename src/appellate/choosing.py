"""Which judge a command line, a profile or an earlier session asks for, and all that asking it takes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appellate import profiles, settings
from appellate.core.problem import Problem, Unusable
from appellate.core.refused import Refused
from appellate.judges.endpoint import Endpoint, Prices, access
from appellate.judges.gate import Gate, Limits
from appellate.judges.judge import Judge
from appellate.profiles import Profile, Profiles
from appellate.store.text import MIB, text_of, toml_table
from appellate.traits import prompts
from appellate.traits.prompts import Prompts

if TYPE_CHECKING:
    from appellate.judges.cache import Cache
    from appellate.judges.openai import OpenAIJudge

OFFLINE = ("lexical", "recorded")
"""Judges that send nothing."""
TIMEOUT = 120.0
MOST = 99
"""Members of a panel."""
LEAST = 0.01
"""The least cost that is told as a number."""
_FOR_MODELS = ("times", "base_url", "api_key_env", "rpm", "tpm", "prompt", "few_shot")
"""Options that mean nothing where no model is asked."""
_OVERRULING = ("model", "base_url", "api_key_env", "concurrency", "rpm", "tpm", "timeout", "prompt", "few_shot")
"""Options that go before a profile's key of the same name."""
_OPTIONS = (*_OVERRULING, "judge", "times", "cache", "no_cache")


@dataclass(frozen=True, slots=True)
class Member:
    """One model of a choice; `judge` builds its requests and reads its replies, `limits` are its server's."""

    name: str
    endpoint: Endpoint
    host: str
    limits: Limits
    judge: "OpenAIJudge"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which judge, and what asking it takes; `judge` is None where none may be asked unasked.

    `concurrency` is how many cells are asked about at once. `members` are the models that are sent
    requests, one for each request about a cell. `prompts` are the parts, by trait kind, that go before
    a rubric's; `cache` is the file that replies are kept in, `given` the options by which another process
    makes the same choice, None where the judge works in this one.
    """

    name: str
    judge: Judge | None
    host: str = ""
    model: str = ""
    concurrency: int = 8
    members: tuple[Member, ...] = ()
    prompts: Prompts = field(default_factory=dict)
    few_shot: int = 0
    cache: Path | None = None
    given: Mapping[str, Any] | None = None

    @property
    def sends(self) -> bool:
        """Whether it sends requests over a network."""
        return bool(self.host)

    @property
    def who(self) -> str:
        """Who is asked, in words: `gpt-5-mini at api.openai.com`."""
        hosts = {host: [m.endpoint.model for m in self.members if m.host == host] for host in _hosts(self.members)}
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
    return f"about {cost:.2f} by your prices" if cost >= LEAST else f"less than {LEAST} by your prices"


def choose(
    given: Mapping[str, Any],
    workspace_meta: Callable[[str], str | None],
    *,
    workspace: Path | None = None,
    sending: bool = True,
) -> Choice:
    """The judge that a command line asks for, else the one this workspace had, else what the traces allow.

    A workspace whose judge sent requests gets no judge on reopening: that takes words on the command
    line. Replies are kept in `workspace` where no other file is said. Without `sending`, no key is
    needed and the judge may only be asked what it would send. Raises Refused or Unusable.
    """
    names, models = _texts(given.get("judge")), _texts(given.get("model"))
    if models or set(names) - set(OFFLINE):
        _refuse_both(names, models)
        return _asked(names or ["openai"], models, given, workspace, sending=sending)
    pointless = [key for key in _FOR_MODELS if given.get(key) is not None]
    if pointless:
        raise Refused(f"--{pointless[0].replace('_', '-')} is for a model: name one with --model or --judge.")
    if len(names) > 1:
        raise Refused("A panel has a model on it: name one with --model or --judge.")
    return _offline(names[0]) if names else _unasked(workspace_meta)


def _refuse_both(names: list[str], models: list[str]) -> None:
    """Refuses models that it is not clear whom to ask for."""
    if len(names) > 1 and len(models) > 1:
        raise Refused("Several --judge and several --model do not go together: name the models in profiles.")
    if names and not set(names) - set(OFFLINE):
        raise Refused(f"The judge {names[0]} asks no model: leave out --model, or --judge.")


def _texts(value: Any) -> list[str]:
    """An option that may be repeated, each thing once or more."""
    return [value] if isinstance(value, str) else list(value or ())


def _unasked(workspace_meta: Callable[[str], str | None]) -> Choice:
    before = workspace_meta("judge")
    if before and before not in OFFLINE:
        return Choice(before, None)
    return _offline(before or ("recorded" if workspace_meta("recorded") else "lexical"))


def _offline(name: str) -> Choice:
    return Choice(name, _local(name), concurrency=1)


def _local(name: str) -> Judge:
    if name == "recorded":
        from appellate.judges.recorded import Recorded

        return Recorded()
    from appellate.judges.lexical import Lexical

    return Lexical()


# -- judges that are sent requests ------------------------------------------------------------------


def _asked(
    names: list[str], models: list[str], given: Mapping[str, Any], workspace: Path | None, *, sending: bool
) -> Choice:
    known = profiles.load()
    seats = _seats(names, models, given, known)
    asked = [(name, profile) for name, profile in seats if profile]
    told, kept = [profile for _, profile in asked], _kept(given, workspace)
    members = _members(asked, kept, sending=sending)
    waiting = iter(members)
    judges = [next(waiting).judge if profile else _local(name) for name, profile in seats]
    return Choice(
        ", ".join(dict.fromkeys(names)),
        _seated(judges),
        ", ".join(_hosts(members)),
        _times(member.endpoint.model for member in members),
        max((member.limits.concurrency for member in members), default=1),
        tuple(members),
        _parts(told, known),
        _agreed("few_shot", told) or 0,
        kept,
        {key: given[key] for key in _OPTIONS if given.get(key) is not None},
    )


def _seats(
    names: list[str], models: list[str], given: Mapping[str, Any], known: Profiles
) -> list[tuple[str, Profile | None]]:
    """Each member by name, as often as it is asked; one without a profile sends nothing."""
    seats: list[tuple[str, Profile | None]] = []
    for name in names:
        if name in OFFLINE:
            seats.append((name, None))
            continue
        profile = Profile() if name == "openai" else profiles.named(name, known.judges)
        own = bool(profile.model) and len(names) > 1
        asked: Sequence[str | None] = [profile.model] if own or not models else models
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
    elsewhere = "base_url" in said and _url(said["base_url"]) != _url(profile.base_url)
    own = profile.model_copy(update={"api_key_env": None}) if elsewhere else profile
    if elsewhere or said["model"] != profile.model:
        own = own.model_copy(update={"prices": None})
    return own.model_copy(update=said)


def _url(base_url: str | None) -> str:
    """Where requests go, in one form; raises Refused where that is no address."""
    return access(Endpoint("", base_url), keyless=True).url


def _members(seats: Sequence[tuple[str, Profile]], kept: Path | None, *, sending: bool) -> list[Member]:
    """The models; those at one server with one key share its gate, those at one model are different samples."""
    from appellate.judges.openai import OpenAIJudge

    endpoints = [_endpoint(profile) for _, profile in seats]
    servers = [(_url(endpoint.base_url), endpoint.api_key_env) for endpoint in endpoints]
    gates = {
        server: Gate(_limits(p for (_, p), at in zip(seats, servers, strict=True) if at == server))
        for server in servers
    }
    cache = _opened(kept)
    members = []
    for at, ((name, _), endpoint, server) in enumerate(zip(seats, endpoints, servers, strict=True)):
        asked = _varied(endpoint) if endpoints.count(endpoint) > 1 else endpoint
        gate, sample = gates[server], endpoints[:at].count(endpoint)
        judge = OpenAIJudge(asked, cache=cache, sample=sample, gate=gate, keyless=not sending)
        members.append(Member(name, asked, judge.host, gate.limits, judge))
    return members


def _endpoint(profile: Profile) -> Endpoint:
    return Endpoint(
        profile.model or "",
        profile.base_url,
        profile.api_key_env,
        float(profile.timeout or TIMEOUT),
        profile.api,
        profile.params,
        Prices(**profile.prices.model_dump()) if profile.prices else None,
    )


def _varied(endpoint: Endpoint) -> Endpoint:
    """Asked several times, a model may vary as its server has it: at temperature 0 it would only say the same."""
    return replace(endpoint, params={"temperature": None, **endpoint.params})


def _limits(sharing: Iterable[Profile]) -> Limits:
    """The tightest that those who share a server name."""
    told = list(sharing)
    concurrency = _tightest(one.concurrency for one in told) or Limits().concurrency
    return Limits(int(concurrency), _tightest(one.rpm for one in told), _tightest(one.tpm for one in told))


def _tightest(limits: Iterable[float | None]) -> float | None:
    return min((limit for limit in limits if limit is not None), default=None)


def _seated(judges: Sequence[Judge]) -> Judge:
    if len(judges) == 1:
        return judges[0]
    from appellate.judges.panel import Panel

    return Panel(judges, f"panel of {_times(judge.name for judge in judges)}")


def _hosts(members: Iterable[Member]) -> list[str]:
    return list(dict.fromkeys(member.host for member in members))


def _times(names: Iterable[str]) -> str:
    """Names, each once: `a, b (3 times)`."""
    return ", ".join(name + (f" ({times} times)" if times > 1 else "") for name, times in Counter(names).items())


# -- what they are told, and where replies are kept --------------------------------------------------


def _parts(asked: Sequence[Profile], known: Profiles) -> Prompts:
    """The parts of config.toml under those of the file that a profile or the command line names."""
    file = _agreed("prompt", asked)
    return prompts.over(known.prompts, template(Path(file).expanduser())) if file else known.prompts


def _agreed(key: str, asked: Sequence[Profile]) -> Any:
    """What all members say of something that a cell has only once."""
    said = {getattr(profile, key) for profile in asked}
    if len(said) > 1:
        option = "--" + key.replace("_", "-")
        raise Refused(f"The profiles of a panel differ in {key}: say {option} for all of them.")
    return next(iter(said), None)


def template(path: Path) -> Prompts:
    """The parts in a file, like the shipped prompt.toml or by kind as in a rubric; raises Unusable with every fault."""
    table = toml_table(text_of(path, MIB), str(path))
    table = table["prompts"] if isinstance(table.get("prompts"), dict) else table
    by_kind = any(isinstance(value, dict) for value in table.values())
    given = table if by_kind else {"metric": table}
    faults = [(place if by_kind else place.removeprefix("metric."), wrong) for place, wrong in prompts.faults(given)]
    if faults:
        raise Unusable([Problem(str(path), place, wrong) for place, wrong in faults])
    return given


def _kept(given: Mapping[str, Any], workspace: Path | None) -> Path | None:
    """The file that replies are kept in, if they are."""
    if given.get("no_cache"):
        return None
    said = settings.load(given).sourced("cache")
    if not said.value:
        return workspace
    path = Path(said.value).expanduser()
    return settings.folder() / path if said.source == "config.toml" else path


def _opened(path: Path | None) -> "Cache | None":
    if path is None:
        return None
    from appellate.judges import cache

    return cache.opened(path)
