"""The screen with the numbers of an audit, in pages: Judge, Estimate, Figures, Judges, Session."""

from asyncio import TimerHandle
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import ClassVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Click, DescendantFocus, Resize
from textual.widgets import Input, Static

from appellate.app.dialogs import Dialogs
from appellate.app.keys.help import NEEDED, HelpScreen, listed
from appellate.app.numbers.known import (
    FIGURES,
    JUDGE,
    PAGES,
    WORTH,
    Found,
    Groupable,
    KnownNumbers,
    NumbersPlace,
)
from appellate.app.numbers.session import session_of, spread
from appellate.app.queue.view import QueueControl, QueueView
from appellate.core.agreement import ENOUGH
from appellate.core.figures import FigureBlock, FigureTable, Sentence, Sentences
from appellate.core.kind import Instruction
from appellate.core.problem import Refused, wording
from appellate.numbers.figures_page import COUNTING, figures_page, groups_page
from appellate.numbers.first_sentence import first_sentences
from appellate.numbers.judge_page import InstructionLine, TraitNumbers, judge_page
from appellate.numbers.planning import planned
from appellate.numbers.sentences import (
    BARS,
    NO_SAMPLE,
    drawn_intervals,
    estimate_page,
    plan_text,
    sample_text,
)
from appellate.session.review_session import ReviewSession
from appellate.session.workbench import Change, Workbench
from appellate.stats.look_plans import LookPlan, read_look_plan
from appellate.stats.looks import TrustBar, read_bar
from appellate.store.database import NotKept
from appellate.ui.bar import KeyStrip
from appellate.ui.contract import Choice
from appellate.ui.conversation import begin
from appellate.ui.figure_list import EDGE, FigureList
from appellate.ui.key import Hint, as_remapped, keys_described
from appellate.ui.lines import CountedLines, Lines, counting_hint
from appellate.ui.marks import Marks, spelt
from appellate.ui.overlay import Overlay
from appellate.ui.own_keys import in_own_keys, own_names
from appellate.ui.picker import Picker
from appellate.ui.prompt import LineInput, LinePrompt
from appellate.ui.text import cell_width, plain, update_text
from appellate.ui.textual_compat import later

AT = " at "
LABEL = "Bar and looks"
EXAMPLE = "f1>=.8 at any, f1>=.8 at 40,60,80, or judge.kappa>=.6 at 60"


