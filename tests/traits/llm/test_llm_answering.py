"""The one question of an LLM trait, answered alone."""

import pytest
from msgspec.structs import replace

from appellate.core.cell import Cell
from appellate.core.kind import Subject
from appellate.core.problem import Refused
from appellate.core.trace import Trace
from appellate.traits.llm import KIND
from appellate.traits.llm.edits import Edit
from appellate.traits.llm.labels import Excerpt, Labels
from appellate.traits.llm.pane_corrections import ExcerptsInSight
from appellate.traits.llm.spec import LLMRubricTrait

SAFE = LLMRubricTrait(name="Safe", kind="boolean", description="Is it safe?")
CLEAR = LLMRubricTrait(name="Clear", kind="score", description="Is it clear?")
SORT = LLMRubricTrait(name="Sort", kind="literal", classes={"a": "one", "b": "other"})
FOUND, LOST = Excerpt("Take it", 0, 7), Excerpt("nowhere said")


@pytest.mark.parametrize(
    ("trait", "answer", "value"),
    [(SAFE, "0", False), (SAFE, "1", True), (CLEAR, "4", 4), (SORT, "1", 1)],
)
def test_an_answer_is_a_verdict_unless_it_stands_already(trait, answer, value):
    assert answer in KIND.sayable(trait, None)
    assert list(KIND.edits(trait, Labels(), None, answer)) == [Edit("set", value=value)]
    assert list(KIND.edits(trait, Labels(value), None, answer)) == []


@pytest.mark.parametrize(("trait", "answer"), [(SAFE, "2"), (CLEAR, "9"), (SORT, "c")])
def test_a_verdict_that_there_is_not_is_refused(trait, answer):
    with pytest.raises(Refused, match=r"The verdict of this trait is "):
        KIND.edits(trait, Labels(), None, answer)


def test_the_words_that_a_verdict_rests_on_are_told_apart_from_those_that_are_not_there():
    told = KIND.grounds(SAFE, Labels(True, "", (FOUND, LOST), "It says so."), None)
    assert (told.word, told.spans, told.loose) == ("yes", ((0, 7),), ("nowhere said",))
    assert told.reason == "It says so."
    assert KIND.grounds(SAFE, Labels(), None).word == "unanswered"


def test_evidence_that_stayed_behind_another_verdict_is_remarked():
    was, now = Labels(True, "", (FOUND,)), Labels(False, "", (FOUND,))
    assert KIND.remarks(SAFE, was, now) == [
        "The evidence stayed: {llm.drop:d} drops what does not speak for it."
    ]
    assert KIND.remarks(SAFE, was, was) == []
    assert KIND.remarks(SAFE, was, Labels(False, "", (LOST,))) == []
    assert KIND.remarks(SAFE, Labels(), now) == []


def test_an_edit_follows_its_excerpt_to_where_it_stands_by_now():
    edit, sight = Edit("drop", index=0, seen="Take it"), ExcerptsInSight(None)
    sight.cell = Cell(Subject(KIND, SAFE, Trace(id="1")))

    def found_again(*evidence):
        return sight.found_again(edit, replace(sight.cell, labels=Labels(True, "", evidence)))

    assert found_again(LOST, FOUND).index == 1
    assert found_again(FOUND, LOST) is edit
    assert found_again(LOST) is edit
