import io
import json
import math
import os
import sqlite3
import sys
import threading

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.problem import Unusable
from appellate.core.trace import Document, Trace
from appellate.store.files.rubric_file import load_rubric
from appellate.store.files.trace_file import TraceReading, load_traces, read_traces
from appellate.store.files.trace_record import label_faults
from appellate.traits.metric.labels import BUCKETS
from appellate.traits.rubric import Rubric
from cells import cases

GLOBAL = {
    "name": "g",
    "metrics": ["f1"],
    "tp_instructions": ["a", "b"],
    "fp_instructions": ["hint"],
}
FULL = {
    "name": "x y",
    "evaluation_mode": "full_matrix",
    "metrics": ["f1"],
    "tp_instructions": ["a"],
    "tn_instructions": ["n"],
}
RUBRIC = Rubric(
    metric_traits=[GLOBAL],
    questions=[{"id": "q1", "question": "Q?", "metric_traits": [FULL]}],
)
BARE = Rubric(questions=[{"id": "q1", "question": "Q?", "metric_traits": [FULL]}])


@pytest.fixture
def read(tmp_path):
    """Reads a file of traces with this content; told problems come without the file's name."""

    def reading(content, rubric=None, name="t", **settings):
        (tmp_path / name).write_bytes(
            content if isinstance(content, bytes) else content.encode(),
        )
        return read_traces(tmp_path / name, rubric, **settings)

    return reading


@pytest.fixture
def problems(read, tmp_path):
    def told(content, rubric=None):
        return [
            str(problem).removeprefix(f"{tmp_path / 't'}: ")
            for problem in read(content, rubric).problems
        ]

    return told


def lines(*traces):
    return "\n".join(json.dumps(trace, ensure_ascii=False) for trace in traces)


def only(found):
    assert len(found) == 1, found
    return found[0]


def one(read, **keys):
    return only(read(lines({"id": "a", "response": "r", **keys})).usable())


# forms


TOML = '[[traces]]\nid = "a"\nresponse = "r"\n[[traces]]\nid = 2\n'
SAME = [Trace(id="a", response="r"), Trace(id="2")]


@pytest.mark.parametrize(
    "content",
    [
        TOML,
        "# a comment\n" + TOML,
        TOML.replace("\n", "\r\n"),
        "\ufeff" + TOML,
        'traces = [{id = "a", response = "r"}, {id = 2}]',
        '{"id": "a", "response": "r"}\n{"id": 2}\n',
        '\ufeff\n{"id": "a", "response": "r"}\r\n\r\n{"id": 2}\r\n',
        '[{"id": "a", "response": "r"}, {"id": 2}]',
        ' [\n{"id": "a",\n"response": "r"},\n{"id": 2}]',
        '{"traces": [{"id": "a", "response": "r"}, {"id": 2}]}',
        '{\n"traces":\n[{"id": "a", "response": "r"}, {"id": 2}]}',
    ],
)
def test_the_form_is_told_by_content(read, content):
    assert read(content, name="t").usable() == SAME
    assert read(content, name="misleading.toml").usable() == SAME


def test_one_object_over_several_lines_is_one_trace(read):
    assert read('{\n  "id": "a",\n  "response": "r"\n}').usable() == SAME[:1]
    comma_first = '{"judgments": {}\n, "id": "a"\n, "response": "r"}'
    assert read(comma_first).usable() == SAME[:1]


def test_an_object_of_traces_by_id_is_told_alike_over_one_line_and_several(problems):
    traces_by_id = {"traces": {"a": {"response": "r"}}}
    told = problems(json.dumps(traces_by_id))
    assert problems(json.dumps(traces_by_id, indent=1)) == told
    assert "not valid JSON" not in only(told)


def test_standard_input_is_read(read):
    stream = io.BytesIO(lines({"id": "a", "response": "r"}, {"id": 2}).encode())
    assert read_traces("-", stdin=stream).usable() == SAME


def test_a_fault_of_standard_input_names_it():
    with pytest.raises(Unusable, match=r"standard input: line 1: id: is missing"):
        load_traces("-", stdin=io.BytesIO(b'{"response": "r"}'))


def test_the_process_own_standard_input_is_the_default(monkeypatch):
    monkeypatch.setattr(
        "sys.stdin",
        io.TextIOWrapper(io.BytesIO(b'{"id": 2, "response": ""}')),
    )
    assert load_traces("-") == SAME[1:]


