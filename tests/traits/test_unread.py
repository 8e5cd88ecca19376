"""What the judge of a cell did not get of its trace, by who judged it."""

from appellate.core.cell import Cell
from appellate.core.kind import Briefing, Subject
from appellate.core.messages import turns_of
from appellate.core.trace import (
    CHOICES,
    DOCUMENTS,
    EARLIER_TURNS,
    METADATA,
    QUESTION,
    REFERENCE,
    RESPONSE,
    Document,
    Trace,
    sources,
)
from appellate.traits.llm.asking import TEMPLATE
from appellate.traits.rubric import Rubric
from appellate.traits.unread import (
    beside_response,
    materials_of,
    said_of_document,
    said_of_metadata,
    said_of_newest,
    said_of_response,
    unread,
    unread_in,
)

WITHOUT = {"llm": {"earlier": ""}}
"""A prompt file that does without what stands before the response."""


def subject(name, trace=None, /, **trait):
    table = {f"{name}_traits": [{"name": "T", **trait}]}
    known = next(iter(Rubric.model_validate(table).every_trait()))
    return Subject(known.kind, known.trait, trace or Trace(id="1"))


BOOLEAN = {"kind": "boolean"}
GOT = {EARLIER_TURNS, QUESTION, RESPONSE}


def test_a_judgment_was_made_with_the_prompt_whose_hash_it_has():
    llm = subject("llm", **BOOLEAN)
    shipped = {"name": "gpt", "template_sha256": TEMPLATE.wording({}).sha256}
    emptied = {
        "name": "gpt",
        "template_sha256": TEMPLATE.wording(WITHOUT["llm"]).sha256,
    }
    assert materials_of(llm, shipped, [WITHOUT, {}]) == GOT
    assert materials_of(llm, emptied, [WITHOUT, {}]) == GOT - {EARLIER_TURNS}


def test_a_judgment_has_the_hash_of_the_prompt_that_its_trait_is_asked_with():
    for of in (
        subject("llm", **BOOLEAN),
        subject("llm", **BOOLEAN, cannot_tell=True),
        subject("metric", metrics=["recall"], tp_instructions=["x"]),
    ):
        parts = {"earlier": ""}
        prompt = next(of.dialogue(of.trace, Briefing(parts)))
        judge = {"name": "gpt", "template_sha256": prompt.template}
        prompts = {of.kind.name: parts}
        assert materials_of(of, judge, [{}, prompts]) == GOT - {EARLIER_TURNS} | {
            name for name in of.source.holds(of.trait, {}) if name == REFERENCE
        }


def test_of_another_prompt_only_what_no_prompt_may_hold_is_not_shown():
    trace = Trace(
        id="1",
        question="Why?",
        response="So.",
        reference="x",
        documents=["y"],
    )
    llm = subject("llm", trace, **BOOLEAN)
    other = {"name": "gpt", "template_sha256": "0" * 64}
    left = unread(
        trace,
        turns_of(trace, "Why?"),
        materials_of(llm, other, [WITHOUT, {}]),
    )
    assert left == {REFERENCE, DOCUMENTS}


def test_a_cell_that_waits_is_held_against_the_prompt_in_force():
    llm = subject("llm", **BOOLEAN)
    assert materials_of(llm, None, [WITHOUT, {}]) == GOT - {EARLIER_TURNS}
    assert materials_of(llm, None, [{}, WITHOUT]) == GOT


def test_nobody_knows_what_was_read_for_labels_that_came_with_the_traces():
    for name in ("recorded", "promptfoo", "gpt"):
        assert materials_of(subject("llm", **BOOLEAN), {"name": name}, [{}]) is None
    computed = subject("regex", pattern="x")
    assert materials_of(computed, {"name": "recorded"}, [{}]) is None


def test_a_rule_looks_at_the_response_and_what_it_compares_it_with():
    looked = [
        (subject("regex", pattern="x"), {RESPONSE}),
        (subject("scorer", scorer="match"), {RESPONSE, REFERENCE}),
        (subject("scorer", scorer="choice"), {RESPONSE, REFERENCE, CHOICES}),
    ]
    for of, materials in looked:
        name = of.source.name
        assert materials_of(of, None, [{}]) == materials
        assert materials_of(of, {"name": name}, [{}]) == materials


