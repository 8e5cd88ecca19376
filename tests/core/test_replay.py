"""A person's corrections one after the other, from what was proposed to what stands."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from appellate.core.cell import evolve, reason_for, replayed
from appellate.core.deciding import Act, Adopt, Correct, Receive
from appellate.core.facts import Corrected, Fact
from appellate.core.planted_errors import errors
from cells import (
    Story,
    commands,
    link,
    lived,
    marks,
    other_proposal,
    panel,
    proposal,
)

MOVE = {"action": "move", "bucket": "tp", "index": 0, "to": "fn"}


def judged() -> Story:
    story = Story()
    story.does(Receive(proposal()))
    return story


@given(st.lists(commands, max_size=14))
def test_the_steps_lead_from_what_was_proposed_to_what_stands(life):
    cell = lived(judged(), life).cell
    steps = replayed(cell)
    for one, other in pairwise(steps):
        assert one.after == other.before
    if cell.base is None:
        assert steps == []
        return
    assert [step.n for step in steps] == [step.n for step in cell.steps if step.n in cell.edits]
    if steps:
        assert steps[-1].after == cell.labels


def test_what_was_filled_in_by_hand_led_from_nowhere():
    story = Story()
    story.corrects(action="add", bucket="fn", **link(1))
    assert replayed(story.cell) == []


def test_corrections_begin_at_the_labels_that_were_taken():
    story = Story()
    story.does(Receive(panel()))
    story.does(Adopt(1, 1))
    story.corrects(**MOVE)
    (step,) = replayed(story.cell)
    assert marks(step.before) == {"tp": [1, 2, 4], "fn": [3], "tn": [-1, -2]}
    assert marks(step.after)["fn"] == [1, 3]


def test_a_correction_is_told_as_it_was_carried_over_and_not_where_it_was_not():
    story = judged()
    story.corrects(action="move", bucket="tp", index=1, to="fn")
    lost = story.corrects(action="move", bucket="fp", index=0, to="tn")
    story.does(Receive(other_proposal(round=2)))
    assert lost.n not in story.cell.edits  # the second judge says so itself
    (step,) = replayed(story.cell)
    assert marks(step.before)["tp"] == [1, 2, 4]
    assert marks(step.after)["tp"] == [1, 4]


def test_before_a_planted_error_the_steps_are_those_of_what_is_shown():
    cell = judged().cell
    asked = next(one for one in cell.answers if one[:2] == ("tp", 1))
    cell = evolve(cell, Fact(2, "", "ada", next(errors(cell, asked))))
    act = Act(lambda _: (cell.subject.trace, cell), "ada", 2, "")
    seen = act.cell(1)
    other = next(one for one in seen.answers if one[:2] == ("tp", 2))
    answering = seen.subject.kind.answering
    act.do(1, map(Correct, answering.edits(seen.subject.trait, seen.labels, other, "fn")))
    act.settle()
    kept = act.cells[1][2]
    for at in kept, kept.shown:
        (step,) = replayed(at)
        assert (step.n, step.after) == (kept.facts[-1].n, at.labels)
    assert [marks(at.labels)["fn"] for at in (kept, kept.shown)] == [[2, 4], [1, 2, 4]]


def test_a_reason_is_that_of_the_correction_or_of_the_act_that_it_is_part_of():
    story = judged()
    first = story.corrects("ada", "only named", **MOVE)
    part = Fact(first.n + 1, "", "ada", Corrected({}, "", ""), part_of=first.n)
    cell = replace(story.cell, facts=(*story.cell.facts, part))
    assert reason_for(cell, first.n) == "only named"
    assert reason_for(cell, part.n) == "only named"
    assert reason_for(cell, 99) == ""
