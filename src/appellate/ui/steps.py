"""The steps of a conversation as a person reads them; free of Textual.

Headings show who speaks, and long words of the system and of tools are folded.

Folding changes only what is visible: offsets, evidence and what is copied are of the whole
transcript. A fold never hides words that must be seen, such as evidence, hits of a search, and what
is selected. What was unfolded stays so for as long as the conversation is shown.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct

from appellate.core.messages import ASSISTANT, SYSTEM, TOOL, USER
from appellate.core.transcript import Step
from appellate.ui.marks import UNICODE, Marks, spelt

if TYPE_CHECKING:
    from appellate.ui.selecting import Stretch

LINES = {SYSTEM: 3, TOOL: 8}
"""Lines of a long step that stay visible, by who speaks; steps of others are never folded."""
CHARACTERS = 600
"""Characters of a long step that stay visible at most."""
LEAST_LINES = 2
"""Lines. Less than this and less than `LEAST_CHARACTERS` is not folded: it would save nothing."""
LEAST_CHARACTERS = 160
"""Where less than both would be hidden, the row that says so saves nothing."""


class Fold(Struct, frozen=True):
    """The end of a long step, which can be hidden."""

    step_no: int
    start: int
    end: int
    words: str
    """What is shown instead, with a newline before it, so that it has a row of its own."""

    def hides(self, stretch: "Stretch") -> bool:
        """Return whether any of a stretch of the text is within the fold."""
        start, end = stretch
        return start < self.end and self.start < end


def heading_style(step: Step) -> str:
    """Return the style of a step's heading: `call` for a call of a tool, whoever makes it.

    Otherwise it is `spoken` for the assistant, and `others` for everybody else.
    """
    if step.turn.calls:
        return "call"
    if step.turn.role == ASSISTANT:
        return "spoken"
    return "others"


def folds_of(
    text: str,
    steps: Iterable[Step],
    marks: Marks = UNICODE,
) -> Iterator[Fold]:
    """Yield where long steps can be folded, in the order of the text.

    Only steps of the speakers in `LINES` can. What folds is the end, after the part that stays
    visible. A fold that would hide less than `LEAST_LINES` lines and less than `LEAST_CHARACTERS`
    characters is left out. The words that are shown instead say how much is hidden.
    """
    for step in steps:
        lines = LINES.get(step.turn.role)
        if lines is None:
            continue
        start = _beginning_end(text, step, lines)
        hidden_lines = text.count("\n", start, step.end)
        characters = step.end - start
        if text.startswith("\n", start):
            characters -= 1
        elif characters:
            hidden_lines += 1  # the rest of the line that is cut
        if hidden_lines < LEAST_LINES and characters < LEAST_CHARACTERS:
            continue
        summary = f"… {characters:,} more characters"
        if hidden_lines > 1:
            summary = f"… {hidden_lines:,} more lines, {characters:,} characters"
        shown_instead = spelt(summary, marks)
        yield Fold(step.no, start, step.end, f"\n{shown_instead}")


def _beginning_end(text: str, step: Step, lines: int) -> int:
    """Return the offset at which the visible part of a step ends: after `lines` lines at most.

    If these have more than `CHARACTERS` characters, it ends at the last newline in the second half
    of the first `CHARACTERS`. Without a newline there it ends at the last space, else at exactly
    `CHARACTERS`.
    """
    end = step.start - 1
    for _ in range(lines):
        end = text.find("\n", end + 1, step.end)
        if end < 0:
            end = step.end
            break

    longest = step.start + CHARACTERS
    if end <= longest:
        return end

    earliest = step.start + CHARACTERS // 2
    for between in ("\n", " "):
        break_offset = text.rfind(between, earliest, longest)
        if break_offset >= 0:
            return break_offset
    return longest


class StepsInView:
    """Which steps of a conversation a view shows folded, and the text that it shows then."""

    def __init__(
        self,
        text: str,
        steps: Sequence[Step],
        marks: Marks = UNICODE,
        *,
        folds: bool = True,
    ) -> None:
        """Take a conversation, its text and its steps; each long step is folded if `folds`."""
        self.text = text
        self.steps = steps
        self.folds: tuple[Fold, ...] = ()
        if folds:
            self.folds = tuple(folds_of(text, steps, marks))
        self.folded = self.folds
        """The folds that hide something now, in the order of the text."""
        self._unfolded: set[int] = set()
        """The numbers of the steps that stay unfolded."""
        self._rows_known: tuple[int, dict[str, list[int]]] = 0, {}
        self._fold_ends = [fold.end for fold in self.folds]
        self.headings = [
            (step.heading_start, step.heading_end, heading_style(step))
            for step in steps
        ]
        """Where the headings are, and the style of each."""

    # -- folding -----------------------------------------------------------------------------------

    def fold_all_but(self, seen: "Iterable[Stretch]") -> bool:
        """Fold each long step, except those kept unfolded and those that would hide some of `seen`.

        `seen` are stretches of the text that must be visible, in any order. Returns whether other
        steps are folded than before. Nothing is drawn.
        """
        stretches = sorted(seen)
        starts = [start for start, _ in stretches]
        # the furthest end up to each stretch
        reach = list(accumulate((end for _, end in stretches), max))

        folded = []
        for fold in self.folds:
            if fold.step_no in self._unfolded:
                continue
            begun_before_end = bisect_left(starts, fold.end)
            furthest_end = 0
            if begun_before_end:
                furthest_end = reach[begun_before_end - 1]
            hides_seen = furthest_end > fold.start
            if not hides_seen:
                folded.append(fold)

        folded_before = self.folded
        self.folded = tuple(folded)
        return self.folded != folded_before

    def keep_unfolded(self, visible: "Stretch") -> None:
        """Keep unfolded from now on the steps that are so and whose foldable end is in `visible`.

        So nothing that a person can see folds by itself in later calls of `fold_all_but`. `visible`
        is a stretch of the text.
        """
        hidden = {fold.step_no for fold in self.folded}
        for fold in self._over(visible):
            if fold.step_no not in hidden:
                self._unfolded.add(fold.step_no)

    def unfold(self, fold: Fold) -> None:
        """Keep a step unfolded from now on; `folded` changes only at the next `fold_all_but`."""
        self._unfolded.add(fold.step_no)

    def unfold_all(self) -> None:
        """Keep all steps unfolded; `folded` changes only at the next `fold_all_but`."""
        self._unfolded = {fold.step_no for fold in self.folds}

    def fold_again(self) -> None:
        """Keep no step unfolded any more, so that the next `fold_all_but` may fold all of them."""
        self._unfolded = set()

    def _over(self, stretch: "Stretch") -> Iterator[Fold]:
        """Yield the folds that share a character with a stretch, in the order of the text.

        Those that hide nothing now are among them.
        """
        start, end = stretch
        if start >= end:
            return
        for fold in self.folds[bisect_right(self._fold_ends, start) :]:
            if fold.start >= end:
                break
            yield fold

    def folded_over(self, stretch: "Stretch") -> list[Fold]:
        """Return the folds that hide any of a stretch of the text now, in the order of the text."""
        return [fold for fold in self.folded if fold.hides(stretch)]

    # -- what is shown -----------------------------------------------------------------------------

    def rows_known(self, width: int) -> dict[str, list[int]]:
        """Return what is known of where the rows of lines end at a width, by the text of each line.

        The dict is the one that is kept, and callers add to it. For another width than the last
        time it begins empty.
        """
        if self._rows_known[0] != width:
            self._rows_known = width, {}
        return self._rows_known[1]

    # -- going about -------------------------------------------------------------------------------

    def index_at(self, offset: int) -> int:
        """Return the index, from 0, of the step at an offset of the text, its heading included.

        Before the first heading that is 0.
        """
        index = bisect_right(self.steps, offset, key=attrgetter("heading_start")) - 1
        return max(index, 0)

    def last_users(self) -> Step | None:
        """Return the last step that is a user's plain words, no call or thought; None for none."""
        for step in reversed(self.steps):
            if step.turn.role == USER and not step.turn.does:
                return step
        return None
