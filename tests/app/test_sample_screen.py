"""Drawing a sample on the bench, adding to it, going through it in the order of the draw."""

import pytest
from review_stage import LEAST, NARROW, WIDE, sitting
from textual.widgets import Static

from appellate.app.keys.keymap import Keymap
from appellate.app.sample import SampleScreen
from appellate.numbers.samples import hand_edits_at
from appellate.store.samples.sample_plans import SampleWish, plan
from cells import proposal, rubric, rules, trace
from partly import partly_quick_sizes
from sampled import by_chance


def twenty():
    """Twenty judged traces of two models."""
    traces = [trace(f"t{no}", model=("gpt", "llama")[no % 2]) for no in range(20)]
    return rubric(), traces, [[proposal()] for _ in traces]


def shown(at, part: str = "plan") -> str:
    assert isinstance(at.app.screen, SampleScreen)
    return str(
        at.app.screen.query_one(f".sample--{part}, .box--{part}", Static).visual,
    ).strip()


async def settled(at) -> None:
    await at.app.workers.wait_for_complete()
    await at.pilot.pause()


async def shown_at(at) -> None:
    """Opens the sample, once it is known what could be drawn."""
    await at.press("percent_sign")
    await settled(at)


async def draw(at, *keys) -> None:
    """So many traces are drawn, once it is known which."""
    await at.press(*keys)
    await settled(at)
    await at.press("D", "D")
    await settled(at)


@pytest.mark.slow
async def test_a_sample_is_drawn_at_the_second_press_and_gone_through_in_its_order(
    tmp_path,
):
    async with sitting(tmp_path, twenty()) as at:
        await shown_at(at)
        assert "20 traces would be drawn, of 20." in shown(at)
        assert "How many traces you will check" in shown(at, "about")
        await at.press("6", "down", "right", "down", "down", "3")
        await settled(at)
        assert "6 traces would be drawn:" in shown(at)
        assert "The same number draws the same traces again" in shown(at, "about")
        assert [line.split() for line in shown(at).splitlines()[2:5]] == [
            ["gpt", "10", "3"],
            ["llama", "10", "3"],
            ["all", "20", "6"],
        ]
        await at.press("D")
        assert at.bench.workspace.design.sample() is None
        assert "You can take that back until you have ruled on one" in shown(at, "keys")
        await at.press("D")
        await settled(at)
        sample = at.bench.workspace.design.sample()
        assert (len(sample), sample.last.seed, sample.last.strata_by) == (
            6,
            3,
            ["model"],
        )
        drawn = at.bench.workspace.design.drawn()
        assert at.no == drawn[0]
        queue = at.screen.objects.parts.queue
        assert [queue.cells.number(place) for place in range(6)] == drawn
        assert "sample 1/6" in at.line("header")
        assert at.said == "", "the keys of the first blind cell can be read"
        assert "BLIND" in at.line("keys")


@pytest.mark.slow
async def test_the_largest_are_offered_and_drawn_whole(tmp_path):
    traces = [trace(f"t{no}", cluster="book" if no < 8 else None) for no in range(20)]
    async with sitting(
        tmp_path,
        (rubric(), traces, [[proposal()] for _ in traces]),
    ) as at:
        await shown_at(at)
        await at.press("6")
        await settled(at)
        assert "1 cluster has many more items than most" in " ".join(shown(at).split())
        await at.press("down", "right")
        await settled(at)
        assert "You rule on all of these" in " ".join(shown(at, "about").split())
        assert [line.split() for line in shown(at).splitlines()[2:4]] == [
            ["largest", "1", "1"],
            ["others", "12", "5"],
        ]
        assert "many more items" not in shown(at)
        await at.press("D", "D")
        await settled(at)
        sample = at.bench.workspace.design.sample()
        assert (sample.last.design, len(sample.units[0].traces)) == ("giants", 8)


@pytest.mark.slow
async def test_what_was_not_drawn_says_that_it_is_outside(tmp_path):
    async with sitting(tmp_path, twenty()) as at:
        await shown_at(at)
        await draw(at, "2")
        outside = next(
            no for no in range(1, 21) if no not in at.bench.workspace.design.drawn()
        )
        at.screen.objects.navigation.go(outside)
        await at.pilot.pause()
        assert "outside the sample" in at.line("header")


@pytest.mark.slow
async def test_a_sample_is_added_to_and_says_how_far_it_is(tmp_path):
    async with sitting(tmp_path, twenty()) as at:
        await shown_at(at)
        await draw(at, "5")
        await shown_at(at)
        assert "simple random sample: 5 of 20, seed 1, blind" in shown(at, "about")
        assert "Next in the order of the draw:" in shown(at)
        (digest,) = hand_edits_at(at.bench.workspace.db).digests
        assert f"Digest {digest.letters}: keep it elsewhere" in " ".join(
            shown(at).split(),
        )
        await at.press("3")
        await settled(at)
        assert shown(at).splitlines()[:2] == [
            "group                    in all      drawn   ruled on     to add",
            "all                          20          5          0          3",
        ]
        await at.press("D", "D")
        await settled(at)
        assert len(at.bench.workspace.design.sample()) == 8
        await shown_at(at)
        await at.press("enter")
        await settled(at)
        assert at.screen.objects.parts.queue.lineup.filter == "is:sampled"


