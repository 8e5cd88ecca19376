"""What a static graph cannot see: which packages a command really loads."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import appellate
from appellate.app.review_screen import LATER
from appellate.cli import main

RUBRIC = '[[metric_traits]]\nname = "T"\nmetrics = ["recall"]\ntp_instructions = ["Says yes"]\n'
FORMS = ("md", "html", "json", "csv")
BENCH = "import appellate.cli.review, appellate.app.application, appellate.traits.metric.pane"
WAITING = {
    "appellate.cli.line_by_line",
    "appellate.app.keys.help",
    "appellate.app.compare.by_instruction",
    "appellate.judging.control",
    "appellate.app.reading.material_pages",
    "appellate.app.compare.side_by_side",
    "appellate.app.appearance.theme_files",
    "appellate.judges.endpoint",
    "appellate.judges.proposal",
    "appellate.judging.questions",
    "appellate.judging.run",
    "appellate.store.files.draft",
    "appellate.store.files.trace_file",
    "appellate.talk.dialogue",
    "appellate.app.jumping",
    "appellate.ui.kind_lines",
    "appellate.ui.picker",
    "pygments",
    "rich.traceback",
}
LINES = "appellate.linear.linear_session, appellate.traits.metric.linear, appellate.traits.llm.linear"
IMPORTS = [
    "import appellate; appellate.load_rubric; appellate.load_traces; appellate.load_audit",
    "import appellate; appellate.MetricRubricTrait; appellate.LLMRubricTrait",
    f"import {LINES}, appellate.traits.regex.linear",
    "import appellate.cli.serve",
]
COMMANDS = [
    ["check", "t.jsonl"],
    ["judge", "r.toml", "t.jsonl", "-o", "x.audit.toml"],
    ["metrics", "x.audit.toml", "--json"],
    ["log", "x.audit.toml"],
    ["probe", "x.audit.toml", "--probe", "order"],
    *(["report", "x.audit.toml", "--format", form] for form in FORMS),
    ["config"],
    ["config", "theme"],
    ["schema", "audit"],
    [],
]
ONE_BY_ONE = """
import json, sys
loaded = []
for step in json.loads(sys.argv[1]):
    if isinstance(step, str):
        exec(step)
    else:
        from appellate.cli import main
        main(step)
    loaded.append(sorted(sys.modules))
print(json.dumps(loaded))
"""

FIRST_PAINT = """
import gc, json, os, sys
collections = []
gc.callbacks.append(lambda phase, info: collections.append(phase))
os.environ["TEXTUAL_DRIVER"] = "textual.drivers.headless_driver:HeadlessDriver"
from textual.app import App
def painted(self):
    names = [name for name in sys.modules if name.startswith("appellate")]
    known = [one for name in names for one in vars(sys.modules[name]).values()]
    classes = {one for one in known if isinstance(one, type) and one.__module__ in names}
    widgets = list(self.screen.walk_children())
    painted.counts = {
        "modules": len(names), "classes": len(classes), "widgets": len(widgets),
        "models": len([one for one in classes if getattr(one, "__pydantic_complete__", False)]),
        "collections": collections.count("start"),
    }
    self.exit()
App.post_display_hook = painted  # Textual's own, after each picture
collections.clear()  # those of importing the above
from appellate.cli import run
sys.argv = ["appellate", *json.loads(sys.argv[1])]
try:
    run()
except SystemExit:
    print()
    print(json.dumps(painted.counts))
"""
BEFORE_FIRST_PAINT = {
    "modules": 142,
    "classes": 357,
    "widgets": 20,
    "models": 0,
    "collections": 2,
}
"""What the screen of a metric cell needs at most; these ceilings only fall.

