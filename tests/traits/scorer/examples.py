"""What the property suite over all kinds goes through of the scorer kind."""

from hypothesis import strategies as st

from appellate.core.trace import Trace
from appellate.traits.scorer.labels import Edit, Labels
from appellate.traits.scorer.spec import ScorerRubricTrait
from kind_examples import Examples

RESPONSE = "BCL2 is on chromosome 18, “I think”. ANSWER: 18 कोशिका 🧬"
LETTERS = st.sampled_from(["C", "P", "I", "N", "unscored"])
NUMBERS = st.floats(-2, 7, allow_nan=False) | st.booleans() | LETTERS
BETWEEN = st.floats(0, 1) | st.booleans() | LETTERS | st.just("yes")
_OFFSETS = st.lists(
    st.integers(0, len(RESPONSE)),
    min_size=2,
    max_size=2,
    unique=True,
).map(sorted)


def _value(trait: ScorerRubricTrait) -> st.SearchStrategy:
    """Anything that the values of a trait may be, numbers for letters and what was left out too."""
    numbered = st.sampled_from([1, 0.5, 0, 1.0, True, False])
    values = {}
    for part in trait.parts:
        values[part.key] = BETWEEN
        if part.is_letter:
            values[part.key] = LETTERS | numbered
        if part.high > 1:
            values[part.key] = st.floats(part.low, part.high) | st.sampled_from(
                ["C", "unscored"],
            )
    if "" in values:
        return values[""]
    return st.fixed_dictionaries({}, optional=values).filter(bool)


def _tables(trait: ScorerRubricTrait) -> st.SearchStrategy[dict]:
    """A value alone, or with what was extracted and why."""
    rest = {
        "answer": st.sampled_from(
            ["18", "chromosome 18", "“I think”", "nowhere", RESPONSE, ""],
        ),
        "explanation": st.sampled_from(["It says so.", RESPONSE, ""]),
        "target": st.sampled_from(["18", ["18", "eighteen"], []]),
        "spans": st.lists(_OFFSETS, max_size=2),
    }
    return st.fixed_dictionaries({"value": _value(trait)}, optional=rest)


def _edits(trait: ScorerRubricTrait, labels: Labels) -> st.SearchStrategy[Edit]:
    keys = [part.key for part in trait.parts]
    start, end = st.integers(0, len(RESPONSE)), st.integers(0, len(RESPONSE))
    return st.one_of(
        st.builds(
            Edit,
            st.just("overrule"),
            NUMBERS,
            st.sampled_from([*keys, "another"]),
        ),
        st.builds(Edit, st.just("answer"), text=st.sampled_from(["18", "A", "1", ""])),
        st.builds(Edit, st.just("answer"), start=start, end=end),
        st.just(Edit("restore")),
    )


EXAMPLES = Examples(
    traits=[
        ScorerRubricTrait(name="Ends Right", scorer="match", numeric=True),
        ScorerRubricTrait(
            name="By Function",
            scorer="callable",
            callable="scores:marks",
            keys=["style", "facts"],
            max_score=5,
        ),
        ScorerRubricTrait(
            name="Several",
            scorer="multi_scorer",
            scorers=[
                {"scorer": "includes"},
                {"scorer": "f1", "name": "words", "stop_words": ["is"]},
            ],
        ),
        ScorerRubricTrait(
            name="Graded",
            scorer="model_graded_qa",
            partial_credit=True,
            description="Does it name the chromosome?",
        ),
        ScorerRubricTrait(
            name="Rated",
            scorer="model_graded_fact",
            instructions="End with Score: [[n]], from 1 to 5.",
            grade_pattern=r"Score: \[\[(\d)\]\]",
            min_score=1,
            max_score=5,
        ),
        ScorerRubricTrait(
            name="As Logged",
            scorer="recorded",
            keys=["style", "facts"],
            higher_is_better=False,
        ),
        ScorerRubricTrait(
            name="Any Of Them",
            scorer="multi_scorer",
            scorers=[{"scorer": "exact"}, {"scorer": "answer", "pattern": "word"}],
            reducer="mode",
        ),
    ],
    trace=Trace(
        id="1",
        question="Where is BCL2?",
        response=RESPONSE,
        reference=["18", "eighteen"],
    ),
    tables=_tables,
    edits=_edits,
    wrong=[
        {},
        {"value": "D"},
        {"value": 0.3},
        {"value": {"words": 1}},
        {"value": "C", "answer": 3},
        {"value": "C", "target": [3]},
        {"value": "C", "spans": 3},
        {"value": "C", "spans": [[3]]},
        {"value": "C", "spans": [[0, 1000]]},
        {"value": "C", "items": []},
    ],
    changed=ScorerRubricTrait(name="Ends Right", scorer="match", location="any"),
    queries=[
        "score>0.5",
        "value:C",
        "extracted:18",
        "score.words<1",
        "score.style:undefined",
    ],
)
