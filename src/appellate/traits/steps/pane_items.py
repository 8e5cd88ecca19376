"""Keeps the steps of a run as rows under a cursor, for pane and lines."""

from collections.abc import Callable, Mapping, Sequence

from appellate.core.cell import Cell, latest_reason
from appellate.core.deciding import AT_WORK, locking_text
from appellate.core.kind import CANNOT_TELL, Table
from appellate.core.transcript import Step
from appellate.traits.steps.edits import NO_ERROR, Edit
from appellate.traits.steps.labels import Labels, StepLabel, all_right
from appellate.traits.steps.measures import checks, first_wrong
from appellate.traits.steps.spec import StepsRubricTrait
from appellate.ui.contract import Evidence, NamedItems, Place, Review, keyed
from appellate.ui.marks import Marks, spelt
from appellate.ui.rows import DrawnRows, Group, ListRow, RowCursor, StyledText

STEPS = "steps"
ASTRAY = "astray"
"""The groups of the run's steps, and of those that it has not as they were labelled."""
SHOWN_LETTERS = 160
"""Letters of a step that its row gets: two lines, since the conversation beside it has them all."""
READ_LETTERS = 1000
"""Letters of a step that are looked at for its row: many of them may be blanks."""
Cursor = RowCursor[StepLabel]
Paragraph = tuple[StyledText, ...]


