"""What a person prefers: by a flag, the environment, `config.toml`, or the default."""

import getpass
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Struct
from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from appellate.core.inert import in_unicode
from appellate.core.problem import Problem, Unusable, describe_value, quoted, unknown_key
from appellate.store.files import atomic
from appellate.store.files.text_file import MIB, text_of, toml_table, unusable
from appellate.store.files.wording import key_path

REASONS = (
    "rubric ambiguous",
    "paraphrase counts",
    "partly stated",
    "negated or hedged",
    "judge misread the response",
    "wrong instruction",
    "evidence does not show it",
    "said twice, counted twice",
    "beside the question",
    "reference is wrong",
)
MaterialTab = Literal[
    "", "reference", "documents", "conversation", "results", "metadata", "trait", "history"
]
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class Settings(BaseModel):
    """Every setting there is; descriptions end up in `appellate config`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    reviewer: str = Field(
        "", description="who reviews; empty: git's user.name, else the login name"
    )
    theme: str = Field(
        "dark", description="a bundled theme, one of Textual's, or one of your themes folder"
    )
    ascii: bool = Field(False, description="marks and frames of plain ASCII")
    plain: bool = Field(
        False,
        description="for screen readers and slow lines: ASCII, one column, no frames, no bars,"
        " nothing moves",
    )
    mouse: bool = Field(
        True, description="listen to the mouse; false leaves it to the terminal, to select with"
    )
    reduced_motion: bool = Field(
        False, description="no animation, no blinking, numbers of a run redrawn less often"
    )
    markdown: Literal["rendered", "raw"] = Field(
        "rendered", description="how a response is shown at first"
    )
    view: Literal["buckets", "checklist"] = Field(
        "buckets", description="how a cell's items are shown at first"
    )
    order: Literal[
        "loaded",
        "unreviewed",
        "failed",
        "flagged",
        "lowest",
        "unverified",
        "disagreement",
        "sample",
        "random",
    ] = Field("loaded", description="the order of the queue at first")
    seed: int = Field(
        0,
        ge=0,
        le=2**31 - 1,
        description="which random order; the same number gives the same order",
    )
    keymap: str = Field(
        "",
        description="the keys: a preset, or a file; empty: keymap.toml beside this file where"
        " there is one",
    )
    reasons: tuple[Reason, ...] = Field(
        REASONS,
        strict=False,
        max_length=50,
        description="the reasons for a correction that `r` offers",
    )
    queue_columns: int = Field(
        0,
        ge=0,
        le=120,
        description="width of the queue on a wide screen, in columns; 0 grows with the screen",
    )
    items_share: int = Field(
        0,
        ge=0,
        le=70,
        description="width of the items beside the response, in percent; 0 grows with the screen",
    )
    items_rows: int = Field(
        9, ge=4, le=40, description="height of the items below the response, in rows"
    )
    material: MaterialTab = Field(
        "",
        description="what is shown beside the response at first: saved as you leave it (K)",
    )
    material_rows: int = Field(
        12, ge=4, le=60, description="height of what is docked beside the response, in rows"
    )
    cache: str = Field(
        "",
        description="a file that keeps replies of models for all audits; empty: each audit its own",
    )
    patience: str = Field(
        "10m",
        pattern=r"^[1-9][0-9]{0,4}[smh]$",
        description="how long a server may answer nobody before it is given up",
    )


KEYS = tuple(Settings.model_fields)
TABLES = ("judges", "prompts")
"""Tables of the config file, which `profiles` reads."""
LONGEST_NUMBER = 20
SEEN = "seen"
CONSOLE = "linux"
"""TERM where there is no window: eight colours, and a font of few letters."""
YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off")


class Sourced(NamedTuple):
    """A setting's value, and its source: `--theme`, `APPELLATE_THEME`, `config.toml`, …"""

    value: Any
    source: str


class LoadedSettings(Struct, frozen=True):
    """The settings of this session, and the source of each by its key."""

    settings: Settings
    sources: Mapping[str, str]

    def sourced(self, key: str) -> Sourced:
        return Sourced(getattr(self.settings, key), self.sources[key])


def folder() -> Path:
    """APPELLATE_CONFIG, else the system's place: for `config.toml`, `keymap.toml`, `themes/`.

    For a user without a home folder that is a place where no file is or can be.
    """
    named = os.environ.get("APPELLATE_CONFIG")
    if named:
        return Path(named)
    try:
        return user_config_path("appellate")
    except RuntimeError:  # no HOME, and no entry of the user in the system's list
        return _NOWHERE


