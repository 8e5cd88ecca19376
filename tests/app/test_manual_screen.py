"""The manual over the bench: it reads as Markdown does, and a search that finds nothing says so."""

import re

import pytest
from review_stage import NARROW, sitting

from appellate import manual
from appellate.app.reading.screen import ReadingScreen
from appellate.ui.marks import UNICODE
from appellate.ui.text_view import TextView, as_it_reads

SYNTAX = re.compile(r"^#|```|^\| |\*\*|\]\(|\.md\)|<!--", re.MULTILINE)


async def at_the_manual(at):
    await at.press("question_mark", *"the page", "enter")
    await at.until(lambda: isinstance(at.app.screen, ReadingScreen))
    return at.app.screen


def keys_line(at):
    return at.words("ReadingScreen .box--keys")


@pytest.mark.parametrize("topic", manual.TOPICS)
def test_a_page_shows_no_syntax(topic):
    screen = ReadingScreen.of_manual(topic, UNICODE)
    shown = as_it_reads(screen.text, 72, UNICODE).text
    assert not SYNTAX.search(shown)


async def test_the_page_behind_the_help_is_rendered_and_a_search_in_vain_closes_its_line(
    tmp_path,
):
    async with sitting(tmp_path, size=NARROW) as at:
        screen = await at_the_manual(at)
        assert screen.query_one(TextView).rendered
        assert (
            "Each correction is saved before the screen shows it, and can be undone."
            in at.words("ReadingScreen TextView")
        )
        await at.press("slash")
        assert keys_line(at) == "Enter goes to the first hit · Esc ends the search"
        await at.press(*"zeppelin", "enter")
        assert keys_line(at) == "“zeppelin” is not in here: / looks for other words."
        assert at.app.focused is screen.query_one(TextView)
        await at.press("escape")
        assert at.app.screen is at.screen


async def test_escape_closes_the_line_of_a_search_then_the_search_then_the_page(
    tmp_path,
):
    async with sitting(tmp_path, size=NARROW) as at:
        screen = await at_the_manual(at)
        await at.press("slash", *"undo", "escape")
        assert keys_line(at).startswith("↑ ↓ PgUp PgDn read")
        assert not screen.query_one(TextView).searching
        await at.press("slash", *"undo", "enter")
        assert re.match(
            r"\d+ hits?: n N from one to the next, Esc ends the search",
            keys_line(at),
        )
        await at.press("escape")
        assert at.app.screen is screen
        await at.press("escape")
        assert at.app.screen is at.screen
