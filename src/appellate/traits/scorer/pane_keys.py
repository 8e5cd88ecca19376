"""The keys of the scorer pane, and what its marks mean."""

from collections.abc import Iterable

from appellate.traits.scorer.labels import LETTERS, spoken
from appellate.traits.scorer.view import Sort
from appellate.traits.verdict.pane_keys import KindKeys
from appellate.ui.contract import YES_NO
from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp

OWN = KindKeys("scorer", "scorer trait", "Score")
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
    words = f"the score is {'; '.join(texts)}"
    return OWN.give(name, str(number), label, words, f"value({number})")


KEYS = (
    *map(_digit, range(10)),
    OWN.give("yes", "y", "yes", "the score is yes, where it is yes or no", "yes"),
    OWN.turn("the score under the cursor; of one that is set the contrary"),
    OWN.correction("pick", "i", "list", "pick the score from a list, or type it", strip=9, place=7),
    OWN.correction(
        "answer",
        "e",
        "answer",
        "type the answer that was to be extracted; it is scored again",
        strip=8,
        place=6,
    ),
    OWN.correction(
        "words",
        "equals_sign,=",
        "its words",
        "select the answer in the response; it is scored again",
        strip=10,
        place=8,
    ),
    OWN.correction("back", "d", "take back", "take back what was said by hand", strip=11, place=9),
    OWN.over("score, answer", "go from the score to what was extracted and back"),
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


def given_scores(sort: Sort, values: Iterable[object]) -> dict[str, str]:
    """The scores that a digit gives, in words by the id of its key; of a number how it begins."""
    if sort == "boolean":
        words = {_LETTERS[number]: ("no", "yes")[yes] for number, yes in YES_NO.items()}
        named = {f"scorer.{letter.lower()}": word for letter, word in words.items()}
        return {key: f"the score: {word}" for key, word in (named | {"scorer.yes": "yes"}).items()}
    if sort == "letter":
        given = [value for value in LETTERS if value in set(values)]
        return {f"scorer.{one.lower()}": f"the score: {spoken(one)}" for one in given}
    return {}


def marks_help(marks: Marks) -> list[MarkHelp]:
    """What the marks of the rows mean."""
    return [
        MarkHelp(
            f"{marks.proposed} score", "the label now, with the mark of the state", "proposed"
        ),
        MarkHelp("rule, judge", "what the scorer said", "muted"),
        MarkHelp(f"{marks.split}2/3", "how many graders say so; with the sign: not all", "flag"),
    ]
