"""Finds passages of a recorded text that seem to address the judge, and marks them for a person.

Nothing depends on what is found: a prompt keeps the text of a trace apart, whether it looks
suspicious or not, and no model learns of it. Since a mark is for the reviewer, such words inside
quotation marks are not marked. What is searched for is in patterns.toml.
"""

import base64
import re
import string
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, cached_property
from importlib.resources import files
from itertools import chain
from typing import TYPE_CHECKING, Any

import tomli
from msgspec import Struct

from appellate.core.inert import in_whole_characters
from appellate.core.messages import TOOL, USER, recorded
from appellate.core.problem import lower

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

Span = tuple[int, int]
"""The offset of the first character, and the offset after the last one."""

_HIDDEN = re.compile(
    "[\u00ad\u0300-\u036f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e0fff]+",
)
"""Characters that are not visible, or only change the one before: a model reads over them."""
_SPELLED_WORD = re.compile(
    r"(?<![^\W_])[^\W\d_]([-._*·|/~+ ])[^\W\d_](?:\1[^\W\d_])+(?![^\W_])",
)
"""A word of single letters with the same sign between them, such as i-g-n-o-r-e."""
_SPELLED_END = re.compile(r"([-._*·|/~+ ])[^\W\d_]\1[^\W\d_](?![^\W_])")
"""How each spelled word ends. That is found in a third of the time, and hardly any text has it."""
_SMUGGLED_TEXT = re.compile(
    # tag characters, except in the flags of England, Scotland and Wales
    "(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{4,}"
    # variation selectors, characters without width, and overrides of direction
    "|[\U000e0100-\U000e01ef]{4,}|[\ufe00-\ufe0f]{4,}"
    "|[\u200b-\u200d\u2060-\u2064\ufeff]{8,}|[\u202d\u202e]",
)
"""Text that is hidden in characters that nobody sees; each of them is one of `_HIDDEN`, too."""
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{24,}+={0,2}")
"""Characters that may be base64 or hexadecimal digits."""
_DIGITS = string.ascii_letters + string.digits + "+/_-"
_AS_DIGITS = bytes.maketrans(_DIGITS.encode(), b"0" * len(_DIGITS))
"""Makes each byte that may be a digit of encoded text a 0."""
_FEWEST_DIGITS = b"0" * 24


def _word_signs() -> bytes:
    """Return a table for `bytes.translate`: `a` for each letter, `0` for each digit, else a hyphen.

    Only letters and digits of ASCII count. The table has all 256 bytes.
    """
    signs = bytearray(b"-" * 256)
    for letter in string.ascii_letters.encode():
        signs[letter] = ord("a")
    for digit in string.digits.encode():
        signs[digit] = ord("0")
    return bytes(signs)


_AS_WORDS = _word_signs()
"""Makes each letter an a, each digit a 0, and any other byte of ASCII a hyphen."""
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LOOKS_LATIN = {
    **dict(zip("аеорсухіјѕԁһӏԛԝвкмнтгп", "aeopcyxijsdhlqwbkmhtrn", strict=True)),
    **dict(zip("αβεηικμνορτυχγω", "abenikuvoptuxyw", strict=True)),
    **dict(zip("ıłøđß’‘ʼ＇", "ilods''''", strict=True)),
}
"""Letters that look like a Latin one."""
_DENIAL = re.compile(
    r"(?:\bnot|n't|\bnever|\bwithout|\bto avoid|\btends? to|\btended to|\bnie|\bnicht|\bne|\bno"
    r"|\bnunca|\bnon|\bniet|\b(?:who|they|patients?|people|users?|students?|often|sometimes|may"
    r"|might|could)) {1,3}$",
)
"""Words that turn the following words into a statement about somebody, or deny them."""
_QUOTES = {
    '"': '"', "'": "'", "`": "`", "“": "”", "„": "“", "«": "»", "‘": "’", "「": "」", "”": "”",
}  # fmt: skip
"""Each opening quotation mark with the closing one."""

LONGEST = 500_000
"""Characters of one text that are searched. Of a longer text half of them at each end are."""


def injections(text: str) -> list[Span]:
    """Return the spans of a text that seem to address the judge, in order and without overlap.

    Upper and lower case are the same. A passage that is merely quoted is not one. Of a text longer
    than `LONGEST` characters only the first and the last half of that many are searched. Nothing is
    raised for any text, also not for one that cannot be encoded.
    """
    if len(text) <= LONGEST:
        return _suspicious_spans(text)

    half = LONGEST // 2
    spans = _suspicious_spans(text[:half])
    last_part_start = len(text) - half
    for start, end in _suspicious_spans(text[last_part_start:]):
        spans.append((start + last_part_start, end + last_part_start))
    return spans


