"""A run line by line: the steps that its items rest on, and what reads the others."""

import re
from itertools import count

import pytest

from appellate.core.deciding import Draw
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.session.workbench import Workbench
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.rubric import Rubric
from flight_run import RUN, judged, scene
from linear.linear_stage import bench_of, told

METRIC, VERDICT = (
    list(scene()[0].traits_of(RUN)).index(name) + 1 for name in ("Work", "Asks")
)


@pytest.fixture
def say(tmp_path):
    """What is printed of the run by some keys, of the metric trait's cell or of another."""

    times = count()

    def say(*keys, at=METRIC, of=None):
        with bench_of(tmp_path / str(next(times)), of or scene(), at=at) as bench:
            return told(bench, *keys)

    return say


def test_a_run_is_told_by_the_steps_with_evidence_and_those_beside_them(say):
    printed = say()
    assert "Conversation, 38 steps (p reads all; K: reference):" in printed
    assert "Prompt" not in printed
    assert "(step 1 is left out)" in printed
    for heading in (
        "[2] user",
        "[3] assistant",
        "[4] assistant calls search",
        "[5] tool search",
    ):
        assert heading in printed
    assert "[7] user\nYes, book it." in printed.replace("\x1b[0m", "")
    assert "(steps 8 to 36 are left out)" in printed
    assert "Booking, part 3." not in printed
    assert "[38] assistant" in printed


def test_evidence_in_what_is_cut_of_a_long_step_is_quoted(say):
    printed = say()
    assert "flight 8 to Oslo" in printed
    assert "flight 20 to Oslo" not in printed
    assert "… 52 more lines" in printed
    assert "[flight 40 to Oslo]" in printed


def test_an_item_says_its_step(say):
    printed = say("j", "j")
    assert "found 1, step 3, instruction 1:" in printed
    assert "found 2, step 5, instruction 2:" in printed
    assert "found 3, step 38, instruction 3:" in printed
    assert "Evidence 1, step 6:" in say("j", at=VERDICT)


def test_an_item_on_words_of_a_user_says_so(say):
    of = scene(evidence=("Yes, book it.", "Shall I book it?"))
    printed = say("j", "j", at=VERDICT, of=of)
    assert "Evidence 1, step 7, user's words:" in printed
    assert "Evidence 2, step 6:" in printed


def test_an_item_of_a_checklist_says_whose_words_it_has_and_which_step_was_named(say):
    rubric, traces, _ = scene()
    table = dict(judged().table)
    table["tp"] = ["ask before you book", "Let me look.", "It is booked."]
    rows = [dict(row) for row in table["items"]]
    rows[1]["named_step"] = 5
    happened = [[], []]
    happened[METRIC - 1] = [Proposed(table | {"items": rows}, {"name": "gpt"})]
    printed = say("j", of=(rubric, traces, happened))
    assert "found 1, step 1, system's words, instruction 1:" in printed
    assert "found 2, step 3, judge: step 5, instruction 2:" in printed


def test_all_of_it_is_read_in_pages_and_one_step_by_its_number(say):
    assert "Rule 21: ask before you book." in say("p")
    assert "[10] assistant\nBooking, part 3." in say(":", "s10")
    assert "There is no step 99: it has 38." in say(":", "s99")


def test_an_agent_reads_no_step_of_a_cell_that_waits_for_a_person(tmp_path):
    with bench_of(tmp_path, scene(), at=METRIC) as bench:
        bench.do(METRIC, Draw(True))
        assert "Booking, part 3." in told(bench, ":", "s10", "q")
        agent = Workbench(bench.workspace, bench.audit, "ada", as_agent=True)
        printed = told(agent, ":", "s10", "q")
        assert "an agent gets nothing of it" in printed
        assert "Booking, part 3." not in printed
        assert "There is no trace" in printed


def test_what_is_found_is_told_by_its_step(say):
    printed = say("/", "part 3")
    assert "step 10:" in printed
    assert "step 37:" in printed
    assert "line 10" not in printed


def test_words_of_an_item_are_told_with_their_step_and_none_of_the_next(say):
    printed = say("o")
    assert "step 3: [Let me look.]" in printed
    assert "calls search]" not in printed


def test_a_run_without_evidence_is_told_by_what_a_user_said_last(say):
    printed = say(at=VERDICT, of=scene(evidence=()))
    assert "(steps 1 to 6 are left out)" in printed
    assert "Yes, book it." in printed
    assert "(steps 8 to 38 are left out)" in printed


def test_a_trait_that_reads_the_response_is_told_as_before(say):
    printed = say(of=scene(reads="response"))
    assert "Response:" in printed
    assert "Prompt (press K" in printed
    assert "Conversation, 38 steps" not in printed
    assert ", step " not in printed


def test_a_trace_without_messages_has_two_steps(tmp_path):
    trait = MetricRubricTrait(
        name="Work",
        metrics=["recall"],
        tp_instructions=["Looks"],
        reads="conversation",
    )
    alone = Trace(id="a", question="Well?", response="Let me look.")
    rubric = Rubric(name="Runs", metric_traits=[trait])
    with bench_of(tmp_path, (rubric, [alone], [[]])) as bench:
        printed = told(bench)
    assert "Conversation, 2 steps" in printed
    assert "[1] user" in printed
    assert judged().table["tp"][0] == "Let me look."


def test_sentences_to_take_are_those_that_the_assistant_says(say):
    printed = re.sub(r"\x1b\[[\d;]*m", "", say("v", "l", "q"))
    listed = printed.partition(" 1 Let me look.")[2]
    assert "Shall I book it?" in listed
    for others in ("Rule 60", "Wish 30", "flight 40", "[5] tool search"):
        assert others not in listed


def test_words_that_are_typed_are_looked_up_within_steps(say):
    assert "is not in the conversation: type words" in say(
        "v",
        "look. [4] assistant",
        "q",
    )
    assert "Selected:" in say("v", "Flight 3 is free", "q")