def test_a_closed_standard_input_is_told(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(Unusable, match="standard input is closed"):
        load_traces("-")


def test_line_separators_of_unicode_do_not_split_a_line(read):
    assert one(read, question="a\u2028b\x85c").question == "a\u2028b\x85c"


def test_a_response_of_ten_megabytes_loads(read):
    assert len(one(read, response="word " * 2_000_000).response) == 10_000_000


def test_healthbench_traces_load_and_all_get_their_trait(shared):
    folder = shared / "data" / "healthbench"
    rubric = load_rubric(folder / "rubric.toml")
    loaded = read_traces(folder / "traces.jsonl", rubric)
    assert len(loaded.usable()) == 57
    assert all(len(rubric.traits_of(trace)) == 1 for trace in loaded.usable())
    assert loaded.notes == []


def test_karenina_answers_load(shared):
    traces = load_traces(shared / "data" / "karenina" / "real_answers.jsonl")
    assert [trace.id for trace in traces] == [
        "haiku-1",
        "haiku-2",
        "haiku-3",
        "haiku-4",
    ]
    assert all(trace.model == "claude-haiku-4-5" for trace in traces)


# keys


def test_every_key_of_the_specification_is_read(read):
    given = {
        "id": 7,
        "epoch": 3,
        "question": "Q?",
        "question_id": 5,
        "response": "r",
        "reference": ["a", "b"],
        "choices": ["A", "B"],
        "documents": ["text", {"id": 1, "text": "t"}, {"text": "u"}],
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "cluster": 9,
        "metadata": {"n": None},
        "judgments": {"x": {"tp": ["r"]}},
    }
    trace = only(read(lines(given)).usable())
    assert trace.key == ("7", 3)
    assert (trace.question_id, trace.cluster) == ("5", "9")
    assert trace.documents == ["text", Document(id="1", text="t"), Document(text="u")]
    assert trace.metadata == {"n": None}


@pytest.mark.parametrize(
    ("field", "name"),
    [
        *(("question", name) for name in ("input", "prompt")),
        *(("reference", name) for name in ("target", "ideal")),
        *(("response", name) for name in ("output", "answer", "completion")),
    ],
)
def test_common_other_names_load(read, field, name):
    given_record = {"id": "a", "response": "r", name: "v"}
    if field == "response":
        del given_record["response"]
    loaded = read(lines(given_record))
    assert getattr(only(loaded.usable()), field) == "v"
    assert loaded.notes == []


def test_a_second_name_for_one_field_is_not_lost(read):
    loaded = read(lines({"id": "a", "output": "o", "answer": "n", "completion": None}))
    assert only(loaded.usable()).response == "o"
    assert only(loaded.usable()).metadata == {"answer": "n", "completion": None}


def test_other_keys_go_to_metadata_with_one_note(read):
    loaded = read(
        lines(
            {"id": 1, "response": "r", "x": 1, "y": 2},
            {"id": 2, "response": "r", "x": None},
        ),
    )
    assert [trace.metadata for trace in loaded.usable()] == [
        {"x": 1, "y": 2},
        {"x": None},
    ]
    assert only(loaded.notes).endswith('other keys went to metadata: "x" (2), "y" (1)')


def test_a_misspelt_key_is_noted_with_what_was_perhaps_meant(read):
    loaded = read(lines({"id": 1, "respones": "r"}, {"id": 2, "response": "r"}))
    assert '"respones", perhaps meant as "response" (1)' in loaded.notes[0]
    assert "1 trace has no response, or an empty one" in loaded.notes[1]


def test_very_many_other_keys_are_noted_in_part(read):
    (note,) = read(
        lines({"id": 1, "response": "r"} | {f"k{i}": i for i in range(15)}),
    ).notes
    assert note.endswith("and 5 more")


def test_metadata_of_its_own_is_never_overwritten(read):
    assert one(read, x=1, x_=2, metadata={"x": 3}).metadata == {
        "x": 3,
        "x_": 1,
        "x__": 2,
    }


def test_null_is_as_good_as_absent(read):
    assert one(read, question=None, epoch=None, judgments=None) == Trace(
        id="a",
        response="r",
    )


def test_numbers_that_json_has_no_word_for_survive_in_metadata(read):
    trace = only(
        read(
            '{"id": "a", "response": "r", "metadata": {"n": [NaN, Infinity, -Infinity, 1e999]}}',
        ).usable(),
    )
    assert math.isnan(trace.metadata["n"][0])
    assert trace.metadata["n"][1:] == [math.inf, -math.inf, math.inf]


def test_dates_of_toml_become_text_in_metadata(read):
    given = 'id = 1\nresponse = "r"\nwhen = [2026-01-01]\nmetadata.t = 07:32:00\n'
    trace = only(read(f"[[traces]]\n{given}").usable())
    assert trace.metadata == {"when": ["2026-01-01"], "t": "07:32:00"}


@pytest.mark.parametrize(
    ("messages", "response"),
    cases(r"""
[{"role": "assistant", "content": "one"}, {"role": "user"}, {"role": "assistant", "content": "two"}] → "two"
[{"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "image"}, "b"]}] → "a\nb"
[{"role": "assistant", "content": null}] → ""
"""),
)
def test_without_a_response_the_last_assistant_message_is_it(read, messages, response):
    loaded = read(f'{{"id": 1, "messages": {messages}}}')
    assert only(loaded.usable()).response == json.loads(response)


def test_a_response_given_stands_before_messages(read):
    assert one(read, messages=[{"role": "assistant", "content": "m"}]).response == "r"


def test_an_empty_response_given_stands_too_and_is_noted(read):
    loaded = read(
        lines(
            {
                "id": 1,
                "response": "",
                "messages": [{"role": "assistant", "content": "m"}],
            },
            {"id": 2},
        ),
    )
    assert loaded.usable()[0].response == ""
    assert only(loaded.notes).endswith(
        '2 traces have no response, or an empty one: "1", "2"',
    )


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (
            [{"id": 1, "outputs": {"answer": "a", "n": 1}, "tags": {}}] * 2,
            '"id", "outputs.answer", "outputs.n", "tags"',
        ),
        (
            [{"id": 1, "messages": [{"role": "user", "content": "?"}, "noise"]}],
            '"id", "messages"',
        ),
        (
            [{"id": n, **{f"k{k}": k for k in range(20)}} for n in range(2)],
            '"k14" and 5 more',
        ),
    ],
)
def test_a_file_in_which_no_trace_has_a_response_is_refused_with_its_columns(
    problems,
    rows,
    columns,
):
    told = only(problems(lines(*({**row, "id": n} for n, row in enumerate(rows)))))
    assert told.startswith("line 1: no trace has a response; the columns are ")
    assert f"{columns}; call the one with the answer response" in told


