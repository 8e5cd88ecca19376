"""Judges that are models: profiles of `config.toml`, the command line, and plans for the process.

`choice_of_models()` turns names and options into a `Plan`, and `choice_of_plan()` turns that into a
`JudgeChoice`, here or in the process that asks. Profiles are read only when a judge is named, so
that an error in them does not disturb a person who only reviews.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from appellate.core.describe import is_lexical
from appellate.core.problem import (
    Problem,
    Refused,
    Unusable,
    closest,
    describe_value,
    quoted,
    unknown_key,
)
from appellate.judges.endpoint import Endpoint, Prices, access, key_variable
from appellate.judges.proposal import Judge
from appellate.judges.rate_limiter import Limits, RateLimiter
from appellate.judging.choice import (
    OFFLINE,
    JudgeChoice,
    names_with_counts,
    offline_judge,
    sends_nothing,
)
from appellate.session import settings
from appellate.store.files.text_file import MIB, expanded, text_of, toml_table, unusable
from appellate.store.files.wording import key_path
from appellate.traits import prompts
from appellate.traits.kinds import implied_kind
from appellate.traits.prompts import Prompts

if TYPE_CHECKING:
    from appellate.judges.reply_cache import SavedReplies

TAKEN = ("openai", *OFFLINE)
"""The judges that Appellate has itself. No profile may have these names."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
"""The name of an environment variable."""
_NAME = re.compile(r"\w[\w.-]{0,59}")
"""The name of a profile."""
_NOT_REPEATED = ("api_key_env", "base_url")
"""Keys of a profile whose value no message repeats, since people paste their key there."""
_KEYS = ("api_key", "apikey", "key", "token", "secret", "authorization")
"""Names under which people write their key."""
_NAME_A_VARIABLE = 'name the variable that holds the key: api_key_env = "MY_KEY"'
_LONGEST_TIMEOUT = 86_400
"""Seconds."""

TIMEOUT = 120.0
"""Seconds for one request, if a profile does not say."""
MOST = 99
"""Members of a panel at most."""
_OVERRULING = (
    *("base_url", "api_key_env", "concurrency", "rpm", "tpm", "timeout"),
    *("prompt", "few_shot"),
)
"""Options that have precedence over the key of the same name in a profile."""

_SharedKey = Literal["prompt", "few_shot"]
"""Keys of a profile in which the members of a panel must agree."""

Count = Annotated[int, Field(ge=1)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Tariff(BaseModel):
    """Prices of a million tokens. Each description says what a value may be."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        defer_build=True,
    )

    input: Price = Field(description="a price for a million tokens, 0 or more")
    output: Price = Field(description="a price for a million tokens, 0 or more")
    cached_input: Price | None = Field(
        None,
        description="a price for a million tokens, 0 or more",
    )


class Profile(BaseModel):
    """A judge in `config.toml`. Each description says what a value may be."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        defer_build=True,
    )

    base_url: str | None = Field(
        None,
        description="an address such as http://localhost:8000/v1",
    )
    model: str | None = Field(None, min_length=1, description="the name of a model")
    api_key_env: str | None = Field(
        None,
        pattern=rf"^{VARIABLE.pattern}$",
        description="the name of an environment variable, never a key",
    )
    api: Literal["chat", "responses"] = Field(
        "chat",
        description='"chat" or "responses"',
    )
    concurrency: Count | None = Field(None, description="a whole number from 1 on")
    rpm: Count | None = Field(None, description="a whole number from 1 on")
    tpm: Count | None = Field(None, description="a whole number from 1 on")
    timeout: float | None = Field(
        None,
        gt=0,
        le=_LONGEST_TIMEOUT,
        description="a number of seconds, at most a day",
    )
    context: Count | None = Field(
        None,
        description="a whole number of tokens, from 1 on",
    )
    prices: Tariff | None = Field(
        None,
        description="a table with input, output and perhaps cached_input",
    )
    params: dict[str, Any] = Field(
        {},
        description="a table of parameters of the request",
    )
    prompt: str | None = Field(
        None,
        min_length=1,
        description="the name of a file with a prompt template",
    )
    few_shot: int | None = Field(None, ge=0, description="a whole number, 0 or more")
    members: list[str] | None = Field(
        None,
        min_length=1,
        description="a list of the names of judges, which are a panel",
    )


