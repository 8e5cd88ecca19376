"""Finds an excerpt in the response, and checks offsets in tables.

An excerpt is looked for verbatim first. Then white space, case, quotes, dashes, full-width signs,
Unicode composition, Markdown emphasis, escapes and invisible characters are folded. Response and
excerpt are folded alike and compared as plain strings, with a way back to the response's own
offsets, so no wording makes a search cost more than one pass.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NewType

from msgspec import Struct

from appellate.core.kind import Fault, Table
from appellate.core.problem import Refused, describe_value, lower, many, unknown_key
from appellate.core.trace import Trace
from appellate.talk.latex import with_commands

if TYPE_CHECKING:
    from appellate.core.transcript import Step, Transcript

Span = tuple[int, int]
"""Offsets in code points: the first character, and the one after the last."""
FoldedText = NewType("FoldedText", str)
"""A text as it is compared: in lower case, with single spaces and plain signs."""
_Search = Callable[[int], Span | None]
"""Returns the first span of an excerpt at or after an offset, or None."""

_ALIKE = {'"': "“”„‟«»″", "'": "‘’‚‛′´", "-": "‐‑‒–—―−", "σ": "ς"}
_MAYBE_SPACES = (*range(0x100), 0x1680, *range(0x2000, 0x2060), 0x3000)
_SPACES = [chr(code) for code in _MAYBE_SPACES if chr(code).isspace()]
_FOLDED = {ord(c): to for to, alike in _ALIKE.items() for c in alike} | {
    ord(c): " " for c in _SPACES
}
# ４２（ of CJK texts
_FOLDED |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
"""Soft hyphens, joiners, marks of direction and variation selectors, as a range of a pattern."""
_MARK = rf"[*_`{_INVISIBLE}]|~~++|\\++(?=[!-/:-@\[-`{{-~])"
"""A pattern for what folding leaves out: emphasis, invisible characters, and backslashes that
escape a sign.
"""
_CHANGING_IN_ASCII = re.compile(
    rf"(?<=\w)(?P<apostrophe>`)(?=\w)|(?P<left_out>(?:{_MARK})(?: |{_MARK})*| (?: |{_MARK})+)"
    r"|(?P<backslashes>\\{2,}+)",
)
"""What folding changes in ASCII. Nothing follows the repetitions, so none is gone through again.