def test_a_response_that_is_empty_is_one_and_so_are_labels_without_any(read):
    assert read(lines({"id": 1, "response": ""})).usable()[0].response == ""
    assert (
        read(lines({"id": 1, "judgments": {"x": {"tp": []}}})).usable()[0].response
        == ""
    )


# what is wrong


@pytest.mark.parametrize(
    ("keys", "said"),
    cases("""
{"id": true} → line 1: id: must be text in quotes, not true
{"id": 1.5} → line 1: id: must be text in quotes, not the number 1.5
{"id": ""} → line 1: id: must not be empty
{"id": null} → line 1: id: is missing
{"epoch": true} → line 1: epoch: must be a whole number, not true
{"epoch": "1"} → line 1: epoch: must be a whole number, not the text "1"
{"epoch": 1.5} → line 1: epoch: must be a whole number, not the number 1.5
{"epoch": -1} → line 1: epoch: must be 0 or more, not the number -1
{"epoch": 1180591620717411303424} → line 1: epoch: must be 9223372036854775807 or less, not the number 11805
{"response": ["r"]} → line 1: response: must be text in quotes, not a list
{"reference": 5} → line 1: reference: must be text or a list of texts, not the number 5
{"reference": ["a", 5]} → line 1: reference[1]: must be text in quotes, not the number 5
{"choices": "AB"} → line 1: choices: must be a list in square brackets, not the text "AB"
{"documents": "d"} → line 1: documents: must be a list in square brackets
{"documents": [{"id": 1}]} → line 1: documents[0]: must be text, or a table with a text and perhaps an id
{"documents": [{"text": "t", "score": 2}]} → and perhaps an id, not one with "text", "score"
{"documents": ["d", 5]} → line 1: documents[1]: must be text, or a table with a text
{"messages": {}} → line 1: messages: must be a list
{"metadata": "m", "x": 1} → line 1: metadata: must be a table, not the text "m"
{"judgments": []} → line 1: judgments: must be a table, not a list
{"judgments": {"x y": 5}} → line 1: judgments."x y": must be a table, not the number 5
{"judgments": {"reference": 5}} → line 1: judgments.reference: must be a table
"""),
)
def test_a_wrong_value_is_told_with_line_and_key(problems, keys, said):
    assert said in only(
        problems(lines({"id": "a", "response": "r"} | json.loads(keys))),
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the file is empty; it should hold at least one trace"),
        ("\ufeff \n", "the file is empty"),
        ('{"id": 1}\n' + '{"x":' * 100_000, "line 2: nested too deeply"),
        ("[{" + '"x":[{' * 100_000, "nested too deeply"),
        ('{"id": ' + "1" * 5000 + "}", "line 1: a number has more than 4,300 digits"),
        (f"[[traces]]\nid = 0x{'f' * 5000}\n", "a number has more than 4,300 digits"),
        (
            f'[[traces]]\nid = "a"\nresponse = "r"\nmetadata = {{x = [0b{"1" * 20_000}]}}',
            "a number has more than 4,300 digits",
        ),
        (b'{"id": "\xff"}', "line 1: not UTF-8: byte 0xff begins no character"),
        *cases(r"""
[] → there is no trace in it
# nothing⏎ → there is no trace in it
{"traces": []} → there is no trace in it
id: a⏎response: b⏎ → this is neither TOML, nor JSON Lines, nor a JSON array; write one JSON object a
id,response⏎1,2⏎ → this is neither TOML, nor JSON Lines
"text"⏎ → this is neither TOML, nor JSON Lines
[{"id": 1},⏎{"id"}] → line 2, column 6: not valid JSON: expecting ':' delimiter
{⏎"id": 1,⏎"response" 2⏎} → line 3, column 12: not valid JSON
{"id": 1}⏎{"id": 2⏎ → line 2, column 9: not valid JSON: expecting ',' delimiter
{"id": 1, ⏎{"id": 2}⏎ → line 1, column 11: not valid JSON
{"id": 1, "response": "a", "response": "b"} → line 1: the key "response" is given twice
[{"id": 1, "id": 2}] → the key "id" is given twice
{"id": 1}⏎5 → line 2: a trace must be a table (a JSON object), not the number 5
[5] → [0]: a trace must be a table (a JSON object), not the number 5
[{"id": 1}, {"id": 2, "epoch": "x"}] → [1].epoch: must be a whole number
[[traces]]⏎id = ⏎ → line 2, column 6: not valid TOML
[[traces]]⏎id = false → traces[0].id: must be text in quotes, not false
[traces]⏎id = 1 → traces: must be a list of tables, not a table; write each trace under its own [[traces]]
[[trace]]⏎id = 1 → trace: there is no key "trace" outside of traces; write [[traces]]
[[samples]]⏎id = 1 → every trace goes under its own [[traces]]
[[metric_traits]]⏎name = 'x' → this belongs to a rubric, not to a file of traces; name the rubric first
[[traits]]⏎name = 'x' → this belongs to a rubric, not to a file of traces; name the rubric first
[[manual_traits]]⏎name = 'x' → this belongs to a rubric, not to a file of traces; name the rubric first
format = 'appellate-audit/1' → format: this is an audit, not a file of traces
traces = [1] → traces[0]: a trace must be a table (a JSON object), not the number 1
{"id": "a", "metadata": {"k": ["\ud800"]}} → line 1: metadata.k[0]: holds a lone surrogate
{"id": "a", "response": "\uDFFF!"} → line 1: response: holds a lone surrogate, half a character; write both
{"id": "a", "\udc00": 1} → line 1: "\udc00": this key holds a lone surrogate
[{"id": "a", "judgments": {"t": {"tp": ["\ud83d"]}}}] → [0].judgments.t.tp[0]: holds a lone
"""),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_one_sentence(problems, content, said):
    if isinstance(content, str):
        content = content.replace("⏎", "\n")
    assert said in only(problems(content))


def test_all_faults_of_a_file_come_at_once(problems):
    told = problems(
        '{"id": 1, "epoch": "x", "model": 5}\nnot json\n{"response": "r"}\n{"id": 1}',
    )
    assert [line.split(":")[0] + line.split(":")[1] for line in told] == [
        "line 1 epoch",
        "line 1 model",
        "line 2, column 1 not valid JSON",
        "line 3 id",
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes have no names there")
def test_a_pipe_that_has_a_name_is_read_to_its_end(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "a", "response": "x"}')
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    line = b'{"id": "b", "response": "y"}'
    writer = threading.Thread(target=pipe.write_bytes, args=[line], daemon=True)
    writer.start()
    read_in_turn = read_traces([tmp_path / "a.jsonl", pipe])
    assert (read_in_turn.problems, len(read_in_turn.value)) == ([], 2)


def test_a_full_disk_of_temporary_files_is_told_and_yields_no_half_of_a_file(
    read,
    tmp_path,
    monkeypatch,
):
    def connect_to_full_disk(*arguments, **settings):
        db = sqlite3.Connection(*arguments, **settings)
        db.execute("PRAGMA max_page_count = 4")
        return db

    monkeypatch.setattr(sqlite3, "connect", connect_to_full_disk)
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))  # Python knows nothing of it
    loaded = read(
        lines(*({"id": "i" * 3000 + str(n), "response": "x"} for n in range(9))),
    )
    assert loaded.value == []
    problem = only(loaded.problems)
    assert "there is no room for temporary files in" in problem.wrong
    assert f" in {tmp_path} (" in problem.wrong
    assert "TMPDIR" in problem.right


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(Unusable, match="there is no such file"):
        load_traces(tmp_path / "none.jsonl")


