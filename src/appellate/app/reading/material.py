"""The texts around the response: the prompt above it, and the docked material below it, in tabs.

`CellView` calls `Material.show` for each cell. The tab that is open is saved in the settings.
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
FOLDING = [
    Hint("Enter", "unfold", "docked.fold", 3),
    Hint("e", "all", "docked.fold_all", 4),
]
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
BRIEF = 2
"""Rows of a prompt that is always shown in whole above the response."""
SETTLED = 1.0
"""Seconds after which the tab that was opened is saved in the settings."""


class Material:
    """The prompt and the docked texts of the open cell."""

    def __init__(
        self,
        view: CellView,
        prompt_pane: PromptPane,
        docked: DockedText,
        dialogs: Dialogs,
        settings: Settings,
        known_prompts: Sequence[Prompts],
        *,
        changed: Callable[[], object],
    ) -> None:
        """Keep the widgets that show the texts; `show` fills them.

        `known_prompts` are the prompts that a cell may have been judged with, the current ones
        first. The open tab is that of `settings.material`, "" for none. `changed` is called when
        other keys act.
        """
        self._view = view
        self._dialogs = dialogs
        self._changed = changed
        self._prompt_pane = prompt_pane
        self._docked = docked
        self._trace: Trace | None = None
        self._question: str | None = None
        self._turns: Sequence[ChatTurn] = ()
        self.unread = NOTHING_UNREAD
        """The parts of the trace that the judge of the cell did not get."""
        self._unread_key: tuple[object, ...] = (None, None, None)
        """The turns, the subject and the judge for which `unread` was worked out."""
        self.other_texts: Sequence[str] = ()
        """The names of the texts next to the response that a verdict may need."""
        self._known_prompts = known_prompts
        self._open: str = settings.material
        """The name of the open tab; "" if none is open."""
        self._last: str = settings.material
        """The name of the tab that the key opens."""
        self._saved: str = settings.material
        """The name of the open tab as it is saved in the settings."""
        self._timer: TimerHandle | None = None
        """The timer that saves the open tab."""
        self._drawn_from: object = None
        """Everything that the docked text was made from, to see whether it is still right."""

    @property
    def _screen(self) -> Screen[object]:
        return self._docked.screen

    @property
    def has_focus(self) -> bool:
        """Whether the docked text has the focus."""
        return self._docked.has_focus

    @property
    def hints(self) -> list[Hint]:
        """The keys that act while the docked text has the focus, as the strip of keys shows them.

        While words are being selected there, they are those of the selection. Else keys that go to
        a number or unfold are there only if the tab has numbered sections or long ones.
        """
        if self._docked.selection.on:
            return SELECTING
        shown = self._docked.shown
        hints = [READING[0]]
        if any(section.number for section in shown.sections):
            hints += NUMBERED
        if shown.has_long:
            hints += FOLDING
        return hints + READING[1:]

    @property
    def mode(self) -> str:
        """The text at the left of the keys while the docked text has the focus."""
        return "READING · SELECT" if self._docked.selection.on else "READING"

    # -- showing ---------------------------------------------------------------------------------

    def show(self) -> None:
        """Show the prompt and the open tab for the open cell, if they do not show it yet.

        The rows of the column are shared out again. A conversation contains its prompt, so none is
        shown above it. `unread` and `other_texts` are worked out again only for other texts,
        another subject or another judge.
        """
        trace = self._view.trace
        rubric = self._view.bench.workspace.rubric
        question = rubric.question_text(trace)
        is_conversation = trace.transcript is not None
        if trace is not self._trace or question != self._question:
            self._trace = trace
            self._question = question
            self._turns = ()
            if not is_conversation:  # a conversation contains its prompt
                self._turns = turns_of(trace, question)
        cell = self._view.cell
        unread_key = (self._turns, cell.subject, cell.judge)
        if not all(map(is_, unread_key, self._unread_key)):
            self._unread_key = unread_key
            judged_trace = rubric.asked(trace)
            prompts = prompts_over(rubric.prompts, self._known_prompts)
            self.unread = unread_in(cell, judged_trace, self._turns, prompts)
            self.other_texts = beside_response(judged_trace, self._turns, self.unread)
            self._prompt_pane.show(
                asked(self._turns),
                self.other_texts,
                said_of_newest(self._turns, self.unread),
            )
        self._view.parts.reading.show_prompt(on=not is_conversation)
        if self._open:
            self._show_tab(self._open)
        self._view.parts.reading.share()

    def _show_tab(self, name: str) -> str:
        """Show the tab of this name for the open cell and return its name.

        If the cell has no such tab, the first one is shown instead. Nothing is drawn if the tab
        shows the cell already.
        """
        cell = self._view.cell
        pages = self._pages()
        tabs = pages.tabs()
        names = [tab.name for tab in tabs]
        if name not in names:
            name = names[0]
        texts = (cell.facts, pages.item_detail) if name == HISTORY else ()
        is_blind = self._is_blind()
        trace_key = self._view.trace.key
        hidden = (is_blind, cell.hides_names)
        drawn_from = (
            name,
            tabs,
            trace_key,
            cell.subject.trait,
            texts,
            hidden,
            self.unread,
        )
        if drawn_from != self._drawn_from:
            self._drawn_from = drawn_from
            self._docked.open(tabs, name, pages.sections(name))
        return name

    def _pages(self) -> "MaterialPages":
        """Return the tabs for the open cell; their texts are made when they are asked for."""
        # only once a tab is opened
        from appellate.app.reading.material_pages import MaterialPages

        bench = self._view.bench
        view = self._view
        long = self._prompt_pane.rows_wanted > BRIEF
        return MaterialPages(
            bench.workspace.rubric,
            view.trace,
            view.cell,
            self._turns,
            self.unread,
            long=long,
            item_detail=view.pane.detail().plain,
            is_blind=self._is_blind(),
        )

    def _is_blind(self) -> bool:
        """Return whether the labels of the judge are hidden in any cell of the trace."""
        return self._view.bench.hides_verdicts(self._view.cell)

    def open(self, name: str) -> None:
        """Open the tab of this name, or the first one if the cell has no such tab; no focus moves.

        The name is kept for cells that have such a tab, and saved in the settings soon; "" stands
        for the first tab. A response that filled the screen no longer does, and the evidence of the
        item is brought into view in it.
        """
        # the response no longer fills the screen
        put_class(self._screen, "-focus", on=False)
        put_class(self._screen, "-material", on=True)
        shown_name = self._show_tab(name)
        self._open = name or shown_name
        self._last = self._open
        self._view.parts.reading.share()
        # the response has fewer rows now
        self._docked.call_after_refresh(self._view.looked)
        self._changed()
        self._save_soon()

    def close(self) -> None:
        """Close the docked text; if it had the focus, put it back on the items or the response.

        That none is open is saved in the settings soon.
        """
        had_focus = self._docked.has_focus
        self._open = ""
        self._drawn_from = None
        self._docked.close()
        put_class(self._screen, "-material", on=False)
        self._view.parts.reading.share()
        self._changed()
        self._save_soon()
        if had_focus:
            self._dialogs.rest()

    # -- keys ------------------------------------------------------------------------------------

    def turn(self, by: int) -> None:
        """Open the docked text and put the focus on it; if it has the focus, go `by` tabs on.

        The tab is the one that was open last, else the one that the pane wants. If the text is open
        without the focus, it only gets the focus. Beyond the last or the first tab the docked text
        is closed; when it is opened again, the tabs begin at the other end.
        """
        if not self._open:
            self.open(self._last or self._view.pane.MATERIAL)
        elif self._docked.has_focus:
            names = [tab.name for tab in self._docked.tabs]
            index = names.index(self._docked.chosen) + by
            if not 0 <= index < len(names):
                self._last = names[0] if by > 0 else names[-1]
                self.close()
                return
            self.open(names[index])
        self._screen.set_focus(self._docked)

    def turn_to(self, name: str) -> None:
        """Open the tab of this name, or the first if the cell has no such tab; put the focus on it.

        The name is kept for cells that have such a tab, and saved in the settings soon.
        """
        self.open(name)
        self._screen.set_focus(self._docked)

    def history(self) -> None:
        """Open the tab of comments and history and put the focus on it, or close the docked text.

        It is closed if that tab is open and has the focus; then the items or the response get the
        focus.
        """
        if self._docked.has_focus and self._docked.chosen == HISTORY:
            self.close()
        else:
            self.turn_to(HISTORY)

    def cited(self) -> list[Citation]:
        """Return where the response, or the assistant in a conversation, cites a document.

        Only numbers of documents that the trace has count; empty if it has none. They are in the
        order of the text.
        """
        trace = self._view.trace
        numbers = {source.number for source in sources(trace)}
        if not numbers:
            return []
        cited = list(citations(trace.text, numbers))
        if trace.transcript is None:
            return cited
        own_words = trace.own_words
        return [
            citation
            for citation in cited
            if own_words.of_text((citation.start, citation.end))
        ]

    def cite(self, offset: int) -> bool:
        """Show the document that is cited at an offset of the text that is judged.

        Returns whether one is cited there; if none is, nothing changes. The tab of documents opens,
        and no focus moves.
        """
        for citation in self.cited():
            if citation.start <= offset < citation.end:
                self.to_document(citation.number)
                return True
        return False

    def to_document(self, number: str) -> None:
        """Open the tab of documents at the document with this number; no focus moves.

        If no document has the number, the tab is opened only. It is saved in the settings soon.
        """
        self.open(DOCUMENTS)
        self._docked.go_to(number)

    def missing(self, number: str, numbers: Sequence[str]) -> None:
        """Say that the open tab has no section with this number, which was typed.

        `numbers` are those that it has, in order; if empty, say that nothing there has a
        number.
        """
        if numbers:
            text = (
                f"There is no {number} here; these are {numbers[0]} to {numbers[-1]}."
            )
        else:
            text = "Nothing here has a number."
        self._dialogs.say(f"{text} {{docked.back:Tab}} goes back to the items.")

    # -- the settings -----------------------------------------------------------------------------

    def _save_soon(self) -> None:
        """Save which tab is open once `SETTLED` seconds have passed without another call.

        Nothing is saved if the settings have that tab already.
        """
        if self._timer:
            self._timer.cancel()
        self._timer = later(SETTLED, self._docked, self._save)

    def _save(self) -> None:
        """Begin to save in the settings which docked text is open, if that has changed.

        It is written in the background, and a writing that is not finished is replaced.
        """
        if self._open != self._saved:
            beside(
                self._docked,
                partial(self._write, self._open),
                "material",
                exclusive=True,
            )

    async def _write(self, name: str) -> None:
        """Write the name of the open tab to the settings in a thread; say so if that fails.

        It counts as saved in any case, so that a failure is told once.
        """
        self._saved = name
        try:
            await asyncio.to_thread(save, "material", name)
        except Unusable as refusal:
            self._dialogs.say(f"What is open here lasts until you quit: {refusal}")
