"""Loads, checks and saves a person's settings.

A setting's value comes from the first of these that has it: a flag of the command line, an
environment variable, `config.toml`, what suits the terminal, the default.

    caller                   function           what it does
    every command            load()             all settings, each with its source
    `appellate config`       parse(), save()    changes one setting in `config.toml`
    the screen               save()             keeps what a person chose there
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import tomli
from msgspec import Meta, Struct, ValidationError, convert, json
from msgspec.structs import replace
from platformdirs import user_config_path

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
"""The reasons for a correction that are offered by default."""
MOST_REASONS = 50
MaterialTab = Literal[
    "", "reference", "documents", "conversation", "results", "metadata", "trait", "history"
]
Order = Literal[
    "loaded",
    "unreviewed",
    "failed",
    "flagged",
    "lowest",
    "unverified",
    "disagreement",
    "sample",
    "random",
]
Reason = Annotated[str, Meta(min_length=1, max_length=200)]


class Settings(Struct, frozen=True, kw_only=True):
    """All settings of one person; `appellate config` prints their descriptions.

    Values that are given here are taken as they are: `load` and `check` tell which are wrong.
    """

    reviewer: Annotated[
        str, Meta(description="who reviews; empty: git's user.name, else the login name")
    ] = ""
    theme: Annotated[
        str,
        Meta(description="a bundled theme, one of Textual's, or one of your themes folder"),
    ] = "dark"
    ascii: Annotated[bool, Meta(description="marks and frames of plain ASCII")] = False
    plain: Annotated[
        bool,
        Meta(
            description="for screen readers and slow lines: ASCII, one column, no frames, no bars,"
            " nothing moves"
        ),
    ] = False
    mouse: Annotated[
        bool,
        Meta(description="listen to the mouse; false leaves it to the terminal, to select with"),
    ] = True
    reduced_motion: Annotated[
        bool,
        Meta(description="no animation, no blinking, numbers of a run redrawn less often"),
    ] = False
    markdown: Annotated[
        Literal["rendered", "raw"], Meta(description="how a response is shown at first")
    ] = "rendered"
    view: Annotated[
        Literal["buckets", "checklist"],
        Meta(description="how a cell's items are shown at first"),
    ] = "buckets"
    order: Annotated[Order, Meta(description="the order of the queue at first")] = "loaded"
    seed: Annotated[
        int,
        Meta(
            ge=0,
            le=2**31 - 1,
            description="which random order; the same number gives the same order",
        ),
    ] = 0
    keymap: Annotated[
        str,
        Meta(
            description="the keys: a preset, or a file; empty: keymap.toml beside this file where"
            " there is one"
        ),
    ] = ""
    reasons: Annotated[
        tuple[Reason, ...],
        Meta(max_length=MOST_REASONS, description="the reasons for a correction that `r` offers"),
    ] = REASONS
    queue_columns: Annotated[
        int,
        Meta(
            ge=0,
            le=120,
            description="width of the queue on a wide screen, in columns; 0 grows with the screen",
        ),
    ] = 0
    items_share: Annotated[
        int,
        Meta(
            ge=0,
            le=70,
            description="width of the items beside the response, in percent; 0 grows with the"
            " screen",
        ),
    ] = 0
    items_rows: Annotated[
        int, Meta(ge=4, le=40, description="height of the items below the response, in rows")
    ] = 9
    material: Annotated[
        MaterialTab,
        Meta(description="what is shown beside the response at first: saved as you leave it (K)"),
    ] = ""
    material_rows: Annotated[
        int,
        Meta(ge=4, le=60, description="height of what is docked beside the response, in rows"),
    ] = 12
    cache: Annotated[
        str,
        Meta(
            description="a file that keeps replies of models for all audits; empty: each audit"
            " its own"
        ),
    ] = ""
    patience: Annotated[
        str,
        Meta(
            pattern=r"^[1-9][0-9]{0,4}[smh]\Z",
            description="how long a server may answer nobody before it is given up",
        ),
    ] = "10m"


KEYS = Settings.__struct_fields__
USUAL = Settings()
"""Every setting at its default."""
TABLES = ("judges", "prompts")
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
        """Return the value and the source of one setting."""
        return Sourced(getattr(self.settings, key), self.sources[key])


_NOWHERE = Path(os.devnull, "appellate")
"""A path at which no file is or can be."""


def folder() -> Path:
    """Return the folder of `config.toml`, `keymap.toml` and `themes/`.

    It is APPELLATE_CONFIG, else the usual place of the system. For a user without a home folder it
    is a path at which no file is or can be.
    """
    named = os.environ.get("APPELLATE_CONFIG")
    if named:
        return Path(named)
    try:
        return user_config_path("appellate")
    except RuntimeError:  # no HOME, and no entry of the user in the system's list
        return _NOWHERE


def writable_config_file() -> Path:
    """Return the path of the config file; raises Unusable for a user without a home folder."""
    if folder() == _NOWHERE:
        wrong = "there is no home folder to keep settings in"
        raise unusable("config", wrong, "set HOME, or name a folder with APPELLATE_CONFIG")
    return config_file()


def config_file() -> Path:
    """Return the path of the config file, whether it exists or not."""
    return folder() / "config.toml"


def config() -> dict[str, Any]:
    """Return what the config file holds, unchecked; {} if there is none.

    Raises Unusable for a file that cannot be read or is not TOML.
    """
    path = config_file()
    if not path.exists():
        return {}
    return toml_table(text_of(path, MIB), str(path))


def is_first_session() -> bool:
    """Return whether no session was begun before, and note in the config folder that one is now.

    The folder is made if it is missing. If it cannot be written, every session is the first.
    """
    seen = folder() / SEEN
    if seen.exists():
        return False
    with suppress(OSError):
        atomic.make_folder(folder(), parents=True)
        seen.write_text(
            "The first-run card was shown. Remove this file to see it again.\n", "utf-8"
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
    `config.toml`, what suits the terminal, the default. A variable that is empty and a reviewer
    that is blank count as not given. The reviewer's default is git's user.name, or else the login
    name.

    `flags` are the command line's values by key. None means that a flag was not given; keys that
    are no settings are ignored.
    """
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    sources = dict.fromkeys(KEYS, "default")
    for layer in _layers(flags or {}, problems):
        layer_values, layer_problems = _checked(layer)
        problems += layer_problems
        values |= layer_values
        sources |= {key: layer.name_of(key) for key in layer.values}
    if problems:
        raise Unusable(problems)
    settings = Settings(**values)
    name, source = _reviewer(settings.reviewer, sources["reviewer"])
    return LoadedSettings(replace(settings, reviewer=name), sources | {"reviewer": source})


