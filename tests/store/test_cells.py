"""Which cells can be shown as examples: those that a person stands by, under the trait as it is, whole and verified."""

from appellate.core.facts import Proposed
from appellate.store.cells import ReviewedCell, signed_off
from appellate.store.sample_plans import SampleWish, plan
from cells import GENE, bench, checklist, matrix, proposal, rubric, table, trace


def test_signed_off_cells_of_the_trait_are_found_in_the_order_loaded(tmp_path):
    with bench(
        tmp_path, trace("t0"), trace("t0", epoch=2), of=rubric(matrix(), checklist())
    ) as desk:
        for number in (3, 1):
            desk.receive(number, proposal())
            desk.sign_off(number)
        assert signed_off(desk.workspace.path, "Accuracy") == [
            ReviewedCell(1, "t0", 1),
            ReviewedCell(3, "t0", 2),
        ]
        assert signed_off(desk.workspace.path, "Coverage") == []


def test_cells_with_breaches_or_excerpts_that_were_not_found_are_left_out(tmp_path):
    with bench(tmp_path, trace("t0"), trace("t1")) as desk:
        for number, lists in ((1, table(tp=["nowhere said"])), (2, table(tp=[GENE]))):
            desk.receive(number, Proposed(lists, {"name": "gpt"}))
            desk.sign_off(number)
        assert signed_off(desk.workspace.path, "Accuracy") == []


def test_what_was_drawn_into_the_sample_is_left_out(tmp_path):
    with bench(tmp_path, trace("t0"), trace("t1")) as desk:
        drawn, other = plan(desk.workspace.path, SampleWish(2, blind=False)).traces
        desk.draw(plan(desk.workspace.path, SampleWish(1, blind=False)).what)
        for number in (1, 2):
            desk.receive(number, proposal())
            desk.sign_off(number)
        found = signed_off(desk.workspace.path, "Accuracy")
        assert [one.cell for one in found] == [other]
        assert drawn != other
