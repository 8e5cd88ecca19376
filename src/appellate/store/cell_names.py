"""The cell that somebody names as it is printed: `bcl2-2`, `bcl2-2#2`, `bcl2-2/Accuracy`, `bcl2-2 ·
Accuracy`, `trace 15/57`, `cell 3`, `trace bcl2-2, trait Accuracy`.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from appellate.core.trace import name_of
from appellate.store.workspace import Workspace

BETWEEN = " ·,/"
"""What parts a trace's name from a trait, wherever the two are printed."""
_NUMBER = re.compile(r"(?:trace )?#?(\d{1,18})(?: ?/ ?\d+)?", re.IGNORECASE)
_CELL = re.compile(r"cell (\d{1,18})", re.IGNORECASE)
_TOLD = re.compile(r"(?:cell \d+, )?(?:trace )?(.+?)", re.IGNORECASE)
_TRAIT = re.compile(r",? trait (?=\S)", re.IGNORECASE)
_EPOCH = re.compile(r"""^(['"]?)(.+)\1 epoch (\d+)""", re.IGNORECASE)
_MOST = 20_000  # ids among which a likely one is looked for
_NEAR = 3


def cell_called(workspace: Workspace, text: str) -> int | None:
    """The cell of that name; of a trace's name alone its first one."""
    for words in _readings(text.strip()):
        trace = workspace.traces.named(words)
        found = (trace and _first_of(workspace, trace)) or _of_both(workspace, words)
        if found:
            return found
    return _numbered(workspace, text.strip())


def likeliest_cell(workspace: Workspace, text: str) -> int | None:
    """The first cell of the trace whose id holds what was typed, the likeliest first."""
    for place in workspace.traces.like(workspace.rubric, text, 1):
        return _first_of(workspace, place.no)
    return None


def instead_of(workspace: Workspace, text: str) -> tuple[str, str]:
    """What is wrong with a name that no cell has, and what comes near it, if anything does."""
    for words in _readings(text.strip()):
        for parted in reversed(list(re.finditer(rf"[{BETWEEN}]+|$", words))):
            name, trait = words[: parted.start()], words[parted.end() :]
            if trace := workspace.traces.named(name):
                return _no_trait(name, trait, list(workspace.cells.of_trace(trace)))
    for name in (text.rpartition("/")[0], text.strip()):
        if near := _near(workspace, name):
            return f"there is no trace “{text}”", f"did you mean {' or '.join(near)}?"
    return f"there is no trace “{text}”", ""


def _near(workspace: Workspace, name: str) -> list[str]:
    """The names of a few traces that hold what was typed, else of some that come near it."""
    if not name:
        return []
    held = workspace.traces.like(workspace.rubric, name, _NEAR)
    if held:
        return [name_of(one.id, one.epoch) for one in held]
    ids = workspace.column("SELECT DISTINCT id FROM traces ORDER BY no LIMIT ?", _MOST)
    return get_close_matches(name, ids, _NEAR)


def _no_trait(trace: str, trait: str, traits: list[str]) -> tuple[str, str]:
    if not traits:
        return f"trace {trace} has no cell to review", ""
    right = f"it has {', '.join(traits)}"
    if near := get_close_matches(trait, traits, 1):
        right = f"did you mean {trace}/{near[0]}?"
    return f"trace {trace} has no trait “{trait}”", right


def _readings(text: str) -> Iterator[str]:
    """What was written, then the same without the words around the names."""
    yield text
    match = _TOLD.fullmatch(text)
    if match:
        plain = _TRAIT.sub(" ", match[1], count=1)
        yield _EPOCH.sub(r"\2#\3", plain).strip("'\"“”")


def _of_both(workspace: Workspace, words: str) -> int | None:
    """The cell of a trace's name with a trait behind it."""
    for trait in workspace.rubric.trait_names():
        before = words.removesuffix(trait)
        name = before.rstrip(BETWEEN)
        if not name or name == before:
            continue
        trace = workspace.traces.named(name) or _trace_number(workspace, name)
        cell = trace and workspace.cells.of_trace(trace).get(trait)
        if cell:
            return cell
    return None


def _numbered(workspace: Workspace, text: str) -> int | None:
    """The cell of that number, or the first of the trace of that number."""
    cell = _CELL.fullmatch(text)
    if cell and 1 <= int(cell[1]) <= workspace.cells.count():
        return int(cell[1])
    number = _trace_number(workspace, text)
    return number and _first_of(workspace, number)


def _trace_number(workspace: Workspace, text: str) -> int | None:
    match = _NUMBER.fullmatch(text)
    if match and 1 <= int(match[1]) <= workspace.traces.count():
        return int(match[1])
    return None


def _first_of(workspace: Workspace, trace: int) -> int | None:
    return next(iter(workspace.cells.of_trace(trace).values()), None)
