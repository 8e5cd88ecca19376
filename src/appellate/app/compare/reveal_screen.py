"""What the judge says of a cell whose verdict is locked, beside that verdict."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import starmap
from operator import attrgetter
from typing import ClassVar, Literal, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.message import Message
from textual.widgets import Static

from appellate.app.compare.screen import ComparingScreen, Surroundings
from appellate.app.keys.borrowed_keys import Command
from appellate.app.sign_off_key import HELD
from appellate.core.cell import Cell
from appellate.core.deciding import RuledQuestion, compared
from appellate.core.describe import judge_name
from appellate.core.kind import Figures, Grounds
from appellate.core.trace import name_of
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import in_own_keys
from appellate.ui.lines import Lines, ListSection
from appellate.ui.marks import Marks, in_quotes, spelt
from appellate.ui.measures_bar import number
from appellate.ui.overlay import Box
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, clip, column, plain

YOU, JUDGE, NOW = "you", "judge", "now"
LEAST, MOST = 7, 16  # cells of a column of answers
_NAME = 4  # cells of a question's name, or more where one is longer


class RevealRows:
    """The rows of one cell, whose verdict is locked and whose judge has judged."""

    def __init__(self, cell: Cell, marks: Marks) -> None:
        rows = compared(cell)
        self.cell = cell
        self.apart: list[RuledQuestion] = []
        self.alike: list[RuledQuestion] = []
        self._marks = marks
        self._has_now = any(map(attrgetter("is_changed"), rows))
        self._width, self._named = LEAST, _NAME
        for row in rows:
            held = self.apart if row.differs else self.alike
            held.append(row)
            self._named = max(self._named, cell_width(row.name))
            for side in self._sides(row):
                self._width = min(max(self._width, cell_width(side.word)), MOST)

    # -- around them ------------------------------------------------------------------------------

    def title(self) -> str:
        """Which cell it is, and who judged."""
        subject = self.cell.subject
        judge = judge_name(self.cell.judge.judge) if self.cell.judge else ""
        name = name_of(*subject.trace.key)
        return f"{name} · {subject.trait.name}: your blind verdict beside {judge}"

    def numbers(self) -> str:
        """The measures of both sides, a line each, and of what stands where that is something
        else.
        """
        cell = self.cell
        sides = {YOU: cell.measure_verdict(), JUDGE: cell.measure_judge()}
        if self._has_now:
            sides[NOW] = cell.measure()
        return "\n".join(starmap(self._measured, sides.items()))

    def _measured(self, who: str, figures: Figures | None) -> str:
        text = f"{who:<{len(JUDGE)}}"
        if figures is None:
            return f"{text}   {self._marks.none}"
        for measure in self.cell.subject.kind.measures(self.cell.subject.trait):
            value = figures.words.get(measure.word, "")
            if measure.name in figures.undefined:
                value = "0/0"
            elif not value:
                value = number(figures.values[measure.name])
            text += f"   {measure.word or measure.short} {value:<4}"
        return text.rstrip()

    # -- the rows ---------------------------------------------------------------------------------

    def sections(self) -> list[ListSection]:
        """Those that differ, whole, then those that do not."""
        found = []
        for text, rows in (("differ", self.apart), ("as the judge says", self.alike)):
            if rows:
                header = ListRow(f" {len(rows)} {text}", (), self._heads(), style="header")
                found.append(ListSection(DrawnRows(rows, self.drawn), header, whole=True))
        return found

    def at(self, section: int, index: int) -> RuledQuestion | None:
        """What a row of a section shows."""
        held = list(filter(None, (self.apart, self.alike)))
        if section < len(held) and index < len(held[section]):
            return held[section][index]
        return None

    def drawn(self, row: RuledQuestion) -> ListRow:
        """A question with both answers, and below it what each stands on where they differ."""
        mark = self._marks.apart if row.differs else " "
        name = column(row.name.replace("−", self._marks.minus), self._named, self._marks)
        left = (StyledText(f"{mark} ", "flag"), StyledText(f"{name} ", "key"))
        grounds = tuple(filter(None, (self._why(YOU, row.verdict), self._why(JUDGE, row.judge))))
        below, under = (grounds, ()) if row.differs else ((), grounds)
        return ListRow(row.text, left, self._answers(row), below=below, under_cursor=under)

    def _sides(self, row: RuledQuestion) -> Sequence[Grounds]:
        sides = [row.verdict, row.judge]
        if self._has_now:
            sides.append(row.now)
        return sides

    def _heads(self) -> tuple[StyledText, ...]:
        names = f" {column(YOU, self._width)} {column(JUDGE, self._width)}"
        if self._has_now:
            names += f" {column(NOW, self._width)}"
        return (StyledText(names, "muted"),)

    def _answers(self, row: RuledQuestion) -> tuple[StyledText, ...]:
        styled = []
        for place, side in enumerate(self._sides(row)):
            style = side.style or "key"
            if place == 2 and not row.is_changed:  # noqa: PLR2004 - what stands now
                style = "muted"
            word = clip(side.word or self._marks.none, self._width, self._marks)
            styled.append(StyledText(f" {column(word, self._width, self._marks)}", style))
        return tuple(styled)

    def _why(self, who: str, side: Grounds) -> tuple[StyledText, ...]:
        """The words that an answer rests on, and its reason; nothing where there are none."""
        texts = [", ".join(quoted(self.cell, side, self._marks)), side.reason]
        if not any(texts):
            return ()
        label = StyledText(f"{who}: ", "muted")
        return (label, StyledText(" · ".join(filter(None, texts)), side.style or "muted"))


def quoted(cell: Cell, side: Grounds, marks: Marks) -> Iterator[str]:
    """The words that an answer rests on, those among them that are not in the response last."""
    for start, end in side.spans:
        yield in_quotes(" ".join(cell.subject.trace.response[start:end].split()), marks)
    for words in side.loose:
        yield in_quotes(" ".join(words.split()), marks)


MOST_NUMBERS = 3  # lines
LOCKED = "Your verdict is locked; what you change from here on is saved beside it."
Where = Literal["next", "previous", "proposals", "item", "cell"]


class RevealLeft(NamedTuple):
    """Where one goes: to the next cell or the one before that is not signed off, to the judge's
    proposals, to the item of that name, or back to the cell.
    """

    to: Where
    name: str = ""


BINDINGS = [
    Binding("escape,q", "leave", "stay", show=False, id="reveal.close"),
    Binding("question_mark,f1", "help", "keys", show=False, id="reveal.help"),
]
SHARED = {
    "cell.sign": "the next cell that is not signed off",
    "unreviewed.next": "the same",
    "unreviewed.previous": "the one before that is not signed off",
    "cell.proposals": "what each judge proposed for this cell",
}
OWN = """\
{lines.choose:Enter}  back to the cell, on the item under the cursor
{reveal.close:Esc}  back to the cell
"""
KEYS = (
    "{cell.sign:a} next cell · {lines.choose:Enter} to the item · "
    "{cell.proposals:V} proposals · {reveal.help:?} keys · {reveal.close:Esc} stays"
)


class RevealScreen(Box[RevealLeft], ComparingScreen[RevealLeft]):
    """Two columns of answers, or three where a person changed their mind since.

    `arrived` tells when a key was pressed: the one `pressed` last, which locked the verdict, may
    still be held down, and only goes on once it was let go.
    """

    PAGE = "samples"
    OWN = OWN
    SHARED = SHARED
    DEFAULT_CSS = """
    RevealScreen { align: center middle; }
    RevealScreen > Vertical {
        width: 96%; max-width: 130; height: 96%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    RevealScreen .reveal--title { height: 1; text-style: bold; }
    RevealScreen .reveal--note { height: 1; color: $muted; }
    RevealScreen Lines { height: 1fr; margin: 1 0; }
    RevealScreen .reveal--numbers { height: auto; }
    RevealScreen .reveal--keys { height: 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*BINDINGS]

    def __init__(
        self,
        around: Surroundings,
        rows: RevealRows,
        arrived: Callable[[Message], float],
        pressed: tuple[str, float],
    ) -> None:
        leave: dict[str, Command] = {
            "cell.sign": partial(self.action_leave, "next"),
            "unreviewed.next": partial(self.action_leave, "next"),
            "unreviewed.previous": partial(self.action_leave, "previous"),
            "cell.proposals": partial(self.action_leave, "proposals"),
        }
        ComparingScreen.__init__(self, around, leave)  # a box has only a screen's arguments
        self._rows = rows
        self._arrived = arrived
        self._before = pressed

    def compose(self) -> ComposeResult:
        marks = self.around.marks
        with Vertical():
            yield Static(classes="reveal--title", markup=False)
            yield Static(plain(spelt(LOCKED, marks)), classes="reveal--note")
            yield self.lines
            yield Static(classes="reveal--numbers", markup=False)
            yield Static(plain(spelt(self.hinted, marks)), classes="reveal--keys")

    def on_mount(self) -> None:
        self.lines.show(*self._rows.sections())
        self.lines.go(0, 0)

    def on_resize(self, event: Resize) -> None:
        room = event.size.width * 96 // 100 - 4
        fields = {
            ".reveal--title": (self._rows.title(), 1),
            ".reveal--numbers": (self._rows.numbers(), MOST_NUMBERS),
        }
        for name, (text, most) in fields.items():
            shown = fitting(plain(spelt(text, self.around.marks)), max(room, 20), most)
            self.query_one(name, Static).update(shown)

    def press(self, event: KeyPressed) -> None:
        """A key that may still be held down does nothing."""
        (key, then), self._before = self._before, (event.key, self._arrived(event))
        if key != event.key or self._before[1] - then >= HELD:
            super().press(event)

    @on(Lines.Chosen, "#rows")
    def _chosen(self, event: Lines.Chosen) -> None:
        row = self._rows.at(event.section, event.index)
        self.dismiss(RevealLeft("item", row.name if row else ""))

    @property
    def hinted(self) -> str:
        return in_own_keys(KEYS, self.app)

    def signs(self) -> dict[str, str]:
        return {self.around.marks.apart: "you and the judge answer otherwise"}

    def action_leave(self, to: Where = "cell") -> None:
        self.dismiss(RevealLeft(to))
