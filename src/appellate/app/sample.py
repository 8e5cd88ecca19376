"""The screen of the sample: what a draw would take, and how far the sample is reviewed.

`SampleForm` holds what the reviewer wants to draw, and is tested without a screen. `SampleScreen`
shows the form and the plan. `SampleVisit` opens the screen and carries out what was decided there.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
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
from appellate.core.design_facts import Sample, wave_name, withdrawn_text
from appellate.core.problem import Refused, many, with_keys, wording
from appellate.session.workbench import Workbench
from appellate.store.database import reading
from appellate.store.samples.sample_plans import (
    DISAGREEMENT,
    HALF_HELP,
    STANDING_OUT,
    ExpectedWidth,
    PlannedDraw,
    SampleSetting,
    SampleWish,
    count_new,
    expected_of,
    known_traces,
    plan,
    read_frame,
    setting,
    usual_seed,
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
"""Number of traces that are suggested to be added to a sample."""
STEP = 10
"""Traces by which an arrow key changes the number to draw."""
MOST_DIGITS = 9
NONE = "nothing"


class FormLine(NamedTuple):
    """One line of the form."""

    name: str
    value: str
    means: str
    """What the value means, in a few words behind it."""
    why: str
    """What the value means, in the sentences above the form while the cursor is on the line."""


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
_BY_SIZE = (
    "A few have many more items than most. You rule on all of these, so that the result does not"
    " hang on whether chance drew them."
)
WHOLE = "largest"
"""The grouping of the form that draws the largest whole."""
_GROUPING_TEXTS = {
    NONE: ("simple: every trace alike", _EVENLY),
    DISAGREEMENT: ("most where judges differ", _BY_DISAGREEMENT),
    WHOLE: ("the largest, all of them", _BY_SIZE),
}
_OF_GROUPS = ("of each group its share", _BY_SHARE)


def undrawn_units(sample: Sample) -> int:
    """Return how many units can still be added to a sample, or to the last of its waves."""
    wave = sample.waves[-1]
    return wave.frame - len(wave)


class SampleForm:
    """The draw that a reviewer wants, line by line. For a sample that exists, how many to add."""

    def __init__(
        self,
        groupings: Sequence[str],
        units: int,
        sample: Sample | None,
        *,
        offers_whole: bool = False,
        new: int = 0,
    ) -> None:
        """Begin with a wish for the usual draw, or for more of a sample that exists.

        `groupings` are the names by which strata can be formed. `units` is the number of
        traces or clusters that could be drawn. `sample` is the sample that exists, or None
        before the first draw; at most `MORE` of its undrawn units are wished for. With
        `offers_whole` the largest units may be drawn whole. `new` is how many units came in
        since the sample was drawn: if there are any, the wish is a wave of these.
        """
        self._groupings = [NONE, *groupings]
        if offers_whole:
            self._groupings.append(WHOLE)
        self._units = units
        self._sample = sample
        self._grouping_index = 0
        self._typed_field = ""
        """The field that the last key typed a digit into; "" after any other key."""
        suggested = usual_size(units)
        undrawn = units
        if sample is not None:
            suggested = MORE
            undrawn = undrawn_units(sample)
        self._new = new
        self.wish = SampleWish(max(1, min(suggested, undrawn)))
        if self._new and sample is not None:
            self._begin_wave(sample)

    def _begin_wave(self, sample: Sample) -> None:
        """Wish for a wave of what is new, by chance of its own, ruled on as the sample is.

        It has the usual size and seed, and its name has the first number that is free.
        """
        names = [wave.name for wave in sample.waves]
        number = len(names) + 1
        while f"wave {number}" in names:
            number += 1
        self.wish = SampleWish(
            usual_size(self._new),
            usual_seed(sample),
            blind=sample.last.blind,
            wave=f"wave {number}",
        )

    @property
    def lines(self) -> list[FormLine]:
        """The lines of the form as it is now.

        A first draw has four: the number to draw, the grouping, whether the judge is
        hidden, and the seed. For a sample that exists, the only line is how many to add. If
        units are new since the draw, a line before it says what is drawn from; a wave of
        the new units also has a line for its seed.
        """
        wish = self.wish
        sample = self._sample
        if sample is not None:
            undrawn = undrawn_units(sample)
            text = f"to the {len(sample.waves[-1]):,} drawn; {undrawn:,} are left"
            add = FormLine("Add", f"{wish.n:,}", text, "")
            if not self._new:
                return [add]
            if not wish.wave:
                means = f"or draw from the {self._new:,} that are new"
                return [FormLine("From", "the last draw", means, ""), add]
            means = f"a wave of its own: {wish.wave} (--wave gives another name)"
            return [
                FormLine("From", "what is new", means, ""),
                FormLine(
                    "Draw",
                    f"{wish.n:,}",
                    f"of the {self._new:,} that are new",
                    "",
                ),
                FormLine("Seed", str(wish.seed), "any number that no wave has", ""),
            ]

        grouping = self._groupings[self._grouping_index]
        judge = FormLine("Judge", "in sight", "sighted: as in any review", _SIGHTED)
        if wish.blind:
            judge = FormLine("Judge", "hidden", "blind: until you have ruled", _BLIND)
        return [
            FormLine(
                "Draw",
                f"{wish.n:,}",
                f"of {self._units:,} that could be drawn",
                _SIZE,
            ),
            FormLine("Group by", grouping, *_GROUPING_TEXTS.get(grouping, _OF_GROUPS)),
            judge,
            FormLine("Seed", str(wish.seed), "any number will do", _SEED),
        ]

    def turn(self, line: int, by: int) -> None:
        """Change the value on a line of the form, counted from 0, by `by` steps.

        The number to draw or add changes by `STEP` a step and stays from 1 to the most that is
        possible. The grouping begins again after the last. Whether the judge is hidden, and what is
        drawn from, is switched, whatever `by` is; the latter only if both have more to give. The
        seed changes by 1 a step and is never negative. A digit that is typed next begins a new
        number.
        """
        self._typed_field = ""
        match self.lines[line].name:
            case "Draw" | "Add":
                self._set(n=max(1, min(self.wish.n + STEP * by, self._most)))
            case "Group by":
                self._grouping_index = (self._grouping_index + by) % len(
                    self._groupings,
                )
                grouping = self._groupings[self._grouping_index]
                strata = () if grouping in (NONE, WHOLE) else (grouping,)
                self._set(by=strata, giants=STANDING_OUT if grouping == WHOLE else None)
            case "Judge":
                self._set(blind=not self.wish.blind)
            case "From":
                self._turn_from()
            case _:
                self._set(seed=max(0, self.wish.seed + by))

    def _turn_from(self) -> None:
        """Wish for a wave of what is new in place of more of the last draw, or the other way round.

        Nothing is changed where the last draw has no more to give.
        """
        sample = self._sample
        if sample is None:
            return
        if not self.wish.wave:
            self._begin_wave(sample)
        elif undrawn_units(sample):
            self.wish = SampleWish(min(MORE, undrawn_units(sample)))

    def type(self, line: int, digit: str) -> bool:
        """Append a digit to the number on a line, or delete its last one for an empty `digit`.

        Returns whether the line holds a number; else nothing is changed. The first digit replaces
        the old number, and digits after the first `MOST_DIGITS` are dropped. No digits are 0. A
        number to draw or add is brought into the range from 1 to the most that is possible.
        """
        field = {"Draw": "n", "Add": "n", "Seed": "seed"}.get(self.lines[line].name)
        if field is None:
            return False
        text = str(getattr(self.wish, field))
        if digit and self._typed_field != field:
            text = ""
        self._typed_field = field
        text = (text + digit) if digit else text[:-1]
        number = int(text[:MOST_DIGITS] or 0)
        if field == "n":
            number = max(1, min(number, self._most))
        self._set(**{field: number})
        return True

    @property
    def _most(self) -> int:
        """The largest number that can be drawn or added, at least 1."""
        if self._sample is None:
            return max(1, self._units)
        if self.wish.wave:
            return self._new
        return max(1, undrawn_units(self._sample))

    def _set(self, **changed: object) -> None:
        self.wish = replace(self.wish, **changed)


# -- the screen -----------------------------------------------------------------------------------

StratumRow = tuple[str, list[int]]
"""The name of a stratum and its numbers, in the order of a table's columns."""
NAME = 20
"""Columns that the name of a stratum or a trait has at least."""
NUMBER = 11
"""Columns of a number in a table."""
ESTIMATE = 32
"""Columns behind the name of a trait, for its expected widths."""
ABOUT = 9
"""Columns of the name of a form's line."""
VALUE = 16
"""Columns of the value of a form's line."""
SHOWN = 4
"""Number of traits whose expected widths are shown."""
TITLE = "Draw a random sample: what you find in it holds for all traces"
DRAWN = "The sample of this audit"
LOOKING = "Looking at what could be drawn …"
READ_ONLY = "This session only reads: nothing can be drawn in it."
ALL_DRAWN = "Everything that could be drawn is in the sample."
OWN_CHANCES = "Nothing can be added to a sample whose chances are unequal."
DRAWS = (
    "{sample.draw:D} again draws them. You can take that back until you have ruled"
    " on one of them"
)
DRAWS_WAVE = (
    "{sample.draw:D} again draws this wave. You can take it back until you have"
    " ruled on one of it"
)
ADDS = (
    "{sample.draw:D} again adds them. Something is ruled on already, so that cannot"
    " be taken back"
)
WITHDRAWS = (
    "{sample.withdraw:W} again takes the whole sample back; labels that it hid are"
    " there again"
)
WITHDRAWS_WAVE = (
    "{sample.withdraw:W} again takes the last wave back; labels that it hid are"
    " there again"
)
STAYS = "It cannot be taken back: something in it is ruled on"
NOBODY = "No judge said anything yet: how wide intervals will be is not known."


