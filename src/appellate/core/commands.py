"""What can be asked of a cell, in the imperative."""

from msgspec import Struct

from appellate.core.facts import Failed, Planted, Proposed
from appellate.core.kind import Edit


class Correct(Struct, frozen=True):
    """Apply one edit of the cell's kind."""

    edit: Edit
    reason: str = ""


class Adopt(Struct, frozen=True):
    """Take a judge's labels as they are: of the proposal numbered `of`, or of its `member`
    (0-based).
    """

    of: int
    member: int | None = None


class SignOff(Struct, frozen=True):
    """Stand by the labels, under the trait with this hash, after `seconds` with the cell in
    sight.
    """

    trait_sha256: str
    seconds: float | None = None


class Draw(Struct, frozen=True):
    """Take the cell into the sample; where `blind`, its judge is hidden until it is ruled."""

    blind: bool


class Undraw(Struct, frozen=True):
    """Take the cell out of a sample that is withdrawn."""


class Rule(Struct, frozen=True):
    """Lock the verdict on a blind cell, under the trait with this hash, after `seconds` with the
    cell in sight.
    """

    trait_sha256: str
    seconds: float | None = None


class Plant(Struct, frozen=True):
    """Put a known error before the judge's proposal."""

    what: Planted


class Flag(Struct, frozen=True):
    """Set the flag or take it down."""

    on: bool


class Comment(Struct, frozen=True):
    """Remark on the cell."""

    text: str


class Reason(Struct, frozen=True):
    """Say why the correction numbered `of` was made."""

    of: int
    reason: str


class Receive(Struct, frozen=True):
    """Take in what a judge answered."""

    what: Proposed | Failed


class Show(Struct, frozen=True):
    """Note that a judge was shown the cell as an example."""

    to: str


class Undo(Struct, frozen=True):
    """Take back the act numbered `of`."""

    of: int


class Redo(Struct, frozen=True):
    """Let the act numbered `of` stand again."""

    of: int


Command = (
    Correct
    | Adopt
    | SignOff
    | Draw
    | Undraw
    | Rule
    | Plant
    | Flag
    | Comment
    | Reason
    | Receive
    | Show
    | Undo
    | Redo
)
