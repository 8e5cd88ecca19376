"""Two questions may have traits of one name and of two kinds: their numbers are never pooled."""

from collections import Counter

import pytest
from test_first_sentence import FACTS_TRAIT
from test_judge_numbers import NO_NO, YES_NO, YES_YES, audit
from test_worth_sentences import SAFE, at

from appellate.core.kind import Figures, KnownTrait
from appellate.core.problem import Refused
from appellate.numbers.bars import number_of
from appellate.numbers.census import census_of
from appellate.numbers.estimates import AuditUnit, UnitCell, estimated_traits
from appellate.numbers.judge_shifts import judge_shifts
from appellate.numbers.markdown import markdown
from appellate.numbers.report import report
from appellate.numbers.samples import sample_numbers
from appellate.numbers.sections import EXAMPLES
from appellate.numbers.two_reviewers import by_trait
from appellate.stats.looks import read_bar
from appellate.store.audits.audit import load_audit
from appellate.store.audits.two_audits import CellPair
from appellate.traits.llm import KIND as LLM
from appellate.traits.metric import KIND as METRIC
from appellate.traits.metric.spec import Counts, value
from cells import place
from two_kinds import signed_off

CHECKED = FACTS_TRAIT.model_copy(update={"name": "Safe"})
TRAITS = estimated_traits([KnownTrait(LLM, SAFE), KnownTrait(METRIC, CHECKED)])


def checked(place: int) -> AuditUnit:
    """A trace of the other question, with a checklist that judge and person answer differently."""

    def figures(*buckets):
        counts = Counts(*buckets)
        values = {name: value(name, counts) for name in CHECKED.metrics}
        return Figures.of(values, counts._asdict())

    answers = Counter({("found", "found"): 1, ("found", "missing"): 1})
    cell = UnitCell(
        "Safe",
        "",
        [figures(2, 0)],
        figures(1, 1),
        answers,
        KnownTrait(METRIC, CHECKED),
        (("found", 2),),
    )
    return AuditUnit(0, place, None, {"Safe": [cell]})


def test_an_estimate_counts_the_units_of_its_own_kind():
    verdicts = audit((YES_YES, 20), (YES_NO, 4), (NO_NO, 6), unruled=[True] * 20)
    checklists = [checked(30 + place) for place in range(30)]
    alone = sample_numbers(at(verdicts, traits=TRAITS[:1]))
    both = sample_numbers(at([*verdicts, *checklists], traits=TRAITS))
    (number,) = alone.worths
    same = both.worths[0]
    assert (same.interval, same.part.frame) == (number.interval, 50)
    (yes_or_no, checklist) = both.errors
    assert (yes_or_no.n, checklist.n) == (30, 30)
    assert yes_or_no.agreement.n == 30
    assert checklist.agreement.n == 60
    kappas = [rate for rate in both.rates if rate.measure.name == "judge.kappa"]
    assert [rate.part.frame for rate in kappas] == [50, 30]


def test_a_bar_on_both_kinds_says_that_a_trait_is_to_be_renamed():
    (_, measure) = number_of(TRAITS, read_bar("Safe:yes>=.5"))
    assert measure.name == "yes"
    told = 'has traits "Safe" of the kinds llm and metric; rename one'
    with pytest.raises(Refused, match=told):
        number_of(TRAITS, read_bar("Safe:judge.kappa>=.5"))


@pytest.fixture
def signed(tmp_path):
    with signed_off(tmp_path):
        return load_audit(place(tmp_path).audit)


def test_a_correction_is_an_example_of_its_own_trait_only(signed):
    text = markdown(report(signed))
    rows = [row for row in text.splitlines() if "because: Not said" in row]
    examples = [row for row in rows if row.startswith("| Safe |")]
    assert len(examples) == EXAMPLES


def test_a_census_counts_the_pairs_of_its_own_kind(signed):
    census = census_of(signed)
    numbers = [sum(census.clusters(trait).values()) for trait in census.traits]
    assert numbers == [10, 10]


def test_two_reviewers_are_compared_by_kind(signed):
    pairs = [CellPair(each.cell, each.cell) for each in signed.cells]
    found = by_trait(pairs)
    assert [(each.kind, each.cells) for each in found] == [(LLM, 10), (METRIC, 10)]


def test_a_mean_of_one_measure_is_never_of_another(signed):
    drifts = judge_shifts(signed, signed).drifts.values()
    assert [(drift.measure, len(drift.before)) for drift in drifts] == [
        ("yes", 10),
        ("f1", 10),
    ]
