"""The only module that uses what Textual and Rich keep private; a test holds that.

It is written for Textual 8.2.8 and Rich 15. With other versions their own ways take over: more is
sent, a table is found more slowly, keys in a burst are not held back. `later` does without
Textual's timers. `tests/ui/test_textual_compat.py` tells which part has changed.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from math import inf
from operator import attrgetter
from typing import IO, Any, NamedTuple

from msgspec import Struct
from rich.cells import get_character_cell_size
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.content import Content
from textual.css.query import NoMatches
from textual.css.styles import RenderStyles, StylesBase
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.driver import Driver
from textual.events import Callback, Event, InputEvent, Key, MouseMove, Paste
from textual.filter import LineFilter
from textual.geometry import Region, Size, Spacing
from textual.keys import Keys
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.style import Style as TextualStyle
from textual.widget import Widget
from textual.worker import WorkType

try:
    from textual._border import get_box
    from textual._styles_cache import StylesCache
except ImportError:
    StylesCache = object  # type: ignore[assignment,misc]

try:
    from textual._ansi_sequences import ANSI_SEQUENCES_KEYS as _SEQUENCES
except ImportError:
    _SEQUENCES = {}

try:
    from textual._keyboard_protocol import FUNCTIONAL_KEYS as _KEYS
except ImportError:
    _KEYS = {}  # type: ignore[misc]

NAMED_SEQUENCES: Mapping[str, object] = _SEQUENCES
"""The sequences that Textual has a key for."""
FUNCTION_KEYS: Mapping[str, str] = _KEYS
"""The names of keys by their number and final letter in kitty's protocol."""

if isinstance(_SEQUENCES, dict):
    # Alt+Enter with a key right behind it was "^" and Enter: what is typed would be kept too early
    _SEQUENCES["\x1b\r"] = (Keys.ControlJ,)

CODEPOINTS = range(0x110000)
TAB = 4
"""Cells that a tab takes in a frame."""
MOST_FRAMES = 20
"""Frames of a traceback that are shown."""
NAMELESS = ("", "dumb", "linux")
"""The TERM of terminals without a window to name."""


class PlacedStrip(NamedTuple):
    """A strip with its position on the terminal, in cells from the top left."""

    y: int
    x: int
    strip: Strip


class ScreenUpdate(Struct, frozen=True):
    """What Textual is about to draw."""

    strips: Iterable[PlacedStrip]
    layout: Size | None = None
    """The size of a whole layout; None if only parts are drawn."""


def text_on(screen: Screen[Any]) -> str:
    """Return the text that a screen shows, one line for each row of cells.

    "" if this Textual keeps it in another way.
    """
    compositor = getattr(screen, "_compositor", None)
    if compositor is None:
        return ""
    return "\n".join(strip.text for strip in compositor.render_strips())


class Components(dict[str, RenderStyles]):
    """The styles of a widget's components, each found when it is first drawn."""

    def __init__(self, node: DOMNode, stylesheet: Stylesheet) -> None:
        self._node = node
        self._stylesheet = stylesheet
        self.own_styles: dict[str, Style] = {}
        """What each component adds to the style below it, found when it is first drawn."""
        self.whole_styles: dict[str, Style] = {}
        """The style of each component on its widget, found when it is first drawn."""
        self.below: TextualStyle | None = None
        """The style of the widget that `whole_styles` are on."""

    def __contains__(self, name: object) -> bool:
        return name in self._node._get_component_classes()  # noqa: SLF001

    def __missing__(self, name: str) -> RenderStyles:
        """Find the styles of a component when it is first drawn, and keep them.

        Styles are found for any name: `in` tells whether the widget has such a component.
        """
        part = DOMNode(classes=name)
        part._attach(self._node)  # noqa: SLF001
        self._stylesheet.apply(part, animate=False)
        self[name] = part.styles
        return part.styles