They are not possessive: early releases of Python 3.11 then take a backslash that its lookahead
refused.
"""
_ELLIPSIS = re.compile(r"…|\[\.\.\.\]|\[…\]|\.\.\.")


_Takes = Callable[["Step"], bool]
"""Says whether excerpts are looked for in a step."""


class Finder:
    """Looks excerpts up in one response, or in one conversation.

    In a conversation each excerpt lies within a step. It is looked for in the step that a judge
    named, then in those of the assistant, then in those of tools, then in those of others.
    """

    def __init__(self, response: str, steps: "Transcript | None" = None) -> None:
        """Prepare to look excerpts up in the text of a response or of a whole conversation.

        `steps` divides the text of a conversation; None means that it is one response.
        """
        self._response = response
        self._steps = steps

    @classmethod
    def of(cls, trace: Trace) -> "Finder":
        """Return a finder for the text of a trace as its trait reads it."""
        return cls(trace.text, trace.transcript)

    def find(
        self,
        text: str,
        used_spans: Collection[Span] = (),
        step_no: int | None = None,
    ) -> Span | None:
        """Return the first span of an excerpt that overlaps no used one, or else its first span.

        None if the excerpt is nowhere or blank. White space around it is ignored. Words that are
        exactly these go before words that are equal after folding. In a conversation the step
        `step_no` is searched first, then the steps of the assistant, of tools, of others: the first
        of these groups that has the excerpt decides, even if its span is used. If it is used in
        `step_no`, only the assistant's steps are searched for a free one.
        """
        excerpt = text.strip()
        if not excerpt:
            return None
        merged_spans = _merged(used_spans)
        searches = [(self._verbatim_search, excerpt), (self._folding_search, excerpt)]
        unescaped = with_commands(excerpt, self._response)
        if unescaped != excerpt:
            searches.append((self._folding_search, unescaped))
        searches_from = [search(words) for search, words in searches]
        if self._steps is None:
            first, free = self._first_free(searches_from, merged_spans)
            return free or first
        span_in_named_step = None
        if step_no is not None:
            span_in_named_step, free = self._first_free(
                searches_from,
                merged_spans,
                partial(_has_number, step_no),
            )
            if free:
                return free
        for rank in _RANKS:
            first, free = self._first_free(
                searches_from,
                merged_spans,
                partial(_is_of_rank, rank),
            )
            span = free or span_in_named_step or first
            if span is not None:
                return span
        return None

    def _first_free(
        self,
        searches_from: Sequence[_Search],
        merged_spans: Sequence[Span],
        takes: _Takes | None = None,
    ) -> tuple[Span | None, Span | None]:
        """Return the first span in the accepted steps, and the first of them that is free.

        Free is a span that overlaps none of `merged_spans`, which are sorted and joined as by
        `_merged`. Either is None if there is none. The searches are tried in order; a later one is
        only tried if no free span was found before. Without `takes`, or in a response, every span
        is accepted.
        """
        first = None
        for next_place in searches_from:
            start = 0
            while span := next_place(start):
                if self._steps is not None and takes is not None:
                    step = self._steps.step_of(span)
                    if step is None or not takes(step):
                        start = span[0] + 1
                        continue
                first = first or span
                index = bisect_right(merged_spans, span[0], key=itemgetter(1))
                if index == len(merged_spans) or span[1] <= merged_spans[index][0]:
                    return first, span
                start = merged_spans[index][1]
        return first, None

    def find_parts(
        self,
        text: str,
        used_spans: Collection[Span] = (),
        step_no: int | None = None,
    ) -> list[Span]:
        """Return the spans of an excerpt: one, or one for each part of "A … B".

        The excerpt as a whole goes first. Each part is looked for after the one before, else
        anywhere. If a part is nowhere, the list is empty. A place that overlaps `used_spans` is
        taken only if there is no other. `step_no` is the step of a conversation that is searched
        first.
        """
        full_span = self.find(text, used_spans, step_no)
        if full_span:
            return [full_span]
        parts = [part for part in _ELLIPSIS.split(text) if part.strip()]
        if parts == [text]:
            return []
        spans: list[Span] = []
        for part in parts:
            end = spans[-1][1] if spans else 0
            span = self._find_part_after(part, used_spans, end, step_no)
            if span is None:
                return []
            spans.append(span)
        return spans

    def as_one(self, spans: Sequence[Span]) -> Span | None:
        """Return the span from the first start to the last end of some spans, in any order.

        Returns None for none. In a conversation it must lie within one step; otherwise the first of
        `spans` is returned.
        """
        if not spans:
            return None
        start = min(start for start, _ in spans)
        end = max(end for _, end in spans)
        if self._steps is not None and self._steps.step_of((start, end)) is None:
            return spans[0]
        return start, end

    def step_no(self, span: Span) -> int | None:
        """Return the number of the step that a span is in.

        Returns None if it is in no single step, or if there are no steps.
        """
        step = self._steps and self._steps.step_of(span)
        return step.no if step else None

    def context_of(self, text: str, step_no: int | None) -> "Step | None":
        """Return the step of a user or the system in which an excerpt is found, or None.

        `step_no` is the step that is searched first. Of an excerpt in parts, the first part in such
        a step decides.
        """
        if self._steps is None:
            return None
        for span in self.find_parts(text, step_no=step_no):
            step = self._steps.step_of(span)
            if step is not None and step.is_context:
                return step
        return None

    def is_found(self, text: str) -> bool:
        """Return whether an excerpt is found at all."""
        return bool(self.find_parts(text))

    def has(self, text: str, span: Span) -> bool:
        """Return whether an excerpt, or a part of one with an ellipsis, is at exactly this span.

        The words there may differ by folding, such as case. It is False for an empty span, for
        white space, and in a conversation for a span that is not within one step.
        """
        start, end = span
        if not 0 <= start < end:
            return False
        if self._steps is not None and self._steps.step_of(span) is None:
            return False
        text_there = self._response[start:end]
        if text_there == text and not text_there.isspace():
            return True
        folded_words = _folded_stripped(text_there)
        if not folded_words:
            return False
        wordings = [text, with_commands(text, self._response)]
        wordings.extend(_ELLIPSIS.split(text))
        return any(_folded_stripped(wording) == folded_words for wording in wordings)

    def _find_part_after(
        self,
        part: str,
        used_spans: Collection[Span],
        end: int,
        step_no: int | None,
    ) -> Span | None:
        """Return where a part of an excerpt is from the offset `end` on, else where it is at all.

        Offsets are in the response. Returns None if it is nowhere. Spans that overlap `used_spans`
        are taken only if there is no other. `step_no` is the step of a conversation that is
        searched first.
        """
        span = self.find(part, [*used_spans, (0, end)], step_no)
        if span is None or span[0] >= end:
            return span
        return self.find(part, used_spans, step_no)

    def _verbatim_search(self, excerpt: str) -> _Search:
        """Return a search for exactly these words in the response, in the same case.

        The excerpt is not empty. The search takes an offset in the response, and returns the first
        span that starts there or later, or None.
        """

        def search(start: int) -> Span | None:
            """Return the first span of exactly these words from offset `start` on, or None."""
            low = self._response.find(excerpt, start)
            if low < 0:
                return None
            return low, low + len(excerpt)

        return search

    def _folding_search(self, excerpt: str) -> _Search:
        """Return a search for words that are equal after folding.

        It takes an offset in the response, and returns the first span from there on or None. It
        finds nothing for an excerpt that is empty after folding or begins within a composed
        character.
        """
        folded_excerpt = _folded_stripped(excerpt)
        if not folded_excerpt or _composes(folded_excerpt[0]):
            return lambda _: None
        return lambda start: next(self._folded.places(folded_excerpt, start), None)

    @cached_property
    def _folded(self) -> "_Folded":
        """The text, folded once."""
        return _Folded(self._response)


_RANKS = range(3)
"""The ranks of steps (`Step.rank`), in the order in which they are searched."""


def _has_number(step_no: int, step: "Step") -> bool:
    return step.no == step_no


def _is_of_rank(rank: int, step: "Step") -> bool:
    return step.rank == rank


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans, given in any order, sorted, with those that overlap or touch joined to one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if not merged:
            merged.append((start, end))
            continue
        last_start, last_end = merged[-1]
        if start <= last_end:
            merged[-1] = (last_start, max(end, last_end))
        else:
            merged.append((start, end))
    return merged


def single_steps(trace: Trace, spans: Iterable[Span]) -> list[Span]:
    """Return spans as evidence has them: each within a single step of a conversation.

    A span over several steps is divided, and what is in headings or between steps is left out. Of
    its parts only those in steps of the assistant are returned, if there are any. Spans of a
    response, and empty ones, stay as they are.
    """
    steps = trace.transcript
    single_spans: list[Span] = []
    for start, end in spans:
        if steps is None or start == end:
            single_spans.append((start, end))
        else:
            single_spans += steps.parts_of((start, end))
    return single_spans


# -- folding --------------------------------------------------------------------------------------


class _FoldedStretch(Struct, frozen=True):
    """A stretch of folded text, and the stretch of the original that it stands for."""

    start: int
    end: int
    original: Span
    """The span in the original text."""
    same: bool
    """Whether the two correspond character for character."""


class _Folded:
    """A text as it is compared, and where each stretch of it is in the original."""

    def __init__(self, text: str) -> None:
        """Fold a text: to lower case, single spaces and plain signs, without emphasis.

        Invisible characters are left out, too. The result is the attribute `text`. White space at
        its ends is not removed.
        """
        # as long as the text, so that offsets in one are offsets in the other
        folded_alike = lower(text).translate(_FOLDED)
        parts: list[str] = []
        self._pieces: list[_FoldedStretch] = []
        original_offset = folded_offset = 0
        for match in _changing(folded_alike).finditer(folded_alike):
            replacement = _folded_to(match)
            between = folded_alike[original_offset : match.start()]
            middle = folded_offset + len(between)
            after = middle + len(replacement)
            unchanged = (original_offset, match.start())
            self._pieces.append(
                _FoldedStretch(folded_offset, middle, unchanged, same=True),
            )
            self._pieces.append(_FoldedStretch(middle, after, match.span(), same=False))
            parts.append(between + replacement)
            original_offset = match.end()
            folded_offset = after
        rest = folded_alike[original_offset:]
        end = folded_offset + len(rest)
        unchanged = (original_offset, len(text))
        self._pieces.append(_FoldedStretch(folded_offset, end, unchanged, same=True))
        parts.append(rest)
        self.text = "".join(parts)

    def places(self, folded_excerpt: FoldedText, start: int) -> Iterator[Span]:
        """Yield the original spans of a folded excerpt, in order, from an original offset on.

        The excerpt must not be empty. Spans that would cut a composed character are left out. Spans
        may overlap.
        """
        number = bisect_right(self._pieces, start, key=lambda piece: piece.original[0])
        piece = self._pieces[number - 1]
        search_start = piece.start
        if piece.same:
            search_start += min(start, piece.original[1]) - piece.original[0]
        offset = self.text.find(folded_excerpt, search_start)
        while offset >= 0:
            span = self._original_span(offset, offset + len(folded_excerpt))
            if span and span[0] >= start:
                yield span
            offset = self.text.find(folded_excerpt, offset + 1)

    def _original_span(self, low: int, high: int) -> Span | None:
        """Return the original span of the folded text from `low` to `high` (excluded).

        Returns None if it would cut what was folded as a whole, such as a composed character.
        """
        first = self._stretch_at(low)
        last = self._stretch_at(high - 1)
        start, _ = first.original
        if first.same:
            start += low - first.start
        elif low != first.start:
            return None
        last_start, end = last.original
        if last.same:
            end = last_start + high - last.start
        elif high != last.end:
            return None
        return start, end

    def _stretch_at(self, offset: int) -> _FoldedStretch:
        """Return the stretch that holds `offset`, which must be within the folded text."""
        return self._pieces[
            bisect_right(self._pieces, offset, key=lambda piece: piece.start) - 1
        ]


def _folded_to(match: re.Match[str]) -> str:
    """Return what a match of `_changing` is folded to.

    An apostrophe is "'", several backslashes are one. What is left out between words becomes one
    blank, within a word nothing. Anything else is composed (Unicode NFC).
    """
    original = match.group()
    match match.lastgroup:
        case "apostrophe":
            return "'"
        case "backslashes":
            return "\\"
        case "left_out":
            return " " if " " in original else ""
    return unicodedata.normalize("NFC", original)


def _folded_stripped(text: str) -> FoldedText:
    """Return a text as `_Folded` folds it, without white space around it."""
    return FoldedText(_Folded(text).text.strip())


def _changing(text: str) -> re.Pattern[str]:
    """Return the pattern of what may fold to other characters in this text.

    That is what folding leaves out and, if the text has others than ASCII, whatever composes.
    `text` is already in lower case, with each character replaced by the plain one that is like it.
    """
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
    """Return whether a character belongs to the one before it.

    Accents do, and Hangul vowels and finals.
    """
    return unicodedata.combining(char) > 0 or "\u1160" <= char <= "\u11ff"


# -- what is wrong with a table -------------------------------------------------------------------


def text_faults(table: Table, key: str) -> Iterator[Fault]:
    """Yield what is wrong with a list of texts in a table, under `key`.

    That is that the value is no list, also if it is None, or that an entry is no text. A table
    without the key is right.
    """
    texts = table.get(key, [])
    if not isinstance(texts, list):
        shown_value = describe_value(texts)
        yield Fault((key,), f"must be a list of texts, not {shown_value}")
        return
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            shown_value = describe_value(text)
            yield Fault((key, index), f"must be text, not {shown_value}")


def type_faults(table: Table, schema: Table, *keys: str) -> Iterator[Fault]:
    """Yield a fault for each of these keys whose value is not of the type in the schema.

    A value must be a text if `schema[key]["type"]` is "string", else true or false. A key that is
    missing in the table, or None, has no fault; one that the schema lacks raises KeyError.
    """
    for key in keys:
        value = table.get(key)
        right_type, right_words = (
            (str, "text")
            if schema[key]["type"] == "string"
            else (bool, "true or false")
        )
        if value is not None and not isinstance(value, right_type):
            yield Fault((key,), f"must be {right_words}, not {describe_value(value)}")


def item_faults(
    table: Table,
    known_keys: Collection[str],
    check: Callable[[Table], Iterable[Fault]],
    key: str = "items",
) -> Iterator[Fault]:
    """Yield what is wrong with a list of tables, under `key`.

    That is that it is no list, that an entry is no table, what `check` finds in each, and keys of
    an entry that are not in `known_keys`. The places of faults begin with `key` and the index. A
    table without the key is right; None is no list.
    """
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
            if name not in known_keys:
                wrong = unknown_key(name, tuple(known_keys))
                yield Fault((key, index, name), *wrong, newer=True)


def position_fault(item: Table, size: int) -> Fault | None:
    """Return what is wrong with an item's `index` into `evidence`, a list of `size` texts.

    The index counts from 0 and must be there. None if it is right.
    """
    index = item.get("index")
    if type(index) is int and 0 <= index < size:
        return None
    shown_index = describe_given(index)
    items = many(size, "item")
    wrong = f"must be a position in evidence, which has {items}, not {shown_index}"
    return Fault(("index",), wrong)


def span_faults(item: Table, trace: Trace) -> Iterator[Fault]:
    """Yield what is wrong with an item's `start`, `end`, `step` and `named_step`.

    The offsets are whole numbers that mark a part of the text that is not empty. Both may be
    missing, but not one of them. In a conversation they must lie within one step, whose number may
    be given as `step`; without offsets that is not checked, and for a response it is a fault.
    `named_step`, the step that a judge named instead, must be a whole number.
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
        shown_start = describe_given(start)
        shown_end = describe_given(end)
        wrong = f"start and end must both be whole numbers, not {shown_start} and {shown_end}"
        yield Fault(("start",), wrong)
        return
    if not 0 <= start < end <= len(text):
        text_name = "a response" if steps is None else "a conversation"
        size = many(len(text), "character")
        wrong = f"start {start} and end {end} mark no part of {text_name} of {size}"
        yield Fault(("start",), wrong)
        return
    if steps is None:
        return
    step = steps.step_of((start, end))
    if step is None:
        wrong = f"start {start} and end {end} do not lie within one step of the conversation"
        yield Fault(("start",), wrong)
    elif "step" in item and item["step"] != step.no:
        wrong = f"is {item['step']!r}, but start {start} and end {end} are in step {step.no}"
        yield Fault(("step",), wrong)


def describe_given(value: Any) -> str:
    """Return a wrong value in short for the end of a sentence: `the text "x"`, `a list`, `true`.

    None is "missing". The other words are those of `describe_value`.
    """
    if value is None:
        return "missing"
    return describe_value(value)


def selected(
    trace: Trace,
    span: tuple[int, int],
    subject: str = "evidence does",
) -> str:
    """Return the words that a person selected, as they are in the text of the trace.

    `subject` is the subject and verb of the refusal, as in "The selected evidence does not lie in
    the response.". Raises Refused if the span is empty or not in the text, for white space, and if
    it is not within one step of a conversation.
    """
    start, end = span
    steps = trace.transcript
    if not 0 <= start < end <= len(trace.text):
        raise Refused(f"The selected {subject} not lie in the response.")
    words = trace.text[start:end]
    if not words.strip():
        raise Refused("Only white space is selected.")
    if steps is not None and steps.step_of(span) is None:
        raise Refused(
            f"The selected {subject} not lie within one step. "
            "Select words of one step, without its heading.",
        )
    return words
