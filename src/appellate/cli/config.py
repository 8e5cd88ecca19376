"""`appellate config`: all settings and judges as a file to save; one setting; keeping one."""

import argparse
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomli_w

from appellate import settings
from appellate.cli.outcome import Exit, say, show
from appellate.core.inert import visible
from appellate.core.problem import Problem, Refused, Unusable, quoted
from appellate.judging import profiles
from appellate.settings import KEYS, TABLES, LoadedSettings, Settings
from appellate.store.toml import emit
from appellate.store.wording import key_path
from appellate.traits import prompts

HEAD = """\
# Appellate's settings. Save this as {path} and change what you like.
# A flag goes before the environment, the environment before this file.
"""
JUDGES = """\
# There is no judge of your own in {path}. One is written so:
#
# [judges.fast]
# base_url = "http://localhost:8000/v1"
# model = "my-model"
# api_key_env = "VLLM_KEY"                 # the variable that holds its key
# concurrency = 32
# prices = {input = 0.25, output = 2.0}    # for a million tokens
# params = {temperature = 0.2}
"""
OPENAI_KEY = "OPENAI_API_KEY"
NO_FLAG = {"reasons", "queue_columns", "items_share", "items_rows"}


def config(arguments: argparse.Namespace) -> Exit:
    if arguments.path:
        show(visible(str(settings.config_file())))
    elif arguments.keys:
        show(_keys())
    elif arguments.themes:
        show(_themes())
    elif arguments.prompt:
        show(_templates())
    elif arguments.key is None:
        show("\n".join([document(_sound()), *_tables()]))
    elif arguments.key in TABLES:
        _show_table(arguments.key, arguments.value)
    elif arguments.value:
        _keep(_known(arguments.key), arguments.value)
    else:
        show(_plainly(getattr(settings.load().settings, _known(arguments.key))))
    return Exit.DONE


# -- showing ----------------------------------------------------------------------------------------


def document(loaded: LoadedSettings) -> str:
    """All settings as they are, as a config file that says what each means."""
    head = HEAD.format(path=quoted(str(settings.config_file()), 400))
    return "\n".join([head, *(_told(key, loaded) for key in KEYS)])


def _told(key: str, loaded: LoadedSettings) -> str:
    field = Settings.model_fields[key]
    said_by = settings.variable(key) + ("" if key in NO_FLAG else f", {settings.flag(key)}")
    value, source = loaded.sourced(key)
    lines = [
        f"# {field.description}",
        f"# {settings.allowed(key)}; default: {_default(field.default)}",
        f"# also said by {said_by}; now from: {source}",
    ]
    return "\n".join(lines) + "\n" + tomli_w.dumps({key: _written(value)})


def _default(value: Any) -> str:
    return "; ".join(value) if isinstance(value, tuple) else _literal(value)


def _literal(value: Any) -> str:
    return tomli_w.dumps({"x": value}).removeprefix("x = ").strip()


