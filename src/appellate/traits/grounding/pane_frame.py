"""What stands around the two texts of a grounding cell: tabs, what the judge says of all of it, and
what contradicts itself.
"""

from textual.content import Content
from textual.widgets import Static

from appellate.core.ruling import LOCKS
from appellate.traits.grounding.pane_items import TwoTexts
from appellate.ui.contract import Review
from appellate.ui.grouped_rows import fitting
from appellate.ui.text import entitle, inert, update_text

EDGES = 4  # cells around a title, and between the names of texts
PART = 13
"""The part of the height that each of these texts has at most."""


class AroundTexts:
    """The texts, each as far as there is room for it."""

    def __init__(self, review: Review, texts: TwoTexts) -> None:
        self._review = review
        self._texts = texts
        self.tabs = Static(id="tabs", markup=False)
        self.overall = Static(id="overall", classes="told", markup=False)
        self.relevance = Static(id="relevance", classes="told", markup=False)
        self.breaches = Static(id="breaches", classes="told breach", markup=False)

    def draw(self, width: int, height: int, *, one: bool) -> None:
        """Draws them in so many cells of a pane so high; `one`: beside one text at a time, where
        only what contradicts itself is told, or why there is nothing.
        """
        room = max(height // PART, 1)
        if one:
            self.tabs.update(self._tabs(width), layout=False)
        entitle(self._texts.sources, self._counts(width - EDGES))
        blank = self._texts.grounded.cell.labels is None
        _put(self.overall, self._overall(), width, room + blank, shown=blank or not one)
        _put(self.relevance, self._relevance(), width, room, shown=not one)
        _put(self.breaches, self._breaches(), width, room, shown=True)

    def _counts(self, room: int) -> str:
        """How many sentences are marked so; in letters where the words have no room."""
        grounded = self._texts.grounded
        relevant, utilized = len(grounded.relevant), len(grounded.utilized)
        for marked in (f"{relevant} relevant, {utilized} utilized", f"{relevant} R {utilized} U"):
            text = f"Documents {marked} of {len(grounded.sources)}"
            if len(text) <= room:
                break
        return text

    def _tabs(self, width: int) -> Content:
        """The names of the texts with what there is to count, the one in sight seen."""
        grounded = self._texts.grounded
        response = f" Response {grounded.counted()} "
        names = [response, f" {self._counts(width - len(response) - EDGES)} "]
        here = int(self._texts.in_documents)
        styles = ["", ""]
        styles[here] = "bold reverse"
        one, other = zip(names, styles, strict=True)
        return Content.assemble(one, "  ", other)

    def _overall(self) -> Content:
        """What the judge says of the response as a whole; or why there is nothing, and what to
        do.
        """
        grounded = self._texts.grounded
        cell, labels = grounded.cell, grounded.labels
        if cell.labels is None:
            keys = "1 2 3 answer by hand, sentence by sentence."
            if cell.hidden:
                return Content(f"1 2 3 answer, sentence by sentence; {LOCKS}")
            if cell.error:
                return Content(f"J asks again; {keys}\n{inert(cell.error.error)}")
            return Content(f"Not judged yet: J has it judged; {keys}")
        fields = {True: "judge: all of it is supported", False: "judge: not all of it is supported"}
        judged = grounded.judged or labels
        text = "" if judged.overall is None else fields[judged.overall]
        return Content(inert(": ".join(filter(None, (text, judged.overall_explanation)))))

    def _relevance(self) -> Content:
        judged = self._texts.grounded.judged or self._texts.grounded.labels
        text = judged.relevance_explanation
        if not text:
            return Content()
        return Content(inert(f"judge: {text}"))

    def _breaches(self) -> Content:
        """What contradicts itself, and is of no one sentence."""
        found = self._texts.grounded.problems.get("", ())
        return Content(inert("\n".join(f"{self._review.marks.doubt} {one}" for one in found)))

    def detail(self) -> Content:
        """All there is to know: the sentence under the cursor, then what the judge said of all."""
        texts, grounded = self._texts, self._texts.grounded
        key = texts.claim
        if texts.in_documents:
            key = texts.source
        sentence = grounded.sentences.find(key)
        lines = [f"{key} {sentence.text}"] if sentence else []
        if sentence and not texts.in_documents:
            lines.append(grounded.describe(key))
            why = grounded.why(key)
            if why:
                lines.append(f"judge: {why}")
            lines += [f"{link.key} {link.text}" for link in grounded.links(key)]
        if sentence:
            lines += grounded.problems.get(key, ())
        parts = [Content(inert("\n".join(lines)))]
        parts += [self._overall(), self._relevance(), self._breaches()]
        return Content("\n\n").join([part for part in parts if part.plain])


def _put(widget: Static, content: Content, width: int, height: int, *, shown: bool) -> None:
    """Shows as much of a text as fits, or nothing at all where there is none."""
    widget.display = shown and bool(content.plain)
    if widget.display:
        update_text(widget, fitting(content, width, height))
