"""What a person prefers, and which source of it goes before which."""

import getpass
import os
import subprocess

import pytest

from appellate.core.problem import Unusable
from appellate.settings import config, folder, reviewer


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """Nobody's own settings: an empty home, no git identity."""
    for name in ("APPELLATE_REVIEWER", "APPELLATE_CONFIG", "GIT_CONFIG_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("LOGNAME", "login")
    monkeypatch.chdir(tmp_path)


def git_name(folder, name: bytes) -> None:
    (folder / "gitconfig").write_bytes(b"[user]\n\tname = " + name + b"\n")


def test_the_reviewer_is_found_in_the_order_promised(tmp_path, monkeypatch):
    assert reviewer(None, {}) == "login"
    git_name(tmp_path, b"git")
    assert reviewer(None, {}) == "git"
    assert reviewer(None, {"reviewer": "config"}) == "config"
    monkeypatch.setenv("APPELLATE_REVIEWER", "environment")
    assert reviewer(None, {"reviewer": "config"}) == "environment"
    assert reviewer("given", {"reviewer": "config"}) == "given"
    assert reviewer("  ", {}) == "environment"


def test_a_name_is_one_line_of_characters(tmp_path, monkeypatch):
    git_name(tmp_path, b"Bj\xf6rn")
    assert reviewer(None, {}) == "Bj\ufffdrn"
    monkeypatch.setitem(os.environ, "APPELLATE_REVIEWER", os.fsdecode(b"a\xff\nb"))
    assert reviewer(None, {}) == "a? b"


def test_without_git_and_without_a_login_there_is_still_a_name(monkeypatch):
    def unable(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(subprocess, "run", unable)
    assert reviewer(None, {}) == "login"
    monkeypatch.setattr(getpass, "getuser", unable)
    assert reviewer(None, {}) == "reviewer"


def test_settings_are_looked_for_where_the_environment_says(tmp_path, monkeypatch):
    assert folder().name == "appellate"
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "here"))
    assert folder() == tmp_path / "here"
    assert config() == {}
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "config.toml").write_text('reviewer = "ada"\n')
    assert config() == {"reviewer": "ada"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"reviewer = ", "cannot be read"),
        (b"\xff", "cannot be read"),
        (b"reviewer = 1", "is not a text"),
        (b"colour = 1\nreviewer = 1", "colour"),
    ],
)
def test_a_wrong_config_file_is_told_with_its_place(tmp_path, text, told):
    path = tmp_path / "config.toml"
    path.write_bytes(text)
    with pytest.raises(Unusable, match=told) as refused:
        config(path)
    assert "config.toml" in str(refused.value)


def test_all_that_is_wrong_in_a_config_file_is_told_at_once(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("colour = 1\nreviewer = 1\ntheme = []\n")
    with pytest.raises(Unusable) as refused:
        config(path)
    assert len(refused.value.problems) == 3