class Profiles(NamedTuple):
    """The profiles and prompts in `config.toml`."""

    judges: Mapping[str, Profile]
    """By name."""
    prompts: Mapping[str, Mapping[str, str]]
    """Parts of prompts, by the kind of trait and the part."""


def load_profiles() -> Profiles:
    """Return the profiles and prompts in `config.toml`.

    Each is empty without that file, or without such a table in it. The path of a profile's prompt
    file is completed by the folder of `config.toml`, and the file is not read. Raises Unusable with
    all errors in them, or for a file that is no TOML.
    """
    table = settings.config()
    file = str(settings.config_file())
    judge_tables = table.get("judges", {})
    prompt_tables = table.get("prompts", {})

    problems = list(_judge_problems(judge_tables, file))
    for path, problem in prompts.faults(prompt_tables):
        problems.append(Problem(file, f"prompts.{path}".rstrip("."), problem))
    if problems:
        raise Unusable(problems)

    judges: dict[str, Profile] = {}
    for name, fields in judge_tables.items():
        profile = Profile(**fields)
        if profile.prompt:  # a path relative to the folder of `config.toml`
            prompt_file = settings.folder() / expanded(profile.prompt)
            profile = profile.model_copy(update={"prompt": str(prompt_file)})
        judges[name] = profile
    return Profiles(judges, prompt_tables)


def profile_named(name: str, profiles: Mapping[str, Profile]) -> Profile | None:
    """Return the profile of the judge of this name, or None for a judge that sends nothing.

    That of "openai" is empty. Raises Unusable for an unknown name, with the closest name there is
    or else all of them, and for a wrong share of words after "lexical:".
    """
    if sends_nothing(name):
        return None
    if name == "openai":
        return Profile()
    if name in profiles:
        return profiles[name]
    if is_lexical(name):
        right = "write a share of the words above 0, up to 1, as in lexical:0.5"
        raise unusable("judge", f"{quoted(name)} is no setting of lexical", right)

    all_names = [*TAKEN, *profiles]
    suggestion = closest(name, all_names)
    if suggestion:
        advice = f"did you mean {quoted(suggestion)}?"
    else:
        names = ", ".join(all_names)
        advice = f"judges are {names}; you can add others as profiles in config.toml"
    raise unusable("judge", f"there is no judge {quoted(name)}", advice)


# -- what is wrong with them -----------------------------------------------------------------------


def _judge_problems(judges: object, file: str) -> Iterator[Problem]:
    """Yield the errors in the table `judges` of `config.toml`: in names, and in each profile.

    `judges` is what the file holds under that key, which may be no table. A name is wrong if it is
    that of one of Appellate's own judges, or has other signs than a name may have. `file` is the
    path for the messages.
    """
    if not isinstance(judges, dict):
        yield Problem(
            file,
            "judges",
            f"must be a table, not {describe_value(judges)}",
            "write [judges.NAME]",
        )
        return
    for name, fields in judges.items():
        path = key_path(["judges", name])
        if name in TAKEN:
            yield Problem(
                file,
                path,
                f"{name} is one of Appellate's own judges",
                "give it another name",
            )
        elif not _NAME.fullmatch(name):
            yield Problem(
                file,
                path,
                "is not a valid name for a judge",
                "letters, digits, _, . and -, at most 60",
            )
        yield from _profile_problems(fields, file, ("judges", name))


def _profile_problems(
    fields: object,
    file: str,
    path: tuple[str, str],
) -> Iterator[Problem]:
    """Yield the errors in one profile: `fields` is what the file has at `path`.

    They are wrong keys and values, keys besides `members`, and those of `_endpoint_problems`. Their
    messages repeat no address and no key.
    """
    if not isinstance(fields, dict):
        problem = f"must be a table, not {describe_value(fields)}"
        yield Problem(file, key_path(path), problem, f"write [{key_path(path)}]")
        return
    try:
        Profile.model_validate(fields)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            yield Problem(
                file,
                key_path([*path, *detail["loc"]]),
                *_fault_and_advice(detail),
            )

    if fields.get("members") and len(fields) > 1:
        right = "leave out the other keys, or give them to its members"
        yield Problem(file, key_path([*path, "members"]), "makes it a panel", right)
    yield from _endpoint_problems(fields, file, path)


