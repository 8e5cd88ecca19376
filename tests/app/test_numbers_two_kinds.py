"""The numbers open where two questions have traits of one name and of two kinds."""

from review_stage import WIDE, sitting
from test_dashboard import everything

from two_kinds import signed_off


async def test_each_kind_has_numbers_of_its_own(tmp_path):
    with signed_off(tmp_path):
        pass
    async with sitting(tmp_path, size=WIDE) as at:
        await at.press("S")
        await at.until(lambda: "10 answers, 10 alike" in everything(at))
        lists = "60 answers, 50 alike"
        await at.until(lambda: lists in everything(at))
