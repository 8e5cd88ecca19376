"""What a static graph cannot see: which packages a command really loads."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import appellate
from appellate.app.session_start import LATER

FORMS = ("md", "html", "json", "csv")
BENCH = "import appellate.cli.review, appellate.app.application, appellate.traits.metric.pane"
WAITING = {
    "appellate.app.help",
    "appellate.app.instruction_list",
    "appellate.app.judge_control",
    "appellate.app.material_pages",
    "appellate.app.sides",
    "appellate.app.theme_files",
    "appellate.judges.endpoint",
    "appellate.judges.proposal",
    "appellate.judging.pending",
    "appellate.judging.run",
    "appellate.store.draft",
    "appellate.store.trace_file",
    "appellate.talk.dialogue",
    "appellate.ui.jumping",
    "appellate.ui.picker",
    "pygments",
    "rich.traceback",
}
HEADLESS = [
    "import appellate; appellate.load_rubric; appellate.load_traces; appellate.load_audit; appellate.MetricRubricTrait",
    "import appellate; appellate.LLMRubricTrait",
    "from appellate.cli import main; main(['check', '{traces}'])",
    "from appellate.cli import main; main(['judge', '{rubric}', '{traces}', '-o', '{audit}'])",
    "import appellate.linear.linear_session",
    "import appellate.traits.metric.linear, appellate.traits.llm.linear, appellate.traits.regex.linear",
    "from appellate.cli import main; main(['metrics', '{audit}', '--json'])",
    "from appellate.cli import main; main(['log', '{audit}'])",
    "from appellate.cli import main; main(['probe', '{audit}', '--probe', 'order'])",
    *(
        f"from appellate.cli import main; main(['report', '{{audit}}', '--format', '{form}'])"
        for form in FORMS
    ),
    "from appellate.cli import main; main(['config'])",
    "from appellate.cli import main; main(['config', 'theme'])",
    "from appellate.cli import main; main(['schema', 'audit'])",
    "import appellate.cli.serve",
    "from appellate.cli import main; main([])",
]


def loaded(code: str, folder: Path) -> set[str]:
    names = {
        "rubric": folder / "r.toml",
        "traces": folder / "t.jsonl",
        "audit": folder / "x.audit.toml",
    }
    program = code.format(**{key: str(path) for key, path in names.items()})
    program += "\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("hygiene")
    (folder / "r.toml").write_text(
        '[[metric_traits]]\nname = "T"\nmetrics = ["recall"]\ntp_instructions = ["Says yes"]\n'
    )
    (folder / "t.jsonl").write_text('{"id": "1", "response": "yes"}\n')
    loaded(HEADLESS[2], folder)
    return folder


def test_every_name_of_the_python_interface_is_there():
    assert {"CallableRubricTrait", "Score", "score"} <= set(appellate.__all__)
    assert [name for name in appellate.__all__ if getattr(appellate, name).__name__ != name] == []


@pytest.mark.parametrize("code", HEADLESS)
def test_nothing_without_a_screen_loads_textual_or_the_models_client(code, folder):
    assert not loaded(code, folder) & {"textual", "openai", "rich"}


def test_the_screen_is_composed_before_the_models_client_is_loaded(folder):
    assert "openai" not in loaded("import appellate.app.application", folder)


def test_the_screen_is_composed_before_what_only_a_key_a_run_or_a_crash_needs_is_loaded(folder):
    assert not loaded(BENCH, folder) & WAITING


def test_what_is_loaded_behind_the_screen_never_begins_with_a_part_of_a_package(folder):
    """A thread may be loading the whole: each would wait for the other, and both fail."""
    there = loaded(BENCH, folder)
    assert {name.rpartition(".")[0] for name in LATER} - {""} <= there


def test_the_process_that_serves_draws_nothing_and_asks_no_model(folder):
    pytest.importorskip("textual_serve")
    assert not loaded("import appellate.cli.browser", folder) & {"textual", "openai"}


def test_no_headless_command_loads_the_pane_of_a_kind(folder):
    assert "appellate.traits.metric.pane" not in loaded(HEADLESS[2], folder)
