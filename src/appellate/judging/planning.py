"""Asking models: profiles of `config.toml`, the command line, and plans for the process.

Profiles are read when a judge is named, so that a slip in them stops nobody who only reviews.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from appellate.core.problem import (
    Problem,
    Refused,
    Unusable,
    closest,
    describe_value,
    quoted,
    unknown_key,
)
from appellate.judges.endpoint import Endpoint, Prices, access
from appellate.judges.proposal import Judge
from appellate.judges.rate_limiter import Limits, RateLimiter
from appellate.judging.choice import OFFLINE, JudgeChoice, local, times_each
from appellate.session import settings
from appellate.store.files.text_file import MIB, expanded, text_of, toml_table, unusable
from appellate.store.files.wording import key_path
from appellate.traits import prompts
from appellate.traits.kinds import implied_kind
from appellate.traits.prompts import Prompts

TAKEN = ("openai", *OFFLINE)
"""The judges that Appellate brings; no profile has their names."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NAME = re.compile(r"\w[\w.-]{0,59}")
_SECRET = ("api_key_env", "base_url")
"""Keys whose value is never told back: people paste a key there."""
_KEYS = ("api_key", "apikey", "key", "token", "secret", "authorization")
_NAMED = 'name the variable that holds the key: api_key_env = "MY_KEY"'
_LONGEST = 86_400

TIMEOUT = 120.0
MOST = 99
"""Members of a panel."""
_OVERRULING = (
    *("model", "base_url", "api_key_env", "concurrency", "rpm", "tpm", "timeout"),
    *("prompt", "few_shot"),
)
"""Options that go before a profile's key of the same name."""