_NOWHERE = Path(os.devnull, "appellate")


def place_to_keep() -> Path:
    """The config file, for who would write it; raises Unusable for a user without a home folder."""
    if folder() == _NOWHERE:
        wrong = "there is no home folder to keep settings in"
        raise unusable("config", wrong, "set HOME, or name a folder with APPELLATE_CONFIG")
    return config_file()


def config_file() -> Path:
    return folder() / "config.toml"


def config() -> dict[str, Any]:
    """The config file, unchecked; {} where there is none; raises Unusable."""
    path = config_file()
    if not path.exists():
        return {}
    return toml_table(text_of(path, MIB), str(path))


def meet() -> bool:
    """Whether this is the first session ever, as far as the folder knows; from now on it is not."""
    seen = folder() / SEEN
    if seen.exists():
        return False
    with suppress(OSError):  # then everybody is new once more
        atomic.make_folder(folder(), parents=True)
        seen.write_text(
            "The first-run card was shown. Remove this file to see it again.\n", "utf-8"
        )
    return True


class _Layer(Struct, frozen=True):
    """Values from one source; `name_of` names what set a key."""

    file: str
    values: Mapping[str, object]
    name_of: Callable[[str], str]


def load(flags: Mapping[str, object] | None = None) -> LoadedSettings:
    """The settings; raises Unusable with everything that is wrong in any source.

    `flags` may hold other things, and None where nothing was given.
    """
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    sources = dict.fromkeys(KEYS, "default")
    for layer in _layers(flags or {}, problems):
        found = faults(layer)
        problems += found
        if not found:
            values |= layer.values
        sources |= {key: layer.name_of(key) for key in layer.values}
    if problems:
        raise Unusable(problems)
    settings = Settings(**values)
    name, source = _reviewer(settings.reviewer, sources["reviewer"])
    return LoadedSettings(
        settings.model_copy(update={"reviewer": name}), sources | {"reviewer": source}
    )


def _layers(flags: Mapping[str, object], problems: list[Problem]) -> Iterator[_Layer]:
    """All sources, each going before those above it; a config file that is no TOML is a problem."""
    # what a terminal of few colours, or with few letters, is best served with
    term = os.environ.get("TERM", "")
    best = dict[str, object]()
    many = os.environ.get("COLORTERM", "") in ("truecolor", "24bit")
    if term and not many and term.rpartition("-")[2] not in ("256color", "kitty"):
        best["theme"] = "console"
    if term == CONSOLE:
        best["ascii"] = True
    yield _Layer("the terminal", best, lambda _: f"TERM={term}")
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if "✓".encode(encoding, "replace") == b"?":  # as any mark of ours
        yield _Layer("the locale", {"ascii": True}, lambda _: f"the locale's {encoding}")
    table: dict[str, Any] = {}
    try:
        table = config()
    except Unusable as refusal:
        problems += refusal.problems
    for key in TABLES:
        table.pop(key, None)
    yield _Layer(str(config_file()), _named(table), lambda _: "config.toml")
    values = {}
    for key in KEYS:
        text = os.environ.get(variable(key), "")
        if text:
            values[key] = read(key, text)
    yield _Layer("the environment", _named(values), variable)
    given = {key: flags[key] for key in KEYS if flags.get(key) is not None}
    yield _Layer(
        "the command line", _named(given), lambda key: flag(key, on=given[key] is not False)
    )


def _named(values: Mapping[str, object]) -> dict[str, object]:
    """The values, with the reviewer's name on one line, or without it where it is blank."""
    named = dict(values)
    reviewer = named.get("reviewer")
    if isinstance(reviewer, str):
        named["reviewer"] = _clean(reviewer)
        if not named["reviewer"]:
            del named["reviewer"]
    return named


def variable(key: str) -> str:
    return f"APPELLATE_{key.upper()}"


def overruled(key: str) -> str:
    """The environment variable that goes before the config file for a setting; "" where none is."""
    if os.environ.get(variable(key)):
        return variable(key)
    return ""


def flag(key: str, *, on: bool = True) -> str:
    name = key.replace("_", "-")
    if on:
        return f"--{name}"
    return f"--no-{name}"


