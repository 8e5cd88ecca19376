"""What can happen to a cell, in the past tense.

These names are a file format and are chosen once: a class that is renamed is another fact. A fact
is an envelope (its number in the workspace, when, by whom) around what happened. Undo and redo are
facts, too: nothing is ever removed from the record.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from sys import float_info
from types import UnionType
from typing import Any, get_args, get_origin

from msgspec import Struct, field

from appellate.core.kind import Table


class Proposed(Struct, frozen=True):
    """A judge proposed labels."""

    table: Table
    """The labels, in the file shape of the trait's kind."""
    judge: Table
    """The judge's record: who it was, and how it was asked."""


NOT_ASKED = "Not asked, since"
"""How the error begins of a cell that failed only because others did."""


class Failed(Struct, frozen=True):
    """A judge gave no judgment."""

    error: str
    """Why, in a sentence."""
    raw: str = ""
    """What it answered."""
    judge: Table = field(default_factory=dict)


class Corrected(Struct, frozen=True):
    """A person corrected the labels by one edit."""

    edit: Table
    """The edit as its kind writes it."""
    before: str = ""
    """The item's text before the edit; `after` is that after it."""
    after: str = ""
    reason: str = ""


class Adopted(Struct, frozen=True):
    """A judge's labels replaced the current ones: those of proposal `of`, or of one of its
    members.
    """

    of: int
    """The fact number of the proposal."""
    member: int | None = None
    """The position of the member in its panel, from 0; None for the proposal itself."""


class Revised(Struct, frozen=True):
    """The trait was changed: earlier facts were made under the trait with the hash `was`."""

    was: str


class Shown(Struct, frozen=True):
    """The cell was shown to a judge as an example, so it says nothing any more about that judge."""

    to: str


class Drawn(Struct, frozen=True):
    """The trace was drawn into the sample; if `blind`, the judge is hidden until a person rules."""

    blind: bool


class Undrawn(Struct, frozen=True):
    """The sample that draw number `of` belongs to was withdrawn before any verdict.

    The cell is as it was before the draw, and labels that were begun blind are set aside.
    """

    of: int


class Contested(Struct, frozen=True):
    """Two people signed off different labels; somebody rules without seeing whose they are."""

    sides: Sequence[Table]
    """The two label sets, in the order in which they are shown (`core.contest`)."""


class Ruled(Struct, frozen=True):
    """A person gave a verdict without seeing the judge's labels. It is locked, and the judge is
    shown.

    The fields are as in `SignedOff`.
    """

    trait_sha256: str
    seconds: float | None = None
    read_sha256: str | None = None
    read: Table | None = None


class SignedOff(Struct, frozen=True):
    """A person signed the labels off."""

    trait_sha256: str
    """The hash of the trait at the time."""
    seconds: float | None = None
    """How long they had the cell in sight; None if unknown."""
    read_sha256: str | None = None
    """The fingerprint of what they read (`core.kind.Subject`).

    None if nobody knows what was read: for imported cells, and facts of an earlier version.
    """
    read: Table | None = None
    """Short fingerprints of the parts of what they read; None if nobody knows what was read.

    `judged` is of what judges had said by then (`core.cell.judged_part`).
    """
    said_at: str | None = None
    """When the person ruled, in the words of the file that the ruling was imported from.

    It is in UTC and ISO 8601 if the file has it so; None if the file does not say, and for a
    sign-off that was made here.
    """
    said_blind: bool | None = None
    """Whether the importer claims that the person ruled without sight of the judge.

    False for an imported ruling without that claim, None for a sign-off that was made here.
    """


class Planted(Struct, frozen=True):
    """An earlier version showed a wrong answer instead of the judge's, as a test of reviewers.

    The labels themselves never had it, so the fact changes nothing.
    """

    asked: Table
    """The question: of, number, text."""
    answer: str
    """The wrong answer."""
    edits: Sequence[Table]
    """The edits that made the wrong answer from the judge's labels."""


class Unmasked(Struct, frozen=True):
    """A planted error was corrected or signed off, and then revealed.

    The fact was written instead of that correction or sign-off, so it changes no labels.
    """

    caught: bool
    """Whether it was corrected."""
    seconds: float | None = None
    """How long the person who signed off had the cell in sight."""


class Flagged(Struct, frozen=True):
    """The flag was set, or removed."""

    on: bool


