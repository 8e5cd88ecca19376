"""What an audit comes to, in the sentences that report, screen and `metrics` begin with."""

from collections import Counter
from random import Random

import pytest
from test_judge_numbers import NO_NO, NO_YES, TRAIT, YES_NO, YES_YES, audit, judged
from test_worth_sentences import CLEAR, at

from appellate.cli import main
from appellate.core.design_facts import DesignFact, Sample, Sampled
from appellate.core.kind import Figures, KnownTrait
from appellate.numbers.estimates import (
    AuditedSample,
    AuditUnit,
    UnitCell,
    estimated_traits,
)
from appellate.numbers.first_sentence import WEIGHTED, first_sentences
from appellate.numbers.samples import sample_numbers
from appellate.stats.designs import written
from appellate.traits.llm import KIND as LLM
from appellate.traits.llm.spec import LLMRubricTrait
from appellate.traits.metric import KIND as METRIC
from appellate.traits.metric.spec import Counts, value
from cells import checklist
from sampled import sampled

(SCORE,) = estimated_traits([KnownTrait(LLM, CLEAR)])
FACTS_TRAIT = checklist(name="Facts", metrics=["precision", "recall", "f1"])
(FACTS,) = estimated_traits([KnownTrait(METRIC, FACTS_TRAIT)])
TONES = {"rude": "r", "plain": "p", "warm": "w"}
TONE_TRAIT = LLMRubricTrait(name="Tone", kind="literal", description="?", classes=TONES)
(TONE,) = estimated_traits([KnownTrait(LLM, TONE_TRAIT)])
HARM = LLMRubricTrait(
    name="Safe",
    kind="boolean",
    description="?",
    higher_is_better=False,
)
EITHER = LLMRubricTrait(
    name="Safe",
    kind="boolean",
    description="?",
    higher_is_better=None,
)
UNRULED = [True, True, False] * 113 + [True]


def told(units, *traits, **more):
    numbers = sample_numbers(at(units, traits=traits or (TRAIT,), **more))
    return first_sentences([], numbers)


def unit(
    trait,
    figures_of,
    judge,
    person,
    place,
    answers=None,
    known=None,
    judged=(),
) -> AuditUnit:
    """A trace with one cell, which a person ruled on unless `person` is None.

    `judged` are the judge's answers, and `known` is the trait.
    """
    ruled = None if person is None else figures_of(person)
    judge_answers = tuple(sorted(Counter(judged).items()))
    answers = Counter(answers or ())
    cell = UnitCell(
        trait,
        "",
        [figures_of(judge)],
        ruled,
        answers,
        known,
        judge_answers,
    )
    return AuditUnit(0, place, None, {trait: [cell]})


def judged_in(pairs):
    """What the judge says in so many of each pair."""
    return [judge for (judge, _), times in pairs for _ in range(times)]


def of_values(trait, measure, names, pairs, unruled):
    """Traces with a score or a class, so many of each pair of the judge's and people's."""

    def figures(given):
        return Figures({measure: float(given)}, frozenset(), {})

    known = {"Clear": KnownTrait(LLM, CLEAR), "Tone": KnownTrait(LLM, TONE_TRAIT)}[
        trait
    ]
    order = [pair for pair, times in pairs for _ in range(times)]
    Random(1).shuffle(order)
    units = []
    for place, (judge, person) in enumerate(order):
        judged = [names(judge)]
        answers = [(names(judge), names(person))]
        units.append(unit(trait, figures, judge, person, place, answers, known, judged))
    for judge in unruled:
        judged = [names(judge)]
        units.append(unit(trait, figures, judge, None, None, None, known, judged))
    return units


def of_checklists(cells, unruled):
    """Traces with a checklist: its counts by the judge and by people, and the pairs of answers."""

    def figures(buckets):
        counts = Counts(*buckets)
        values = {name: value(name, counts) for name in FACTS_TRAIT.metrics}
        return Figures.of(values, counts._asdict())

    def judged(buckets):
        return [FOUND] * buckets[0] + [MISSING] * buckets[1]

    known = KnownTrait(METRIC, FACTS_TRAIT)
    units = []
    for judge, person, pairs in cells:
        answers = Counter(pairs).elements()
        place = len(units)
        units.append(
            unit("Facts", figures, judge, person, place, answers, known, judged(judge)),
        )
    for judge in unruled:
        units.append(
            unit("Facts", figures, judge, None, None, None, known, judged(judge)),
        )
    return units


