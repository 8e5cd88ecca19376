"""Planning, from the numbers, at which audits a bar is decided."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from appellate.app.numbers.known import PAGES
from appellate.core.problem import Refused
from appellate.numbers.bars import planned
from appellate.numbers.sentences import plan_text
from appellate.session.workbench import Workbench
from appellate.stats.looks import TrustBar, read_bar, read_looks
from appellate.store.database import NotKept
from appellate.ui.bar import Hint, KeyStrip
from appellate.ui.conversation import Left
from appellate.ui.figure_list import FigureList
from appellate.ui.key import own_names
from appellate.ui.lines import counting_hint
from appellate.ui.marks import Marks, spelt
from appellate.ui.prompt import LineInput, LinePrompt
from appellate.ui.text import cell_width, plain, update_text

WIDEST = 160


class NumbersFrame(Vertical):
    """The widgets; `lines` has the cursor."""

    DEFAULT_CSS = """
    NumbersFrame {
        max-width: 160;
        & > FigureList { height: 1fr; }
        & > #title { height: 1; padding: 0 1; text-style: bold; }
        & > #pages { height: 1; padding: 0 1; margin-bottom: 1; }
        & > #narrowed { height: 1; display: none; background: $boost; }
        & > #narrowed.-on { display: block; }
        & > #narrowed > Static { width: auto; padding: 0 1; text-style: bold; }
        & > #told { height: 2; padding: 0 1; color: $muted; }
    }
    """

    def __init__(self, marks: Marks) -> None:
        super().__init__()
        self._marks = marks
        self.lines = FigureList(marks=marks)
        self.typing = LineInput("words of a trait, an instruction, a group")
        self.prompt = LinePrompt(marks=marks)
        self._strip = KeyStrip(marks=marks, id="keys")

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield Static(id="pages", markup=False)
        yield self.lines
        with Horizontal(id="narrowed"):
            yield Static(plain("Rows with"))
            yield self.typing
        yield self.prompt
        yield Static(id="told", markup=False)
        yield self._strip

    @property
    def width(self) -> int:
        return min(self.screen.size.width, WIDEST)

    def _tell(self, name: str, content: Content) -> None:
        update_text(self.query_one(f"#{name}", Static), content)

    def title(self, name: str, text: str) -> None:
        """A name at the left end, words at the right."""
        gap = self.width - 2 - cell_width(name) - cell_width(text)
        self._tell("title", plain(f"{name}{' ' * max(gap, 2)}{text}"))

    def pages(self, here: str) -> None:
        """The names of the pages, the one in sight set off."""
        parts: list[Content] = []
        for page, title in PAGES.items():
            style = "$text-muted"
            if page == here:
                style = "bold reverse"
            parts += [Content.styled(f" {title} ", style), Content(" ")]
        self._tell("pages", Content.assemble(*parts))

    def say(self, text: str) -> None:
        self._tell("told", plain(spelt(text, self._marks)))

    def keys(self, hints: Sequence[Hint]) -> None:
        """What the keys do; a count that is being typed takes their place."""
        if self.lines.typed:
            label = counting_hint("", own_names(self.lines.app))
            hints = [Hint(self.lines.typed, label)]
        marks = self._marks
        self._strip.show(
            [
                replace(hint, key=spelt(hint.key, marks), label=spelt(hint.label, marks))
                for hint in hints
            ]
        )

    # -- the line that narrows the rows ----------------------------------------------------------

    def narrow(self, words: str = "") -> None:
        """Shows the line, to type in it."""
        self.query_one("#narrowed").add_class("-on")
        self.typing.value = words or self.typing.value
        if not words:
            self.typing.focus()

    def done_narrowing(self) -> None:
        """Goes back to the rows; an empty line goes away."""
        self.query_one("#narrowed").set_class(bool(self.typing.value.strip()), "-on")
        self.lines.focus()


def page_at(x: int) -> str:
    """The page whose name stands so many cells from the left of `pages`; "" where none does."""
    for page, title in PAGES.items():
        taken = cell_width(title) + 2
        if 0 <= x < taken:
            return page
        x -= taken + 1
    return ""


AT = " at "
LABEL = "Bar and looks"
EXAMPLE = "f1>=.8 at 40,60,80, or judge.kappa>=.6 at 60"


def read_plan(text: str) -> tuple[TrustBar, Sequence[int]]:
    """`f1>=.8 at 40,60,80`; raises ValueError with what would be right."""
    bar, at, looks = text.rpartition(AT)
    if not at:
        raise ValueError("Write after how many audits: f1>=.8 at 40,60,80.")
    try:
        found = read_bar(bar)
    except ValueError as error:
        raise ValueError(f"{bar.strip()} {error}.") from error
    try:
        return found, read_looks(looks)
    except ValueError as error:
        raise ValueError(f"{looks.strip()} {error}.") from error


async def plan_looks(frame: NumbersFrame, bench: Workbench, done: Callable[[], None]) -> None:
    """Asks for a bar and its looks, and keeps them."""

    def wrong(text: str) -> str:
        try:
            bar, looks = read_plan(text)
            planned(bench.workspace, bar, looks)
        except (ValueError, Refused) as error:
            return str(error)
        return ""

    try:
        text = await frame.prompt.ask("plan", LABEL, hint=EXAMPLE, checking=wrong)
    except Left:
        frame.lines.focus()
        raise
    frame.lines.focus()
    try:
        bar, looks = read_plan(text)
        plan = planned(bench.workspace, bar, looks)
        if plan.is_new:
            bench.record(plan.what)
    except (ValueError, Refused, NotKept) as refusal:
        frame.say(str(refusal))
        return
    done()
    frame.say(plan_text(plan))