class StepRows(NamedItems):
    """The steps that get a verdict as rows under one cursor. `cursor` makes the list."""

    evidence: Sequence[Evidence] = ()
    """The headings of the steps in the conversation, in the styles of their verdicts."""

    def __init__(
        self,
        review: Review,
        cursor: Callable[["StepRows", Marks], Cursor],
    ) -> None:
        """Make rows of no steps, under the cursor that `cursor` makes; `draw` shows them."""
        self.review = review
        self.say = review.say
        self.marks = review.marks
        self.rows = cursor(self, review.marks)
        self.labels = Labels()
        self._judged: Labels | None = None
        self._steps: dict[int, Step] = {}

    # -- the cell ---------------------------------------------------------------------------------

    @property
    def trait(self) -> StepsRubricTrait:
        """The trait of the cell that is shown. Raises LookupError before there is one."""
        trait: StepsRubricTrait = self.shown.subject.trait
        return trait

    @property
    def shown(self) -> Cell:
        """The cell that is shown. Raises LookupError before there is one."""
        if self.cell is None:
            raise LookupError("no cell is shown")
        return self.cell

    @property
    def is_labelled(self) -> bool:
        """Whether somebody labelled the cell in sight."""
        return self.shown.labels is not None and not self.shown.labels.is_blank

    def show(self, cell: Cell, *, fresh: bool) -> None:
        """Show a cell, a fresh one with the cursor on its first step that is not right.

        Without such a step it is on the first one; otherwise the cursor stays.
        """
        self.cell = cell
        subject = cell.subject
        self._steps = {}
        if subject.transcript is not None:
            self._steps = {step.no: step for step in subject.transcript.steps}
        self.labels = cell.labels or Labels()
        if not self.is_labelled:
            self.labels = Labels(all_right(subject.trait, subject.trace))
        self._judged = cell.judge_labels if cell.judge and not cell.hidden else None
        self._mark_headings()
        self.draw()
        if not fresh:
            return
        self.rows.step_to(0)
        if self.is_labelled and self.labels.not_right:
            first_not_right = self.labels.not_right[0]
            self.rows.step_to(self.labels.steps.index(first_not_right))

    def draw(self) -> None:
        """Make all rows again, with the cursor where it is.

        The rows are in the group "steps". Steps that are not in the run, or have other words there,
        have the group "astray" below.
        """
        self.rows.things = {STEPS: self.labels.steps}
        rows = DrawnRows(self.labels.steps, self.row)
        empty = "(no step of this run gets a verdict)"
        groups = [Group(STEPS, "", rows, empty=empty)]
        if self.labels.astray:
            self.rows.things[ASTRAY] = self.labels.astray
            title = "Not in this run as it is now: not counted"
            groups.append(Group(ASTRAY, title, DrawnRows(self.labels.astray, self.row)))
        self.rows.show_groups(groups)

    def redraw(self) -> None:
        self.draw()

    def places(self, step: StepLabel) -> Sequence[str]:
        """Return nothing: steps are not marked, each has a verdict of its own."""
        return ()

    def sign_of(self, step: StepLabel) -> StyledText:
        """Return the sign of a step whose label a person changed from the judge's, or a blank.

        It is a blank, too, while the judge is hidden, and if no judge labelled the step.
        """
        if self.was(step):
            return StyledText(self.marks.moved, "corrected")
        return StyledText(" ")

    # -- rows -------------------------------------------------------------------------------------

    def row(self, step: StepLabel) -> ListRow:
        """Return the row of a step: its number, verdict and words, and at its end what was changed.

        That is what it was before, as "was wrong". Below are the verdict and error of a step that
        is not right, and what would have been right instead. The judge's reason is there only under
        the cursor.
        """
        style, mark = self._style_and_mark(step)
        below: list[Paragraph] = []
        said = self.describe(step)
        if said:
            below.append((StyledText(said, style),))
        if step.instead:
            below.append((StyledText("instead: ", "key"), StyledText(step.instead)))
        under_cursor: list[Paragraph] = []
        if step.rationale:
            under_cursor.append((StyledText(f"judge: {step.rationale}", "muted"),))
        right: list[StyledText] = []
        was = self.was(step)
        if was:
            change = spelt(was, self.marks)
            right.append(StyledText(f" {change}", "corrected"))
        number = StyledText(f"{step.no:>3} ", "key")
        verdict = StyledText(f"{mark} ", style)
        return ListRow(
            self.words(step),
            (number, verdict),
            tuple(right),
            below=tuple(below),
            under_cursor=tuple(under_cursor),
            sign=self.sign_of(step),
        )

    def words(self, step: StepLabel) -> str:
        """Return who took a step, what it does if it is no message, and its words, in one line.

        As "WebSurfer: I will search". Of long words only the beginning is read and shown, with an
        ellipsis. The only assistant of a run is not named, and its empty message is "(no words)".
        Returns "(not in this run)" for a step that the run lacks and for one of the labels' astray
        steps.
        """
        known = self._steps.get(step.no)
        if known is None or step in self.labels.astray:
            return "(not in this run)"
        turn = known.turn
        end = min(known.end, known.start + READ_LETTERS)
        beginning = self.shown.subject.text[known.start : end]
        line = " ".join(beginning.split())
        if len(line) > SHOWN_LETTERS or end < known.end:
            line = line[:SHOWN_LETTERS].rstrip() + self.marks.ellipsis
        speaker = " ".join(f"{turn.name} {turn.does}".split())
        if speaker and line:
            return f"{speaker}: {line}"
        return speaker or line or "(no words)"

    def _style_and_mark(self, step: StepLabel) -> tuple[str, str]:
        """Return the style of a step's verdict and its mark; those of an open one without labels.

        All verdicts that are neither the good one, the wrong one nor "cannot tell" look alike.
        """
        if not self.is_labelled:
            return "muted", self.marks.open
        if step.verdict == CANNOT_TELL:
            return "flag", self.marks.doubt
        if step.is_right:
            return "tp", self.marks.tp
        if step.verdict == self.trait.wrong:
            return "fp", self.marks.fp
        return "fn", self.marks.tn

    def describe(self, step: StepLabel) -> str:
        """Return the verdict and the error of a step that is not right, as "wrong · loops".

        Returns "" for a right step, and for all steps of a run that nobody labelled.
        """
        if step.is_right or not self.is_labelled:
            return ""
        return " · ".join(filter(None, (step.verdict, step.error)))

    def was(self, step: StepLabel) -> str:
        """Return what the judge said of a step if it was changed, as "was wrong"; else "".

        A changed verdict is told, else a changed error, as "was loops", else a changed alternative,
        as "changed instead". The person's reason follows, if one was given: "was wrong · it is
        right". "" too before there is a cell, and in one whose judge is hidden or did not label the
        step.
        """
        if self._judged is None or not self.is_labelled:
            return ""
        before = self._judged.find(step.no, step.sha)
        if before is None:
            return ""
        text = ""
        if before.verdict != step.verdict:
            text = f"was {before.verdict}"
        elif before.error != step.error:
            error = before.error or NO_ERROR
            text = f"was {error}"
        elif before.instead != step.instead:
            text = "changed instead"
        if not text:
            return ""
        reason = self._reason(step)
        return f"{text} · {reason}" if reason else text

    def _reason(self, step: StepLabel) -> str:
        """Return the reason given for the latest correction of a step that has one, or "".

        Corrections that are undone do not count.
        """

        def is_about_step(edit: object) -> bool:
            return isinstance(edit, Edit) and edit.step == step.no

        return latest_reason(self.shown, is_about_step)

    def _mark_headings(self) -> None:
        """Set `evidence` to the headings of the run's steps, to be marked in the conversation.

        Those of right steps, and all of a run that nobody labelled, have no style.
        """
        evidence: list[Evidence] = []
        for index, label in enumerate(self.labels.steps):
            step = self._steps.get(label.no)
            if step is None:
                continue
            style, mark = self._style_and_mark(label)
            if not self.is_labelled or label.is_right:
                style = ""
                mark = ""
            elif style == "fp":
                mark = ""  # the conversation draws that of wrong words itself
            place = (STEPS, index)
            evidence.append(
                Evidence(step.heading_start, step.heading_end, style, mark, place),
            )
        self.evidence = evidence

    # -- the run in words -------------------------------------------------------------------------

    def ending(self) -> str:
        """Return how the run ended, as "Outcome: solved"; "" if the trait does not ask.

        If nobody said it, the text names the key to say it: "Outcome: not said (o)".
        """
        if not self.trait.outcome:
            return ""
        if self.labels.outcome:
            return f"Outcome: {self.labels.outcome}"
        key = keyed("{steps.outcome:o}", self.review)
        return f"Outcome: not said ({key})"

    def counted(self) -> str:
        """Return how many steps are right, and the first wrong one: "3/4 right, first wrong 6".

        The last is the step's number in the conversation. A step that cannot be told is one of all,
        and not right. The trait's own names of the two verdicts are used. Without a wrong step the
        second part is left out.
        """
        steps = self.labels.steps
        right_count = sum(step.is_right for step in steps)
        text = f"{right_count}/{len(steps)} {self.trait.good}"
        first = first_wrong(self.trait, self.labels)
        if first is not None:
            text += f", first {self.trait.wrong} {first.no}"
        return text

    def why_unlabelled(self) -> str:
        """Return why the cell has no labels, and which keys do something about it.

        For example "Not judged yet: J has it judged; 1 2 3 answer by hand; steps that you leave are
        right." After a judge's failure its error follows on a line of its own.
        """
        cell = self.shown
        verdict_count = len(self.trait.verdicts)
        digits = [f"{{steps.{no}:{no}}}" for no in range(1, verdict_count + 1)]
        keys = keyed(" ".join(digits), self.review)
        answer = f"{keys} answer by hand; steps that you leave are {self.trait.good}"
        judge = keyed("{cell.judge:J}", self.review)
        if cell.hidden:
            return keyed(f"{answer}. {locking_text(cell)}", self.review)
        if cell.error:
            return f"{judge} asks again; {answer}.\n{cell.error.error}"
        if self.review.judging:
            return f"{AT_WORK}; {answer}."
        return f"Not judged yet: {judge} has it judged; {answer}."

    def doubts(self) -> str:
        """Return what is odd in the labels, in sentences; "" for nothing."""
        if self.cell is None or not self.is_labelled:
            return ""
        return " ".join(check.sentence for check in checks(self.labels))

    # -- the cursor -------------------------------------------------------------------------------

    @property
    def step(self) -> StepLabel | None:
        """The step under the cursor, or None."""
        return self.rows.here

    @property
    def place(self) -> Place:
        """The place of the step under the cursor: its group, and its index there from 0.

        The group is "steps", or "astray" for a step that is not in the run. It is ("", 0) if there
        is no step.
        """
        if self.step is None:
            return "", 0
        return self.rows.key, self.rows.index

    def go(self, group: str, number: int) -> None:
        """Move the cursor to the step at an index (from 0) of the group "steps" or "astray".

        The cursor stays if no step is there.
        """
        if number < len(self.rows.things.get(group, ())):
            self.rows.put(group, number)

    def named(self) -> Mapping[str, Place]:
        """Return the places of the run's own steps by their numbers: {"3": ("steps", 0)}.

        They are the items of which it is counted how many were seen.
        """
        return {
            str(step.no): (STEPS, index) for index, step in enumerate(self.labels.steps)
        }

    @property
    def names_here(self) -> Sequence[str]:
        """The number of the step under the cursor as text, in a list; empty if no step is there."""
        return [str(self.step.no)] if self.step is not None else []

    def to_next_not_right(self) -> str:
        """Move the cursor to the next step that is not right, and from the last to the first.

        Steps that are not in the run, or have other words there, come after the run's own. Returns
        "" if there is such a step. Otherwise the cursor stays, and the sentence returned says that
        every step is right, or that the run has no labels.
        """
        if not self.is_labelled:
            return "No step has a verdict yet."
        steps = self.rows.every
        # the last is the step under the cursor
        for distance in range(1, len(steps) + 1):
            position = (self.rows.at + distance) % len(steps)
            if not steps[position].is_right:
                self.rows.step_to(position)
                return ""
        return f"Every step is {self.trait.good}."

    def to_step(self, number: int) -> bool:
        """Put the cursor on the step with a number; return whether there is one.

        Steps of the run come before those that are not in it, or have other words there. Without
        such a step the cursor stays.
        """
        for position, step in enumerate(self.rows.every):
            if step.no == number:
                self.rows.step_to(position)
                return True
        return False

    def follow(self, edit: Table, before: Cell, *, turned: bool) -> None:
        """Put the cursor on the step of a correction if that was just undone or redone (`turned`).

        The cursor stays for a new correction, and for one of the outcome.
        """
        step_no = edit.get("step")
        if turned and step_no is not None:
            self.to_step(step_no)
