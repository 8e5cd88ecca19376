"""Files of requests: custom ids survive every engine, terms are what they were, and lines are whole or not there."""

import json
import os
import re
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.kind import Briefing, Example, Subject
from appellate.core.problem import Unusable
from appellate.core.trace import Trace
from appellate.core.transcript import as_conversation
from appellate.judges.endpoint import Endpoint, Prices
from appellate.judges.proposal import Question
from appellate.judging.batches import (
    RequestId,
    RequestSettings,
    Shards,
    SubmittedFile,
    double_payment_warning,
    keep_submitted,
    parameters_of,
    subject_hash,
)
from appellate.traits.metric import KIND
from cells import bench, matrix, proposal, trace

EXAMPLE = Example(trace("t2", question="Why?"), proposal().table)
TERMS = RequestSettings(
    Endpoint(
        "m",
        "http://x/v1",
        "KEY",
        5.0,
        "responses",
        {"seed": 1},
        Prices(1.0, 2.0),
    ),
    Briefing({"system": "Be fair."}, (EXAMPLE,)),
    {"temperature": 0},
)
hexes = st.text("0123456789abcdef", min_size=12, max_size=12)


@settings(max_examples=30)
@given(
    st.builds(
        RequestId,
        st.integers(1, 10**12 - 1),
        st.integers(1, 10**6 - 1),
        hexes.map(lambda h: h[:8]),
        hexes,
        hexes,
    ),
)
def test_a_label_is_read_as_it_was_written_and_is_short_enough(label):
    assert RequestId.parse(str(label)) == label
    assert len(str(label)) <= 64


@settings(max_examples=30)
@given(st.text(max_size=70) | st.text("0123456789abcdef-", min_size=30, max_size=60))
def test_anything_else_is_no_label(text):
    label = RequestId.parse(text)
    assert label is None or label.cell >= 0


def test_terms_come_back_as_they_were_with_prices_and_examples():
    again = RequestSettings.from_json(json.loads(json.dumps(TERMS.to_json())))
    assert (again.endpoint, again.parameters) == (TERMS.endpoint, TERMS.parameters)
    assert again.tag == TERMS.tag
    assert again.briefing.shown == ["t2"]
    assert (
        RequestSettings(Endpoint("n"), TERMS.briefing, TERMS.parameters).tag
        != TERMS.tag
    )


@pytest.mark.parametrize("longest", [None, 40])
def test_an_example_that_is_a_conversation_comes_back_as_its_trait_read_it(longest):
    messages = [{"role": "tool", "name": "look", "content": "x" * 90}]
    run = as_conversation(Trace(id="1", messages=messages, response="Done."), longest)
    briefing = Briefing({}, (Example(run, {"tp": []}, {}),))
    kept = json.loads(json.dumps(RequestSettings(Endpoint("n"), briefing).to_json()))
    (example,) = RequestSettings.from_json(kept).briefing.examples
    assert example.trace.text == run.text
    assert ("left out" in run.text) == (longest is not None)


@pytest.mark.parametrize("is_conversation", [False, True])
def test_an_example_that_was_saved_before_results_were_shortened_has_them_whole(
    is_conversation,
):
    messages = [{"role": "tool", "name": "look", "content": "x" * 90}]
    trace = Trace(id="1", messages=messages, response="Done.")
    read = as_conversation(trace) if is_conversation else trace
    briefing = Briefing({}, (Example(read, {"tp": []}, {}),))
    kept = json.loads(json.dumps(RequestSettings(Endpoint("n"), briefing).to_json()))
    kept["examples"][0].pop()
    (example,) = RequestSettings.from_json(kept).briefing.examples
    assert example.trace.text == read.text


def test_parameters_are_told_without_what_was_asked():
    chat = {
        "model": "m",
        "messages": [],
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": {}},
    }
    assert parameters_of(chat) == {
        "temperature": 0,
        "response_format": "json_schema",
        "batch": True,
    }
    responses = {
        "model": "m",
        "input": "",
        "instructions": "",
        "text": {"format": {"type": "json_object"}},
        "store": False,
    }
    assert parameters_of(responses) == {
        "store": False,
        "response_format": "json_object",
        "batch": True,
    }
    assert parameters_of({"model": "m", "messages": []}) == {
        "response_format": "text",
        "batch": True,
    }


def test_an_answer_belongs_to_the_words_it_was_asked_about():
    def about(trait=None, **more):
        one = trace(**more)
        return subject_hash(
            Question(Subject(KIND, trait or matrix(), one), one, cell=1),
        )

    others = [
        about(name="t2"),
        about(epoch=2),
        about(question="Why?"),
        about(reference="So."),
        about(response="No."),
    ]
    others.append(about(matrix(description="Only the gene.")))
    assert len({about(), *others}) == 7
    assert about() == about()


# -- files -----------------------------------------------------------------------------------------


def test_requests_hold_texts_of_patients_and_are_private(tmp_path):
    before = os.umask(0o022)
    try:
        with Shards(tmp_path / "x.jsonl", 1, 10) as shards:
            for line in (b"a\n", b"b\n"):
                shards.add(line)
            files = [shard.file for shard in shards.name_files()]
    finally:
        os.umask(before)
    assert [stat.filemode(file.stat().st_mode) for file in files] == ["-rw-------"] * 2


