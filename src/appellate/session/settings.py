"""Loads, checks and saves a person's settings.

A setting's value comes from the first of these that has it: a flag of the command line, an
environment variable, `config.toml`, what suits the terminal, the default.

    caller                   function           what it does
    every command            load()             all settings, each with its source
    `appellate config`       parse(), save()    changes one setting in `config.toml`
    the screen               save()             keeps what a person chose there
"""

import getpass
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import tomli
from msgspec import Struct
from platformdirs import user_config_path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic_core import ErrorDetails

from appellate.core.inert import in_unicode
from appellate.core.problem import (
    Problem,
    Unusable,
    describe_value,
    quoted,
    unknown_key,
)
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
"""The reasons for a correction that are offered by default."""
PATIENCE = r"^[1-9][0-9]{0,4}[smh]$"
"""The setting `patience`: a whole number with its unit."""
MaterialTab = Literal[
    "",
    "reference",
    "documents",
    "conversation",
    "results",
    "metadata",
    "trait",
    "history",
]
Reason = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
]


class Settings(BaseModel):
    """All settings of one person; `appellate config` prints their descriptions."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        defer_build=True,
    )

    reviewer: str = Field(
        "",
        description="who reviews; empty: git's user.name, else the login name",
    )
    theme: str = Field(
        "dark",
        description="a bundled theme, one of Textual's, or one of your themes folder",
    )
    ascii: bool = Field(False, description="marks and frames of plain ASCII")
    plain: bool = Field(
        False,
        description="for screen readers and slow lines: ASCII, one column, no frames, no bars,"
        " nothing moves",
    )
    mouse: bool = Field(
        True,
        description="listen to the mouse; false leaves it to the terminal, to select with",
    )
    reduced_motion: bool = Field(
        False,
        description="no animation, no blinking, numbers of a run redrawn less often",
    )
    markdown: Literal["rendered", "raw"] = Field(
        "rendered",
        description="how a response is shown at first",
    )
    view: Literal["buckets", "checklist"] = Field(
        "buckets",
        description="how a cell's items are shown at first",
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
        9,
        ge=4,
        le=40,
        description="height of the items below the response, in rows",
    )
    material: MaterialTab = Field(
        "",
        description="what is shown beside the response at first: saved as you leave it (K)",
    )
    material_rows: int = Field(
        12,
        ge=4,
        le=60,
        description="height of what is docked beside the response, in rows",
    )
    cache: str = Field(
        "",
        description="a file that keeps replies of models for all audits; empty: each audit its own",
    )
    patience: str = Field(
        "10m",
        pattern=PATIENCE,
        description="how long a server may answer nobody before it is given up",
    )


KEYS = tuple(Settings.model_fields)
FREE = {
    key: field.annotation
    for key, field in Settings.model_fields.items()
    if field.annotation in (str, bool) and not field.metadata
}
"""The types of the settings that may be any text, or are yes or no."""
TABLES: tuple[Literal["judges", "prompts"], ...] = ("judges", "prompts")
"""Tables of the config file that hold no settings; `judging` reads them."""
LONGEST_NUMBER = 20
"""Digits. Text with more is no number: `int` refuses very long ones."""
SEEN = "seen"
"""The file in the config folder that says that the first-run card was shown."""
CONSOLE = "linux"
"""TERM on a console without windows: eight colours, and a font of few letters."""
YES = ("1", "true", "yes", "on")
NO = ("0", "false", "no", "off")


class Sourced(NamedTuple):
    """A setting's value, and where it comes from."""

    value: Any
    source: str
    """For example `--theme`, `APPELLATE_THEME`, `config.toml` or `default`."""


class LoadedSettings(Struct, frozen=True):
    """The settings of this session, and where each comes from."""

    settings: Settings
    sources: Mapping[str, str]
    """The source of each setting by its key."""

    def sourced(self, key: str) -> Sourced:
        """Return the value and the source of one setting; raises AttributeError for no setting."""
        return Sourced(getattr(self.settings, key), self.sources[key])


_NOWHERE = Path(os.devnull, "appellate")
"""A path at which no file is or can be."""


def folder() -> Path:
    """Return the folder of `config.toml`, `keymap.toml` and `themes/`, whether it exists or not.

    It is APPELLATE_CONFIG as it is written, else the usual place of the system. For a user without
    a home folder it is a path at which no file is or can be.
    """
    named = os.environ.get("APPELLATE_CONFIG")
    if named:
        return Path(named)
    try:
        return user_config_path("appellate")
    except RuntimeError:  # no HOME, and no entry of the user in the system's list
        return _NOWHERE


