"""Excerpts of a conversation, for which a judge names their steps; those that show nothing of what
the assistant did are asked for once more.
"""

import json

import pytest
from msgspec.structs import replace

from appellate.core.deciding import Correct
from appellate.core.facts import Fact, Proposed
from appellate.core.kind import UNBRIEFED, Briefing, Example, Subject
from appellate.core.trace import Trace
from appellate.core.transcript import as_conversation
from appellate.judging.choice import choose
from appellate.judging.questions import CellScope
from appellate.judging.run import run
from appellate.query.language import QueryUnreadable, Vocabulary, completions, parse
from appellate.store.queue import look_up, vocabulary
from appellate.talk.dialogue import Reply
from appellate.traits.evidence import Finder
from appellate.traits.kinds import kinds
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.asking import MOST_NUMBERED, most_numbered
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.rubric import Rubric
from appellate.traits.scorer.spec import ScorerRubricTrait
from cells import bench, from_file_alone, sample_of
from loopback import completion, served

MESSAGES = [
    {"role": "system", "content": "Obtain the user's confirmation."},
    {"role": "user", "content": "Yes, go on, please."},
    {"role": "assistant", "content": "Shall I book it?"},
    {"role": "tool", "content": "Shall I book it? booked"},
    {"role": "user", "content": "Shall I book it? Yes."},
    {"role": "assistant", "content": "Shall I book it? It is booked."},
]
RUN = Trace(id="run", response="It is booked.", messages=MESSAGES)
READ = as_conversation(RUN)
ASKS = "Shall I book it?"


def checklist(reads="conversation", **more):
    given = {
        "metrics": ["recall"],
        "tp_instructions": ["Asks before booking"],
        "reads": reads,
    }
    return MetricRubricTrait(name="m", **given | more)


def boolean(reads="conversation"):
    return LLMRubricTrait(
        name="l",
        kind="boolean",
        reads=reads,
        deep_judgment_enabled=True,
    )


def graded(reads="conversation"):
    return ScorerRubricTrait(
        name="s",
        scorer="model_graded_qa",
        description="d",
        reads=reads,
    )


TRAITS = {"metric": checklist, "llm": boolean, "scorer": graded}


def reply(kind, *excerpts):
    """A judge's reply that gives these excerpts."""
    match kind:
        case "metric":
            answer = {"rationale": "r", "excerpts": list(excerpts), "verdict": "found"}
            return json.dumps({"tp_answers": {"1": answer}, "wrong_candidates": []})
        case "llm":
            answer = {"rationale": "r", "excerpts": list(excerpts), "verdict": "yes"}
        case _:
            answer = {"reason": "r", "excerpt": excerpts[0], "grade": "C"}
    return json.dumps({"answer": answer})


def subject(kind, trait=None):
    return Subject(kinds()[kind], trait or TRAITS[kind](), RUN)


def talk(read, *replies):
    """The prompts of a dialogue that gets these replies, and the labels that it ends with."""
    asking = read.kind.asked.dialogue(read.trait, read.trace, UNBRIEFED)
    prompts = [next(asking)]
    try:
        for text in replies:
            prompts.append(asking.send(Reply(text)))
    except StopIteration as end:
        table = read.kind.locate(read.trait, read.trace, end.value)
        assert not list(read.kind.faults(read.trait, read.trace, table))
        return prompts, read.labels(table), table
    raise AssertionError(prompts[-1].user)


def steps(read, labels):
    found = read.kind.evidence(read.trait, labels)
    return [read.transcript.step_of((span.start, span.end)).no for span in found]


def named(kind, labels):
    match kind:
        case "metric":
            return [item.named_step for item in labels.tp]
        case "llm":
            return [excerpt.named_step for excerpt in labels.evidence]
    return [labels.standing.named_step]


def corrected(*rows):
    return json.dumps({"excerpts": [dict(row) for row in rows]})


# -- what is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TRAITS)
def test_a_judge_of_a_conversation_is_asked_for_the_step_of_each_excerpt(kind):
    read = subject(kind)
    prompt = next(read.kind.asked.dialogue(read.trait, read.trace, UNBRIEFED))
    shape = '{"step": 1, "text": "..."}'
    for form in (prompt.form(as_lists=False), prompt.form(as_lists=True)):
        assert shape in form.user
        assert '"step": {"type": "integer"}' in json.dumps(form.schema)
    assert "that number is given beside it" in prompt.user


