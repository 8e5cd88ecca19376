"""What a kind's pane and the screen ask of each other, and nothing about any kind.

A kind draws its cells in `traits/<kind>/pane.py`, whose `PANE` is a `KindPane`: one of them stands
on the screen for each kind of the rubric. The screen shows it cells and asks it what it knows of
the one in sight; the pane asks the `Review` it is given for answers, and for corrections to be
made.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from textual.containers import Vertical
from textual.content import Content

from appellate.core.cell import Cell
from appellate.core.problem import Refused
from appellate.ui.bar import Hint
from appellate.ui.conversation import Conversation, Left, begin
from appellate.ui.key import Key
from appellate.ui.lines import Lines
from appellate.ui.marks import Marks
from appellate.ui.picker import Choice
from appellate.ui.selecting import Stretch
from appellate.ui.text import clip

READS_ONLY = "This session only reads: nothing can be corrected in it."

Place = tuple[str, int]
"""Where an item of a cell stands, in the kind's own words: a group and a number. ("", 0) is nowhere
in particular.
"""


class Evidence(NamedTuple):
    """A stretch of the response that an item stands on, in code points.

    `style` names a component class of the response (`tp`, `fn`, `fp`, `tn`, `evidence`), `mark`
    stands behind the words; what does not count is drawn dim.
    """

    start: int
    end: int
    style: str
    mark: str
    place: Place
    counts: bool = True


class MarkTold(NamedTuple):
    """A mark that the pane draws, what it means, and the style of a row in which it is shown."""

    mark: str
    meaning: str
    style: str = ""


class Review(Protocol):
    """What a pane may ask for.

    Everything happens in the call itself; an answer is awaited in a conversation.
    """

    @property
    def marks(self) -> Marks: ...

    @property
    def readonly(self) -> bool:
        """Whether nothing can be corrected in this session."""

    @property
    def keys(self) -> Sequence[Key]:
        """All keys as the person has them, the screen's and those of this pane's kind."""

    @property
    def selecting(self) -> bool:
        """Whether words of the response are being selected by the person's own wish (`v`, the
        mouse).
        """

    def say(self, text: str) -> None:
        """Says a sentence in the place of the keys, until the next key."""

    def sees_item(self) -> bool:
        """Whether one sees what a key would change, where only the response is in sight; says so if
        not.
        """

    def looked(self) -> None:
        """Tells that the cursor is on another item: the response shows its evidence."""

    def take_words(self) -> Stretch | None:
        """Ends the selection that is under way and gives its words; None if there are none yet,
        which it says.
        """

    def run(self, key: str) -> None:
        """Does what the key of an id does."""

    async def pick(
        self,
        title: str,
        choices: list[Choice],
        *,
        none: str = "",
        on_none: bool = False,
        about: Hashable = None,
        free: bool = False,
    ) -> str:
        """Lets one of the choices be picked; the answer is its key, "" for none of them where
        `none` names that.

        `on_none` opens on it. `free`: words that are typed may be the answer. `about`: see `line`.
        """

    async def line(self, label: str, initial: str = "", *, about: Hashable = None) -> str:
        """Asks for a line of text.

        What was typed is kept by what it is `about`, and offered again, until `done_with` says that
        it was taken.
        """

    def done_with(self, about: Hashable) -> None:
        """Lets go of what was typed `about` something: it was taken."""

    async def select_words(self, offers: Sequence[Stretch] = ()) -> Stretch | None:
        """Has words of the response selected, the likeliest first; the answer is None for no words
        at all.
        """

    def correct(
        self, items: Sequence[Sequence[Any]], done: str = "changed", *, repeated: bool = False
    ) -> bool:
        """Makes corrections, as one act: the edits of each item in their order.

        False where none was made.

        An edit is a value of the kind's. `done` says in the past tense what became of an item. What
        was refused, and what there is to know of the change (`KindPane.remarks`), is said.
        """


TITLE = 60  # the cells of a menu's title


async def pick_action(review: Review, title: str, offers: Mapping[str, str]) -> None:
    """Lets one thing to do be picked, and does it: what each does, by the id of its key."""
    shown = {key.id: key.shown for key in review.keys}
    choices = [Choice(key, shown.get(key, ""), words) for key, words in offers.items()]
    review.run(await review.pick(clip(title, TITLE, review.marks), choices))


class KindPane(Vertical):
    """The cell in sight, as its kind shows it.

    What is not overridden is true of a kind that has no such thing.
    """

    KEYS: ClassVar[tuple[Key, ...]] = ()
    """Its keys, with ids of the kind's own; BINDINGS are `bindings(KEYS)`. They act from the
    response and the queue.
    """
    TAKING: ClassVar[frozenset[str]] = frozenset()
    """The ids of those keys that act while words of the response are being selected."""
    NEAR: ClassVar[tuple[str, ...]] = ()
    """How the ids of the keys begin that the help names first while the focus is here."""
    CARD: ClassVar[tuple[tuple[str, ...], str]] = ((), "")
    """The ids of the keys that whoever is new needs first, and what they do together."""
    ABOUT = "what is known of the cell"
    """What stands here, for the help."""
    TAKES = "The words selected can be copied (y); Esc leaves."
    """What can be done with words that were selected, where Enter does nothing."""

    def __init__(self, review: Review, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.review = review
        self.marks = review.marks
        self.cell: Cell | None = None

    # -- what it tells of itself ------------------------------------------------------------------

    @classmethod
    def told_marks(cls, marks: Marks) -> list[MarkTold]:  # noqa: ARG003 - for a kind to say
        """The marks that it draws, for the help."""
        return []

    def hints(self, keys: Sequence[Key]) -> list[Hint]:  # noqa: ARG002 - for a kind to say
        """Hints before all others in the key strip, beside those of its `KEYS` that have a place
        there.
        """
        return []

    def taking_hints(self) -> list[Hint]:
        """What the key strip says first while words are being selected."""
        return []

    @property
    def keys_here(self) -> Sequence[Key]:
        """Those of its `KEYS` that mean something at the cell in sight; the screen has what they
        leave of its own.
        """
        return self.KEYS

    # -- the cell ---------------------------------------------------------------------------------

    def show(self, cell: Cell, *, fresh: bool) -> None:  # noqa: ARG002 - for a kind to heed
        """Shows a cell: a fresh one from its beginning, the same one as it is now with the cursor
        where it was.
        """
        self.cell = cell

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        """Puts the cursor on what a correction was about, after `show`; `turned`: it was undone or
        redone.
        """

    @property
    def place(self) -> Place:
        """Where the cursor is: kept between sessions, and what `y` copies."""
        return "", 0

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on an item."""

    def evidence(self) -> Sequence[Evidence]:
        """Where the response bears the items out."""
        return ()

    def detail(self) -> Content:
        """All there is to know of what is under the cursor; `K` shows it whole."""
        return Content()

    def summary(self) -> str:
        """A few words behind the numbers: how complete the labels are."""
        return ""

    def doubts(self) -> str:
        """What speaks against signing the cell off, in sentences; nothing where nothing does."""
        return ""

    def in_doubt(self) -> int:
        """How many excerpts no words of the response bear out."""
        return 0

    def remarks(self, before: Cell, after: Cell) -> list[str]:  # noqa: ARG002 - for a kind to say
        """What there is to know of a change beside the numbers, in sentences."""
        return []

    # -- corrections ------------------------------------------------------------------------------

    def found_again(self, edit: Any, now: Cell) -> Any:  # noqa: ARG002 - for a kind to know
        """The edit on the same item where it stands by now: edits of one act, and replies, may have
        moved it.
        """
        return edit

    def corrected(self, edit: Any) -> None:
        """Hears of the last edit of an act that was made."""

    def begin(self, conversation: Conversation) -> None:
        """Runs a coroutine that asks the person something as far as it can go at once; says why it
        was refused.
        """
        begin(self._refusable(conversation))

    async def _refusable(self, conversation: Conversation) -> None:
        try:
            await conversation
        except Refused as refusal:
            self.review.say(str(refusal))

    # -- the cursor and the focus -----------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Its keys act only on the bench: where a cell is only looked at, there are none."""
        return super().check_action(action, parameters) if self.review.keys else False

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
        """Its lists, the one with the items first: jump mode labels their rows, `G` goes to the end
        of the first.
        """
        return list(self.query(Lines))

    def one_at_a_time(self, one: bool) -> None:
        """Hears whether there is room for everything at once."""

    @property
    def has_marked(self) -> bool:
        """Whether items are marked, so that keys mean all of them."""
        return False

    def clear_marks(self) -> bool:
        """Lets go of marked items, at Esc; false where there are none."""
        return False


