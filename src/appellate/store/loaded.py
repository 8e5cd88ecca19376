"""What reading a file comes to: a value, or what is wrong, and what the person should know."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from appellate.core.problem import Problem, Unusable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loaded(Generic[T]):
    """A read file; `value` is for use only where there are no `problems`."""

    value: T | None
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    skipped: list[Problem] = field(default_factory=list)  # why bad traces were left out

    def usable(self) -> T:
        """The value; raises Unusable with every problem where there is any."""
        if self.problems or self.value is None:
            raise Unusable(self.problems)
        return self.value
