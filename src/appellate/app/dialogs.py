"""What is said to a person and asked: a line, a list, yes or no, another screen."""

from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from typing import TypeVar

from textual.screen import Screen
from textual.widgets import Static

from appellate.ui.bar import KeyStrip
from appellate.ui.contract import LONGER, Choice, Freely
from appellate.ui.conversation import Left, PendingAnswer
from appellate.ui.marks import Marks, spelt
from appellate.ui.own_keys import in_own_keys
from appellate.ui.prompt import Checking, Completing, Confirm, LinePrompt
from appellate.ui.text import plain, update_text

OFFERED = "{} (as you left it)"
LEFT = (
    "Nothing was saved. What you typed is not lost: until you quit, the same key offers it again."
)
Result = TypeVar("Result")


class Dialogs:
    """Says and asks; a conversation ends where the person leaves the question. `rest` gives the
    focus back to where the work is. What was typed and not taken is a draft while the program runs.
    """

    def __init__(
        self,
        screen: Screen[None],
        prompt: LinePrompt,
        question: Confirm,
        message: Static,
        keys: KeyStrip,
        marks: Marks,
        *,
        asks: Callable[[], object],
        rest: Callable[[], object],
    ) -> None:
        """`message` takes the place of the `keys` while something is said.

        `asks` is called before each question, `rest` after it.
        """
        self.prompt = prompt
        self.question = question
        self.rest = rest
        self.said = ""
        self._screen = screen
        self._asks = asks
        self._message = message
        self._keys = keys
        self._marks = marks
        self._drafts: dict[Hashable, str] = {}

    @property
    def busy(self) -> bool:
        """Whether a line is being typed, or another screen is open over this one."""
        return self.prompt.asking or self._screen.app.screen is not self._screen

    def say(self, text: str) -> None:
        """A line in the place of the keys, until the next key; with the person's (`with_keys`)."""
        self.said = text = in_own_keys(text, self._screen.app)
        update_text(self._message, plain(spelt(text, self._marks)))
        # a class of the screen would have every part styled anew
        self._message.set_class(bool(text), "-saying")
        self._keys.set_class(bool(text), "-saying")

    # -- a line -----------------------------------------------------------------------------------

    async def line(
        self,
        label: str,
        initial: str = "",
        *,
        purpose: str = "",
        about: Hashable = None,
        hint: str = "",
        completing: Completing | None = None,
        checking: Checking | None = None,
        takes_faulty: bool = False,
        typed: str | None = None,
    ) -> str:
        """Asks for a line of text; what is `typed` already is there, to be typed over. What was
        typed `about` something and not taken (`done_with`) is offered again. Enter takes a line
        that `checking` finds wrong only with `takes_faulty`.
        """
        label, text = self._with_draft(label, about, typed, initial)
        self._asks()
        question = self.prompt.ask(
            purpose,
            label,
            text,
            hint,
            completing=completing,
            checking=checking,
            takes_faulty=takes_faulty,
        )
        if typed == "":
            self.prompt.line.action_select_all()
        return await self._asked(question, about, lambda: self.prompt.line.value, initial)

    async def note(self, label: str, initial: str = "", *, about: Hashable = None) -> str:
        """Asks for words of several lines, or of one; `about` as in `line`."""
        from appellate.app.reading.external_editor import edited
        from appellate.ui.note import NoteScreen

        app = self._screen.app
        label, text = self._with_draft(label, about, None, initial)
        note = NoteScreen(label, text, partial(edited, app), marks=self._marks)
        return await self._asked(note.open(app), about, lambda: note.text, initial)

    def _with_draft(
        self, label: str, about: Hashable, typed: str | None, initial: str = ""
    ) -> tuple[str, str]:
        """What a question is called and begins with."""
        draft = "" if typed else self._drafts.get(about, "")
        return OFFERED.format(label) if draft else label, typed or draft or initial

    async def _asked(
        self,
        question: PendingAnswer[str] | PendingAnswer[str | None],
        about: Hashable,
        typed: Callable[[], str],
        initial: str = "",
    ) -> str:
        """The answer to a question; where it is left, says that words are kept."""
        answer: str | None = None
        with suppress(Left):
            answer = await question
        self.rest()
        text = typed()
        is_kept = about is not None and bool(text.strip()) and text != initial
        self.done_with(about)
        if is_kept:
            self._drafts[about] = text
        if answer is None:
            if is_kept:
                self.say(LEFT)
            raise Left
        return answer

    def done_with(self, about: Hashable) -> None:
        """What was typed about something has been taken."""
        self._drafts.pop(about, None)

    # -- a list -----------------------------------------------------------------------------------

    async def pick(
        self,
        title: str,
        choices: list[Choice],
        *,
        none: str = "",
        on_none: bool = False,
        about: Hashable = None,
        free: Freely = False,
        typed: str = "",
        longer: str = "",
    ) -> str:
        """Lets one of the choices be picked (`Picking`): its key, "" for none of them. `longer`
        names words of several lines, whose key is `LONGER`.
        """
        from appellate.ui.picker import Picker

        title, typed = self._with_draft(title, about, typed)
        picker = Picker(
            title,
            choices,
            none=Choice("", "0", none) if none else None,
            typed=typed,
            on_none=on_none,
            free=free,
            longer=Choice(LONGER, "", longer) if longer else None,
            marks=self._marks,
        )
        return await self._asked(picker.open(self._screen.app), about, lambda: picker.typed)

    # -- yes or no, another screen ----------------------------------------------------------------

    async def confirm(self, question: str) -> bool:
        yes = await self.question.ask(question)
        self.rest()
        return yes

    async def show(self, screen: Screen[Result]) -> Result | None:
        """Opens a screen over this one; what it gives when it closes."""
        closed: PendingAnswer[Result | None] = PendingAnswer()
        self._screen.app.push_screen(screen, closed.answer)
        result = await closed
        self.rest()
        return result
