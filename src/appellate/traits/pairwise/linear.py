"""Describes what a pairwise cell shows, and prints it in line mode.

The pane draws the same `PairInSight`.
"""

from collections.abc import Sequence
from typing import Any, cast

from appellate.core.cell import Cell
from appellate.core.differences import ALIKE, Differences, differences
from appellate.core.kind import CANNOT_TELL
from appellate.core.problem import many
from appellate.core.trace import Trace
from appellate.traits.pairwise.edits import ExcerptEdit
from appellate.traits.pairwise.labels import Excerpt
from appellate.traits.pairwise.pane_corrections import (
    EXCERPT_KEYS,
    TypedPairCorrections,
)
from appellate.traits.pairwise.spec import (
    IS_OTHER,
    IS_RESPONSE,
    WINNERS,
    PairTrace,
    Side,
    SidedScale,
    scale_of,
)
from appellate.traits.verdict.excerpt_edits import corrected_index
from appellate.traits.verdict.linear import VerdictLines
from appellate.traits.verdict.pane_corrections import Stretches, VerdictInSight
from appellate.traits.verdict.pane_excerpts import OfExcerpts
from appellate.ui.contract import keyed
from appellate.ui.kind_lines import INDENT, Paragraph
from appellate.ui.selecting import Stretch

LONGEST_COMPARED = 20_000
"""Characters of a response of which differences are looked for; longer ones have none marked."""
UNVERIFIED = (
    "not found in this answer: check it, reword it ({pairwise.reword:e}) or drop it"
    " ({pairwise.drop:d})"
)
"""What is said of an excerpt that is not in the answer it is said to be from."""
_MOST_TOLD = 5
"""The largest number of differing passages of a side that line mode prints."""


