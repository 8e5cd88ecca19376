"""What is said of a metric cell: of its corrections, its items, its buckets and its panel."""

import pytest
from msgspec.structs import replace

from appellate.core.deciding import Receive
from appellate.core.facts import Failed, Proposed
from appellate.traits.metric.edits import Edit, brief, describe
from appellate.traits.metric.labels import Item, Labels
from appellate.traits.metric.ledger import link_mark
from appellate.traits.metric.pane_items import CellItems, judge_sentence
from appellate.traits.metric.rows import moved_beside, remarks, rows
from appellate.ui.marks import UNICODE
from appellate.ui.pane import Looking
from appellate.ui.rows import RowCursor
from cells import (
    CANCER,
    GENE,
    PLACE,
    SURVIVE,
    Story,
    after,
    checklist,
    do,
    item,
    labels,
    link,
    matrix,
    table,
)


@pytest.mark.parametrize(
    ("mark", "shown"),
    [(4, "4"), (-1, "−1"), ("~2", "~2"), (None, "")],
)
def test_links_are_written_as_the_screen_shows_them(mark, shown):
    where = link(mark)
    assert link_mark(where.get("of"), where.get("instruction")) == shown


MET = {"of": "tn", "instruction": 2, "omission": True}


@pytest.mark.parametrize(
    ("edit", "before", "after", "sentence", "sort"),
    [
        (Edit("move", "tp", to="fn"), "a", "b", "moved TP → FN: “a” as “b”", "TP → FN"),
        (
            Edit("move", "tp", to="fp", **link(-1)),
            "a",
            "a",
            "moved TP → FP: “a” as −1",
            "TP → FP",
        ),
        (Edit("move", "tp", to="fp"), "a", "a", "moved TP → FP: “a”", "TP → FP"),
        (Edit("add", "tp", **link(4)), "", "a", "added to TP as 4: “a”", "add TP"),
        (Edit("add", "fp"), "", "a", "added to FP: “a”", "add FP"),
        (Edit("relink", "tp", **link(2)), "a", "a", "linked TP to 2: “a”", "relink TP"),
        (Edit("relink", "tp"), "a", "a", "linked TP to nothing: “a”", "relink TP"),
        (Edit("reword", "tp"), "a", "b", "reworded TP: “a” → “b”", "reword TP"),
        (Edit("drop", "fp"), "a", "", "dropped from FP: “a”", "drop FP"),
        (Edit("split", "tp"), "a b", "a | b", "split TP: “a b” → “a | b”", "split TP"),
        (Edit("merge", "tp"), "a | b", "a b", "merged TP: “a | b” → “a b”", "merge TP"),
        (Edit("deny", "fn"), "a", "not a", "denied FN: “a” by “not a”", "denied FN"),
        (
            Edit("deny", "tp", to="fn"),
            "not a",
            "a",
            "moved TP → FN as denied: “not a” denies “a”",
            "denied TP",
        ),
        (
            Edit("omit", "fn"),
            "a",
            "b",
            "left out FN: “a”, not denied by “b”",
            "left out FN",
        ),
        (
            Edit("reword", "tp", wrong_evidence=True),
            "a",
            "b",
            "right verdict, wrong evidence: replaced TP: “a” → “b”",
            "wrong evidence TP",
        ),
        (
            Edit("move", "tn", 1, "fp", omission=True),
            "a",
            "a",
            "moved TN → FP by omission: “a”",
            "TN → FP",
        ),
        (
            Edit("add", "fp", **MET),
            "",
            "a",
            "added to FP as −2 by omission: “a”",
            "add FP",
        ),
        (
            Edit("reword", "fp", omission=True, wrong_evidence=True),
            "a",
            "b",
            "right verdict, wrong evidence: replaced FP: “a” → “b” by omission",
            "wrong evidence FP",
        ),
    ],
)
def test_an_edit_is_told_in_the_past_tense(edit, before, after, sentence, sort):
    assert describe(edit, before, after) == sentence
    assert brief(edit) == sort


# -- what counts no more, and what counts several times --------------------------------------------

FULL = matrix()
BEFORE = labels(FULL, tp=[(GENE, 1), (SURVIVE, 2)], fn=[3, 4], tn=[-1, -2])


SPLIT = after(FULL, BEFORE, action="split", bucket="tp", index=1, cut=len("helps"))
AGAIN = after(FULL, SPLIT, action="split", bucket="tp", index=2, cut=len("cells"))
EACH, FEW = (
    matrix(repeated_extraction=False),
    labels(checklist(), tp=[(GENE, 1)], fn=[2, 3, 4]),
)
SHARED = "Not counted for instruction 2: the same words count already."


def more(bucket, *items, first=False, of=BEFORE):
    """The labels with more items in a bucket, behind those that are there or before them."""
    held = of.bucket(bucket)
    return of.put(bucket, (*items, *held) if first else (*held, *items))


