"""Corrects an LLM cell by keys, on the screen and in line mode.

Each correction is a coroutine that asks for what it lacks and makes one request.
"""

from typing import Any

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import read_name
from appellate.core.problem import many
from appellate.traits.llm.edits import Action, Edit
from appellate.traits.llm.labels import Excerpt
from appellate.traits.verdict.pane_corrections import VerdictCorrections, VerdictInSight
from appellate.ui.key import Act, Key, Strip, in_group

TAKES = (
    "A digit gives the verdict on these words, {llm.add:+} takes them as evidence; "
    "{select.leave:Esc} leaves."
)
UNVERIFIED = (
    "not found in the response: check it, reword it ({llm.reword:e}) or drop it"
    " ({llm.drop:d})"
)


class ExcerptsInSight(VerdictInSight):
    """The verdict of a judge, and its excerpts."""

    @property
    def found(self) -> Any:
        """The verdict that the judge gave; None if no judge gave one or no cell is shown."""
        judge = self.cell.judge if self.cell else None
        return self.kind.value(self.trait, judge.table) if judge else None

    @property
    def excerpt(self) -> Excerpt | None:
        """The excerpt under the cursor; None on a verdict, and if there is no excerpt."""
        group, number = self.place
        return (
            self.labels.evidence[number]
            if group == "evidence" and self.labels.evidence
            else None
        )

    @property
    def stretches(self) -> list[tuple[int, int] | None]:
        """The spans of the excerpts; None for one that is not in the response."""
        return [excerpt.span for excerpt in self.labels.evidence]

    def follow_edit(self, edit: Edit) -> None:
        """Move the cursor to the verdict that was given, or to the excerpt that was changed.

        It stays if the excerpt is not there, as after a drop.
        """
        if edit.action == "set":
            self._cursor.to_verdict()
        elif edit.span in self.stretches:
            self.go("evidence", self.stretches.index(edit.span))
        elif edit.action == "reword":
            self.go("evidence", edit.index)


class OfExcerpts:
    """Sentences about a cell's excerpts, for pane and lines."""

    sight: Any

    def doubts(self) -> str:
        """Return how many excerpts are not in the text, in a sentence; "" if all are."""
        missing_count = self.sight.stretches.count(None)
        if not missing_count:
            return ""
        return f"{many(missing_count, 'excerpt')} not in the {read_name(self.sight.trait)}."

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        """Return sentences on what a correction left as it was; empty for nothing.

        `before` and `after` are the cell before and after it.
        """
        blank = self.sight.kind.blank
        return list(
            self.sight.kind.remarks(
                self.sight.trait, before.labels or blank, after.labels or blank
            )
        )

    def found_again(self, edit: Edit, now: Cell) -> Edit:
        """Return an edit with the index that its excerpt has now.

        The excerpt is found by its words. If they are at the index still, or nowhere, the edit is
        returned as it is.
        """
        texts = [
            excerpt.text for excerpt in (now.labels or self.sight.kind.blank).evidence
        ]
        if edit.seen in texts and texts[edit.index : edit.index + 1] != [edit.seen]:
            return replace(edit, index=texts.index(edit.seen))
        return edit


class JudgedCorrections(VerdictCorrections):
    """The acts of keys on the verdict, and on the excerpt under the cursor."""

    def begun(self) -> Edit | None:
        """Return an edit for a verdict, with the selected words if a person is selecting some.

        The selection is ended. Returns None if a person is selecting words and has none yet.
        """
        if not self._review.selecting:
            return Edit("set")
        span = self._review.take_words()
        return span and _with_span(Edit("set"), span)

    async def take(self, option: Any) -> None:
        """Give the verdict of the row under the cursor, or its contrary if it is given already.

        Does nothing, and says why, if nothing may be corrected. For None, the row of an excerpt,
        only a note says how to get to the verdicts.
        """
        if option is None:
            self._review.say(
                "This is no verdict: {verdict.over:h} goes to them, Enter lists acts."
            )
        else:
            await super().take(option)

    # -- the evidence ------------------------------------------------------------------------------

    async def add(self) -> None:
        """Add the selected words to the evidence, or those that the person is asked to select.

        Does nothing, and says why, if nothing may be corrected. Raises Left if the person leaves.
        """
        if self.may_correct():
            await self._with_words(Edit("add"))

    async def replace(self) -> None:
        """Put other words in place of the excerpt under the cursor.

        They are the selected ones, else the person is asked to select some; nothing is changed
        without any. Without an excerpt there, or if nothing may be corrected, only a note says so.
        Raises Left if the person leaves.
        """
        edit = self._of_excerpt("replace")
        if edit:
            await self._with_words(edit)

    async def enter_words(self) -> None:
        """Put the selected words in place of the excerpt under the cursor.

        Without an excerpt there, only a note says what can be done with the words. If nothing may
        be corrected, only a note says so. Raises Left if no words are selected after all.
        """
        if self._sight.excerpt is None:
            self._review.say(TAKES)
        else:
            await self.replace()

    async def _with_words(self, edit: Edit) -> None:
        """Make an edit with the words that are selected, or that a person is asked to select.

        Makes none if there are no words. Raises Left if the person leaves.
        """
        span = await self._words()
        if span:
            self._review.correct([(_with_span(edit, span),)])

    async def reword(self) -> None:
        """Ask for new words of the excerpt under the cursor, and look them up in the response.

        Without an excerpt there, or if nothing may be corrected, only a note says so. Raises Left
        if the person leaves.
        """
        edit = self._of_excerpt("reword")
        if edit is None:
            return
        about = "Reword", edit.seen
        text = await self._review.line("Reword", edit.seen or "", about=about)
        if self._review.correct([(replace(edit, text=text),)]):
            self._review.done_with(about)

    async def drop(self) -> None:
        """Drop the excerpt under the cursor.

        Without one, or if nothing may be corrected, only a note says so.
        """
        edit = self._of_excerpt("drop")
        if edit:
            self._review.correct([(edit,)], "dropped")

    def _of_excerpt(self, action: Action) -> Edit | None:
        """Return an edit of the excerpt under the cursor.

        Returns None, after a note that says why, if there is no excerpt or nothing may be
        corrected.
        """
        if not self.may_correct():
            return None
        excerpt = self._sight.excerpt
        if excerpt is None:
            self._review.say(
                "No excerpt is under the cursor: {verdict.over:l} goes to the evidence."
            )
            return None
        return Edit(action, index=self._sight.place[1], seen=excerpt.text)


def _with_span(edit: Edit, span: tuple[int, int]) -> Edit:
    """Return an edit with the offsets of words."""
    return replace(edit, start=span[0], end=span[1])


# -- the keys --------------------------------------------------------------------------------------

EXCERPT_KEYS = in_group(
    "Evidence",
    Key(
        "llm.add",
        "plus,+",
        "evidence",
        "add words of the response as evidence",
        Act(JudgedCorrections.add),
        shown="+",
        strip=Strip(8, 6),
        in_lines=True,
    ),
    Key(
        "llm.replace",
        "equals_sign,=",
        "other words",
        "put other words of the response in the place of the excerpt",
        Act(JudgedCorrections.replace),
        shown="=",
        in_lines=True,
    ),
    Key(
        "llm.reword",
        "e",
        "reword",
        "reword the excerpt and look it up",
        Act(JudgedCorrections.reword),
        strip=Strip(12, 9),
        in_lines=True,
    ),
    Key(
        "llm.drop",
        "d",
        "drop",
        "drop the excerpt",
        Act(JudgedCorrections.drop),
        strip=Strip(11, 8),
        in_lines=True,
    ),
    about="LLM trait: ",
)
