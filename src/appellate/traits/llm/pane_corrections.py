"""Corrections of an LLM cell: a coroutine each, which asks what it lacks and makes one request."""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec.structs import replace

from appellate.traits.llm.edits import Action, Edit
from appellate.traits.llm.labels import Excerpt
from appellate.traits.verdict.pane_corrections import InSight, VerdictCorrections
from appellate.traits.verdict.scale import Value
from appellate.ui.contract import Place, Review
from appellate.ui.conversation import Conversation

TAKES = (
    "A digit gives the verdict on these words, {llm.add:+} takes them as evidence; "
    "{select.leave:Esc} leaves."
)


class ExcerptsInSight(InSight, Protocol):
    """What corrections need to know beyond the verdict: where the cursor is."""

    @property
    def excerpt(self) -> Excerpt | None: ...

    @property
    def place(self) -> Place: ...


class JudgedCorrections(VerdictCorrections):
    """What keys do to the verdict, and to the excerpt under the cursor."""

    def __init__(self, review: Review, rows: ExcerptsInSight) -> None:
        super().__init__(review, rows, "judge")
        self._rows = rows
        self.by_name: Mapping[str, Callable[[], Conversation]] = {
            "pick": self.pick,
            "add": self.add,
            "replace": self.other_words,
            "reword": self.reword,
            "drop": self.drop,
        }

    def begun(self) -> Edit | None:
        """On the words that are being selected, if any are; None where none are yet."""
        if not self._review.selecting:
            return Edit("set")
        words = self._review.take_words()
        if words is None:
            return None
        return _on(Edit("set"), words)

    async def take(self, option: Value | None) -> None:
        if option is None:
            self._review.say("This is no verdict: {llm.over:h} goes to them, Enter lists acts.")
        else:
            await super().take(option)

    # -- the evidence ------------------------------------------------------------------------------

    async def add(self) -> None:
        if self.may_correct():
            await self._with_words(Edit("add"))

    async def other_words(self) -> None:
        edit = self._of_excerpt("replace")
        if edit:
            await self._with_words(edit)

    async def enter_words(self) -> None:
        """The words being selected in the place of the excerpt under the cursor."""
        if self._rows.excerpt is None:
            self._review.say(TAKES)
        else:
            await self.other_words()

    async def _with_words(self, edit: Edit) -> None:
        """Makes an edit with the words that are selected, or that a person is asked to select."""
        if self._review.selecting:
            words = self._review.take_words()
        else:
            words = await self._review.select_words()
        if words:
            self._review.correct([(_on(edit, words),)])

    async def reword(self) -> None:
        edit = self._of_excerpt("reword")
        if edit is None:
            return
        about = "Reword", edit.seen
        text = await self._review.line("Reword", edit.seen or "", about=about)
        if self._review.correct([(replace(edit, text=text),)]):
            self._review.done_with(about)

    async def drop(self) -> None:
        edit = self._of_excerpt("drop")
        if edit:
            self._review.correct([(edit,)], "dropped")

    # -- what they are about -----------------------------------------------------------------------

    def _of_excerpt(self, action: Action) -> Edit | None:
        """An edit of the excerpt under the cursor; says why there is none."""
        if not self.may_correct():
            return None
        excerpt = self._rows.excerpt
        if excerpt is None:
            self._review.say("No excerpt is under the cursor: {llm.over:l} goes to the evidence.")
            return None
        return Edit(action, index=self._rows.place[1], seen=excerpt.text)


def _on(edit: Edit, words: tuple[int, int]) -> Edit:
    return replace(edit, start=words[0], end=words[1])
