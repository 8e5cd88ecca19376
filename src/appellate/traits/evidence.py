"""Finding an excerpt in the response.

Verbatim first; else with white space, case, quotes, dashes, full-width signs, Unicode composition,
Markdown emphasis, escapes and what is invisible folded. Response and excerpt are folded alike and
compared as plain strings, with a way back to the response's own offsets: no wording of either makes
a search cost more than one pass.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from appellate.core.kind import Fault, Table
from appellate.core.problem import Refused, describe_value, lower, unknown_key
from appellate.core.trace import Trace
from appellate.talk.latex import with_commands

if TYPE_CHECKING:
    from appellate.core.transcript import Step, Transcript

Span = tuple[int, int]
_Search = Callable[[int], Span | None]

_ALIKE = {'"': "“”„‟«»″", "'": "‘’‚‛′´", "-": "‐‑‒–—―−", "σ": "ς"}
_SPACES = [chr(c) for c in range(0x3001) if chr(c).isspace()]
_FOLDED = {ord(c): to for to, alike in _ALIKE.items() for c in alike} | {
    ord(c): " " for c in _SPACES
}
_FOLDED |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # ４２（ of CJK texts
_INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
"""Soft hyphens, joiners, marks of direction, variation selectors: a range of a pattern."""
_MARK = rf"[*_`{_INVISIBLE}]|~~++|\\++(?=[!-/:-@\[-`{{-~])"
"""What is left out: emphasis, what is invisible, and backslashes that escape a sign."""
_CHANGING_IN_ASCII = re.compile(
    rf"(?<=\w)(?P<apostrophe>`)(?=\w)|(?P<left_out>(?:{_MARK})(?: |{_MARK})*+| (?: |{_MARK})++)"
    r"|(?P<backslashes>\\{2,}+)"
)
_ELLIPSIS = re.compile(r"…|\[\.\.\.\]|\[…\]|\.\.\.")


_Takes = Callable[["Step"], bool]
"""Whether excerpts are looked for in a step."""


class Finder:
    """Looks excerpts up in one response, or in a conversation, where each lies within a step.

    There it is looked for in the step that a judge named, then in those of the assistant, then in
    those of tools, then in those of others.
    """

    def __init__(self, response: str, steps: "Transcript | None" = None) -> None:
        self._response = response
        self._steps = steps

    @classmethod
    def of(cls, trace: Trace) -> "Finder":
        """Return the finder in the text of a trace as its trait reads it."""
        return cls(trace.text, trace.transcript)

    def find(
        self, text: str, taken: Collection[Span] = (), step_no: int | None = None
    ) -> Span | None:
        """Return the first place of an excerpt that overlaps none taken, else its first, else None.

        `step_no` is the step of a conversation that is looked through before others. Words that
        stand in a step of the assistant are not looked for in those of others, taken or not.
        """
        excerpt = text.strip()
        if not excerpt:
            return None
        busy = _merged(taken)
        searches = [(self._verbatim, excerpt), (self._folding, excerpt)]
        unescaped = with_commands(excerpt, self._response)
        if unescaped != excerpt:
            searches.append((self._folding, unescaped))
        nexts = [search(words) for search, words in searches]
        if self._steps is None:
            first, free = self._first_free(nexts, busy)
            return free or first
        named = None
        if step_no is not None:
            named, free = self._first_free(nexts, busy, partial(_has_number, step_no))
            if free:
                return free
        for rank in _RANKS:
            first, free = self._first_free(nexts, busy, partial(_is_of_rank, rank))
            if free or named or first:
                return free or named or first
        return None

    def _first_free(
        self, nexts: Sequence[_Search], busy: Sequence[Span], takes: _Takes | None = None
    ) -> tuple[Span | None, Span | None]:
        """Return the first place in the steps that `takes` takes, and the first that is free."""
        first = None
        for next_place in nexts:
            start = 0
            while place := next_place(start):
                if self._steps is not None and takes is not None:
                    step = self._steps.step_of(place)
                    if step is None or not takes(step):
                        start = place[0] + 1
                        continue
                first = first or place
                index = bisect_right(busy, place[0], key=itemgetter(1))
                if index == len(busy) or place[1] <= busy[index][0]:
                    return first, place
                start = busy[index][1]
        return first, None

    def find_parts(
        self, text: str, taken: Collection[Span] = (), step_no: int | None = None
    ) -> list[Span]:
        """The places of an excerpt: one, or of "A … B" one for each part; all or none."""
        whole = self.find(text, taken, step_no)
        if whole:
            return [whole]
        parts = [part for part in _ELLIPSIS.split(text) if part.strip()]
        if parts == [text]:
            return []
        places: list[Span] = []
        for part in parts:
            end = places[-1][1] if places else 0
            place = self._after(part, taken, end, step_no)
            if place is None:
                return []
            places.append(place)
        return places

    def as_one(self, places: Sequence[Span]) -> Span | None:
        """Return the stretch from the first of some places to the last; None for none.

        Of a conversation it must lie within one step: else it is the first place.
        """
        if not places:
            return None
        whole = min(places)[0], max(end for _, end in places)
        if self._steps is not None and self._steps.step_of(whole) is None:
            return places[0]
        return whole

    def step_no(self, place: Span) -> int | None:
        """Return the number of the step of a conversation that a place is in; None of others."""
        step = self._steps and self._steps.step_of(place)
        return step.no if step else None

    def context_of(self, text: str, step_no: int | None) -> "Step | None":
        """Return the step of a user or the system in which an excerpt is found, if it is one."""
        if self._steps is None:
            return None
        for place in self.find_parts(text, step_no=step_no):
            step = self._steps.step_of(place)
            if step is not None and step.is_context:
                return step
        return None

    def is_found(self, text: str) -> bool:
        """Whether an excerpt is found at all."""
        return bool(self.find_parts(text))

    def has(self, text: str, span: Span) -> bool:
        """Whether the excerpt, or a part of one with an ellipsis, stands at this place."""
        start, end = span
        if not 0 <= start < end:
            return False
        if self._steps is not None and self._steps.step_of(span) is None:
            return False
        words = self._response[start:end]
        if words == text and not words.isspace():
            return True
        wording = _bare(words)
        unescaped = with_commands(text, self._response)
        alike = (text, unescaped, *_ELLIPSIS.split(text))
        return wording != "" and wording in map(_bare, alike)

    def _after(
        self, part: str, taken: Collection[Span], end: int, step_no: int | None
    ) -> Span | None:
        """A part's place behind the part before it if there is one there, else anywhere."""
        place = self.find(part, [*taken, (0, end)], step_no)
        if place is None or place[0] >= end:
            return place
        return self.find(part, taken, step_no)

    def _verbatim(self, excerpt: str) -> _Search:
        def search(start: int) -> Span | None:
            low = self._response.find(excerpt, start)
            if low < 0:
                return None
            return low, low + len(excerpt)

        return search

    def _folding(self, excerpt: str) -> _Search:
        bare = _bare(excerpt)
        if not bare or _composes(bare[0]):
            return lambda _: None
        return lambda start: next(self._folded.places(bare, start), None)

    @cached_property
    def _folded(self) -> "_Folded":
        return _Folded(self._response)


