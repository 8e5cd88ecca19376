"""The sample of an audit: what a draw would take, and how far what was drawn is worked through.

Nothing is kept here until it is drawn. A sample can be added to, and taken back until something in
it is ruled on.
"""

import asyncio
from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.events import Key as KeyPress
from textual.events import Resize
from textual.widgets import Static

from appellate.app.sample_form import SampleForm
from appellate.app.sample_rows import (
    ADDS,
    ALL_DRAWN,
    DRAWS,
    LOOKING,
    READ_ONLY,
    STAYS,
    TITLE,
    drawn_so_far,
    expected_text,
    form_row,
    keys_text,
    to_be_drawn,
    withdraws,
)
from appellate.core.problem import Refused
from appellate.core.samples import withdrawn_text
from appellate.store.expected_widths import ExpectedWidth, expected_of
from appellate.store.sample_plans import PlannedDraw, SampleSetting, plan, setting
from appellate.store.sample_progress import SampleProgress, progress
from appellate.ui.lines import Lines, Listed
from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import Box
from appellate.ui.text import plain
from appellate.ui.textual_compat import beside
from appellate.workbench import Workbench

AROUND = 15  # lines of the frame, the title, what can be said, and the keys
GO: Literal["go"] = "go"
WITHDRAW: Literal["withdraw"] = "withdraw"
Decided = PlannedDraw | Literal["go", "withdraw"] | None


class SampleScreen(Box[Decided]):
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
    SampleScreen .sample--about.-why { height: 2; }
    SampleScreen Lines { height: 1; margin: 1 0; }
    SampleScreen VerticalScroll { height: auto; margin-bottom: 1; scrollbar-size-vertical: 1; }
    SampleScreen .sample--plan { height: auto; }
    SampleScreen .sample--keys { height: auto; max-height: 2; color: $muted; }
    SampleScreen .sample--keys.-sure { color: $warning; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,percent_sign", "dismiss", "close", show=False, id="sample.close"),
        Binding("left,h", "turn(-1)", "less", show=False, id="sample.less"),
        Binding("right,l,space", "turn(1)", "more", show=False, id="sample.more"),
        Binding("D", "draw", "draw", show=False, id="sample.draw"),
        Binding("W", "withdraw", "take back", show=False, id="sample.withdraw"),
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
        self._far: SampleProgress | None = None
        self._widths: Sequence[ExpectedWidth] = ()
        self._sure = ""  # what the next press of a key does, and of which: "D", "W"
        self._notice = ""

    def compose(self) -> ComposeResult:
        with Vertical():
            title, about = TITLE, ""
            if self._sample is not None:
                title, about = "The sample of this audit", f"A {self._sample.describe}."
            yield Static(plain(title), classes="sample--title")
            yield Static(plain(about), classes=f"sample--about {'' if about else '-why'}")
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
        self.query_one(VerticalScroll).styles.max_height = max(3, event.size.height - AROUND)

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
        if self._bench.readonly or (self._sample and len(self._sample) == self._sample.last.frame):
            lines = []
        self._lines.styles.height = max(1, len(lines))
        empty = READ_ONLY if self._bench.readonly else ALL_DRAWN
        self._lines.show_rows(Listed(list(map(form_row, lines))), empty)
        self.on_lines_highlighted()

    def on_lines_highlighted(self) -> None:
        """Says what may be chosen in a line, and what comes of it."""
        if self._form is not None and self._sample is None:
            why = self._form.lines[self._lines.cursor.row].why
            self.query_one(".sample--about", Static).update(plain(spelt(why, self._marks)))

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
        self._planned = None
        self._ask("")
        self._show_form()
        beside(self, self._plan, "plan", exclusive=True)

    # -- what comes of it -------------------------------------------------------------------------

    async def _plan(self) -> None:
        """Plans the draw in a thread and shows it, or says why it cannot be."""
        form, sample = self._form, self._sample
        if form is None:
            return
        texts: Sequence[str] = []
        room = self.query_one(VerticalScroll).size.width - 1
        try:
            if sample is not None:
                far = await asyncio.to_thread(progress, self._path, len(sample.strata))
                self._far, texts = far, drawn_so_far(sample, far, None, room)
            if self._lines.row:
                planned = await asyncio.to_thread(plan, self._path, form.wish, sample)
                texts = to_be_drawn(planned, room)
                if sample is not None:
                    texts = drawn_so_far(sample, far, planned, room)
                texts = [
                    *texts,
                    *planned.describe(),
                    "",
                    *expected_text(self._widths, planned.after, room),
                ]
                self._planned = planned
        except Refused as refusal:
            texts = [*texts, "", str(refusal)]
        gone = list(withdrawn_text(self._bench.workspace.design.facts()))
        if gone:
            texts = [*texts, "", *gone]
        text = spelt("\n".join(texts).strip("\n"), self._marks)
        self.query_one(".sample--plan", Static).update(plain(text))
        self.call_after_refresh(self._tell_keys)

    def _tell_keys(self) -> None:
        text = self._notice
        if not text:
            scrolls = bool(self.query_one(VerticalScroll).max_scroll_y)
            text = keys_text(self._planned, self._sample, may_go=self._may_go, scrolls=scrolls)
        keys = self.query_one(".sample--keys", Static)
        keys.update(plain(spelt(f"{text} · Esc leaves", self._marks)))
        keys.set_class(bool(self._notice), "-sure")

    @property
    def _may_go(self) -> bool:
        """Whether there is a sample that can be taken back."""
        return self._far is not None and self._far.may_go and not self._bench.readonly

    def _ask(self, key: str, notice: str = "") -> None:
        """Says what the next press of a key does."""
        self._sure, self._notice = key, notice
        self._tell_keys()

    def action_draw(self) -> None:
        """At the second press."""
        if self._planned is None:
            return
        if self._sure == "D":
            self.dismiss(self._planned)
        else:
            self._ask("D", DRAWS if self._sample is None or self._may_go else ADDS)

    def action_withdraw(self) -> None:
        """At the second press, and while nothing is ruled on."""
        if self._far is None or self._bench.readonly:
            return
        if self._sure == "W":
            self.dismiss(WITHDRAW)
        elif not self._may_go:
            self._ask("", STAYS)
        else:
            self._ask("W", withdraws(self._far.begun))

    def action_go(self) -> None:
        if self._sample is not None:
            self.dismiss(GO)
        elif self._planned is not None:
            self.action_draw()

    def action_scroll(self, by: int) -> None:
        pane = self.query_one(VerticalScroll)
        pane.scroll_relative(y=by * (pane.size.height - 1), animate=False)
