"""What can be read beside the items of a cell: prompt and response by pages, words where they
stand, the material, the numbers of the session.
"""

from appellate.core import planted_errors
from appellate.core.cell import Cell
from appellate.core.messages import asked
from appellate.core.problem import Refused, many
from appellate.core.totals import SIGNED_OFF, measures_over, summary
from appellate.core.trace import Trace
from appellate.linear import cell_in_words
from appellate.linear.console import Console
from appellate.linear.linear_review import LinearReview
from appellate.session.review_session import ReviewSession
from appellate.session.workbench import Workbench
from appellate.ui.contract import Choice, KindLines, Paragraph
from appellate.ui.conversation import Left

BESIDE = 3  # lines of each text beside the response that are printed
AROUND = 80  # characters that are printed on either side of an item's words


class CellReading:
    """Prints what is asked for; changes nothing."""

    def __init__(
        self, bench: Workbench, session: ReviewSession, console: Console, review: LinearReview
    ) -> None:
        self._bench, self._workspace = bench, bench.workspace
        self._session = session
        self._console = console
        self._review = review

    def page(self, trace: Trace) -> None:
        """The newest turn of the prompt and the response, a page at a time."""
        prompt = asked(cell_in_words.turns(self._workspace.rubric, trace))
        text = prompt.newest.text if prompt else ""
        self._console.page(Paragraph(f"{text}\n\n{trace.response}", quoted=True))

    def evidence(self, trace: Trace, kind: KindLines) -> None:
        """The words of the item under the cursor, between what stands around them."""
        if kind.span is None:
            raise Refused("This item rests on no words of the response.")
        start, end = kind.span
        before, after = trace.response[:start], trace.response[end:]
        text = f"{before[-AROUND:]}[{trace.response[start:end]}]{after[:AROUND]}"
        self._console.show(Paragraph(" ".join(text.split()), quoted=True))

    def find(self, cell: Cell) -> None:
        """Words in the response, and in what else there is to read."""
        wanted = self._console.ask("Find> ").strip()
        if not wanted:
            raise Left
        subject, beside = cell.subject, 0
        found = cell_in_words.hits(subject.trace.response, wanted)
        for number, line in found:
            self._console.show(Paragraph(line, f"line {number}:", "key", quoted=True))
        for title, text in cell_in_words.material(
            self._workspace.rubric, subject.trace, subject.trait
        ):
            lines = cell_in_words.hits(text, wanted)
            beside += len(lines)
            for number, line in lines[:BESIDE]:
                self._console.show(Paragraph(line, f"{title}, line {number}:", "key", quoted=True))
        wording = f"{many(len(found), 'line')} with “{wanted}”"
        if beside:
            wording += f" in the response, {beside} in what K shows"
        self._console.say(f"{wording}.")

    async def material(self, cell: Cell) -> None:
        """Conversation, reference, documents: whichever is picked."""
        subject = cell.subject
        found = cell_in_words.material(self._workspace.rubric, subject.trace, subject.trait)
        if not found:
            raise Refused("There is nothing else to read: no reference, no documents.")
        choices = [Choice(str(at), "", title) for at, (title, _) in enumerate(found)]
        picked = found[0]
        if len(found) > 1:
            picked = found[int(await self._review.pick("What to read", choices))]
        self._console.page(Paragraph(f"{picked[0]}\n{picked[1]}", quoted=True))

    def beside_judge(self, cell: Cell) -> None:
        """The judge beside the verdict that was just locked."""
        self._console.show(*cell_in_words.beside_judge(cell, self._console.marks))

    def numbers(self) -> None:
        """How far one is, what each trait comes to, and what the judge is worth."""
        from appellate.linear.linear_worth import tell_worth  # estimates are slow to load

        for line in self._session.summary():
            self._console.say(line)
        for name in self._workspace.rubric.trait_names():
            text = ", ".join(self._of_trait(name))
            if text:
                self._console.show(Paragraph(text, f"{name}:", "strong"))
        if not self._workspace.totals().get("state:reviewed"):
            self._console.say("No cell is signed off: there are no audited numbers yet.")
        tell_worth(self._bench, self._console)

    def planted(self, cell: Cell) -> None:
        """That an error had been planted in a cell, where that came out just now."""
        if text := planted_errors.describe(cell):
            self._console.say(text)

    def signed(self) -> None:
        """How far one is, after a sign-off, and what there is to say of how it goes."""
        totals = self._workspace.totals()
        done, cells = totals.get("state:reviewed", 0), totals.get("cells", 0)
        self._console.say(f"Signed off: {done} of {many(cells, 'cell')}.")
        if warning := self._session.warning():
            self._console.say(f"{warning} Look again: , goes back.")

    def _of_trait(self, name: str) -> list[str]:
        """The measures of a trait over the cells signed off, beside the judge's."""
        held = [pair for pair in self._workspace.rubric.every_trait() if pair[1].name == name]
        totals = self._workspace.totals(name)
        texts = []
        for measure in measures_over(held[0][0], [trait for _, trait in held]):
            people, judge = (summary(totals, side, measure)["micro"] for side in SIGNED_OFF)
            if people is not None and judge is not None:
                text = f"{cell_in_words.number(people)} (judge {cell_in_words.number(judge)})"
                texts.append(f"{measure.name} {text}")
        return texts
