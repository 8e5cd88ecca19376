"""Code of other people: what a kind that runs any says of it (`Computed.runs`)."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from appellate.core.trace import Trace

S = TypeVar("S")
S_contra = TypeVar("S_contra", contravariant=True)


class CodeSession(Protocol[S_contra]):
    """Code of other people, ready to be run as often as it is wanted."""

    def compute(self, trait: S_contra, trace: Trace) -> dict[str, Any]:
        """A judge's table; raises NotComputed."""

    def close(self) -> None:
        """Ends it, from any thread; a computation that is under way raises NotComputed."""


class Code(Struct, Generic[S], frozen=True, eq=False):
    """Code that computing runs, which takes a permission.

    `name` is what runs for a trait, as a person reads it; `begin` is a session of it, in which
    modules are looked for in these folders first.
    """

    name: Callable[[S], str]
    begin: Callable[[Sequence[str]], CodeSession[S]]
