"""A cell with verdicts on the screen: what stands above its rows, and what keys and cursor do."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.deciding import AT_WORK, LOCKS
from appellate.core.describe import panel_of
from appellate.core.kind import Table
from appellate.traits.verdict.pane_corrections import OfSight, VerdictCorrections
from appellate.traits.verdict.pane_keys import KEYS, answer_keys, shown
from appellate.traits.verdict.pane_rows import VerdictRows
from appellate.ui.contract import Evidence, Place, Review, keyed, pick_action
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Hint, Key
from appellate.ui.lines import Lines
from appellate.ui.marks import MarkHelp, Marks, spelt
from appellate.ui.own_keys import bindings
from appellate.ui.pane import KindPane
from appellate.ui.text import inert, update_text


class VerdictTexts:
    """The texts above the rows of a verdict, each as far as there is room for it: the question, the
    verdict in large, the reason.
    """

    PARTS, FEW, LEAST = (3, 4), (5, 6), 3
    """The parts of the pane that question and reason may take; of a small one; the least lines of
    the reason.
    """
    FAILED, NOT_YET = "The judge failed here.", "Not judged yet."
    AGAIN, FIRST = "{cell.judge:J} asks again", "{cell.judge:J} has it judged"
    """Why there is no verdict, and what gives one."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.widgets = [
            Static(id=name, markup=False) for name in ("criterion", "verdict", "reason")
        ]

    def draw(self, size: Size) -> None:
        """Draws them in a pane of this size."""
        width, height = size.width - 2, size.height
        of_question, of_reason = self.FEW if self.rows.is_small else self.PARTS
        criterion, verdict, reason = self.widgets
        question = Content(inert(self.question()))
        criterion.display = bool(question.plain)
        update_text(criterion, fitting(question, width, max(height // of_question, 2)))
        verdict.update(self.wording(), layout=False)
        why = fitting(self.why(), width, max(height // of_reason, self.LEAST))
        reason.display = bool(why.plain)
        update_text(reason, why)

    def detail(self) -> Content:
        """All there is to know, whole."""
        parts = [Content(inert(self.question())), self.why()]
        return Content("\n\n").join([part for part in parts if part.plain])

    def question(self) -> str:
        """What is asked."""
        return str(self.rows.sight.scale.question_text())

    def wording(self) -> Content:
        """The verdict in large, and what its source says where that is something else."""
        rows, value = self.rows, self.rows.sight.value
        if value is None:
            return Content.assemble((f" {rows.marks.none} ", "reverse"), f"  {self.missing()}")
        colour = "$muted"
        if rows.sight.is_overruled and not rows.cell.hidden:
            colour = "$state-corrected"
        text = (f"  {inert(self.in_large(value))}  ", "bold reverse")
        whose = inert(spelt(rows.sight.whose, rows.marks))
        return Content.assemble(text, self.scale(), (f"   {whose}", colour))

    def in_large(self, value: Any) -> str:
        """A verdict in large."""
        text = str(self.rows.sight.scale.describe(value))
        return text.upper() if isinstance(value, bool) else text

    def scale(self) -> str:
        """The bounds of a score; where there is no room below, which end of the scale is good."""
        scale, text = self.rows.sight.scale, ""
        if scale.kind == "score":
            text = f"  {self.bounds()}".rstrip()
        return f"{text}  {scale.better()}" if self.rows.is_small else text

    def bounds(self) -> str:
        """The bounds of a score."""
        return str(self.rows.sight.scale.span())

    def missing(self) -> str:
        """Why there is no verdict, in a sentence."""
        if self.rows.cell.hidden:
            return f"Blind: the {self.rows.sight.scale.word} is yours first."
        if self.rows.cell.error:
            return self.FAILED
        return f"{AT_WORK}." if self.rows.review.judging else self.NOT_YET

    def why(self) -> Content:
        """Why the verdict is what it is: what its source says, what a person says; where there is
        none, what can be done.
        """
        parts = [*self.grounds()]
        if self.rows.sight.value is None:
            parts = [*self.no_verdict(), *parts]
        elif self.rows.sight.is_overruled and self.rows.sight.reason:
            because = f"because: {inert(self.rows.sight.reason)}"
            parts.append(Content.styled(because, "$state-corrected"))
        return Content("\n").join([part for part in parts if part.plain])

    def grounds(self) -> Sequence[Content]:
        """What its source goes by."""
        return ()

    def no_verdict(self) -> list[Content]:
        """What can be done, and what went wrong."""
        rows, cell = self.rows, self.rows.cell
        keys = shown(rows.sight.scale, rows.review.keys)
        if cell.hidden:
            return [Content(keyed(f"{keys} gives it, {LOCKS}", rows.review))]
        again = keyed(self.AGAIN if cell.error else self.FIRST, rows.review)
        parts = [Content(f"{again}; {keys} gives the {rows.sight.scale.word} by hand.")]
        if cell.error:
            parts.append(Content.styled(inert(cell.error.error), "$state-failed"))
        return parts


class VerdictPane(OfSight, KindPane):
    """Verdicts under one cursor with what they rest on; texts above them."""

    DEFAULT_CSS = """
    VerdictPane {
        & > #criterion { height: auto; padding: 0 1; color: $text; }
        & > #verdict { height: 1; margin: 1 0 0 0; padding: 0 1; }
        & > #reason { height: auto; margin: 0 0 1 0; padding: 0 1; color: $text-muted; }
        & > #answers { height: 1fr; min-height: 3; }
        &.-one > #verdict { margin: 0; }
        &.-one > #reason { margin: 0; }
    }
    """
    KEYS: ClassVar[tuple[Key, ...]] = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    ANSWER_KEYS = staticmethod(answer_keys)
    NEAR: ClassVar[tuple[str, ...]] = ("verdict.",)
    CARD = (("verdict.1", "verdict.2", "verdict.pick"), "give the verdict, or pick it")
    TITLE = "Verdict"
    ABOUT = "the verdict, and all that it could be"
    GOES_OVER = False
    """Whether what a verdict rests on has rows of its own."""
    SOURCE = "judge"
    """Who gives the verdict where no person does, for the help."""
    rows_of: ClassVar[Any] = VerdictRows
    texts_of: ClassVar[Any] = VerdictTexts
    corrections_of: ClassVar[Any] = VerdictCorrections

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(review, id=id)
        self.rows = self.rows_of(review)
        self.sight = self.rows.sight
        self.texts = self.texts_of(self.rows)
        self.corrections = self.corrections_of(review, self.sight)
        self.lines: Lines = self.rows.lines

    def compose(self) -> ComposeResult:
        yield from self.texts.widgets
        yield self.lines

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        verdict = "the label now, with the mark of the cell's state"
        votes = "how many of a panel say so; with the sign: not all"
        return [
            MarkHelp(f"{marks.proposed} verdict", verdict, "proposed"),
            MarkHelp(cls.SOURCE, f"what the {cls.SOURCE} said", "muted"),
            MarkHelp(f"{marks.split}2/3", votes, "flag"),
        ]

    @property
    def has_yes_or_no(self) -> bool:
        """Whether y gives a verdict; it is the screen's else."""
        return self.cell is not None and self.sight.has_yes_or_no

    @property
    def keys_here(self) -> Sequence[Key]:
        return [key for key in self.KEYS if key.own_action not in self._meaningless]

    @property
    def _meaningless(self) -> set[str]:
        """The actions whose keys are the screen's at the cell in sight."""
        found = set() if self.has_yes_or_no else {"yes"}
        return found if self.GOES_OVER else {*found, "over"}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in self._meaningless:
            return False
        return super().check_action(action, parameters)

    def hints(self, keys: Sequence[Key]) -> list[Hint]:
        text = shown(self.sight.scale, keys) if self.cell else ""
        return [Hint(text, self.sight.scale.word, "verdict.pick")] if text else []

    # -- the cell ---------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Shows a cell; a fresh one with the cursor on its verdict."""
        super().show(cell, fresh=fresh)
        self.rows.show(cell, fresh=fresh)
        self.texts.draw(self.content_size)

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        self.sight.follow_edit(self.sight.kind.edit(edit))
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
        offered = dict(self.rows.evidence_offers())
        if not self.review.readonly:
            offered |= self.rows.verdict_offers()
        if panel_of(self.rows.cell) or self.rows.cell.rounds:
            offered["cell.proposals"] = "what each judge proposed, to adopt one"
        await pick_action(self.review, self.rows.menu_title(), offered)

    # -- corrections ------------------------------------------------------------------------------

    def action_turn(self) -> None:
        """Gives the verdict under the cursor; where that is given already, its contrary."""
        self.begin(self.corrections.take(self.rows.option))

    def action_yes(self) -> None:
        self.begin(self.corrections.yes())

    def action_value(self, number: int) -> None:
        self.begin(self.corrections.value(number))

    def action_correct(self, what: str) -> None:
        """One of the corrections that a key names."""
        self.begin(self.corrections.correct(what))
