"""Theme files: colours in TOML, checked value by value before Textual sees them.

A colour that Textual cannot read takes the whole screen down when the theme is put on, so a file is
either right or refused, with every problem in it.
"""

import difflib
import re
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
)
from textual.color import Color, ColorParseError
from textual.css.constants import VALID_STYLE_FLAGS
from textual.theme import BUILTIN_THEMES, Theme

from appellate.app.appearance.themes import (
    COMPUTED,
    LARGEST,
    bundled_theme_names,
    bundled_themes,
    default_variables,
)
from appellate.core.problem import Problem, Unusable, closest, describe_value, quoted
from appellate.store.files.text_file import text_of, toml_table
from appellate.store.files.wording import key_path, problems

AUTOMATIC = {key for key, value in COMPUTED.items() if value.startswith("auto")}
AUTOMATIC_FORM = re.compile(r"auto(?: (?:100|[1-9]?[0-9])%)?")
STYLE_WORD = rf"(?:not +)?(?:{'|'.join(sorted(VALID_STYLE_FLAGS - {'not'}))})"
STYLE_FORM = re.compile(rf"{STYLE_WORD}(?: +{STYLE_WORD})*")
# Textual reads a comma as "the first of these that there is"
NAME = re.compile(r"[\w-]+")
COLOUR_FORMS = 'write it as "#RRGGBB", or as a name such as "red"'


# -- what a file may say -----------------------------------------------------------------------


def _name(value: object) -> str:
    """Return a theme's name unchanged; raise ValueError if it is not letters, digits, - and _."""
    if isinstance(value, str) and NAME.fullmatch(value):
        return value
    raise ValueError(
        f"must be a name of letters, digits, - and _, not {describe_value(value)}",
    )


def _share(value: object) -> float:
    """Return a number from 0 to 1 as a float; raise ValueError for any other value.

    A text such as "0.5" and True are other values, too.
    """
    if type(value) in (int, float) and 0 <= value <= 1:  # type: ignore[operator]
        return float(value)  # type: ignore[arg-type]
    raise ValueError(f"must be a number from 0 to 1, not {describe_value(value)}")


def _colour(value: str) -> str:
    """Return a colour as "#RRGGBB", or as "#RRGGBBAA" if it is transparent.

    Raises ValueError for what is not a colour, and for the terminal's own colours, which
    cannot be mixed.
    """
    try:
        colour = Color.parse(value.strip())
    except ColorParseError:
        raise ValueError(f"{quoted(value)} is not a colour; {COLOUR_FORMS}") from None
    if colour.ansi is not None:
        raise ValueError(
            f"{quoted(value)} cannot be mixed with other colours; {COLOUR_FORMS}",
        )
    return colour.hex


Colour = Annotated[str, AfterValidator(_colour)]
Share = Annotated[float, BeforeValidator(_share)]


class Colours(BaseModel):
    """The colours from which Textual computes all others."""

    model_config = ConfigDict(extra="forbid", strict=True)

    primary: Colour
    secondary: Colour | None = None
    accent: Colour | None = None
    success: Colour | None = None
    warning: Colour | None = None
    error: Colour | None = None
    foreground: Colour | None = None
    background: Colour | None = None
    surface: Colour | None = None
    panel: Colour | None = None
    boost: Colour | None = None