def drawn_so_far(
    sample: Sample,
    far: SampleProgress,
    planned: PlannedDraw | None,
    width: int,
) -> list[str]:
    """Return the lines on a sample: a table of its strata, and what is next, `width` columns wide.

    The table has a column "to add" if a draw is `planned`, and rows for the wave that it begins, if
    it does. Below it is the next unit in the order of the draw. If there is none, the line says how
    many are not done as their text was changed, or that all are done.
    """
    headers = ["in all", "drawn", sample.done_word]
    rows: list[StratumRow] = []
    for stratum, done in zip(sample.strata, far.done, strict=True):
        rows.append((stratum.name, [stratum.units, stratum.drawn, done]))
    total = [sample.frame, len(sample), sum(far.done)]
    if planned is not None:
        headers.append("to add")
        _add_planned(rows, sample, planned)
        if wave_name(planned.what) != wave_name(sample.last):
            total[0] += planned.what.frame
        total.append(len(planned.what.drawn))

    lines = [*_strata_table(headers, rows, total, width), ""]
    undone = len(sample) - sum(far.done)
    if far.next:
        lines.append(f"Next in the order of the draw: {far.next}.")
    elif undone:
        verb = "is" if undone == 1 else "are"
        lines.append(
            f"{undone:,} of it {verb} not, as what was read was changed since.",
        )
    else:
        lines.append(f"All of it is {sample.done_word}.")
    return lines


