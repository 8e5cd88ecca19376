"""Foreign files that are broken: a sentence, never a traceback, and no file left behind."""

import json
import random
import zipfile

import pytest

from appellate.cli import main

NAMES = (
    "inspect/security-guide.json",
    "inspect/seed_era_0_3_160_12x2.eval",
    "interop/deepeval/test_run_sample.json",
    "interop/handmade/simple_evals_healthbench_allresults.json",
    "interop/langfuse/trace_langgraph.json",
    "interop/mlflow/made_traces.jsonl",
    "interop/promptfoo/made_errors.csv",
    "interop/promptfoo/made_errors.jsonl",
    "interop/promptfoo/session1_no_metrics_v3.json",
    "interop/ragas/annotated_data.json",
    "karenina/results.csv",
    "karenina/results_v2.2.json",
)
OTHER = (None, 0, -1, 1e400, "", "../../x", [], {}, [[]], [1], {"a": 1}, True, "\ud800", "x" * 9999)


def mutated(value, chance):
    """JSON with one value put in the place of another, or left out."""
    places = list(walk(value, ()))
    place = chance.choice(places)
    *path, last = place
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
    if how == "cut" or not data:
        return data[: chance.randrange(len(data))]
    if how == "json" and path.suffix == ".json":
        return json.dumps(mutated(json.loads(data), chance)).encode("utf-8", "replace")
    if how == "json" and path.suffix == ".jsonl":
        rows = [json.loads(line) for line in data.decode().splitlines()]
        return "".join(json.dumps(row) + "\n" for row in mutated(rows, chance)).encode()
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def imported(folder, name, data):
    path, audit = folder / name, folder / "x.audit.toml"
    path.write_bytes(data)
    code = main(["import", str(path), "-o", str(audit)])
    for one in folder.iterdir():
        one.unlink()
    return code


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_broken_file_is_taken_or_refused_in_a_sentence(shared, tmp_path, name, capsys):
    path = shared / "data" / name
    for seed in range(25):
        code = imported(tmp_path, path.name, broken(path, random.Random(f"{name} {seed}")))
        assert code in (0, 2), seed
        assert "Traceback" not in capsys.readouterr().err


def test_a_zip_of_nothing_but_zeros_is_refused(tmp_path, capsys):
    path = tmp_path / "bomb.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", b" " * (1 << 20) + b"{")
    assert main(["import", str(path), "-o", str(tmp_path / "x.audit.toml")]) == 2
    assert "header.json cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", "{}", "[1]", "{", "null", "a,b\n1,2,3\n", "[[]]"])
def test_what_holds_nothing_is_refused(tmp_path, text, capsys):
    path = tmp_path / "x.csv"
    path.write_text(text, "utf-8")
    assert main(["import", str(path), "-o", str(tmp_path / "x.audit.toml")]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert [one.name for one in tmp_path.iterdir()] == ["x.csv"]
