"""LLM traits from the command line: by files of a batch engine, with examples, and with a prompt of one's own."""

import json

import tomli_w
from llm_traits import EVERY, RESPONSE, TRACE

from appellate.cli import main
from appellate.core.deciding import Correct, SignOff
from appellate.store.audits.open_audit import resume
from appellate.traits.llm.edits import Edit
from appellate.traits.rubric import Rubric
from batch_stage import answers, requests
from cells import place, seat

OTHER = "Ask a doctor before you take it, and take care."


def written(folder, **more):
    """A rubric with all three traits and two traces, in a folder."""
    rubric = Rubric(llm_traits=list(EVERY)).to_file() | more
    (folder / "r.toml").write_text(tomli_w.dumps(rubric), "utf-8")
    traces = [
        {"id": "a", "question": TRACE.question, "response": RESPONSE},
        {"id": "b", "response": OTHER},
    ]
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, traces)), "utf-8")
    audit = folder / "x.audit.toml"
    assert (
        main(
            [
                "judge",
                str(folder / "r.toml"),
                str(folder / "t.jsonl"),
                "-o",
                str(audit),
                "--judge",
                "lexical",
            ]
        )
        == 0
    )
    return str(audit)


def test_no_offline_judge_answers_for_a_person(tmp_path, capsys):
    written(tmp_path)
    assert "cannot be judged by comparing words: name a model" in "".join(capsys.readouterr())


def test_a_batch_engine_judges_them_by_files(tmp_path, capsys):
    audit, file = written(tmp_path), tmp_path / "requests.jsonl"
    assert main(["batch", "export", audit, "-o", str(file), "--model", "m"]) == 0
    results = tmp_path / "results.jsonl"
    results.write_text("\n".join(json.dumps(line) for line in answers(requests(file))), "utf-8")
    assert main(["batch", "import", audit, str(results)]) == 0
    capsys.readouterr()
    assert main(["metrics", audit, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["traits"]
    assert [(one["name"], list(one["metrics"])) for one in told] == [
        ("Warns", ["yes"]),
        ("Clear", ["score"]),
        ("Tone", ["class_index"]),
    ]
    assert all(
        one["metrics"][name]["standing"]["n"] == 2 for one in told for name in one["metrics"]
    )


def test_signed_verdicts_are_examples_for_other_cells_and_the_prompt_may_be_ones_own(
    tmp_path, capsys
):
    audit = written(tmp_path, prompts={"llm": {"boolean": "Is that so, yes or no?"}})
    opened = resume(place(tmp_path))
    with opened.workspace as workspace:
        at = seat(opened, tmp_path)
        row = next(
            row for row in workspace.cells.rows(0, 6) if (row.trace_id, row.trait) == ("b", "Warns")
        )
        at.do(row.no, Correct(Edit("set", value=True)))
        at.do(row.no, SignOff(EVERY[0].sha256()))
        at.save()
    capsys.readouterr()
    asked = [
        "judge",
        audit,
        "--show-prompt",
        "--few-shot",
        "1",
        "--model",
        "m",
        "--base-url",
        "http://127.0.0.1:9/v1",
    ]
    assert main(asked) == 0
    told = capsys.readouterr().out
    assert "Is that so, yes or no?" in told
    assert OTHER in told
    assert (
        '{"answer": {"rationale": "That is true of the response.", "excerpts": [], "verdict": "yes"}}'
        in told
    )