@pytest.mark.parametrize("kind", TRAITS)
def test_a_judge_of_a_response_is_asked_for_words_alone(kind):
    read = subject(kind, TRAITS[kind]("response"))
    prompt = next(read.kind.asked.dialogue(read.trait, read.trace, UNBRIEFED))
    for form in (prompt.form(as_lists=False), prompt.form(as_lists=True)):
        assert '"step"' not in form.user + json.dumps(form.schema)


def test_wrong_candidates_and_graded_members_have_steps_too():
    read = subject("metric", checklist(fp_instructions=["Books at once"]))
    prompt = next(read.kind.asked.dialogue(read.trait, read.trace, UNBRIEFED))
    assert '"excerpt": {"step": 1, "text": "..."}' in prompt.user
    members = {
        "scorer": "multi_scorer",
        "scorers": [{"scorer": "model_graded_qa"}, {"scorer": "includes"}],
    }
    several = ScorerRubricTrait(
        name="s",
        description="d",
        reads="conversation",
        **members,
    )
    read = subject("scorer", several)
    prompt = next(read.kind.asked.dialogue(read.trait, read.trace, UNBRIEFED))
    assert '"excerpt": {"step": 1, "text": "..."}' in prompt.user


def test_answers_about_conversations_are_listed_sooner_for_their_fields_are_more():
    assert most_numbered(checklist("response")) == MOST_NUMBERED
    most = most_numbered(checklist())
    assert 5 * MOST_NUMBERED <= 5_000
    assert 7 * most <= 5_000


# -- where an excerpt is found ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", TRAITS)
@pytest.mark.parametrize(
    ("excerpt", "step", "left"),
    [
        ({"step": 6, "text": ASKS}, 6, None),
        ({"step": "3", "text": ASKS}, 3, None),
        ({"step": 4, "text": ASKS}, 4, None),
        ({"step": 2, "text": ASKS}, 3, 2),
        ({"step": 99, "text": ASKS}, 3, 99),
        ({"step": None, "text": ASKS}, 3, None),
        ({"text": ASKS}, 3, None),
        (ASKS, 3, None),
        ({"step": 3, "text": "shall I **book** it?"}, 3, None),
        ({"step": 6, "text": "booked"}, 6, None),
        ("booked", 6, None),
    ],
)
def test_an_excerpt_is_looked_for_in_the_step_that_is_named_then_in_the_assistants(
    kind,
    excerpt,
    step,
    left,
):
    read = subject(kind)
    prompts, labels, table = talk(read, reply(kind, excerpt))
    assert len(prompts) == 1
    assert steps(read, labels) == [step]
    assert named(kind, labels) == [left]
    assert read.kind.locate(read.trait, read.trace, table) == table


def test_the_same_words_of_two_steps_are_each_found_in_their_own():
    excerpts = ({"step": 6, "text": ASKS}, {"step": 3, "text": ASKS})
    for kind in ("metric", "llm"):
        read = subject(kind)
        _, labels, _ = talk(read, reply(kind, *excerpts))
        assert steps(read, labels) == [6, 3]


def test_words_that_are_taken_are_looked_for_in_the_assistants_steps_and_in_no_users():
    finder = Finder.of(READ)
    taken = [finder.find(ASKS, step_no=no) for no in (3, 6)]
    assert [finder.step_no(span) for span in taken] == [3, 6]
    assert finder.step_no(finder.find(ASKS, taken[:1], 3)) == 6
    assert finder.step_no(finder.find(ASKS, taken)) == 3
    assert finder.step_no(finder.find(ASKS, taken, 6)) == 6


def test_a_denial_of_two_parts_does_not_go_over_two_steps():
    read = subject("metric")
    denial = "Obtain the user's … Shall I book"
    answer = {"rationale": "r", "excerpts": [denial], "verdict": "denied"}
    text = json.dumps({"tp_answers": {"1": answer}, "wrong_candidates": []})
    _, labels, _ = talk(read, text, corrected())
    (item,) = labels.fn
    assert item.denied == "Obtain the user's"
    assert steps(read, labels) == [1]


