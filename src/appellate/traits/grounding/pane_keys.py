"""The keys of the grounding pane, and what its marks mean."""

from appellate.ui.key import Key
from appellate.ui.marks import Marks, raised
from appellate.ui.pane import MarkHelp

ITEMS, GOING = "Support", "Going about"
SAYING = ("support.full", "support.partial", "support.none")
"""The keys that give a response sentence its verdict."""


def _says(name: str, key: str, label: str, text: str) -> Key:
    text = f"grounding trait: the response sentence is {text}"
    return Key(f"support.{name}", key, key, label, ITEMS, text, own_action=f"correct('{name}')")


def _marks(name: str, key: str, label: str) -> Key:
    text = f"grounding trait: the document sentence is {name}, or is not"
    return Key(f"support.{name}", key, key, label, ITEMS, text, own_action=f"correct('{name}')")


KEYS = (
    _says("full", "1", "supported", "supported"),
    _says("partial", "2", "partly", "partly supported, which counts as not supported"),
    _says("none", "3", "not", "not supported; what it rested on goes"),
    _marks("relevant", "4", "relevant"),
    _marks("utilized", "5", "utilized"),
    Key(
        "support.turn",
        "space",
        "Space",
        "turn, link",
        ITEMS,
        "grounding trait: supported ⇄ not; in the documents: the claim rests on this, or does not",
        8,
        5,
        "correct('turn')",
        near=True,
    ),
    Key(
        "support.link",
        "i",
        "i",
        "link",
        ITEMS,
        "grounding trait: link claim and sentences: type keys (0b 2a), or words",
        9,
        7,
        "correct('link')",
    ),
    Key(
        "support.mark",
        "x",
        "x",
        "mark",
        ITEMS,
        "grounding trait: mark the document sentence; 4, 5 and Space then take all marked",
        own_action="mark",
    ),
    Key(
        "grounding.copy",
        "exclamation_mark,!",
        "!",
        "copy claims",
        ITEMS,
        "grounding trait: copy the claims that are not supported, as a list",
        11,
        8,
        "correct('copy')",
    ),
    Key(
        "grounding.view",
        "t",
        "t",
        "unsupported",
        ITEMS,
        "grounding trait: only the claims that are not supported, or all sentences again",
        13,
        15,
        "view",
    ),
    Key(
        "grounding.on",
        "l,right",
        "l →",
        "its support",
        GOING,
        "grounding trait: to the sentence that the claim rests on, then to the next one",
        own_action="go('support')",
    ),
    Key(
        "grounding.back",
        "h,left",
        "h ←",
        "its claim",
        GOING,
        "grounding trait: from a sentence to the claim that rests on it",
        own_action="go('claim')",
    ),
    Key(
        "grounding.over",
        "tab,shift+tab",
        "Tab",
        "the other text",
        GOING,
        "grounding trait: go from the response to the documents and back",
        own_action="go('other')",
    ),
)


def marks_help(marks: Marks) -> list[MarkHelp]:
    """What the marks of the rows mean."""
    keys = f"{raised('a', marks)}  {raised('0b', marks)}"
    return [
        MarkHelp("0b  c", "sentence b of document 0, sentence c of the response", "key"),
        MarkHelp(keys, "behind words, which sentence it is, with R and U", "key"),
        MarkHelp(
            "Rel Util Comp Adh Avg",
            "relevance, utilization, completeness, adherence, their average",
            "key",
        ),
        MarkHelp("supported", "the documents say all that the sentence says", "tp"),
        MarkHelp(
            f"{marks.partly} partly",
            "the documents say a part of it; counts as not supported",
            "fn",
        ),
        MarkHelp(f"{marks.fp} not", "no document says it: a hallucinated claim", "fp"),
        MarkHelp(marks.open, "a sentence without a label yet", "muted"),
        MarkHelp("R", "a document sentence that is relevant to the question", "key"),
        MarkHelp("U", "a document sentence that the response uses", "key"),
        MarkHelp(
            marks.linked,
            "left, the claim under the cursor rests on it; right, all claims that do",
            "corrected",
        ),
        MarkHelp(f"{marks.moved} was", "what the judge said, then your reason", "corrected"),
        MarkHelp(marks.marked, "marked: 4, 5 and Space are done to all that are marked", "key"),
        MarkHelp(marks.doubt, "labels that contradict each other", "flag"),
    ]