class PairInSight(VerdictInSight):
    """The verdict on two responses in the words of their sides, for pane and lines."""

    _compared: tuple[Trace, Differences | None] | None = None
    """The trace whose responses were compared last, and how they differ."""

    @property
    def pair(self) -> PairTrace:
        """The trace as its trait reads it."""
        return cast("PairTrace", self.subject.trace)

    @property
    def scale(self) -> SidedScale:
        return scale_of(self.trait, self.pair)

    @property
    def orders(self) -> Sequence[str]:
        """The judge's verdicts in its two orders, as files name them; empty if not known."""
        judge = self.cell.judge if self.cell else None
        return judge.table.get("orders", ()) if judge else ()

    @property
    def is_turned(self) -> bool:
        """Whether the judge gave another verdict when the responses had changed places."""
        return len(set(self.orders)) > 1

    def told_of_judge(self) -> list[str]:
        """Return clauses on the judge's proposal: both verdicts if they differ, then its reasons.

        The first is as "turned: the judge said A with A first and B with B first". There is one for
        each line of the reasons, as "judge: (first is A) It is clear." Empty without a judge.
        """
        judge = self.cell.judge if self.cell else None
        if judge is None:
            return []
        texts = []
        if self.is_turned:
            verdicts: list[str] = []
            for first, winner in zip((IS_RESPONSE, IS_OTHER), self.orders, strict=True):
                word = self._screen_word(winner)
                first_letter = self.scale.describe(first)
                verdicts.append(f"{word} with {first_letter} first")
            both_verdicts = " and ".join(verdicts)
            texts.append(f"turned: the judge said {both_verdicts}")
        for line in str(judge.table.get("rationale") or "").splitlines():
            texts.append(f"judge: {self._with_first_letter(line)}")
        return texts

    def _screen_word(self, winner: str) -> str:
        """Return the screen's word for a file's verdict: "response" is A, or B on a swapped trace.

        For "other" it is the contrary; "tie" and "cannot tell" stay so.
        """
        if winner == CANNOT_TELL:
            return winner
        return self.scale.describe(WINNERS.index(winner))

    def _with_first_letter(self, line: str) -> str:
        """Return a line of the judge's reasons with the side that stood first named by its letter.

        "[response first] Clear." becomes "(first is A) Clear." A line that does not begin with
        "[response first] " or "[other first] " is returned as it is.
        """
        for value in (IS_RESPONSE, IS_OTHER):
            mark = f"[{WINNERS[value]} first] "
            if line.startswith(mark):
                return (
                    f"(first is {self.scale.describe(value)}) {line.removeprefix(mark)}"
                )
        return line

    # -- the excerpts ------------------------------------------------------------------------------

    @property
    def evidence(self) -> Sequence[Excerpt]:
        """The excerpts to show: those of the current verdict, then the judge's for another one."""
        return [*self.labels.supporting, *self._of_judges_verdict()]

    def _of_judges_verdict(self) -> Sequence[Excerpt]:
        """Return the judge's excerpts if they speak for another verdict; else nothing."""
        if self.labels.is_judges_verdict or self.cell is None or not self.cell.judge:
            return ()
        excerpts: Sequence[Excerpt] = self.cell.judge_labels.evidence
        return excerpts

    def speaks_for(self, number: int) -> str:
        """Return the verdict that an excerpt speaks for, as "judge: A", if it is not current.

        Returns "" for an excerpt of the current verdict, and without a cell. `number` is the
        excerpt's place in `evidence`, from 0. A number beyond its end answers as one of the
        judge's.
        """
        if self.cell is None or number < len(self.labels.supporting):
            return ""
        return f"judge: {self.scale.describe(self.cell.judge_labels.value)}"

    def is_added(self, number: int) -> bool:
        """Return whether a person added an excerpt or changed it: it is not among the judge's.

        `number` is its place in `evidence`, from 0. False for the judge's excerpt for another
        verdict, and always without a judge, as nothing can be compared then. Raises IndexError for
        no such place.
        """
        excerpt = self.evidence[number]
        if self.cell is None or number >= len(self.labels.supporting):
            return False
        judge = self.cell.judge
        return judge is not None and excerpt not in self.cell.judge_labels.evidence

    @property
    def stretches(self) -> Stretches:
        return [excerpt.span for excerpt in self.evidence]

    @property
    def excerpt(self) -> Excerpt | None:
        """The excerpt under the cursor; None on a verdict, and if there is no excerpt."""
        group, number = self.place
        evidence = self.evidence
        if group != self.GROUPS[1] or not evidence:
            return None
        return evidence[number]

    @property
    def can_correct_excerpt(self) -> bool:
        """Whether the excerpt under the cursor speaks for the current verdict."""
        return self.place[1] < len(self.labels.supporting)

    def letter(self, excerpt: Excerpt) -> str:
        """Return the letter of the answer that an excerpt is from: A or B."""
        return self.pair.side_of(excerpt.answer).letter

    @property
    def missing_count(self) -> int:
        """The number of excerpts that speak for the current verdict and are not in their answer."""
        return sum(excerpt.span is None for excerpt in self.labels.supporting)

    def follow_edit(self, edit: Any) -> None:
        """Move the cursor to the verdict that was given, or to the excerpt that was corrected.

        After a drop that is the excerpt that moved up, and after an undo the one as it was before.
        The cursor stays if no excerpt is there.
        """
        if not isinstance(edit, ExcerptEdit):
            super().follow_edit(edit)
            return
        spans = [excerpt.span for excerpt in self.labels.supporting]
        index = corrected_index(edit, spans)
        if index is not None:
            self.go(self.GROUPS[1], index)

    def in_side(self, side: Side) -> list[Stretch]:
        """Return where evidence is in a side, as offsets in the text of that side alone.

        The excerpts are those of the current verdict, and the judge's for another one.
        """
        stretches: list[Stretch] = []
        for excerpt in self.evidence:
            if excerpt.span and excerpt.answer == side.answer:
                stretches.append(
                    (excerpt.span[0] - side.start, excerpt.span[1] - side.start),
                )
        return stretches

    # -- the two texts ----------------------------------------------------------------------------

    @property
    def compared(self) -> Differences | None:
        """How A and B differ, word by word.

        None if they are too different for it to say anything, or too long to be compared.
        """
        if self._compared is None or self._compared[0] is not self.pair:
            result = _compared(*self.pair.sides)
            self._compared = (self.pair, result)
        _, result = self._compared
        return result

    def differing(self) -> Sequence[Stretch]:
        """Return the stretches of the text of the pair that only one of its sides has.

        Side A's come first; empty if the sides are too different or too long to be compared.
        """
        compared = self.compared
        if compared is None:
            return ()
        stretches: list[Stretch] = []
        for side, own in zip(
            self.pair.sides,
            (compared.first, compared.second),
            strict=True,
        ):
            stretches += [(side.start + start, side.start + end) for start, end in own]
        return stretches

    def wrote(self) -> str:
        """Return who wrote A and B, after a sign-off or ruling, as "A is by gpt-4o, B is by o3".

        A side whose author is not known is left out. "" before that, and if nobody is known.
        """
        if self.cell is None or self.cell.hides_names or self.pair.other is None:
            return ""
        other = self.pair.other.model or self.pair.other.id
        authors = {IS_RESPONSE: self.pair.model, IS_OTHER: other}
        texts: list[str] = []
        for side in self.pair.sides:
            author = authors[side.winner]
            if author:
                texts.append(f"{side.letter} is by {author}")
        return ", ".join(texts)


