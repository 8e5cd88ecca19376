"""The regex cell on the screen: the verdict, the pattern, and its matches."""

from collections.abc import Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.ruling import LOCKS
from appellate.traits.regex import view
from appellate.traits.regex.labels import Labels
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.regex.view import MatchRow
from appellate.traits.verdict.pane_corrections import VerdictCorrections, reason_given
from appellate.traits.verdict.scale import Value
from appellate.ui.contract import Place, Review, pick_action
from appellate.ui.key import Key, bindings
from appellate.ui.lines import DrawnRows, Lines, ListRow
from appellate.ui.pane import Evidence, KindPane
from appellate.ui.rendered_text import StyledText
from appellate.ui.text import cell_width, entitle, flat, inert

MATCH = "match"
"""The one group of places: the matches, numbered from 0."""
_VERDICT = "Verdict"
BY_HAND = "1 (yes) and 2 (no) give the verdict by hand."

KEYS = (
    Key(
        "regex.yes",
        "1,y",
        "1 y",
        "yes",
        _VERDICT,
        "regex trait: the verdict is yes, whatever the pattern says",
        2,
        1,
        "rule(True)",
    ),
    Key(
        "regex.no",
        "2",
        "2",
        "no",
        _VERDICT,
        "regex trait: the verdict is no; saying what the pattern says takes that back",
        3,
        1,
        "rule(False)",
    ),
    Key(
        "regex.turn",
        "space",
        "Space",
        "turn",
        _VERDICT,
        "regex trait: the other verdict",
        own_action="turn",
        near=True,
    ),
)


def answer_keys(trait: RegexRubricTrait) -> Mapping[str, str]:  # noqa: ARG001 - of every one
    """What the two keys say."""
    return {"regex.yes": "yes", "regex.no": "no"}