def _layers(flags: Mapping[str, object], problems: list[Problem]) -> Iterator[_Layer]:
    """Yield the values of each source that has settings; a later source overrides an earlier one.

    They are the terminal, the locale if it lacks our marks, `config.toml`, the environment and the
    `flags` of the command line. The values are not checked. Appends to `problems` what is wrong
    with a config file that cannot be read or is not TOML; its values are then empty.
    """
    term = os.environ.get("TERM", "")
    yield _Layer("the terminal", _suited_to_terminal(term), lambda _: f"TERM={term}")

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
    yield _Layer(str(config_file()), _with_clean_reviewer(table), lambda _: "config.toml")

    from_environment = {}
    for key in KEYS:
        text = os.environ.get(variable(key), "")
        if text:
            from_environment[key] = parse(key, text)
    yield _Layer("the environment", _with_clean_reviewer(from_environment), variable)

    from_flags = {key: flags[key] for key in KEYS if flags.get(key) is not None}
    yield _Layer(
        "the command line",
        _with_clean_reviewer(from_flags),
        lambda key: flag(key, on=from_flags[key] is not False),
    )


def _suited_to_terminal(term: str) -> dict[str, object]:
    """Return the settings that suit a terminal of few colours or letters, by its TERM.

    They are the theme `console` unless TERM or COLORTERM tell of at least 256 colours, and `ascii`
    for a Linux console. They are none for any other terminal, and without TERM.
    """
    values = dict[str, object]()
    has_many_colours = os.environ.get("COLORTERM", "") in ("truecolor", "24bit")
    if term and not has_many_colours and term.rpartition("-")[2] not in ("256color", "kitty"):
        values["theme"] = "console"
    if term == CONSOLE:
        values["ascii"] = True
    return values


