"""Passages of a recorded text that seem to address whoever judges it, for a person to look at.

Nothing depends on what is found: a prompt keeps trace text apart whether or not it looks
suspicious, and no model learns of it. It is a mark for the reviewer, so that words quoted in a
sentence about such words are left alone. What is looked for is in patterns.toml.
"""

import base64
import re
import tomllib
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from msgspec import Struct

from appellate.core.messages import TOOL, USER, recorded
from appellate.core.problem import lower

Stretch = tuple[int, int]
"""From the first codepoint to behind the last one."""

_HIDDEN = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff]+"
)
_SPELT = re.compile(r"(?<![^\W_])[^\W\d_]([-._*·|/~+ ])[^\W\d_](?:\1[^\W\d_])+(?![^\W_])")
"""A word of single letters with the same sign between them, such as i-g-n-o-r-e."""
_SMUGGLED = re.compile(  # tag characters, but for the flags of England, Scotland and Wales; others
    "(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{4,}"
    "|[\U000e0100-\U000e01ef]{4,}|[\ufe00-\ufe0f]{4,}"
    "|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}|[\u202d\u202e]"
)
_RUN = re.compile(r"[A-Za-z0-9+/_-]{24,}+={0,2}")
"""What may be base64 or hexadecimal digits."""
_LIKE_LATIN = {
    **dict(zip("аеорсухіјѕԁһӏԛԝвкмнтгп", "aeopcyxijsdhlqwbkmhtrn", strict=True)),
    **dict(zip("αβεηικμνορτυχγω", "abenikuvoptuxyw", strict=True)),
    **dict(zip("ıłøđß’‘ʼ＇", "ilods''''", strict=True)),
}
_DENIALS = re.compile(
    r"(?:\bnot|n't|\bnever|\bwithout|\bto avoid|\btends? to|\btended to|\bnie|\bnicht|\bne|\bno"
    r"|\bnunca|\bnon|\bniet|\b(?:who|they|patients?|people|users?|students?|often|sometimes|may"
    r"|might|could)) {1,3}$"
)
_QUOTES = {
    '"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "«": "»", "‘": "’", "「": "」", "”": "”",
}  # fmt: skip


LONGEST = 500_000
"""Characters of one text that are looked through: the first half of them, and the last."""