def _endpoint_problems(
    fields: Mapping[str, Any],
    file: str,
    path: tuple[str, str],
) -> Iterator[Problem]:
    """Yield the errors of a profile that only its endpoint finds: `fields` are the table at `path`.

    They are an address that cannot be used, and parameters that no request may have or that look
    like a key. What is of another type is left to `Profile`. No message repeats an address or key.
    """
    url = fields.get("base_url")
    params = fields.get("params")
    if not isinstance(params, dict):
        params = {}
    endpoints = {"params": Endpoint("", params=params)}
    if isinstance(url, str):
        endpoints = {"base_url": Endpoint("", url)} | endpoints
    for key, endpoint in endpoints.items():
        try:
            access(endpoint, {}, keyless=True)
        except Refused as refusal:
            yield Problem(file, key_path([*path, key]), f"cannot be used: {refusal}")
    for key in filter(_is_key, params):
        param_path = key_path([*path, "params", key])
        yield Problem(
            file,
            param_path,
            "would be saved in every judgment",
            _NAME_A_VARIABLE,
        )


def _fault_and_advice(detail: ErrorDetails) -> tuple[str, str]:
    """Return what is wrong with a key of a profile, and what would be right, as sentence parts.

    For example ("is missing", "it is a price for a million tokens, 0 or more"), or ('there is no
    key "modle"', 'did you mean "model"?'). For a wrong value the second is "", since the first says
    what it must be; it repeats the wrong value too, but not that of an address or of `api_key_env`.
    """
    key, *inner_keys = map(str, detail["loc"])
    fields = Profile.model_fields
    if key == "members" and inner_keys:
        return f"must be the name of a judge, not {describe_value(detail['input'])}", ""
    if key == "prices" and inner_keys:
        key = inner_keys[-1]
        fields = Tariff.model_fields
    if detail["type"] == "missing":
        return "is missing", f"it is {fields[key].description}"
    if detail["type"] == "extra_forbidden":
        problem, advice = unknown_key(key, tuple(fields))
        if _is_key(key):
            advice = _NAME_A_VARIABLE
        return problem, advice
    problem = f"must be {fields[key].description}"
    if key not in _NOT_REPEATED:
        problem += f", not {describe_value(detail['input'])}"
    return problem, ""


def _is_key(name: str) -> bool:
    """Return whether people write their key under this name, in any case, with - or _."""
    return name.replace("-", "_").casefold() in _KEYS


# -- plans -----------------------------------------------------------------------------------------


class PanelMember(Struct, frozen=True):
    """A model at an endpoint, or a judge that sends nothing."""

    name: str
    endpoint: Endpoint | None = None
    """None for a judge that sends nothing."""
    limits: Limits = Limits()
    sample: int = 0
    """Distinguishes members that ask the same model at the same endpoint."""


class Plan(Struct, frozen=True):
    """The judges to ask, and how. All is looked up except the keys, which are no part of it."""

    name: str
    """The names that the user gave."""
    members: tuple[PanelMember, ...]
    prompts: Prompts
    few_shot: int
    """Examples in each prompt."""
    cache: Path | None
    """The file of saved replies; None if none are saved."""


def choice_of_plan(
    plan: Plan,
    *,
    sending: bool = True,
    replies: "SavedReplies | None" = None,
) -> JudgeChoice:
    """Return the judge of a plan; nothing is sent yet.

    Several members make a panel, and those at one server share a rate limiter. As many cells are
    asked about at once as the largest limit of a server says, or one if no model is asked. Other
    people's code may not run by the choice.

    Replies are saved in `replies`, or else in the plan's file, or nowhere if it names none. A
    missing file is made only by the first reply, but its folder must be there. Without `sending` no
    key is needed. Raises Refused for an address, a parameter or a key that cannot be used, for a
    missing key, and for a file in which replies cannot be saved.
    """
    from appellate.judges.openai import OpenAIJudge

    cache = replies
    if cache is None and plan.cache:
        from appellate.judges import reply_cache

        cache = reply_cache.open_cache(plan.cache)
    limiters: dict[tuple[str, str | None], RateLimiter] = {}
    judges: list[Judge] = []
    models: list[OpenAIJudge] = []
    for member in plan.members:
        if member.endpoint is None:
            judges.append(offline_judge(member.name))
            continue
        limiter = limiters.setdefault(
            _server(member.endpoint),
            RateLimiter(member.limits),
        )
        judge = OpenAIJudge(
            member.endpoint,
            cache=cache,
            sample=member.sample,
            limiter=limiter,
            keyless=not sending,
        )
        judges.append(judge)
        models.append(judge)

    chosen: Judge = judges[0]
    if len(judges) > 1:
        from appellate.judges.panel import Panel

        chosen = Panel(
            judges,
            f"panel of {names_with_counts(judge.name for judge in judges)}",
        )
    return JudgeChoice(
        plan.name,
        chosen,
        max((model.limiter.limits.concurrency for model in models), default=1),
        tuple(models),
        plan.prompts,
        plan.few_shot,
        plan,
    )


