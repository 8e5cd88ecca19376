"""The regex cell on the screen: the verdict, the pattern, and its matches."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from appellate.core.cell import Cell
from appellate.core.deciding import AT_WORK, LOCKS
from appellate.core.kind import Table
from appellate.traits.regex import view
from appellate.traits.regex.labels import Labels
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.regex.view import MatchRow
from appellate.traits.verdict.pane_corrections import VerdictCorrections, reason_given
from appellate.traits.verdict.pane_rows import VerdictRows
from appellate.traits.verdict.pane_verdict import VerdictPane
from appellate.ui.bar import Hint
from appellate.ui.contract import Evidence, Place, Review, keyed, pick_action
from appellate.ui.key import Key, bindings
from appellate.ui.lines import Lines
from appellate.ui.rows import DrawnRows, ListRow, StyledText
from appellate.ui.text import cell_width, entitle, flat, inert

MATCH = "match"
"""The group of places: the matches, numbered from 0."""
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
        "value(1)",
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
        "value(2)",
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


class MatchRows(VerdictRows):
    """The matches; the verdict has two keys and no row."""

    GROUPS = (MATCH, "")
    SOURCE = "pattern"
    labels: Labels

    def __init__(self, review: Review) -> None:
        super().__init__(review, Labels())
        self.lines = Lines(marks=review.marks, id="matches")

    def draw(self) -> None:
        rows = view.match_rows(self.labels, self.cell.subject.trace.response)
        self.lines.show_rows(DrawnRows(rows, self._drawn), self._nothing())

    def _drawn(self, row: MatchRow) -> ListRow:
        """A match in a column, between what stands before and after it."""
        room = min(view.CONTEXT, self.lines.size.width // 3)
        before = flat(row.before)[-room:]
        gap = " " * (room - cell_width(before))
        left = (
            StyledText(f"{row.number:>3} ", "muted"),
            StyledText(f"{gap}{before}", "muted"),
            StyledText(row.text or "(nothing)", "key"),
        )
        return ListRow(row.after, left, style="muted")

    def _nothing(self) -> str:
        if self.value is None:
            return ""
        if view.has_matches_known(self.trait, self.labels):
            return "(it matches nowhere)"
        return "(what it matches is not known)"

    @property
    def only_counted(self) -> str:
        """How many matches have no row, in words."""
        more = self.labels.hits - len(self.labels.matches)
        if more <= 0:
            return ""
        return f"{more:,} more are only counted"

    @property
    def place(self) -> Place:
        if not self.labels.matches:
            return "", 0
        return super().place

    def go(self, group: str, number: int) -> None:
        if group == MATCH:
            self.lines.go(0, number)

    def to_verdict(self) -> None:
        """The first match: the verdict is no row."""
        self.lines.go(0)

    def follow(self, edit: Table) -> None:
        """The cursor stays where it is."""

    def evidence(self) -> Sequence[Evidence]:
        found = []
        for number, (start, end) in enumerate(self.labels.matches):
            if start < end:
                mark, place = str(number + 1), (MATCH, number)
                found.append(Evidence(start, end, "evidence", mark, place))
        return found


class PatternTexts:
    """What stands above the matches: the question, the verdict, the pattern and its flags."""

    def __init__(self, rows: MatchRows) -> None:
        self._rows = rows
        names = ("criterion", "verdict", "pattern", "flags")
        self.widgets = [Static(id=name, markup=False) for name in names]

    def draw(self, size: Size) -> None:  # noqa: ARG002 - the style sheet bounds them
        """Draws them."""
        trait: RegexRubricTrait = self._rows.trait
        criterion, verdict, pattern, flags = self.widgets
        criterion.update(Content(inert(trait.description or "")))
        criterion.display = bool(trait.description)
        verdict.update(self._verdict())
        pattern.update(Content.assemble(("pattern  ", "$text-muted"), inert(trait.pattern)))
        flags.update(Content(view.flags_text(trait)))
        flags.display = bool(view.flags_text(trait))

    def detail(self) -> Content:
        """The pattern whole, and what was counted beyond the matches that are listed."""
        trait: RegexRubricTrait = self._rows.trait
        texts = [f"pattern: {inert(trait.pattern)}", view.flags_text(trait)]
        texts.append(self._rows.only_counted)
        return Content("\n").join([Content(text) for text in texts if text])

    def _verdict(self) -> Content:
        cell, trait, labels = self._rows.cell, self._rows.trait, self._rows.labels
        if labels.value is None:
            return self._unjudged()
        verdict, by_hand = trait.describe(labels.value), "$state-corrected"
        if cell.hidden:
            return Content.assemble((verdict, f"bold {by_hand}"), ("   not locked yet", "$muted"))
        rest = view.verdict_text(trait, labels).removeprefix(verdict)
        if labels.is_overruled and reason_given(cell):
            rest += f"; because: {inert(reason_given(cell))}"
        if labels.is_overruled or labels.found is None:
            return Content.assemble((verdict, f"bold {by_hand}"), (rest, by_hand))
        return Content.assemble((verdict, "bold"), rest)

    def _unjudged(self) -> Content:
        """Why there is no verdict, and what can be done."""
        cell, marks = self._rows.cell, self._rows.marks
        judge, locks = (keyed(text, self._rows.review) for text in ("{cell.judge:J}", LOCKS))
        if cell.hidden:
            text = f"  Blind: the verdict is yours first.\n1 2 gives it, {locks}"
            return Content.assemble((f" {marks.none} ", "reverse"), text)
        if cell.error is None and self._rows.review.judging:
            return Content(f"{AT_WORK}; {BY_HAND}")
        if cell.error is None:
            return Content(f"Not matched yet: {judge} does it; {BY_HAND}")
        again = f"{judge} tries again; {BY_HAND}"
        failed = Content.styled(f"{marks.failed} not matched", "bold $state-failed")
        return Content("\n").join([failed, Content(inert(cell.error.error)), Content(again)])


class RegexPane(VerdictPane):
    """One cell: whether the pattern matches, and its matches under a cursor."""

    DEFAULT_CSS = """
    RegexPane {
        & > Static { height: auto; padding: 0 1; }
        & > #criterion, & > #pattern { max-height: 33%; }
        & > #verdict { height: auto; margin: 0; }
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
    rows: MatchRows

    def fill(self, review: Review) -> None:
        self.rows = MatchRows(review)
        self.texts = PatternTexts(self.rows)
        self.corrections = VerdictCorrections(review, self.rows, "pattern")

    def hints(self, keys: Sequence[Key]) -> list[Hint]:  # noqa: ARG002 - its keys stand there
        return []

    def show(self, cell: Cell, *, fresh: bool) -> None:
        super().show(cell, fresh=fresh)
        entitle(self, "Pattern", self.rows.only_counted)

    def summary(self) -> str:
        if self.cell and view.has_matches_known(self.rows.trait, self.rows.labels):
            return view.hits_text(self.rows.labels)
        return ""

    async def menu(self) -> None:
        offers = {"text.evidence": "bring it into sight"}
        if not self.review.readonly:
            offers |= {
                "regex.yes": "the verdict is yes",
                "regex.no": "the verdict is no",
                "regex.turn": "the other verdict",
            }
        await pick_action(self.review, self.rows.trait.name, offers)

    def action_turn(self) -> None:
        self.begin(self.corrections.turn())


PANE = RegexPane
