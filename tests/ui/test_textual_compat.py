"""What is used of Textual's and Rich's private parts is there, and nothing else is used.

A test that fails here after an upgrade names the part that has changed; the program works on without it.
"""

import ast
import asyncio
import gc
import inspect
import sys
import textwrap
from collections.abc import Awaitable, Callable
from functools import cache, partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from pkgutil import walk_packages
from types import SimpleNamespace
from typing import ClassVar

import pytest
from rich.segment import Segment
from rich.style import Style
from textual import pilot
from textual import screen as screen_module
from textual.containers import Vertical
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.events import Key, Paste
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Label
from textual.worker import WorkerFailed

import appellate
import quick
from appellate.ui import textual_compat
from appellate.ui.textual_compat import (
    CompatApp,
    PlacedStrip,
    ScreenUpdate,
    SteadyView,
    beside,
    draw_nothing,
    hears,
    own_style,
    read_update,
    whole_style,
    zero_width_ranges,
)

SOURCE = Path(appellate.__file__).parent
# the second has a section of its own
ALLOWED = {"ui/textual_compat.py", "cli/browser.py"}
LIBRARIES = ("textual", "rich", "textual_serve")


class Drawn(Widget):
    COMPONENT_CLASSES: ClassVar[set[str]] = {"a", "b", "c"}
    DEFAULT_CSS = (
        "Drawn { .a { color: red; } &:focus .a { color: blue; } .b { color: green; } }"
    )
    can_focus = True

    def render(self):
        return str(self.get_component_rich_style("a", "b").color)


async def test_only_components_that_were_drawn_are_styled_and_styled_anew():
    class Shown(CompatApp):
        def compose(self):
            yield Drawn()

    app = Shown()
    async with app.run_test() as test:
        widget = app.query_one(Drawn)
        await test.pause()
        colours = []
        for focused in (widget, None):
            app.screen.set_focus(focused)
            await test.pause()
            colours.append(widget.get_component_styles("a").color.hex)
        assert colours == ["#0000FF", "#FF0000"]
        assert set(widget._component_styles) == {"a", "b"}
        with pytest.raises(KeyError):
            widget.get_component_styles("d")


def widgets():
    """Every class of ours that is drawn."""
    for module in walk_packages(appellate.__path__, "appellate."):
        if module.name.split(".")[1] in ("ui", "app") or module.name.endswith(".pane"):
            import_module(module.name)
    return sorted(
        filter(is_ours, descendants(DOMNode)),
        key=lambda found: found.__qualname__,
    )


def descendants(of: type) -> set[type]:
    return {of}.union(*map(descendants, of.__subclasses__()))


def is_ours(found: type) -> bool:
    return found.__module__.startswith("appellate.") and not found.__module__.endswith(
        "textual_compat",
    )


def is_textuals(found: type) -> bool:
    return found.__module__.startswith("textual.")


@cache
def private_names(found: type) -> set[str]:
    """The private names of the methods of a class, and what they give to its instances."""
    names = set()
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(found)))):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                names.add(name)
    return {name for name in names if name.startswith("_") and not name.endswith("_")}


# -- the parts that are used ----------------------------------------------------------------------------


def test_the_compositor_draws_whole_layouts_as_rows_of_strips():
    from textual._compositor import LayoutUpdate

    left, right = Strip([Segment("ab")]), Strip([Segment("c")])
    update = read_update(LayoutUpdate([[left, right], [left]], Region(3, 5, 3, 2)))
    assert update.layout == Size(3, 2)
    assert list(update.strips) == [
        PlacedStrip(5, 3, left),
        PlacedStrip(5, 5, right),
        PlacedStrip(6, 3, left),
    ]


def test_the_compositor_draws_parts_as_strips_cut_to_spans():
    from textual._compositor import ChopsUpdate

    strip = Strip([Segment("abcdef")])
    update = read_update(ChopsUpdate([{0: strip, 6: None}], [(0, 0, 4)], [[6, 9]]))
    assert update.layout is None
    assert [(y, x, one.text) for y, x, one in update.strips] == [(0, 0, "abcd")]


def test_anything_else_is_left_to_textual():
    assert read_update("text") is None


def test_without_the_compositors_updates_textual_sends_its_own(monkeypatch):
    from textual import _compositor

    whole = _compositor.LayoutUpdate([[Strip([Segment("ab")])]], Region(0, 0, 2, 1))
    monkeypatch.delattr(_compositor, "ChopsUpdate")
    assert read_update(whole) is None


class Told(CompatApp):
    """Remembers the updates that it was told of."""

    def __init__(self) -> None:
        super().__init__()
        self.updates: list[ScreenUpdate | None] = []
        self.crashes = 0

    def compose(self):
        yield Label("one")

    def before_update(self, update):
        self.updates.append(update)

    def crashed(self):
        self.crashes += 1


