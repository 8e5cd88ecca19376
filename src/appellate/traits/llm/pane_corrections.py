"""Corrects an LLM cell by keys, on the screen and in line mode.

Each correction is a coroutine that asks for what it lacks and makes one request.
"""

from typing import Any

from appellate.core.kind import read_name
from appellate.core.problem import many
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Excerpt
from appellate.traits.verdict.excerpt_edits import corrected_index
from appellate.traits.verdict.pane_corrections import VerdictInSight
from appellate.traits.verdict.pane_excerpts import (
    ExcerptCorrections,
    OfExcerpts,
    excerpt_keys,
    with_span,
)

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
    def rationale(self) -> str:
        """The judge's reason; "" if no judge gave one or no cell is shown."""
        judge = self.cell.judge if self.cell else None
        return str(judge.table.get("rationale") or "") if judge else ""

    @property
    def excerpt(self) -> Excerpt | None:
        """The excerpt under the cursor; None on a verdict, and if there is no excerpt."""
        group, number = self.place
        if group != "evidence" or not self.labels.evidence:
            return None
        excerpt: Excerpt = self.labels.evidence[number]
        return excerpt

    @property
    def stretches(self) -> list[tuple[int, int] | None]:
        """The spans of the excerpts; None for one that is not in the response."""
        return [excerpt.span for excerpt in self.labels.evidence]

    def follow_edit(self, edit: Edit) -> None:
        """Move the cursor to the verdict that was given, or to the excerpt that was corrected.

        After a drop that is the excerpt that moved up, and after an undo the one as it was before.
        The cursor stays if no excerpt is there.
        """
        if edit.action == "set":
            self._cursor.to_verdict()
            return
        index = corrected_index(edit, self.stretches)
        if index is not None:
            self.go("evidence", index)


class OfJudgedExcerpts(OfExcerpts):
    """Sentences about the excerpts of a judge's verdict, for pane and lines."""

    def doubts(self) -> str:
        """Return how many excerpts are not in the text; "" if all are.

        For example "2 excerpts not in the response."
        """
        missing_count = self.sight.stretches.count(None)
        if not missing_count:
            return ""
        excerpts = many(missing_count, "excerpt")
        text_name = read_name(self.sight.trait)
        return f"{excerpts} not in the {text_name}."


class JudgedCorrections(ExcerptCorrections):
    """The acts of keys on the verdict, and on the excerpt under the cursor."""

    EXCERPT_EDIT = Edit
    TAKES = TAKES
    NO_EXCERPT = (
        "No excerpt is under the cursor: {verdict.over:l} goes to the evidence."
    )

    def new_verdict_edit(self) -> Edit | None:
        """Return an edit "set" without a value, with the words that a person is selecting, if any.

        The selection is ended. Returns None, after a note that says so, if a person is selecting
        words and has none yet.
        """
        if not self._review.selecting:
            return Edit("set")
        span = self._review.take_words()
        if span is None:
            return None
        edit: Edit = with_span(Edit("set"), span)
        return edit

    async def take(self, option: Any) -> None:
        """Give the verdict of the row under the cursor, or its contrary if it is given already.

        Does nothing, and says why, if nothing may be corrected or a given verdict has no contrary,
        as a class. For None, the row of an excerpt, only a note says how to get to the verdicts.
        """
        if option is None:
            self._review.say(
                "This is no verdict: {verdict.over:h} goes to them, Enter lists acts.",
            )
        else:
            await super().take(option)


EXCERPT_KEYS = excerpt_keys("llm", "LLM trait: ", "the response")
