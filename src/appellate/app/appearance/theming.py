"""The list of themes; the theme under the cursor is tried on, and Esc goes back to the old one."""

from collections.abc import Callable
from typing import Any

from textual.app import App

from appellate.app.appearance.sizes import THREE
from appellate.app.appearance.themes import bundled_theme_names, bundled_themes
from appellate.core.problem import Unusable
from appellate.session import settings
from appellate.ui.contract import Choice
from appellate.ui.marks import Marks
from appellate.ui.picker import Picker


class ThemePicker(Picker):
    """A list at the side of the screen, so that the review below shows the theme."""

    DEFAULT_CSS = """
    ThemePicker { align: right top; background: transparent; }
    ThemePicker > Vertical { width: 34; max-width: 50%; }
    """

    def on_resize(self) -> None:
        """Place the list at the left if the queue is there to be covered, else at the right."""
        super().on_resize()
        self.styles.align_horizontal = "right"
        if self.size.width >= THREE:  # the queue is what it may cover
            self.styles.align_horizontal = "left"


def theme_choices(app: App[Any]) -> list[Choice]:
    """Return a choice for each theme, which says whether it is dark or light.

    The current theme comes first, then the bundled ones, which must be registered, then the
    reviewer's and Textual's by name.
    """
    names = dict.fromkeys(
        [app.theme, *bundled_theme_names(), *sorted(app.available_themes)],
    )
    grounds = {True: "dark", False: "light"}
    return [
        Choice(name, "", name, grounds[app.available_themes[name].dark])
        for name in names
    ]


def pick_theme(app: App[Any], marks: Marks, say: Callable[[str], object]) -> None:
    """Open the list of themes; save the theme that is picked, and say so with `say`.

    The bundled themes are registered for that. The theme under the cursor is used at once. If none
    is picked, the former theme is used again. If the former theme is picked, nothing is saved.
    Returns before the list is closed.
    """
    previous = app.theme
    for theme in bundled_themes():
        app.register_theme(theme)

    def put_on(name: str) -> None:
        if name in app.available_themes and name != app.theme:
            app.theme = name

    def picked(name: str | None) -> None:
        """Use and save the theme that was picked, and say so, or why it cannot be saved.

        If none is picked (None), or the former one, the former theme is used; nothing is saved or
        said.
        """
        put_on(name or previous)
        if name and name != previous:
            say(save_theme(name))

    app.push_screen(
        ThemePicker("Theme", theme_choices(app), highlighted=put_on, marks=marks),
        picked,
    )


def save_theme(name: str) -> str:
    """Save the theme of this name in the config file; return a sentence that says so, or why not.

    The sentence also names an environment variable that overrides the config file.
    """
    try:
        path = settings.save("theme", name)
    except Unusable as refusal:
        return f"The theme {name} is on, but not saved: {refusal}"
    text = f"The theme {name} is on, and saved in {path}"
    source = settings.overriding_variable("theme")
    if source:
        text += f"; {source} goes before it"
    return f"{text}."
