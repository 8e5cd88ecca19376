from contextlib import asynccontextmanager

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region, Size
from textual.widgets import Static
from ui_stage import Stage

from appellate.app.jumping import LETTERS, JumpScreen, Mark, Target, labels, placed

regions = st.builds(
    Region,
    st.integers(-5, 90),
    st.integers(-5, 30),
    st.integers(0, 20),
    st.integers(0, 5),
)


@given(st.integers(0, len(LETTERS) ** 2))
def test_no_label_begins_another_and_none_is_g(count):
    made = labels(count)
    assert len(set(made)) == len(made) == count
    assert not {one for one in made if len(one) == 1} & {
        one[0] for one in made if len(one) == 2
    }
    assert not any("g" in one.lower() for one in made)
    assert all(len(one) == 1 for one in made) or count > len(LETTERS)


@given(st.lists(regions, max_size=40))
def test_labels_stand_on_the_screen_and_not_on_each_other(given_regions):
    found = placed([Target("", region, list) for region in given_regions], Size(80, 24))
    cells = [(x, one.y) for one in found for x in range(one.x, one.x + len(one.label))]
    assert len(set(cells)) == len(cells)
    assert all(0 <= x < 80 and 0 <= y < 24 for x, y in cells)


TOP = Target("top", Region(), list)


@asynccontextmanager
async def jumping(behind="behind"):
    """Somebody at a screen; yields them, the answers, and what opens so many labels."""
    app, answers = Stage(lambda: [Static(behind)]), []

    def begin(count):
        app.push_screen(JumpScreen(lambda: targets(count), TOP), answers.append)

    async with app.run_test(size=(80, 24)) as pilot:
        yield app, pilot, answers, begin


def targets(count: int) -> list[Target]:
    return [
        Target(f"target {n}", Region(2 * (n // 20), n % 20, 2, 1), list)
        for n in range(count)
    ]


async def test_a_letter_gives_its_target_and_g_the_top():
    async with jumping() as (app, pilot, answers, begin):
        for keys in (["a"], ["s"], ["g"], ["G"], ["escape"], ["q"], ["tab"]):
            begin(3)
            await pilot.press(*keys)
        assert answers == [*targets(2), TOP, None, None, None, None]
        assert not isinstance(app.screen, JumpScreen)


async def test_two_letters_narrow_the_labels_down():
    async with jumping() as (app, pilot, answers, begin):
        begin(60)
        await pilot.press("m")
        left = [mark for mark in app.screen.query(Mark) if mark.display]
        assert left
        assert all(mark.jump_label.label.startswith("m") for mark in left)
        assert str(left[0].visual) == " a"
        await pilot.press("a")
        begin(60)
        await pilot.press("m", "g")
        assert answers == [left[0].jump_label.target, None]


async def test_a_click_on_a_label_goes_there_and_one_beside_them_stays():
    async with jumping() as (_, pilot, answers, begin):
        for offset in ((0, 2), (40, 2)):
            begin(3)
            await pilot.pause()
            await pilot.click(offset=offset)
        assert answers == [targets(3)[2], None]


async def test_the_screen_behind_is_seen_as_it_is_and_a_resize_leaves():
    async with jumping("behind the labels") as (app, pilot, answers, begin):
        begin(1)
        await pilot.pause()
        rows = app.screen._compositor.render_strips()
        assert rows[0].text.startswith("aehind the labels")
        assert app.screen.focused is not None
        await pilot.resize_terminal(60, 20)
        await pilot.pause()
        assert answers == [None]
