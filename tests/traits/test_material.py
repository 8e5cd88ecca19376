"""What of a trace a request holds, by the names that it is made from."""

import pytest

from appellate.core.kind import Briefing, as_read, reads_conversation
from appellate.core.messages import turns_of
from appellate.core.trace import METADATA, QUESTION, RESPONSE, Trace, metadata_field
from appellate.traits.rubric import Rubric
from appellate.traits.unread import NOTHING_UNREAD, turn_name, unread

MESSAGES = [
    {"role": "system", "content": "systemword"},
    {"role": "user", "content": "firstword"},
    {
        "role": "assistant",
        "reasoning": "thoughtword",
        "tool_calls": [
            {"id": "1", "function": {"name": "look", "arguments": '{"a": "callword"}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "resultword"},
    {"role": "user", "content": "askedword"},
]
TRACE = Trace(
    id="1",
    messages=MESSAGES,
    response="responseword.",
    reference="referenceword",
    choices=["choiceword"],
    documents=["documentword."],
    metadata={"topic": "topicword", "site": "siteword"},
    model="modelword",
)
WORDS = {
    "reference": "referenceword",
    "choices": "choiceword",
    "documents": "documentword",
}
TURN_WORDS = [
    "systemword",
    "firstword",
    "thoughtword",
    "callword",
    "resultword",
    "askedword",
]
TRAITS = {
    "metric": {"metric_traits": [{"metrics": ["recall"], "tp_instructions": ["x"]}]},
    "llm": {"llm_traits": [{"kind": "boolean"}]},
    "llm with the truth": {
        "llm_traits": [{"kind": "boolean", "include_ground_truth": True}],
    },
    "grounding": {"grounding_traits": [{}]},
    "graded": {"scorer_traits": [{"scorer": "model_graded_qa"}]},
    "graded with history": {
        "scorer_traits": [{"scorer": "model_graded_qa", "include_history": True}],
    },
    "own template": {
        "scorer_traits": [
            {"scorer": "model_graded_qa", "template": "{answer} {topic}"},
        ],
    },
    "own template with history": {
        "scorer_traits": [
            {
                "scorer": "model_graded_fact",
                "include_history": True,
                "template": "{question} {criterion} {answer} {instructions}",
            },
        ],
    },
    "several": {
        "scorer_traits": [
            {
                "scorer": "multi_scorer",
                "reducer": "mean",
                "scorers": [{"scorer": "model_graded_qa"}, {"scorer": "match"}],
            },
        ],
    },
    "metric of a conversation": {
        "metric_traits": [
            {"metrics": ["recall"], "tp_instructions": ["x"], "reads": "conversation"},
        ],
    },
    "llm of a conversation": {
        "llm_traits": [{"kind": "boolean", "reads": "conversation"}],
    },
    "graded by a conversation": {
        "scorer_traits": [{"scorer": "model_graded_qa", "reads": "conversation"}],
    },
    "own template of a conversation": {
        "scorer_traits": [
            {
                "scorer": "model_graded_qa",
                "template": "{answer} {topic}",
                "reads": "conversation",
            },
        ],
    },
    "tally": {"tally_traits": [{"word": "x"}]},
}


def trait_of(table):
    named = {
        key: [{"name": "T", **trait} for trait in traits]
        for key, traits in table.items()
    }
    return next(iter(Rubric.model_validate(named).every_trait()))


def words_asked(known, trace, parts):
    read = as_read(known.trait, trace)
    prompt = next(known.kind.asked.dialogue(known.trait, read, Briefing(parts)))
    return f"{prompt.system}\n{prompt.user}"


@pytest.mark.parametrize("emptied", ["", "question", "earlier", "reference"])
@pytest.mark.parametrize("name", TRAITS)
def test_a_request_holds_every_word_but_those_that_are_unread(name, emptied):
    known = trait_of(TRAITS[name])
    parts = {emptied: ""}
    if list(known.kind.asked.prompt_faults(parts)):  # its prompts have no such part
        parts = {}
    asked = words_asked(known, TRACE, parts)
    left = unread(
        TRACE,
        turns_of(TRACE, None),
        known.kind.asked.holds(known.trait, parts),
    )
    for index, word in enumerate(TURN_WORDS):
        assert (word in asked) != (turn_name(index) in left), word
    for part, word in WORDS.items():
        assert (word in asked) != (part in left), word
    for field, word in TRACE.metadata.items():
        assert (word in asked) == (metadata_field(field) not in left), word
    assert "modelword" not in asked
    assert METADATA in left


@pytest.mark.parametrize("name", TRAITS)
def test_a_judge_of_messages_alone_is_told_what_the_user_asked_last(name):
    known = trait_of(TRAITS[name])
    asked = words_asked(known, TRACE, {})
    is_told = QUESTION in known.kind.asked.material(known.trait)
    assert ("askedword" in asked) == (is_told or reads_conversation(known.trait))


def test_of_a_judge_of_which_nothing_is_known_nothing_is_said():
    assert unread(TRACE, turns_of(TRACE, None), None) == NOTHING_UNREAD


def test_turns_told_in_a_question_are_read_with_it():
    trace = Trace(id="1", question="user: a\n\nassistant: b\n\nuser: c", response="d")
    turns = turns_of(trace, trace.question)
    assert unread(trace, turns, frozenset({QUESTION})) == frozenset()
    assert unread(trace, turns, frozenset({RESPONSE})) == {"turn.0", "turn.1", "turn.2"}
