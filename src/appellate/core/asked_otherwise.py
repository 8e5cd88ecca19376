"""The questions of a trait asked otherwise, to see whether a judge keeps to its answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from appellate.core.kind import Instruction, Trait

S = TypeVar("S", bound=Trait)


class Reworded(NamedTuple, Generic[S]):
    """A trait to ask in place of another; `meant` has, by list and number of its instructions,
    those of the other that they stand for.
    """

    trait: S
    meant: Mapping[tuple[str, int], Instruction]


OtherOrder = Callable[[int], Sequence[int]]
"""Another order of so many things, by their places."""


class Rewording(Struct, Generic[S], frozen=True, eq=False):
    """How a kind asks otherwise.

    `reordered` asks them in another order, `negated` asks for the contrary of each by words that
    stand before it ("" for the kind's own), and `alone` for each by itself. Each gives nothing
    where a trait has no such form.
    """

    reordered: Callable[[S, OtherOrder], Sequence[Reworded[S]]]
    negated: Callable[[S, str], Sequence[Reworded[S]]]
    alone: Callable[[S], Sequence[Reworded[S]]]