async def test_every_update_of_the_screen_goes_through_the_app():
    app = Told()
    async with app.run_test(size=(20, 5)) as pilot:
        assert any(update and update.layout == Size(20, 5) for update in app.updates)
        app.updates.clear()
        app.query_one(Label).update("two")
        await pilot.pause()
        told = [
            placed.strip.text
            for update in app.updates
            if update
            for placed in update.strips
        ]
        assert any("two" in text for text in told)


async def test_a_scrollbar_is_drawn_as_textual_draws_it_and_once_for_a_layout():
    view = SteadyView()
    updates = []

    class Scrolling(CompatApp):
        CSS = "SteadyView { overflow-y: scroll; }"

        def compose(self):
            yield view

        def before_update(self, update):
            updates.append(update)

    async with Scrolling().run_test(size=(20, 10)) as pilot:
        for lines, position in ((12, 1), (100, 33), (5000, 4990)):
            view.virtual_size = Size(10, lines)
            view.scroll_y = position
            await pilot.pause()
            bar = view.vertical_scrollbar
            for crop in (
                Region(0, 0, *bar.size),
                Region(0, 2, 2, 3),
                Region(1, 0, 1, 10),
            ):
                drawn = [list(strip) for strip in bar.render_lines(crop)]
                assert drawn == [
                    list(strip) for strip in ScrollBar.render_lines(bar, crop)
                ]
        updates.clear()
        view.styles.height = 8
        await pilot.pause()
        assert len(updates) == 1


class Ruled(SteadyView):
    """Draws the number of each line, and keeps which lines it was asked for."""

    DEFAULT_CSS = "Ruled { height: 6; }"

    def __init__(self, css: str = "") -> None:
        super().__init__()
        self.css = css
        self.asked: list[int] = []

    def on_mount(self) -> None:
        self.set_styles(self.css)
        self.border_title = "above"

    def render_line(self, y: int) -> Strip:
        self.asked.append(y)
        return Strip([Segment(f"line {y}", Style(dim=True, color="red"))])


async def test_a_view_draws_its_lines_as_textual_draws_them():
    from textual._styles_cache import StylesCache

    views = [
        Ruled(),
        Ruled("border: round red; border-title-align: right;"),
        Ruled("border-left: thick blue; border-bottom: solid green 40%;"),
        Ruled("padding: 1 2; border: heavy white;"),
        Ruled("padding: 1 0; background: blue 30%;"),
        Ruled("border: round red; opacity: 50%;"),
        Ruled("text-opacity: 40%; border: round red;"),
        Ruled("outline: round red;"),
        Ruled("tint: green 20%;"),
        Ruled("hatch: cross green;"),
    ]

    class Viewing(CompatApp):
        def compose(self):
            yield from views

    async with Viewing().run_test(size=(30, 61)) as pilot:
        await pilot.pause()
        for view in views:
            for crop in (view.outer_size.region, Region(2, 1, 9, 3)):
                drawn = [list(strip) for strip in view.render_lines(crop)]
                strips = StylesCache().render_widget(view, crop)
                assert drawn == [list(strip) for strip in strips], view.css


async def test_what_is_beside_the_lines_follows_the_styles_of_the_view_and_of_what_it_lies_on():
    from textual._styles_cache import StylesCache

    view = Ruled()

    class Viewing(CompatApp):
        CSS = """
        Ruled { border: round red; background: blue 30%; }
        #below { background: white; &.-dark { background: black; } }
        #below.-dark Ruled { border-left: heavy green; }
        Ruled.-other { background: red 20%; }
        """

        def compose(self):
            yield Vertical(view, id="below")

    async with Viewing().run_test(size=(30, 8)) as pilot:
        below = pilot.app.query_one("#below")
        looks = []
        for change in (
            lambda: None,
            lambda: below.add_class("-dark"),
            lambda: view.add_class("-other"),
            lambda: view.set_styles("border-right: thick white;"),
            lambda: below.set_styles("opacity: 50%;"),
        ):
            change()
            await pilot.pause()
            view.refresh()
            whole = view.outer_size.region
            drawn = [list(strip) for strip in view.render_lines(whole)]
            strips = StylesCache().render_widget(view, whole)
            assert drawn == [list(strip) for strip in strips]
            assert drawn not in looks
            looks.append(drawn)


