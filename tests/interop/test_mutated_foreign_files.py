"""Foreign files that are broken: a sentence with its place, never a traceback, and no file left behind."""

import json
import random
import tomllib
import zipfile

import pytest

from appellate.cli import main

NAMES = (
    "inspect/multi_scorer_14x2.eval",
    "inspect/security-guide.json",
    "inspect/seed_era_0_3_160_12x2.eval",
    "interop/deepeval/test_run_sample.json",
    "interop/handmade/braintrust_rows.jsonl",
    "interop/handmade/langsmith_rows.jsonl",
    "interop/handmade/simple_evals_healthbench_allresults.json",
    "interop/healthbench_graded/only_us_full_score.csv",
    "interop/langfuse/trace_langgraph.json",
    "interop/lm_eval/samples_truthfulqa_gen.jsonl",
    "interop/mlflow/made_traces.jsonl",
    "interop/promptfoo/made_errors.csv",
    "interop/promptfoo/made_errors.jsonl",
    "interop/promptfoo/made_rated_human_v3.json",
    "interop/promptfoo/session1_no_metrics_v3.json",
    "interop/ragas/annotated_data.json",
    "interop/ragas/results_fr.csv",
    "karenina/results.csv",
    "karenina/results_v2.2.json",
    "karenina/taskeval_export.json",
)
OTHER = (
    None,
    0,
    -1,
    1e400,
    "",
    "../../x",
    [],
    {},
    [[]],
    [1],
    {"a": 1},
    True,
    "\ud800",
    "x" * 9999,
)


def mutated(value, chance):
    """JSON with one value put in the place of another, or left out."""
    *path, last = chance.choice(list(walk(value, ())))
    holder = value
    for key in path:
        holder = holder[key]
    if isinstance(holder, dict) and chance.random() < 0.3:
        del holder[last]
    else:
        holder[last] = chance.choice(OTHER)
    return value


def walk(value, path):
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in pairs:
        yield (*path, key)
        if isinstance(below, dict | list):
            yield from walk(below, (*path, key))


def broken(path, chance):
    """The bytes of a file with something wrong in it."""
    data = path.read_bytes()
    how = chance.choice(["cut", "flip", "json", "json", "json"])
    if how == "cut":
        return data[: chance.randrange(len(data))]
    if how == "json" and path.suffix in (".json", ".traj"):
        return json.dumps(mutated(json.loads(data), chance)).encode("utf-8", "replace")
    if how == "json" and path.suffix == ".jsonl":
        rows = [json.loads(line) for line in data.decode().splitlines()]
        return "".join(json.dumps(row) + "\n" for row in mutated(rows, chance)).encode()
    if how == "json" and path.suffix == ".eval":
        return None
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def repacked(path, target, chance):
    """The log with something else in one of its members."""
    from appellate.interop.inspect_log import zipped

    with zipped(path) as log, zipfile.ZipFile(target, "w") as file:
        names = log.namelist()
        wrong = chance.choice([name for name in names if "journal" not in name])
        for name in names:
            data = log.read(name)
            if name == wrong:
                data = json.dumps(mutated(json.loads(data), chance)).encode(
                    "utf-8",
                    "replace",
                )
            file.writestr(name, data)


