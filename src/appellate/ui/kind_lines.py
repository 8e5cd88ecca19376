"""What a kind and line mode ask of each other: the cell in sight as its kind prints it.

A kind prints its cells in `traits/<kind>/linear.py`, whose `LINES` is a `KindLines`. It asks its
`Review` for answers and corrections, as a pane does.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from msgspec import Struct

from appellate.ui.contract import OfItems, Review, ShownCell
from appellate.ui.conversation import Conversation
from appellate.ui.key import Key, OwnAct
from appellate.ui.rows import ListRow, RowCursor


class Paragraph(Struct, frozen=True):
    """A paragraph that line mode prints."""

    text: str
    mark: str = ""
    """What is printed before the first line."""
    style: str = ""
    indent: int = 0
    """Columns by which all lines are indented; further lines by `hang` more."""
    hang: int = 0
    quoted: bool = False
    """Whether the text is words of a file, which are printed as they are spelt."""
    in_quotes: bool = False
    """Whether quotation marks are put around it."""


INDENT = 4
"""Columns by which what belongs to an item is indented."""


def printed(row: ListRow, mark: str, style: str = "") -> list[Paragraph]:
    """Return a row as paragraphs: its text in `style`, and all that is next to and below it.

    The row's sign and `mark` come before the text. The pieces at the right end are one paragraph,
    and each paragraph below, also those that the screen shows only under the cursor, is another.
    These are indented; a paragraph has the style of its last piece.
    """
    sign = row.sign.text.strip()
    opening = f"{sign} {mark}"
    first = Paragraph(row.text, opening.strip(), style, quoted=True)
    paragraphs = [first]
    right_texts = [piece.text.strip() for piece in row.right]
    right_text = "; ".join(right_texts)
    if right_text:
        paragraph = Paragraph(right_text, "", "key", INDENT)
        paragraphs.append(paragraph)
    for pieces in (*row.below, *row.under_cursor):
        text = "".join(piece.text for piece in pieces)
        last_style = pieces[-1].style
        paragraph = Paragraph(text, "", last_style, INDENT, quoted=True)
        paragraphs.append(paragraph)
    return paragraphs


class KindLines(ShownCell):
    """The open cell as its kind prints it in line mode; `LINES` of `traits/<kind>/linear.py`."""

    KEYS: ClassVar[tuple[Key, ...]] = ()
    """The keys of the kind's pane. `OwnAct`s call these lines, other acts their `corrections`."""
    corrections: Any = None
    """The object that corrects the cell: it has a coroutine for each correction."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self.items: ShownCell = self
        """The object that knows about corrections."""

    def first_keys(self) -> Mapping[str, str]:
        """Return what the keys that rule on this cell do, by their ids, for the help of line mode.

        Here they are those of `KEYS` whose first key is a digit, in their order, and they come
        first in the help. A key that line mode does not have is left out.
        """
        return {
            key.id: key.lines
            for key in self.KEYS
            if key.lines and key.keys[:1].isdigit()
        }

    @property
    def count(self) -> int:
        """How many items there are to go through."""
        return 0

    @property
    def at(self) -> int:
        """The index of the item under the cursor, from 0."""
        return 0

    def step_to(self, index: int) -> None:
        """Put the cursor on the item with an index, from 0."""

    @property
    def name(self) -> str:
        """The name of the item under the cursor, as in the pane; "" if it has none."""
        return ""

    def head(self) -> Sequence[Paragraph]:
        """Return what is printed before the items."""
        return ()

    def item(self) -> Sequence[Paragraph]:
        """Return the item under the cursor in full."""
        return ()

    def listed(self) -> Sequence[Paragraph]:
        """Return all items, each in short."""
        return ()

    @property
    def span(self) -> tuple[int, int] | None:
        """The stretch of the response that supports the item under the cursor, or None, as here."""
        return None

    def spans(self) -> Sequence[tuple[int, int]]:
        """Return the stretches of the text that support the items of the cell."""
        return ()

    def does(self, key: Key) -> Conversation:
        """Call the act of one of the kind's keys, and return the coroutine that it makes.

        Nothing of it has run yet: `begin` runs it. An `OwnAct` is called on these lines, another on
        `corrections`. Raises LookupError for a key that has no act.
        """
        if key.does is None:
            raise LookupError(f"{key.id} has no act")
        owner = self.corrections
        if isinstance(key.does, OwnAct):
            owner = self
        conversation: Conversation = key.does.on(owner)
        return conversation

    def clear_marks(self) -> None:
        """Remove all marks of items, at Esc."""


class ItemLines(OfItems, KindLines):
    """Items that rows show, printed one after the other."""

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

    def step_to(self, index: int) -> None:
        self.rows.step_to(index)