def passages_in_trace(response: str, question: str, messages: Sequence[Any]) -> int:
    """Return how many passages of a trace seem to address the judge; 0 if none does.

    The response, the question, and the messages of users and tools are searched, for all of these
    are in a prompt. Messages of assistants and systems are not. `messages` are those of the trace
    as they were recorded. A message whose text is the question, apart from blanks around it, is
    passed over.
    """
    texts = [response, question]
    for turn in recorded(messages):
        if turn.role not in (USER, TOOL):
            continue
        repeats_question = turn.text.strip() == question.strip()
        if not repeats_question:
            texts.append(turn.text)

    count = 0
    for text in texts:
        count += len(injections(text))
    return count


def _suspicious_spans(text: str) -> list[Span]:
    """Return the suspicious spans of a text of any length, in order and without overlap.

    They are passages that match a pattern, encoded text that has such passages, and text in
    characters that nobody sees. Text that is encoded twice is not found.
    """
    spans: list[Span] = []
    for match in _encoded_in(text):
        first_passage = next(_passages(_decode(match.group())), None)
        if first_passage is not None:
            spans.append(match.span())
    if not text.isascii() and _HIDDEN.search(text):
        for match in _SMUGGLED_TEXT.finditer(text):
            spans.append(match.span())
    spans.extend(_passages(text))
    return _merge(spans)


def _passages(text: str) -> Iterator[Span]:
    """Yield the spans of a text that match a pattern, in no order and with overlaps.

    The text is read as a model reads it: upper and lower case are the same, and what
    `_hidden_spans` finds is passed over. The spans are offsets in the text as it is given. English
    and mixed patterns also match letters that only look Latin, other languages only their own.
    """
    visible_text, offsets = _visible(text)
    readable_text = lower(visible_text)
    latin_text = _in_latin(readable_text)
    spans: Iterator[Span]
    if latin_text == readable_text:
        spans = _matches(latin_text, _patterns_by_cue())
    else:
        in_latin, in_other_letters = _patterns_by_letters()
        spans = chain(
            _matches(latin_text, in_latin),
            _matches(readable_text, in_other_letters),
        )
    for start, end in spans:
        yield offsets[start], offsets[end - 1] + 1


def _visible(text: str) -> tuple[str, Sequence[int]]:
    """Return a text without its hidden spans, and the offset in `text` of each character left.

    The hidden spans are those of `_hidden_spans`. Upper and lower case stay.
    """
    hidden_spans = _hidden_spans(text)
    if not hidden_spans:
        return text, range(len(text))
    parts: list[str] = []
    offsets: list[int] = []
    end_of_last = 0
    for start, end in hidden_spans:
        parts.append(text[end_of_last:start])
        offsets.extend(range(end_of_last, start))
        end_of_last = end
    parts.append(text[end_of_last:])
    offsets.extend(range(end_of_last, len(text)))
    return "".join(parts), offsets


def _in_latin(lowercase_text: str) -> str:
    """Return a text with Latin letters for those that look like them; its length is the same.

    The text must be in lower case: most capitals stay as they are. Letters also lose their accents,
    so é becomes e. Digits and signs in other shapes, such as wide ones and curly apostrophes,
    become the usual ones. All other characters stay.
    """
    if lowercase_text.isascii():
        return lowercase_text
    letters = _latin_letters()
    return _NOT_ASCII.sub(
        lambda match: match.group().translate(letters),
        lowercase_text,
    )


def _hidden_spans(text: str) -> list[Span]:
    """Return the spans of a text that a model reads over, in order and without overlap.

    They are characters that nobody sees, accents that are characters of their own, and the sign
    after each letter but the last in a word such as i-g-n-o-r-e. Such a word has at least three
    single letters with the same sign, or a blank, between them.
    """
    spans: list[Span] = []
    if not text.isascii():
        for match in _HIDDEN.finditer(text):
            spans.append(match.span())
    if _may_have_spelled(text):
        for match in _SPELLED_WORD.finditer(text):
            first_sign = match.start() + 1
            signs_between_letters = range(first_sign, match.end(), 2)
            for offset in signs_between_letters:
                spans.append((offset, offset + 1))
    return _merge(spans)


def _may_have_spelled(text: str) -> bool:
    """Return whether a text may have a word that is spelled letter by letter, as i-g-n-o-r-e is.

    False is certain. True is no proof: only an end that such a word may have is looked for, which
    is faster.
    """
    if text.isascii():
        as_words = text.encode("ascii").translate(_AS_WORDS)
        if b"-a-a-" not in as_words + b"-":
            return False
    return _SPELLED_END.search(text) is not None