_RANKS = range(3)
"""The ranks of steps (`Step.rank`), in which excerpts are looked for one after the other."""


def _has_number(step_no: int, step: "Step") -> bool:
    return step.no == step_no


def _is_of_rank(rank: int, step: "Step") -> bool:
    return step.rank == rank


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The same stretches in order, with overlapping ones made one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def single_steps(trace: Trace, spans: Iterable[Span]) -> list[Span]:
    """Return stretches of a text as evidence has them: each of a single step of a conversation.

    One over several steps is parted; those of a response, and those of nothing, stay as they are.
    """
    steps = trace.transcript
    found: list[Span] = []
    for start, end in spans:
        if steps is None or start == end:
            found.append((start, end))
        else:
            found += steps.parts_of((start, end))
    return found


# -- folding --------------------------------------------------------------------------------------


class _FoldedStretch(Struct, frozen=True):
    """A stretch of folded text, and the stretch of the original that it stands for."""

    start: int
    end: int
    of: Span
    same: bool  # whether the two run side by side, character for character


class _Folded:
    """A text as it compares, and where each stretch of it is in the original."""

    def __init__(self, text: str) -> None:
        self._pieces: list[_FoldedStretch] = []
        self.text = "".join(self._parts(text))

    def places(self, bare: str, start: int) -> Iterator[Span]:
        """Where a folded excerpt is in the original, from an offset of the original on."""
        low = self.text.find(bare, self._near(start))
        while low >= 0:
            place = self._original(low, low + len(bare))
            if place and place[0] >= start:
                yield place
            low = self.text.find(bare, low + 1)

    def _parts(self, text: str) -> Iterator[str]:
        alike = lower(text).translate(_FOLDED)
        done = at = 0
        for match in _changing(alike).finditer(alike):
            into = _folded_to(match)
            between = alike[done : match.start()]
            middle = at + len(between)
            after = at + len(between) + len(into)
            self._pieces.append(_FoldedStretch(at, middle, (done, match.start()), same=True))
            self._pieces.append(_FoldedStretch(middle, after, match.span(), same=False))
            yield between + into
            done = match.end()
            at = after
        self._pieces.append(_FoldedStretch(at, at + len(text) - done, (done, len(text)), same=True))
        yield alike[done:]

    def _near(self, offset: int) -> int:
        """A place in the folded text before which nothing is at or after `offset`."""
        index = bisect_right(self._pieces, offset, key=lambda piece: piece.of[0]) - 1
        piece = self._pieces[index]
        if not piece.same:
            return piece.start
        return piece.start + min(offset, piece.of[1]) - piece.of[0]

    def _original(self, low: int, high: int) -> Span | None:
        """The original stretch; None where it would begin or end within a composed character."""
        first = self._piece(low)
        last = self._piece(high - 1)
        if not (first.same or low == first.start) or not (last.same or high == last.end):
            return None
        start = first.of[0]
        end = last.of[1]
        if first.same:
            start += low - first.start
        if last.same:
            end = last.of[0] + high - last.start
        return start, end

    def _piece(self, at: int) -> _FoldedStretch:
        return self._pieces[bisect_right(self._pieces, at, key=lambda piece: piece.start) - 1]