async def test_where_no_child_lies_a_container_is_seen_through():
    held = Vertical(Label("in"))
    draw_nothing(held)

    class Below(CompatApp):
        CSS = "Screen { background: blue; } Label { background: red; height: 2; width: 3; }"

        def compose(self):
            yield held

    async with Below().run_test(size=(6, 4)) as pilot:
        held.refresh()
        await pilot.pause()
        assert held.size == (6, 4)
        rows = pilot.app.screen._compositor.render_strips()
        assert rows[0].text.startswith("in")
        colours = [
            strip.crop(x, x + 1)._segments[0].style.bgcolor.name
            for strip, x in ((rows[0], 0), (rows[0], 5), (rows[3], 0))
        ]
        assert colours == ["#ff0000", "#0000ff", "#0000ff"]


async def test_a_view_draws_only_the_lines_that_changed():
    view = Ruled("border: round red;")

    class Viewing(CompatApp):
        def compose(self):
            yield view

    async with Viewing().run_test(size=(30, 8)) as pilot:
        await pilot.pause()
        whole = view.outer_size.region
        view.asked.clear()
        assert view.render_lines(whole) is view.render_lines(whole)
        assert view.asked == []
        view.refresh_lines(1, 2)
        view.render_lines(whole)
        assert view.asked == [1, 2]
        view.asked.clear()
        view.refresh()
        view.render_lines(whole)
        assert view.asked == [0, 1, 2, 3]
        assert "above" in view.render_lines(whole)[0].text
        view.border_title = "another"
        await pilot.pause()
        assert "another" in view.render_lines(whole)[0].text


async def test_a_bar_is_drawn_again_only_when_it_looks_different():
    view = SteadyView()

    class Scrolling(CompatApp):
        CSS = "SteadyView { overflow-y: scroll; scrollbar-color: red; }"

        def compose(self):
            yield view

    async with Scrolling().run_test(size=(20, 10)) as pilot:
        view.virtual_size = Size(10, 100)
        await pilot.pause()
        bar = view.vertical_scrollbar
        whole = bar.size.region
        drawn = bar.render_lines(whole)
        assert bar.render_lines(whole) is drawn
        view.scroll_y = 50
        await pilot.pause()
        moved = bar.render_lines(whole)
        assert moved != drawn
        view.styles.scrollbar_color = "blue"
        assert bar.render_lines(whole) != moved


async def test_the_style_of_a_component_follows_that_of_its_widget():
    class Shown(CompatApp):
        CSS = "Drawn { background: white; &:focus { background: black; } }"

        def compose(self):
            yield Drawn()

    app = Shown()
    async with app.run_test() as test:
        widget = app.query_one(Drawn)
        for focused, colour, below in (
            (None, "#ff0000", "#ffffff"),
            (widget, "#0000ff", "#000000"),
        ):
            app.screen.set_focus(focused)
            await test.pause()
            assert own_style(widget, "a").color.name == colour
            assert own_style(widget, "a").bgcolor is None
            assert whole_style(widget, "a").bgcolor.name == below
        widget.styles.background = "green"
        assert whole_style(widget, "a").bgcolor.name == "#008000"
        assert own_style(widget, "d", Style.null()) == Style.null()
        with pytest.raises(KeyError):
            own_style(widget, "e")


async def test_a_crash_is_reported_by_the_app_itself():
    app = Told()
    with pytest.raises(ZeroDivisionError):
        await crash(app)
    assert app.crashes == 1


async def crash(app):
    async with app.run_test() as pilot:
        app.call_later(lambda: 1 / 0)
        await pilot.pause()


