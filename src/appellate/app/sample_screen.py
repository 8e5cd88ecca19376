"""The sample of an audit: what a draw would take, and how far what was drawn is worked through.

Nothing is kept here until it is drawn; a sample cannot be taken back, only added to.
"""

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Key as KeyPress
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Static

from appellate.app.sample_form import FormLine, SampleForm
from appellate.app.sample_rows import drawn_so_far, expected_told, to_be_drawn
from appellate.core.problem import Refused
from appellate.store.expected_widths import ExpectedWidth, expected_of
from appellate.store.sample_plans import PlannedDraw, SampleSetting, plan, setting
from appellate.store.sample_progress import progress
from appellate.ui.lines import Lines, Listed, ListRow
from appellate.ui.marks import Marks, spelt
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import column, plain
from appellate.ui.textual_compat import beside
from appellate.workbench import Workbench

NAME, VALUE = 8, 16  # cells of what a line is about, and of what stands there
AROUND = 13  # lines of the frame, the title, what can be said, and the keys
WIDE = 100
CHANGES = "← → changes · digits type"
GO: Literal["go"] = "go"
LOOKING = "Looking at what could be drawn …"
READ_ONLY = "This session only reads: nothing can be drawn in it."
ALL_DRAWN = "Everything that could be drawn is in the sample."
Decided = PlannedDraw | Literal["go"] | None


