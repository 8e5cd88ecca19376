"""Themes: those that ship with the program, and what a review adds to every one."""

from collections.abc import Mapping
from functools import cache

from textual.color import Color
from textual.design import ColorSystem
from textual.theme import BUILTIN_THEMES, Theme

from appellate import installed
from appellate.store.files.text_file import MIB, text_of, toml_table

LARGEST = 1 * MIB
"""Bytes of the largest theme file that is read."""
CALM = 0.25
"""The share of the primary colour in the background of a cursor."""

COMPUTED = ColorSystem("#000000").generate()
"""Textual's own variables and their values."""


def bundled_theme_names() -> list[str]:
    """Return the names of the themes that ship with the program: "dark" first, then by name."""
    names = [path.stem for path in installed.themes().glob("*.toml")]
    return sorted(names, key=lambda name: (name != "dark", name))


def bundled_theme(name: str) -> Theme:
    """Return the theme of this name that ships with the program; its file is not checked.

    Variables that the file leaves out are those of the bundled dark or light theme. Raises Unusable
    if no theme has the name.
    """
    path = installed.themes() / f"{name}.toml"
    table = {"name": name} | toml_table(text_of(path, LARGEST), str(path))
    colours = table.pop("colours")
    own_variables = table.pop("variables", {})
    is_dark = table.get("dark", True)
    variables = default_variables(is_dark) | own_variables
    return Theme(**table, **colours, variables=variables)


def bundled_themes() -> list[Theme]:
    """Return all themes that ship with the program, in the order of `bundled_theme_names`."""
    return [bundled_theme(name) for name in bundled_theme_names()]


@cache
def default_variables(dark: bool) -> dict[str, str]:
    """Return the variables that a review needs besides Textual's own, for a theme without them.

    They are those of the bundled dark or light theme, by name without "$". The dict is the same at
    each call and must not be changed. `bucket-*`, `state-*` and `muted` are colours of text;
    `evidence-*` are backgrounds in the response.
    """
    path = installed.themes() / ("dark.toml" if dark else "light.toml")
    table = toml_table(text_of(path, LARGEST), str(path))
    return {
        name: value
        for name, value in table["variables"].items()
        if name not in COMPUTED
    }


def calm_cursor(theme: Theme, variables: Mapping[str, str]) -> dict[str, str]:
    """Return variables for a cursor on whose background text of every colour can be read.

    Textual's themes have a strong colour there, on which the marks of the buckets vanish.
    `variables` are all variables of the theme. Returns {} for a theme with colours of the terminal,
    and for a theme that sets its own cursor and is not one of Textual's.
    """
    ground = Color.parse(variables["background"])
    colour = Color.parse(variables["primary"])
    has_own_cursor = (
        "block-cursor-background" in theme.variables
        and theme.name not in BUILTIN_THEMES
    )
    if has_own_cursor or ground.ansi is not None or colour.ansi is not None:
        return {}
    return {
        "block-cursor-background": ground.blend(colour, CALM).hex,
        "block-cursor-foreground": variables["foreground"],
    }