def writable_config_file() -> Path:
    """Return the path of the config file, whether it exists or not.

    Raises Unusable for a user without a home folder who named no folder with APPELLATE_CONFIG.
    """
    if folder() == _NOWHERE:
        wrong = "there is no home folder to keep settings in"
        raise unusable(
            "config",
            wrong,
            "set HOME, or name a folder with APPELLATE_CONFIG",
        )
    return config_file()


def config_file() -> Path:
    """Return the path of the config file, whether it exists or not."""
    return folder() / "config.toml"


def config() -> dict[str, Any]:
    """Return the tables and values of the config file, unchecked; {} if there is no file.

    Tables such as `judges` are among them. Raises Unusable for a file that cannot be read or is not
    TOML.
    """
    return toml_table(_config_text(), str(config_file()))


def _config_text() -> str:
    """Return the text of the config file as it is, "" if there is no file.

    Raises Unusable for a file that cannot be read, is no UTF-8 text or is larger than 1 MiB.
    """
    path = config_file()
    try:
        exists = path.exists()
    except OSError:
        exists = True  # `text_of` says why it cannot be read
    if not exists:
        return ""
    return text_of(path, MIB)


def is_first_session() -> bool:
    """Return whether no session was begun before, and note in the config folder that one is now.

    The folder is made if it is missing. If it cannot be written, nothing is raised, and every
    session is the first.
    """
    seen = folder() / SEEN
    with suppress(OSError):
        if seen.exists():
            return False
        atomic.make_folder(folder(), parents=True)
        seen.write_text(
            "The first-run card was shown. Remove this file to see it again.\n",
            "utf-8",
        )
    return True


class _Layer(Struct, frozen=True):
    """The values that come from one source."""

    file: str
    """What the source is called in a problem."""
    values: Mapping[str, object]
    name_of: Callable[[str], str]
    """Names, for a key, exactly what set it: `--theme`, `APPELLATE_THEME`."""


def load(flags: Mapping[str, object] | None = None) -> LoadedSettings:
    """Return the settings; raises Unusable with everything that is wrong in any source.

    A value comes from the first source that has it: `flags`, an environment variable,
    `config.toml`, what suits the terminal, the default. A blank variable and a blank reviewer count
    as not given. The reviewer's default is git's user.name, or else the login name.

    `flags` are the command line's values by key, as `parse` returns them. None means that a flag
    was not given; keys that are no settings are ignored.
    """
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    sources = dict.fromkeys(KEYS, "default")
    config_table: dict[str, Any] = {}
    try:
        config_table = config()
    except Unusable as refusal:
        problems += refusal.problems
    for layer in _layers(config_table, flags or {}):
        layer_problems = faults(layer)
        problems += layer_problems
        if not layer_problems:
            values |= layer.values
        for key in layer.values:
            sources[key] = layer.name_of(key)
    if problems:
        raise Unusable(problems)

    make_settings = Settings.model_construct if _are_free(values) else Settings
    settings = make_settings(**values)
    name, source = _reviewer(settings.reviewer, sources["reviewer"])
    sources["reviewer"] = source
    return LoadedSettings(settings.model_copy(update={"reviewer": name}), sources)


def _layers(
    config_table: Mapping[str, object],
    flags: Mapping[str, object],
) -> Iterator[_Layer]:
    """Yield the sources of settings with their values, of which later ones override earlier ones.

    They are the terminal, the locale if it lacks our marks, `config.toml` as `config_table` has it,
    the environment, and the `flags` of the command line. A source without any value is yielded,
    too. The values are unchecked, but a reviewer is on one line and a blank one is left out. So are
    `TABLES`, flags that are None, and flags that are no settings.
    """
    term = os.environ.get("TERM", "")
    yield _Layer("the terminal", _suited_to_terminal(term), lambda _: f"TERM={term}")

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if "✓".encode(encoding, "replace") == b"?":  # as any mark of ours
        yield _Layer(
            "the locale",
            {"ascii": True},
            lambda _: f"the locale's {encoding}",
        )

    from_config = {
        key: value for key, value in config_table.items() if key not in TABLES
    }
    yield _Layer(
        str(config_file()),
        _with_clean_reviewer(from_config),
        lambda _: "config.toml",
    )

    from_environment = {
        key: parse(key, os.environ[variable(key)])
        for key in KEYS
        if overriding_variable(key)
    }
    yield _Layer("the environment", _with_clean_reviewer(from_environment), variable)

    from_flags = {key: flags[key] for key in KEYS if flags.get(key) is not None}
    yield _Layer(
        "the command line",
        _with_clean_reviewer(from_flags),
        lambda key: flag(key, on=from_flags[key] is not False),
    )


