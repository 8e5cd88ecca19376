"""`appellate batch`: out to files and back, and a server's Batch API from submitting to fetching."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from appellate import load_audit
from appellate.cli import main
from appellate.core.deciding import Flag
from appellate.judges.reply_cache import open_cache
from appellate.judging import batches
from appellate.judging.batches import SubmittedFile
from appellate.judging.run import BrokenDown
from appellate.session.workbench import Workbench
from appellate.store.audits.open_audit import AuditFiles, resume
from batch_stage import (
    CELLS,
    Line,
    answered,
    answers,
    batch_api,
    lines,
    requests,
    written,
)
from loopback import Answer, completion, error


@pytest.fixture
def files(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "config"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    return written(tmp_path)


def exported(*more: str, out: str = "b.jsonl") -> list[Line]:
    paths = ["t.audit.toml"] if Path("t.audit.toml").exists() else ["r.toml", "t.jsonl"]
    assert (
        main(["batch", "export", *paths, "-o", out, "--model", "judge-1", *more]) == 0
    )
    return requests(Path(out))


def imported(*files: str) -> int:
    return main(["batch", "import", "t.audit.toml", *files])


def put(rows: list[Line], name: str = "out.jsonl") -> str:
    Path(name).write_bytes(lines(rows))
    return name


def cells() -> list[Any]:
    return [one.cell for one in load_audit("t.audit.toml").cells]


def states() -> list[str]:
    return [cell.state for cell in cells()]


def test_commands_are_told_as_a_shell_takes_them(files, api, monkeypatch, capsys):
    (files / "my audits").mkdir()
    monkeypatch.chdir(files / "my audits")
    line = ["../r.toml", "../t.jsonl", "--model", "judge-1", "-o", "b.jsonl"]
    audit = "../my audits/t.audit.toml"
    assert main(["batch", "export", *line, "--audit", audit]) == 0
    assert f"`appellate batch import '{audit}' ANSWERS…`" in capsys.readouterr().err
    line = ["batch", "submit", audit, "--model", "judge-1", "--base-url", api.url]
    assert main(line) == 0
    assert f"`appellate batch fetch '{audit}'` takes" in capsys.readouterr().err
    assert main(line) == 2
    assert f"with `appellate batch fetch '{audit}'`" in capsys.readouterr().err


# -- by files -------------------------------------------------------------------------------------


def test_the_missing_cells_are_exported_without_a_key_grouped_by_trace(files, capsys):
    made = exported()
    assert "6 requests to judge-1 in b.jsonl." in capsys.readouterr().err
    assert [line["custom_id"].split("-")[0] for line in made] == [
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
    ]
    assert {(line["method"], line["url"], line["body"]["model"]) for line in made} == {
        ("POST", "/v1/chat/completions", "judge-1"),
    }
    users = [line["body"]["messages"][1]["content"] for line in made]
    assert [
        text in user
        for text, user in zip(
            ["100 degrees", "100 degrees", "stone"],
            users,
            strict=False,
        )
    ] == [True] * 3


def test_custom_ids_are_unique_and_safe_for_every_engine(files):
    ids = [line["custom_id"] for line in exported()]
    assert len(set(ids)) == CELLS
    assert all(
        len(name) <= 64 and name.replace("-", "").isalnum() and name.isascii()
        for name in ids
    )


def test_no_response_breaks_a_line_whoever_reads_it(files):
    response = "Ice\u2028floats\x85on\u2029water\x0b. 😀"
    Path("t.jsonl").write_text(json.dumps({"id": "x", "response": response}) + "\n")
    made = exported()
    assert len(Path("b.jsonl").read_text().splitlines()) == len(made) == 2
    assert (
        "Ice\u2028floats\x85on\u2029water\x0b. 😀"
        in made[0]["body"]["messages"][1]["content"]
    )


def test_what_is_answered_becomes_judgments_like_live_ones(files, capsys):
    put(answers(exported()))
    assert imported("out.jsonl") == 0
    assert "t.audit.toml: 6 judged." in capsys.readouterr().err
    judge = cells()[0].judge.judge
    assert states() == ["proposed"] * CELLS
    assert (judge["model"], judge["tokens_in"], judge["parameters"]["batch"]) == (
        "judge-1",
        100,
        True,
    )
    assert len(judge["prompt_sha256"]) == 64
    assert cells()[0].labels.tp[0].text == "Water boils at 100 degrees Celsius."


def test_rules_that_cannot_be_computed_any_further_are_a_sentence(
    files,
    monkeypatch,
    capsys,
):
    async def break_down(_: object) -> None:
        raise BrokenDown("The judge stopped with an error (no process).")

    monkeypatch.setattr("appellate.cli.batch.compute", break_down)
    put(answers(exported()))
    assert imported("out.jsonl") == 1
    assert "stopped with an error" in capsys.readouterr().err


def test_the_order_of_lines_and_files_does_not_matter_nor_does_twice(files, capsys):
    made = answers(exported())
    put(made[3:][::-1], "second.jsonl")
    put(made[:4], "first.jsonl")
    assert imported("second.jsonl", "first.jsonl") == 0
    once = Path("t.audit.toml").read_bytes()
    assert "6 judged, 1 there already" in capsys.readouterr().err
    assert imported("first.jsonl", "second.jsonl") == 0
    assert "7 there already" in capsys.readouterr().err
    assert (
        Path("t.audit.toml").read_bytes().split(b"\n", 2)[2] == once.split(b"\n", 2)[2]
    )


def test_an_import_says_how_much_of_the_sample_can_be_reviewed(files, capsys, cli):
    made = answers(exported())  # two cells a trace, grouped by trace
    cli("sample t.audit.toml -n 3")
    for rows, said in (
        (made[:1], "Of 3 in the sample, 0 (0%) can be reviewed now."),
        (made[1:2], "Of 3 in the sample, 1 (33%) can be reviewed now."),
        (made, "Of 3 in the sample, 3 (100%) can be reviewed now."),
    ):
        assert imported(put(rows)) == 0
        assert said in capsys.readouterr().err


def test_without_a_sample_an_import_says_nothing_of_one(files, capsys):
    put(answers(exported()))
    assert imported("out.jsonl") == 0
    assert "sample" not in capsys.readouterr().err


def test_a_failed_request_is_a_failed_cell_with_its_reason_once(files, capsys):
    made = exported()
    bad = {
        "custom_id": made[0]["custom_id"],
        "response": {"status_code": 400, "body": {"error": {"message": "No."}}},
    }
    put([*answers(made[1:]), bad, bad])
    assert imported("out.jsonl") == 1
    assert (
        "5 judged, 1 failed, 1 there already. 1 cell missing."
        in capsys.readouterr().err
    )
    assert cells()[0].error.error == "The batch answered 400: No."
    assert len(cells()[0].facts) == 1
    put(answers(made[:1]))
    assert imported("out.jsonl") == 0
    assert states() == ["proposed"] * CELLS


def test_a_request_that_a_batch_refuses_for_length_says_so_and_what_to_do(files):
    made = exported()
    body = {"error": {"message": "prompt is too long: 213462 tokens > 200000 maximum"}}
    put(
        [
            {
                "custom_id": made[0]["custom_id"],
                "response": {"status_code": 400, "body": body},
            },
            {
                "custom_id": made[1]["custom_id"],
                "response": {"status_code": 200, "body": body},
            },
        ],
    )
    assert imported("out.jsonl") == 1
    for cell in cells()[:2]:
        assert (
            "too long for judge-1: 213,462 tokens, and it takes 200,000 at most"
            in cell.error.error
        )
        assert "Nothing was cut." in cell.error.error


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (completion({}), "gave no usable reply"),
        (completion('{"tp_answers": [', "length"), "cut"),
        (
            completion(None, refusal="I would rather not."),
            "refused: I would rather not",
        ),
        (Answer({"choices": None, "id": "x"}), "not a judgment"),
    ],
    ids=["empty", "cut", "refusal", "no-choices"],
)
def test_an_answer_that_would_not_do_live_does_not_do_here(files, reply, why):
    made = exported()
    put(
        [
            {
                "custom_id": made[0]["custom_id"],
                "response": {"status_code": 200, "body": reply.body},
            },
        ],
    )
    assert imported("out.jsonl") == 1
    assert why in cells()[0].error.error
    assert states()[1:] == ["pending"] * (CELLS - 1)


def test_a_key_that_answers_quote_is_written_nowhere(files, monkeypatch):
    monkeypatch.setenv("BATCH_KEY", "geheim-7654321")
    first, second, *_ = answers(exported("--api-key-env", "BATCH_KEY"))
    message = first["response"]["body"]["choices"][0]["message"]
    message["content"] = message["content"].replace(
        '"rationale": "',
        '"rationale": "geheim-7654321 ',
    )
    bad = {
        "status_code": 401,
        "body": {"error": {"message": "No such key: geheim-7654321"}},
    }
    put([first, second | {"response": bad}], "out.jsonl")
    assert imported("out.jsonl") == 1
    assert cells()[0].labels.tp[0].rationale.startswith("[key]")
    assert cells()[1].error.error == "The batch answered 401: No such key: [key]"
    Path("out.jsonl").unlink()
    assert not [
        path
        for path in files.iterdir()
        if path.is_file() and b"geheim" in path.read_bytes()
    ]


def test_lines_that_name_no_cell_or_are_broken_are_listed_and_the_rest_is_kept(
    files,
    capsys,
):
    made = answers(exported())
    stranger = made[0] | {"custom_id": "task-17"}
    elsewhere = made[0] | {
        "custom_id": made[0]["custom_id"].replace("1-1-", "99-1-", 1),
    }
    other = made[0] | {"custom_id": made[0]["custom_id"].replace("1-1-", "2-1-", 1)}
    Path("out.jsonl").write_bytes(
        b"{oops\n\n"
        + lines([stranger, elsewhere, other, *made])
        + b'{"custom_id": "1-1',
    )
    assert imported("out.jsonl") == 1
    told = capsys.readouterr().err
    assert "out.jsonl: line 1 is not JSON" in told
    assert (
        'out.jsonl: line 3 has the custom_id "task-17", and no cell here has it' in told
    )
    assert "line 5 is about cell 2 with another text or trait than it has now" in told
    assert "line 12 ends in the middle: the file is not complete yet" in told
    assert "6 judged, 3 about no cell of this audit, 2 unreadable." in told


def test_a_file_with_nothing_of_this_audit_is_unusable(files, capsys):
    made = exported()
    put([answered(made[0]) | {"custom_id": f"x{number}"} for number in range(30)])
    assert imported("out.jsonl") == 2
    assert "… and 10 more." in capsys.readouterr().err
    assert imported("b.jsonl") == 2
    assert "is a request, not an answer" in capsys.readouterr().err
    assert imported("nowhere.jsonl", "nor.jsonl") == 2
    assert capsys.readouterr().err.count("there is no such file") == 2


def test_only_what_is_missing_is_exported_again(files, cli):
    put(answers(exported()[:4]))
    assert imported("out.jsonl") == 0
    rest = exported(out="rest.jsonl")
    assert [line["custom_id"].split("-")[0] for line in rest] == ["5", "6"]
    put(answers(rest))
    assert imported("out.jsonl") == 0
    assert (
        "there is nothing to ask"
        in cli("batch export t.audit.toml -o none.jsonl --model m").err
    )
    assert not Path("none.jsonl").exists()


def test_an_answer_about_words_that_were_changed_since_is_not_taken(files, capsys):
    made = answers(exported())
    Path("r2.toml").write_text(
        Path("r.toml")
        .read_text()
        .replace("Says that ice sinks", "Says that ice burns"),
    )
    assert main(
        ["judge", "t.audit.toml", "--revise", "r2.toml", "--judge", "recorded"],
    ) in (0, 1)
    put(made)
    assert imported("out.jsonl") == 1
    assert "3 judged, 3 about no cell of this audit" in capsys.readouterr().err


def test_an_answer_about_a_trait_that_is_only_measured_otherwise_is_taken(
    files,
    capsys,
    cli,
):
    made = answers(exported())
    Path("r2.toml").write_text(
        Path("r.toml").read_text().replace('["recall"]', '["recall", "f1"]'),
    )
    cli("judge t.audit.toml --revise r2.toml --judge recorded")
    put(made)
    assert imported("out.jsonl") == 0
    assert "6 judged." in capsys.readouterr().err


def test_examples_are_remembered_as_they_were_shown(files):
    made = exported()
    put(answers(made[:4]))
    assert imported("out.jsonl") == 0
    for number in range(1, 5):
        signed_off(number)
    shown = exported("--few-shot", "1", out="shown.jsonl")
    signed_off(4, flag=True)
    put(answers(shown))
    assert imported("out.jsonl") == 0
    judges = [cell.judge.judge for cell in cells()[4:]]
    assert [len(judge["examples"]) for judge in judges] == [1, 1]
    assert all(len(judge["prompt_sha256"]) == 64 for judge in judges)


def signed_off(number: int, *, flag: bool = False) -> None:
    with resume(AuditFiles.of(Path("t.audit.toml"))).workspace as workspace:
        bench = Workbench(workspace, Path("t.audit.toml"), "ada")
        bench.do(number, Flag(on=True)) if flag else bench.sign_off(number)
        bench.save()


def test_a_later_round_comes_beside_the_first(files, capsys):
    put(answers(exported()))
    assert imported("out.jsonl") == 0
    again = exported("--again", out="again.jsonl")
    assert {line["custom_id"].split("-")[1] for line in again} == {"2"}
    put(answers(again), "again-out.jsonl")
    assert imported("out.jsonl", "again-out.jsonl", "again-out.jsonl") == 0
    assert "6 judged, 12 there already" in capsys.readouterr().err
    assert {cell.round for cell in cells()} == {2}


def test_a_profile_may_ask_by_responses(files, cli):
    (files / "config").mkdir()
    profile = '[judges.fast]\nmodel = "r1"\napi = "responses"\nparams = { seed = 7 }\n'
    (files / "config" / "config.toml").write_text(profile)
    cli("batch export r.toml t.jsonl -o b.jsonl --judge fast")
    (first, *_) = requests(Path("b.jsonl"))
    assert (first["url"], first["body"]["model"], first["body"]["seed"]) == (
        "/v1/responses",
        "r1",
        7,
    )


@pytest.mark.parametrize(
    ("learnt", "shape"),
    [
        ({}, '{"tp_answers": {"1": {'),
        ({"fields_below": 1}, '{"tp_answers": [{"instruction": 1'),
        ({"rung": "json_object"}, '{"tp_answers": [{"instruction": 1'),
    ],
)
def test_a_request_has_the_shape_that_its_server_takes_and_the_judgment_names_that_prompt(
    files,
    learnt,
    shape,
):
    exported("--base-url", "http://x/v1")
    open_cache(Path("t.audit.db")).learn("chat http://x/v1 judge-1", learnt)
    made = exported("--base-url", "http://x/v1", out="again.jsonl")
    assert all(shape in line["body"]["messages"][1]["content"] for line in made)
    assert imported(put(answers(made))) == 0
    hashes = [cell.judge.judge["prompt_sha256"] for cell in cells()]
    assert [one[:12] for one in hashes] == [
        line["custom_id"].rpartition("-")[2] for line in made
    ]


def test_an_answer_about_a_cell_that_a_rule_computes_is_not_taken(files, capsys):
    with Path("r.toml").open("a") as rubric:
        rubric.write('[[regex_traits]]\nname = "Ice in it"\npattern = "ice"\n')
    made = answers(exported())
    numbers = {int(line["custom_id"].partition("-")[0]) for line in made}
    computed = min(set(range(1, 10)) - numbers)
    rest = made[0]["custom_id"].partition("-")[2]
    put([made[0] | {"custom_id": f"{computed}-{rest}"}, *made])
    assert imported("out.jsonl") == 1
    told = capsys.readouterr().err
    assert (
        f"is about cell {computed} with another text or trait than it has now" in told
    )
    assert "6 judged, 1 about no cell of this audit" in told


def test_an_audit_without_its_workspace_takes_the_answers_in_too(files):
    put(answers(exported()))
    for path in files.glob("t.audit.db*"):
        path.unlink()
    assert imported("out.jsonl") == 0
    judge = cells()[0].judge.judge
    assert (judge["model"], judge["parameters"]) == ("loopback-1", {"batch": True})
    assert "prompt_sha256" in judge


def test_answers_are_taken_in_whatever_address_the_shell_has(files, monkeypatch):
    put(answers(exported()))
    monkeypatch.setenv("OPENAI_BASE_URL", "ftp://elsewhere")
    assert imported("out.jsonl") == 0
    assert states() == ["proposed"] * CELLS


def test_each_answer_names_its_model_where_the_workspace_is_gone(files):
    refused, *rest = answers(exported())
    refused["response"] |= {"status_code": 500, "body": {"error": {"message": "Odd."}}}
    put([refused, *rest])
    for path in files.glob("t.audit.db*"):
        path.unlink()
    assert imported("out.jsonl") == 1
    named = [cell.judge.judge["name"] for cell in cells() if cell.judge]
    assert named == ["loopback-1"] * (CELLS - 1)


@pytest.mark.parametrize(
    ("judges", "said"),
    [
        ("", "A batch asks a model"),
        ("--judge lexical", "A batch asks a model"),
        ("--model a --model b", "A batch asks one model"),
    ],
)
def test_a_batch_asks_one_model(files, cli, judges, said):
    assert said in cli(f"batch export r.toml t.jsonl -o b.jsonl {judges}", code=2).err
    assert not [*files.glob("*b.jsonl*"), *files.glob("t.audit.*")]


def test_nothing_of_a_screen_or_a_client_is_loaded_for_files(files):
    put(answers(exported()))
    code = (
        "import sys; from appellate.cli import main; main(['batch', 'import', 't.audit.toml', 'out.jsonl']);"
        "print(sorted({'textual', 'rich', 'openai', 'httpx2'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


# -- by the Batch API -----------------------------------------------------------------------------


@pytest.fixture
def api():
    with batch_api() as server:
        yield server


def submitted(api: Any, *more: str) -> int:
    paths = ["t.audit.toml"]
    if not Path("t.audit.toml").exists():
        assert main(["judge", "r.toml", "t.jsonl", "--judge", "recorded"]) == 0
    return main(
        ["batch", "submit", *paths, "--model", "judge-1", "--base-url", api.url, *more],
    )


def test_from_submitting_to_fetching(files, api, capsys, cli):
    assert submitted(api) == 0
    told = capsys.readouterr().err
    assert (
        f"Submitting 6 requests to judge-1 at {api.url.split('/')[2]} in 1 batch."
        in told
    )
    assert "Answers come within 24 hours" in told
    assert "batch_1: in_progress, 0 of 6 done" in cli("batch status t.audit.toml").out
    cli("batch fetch t.audit.toml")
    assert states() == ["pending"] * CELLS
    api.end("completed")
    cli("batch fetch t.audit.toml")
    assert states() == ["proposed"] * CELLS
    assert cells()[0].judge.judge["parameters"]["base_url"] == api.url
    assert "No batch is under way." in cli("batch fetch t.audit.toml").err
    assert api.batches["batch_1"]["completion_window"] == "24h"
    assert api.batches["batch_1"]["endpoint"] == "/v1/chat/completions"


def test_answers_that_could_not_be_used_when_they_came_are_kept(files, api, cli):
    submitted(api)
    api.end("completed")
    was = Path("r.toml").read_text()
    Path("r2.toml").write_text(
        was.replace("Says that ice sinks", "Says that ice burns"),
    )
    cli("judge t.audit.toml --revise r2.toml --judge recorded")
    assert (
        "What could not be used is saved in t.audit.batch-1.jsonl."
        in cli("batch fetch t.audit.toml", code=1).err
    )
    assert Path("t.audit.batch-1.jsonl").stat().st_mode & 0o777 == 0o600
    assert states().count("proposed") == 3
    cli("judge t.audit.toml --revise r.toml --judge recorded")
    cli("batch import t.audit.toml t.audit.batch-1.jsonl")
    assert states() == ["proposed"] * CELLS


def test_the_cells_of_an_expired_batch_are_missing_again(files, api, cli):
    submitted(api)
    api.end("expired", done=4)
    assert (
        "4 judged, 2 not asked before the batch ended. 2 cells missing."
        in cli("batch fetch t.audit.toml").err
    )
    assert sorted(states()) == ["pending"] * 2 + ["proposed"] * 4
    assert submitted(api) == 0
    assert len(requests_of(api, "batch_2")) == 2


def requests_of(api: Any, batch: str) -> list[Line]:
    return [
        json.loads(line)
        for line in api.files[api.batches[batch]["input_file_id"]].splitlines()
    ]


def test_nothing_is_asked_twice_while_answers_may_come(files, api, capsys):
    submitted(api)
    assert submitted(api) == 2
    assert (
        "import its answers first with `appellate batch fetch t.audit.toml`"
        in capsys.readouterr().err
    )
    assert len(api.batches) == 1


def test_a_batch_whose_beginning_was_not_heard_of_is_found_by_its_file(
    files,
    api,
    capsys,
    cli,
):
    def lost(method: str, path: str) -> Answer | None:
        if (method, path) != ("POST", "/v1/batches"):
            return None
        api._begin({"input_file_id": "file-1", "endpoint": "/v1/chat/completions"})
        return error(500, "The answer got lost.")

    api.faults.append(lost)
    assert submitted(api) == 1
    assert "answered 500: The answer got lost." in capsys.readouterr().err
    assert submitted(api) == 2
    api.faults.clear()
    api.end("completed")
    cli("batch fetch t.audit.toml")
    assert states() == ["proposed"] * CELLS
    assert len(api.batches) == 1


def test_a_batch_that_cannot_be_had_keeps_no_other_from_being_fetched(files, api, cli):
    submitted(api)
    with resume(AuditFiles.of(Path("t.audit.toml"))).workspace as workspace:
        batches.keep_submitted(
            workspace,
            SubmittedFile("file-9", api.url, "judge-1", 1, api.url, id="batch_9"),
        )
    api.faults.append(
        lambda method, path: (
            error(400, "Not today.") if path.endswith("batch_1") else None
        ),
    )
    told = cli("batch fetch t.audit.toml", code=1).err
    assert "answered 400: Not today." in told
    assert "batch_9: " in told
    api.faults.clear()
    api.end("completed")
    cli("batch fetch t.audit.toml")
    assert states() == ["proposed"] * CELLS


def test_a_batch_that_never_began_leaves_its_cells_missing(files, api, cli):
    api.faults.append(
        lambda method, path: (
            error(400, "Not today.")
            if path == "/v1/batches" and method == "POST"
            else None
        ),
    )
    assert submitted(api) == 1
    api.faults.clear()
    assert (
        "knows of no such batch; its 6 cells are missing"
        in cli("batch fetch t.audit.toml", code=1).err
    )
    assert submitted(api) == 0


def test_a_key_is_sent_and_written_nowhere(files, api, monkeypatch, cli):
    monkeypatch.setenv("BATCH_KEY", "geheim-7654321")
    api.faults.append(
        lambda method, path: (
            error(401, "Bad key geheim-7654321.") if method == "GET" else None
        ),
    )
    submitted(api, "--api-key-env", "BATCH_KEY")
    assert api.asked[0][2] == "Bearer geheim-7654321"
    captured = cli("batch status t.audit.toml", code=1)
    assert "answered 401: Bad key [key]." in captured.err
    kept = b"".join(path.read_bytes() for path in files.iterdir() if path.is_file())
    assert "geheim" not in captured.err + captured.out
    assert b"geheim" not in kept
    monkeypatch.delenv("BATCH_KEY")
    assert "BATCH_KEY is not set" in cli("batch status t.audit.toml", code=2).err


@pytest.mark.parametrize(
    "body",
    ["<html>", '{"id": 3, "request_counts": 7, "errors": "no"}'],
)
def test_a_server_that_talks_nonsense_is_told_in_a_sentence(files, api, capsys, body):
    submitted(api)
    api.faults.append(lambda method, path: Answer(body) if method == "GET" else None)
    assert main(["batch", "fetch", "t.audit.toml"]) in (0, 1)
    assert "Traceback" not in capsys.readouterr().err
    assert states() == ["pending"] * CELLS


def test_a_failed_batch_says_why(files, api, cli):
    submitted(api)
    why = {
        "data": [
            {
                "code": "token_limit_exceeded",
                "message": "Enqueued token limit reached.",
                "line": None,
            },
        ],
    }
    api.batches["batch_1"] |= {"status": "failed", "errors": why}
    assert (
        "batch_1: failed: Enqueued token limit reached., 0 of 6 done"
        in cli("batch fetch t.audit.toml", code=1).err
    )
    assert submitted(api) == 0
