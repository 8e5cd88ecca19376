"""`appellate config`: prints all settings as a config file, prints one setting, or saves one."""

import argparse
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Literal

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
"""Settings that no flag of the command line sets."""


def config(arguments: argparse.Namespace) -> None:
    """Print what the command line names on standard output, or save a setting.

    It is the path of the config file, keys, themes, prompts, one setting or table, or else all
    settings as a config file. With a value the setting is saved in the config file, whose folder is
    made, and that is said on standard error. Problems of the person's own themes are said there,
    too.

    Raises Unusable for an unknown setting, a value it cannot have, a value for a table, faults in
    the config file or the keys, no home folder for it, and a file that cannot be written. Raises
    Ended if standard output fails.
    """
    if arguments.path:
        show_lines([str(settings.writable_config_file())])
    elif arguments.keys:
        from appellate.app.keys import keymap

        name = settings.load().settings.keymap
        keys = keymap.load(name, settings.folder())
        show(keymap.document(keys))
    elif arguments.themes:
        show(_themes())
    elif arguments.prompt:  # kind by kind, as a file that `--prompt` takes
        show("\n".join(_shipped_prompts()))
    elif arguments.key is None:
        sections = [document(_load_without_faults())]
        for name in TABLES:
            if settings.config().get(name):
                sections += _table_texts(name)
        show("\n".join(sections))
    elif arguments.key in TABLES:
        _show_table(arguments.key, arguments.value)
    elif arguments.value:
        _save(_existing_key(arguments.key), arguments.value)
    else:
        key = _existing_key(arguments.key)
        value = getattr(settings.load().settings, key)
        show(_script_text(value))


# -- showing --------------------------------------------------------------------------------------


def document(loaded: LoadedSettings) -> str:
    """Return a config file with every setting at its current value, in the order of `KEYS`.

    Each is a line of TOML below three comments: what it means, which values it may have and its
    default, and where it can be set and is set now. Nothing is written.
    """
    sections = [HEAD.format(path=quoted(str(settings.config_file()), 400))]
    for key in KEYS:
        field = Settings.model_fields[key]
        other_ways = settings.variable(key)
        if key not in NO_FLAG:
            other_ways += f", {settings.flag(key)}"
        value, source = loaded.sourced(key)
        default = _toml_value(field.default)
        if isinstance(field.default, tuple):
            default = "; ".join(field.default)
        sections += [
            f"# {field.description}",
            f"# {settings.allowed(key)}; default: {default}",
            f"# also said by {other_ways}; now from: {source}",
            tomli_w.dumps({key: value}),
        ]
    return "\n".join(sections)


def _toml_value(value: object) -> str:
    """Return a value as TOML writes it after `key = `, without a newline at its end."""
    return tomli_w.dumps({"x": value}).removeprefix("x = ").strip()


def _script_text(value: object) -> str:
    """Return the value of a setting as `config KEY` prints it for scripts.

    It is a text without quotes, and a tuple with one item a line, both with control characters made
    visible. Other values are as in TOML: true, 5.
    """
    if isinstance(value, tuple):
        return "\n".join(map(visible, value))
    if isinstance(value, str):
        return visible(value)
    return _toml_value(value)


def _shipped_prompts() -> Iterator[str]:
    """Yield the shipped prompt of each kind of trait that asks a judge, as one text of TOML each.

    Its first line is the name of the kind in brackets.
    """
    for name, source in prompts.asked().items():
        yield f"[{name}]\n{source.prompt()}"


def _themes() -> str:
    """Return a line for each theme: its name, dark or light, and where it comes from.

    The source is bundled, yours or Textual's, in this order. Problems of the person's own themes
    are said on standard error, such a theme is left out, and nothing is raised.
    """
    from textual.theme import BUILTIN_THEMES

    from appellate.app.appearance import theme_files, themes

    user_themes = theme_files.user_themes(settings.folder() / "themes")
    say(*user_themes.problems)
    lines = []
    for source, themes_of_source in (
        ("bundled", themes.bundled_themes()),
        ("yours", user_themes.themes),
        ("Textual's", BUILTIN_THEMES.values()),
    ):
        for theme in themes_of_source:
            ground = "dark" if theme.dark else "light"
            lines.append(visible(f"{theme.name:24} {ground:6} {source}"))
    return "\n".join(lines)


# -- judges and prompts ---------------------------------------------------------------------------


