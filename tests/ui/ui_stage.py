"""A bare app to stand widgets in: the theme variables that the real one defines, and every message posted."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from appellate.app.appearance.themes import default_variables
from appellate.ui.lines import Lines
from appellate.ui.page import StyledSpan
from appellate.ui.text_view import ResponseView

HOSTILE = (
    "[/x] [red]hi[/] [@click=app.quit]x[/] {'a': [/x]} \x1b]52;c;aGk=\x07 \x1b[2J \x00 \x9b31m "
    "\u202eevil\u2069 \ufeff\u200b "
    "👩\u200d👩\u200d👧 ❤\ufe0f 🇩🇪 测试文字 e\u0301 \u0301 \ud800 می\u200cخواهم \u2028 a\tb"
)


class Stage(App[object]):
    """Shows the widgets that `build` makes and keeps the messages of `ui` widgets that reach the app."""

    CSS = "Screen { layout: vertical; }"

    def __init__(self, build: Callable[[], Iterable[Widget]] = list) -> None:
        super().__init__()
        self._build = build
        self._news = asyncio.Event()
        self.told: list[Message] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return default_variables(dark=True)

    def compose(self) -> ComposeResult:
        yield from self._build()

    def heard(self, *kinds: type[Message]) -> list[Message]:
        """The messages of some kinds, each once however far it bubbled."""
        return list(
            {
                id(message): message
                for message in self.told
                if isinstance(message, kinds)
            }.values(),
        )

    def hear(self, message: Message) -> None:
        """To pass as `message_hook`."""
        if type(message).__module__.startswith("appellate.ui"):
            self.told.append(message)
            self._news.set()

    async def until_heard(self, *kinds: type[Message]) -> None:
        """Waits until a message of some kinds has come."""
        while not self.heard(*kinds):
            self._news.clear()
            await self._news.wait()


def lines_of(widget: Widget) -> list[str]:
    """What a widget draws, row by row."""
    return [widget.render_line(y).text for y in range(widget.size.height)]


class TextStage(Stage):
    """A response to read; counts the digits that reach the screen."""

    BINDINGS: ClassVar = [("1", "verdict"), ("v", "select")]
    verdicts = 0

    def __init__(self) -> None:
        super().__init__(lambda: [ResponseView(empty="The response is empty.")])

    @property
    def view(self) -> ResponseView:
        return self.query_one(ResponseView)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in lines_of(self.view)]

    def action_verdict(self) -> None:
        self.verdicts += 1

    def action_select(self) -> None:
        self.view.selection.begin()


@asynccontextmanager
async def reading(
    text: str = "",
    spans: Sequence[StyledSpan] = (),
    *,
    size: tuple[int, int] = (60, 10),
    rendered: bool = False,
) -> AsyncIterator[tuple[TextStage, Pilot[Any]]]:
    """Somebody with a response before them."""
    app = TextStage()
    async with app.run_test(size=size, message_hook=app.hear) as pilot:
        if rendered:
            app.view.set_rendered(True)
        if text:
            app.view.show(text, spans)
            await pilot.pause()
        yield app, pilot


@asynccontextmanager
async def listing(
    size: tuple[int, int],
) -> AsyncIterator[tuple[Stage, Pilot[Any], Lines]]:
    """Somebody with an empty list before them."""
    app = Stage(lambda: [Lines()])
    async with app.run_test(size=size, message_hook=app.hear) as pilot:
        yield app, pilot, app.query_one(Lines)
