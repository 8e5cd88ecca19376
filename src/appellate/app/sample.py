"""The sample of an audit: what a draw would take, and how far a sample is worked through."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Literal, NamedTuple

from msgspec.structs import replace
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Key as KeyPress
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import Static

from appellate.app.dialogs import Dialogs
from appellate.app.keys.help import show_help
from appellate.app.queue.view import QueueControl, QueueView
from appellate.app.requests import Requests
from appellate.core.design_facts import Sample, withdrawn_text
from appellate.core.problem import Refused, many, with_keys, wording
from appellate.session.workbench import Workbench
from appellate.store.samples.sample_plans import (
    DISAGREEMENT,
    HALF_HELP,
    ExpectedWidth,
    PlannedDraw,
    SampleSetting,
    SampleWish,
    expected_of,
    plan,
    setting,
    usual_size,
)
from appellate.store.samples.sampling import SampleProgress, progress
from appellate.ui.key import keys_described
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import FramedBox
from appellate.ui.own_keys import in_own_keys, own_names
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.text import cell_width, column, plain
from appellate.ui.textual_compat import beside

MORE = 40
STEP = 10
MOST_DIGITS = 9
NONE = "nothing"


class FormLine(NamedTuple):
    """One line: what it is about, what is there, and what that means in few words and many."""

    name: str
    value: str
    means: str
    why: str


_SIZE = (
    "How many traces you will check: more make the result more precise (below). Other traces that"
    " you review do not count."
)
_SEED = (
    "The throw of the dice, as a number. The same number draws the same traces again, so that"
    " anybody can check the draw."
)
_BLIND = (
    "You rule first and see the judge's labels after, so that they cannot sway you. Labels signed"
    " off here before are hidden, too."
)
_SIGHTED = (
    "You see the judge's labels while you rule. That is quicker, but they sway you: the judge will"
    " look better than it is."
)
_EVENLY = "Every trace has the same chance. Right, unless you have a reason for something else."
_BY_SHARE = (
    "Of each group its share, so that chance leaves none out. Right where groups differ much, or"
    " are to be compared."
)
_BY_DISAGREEMENT = (
    "More where the panel's judges differ most, in three groups. You meet more of their errors; of"
    " 60 the result is less sure."
)
_WAYS = {
    NONE: ("simple: every trace alike", _EVENLY),
    DISAGREEMENT: ("most where judges differ", _BY_DISAGREEMENT),
}
_OF_GROUPS = ("of each group its share", _BY_SHARE)


class SampleForm:
    """A wish as it is made; `groupings` are what strata may go by, of so many units. Where there is
    a sample it is only how many to add.
    """

    def __init__(self, groupings: Sequence[str], units: int, sample: Sample | None) -> None:
        self._ways = [NONE, *groupings]
        self._units = units
        self._sample = sample
        self._way = 0
        self._fresh = ""  # the field that was just typed into
        usual = usual_size(units)
        left = units
        if sample is not None:
            usual = MORE
            left = units - len(sample)
        self.wish = SampleWish(max(1, min(usual, left)))

    @property
    def lines(self) -> list[FormLine]:
        wish = self.wish
        sample = self._sample
        way = self._ways[self._way]
        if sample is not None:
            left = sample.last.frame - len(sample)
            text = f"to the {len(sample):,} drawn; {left:,} are left"
            return [FormLine("Add", f"{wish.n:,}", text, "")]
        sight = FormLine("Judge", "in sight", "sighted: as in any review", _SIGHTED)
        if wish.blind:
            sight = FormLine("Judge", "hidden", "blind: until you have ruled", _BLIND)
        return [
            FormLine("Draw", f"{wish.n:,}", f"of {self._units:,} that could be drawn", _SIZE),
            FormLine("Group by", way, *_WAYS.get(way, _OF_GROUPS)),
            sight,
            FormLine("Seed", str(wish.seed), "any number will do", _SEED),
        ]

    def turn(self, line: int, by: int) -> None:
        """One step on or back in what a line says."""
        self._fresh = ""
        match self.lines[line].name:
            case "Draw" | "Add":
                self._set(n=max(1, min(self.wish.n + STEP * by, self._most)))
            case "Group by":
                self._way = (self._way + by) % len(self._ways)
                way = self._ways[self._way]
                strata = () if way == NONE else (way,)
                self._set(by=strata)
            case "Judge":
                self._set(blind=not self.wish.blind)
            case _:
                self._set(seed=max(0, self.wish.seed + by))

    def type(self, line: int, digit: str) -> bool:
        """Adds a digit to what was typed, or begins anew; "" takes one away. Whether the line is a
        number.
        """
        field = {"Draw": "n", "Add": "n", "Seed": "seed"}.get(self.lines[line].name)
        if field is None:
            return False
        before = str(getattr(self.wish, field))
        if digit and self._fresh != field:
            before = ""
        self._fresh = field
        text = (before + digit) if digit else before[:-1]
        number = int(text[:MOST_DIGITS] or 0)
        if field == "n":
            number = max(1, min(number, self._most))
        self._set(**{field: number})
        return True

    @property
    def _most(self) -> int:
        if self._sample is None:
            return max(1, self._units)
        return max(1, self._sample.last.frame - len(self._sample))

    def _set(self, **changed: object) -> None:
        self.wish = replace(self.wish, **changed)


# -- the screen -----------------------------------------------------------------------------------

StratumRow = tuple[str, list[int]]
NAME = 20
NUMBER = 11
ESTIMATE = 32
"""Cells that a stratum's name has at the least, those of a figure, and those behind a trait."""
ABOUT = 9  # cells of what a line of the form is about, and of what is there
VALUE = 16
SHOWN = 4  # traits whose widths are shown
TITLE = "Draw a random sample: what you find in it holds for all traces"
DRAWN = "The sample of this audit"
LOOKING = "Looking at what could be drawn …"
READ_ONLY = "This session only reads: nothing can be drawn in it."
ALL_DRAWN = "Everything that could be drawn is in the sample."
OWN_CHANCES = "Nothing can be added to a sample whose chances are unequal."
DRAWS = (
    "{sample.draw:D} again draws them. You can take that back until you have ruled on one of them"
)
ADDS = (
    "{sample.draw:D} again adds them. Something is ruled on already, so that cannot be taken back"
)
WITHDRAWS = (
    "{sample.withdraw:W} again takes the whole sample back; labels that it hid are there again"
)
STAYS = "It cannot be taken back: something in it is ruled on"
NOBODY = "No judge said anything yet: how wide intervals will be is not known."


