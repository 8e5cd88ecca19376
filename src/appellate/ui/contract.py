"""What a kind may ask of the screen or of line mode, which show its cells; free of Textual.

A correction is a coroutine that awaits a `Review`. It is written once for the screen and for lines.
`ShownCell` is what a kind offers in return.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypedDict, Unpack

from msgspec import Struct
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.core.problem import with_keys
from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.rows import StyledText

if TYPE_CHECKING:
    from appellate.ui.selecting import Stretch

READS_ONLY = "This session only reads: nothing can be corrected in it."

THE_CELL = "The cell"
"""The heading of the choices about the whole cell in a menu."""
Freely = bool | Callable[[str], bool]
"""Which typed words are an answer: all, none, or those for which the function returns true."""
Place = tuple[str, int]
"""Where an item of a cell is, in the kind's own terms: a group and a number.

("", 0) is no particular item.
"""


class Choice(Struct, frozen=True):
    """One thing to pick from a list."""

    key: str
    """What the list returns if this choice is picked."""
    number: str
    """What is shown before the text, in `style`: a number, or a key."""
    text: str
    note: str = ""
    """What is shown after the text."""
    group: str = ""
    """The heading under which the choice is listed while nothing is typed."""
    style: str = "key"
    is_help: bool = False
    """Whether the choice can only be read, not picked."""
    keys: str = ""
    """The keys that pick it, with commas between."""


NOTHING = Choice("", "", "nothing: go back")
"""The first choice in a list of acts, so that pressing Enter twice does none of them."""
NO_REASON = Choice("", "0", "no reason")
WHY = "Why? Enter gives no reason"
LONGER = "\n"
"""The key of the choice that asks for words of several lines."""


def keyed(text: str, review: "Review") -> str:
    """Return a text in which each `{id:usual key}` is the key that the person has (`with_keys`).

    Of a command that is on several keys the first is named, and for an id that `review` does not
    have the usual key. A sentence or hint that names a command on no key is left out; a text of
    that sentence alone says "(no key)".
    """
    names: dict[str, str] = {}
    for key in review.keys:
        first_name, _, _ = key.shown.partition(" ")
        names[key.id] = first_name
    return with_keys(text, names)


class Picking(TypedDict, total=False):
    """How one of some choices is picked: the keyword arguments of `Review.pick`."""

    none: str
    """The text of a last choice that means none of the others."""
    on_none: bool
    """Whether the cursor begins on that choice."""
    about: Hashable
    """What the question is about, as in `Review.line`."""
    free: Freely
    """Which typed words are an answer."""
    typed: str
    """What was typed already."""


class Review(Protocol):
    """What a pane or lines may ask for. Everything happens in the call itself; only answers are
    awaited.
    """

    @property
    def marks(self) -> Marks: ...

    @property
    def readonly(self) -> bool:
        """Whether nothing can be corrected in this session."""

    @property
    def keys(self) -> Sequence[Key]:
        """All keys as the person has them: those of the screen, and those of this pane's kind."""

    @property
    def of_cell(self) -> Sequence[str]:
        """The ids of the keys about the whole cell with which every menu of an item ends."""

    @property
    def judging(self) -> bool:
        """Whether a judge is working now."""

    @property
    def selecting(self) -> bool:
        """Whether the person began to select words of the response, by `v` or the mouse."""

    def say(self, text: str) -> None:
        """Show a sentence instead of the keys, until the next key."""

    def sees_item(self) -> bool:
        """Return whether the person sees what a key would change; if not, that is said to them.

        They do not while only the response is on the screen.
        """

    def looked(self) -> None:
        """Tell that the cursor is on another item, so that the response shows its evidence."""

    def take_words(self) -> "Stretch | None":
        """End the selection and return its words.

        Returns None, and says so to the person, if none are selected.
        """

    def run(self, key: str) -> None:
        """Do what the key with this id does."""

    async def pick(
        self,
        title: str,
        choices: list[Choice],
        **how: Unpack[Picking],
    ) -> str:
        """Let the person pick one of the choices, and return its key.

        `title` is the question; `how` is explained in `Picking`. Returns "" for the choice `none`,
        which is there only if it was given. Typed words that are an answer are returned without the
        blanks around them. Raises `Left` if the person leaves the question.
        """

    async def line(
        self,
        label: str,
        initial: str = "",
        *,
        about: Hashable = None,
        typed: str | None = None,
        checking: Callable[[str], str] | None = None,
    ) -> str:
        """Ask for a line of text and return it; raises `Left` if the person leaves it.

        - `label`: the question, which stands before the line.
        - `initial`: what is in the line at first.
        - `about`: what was typed is kept under this, and offered again until `done_with`.
        - `typed`: text that is in the line instead, to be replaced by typing.
        - `checking`: returns what is wrong with the line, in a sentence that is shown while typing.
        """

    def done_with(self, about: Hashable) -> None:
        """Forget what was typed about something, because it was accepted."""

    async def select_words(
        self,
        offers: "Sequence[Stretch]" = (),
        *,
        which: str = "",
        none: str = "",
    ) -> "Stretch | None":
        """Let the person select words of the response, and return where; None for no words.

        - `offers`: stretches to choose from, the likeliest first.
        - `which`: for which of several items the words are.
        - `none`: what it means to select no words, if Enter alone may answer so.

        Raises `Left` if the person leaves it.
        """

    def copy(self, label: str, text: str) -> None:
        """Copy a text and say so, calling it by its label; line mode prints the text."""

    def correct(
        self,
        items: Sequence[Sequence[Any]],
        done: str = "changed",
        *,
        repeated: bool = False,
        note: str = "",
    ) -> bool:
        """Make corrections as one act; returns False if none was made.

        - `items`: for each item its edits in order, as values of the kind.
        - `done`: what happened to an item, in the past tense.
        - `repeated`: whether the last act is repeated, on another item.
        - `note`: what was decided without asking the person.

        Refusals and remarks are shown to the person, and not raised.
        """


