"""What can be asked of a cell, in the imperative."""

from dataclasses import dataclass

from appellate.core.facts import Failed, Planted, Proposed
from appellate.core.kind import Edit


@dataclass(frozen=True, slots=True)
class Correct:
    """Apply one edit of the cell's kind."""

    edit: Edit
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Adopt:
    """Take a judge's labels as they are: of the proposal numbered `of`, or of its `member`
    (0-based).
    """

    of: int
    member: int | None = None


@dataclass(frozen=True, slots=True)
class SignOff:
    """Stand by the labels, under the trait with this hash, after `seconds` with the cell in
    sight.
    """

    trait_sha256: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the cell into the sample; where `blind`, its judge is hidden until it is ruled."""

    blind: bool


@dataclass(frozen=True, slots=True)
class Undraw:
    """Take the cell out of a sample that is withdrawn."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Lock the verdict on a blind cell, under the trait with this hash, after `seconds` with the
    cell in sight.
    """

    trait_sha256: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Plant:
    """Put a known error before the judge's proposal."""

    what: Planted


@dataclass(frozen=True, slots=True)
class Flag:
    """Set the flag or take it down."""

    on: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """Remark on the cell."""

    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Say why the correction numbered `of` was made."""

    of: int
    reason: str


@dataclass(frozen=True, slots=True)
class Receive:
    """Take in what a judge answered."""

    what: Proposed | Failed


@dataclass(frozen=True, slots=True)
class Show:
    """Note that a judge was shown the cell as an example."""

    to: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the act numbered `of`."""

    of: int


@dataclass(frozen=True, slots=True)
class Redo:
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
