"""Shows a steps cell on the screen: how the run ended, and its steps with their verdicts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.traits.steps.labels import StepLabel
from appellate.traits.steps.pane_corrections import (
    KEYS,
    OF_STEPS,
    StepCorrections,
    keys_at,
)
from appellate.traits.steps.pane_items import StepRows
from appellate.ui.contract import Evidence, Review
from appellate.ui.grouped_rows import GroupedLines, fitting
from appellate.ui.key import Act, Hint, Key, OwnAct, Strip, first_names, in_group
from appellate.ui.lines import Lines, legend
from appellate.ui.marks import MarkHelp, Marks, helps_in
from appellate.ui.own_keys import bindings
from appellate.ui.pane import ItemsPane
from appellate.ui.text import entitle, inert, update_text

MANY = 400
"""Steps beyond which each row takes one line."""
FRAME = 4
"""Columns of the frame and the blanks beside its title."""
PART = 4
"""The texts above and below the steps each get at most this part of the height."""
_MARKS = """\
key  the number of the step in the conversation  6
tp  the step is right: it has the trait's first verdict  {tp}
fp  the step is wrong: it has the second verdict  {fp}
fn  the step has another verdict, as needless  {tn}
flag  it cannot be told of the step  {doubt}
muted  nobody labelled the run yet  {open}
corrected  what the judge said, then your reason  {moved} was
"""


class StepsPane(ItemsPane):
    """The outcome of a run, and its steps under a cursor."""

    DEFAULT_CSS = """
    StepsPane {
        & > .about { height: auto; padding: 0 1; color: $text-muted; }
        & > #run { color: $text; }
        & > #breaches { color: $state-failed; }
        & > #steps { height: 1fr; min-height: 3; }
    }
    """
    items: StepRows
    NEAR = ("steps.",)
    TITLE = "Steps"
    corrections_of = StepCorrections
    ABOUT = (
        "how the run ended, and each step that gets a verdict; the conversation shows the step "
        "under the cursor"
    )

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        """Make the pane, with its rows and the lines of the outcome and of oddities empty."""
        super().__init__(review, id=id)
        self.items = StepRows(review, partial(GroupedLines, many=MANY))
        self.steps: GroupedLines[StepLabel] = self.items.rows  # type: ignore[assignment]
        self.steps.id = "steps"
        self.marked_rows = self.steps
        self.named_items = self.items
        self.corrections = self.corrections_of(review, self.items)
        self.run = Static(id="run", classes="about", markup=False)
        self.breaches = Static(id="breaches", classes="about", markup=False)

    def compose(self) -> ComposeResult:
        """Yield how the run ended, the steps, and what is odd in their labels."""
        yield self.run
        yield self.steps
        yield self.breaches

    # -- about itself -----------------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        return helps_in(_MARKS, **marks._asdict())

    @property
    def keys_here(self) -> Sequence[Key]:
        """The keys that mean something under the trait in sight, with its words."""
        return self.KEYS if self.cell is None else keys_at(self.KEYS, self.items.trait)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return False for "act" with the id of a key that the pane lacks under the trait.

        The id is the first of `parameters`. So the screen may have that key. For any other action,
        and before a cell is shown, Textual's own check decides.
        """
        if action == "act" and self.cell is not None:
            known_ids = {key.id for key in self.keys_here}
            if parameters[0] not in known_ids:
                return False
        return super().check_action(action, parameters)

    def first_keys(self, names: Mapping[str, str]) -> Sequence[tuple[str, str]]:
        """Return the keys that a beginner needs under the trait, each with what it does.

        The keys of all verdicts are one pair, as ("1 2 3", "right, wrong, needless"); a pair for
        the error and one for the outcome follow if the trait asks for them. `names` has the keys by
        ids such as "steps.1", "steps.error" and "steps.outcome". Empty before a cell is shown.
        """
        if self.cell is None:
            return ()
        trait = self.items.trait
        digits: list[str] = []
        for number, _ in enumerate(trait.verdicts, 1):
            digits.append(names[f"steps.{number}"])
        hints = [(" ".join(digits), ", ".join(trait.verdict_names))]
        if trait.errors:
            hints.append((names["steps.error"], "which error"))
        if trait.outcome:
            hints.append((names["steps.outcome"], "how the run ended"))
        return hints

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        """Return one hint for the strip: the keys that give a verdict, and the verdicts' names.

        For example "1-3" and "good, neutral, bad"; of four verdicts the keys are "1 2 3 4". A key
        that is not among `keys` is left out, its verdict is not. Empty before a cell is shown.
        """
        if self.cell is None:
            return []
        names = first_names(keys)
        verdicts = self.items.trait.verdict_names
        digits = [names.get(f"steps.{no}", "") for no in range(1, len(verdicts) + 1)]
        text = " ".join(filter(None, digits))
        if text == "1 2 3":
            text = "1-3"
        return [Hint(text, ", ".join(verdicts), "steps.1", is_own=True)]

    # -- the cell ---------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        super().show(cell, fresh=fresh)
        self._draw_texts()

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        super().follow(edit, before, turned=turned)
        self._draw_texts()

    def _draw_texts(self) -> None:
        """Draw the text above the steps, the odd things below and the legend on the frame.

        Above is how the run ended, or why there are no labels. A text that is empty is hidden, and
        one that is too long is cut to a part of the pane's height. Does nothing before a cell is
        shown.
        """
        if self.cell is None:
            return
        width = self.content_size.width - 2
        height = max(self.content_size.height // PART, 1)
        text = self.items.why_unlabelled()
        if self.items.is_labelled:
            text = self.items.ending()
        self.run.display = bool(text)
        update_text(self.run, fitting(Content(inert(text)), width, height))
        doubts = self.items.doubts()
        self.breaches.display = bool(doubts)
        update_text(self.breaches, fitting(Content(inert(doubts)), width, height))
        meanings = {self.marks.moved: "changed by you"}
        entitle(self, subtitle=legend([self.steps], meanings, self.size.width - FRAME))

    def on_resize(self) -> None:
        self._draw_texts()

    def evidence(self) -> Sequence[Evidence]:
        return self.items.evidence

    def detail(self) -> Content:
        """Return all about the run and the step under the cursor: parts with a blank line between.

        The first part is how the run ended, or for a run without labels why it has none. Then come
        what is known of the step and what is odd. Empty parts are left out. Empty before a cell is
        shown.
        """
        if self.cell is None:
            return Content()
        items = self.items
        parts = [items.ending() if items.is_labelled else items.why_unlabelled()]
        if items.step is not None:
            parts.append(self._known_of(items.step))
        parts.append(items.doubts())
        text = "\n\n".join(filter(None, parts))
        return Content(inert(text))

    def _known_of(self, step: StepLabel) -> str:
        """Return all that is known of a step, on a line each.

        Its number and words come first, then what is said of it, what would have been right, the
        judge's reason, and what a person changed. Lines with nothing to say are left out.
        """
        words = self.items.words(step)
        lines = [f"Step {step.no} {words}", self.items.describe(step)]
        if step.instead:
            lines.append(f"instead: {step.instead}")
        if step.rationale:
            lines.append(f"judge: {step.rationale}")
        lines.append(self.items.was(step))
        return "\n".join(filter(None, lines))

    def summary(self) -> str:
        """Return how many steps are right, and the first wrong one, as "3/4 right, first wrong 6".

        The last is the step's number in the conversation; the verdicts have the trait's own names.
        Without a wrong step the second part is left out. Returns "" without labels.
        """
        if self.cell is None or not self.items.is_labelled:
            return ""
        return self.items.counted()

    # -- the cursor -------------------------------------------------------------------------------

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        """Show the step under the cursor in the conversation; it counts as seen."""
        event.stop()
        self.review.looked()

    def on_lines_touched(self, event: Lines.Touched) -> None:
        """Open the menu on a click of the right button; other clicks do nothing more here."""
        event.stop()
        if event.right:
            self.open_menu()

    def action_next(self) -> None:
        """Go to the next step that is not right, or say that there is none.

        After the last such step comes the first.
        """
        if self.cell is None:
            return
        refused = self.items.to_next_not_right()
        if refused:
            self.review.say(refused)
            return
        self.review.looked()

    KEYS = (
        *KEYS,
        *in_group(
            "Going about",
            Key(
                "steps.next",
                "t",
                "next not right",
                "to the next step that is not right",
                OwnAct(action_next),
                strip=Strip(8, 7),
            ),
            Key(
                "steps.to",
                "i",
                "to a step",
                "to a step: type its number",
                Act(StepCorrections.go_to),
                strip=Strip(10, 8),
            ),
            about=OF_STEPS,
        ),
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]


PANE = StepsPane