def test_a_denial_has_a_step():
    read = subject("metric")
    excerpt = {"step": 6, "text": ASKS}
    answer = {"rationale": "r", "excerpts": [excerpt], "verdict": "denied"}
    text = json.dumps({"tp_answers": {"1": answer}, "wrong_candidates": []})
    _, labels, _ = talk(read, text)
    (item,) = labels.fn
    assert (item.denied, steps(read, labels), item.named_step) == (ASKS, [6], None)


def test_of_a_response_a_step_means_nothing():
    for kind, trait in TRAITS.items():
        read = subject(kind, trait("response"))
        excerpt = {"step": 3, "text": "It is booked."}
        _, labels, _ = talk(read, reply(kind, excerpt))
        assert named(kind, labels) == [None]


# -- asked for once more ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TRAITS)
def test_words_of_a_user_are_asked_for_once_more_and_others_take_their_place(kind):
    read = subject(kind)
    prompts, labels, _ = talk(
        read,
        reply(kind, {"step": 2, "text": "Yes, go on"}),
        corrected({"number": 1, "step": 6, "text": "It is booked."}),
    )
    assert len(prompts) == 2
    asked = '1. {"step": 2, "text": "Yes, go on"} (in step 2, of the user)'
    assert asked in prompts[1].user
    assert '"step": {"type": "integer"}' in json.dumps(prompts[1].schema)
    assert steps(read, labels) == [6]
    assert named(kind, labels) == [None]


@pytest.mark.parametrize("kind", TRAITS)
@pytest.mark.parametrize(
    "answer",
    [
        corrected(),
        corrected({"number": 1, "step": 1, "text": ""}),
        corrected({"number": 1, "step": 1, "text": "Obtain the user's confirmation."}),
        corrected({"number": 1, "step": 3, "text": "It was never said."}),
        "no object",
    ],
)
def test_words_of_a_user_stay_and_count_where_no_others_come_back(kind, answer):
    read = subject(kind)
    prompts, labels, _ = talk(
        read,
        reply(kind, {"step": 2, "text": "Yes, go on"}),
        answer,
    )
    assert len(prompts) == 2
    assert steps(read, labels) == [2]
    assert read.count_in_context(labels) == 1


def test_what_was_not_found_and_whose_words_show_nothing_are_asked_for_in_one_request():
    for kind in ("metric", "llm"):
        read = subject(kind)
        excerpts = [
            {"step": 1, "text": "the user's confirmation"},
            {"step": 3, "text": "It was never said"},
            {"step": 3, "text": ASKS},
        ]
        prompts, labels, _ = talk(
            read,
            reply(kind, *excerpts),
            corrected({"number": 2, "step": 6, "text": "It is booked"}),
        )
        assert len(prompts) == 2
        told = prompts[1].user
        assert (
            '1. {"step": 1, "text": "the user\'s confirmation"} (in step 1, of the system)'
            in told
        )
        assert (
            '2. {"step": 3, "text": "It was never said"} (not in the conversation)'
            in told
        )
        assert "3. {" not in told
        assert steps(read, labels) == [1, 6, 3]


def test_words_of_a_user_take_the_place_of_what_is_nowhere():
    read = subject("llm")
    _, labels, _ = talk(
        read,
        reply("llm", "Never said"),
        corrected({"number": 1, "step": 2, "text": "Yes, go on"}),
    )
    assert steps(read, labels) == [2]


@pytest.mark.parametrize("kind", TRAITS)
def test_new_words_without_a_step_do_not_keep_the_step_of_the_old_ones(kind):
    given = reply(kind, {"text": "I never booked.", "step": 2})
    read = subject(kind)
    _, labels, _ = talk(read, given, corrected({"number": 1, "text": "It is booked."}))
    assert named(kind, labels) == [None]


def test_words_of_a_tool_are_not_asked_for_again():
    read = subject("llm")
    prompts, labels, _ = talk(read, reply("llm", {"step": 4, "text": "booked"}))
    assert len(prompts) == 1
    assert read.count_in_context(labels) == 0


