"""The LLM kind, for the property suite."""

from hypothesis import strategies as st

from appellate.traits.llm.edits import ACTIONS, Edit
from appellate.traits.llm.spec import LLMRubricTrait
from kind_examples import Examples
from traits.llm.llm_traits import CLEAR, EVERY, RESPONSE, TRACE, WARNS

EXCERPTS = st.lists(st.sampled_from(["Take ibuprofen", "take it with warfarin", "nowhere said", "Take"]), max_size=3)
OFFSETS = st.integers(0, len(RESPONSE))


def values(trait):
    """Verdicts that the trait has."""
    if trait.kind == "boolean":
        return st.booleans()
    return st.integers(trait.low, trait.high) if trait.kind == "score" else st.integers(0, len(trait.classes) - 1)


def tables(trait):
    optional = {"rationale": st.sampled_from(["It says so.", "Perhaps"]), "evidence": EXCERPTS}
    return st.fixed_dictionaries({"value": values(trait)}, optional=optional)


def edits(trait, labels):
    return st.builds(
        Edit,
        st.sampled_from(ACTIONS),
        value=st.none() | values(trait) | st.integers(-1, 9),
        index=st.integers(0, 3),
        start=st.none() | OFFSETS,
        end=st.none() | OFFSETS,
        text=st.none() | st.sampled_from(["Take care", "nowhere said", " "]),
    )


EXAMPLES = Examples(
    traits=EVERY,
    trace=TRACE,
    tables=tables,
    edits=edits,
    wrong=[{}, {"value": "yes"}, {"value": True, "evidence": "Take"}, {"value": 3}],
    changed=LLMRubricTrait(name=WARNS.name, kind="boolean", description="Does it warn of warfarin?"),
    queries=["verdict:yes", f"has:{CLEAR.name}"],
)