# -- what is looked for ---------------------------------------------------------------------------


class _InjectionPattern(Struct, frozen=True, dict=True):
    """A pattern of patterns.toml. Each match begins with one of its cues."""

    written: str
    """The regular expression, not compiled."""
    denied: bool
    """Whether a match does not count after words that deny it or tell it of somebody."""
    in_latin: bool
    """Whether it is searched in the text with Latin letters for those that look like them."""
    needs: Sequence[str] = ()
    """Words of which each match has one; empty for a pattern that is tried at every cue."""

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The compiled pattern. Compiling all of them would delay the first screen."""
        return re.compile(self.written)


_IN_LATIN = ("english", "elsewhere")
"""The groups of patterns that are searched in the text with Latin letters."""


_PatternsByCue = Mapping[str, Sequence[_InjectionPattern]]


@cache
def _patterns_by_cue() -> _PatternsByCue:
    """Return all patterns of patterns.toml by their cues; the file is read only once.

    A cue is the lowercase text with which a match begins. A pattern with several cues is listed
    under each. Parts that patterns share are already put into them.
    """
    file = files(__name__).joinpath("patterns.toml")
    document = tomli.loads(file.read_text("utf-8"))
    parts: dict[str, str] = {}
    for name, wording in document.pop("parts").items():
        parts[name] = _expand(wording, parts)

    by_cue: dict[str, list[_InjectionPattern]] = {}
    for group, tables in document.items():
        in_latin = group in _IN_LATIN
        for table in tables:
            pattern = _InjectionPattern(
                written=_expand(table["pattern"], parts),
                denied=table.get("denied", False),
                in_latin=in_latin,
                needs=table.get("needs", ()),
            )
            for cue in table["cues"]:
                by_cue.setdefault(cue, []).append(pattern)
    return by_cue


@cache
def _patterns_by_letters() -> tuple[_PatternsByCue, _PatternsByCue]:
    """Return the patterns that are sought in Latin letters, and all others, each by their cues.

    The first are the English and the mixed ones. A cue may be in both tables. They are made only
    once.
    """
    in_latin: dict[str, list[_InjectionPattern]] = {}
    in_other_letters: dict[str, list[_InjectionPattern]] = {}
    for cue, patterns in _patterns_by_cue().items():
        for pattern in patterns:
            if pattern.in_latin:
                in_latin.setdefault(cue, []).append(pattern)
            else:
                in_other_letters.setdefault(cue, []).append(pattern)
    return in_latin, in_other_letters


@cache
def _automaton() -> "tuple[AhoCorasick, Sequence[str]]":
    """Return an automaton that finds words in one pass over a text, and these words by its indexes.

    They are the cues of all patterns and the words that patterns need, each once, in lower case.
    Both are made only once, when they are first needed.
    """
    from ahocorasick_rs import AhoCorasick  # not before the first paint

    words: list[str] = []
    for cue, patterns in _patterns_by_cue().items():
        words.append(cue)
        for pattern in patterns:
            words += pattern.needs
    sought_words = tuple(dict.fromkeys(words))
    return AhoCorasick(sought_words), sought_words


def _hits(text: str) -> list[tuple[int, str]]:
    """Return each occurrence of a cue or a needed word in a text, as its offset and the word.

    They are looked for in lower case: capital letters in the text match none. Words that overlap
    are all found, in the order in which they end.
    """
    automaton, words = _automaton()
    try:
        found = automaton.find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:  # half of a character, which no word has
        readable_text = in_whole_characters(text)
        found = automaton.find_matches_as_indexes(readable_text, overlapping=True)
    return [(start, words[index]) for index, start, _ in found]


def _expand(written: str | list[str], parts: dict[str, str]) -> str:
    """Return a regular expression in which each `@NAME@` is replaced by the part of that name.

    The strings of a list are joined first, with nothing between them. Raises KeyError for a name
    that `parts` lacks.
    """
    return re.sub(r"@(\w+)@", lambda match: parts[match[1]], "".join(written))


def _matches(
    lowercase_text: str,
    patterns_by_cue: _PatternsByCue,
) -> Iterator[Span]:
    """Yield the spans of a text that match one of some patterns, in no order and with overlaps.

    The text must be in lower case, as patterns are. Each span begins with a cue under which its
    pattern is listed. A match in quotation marks is left out, and so is one after a word such as
    "never" if its pattern says that this denies it. Of overlapping matches of one cue and pattern
    only the first counts.
    """
    hits = _hits(lowercase_text)
    words = {word for _, word in hits}
    sought: dict[str, Sequence[_InjectionPattern]] = {}
    """The patterns that the text may have, by their cues."""
    for word in words:
        sought[word] = [
            pattern
            for pattern in patterns_by_cue.get(word, ())
            if not pattern.needs or not words.isdisjoint(pattern.needs)
        ]

    ends: dict[tuple[str, str], int] = {}
    """Where the last match of a cue and a pattern ended."""
    for offset, cue in hits:
        for pattern in sought[cue]:
            match = pattern.compiled.match(lowercase_text, offset)
            if match is None:
                continue
            start, end = match.span()
            key = (cue, pattern.written)
            if start < ends.get(key, 0):
                continue
            if pattern.denied and _is_denied(lowercase_text, start):
                continue
            ends[key] = end
            if not _is_quoted(lowercase_text, start, end):
                yield start, end


def _is_denied(lowercase_text: str, start: int) -> bool:
    """Return whether the word just before the offset `start` makes what follows no demand.

    It denies it, as "never" does, or tells what somebody does, as "often" or "they" does. One to
    three blanks must stand between. The text must be in lower case.
    """
    text_before = lowercase_text[max(start - 16, 0) : start]
    return _DENIAL.search(text_before) is not None


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Return whether the span of a text from `start` to `end` is merely quoted.

    It is if an opening quotation mark stands right before it and the closing one of the same sort
    right after it. One of . , ! ? may stand before the closing one. Before the opening one there
    must be a word with a blank or a round bracket after it, or the text must begin there. So
    ="text" is not merely quoted.
    """
    opening_mark = text[start - 1 : start]
    closing_mark = _QUOTES.get(opening_mark)
    if closing_mark is None:
        return False
    two_after = text[end : end + 2]
    if not two_after.lstrip(".,!?").startswith(closing_mark):
        return False
    two_before_mark = text[max(start - 3, 0) : start - 1]
    follows_word = re.search(r"\w[ (]$|^$", two_before_mark)
    return follows_word is not None


