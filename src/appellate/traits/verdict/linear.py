"""Prints and steps through a cell with one verdict or a few, in line mode.

The verdicts come first, then the spans of the response that they are based on.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from appellate.core.cell import Cell
from appellate.traits.verdict.pane_corrections import (
    PICK_KEYS,
    TURN_KEY,
    VALUE_KEYS,
    VerdictCorrections,
    VerdictInSight,
    key_shown,
    words_of_keys,
)
from appellate.ui.contract import Place, Review, keyed
from appellate.ui.key import Key, in_group
from appellate.ui.kind_lines import INDENT, KindLines, Paragraph


class VerdictLines(KindLines):
    """The lines of a cell: its verdicts, then the spans that they are based on."""

    KEYS: ClassVar[tuple[Key, ...]] = (
        *VALUE_KEYS,
        *in_group("Verdict", TURN_KEY),
        *PICK_KEYS,
    )
    sight_of: ClassVar[Any] = VerdictInSight
    corrections_of: ClassVar[Any] = VerdictCorrections

    def __init__(self, review: Review) -> None:
        """Begin without a cell; `show` gives one."""
        super().__init__(review)
        self.sight = self.sight_of(self)
        self.corrections: VerdictCorrections = self.corrections_of(review, self.sight)
        self._at = 0

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Show a cell and who labelled it, a fresh one with the cursor on its first verdict.

        Otherwise the cursor stays on its line, or goes to the last one if there are fewer now.
        """
        self.cell = self.sight.cell = cell
        self.labelled_by = self.sight.source
        self._at = 0 if fresh else min(self._at, self.count - 1)

    # -- the cursor -------------------------------------------------------------------------------

    @property
    def firsts(self) -> int:
        """The number of verdicts."""
        return 1

    @property
    def place(self) -> Place:
        """The group under the cursor, and the position (from 0) in that group.

        The group is one of `sight.GROUPS`: the name of the verdicts or of the spans.
        """
        verdict, stretch = self.sight.GROUPS
        if self._at < self.firsts:
            return verdict, self._at
        return stretch, self._at - self.firsts

    def go(self, group: str, number: int) -> None:
        """Move the cursor to a position (from 0) in a group, which is one of `sight.GROUPS`.

        A position after the last verdict is that of the last. For no such span, and for another
        group, the cursor goes to the first line.
        """
        verdict, stretch = self.sight.GROUPS
        self._at = 0
        if group == verdict:
            self._at = min(number, self.firsts - 1)
        elif group == stretch and number < len(self.sight.stretches):
            self._at = self.firsts + number

    @property
    def count(self) -> int:
        """The number of verdicts and spans."""
        return self.firsts + len(self.sight.stretches)

    @property
    def at(self) -> int:
        return self._at

    def step_to(self, index: int) -> None:
        self._at = index

    def to_verdict(self) -> None:
        """Move the cursor to the first verdict."""
        self.step_to(0)

    @property
    def span(self) -> tuple[int, int] | None:
        """The offsets (start, end) of the span under the cursor.

        None on a verdict, and on a span that is not in the response.
        """
        number = self._at - self.firsts
        if number < 0:
            return None
        span: tuple[int, int] | None = self.sight.stretches[number]
        return span

    def spans(self) -> Sequence[tuple[int, int]]:
        return [span for span in self.sight.stretches if span is not None]

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        self.sight.follow_edit(self.sight.kind.edit(edit))

    def first_keys(self) -> Mapping[str, str]:
        """Return what each key that gives a verdict gives, by the id of the key.

        For example {"verdict.1": "yes", "verdict.2": "no"}. If not every verdict has a digit,
        {"verdict.pick": "type the verdict"} comes before those that have one.
        """
        scale = self.sight.scale
        if scale.has_digits:
            return words_of_keys(scale)
        return {"verdict.pick": "type the verdict", **words_of_keys(scale)}

    # -- what is printed --------------------------------------------------------------------------

    def head(self) -> Sequence[Paragraph]:
        """Return two paragraphs to print: the question, and the scale with its good end.

        The question is without the lines that only say what scores mean.
        """
        return [
            Paragraph(self.sight.scale.question_text()),
            Paragraph(self.sight.scale.scale_text(), style="muted"),
        ]

    def item(self) -> Sequence[Paragraph]:
        """Return the verdict or span under the cursor in full, as paragraphs to print.

        A verdict is followed by what its source goes by, the person's reason after "because:" if it
        is to be told, and what each digit means.
        """
        if self.at >= self.firsts:
            return self.stretch(self.at - self.firsts)
        paragraphs = list(self.wording())
        paragraphs.extend(self.grounds())
        if self.sight.value is not None and self.sight.tells_reason:
            reason = self.sight.reason
            paragraphs.append(Paragraph(reason, "because:", "muted", INDENT))
        paragraphs.extend(self.options())
        return paragraphs

    def stretch(self, number: int) -> Sequence[Paragraph]:
        """Return the text of one of the spans in full, as paragraphs to print.

        `number` counts from 0. Here there is nothing to print; kinds with spans return theirs.
        """
        return ()

    def wording(self) -> list[Paragraph]:
        """Return the verdict and who gives it, as one paragraph: "yes (as the judge says)".

        Its mark is the heading to print before it, as "Verdict:" or "Score of tone:". Without a
        verdict its text is such as "none yet; 1 (yes) or 2 (no) gives it"; if the source failed,
        too, a second paragraph has its error.
        """
        mark = f"{self.sight.scale.word.capitalize()}{self.of_which()}:"
        if self.sight.value is not None:
            return [
                Paragraph(
                    f"{self.sight.scale.in_words(self.sight.value)} ({self.sight.whose})",
                    mark,
                    "strong",
                ),
            ]
        keys = keyed(self.sight.scale.keys_text(), self.review)
        missing = f"none yet; {keys} gives it"
        paragraphs = [Paragraph(missing, mark, "strong")]
        if self.cell and self.cell.error:
            failed = f"The {self.sight.source} failed:"
            paragraphs.append(Paragraph(self.cell.error.error, failed, "bad", INDENT))
        return paragraphs

    def of_which(self) -> str:
        """Return what a heading adds to say which of several verdicts is shown.

        Here that is always "", since there is only one. Kinds with several say more.
        """
        return ""

    def grounds(self) -> Sequence[Paragraph]:
        """Return what the source of the verdict goes by, as paragraphs to print; here nothing."""
        return ()

    def options(self) -> list[Paragraph]:
        """Return the verdicts that have a meaning, each as a paragraph with its key, as "1:".

        "Cannot tell" is among them if the trait allows it. Empty for yes or no, and for a scale on
        which not every verdict has a digit.
        """
        scale = self.sight.scale
        if scale.kind == "boolean" or not scale.has_digits:
            return []
        paragraphs: list[Paragraph] = []
        for value in scale.offered(self.sight.value, self.sight.found):
            meaning = scale.meaning_of(value)
            if meaning:
                key = key_shown(scale, value, self.review)
                paragraphs.append(Paragraph(meaning, f"{key}:", "key", INDENT))
        return paragraphs

    def listed(self) -> Sequence[Paragraph]:
        """Return the trait's name as row 1, and then the first line of each span, to be printed.

        The verdict itself is in no row.
        """
        verdict = Paragraph(self.sight.title, "  1", "key")
        return [
            verdict,
            *(self.stretch(number)[0] for number in range(len(self.sight.stretches))),
        ]
