"""`appellate config`: the settings as a file, one of them, and keeping one."""

import tomllib

import pytest

from appellate.app.keys.bindings import every
from appellate.judging.planning import load_profiles, load_template
from appellate.session.settings import KEYS, TABLES, Settings, load
from appellate.traits import prompts


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for key in KEYS:
        monkeypatch.delenv(f"APPELLATE_{key.upper()}", raising=False)
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    monkeypatch.setenv("APPELLATE_REVIEWER", "ada")
    return tmp_path


def test_every_setting_is_printed_with_its_meaning_and_where_it_comes_from(
    cli,
    home,
    monkeypatch,
):
    (home / "config.toml").write_text('theme = "nord"\n')
    monkeypatch.setenv("APPELLATE_MOUSE", "off")
    text = cli("config").out
    assert set(tomllib.loads(text)) == set(KEYS)
    for field in Settings.model_fields.values():
        assert f"# {field.description}\n" in text
    assert (
        'default: "dark"\n# also said by APPELLATE_THEME, --theme; now from: config.toml\ntheme = "nord"'
        in text
    )
    assert "now from: APPELLATE_MOUSE\nmouse = false" in text


def test_what_is_printed_may_be_saved_and_says_the_same(cli, home, monkeypatch):
    monkeypatch.setenv("APPELLATE_REASONS", 'a "b"; \x1b[31mc')
    before = load().settings
    text = cli("config").out
    assert "\x1b" not in text
    (home / "config.toml").write_text(text)
    monkeypatch.delenv("APPELLATE_REASONS")
    assert load().settings == before


def test_one_setting_is_printed_for_a_script(cli):
    assert cli("config theme").out == "dark\n"
    assert cli("config items-share").out == "0\n"
    assert cli("config mouse").out == "true\n"
    assert cli("config reasons").out.startswith("rubric ambiguous\nparaphrase counts\n")


def test_one_setting_is_kept(cli, home):
    assert "mouse is saved in" in cli("config mouse off").err
    cli("config reasons", "one; and", "two")
    cli("config items-rows 12")
    kept = load().settings
    assert (kept.mouse, kept.reasons, kept.items_rows) == (
        False,
        ("one; and", "two"),
        12,
    )


def test_what_goes_before_the_file_is_said(cli):
    assert "APPELLATE_REVIEWER goes before it" in cli("config reviewer grace").err


def test_what_cannot_be_is_refused_and_nothing_is_kept(cli, home):
    assert (
        'there is no setting "them"; did you mean "theme"?'
        in cli("config them x", code=2).err
    )
    assert (
        "must be a whole number from 4 to 40" in cli("config items_rows 99", code=2).err
    )
    assert "must be text, not a list" in cli("config theme a b", code=2).err
    assert 'no preset and no file "nope"' in cli("config keymap nope", code=2).err
    assert (
        'there is no theme "drak"; did you mean "dark"'
        in cli("config theme drak", code=2).err
    )
    assert (
        'there is no theme "%"; appellate config --themes lists them'
        in cli("config theme %", code=2).err
    )
    assert "nothing can be written in" in cli("config cache nowhere/x.db", code=2).err
    assert "Replies cannot be saved in" in cli("config cache", home, code=2).err
    assert not (home / "config.toml").exists()


def test_a_theme_is_kept_where_there_is_one(cli, home):
    (home / "themes").mkdir()
    (home / "themes" / "mine.toml").write_text('[colours]\nprimary = "#123456"\n')
    (home / "themes" / "bad.toml").write_text("dark = 3\n")
    for name in ("light", "mine", "nord"):
        cli("config theme", name)
        assert load().settings.theme == name
    assert (
        "bad.toml: dark: must be true or false" in cli("config theme bad", code=2).err
    )


def test_a_cache_is_kept_though_no_setting_was_before(cli, home, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(home / "new"))
    cli("config cache replies.db")
    assert load().settings.cache == "replies.db"


def test_a_wrong_file_is_told_and_can_be_mended(cli, home):
    (home / "config.toml").write_text("theme = 1\n")
    assert "theme: must be text, not the number 1" in cli("config", code=2).err
    assert cli("config --path").out == f"{home / 'config.toml'}\n"
    cli("config theme light")
    assert load().settings.theme == "light"


