"""Places to go to: bookmarks that survive a restart, and traces by a part of their id."""

import pytest

from appellate.store.database import NotKept
from appellate.store.traces import TracePlace
from appellate.store.workspace import Workspace
from appellate.traits.rubric import Question, Rubric
from cells import bench, checklist, place, rubric, trace


def test_bookmarks_are_a_reviewers_own_and_survive_a_restart(tmp_path):
    with bench(tmp_path, trace("a"), trace("b")) as at:
        at.workspace.cells.set_bookmark("ada", 2, True)
        at.workspace.cells.set_bookmark("ada", 1, True)
        at.workspace.cells.set_bookmark("ada", 1, True)
        at.workspace.cells.set_bookmark("bob", 1, True)
        at.workspace.cells.set_bookmark("bob", 1, False)
        at.workspace.cells.set_bookmark("bob", 2, False)
    with Workspace(place(tmp_path).workspace) as again:
        assert (again.cells.bookmarks("ada"), again.cells.bookmarks("bob")) == ([1, 2], [])


def test_a_bookmark_that_cannot_be_kept_is_refused(tmp_path):
    with (
        bench(tmp_path) as at,
        Workspace(at.workspace.path, readonly=True) as reader,
        pytest.raises(NotKept),
    ):
        reader.cells.set_bookmark("ada", 1, True)


def test_traces_are_found_by_number_then_id_then_its_beginning_then_a_part(tmp_path):
    asked = rubric(questions=[Question(id="q", question="What is it?")])
    names = ["x", "2", "20", "A2", "22"]
    traces = [trace(name, question_id="q" if name == "A2" else None) for name in names]
    traces.append(trace("20", epoch=2, question="And where?"))
    with bench(tmp_path, *traces, of=asked) as at:

        def like(text, limit=10):
            return [
                (found.no, found.id)
                for found in at.workspace.traces.like(at.workspace.rubric, text, limit)
            ]

        assert like(" 2 ") == [(2, "2"), (3, "20"), (6, "20"), (5, "22"), (4, "A2")]
        assert like("1") == [(1, "x")]
        assert like("20") == [(3, "20"), (6, "20")]
        assert like("a2") == [(4, "A2")]
        assert like("20#2") == [(6, "20")]
        assert like("20#") == [(3, "20"), (6, "20")]
        assert like("#4") == [(4, "A2")]
        assert like("20#3") == []
        assert like("2", 2) == [(2, "2"), (3, "20")]
        assert like("", 2) == [(1, "x"), (2, "2")]
        assert like("nowhere") == like("9" * 30) == like("%") == []
        assert at.workspace.traces.like(at.workspace.rubric, "20")[1] == TracePlace(
            6, "20", 2, "And where?"
        )
        assert [
            found.question for found in at.workspace.traces.like(at.workspace.rubric, "a2")
        ] == ["What is it?"]
        assert [found.question for found in at.workspace.traces.like(at.workspace.rubric, "x")] == [
            None
        ]


def test_other_answers_are_those_to_the_same_question_another_model_first_then_epochs(tmp_path):
    asked = [
        trace("a", question_id="q", model="one"),
        trace("b", question_id="q", question="In other words?", model="one"),
        trace("a", epoch=2, question_id="q", model="one"),
        trace("c", question_id="q", model="two", epoch=2),
        trace("d", question_id="q", model="two"),
        trace("e", question="q"),
        trace("e", epoch=2),
        trace("f", question="q"),
        trace("g"),
    ]
    with bench(tmp_path, *asked) as at:

        def others(number):
            here = at.workspace.traces.get(number)
            found = at.workspace.traces.other_answers(number, number, here)
            return [one.cell for one in found]

        assert others(1) == [5, 4, 2, 3]
        assert others(3) == [4, 5, 1, 2]
        assert others(6) == [8, 7]
        assert others(9) == []
        assert at.workspace.traces.other_answers(1, 1, asked[0])[0].trace == asked[4]


def test_a_trait_with_other_instructions_is_no_other_answer(tmp_path):
    words = ("Names the gene", "Names the disease")
    asked = [
        Question(id=f"q{place}", metric_traits=[checklist(tp_instructions=["Exists", said])])
        for place, said in enumerate(words)
    ]
    traces = [trace("a", question_id="q0"), trace("a", epoch=2, question_id="q1")]
    with bench(tmp_path, *traces, of=Rubric(name="R", questions=asked)) as at:
        assert at.workspace.traces.other_answers(1, 1, traces[0]) == []
