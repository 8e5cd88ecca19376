"""Searches the response or the docked text, and selects words of the response as evidence."""

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
    """The search on one review screen: its question, its hits, and its end."""

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
        """Prepare to search in `response` or `material`; the response comes first.

        `changed` is called after each step of a search, because titles and keys may be others. Hits
        in the response extend a selection that is on in `selection`.
        """
        self._view = view
        self._response = response
        self._material = material
        self._text: TextView = response
        """The text that is searched."""
        self._dialogs = dialogs
        self._selection = selection
        self._changed = changed
        self._last = ""
        """The words of the last search."""

    @property
    def on(self) -> bool:
        """Whether hits are marked."""
        return self._text.searching

    @property
    def keys(self) -> set[str]:
        """The ids of the keys that act on hits in the searched text, also while no search is on.

        In the docked text no words can be selected as evidence. Esc is left out while words are
        selected there, because it ends that selection first.
        """
        ids = {hint.action for hint in FINDING}
        if self._text is self._material:
            ids.remove("text.select")
            if self._material.selection.on:  # Esc ends the selection first
                ids.remove("leave")
        return ids

    @property
    def finding(self) -> Finding:
        """The words that are searched for, and the current hit."""
        return self._text.finding

    async def ask(self) -> None:
        """Ask for words, mark their hits while they are typed, and go to the first hit.

        A search that is on ends first. The docked text is searched if it has the focus, else the
        response. Without words the last search is repeated; without a last search nothing happens.
        If the words do not occur, say so. Raises Left if the reviewer leaves the question.
        """
        self.end()
        self._text = self._response
        if self._material.has_focus:
            self._text = self._material
        hint = f"Enter: {self._last} again" if self._last else ""
        try:
            text = await self._dialogs.line(
                "Find",
                purpose="search",
                checking=self._look_for,
                takes_faulty=True,
                hint=hint,
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
        """Mark the hits of the words that are being typed, and return "" or why there are none.

        The reason is a phrase to show after the field, as "not in the response". For no words it is
        "", and the marks of the words before stay.
        """
        has_hits = bool(text) and self._text.search(text) > 0
        self._changed()
        if text and not has_hits:
            return f"not in {self._where}"
        return ""

    @property
    def _where(self) -> str:
        """The searched text in words, as in "not in the response".

        For the docked text it is "what is shown beside the response".
        """
        if self._text is self._material:
            return "what is shown beside the response"
        return f"the {self._view.read_name}"

    def next_hit(self, by: int) -> None:
        """Go to the hit `by` hits on, or back if negative; after the last comes the first.

        Without a search nothing moves. If words of the searched response are being selected, the
        selection is extended to the hit.
        """
        self._text.next_hit(by)
        self._at_hit()

    def _at_hit(self) -> None:
        """Draw titles and keys for the current hit.

        If words of the searched response are being selected, the selection is extended to the hit.
        """
        if self._selection.on and self._text is self._response:
            self._response.selection.reach(self._response.finding.here)
        self._changed()

    def end(self) -> None:
        """End the search, and draw titles and keys again; do nothing if none is on.

        The hits are unmarked, and the focus and what is visible stay.
        """
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
    ),
)
"""The ids of the screen's keys that act while words are being selected."""
HITS = frozenset(("unreviewed.next", "unreviewed.previous"))
"""The ids of the keys that go from hit to hit of a search."""