def drawn_so_far(
    sample: Sample, far: SampleProgress, planned: PlannedDraw | None, room: int
) -> list[str]:
    """The strata of a sample, how far each is, and what a draw would add, in so many cells."""
    heads = ["in all", "drawn", sample.done_word]
    rows: list[StratumRow] = []
    for stratum, done in zip(sample.strata, far.done, strict=True):
        rows.append((stratum.name, [stratum.units, stratum.drawn, done]))
    total = [sample.last.frame, len(sample), sum(far.done)]
    if planned is not None:
        heads.append("to add")
        for stratum, fields, (_, figures) in zip(
            sample.strata, planned.what.strata, rows, strict=True
        ):
            figures.append(int(fields["drawn"]) - stratum.drawn)
        total.append(len(planned.what.drawn))
    lines = [*_table(heads, rows, total, room), ""]
    if far.next:
        return [*lines, f"Next in the order of the draw: {far.next}."]
    left = len(sample) - sum(far.done)
    if left:
        changed = "is" if left == 1 else "are"
        return [*lines, f"{left:,} of it {changed} not, as what was read was changed since."]
    return [*lines, f"All of it is {sample.done_word}."]


def to_be_drawn(planned: PlannedDraw, room: int) -> list[str]:
    """What a first draw would take of each stratum, in so many cells."""
    of = planned.what.strata
    units = f"{many(len(planned.what.drawn), planned.frame.word)} would be drawn"
    if planned.frame.clusters:
        units = f"{units}, {many(len(planned.traces), 'trace')} in all"
    if len(of) == 1:
        return [f"{units}, of {planned.what.frame:,}."]
    rows = [(str(one["name"]), [int(one["units"]), int(one["drawn"])]) for one in of]
    total = (planned.what.frame, len(planned.what.drawn))
    return [f"{units}:", *_table(("in all", "to draw"), rows, total, room)]


def expected_text(widths: Sequence[ExpectedWidth], n: int, room: int) -> Iterator[str]:
    """How sure the result of n audits will be, by what the judge says, in so many cells."""
    if not widths:
        yield NOBODY
        return
    if n >= widths[0].frame:
        yield "All of it would be audited: nothing is left to estimate."
        return
    yield f"How near {n:,} audits come to what checking all of them would give"
    yield "(in 95 of 100 samples), by themselves, and helped by a fair judge:"
    longest = max(NAME, *(cell_width(width.trait) for width in widths[:SHOWN]))
    named = min(longest, max(NAME, room - ESTIMATE))
    for width in widths[:SHOWN]:
        alone = width.half(n)
        helped = width.half(n, HALF_HELP)
        half = f"± {_half(alone)}  ± {_half(helped)}"
        if alone >= width.range / 2:
            half = "too few to say"
        yield f"  {column(width.trait, named)} {width.measure:>12}  {half}"
    if len(widths) > SHOWN:
        yield f"  and {many(len(widths) - SHOWN, 'trait')} more: appellate sample AUDIT --power"


