"""Themes: colours in TOML files, checked value by value before Textual sees them.

A colour that Textual cannot read takes the whole screen down when the theme is put on, so a file is
either right or told to be wrong, with every problem in it.
"""

import difflib
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from textual.color import Color, ColorParseError
from textual.css.constants import VALID_STYLE_FLAGS
from textual.design import ColorSystem
from textual.theme import BUILTIN_THEMES, Theme

from appellate import resources
from appellate.core.problem import Problem, Unusable, closest, describe_value, quoted, unknown_key
from appellate.store.text import MIB, text_of, toml_table

LARGEST = 1 * MIB
CALM = 0.25  # of the primary colour, in the ground of a cursor

DEFAULTS = {
    "bucket-tp": "#7FC98B",
    "bucket-fn": "#E3BC6A",
    "bucket-fp": "#F0857F",
    "bucket-tn": "#8FB0EC",
    "evidence-tp": "#1F3A2A",
    "evidence-fn": "#41351A",
    "evidence-fp": "#4A2427",
    "evidence-tn": "#25334F",
    "state-pending": "#9AA4B5",
    "state-failed": "#F0857F",
    "state-proposed": "#8FB0EC",
    "state-corrected": "#E3BC6A",
    "state-reviewed": "#7FC98B",
    "state-flag": "#D7A0E4",
    "muted": "#9AA4B5",
}
"""What a review needs beyond Textual's own colours, as the bundled dark theme has it.

`bucket-*`, `state-*` and `muted` are text; `evidence-*` stand behind the response's text.
"""

LIGHT_DEFAULTS = {
    "bucket-tp": "#1B6B36",
    "bucket-fn": "#7D4B00",
    "bucket-fp": "#AE231C",
    "bucket-tn": "#2A5298",
    "evidence-tp": "#C2E5C8",
    "evidence-fn": "#F3DCA2",
    "evidence-fp": "#F6C9C3",
    "evidence-tn": "#C6D8F5",
    "state-pending": "#565E6A",
    "state-failed": "#AE231C",
    "state-proposed": "#2A5298",
    "state-corrected": "#7D4B00",
    "state-reviewed": "#1B6B36",
    "state-flag": "#7B2F8E",
    "muted": "#565E6A",
}
"""The same on a light ground, as the bundled light theme has it."""

COLOURS = (
    "primary",
    "secondary",
    "accent",
    "success",
    "warning",
    "error",
    "foreground",
    "background",
    "surface",
    "panel",
    "boost",
)
SHARES = ("luminosity_spread", "text_alpha")
TOP = ("name", "dark", *SHARES, "colours", "variables")
COMPUTED = ColorSystem("#000000").generate()  # every variable of Textual's own, with what it computes
VARIABLES = (*DEFAULTS, *COMPUTED)
AUTOMATIC = {key for key, value in COMPUTED.items() if value.startswith("auto")}
AUTOMATIC_FORM = re.compile(r"auto(?: (?:100|[1-9]?[0-9])%)?")
STYLE_WORD = rf"(?:not +)?(?:{'|'.join(sorted(VALID_STYLE_FLAGS - {'not'}))})"
STYLE_FORM = re.compile(rf"{STYLE_WORD}(?: +{STYLE_WORD})*")
NAME = re.compile(r"[\w-]+")  # Textual reads a comma as "the first of these that there is"
COLOUR_FORMS = 'write it as "#RRGGBB", or as a name such as "red"'

Fault = tuple[str, str, str]  # place, what is wrong, what would be right
Check = Callable[[str, str], tuple[str, str] | None]  # of a key and its value: the last two of a fault


class Themes(NamedTuple):
    """Usable themes, and what is wrong with the files that were left out."""

    themes: list[Theme]
    problems: list[Problem]


def load_theme(path: str | Path) -> Theme:
    """The theme in a TOML file, named after the file where it gives no name; raises Unusable."""
    file = str(path)
    table = {"name": Path(path).stem} | toml_table(text_of(path, LARGEST), file)
    problems = [Problem(file, *fault) for fault in _faults(table)]
    if problems:
        raise Unusable(problems)
    return _theme(table)


def bundled_themes() -> list[Theme]:
    """The themes that ship with the program, the dark one first: it is what a new user sees."""
    themes = [load_theme(path) for path in _bundled_files()]
    return sorted(themes, key=lambda theme: theme.name != "dark")


def user_themes(folder: Path) -> Themes:
    """The themes in a folder that need not exist; a bad file, or one whose name is taken, is left out."""
    themes: dict[str, Theme] = {}
    problems: list[Problem] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            theme = load_theme(path)
        except Unusable as refusal:
            problems += refusal.problems
            continue
        if theme.name in themes or theme.name in _bundled_names():
            wrong = f"there is another theme with the name {quoted(theme.name)}"
            problems.append(Problem(str(path), "name", wrong, "give it a name of its own"))
        else:
            themes[theme.name] = theme
    return Themes(list(themes.values()), problems)