def _add_planned(rows: list[StratumRow], sample: Sample, planned: PlannedDraw) -> None:
    """Put how many units are to be added into each row of a sample's strata, as its last number.

    Rows are added for the strata of a new wave. A sample of one wave gets the name of its wave in
    front of its rows then.
    """
    strata = planned.what.strata
    planned_wave = wave_name(planned.what)
    if planned_wave == wave_name(sample.last):
        rows_of_wave = rows[-len(strata) :]
        rows_before = rows[: -len(strata)]
        for _, figures in rows_before:
            figures.append(0)
        for stratum, (_, figures) in zip(strata, rows_of_wave, strict=True):
            drawn_already = figures[1]
            figures.append(int(stratum["drawn"]) - drawn_already)
        return

    for index, (name, figures) in enumerate(rows):
        if not sample.several:  # beside a wave the first draw has a name, too
            name_of_row = sample.name
            if len(rows) > 1:
                name_of_row += f" · {name}"
            rows[index] = (name_of_row, figures)
        figures.append(0)
    for stratum in strata:
        name_of_row = planned_wave
        if len(strata) > 1:
            name_of_row += f" · {stratum['name']}"
        units = int(stratum["units"])
        to_add = int(stratum["drawn"])
        rows.append((name_of_row, [units, 0, 0, to_add]))


