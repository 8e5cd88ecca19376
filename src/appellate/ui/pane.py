"""What a kind's pane and the screen ask of each other, and nothing about any kind.

A kind draws its cells in `traits/<kind>/pane.py`, whose `PANE` is a `KindPane`; the screen has one
for each kind of the rubric. It shows the pane cells and asks about the one in sight; the pane asks
its `Review` for answers and corrections.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

from textual.containers import Vertical
from textual.content import Content

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


def no_answer_keys(trait: Any) -> Mapping[str, str]:  # noqa: ARG001 - as `KindPane.ANSWER_KEYS`
    """For a kind that has none."""
    return {}


class InstructionCursor(Protocol):
    """The cursor of a pane whose items answer instructions, by list and number."""

    @property
    def link(self) -> tuple[str, int] | None:
        """The instruction that the item under the cursor is about."""

    def go_to_instruction(self, of: str, number: int) -> None:
        """Puts the cursor on what answers an instruction."""


class InTexts:
    """What a pane shows in response and documents, beside the evidence of its items."""

    @property
    def place(self) -> Place | None:
        """The item whose evidence is shown as that of the cursor, where that is on none itself."""
        return None

    def passages(self) -> Sequence[Passage]:
        """What labels speak of in the documents, to be seen where these are read."""
        return ()


class KindPane(ShownCell, Vertical):
    """The cell in sight, as its kind shows it."""

    KEYS: ClassVar[tuple[Key, ...]] = ()
    """Its keys, with ids of the kind's own; BINDINGS are `bindings(KEYS)`. They act from the
    response and the queue. `OwnAct`s call the pane, other acts its `corrections`.
    """
    corrections: Any = None
    """What corrects its cell: a coroutine for each correction."""
    TAKING: ClassVar[frozenset[str]] = frozenset()
    """The ids of those keys that act while words of the response are being selected."""
    NEAR: ClassVar[tuple[str, ...]] = ()
    """How the ids of the keys begin that the help names first while the focus is here."""
    MATERIAL = ""
    """The tab of the material that is opened first beside such a cell; the first of all where "".
    """
    TITLE = "Cell"
    """What its frame is called."""
    ANSWER_KEYS: ClassVar["staticmethod[[Any], Mapping[str, str]]"] = staticmethod(no_answer_keys)
    """The ids of those keys that answer an instruction of a trait by themselves, and the answer of
    each (`core.kind.Answering.sayable`).
    """
    WORDS: ClassVar[Mapping[str, str]] = {}
    """The words that only such cells are spoken of in, and what they mean, for the help."""
    ABOUT = "what is known of the cell"
    """What is here, for the help."""
    TAKES = "The words selected can be copied ({cell.copy:y}); {select.leave:Esc} leaves."
    """What can be done with words that were selected, where Enter does nothing."""

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.review = review
        self.items: ShownCell = self  # what knows of corrections
        self.marks = review.marks
        self.named_items = NamedItems()
        self.in_texts = InTexts()
        self.title = self.TITLE  # of its frame
        self.instructions: InstructionCursor | None = None  # None where a trait asks one thing
        self.enter_words: Callable[[], Conversation] | None = None  # Enter on words selected

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def marks_help(cls, marks: Marks) -> list[MarkHelp]:  # noqa: ARG003 - for a kind to say
        """The marks that it draws, for the help."""
        return []

    def hints(self, keys: Sequence[Key]) -> list[Hint]:  # noqa: ARG002 - for a kind to say
        """Hints before all others in the key strip, beside those of its `KEYS`."""
        return []

    def taking_hints(self) -> list[Hint]:
        """What the key strip says first while words are being selected."""
        return []

    @property
    def keys_here(self) -> Sequence[Key]:
        """Those of its `KEYS` that act at this cell; the screen has what they leave."""
        return self.KEYS

    def told(self) -> Sequence[Key]:
        """Return its `keys_here` with what each does at this cell, without keys that it refuses."""
        return self.keys_here

    def first_keys(self, names: Mapping[str, str]) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        """Return the keys that rule on this cell, for who is new, and what they do.

        `names` are what the keys are called, by id.
        """
        return ()

    # -- the cell ---------------------------------------------------------------------------------

    def evidence(self) -> Sequence[Evidence]:
        """Where the response bears the items out."""
        return ()

    def detail(self) -> Content:
        """All there is to know of what is under the cursor; `K` shows it whole."""
        return Content()

    def summary(self) -> str:
        """A few words behind the numbers: how complete the labels are."""
        return ""

    def in_doubt(self) -> int:
        """How many excerpts no words of the response bear out."""
        return 0

    # -- corrections ------------------------------------------------------------------------------

    def action_act(self, key_id: str) -> None:
        """Do what the key of an id does."""
        key = next(key for key in self.KEYS if key.id == key_id)
        if isinstance(key.does, OwnAct):
            key.does.on(self)
        elif key.does is not None:
            self.begin(key.does.on(self.corrections))

    def begin(self, conversation: Conversation) -> None:
        """Runs a coroutine up to its first question; says why it was refused, if it was."""
        begin(self._refusable(conversation))

    async def _refusable(self, conversation: Conversation) -> None:
        try:
            await conversation
        except Refused as refusal:
            self.review.say(wording(refusal))

    # -- the cursor and the focus -----------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Its keys act only on the bench: where a cell is only looked at, there are none."""
        return super().check_action(action, parameters) if self.review.keys else False

    def to_first_rows(self) -> None:
        """Puts the cursors on the first rows, before another cell is shown that may have fewer.

        A kind asks its cursor what is under it already while it draws the rows of a cell.
        """
        for rows in self.query(Lines):
            rows.go(0)

    def step_group(self, by: int) -> None:
        """Goes to the next or previous group of items, where it has any."""

    def turn_view(self) -> None:
        """Shows the cell in another way, where there are two; back again the next time."""

    def take_focus(self) -> None:
        """Takes the focus to where its items are, or itself where nothing in it can have it."""
        inner = next((one for one in self.query("*") if one.focusable), None)
        self.can_focus = inner is None
        self.screen.set_focus(inner or self)

    def lists(self) -> list[Lines]:
        """Its lists, that of the items first, for jump mode and `last`."""
        return list(self.query(Lines))

    def one_at_a_time(self, one: bool) -> None:
        """Shows its parts one at a time, or all of them where there is room."""

    @property
    def has_marked(self) -> bool:
        """Whether items are marked, so that keys mean all of them."""
        return False

    def clear_marks(self) -> bool:
        """Lets go of marked items, at Esc; false where there are none."""
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
        """Lists what can be done here."""
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
        self, marks: Marks, looked: Callable[[], None], say: Callable[[str], None]
    ) -> None:
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
        """There are no other keys."""

    async def pick(self, *_: Any, **__: Any) -> str:
        self._say(READS_ONLY)
        raise Left

    async def line(self, *_: Any, **__: Any) -> str:
        raise Left

    def done_with(self, about: Hashable) -> None:
        """Nothing is typed here."""

    async def select_words(self, *_: Any, **__: Any) -> Stretch | None:
        raise Left

    def copy(self, label: str, text: str) -> None:
        """Nothing is copied from a cell that is only looked at."""

    def correct(self, *_: Any, **__: Any) -> bool:
        self._say(READS_ONLY)
        return False
