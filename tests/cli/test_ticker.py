"""What is told while the judge works: a bar, lines in a log, events."""

import json

import pytest
from msgspec.structs import replace

from appellate.cli.judge import Bar, Events, Log, progress_line
from appellate.judges.endpoint import Endpoint
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import (
    Answered,
    JudgeRecord,
    JudgmentFailure,
    NoLabels,
    Proposal,
)
from appellate.judges.rate_limiter import Waiting
from appellate.judging.choice import JudgeChoice
from appellate.judging.progress import Progress
from cells import bench, trace

HALF = Progress(
    done=50,
    failed=2,
    left=50,
    under_way=8,
    rate=2.5,
    usual=3.0,
    tokens_in=90_000,
    tokens_out=10_000,
)
PRICED = Progress(done=50, left=50, rate=2.5, cost=1.5, paid=50)
SILENT = Progress(done=50, left=50, rate=2.5, under_way=8, usual=3.0, silent=75.0)
END = Progress(done=100, left=0)


def test_progress_in_words():
    assert (
        progress_line(HALF)
        == "50 done · 2 failed · 50 left · 2.5/s · 0:20 to go · 100k tokens"
    )


def test_a_cost_is_told_with_what_the_whole_will_cost():
    assert progress_line(PRICED).endswith("cost 1.50 of about 3.00")
    assert progress_line(Progress(done=100, left=0, cost=3.0, paid=100)).endswith(
        "cost 3.00",
    )


def test_answers_that_were_known_already_are_describe():
    assert "40 known already" in progress_line(Progress(done=50, cached=40, left=0))


def test_cells_for_which_there_are_no_labels_are_not_done(capsys):
    Log().started(JudgeChoice("recorded", None), 10)
    looked = "Looking for labels that came with the traces, for 10 cells.\n"
    assert capsys.readouterr().err == looked
    assert (
        progress_line(Progress(done=10, unrecorded=8, left=0))
        == "2 done · 8 without labels · 0 left"
    )


def test_when_answers_stay_out_that_is_told_in_place_of_a_rate():
    assert progress_line(SILENT) == "50 done · 50 left · no answer for 1:15"


def test_a_server_in_trouble_is_told_with_what_it_asks_for_and_when_patience_ends(
    capsys,
):
    waiting = Waiting("here", 42.0, 18.0, "answered 429: Slow down.", 429, 1.0)
    progress = replace(HALF, waiting=waiting)
    silent = "no answer for 0:42 (429, asks to wait 1 s), given up in 0:18"
    assert (
        progress_line(progress)
        == f"50 done · 2 failed · 50 left · {silent} · 100k tokens"
    )
    Events().progressed(progress)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[-1]["waiting"] == {
        "host": "here",
        "trouble": "answered 429: Slow down.",
        "asked": 1.0,
        "silent": 42.0,
        "given_up_in": 18.0,
    }


def test_trouble_that_passes_at_once_is_not_describe():
    progress = replace(
        HALF,
        waiting=Waiting("here", 0.6, 600.0, "answered 429: Slow.", 429, 1.0),
    )
    assert progress_line(progress) == progress_line(HALF)


def test_millions_of_tokens_are_told_as_such():
    assert "12.3M tokens" in progress_line(
        Progress(tokens_in=12_000_000, tokens_out=300_000),
    )


@pytest.mark.parametrize(
    ("columns", "begins"),
    [
        (120, "[##########----------]  50% 50 done"),
        (80, "[####----]  50% 50 done"),
        (40, "50 done"),
    ],
)
def test_the_bar_is_one_line_that_fits_and_leaves_room_for_the_words(
    capsys,
    monkeypatch,
    columns,
    begins,
):
    monkeypatch.setenv("COLUMNS", str(columns))
    bar = Bar()
    bar.progressed(HALF)
    bar.ended("", {})
    drawn = capsys.readouterr().err.split("\r\x1b[K")[1:]
    assert drawn[0].startswith(begins)
    assert all(len(line.rstrip("\n")) < columns for line in drawn)
    assert drawn[-1].endswith("\n")


def test_a_log_gets_a_line_when_answers_stay_out_and_one_at_the_end(capsys):
    log = Log()
    log.started(JudgeChoice("lexical", None), 100)
    for progress in (HALF, SILENT, SILENT, HALF):
        log.progressed(progress)
    log.progressed(END)
    log.ended("Stopped.", {})
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "Judging 100 cells by lexical.",
        progress_line(SILENT),
        progress_line(END),
        "Stopped.",
    ]


def test_events_are_lines_of_json(tmp_path, capsys):
    events = Events()
    judge = OpenAIJudge(Endpoint("m", "http://127.0.0.1/v1"), environ={})
    events.started(JudgeChoice("openai", judge, members=(judge,)), 3)
    record = JudgeRecord("m", tokens_in=10, tokens_out=2, cost=0.5, cached=True)
    results = [
        Answered(1, 1, Proposal({}, record)),
        Answered(2, 1, JudgmentFailure("It only said no.", record=record)),
        Answered(3, 1, NoLabels("Nothing came with it.")),
    ]
    with bench(tmp_path, trace("t1"), trace("t2"), trace("t3")) as at:
        events.kept(at, results)
    events.progressed(SILENT)
    events.ended("", {"cells": 3, "failed": 1})
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    ends = ["stalled", *["progress"] * 2, "ended"]
    assert [row["event"] for row in rows] == ["started", *["cell"] * 3, *ends]
    assert [row["state"] for row in rows[1:4]] == ["proposed", "failed", "pending"]
    assert [row["trace"] for row in rows[1:4]] == ["t1", "t2", "t3"]
    assert (rows[1]["trait"], rows[1]["cost"], rows[1]["cached"]) == (
        "Accuracy",
        0.5,
        True,
    )
    assert rows[2]["reason"] == "It only said no."
    assert rows[4]["silent"] == 75.0
    assert rows[-1] == {"event": "ended", "why": "done", "cells": 3, "failed": 1}


@pytest.mark.parametrize("hostile", ["\x1b[31mred\nline", "\u2028"])
def test_no_event_spans_two_lines(tmp_path, capsys, hostile):
    with bench(tmp_path, trace()) as at:
        Events().kept(at, [Answered(1, 1, JudgmentFailure(hostile))])
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_failures_that_differ_in_numbers_alone_are_counted_together(capsys):
    log = Log()
    for cell, tokens in enumerate(("9,100", "12,000", "8,500"), 1):
        reason = f"The request is too long for m: {tokens} tokens, and it takes 8,192 at most."
        log.kept(None, [Answered(cell, 1, JudgmentFailure(reason))])
    log.kept(None, [Answered(4, 1, JudgmentFailure("The model refused: no."))])
    log.ended("", {})
    assert capsys.readouterr().err.splitlines() == [
        "3 failed alike, one so: The request is too long for m: 9,100 tokens, and it takes 8,192 at most.",
        "1 failed: The model refused: no.",
    ]