def _folded_to(match: re.Match[str]) -> str:
    """Return what a stretch that changes folds to; what is left out between words is one blank."""
    found = match.group()
    match match.lastgroup:
        case "apostrophe":
            return "'"
        case "backslashes":
            return "\\"
        case "left_out":
            return " " if " " in found else ""
    return unicodedata.normalize("NFC", found)


def _bare(text: str) -> str:
    return _Folded(text).text.strip()


def _changing(text: str) -> re.Pattern[str]:
    """What may fold to fewer characters: blanks, and whatever of this text composes."""
    if text.isascii():
        return _CHANGING_IN_ASCII
    patterns = [_CHANGING_IN_ASCII.pattern]
    marks = ""
    others = ""
    for char in set(text):
        if _composes(char):
            marks += re.escape(char)
        if unicodedata.normalize("NFC", char) != char:
            others += re.escape(char)
    if marks:
        patterns.append(f"[^ ][{marks}]+")
    if others:
        patterns.append(f"[{others}]")
    return re.compile("|".join(patterns))


def _composes(char: str) -> bool:
    """Whether a character belongs to the one before: a combining mark, a Hangul vowel or final."""
    return unicodedata.combining(char) > 0 or "\u1160" <= char <= "\u11ff"


# -- what is wrong with a table -------------------------------------------------------------------


