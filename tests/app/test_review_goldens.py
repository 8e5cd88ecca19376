"""The whole screen as text, at the two sizes that matter."""

import pytest
from review_stage import NARROW, WIDE, sitting, states

sizes = pytest.mark.parametrize(
    ("size", "room"),
    [(WIDE, "140x45"), (NARROW, "80x24")],
    ids=["wide", "narrow"],
)
FULL, FAILED = 2, 3


@sizes
async def test_the_worked_example(at, golden, room):
    golden(f"worked-example-{room}", at.text)


@sizes
async def test_after_a_move(at, golden, room):
    await at.press("j", "2")
    golden(f"after-a-move-{room}", at.text)


@sizes
async def test_the_picker(at, golden, room):
    await at.press("j", "3")
    golden(f"picker-{room}", at.text)


@sizes
async def test_selecting_evidence(at, golden, room):
    await at.press("l", "1", "s")
    golden(f"selecting-{room}", at.text)


@sizes
async def test_a_cell_whose_judge_failed(tmp_path, golden, size, room):
    async with sitting(tmp_path, states(), size=size, at=FAILED) as at:
        golden(f"failed-{room}", at.text)


async def test_the_narrow_queue(tmp_path, golden):
    async with sitting(tmp_path, states(), size=NARROW) as at:
        await at.press("Q")
        golden("queue-80x24", at.text)