def read(key: str, text: str) -> object:
    """A value from text, a list as TOML or by semicolons; what cannot be read stays text."""
    text = in_unicode(text)
    wanted = type(Settings.model_fields[key].default)
    if wanted is bool and text.casefold() in YES + NO:
        return text.casefold() in YES
    if wanted is int and text.isdecimal() and len(text) < LONGEST_NUMBER:
        return int(text)
    if wanted is tuple and text.lstrip().startswith("["):
        with suppress(tomllib.TOMLDecodeError):
            return tomllib.loads(f"texts = {text}")["texts"]
    elif wanted is tuple:
        return [part for part in map(str.strip, text.split(";")) if part]
    return text


# -- what a setting may be ------------------------------------------------------------------------


@cache
def allowed(key: str) -> str:
    schema = Settings.model_json_schema()["properties"][key]
    if "enum" in schema:
        *others, last = map(quoted, schema["enum"])
        return f"{', '.join(others)} or {last}"
    if "pattern" in schema:
        return "a time such as 90s, 10m or 2h"
    if schema["type"] == "integer":
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    words = {"boolean": "true or false", "string": "text", "array": "a list of at most 50 texts"}
    return words[schema["type"]]


def faults(layer: _Layer) -> list[Problem]:
    try:
        Settings.model_validate(dict(layer.values))
    except ValidationError as error:
        found = [_problem(detail, layer) for detail in error.errors(include_url=False)]
        return list(dict.fromkeys(found))
    return []


def _problem(detail: ErrorDetails, layer: _Layer) -> Problem:
    key, *inner = detail["loc"]
    if detail["type"] == "extra_forbidden":
        return Problem(layer.file, key_path([key]), *unknown_setting(str(key)))
    place = layer.name_of(str(key))
    if place == "config.toml":
        place = key_path(detail["loc"])
    needed = allowed(str(key))
    if inner:
        needed = "a short text"
    return Problem(layer.file, place, f"must be {needed}, not {describe_value(detail['input'])}")


def unknown_setting(key: str) -> tuple[str, str]:
    """What is wrong with a setting that there is not, and what would be right."""
    _, right = unknown_key(key, KEYS)
    return f"there is no setting {quoted(key)}", right.replace("keys are", "settings are")


def seconds(time: str) -> float:
    """The seconds of a time such as 90s, 10m or 2h."""
    return float(time[:-1]) * {"s": 1, "m": 60, "h": 3600}[time[-1]]


def check(key: str, value: object, text: str) -> None:
    """Raises Unusable where a setting cannot have a value."""
    found = faults(_Layer(text, {key: value}, lambda key: key))
    if found:
        raise Unusable(found)


# -- keeping --------------------------------------------------------------------------------------


def keep(key: str, value: object) -> Path:
    """Writes one setting into the config file, comments and order kept; raises Unusable."""
    check(key, value, "config")
    path = place_to_keep()
    text = ""
    if path.exists():
        text = text_of(path, MIB)
    before = toml_table(text, str(path))
    if isinstance(value, tuple):
        value = list(value)
    import tomlkit  # only here: 40 ms

    document = tomlkit.parse(text)
    document[key] = value
    after = tomlkit.dumps(document)
    if toml_table(after, str(path)) != before | {key: value}:
        wrong = f"{key} cannot be written into it without changing more"
        raise unusable(str(path), wrong, "write it by hand")
    try:
        atomic.make_folder(path.parent, parents=True)
        atomic.write(path, [after.encode()])
    except OSError as error:
        raise unusable(str(path), f"it cannot be written: {error.strerror or error}") from error
    return path


# -- the reviewer ---------------------------------------------------------------------------------


def _reviewer(name: str, source: str) -> Sourced:
    """Who reviews: as set, else git's user.name, else the login name."""
    if name:
        return Sourced(name, source)
    for guess, text in ((_git_name, "git's user.name"), (_login, "the login name")):
        guessed = _clean(guess())
        if guessed:
            return Sourced(guessed, text)
    return Sourced("reviewer", "default")


def _clean(name: str) -> str:
    """A name on one line, without bytes that were no UTF-8 in the environment."""
    return " ".join(in_unicode(name).split())


def _git_name() -> str:
    try:
        process = subprocess.run(
            ["git", "config", "user.name"],  # noqa: S607 - the person's own git
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=2,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return process.stdout


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
