"""The regex cell line by line: the verdict with the pattern, then its matches."""

from collections.abc import Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.traits.regex import view
from appellate.traits.regex.labels import Labels
from appellate.traits.regex.pane_corrections import NO_VERDICT, rule
from appellate.ui.contract import (
    YES_NO,
    EvidencePlace,
    KeyLine,
    KindLines,
    Paragraph,
    Place,
    Review,
)
from appellate.ui.conversation import Conversation

_MATCH, _INDENT = "match", 4


class RegexLines(KindLines):
    """Asks for the verdict; the matches are there to be read."""

    KEYS = (
        KeyLine("1 2", "regex trait: the verdict is yes (y too), no, whatever the pattern says"),
        KeyLine("Space", "regex trait: the other verdict"),
    )

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.cell: Cell | None = None
        self.labels = Labels()
        self._trait: Any = None
        self._at = 0

    def show(self, cell: Cell, *, fresh: bool) -> None:
        self.cell, self._trait = cell, cell.subject.trait
        self.labels = cell.labels or Labels()
        if fresh:
            self._at = 0

    @property
    def place(self) -> Place:
        return (_MATCH, self._at - 1) if self._at else ("", 0)

    def go(self, group: str, number: int) -> None:
        if group == _MATCH and number < len(self.labels.matches):
            self._at = number + 1

    @property
    def count(self) -> int:
        return len(self.labels.matches) + 1

    @property
    def at(self) -> int:
        return self._at

    def step_to(self, at: int) -> None:
        self._at = at

    def head(self) -> Sequence[Paragraph]:
        paragraphs = [Paragraph(self._trait.pattern, "Pattern:", "strong", quoted=True)]
        flags = view.flags_text(self._trait)
        if flags:
            paragraphs.append(Paragraph(flags, style="muted"))
        return paragraphs

    def item(self) -> Sequence[Paragraph]:
        if self._at:
            return [self._match(self._at - 1)]
        text = view.verdict_text(self._trait, self.labels)
        if not text and self.cell and self.cell.error:
            text = f"not matched: {self.cell.error.error}"
        missing = "not matched yet; 1 (yes) and 2 (no) answer by hand"
        if self.cell and self.cell.hidden:
            missing = "none yet; 1 (yes) and 2 (no) give it"
        return [Paragraph(text or missing, "Verdict:", "strong")]

    def _match(self, number: int) -> Paragraph:
        response = self.cell.subject.trace.response if self.cell else ""
        found = view.match_rows(self.labels, response)[number]
        text = f"{found.before}[{found.text}]{found.after[: view.CONTEXT]}"
        return Paragraph(" ".join(text.split()), f"Match {found.number}:", "evidence", quoted=True)

    def listed(self) -> Sequence[Paragraph]:
        matches = [self._match(number) for number in range(len(self.labels.matches))]
        return [*self.head(), *matches]

    def evidence(self) -> Sequence[EvidencePlace]:
        spans = enumerate(self.labels.matches)
        return [EvidencePlace((_MATCH, number), span) for number, span in spans]

    def does(self, key: str) -> Conversation | None:
        if key == " ":
            return self._turn()
        fields = {"y": True} | {str(digit): value for digit, value in YES_NO.items()}
        return self._rule(fields[key]) if key in fields else None

    async def _rule(self, value: bool) -> None:
        rule(self.review, value)

    async def _turn(self) -> None:
        """Gives the other verdict."""
        if self.labels.value is None:
            self.review.say(NO_VERDICT)
        else:
            rule(self.review, not self.labels.value)


LINES = RegexLines
