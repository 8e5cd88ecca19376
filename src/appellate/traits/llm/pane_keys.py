"""The keys of the LLM pane, and what its marks mean."""

from collections.abc import Mapping

from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.verdict.scale import DIGITS, has_digits, key_of
from appellate.ui.contract import YES_NO
from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp

ITEMS = "Verdict"
YES = "llm.yes"


def _verdict(name: str, key: str, label: str, text: str, action: str) -> Key:
    """A key that gives a verdict by itself."""
    return Key(f"llm.{name}", key, key, label, ITEMS, f"LLM trait: {text}", own_action=action)


def _digit(number: int) -> Key:
    text = f"score {number}"
    if number in YES_NO:
        text = f"{('no', 'yes')[YES_NO[number]]}, score {number} or class {number}"
    elif number:
        text += f" or class {number}"
    return _verdict(str(number), str(number), f"score {number}", text, f"value({number})")


def _correction(
    what: str, keys: str, label: str, text: str, *, strip: int = 0, place: int = 0
) -> Key:
    """A key that makes a correction; the last character of `keys` is what it is called."""
    text, action = f"LLM trait: {text}", f"correct('{what}')"
    return Key(f"llm.{what}", keys, keys[-1], label, ITEMS, text, strip, place, action)


KEYS = (
    _verdict("yes", "y", "yes", "yes, where yes or no is asked", "yes"),
    *map(_digit, range(DIGITS + 1)),
    Key(
        "llm.turn",
        "space",
        "Space",
        "turn",
        ITEMS,
        "LLM trait: the verdict under the cursor; of yes and no the other, where it is given",
        own_action="turn",
        near=True,
    ),
    _correction("pick", "i", "list", "pick the verdict from a list", strip=9, place=7),
    _correction(
        "add", "plus,+", "evidence", "add words of the response as evidence", strip=8, place=6
    ),
    _correction(
        "replace",
        "equals_sign,=",
        "other words",
        "put other words of the response in the place of the excerpt",
    ),
    _correction("reword", "e", "reword", "reword the excerpt and look it up", strip=12, place=9),
    _correction("drop", "d", "drop", "drop the excerpt", strip=11, place=8),
    Key(
        "llm.over",
        "l,right,tab,h,left,shift+tab",
        "l h Tab",
        "verdict, evidence",
        "Going about",
        "LLM trait: go from the verdict to the evidence and back",
        own_action="over",
    ),
)


def answer_keys(trait: LLMRubricTrait) -> Mapping[str, str]:
    """The ids of the keys that give a verdict by themselves, and the number of each verdict."""
    if trait.kind == "boolean":
        return {"llm.1": "1", "llm.2": "0", YES: "1"}
    if not has_digits(trait):
        return {}
    return {f"llm.{key_of(trait, value)}": str(value) for value in trait.values}


def marks_help(marks: Marks) -> list[MarkHelp]:
    """What the marks of the rows mean."""
    verdict = "the label now, with the mark of the cell's state"
    votes = "how many of a panel say so; with the sign: not all"
    doubt = "an excerpt that was not found in the response"
    return [
        MarkHelp(f"{marks.proposed} verdict", verdict, "proposed"),
        MarkHelp("judge", "what the judge said", "muted"),
        MarkHelp(f"{marks.split}2/3", votes, "flag"),
        MarkHelp(f"{marks.doubt} unverified", doubt, "flag"),
    ]