def _suited_to_terminal(term: str) -> dict[str, object]:
    """Return the settings that suit a terminal of few colours or letters; {} for any other.

    They are the theme `console` unless the last part of `term`, its TERM, is `256color` or `kitty`,
    or COLORTERM is `truecolor` or `24bit`. A Linux console has `ascii` besides. There are none for
    an empty TERM.
    """
    values = dict[str, object]()
    has_many_colours = os.environ.get("COLORTERM", "") in ("truecolor", "24bit")
    if (
        term
        and not has_many_colours
        and term.rpartition("-")[2] not in ("256color", "kitty")
    ):
        values["theme"] = "console"
    if term == CONSOLE:
        values["ascii"] = True
    return values


def _with_clean_reviewer(values: Mapping[str, object]) -> dict[str, object]:
    """Return a copy of these values with the reviewer's name on one line, or without a blank name.

    Blanks around it are dropped, and those in it become single spaces. A name that is no text stays
    as it is; so do all other values.
    """
    cleaned = dict(values)
    reviewer = cleaned.get("reviewer")
    if isinstance(reviewer, str):
        cleaned["reviewer"] = _clean(reviewer)
        if not cleaned["reviewer"]:
            del cleaned["reviewer"]
    return cleaned


def variable(key: str) -> str:
    """Return the name of the environment variable of a setting: `APPELLATE_THEME` for `theme`."""
    return f"APPELLATE_{key.upper()}"


def overriding_variable(key: str) -> str:
    """Return the name of a setting's environment variable, such as `APPELLATE_THEME`, if it is set.

    It then overrides the config file. "" if it is not set, or blank.
    """
    text = os.environ.get(variable(key), "")
    return variable(key) if text.strip() else ""


def flag(key: str, *, on: bool = True) -> str:
    """Return the flag that sets a setting, or with `on` false the one that turns it off.

    These are `--reduced-motion` and `--no-reduced-motion` for `reduced_motion`.
    """
    name = key.replace("_", "-")
    if on:
        return f"--{name}"
    return f"--no-{name}"


def parse(key: str, text: str) -> object:
    """Return a setting's value from a text of the environment or the command line.

    For a yes or no, `on`, `YES` and `1` are True, `off`, `no` and `0` False; for a number, digits.
    A list is written as in TOML, or with semicolons between its texts, which are stripped: `a; b`
    is ["a", "b"]. Text that is no value of the setting's type is returned as text, for `check` to
    find fault with. Blanks around any other text stay. Raises KeyError for a key that is no
    setting.
    """
    text = in_unicode(text)
    value_type = type(Settings.model_fields[key].default)
    if value_type is bool:
        word = text.casefold()
        if word in YES:
            return True
        if word in NO:
            return False
        return text
    if value_type is int:
        is_number = text.isdecimal() and len(text) < LONGEST_NUMBER
        return int(text) if is_number else text
    if value_type is not tuple:
        return text

    if text.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):
            document = tomli.loads(f"texts = {text}")
            return document["texts"]
        return text
    items = map(str.strip, text.split(";"))
    return [item for item in items if item]


# -- what a setting may be ------------------------------------------------------------------------


@cache
def allowed(key: str) -> str:
    """Return which values a setting may have, in words that complete `must be`: `true or false`.

    Others are `"rendered" or "raw"`, `a whole number from 4 to 40` and `text`. Raises KeyError for
    a key that is no setting.
    """
    schema = Settings.model_json_schema()["properties"][key]
    if "enum" in schema:
        *others, last = map(quoted, schema["enum"])
        first_words = ", ".join(others)
        return f"{first_words} or {last}"
    if "pattern" in schema:
        return "a time such as 90s, 10m or 2h"
    if schema["type"] == "integer":
        least = schema["minimum"]
        most = schema["maximum"]
        return f"a whole number from {least} to {most}"
    if schema["type"] == "boolean":
        return "true or false"
    if schema["type"] == "array":
        return "a list of at most 50 texts"
    return "text"


def faults(layer: _Layer) -> list[Problem]:
    """Return what is wrong with the values of a source, each problem once; [] if nothing is.

    A key that is no setting is wrong, too. The values are not changed.
    """
    if _are_free(layer.values):
        return []
    try:
        Settings.model_validate(dict(layer.values))
    except ValidationError as error:
        problems = [
            _problem(detail, layer) for detail in error.errors(include_url=False)
        ]
        return list(dict.fromkeys(problems))
    return []


def _are_free(values: Mapping[str, object]) -> bool:
    """Return whether each of these values has the type that alone makes its setting right (`FREE`).

    True for no values, False if any key is another setting or none. The model, which takes long to
    build, then need not check them.
    """
    return all(type(value) is FREE.get(key) for key, value in values.items())