def to_be_drawn(planned: PlannedDraw, width: int) -> list[str]:
    """Return the lines on a first draw: how many units it takes, and of how many.

    If there are several strata, a table says so of each, with columns for `width` columns.
    """
    draw = planned.what
    units = many(len(draw.drawn), planned.frame.word)
    text = f"{units} would be drawn"
    if planned.frame.clusters:
        traces = many(len(planned.traces), "trace")
        text += f", {traces} in all"
    if len(draw.strata) == 1:
        return [f"{text}, of {draw.frame:,}."]

    rows: list[StratumRow] = []
    for stratum in draw.strata:
        figures = [int(stratum["units"]), int(stratum["drawn"])]
        rows.append((str(stratum["name"]), figures))
    total = (draw.frame, len(draw.drawn))
    lines = [f"{text}:"]
    lines.extend(_strata_table(("in all", "to draw"), rows, total, width))
    return lines


def expected_text(
    widths: Sequence[ExpectedWidth],
    n: int,
    columns: int,
) -> Iterator[str]:
    """Yield the lines on how precise the result of `n` audits will be, `columns` columns wide.

    `widths` are worked out from the judge's labels; if empty, one line says that nothing is known.
    If `n` is the whole frame or more, one line says that nothing is left to estimate. Each of the
    first `SHOWN` traits gets its half-width by audits only, and with a judge's help. It is "too few
    to say" if the interval by audits only is as wide as all values that there can be. A last line
    counts the other traits.
    """
    if not widths:
        yield NOBODY
        return
    if n >= widths[0].frame:
        yield "All of it would be audited: nothing is left to estimate."
        return
    yield f"How near {n:,} audits come to what checking all of them would give"
    yield "(in 95 of 100 samples), by themselves, and helped by a fair judge:"
    longest = max(NAME, *(cell_width(width.trait) for width in widths[:SHOWN]))
    name_width = min(longest, max(NAME, columns - ESTIMATE))
    for width in widths[:SHOWN]:
        audits_only = width.half(n)
        with_judge = width.half(n, HALF_HELP)
        text = f"± {_half_width_text(audits_only)}  ± {_half_width_text(with_judge)}"
        if audits_only >= width.range / 2:
            text = "too few to say"
        yield f"  {column(width.trait, name_width)} {width.measure:>12}  {text}"
    if len(widths) > SHOWN:
        yield f"  and {many(len(widths) - SHOWN, 'trait')} more: appellate sample AUDIT --power"


def _half_width_text(width: float) -> str:
    """Return the half-width of an interval with three decimals and no 0 before the point: ".045".

    A width of 1 or more keeps its digit, as "1.250".
    """
    return f"{width:.3f}".removeprefix("0")


def _strata_table(
    headers: Sequence[str],
    rows: Sequence[StratumRow],
    total: Sequence[int],
    columns: int,
) -> Iterator[str]:
    """Yield the lines of a table of strata: the headers, a line a stratum, and a line of totals.

    Names have at least `NAME` columns, and at most what the numbers leave of `columns`; a longer
    name is cut. There are no totals if there is only one stratum.
    """
    widest = max(NAME, columns - NUMBER * len(headers))
    name_width = min(max(NAME, *(cell_width(name) for name, _ in rows)), widest)
    yield _table_line("group", headers, name_width)
    for name, figures in rows:
        yield _table_line(name, map("{:,}".format, figures), name_width)
    if len(rows) > 1:
        yield _table_line("all", map("{:,}".format, total), name_width)


def _table_line(name: str, figures: Iterable[str], name_width: int) -> str:
    """Return a line of a table: the name, padded or cut to `name_width`, then the figures.

    Each figure is padded at its left to `NUMBER` columns; a longer one is whole.
    """
    return column(name, name_width) + "".join(
        figure.rjust(NUMBER) for figure in figures
    )


def _new_units(path: Path, sample: Sample | None) -> int:
    """Return how many units can be drawn from what came in since a sample was drawn.

    0 without a sample, and for one that no wave can follow.
    """
    if sample is None or sample.has_own_chances or not count_new(path, sample):
        return 0
    return len(read_frame(path, known_traces(sample)).units)


def _digest(path: Path) -> str:
    """Return the digest of a workspace's sample and what it is for; "" for none."""
    # not before the first paint
    from appellate.numbers.digests import short_digest_text
    from appellate.numbers.samples import hand_edits_at

    with reading(path) as db:
        return short_digest_text(hand_edits_at(db).digests)


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
AROUND = 15
"""Rows of the frame, the title, the form and the keys."""
GO: Literal["go"] = "go"
WITHDRAW: Literal["withdraw"] = "withdraw"
Decided = PlannedDraw | Literal["go", "withdraw"] | None
"""What a reviewer decided: a draw to carry out, `GO`, `WITHDRAW`, or nothing."""


