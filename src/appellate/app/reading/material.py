"""What is beside the response: the prompt above it, and docked below it the material, a tab at
a time. Which tab is open is kept in the settings.
"""

import asyncio
from asyncio import TimerHandle
from collections.abc import Callable, Sequence
from functools import partial
from operator import is_
from typing import TYPE_CHECKING

from textual.screen import Screen

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.app.reading.column import PromptPane
from appellate.core.messages import ChatTurn, asked, turns_of
from appellate.core.problem import Unusable
from appellate.core.trace import Citation, Trace, citations, sources
from appellate.session.settings import Settings, save
from appellate.traits.prompts import Prompts
from appellate.traits.unread import (
    NOTHING_UNREAD,
    beside_response,
    prompts_over,
    said_of_newest,
    unread_in,
)
from appellate.ui.docked import DockedText
from appellate.ui.key import Hint
from appellate.ui.textual_compat import beside, later, put_class

if TYPE_CHECKING:
    from appellate.app.reading.material_pages import MaterialPages

READING = [
    Hint("K", "next tab", "material"),
    Hint("/", "find", "text.search", 3),
    Hint("Tab", "items", "docked.back", 1),
    Hint("v", "select", "docked.select", 6),
    Hint("Esc", "close", "docked.close", 2),
]
FOLDING = [Hint("Enter", "unfold", "docked.fold", 3), Hint("e", "all", "docked.fold_all", 4)]
MOVING = "{docked.select_back:h} {docked.select_down:j} {docked.select_up:k} {docked.select_on:l}"
SELECTING = [
    Hint("y", "copy", "cell.copy"),
    Hint("{docked.word:w} {docked.word_back:b}", "word", "docked.word", 2),
    Hint("s", "sentence", "docked.sentence", 1),
    Hint(MOVING, "move", "docked.select_on", 3),
    Hint("v", "extend", "docked.select", 4),
    Hint("o", "other end", "docked.other_end", 7),
    Hint("/", "find", "text.search", priority=5),
    Hint("Esc", "leave", "docked.unselect"),
]
NUMBERED = [
    Hint("0…9", "go to it", "", 4),
    Hint("{docked.previous:←} {docked.next:→}", "before, next", "docked.next", 5),
]
HISTORY = "history"
DOCUMENTS = "documents"
BRIEF = 2  # rows of a prompt that surely is whole above the response
SETTLED = 1.0  # seconds after which a tab that was opened is kept


