"""A cell with verdicts on the screen: what stands above its rows, and what keys and cursor do."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.kind import Table
from appellate.traits.verdict.pane_corrections import whose
from appellate.traits.verdict.pane_keys import KindKeys
from appellate.traits.verdict.pane_rows import VerdictRows
from appellate.traits.verdict.scale import better, question_of
from appellate.ui.bar import Hint
from appellate.ui.contract import Evidence, Place, Review
from appellate.ui.conversation import Conversation
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Key
from appellate.ui.lines import Lines
from appellate.ui.pane import KindPane
from appellate.ui.text import inert, update_text


class VerdictTexts:
    """The texts above the rows of a verdict, each as far as there is room for it: the question, the
    verdict in large, the reason.
    """

    PARTS, FEW, LEAST = (3, 4), (5, 6), 1
    """The parts of the pane that question and reason may take; of a small one; the least lines of
    the reason.
    """

    def __init__(self, rows: VerdictRows) -> None:
        self.rows = rows
        self.widgets = [
            Static(id=name, markup=False) for name in ("criterion", "verdict", "reason")
        ]

    def draw(self, size: Size) -> None:
        """Draws them in a pane of this size."""
        width, height = size.width - 2, size.height
        of_question, of_reason = self.FEW if self.rows.is_small else self.PARTS
        criterion, verdict, reason = self.widgets
        question = Content(inert(question_of(self.rows.trait)))
        update_text(criterion, fitting(question, width, max(height // of_question, 2)))
        verdict.update(self._wording(), layout=False)
        why = fitting(self.why(), width, max(height // of_reason, self.LEAST))
        reason.display = bool(why.plain)
        update_text(reason, why)

    def detail(self) -> Content:
        """All there is to know, whole."""
        parts = [Content(inert(question_of(self.rows.trait))), self.why()]
        return Content("\n\n").join([part for part in parts if part.plain])

    def _wording(self) -> Content:
        """The verdict in large, and what its source says where that is something else."""
        rows, trait, value, found = self.rows, self.rows.trait, self.rows.value, self.rows.found
        if value is None:
            why = self.missing()
            if rows.cell.hidden:
                why = "Blind: the verdict is yours first."
            return Content.assemble((f" {rows.marks.none} ", "reverse"), f"  {why}")
        text = inert(trait.describe(value))
        if trait.kind == "boolean":
            text = text.upper()
        scale = ""
        if trait.kind == "score":
            scale = f"  {self.bounds()}".rstrip()
        if rows.is_small:
            scale += f"  {better(trait)}"
        colour = "$muted" if found in (None, value) else "$state-corrected"
        who = (f"   {inert(whose(trait, value, found, rows.SOURCE))}", colour)
        if rows.cell.hidden:
            who = ("   not locked yet", "$muted")
        return Content.assemble((f"  {text}  ", "bold reverse"), scale, who)

    def missing(self) -> str:
        """Why there is no verdict, in a sentence."""
        return ""

    def bounds(self) -> str:
        """The bounds of a score."""
        bounds: str = self.rows.trait.span()
        return bounds

    def why(self) -> Content:
        """Why the verdict is what it is; where there is none, what can be done."""
        return Content()


class VerdictPane(KindPane):
    """Verdicts under one cursor with what they rest on; texts above them.

    A kind has `rows`, `texts` (with `widgets`, `draw`, `detail`) and `corrections`, and what its
    keys do by_name.
    """

    DEFAULT_CSS = """
    VerdictPane {
        & > #criterion { height: auto; padding: 0 1; color: $text; }
        & > #verdict { height: 1; margin: 1 0 0 0; padding: 0 1; }
        & > #reason { height: auto; margin: 0 0 1 0; padding: 0 1; color: $text-muted; }
        & > #rows { height: 1fr; min-height: 3; }
        &.-one > #verdict { margin: 0; }
        &.-one > #reason { margin: 0; }
    }
    """
    KIND_KEYS: ClassVar[KindKeys]
    PICK = "pick"
    """What its key of the list is called."""
    rows: Any
    texts: Any
    corrections: Any

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(review, id=id)
        self.by_name: Mapping[str, Callable[[], Conversation]] = {}
        self.fill(review)
        self.lines: Lines = self.rows.lines

    def fill(self, review: Review) -> None:
        """Makes its rows, texts and corrections."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        yield from self.texts.widgets
        yield self.lines

    # -- what it tells of itself ------------------------------------------------------------------

    @property
    def has_yes_or_no(self) -> bool:
        """Whether yes or no is asked, so that y gives it; it is the screen's else."""
        return self.cell is not None and self.rows.trait.kind == "boolean"

    @property
    def keys_here(self) -> Sequence[Key]:
        if self.has_yes_or_no:
            return self.KEYS
        return [key for key in self.KEYS if key.own_action != "yes"]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "yes" and not self.has_yes_or_no:
            return False
        return super().check_action(action, parameters)

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        if self.cell is None:
            return []
        text = self.KIND_KEYS.shown(self.rows.trait, keys, self.PICK)
        return [Hint(text, "verdict", f"{self.KIND_KEYS.kind}.{self.PICK}")]

    # -- the cell ---------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its verdict."""
        super().show(cell, fresh=fresh)
        self.rows.show(cell, fresh=fresh)
        self.texts.draw(self.content_size)

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:  # noqa: ARG002
        self.rows.follow(edit)
        self.texts.draw(self.content_size)

    def evidence(self) -> Sequence[Evidence]:
        evidence: Sequence[Evidence] = self.rows.evidence()
        return evidence

    def on_resize(self) -> None:
        if self.cell is not None:
            self.texts.draw(self.content_size)

    def one_at_a_time(self, one: bool) -> None:
        self.set_class(one, "-one")
        self.rows.is_small = one
        if self.cell is not None:
            self.rows.draw()
            self.texts.draw(self.content_size)

    def detail(self) -> Content:
        detail: Content = self.texts.detail() if self.cell else Content()
        return detail

    # -- the cursor -------------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        place: Place = self.rows.place
        return place

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on a verdict, or on what they rest on."""
        self.rows.go(group, number)
        self.texts.draw(self.content_size)

    def action_over(self) -> None:
        self.rows.go_over()

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.texts.draw(self.content_size)
        self.review.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Enter tells what can be done here."""
        event.stop()
        self.begin(self.menu())

    def on_lines_touched(self, event: Lines.Touched) -> None:
        event.stop()
        if event.right:
            self.begin(self.menu())

    async def menu(self) -> None:
        """Lets one of the things be picked that can be done with what is under the cursor."""

    # -- corrections ------------------------------------------------------------------------------

    def action_turn(self) -> None:
        """Gives the verdict under the cursor; where that stands and is yes or no, the other."""
        self.begin(self.corrections.take(self.rows.option))

    def action_yes(self) -> None:
        self.begin(self.corrections.give(True))

    def action_value(self, number: int) -> None:
        self.begin(self.corrections.digit(number))

    def action_correct(self, what: str) -> None:
        """One of the corrections that a key names."""
        self.begin(self.by_name[what]())
