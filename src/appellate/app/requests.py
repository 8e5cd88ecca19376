"""What a person wants done, carried out or refused with a sentence; what panes ask."""

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from appellate.app.dialogs import Dialogs
from appellate.core.problem import Refused, wording
from appellate.session.acts import READS, Acts
from appellate.session.workbench import Workbench
from appellate.store.database import NotKept
from appellate.ui.contract import Choice, Picking
from appellate.ui.text import clip

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

Done = TypeVar("Done")


class Standing:
    """What could not be kept or written; it stays on screen until it is dealt with."""

    def __init__(self, bench: Workbench, *, turned: Callable[[], object]) -> None:
        """`turned` shows anew what the header says of it."""
        self._bench = bench
        self._turned = turned
        self.refused = ""
        """Why what was done last could not be kept."""
        self.unwritten = ""
        """Why the audit file could not be written, by itself or when a person asked for it."""
        self._failed_save = ""
        """The same, of the last time that a person asked for it."""

    def not_kept(self, why: str) -> None:
        """Notes why nothing can be kept; "" where it can be again."""
        self.refused = why
        self._turned()

    def written(self, why_not: str, *, asked: bool) -> None:
        """Notes that the audit was written, or why not; `asked` where a person asked for it."""
        self.unwritten = why_not
        if asked or not why_not:
            self._failed_save = why_not
        self._turned()

    @property
    def trouble(self) -> str:
        """The sentence that stays on screen; "" where all is kept and written."""
        if not self.refused:
            return self._failed_save
        out = "Make room and do it again"
        if self._bench.lost:
            out = "Ctrl+S saves everything elsewhere"
        return f"NOT SAVED: {self.refused}. {out}; nothing was changed."


class Requests:
    """The way of every change to the workbench."""

    def __init__(
        self, bench: Workbench, dialogs: Dialogs, standing: Standing, *, why_not: Callable[[], str]
    ) -> None:
        """`why_not` says why nothing can be done just now, or ""."""
        self._bench = bench
        self._dialogs = dialogs
        self._standing = standing
        self._why_not = why_not
        self.acts = Acts(bench)

    def do(self, work: Callable[[], Done]) -> Done | None:
        """Carry something out, or say why not and return None."""
        why_not = self._why_not()
        if why_not:
            self._dialogs.say(why_not)
            return None
        try:
            done = work()
        except Refused as refusal:
            self._dialogs.say(wording(refusal))
            return None
        except NotKept as refusal:
            self.not_kept(str(refusal))
            return None
        if self._standing.refused:
            self.not_kept("")
        return done

    def not_kept(self, why: str) -> None:
        """Show why nothing can be kept, until it is dealt with; "" where it can be again."""
        self._standing.not_kept(why)
        self._dialogs.say(self._standing.trouble)

    def may_change(self) -> bool:
        """Return whether this session may change anything; say so if not."""
        if self._bench.readonly:
            self._dialogs.say(READS)
        return not self._bench.readonly


TITLE = 60  # the cells of a title


class PaneReview:
    """The `Review` of the panes on the review screen."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at
        self.marks = at.marks
        self.readonly = at.bench.readonly
        self.keys = at.keys
        self.say = at.dialogs.say
        self.copy = at.reading.copy_text
        self.take_words = at.selection.take
        self.select_words = at.selection.select

    @property
    def of_cell(self) -> Sequence[str]:
        at = self._at
        found: list[str] = []
        if not self.readonly:
            found += ("cell.sign", "item.reason", "cell.comment", "cell.flag", "cell.undo")
        if at.bench.suspect(at.view.no):
            found.append("text.plea")
        if at.parts.response.steps is not None:
            found.append("step.unfold")
        if at.reading.has_copied:
            found.append("cell.copy_again")
        if not self.readonly:
            found.append("cell.bookmark")
        return found

    @property
    def judging(self) -> bool:
        return self._at.view.progress is not None

    @property
    def selecting(self) -> bool:
        return self._at.selection.on

    def looked(self) -> None:
        self._at.view.looked()
        if self._at.selection.on:
            self._at.dialogs.rest()

    def sees_item(self) -> bool:
        if not self._at.layout.is_response_alone:
            return True
        chosen = self._at.view.chosen
        if chosen is not None and not self._at.view.pane.has_marked:
            low, high = self._at.view.parts.response.in_sight
            if low < chosen.end and chosen.start < high:
                return True
        self.say(
            "The item is out of sight: {text.next:p} goes to the next one in the text, "
            "{text.focus:z} shows them all."
        )
        return False

    def run(self, key: str) -> None:
        self._at.press(key)

    # -- questions --------------------------------------------------------------------------------

    async def pick(self, title: str, choices: list[Choice], **how: Unpack[Picking]) -> str:
        how["about"] = self._here(how.get("about"))
        return await self._at.dialogs.pick(clip(title, TITLE, self.marks), choices, **how)

    async def line(
        self,
        label: str,
        initial: str = "",
        *,
        about: Hashable = None,
        typed: str | None = None,
        checking: Callable[[str], str] | None = None,
    ) -> str:
        about = self._here(about)
        return await self._at.dialogs.line(
            label, initial, about=about, typed=typed, checking=checking
        )

    def done_with(self, about: Hashable) -> None:
        self._at.dialogs.done_with(self._here(about))

    def _here(self, about: Hashable) -> Hashable:
        """What is typed about an item belongs to it in this cell alone."""
        return None if about is None else (self._at.view.no, about)

    # -- corrections ------------------------------------------------------------------------------

    def correct(
        self,
        items: Sequence[Sequence[Any]],
        done: str = "changed",
        *,
        repeated: bool = False,
        note: str = "",
    ) -> bool:
        """Makes corrections but for those refused, and says what became of them."""
        no, shown = self._at.view.no, self._at.view.pane.items
        made = self._at.requests.do(
            lambda: self._at.requests.acts.correct(
                no, shown, items, done, repeated=repeated, note=note
            )
        )
        if made is None:
            self._at.dialogs.rest()
            return False
        text, changes = made
        self.say(text or self._at.standing.trouble)
        self._at.dialogs.rest()
        return bool(changes)
