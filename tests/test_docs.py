"""README and the manual tell the truth: what they name is there, what is there is named, and their
code runs.
"""

import argparse
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from appellate import manual
from appellate.cli.arguments import PAGES as PAGE_OF_COMMAND
from appellate.cli.arguments import parser
from appellate.cli.serve import INSTALL
from appellate.core.trace import Trace
from appellate.installed import running
from appellate.numbers.data import METRICS_FORMAT
from appellate.session import settings
from appellate.store.audits.audit import FORMAT as AUDIT_FORMAT
from appellate.store.files.rubric_file import parse_rubric
from appellate.store.files.trace_record import ALIASES
from appellate.traits.metric.spec import MetricRubricTrait
from man_page import PAGE as MAN_PAGE
from man_page import page as man_page
from manual_tables import filled, sections, subcommands
from manual_words import words_by_topic

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    topic: (manual.FOLDER / f"{topic}.md").read_text("utf-8") for topic in manual.TOPICS
}
MANUAL = "\n".join(PAGES.values())
MOST_LINES, MOST_WORDS = 150, 900
MOST_WORDS_OF_MANUAL = 14_000


def every_parser(command: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield command
    for below in subcommands(command).values():
        yield from every_parser(below)


def options() -> set[str]:
    found: set[str] = set()
    for command in every_parser(parser()):
        found |= {
            option
            for one in command._actions
            if one.help != argparse.SUPPRESS
            for option in one.option_strings
        }
    return found - {"-h", "--help", "--version"}


def code(language: str, text: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_readme_is_short():
    assert len(README.splitlines()) <= MOST_LINES
    assert len(README.split()) <= MOST_WORDS


def test_the_manual_is_short_beside_its_tables_and_code():
    assert sum(words_by_topic().values()) <= MOST_WORDS_OF_MANUAL


def test_the_two_commands_are_marked_for_the_checks():
    assert "<!-- tests -->\n```sh\n" in README
    assert "<!-- demo -->\n```sh\n" in README


def test_the_folder_of_the_manual_has_the_pages_that_are_listed_and_no_others():
    assert {path.stem for path in manual.FOLDER.glob("*.md")} == set(manual.TOPICS)


@pytest.mark.parametrize("topic", PAGES)
def test_a_page_has_the_tables_that_the_program_has_now(topic):
    assert filled(PAGES[topic]) == PAGES[topic], "run: python tests/manual_tables.py"


def test_the_man_page_has_the_commands_and_options_that_there_are_now():
    assert man_page() == MAN_PAGE.read_text("utf-8"), "run: python tests/man_page.py"


def test_the_version_to_cite_is_the_packages():
    cited = (ROOT / ".github" / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {running()}\n" in cited


@pytest.mark.parametrize("topic", PAGES)
def test_a_page_begins_with_its_title_and_what_it_is_for(topic):
    assert re.match(r"# .+\n\n[A-Z`][^\n]+", PAGES[topic])


@pytest.mark.parametrize("command", subcommands(parser()))
def test_every_command_has_a_page_that_is_named_in_its_help(command):
    page = PAGE_OF_COMMAND[command]
    assert page in manual.TOPICS
    assert f"appellate help {page}" in subcommands(parser())[command].format_help()


NAMED = {
    "option": (sorted(options()), "`{}`", MANUAL),
    "environment variable": (
        ["APPELLATE_CONFIG", "APPELLATE_REVIEWER", "OPENAI_API_KEY", "NO_COLOR"],
        "{}",
        MANUAL,
    ),
    "format": ([AUDIT_FORMAT, METRICS_FORMAT], "{}", MANUAL),
    "setting": (settings.KEYS, "^{} = ", PAGES["settings"]),
    "bundled theme": (
        [path.stem for path in (ROOT / "themes").glob("*.toml")],
        "`{}`",
        PAGES["settings"],
    ),
    "key of a trace": ([*Trace.model_fields, *ALIASES], "`{}`", PAGES["traces"]),
    "key of a metric trait": (
        set(MetricRubricTrait.model_fields)
        - {"summary", "higher_is_better", "omissions", "weights", "tags", "aliases"},
        r"^\s*{} = ",
        PAGES["rubrics"] + PAGES["conversations"],
    ),
}


@pytest.mark.parametrize("sort", NAMED)
def test_each_of_a_sort_is_named(sort):
    names, how, text = NAMED[sort]
    assert names
    found = [
        name
        for name in names
        if re.search(how.format(re.escape(name)), text, re.MULTILINE)
    ]
    assert found == [*names]


@pytest.mark.parametrize("section", sections())
def test_every_key_is_on_the_page_of_keys(section):
    for key in sections()[section]:
        cell = f"| `{key.shown}` |" if key.keys else f"| `{key.id}` |"
        assert cell in PAGES["keys"]


@pytest.mark.parametrize(
    "shown",
    [block for block in code("toml", README + MANUAL) if "_traits" in block],
)
def test_a_rubric_that_is_shown_is_a_rubric(shown):
    assert not parse_rubric({"name": "x"} | tomllib.loads(shown), "manual").problems


@pytest.mark.parametrize("shown", code("python", README + MANUAL))
def test_python_that_is_shown_runs(shown):
    exec(shown, {})  # noqa: S102 - our own words


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_what_readme_links_to_is_there(name):
    assert (ROOT / name).exists()


@pytest.mark.parametrize("topic", PAGES)
def test_what_a_page_links_to_or_names_is_there(topic):
    for name in re.findall(r"\]\(([^)#:]+)\)", PAGES[topic]):
        assert (manual.FOLDER / name).exists(), name
    for name in re.findall(
        r"`((?:tests|themes|\.github|\.ci)/[\w./]*\w)`",
        PAGES[topic],
    ):
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize(
    "page",
    sorted((ROOT / ".github").glob("*.md")),
    ids=lambda page: page.stem,
)
def test_files_that_a_page_for_contributors_names_are_there(page):
    for name in re.findall(r"`([\w.]+/[\w./]*\.\w+)`", page.read_text("utf-8")):
        assert (ROOT / name).exists() or (ROOT / "src/appellate" / name).exists(), name


def test_the_extra_for_the_browser_is_installed_by_the_words_that_the_program_says():
    assert f"`{INSTALL}`" in PAGES["terminals"]
