"""Ruling blind: what is still open, and how a locked verdict compares with the judge's answers."""

import pytest

from appellate.core.cell import Cell, labels_of_side, proposed_labels
from appellate.core.deciding import (
    Adopt,
    Correct,
    Draw,
    Receive,
    Undo,
    decide,
    difference_text,
    ruled_questions,
    standing_verdict,
    unruled,
    why_unruled,
)
from appellate.core.describe import describe
from appellate.core.facts import Contested, Failed, Proposed
from appellate.core.kind import Instruction, Subject
from appellate.core.problem import Refused
from appellate.traits.kinds import kinds
from cells import (
    EXPECTED,
    FORBIDDEN,
    GENE,
    PLACE,
    RULE,
    Story,
    checklist,
    corrects,
    labels,
    link,
    marks,
    matrix,
    proposal,
    select,
    story_of,
    trace,
)

ALL = {"tp": [(GENE, 1)], "fn": [2, 3, 4], "tn": [-1, -2]}


def blind(trait=None) -> Story:
    story = Story(trait)
    story.does(Draw(True))
    return story


def rules(story: Story, *marks: int, to: str = "") -> None:
    """Puts instructions that stand nowhere into FN or TN, or into the bucket named."""
    for mark in marks:
        bucket = to or ("fn" if mark > 0 else "tn")
        story.corrects(action="add", bucket=bucket, **link(mark))


def locked(*, judged=True) -> Story:
    """The first instruction is found, the others missing and absent; the worked example is what the
    judge says.
    """
    story = blind()
    if judged:
        story.does(Receive(proposal()))
    story.corrects(action="add", bucket="tp", **link(1), **select(GENE))
    rules(story, 2, 3, 4, -1, -2)
    story.does(RULE)
    return story


def test_an_instruction_that_stands_nowhere_or_on_both_sides_is_not_ruled():
    subject = Story().cell.subject
    both = labels(matrix(), tp=[(GENE, 1)], fn=[1, 2, 3], tn=[-1, -2])
    assert unruled(subject, both) == [
        Instruction("tp", 1, EXPECTED[0]),
        Instruction("tp", 4, EXPECTED[3]),
    ]
    assert unruled(subject, labels(matrix(), **ALL)) == []


def test_what_is_not_ruled_yet_is_named():
    story = blind()
    assert why_unruled(story.cell) == (
        "None of the 6 instructions is ruled on yet: the judge is shown once all are."
    )
    rules(story, 1, 3, -2)
    assert why_unruled(story.cell) == (
        "Not ruled on yet: 2, 4, −1 (3 of 6). The judge is shown once all are."
    )
    rules(story, 2, 4, -1)
    assert why_unruled(story.cell) == ""


def test_of_many_only_the_first_are_named():
    story = blind(checklist(tp_instructions=[f"Says {n}" for n in range(20)]))
    rules(story, 1)
    assert "2, 3, 4, 5, 6, 7, 8, 9 and 11 more (19 of 20)" in why_unruled(story.cell)


def test_a_wrong_candidate_is_no_ruling_on_its_instruction():
    story = blind(checklist())
    rules(story, 1, 2, 3)
    story.corrects(action="add", bucket="fp", of="tp", instruction=4, **select(PLACE))
    assert why_unruled(story.cell).startswith("Not ruled on yet: 4 (1 of 4).")


@pytest.mark.parametrize(
    ("kind", "trait", "done"),
    [
        ("llm", {"name": "Safe", "kind": "boolean"}, {"value": False}),
        ("llm", {"name": "How", "kind": "score"}, {"value": 1}),
        ("regex", {"name": "Cites", "pattern": "x"}, {"value": False}),
        (
            "callable",
            {"name": "Long", "kind": "score", "callable": "m:f"},
            {"value": 0.25},
        ),
        ("scorer", {"name": "Ends", "scorer": "match"}, {"value": "I"}),
        ("scorer", {"name": "Ends", "scorer": "match"}, {"value": "unscored"}),
        ("tally", {"name": "Genes", "word": "gene"}, {"times": 0}),
    ],
)
def test_one_verdict_is_open_till_it_is_given_whatever_the_kind(kind, trait, done):
    of = kinds()[kind]
    subject = Subject(of, of.spec(**trait), trace())
    assert len(unruled(subject, of.blank)) == 1
    assert (
        unruled(subject, subject.labels(of.locate(subject.trait, subject.trace, done)))
        == []
    )


