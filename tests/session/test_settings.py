"""What a person prefers, and which source of it goes before which."""

import getpass
import os
import pwd
import subprocess
import sys
import tomllib
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.problem import Unusable
from appellate.query.sql import ORDERS
from appellate.session.settings import (
    FREE,
    KEYS,
    REASONS,
    Settings,
    allowed,
    config,
    folder,
    is_first_session,
    load,
    overriding_variable,
    parse,
    save,
)
from appellate.store.files.text_file import expanded


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Nobody's own settings: an empty home, no git identity."""
    for name in (
        "APPELLATE_CONFIG",
        "GIT_CONFIG_COUNT",
        *(f"APPELLATE_{key.upper()}" for key in KEYS),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("LOGNAME", "login")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "here"))
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def git_name(folder, name: bytes) -> None:
    (folder / "gitconfig").write_bytes(b"[user]\n\tname = " + name + b"\n")


def refusal(flags=None) -> list[str]:
    with pytest.raises(Unusable) as refused:
        load(flags)
    return [str(problem) for problem in refused.value.problems]


# -- the reviewer -------------------------------------------------------------------------------------


def test_a_person_is_new_once(tmp_path, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "settings"))
    assert is_first_session()
    assert not is_first_session()


def test_a_config_folder_that_the_system_refuses_is_one_problem(monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", "/" + "x" * 300)
    assert is_first_session()
    (problem,) = refusal()
    assert problem.endswith("it cannot be read: File name too long")
    with pytest.raises(Unusable, match="File name too long"):
        save("theme", "light")


def test_where_nothing_can_be_kept_everybody_is_new(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "file" / "settings"))
    assert is_first_session()
    assert is_first_session()


def test_the_reviewer_is_found_in_the_order_promised(home, monkeypatch):
    assert load().sourced("reviewer") == ("login", "the login name")
    git_name(home.parent, b"git")
    assert load().sourced("reviewer") == ("git", "git's user.name")
    (home / "config.toml").write_text('reviewer = "config"\n')
    assert load().sourced("reviewer") == ("config", "config.toml")
    monkeypatch.setenv("APPELLATE_REVIEWER", "environment")
    assert load().sourced("reviewer") == ("environment", "APPELLATE_REVIEWER")
    assert load({"reviewer": "given"}).sourced("reviewer") == ("given", "--reviewer")
    assert load({"reviewer": "  "}).settings.reviewer == "environment"


def test_a_name_is_one_line_of_characters(home, monkeypatch):
    git_name(home.parent, b"Bj\xf6rn")
    assert load().settings.reviewer == "Bj\ufffdrn"
    monkeypatch.setitem(os.environ, "APPELLATE_REVIEWER", os.fsdecode(b"a\xff\nb"))
    assert load().settings.reviewer == "a\ufffd b"


def test_without_git_and_without_a_login_there_is_still_a_name(monkeypatch):
    def unable(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr(subprocess, "run", unable)
    assert load().settings.reviewer == "login"
    monkeypatch.setattr(getpass, "getuser", unable)
    assert load().sourced("reviewer") == ("reviewer", "default")


# -- sources ------------------------------------------------------------------------------------------


def test_settings_are_looked_for_where_the_environment_says(home, monkeypatch):
    assert folder() == home
    monkeypatch.delenv("APPELLATE_CONFIG")
    assert folder().name == "appellate"
    assert load().settings.reasons == REASONS


def test_a_flag_goes_before_the_environment_before_the_file_before_the_default(
    home,
    monkeypatch,
):
    assert load().sourced("theme") == ("dark", "default")
    (home / "config.toml").write_text(
        'theme = "light"\nmouse = false\nreasons = ["so"]\n',
    )
    assert load().sourced("theme") == ("light", "config.toml")
    assert load().sourced("reasons") == (("so",), "config.toml")
    monkeypatch.setenv("APPELLATE_THEME", "high-contrast")
    monkeypatch.setenv("APPELLATE_MOUSE", "Yes")
    assert load().sourced("theme") == ("high-contrast", "APPELLATE_THEME")
    assert load().sourced("mouse") == (True, "APPELLATE_MOUSE")
    given = load(
        {"theme": "nord", "mouse": False, "ascii": True, "paths": ["x"], "plain": None},
    )
    assert given.sourced("theme") == ("nord", "--theme")
    assert given.sourced("mouse") == (False, "--no-mouse")
    assert given.sourced("ascii") == (True, "--ascii")
    assert given.sourced("plain") == (False, "default")


def test_a_terminal_of_few_colours_gets_a_theme_of_few_and_the_console_marks_of_ascii(
    home,
    monkeypatch,
):
    monkeypatch.delenv("COLORTERM", raising=False)
    monkeypatch.setenv("TERM", "linux")
    assert load().sourced("theme") == ("console", "TERM=linux")
    assert load().sourced("ascii") == (True, "TERM=linux")
    (home / "config.toml").write_text('theme = "light"\nascii = false\n')
    assert load().sourced("theme") == ("light", "config.toml")
    assert not load().settings.ascii
    (home / "config.toml").unlink()
    monkeypatch.setenv("TERM", "xterm")
    assert load().sourced("theme") == ("console", "TERM=xterm")
    assert not load().settings.ascii
    monkeypatch.setenv("COLORTERM", "truecolor")
    assert load().sourced("theme") == ("dark", "default")


@pytest.mark.parametrize(
    ("encoding", "is_plain"),
    [
        ("ascii", True),
        ("latin-1", True),
        ("gb2312", True),
        ("utf-8", False),
        ("utf-16", False),
    ],
)
def test_where_the_locale_has_no_letters_for_marks_they_are_ascii(
    home,
    monkeypatch,
    encoding,
    is_plain,
):
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(BytesIO(), encoding))
    assert load().settings.ascii == is_plain
    source = f"the locale's {encoding}" if is_plain else "default"
    assert load().sources["ascii"] == source
    monkeypatch.setenv("APPELLATE_ASCII", "false")
    assert not load().settings.ascii