def text_faults(table: Table, key: str) -> Iterator[Fault]:
    """What is wrong with a list of texts in a table: that it is no list, or holds no texts."""
    texts = table.get(key, [])
    if not isinstance(texts, list):
        yield Fault((key,), f"must be a list of texts, not {describe_value(texts)}")
        return
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            yield Fault((key, index), f"must be text, not {describe_value(text)}")


def type_faults(table: Table, schema: Table, *keys: str) -> Iterator[Fault]:
    """Texts and booleans of another type than a JSON Schema has them; each may be missing."""
    for key in keys:
        value = table.get(key)
        wanted, words = (
            (str, "text") if schema[key]["type"] == "string" else (bool, "true or false")
        )
        if value is not None and not isinstance(value, wanted):
            yield Fault((key,), f"must be {words}, not {describe_value(value)}")


def item_faults(
    table: Table,
    known: Collection[str],
    check: Callable[[Table], Iterable[Fault]],
    key: str = "items",
) -> Iterator[Fault]:
    """What is wrong with a list of tables: what `check` finds in one, and unknown keys."""
    items = table.get(key, [])
    if not isinstance(items, list):
        yield Fault((key,), f"must be a list of tables, not {describe_value(items)}")
        return
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            yield Fault((key, index), f"must be a table, not {describe_value(item)}")
            continue
        for fault in check(item):
            yield fault._replace(path=(key, index, *fault.path))
        for name in item:
            if name not in known:
                wrong = unknown_key(name, tuple(known))
                yield Fault((key, index, name), *wrong, newer=True)


def span_faults(item: Table, trace: Trace) -> Iterator[Fault]:
    """Yield what is wrong with an item's `start` and `end`: that they mark no part of the text.

    Of a conversation they mark a part of one step, whose number may stand beside them as `step`;
    `named_step` is another that its judge named.
    """
    text = trace.text
    steps = trace.transcript
    start = item.get("start")
    end = item.get("end")
    named_step = item.get("named_step")
    if named_step is not None and type(named_step) is not int:
        wrong = f"must be the number of a step, not {describe_value(named_step)}"
        yield Fault(("named_step",), wrong)
    if "step" in item and steps is None:
        wrong = "belongs to no excerpt of a response, only to one of a conversation"
        yield Fault(("step",), wrong, newer=True)
    if start is None and end is None:
        return
    if type(start) is not int or type(end) is not int:
        given = f"{describe_given(start)} and {describe_given(end)}"
        yield Fault(("start",), f"start and end must both be whole numbers, not {given}")
    elif not 0 <= start < end <= len(text):
        whole = f"a response of {len(text)} characters"
        if steps is not None:
            whole = f"a conversation of {len(text)} characters"
        yield Fault(("start",), f"start {start} and end {end} mark no part of {whole}")
    elif steps is not None and steps.step_of((start, end)) is None:
        wrong = f"start {start} and end {end} do not lie within one step of the conversation"
        yield Fault(("start",), wrong)
    elif steps is not None and "step" in item:
        step = steps.step_of((start, end))
        if step is not None and item["step"] != step.no:
            wrong = f"is {item['step']!r}, but start {start} and end {end} are in step {step.no}"
            yield Fault(("step",), wrong)


def describe_given(value: Any) -> str:
    """A value that is wrong, for the end of a sentence; "missing" where there is none."""
    if value is None:
        return "missing"
    return describe_value(value)


def selected(trace: Trace, span: tuple[int, int], what: str = "evidence does") -> str:
    """Return the words that a person selected.

    Raises Refused where there are none, or where they do not lie within one step of a conversation.
    """
    start, end = span
    steps = trace.transcript
    if not 0 <= start < end <= len(trace.text):
        raise Refused(f"The selected {what} not lie in the response.")
    words = trace.text[start:end]
    if not words.strip():
        raise Refused("Only white space is selected.")
    if steps is not None and steps.step_of(span) is None:
        raise Refused(
            f"The selected {what} not lie within one step. Select words of one step, without its "
            "heading."
        )
    return words