def choice_asked_again(plan: Plan, repeat_no: int) -> JudgeChoice:
    """Return the judge of a plan, to be asked the same questions again.

    `repeat_no` counts from 1 how often they are asked again. Replies to each time are saved apart
    from the others and from those of the plan itself, so that no earlier reply is taken. The keys
    are required. Raises Refused as `choice_of_plan` does: for an address, a parameter or a key that
    cannot be used, for a missing key, and for a file in which replies cannot be saved.
    """
    members = [
        replace(member, sample=member.sample + repeat_no * (MOST + 1))
        for member in plan.members
    ]
    return choice_of_plan(replace(plan, members=tuple(members)))


def url_of(base_url: str | None) -> str:
    """Return the base URL that requests go to, without a slash or an API's path at its end.

    `http://host/v1/chat/completions/` gives `http://host/v1`; the host's letters stay as they are.
    None and "" stand for the variable OPENAI_BASE_URL, or else OpenAI's own server. Raises Refused
    if it is no address, or one with a user, a query or a fragment.
    """
    return access(Endpoint("", base_url), keyless=True).url


# -- judges that are sent requests ----------------------------------------------------------------


def choice_of_models(
    names: list[str],
    models: list[str],
    options: Mapping[str, Any],
    workspace: Path | None,
    *,
    sending: bool,
) -> JudgeChoice:
    """Return the choice of the judges `names`, asked with the models `models`.

    Either list may be empty: without a judge it is "openai", and without a model each profile's
    own. Of several judges, one whose profile has a model is asked with that in any case. `options`
    are those of the command line, which have precedence over profiles. `workspace` is the file that
    replies are saved in, unless the options or settings name another one or none. Parts of prompts
    in a template file have precedence over those of config.toml. With `sending` the keys are
    required.

    Raises Refused for several names with several models, if all judges named send nothing, if
    judges and options do not go together, and if a model or key is missing. It does so also for an
    address, a parameter, a key or a file for replies that cannot be used. Raises Unusable for an
    unknown judge and for errors in config.toml, settings or the template.
    """
    if len(names) > 1 and len(models) > 1:
        raise Refused(
            "Several --judge and several --model cannot be combined: name the models in profiles.",
        )
    if names and all(map(sends_nothing, names)):
        raise Refused(
            f"The judge {names[0]} asks no model: leave out --model, or --judge.",
        )

    names = names or ["openai"]
    profiles = load_profiles()
    judges = _judges_named(names, profiles.judges)
    members = _members(judges, models, options)
    member_profiles = [profile for _, profile in members if profile]
    panel_members = _panel_members(members, options)
    prompt_parts = profiles.prompts
    template_file = _common_value("prompt", member_profiles)
    if template_file:  # its parts have precedence over those of config.toml
        prompt_parts = prompts.over(
            prompt_parts,
            load_template(expanded(template_file)),
        )
    plan = Plan(
        ", ".join(dict.fromkeys(names)),
        panel_members,
        prompt_parts,
        _common_value("few_shot", member_profiles) or 0,
        _cache_file(options, workspace),
    )
    return choice_of_plan(plan, sending=sending)


def _judges_named(
    names: Sequence[str],
    profiles: Mapping[str, Profile],
) -> list[tuple[str, Profile | None]]:
    """Return the name and the profile of each judge that is named, in order.

    The members of a panel take the place of its name. A judge that sends nothing has no profile:
    ("lexical", None). Raises Refused for a panel in a panel, and Unusable for an unknown judge.
    """
    judges: list[tuple[str, Profile | None]] = []
    for name in names:
        profile = profile_named(name, profiles)
        if profile is None or profile.members is None:
            judges.append((name, profile))
            continue
        for member in profile.members:
            member_profile = profile_named(member, profiles)
            if member_profile and member_profile.members:
                raise Refused(
                    f"{member} is a panel itself, so it cannot be in the panel {name}.",
                )
            judges.append((member, member_profile))
    return judges