def check_import(path, capsys):
    """An import ends with 0 or, with a sentence that names the file, with 2; every answer that came
    in says something, has failed, or is an empty text in the file as well.
    """
    audit = path.with_name("x.audit.toml")
    code = main(["import", str(path), "-o", str(audit)])
    said = capsys.readouterr().err
    assert "Traceback" not in said
    if code == 0:
        for trace in tomllib.loads(audit.read_text("utf-8"))["traces"]:
            states = {one["state"] for one in trace.get("judgments", ())}
            if not trace["response"].strip() and not states <= {"failed", "pending"}:
                assert path.suffix == ".eval" or b'""' in path.read_bytes()
    else:
        assert code == 2
        assert str(path) in said
        left = {one.name for one in path.parent.iterdir()}
        assert left <= {path.name, ".x.audit.db.lock"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("name", NAMES)
def test_a_broken_file_is_taken_or_refused_in_a_sentence(
    shared,
    tmp_path,
    name,
    seed,
    capsys,
):
    source, path = shared / "data" / name, tmp_path / f"x{(shared / name).suffix}"
    chance = random.Random(f"{name} {seed}")
    data = broken(source, chance)
    if data is None:
        repacked(source, path, chance)
    else:
        path.write_bytes(data)
    check_import(path, capsys)


RUNS = (
    "agents/atif/made_parts_1.8.trajectory.json",
    "agents/claude_code/compacted.jsonl",
    "agents/claude_code/edge_cases.jsonl",
    "agents/codex/items.json",
    "agents/codex/three_tasks.jsonl",
    "agents/openinference/langgraph.json",
    "agents/openinference/openai_agents.json",
    "agents/otel/genai_parallel_calls.json",
    "agents/otel/pydantic_ai.json",
    "agents/otel/pydantic_ai.otlp.jsonl",
    "agents/otel/tempo_helm.json",
    "agents/swe_agent/function_calling_simple.traj",
    "agents/tau_bench/airline.json",
    "agents/who_and_when/handcrafted_24.json",
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("name", RUNS)
def test_a_broken_run_is_judged_or_refused_in_a_sentence(
    shared,
    tmp_path,
    name,
    seed,
    capsys,
):
    source = shared / "data" / name
    path = tmp_path / f"x{source.suffix}"
    chance = random.Random(f"{name} {seed}")
    path.write_bytes(broken(source, chance))
    rubric = tmp_path / "r.toml"
    rubric.write_text('[[regex_traits]]\nname = "x"\npattern = "weather"\n', "utf-8")
    code = main(["judge", str(rubric), str(path), "-o", str(tmp_path / "x.audit.toml")])
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert code == 0 or (code == 2 and str(path) in said)


def test_a_zip_of_nothing_but_zeros_is_refused(tmp_path, capsys):
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", b" " * (1 << 20) + b"{")
    check_import(path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("member", ["header.json", "samples/a_epoch_1.json"])
def test_a_zip_that_unpacks_to_gigabytes_is_refused_unread(tmp_path, member, capsys):
    """A member that says it is small is read no further than the bound."""
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        if member != "header.json":
            file.writestr(
                "header.json",
                b'{"status": "success", "eval": {}, "version": 2}',
            )
        with file.open(member, "w", force_zip64=True) as packed:
            for _ in range(1100):
                packed.write(b" " * (1 << 20))
    check_import(path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["json", "jsonl", "csv"])
def test_lines_of_fifty_megabytes_are_taken_or_refused(tmp_path, ending, capsys):
    long = "word " * 10_000_000
    path = tmp_path / f"x.{ending}"
    if ending == "csv":
        path.write_text(f"id,response,user_input\na,{long},b\n", "utf-8")
    else:
        path.write_text(
            json.dumps({"id": "a", "response": long, "user_input": "b"}),
            "utf-8",
        )
    check_import(path, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_what_is_nested_without_end_is_refused(tmp_path, opening, ending, capsys):
    path = tmp_path / f"x.{ending}"
    path.write_text(
        '{"id": "a", "response": "b", "deep": ' + opening * 100_000,
        "utf-8",
    )
    check_import(path, capsys)


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd", "/etc/passwd", "a\u202eb", "x" * 5000, "\x00"],
)
@pytest.mark.parametrize("writer", ["csv", "rows", "inspect"])
def test_ids_like_paths_are_only_names(tmp_path, monkeypatch, name, writer, capsys):
    monkeypatch.chdir(tmp_path)
    row = {"id": name, "user_input": "q", "response": "r", name.replace(".", ""): 1}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    check_import(tmp_path / "x.jsonl", capsys)
    before = set(tmp_path.iterdir())
    main(["export", "x.audit.toml", "--to", writer, "-o", "out"])
    assert {one.name for one in set(tmp_path.iterdir()) - before} <= {"out"}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "[1]", "{", "null", "a,b\n1,2,3\n", "[[]]"],
)
def test_what_holds_nothing_is_refused(tmp_path, text, capsys):
    path = tmp_path / "x.csv"
    path.write_text(text, "utf-8")
    check_import(path, capsys)
    assert [one.name for one in tmp_path.iterdir()] == ["x.csv"]
