"""Runs of agents as their tools record them, a module a format. Each makes messages as OpenAI's
chat has them, which `core.messages` parts into steps. Nothing that a run names is run or fetched.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from appellate.interop.foreign import ForeignFile
from appellate.interop.runs import atif, swe_agent, tau_bench, who_and_when


class RunFormat(NamedTuple):
    """A format whose files are one JSON document each."""

    knows: Callable[[object], bool]
    read: Callable[[Any, str], ForeignFile]
    """Takes the document and what the file is called, without its folder and ending."""


FORMATS: Sequence[RunFormat] = (
    RunFormat(atif.knows, atif.read),
    RunFormat(tau_bench.knows, tau_bench.read),
    RunFormat(swe_agent.knows, swe_agent.read),
    RunFormat(who_and_when.knows, who_and_when.read),
)


def knows(document: object) -> bool:
    """Return whether a document is a run of an agent, or several."""
    return any(known.knows(document) for known in FORMATS)


def read(document: object, stem: str) -> ForeignFile | None:
    """Return the runs in a document; None where it is of no known format."""
    for known in FORMATS:
        if known.knows(document):
            return known.read(document, stem)
    return None
