"""What can be copied of a cell."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from appellate.app.reading.response_actions import copies
from appellate.cli.arguments import parser
from appellate.core.cell import fold
from appellate.core.facts import Fact
from appellate.core.kind import Subject
from appellate.store.audits.open_audit import AuditFiles
from appellate.traits.metric import KIND
from cells import TRACE, matrix, proposal, trace
from conversations import proposed, subject

QUESTION = "What is BCL2?"
AUDIT = AuditFiles.of(Path("my audits/x.audit.toml"))


@pytest.fixture
def cell():
    return fold(
        Subject(KIND, matrix(), TRACE),
        [Fact(1, "2026-11-21T12:00:00Z", "gpt", proposal())],
    )


def copied(cell, bucket="tp", index=0, audit=AUDIT):
    found = copies(
        trace("bcl2-1", response=cell.subject.trace.response),
        cell,
        QUESTION,
        (bucket, index),
        audit,
    )
    return {one.key: one.text for one in found}


def test_an_item_is_copied_as_its_words_and_as_a_record_that_names_its_trace(cell):
    found = copied(cell)
    record = json.loads(found["item.json"])
    assert record["text"] == found["item.text"]
    assert record["id"] == "bcl2-1"
    assert (record["bucket"], record["instruction"]) == ("tp", 1)
    assert tomllib.loads(found["item.toml"]) == record


def test_the_excerpt_is_the_slice_of_the_response(cell):
    found = copied(cell)
    record = json.loads(found["item.json"])
    assert (
        found["item.excerpt"]
        == cell.subject.trace.response[record["start"] : record["end"]]
    )


def test_an_instruction_has_no_excerpt_to_copy(cell):
    assert "item.excerpt" not in copied(cell, "fn")


def test_the_cell_as_toml_and_as_json_is_the_same_record(cell):
    found = copied(cell)
    assert (
        tomllib.loads(found["cell.toml"])["audited"]
        == json.loads(found["cell.json"])["audited"]
    )


def test_the_cell_as_text_has_the_question_every_item_and_the_numbers(cell):
    told = copied(cell)["cell.text"]
    assert QUESTION in told
    assert "TP 3" in told
    assert "recall .75" in told


def test_where_nothing_is_judged_the_cell_can_be_copied_all_the_same(cell):
    found = copied(fold(cell.subject, ()))
    assert "item.text" not in found
    assert "pending" in found["cell.text"]


def test_the_command_that_opens_the_cell_survives_a_shell(cell):
    command = copied(cell)["command"]
    assert command == "appellate review 'my audits/x.audit.toml' --at bcl2-1/Accuracy"
    elsewhere = AuditFiles(Path("x.audit.toml"), Path("/elsewhere/its own.db"))
    given = parser().parse_args(
        shlex.split(copied(cell, audit=elsewhere)["command"])[1:],
    )
    assert (given.paths, given.workspace) == (["x.audit.toml"], "/elsewhere/its own.db")
    dashed = copies(trace("-1", epoch=2), cell, QUESTION, ("tp", 0), AUDIT)
    given = parser().parse_args(shlex.split(dashed[-1].text)[1:])
    assert given.at == "-1#2/Accuracy"


def test_an_excerpt_of_a_conversation_is_copied_with_its_step():
    of = subject("metric")
    cell = fold(of, [Fact(1, "2026-11-21T12:00:00Z", "gpt", proposed(of))])
    found = {one.key: one for one in copies(of.trace, cell, QUESTION, ("tp", 0), AUDIT)}
    record = json.loads(found["item.json"].text)
    assert (record["step"], found["item.excerpt"].text) == (3, "calls book_flight")
    assert tomllib.loads(found["item.toml"].text) == record
    assert json.loads(found["cell.json"].text)["items"][0]["step"] == 3
    assert found["response"].label == "the whole conversation"
    assert found["response"].text == of.text