def test_nobody_knows_what_a_function_or_a_recorded_score_looks_at():
    for of in (
        subject("callable", callable="m:f", kind="boolean"),
        subject("scorer", scorer="callable", callable="m:f"),
        subject("scorer", scorer="recorded"),
    ):
        assert materials_of(of, None, [{}]) is None


def test_the_judge_that_compares_words_reads_what_it_compares():
    metric = subject("metric", metrics=["recall"], tp_instructions=["x"])
    assert materials_of(metric, {"name": "lexical"}, [{}]) == {RESPONSE}
    grounding = materials_of(subject("grounding"), {"name": "lexical"}, [{}])
    assert grounding == {QUESTION, DOCUMENTS, RESPONSE}


MESSAGES = [
    {"role": "user", "content": "Hi."},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Why?"},
    {"role": "assistant", "content": "Let me see.", "reasoning": "Hm."},
]


def test_turns_that_were_not_shown_are_told_apart_beside_the_response():
    trace = Trace(
        id="1",
        messages=MESSAGES,
        response="So.",
        reference="x",
        documents=["y", "z"],
    )
    turns = turns_of(trace, None)

    def told(*materials):
        left = unread(trace, turns, frozenset({RESPONSE, *materials}))
        return said_of_newest(turns, left), beside_response(trace, turns, left)[:2]

    earlier, since = "2 turns earlier", "2 turns since"
    hidden = "(not shown to the judge)"
    assert told(QUESTION, EARLIER_TURNS) == ("", [earlier, since])
    assert told(QUESTION) == ("", [f"{earlier} {hidden}", f"{since} {hidden}"])
    assert told()[0] == "not shown to the judge"
    history = told(QUESTION, "question.history")
    assert history == ("", [earlier, f"{since} (1 not shown to the judge)"])


def grounded(response_sentences):
    """What is left of a trace whose file has its sentences, under a grounding trait."""
    brought = {
        "documents_sentences": [[["0a", "It is a gene."]]],
        "response_sentences": response_sentences,
    }
    documents = [Document(id="omim", text="It is a gene.")]
    text = "A gene. It is on 18."
    trace = Trace(id="1", response=text, documents=documents, metadata=brought)
    return trace, unread_in(Cell(subject("grounding", trace)), trace, [], [{}])


def test_words_of_the_response_that_are_in_no_sentence_of_the_file_are_not_shown():
    _, left = grounded([["a", "A gene."]])
    assert said_of_response(left) == "a part not shown to the judge"
    _, left = grounded([["a", "A gene."], ["b", "It is on 18."]])
    assert said_of_response(left) == ""


def test_a_judge_that_gets_the_words_of_documents_does_not_get_their_names():
    trace, left = grounded([["a", "A gene. It is on 18."]])
    (source,) = sources(trace)
    assert said_of_document(source, left) == "name not shown to the judge"
    assert said_of_document(source, frozenset({DOCUMENTS})) == "not shown to the judge"
    assert said_of_document(source._replace(name=""), left) == ""


def test_of_metadata_the_fields_are_named_that_the_judge_got():
    trace = Trace(id="1", response="So.", metadata={"topic": "a", "site": "b"})
    left = unread(trace, [], frozenset({RESPONSE, "metadata.topic"}))
    assert said_of_metadata(trace, left) == "not shown to the judge, except topic"
    assert said_of_metadata(trace, unread(trace, [], frozenset({METADATA}))) == ""


def test_a_field_of_metadata_without_a_value_is_not_named_as_one_that_the_judge_got():
    trace = Trace(id="1", response="So.", metadata={"topic": "a", "site": None})
    left = unread(trace, [], frozenset({RESPONSE}))
    assert said_of_metadata(trace, left) == "not shown to the judge"


def test_metadata_without_any_value_is_not_among_what_the_judge_did_not_get():
    trace = Trace(id="1", response="So.", metadata={"site": None})
    assert unread(trace, [], frozenset({RESPONSE})) == frozenset()