def own_style(
    widget: Widget,
    component: str,
    default: Style | None = None,
) -> Style:
    """Return what a component of a widget adds to the style that it is drawn on.

    It is found again after the widget was styled again; Textual looks for it after each change of
    the widget. For a component that the widget has not, `default` is returned, and kept as if it
    were found; without a default KeyError is raised.
    """
    components = widget._component_styles  # noqa: SLF001
    if not isinstance(components, Components):
        return widget.get_component_rich_style(
            component,
            partial=True,
            default=default,
        )
    style = components.own_styles.get(component)
    if style is None:
        style = widget.get_component_rich_style(
            component,
            partial=True,
            default=default,
        )
        components.own_styles[component] = style
    return style


def whole_style(widget: Widget, component: str, default: Style | None = None) -> Style:
    """Return the style of a component together with that of the widget and all that is below it.

    It is found again after the widget was styled again, or has another background or colour;
    Textual looks for it after each change of the widget. For a component that the widget has not,
    `default` is returned, and kept as if it were found; without a default KeyError is raised.
    """
    components = widget._component_styles  # noqa: SLF001
    if not isinstance(components, Components):
        return widget.get_component_rich_style(component, default=default)
    below = widget.visual_style
    if components.below is not below:
        components.below = below
        components.whole_styles.clear()
    style = components.whole_styles.get(component)
    if style is None:
        style = widget.get_component_rich_style(component, default=default)
        components.whole_styles[component] = style
    return style


class DrawnStyles(Stylesheet):
    """A stylesheet that styles no component before it is drawn: each takes 0.1 ms."""

    def _process_component_classes(self, node: DOMNode) -> None:
        """Let a widget find the styles of its components when they are drawn, instead of at once.

        If a style that it had before is a different one now, the widget is drawn again.
        """
        styles_before = node._component_styles  # noqa: SLF001
        components = Components(node, self)
        node._component_styles = components  # noqa: SLF001
        for name, styles in styles_before.items():
            if components[name] != styles:
                node.refresh()
                return


Hand = InputEvent | Paste
TWICE = 0.4
"""Seconds. A second Enter within this time was meant for what the first one was pressed on."""
ENTERED_TWICE = "This opened just now: press Enter again to choose."


