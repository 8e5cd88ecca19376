"""Themes are readable, tell the buckets apart, and cannot take the screen down."""

from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.color import Color
from textual.theme import Theme
from textual.widgets import Input, Static

from appellate.app.appearance import themes
from appellate.app.appearance.theme_files import load_theme, theme_variable, user_themes
from appellate.app.appearance.themes import (
    bundled_theme,
    bundled_themes,
    default_variables,
)
from appellate.core.problem import Unusable

DEFAULTS, LIGHT_DEFAULTS = default_variables(dark=True), default_variables(dark=False)
BUNDLED = {theme.name: theme for theme in bundled_themes()}
each_theme = pytest.mark.parametrize("theme", BUNDLED.values(), ids=list(BUNDLED))

BUCKETS = ("bucket-tp", "bucket-fn", "bucket-fp", "bucket-tn")
TEXTS = (
    *(name for name in DEFAULTS if not name.startswith("evidence-")),
    "footer-key-foreground",
)
TEXT_COLOURS = ("foreground", "primary", "accent", "success", "warning", "error")
GROUNDS = ("background", "surface", "panel")
CURSORS = ("block-cursor-background", "block-cursor-blurred-background")

Linear = tuple[float, float, float]

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB
SIGHT = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> Linear:
    """WCAG's linear light of the three channels."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in Color.parse(colour).rgb)
    )
    return red, green, blue


def luminance(light: Linear) -> float:
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def ratio(one: Linear, other: Linear) -> float:
    """WCAG's contrast ratio, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def contrast(one: str, other: str) -> float:
    return ratio(linear(one), linear(other))


def seen_with(sight: str, colour: str) -> Linear:
    light = linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, light, strict=True))))
        for row in SIGHT[sight]
    )
    return red, green, blue


def colour(theme: Theme, name: str) -> str:
    return theme.variables.get(name) or getattr(theme, name)


def needed(theme: Theme) -> float:
    return 7 if theme.name == "high-contrast" else 4.5


