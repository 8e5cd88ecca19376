"""Ruling line by line on what two reviewers differ in, who are 1 and 2 until it is locked."""

from collections.abc import Sequence
from time import monotonic

from appellate.core.kind import Instruction
from appellate.core.problem import Refused
from appellate.core.wordforms import many
from appellate.linear.console import Console
from appellate.linear.linear_review import LinearReview
from appellate.session.adjudicating import BOTH, Adjudicating, ContestedCell
from appellate.session.workbench import Workbench
from appellate.ui.contract import Choice, Paragraph

ON_SCREEN = "What each judge proposed is compared on the screen: appellate review without --lines."
WHOLE = [
    Choice("0", "1", "all of 1"),
    Choice("1", "2", "all of 2"),
    Choice("rows", "r", "row by row"),
    Choice("own", "e", "none: label the cell yourself, a then rules"),
]


class LinearRuling:
    """Tells both label sets of a contested cell, and asks what holds."""

    def __init__(self, bench: Workbench, console: Console, review: LinearReview) -> None:
        self._bench, self._console, self._review = bench, console, review

    def tell(self, no: int) -> None:
        """Says that a cell waits for a ruling, where it does."""
        cell = self._bench.open(no)[1]
        if cell.contest and cell.hidden:
            self._console.say("Two reviewers differ here: V shows both, and asks what holds.")

    async def here(self, no: int) -> None:
        """Rules on a cell; raises Refused where nothing is contested."""
        adjudicating = Adjudicating(self._bench)
        here = adjudicating.cell(no)
        if here.cell.contest is None:
            raise Refused(ON_SCREEN)
        names, began = adjudicating.names(here.cell), monotonic()
        for question in here.questions:
            self._tell(here, question, names)
        if not here.cell.hidden:
            self._console.say(f"Ruled. Held: {adjudicating.upheld(here.cell)}.")
            return
        if self._bench.readonly or not await self._pick(here):
            return
        change = adjudicating.rule(here, "", monotonic() - began)
        left = many(len(adjudicating.left), "cell")
        held = adjudicating.upheld(change.after)
        self._console.say(f"Ruled. Held: {held}. r says why. {left} left: n is the next.")

    async def _pick(self, here: ContestedCell) -> bool:
        """Asks what holds; false where the cell is to be labelled by hand."""
        choices = [*WHOLE]
        if here.cell.labels is not None:
            choices.append(Choice("mine", "m", "the labels that you made in the cell"))
        picked = await self._review.pick("What holds", choices)
        if picked == "own":
            self._console.say("Label it, then a rules on it.")
            return False
        if picked == "rows":
            for question in here.questions:
                sides = [
                    Choice(str(side), str(side + 1), here.answer(side, question)) for side in BOTH
                ]
                here.pick(int(await self._review.pick(question.text, sides)), question)
        elif picked != "mine":
            here.pick(int(picked))
        return True

    def _tell(self, here: ContestedCell, question: Instruction, names: Sequence[str]) -> None:
        """A question, and how each answers it, with the words that bear it out."""
        show = self._console.show
        show(Paragraph(question.text, ""))
        response = here.cell.subject.trace.response
        for side in BOTH:
            words = [response[start:end] for start, end in here.grounds(side, question).spans]
            text = here.answer(side, question)
            if words:
                text += f": “{'” “'.join(words)}”"
            show(Paragraph(text, f"  {names[side]}:", "key"))
        if not here.cell.hidden:
            show(Paragraph(f"  {here.verdict(question)}"))
