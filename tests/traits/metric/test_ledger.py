"""Which instructions are answered once, which items answer none."""

import pytest

from appellate.traits.metric.labels import Item
from appellate.traits.metric.ledger import breaches, doubts, evidence_of, settled
from cells import (
    CANCER,
    EXPECTED,
    FORBIDDEN,
    GENE,
    PLACE,
    RESPONSE,
    SURVIVE,
    checklist,
    confusion,
    item,
    labels,
    matrix,
)

FULL, ONLY = matrix(), checklist()
ALL = {
    "tp": [(GENE, 1), (SURVIVE, 2), (CANCER, 3)],
    "fn": [4],
    "fp": [(PLACE, -1)],
    "tn": [-2],
}
ADDS, DROPS = "; {item.missing:m} adds it.", "; {item.drop:d} drops one of them."
BOTH, NEITHER, NOWHERE = (
    f"TN instruction 1 is in both FP and TN: “{FORBIDDEN[0]}”{DROPS}",
    f"TN instruction 2 is in neither FP nor TN: “{FORBIDDEN[1]}”{ADDS}",
    f"TN instruction 1 is in neither FP nor TN: “{FORBIDDEN[0]}”{ADDS}",
)
TWICE = f"TP instruction 1 is in both TP and FN: “{EXPECTED[0]}”{DROPS}"
LAST = f"TP instruction 4 is in neither TP nor FN: “{EXPECTED[3]}”{ADDS}"
LOOSE = " answers no instruction; link it ({item.relink:i}) or drop it ({item.drop:d})."
STRAY = {**ALL, "tp": [*ALL["tp"], ("gene", None)], "fp": [*ALL["fp"], ("cells", None)]}


@pytest.mark.parametrize(
    ("trait", "given", "answered", "sentences"),
    [
        (FULL, ALL, (6, 6), []),
        (FULL, {**ALL, "fn": [1, 4]}, (5, 6), [TWICE]),
        (ONLY, {"fn": [1, 2, 3]}, (3, 4), [LAST]),
        # TN instructions are held to FP or TN in full_matrix alone
        (FULL, {**ALL, "tn": [-1, -2]}, (5, 6), [BOTH]),
        (FULL, {**ALL, "tn": []}, (5, 6), [NEITHER]),
        (ONLY, {**ALL, "tn": [-1, -2]}, (4, 4), []),
        (ONLY, {**ALL, "tn": []}, (4, 4), []),
        # every item should be linked, save an FP of tp_only
        (ONLY, STRAY, (4, 4), [f"TP “gene”{LOOSE}"]),
        (FULL, STRAY, (6, 6), [f"TP “gene”{LOOSE}", f"FP “cells”{LOOSE}"]),
        # several excerpts and repeats cover an instruction once
        (ONLY, {"tp": [(GENE, 1), (GENE, 1), ("gene", 2)], "fn": [3, 4]}, (4, 4), []),
        # a hint covers nothing
        (FULL, {**ALL, "fp": [(PLACE, "~1")]}, (5, 6), [NOWHERE]),
    ],
)
def test_each_instruction_is_answered_once_and_each_item_answers_one(
    trait,
    given,
    answered,
    sentences,
):
    found = labels(FULL, **given)
    assert breaches(trait, found) == sentences
    assert settled(trait, found) == answered


def test_a_breach_is_told_off_the_screen_without_keys():
    found = labels(FULL, **{**ALL, "tp": [*ALL["tp"], ("gene", None)], "tn": []})
    assert breaches(FULL, found, on_screen=False) == [
        f"TN instruction 2 is in neither FP nor TN: “{FORBIDDEN[1]}”.",
        "TP “gene” answers no instruction.",
    ]


def test_breaches_change_no_number():
    assert (
        FULL.measure(confusion(labels(FULL, tp=[(GENE, 1)], fn=[1])))["recall"] == 0.5
    )


def test_an_excerpt_is_verified_unverified_or_has_no_evidence():
    assert evidence_of(FULL, "tp", item(GENE, 1)) == "verified"
    assert evidence_of(FULL, "tp", item("BCL3", 1)) == "unverified"
    assert evidence_of(FULL, "fp", item("BCL3")) == "unverified"
    assert evidence_of(FULL, "tp", Item(EXPECTED[0], "tp", 1)) == "no evidence"
    assert evidence_of(FULL, "fn", Item(EXPECTED[0], "tp", 1)) == ""
    assert RESPONSE.startswith(GENE)


STOOD = labels(FULL, tp=[(GENE, 1), (SURVIVE, 2)], fn=[3, 4], tn=[-1, -2])


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (STOOD, ""),
        (STOOD.put("tn", ()), f"{NOWHERE} And 1 more."),
        (
            STOOD.put("tp", (*STOOD.tp, Item("x", "tp", 2))),
            "1 excerpt is not in the response.",
        ),
        (
            STOOD.put("tp", (*STOOD.tp, Item("x", "tp", 2), Item("y"))),
            (
                "TP “y” answers no instruction; link it ({item.relink:i}) or drop it ({item.drop:d})."
                " 2 excerpts are not in the response."
            ),
        ),
        (STOOD.put("tp", (*STOOD.tp, Item(FULL.tp_instructions[1], "tp", 2))), ""),
    ],
    ids=[
        "all is well",
        "ledger",
        "unverified",
        "both",
        "a person said that there is no evidence",
    ],
)
def test_what_speaks_against_a_sign_off(found, told):
    assert doubts(FULL, found) == told