def injections(text: str) -> list[Stretch]:
    """Where a text seems to address the judge: in order, none over another."""
    if len(text) <= LONGEST:
        return _found(text)
    last = len(text) - LONGEST // 2
    behind = [(start + last, end + last) for start, end in _found(text[last:])]
    return _found(text[: LONGEST // 2]) + behind


def passages_in_trace(response: str, question: str, messages: Sequence[Any]) -> int:
    """Return how many passages of a trace seem to address the judge.

    They are looked for in the response, in the question, in what users said before and in what
    tools gave: all of this is in a prompt, and the results of tools are what strangers write.
    """
    texts = [response, question]
    for turn in recorded(messages):
        if turn.role in (USER, TOOL) and turn.text.strip() != question.strip():
            texts.append(turn.text)
    return sum(len(injections(text)) for text in texts)


def _found(text: str) -> list[Stretch]:
    found: list[Stretch] = []
    for match in _RUN.finditer(text):  # of base64 or hexadecimal digits
        hidden = _decoded(match.group())
        if hidden and next(_Seen(hidden).passages(), None):  # what is encoded twice stays so
            found.append(match.span())
    if not text.isascii():
        found += [match.span() for match in _SMUGGLED.finditer(text)]
    seen = _Seen(text)
    found += [seen.original(*stretch) for stretch in seen.passages()]
    return _merged(found)


class _Seen:
    """A text as a model reads it, with a way back to its offsets.

    It is in lower case, without what is invisible and what parts the letters of a word.
    """

    def __init__(self, text: str) -> None:
        self._ends: list[int] = []  # where in the visible text something invisible was left out,
        self._left_out = [0]  # and how much of it up to there
        hidden = _hidden(text)
        if hidden:
            text = "".join(self._visible(text, hidden))
        self._text = lower(text)

    def _visible(self, text: str, hidden: Iterable[Stretch]) -> Iterator[str]:
        done = 0
        for start, end in hidden:
            yield text[done:start]
            self._ends.append(start - self._left_out[-1])
            self._left_out.append(self._left_out[-1] + end - start)
            done = end
        yield text[done:]

    def original(self, start: int, end: int) -> Stretch:
        return self._offset(start), self._offset(end - 1) + 1

    def _offset(self, place: int) -> int:
        return place + self._left_out[bisect_right(self._ends, place)]

    def passages(self) -> Iterator[Stretch]:
        latin = self._text
        if not latin.isascii():
            latin = latin.translate(_letters())
        for group, wordings in _wordings().items():
            text = self._text
            if group in ("english", "elsewhere"):
                text = latin
            for wording in wordings:
                for cue in wording.cues:
                    if cue in text:  # hardly any is
                        yield from _after(cue, wording, text)


def _hidden(text: str) -> list[Stretch]:
    """Return where a text has something that a model reads over, in order."""
    found: list[Stretch] = []
    if not text.isascii():
        found += [match.span() for match in _HIDDEN.finditer(text)]
    for match in _SPELT.finditer(text):
        found += [(place, place + 1) for place in range(match.start() + 1, match.end(), 2)]
    return _merged(found)


# -- what is looked for ---------------------------------------------------------------------------


class _InjectionPattern(Struct, frozen=True, dict=True):
    """A pattern as it is written, and the strings with one of which whatever it matches begins."""

    cues: list[str]
    written: str
    denied: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, for the first text that has a cue: all of them take longer than a screen."""
        return re.compile(self.written)


@cache
def _wordings() -> dict[str, list[_InjectionPattern]]:
    """Those of patterns.toml, by group."""
    given = tomllib.loads(files(__name__).joinpath("patterns.toml").read_text("utf-8"))
    parts: dict[str, str] = {}
    for name, part in given.pop("parts").items():
        parts[name] = _put_together(part, parts)
    found: dict[str, list[_InjectionPattern]] = {}
    for group, tables in given.items():
        found[group] = []
        for table in tables:
            written = _put_together(table["pattern"], parts)
            found[group].append(
                _InjectionPattern(table["cues"], written, table.get("denied", False))
            )
    return found


def _put_together(given: str | list[str], parts: dict[str, str]) -> str:
    return re.sub(r"@(\w+)@", lambda name: parts[name[1]], "".join(given))


def _after(cue: str, wording: _InjectionPattern, text: str) -> Iterator[Stretch]:
    """What a pattern matches where its cue stands, short of what is denied or merely quoted."""
    place = text.find(cue)
    while place >= 0:
        match = wording.pattern.match(text, place)
        if match and not (wording.denied and _DENIALS.search(text[max(place - 16, 0) : place])):
            if not _is_quoted(text, *match.span()):
                yield match.span()
            place = match.end() - 1
        place = text.find(cue, place + 1)


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether a sentence merely quotes it: words before the opening quote, the other behind."""
    closing = _QUOTES.get(text[start - 1 : start])
    if closing is None or not text[end : end + 2].lstrip(".,!?").startswith(closing):
        return False
    return re.search(r"\w[ (]$|^$", text[max(start - 3, 0) : start - 1]) is not None


# -- what is encoded ------------------------------------------------------------------------------


def _decoded(run: str) -> str:
    """The text that a run of digits stands for, if it is one."""
    with suppress(ValueError):
        return bytes.fromhex(run).decode()
    digits = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    with suppress(ValueError):
        return base64.b64decode(digits + "=" * (-len(digits) % 4)).decode()
    return ""


# -- letters --------------------------------------------------------------------------------------


@cache
def _letters() -> dict[int, str]:
    """Letters that are, or look like, Latin ones without their accents."""
    blocks = (
        (0xC0, 0x250),
        (0x1E00, 0x1F00),
        (0x2460, 0x2500),
        (0xFF01, 0xFF5F),
        (0x1D400, 0x1D800),
    )
    table: dict[int, str] = {}
    for first, last in blocks:
        for code in range(first, last):
            char = chr(code)
            bare = unicodedata.normalize("NFKD", char)[:1].lower()
            if unicodedata.decomposition(char) and bare != char:
                table[code] = bare
    return table | str.maketrans(_LIKE_LATIN)


def _merged(stretches: Iterable[Stretch]) -> list[Stretch]:
    """In order, with overlapping ones made one."""
    merged: list[Stretch] = []
    for start, end in sorted(stretches):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
