"""Judges under names of one's own.

`[judges.NAME]` of `config.toml`, and the prompts that stand there.

They are read when a judge is chosen by its name, so that a slip in them stops nobody who only
reviews.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

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
from appellate.judges.endpoint import Endpoint, access
from appellate.judging.choice import OFFLINE
from appellate.session import settings
from appellate.store.files.text_file import unusable
from appellate.store.files.wording import key_path
from appellate.traits import prompts

TAKEN = ("openai", *OFFLINE)
"""The judges that Appellate brings; no profile has their names."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NAME = re.compile(r"\w[\w.-]{0,59}")
_SECRET = ("api_key_env", "base_url")
"""Keys whose value is never told back: people paste a key there."""
_KEYS = ("api_key", "apikey", "key", "token", "secret", "authorization")
_NAMED = 'name the variable that holds the key: api_key_env = "MY_KEY"'
_LONGEST = 86_400

Count = Annotated[int, Field(ge=1)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Tariff(BaseModel):
    """What a million tokens cost, in the user's currency.

    Each description says what a value may be.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    input: Price = Field(description="a price for a million tokens, 0 or more")
    output: Price = Field(description="a price for a million tokens, 0 or more")
    cached_input: Price | None = Field(None, description="a price for a million tokens, 0 or more")


class Profile(BaseModel):
    """A judge as it is asked; what is left out is as without a profile.

    Each description says what a value may be.
    """

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
    prices: Tariff | None = Field(
        None, description="a table with input, output and perhaps cached_input"
    )
    params: dict[str, Any] = Field({}, description="a table of parameters of the request")
    prompt: str | None = Field(
        None, min_length=1, description="the name of a file with a prompt template"
    )
    few_shot: int | None = Field(None, ge=0, description="a whole number, 0 or more")


class Profiles(NamedTuple):
    """What `config.toml` says of judges.

    Profiles by name, and the parts of prompts by kind and part.
    """

    judges: Mapping[str, Profile]
    prompts: Mapping[str, Mapping[str, str]]


def load() -> Profiles:
    """The profiles; raises Unusable with every fault of theirs."""
    table, file = settings.config(), str(settings.config_file())
    found = faults(table, file)
    if found:
        raise Unusable(found)
    judges = {}
    for name, given in table.get("judges", {}).items():
        profile = Profile(**given)
        if profile.prompt:  # is looked for beside `config.toml`
            prompt = settings.folder() / Path(profile.prompt).expanduser()
            profile = profile.model_copy(update={"prompt": str(prompt)})
        judges[name] = profile
    return Profiles(judges, table.get("prompts", {}))


def named(name: str, known: Mapping[str, Profile]) -> Profile:
    """The profile of that name; raises Unusable with the names there are."""
    if name in known:
        return known[name]
    meant = closest(name, [*TAKEN, *known])
    names = ", ".join([*TAKEN, *known])
    right = f"judges are {names}; others are profiles of config.toml"
    if meant:
        right = f"did you mean {quoted(meant)}?"
    raise unusable("judge", f"there is no judge {quoted(name)}", right)


# -- what is wrong --------------------------------------------------------------------------------


def faults(table: Mapping[str, Any], file: str) -> list[Problem]:
    """Everything that is wrong with the judges and prompts of a config file."""
    found = list(_judges(table.get("judges", {}), file))
    for place, wrong in prompts.faults(table.get("prompts", {})):
        found.append(Problem(file, f"prompts.{place}".rstrip("."), wrong))
    return found


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
    yield from _unsendable(given, file, place)


def _unsendable(given: Mapping[str, Any], file: str, place: tuple[str, str]) -> Iterator[Problem]:
    """What no request can be made from.

    An address that is none, parameters that are not the user's to set.
    """
    url, params = given.get("base_url"), given.get("params")
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
