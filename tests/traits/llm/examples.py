"""Examples of the LLM kind for the laws that hold of every kind."""

from typing import get_args

from hypothesis import strategies as st

from appellate.core.kind import CANNOT_TELL
from appellate.traits.llm.edits import Action, Edit
from kind_examples import Examples
from traits.llm.llm_traits import CLEAR, RESPONSE, TONE, TRACE, UNSURE, WARNS

WORDS = ["with food", "Take", "Ask … warfarin", "see a vet"]


def tables(trait):
    """Judge's tables: a verdict, a few excerpts, perhaps a reason, perhaps where the first one stands."""
    value = st.sampled_from(list(trait.choices))
    return st.builds(
        _table,
        value,
        st.lists(st.sampled_from(WORDS), max_size=3),
        st.sampled_from(["", "So."]),
    )


def _table(value, evidence, rationale):
    place = (
        [{"index": 0, "start": 15, "end": 24}] if evidence[:1] == ["with food"] else []
    )
    return {
        "value": value,
        "evidence": evidence,
        "rationale": rationale,
        "items": place,
    }


def edits(trait, labels):
    """Corrections that make sense, and some that do not."""
    values = [*trait.choices, CANNOT_TELL]
    if trait.kind != "boolean":
        values.append(trait.high + 1)
    starts = st.sampled_from([None, 0, 15, RESPONSE.index("doctor")])
    return st.builds(
        lambda action, value, index, start, text: Edit(
            action,
            value if action == "set" else None,
            index=index if action not in ("set", "add") else 0,
            start=start,
            end=None if start is None else start + 6,
            text=text if action == "reword" else None,
        ),
        st.sampled_from(get_args(Action)),
        st.sampled_from(values),
        st.integers(0, 2),
        starts,
        st.sampled_from(WORDS),
    )


EXAMPLES = Examples(
    traits=(WARNS, CLEAR, TONE, *UNSURE),
    trace=TRACE,
    tables=tables,
    edits=edits,
    wrong=(
        {},
        {"value": "yes"},
        {"value": True, "evidence": "Take"},
        {"value": True, "evidence": [], "items": [{"index": 0}]},
        {"value": True, "class": "rude"},
        {"value": "cannot tell"},
    ),
    changed=WARNS.model_copy(update={"description": "Does it warn of warfarin?"}),
    queries=(
        *("verdict:yes", "class:rude", "score<2", "yes=1", "evidence>0"),
        *("cannot_tell>0", 'verdict:"cannot tell"'),
    ),
)
