"""Where the items that a person changed came from."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.deciding import Receive, Undo
from appellate.core.facts import Proposed
from appellate.core.problem import Refused
from appellate.traits.metric import KIND
from appellate.traits.metric.labels import BUCKETS, Item
from appellate.traits.metric.pane_items import about_origin, briefly
from appellate.traits.metric.rows import Origin, is_other_evidence, origins
from cells import (
    CANCER,
    EXPECTED,
    FORBIDDEN,
    GENE,
    PLACE,
    SURVIVE,
    TRACE,
    Story,
    link,
    matrix,
    select,
    table,
)


def located(lists, *marks):
    """A judge's table with its places found; the TP excerpts answer these marks, the FP one -1."""
    rows = [
        {"bucket": "tp", "index": index, **link(mark)}
        for index, mark in enumerate(marks)
    ]
    rows.append({"bucket": "fp", "index": 0, **link(-1)})
    return KIND.locate(matrix(), TRACE, {**lists, "items": rows})


TN = [FORBIDDEN[1]]
TABLE = located(table(tp=[GENE, CANCER], fn=EXPECTED[1::2], fp=[PLACE], tn=TN), 1, 3)


def judged(judge="gpt", given=TABLE):
    story = Story()
    story.does(Receive(Proposed(given, {"name": judge})))
    return story


def told(story):
    """What stands at the end of each changed row."""
    cell = story.cell
    return {
        place: briefly(one, cell.labels.bucket(place[0])[place[1]])
        for place, one in origins(cell).items()
    }


def seen(item):
    return item.text, item.link, item.span


def test_what_went_back_to_where_the_judge_had_it_bears_no_mark():
    story = judged()
    fact = story.corrects(action="move", bucket="fp", to="tn")
    assert told(story) == {("tn", 0): "was FP"}
    story.does(Undo(fact.n))
    assert told(story) == {}
    story.corrects(action="move", bucket="fp", to="tn")
    story.corrects(action="move", bucket="tn", to="fp", **select(PLACE))
    assert told(story) == {}
    story.corrects(action="move", bucket="fp", to="tn")
    story.corrects(action="move", bucket="tn", to="fp", **select(GENE))
    assert told(story) == {("fp", 0): "other words"}


def test_the_instructions_that_the_ledger_moves_along_tell_it_too():
    story = judged()
    story.corrects(action="add", bucket="tp", **link(4), **select(PLACE))
    assert told(story) == {("tp", 2): "was FN"}
    story.corrects(action="relink", bucket="tp", index=0, **link(2))
    assert told(story) == {("tp", 0): "was 1", ("fn", 0): "was TP", ("tp", 2): "was FN"}
    story.corrects(action="add", bucket="fp", **select(SURVIVE))
    assert told(story)["fp", 1] == "added"


def test_other_words_tell_what_they_were():
    story = judged()
    story.corrects(action="reword", bucket="tp", index=0, text="BCL2")
    assert told(story) == {("tp", 0): "other words"}
    assert about_origin(origins(story.cell)["tp", 0]).text == f"was “{GENE}”"


words = st.sampled_from((GENE, SURVIVE, CANCER, PLACE, "BCL2"))
edits = st.fixed_dictionaries(
    {
        "action": st.sampled_from(
            ("move", "move", "add", "relink", "reword", "drop", "split"),
        ),
        "bucket": st.sampled_from(BUCKETS),
        "index": st.integers(0, 2),
        "to": st.sampled_from(BUCKETS),
        "mark": st.sampled_from((1, 2, 3, 4, -1, -2)),
        "words": words,
        "cut": st.integers(1, 9),
    },
)


def corrected(story, given):
    """One correction after another, as far as the rules grant them; how many there were."""
    done = []
    for one in given:
        edit = {key: one[key] for key in ("action", "bucket", "index")}
        match one["action"]:
            case "move":
                edit |= {"to": one["to"], **link(one["mark"]), **select(one["words"])}
            case "add":
                edit |= {**link(one["mark"]), **select(one["words"])}
            case "relink":
                edit |= link(one["mark"])
            case "reword":
                edit |= {"text": one["words"]}
            case "split":
                edit |= {"cut": one["cut"]}
        try:
            done.append(story.corrects("ada", f"reason {len(done)}", **edit).n)
        except Refused:
            continue
    return done


@settings(deadline=None)
@given(st.lists(edits, max_size=6))
def test_what_bears_no_mark_is_what_the_judge_said_and_what_does_is_not(given):
    story = judged()
    before = story.cell.labels
    corrected(story, given)
    found, now = origins(story.cell), story.cell.labels
    for bucket in BUCKETS:
        items = now.bucket(bucket)
        unmarked = [
            seen(one) for index, one in enumerate(items) if (bucket, index) not in found
        ]
        assert not Counter(unmarked) - Counter(map(seen, before.bucket(bucket)))
    for (bucket, index), one in found.items():
        assert index < len(now.bucket(bucket))
        assert one.reason.startswith("reason")
        assert (one.came == "added") == (one.was is None)
        if one.was is not None:
            assert one.was[1] in before.bucket(one.was[0])
            assert (one.came == "moved") == (one.was[0] != bucket)


@settings(deadline=None)
@given(st.lists(edits, max_size=5))
def test_what_is_undone_leaves_no_mark(given):
    story = judged()
    for number in reversed(corrected(story, given)):
        story.does(Undo(number))
    assert origins(story.cell) == {}


def test_words_elsewhere_are_other_evidence_where_the_verdict_is_the_judges_own():
    story = judged()
    elsewhere, over = (90, 99), (5, 40)
    assert is_other_evidence(story.cell, ("tp", 0), elsewhere)
    assert not is_other_evidence(story.cell, ("tp", 0), over)
    story.corrects(action="reword", bucket="tp", index=0, **select(SURVIVE))
    assert not is_other_evidence(story.cell, ("tp", 0), over)
    story.corrects(action="move", bucket="fn", to="tp", **select(PLACE))
    moved = [item.text for item in story.cell.labels.tp].index(PLACE)
    assert not is_other_evidence(story.cell, ("tp", moved), (0, 3))
    by_hand = Story()
    by_hand.corrects(action="add", bucket="tp", **link(1), **select(GENE))
    assert not is_other_evidence(by_hand.cell, ("tp", 0), elsewhere)


def test_what_was_denied_or_left_out_is_told_where_it_is_otherwise_now():
    missing = Item(EXPECTED[0], "tp", 1)
    contrary = replace(missing, denied="it is no gene")
    was_denied, was_left = (
        Origin("changed", ("fn", contrary)),
        Origin("changed", ("fn", missing), "why"),
    )
    assert briefly(was_denied, missing) == "was denied"
    assert briefly(was_left, contrary) == "was left out · why"
    assert about_origin(was_denied).text == "was denied by “it is no gene”"
    assert about_origin(was_left).text == ""
    assert not about_origin(None).text
    linked = Origin("changed", ("tp", Item(GENE, "tp", 1)))
    assert briefly(linked, Item(GENE, "tp", 2)) == "was 1"
    unlinked = Origin("changed", ("tp", Item(GENE)))
    assert briefly(unlinked, Item(GENE, "tp", 2)) == "was unlinked"
    assert (
        briefly(linked, Item(CANCER, "tp", 1, wrong_evidence=True)) == "wrong evidence"
    )