class SampleScreen(FramedBox[Decided]):
    """The screen of the sample; it closes with what the reviewer decided.

    That is the draw to carry out, `GO` to go through the sample, or `WITHDRAW` to take it back.
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
        """Read which sample the audit has.

        The form and the plan are made once the screen is mounted.
        """
        self._sample = bench.workspace.design.sample()
        super().__init__(TITLE if self._sample is None else DRAWN, marks=marks)
        self._lines = Lines(marks=marks)
        self._bench = bench
        self._path = bench.workspace.path
        self._form: SampleForm | None = None
        """The form; None until it is known what could be drawn."""
        self._planned: PlannedDraw | None = None
        """The draw as the form says; None while it is being planned, or cannot be."""
        self._far: SampleProgress | None = None
        """How far the sample is; None if there is none or it is not known yet."""
        self._widths: Sequence[ExpectedWidth] = ()
        self._confirming = ""
        """The key, "D" or "W", that acts at its next press; "" if none waits."""
        self._notice = ""
        """The sentence that says what the next press does."""

    def inside(self) -> Iterator[Widget]:
        """Yield the widgets in the frame: words on the sample, the form, the plan that scrolls.

        Before a first draw the words explain the line under the cursor, else they describe the
        sample.
        """
        description = "" if self._sample is None else f"A {self._sample.describe}."
        yield Static(
            plain(description),
            classes=f"sample--about {'' if description else '-why'}",
        )
        yield self._lines
        plan = Static(plain(LOOKING), classes="sample--plan")
        yield VerticalScroll(plan, can_focus=False)

    def on_mount(self) -> None:
        """Put the focus on the form, show the keys, and begin to read what could be drawn."""
        self._lines.focus()
        self._tell_keys()
        beside(self, self._begin, "plan", exclusive=True)

    def on_resize(self, event: Resize) -> None:
        """Give the table the rows that the form and the keys leave."""
        self.query_one(VerticalScroll).styles.max_height = max(
            3,
            event.size.height - AROUND,
        )

    # -- what is said -----------------------------------------------------------------------------

    async def _begin(self) -> None:
        """Read in threads what could be drawn and how precise it would be; show the form and plan.

        The form is shown and its draw planned once both were read.
        """
        with self._saying_unreadable():
            drawable: SampleSetting = await asyncio.to_thread(setting, self._path)
            new = await asyncio.to_thread(_new_units, self._path, self._sample)
            _, widths = await asyncio.to_thread(expected_of, self._path, self._sample)
            self._widths = widths
            self._form = SampleForm(
                drawable.groupings,
                drawable.units,
                self._sample,
                offers_whole=drawable.standing_out > 0,
                new=new,
            )
            self._show_form()
            await self._plan()

    @contextmanager
    def _saying_unreadable(self) -> Iterator[None]:
        """Show a sentence in place of the plan if the block cannot read the workspace's file."""
        try:
            yield
        except sqlite3.Error as error:
            text = f"The workspace cannot be read now ({error})."
            self.query_one(".sample--plan", Static).update(plain(text))

    def _show_form(self) -> None:
        """Show the lines of the form, or in their place why nothing can be drawn.

        Nothing can be drawn if the session only reads, if everything is in the sample, or if the
        sample was drawn with chances of its own. Does nothing before the form is known.
        """
        if self._form is None:
            return
        sample = self._sample
        refusal = ""
        if self._bench.readonly:
            refusal = READ_ONLY
        elif sample is not None and sample.has_own_chances:
            refusal = OWN_CHANCES
        elif (
            sample is not None
            and not self._form.wish.wave
            and not undrawn_units(sample)
        ):
            refusal = ALL_DRAWN
        lines = [] if refusal else self._form.lines
        self._lines.styles.height = max(1, len(lines))
        rows = []
        for line in lines:
            value = StyledText(f"{column(line.value, VALUE)} ", "key")
            rows.append(
                ListRow(
                    line.means,
                    (StyledText(line.name.ljust(ABOUT), "muted"), value),
                ),
            )
        self._lines.show_rows(rows, refusal)
        self.on_lines_highlighted()

    def on_lines_highlighted(self) -> None:
        """Explain the value of the line under the cursor, above the form of a first draw.

        For a sample that exists, its description stays there.
        """
        if self._form is not None and self._sample is None:
            explanation = self._form.lines[self._lines.cursor.row].why
            self.query_one(".sample--about", Static).update(
                plain(spelt(explanation, self.marks)),
            )

    def action_turn(self, by: int) -> None:
        """Change the value of the line under the cursor by `by` steps, and plan the draw again.

        Does nothing while the form has no lines.
        """
        if self._form is not None and self._lines.row:
            self._form.turn(self._lines.cursor.row, by)
            self._changed()

    def on_key(self, event: KeyPress) -> None:
        """Type a digit into the line under the cursor, or delete one at Backspace; plan again.

        Other keys, and lines without a number, are left to others. Only 0 to 9 are digits.
        """
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
        """Show the form after a change, and plan its draw in the background.

        A plan that is still being made is cancelled, and no key waits for a second press any
        longer.
        """
        self._planned = None
        self._ask("")
        self._show_form()
        beside(self, self._plan_again, "plan", exclusive=True)

    # -- what comes of it -------------------------------------------------------------------------

    async def _plan_again(self) -> None:
        """Plan the draw and show it, or say that the workspace cannot be read."""
        with self._saying_unreadable():
            await self._plan()

    async def _plan(self) -> None:
        """Plan the draw in a thread and show it, or say why it cannot be carried out.

        The lines say how far a sample that exists is, what the draw adds, and, except for a
        wave, how precise the result will be. Last come the samples that were withdrawn, and
        the digest. The draw is kept for `action_draw`, but not if it is refused. Plans no
        draw while the form shows no line, as when nothing can be drawn. Does nothing before
        the form is known. Raises sqlite3.Error if the workspace cannot be read.
        """
        form = self._form
        sample = self._sample
        if form is None:
            return
        lines: list[str] = []
        width = self.query_one(VerticalScroll).size.width - 1
        try:
            if sample is not None:
                far = await asyncio.to_thread(progress, self._path, len(sample.strata))
                self._far = far
                lines = drawn_so_far(sample, far, None, width)
            if self._lines.row:
                planned = await asyncio.to_thread(plan, self._path, form.wish, sample)
                lines = to_be_drawn(planned, width)
                if sample is not None:
                    lines = drawn_so_far(sample, far, planned, width)
                lines.extend(planned.describe())
                lines.append("")
                widths = self._widths
                if sample is None and form.wish.giants is not None:
                    _, widths = await asyncio.to_thread(
                        expected_of,
                        self._path,
                        None,
                        wish=form.wish,
                    )
                if not form.wish.wave:
                    lines.extend(expected_text(widths, planned.after, width))
                self._planned = planned
        except Refused as refusal:
            lines += ["", in_own_keys(wording(refusal), self.app)]
        lines += await self._further_lines()
        text = spelt("\n".join(lines).strip("\n"), self.marks)
        self.query_one(".sample--plan", Static).update(plain(text))
        self.call_after_refresh(self._tell_keys)

    async def _further_lines(self) -> list[str]:
        """Return how samples were withdrawn before, and the digest of the sample if there is one.

        Each begins with an empty line.
        """
        lines: list[str] = []
        withdrawn = list(withdrawn_text(self._bench.workspace.design.facts()))
        if withdrawn:
            lines += ["", *withdrawn]
        if self._sample is not None:
            lines += ["", await asyncio.to_thread(_digest, self._path)]
        return lines

    def _tell_keys(self) -> None:
        """Show the keys of the screen, or what the next press of a key does."""
        self.say_keys(f"{self._notice or self._keys_text()} · {KEYS}")
        self.query_one(".box--keys").set_class(bool(self._notice), "-sure")

    def _keys_text(self) -> str:
        """Return the keys that do something now and what they do, by the reviewer's key names.

        Drawing is named only once a draw is planned, W only while the sample may be taken back, and
        scrolling only if the plan does not fit.
        """
        texts = ["{sample.less:←} {sample.more:→} changes", "digits type"]
        if self._planned is not None:
            does = "draws" if self._sample is None or self._begins_wave else "adds"
            texts.append(f"{{sample.draw:D}} {does} {len(self._planned.what.drawn):,}")
        if self._sample is not None:
            texts.append("{sample.go:Enter} goes through it")
        if self._may_withdraw:
            texts.append("{sample.withdraw:W} takes it back")
        if self.query_one(VerticalScroll).max_scroll_y:
            texts.append("{sample.down:PgDn} scrolls")
        return in_own_keys(" · ".join(texts), self.app)

    @property
    def _begins_wave(self) -> bool:
        """Whether the form wishes for a wave of what is new."""
        return self._form is not None and bool(self._form.wish.wave)

    @property
    def _may_withdraw(self) -> bool:
        """Whether the sample may be taken back: nothing in it is ruled on.

        False before it is known how far the sample is, and in a session that only reads.
        """
        return self._far is not None and self._far.may_go and not self._bench.readonly

    def _ask(self, key: str, notice: str = "") -> None:
        """Show a notice in place of the keys, and have `key` ("D" or "W") act at its next press.

        With "" no key waits any longer; an empty notice shows the keys again.
        """
        self._confirming = key
        self._notice = in_own_keys(notice, self.app)
        self._tell_keys()

    def action_draw(self) -> None:
        """Say what the draw does; at the second press close the screen with the planned draw.

        Does nothing while no draw is planned.
        """
        if self._planned is None:
            return
        if self._confirming == "D":
            self.dismiss(self._planned)
        elif self._begins_wave:
            self._ask("D", DRAWS_WAVE)
        elif self._sample is None or self._may_withdraw:
            self._ask("D", DRAWS)
        else:
            self._ask("D", ADDS)

    def action_withdraw(self) -> None:
        """Say what taking back does; at the second press close the screen with `WITHDRAW`.

        If something in the sample is ruled on, say that it cannot be taken back. Does nothing
        without a sample, before it is known how far it is, and in a session that only reads.
        """
        if self._far is None or self._bench.readonly:
            return
        if self._confirming == "W":
            self.dismiss(WITHDRAW)
        elif not self._may_withdraw:
            self._ask("", STAYS)
        else:
            text = WITHDRAWS
            if self._sample is not None and self._sample.several:
                text = WITHDRAWS_WAVE
            if self._far.begun:
                text += (
                    f", what was begun in {many(self._far.begun, 'blind cell')} goes"
                )
            self._ask("W", text)

    def action_go(self) -> None:
        """Close the screen with `GO` to go through the sample.

        Without a sample do what the key to draw does: ask first, then close with the planned draw.
        """
        if self._sample is not None:
            self.dismiss(GO)
        elif self._planned is not None:
            self.action_draw()

    def action_help(self) -> None:
        """Open the help with the keys of the sample's screen, those that do something now first."""
        names = own_names(self.app)
        visible_keys = f"{self._keys_text()} {with_keys(KEYS, names)}"
        show_help(
            self,
            visible_keys,
            keys_described(OWN, names),
            "samples",
            self.marks,
            {},
        )

    def action_scroll(self, by: int) -> None:
        pane = self.query_one(VerticalScroll)
        pane.scroll_relative(y=by * (pane.size.height - 1), animate=False)


# -- on the bench ---------------------------------------------------------------------------------

QUERY = "is:sampled"
ORDER = "sample"
GONE = "The sample is taken back. {sample:%} draws another."


class SampleVisit:
    """Opens the screen of the sample, draws or withdraws what was decided, and fills the queue."""

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
        """`changed` is called after a sample was drawn or withdrawn."""
        self._bench = bench
        self._marks = marks
        self._dialogs = dialogs
        self._requests = requests
        self._queue = queue
        self._queue_control = queue_control
        self._changed = changed

    async def open(self) -> None:
        """Open the screen of the sample, wait until it is closed, and do what was decided there.

        A decided draw is carried out; if that is refused, why is said, and nothing else happens.
        After a draw, or if the reviewer goes through the sample, the queue is filled with the
        sample in its order. A withdrawal is carried out. Nothing happens if the reviewer only
        closes the screen.
        """
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
        # quietly, since the reviewer needs to read the keys now
        self._queue_control.line_up(sample, quietly=True, afresh=True)

    def _withdraw(self) -> None:
        """Withdraw the sample and say so; if the queue showed the sample, show all cells.

        An order by the sample becomes the order of loading. What the queue shows is saved. If the
        withdrawal is refused, why is said, and nothing else happens.
        """
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
