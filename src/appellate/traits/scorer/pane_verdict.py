"""What stands above the rows of a scorer cell: the question, the score in large, what was
extracted, what it was compared with, and why.
"""

from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from appellate.core.ruling import LOCKS
from appellate.traits.scorer import view
from appellate.traits.scorer.labels import LETTERS, value_text
from appellate.traits.scorer.pane_keys import score_keys
from appellate.traits.scorer.pane_rows import ScoreRows, source_of
from appellate.traits.verdict.pane_corrections import reason_given
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

    def __init__(self, rows: ScoreRows) -> None:
        self._rows = rows
        self.criterion = Static(id="criterion", markup=False)
        self.score = Static(id="score", markup=False)
        self.grounds = Static(id="grounds", markup=False)
        self.widgets = [self.criterion, self.score, self.grounds]

    def draw(self, size: Size) -> None:
        """Draws them in a pane of this size, whose rows come first."""
        width, height = size.width - 2, size.height
        around = 1 if self._rows.is_small else _AROUND
        left = max(height - self._rows.count - around, _LEAST)
        short = 2 if left > _ROOMY else 1
        trait = self._rows.trait
        self.criterion.display = bool(trait.description)
        if trait.description:
            question = fitting(Content(inert(trait.question)), width, max(left // 4, 1))
            update_text(self.criterion, question)
            left -= len(question.wrap(max(width, 1)))
        self.score.update(self._wording(), layout=False)
        parts = [fitting(self._settings(), width, 1), *self._labelled(width, short)]
        left -= sum(len(part.wrap(max(width, 1))) for part in parts)
        parts.append(fitting(self._why(), width, max(left, 1)))
        content = Content("\n").join([part for part in parts if part.plain])
        update_text(self.grounds, content)

    def detail(self) -> Content:
        """All there is to know, whole."""
        parts = [Content(inert(self._rows.trait.question)), self._settings()]
        parts += [*self._labelled(0, 0), self._why()]
        return Content("\n\n").join([part for part in parts if part.plain])

    def _wording(self) -> Content:
        """The score in large, and whose word it is; of a dictionary the rows say it."""
        rows, labels = self._rows, self._rows.labels
        if not labels.is_judged:
            why = "Not scored: see below." if rows.cell.error else "Not scored yet."
            if rows.cell.hidden:
                why = "Blind: the score is yours first."
            return Content.assemble((f" {self._rows.review.marks.none} ", "reverse"), f"  {why}")
        whose = self._whose()
        if not rows.is_single:
            return whose
        value = labels.standing.value
        words = ""
        if isinstance(value, str) and value in LETTERS:
            words = f"  {LETTERS[value]}"
        return Content.assemble(
            (f"  {inert(value_text(value))}  ", "bold reverse"), words, "   ", whose
        )

    def _whose(self) -> Content:
        """Who says so, and what was said before a person did."""
        labels = self._rows.labels
        if self._rows.cell.hidden:
            return Content.styled("not locked yet", "$muted")
        if labels.proposed is None:
            return Content.styled("by hand", "$muted")
        source = source_of(self._rows.trait)
        if not labels.is_overruled:
            return Content.styled(f"as the {source} says", "$muted")
        how = "by hand"
        if labels.standing.answer != labels.proposed.answer:
            how = "answer by hand"
        if self._rows.is_single:
            how += f" · was {inert(value_text(labels.proposed.value) or 'unscored')}"
        return Content.styled(how, "$state-corrected")

    def _settings(self) -> Content:
        return Content.styled(inert(view.settings_text(self._rows.trait)), "$muted")

    def _labelled(self, width: int, height: int) -> list[Content]:
        """What was extracted and what it was compared with, behind their names."""
        rows = self._rows
        labels, trace = rows.labels, rows.cell.subject.trace
        found = []
        fields = {
            "extracted": rows.extracted,
            "target": view.target_text(rows.trait, labels, trace),
        }
        if labels.proposed and labels.standing.answer != labels.proposed.answer:
            fields["extracted"] += f" (was {view.extracted_text(rows.trait, labels.proposed)})"
        if not labels.is_judged:
            del fields["extracted"]
        for name, words in fields.items():
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
            if labels.is_overruled and reason_given(rows.cell):
                reason = f"because: {inert(reason_given(rows.cell))}"
                parts.append(Content.styled(reason, "$state-corrected"))
            why = labels.standing.why
            if not why and labels.proposed:
                why = labels.proposed.why
            if why:
                label = (f"{source_of(rows.trait):<{_LABEL}}", "$muted")
                lines = [line for line in inert(why).splitlines() if line.strip()]
                parts.append(Content.assemble(label, "\n".join(lines)))
            return Content("\n").join(parts)
        if rows.cell.hidden:
            text = score_keys(rows.sort, rows.given, self._rows.review.keys)
            return Content(f"{text} gives it, {LOCKS}")
        again = "J has it scored"
        if rows.cell.error:
            again = "J tries again"
        text = score_keys(rows.sort, rows.given, self._rows.review.keys)
        keys = Content(f"{again}; {text} gives the score by hand.")
        if not rows.cell.error:
            return keys
        wrong = Content.styled(inert(rows.cell.error.error), "$state-failed")
        return Content("\n").join([keys, wrong])
