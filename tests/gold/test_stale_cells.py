"""What makes a cell of a gold set stale, and what another audit says of its cells."""

import asyncio

import pytest
from msgspec.structs import replace

from appellate.core.kind import Subject
from appellate.gold.asking import Stale, ask, in_audit, stale_under, staleness
from appellate.gold.checking import check
from appellate.judges.proposal import JudgeRecord, NoLabels, Proposal
from appellate.judging.choice import JudgeChoice
from appellate.store.audits.audit import load_audit
from appellate.traits.llm import KIND
from appellate.traits.metric import KIND as METRIC
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.rubric import Rubric
from gold_sets import POLITE, frozen

KIND_TRAIT = POLITE.model_copy(update={"description": "Is it kind?"})
OTHER_KIND = MetricRubricTrait(
    name="Polite",
    metrics=["recall"],
    tp_instructions=["Says please"],
)


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    return frozen(tmp_path_factory.mktemp("gold"), "judge.agreement>=.8", count=24)


def changed(cell, **how):
    return replace(cell.subject, asked=cell.trace.model_copy(update=how))


def test_a_cell_that_reads_the_same_is_not_stale(gold):
    assert staleness(gold.cells[0], gold.cells[0].subject) is None
    assert stale_under(gold.rubric, gold) == []


def test_what_is_another_is_told_with_how_it_differs(gold):
    cell = gold.cells[0]
    text = staleness(cell, changed(cell, response="Reply number 1 is rude."))
    assert (text.what, text.details) == ("the text", ("from character 19 on",))
    reference = staleness(cell, changed(cell, reference="It is."))
    assert (reference.what, reference.details) == ("the question or its reference", ())
    trait = staleness(cell, Subject(KIND, KIND_TRAIT, cell.trace))
    assert (trait.what, trait.details) == ("the trait", ("Polite.description",))
    kind = staleness(cell, Subject(METRIC, OTHER_KIND, cell.trace))
    assert (kind.what, kind.details) == ("the trait", ("it is of the kind metric now",))
    assert staleness(cell, None).what == "the rubric, which has no such trait"


def test_a_rubric_without_a_trait_makes_its_cells_stale(gold):
    assert len(stale_under(Rubric(llm_traits=[]), gold)) == 24
    assert len(stale_under(Rubric(llm_traits=[KIND_TRAIT]), gold)) == 24


def test_an_audit_says_what_its_judge_said_as_far_as_it_may_be_seen(gold, tmp_path):
    frozen(tmp_path, count=12, own_errors=[4])
    audit = load_audit(tmp_path / "x.audit.toml")
    cells = [one for one in audit.cells if one.trace.id != "t3"]
    third = audit.cells[2]
    subject = changed(gold.cells[2], response="Another.")
    cells.append(replace(third, cell=replace(third.cell, subject=subject)))
    first = replace(audit.cells[0], cell=replace(audit.cells[0].cell, judged=None))
    answers = in_audit(replace(audit, cells=[first, *cells[1:]]), "b", gold)
    assert [one.cell.trace.id for one in answers.stale] == ["t3"]
    assert isinstance(answers.outcomes[("t1", 1), "Polite"], NoLabels)
    assert answers.outcomes[("t20", 1), "Polite"] == NoLabels("b has no such cell.")
    found = check(gold, answers, gold.bars)
    assert found.verdict == "undecided"
    assert len(found.counted) == 10
    assert len(found.unasked) == 13


class AlwaysYes:
    """A judge that calls every response polite."""

    name = "yes"

    async def judge(self, question):
        labels = {"value": True, "evidence": [], "rationale": ""}
        return Proposal(labels, JudgeRecord("yes"))

    async def close(self):
        pass


def test_the_progress_of_a_check_ends_at_the_whole_though_cells_are_stale(gold):
    stale = [Stale(cell, "the text") for cell in gold.cells[:6]]
    told = []
    choice = JudgeChoice("yes", AlwaysYes())
    answers = asyncio.run(
        ask(choice, "yes", gold, stale, on_progress=lambda *done: told.append(done)),
    )
    assert len(answers.outcomes) == 18
    assert told[-1] == (18, 1.0)
