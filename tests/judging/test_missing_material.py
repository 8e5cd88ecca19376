"""A trait that asks for what a trace has not got: its cell fails with that reason, and nobody is asked."""

import json

import pytest

from appellate.cli import main
from appellate.core.kind import Subject
from appellate.core.trace import Trace
from appellate.judges.endpoint import Endpoint
from appellate.judges.offline import Computing, Lexical
from appellate.judges.openai import OpenAIJudge
from appellate.judges.proposal import JudgmentFailure, Proposal, Question, ask
from appellate.judging.choice import JudgeChoice, choose
from appellate.judging.estimate import forecast
from appellate.judging.questions import PendingCells
from appellate.judging.run import run
from appellate.store.audits.audit import load_audit
from appellate.talk.dialogue import Unreadable
from appellate.traits.grounding import KIND as GROUNDING
from appellate.traits.grounding.spec import GroundingRubricTrait
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.rubric import Rubric
from appellate.traits.scorer import KIND as SCORER
from appellate.traits.scorer.spec import ScorerRubricTrait
from cells import bench
from loopback import Loopback, truthful

GROUNDED = GroundingRubricTrait(name="Grounded")
TEMPLATE = "{question} {answer} {criterion} {instructions}"
GRADED = ScorerRubricTrait(
    name="Graded",
    scorer="model_graded_qa",
    template=TEMPLATE,
    description="Is it right?",
)
PANEL = ScorerRubricTrait(
    name="Panel",
    scorer="multi_scorer",
    scorers=[
        {"scorer": "includes"},
        {"scorer": "model_graded_qa", "template": TEMPLATE},
    ],
)
BARE = Trace(id="bare", question="What?", response="BCL2.")
WHOLE = BARE.model_copy(
    update={"id": "whole", "documents": ["BCL2 is a gene."], "reference": "BCL2"},
)
CASES = [
    (
        GROUNDING,
        GROUNDED,
        "The trace has no documents, which is what grounding holds a response",
    ),
    (SCORER, GRADED, "The template has {criterion}, and the trace has no reference."),
    (SCORER, PANEL, "The template has {criterion}, and the trace has no reference."),
]


def asked(kind, trait, trace):
    return Question(Subject(kind, trait, trace), trace)


@pytest.mark.parametrize(("kind", "trait", "reason"), CASES)
@pytest.mark.parametrize("blank", [{}, {"reference": " ", "documents": [" "]}])
def test_no_model_is_asked_about_what_is_not_there(kind, trait, reason, blank):
    with pytest.raises(Unreadable, match=reason.replace("{", r"\{")):
        next(asked(kind, trait, BARE.model_copy(update=blank)).dialogue())
    assert next(asked(kind, trait, WHOLE).dialogue()).user


def test_a_template_that_names_a_question_takes_one():
    trace = WHOLE.model_copy(update={"question": None})
    question = asked(SCORER, GRADED, trace)
    assert (
        question.lacking
        == "The template has {question}, and the trace has no question."
    )


async def test_word_overlap_does_not_call_unsupported_what_nothing_could_support():
    outcome = await ask(Lexical(), asked(GROUNDING, GROUNDED, BARE))
    assert isinstance(outcome, JudgmentFailure)
    assert outcome.reason.startswith("The trace has no documents")
    assert outcome.record.name == "lexical"
    assert isinstance(await ask(Lexical(), asked(GROUNDING, GROUNDED, WHOLE)), Proposal)


@pytest.mark.parametrize("scorer", ["includes", "match", "exact", "f1"])
@pytest.mark.parametrize("reference", [None, "", " ", [], [""]])
async def test_a_rule_holds_no_response_to_a_reference_that_is_not_there(
    scorer,
    reference,
):
    trait = ScorerRubricTrait(name="x", scorer=scorer)
    trace = BARE.model_copy(update={"reference": reference})
    outcome = await ask(Computing(), asked(SCORER, trait, trace))
    assert isinstance(outcome, JudgmentFailure)
    assert outcome.reason.startswith("The trace has no reference")


async def test_such_cells_fail_beside_others_that_are_judged(tmp_path):
    right = LLMRubricTrait(name="Right", kind="boolean", include_ground_truth=True)
    rubric = Rubric(grounding_traits=[GROUNDED], llm_traits=[right])
    with bench(tmp_path, BARE, WHOLE, of=rubric) as at:
        async with Loopback(truthful) as server:
            judge = OpenAIJudge(Endpoint("m", server.url), environ={})
            await run(at, JudgeChoice("m", judge))
            assert len(server.asked) == 3
        at.save()
    cells = {
        (one.trace.id, one.cell.subject.trait.name): one.cell
        for one in load_audit(at.audit).cells
    }
    assert {key: cell.state for key, cell in cells.items()} == {
        ("bare", "Grounded"): "failed",
        ("bare", "Right"): "proposed",
        ("whole", "Grounded"): "proposed",
        ("whole", "Right"): "proposed",
    }
    assert cells["bare", "Grounded"].error.error.startswith(
        "The trace has no documents",
    )


def test_check_says_before_how_many_cells_cannot_be_judged(tmp_path, capsys):
    rubric, traces = tmp_path / "r.toml", tmp_path / "t.jsonl"
    rubric.write_text('[[grounding_traits]]\nname = "Grounded"\n')
    rows = [
        BARE.model_dump(exclude_defaults=True),
        WHOLE.model_dump(exclude_defaults=True),
    ]
    traces.write_text("\n".join(map(json.dumps, rows)))
    assert main(["check", str(rubric), str(traces)]) == 0
    told = capsys.readouterr().err
    assert '"Grounded" cannot be judged in 1 trace. The trace has no documents' in told


def test_no_request_is_foreseen_about_a_trace_that_lacks_what_its_trait_needs(
    tmp_path,
    monkeypatch,
):
    monkeypatch.setenv("APPELLATE_CONFIG", str(tmp_path))
    of = Rubric(name="R", grounding_traits=[GROUNDED])
    options = {"model": ["m"], "base_url": "http://127.0.0.1:9/v1"}
    with bench(tmp_path, WHOLE, of=of) as at:
        choice = choose(options, at.workspace.meta)
        alone = forecast(at.workspace, PendingCells(at.workspace, choice), choice)
    folder = tmp_path / "both"
    folder.mkdir()
    with bench(folder, BARE, WHOLE, of=of) as at:
        both = forecast(at.workspace, PendingCells(at.workspace, choice), choice)
    assert (alone.cells, alone.requests) == (1, 1)
    assert (both.cells, both.requests) == (2, 1)
    assert both.tokens_in == alone.tokens_in > 0
