"""Examples of the steps kind for the laws that hold of every kind."""

from hypothesis import strategies as st

from appellate.traits.steps.edits import Edit
from kind_examples import Examples
from traits.steps.steps_traits import PATH, PLAIN, RUN, UNSURE

NUMBERS = st.sampled_from([1, 2, 3, 4, 5, 6, 7, 99])
SHAS = st.sampled_from(["", "0123456789ab"])


def tables(trait):
    """Judge's tables: steps that get a verdict and others, with and without fingerprints."""
    row = st.fixed_dictionaries(
        {"step": NUMBERS, "verdict": st.sampled_from(trait.sayable_verdicts)},
        optional={
            "step_sha": SHAS,
            "error": st.sampled_from(["", *trait.error_names]),
            "instead": st.sampled_from(["", "book_flight to OSL"]),
            "rationale": st.sampled_from(["", "It asks nobody."]),
        },
    )
    optional = {"seen": st.integers(0, 5)}
    if trait.outcome:
        optional["outcome"] = st.sampled_from(trait.sayable_outcomes)
    rows = st.lists(row, max_size=4, unique_by=lambda row: row["step"])
    return st.fixed_dictionaries({"steps": rows}, optional=optional)


def edits(trait, labels):
    """Corrections that make sense, and some that do not."""
    verdicts = st.sampled_from([*trait.sayable_verdicts, "splendid"])
    return st.one_of(
        st.builds(
            lambda no, said: Edit("verdict", no, verdict=said),
            NUMBERS,
            verdicts,
        ),
        st.builds(
            lambda no, said: Edit("error", no, error=said),
            NUMBERS,
            st.sampled_from(["", *trait.error_names, "unheard of"]),
        ),
        st.builds(
            lambda no, said: Edit("instead", no, instead=said),
            NUMBERS,
            st.sampled_from(["", "ask first"]),
        ),
        st.builds(
            lambda said: Edit("outcome", outcome=said),
            st.sampled_from([*trait.sayable_outcomes, "splendid"]),
        ),
    )


EXAMPLES = Examples(
    traits=(PATH, PLAIN, UNSURE),
    trace=RUN,
    tables=tables,
    edits=edits,
    wrong=(
        {},
        {"steps": {}},
        {"steps": [7]},
        {"steps": [{"step": 0, "verdict": "wrong"}]},
        {"steps": [{"step": 2}]},
        {"steps": [{"step": 2, "verdict": "splendid"}]},
        {"steps": [{"step": 2, "verdict": "wrong", "error": "unheard of"}]},
        {
            "steps": [
                {"step": 2, "verdict": "wrong"},
                {"step": 2, "verdict": "needless"},
            ],
        },
        {"steps": [{"step": 2, "verdict": "wrong", "instead": 5}]},
        {"steps": [], "seen": -1},
        {"steps": [], "outcome": "splendid"},
        {"steps": [], "items": []},
    ),
    changed=PATH.model_copy(
        update={"description": "Only what breaks the policy is wrong."},
    ),
    queries=(
        "wrong_steps>0",
        "steps_not_right>=1",
        "ended:solved",
        "error_tag:wrong_tool",
    ),
)
