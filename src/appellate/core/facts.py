"""What can happen to a cell, in the past tense; these names are a file format and are chosen once:
a class that is renamed is another fact.

A fact is an envelope (its number in the workspace, when, by whom, and the cell's place) around what
happened. `undo` and `redo` are facts too: nothing is ever taken out of the record.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import UnionType
from typing import Any, get_args, get_origin

from msgspec import Struct, field

from appellate.core.kind import Table


class Proposed(Struct, frozen=True):
    """A judge's labels arrived: its table in the trait kind's file shape, and who it was."""

    table: Table
    judge: Table


NOT_ASKED = "Not asked, since"
"""So begins the error of a cell that failed because others did."""


class Failed(Struct, frozen=True):
    """A judge gave no judgment: why, what it answered, and who it was."""

    error: str
    raw: str = ""
    judge: Table = field(default_factory=dict)


class Corrected(Struct, frozen=True):
    """One step of undo: an edit in its kind's words, and the item's text before and after it."""

    edit: Table
    before: str = ""
    after: str = ""
    reason: str = ""


class Adopted(Struct, frozen=True):
    """A judge's labels were taken as they are: of the proposal `of`, or its `member` (0-based)."""

    of: int
    member: int | None = None


class Revised(Struct, frozen=True):
    """The trait was changed: facts before were made under the trait with the hash `was`."""

    was: str


class Shown(Struct, frozen=True):
    """The cell was shown to a judge as an example: it says nothing any more about how good such a
    judge is.
    """

    to: str


class Drawn(Struct, frozen=True):
    """The trace came into the sample; where `blind`, the judge is hidden until a person rules."""

    blind: bool


class Undrawn(Struct, frozen=True):
    """The sample that the cell came into by the draw numbered `of` was withdrawn before any
    verdict: the cell is as it was before, and labels that were begun blind are set aside.
    """

    of: int


class Contested(Struct, frozen=True):
    """Two people signed off different labels: somebody rules, and does not see whose they are.

    `sides` are the two label sets in the order that they are shown in (`core.contest`).
    """

    sides: Sequence[Table]


class Ruled(Struct, frozen=True):
    """The labels are a person's verdict without sight of the judge's: it is locked, and the judge's
    are revealed.

    The rest is as in `SignedOff`.
    """

    trait_sha256: str
    seconds: float | None = None
    read_sha256: str | None = None
    read: Table | None = None


class SignedOff(Struct, frozen=True):
    """A person signed the labels off, under the trait with this hash.

    `seconds` is how long they had the cell in sight, None where it is not known. `read_sha256` is
    the fingerprint of what they read, `read` short ones of its parts (`core.kind.Subject`). They
    are None where nobody knows what was read: of what was imported, or kept by an earlier version.
    """

    trait_sha256: str
    seconds: float | None = None
    read_sha256: str | None = None
    read: Table | None = None


class Planted(Struct, frozen=True):
    """An earlier version showed a wrong answer in place of the judge's, as a test of reviewers.

    `asked` is the question (of, number, text), `answer` the wrong answer, and `edits` made it from
    the judge's labels. The labels themselves never had it, so the fact changes nothing.
    """

    asked: Table
    answer: str
    edits: Sequence[Table]


class Unmasked(Struct, frozen=True):
    """The planted error was corrected (`caught`) or signed off, and revealed.

    It was written instead of that correction or sign-off, so it changes no labels. `seconds` is
    how long the person who signed off had the cell in sight.
    """

    caught: bool
    seconds: float | None = None


class Flagged(Struct, frozen=True):
    """The flag was set or taken down."""

    on: bool


class Commented(Struct, frozen=True):
    """A remark on the cell; it changes no state."""

    text: str


class Reasoned(Struct, frozen=True):
    """A reason was given afterwards for the correction numbered `of`."""

    of: int
    reason: str


class Undone(Struct, frozen=True):
    """The act numbered `of` is no longer in force."""

    of: int


class Redone(Struct, frozen=True):
    """The act numbered `of` is in force again."""

    of: int


class Withheld(Struct, frozen=True):
    """All that a person did before the judge was hidden, which would show it; never kept."""


What = (
    Proposed
    | Failed
    | Corrected
    | Adopted
    | Revised
    | Shown
    | Drawn
    | Undrawn
    | Contested
    | Ruled
    | SignedOff
    | Planted
    | Unmasked
    | Flagged
    | Commented
    | Reasoned
    | Undone
    | Redone
    | Withheld
)
Act = Corrected | Adopted | Ruled | SignedOff | Flagged | Commented
"""What a reviewer does, and can take back but for a verdict and what led to it."""
_ACTS = get_args(Act)


def names_of(kinds: Iterable[type]) -> dict[type, str]:
    """What each is called in rows and files: "signed_off" for `SignedOff`."""
    found: dict[type, str] = {}
    for kind in kinds:
        found[kind] = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()
    return found


NAMES = names_of(kind for kind in get_args(What) if kind is not Withheld)
TYPES: dict[str, type[What]] = {name: kind for kind, name in NAMES.items()}


class Fact(Struct, frozen=True):
    """One thing that happened to one cell: `n` orders all facts of a workspace, `at` is UTC, ISO
    8601.

    Facts of one act are undone together: `part_of` is the number of its first, in all but that one.
    """

    n: int
    at: str
    by: str
    what: What
    part_of: int | None = None

    @property
    def is_act(self) -> bool:
        return isinstance(self.what, _ACTS)


def to_row(what: What) -> tuple[str, dict[str, Any]]:
    """The name and the JSON-ready body of what happened."""
    return NAMES[type(what)], {name: getattr(what, name) for name in what.__struct_fields__}


def from_row(name: str, body: Table) -> What:
    """The inverse of `to_row`."""
    return TYPES[name](**body)


def fits(value: object, field_type: Any) -> bool:
    """Whether a value from a file has the type of a field; what is in lists and tables is open."""
    if isinstance(field_type, UnionType):
        return any(fits(value, one) for one in get_args(field_type))
    if field_type is float:
        return type(value) in (int, float)
    return type(value) is _IN_FILES.get(get_origin(field_type), field_type)


_IN_FILES: Mapping[Any, type] = {Sequence: list, Mapping: dict}
