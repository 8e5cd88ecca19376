"""What the property suite over all kinds goes through of the regex kind."""

from hypothesis import strategies as st

from appellate.core.trace import Trace
from appellate.traits.regex import Labels
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.verdict.kind import Edit
from kind_examples import Examples

RESPONSE = "BCL2 is on chromosome 18; bcl-2 was named in 1984. कोशिका 🧬"
_OFFSETS = st.integers(0, len(RESPONSE))
_SPANS = st.tuples(_OFFSETS, _OFFSETS).map(sorted)


def _tables(trait: RegexRubricTrait) -> st.SearchStrategy[dict]:
    """A verdict alone, or with what was matched."""
    matches = st.lists(_SPANS, max_size=3)
    whole = st.builds(
        lambda value, spans, more: {
            "value": value,
            "hits": len(spans),
            "matches": spans,
            "more": more,
        },
        st.booleans(),
        matches,
        st.booleans(),
    )
    return st.one_of(st.builds(lambda value: {"value": value}, st.booleans()), whole)


def _edits(trait: RegexRubricTrait, labels: Labels) -> st.SearchStrategy[Edit]:
    return st.sampled_from(
        [Edit("overrule", True), Edit("overrule", False), Edit("restore")],
    )


EXAMPLES = Examples(
    traits=[
        RegexRubricTrait(
            name="Names BCL2",
            pattern=r"\bbcl-?2\b",
            case_sensitive=False,
        ),
        RegexRubricTrait(
            name="No Address",
            pattern=r"https?://\S+",
            invert_result=True,
        ),
        RegexRubricTrait(
            name="Hedges",
            pattern="may|might",
            higher_is_better=False,
            description="fewer are better",
        ),
    ],
    trace=Trace(id="1", question="Where is BCL2?", response=RESPONSE),
    tables=_tables,
    edits=_edits,
    wrong=[
        {},
        {"value": "yes"},
        {"value": True, "hits": -1},
        {"value": True, "matches": [[3]]},
        {"value": True, "matches": [[0, 1000]]},
        {"value": True, "hits": 0, "matches": [[0, 4]]},
    ],
    changed=RegexRubricTrait(name="Names BCL2", pattern=r"\bBCL2\b"),
    queries=["hits>1", "yes<1", "verdict:no", "verdict:yes hits=0"],
)