def _written(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _plainly(value: Any) -> str:
    """A value for a script: text as it is, a list with one on each line."""
    if isinstance(value, tuple):
        return "\n".join(map(visible, value))
    return visible(value) if isinstance(value, str) else _literal(value)


def _keys() -> str:
    """The keys as they are for this person."""
    from appellate.app import keymap  # Textual: the bindings are its widgets'

    return keymap.document(keymap.load(settings.load().settings.keymap, settings.folder()))


def _themes() -> str:
    from textual.theme import BUILTIN_THEMES

    from appellate.app import themes

    found = themes.user_themes(settings.folder() / "themes")
    say(*found.problems)
    named = [(theme, "bundled") for theme in themes.bundled_themes()]
    named += [(theme, "yours") for theme in found.themes]
    named += [(theme, "Textual's") for theme in BUILTIN_THEMES.values()]
    lines = [
        f"{theme.name:24} {'dark' if theme.dark else 'light':6} {whose}" for theme, whose in named
    ]
    return "\n".join(map(visible, lines))


# -- judges and prompts -----------------------------------------------------------------------------


def _sound() -> LoadedSettings:
    """The settings; raises Unusable with every fault of the file, in the settings or elsewhere."""
    try:
        loaded = settings.load()
    except Unusable as refusal:
        raise Unusable(list(dict.fromkeys([*refusal.problems, *_other_faults()]))) from refusal
    profiles.load()
    return loaded


def _other_faults() -> list[Problem]:
    try:
        profiles.load()
    except Unusable as refusal:
        return refusal.problems
    return []


def _show_table(name: str, words: list[str]) -> None:
    if words:
        wrong = f"{name} is a table of many lines, which no command writes"
        raise Unusable(
            [Problem("config", "", wrong, f"write it into {settings.config_file()} by hand")]
        )
    profiles.load()
    show("\n".join(_table(name)))


def _tables() -> Iterator[str]:
    """The judges and prompts, where there are any."""
    for name in TABLES:
        if settings.config().get(name):
            yield from _table(name)


def _table(name: str) -> Iterator[str]:
    return _judges() if name == "judges" else _prompts()


def _judges() -> Iterator[str]:
    """Each profile as it stands in the file, and whether its key can be found; never the key."""
    judges = settings.config().get("judges", {})
    if not judges:
        yield JUDGES.replace("{path}", quoted(str(settings.config_file()), 400))
    for name, given in judges.items():
        yield f"# asked by: --judge {name}{_key(given)}"
        yield _written_out(("judges", name), given)


def _key(given: Mapping[str, Any]) -> str:
    variable = given.get("api_key_env") or ("" if "base_url" in given else OPENAI_KEY)
    if not variable:
        return ""
    return (
        f"; its key: {variable} is {'set' if os.environ.get(variable, '').strip() else 'not set'}"
    )


def _templates() -> str:
    """What models are told, kind by kind, as a file that `--prompt` takes."""
    return "\n".join(f"[{name}]\n{kind.prompt()}" for name, kind in prompts.asked().items())


def _prompts() -> Iterator[str]:
    for kind, parts in settings.config().get("prompts", {}).items():
        yield _written_out(("prompts", kind), parts)


def _written_out(path: tuple[str, ...], table: Mapping[str, Any]) -> str:
    return f"[{key_path(path)}]\n{''.join(emit(table, path))}"


# -- keeping ----------------------------------------------------------------------------------------


def _known(key: str) -> str:
    key = key.replace("-", "_")
    if key not in KEYS:
        raise Unusable([Problem("config", "", *settings.unknown_setting(key))])
    return key


def _keep(key: str, words: list[str]) -> None:
    value = _given(key, words)
    settings.check(key, value, "config")
    _check_there_is(key, value)
    path = settings.keep(key, value)
    source = settings.overruled(key)
    say(f"{key} is kept in {path}." + (f" {source} goes before it." if source else ""))


def _given(key: str, words: list[str]) -> Any:
    """The words of the command line as one value: several are a list."""
    if len(words) == 1:
        return settings.read(key, words[0])
    return words


def _check_there_is(key: str, value: Any) -> None:
    """Raises Unusable where a setting names what is not there."""
    if key == "keymap":
        from appellate.app import keymap

        keymap.load(value, settings.folder())
    elif key == "theme":
        from appellate.app import themes

        themes.check(value, settings.folder() / "themes")
    elif key == "cache" and value:
        with suppress(OSError):  # then it cannot be kept, and that is told
            settings.folder().mkdir(parents=True, exist_ok=True)
        _check_cache(settings.folder() / Path(value).expanduser())


def _check_cache(path: Path) -> None:
    from appellate.judges import reply_cache

    try:
        reply_cache.opened(path)
    except Refused as refusal:
        raise Unusable([Problem("cache", "", str(refusal))]) from refusal
