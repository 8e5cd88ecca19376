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
    FORBIDDEN,
    GENE,
    PLACE,
    RESPONSE,
    SURVIVE,
    TRACE,
    after,
    any_edit,
    checklist,
    item,
    labels,
    likely_edit,
    link,
    marks,
    matrix,
    of_mark,
    select,
)

BOTH = pytest.mark.parametrize("trait", [checklist(), matrix()], ids=["tp_only", "full_matrix"])
FULL = matrix()
ONLY = checklist()


def standing(trait: MetricRubricTrait) -> Labels:
    """TP 1 2 3, FN 4; in full_matrix also FP −1, TN −2."""
    tp = [(GENE, 1), (SURVIVE, 2), (CANCER, 3)]
    if not trait.full:
        return labels(trait, tp=tp, fn=[4])
    return labels(trait, tp=tp, fn=[4], fp=[(PLACE, -1)], tn=[-2])


def refusal(trait: MetricRubricTrait, before: Labels, **edit: object) -> str:
    with pytest.raises(Refused) as refused:
        after(trait, before, **edit)
    return str(refused.value)


# -- TP → FN --------------------------------------------------------------------------------------


@BOTH
def test_tp_to_fn_takes_the_excerpt_out_and_puts_the_instruction_into_fn(trait):
    found = after(trait, standing(trait), action="move", bucket="tp", index=1, to="fn")
    assert marks(found)["tp"] == [1, 3]
    assert marks(found)["fn"] == [2, 4]
    assert found.fn[0] == Item(EXPECTED[1], "tp", 2)


@BOTH
def test_tp_to_fn_is_refused_while_another_excerpt_answers_the_instruction(trait):
    twice = labels(trait, tp=[(GENE, 1), ("BCL2", 1)])
    assert "drop this one" in refusal(trait, twice, action="move", bucket="tp", to="fn")


@BOTH
def test_tp_to_fn_of_an_unlinked_excerpt_says_what_to_do(trait):
    told = refusal(trait, labels(trait, tp=[(GENE, None)]), action="move", bucket="tp", to="fn")
    assert "link it first" in told
    assert "drop it" in told


@BOTH
def test_tp_to_fn_does_not_put_an_instruction_into_fn_twice(trait):
    both = labels(trait, tp=[(GENE, 4)], fn=[4])
    assert marks(after(trait, both, action="move", bucket="tp", to="fn")) == {"fn": [4]}


# -- TP → FP --------------------------------------------------------------------------------------


def test_tp_to_fp_in_tp_only_keeps_excerpt_offsets_and_link_and_fills_fn():
    before = standing(ONLY)
    found = after(ONLY, before, action="move", bucket="tp", index=0, to="fp")
    assert marks(found) == {"tp": [2, 3], "fn": [1, 4], "fp": [1]}
    assert found.fp[0] == before.tp[0]


def test_tp_to_fp_in_full_matrix_takes_the_picked_instruction_out_of_tn():
    found = after(FULL, standing(FULL), action="move", bucket="tp", index=0, to="fp", **link(-2))
    assert marks(found) == {"tp": [2, 3], "fn": [1, 4], "fp": [-1, -2]}
    assert found.fp[1].span == (0, len(GENE))


def test_tp_to_fp_in_full_matrix_may_pick_none():
    found = after(FULL, standing(FULL), action="move", bucket="tp", index=0, to="fp")
    assert marks(found) == {"tp": [2, 3], "fn": [1, 4], "fp": [-1, None], "tn": [-2]}


@BOTH
def test_tp_to_fp_leaves_fn_alone_while_another_excerpt_covers_the_instruction(trait):
    twice = labels(trait, tp=[(GENE, 1), ("BCL2", 1)])
    found = after(trait, twice, action="move", bucket="tp", to="fp")
    assert "fn" not in marks(found)


def test_tp_to_fp_may_pick_a_hint():
    found = after(FULL, standing(FULL), action="move", bucket="tp", index=0, to="fp", **link("~2"))
    assert marks(found)["fp"] == ["~2", -1]


