"""Passages of a recorded text that seem to address whoever judges it, for a person to look at.

Nothing depends on what is found here: a prompt keeps trace text apart whether or not it looks suspicious, and a model
is not told. It is a mark for the reviewer, so a plea quoted in a sentence about pleas is left alone.
"""

import base64
import binascii
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache

from appellate.core.pleas import ELSEWHERE, ENGLISH, MACHINERY, OTHER_SCRIPTS, Plea
from appellate.core.wordforms import lower

Stretch = tuple[int, int]

_HIDDEN = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]+"
)
_SMUGGLED = re.compile(  # tag characters, but for the flags of England, Scotland and Wales; and other unseen codes
    "(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{4,}"
    "|[\U000e0100-\U000e01ef]{4,}|[\ufe00-\ufe0f]{4,}|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}|[\u202d\u202e]"
)
_RUN = re.compile(r"[A-Za-z0-9+/_-]{24,}+={0,2}")
"""What may be base64 or hexadecimal digits; a shorter run is tried from each of its characters, which are few."""
_LATIN = {
    **dict(zip("аеорсухіјѕԁһӏԛԝвкмнтгп", "aeopcyxijsdhlqwbkmhtrn", strict=True)),
    **dict(zip("αβεηικμνορτυχγω", "abenikuvoptuxyw", strict=True)),
    **dict(zip("ıłøđß’‘ʼ＇", "ilods''''", strict=True)),
}
_HEAD = 4  # letters by which a word is known to be there, short of looking for it
_WORD = re.compile(r"[^\W_]++")
_DENIALS = re.compile(
    r"(?:\bnot|n't|\bnever|\bwithout|\bto avoid|\btends? to|\btended to|\bnie|\bnicht|\bne|\bno|\bnunca|\bnon|\bniet"
    r"|\b(?:who|they|patients?|people|users?|students?|often|sometimes|may|might|could)) {1,3}$"
)
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "«": "»", "‘": "’", "「": "」", "”": "”"}


def attempts(text: str) -> list[Stretch]:
    """Where a text seems to address the judge: codepoint offsets, in order, none over another."""
    found = list(_encoded(text))
    if not text.isascii():
        found += [match.span() for match in _SMUGGLED.finditer(text)]
    seen = _Seen(text)
    found += (seen.original(*stretch) for stretch in seen.pleas())
    return list(_merged(found))


class _Seen:
    """A text as a model reads it: lower case, without what is invisible, with a way back to its own offsets."""

    def __init__(self, text: str) -> None:
        self._ends: list[int] = []  # where in the visible text something invisible was left out,
        self._left_out = [0]  # and how much of it up to there
        visible = text if text.isascii() else "".join(self._visible(text))
        self._text = lower(visible)

    def _visible(self, text: str) -> Iterator[str]:
        done = 0
        for match in _HIDDEN.finditer(text):
            yield text[done : match.start()]
            self._ends.append(match.start() - self._left_out[-1])
            self._left_out.append(self._left_out[-1] + match.end() - match.start())
            done = match.end()
        yield text[done:]

    def original(self, start: int, end: int) -> Stretch:
        return self._offset(start), self._offset(end - 1) + 1

    def _offset(self, place: int) -> int:
        return place + self._left_out[bisect_right(self._ends, place)]

    def pleas(self) -> Iterator[Stretch]:
        text = self._text if self._text.isascii() else self._text.translate(_latin())
        heads = _heads(text)
        yield from _found(((cue, plea) for cue, heard, plea in _worded() if heard <= heads), text)
        letters = set(self._text)
        yield from _found(((cue, plea) for cue, spelt, plea in _drawn() if spelt <= letters), self._text)


def _heads(text: str) -> set[str]:
    return {word[:_HEAD] for word in set(_WORD.findall(text))}


def _whole(cue: str) -> set[str]:
    """The heads of a cue's words, without a last one of which too little stands there."""
    return {head for head in _heads(cue) if len(head) == _HEAD or not cue.endswith(head)}


@cache
def _worded() -> list[tuple[str, set[str], Plea]]:
    """Every cue in Latin letters, with the heads of its words."""
    pleas = (*ENGLISH, *ELSEWHERE)
    return [(cue, _whole(cue), plea) for plea in pleas for cue in plea.cues]


@cache
def _drawn() -> list[tuple[str, set[str], Plea]]:
    """Every other cue, with its characters."""
    pleas = (*MACHINERY, *OTHER_SCRIPTS)
    return [(cue, set(cue), plea) for plea in pleas for cue in plea.cues]


def _found(cued: Iterable[tuple[str, Plea]], text: str) -> Iterator[Stretch]:
    return (stretch for cue, plea in cued for stretch in _after(cue, plea, text))


def _after(cue: str, plea: Plea, text: str) -> Iterator[Stretch]:
    """What a pattern matches where its cue stands, short of what is denied or merely quoted."""
    place = text.find(cue)
    while place >= 0:
        match = plea.pattern.match(text, place)
        if match and not (plea.denied and _DENIALS.search(text[max(place - 16, 0) : place])):
            if not _quoted(text, *match.span()):
                yield match.span()
            place = match.end() - 1
        place = text.find(cue, place + 1)


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether a sentence merely quotes it: words before an opening quote, and the closing one right behind."""
    closing = _QUOTES.get(text[start - 1 : start])
    behind = text[end : end + 2].lstrip(".,!?")
    return (
        closing is not None
        and behind.startswith(closing)
        and bool(re.search(r"\w[ (]$|^$", text[max(start - 3, 0) : start - 1]))
    )


def _encoded(text: str) -> Iterator[Stretch]:
    """Runs of base64 or hexadecimal digits that hide a plea; what is encoded twice stays hidden."""
    for match in _RUN.finditer(text):
        hidden = _decoded(match.group())
        if hidden and any(True for _ in _Seen(hidden).pleas()):
            yield match.span()


def _decoded(run: str) -> str:
    """The text that a run of digits stands for, if it is one."""
    for decode in (bytes.fromhex, _from_base64):
        try:
            return decode(run).decode()
        except (ValueError, binascii.Error):
            continue
    return ""


def _from_base64(run: str) -> bytes:
    digits = run.rstrip("=").translate(str.maketrans("-_", "+/"))
    return base64.b64decode(digits + "=" * (-len(digits) % 4))


@cache
def _latin() -> dict[int, str]:
    """Letters that are, or look like, Latin ones without their accents."""
    codes = (*range(0xC0, 0x250), *range(0x1E00, 0x1F00), *range(0x2460, 0x2500), *range(0xFF01, 0xFF5F))
    table = {code: _bare(chr(code)) for code in (*codes, *range(0x1D400, 0x1D800))}
    plain = {code: bare for code, bare in table.items() if len(bare) == 1 and bare != chr(code)}
    return {**plain, **{ord(char): like for char, like in _LATIN.items()}}


def _bare(char: str) -> str:
    return unicodedata.normalize("NFKD", char)[:1].lower() if unicodedata.decomposition(char) else char


def _merged(stretches: Iterable[Stretch]) -> Iterator[Stretch]:
    """In order, with overlapping ones made one."""
    last: Stretch | None = None
    for start, end in sorted(stretches):
        if last and start < last[1]:
            last = last[0], max(end, last[1])
            continue
        if last:
            yield last
        last = start, end
    if last:
        yield last