class Commented(Struct, frozen=True):
    """A person commented on the cell; that changes no state."""

    text: str


class Reasoned(Struct, frozen=True):
    """A reason was given afterwards for the correction with fact number `of`."""

    of: int
    reason: str


class Undone(Struct, frozen=True):
    """The act with fact number `of` is no longer in force."""

    of: int


class Redone(Struct, frozen=True):
    """The act with fact number `of` is in force again."""

    of: int


class Withheld(Struct, frozen=True):
    """All that a person did before the judge was hidden, and that would show it; never saved."""


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
"""What a reviewer does and can undo, except a verdict and what led to it."""
_ACTS = get_args(Act)


def names_of(kinds: Iterable[type]) -> dict[type, str]:
    """Return the name of each class in rows and files, by class: "signed_off" for `SignedOff`."""
    names: dict[type, str] = {}
    for kind in kinds:
        with_underscores = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__)
        names[kind] = with_underscores.lower()
    return names


NAMES = names_of(kind for kind in get_args(What) if kind is not Withheld)
TYPES: dict[str, type[What]] = {name: kind for kind, name in NAMES.items()}


AGENT = "agent"
PERSON = "person"
"""How files say what who acted is: under the key `as`."""


class Fact(Struct, frozen=True):
    """One thing that happened to one cell."""

    n: int
    """The number of the fact, which orders all facts of a workspace."""
    at: str
    """When, in UTC and ISO 8601."""
    by: str
    """Who acted."""
    what: What
    part_of: int | None = None
    """The number of the first fact of the same act; None in that one itself.

    Facts of one act are undone together.
    """
    as_agent: bool = False
    """Whether who acted is an agent, and no person."""

    @property
    def is_act(self) -> bool:
        """Whether a reviewer did it, and can undo it."""
        return isinstance(self.what, _ACTS)


def to_row(what: What) -> tuple[str, dict[str, Any]]:
    """Return the name of an event in files, such as "signed_off", and its body, ready for JSON.

    The body has all fields of the event, also those that are None. `what` must not be `Withheld`,
    which is never saved and has no name.
    """
    return NAMES[type(what)], {
        name: getattr(what, name) for name in what.__struct_fields__
    }


def from_row(name: str, body: Table) -> What:
    """Return the event with this name and body, as `to_row` makes them.

    The values of the body are taken unchecked. Raises KeyError for an unknown name. Raises
    TypeError for a key that is no field of the event, and for a missing field that it needs.
    """
    return TYPES[name](**body)


def written_as(*, as_agent: bool) -> Table:
    """Return the keys that say in a file that an agent acted; none for a person."""
    return {"as": AGENT} if as_agent else {}


def is_by_agent(row: Table) -> bool:
    """Return whether a row of a file says by its key `as` that an agent acted, and no person.

    The key has the word "agent" or "person"; a row without it is a person's. Raises TypeError for
    anything else.
    """
    word = row.get("as", PERSON)
    if word not in (AGENT, PERSON):
        raise TypeError(f"as = {word!r} is neither {PERSON!r} nor {AGENT!r}")
    return bool(word == AGENT)


def fits(value: object, field_type: Any) -> bool:
    """Return whether a value from a file has the type of a field, or one of the types of its union.

    Whole numbers fit a float, unless they are larger than one can be. True and false fit no number.
    A `Sequence` is a list and a `Mapping` a table, with anything in it. None fits only a union with
    None.
    """
    if isinstance(field_type, UnionType):
        return any(fits(value, member_type) for member_type in get_args(field_type))
    value_type = type(value)
    if field_type is float:
        if isinstance(value, int) and abs(value) > float_info.max:
            return False
        return value_type in (int, float)
    container_type = get_origin(field_type)
    return value_type is _IN_FILES.get(container_type, field_type)


_IN_FILES: Mapping[Any, type] = {Sequence: list, Mapping: dict}


def without_nulls(value: Any) -> Any:
    """Return a copy of lists and tables without members that are None, at any depth.

    TOML has no nulls. A tuple becomes a list. Any other value is returned as it is, also None.
    """
    if isinstance(value, list | tuple):
        return [without_nulls(member) for member in value if member is not None]
    if not isinstance(value, Mapping):
        return value
    fields: dict[Any, Any] = {}
    for key, member in value.items():
        if member is not None:
            fields[key] = without_nulls(member)
    return fields
