"""Talking with the person: a line that says something, questions on one line, lists to pick from."""

from collections.abc import Callable, Hashable
from typing import Any

from textual import on
from textual.screen import Screen
from textual.widgets import Static

from appellate.ui.completing import Checking, Completing
from appellate.ui.marks import Marks, spelt
from appellate.ui.picker import Picker
from appellate.ui.picking import Choice as Pick
from appellate.ui.prompt import Answered, Confirm, Dismissed, LinePrompt
from appellate.ui.text import plain

OFFERED = "{} (as you left it)"
LEFT = "Nothing was written. What you typed is not lost: the same key offers it again."


class Asking(Screen[None]):
    """Says, asks and hears; at most one question is open.

    What was typed and not taken is a draft, by what it was about, for as long as the program runs.
    """

    marks: Marks
    _said = ""
    _answer: Callable[[str], object] | None = None
    _about: Hashable = None
    _initial = ""

    def __init__(self) -> None:
        super().__init__()
        self._drafts: dict[Hashable, str] = {}

    def rest(self) -> None:
        """Gives the focus back to where the work is."""
        raise NotImplementedError

    def catch_up(self) -> None:
        """Shows what had to wait while a question was open."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key."""
        self._said = text
        said = self.query_one("#said", Static)
        said.update(plain(spelt(text, self.marks)))
        for part in (said, self.query_one("#keys")):  # a class of the screen would have every part styled anew
            part.set_class(bool(text), "-saying")

    def ask(
        self,
        label: str,
        initial: str,
        answer: Callable[[str], object],
        *,
        purpose: str = "",
        about: Hashable = None,
        hint: str = "",
        completing: Completing | None = None,
        checking: Checking | None = None,
        whole: bool = False,
    ) -> None:
        """Asks for a line of text; the answer comes back once. `whole`: typing takes the place of what stands there.

        `about` is what words of some length belong to: left by Esc, or not taken (`answer` gives nothing true), they
        are offered again.
        """
        self._answer, self._about, self._initial = answer, about, initial
        draft = self._drafts.get(about, "")
        label = OFFERED.format(label) if draft else label
        prompt = self.query_one(LinePrompt)
        prompt.ask(purpose, label, draft or initial, hint, completing=completing, checking=checking)
        if whole:
            self.query_one(LinePrompt).line.action_select_all()

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        (answer, self._answer), about = (self._answer, None), self._about
        self.catch_up()
        self.rest()
        self._keep_draft(about, event.value, self._initial)
        if answer and answer(event.value):
            self._drafts.pop(about, None)

    @on(Dismissed)
    def _dismissed(self, event: Dismissed) -> None:
        self._answer = None
        self.catch_up()
        self.rest()
        if self._keep_draft(self._about, event.value, self._initial):
            self.say(LEFT)

    def stop_asking(self) -> None:
        """Takes the question away, unanswered."""
        prompt = self.query_one(LinePrompt)
        if prompt.asking:
            self._answer = None
            self._keep_draft(self._about, prompt.line.value, self._initial)
            prompt.put_away()
            self.rest()

    def _keep_draft(self, about: Hashable, text: str, initial: str = "") -> bool:
        """Keeps words that would be lost, or lets those go that were emptied; whether there are any now."""
        self._drafts.pop(about, None)
        if about is not None and text.strip() and text != initial:
            self._drafts[about] = text
        return about in self._drafts

    def confirm(self, purpose: str, question: str) -> None:
        """Asks yes or no; `Confirm.Decided` carries the purpose."""
        self.query_one(Confirm).ask(purpose, question)

    def pick(
        self,
        title: str,
        choices: list[Pick],
        none: str,
        picked: Callable[[str], object],
        *,
        about: Hashable = None,
        **how: Any,
    ) -> None:
        """Lets one of the choices be picked; `picked` hears its key, "" for none of them, and nothing at Esc.

        `about` as in `ask`, for words that are typed in place of a choice.
        """
        nothing = Pick("", "0", none) if none else None
        draft = self._drafts.get(about, "")
        title = OFFERED.format(title) if draft else title
        picker = Picker(title, choices, none=nothing, typed=draft, marks=self.marks, **how)

        def chosen(key: str | None) -> None:
            self.rest()
            if self._keep_draft(about, picker.typed) and key is None:
                self.say(LEFT)
            if key is not None and picked(key):
                self._drafts.pop(about, None)

        self.app.push_screen(picker, chosen)
