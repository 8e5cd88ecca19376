"""The items that a reviewer has been on are kept with the place where they stand."""

import pytest

from appellate.core.deciding import Flag
from appellate.session.workbench import Position, Workbench
from appellate.store.audits.open_audit import resume
from appellate.store.workspace import Workspace
from cells import bench, corrects, matrix, place, proposal, rubric, seat, trace
from killing import Deed, stands

THREE = frozenset({"1", "2", "−1"})
DROP = corrects({"action": "drop", "bucket": "fp"})


def seen(at, number=1):
    return at.seen.of(number, at.open(number)[1])


def note(at, *names, number=1):
    at.seen.note(number, at.open(number)[1], frozenset(names))


def test_what_one_has_been_on_is_there_again_once_ones_place_is_kept(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.receive(1, proposal())
        note(at, "1", "2")
        note(at, "−1")
        assert seen(at) == THREE
        assert at.seen.unwritten
        at.keep_position(at.position())
        assert not at.seen.unwritten
        assert seen(Workbench(at.workspace, at.audit, "ada")) == THREE
        assert seen(Workbench(at.workspace, at.audit, "bob")) == frozenset()
        assert seen(at, 2) == frozenset()


def test_what_was_seen_before_is_not_written_again(tmp_path):
    with bench(tmp_path) as at:
        note(at, "1")
        at.keep_position(Position())
        note(at, "1")
        assert not at.seen.unwritten


def test_a_correction_leaves_it_and_another_proposal_or_trait_takes_it(tmp_path):
    with bench(tmp_path) as at:
        at.receive(1, proposal())
        note(at, *THREE)
        at.do(1, DROP)
        at.sign_off(1)
        assert seen(at) == THREE
        at.undo()
        at.undo()
        at.receive(1, proposal(round=2))
        assert seen(at) == frozenset()
        note(at, "2")
        at.revise(rubric(matrix(description="Narrower")))
        assert seen(at) == frozenset()


def test_a_session_that_only_reads_knows_it_for_itself_alone(tmp_path):
    with (
        bench(tmp_path) as at,
        Workspace(place(tmp_path).workspace, readonly=True) as reader,
    ):
        note(at, "1")
        at.keep_position(Position())
        other = Workbench(reader, at.audit, "ada")
        note(other, "2")
        other.keep_position(Position())
        assert seen(other) == {"1", "2"}
        assert seen(Workbench(at.workspace, at.audit, "ada")) == {"1"}


# -- kill -9 ----------------------------------------------------------------------------------------


def signed_in_haste(folder):
    again = resume(place(folder))
    with again.workspace:
        at = seat(again, folder)
        note(at, "1", "2")
        at.keep_position(Position(1, "tp", 1))
        at.sign_off(1, 0.4)
        note(at, "−1")
        at.keep_position(Position(1, "fp", 0))


def judged(folder):
    with bench(folder) as at:
        at.receive(1, proposal())
        at.do(1, Flag(on=True))


def found(folder):
    """What was seen, where one stood, and whether the cell is signed off in haste."""
    again = resume(place(folder))
    with again.workspace as workspace:
        at = seat(again, folder)
        return [
            len(seen(at)),
            at.position().pane,
            at.open(1)[1].hasty,
            workspace.cells.row(1).hasty,
        ]


DEEDS = {"sign": Deed(judged, signed_in_haste, found)}


@pytest.mark.slow
def test_what_was_seen_and_signed_is_kept_step_by_step_or_not_at_all(tmp_path):
    told = {tuple(one) for one in stands(__file__, "sign", tmp_path)}
    assert told == {
        (0, "", False, 0),
        (2, "tp", False, 0),
        (2, "tp", True, 1),
        (3, "fp", True, 1),
    }