# -- FP → TP --------------------------------------------------------------------------------------


def test_fp_to_tp_in_full_matrix_takes_i_out_of_fn_and_gives_j_back_to_tn():
    found = after(FULL, standing(FULL), action="move", bucket="fp", to="tp", **link(4))
    assert marks(found) == {"tp": [1, 2, 3, 4], "tn": [-1, -2]}
    assert found.tp[3].text == PLACE
    assert found.tp[3].span == item(PLACE).span


def test_fp_to_tp_leaves_tn_alone_while_another_fp_matches_j():
    twice = labels(FULL, fp=[(PLACE, -1), (GENE, -1)], fn=[4])
    assert marks(after(FULL, twice, action="move", bucket="fp", to="tp", **link(4))) == {
        "tp": [4],
        "fp": [-1],
    }


def test_fp_to_tp_in_tp_only_takes_i_out_of_fn():
    before = labels(ONLY, fp=[(PLACE, 4)], fn=[4])
    assert marks(after(ONLY, before, action="move", bucket="fp", to="tp", **link(4))) == {"tp": [4]}


# -- FN → TP, TN → FP, FP → TN --------------------------------------------------------------------


@BOTH
def test_fn_to_tp_takes_the_selected_evidence(trait):
    found = after(trait, standing(trait), action="move", bucket="fn", to="tp", **select(PLACE))
    assert marks(found)["tp"] == [1, 2, 3, 4]
    assert "fn" not in marks(found)
    assert found.tp[3] == item(PLACE, 4)


@BOTH
def test_fn_to_tp_without_evidence_keeps_the_instructions_words_and_no_offsets(trait):
    found = after(trait, standing(trait), action="move", bucket="fn", to="tp")
    assert found.tp[3] == Item(EXPECTED[3], "tp", 4)


@BOTH
def test_an_unlinked_fn_gets_the_link_picked_on_its_way(trait):
    stray = Labels(fn=(Item("something else"),))
    found = after(trait, stray, action="move", bucket="fn", to="tp", **link(2), **select(SURVIVE))
    assert marks(found) == {"tp": [2]}


@BOTH
@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        ({"start": 4, "end": 4}, "does not lie"),
        ({"start": 4}, "does not lie"),
        ({"start": -3, "end": 4}, "does not lie"),
        ({"start": 0, "end": 10_000}, "does not lie"),
        ({"start": 4, "end": 5}, "white space"),
    ],
)
def test_evidence_must_be_words_of_the_response(trait, evidence, told):
    assert told in refusal(trait, standing(trait), action="move", bucket="fn", to="tp", **evidence)


def test_tn_to_fp_takes_evidence_and_the_tn_item_leaves():
    found = after(FULL, standing(FULL), action="move", bucket="tn", to="fp", **select(GENE))
    assert marks(found)["fp"] == [-1, -2]
    assert "tn" not in marks(found)
    assert (
        after(FULL, standing(FULL), action="move", bucket="tn", to="fp").fp[1].text == FORBIDDEN[1]
    )


def test_fp_to_tn_is_as_tp_to_fn():
    assert marks(after(FULL, standing(FULL), action="move", bucket="fp", to="tn"))["tn"] == [-1, -2]
    twice = labels(FULL, fp=[(PLACE, -1), (GENE, -1)])
    assert "drop this one" in refusal(FULL, twice, action="move", bucket="fp", to="tn")
    unlinked = labels(FULL, fp=[(PLACE, None)])
    assert "TN instruction" in refusal(FULL, unlinked, action="move", bucket="fp", to="tn")
    hinted = labels(FULL, fp=[(PLACE, "~1")])
    assert "link it first" in refusal(FULL, hinted, action="move", bucket="fp", to="tn")