@pytest.mark.slow
async def test_a_sample_is_taken_back_until_something_in_it_is_ruled_on(tmp_path):
    async with sitting(tmp_path, twenty()) as at:
        design = at.bench.workspace.design
        await opened(at, "D draws 20")
        await at.press("5")
        await at.until(lambda: "D draws 5" in shown(at, "keys"))
        await at.press("D", "D")
        await at.until(lambda: "sample 1/5" in at.line("header"))
        drawn = design.drawn()
        assert at.bench.open(drawn[0])[1].labels is None
        await opened(at, "W takes it back")
        await at.press("W")
        assert "labels that it hid are there again" in shown(at, "keys")
        await at.press("W")
        queue = at.screen.objects.parts.queue
        await at.until(lambda: queue.lineup.filter == "" and len(queue.cells) == 20)
        assert (design.sample(), queue.lineup.order) == (None, "loaded")
        assert at.bench.open(drawn[0])[1].state == "proposed"
        assert "sample" not in at.line("header")
        assert "% draws another" in at.text
        await opened(at, "D draws 20")
        assert "A sample was withdrawn before any verdict" in shown(at)
        await at.press("1", "0")
        await at.until(lambda: "D draws 10" in shown(at, "keys"))
        await at.press("D", "D")
        await at.until(lambda: "sample 1/10" in at.line("header"))
        rules(at.bench, design.drawn()[0])
        await opened(at, "D adds 10")
        assert "W takes it back" not in shown(at, "keys")
        await at.press("W", "W")
        assert "cannot be taken back: something in it is ruled on" in shown(at, "keys")
        await at.press("D")
        assert "that cannot be taken back" in shown(at, "keys")


async def opened(at, keys: str) -> None:
    """Opens the sample screen and waits until its keys are these."""
    await at.press("percent_sign")
    await at.until(
        lambda: isinstance(at.app.screen, SampleScreen) and keys in shown(at, "keys"),
    )


@pytest.mark.slow
async def test_what_cannot_be_drawn_is_said_where_the_plan_would_stand(tmp_path):
    async with sitting(tmp_path, twenty()) as at:
        await shown_at(at)
        await at.press("2", "down", "right")
        await settled(at)
        assert "2 groups are too many to draw at least 2 of each" in shown(at)
        await at.press("D", "D")
        assert isinstance(at.app.screen, SampleScreen)
        await at.press("escape")
        await at.pilot.pause()
        assert at.bench.workspace.design.sample() is None


@pytest.mark.parametrize("size", partly_quick_sizes([NARROW, WIDE, LEAST], 3))
async def test_it_opens_at_every_size(tmp_path, size):
    async with sitting(tmp_path, twenty(), size=size) as at:
        await shown_at(at)
        assert "would be drawn" in shown(at)


async def test_help_tells_the_keys_of_the_line_and_behind_tab_all_as_a_person_has_them(
    tmp_path,
):
    async with sitting(tmp_path, twenty(), keys=Keymap("", {"sample.draw": "x"})) as at:
        await shown_at(at)
        assert "x draws 20" in shown(at, "keys")
        await at.press("question_mark")
        assert "x      draw what is planned" in at.text
        assert "take the whole sample back" not in at.text
        await at.press("tab")
        assert "take the whole sample back" in at.text
        await at.press("escape")
        assert isinstance(at.app.screen, SampleScreen)


async def test_to_a_sample_by_chances_of_an_earlier_version_nothing_is_added(tmp_path):
    async with sitting(tmp_path, twenty()) as at:
        at.bench.draw(by_chance(20, 8))
        await shown_at(at)
        assert "chances by disagreement" in shown(at, "about")
        assert "Nothing can be added to a sample whose chances are unequal." in at.text
        assert "Next in the order of the draw" in shown(at)
        assert "takes it back" in shown(at, "keys")
        assert "adds" not in shown(at, "keys")
        await at.press("D", "D")
        assert len(at.bench.workspace.design.sample()) == 8


@pytest.mark.slow
async def test_what_came_in_since_is_drawn_as_a_wave_beside_the_first_draw(tmp_path):
    async with sitting(tmp_path, twenty()) as at:
        at.bench.draw(plan(at.bench.workspace.path, SampleWish(6)).what)
        at.bench.workspace.add_all([trace(f"n{no}") for no in range(10)])
        await shown_at(at)
        assert [line.split() for line in shown(at).splitlines()[1:4]] == [
            ["first", "draw", "20", "6", "0", "0"],
            ["wave", "2", "10", "0", "0", "10"],
            ["all", "30", "6", "0", "10"],
        ]
        await at.press("down", "4")
        await settled(at)
        await at.press("D")
        assert "again draws this wave" in shown(at, "keys")
        await at.press("D")
        await settled(at)
        sample = at.bench.workspace.design.sample()
        assert [(wave.name, len(wave)) for wave in sample.waves] == [
            ("first draw", 6),
            ("wave 2", 4),
        ]
        assert all(unit.traces[0][0].startswith("n") for unit in sample.waves[1].units)
        await shown_at(at)
        await at.press("W")
        assert "takes the last wave back" in shown(at, "keys")
        await at.press("W")
        await settled(at)
        assert len(at.bench.workspace.design.sample()) == 6