# -- examples --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TRAITS)
def test_an_example_names_the_steps_that_a_judge_is_to_name(kind):
    read = subject(kind)
    _, labels, table = talk(read, reply(kind, {"step": 2, "text": ASKS}))
    written = read.kind.write(labels)
    example = Example(READ, {**table, **written["audited"], **written}, {})
    asking = read.kind.asked.dialogue(read.trait, read.trace, Briefing({}, (example,)))
    assert f'{{"step": 3, "text": "{ASKS}"}}' in next(asking).user


# -- what a person does ----------------------------------------------------------------------------


def test_words_that_a_person_takes_have_no_step_that_a_judge_named():
    read = subject("metric")
    _, labels, _ = talk(read, reply("metric", {"step": 2, "text": ASKS}))
    start = read.text.index("It is booked.")
    edit = {
        "action": "reword",
        "bucket": "tp",
        "index": 0,
        "start": start,
        "end": start + 5,
    }
    (item,) = read.kind.apply(
        read.trait,
        read.trace,
        labels,
        read.kind.edit(edit),
    ).labels.tp
    assert (item.text, item.named_step) == ("It is", None)
    read = subject("llm")
    _, labels, _ = talk(read, reply("llm", {"step": 2, "text": ASKS}))
    edit = {"action": "replace", "index": 0, "start": start, "end": start + 5}
    after = read.kind.apply(read.trait, read.trace, labels, read.kind.edit(edit)).labels
    assert after.evidence[0].named_step is None


@pytest.mark.parametrize("kind", TRAITS)
def test_the_step_that_a_judge_named_is_kept_in_the_audit(tmp_path, kind):
    read = subject(kind)
    _, _, table = talk(read, reply(kind, {"step": 2, "text": ASKS}))
    with bench(tmp_path, RUN, of=Rubric(**{f"{kind}_traits": [read.trait]})) as desk:
        desk.receive(1, Proposed(table, {"name": "gpt"}))
        with from_file_alone(desk) as opened:
            assert "named_step = 2" in desk.audit.read_text("utf-8")
            assert named(kind, opened.cell(1)[1].labels) == [2]


@pytest.mark.parametrize("kind", TRAITS)
def test_a_step_that_is_no_number_is_a_fault(kind):
    read = subject(kind)
    _, _, table = talk(read, reply(kind, {"step": 2, "text": ASKS}))
    rows = [{**row, "named_step": "two"} for row in table.get("items", ())]
    wrong = {**table, "items": rows} if rows else {**table, "named_step": "two"}
    (fault,) = read.kind.faults(read.trait, read.trace, wrong)
    assert fault.wrong == 'must be the number of a step, not the text "two"'


# -- the whole way ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TRAITS)
async def test_a_judge_on_the_network_is_asked_once_more_and_the_cell_is_found(
    tmp_path,
    kind,
):
    answers = [
        completion(reply(kind, {"step": 2, "text": "Yes, go on"})),
        completion(corrected({"number": 1, "step": 1, "text": ""})),
        completion(reply(kind, {"step": 3, "text": ASKS})),
    ]
    rubric = Rubric(**{f"{kind}_traits": [TRAITS[kind]()]})
    with bench(tmp_path, RUN, OTHER, of=rubric) as desk:
        with served(lambda asked: answers[asked.n - 1]) as server:
            chosen = choose(
                {"model": ["m"], "base_url": server.url},
                desk.workspace.meta,
            )
            await run(desk, replace(chosen, plan=None), CellScope(only=1))
            await run(desk, replace(chosen, plan=None), CellScope(only=2))
            assert len(server.asked) == 3
        assert [desk.workspace.cell(no)[1].count_in_context for no in (1, 2)] == [1, 0]
        assert found(desk, "evidence:user") == [1]
        assert found(desk, "-evidence:user") == [2]


def found(desk, query):
    """The numbers of the cells that a query finds."""
    words = vocabulary(desk.workspace.path)
    return list(look_up(desk.workspace.path, parse(query, words), "loaded").numbers)


OTHER = RUN.model_copy(update={"id": "other"})


def proposed(read, text):
    return Proposed(
        read.kind.locate(read.trait, read.trace, QUOTING[read.kind.name](text)),
        {},
    )


