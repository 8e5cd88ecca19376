"""Which cells can be shown as examples: those that a person stands by, under the trait as it is, whole and verified."""

from appellate.core.facts import Failed, Proposed
from appellate.store.cells import Sources, signed_off
from appellate.store.queue import LoadedQueue
from appellate.store.samples.sample_plans import SampleWish, plan
from cells import (
    GENE,
    bench,
    checklist,
    matrix,
    other_proposal,
    proposal,
    rubric,
    rules,
    table,
    trace,
)


def test_signed_off_cells_of_the_trait_are_found_in_the_order_loaded(tmp_path):
    with bench(
        tmp_path,
        trace("t0"),
        trace("t0", epoch=2),
        of=rubric(matrix(), checklist()),
    ) as desk:
        for number in (3, 1):
            desk.receive(number, proposal())
            desk.sign_off(number)
        assert signed_off(desk.workspace.path, "Accuracy") == [
            (1, "t0", 1),
            (3, "t0", 2),
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
        assert [number for number, _, _ in found] == [other]
        assert drawn != other


MODELS = Sources(["model"], ["metric"])


def test_what_is_still_to_be_judged_comes_in_pages_and_is_counted(tmp_path):
    with bench(tmp_path, *(trace(f"t{no}") for no in range(5))) as desk:
        cells = desk.workspace.cells
        desk.receive(2, proposal())
        desk.receive(4, Failed("no answer", "", {"name": "gpt"}))
        assert cells.missing(MODELS, 0, 2) == [1, 3]
        assert cells.missing(MODELS, 3, 9) == [4, 5]
        assert cells.count_missing(MODELS) == desk.workspace.count_missing() == 4
        others = Sources(["rule"], ["metric"]), Sources(["model"], ["llm"])
        assert [cells.count_missing(of) for of in others] == [0, 0]
        assert cells.missing(others[0], 0, 9) == []


def test_a_later_round_is_of_what_was_judged_before(tmp_path):
    with bench(tmp_path, *(trace(f"t{no}") for no in range(4))) as desk:
        cells = desk.workspace.cells
        for number in (1, 2, 3):
            desk.receive(number, proposal())
        desk.receive(2, other_proposal(round=2))
        assert cells.last_round() == 2
        assert cells.judged_before(2, MODELS, 0, 9) == [1, 3]
        assert cells.judged_before(2, MODELS, 1, 9) == [3]
        assert cells.count_judged_before(2, MODELS) == 2
        assert [
            cells.count_judged_by([name], MODELS)
            for name in ("gpt", "other", "lexical")
        ] == [
            2,
            1,
            0,
        ]


def test_a_cell_that_was_ruled_on_before_any_judge_is_missing_one(tmp_path):
    with bench(tmp_path, trace("t0")) as desk:
        desk.draw(plan(desk.workspace.path, SampleWish(1)).what)
        rules(desk, 1)
        assert desk.workspace.cells.row(1).state == "reviewed"
        assert desk.workspace.cells.missing(MODELS, 0, 9) == [1]
        assert desk.workspace.count_missing() == 1


def test_a_cell_is_of_a_trace_whose_headings_are_counted(tmp_path):
    with bench(
        tmp_path,
        trace("t0"),
        trace("t1"),
        of=rubric(matrix(), checklist()),
    ) as desk:
        cells = desk.workspace.cells
        assert [cells.trace_of(number) for number in range(1, 5)] == [1, 1, 2, 2]
        assert [cells.headings(number) for number in range(1, 5)] == [1, 1, 2, 2]
        queue = LoadedQueue(desk.workspace)
        assert ([queue.headings(place) for place in range(4)], queue.has_one_trait) == (
            [1, 1, 2, 2],
            False,
        )
