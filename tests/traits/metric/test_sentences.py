"""What is said of a metric cell: of its corrections, its items, its buckets and its panel."""

import pytest
from msgspec.structs import replace

from appellate.core.deciding import Receive
from appellate.core.facts import Failed, Proposed
from appellate.traits.metric.edits import Edit, brief, describe
from appellate.traits.metric.labels import Item, Labels
from appellate.traits.metric.ledger import link_mark
from appellate.traits.metric.majority import PanelLabels
from appellate.traits.metric.pane_items import CellItems, about_votes, judge_sentence
from appellate.traits.metric.rows import all_rows, entries, remarks, rows
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
    item,
    labels,
    link,
    matrix,
    table,
)


@pytest.mark.parametrize(("mark", "shown"), [(4, "4"), (-1, "−1"), ("~2", "~2"), (None, "")])
def test_links_are_written_as_the_screen_shows_them(mark, shown):
    where = link(mark)
    assert link_mark(where.get("of"), where.get("instruction")) == shown


MET = {"of": "tn", "instruction": 2, "omission": True}


@pytest.mark.parametrize(
    ("edit", "before", "after", "sentence", "sort"),
    [
        (Edit("move", "tp", to="fn"), "a", "b", "moved TP → FN: “a” as “b”", "TP → FN"),
        (Edit("move", "tp", to="fp", **link(-1)), "a", "a", "moved TP → FP: “a” as −1", "TP → FP"),
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
        (Edit("omit", "fn"), "a", "b", "left out FN: “a”, not denied by “b”", "left out FN"),
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
        (Edit("add", "fp", **MET), "", "a", "added to FP as −2 by omission: “a”", "add FP"),
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


def test_an_excerpt_that_is_split_counts_twice_and_bears_a_note():
    found = after(FULL, BEFORE, action="split", bucket="tp", index=1, cut=len("helps"))
    assert remarks(FULL, BEFORE, found) == ["Instruction 2 counts twice now."]
    assert [row.note for row in rows(FULL, found, "tp")] == ["", "counts twice", "counts twice"]
    again = after(FULL, found, action="split", bucket="tp", index=2, cut=len("cells"))
    assert remarks(FULL, found, again) == ["Instruction 2 counts 3 times now."]
    assert remarks(FULL, again, found) == []


def test_one_excerpt_for_two_instructions_counts_for_the_first_alone():
    twice = BEFORE.put("tp", (*BEFORE.tp, item(GENE, 3)))
    told = ["Not counted for instruction 3: the same words count for instruction 1 already."]
    assert remarks(FULL, BEFORE, twice) == told
    assert remarks(FULL, twice, twice) == []
    first = BEFORE.put("tp", (item(SURVIVE), *BEFORE.tp))
    assert remarks(FULL, BEFORE, first) == [
        "Not counted for instruction 2: the same words count already."
    ]
    linked_to_none = BEFORE.put("fp", (item(PLACE), item(PLACE)))
    assert remarks(FULL, BEFORE, linked_to_none) == ["Not counted: the same words count already."]


def test_an_instruction_that_is_found_once_needs_no_remark():
    found = BEFORE.put("tp", (*BEFORE.tp, item(CANCER, 3)))
    assert remarks(FULL, BEFORE, found) == []


def test_an_item_without_words_counts_nowhere_and_nothing_is_said_of_it():
    blank = BEFORE.put("tp", (*BEFORE.tp, Item("  ")))
    assert remarks(FULL, BEFORE, blank) == []
    assert [row.counts for row in rows(FULL, blank, "tp")] == [True, True, False]


def test_where_everything_counts_the_same_words_count_twice():
    trait = matrix(repeated_extraction=False)
    assert remarks(trait, BEFORE, BEFORE.put("tp", (*BEFORE.tp, item(GENE, 1)))) == [
        "Instruction 1 counts twice now."
    ]


def test_wrong_candidates_that_answer_nothing_are_counted_without_a_word():
    trait = checklist()
    before = labels(trait, tp=[(GENE, 1)], fn=[2, 3, 4])
    assert remarks(trait, before, before.put("fp", (item(PLACE), item(CANCER)))) == []


def test_blank_labels_have_nothing_to_remark():
    assert remarks(FULL, Labels(), Labels()) == []


# -- what holds nothing, and all there is to know of an item ---------------------------------------


def said(lines):
    return [(line.text, line.style) for line in lines]


def row_of(bucket, found, index=0):
    return rows(FULL, found, bucket)[index]


def test_why_the_judge_proposed_an_item_is_told_in_its_words():
    found = Labels(tp=(replace(item(GENE, 1), rationale="it says so"),), fn=BEFORE.fn)
    assert judge_sentence(row_of("tp", found)).text == "judge: it says so"
    assert not judge_sentence(row_of("fn", found)).text


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
    assert "not found in the response: check it, reword it (e) or drop it (d)" in items.detail()
    assert "answers no instruction: link it (i) or drop it (d)" in items.detail()


def test_the_first_breach_is_told_and_how_many_more_there_are():
    notice = items_of(received(Proposed(table(tp=[GENE]), {"name": "gpt"}))).notice()
    assert notice.text.startswith("? ")
    assert notice.text.endswith("more)")


def test_votes_are_told_by_name_of_an_instruction_and_of_an_item_that_answers_none():
    one = labels(FULL, tp=[(GENE, 1)], fn=[2, 3, 4], fp=[(PLACE, None)], tn=[-1, -2])
    two = labels(FULL, fn=[1, 2, 3, 4], tn=[-1, -2])
    panel = PanelLabels(FULL, (one, two), ("ada", "bob"))
    split = ("panel: found: ada; missing: bob", "flag")
    assert about_votes(panel, row_of("tp", one)) == split
    assert about_votes(panel, entries(FULL, all_rows(FULL, one), "tp")[0]) == split
    assert about_votes(panel, row_of("fn", one)) == ("panel: missing: ada, bob", "muted")
    assert about_votes(panel, row_of("fp", one)) == ("panel: so: ada; not so: bob", "flag")


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
    assert items_of(pending).notice().text.startswith("Not judged yet: J has it judged, or")
    at_work = items_of(pending, judging=True).notice().text
    assert at_work.startswith("The judge is at work, and has not come")
    failed = items_of(received(Failed("no answer")), judging=True).notice().text
    assert failed.startswith("The judge failed here; J asks it again")
    assert failed.endswith("no answer")