def _half(width: float) -> str:
    return f"{width:.3f}".removeprefix("0")


def _table(
    heads: Sequence[str], rows: Sequence[StratumRow], total: Sequence[int], room: int
) -> Iterator[str]:
    most = max(NAME, room - NUMBER * len(heads))
    width = min(max(NAME, *(cell_width(name) for name, _ in rows)), most)
    yield _line("group", heads, width)
    for name, figures in rows:
        yield _line(name, map("{:,}".format, figures), width)
    if len(rows) > 1:
        yield _line("all", map("{:,}".format, total), width)


def _line(name: str, figures: Iterable[str], width: int) -> str:
    return column(name, width) + "".join(figure.rjust(NUMBER) for figure in figures)


OWN = """\
{sample.less:←} {sample.more:→}  what the line under the cursor says: less, more
digits  type a number there; Backspace takes the last digit back
{sample.draw:D}  draw what is planned, or add it to the sample; it asks once more
{sample.go:Enter}  go through the sample; before there is one, draw it
{sample.withdraw:W}  take the whole sample back, until something in it is ruled on; it asks once \
more
{sample.down:PgDn} {sample.up:PgUp}  scroll what is below the lines
{sample.close:Esc}  leave
"""
KEYS = "{sample.help:?} keys · {sample.close:Esc} leaves"
AROUND = 15  # lines of the frame, the title, what can be said, and the keys
GO: Literal["go"] = "go"
WITHDRAW: Literal["withdraw"] = "withdraw"
Decided = PlannedDraw | Literal["go", "withdraw"] | None


