"""Themes: those that ship with the program, and what a review adds to every one."""

from collections.abc import Mapping
from functools import cache

from textual.color import Color
from textual.design import ColorSystem
from textual.theme import BUILTIN_THEMES, Theme

from appellate import installed
from appellate.store.files.text_file import MIB, text_of, toml_table

LARGEST = 1 * MIB
CALM = 0.25  # of the primary colour, in the ground of a cursor

COMPUTED = ColorSystem("#000000").generate()  # Textual's own variables and their values


def bundled() -> list[str]:
    """The names of the themes that ship with the program, that of a new user first."""
    names = [path.stem for path in installed.themes().glob("*.toml")]
    return sorted(names, key=lambda name: (name != "dark", name))


def bundled_theme(name: str) -> Theme:
    """One of them, which the tests have checked."""
    path = installed.themes() / f"{name}.toml"
    table = {"name": name} | toml_table(text_of(path, LARGEST), str(path))
    colours = table.pop("colours")
    variables = table.pop("variables", {})
    own = defaults(table.get("dark", True)) | variables
    return Theme(**table, **colours, variables=own)


def bundled_themes() -> list[Theme]:
    """All of them, in the same order."""
    return [bundled_theme(name) for name in bundled()]


@cache
def defaults(dark: bool) -> dict[str, str]:
    """What a review needs beyond Textual's own colours, for a theme that knows none of it: as the
    bundled dark or light theme has it.

    `bucket-*`, `state-*` and `muted` are text; `evidence-*` are behind the response's text.
    """
    path = installed.themes() / ("dark.toml" if dark else "light.toml")
    table = toml_table(text_of(path, LARGEST), str(path))
    return {name: value for name, value in table["variables"].items() if name not in COMPUTED}


def calm_cursor(theme: Theme, variables: Mapping[str, str]) -> dict[str, str]:
    """A cursor's ground that text of every colour is read on, for themes with none of their own.

    Textual's have a strong colour there, on which the marks of the buckets vanish.
    """
    ground = Color.parse(variables["background"])
    colour = Color.parse(variables["primary"])
    own = "block-cursor-background" in theme.variables and theme.name not in BUILTIN_THEMES
    if own or ground.ansi is not None or colour.ansi is not None:
        return {}
    return {
        "block-cursor-background": ground.blend(colour, CALM).hex,
        "block-cursor-foreground": variables["foreground"],
    }