class SampleScreen(ModalScreen[Decided]):
    """What can be said of a draw, and what comes of it; gives the draw that is to be kept, or "go"
    to go through the sample.
    """

    DEFAULT_CSS = """
    SampleScreen { align: center middle; }
    SampleScreen > Vertical {
        width: 94%; max-width: 110; height: auto; max-height: 100%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    SampleScreen .sample--title { height: 1; text-style: bold; }
    SampleScreen .sample--about { height: auto; color: $muted; }
    SampleScreen Lines { height: 1; margin: 1 0; }
    SampleScreen VerticalScroll { height: auto; margin-bottom: 1; scrollbar-size-vertical: 1; }
    SampleScreen .sample--plan { height: auto; }
    SampleScreen .sample--keys { height: auto; max-height: 2; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,percent_sign", "dismiss", "close", show=False, id="sample.close"),
        Binding("left,h", "turn(-1)", "less", show=False, id="sample.less"),
        Binding("right,l,space", "turn(1)", "more", show=False, id="sample.more"),
        Binding("D", "draw", "draw", show=False, id="sample.draw"),
        Binding("enter", "go", "go through it", show=False, priority=True, id="sample.go"),
        Binding("pagedown", "scroll(1)", "scroll", show=False, priority=True, id="sample.down"),
        Binding("pageup", "scroll(-1)", "scroll back", show=False, priority=True, id="sample.up"),
    ]

    def __init__(self, bench: Workbench, marks: Marks) -> None:
        super().__init__()
        self._bench, self._marks = bench, marks
        self._path = bench.workspace.path
        self._sample = bench.workspace.design.sample()
        self._form: SampleForm | None = None
        self._planned: PlannedDraw | None = None
        self._widths: Sequence[ExpectedWidth] = ()
        self._sure = False

    def compose(self) -> ComposeResult:
        with Vertical():
            title = "Draw traces at random, to say what the judge is worth on all of them"
            about = (
                "What you open otherwise is reviewed like any other and never enters an estimate."
            )
            if self._sample is not None:
                title, about = "The sample of this audit", f"A {self._sample.told}."
            yield Static(plain(title), classes="sample--title")
            yield Static(plain(about), classes="sample--about")
            yield Lines(marks=self._marks)
            with VerticalScroll(can_focus=False):
                yield Static(plain(LOOKING), classes="sample--plan")
            yield Static(classes="sample--keys", markup=False)

    def on_mount(self) -> None:
        self._lines.focus()
        self._tell_keys()
        beside(self, self._begin, "plan", exclusive=True)

    def on_resize(self, event: Resize) -> None:
        """The table has what the rest leaves it."""
        room = event.size.height - AROUND
        if event.size.width < WIDE:
            room -= 2  # the sentences around it wrap
        self.query_one(VerticalScroll).styles.max_height = max(3, room)

    @property
    def _lines(self) -> Lines:
        return self.query_one(Lines)

    # -- what is said -----------------------------------------------------------------------------

    async def _begin(self) -> None:
        found: SampleSetting = await asyncio.to_thread(setting, self._path)
        self._form = SampleForm(found.groupings, found.units, self._sample)
        _, self._widths = await asyncio.to_thread(expected_of, self._path, self._sample)
        self._show_form()
        await self._plan()

    def _show_form(self) -> None:
        if self._form is None:
            return
        lines = self._form.lines
        if self._bench.readonly or (self._sample and len(self._sample) == self._sample.frame):
            lines = []
        self._lines.styles.height = max(1, len(lines))
        empty = READ_ONLY if self._bench.readonly else ALL_DRAWN
        self._lines.show_rows(Listed(list(map(_row, lines))), empty)

    def action_turn(self, by: int) -> None:
        if self._form is not None and self._lines.row:
            self._form.turn(self._lines.cursor.row, by)
            self._changed()

    def on_key(self, event: KeyPress) -> None:
        if self._form is None or not self._lines.row:
            return
        digit = event.character or ""
        if event.key == "backspace":
            digit = ""
        elif not digit.isdecimal() or not digit.isascii():
            return
        if self._form.type(self._lines.cursor.row, digit):
            event.stop()
            self._changed()

    def _changed(self) -> None:
        self._planned, self._sure = None, False
        self._show_form()
        self._tell_keys()
        beside(self, self._plan, "plan", exclusive=True)

    # -- what comes of it -------------------------------------------------------------------------

    async def _plan(self) -> None:
        """Plans the draw in a thread and shows it, or says why it cannot be."""
        form, sample = self._form, self._sample
        if form is None:
            return
        told: Sequence[str] = []
        room = self.query_one(VerticalScroll).size.width - 1
        try:
            if sample is not None:
                far = await asyncio.to_thread(progress, self._path, len(sample.strata))
                told = drawn_so_far(sample, far, None, room)
            if self._lines.row:
                planned = await asyncio.to_thread(plan, self._path, form.wish, sample)
                told = to_be_drawn(planned, room)
                if sample is not None:
                    told = drawn_so_far(sample, far, planned, room)
                told = [*told, *planned.told(), "", *expected_told(self._widths, planned.after)]
                self._planned = planned
        except Refused as refusal:
            told = [*told, "", str(refusal)]
        text = spelt("\n".join(told).strip("\n"), self._marks)
        self.query_one(".sample--plan", Static).update(plain(text))
        self.call_after_refresh(self._tell_keys)

    def _tell_keys(self) -> None:
        parts = [CHANGES]
        if self._planned is not None:
            parts.append(f"D draws {len(self._planned.what.drawn):,}")
            if self._sure:
                parts = ["D again draws: what was drawn cannot be taken back"]
        if self._sample is not None:
            parts.append("Enter goes through it")
        if self.query_one(VerticalScroll).max_scroll_y:
            parts.append("PgDn scrolls")
        keys = " · ".join([*parts, "Esc leaves"])
        self.query_one(".sample--keys", Static).update(plain(spelt(keys, self._marks)))

    def action_draw(self) -> None:
        """At the second press: what was drawn stays drawn."""
        if self._planned is None:
            return
        if self._sure:
            self.dismiss(self._planned)
            return
        self._sure = True
        self._tell_keys()

    def action_go(self) -> None:
        if self._sample is not None:
            self.dismiss(GO)
        elif self._planned is not None:
            self.action_draw()

    def action_scroll(self, by: int) -> None:
        pane = self.query_one(VerticalScroll)
        pane.scroll_relative(y=by * (pane.size.height - 1), animate=False)


def _row(line: FormLine) -> ListRow:
    name = StyledText(line.name.ljust(NAME), "muted")
    return ListRow(line.means, (name, StyledText(f"{column(line.value, VALUE)} ", "key")))
