"""Which key the strip names first, as the cell in sight is."""

from review_stage import sitting

from appellate.core.facts import Proposed
from appellate.traits.metric import KIND
from cells import TRACE, matrix, proposal, rubric, table, trace


async def test_the_strip_begins_with_what_comes_next_most_often(tmp_path):
    traces = [trace(name) for name in ("not judged", "proposed", "incomplete")]
    left_out = Proposed(
        KIND.locate(matrix(), TRACE, table(tp=["helps cells survive"])),
        {},
    )
    async with sitting(
        tmp_path,
        (rubric(), traces, [[], [proposal()], [left_out]]),
    ) as at:
        assert at.keys.split()[0] == "J"
        await at.press("full_stop")
        assert at.keys.split()[0] == "1-4"
        await at.press("2")
        assert at.state == "corrected"
        assert at.keys.split()[0] == "a"
        await at.press("a", "comma")
        assert at.state == "reviewed"
        assert at.keys.split()[0] == "n"
        await at.press("u")
        assert at.keys.split()[0] == "a"
        await at.press("full_stop")
        assert at.cell.checks
        assert at.keys.split()[0] == "1-4"
