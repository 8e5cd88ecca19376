"""Traits that read a whole conversation: what is judged, where excerpts lie, what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.kind import UNBRIEFED, KnownTrait, Subject, as_read
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.core.transcript import as_conversation, retold
from appellate.store.files.rubric_file import parse_rubric
from appellate.talk.dialogue import Prompt
from appellate.traits.evidence import Finder, selected, span_faults
from appellate.traits.kinds import kinds

MESSAGES = [
    {"role": "system", "content": "Ask before you book."},
    {"role": "user", "content": "Book the flight to Oslo."},
    {
        "role": "assistant",
        "content": "One moment.",
        "tool_calls": [
            {
                "id": "1",
                "function": {"name": "book_flight", "arguments": '{"to": "OSL"}'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "booked"},
    {"role": "assistant", "content": "It is booked."},
    {"role": "user", "content": "Thanks, the flight is booked."},
]
RUN = Trace(id="run", response="It is booked.", messages=MESSAGES)
CONVERSATION = as_conversation(RUN)


def traits(reads: str | None = None, **own: str) -> dict[str, object]:
    """A rubric's table with a trait of each kind; `own` is what single kinds read."""
    table = {
        "metric_traits": [
            {"name": "m", "metrics": ["recall"], "tp_instructions": ["a"]},
        ],
        "llm_traits": [{"name": "l", "kind": "boolean"}],
        "regex_traits": [{"name": "r", "pattern": "book_flight"}],
        "callable_traits": [{"name": "c", "kind": "boolean", "callable": "a:b"}],
        "scorer_traits": [{"name": "s", "scorer": "includes"}],
        "grounding_traits": [{"name": "g"}],
    }
    if reads:
        table["reads"] = reads
    for kind, value in own.items():
        table[f"{kind}_traits"][0]["reads"] = value
    return table


def test_what_a_rubric_reads_is_written_into_each_trait_that_does_not_say_it():
    loaded = parse_rubric(traits("conversation", llm="response"), "r.toml")
    written = loaded.value.to_file()
    assert "reads" not in written
    assert {key: rows[0].get("reads") for key, rows in written.items()} == {
        "metric_traits": "conversation",
        "llm_traits": None,
        "regex_traits": "conversation",
        "callable_traits": "conversation",
        "scorer_traits": "conversation",
        "grounding_traits": None,
    }
    assert parse_rubric(written, "r.toml").value.to_file() == written
    assert loaded.notes == [
        "r.toml: reads: grounding traits read the response, whatever it says",
    ]


def test_traits_of_single_questions_read_what_the_rubric_reads():
    table = {
        **traits("conversation"),
        "questions": [{"id": "q", "llm_traits": [{"name": "of q", "kind": "boolean"}]}],
    }
    rubric = parse_rubric(table, "r.toml").value
    assert rubric.questions[0].llm_traits[0].reads == "conversation"


def test_a_trait_that_reads_otherwise_is_another_trait():
    for kind in ("metric", "llm", "regex", "callable", "scorer"):
        (first,) = getattr(parse_rubric(traits(), "r.toml").value, f"{kind}_traits")
        (second,) = getattr(
            parse_rubric(traits("conversation"), "r.toml").value,
            f"{kind}_traits",
        )
        assert first.sha256() != second.sha256()
        assert not kinds()[kind].proposes_the_same(first, second)
        assert "reads" not in first.model_dump()


@pytest.mark.parametrize("place", ["", "llm_traits"])
def test_reads_is_one_of_two_words(place):
    table = traits(llm="whole") if place else traits("whole")
    problems = parse_rubric(table, "r.toml").problems
    assert [problem.place for problem in problems] == [
        "llm_traits[0].reads" if place else "reads",
    ]


def subject(kind: str, trace: Trace = RUN, reads: str = "conversation") -> Subject:
    rubric = parse_rubric(traits(reads), "r.toml").value
    (trait,) = getattr(rubric, f"{kind}_traits")
    return Subject(kinds()[kind], trait, trace)


def test_a_subject_has_the_text_that_its_trait_reads():
    assert subject("llm", reads="response").text == "It is booked."
    assert subject("llm", reads="response").transcript is None
    read = subject("llm")
    assert read.text.startswith("[1] system\nAsk before you book.\n\n[2] user\n")
    assert [step.no for step in read.transcript.steps] == [1, 2, 3, 4, 5, 6, 7]
    assert read.asked is RUN