class Looking:
    """A `Review` in which a cell is only looked at: no question is open for long, and nothing can
    be corrected.
    """

    readonly = True
    selecting = False
    keys: Sequence[Key] = ()

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

    async def pick(
        self,
        title: str,  # noqa: ARG002
        choices: list[Choice],  # noqa: ARG002
        *,
        none: str = "",  # noqa: ARG002
        on_none: bool = False,  # noqa: ARG002
        about: Hashable = None,  # noqa: ARG002
        free: bool = False,  # noqa: ARG002
    ) -> str:
        self._say(READS_ONLY)
        raise Left

    async def line(
        self,
        label: str,  # noqa: ARG002
        initial: str = "",  # noqa: ARG002
        *,
        about: Hashable = None,  # noqa: ARG002
    ) -> str:
        raise Left

    def done_with(self, about: Hashable) -> None:
        """Nothing is typed here."""

    async def select_words(self, offers: Sequence[Stretch] = ()) -> Stretch | None:  # noqa: ARG002
        raise Left

    def correct(
        self,
        items: Sequence[Sequence[Any]],  # noqa: ARG002
        done: str = "changed",  # noqa: ARG002
        *,
        repeated: bool = False,  # noqa: ARG002
    ) -> bool:
        self._say(READS_ONLY)
        return False
