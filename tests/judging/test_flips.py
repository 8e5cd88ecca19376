"""What turned with a round: told in sentences, found by a query, and by nothing of a hidden judge."""

import pytest

from appellate.core.deciding import Draw
from appellate.core.problem import with_keys
from appellate.judging.flips import RoundFlips, round_flips
from cells import (
    MOVED,
    bench,
    check_totals,
    from_file_alone,
    other_proposal,
    proposal,
    trace,
)


def rounds(at, *numbers):
    """Judges cells by `gpt`, and then in a second round by another judge."""
    for number in numbers:
        at.receive(number, proposal())
    for number in numbers:
        at.receive(number, other_proposal(round=2))


def test_a_cell_knows_which_answers_turned_with_the_last_round(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.receive(1, proposal())
        assert at.open(1)[1].flips == {}
        at.receive(1, other_proposal(round=2))
        flips = at.open(1)[1].flips
        assert flips
        assert all(before != now for before, now in flips.values())
        at.receive(1, other_proposal(round=3))
        assert at.open(1)[1].flips == {}, "only the last round counts"


def test_the_round_is_told_with_what_people_signed_off(tmp_path):
    with bench(tmp_path, trace("a"), trace("b"), trace("c")) as at:
        for number in (1, 2):
            at.receive(number, proposal())
        at.sign_off(1)
        rounds(at, 3)
        for number in (1, 2):
            at.receive(number, other_proposal(round=2))
        flips = round_flips(at.workspace.path, 2)
        (of_one,) = {len(at.open(number)[1].flips) for number in (1, 2, 3)}
        assert (flips.cells, flips.turned_cells, flips.answers) == (3, 3, 3 * of_one)
        assert (flips.gained, flips.lost) == (0, of_one)
        first, second, third = flips.describe()
        assert first == f"Round 2: {3 * of_one} answers turned, in 3 of 3 cells."
        assert second.startswith(
            f"By what people signed off 0 turned right and {of_one} wrong",
        )
        assert with_keys(third, {"queue.filter": "ö", "cell.proposals": "ü"}) == (
            "In the queue `ö` is:flipped lists these cells; `ü` shows what each judge said."
        )


def test_a_round_that_changed_nothing_says_so_and_one_without_a_former_says_nothing(
    tmp_path,
):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.receive(1, proposal())
        at.receive(1, proposal(round=2))
        at.receive(2, proposal(round=2))
        (text,) = round_flips(at.workspace.path, 2).describe()
        assert text == "Round 2: no answer turned, in 1 cell judged before."
        assert list(round_flips(at.workspace.path, 3).describe()) == []


@pytest.mark.parametrize(("most", "told"), [(1, True), (2, False)])
def test_a_p_value_is_given_only_where_no_two_answers_hang_together(most, told):
    flips = RoundFlips(
        2,
        cells=9,
        turned_cells=4,
        answers=5,
        gained=4,
        lost=1,
        most_of_a_cell=most,
    )
    assert ("McNemar's exact p = 0.38" in " ".join(flips.describe())) == told


def test_nothing_is_told_of_a_hidden_judge(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        rounds(at, 1, 2)
        at.do(2, Draw(True))
        flips = round_flips(at.workspace.path, 2)
        assert (flips.cells, flips.turned_cells) == (1, 1)
        assert [
            n for (n,) in at.workspace.db.execute("SELECT flipped > 0 FROM cells")
        ] == [1, 0]


def test_the_count_is_the_same_in_a_workspace_that_is_made_of_the_file(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        rounds(at, 1)
        at.receive(2, proposal())
        at.do(1, MOVED)
        check_totals(at.workspace)
        kept = at.workspace.db.execute(
            "SELECT flipped FROM cells ORDER BY no",
        ).fetchall()
        with from_file_alone(at) as workspace:
            assert (
                workspace.db.execute("SELECT flipped FROM cells ORDER BY no").fetchall()
                == kept
            )
        assert kept[0][0] > 0
        assert kept[1][0] == 0