def _load_without_faults() -> LoadedSettings:
    """Return the settings, after judges and prompts were checked, too.

    Raises Unusable with every fault of all three together, each once. Judges and prompts are not
    returned.
    """
    try:
        loaded = settings.load()
    except Unusable as refusal:
        try:
            load_profiles()
        except Unusable as further:
            problems = refusal.problems + further.problems
            raise Unusable(list(dict.fromkeys(problems))) from refusal
        raise
    load_profiles()
    return loaded


def _show_table(name: Literal["judges", "prompts"], new_values: list[str]) -> None:
    """Print the judges or the prompts on standard output, as the config file has them.

    A comment before each judge says how it is named and whether its key is set. Without any judge
    an example is printed in comments, and without prompts an empty line. Raises Unusable if
    `new_values` has any, since no command writes a table, and if the config file has errors in
    either of the two. Raises Ended if standard output fails.
    """
    if new_values:
        wrong = f"{name} is a table of many lines, which no command writes"
        raise unusable(
            "config",
            wrong,
            f"write it into {settings.config_file()} by hand",
        )
    load_profiles()
    show("\n".join(_table_texts(name)))


def _table_texts(name: Literal["judges", "prompts"]) -> Iterator[str]:
    """Yield the tables of the prompts or the judges, as texts of TOML, as the config file has them.

    They were checked by `load_profiles` before. A comment before a judge says how it is named and
    whether the variable of its key is set. Without any judge, an example of one is yielded in
    comments; without prompts nothing is yielded. Raises Unusable for a config file that cannot be
    read.
    """
    table = settings.config().get(name, {})
    if name == "prompts":
        for kind, parts in table.items():
            yield _as_toml(("prompts", kind), parts)
        return
    if not table:
        yield JUDGES.replace("{path}", quoted(str(settings.config_file()), 400))
    for name_of_judge, profile in table.items():
        comment = f"# asked by: --judge {name_of_judge}"
        variable = profile.get("api_key_env")
        if not variable and "base_url" not in profile:
            variable = OPENAI_KEY
        if variable:
            state = "set" if os.environ.get(variable, "").strip() else "not set"
            comment += f"; its key: {variable} is {state}"
        yield comment
        yield _as_toml(("judges", name_of_judge), profile)


def _as_toml(path: tuple[str, ...], table: Mapping[str, Any]) -> str:
    """Return a table as TOML below a line with its path in brackets."""
    return f"[{key_path(path)}]\n{''.join(emit(table, path))}"


# -- saving ---------------------------------------------------------------------------------------


def _existing_key(key: str) -> str:
    """Return the key of a setting as the settings have it: with underscores instead of hyphens.

    Raises Unusable for a key that no setting has, with what was probably meant.
    """
    key = key.replace("-", "_")
    if key not in KEYS:
        raise Unusable([Problem("config", "", *settings.unknown_setting(key))])
    return key


def _save(key: str, texts: list[str]) -> None:
    """Save a setting in the config file, and say on standard error where it is saved.

    `key` is one of `KEYS`. A single text is read as the setting's type; several are saved as a
    list. It is also said which environment variable goes before the file, if one is set. The folder
    of the settings, and a cache that is named, are made if they are missing.

    Raises Unusable for a value that the setting cannot have, as keys or a theme that do not exist,
    and for a file that cannot be read or written.
    """
    value: Any = [in_unicode(text) for text in texts]
    if len(texts) == 1:
        value = settings.parse(key, texts[0])
    settings.check(key, value, "config")
    _check_exists(key, value)
    text = f"{key} is saved in {settings.save(key, value)}."
    source = settings.overriding_variable(key)
    if source:
        text += f" {source} goes before it."
    say(text)


def _check_exists(key: str, value: Any) -> None:
    """Raise Unusable if keys, a theme or a cache that a setting names cannot be opened.

    Other settings pass, and so does no cache (""). A cache whose path is not absolute is in the
    folder of the settings. That folder and the cache are made if they are missing.
    """
    if key == "keymap":
        from appellate.app.keys import keymap

        keymap.load(value, settings.folder())
    elif key == "theme":
        from appellate.app.appearance import theme_files

        theme_files.check_theme_name(value, settings.folder() / "themes")
    elif key == "cache" and value:
        from appellate.judges import reply_cache

        with suppress(OSError):  # then it cannot be kept, which `open_cache` says
            atomic.make_folder(settings.folder(), parents=True)
        try:
            reply_cache.open_cache(settings.folder() / expanded(value))
        except Refused as refusal:
            raise unusable("cache", str(refusal)) from refusal