def check(name: str, folder: Path) -> None:
    """Raises Unusable where no theme has this name: with the faults of the file that would be it, or the nearest."""
    own = user_themes(folder)
    names = [theme.name for theme in (*bundled_themes(), *own.themes, *BUILTIN_THEMES.values())]
    if name in names:
        return
    meant = difflib.get_close_matches(name, names)
    told = f"did you mean {' or '.join(map(quoted, meant))}?" if meant else "appellate config --themes lists them"
    broken = [problem for problem in own.problems if Path(problem.file).stem == name]
    raise Unusable(broken or [Problem("theme", "", f"there is no theme {quoted(name)}", told)])


def defaults(dark: bool) -> dict[str, str]:
    """The review's own variables for a theme that knows none of them, such as Textual's."""
    return dict(DEFAULTS if dark else LIGHT_DEFAULTS)


def calm_cursor(theme: Theme, variables: Mapping[str, str]) -> dict[str, str]:
    """A cursor's ground that text of every colour is read on, for Textual's themes and those with none of their own.

    Textual's have a strong colour there, on which the marks of the buckets vanish.
    """
    ground, colour = Color.parse(variables["background"]), Color.parse(variables["primary"])
    own = "block-cursor-background" in theme.variables and theme.name not in BUILTIN_THEMES
    if own or ground.ansi is not None or colour.ansi is not None:
        return {}
    return {
        "block-cursor-background": ground.blend(colour, CALM).hex,
        "block-cursor-foreground": variables["foreground"],
    }


def _bundled_files() -> list[Path]:
    return sorted(resources.themes().glob("*.toml"))


def _bundled_names() -> set[str]:
    """A bundled theme is named after its file, so that no file need be read for this."""
    return {path.stem for path in _bundled_files()}


def _theme(table: dict[str, Any]) -> Theme:
    settings: dict[str, Any] = {key: table[key] for key in ("name", "dark", *SHARES) if key in table}
    colours: dict[str, Any] = {key: _plain(value) for key, value in table["colours"].items()}
    given = {key: _plain(value) for key, value in table.get("variables", {}).items()}
    return Theme(**settings, **colours, variables=defaults(table.get("dark", True)) | given)


def _plain(value: str) -> str:
    """A colour in the one form that every reader of a theme understands; other values as they are."""
    try:
        return Color.parse(value.strip()).hex
    except ColorParseError:
        return value.strip()


# -- what can be wrong ------------------------------------------------------------------------------


def _faults(table: dict[str, Any]) -> Iterator[Fault]:
    yield from ((key, *unknown_key(key, TOP)) for key in table if key not in TOP)
    yield from _name(table["name"])
    if not isinstance(table.get("dark", True), bool):
        yield "dark", f"must be true or false, not {describe_value(table['dark'])}", ""
    yield from _shares(table)
    yield from _table(table, "colours", COLOURS, _colour)
    yield from _table(table, "variables", VARIABLES, _variable)
    if isinstance(table.get("colours", {}), dict) and "primary" not in table.get("colours", {}):
        yield "colours.primary", "is missing", "a theme needs at least this colour"


def _name(name: Any) -> Iterator[Fault]:
    if not (isinstance(name, str) and NAME.fullmatch(name)):
        wrong = f"must be a name of letters, digits, - and _, not {describe_value(name)}"
        yield "name", wrong, ""


def _shares(table: dict[str, Any]) -> Iterator[Fault]:
    for key in (key for key in SHARES if key in table):
        value = table[key]
        if type(value) not in (int, float) or not 0 <= value <= 1:
            yield key, f"must be a number from 0 to 1, not {describe_value(value)}", ""


def _table(table: dict[str, Any], part: str, known: Collection[str], check: Check) -> Iterator[Fault]:
    entries = table.get(part, {})
    if not isinstance(entries, dict):
        yield part, f"must be a table, not {describe_value(entries)}", f"write [{part}]"
        return
    for key, value in entries.items():
        fault = _entry(key, value, known, check)
        if fault:
            yield (f"{part}.{key}", *fault)


def _entry(key: str, value: Any, known: Collection[str], check: Check) -> tuple[str, str] | None:
    if key not in known:
        meant = closest(key, known)
        return "the screen has no such colour", f"did you mean {quoted(meant)}?" if meant else ""
    if not isinstance(value, str):
        return f"must be a text in quotes, not {describe_value(value)}", COLOUR_FORMS
    return check(key, value.strip())


def _colour(_key: str, value: str) -> tuple[str, str] | None:
    try:
        colour = Color.parse(value)
    except ColorParseError:
        return f"{quoted(value)} is not a colour", COLOUR_FORMS
    if colour.ansi is not None:
        return f"{quoted(value)} cannot be mixed with other colours", COLOUR_FORMS
    return None


def _variable(key: str, value: str) -> tuple[str, str] | None:
    if key.endswith(("-style", "-style-hover")):
        return _text_style(value)
    if key in AUTOMATIC and AUTOMATIC_FORM.fullmatch(value):
        return None
    return _colour(key, value)


def _text_style(value: str) -> tuple[str, str] | None:
    if STYLE_FORM.fullmatch(value):
        return None
    return f"{quoted(value)} is not a text style", 'write "bold", "underline", "reverse", "none" or the like'