class ThemeFile(BaseModel):
    """A theme as a person writes it; `variables` are checked by their names."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, BeforeValidator(_name)]
    dark: bool = True
    luminosity_spread: Share = Theme.luminosity_spread
    text_alpha: Share = Theme.text_alpha
    colours: Colours
    variables: dict[str, str] = {}


KEYS = {"": ThemeFile.model_fields, "colours": Colours.model_fields}


def theme_variable(name: str, value: str) -> str:
    """Return a theme's variable as Textual reads it, without blanks around it.

    A style is returned as its words, such as "bold"; "auto" as it is, where a colour may be that;
    every other value is a colour and becomes "#RRGGBB", or "#RRGGBBAA" if it is transparent. Raises
    ValueError for a name that neither Textual nor a review has, and for a value of the wrong form.
    """
    known_names = COMPUTED.keys() | default_variables(dark=True).keys()
    if name not in known_names:
        wrong = "the screen has no such colour"
        suggestion = closest(name, known_names)
        if suggestion:
            wrong += f"; did you mean {quoted(suggestion)}?"
        raise ValueError(wrong)
    value = value.strip()
    if name.endswith(("-style", "-style-hover")):
        if STYLE_FORM.fullmatch(value):
            return value
        right = 'write "bold", "underline", "reverse", "none" or the like'
        raise ValueError(f"{quoted(value)} is not a text style; {right}")
    if name in AUTOMATIC and AUTOMATIC_FORM.fullmatch(value):
        return value
    return _colour(value)


# -- loading -----------------------------------------------------------------------------------


class Themes(NamedTuple):
    """Usable themes, and what is wrong with the files that were left out."""

    themes: list[Theme]
    problems: list[Problem]


def load_theme(path: str | Path) -> Theme:
    """Return the theme in a TOML file, named after the file if it gives no name.

    Variables that the file leaves out are those of the bundled dark or light theme. Raises Unusable
    with all problems of the file, or if it cannot be read.
    """
    file = str(path)
    table = {"name": Path(path).stem, "colours": {}} | toml_table(
        text_of(path, LARGEST),
        file,
    )
    wrong: list[Problem] = []
    variables = _variables(table.get("variables"), file, wrong)
    try:
        theme_file = ThemeFile.model_validate(table)
    except ValidationError as error:
        raise Unusable([*problems(error, table, file, KEYS), *wrong]) from None
    if wrong:
        raise Unusable(wrong)
    values = theme_file.model_dump(exclude={"colours", "variables"})
    colours = theme_file.colours.model_dump(exclude_none=True)
    return Theme(
        **values,
        **colours,
        variables=default_variables(theme_file.dark) | variables,
    )


def _variables(
    variable_table: object,
    file: str,
    wrong: list[Problem],
) -> dict[str, str]:
    """Return the variables of a theme file by name; append problems to `wrong`.

    Wrong ones are left out. Anything that is no table or no text is left out without a problem,
    since `ThemeFile` refuses it.
    """
    variables: dict[str, str] = {}
    if not isinstance(variable_table, dict):
        return variables
    for name, value in variable_table.items():
        if not isinstance(value, str):
            continue
        try:
            variables[name] = theme_variable(name, value)
        except ValueError as error:
            wrong.append(Problem(file, key_path(["variables", name]), str(error)))
    return variables


def user_themes(folder: Path) -> Themes:
    """Return the themes in a folder, and the problems of the files that were left out.

    A file is left out if it is wrong, or if a bundled theme or an earlier file, by file name, has
    its name. The folder need not exist.
    """
    themes: dict[str, Theme] = {}
    left_out: list[Problem] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            theme = load_theme(path)
        except Unusable as refusal:
            left_out += refusal.problems
            continue
        if theme.name in themes or theme.name in bundled_theme_names():
            wrong = f"there is another theme with the name {quoted(theme.name)}"
            left_out.append(
                Problem(str(path), "name", wrong, "give it a name of its own"),
            )
        else:
            themes[theme.name] = theme
    return Themes(list(themes.values()), left_out)


def check_theme_name(name: str, folder: Path) -> None:
    """Raise Unusable if no theme has this name; return nothing if one has.

    Themes are the bundled ones, those in `folder`, and Textual's. The problems are those of the
    user's file whose stem is the name, or else a single one that suggests like names, or how to
    list them.
    """
    user_files = user_themes(folder)
    names = [
        theme.name
        for theme in (*bundled_themes(), *user_files.themes, *BUILTIN_THEMES.values())
    ]
    if name in names:
        return
    suggestions = difflib.get_close_matches(name, names)
    right = "appellate config --themes lists them"
    if suggestions:
        right = f"did you mean {' or '.join(map(quoted, suggestions))}?"
    broken = [
        problem for problem in user_files.problems if Path(problem.file).stem == name
    ]
    raise Unusable(
        broken or [Problem("theme", "", f"there is no theme {quoted(name)}", right)],
    )