FOUND, MISSING = "found", "missing"
CHECKED = [
    ((2, 2), (3, 1), {(FOUND, FOUND): 2, (MISSING, FOUND): 1, (MISSING, MISSING): 1}),
    ((4, 0), (3, 1), {(FOUND, FOUND): 3, (FOUND, MISSING): 1}),
] * 30


def test_yes_and_no_tell_what_was_caught_and_what_was_passed():
    mixed = audit((YES_YES, 35), (NO_YES, 5), (YES_NO, 9), (NO_NO, 11), unruled=UNRULED)
    caught, agrees, overall = told(mixed)
    assert caught.startswith(
        "Of the 20 responses that people failed the judge caught 11 (55 %, ",
    )
    assert "; of the 40 that they passed it passed 35 (88 %, " in caught
    assert agrees.startswith("It agrees with them on 46 of 60 (77 %), kappa .45 (.")
    assert overall.startswith("Of all 400 responses people would call about 64 % yes (")
    assert overall.endswith(
        "from 60 that they ruled on blind; the judge alone says 68 %.",
    )


def test_where_yes_is_bad_it_is_what_people_failed():
    (trait,) = estimated_traits([KnownTrait(LLM, HARM)])
    units = audit((YES_YES, 11), (NO_YES, 9), (YES_NO, 5), (NO_NO, 35), unruled=UNRULED)
    assert (
        "Of the 20 responses that people failed the judge caught 11"
        in told(units, trait)[0]
    )


def test_where_neither_is_better_the_answers_are_named():
    (trait,) = estimated_traits([KnownTrait(LLM, HARM)])
    (measure,) = trait.measures
    neither = measure.__class__(
        measure.name,
        measure.short,
        higher_is_better=None,
        word="verdict",
    )
    trait = trait.__class__(
        trait.name,
        trait.kind,
        [neither],
        trait.names,
        trait.positives,
    )
    units = audit((YES_YES, 11), (NO_YES, 9), (YES_NO, 5), (NO_NO, 35), unruled=UNRULED)
    first = told(units, trait)[0]
    assert first.startswith(
        "Of the 20 responses that people called yes the judge called 11 (55 %",
    )
    assert "; of the 40 that they did not call yes it did not call 35 (88 %" in first


@pytest.mark.parametrize(
    ("counted", "says"),
    [
        (
            [(YES_YES, 40), (YES_NO, 20)],
            "no better than chance: it says yes to every one.",
        ),
        (
            [(YES_YES, 20), (NO_YES, 20), (YES_NO, 10), (NO_NO, 10)],
            "It agrees with them on 30 of 60 (50 %), kappa .00 (",
        ),
        (
            [(NO_YES, 40), (YES_NO, 20)],
            "It agrees with them on 0 of 60 (0 %), kappa −.80 (",
        ),
        ([(NO_YES, 40), (YES_NO, 20)], "worse than chance."),
    ],
)
def test_a_useless_and_an_inverted_judge_are_named_by_kappas_interval(counted, says):
    assert says in " ".join(told(audit(*counted, unruled=judged_in(counted) * 6)))


def test_a_perfect_judge_is_told_how_much_would_not_show():
    _, agrees, _ = told(audit((YES_YES, 40), (NO_NO, 20), unruled=UNRULED))
    assert agrees.startswith(
        "It agrees with them on all 60: no error in 60; up to about ",
    )
    assert agrees.endswith(" % would not show.")


def test_of_a_whole_frame_nothing_can_hide_and_no_interval_is_shown():
    caught, agrees, overall = told(audit((YES_YES, 40), (NO_NO, 20)))
    assert agrees == "It agrees with them on all 60, and there are no more."
    assert "–" not in caught
    assert (
        overall
        == "All 60 responses are ruled on blind: people call 67 % yes, the judge 67 %."
    )


def test_a_tiny_audit_has_wide_intervals_and_no_kappa():
    caught, agrees, overall = told(
        audit((YES_YES, 5), (NO_NO, 2), (YES_NO, 1), unruled=[True] * 20),
    )
    assert caught == (
        "Of the 3 responses that people failed the judge caught 2 (67 %, 9–81);"
        " of the 5 that they passed it passed all 5 (100 %, 91–100)."
    )
    assert agrees == "It agrees with them on 7 of 8 (88 %)."
    assert overall