class KeyQueue:
    """Keys, clicks and pastes in their order: each finds the state that the one before it led to.

    A key passes from the focused widget through its ancestors to the application. Each of them has
    a queue of its own, and what the key leads to passes through these queues, too. A callback at
    the end of each queue tells that all is done.
    """

    def __init__(self, app: "CompatApp") -> None:
        """Begin with an open, empty queue; events are handed to `app`."""
        self._app = app
        self._waiting: deque[Hand] = deque()
        self.is_open = True
        """Whether keys are handed on; if not, all of them wait."""
        self._busy = False
        self._settled: MessagePump | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is waiting or being handled."""
        return not self._busy and not self._waiting

    def open(self) -> None:
        """Open the queue: hand on the events that waited, in the background, and all later ones.

        A queue that is handing events on already only continues.
        """
        self.is_open = True
        if self._waiting and not self._busy:
            self._busy = True
            beside(self._app, self._hand_on, "keys")

    def take(self, event: Hand) -> None:
        """Queue an event, to be handed on once all before it is done and the queue `is_open`.

        After the last screen has closed, the event is dropped.
        """
        if self._app.screen_stack:
            self._waiting.append(event)
            if self.is_open:
                self.open()

    async def _hand_on(self) -> None:
        """Hand on events one at a time until none waits, each after all that the one before led to.

        Only one such coroutine runs. After the pointer only moved, it does not wait. A key with Alt
        that nothing is bound to is handed on as Esc and then that key.
        """
        try:
            while self._waiting:
                if self._key_receivers()[0] is not self._settled:
                    await self._settle()
                event = self._waiting.popleft()
                if isinstance(event, Key) and self._is_escape_and_key(event):
                    self._waiting.appendleft(
                        Key(event.character or "", event.character),
                    )
                    event = Key("escape", "\x1b")
                await self._app.hand_on(event)
                if not isinstance(event, MouseMove):
                    await self._settle()
        finally:
            self._busy = False

    def _is_escape_and_key(self, event: Key) -> bool:
        """Return whether a key with Alt is in fact Esc and that key, which came in one read.

        Terminals send both alike. It counts as Esc and the key if nothing is bound to the key with
        Alt.
        """
        if not event.key.startswith("alt+") or not event.character:
            return False
        return hears(self._app.screen, event.key) is None

    def _key_receivers(self) -> list[MessagePump]:
        """Return the objects that get a key, from the focused widget up, or from the screen up.

        Without a screen it is the app alone.
        """
        if not self._app.screen_stack:
            return [self._app]
        return [*(self._app.focused or self._app.screen).ancestors_with_self]

    async def _settle(self) -> None:
        """Wait until all that was begun is done, and the focused widget can take a key.

        A message is posted to each object that gets keys, and its turn is waited for, twice: the
        second one is behind what the first ones led to. If the focus moves in the meantime, the
        wait begins again with the other widget.
        """
        self._settled = None
        while (receivers := self._key_receivers())[0] is not self._settled:
            self._settled = receivers[0]
            # once after the key, then after the messages that it led to
            for pump in receivers + receivers:
                done = asyncio.Event()
                is_open = pump.post_message(Callback(callback=done.set))
                if is_open:  # what closes does nothing more
                    await done.wait()


class CompatApp(App[None]):
    """An app that takes keys one at a time and may send the terminal other sequences."""

    def __init__(self) -> None:
        super().__init__()
        self.key_queue = KeyQueue(self)
        self.arrived: Callable[[Message], float] = attrgetter("time")
        """Returns when a message came, in seconds of a clock."""
        self._last_key: Key | None = None
        """The key that was handed on last; None after a click."""
        self._asked_by_enter = -inf
        """When the Enter came that opened the present question."""
        self.stylesheet = DrawnStyles(variables=self.stylesheet._variables)  # noqa: SLF001

    def get_driver_class(self) -> type[Driver]:
        """Return the class of the driver, which reads its input through our gate.

        On Windows that is Textual's own, whose parser is replaced; in browsers and tests it is
        Textual's as it is.
        """
        driver_class = super().get_driver_class()
        # Windows, browsers and tests have other drivers
        if driver_class.__name__ == "LinuxDriver":
            from appellate.ui.terminal_driver import TerminalDriver

            return TerminalDriver

        if driver_class.__name__ == "WindowsDriver":
            from appellate.ui.terminal_input import GatedParser

            replace_parser("win32", GatedParser)
        return driver_class

    async def hand_on(self, event: Hand) -> None:
        """Give a key, a paste or what the mouse did to the widget that it is for; called by the
        queue.

        A key is remembered as the latest, for `asks`. All else but a move of the mouse forgets it.
        """
        if not isinstance(event, MouseMove):
            self._last_key = event if isinstance(event, Key) else None
        await super().on_event(event)

    def asks(self) -> None:
        """Note that a question opens, and whether the latest key that was handed on was an Enter.

        `is_second_enter` needs it.
        """
        self._asked_by_enter = -inf
        if self._last_key is not None and self._last_key.key == "enter":
            self._asked_by_enter = self.arrived(self._last_key)

    def is_second_enter(self, event: Key) -> bool:
        """Return whether a key is an Enter within `TWICE` seconds of that which opened a question.

        Such an Enter was pressed for what was there before, and must answer nothing. There may be
        several. After an Enter that came later, False is returned until the next question. False
        for other keys, and if no Enter opened the question.
        """
        if event.key != "enter" or self._asked_by_enter == -inf:
            return False
        if self.arrived(event) - self._asked_by_enter < TWICE:
            return True
        self._asked_by_enter = -inf
        return False

    def before_update(self, update: ScreenUpdate | None) -> None:
        """Called before each update; None is an unknown kind of update, which is sent as it is."""

    def render_update(self, update: ScreenUpdate, console: Console) -> str:
        """Return the escape sequences to send for an update."""
        return "".join(placed.strip.render(console) for placed in update.strips)

    def name_window(self, name: str) -> None:
        """Name the terminal's window and remember its old name; "" brings that back.

        Does nothing without a terminal, and on one that may print the sequence instead.
        """
        if self._driver is None or os.environ.get("TERM", "") in NAMELESS:
            return
        if name:
            self._driver.write(f"\x1b[22;2t\x1b]2;{name}\x07")
        else:
            self._driver.write("\x1b[23;2t")

    def refresh_css(self, animate: bool = True) -> None:
        """Style all widgets again; before there is a screen, only set the theme's colours.

        `animate` is whether changed styles may move to their new values.
        """
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def crashed(self) -> None:
        """Called when an uncaught exception ends the app."""

    async def on_event(self, event: Event) -> None:
        """Queue keys, pastes and what the mouse does before a widget gets them.

        All other events, and those that a widget got already, go the usual way. Textual has no
        other place for that.
        """
        if isinstance(event, InputEvent | Paste) and not event.is_forwarded:
            self.key_queue.take(event)
        else:
            await super().on_event(event)

    def _display(
        self,
        screen: Screen[object],
        renderable: RenderableType | None,
    ) -> None:
        """Send an update through `before_update` and `render_update`.

        An update of an unknown kind is sent as Textual does it, after `before_update(None)`.
        """
        if renderable is not None:
            update = read_update(renderable)
            self.before_update(update)
            if update is not None:
                send = partial(self.render_update, update)
                renderable.render_segments = send  # type: ignore[union-attr]
        super()._display(screen, renderable)

    def _fatal_error(self) -> None:
        """End the app with a traceback of the current exception, ring the bell, and call `crashed`.

        The traceback is without local variables, in which keys and patients' text may be.
        """
        from rich.traceback import Traceback  # with all that colours source text

        self.bell()
        self.panic(Traceback(show_locals=False, width=None, max_frames=MOST_FRAMES))
        self.crashed()


def read_update(renderable: object) -> ScreenUpdate | None:
    """Return an update of Textual's compositor as a plain value.

    None for anything else, and if this Textual has its updates in another way. Nothing is raised.
    """
    try:
        from textual._compositor import ChopsUpdate, LayoutUpdate

        if isinstance(renderable, LayoutUpdate):
            region = renderable.region
            return ScreenUpdate(
                _strips_of_layout(renderable.strips, region),
                region.size,
            )
        if isinstance(renderable, ChopsUpdate):
            chops = renderable.chops
            spans = renderable.spans
            return ScreenUpdate(_strips_within(chops, spans, renderable.chop_ends))
    except (ImportError, AttributeError):
        return None
    return None


class EventParser:
    """Textual's parser. It only gets whole and known sequences, so nothing is left in it."""

    def __init__(self, *, debug: bool = False) -> None:
        """Make Textual's parser; with `debug` it writes what it reads into keys.log."""
        from textual._xterm_parser import XTermParser

        self._parser = XTermParser(debug)

    def read(self, text: str) -> list[Message]:
        """Return the events of typed characters, or of one whole sequence; none for ""."""
        return list(self._parser.feed(text)) if text else []

    def with_alt(self, character: str) -> list[Message]:
        """Return the events for Alt with a character.

        They are those of the sequence of Esc and the character, if Textual knows it, else the
        character's key with Alt. Keys that Textual ignores are left out.
        """
        keys = self._parser._sequence_to_key_events  # noqa: SLF001
        key_events = list(keys(f"\x1b{character}"))
        if not key_events:
            key_events = list(keys(character, alt=True))
        return [key for key in key_events if key.key != Keys.Ignore]