def test_an_escaped_emoji_is_no_lone_surrogate(read):
    assert (
        only(read('{"id": "a", "response": "\\ud83d\\ude00"}').usable()).response
        == "😀"
    )


def test_null_bytes_and_escape_sequences_load_as_they_are(read):
    text = "\0\x1b[31m[/x]\u202e"
    assert one(read, question=text).question == text


def test_a_repeated_id_is_told_with_the_first_place(problems):
    told = only(problems(lines({"id": "1"}, {"id": 1, "epoch": 2}, {"id": 1})))
    assert told.startswith(
        'line 3: id: the id "1" with epoch 1 stands already at line 1; give each trace',
    )


def test_a_repeated_id_is_found_over_files(tmp_path):
    (tmp_path / "a").write_text('{"id": 1, "response": "r"}')
    (tmp_path / "b").write_text('[{"id": 1, "response": "r"}]')
    (problem,) = read_traces([tmp_path / "a", tmp_path / "b"]).problems
    assert str(problem) == (
        f'{tmp_path / "b"}: [0].id: the id "1" with epoch 1 stands already at {tmp_path / "a"}: line 1; '
        "give each trace its own id, or its own epoch"
    )


def test_every_fault_of_a_trace_says_which_trace_it_is_of(problems):
    bad = {"id": "a", "epoch": 2, "response": 5, "judgments": {"x y": 5}}
    told = problems(
        lines(bad, {"id": 7, "question_id": "q11"}, {"response": "r"}),
        RUBRIC,
    )
    assert [one.rpartition(" (")[2] for one in told[:3]] == [
        'trace "a#2")',
        'trace "a#2")',
        'trace "7")',
    ]
    assert told[3] == "line 3: id: is missing"