Count = Annotated[int, Field(ge=1)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Tariff(BaseModel):
    """What a million tokens cost; each description says what a value may be."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    input: Price = Field(description="a price for a million tokens, 0 or more")
    output: Price = Field(description="a price for a million tokens, 0 or more")
    cached_input: Price | None = Field(None, description="a price for a million tokens, 0 or more")


class Profile(BaseModel):
    """A judge as it is asked; each description says what a value may be."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    base_url: str | None = Field(None, description="an address such as http://localhost:8000/v1")
    model: str | None = Field(None, min_length=1, description="the name of a model")
    api_key_env: str | None = Field(
        None,
        pattern=rf"^{VARIABLE.pattern}$",
        description="the name of an environment variable, never a key",
    )
    api: Literal["chat", "responses"] = Field("chat", description='"chat" or "responses"')
    concurrency: Count | None = Field(None, description="a whole number from 1 on")
    rpm: Count | None = Field(None, description="a whole number from 1 on")
    tpm: Count | None = Field(None, description="a whole number from 1 on")
    timeout: float | None = Field(
        None, gt=0, le=_LONGEST, description="a number of seconds, at most a day"
    )
    context: Count | None = Field(None, description="a whole number of tokens, from 1 on")
    prices: Tariff | None = Field(
        None, description="a table with input, output and perhaps cached_input"
    )
    params: dict[str, Any] = Field({}, description="a table of parameters of the request")
    prompt: str | None = Field(
        None, min_length=1, description="the name of a file with a prompt template"
    )
    few_shot: int | None = Field(None, ge=0, description="a whole number, 0 or more")


class Profiles(NamedTuple):
    """What `config.toml` says: profiles by name, and the parts of prompts by kind and part."""

    judges: Mapping[str, Profile]
    prompts: Mapping[str, Mapping[str, str]]


def load_profiles() -> Profiles:
    """The profiles; raises Unusable with every fault of theirs."""
    table = settings.config()
    file = str(settings.config_file())
    found = list(_judges(table.get("judges", {}), file))
    for place, wrong in prompts.faults(table.get("prompts", {})):
        found.append(Problem(file, f"prompts.{place}".rstrip("."), wrong))
    if found:
        raise Unusable(found)
    judges = {}
    for name, given in table.get("judges", {}).items():
        profile = Profile(**given)
        if profile.prompt:  # is looked for beside `config.toml`
            prompt = settings.folder() / expanded(profile.prompt)
            profile = profile.model_copy(update={"prompt": str(prompt)})
        judges[name] = profile
    return Profiles(judges, table.get("prompts", {}))


def profile_named(name: str, known: Mapping[str, Profile]) -> Profile:
    """The profile of that name; raises Unusable with the names there are."""
    if name in known:
        return known[name]
    meant = closest(name, [*TAKEN, *known])
    names = ", ".join([*TAKEN, *known])
    right = f"judges are {names}; others are profiles of config.toml"
    if meant:
        right = f"did you mean {quoted(meant)}?"
    raise unusable("judge", f"there is no judge {quoted(name)}", right)


# -- what is wrong with them -----------------------------------------------------------------------


def _judges(judges: object, file: str) -> Iterator[Problem]:
    if not isinstance(judges, dict):
        yield Problem(
            file, "judges", f"must be a table, not {describe_value(judges)}", "write [judges.NAME]"
        )
        return
    for name, given in judges.items():
        place = key_path(["judges", name])
        if name in TAKEN:
            yield Problem(
                file, place, f"{name} is one of Appellate's own judges", "give it another name"
            )
        elif not _NAME.fullmatch(name):
            yield Problem(
                file, place, "is no name for a judge", "letters, digits, _, . and -, at most 60"
            )
        yield from _profile(given, file, ("judges", name))


def _profile(given: object, file: str, place: tuple[str, str]) -> Iterator[Problem]:
    if not isinstance(given, dict):
        wrong = f"must be a table, not {describe_value(given)}"
        yield Problem(file, key_path(place), wrong, f"write [{key_path(place)}]")
        return
    try:
        Profile.model_validate(given)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            yield Problem(file, key_path([*place, *detail["loc"]]), *_describe(detail))
    # what no request can be made from: a wrong address, parameters that are not the user's
    url = given.get("base_url")
    params = given.get("params")
    if not isinstance(params, dict):
        params = {}
    endpoints = {"params": Endpoint("", params=params)}
    if isinstance(url, str):
        endpoints = {"base_url": Endpoint("", url)} | endpoints
    for key, endpoint in endpoints.items():
        try:
            access(endpoint, {}, keyless=True)
        except Refused as refusal:
            yield Problem(file, key_path([*place, key]), f"cannot be used: {refusal}")
    for key in filter(_is_key, params):
        where = key_path([*place, "params", key])
        yield Problem(file, where, "would be saved in every judgment", _NAMED)


def _describe(detail: ErrorDetails) -> tuple[str, str]:
    """What is wrong with a key, and what would be right."""
    *inside, key = map(str, detail["loc"])
    fields = Tariff.model_fields if inside else Profile.model_fields
    if detail["type"] == "missing":
        return "is missing", f"it is {fields[key].description}"
    if detail["type"] == "extra_forbidden":
        wrong, right = unknown_key(key, tuple(fields))
        if _is_key(key):
            right = _NAMED
        return wrong, right
    wrong = f"must be {fields[key].description}"
    if key not in _SECRET:
        wrong += f", not {describe_value(detail['input'])}"
    return wrong, ""


def _is_key(name: str) -> bool:
    """Whether somebody means to write a key down under this name."""
    return name.replace("-", "_").casefold() in _KEYS


# -- plans -----------------------------------------------------------------------------------------


class PanelMember(Struct, frozen=True):
    """A model at an endpoint, or an offline judge; `sample` tells apart several of one model."""

    name: str
    endpoint: Endpoint | None = None
    limits: Limits = Limits()
    sample: int = 0


class Plan(Struct, frozen=True):
    """Whom to ask and how, with nothing left to look up but the keys, which are no part of it."""

    name: str
    members: tuple[PanelMember, ...]
    prompts: Prompts
    few_shot: int
    cache: Path | None


def planned(plan: Plan, *, sending: bool = True) -> JudgeChoice:
    """The judge of a plan, members at one server under one limiter; `sending` takes a key."""
    from appellate.judges.openai import OpenAIJudge

    cache = None
    if plan.cache:
        from appellate.judges import reply_cache

        cache = reply_cache.open_cache(plan.cache)
    limiters: dict[tuple[str, str | None], RateLimiter] = {}
    judges: list[Judge] = []
    models: list[OpenAIJudge] = []
    for member in plan.members:
        if member.endpoint is None:
            judges.append(local(member.name))
            continue
        limiter = limiters.setdefault(_server(member.endpoint), RateLimiter(member.limits))
        judge = OpenAIJudge(
            member.endpoint, cache=cache, sample=member.sample, limiter=limiter, keyless=not sending
        )
        judges.append(judge)
        models.append(judge)
    asked = judges[0]
    if len(judges) > 1:
        from appellate.judges.panel import Panel

        asked = Panel(judges, f"panel of {times_each(one.name for one in judges)}")
    return JudgeChoice(
        plan.name,
        asked,
        max((model.limiter.limits.concurrency for model in models), default=1),
        tuple(models),
        plan.prompts,
        plan.few_shot,
        plan,
    )


def anew(plan: Plan, time: int) -> JudgeChoice:
    """The judge of a plan, asked for the time-th time (from 1), its answers kept apart."""
    members = [replace(member, sample=member.sample + time * (MOST + 1)) for member in plan.members]
    return planned(replace(plan, members=tuple(members)))


def url_of(base_url: str | None) -> str:
    """Where requests go, in one form; raises Refused where that is no address."""
    return access(Endpoint("", base_url), keyless=True).url


# -- judges that are sent requests ----------------------------------------------------------------


def asked(
    names: list[str],
    models: list[str],
    given: Mapping[str, Any],
    workspace: Path | None,
    *,
    sending: bool,
) -> JudgeChoice:
    """The choice of these judges and models; raises Refused or Unusable."""
    if len(names) > 1 and len(models) > 1:
        raise Refused(
            "Several --judge and several --model do not go together: name the models in profiles."
        )
    if names and not set(names) - set(OFFLINE):
        raise Refused(f"The judge {names[0]} asks no model: leave out --model, or --judge.")
    names = names or ["openai"]
    known = load_profiles()
    members = _members(names, models, given, known)
    found = [profile for _, profile in members if profile]
    placed = _placed(members, given)
    parts = known.prompts
    file = _agreed("prompt", found)
    if file:  # its parts go before those of config.toml
        parts = prompts.over(parts, template(expanded(file)))
    plan = Plan(
        ", ".join(dict.fromkeys(names)),
        placed,
        parts,
        _agreed("few_shot", found) or 0,
        _kept(given, workspace),
    )
    return planned(plan, sending=sending)


def _members(
    names: list[str], models: list[str], given: Mapping[str, Any], known: Profiles
) -> list[tuple[str, Profile | None]]:
    """Each member by name, as often as it is asked; one without a profile sends nothing."""
    members: list[tuple[str, Profile | None]] = []
    for name in names:
        if name in OFFLINE:
            members.append((name, None))
            continue
        profile = Profile()
        if name != "openai":
            profile = profile_named(name, known.judges)
        asked: Sequence[str | None] = models
        if not models or (profile.model and len(names) > 1):
            asked = [profile.model]
        members += [(name, _overruled(profile, {**given, "model": model})) for model in asked]
    times = given.get("times") or 1
    if len(members) * times > MOST:
        raise Refused(f"A panel has at most {MOST} members.")
    return [member for member in members for _ in range(times)]


def _overruled(profile: Profile, given: Mapping[str, Any]) -> Profile:
    """The profile under the command line's options; raises Refused where there is no model."""
    fields = {key: given[key] for key in _OVERRULING if given.get(key) is not None}
    if not fields.get("model"):
        raise Refused("Which model? Name it with --model.")
    if VARIABLE.fullmatch(fields.get("api_key_env", "X")) is None:
        raise Refused("--api-key-env takes the name of an environment variable, never a key.")
    elsewhere = "base_url" in fields and url_of(fields["base_url"]) != url_of(profile.base_url)
    foreign: dict[str, None] = {}
    if elsewhere:
        foreign["api_key_env"] = None
    if elsewhere or fields["model"] != profile.model:
        foreign["prices"] = None
        foreign["context"] = None
    return profile.model_copy(update={**foreign, **fields})


def _placed(
    members: Sequence[tuple[str, Profile | None]], given: Mapping[str, Any]
) -> tuple[PanelMember, ...]:
    """Each with all that its profile says; those at one server share the tightest limits."""
    endpoints: list[Endpoint | None] = []
    sharing: dict[tuple[str, str | None], list[Profile]] = {}
    for _, profile in members:
        endpoint = None
        if profile:
            endpoint = _endpoint(profile)
            sharing.setdefault(_server(endpoint), []).append(profile)
        endpoints.append(endpoint)
    sourced = settings.load(given).sourced("patience")
    patience = settings.seconds(sourced.value)
    connecting = patience
    if sourced.source == "default":  # at least as long as one request may take
        connecting = Limits().connecting
        for endpoint in filter(None, endpoints):
            patience = max(patience, endpoint.timeout)
    placed: list[PanelMember] = []
    for at, endpoint in enumerate(endpoints):
        name = members[at][0]
        asked = endpoint
        if endpoint is None:
            placed.append(PanelMember(name))
            continue
        if endpoints.count(endpoint) > 1:  # at temperature 0 it would only say the same
            asked = replace(endpoint, params={"temperature": None, **endpoint.params})
        limits = _limits(sharing[_server(endpoint)], patience, connecting)
        placed.append(PanelMember(name, asked, limits, endpoints[:at].count(endpoint)))
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
        profile.context,
    )