JUDGES = """\
[judges.fast]
base_url = "http://localhost:8000/v1"
model = "m\\u001b"
api_key_env = "FAST_KEY"
prices = {input = 0.25, output = 2}

[judges."gpt-5.1"]
model = "gpt-5.1"

[prompts.metric]
system = '''
You "sort".
'''
"""


def test_judges_are_printed_with_whether_their_key_is_set_and_never_with_the_key(
    cli,
    home,
    monkeypatch,
):
    (home / "config.toml").write_text(JUDGES)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("FAST_KEY", "sk-verysecret")
    text = cli("config judges").out
    assert tomllib.loads(text) == {"judges": tomllib.loads(JUDGES)["judges"]}
    assert "# asked by: --judge fast; its key: FAST_KEY is set\n" in text
    assert "# asked by: --judge gpt-5.1; its key: OPENAI_API_KEY is not set\n" in text
    assert "sk-" not in text
    assert "\x1b" not in text


def test_judges_and_prompts_stand_below_the_settings(cli, home):
    (home / "config.toml").write_text(JUDGES)
    whole = tomllib.loads(cli("config").out)
    assert {name: whole[name] for name in TABLES} == tomllib.loads(JUDGES)
    assert set(whole) == {*KEYS, *TABLES}
    assert tomllib.loads(cli("config prompts").out) == {"prompts": whole["prompts"]}


def test_without_a_judge_of_ones_own_it_says_how_to_write_one(cli, home):
    shown = "".join(
        line.removeprefix("# ").removeprefix("#")
        for line in cli("config judges").out.splitlines(True)[1:]
    )
    (home / "config.toml").write_text(shown)
    assert load_profiles().judges["fast"].concurrency == 32


def test_faults_of_settings_judges_and_prompts_are_told_at_once(cli, home):
    (home / "config.toml").write_text(
        "theme = 1\n[judges.x]\nrpm = 0\n[prompts.metric]\nsytem = 'x'\n",
    )
    told = cli("config", code=2).err
    assert "theme: must be text" in told
    assert "judges.x.rpm: must be a whole number" in told
    assert 'prompts.metric.sytem: there is no part "sytem"' in told
    assert told.endswith("3 problems.\n")
    assert "judges is a table" in cli("config judges x", code=2).err


def test_every_binding_is_printed_with_its_keys(cli, home):
    (home / "keymap.toml").write_text('[keys]\n"cell.undo" = "Y"\n')
    keys = tomllib.loads(cli("config --keys").out)["keys"]
    assert set(keys) == {bound.id for bound in every()}
    assert keys["cell.undo"] == ["Y"]


def test_themes_are_printed_with_the_persons_own(cli, home):
    (home / "themes").mkdir()
    (home / "themes" / "mine.toml").write_text('[colours]\nprimary = "#123456"\n')
    (home / "themes" / "bad.toml").write_text("dark = 3\n")
    told = cli("config --themes")
    assert "high-contrast" in told.out
    assert "mine" in told.out
    assert "nord                     dark   Textual's" in told.out
    assert "bad.toml" in told.err


@pytest.mark.parametrize(
    "option",
    ["--ascii", "--no-mouse", "--plain", "--reduced-motion"],
)
def test_every_switch_of_the_screen_is_a_setting(option):
    from appellate.cli.arguments import parser

    given = vars(parser().parse_args(["demo", option]))
    key = option.removeprefix("--").removeprefix("no-").replace("-", "_")
    assert load(given).sourced(key) == (not option.startswith("--no-"), option)


def test_a_keymap_and_a_theme_of_the_command_line_must_be_usable(home, monkeypatch):
    from argparse import Namespace

    from appellate.cli.review import keys_of
    from appellate.core.problem import Unusable

    with pytest.raises(Unusable, match="no preset and no file"):
        keys_of(load(vars(Namespace(keymap="nope"))))
    with pytest.raises(Unusable, match='there is no theme "drak"'):
        keys_of(load(vars(Namespace(theme="drak"))))
    monkeypatch.setenv("APPELLATE_KEYMAP", "nope")
    monkeypatch.setenv("APPELLATE_THEME", "drak")
    assert keys_of(load()) is None


def test_the_prompts_are_printed_kind_by_kind_as_a_file_that_may_be_named(cli, home):
    file = home / "mine.toml"
    file.write_text(cli("config --prompt").out)
    shipped = load_template(file)
    assert set(shipped) == set(prompts.asked())
    assert all("system" in parts for parts in shipped.values())
