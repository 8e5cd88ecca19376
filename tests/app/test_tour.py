from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from review_stage import Sitting, sitting

from appellate.app.help import named
from appellate.app.keys import every_key
from appellate.app.tour import END, STEPS, Look, Tour, TourStrip, cell_of
from appellate.cli.demo import samples
from appellate.judging.choice import Choice
from appellate.judging.choose import choose
from appellate.store.open_audit import create
from appellate.ui.card import flowing, worded
from cells import place

OPENED = Look(away=2, bucket="tp")
THERE = Look(bucket="tp")
IN_FP = Look(bucket="fp")
PICKING = Look(bucket="fp", picking=True)
MOVED = Look(bucket="fp", holder="tp")
SIGNED = Look(away=-1, bucket="tp", holder="tp", signed=True)
BACK = replace(MOVED, signed=False)
AGAIN = replace(MOVED, signed=True)

looks = st.builds(
    Look,
    st.integers(-3, 3),
    st.sampled_from(["tp", "fn", "fp", "tn"]),
    st.booleans(),
    st.sampled_from(["", "tp", "fn", "fp", "tn"]),
    st.booleans(),
)


def walked(*seen: Look) -> Tour:
    tour = Tour()
    for look in seen:
        tour = tour.seen(look)
    return tour


def test_doing_what_is_told_leads_through_every_step():
    path = (OPENED, THERE, IN_FP, PICKING, MOVED, SIGNED, BACK, AGAIN)
    assert [walked(*path[: n + 1]).at for n in range(len(path))] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert not any(walked(*path[: n + 1]).aside for n in range(len(path)))
    assert walked(*path).over
    assert walked(*path).told == END


def test_a_tour_of_a_cell_that_is_corrected_already_goes_on_from_there():
    assert walked(MOVED).at == 4


def test_what_leads_astray_is_said_kindly_and_costs_no_step():
    way = (OPENED, THERE, IN_FP)
    assert walked(replace(OPENED, away=1)).told == "Press {cell.next} once."
    assert "{cell.previous} 3 times" in walked(OPENED, THERE, replace(THERE, away=-3)).told
    assert "It is in FN now" in walked(*way, replace(IN_FP, holder="fn")).told
    assert "It is gone now" in walked(*way, replace(IN_FP, holder="")).told
    assert "without a pick" in walked(*way, PICKING, IN_FP).told
    assert "taken back" in walked(*way, PICKING, MOVED, IN_FP).told
    assert walked(*way, replace(IN_FP, holder="fn"), IN_FP) == walked(*way)


@given(st.lists(looks, max_size=12))
def test_a_tour_never_goes_back_and_always_has_something_to_say_in_keys_that_there_are(seen):
    tour = Tour()
    for look in seen:
        after = tour.seen(look)
        assert after.at >= tour.at
        assert after.told
        assert worded(after.told, named(every_key()))
        tour = after


def test_every_step_fits_two_lines_of_80():
    for told in (*(step.told for step in STEPS), END):
        assert (
            len(flowing([[*worded("Tour 1/7 .", {}), *worded(told, named(every_key()))]], 78)) <= 2
        )


# -- on the demo ----------------------------------------------------------------------------------


def recorded() -> Choice:
    return choose({"judge": "recorded", "model": None}, lambda _: None)


def demo(folder: Path) -> int:
    """The demo's audit in a folder; gives the cell that it opens on."""
    rubric, traces = samples()
    opened = create(
        place(folder), rubric, [trace for trace in traces if trace.id.startswith("bcl2")], "0.1.0"
    )
    opened.workspace.close()
    return 2


async def begun(at: Sitting, *, on: bool = True) -> TourStrip:
    await at.until(lambda: not at.screen.at.view.progress and at.state == "proposed")
    strip = TourStrip(on=on, keys=every_key())
    await at.screen.mount(strip, before="#numbers")
    return strip


async def test_the_tour_goes_on_with_what_is_done_on_the_demo(tmp_path):
    start = demo(tmp_path)
    async with sitting(tmp_path, at=start, choice=recorded(), size=(80, 24)) as at:
        strip = await begun(at)
        for step, keys in enumerate(
            ([".", "."], ["l", "l"], ["1"], ["enter"], ["a"], ["u"], ["U"])
        ):
            await at.until(lambda step=step: strip.tour.at == step)
            await at.press(*keys)
        await at.until(lambda: strip.tour.over)
        assert "That was one correction" in at.text
        assert at.screen.focused is at.screen.pane.rows.lines


async def test_the_strip_is_as_high_at_every_step(tmp_path):
    start = demo(tmp_path)
    async with sitting(tmp_path, at=start, choice=recorded(), size=(80, 24)) as at:
        strip = await begun(at)
        await at.until(lambda: strip.size.height == 2)
        await at.press(".", ".", ".")
        await at.until(lambda: bool(strip.tour.aside))
        assert "Press , once" in at.text
        assert strip.size.height == 2


async def test_in_any_other_audit_there_is_no_tour(tmp_path):
    async with sitting(tmp_path) as at:
        assert cell_of(at.bench.workspace) is None
        strip = TourStrip(on=True, keys=every_key())
        await at.screen.mount(strip, before="#numbers")
        strip.look()
        assert not strip.shown
        assert strip.size.height == 0