class ShownCell:
    """The open cell as its kind shows it, and what the kind knows about corrections in it."""

    cell: Cell | None = None
    labelled_by = "judge"
    """Who gives the labels if no person does: judge, rule, pattern."""

    def show(self, cell: Cell, *, fresh: bool) -> None:  # noqa: ARG002 - for a kind to heed
        """Show a cell: from its beginning if `fresh`, else with the cursor where it was.

        Each kind has its own beginning, such as the verdict, or the first step that is not right.
        Here the cell is only remembered; a kind draws it in a method of its own.
        """
        self.cell = cell

    def follow(self, edit: Mapping[str, Any], before: Cell, *, turned: bool) -> None:
        """Put the cursor on what a correction was about; here nothing happens.

        `edit` is the correction as plain data, `before` the cell before it. `turned` is true if the
        correction was undone or redone.
        """

    @property
    def place(self) -> Place:
        """Where the cursor is, as a group and a number: kept between sessions, and what `y` copies.

        ("", 0) is no particular item, as here.
        """
        return "", 0

    def go(self, group: str, number: int) -> None:
        """Put the cursor on an item, by its group and number (`Place`); here nothing happens."""

    def doubts(self) -> str:
        """Return reasons not to sign the cell off, in sentences; "" for none."""
        return ""

    def remarks(self, before: Cell, after: Cell) -> list[str]:  # noqa: ARG002 - for a kind to say
        """Return what a person should know about a change besides the numbers, in sentences.

        Here there is nothing to know: the list is empty.
        """
        return []

    def found_again(self, edit: Any, now: Cell) -> Any:  # noqa: ARG002 - for a kind to know
        """Return an edit adjusted to where its item is in the present cell `now`.

        Other edits may have moved it. Here the edit is returned as it is. A kind whose items move
        overrides it, and returns an edit whose item is gone as it is.
        """
        return edit

    def corrected(self, edit: Any) -> None:
        """Take note of the last edit of an act, if anything changed; here nothing happens."""


class NamedItems(ShownCell):
    """Items whose names do not change by corrections; there are none here, as in a cell of one
    verdict.
    """

    def named(self) -> Mapping[str, Place]:
        """Return where each named item is, in the order of reading."""
        return {}

    @property
    def names_here(self) -> Sequence[str]:
        """The names of the items under the cursor."""
        return ()

    def tell_seen(self, text: str) -> None:
        """Show how many items were seen, in words, if no frame shows it."""


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
    """Return whether something can be corrected now; if not, the person is told why.

    Nothing can if the person does not see the item (`Review.sees_item`, which tells them), or if
    the session only reads.
    """
    if not review.sees_item():
        return False
    if review.readonly:
        review.say(READS_ONLY)
    return not review.readonly


def reason_choices(reasons: Sequence[str], current: str = "") -> list[Choice]:
    """Return the usual reasons as choices in their order, with the note "given" at the current.

    A current reason that is none of them comes first; "" is no reason.
    """
    choices = []
    for reason in reasons:
        note = "given" if reason == current else ""
        choices.append(Choice(reason, "", reason, note))
    if current and current not in reasons:
        choices.insert(0, Choice(current, "", current, "given"))
    return choices


def is_reason(typed: str) -> bool:
    """Return whether typed words are a reason: all are, except "0", the number of `NO_REASON`."""
    return typed != NO_REASON.number


def takes(free: Freely, typed: str) -> bool:
    """Return whether typed words are an answer, by `free`: a yes or no for all, or a function."""
    if callable(free):
        return free(typed)
    return free