def test_several_files_are_read_as_one(tmp_path):
    (tmp_path / "a").write_text('{"id": 1, "response": "r"}')
    (tmp_path / "b").write_text("[[traces]]\nid = 2\nresponse = 'r'")
    assert [
        trace.id for trace in read_traces([tmp_path / "a", tmp_path / "b"]).usable()
    ] == [
        "1",
        "2",
    ]


# traces and their rubric


def test_a_trace_gets_the_global_traits_and_its_questions():
    assert list(RUBRIC.traits_of(Trace(id="1", question="Q?"))) == ["g", "x y"]
    assert list(RUBRIC.traits_of(Trace(id="1"))) == ["g"]


MANY = Rubric(questions=[{"id": f"q{i}", "metric_traits": [FULL]} for i in range(1001)])


@pytest.mark.parametrize(
    ("rubric", "name", "guess"),
    [(RUBRIC, "q11", '; did you mean "q1"?'), (RUBRIC, "zzz", ""), (MANY, "q1001", "")],
    ids=["one comes near it", "no other comes near it", "there are very many"],
)
def test_an_unknown_question_id_is_an_error(problems, rubric, name, guess):
    assert problems(
        lines({"id": 1, "question_id": name, "question": "Q?"}),
        rubric,
    ) == [
        f'line 1: question_id: the rubric has no question with the id "{name}"{guess} (trace "1")',
    ]


def test_guesses_end_where_a_whole_file_is_wrong(problems):
    told = problems(
        lines(*({"id": i, "question_id": "q11"} for i in range(12))),
        RUBRIC,
    )
    assert ["did you mean" in line for line in told] == [True] * 10 + [False] * 2


def test_a_trace_that_gets_no_trait_is_noted(read):
    loaded = read(
        lines(
            {"id": 1, "question": "Q?", "response": "r"},
            {"id": "b\x1b", "response": "r"},
        ),
        BARE,
    )
    assert loaded.notes == ['1 trace gets no trait: "b\\x1b"']
    assert len(loaded.usable()) == 2


def test_many_traces_that_get_no_trait_are_noted_in_part(read):
    traces = [{"id": i, "response": "r"} for i in range(12)]
    loaded = read(
        lines({"id": "q", "question_id": "q1", "response": "r"}, *traces),
        BARE,
    )
    assert loaded.notes[0].startswith('12 traces get no trait: "0", "1"')
    assert loaded.notes[0].endswith('"9" and 2 more')


def test_no_trace_with_any_trait_is_an_error(problems):
    assert "no trace gets any trait" in only(
        problems(lines({"id": 1, "question": "q?", "response": "r"}), BARE),
    )