def replace_parser(module_name: str, parser: type) -> None:
    """Make the input loop of one of Textual's drivers use another parser, in this process.

    `module_name` is that of the driver, such as "win32". Raises ModuleNotFoundError if this Textual
    has no such driver.
    """
    module = import_module(f"textual.drivers.{module_name}")
    module.XTermParser = parser  # type: ignore[attr-defined]


def replace_output(driver: Driver, wrap: Callable[[IO[str]], object]) -> None:
    """Make a driver write to `wrap(file)` instead of its file.

    Does nothing if this Textual keeps the file elsewhere.
    """
    file = getattr(driver, "_file", None)
    if file is not None:
        driver._file = wrap(file)  # type: ignore[attr-defined]  # noqa: SLF001


def hears(screen: Screen[Any], key: str) -> DOMNode | None:
    """Return the node that acts on a key now, or None if none does.

    It is the first from the focus up that has the key bound to an action that is not refused there.
    Textual finds that for all keys at once, which takes a tenth of a cursor key's time.
    """
    state = getattr(screen.app, "_check_action_state", None)
    if state is None:
        active = screen.active_bindings.get(key)
        return active.node if active else None

    for node, bindings in screen._modal_binding_chain:  # noqa: SLF001
        for binding in bindings.key_to_bindings.get(key, ()):
            if state(binding.action, node) is not False:
                return node
    return None


