"""Two responses in files: what a trace brings, what an audit keeps, what stays hidden in reports."""

import csv
import json

from pairwise_cells import BETTER, OTHER, RESPONSE, judged, judged_with_evidence

from appellate import load_audit
from appellate.cli import main
from appellate.core.trace import Trace
from appellate.interop.rows import write_csv
from appellate.interop.ruled import ruled_cells
from appellate.store.files.trace_record import trace_of
from appellate.store.files.trace_source import Record
from linear.linear_stage import bench_of, told

MESSAGES = [
    {"role": "user", "content": "Which?"},
    {"role": "assistant", "content": "This one.", "note": None},
]
RUBRIC = '[[pairwise_traits]]\nname = "Better"\ndescription = "Which is safer?"\n'


def taken(**other):
    found = trace_of(Record({"id": "1", "response": "a", "other": other}, 1), "t.jsonl")
    return found[0].other if isinstance(found, tuple) else found


def written(folder, *rows):
    (folder / "r.toml").write_text(RUBRIC)
    lines = [json.dumps(row) for row in rows]
    (folder / "t.jsonl").write_text("\n".join(lines))


def row(number, **more):
    other = {"response": "Never.", "model": "secret-beta"}
    return {"id": f"p{number}", "response": "With food.", "other": other, **more}


def test_the_other_response_may_be_the_last_message_of_an_assistant():
    assert taken(messages=MESSAGES).response == "This one."
    assert taken(response="Mine.", id=7).id == "7"


def test_what_is_no_other_response_is_refused_by_its_place():
    (problem,) = taken(respones="a")
    assert "other" in str(problem)
    assert "respones" in str(problem)


def test_an_audit_keeps_both_responses_with_messages_as_they_were(
    tmp_path,
    monkeypatch,
):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, row(1, other={"messages": MESSAGES, "model": "m", "id": "x"}))
    assert (
        main(["judge", "r.toml", "t.jsonl", "--judge", "lexical", "-o", "x.audit.toml"])
        == 0
    )
    text = (tmp_path / "x.audit.toml").read_bytes()
    (trace,) = load_audit(tmp_path / "x.audit.toml").traces
    assert trace.other.messages == MESSAGES
    assert trace.other.response == "This one."
    assert (
        main(["judge", "r.toml", "t.jsonl", "--judge", "lexical", "-o", "x.audit.toml"])
        == 0
    )
    assert (tmp_path / "x.audit.toml").read_bytes() == text


def test_a_dry_run_counts_two_requests_for_each_cell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, row(1), row(2), row(3))
    model = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    assert (
        main(["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml", "--dry-run", *model])
        == 0
    )
    assert "3 cells, 6 requests" in capsys.readouterr().out


def test_a_report_names_no_model_of_a_cell_that_awaits_its_ruling(
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    with bench_of(tmp_path, judged()) as bench:
        told(bench, "a", "a", "q")
        audit = bench.audit
    for shape in ("csv", "json", "md"):
        main(["report", str(audit), "--format", shape])
    printed = capsys.readouterr().out
    assert "secret-beta" not in printed
    open_cells = [line for line in printed.splitlines() if line.startswith("p77,")]
    assert open_cells
    assert "secret" not in "".join(open_cells)


def test_the_trait_reads_a_trace_once_and_its_pair_as_it_is():
    read = BETTER.as_read(Trace(id="1", response="a"))
    assert BETTER.as_read(read) is read
    assert {side.text for side in read.sides} == {"a", ""}


def test_a_batch_leaves_out_cells_that_take_two_requests_and_says_so(
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, row(1), row(2))
    assert (
        main(["judge", "r.toml", "t.jsonl", "--judge", "lexical", "-o", "x.audit.toml"])
        == 0
    )
    main(["batch", "export", "x.audit.toml", "--model", "m", "-o", "requests.jsonl"])
    assert (
        "2 cells take several requests each, so no batch asks"
        in capsys.readouterr().err
    )


def test_probes_count_two_requests_for_each_question(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, row(1), row(2))
    assert (
        main(["judge", "r.toml", "t.jsonl", "--judge", "lexical", "-o", "x.audit.toml"])
        == 0
    )
    model = ["--model", "m", "--base-url", "http://127.0.0.1:9/v1"]
    main(["probe", "x.audit.toml", "--probe", "again", "-n", "2", *model])
    assert "At most 8 requests to send." in capsys.readouterr().err


def test_an_audit_and_its_exports_keep_the_excerpts_and_whose_they_are(tmp_path):
    with bench_of(tmp_path, judged_with_evidence()) as bench:
        told(bench, "a", "a", "1", "a", "q")  # the second ruling is not the judge's
        bench.save()
        audit = load_audit(bench.audit)
    agreed, changed = ruled_cells(audit)
    texts = {"response": RESPONSE, "other": OTHER}
    assert [row["text"] for row in agreed.evidence] == ["ask a doctor", "never take it"]
    for row in agreed.evidence:
        own = texts[row["answer"]]
        assert own[row["answer_start"] : row["answer_end"]] == row["text"]
    assert changed.evidence == []
    assert [excerpt.answer for excerpt in changed.judge_excerpts] == [
        "response",
        "other",
        "other",
    ]
    write_csv(audit, tmp_path)
    with (tmp_path / "items.csv").open(newline="") as file:
        items = list(csv.DictReader(file))
    judge = [item for item in items if item["side"] == "judge"]
    assert [item["answer"] for item in judge] == ["response", "other", "other"] * 2
    assert "ask a doctor" in (tmp_path / "verdicts.csv").read_text()