# recorded labels


def labelled(**table):
    return lines(
        {"id": 1, "question_id": "q1", "response": "r a", "judgments": {"x y": table}},
    )


def test_recorded_labels_are_kept_and_counted(read):
    table = {
        "name": "m",
        "tp": ["a"],
        "fp": ["r"],
        "items": [
            {"bucket": "tp", "index": 0, "instruction": 1, "of": "tp"}
            | {"start": 2, "end": 3, "rationale": "why"},
            {"bucket": "fp", "index": 0, "instruction": 1},
        ],
    }
    loaded = read(labelled(**table), RUBRIC)
    assert only(loaded.usable()).judgments == {"x y": table}
    assert loaded.notes == ["1 of 2 cells carry recorded labels."]


@pytest.mark.parametrize(
    ("table", "said"),
    cases("""
{} → judgments."x y": has none of the lists tp, fn, fp, tn; write tp = [] where there is nothing
{"tp": "a"} → .tp: must be a list of texts, not the text "a"
{"tp": ["a", null]} → .tp[1]: must be text, not null
{"tp": [], "tps": []} → .tps: there is no key "tps"; did you mean "tp"?
{"tp": [], "items": {}} → .items: must be a list of tables, not a table
{"tp": [], "items": [1]} → .items[0]: must be a table, not the number 1
{"tp": [], "items": [{"bucket": "ok"}]} → .bucket: must be "tp", "fn", "fp" or "tn", not the text "ok"
{"tp": [], "items": [{"index": 0}]} → .items[0].bucket: must be
{"tp": [], "items": [{"bucket": ["tp"], "index": 0}]} → .items[0].bucket: must be
{"tp": [], "items": [{"bucket": "tp", "index": 0}]} → must be a position in tp, which has 0 items from 0
{"tp": ["a"], "items": [{"bucket": "tp"}]} → .items[0].index: must be a position in tp, which has 1
{"tp": ["a"], "items": [{"bucket": "tp", "index": false}]} → .items[0].index: must be
"""),
)
def test_a_wrong_shape_of_recorded_labels_is_told(problems, table, said):
    told = only(problems(labelled(**json.loads(table)), RUBRIC))
    assert told.startswith('line 1: judgments."x y"')
    assert said in told


@pytest.mark.parametrize(
    ("keys", "said"),
    cases("""
{"instruction": 2} → instruction: there is no tp instruction 2: the trait has 1
{"instruction": 1, "of": "tn"} → of: an item of tp answers "tp" instructions, not "tn"
{"bucket": "fp", "instruction": 2} → instruction: there is no tn instruction 2: the trait has 1
{"bucket": "fp", "instruction": 1, "of": "fp"} → instruction: there is no fp instruction 1: the trait has 0
{"bucket": "fp", "of": "tp"} → of: an item of fp answers "tn" or "fp" instructions, not "tp"
{"instruction": 0} → instruction: must be an instruction's number from 1, not the number 0
{"instruction": "1"} → instruction: must be an instruction's number from 1
{"of": "fn"} → of: must be "tp", "tn" or "fp", not the text "fn"
{"start": 1} → start: start and end must both be whole numbers, not the number 1 and missing
{"start": 2, "end": 4} → start: start 2 and end 4 mark no part of a response of 3 characters
{"start": 2, "end": 2} → mark no part
{"rationale": 5} → rationale: must be text, not the number 5
{"instructions": 1} → instructions: there is no key "instructions"; did you mean "instruction"?
"""),
)
def test_a_wrong_detail_of_a_recorded_item_is_told(problems, keys, said):
    item = {"bucket": "tp", "index": 0} | json.loads(keys)
    told = only(problems(labelled(tp=["a"], fp=["a"], items=[item]), RUBRIC))
    assert told.startswith('line 1: judgments."x y".items[0].')
    assert said in told


@pytest.mark.parametrize(
    ("trait", "table"),
    [
        (
            "x y",
            {"tp": ["a"], "fn": ["a"], "fp": ["n"], "tn": ["n"]}
            | {
                "items": [
                    {"bucket": name, "index": 0, "instruction": 1} for name in BUCKETS
                ],
            },
        ),
        (
            "g",
            {
                "fp": ["h"],
                "items": [{"bucket": "fp", "index": 0, "instruction": 1, "of": "fp"}],
            },
        ),
        ("g", {"tn": ["t"], "items": [{"bucket": "tn", "index": 0, "instruction": 4}]}),
        (
            "x y",
            {"tp": ["r … a"]}
            | {
                "items": [
                    {"bucket": "tp", "index": 0, "start": n, "end": n + 1}
                    for n in (0, 2)
                ],
            },
        ),
    ],
    ids=[
        "a link without its list is one of the list that its bucket is about",
        "a hint",
        "true negatives of a trait that is tp_only stay in the record",
        "an excerpt that stands in two places has two items",
    ],
)
def test_recorded_labels_may_say(problems, trait, table):
    given = {
        "id": 1,
        "question_id": "q1",
        "response": "r a",
        "judgments": {trait: table},
    }
    assert problems(lines(given), RUBRIC) == []


