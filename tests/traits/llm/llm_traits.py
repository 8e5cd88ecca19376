"""Three LLM traits, a response and some words of it, for the tests of the kind."""

from appellate.core.trace import Trace
from appellate.traits.llm import KIND
from appellate.traits.llm.labels import Excerpt
from appellate.traits.llm.spec import LLMRubricTrait

RESPONSE = "Take ibuprofen with food. Ask a doctor before you take it with warfarin. Take care."
TRACE = Trace(
    id="t", question="May I take ibuprofen?", reference="Not with warfarin", response=RESPONSE
)
WARNS = LLMRubricTrait(name="Warns", kind="boolean", description="Does it warn of anything?")
CLEAR = LLMRubricTrait(
    name="Clear", kind="score", description="From 1 (confusing) to 5 (crystal clear)"
)
TONE = LLMRubricTrait(
    name="Tone",
    kind="literal",
    classes={"formal": "As in a letter", "plain": "As one talks", "rude": "Insults"},
)
EVERY = (WARNS, CLEAR, TONE)


def excerpt(text):
    """Words of the response, where they stand."""
    start = RESPONSE.index(text)
    return Excerpt(text, start, start + len(text))


def labels(trait, table, trace=TRACE):
    """What a judge's table stands for."""
    return KIND.labels(trait, trace, KIND.locate(trait, trace, table))