# -- what is encoded ------------------------------------------------------------------------------


def _encoded_in(text: str) -> Iterable[re.Match[str]]:
    """Return the matches of all parts of a text that may be base64 or hexadecimal digits, in order.

    Each has at least 24 such digits, and the padding after them. Empty for a text without any, and
    that is seen fast.
    """
    as_digits = text.encode("utf-8", "surrogatepass").translate(_AS_DIGITS)
    if _FEWEST_DIGITS not in as_digits:
        return ()
    return _ENCODED.finditer(text)


def _decode(digits: str) -> str:
    """Return the text that hexadecimal digits or else base64 encode, or "" if they encode none.

    The bytes must be UTF-8. Both alphabets of base64 are read, and padding may be missing.
    """
    with suppress(ValueError):
        return bytes.fromhex(digits).decode()
    # both alphabets of base64, with or without the padding
    usual_alphabet = str.maketrans("-_", "+/")
    base64_digits = digits.rstrip("=").translate(usual_alphabet)
    missing = -len(base64_digits) % 4
    padding = "=" * missing
    with suppress(ValueError):
        return base64.b64decode(base64_digits + padding).decode()
    return ""


# -- letters --------------------------------------------------------------------------------------


@cache
def _latin_letters() -> dict[int, str]:
    """Return a table for `str.translate`, from characters to the usual ones that they look like.

    It has letters with accents, letters, digits and signs in other shapes such as wide or
    mathematical ones, and small letters of other alphabets that look Latin. All letters become
    small ones. It is made only once, and must not be changed.
    """
    blocks = (
        (0xC0, 0x250),
        (0x1E00, 0x1F00),
        (0x2460, 0x2500),
        (0xFF01, 0xFF5F),
        (0x1D400, 0x1D800),
    )
    looks_latin = str.maketrans(_LOOKS_LATIN)
    table: dict[int, str] = {}
    for first, last in blocks:
        for code in range(first, last):
            char = chr(code)
            plain_letter = unicodedata.normalize("NFKD", char)[:1].lower()
            if unicodedata.decomposition(char) and plain_letter != char:
                # a mathematical letter may be a Greek one
                table[code] = plain_letter.translate(looks_latin)
    return table | looks_latin


def _merge(spans: Iterable[Span]) -> list[Span]:
    """Return spans sorted by their starts, with those that overlap joined.

    Spans that only touch stay apart.
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if not merged:
            merged.append((start, end))
            continue
        last_start, last_end = merged[-1]
        if start < last_end:
            merged[-1] = (last_start, max(end, last_end))
        else:
            merged.append((start, end))
    return merged
