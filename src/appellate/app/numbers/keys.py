"""The keys of the numbers, short in the strip and whole in help, and what titles mean."""

from collections.abc import Iterator, Sequence

from textual.binding import Binding

from appellate.app.numbers.known import FIGURES, JUDGE, WORTH
from appellate.core.agreement import ENOUGH
from appellate.stats.looks import TrustBar, read_bar, read_looks
from appellate.ui.key import Hint

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
    ("differ", "answers on which person and judge differ"),
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


LOOKING = "Looking for what traces can be grouped by …"
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