def _members(
    judges: Sequence[tuple[str, Profile | None]],
    models: Sequence[str],
    options: Mapping[str, Any],
) -> list[tuple[str, Profile | None]]:
    """Return the name and the profile for each time that one of these judges is asked, in order.

    A judge without a profile stays so. Any other is asked with every model of `models`, or with the
    model of its profile if `models` is empty. If there are several judges, one whose profile has a
    model is asked with that in any case. The profiles are copies with the model and the options, as
    `_with_options` returns them. The option `times` says how often each is asked: a, a, b, b.

    Raises Refused for more than `MOST` members, a judge without a model, a wrong address, and a key
    in place of the name of its variable.
    """
    members: list[tuple[str, Profile | None]] = []
    for name, profile in judges:
        if profile is None:
            members.append((name, None))
            continue
        model_names: Sequence[str | None] = models
        if not models or (profile.model and len(judges) > 1):
            model_names = [profile.model]
        for model in model_names:
            if not model:
                raise Refused("Which model? Name it with --model.")
            members.append((name, _with_options(profile, model, options)))

    times = options.get("times") or 1
    if len(members) * times > MOST:
        raise Refused(f"A panel has at most {MOST} members.")
    return [member for member in members for _ in range(times)]


def _with_options(
    profile: Profile,
    model: str,
    options: Mapping[str, Any],
) -> Profile:
    """Return a copy of a profile with this model and the options of the command line it can have.

    The options that are read are those of `_OVERRULING`, such as `rpm`. They have precedence over
    the profile's fields; one that is None or missing changes nothing. The profile's key, prices and
    context are left out if `base_url` of the options is another server than the profile's, and its
    prices and context if `model` is not its own. A key's variable in the options is kept. Raises
    Refused for a wrong address in the options, and for a key in place of its variable's name.
    """
    fields = {key: options[key] for key in _OVERRULING if options.get(key) is not None}
    if VARIABLE.fullmatch(fields.get("api_key_env", "X")) is None:
        raise Refused(
            "--api-key-env takes the name of an environment variable, never a key.",
        )
    is_other_server = False
    if "base_url" in fields:
        url = url_of(fields["base_url"])
        own_url = ""  # an OPENAI_BASE_URL that cannot be used, in place of which the option is
        with suppress(Refused):
            own_url = url_of(profile.base_url)
        is_other_server = url != own_url
    left_out: dict[str, None] = {}
    if is_other_server:
        left_out["api_key_env"] = None
    if is_other_server or model != profile.model:
        left_out["prices"] = None
        left_out["context"] = None
    return profile.model_copy(update={**left_out, **fields, "model": model})


def _panel_members(
    members: Sequence[tuple[str, Profile | None]],
    options: Mapping[str, Any],
) -> tuple[PanelMember, ...]:
    """Return the members of a panel in order, from their names and profiles with the options.

    A member without a profile sends nothing. Members at one server share the tightest limits of
    their profiles, with the seconds of `_patience`. Members that ask the same endpoint are numbered
    from 0, and asked at the model's own temperature, unless their profile sets one: at 0 they would
    all say the same. `options` are those of the command line, of which only the settings are read.
    Raises Unusable for a wrong setting, and Refused for a wrong address.
    """
    endpoints: list[Endpoint | None] = []
    profiles_by_server: dict[tuple[str, str | None], list[Profile]] = {}
    for _, profile in members:
        endpoint = None
        if profile:
            endpoint = _endpoint(profile)
            profiles_by_server.setdefault(_server(endpoint), []).append(profile)
        endpoints.append(endpoint)

    patience, connecting = _patience(options, filter(None, endpoints))
    panel_members: list[PanelMember] = []
    for index, endpoint in enumerate(endpoints):
        name = members[index][0]
        member_endpoint = endpoint
        if endpoint is None:
            panel_members.append(PanelMember(name))
            continue
        if endpoints.count(endpoint) > 1:
            member_endpoint = replace(
                endpoint,
                params={"temperature": None, **endpoint.params},
            )
        limits = _limits(profiles_by_server[_server(endpoint)], patience, connecting)
        panel_members.append(
            PanelMember(
                name,
                member_endpoint,
                limits,
                endpoints[:index].count(endpoint),
            ),
        )
    return tuple(panel_members)