def test_nulls_of_recorded_labels_are_left_out(read):
    items = [{"bucket": "tp", "index": 0, "start": None, "rationale": None}]
    given_table = {
        "tp": ["a"],
        "fn": None,
        "model": None,
        "parameters": {"stop": [None, "x"]},
        "items": items,
    }
    table = {
        "tp": ["a"],
        "parameters": {"stop": ["x"]},
        "items": [{"bucket": "tp", "index": 0}],
    }
    assert only(read(labelled(**given_table), RUBRIC).usable()).judgments == {
        "x y": table,
    }


def test_without_a_rubric_the_shape_alone_is_checked(problems):
    items = [{"bucket": "tp", "index": 0, "instruction": 99}]
    assert (
        problems(lines({"id": 1, "judgments": {"any": {"tp": ["a"], "items": items}}}))
        == []
    )
    assert "must be text" in only(
        problems(lines({"id": 1, "judgments": {"any": {"tp": [1]}}})),
    )


@pytest.mark.parametrize(
    ("keys", "said"),
    cases("""
{"judgments": {"G": {}}} → the rubric has no trait "G" for this trace; its traits are "g"
{"judgments": {"gg": {}}} → the rubric has no trait "gg" for this trace; did you mean "g"?
{"judgments": {"x y": {}}} → the trait "x y" belongs to another question than this trace's
"""),
)
def test_labels_for_a_trait_that_the_trace_has_not_are_an_error(problems, keys, said):
    assert said in only(problems(lines({"id": 1} | json.loads(keys)), RUBRIC))


def test_labels_for_a_trait_of_a_rubric_that_gives_the_trace_none(problems):
    told = problems(
        lines({"id": 1, "judgments": {"z": {}}}, {"id": 2, "question_id": "q1"}),
        BARE,
    )
    assert only(told).endswith('the rubric has no trait "z" for this trace (trace "1")')


# skipping


BAD = '{"id": 1, "response": "r"}\nnot json\n{"id": 2, "epoch": "x"}\n{"id": 1}\n{"id": 3, "response": "r"}'


def test_bad_traces_are_skipped_and_told_where_asked(read):
    loaded = read(BAD, skip_bad=True)
    assert [trace.id for trace in loaded.usable()] == ["1", "3"]
    assert [problem.place for problem in loaded.skipped] == [
        "line 2, column 1",
        "line 3: epoch",
        "line 4: id",
    ]


def test_bad_traces_make_the_file_unusable_otherwise(read):
    loaded = read(BAD)
    assert len(loaded.problems) == 3
    assert loaded.skipped == []


def test_nothing_good_left_is_unusable_all_the_same(read):
    assert "id: is missing" in str(
        only(read('{"response": "r"}', skip_bad=True).problems),
    )


def test_a_broken_file_is_not_skipped(tmp_path):
    (tmp_path / "a").write_text('{"id": 1, "response": "r"}')
    loaded = read_traces([tmp_path / "a", tmp_path / "none"], skip_bad=True)
    assert "there is no such file" in str(only(loaded.problems))


def test_a_cut_first_line_is_skipped_like_any_other(read):
    loaded = read('{"id": 1, "respo\n{"id": 2, "response": "r"}', skip_bad=True)
    assert [trace.id for trace in loaded.usable()] == ["2"]


# laws

WORDS = st.text(st.characters(codec="utf-8"), max_size=10)
SCALARS = (
    st.booleans() | st.integers(-(2**62), 2**62) | st.floats(allow_nan=False) | WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(WORDS, v, max_size=3),
    max_leaves=5,
)
TRACE = st.fixed_dictionaries(
    {"response": WORDS},
    optional={
        "epoch": st.integers(0, 9),
        "question": WORDS,
        "reference": WORDS | st.lists(WORDS, max_size=2),
        "choices": st.lists(WORDS, max_size=2),
        "documents": st.lists(
            WORDS | st.fixed_dictionaries({"id": WORDS, "text": WORDS}),
            max_size=2,
        ),
        "cluster": WORDS | st.integers(0, 9),
        "metadata": st.dictionaries(WORDS, VALUES, max_size=3),
        "messages": st.lists(
            st.fixed_dictionaries({"role": WORDS, "content": WORDS}),
            max_size=2,
        ),
        "extra": VALUES,
    },
)


