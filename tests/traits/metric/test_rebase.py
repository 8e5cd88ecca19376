"""What becomes of a correction when another judge's labels come under it."""

import pytest

from appellate.core.problem import Refused
from appellate.traits.metric import KIND
from appellate.traits.metric.edits import Edit
from cells import (
    CANCER,
    EXPECTED,
    FORBIDDEN,
    GENE,
    PLACE,
    SURVIVE,
    after,
    checklist,
    labels,
    link,
    matrix,
    select,
)

UNASKED = "Fails to ask why the reader wants to know"
FULL, ONLY = matrix(), checklist()
OMITTING = matrix(tn_instructions=[FORBIDDEN[0], UNASKED])
BCL3 = Edit("drop", "tp", seen="BCL3")
WRONG, RIVAL = Edit("move", "tp", to="fp", **link(-1)), Edit("move", "tp", to="fp")
FOUND = Edit("move", "fn", index=1, to="tp", **select(SURVIVE))
ADDED = Edit("add", "tp", **link(2), **select(SURVIVE))
DENIED = Edit("deny", "fn", 1, **select(PLACE), seen=EXPECTED[3])
DENYING = Edit("deny", "tp", 1, "fn", **select(SURVIVE))
LEFT = Edit("omit", "fn")
OMITTED = Edit("move", "tn", 1, "fp", omission=True, seen=UNASKED)
BEFORE = labels(
    FULL,
    tp=[(GENE, 1), (SURVIVE, 2)],
    fn=[3, 4],
    fp=[(PLACE, -1)],
    tn=[-2],
)
SAID = after(FULL, BEFORE, action="deny", bucket="fn", index=0, **select(PLACE))
FIRST = after(FULL, labels(FULL, fn=[4]), action="deny", bucket="fn", **select(PLACE))
STOOD = labels(OMITTING, tp=[(GENE, 1)], fn=[2, 3, 4], tn=[-1, -2])
MET = after(OMITTING, STOOD, action="move", bucket="tn", index=1, to="fp")
SHOWN = after(
    OMITTING,
    STOOD,
    action="move",
    bucket="tn",
    index=1,
    to="fp",
    **select(SURVIVE),
)
GONE = "not among these labels"


def full(**given):
    return labels(FULL, **given)


@pytest.mark.parametrize(
    ("trait", "edit", "before", "now", "then"),
    [
        # words that are not in the response are found again as they are written
        (
            FULL,
            BCL3,
            full(tp=[("BCL3", 1)]),
            full(tp=[(GENE, 1), ("BCL3", 1)]),
            {"index": 1},
        ),
        (FULL, BCL3, full(tp=[("BCL3", 1)]), full(tp=[(GENE, 1)]), GONE),
        # an excerpt that a later judge has where it was moved needs no correction
        (FULL, WRONG, full(tp=[(GENE, 1)]), full(fp=[(GENE, -1)]), None),
        (FULL, WRONG, full(tp=[(GENE, 1)]), full(fp=[(PLACE, -1)]), GONE),
        (ONLY, RIVAL, full(tp=[(GENE, 1)]), full(fp=[(GENE, 1)]), None),
        # what is missing is found in the words that the person selected
        (FULL, FOUND, full(fn=[1, 2]), full(fn=[2]), {"index": 0}),
        (FULL, FOUND, full(fn=[1, 2]), full(tp=[(SURVIVE, 2)]), None),
        (FULL, FOUND, full(fn=[1, 2]), full(tp=[(GENE, 2)]), GONE),
        (FULL, ADDED, full(fn=[2]), full(tp=[(SURVIVE, 2)]), None),
        (FULL, ADDED, full(fn=[2]), full(tp=[(GENE, 2)]), {}),
        # a denial goes to its instruction where a later judge misses it too, with an excerpt or without
        (FULL, DENIED, BEFORE, full(tp=[(CANCER, 3)], fn=[4]), {"index": 0}),
        (FULL, DENIED, BEFORE, FIRST, None),
        (FULL, DENIED, BEFORE, full(tp=[(PLACE, 4)], fn=[1, 2, 3]), GONE),
        (FULL, DENYING, BEFORE, full(tp=[(SURVIVE, 2)], fn=[1, 3, 4]), {"index": 0}),
        (
            FULL,
            DENYING,
            BEFORE,
            full(fn=[2, 3, 4]),
            {"bucket": "fn", "index": 0, "to": None},
        ),
        (FULL, LEFT, SAID, BEFORE, None),
        (FULL, LEFT, SAID, SAID, {}),
        # an omission where a later judge does not say so
        (OMITTING, OMITTED, STOOD, MET, None),
        (
            OMITTING,
            OMITTED,
            STOOD,
            labels(OMITTING, tn=[-2], fp=[(PLACE, -1)]),
            {"index": 0},
        ),
        (OMITTING, OMITTED, STOOD, SHOWN, GONE),
    ],
)
def test_a_correction_is_carried_or_done_already_or_has_no_place(
    trait,
    edit,
    before,
    now,
    then,
):
    anchor = KIND.anchor(trait, before, edit)
    if then == GONE:
        with pytest.raises(Refused, match=GONE):
            KIND.carried(trait, now, edit, anchor)
        return
    wanted = None if then is None else Edit.from_row({**edit.to_row(), **then})
    assert KIND.carried(trait, now, edit, anchor) == wanted