def test_a_trait_as_it_was_reads_what_it_read_then():
    earlier = subject("llm", reads="response")
    known = KnownTrait(earlier.kind, earlier.trait)
    now = replace(subject("llm"), earlier={earlier.trait.sha256(): known})
    assert now.under(earlier.trait.sha256()).text == "It is booked."


def test_a_trace_without_messages_is_a_conversation_of_two_steps():
    plain = Trace(id="1", question="Which gene?", response="BCL2.")
    assert subject("llm", plain).text == "[1] user\nWhich gene?\n\n[2] assistant\nBCL2."


def test_an_excerpt_lies_within_one_step():
    finder = Finder.of(CONVERSATION)
    assert finder.find("One moment.")
    assert finder.find('to: "OSL"')
    assert finder.find("calls book_flight")
    assert finder.find("book_flight")
    assert not finder.find("[3] assistant\nOne moment.")
    assert not finder.find("[3] assistant")
    assert not finder.find('calls book_flight\nto: "OSL"')
    assert not finder.find("assistant")


def test_an_excerpt_is_looked_for_beyond_a_heading_that_has_its_words():
    messages = [
        {"role": "user", "content": "Who are you?"},
        {"role": "assistant", "content": "I am an assistant."},
    ]
    trace = as_conversation(
        Trace(id="1", response="I am an assistant.", messages=messages),
    )
    start, end = Finder.of(trace).find("assistant")
    assert trace.text[:end].endswith("I am an assistant")
    assert trace.transcript.step_of((start, end)).no == 2


def test_selected_words_lie_within_one_step():
    text = CONVERSATION.text
    start = text.index("One moment.")
    assert selected(CONVERSATION, (start, start + 3)) == "One"
    with pytest.raises(Refused, match="within one step"):
        selected(CONVERSATION, (start, text.index("OSL")))
    with pytest.raises(Refused, match="within one step"):
        selected(CONVERSATION, (start - 5, start + 3))


def test_offsets_across_steps_are_a_fault():
    start = CONVERSATION.text.index("One moment.")
    assert not list(span_faults({"start": start, "end": start + 3}, CONVERSATION))
    (fault,) = span_faults({"start": start, "end": start + 30}, CONVERSATION)
    assert "do not lie within one step" in fault.wrong


@pytest.mark.parametrize("kind", ["metric", "llm", "scorer"])
def test_a_judge_of_the_conversation_gets_the_transcript_and_no_part_of_it_twice(kind):
    trait = traits("conversation")
    if kind == "scorer":
        trait["scorer_traits"][0] = {
            "name": "s",
            "scorer": "model_graded_qa",
            "description": "d",
        }
    (trait,) = getattr(parse_rubric(trait, "r.toml").value, f"{kind}_traits")
    read = Subject(kinds()[kind], trait, RUN)
    prompt = next(read.kind.asked.dialogue(trait, read.trace, UNBRIEFED))
    assert isinstance(prompt, Prompt)
    assert read.text in prompt.user
    assert "<response " not in prompt.user.replace("<response 0123abcd>", "")
    assert prompt.user.count("Book the flight to Oslo.") == 1


def test_a_regex_is_matched_in_what_its_trait_reads():
    read = subject("regex")
    table = read.kind.computed.compute(read.trait, read.trace)
    assert table["value"] is True
    plain = subject("regex", reads="response")
    assert plain.kind.computed.compute(plain.trait, plain.trace)["value"] is False


WORDS = st.text(st.sampled_from("ab [1]\n"), max_size=12)


@given(
    st.lists(
        st.tuples(st.sampled_from(["user", "assistant", "tool"]), WORDS),
        min_size=1,
    ),
)
def test_every_stretch_of_a_conversation_is_of_one_step_or_of_none(messages):
    given = [{"role": role, "content": text} for role, text in messages]
    trace = as_conversation(Trace(id="1", messages=given))
    steps = trace.transcript.steps
    for start in range(len(trace.text)):
        for end in (start + 1, start + 4):
            step = trace.transcript.step_of((start, end))
            if step is not None:
                assert (
                    step.heading_start < start < end <= max(step.end, step.heading_end)
                )
    for step in steps:
        if step.start < step.end:
            assert trace.transcript.step_of((step.start, step.end)) == step