def _limits(sharing: Sequence[Profile], patience: float, connecting: float) -> Limits:
    """The tightest that those who share a server name."""
    concurrency = [one.concurrency for one in sharing if one.concurrency]
    rpm = [one.rpm for one in sharing if one.rpm]
    tpm = [one.tpm for one in sharing if one.tpm]
    return Limits(
        min(concurrency, default=Limits().concurrency),
        min(rpm, default=None),
        min(tpm, default=None),
        patience,
        connecting,
    )


# -- the parts of prompts, and where replies are kept ---------------------------------------------


def _agreed(key: str, asked: Sequence[Profile]) -> Any:
    """What all members say of something that a cell has only once."""
    values = {getattr(profile, key) for profile in asked}
    if len(values) > 1:
        option = "--" + key.replace("_", "-")
        raise Refused(f"The profiles of a panel differ in {key}: say {option} for all of them.")
    return next(iter(values), None)


def template(path: Path) -> Prompts:
    """The parts in a file, by kind or of the implied kind; raises Unusable with every fault."""
    table = toml_table(text_of(path, MIB), str(path))
    if isinstance(table.get("prompts"), dict):
        table = table["prompts"]
    unnamed = ""
    if not any(isinstance(value, dict) for value in table.values()):
        implied = implied_kind().name
        table = {implied: table}
        unnamed = f"{implied}."
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
    sourced = settings.load(given).sourced("cache")
    if not sourced.value:
        return workspace
    path = expanded(sourced.value)
    if sourced.source == "config.toml":
        path = settings.folder() / path
    return path
