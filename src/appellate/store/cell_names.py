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
    """Return the number of the cell that a text names; None if there is none.

    The forms are those in which cells are printed, such as `bcl2-2#2/Accuracy`, `trace 15/57` and
    `cell 3`. Ids and traits are written as they are, other words in any letter case. A trace's name
    or number alone means its first cell. A text that may be either is a name.
    """
    for words in _readings(text.strip()):
        cell_no = None
        trace_no = workspace.traces.named(words)
        if trace_no:
            cell_no = _first_of(workspace, trace_no)
        if not cell_no:
            cell_no = _of_both(workspace, words)
        if cell_no:
            return cell_no
    return _numbered(workspace, text.strip())


def likeliest_cell(workspace: Workspace, text: str) -> int | None:
    """Return the first cell of the trace that a text most likely means; None if there is none.

    The text may be the number, id or name of a trace, or a part of its id in any letter case, and
    is tried as these in that order. Blanks around it do not count. "" means the first trace.
    """
    for place in workspace.traces.like(workspace.rubric, text, 1):
        return _first_of(workspace, place.no)
    return None


def instead_of(workspace: Workspace, text: str) -> tuple[str, str]:
    """Return what is wrong with a text that names no cell, and a hint at what may be meant, or "".

    Both are in lower case, without a full stop. If the text names a trace, but no trait of it after
    a blank or one of `·,/`, they are about its traits, with "did you mean …?" or "it has …". A
    trace without any cell is named as such, without a hint. Else they say that there is no such
    trace, with "did you mean …?" if names are similar. The text is one for which `cell_called`
    returns None.
    """
    for words in _readings(text.strip()):
        separators = list(re.finditer(rf"[{BETWEEN}]+|$", words))
        for separator in reversed(separators):
            name = words[: separator.start()]
            trait = words[separator.end() :]
            trace_no = workspace.traces.named(name)
            if trace_no:
                traits = list(workspace.cells.of_trace(trace_no))
                return _no_trait(name, trait, traits)

    wrong = f"there is no trace “{text}”"
    before_slash, _, _ = text.rpartition("/")
    for name in (before_slash, text.strip()):
        similar_names = _near(workspace, name)
        if similar_names:
            names = " or ".join(similar_names)
            return wrong, f"did you mean {names}?"
    return wrong, ""


def _near(workspace: Workspace, name: str) -> list[str]:
    """Return at most `_NEAR` names of traces whose ids contain a text, or else ids similar to it.

    The letter case does not matter in ids that contain it. A trace whose number it is comes first.
    Empty for "" or if there is none.
    """
    if not name:
        return []
    similar = workspace.traces.like(workspace.rubric, name, _NEAR)
    if similar:
        return [name_of(place.id, place.epoch) for place in similar]
    ids = workspace.column("SELECT DISTINCT id FROM traces ORDER BY no LIMIT ?", _MOST)
    return get_close_matches(name, ids, _NEAR)


def _no_trait(trace: str, trait: str, traits: list[str]) -> tuple[str, str]:
    """Return that a trace has no such trait, and which one may be meant or which it has.

    `trace` and `trait` are named as they were written, and `traits` are those that the trace has.
    Both texts are clauses without a full stop. The second is "" if the trace has no cell at all.
    """
    if not traits:
        return f"trace {trace} has no cell to review", ""
    wrong = f"trace {trace} has no trait “{trait}”"
    similar_names = get_close_matches(trait, traits, 1)
    if similar_names:
        return wrong, f"did you mean {trace}/{similar_names[0]}?"
    names = ", ".join(traits)
    return wrong, f"it has {names}"


def _readings(text: str) -> Iterator[str]:
    """Yield a text, then the same without words around the names, if it has any.

    `trace bcl2-2 epoch 2, trait Accuracy` becomes `bcl2-2#2 Accuracy`. Quotes around the whole are
    taken away, too.
    """
    yield text
    match = _TOLD.fullmatch(text)
    if match is None:
        return
    plain = _TRAIT.sub(" ", match[1], count=1)
    plain = _EPOCH.sub(r"\2#\3", plain).strip("'\"“”")
    if plain != text:
        yield plain


def _of_both(workspace: Workspace, words: str) -> int | None:
    """Return the number of the cell that a text names by its trace and then its trait, or None.

    One or more of `BETWEEN` stand between the two. The trace may be named by its number. The
    trait's name must be written as in the rubric, letter case included.
    """
    for trait in workspace.rubric.trait_names():
        before_trait = words.removesuffix(trait)
        name = before_trait.rstrip(BETWEEN)
        if not name or name == before_trait:
            continue
        trace_no = workspace.traces.named(name) or _trace_number(workspace, name)
        if not trace_no:
            continue
        cells = workspace.cells.of_trace(trace_no)
        if trait in cells:
            return cells[trait]
    return None


def _numbered(workspace: Workspace, text: str) -> int | None:
    """Return the cell with the number in `cell 3`, or the first cell of a trace named by number.

    The word may be in any letter case. Returns None for any other text, and if there is no such
    cell.
    """
    match = _CELL.fullmatch(text)
    if match is not None:
        cell_no = int(match[1])
        if 1 <= cell_no <= workspace.cells.count():
            return cell_no
    trace_no = _trace_number(workspace, text)
    if trace_no is None:
        return None
    return _first_of(workspace, trace_no)


def _trace_number(workspace: Workspace, text: str) -> int | None:
    """Return the number in `15`, `#15`, `trace 15` or `trace 15/57`, in any case of letters.

    The number after the stroke is not checked. None for any other text, and if no trace has that
    number.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    trace_no = int(match[1])
    if not 1 <= trace_no <= workspace.traces.count():
        return None
    return trace_no


def _first_of(workspace: Workspace, trace: int) -> int | None:
    return next(iter(workspace.cells.of_trace(trace).values()), None)
