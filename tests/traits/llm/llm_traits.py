"""Three LLM traits, a response and some words of it, and a scene, for the tests of the kind."""

from appellate.core.facts import Proposed
from appellate.core.trace import Trace
from appellate.traits.llm import KIND
from appellate.traits.llm.labels import Excerpt
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric

RESPONSE = "Take ibuprofen with food. Ask a doctor before you take it with warfarin. Take care."
TRACE = Trace(
    id="t",
    question="May I take ibuprofen?",
    reference="Not with warfarin",
    response=RESPONSE,
)
WARNS = LLMRubricTrait(
    name="Warns",
    kind="boolean",
    description="Does it warn of anything?",
)
CLEAR = LLMRubricTrait(
    name="Clear",
    kind="score",
    description="From 1 (confusing) to 5 (crystal clear)",
)
TONE = LLMRubricTrait(
    name="Tone",
    kind="literal",
    classes={"formal": "As in a letter", "plain": "As one talks", "rude": "Insults"},
)
EVERY = (WARNS, CLEAR, TONE)
CANNOT = {"cannot_tell": True}
MAY_WARN = WARNS.model_copy(update={"name": "May warn", **CANNOT})
MAY_BE_CLEAR = CLEAR.model_copy(update={"name": "May be clear", **CANNOT})
MAY_HAVE_TONE = TONE.model_copy(update={"name": "May have tone", **CANNOT})
UNSURE = (MAY_WARN, MAY_BE_CLEAR, MAY_HAVE_TONE)
"""The same, of which judge and person may say that they cannot tell."""


def excerpt(text):
    """Words of the response, where they stand."""
    start = RESPONSE.index(text)
    return Excerpt(text, (start, start + len(text)))


def offsets(excerpt):
    """Where it stands, as edits and files have it."""
    return dict(zip(("start", "end"), excerpt.span, strict=True))


def labels(trait, table, trace=TRACE):
    """What a judge's table stands for."""
    return KIND.labels(trait, trace, KIND.locate(trait, trace, table))


def judged():
    """Cell 1 is a yes, cell 2 a score of 2, cell 3 the second class of three."""
    tables = [
        {"value": True, "evidence": ["with food"], "rationale": "It says so."},
        {"value": 2, "evidence": []},
        {"value": 1, "evidence": []},
    ]
    happened = []
    for trait, table in zip(EVERY, tables, strict=True):
        happened.append([Proposed(KIND.locate(trait, TRACE, table), {"name": "gpt"})])
    return Rubric(name="llm", llm_traits=list(EVERY)), [TRACE], happened
