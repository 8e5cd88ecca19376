"""Whose words patterns, rules and the offline judge look at, and that evidence is of one step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.core.transcript import as_conversation
from appellate.interop import recognise
from appellate.talk.dialogue import readable
from appellate.traits.kinds import kinds
from appellate.traits.metric.likely_evidence import likely_evidence, with_denial
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.regex.spec import RegexRubricTrait
from appellate.traits.scorer.spec import ScorerRubricTrait
from appellate.traits.template import inert

MESSAGES = [
    {
        "role": "system",
        "content": "You must obtain the user's confirmation before you book.",
    },
    {"role": "user", "content": "Please book it. My id is 4711. Do not book a hotel."},
    {
        "role": "assistant",
        "content": "Shall I book the flight to Oslo?",
        "tool_calls": [
            {
                "id": "1",
                "function": {"name": "book_flight", "arguments": '{"to": "OSL"}'},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "booked, 4711, cancelled"},
    {"role": "assistant", "content": "The flight to Oslo is booked."},
    {"role": "user", "content": "calls delete_account"},
]
RUN = Trace(id="run", response="The flight to Oslo is booked.", messages=MESSAGES)
CONVERSATION = as_conversation(RUN)
TEXT = CONVERSATION.text


def subject(kind: str, trait: object, trace: Trace = RUN) -> Subject:
    return Subject(kinds()[kind], trait, trace)


def pattern(words: str, **more: object) -> RegexRubricTrait:
    return RegexRubricTrait(name="r", pattern=words, reads="conversation", **more)


def rule(scorer: str, **more: object) -> ScorerRubricTrait:
    return ScorerRubricTrait(name="s", scorer=scorer, reads="conversation", **more)


def checklist(*instructions: str) -> MetricRubricTrait:
    return MetricRubricTrait(
        name="m",
        metrics=["recall"],
        tp_instructions=list(instructions),
        reads="conversation",
    )


def judged(read: Subject) -> tuple[dict[str, object], list[str]]:
    """What a trait that asks nobody says of a conversation, and the words it rests on."""
    table = read.kind.locate(
        read.trait,
        read.trace,
        read.kind.computed.compute(read.trait, read.trace),
    )
    labels = read.labels(table)
    spans = read.kind.evidence(read.trait, labels)
    return table, [read.text[span.start : span.end] for span in spans]


# -- patterns --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    ["4711", "confirmation", "delete_account", "cancelled", r"\[\d+\] ", "assistant"],
)
def test_a_pattern_does_not_match_others_words_nor_headings(words):
    table, _ = judged(subject("regex", pattern(words)))
    assert table["value"] is False


@pytest.mark.parametrize(
    "words",
    ["calls book_flight", "calls book_", '"OSL"', "Shall I book"],
)
def test_a_pattern_matches_what_the_assistant_says_and_calls(words):
    table, evidence = judged(subject("regex", pattern(words)))
    assert table["hits"] == 1
    assert evidence == [words]


@pytest.mark.parametrize(
    "words",
    [r" {2,}", r"\n{3,}", r"\A\s", r"\s\Z", r"(?m)^.{60,}$"],
)
def test_a_pattern_meets_nothing_where_others_words_were_left_out(words):
    assert judged(subject("regex", pattern(words)))[0]["value"] is False


def test_a_match_over_several_steps_counts_once_and_rests_on_each_of_them():
    table, evidence = judged(subject("regex", pattern(r"(?s)to Oslo\?.*is booked")))
    assert table["hits"] == 1
    assert len(table["matches"]) == 1
    assert evidence == [
        "to Oslo?",
        "calls book_flight",
        'to: "OSL"',
        "The flight to Oslo is booked",
    ]
    read = subject("regex", pattern("a"))
    assert not list(read.kind.faults(read.trait, read.trace, table))


def test_how_many_matches_are_only_counted_is_told_of_matches_and_not_of_their_parts():
    read = subject("regex", pattern("b"))
    found = {"value": True, "hits": 5, "matches": [[0, len(TEXT)]]}
    labels = read.labels(read.kind.locate(read.trait, read.trace, found))
    assert labels.unlisted == 4


def test_what_labels_say_that_others_words_match_is_kept():
    start = TEXT.index("4711")
    read = subject("regex", pattern("4711"))
    table = {"value": True, "hits": 1, "matches": [[start, start + 4]]}
    assert read.labels(table).matches == ((start, start + 4),)


def test_patterns_of_a_changed_trait_are_tried_on_the_assistants_words():
    kind = kinds()["regex"]
    *_, last = kind.preview(pattern("4711"), pattern("Oslo"), [RUN])
    assert "0 matched before and 1 now" in last


# -- rules -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trait", "reference", "value", "evidence"),
    [
        (rule("includes"), "4711", "I", None),
        (rule("includes"), "book_flight", "C", "book_flight"),
        (rule("match"), "delete_account", "I", None),
        (rule("match"), "is booked.", "C", "is booked"),
        (rule("match", location="begin"), "Shall I", "C", "Shall I"),
        (rule("pattern", pattern=r"(\d+)"), "4711", "I", None),
        (rule("pattern", pattern=r"to (\w+)"), "Oslo", "C", "Oslo"),
    ],
)
def test_a_rule_looks_at_what_the_assistant_says_and_calls(
    trait,
    reference,
    value,
    evidence,
):
    trace = RUN.model_copy(update={"reference": reference})
    table, found = judged(subject("scorer", trait, trace))
    assert table["value"] == value
    if evidence is not None:
        assert found == [evidence]


def test_words_in_common_are_those_of_the_assistant_and_are_of_one_step_each():
    trace = RUN.model_copy(update={"reference": "id confirmation flight to Oslo calls"})
    read = subject("scorer", rule("f1"), trace)
    _, evidence = judged(read)
    assert "confirmation" not in " ".join(evidence)
    assert evidence == ["flight", "to", "Oslo?", "calls"]


def test_all_that_the_assistant_says_may_be_exactly_what_was_expected():
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello there"},
    ]
    trace = Trace(
        id="1",
        messages=messages,
        response="Hello there",
        reference="hello there",
    )
    assert judged(subject("scorer", rule("exact"), trace))[0]["value"] in ("C", 1.0)


def test_an_answer_that_a_person_types_is_looked_for_in_the_assistants_steps_first():
    trace = RUN.model_copy(update={"reference": "Bergen"})
    read = subject("scorer", rule("includes"), trace)
    table = read.kind.computed.compute(read.trait, read.trace)
    labels = read.labels(read.kind.locate(read.trait, read.trace, table))
    for answer, before in (("booked", "to Oslo is "), ("cancelled", "booked, 4711, ")):
        edit = read.kind.edit({"action": "answer", "text": answer})
        after = read.kind.apply(read.trait, read.trace, labels, edit).labels
        ((start, end),) = after.standing.spans
        assert read.text[:start].endswith(before)
        assert read.text[start:end] == answer
    edit = read.kind.edit({"action": "answer", "text": "assistant"})
    assert (
        read.kind.apply(read.trait, read.trace, labels, edit).labels.standing.spans
        == ()
    )


# -- words in common -------------------------------------------------------------------------------


def test_the_offline_judge_finds_nothing_in_the_systems_policy():
    trait = checklist(
        "Obtains confirmation before booking",
        "Says the flight is booked",
    )
    read = subject("metric", trait)
    table = read.kind.asked.lexical(trait, read.trace)
    labels = read.labels(read.kind.locate(trait, read.trace, table))
    assert [item.instruction for item in labels.fn] == [1]
    (item,) = labels.tp
    assert read.trace.transcript.step_of(item.span).is_assistants


def test_likely_evidence_is_of_the_assistants_steps():
    read = subject(
        "metric",
        checklist("Obtains confirmation", "The flight to Oslo is booked"),
    )
    cell = Cell(read)
    assert likely_evidence(cell, ("tp", 1), "Obtains confirmation from the user") == []
    found = likely_evidence(cell, ("tp", 2), "The flight to Oslo is booked")
    assert [TEXT[slice(*span)] for span in found][:1] == [
        "The flight to Oslo is booked.",
    ]
    for span in found:
        assert CONVERSATION.transcript.step_of(span).is_assistants


def test_others_words_that_deny_are_not_drawn_out_to_their_sentence():
    start = TEXT.index("book a hotel")
    assert with_denial(CONVERSATION, (start, start + 12)) == (start, start + 12)
    said = as_conversation(
        Trace(
            id="1",
            messages=[*MESSAGES, {"role": "assistant", "content": "I do not book it."}],
        ),
    )
    start = said.text.index("book it.", said.text.index("I do not"))
    assert (
        said.text[slice(*with_denial(said, (start, start + 8)))] == "I do not book it."
    )


@pytest.mark.parametrize(
    ("name", "instructions"),
    [
        (
            "tau_bench/airline.json",
            ["Obtains the user's confirmation", "Says the total price"],
        ),
        (
            "who_and_when/handcrafted_22.json",
            ["Asks which file is meant", "Searches the web"],
        ),
        ("swe_agent/marshmallow.traj", ["Reproduces the bug", "Submits the changes"]),
    ],
)
def test_of_real_runs_the_offline_judge_and_patterns_take_the_assistants_words_alone(
    shared,
    name,
    instructions,
):
    trait = checklist(*instructions)
    for found in recognise.read([shared / "data/agents" / name]).traces():
        trace = Trace.model_validate(found.record)
        read = subject("metric", trait, trace)
        table = read.kind.locate(
            trait,
            read.trace,
            read.kind.asked.lexical(trait, read.trace),
        )
        spans = [*read.kind.evidence(trait, read.labels(table))]
        matched = subject("regex", pattern(r"(?m)^.*\b(?:user|total|file)\b"), trace)
        table = matched.kind.computed.compute(matched.trait, matched.trace)
        spans += matched.kind.evidence(matched.trait, matched.labels(table))
        assert spans
        for span in spans:
            assert read.transcript.step_of((span.start, span.end)).is_assistants


# -- laws ------------------------------------------------------------------------------------------

LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
WORDS = st.text(st.sampled_from(f"ab [1]\t{LINE_ENDS}"), max_size=14)
TURNS = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "tool", "system", "Planner"]),
        WORDS,
    ),
    min_size=1,
    max_size=6,
)


def run_of(turns: list[tuple[str, str]]) -> Trace:
    return Trace(
        id="1",
        messages=[{"role": role, "content": text} for role, text in turns],
    )


@given(TURNS)
def test_no_line_of_anybodys_words_passes_for_a_heading(turns):
    trace = as_conversation(run_of(turns))
    headings = [
        trace.text[step.heading_start : step.heading_end]
        for step in trace.transcript.steps
    ]
    for text in (trace.text, inert(trace.text), readable(trace.text)):
        found = [line for line in text.splitlines() if line[:1] == "[" and "] " in line]
        read = [line for line in found if line[1 : line.index("]")].isdigit()]
        assert read == headings


@given(
    TURNS,
    st.sampled_from(["a", "b+", r"(?s)a.*b", r"\s+", r"(?s).+", r"[^a]", "", r"(?m)^"]),
)
def test_what_a_pattern_rests_on_lies_in_one_step_of_the_assistant(turns, words):
    read = subject("regex", pattern(words), run_of(turns))
    table = read.kind.computed.compute(read.trait, read.trace)
    assert not list(read.kind.faults(read.trait, read.trace, table))
    for span in read.kind.evidence(read.trait, read.labels(table)):
        assert read.transcript.step_of((span.start, span.end)).is_assistants


@given(TURNS, st.text(st.sampled_from("ab [1]"), max_size=5).map("a{}".format))
@pytest.mark.parametrize("scorer", ["includes", "match", "exact", "f1", "pattern"])
def test_what_a_rule_rests_on_lies_in_one_step_of_the_assistant(
    scorer,
    turns,
    reference,
):
    trait = rule(scorer, **({"pattern": "(?s)(a.*b)"} if scorer == "pattern" else {}))
    trace = run_of(turns).model_copy(update={"reference": reference})
    read = subject("scorer", trait, trace)
    table = read.kind.locate(
        trait,
        read.trace,
        read.kind.computed.compute(trait, read.trace),
    )
    assert not list(read.kind.faults(trait, read.trace, table))
    for span in read.kind.evidence(trait, read.labels(table)):
        assert read.transcript.step_of((span.start, span.end)).is_assistants


@given(TURNS, st.integers(0, 60), st.integers(1, 20))
@pytest.mark.parametrize("kind", ["metric", "llm", "scorer"])
def test_whatever_a_judge_quotes_is_evidence_of_one_step_or_of_none(
    kind,
    turns,
    start,
    length,
):
    trace = as_conversation(run_of(turns))
    quote = trace.text[start : start + length]
    trait, table = QUOTING[kind](quote)
    read = subject(kind, trait, run_of(turns))
    located = read.kind.locate(trait, read.trace, table)
    for span in read.kind.evidence(trait, read.labels(located)):
        assert read.transcript.step_of((span.start, span.end))


def metric_quoting(quote):
    return checklist("a"), {"tp": [quote], "fn": [], "fp": [], "tn": []}


def llm_quoting(quote):
    from appellate.traits.llm.spec import LLMRubricTrait

    trait = LLMRubricTrait(name="l", kind="boolean", reads="conversation")
    return trait, {"value": True, "evidence": [quote]}


def scorer_quoting(quote):
    return rule("model_graded_qa"), {"value": "C", "answer": quote}


QUOTING = {"metric": metric_quoting, "llm": llm_quoting, "scorer": scorer_quoting}
