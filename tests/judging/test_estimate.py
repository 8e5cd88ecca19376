"""What judging will take, told before anything is sent."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appellate.core.kind import UNBRIEFED, Subject
from appellate.judges.endpoint import Prices
from appellate.judging.choice import choose
from appellate.judging.estimate import (
    BLOCK,
    PlacedPrompt,
    forecast,
    lengths,
    missing_examples_warning,
    sampled,
    shared_prefixes,
)
from appellate.judging.questions import PendingCells
from appellate.talk.dialogue import OCTETS_PER_TOKEN, Prompt
from appellate.traits.grounding.spec import GroundingRubricTrait
from appellate.traits.kinds import kinds
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric.asking import TEMPLATE
from appellate.traits.scorer.spec import ScorerRubricTrait
from cells import bench, matrix, proposal, rubric, trace

ONE = {"model": ["m"], "base_url": "http://localhost:1/v1"}


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    with bench(
        tmp_path,
        *[trace(f"t{n}") for n in range(4)],
        of=rubric(matrix()),
    ) as at:
        yield at


def foretold(desk, **given):
    choice = choose({**ONE, **given}, desk.workspace.meta, sending=False)
    return forecast(desk.workspace, PendingCells(desk.workspace, choice), choice)


def prompt(desk):
    found, cell = desk.workspace.cell(1)
    return next(cell.subject.dialogue(found, UNBRIEFED))


def judged(desk, number, **record):
    told = {
        "model": "m",
        "template_sha256": TEMPLATE.wording({}).sha256,
        "tokens_in": 3000,
        "tokens_out": 800,
    }
    desk.receive(number, proposal(**{**told, **record}))


def test_before_any_judgment_tokens_are_told_by_the_size_of_the_prompts(desk):
    told = foretold(desk)
    assert (told.cells, told.requests, told.sampled) == (4, 4, 4)
    assert told.tokens_in == pytest.approx(
        4 * prompt(desk).octets / OCTETS_PER_TOKEN,
        rel=0.01,
    )
    assert told.tokens_out == 4 * prompt(desk).usual_tokens == 4 * 6 * 70
    assert told.asked[0].learnt == 0


def test_after_some_they_are_told_by_what_the_same_model_took_here(desk):
    judged(desk, 1)
    told = foretold(desk)
    assert (told.cells, told.asked[0].learnt) == (3, 1)
    assert told.tokens_in == pytest.approx(3 * 3000, rel=0.01)
    assert told.tokens_out == 3 * 800


@pytest.mark.parametrize(
    "record",
    [
        {"model": "another"},
        {"template_sha256": "another"},
        {"examples": ["t3"]},
        {"tokens_in": None},
    ],
)
def test_judgments_that_were_asked_for_otherwise_teach_nothing(desk, record):
    judged(desk, 1, **record)
    assert foretold(desk).asked[0].learnt == 0


def test_members_of_panels_teach_too(desk):
    member = {
        "name": "m",
        "model": "m",
        "template_sha256": TEMPLATE.wording({}).sha256,
        "tokens_in": 3000,
        "tokens_out": 800,
    }
    judged(desk, 1, model=None, members=[member, {"name": "x", "error": "no"}])
    assert foretold(desk).asked[0].learnt == 1


def test_each_member_of_a_panel_is_asked_about_every_cell(desk):
    told = foretold(desk, times=3)
    assert (told.requests, len(told.asked)) == (12, 3)
    assert told.tokens_in == 3 * told.asked[0].tokens_in


def test_the_cost_is_told_where_every_price_is_known(desk, tmp_path):
    profile = '[judges.fast]\nbase_url = "http://localhost:1/v1"\nmodel = "m"\nprices = {input = 2.0, output = 8.0}\n'
    (tmp_path / "config.toml").write_text(
        profile + profile.replace("fast", "free").partition("prices")[0],
    )
    told = foretold(desk, judge=["fast"], model=None, base_url=None)
    assert told.cost == pytest.approx(
        Prices(2.0, 8.0).cost(told.tokens_in, told.tokens_out),
    )
    assert (
        foretold(desk, judge=["fast", "free"], model=None, base_url=None).cost is None
    )


def test_where_there_are_many_cells_some_of_them_stand_for_all(desk):
    choice = choose(ONE, desk.workspace.meta, sending=False)
    told = forecast(
        desk.workspace,
        PendingCells(desk.workspace, choice),
        choice,
        most=2,
    )
    assert (told.cells, told.sampled) == (4, 2)
    assert told.tokens_in == foretold(desk).tokens_in


@given(
    st.lists(st.integers(1, 999), unique=True, max_size=60).map(sorted),
    st.integers(1, 70),
    st.integers(1, 5),
)
def test_a_sample_of_cells_is_of_neighbours_each_once(numbers, most, together):
    found = list(sampled(numbers, most, together))
    assert found == sorted(set(found))
    assert set(found) <= set(numbers)
    assert len(found) <= most
    if most >= len(numbers):
        assert found == numbers
    else:
        assert len(found) > most - together


def test_of_many_requests_those_about_the_longest_traces_are_measured(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    traces = [trace(f"t{n}", response="A word. " * n) for n in (3, 40, 5, 90, 7)]
    with bench(tmp_path, *traces, of=rubric(matrix())) as at:
        choice = choose(ONE, at.workspace.meta, sending=False)
        found = lengths(at.workspace, PendingCells(at.workspace, choice), (), most=2)
    assert found.measured == 2
    assert [request.trace for request in found.longest] == ["t90", "t40"]


def words(trait, trace, *, rules="", traits="", traces=""):
    """A prompt whose beginning is shared as its name says, each part of ten blocks."""
    text = (
        "".join(part * 10 for part in (rules, traits, traces))
        + f"{trait} {trace} " * 40
    )
    return PlacedPrompt(Prompt("", text, {}, 1), trait, (trace, 1))


def test_what_requests_share_is_told_by_who_has_it_in_common():
    rules = "r" * BLOCK
    by_trait = shared_prefixes(
        words(trait, trace, rules=rules, traits=trait * BLOCK)
        for trait in "ab"
        for trace in "xyz"
    )
    assert by_trait.rules > by_trait.traits > 0
    assert by_trait.traces == 0
    by_trace = shared_prefixes(
        words(trait, trace, rules=rules, traces=trace * BLOCK)
        for trait in "ab"
        for trace in "xyz"
    )
    assert by_trace.rules > by_trace.traces > 0
    assert by_trace.traits == 0
    assert by_trace.total == by_trace.rules + by_trace.traces
    alone = shared_prefixes(words("a", trace, rules=rules) for trace in "xyz")
    assert alone.total == alone.traits > 0


def test_nothing_is_foretold_where_nothing_is_asked(desk):
    for number in range(1, 5):
        judged(desk, number)
    told = foretold(desk)
    assert (told.cells, told.tokens_in, told.tokens_out, told.examples) == (
        0,
        0,
        0,
        (0, 0),
    )


def test_where_no_example_can_be_shown_that_is_said(desk):
    choice = choose({**ONE, "few_shot": 2}, desk.workspace.meta, sending=False)
    pending = PendingCells(desk.workspace, choice)
    assert missing_examples_warning(pending, choice)[0].startswith(
        "--few-shot found no example to show",
    )
    desk.receive(1, proposal())
    desk.sign_off(1)
    assert not missing_examples_warning(PendingCells(desk.workspace, choice), choice)
    assert not missing_examples_warning(
        pending,
        choose(ONE, desk.workspace.meta, sending=False),
    )


SENTENCES = (
    "It tells the reader to see a doctor soon. It also says what to look out for."
)
QUOTED = "See a doctor within two days if the pain does not get better."
LLM = LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?")
BARE = LLM.model_copy(update={"deep_judgment_excerpt_enabled": False})
ANSWERS = [
    (LLM, {"rationale": SENTENCES, "excerpts": [QUOTED], "verdict": "yes"}),
    (BARE, {"rationale": SENTENCES, "verdict": "yes"}),
    (
        ScorerRubricTrait(name="Right", scorer="model_graded_qa"),
        {"reason": SENTENCES, "excerpt": QUOTED, "grade": "C"},
    ),
    (
        GroundingRubricTrait(name="Grounded"),
        {
            "relevance_explanation": SENTENCES,
            "relevant": ["0a"],
            "overall_explanation": SENTENCES,
            "sentences": [
                {
                    "sentence": key,
                    "explanation": QUOTED,
                    "supporting": ["0a"],
                    "support": "full",
                }
                for key in "ab"
            ],
            "all_supported": "yes",
            "utilized": ["0a"],
        },
    ),
]


@pytest.mark.parametrize(
    ("trait", "answer"),
    ANSWERS,
    ids=["llm", "bare", "scorer", "grounding"],
)
def test_a_usual_reply_of_any_kind_is_about_as_long_as_one_that_keeps_to_what_is_asked(
    trait,
    answer,
):
    given = trace(response="One. Two.", reference="One.", documents=[{"text": "One."}])
    kind = next(kind for kind in kinds().values() if isinstance(trait, kind.spec))
    usual = next(Subject(kind, trait, given).dialogue(given, UNBRIEFED)).usual_tokens
    assert usual == pytest.approx(len(json.dumps({"answer": answer})) / 4, rel=0.4)