`models` are those of pydantic that were built, `collections` are those of garbage.
"""
BEFORE_FIRST_PAINT_OF_DEMO = {
    **BEFORE_FIRST_PAINT,
    "modules": 168,
    "classes": 402,
}
"""The same of a rubric with traits of six kinds."""


def last_line(program: str, *arguments: str, folder: Path | None = None) -> Any:
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return json.loads(done.stdout.splitlines()[-1])


def loaded(program: str) -> set[str]:
    return set(
        last_line(
            program + "\nimport sys, json; print(json.dumps(sorted(sys.modules)))",
        ),
    )


@pytest.fixture(scope="module")
def bench() -> set[str]:
    return loaded(BENCH)


def test_every_name_of_the_python_interface_is_there():
    assert {"CallableRubricTrait", "Score", "score"} <= set(appellate.__all__)
    assert [
        name for name in appellate.__all__ if getattr(appellate, name).__name__ != name
    ] == []
    assert set(dir(appellate)) >= {*appellate.__all__, "__doc__"}
    public = {name for name in dir(appellate) if not name.startswith("__")}
    assert public == set(appellate.__all__), "what is used inside is not offered"


def test_asking_for_the_names_of_the_python_interface_loads_none_of_them():
    asked = loaded("import appellate\nassert 'RubricTrait' in dir(appellate)")
    assert [name for name in asked if name.startswith("appellate")] == ["appellate"]
    named = loaded(
        "from appellate import *\nRubric(llm_traits=[RubricTrait(name='a', kind='score')])",
    )
    assert not named & {"textual", "openai", "rich"}


def test_nothing_without_a_screen_loads_textual_the_models_client_or_a_pane(tmp_path):
    (tmp_path / "r.toml").write_text(RUBRIC)
    (tmp_path / "t.jsonl").write_text('{"id": "1", "response": "yes"}\n')
    steps = [*IMPORTS, *COMMANDS]
    found = last_line(ONE_BY_ONE, json.dumps(steps), folder=tmp_path)
    assert (tmp_path / "x.audit.toml").exists()
    for step, names in zip(steps, found, strict=True):
        assert not set(names) & {
            "textual",
            "openai",
            "rich",
            "aiohttp",
            "tomlkit",
            "appellate.traits.metric.pane",
        }, step


def test_the_hash_of_a_rubric_loads_only_the_kinds_that_it_has():
    table = {"name": "R", "regex_traits": [{"name": "A", "pattern": "x"}]}
    program = (
        f"from appellate.traits.rubric import Rubric\nRubric.kept({table!r}).sha256()"
    )
    names = loaded(program)
    assert "appellate.traits.regex" in names
    assert not names & {"appellate.traits.metric", "appellate.traits.scorer"}


def test_the_screen_is_composed_before_the_models_client_is_loaded(bench):
    assert "openai" not in bench


def test_the_screen_is_composed_before_what_only_a_key_a_run_or_a_crash_needs_is_loaded(
    bench,
):
    assert not bench & WAITING


def test_what_is_loaded_behind_the_screen_never_begins_with_a_part_of_a_package(bench):
    """A thread may be loading the whole: each would wait for the other, and both fail."""
    assert {name.rpartition(".")[0] for name in LATER} - {"", *LATER} <= bench


def test_the_process_that_serves_draws_nothing_and_asks_no_model():
    pytest.importorskip("textual_serve")
    assert not loaded("import appellate.cli.browser") & {"textual", "openai"}


def test_before_the_first_paint_only_so_much_is_loaded_built_and_mounted(
    tmp_path,
    monkeypatch,
):
    (tmp_path / "r.toml").write_text(RUBRIC)
    (tmp_path / "t.jsonl").write_text('{"id": "1", "response": "yes"}\n')
    monkeypatch.chdir(tmp_path)
    assert main(COMMANDS[1]) == 0
    counts = last_line(
        FIRST_PAINT,
        json.dumps(["review", "x.audit.toml"]),
        folder=tmp_path,
    )
    assert beyond(BEFORE_FIRST_PAINT, counts) == {}


@pytest.mark.slow
def test_before_the_first_paint_of_the_demo_no_model_is_built_and_no_garbage_collected(
    tmp_path,
):
    counts = last_line(
        FIRST_PAINT,
        json.dumps(["demo", "--folder", "demo"]),
        folder=tmp_path,
    )
    assert beyond(BEFORE_FIRST_PAINT_OF_DEMO, counts) == {}


def beyond(ceilings: dict[str, int], counts: dict[str, int]) -> dict[str, int]:
    """What is more than its ceiling."""
    return {name: counts[name] for name in ceilings if counts[name] > ceilings[name]}
