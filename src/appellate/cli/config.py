"""`appellate config`: all settings and judges as a file to save; one setting; keeping one."""

import argparse
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import tomli_w

from appellate.cli.outcome import say, show, show_lines
from appellate.core.inert import in_unicode, visible
from appellate.core.problem import Problem, Refused, Unusable, quoted
from appellate.judges.endpoint import OPENAI_KEY
from appellate.judging.planning import load_profiles
from appellate.session import settings
from appellate.session.settings import KEYS, TABLES, LoadedSettings, Settings
from appellate.store.files import atomic
from appellate.store.files.text_file import expanded, unusable
from appellate.store.files.toml import emit
from appellate.store.files.wording import key_path
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
# context = 32768                          # tokens that the model takes, request and reply
# prices = {input = 0.25, output = 2.0}    # for a million tokens
# params = {temperature = 0.2}
"""
NO_FLAG = {"reasons", "queue_columns", "items_share", "items_rows"}


def config(arguments: argparse.Namespace) -> None:
    if arguments.path:
        show_lines([str(settings.writable_config_file())])
    elif arguments.keys:
        from appellate.app.keys import keymap

        show(keymap.document(keymap.load(settings.load().settings.keymap, settings.folder())))
    elif arguments.themes:
        show(_themes())
    elif arguments.prompt:  # kind by kind, as a file that `--prompt` takes
        asked = prompts.asked().items()
        show("\n".join(f"[{name}]\n{kind.prompt()}" for name, kind in asked))
    elif arguments.key is None:
        parts = [document(_sound())]
        for name in TABLES:
            if settings.config().get(name):
                parts += _table(name)
        show("\n".join(parts))
    elif arguments.key in TABLES:
        _show_table(arguments.key, arguments.value)
    elif arguments.value:
        _keep(_known(arguments.key), arguments.value)
    else:
        show(_plainly(getattr(settings.load().settings, _known(arguments.key))))


# -- showing --------------------------------------------------------------------------------------


def document(loaded: LoadedSettings) -> str:
    """All settings as they are, as a config file that says what each means."""
    head = HEAD.format(path=quoted(str(settings.config_file()), 400))
    return "\n".join([head, *(_describe(key, loaded) for key in KEYS)])


def _describe(key: str, loaded: LoadedSettings) -> str:
    field = Settings.model_fields[key]
    found = settings.variable(key)
    if key not in NO_FLAG:
        found += f", {settings.flag(key)}"
    value, source = loaded.sourced(key)
    default = _literal(field.default)
    if isinstance(field.default, tuple):
        default = "; ".join(field.default)
    lines = [
        f"# {field.description}",
        f"# {settings.allowed(key)}; default: {default}",
        f"# also said by {found}; now from: {source}",
        tomli_w.dumps({key: value}),
    ]
    return "\n".join(lines)


def _literal(value: object) -> str:
    return tomli_w.dumps({"x": value}).removeprefix("x = ").strip()


def _plainly(value: object) -> str:
    """A value for a script: text as it is, a list with one on each line."""
    if isinstance(value, tuple):
        return "\n".join(map(visible, value))
    if isinstance(value, str):
        return visible(value)
    return _literal(value)


def _themes() -> str:
    from textual.theme import BUILTIN_THEMES

    from appellate.app.appearance import theme_files, themes

    found = theme_files.user_themes(settings.folder() / "themes")
    say(*found.problems)
    lines = []
    for whose, several in (
        ("bundled", themes.bundled_themes()),
        ("yours", found.themes),
        ("Textual's", BUILTIN_THEMES.values()),
    ):
        for theme in several:
            ground = "dark" if theme.dark else "light"
            lines.append(visible(f"{theme.name:24} {ground:6} {whose}"))
    return "\n".join(lines)


# -- judges and prompts ---------------------------------------------------------------------------


def _sound() -> LoadedSettings:
    """The settings; raises Unusable with every fault of the file, in the settings or elsewhere."""
    try:
        loaded = settings.load()
    except Unusable as refusal:
        try:
            load_profiles()
        except Unusable as further:
            raise Unusable(list(dict.fromkeys(refusal.problems + further.problems))) from refusal
        raise
    load_profiles()
    return loaded


def _show_table(name: str, words: list[str]) -> None:
    if words:
        wrong = f"{name} is a table of many lines, which no command writes"
        raise unusable("config", wrong, f"write it into {settings.config_file()} by hand")
    load_profiles()
    show("\n".join(_table(name)))


def _table(name: str) -> Iterator[str]:
    """The judges, with whether their keys are set, or the prompts, as the file has them."""
    table = settings.config().get(name, {})
    if name == "prompts":
        for kind, parts in table.items():
            yield _written_out(("prompts", kind), parts)
        return
    if not table:
        yield JUDGES.replace("{path}", quoted(str(settings.config_file()), 400))
    for judge, given in table.items():
        text = f"# asked by: --judge {judge}"
        variable = given.get("api_key_env")
        if not variable and "base_url" not in given:
            variable = OPENAI_KEY
        if variable:
            found = "set" if os.environ.get(variable, "").strip() else "not set"
            text += f"; its key: {variable} is {found}"
        yield text
        yield _written_out(("judges", judge), given)


def _written_out(path: tuple[str, ...], table: Mapping[str, Any]) -> str:
    return f"[{key_path(path)}]\n{''.join(emit(table, path))}"


# -- keeping --------------------------------------------------------------------------------------


def _known(key: str) -> str:
    key = key.replace("-", "_")
    if key not in KEYS:
        raise Unusable([Problem("config", "", *settings.unknown_setting(key))])
    return key


def _keep(key: str, words: list[str]) -> None:
    value: Any = [in_unicode(word) for word in words]  # several are a list
    if len(words) == 1:
        value = settings.parse(key, words[0])
    settings.check(key, value, "config")
    _check_there_is(key, value)
    text = f"{key} is saved in {settings.save(key, value)}."
    source = settings.overriding_variable(key)
    if source:
        text += f" {source} goes before it."
    say(text)


def _check_there_is(key: str, value: Any) -> None:
    """Raises Unusable where a setting names what is not there."""
    if key == "keymap":
        from appellate.app.keys import keymap

        keymap.load(value, settings.folder())
    elif key == "theme":
        from appellate.app.appearance import theme_files

        theme_files.check(value, settings.folder() / "themes")
    elif key == "cache" and value:
        from appellate.judges import reply_cache

        with suppress(OSError):  # then it cannot be kept, which `open_cache` says
            atomic.make_folder(settings.folder(), parents=True)
        try:
            reply_cache.open_cache(settings.folder() / expanded(value))
        except Refused as refusal:
            raise unusable("cache", str(refusal)) from refusal
