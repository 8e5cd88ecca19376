"""Talking with the person: a line that says something, questions on one line, lists to pick from."""

from collections.abc import Callable
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


class Asking(Screen[None]):
    """Says, asks and hears; at most one question is open."""

    marks: Marks
    _said = ""
    _answer: Callable[[str], None] | None = None

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
        answer: Callable[[str], None],
        *,
        purpose: str = "",
        hint: str = "",
        completing: Completing | None = None,
        checking: Checking | None = None,
        whole: bool = False,
    ) -> None:
        """Asks for a line of text; the answer comes back once. `whole`: typing takes the place of what stands there."""
        self._answer = answer
        self.query_one(LinePrompt).ask(purpose, label, initial, hint, completing=completing, checking=checking)
        if whole:
            self.query_one(LinePrompt).line.action_select_all()

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        answer, self._answer = self._answer, None
        self.catch_up()
        self.rest()
        if answer:
            answer(event.value)

    @on(Dismissed)
    def _dismissed(self) -> None:
        self._answer = None
        self.catch_up()
        self.rest()

    def stop_asking(self) -> None:
        """Takes the question away, unanswered."""
        if self.query_one(LinePrompt).asking:
            self._answer = None
            self.query_one(LinePrompt).put_away()
            self.rest()

    def confirm(self, purpose: str, question: str) -> None:
        """Asks yes or no; `Confirm.Decided` carries the purpose."""
        self.query_one(Confirm).ask(purpose, question)

    def pick(
        self,
        title: str,
        choices: list[Pick],
        none: str,
        picked: Callable[[str], None],
        **how: Any,
    ) -> None:
        """Lets one of the choices be picked; `picked` hears its key, "" for none of them, and nothing at Esc."""
        nothing = Pick("", "0", none) if none else None

        def chosen(key: str | None) -> None:
            self.rest()
            if key is not None:
                picked(key)

        self.app.push_screen(Picker(title, choices, none=nothing, marks=self.marks, **how), chosen)
