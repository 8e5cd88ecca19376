"""The keys of the LLM pane, and what its marks mean."""

from appellate.traits.llm.view import DIGITS
from appellate.ui.key import Key
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkTold

ITEMS = "Verdict"
YES_NO = ("llm.yes", "llm.no")


def _digit(number: int) -> Key:
    told = f"LLM trait: score {number}, or class {number}" if number else "LLM trait: score 0"
    label = f"score {number}"
    return Key(
        f"llm.{number}", str(number), str(number), label, ITEMS, told, own_action=f"value({number})"
    )


KEYS = (
    Key(
        "llm.yes",
        "y",
        "y",
        "yes",
        ITEMS,
        "LLM trait: yes, where yes or no is asked",
        own_action="say(True)",
    ),
    Key(
        "llm.no",
        "n",
        "n",
        "no",
        ITEMS,
        "LLM trait: no, where yes or no is asked",
        own_action="say(False)",
    ),
    *(_digit(number) for number in range(DIGITS + 1)),
    Key(
        "llm.pick",
        "i",
        "i",
        "list",
        ITEMS,
        "LLM trait: pick the verdict from a list",
        9,
        7,
        "correct('pick')",
    ),
    Key(
        "llm.add",
        "plus,+",
        "+",
        "evidence",
        ITEMS,
        "LLM trait: add words of the response as evidence",
        8,
        6,
        "correct('add')",
    ),
    Key(
        "llm.replace",
        "equals_sign,=",
        "=",
        "other words",
        ITEMS,
        "LLM trait: put other words of the response in the place of the excerpt",
        own_action="correct('replace')",
    ),
    Key(
        "llm.reword",
        "e",
        "e",
        "reword",
        ITEMS,
        "LLM trait: reword the excerpt and look it up",
        12,
        9,
        "correct('reword')",
    ),
    Key(
        "llm.drop", "d", "d", "drop", ITEMS, "LLM trait: drop the excerpt", 11, 8, "correct('drop')"
    ),
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


def told_marks(marks: Marks) -> list[MarkTold]:
    """What the marks of the rows mean."""
    verdict = "what stands, with the mark of the cell's state"
    votes = "how many of a panel say so; with the sign: not all"
    doubt = "an excerpt that was not found in the response"
    return [
        MarkTold(f"{marks.proposed} verdict", verdict, "proposed"),
        MarkTold("judge", "what the judge said", "muted"),
        MarkTold(f"{marks.split}2/3", votes, "flag"),
        MarkTold(f"{marks.doubt} unverified", doubt, "flag"),
    ]
