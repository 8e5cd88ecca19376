"""A package of its own may bring kinds: an entry point names the package that holds their folders."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from manual_words import code_after

TALLY = Path(__file__).parent.parent / "kinds" / "tally"
RUBRIC = """
[[tally_traits]]
name = "Ice"
word = "ice"
"""
USED = """
import sys
from appellate.cli import main
from appellate.app.keys.bindings import pane_of
from appellate.linear.linear_session import lines_of
print(pane_of("tally").__module__, lines_of("tally").__name__)
sys.exit(main(["judge", "r.toml", "t.jsonl", "--judge", "lexical"]))
"""


def installed(site: Path) -> None:
    """The tests' own kind, as a package that others would install."""
    kinds, info = site / "tallies" / "kinds", site / "tallies-1.dist-info"
    shutil.copytree(
        TALLY,
        kinds / "tally",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for folder in (site / "tallies", kinds):
        (folder / "__init__.py").touch()
    info.mkdir()
    (info / "METADATA").write_text("Name: tallies\nVersion: 1\n", "utf-8")
    points = "[appellate.kinds]\ntallies = tallies.kinds\n"
    (info / "entry_points.txt").write_text(points, "utf-8")


def used(folder: Path, *roots: Path) -> subprocess.CompletedProcess[str]:
    """What another Python, which has the package on its path or not, makes of a rubric with it."""
    return run([sys.executable, "-c", USED], folder, *roots)


def run(
    command: list[str],
    folder: Path,
    *roots: Path,
) -> subprocess.CompletedProcess[str]:
    given = {
        "PYTHONPATH": os.pathsep.join(map(str, roots)),
        "APPELLATE_CONFIG": str(folder),
    }
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.slow
def test_its_kind_is_read_judged_and_shown_where_it_is_installed(tmp_path):
    installed(tmp_path / "site")
    (tmp_path / "r.toml").write_text(RUBRIC, "utf-8")
    (tmp_path / "t.jsonl").write_text(
        '{"id": "a", "response": "Ice floats on ice."}\n',
        "utf-8",
    )
    without = used(tmp_path)
    assert without.returncode == 2
    assert "tally_traits" in without.stderr
    found = used(tmp_path, tmp_path / "site")
    assert (found.returncode, found.stdout) == (
        0,
        "appellate.traits.tally.pane KindLines\n",
    )
    assert 'kind = "tally"' in (tmp_path / "t.audit.toml").read_text("utf-8")


@pytest.mark.slow
def test_the_kind_of_the_manual_is_judged_and_shown(tmp_path):
    site = tmp_path / "site"
    folder = site / "lengths" / "kinds" / "length"
    folder.mkdir(parents=True)
    for package in (site / "lengths", site / "lengths" / "kinds"):
        (package / "__init__.py").touch()
    for mark, name in (("kind", "__init__"), ("pane", "pane"), ("linear", "linear")):
        (folder / f"{name}.py").write_text(
            code_after(f"<!-- {mark} -->", "kinds"),
            "utf-8",
        )
    info = site / "lengths-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: lengths\nVersion: 1\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[appellate.kinds]\nlengths = lengths.kinds\n",
        "utf-8",
    )
    rubric = '[[length_traits]]\nname = "Short"\nmost_words = 3\n'
    (tmp_path / "r.toml").write_text(rubric, "utf-8")
    (tmp_path / "t.jsonl").write_text(
        '{"id": "a", "response": "Ice floats on ice."}\n',
        "utf-8",
    )
    command = [sys.executable, "-m", "appellate"]
    judged = run([*command, "judge", "r.toml", "t.jsonl"], tmp_path, site)
    assert judged.returncode == 0, judged.stderr
    shown = run([*command, "review", "t.audit.toml", "--lines"], tmp_path, site)
    assert "Verdict: no (as the count says)" in shown.stdout
    pane = "from appellate.app.keys.bindings import pane_of; print(pane_of('length').TITLE)"
    assert run([sys.executable, "-c", pane], tmp_path, site).stdout == "Length\n"


def test_one_that_cannot_be_loaded_ends_a_command_with_a_sentence(tmp_path):
    installed(tmp_path / "site")
    (tmp_path / "site/tallies/kinds/tally/__init__.py").write_text("1 / 0", "utf-8")
    (tmp_path / "r.toml").write_text(RUBRIC, "utf-8")
    check = [sys.executable, "-m", "appellate", "check", "r.toml"]
    ended = run(check, tmp_path, tmp_path / "site")
    assert ended.returncode == 2
    assert ended.stderr == (
        "package tallies: its 'tallies' (appellate.kinds) fails: ZeroDivisionError: division by"
        " zero; mend the package, or uninstall it\n"
    )
