"""What a model is told beyond the cell that it is asked about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from appellate.core.trace import Trace, name_of


@dataclass(frozen=True, slots=True)
class Example:
    """A cell that a person signed off, shown to a model: `trace` as a judge sees it, `table` the
    audited labels.
    """

    trace: Trace
    table: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Briefing:
    """What a model is told beyond the cell itself: parts that replace the kind's template, and
    examples.
    """

    parts: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    @property
    def shown(self) -> list[str]:
        """The traces of the examples, by name."""
        return [name_of(*example.trace.key) for example in self.examples]


UNBRIEFED = Briefing()
