"""The keys of the LLM pane, and what its marks mean."""

from appellate.traits.verdict.pane_keys import KindKeys
from appellate.ui.marks import Marks
from appellate.ui.pane import MarkHelp

OWN = KindKeys("llm", "LLM trait")
KEYS = (
    *OWN.verdicts(),
    OWN.correction("pick", "i", "list", "pick the verdict from a list", strip=9, place=7),
    OWN.correction(
        "add", "plus,+", "evidence", "add words of the response as evidence", strip=8, place=6
    ),
    OWN.correction(
        "replace",
        "equals_sign,=",
        "other words",
        "put other words of the response in the place of the excerpt",
    ),
    OWN.correction("reword", "e", "reword", "reword the excerpt and look it up", strip=12, place=9),
    OWN.correction("drop", "d", "drop", "drop the excerpt", strip=11, place=8),
    OWN.over("verdict, evidence", "go from the verdict to the evidence and back"),
)


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
