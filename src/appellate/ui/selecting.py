"""A selection made word by word from the keyboard, as a value: what each key makes of it."""

from dataclasses import dataclass, replace

from appellate.ui.word_bounds import (
    Stretch,
    next_word,
    previous_word,
    sentence_at,
    step,
    trimmed,
    whole_words,
    word_at,
)


@dataclass(frozen=True, slots=True)
class Selecting:
    """A stretch of a text; `fresh` until it is extended, `ahead` while its end is the side that moves."""

    start: int
    end: int
    fresh: bool = True
    ahead: bool = True

    @property
    def edge(self) -> int:
        """The side that moves."""
        return self.end if self.ahead else self.start


def placed(text: str, offset: int) -> Selecting | None:
    """The word at an offset, from where a selection may begin; None in a text without words."""
    word = word_at(text, offset)
    return Selecting(*word) if word else None


def shifted(text: str, now: Selecting, by: int) -> Selecting:
    """A fresh selection one word on or back."""
    word = next_word(text, now.end) if by > 0 else previous_word(text, now.start)
    return Selecting(*word) if word else now


def turned(now: Selecting) -> Selecting:
    """The other side moves."""
    return replace(now, ahead=not now.ahead, fresh=False)


def by_word(text: str, now: Selecting, by: int) -> Selecting:
    """The moving side goes to the next or previous word; the last word stays."""
    word = _word_ahead(text, now, by) if now.ahead else _word_behind(text, now, by)
    return _reached(now, word)


def _word_ahead(text: str, now: Selecting, by: int) -> Stretch | None:
    if by > 0:
        return next_word(text, now.end)
    last = previous_word(text, now.end)
    return previous_word(text, last[0]) if last and last[1] >= now.end else last


def _word_behind(text: str, now: Selecting, by: int) -> Stretch | None:
    if by < 0:
        return previous_word(text, now.start)
    first = next_word(text, now.start)
    return next_word(text, first[1]) if first and first[0] <= now.start else first


def by_sentence(text: str, now: Selecting) -> Selecting:
    """The whole sentence when fresh, then on to the far side of this sentence or the next."""
    if now.fresh:
        return _taken(now, sentence_at(text, now.start))
    if now.ahead:
        return _reached(now, sentence_at(text, now.end))
    before = previous_word(text, now.start)
    return _reached(now, sentence_at(text, before[0]) if before else None)


def by_character(text: str, now: Selecting, by: int) -> Selecting:
    """The moving side goes one character on or back."""
    edge = step(text, now.edge, by)
    return _reached(now, (edge, edge))


def by_row(text: str, now: Selecting, offset: int) -> Selecting:
    """The moving side goes to the word at an offset of another row, or beyond it where that row is blank."""
    return _reached(now, _word_near(text, now, offset))


def shifted_to(text: str, now: Selecting, offset: int) -> Selecting:
    """A fresh selection at the word at an offset of another row."""
    word = _word_near(text, now, offset)
    return Selecting(*word) if word else now


def _word_near(text: str, now: Selecting, offset: int) -> Stretch | None:
    word = word_at(text, offset)
    back = word and offset < now.edge <= word[1]
    return previous_word(text, offset) if back else word


def met(text: str, now: Selecting, found: Stretch) -> Selecting:
    """A fresh selection at the words of a hit; an extended one from where it began to the far side of the hit."""
    start, end = whole_words(text, *found)
    if now.fresh:
        return Selecting(start, end)
    begun = word_at(text, now.start) if now.ahead else previous_word(text, now.end)
    low, high = begun or (now.start, now.end)
    return Selecting(min(low, start), max(high, end), fresh=False, ahead=start >= low)


def extended(now: Selecting) -> Selecting:
    """From here on keys move the end instead of the start."""
    return replace(now, fresh=False)


def dragged(text: str, anchor: int, offset: int) -> Selecting:
    """What a pointer selects that was pressed at one character and is at another: the words there, all between."""
    start, end = sorted((anchor, offset))
    return Selecting(
        *whole_words(text, start, step(text, end, 1)), fresh=False, ahead=offset >= anchor
    )


def clicked(text: str, offset: int, times: int) -> Selecting | None:
    """The word that two clicks select, the sentence that three do."""
    found = word_at(text, offset) if times == 2 else sentence_at(text, offset)  # noqa: PLR2004
    return Selecting(*found, fresh=False) if found else None


def stretch(text: str, now: Selecting) -> Stretch | None:
    """What is selected, without white space at its ends; None when nothing else is."""
    start, end = trimmed(text, now.start, now.end)
    return (start, end) if start < end else None


def _taken(now: Selecting, found: Stretch | None) -> Selecting:
    return replace(now, start=found[0], end=found[1], fresh=False) if found else now


def _reached(now: Selecting, found: Stretch | None) -> Selecting:
    """The moving side at the far side of `found`, unless that would leave nothing selected."""
    if found is None:
        return now
    moved = replace(now, end=found[1]) if now.ahead else replace(now, start=found[0])
    return replace(moved, fresh=False) if moved.start < moved.end else now
