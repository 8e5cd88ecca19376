"""What a person wants done, carried out or refused with a sentence; saving; what panes ask."""

from asyncio import TimerHandle
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from appellate.core.problem import Refused, wording
from appellate.session.acts import READS, Acts
from appellate.session.workbench import Position
from appellate.store.database import NotKept, WorkspaceLost
from appellate.store.files.text_file import expanded
from appellate.ui.contract import Choice, Picking
from appellate.ui.conversation import begin
from appellate.ui.text import clip
from appellate.ui.textual_compat import beside, later

if TYPE_CHECKING:
    from appellate.app.workplace import Workplace

Done = TypeVar("Done")
PAUSE = 20.0  # seconds after the last act in which the audit file is left as it is


class Requests:
    """The way of every change to the workbench."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at
        self.acts = Acts(at.bench)
        self.unwritten = ""  # why the audit file could not be written

    def do(self, work: Callable[[], Done]) -> Done | None:
        """Carries something out, or says why not."""
        if self._at.layout.is_too_small:
            self._at.dialogs.say("Nothing was done: make the window larger to see the cell.")
            return None
        if self._at.layout.is_queue_open:
            self._at.dialogs.say(
                "The cell is out of sight: go back to it first "
                "({lines.choose:Enter} opens a line of the queue, {queue:Q} leaves)."
            )
            return None
        try:
            done = work()
        except Refused as refusal:
            self._at.dialogs.say(wording(refusal))
            return None
        except NotKept as refusal:
            self.not_kept(str(refusal))
            return None
        if self._at.view.refused:
            self.not_kept("")
        return done

    def not_kept(self, why: str) -> None:
        """Shows why nothing can be kept, until it is dealt with; "" where it can again."""
        self._at.view.refused = why
        self._at.dialogs.say(self.trouble)
        self._at.view.show_header()

    def may_change(self) -> bool:
        """Whether this session may change anything; says so if not."""
        readonly = self._at.view.bench.readonly
        if readonly:
            self._at.dialogs.say(READS)
        return not readonly

    @property
    def trouble(self) -> str:
        """What stays on screen until it is dealt with."""
        if not self._at.view.refused:
            return self.unwritten
        out = "Make room and do it again"
        if self._at.view.bench.lost:
            out = "Ctrl+S saves everything elsewhere"
        return f"NOT SAVED: {self._at.view.refused}. {out}; nothing was changed."


class Saving:
    """Writes the audit, elsewhere where it must be, leaves, and keeps the place."""

    def __init__(self, at: "Workplace") -> None:
        self._at = at
        self._waiting: TimerHandle | None = None

    async def save(self) -> None:
        """Writes the audit, or asks for another place where the workspace is gone."""
        if self._at.bench.readonly:
            self._at.dialogs.say("This session only reads: there is nothing to write.")
        elif self._at.bench.lost:
            offered = str(self._at.bench.elsewhere)
            label = "Save everything elsewhere as"
            self._move(await self._at.dialogs.line(label, offered, purpose="elsewhere"))
        else:
            self._begin_to_write(leave=False)

    def _move(self, audit: str) -> None:
        """Goes on under another name, with everything that was done."""
        try:
            self._at.bench.move(expanded(audit))
        except (Refused, NotKept) as refusal:
            self._at.dialogs.say(
                f"Not exported: {wording(refusal).rstrip('.')}. {{save:Ctrl+S}} asks again."
            )
            return
        self._at.view.refused = ""
        self._at.moved()
        self._begin_to_write(leave=False)

    def write_soon(self) -> None:
        """Writes the audit a while after the last act; each puts it off."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        if self._at.bench.behind and not self._at.bench.readonly:
            self._waiting = later(PAUSE, self._at.screen, self.write_behind)

    def write_behind(self) -> None:
        """Writes in the background what the file lacks; a deleted file stays deleted."""
        if self._at.bench.behind and not self._at.bench.lost and not self._at.bench.is_deleted:
            beside(self._at.screen, self._write_quietly, "write behind", exclusive=True)

    async def _write_quietly(self) -> None:
        why, standing = await self._at.write(quietly=True), self._at.requests.trouble
        self._at.view.unwritten = why
        if not why:
            self._at.requests.unwritten = ""
        if not self._at.view.parts.are_there:
            return
        self._at.view.show_header()
        if self._at.dialogs.said == standing:  # what could not be written is written by now
            self._at.dialogs.say(self._at.requests.trouble)

    def quit(self) -> None:
        """Writes the audit and leaves."""
        self._begin_to_write(leave=True)

    def _begin_to_write(self, *, leave: bool) -> None:
        """Beside the screen, in the place of a save that is under way."""
        beside(self._at.screen, partial(self._write, leave=leave), "write", exclusive=True)

    async def _write(self, *, leave: bool) -> None:
        again = " (it had been deleted)" if self._at.bench.is_deleted else ""
        why = await self._at.write()
        if leave and not why and self._at.bench.behind:
            why = await self._at.write()  # something was kept while it was being written
        self._at.requests.unwritten = self._at.view.unwritten = why
        self._at.view.show_header()
        if not leave:
            self._at.dialogs.say(why or f"Exported: {self._at.bench.audit}{again}")
        elif why:
            begin(self._leave_all_the_same(why))
        else:
            self._at.screen.app.exit(return_code=0)

    async def _leave_all_the_same(self, why: str) -> None:
        standing = "Everything is saved in the workspace."
        if self._at.bench.lost:
            standing = WorkspaceLost.standing
        if await self._at.dialogs.confirm(f"{why.rstrip('.')}. {standing} Quit all the same?"):
            self._at.screen.app.exit(return_code=1)

    def look_after(self) -> None:
        """Keeps the place, and sees to it that nothing is called kept that is not."""
        if (
            not self._at.view.parts.are_there
        ):  # a clock goes on while the screen is being taken down
            return
        self.keep_position()
        why = self._at.bench.lost
        if why and not self._at.view.refused:
            self._at.requests.not_kept(why)

    def keep_position(self) -> None:
        """Keeps the place; not at every key, since it is no one's work."""
        with suppress(NotKept):  # tried again a second later
            self._at.bench.keep_position(Position(self._at.view.no, *self._at.view.pane.place))


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
        self.say(text or self._at.requests.trouble)
        self._at.dialogs.rest()
        return bool(changes)
