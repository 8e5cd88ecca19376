"""The tests' own kind, for the property suite."""

from hypothesis import strategies as st

from appellate.core.trace import Trace
from appellate.traits.tally import Count, TallyTrait
from kind_examples import Examples

EXAMPLES = Examples(
    traits=[
        TallyTrait(name="BCL2", word="BCL2"),
        TallyTrait(name="Cancer", word="cancer", description="Of any sort"),
    ],
    trace=Trace(id="t", response="BCL2 is BCL2, and cancer is cancer."),
    tables=lambda trait: st.fixed_dictionaries({"times": st.integers(0, 120)}),
    edits=lambda trait, labels: st.integers(-1, 120).map(Count),
    wrong=[{}, {"times": "two"}, {"times": -1}, {"time": 1}],
    changed=TallyTrait(name="BCL2", word="bcl-2"),
    queries=["times>1", "times:0"],
)
