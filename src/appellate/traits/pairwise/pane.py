"""Shows a pairwise cell on the screen: the verdict, and both responses side by side.

The response column has the same two texts one above the other. In a small pane only that is shown.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.traits.pairwise.linear import UNVERIFIED, OfPair, PairInSight
from appellate.traits.pairwise.pane_corrections import (
    EXCERPT_KEYS,
    TAKES,
    PairCorrections,
)
from appellate.traits.pairwise.spec import LETTERS, heading
from appellate.traits.verdict.pane_corrections import TAKING
from appellate.traits.verdict.pane_excerpts import adding_hint, excerpt_offers
from appellate.traits.verdict.pane_verdict import DrawnVerdict, VerdictPane
from appellate.ui.contract import Place, Review, keyed
from appellate.ui.key import Hint
from appellate.ui.lines import ListSection
from appellate.ui.marks import MarkHelp, Marks, in_quotes
from appellate.ui.own_keys import bindings
from appellate.ui.pane import InTexts, no_answer_keys
from appellate.ui.rows import ListRow, StyledText
from appellate.ui.selecting import Stretch
from appellate.ui.text import inert, update_text

NARROWEST = 60
"""Columns of a pane from which both responses have room side by side."""
LONGEST = 10_000
"""Characters of a response that are shown side by side; the response column shows all."""
_EVIDENCE = "bold on $panel"
"""The style of evidence in the texts side by side."""


class PairTexts(InTexts):
    """Marks in the response what only one of the two texts has."""

    def __init__(self, sight: PairInSight) -> None:
        self._sight = sight

    @property
    def place(self) -> Place | None:
        return None

    def differing(self) -> Sequence[Stretch]:
        return self._sight.differing()

    def headings(self) -> Sequence[Stretch]:
        return [(side.heading_start, side.start) for side in self._sight.pair.sides]


class DrawnPair(DrawnVerdict):
    """The verdict in the words of the sides, what the judge said both times, its evidence, and both
    texts.
    """

    sight_of = PairInSight

    def __init__(self, review: Review) -> None:
        """Make the texts and rows of a verdict, and two columns, all empty; `show` gives a cell."""
        super().__init__(review)
        self.columns = [Static(classes="side", markup=False) for _ in LETTERS]
        self.both = VerticalScroll(Horizontal(*self.columns), id="both")

    def draw(self) -> None:
        """Draw the rows of the verdicts, then those of the excerpts under a header.

        Without excerpts there is no header.
        """
        rows = [self._excerpt(number) for number in range(len(self.sight.evidence))]
        if not rows:
            self.lines.show(self.options(""))
            return
        header = ListRow(f" Evidence {len(rows)}", style="header")
        self.lines.show(self.options(""), ListSection(rows, header, "", whole=True))

    def _excerpt(self, number: int) -> ListRow:
        """Return the row of an excerpt: its number (from 1), the letter of its answer, its words.

        One that is not in that answer has the sign of doubt, and a warning under the cursor. Any
        other one that a person added has a sign, too. The judge's excerpts for another verdict name
        it. `number` counts from 0.
        """
        excerpt = self.sight.evidence[number]
        left = StyledText(f"{number + 1:>2} ", "key")
        letter = StyledText(f"{self.sight.letter(excerpt)} ", "muted")
        text = in_quotes(excerpt.text, self.marks)
        sign = StyledText(" ")
        if self.sight.is_added(number):
            sign = StyledText(self.marks.added, "corrected")
        right: list[StyledText] = []
        if speaks_for := self.sight.speaks_for(number):
            right.append(StyledText(f" {speaks_for}", "muted"))
        if excerpt.span:
            return ListRow(text, (left, letter), tuple(right), sign=sign)
        warning = keyed(UNVERIFIED, self.review)
        return ListRow(
            text,
            (left, letter),
            (StyledText(" unverified", "flag"), *right),
            sign=StyledText(self.marks.doubt, "flag"),
            under_cursor=((StyledText(warning, "failed"),),),
        )

    def menu_title(self) -> str:
        excerpt = self.sight.excerpt
        return excerpt.text if excerpt else super().menu_title()

    def verdict_offers(self) -> Mapping[str, str]:
        """Return the corrections for the menu: those of verdicts, then those of excerpts.

        Each has what it does, by the id of its key. Those of a single excerpt are there only if one
        is under the cursor that speaks for the current verdict.
        """
        on_excerpt = self.sight.excerpt is not None and self.sight.can_correct_excerpt
        offers = excerpt_offers("pairwise", "an answer", on_excerpt=on_excerpt)
        return {**super().verdict_offers(), **offers}

    def evidence_offers(self) -> Mapping[str, str]:
        excerpt = self.sight.excerpt
        return super().evidence_offers() if excerpt and excerpt.span else {}

    def detail(self) -> Content:
        """Return the question, the lines below the verdict, then any excerpt under the cursor."""
        of_verdict = super().detail()
        excerpt = self.sight.excerpt
        if excerpt is None:
            return of_verdict
        words = Content(inert(excerpt.text))
        return Content("\n\n").join([of_verdict, words])

    def go_over(self) -> None:
        """Move the focus from the verdicts to both responses, to scroll them, or back.

        In a small pane, which does not show them, it stays on the verdicts.
        """
        screen = self.lines.screen
        if self.lines.has_focus and self.both.display:
            screen.set_focus(self.both)
        else:
            screen.set_focus(self.lines)

    def grounds(self) -> Sequence[Content]:
        """Return what the judge said in either order, and who wrote what once that is shown.

        Each is a text to draw. The first is in colour if the judge turned.
        """
        texts = [Content(inert(text)) for text in self.sight.told_of_judge()]
        if self.sight.is_turned:
            texts[0] = texts[0].stylize("$state-flag")
        authors = self.sight.wrote()
        if authors:
            texts.append(Content(inert(authors)))
        return texts

    def draw_columns(self) -> None:
        """Draw both responses next to each other, each cut at `LONGEST` characters.

        Words that only one of them has are marked, unless the two are too different or too long to
        be compared. Evidence is marked in the answer that it is from.
        """
        compared = self.sight.compared
        marked: list[Sequence[Stretch]] = [(), ()]
        if compared is not None:
            marked = [compared.first, compared.second]
        for column, side, stretches in zip(
            self.columns,
            self.sight.pair.sides,
            marked,
            strict=True,
        ):
            title = Content.styled(f"{heading(side.letter)}\n", "bold")
            marked_text = _marked(side.text, stretches)
            for start, end in self.sight.in_side(side):
                marked_text = marked_text.stylize(_EVIDENCE, start, min(end, LONGEST))
            update_text(column, title + marked_text)


def _marked(text: str, stretches: Sequence[Stretch]) -> Content:
    """Return the beginning of a text with some of its spans marked.

    The spans must be in order, and must not overlap. If the text is longer than `LONGEST`
    characters, a last line says how many more there are.
    """
    parts: list[str | tuple[str, str]] = []
    position = 0
    for start, end in stretches:
        if start >= LONGEST:
            break
        parts.append(inert(text[position:start]))
        parts.append(
            (inert(text[start : min(end, LONGEST)]), "underline $text-warning"),
        )
        position = min(end, LONGEST)
    parts.append(inert(text[position:LONGEST]))
    left_out = len(text) - LONGEST
    if left_out > 0:
        parts.append((f"\n… {left_out:,} more characters", "$text-muted"))
    return Content.assemble(*parts)


class PairwisePane(OfPair, VerdictPane):
    """Shows which of two responses is better, and both of them side by side."""

    KEYS = (*VerdictPane.KEYS, *EXCERPT_KEYS)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EXCERPT_KEYS)]
    TAKING = frozenset({*TAKING, "pairwise.add", "pairwise.replace"})
    NEAR = ("verdict.", "pairwise.")
    TAKES = TAKES

    DEFAULT_CSS = """
    PairwisePane {
        & > #answers { height: auto; max-height: 6; min-height: 3; }
        &.-evidence > #answers { max-height: 11; }
        & > #both { height: 1fr; border-top: solid $border-blurred; }
        & > #both:focus { border-top: solid $primary; }
        & > #both > Horizontal { height: auto; }
        & .side { width: 1fr; height: auto; padding: 0 1; }
        &.-one > #both { display: none; }
        &.-narrow > #both { display: none; }
        &.-one > #answers { height: 1fr; max-height: 100%; }
        &.-narrow > #answers { height: 1fr; max-height: 100%; }
    }
    """
    ANSWER_KEYS: ClassVar = staticmethod(no_answer_keys)
    GOES_OVER = True
    SHOWS_TEXTS = True
    TITLE = "Which is better"
    ABOUT = (
        "the verdict, the evidence for it, and both responses side by side with their differences"
        " marked"
    )
    drawn_of = DrawnPair
    drawn: DrawnPair
    corrections_of = PairCorrections

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:
        """Return the signs of this pane with what they mean: those of verdicts, then `unverified`.

        An excerpt is unverified if its words are not in the answer that it is said to be from.
        """
        doubt = "an excerpt that was not found in the answer it is said to be from"
        return [
            *super().marks_help(marks),
            MarkHelp(f"{marks.doubt} unverified", doubt, "flag"),
        ]

    def in_doubt(self) -> int:
        return int(self.sight.missing_count)

    def taking_hints(self) -> list[Hint]:
        """Return the hints for the strip of keys while words are being selected.

        The words can become the evidence of a verdict, or one more excerpt.
        """
        keys = self.review.keys
        return [*self.hints(keys), adding_hint("pairwise", keys)]

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield self.drawn.both

    def on_mount(self) -> None:
        self.in_texts = PairTexts(self.sight)

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Show a cell, and both of its responses from their beginning if it is fresh."""
        super().show(cell, fresh=fresh)
        self.set_class(bool(self.sight.evidence), "-evidence")
        self.drawn.draw_columns()
        if fresh:
            self.drawn.both.scroll_home(animate=False)

    def on_resize(self) -> None:
        self.set_class(self.size.width < NARROWEST, "-narrow")
        super().on_resize()


PANE = PairwisePane