# -- other moves ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "advice"),
    [
        (("tp", "tn"), "move it to FP"),
        (("fn", "fp"), "select the wrong words"),
        (("fn", "tn"), "cannot go there"),
        (("fp", "fn"), "drop it"),
        (("tn", "tp"), "select the words that are right"),
        (("tn", "fn"), "cannot go there"),
        (("tp", "tp"), "already"),
    ],
)
def test_other_moves_are_refused_with_what_to_do_instead(way, advice):
    assert advice in refusal(FULL, standing(FULL), action="move", bucket=way[0], to=way[1])


@pytest.mark.parametrize(
    ("edit", "advice"),
    [
        ({"action": "move", "bucket": "tp", "to": "tn"}, "move it to FP"),
        ({"action": "move", "bucket": "fp", "to": "tn"}, "drop it"),
        ({"action": "add", "bucket": "tn", **link(-1)}, "leave it out"),
        ({"action": "drop", "bucket": "tn"}, "no TN"),
    ],
)
def test_tn_in_tp_only_is_refused(edit, advice):
    before = labels(ONLY, tp=[(GENE, 1)], fp=[(PLACE, None)])
    told = refusal(ONLY, before, **edit)
    assert "tp_only" in told
    assert advice in told


def test_a_move_to_nowhere_asks_where():
    assert "where" in refusal(FULL, standing(FULL), action="move", bucket="tp")


# -- add ------------------------------------------------------------------------------------------


@BOTH
def test_selected_text_is_added_with_its_instruction_whose_fn_leaves(trait):
    found = after(
        trait, standing(trait), action="add", bucket="tp", **link(4), **select("chromosome 1")
    )
    assert marks(found)["tp"] == [1, 2, 3, 4]
    assert "fn" not in marks(found)
    assert found.tp[3] == item("chromosome 1", 4)


def test_selected_text_is_added_to_fp_with_its_instruction_whose_tn_leaves():
    found = after(FULL, standing(FULL), action="add", bucket="fp", **link(-2), **select(GENE))
    assert "tn" not in marks(found)


def test_an_fp_of_tp_only_that_tries_to_answer_i_leaves_i_in_fn():
    found = after(ONLY, standing(ONLY), action="add", bucket="fp", **link(4), **select(PLACE))
    assert marks(found)["fn"] == [4]
    assert marks(found)["fp"] == [4]


@BOTH
@pytest.mark.parametrize("bucket", ["tp", "fp"])
def test_selected_text_may_be_added_with_no_instruction(trait, bucket):
    before = standing(trait)
    found = after(trait, before, action="add", bucket=bucket, **select("cells"))
    assert found.bucket(bucket)[-1] == item("cells")
    assert found.fn == before.fn
    assert found.tn == before.tn


@BOTH
def test_half_a_link_is_no_link(trait):
    assert after(trait, Labels(), action="add", bucket="tp", of="tp", **select("gene")).tp == (
        item("gene"),
    )


@BOTH
def test_adding_an_excerpt_needs_a_selection(trait):
    assert "Select" in refusal(trait, Labels(), action="add", bucket="tp")
    assert "white space" in refusal(trait, Labels(), action="add", bucket="tp", start=4, end=5)


@BOTH
def test_an_instruction_that_stands_nowhere_is_found_without_words_once(trait):
    found = after(trait, Labels(), action="add", bucket="tp", **link(1))
    assert found == Labels(tp=(Item(EXPECTED[0], "tp", 1),))
    assert "Select" in refusal(trait, found, action="add", bucket="tp", **link(1))
    assert "Select" in refusal(trait, Labels(), action="add", bucket="fp", of="fp", instruction=1)


@BOTH
def test_an_instruction_is_added_to_fn_unless_it_has_an_excerpt_or_stands_there(trait):
    assert after(trait, Labels(), action="add", bucket="fn", **link(2)).fn == (
        Item(EXPECTED[1], "tp", 2),
    )
    told = refusal(trait, standing(trait), action="add", bucket="fn", **link(1))
    assert "TP" in told
    assert "drop" in told
    assert "already" in refusal(trait, standing(trait), action="add", bucket="fn", **link(4))
    assert "pick one" in refusal(trait, standing(trait), action="add", bucket="fn")


