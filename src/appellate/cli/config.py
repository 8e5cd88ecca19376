"""`appellate config`: every setting with its meaning, as a file to save; one setting; keeping one."""

import argparse
from typing import Any

import tomli_w

from appellate import settings
from appellate.cli.outcome import Exit, say, show, visible
from appellate.core.problem import Problem, Unusable, quoted
from appellate.settings import KEYS, Loaded, Settings

HEAD = """\
# Appellate's settings. Save this as {path} and change what you like.
# A flag goes before the environment, the environment before this file.
"""
NO_FLAG = {"reasons", "queue_columns", "items_share", "items_rows"}


def config(arguments: argparse.Namespace) -> Exit:
    if arguments.path:
        show(visible(str(settings.config_file())))
    elif arguments.keys:
        show(_keys())
    elif arguments.themes:
        show(_themes())
    elif arguments.key is None:
        show(document(settings.load()))
    elif arguments.value:
        _keep(_known(arguments.key), arguments.value)
    else:
        show(_plainly(getattr(settings.load().settings, _known(arguments.key))))
    return Exit.DONE


# -- showing ----------------------------------------------------------------------------------------


def document(loaded: Loaded) -> str:
    """All settings as they are, as a config file that says what each means."""
    head = HEAD.format(path=quoted(str(settings.config_file()), 400))
    return "\n".join([head, *(_told(key, loaded) for key in KEYS)])


def _told(key: str, loaded: Loaded) -> str:
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
    from appellate.app import themes

    found = themes.user_themes(settings.folder() / "themes")
    say(*found.problems)
    named = [(theme, "bundled") for theme in themes.bundled_themes()]
    named += [(theme, "yours") for theme in found.themes]
    lines = [f"{theme.name:24} {'dark' if theme.dark else 'light':6} {whose}" for theme, whose in named]
    return "\n".join([*map(visible, lines), "Textual's own are listed by Ctrl+P, Theme."])


# -- keeping ----------------------------------------------------------------------------------------


def _known(key: str) -> str:
    key = key.replace("-", "_")
    if key not in KEYS:
        raise Unusable([Problem("config", "", *settings.unknown_setting(key))])
    return key


def _keep(key: str, words: list[str]) -> None:
    value = _given(key, words)
    settings.check(key, value, "config")
    if key == "keymap":
        _check_keymap(value)
    path = settings.keep(key, value)
    source = settings.overruled(key)
    say(f"{key} is kept in {path}." + (f" {source} goes before it." if source else ""))


def _given(key: str, words: list[str]) -> Any:
    """The words of the command line as one value: several are a list."""
    if len(words) == 1:
        return settings.read(key, words[0])
    return words


def _check_keymap(wanted: str) -> None:
    from appellate.app import keymap

    keymap.load(wanted, settings.folder())