def read_plan(text: str) -> tuple[TrustBar, LookPlan]:
    """Return the bar and the looks of a text such as `f1>=.8 at 40,60,80` or `f1>=.8 at any`.

    Looks are numbers of audits after which the bar may be decided. Raises ValueError with a
    sentence on what is wrong.
    """
    bar_text, separator, looks_text = text.rpartition(AT)
    if not separator:
        raise ValueError("Write after how many audits: f1>=.8 at 40,60,80, or at any.")
    try:
        bar = read_bar(bar_text)
    except ValueError as error:
        raise ValueError(f"{bar_text.strip()} {error}.") from error
    try:
        return bar, read_look_plan(looks_text)
    except ValueError as error:
        raise ValueError(f"{looks_text.strip()} {error}.") from error


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
    (
        "sens",
        "sensitivity: of what the person calls found, the share that the judge found too",
    ),
    (
        "prec",
        "precision: of what the judge calls found, the share that the person found too",
    ),
    (
        "kappa",
        "Cohen's: agreement beyond chance; low where nearly all answers are one word",
    ),
    (
        "AC1",
        "Gwet's: agreement beyond chance that stays steady where one answer prevails",
    ),
    ("alpha", "Krippendorff's: agreement beyond chance, for two or more who answer"),
    (
        "macro-F1",
        "the mean F1 of found and of the other answers: HealthBench's of physicians",
    ),
    ("weighted kappa", "Cohen's: scores that lie further apart disagree more"),
    ("ICC(A,1)", "absolute agreement: who scores higher throughout does not agree"),
    (
        "clusters",
        "an interval goes by these: answers on one trace or cluster go together",
    ),
    (
        "votes",
        "how many members that err by themselves a panel is worth, as its own err together",
    ),
    (
        "ruled blind",
        "verdicts before the judge was seen, never pooled with labels signed after",
    ),
    ("prev", "prevalence: the person's share of found"),
    (
        "spec",
        "specificity: of what the person calls not found, the share of the judge, too",
    ),
    ("alike", "the share of answers that are alike"),
    (
        "blank",
        f"there are not {ENOUGH} compared answers yet, or nothing to compute it from",
    ),
    (
        "gained",
        "answers that this judge gives as people do and the current judge does not",
    ),
    ("lost", "answers that the current judge gives as people do and this one does not"),
    ("bars", "bars on a judge that this one reaches, over traces like these"),
    ("failed", "cells to which this judge, or member of a panel, gave no labels"),
    ("saves", "the share of audits that a sample takes less with this judge's labels"),
    (
        "cost",
        "what asking about a cell costs on average, with replies of the cache as they cost",
    ),
    (
        "s",
        "seconds that a cell takes on average, of replies that did not come from the cache",
    ),
    ("overruled", "answers that are now other than the judge's, signed off or not"),
    (
        "asked",
        "how many answers there are: one a cell, in a grounding cell one a sentence",
    ),
    ("denied", "cells where the response says the contrary of an instruction"),
    (
        "wrong evidence",
        "cells where the judge's verdict was right and its excerpt was replaced",
    ),
    (
        "by omission",
        "cells where an instruction is met by what the response leaves out",
    ),
    (
        "0/0",
        "cells where there is nothing to compute the number from; they are left out",
    ),
    ("micro", "of the counts of all cells together"),
    ("macro", "the mean of the values of the cells"),
    ("by", "by how much the person's number is another than the judge's"),
    ("off by", "by how much the judge's number is above the estimate"),
    ("std", "standard deviation of the cells' values"),
    ("people", "of the audited traces of the sample alone, by people's labels"),
    ("corrected", "the judge on all traces, put right by the audited ones (Estimate)"),
    ("interval", "where the number of all traces lies, but for one audit in twenty"),
    ("40 more", "how far the interval would go to either side after 40 more audits"),
    (
        "weight",
        "how much the judge counts in the corrected number: at 0 it does not help",
    ),
    ("won", "the share of the variance that the judge took away"),
    ("too often", "how often the judge says found (yes, C …) and people do not"),
    ("too seldom", "how often people say found and the judge does not"),
    ("too high", "audited cells where the judge's number is above the person's"),
    ("too low", "audited cells where it is below"),
    ("its err", "the standard error of the judge's mean"),
    ("its n", "cells in the judge's numbers, where these are others than people's"),
    (
        "its 0/0",
        "cells where the judge's number is 0/0, where these are others than people's",
    ),
    ("unscored", "cells that nobody gave a score"),
    (
        "cannot tell",
        "cells whose verdict is that it cannot be told: in no mean and no agreement",
    ),
    ("of", "how many traces could be drawn"),
    ("stderr", "standard error of the mean, by the traces' cluster, else by their id"),
)


LOOKING = "Looking for what traces can be grouped by …"
SAME = (
    "Traces are grouped where they differ in model, question, cluster, epoch or a key of their"
    " metadata: these differ in none."
)


def hints(*, behind: bool, tables: bool, page: str) -> Iterator[Hint]:
    """Yield the keys for the strip on a page of numbers, which is named by its id.

    `behind` says that cells stand behind the figure under the cursor, `tables` that the cursor is
    in a table. Keys that do nothing now are left out.
    """
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


WIDEST = 160
GROUPS = ("groups", "beside")  # the keys of the tables
NO_BAR = (
    "No bar is planned: {dashboard.plan:p} plans at which audits one is decided, before the first"
    " verdict. Without a plan appellate gate decides one at any look, if its interval is exact."
)

ONE_CELL = "In the review {cell.judge:J} asks the judge of the session about one cell."


SOON = 1.0
"""Seconds after a change until the totals are read again."""
RECOUNT = 15.0
"""Seconds after a change until cells are counted again."""
EVERY = 2.0
"""Seconds between two looks for changes by another process."""


