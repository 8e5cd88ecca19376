"""The numbers of a cell as the bar gets them."""

from appellate.app.figures import figures
from appellate.core.commands import Receive
from cells import Story, proposal


def by_name(told):
    return {one.name: one for one in told.now}


def test_a_figure_knows_what_it_was_and_what_the_judge_had():
    story = Story()
    assert figures(None, story.cell, "").now == []
    story.does(Receive(proposal()))
    judged = story.cell
    story.corrects(action="move", bucket="tp", index=0, to="fn")
    recall = by_name(figures(judged, story.cell, "6/6"))["recall"]
    assert (recall.short, recall.value, recall.before.value, recall.judge.value) == ("R", 0.5, 0.75, 0.75)
    assert recall.delta == -0.25
    assert by_name(figures(None, story.cell, ""))["recall"].before is None


def test_a_cell_filled_by_hand_has_no_judge_to_differ_from():
    story = Story()
    story.corrects(action="add", bucket="fn", of="tp", instruction=4)
    assert all(one.judge is None for one in figures(None, story.cell, "").now)
