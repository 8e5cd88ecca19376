"""`pytest --appellate-gold`: a test a bar and a cell, and nothing imported until it is asked for."""

import subprocess
import sys

import pytest

from appellate.cli import main
from gold_sets import erring, frozen
from loopback import served

pytest_plugins = ["pytester"]
OPTIONS = "--model new --base-url {} --replies replies.jsonl"


@pytest.fixture
def recorded(pytester, monkeypatch):
    """A gold set with replies of a server that errs on one trace, recorded before it is gone."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    frozen(pytester.path, "judge.agreement>=.7", "judge.kappa>=1", count=24)
    with served(erring(7)) as server:
        words = [
            "--model",
            "new",
            "--base-url",
            server.url,
            "--record",
            "replies.jsonl",
        ]
        main(["gold", "check", "x.gold.toml", *words])
        return server.url


def test_a_bar_and_a_cell_are_a_test_each(pytester, recorded):
    options = OPTIONS.format(recorded)
    found = pytester.runpytest_inprocess(
        "--appellate-gold",
        "x.gold.toml",
        "--appellate-options",
        options,
        "-rfx",
        "-p",
        "no:asyncio",
    )
    found.assert_outcomes(passed=24, failed=2, xfailed=1)
    found.stdout.fnmatch_lines(["*judge.kappa>=1: not reached*", "*XFAIL*t7 · Polite*"])


def test_options_may_be_in_the_ini_file_and_what_is_wrong_is_a_sentence(pytester):
    frozen(pytester.path, "judge.agreement>=.7", count=2)
    pytester.makeini("[pytest]\nappellate_options = --model m --replies nosuch.jsonl\n")
    words = ["--appellate-gold", "x.gold.toml", "-p", "no:asyncio"]
    found = pytester.runpytest_inprocess(*words)
    found.assert_outcomes(failed=4)
    found.stdout.fnmatch_lines(["*nosuch.jsonl*"])
    found = pytester.runpytest_inprocess(*words, "--appellate-options", "")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["*which judge?*"])


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["0", "2"])
def test_workers_of_xdist_ask_about_each_cell_once(pytester, monkeypatch, workers):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    frozen(pytester.path, "judge.agreement>=.7", "judge.kappa>=.99", count=24)
    with served(erring(7)) as server:
        words = [
            "--appellate-options",
            f"--model new --base-url {server.url}",
            "-n",
            workers,
        ]
        found = pytester.runpytest_subprocess(
            "--appellate-gold",
            "x.gold.toml",
            *words,
            "-rfx",
        )
        asked = len(server.asked)
    found.assert_outcomes(passed=24, failed=2, xfailed=1)
    found.stdout.fnmatch_lines(["*XFAIL*t7 · Polite*"])
    assert asked == 24


@pytest.mark.slow
def test_what_workers_share_is_gone_afterwards_and_a_judge_that_cannot_be_asked_fails_all(
    pytester,
    monkeypatch,
):
    monkeypatch.setenv("TMPDIR", str(pytester.mkdir("tmp")))
    frozen(pytester.path, "judge.agreement>=.7", count=2)
    words = ["--appellate-options", "--model m --replies nosuch.jsonl", "-n", "2"]
    found = pytester.runpytest_subprocess("--appellate-gold", "x.gold.toml", *words)
    found.assert_outcomes(failed=4)
    found.stdout.fnmatch_lines(["*nosuch.jsonl*"])
    assert not list((pytester.path / "tmp").glob("appellate-gold-*"))


@pytest.mark.slow
def test_nothing_of_appellate_is_imported_until_the_option_is_given(tmp_path):
    (tmp_path / "test_x.py").write_text(
        "import sys\n\n\ndef test_x():\n    assert not [m for m in sys.modules if m == 'appellate']\n",
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(tmp_path),
    ]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
