"""Where known errors are planted: outside of the sample, in what nobody has touched, the same by the same seed."""

import pytest

from appellate.cli.plant import choose, outcomes
from appellate.core.deciding import Draw, Flag, Plant, Show
from appellate.core.problem import Refused
from cells import bench, proposal, trace


@pytest.fixture
def desk(tmp_path):
    """Eight judged cells: one signed off, one in the sample, one flagged, one shown to a judge."""
    with bench(tmp_path, *[trace(name) for name in "abcdefgh"]) as at:
        for number in range(1, 9):
            at.receive(number, proposal())
        for number in (1, 4):
            at.sign_off(number)
        at.do(2, Draw(False))
        at.do(3, Flag(True))
        at.do(4, Show("gpt"))
        yield at


def test_errors_are_chosen_by_chance_among_what_nobody_has_touched(desk):
    chosen = choose(desk.workspace, 3, seed=1)
    assert len({error.cell for error in chosen}) == 3
    assert {error.cell for error in chosen} <= {5, 6, 7, 8}
    assert choose(desk.workspace, 3, seed=1) == chosen
    assert choose(desk.workspace, 2, seed=1) == chosen[:2]
    assert any(choose(desk.workspace, 3, seed) != chosen for seed in range(2, 6))


def test_where_there_are_not_so_many_there_are_fewer(desk):
    chosen = choose(desk.workspace, 99, seed=1)
    assert {error.cell for error in chosen} == {5, 6, 7, 8}
    for error in chosen:
        desk.do(error.cell, Plant(error.what))
    assert choose(desk.workspace, 99, seed=1) == []


def test_what_came_of_them_is_told_of_every_one_that_was_planted(desk):
    assert list(outcomes(desk.workspace)) == []
    first, second, third = choose(desk.workspace, 3, seed=1)
    for error in (first, second, third):
        desk.do(error.cell, Plant(error.what))
    desk.sign_off(first.cell, 3.0)
    desk.do(third.cell, Draw(False))  # withdrawn: none of these is in the sample
    assert sorted(outcomes(desk.workspace)) == ["missed", "waiting"]
    with pytest.raises(Refused):
        desk.do(third.cell, Plant(third.what))