class SteadyScrollBar(ScrollBar):
    """A vertical scrollbar that is drawn at once.

    Textual draws one by way of a console and gives each of its lines a frame: as long as it takes
    to draw the text beside it. And it draws a screen again for a bar that the layout changed.
    """

    def __init__(self, **options: Any) -> None:
        """Take the options of Textual's scrollbar; nothing is drawn yet."""
        super().__init__(**options)
        self._look: tuple[object, ...] = ()
        """All that decides how the lines look that were drawn last."""
        self._strips: list[Strip] = []
        """The lines that were drawn last."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of the bar within the region `crop`, as strips.

        A bar that another class draws, or that has not both colours, is left to Textual. If all of
        the bar is asked for, it need not be drawn again.
        """
        bar = self.render()
        if not isinstance(bar, ScrollBarRender) or not isinstance(bar.style, Style):
            return super().render_lines(crop)
        if bar.style.bgcolor is None or bar.style.color is None:
            return super().render_lines(crop)

        if crop.height == self.size.height:
            self._repaint_required = False
        look = (
            self.size,
            crop,
            bar.virtual_size,
            bar.window_size,
            bar.position,
            bar.style,
            self.visual_style,
            tuple(self.get_line_filters()),
        )
        if look != self._look:
            self._look = look
            self._strips = self._drawn_lines(bar, bar.style, crop)
        return self._strips

    def _drawn_lines(
        self,
        bar: ScrollBarRender,
        style: Style,
        crop: Region,
    ) -> list[Strip]:
        """Return the lines of a bar within a region, in the colours of `style`, which has two."""
        width, height = self.size
        segments = bar.render_bar(
            height,
            bar.virtual_size,
            bar.window_size,
            bar.position,
            width,
            back_color=style.bgcolor,  # type: ignore[arg-type]
            bar_color=style.color,  # type: ignore[arg-type]
        ).segments
        _, background = self.background_colors
        strip_by_segment: dict[Segment, Strip] = {}
        for segment in dict.fromkeys(segments):  # most lines of a bar are alike
            strip = Strip([segment], width).apply_style(self.rich_style)
            for line_filter in self.get_line_filters():
                strip = strip.apply_filter(line_filter, background)
            strip_by_segment[segment] = strip.crop(crop.x, crop.right)
        return [strip_by_segment[segment] for segment in segments[crop.y : crop.bottom]]