class Held(CompatApp):
    """Hands no key on by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[Key | Paste] = []

    def compose(self):
        yield Input()

    async def hand_on(self, event):
        self.taken.append(event)


async def test_every_key_and_paste_comes_to_the_app_before_any_widget_and_once():
    app = Held()
    async with app.run_test() as pilot:
        app.post_message(Paste("b"))
        await pilot.press("a")
        assert [type(event) for event in app.taken] == [Paste, Key]
        assert app.query_one(Input).value == ""
        for event in app.taken.copy():
            await CompatApp.hand_on(app, event)
        await pilot.pause()
        assert app.query_one(Input).value == "ba"
        assert len(app.taken) == 2


class Heard(CompatApp):
    """Keys of a widget, of which one does nothing now, and of the app."""

    BINDINGS: ClassVar = [("a", "bell", "bell"), ("left", "bell", "bell")]

    def compose(self):
        yield Input()

    def check_action(self, action, parameters):
        return action != "command_palette"


async def test_who_hears_a_key_is_who_textual_says():
    app = Heard()
    async with app.run_test():
        active = app.screen.active_bindings
        assert {key: hears(app.screen, key) for key in active} == {
            key: one.node for key, one in active.items()
        }
        assert hears(app.screen, "left") is app.query_one(Input)
        assert hears(app.screen, "ctrl+p") is None
        # without the private parts
        later = SimpleNamespace(app=None, active_bindings=active)
        assert hears(later, "left") is app.query_one(Input)


def test_the_widths_of_codepoints_are_a_table_of_rich(monkeypatch):
    ranges = zero_width_ranges()
    assert any(first <= 0x0300 <= last for first, last in ranges)
    monkeypatch.setattr(textual_compat, "CODEPOINTS", range(0x300, 0x500))
    monkeypatch.setitem(sys.modules, "rich._unicode_data", None)
    assert set(zero_width_ranges()) <= set(ranges)


def test_the_tests_are_quick_by_private_names_that_are_there():
    assert pilot.Pilot.press.__module__ == "quick"
    assert "_wait_for_screen" in vars(pilot.Pilot.__base__)
    assert screen_module.UPDATE_PERIOD == 1 / quick.FRAMES
    assert Stylesheet._parse_rules.__module__ == "quick"


def test_a_tab_of_serve_overrides_what_textual_serve_has():
    service = pytest.importorskip("textual_serve.app_service").AppService
    server = pytest.importorskip("textual_serve.server").Server
    assert {
        "_build_environment",
        "_open_app_process",
        "_process",
        "_stdin",
    } <= private_names(service)
    assert {"_make_app", "_process_messages"} <= private_names(server)


# -- nothing else is used -------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_other_file_imports_a_private_part_of_textual_or_rich():
    files = {str(file.relative_to(SOURCE)): file for file in SOURCE.rglob("*.py")}
    private = {
        name: list(filter(is_private, imported(file))) for name, file in files.items()
    }
    assert {name for name, found in private.items() if found} <= ALLOWED


async def test_work_that_is_replaced_before_it_begins_leaves_nothing_behind(recwarn):
    done = []

    async def work(name):
        done.append(name)

    app = CompatApp()
    async with app.run_test() as pilot:
        beside(app, partial(work, "first"), "group", exclusive=True)
        beside(app, partial(work, "second"), "group", exclusive=True)
        await pilot.pause()
    gc.collect()
    assert done == ["second"]
    assert not recwarn.list


class Leaving(Screen):
    """Looks for its words as soon as they have gone."""

    def __init__(self):
        super().__init__()
        self.have_gone = asyncio.Event()
        self.missed = False

    def compose(self):
        yield Words(self.have_gone)

    def on_mount(self):
        beside(self, self.look, "looking")

    async def look(self):
        await self.have_gone.wait()
        while self.query(Words):  # noqa: ASYNC110 - a few turns of the loop later
            await asyncio.sleep(0)
        self.missed = True
        self.query_one(Words)


class Words(Label):
    def __init__(self, gone):
        super().__init__("words")
        self._gone = gone

    def on_unmount(self):
        self._gone.set()


async def leave(of: Callable[[Leaving], Awaitable[object]]) -> Leaving:
    """A screen whose words have gone in this way."""
    leaving = Leaving()
    app = CompatApp()
    async with app.run_test() as pilot:
        await app.push_screen(leaving)
        await of(leaving)
        await pilot.pause()
    return leaving


async def test_what_work_misses_on_a_screen_that_goes_is_no_fault():
    assert (await leave(lambda leaving: leaving.app.pop_screen())).missed


async def test_what_work_misses_on_a_screen_that_stays_is_a_fault():
    with pytest.raises(WorkerFailed, match="NoMatches"):
        await leave(lambda leaving: leaving.query(Words).remove())


@pytest.mark.slow
def test_nothing_else_runs_a_coroutine_as_a_worker():
    calls = (
        (file, node)
        for file in SOURCE.rglob("*.py")
        for node in nodes(file)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "run_worker"
    )
    without = {
        str(file.relative_to(SOURCE))
        for file, call in calls
        if "thread" not in {keyword.arg for keyword in call.keywords}
    }
    assert without == {"ui/textual_compat.py"}


@cache
def nodes(file: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(file.read_text("utf-8"))))


def imported(file: Path):
    """Every module and every name that a file imports, with dots."""
    for node in nodes(file):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def is_private(name: str) -> bool:
    library, *parts = name.split(".")
    return library in LIBRARIES and any(part.startswith("_") for part in parts)


@pytest.mark.slow
def test_no_widget_has_a_private_name_of_textuals():
    """One that both have is overridden, with or without intent."""
    assert {
        widget.__qualname__: found
        for widget in widgets()
        if (found := shared_names(widget))
    } == {}


def shared_names(widget: type) -> set[str]:
    theirs = set(
        chain.from_iterable(
            private_names(base) for base in widget.__mro__ if is_textuals(base)
        ),
    )
    return theirs.intersection(
        chain.from_iterable(
            private_names(base) for base in widget.__mro__ if is_ours(base)
        ),
    )