def _problem(detail: ErrorDetails, layer: _Layer) -> Problem:
    """Return pydantic's error about a setting as a problem in our words.

    Its place is the key in `config.toml`, or else the flag or variable that set it. It says what
    would be right and repeats the value: `must be true or false, not the text "x"`. For a key that
    is no setting it says what `unknown_setting` returns.
    """
    location = detail["loc"]
    key, *inner = location
    if detail["type"] == "extra_forbidden":
        return Problem(layer.file, key_path([key]), *unknown_setting(str(key)))
    place = layer.name_of(str(key))
    if place == "config.toml":
        place = key_path(location)
    needed = allowed(str(key))
    if inner:
        needed = "a short text"
    value = describe_value(detail["input"])
    return Problem(layer.file, place, f"must be {needed}, not {value}")


def unknown_setting(key: str) -> tuple[str, str]:
    """Return that there is no setting with this name, and what would be right, as two texts.

    They are `there is no setting "them"` and `did you mean "theme"?`. If no name is alike, the
    second lists all: `settings are reviewer, theme, …`.
    """
    _, right = unknown_key(key, KEYS)
    return f"there is no setting {quoted(key)}", right.replace(
        "keys are",
        "settings are",
    )


def seconds(patience: str) -> float:
    """Return the seconds of a value of the setting `patience`: 600.0 for `10m`.

    It is a whole number from 1 to 99999 with `s`, `m` or `h`. Raises ValueError for any other text.
    """
    if not re.fullmatch(PATIENCE, patience):
        raise ValueError(f"{patience!r} is no time such as 90s, 10m or 2h")
    seconds_of_unit = {"s": 1, "m": 60, "h": 3600}[patience[-1]]
    return float(patience[:-1]) * seconds_of_unit


def check(key: str, value: object, source: str) -> None:
    """Raise Unusable if a setting cannot have this value, or if there is no such setting.

    The value is of the setting's type, as `parse` returns it, and not text for everything. `source`
    takes the place of the file's name in the problem.
    """
    problems = faults(_Layer(source, {key: value}, lambda key: key))
    if problems:
        raise Unusable(problems)


# -- saving ---------------------------------------------------------------------------------------


def save(key: str, value: object) -> Path:
    """Write one setting into the config file, and return the file's path.

    The file and its folder are made if they are missing. The value is of the setting's type, as
    `parse` returns it. Comments, the order of keys and all other values stay. Raises Unusable for a
    wrong value or no such setting, for a user without a home folder, for a file that cannot be read
    or written, and if the setting cannot be written without changing others. Nothing is written
    then.
    """
    check(key, value, "config")
    path = writable_config_file()
    text = _config_text()
    table_before = toml_table(text, str(path))
    if isinstance(value, tuple):
        value = list(value)
    import tomlkit  # only here: 40 ms

    document = tomlkit.parse(text)
    document[key] = value
    new_text = tomlkit.dumps(document)
    if toml_table(new_text, str(path)) != table_before | {key: value}:
        wrong = f"{key} cannot be written into it without changing more"
        raise unusable(str(path), wrong, "write it by hand")
    try:
        atomic.make_folder(path.parent, parents=True)
        atomic.write(path, [new_text.encode()])
    except OSError as error:
        raise unusable(
            str(path),
            f"it cannot be written: {error.strerror or error}",
        ) from error
    return path


# -- the reviewer ---------------------------------------------------------------------------------


def _reviewer(name: str, source: str) -> Sourced:
    """Return the name of who reviews, and where the name comes from.

    It is `name` from `source` unless that is "". Else it is git's user.name, the login name, or the
    word `reviewer`, whichever is the first that is not blank. Their sources are `git's user.name`,
    `the login name` and `default`.
    """
    if name:
        return Sourced(name, source)
    git_name = _git_name()
    if git_name:
        return Sourced(git_name, "git's user.name")
    login_name = _login_name()
    if login_name:
        return Sourced(login_name, "the login name")
    return Sourced("reviewer", "default")


def _clean(name: str) -> str:
    """Return a name on one line, without blanks around it and with single spaces in it.

    Bytes of the environment that were not UTF-8 become U+FFFD. A blank name becomes "".
    """
    return " ".join(in_unicode(name).split())


def _git_name() -> str:
    """Return git's `user.name`, in one line without surplus blanks.

    "" if it is blank or not set, if there is no git, or if git does not answer within two seconds.
    """
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
    return _clean(process.stdout)


def _login_name() -> str:
    """Return the name that the user logged in with, in one line; "" if the system knows none."""
    try:
        return _clean(getpass.getuser())
    except (KeyError, OSError):
        return ""
