"""An audit whose rubric has traits of every kind and form, the tests' own among them, lived through
on two traces.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from appellate.core.deciding import Correct, Receive
from appellate.core.facts import Proposed
from appellate.session.workbench import Workbench
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.grounding.spec import GroundingRubricTrait
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.rubric import Rubric
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.traits.steps.spec import StepsRubricTrait
from appellate.traits.tally import TallyTrait
from cells import RESPONSE, bench, matrix, proposal, trace

GPT = {"name": "gpt"}
CLASSES = {
    "full": "says all of it",
    "partial": "says some of it",
    "none | <b>": "says nothing",
}
LENGTHS = {"short": "under 40 words", "right": "up to 80", "long": "more"}
RUBRIC = Rubric(
    name="Every kind",
    metric_traits=[matrix()],
    grounding_traits=[GroundingRubricTrait(name="Grounded")],
    llm_traits=[
        LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?"),
        LLMRubricTrait(name="Clarity", kind="score", description="How clear is it?"),
        LLMRubricTrait(
            name="Hedging",
            kind="score",
            max_score=10,
            higher_is_better=False,
        ),
        LLMRubricTrait(name="Coverage", kind="literal", classes=CLASSES),
    ],
    regex_traits=[
        RegexRubricTrait(name="Cites", pattern=r"BCL\d", description="Names a gene"),
    ],
    callable_traits=[
        CallableRubricTrait(
            name="Length",
            kind="literal",
            callable="c:length",
            classes=LENGTHS,
        ),
    ],
    scorer_traits=[
        ScorerRubricTrait(name="Ends Right", scorer="match"),
        ScorerRubricTrait(name="Words", scorer="f1"),
    ],
    steps_traits=[StepsRubricTrait(name="Path")],
    tally_traits=[TallyTrait(name="Genes", word="gene")],
)
NAMES = [known.trait.name for known in RUBRIC.every_trait()]

_NO_KEYS = {"all_relevant_sentence_keys": [], "all_utilized_sentence_keys": []}
_A = {"response_sentence_key": "a", "supporting_sentence_keys": ["general"]}
TABLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Safe": ({"value": True}, {"value": False}),
    "Clarity": ({"value": 2, "evidence": ["BCL2"]}, {"value": 4}),
    "Hedging": ({"value": 3}, {"value": 9}),
    "Coverage": ({"class": "partial"}, {"class": "full"}),
    "Cites": (
        {"value": True, "hits": 2, "matches": [[0, 4], [10, 14]]},
        {"value": False, "hits": 0, "matches": []},
    ),
    "Length": ({"class": "short"}, {"class": "long"}),
    "Ends Right": (
        {
            "value": "I",
            "answer": "pathway",
            "spans": [[0, 4]],
            "explanation": "It ends otherwise.",
        },
        {
            "value": "C",
            "answer": "More",
            "spans": [[0, 4]],
            "explanation": "It ends so.",
        },
    ),
    "Words": ({"value": 0.4, "spans": [[0, 4]]}, {"value": 0.75}),
    "Genes": ({"times": 2}, {"times": 40}),
    "Path": (
        {"steps": [{"step": 1, "verdict": "wrong"}], "seen": 1, "outcome": "failed"},
        {"steps": [], "seen": 1, "outcome": "solved"},
    ),
    "Grounded": (
        {**_NO_KEYS, "sentence_support_information": [{**_A, "fully_supported": True}]},
        {
            **_NO_KEYS,
            "sentence_support_information": [{**_A, "fully_supported": False}],
        },
    ),
}
"""What the judge says of either trace, beside the metric trait."""
EDITS: dict[str, dict[str, Any]] = {
    "Accuracy": {"action": "move", "bucket": "tp", "index": 0, "to": "fn"},
    "Safe": {"action": "set", "value": False},
    "Clarity": {"action": "set", "value": 5},
    "Coverage": {"action": "set", "value": 0},
    "Cites": {"action": "overrule", "value": False},
    "Length": {"action": "overrule", "value": 1},
    "Ends Right": {"action": "overrule", "value": "C"},
    "Words": {"action": "overrule", "value": 0.5},
    "Genes": {"times": 3},
    "Path": {"action": "verdict", "step": 1, "verdict": "needless"},
    "Grounded": {"action": "support", "sentence": "a", "support": "none"},
}
"""What the reviewer then corrects in the first trace."""


@contextmanager
def bench_of_all_kinds(folder: Path) -> Iterator[Workbench]:
    """Two traces judged under every trait, the first corrected wherever that can be, and signed
    off.
    """
    with bench(folder, trace("t1"), trace("t2", RESPONSE + " More."), of=RUBRIC) as at:
        for number in range(1, 2 * len(NAMES) + 1):
            _judge(at, number)
        for number, name in enumerate(NAMES, 1):
            if name in EDITS:
                kind = at.workspace.cell(number)[1].subject.kind
                at.do(number, Correct(kind.edit(EDITS[name]), "as it says"))
            at.sign_off(number)
        yield at


def _judge(at: Workbench, number: int) -> None:
    _, cell = at.workspace.cell(number)
    subject = cell.subject
    if subject.kind.name == "metric":
        at.do(number, Receive(proposal()))
        return
    table = TABLES[subject.trait.name][(number - 1) // len(NAMES)]
    located = subject.kind.locate(subject.trait, subject.trace, table)
    at.do(number, Receive(Proposed(located, GPT)))