class EvidenceSelection:
    """The selection of words in the response, for a key of the pane or as evidence.

    A selection begins with `begin`, or with `select` if a correction asks for evidence.
    """

    def __init__(
        self,
        view: CellView,
        response: ResponseView,
        dialogs: Dialogs,
        *,
        asks: Callable[[], object],
        changed: Callable[[], object],
        words_taken: Callable[[], object],
    ) -> None:
        """Prepare to select words in `response`; nothing is being selected yet.

        `asks` is called before words are asked for, and `words_taken` after words are taken.
        `changed` is called when other keys act.
        """
        self._view = view
        self._response = response
        self._dialogs = dialogs
        self._asks = asks
        self._changed = changed
        self._words_taken = words_taken
        self._question: PendingAnswer[Stretch | None] | None = None
        """The question that waits for evidence; None if a key of the pane takes the words."""
        self._goes_on = False
        """Whether a question was just answered, so that the next one follows without a pause."""
        self._item_name = ""
        """The item that evidence is asked for, if there are several."""
        self._none = ""
        """What it means to take no words; "" if there is no special meaning."""
        self.on = False
        """Whether words are being selected."""

    def begin(self) -> None:
        """Begin to select words that a key of the pane may take; the response gets the focus.

        If it has no words, that is said, and nothing is selected.
        """
        self._question = None
        self._begin(None)

    async def select(
        self,
        offers: Sequence[Stretch] = (),
        *,
        which: str = "",
        none: str = "",
    ) -> Stretch | None:
        """Ask for the evidence of a correction; return its place in the response, or None.

        `offers` are suggestions, the likeliest first. `which` names the item if several are asked
        about. With `none`, Enter without a selection takes no evidence, and `none` says what that
        means. None is returned for no evidence, also if the response has no words and `none` is
        given. Raises Left if the reviewer leaves the question, or if the response has no words
        otherwise.
        """
        if not self._goes_on:
            self._asks()
        question: PendingAnswer[Stretch | None] = PendingAnswer()
        self._question = question
        self._item_name = which
        self._none = none
        if not self._begin(offers):
            if none:
                return None
            raise Left
        if none:
            self._dialogs.say(
                f"It is left out: {{select.take:Enter}} or {{text.none:0}} takes it {none}; "
                "or select words that show it.",
            )
        elif not offers:
            self._dialogs.say(
                "Select the words that show it: "
                "{select.take:Enter} takes them, {text.none:0} says there are none, "
                "{select.leave:Esc} leaves.",
            )
        return await question

    def _begin(self, offers: Sequence[Stretch] | None) -> bool:
        """Begin a selection in the response, which gets the focus; return whether it has words.

        If it has none, that is said, and nothing is selected. `offers` are suggestions of evidence,
        or None if no evidence was asked for.
        """
        self.on = True
        self._response.screen.set_focus(self._response)
        if not self._response.selection.begin(offers):
            self.on = False
            self._question = None
            self._dialogs.rest()
            self._dialogs.say(f"The {self._view.read_name} has no words to select.")
            return False
        self._changed()
        return True

    def selected(self) -> None:
        """Note that the reviewer selected words; with the mouse that also begins a selection.

        A selection that begins with the mouse answers no question for evidence, and gives the
        response the focus.
        """
        if not self.on:
            self._question = None
            self.on = True
            self._response.screen.set_focus(self._response)
        self._changed()

    @property
    def mode(self) -> str:
        """The text at the left of the keys: SELECT, or EVIDENCE if evidence was asked for.

        With suggestions it has the number of the current one, and how many there are: `EVIDENCE
        1/3`. The name that `select` got as `which` follows, if any: `EVIDENCE 1/3 · item 2 of 3`.
        """
        if self._question is None:
            return "SELECT"
        offer_no, offer_count = self._response.selection.offer
        mode = "EVIDENCE"
        if offer_count:
            mode = f"EVIDENCE {offer_no}/{offer_count}"
        return " · ".join(filter(None, (mode, self._item_name)))

    @property
    def hints(self) -> list[Hint]:
        """The keys that act while words are being selected, as the strip of keys shows them.

        First come those that take the words: the pane's, or those that answer the question for
        evidence. Then come the keys of suggestions and of hits, if there are any, then those that
        move.
        """
        if self._question is None:
            hints = list(self._view.pane.taking_hints())
        elif self._none and self._response.selection.untouched:
            hints = [
                replace(_TAKE, label=self._none),
                Hint("0", self._none, "text.none"),
            ]
        else:
            hints = [_TAKE, Hint("0", self._none or "none", "text.none")]
            if self._response.selection.offer[1]:
                hints += _OFFERED
        if self._response.searching:
            hints += _FOUND
        return [*hints, *_KEYS]

    def lets(self, key: str) -> bool:
        """Return whether the key with this id acts while words are being selected.

        Keys from hit to hit do so only while hits are marked. The other keys are those of `ACTING`
        and those with which the pane takes words.
        """
        if key in HITS:
            return self._response.searching
        return key in ACTING or key in self._view.pane.TAKING

    def take(self) -> Stretch | None:
        """End the selection and a search, and return the selected place, for a key of the pane.

        If nothing is selected yet, or evidence was asked for, say what to do and return None; the
        selection stays.
        """
        if self._question is not None:
            self._dialogs.say(
                "{select.take:Enter} takes the words as evidence, "
                "{text.none:0} says there are none, {select.leave:Esc} leaves.",
            )
            return None
        if self._is_untouched():
            return None
        stretch = self._response.selection.stretch
        self.end()
        self._words_taken()
        return stretch

    def _is_untouched(self) -> bool:
        """Return whether no words are chosen yet, and say in that case how to choose some.

        The words with which a selection begins by itself are not chosen. A selection must be on.
        """
        if self._response.selection.untouched:
            self._dialogs.say(
                f"Nothing is selected yet: {MOVING} go to the first word, "
                "{select.word:w} {select.word_back:b} and {select.sentence:s} take more "
                "from there.",
            )
        return self._response.selection.untouched

    def enter(self) -> None:
        """Answer the question for evidence with the selected words (Enter).

        If no evidence was asked for, the pane gets the words, or says which keys take them. If
        nothing is selected, the answer is no evidence if `select` got a meaning for that as `none`;
        else say how to select.
        """
        if self._question is None:
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
        """Answer the question for evidence with none (0).

        If none is asked for, say what 0 is for, or which keys take the words that are being
        selected.
        """
        if not self.on:
            self._dialogs.say(
                "{text.none:0} answers where evidence is asked for: "
                "a move from FN to TP or from TN to FP asks.",
            )
        elif self._question is None:
            pane = self._view.pane
            self._dialogs.say(pane.TAKES)
        else:
            self._finish(None)

    def _finish(self, evidence: Stretch | None) -> None:
        """End the selection and a search, and answer the question for evidence.

        `evidence` is the selected place, or None for no evidence. What asked goes on at once,
        within this call. If no question waits, nothing is answered.
        """
        question = self._question
        self._question = None
        self.end()
        self._words_taken()
        if question is not None:
            self._goes_on = True
            question.answer(evidence)
            self._goes_on = False

    def end(self) -> None:
        """End the selection if one is open, and leave the question that asked for it.

        Left is raised in what asked. The message is cleared, and the focus goes to the items, or to
        the response if it fills the screen.
        """
        if not self.on:
            return
        question = self._question
        self._question = None
        self.on = False
        self._response.selection.end()
        self._dialogs.say("")
        self._changed()
        self._dialogs.rest()
        if question is not None:
            question.leave()
