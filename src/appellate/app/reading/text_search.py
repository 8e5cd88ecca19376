"""Words of the response, or of what is docked beside it: looked for, and selected."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from appellate.app.cell_view import CellView
from appellate.app.dialogs import Dialogs
from appellate.ui.conversation import Left, PendingAnswer
from appellate.ui.docked import DockedText
from appellate.ui.key import Hint
from appellate.ui.page import Finding
from appellate.ui.selecting import Stretch
from appellate.ui.text_view import ResponseView, TextView

FINDING = (
    Hint("n", "next hit", "unreviewed.next"),
    Hint("N", "before", "unreviewed.previous"),
    Hint("v", "select", "text.select"),
    Hint("Esc", "end", "leave"),
)


class TextSearch:
    """One search, from the question to its end."""

    def __init__(
        self,
        view: CellView,
        response: ResponseView,
        material: DockedText,
        dialogs: Dialogs,
        selection: "EvidenceSelection",
        *,
        changed: Callable[[], object],
    ) -> None:
        """`changed` shows that a text has other hits."""
        self._view = view
        self._response = response
        self._material = material
        self._text: TextView = response  # what is searched
        self._dialogs = dialogs
        self._selection = selection
        self._changed = changed
        self._last = ""

    @property
    def on(self) -> bool:
        return self._text.searching

    @property
    def keys(self) -> set[str]:
        """The ids of the keys that act on what was found: only the response has words to select."""
        ids = {hint.action for hint in FINDING}
        if self._text is self._material:
            ids.remove("text.select")
            if self._material.selection.on:  # which Esc ends before
                ids.remove("leave")
        return ids

    @property
    def finding(self) -> Finding:
        """What is looked for, and which hit one is at."""
        return self._text.finding

    async def ask(self) -> None:
        """Asks what to look for, and marks it while it is typed."""
        self.end()
        self._text = self._response
        if self._material.has_focus:
            self._text = self._material
        hint = f"Enter: {self._last} again" if self._last else ""
        try:
            text = await self._dialogs.line(
                "Find", purpose="search", checking=self._look_for, takes_faulty=True, hint=hint
            )
        except Left:
            self.end()
            raise
        if self._text is self._material:
            self._text.screen.set_focus(self._text)
        text = text or self._last
        if not text:
            return
        if self._text.search(text):
            self._last = text
            self._at_hit()
        else:
            self.end()
            self._dialogs.say(f"“{text}” is not in {self._where}.")

    def _look_for(self, text: str) -> str:
        found = bool(text) and self._text.search(text) > 0
        self._changed()
        if text and not found:
            return f"not in {self._where}"
        return ""

    @property
    def _where(self) -> str:
        if self._text is self._material:
            return "what is shown beside the response"
        return f"the {self._view.read_name}"

    def next_hit(self, by: int) -> None:
        self._text.next_hit(by)
        self._at_hit()

    def _at_hit(self) -> None:
        """Tells which hit one is at; a selection under way goes to it."""
        if self._selection.on and self._text is self._response:
            self._response.selection.reach(self._response.finding.here)
        self._changed()

    def end(self) -> None:
        """Marks no hits any more."""
        if self._text.searching:
            self._text.end_search()
            self._changed()


MOVING = "{select.back:h} {select.down:j} {select.up:k} {select.on:l}"
_KEYS = (
    Hint("{select.word:w} {select.word_back:b}", "word", "select.word", 2),
    Hint("s", "sentence", "select.sentence", 1),
    Hint("g", "pick one", "jump", priority=3),
    Hint(MOVING, "move", "select.on", 3),
    Hint("v", "extend", "select.anew", 4),
    Hint("o", "other end", "select.other_end", 7),
    Hint("/", "find", "text.search", priority=5),
    Hint("M", "Markdown", "text.markdown", priority=8),
    Hint("?", "keys", "help", priority=6),
    Hint("Esc", "leave", "select.leave"),
)
_TAKE = Hint("Enter", "take it", "select.take")
_OFFERED = (Hint("Tab", "next", "select.offer"),)
_FOUND = (Hint("n", "next hit", "unreviewed.next"),)
ACTING = frozenset(
    (
        "jump",
        "text.none",
        "text.search",
        "text.markdown",
        "text.focus",
        "page.on",
        "page.back",
        "item.menu",
        "cell.copy",
        "save",
        "help",
        "leave",
    )
)
"""The ids of the screen's keys that act while words are being selected."""
HITS = frozenset(("unreviewed.next", "unreviewed.previous"))


