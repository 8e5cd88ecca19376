"""Intervals by betting for the judge's numbers, against worked cases and against many drawn audits."""

import gzip
import json
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest

from appellate.core.kind import KnownTrait
from appellate.numbers.exact import IntervalRule, NeverExact, OpenUnit
from appellate.numbers.exact_judge import AskedCell, AskedUnit, judge_bets
from appellate.stats.agreement_tables import cohen_kappa
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric import KIND as METRIC
from appellate.traits.metric.spec import MetricRubricTrait
from appellate.traits.scorer import KIND as SCORER
from appellate.traits.scorer.spec import ScorerRubricTrait

ORACLE = Path(__file__).parents[3] / "shared" / "oracle" / "exact.json.gz"
YES = frozenset({"yes"})
SAFE = KnownTrait(LLM, LLMRubricTrait(name="Safe", kind="boolean", description="?"))
UNSURE = KnownTrait(
    LLM,
    LLMRubricTrait(name="Unsure", kind="boolean", description="?", cannot_tell=True),
)
STARS = KnownTrait(
    LLM,
    LLMRubricTrait(
        name="Stars",
        kind="score",
        description="?",
        min_score=1,
        max_score=5,
    ),
)
FACTS = KnownTrait(
    METRIC,
    MetricRubricTrait(
        name="Facts",
        evaluation_mode="tp_only",
        tp_instructions=["A", "B"],
        metrics=["recall"],
        repeated_extraction=True,
    ),
)


def counts(**answers):
    return tuple(sorted((word, count) for word, count in answers.items() if count))


def frame_of(judged, drawn, known=SAFE):
    """The units of a frame by what the judge answered in each, some of them drawn in an order."""
    places = {unit: place for place, unit in enumerate(drawn)}
    found = []
    for number, answers in enumerate(judged):
        unit = OpenUnit(0, None, (known,), places.get(number), 0, f"t{number}")
        found.append(AskedUnit(unit, [AskedCell(known, answers)]))
    return found


# -- the worked cases ------------------------------------------------------------------------------


@cache
def oracle():
    if not ORACLE.exists():
        pytest.skip(
            "the worked cases lie beside the repository, in ../shared, and are not there",
        )
    cases = json.loads(gzip.decompress(ORACLE.read_bytes()))["cases"]
    return [case for case in cases if measure_in(case["name"])]


def measure_in(name):
    for measure in ("kappa", "agreement", "sensitivity", "specificity", "precision"):
        if f"judge {measure}" in name:
            return f"judge.{measure}"
    return "judge.sensitivity" if name.startswith("rare sensitivity") else ""


def judged_in(measure, corners):
    """How often the judge says yes and no in a unit, from the corners that its case gives."""
    below = {(above, below) for above, below in map(tuple, corners)}
    match measure:
        case "judge.kappa":  # (0, …) (q, …) (r, …) (q + r, …)
            return corners[1][0], corners[2][0]
        case "judge.agreement":
            return max(b for _, b in below), 0
        case "judge.precision":
            return max(b for _, b in below), 0
    matched = max(a for a, _ in below)
    other = max(b for a, b in below if a == 0)
    return (matched, other) if measure == "judge.sensitivity" else (other, matched)


def answers_in(measure, above, below, yes, no, share):
    """How judge and person answered in a unit, from what its case adds above and below the line."""
    match measure:
        case "judge.kappa":
            people = round((below - (yes + no) * share) / (1 - 2 * share))
            more = people - yes  # people's yes alone, less the judge's yes alone
            no_yes = round((above + more) / 2)
            yes_no = round(above) - no_yes
        case "judge.agreement" | "judge.precision":
            yes_no, no_yes = yes - above, 0
        case "judge.sensitivity":
            yes_no, no_yes = yes - above, below - above
        case "judge.specificity":
            no_yes, yes_no = no - above, below - above
    return Counter(
        {
            ("yes", "yes"): yes - yes_no,
            ("yes", "no"): yes_no,
            ("no", "yes"): no_yes,
            ("no", "no"): no - no_yes,
        },
    )


@pytest.mark.slow
def test_every_worked_interval_of_the_judge_is_computed_to_nine_digits():
    tried = Counter()
    for case in oracle():
        measure = measure_in(case["name"])
        by_type = [judged_in(measure, corners) for _, _, corners in case["types"]]
        judged = [by_type[kind] for kind in case["frame"]]
        share = sum(yes for yes, _ in judged) / sum(map(sum, judged))
        people = []
        for unit, above, below in case["ruled"]:
            people.append(+answers_in(measure, above, below, *judged[unit], share))
        drawn = [unit for unit, *_ in case["ruled"]]
        units = frame_of(
            [counts(yes=int(yes), no=int(no)) for yes, no in judged],
            drawn,
        )
        rule = IntervalRule(betting_coverage=case["level"], horizon=case["horizon"])
        for n, worked in zip(case["ns"], case["intervals"], strict=True):
            bounds = judge_bets(measure, YES, units, people[:n], rule).audit.interval(
                44,
            )
            assert bounds == pytest.approx(worked, abs=1e-9), (case["name"], n)
            tried[measure] += 1
    assert min(tried.values()) >= 8
    assert len(tried) == 5