def test_a_reason_is_offered_without_blanks_around_it(home):
    (home / "config.toml").write_text('reasons = [" so ", "else"]\n')
    assert load().settings.reasons == ("so", "else")


def test_an_empty_variable_says_nothing(home, monkeypatch):
    monkeypatch.setenv("APPELLATE_ORDER", "")
    assert load().sourced("order") == ("loaded", "default")


def test_a_blank_variable_overrides_nothing(home, monkeypatch):
    monkeypatch.setenv("APPELLATE_REVIEWER", " ")
    assert overriding_variable("reviewer") == ""
    monkeypatch.setenv("APPELLATE_REVIEWER", "ben")
    assert overriding_variable("reviewer") == "APPELLATE_REVIEWER"
    for key, default in (("theme", "dark"), ("ascii", False), ("reasons", REASONS)):
        monkeypatch.setenv(f"APPELLATE_{key.upper()}", " ")
        assert overriding_variable(key) == ""
        assert load().sourced(key) == (default, "default")


def test_lists_and_numbers_are_read_from_text():
    assert parse("reasons", "one; two ;") == ["one", "two"]
    assert parse("reasons", '["a;b", "c"]') == ["a;b", "c"]
    assert parse("reasons", "[broken") == "[broken"
    for hostile in ("[" * 5000, f"[{'9' * 5000}]"):
        assert parse("reasons", hostile) == hostile
    assert parse("seed", "12") == 12
    assert parse("seed", "-1") == "-1"
    assert parse("seed", "9" * 5000) == "9" * 5000
    assert parse("ascii", "ON") is True


# -- what is wrong ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"reviewer = ", "config.toml: line 1"),
        (b"\xff", "config.toml: line 1: not UTF-8"),
        (b"reviewer = 1", "config.toml: reviewer: must be text, not the number 1"),
        (b"ascii = 1", "ascii: must be true or false, not the number 1"),
        (
            b'them = "x"',
            'config.toml: them: there is no setting "them"; did you mean "theme"?',
        ),
        (b"xyzzy = 1", "settings are reviewer, theme"),
        (
            b"items_share = 99",
            "items_share: must be a whole number from 0 to 70, not the number 99",
        ),
        (
            b'view = "list"',
            'view: must be "buckets" or "checklist", not the text "list"',
        ),
        (b'reasons = ["", 1]', "reasons[0]: must be a short text"),
        (
            b'reasons = ["so", "  "]',
            'reasons[1]: must be a short text, not the text "  "',
        ),
        (b"seed = true", "seed: must be a whole number from 0 to 2147483647, not true"),
        (b'patience = "10m\\n"', "patience: must be a time such as 90s, 10m or 2h"),
        (b"[reviewer]\nx = 1", "reviewer: must be text, not a table"),
    ],
)
def test_a_wrong_config_file_is_told_with_its_place(home, text, told):
    (home / "config.toml").write_bytes(text)
    assert told in "\n".join(refusal())