def written(folder: Path, text: str, name: str = "mine.toml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def told(path: Path) -> list[str]:
    with pytest.raises(Unusable) as refusal:
        load_theme(path)
    return [
        f"{problem.place}: {problem.wrong}; {problem.right}"
        for problem in refusal.value.problems
    ]


# -- the bundled themes -----------------------------------------------------------------------------


def test_the_contrast_function_knows_its_two_ends():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1


def test_a_dark_a_light_a_high_contrast_and_a_colour_blind_theme_ship():
    assert list(BUNDLED) == [
        "dark",
        "colour-blind",
        "console",
        "high-contrast",
        "light",
    ]
    assert not BUNDLED["light"].dark


def test_each_is_named_after_its_file_and_right_in_all_that_a_file_is_checked_for():
    for path in themes.installed.themes().glob("*.toml"):
        assert load_theme(path) == bundled_theme(path.stem)


@each_theme
def test_every_text_can_be_read_on_every_ground_and_on_the_selected_row(theme):
    unreadable = {
        (text, ground): round(contrast(colour(theme, text), colour(theme, ground)), 2)
        for text in (*TEXTS, *TEXT_COLOURS)
        for ground in (*GROUNDS, *CURSORS)
        if contrast(colour(theme, text), colour(theme, ground)) < needed(theme)
    }
    assert unreadable == {}


@each_theme
@pytest.mark.parametrize("bucket", ["tp", "fn", "fp", "tn"])
def test_evidence_can_be_read_and_so_can_its_mark(theme, bucket):
    ground = colour(theme, f"evidence-{bucket}")
    assert contrast(colour(theme, "foreground"), ground) >= needed(theme)
    assert contrast(colour(theme, f"bucket-{bucket}"), ground) >= 3
    assert contrast(ground, colour(theme, "surface")) >= 1.15


@each_theme
def test_the_selected_row_and_selected_text_can_be_read(theme):
    for cursor in ("block-cursor", "block-cursor-blurred"):
        pair = (
            colour(theme, f"{cursor}-foreground"),
            colour(theme, f"{cursor}-background"),
        )
        assert contrast(*pair) >= needed(theme)
    assert (
        contrast(
            colour(theme, "foreground"),
            colour(theme, "input-selection-background"),
        )
        >= 4.5
    )


@each_theme
def test_no_two_buckets_have_one_colour(theme):
    assert len({colour(theme, bucket) for bucket in BUCKETS}) == 4


def test_the_colour_blind_buckets_stay_apart_in_lightness_alone():
    lights = sorted(
        (linear(colour(BUNDLED["colour-blind"], bucket)) for bucket in BUCKETS),
        key=luminance,
    )
    assert min(ratio(dark, light) for dark, light in pairwise(lights)) >= 1.4


@pytest.mark.parametrize("sight", SIGHT)
def test_the_colour_blind_buckets_stay_apart_to_every_kind_of_sight(sight):
    lights = [
        seen_with(sight, colour(BUNDLED["colour-blind"], bucket)) for bucket in BUCKETS
    ]
    assert min(ratio(one, other) for one, other in combinations(lights, 2)) >= 1.25


def test_what_a_theme_leaves_out_comes_from_the_dark_or_the_light_one(tmp_path):
    assert BUNDLED["dark"].variables | DEFAULTS == BUNDLED["dark"].variables
    assert BUNDLED["light"].variables | LIGHT_DEFAULTS == BUNDLED["light"].variables
    dim = load_theme(written(tmp_path, '[colours]\nprimary = "#ABCDEF"\n'))
    bright = load_theme(
        written(tmp_path, 'dark = false\n[colours]\nprimary = "#ABCDEF"\n'),
    )
    assert (dim.variables, bright.variables) == (
        default_variables(dark=True),
        default_variables(dark=False),
    )
    assert DEFAULTS.keys() == LIGHT_DEFAULTS.keys()


# -- putting them on --------------------------------------------------------------------------------


class Bench(App[None]):
    """Anything that uses each of the review's variables once."""

    CSS = "\n".join(
        f".{name} {{ {'background' if name.startswith('evidence') else 'color'}: ${name}; }}"
        for name in DEFAULTS
    )

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DEFAULTS

    def compose(self) -> ComposeResult:
        yield Input()
        yield from (Static(name, classes=name, markup=False) for name in DEFAULTS)


async def put_on(*worn: Theme) -> list[str]:
    """The colour that the TP mark has under each theme in turn."""
    app = Bench()
    seen = []
    async with app.run_test() as pilot:
        for theme in worn:
            app.register_theme(theme)
            app.theme = theme.name
            await pilot.pause()
            seen.append(app.query_one(".bucket-tp").styles.color.hex)
    return seen


async def test_every_bundled_theme_can_be_put_on_while_the_screen_is_up():
    worn = list(BUNDLED.values())
    assert await put_on(*worn) == [theme.variables["bucket-tp"] for theme in worn]


async def test_the_defaults_carry_the_themes_that_come_with_textual():
    app = Bench()
    async with app.run_test() as pilot:
        for name in ("nord", "textual-light"):
            app.theme = name
            await pilot.pause()
            assert app.query_one(".bucket-tp").styles.color.hex == DEFAULTS["bucket-tp"]


async def test_whatever_kind_of_value_is_accepted_can_be_put_on(tmp_path):
    text = """
        luminosity_spread = 1
        text_alpha = 0.5
        [colours]
        primary = "rgb(1, 2, 3)"
        background = "hsl(200, 20%, 10%)"
        surface = "#00000080"
        panel = "transparent"
        [variables]
        bucket-tp = " tomato "
        text-muted = "auto 70%"
        link-color = "auto"
        link-style = "bold not underline"
        link-style-hover = "none"
        block-cursor-text-style = "b reverse"
        scrollbar = "#abc"
    """
    assert await put_on(load_theme(written(tmp_path, text))) == [
        Color.parse("tomato").hex,
    ]


# -- files that people write ------------------------------------------------------------------------


def test_all_that_is_wrong_with_a_theme_is_told_at_once(tmp_path):
    path = written(
        tmp_path,
        """
        name = "a, b"
        dark = "yes"
        text_alpha = 2
        colors = 1
        [colours]
        foreground = "#12"
        surfaces = "red"
        [variables]
        bucket-tp = "$primary"
        bucket-fp = 7
        bucket-tq = "red"
        bucket-tn = "auto 50%"
        link-style = "loud"
        link-style-hover = "not"
        """,
    )
    lines = {line.partition(":")[0]: line for line in told(path)}
    assert set(lines) == {
        *(
            "colors",
            "name",
            "dark",
            "text_alpha",
            "colours.foreground",
            "colours.surfaces",
            "colours.primary",
        ),
        *(
            "variables.bucket-tp",
            "variables.bucket-fp",
            "variables.bucket-tq",
            "variables.bucket-tn",
        ),
        *("variables.link-style", "variables.link-style-hover"),
    }
    assert 'did you mean "colours"?' in lines["colors"]
    assert 'did you mean "surface"?' in lines["colours.surfaces"]
    assert (
        '"$primary" is not a colour; write it as "#RRGGBB"'
        in lines["variables.bucket-tp"]
    )


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "colours.primary: is missing"),
        ("colours = 3", "colours: must be a table"),
        (
            'variables = ["red"]\n[colours]\nprimary = "red"',
            "variables: must be a table",
        ),
        ("name = 3\n[colours]\nprimary = 'red'", "name: must be a name of letters"),
        (
            "text_alpha = nan\n[colours]\nprimary = 'red'",
            "text_alpha: must be a number from 0 to 1",
        ),
        (
            "text_alpha = true\n[colours]\nprimary = 'red'",
            "text_alpha: must be a number from 0 to 1",
        ),
        (
            "[colours]\nprimary = 'ansi_red'",
            'colours.primary: "ansi_red" cannot be mixed',
        ),
        ("[colours]\nprimary = 'red\\u001b[2J'", "colours.primary: "),
        ("[colours", "line 1"),
    ],
)
def test_a_theme_that_is_wrong_says_how(tmp_path, text, wrong):
    assert wrong in told(written(tmp_path, text))[0]


