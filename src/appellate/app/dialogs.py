"""Says sentences to the reviewer and asks questions: for a line, a choice, yes or no.

The objects of the review screen share one `Dialogs`.
"""

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
"""The label of a question that begins with a draft."""
LEFT = (
    "Nothing was saved. What you typed is not lost: until you quit, the same key"
    " offers it again."
)
"""The sentence after a reviewer left a question in which something was typed."""
Result = TypeVar("Result")


class Dialogs:
    """Says sentences and asks questions on one screen.

    A question that is left raises `Left`, which ends the conversation that asked it. What was typed
    and not taken is kept as a draft until the program ends.
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
        """Say and ask in these widgets; `message` is shown instead of `keys` while it has a text.

        `asks` is called before a line is asked for. `rest` is called after each question, and gives
        the focus back to where the reviewer works.
        """
        self.prompt = prompt
        self.question = question
        self.rest = rest
        self.said = ""
        """The sentence on screen; "" if there is none."""
        self._screen = screen
        self._asks = asks
        self._message = message
        self._keys = keys
        self._marks = marks
        self._drafts: dict[Hashable, str] = {}
        """Texts that were typed and not taken, by what they are about."""

    @property
    def busy(self) -> bool:
        """Whether a line is being typed, or another screen is open over this one."""
        return self.prompt.asking or self._screen.app.screen is not self._screen

    def say(self, text: str) -> None:
        """Show a sentence instead of the keys until the next key; "" shows the keys again.

        Keys are written in it as `{id:usual key}`, and shown as the person has them.
        """
        said = in_own_keys(text, self._screen.app)
        self.said = said
        update_text(self._message, plain(spelt(said, self._marks)))
        # a class of the screen would have every part styled anew
        is_saying = bool(said)
        self._message.set_class(is_saying, "-saying")
        self._keys.set_class(is_saying, "-saying")

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
        """Ask for a line of text, and return it as it was typed.

        The line begins with `typed`, else with the draft about `about`, else with `initial`; with
        `typed` "" that text is selected, so that typing replaces it. `hint` is shown beside the
        line, and `completing` returns what may be typed. `checking` returns what is wrong with a
        line, or ""; Enter takes a wrong line only with `takes_faulty`. `purpose` names the history
        of earlier answers that the line offers.

        What was typed is kept as the draft about `about`, also after an answer, until `done_with`.
        Blank text, text that is `initial`, and text about None are not kept. The focus goes back to
        where the reviewer works. Raises Left if the reviewer leaves the question.
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
        return await self._answer_to(
            question,
            about,
            lambda: self.prompt.line.value,
            initial,
        )

    async def note(
        self,
        label: str,
        initial: str = "",
        *,
        about: Hashable = None,
    ) -> str:
        """Ask for a text of one or several lines, and return it as it was typed.

        The question begins with the draft about `about`, else with `initial`. The reviewer may
        write in their own editor. What was typed is kept as that draft, also after an answer, until
        `done_with`; blank text, text that is `initial`, and text about None are not kept. The focus
        goes back to where the reviewer works. Raises Left if the reviewer leaves the question.
        """
        from appellate.app.reading.external_editor import edited
        from appellate.ui.note import NoteScreen

        app = self._screen.app
        label, text = self._with_draft(label, about, None, initial)
        note = NoteScreen(label, text, partial(edited, app), marks=self._marks)
        return await self._answer_to(note.open(app), about, lambda: note.text, initial)

    def _with_draft(
        self,
        label: str,
        about: Hashable,
        typed: str | None,
        initial: str = "",
    ) -> tuple[str, str]:
        """Return the label of a question and the text that it begins with.

        That is `typed` if it has text, else the draft about `about` if there is one, else
        `initial`. If it is the draft, the label says so.
        """
        if typed:
            return label, typed
        draft = self._drafts.get(about, "")
        if draft:
            return OFFERED.format(label), draft
        return label, initial

    async def _answer_to(
        self,
        question: PendingAnswer[str] | PendingAnswer[str | None],
        about: Hashable,
        typed: Callable[[], str],
        initial: str = "",
    ) -> str:
        """Await a question, give the focus back, keep what was typed, and return the answer.

        `typed` returns what stands in the field. If it is neither blank nor `initial`, it replaces
        the draft about `about`, also after an answer; otherwise an earlier draft is forgotten.
        Nothing is kept about None. Raises Left if the reviewer leaves the question, after saying
        that a draft was kept, if one was.
        """
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
        """Forget the draft about something, because the text has been taken; there may be none."""
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
        """Ask for one of the choices in a list over the screen, and return its key.

        Returns "" for the choice named `none`, and `LONGER` for one more choice, named `longer`.
        Typed words that `free` lets be an answer are returned without blanks around them. With
        `on_none` the cursor begins on `none`. The line of the list begins with `typed`, else with
        the draft about `about`. What is typed in it is kept as that draft, also after an answer,
        until `done_with`. The focus goes back to where the reviewer works. Raises Left if the
        reviewer leaves the list.
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
        return await self._answer_to(
            picker.open(self._screen.app),
            about,
            lambda: picker.typed,
        )

    # -- yes or no, another screen ----------------------------------------------------------------

    async def confirm(self, question: str) -> bool:
        """Ask a yes-or-no question, and return whether the answer was yes; Esc is no.

        Keys are written in it as `{id:usual key}`, and shown as the person has them. The focus goes
        back to where the reviewer works. Raises Left if another such question takes its place
        before it is answered.
        """
        yes = await self.question.ask(in_own_keys(question, self._screen.app))
        self.rest()
        return yes

    async def show(self, screen: Screen[Result]) -> Result | None:
        """Open a screen over this one, wait until it closes, and return its result.

        Returns None for a screen that closes without a result. The focus goes back to where the
        reviewer works.
        """
        closed: PendingAnswer[Result | None] = PendingAnswer()
        self._screen.app.push_screen(screen, closed.answer)
        result = await closed
        self.rest()
        return result