class EvidenceSelection:
    """The selection under way."""

    def __init__(
        self,
        view: CellView,
        response: ResponseView,
        dialogs: Dialogs,
        *,
        asks: Callable[[], object],
        changed: Callable[[], object],
        taken: Callable[[], object],
    ) -> None:
        """`asks` is called before words are asked for, `changed` where other keys act.

        `taken` is called once words were taken: what was looked for is found.
        """
        self._view = view
        self._response = response
        self._dialogs = dialogs
        self._asks = asks
        self._changed = changed
        self._words_taken = taken
        self._asked: PendingAnswer[Stretch | None] | None = None
        self._goes_on = False  # whether it was answered, and the next item may be asked for
        self._which = self._none = ""
        self.on = False

    def begin(self) -> None:
        """Selects words that a key of the pane may take."""
        self._asked = None
        self._begin(None)

    async def select(
        self, offers: Sequence[Stretch] = (), *, which: str = "", none: str = ""
    ) -> Stretch | None:
        """Selects the evidence that a correction needs, the likeliest first; None for none. `which`
        says for which of several items, `none` what none means where Enter alone says so.
        """
        if not self._goes_on:
            self._asks()
        asked: PendingAnswer[Stretch | None] = PendingAnswer()
        self._asked = asked
        self._which = which
        self._none = none
        if not self._begin(offers):
            if none:
                return None
            raise Left
        if none:
            self._dialogs.say(
                f"It is left out: {{select.take:Enter}} or {{text.none:0}} takes it {none}; "
                "or select words that show it."
            )
        elif not offers:
            self._dialogs.say(
                "Select the words that show it: "
                "{select.take:Enter} takes them, {text.none:0} says there are none, "
                "{select.leave:Esc} leaves."
            )
        return await asked

    def _begin(self, offers: Sequence[Stretch] | None) -> bool:
        self.on = True
        self._response.screen.set_focus(self._response)
        if not self._response.selection.begin(offers):
            self.on = False
            self._asked = None
            self._dialogs.rest()
            self._dialogs.say(f"The {self._view.read_name} has no words to select.")
            return False
        self._changed()
        return True

    def selected(self) -> None:
        """The person selected words, perhaps with the mouse and nothing under way."""
        if not self.on:
            self._asked = None
            self.on = True
            self._response.screen.set_focus(self._response)
        self._changed()

    @property
    def mode(self) -> str:
        """What this is called at the left of the keys."""
        if self._asked is None:
            return "SELECT"
        at, of = self._response.selection.offer
        mode = f"EVIDENCE {at}/{of}" if of else "EVIDENCE"
        return " · ".join(filter(None, (mode, self._which)))

    @property
    def hints(self) -> list[Hint]:
        """The keys that act while this is on."""
        if self._asked is None:
            shown = list(self._view.pane.taking_hints())
        elif self._none and self._response.selection.untouched:
            shown = [replace(_TAKE, label=self._none), Hint("0", self._none, "text.none")]
        else:
            shown = [_TAKE, Hint("0", self._none or "none", "text.none")]
            if self._response.selection.offer[1]:
                shown += _OFFERED
        if self._response.searching:
            shown += _FOUND
        return [*shown, *_KEYS]

    def lets(self, key: str) -> bool:
        """Whether a key, by its id, acts while this is on."""
        if key in HITS:
            return self._response.searching
        return key in ACTING or key in self._view.pane.TAKING

    def take(self) -> Stretch | None:
        """Ends the selection and gives its words to a key; says what to do if there are none."""
        if self._asked is not None:
            self._dialogs.say(
                "{select.take:Enter} takes the words as evidence, "
                "{text.none:0} says there are none, {select.leave:Esc} leaves."
            )
            return None
        if self._is_untouched():
            return None
        found = self._response.selection.stretch
        self.end()
        self._words_taken()
        return found

    def _is_untouched(self) -> bool:
        """Says what to do where nobody has selected anything yet."""
        if self._response.selection.untouched:
            self._dialogs.say(
                f"Nothing is selected yet: {MOVING} go to the first word, "
                "{select.word:w} {select.word_back:b} and {select.sentence:s} take more from there."
            )
        return self._response.selection.untouched

    def enter(self) -> None:
        """Takes the words selected as the evidence that was asked for."""
        if self._asked is None:
            pane = self._view.pane
            if pane.enter_words is None:
                self._dialogs.say(pane.TAKES)
            else:
                pane.begin(pane.enter_words())
        elif self._none and self._response.selection.untouched:
            self._finish(None)
        elif not self._is_untouched():
            self._finish(self._response.selection.stretch)

    def no_evidence(self) -> None:
        """Answers that no words of the response are evidence."""
        if not self.on:
            self._dialogs.say(
                "0 answers where evidence is asked for: a move from FN to TP or from TN to FP asks."
            )
        elif self._asked is None:
            pane = self._view.pane
            self._dialogs.say(pane.TAKES)
        else:
            self._finish(None)

    def _finish(self, found: Stretch | None) -> None:
        asked = self._asked
        self._asked = None
        self.end()
        self._words_taken()
        if asked is not None:
            self._goes_on = True
            asked.answer(found)
            self._goes_on = False

    def end(self) -> None:
        """Leaves the selection, if one is under way, and whoever asked for it."""
        if not self.on:
            return
        asked = self._asked
        self._asked = None
        self.on = False
        self._response.selection.end()
        self._dialogs.say("")
        self._changed()
        self._dialogs.rest()
        if asked is not None:
            asked.leave()