def test_a_class_that_is_called_as_if_nobody_had_answered_is_a_verdict():
    of = kinds()["llm"]
    classes = {"answered": "it says", "unanswered": "it is silent"}
    subject = Subject(
        of,
        of.spec(name="Which", kind="literal", classes=classes),
        trace(),
    )
    assert unruled(subject, subject.labels({"class": "unanswered"})) == []


def test_of_a_grounding_trait_every_sentence_of_the_response_is_ruled():
    of = kinds()["grounding"]
    subject = Subject(of, of.spec(name="Grounded"), trace())
    nothing = {"all_relevant_sentence_keys": [], "all_utilized_sentence_keys": []}
    one = {
        "response_sentence_key": "a",
        "supporting_sentence_keys": [],
        "fully_supported": False,
    }
    other = one | {"response_sentence_key": "b"}

    def names(*rows):
        found = subject.labels(nothing | {"sentence_support_information": list(rows)})
        return [
            of.called(subject.trait, found, asked).name
            for asked in unruled(subject, found)
        ]

    assert names(one) == ["b"]
    assert names(one, other) == []


def test_a_verdict_is_compared_with_the_judge_instruction_by_instruction():
    rows = {row.name: row for row in ruled_questions(locked().cell)}
    assert list(rows) == ["1", "2", "3", "4", "−1", "−2"]
    assert (rows["2"].verdict.word, rows["2"].judge.word, rows["2"].differs) == (
        "missing",
        "found",
        True,
    )
    assert (rows["−1"].text, rows["−1"].judge.word) == (FORBIDDEN[0], "present")
    assert [name for name, row in rows.items() if row.differs] == ["2", "3", "−1"]


def test_nothing_is_compared_before_the_verdict_is_locked_or_where_nobody_judged():
    story = blind()
    story.does(Receive(proposal()))
    assert ruled_questions(story.cell) == []
    assert ruled_questions(locked(judged=False).cell) == []


def test_a_change_of_mind_stands_beside_the_verdict():
    story = locked()
    assert standing_verdict(story.cell) == "3 of 6 differ from the judge"
    moved = {"action": "move", "bucket": "fn", "index": 0, "to": "tp"}
    story.corrects(**moved)
    rows = {row.name: row for row in ruled_questions(story.cell)}
    assert (rows["2"].verdict.word, rows["2"].now.word) == ("missing", "found")
    assert [name for name, row in rows.items() if row.is_changed] == ["2"]
    assert (
        standing_verdict(story.cell) == "3 of 6 differ from the judge, 1 changed since"
    )


def test_the_difference_is_told_in_a_sentence():
    assert (
        difference_text(locked().cell)
        == "3 of 6 answers differ from the judge's: 2, 3, −1."
    )
    nobody = locked(judged=False)
    assert difference_text(nobody.cell) == "The judge has not judged this cell yet."
    nobody.does(Receive(Failed("no answer")))
    assert difference_text(nobody.cell) == "The judge failed here."


def test_where_all_is_alike_that_is_said():
    story = blind()
    story.does(Receive(proposal()))
    rules(story, 1, 2, 3, to="tp")
    rules(story, 4, -2)
    rules(story, -1, to="fp")
    story.does(RULE)
    assert difference_text(story.cell) == "The judge says the same (6 answers)."


# -- one verdict -----------------------------------------------------------------------------------


def one_verdict(judge, *values):
    """A yes or no drawn blind, ruled with the first value, and changed to the others afterwards."""
    of = kinds()["llm"]
    subject = Subject(of, of.spec(name="Safe", kind="boolean"), trace())
    table = of.locate(subject.trait, subject.trace, {"value": judge})
    asked = [Receive(Proposed(table, {"name": "gpt"})), Draw(True)]
    for value in values:
        asked += [Correct(of.edit({"action": "set", "value": value})), RULE]
    return story_of(*asked[:5], of=subject).cell


