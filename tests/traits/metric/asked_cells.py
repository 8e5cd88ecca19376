"""Traits of four forms and a response, for the tests of what a model is asked and answers."""

from appellate.core.trace import Trace
from appellate.traits.metric.spec import MetricRubricTrait

RESPONSE = "BCL2 is an anti-apoptotic gene. It is located on chromosome 1."
TRACE = Trace(
    id="t",
    question="What is BCL2?",
    reference="A gene on 18q21",
    response=RESPONSE,
)
PLAIN = MetricRubricTrait(
    name="BCL2",
    metrics=["f1"],
    tp_instructions=["Mentions BCL2", "Chromosome 18"],
)
HINTED = PLAIN.model_copy(
    update={"fp_instructions": ["Chromosome 1"], "fn_instructions": ["Chromosome 18"]},
)
FULL = PLAIN.model_copy(
    update={
        "evaluation_mode": "full_matrix",
        "tn_instructions": ["Chromosome 1", "Pro-apoptotic"],
    },
)
FULL_HINTED = FULL.model_copy(update={"fp_instructions": ["A protein"]})
EVERY = (PLAIN, HINTED, FULL, FULL_HINTED)