class LineCache(StylesCache):
    """Draws the lines of a widget that has no links, and keeps them.

    Textual looks up border, padding, outline, tint and opacity for each line anew, which takes as
    long as to draw the text between them. And it goes through all lines of a widget, whether they
    have to be drawn again or not.
    """

    def __init__(self, *, draws_nothing: bool = False) -> None:
        """Keep no line yet; until a widget is looked at, Textual draws all lines.

        `draws_nothing` says that the widget has no lines at all.
        """
        super().__init__()
        self._draws_nothing = draws_nothing
        """Whether the widget has no lines at all."""
        self._is_plain = False
        """Whether lines are drawn here; False if Textual draws them. The next four are for then."""
        self._top = 0
        """Lines of the border and the padding above the content."""
        self._left: list[Segment] = []
        """What is drawn at the left of each line of the content."""
        self._right: list[Segment] = []
        """What is drawn at the right of each line of the content."""
        self._blank = Style.null()
        """The style of the blanks at the end of a line that is too short."""
        self._sides_of: list[int] = []
        """What the sides were looked up for: the versions of all styles that they depend on."""
        self._filters: Sequence[LineFilter] = ()
        """What all lines that are kept went through."""
        self._crop: Region | None = None
        """The part that was drawn last; None if nothing is kept."""
        self._strips: list[Strip] = []
        """The lines of that part."""

    def clear(self) -> None:
        """Forget all lines that were kept."""
        super().clear()
        self._crop = None

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        """Return the lines of the region `crop` of a widget; the list must not be changed.

        Only lines that are dirty are drawn. If none in `crop` is, and `crop` is that of the last
        time, the list is the one of the last time. All lines are drawn again if the widget's line
        filters changed. The list is empty for a widget that draws nothing.
        """
        if self._draws_nothing:
            return []

        filters = widget.get_line_filters()
        if filters != self._filters:
            self.clear()
            self._filters = filters
        if crop != self._crop or not self._dirty_lines.isdisjoint(crop.line_range):
            if self._crop is None:
                self._look_up_sides(widget)
            self._strips = super().render_widget(widget, crop)
            self._crop = crop
        return self._strips

    def _look_up_sides(self, widget: Widget) -> None:
        """Keep what is drawn beside the lines of a widget's content, for the lines drawn here.

        With an effect (an outline, a hatch, a tint, or opacity) nothing is kept but that Textual
        draws all lines. While no style of the widget or of what it lies on was set since, nothing
        is looked up.
        """
        sides_of = [
            node.styles._cache_key  # noqa: SLF001
            for node in widget.ancestors_with_self
        ]
        if sides_of == self._sides_of:
            return
        self._sides_of = sides_of

        styles = widget.styles
        self._is_plain = not (
            widget.opacity != 1
            or styles.text_opacity != 1
            or styles.tint.a
            or styles.hatch not in (None, "none")
            or any(edge for edge, _ in styles.outline)
        )
        if not self._is_plain:
            return

        base_background, background = widget.background_colors
        inner = TextualStyle(background=base_background + background)
        outer = TextualStyle(background=base_background)
        self._top = styles.gutter.top
        self._blank = inner.rich_style
        padding = styles.padding
        self._left = []
        self._right = []
        sides = (
            (styles.border_left, 0, padding.left, self._left),
            (styles.border_right, 2, padding.right, self._right),
        )
        for (edge, color), column, cells, segments in sides:
            if edge:
                style = TextualStyle(foreground=base_background + color)
                segments.append(get_box(edge, inner, outer, style)[1][column])
            if cells:
                segments.append(Segment(" " * cells, self._blank))
        self._right.reverse()

    def render(
        self,
        styles: StylesBase,
        size: Size,
        base_background: Color,
        background: Color,
        render_content_line: Callable[[int], Strip],
        filters: Sequence[LineFilter],  # noqa: ARG002 - `render_line` applies them
        *arguments: Any,
        **options: Any,
    ) -> list[Strip]:
        """Return the lines of a widget in the region that `options` name as `crop`, else all lines.

        `filters` are ignored. Each line that has to be drawn goes instead through the widget's line
        filters as `render_widget` last found them, and is kept like that. A kept line is not
        filtered again.
        """
        return super().render(
            styles,
            size,
            base_background,
            background,
            render_content_line,
            (),
            *arguments,
            **options,
        )

    def render_line(
        self,
        styles: StylesBase,
        y: int,
        size: Size,
        content_size: Size,
        padding: Spacing,
        base_background: Color,
        background: Color,
        render_content_line: Callable[[int], Strip],
        *arguments: Any,
    ) -> Strip:
        """Return line `y` of the widget, from 0 at its top, with what is beside its content.

        It went through the widget's line filters as `render_widget` last found them. Textual draws
        lines above and below the content, and all lines of a widget with effects; it gets all
        arguments.
        """
        content_y = y - self._top
        if not self._is_plain or not 0 <= content_y < content_size.height:
            strip = super().render_line(
                styles,
                y,
                size,
                content_size,
                padding,
                base_background,
                background,
                render_content_line,
                *arguments,
            )
            for line_filter in self._filters:
                strip = strip.apply_filter(line_filter, background)
            return strip

        strip = render_content_line(content_y)
        missing = content_size.width - strip.cell_length
        if missing < 0:
            strip = strip.adjust_cell_length(content_size.width)
        segments = [*self._left, *strip]
        if missing > 0:
            segments.append(Segment(" " * missing, self._blank))
        segments += self._right
        for line_filter in self._filters:
            segments = line_filter.apply(segments, background)
        return Strip(segments, size.width)


