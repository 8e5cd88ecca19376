"""What a judge is told beyond the cell: the template in force, and examples of other traces."""

import pytest
from msgspec.structs import replace

from appellate.core.deciding import Correct
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.judging.choice import choose
from appellate.judging.questions import Briefings, CellScope, examples
from appellate.judging.run import run
from appellate.store.audits.audit import load_audit
from appellate.traits.metric.asking import TEMPLATE, as_reply
from appellate.traits.metric.edits import Edit
from cells import (
    GENE,
    RESPONSE,
    bench,
    checklist,
    matrix,
    rubric,
    trace,
    worked_example,
)
from loopback import completion, served


def judged(desk, number, table=None):
    desk.receive(number, Proposed(table or worked_example(), {"name": "gpt"}))


def signed(desk, *numbers):
    for number in numbers:
        judged(desk, number)
        desk.sign_off(number)


@pytest.fixture
def desk(tmp_path):
    with bench(
        tmp_path,
        *[trace(f"t{n}") for n in range(6)],
        of=rubric(matrix()),
    ) as at:
        yield at


def ids(found):
    return [example.trace.id for example in found]


def of(desk, number, briefings):
    asked, cell = desk.workspace.cell(number)
    return briefings.of(cell.subject, asked)


def test_signed_off_cells_are_examples_in_an_order_that_only_chance_and_the_seed_have_a_say_in(
    desk,
):
    signed(desk, 1, 2, 3, 4)
    found = ids(examples(desk.workspace, matrix(), 9))
    assert sorted(found) == ["t0", "t1", "t2", "t3"]
    assert ids(examples(desk.workspace, matrix(), 2)) == found[:2]
    orders = {
        tuple(ids(examples(desk.workspace, matrix(), 9, seed))) for seed in range(20)
    }
    assert len(orders) > 5


def test_an_example_is_what_the_person_made_of_the_cell(desk):
    judged(desk, 1)
    desk.do(
        1,
        Correct(
            Edit.from_row({"action": "move", "bucket": "fp", "index": 0, "to": "tn"}),
            "",
        ),
    )
    desk.sign_off(1)
    [shown] = examples(desk.workspace, matrix(), 1)
    assert shown.table["fp"] == []
    assert shown.table["items"]
    assert shown.trace.response == RESPONSE


def test_no_cell_is_an_example_that_nobody_stands_by_or_that_teaches_what_is_wrong(
    desk,
):
    judged(desk, 1)
    judged(desk, 2, {"tp": ["nowhere said"], "fn": [], "fp": [], "tn": []})
    desk.sign_off(2)
    assert examples(desk.workspace, matrix(), 9) == ()


def test_a_trait_of_the_same_name_that_is_another_one_lends_none(desk):
    signed(desk, 1)
    assert examples(desk.workspace, matrix(description="Changed since"), 9) == ()


def test_a_cell_is_never_shown_its_own_trace_and_neither_is_another_epoch_of_it(
    tmp_path,
):
    traces = [
        trace("t0"),
        trace("t0", epoch=2),
        trace("t1"),
        trace("t1", epoch=2),
        trace("t2"),
    ]
    with bench(tmp_path, *traces, of=rubric(matrix())) as desk:
        signed(desk, 1, 2, 3, 4)
        briefings = Briefings(desk.workspace, few_shot=3)
        shown = [ids(of(desk, number, briefings).examples) for number in range(1, 6)]
    assert shown[:4] == [["t1"], ["t1"], ["t0"], ["t0"]]
    assert sorted(shown[4]) == ["t0", "t1"]


def test_each_cell_gets_as_many_as_were_asked_for_and_its_own_trace_makes_room_for_the_next(
    desk,
):
    signed(desk, 1, 2, 3, 4)
    briefings = Briefings(desk.workspace, few_shot=2)
    ranked = ids(examples(desk.workspace, matrix(), 9))
    assert of(desk, 6, briefings).shown == ranked[:2]
    own = int(ranked[0][1:]) + 1
    assert of(desk, own, briefings).shown == ranked[1:3]


def test_which_examples_there_are_is_settled_when_they_first_come_up(desk):
    signed(desk, 1)
    briefings = Briefings(desk.workspace, few_shot=3)
    assert of(desk, 6, briefings).shown == ["t0"]
    signed(desk, 2)
    assert of(desk, 6, briefings).shown == ["t0"]
    assert len(of(desk, 6, Briefings(desk.workspace, few_shot=3)).shown) == 2


def test_without_few_shot_there_are_none(desk):
    signed(desk, 1)
    assert of(desk, 6, Briefings(desk.workspace)).examples == ()


def test_an_example_has_the_question_that_its_trace_only_refers_to(tmp_path):
    asked = {
        "id": "q",
        "question": "What is BCL2?",
        "reference": "A gene",
        "metric_traits": [checklist()],
    }
    traces = [Trace(id=name, question_id="q", response=RESPONSE) for name in ("a", "b")]
    with bench(tmp_path, *traces, of=rubric(matrix(), questions=[asked])) as desk:
        signed(desk, 1)
        [shown] = examples(desk.workspace, matrix(), 1)
    assert (shown.trace.question, shown.trace.reference) == ("What is BCL2?", "A gene")


def test_what_a_person_says_goes_before_what_the_rubric_says(tmp_path):
    worded = rubric(
        matrix(),
        prompts={"metric": {"system": "rubric", "trait": "rubric"}},
    )
    with bench(tmp_path, trace(), of=worded) as desk:
        assert of(desk, 1, Briefings(desk.workspace)).parts == {
            "system": "rubric",
            "trait": "rubric",
        }
        briefings = Briefings(desk.workspace, {"metric": {"system": "line"}})
        assert of(desk, 1, briefings).parts == {"system": "line", "trait": "rubric"}


def test_a_whole_cell_shown_to_a_model_says_what_the_person_said(desk):
    signed(desk, 1)
    trace_, cell = desk.workspace.cell(6)
    briefing = Briefings(desk.workspace, few_shot=1).of(cell.subject, trace_)
    prompt = next(cell.subject.dialogue(trace_, briefing))
    assert f'"excerpts": ["{GENE}"], "verdict": "found"' in prompt.user


async def test_a_judgment_keeps_the_hash_of_its_template_and_which_cells_it_was_shown(
    desk,
):
    signed(desk, 1)
    prompts = {"metric": {"system": "Sort what the response says."}}
    _, cell = desk.workspace.cell(1)
    answer = completion(as_reply(cell.subject.trait, cell.labels))
    with served(lambda _: answer) as server:
        chosen = choose({"model": ["m"], "base_url": server.url}, desk.workspace.meta)
        await run(
            desk,
            replace(chosen, few_shot=1, prompts=prompts, plan=None),
            CellScope(only=2),
        )
        assert (
            server.asked[0].body["messages"][0]["content"]
            == "Sort what the response says."
        )
    judge = desk.workspace.cell(2)[1].judge.judge
    assert judge["template_sha256"] == TEMPLATE.wording(prompts["metric"]).sha256
    assert judge["examples"] == ["t0"]
    assert [row.example for row in desk.workspace.cells.rows(0, 2)] == [True, False]


def test_a_rubrics_own_prompt_is_in_the_audit_and_comes_back(tmp_path):
    parts = {"system": "Be\nbrief.\n", "response": "<r $nonce>\n$response $nonce"}
    with bench(
        tmp_path,
        trace(),
        of=rubric(matrix(), prompts={"metric": parts}),
    ) as desk:
        desk.save()
        assert load_audit(desk.audit).rubric.prompts == {"metric": parts}