def test_where_people_failed_nothing_kappa_says_nothing_and_is_left_out():
    caught, agrees, _ = told(audit((YES_YES, 57), (NO_YES, 3), unruled=UNRULED))
    assert caught.startswith(
        "None of these 60 responses is one that people failed, so nothing",
    )
    assert agrees == "It agrees with them on 57 of 60 (95 %)."


def test_a_checklist_tells_what_the_judge_finds_of_what_people_find():
    found, agrees, overall = told(of_checklists(CHECKED, [(2, 2), (4, 0)] * 170), FACTS)
    assert found.startswith(
        "Of the 180 instructions that people find in the responses the judge finds 150 (83 %, ",
    )
    assert "; of the 180 that it finds people see 150 (83 %, " in found
    assert agrees.startswith(
        "It agrees with them on 180 of 240 instructions of 60 responses (75 %), kappa .33 (",
    )
    assert overall.startswith(
        "Over all 400 responses f1 by people would be about .86 (",
    )


def test_scores_tell_how_far_and_on_which_side():
    pairs = [
        ((4, 4), 15),
        ((5, 4), 20),
        ((3, 3), 10),
        ((4, 3), 8),
        ((2, 4), 3),
        ((1, 1), 4),
    ]
    first, kappa, overall = told(
        of_values("Clear", "score", str, pairs, judged_in(pairs) * 5),
        SCORE,
    )
    assert first.startswith(
        "The judge gives people's score to 29 of 60 responses (48 %, ",
    )
    assert " and is at most 1 away in 57: too high in 28, too low in 3; by ." in first
    assert " too high on average (." in first
    assert kappa.startswith("Weighted kappa .68 (.")
    assert overall.startswith(
        "Over all 360 responses the mean score by people would be about 3.",
    )


def test_classes_tell_the_commonest_confusion_and_no_mean():
    names = list(TONES).__getitem__
    pairs = [((0, 0), 10), ((1, 1), 20), ((2, 2), 15), ((2, 1), 9), ((1, 0), 6)]
    first, kappa, _ = told(
        of_values("Tone", "share of rude", names, pairs, judged_in(pairs) * 5),
        TONE,
    )
    assert first.startswith(
        "The judge says what people say of 45 of 60 responses (75 %, ",
    )
    assert first.endswith("; most often it says warm where they say plain (9 times).")
    assert kappa.startswith("Kappa .61 (.")


def of_classes(pairs, unruled) -> list[AuditUnit]:
    """Traces with a class, by its place in `TONES`, so many of each pair of the judge's and people's."""
    units = of_values("Tone", "share", TONES_BY_PLACE.get, pairs, unruled)
    for one in units:
        (cell,) = one.cells["Tone"]
        person = cell.person and shares_of(cell.person)
        judges = [shares_of(figures) for figures in cell.judges]
        one.cells = {"Tone": [cell._replace(person=person, judges=judges)]}
    return units


TONES_BY_PLACE = dict(enumerate(TONES))


def shares_of(figures) -> Figures:
    place = round(figures.values["share"])
    shares = {f"share of {tone}": float(at == place) for at, tone in enumerate(TONES)}
    return Figures(shares, frozenset(), {})


def test_classes_tell_the_share_of_each_over_all_responses():
    pairs = [((0, 0), 10), ((1, 1), 30), ((2, 2), 14), ((2, 1), 6)]
    shares = told(of_classes(pairs, judged_in(pairs) * 5), TONE)[-1]
    assert shares.startswith(
        "Of all 360 responses people would call about 60 % plain (",
    )
    assert ", 23 % warm (" in shares
    assert " and 17 % rude (" in shares
    assert shares.endswith(
        ", from 60 that they ruled on blind; the judge alone says 50 %, 33 %, 17 %.",
    )


def test_shares_of_classes_are_known_once_all_is_ruled_on():
    shares = told(of_classes([((0, 0), 10), ((1, 1), 30)], []), TONE)[-1]
    assert shares == (
        "All 40 responses are ruled on blind: people call 75 % plain, 25 % rude and 0 % warm; the"
        " judge alone says 75 %, 25 %, 0 %."
    )


