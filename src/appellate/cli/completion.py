"""`appellate completion`: prints a script that completes commands and options in a shell."""

import argparse
from collections.abc import Iterable, Iterator
from typing import get_args

import shtab

from appellate import installed, manual
from appellate.cli.arguments import parser
from appellate.cli.outcome import show
from appellate.judging.planning import TAKEN
from appellate.session import settings

_FILES = {"FILE", "AUDIT", "RUBRIC", "PATH", "KEYS", "A", "B", "C"}
"""Names in the help that stand for a file."""
_FOLDER = "DIR"


def completion(arguments: argparse.Namespace) -> None:
    """Print on standard output the script that completes commands in the shell that is named.

    It lists the commands, options and values of today, among them the judges of the config file and
    the themes in the theme folder, so that no Python is loaded at each Tab. Raises Unusable for a
    config file that cannot be read; faults in its judges are passed over. Raises Ended if standard
    output fails.
    """
    root = parser()
    fields = settings.Settings.model_fields
    own_judges = settings.config().get("judges")
    if not isinstance(own_judges, dict):
        own_judges = {}  # `config` tells what is wrong with it
    theme_files = installed.themes().glob("*.toml")
    values: dict[str, Iterable[str]] = {
        "judge": [*TAKEN, *own_judges],
        "theme": sorted(path.stem for path in theme_files),
        "by": ["model", "question", "cluster", "epoch"],
        "key": [*settings.KEYS, *settings.TABLES],
        "topic": manual.TOPICS,
    }
    for name in ("view", "markdown", "order"):
        values[name] = get_args(fields[name].annotation)
    for action in _actions(root):
        if action.dest in values:
            action.choices = values[action.dest]
        elif action.metavar in _FILES:
            vars(action)["complete"] = shtab.FILE
        elif action.metavar == _FOLDER:
            vars(action)["complete"] = shtab.DIRECTORY
    show(shtab.complete(root, arguments.shell))


def _actions(command: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield every argument and option of a command and then of the commands below it, at any depth.

    The argument that takes a command's name is one of them.
    """
    for action in command._actions:  # noqa: SLF001 - argparse has no other list of them
        yield action
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - likewise
            for subcommand in action.choices.values():
                yield from _actions(subcommand)
