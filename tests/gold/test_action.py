"""The action and the hooks: a shell runs the steps of the worked example as a runner would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from appellate.cli import main
from gold_sets import erring, frozen
from loopback import served

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / ".github/actions/gold/action.yml").read_text("utf-8"))
EXAMPLE = Path(__file__).parent / "example"
OURS = ".github/actions/gold@"


def filled(text, values):
    """A text of a workflow with what its expressions come to."""
    return re.sub(r"\$\{\{\s*([\w.]+)\s*\}\}", lambda found: values[found[1]], text)


def workflow_inputs(variables):
    """What the worked example gives to the action, and the defaults of the other inputs."""
    text = (EXAMPLE / ".github/workflows/judge.yml").read_text("utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    (step,) = [step for step in job["steps"] if OURS in step["uses"]]
    given = {name: filled(value, variables) for name, value in step["with"].items()}
    assert given.keys() <= ACTION["inputs"].keys()
    inputs = {
        name: one.get("default", "") for name, one in ACTION["inputs"].items()
    } | given
    return {f"inputs.{name}": value for name, value in inputs.items()}


def play(folder, inputs):
    """Run the steps of the action in a folder; returns code, what was printed, and the outputs."""
    outputs = folder / "outputs.txt"
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("OPENAI", "GITHUB"))
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment |= {
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(outputs),
        "PATH": path,
    }
    printed = ""
    for step in ACTION["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]
        own = {name: filled(value, inputs) for name, value in step["env"].items()}
        script = folder / "step.sh"
        script.write_text(step["run"])
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment | own,
            capture_output=True,
            text=True,
            check=False,
        )
        printed += done.stdout + done.stderr
        if done.returncode:
            break
    return done.returncode, printed, outputs.read_text() if outputs.exists() else ""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The worked example with a gold set, a prompt, and the replies of a judge to both."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    frozen(tmp_path, "judge.agreement>=.8", count=30)
    (tmp_path / "prompt.toml").write_text(
        '[llm]\nsystem = "You judge one reply. Be strict."\n',
    )
    with served(erring(7)) as server:
        words = ["--model", "new", "--base-url", server.url, "--prompt", "prompt.toml"]
        assert (
            main(["gold", "check", "x.gold.toml", *words, "--record", "replies.jsonl"])
            == 0
        )
    return workflow_inputs({"vars.JUDGE_URL": server.url})


@pytest.mark.slow
def test_the_example_passes_and_another_prompt_fails_by_name(tmp_path, repository):
    code, printed, outputs = play(tmp_path, repository)
    assert code == 0, printed
    assert outputs == "verdict=passed\n"
    assert "::notice file=x.gold.toml,title=new%3A passed::" in printed
    assert (tmp_path / "appellate-gold.xml").exists()
    assert (tmp_path / "appellate-gold.json").exists()
    (tmp_path / "prompt.toml").write_text(
        '[llm]\nsystem = "You judge one reply. Be kind."\n',
    )
    code, printed, outputs = play(tmp_path, repository)
    assert (code, outputs.splitlines()[-1]) == (1, "verdict=not passed")
    assert (
        "::error file=x.gold.toml,title=new::No reply is recorded about 30 cells (t1"
        in printed
    )


@pytest.mark.slow
def test_no_input_of_the_action_becomes_a_part_of_its_script(tmp_path, repository):
    hostile = '$(touch hacked) `touch hacked` "; touch hacked; "'
    code, printed, _ = play(tmp_path, repository | {"inputs.gold": hostile})
    assert code == 2, printed
    assert not (tmp_path / "hacked").exists()
    code, printed, _ = play(tmp_path, repository | {"inputs.options": hostile})
    assert code == 2, printed
    assert not (tmp_path / "hacked").exists()


def test_the_hooks_of_pre_commit_run_commands_that_there_are(tmp_path, monkeypatch):
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert [hook["entry"] for hook in hooks] == [
        "appellate check",
        "appellate gold check",
    ]
    monkeypatch.chdir(tmp_path)
    frozen(tmp_path, "judge.agreement>=.8", count=3)
    files = ["x.gold.toml", "x.audit.toml"]
    assert all(
        re.search(hooks[0]["files"], name)
        for name in [*files, "rubric.toml", "traces.jsonl"]
    )
    assert main(["check", *files]) == 0
    text = (tmp_path / "x.gold.toml").read_text("utf-8")
    (tmp_path / "x.gold.toml").write_text(text.replace("true", "false"))
    assert main(["check", "x.gold.toml"]) == 2
