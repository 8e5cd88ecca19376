"""README tells the truth: every command, option, key, setting and format is in it, and its code runs."""

import argparse
import re
import tomllib
from pathlib import Path

import pytest

from appellate import settings
from appellate.app.keys import every_key
from appellate.cli.arguments import COMMANDS, parser
from appellate.cli.serve import INSTALL
from appellate.core.trace import Trace
from appellate.report.measured import FORMAT as METRICS_FORMAT
from appellate.store.audit import FORMAT as AUDIT_FORMAT
from appellate.store.rubric_file import parse_rubric
from appellate.store.trace_record import ALIASES
from appellate.traits.metric.spec import MetricRubricTrait

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

KEYS = [
    key for key in every_key() if not key.id.startswith("tally.")
]  # the tests' own kind is in no README


def options() -> set[str]:
    found: set[str] = set()
    for action in parser()._subparsers._group_actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                found |= {option for one in command._actions for option in one.option_strings}
    return found - {"-h"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_in_the_table(command):
    assert f"| `appellate {command} " in README or f"| `appellate {command}` " in README


@pytest.mark.parametrize("option", sorted(options()))
def test_every_option_is_named(option):
    assert f"`{option}`" in README


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.id)
def test_every_key_stands_with_what_it_does(key):
    assert f"| `{key.shown}` | {key.told} |" in README


@pytest.mark.parametrize("setting", settings.KEYS)
def test_every_setting_is_shown(setting):
    assert re.search(rf"^{setting} = ", README, re.MULTILINE)


@pytest.mark.parametrize(
    "name", ["APPELLATE_CONFIG", "APPELLATE_REVIEWER", "OPENAI_API_KEY", "NO_COLOR"]
)
def test_every_environment_variable_is_named(name):
    assert name in README


@pytest.mark.parametrize("name", [AUDIT_FORMAT, METRICS_FORMAT])
def test_every_format_is_named(name):
    assert f"`{name}`" in README or f'"{name}"' in README


@pytest.mark.parametrize("key", [*Trace.model_fields, *ALIASES])
def test_every_key_of_a_trace_is_named(key):
    assert f"`{key}`" in README


@pytest.mark.parametrize(
    "key",
    sorted(set(MetricRubricTrait.model_fields) - {"summary", "higher_is_better", "omissions"}),
)
def test_every_key_of_a_metric_trait_is_shown(key):
    assert re.search(rf"^\s*{key} = ", README, re.MULTILINE)


def test_the_rubric_shown_is_a_rubric():
    shown = next(
        block
        for block in re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
        if "metric_traits" in block
    )
    loaded = parse_rubric(tomllib.loads(shown), "README")
    assert not loaded.problems


def test_the_python_shown_runs():
    for shown in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        exec(shown, {})  # noqa: S102 - our own words


def test_every_folder_and_file_that_is_named_is_there():
    for name in re.findall(r"`((?:tests|themes|\.github|\.ci)/[\w./]*\w)`", README):
        assert (ROOT / name).exists(), name
    for name in re.findall(r"\]\((\.github/[\w.]+)\)", README):
        assert (ROOT / name).exists(), name


def test_every_bundled_theme_is_named():
    for path in (ROOT / "themes").glob("*.toml"):
        assert f"`{path.stem}`" in README


def test_the_two_commands_are_marked_for_the_checks():
    assert "<!-- tests -->\n```sh\n" in README
    assert "<!-- demo -->\n```sh\n" in README


def test_the_extra_for_the_browser_is_installed_by_the_words_that_the_program_says():
    assert f"`{INSTALL}`" in README
