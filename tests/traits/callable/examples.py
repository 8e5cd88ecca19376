"""What the property suite over all kinds goes through of the callable kind."""

from hypothesis import strategies as st

from appellate.core.trace import Trace
from appellate.traits.callable.spec import CallableRubricTrait
from appellate.traits.verdict.kind import Edit
from appellate.traits.verdict.kind import Overrulable as Labels
from kind_examples import Examples

CLASSES = {"short": "under 40 words", "right": "40 to 80 words", "long": "more"}


def values(trait: CallableRubricTrait) -> st.SearchStrategy[bool | int | float]:
    """Legal verdicts."""
    if trait.kind == "boolean":
        return st.booleans()
    if trait.kind == "literal":
        return st.integers(0, len(trait.class_names) - 1)
    low, high = max(trait.low, -1e6), min(trait.high, 1e6)
    return st.integers(int(low), int(high)) | st.floats(low, high, allow_nan=False)


def _tables(trait: CallableRubricTrait) -> st.SearchStrategy[dict]:
    by_value = st.builds(lambda value: {"value": value}, values(trait))
    if trait.kind != "literal":
        return by_value
    return by_value | st.sampled_from(trait.class_names).map(
        lambda name: {"class": name},
    )


def _edits(trait: CallableRubricTrait, labels: Labels) -> st.SearchStrategy[Edit]:
    some = st.sampled_from(
        [Edit("restore"), Edit("overrule", 77.5), Edit("overrule", True)],
    )
    return some | st.builds(lambda value: Edit("overrule", value), values(trait))


EXAMPLES = Examples(
    traits=[
        CallableRubricTrait(
            name="Names A Day",
            kind="boolean",
            callable="reply_checks:names_a_day",
        ),
        CallableRubricTrait(
            name="No Shouting",
            kind="boolean",
            callable="reply_checks:shouts",
            invert_result=True,
            description="Capitals are for names.",
        ),
        CallableRubricTrait(
            name="Reading Ease",
            kind="score",
            callable="reply_checks:reading_ease",
            min_score=0,
            max_score=100,
        ),
        CallableRubricTrait(
            name="Words",
            kind="score",
            callable="pack.words:count",
            higher_is_better=False,
        ),
        CallableRubricTrait(
            name="Length",
            kind="literal",
            callable="reply_checks:length",
            classes=CLASSES,
        ),
    ],
    trace=Trace(
        id="1",
        question="Where is my parcel?",
        response="On its way, since Monday. 🧬",
    ),
    tables=_tables,
    edits=_edits,
    wrong=[
        {},
        {"value": "yes"},
        {"value": 1},
        {"value": True, "class": "short"},
        {"value": True, "items": []},
        {"class": 3},
    ],
    changed=CallableRubricTrait(
        name="Names A Day",
        kind="boolean",
        callable="reply_checks:names_a_day_of_the_week",
    ),
    queries=["verdict:no", "class:short", "yes<1", "score>=2.5"],
)
