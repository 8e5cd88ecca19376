"""`appellate help` shows the manual: its pages, and where a word is in them."""

import re

import pytest

from appellate import manual
from terminal import APPELLATE, Terminal

WIDEST = 64  # of a summary, so that the list fits 80 columns


def test_without_a_page_it_lists_all_of_them(cli):
    shown = cli("help").out
    assert all(f"  {topic} " in shown for topic in manual.TOPICS)


@pytest.mark.parametrize("topic", manual.TOPICS)
def test_a_summary_fits_its_line(topic):
    assert len(manual.summary(topic)) <= WIDEST


def test_a_page_is_plain_in_a_pipe_and_without_the_markers_of_tables(cli):
    shown = cli("help keys").out
    assert shown.startswith("# Keys\n")
    assert "\x1b" not in shown
    assert "<!--" not in shown


@pytest.mark.parametrize("name", ["judge", "Judge", "JUDGES"])
def test_a_command_has_a_page(cli, name):
    assert cli("help", name).out == manual.page("judges")


def test_another_word_is_looked_for(cli):
    assert "numbers  " in cli("help kappa").out
    assert "other-tools Other tools" in cli("help other tools").out


def test_a_word_that_is_nowhere_is_refused_with_what_was_meant(cli):
    assert "correcting" in cli("help corecting", code=2).err


@pytest.mark.slow
def test_on_a_terminal_a_page_is_formatted_and_goes_through_the_pager():
    longer_than_the_page = 200
    with Terminal(
        [*APPELLATE, "help", "gate"],
        longer_than_the_page,
        env={"PAGER": "cat"},
    ) as at:
        at.wait("--reviewer NAME")
        assert at.status() == 0
        assert re.search(r"^\W*Gate\W*$", at.text, re.MULTILINE)
        assert "# Gate" not in at.text