def test_an_instruction_is_added_to_tn_unless_it_has_an_fp():
    assert marks(after(FULL, Labels(), action="add", bucket="tn", **link(-2))) == {"tn": [-2]}
    assert "FP" in refusal(FULL, standing(FULL), action="add", bucket="tn", **link(-1))


# -- relink ---------------------------------------------------------------------------------------


@BOTH
def test_relinking_a_tp_has_the_old_links_and_the_new_links_effects(trait):
    found = after(trait, standing(trait), action="relink", bucket="tp", index=0, **link(4))
    assert marks(found)["tp"] == [2, 3, 4]
    assert marks(found)["fn"] == [1]


def test_relinking_an_fp_has_both_effects_in_full_matrix():
    found = after(FULL, standing(FULL), action="relink", bucket="fp", **link(-2))
    assert marks(found)["fp"] == [-2]
    assert marks(found)["tn"] == [-1]


@BOTH
def test_relinking_to_none_gives_the_instruction_back(trait):
    found = after(trait, standing(trait), action="relink", bucket="tp", index=0)
    assert marks(found)["tp"] == [2, 3, None]
    assert marks(found)["fn"] == [1, 4]


def test_relinking_an_fp_of_tp_only_moves_nothing_else():
    before = labels(ONLY, fp=[(PLACE, 4)], fn=[1, 4])
    assert marks(after(ONLY, before, action="relink", bucket="fp", **link(1))) == {
        "fn": [1, 4],
        "fp": [1],
    }


@BOTH
def test_relinking_an_fn_takes_the_instructions_own_words(trait):
    stray = Labels(fn=(Item("said otherwise"),))
    assert after(trait, stray, action="relink", bucket="fn", **link(3)).fn == (
        Item(EXPECTED[2], "tp", 3),
    )
    assert "pick one" in refusal(trait, standing(trait), action="relink", bucket="fn")
    assert "TP" in refusal(trait, standing(trait), action="relink", bucket="fn", **link(1))


@BOTH
def test_relinking_to_the_same_is_refused(trait):
    assert "already" in refusal(trait, standing(trait), action="relink", bucket="tp", **link(1))


@BOTH
def test_a_link_must_be_of_a_list_that_the_bucket_answers(trait):
    assert "answers a TP" in refusal(
        trait, standing(trait), action="relink", bucket="tp", **link("~1")
    )
    assert "no TP instruction 5" in refusal(
        trait, standing(trait), action="relink", bucket="tp", **link(5)
    )
    assert "no TP instruction 0" in refusal(
        trait, standing(trait), action="relink", bucket="tp", of="tp", instruction=0
    )


def test_an_fp_answers_tn_or_hints_in_full_matrix_and_tp_or_hints_in_tp_only():
    assert "TN or FP" in refusal(FULL, standing(FULL), action="relink", bucket="fp", **link(1))
    before = labels(ONLY, fp=[(PLACE, None)])
    assert "no TN instruction" in refusal(ONLY, before, action="relink", bucket="fp", **link(-1))
    assert marks(after(ONLY, before, action="relink", bucket="fp", **link("~2"))) == {"fp": ["~2"]}


# -- reword ---------------------------------------------------------------------------------------


@BOTH
def test_a_reworded_item_is_looked_up_again_and_keeps_its_link(trait):
    found = after(trait, standing(trait), action="reword", bucket="tp", text=" bcl2 IS an ")
    assert found.tp[0] == item("BCL2 is an", 1)
    lost = after(trait, standing(trait), action="reword", bucket="tp", text="BCL3")
    assert lost.tp[0] == Item("BCL3", "tp", 1)


