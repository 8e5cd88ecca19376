"""What an agent may do to a cell, and what only a person may."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.deciding import (
    Adopt,
    Comment,
    Draw,
    Flag,
    Reason,
    Redo,
    Rule,
    SignOff,
    Undo,
    decide,
)
from appellate.core.facts import AGENT, PERSON, Fact, is_by_agent, written_as
from appellate.core.problem import Refused
from cells import MOVED, bench, proposal, rules, trace

HIDDEN = "waits for a person's blind ruling"


def told_to_agent(at, number, command):
    """Returns why an agent is refused, or "" if it is not."""
    _, cell = at.open_unhidden(number)
    try:
        decide(cell, command, as_agent=True)
    except Refused as refusal:
        return str(refusal)
    return ""


def test_an_agent_corrects_comments_and_flags_in_sight(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.as_agent = True
        at.receive(1, proposal())
        at.do(1, MOVED)
        at.do(1, Comment("hm"))
        at.do(1, Flag(True))
        _, cell = at.open(1)
        assert [fact.as_agent for fact in cell.facts] == [False, True, True, True]


def test_an_agent_neither_signs_off_nor_rules(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.receive(1, proposal())
        assert "cannot sign off" in told_to_agent(at, 1, SignOff("sha"))
        assert "cannot rule" in told_to_agent(at, 1, Rule("sha"))


@pytest.mark.parametrize(
    "command",
    [MOVED, Adopt(1), Flag(True), Comment("x"), Reason(1, "x"), Undo(1), Redo(1)],
    ids=repr,
)
def test_an_agent_does_nothing_to_a_cell_that_waits_for_a_blind_ruling(
    tmp_path,
    command,
):
    with bench(tmp_path, trace("a")) as at:
        at.receive(1, proposal())
        at.do(1, Draw(True))
        assert HIDDEN in told_to_agent(at, 1, command)
        rules(at, 1)
        assert HIDDEN not in told_to_agent(at, 1, command)


def test_an_agent_leaves_alone_what_a_person_signed_off(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.receive(1, proposal())
        at.sign_off(1)
        assert told_to_agent(at, 1, MOVED).startswith("ada signed these labels off")
        assert told_to_agent(at, 1, Comment("I would say otherwise")) == ""


def test_an_agent_takes_back_only_what_an_agent_did(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.receive(1, proposal())
        at.do(1, MOVED)
        assert "what a person did" in told_to_agent(at, 1, Undo(2))
        at.undo()
        assert "what a person did" in told_to_agent(at, 1, Redo(2))
        at.as_agent = True
        at.do(1, MOVED)
        at.undo()
        at.redo()
        assert at.open(1)[1].state == "corrected"


def test_an_agent_neither_takes_a_rubric_nor_takes_one_back(tmp_path):
    with bench(tmp_path, trace("a")) as at:
        at.as_agent = True
        with pytest.raises(Refused, match="cannot change the rubric"):
            at.revise(at.workspace.rubric)


@given(st.booleans())
def test_a_file_says_of_agents_alone_what_they_are(as_agent):
    row = written_as(as_agent=as_agent)
    assert row == ({"as": AGENT} if as_agent else {})
    assert is_by_agent(row) == as_agent
    assert not is_by_agent({"as": PERSON})


@pytest.mark.parametrize("word", ["Agent", "", "bot", 1, None, True])
def test_a_file_that_calls_who_acted_something_else_is_refused(word):
    with pytest.raises(TypeError, match="is neither 'person' nor 'agent'"):
        is_by_agent({"as": word})


def test_a_fact_is_a_persons_where_nothing_says_otherwise():
    assert not Fact(1, "2026-11-21T12:00:00Z", "ada", Flag(True)).as_agent