QUOTING = {
    "metric": lambda text: {"tp": [text], "fn": [], "fp": [], "tn": []},
    "llm": lambda text: {"value": True, "evidence": [text]},
    "scorer": lambda text: {"value": "C", "answer": text, "explanation": "So."},
}


@pytest.mark.parametrize("kind", TRAITS)
def test_a_query_finds_evidence_in_the_words_of_a_user_or_of_the_system_as_it_stands(
    tmp_path,
    kind,
):
    rubric = Rubric(**{f"{kind}_traits": [TRAITS[kind]()]})
    texts = ["Yes, go on", ASKS, "Obtain the user's confirmation", "Yes, go on"]
    traces = [RUN.model_copy(update={"id": str(no)}) for no in range(5)]
    with bench(tmp_path, *traces, of=rubric) as desk:
        for no, text in enumerate(texts, 1):
            desk.receive(no, proposed(desk.workspace.cell(no)[1].subject, text))
        assert found(desk, "evidence:user") == [1, 3, 4]
        drop = {"metric": {"action": "drop", "bucket": "tp", "index": 0, "to": "fn"}}
        edit = drop.get(kind, {"action": "drop", "index": 0})
        if kind != "scorer":
            desk.do(1, Correct(desk.workspace.cell(1)[1].subject.kind.edit(edit), ""))
            assert found(desk, "evidence:user") == [3, 4]
            desk.undo()
        assert found(desk, "evidence:user state:proposed") == [1, 3, 4]
        with from_file_alone(desk) as opened:
            words = vocabulary(opened.path)
            query = parse("evidence:user", words)
            assert list(look_up(opened.path, query, "loaded").numbers) == [1, 3, 4]


def test_of_cells_that_are_alike_but_for_where_their_evidence_is_each_is_found_or_not(
    tmp_path,
):
    with bench(tmp_path, RUN, of=Rubric(scorer_traits=[graded()])) as desk:
        known = []
        for no, role in enumerate(("user", "assistant"), 1):
            trace = Trace(
                id=role,
                messages=[{"role": role, "content": "Go on, please"}],
            )
            what = proposed(
                Subject(kinds()["scorer"], graded(), trace),
                "Go on, please",
            )
            known.append(
                (trace, {"s": [Fact(no, "2026-01-01T00:00:00Z", "gpt", what)]}),
            )
        desk.workspace.add_known(known)
        assert found(desk, "evidence:user") == [2]


def test_a_query_says_nothing_of_evidence_that_is_hidden(tmp_path):
    with bench(tmp_path, RUN, OTHER, of=Rubric(llm_traits=[boolean()])) as desk:
        desk.receive(1, proposed(desk.workspace.cell(1)[1].subject, "Yes, go on"))
        desk.draw(sample_of("run", of=2))
        assert found(desk, "evidence:user") == []


@pytest.mark.parametrize(
    "query",
    ["evidence:user", "evidence>0", "evidence:user,2", "evidence=1"],
)
def test_evidence_is_counted_where_traits_count_it_and_may_be_a_users(tmp_path, query):
    with bench(tmp_path, RUN, OTHER, of=Rubric(llm_traits=[boolean()])) as desk:
        desk.receive(1, proposed(desk.workspace.cell(1)[1].subject, "Yes, go on"))
        assert found(desk, query) == [1]
        assert str(parse(query, vocabulary(desk.workspace.path))) == query


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("evidence:tool", "evidence is a count: write evidence:3, or evidence:user."),
        ("evidence>user", "evidence is a count: write evidence>3, or evidence:user."),
    ],
)
def test_another_word_for_evidence_is_refused_with_the_right_one(query, sentence):
    words = Vocabulary(fields=kinds()["llm"].fields)
    with pytest.raises(QueryUnreadable) as raised:
        parse(query, words)
    assert str(raised.value) == sentence


def test_where_no_trait_counts_evidence_it_is_a_users_or_nothing():
    with pytest.raises(QueryUnreadable, match="evidence:3 does not exist: write user"):
        parse("evidence:3", Vocabulary())
    offered = completions("evidence:", 9, Vocabulary())
    assert [(one.text, one.meaning) for one in offered] == [
        ("user", "in the words of a user or of the system"),
    ]