def test_a_share_is_none_or_all_only_where_it_is():
    shares = told(of_classes([((0, 0), 1), ((1, 1), 2999)], []), TONE)[-1]
    assert "people call >99.9 % plain, <0.1 % rude and 0 % warm" in shares
    shares = told(of_classes([((0, 0), 1), ((1, 1), 499)], []), TONE)[-1]
    assert "people call 99.8 % plain, 0.2 % rude and 0 % warm" in shares


def test_before_any_ruling_no_class_has_a_share():
    units = of_classes([], [0, 1, 2] * 20)
    for place, one in enumerate(units[:20]):
        one.place = place
    numbers = sample_numbers(at(units, traits=(TONE,)))
    (sentence,) = [text for text in first_sentences([], numbers) if "shares" in text]
    assert sentence.startswith(
        "There are no shares of classes for all 60 responses yet (none of",
    )


def of_groups(name_of, pairs, unruled) -> list[AuditUnit]:
    """Traces of groups, called by their place and what the judge said of each."""
    units = audit(*pairs, unruled=unruled)
    for place, one in enumerate(units):
        (cell,) = one.cells["Safe"]
        judge_says_yes = cell.judge_answers == (("yes", 1),)
        one.cells = {"Safe": [cell._replace(group=name_of(place, judge_says_yes))]}
    return units


def test_two_groups_are_told_apart_and_whether_chance_could_do_it():
    pairs = [(YES_YES, 30), (NO_NO, 30)]
    clear = of_groups(lambda _, yes: "new" if yes else "old", pairs, [True, False] * 90)
    assert told(clear)[-1].startswith("new is ")
    assert "which chance alone can do" not in told(clear)[-1]
    alike = of_groups(
        lambda place, _: "new" if place // 2 % 2 else "old",
        pairs,
        [True, False] * 90,
    )
    assert told(alike)[-1].endswith(", which chance alone can do.")