def written(
    out: Path,
    lines: list[bytes],
    most_lines: int = 3,
    most_bytes: int = 10,
) -> list[tuple[str, bytes]]:
    with Shards(out, most_lines, most_bytes) as shards:
        for line in lines:
            shards.add(line)
        made = shards.name_files()
    assert [shard.lines for shard in made] == [
        shard.file.read_bytes().count(b"\n") for shard in made
    ]
    return [(shard.file.name, shard.file.read_bytes()) for shard in made]


@pytest.mark.parametrize(
    ("lines", "files"),
    [
        ([b"a\n", b"b\n"], [("x.jsonl", b"a\nb\n")]),
        ([b"a\n"] * 4, [("x-0001.jsonl", b"a\n" * 3), ("x-0002.jsonl", b"a\n")]),
        (
            [b"aaaa\n", b"bbbb\n", b"c\n"],  # too many bytes
            [("x-0001.jsonl", b"aaaa\nbbbb\n"), ("x-0002.jsonl", b"c\n")],
        ),
    ],
)
def test_one_file_has_the_name_that_was_asked_for_and_several_are_numbered(
    lines,
    files,
    tmp_path,
):
    assert written(tmp_path / "x.jsonl", lines) == files


@pytest.mark.skipif(
    sys.platform != "linux",
    reason="names of open files are asked of /proc",
)
def test_requests_are_on_the_disk_before_they_are_named_and_their_names_before_they_are_told(
    tmp_path,
    monkeypatch,
):
    recorded = []
    sync, rename = os.fsync, os.rename

    def fsync(handle):
        recorded.append(Path(f"/proc/self/fd/{handle}").resolve().name)
        sync(handle)

    def renamed(old, new):
        recorded.append(f"> {Path(new).name}")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "rename", renamed)
    written(tmp_path / "x.jsonl", [b"a\n"] * 4)
    unnamed = [".x.jsonl.1.tmp", ".x.jsonl.2.tmp"]
    assert recorded == [*unnamed, "> x-0001.jsonl", "> x-0002.jsonl", tmp_path.name]


def test_without_requests_there_is_no_file(tmp_path):
    assert written(tmp_path / "x.jsonl", []) == []
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=30)
@given(
    lines=st.lists(
        st.binary(max_size=9).map(lambda text: text.replace(b"\n", b"") + b"\n"),
        max_size=20,
    ),
)
def test_every_line_comes_once_in_order_and_within_the_limits(lines, tmp_path_factory):
    made = written(tmp_path_factory.mktemp("shards") / "x.jsonl", lines)
    assert b"".join(body for _, body in made) == b"".join(lines)
    assert all(body.count(b"\n") <= 3 and len(body) <= 10 for _, body in made)


def test_where_something_fails_no_file_stays(tmp_path):
    def failing() -> None:
        with Shards(tmp_path / "x.jsonl", 1) as shards:
            shards.add(b"a\n")
            shards.add(b"b\n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert list(tmp_path.iterdir()) == []


def test_where_the_disk_is_full_no_file_stays_and_the_error_names_the_users(tmp_path):
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def filling() -> None:
        with Shards(tmp_path / "x.jsonl") as shards:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
            for _ in range(1000):  # more than a buffer holds
                shards.add(b"a" * 999 + b"\n")

    try:
        with pytest.raises(OSError, match=re.escape("/x.jsonl'")):
            filling()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("taken", ["x.jsonl", "x-0001.jsonl"])
def test_no_file_takes_the_place_of_another(tmp_path, taken):
    (tmp_path / taken).write_text("mine")
    with pytest.raises(Unusable, match=f"{taken}: there is a file of this name"):
        Shards(tmp_path / "x.jsonl")
    with pytest.raises(Unusable, match="no folder"):
        Shards(tmp_path / "nowhere" / "x.jsonl")


def test_no_further_file_takes_the_place_of_another(tmp_path):
    (tmp_path / "x-0002.jsonl").write_text("mine")
    with Shards(tmp_path / "x.jsonl", 1) as shards:
        shards.add(b"a\n")
        shards.add(b"b\n")
        with pytest.raises(Unusable, match="there is a file of this name"):
            shards.name_files()
    assert [file.name for file in tmp_path.iterdir()] == ["x-0002.jsonl"]
    assert (tmp_path / "x-0002.jsonl").read_text() == "mine"


def test_a_person_is_told_how_many_cells_would_be_paid_for_twice(tmp_path):
    with bench(tmp_path, trace("t1")) as at:
        assert double_payment_warning(at.workspace) == []
        for cells, told in (
            (1, "1 cell is in batches"),
            (2, "2 cells are in batches"),
        ):
            keep_submitted(at.workspace, SubmittedFile("f", "http://x", "m", cells))
            (sentence,) = double_payment_warning(at.workspace)
            assert sentence.startswith(told)
        assert sentence.endswith("if you ask now, you pay for them twice.")
