"""Every row of the table of corrections, in both modes, and what is refused with which advice."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appellate.core.problem import Refused
from appellate.traits.metric import edits, ledger
from appellate.traits.metric.edits import Edit
from appellate.traits.metric.labels import BUCKETS, Item, Labels
from appellate.traits.metric.spec import MetricRubricTrait
from cells import (
    CANCER,
    EXPECTED,
    GENE,
    PLACE,
    RESPONSE,
    SURVIVE,
    TRACE,
    after,
    any_edit,
    checklist,
    confusion,
    do,
    item,
    labels,
    likely_edit,
    marks,
    matrix,
    of_mark,
    refusal,
)

ONLY, FULL = checklist(), matrix()
EACH = (ONLY, FULL)
BOTH = pytest.mark.parametrize("trait", EACH, ids=["tp_only", "full_matrix"])
TWICE = {"tp": [(GENE, 1), ("BCL2", 1)]}
TWO_FP = {"fp": [(PLACE, -1), (GENE, -1)]}
UNLINKED = {"fp": [(PLACE, None)]}
IS, A_GENE, WHOLE = "BCL2 is", "an anti-apoptotic gene", f"{GENE} that {SURVIVE}"


def standing(trait: MetricRubricTrait) -> Labels:
    """TP 1 2 3, FN 4; in full_matrix also FP −1, TN −2."""
    tp = [(GENE, 1), (SURVIVE, 2), (CANCER, 3)]
    if not trait.full:
        return labels(trait, tp=tp, fn=[4])
    return labels(trait, tp=tp, fn=[4], fp=[(PLACE, -1)], tn=[-2])


def cases(*rows):
    """A row for each trait it is of, with all that is behind the edit in one."""
    each = [(trait, *rest) for traits, *rest in rows for trait in traits]
    return [
        pytest.param(*row[:3], row[3:], id=f"{row[2]['action']}-{place}")
        for place, row in enumerate(each)
    ]


def labelled(trait, before):
    """Labels as a row gives them: short items by bucket, the labels themselves, or the usual ones."""
    if before is None:
        return standing(trait)
    return before if isinstance(before, Labels) else labels(trait, **before)


# -- what an edit does -----------------------------------------------------------------------------

# of which traits, before, the edit, the marks of the buckets that change (0 for none), and items there
EFFECTS = cases(
    # TP → FN takes the excerpt out and puts the instruction into FN, once
    (EACH, None, do("move tp1 fn"), "tp 1 3, fn 2 4", {"fn0": of_mark(FULL, 2)}),
    (EACH, {"tp": [(GENE, 4)], "fn": [4]}, do("move tp fn"), "tp, fn 4"),
    # TP → FP: in tp_only it keeps its link, else it has the one picked, which leaves TN
    ([ONLY], None, do("move tp fp"), "tp 2 3, fn 1 4, fp 1", {"fp0": item(GENE, 1)}),
    (
        [FULL],
        None,
        do("move tp fp", -2),
        "tp 2 3, fn 1 4, fp -1 -2, tn",
        {"fp1": item(GENE, -2)},
    ),
    ([FULL], None, do("move tp fp"), "tp 2 3, fn 1 4, fp -1 0"),
    ([FULL], None, do("move tp fp", "~2"), "tp 2 3, fn 1 4, fp ~2 -1"),
    ([ONLY], TWICE, do("move tp fp"), "tp 1, fp 1"),
    ([FULL], TWICE, do("move tp fp"), "tp 1, fp 0"),
    # FP → TP takes i out of FN and gives j back to TN while no other FP matches it
    (
        [FULL],
        None,
        do("move fp tp", 4),
        "tp 1 2 3 4, fn, fp, tn -1 -2",
        {"tp3": item(PLACE, 4)},
    ),
    ([FULL], {**TWO_FP, "fn": [4]}, do("move fp tp", 4), "tp 4, fn, fp -1"),
    ([ONLY], {"fp": [(PLACE, 4)], "fn": [4]}, do("move fp tp", 4), "tp 4, fn, fp"),
    # FN → TP and TN → FP take the evidence selected, else the instruction's words
    (
        EACH,
        None,
        do("move fn tp", words=PLACE),
        "tp 1 2 3 4, fn",
        {"tp3": item(PLACE, 4)},
    ),
    (EACH, None, do("move fn tp"), "tp 1 2 3 4, fn", {"tp3": of_mark(FULL, 4)}),
    (
        EACH,
        Labels(fn=(Item("something else"),)),
        do("move fn tp", 2, SURVIVE),
        "tp 2, fn",
    ),
    ([FULL], None, do("move tn fp", words=GENE), "fp -1 -2, tn"),
    ([FULL], None, do("move tn fp"), "fp -1 -2, tn", {"fp1": of_mark(FULL, -2)}),
    ([FULL], None, do("move fp tn"), "fp, tn -1 -2"),
    # words are added with their instruction, whose FN or TN leaves, or with none; half a link is none
    (
        EACH,
        None,
        do("add tp", 4, "survive"),
        "tp 1 2 3 4, fn",
        {"tp3": item("survive", 4)},
    ),
    ([FULL], None, do("add fp", -2, GENE), "fp -1 -2, tn"),
    ([ONLY], None, do("add fp", 4, PLACE), "fp 4"),
    (EACH, None, do("add tp", words="cells"), "tp 1 2 3 0", {"tp3": item("cells")}),
    ([ONLY], None, do("add fp", words="cells"), "fp 0", {"fp0": item("cells")}),
    ([FULL], None, do("add fp", words="cells"), "fp -1 0", {"fp1": item("cells")}),
    (EACH, {}, do("add tp", words="gene", of="tp"), "tp 0", {"tp0": item("gene")}),
    (EACH, {}, do("add tp", 1), "tp 1", {"tp0": of_mark(FULL, 1)}),
    (EACH, {}, do("add fn", 2), "fn 2", {"fn0": of_mark(FULL, 2)}),
    ([FULL], {}, do("add tn", -2), "tn -2"),
    # relinking has the old link's and the new link's effects; an FP of tp_only moves nothing else
    (EACH, None, do("relink tp", 4), "tp 2 3 4, fn 1"),
    ([FULL], None, do("relink fp", -2), "fp -2, tn -1"),
    (EACH, None, do("relink tp"), "tp 2 3 0, fn 1 4"),
    ([ONLY], {"fp": [(PLACE, 4)], "fn": [1, 4]}, do("relink fp", 1), "fp 1"),
    ([ONLY], UNLINKED, do("relink fp", "~2"), "fp ~2"),
    (
        EACH,
        Labels(fn=(Item("x"),)),
        do("relink fn", 3),
        "fn 3",
        {"fn0": of_mark(FULL, 3)},
    ),
    # a reworded item is looked up again and keeps its link
    (
        EACH,
        None,
        do("reword tp", text=" bcl2 IS an "),
        "",
        {"tp0": item("BCL2 is an", 1)},
    ),
    (EACH, None, do("reword tp", text="BCL3"), "", {"tp0": Item("BCL3", "tp", 1)}),
    # a drop of the last excerpt gives its instruction back; of a wrong candidate or a hint none
    (EACH, None, do("drop tp1"), "tp 1 3, fn 2 4"),
    (EACH, TWICE, do("drop tp"), "tp 1", {"tp0": item("BCL2", 1)}),
    (EACH, {"tp": [*TWICE["tp"], ("cancer", None)]}, do("drop tp2"), "tp 1 1"),
    ([FULL], None, do("drop fp"), "fp, tn -1 -2"),
    ([ONLY], {"fp": [(PLACE, 4)], "fn": [4]}, do("drop fp"), "fp"),
    ([FULL], {"fp": [(PLACE, "~1")], "tn": [-2]}, do("drop fp"), "fp"),
    (EACH, None, do("drop tp", seen=GENE), "tp 2 3, fn 1 4"),
    # a drop from FN mends what a judge left untidy: twice in FN, in TP too, of nothing, beyond the list
    ([FULL], {"fn": [4, 4]}, do("drop fn"), "fn 4"),
    ([FULL], {"tp": [(GENE, 1)], "fn": [1, 4]}, do("drop fn"), "fn 4"),
    ([FULL], Labels(fn=(Item("nothing of the rubric"),)), do("drop fn"), "fn"),
    ([FULL], Labels(fn=(Item("beyond it", "tp", 9),)), do("drop fn"), "fn"),
    # parts of a split keep link and offsets; a merge spans both, or joins words that are unverified
    (
        EACH,
        None,
        do("split tp", cut=7),
        "tp 1 1 2 3",
        {"tp0": item(IS, 1), "tp1": item(A_GENE, 1)},
    ),
    (
        EACH,
        {"tp": [("a b", 1)]},
        do("split tp", cut=1),
        "tp 1 1",
        {"tp1": Item("b", "tp", 1)},
    ),
    (
        EACH,
        {"tp": [(SURVIVE, 1), (GENE, 1)]},
        do("merge tp"),
        "tp 1",
        {"tp0": item(WHOLE, 1)},
    ),
    (
        EACH,
        {"tp": [(GENE, 1), ("x", 1)]},
        do("merge tp"),
        "tp 1",
        {"tp0": item(f"{GENE} … x", 1)},
    ),
)


@pytest.mark.parametrize(("trait", "before", "edit", "then"), EFFECTS)
def test_an_edit_changes_its_buckets_and_no_other(trait, before, edit, then):
    was, (changed, *items) = labelled(trait, before), then
    found = after(trait, was, **edit)
    now = {name: marks(was).get(name, []) for name in BUCKETS}
    for bucket, *held in map(str.split, filter(None, changed.split(","))):
        now[bucket] = [one if "~" in one else int(one) or None for one in held]
    assert {name: marks(found).get(name, []) for name in BUCKETS} == now
    for place, wanted in items[0].items() if items else ():
        assert found.bucket(place[:2])[int(place[2:])] == wanted


# -- what is refused -------------------------------------------------------------------------------

LEDGER = "An instruction cannot leave the checklist: move it to {} if the response says it, else leave it in {}."
WRONG = {"tp": [(GENE, 1)], "fp": [(PLACE, None)]}
BLANK = Labels(tp=(Item("    words", "tp", 1),))
REFUSED = cases(
    (EACH, TWICE, do("move tp fn"), "drop this one"),
    (EACH, {"tp": [(GENE, None)]}, do("move tp fn"), "link it first"),
    (EACH, {"tp": [(GENE, None)]}, do("move tp fn"), "drop it"),
    ([FULL], TWO_FP, do("move fp tn"), "drop this one"),
    ([FULL], UNLINKED, do("move fp tn"), "TN instruction"),
    ([FULL], {"fp": [(PLACE, "~1")]}, do("move fp tn"), "link it first"),
    # evidence must be words of the response
    (EACH, None, do("move fn tp", start=4, end=4), "does not lie"),
    (EACH, None, do("move fn tp", start=4), "does not lie"),
    (EACH, None, do("move fn tp", start=-3, end=4), "does not lie"),
    (EACH, None, do("move fn tp", start=0, end=10_000), "does not lie"),
    (EACH, None, do("move fn tp", start=4, end=5), "white space"),
    # other moves, with what to do instead
    ([FULL], None, do("move tp tn"), "move it to FP"),
    ([FULL], None, do("move fn fp"), "select the wrong words"),
    ([FULL], None, do("move fn tn"), "cannot go there"),
    ([FULL], None, do("move fp fn"), "drop it"),
    ([FULL], None, do("move tn tp"), "select the words that are right"),
    ([FULL], None, do("move tn fn"), "cannot go there"),
    ([FULL], None, do("move tp tp"), "already"),
    ([FULL], None, do("move tp"), "where"),
    # there is no TN in tp_only
    ([ONLY], WRONG, do("move tp tn"), "tp_only, so there is no TN: move it to FP"),
    ([ONLY], WRONG, do("move fp tn"), "tp_only, so there is no TN: drop it"),
    ([ONLY], WRONG, do("add tn", -1), "tp_only, so there is no TN: leave it out"),
    ([ONLY], WRONG, do("drop tn"), "tp_only, so there is no TN"),
    # an excerpt needs a selection, but for an instruction that stands nowhere, and that once
    (EACH, {}, do("add tp"), "Select"),
    (EACH, {}, do("add tp", start=4, end=5), "white space"),
    (EACH, {"tp": [(EXPECTED[0], 1)]}, do("add tp", 1), "Select"),
    (EACH, {}, do("add fp", "~1"), "Select"),
    (EACH, None, do("add fn", 1), "has an excerpt in TP: move or drop"),
    (EACH, None, do("add fn", 4), "already"),
    (EACH, None, do("add fn"), "pick one"),
    ([FULL], None, do("add tn", -1), "FP"),
    # an addition goes nowhere else, so that what it answers must be of its own bucket
    (EACH, {}, do("add fn fp", "~1"), "FN answers a TP"),
    ([FULL], {}, do("add fn tn", -1), "FN answers a TP"),
    # a link must be another one, of a list that the bucket answers
    (EACH, None, do("relink fn"), "pick one"),
    (EACH, None, do("relink fn", 1), "TP"),
    (EACH, None, do("relink tp", 1), "already"),
    (EACH, None, do("relink tp", "~1"), "answers a TP"),
    (EACH, None, do("relink tp", 5), "no TP instruction 5"),
    (EACH, None, do("relink tp", of="tp", instruction=0), "no TP instruction 0"),
    ([FULL], None, do("relink fp", 1), "TN or FP"),
    ([ONLY], WRONG, do("relink fp", -1), "no TN instruction"),
    (EACH, None, do("relink fn fp", "~1"), "FN answers a TP"),
    # words, other ones, and not the rubric's
    (EACH, None, do("reword tp", text="  "), "needs words"),
    (EACH, None, do("reword tp"), "needs words"),
    (EACH, None, do("reword tp", text=GENE.upper()), "already"),
    (EACH, None, do("reword fn", text="x"), "relink"),
    (EACH, None, do("split fn", cut=3), "split"),
    (EACH, None, do("merge fn"), "merged"),
    (EACH, None, do("merge tp"), "relink one"),
    (EACH, None, do("merge tp2"), "below"),
    *(
        (EACH, BLANK, do("split tp", cut=cut), "both sides")
        for cut in (None, -3, 0, 4, 1000)
    ),
    # no instruction is dropped out of the ledger, nor another item than the one that was seen
    ([FULL], None, do("drop fn"), LEDGER.format("TP (1)", "FN")),
    ([FULL], None, do("drop tn"), LEDGER.format("FP (3)", "TN")),
    (EACH, None, do("drop tp", seen=SURVIVE), "changed in the meantime"),
    (EACH, None, do("drop tp9"), "no item 10"),
)


@pytest.mark.parametrize(("trait", "before", "edit", "advice"), REFUSED)
def test_what_cannot_be_is_refused_with_what_to_do_instead(trait, before, edit, advice):
    assert advice[0] in refusal(trait, labelled(trait, before), **edit)


# -- more of single edits --------------------------------------------------------------------------


@BOTH
def test_a_reworded_item_takes_no_place_that_its_instruction_uses_already(trait):
    response = "gene and gene and Gene"
    two = Labels(tp=(Item("gene", "tp", 1, 0, 4), Item("other", "tp", 1)))
    found = after(
        trait,
        two,
        response,
        action="reword",
        bucket="tp",
        index=1,
        text="gene",
    )
    assert found.tp[1].span == (9, 13)
    third = Labels(tp=found.tp, fp=(Item("other", "tp", 1),))
    last = after(trait, third, response, action="reword", bucket="fp", text="gene")
    assert last.fp[0].span == (18, 22)


@BOTH
def test_a_reworded_ellipsis_becomes_two_excerpts(trait):
    edit = Edit("reword", "tp", text="BCL2 is … survive")
    outcome = edits.apply(trait, TRACE, standing(trait), edit)
    assert marks(outcome.labels)["tp"] == [1, 1, 2, 3]
    assert outcome.after == "BCL2 is | survive"


@settings(deadline=None)
@given(edit=likely_edit(), more=likely_edit())
def test_no_edit_takes_an_instruction_out_of_the_ledger(edit, more):
    before = standing(FULL)
    for one in (edit, more):
        try:
            before = after(FULL, before, **one)
        except Refused:
            continue
    assert not [told for told in ledger.breaches(FULL, before) if "neither" in told]


def test_an_edit_kept_by_an_earlier_version_drops_no_more_than_it_says():
    before = standing(FULL)
    for bucket in BUCKETS:
        found = edits.apply(FULL, TRACE, before, Edit("drop", bucket)).labels
        assert found == before.put(bucket, before.bucket(bucket)[1:])


# -- laws -----------------------------------------------------------------------------------------


@BOTH
@given(st.lists(any_edit() | likely_edit(), max_size=12))
def test_any_edits_are_refused_or_yield_labels_that_can_be_measured_and_told(
    trait,
    story,
):
    found = standing(trait)
    for edit in story:
        try:
            outcome = edits.apply(trait, TRACE, found, Edit.from_row(edit))
        except Refused as refused:
            assert str(refused)  # noqa: PT017 - a law: any refusal says why
            continue
        found = outcome.labels
        trait.measure(confusion(found))
        _check_items(trait, found)


def _check_items(trait: MetricRubricTrait, found: Labels) -> None:
    for name in BUCKETS:
        for one in found.bucket(name):
            assert one.text.strip()
            assert one.span is None or RESPONSE[slice(*one.span)] == (
                one.denied or one.text
            )
            assert one.link is None or 1 <= one.link[1] <= len(
                trait.instructions(one.link[0]),
            )


@BOTH
@given(st.lists(likely_edit(), max_size=8))
def test_moves_adds_and_relinks_keep_a_settled_ledger_settled(trait, story):
    found = standing(trait)
    for edit in story:
        if edit["action"] not in ("move", "add", "relink", "deny", "omit"):
            continue
        try:
            found = after(trait, found, **edit)
        except Refused:
            continue
        _check_settled(trait, found)


def _check_settled(trait: MetricRubricTrait, found: Labels) -> None:
    for of, yes, no in (("tp", "tp", "fn"), ("tn", "fp", "tn")):
        for number in range(1, len(trait.instructions(of)) + 1):
            assert found.has(yes, (of, number)) != found.has(no, (of, number))


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ({"bucket": "tp"}, "missing required field `action`"),
        ({"action": "drop"}, "missing required field `bucket`"),
        ({"action": "set", "bucket": "tp"}, "Invalid enum value 'set'"),
        ({"action": "drop", "bucket": "xx"}, "Invalid enum value 'xx'"),
        ({"action": "drop", "bucket": "tp", "index": "1"}, "`int`, got `str`"),
    ],
)
def test_what_is_no_edit_cannot_be_read(row, wrong):
    with pytest.raises(ValueError, match=f"no edit of a metric trait: .*{wrong}"):
        Edit.from_row(row)
