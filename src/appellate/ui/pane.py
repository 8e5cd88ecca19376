"""What a kind's pane and the screen ask of each other, and nothing about any kind.

A kind draws its cells in `traits/<kind>/pane.py`, whose `PANE` is a `KindPane`; the screen has one
for each kind of the rubric. It shows the pane cells and asks about the one in sight; the pane asks
its `Review` for answers and corrections.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from appellate.core.problem import Refused, wording
from appellate.ui.contract import (
    READS_ONLY,
    Evidence,
    NamedItems,
    OfItems,
    Place,
    Review,
    ShownCell,
)
from appellate.ui.conversation import Conversation, Left, begin
from appellate.ui.docked import Passage
from appellate.ui.key import Hint, Key, OwnAct
from appellate.ui.lines import Lines
from appellate.ui.marks import MarkHelp, Marks
from appellate.ui.rows import RowCursor
from appellate.ui.selecting import Stretch
from appellate.ui.textual_compat import draw_by_lines


def no_answer_keys(trait: Any) -> Mapping[str, str]:  # noqa: ARG001 - as `KindPane.ANSWER_KEYS`
    """Return no keys, for a kind that has none (`KindPane.ANSWER_KEYS`)."""
    return {}


class InstructionCursor(Protocol):
    """The cursor of a pane whose items answer instructions; an instruction has a list and a
    number.
    """

    @property
    def link(self) -> tuple[str, int] | None:
        """The instruction that the item under the cursor is about; None for none."""

    def go_to_instruction(self, of: str, number: int) -> None:
        """Put the cursor on the item that answers an instruction."""


class InTexts:
    """What a pane shows in the response and in documents besides the evidence of its items."""

    @property
    def place(self) -> Place | None:
        """The item whose evidence is shown while the cursor is on no item; None for none."""
        return None

    def differing(self) -> Sequence[Stretch]:
        """Return the stretches of the text that are marked as different from another text."""
        return ()

    def headings(self) -> Sequence[Stretch]:
        """Return the stretches of the text that are headings, which nobody wrote."""
        return ()

    def passages(self) -> Sequence[Passage]:
        """Return the passages of documents that the labels are about, to be marked there."""
        return ()


class KindPane(ShownCell, Vertical):
    """The open cell, as its kind shows it."""

    KEYS: ClassVar[tuple[Key, ...]] = ()
    """The pane's keys, with ids of the kind's own; BINDINGS are `bindings(KEYS)`.

    They also act while the response or the queue has the focus. `OwnAct`s call the pane, other acts
    its `corrections`.
    """
    corrections: Any = None
    """The object that corrects the cell: it has a coroutine for each correction."""
    TAKING: ClassVar[frozenset[str]] = frozenset()
    """The ids of those keys that act while words of the response are being selected."""
    NEAR: ClassVar[tuple[str, ...]] = ()
    """How the ids of the keys begin that the help lists first while the focus is here."""
    MATERIAL = ""
    """The tab that is opened first beside such a cell; "" for the first of all tabs."""
    SHOWS_TEXTS: ClassVar[bool] = False
    """Whether it shows the texts that are judged, for which it gets half of a wide screen."""
    TITLE = "Cell"
    """The title of its frame."""
    ANSWER_KEYS: ClassVar["staticmethod[[Any], Mapping[str, str]]"] = staticmethod(
        no_answer_keys,
    )
    """Returns the ids of those keys that answer an instruction of a trait, and the answer of each.

    The answers are those of `core.kind.Answering.sayable`.
    """
    WORDS: ClassVar[Mapping[str, str]] = {}
    """Words that are used only about such cells, and what they mean, for the help."""
    ABOUT = "what is known about the cell"
    """What the pane shows, for the help."""
    TAKES = (
        "The words selected can be copied ({cell.copy:y}); {select.leave:Esc} leaves."
    )
    """What can be done with selected words, if Enter does nothing with them."""

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        """Begin without a cell: `show` brings one. `id` is the widget's."""
        super().__init__(id=id)
        draw_by_lines(self)
        self.review = review
        self.items: ShownCell = self
        """The object that knows about corrections."""
        self.marks = review.marks
        self.named_items = NamedItems()
        self.in_texts = InTexts()
        self.title = self.TITLE
        """The title of the frame now."""
        self.instructions: InstructionCursor | None = None
        """None if the trait asks only one thing."""
        self.enter_words: Callable[[], Conversation] | None = None
        """What Enter does with selected words; None for nothing."""

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:  # noqa: ARG003 - for a kind to say
        """Return the marks that the pane draws, for the help."""
        return []

    def hints(self, keys: Sequence[Key]) -> list[Hint]:  # noqa: ARG002 - for a kind to say
        """Return hints that come first in the key strip, besides those of its `KEYS`."""
        return []

    def taking_hints(self) -> list[Hint]:
        """Return the hints that come first in the key strip while words are being selected."""
        return []

    @property
    def keys_here(self) -> Sequence[Key]:
        """Those of its `KEYS` that act at this cell; the screen uses the others."""
        return self.KEYS

    def told(self) -> Sequence[Key]:
        """Return the keys that act at this cell, with what each does here, for the help.

        A kind that refuses keys at this cell leaves them out; here they are the `keys_here`
        themselves.
        """
        return self.keys_here

    def first_keys(self, names: Mapping[str, str]) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        """Return the keys that rule on this cell, each with what it does, for somebody who is new.

        `names` are what the keys are called, by id. A kind overrides it; here there are none.
        """
        return ()

    # -- the cell ---------------------------------------------------------------------------------

    def evidence(self) -> Sequence[Evidence]:
        """Return where the response supports the items."""
        return ()

    def detail(self) -> Content:
        """Return all that is known of what is under the cursor; `K` shows it in full."""
        return Content()

    def summary(self) -> str:
        """Return a few words for after the numbers: how complete the labels are."""
        return ""

    def in_doubt(self) -> int:
        """Return how many excerpts no words of the response support."""
        return 0

    # -- corrections ------------------------------------------------------------------------------

    def action_act(self, key_id: str) -> None:
        """Do what the pane's key with an id does; a correction that is refused is explained.

        A correction is run up to its first question, as a coroutine that the answers continue.
        Raises StopIteration if the pane has no such key. A key without an act does nothing.
        """
        key = next(key for key in self.KEYS if key.id == key_id)
        act = key.does
        if isinstance(act, OwnAct):
            act.on(self)
        elif act is not None:
            conversation = act.on(self.corrections)
            self.begin(conversation)

    def begin(self, conversation: Conversation) -> None:
        """Run a coroutine up to its first question, or to its end.

        If it is refused, now or after an answer, the reason is said to the person. `Left` only ends
        it. Other errors pass through: after an answer, to whoever gives that answer.
        """
        begin(self._refusable(conversation))

    async def _refusable(self, conversation: Conversation) -> None:
        """Await a coroutine; if it raises Refused, say why to the person instead."""
        try:
            await conversation
        except Refused as refusal:
            self.review.say(wording(refusal))

    # -- the cursor and the focus -----------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key of the pane acts now: False lets others have the key.

        No key acts where a cell is only looked at: its review has no keys. Otherwise the base class
        decides, which may return None, to show the key as disabled.
        """
        if not self.review.keys:
            return False
        return super().check_action(action, parameters)

    def to_first_rows(self) -> None:
        """Put the cursors of all its lists on the first rows, before another cell is shown.

        That cell may have fewer rows, and a kind asks its cursor what is under it already while it
        draws. No message is posted.
        """
        for lines in self.walk_children(Lines):
            lines.go(0)

    def step_group(self, by: int) -> None:
        """Go to the next or previous group of items, if there are groups."""

    def turn_view(self) -> None:
        """Show the cell in another way, if there are two, and back again the next time."""

    def take_focus(self) -> None:
        """Move the focus to the pane's first widget that takes it, or else to the pane itself.

        The pane can have the focus only in the second case.
        """
        inner: Widget | None = None
        for widget in self.query("*"):
            if widget.focusable:
                inner = widget
                break
        self.can_focus = inner is None
        self.screen.set_focus(inner or self)

    def lists(self) -> list[Lines]:
        """Return its lists, that of the items first, for jump mode and `last`."""
        return list(self.query(Lines))

    def one_at_a_time(self, one: bool) -> None:
        """Show its parts one at a time, or all of them if there is room."""

    @property
    def has_marked(self) -> bool:
        """Whether items are marked, so that keys act on all of them."""
        return False

    def clear_marks(self) -> bool:
        """Remove all marks of items, at Esc; returns False if there were none, as here."""
        return False


class ItemsPane(OfItems, KindPane):
    """A pane whose items are rows, of which several may be marked: those of `marked_rows`."""

    marked_rows: RowCursor[Any]

    @property
    def has_marked(self) -> bool:
        return bool(self.marked_rows.marked)

    def clear_marks(self) -> bool:
        return self.marked_rows.clear_marks()

    def action_correct(self, what: str) -> None:
        self.begin(self.corrections.correct(what))

    def open_menu(self) -> None:
        """List what can be done with the item under the cursor."""
        self.begin(self.corrections.menu())

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.open_menu()


class Looking:
    """A `Review` in which a cell is only looked at: it asks nothing and corrects nothing."""

    readonly = True
    selecting = False
    judging = False
    keys: Sequence[Key] = ()
    of_cell: Sequence[str] = ()

    def __init__(
        self,
        marks: Marks,
        looked: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        """Make the review of a cell that is only shown.

        `looked` is called when the cursor is on another item, and `say` with each sentence for the
        person.
        """
        self.marks = marks
        self._looked = looked
        self._say = say

    def say(self, text: str) -> None:
        self._say(text)

    def looked(self) -> None:
        self._looked()

    def sees_item(self) -> bool:
        self._say(READS_ONLY)
        return False

    def take_words(self) -> Stretch | None:
        return None

    def run(self, key: str) -> None:
        """Do nothing: there are no other keys."""

    async def pick(self, *_: Any, **__: Any) -> str:
        self._say(READS_ONLY)
        raise Left

    async def line(self, *_: Any, **__: Any) -> str:
        raise Left

    def done_with(self, about: Hashable) -> None:
        """Do nothing: nothing is typed here."""

    async def select_words(self, *_: Any, **__: Any) -> Stretch | None:
        raise Left

    def copy(self, label: str, text: str) -> None:
        """Do nothing: nothing is copied from a cell that is only looked at."""

    def correct(self, *_: Any, **__: Any) -> bool:
        self._say(READS_ONLY)
        return False