class RegexPane(KindPane):
    """One cell: whether the pattern matches, and its matches under a cursor."""

    DEFAULT_CSS = """
    RegexPane {
        & > Static { height: auto; padding: 0 1; }
        & > #criterion, & > #pattern { max-height: 33%; }
        & > #flags { color: $text-muted; }
        & > Lines { height: 1fr; min-height: 1; }
    }
    """
    KEYS = KEYS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(KEYS)]
    ANSWER_KEYS = staticmethod(answer_keys)
    NEAR = ("regex.",)
    CARD = (("regex.yes", "regex.no"), "give the verdict by hand")
    TITLE = "Pattern"
    ABOUT = "the verdict, the pattern and what it matches; the response shows every match"

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(review, id=id)
        self.corrections = VerdictCorrections(review, self, "pattern")

    def compose(self) -> ComposeResult:
        yield Static(id="criterion", markup=False)
        yield Static(id="verdict", markup=False)
        yield Static(id="pattern", markup=False)
        yield Static(id="flags", markup=False)
        yield Lines(marks=self.marks, id="matches")

    # -- what is shown ----------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:
        super().show(cell, fresh=fresh)
        trait = self._trait
        entitle(self, "Pattern", self._only_counted())
        criterion = self.query_one("#criterion", Static)
        criterion.update(Content(inert(trait.description or "")))
        criterion.display = bool(trait.description)
        self.query_one("#verdict", Static).update(self._verdict())
        pattern = Content.assemble(("pattern  ", "$text-muted"), inert(trait.pattern))
        self.query_one("#pattern", Static).update(pattern)
        flags = self.query_one("#flags", Static)
        flags.update(Content(view.flags_text(trait)))
        flags.display = bool(view.flags_text(trait))
        rows = view.match_rows(self._labels, cell.subject.trace.response)
        self.lines.show_rows(DrawnRows(rows, self._drawn), self._nothing())
        if fresh:
            self.lines.go(0)

    @property
    def lines(self) -> Lines:
        return self.query_one("#matches", Lines)

    @property
    def _trait(self) -> RegexRubricTrait:
        if self.cell is None:
            raise LookupError("no cell is shown yet")
        trait: RegexRubricTrait = self.cell.subject.trait
        return trait

    @property
    def _labels(self) -> Labels:
        return (self.cell.labels if self.cell else None) or Labels()

    def _only_counted(self) -> str:
        more = self._labels.hits - len(self._labels.matches)
        if more <= 0:
            return ""
        return f"{more:,} more are only counted"

    def _verdict(self) -> Content:
        labels = self._labels
        if labels.value is None:
            return self._unjudged()
        if self.cell and self.cell.hidden:
            verdict = self._trait.describe(labels.value)
            return Content.assemble(
                (verdict, "bold $state-corrected"), ("   not locked yet", "$muted")
            )
        text = view.verdict_text(self._trait, labels)
        if labels.is_overruled and self.cell and reason_given(self.cell):
            text += f"; because: {inert(reason_given(self.cell))}"
        verdict, rest = (
            text[: len(self._trait.describe(labels.value))],
            text[len(self._trait.describe(labels.value)) :],
        )
        if labels.is_overruled or labels.found is None:
            colour = "$state-corrected"
            return Content.assemble((verdict, f"bold {colour}"), (rest, colour))
        return Content.assemble((verdict, "bold"), rest)

    def _unjudged(self) -> Content:
        """Why there is no verdict, and what can be done."""
        error = self.cell.error if self.cell else None
        if self.cell and self.cell.hidden:
            none = (f" {self.marks.none} ", "reverse")
            text = f"  Blind: the verdict is yours first.\n1 2 gives it, {LOCKS}"
            return Content.assemble(none, text)
        if error is None:
            return Content(f"Not matched yet: J does it; {BY_HAND}")
        again = f"J tries again; {BY_HAND}"
        failed = Content.styled(f"{self.marks.failed} not matched", "bold $state-failed")
        return Content("\n").join([failed, Content(inert(error.error)), Content(again)])

    def _drawn(self, row: MatchRow) -> ListRow:
        """A match in a column, between what stands before and after it."""
        room = min(view.CONTEXT, self.size.width // 3)
        before = flat(row.before)[-room:]
        gap = " " * (room - cell_width(before))
        left = (
            StyledText(f"{row.number:>3} ", "muted"),
            StyledText(f"{gap}{before}", "muted"),
            StyledText(row.text or "(nothing)", "key"),
        )
        return ListRow(row.after, left, style="muted")

    def _nothing(self) -> str:
        if self._labels.value is None:
            return ""
        if view.has_matches_known(self._trait, self._labels):
            return "(it matches nowhere)"
        return "(what it matches is not known)"

    # -- where the cursor is ----------------------------------------------------------------------

    @property
    def place(self) -> Place:
        if not self._labels.matches:
            return "", 0
        return MATCH, self.lines.cursor.row

    def go(self, group: str, number: int) -> None:
        if group == MATCH:
            self.lines.go(0, number)

    def evidence(self) -> list[Evidence]:
        found = []
        for number, (start, end) in enumerate(self._labels.matches):
            if start < end:
                mark, place = str(number + 1), (MATCH, number)
                found.append(Evidence(start, end, "evidence", mark, place))
        return found

    def on_lines_highlighted(self, event: Lines.Highlighted) -> None:
        event.stop()
        self.review.looked()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        """Enter tells what can be done with the match."""
        event.stop()
        offers = {"text.evidence": "bring it into sight"}
        if not self.review.readonly:
            offers |= {"regex.yes": "the verdict is yes", "regex.no": "the verdict is no"}
        self.begin(pick_action(self.review, self._trait.name, offers))

    # -- around it --------------------------------------------------------------------------------

    def detail(self) -> Content:
        """The pattern whole, and what was counted beyond the matches that are listed."""
        trait = self._trait
        parts = [Content(f"pattern: {inert(trait.pattern)}")]
        if view.flags_text(trait):
            parts.append(Content(view.flags_text(trait)))
        if self._only_counted():
            parts.append(Content(self._only_counted()))
        return Content("\n").join(parts)

    def summary(self) -> str:
        if self.cell and view.has_matches_known(self._trait, self._labels):
            return view.hits_text(self._labels)
        return ""

    # -- corrections ------------------------------------------------------------------------------

    @property
    def trait(self) -> RegexRubricTrait:
        return self._trait

    @property
    def value(self) -> Value | None:
        """The verdict that stands."""
        return self._labels.value

    @property
    def found(self) -> Value | None:
        """What the pattern says."""
        return self._labels.found

    def action_turn(self) -> None:
        self.begin(self.corrections.turn())

    def action_rule(self, value: bool) -> None:
        """Gives the verdict by hand."""
        self.begin(self.corrections.give(value))


PANE = RegexPane
