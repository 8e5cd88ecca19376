"""Corrects by keys the excerpts that a verdict is based on, on the screen and in line mode.

It is shared by the kinds whose excerpts a person adds, replaces, rewords and drops.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.traits.verdict.excerpt_edits import ExcerptAction
from appellate.traits.verdict.pane_corrections import VerdictCorrections
from appellate.ui.key import Act, Hint, Key, Strip, in_group


class ExcerptCorrections(VerdictCorrections):
    """The acts of keys on the verdict, and on the excerpt under the cursor."""

    EXCERPT_EDIT: ClassVar[Any]
    """Makes the kind's edit of an excerpt, of its action and of other fields by name."""
    TAKES: ClassVar[str]
    """What can be done with selected words if no excerpt is under the cursor."""
    NO_EXCERPT: ClassVar[str]
    """What is said if no excerpt is under the cursor."""

    async def add(self) -> None:
        """Add the selected words to the evidence, or those that the person is asked to select.

        Nothing is added without any. If nothing may be corrected, or the words are refused, only a
        note says why. Raises Left if the person leaves.
        """
        if self.may_correct():
            await self._with_words(self.EXCERPT_EDIT("add"))

    async def replace(self) -> None:
        """Put other words in place of the excerpt under the cursor.

        They are the selected ones, else the person is asked to select some; nothing is changed
        without any. Without an excerpt there, if nothing may be corrected, or if the words are
        refused, only a note says so. Raises Left if the person leaves.
        """
        edit = self._of_excerpt("replace")
        if edit is not None:
            await self._with_words(edit)

    async def enter_words(self) -> None:
        """Put the words that are being selected in place of the excerpt under the cursor.

        Without an excerpt there, only a note says what can be done with the words. If nothing may
        be corrected, if no words are selected yet, or if they are refused, only a note says so. If
        no selection has begun, the person is asked for words. Raises Left if the person leaves that
        question.
        """
        if self._sight.excerpt is None:
            self._review.say(self.TAKES)
        else:
            await self.replace()

    async def _with_words(self, edit: Any) -> None:
        """Correct the cell by an edit that gets the words which are selected, or are asked for.

        `edit` lacks only their offsets and is not changed. Without words nothing is corrected. If
        the edit is refused, only a note says why. Raises Left if the person leaves.
        """
        span = await self._words()
        if span is not None:
            self._review.correct([(with_span(edit, span),)])

    async def reword(self) -> None:
        """Ask for new words of the excerpt under the cursor, and look them up in the response.

        The line begins with its present words. Without an excerpt there, if nothing may be
        corrected, or if the words are refused, only a note says so; what was typed is offered again
        until a correction is accepted. Raises Left if the person leaves.
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

        Without one, if nothing may be corrected, or if the drop is refused, only a note says so.
        """
        edit = self._of_excerpt("drop")
        if edit is not None:
            self._review.correct([(edit,)], "dropped")

    def _of_excerpt(self, action: ExcerptAction) -> Any:
        """Return a new edit of the excerpt under the cursor, with its index and its words.

        `action` is what the edit does. Returns None, after a note that says why, if there is no
        excerpt that can be corrected, or nothing may be.
        """
        if not self.may_correct():
            return None
        excerpt = self._sight.excerpt
        if excerpt is None:
            self._review.say(self.NO_EXCERPT)
            return None
        return self.EXCERPT_EDIT(action, index=self._sight.place[1], seen=excerpt.text)


def with_span(edit: Any, span: tuple[int, int]) -> Any:
    """Return a copy of an edit with the offsets (start, end) of the words that it is to take."""
    return replace(edit, start=span[0], end=span[1])


class OfExcerpts:
    """Sentences about a cell's excerpts, and where they are by now; for pane and lines."""

    sight: Any

    def remarks(self, before: Cell, after: Cell) -> list[str]:
        """Return sentences on what a correction did besides what its edits say; empty for nothing.

        `before` and `after` are the cell before and after it. Keys in the sentences are written as
        `{id:usual key}` and are not yet replaced by the person's own.
        """
        blank = self.sight.kind.blank
        return list(
            self.sight.kind.remarks(
                self.sight.trait,
                before.labels or blank,
                after.labels or blank,
            ),
        )

    def excerpts_in(self, labels: Any) -> Sequence[Any]:
        """Return the excerpts of labels that can be corrected, in the order that edits count."""
        excerpts: Sequence[Any] = labels.evidence
        return excerpts

    def found_again(self, edit: Any, now: Cell) -> Any:
        """Return an edit with the index that its excerpt has in the cell `now`.

        The excerpt is found by the words that the edit has in `seen`. The edit is returned
        unchanged if these are still at its index, or nowhere.
        """
        labels = now.labels or self.sight.kind.blank
        texts = [excerpt.text for excerpt in self.excerpts_in(labels)]
        if edit.seen not in texts:
            return edit
        is_in_place = texts[edit.index : edit.index + 1] == [edit.seen]
        if is_in_place:
            return edit
        return replace(edit, index=texts.index(edit.seen))


def excerpt_keys(kind: str, about: str, text_name: str) -> tuple[Key, ...]:
    """Return the keys of a kind that add, replace, reword and drop excerpts.

    Their ids are the kind's name and that word, as "llm.add". `about` is put before what the help
    says of each. `text_name` is what words are taken from, as in "the response".
    """
    return in_group(
        "Evidence",
        Key(
            f"{kind}.add",
            "plus,+",
            "evidence",
            f"add words of {text_name} as evidence",
            Act(ExcerptCorrections.add),
            shown="+",
            strip=Strip(8, 6),
            in_lines=True,
        ),
        Key(
            f"{kind}.replace",
            "equals_sign,=",
            "other words",
            f"put other words of {text_name} in the place of the excerpt",
            Act(ExcerptCorrections.replace),
            shown="=",
            in_lines=True,
        ),
        Key(
            f"{kind}.reword",
            "e",
            "reword",
            "reword the excerpt and look it up",
            Act(ExcerptCorrections.reword),
            strip=Strip(12, 9),
            in_lines=True,
        ),
        Key(
            f"{kind}.drop",
            "d",
            "drop",
            "drop the excerpt",
            Act(ExcerptCorrections.drop),
            strip=Strip(11, 8),
            in_lines=True,
        ),
        about=about,
    )


def excerpt_offers(kind: str, text_name: str, *, on_excerpt: bool) -> dict[str, str]:
    """Return what a menu offers of the keys of `excerpt_keys`: what each does, by its id.

    For example {"llm.add": "add words of the response as evidence"}. Adding words is always there;
    replacing, rewording and dropping only `on_excerpt`.
    """
    offers = {f"{kind}.add": f"add words of {text_name} as evidence"}
    if on_excerpt:
        offers[f"{kind}.replace"] = "put other words in its place"
        offers[f"{kind}.reword"] = "reword it"
        offers[f"{kind}.drop"] = "drop it"
    return offers


def adding_hint(kind: str, keys: Sequence[Key]) -> Hint:
    """Return the hint for the strip that selected words can become one more excerpt.

    For the kind "llm" it is such as `Hint("+", "evidence", "llm.add")`. It has the key of that act
    among `keys`, or "+" if that is not there.
    """
    add_id = f"{kind}.add"
    add_key = next((key.shown for key in keys if key.id == add_id), "+")
    return Hint(add_key, "evidence", add_id)
