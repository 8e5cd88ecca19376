"""A planted error on the screen: it looks like the judge's, and whoever corrects it or signs it off is told."""

import pytest
from review_stage import LEAST, WIDE, sitting

from appellate.core.deciding import Plant
from appellate.core.planted_errors import errors, outcome
from cells import matrix, proposal, rubric, trace


def two():
    return rubric(matrix()), [trace("a"), trace("b")], [[proposal()], [proposal()]]


def plant(at, of, number):
    _, cell = at.bench.known(1)
    asked = next(one for one in cell.answers if (one.of, one.number) == (of, number))
    at.bench.do(1, Plant(next(errors(cell, asked))))


@pytest.mark.parametrize("size", [WIDE, LEAST])
async def test_an_error_that_is_signed_off_is_told_and_the_cell_waits_as_the_judge_left_it(
    tmp_path, size
):
    async with sitting(tmp_path, two(), size=size) as at:
        plant(at, "tp", 4)
        assert at.marks == {"tp": [1, 2, 3, 4], "fp": [-1], "tn": [-2]}
        assert (at.state, at.numbers["recall"]) == ("proposed", 1.0)
        row = at.bench.workspace.cells.row(1)
        assert row.headline == pytest.approx(at.numbers["f1"])
        assert await at.goes("a") == 1
        assert at.marks == {"tp": [1, 2, 3], "fn": [4], "fp": [-1], "tn": [-2]}
        assert (at.state, at.numbers["recall"]) == ("proposed", 0.75)
        assert at.bench.workspace.cells.row(1).headline == 0.75
        assert "was let pass: “found” for" in at.words("#card")
        assert at.screen.at.parts.card.region.height
        await at.press("escape")
        assert not at.screen.at.parts.card.shown
        assert await at.goes("a") == 2
        assert at.bench.workspace.totals()["state:reviewed"] == 1


async def test_an_error_that_is_corrected_is_told_and_nothing_else_is_changed(tmp_path):
    async with sitting(tmp_path, two()) as at:
        plant(at, "tp", 4)
        await at.press("j", "j", "j", "2")
        assert "You caught a known error" in at.words("#card")
        assert at.marks == {"tp": [1, 2, 3], "fn": [4], "fp": [-1], "tn": [-2]}
        assert at.state == "proposed"
        assert outcome(at.bench.known(1)[1]) == "caught"
        assert at.bench.workspace.totals().get("state:corrected", 0) == 0


async def test_a_correction_beside_the_error_is_made_and_undone_as_ever(tmp_path):
    async with sitting(tmp_path, two()) as at:
        plant(at, "tp", 4)
        await at.press("j", "2")
        assert at.marks == {"tp": [1, 3, 4], "fn": [2], "fp": [-1], "tn": [-2]}
        assert at.state == "corrected"
        await at.press("u")
        assert at.marks == {"tp": [1, 2, 3, 4], "fp": [-1], "tn": [-2]}
        await at.press("2")
        await at.press("a")
        assert at.marks == {"tp": [1, 3], "fn": [2, 4], "fp": [-1], "tn": [-2]}
        assert at.state == "corrected"


async def test_what_is_copied_of_the_cell_is_what_the_judge_really_said(tmp_path):
    async with sitting(tmp_path, two()) as at:
        before = {one.key: one.text for one in at.screen.at.reading._copies()}
        plant(at, "tp", 4)
        after = {one.key: one.text for one in at.screen.at.reading._copies()}
        assert after["cell.text"] == before["cell.text"]
        labels, _, happened = after["cell.toml"].partition("[[history]]")
        assert labels.strip() == before["cell.toml"].strip()
        assert 'act = "planted"' in happened
        assert not [key for key in after if key.startswith("item")]
