"""What one has been on in a long cell is counted and gone through; a hasty sign-off is marked."""

import pytest
from review_stage import sitting

from appellate.app.cell_view import ENDS
from appellate.core.facts import Proposed
from appellate.traits.metric import MetricRubricTrait
from appellate.ui.bar import KeyStrip
from appellate.ui.text import cell_width
from cells import matrix, proposal, rubric, table, trace

COUNT = 12
FACTS = [f"States fact {number}" for number in range(COUNT)]
LONG = MetricRubricTrait(name="Long", metrics=["recall"], tp_instructions=FACTS)


def long_ones():
    """Two cells of twelve items each."""
    judged = Proposed(table(fn=FACTS), {"name": "gpt"})
    return rubric(LONG), [trace("a"), trace("b")], [[judged], [judged]]


def next_does(at):
    hints = at.screen.query_one(KeyStrip).hints
    return next(hint.label for hint in hints if hint.action == "unreviewed.next")


async def test_the_title_of_a_long_cell_is_whole_at_the_start_and_as_the_room_changes(
    tmp_path,
):
    async with sitting(tmp_path, long_ones()) as at:
        for width in (100, 140, 97):
            assert "Items · Long" in str(at.screen.pane.border_title)
            assert str(at.screen.pane.border_title).endswith("1/12 seen")
            await at.pilot.resize_terminal(width, 30)
            await at.pilot.pause()
            told = at.screen.pane.border_title
            assert cell_width(told) == at.screen.pane.outer_size.width - ENDS


@pytest.mark.slow
async def test_in_a_long_cell_n_goes_to_what_was_not_seen_and_then_to_the_next_cell(
    tmp_path,
):
    async with sitting(tmp_path, long_ones()) as at:
        assert at.screen.objects.view.long.describe() == "1/12 seen"
        assert next_does(at) == "next unseen"
        await at.press("j", "j", "k", "n")
        assert at.place == ("fn", 3)
        assert at.screen.objects.view.long.describe() == "4/12 seen"
        await at.press("end", "n")
        assert at.place == ("fn", 4)
        await at.press(*"nnnnnn")
        assert (at.place, at.no) == (("fn", 10), 1)
        assert at.screen.objects.view.long.describe() == "12/12 seen"
        assert next_does(at) == "next"
        assert await at.goes("n") == 2


async def test_what_was_seen_is_there_again_and_a_move_or_n_in_the_queue_leaves_it(
    tmp_path,
):
    async with sitting(tmp_path, long_ones()) as at:
        assert await at.goes("Q", "n") == 2
        await at.press("comma", "j", "j", "1", "0", "escape")
        at.screen.objects.saving.keep_position()
        told = at.screen.objects.view.long.describe()
    async with sitting(tmp_path) as at:
        assert at.screen.objects.view.long.describe() == told != "12/12 seen"


async def test_a_short_cell_counts_nothing(tmp_path):
    async with sitting(tmp_path) as at:
        assert at.screen.objects.view.long.describe() == ""
        assert next_does(at) == "next"


@pytest.mark.slow
async def test_signing_a_long_cell_off_says_what_was_not_seen(tmp_path):
    async with sitting(tmp_path, long_ones()) as at:
        assert await at.goes("j", "a") == 2
        assert at.said == (
            "✓ a · Long signed off, 10 of 12 items were not seen: ( goes back, "
            "u twice undoes it. Now: b · Long."
        )
        assert "not seen" not in await at.says("end", *"n" * 10, "a")


# -- hasty ------------------------------------------------------------------------------------------


class Hands:
    """When keys are pressed: whatever the test says."""

    now = 0.0

    def __call__(self, _):
        return self.now

    async def press(self, at, seconds, *keys):
        self.now += seconds
        await at.press(*keys)


def three():
    return rubric(matrix()), [trace(name) for name in "abc"], [[proposal()]] * 3


@pytest.fixture
def hands():
    return Hands()


async def test_who_signs_within_a_second_is_told_and_the_cell_is_marked(
    tmp_path,
    hands,
):
    async with sitting(tmp_path, three(), arrived=hands) as at:
        await hands.press(at, 5, "a")
        assert (at.no, at.said) == (2, "✓ a · Accuracy signed off. Now: b · Accuracy.")
        await hands.press(at, 0.8, "a")
        assert at.said.startswith(
            "✓ b · Accuracy signed off after 0.8 s (marked »): ( goes back, u twice undoes it",
        )
        rows = at.bench.workspace.cells.rows(0, 3)
        assert [row.hasty for row in rows] == [0, 1, 0]
        assert [row.seconds for row in signed(at)] == [5, 0.8]
        queue = at.screen.objects.parts.queue._rows
        assert ["»" in str(queue[number].right) for number in range(3)] == [
            False,
            True,
            False,
        ]
        await at.press("u", "u")
        assert at.bench.workspace.cells.row(2).hasty == 0
        await at.press("U")
        assert at.bench.workspace.cells.row(2).hasty == 1


def signed(at):
    return [
        at.bench.open(number)[1].signed.what
        for number in (1, 2, 3)
        if at.bench.open(number)[1].signed
    ]


async def test_the_seconds_of_a_cell_are_all_that_it_was_looked_at_and_of_no_other(
    tmp_path,
    hands,
):
    async with sitting(tmp_path, three(), arrived=hands) as at:
        await hands.press(at, 30, "full_stop")
        await hands.press(at, 0.2, "comma")
        await hands.press(at, 0.2, "a")
        assert at.said == "✓ a · Accuracy signed off. Now: b · Accuracy."
        assert signed(at)[0].seconds == 30.2

        await hands.press(at, 9, "full_stop")
        hands.now += 3
        at.screen.objects.cell_actions.sign()  # from the palette: no key of this cell was heard
        assert at.bench.open(3)[1].signed.what.seconds == 3
