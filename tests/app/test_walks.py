"""Walks over every cell of the samples: wherever a cursor is left, the next cell or screen opens."""

from contextlib import asynccontextmanager
from random import Random

import pytest
from review_stage import NARROW, WIDE, sitting
from test_fast_hands import Hands
from test_one_hand import at_rest

from appellate.cli.demo import open_demo
from appellate.core.facts import Proposed
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.trace_file import load_traces
from appellate.traits.metric.lexical import propose
from cells import place

pytestmark = pytest.mark.slow

SIZES = [NARROW, (100, 30), WIDE]
MOVES = (
    ("down", "down"),
    ("end",),
    ("down", "down", "down", "down", "down"),
    ("tab", "end"),
    ("pagedown", "k"),
    ("tab", "down", "tab", "end"),
    ("t", "end"),
)
"""What leaves the cursor far from where a cell begins."""
VISITS = (
    ("V", "end", "tab", "end", "l", "end", "escape"),
    ("b", "end", "down", "n", "escape"),
    ("s", "tab", "end", "s", "end", "escape"),
    ("K", "end", "K", "end", "escape", "escape"),
    ("Q", "end", "k", "enter"),
    ("enter", "end", "escape"),
    ("S", "end", "tab", "end", "escape"),
    ("H", "end", "escape"),
)
"""Screens and lists that have cursors of their own, left with these moved."""
FILTERS = ("kind:scorer", "kind:metric", "kind:regex", "kind:llm", "")


def every_cell(at):
    return range(1, at.bench.workspace.cells.count() + 1)


@asynccontextmanager
async def at_samples(folder, size):
    """Somebody at the samples, every cell judged, and hands that wait for nothing."""
    open_demo(place(folder)).workspace.close()
    async with sitting(folder, size=size) as at:
        await at.until(lambda: at.screen.objects.view.progress is None)
        yield at, Hands(at.app, Random(0))


@pytest.mark.parametrize(
    ("size", "by"),
    [*((size, 1) for size in SIZES), (WIDE, -1)],
    ids=str,
)
async def test_every_cell_opens_wherever_the_cursor_was_in_the_one_before(
    tmp_path,
    size,
    by,
):
    async with at_samples(tmp_path, size) as (at, hands):
        for step, no in enumerate(every_cell(at)[::by]):
            await at_rest(at, no)
            hands.press(*MOVES[step % len(MOVES)])
            await hands.rest(at)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_every_screen_over_a_cell_opens_wherever_the_cursor_was_in_it(
    tmp_path,
    size,
):
    async with at_samples(tmp_path, size) as (at, hands):
        for step, no in enumerate(every_cell(at)):
            await at_rest(at, no)
            hands.press(*MOVES[step % len(MOVES)], *VISITS[step % len(VISITS)])
            await hands.rest(at)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_filter_changes_the_cells_under_any_cursor(tmp_path, size):
    async with at_samples(tmp_path, size) as (at, hands):
        for moves in MOVES:
            for wanted in FILTERS:
                await at_rest(at, at.no)
                await at.press("f", "ctrl+u")
                await at.type(wanted)
                hands.press(
                    "enter",
                    "Q",
                    "end",
                    "enter",
                    *moves,
                    "full_stop",
                    *moves,
                    "n",
                )
                await hands.rest(at)


def first_cells(at):
    """The first cell of every trait."""
    first = {}
    for row in at.bench.workspace.cells.rows(0, at.bench.workspace.cells.count()):
        first.setdefault(row.trait, row.no)
    return first.items()


@pytest.mark.parametrize("size", [(100, 30), WIDE], ids=str)
async def test_a_pane_shows_the_same_after_a_resize_as_in_a_window_of_that_size(
    tmp_path,
    size,
):
    shown = {}
    async with at_samples(tmp_path / "new", NARROW) as (at, _):
        for trait, no in first_cells(at):
            await at_rest(at, no)
            shown[trait] = at.words("#pane")
    async with at_samples(tmp_path / "resized", size) as (at, _):
        for trait, no in first_cells(at):
            await at_rest(at, no)
            await at.pilot.resize_terminal(*NARROW)
            await at.until(lambda trait=trait: at.words("#pane") == shown[trait], 5)
            await at.pilot.resize_terminal(*size)


def claims(folder):
    """K-QA's questions, whose claims often begin alike, as the offline judge answers them."""
    of = load_rubric(folder / "rubric.toml")
    traces = list(load_traces(folder / "traces.jsonl", of))
    happened = []
    for trace in traces:
        ((_, trait),) = of.traits_of(trace).values()
        happened.append([Proposed(propose(trait, trace.response), {"name": "lexical"})])
    return of, traces, happened


def drawn_rows(at):
    """What each row of the items in sight shows, but that under the cursor, by its instruction."""
    lines, rows = at.screen.pane.rows, list(at.screen.pane.rows.in_sight())
    screen, found = at.text.split("\n"), {}
    for (region, cursor), below in zip(rows, [*rows[1:], None], strict=True):
        end = (
            below[0].y if below and below[1].section == cursor.section else region.y + 2
        )
        if cursor != lines.cursor:
            shown = " ".join(
                screen[y][region.x + 5 : region.right] for y in range(region.y, end)
            )
            found[lines.sections[cursor.section].rows[cursor.row].text] = shown
    return found


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_no_two_instructions_look_the_same(tmp_path, shared, size):
    async with sitting(tmp_path, claims(shared / "data" / "kqa"), size=size) as at:
        for no in every_cell(at):
            await at_rest(at, no)
            rows = drawn_rows(at)
            assert len(set(rows.values())) == len(rows), at.text
