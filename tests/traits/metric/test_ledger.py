"""Which instructions are answered once, which items answer none."""

import pytest

from appellate.traits.metric.labels import Item, Labels
from appellate.traits.metric.ledger import breaches, doubts, evidence_of, status
from cells import CANCER, EXPECTED, GENE, PLACE, RESPONSE, SURVIVE, checklist, item, labels, matrix

FULL, ONLY = matrix(), checklist()
GOOD = labels(FULL, tp=[(GENE, 1), (SURVIVE, 2), (CANCER, 3)], fn=[4], fp=[(PLACE, -1)], tn=[-2])


def sentences(trait, found: Labels) -> list[str]:
    return [breach.sentence for breach in breaches(trait, found)]


def test_a_settled_ledger_has_no_breaches():
    assert sentences(FULL, GOOD) == []
    assert status(FULL, GOOD) == (6, 6, [])


def test_an_instruction_in_tp_and_fn_is_in_both():
    both = labels(
        FULL, tp=[(GENE, 1), (SURVIVE, 2), (CANCER, 3)], fn=[1, 4], fp=[(PLACE, -1)], tn=[-2]
    )
    assert sentences(FULL, both) == ["TP instruction 1 is in both TP and FN."]


def test_an_instruction_nowhere_is_in_neither():
    assert sentences(ONLY, labels(ONLY, fn=[1, 2, 3])) == [
        "TP instruction 4 is in neither TP nor FN."
    ]


@pytest.mark.parametrize("tn", [[-1, -2], []])
def test_tn_instructions_are_held_to_fp_or_tn_in_full_matrix_alone(tn):
    found = Labels(GOOD.tp, GOOD.fn, GOOD.fp, labels(FULL, tn=tn).tn)
    (breach,) = breaches(FULL, found)
    assert breach.link == (("tn", 1) if tn else ("tn", 2))
    assert ("both FP and TN" if tn else "neither FP nor TN") in breach.sentence
    assert sentences(ONLY, found) == []


def test_every_item_should_be_linked_save_an_fp_of_tp_only():
    found = labels(
        FULL, tp=[(GENE, 1), (SURVIVE, 2), (CANCER, 3), ("gene", None)], fn=[4], fp=[(PLACE, None)]
    )
    assert sentences(ONLY, found) == [
        "TP “gene” answers no instruction; link it ({item.relink:i}) or drop it ({item.drop:d})."
    ]
    assert len([s for s in sentences(FULL, found) if "answers no instruction" in s]) == 2


def test_several_excerpts_and_repeats_cover_an_instruction_once():
    found = labels(ONLY, tp=[(GENE, 1), (GENE, 1), ("gene", 2)], fn=[3, 4])
    assert sentences(ONLY, found) == []
    assert status(ONLY, found)[:2] == (4, 4)


def test_a_hint_covers_nothing():
    assert status(FULL, labels(FULL, fp=[(PLACE, "~1")]))[:2] == (0, 6)


def test_breaches_change_no_number():
    assert FULL.measure(labels(FULL, tp=[(GENE, 1)], fn=[1]).texts())["recall"] == 0.5


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
        (STOOD.put("tn", ()), "TN instruction 1 is in neither FP nor TN (and 1 more)."),
        (STOOD.put("tp", (*STOOD.tp, Item("x", "tp", 2))), "1 excerpt is not in the response."),
        (
            STOOD.put("tp", (*STOOD.tp, Item("x", "tp", 2), Item("y"))),
            (
                "TP “y” answers no instruction; link it ({item.relink:i}) or drop it ({item.drop:d})."
                " 2 excerpts are not in the response."
            ),
        ),
        (STOOD.put("tp", (*STOOD.tp, Item(FULL.tp_instructions[1], "tp", 2))), ""),
    ],
    ids=["all is well", "ledger", "unverified", "both", "a person said that there is no evidence"],
)
def test_what_speaks_against_a_sign_off(found, told):
    assert doubts(FULL, found) == told
