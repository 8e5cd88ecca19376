"""What the metric kind supplies: figures from the items that count, however the lists came about."""

import pytest

from appellate.core.kind import Check, Subject
from appellate.traits.metric import KIND, alone, negated, reordered
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import Labels
from cells import (
    EXPECTED,
    FORBIDDEN,
    GENE,
    PLACE,
    TRACE,
    checklist,
    labels,
    matrix,
    table,
    worked_example,
)

FULL, ONLY = matrix(), checklist()
EXAMPLE = {
    "precision": 0.75,
    "recall": 0.75,
    "specificity": 0.5,
    "accuracy": 4 / 6,
    "f1": 0.75,
}


def test_the_worked_example_measures_as_its_documents_print_it():
    found = KIND.locate(FULL, TRACE, worked_example())
    figures = KIND.measure(FULL, KIND.labels(FULL, TRACE, found))
    assert figures.values == pytest.approx(EXAMPLE)
    assert list(figures.values) == FULL.metrics
    asides = {"denied": 0, "wrong_evidence": 0, "omission": 0}
    assert figures.counts == {"tp": 3, "fn": 1, "fp": 1, "tn": 1, **asides}
    assert Subject(KIND, FULL, TRACE).measure_table(found).values == pytest.approx(
        EXAMPLE,
    )


def test_a_judges_tn_counts_nowhere_in_tp_only():
    given = table(tp=[GENE], tn=["x", "y"])
    assert Subject(KIND, ONLY, TRACE).measure_table(given).counts["tn"] == 0
    assert Subject(KIND, ONLY, TRACE).measure_table(given).values["precision"] == 1.0


def test_the_judge_is_measured_by_its_own_words():
    given = KIND.locate(FULL, TRACE, table(tp=["BCL2 is … survive"]))
    assert Subject(KIND, FULL, TRACE).measure_table(given).counts["tp"] == 1
    assert KIND.measure(FULL, KIND.labels(FULL, TRACE, given)).counts["tp"] == 2
    assert Subject(KIND, FULL, TRACE).measure_table({}).counts["tp"] == 0


def test_unverified_excerpts_are_counted():
    found = labels(
        FULL,
        tp=[(GENE, 1), ("BCL3", 2)],
        fp=[("nowhere", -1), (PLACE, -1)],
        fn=[4],
    )
    assert [check.name for check in KIND.checks(FULL, found)].count("unverified") == 2


def test_breaches_and_edits_are_told_in_words():
    found = KIND.checks(ONLY, labels(ONLY, fn=[1, 2, 3]))
    assert found == [
        Check(
            "breach",
            "TP instruction 4 is in neither TP nor FN: “States BCL2 is on chromosome 18”.",
        ),
    ]
    assert KIND.describe(Edit("drop", "tp"), "gene", "") == "dropped from TP: “gene”"


def test_labels_are_written_with_their_items_where_anything_is_known():
    assert KIND.write(Labels()) == {"audited": table()}
    written = KIND.write(labels(FULL, tp=[(GENE, 1)]))
    assert written["audited"]["tp"] == [GENE]
    assert written["items"] == [
        {
            "bucket": "tp",
            "index": 0,
            "instruction": 1,
            "of": "tp",
            "start": 0,
            "end": len(GENE),
        },
    ]


def test_a_trait_is_told_by_its_mode_in_words():
    assert (KIND.form(FULL), KIND.form(ONLY)) == ("full matrix", "tp only")


# -- the same checklist asked otherwise -----------------------------------------------------------


def backwards(count):
    return list(range(count))[::-1]


def test_another_order_keeps_every_instruction_and_knows_which_it_was():
    (made,) = reordered(matrix(), backwards)
    assert made.trait.tp_instructions == EXPECTED[::-1]
    assert made.trait.tn_instructions == FORBIDDEN[::-1]
    assert made.meant["tp", 1] == ("tp", 4, EXPECTED[3])
    assert made.meant["tn", 2] == ("tn", 1, FORBIDDEN[0])
    assert {meant.text for meant in made.meant.values()} == {*EXPECTED, *FORBIDDEN}


def test_a_single_instruction_has_no_other_order_and_stands_alone_already():
    one = matrix(tp_instructions=["A"], tn_instructions=["B"])
    assert reordered(one, backwards) == ()
    assert len(alone(one)) == 2
    assert alone(checklist(tp_instructions=["A"])) == ()


def test_the_contrary_of_a_checklist_has_no_hints_about_what_it_was():
    (made,) = negated(matrix())
    assert made.trait.tp_instructions[0] == f"Says that this is not so: {EXPECTED[0]}"
    assert (made.trait.fp_instructions, made.trait.full) == ([], True)
    assert made.meant["tn", 1] == ("tn", 1, FORBIDDEN[0])


def test_alone_each_instruction_of_either_list_is_asked_for_as_what_may_be_said():
    each = alone(matrix())
    assert [one.trait.tp_instructions for one in each] == [
        [text] for text in EXPECTED + FORBIDDEN
    ]
    assert not any(one.trait.full or one.trait.fp_instructions for one in each)
    assert each[4].meant == {("tp", 1): ("tn", 1, FORBIDDEN[0])}
