"""What stands around the rows of an LLM cell: the criterion, the verdict in large, the reason."""

from collections.abc import Iterable

from textual.content import Content
from textual.widgets import Static

from appellate.core.ruling import LOCKS
from appellate.traits.llm.pane_rows import VerdictRows
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.pane_corrections import whose
from appellate.traits.verdict.scale import better, has_digits, meaning_of, question_of
from appellate.ui.contract import Review
from appellate.ui.grouped_rows import fitting
from appellate.ui.key import Key
from appellate.ui.text import inert, update_text

_PARTS, _FEW = (3, 4), (5, 6)
"""The parts of the pane that the question and the reason may take; of a small one."""


class VerdictText:
    """The texts above the rows, each as far as there is room for it."""

    def __init__(self, review: Review, rows: VerdictRows) -> None:
        self._review = review
        self._rows = rows
        self.criterion = Static(id="criterion", markup=False)
        self.verdict = Static(id="verdict", markup=False)
        self.reason = Static(id="reason", markup=False)

    def draw(self, width: int, height: int) -> None:
        """Draws them in so many cells of a pane so high."""
        of_question, of_reason = _PARTS
        if self._rows.is_small:
            of_question, of_reason = _FEW
        question = Content(inert(question_of(self._rows.trait)))
        update_text(self.criterion, fitting(question, width, max(height // of_question, 2)))
        self.verdict.update(self._wording(), layout=False)
        _put(self.reason, fitting(self._why(), width, max(height // of_reason, 1)))

    def detail(self) -> Content:
        """All there is to know: the criterion, the judge's reason, what is under the cursor."""
        question = Content(inert(question_of(self._rows.trait)))
        parts = [question, self._why()]
        excerpt, option = self._rows.excerpt, self._rows.option
        if excerpt:
            parts.append(Content(inert(excerpt.text)))
        elif option is not None:
            parts.append(Content(inert(meaning_of(self._rows.trait, option))))
        return Content("\n\n").join([part for part in parts if part.plain])

    def _wording(self) -> Content:
        """The verdict in large, and what the judge said where that is something else."""
        rows, trait = self._rows, self._rows.trait
        value, judged = rows.labels.value, rows.found
        if value is None:
            why = "The judge failed here." if rows.cell.error else "Not judged yet."
            if rows.cell.hidden:
                why = "Blind: the verdict is yours first."
            return Content.assemble((f" {self._review.marks.none} ", "reverse"), f"  {why}")
        text = inert(trait.describe(value))
        if trait.kind == "boolean":
            text = text.upper()
        scale = ""
        if trait.kind == "score":
            scale = f"  of {trait.low}–{trait.high}"
        if rows.is_small:
            scale += f"  {better(trait)}"
        said = whose(trait, value, judged, "judge")
        who = (f"   {inert(said)}", "$muted" if judged in (None, value) else "$state-corrected")
        if rows.cell.hidden:
            who = ("   not locked yet", "$muted")
        return Content.assemble((f"  {text}  ", "bold reverse"), scale, who)

    def _why(self) -> Content:
        """The judge's reason; where there is no verdict, what can be done and why there is none."""
        cell = self._rows.cell
        if self._rows.labels.value is not None:
            if cell.judge and cell.judge.table.get("rationale"):
                return Content(f"judge: {inert(str(cell.judge.table['rationale']))}")
            return Content()
        keys = verdict_keys(self._rows.trait, self._review.keys)
        if cell.hidden:
            return Content(f"{keys} gives it, {LOCKS}")
        if cell.error:
            return Content(f"J asks again; {keys} answers by hand.\n{inert(cell.error.error)}")
        return Content(f"J has it judged; {keys} answers by hand.")


def _put(widget: Static, content: Content) -> None:
    """Shows a text, or nothing at all where there is none."""
    widget.display = bool(content.plain)
    update_text(widget, content)


def verdict_keys(trait: LLMRubricTrait, keys: Iterable[Key]) -> str:
    """The keys that give a verdict: `1 2`, `1-5`, or `i` for the list."""
    shown = {key.id: key.shown for key in keys}
    if not has_digits(trait):
        return shown.get("llm.pick", "i")
    if trait.kind == "boolean":
        return f"{shown.get('llm.1', '1')} {shown.get('llm.2', '2')}"
    first, last = trait.low, trait.high
    if trait.kind == "literal":
        first, last = 1, len(trait.values)
    return f"{shown.get(f'llm.{first}', first)}-{shown.get(f'llm.{last}', last)}"