async def pick_action(review: Review, title: str, offers: Mapping[str, str]) -> None:
    """Let the person pick one thing to do, and do it as its key would (`Review.run`).

    `offers` has what each does, by the id of its key; one that `review.keys` lacks is offered, too.
    The first choice is to do nothing, and the last ones are the acts about the whole cell,
    `Review.of_cell`, without those that `review.keys` lacks. Raises `Left` if the person leaves the
    list.
    """
    keys = {key.id: key for key in review.keys}
    choices = [NOTHING]
    for key_id, text in offers.items():
        choice = Choice(key_id, "", text)
        choices.append(_on_key(choice, keys.get(key_id)))
    for key_id in review.of_cell:
        key = keys.get(key_id)
        if key is not None:
            choice = Choice(key_id, "", key.help, group=THE_CELL)
            choices.append(_on_key(choice, key))
    picked = await review.pick(title, choices)
    if picked != NOTHING.key:
        review.run(picked)


def _on_key(choice: Choice, key: Key | None) -> Choice:
    """Return a copy of the choice that shows the key's name and is picked by its keys.

    Without a key, or for one that is on no key, the choice itself is returned.
    """
    if key is None or not key.keys:
        return choice
    return replace(choice, number=key.shown, keys=key.keys)


class Evidence(NamedTuple):
    """A stretch of the response that an item is about, in code points."""

    start: int
    end: int
    style: str
    """The name of a component class of the response."""
    mark: str
    """What is drawn after the words."""
    place: Place
    counts: bool = True
    """Whether the evidence counts; it is drawn dim if not."""


_DIGITS = 9
"""Digits of a step's number that are read: no conversation has more steps."""


def step_named(text: str) -> int | None:
    """Return the number of the step that a person names as `s19` or `S 19`, in either case.

    Blanks around the name and after its letter are passed over. None for any other text. It is not
    checked that there is such a step. Only the first `_DIGITS` digits count, the others are cut.
    """
    name = text.strip().lower()
    if not name.startswith("s"):
        return None
    number = name.removeprefix("s").strip()
    if not (number.isascii() and number.isdecimal()):
        return None
    return int(number[:_DIGITS])


def step_no(subject: Subject, span: tuple[int, int] | None) -> int | None:
    """Return the number, from 1, of the step of a conversation in which an excerpt begins.

    `span` is where the excerpt is in the text, or None if it was not found. Returns None then, for
    a response, and for a span that begins in no step.
    """
    transcript = subject.transcript
    if transcript is None or span is None:
        return None
    step = transcript.step_at(span[0])
    return None if step is None else step.no


Named = tuple[tuple[int, int] | None, int | None]
"""The span of an excerpt, None if it was not found, and the step that a judge named for it.

The step is None if the judge named none, or if the excerpt was found in it.
"""


def beside_step(subject: Subject, excerpts: Iterable[Named]) -> tuple[StyledText, ...]:
    """Return the pieces at the right end of a row for the steps that its excerpts are in, in order.

    They read ` [19]` in style "muted". What is odd about an excerpt follows the number, and then
    the style is "flag": ` [2] user's words`, ` [9] judge: step 21`. Of equal pieces only the first
    is there. Excerpts that were not found, or are in no conversation, have none.
    """
    pieces: list[StyledText] = []
    for span, named_step in excerpts:
        step_number = step_no(subject, span)
        if step_number is None:
            continue
        remarks = oddities(subject, span, named_step)
        text = f" [{step_number}]"
        style = "muted"
        if remarks:
            text += f" {', '.join(remarks)}"
            style = "flag"
        pieces.append(StyledText(text, style))
    return tuple(dict.fromkeys(pieces))


def in_step(
    subject: Subject,
    span: tuple[int, int] | None,
    named_step: int | None = None,
) -> str:
    """Return what a printed line says about the step of an excerpt: `, step 19`.

    What is odd about it follows: `, step 2, user's words`. `named_step` is the step that a judge
    named, if the excerpt is not there. "" for an excerpt that was not found, and in a response.
    """
    step_number = step_no(subject, span)
    if step_number is None:
        return ""
    text = f", step {step_number}"
    for remark in oddities(subject, span, named_step):
        text += f", {remark}"
    return text


def oddities(
    subject: Subject,
    span: tuple[int, int] | None,
    named_step: int | None = None,
) -> list[str]:
    """Return what is odd about an excerpt of a conversation, in a few words each.

    Words of a user or of the system are odd, because they show nothing of what the assistant did.
    `named_step` is another step than the excerpt's that a judge named for it, or None: that is odd,
    too. The list is empty in a response, and for a `span` of None or over several steps.
    """
    remarks: list[str] = []
    step = None
    if subject.transcript is not None and span is not None:
        step = subject.transcript.step_of(span)
    if step is None:
        return remarks

    if step.is_context:
        remarks.append(f"{step.turn.role}'s words")
    if named_step is not None:
        remarks.append(f"judge: step {named_step}")
    return remarks
