"""A cell as a table of the audit file holds all of its facts."""

from appellate.core.cell import fold
from appellate.core.deciding import Comment, Flag, Reason, Receive, SignOff, Undo
from appellate.core.facts import Failed
from appellate.store import judgment
from appellate.traits.metric import KIND
from cells import Story, link, proposal

DROP = {"action": "drop", "bucket": "tp"}


def proposed() -> Story:
    story = Story()
    story.does(Receive(proposal(model="m", parameters={"seed": 1})))
    return story


def test_a_pending_cell_has_neither_judge_nor_lists():
    assert judgment.written(Story().cell) == {
        "trait": "Accuracy",
        "kind": "metric",
        "state": "pending",
    }


def test_a_failed_cell_has_its_error_and_no_judge_table():
    story = Story()
    story.does(Receive(Failed("no answer", "{", {"name": "gpt"})))
    table = judgment.written(story.cell)
    assert (table["state"], table["error"]) == ("failed", "no answer")
    assert "judge" not in table
    assert table["failures"][0]["raw"] == "{"


def test_a_cell_filled_by_hand_has_no_judge_and_no_judge_metrics():
    story = Story()
    story.corrects(action="add", bucket="fn", **link(1))
    table = judgment.written(story.cell)
    assert table["state"] == "corrected"
    assert not {"judge", "judge_metrics", "judge_undefined"} & table.keys()
    assert table["metrics"]["recall"] == 0.0
    assert "precision" in table["undefined"]


def test_an_undone_correction_stays_with_who_undid_it():
    story = proposed()
    edit = story.corrects(**DROP)
    story.does(Undo(edit.n), "bob")
    (row,) = judgment.written(story.cell)["corrections"]
    assert (row["by"], row["undone_by"], row["action"], row["bucket"]) == (
        "ada",
        "bob",
        "drop",
        "tp",
    )


def test_a_row_has_the_latest_reason_and_the_first_is_not_lost():
    story = proposed()
    edit = story.corrects(reason="hasty", **DROP)
    assert judgment.written(story.cell)["corrections"][0]["reason"] == "hasty"
    story.does(Reason(edit.n, "repeated"))
    (row,) = judgment.written(story.cell)["corrections"]
    assert (row["reason"], row["first_reason"]) == ("repeated", "hasty")
    assert (
        fold(story.cell.subject, judgment.facts(KIND, judgment.written(story.cell)))
        == story.cell
    )


def test_a_sign_off_names_who_the_trait_and_how_long_the_cell_was_in_sight_where_that_is_known():
    story = proposed()
    story.does(SignOff("abc", 0.4), "bob")
    whole = judgment.written(story.cell)
    assert (whole["signed"]["by"], whole["signed"]["trait_sha256"]) == ("bob", "abc")
    assert whole["signed"]["seconds"] == whole["history"][0]["seconds"] == 0.4
    again = fold(story.cell.subject, judgment.facts(KIND, whole))
    assert again == story.cell
    assert again.hasty
    for row in (whole["signed"], whole["history"][0]):
        del row["seconds"]
    older = fold(story.cell.subject, judgment.facts(KIND, whole))
    assert (older.signed.what.seconds, older.hasty) == (None, False)


def test_recorded_labels_that_no_judge_took_up_are_kept():
    table = judgment.written(proposed().cell, {"tp": ["x"]})
    assert table["recorded"] == {"tp": ["x"]}
    taken = Story()
    taken.does(Receive(proposal(name="recorded")))
    assert "recorded" not in judgment.written(taken.cell, {"tp": ["x"]})


def test_unknown_keys_are_told_apart_wherever_they_stand():
    story = proposed()
    story.does(Comment("hm"))
    story.does(Flag(True))
    story.corrects(**DROP)
    whole = judgment.written(story.cell)
    whole["tomorrow"] = {"x": 1}
    whole["comments"][0]["mood"] = "bad"
    whole["history"][0]["mood"] = "worse"
    whole["corrections"][0]["mood"] = "worst"
    whole["judge"]["mood"] = "none"
    extra = judgment.unknown(whole)
    assert extra == {
        "tomorrow": {"x": 1},
        "comments": {"2": {"mood": "bad"}},
        "history": {"3": {"mood": "worse"}},
    }
    again = fold(story.cell.subject, judgment.facts(KIND, whole))
    assert judgment.together(judgment.written(again), extra) == whole


def test_what_is_derived_and_differs_is_named():
    whole = judgment.written(proposed().cell)
    assert judgment.differing(
        {**whole, "state": "reviewed", "flag": True, "x": 1},
        whole,
    ) == [
        "state",
        "flag",
    ]
    assert judgment.differing({"trait": "Accuracy"}, {"trait": "Accuracy"}) == []