def test_a_single_verdict_is_asked_for_and_compared_in_its_own_words():
    assert why_unruled(one_verdict(True)) == (
        "There is no verdict here yet: give one, then it can be locked."
    )
    cell = one_verdict(True, False)
    assert difference_text(cell) == "The judge says yes."
    assert standing_verdict(cell) == "blind no, judge yes"
    assert (
        standing_verdict(one_verdict(True, False, True))
        == "blind no, judge yes, now yes"
    )


def test_a_trait_that_asks_nothing_of_a_trace_waits_for_any_labels():
    of = kinds()["grounding"]
    cell = Cell(Subject(of, of.spec(name="Grounded"), trace()))
    assert why_unruled(cell) == (
        "You have ruled on nothing here yet: the judge is shown once you lock your verdict."
    )


def test_answers_of_a_kind_without_grounds_are_compared_by_their_words():
    of = kinds()["tally"]
    subject = Subject(of, of.spec(name="Genes", word="gene"), trace())
    judged = Receive(Proposed({"times": 2}, {"name": "gpt"}))
    story = story_of(
        judged,
        Draw(True),
        Correct(of.edit({"times": 3})),
        RULE,
        of=subject,
    )
    assert standing_verdict(story.cell) == "blind 3, judge 2"


# -- between two reviewers -------------------------------------------------------------------------


MISSED = {"action": "move", "bucket": "tp", "index": 0, "to": "fn"}
BY_HAND = [{"action": "add", "bucket": "fn", **link(number)} for number in (1, 2)]
SIDES = [{"table": proposal().table, "edits": [MISSED]}, {"edits": BY_HAND}]


def contested(*before) -> Story:
    story = story_of(*before)
    story.happens(Contested(SIDES), "cy")
    return story


def test_a_side_is_a_proposal_and_the_edits_of_it_or_edits_of_nothing():
    subject = Story().cell.subject
    assert marks(labels_of_side(subject, SIDES[0])) == {
        "tp": [2, 3],
        "fn": [1, 4],
        "fp": [-1],
        "tn": [-2],
    }
    assert marks(labels_of_side(subject, SIDES[1])) == {"fn": [1, 2]}


def test_neither_side_stands_until_somebody_takes_one_and_rules():
    story = contested(Receive(proposal()))
    cell = story.cell
    assert (cell.labels, cell.hidden, cell.is_blind, cell.shown.judge) == (
        None,
        True,
        False,
        None,
    )
    with pytest.raises(Refused, match="hidden until you have ruled"):
        decide(cell, Adopt(1))
    with pytest.raises(Refused, match="no such proposal"):
        proposed_labels(cell, 2, 2)
    took = story.does(Adopt(2, 1))
    assert describe(story.cell, took) == "took the labels that are shown as 2"
    assert marks(story.cell.labels) == {"fn": [1, 2]}
    story.does(RULE)
    assert (story.cell.state, story.cell.ruled_blind) == ("reviewed", False)
    with pytest.raises(Refused, match="The verdict is locked and stays"):
        story.does(Undo(took.n))


def test_a_ruling_on_a_contested_cell_stands_beside_the_judge():
    story = contested(Receive(proposal()))
    story.does(Adopt(2, 0))
    story.does(RULE)
    assert [row.text for row in ruled_questions(story.cell) if row.differs] == [
        EXPECTED[0],
    ]
    assert standing_verdict(story.cell) == "1 of 6 differ from the judge"


def test_a_correction_of_neither_side_is_a_ruling_too():
    story = contested()
    for row in BY_HAND:
        story.does(corrects(row))
    with pytest.raises(Refused, match="Not ruled on yet: 3, 4"):
        story.does(RULE)
    story.rules()
    assert marks(story.cell.verdict) == {"fn": [1, 2, 3, 4], "tn": [-1, -2]}
    assert standing_verdict(story.cell) == "your blind verdict"


def test_a_side_that_says_nothing_is_found_while_the_cell_is_read():
    with pytest.raises(Refused, match="no item 10 in TP"):
        Story().happens(Contested([{"edits": [MISSED | {"index": 9}]}, {}]))