def test_a_conversation_told_with_other_words_keeps_its_other_steps():
    told = retold(CONVERSATION, {3: "Wait."})
    assert told.text == CONVERSATION.text.replace("One moment.", "Wait.")
    assert CONVERSATION.text.count("One moment.") == 1
    assert as_read(subject("llm").trait, told).text == told.text


# -- long results ---------------------------------------------------------------------------------

LONG = {
    **MESSAGES[3],
    "content": f"booked {'x' * 9000} seat 12A",
}
LONG_RUN = RUN.model_copy(update={"messages": [*MESSAGES[:3], LONG, *MESSAGES[4:]]})
KINDS = ("metric", "llm", "regex", "callable", "scorer")


def shortening(longest: object, reads: str = "conversation") -> dict[str, object]:
    """A rubric's table whose traits of all kinds that can shorten results."""
    table = traits(reads)
    for kind in KINDS:
        table[f"{kind}_traits"][0]["longest_result"] = longest
    return table


@pytest.mark.parametrize("kind", KINDS)
def test_long_results_are_shortened_for_judge_and_person_alike_and_no_other_words(kind):
    (trait,) = getattr(parse_rubric(shortening(40), "r.toml").value, f"{kind}_traits")
    read = Subject(kinds()[kind], trait, LONG_RUN)
    (step,) = [step for step in read.transcript.steps if step.turn.role == "tool"]
    assert read.text[step.start : step.end] == (
        f"booked {'x' * 13}\n(8,976 characters left out)\n{'x' * 11} seat 12A"
    )
    whole = Subject(
        kinds()[kind],
        getattr(parse_rubric(traits("conversation"), "r").value, f"{kind}_traits")[0],
        LONG_RUN,
    )
    assert (
        read.text.replace(read.text[step.start : step.end], LONG["content"])
        == whole.text
    )
    assert read.trace.messages[3]["content"] == LONG["content"]


def test_evidence_before_and_after_what_was_left_out_lies_in_the_judged_text():
    trace = as_conversation(LONG_RUN, 40)
    span = Finder.of(trace).find("seat 12A")
    assert trace.text[slice(*span)] == "seat 12A"
    assert trace.transcript.step_of(span).turn.role == "tool"
    assert not Finder.of(trace).find("x" * 30)


@pytest.mark.parametrize("kind", KINDS)
def test_a_trait_that_shortens_results_is_another_trait(kind):
    (first,) = getattr(
        parse_rubric(traits("conversation"), "r.toml").value,
        f"{kind}_traits",
    )
    (second,) = getattr(parse_rubric(shortening(40), "r.toml").value, f"{kind}_traits")
    assert first.sha256() != second.sha256()
    assert not kinds()[kind].proposes_the_same(first, second)
    assert "longest_result" not in first.model_dump()
    assert second.to_file()["longest_result"] == 40


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reads", [None, "response"])
def test_a_trait_that_reads_the_response_has_no_results_to_shorten(kind, reads):
    table = traits()
    table[f"{kind}_traits"][0]["longest_result"] = 2000
    if reads:
        table[f"{kind}_traits"][0]["reads"] = reads
    (problem,) = parse_rubric(table, "r.toml").problems
    assert problem.place == f"{kind}_traits[0].longest_result"
    assert "only a trait that reads the conversation gets" in problem.wrong


@pytest.mark.parametrize(
    ("longest", "wrong"),
    [
        (-1, "must be 0 or more, not the number -1"),
        (2.5, "must be a whole number, not"),
        ("2000", "must be a whole number, not"),
        (True, "must be a whole number, not"),
    ],
)
def test_a_length_of_results_is_a_whole_number(longest, wrong):
    table = traits("conversation")
    table["llm_traits"][0]["longest_result"] = longest
    (problem,) = parse_rubric(table, "r.toml").problems
    assert problem.wrong.startswith(wrong)


def test_a_conversation_told_with_other_words_keeps_its_results_shortened():
    (trait,) = parse_rubric(shortening(40), "r.toml").value.llm_traits
    told = retold(as_read(trait, LONG_RUN), {3: "Wait."})
    assert as_read(trait, told) is told
    assert "Wait." in told.text
    assert "(8,976 characters left out)" in told.text