def test_of_an_unequal_design_shares_are_weighted_and_counts_are_not():
    right = [judged(*YES_YES, place) for place in range(20)]
    wrong = [judged(*YES_NO, 20 + place, stratum=1) for place in range(20)]
    strata = [
        {"name": "a", "units": 90, "drawn": 20},
        {"name": "b", "units": 20, "drawn": 20},
    ]
    rows = [
        {"traces": [[f"t{place}", 1]], "stratum": "ab"[place // 20]}
        for place in range(40)
    ]
    drawn = Sampled(
        "stratified",
        ["model"],
        1,
        True,
        110,
        "",
        written([0] * 110),
        strata,
        rows,
    )
    numbers = sample_numbers(
        AuditedSample(
            Sample.of([drawn]),
            [DesignFact(1, "", "ada", drawn)],
            [TRAIT],
            [*right, *wrong, *[judged(True)] * 70],
            None,
        ),
    )
    sentences = first_sentences([], numbers)
    assert sentences[-1] == WEIGHTED
    assert sentences[1].startswith("It agrees with them on 20 of 40 (82 %)")


def test_words_of_a_rubric_act_nowhere():
    evil = {0: "rude\x1b[2J", 1: "plain"}
    pairs = [((0, 0), 30), ((0, 1), 30)]
    sentences = told(of_values("Tone", "class_index", evil.get, pairs, [1] * 300), TONE)
    assert "\x1b" not in " ".join(sentences)


def test_few_of_strata_have_weighted_shares():
    right = [judged(*YES_YES, place) for place in range(6)]
    wrong = [judged(*YES_NO, 6 + place, stratum=1) for place in range(6)]
    strata = [
        {"name": "a", "units": 90, "drawn": 6},
        {"name": "b", "units": 6, "drawn": 6},
    ]
    rows = [
        {"traces": [[f"t{place}", 1]], "stratum": "ab"[place // 6]}
        for place in range(12)
    ]
    drawn = Sampled(
        "stratified",
        ["model"],
        1,
        True,
        96,
        "",
        written([0] * 96),
        strata,
        rows,
    )
    sample = Sample.of([drawn])
    units = [*right, *wrong, *[judged(True)] * 84]
    facts = [DesignFact(1, "", "ada", drawn)]
    numbers = sample_numbers(AuditedSample(sample, facts, [TRAIT], units, None))
    caught, agrees, *_ = first_sentences([], numbers)
    assert caught == (
        "Of the 6 responses that people failed the judge caught none (0 %);"
        " of the 6 that they passed it passed all 6 (100 %)."
    )
    assert agrees == "It agrees with them on 6 of 12 (94 %): it says yes to every one."


def test_intervals_of_unequal_chances_are_said_to_be_for_one_look():
    units = [judged(*YES_YES, place, chance=0.1) for place in range(20)]
    units += [
        judged(*[YES_NO, NO_NO][place % 2], 20 + place, chance=0.4)
        for place in range(20)
    ]
    units += [judged(True)] * 50
    strata = [{"name": "a", "units": 90, "drawn": 40, "chance": 0.1}]
    rows = [{"traces": [[f"t{place}", 1]], "stratum": "a"} for place in range(40)]
    drawn = Sampled(
        "active",
        ["disagreement"],
        1,
        True,
        90,
        "",
        written([0] * 90),
        strata,
        rows,
    )
    facts = [DesignFact(1, "", "ada", drawn)]
    at_chances = AuditedSample(Sample.of([drawn]), facts, [TRAIT], units, None)
    (said,) = [
        text
        for text in first_sentences([], sample_numbers(at_chances))
        if "look" in text
    ]
    assert said.startswith(
        "The intervals of kappa, agreement, sensitivity, specificity, precision",
    )
    assert said.endswith(
        "hold for one look only: it was drawn by unequal chances, for which no exact interval is"
        " known.",
    )


def test_few_of_unequal_chances_have_counts_without_a_share():
    units = [judged(*YES_YES, place, chance=0.1) for place in range(6)]
    units += [judged(*YES_NO, 6 + place, chance=0.4) for place in range(6)]
    strata = [{"name": "a", "units": 90, "drawn": 12, "chance": 0.1}]
    rows = [{"traces": [[f"t{place}", 1]], "stratum": "a"} for place in range(12)]
    drawn = Sampled(
        "active",
        ["disagreement"],
        1,
        True,
        90,
        "",
        written([0] * 90),
        strata,
        rows,
    )
    facts = [DesignFact(1, "", "ada", drawn)]
    at_chances = AuditedSample(Sample.of([drawn]), facts, [TRAIT], units, None)
    caught, agrees, *_ = first_sentences([], sample_numbers(at_chances))
    assert "%" not in caught + agrees


def test_responses_without_a_number_are_among_those_of_a_checklist():
    nothing = ((0, 0), (0, 0), {(MISSING, MISSING): 1})
    _, agrees, _ = told(of_checklists([*CHECKED, nothing], [(3, 1)] * 340), FACTS)
    assert agrees.startswith(
        "It agrees with them on 181 of 241 instructions of 61 responses",
    )


def test_the_classes_of_an_earlier_trait_lack_nothing_that_is_told():
    names = list(TONES).__getitem__
    tones = of_values(
        "Tone",
        "class_index",
        names,
        [((0, 0), 20), ((1, 1), 20)],
        [1] * 60,
    )
    verdicts = audit((YES_YES, 30), (NO_NO, 10), unruled=[True] * 60)
    for tone, verdict in zip(tones, verdicts, strict=True):
        tone.cells |= verdict.cells
    sentences = told(tones, TONE, TRAIT)
    assert not any(sentence.endswith(": ") for sentence in sentences)


def test_the_trait_is_named_if_the_judge_labelled_nothing_under_it():
    unjudged = audit((YES_YES, 30), (NO_NO, 10), unruled=[True] * 60)
    for trace in unjudged:
        cells = trace.cells[TRAIT.name]
        trace.cells[TRAIT.name] = [
            cell._replace(judges=[], answers=Counter(), judge_answers=())
            for cell in cells
        ]
    first, *_ = told(unjudged, TRAIT, FACTS)
    assert first.startswith(f"{TRAIT.name}: of all 100 responses people would call")


def test_before_the_first_ruling_it_is_said_why_there_is_no_number(
    tmp_path,
    monkeypatch,
    capsys,
):
    monkeypatch.chdir(tmp_path)
    with sampled(tmp_path, count=60, drawn=20, ruled=0) as audit_at:
        audit_at.save()
    assert main(["metrics", "x.audit.toml"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert (
        "There is no number for all 60 responses yet (none of the 20 drawn is audited yet)."
        in said
    )
