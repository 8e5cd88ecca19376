"""Examples of the grounding kind for the laws that hold of every kind."""

from hypothesis import strategies as st

from appellate.traits.grounding.labels import ACTIONS, Edit
from appellate.traits.grounding.sentences import SPECIAL
from kind_examples import Examples
from traits.grounding.grounding_traits import RAGBENCH, TRACE, TRAIT, support, table

KEYS = ["0a", "0b", "0c", "1a", "1b", "1c"]
UNTIDY = [*KEYS, "0a.", "1A", "0a-0c", "0b, 1a", "7q", "general", "well-known fact", ""]
LISTS = st.lists(st.sampled_from(UNTIDY), max_size=4)


def tables(trait):
    """Judge's tables: keys tidy and untidy, sentences left out, and now and then lists of their own."""
    row = st.builds(
        support,
        st.sampled_from(["a", "b", "c", "a.", "a-c", "z"]),
        LISTS,
        st.sampled_from([True, False]),
    )
    return st.builds(
        lambda relevant, utilized, said, overall, brings: table(
            all_relevant_sentence_keys=relevant,
            all_utilized_sentence_keys=utilized,
            sentence_support_information=said,
            overall_supported=overall,
            **(OWN if brings else {}),
        ),
        LISTS,
        LISTS | st.just("0a, 0b"),
        st.lists(row, max_size=4),
        st.booleans(),
        st.booleans(),
    )


OWN = {
    "documents_sentences": [
        [["0a", "Take it with food."], ["0b", "Not there."]],
        [["1a", "Keep it dry."]],
    ],
    "response_sentences": [
        ["a", "Take it with food."],
        ["b", "Store it below 25 °C. Everybody likes it."],
    ],
}


def edits(trait, labels):
    """Corrections that make sense, and some that do not."""
    return st.builds(
        _edit,
        st.sampled_from(ACTIONS),
        st.sampled_from([*KEYS, *SPECIAL, "9z"]),
        st.sampled_from(["a", "b", "c", "d"]),
        st.booleans(),
        st.sampled_from(["full", "partial", "none"]),
    )


def _edit(action, key, sentence, on, said):
    if action == "support":
        return Edit(action, sentence=sentence, support=said)
    if action == "link":
        return Edit(action, key=key, sentence=sentence, on=on)
    return Edit(action, key=key, on=on)


EXAMPLES = Examples(
    traits=(TRAIT, RAGBENCH),
    trace=TRACE,
    tables=tables,
    edits=edits,
    wrong=(
        {},
        table(all_relevant_sentence_keys=[1]),
        table(sentence_support_information={}),
        table(sentence_support_information=[{"supporting_sentence_keys": []}]),
        table(overall_supported="yes"),
        table(documents_sentences=[]),
        table(documents_sentences=[[["a", "x"]], []], response_sentences=[]),
        table(documents_sentences=[[["0a", 0, 999]], []], response_sentences=[]),
        table(items=[]),
    ),
    changed=TRAIT.model_copy(update={"description": "Only the second leaflet counts."}),
    queries=(
        "relevant>1",
        "utilized:0",
        "supported>0",
        "partly=0",
        "unsupported>=1",
        "adherence<1",
    ),
)