def draw_by_lines(widget: Widget) -> None:
    """Let a widget without links keep the lines that it has drawn, to draw only others again.

    Does nothing if this Textual keeps lines in another way.
    """
    if StylesCache is not object and hasattr(widget, "_styles_cache"):
        widget._styles_cache = LineCache()  # noqa: SLF001


def draw_nothing(container: Widget) -> None:
    """Let a container draw nothing: where none of its children is, what it lies on itself is seen.

    It must have no background and no border. Textual would draw a blank line of it below each line
    of its children. Does nothing if this Textual keeps lines in another way.
    """
    if StylesCache is not object and hasattr(container, "_styles_cache"):
        container._styles_cache = LineCache(draws_nothing=True)  # noqa: SLF001


class SteadyView(ScrollView):
    """A view of lines of `line_width` cells whose scrollbar is not laid out again without need."""

    line_width = 0

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        draw_by_lines(self)

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The vertical scrollbar, which is made, hidden, when it is first asked for."""
        if getattr(self, "_vertical_scrollbar", self) is None:
            bar = SteadyScrollBar(
                name="vertical",
                thickness=self.scrollbar_size_vertical,
            )
            bar.display = False
            self._vertical_scrollbar = bar
            self.app._start_widget(self, bar)  # noqa: SLF001
        return super().vertical_scrollbar

    def render_lines(self, crop: Region) -> list[Strip]:
        """Return the lines of the view within the region `crop`, as strips.

        Before they are drawn `line_width` is set to the cells of a line without the scrollbar.
        """
        # asked for once: it takes as long as to draw a short line
        self.line_width = self.scrollable_content_region.width
        return super().render_lines(crop)

    def _size_updated(
        self,
        size: Size,
        virtual_size: Size,
        container_size: Size,
        layout: bool = True,
    ) -> bool:
        """Return whether the view has to be laid out: False for an update that changes no size.

        For any other update Textual notes the new size and decides.
        """
        inner_size = size - self.styles.gutter.totals
        if size == self.outer_size and inner_size == self.container_size:
            return False
        return super()._size_updated(size, virtual_size, container_size, layout)


def put_in_frame(widget: Widget, title: Content, *, above: bool) -> None:
    """Put a text into a widget's frame, above or below, and draw only that row again.

    Only its first line is put there, with spaces for tabs. If it is there already, nothing is
    drawn.
    """
    side = "_border_subtitle"
    row = widget.outer_size.height - 1
    if above:
        side = "_border_title"
        row = 0
    title_before = getattr(widget, side)
    new_title = title.expand_tabs(TAB).split()[0]
    if title_before is None or not new_title.is_same(title_before):
        setattr(widget, side, new_title)
        x, y = widget.content_offset
        width = widget.outer_size.width
        widget.refresh(Region(-x, row - y, width, 1))


def _strips_of_layout(
    lines: Sequence[Iterable[Strip]],
    region: Region,
) -> Iterator[PlacedStrip]:
    """Yield the strips of a whole layout with their positions, line by line.

    `lines` are the strips of each line of `region`, from left to right.
    """
    for y, strips in enumerate(lines, region.y):
        x = region.x
        for strip in strips:
            yield PlacedStrip(y, x, strip)
            x += strip.cell_length


def _strips_within(
    chops: Sequence[Mapping[int, Strip | None]],
    spans: Sequence[tuple[int, int, int]],
    chop_ends: Sequence[Sequence[int]],
) -> Iterator[PlacedStrip]:
    """Yield the strips within some spans, cut at their right ends, with their positions.

    A span is a line and the columns at which it starts and stops. `chops` has the strips of each
    line by their first columns, and `chop_ends` their ends. A strip begins where it begins, even
    before its span.
    """
    for y, start, stop in spans:
        for end, (x, strip) in zip(chop_ends[y], chops[y].items(), strict=False):
            is_within = x < stop and end > start
            if strip is not None and is_within:
                width = min(end, stop) - x
                yield PlacedStrip(y, x, strip.crop(0, width))


def zero_width_ranges() -> list[tuple[int, int]]:
    """Return the first and last code point of each run that takes no cell of its own, in order.

    Rich's own table is read. If this Rich has none, each code point is measured, which is slow.
    """
    try:
        from rich._unicode_data import load

        return [
            (first, last) for first, last, cells in load("auto").widths if cells == 0
        ]
    except (ImportError, AttributeError, ValueError):
        ranges: list[tuple[int, int]] = []
        for code in CODEPOINTS:
            if get_character_cell_size(chr(code)):
                continue
            first = code
            if ranges and ranges[-1][1] == code - 1:
                first, _ = ranges.pop()
            ranges.append((first, code))
        return ranges


def later(
    seconds: float,
    pump: MessagePump,
    do: Callable[[], object],
) -> asyncio.TimerHandle:
    """Call a function once after `seconds` seconds, in the order of `pump`'s messages.

    It is not called if `pump` is closed by then; the handle that is returned cancels it. This is no
    timer of Textual, because one whose only tick is due while the machine stalls never ticks.
    """
    return asyncio.get_running_loop().call_later(seconds, pump.call_next, do)


Work = Callable[[], Coroutine[Any, Any, None]]
"""A function that returns a coroutine; a coroutine itself would never be awaited if its worker ends
early.
"""


def beside(screen: DOMNode, work: Work, group: str, *, exclusive: bool = False) -> None:
    """Run work in the background of a screen; `exclusive` cancels the others of its group.

    If the work misses a part (NoMatches) of a screen that is no longer displayed, nothing is
    raised. On a displayed screen it is an error, as any other error of the work is.
    """

    async def done() -> None:
        """Do the `work`; its errors pass through, but for one.

        NoMatches, for a missing part of a screen, is dropped if that is not displayed any more.
        """
        try:
            await work()
        except NoMatches:
            if screen.display:
                raise

    working: WorkType[None] = done
    screen.run_worker(working, group=group, exclusive=exclusive)


def set_scrolled_size(view: ScrollView, size: Size) -> None:
    """Set how much a view scrolls over, in columns and lines.

    The view is laid out again only if that is needed: if its width or its need of a scrollbar
    changes, or if it is as large as its content. A scrollbar that comes or goes so is shown or
    hidden at once. Otherwise the scroll offset is only kept in range, and the bar's size is set.
    """
    size_before = view.virtual_size
    height = view.size.height
    was_needed = size_before.height > height
    is_needed = size.height > height
    changes_layout = size.width != size_before.width or was_needed != is_needed
    if view.styles.auto_dimensions or changes_layout:
        view.virtual_size = size
        is_automatic = view.styles.overflow_y == "auto"
        is_other = is_needed != view.show_vertical_scrollbar
        if height and is_automatic and is_other:
            # otherwise the next layout asks for another one
            view.set_reactive(ScrollView.show_vertical_scrollbar, is_needed)
            # to draw a bar that is not laid out yet would have Textual lay out all widgets twice
            display = "block" if is_needed else "none"
            view.vertical_scrollbar.styles.set_rule("display", display)
            # while it is hidden, its position does not follow
            view.vertical_scrollbar.position = view.scroll_y
        return

    view.set_reactive(ScrollView.virtual_size, size)
    if view.show_vertical_scrollbar:
        view.vertical_scrollbar.window_virtual_size = size.height
    view.scroll_y = min(view.scroll_y, view.max_scroll_y)


ABOUT = {
    "-asking": "#keys, #said",
    "-focus": "#queue, #reading, #pane, #asked, #material",
    "-material": "#response",
    "-queue": "#queue",
}
"""For each class of the screen, the widgets that its rules are about."""


def put_class(screen: Screen[Any], name: str, *, on: bool) -> None:
    """Add a class to the screen if `on`, else remove it, and style the widgets that it is about.

    All others are not styled: that takes half of the time of a key. If that is so already, nothing
    happens. `name` is one of `ABOUT`; KeyError is raised for another that changes.
    """
    if screen.has_class(name) == on:
        return
    # otherwise Textual may mix up the sizes before and after, and tells no widget of its new size
    getattr(getattr(screen, "_compositor", None), "full_map", None)
    screen.set_class(on, name, update=False)
    for widget in screen.query(ABOUT[name]):
        widget.update_node_styles()