@BOTH
def test_a_reworded_item_takes_no_place_that_its_instruction_uses_already(trait):
    response = "gene and gene and Gene"
    two = Labels(tp=(Item("gene", "tp", 1, 0, 4), Item("other", "tp", 1)))
    found = after(trait, two, response, action="reword", bucket="tp", index=1, text="gene")
    assert found.tp[1].span == (9, 13)
    third = Labels(tp=found.tp, fp=(Item("other", "tp", 1),))
    assert after(trait, third, response, action="reword", bucket="fp", text="gene").fp[0].span == (
        18,
        22,
    )


@BOTH
def test_a_reworded_ellipsis_becomes_two_excerpts(trait):
    outcome = edits.apply(
        trait, TRACE, standing(trait), Edit("reword", "tp", text="BCL2 is … survive")
    )
    assert marks(outcome.labels)["tp"] == [1, 1, 2, 3]
    assert outcome.after == "BCL2 is | survive"


@BOTH
def test_rewording_is_refused_without_words_to_the_same_and_for_the_rubrics_words(trait):
    before = standing(trait)
    assert "needs words" in refusal(trait, before, action="reword", bucket="tp", text="  ")
    assert "needs words" in refusal(trait, before, action="reword", bucket="tp")
    assert "already" in refusal(trait, before, action="reword", bucket="tp", text=GENE.upper())
    assert "relink" in refusal(trait, before, action="reword", bucket="fn", text="x")


# -- drop, split, merge ---------------------------------------------------------------------------


@BOTH
def test_drop_takes_exactly_this_item_while_another_answers_its_instruction(trait):
    before = standing(trait).put("tp", (item(GENE, 1), item(SURVIVE, 1), item("cancer")))
    assert after(trait, before, action="drop", bucket="tp") == before.put("tp", before.tp[1:])
    assert after(trait, before, action="drop", bucket="tp", index=2) == before.put(
        "tp", before.tp[:2]
    )


@BOTH
def test_the_drop_of_an_instructions_last_excerpt_gives_it_back_to_fn_or_tn(trait):
    found = after(trait, standing(trait), action="drop", bucket="tp", index=1)
    assert found.fn == (of_mark(trait, 2), of_mark(trait, 4))
    if trait.full:
        assert marks(after(trait, standing(trait), action="drop", bucket="fp"))["tn"] == [-1, -2]


def test_the_drop_of_a_wrong_candidate_or_a_hint_moves_no_instruction():
    wrong = standing(ONLY).put("fp", (item(PLACE, 4),))
    assert after(ONLY, wrong, action="drop", bucket="fp") == standing(ONLY)
    hinted = standing(FULL).put("fp", (item(PLACE, "~1"),))
    assert after(FULL, hinted, action="drop", bucket="fp") == hinted.put("fp", ())


@pytest.mark.parametrize(("bucket", "instead"), [("fn", "TP (1)"), ("tn", "FP (3)")])
def test_no_instruction_is_dropped_out_of_the_ledger(bucket, instead):
    told = refusal(FULL, standing(FULL), action="drop", bucket=bucket)
    assert told == (
        f"An instruction cannot leave the checklist: move it to {instead} if the response says it,"
        f" else leave it in {bucket.upper()}."
    )


@pytest.mark.parametrize(
    "spare",
    [of_mark(FULL, 4), of_mark(FULL, 1), Item("nothing of the rubric"), Item("beyond it", "tp", 9)],
    ids=["twice in FN", "in TP too", "answers none", "leads to none"],
)
def test_a_drop_from_fn_mends_what_a_judge_left_untidy(spare):
    untidy = standing(FULL).put("fn", (spare, of_mark(FULL, 4)))
    assert after(FULL, untidy, action="drop", bucket="fn") == standing(FULL)


@settings(deadline=None)
@given(edit=likely_edit(), more=likely_edit())
def test_no_edit_takes_an_instruction_out_of_the_ledger(edit, more):
    before = standing(FULL)
    for one in (edit, more):
        try:
            before = after(FULL, before, **one)
        except Refused:
            continue
    assert not [told for told in ledger.breaches(FULL, before) if "neither" in told.sentence]


