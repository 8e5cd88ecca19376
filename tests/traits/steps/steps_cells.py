"""Runs as a scene: one as its judge went through it, one that nobody judged."""

from appellate.core.facts import Proposed
from appellate.traits.rubric import Rubric
from appellate.traits.steps import KIND
from traits.steps.steps_traits import PATH, RUN

JUDGED_TABLE = {
    "outcome": "solved",
    "seen": 4,
    "steps": [
        {"step": 3, "verdict": "needless", "rationale": "It says nothing."},
        {
            "step": 6,
            "verdict": "wrong",
            "error": "unasked",
            "instead": "Which of the two do you want?",
            "rationale": "The policy says to ask before booking.",
        },
    ],
}


def scene(trait=PATH):
    """Cell 1 with two steps that are not right, cell 2 not judged.

    Under a trait that has no such verdicts the judge found nothing.
    """
    runs = [RUN, RUN.model_copy(update={"id": "another"})]
    table = JUDGED_TABLE if trait is PATH else {"steps": []}
    located = KIND.locate(trait, RUN, table)
    return (
        Rubric(steps_traits=[trait]),
        runs,
        [[Proposed(located, {"name": "gpt"})], []],
    )


def verdicts(cell):
    return {step.no: step.verdict for step in cell.labels.steps}
