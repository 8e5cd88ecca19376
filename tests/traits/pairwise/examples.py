"""Which of two responses is better, for the property suite."""

from hypothesis import strategies as st

from appellate.core.kind import CANNOT_TELL
from appellate.core.trace import OtherResponse, Trace
from appellate.traits.pairwise.edits import ExcerptEdit
from appellate.traits.pairwise.spec import PairwiseRubricTrait
from appellate.traits.verdict.kind import Edit
from kind_examples import Examples


def tables(trait):
    """Tables of a trait's judges: a verdict by index or name, perhaps with both orders and a reason."""
    verdicts = st.builds(
        lambda value: {"value": value},
        st.sampled_from([*trait.values]),
    )
    named = st.builds(lambda name: {"class": name}, st.sampled_from(trait.class_names))
    orders = st.builds(
        lambda name: {
            "orders": [name, name],
            "rationale": "[response first] It says more.",
        },
        st.sampled_from(trait.class_names),
    )
    turned = st.just({"orders": ["response", "other"]}) if trait.tie else st.just({})
    return st.builds(
        lambda verdict, more, quoted: {**verdict, **more, **quoted},
        verdicts | named,
        orders | turned,
        st.just({}) | st.lists(excerpts(), max_size=3).map(evidence),
    )


def excerpts():
    """An answer that a judge names, and words that are in it, in the other, or in neither."""
    words = st.sampled_from(["It is", "4.", "four, I", "should … think", "is 5"])
    return st.tuples(st.sampled_from(["response", "other"]), words)


def evidence(given):
    """The part of a judge's table with these excerpts."""
    items = [
        {"index": index, "answer": answer} for index, (answer, _) in enumerate(given)
    ]
    return {"evidence": [text for _, text in given], "items": items}


def edits(trait, labels):
    """A verdict, or a correction of an excerpt whose words are in either answer, in both, or in none."""
    index = st.integers(0, 2)
    offsets = st.tuples(st.integers(0, 60), st.integers(1, 12)).map(
        lambda span: {"start": span[0], "end": sum(span)},
    )
    answers = st.sampled_from(["response", "other"])
    words = st.sampled_from(
        ["It", "4.", "should think", "Four … think", "nowhere", " "],
    )
    named = st.builds(
        lambda answer, text: {"answer": answer, "text": text},
        answers,
        words,
    )
    taken = offsets | named
    return st.one_of(
        st.sampled_from(
            [
                Edit("restore"),
                *(Edit("overrule", value) for value in (*range(4), CANNOT_TELL)),
            ],
        ),
        st.builds(lambda place: ExcerptEdit("add", **place), taken),
        st.builds(
            lambda at, place: ExcerptEdit("replace", index=at, **place),
            index,
            taken,
        ),
        st.builds(
            lambda at, text: ExcerptEdit("reword", index=at, text=text),
            index,
            words,
        ),
        st.builds(lambda at: ExcerptEdit("drop", index=at), index),
    )


EXAMPLES = Examples(
    traits=[
        PairwiseRubricTrait(name="Which is clearer", description="Which is clearer?"),
        PairwiseRubricTrait(name="Which is warmer", tie=False, seed=7),
        PairwiseRubricTrait(
            name="Which is kinder",
            cannot_tell=True,
            headline="turned",
        ),
    ],
    trace=Trace(
        id="1",
        question="?",
        response="It is 4.",
        other=OtherResponse(response="Four, I should think.", model="loud-9"),
    ),
    tables=tables,
    edits=edits,
    wrong=[
        {},
        {"value": True},
        {"value": 3},
        {"class": "A"},
        {"value": 0, "class": "other"},
        {"value": "cannot tell"},
        {"value": 0, "orders": ["response"]},
        {"value": 0, "orders": ["A", "B"]},
        {"value": 0, "rationale": 3},
        {"value": 0, "evidence": ["It is"]},
        {"value": 0, "evidence": ["It is"], "items": [{"index": 0, "answer": "A"}]},
    ],
    changed=PairwiseRubricTrait(
        name="Which is clearer",
        description="Which is shorter?",
    ),
    queries=["class:tie", "verdict:A", "turned>0", "win_rate>.4", "cannot_tell=0"],
)