class Material:
    """The material of the cell in sight."""

    def __init__(
        self,
        view: CellView,
        asked: PromptPane,
        docked: DockedText,
        dialogs: Dialogs,
        settings: Settings,
        known_prompts: Sequence[Prompts],
        *,
        changed: Callable[[], object],
    ) -> None:
        """`known_prompts` may be those that a cell was judged with, the ones in force first.

        `changed` is called where other keys act.
        """
        self._view = view
        self._dialogs = dialogs
        self._changed = changed
        self._asked = asked
        self._docked = docked
        self._trace: Trace | None = None
        self._question: str | None = None
        self._turns: Sequence[ChatTurn] = ()
        self.unread = NOTHING_UNREAD
        """What the judge of the cell did not get of the trace."""
        self._unread_of: tuple[object, ...] = (None, None, None)
        self.beside: Sequence[str] = ()
        """The names of what a verdict may need that can be read beside the text."""
        self._known_prompts = known_prompts
        self._open: str = settings.material
        self._last: str = settings.material  # the tab that opens
        self._kept: str = settings.material
        self._keeping: TimerHandle | None = None
        self._shown: object = None

    @property
    def _screen(self) -> Screen[object]:
        return self._docked.screen

    @property
    def has_focus(self) -> bool:
        return self._docked.has_focus

    @property
    def hints(self) -> list[Hint]:
        """The keys that act while it has the focus."""
        shown = self._docked.shown
        found = [READING[0]]
        if self._docked.selection.on:
            return SELECTING
        if any(section.number for section in shown.sections):
            found += NUMBERED
        if shown.has_long:
            found += FOLDING
        return [*found, *READING[1:]]

    @property
    def mode(self) -> str:
        """What reading in it is called at the left of the keys."""
        return "READING · SELECT" if self._docked.selection.on else "READING"

    # -- showing ---------------------------------------------------------------------------------

    def show(self) -> None:
        """Shows what belongs to the cell in sight, as far as it is not shown yet."""
        trace = self._view.trace
        rubric = self._view.bench.workspace.rubric
        question = rubric.question_text(trace)
        is_conversation = trace.transcript is not None
        if trace is not self._trace or question != self._question:
            self._trace = trace
            self._question = question
            self._turns = ()
            if not is_conversation:  # which has all of it, and would be there twice
                self._turns = turns_of(trace, question)
        cell = self._view.cell
        judged = self._turns, cell.subject, cell.judge
        if not all(map(is_, judged, self._unread_of)):
            self._unread_of = judged
            self._show_prompt(rubric.asked(trace))
        self._view.parts.reading.show_prompt(on=not is_conversation)
        if self._open:
            self._show_tab(self._open)
        self._view.parts.reading.share()

    def _show_prompt(self, trace: Trace) -> None:
        """Shows the prompt of a trace that has its question's text and reference."""
        known = prompts_over(self._view.bench.workspace.rubric.prompts, self._known_prompts)
        self.unread = unread_in(self._view.cell, trace, self._turns, known)
        self.beside = beside_response(trace, self._turns, self.unread)
        self._asked.show(asked(self._turns), self.beside, said_of_newest(self._turns, self.unread))

    def _show_tab(self, name: str) -> str:
        """Shows a tab, or the first one where the cell has none of this name; returns its name."""
        cell = self._view.cell
        pages = self._pages()
        tabs = pages.tabs()
        names = [tab.name for tab in tabs]
        if name not in names:
            name = names[0]
        texts = (cell.facts, pages.known) if name == HISTORY else ()
        is_blind = self._is_blind()
        key = self._view.trace.key
        shown = name, tabs, key, cell.subject.trait, texts, is_blind, self.unread
        if shown != self._shown:
            self._shown = shown
            self._docked.open(tabs, name, pages.sections(name))
        return name

    def _pages(self) -> "MaterialPages":
        from appellate.app.reading.material_pages import MaterialPages  # not before any is wanted

        bench = self._view.bench
        view = self._view
        long = self._asked.rows_wanted > BRIEF
        return MaterialPages(
            bench.workspace.rubric,
            view.trace,
            view.cell,
            self._turns,
            self.unread,
            long=long,
            known=view.pane.detail().plain,
            is_blind=self._is_blind(),
        )

    def _is_blind(self) -> bool:
        """Return whether a judge of the trace is hidden, be it that of another cell."""
        return self._view.bench.hides_verdicts(self._view.cell)

    def open(self, name: str) -> None:
        """Opens a tab; the focus stays where it is."""
        put_class(self._screen, "-focus", on=False)  # the response alone is so no longer
        put_class(self._screen, "-material", on=True)
        found = self._show_tab(name)
        self._open = self._last = name or found
        self._view.parts.reading.share()
        self._docked.call_after_refresh(self._view.looked)  # it has fewer rows now
        self._changed()
        self._keep_soon()

    def close(self) -> None:
        """Takes it away; the focus goes to where the work is, if it was here."""
        held = self._docked.has_focus
        self._open = ""
        self._shown = None
        self._docked.close()
        put_class(self._screen, "-material", on=False)
        self._view.parts.reading.share()
        self._changed()
        self._keep_soon()
        if held:
            self._dialogs.rest()

    # -- keys ------------------------------------------------------------------------------------

    def turn(self, by: int) -> None:
        """Opens it and goes in, then to the next tab or the one before; closes beyond the ends."""
        if not self._open:
            self.open(self._last or self._view.pane.MATERIAL)
        elif self._docked.has_focus:
            names = [tab.name for tab in self._docked.tabs]
            at = names.index(self._docked.chosen) + by
            if not 0 <= at < len(names):
                self._last = names[0] if by > 0 else names[-1]
                self.close()
                return
            self.open(names[at])
        self._screen.set_focus(self._docked)

    def turn_to(self, name: str) -> None:
        """Goes to a tab, and into it."""
        self.open(name)
        self._screen.set_focus(self._docked)

    def history(self) -> None:
        """The comments and all that happened; from there, back again."""
        if self._docked.has_focus and self._docked.chosen == HISTORY:
            self.close()
        else:
            self.turn_to(HISTORY)

    def cited(self) -> list[Citation]:
        """What the response cites, of the documents that there are."""
        trace = self._view.trace
        numbers = {source.number for source in sources(trace)}
        if not numbers:
            return []
        found = citations(trace.text, numbers)
        if trace.transcript is None:
            return list(found)
        return [one for one in found if trace.own_words.of_text((one.start, one.end))]

    def cite(self, offset: int) -> bool:
        """Shows the document that the response cites at an offset, if it cites any there."""
        for citation in self.cited():
            if citation.start <= offset < citation.end:
                self.to_document(citation.number)
                return True
        return False

    def to_document(self, number: str) -> None:
        self.open(DOCUMENTS)
        self._docked.go_to(number)

    def missing(self, number: str, known: Sequence[str]) -> None:
        """Says why a digit leads nowhere."""
        if known:
            text = f"There is no {number} here; these are {known[0]} to {known[-1]}."
        else:
            text = "Nothing here has a number."
        self._dialogs.say(f"{text} {{docked.back:Tab}} goes back to the items.")

    # -- keeping ---------------------------------------------------------------------------------

    def _keep_soon(self) -> None:
        """Keeps which tab is open, once that has not changed for a moment."""
        if self._keeping:
            self._keeping.cancel()
        self._keeping = later(SETTLED, self._docked, self._keep)

    def _keep(self) -> None:
        if self._open != self._kept:
            beside(self._docked, partial(self._write, self._open), "material", exclusive=True)

    async def _write(self, name: str) -> None:
        self._kept = name
        try:
            await asyncio.to_thread(save, "material", name)
        except Unusable as refusal:
            self._dialogs.say(f"What is open here lasts until you quit: {refusal}")
