"""Corrects a pairwise cell by keys, on the screen and in line mode."""

from typing import Any, NamedTuple

from appellate.traits.evidence import Finder
from appellate.traits.pairwise.edits import ExcerptEdit
from appellate.traits.pairwise.spec import LETTERS, PairTrace, Side
from appellate.traits.verdict.excerpt_edits import ExcerptAction
from appellate.traits.verdict.kind import Edit
from appellate.traits.verdict.pane_excerpts import (
    ExcerptCorrections,
    excerpt_keys,
    with_span,
)
from appellate.ui.contract import Choice

TAKES = (
    "A digit gives the verdict on these words, {pairwise.add:+} takes them as evidence; "
    "{select.leave:Esc} leaves."
)
OF_ANOTHER_VERDICT = (
    "This excerpt speaks for the judge's verdict, which is not the one given here:"
    " {pairwise.add:+} adds words that speak for yours."
)


class BegunVerdict(NamedTuple):
    """A verdict to be given, which still lacks its value."""

    span: tuple[int, int] | None
    """The words that it is given on; None for none."""


class PairCorrections(ExcerptCorrections):
    """The acts of keys on the verdict, and on the excerpt under the cursor."""

    EXCERPT_EDIT = ExcerptEdit
    TAKES = TAKES
    NO_EXCERPT = (
        "No excerpt is under the cursor: {lines.down:j} goes to those below the verdicts,"
        " {pairwise.add:+} adds one."
    )

    def new_verdict_edit(self) -> BegunVerdict | None:
        """Return a correction of the verdict that still lacks its value, with the selected words.

        A selection of words is ended. Without one the span is None. Returns None, after a note that
        says so, if a selection was going on that had no words.
        """
        if not self._review.selecting:
            return BegunVerdict(None)
        span = self._review.take_words()
        if span is None:
            return None
        return BegunVerdict(span)

    def _correct_to(self, edit: BegunVerdict, value: Any) -> None:
        """Give the verdict, and add the words that it is given on, if any, as one correction.

        If one of the two is refused, neither is made, and a note says why.
        """
        edits: list[Any] = [Edit("overrule", value)]
        if edit.span is not None:
            edits.append(with_span(ExcerptEdit("add"), edit.span))
        self._review.correct([edits], "changed")

    def _of_excerpt(self, action: ExcerptAction) -> Any:
        """Return an edit of the excerpt under the cursor, with this action.

        Returns None, after a note that says why, if there is no excerpt, if it is the judge's for
        another verdict than the current one, or if nothing may be corrected.
        """
        edit = super()._of_excerpt(action)
        if edit is not None and not self._sight.can_correct_excerpt:
            self._review.say(OF_ANOTHER_VERDICT)
            return None
        return edit


class TypedPairCorrections(PairCorrections):
    """The same acts in line mode, where words are typed and may be in both answers."""

    async def _words(self, which: str = "") -> tuple[int, int] | None:
        """Return the span of the words that the person types, as offsets in the text of the pair.

        If A and B both have these words, the person is asked for the answer that is meant. `which`
        is what the words are for, as the question says it. Returns None if there are none, after a
        note, and raises Left if the person leaves.
        """
        span = await super()._words(which)
        if span is None:
            return None
        places = _places_in_answers(self._sight.pair, span)
        if len(places) < len(LETTERS):
            return span
        choices = []
        span_by_letter: dict[str, tuple[int, int]] = {}
        for number, (side, span_in_side) in enumerate(places, 1):
            choices.append(Choice(side.letter, str(number), f"answer {side.letter}"))
            span_by_letter[side.letter] = span_in_side
        letter = await self._review.pick("Both answers have these words", choices)
        return span_by_letter[letter]


def _places_in_answers(
    pair: PairTrace,
    span: tuple[int, int],
) -> list[tuple[Side, tuple[int, int]]]:
    """Return the answers that have the words of a span, A first, each with where it has them.

    All offsets are in the text of the pair, not of one answer. The span itself is one of the
    places, unless it is not within one answer; in the other answer it is where the words are first.
    """
    start, end = span
    words = pair.text[start:end]
    places: list[tuple[Side, tuple[int, int]]] = []
    for side in pair.sides:
        if side.start <= start and end <= side.end:
            places.append((side, span))
            continue
        span_in_side = Finder(side.text).find(words)
        if span_in_side is not None:
            first, last = span_in_side
            places.append((side, (side.start + first, side.start + last)))
    return places


EXCERPT_KEYS = excerpt_keys("pairwise", "Pairwise trait: ", "an answer")
