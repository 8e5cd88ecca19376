from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from review_stage import Sitting, sitting

from appellate.app.keys.bindings import keys_of
from appellate.app.tour import LAST, STEPS, Look, TourStrip, Welcome, seen
from appellate.judging.choice import JudgeChoice, choose
from appellate.store.audits.open_audit import create
from appellate.traits.kinds import kinds
from appellate.ui.bar import sentence_atoms
from appellate.ui.key import first_names
from appellate.ui.rendered_text import flowing
from cells import place
from demo_workspace import samples

OPENED = Look(away=2, bucket="tp")
THERE = Look(bucket="tp")
IN_FP = Look(bucket="fp")
PICKING = Look(bucket="fp", picking=True)
MOVED = Look(bucket="fp", holder="tp")
SIGNED = Look(away=-1, bucket="tp", holder="tp", signed=True)
BACK = MOVED._replace(signed=False)
AGAIN = MOVED._replace(signed=True)

looks = st.builds(
    Look,
    st.integers(-3, 3),
    st.sampled_from(["tp", "fn", "fp", "tn"]),
    st.booleans(),
    st.sampled_from(["", "tp", "fn", "fp", "tn"]),
    st.booleans(),
)


def walked(*looks: Look) -> tuple[int, str]:
    """The step that they lead to, and what is said there."""
    at, told = 0, STEPS[0].text
    for look in looks:
        at, told = seen(at, look)
    return at, told


def test_doing_what_is_told_leads_through_every_step():
    path = (OPENED, THERE, IN_FP, PICKING, MOVED, SIGNED, BACK, AGAIN)
    for at, step in enumerate(STEPS):
        assert walked(*path[: at + 1]) == (at, step.text)
    assert walked(*path)[0] == LAST


def test_a_tour_of_a_cell_that_is_corrected_already_goes_on_from_there():
    assert walked(MOVED)[0] == 4


def test_what_leads_astray_is_said_kindly_and_costs_no_step():
    way = (OPENED, THERE, IN_FP)
    assert walked(OPENED._replace(away=1))[1] == "Press {cell.next} once."
    assert (
        "{cell.previous} 3 times" in walked(OPENED, THERE, THERE._replace(away=-3))[1]
    )
    assert "It is in FN now" in walked(*way, IN_FP._replace(holder="fn"))[1]
    assert "It is gone now" in walked(*way, IN_FP._replace(holder=""))[1]
    assert "without a pick" in walked(*way, PICKING, IN_FP)[1]
    assert "taken back" in walked(*way, PICKING, MOVED, IN_FP)[1]
    assert walked(*way, IN_FP._replace(holder="fn"), IN_FP) == walked(*way)


@given(st.lists(looks, max_size=12))
def test_a_tour_never_goes_back_and_always_has_something_to_say_in_keys_that_there_are(
    looks,
):
    at = 0
    for look in looks:
        after, told = seen(at, look)
        assert after >= at
        assert told
        assert sentence_atoms(told, first_names(keys_of(kinds())))
        at = after


def test_every_step_fits_two_lines_of_80():
    for step in STEPS:
        words = [
            *sentence_atoms("Tour 1/7 .", {}),
            *sentence_atoms(step.text, first_names(keys_of(kinds()))),
        ]
        assert len(flowing([words], 78)) <= 2


# -- on the demo ----------------------------------------------------------------------------------


def recorded() -> JudgeChoice:
    return choose({"judge": "recorded", "model": None}, lambda _: None)


@asynccontextmanager
async def toured(folder: Path) -> AsyncIterator[Sitting]:
    """The demo's audit with its tour, where the recorded judge has been through it."""
    rubric, traces = samples()
    traces = [trace for trace in traces if trace.id.startswith("bcl2")]
    create(place(folder), rubric, traces, "0.1.0").workspace.close()
    welcome = Welcome(tour=True)
    async with sitting(
        folder,
        at=2,
        choice=recorded(),
        size=(80, 24),
        welcome=welcome,
    ) as at:
        await at.until(
            lambda: not at.screen.objects.view.progress and at.state == "proposed",
        )
        yield at


def strip_of(at: Sitting) -> TourStrip:
    return at.screen.query_one(TourStrip)


@pytest.mark.slow
async def test_the_tour_goes_on_with_what_is_done_on_the_demo(tmp_path):
    async with toured(tmp_path) as at:
        for step, keys in enumerate(
            ([".", "."], ["l", "l"], ["1"], ["enter"], ["a"], ["u", "u"], ["U"]),
        ):
            assert strip_of(at).step_index == step
            await at.press(*keys)
        assert strip_of(at).step_index == LAST
        assert "That was one correction" in at.text
        assert at.screen.focused is at.screen.pane.rows


async def test_the_strip_is_as_high_at_every_step_and_where_one_went_astray(tmp_path):
    async with toured(tmp_path) as at:
        assert strip_of(at).size.height == 2
        assert "Press , once" in await at.shows(".", ".", ".")
        assert strip_of(at).size.height == 2


@pytest.mark.slow
async def test_a_list_that_is_left_and_a_cell_that_is_gone_back_to_are_seen_at_once(
    tmp_path,
):
    async with toured(tmp_path) as at:
        await at.press(".", ".", "l", "l", "1", "escape")
        assert "The list was left without a pick" in at.text
        assert "This is another cell. Press . once" in await at.shows("comma")


@pytest.mark.slow
async def test_a_tour_that_was_put_away_says_nothing_more(tmp_path):
    async with toured(tmp_path) as at:
        await at.press("escape", ".", ".")
        assert not strip_of(at).shown
        assert strip_of(at).step_index == 0


async def test_in_any_other_audit_there_is_no_tour(tmp_path):
    async with sitting(tmp_path, welcome=Welcome(tour=True)) as at:
        assert not strip_of(at).shown
        assert strip_of(at).size.height == 0