class OfPair(OfExcerpts):
    """Sentences about the excerpts of a pair, for pane and lines."""

    sight: PairInSight

    def doubts(self) -> str:
        """Return how many excerpts of the verdict are not in their answer; "" if all are.

        For example "2 excerpts not in the answer that they name."
        """
        missing_count = self.sight.missing_count
        if not missing_count:
            return ""
        excerpts = many(missing_count, "excerpt")
        clause = "it names" if missing_count == 1 else "they name"
        return f"{excerpts} not in the answer that {clause}."

    def excerpts_in(self, labels: Any) -> Sequence[Excerpt]:
        excerpts: Sequence[Excerpt] = labels.supporting
        return excerpts

    def found_again(self, edit: Any, now: Cell) -> Any:
        """Return an edit of an excerpt with the index that the excerpt has in the cell `now`.

        The edit is returned unchanged if it is of the verdict, if its excerpt was deleted, or if
        the excerpt has its old index.
        """
        if not isinstance(edit, ExcerptEdit):
            return edit
        return super().found_again(edit, now)


def _compared(first: Side, second: Side) -> Differences | None:
    """Return how two sides differ; None if they are too different, or too long to be compared."""
    if max(len(first.text), len(second.text)) > LONGEST_COMPARED:
        return None
    compared = differences(first.text, second.text)
    return compared if compared.alike >= ALIKE else None


class PairwiseLines(OfPair, VerdictLines):
    """The lines of a pairwise cell: how the responses differ, the verdict, and its excerpts."""

    KEYS = (*VerdictLines.KEYS, *EXCERPT_KEYS)
    sight_of = PairInSight
    corrections_of = TypedPairCorrections

    def head(self) -> Sequence[Paragraph]:
        """Return the question, the scale, and the words that only one side has, to print.

        There is a paragraph for each side, such as "Only in A: “red”", or "Only in A: nothing". Of
        many passages only the first are quoted and the others counted. Both paragraphs are left out
        if the sides are too different or too long to be compared.
        """
        paragraphs = [*super().head()]
        compared = self.sight.compared
        if compared is None:
            return paragraphs
        for side, own in zip(
            self.sight.pair.sides,
            (compared.first, compared.second),
            strict=True,
        ):
            passages = [f"“{side.text[start:end]}”" for start, end in own[:_MOST_TOLD]]
            if len(own) > _MOST_TOLD:
                passages.append(f"and {len(own) - _MOST_TOLD} more")
            text = ", ".join(passages) or "nothing"
            paragraphs.append(
                Paragraph(text, f"Only in {side.letter}:", "muted", INDENT),
            )
        return paragraphs

    def grounds(self) -> Sequence[Paragraph]:
        """Return what the judge said in either order, and who wrote what once that is shown."""
        texts = self.sight.told_of_judge()
        authors = self.sight.wrote()
        if authors:
            texts.append(authors)
        return [Paragraph(text, "", "muted", INDENT) for text in texts]

    def stretch(self, number: int) -> Sequence[Paragraph]:
        """Return an excerpt in full, in quotes after "Evidence 1, in A:", as paragraphs to print.

        `number` counts from 0, and the number that is printed from 1. One that speaks for another
        verdict says so in brackets before the colon. One that is not in its answer has a warning.
        """
        excerpt = self.sight.evidence[number]
        letter = self.sight.letter(excerpt)
        mark = f"Evidence {number + 1}, in {letter}"
        speaks_for = self.sight.speaks_for(number)
        if speaks_for:
            mark += f" ({speaks_for})"
        paragraphs = [Paragraph(excerpt.text, f"{mark}:", "evidence", in_quotes=True)]
        if excerpt.span is None:
            warning = keyed(UNVERIFIED, self.review)
            doubt = self.review.marks.doubt
            paragraphs.append(Paragraph(warning, doubt, "bad", INDENT))
        return paragraphs

    def options(self) -> list[Paragraph]:
        """Return the verdicts with their meanings, then how many excerpts there are if any."""
        paragraphs = super().options()
        if self.sight.evidence:
            count = many(len(self.sight.evidence), "excerpt")
            paragraphs.append(Paragraph(count, indent=INDENT))
        return paragraphs


LINES = PairwiseLines
