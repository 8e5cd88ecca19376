"""What the metric kind supplies: figures from the items that count, however the lists came about."""

import pytest

from appellate.traits.metric import KIND
from appellate.traits.metric.labels import Labels
from cells import GENE, PLACE, RESPONSE, after, checklist, item, labels, matrix, table, worked_example

FULL, ONLY = matrix(), checklist()
EXAMPLE = {"precision": 0.75, "recall": 0.75, "specificity": 0.5, "accuracy": 4 / 6, "f1": 0.75}


def test_the_worked_example_measures_as_its_documents_print_it():
    found = KIND.locate(FULL, RESPONSE, worked_example())
    figures = KIND.measure(FULL, KIND.labels(FULL, RESPONSE, found))
    assert figures.values == pytest.approx(EXAMPLE)
    assert list(figures.values) == FULL.metrics
    assert figures.counts == {"tp": 3, "fn": 1, "fp": 1, "tn": 1}
    assert KIND.measure_table(FULL, found).values == pytest.approx(EXAMPLE)


def test_blank_labels_are_undefined_and_not_bad():
    figures = KIND.measure(FULL, KIND.blank())
    assert set(figures.values.values()) == {0.0}
    assert figures.undefined == set(FULL.metrics)
    assert KIND.is_blank(KIND.blank())
    assert not KIND.is_blank(Labels(tp=(item(GENE),)))


def test_a_repeat_is_not_counted_and_counts_when_the_counted_one_leaves():
    twice = labels(FULL, tp=[(GENE, 1), (f" {GENE.upper()}", 1), ("  ", 1)])
    assert KIND.measure(FULL, twice).counts["tp"] == 1
    rest = after(FULL, twice, action="drop", bucket="tp")
    assert len(rest.tp) == 2
    assert KIND.measure(FULL, rest).counts["tp"] == 1
    assert KIND.measure(matrix(repeated_extraction=False), twice).counts["tp"] == 3


def test_a_judges_tn_counts_nowhere_in_tp_only():
    given = table(tp=[GENE], tn=["x", "y"])
    assert KIND.measure_table(ONLY, given).counts["tn"] == 0
    assert KIND.measure_table(ONLY, given).values["precision"] == 1.0


def test_the_judge_is_measured_by_its_own_words():
    given = KIND.locate(FULL, RESPONSE, table(tp=["BCL2 is … survive"]))
    assert KIND.measure_table(FULL, given).counts["tp"] == 1
    assert KIND.measure(FULL, KIND.labels(FULL, RESPONSE, given)).counts["tp"] == 2
    assert KIND.measure_table(FULL, {}).counts["tp"] == 0


def test_unverified_excerpts_are_counted():
    found = labels(FULL, tp=[(GENE, 1), ("BCL3", 2)], fp=[("nowhere", -1), (PLACE, -1)], fn=[4])
    assert KIND.unverified(found) == 2


def test_breaches_and_edits_are_told_in_words():
    assert KIND.breaches(ONLY, labels(ONLY, fn=[1, 2, 3])) == ["TP instruction 4 is in neither TP nor FN."]
    assert KIND.tell({"action": "drop", "bucket": "tp"}, "gene", "") == "dropped from TP: “gene”"


def test_labels_are_written_with_their_items_where_anything_is_known():
    assert KIND.written(Labels()) == {"audited": table()}
    written = KIND.written(labels(FULL, tp=[(GENE, 1)]))
    assert written["audited"]["tp"] == [GENE]
    assert written["items"] == [
        {"bucket": "tp", "index": 0, "instruction": 1, "of": "tp", "start": 0, "end": len(GENE)}
    ]
