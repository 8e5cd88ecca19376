"""`appellate completion`: what `Tab` offers, asked of the shells that are there."""

import shutil
import subprocess

import pytest

from appellate.cli import main

OFFERS = [
    ("appellate s", {"sample", "schema", "second-pass", "serve", "skill", "status"}),
    (
        "appellate batch ",
        {"export", "import", "run", "job", "submit", "status", "fetch"},
    ),
    ("appellate review --view ", {"buckets", "checklist"}),
    ("appellate judge --judge ", {"openai", "lexical", "recorded", "mine"}),
    ("appellate check pyp", {"pyproject.toml"}),
    ("appellate config th", {"theme"}),
    ("appellate review --help ", {"judge", "screen", "files", "all"}),
    ("appellate review --time", {"--timeout", "--times"}),
]
ASKED_OF_BASH = """
source "$1"; COMP_WORDS=($2); [[ $2 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )); _shtab_appellate 2>/dev/null; printf '%s\\n' "${COMPREPLY[@]}"
"""
ASKED_OF_FISH = 'source "$argv[1]"; complete -C "$argv[2]" | cut -f1'


@pytest.fixture
def script(tmp_path, monkeypatch, capsys):
    """Makes the script of a shell, for somebody who has a judge of their own."""
    (tmp_path / "config.toml").write_text('[judges.mine]\nmodel = "m"\n')
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def made(shell):
        if shutil.which(shell) is None:
            pytest.skip(f"there is no {shell}")
        assert main(["completion", shell]) == 0
        path = tmp_path / f"appellate.{shell}"
        path.write_text(capsys.readouterr().out)
        return path

    return made


def said(*command):
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_script_is_one_that_its_shell_reads(script, shell):
    assert said(shell, "-n", script(shell)) == set()


def test_bash_offers_commands_choices_judges_and_files(script):
    path = script("bash")
    for line, offered in OFFERS:
        assert said("bash", "-c", ASKED_OF_BASH, "-", path, line) == offered, line


def test_fish_offers_commands_choices_judges_and_files(script):
    path = script("fish")
    for line, offered in OFFERS:
        assert said("fish", "-c", ASKED_OF_FISH, path, line) == offered, line


def test_an_old_name_of_a_command_is_not_offered(script):
    assert (
        said("bash", "-c", ASKED_OF_BASH, "-", script("bash"), "appellate sent")
        == set()
    )


def test_a_script_is_made_without_judges_that_are_no_table(
    tmp_path,
    monkeypatch,
    capsys,
):
    (tmp_path / "config.toml").write_text("judges = 3\n")
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    assert main(["completion", "bash"]) == 0
    assert "lexical" in capsys.readouterr().out
