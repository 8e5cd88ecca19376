"""What the property suite over all kinds (`traits/test_kinds.py`) needs to know of one.

A kind gives it as `EXAMPLES` in `tests/traits/<kind>/examples.py`.
"""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from hypothesis.strategies import SearchStrategy

from appellate import manual
from appellate.core.kind import E, L, S
from appellate.core.trace import Trace

KINDS = Path(__file__).parent / "kinds"
"""The folder of the tests' own kind: on `PYTHONPATH` it puts it beside those that ship."""


def shown_in_manual(key: str) -> list[dict[str, Any]]:
    """The traits of a list that the manual shows."""
    blocks = re.findall(r"```toml\n(.*?)```", manual.page("rubrics"), re.DOTALL)
    return tomllib.loads(next(block for block in blocks if key in block))[key]


def varied(kind: Any, **own: Any) -> Any:
    """A kind that differs from another in some of its members."""
    return type("Varied", (type(kind),), own)()


@dataclass(frozen=True)
class Examples(Generic[S, L, E]):
    """Legal traits of different shapes and names, a trace for them, and anything that may come with them.

    `tables` are a judge's tables as they arrive, legal and not located; `edits` are edits of labels, sensible or
    not. `wrong` are tables that are to be refused for the first trait. `changed` is the first trait, under its
    name, so that it would be judged otherwise. `queries` ask for fields of the kind's own.
    """

    traits: Sequence[S]
    trace: Trace
    tables: Callable[[S], SearchStrategy[dict[str, Any]]]
    edits: Callable[[S, L], SearchStrategy[E]]
    wrong: Sequence[dict[str, Any]]
    changed: S
    queries: Sequence[str] = ()
