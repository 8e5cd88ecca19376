"""What stands above the rows of a scorer cell: the question, the score in large, what was
extracted, what it was compared with, and why.
"""

from textual.content import Content
from textual.widgets import Static

from appellate.core.ruling import LOCKS
from appellate.traits.scorer import view
from appellate.traits.scorer.labels import LETTERS, told
from appellate.traits.scorer.pane_keys import score_keys
from appellate.traits.scorer.pane_rows import ScoreRows, said_by
from appellate.ui.contract import Review
from appellate.ui.grouped_rows import fitting
from appellate.ui.text import inert, update_text

_LABEL = 10
_ROOMY = 10
"""Lines for the texts from which on the short ones may take two."""
_LEAST = 3
"""Lines that the texts get however many rows there are."""
_AROUND = 3
"""Lines of a pane that is not small for its score, and for what is left empty."""


class ScoreTexts:
    """The texts above the rows, each as far as there is room for it."""

    def __init__(self, review: Review, rows: ScoreRows) -> None:
        self._review = review
        self._rows = rows
        self.criterion = Static(id="criterion", markup=False)
        self.score = Static(id="score", markup=False)
        self.grounds = Static(id="grounds", markup=False)

    def draw(self, width: int, height: int) -> None:
        """Draws them in so many cells of a pane so high, whose rows come first."""
        around = 1 if self._rows.is_small else _AROUND
        left = max(height - self._rows.count - around, _LEAST)
        short = 2 if left > _ROOMY else 1
        trait = self._rows.trait
        self.criterion.display = bool(trait.description)
        if trait.description:
            question = fitting(Content(inert(trait.question)), width, max(left // 4, 1))
            update_text(self.criterion, question)
            left -= len(question.wrap(max(width, 1)))
        self.score.update(self._said(), layout=False)
        parts = [fitting(self._settings(), width, 1), *self._labelled(width, short)]
        left -= sum(len(part.wrap(max(width, 1))) for part in parts)
        parts.append(fitting(self._why(), width, max(left, 1)))
        told_ = Content("\n").join([part for part in parts if part.plain])
        update_text(self.grounds, told_)

    def detail(self) -> Content:
        """All there is to know, whole."""
        parts = [Content(inert(self._rows.trait.question)), self._settings()]
        parts += [*self._labelled(0, 0), self._why()]
        return Content("\n\n").join([part for part in parts if part.plain])

    def _said(self) -> Content:
        """The score in large, and whose word it is; of a dictionary the rows say it."""
        rows, labels = self._rows, self._rows.labels
        if not labels.is_judged:
            why = "Not scored: see below." if rows.cell.error else "Not scored yet."
            if rows.cell.hidden:
                why = "Blind: the score is yours first."
            return Content.assemble((f" {self._review.marks.none} ", "reverse"), f"  {why}")
        whose = self._whose()
        if not rows.is_single:
            return whose
        value = labels.standing.value
        words = ""
        if isinstance(value, str) and value in LETTERS:
            words = f"  {LETTERS[value]}"
        return Content.assemble((f"  {inert(told(value))}  ", "bold reverse"), words, "   ", whose)

    def _whose(self) -> Content:
        """Who says so, and what was said before a person did."""
        labels = self._rows.labels
        if self._rows.cell.hidden:
            return Content.styled("not locked yet", "$muted")
        if labels.proposed is None:
            return Content.styled("by hand", "$muted")
        source = said_by(self._rows.trait)
        if not labels.is_overruled:
            return Content.styled(f"as the {source} says", "$muted")
        how = "by hand"
        if labels.standing.answer != labels.proposed.answer:
            how = "answer by hand"
        if self._rows.is_single:
            how += f" · was {inert(told(labels.proposed.value) or 'unscored')}"
        return Content.styled(how, "$state-corrected")

    def _settings(self) -> Content:
        return Content.styled(inert(view.settings_told(self._rows.trait)), "$muted")

    def _labelled(self, width: int, height: int) -> list[Content]:
        """What was extracted and what it was compared with, behind their names."""
        rows = self._rows
        labels, trace = rows.labels, rows.cell.subject.trace
        found = []
        told_ = {
            "extracted": rows.extracted,
            "target": view.target_told(rows.trait, labels, trace),
        }
        if labels.proposed and labels.standing.answer != labels.proposed.answer:
            told_["extracted"] += f" (was {view.extracted_told(rows.trait, labels.proposed)})"
        if not labels.is_judged:
            del told_["extracted"]
        for name, words in told_.items():
            if words:
                text = Content.assemble((f"{name:<{_LABEL}}", "$muted"), inert(words))
                found.append(fitting(text, width, height))
        return found

    def _why(self) -> Content:
        """Why it matched or did not; where there is no score, what can be done and what went
        wrong.
        """
        rows, labels = self._rows, self._rows.labels
        if labels.is_judged:
            parts = []
            if labels.is_overruled and rows.why_by_hand():
                reason = f"because: {inert(rows.why_by_hand())}"
                parts.append(Content.styled(reason, "$state-corrected"))
            why = labels.standing.why
            if not why and labels.proposed:
                why = labels.proposed.why
            if why:
                label = (f"{said_by(rows.trait):<{_LABEL}}", "$muted")
                lines = [line for line in inert(why).splitlines() if line.strip()]
                parts.append(Content.assemble(label, "\n".join(lines)))
            return Content("\n").join(parts)
        if rows.cell.hidden:
            told = score_keys(rows.sort, rows.given, self._review.keys)
            return Content(f"{told} gives it, {LOCKS}")
        again = "J has it scored"
        if rows.cell.error:
            again = "J tries again"
        told = score_keys(rows.sort, rows.given, self._review.keys)
        keys = Content(f"{again}; {told} gives the score by hand.")
        if not rows.cell.error:
            return keys
        wrong = Content.styled(inert(rows.cell.error.error), "$state-failed")
        return Content("\n").join([keys, wrong])
