"""The keys of the scorer pane, and what its marks mean."""

from collections.abc import Iterable

from appellate.traits.scorer.labels import LETTERS, spoken
from appellate.traits.scorer.view import Sort
from appellate.ui.contract import YES_NO
from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp

GROUP = "Score"
YES = "scorer.yes"
LETTER_KEYS = {letter: str(number) for number, letter in enumerate(LETTERS, 1)}
"""The digit of each letter: the same whatever letters a trait has."""
_LETTERS = dict(enumerate(LETTERS, 1))


def _digit(number: int) -> Key:
    """The key of a letter, of yes or no, or with which a number begins."""
    name, label = str(number), f"score {number}"
    texts = [f"a number that begins with {number}"]
    if number in _LETTERS:
        label = _LETTERS[number]
        name = label.lower()
        texts[:0] = [spoken(label)]
    if number in YES_NO:
        texts[:0] = ["yes" if YES_NO[number] else "no"]
    texts[-1:] = [f"or {texts[-1]}"] if len(texts) > 1 else texts
    digit = str(number)
    words = f"scorer trait: the score is {'; '.join(texts)}"
    return Key(f"scorer.{name}", digit, digit, label, GROUP, words, own_action=f"digit({number})")


def _correction(
    what: str, keys: str, label: str, text: str, *, strip: int = 0, place: int = 0
) -> Key:
    """A key that makes a correction; the last character of `keys` is what it is called."""
    text, action = f"scorer trait: {text}", f"correct('{what}')"
    return Key(f"scorer.{what}", keys, keys[-1], label, GROUP, text, strip, place, action)


KEYS = (
    *map(_digit, range(10)),
    Key(
        "scorer.yes",
        "y",
        "y",
        "yes",
        GROUP,
        "scorer trait: the score is yes, where it is yes or no",
        own_action="yes",
    ),
    Key(
        "scorer.turn",
        "space",
        "Space",
        "turn",
        GROUP,
        "scorer trait: the score under the cursor; of one that is set the contrary",
        own_action="turn",
        near=True,
    ),
    _correction("pick", "i", "list", "pick the score from a list, or type it", strip=9, place=7),
    _correction(
        "answer",
        "e",
        "answer",
        "type the answer that was to be extracted; it is scored again",
        strip=8,
        place=6,
    ),
    _correction(
        "words",
        "equals_sign,=",
        "its words",
        "select the answer in the response; it is scored again",
        strip=10,
        place=8,
    ),
    _correction("back", "d", "take back", "take back what was said by hand", strip=11, place=9),
    Key(
        "scorer.over",
        "l,right,tab,h,left,shift+tab",
        "l h Tab",
        "score, answer",
        "Going about",
        "scorer trait: go from the score to what was extracted and back",
        own_action="over",
    ),
)


def score_keys(sort: Sort, values: Iterable[object], keys: Iterable[Key]) -> str:
    """The keys that give one of some scores of a sort: the digits of yes and no or of letters, else
    that of the list.
    """
    shown = {key.id: key.shown for key in keys}
    letters = filter(LETTER_KEYS.__contains__, values)
    if sort == "boolean":
        letters = filter(None, map(_LETTERS.get, YES_NO))
    found = filter(None, map(shown.get, (f"scorer.{one}".lower() for one in letters)))
    return " ".join(found) or shown.get("scorer.pick", "")


def marks_help(marks: Marks) -> list[MarkHelp]:
    """What the marks of the rows mean."""
    return [
        MarkHelp(
            f"{marks.proposed} score", "the label now, with the mark of the state", "proposed"
        ),
        MarkHelp("rule, judge", "what the scorer said", "muted"),
        MarkHelp(f"{marks.split}2/3", "how many graders say so; with the sign: not all", "flag"),
    ]
