"""Which of two answers is better, for the property suite."""

from hypothesis import strategies as st

from appellate.core.kind import CANNOT_TELL
from appellate.core.trace import Trace
from appellate.traits.preference import PreferenceTrait
from appellate.traits.verdict.kind import Edit
from kind_examples import Examples


def tables(trait):
    by_value = st.builds(lambda value: {"value": value}, st.sampled_from(trait.choices))
    return by_value | st.builds(
        lambda name: {"class": name},
        st.sampled_from(trait.class_names),
    )


EXAMPLES = Examples(
    traits=[
        PreferenceTrait(name="Better", description="Which is clearer?"),
        PreferenceTrait(name="Warmer", ties=False),
        PreferenceTrait(name="Kinder", cannot_tell=True),
    ],
    trace=Trace(
        id="1",
        question="?",
        response="It is 4.",
        documents=["Four, I should think."],
    ),
    tables=tables,
    edits=lambda trait, labels: st.sampled_from(
        [
            Edit("restore"),
            *(Edit("overrule", value) for value in (*range(4), CANNOT_TELL)),
        ],
    ),
    wrong=[
        {},
        {"value": True},
        {"value": 3},
        {"class": "C"},
        {"value": 0, "class": "B"},
        {"value": "cannot tell"},
    ],
    changed=PreferenceTrait(name="Better", description="Which is shorter?"),
    queries=["class:tie", "verdict:A"],
)
