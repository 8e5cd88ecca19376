"""A grounding trait, a trace for it, and the labels of the reference page's second example (our own words)."""

from appellate.core.trace import Document, Trace
from appellate.traits.grounding.spec import GroundingRubricTrait

TRAIT = GroundingRubricTrait(name="Grounded")
RAGBENCH = GroundingRubricTrait(
    name="Grounded, RAGBench",
    description="Only what the leaflets say.",
    definition="ragbench",
)
DOCUMENTS = [
    "Take it with food. Do not take it with warfarin. It is made in Basel.",
    Document(
        id="leaflet",
        text="Keep it dry.\n\nStore it below 25 °C. Call a doctor if you faint.",
    ),
]
RESPONSE = "Take it with food. Store it below 25 °C. Everybody likes it."
TRACE = Trace(
    id="t1",
    question="How do I take and store it?",
    response=RESPONSE,
    documents=DOCUMENTS,
)


def support(key, keys=(), full=True, **more):
    """A row of `sentence_support_information`."""
    return {
        "response_sentence_key": key,
        "explanation": more.pop("explanation", ""),
        "supporting_sentence_keys": list(keys),
        "fully_supported": full,
        **more,
    }


def table(**more):
    """A judge's table of the trace: two sentences supported, one not."""
    return {
        "relevance_explanation": "The first leaflet says how, the second where.",
        "all_relevant_sentence_keys": ["0a", "0b", "1a", "1b"],
        "overall_supported_explanation": "The last sentence stands nowhere.",
        "overall_supported": False,
        "sentence_support_information": [
            support("a", ["0a"], explanation="Word for word."),
            support("b", ["1b"]),
            support("c", full=False),
        ],
        "all_utilized_sentence_keys": ["0a", "1b"],
        **more,
    }
