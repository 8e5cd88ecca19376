"""Looking through themes on the bench itself, and keeping one."""

import pytest
from review_stage import NARROW, sitting
from textual.widgets import Input

from appellate.app.appearance.theming import ThemePicker
from appellate.session.settings import Settings


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path / "settings"))
    monkeypatch.delenv("APPELLATE_THEME", raising=False)
    return tmp_path / "settings" / "config.toml"


async def open_themes(at):
    at.app.action_change_theme()
    await at.until(lambda: isinstance(at.app.screen, ThemePicker))
    await at.pilot.pause()


@pytest.mark.slow
async def test_a_theme_is_on_while_one_looks_at_it_and_off_again_at_escape(
    tmp_path,
    config,
):
    async with sitting(tmp_path, settings=Settings(theme="light")) as at:
        await open_themes(at)
        assert at.app.theme == "light"
        await at.type("nord")
        assert at.app.theme == "nord"
        await at.type("no theme has this name")
        assert at.app.theme == "nord"
        await at.press("escape")
        assert at.app.theme == "light"
        assert not config.exists()
        assert at.named("pane")


async def test_a_theme_that_is_taken_is_on_and_kept_or_it_is_said_why_not(
    tmp_path,
    config,
    monkeypatch,
):
    async with sitting(tmp_path, size=NARROW) as at:

        async def take(theme):
            await open_themes(at)
            await at.type(theme)
            await at.press("enter")
            assert at.app.theme == theme

        config.parent.mkdir()
        config.write_text("theme = ")
        await take("nord")
        assert "is on, but not saved" in at.said
        assert config.read_text() == "theme = "

        config.unlink()
        await take("gruvbox")
        assert "The theme gruvbox is on, and saved in" in at.said
        assert config.read_text() == 'theme = "gruvbox"\n'

        monkeypatch.setenv("APPELLATE_THEME", "dark")
        await take("nord")
        assert "APPELLATE_THEME goes before it" in at.said
        assert config.read_text() == 'theme = "nord"\n'


async def test_the_cursor_of_any_theme_leaves_the_colours_of_the_buckets_to_be_read(
    tmp_path,
    config,
):
    async with sitting(tmp_path) as at:
        for theme in ("nord", "textual-light", "rose-pine", "solarized-light"):
            at.app.theme = theme
            variables = at.app.get_css_variables()
            assert variables["block-cursor-background"] != variables["primary"]


async def test_with_reduced_motion_nothing_blinks_not_even_in_the_palette(tmp_path):
    async with sitting(tmp_path, settings=Settings(reduced_motion=True)) as at:
        assert at.app.animation_level == "none"
        await at.pilot.press("ctrl+p")
        await at.until(
            lambda: (
                isinstance(at.app.focused, Input) and not at.app.focused.cursor_blink
            ),
        )


async def test_plain_is_ascii_without_frames_bars_or_motion(tmp_path):
    async with sitting(tmp_path, settings=Settings(plain=True)) as at:
        assert at.app.animation_level == "none"
        assert at.text.isascii() or not set("│╭╰─▓░▸●") & set(at.text)
        assert "#" not in at.line("header")