def test_all_that_is_wrong_anywhere_is_told_at_once(home, monkeypatch):
    (home / "config.toml").write_text("colour = 1\nreviewer = 1\ntheme = []\n")
    monkeypatch.setenv("APPELLATE_PLAIN", "perhaps")
    told = refusal({"order": "\x1b[31m"})
    assert len(told) == 5
    assert (
        'the environment: APPELLATE_PLAIN: must be true or false, not the text "perhaps"'
        in told
    )
    assert told[-1].startswith('the command line: --order: must be "loaded", ')
    assert "\x1b" not in "".join(told)


@pytest.mark.parametrize("key", KEYS)
def test_every_setting_says_what_it_means_and_what_it_may_be(key):
    assert Settings.model_fields[key].description
    assert allowed(key)


# -- keeping ------------------------------------------------------------------------------------------

WRITTEN = """\
# my settings
theme = "light"   # easier on the eyes

# who I am
reviewer = "ada"
"""


def test_one_setting_is_kept_and_the_rest_of_the_file_stays_as_it_was(home):
    path = home / "config.toml"
    path.write_text(WRITTEN)
    assert save("theme", "nord") == path
    assert path.read_text() == WRITTEN.replace('"light"', '"nord"')
    save("ascii", True)
    assert path.read_text().startswith(WRITTEN.replace('"light"', '"nord"'))
    assert load().sourced("ascii") == (True, "config.toml")


def test_the_folder_and_the_file_are_made_where_there_are_none(home, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(home / "new" / "place"))
    save("reasons", ("a", "b"))
    assert load().settings.reasons == ("a", "b")


def test_a_setting_that_cannot_be_is_not_kept(home):
    for key, value in (("theme", 1), ("them", "x"), ("items_rows", 1)):
        with pytest.raises(Unusable, match=key):
            save(key, value)
    assert not (home / "config.toml").exists()


def test_a_broken_file_is_left_as_it_is(home):
    path = home / "config.toml"
    path.write_text("theme = ")
    with pytest.raises(Unusable, match="not valid TOML"):
        save("theme", "nord")
    assert path.read_text() == "theme = "


def test_a_place_that_cannot_be_written_is_a_sentence(home, monkeypatch):
    (home / "file").write_text("")
    monkeypatch.setenv("APPELLATE_CONFIG", str(home / "file" / "folder"))
    with pytest.raises(Unusable, match="cannot be written"):
        save("theme", "nord")


def test_a_wrong_setting_is_mended_by_keeping_a_right_one(home):
    (home / "config.toml").write_text("theme = 1\n")
    save("theme", "nord")
    assert load().settings.theme == "nord"


def test_without_a_home_folder_there_are_defaults_and_no_place_to_keep_any(monkeypatch):
    def nobody(*_):
        raise KeyError

    for name in ("HOME", "XDG_CONFIG_HOME", "APPELLATE_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert load().settings.theme == "dark"
    assert config() == {}
    assert is_first_session()
    with pytest.raises(Unusable, match="name a folder with APPELLATE_CONFIG"):
        save("theme", "nord")
    assert expanded("~/keys.toml") == Path("~/keys.toml")
    assert expanded("~nobody-of-this-name/keys.toml") == Path(
        "~nobody-of-this-name/keys.toml",
    )


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_is_kept_as_it_is(home_of_laws, theme):
    save("theme", theme)
    assert (
        tomllib.loads((home_of_laws / "config.toml").read_bytes().decode())["theme"]
        == theme
    )


@pytest.fixture(scope="module")
def home_of_laws(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("appellate.session.settings.folder", lambda: place)
        place = tmp_path_factory.mktemp("laws")
        yield place


def test_a_session_may_begin_in_any_order_that_the_queue_has():
    known = get_args(Settings.model_fields["order"].annotation)
    assert known == tuple(order.id for order in ORDERS)


@given(st.sampled_from(sorted(FREE)), st.one_of(st.text(), st.booleans()))
def test_what_is_right_by_its_type_is_what_the_model_takes(key, value):
    if type(value) is FREE[key]:
        assert Settings.model_construct(**{key: value}) == Settings(**{key: value})


@pytest.mark.parametrize("key", sorted(FREE))
@pytest.mark.parametrize("wrong", [1, ["x"]])
def test_what_a_setting_of_any_text_cannot_be_is_told(key, wrong):
    (problem,) = refusal({key: wrong})
    assert key.replace("_", "-") in problem
