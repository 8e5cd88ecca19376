"""Which cells a judge is asked about: what is missing, and what an open round of its own takes on."""

import pytest

from appellate.core.deciding import Correct
from appellate.core.problem import Refused
from appellate.judges.offline import Lexical
from appellate.judging.choice import JudgeChoice
from appellate.judging.questions import CellScope, PendingCells, next_round, open_again
from appellate.traits.metric.edits import Edit
from cells import bench, other_proposal, proposal, trace

ONE, OTHER = JudgeChoice("one", Lexical()), JudgeChoice("other", Lexical())
MOVE = Correct(
    Edit.from_row({"action": "move", "bucket": "tp", "index": 0, "to": "fn"}),
)
BY_HAND = Correct(
    Edit.from_row({"action": "add", "bucket": "fn", "of": "tp", "instruction": 1}),
)


@pytest.fixture
def desk(tmp_path):
    """Four cells, of which the first three are judged."""
    with bench(tmp_path, *map(trace, "abcd")) as at:
        for number in (1, 2, 3):
            at.receive(number, proposal())
        yield at


def asked(at, choice, **more):
    pending = PendingCells(at.workspace, choice, CellScope(at.round, **more))
    numbers = list(pending.numbers())
    assert pending.left == len(numbers)
    return numbers


def test_what_is_missing_is_asked_about_from_the_cell_in_sight_on(tmp_path):
    with bench(tmp_path, *map(trace, "abcd")) as at:
        at.receive(2, proposal())
        assert asked(at, ONE, start=3) == [3, 4, 1]


def test_a_round_takes_on_what_is_judged_already(desk):
    assert asked(desk, ONE) == [4]
    assert open_again(desk, ONE).no == 2
    assert asked(desk, ONE) == [4, 1, 2, 3]
    assert [
        question.round
        for question in PendingCells(
            desk.workspace,
            ONE,
            CellScope(desk.round),
        ).questions()
    ] == [2] * 4


def test_a_round_takes_on_what_only_a_person_labelled_and_leaves_their_labels(desk):
    desk.do(4, BY_HAND)
    labels = desk.workspace.cell(4)[1].labels
    assert asked(desk, ONE) == [], "nobody is asked about it unless somebody says so"
    open_again(desk, ONE)
    assert asked(desk, ONE) == [1, 2, 3, 4]
    desk.receive(4, proposal(round=2))
    assert asked(desk, ONE) == [1, 2, 3]
    cell = desk.workspace.cell(4)[1]
    assert cell.labels == labels
    assert cell.judge_labels is not None


def test_a_round_is_gone_on_with_until_its_end_and_a_new_one_comes_after(desk):
    open_again(desk, ONE)
    desk.receive(1, other_proposal(round=2))
    assert open_again(desk, ONE).no == 2, "it is not at its end"
    for number in (2, 3):
        desk.receive(number, other_proposal(round=2))
    assert open_again(desk, ONE).no == 3


def test_another_judge_is_asked_only_about_what_nobody_judged(desk):
    open_again(desk, ONE)
    assert asked(desk, OTHER) == [4]
    assert open_again(desk, OTHER).no == 3


def test_a_filter_limits_a_round_to_what_it_found_when_it_began(desk):
    desk.do(2, MOVE)
    assert next_round(desk, ONE, "state:corrected").cells == (2,)
    assert desk.round.no == 1, "nothing is kept yet"
    open_again(desk, ONE, "state:corrected")
    desk.do(3, MOVE)
    assert asked(desk, ONE) == [4, 2]
    assert asked(desk, ONE, alone=True) == [2]
    desk.receive(2, other_proposal(round=2))
    assert asked(desk, ONE, alone=True) == []
    assert open_again(desk, ONE, "state:corrected").no == 3, (
        "the cells it was limited to are done"
    )


def test_one_cell_can_be_judged_again_without_a_round_for_the_others(desk):
    assert (
        PendingCells(desk.workspace, ONE, CellScope(desk.round)).question(1).round == 2
    )
    desk.receive(1, other_proposal(round=2))
    assert asked(desk, ONE) == [4]
    assert open_again(desk, ONE).no == 3
    assert asked(desk, ONE) == [4, 1, 2, 3]


def test_a_filter_that_cannot_be_read_is_refused(desk):
    with pytest.raises(Refused, match="Which cells"):
        next_round(desk, ONE, "f1<<2")
