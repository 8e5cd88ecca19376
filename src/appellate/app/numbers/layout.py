"""The widgets of the numbers, their keys, and what titles mean."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from appellate.app.numbers.known import FIGURES, JUDGE, PAGES, WORTH
from appellate.core.agreement import ENOUGH
from appellate.stats.looks import TrustBar, read_bar, read_looks
from appellate.ui.bar import KeyStrip
from appellate.ui.figure_list import FigureList
from appellate.ui.key import Hint
from appellate.ui.lines import counting_hint
from appellate.ui.marks import Marks, spelt
from appellate.ui.own_keys import in_own_keys, own_names
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

    @staticmethod
    def page_at(x: int) -> str:
        """The page whose name stands so many cells from the left of `pages`; "" where none does."""
        for page, title in PAGES.items():
            taken = cell_width(title) + 2
            if 0 <= x < taken:
                return page
            x -= taken + 1
        return ""

    def say(self, text: str) -> None:
        text = in_own_keys(text, self.lines.app)
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


BINDINGS = [
    Binding("escape,S,q", "close", "leave", show=False, id="dashboard.close"),
    Binding("tab", "page(1)", "next page", show=False, id="dashboard.page"),
    Binding("shift+tab", "page(-1)", "page before", show=False, id="dashboard.before"),
    Binding("o,O", "sort", "sort by the figure", show=False, id="dashboard.sort"),
    Binding("slash,f", "narrow", "filter", show=False, id="dashboard.filter"),
    Binding("question_mark,f1", "help", "words", show=False, id="dashboard.help"),
    Binding("g", "group", "group by", show=False, id="dashboard.group"),
    Binding("p", "plan", "plan looks at a bar", show=False, id="dashboard.plan"),
    Binding("b", "instruction", "by instruction", show=False, id="dashboard.by_instruction"),
]
DAILY = """\
{dashboard.page:Tab}  the next page; {dashboard.before:Shift+Tab} the one before, and a click on \
its name
{figures.block:]} {figures.block_before:[}  the next block of the page, the one before
{figures.left:←} {figures.right:→}  go from figure to figure; below is what it is, and what it \
rests on
{lines.choose:Enter}  the cells behind the figure, in the queue; Esc or {session:S} there comes \
back to it
{dashboard.sort:o}  sorts by the figure; again: the other way; again: as it was
{dashboard.filter:/}  only rows with the words typed, of a trait, an instruction, a group; Esc \
shows all
"""
OF_PAGE = {
    JUDGE: "{dashboard.by_instruction:b}  goes by the instruction of the row; Esc comes back\n",
    WORTH: "{dashboard.plan:p}  plans at which audits a bar is decided, before the first verdict\n",
    FIGURES: "{dashboard.group:g}  groups traces by model, question, cluster, epoch or metadata\n",
}
LAST = "{dashboard.close:Esc}  leaves"
TOPIC = "numbers"
"""The page of the manual."""
TITLES = (
    ("n", "answers compared, cells in a number, or audited traces of a sample"),
    ("differ", "answers that the person gives otherwise than the judge"),
    ("missed", "what the person calls found (yes, C …) and the judge does not"),
    ("wrong", "what the judge calls found and the person does not"),
    ("sens", "sensitivity: of what the person calls found, the share that the judge found too"),
    ("prec", "precision: of what the judge calls found, the share that the person found too"),
    ("kappa", "Cohen's: agreement beyond chance; low where nearly all answers are one word"),
    ("AC1", "Gwet's: agreement beyond chance that stays steady where one answer prevails"),
    ("alpha", "Krippendorff's: agreement beyond chance, for two or more who answer"),
    ("macro-F1", "the mean F1 of found and of the other answers: HealthBench's of physicians"),
    ("weighted kappa", "Cohen's: scores that lie further apart disagree more"),
    ("ICC(A,1)", "absolute agreement: who scores higher throughout does not agree"),
    ("clusters", "an interval goes by these: answers on one trace or cluster go together"),
    ("votes", "how many members that err by themselves a panel is worth, as its own err together"),
    ("ruled blind", "verdicts before the judge was seen, never pooled with labels signed after"),
    ("prev", "prevalence: the person's share of found"),
    ("spec", "specificity: of what the person calls not found, the share of the judge, too"),
    ("alike", "the share of answers that are alike"),
    ("blank", f"there are not {ENOUGH} compared answers yet, or nothing to compute it from"),
    ("overruled", "answers that are now other than the judge's, signed off or not"),
    ("asked", "how many answers there are: one a cell, in a grounding cell one a sentence"),
    ("denied", "cells where the response says the contrary of an instruction"),
    ("wrong evidence", "cells where the judge's verdict was right and its excerpt was replaced"),
    ("by omission", "cells where an instruction is met by what the response leaves out"),
    ("0/0", "cells where there is nothing to compute the number from; they are left out"),
    ("micro", "of the counts of all cells together"),
    ("macro", "the mean of the values of the cells"),
    ("by", "by how much the person's number is another than the judge's"),
    ("off by", "by how much the judge's number is above the estimate"),
    ("std", "standard deviation of the cells' values"),
    ("people", "of the audited traces of the sample alone, by people's labels"),
    ("corrected", "the judge on all traces, put right by the audited ones (Estimate)"),
    ("95 %", "where the number of all traces lies, but for one audit in twenty"),
    ("40 more", "how far the interval would go to either side after 40 more audits"),
    ("weight", "how much the judge counts in the corrected number: at 0 it does not help"),
    ("judge's", "the share of the uncertainty that the judge took away"),
    ("too often", "how often the judge says found (yes, C …) and people do not"),
    ("too seldom", "how often people say found and the judge does not"),
    ("too high", "audited cells where the judge's number is above the person's"),
    ("too low", "audited cells where it is below"),
    ("its err", "the standard error of the judge's mean"),
    ("its n", "cells in the judge's numbers, where these are others than people's"),
    ("its 0/0", "cells where the judge's number is 0/0, where these are others than people's"),
    ("unscored", "cells that nobody gave a score"),
    ("of", "how many traces could be drawn"),
    ("stderr", "standard error of the mean, by the traces' cluster, else by their id"),
)


LOOKING = "By what traces can be grouped is being looked for …"
SAME = (
    "Traces are grouped where they differ in model, question, cluster, epoch or a key of their"
    " metadata: these differ in none."
)


def hints(*, behind: bool, tables: bool, page: str) -> Iterator[Hint]:
    """What the strip shows: where cells are `behind` the cursor, in `tables`, on a page."""
    yield Hint("Tab", "page", "dashboard.page", 2)
    yield Hint("]", "block", "figures.block", 5)
    if tables:
        yield Hint("{figures.left:←} {figures.right:→}", "figure", "figures.right", 7)
    if behind:
        yield Hint("Enter", "cells", "lines.choose", 3)
    if tables:
        yield Hint("o", "sort", "dashboard.sort", 8)
        yield Hint("/", "filter", "dashboard.filter", 6)
    if page == WORTH:
        yield Hint("p", "plan", "dashboard.plan", 4)
    if page == FIGURES:
        yield Hint("g", "group", "dashboard.group", 4)
    yield Hint("?", "help", "dashboard.help", 1)
    yield Hint("Esc", "leave", "dashboard.close", 0)