@given(st.lists(TRACE, min_size=1, max_size=3))
def test_the_same_traces_load_equal_from_every_form(tmp_path_factory, traces):
    path = tmp_path_factory.getbasetemp() / "same"
    given_traces = [{"id": index, **trace} for index, trace in enumerate(traces)]
    forms = [
        "\n".join(map(json.dumps, given_traces)),
        lines(*given_traces),
        json.dumps(given_traces, indent=1),
        tomli_w.dumps({"traces": given_traces}),
    ]
    loaded = []
    for form in forms:
        path.write_bytes(form.encode())
        loaded.append(load_traces(path))
    assert all(other == loaded[0] for other in loaded)
    assert [trace.response for trace in loaded[0]] == [
        trace["response"] for trace in traces
    ]


# -- one by one -------------------------------------------------------------------------------------


def stream_of(*records):
    return io.BytesIO(
        b"".join(json.dumps(record).encode() + b"\n" for record in records),
    )


def test_json_lines_are_read_as_the_traces_are_gone_through():
    stream = stream_of(*({"id": str(n), "response": "r" * 1000} for n in range(99)))
    coming = iter(TraceReading(["-"], stdin=stream))
    assert next(coming).id == "0"
    assert stream.tell() < 3000
    assert [trace.id for trace in coming] == [str(n) for n in range(1, 99)]


def test_behind_the_first_problem_no_trace_is_handed_out_and_every_problem_is_told_at_the_end():
    stream = stream_of({"id": "a"}, {"id": 1.5}, {"id": "b"}, {"id": "a"})
    reading, got = TraceReading(["-"], stdin=stream), []
    with pytest.raises(Unusable) as refusal:
        got.extend(reading)
    assert [trace.id for trace in got] == ["a"]
    assert [problem.place for problem in refusal.value.problems] == [
        "line 2: id",
        "line 4: id",
    ]


def test_bytes_that_are_no_text_are_told_with_their_line_beside_the_other_problems():
    stream = io.BytesIO(
        b'\xef\xbb\xbf  {"id": "a"}\n\n{"id": 1.5}\n\n{"id": "\xff"}\n{"id": "b"}',
    )
    loaded = read_traces("-", stdin=stream)
    assert [problem.place for problem in loaded.problems] == ["line 5", "line 3: id"]


def test_how_far_the_reading_has_come_is_told_by_bytes(tmp_path):
    path, heard = tmp_path / "t.jsonl", []
    path.write_bytes(
        stream_of(*({"id": str(n), "response": ""} for n in range(500))).getvalue(),
    )
    assert (
        len(
            list(
                TraceReading(
                    [path],
                    on_progress=lambda count, part: heard.append(
                        (count, round(part, 1)),
                    ),
                ),
            ),
        )
        == 500
    )
    assert heard == [(99, 0.2), (199, 0.4), (299, 0.6), (399, 0.8), (499, 1.0)]


# -- labels without a rubric -----------------------------------------------------------------------


def test_labels_are_held_to_the_kind_that_they_look_like():
    trace = Trace(id="t", response="BCL2 is a gene.")
    (fault,) = label_faults({"verdict": "yes"}, trace, None)
    assert fault.wrong.startswith("has none of the keys of any labels: ")
    assert "or tp, fn, fp, tn or" in fault.wrong
    found = list(label_faults({"tp": ["BCL2"], "fn": "all", "fnn": []}, trace, None))
    assert [fault.path for fault in found][:1] == [("fnn",)]
    assert any(fault.path == ("fn",) for fault in found)
    assert list(label_faults({"value": True, "name": "gpt"}, trace, None)) == []


def test_every_problem_of_traces_is_found_whatever_they_are_for(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"id": "a", "response": "x"}\n{"id": 1.5, "response": "x"}\n{"id": "a", "response": 2}\n',
    )
    assert len(TraceReading([path]).problems()) == 2
    path.write_text('{"id": "a", "response": "x"}\n')
    assert TraceReading([path]).problems() == []


def test_how_much_is_read_is_unknown_where_nobody_knows_how_much_there_is():
    heard = []
    lines = b"".join(
        b'{"id": "t%d", "response": "x"}\n' % number for number in range(2500)
    )
    reading = TraceReading(
        ["-"],
        stdin=io.BytesIO(lines),
        on_progress=lambda count, part: heard.append(part),
    )
    assert len(list(reading)) == 2500
    assert heard
    assert set(heard) == {None}