def _with_clean_reviewer(values: Mapping[str, object]) -> dict[str, object]:
    """Return a copy of the values with the reviewer's name on one line, or without a blank name.

    A name that is no text stays, to be found fault with.
    """
    cleaned = dict(values)
    reviewer = cleaned.get("reviewer")
    if isinstance(reviewer, str):
        cleaned["reviewer"] = _clean(reviewer)
        if not cleaned["reviewer"]:
            del cleaned["reviewer"]
    return cleaned


def variable(key: str) -> str:
    """Return the name of the environment variable of a setting."""
    return f"APPELLATE_{key.upper()}"


def overriding_variable(key: str) -> str:
    """Return the environment variable that overrides the config file for a setting.

    "" if it is not set, or empty.
    """
    if os.environ.get(variable(key)):
        return variable(key)
    return ""


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

    Yes and no may be written in several ways (`YES`, `NO`), in any case. A list is written as in
    TOML, or with semicolons between its texts. Text that is no value of the setting's type is
    returned as text, for `check` to find fault with. Raises KeyError for a key that is no setting,
    and nothing else.
    """
    text = in_unicode(text)
    value_type = type(default(key))
    if value_type is bool and text.casefold() in YES + NO:
        return text.casefold() in YES
    if value_type is int and text.isdecimal() and len(text) < LONGEST_NUMBER:
        return int(text)
    if value_type is tuple and text.lstrip().startswith("["):
        with suppress(tomli.TOMLDecodeError):
            return tomli.loads(f"texts = {text}")["texts"]
    elif value_type is tuple:
        return [item for item in map(str.strip, text.split(";")) if item]
    return text


# -- what a setting may be ------------------------------------------------------------------------


def default(key: str) -> Any:
    """Return the value of a setting that nobody set; raise KeyError for a key that is none."""
    if key not in KEYS:
        raise KeyError(key)
    return getattr(USUAL, key)


@cache
def schema(key: str) -> dict[str, Any]:
    """Return the JSON schema of a setting, with its description and what it may be."""
    properties: dict[str, Any] = json.schema(Settings)["$defs"]["Settings"]["properties"]
    described: dict[str, Any] = properties[key]
    return described


def allowed(key: str) -> str:
    """Return which values a setting may have, in words for a message: `true or false`."""
    described = schema(key)
    if "enum" in described:
        choices = [quoted(choice) for choice in choices_of(key)]
        return f"{', '.join(choices[:-1])} or {choices[-1]}"
    if "pattern" in described:
        return "a time such as 90s, 10m or 2h"
    if described["type"] == "integer":
        return f"a whole number from {described['minimum']} to {described['maximum']}"
    if described["type"] == "boolean":
        return "true or false"
    if described["type"] == "array":
        return f"a list of at most {MOST_REASONS} texts"
    return "text"


def choices_of(key: str) -> tuple[str, ...]:
    """Return the words that a setting may be, in their order; none if it is no choice of words."""
    value_type, *_ = get_args(Settings.__annotations__[key])
    return get_args(value_type) if get_origin(value_type) is Literal else ()


def _checked(layer: _Layer) -> tuple[dict[str, object], list[Problem]]:
    """Return the values of a source by key, and what is wrong with it, each problem once.

    There are no values if anything is wrong. A key that is no setting is wrong, too. Blanks around
    a reason are left out.
    """
    values: dict[str, object] = {}
    problems: list[Problem] = []
    for key in KEYS:
        if key not in layer.values:
            continue
        value = written = layer.values[key]
        faulty: list[int] = []
        if key == "reasons" and isinstance(written, list | tuple):
            value = [_stripped(reason) for reason in written]
            faulty = [index for index, reason in enumerate(value) if not _may_be(reason, Reason)]
            for index in faulty:
                problems.append(_problem(layer, [key, index], "a short text", written[index]))
        if not faulty and not _may_be(value, Settings.__annotations__[key]):
            problems.append(_problem(layer, [key], allowed(key), written))
        if not problems:
            values[key] = convert(value, Settings.__annotations__[key])
    for key in layer.values:
        if key not in KEYS:
            problems.append(Problem(layer.file, key_path([key]), *unknown_setting(str(key))))
    if problems:
        return {}, list(dict.fromkeys(problems))
    return values, []


def _stripped(reason: object) -> object:
    """Return a reason without blanks around it; what is no text is returned as it is."""
    return reason.strip() if isinstance(reason, str) else reason


def _may_be(value: object, value_type: Any) -> bool:
    """Return whether a setting, or a part of one, of this type may have a value."""
    try:
        convert(value, value_type)
    except (ValidationError, UnicodeEncodeError):  # the latter for bytes that are no text
        return False
    return True


def _problem(layer: _Layer, path: Sequence[str | int], needed: str, value: object) -> Problem:
    """Return that a value, whose keys `path` are, is not what is `needed`.

    The place is the key in `config.toml`, or else the flag or variable that set it. The value is
    repeated.
    """
    place = layer.name_of(str(path[0]))
    if place == "config.toml":
        place = key_path(path)
    return Problem(layer.file, place, f"must be {needed}, not {describe_value(value)}")


def unknown_setting(key: str) -> tuple[str, str]:
    """Return what is wrong with an unknown setting, and what would be right.

    That is the setting with the closest name, or else all settings.
    """
    _, right = unknown_key(key, KEYS)
    return f"there is no setting {quoted(key)}", right.replace("keys are", "settings are")


def seconds(time: str) -> float:
    """Return the seconds of a time such as 90s, 10m or 2h."""
    return float(time[:-1]) * {"s": 1, "m": 60, "h": 3600}[time[-1]]


def check(key: str, value: object, text: str) -> None:
    """Raise Unusable if a setting cannot have a value, or if there is no such setting.

    `text` says in the problem where the value is.
    """
    _, problems = _checked(_Layer(text, {key: value}, lambda key: key))
    if problems:
        raise Unusable(problems)


# -- saving ---------------------------------------------------------------------------------------


def save(key: str, value: object) -> Path:
    """Write one setting into the config file, which is made if it is missing; return its path.

    Comments, the order of keys and all other values stay. Raises Unusable for a wrong value, for a
    file that cannot be read or written, and if the setting cannot be written without changing
    others. Nothing is written then.
    """
    check(key, value, "config")
    path = writable_config_file()
    text = ""
    if path.exists():
        text = text_of(path, MIB)
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
        raise unusable(str(path), f"it cannot be written: {error.strerror or error}") from error
    return path


# -- the reviewer ---------------------------------------------------------------------------------


def _reviewer(name: str, source: str) -> Sourced:
    """Return who reviews, and where the name comes from.

    It is `name` from `source` unless that is "". Else it is git's user.name, the login name, or the
    word "reviewer", whichever is the first that is not blank.
    """
    if name:
        return Sourced(name, source)
    git_name = _clean(_git_name())
    if git_name:
        return Sourced(git_name, "git's user.name")
    login = _clean(_login())
    if login:
        return Sourced(login, "the login name")
    return Sourced("reviewer", "default")


def _clean(name: str) -> str:
    """Return a name on one line, without bytes that were not UTF-8 in the environment."""
    return " ".join(in_unicode(name).split())


def _git_name() -> str:
    """Return git's `user.name` as git prints it, with its line end.

    "" if it is not set, if there is no git, or if git does not answer within two seconds.
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
    return process.stdout


def _login() -> str:
    """Return the name that the user logged in with; "" if the system knows none."""
    import getpass  # seldom asked

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