# -- what people may still say ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "known",
    [SAFE, UNSURE, STARS, FACTS],
    ids=lambda known: known.trait.name,
)
def test_no_answers_that_people_may_give_are_outside_of_what_was_thought_possible(
    known,
):
    no_answer = known.kind.unanswered | known.kind.untold(known.trait)
    words = [
        word for word in known.kind.vocabulary(known.trait) if word not in no_answer
    ]
    chance = Random(3)
    judged = []
    people = []
    for _ in range(40):
        first, second = chance.choice(words), chance.choice(words)
        judged.append(tuple(sorted(Counter([first, second]).items())))
        pairs = [(first, chance.choice(words)), (second, chance.choice(words))]
        if known.kind.may_leave_open(known.trait):
            pairs = pairs[chance.randrange(3) :]
        people.append(Counter(pairs))
    units = frame_of(judged, range(40), known)
    names = ["kappa", "agreement", "sensitivity", "specificity", "precision", "f1"]
    names += ["weighted_kappa"] * (known is STARS)
    for name, n in product(names, (1, 20, 40)):
        judge_bets(
            f"judge.{name}",
            frozenset(words[:1]),
            units,
            people[:n],
            IntervalRule(),
        )


def test_scores_that_nothing_lists_have_kappa_and_no_weighted_kappa():
    known = KnownTrait(SCORER, ScorerRubricTrait(name="Close", scorer="f1"))
    assert not known.kind.vocabulary(known.trait)
    units = frame_of([(("0.25", 1),), (("1", 1),)] * 20, range(20), known)
    people = [{("0.25", "0.3"): 1}, {("1", "1"): 1}] * 10
    found = judge_bets(
        "judge.kappa",
        frozenset(),
        units,
        people,
        IntervalRule(),
    ).interval(0.5)
    assert 0 < found.low < found.high < 1
    with pytest.raises(NeverExact, match="its scores are in no list"):
        judge_bets("judge.weighted_kappa", frozenset(), units, people, IntervalRule())


def test_once_all_is_ruled_on_the_number_is_what_was_seen():
    units = frame_of([counts(yes=1), counts(no=1)] * 5, range(10))
    people = [{("yes", "yes"): 1}, {("no", "yes"): 1}] * 5
    bets = judge_bets("judge.agreement", YES, units, people, IntervalRule())
    assert bets.interval(0.5) == (0.5, 0.5, 0.5)
    assert bets.decided_after(0.9) is None


# -- many drawn audits -----------------------------------------------------------------------------

POPULATIONS = {
    "good": {("yes", "yes"): 60, ("no", "no"): 30, ("yes", "no"): 6, ("no", "yes"): 4},
    "useless": {
        ("yes", "yes"): 35,
        ("no", "no"): 15,
        ("yes", "no"): 35,
        ("no", "yes"): 15,
    },
    "near-perfect": {("yes", "yes"): 58, ("no", "no"): 40, ("yes", "no"): 2},
    "rare": {("yes", "yes"): 3, ("no", "no"): 94, ("yes", "no"): 1, ("no", "yes"): 2},
    "inverted": {("yes", "no"): 50, ("no", "yes"): 42, ("yes", "yes"): 8},
}
MEASURES = ("kappa", "agreement", "sensitivity", "specificity", "precision", "f1")


def truth(measure, pairs):
    """A number of the judge over all of a population, by its usual formula."""
    yes_yes, yes_no = pairs["yes", "yes"], pairs["yes", "no"]
    no_yes, no_no = pairs["no", "yes"], pairs["no", "no"]
    match measure:
        case "kappa":
            return cohen_kappa(pairs).value
        case "agreement":
            return (yes_yes + no_no) / pairs.total()
        case "sensitivity":
            return yes_yes / (yes_yes + no_yes)
        case "specificity":
            return no_no / (no_no + yes_no)
        case "precision":
            return yes_yes / (yes_yes + yes_no)
        case "f1":
            return yes_yes / (yes_yes + (yes_no + no_yes) / 2)


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [1, 4], ids=["one answer", "four alike"])
@pytest.mark.parametrize("population", POPULATIONS)
def test_the_truth_is_refused_at_any_look_in_five_of_a_hundred_audits_at_most(
    population,
    clustered,
):
    """Of 200 audits of 100 units, looked at after each of the first 60 rulings.

    18 wrong ones of 200 are what 5 % give once in a hundred times; units answer one question, or
    four that depend on each other.
    """
    chance = Random(f"{population} {clustered}")
    answers = [
        pair for pair, times in POPULATIONS[population].items() for _ in range(times)
    ]
    people = [Counter({answer: clustered}) for answer in answers]
    judged = [((judge, clustered),) for judge, _ in answers]
    pairs = sum(people, Counter())
    wrong = Counter()
    for _ in range(200):
        order = chance.sample(range(100), 60)
        units = frame_of(judged, order)
        for measure in MEASURES:
            ruled = [people[unit] for unit in order]
            rule = IntervalRule(horizon=60)
            bets = judge_bets(f"judge.{measure}", YES, units, ruled, rule)
            supposed = bets.ratio.number(truth(measure, pairs))
            refused = [bets.audit.refused_after(supposed, side) for side in (1, -1)]
            wrong[measure] += refused != [None, None]
    assert max(wrong.values()) <= 18
