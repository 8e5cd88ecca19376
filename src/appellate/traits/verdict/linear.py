"""A cell with one verdict or a few line by line: these first, then what they rest on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from appellate.core.cell import Cell
from appellate.traits.verdict.pane_corrections import VerdictCorrections, whose
from appellate.traits.verdict.scale import Value, has_digits, key_of, meaning_of, offered
from appellate.ui.contract import KindLines, Paragraph, Place, Review
from appellate.ui.conversation import Conversation

INDENT = 4
Stretches = Sequence[tuple[int, int] | None]


class ItemsInOrder(KindLines):
    """The cursor: on one verdict after the other, then on one stretch of the response after the
    other.
    """

    GROUPS = ("verdict", "evidence")
    """What places call the verdicts, and the stretches."""
    BLANK: Any = None
    """The labels of a cell that has none."""

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.cell: Cell | None = None
        self.trait: Any = None
        self.labels: Any = self.BLANK
        self._at = 0

    def show(self, cell: Cell, *, fresh: bool) -> None:
        self.cell, self.trait = cell, cell.subject.trait
        self.labels = cell.labels or self.BLANK
        self._at = 0 if fresh else min(self._at, self.count - 1)

    @property
    def firsts(self) -> int:
        """How many verdicts there are."""
        return 1

    @property
    def stretches(self) -> Stretches:
        """Where in the response the items that follow stand; None for one that is not in it."""
        return ()

    @property
    def place(self) -> Place:
        verdict, stretch = self.GROUPS
        if self._at < self.firsts:
            return verdict, self._at
        return stretch, self._at - self.firsts

    def go(self, group: str, number: int) -> None:
        verdict, stretch = self.GROUPS
        self._at = 0
        if group == verdict:
            self._at = min(number, self.firsts - 1)
        elif group == stretch and number < len(self.stretches):
            self._at = self.firsts + number

    @property
    def count(self) -> int:
        return self.firsts + len(self.stretches)

    @property
    def at(self) -> int:
        return self._at

    def step_to(self, at: int) -> None:
        self._at = at

    @property
    def span(self) -> tuple[int, int] | None:
        return None if self._at < self.firsts else self.stretches[self._at - self.firsts]


class VerdictLines(ItemsInOrder):
    """Asks for the verdict, then for what it rests on."""

    SOURCE = ""
    """Who gives the verdict where no person does."""

    def __init__(self, review: Review) -> None:
        super().__init__(review)
        self.corrections = VerdictCorrections(review, self, self.SOURCE)
        self.by_key: Mapping[str, Callable[[], Conversation]] = {}  # what other keys do

    @property
    def value(self) -> Value | None:
        """The verdict that stands."""
        value: Value | None = self.labels.value
        return value

    @property
    def found(self) -> Value | None:
        """The verdict of the source."""
        found: Value | None = self.labels.found
        return found

    def wording(self) -> list[Paragraph]:
        """The verdict, and who says so; where there is none, why."""
        cell = self.cell
        if self.value is None:
            paragraphs = [Paragraph("none yet", "Verdict:", "strong")]
            if cell and cell.error:
                failed = f"The {self.SOURCE} failed:"
                paragraphs.append(Paragraph(cell.error.error, failed, "bad", INDENT))
            return paragraphs
        who = whose(self.trait, self.value, self.found, self.SOURCE)
        if cell and cell.hidden:
            who = "not locked yet"
        return [Paragraph(f"{self.trait.describe(self.value)} ({who})", "Verdict:", "strong")]

    def options(self) -> list[Paragraph]:
        """What else could be said, where each has a digit and a meaning."""
        paragraphs: list[Paragraph] = []
        if self.trait.kind == "boolean" or not has_digits(self.trait):
            return paragraphs
        for value in offered(self.trait, self.value, self.found):
            meaning = meaning_of(self.trait, value)
            if meaning:
                mark = f"{key_of(self.trait, value)}:"
                paragraphs.append(Paragraph(meaning, mark, "key", INDENT))
        return paragraphs

    def listed(self) -> Sequence[Paragraph]:
        return [Paragraph(self.trait.name, "  1", "key")]

    def does(self, key: str) -> Conversation | None:
        if key == "y" and self.trait.kind == "boolean":
            return self.corrections.give(True)
        if key == " ":
            return self.corrections.turn()
        if key.isdecimal() and key.isascii():
            return self.corrections.digit(int(key))
        correction = self.by_key.get(key)
        return correction() if correction else None