class SampleScreen(FramedBox[Decided]):
    """What can be said of a draw, and what comes of it; gives the draw to keep, or "go" to go
    through the sample.
    """

    DEFAULT_CSS = """
    SampleScreen .sample--about { height: auto; color: $muted; }
    SampleScreen .sample--about.-why { height: 2; }
    SampleScreen Lines { height: 1; margin: 1 0; }
    SampleScreen VerticalScroll { height: auto; margin-bottom: 1; scrollbar-size-vertical: 1; }
    SampleScreen .sample--plan { height: auto; }
    SampleScreen .box--keys.-sure { color: $warning; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,percent_sign", "dismiss", "close", id="sample.close"),
        Binding("left,h", "turn(-1)", "less", id="sample.less"),
        Binding("right,l,space", "turn(1)", "more", id="sample.more"),
        Binding("D", "draw", "draw", id="sample.draw"),
        Binding("W", "withdraw", "take back", id="sample.withdraw"),
        Binding("enter", "go", "go through it", priority=True, id="sample.go"),
        Binding("pagedown", "scroll(1)", "scroll", priority=True, id="sample.down"),
        Binding("pageup", "scroll(-1)", "scroll back", priority=True, id="sample.up"),
        Binding("question_mark,f1", "help", "keys", id="sample.help"),
    ]

    def __init__(self, bench: Workbench, marks: Marks) -> None:
        self._sample = bench.workspace.design.sample()
        super().__init__(TITLE if self._sample is None else DRAWN, marks=marks)
        self._lines = Lines(marks=marks)
        self._bench = bench
        self._path = bench.workspace.path
        self._form: SampleForm | None = None
        self._planned: PlannedDraw | None = None
        self._far: SampleProgress | None = None
        self._widths: Sequence[ExpectedWidth] = ()
        self._sure = ""  # what the next press of a key does, and of which: "D", "W"
        self._notice = ""

    def inside(self) -> Iterator[Widget]:
        about = "" if self._sample is None else f"A {self._sample.describe}."
        yield Static(plain(about), classes=f"sample--about {'' if about else '-why'}")
        yield self._lines
        plan = Static(plain(LOOKING), classes="sample--plan")
        yield VerticalScroll(plan, can_focus=False)

    def on_mount(self) -> None:
        self._lines.focus()
        self._tell_keys()
        beside(self, self._begin, "plan", exclusive=True)

    def on_resize(self, event: Resize) -> None:
        """The table has what the rest leaves it."""
        self.query_one(VerticalScroll).styles.max_height = max(3, event.size.height - AROUND)

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
        sample = self._sample
        empty = ""
        if self._bench.readonly:
            empty = READ_ONLY
        elif sample is not None and len(sample) == sample.last.frame:
            empty = ALL_DRAWN
        elif sample is not None and sample.has_own_chances:
            empty = OWN_CHANCES
        lines = [] if empty else self._form.lines
        self._lines.styles.height = max(1, len(lines))
        rows = []
        for line in lines:
            value = StyledText(f"{column(line.value, VALUE)} ", "key")
            rows.append(ListRow(line.means, (StyledText(line.name.ljust(ABOUT), "muted"), value)))
        self._lines.show_rows(rows, empty)
        self.on_lines_highlighted()

    def on_lines_highlighted(self) -> None:
        """Says what may be chosen in a line, and what comes of it."""
        if self._form is not None and self._sample is None:
            why = self._form.lines[self._lines.cursor.row].why
            self.query_one(".sample--about", Static).update(plain(spelt(why, self.marks)))

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
        form = self._form
        sample = self._sample
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
            texts = [*texts, "", in_own_keys(wording(refusal), self.app)]
        gone = list(withdrawn_text(self._bench.workspace.design.facts()))
        if gone:
            texts = [*texts, "", *gone]
        text = spelt("\n".join(texts).strip("\n"), self.marks)
        self.query_one(".sample--plan", Static).update(plain(text))
        self.call_after_refresh(self._tell_keys)

    def _tell_keys(self) -> None:
        self.say_keys(f"{self._notice or self._keys_text()} · {KEYS}")
        self.query_one(".box--keys").set_class(bool(self._notice), "-sure")

    def _keys_text(self) -> str:
        texts = ["{sample.less:←} {sample.more:→} changes", "digits type"]
        if self._planned is not None:
            does = "draws" if self._sample is None else "adds"
            texts.append(f"{{sample.draw:D}} {does} {len(self._planned.what.drawn):,}")
        if self._sample is not None:
            texts.append("{sample.go:Enter} goes through it")
        if self._may_go:
            texts.append("{sample.withdraw:W} takes it back")
        if self.query_one(VerticalScroll).max_scroll_y:
            texts.append("{sample.down:PgDn} scrolls")
        return in_own_keys(" · ".join(texts), self.app)

    @property
    def _may_go(self) -> bool:
        return self._far is not None and self._far.may_go and not self._bench.readonly

    def _ask(self, key: str, notice: str = "") -> None:
        self._sure, self._notice = key, in_own_keys(notice, self.app)
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
            text = WITHDRAWS
            if self._far.begun:
                text += f", what was begun in {many(self._far.begun, 'blind cell')} goes"
            self._ask("W", text)

    def action_go(self) -> None:
        if self._sample is not None:
            self.dismiss(GO)
        elif self._planned is not None:
            self.action_draw()

    def action_help(self) -> None:
        names = own_names(self.app)
        shown = f"{self._keys_text()} {with_keys(KEYS, names)}"
        show_help(self, shown, keys_described(OWN, names), "samples", self.marks, {})

    def action_scroll(self, by: int) -> None:
        pane = self.query_one(VerticalScroll)
        pane.scroll_relative(y=by * (pane.size.height - 1), animate=False)


# -- on the bench ---------------------------------------------------------------------------------

QUERY = "is:sampled"
ORDER = "sample"
GONE = "The sample is taken back. {sample:%} draws another."


class SampleVisit:
    """Opens the sample; keeps what is drawn or taken back there, and puts it into the queue."""

    def __init__(
        self,
        bench: Workbench,
        marks: Marks,
        dialogs: Dialogs,
        requests: Requests,
        queue: QueueView,
        queue_control: QueueControl,
        *,
        changed: Callable[[], object],
    ) -> None:
        """`changed` shows that cells are drawn, or are no longer."""
        self._bench = bench
        self._marks = marks
        self._dialogs = dialogs
        self._requests = requests
        self._queue = queue
        self._queue_control = queue_control
        self._changed = changed

    async def open(self) -> None:
        """Opens the sample, and puts what was drawn into the queue."""
        decided = await self._dialogs.show(SampleScreen(self._bench, self._marks))
        if decided is None:
            return
        if decided == WITHDRAW:
            self._withdraw()
            return
        if decided != GO:
            if self._requests.do(self._bench.draw, decided.what) is None:
                return
            self._changed()
        lineup = self._queue.lineup
        sample = lineup.but(filter=QUERY, order=ORDER)
        # quietly: what one needs to read now is the keys
        self._queue_control.line_up(sample, quietly=True, afresh=True)

    def _withdraw(self) -> None:
        """Takes the sample back, and the queue away from it."""
        if self._requests.do(self._bench.withdraw) is None:
            return
        self._changed()
        lineup = self._queue.lineup
        if lineup.filter == QUERY:
            lineup = lineup.but(filter="")
        if lineup.order == ORDER:
            lineup = lineup.but(order="loaded")
        lineup.remember()
        self._queue_control.line_up(lineup, quietly=True)
        self._dialogs.say(GONE)