def test_an_edit_kept_by_an_earlier_version_drops_no_more_than_it_says():
    before = standing(FULL)
    for bucket in BUCKETS:
        found = edits.apply(FULL, TRACE, before, Edit("drop", bucket)).labels
        assert found == before.put(bucket, before.bucket(bucket)[1:])


@BOTH
def test_split_parts_keep_link_and_exact_offsets(trait):
    found = after(trait, standing(trait), action="split", bucket="tp", cut=len("BCL2 is "))
    assert found.tp[:2] == (item("BCL2 is", 1), item("an anti-apoptotic gene", 1))
    unverified = Labels(tp=(Item("one two", "tp", 1),))
    assert after(trait, unverified, action="split", bucket="tp", cut=3).tp == (
        Item("one", "tp", 1),
        Item("two", "tp", 1),
    )


@BOTH
@pytest.mark.parametrize("cut", [None, -3, 0, 4, 1000])
def test_a_split_needs_words_on_both_sides(trait, cut):
    before = Labels(tp=(Item("    words", "tp", 1),))
    given = {} if cut is None else {"cut": cut}
    assert "both sides" in refusal(trait, before, action="split", bucket="tp", **given)


@BOTH
def test_a_merge_spans_from_the_first_start_to_the_last_end_where_both_are_verified(trait):
    two = labels(trait, tp=[(SURVIVE, 1), (GENE, 1)])
    joined = after(trait, two, action="merge", bucket="tp").tp
    assert joined == (item(RESPONSE[: RESPONSE.index(SURVIVE) + len(SURVIVE)], 1),)


@BOTH
def test_a_merge_with_something_unverified_joins_the_words(trait):
    two = labels(trait, tp=[(GENE, 1), ("BCL3", 1)])
    assert after(trait, two, action="merge", bucket="tp").tp == (Item(f"{GENE} … BCL3", "tp", 1),)


@BOTH
def test_what_cannot_be_merged_or_split_says_why(trait):
    before = standing(trait)
    assert "relink one" in refusal(trait, before, action="merge", bucket="tp")
    assert "below" in refusal(trait, before, action="merge", bucket="tp", index=2)
    assert "merged" in refusal(trait, before, action="merge", bucket="fn")
    assert "split" in refusal(trait, before, action="split", bucket="fn", cut=3)


# -- what was seen --------------------------------------------------------------------------------


@BOTH
def test_an_edit_never_hits_another_item_than_the_one_seen(trait):
    before = standing(trait)
    assert "changed meanwhile" in refusal(trait, before, action="drop", bucket="tp", seen=SURVIVE)
    assert "no item 10" in refusal(trait, before, action="drop", bucket="tp", index=9)
    assert after(trait, before, action="drop", bucket="tp", seen=GENE).tp == before.tp[1:]


def test_an_edit_survives_its_row():
    edit = Edit("move", "tp", 1, "fp", of="tn", instruction=2, seen="x")
    assert Edit.from_row({**edit.to_row(), "a key of tomorrow": 1}) == edit
    assert edit.to_row()["action"] == "move"
    assert "text" not in edit.to_row()


# -- laws -----------------------------------------------------------------------------------------


@BOTH
@given(st.lists(any_edit() | likely_edit(), max_size=12))
def test_any_edits_are_refused_or_yield_labels_that_can_be_measured_and_told(trait, story):
    found = standing(trait)
    for edit in story:
        try:
            outcome = edits.apply(trait, TRACE, found, Edit.from_row(edit))
        except Refused as refused:
            assert str(refused)  # noqa: PT017 - a law: any refusal says why
            continue
        found = outcome.labels
        trait.measure(found.texts())
        _check_items(trait, found)


def _check_items(trait: MetricRubricTrait, found: Labels) -> None:
    for name in BUCKETS:
        for one in found.bucket(name):
            assert one.text.strip()
            assert one.span is None or RESPONSE[slice(*one.span)] == (one.denied or one.text)
            assert one.link is None or 1 <= one.link[1] <= len(trait.instructions(one.link[0]))


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
