"""A class of the screen restyles what its rules are about, and nothing that they do not name."""

import re
from pathlib import Path

from textual.app import App
from textual.containers import Vertical
from textual.widgets import Static

import appellate
from appellate.ui.textual_compat import ABOUT, put_class

SOURCE = Path(appellate.__file__).parent


def test_the_rules_of_a_class_are_about_the_widgets_that_are_styled_anew():
    rules = "\n".join(path.read_text("utf-8") for path in SOURCE.rglob("*.tcss"))
    for name, about in ABOUT.items():
        found = re.findall(rf"{name}\b(?:\.-\w+)*([^{{,]*)[{{,]", rules)
        assert found, name
        assert {rest.split()[0] for rest in found} == set(about.split(", ")), name


def test_no_style_within_the_program_goes_by_such_a_class_of_the_screen():
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        for name in ABOUT:
            assert not re.search(
                rf"Screen\.{name}\b|^\s*\.{name}\b",
                text,
                re.MULTILINE,
            ), path


class Screened(App[None]):
    CSS = """
        .-queue #queue { display: none; }
        .-queue #other { display: none; }
    """

    def compose(self):
        with Vertical():
            yield Static(id="queue")
            yield Static(id="other")


async def test_only_those_are_styled_anew_and_what_has_the_class_already_is_left():
    app = Screened()
    async with app.run_test() as pilot:
        queue, other = app.query_one("#queue"), app.query_one("#other")
        for on in (True, True, False):
            put_class(app.screen, "-queue", on=on)
            await pilot.pause()
            assert app.screen.has_class("-queue") == on
            assert queue.display != on
            assert other.display