def test_a_theme_without_a_name_has_that_of_its_file(tmp_path):
    path = written(tmp_path, '[colours]\nprimary = "#ABCDEF"', "dusk.toml")
    assert load_theme(path).name == "dusk"


def test_a_file_that_is_not_there_is_told_as_such(tmp_path):
    assert "there is no such file" in told(tmp_path / "none.toml")[0]


def test_a_folder_that_is_not_there_holds_no_themes(tmp_path):
    assert user_themes(tmp_path / "themes") == ([], [])


def test_a_bad_theme_of_the_user_is_left_out_and_told_while_the_good_one_loads(
    tmp_path,
):
    written(tmp_path, '[colours]\nprimary = "#ABCDEF"', "good.toml")
    bad = written(tmp_path, '[colours]\nprimary = "reddish"', "bad.toml")
    found, problems = user_themes(tmp_path)
    assert [theme.name for theme in found] == ["good"]
    assert [(problem.file, problem.place) for problem in problems] == [
        (str(bad), "colours.primary"),
    ]


def test_a_user_theme_takes_no_name_that_is_taken(tmp_path):
    written(tmp_path, '[colours]\nprimary = "red"', "dark.toml")
    written(tmp_path, 'name = "dusk"\n[colours]\nprimary = "red"', "one.toml")
    written(tmp_path, 'name = "dusk"\n[colours]\nprimary = "red"', "two.toml")
    found, problems = user_themes(tmp_path)
    assert [theme.name for theme in found] == ["dusk"]
    assert ['"dark"' in str(problems[0]), '"dusk"' in str(problems[1])] == [True, True]


@given(
    st.text()
    | st.from_regex(r"(#|rgba?\(|hsla?\(|ansi_)[0-9a-f.,% -]{0,16}\)?", fullmatch=True),
)
def test_any_text_as_a_colour_is_a_fault_or_comes_out_in_one_form(text):
    try:
        colour = theme_variable("bucket-tp", text)
    except ValueError:
        return
    assert colour == Color.parse(text.strip()).hex
    assert colour.startswith("#")