@pytest.mark.parametrize(
    ("trait", "before", "now", "told"),
    [
        (FULL, Labels(), Labels(), []),
        (FULL, BEFORE, more("tp", item(CANCER, 3)), []),
        (FULL, BEFORE, SPLIT, ["Instruction 2 counts once, with 2 excerpts."]),
        (FULL, SPLIT, AGAIN, ["Instruction 2 counts once, with 3 excerpts."]),
        (FULL, AGAIN, SPLIT, []),
        # the same words count for each of two instructions, and for none beside these
        (FULL, BEFORE, more("tp", item(GENE, 3)), []),
        (FULL, BEFORE, more("tp", item(SURVIVE), first=True), []),
        (
            FULL,
            BEFORE,
            more("tp", item(CANCER, 2)),
            ["Instruction 2 counts once, with 2 excerpts."],
        ),
        (
            FULL,
            BEFORE,
            more("fp", item(PLACE, -1), item(CANCER, -1)),
            ["TN instruction 1 counts once, with 2 excerpts."],
        ),
        # two wrong candidates for one instruction are two, the same words twice are one
        (
            checklist(),
            FEW,
            more("fp", item(PLACE, 2), item(CANCER, 2), of=FEW),
            ["Instruction 2 counts twice now."],
        ),
        (
            checklist(),
            FEW,
            more("fp", item(PLACE, 2), item(PLACE, 2), of=FEW),
            [SHARED],
        ),
        (
            FULL,
            BEFORE,
            more("fp", item(PLACE), item(PLACE)),
            ["Not counted: the same words count already."],
        ),
        # an item without words counts nowhere; where everything counts the same words count twice
        (FULL, BEFORE, more("tp", Item("  ")), []),
        (EACH, BEFORE, more("tp", item(GENE, 1)), ["Instruction 1 counts twice now."]),
        (checklist(), FEW, more("fp", item(PLACE), item(CANCER), of=FEW), []),
    ],
)
def test_what_counts_no_more_or_several_times_is_remarked(trait, before, now, told):
    assert remarks(trait, before, now) == told


def test_rows_bear_a_note_of_it():
    assert [row.note for row in rows(FULL, SPLIT, "tp")] == [
        "",
        "",
        "repeat, not counted",
    ]
    blank = more("tp", Item("  "))
    assert [row.counts for row in rows(FULL, blank, "tp")] == [True, True, False]


# -- what holds nothing, and all there is to know of an item ---------------------------------------


def row_of(bucket, found, index=0):
    return rows(FULL, found, bucket)[index]


def test_why_the_judge_proposed_an_item_is_told_in_its_words():
    found = Labels(tp=(replace(item(GENE, 1), rationale="it says so"),), fn=BEFORE.fn)
    assert judge_sentence(row_of("tp", found)).text == "judge: it says so"
    assert not judge_sentence(row_of("fn", found)).text


def test_the_judges_reason_for_words_of_the_instruction_itself_is_told():
    one = matrix(tp_instructions=[GENE])
    row = {"bucket": "tp", "index": 0, **link(1), "rationale": "it says so"}
    story = Story(one)
    story.does(Receive(Proposed({**table(tp=[GENE]), "items": [row]}, {"name": "gpt"})))
    items = items_of(story.cell)
    items.go("tp", 0)
    assert "judge: it says so" in items.detail()


def items_of(cell, *, judging=False):
    """The items of a cell as rows, without a screen."""
    review = Looking(UNICODE, lambda: None, lambda _: None)
    review.judging, review.readonly = judging, False
    items = CellItems(review, RowCursor)
    items.show(cell, fresh=True)
    return items


def test_what_is_wrong_with_an_item_is_told_in_whole_sentences():
    story = Story()
    story.does(Receive(Proposed(table(tp=[GENE, "BCL3", "BCL3"]), {"name": "gpt"})))
    items = items_of(story.cell)
    items.go("tp", 2)
    assert (
        "not found in the response: check it, reword it (e) or drop it (d)"
        in items.detail()
    )
    assert "answers no instruction: link it (i) or drop it (d)" in items.detail()


def test_the_first_breach_is_told_and_how_many_more_there_are():
    notice = items_of(received(Proposed(table(tp=[GENE]), {"name": "gpt"}))).notice()
    assert notice.text.startswith("? ")
    assert notice.text.endswith("; m adds it. And 6 more.")


def received(what):
    """A cell after its judge's answer."""
    story = Story()
    story.does(Receive(what))
    return story.cell


def test_an_empty_bucket_tells_who_left_it_so_and_what_adds_to_it():
    items = items_of(received(Proposed(table(fp=[PLACE]), {"name": "gpt"})))
    empty = {group.key: group.empty for group in items.rows.groups}
    assert empty["fp"] == "(emptied by hand: {text.select:v} adds words)"
    assert empty["fn"] == "(the judge found none: {item.missing:m} adds one)"


def test_a_cell_without_labels_tells_why_and_what_can_be_done():
    pending = Story().cell
    assert (
        items_of(pending)
        .notice()
        .text.startswith("Not judged yet: J has it judged, or")
    )
    at_work = items_of(pending, judging=True).notice().text
    assert at_work.startswith("The judge is working and has not reached")
    failed = items_of(received(Failed("no answer")), judging=True).notice().text
    assert failed.startswith("The judge failed here; J asks it again")
    assert failed.endswith("no answer")


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (do("move tp fn"), ""),
        (
            do("relink tp", 4),
            "Instruction 1 goes from TP to FN; instruction 4 goes from FN to TP.",
        ),
        (do("move tp fp"), "Instruction 1 goes from TP to FN."),
        (do("drop tp"), "Instruction 1 goes from TP to FN."),
        (do("reword tp", text="Other"), ""),
        (do("move fn tp"), ""),
    ],
)
def test_which_instructions_changed_sides_beside_an_act_is_remarked(edit, told):
    now = after(FULL, BEFORE, **edit)
    assert moved_beside(FULL, BEFORE, now, [Edit.from_row(edit)]) == told


def test_of_many_that_changed_sides_the_first_are_named():
    full = labels(
        FULL,
        tp=[(words, number) for number, words in enumerate("abcd", 1)],
        tn=[-1, -2],
    )
    none = labels(FULL, fn=[1, 2, 3, 4], tn=[-1, -2])
    told = moved_beside(FULL, full, none, [])
    assert (
        told
        == "Instruction 1, instruction 2, instruction 3 and 1 more go from TP to FN."
    )