def _patience(
    options: Mapping[str, Any],
    endpoints: Iterable[Endpoint],
) -> tuple[float, float]:
    """Return the seconds after which a silent server is given up, and one that was never reached.

    Both are the patience that is set in `options`, the environment or config.toml. If it is not
    set, the first is the default patience, or the longest timeout of a request to `endpoints` if
    that is longer, and the second is the default of `Limits`. Raises Unusable for a wrong setting.
    """
    setting = settings.load(options).sourced("patience")
    patience = settings.seconds(setting.value)
    if setting.source != "default":
        return patience, patience
    timeouts = [endpoint.timeout for endpoint in endpoints]
    return max([patience, *timeouts]), Limits().connecting


def _server(endpoint: Endpoint) -> tuple[str, str | None]:
    """Return the server of an endpoint: its address, and the variable of the key that goes to it.

    For example ("https://api.openai.com/v1", "OPENAI_API_KEY"), also for an endpoint that names
    neither. The variable is None if no key goes to the server. Endpoints for which this is the same
    share a rate limiter. Raises Refused for an address that `url_of` refuses.
    """
    return (url_of(endpoint.base_url), key_variable(endpoint))


def _endpoint(profile: Profile) -> Endpoint:
    """Return the endpoint that a profile describes.

    The model is "" if the profile names none, and the timeout is `TIMEOUT` seconds if it has none.
    """
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


def _limits(profiles: Sequence[Profile], patience: float, connecting: float) -> Limits:
    """Return the tightest limits of the profiles that share a server.

    Without any in the profiles, concurrency is the default, and requests and tokens a minute are
    not limited. `patience` is the seconds that the server may give no good answer, and `connecting`
    those after which a server that was never reached is given up.
    """
    concurrency = [profile.concurrency for profile in profiles if profile.concurrency]
    rpm = [profile.rpm for profile in profiles if profile.rpm]
    tpm = [profile.tpm for profile in profiles if profile.tpm]
    return Limits(
        min(concurrency, default=Limits().concurrency),
        min(rpm, default=None),
        min(tpm, default=None),
        patience,
        connecting,
    )


# -- the parts of prompts, and where replies are kept ---------------------------------------------


def _common_value(key: _SharedKey, profiles: Sequence[Profile]) -> Any:
    """Return the value of a key that all members must share, or None if none has it.

    `profiles` are those of the members that ask a model, and may be none. A `few_shot` of 0 is as
    if there were none: None. Raises Refused if they differ, also if only some have a value.
    """
    values = {getattr(profile, key) or None for profile in profiles}
    if not values:
        return None
    if len(values) > 1:
        option = "--" + key.replace("_", "-")
        raise Refused(
            f"The profiles of a panel differ in {key}: say {option} for all of them.",
        )
    [value] = values
    return value


def load_template(path: Path) -> Prompts:
    """Return the parts of prompts in a TOML file, by kind and name of the part.

    For example {"metric": {"system": "Be brief."}}. They may be below a table `prompts`; then the
    rest of the file is not read. If there are no tables of kinds, the parts belong to the implied
    kind. Raises Unusable with all errors in them, or for a file that cannot be read or is no TOML.
    """
    table = toml_table(text_of(path, MIB), str(path))
    if isinstance(table.get("prompts"), dict):
        table = table["prompts"]
    implied_prefix = ""
    if not any(isinstance(value, dict) for value in table.values()):
        kind_name = implied_kind().name
        table = {kind_name: table}
        implied_prefix = f"{kind_name}."
    problems = []
    for path_in_file, problem in prompts.faults(table):
        problems.append(
            Problem(str(path), path_in_file.removeprefix(implied_prefix), problem),
        )
    if problems:
        raise Unusable(problems)
    return table


def _cache_file(options: Mapping[str, Any], workspace: Path | None) -> Path | None:
    """Return the file that replies are saved in, or None if they are not saved.

    They are not with the option `no_cache`, nor without the setting `cache` if `workspace` is None.
    The file is the one that the setting `cache` names, or else `workspace`. A relative path is
    below the folder of the settings if it comes from config.toml, and otherwise below the current
    folder. Raises Unusable if a setting cannot be used.
    """
    if options.get("no_cache"):
        return None
    cache_setting = settings.load(options).sourced("cache")
    if not cache_setting.value:
        return workspace
    path = expanded(cache_setting.value)
    if cache_setting.source == "config.toml":
        path = settings.folder() / path
    return path
