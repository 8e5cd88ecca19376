"""The page of the numbers that says what the judge is worth, and planning looks from it."""

from contextlib import asynccontextmanager

import pytest
from review_stage import WIDE, sitting
from test_dashboard import everything as told
from test_dashboard import figures as figures_of
from test_dashboard import lines_of, tables

from appellate.core.design_facts import Looked, LooksPlanned
from sampled import order_of, rule_on, sampled


@asynccontextmanager
async def reading(folder, *, size=WIDE, keys=("S", "tab"), **how):
    """The page over an audit with a sample, as soon as it is counted."""
    with sampled(folder, **how) as made:
        made.save()
    async with sitting(folder, size=size) as at:
        await at.press(*keys)
        await at.until(lambda: "Simple random sample" in everything(at))
        yield at


def everything(at):
    """Every line of the page, the sentences in one line each."""
    return " ".join(told(at).split())


def figures(at, heading, row):
    """The figures of a row of the table under a heading."""
    return figures_of(at, row, [one.heading for one in tables(at)].index(heading))


def facts(at, kind):
    found = [fact.what for fact in at.bench.workspace.design.facts()]
    return [what for what in found if isinstance(what, kind)]


@pytest.mark.slow
async def test_a_look_that_was_reached_is_kept_once_the_page_is_counted(tmp_path):
    async with reading(tmp_path, ruled=20, bars=[("yes>=.2", [20, 40])]) as at:
        (looked,) = facts(at, Looked)
        assert (looked.look, looked.units, looked.decision) == (1, 20, "reached")
        await at.press("tab", "shift+tab")
        await at.until(lambda: "Bars" in everything(at))
        assert facts(at, Looked) == [looked]


async def test_from_the_first_ruling_on_there_is_a_number_that_is_wide(tmp_path):
    async with reading(tmp_path, ruled=1, size=(80, 24)) as at:
        shown = figures(at, "Estimates", "Polite")
        assert (shown["n"], shown["weight"]) == ("1", "–")
        page = everything(at)
        assert "These intervals are right however often you look" in page
        assert "No bar is planned: p plans" in page
        assert "Bars" not in page
        assert "goes wrong" not in page
        await at.press("shift+tab")
        await at.until(lambda: "Ruled blind" in everything(at))


@pytest.mark.slow
async def test_looks_are_planned_on_the_page_until_the_first_verdict(tmp_path):
    async with reading(tmp_path, keys=("S", "p")) as at:
        await at.type("yes>.5 at 20")
        await at.until(lambda: "compares by >" in at.text)
        await at.press("escape")
        await at.press("p")
        await at.type("yes>=.5 at 20, 30")
        await at.press("enter")
        assert facts(at, LooksPlanned) == [
            LooksPlanned("", "yes>=0.5", [], 0.05, "any", 30),
        ]
        await at.until(lambda: "Deciding at any look was planned" in everything(at))
        assert lines_of(at).blocks[lines_of(at).cursor.section].heading == "Bars"
        rule_on(at.bench, order_of(at.bench)[0])
        await at.press("p")
        await at.type("yes>=.7 at 20")
        await at.until(lambda: "too late to plan" in at.text)
        await at.press("escape", "escape")


@pytest.mark.slow
async def test_a_look_that_the_disk_refuses_is_recorded_with_the_next_numbers(tmp_path):
    with sampled(tmp_path, ruled=40, bars=[("yes>=.2", [20, 40])]) as made:
        made.save()
    async with sitting(tmp_path) as at:
        database = at.bench.workspace.db
        database.execute("PRAGMA query_only = 1")
        await at.press("S")
        await at.until(lambda: "A look at a bar is NOT SAVED" in at.text)
        await at.press("tab")
        await at.until(lambda: "Bars" in everything(at))
        assert facts(at, Looked) == []
        database.execute("PRAGMA query_only = 0")
        await at.press("escape", "c", "x", "enter", "S")
        await at.until(lambda: facts(at, Looked))


async def test_without_a_sample_the_page_says_how_to_draw_one(tmp_path):
    async with sitting(tmp_path) as at:
        await at.press("S", "tab")
        await at.until(lambda: "There is no random sample" in at.text)


@pytest.mark.slow
async def test_a_sample_that_does_not_agree_with_itself_says_only_why(tmp_path):
    with sampled(tmp_path, ruled=40, bars=[("yes>=.2", [20, 40])]) as made:
        made.save()
    file = tmp_path / "x.audit.toml"
    file.write_text(
        file.read_text("utf-8").replace("\nseed = 1\n", "\nseed = 2\n"),
        "utf-8",
    )
    (tmp_path / "x.audit.db").unlink()
    async with sitting(tmp_path, size=(80, 24)) as at:
        await at.press("S", "tab")
        await at.until(lambda: "does not agree with itself" in everything(at))
        assert "where seed 2 draws" in everything(at)
        assert "Bars" not in everything(at)
        assert facts(at, Looked) == []
