"""Examples of conversations: the steps with evidence and two around, said to be a part."""

import pytest

from appellate.cli.prompting import _forecast_lines
from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.core.transcript import around, as_conversation
from appellate.judging.choice import choose
from appellate.judging.estimate import forecast
from appellate.judging.questions import Briefings, PendingCells
from cells import bench
from conversations import MESSAGES, PROPOSED, rubric

FILLING = [
    {"role": "user", "content": f"Wait {number} minutes."} for number in range(10)
]
LONG = [*FILLING, *MESSAGES, *FILLING]
RUNS = [
    Trace(id=name, response="It is booked.", messages=LONG, reference="x")
    for name in ("a", "b")
]
HERE = {"model": ["m"], "base_url": "http://127.0.0.1:9/v1"}


@pytest.fixture
def desk(tmp_path):
    """All cells of the first run are signed off."""
    with bench(tmp_path, *RUNS, of=rubric()) as at:
        for number in range(1, 5):
            kind = at.open_unhidden(number)[1].subject.kind.name
            if kind != "regex":
                table = PROPOSED[kind]
                if kind == "llm":
                    table = {**table, "evidence": ["One moment."]}  # all of it is found
                at.receive(number, Proposed(table, {"name": "gpt"}))
                at.sign_off(number, 5.0)
        yield at


def prompt(desk, kind: str) -> str:
    for number in range(5, 9):
        trace, cell = desk.workspace.cell(number)
        if cell.subject.kind.name == kind:
            briefing = Briefings(desk.workspace, few_shot=1).of(cell.subject, trace)
            assert briefing.shown == ["a"]
            return next(cell.subject.dialogue(trace, briefing)).user
    raise AssertionError(kind)


@pytest.mark.parametrize(
    ("kind", "steps"),
    [("metric", range(11, 18)), ("llm", range(10, 15)), ("scorer", range(13, 18))],
)
def test_an_example_shows_the_steps_with_evidence_and_two_around(desk, kind, steps):
    text = prompt(desk, kind)
    numbers = ", ".join(map(str, steps))
    head = f"(a part of the conversation: steps {numbers} of 26)"
    assert text.count(head) == 1
    shown = text[text.index(head) :]
    shown = shown[: shown.index("</conversation")]
    for number in range(1, 27):
        assert (f"\n[{number}] " in shown) == (number in steps)
    assert text.count("\n[26] user\n") == 1, "what is judged stands there in whole"


def test_without_evidence_the_response_is_shown_and_two_around():
    whole = as_conversation(RUNS[0]).transcript
    assert around(whole, []).startswith(
        "(a part of the conversation: steps 13, 14, 15, 16, 17 of 26)",
    )


def test_a_conversation_that_is_shown_in_whole_is_no_part():
    whole = as_conversation(
        Trace(id="1", question="Which?", response="This."),
    ).transcript
    assert around(whole, []) == whole.text


def test_a_dry_run_says_that_examples_are_parts(desk):
    choice = choose({**HERE, "few_shot": 1}, desk.workspace.meta, sending=False)
    found = forecast(desk.workspace, PendingCells(desk.workspace, choice), choice)
    told = "Of a conversation an example shows the steps with evidence and two around them."
    assert told in list(_forecast_lines(found))