class DashboardScreen(Overlay[str | InstructionLine | None]):
    """The screen of numbers; closes with a query for cells, an instruction to list, or None."""

    AUTO_FOCUS = "FigureList"
    DEFAULT_CSS = """
    DashboardScreen {
        align: center top;
        & > #numbers {
            max-width: 160;
            & > FigureList { height: 1fr; }
            & > #title { height: 1; padding: 0 1; text-style: bold; }
            & > #pages { height: 1; padding: 0 1; margin-bottom: 1; }
            & > #narrowed { height: 1; display: none; background: $boost; }
            & > #narrowed.-on { display: block; }
            & > #narrowed > Static { width: auto; padding: 0 1; text-style: bold; }
            & > #told { height: 2; padding: 0 1; color: $muted; }
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,S,q", "close", "leave", id="dashboard.close"),
        Binding("tab", "page(1)", "next page", id="dashboard.page"),
        Binding("shift+tab", "page(-1)", "page before", id="dashboard.before"),
        Binding("o,O", "sort", "sort by the figure", id="dashboard.sort"),
        Binding("slash,f", "narrow", "filter", id="dashboard.filter"),
        Binding("question_mark,f1", "help", "words", id="dashboard.help"),
        Binding("g", "group", "group by", id="dashboard.group"),
        Binding("p", "plan", "plan looks at a bar", id="dashboard.plan"),
        Binding("b", "instruction", "by instruction", id="dashboard.by_instruction"),
    ]

    def __init__(
        self,
        bench: Workbench,
        session: ReviewSession,
        marks: Marks,
        place: NumbersPlace,
        known: KnownNumbers,
    ) -> None:
        super().__init__()
        self._bench = bench
        self._session = session
        self._marks = marks
        self.place = place
        self._known = known
        self.lines = FigureList(marks=marks)
        self._typing = LineInput("words of a trait, an instruction, a group")
        self._prompt = LinePrompt(marks=marks)
        self._strip = KeyStrip(marks=marks, id="keys")
        self._sought: tuple[str, ...] = ()
        """The keys of the blocks to scroll to as soon as they have rows."""
        self._asks_grouping = False
        """Whether to ask for a grouping as soon as it is known which there are."""
        self._page: Sequence[FigureBlock] = ()
        """All blocks of the open page, before filter and order."""
        self._gold_sets: str | None = None
        """A sentence on the gold sets that were made of the audit; None before it is asked for."""
        self._last_n = bench.workspace.facts.last_n()
        self._reading: TimerHandle | None = None
        self._recounting: TimerHandle | None = None

    def compose(self) -> ComposeResult:
        """Yield the widgets of the screen of numbers, from its title down to its keys."""
        with Vertical(id="numbers"):
            yield Static(id="title", markup=False)
            yield Static(id="pages", markup=False)
            yield self.lines
            with Horizontal(id="narrowed"):
                yield Static(plain("Rows with"))
                yield self._typing
            yield self._prompt
            yield Static(id="told", markup=False)
            yield self._strip

    def on_mount(self) -> None:
        """Show the page that was open last, as it was left, and follow changes of cells.

        In a session that only reads they are looked for every `EVERY` seconds.
        """
        if self.place.words:
            self._typing.value = self.place.words
            self._done_narrowing()
        self._known.show_on(self)
        self._turned()
        self.call_after_refresh(self.place.scroll_back, self.lines)
        # changes are made by another process, which does not report them
        if self._bench.readonly:
            self.set_interval(EVERY, self._look)
        else:
            self._bench.listeners.append(self._changed)

    def on_unmount(self) -> None:
        self._bench.remove_listener(self._changed)

    def _look(self) -> None:
        """Plan to read the numbers again if another process has changed the workspace."""
        previous_n = self._last_n
        self._last_n = self._bench.workspace.facts.last_n()
        if self._last_n != previous_n:
            self._changed()

    def _changed(self, _: Change | None = None) -> None:
        """Plan to read totals soon and to count cells later, once for many changes together.

        Does nothing for what is planned already.
        """
        self._reading = self._reading or later(SOON, self, self._read)
        self._recounting = self._recounting or later(RECOUNT, self, self._recount)

    def _read(self) -> None:
        """Read the totals again, and draw the page with them."""
        self._reading = None
        self._known.read()
        self._show()

    def _recount(self) -> None:
        self._recounting = None
        self._count()

    def on_resize(self, _: Resize) -> None:
        self._show()

    @property
    def _width(self) -> int:
        return min(self.size.width, WIDEST)

    # -- what is counted -------------------------------------------------------------------------

    def _count(self) -> None:
        self._known.count(self.place)

    @on(Found)
    def _take(self, event: Found) -> None:
        """Store what was counted, and draw it; ask for a grouping if that was waiting for it.

        Once it is known what traces can be grouped by, they are grouped by the first of these
        unless one was chosen, and counted so. If something that goes with it is refused, say so.
        """
        refused = ""
        try:
            event.take()
        except Refused as refusal:
            refused = wording(refusal)
        if isinstance(event, Groupable):
            if self._known.groupings and not self.place.grouping:
                self.place.grouping = self._known.groupings[0]
            self._count()
        self._show()
        if refused:
            self._say(refused)
        if isinstance(event, Groupable) and self._asks_grouping:
            self._choose_grouping()

    # -- drawing ---------------------------------------------------------------------------------

    def _show(self) -> None:
        """Draw the open page with its current numbers, the title and the names of the pages.

        The cursor and the scrolling stay. The title has the sign-offs and what is being counted.
        """
        self._page = self._blocks()
        self._draw()
        totals = self._bench.workspace.totals()
        signed = totals.get("state:reviewed", 0)
        cells = totals.get("cells", 0)
        name = f"Numbers of {self._bench.audit.name}"
        counting = self._known.describe(self._marks)
        text = f"{signed} of {cells} signed off{counting}"
        free_width = self._width - 2 - cell_width(name) - cell_width(text)
        gap = " " * max(free_width, 2)
        self._write("title", plain(f"{name}{gap}{text}"))

        parts: list[Content] = []
        for page, title in PAGES.items():
            style = "$text-muted"
            if page == self.place.page:
                style = "bold reverse"
            parts.append(Content.styled(f" {title} ", style))
            parts.append(Content(" "))
        self._write("pages", Content.assemble(*parts))

    def _write(self, name: str, content: Content) -> None:
        update_text(self.query_one(f"#{name}", Static), content)

    def _say(self, text: str) -> None:
        self._write("told", plain(spelt(in_own_keys(text, self.app), self._marks)))

    def _blocks(self) -> list[FigureBlock]:
        """Return all blocks of the open page with what is counted so far, not filtered yet."""
        known = self._known
        marks = self._marks
        traits = self._known.numbers()
        room = max(self._width - EDGE, 0)
        match self.place.page:
            case "judge":
                return [
                    *self._in_short(traits),
                    *judge_page(traits, is_blind=known.is_blind),
                ]
            case "worth":
                return [*self._in_short(traits), *self._estimates()]
            case "figures":
                histograms = spread(traits, known.spread, room, marks)
                return [*figures_page(traits), *self._groups(traits), *histograms]
            case "judges":
                return self._judges()
            case _:
                return session_of(
                    self._session,
                    self._bench.workspace.totals(),
                    room,
                    marks,
                )

    def _in_short(self, traits: Sequence[TraitNumbers]) -> list[FigureBlock]:
        """Return a block with what the audit comes to, which says so while that is counted.

        There is none without traits, and none of a sample that does not agree with itself: its page
        says why.
        """
        known = self._known
        sampled = known.sampled
        if not traits or (sampled is not None and sampled.audit.wanting):
            return []
        sentences = [COUNTING]
        is_compared = all(trait.is_compared for trait in traits)
        if known.sampled_n is not None and (sampled is not None or is_compared):
            sentences = first_sentences([trait.numbers for trait in traits], sampled)
        return [
            Sentences("In short", list(map(Sentence, sentences)), is_passed_over=True),
        ]

    def _estimates(self) -> list[FigureBlock]:
        """Return the blocks of the page on the sample, the first with how it was drawn.

        If no bar is planned, it says how to plan one. Without a sample, or before it was counted,
        one sentence says so.
        """
        sampled = self._known.sampled
        if sampled is None:
            text = f"{NO_SAMPLE} On the bench it is {{sample:%}}."
            if self._known.sampled_n is None:
                text = COUNTING
            return [Sentences("Estimates", [Sentence(text)])]
        first, *blocks = estimate_page(sampled)
        drawn = drawn_intervals(sampled)
        if drawn is not None:
            blocks.insert(0, drawn)
        design = sample_text(sampled.audit)
        if isinstance(first, FigureTable):
            below = [] if sampled.gates else [NO_BAR]
            return [replace(first, notes=[design, *first.notes, *below]), *blocks]
        return [replace(first, texts=[Sentence(design), *first.texts]), *blocks]

    def _judges(self) -> list[FigureBlock]:
        """Return the blocks of the page on all judges; before they are counted, it says so."""
        from appellate.gold import gold_sets_text
        from appellate.numbers.judges import ANOTHER, judges_page

        judges = self._known.judges
        if judges is None:
            return [Sentences("Judges", [Sentence(COUNTING)])]
        if self._gold_sets is None:
            self._gold_sets = gold_sets_text(self._bench.audit)
        return judges_page(judges, f"{ANOTHER} {ONE_CELL}", self._gold_sets)

    def _groups(self, traits: Sequence[TraitNumbers]) -> list[FigureTable]:
        """Return the tables of groups; none before a grouping is known, or without traits.

        Until the groups are counted, there is one table that says so.
        """
        known = self._known
        grouping = self.place.grouping
        if not grouping or not traits:
            return []
        tables = groups_page(known.grouped(traits, grouping), known.question_ids)
        return tables or [FigureTable("groups", f"By {grouping}", (), empty=COUNTING)]

    def _visible_blocks(self) -> list[FigureBlock]:
        """Return the blocks of the page with the rows that have the typed words, sorted.

        Blocks that are no tables stay. Tables without such a row are left out; but if no table has
        one, all stay and say so. Without typed words all rows are there.
        """
        blocks: list[FigureBlock] = []
        words = self.place.words
        orders = self.place.orders
        for block in self._page:
            if not isinstance(block, FigureTable):
                blocks.append(block)
                continue
            table = block.holding(words)
            if block.rows and not table.rows:
                empty = f"No row has {words}: {{dashboard.close:Esc}} shows all."
                table = replace(table, empty=empty)
            blocks.append(table.sorted(orders.get(table.key)))
        if not words:
            return blocks
        has_rows = any(
            isinstance(block, FigureTable) and block.rows for block in blocks
        )
        if not has_rows:
            return blocks
        return [
            block
            for block in blocks
            if not isinstance(block, FigureTable) or block.rows
        ]

    def _draw(self) -> None:
        """Draw the open page, filtered and sorted, and scroll to a block that was asked for.

        If that block has no rows yet, the next call tries again.
        """
        self.lines.show_blocks(self._visible_blocks())
        if self._sought and self.lines.bring(*self._sought):
            self._sought = ()
        self._tell()

    def _scroll_to_block(self, *keys: str) -> None:
        """Draw the page, and put the cursor on the first block whose key is one of these.

        That block is the first one in the order of the page that has rows. If none has any yet, it
        is looked for whenever the page is drawn again, until the cursor is moved.
        """
        self._sought = keys
        self._show()

    @on(Lines.Highlighted)
    def _moved(self) -> None:
        """Forget the blocks that were to be scrolled to; on the first row scroll to the top."""
        self._sought = ()
        if self.lines.is_at_top:
            self.lines.scroll_to(y=0, animate=False, force=True, immediate=True)

    @on(Lines.Highlighted)
    @on(CountedLines.Counting)
    def _tell(self) -> None:
        """Show what the figure under the cursor is based on, and the keys that act on it.

        While a count is being typed, what it will do is shown instead of the keys.
        """
        row = self.lines.here
        figure = self.lines.figure
        text = ""
        if figure:
            text = figure.detail
        elif row:
            text = row.detail or row.name
        self._say(text)
        tables = self.lines.table is not None
        names = own_names(self.app)
        page_hints = hints(
            behind=bool(self._behind),
            tables=tables,
            page=self.place.page,
        )
        keys = as_remapped(page_hints, names)
        if self.lines.typed:  # a count that is being typed is shown instead
            keys = [Hint(self.lines.typed, counting_hint("", names))]
        marks = self._marks
        spelled_keys: list[Hint] = []
        for hint in keys:
            key = spelt(hint.key, marks)
            spelled_keys.append(replace(hint, key=key, label=spelt(hint.label, marks)))
        self._strip.show(spelled_keys)

    @on(DescendantFocus)
    def _focused(self) -> None:
        self._tell()

    # -- keys ------------------------------------------------------------------------------------

    @property
    def _behind(self) -> str | InstructionLine:
        """What Enter opens: a query for cells, or an instruction; "" for nothing.

        That is what the figure under the cursor has. On the name of a row it is the row's
        instruction, else the row's query.
        """
        row = self.lines.here
        figure = self.lines.figure
        if figure is not None:
            return figure.query
        if row is None:
            return ""
        if isinstance(row.goes, InstructionLine):
            return row.goes
        return row.query

    @on(Lines.Chosen)
    def action_choose(self) -> None:
        """Close the screen with the cells or the instruction behind the cursor.

        The result is a query for the cells, or an `InstructionLine`. Where the cursor was is
        remembered for the next visit. If there is nothing behind it, say so and stay.
        """
        behind = self._behind
        if not behind:
            self._say("There are no cells of its own behind this.")
            return
        self.place.leave(self.lines)
        self.dismiss(behind)

    def action_instruction(self) -> None:
        """Close the screen with the instruction of the row, to list its cells.

        Where the cursor was is remembered for the next visit. If the row is about no instruction,
        say so and stay.
        """
        row = self.lines.here
        if row is None or not isinstance(row.goes, InstructionLine):
            self._say("This is no instruction to go by: the page Judge has them.")
            return
        self.place.leave(self.lines)
        self.dismiss(row.goes)

    def action_page(self, by: int) -> None:
        """Open the page `by` pages on, or back if negative; after the last comes the first.

        The cursor stands where it was when that page was left.
        """
        self.place.leave(self.lines)
        self.place.turn(by)
        self._turned()

    def _turn_to(self, page: str) -> None:
        """Open the page with this id, with the cursor where it was left.

        Does nothing if the page is open.
        """
        if self.place.page != page:
            self.place.leave(self.lines)
            self.place.page = page
            self._turned()

    def _turned(self) -> None:
        """Count and draw the page that was opened, with the cursor where it was left.

        A scrolling and a question for a grouping that were waiting are dropped.
        """
        self._sought = ()
        self._asks_grouping = False
        self._count()
        self._show()
        self.place.come_back(self.lines)
        self._tell()

    def action_help(self) -> None:
        """Open the help: the keys of the page and the titles of the table under the cursor.

        Tab shows all keys and titles there.
        """
        table = self.lines.table
        names = own_names(self.app)
        marks = self._marks
        titles = {column.title for column in table.columns} if table else set()
        needed = keys_described(DAILY + OF_PAGE.get(self.place.page, "") + LAST, names)
        all_keys = keys_described(DAILY + "".join(OF_PAGE.values()) + LAST, names)
        titles_here = [pair for pair in TITLES if pair[0] in titles]
        screen = HelpScreen(
            [
                *listed(NEEDED, needed, marks),
                *listed("Titles here", titles_here, marks),
            ],
            [*listed("Titles", TITLES, marks), *listed(NEEDED, all_keys, marks)],
            TOPIC,
            marks=marks,
        )
        begin(screen.show(self.app))

    @on(Click, "#pages")
    def _tab_clicked(self, event: Click) -> None:
        """Open the page whose name was clicked; a click between names does nothing."""
        x_in_tab = event.x - 1
        for page, title in PAGES.items():
            width = cell_width(title) + 2
            if 0 <= x_in_tab < width:
                self._turn_to(page)
            x_in_tab -= width + 1

    def action_sort(self) -> None:
        """Sort the table by the column under the cursor, and go to its first row.

        The first time it is highest first (names: A first), the second time the other way round,
        and the third time unsorted. The order is remembered. Outside of a table, say that there is
        nothing to sort.
        """
        table = self.lines.table
        if table is None:
            self._say("There is nothing to sort here.")
            return
        self.place.sort(table.key, min(self.lines.column, len(table.columns)))
        self._draw()
        self.lines.go(self.lines.cursor.section)

    def action_group(self) -> None:
        """Open the page of figures, ask what traces are grouped by, and group them so.

        The question comes as soon as it is known what they can be grouped by, which is said until
        then. If that is nothing, it is said instead. Returns before the question is answered.
        """
        self._turn_to(FIGURES)
        self._asks_grouping = self._known.groupings is None
        if self._asks_grouping:
            self._say(LOOKING)
        else:
            self._choose_grouping()

    def _choose_grouping(self) -> None:
        """Ask what traces are grouped by, then group them so; return before it is answered.

        If there is nothing to group them by, say so instead.
        """
        self._asks_grouping = False
        if not self._known.groupings:
            self._say(SAME)
            return
        begin(self._group())

    async def _group(self) -> None:
        """Ask what traces are grouped by, count their groups, and scroll to them.

        The grouping is remembered for the next visit. Raises Left, and changes nothing, if the
        reviewer leaves the question.
        """
        choices: list[Choice] = []
        for grouping in self._known.groupings or ():
            note = "now" if grouping == self.place.grouping else ""
            choices.append(Choice(grouping, "", grouping, note))
        picker = Picker("Group traces by what?", choices, marks=self._marks)
        self.place.grouping = await picker.picked(self.app)
        self._count()
        self._scroll_to_block(*GROUPS)

    def action_plan(self) -> None:
        """Open the page of estimates, ask for a bar and when to look at it, and record that plan.

        Returns before the question is answered. A plan that is refused is not recorded, and why is
        said.
        """
        self._turn_to(WORTH)
        begin(self._plan())

    async def _plan(self) -> None:
        """Ask for a bar and its looks, record the plan, and say it; or say why it is refused.

        A plan that is recorded already is not recorded again. The rows get the focus back, and the
        bars are scrolled to. Raises Left if the reviewer leaves the question.
        """
        workspace = self._bench.workspace

        def fault_of(text: str) -> str:
            """Return in a sentence what is wrong with a plan as `read_plan` reads it, or ""."""
            try:
                planned(workspace, *read_plan(text))
            except (ValueError, Refused) as error:
                return str(error)
            return ""

        try:
            text = await self._prompt.ask(
                "plan",
                LABEL,
                hint=EXAMPLE,
                checking=fault_of,
            )
        finally:
            self.lines.focus()
        try:
            plan = planned(workspace, *read_plan(text))
            if plan.is_new:
                self._bench.record(plan.what)
        except (ValueError, Refused, NotKept) as refusal:
            self._say(wording(refusal))
            return
        self._count()
        self._scroll_to_block(BARS)
        self._say(plan_text(plan))

    def action_narrow(self) -> None:
        self.query_one("#narrowed").add_class("-on")
        self._typing.focus()

    def _done_narrowing(self) -> None:
        """Put the focus back on the rows, and hide the line of words if it is empty."""
        self.query_one("#narrowed").set_class(bool(self._typing.value.strip()), "-on")
        self.lines.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show only the rows with the words that were typed, and put the cursor on the first block.

        The words are remembered for the next visit.
        """
        event.stop()
        self.place.words = event.value
        self._draw()
        self.lines.go(0)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._done_narrowing()

    def action_close(self) -> None:
        """Clear the words that filter the rows; if there are none, close the screen.

        While words are being typed, clear them and end the typing. The screen closes without a
        result, and where the cursor was is remembered for the next visit.
        """
        if self.place.words or self._typing.has_focus:
            self._typing.value = ""
            self._done_narrowing()
            return
        self.place.leave(self.lines)
        self.dismiss(None)


