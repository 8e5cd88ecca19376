"""What a kind asks of the screen or the lines that show its cells; free of Textual. Corrections are
coroutines that await a `Review`, written once for both.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypedDict, Unpack

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.core.problem import with_keys
from appellate.ui.conversation import Conversation
from appellate.ui.key import Key, OwnAct
from appellate.ui.marks import Marks
from appellate.ui.rows import ListRow, RowCursor, StyledText

if TYPE_CHECKING:
    from appellate.ui.selecting import Stretch

READS_ONLY = "This session only reads: nothing can be corrected in it."

THE_CELL = "The cell"
Freely = bool | Callable[[str], bool]
"""Whether words that are typed may be an answer: any, none, or those that it says yes to."""
Place = tuple[str, int]
"""Where an item of a cell stands, in the kind's own words: a group and a number. ("", 0) is nowhere
in particular.
"""


class Choice(Struct, frozen=True):
    """One thing to pick, called `number` in `style`. Those of a `group` are under its name while
    nothing is typed; what `is_help` can only be read. Any of its `keys` picks it.
    """

    key: str
    number: str
    text: str
    note: str = ""
    group: str = ""
    style: str = "key"
    is_help: bool = False
    keys: str = ""


NOTHING = Choice("", "", "nothing: go back")
"""Where a list of acts begins, so that Enter pressed twice does none of them."""
NO_REASON = Choice("", "0", "no reason")
WHY = "Why? Enter gives no reason"
LONGER = "\n"
"""The key of a choice that asks for words of several lines."""


def keyed(text: str, review: "Review") -> str:
    """A text with the keys that the person has (`with_keys`)."""
    return with_keys(text, {key.id: key.shown.partition(" ")[0] for key in review.keys})


class Picking(TypedDict, total=False):
    """How one of some choices is picked.

    `none` names none of them, and `on_none` opens on it. `free`: which words that are typed may be
    it. `about`: see `Review.line`. `typed` was typed already.
    """

    none: str
    on_none: bool
    about: Hashable
    free: Freely
    typed: str


class Review(Protocol):
    """What a pane may ask for: all happens in the call itself, only answers are awaited."""

    @property
    def marks(self) -> Marks: ...

    @property
    def readonly(self) -> bool:
        """Whether nothing can be corrected in this session."""

    @property
    def keys(self) -> Sequence[Key]:
        """All keys as the person has them, the screen's and those of this pane's kind."""

    @property
    def of_cell(self) -> Sequence[str]:
        """The ids of the keys of the cell that every menu of an item ends with."""

    @property
    def judging(self) -> bool:
        """Whether a judge is at work."""

    @property
    def selecting(self) -> bool:
        """Whether a person is selecting words of the response by their own wish (`v`, mouse)."""

    def say(self, text: str) -> None:
        """Says a sentence in the place of the keys, until the next key."""

    def sees_item(self) -> bool:
        """Whether one sees what a key would change, beside a response alone; says so if not."""

    def looked(self) -> None:
        """Tells that the cursor is on another item: the response shows its evidence."""

    def take_words(self) -> "Stretch | None":
        """Ends the selection and gives its words; None, and a sentence, where there are none."""

    def run(self, key: str) -> None:
        """Does what the key of an id does."""

    async def pick(self, title: str, choices: list[Choice], **how: Unpack[Picking]) -> str:
        """Lets one of the choices be picked; the answer is its key, "" for none of them."""

    async def line(
        self,
        label: str,
        initial: str = "",
        *,
        about: Hashable = None,
        typed: str | None = None,
        checking: Callable[[str], str] | None = None,
    ) -> str:
        """Asks for a line of text. What was typed is kept by what it is `about`, and offered again
        until `done_with`. What is given as `typed` is there, to be typed over. What is wrong with
        the line, which `checking` says in a sentence, shows while it is typed.
        """

    def done_with(self, about: Hashable) -> None:
        """Lets go of what was typed `about` something: it was taken."""

    async def select_words(
        self, offers: "Sequence[Stretch]" = (), *, which: str = "", none: str = ""
    ) -> "Stretch | None":
        """Has words of the response selected, the likeliest first; None for no words at all.
        `which`: for which of several items. `none`: what no words mean, where Enter alone gives
        that answer.
        """

    def copy(self, label: str, text: str) -> None:
        """Copies a text and says so, calling it by its label; line by line the text is printed."""

    def correct(
        self,
        items: Sequence[Sequence[Any]],
        done: str = "changed",
        *,
        repeated: bool = False,
        note: str = "",
    ) -> bool:
        """Makes corrections as one act, the edits of each item in their order; False where none was
        made. An edit is a value of the kind's, `done` what became of an item, `note` what was
        decided without asking; refusals and remarks are shown.
        """


class ShownCell:
    """The cell in sight as its kind shows it, and what a kind knows of corrections in it."""

    cell: Cell | None = None
    labelled_by = "judge"  # who gives the labels where no person does: judge, rule, pattern …

    def show(self, cell: Cell, *, fresh: bool) -> None:  # noqa: ARG002 - for a kind to heed
        """Shows a cell: from its beginning if `fresh`, else with the cursor where it was."""
        self.cell = cell

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        """Puts the cursor on what a correction was about; `turned`: that was undone or redone."""

    @property
    def place(self) -> Place:
        """Where the cursor is: kept between sessions, and what `y` copies."""
        return "", 0

    def go(self, group: str, number: int) -> None:
        """Puts the cursor on an item."""

    def doubts(self) -> str:
        """What speaks against signing the cell off, in sentences; nothing where nothing does."""
        return ""

    def remarks(self, before: Cell, after: Cell) -> list[str]:  # noqa: ARG002 - for a kind to say
        """What there is to know of a change beside the numbers, in sentences."""
        return []

    def found_again(self, edit: Any, now: Cell) -> Any:  # noqa: ARG002 - for a kind to know
        """The edit on the same item where other edits and replies have moved that."""
        return edit

    def corrected(self, edit: Any) -> None:
        """Takes note of the last edit of an act."""


class NamedItems(ShownCell):
    """Items with names that corrections leave them; by itself none, as in a cell of one verdict."""

    def named(self) -> Mapping[str, Place]:
        """Where each is, in the order of reading."""
        return {}

    @property
    def names_here(self) -> Sequence[str]:
        """Those under the cursor."""
        return ()

    def tell_seen(self, text: str) -> None:
        """Shows how many of them were seen, where no frame does."""


class OfItems:
    """A pane, or lines, whose `items` know where the cursor is."""

    cell: Cell | None
    items: ShownCell

    def show(self, cell: Cell, *, fresh: bool) -> None:
        self.cell = cell
        self.items.show(cell, fresh=fresh)

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        self.items.follow(edit, before, turned=turned)

    @property
    def place(self) -> Place:
        return self.items.place

    def go(self, group: str, number: int) -> None:
        self.items.go(group, number)


def may_correct(review: Review) -> bool:
    """Whether something can be corrected now: what is out of sight is not; says why not."""
    if not review.sees_item():
        return False
    if review.readonly:
        review.say(READS_ONLY)
    return not review.readonly


def reason_choices(reasons: Sequence[str], given: str = "") -> list[Choice]:
    """The reasons usually given, to pick one, and the one that was `given`."""
    choices = []
    for reason in reasons:
        note = "given" if reason == given else ""
        choices.append(Choice(reason, "", reason, note))
    if given and given not in reasons:
        choices.insert(0, Choice(given, "", given, "given"))
    return choices


def is_reason(typed: str) -> bool:
    """Whether words that are typed are one: what is before `NO_REASON` is none."""
    return typed != NO_REASON.number


def takes(free: Freely, typed: str) -> bool:
    """Whether words that are typed are an answer."""
    if callable(free):
        return free(typed)
    return free


async def pick_action(review: Review, title: str, offers: Mapping[str, str]) -> None:
    """Lets one thing to do be picked, by the id of its key, and does it; the cell's come last.

    The cursor begins on doing nothing.
    """
    keys = {key.id: key for key in review.keys}
    choices = [NOTHING]
    for name, words in offers.items():
        choices.append(_on_key(Choice(name, "", words), keys.get(name)))
    for name in review.of_cell:
        if name in keys:
            choices.append(_on_key(Choice(name, "", keys[name].help, group=THE_CELL), keys[name]))
    picked = await review.pick(title, choices)
    if picked != NOTHING.key:
        review.run(picked)


def _on_key(choice: Choice, key: Key | None) -> Choice:
    """The choice with the key that does the same; as it is where that is on no key."""
    if key is None or not key.keys:
        return choice
    return replace(choice, number=key.shown, keys=key.keys)


class Evidence(NamedTuple):
    """A stretch of the response that an item is about, in code points. `style` names a component
    class of the response, `mark` is behind the words; what does not count is dim.
    """

    start: int
    end: int
    style: str
    mark: str
    place: Place
    counts: bool = True


_DIGITS = 9
"""More of a number is not read: no conversation has as many steps."""


def step_named(text: str) -> int | None:
    """Return the number of the step that a person names as `s19`; None for any other text."""
    name = text.strip().lower()
    number = name.removeprefix("s").strip()
    if name.startswith("s") and number.isascii() and number.isdecimal():
        return int(number[:_DIGITS])
    return None


def step_no(subject: Subject, span: tuple[int, int] | None) -> int | None:
    """Return the number of the step of a conversation that an excerpt begins in.

    None for an excerpt of a response, and for one that was not found.
    """
    transcript = subject.transcript
    if transcript is None or span is None:
        return None
    step = transcript.step_at(span[0])
    return None if step is None else step.no


Named = tuple[tuple[int, int] | None, int | None]
"""Where an excerpt is, and the step that a judge named for it, unless it was found there."""


def beside_step(subject: Subject, excerpts: Iterable[Named]) -> tuple[StyledText, ...]:
    """Return what a row has at its right for the steps that its excerpts are in.

    ` [19]`, and as a flag what is odd about it: ` [2] user's words`, ` [9] judge: step 21`.
    """
    found: list[StyledText] = []
    for span, named_step in excerpts:
        no = step_no(subject, span)
        if no is None:
            continue
        odd = oddities(subject, span, named_step)
        text = ", ".join(odd)
        found.append(StyledText(f" [{no}] {text}".rstrip(), "flag" if odd else "muted"))
    return tuple(dict.fromkeys(found))


def in_step(subject: Subject, span: tuple[int, int] | None, named_step: int | None = None) -> str:
    """Return what a line that is printed says of an excerpt's step: `, step 19`; "" for none.

    What is odd about it follows: `, step 2, user's words`.
    """
    no = step_no(subject, span)
    if no is None:
        return ""
    return ", ".join(["", f"step {no}", *oddities(subject, span, named_step)])


def oddities(
    subject: Subject, span: tuple[int, int] | None, named_step: int | None = None
) -> list[str]:
    """Return what is odd about an excerpt of a conversation, in a few words each.

    It is words of a user or of the system, which show nothing of what the assistant did; or a judge
    named another step.
    """
    found: list[str] = []
    step = None
    if subject.transcript is not None and span is not None:
        step = subject.transcript.step_of(span)
    if step is None:
        return found
    if step.is_context:
        found.append(f"{step.turn.role}'s words")
    if named_step is not None:
        found.append(f"judge: step {named_step}")
    return found


# -- line by line ----------------------------------------------------------------------------------


class Paragraph(Struct, frozen=True):
    """Lines that are printed, `mark` before the first, `indent` columns in, further lines `hang`
    more. `quoted` are words of a file, spelt as they are; `in_quotes` puts quotation marks around.
    """

    text: str
    mark: str = ""
    style: str = ""
    indent: int = 0
    hang: int = 0
    quoted: bool = False
    in_quotes: bool = False


INDENT = 4


def printed(row: ListRow, mark: str, style: str = "") -> list[Paragraph]:
    """A row with all that is beside and below it, its sign and `mark` before it."""
    lead = f"{row.sign.text.strip()} {mark}".strip()
    paragraphs = [Paragraph(row.text, lead, style, quoted=True)]
    beside = "; ".join(piece.text.strip() for piece in row.right)
    if beside:
        paragraphs.append(Paragraph(beside, "", "key", INDENT))
    for pieces in (*row.below, *row.under_cursor):
        text = "".join(piece.text for piece in pieces)
        paragraphs.append(Paragraph(text, "", pieces[-1].style, INDENT, quoted=True))
    return paragraphs


class KindLines(ShownCell):
    """The cell in sight as its kind prints it, as `LINES` of `traits/<kind>/linear.py`."""

    KEYS: ClassVar[tuple[Key, ...]] = ()
    """Those of its pane; `OwnAct`s call these lines, other acts their `corrections`."""
    corrections: Any = None
    """What corrects its cell: a coroutine for each correction."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self.items: ShownCell = self  # what knows of corrections

    def first_keys(self) -> Mapping[str, str]:
        """What the keys that rule on this cell do, by their ids: they come first in the help."""
        return {key.id: key.lines for key in self.KEYS if key.lines and key.keys[:1].isdigit()}

    @property
    def count(self) -> int:
        """How many items there are to go through."""
        return 0

    @property
    def at(self) -> int:
        """Which of them the cursor is on, from 0."""
        return 0

    def step_to(self, at: int) -> None:
        """Puts the cursor on one of them."""

    @property
    def name(self) -> str:
        """What the item under the cursor is called, as in the pane; "" where it has no name."""
        return ""

    def head(self) -> Sequence[Paragraph]:
        """What there is to say before the items."""
        return ()

    def item(self) -> Sequence[Paragraph]:
        """The item under the cursor, whole."""
        return ()

    def listed(self) -> Sequence[Paragraph]:
        """Every item, short."""
        return ()

    @property
    def span(self) -> tuple[int, int] | None:
        """The stretch of the response that bears out the item under the cursor."""
        return None

    def spans(self) -> Sequence[tuple[int, int]]:
        """The stretches of the text that bear out the items of the cell."""
        return ()

    def does(self, key: Key) -> Conversation:
        """What one of its keys does here."""
        if key.does is None:
            act: Conversation = key.call(self)
            return act
        owner = self if isinstance(key.does, OwnAct) else self.corrections
        conversation: Conversation = key.does.on(owner)
        return conversation

    def clear_marks(self) -> None:
        """Lets go of marked items, at Esc."""


class ItemLines(OfItems, KindLines):
    """The items that rows show, one after the other."""

    items: Any
    rows: RowCursor[Any]

    @property
    def count(self) -> int:
        return len(self.rows.every)

    @property
    def name(self) -> str:
        return next(iter(self.items.names_here), "")

    @property
    def at(self) -> int:
        return self.rows.at

    def step_to(self, at: int) -> None:
        self.rows.step_to(at)