class NumbersVisit:
    """Opens the screen of numbers, and remembers how it was left."""

    def __init__(
        self,
        bench: Workbench,
        session: ReviewSession,
        marks: Marks,
        dialogs: Dialogs,
        queue: QueueView,
        queue_control: QueueControl,
        *,
        open_list: Callable[[str, Instruction], Awaitable[bool]],
    ) -> None:
        """`open_list` opens the list of an instruction of a trait.

        It returns whether a cell was opened from the list.
        """
        self._bench = bench
        self._session = session
        self._marks = marks
        self._dialogs = dialogs
        self._queue = queue
        self._queue_control = queue_control
        self._open_list = open_list
        self._place = NumbersPlace()
        self._known = KnownNumbers(bench)
        self._chosen = ""
        """The query of the figure whose cells were put into the queue; "" if none was chosen."""

    async def open(self) -> None:
        """Open the screen of numbers, wait until it is closed, and go to what is chosen there.

        The cells of a chosen figure are put into the queue, and the first that is not signed off is
        opened. A chosen instruction opens its list; the numbers open again unless a cell was opened
        from the list. Nothing happens if nothing is chosen.
        """
        self._chosen = ""
        while True:
            screen = DashboardScreen(
                self._bench,
                self._session,
                self._marks,
                self._place,
                self._known,
            )
            chosen = await self._dialogs.show(screen)
            if not isinstance(chosen, InstructionLine):
                break
            instruction = Instruction(chosen.of, 0, chosen.text)
            if await self._open_list(chosen.trait, instruction):
                return
        if chosen is not None:
            self._chosen = chosen
            self._queue_control.line_up(
                self._queue.lineup.but(filter=chosen),
                afresh=True,
            )

    async def back(self) -> bool:
        """Open the numbers again at the figure whose cells the queue holds, and return True.

        Returns False, and opens nothing, if the queue holds other cells.
        """
        if not self._chosen or self._queue.lineup.filter != self._chosen:
            return False
        await self.open()
        return True
